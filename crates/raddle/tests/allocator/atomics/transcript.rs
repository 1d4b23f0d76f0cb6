// What every method of every atomic returns, and its value afterwards. Included twice: with std's types in
// scope, and with ours. Both must compile, and give the same text.

/// Records what a method of an atomic returned, and the value after it.
fn tell(said: &mut Vec<String>, what: &str, returned: impl std::fmt::Debug, now: impl std::fmt::Debug) {
    said.push(format!("{what}: {returned:?} leaves {now:?}"));
}

macro_rules! same_for_all {
    ($said:ident, $atomic:ident $(<$t:ty>)?, $a:expr, $b:expr) => {{
        let mut x = $atomic $(::<$t>)? ::new($a);
        let kind = stringify!($atomic);
        tell($said, kind, size_of_val(&x), align_of_val(&x));
        tell($said, "load", [x.load(Relaxed), x.load(Acquire)], x.load(SeqCst));
        for order in [Relaxed, Release, SeqCst] {
            x.store($b, order);
            tell($said, "store", (), x.load(SeqCst));
        }
        for order in ALL {
            tell($said, "swap", x.swap($a, order), x.load(SeqCst));
            #[allow(deprecated)]
            let swapped = [x.compare_and_swap($a, $b, order), x.compare_and_swap($a, $b, order)];
            tell($said, "compare_and_swap", swapped, x.load(SeqCst));
            for failure in [Relaxed, Acquire, SeqCst] {
                tell($said, "compare_exchange", x.compare_exchange($b, $a, order, failure), x.load(SeqCst));
                tell($said, "compare_exchange", x.compare_exchange($b, $a, order, failure), x.load(SeqCst));
                let mut weak = x.compare_exchange_weak($a, $b, order, failure);
                while weak.is_err() {
                    weak = x.compare_exchange_weak($a, $b, order, failure);
                }
                tell($said, "compare_exchange_weak", weak, x.load(SeqCst));
                tell($said, "compare_exchange_weak", x.compare_exchange_weak($a, $b, order, failure), ());
            }
            tell($said, "fetch_update", x.fetch_update(order, Relaxed, |_| Some($a)), x.load(SeqCst));
            tell($said, "fetch_update", x.fetch_update(order, Acquire, |_| None), x.load(SeqCst));
            tell($said, "try_update", x.try_update(order, SeqCst, |_| Some($b)), x.load(SeqCst));
            tell($said, "try_update", x.try_update(order, SeqCst, |_| None), x.load(SeqCst));
            tell($said, "update", x.update(order, Relaxed, |old| if old == $b { $a } else { $b }), x.load(SeqCst));
            x.store($b, SeqCst);
        }
        *x.get_mut() = $a;
        tell($said, "get_mut", (), x.load(SeqCst));
        // SAFETY: no other task uses the atomic.
        unsafe { *x.as_ptr() = $b };
        tell($said, "as_ptr", (), x.load(SeqCst));
        let mut plain = $a;
        // SAFETY: aligned, alive, and only used through the atomic meanwhile.
        let borrowed = unsafe { $atomic $(::<$t>)? ::from_ptr(&raw mut plain) };
        tell($said, "from_ptr", borrowed.swap($b, SeqCst), borrowed.load(SeqCst));
        tell($said, "from_ptr", (), plain);
        tell($said, "Debug", format!("{x:?} {x:#?}"), ());
        tell($said, "Default", $atomic $(::<$t>)? ::default().load(SeqCst), ());
        tell($said, "From", $atomic $(::<$t>)? ::from($b).load(SeqCst), ());
        tell($said, "into_inner", x.into_inner(), ());
        // Constants, all of them.
        const fn made(value: same_for_all!(@value $atomic $(<$t>)?)) -> same_for_all!(@value $atomic $(<$t>)?) {
            let atomic = $atomic::new(value);
            let _ = atomic.as_ptr();
            atomic.into_inner()
        }
        tell($said, "const", made($a), made($b));
    }};
    (@value AtomicBool) => { bool };
    (@value AtomicPtr<$t:ty>) => { *mut $t };
    (@value AtomicU8) => { u8 };
    (@value AtomicU16) => { u16 };
    (@value AtomicU32) => { u32 };
    (@value AtomicU64) => { u64 };
    (@value AtomicUsize) => { usize };
    (@value AtomicI8) => { i8 };
    (@value AtomicI16) => { i16 };
    (@value AtomicI32) => { i32 };
    (@value AtomicI64) => { i64 };
    (@value AtomicIsize) => { isize };
}

