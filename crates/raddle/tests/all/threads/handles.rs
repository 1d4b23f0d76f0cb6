//! Handles in the wrong place: of another execution, of a real thread, outside.

use super::*;

#[test]
fn a_handle_of_another_execution_is_an_error() {
    let kept = std::sync::Mutex::new(None::<(JoinHandle<()>, Thread)>);
    passes(&Checker::random(1).run(|| {
        let handle = thread::spawn(|| {});
        *kept.lock().unwrap() = Some((handle, thread::current()));
    }));
    let (handle, main) = kept.into_inner().unwrap().unwrap();
    let (kind, message) = fails(|| handle.is_finished());
    assert_eq!(kind, FailureKind::Misuse);
    assert!(message.contains("JoinHandle of a task of another execution"), "{message}");
    let (kind, message) = fails(|| main.unpark());
    assert_eq!(kind, FailureKind::Misuse);
    assert!(message.contains("Thread of a task of another execution"), "{message}");
}

#[test]
fn a_real_threads_handle_inside_is_an_error() {
    let outside = thread::current();
    let (kind, message) = fails(|| outside.unpark());
    assert_eq!(kind, FailureKind::Misuse);
    assert!(message.contains("Thread of a thread outside of the exploration"), "{message}");
    let handle = std::sync::Mutex::new(Some(thread::spawn(|| 3)));
    let (kind, message) =
        fails(|| handle.lock().unwrap_or_else(|e| e.into_inner()).as_ref().unwrap().is_finished());
    assert_eq!(kind, FailureKind::Misuse);
    assert!(message.contains("JoinHandle of a thread outside of the exploration"), "{message}");
    let handle = handle.into_inner().unwrap_or_else(|e| e.into_inner());
    assert_eq!(handle.unwrap().join().unwrap(), 3);
}

#[test]
fn a_tasks_handle_outside_is_an_error() {
    let kept = std::sync::Mutex::new(None::<(JoinHandle<()>, Thread)>);
    let report = Checker::random(1).run(|| {
        let handle = thread::spawn(|| {});
        *kept.lock().unwrap() = Some((handle, thread::current()));
    });
    passes(&report);
    let (handle, main) = kept.into_inner().unwrap().unwrap();
    assert_eq!(main.name(), Some("main"));
    let text = |payload: Box<dyn std::any::Any + Send>| *payload.downcast::<String>().unwrap();
    let unpark = catch_unwind(AssertUnwindSafe(|| main.unpark())).unwrap_err();
    assert_eq!(text(unpark), "raddle: a Thread of a task is used outside of its execution");
    let finished = catch_unwind(AssertUnwindSafe(|| handle.is_finished())).unwrap_err();
    assert_eq!(text(finished), "raddle: a JoinHandle of a task is used outside of its execution");
    let join = catch_unwind(AssertUnwindSafe(|| drop(handle.join()))).unwrap_err();
    assert_eq!(text(join), "raddle: a JoinHandle of a task is used outside of its execution");
}
