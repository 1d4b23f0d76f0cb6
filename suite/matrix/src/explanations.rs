//! Explanations of results that are not self-explanatory. Each was investigated.

/// A crate, a prefix of test names, and the explanation of their results.
const EXPLANATIONS: [(&str, &str, &str); 11] = [
    (
        "crossbeam-deque",
        "stress",
        "A real race that its authors know: a thief reads a slot of the buffer by `ptr::read_volatile` while the owner may write it \
         again, and throws away what it read if so. `Buffer::write` says that this is undefined behaviour",
    ),
    (
        "oneshot",
        "tx_drop_rx_poll_then_drop",
        "A real mistake, its issue 87: the receiver's drop swaps `DISCONNECTED` over `UNPARKING`, sees its own store in the loop that \
         waits for the sender, and frees the channel while the sender takes the waker out of it",
    ),
    ("oneshot", "tx_send_rx_poll_then_drop", "The same mistake, with a message"),
    (
        "crossbeam-channel",
        "fairness",
        "An expected limit: the test demands that no operation is much luckier than another, and a schedule in which one is \
         is a behaviour like any other",
    ),
    (
        "crossbeam-channel",
        "src/lib.rs - (line 268)",
        "A real, if harmless, race: `select!` takes one of two messages, `main` drops both receivers, and the thread that \
         sends the other one panics in `send(20).unwrap()` if it comes too late",
    ),
    (
        "crossbeam-channel",
        "src/channel.rs - channel::at",
        "An expected limit: the virtual clock is exact, so that after waiting until `start + 100 ms` it is exactly that \
         late, and the example demands more",
    ),
    (
        "flume",
        "src/select.rs - select::Selector (line 62)",
        "A real, if harmless, race: the selector takes one of two messages, `main` drops both receivers, and the thread \
         panics in `tx1.send(42).unwrap()` if it comes too late",
    ),
    (
        "scoped_threadpool",
        "demo_",
        "An expected limit: a thread of the pool panics on purpose, and is never joined; the usual harness takes no notice \
         of that, and here it counts",
    ),
    (
        "scoped_threadpool",
        "tests::join_all_with_thread_panic",
        "An expected limit: a thread of the pool panics on purpose, and is never joined; the usual harness takes no notice \
         of that, and here it counts",
    ),
    (
        "triomphe",
        "arc::tests::into_unique_data_race_no_sleep",
        "A real, if harmless, race: `Arc::into_unique(a).unwrap()` panics in a thread that is never joined if the other thread \
         has not dropped its reference yet",
    ),
    (
        "thingbuf",
        "src/mpsc.rs - mpsc (line 182)",
        "The example needs the feature `static`, which is not on by default",
    ),
];

/// The explanation of the result of a test.
pub fn of(name: &str, test: &str) -> Option<&'static str> {
    let fits = |(n, begin, _): &&(&str, &str, &str)| *n == name && test.starts_with(begin);
    EXPLANATIONS.iter().find(fits).map(|(_, _, words)| *words)
}
