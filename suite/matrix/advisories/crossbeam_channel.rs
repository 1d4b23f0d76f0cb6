#[cfg(test)]
mod tests {
    use crossbeam_channel::unbounded;
    use std::thread;

    /// The last receiver goes while two messages are sent, the first ones.
    #[test]
    fn a_receiver_goes_while_messages_are_sent() {
        let (sender, receiver) = unbounded::<Box<usize>>();
        let senders: Vec<_> = (0..2)
            .map(|n| {
                let sender = sender.clone();
                thread::spawn(move || drop(sender.send(Box::new(n))))
            })
            .collect();
        drop(receiver);
        for sends in senders {
            sends.join().unwrap();
        }
    }
}