macro_rules! integers {
    ($said:ident, $($atomic:ident $int:ty),*) => {$(
        for (a, b) in [(0 as $int, 1), (<$int>::MIN, <$int>::MAX), (!0, 7), (42, !41)] {
            same_for_all!($said, $atomic, a, b);
            let x = $atomic::new(a);
            for order in ALL {
                tell($said, "fetch_add", x.fetch_add(b, order), x.load(SeqCst));
                tell($said, "fetch_sub", x.fetch_sub(a, order), x.load(SeqCst));
                tell($said, "fetch_and", x.fetch_and(b, order), x.load(SeqCst));
                tell($said, "fetch_nand", x.fetch_nand(a, order), x.load(SeqCst));
                tell($said, "fetch_or", x.fetch_or(b, order), x.load(SeqCst));
                tell($said, "fetch_xor", x.fetch_xor(a, order), x.load(SeqCst));
                tell($said, "fetch_max", x.fetch_max(a, order), x.load(SeqCst));
                tell($said, "fetch_min", x.fetch_min(b, order), x.load(SeqCst));
            }
        }
    )*};
}

fn booleans(said: &mut Vec<String>) {
    for (a, b) in [(false, true), (true, false)] {
        same_for_all!(said, AtomicBool, a, b);
        let x = AtomicBool::new(a);
        for order in ALL {
            for value in [a, b] {
                tell(said, "fetch_and", x.fetch_and(value, order), x.load(SeqCst));
                tell(said, "fetch_nand", x.fetch_nand(value, order), x.load(SeqCst));
                tell(said, "fetch_or", x.fetch_or(value, order), x.load(SeqCst));
                tell(said, "fetch_xor", x.fetch_xor(value, order), x.load(SeqCst));
                tell(said, "fetch_not", x.fetch_not(order), x.load(SeqCst));
            }
        }
    }
}

fn pointers(said: &mut Vec<String>) {
    // Never dereferenced.
    let at = |address: usize| std::ptr::without_provenance_mut::<u32>(address);
    for (a, b) in [(at(0), at(0x1000)), (at(usize::MAX), at(8))] {
        same_for_all!(said, AtomicPtr<u32>, a, b);
        let x = AtomicPtr::new(a);
        for order in ALL {
            tell(said, "fetch_ptr_add", x.fetch_ptr_add(3, order), x.load(SeqCst));
            tell(said, "fetch_ptr_sub", x.fetch_ptr_sub(5, order), x.load(SeqCst));
            tell(said, "fetch_byte_add", x.fetch_byte_add(3, order), x.load(SeqCst));
            tell(said, "fetch_byte_sub", x.fetch_byte_sub(5, order), x.load(SeqCst));
            tell(said, "fetch_or", x.fetch_or(0b1100, order), x.load(SeqCst));
            tell(said, "fetch_and", x.fetch_and(!0b1000, order), x.load(SeqCst));
            tell(said, "fetch_xor", x.fetch_xor(0b0110, order), x.load(SeqCst));
        }
        tell(said, "Pointer", format!("{x:p} {x:#p}"), ());
    }
}

/// The transcript of all methods of all atomics.
pub fn transcript() -> Vec<String> {
    let mut list = Vec::new();
    let said = &mut list;
    integers!(said, AtomicU8 u8, AtomicU16 u16, AtomicU32 u32, AtomicU64 u64, AtomicUsize usize);
    integers!(said, AtomicI8 i8, AtomicI16 i16, AtomicI32 i32, AtomicI64 i64, AtomicIsize isize);
    booleans(said);
    pointers(said);
    for order in [Acquire, Release, AcqRel, SeqCst] {
        fence(order);
        compiler_fence(order);
    }
    #[allow(deprecated)]
    {
        spin_loop_hint();
        let inits =
            (ATOMIC_BOOL_INIT.into_inner(), ATOMIC_ISIZE_INIT.into_inner(), ATOMIC_USIZE_INIT.into_inner());
        tell(said, "INIT", inits, ());
    }
    list
}

/// The panic messages of operations with an invalid ordering.
#[allow(invalid_atomic_ordering)]
pub fn complaints() -> Vec<String> {
    let mut list = Vec::new();
    macro_rules! complains {
        ($($e:expr),* $(,)?) => {$(
            let panic = std::panic::catch_unwind(|| _ = $e).expect_err(stringify!($e));
            let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).expect("a text");
            list.push(format!("{}: {text}", stringify!($e)));
        )*};
    }
    let (int, boolean, pointer) =
        (AtomicI16::new(-1), AtomicBool::new(true), AtomicPtr::<u8>::new(std::ptr::null_mut()));
    let null = std::ptr::null_mut();
    complains!(int.load(Release), boolean.load(AcqRel), pointer.load(Release));
    complains!(int.store(1, Acquire), boolean.store(true, AcqRel), pointer.store(null, Acquire));
    complains!(
        int.compare_exchange(-1, 2, SeqCst, Release),
        int.compare_exchange(0, 2, SeqCst, AcqRel),
        int.compare_exchange_weak(-1, 2, SeqCst, Release),
        boolean.compare_exchange(true, false, Relaxed, AcqRel),
        pointer.compare_exchange_weak(null, null, Relaxed, Release),
    );
    complains!(
        int.fetch_update(SeqCst, Release, Some),
        int.try_update(SeqCst, AcqRel, Some),
        boolean.update(SeqCst, Release, |b| b),
    );
    complains!(fence(Relaxed), compiler_fence(Relaxed));
    // Nothing was changed.
    list.push(format!("{int:?} {boolean:?} {pointer:?}"));
    list
}
