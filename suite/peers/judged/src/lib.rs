//! Programs that allocate, free, read and write beside their operations, as real ones do.

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, VecDeque};
    use std::ptr::null_mut;
    use std::sync::atomic::{AtomicPtr, Ordering::SeqCst};
    use std::sync::{Arc, Mutex, mpsc};
    use std::thread;

    struct Node {
        value: usize,
        next: *mut Node,
    }

    /// Nodes are pushed by two threads and taken all at once.
    #[test]
    fn pushed_and_taken() {
        let head = Arc::new(AtomicPtr::<Node>::new(null_mut()));
        let push = |head: &AtomicPtr<Node>, value| {
            let node = Box::into_raw(Box::new(Node { value, next: null_mut() }));
            loop {
                let first = head.load(SeqCst);
                unsafe { (*node).next = first };
                if head.compare_exchange(first, node, SeqCst, SeqCst).is_ok() {
                    return;
                }
            }
        };
        let theirs = head.clone();
        let other = thread::spawn(move || (0..4).for_each(|value| push(&theirs, value)));
        (4..8).for_each(|value| push(&head, value));
        other.join().unwrap();
        let (mut at, mut sum) = (head.swap(null_mut(), SeqCst), 0);
        while !at.is_null() {
            let node = unsafe { Box::from_raw(at) };
            (at, sum) = (node.next, sum + node.value);
        }
        assert_eq!(sum, 28);
    }

    /// Messages with contents of their own.
    #[test]
    fn sent_and_received() {
        let (sender, receiver) = mpsc::channel::<Vec<u8>>();
        let senders = [sender.clone(), sender].map(|sender| {
            thread::spawn(move || {
                for n in 1..4u8 {
                    sender.send((0..n * 8).collect()).unwrap();
                }
            })
        });
        let bytes: usize = receiver.iter().map(|message| message.len()).sum();
        senders.into_iter().for_each(|sender| sender.join().unwrap());
        assert_eq!(bytes, 96);
    }

    /// A map of strings behind a lock.
    #[test]
    fn looked_up_and_changed() {
        let map = Arc::new(Mutex::new(BTreeMap::<String, Vec<usize>>::new()));
        let work = |map: &Mutex<BTreeMap<String, Vec<usize>>>, from: usize| {
            for n in from..from + 4 {
                map.lock().unwrap().entry(format!("key {}", n % 3)).or_default().push(n);
            }
        };
        let theirs = map.clone();
        let other = thread::spawn(move || work(&theirs, 0));
        work(&map, 4);
        other.join().unwrap();
        let mut all: Vec<usize> = map.lock().unwrap().values().flatten().copied().collect();
        all.sort();
        assert_eq!(all, (0..8).collect::<Vec<_>>());
    }

    /// Work between operations: what a thread takes it computes with by itself.
    #[test]
    fn computed_between_operations() {
        let queue = Arc::new(Mutex::new((0..6u64).collect::<VecDeque<_>>()));
        let work = |queue: &Mutex<VecDeque<u64>>| {
            let mut sum = 0;
            while let Some(seed) = { queue.lock().unwrap().pop_front() } {
                let mut values: Vec<u64> = (0..64).map(|n| (n * 37 + seed) % 64).collect();
                values.sort();
                sum += values[7];
            }
            sum
        };
        let theirs = queue.clone();
        let other = thread::spawn(move || work(&theirs));
        let mine = work(&queue);
        assert_eq!(other.join().unwrap() + mine, 42);
    }
}
