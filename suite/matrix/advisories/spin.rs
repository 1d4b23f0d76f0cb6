#[cfg(test)]
mod tests {
    use spin::RwLock;
    use std::sync::Arc;
    use std::thread;

    /// Two writers, one after the other.
    #[test]
    fn two_writers() {
        let number = Arc::new(RwLock::new(0));
        let other = number.clone();
        let writes = thread::spawn(move || *other.write() += 1);
        *number.write() += 1;
        writes.join().unwrap();
        assert_eq!(*number.read(), 2);
    }
}
