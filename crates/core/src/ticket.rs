//! The data to replay one execution: the test, the settings, the picks, and the operation expected at each pick, so
//! that a ticket that does not fit any more reports where it diverges.
//!
//! A ticket is written as JSON (in files) or as one line of text (in terminals):
//! `raddle1;SETTINGS;DICTIONARY;STEPS`, where the dictionary lists each distinct task and operation once and
//! the steps are indices into it, in base 36, with `*n` for repetitions.

use crate::operation::TaskId;
use crate::record::ExecutionRecord;
use crate::trace::Trace;
use crate::verdict::thousands;
use crate::world::Pick;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The version of the ticket format.
pub const VERSION: u32 = 1;

/// A text with more steps is no ticket: a few characters could stand for all memory that there is.
const MOST_STEPS: usize = 2_000_000;

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
        Ticket { version: VERSION, test, settings, steps }
    }

    /// A ticket without steps, for failures that cannot be replayed.
    pub fn empty() -> Ticket {
        Ticket { version: VERSION, test: None, settings: BTreeMap::new(), steps: Vec::new() }
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

    /// The form for files.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a ticket is plain data");
        text.push('\n');
        text
    }

    /// Reads either form.
    pub fn parse(text: &str) -> Result<Ticket, TicketError> {
        let text = text.trim();
        if text.is_empty() {
            return err("it is empty");
        }
        if text.starts_with('{') { Ticket::from_json(text) } else { Ticket::from_line(text) }
    }

    fn from_json(text: &str) -> Result<Ticket, TicketError> {
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        match serde_json::from_str::<Version>(text) {
            Ok(v) if v.version != VERSION => return err(unknown_version(&v.version.to_string())),
            Ok(_) => {}
            Err(e) => return err(format!("{e}")),
        }
        serde_json::from_str(text).or_else(|e| err(format!("{e}")))
    }

    fn from_line(text: &str) -> Result<Ticket, TicketError> {
        let mut parts = text.split(';');
        match parts.next() {
            Some("raddle1") => {}
            Some(other) if other.starts_with("raddle") => return err(unknown_version(&other[6..])),
            _ => return err("a ticket starts with `raddle1;` or is a JSON file"),
        }
        let (Some(settings), Some(dictionary), Some(steps), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return err("a part is missing; was it cut off when it was copied?");
        };
        let mut test = None;
        let mut map = BTreeMap::new();
        for setting in settings.split(',').filter(|s| !s.is_empty()) {
            let Some((key, value)) = setting.split_once('=') else {
                return err(format!("the setting `{setting}` has no value"));
            };
            let value = unescape(value)?;
            if key == "test" {
                test = Some(value);
            } else {
                map.insert(unescape(key)?, value);
            }
        }
        let mut entries = Vec::new();
        for entry in dictionary.split(',').filter(|s| !s.is_empty()) {
            let Some((who, what)) = entry.split_once(':') else {
                return err(format!("`{entry}` names no operation"));
            };
            let (task, option) = who.split_once('~').unwrap_or((who, "0"));
            let (Ok(task), Ok(option)) = (task.parse(), option.parse()) else {
                return err(format!("`{who}` is not a pick"));
            };
            entries.push(TicketStep { task, option, expect: unescape(what)? });
        }
        let mut list = Vec::new();
        for run in steps.split('.').filter(|s| !s.is_empty()) {
            let (index, times) = run.split_once('*').unwrap_or((run, "1"));
            let entry = usize::from_str_radix(index, 36).ok().and_then(|i| entries.get(i));
            let (Some(entry), Ok(times)) = (entry, times.parse::<usize>()) else {
                return err(format!("`{run}` is not a step"));
            };
            if times > MOST_STEPS - list.len() {
                return err(format!("it has more than {} steps", thousands(MOST_STEPS as u64)));
            }
            list.extend(std::iter::repeat_n(entry.clone(), times));
        }
        Ok(Ticket { version: VERSION, test, settings: map, steps: list })
    }
}

