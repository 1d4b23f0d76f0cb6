//! Panics inside of executions: recorded quietly instead of printed, told apart by task, and never an abort.
//!
//! A panic in a destructor during unwinding makes std abort, which ends the execution and not the process: see
//! [`crate::runtime::abort`].

use crate::runtime::abort_message;
use crate::runtime::context::{self, Current};
use crate::runtime::execution::Execution;
use crate::runtime::judge::evidence::Evidence;
use crate::runtime::operation::OperationKind;
use crate::runtime::tasks::task::Phase;
use raddle_core::fact::{Fact, Relation, TeardownError};
use raddle_core::operation::TaskId;
use raddle_core::record::Place;
use raddle_core::verdict::{Cause, Defect, PanicDuring};
use std::any::Any;
use std::panic::{Location, PanicHookInfo};
use std::sync::{Mutex, PoisonError};

/// The hook that makes panics inside of executions quiet. Others go to the hook that was there before.
struct Hook {
    /// Where it lives, to know it again.
    address: usize,
    /// How many worlds count on it.
    worlds: usize,
}

static HOOK: Mutex<Hook> = Mutex::new(Hook { address: 0, worlds: 0 });

/// As long as this lives, panics inside of executions are quiet.
pub(crate) struct SilencedPanics(());

impl SilencedPanics {
    pub fn new() -> SilencedPanics {
        let mut hook = HOOK.lock().unwrap_or_else(PoisonError::into_inner);
        // The hook can only be looked at by taking it for a moment, in which panics of other threads would be printed.
        if hook.worlds == 0 {
            hook.ensure();
        }
        hook.worlds += 1;
        SilencedPanics(())
    }
}

impl Drop for SilencedPanics {
    fn drop(&mut self) {
        HOOK.lock().unwrap_or_else(PoisonError::into_inner).worlds -= 1;
        abort_message::pass_on_late();
    }
}

impl Hook {
    /// The program may have set a hook of its own since the last time.
    fn ensure(&mut self) {
        if std::thread::panicking() {
            return;
        }
        let present = std::panic::take_hook();
        if address_of(&*present) == self.address {
            return std::panic::set_hook(present);
        }
        let ours = Box::new(move |info: &PanicHookInfo<'_>| match context::current() {
            Some(current) => on_panic(current, info),
            None => present(info),
        });
        self.address = address_of(&*ours);
        std::panic::set_hook(ours);
    }
}

fn address_of<T: ?Sized>(hook: &T) -> usize {
    (&raw const *hook).cast::<()>() as usize
}

/// The messages with which `core` aborts: there is no other way to learn that it is about to.
const WOULD_ABORT: [&str; 2] =
    ["panic in a destructor during cleanup", "panic in a function that cannot unwind"];
/// Where it does.
const ABORTS_HERE: &str = "core/src/panicking.rs";

static PANIC: OperationKind = OperationKind::local("panic");

