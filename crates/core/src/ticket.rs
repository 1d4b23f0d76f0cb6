//! The data to replay one execution: the test, the settings, the picks, and the operation expected at each pick, so
//! that a ticket that does not fit any more reports where it diverges.
//!
//! A ticket is written as a file ([`Ticket::to_json`]) or as one line of text (`text.rs`). Both have a checksum and say how
//! many steps there are: a ticket that was changed or cut is refused, and never replayed in part.

mod text;

use crate::code::Code;
use crate::operation::TaskId;
use crate::record::ExecutionRecord;
use crate::sealed::Head;
use crate::trace::Trace;
use crate::world::Pick;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The version of the ticket format.
pub const VERSION: u32 = 2;

/// One pick and its operation.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct TicketStep {
    /// The task's number in the order of creation.
    pub task: u32,
    /// The option taken.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub option: u32,
    /// The task and the operation that are expected there: "main.1 lock Mutex#1".
    pub expect: String,
}

fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// The data to replay one execution.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Ticket {
    /// [`VERSION`].
    pub version: u32,
    /// The test it belongs to, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
    /// The settings that shape executions ("time" = "any").
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
    /// The code of the program when the ticket was written.
    #[serde(default, skip_serializing_if = "Code::is_unknown")]
    pub program: Code,
    /// The picks.
    pub steps: Vec<TicketStep>,
}

/// Why a text is not a ticket.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TicketError(String);

impl fmt::Display for TicketError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a usable ticket: {}", self.0)
    }
}

impl std::error::Error for TicketError {}

fn err<T>(why: impl Into<String>) -> Result<T, TicketError> {
    Err(TicketError(why.into()))
}

impl Ticket {
    /// The ticket of an execution.
    pub fn new(
        test: Option<String>,
        settings: BTreeMap<String, String>,
        program: Code,
        trace: &Trace,
        record: &ExecutionRecord,
    ) -> Ticket {
        let steps = trace
            .steps()
            .iter()
            .zip(record.steps())
            .map(|(step, line)| TicketStep {
                task: step.task.0,
                option: step.option,
                expect: format!("{} {}", record.tasks[line.task].name, line.expected_operation()),
            })
            .collect();
        Ticket { version: VERSION, test, settings, program, steps }
    }

    /// A ticket without steps, for failures that cannot be replayed.
    pub fn empty() -> Ticket {
        let (settings, program) = (BTreeMap::new(), Code::default());
        Ticket { version: VERSION, test: None, settings, program, steps: Vec::new() }
    }

    /// Whether a text has the form of a ticket line of any version.
    pub fn is_line(text: &str) -> bool {
        let version = text.strip_prefix("raddle").and_then(|rest| rest.split_once(';'));
        version.is_some_and(|(digits, _)| digits.bytes().all(|byte| byte.is_ascii_digit()))
    }

    /// The picks, without the expected operations.
    pub fn picks(&self) -> impl Iterator<Item = Pick> + '_ {
        self.steps.iter().map(|s| Pick { task: TaskId(s.task), option: s.option })
    }

    /// The form for files: a line with version, number of steps and checksum, and after it the ticket.
    pub fn to_json(&self) -> String {
        self.seal(&serde_json::to_string_pretty(self).expect("a ticket is plain data"))
    }

    /// A file with this content: a JSON object with the fields of this ticket, and perhaps others.
    pub fn seal(&self, content: &str) -> String {
        let (ticket, steps) = (Some(VERSION as u64), Some(self.steps.len() as u64));
        Head { ticket, steps, ..Head::default() }.seal(content)
    }

    /// The content of a file that [`Ticket::seal`] made, and how many steps it has.
    ///
    /// # Errors
    /// If it is another file, of another version, or was changed or cut.
    pub fn unseal(file: &str) -> Result<(&str, u64), TicketError> {
        let file = file.trim();
        let head = Head::read(file);
        let (head, content) = match head {
            Ok((head, content)) if head.ticket.is_some() => (head, content),
            Ok((head, _)) if head.search.is_some() => {
                return err("it is a search that was stopped, which can be resumed");
            }
            // The first version had no such line.
            other => return err(old_version(file, other.err())),
        };
        match (head.ticket, head.steps) {
            (Some(version), _) if version != VERSION as u64 => err(unknown_version(&version.to_string())),
            (_, Some(steps)) if head.is_of(content) => Ok((content, steps)),
            _ => err("its checksum is wrong: it was changed or cut off since it was written"),
        }
    }

    /// Reads either form.
    pub fn parse(text: &str) -> Result<Ticket, TicketError> {
        let text = text.trim();
        if text.is_empty() {
            return err("it is empty");
        }
        if text.starts_with('{') { Ticket::from_json(text) } else { text::parse(text) }
    }

    fn from_json(text: &str) -> Result<Ticket, TicketError> {
        let (content, steps) = Ticket::unseal(text)?;
        let ticket: Ticket = serde_json::from_str(content).or_else(|e| err(format!("{e}")))?;
        match ticket.steps.len() as u64 {
            there if there == steps => Ok(ticket),
            there => err(format!("it has {there} of `{steps}` steps")),
        }
    }
}

