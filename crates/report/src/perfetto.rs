//! A failing execution as trace events (the JSON of Chrome's tracing, which Perfetto opens): a thread for each task, a slice for
//! each event, and flows for what reads from, starts, or conflicts with what.
//!
//! Time is the number of the event: an event takes a millisecond, and nothing happens at the same time.

use crate::dot::{Edge, edges, label};
use crate::escape;
use raddle_core::verdict::{Coverage, Failure};
use serde_json::{Value, json};

/// How long an event is shown to take, in microseconds.
const LENGTH: usize = 1_000;

/// The execution of a failure as trace events.
pub fn perfetto(failure: &Failure, _coverage: &Coverage) -> String {
    let record = &failure.record;
    let mut events: Vec<Value> = Vec::new();
    let title = failure.ticket.test.as_deref().unwrap_or("execution");
    let meta = |name: &str, thread: usize, value: Value| json!({ "ph": "M", "name": name, "pid": 1, "tid": thread + 1, "args": value });
    events.push(meta("process_name", 0, json!({ "name": escape::line(title) })));
    for (task, info) in record.tasks.iter().enumerate() {
        let name = match &info.label {
            Some(label) if *label != info.name => format!("{} \"{label}\"", info.name),
            _ => info.name.clone(),
        };
        events.push(meta("thread_name", task, json!({ "name": escape::line(&name) })));
        events.push(meta("thread_sort_index", task, json!({ "sort_index": task })));
    }
    for (at, line) in record.lines.iter().enumerate() {
        events.push(json!({
            "ph": "X", "name": label(line), "cat": "step", "pid": 1, "tid": line.task + 1,
            "ts": at * LENGTH, "dur": LENGTH,
            "args": {
                "object": line.object, "result": line.result, "preempts": line.preempts,
                "place": line.place.as_ref().map(ToString::to_string),
            },
        }));
    }
    for (id, ((from, to), edge)) in edges(record).into_iter().enumerate() {
        let (name, id) = (name(edge), id + 1);
        let end = |ph: &str, at: usize| {
            let mut event = json!({ "ph": ph, "id": id, "name": name, "cat": "flow", "pid": 1,
                "tid": record.lines[at].task + 1, "ts": at * LENGTH + LENGTH / 2 });
            if ph == "f" {
                event["bp"] = json!("e");
            }
            event
        };
        events.extend([end("s", from), end("f", to)]);
    }
    format!("{}\n", json!({ "displayTimeUnit": "ms", "traceEvents": events }))
}

fn name(edge: Edge) -> &'static str {
    match edge {
        Edge::ReadsFrom => "reads from",
        Edge::Spawns => "starts",
        Edge::Conflict => "conflict",
    }
}
