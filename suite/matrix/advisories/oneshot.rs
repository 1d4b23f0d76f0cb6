#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::Pin;
    use std::task::{Context, Waker};
    use std::thread;

    /// A receiver that was polled goes while a message is sent.
    #[test]
    fn a_receiver_is_polled_and_dropped() {
        let (sender, mut receiver) = oneshot::channel::<Box<usize>>();
        let sends = thread::spawn(move || drop(sender.send(Box::new(1))));
        let _ = Pin::new(&mut receiver).poll(&mut Context::from_waker(Waker::noop()));
        drop(receiver);
        sends.join().unwrap();
    }
}
