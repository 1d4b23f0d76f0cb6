//! Parses escape sequences.

use super::Fault;
use super::chars;
use super::class::Set;
use super::parse::{Assertion, Node, Parser};

impl Parser<'_> {
    /// Parses an escape outside of square brackets, after its backslash.
    pub(super) fn escape(&mut self) -> Result<Node, Fault> {
        let Some(letter) = self.rest().first().copied() else {
            return Err(Fault::Wrong("\\ at end of pattern", self.pattern.len()));
        };
        let assertion = match letter {
            b'A' => Some(Assertion::TextStart),
            b'z' => Some(Assertion::TextEnd),
            b'Z' => Some(Assertion::LastLineEnd),
            b'G' => Some(Assertion::SearchStart),
            b'b' => Some(Assertion::WordEdge),
            b'B' => Some(Assertion::NoWordEdge),
            _ => None,
        };
        if let Some(assertion) = assertion {
            self.at += 1;
            return Ok(Node::Assert(assertion));
        }
        if let Some(classes) = chars::escape(letter) {
            self.at += 1;
            return Ok(self.set_node(Set { classes, ..Set::default() }));
        }
        match letter {
            b'R' => {
                self.at += 1;
                Ok(Node::LineBreak)
            }
            b'N' if self.rest().get(1) != Some(&b'{') => {
                self.at += 1;
                Ok(Node::NotNewline)
            }
            b'K' => {
                self.at += 1;
                Ok(Node::Keep)
            }
            b'1'..=b'9' => self.digits(),
            b'g' => self.g(),
            b'k' => {
                self.at += 1;
                let close = match self.rest().first() {
                    Some(b'<') => b'>',
                    Some(b'\'') => b'\'',
                    Some(b'{') => b'}',
                    _ => return Err(self.unsupported("\\k without a name")),
                };
                self.at += 1;
                let (at, name) = (self.at, self.name(close)?);
                self.named_reference(&name, at + name.len())
            }
            _ => self.plain_escape().map(|c| self.literal(c)),
        }
    }

    /// A back reference, or an octal number.
    fn digits(&mut self) -> Result<Node, Fault> {
        let len = self.rest().iter().take_while(|b| b.is_ascii_digit()).count();
        let number = self.rest()[..len]
            .iter()
            .fold(0_usize, |n, b| n.saturating_mul(10).saturating_add((b - b'0') as usize));
        if number < 8 || number <= self.all_groups {
            self.at += len;
            return self.reference(number);
        }
        if self.rest()[0] >= b'8' {
            // The digit itself, as in PCRE 8.
            return self.character().map(|c| self.literal(c));
        }
        let len = self.rest().iter().take(3).take_while(|b| (b'0'..=b'7').contains(b)).count();
        let value = self.rest()[..len].iter().fold(0_u32, |n, b| n * 8 + (b - b'0') as u32);
        self.at += len;
        self.octal(value).map(|value| self.literal(value))
    }

    /// The character with this code, if there is one.
    pub(super) fn octal(&self, value: u32) -> Result<u32, Fault> {
        match self.options.unicode || value < 256 {
            true => Ok(value),
            false => {
                Err(Fault::Wrong("octal value is greater than \\377 in 8-bit non-UTF-8 mode", self.at - 1))
            }
        }
    }

    fn reference(&mut self, number: usize) -> Result<Node, Fault> {
        if number > self.all_groups {
            return Err(Fault::Wrong("reference to non-existent subpattern", self.at));
        }
        Ok(self.refer(number))
    }

    fn refer(&mut self, number: usize) -> Node {
        self.open.iter_mut().filter(|(open, _)| *open == number).for_each(|(_, referred)| *referred = true);
        Node::Reference(number, self.flags.caseless)
    }

    pub(super) fn named_reference(&mut self, name: &str, at: usize) -> Result<Node, Fault> {
        match self.names_ahead.iter().find(|(n, _)| n == name) {
            Some((_, number)) => Ok(self.refer(*number)),
            None => Err(Fault::Wrong("reference to non-existent subpattern", at)),
        }
    }

    /// `\g1`, `\g{1}`, `\g{-1}`, `\g{name}`.
    fn g(&mut self) -> Result<Node, Fault> {
        self.at += 1;
        let text = match self.rest() {
            [b'{', rest @ ..] => match rest.iter().position(|b| *b == b'}') {
                Some(end) => {
                    let text = &rest[..end];
                    self.at += end + 2;
                    text.to_vec()
                }
                None => return Err(self.unsupported("\\g{ without }")),
            },
            [b'<' | b'\'', ..] => return Err(self.unsupported("calls of groups")),
            rest => {
                let sign = matches!(rest.first(), Some(b'-' | b'+')) as usize;
                let len = sign + rest[sign..].iter().take_while(|b| b.is_ascii_digit()).count();
                let text = rest[..len].to_vec();
                self.at += len;
                text
            }
        };
        let text = String::from_utf8_lossy(&text).into_owned();
        match (text.strip_prefix('-').map(str::parse::<usize>), text.parse::<usize>()) {
            (Some(Ok(back)), _) if (1..=self.groups).contains(&back) => {
                self.reference(self.groups + 1 - back)
            }
            (None, Ok(number)) if number > 0 => self.reference(number),
            (None, Err(_)) if text.starts_with(|c: char| c.is_alphabetic() || c == '_') => {
                let at = self.at - 1;
                self.named_reference(&text, at)
            }
            _ => Err(self.unsupported(&format!("\\g with {text:?}"))),
        }
    }

    /// Parses an escape for one character, after its backslash.
    pub(super) fn plain_escape(&mut self) -> Result<u32, Fault> {
        let letter = self.character()?;
        let simple = |c: u8| Ok(c as u32);
        match u8::try_from(letter) {
            Ok(b'a') => simple(7),
            Ok(b'e') => simple(27),
            Ok(b'f') => simple(12),
            Ok(b'n') => simple(b'\n'),
            Ok(b'r') => simple(b'\r'),
            Ok(b't') => simple(b'\t'),
            Ok(b'0') => {
                let len = self.rest().iter().take(2).take_while(|b| (b'0'..=b'7').contains(b)).count();
                let value = self.rest()[..len].iter().fold(0, |n, b| n * 8 + (b - b'0') as u32);
                self.at += len;
                Ok(value)
            }
            Ok(b'x') => self.hexadecimal(),
            Ok(b'o') if self.rest().starts_with(b"{") => self.braces(8),
            Ok(b'c') => match self.rest().first().copied() {
                Some(c @ 32..=126) => {
                    self.at += 1;
                    Ok((c.to_ascii_uppercase() ^ 64) as u32)
                }
                None => Err(Fault::Wrong("\\c at end of pattern", self.at)),
                Some(_) => Err(self.unsupported("\\c with this character")),
            },
            Ok(b'L' | b'l' | b'N' | b'U' | b'u') => {
                Err(Fault::Wrong("PCRE does not support \\L, \\l, \\N{name}, \\U, or \\u", self.at - 1))
            }
            Ok(b'p' | b'P' | b'X') => Err(self.unsupported("Unicode properties (\\p, \\P, \\X)")),
            Ok(b'C') => Err(self.unsupported("\\C")),
            // Others stand for themselves, letters without a meaning included.
            _ => Ok(letter),
        }
    }

    fn hexadecimal(&mut self) -> Result<u32, Fault> {
        if self.rest().starts_with(b"{") {
            return self.braces(16);
        }
        let len = self.rest().iter().take(2).take_while(|b| b.is_ascii_hexdigit()).count();
        let text = String::from_utf8_lossy(&self.rest()[..len]).into_owned();
        self.at += len;
        Ok(u32::from_str_radix(&text, 16).unwrap_or(0))
    }

    fn braces(&mut self, base: u32) -> Result<u32, Fault> {
        let end = self.rest().iter().position(|b| *b == b'}');
        let text = end.map(|end| String::from_utf8_lossy(&self.rest()[1..end]).into_owned());
        let value = text.as_deref().and_then(|text| u32::from_str_radix(text, base).ok());
        let (Some(end), Some(value)) = (end, value) else {
            return Err(self.unsupported("braces after \\x or \\o with something else than a number"));
        };
        let most = if self.options.unicode { chars::LAST } else { 255 };
        if value > most {
            let at = self.at + end;
            return Err(Fault::Wrong("character value in \\x{} or \\o{} is too large", at));
        }
        if self.options.unicode && (0xd800..0xe000).contains(&value) {
            return Err(self.unsupported("surrogates"));
        }
        self.at += end + 1;
        Ok(value)
    }
}
