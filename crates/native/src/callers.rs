//! The calls of the program that led to its operations: for reports of what happens inside of dependencies.
//!
//! Stacks are gathered only where that is asked for, when one schedule is replayed: a search pays nothing for them. They
//! are taken on the stack of the task that announces an operation, and given names when a record is made.

mod frames;

use crate::runtime::context::Current;
pub(crate) use frames::OURS;
use frames::{Frame, frames};
use raddle_core::fact::{Fact, Relation};
use raddle_core::operation::TaskId;
use raddle_core::record::{Caller, Place};
use raddle_core::verdict::{Cause, Defect};
use std::backtrace::Backtrace;
use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::ffi::{c_int, c_void};
use std::panic::Location;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

static IS_GATHERING: AtomicBool = AtomicBool::new(false);

thread_local! {
    static GATHERED: RefCell<Gathered> = RefCell::default();
}

/// The stacks of the present execution.
#[derive(Default)]
struct Gathered {
    /// Equal stacks are kept, and later named, once.
    known: HashMap<Vec<usize>, Rc<Backtrace>>,
    announced: Vec<(TaskId, &'static Location<'static>, Rc<Backtrace>)>,
    /// The stack of the task that crashed.
    crashed: Option<Rc<Backtrace>>,
    /// The calls on stacks of crashes, which are often the same.
    named: HashMap<*const Backtrace, Vec<Fact>>,
}

/// From now on the stacks of all operations are gathered.
pub fn gather() {
    IS_GATHERING.store(true, Ordering::Relaxed);
}

#[inline]
pub(crate) fn are_gathered() -> bool {
    IS_GATHERING.load(Ordering::Relaxed)
}

/// An execution begins.
pub(crate) fn begin() {
    if are_gathered() {
        GATHERED.with_borrow_mut(|gathered| gathered.announced.clear());
    }
}

/// The calls on the stack of a crash that are told, the innermost ones.
const TOLD: usize = 8;

/// The task that runs crashes here. Its stack is kept where steps are logged: elsewhere the execution is repeated.
#[cold]
pub(crate) fn note_crash(current: Current) {
    let _own = crate::arena::own();
    if current.with(|e| e.is_logged() && !e.is_teardown()) {
        let addresses = addresses();
        GATHERED.with_borrow_mut(|gathered| {
            let stack =
                gathered.known.entry(addresses).or_insert_with(|| Rc::new(Backtrace::force_capture()));
            gathered.crashed = Some(stack.clone());
        });
    }
}

/// The defect with the stack of the crash that it is, if it is one.
pub(crate) fn with_crash(mut defect: Defect) -> Defect {
    let is_crash =
        matches!(*defect.cause, Cause::Aborted { .. } | Cause::Faulted { .. } | Cause::StackOverflow { .. });
    if is_crash {
        GATHERED.with_borrow_mut(|gathered| {
            let Some(stack) = gathered.crashed.take() else { return };
            let calls = gathered.named.entry(Rc::as_ptr(&stack)).or_insert_with(|| calls(&stack));
            defect.facts.extend_from_slice(calls);
        });
    }
    defect
}

/// The calls of the program on a stack. One of a function by itself, as of a closure in it, is not told.
fn calls(stack: &Backtrace) -> Vec<Fact> {
    let mut calls: Vec<Fact> = Vec::new();
    for frame in frames(stack).iter().filter(|frame| frame.is_of_a_program()) {
        let call = Fact::new(Relation::In { function: frame.name() }).at(frame.place.clone());
        let is_known = calls.last().is_some_and(|last: &Fact| last.relation == call.relation);
        if calls.len() < TOLD && !is_known {
            calls.push(call);
        }
    }
    calls
}

/// The task that runs announces an operation.
#[cold]
#[inline(never)]
pub(crate) fn note(task: TaskId, place: &'static Location<'static>) {
    let _own = crate::arena::own();
    let addresses = addresses();
    GATHERED.with_borrow_mut(|gathered| {
        let stack = gathered.known.entry(addresses).or_insert_with(|| Rc::new(Backtrace::force_capture()));
        gathered.announced.push((task, place, stack.clone()));
    });
}

#[cfg(unix)]
unsafe extern "C" {
    fn _Unwind_Backtrace(each: extern "C" fn(*mut c_void, *mut c_void) -> c_int, data: *mut c_void) -> c_int;
    fn _Unwind_GetIP(frame: *mut c_void) -> usize;
}

/// The return addresses on this stack.
#[cfg(unix)]
fn addresses() -> Vec<usize> {
    extern "C" fn each(frame: *mut c_void, all: *mut c_void) -> c_int {
        // SAFETY: the unwinder passes on what it was given, and its own frame.
        unsafe { (*all.cast::<Vec<usize>>()).push(_Unwind_GetIP(frame)) };
        0
    }
    let mut all = Vec::with_capacity(64);
    // SAFETY: the stack is one that panics unwind, too; the list outlives the call.
    unsafe { _Unwind_Backtrace(each, (&raw mut all).cast()) };
    all
}

/// Stacks are gathered by `cargo raddle` only, which other systems do not have: no two are the same.
#[cfg(not(unix))]
fn addresses() -> Vec<usize> {
    static NEXT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    vec![NEXT.fetch_add(1, Ordering::Relaxed)]
}

/// What is known of an operation.
#[derive(Clone, Default)]
pub(crate) struct Called {
    /// The innermost place that is not raddle's own.
    pub inner: Option<Place>,
    /// The call in the code under test that led there, if it is not there itself.
    pub caller: Option<Box<Caller>>,
}

