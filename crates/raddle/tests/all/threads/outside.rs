//! Outside of explorations everything is std's own, and the types are as std's are.

use super::*;

#[test]
fn outside_of_explorations_everything_is_stds_own() {
    let handle = Builder::new().name("real".to_owned()).stack_size(1 << 20).spawn(|| {
        thread::park();
        thread::yield_now();
        (thread::current().name().map(str::to_owned), thread::current().id())
    });
    let handle = handle.unwrap();
    assert!(!handle.is_finished());
    let id = handle.thread().id();
    assert_eq!(handle.thread().name(), Some("real"));
    handle.thread().unpark();
    assert_eq!(handle.join().unwrap(), (Some("real".to_owned()), id));
    assert_eq!(format!("{:?}", thread::current().id()), format!("{:?}", std::thread::current().id()));
    assert_eq!(thread::available_parallelism().unwrap(), std::thread::available_parallelism().unwrap());
    assert!(thread::spawn(|| panic!("an expected panic of a real thread")).join().is_err());
    assert!(!thread::panicking());
    let local = 5;
    // SAFETY: joined before `local` ends.
    let handle = unsafe { Builder::new().spawn_unchecked(|| local + 1) }.unwrap();
    assert_eq!(handle.join().unwrap(), 6);
    let ids: BTreeMap<String, Thread> =
        [thread::current()].into_iter().map(|t| (format!("{:?}", t.id()), t)).collect();
    assert_eq!(ids.len(), 1);
}

#[test]
fn spawn_unchecked_may_borrow() {
    let report = Checker::dfs().run(|| {
        let x = AtomicUsize::new(0);
        // SAFETY: joined before `x` ends; teardown unwinds children first.
        let handle = unsafe { Builder::new().spawn_unchecked(|| x.fetch_add(1, SeqCst)) }.unwrap();
        handle.join().unwrap();
        x.load(SeqCst)
    });
    assert_eq!(outcomes(&report), [(1, 1)]);
}

#[test]
fn as_many_auto_traits_as_std() {
    fn shared<T: Send + Sync>() {}
    fn safe<T: UnwindSafe + RefUnwindSafe>() {}
    fn whatever_it_holds<T>() {
        shared::<JoinHandle<T>>();
    }
    whatever_it_holds::<*const u8>();
    shared::<Thread>();
    shared::<ThreadId>();
    shared::<Builder>();
    shared::<thread::Scope<'static, 'static>>();
    shared::<thread::ScopedJoinHandle<'static, u8>>();
    safe::<Thread>();
    safe::<ThreadId>();
    safe::<Builder>();
}
