//! What a task runs on: a stack of its own, and a place in the program where it goes on.
//!
//! A task that waits goes straight to the one whose turn it is. The way over the driver's stack, which is all that
//! asymmetric coroutines have, costs twice as much, and most of that in returns that no processor can foresee. Sanitizers
//! are told of each switch by those coroutines, and take the longer way.

#[cfg(all(target_arch = "x86_64", not(feature = "sanitizer")))]
mod direct;
#[cfg(any(test, not(target_arch = "x86_64"), feature = "sanitizer"))]
mod over_the_driver;

#[cfg(all(target_arch = "x86_64", not(feature = "sanitizer")))]
pub(crate) use direct::{At, Fiber, IS_DIRECT, leave};
#[cfg(any(not(target_arch = "x86_64"), feature = "sanitizer"))]
pub(crate) use over_the_driver::{At, Fiber, IS_DIRECT, leave};

#[cfg(test)]
mod tests {
    /// The same for both, where both can be had.
    macro_rules! tests_of {
        ($module:ident) => {
            mod $module {
                use super::super::$module::{At, Fiber, leave};
                use crate::runtime::tasks::stack::Stacks;
                use std::cell::{Cell, RefCell};
                use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
                use std::rc::Rc;

                thread_local! {
                    static FIBERS: RefCell<Vec<Box<Fiber>>> = const { RefCell::new(Vec::new()) };
                    static DRIVER: Cell<At> = const { Cell::new(At::NOWHERE) };
                }

                fn add(body: impl FnOnce() + 'static) {
                    let stack = Stacks::new(64 << 10).take(None);
                    // SAFETY: the body borrows nothing.
                    let fiber = unsafe { Fiber::new(stack, body) };
                    FIBERS.with_borrow_mut(|fibers| fibers.push(Box::new(fiber)));
                }

                fn fiber(number: usize) -> *mut Fiber {
                    FIBERS.with_borrow_mut(|fibers| &raw mut *fibers[number])
                }

                fn resume(number: usize) {
                    let driver = DRIVER.with(|driver| driver.as_ptr());
                    // SAFETY: boxed, and not done.
                    unsafe { (*fiber(number)).resume(driver) };
                }

                fn back_to_the_driver(number: usize) {
                    // SAFETY: it is the one that runs.
                    unsafe { leave(fiber(number), DRIVER.get()) };
                }

                #[test]
                fn goes_on_where_it_left_and_unwinds_in_between() {
                    let seen = Rc::new(RefCell::new(Vec::new()));
                    for number in 0..2 {
                        let seen = seen.clone();
                        let aligned = Aligned(number as u64);
                        add(move || {
                            assert_eq!((&raw const aligned).addr() % 64, 0);
                            let caught = catch_unwind(AssertUnwindSafe(|| {
                                for round in 0..3 {
                                    seen.borrow_mut().push((number, round as f64 / 2.0));
                                    back_to_the_driver(number);
                                }
                                resume_unwind(Box::new(aligned.0));
                            }));
                            let payload = caught.unwrap_err();
                            let round = 10.0 + *payload.downcast::<u64>().unwrap() as f64;
                            seen.borrow_mut().push((number, round));
                            drop(seen);
                            back_to_the_driver(number);
                        });
                    }
                    for _ in 0..4 {
                        resume(0);
                        resume(1);
                    }
                    let rounds = |n: usize| [0.0, 0.5, 1.0, 10.0 + n as f64].map(|round| (n, round));
                    let expected = rounds(0).into_iter().zip(rounds(1)).flat_map(|(a, b)| [a, b]);
                    assert_eq!(*seen.borrow(), expected.collect::<Vec<_>>());
                    assert_eq!(Rc::strong_count(&seen), 1);
                    for mut fiber in FIBERS.take() {
                        assert!(fiber.started());
                        // SAFETY: nothing is left on its stack.
                        unsafe { fiber.force_reset() };
                    }
                }

                #[test]
                fn one_that_never_ran_drops_what_it_was_to_do() {
                    let witness = Rc::new(());
                    let mine = witness.clone();
                    add(move || drop(mine));
                    let fibers = FIBERS.take();
                    assert!(!fibers[0].started());
                    drop(fibers);
                    assert_eq!(Rc::strong_count(&witness), 1);
                }

                #[test]
                fn a_backtrace_comes_to_an_end() {
                    let frames = Rc::new(Cell::new(String::new()));
                    let mine = frames.clone();
                    add(move || {
                        mine.set(std::backtrace::Backtrace::force_capture().to_string());
                        drop(mine);
                        back_to_the_driver(0);
                    });
                    resume(0);
                    assert!(frames.take().contains("a_backtrace_comes_to_an_end"));
                    // SAFETY: nothing is left on its stack.
                    FIBERS.take().into_iter().for_each(|mut fiber| unsafe { fiber.force_reset() });
                }

                #[repr(align(64))]
                struct Aligned(u64);
            }
        };
    }

    #[cfg(all(target_arch = "x86_64", not(feature = "sanitizer")))]
    tests_of!(direct);
    tests_of!(over_the_driver);

    #[cfg(all(target_arch = "x86_64", not(feature = "sanitizer")))]
    #[test]
    fn one_goes_straight_to_another() {
        use super::direct::{At, Fiber, leave};
        use crate::runtime::tasks::stack::Stacks;
        use std::cell::Cell;
        use std::rc::Rc;

        type Place = Rc<Cell<*mut Fiber>>;
        fn player(me: Place, other: Place, driver: Rc<Cell<At>>, rounds: Rc<Cell<u32>>) -> Box<Fiber> {
            let stack = Stacks::new(64 << 10).take(None);
            let body = move || {
                while rounds.replace(rounds.get() + 1) < 1_000 {
                    // SAFETY: both live, and this is the one that runs.
                    unsafe { leave(me.get(), (*other.get()).at()) };
                }
                // SAFETY: as above.
                unsafe { leave(me.get(), driver.get()) };
            };
            // SAFETY: the body borrows nothing.
            Box::new(unsafe { Fiber::new(stack, body) })
        }
        let (one, two) = (Place::default(), Place::default());
        let (driver, rounds) = (Rc::new(Cell::new(At::NOWHERE)), Rc::new(Cell::new(0)));
        let mut first = player(one.clone(), two.clone(), driver.clone(), rounds.clone());
        let mut second = player(two.clone(), one.clone(), driver.clone(), rounds.clone());
        one.set(&raw mut *first);
        two.set(&raw mut *second);
        // SAFETY: both are boxed.
        unsafe { first.resume(driver.as_ptr()) };
        assert_eq!(rounds.get(), 1_001);
    }
}
