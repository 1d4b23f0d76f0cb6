//! Atomics are identified by their address: statics, stacks, boxes that are freed and allocated.

use super::*;

static BOOL: AtomicBool = AtomicBool::new(true);
static U8: AtomicU8 = AtomicU8::new(8);
static U16: AtomicU16 = AtomicU16::new(16);
static U32: AtomicU32 = AtomicU32::new(32);
static U64: AtomicU64 = AtomicU64::new(64);
static USIZE: AtomicUsize = AtomicUsize::new(1);
static I8: AtomicI8 = AtomicI8::new(-8);
static I16: AtomicI16 = AtomicI16::new(-16);
static I32: AtomicI32 = AtomicI32::new(-32);
static I64: AtomicI64 = AtomicI64::new(-64);
static ISIZE: AtomicIsize = AtomicIsize::new(-1);
static PTR: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());
static ARRAY: [AtomicU8; 4] = [const { AtomicU8::new(3) }; 4];

/// Changes them all, and returns their old values.
fn change_all() -> Vec<i64> {
    let (mut was, mut byte) = (Vec::new(), 0);
    was.push(BOOL.fetch_not(SeqCst) as i64);
    was.push(U8.fetch_add(1, SeqCst) as i64);
    was.push(U16.fetch_add(1, SeqCst) as i64);
    was.push(U32.fetch_add(1, SeqCst) as i64);
    was.push(U64.fetch_add(1, SeqCst) as i64);
    was.push(USIZE.fetch_add(1, SeqCst) as i64);
    was.push(I8.fetch_add(1, SeqCst) as i64);
    was.push(I16.fetch_add(1, SeqCst) as i64);
    was.push(I32.fetch_add(1, SeqCst) as i64);
    was.push(I64.fetch_add(1, SeqCst));
    was.push(ISIZE.fetch_add(1, SeqCst) as i64);
    was.push(PTR.swap(&raw mut byte, SeqCst).is_null() as i64);
    was.extend(ARRAY.iter().map(|x| x.fetch_add(1, SeqCst) as i64));
    was
}

const AT_FIRST: [i64; 16] = [1, 8, 16, 32, 64, 1, -8, -16, -32, -64, -1, 1, 3, 3, 3, 3];

/// The only test that accesses these statics: also outside they change only by this test.
#[test]
fn statics_start_clean_in_every_execution() {
    for workers in [1, 2] {
        let report = passed(Checker::dfs().workers(workers).run(|| {
            let (x, other) = (U8.load(SeqCst), thread::spawn(|| ARRAY[1].fetch_add(1, SeqCst)));
            let seen = ARRAY[1].load(SeqCst);
            other.join().unwrap();
            ARRAY[1].store(seen, SeqCst);
            ARRAY[1].store(3, SeqCst);
            assert_eq!(x, 8);
            (seen, change_all())
        }));
        assert_eq!(set(&report), BTreeSet::from([(3, AT_FIRST.to_vec()), (4, AT_FIRST.to_vec())]));
    }
    assert_eq!(change_all(), AT_FIRST);
    assert_ne!(change_all(), AT_FIRST);
    // Changes from outside are not visible inside.
    let report = explore(change_all);
    assert_eq!(set(&report), BTreeSet::from([AT_FIRST.to_vec()]));
    assert_eq!(U8.load(SeqCst), 10);
}

/// A constant is a new atomic each time.
#[test]
fn constants() {
    #[allow(clippy::declare_interior_mutable_const)]
    const ZERO: AtomicU32 = AtomicU32::new(0);
    let report = explore(|| {
        #[allow(clippy::borrow_interior_mutable_const)]
        let one = [ZERO, ZERO].map(|x| x.fetch_add(1, SeqCst));
        one
    });
    assert_eq!(set(&report), BTreeSet::from([[0, 0]]));
}

