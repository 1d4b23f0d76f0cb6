//! The crates whose own tests are explored, with pinned versions and build arguments.

/// One crate.
pub struct Entry {
    pub name: &'static str,
    pub version: &'static str,
    /// Passed to `cargo raddle test`.
    pub arguments: &'static [&'static str],
    /// Also explored in CI.
    pub in_ci: bool,
}

const fn entry(name: &'static str, version: &'static str) -> Entry {
    Entry { name, version, arguments: &[], in_ci: false }
}

/// All of them.
pub static ENTRIES: [Entry; 19] = [
    Entry { in_ci: true, arguments: &["--as-miri"], ..entry("once_cell", "1.21.4") },
    Entry { in_ci: true, arguments: &["--features", "std,async"], ..entry("oneshot", "0.2.1") },
    Entry { arguments: &["--as-miri"], ..entry("arc-swap", "1.9.3") },
    Entry { arguments: &["--as-miri"], ..entry("async-channel", "2.5.0") },
    entry("event-listener", "5.4.2"),
    Entry { arguments: &["--as-miri"], ..entry("crossbeam-queue", "0.3.14") },
    Entry { arguments: &["--as-miri"], ..entry("crossbeam-channel", "0.5.17") },
    Entry { arguments: &["--as-miri"], ..entry("crossbeam-deque", "0.8.8") },
    entry("flume", "0.12.0"),
    entry("parking_lot", "0.12.5"),
    entry("dashmap", "6.2.1"),
    entry("thingbuf", "0.1.6"),
    Entry {
        arguments: &[
            "--features",
            "full,test-util",
            "--test",
            "sync_mpsc",
            "--test",
            "sync_oneshot",
            "--test",
            "sync_mutex",
            "--test",
            "sync_notify",
            "--test",
            "sync_semaphore",
            "--test",
            "sync_watch",
        ],
        ..entry("tokio", "1.54.1")
    },
    entry("async-lock", "3.5.0"),
    entry("bus", "2.4.1"),
    entry("left-right", "0.11.8"),
    entry("scoped_threadpool", "0.1.9"),
    entry("thread_local", "1.1.10"),
    entry("triomphe", "0.1.17"),
];
