#[cfg(test)]
mod tests {
    use crossbeam_deque::{Steal, Worker};
    use std::thread;

    /// The owner takes tasks from one end while another thread steals from the other one.
    #[test]
    fn each_task_is_taken_once() {
        let worker = Worker::new_lifo();
        let stealer = worker.stealer();
        worker.push(Box::new(1));
        worker.push(Box::new(2));
        let steals = thread::spawn(move || {
            let taken = (0..2).filter_map(|_| match stealer.steal() {
                Steal::Success(task) => Some(task),
                _ => None,
            });
            taken.collect::<Vec<_>>()
        });
        let mut all: Vec<_> = std::iter::from_fn(|| worker.pop()).collect();
        all.extend(steals.join().unwrap());
        all.extend(std::iter::from_fn(|| worker.pop()));
        all.sort();
        assert_eq!(all, [Box::new(1), Box::new(2)]);
    }
}
