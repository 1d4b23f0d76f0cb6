//! A ticket as one line of text, for terminals and bug reports:
//! `raddle2;SETTINGS;DICTIONARY;STEPS;LENGTH.PROGRAM.CHECKSUM`.
//!
//! The dictionary lists each distinct task and operation once, and the steps are indices into it, in base 36, with `*n` for
//! repetitions. The last part says how many steps there are, which program they are of (left out if that is not known), and
//! has the checksum of all before it.

use super::{Ticket, TicketError, TicketStep, VERSION, err, unknown_version};
use crate::checksum::Checksum;
use crate::code::Code;
use crate::limits::MOST_STEPS_OF_A_LINE;
use crate::verdict::thousands;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt::{self, Write};

/// How a line begins.
const BEGIN: &str = "raddle2";

/// What a line that is too short was probably.
const CUT: &str = "a part is missing; was it cut off when it was copied?";

pub(super) fn parse(text: &str) -> Result<Ticket, TicketError> {
    let mut parts = text.split(';');
    match parts.next() {
        Some(BEGIN) => {}
        Some(other) if Ticket::is_line(text) => return err(unknown_version(&other["raddle".len()..])),
        _ => return err(format!("a ticket starts with `{BEGIN};` or is a file that raddle wrote")),
    }
    let (Some(settings), Some(dictionary), Some(steps), Some(end), None) =
        (parts.next(), parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return err(CUT);
    };
    let mut ends = end.split('.');
    let (length, program) = match (ends.next(), ends.next(), ends.next(), ends.next()) {
        (Some(length), Some(program), Some(_), None) => (length, Code::with_fingerprint(program)),
        (Some(length), Some(_), None, None) => (length, Code::default()),
        _ => return err(CUT),
    };
    let is_of = |(before, sum): (&str, &str)| Checksum::of(before.as_bytes()).short() == sum;
    if !text.rsplit_once('.').is_some_and(is_of) {
        return err("its checksum is wrong: it was changed or cut off since it was written");
    }
    let (test, settings) = read_settings(settings)?;
    let steps = read_steps(steps, &read_dictionary(dictionary)?)?;
    match length.parse::<usize>() {
        Ok(length) if steps.len() == length => {
            Ok(Ticket { version: VERSION, test, settings, program, steps })
        }
        _ => err(format!("it has {} of `{length}` steps", steps.len())),
    }
}

type Settings = (Option<String>, BTreeMap<String, String>);

fn read_settings(text: &str) -> Result<Settings, TicketError> {
    let (mut test, mut settings) = (None, BTreeMap::new());
    for setting in text.split(',').filter(|s| !s.is_empty()) {
        let Some((key, value)) = setting.split_once('=') else {
            return err(format!("the setting `{setting}` has no value"));
        };
        let value = unescape(value)?;
        if key == "test" {
            test = Some(value);
        } else {
            settings.insert(unescape(key)?, value);
        }
    }
    Ok((test, settings))
}

fn read_dictionary(text: &str) -> Result<Vec<TicketStep>, TicketError> {
    let entry = |entry: &str| {
        let Some((who, what)) = entry.split_once(':') else {
            return err(format!("`{entry}` names no operation"));
        };
        let (task, option) = who.split_once('~').unwrap_or((who, "0"));
        let (Ok(task), Ok(option)) = (task.parse(), option.parse()) else {
            return err(format!("`{who}` is not a pick"));
        };
        Ok(TicketStep { task, option, expect: unescape(what)? })
    };
    text.split(',').filter(|s| !s.is_empty()).map(entry).collect()
}

fn read_steps(text: &str, dictionary: &[TicketStep]) -> Result<Vec<TicketStep>, TicketError> {
    let mut steps = Vec::new();
    for run in text.split('.').filter(|s| !s.is_empty()) {
        let (index, times) = run.split_once('*').unwrap_or((run, "1"));
        let entry = usize::from_str_radix(index, 36).ok().and_then(|i| dictionary.get(i));
        let (Some(entry), Ok(times)) = (entry, times.parse::<usize>()) else {
            return err(format!("`{run}` is not a step"));
        };
        if times > MOST_STEPS_OF_A_LINE - steps.len() {
            return err(format!("it has more than {} steps", thousands(MOST_STEPS_OF_A_LINE as u64)));
        }
        steps.extend(std::iter::repeat_n(entry.clone(), times));
    }
    Ok(steps)
}

