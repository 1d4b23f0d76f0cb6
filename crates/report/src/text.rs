//! Measuring, wrapping and cutting text. A character counts as one column wide.

/// How many columns `text` takes.
pub fn width(text: &str) -> usize {
    text.chars().count()
}

/// `text` without its ANSI escape sequences, such as the colours of a pretty assertion.
pub fn without_ansi(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' && chars.peek() == Some(&'[') {
            chars.next();
            for c in chars.by_ref() {
                if ('@'..='~').contains(&c) {
                    break;
                }
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// The beginning of `text`, with "…" where something was cut off.
pub fn cut(text: &str, room: usize) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let mut out: String = text.chars().take(room.saturating_sub(1)).collect();
    out.truncate(out.trim_end().len());
    if room > 0 {
        out.push('…');
    }
    out
}

/// The end of `text`, with "…" where something was cut off: for paths, whose end says most.
pub fn cut_front(text: &str, room: usize) -> String {
    let all = width(text);
    if all <= room {
        return text.to_owned();
    }
    let rest = text.chars().skip(all - room.saturating_sub(1));
    if room == 0 { String::new() } else { std::iter::once('…').chain(rest).collect() }
}

/// `text` in lines of at most `room` columns, broken at spaces where possible. Nothing is lost but the spaces
/// at the breaks. At least one line.
pub fn wrap(text: &str, room: usize) -> Vec<String> {
    let room = room.max(1);
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split(' ') {
        let mut word = word;
        if used > 0 && used + 1 + width(word) > room {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        if used > 0 {
            line.push(' ');
            used += 1;
        }
        while width(word) > room {
            let end = word.char_indices().nth(room).map_or(word.len(), |(i, _)| i);
            lines.push(word[..end].to_owned());
            word = &word[end..];
        }
        line.push_str(word);
        used += width(word);
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

/// "1 step", "2 steps", "1,000 steps".
pub fn count(n: usize, what: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{} {what}{plural}", raddle_core::verdict::thousands(n as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapping_keeps_to_the_room_and_loses_nothing() {
        assert_eq!(wrap("lock Mutex#1 then go", 12), ["lock Mutex#1", "then go"]);
        assert_eq!(wrap("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(wrap("", 5), [""]);
        assert_eq!(wrap("fits", 4), ["fits"]);
        assert_eq!(wrap("→→→ →", 3), ["→→→", "→"]);
    }

    #[test]
    fn cutting_says_so() {
        assert_eq!(cut("balance.load(SeqCst)", 9), "balance.…");
        assert_eq!(cut("short", 5), "short");
        assert_eq!(cut("short", 0), "");
        assert_eq!(cut_front("a/very/long/path.rs:12", 11), "…path.rs:12");
        assert_eq!(cut_front("path.rs:12", 10), "path.rs:12");
    }

    #[test]
    fn colours_are_left_out() {
        assert_eq!(without_ansi("\u{1b}[1;31mred\u{1b}[0m and plain"), "red and plain");
        assert_eq!(without_ansi("cut off \u{1b}[1"), "cut off ");
    }
}