/// The stacks of an execution with their names, each task's in the order of its operations.
pub(crate) struct Callers(HashMap<TaskId, VecDeque<(&'static Location<'static>, Called)>>);

impl Callers {
    /// Those of the present execution; none if they are not gathered.
    pub fn of_this_execution() -> Option<Callers> {
        are_gathered().then(|| {
            let mut named: HashMap<*const Backtrace, Called> = HashMap::new();
            let mut all: HashMap<_, VecDeque<_>> = HashMap::new();
            GATHERED.with_borrow(|gathered| {
                for (task, place, stack) in &gathered.announced {
                    let called = named.entry(Rc::as_ptr(stack)).or_insert_with(|| called(&frames(stack)));
                    all.entry(*task).or_default().push_back((*place, called.clone()));
                }
            });
            Callers(all)
        })
    }

    /// The next operation of a task that happened, at this place.
    pub fn next(&mut self, task: TaskId, place: &'static Location<'static>) -> Called {
        let announced = self.0.entry(task).or_default();
        match announced.front() {
            // A step that was not announced, such as the end of a task, has another place.
            Some((at, _)) if std::ptr::eq(*at, place) || **at == *place => {
                announced.pop_front().map(|(_, called)| called).unwrap_or_default()
            }
            _ => Called::default(),
        }
    }
}

/// The stack of this call.
#[cold]
#[inline(never)]
pub(crate) fn stack() -> Rc<Backtrace> {
    let _own = crate::arena::own();
    let addresses = addresses();
    GATHERED.with_borrow_mut(|gathered| {
        gathered.known.entry(addresses).or_insert_with(|| Rc::new(Backtrace::force_capture())).clone()
    })
}

/// What is known of what was done on this stack.
pub(crate) fn of_stack(stack: &Backtrace) -> Called {
    called(&frames(stack))
}

/// Whether a function or a file on this stack has a name for which `is` holds.
pub(crate) fn has_frame(stack: &Backtrace, is: &dyn Fn(&str) -> bool) -> bool {
    frames(stack).iter().any(|frame| {
        let file = frame.place.as_ref().is_some_and(|place| !place.file.starts_with(OURS) && is(&place.file));
        file || is(&frame.function) || is(&frame.name())
    })
}

/// Whether this is a call of the destructor of what std's `Arc` owned; or may be, where functions have no names.
#[cfg(not(feature = "arena"))]
#[cold]
#[inline(never)]
pub(crate) fn is_in_drop_of_arc() -> bool {
    let _own = crate::arena::own();
    let stack = Backtrace::force_capture();
    let is_of_arc = |name: &str| name.contains("sync::Arc") && name.contains("drop_slow");
    has_frame(&stack, &is_of_arc) || !has_frame(&stack, &|name| name.contains("is_in_drop_of_arc"))
}

/// What is known of the pending operation of a task, the last one that it has announced.
pub(crate) fn of_pending(task: TaskId) -> Called {
    if !are_gathered() {
        return Called::default();
    }
    GATHERED.with_borrow(|gathered| {
        let last = gathered.announced.iter().rev().find(|(of, ..)| *of == task);
        last.map(|(_, _, stack)| called(&frames(stack))).unwrap_or_default()
    })
}

fn called(frames: &[Frame]) -> Called {
    let Some(inner) = frames.iter().find(|frame| frame.is_of_a_program()) else { return Called::default() };
    let caller = frames.iter().position(Frame::is_under_test).and_then(|at| {
        // Between the two is what the standard library does: it calls closures, it polls futures.
        let function = frames[..at].iter().rev().find(|frame| frame.is_of_a_program())?.name();
        Some(Box::new(Caller { place: frames[at].place.clone()?, function }))
    });
    Called { inner: inner.place.clone(), caller }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(function: &str, file: &str) -> Frame {
        let place = (!file.is_empty()).then(|| Place { file: file.to_owned(), line: 7, column: 1 });
        Frame { function: function.to_owned(), place }
    }

    #[test]
    fn the_call_of_the_program_is_found_behind_those_of_dependencies() {
        let lock =
            "/home/me/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/lock_api-0.4.14/src/mutex.rs";
        let raw = "/home/me/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/parking_lot-0.12.5/src/raw_mutex.rs";
        let frames = [
            frame("raddle_native::sync::atomic::AtomicU8::load", ""),
            frame("parking_lot::raw_mutex::RawMutex::lock_slow", raw),
            frame("lock_api::mutex::Mutex<R,T>::lock", lock),
            frame("core::ops::function::FnOnce::call_once", "/rustc/5980/library/core/src/ops/function.rs"),
            frame("a::deadlock", "/home/me/a/tests/a.rs"),
            frame("a::main", "/home/me/a/tests/a.rs"),
        ];
        let found = called(&frames);
        assert_eq!(found.inner.unwrap().file, raw);
        let caller = found.caller.unwrap();
        assert_eq!(
            (caller.place.file.as_str(), caller.function.as_str()),
            ("/home/me/a/tests/a.rs", "lock_api::Mutex::lock")
        );
        // What the program does itself has no caller.
        let found = called(&frames[4..]);
        assert!(found.inner.is_some() && found.caller.is_none());
        // Nor has a thread of a dependency.
        assert!(called(&frames[..4]).caller.is_none());
    }

    #[test]
    fn a_stack_has_frames() {
        let all = frames(&Backtrace::force_capture());
        assert!(
            all.iter().any(|frame| frame.function.contains("a_stack_has_frames") && frame.place.is_some())
        );
        assert!(!addresses().is_empty());
    }
}
