//! A program may set a panic hook of its own between two explorations: panics inside of them stay quiet and keep
//! their places, and those outside go to the program's hook. Alone in its process, since a hook is everybody's.

use raddle::{Checker, thread};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

static HEARD: AtomicU32 = AtomicU32::new(0);

fn fails() -> String {
    let report = Checker::dfs().run(|| thread::spawn(|| panic!("inside")).join().unwrap());
    let shown = report.to_string();
    assert!(shown.contains("main.1 panicked here") && shown.contains("hook.rs"), "{shown}");
    let failure = report.failure().expect("a panic that nobody handles");
    failure.message().to_owned()
}

#[test]
fn a_hook_that_was_set_later_is_found() {
    assert!(fails().contains("inside"));
    for heard in 0..3 {
        std::panic::set_hook(Box::new(|_| _ = HEARD.fetch_add(1, Relaxed)));
        assert!(fails().contains("inside"));
        assert_eq!(HEARD.load(Relaxed), heard, "a panic inside was heard outside");
        let _ = std::thread::spawn(|| panic!("outside")).join();
        assert_eq!(HEARD.load(Relaxed), heard + 1, "a panic outside was not heard");
    }
}
