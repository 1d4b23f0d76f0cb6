//! Panics inside of executions: recorded quietly instead of printed, told apart by task, and never an abort.
//!
//! std counts panics per operating-system thread, but many tasks share one, and a task can be suspended in
//! the middle of unwinding. A panic in a destructor during unwinding would abort the process: the task is
//! abandoned instead, inside of the panic hook, and the worker's thread is not used for further executions.

use super::context::{self, Current};
use super::execution::{Execution, Stage};
use super::log::Effect;
use super::operation::Verb;
use super::task::{Panic, Phase};
use raddle_core::story::Place;
use raddle_core::verdict::{Defect, FailureKind};
use std::any::Any;
use std::panic::{Location, PanicHookInfo};
use std::sync::Once;

/// Makes panics inside of executions quiet. Others go to the hook that was there before.
pub(crate) fn install_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| match context::current() {
            Some(current) => on_panic(current, info),
            None => before(info),
        }));
    });
}

/// The messages with which `core` aborts: there is no other way to learn that it is about to.
const WOULD_ABORT: [&str; 2] =
    ["panic in a destructor during cleanup", "panic in a function that cannot unwind"];

static PANIC: Verb = Verb::local("panic");

fn on_panic(current: Current, info: &PanicHookInfo<'_>) {
    let message = message_of(info.payload());
    let place = info.location().map(Place::from);
    if WOULD_ABORT.contains(&message.as_str()) {
        current.with(|e| would_abort(e, &message, place));
        current.suspend_for_ever();
    }
    current.with(|e| {
        let me = e.current;
        e.task_mut(me).panics = true;
        if e.stage == Stage::Teardown {
            let name = e.task_name(me);
            let at = place.map(|p| format!(" at {p}")).unwrap_or_default();
            e.afterwards.push(format!("{name} panicked while it was put away: {message}{at}"));
            return;
        }
        // SAFETY: locations of panics are made by the compiler and live as long as the program.
        let static_place: Option<&'static Location<'static>> = info
            .location()
            .map(|l| unsafe { std::mem::transmute::<&Location<'_>, &'static Location<'static>>(l) });
        if let Some(place) = static_place {
            e.texts.push(message.clone());
            let text = Effect::Text(e.texts.len() as u32 - 1);
            e.note(&PANIC, place, text);
        }
        e.task_mut(me).panic = Some(Panic { message, place });
    });
}

fn would_abort(e: &mut Execution, message: &str, place: Option<Place>) {
    let me = e.current;
    let name = e.task_name(me);
    let last = e.task(me).panic.clone();
    // std goes on believing that this thread panics.
    e.unwinding += 1;
    e.in_hook = true;
    e.worn = true;
    if e.stage == Stage::Teardown {
        e.afterwards.push(format!("{name}: {message}; it was abandoned"));
        return;
    }
    let said = last.as_ref().map(|p| format!(": {}", p.message)).unwrap_or_default();
    let defect = Defect::new(FailureKind::Panic, format!("{name}: {message}{said}; the process would abort"));
    e.fail(defect.note(format!("{name} panicked here"), last.and_then(|p| p.place).or(place)));
}

/// Tells std that the hook is over in which a task was abandoned.
///
/// std marks the thread as inside of the hook, and would abort at the next panic. The end of any unwinding
/// clears that mark.
pub(super) fn leave_hook(e: &mut Execution) {
    e.in_hook = false;
    let _ = std::panic::catch_unwind(|| std::panic::resume_unwind(Box::new(())));
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

/// Whether the running task unwinds.
pub(crate) fn panicking(current: Current) -> bool {
    if !std::thread::panicking() {
        current.with(|e| {
            let me = e.current;
            e.task_mut(me).panics = false;
        });
        return false;
    }
    current.with(|e| e.unwinding == 0 || e.task(e.current).panics)
}

/// The running task is about to be suspended while std says that this thread panics.
#[cold]
pub(super) fn note_unwinding(e: &mut Execution) {
    let me = e.current;
    if e.unwinding == 0 || e.task(me).panics {
        e.task_mut(me).unwinding = true;
        e.unwinding += 1;
    }
}

/// A task's body is over: its panic was caught.
pub(crate) fn caught(current: Current) {
    current.with(|e| {
        let me = e.current;
        e.task_mut(me).panics = false;
    });
}

/// The running task goes on with a panic that was caught.
pub(crate) fn resume(current: Current, payload: Box<dyn Any + Send>) -> ! {
    current.with(|e| {
        let me = e.current;
        e.task_mut(me).panics = true;
    });
    std::panic::resume_unwind(payload)
}

/// A task's body came to its end without a panic: if it had any, the program has handled them.
pub(crate) fn survived(current: Current) {
    current.with(|e| {
        let me = e.current;
        e.task_mut(me).panic = None;
    });
}

impl Execution {
    /// A panic of a task that the program never learned of.
    pub fn unnoticed_panic(&self) -> Option<raddle_core::operation::TaskId> {
        self.task_ids().find(|t| {
            let task = self.task(*t);
            task.panic.is_some() && task.handle != super::task::Handle::Joined && task.phase == Phase::Ended
        })
    }
}
