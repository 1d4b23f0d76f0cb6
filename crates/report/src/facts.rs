//! Facts about a failure as sentences: which task waits for what, where the other access was.

use crate::coverage::count;
use crate::escape;
use crate::place;
use raddle_core::fact::{Fact, Other, Relation, Waiting};

/// What to look for where the same picks led to different steps.
const WHAT_TO_LOOK_FOR: &str = "the same picks must lead to the same steps: look for hash maps with random seeds, real \
                                time, addresses, random numbers, or state that outlives an execution";

/// What to do where new atomics may be taken for old ones.
const HOW_TO_HEAR: &str = "without raddle::alloc::Allocator an atomic that was moved may be taken for another one that \
                           lived at its address: install it";

/// The whole fact: `main.1 waits to lock Mutex#2, held by main.2 since src/bank.rs:7`.
pub fn fact(fact: &Fact) -> String {
    escape::line(&whole(fact))
}

fn whole(fact: &Fact) -> String {
    let task = match (&fact.task, &fact.label) {
        (Some(task), Some(label)) => format!("{task} ({label})"),
        (Some(task), None) => task.clone(),
        (None, _) => "a task".to_owned(),
    };
    let object = fact.object.as_deref().unwrap_or("it");
    match &fact.relation {
        Relation::Waits { needs, .. } => {
            let needs = needs.as_ref().map(|needs| format!(" and needs {needs}")).unwrap_or_default();
            format!("{task} {}{needs}{}", predicate(fact), holders(fact))
        }
        Relation::Spins { .. } | Relation::WaitsForMessage { .. } | Relation::WaitsForSignal => {
            format!("{task} {}", predicate(fact))
        }
        Relation::Circle { tasks } => {
            format!("a circle: {} → {}, each waits for the next one", tasks.join(" → "), tasks[0])
        }
        Relation::NotifiedTooEarly => {
            format!(
                "{task} notified {object} too early, here: no task waited yet, and a notification is not kept"
            )
        }
        Relation::Reads => format!("{task} reads {object} here"),
        Relation::Writes => format!("{task} writes {object} here"),
        Relation::Accesses { access, atomically, bytes } => {
            let how = if *atomically { " atomically" } else { "" };
            format!("{task} {access} {}{how}{}", count(*bytes as u64, "byte"), here(fact))
        }
        Relation::ReadsSince => format!("{task} reads it since here"),
        Relation::ReadsAgain => format!("{task} reads it again here"),
        Relation::WantsToWrite => format!("{task} wants to write it here"),
        Relation::Allocated => format!("{task} allocated it{}", here(fact)),
        Relation::Freed => format!("{task} freed it{}", here(fact)),
        Relation::FreesAgain => format!("{task} frees it again{}", here(fact)),
        Relation::FreesHere => format!("{task} frees it{}", here(fact)),
        Relation::UsesFreed { operation } => {
            format!("{task} uses it{}: {}", here(fact), done_to(operation, fact))
        }
        Relation::DidLast { operation } => {
            format!("{task} did this last: {}", done_to(operation, fact))
        }
        Relation::Panicked => format!("{task} panicked here"),
        Relation::PanickedBecause => format!("{task} panicked because of it"),
        Relation::Exited => format!("{task} called exit here"),
        Relation::Made => format!("this {object} was made here"),
        Relation::ChannelMade => "the channel was made here".to_owned(),
        Relation::Used => "it is used here".to_owned(),
        Relation::AtomicStepBegan => format!("atomic_step {object} began here"),
        Relation::WantsTo { operation } => format!("{task} wants to {} here", done_to(operation, fact)),
        Relation::Next { operation } => format!("next: {task} {}", done_to(operation, fact)),
        Relation::In { function } | Relation::Undefined { function, .. } => format!("in {function}"),
        Relation::Differs { .. } => WHAT_TO_LOOK_FOR.to_owned(),
        Relation::FreedMemoryUnknown => HOW_TO_HEAR.to_owned(),
        Relation::EndedIn { kind, message } => format!("it ended in a {kind}: {message}"),
    }
}

/// What the fact says of its task, without the task and without others: `waits to lock Mutex#2`. For tasks that wait.
pub(crate) fn predicate(fact: &Fact) -> String {
    if let (Relation::Waits { .. }, Some(caller)) = (&fact.relation, &fact.caller) {
        // What lies beneath is the dependency's own, unless another task holds it.
        let object = fact.object.as_ref().filter(|_| !fact.others.is_empty());
        let held = object.map(|object| format!(" for {object}")).unwrap_or_default();
        return format!("waits in {}{held}", caller.function);
    }
    let done = match &fact.relation {
        Relation::Waits { waiting, operation, .. } => match waiting {
            Waiting::ToDo => format!("waits to {operation}"),
            Waiting::For => "waits for".to_owned(),
            Waiting::ToBeUnparked => "waits to be unparked".to_owned(),
            Waiting::ToBeNotified => "waits to be notified by".to_owned(),
            Waiting::Woken => "was woken by".to_owned(),
            Waiting::ToBeWoken => "waits to be woken by".to_owned(),
        },
        Relation::Spins { objects } if objects.is_empty() => {
            "goes round and round here, waiting for nothing that raddle sees".to_owned()
        }
        Relation::Spins { objects } => {
            format!("goes round and round here, waiting for {}", objects.join(", "))
        }
        Relation::WaitsForMessage { mailbox } if mailbox.is_empty() => "waits for a message".to_owned(),
        Relation::WaitsForMessage { mailbox } => {
            format!("waits for another message than {}", mailbox.join(", "))
        }
        _ => "waits".to_owned(),
    };
    done_to(&done, fact)
}

/// The same as a short text, for the column of the task.
pub(crate) fn short(fact: &Fact) -> String {
    match &fact.relation {
        Relation::Spins { .. } => "goes round and round here".to_owned(),
        Relation::WaitsForMessage { mailbox } if !mailbox.is_empty() => {
            format!("waits for another message than {}", mailbox[0])
        }
        Relation::Waits { needs: Some(needs), .. } => format!("{} and needs {needs}", predicate(fact)),
        _ => predicate(fact),
    }
}

/// The place follows, where stacks were gathered.
fn here(fact: &Fact) -> &'static str {
    if fact.place.is_some() { " here" } else { "" }
}

fn done_to(operation: &str, fact: &Fact) -> String {
    match &fact.object {
        Some(object) => format!("{operation} {object}"),
        None => operation.to_owned(),
    }
}

fn holders(fact: &Fact) -> String {
    let one = |other: &Other| {
        let who = match fact.task.as_ref() == Some(&other.task) {
            true => "which it holds itself".to_owned(),
            false => format!("held by {}", other.task),
        };
        match &other.place {
            Some(place) => format!("{who} since {}", place::full(place)),
            None => who,
        }
    };
    let all: Vec<String> = fact.others.iter().map(one).collect();
    if all.is_empty() { String::new() } else { format!(", {}", all.join(" and ")) }
}
