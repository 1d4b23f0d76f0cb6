//! Renders the coverage of the search, the number of the failing execution, and how to replay the failure.

use crate::coverage;
use crate::escape;
use crate::layout::{Run, TicketText};
use crate::paint::{Row, Style};
use crate::text;
use raddle_core::fact::TeardownError;
use raddle_core::ticket::Ticket;
use raddle_core::verdict::{Coverage, Extent, Failure, Replayed, Simplified, thousands};

/// Longer tickets are not printed.
const LONGEST_TICKET: usize = 2_000;
/// Where the second column begins.
const START: usize = 11;

/// Draws the footer.
pub fn rows(failure: &Failure, coverage: &Coverage, run: &Run, width: Option<usize>) -> Vec<Row> {
    let mut footer = Footer { rows: Vec::new(), width };
    footer.afterwards(&failure.afterwards.iter().map(teardown_error).collect::<Vec<_>>());
    if let Some(other) = &failure.replayed {
        footer.prose("also", &escape::line(&text::without_ansi(&replayed(other))));
    }
    if let Some(simplified) = &failure.simplified {
        footer.prose("simpler", &self::simplified(simplified));
    }
    footer.items("search", &coverage::items_of(run.earlier.iter().chain([coverage])));
    if coverage.extent != Extent::Replayed {
        footer.prose("found", &found(failure, coverage, run));
    }
    footer.ticket(&failure.ticket, run);
    footer.rows
}

pub fn replayed(replayed: &Replayed) -> String {
    let other = match replayed {
        Replayed::Passed => "no failure".to_owned(),
        Replayed::Failed { kind, message } => format!("{kind}: {message}"),
        Replayed::NotInTime => {
            return "there was no time left to replay this ticket and to simplify it".to_owned();
        }
        Replayed::ProcessDied => return "the process died before this ticket was replayed".to_owned(),
    };
    format!("replaying this ticket once gave another result ({other})")
}

/// "5 preemptions, now 2; 45 steps, now 19".
pub fn simplified(simplified: &Simplified) -> String {
    let Simplified { preemptions, steps } = simplified;
    let changed = |[before, after]: &[u32; 2], one: &str, many: &str| {
        let what = if *before == 1 { one } else { many };
        (before != after)
            .then(|| format!("{} {what}, now {}", thousands((*before).into()), thousands((*after).into())))
    };
    let parts = [changed(preemptions, "preemption", "preemptions"), changed(steps, "step", "steps")];
    match parts.into_iter().flatten().collect::<Vec<_>>() {
        parts if parts.is_empty() => "as many steps, in a simpler order".to_owned(),
        parts => parts.join("; "),
    }
}

pub fn teardown_error(error: &TeardownError) -> String {
    match error {
        TeardownError::Panicked { task, message, place } => {
            let at = place.as_ref().map(|place| format!(" at {place}")).unwrap_or_default();
            format!("{task} panicked: {message}{at}")
        }
        TeardownError::Aborted { task } => format!("{task} aborted"),
        TeardownError::Failed { message } => message.clone(),
    }
}

/// "in execution 3 of 10,000, seed 7".
pub fn found(failure: &Failure, coverage: &Coverage, run: &Run) -> String {
    let mut text = format!("in execution {}", thousands(failure.execution));
    if coverage.executions > failure.execution {
        text.push_str(&format!(" of {}", thousands(coverage.executions)));
    }
    if let Extent::Sampled { seed, .. } = coverage.extent {
        text.push_str(&format!(", seed {seed}"));
    }
    if let Some(elapsed) = run.elapsed {
        text.push_str(&format!(", after {:.1} s", elapsed.as_secs_f64()));
    }
    text
}

struct Footer {
    rows: Vec<Row>,
    width: Option<usize>,
}

impl Footer {
    fn afterwards(&mut self, list: &[String]) {
        let list: Vec<String> = list.iter().map(|what| escape::line(&text::without_ansi(what))).collect();
        match list.as_slice() {
            [] => {}
            [one] => self.prose("also", &format!("while the execution was put away: {one}")),
            many => {
                self.prose("also", "while the execution was put away:");
                for what in many {
                    for (n, part) in text::wrap(what, self.room() - 2).iter().enumerate() {
                        self.exact("", &format!("{} {part}", if n == 0 { "•" } else { " " }));
                    }
                }
            }
        }
    }

    /// Where the ticket is and how to use it. What is to be copied comes last and is never broken.
    fn ticket(&mut self, ticket: &Ticket, run: &Run) {
        let line = ticket.to_string();
        let line = (line.len() <= LONGEST_TICKET).then_some(line);
        let file = run.ticket_file.as_ref().map(|file| file.display().to_string());
        if let Some(file) = &file {
            self.exact("ticket", file);
        }
        if let Some(error) = &run.ticket_error {
            self.prose("ticket", error);
        }
        if let Some(command) = &run.replay {
            self.exact("replay", command);
            if let (TicketText::WhenShort, Some(line)) = (run.ticket_text, &line) {
                self.exact("as text", line);
            }
            return;
        }
        match (&ticket.test, file.as_ref().or(line.as_ref())) {
            (Some(test), Some(ticket)) => {
                let (ticket, test) = (escape::word(ticket), escape::word(test));
                self.exact("replay", &format!("RADDLE_REPLAY={ticket} cargo test {test}"));
                if file.is_none() {
                    return;
                }
            }
            (None, Some(_)) => self.prose("replay", "Checker::replay(..) with this ticket"),
            (_, None) => {
                self.prose("ticket", "neither written to a file nor short enough to print");
                self.prose("replay", "Checker::replay(..) with the ticket of this failure");
            }
        }
        if let Some(line) = &line {
            self.exact("as text", line);
        }
    }

    /// Items with dots between them, broken between items where possible.
    fn items(&mut self, what: &str, items: &[String]) {
        const HARD: &str = "\u{a0}";
        let whole: Vec<String> = items.iter().map(|item| item.replace(' ', HARD)).collect();
        if whole.iter().any(|item| text::width(item) + 2 > self.room()) {
            return self.prose(what, &items.join(" · "));
        }
        for (n, part) in text::wrap(&whole.join(&format!("{HARD}· ")), self.room()).iter().enumerate() {
            self.exact(if n == 0 { what } else { "" }, &part.replace(HARD, " "));
        }
    }

    /// Text that may be broken anywhere.
    fn prose(&mut self, what: &str, text: &str) {
        for (n, part) in text::wrap(text, self.room()).iter().enumerate() {
            self.exact(if n == 0 { what } else { "" }, part);
        }
    }

    /// Text to be copied.
    fn exact(&mut self, what: &str, text: &str) {
        self.rows.push(Row::new().with(2, what, Style::Strong).with(START, text, Style::Plain));
    }

    fn room(&self) -> usize {
        self.width.map_or(usize::MAX, |w| w.saturating_sub(START).max(24))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_removed_is_said() {
        let text = |preemptions, steps| simplified(&Simplified { preemptions, steps });
        assert_eq!(text([5, 2], [45, 19]), "5 preemptions, now 2; 45 steps, now 19");
        assert_eq!(text([1, 0], [9, 9]), "1 preemption, now 0");
        assert_eq!(text([0, 0], [1_200, 30]), "1,200 steps, now 30");
        assert_eq!(text([1, 1], [9, 9]), "as many steps, in a simpler order");
    }
}
