//! Every object in a report can have a label.

use raddle::sync::{Barrier, Condvar, LazyLock, Mutex, Once, OnceLock, RwLock};
use raddle::{Checker, label};

/// The report of an execution that fails after it has used the object of `make`.
fn report_of<T>(make: impl Fn() -> T + Send + Sync, used: impl Fn(&T) + Send + Sync) -> String {
    let report = Checker::dfs().run(|| {
        let object = make();
        used(&object);
        panic!("shown");
    });
    report.to_string()
}

#[test]
fn locks_and_latches_have_labels() {
    let shown = report_of(
        || Mutex::new(0),
        |m| {
            label(m, "NAME");
            drop(m.lock());
        },
    );
    assert!(shown.contains("NAME"), "{shown}");
    let shown = report_of(
        || RwLock::new(0),
        |m| {
            label(m, "NAME");
            drop(m.read());
        },
    );
    assert!(shown.contains("NAME"), "{shown}");
    let shown = report_of(Condvar::new, |c| {
        label(c, "NAME");
        c.notify_one();
    });
    assert!(shown.contains("NAME"), "{shown}");
    let shown = report_of(
        || Barrier::new(1),
        |b| {
            label(b, "NAME");
            b.wait();
        },
    );
    assert!(shown.contains("NAME"), "{shown}");
    let shown = report_of(Once::new, |o| {
        label(o, "NAME");
        o.call_once(|| {});
    });
    assert!(shown.contains("NAME"), "{shown}");
    let shown = report_of(OnceLock::new, |o| {
        label(o, "NAME");
        let _ = o.set(1);
    });
    assert!(shown.contains("NAME"), "{shown}");
    let shown = report_of(
        || LazyLock::new(|| 1),
        |l| {
            label(l, "NAME");
            LazyLock::force(l);
        },
    );
    assert!(shown.contains("NAME"), "{shown}");
}

#[test]
fn a_static_that_was_named_keeps_its_name_for_one_execution() {
    static BARRIER: Barrier = Barrier::new(1);
    let report = Checker::dfs().run(|| {
        if raddle::any_bool() {
            label(&BARRIER, "NAME");
            return;
        }
        BARRIER.wait();
        panic!("shown");
    });
    let shown = report.to_string();
    assert!(shown.contains("Barrier#1") && !shown.contains("NAME"), "{shown}");
}
