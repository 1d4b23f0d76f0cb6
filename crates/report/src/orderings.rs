//! What the orderings of the program have to do with a failure: which stores loads did not see and why, and the weakest
//! stronger orderings without which it happens. It claims no more than was explored.

use crate::coverage::count;
use crate::escape;
use crate::paint::{Row, Style};
use crate::place::Places;
use crate::text;
use raddle_core::memory::{
    AtomicAccess, Explored, MemoryExplanation, MissingEdge, OnlyWeak, Order, StaleLoad, Strengthening,
    StrongerOrdering,
};
use raddle_core::record::Place;
use raddle_core::verdict::{Failure, thousands};

/// Where the text begins.
const START: usize = 11;
/// So many loads are told.
const SHOWN: usize = 3;

/// Draws what is known of the orderings; empty if nothing is.
pub fn rows(failure: &Failure, width: Option<usize>) -> Vec<Row> {
    let Some(memory) = &failure.memory else { return Vec::new() };
    let room = width.map_or(usize::MAX, |width| width.saturating_sub(START).max(24));
    let mut rows = Vec::new();
    for sentence in sentences(memory) {
        for part in text::wrap(&escape::line(&sentence), room) {
            let label = if rows.is_empty() { "memory" } else { "" };
            rows.push(Row::new().with(2, label, Style::Strong).with(START, &part, Style::Plain));
        }
    }
    rows
}

/// The sentences, each a paragraph.
pub fn sentences(memory: &MemoryExplanation) -> Vec<String> {
    match memory {
        MemoryExplanation::AlsoSequential => {
            vec!["not an ordering bug: it happens under sequential consistency, too".to_owned()]
        }
        MemoryExplanation::OnlyWeak(weak) => only_weak(weak),
    }
}

/// Short names for all places that are told.
fn places(weak: &OnlyWeak) -> Places {
    let accesses = weak.missed.iter().flat_map(|load| {
        let missing = load.missing.iter().flat_map(|edge| [&edge.store, &edge.load]);
        [&load.load, &load.newer].into_iter().chain(&load.read).chain(missing)
    });
    let orderings = weak.strengthenings.iter().flat_map(|one| &one.orderings);
    let files = accesses.map(|access| &access.place).chain(orderings.map(|one| &one.place));
    Places::new(files.map(|place| place.file.as_str()))
}

fn only_weak(weak: &OnlyWeak) -> Vec<String> {
    let places = places(weak);
    let mut told = vec![match weak.sequential {
        Explored { executions, exhaustive: true } => {
            format!("it needs weak memory: under sequential consistency {}", all(executions, "pass"))
        }
        Explored { executions, .. } => {
            format!("it was not found under sequential consistency, in {}", count(executions, "execution"))
        }
    }];
    for load in weak.missed.iter().take(SHOWN) {
        told.push(missed(load, &places));
        if let Some(edge) = &load.missing {
            told.push(missing(edge, &load.newer.place, &places));
        }
    }
    if let Some(more) = weak.missed.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        told.push(format!("so do {}", count(more as u64, "further load")));
    }
    for (n, strengthening) in weak.strengthenings.iter().enumerate() {
        let or = if n == 0 { "" } else { "or: " };
        told.push(format!("{or}{}", strengthened(strengthening, &places)));
    }
    told
}

fn all(executions: u64, verb: &str) -> String {
    match executions {
        1 => format!("the only execution {verb}es"),
        n => format!("all {} executions {verb}", thousands(n)),
    }
}

/// "step 4 of main (queue.rs:31) reads the initial value, and not what step 3 of main.1 stored before (queue.rs:19)".
fn missed(load: &StaleLoad, places: &Places) -> String {
    let step = |access: &AtomicAccess| {
        format!("step {} of {} ({})", access.step + 1, access.task, places.short(&access.place))
    };
    let read = match &load.read {
        Some(store) => format!("what {} stored", step(store)),
        None => "the initial value".to_owned(),
    };
    let others = match load.others {
        0 => String::new(),
        n => format!(", nor {}", count(n as u64, "newer store")),
    };
    format!("{} reads {read}, and not the newer store of {}{others}", step(&load.load), step(&load.newer))
}

/// "queue.rs:20 is `Relaxed`, so reading it at :31 tells nothing of :19".
fn missing(edge: &MissingEdge, newer: &Place, places: &Places) -> String {
    let MissingEdge { store, load } = edge;
    let place = |place: &Place| match place.file == store.place.file {
        true => format!(":{}", place.line),
        false => places.short(place),
    };
    let is_release = matches!(store.order, Order::Release | Order::AcqRel | Order::SeqCst);
    match is_release {
        false => format!(
            "{} is `{}`, so reading it at {} tells nothing of {}",
            places.short(&store.place),
            store.order,
            place(&load.place),
            place(newer)
        ),
        true => format!(
            "the load at {} is `{}`, so reading {} there tells nothing of {}",
            places.short(&load.place),
            load.order,
            place(&store.place),
            place(newer)
        ),
    }
}

/// "with `Release` at queue.rs:20 and `Acquire` at :31 this cannot happen: all 212 executions explored".
fn strengthened(strengthening: &Strengthening, places: &Places) -> String {
    let mut by_order: Vec<(Order, Vec<&Place>)> = Vec::new();
    for StrongerOrdering { place, order } in &strengthening.orderings {
        match by_order.iter_mut().find(|(known, _)| known == order) {
            Some((_, places)) => places.push(place),
            None => by_order.push((*order, vec![place])),
        }
    }
    let mut file = None;
    let mut place = |place: &Place| match file.replace(place.file.clone()) {
        Some(before) if before == place.file => format!(":{}", place.line),
        _ => places.short(place),
    };
    let mut group = |(order, places): (Order, Vec<&Place>)| {
        format!("`{order}` at {}", listed(places.into_iter().map(&mut place).collect()))
    };
    let told = listed(by_order.into_iter().map(&mut group).collect());
    match strengthening.explored {
        Explored { executions, exhaustive: true } => {
            format!("with {told} this cannot happen: {} explored", all_of(executions))
        }
        Explored { executions, .. } => {
            format!("with {told} this was not found in {}", count(executions, "execution"))
        }
    }
}

/// "a, b and c".
fn listed(words: Vec<String>) -> String {
    match words.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => words.concat(),
    }
}

fn all_of(executions: u64) -> String {
    match executions {
        1 => "the only execution".to_owned(),
        n => format!("all {} executions", thousands(n)),
    }
}
