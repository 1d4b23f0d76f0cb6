#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread;
    use thread_local::ThreadLocal;

    /// The values are looked at while a thread makes its own.
    #[test]
    fn a_value_is_made_during_an_iteration() {
        let values = Arc::new(ThreadLocal::<usize>::with_capacity(0));
        let other = values.clone();
        let makes = thread::spawn(move || *other.get_or(|| 7));
        assert!(values.iter().all(|value| *value == 7));
        makes.join().unwrap();
    }
}
