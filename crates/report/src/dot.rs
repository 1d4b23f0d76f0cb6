//! A failing execution as a graph for Graphviz, as PULSE draws it (Claessen et al. 2009, figures 1 to 4): a box for each task
//! with its events in order, solid arrows for what flows from task to task, dotted ones for conflicts whose order nothing else
//! implies.
//!
//! Events that no other task takes notice of are left out, but for the last one of each task.

use crate::escape;
use crate::text;
use crate::view_model;
use raddle_core::record::{ExecutionRecord, Line};
use raddle_core::verdict::{Coverage, Failure};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Of a longer label only the beginning.
const LONGEST: usize = 60;

/// The execution of a failure as a graph.
pub fn dot(failure: &Failure, _coverage: &Coverage) -> String {
    let record = &failure.record;
    let guilty = view_model::guilty(failure);
    let edges = edges(record);
    let mut shown: BTreeSet<usize> = edges.keys().flat_map(|(from, to)| [*from, *to]).collect();
    shown.extend(&guilty);
    let mut by_task: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, line) in record.lines.iter().enumerate().rev() {
        if shown.contains(&at) || !by_task.contains_key(&line.task) {
            by_task.entry(line.task).or_default().push(at);
        }
    }
    let mut out = String::from(
        "digraph execution {\n  rankdir=TB;\n  node [shape=box, fontname=monospace, fontsize=10];\n",
    );
    for (task, events) in &by_task {
        let name = record.tasks.get(*task).map_or("?", |task| &task.name);
        let _ = writeln!(out, "  subgraph cluster_{task} {{\n    label={};", quoted(name));
        for at in events.iter().rev() {
            let style = if guilty.contains(at) { ", color=red, penwidth=2" } else { "" };
            let _ = writeln!(out, "    e{at} [label={}{style}];", quoted(&label(&record.lines[*at])));
        }
        for pair in events.windows(2) {
            let _ = writeln!(out, "    e{} -> e{} [color=gray];", pair[1], pair[0]);
        }
        out.push_str("  }\n");
    }
    for ((from, to), edge) in edges {
        let _ = writeln!(out, "  e{from} -> e{to} [{}];", edge.style());
    }
    out.push_str("}\n");
    out
}

/// Why there is an arrow between two tasks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Edge {
    /// The second event reads what the first one wrote, or takes the message that it sent.
    ReadsFrom,
    /// The first event creates the task of the second.
    Spawns,
    /// They conflict, and happened in this order.
    Conflict,
}

impl Edge {
    fn style(self) -> &'static str {
        match self {
            Edge::ReadsFrom => "color=blue, constraint=false",
            Edge::Spawns => "color=gray, style=dashed",
            Edge::Conflict => "color=red, style=dotted, constraint=false",
        }
    }
}

/// The arrows between events of different tasks, one for each pair.
pub(crate) fn edges(record: &ExecutionRecord) -> BTreeMap<(usize, usize), Edge> {
    let mut edges = BTreeMap::new();
    let of = |at: usize| record.lines.get(at).map(|line| line.task);
    let mut add = |from: usize, to: usize, edge| {
        if from < to && of(from).is_some() && of(from) != of(to) {
            edges.entry((from, to)).or_insert(edge);
        }
    };
    for (at, line) in record.lines.iter().enumerate() {
        line.reads_from.into_iter().for_each(|from| add(from, at, Edge::ReadsFrom));
        let first =
            |task: usize| (at + 1..record.lines.len()).find(|later| record.lines[*later].task == task);
        line.spawns.and_then(first).into_iter().for_each(|to| add(at, to, Edge::Spawns));
    }
    for (at, line) in record.lines.iter().enumerate() {
        line.after.iter().for_each(|from| add(*from, at, Edge::Conflict));
    }
    edges
}

/// What an event is, as a label: "3: store AtomicU64#1 50".
pub(crate) fn label(line: &Line) -> String {
    let number = line.step.map(|step| format!("{}: ", step.saturating_add(1))).unwrap_or_default();
    let result = line.result.lines().next().unwrap_or_default();
    let whole = format!("{number}{} {result}", line.expected_operation());
    text::cut(&escape::line(&whole), LONGEST)
}

/// A text as a string of the language.
fn quoted(text: &str) -> String {
    format!("\"{}\"", escape::line(text).replace('\\', "\\\\").replace('"', "\\\""))
}