fn on_panic(current: Current, info: &PanicHookInfo<'_>) {
    // What was said is kept for longer than the program's memory is there.
    let _own = crate::arena::own();
    let message = message_of(info.payload());
    let place = info.location().map(Place::from);
    let would = info.location().is_some_and(|place| place.file().ends_with(ABORTS_HERE));
    if would && WOULD_ABORT.contains(&message.as_str()) {
        // What comes next is the abort itself: see `abort`.
        abort_message::hold_back();
        return current.with(|e| would_abort(e, &message, place));
    }
    current.with(|e| {
        let me = e.tasks.current();
        if e.is_teardown() {
            let task = e.tasks.name(me);
            e.judge.note_afterwards(TeardownError::Panicked { task, message, place });
            return;
        }
        // SAFETY: locations of panics are made by the compiler and live as long as the program.
        let static_place: Option<&'static Location<'static>> = info
            .location()
            .map(|l| unsafe { std::mem::transmute::<&Location<'_>, &'static Location<'static>>(l) });
        if let Some(place) = static_place {
            let text = e.log.add_text(message.clone());
            e.note(&PANIC, place, text);
        }
        e.tasks[me].fate.panic = Some(Panic { message, place });
    });
}

fn would_abort(e: &mut Execution, message: &str, place: Option<Place>) {
    let me = e.tasks.current();
    let name = e.tasks.name(me);
    let last = e.tasks[me].fate.panic.clone();
    let defect = Defect::of(Cause::PanicAborts {
        task: name.clone(),
        during: PanicDuring::Unwinding(message.to_owned()),
        message: last.as_ref().map(|p| p.message.clone()),
    });
    e.fail(defect.with(Fact::of(name, Relation::Panicked).at(last.and_then(|p| p.place).or(place))));
}

/// Whether another task could still learn of a task's panic.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Handle {
    /// A handle exists, or the scope waits.
    #[default]
    Held,
    /// The handle was dropped: it will not be joined.
    Dropped,
    /// Joined.
    Joined,
}

/// A panic of a task.
#[derive(Clone, Debug)]
pub(crate) struct Panic {
    pub message: String,
    pub place: Option<Place>,
}

/// What has become of a task's panics.
#[derive(Default)]
pub(crate) struct Fate {
    /// Its panics under way, while it is suspended.
    under_way: usize,
    handle: Handle,
    panic: Option<Panic>,
}

impl Fate {
    pub fn reset(&mut self) {
        self.under_way = 0;
        self.handle = Handle::Held;
        self.panic = None;
    }
    /// Whether it was suspended while it panics.
    pub fn is_panicking(&self) -> bool {
        self.under_way > 0
    }
    /// The task goes on with so many panics.
    pub fn take_under_way(&mut self) -> usize {
        std::mem::take(&mut self.under_way)
    }
    pub fn handle(&self) -> Handle {
        self.handle
    }
    pub fn set_handle(&mut self, handle: Handle) {
        self.handle = handle;
    }
    /// The last panic of the task, unless the program has handled it.
    pub fn panic(&self) -> Option<&Panic> {
        self.panic.as_ref()
    }
    /// The task ends with a panic that said this. If the hook did not see it last, then it was `resume_unwind`, which
    /// does not say where.
    pub fn end_with(&mut self, message: String) {
        if self.panic.as_ref().is_none_or(|seen| seen.message != message) {
            self.panic = Some(Panic { message, place: None });
        }
    }
}

/// What a panic said.
pub(crate) fn message_of(payload: &dyn Any) -> String {
    if let Some(s) = payload.downcast_ref::<&str>() {
        (*s).to_owned()
    } else if let Some(s) = payload.downcast_ref::<String>() {
        s.clone()
    } else {
        "Box<dyn Any>".to_owned()
    }
}

/// The running task is about to be suspended: its panics under way go with it.
#[cold]
pub(in crate::runtime) fn set_aside(e: &mut Execution) {
    let me = e.tasks.current();
    let panics = e.host.set_panics_aside();
    let task = &mut e.tasks[me];
    task.fate.under_way = panics;
    task.progress.look_closely();
}

/// The body of the running task has returned: if there was a panic, the program has handled it.
#[inline]
pub(crate) fn handled(e: &mut Execution) {
    e.tasks.running_mut().fate.panic = None;
}

impl Evidence<'_> {
    /// A panic of a task that the program never learned of.
    pub fn unnoticed_panic(&self) -> Option<TaskId> {
        let expected = crate::expected::are_panics_of_threads();
        self.tasks.ids().filter(|t| !expected || *t == TaskId::MAIN).find(|t| {
            let task = &self.tasks[*t];
            task.fate.panic.is_some() && task.fate.handle != Handle::Joined && task.phase() == Phase::Ended
        })
    }

    /// A panic ended a task, and it was not handled. If all that the task did was to pass on the panic of
    /// another one that it had joined, that one is the reason.
    pub fn panicked(&self, id: TaskId, panic: &Panic) -> Defect {
        let own = |t: &TaskId| {
            let task = &self.tasks[*t];
            task.returned() && task.fate.panic.as_ref().is_some_and(|p| !passes_on(p))
        };
        let reason = Some(panic).filter(|p| passes_on(p)).and_then(|_| self.tasks.ids().find(own));
        let (first, message, place) = match reason {
            Some(first) => {
                let panic = self.tasks[first].fate.panic.as_ref().expect("just seen");
                (first, &panic.message, &panic.place)
            }
            None => (id, &panic.message, &panic.place),
        };
        let name = self.task_name(first);
        let defect = Defect::of(Cause::Panicked { task: name.clone(), message: message.clone() })
            .with(Fact::of(name, Relation::Panicked).at(place.clone()));
        match first == id {
            true => defect,
            false => {
                let because = Fact::of(self.task_name(id), Relation::PanickedBecause);
                defect.with(because.at(panic.place.clone()))
            }
        }
    }
}

/// Whether a panic looks like that of a `join().unwrap()`, of a scope, or of a `resume_unwind`, which alone
/// has no place.
fn passes_on(panic: &Panic) -> bool {
    panic.place.is_none()
        || panic.message.contains("value: Any {")
        || panic.message.contains("JoinError::Panic(")
        || panic.message == "a scoped thread panicked"
}
