//! What commands read: their lines, settings, and the answers of the processes that they start. And what they print.

use super::Seen;
use raddle_core::check::{SearchKind, parse_duration};
use raddle_core::clock::Time;
use raddle_terminal::check_variables;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

/// A command line, a word a line.
pub fn command_line(bytes: &[u8], _: Option<&[u8]>) -> Result<Seen, String> {
    let words = bytes.split(|byte| *byte == b'\n').map(|word| OsString::from_vec(word.to_vec()));
    match cargo_raddle::inputs::command_line(words.collect()) {
        Ok(()) => Ok(Seen::Read),
        Err(said) if said.trim().is_empty() => Err("it was refused without a word".to_owned()),
        Err(_) => Ok(Seen::Refused),
    }
}

/// Settings, one a line. What is read is written, and read again as the same.
pub fn setting(bytes: &[u8], _: Option<&[u8]>) -> Result<Seen, String> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(Seen::Refused) };
    let mut seen = Seen::Refused;
    for line in text.lines() {
        let is_time = parse_duration(line).is_ok() || line.parse::<Time>().is_ok();
        if is_time || check_variables([line]).is_err() || line.parse::<SearchKind>().is_ok() {
            seen = Seen::Read;
        }
        if let Ok(kind) = line.parse::<SearchKind>()
            && kind.to_string().parse() != Ok(kind)
        {
            return Err(format!("{line} is written as {kind}, which is something else"));
        }
    }
    Ok(seen)
}

/// A line of an answer.
pub fn answer(bytes: &[u8], _: Option<&[u8]>) -> Result<Seen, String> {
    match cargo_raddle::inputs::answer(bytes) {
        Ok(()) => Ok(Seen::Read),
        Err(_) => Ok(Seen::Refused),
    }
}

/// A text of a program: escaped, it is one line that acts on nothing.
pub fn escape(bytes: &[u8], _: Option<&[u8]>) -> Result<Seen, String> {
    let text = String::from_utf8_lossy(bytes);
    let active = |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let shown = [raddle_report::escape_line(&text), raddle_report::quote(&text)];
    if shown.iter().any(|shown| shown.chars().any(active)) {
        return Err("a character is shown as it is".to_owned());
    }
    let json = serde_json::to_string(&text).expect("a text");
    let escaped = raddle_report::escape_json(&json);
    if escaped.chars().any(active) || serde_json::from_str::<String>(&escaped).ok().as_deref() != Some(&*text)
    {
        return Err("JSON has it as it is, or another one".to_owned());
    }
    Ok(Seen::Read)
}
