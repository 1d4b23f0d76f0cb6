//! Escapes strings of programs, of tickets and of the file system: whatever they contain, no output moves the cursor, changes the
//! terminal, hides text or reorders it.
//!
//! Every output of raddle goes through this module: rows of reports ([`crate::paint`]), lines and errors of commands, JSON.

/// Whether a character acts on the terminal or on the characters beside it, or cannot be seen at all.
fn is_active(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// One line: `\u{1b}` for a character that is active, `\n` for a line break, a space for a tab. The end has no spaces.
pub fn line(text: &str) -> String {
    let mut out = escaped(text, |c| if c == '\t' { Some(' ') } else { None });
    out.truncate(out.trim_end().len());
    out
}

/// The same with its line breaks and tabs.
pub fn lines(text: &str) -> String {
    escaped(text, |c| matches!(c, '\n' | '\t').then_some(c))
}

/// What has no form in `keep` is escaped if it is active.
fn escaped(text: &str, keep: impl Fn(char) -> Option<char>) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match keep(c) {
            Some(kept) => out.push(kept),
            None if matches!(c, '\n' | '\r' | '\t') => out.extend(c.escape_default()),
            None if is_active(c) => out.extend(c.escape_unicode()),
            None => out.push(c),
        }
    }
    out
}

/// JSON as it is: an active character can only be within a string there, where it has a form without any. Line breaks stay.
pub fn json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut units = [0; 2];
    for c in text.chars() {
        if c != '\n' && is_active(c) {
            c.encode_utf16(&mut units).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
        } else {
            out.push(c);
        }
    }
    out
}

/// One word of a shell's command line. Where it has active characters, in the form `$'..'` of bash, zsh and ksh.
pub fn word(text: &str) -> String {
    let harmless =
        |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | ':' | '+' | '=' | ',' | '@');
    if !text.is_empty() && text.chars().all(harmless) {
        return text.to_owned();
    }
    if !text.chars().any(is_active) {
        return format!("'{}'", text.replace('\'', r"'\''"));
    }
    let mut out = "$'".to_owned();
    for c in text.chars() {
        match c {
            '\'' | '\\' => out.extend(['\\', c]),
            c if is_active(c) => {
                let bytes = c.to_string().into_bytes();
                bytes.iter().for_each(|byte| out.push_str(&format!("\\{byte:03o}")));
            }
            c => out.push(c),
        }
    }
    out.push('\'');
    out
}

/// One line whose colours stay: those of a pretty assertion. All other escape sequences are escaped.
pub fn colored(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find('\u{1b}') {
        out.push_str(&line_with_spaces(&rest[..at]));
        rest = &rest[at..];
        let color = color(rest).unwrap_or('\u{1b}'.len_utf8());
        let (sequence, after) = rest.split_at(color);
        // The escape character alone is no colour.
        out.push_str(&if color > 1 { sequence.to_owned() } else { line(sequence) });
        rest = after;
    }
    out.push_str(&line(rest));
    if text.contains('\u{1b}') {
        out.push_str("\u{1b}[0m");
    }
    out
}

fn line_with_spaces(text: &str) -> String {
    escaped(text, |c| if c == '\t' { Some(' ') } else { None })
}

/// The length of the sequence at the beginning, if it is one for a colour that can be read: neither concealed nor blinking.
fn color(text: &str) -> Option<usize> {
    let (numbers, _) = text.strip_prefix("\u{1b}[")?.split_once('m')?;
    let is_plain = |n: &str| {
        matches!(n.parse(), Ok(0..=4 | 22..=24 | 30..=37 | 39 | 90..=97)) && n.len() <= 2 || n.is_empty()
    };
    numbers.split(';').all(is_plain).then_some("\u{1b}[m".len() + numbers.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nothing_moves_the_cursor() {
        assert_eq!(line("a\nb\tc\u{1b}[2J \r"), "a\\nb c\\u{1b}[2J \\r");
        assert_eq!(line("x\u{202e}y\u{9b}31m\u{7f}\u{200f} "), "x\\u{202e}y\\u{9b}31m\\u{7f}\\u{200f}");
        assert_eq!(lines("a\n\tb\r\n\u{8}"), "a\n\tb\\r\n\\u{8}");
        assert_eq!(line("plain äöü 日本 🦀 👩\u{200d}👩 "), "plain äöü 日本 🦀 👩\u{200d}👩");
    }

    #[test]
    fn words_for_shells() {
        assert_eq!(word("target/raddle/bank.json"), "target/raddle/bank.json");
        assert_eq!(word("raddle2;a#1"), "'raddle2;a#1'");
        assert_eq!(word("it's"), r"'it'\''s'");
        assert_eq!(word(""), "''");
        assert_eq!(word("a\u{1b}]0;'\\\u{202e}\n"), r"$'a\033]0;\'\\\342\200\256\012'");
    }

    #[test]
    fn the_shell_reads_the_word_as_it_was() {
        for text in ["a\u{1b}[2J'b\\", "\u{202e}gnp.exe", "line\nbreak \u{9b}1;é\u{e0041}0", "$HOME `x`"] {
            let script = format!("printf %s {}", word(text));
            let said = std::process::Command::new("bash").args(["-c", &script]).output().unwrap();
            assert_eq!(String::from_utf8(said.stdout).unwrap(), text);
        }
    }

    #[test]
    fn only_colours_that_can_be_read_stay() {
        assert_eq!(colored("\u{1b}[1;31mred\u{1b}[0m plain"), "\u{1b}[1;31mred\u{1b}[0m plain\u{1b}[0m");
        assert_eq!(colored("no colours"), "no colours");
        for hidden in ["\u{1b}[8mhidden", "\u{1b}[2J", "\u{1b}]0;title\u{7}", "\u{1b}[38;5;1mx", "\u{1b}[1"] {
            let out = colored(hidden);
            assert!(out.starts_with("\\u{1b}") && out.matches('\u{1b}').count() == 1, "{out:?}");
        }
    }

    proptest! {
        #[test]
        fn json_stays_what_it_is(text in "\\PC{0,20}[\u{0}-\u{ff}\u{2000}-\u{2070}\u{e0041}\"\\\\]{0,20}") {
            let escaped = json(&serde_json::to_string_pretty(&[&text]).unwrap());
            prop_assert!(!escaped.chars().any(|c| c != '\n' && is_active(c)), "{escaped:?}");
            prop_assert_eq!(serde_json::from_str::<[String; 1]>(&escaped).unwrap(), [text]);
        }

        #[test]
        fn no_output_has_active_characters(text in "[\u{0}-\u{ff}\u{2000}-\u{2070} -~]{0,40}") {
            let active = |out: &str| out.chars().any(is_active);
            prop_assert!(!active(&line(&text)) && !active(&word(&text)));
            prop_assert!(!active(&lines(&text).replace(['\n', '\t'], "")));
        }
    }
}