/// The form for terminals: one line.
impl fmt::Display for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = String::new();
        self.write_picks(&mut line)?;
        write!(line, ";{}", self.steps.len())?;
        if !self.program.is_unknown() {
            write!(line, ".{}", self.program.fingerprint)?;
        }
        write!(f, "{line}.{}", Checksum::of(line.as_bytes()).short())
    }
}

impl Ticket {
    /// All but the last part of the line.
    fn write_picks(&self, line: &mut String) -> fmt::Result {
        write!(line, "{BEGIN};")?;
        let test = self.test.iter().map(|t| ("test", t.as_str()));
        let settings = self.settings.iter().map(|(k, v)| (k.as_str(), v.as_str()));
        for (i, (key, value)) in test.chain(settings).enumerate() {
            write!(line, "{}{}={}", if i > 0 { "," } else { "" }, escape(key), escape(value))?;
        }
        line.push(';');
        let mut index = BTreeMap::new();
        for step in &self.steps {
            let next = index.len();
            if let Entry::Vacant(new) = index.entry(step) {
                new.insert(next);
                write!(line, "{}{}", if next > 0 { "," } else { "" }, step.task)?;
                if step.option > 0 {
                    write!(line, "~{}", step.option)?;
                }
                write!(line, ":{}", escape(&step.expect))?;
            }
        }
        line.push(';');
        let mut rest = self.steps.as_slice();
        while let Some(step) = rest.first() {
            let times = rest.iter().take_while(|s| *s == step).count();
            let dot = if rest.len() < self.steps.len() { "." } else { "" };
            write!(line, "{dot}{}", base36(index[step]))?;
            if times > 1 {
                write!(line, "*{times}")?;
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

    /// A line with a valid checksum.
    fn sealed(line: &str) -> String {
        format!("{line}.{}", Checksum::of(line.as_bytes()).short())
    }

    fn error(line: &str) -> String {
        Ticket::parse(line).unwrap_err().to_string()
    }

    #[test]
    fn a_cut_off_ticket_says_so() {
        let cut = "not a usable ticket: a part is missing; was it cut off when it was copied?";
        assert_eq!(error("raddle2;time=idle;0:main+end"), cut);
        assert_eq!(error("raddle2;time=idle;0:main+end;0;1"), cut);
        let changed =
            "not a usable ticket: its checksum is wrong: it was changed or cut off since it was written";
        assert_eq!(error("raddle2;time=idle;0:main+end;0;1.00000000"), changed);
        let short = "not a usable ticket: it has 1 of `2` steps";
        assert_eq!(error(&sealed("raddle2;time=idle;0:main+end;0;2")), short);
    }

    #[test]
    fn what_is_no_step_says_so() {
        let wrong = |line: &str, why: &str| {
            assert_eq!(error(&sealed(line)), format!("not a usable ticket: {why}"));
        };
        wrong("raddle2;;0:main+end;zz;1", "`zz` is not a step");
        wrong("raddle2;;0:main+end;0*x;1", "`0*x` is not a step");
        wrong("raddle2;;x:main+end;0;1", "`x` is not a pick");
        wrong("raddle2;time;0:main+end;0;1", "the setting `time` has no value");
        wrong("raddle2;;0;0;1", "`0` names no operation");
    }

    #[test]
    fn a_few_characters_are_not_all_memory_that_there_is() {
        for steps in ["0*2000001", "0*2000000.0", "0.0*18446744073709551615"] {
            let e = error(&sealed(&format!("raddle2;;0:main+end;{steps};1")));
            assert_eq!(e, "not a usable ticket: it has more than 2,000,000 steps");
        }
    }

    #[test]
    fn the_program_is_a_few_characters() {
        let program = Code::of([("module a".to_owned(), "1".to_owned())].into());
        let steps = vec![TicketStep { task: 0, option: 0, expect: "main end".to_owned() }];
        let ticket = Ticket { program: program.clone(), steps, ..Ticket::empty() };
        let line = ticket.to_string();
        assert!(line.contains(&format!(";0;1.{}.", program.fingerprint)), "{line}");
        assert_eq!(Ticket::parse(&line).unwrap().program, Code::with_fingerprint(&program.fingerprint));
        assert_eq!(Ticket::parse(&ticket.to_json()).unwrap(), ticket);
    }
}
