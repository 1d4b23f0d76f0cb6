//! A program may set its own panic hook between two explorations: panics inside are silent and keep their
//! locations, and those outside reach the program's hook. Alone in its process, since a hook is global.

use raddle::{Checker, thread};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

static HEARD: AtomicU32 = AtomicU32::new(0);

fn fails() -> String {
    let report = Checker::dfs().run(|| thread::spawn(|| panic!("inside")).join().unwrap());
    let shown = report.to_string();
    assert!(shown.contains("main.1 panicked here") && shown.contains("hook.rs"), "{shown}");
    let failure = report.failure().expect("a panic that is not handled");
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
