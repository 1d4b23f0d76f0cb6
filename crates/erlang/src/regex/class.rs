//! Character classes in square brackets.

use super::Fault;
use super::chars::{self, Ranges};
use super::parse::Parser;

/// A character class.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Set {
    /// Characters as written, of any case if `caseless`.
    pub written: Ranges,
    /// Characters of escapes such as `\w`.
    pub classes: Ranges,
    /// Whether it is complemented.
    pub negated: bool,
    /// Whether case is ignored.
    pub caseless: bool,
}

impl Set {
    /// Whether it contains a character.
    pub fn contains(&self, c: u32, unicode: bool) -> bool {
        let within = |ranges: &Ranges, c: u32| ranges.iter().any(|(a, b)| (*a..=*b).contains(&c));
        let found = within(&self.written, c)
            || within(&self.classes, c)
            || self.caseless
                && chars::other_cases(c, unicode).into_iter().any(|other| within(&self.written, other));
        found != self.negated
    }
}

/// An item of a character class.
enum Item {
    Character(u32),
    Class(Ranges),
}

impl Parser<'_> {
    /// Parses a character class after its opening bracket.
    pub(super) fn set(&mut self) -> Result<Set, Fault> {
        let mut set = Set { caseless: self.flags.caseless, ..Set::default() };
        set.negated = self.take(b"^");
        let mut first = true;
        loop {
            if self.at >= self.pattern.len() {
                return Err(Fault::Wrong("missing terminating ] for character class", self.pattern.len()));
            }
            if !std::mem::replace(&mut first, false) && self.take(b"]") {
                return Ok(set);
            }
            if self.quoting {
                self.quoting = !self.take(b"\\E");
                if !self.quoting {
                    continue;
                }
            } else if self.take(b"\\Q") {
                self.quoting = true;
                continue;
            } else if self.take(b"\\E") {
                continue;
            }
            let Some(item) = self.item()? else { continue };
            let from = match item {
                Item::Class(ranges) => {
                    set.classes.extend(ranges);
                    continue;
                }
                Item::Character(c) => c,
            };
            let range = self.rest().starts_with(b"-") && !self.rest().starts_with(b"-]");
            if !range || self.at + 1 >= self.pattern.len() {
                set.written.push((from, from));
                continue;
            }
            self.at += 1;
            match self.item()? {
                Some(Item::Character(to)) if to >= from => set.written.push((from, to)),
                Some(Item::Character(_)) => {
                    let at = self.at - 1;
                    return Err(Fault::Wrong("range out of order in character class", at));
                }
                _ => {
                    let at = self.at - 1;
                    return Err(Fault::Wrong("invalid range in character class", at));
                }
            }
        }
    }

    fn item(&mut self) -> Result<Option<Item>, Fault> {
        if self.quoting {
            return self.character().map(|c| Some(Item::Character(c)));
        }
        let end = self.rest().windows(2).position(|pair| pair == b":]");
        if let (true, Some(end)) = (self.rest().starts_with(b"[:"), end) {
            let inner = &self.rest()[2..end.max(2)];
            if inner.iter().all(|b| b.is_ascii_lowercase() || *b == b'^') {
                let name = String::from_utf8_lossy(inner).into_owned();
                return self.posix(&name, end + 2).map(Some);
            }
        }
        if matches!(self.rest(), [b'[', b'.' | b'=', rest @ ..] if rest.windows(2).any(|p| p == b".]" || p == b"=]"))
        {
            return Err(self.unsupported("collating elements"));
        }
        if self.rest().first() != Some(&b'\\') {
            return self.character().map(|c| Some(Item::Character(c)));
        }
        self.at += 1;
        let Some(letter) = self.rest().first().copied() else {
            return Err(Fault::Wrong("\\ at end of pattern", self.pattern.len()));
        };
        match letter {
            b'b' => {
                self.at += 1;
                Ok(Some(Item::Character(8)))
            }
            b'B' | b'R' | b'X' => {
                Err(self.unsupported(&format!("\\{} within square brackets", letter as char)))
            }
            b'1'..=b'9' => {
                // Within brackets there are no back references: octal digits, or the digit itself.
                let digits = self.rest().iter().take(3).take_while(|b| (b'0'..=b'7').contains(b)).count();
                let text = &self.rest()[..digits.max(1)];
                let value = match digits {
                    0 => letter as u32,
                    _ => text.iter().fold(0, |n, b| n * 8 + (b - b'0') as u32),
                };
                self.at += digits.max(1);
                self.octal(value).map(|value| Some(Item::Character(value)))
            }
            _ => match chars::escape(letter) {
                Some(ranges) => {
                    self.at += 1;
                    Ok(Some(Item::Class(ranges)))
                }
                None => self.plain_escape().map(|c| Some(Item::Character(c))),
            },
        }
    }

    fn posix(&mut self, name: &str, len: usize) -> Result<Item, Fault> {
        let (negated, name) = name.strip_prefix('^').map_or((false, name), |name| (true, name));
        // If case is ignored, both are letters of any case.
        let name = if self.flags.caseless && matches!(name, "upper" | "lower") { "alpha" } else { name };
        let Some(ranges) = chars::posix(name) else {
            return Err(Fault::Wrong("unknown POSIX class name", self.at + 2));
        };
        self.at += len;
        Ok(Item::Class(if negated { chars::complement(&ranges) } else { ranges }))
    }
}