/// A mutable static: `get_mut` returns its overlay.
#[test]
fn get_mut_of_a_static() {
    static mut COUNT: AtomicU16 = AtomicU16::new(5);
    // SAFETY: only this test uses it, one execution at a time.
    let count = || unsafe { (&raw mut COUNT).as_mut() }.unwrap();
    let report = explore(|| {
        *count().get_mut() += 1;
        count().load(SeqCst)
    });
    assert_eq!(set(&report), BTreeSet::from([6]));
    assert_eq!(*count().get_mut(), 5);
}

fn names(failure: &Failure) -> Vec<&str> {
    failure.trace().lines.iter().filter_map(|l| l.object.as_deref()).collect()
}

/// Freed and allocated again, probably at the same address: a new object.
#[test]
fn boxes_that_come_and_go() {
    let failure = failure(|| {
        for _ in 0..3 {
            let boxed = Box::new(AtomicU64::new(0));
            boxed.store(1, SeqCst);
        }
        let boxed = Box::new(AtomicI64::new(0));
        boxed.store(1, SeqCst);
        panic!("show me");
    });
    assert_eq!(names(&failure), ["AtomicU64#1", "AtomicU64#2", "AtomicU64#3", "AtomicI64#1"]);
}

/// A vector that grows moves its atomics: they are new objects, and not taken for old ones.
#[test]
fn vectors_that_grow() {
    let report = explore(|| {
        let mut list = Vec::with_capacity(1);
        for n in 0..20 {
            list.push(AtomicUsize::new(n));
            list[0].fetch_add(1, SeqCst);
        }
        list.iter().map(|x| x.load(SeqCst)).sum::<usize>()
    });
    assert_eq!(set(&report), BTreeSet::from([190 + 20]));
}

/// Tasks may share a value on the stack of another task, if that is sound.
#[test]
fn atomics_on_a_stack() {
    let report = explore(|| {
        let x = AtomicUsize::new(0);
        let address = &raw const x as usize;
        let tasks = [1, 10].map(|n| {
            thread::spawn(move || {
                // SAFETY: main joins the tasks while the atomic is alive.
                let x = unsafe { &*(address as *const AtomicUsize) };
                let seen = x.load(SeqCst);
                x.store(seen + n, SeqCst);
            })
        });
        tasks.into_iter().for_each(|t| t.join().unwrap());
        x.into_inner()
    });
    assert_eq!(set(&report), BTreeSet::from([1, 10, 11]));
}

#[test]
fn leaked_atomics() {
    let report = explore(|| {
        let x: &'static AtomicBool = Box::leak(Box::default());
        let task = thread::spawn(|| x.swap(true, SeqCst));
        let seen = x.swap(true, SeqCst);
        let result = (seen, task.join().unwrap());
        // SAFETY: leaked above, and the task is gone.
        drop(unsafe { Box::from_raw(x as *const AtomicBool as *mut AtomicBool) });
        result
    });
    assert_eq!(set(&report), BTreeSet::from([(false, true), (true, false)]));
}

/// Objects are numbered by kind, independent of the place of their first access.
#[test]
fn numbers_do_not_depend_on_where_the_code_is() {
    mod elsewhere {
        pub fn touch(x: &raddle::sync::atomic::AtomicU32) {
            x.store(1, std::sync::atomic::Ordering::SeqCst);
        }
    }
    fn touch<T: Into<u32>>(x: &AtomicU32, value: T) {
        x.store(value.into(), SeqCst);
    }
    let failure = failure(|| {
        let list: [AtomicU32; 4] = Default::default();
        list[0].store(1, SeqCst);
        elsewhere::touch(&list[1]);
        touch(&list[2], 1u8);
        touch(&list[3], 1u16);
        panic!("show me");
    });
    assert_eq!(names(&failure), ["AtomicU32#1", "AtomicU32#2", "AtomicU32#3", "AtomicU32#4"]);
}

#[test]
fn labels() {
    let failure = failure(|| {
        let (flag, head) = (AtomicBool::new(false), AtomicPtr::<u8>::default());
        raddle::label(&flag, "stop");
        raddle::label(&head, "head");
        flag.store(true, SeqCst);
        head.load(SeqCst);
        panic!("show me");
    });
    assert_eq!(names(&failure), ["AtomicBool#1 \"stop\"", "AtomicPtr#1 \"head\""]);
}