/// Why a file without a valid head is no ticket.
fn old_version(file: &str, error: Option<String>) -> String {
    #[derive(Deserialize)]
    struct Version {
        version: u32,
    }
    match (serde_json::from_str::<Version>(file), error) {
        (Ok(old), _) if old.version != VERSION => unknown_version(&old.version.to_string()),
        (Ok(_), _) => "its first line is missing, which has the checksum".to_owned(),
        (Err(_), Some(error)) => error,
        (Err(_), None) => "its first line has no version".to_owned(),
    }
}

fn unknown_version(version: &str) -> String {
    format!(
        "it has version {version}, this raddle reads version {VERSION}; replay it with the raddle that wrote it"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn step() -> impl Strategy<Value = TicketStep> {
        (0..4u32, 0..3u32, "[ -~é]{0,12}").prop_map(|(task, option, expect)| TicketStep {
            task,
            option,
            expect,
        })
    }

    proptest! {
        #[test]
        fn both_forms_are_read_back(
            test in proptest::option::of("[a-z:]{1,8}"),
            settings in proptest::collection::btree_map("[a-su-z]{1,5}", "[ -~]{0,5}", 0..3),
            fingerprint in "([0-9a-f]{8})?",
            steps in proptest::collection::vec(step(), 0..60),
        ) {
            let program = Code::with_fingerprint(&fingerprint);
            let ticket = Ticket { version: VERSION, test, settings, program, steps };
            prop_assert_eq!(&Ticket::parse(&ticket.to_string()).unwrap(), &ticket);
            prop_assert_eq!(&Ticket::parse(&ticket.to_json()).unwrap(), &ticket);
            let with_other_ends = ticket.to_json().replace('\n', "\r\n");
            prop_assert_eq!(&Ticket::parse(&with_other_ends).unwrap(), &ticket);
        }

        #[test]
        fn garbage_is_refused_and_never_panics(text in "(raddle2;)?[ -~]{0,80}") {
            let _ = Ticket::parse(&text);
        }
    }

    #[test]
    fn another_version_says_so() {
        let error = |text: &str| Ticket::parse(text).unwrap_err().to_string();
        for text in
            ["raddle9;;;", "{\"version\": 9}", "{\n  \"version\": 9,\n  \"steps\": []\n}", "{\"ticket\": 9}"]
        {
            let e = error(text);
            assert!(e.contains("it has version 9, this raddle reads version 2"), "{e}");
        }
        let old = error("raddle1;;0:main+end;0");
        assert!(old.contains("it has version 1"), "{old}");
        let headless = error(Ticket::empty().to_json().split_once('\n').unwrap().1);
        assert_eq!(headless, "not a usable ticket: its first line is missing, which has the checksum");
        let search = error("{\"search\":6,\"checksum\":\"00\"}\n{}");
        assert!(search.contains("it is a search that was stopped"), "{search}");
    }
}
