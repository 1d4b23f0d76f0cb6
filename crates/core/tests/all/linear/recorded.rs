//! Recorded histories: written, read and judged; and what is refused.

use super::model::{History, Operation, Verb, judged, on};
use raddle_core::linear::{Criterion, HistoryError, Outcome, Response, Verdict};

const RECORDED: &str = r#"{
  "version": 1,
  "operations": [
    {
      "task": "main.1",
      "command": { "key": 0, "verb": { "Write": 1 } },
      "invoked": 0,
      "outcome": { "responded": { "response": { "returned": null }, "at": 1 } }
    },
    {
      "task": "main.2",
      "command": { "key": 0, "verb": "Read" },
      "invoked": 2,
      "outcome": { "responded": { "response": { "returned": 0 }, "at": 3 } }
    },
    {
      "task": "main.1",
      "command": { "key": 0, "verb": "Front" },
      "invoked": 4,
      "outcome": { "responded": { "response": { "panicked": "it is empty" }, "at": 5 } }
    },
    { "task": "main.1", "command": { "key": 0, "verb": "Take" }, "invoked": 6, "outcome": "blocked" },
    { "task": "main.2", "command": { "key": 0, "verb": "Take" }, "invoked": 7, "outcome": "cut-off" }
  ]
}"#;

#[test]
fn a_recorded_history_is_judged_without_a_search() {
    let history = History::from_json(RECORDED).expect("it is a history");
    let stale = &history.operations()[..2];
    let explained = |criterion| matches!(judged(stale, criterion).verdict, Verdict::Explained { .. });
    assert!(!explained(Criterion::Linearizable) && explained(Criterion::SequentiallyConsistent));
}

#[test]
fn what_is_written_is_read_again_as_the_same() {
    let panicked = Outcome::Responded { response: Response::Panicked("it is empty".to_owned()), at: 5 };
    let history = History::new(vec![
        Operation::returned("main.1", on(Verb::Write(1)), 0, None, 1),
        Operation::returned("main.2", on(Verb::Read), 2, Some(0), 3),
        Operation::pending("main.1", on(Verb::Front), 4, panicked),
        Operation::pending("main.1", on(Verb::Take), 6, Outcome::Blocked),
        Operation::pending("main.2", on(Verb::Take), 7, Outcome::CutOff),
    ])
    .expect("it is well-formed");
    assert_eq!(History::from_json(RECORDED), Ok(history.clone()));
    let written = history.to_json().expect("it is plain data");
    assert_eq!(History::from_json(&written), Ok(history));
    let plain = |text: &str| text.split_whitespace().collect::<String>();
    assert_eq!(plain(&written), plain(RECORDED));
}

#[test]
fn other_files_are_refused() {
    let refused = |text: &str| History::from_json(text).expect_err("it is no history");
    assert_eq!(
        refused(&RECORDED.replace("1,\n  \"operations", "2,\n  \"operations")),
        HistoryError::Version { found: 2 }
    );
    // Whatever else another version has.
    assert_eq!(refused(r#"{"version": 7, "events": []}"#), HistoryError::Version { found: 7 });
    for text in ["", "{}", "[1]", r#"{"version": 1}"#, &RECORDED[..300], &RECORDED.replace("Front", "Pop")] {
        assert!(matches!(refused(text), HistoryError::Format(_)), "{text}");
    }
    let early = RECORDED.replace("\"at\": 3", "\"at\": 1");
    assert_eq!(refused(&early), HistoryError::RespondsBeforeInvocation { operation: 1 });
}

#[test]
fn operations_of_a_task_follow_one_another() {
    let call = |task, from, to| Operation::returned(task, on(Verb::Read), from, Some(0), to);
    let waits = |from| Operation::pending("a", on(Verb::Take), from, Outcome::Blocked);
    let says = |operations| History::new(operations).map(drop);
    assert_eq!(says(vec![call("a", 2, 3), call("a", 0, 1)]), Ok(()), "in any order");
    assert_eq!(says(vec![call("a", 0, 1), call("b", 1, 2)]), Ok(()), "equal positions of two tasks overlap");
    let error = HistoryError::InvokedWhilePending { pending: 0, operation: 1 };
    let sentence = error.to_string();
    let overlap = Err(error);
    assert_eq!(says(vec![call("a", 0, 1), call("a", 1, 2)]), overlap);
    assert_eq!(says(vec![waits(0), call("a", 1, 2)]), overlap);
    assert!(sentence.contains("operation 1") && sentence.contains("operation 0"), "{sentence}");
}
