//! What `--races` costs is measured with these: a queue of a crate, a lock around a collection, and plain work.
#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::{Arc, Mutex};
    use std::thread;

    #[test]
    fn two_senders() {
        let (sender, receiver) = crossbeam_channel::unbounded::<Box<u32>>();
        let send = |sender: crossbeam_channel::Sender<_>| move || (0..3).for_each(|n| sender.send(Box::new(n)).unwrap());
        let sends = [thread::spawn(send(sender.clone())), thread::spawn(send(sender))];
        assert_eq!(receiver.iter().map(|n| *n).sum::<u32>(), 6);
        sends.map(|sends| sends.join().unwrap());
    }

    #[test]
    fn a_full_channel() {
        let (sender, receiver) = crossbeam_channel::bounded::<u32>(1);
        let sends = thread::spawn(move || (0..4).for_each(|n| sender.send(n).unwrap()));
        assert_eq!(receiver.iter().sum::<u32>(), 6);
        sends.join().unwrap();
    }

    #[test]
    fn a_locked_map() {
        let map = Arc::new(Mutex::new(HashMap::new()));
        let insert = |map: Arc<Mutex<HashMap<u32, String>>>, from: u32| {
            move || (from..from + 4).for_each(|n| drop(map.lock().unwrap().insert(n, n.to_string())))
        };
        let inserts = [thread::spawn(insert(map.clone(), 0)), thread::spawn(insert(map.clone(), 2))];
        inserts.map(|inserts| inserts.join().unwrap());
        assert_eq!(map.lock().unwrap().len(), 6);
    }

    #[test]
    fn plain_work() {
        let sort = |seed: u32| {
            let mut numbers: Vec<u32> = (0..200).map(|n| (n * seed) % 199).collect();
            numbers.sort();
            numbers.iter().sum::<u32>()
        };
        let sorts = thread::spawn(move || sort(77));
        assert_eq!(sort(31) + sorts.join().unwrap(), 39_402);
    }
}
