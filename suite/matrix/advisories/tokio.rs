#[cfg(test)]
mod tests {
    use std::thread;
    use tokio::sync::oneshot;

    /// A receiver closes the channel and looks while a message is sent.
    #[test]
    fn a_receiver_closes_while_a_message_is_sent() {
        let (sender, mut receiver) = oneshot::channel::<Box<usize>>();
        let sends = thread::spawn(move || drop(sender.send(Box::new(1))));
        receiver.close();
        let _ = receiver.try_recv();
        drop(receiver);
        sends.join().unwrap();
    }
}