fn unknown_version(version: &str) -> String {
    format!(
        "it has version {version}, this raddle reads version {VERSION}; replay it with the raddle that wrote it"
    )
}

/// The form for terminals: one line.
impl fmt::Display for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("raddle1;")?;
        let test = self.test.iter().map(|t| ("test", t.as_str()));
        let settings = self.settings.iter().map(|(k, v)| (k.as_str(), v.as_str()));
        for (i, (key, value)) in test.chain(settings).enumerate() {
            write!(f, "{}{}={}", if i > 0 { "," } else { "" }, escape(key), escape(value))?;
        }
        f.write_str(";")?;
        let mut index = BTreeMap::new();
        for step in &self.steps {
            let next = index.len();
            if let std::collections::btree_map::Entry::Vacant(new) = index.entry(step) {
                new.insert(next);
                write!(f, "{}{}", if next > 0 { "," } else { "" }, step.task)?;
                if step.option > 0 {
                    write!(f, "~{}", step.option)?;
                }
                write!(f, ":{}", escape(&step.expect))?;
            }
        }
        f.write_str(";")?;
        let mut rest = self.steps.as_slice();
        while let Some(step) = rest.first() {
            let times = rest.iter().take_while(|s| *s == step).count();
            let dot = if rest.len() < self.steps.len() { "." } else { "" };
            write!(f, "{dot}{}", base36(index[step]))?;
            if times > 1 {
                write!(f, "*{times}")?;
            }
            rest = &rest[times..];
        }
        Ok(())
    }
}

fn base36(mut n: usize) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit((n % 36) as u32, 36).expect("below 36"));
        n /= 36;
        if n == 0 {
            return digits.into_iter().rev().collect();
        }
    }
}

/// Spaces become `+`; characters with a meaning in the line or in a shell become `%xx`.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b' ' => out.push('+'),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'#' | b':' => {
                out.push(byte as char)
            }
            _ => out.push_str(&format!("%{byte:02x}")),
        }
    }
    out
}

fn unescape(text: &str) -> Result<String, TicketError> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'+' => out.push(b' '),
            b'%' => {
                let digits = [bytes.next(), bytes.next()].map(|b| b.and_then(|b| (b as char).to_digit(16)));
                let [Some(high), Some(low)] = digits else {
                    return err(format!("`{text}` has a broken escape"));
                };
                out.push((high * 16 + low) as u8);
            }
            _ => out.push(byte),
        }
    }
    String::from_utf8(out).or_else(|_| err(format!("`{text}` is not text")))
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
            steps in proptest::collection::vec(step(), 0..60),
        ) {
            let ticket = Ticket { version: VERSION, test, settings, steps };
            prop_assert_eq!(&Ticket::parse(&ticket.to_string()).unwrap(), &ticket);
            prop_assert_eq!(&Ticket::parse(&ticket.to_json()).unwrap(), &ticket);
        }

        #[test]
        fn garbage_is_refused_and_never_panics(text in "(raddle1;)?[ -~]{0,80}") {
            let _ = Ticket::parse(&text);
        }
    }

    #[test]
    fn a_cut_off_ticket_says_so() {
        let e = Ticket::parse("raddle1;time=idle;0:main+end").unwrap_err().to_string();
        assert_eq!(e, "not a usable ticket: a part is missing; was it cut off when it was copied?");
    }

    #[test]
    fn a_few_characters_are_not_all_memory_that_there_is() {
        for steps in ["0*2000001", "0*2000000.0", "0.0*18446744073709551615"] {
            let e = Ticket::parse(&format!("raddle1;;0:main+end;{steps}")).unwrap_err().to_string();
            assert_eq!(e, "not a usable ticket: it has more than 2,000,000 steps");
        }
    }

    #[test]
    fn another_version_says_so() {
        let e = Ticket::parse("raddle9;;;").unwrap_err().to_string();
        assert!(e.contains("it has version 9, this raddle reads version 1"), "{e}");
        let e = Ticket::parse("{\"version\": 2}").unwrap_err().to_string();
        assert!(e.contains("it has version 2, this raddle reads version 1"), "{e}");
    }
}
