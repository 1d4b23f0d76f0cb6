//! Tickets: as they are, and with a checksum that fits whatever they say, so that their content is believed.

use super::{Seen, as_original, searches};
use raddle::Checker;
use raddle::sync::Arc;
use raddle::sync::atomic::{AtomicU64, Ordering::SeqCst};
use raddle_core::checksum::Checksum;
use raddle_core::ticket::{Ticket, TicketStep};

fn text(bytes: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(bytes).map_err(|e| e.to_string())
}

/// A ticket as a file or a line.
pub fn ticket(bytes: &[u8], original: Option<&[u8]>) -> Result<Seen, String> {
    let read = |bytes: &[u8]| Ticket::parse(text(bytes)?).map_err(|e| e.to_string());
    if let Ok(ticket) = read(bytes) {
        for form in [ticket.to_json(), ticket.to_string()] {
            let again = Ticket::parse(&form).map_err(|e| format!("what was read cannot be written: {e}"))?;
            // A line has a fingerprint of the program only.
            if again.steps != ticket.steps || again.settings != ticket.settings || again.test != ticket.test {
                return Err("what was read is written as something else".to_owned());
            }
        }
    }
    as_original(read, bytes, original)
}

/// The same with a valid checksum and number of steps, replayed in both worlds.
pub fn resealed(bytes: &[u8], _: Option<&[u8]>) -> Result<Seen, String> {
    let Ok(text) = text(bytes) else { return Ok(Seen::Refused) };
    let Ok(ticket) = Ticket::parse(&sealed(text)) else { return Ok(Seen::Refused) };
    if ticket.steps.len() > 2_000 {
        return Ok(Seen::Refused);
    }
    let in_erlang = searches::replay(ticket.clone()).is_ok();
    let checker = Checker::try_replay_ticket(Ticket { test: None, ..ticket });
    let in_rust = checker.and_then(|checker| checker.name("resealed").try_run(deposits)).is_ok();
    Ok(if in_erlang || in_rust { Seen::Read } else { Seen::Refused })
}

/// A deposit may be lost.
pub(crate) fn deposits() {
    let balance = Arc::new(AtomicU64::new(0));
    let theirs = balance.clone();
    let deposit = |balance: &AtomicU64, amount| balance.store(balance.load(SeqCst) + amount, SeqCst);
    let friend = raddle::thread::spawn(move || deposit(&theirs, 100));
    deposit(&balance, 50);
    friend.join().unwrap();
    assert_eq!(balance.load(SeqCst), 150);
}

/// The text of a ticket, a file or a line, with the checksum that its content has.
fn sealed(text: &str) -> String {
    match text.split_once('\n') {
        Some((_, content)) => {
            let count = serde_json::from_str::<serde_json::Value>(content)
                .ok()
                .and_then(|ticket| Some(ticket["steps"].as_array()?.len()))
                .unwrap_or_default();
            let step = TicketStep { task: 0, option: 0, expect: String::new() };
            Ticket { steps: vec![step; count], ..Ticket::empty() }.seal(content)
        }
        None => {
            let line = text.trim_end();
            let line = line.rsplit_once('.').map_or(line, |(line, _)| line);
            format!("{line}.{}", Checksum::of(line.as_bytes()).short())
        }
    }
}

/// A ticket of `cargo raddle test`.
pub fn report(bytes: &[u8], original: Option<&[u8]>) -> Result<Seen, String> {
    as_original(|bytes| cargo_raddle::inputs::ticket(text(bytes)?), bytes, original)
}

/// The same with a valid checksum. Its report has no characters that act on a terminal.
pub fn report_resealed(bytes: &[u8], _: Option<&[u8]>) -> Result<Seen, String> {
    let Ok(text) = text(bytes) else { return Ok(Seen::Refused) };
    match cargo_raddle::inputs::ticket(&sealed(text)) {
        Ok((_, report)) if report.chars().any(|c| c.is_control() && c != '\n') => {
            Err("its report has control characters".to_owned())
        }
        Ok(_) => Ok(Seen::Read),
        Err(_) => Ok(Seen::Refused),
    }
}
