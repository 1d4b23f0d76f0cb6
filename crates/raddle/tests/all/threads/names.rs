//! Names, ids, builders, and the size of stacks.

use super::*;

#[test]
fn threads_are_named_by_their_parents_and_labelled_by_the_program() {
    let report = Checker::dfs().run(|| {
        let outer = Builder::new().name("outer".to_owned()).spawn(|| {
            let quiet = thread::spawn(|| {});
            let inner = Builder::new().name("inner".to_owned()).spawn(|| panic!("boom")).unwrap();
            quiet.join().unwrap();
            inner.join().unwrap();
        });
        outer.unwrap().join().unwrap();
    });
    let failure = report.failure().expect("it fails");
    let tasks: Vec<_> = failure.trace().tasks.iter().map(|a| (a.name.as_str(), a.label.as_deref())).collect();
    assert_eq!(
        tasks,
        [("main", None), ("main.1", Some("outer")), ("main.1.1", None), ("main.1.2", Some("inner"))]
    );
    assert_eq!(failure.message(), "main.1.2 panicked: boom");
}

#[test]
fn names_and_ids() {
    let report = Checker::dfs().run(|| {
        let main = thread::current();
        assert_eq!(main.name(), Some("main"));
        assert_eq!(main.id(), thread::current().id());
        let plain = thread::spawn(|| {
            assert_eq!(thread::current().name(), None);
            thread::current().id()
        });
        let (handle_id, clone_id) = (plain.thread().id(), plain.thread().clone().id());
        assert_eq!(plain.thread().name(), None);
        let plain_id = plain.join().unwrap();
        assert!(handle_id == plain_id && clone_id == plain_id && plain_id != main.id());
        let named = Builder::new().name("worker".to_owned()).spawn(|| {
            assert_eq!(thread::current().name(), Some("worker"));
            format!("{:?}", thread::current())
        });
        let named = named.unwrap();
        assert_eq!(named.thread().name(), Some("worker"));
        assert_eq!(format!("{named:?}"), "JoinHandle { .. }");
        (format!("{main:?}"), named.join().unwrap())
    });
    // The same in every execution.
    let expected = (
        r#"Thread { id: ThreadId(1), name: Some("main"), .. }"#.to_owned(),
        r#"Thread { id: ThreadId(3), name: Some("worker"), .. }"#.to_owned(),
    );
    assert_eq!(report.outcomes().keys().collect::<Vec<_>>(), [&expected]);
}

fn hash(id: ThreadId) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

#[test]
fn ids_differ_between_executions_but_hash_alike() {
    let seen = std::sync::Mutex::new(Vec::new());
    let report = Checker::random(3).run(|| {
        let id = thread::spawn(|| thread::current().id()).join().unwrap();
        seen.lock().unwrap().push(id);
        hash(id)
    });
    assert_eq!(report.outcomes().len(), 1);
    let seen = seen.into_inner().unwrap();
    assert!(seen[0] != seen[1] && seen[1] != seen[2] && seen[0] != seen[2]);
}

#[test]
fn a_name_with_a_zero_byte_panics_as_with_std() {
    let spawn = || Builder::new().name("a\0b".to_owned()).spawn(|| {}).unwrap().join().unwrap();
    let (kind, message) = fails(spawn);
    assert_eq!(kind, FailureKind::Panic);
    assert_eq!(message, "main panicked: thread name may not contain interior null bytes");
}

#[test]
fn builders_print_as_std_builders_do() {
    let ours = Builder::new().name("x".to_owned()).stack_size(4096);
    let theirs = std::thread::Builder::new().name("x".to_owned()).stack_size(4096);
    assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
}

#[test]
fn available_parallelism_does_not_depend_on_the_machine() {
    let report = Checker::dfs().run(|| thread::available_parallelism().unwrap().get());
    assert_eq!(outcomes(&report), [(4, 1)]);
}

/// Uses one to four kilobytes of stack per level.
#[inline(never)]
fn descend(levels: usize) -> usize {
    let ballast = std::hint::black_box([levels as u8; 1024]);
    if levels == 0 { 0 } else { 1 + descend(levels - 1) + (ballast[1] as usize - levels % 256) }
}

#[test]
fn deep_recursion_within_the_stack_size() {
    let report = Checker::dfs().run(|| {
        let usual = thread::spawn(|| descend(400)).join().unwrap();
        let large = Builder::new().stack_size(64 << 20).spawn(|| descend(10_000)).unwrap().join().unwrap();
        // A size below the default is not used.
        let small = Builder::new().stack_size(1).spawn(|| descend(400)).unwrap().join().unwrap();
        (descend(400), usual, large, small)
    });
    assert_eq!(outcomes(&report), [((400, 400, 10_000, 400), 1)]);
    let report = Checker::dfs().stack_size(64 << 20).run(|| descend(10_000));
    assert_eq!(outcomes(&report), [(10_000, 1)]);
}

#[test]
fn a_stack_without_room_is_an_error_as_from_std() {
    for size in [1 << 60, usize::MAX] {
        assert!(std::thread::Builder::new().stack_size(1 << 60).spawn(|| ()).is_err());
        let report = Checker::dfs().run(move || {
            let spawned = Builder::new().stack_size(size).spawn(|| ());
            let scoped =
                thread::scope(|scope| Builder::new().stack_size(size).spawn_scoped(scope, || ()).is_err());
            (spawned.is_err(), scoped)
        });
        assert!(report.failure().is_none(), "{report}");
        assert_eq!(report.outcomes().keys().collect::<Vec<_>>(), [&(true, true)]);
    }
}
