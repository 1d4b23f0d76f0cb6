//! Parses groups: captures, flags, lookaround, conditions.

use super::Fault;
use super::parse::{Flags, Node, Parser};

const AFTER_QUESTION: &str = "unrecognized character after (? or (?-";

impl Parser<'_> {
    /// Parses a group; none if it was a comment or set flags only.
    pub(super) fn group(&mut self) -> Result<Option<Node>, Fault> {
        self.at += 1;
        if self.rest().starts_with(b"*") {
            return Err(self.unsupported("verbs such as (*FAIL)"));
        }
        if !self.take(b"?") {
            if self.options.no_auto_capture {
                return self.together().map(Some);
            }
            return self.capture().map(Some);
        }
        let boxed = |node: Node| Some(Box::new(node));
        match self.rest() {
            [b':', ..] => {
                self.at += 1;
                self.together().map(Some)
            }
            [b'>', ..] => {
                self.at += 1;
                Ok(boxed(self.inner()?).map(Node::Atomic))
            }
            [b'=', ..] | [b'!', ..] => {
                let negative = self.rest()[0] == b'!';
                self.at += 1;
                Ok(boxed(self.inner()?).map(|node| Node::Ahead(node, negative)))
            }
            [b'<', b'=' | b'!', ..] => {
                let negative = self.rest()[1] == b'!';
                self.at += 2;
                self.behind(negative).map(Some)
            }
            [b'#', ..] => match self.rest().iter().position(|b| *b == b')') {
                Some(end) => {
                    self.at += end + 1;
                    Ok(None)
                }
                None => Err(Fault::Wrong("missing ) after comment", self.pattern.len())),
            },
            [b'<', ..] => self.named(1, b'>').map(Some),
            [b'\'', ..] => self.named(1, b'\'').map(Some),
            [b'P', b'<', ..] => self.named(2, b'>').map(Some),
            [b'P', b'=', ..] => {
                self.at += 2;
                let (at, name) = (self.at, self.name(b')')?);
                self.named_reference(&name, at + name.len()).map(Some)
            }
            [b'(', ..] => self.condition().map(Some),
            [b'|', ..] => Err(self.unsupported("groups (?| that share numbers")),
            [b'R' | b'&' | b'0'..=b'9' | b'+', ..] | [b'P', b'>', ..] | [b'-', b'0'..=b'9', ..] => {
                Err(self.unsupported("recursion and calls of groups"))
            }
            [b'C', ..] => Err(self.unsupported("callouts")),
            _ => self.inline_flags(),
        }
    }

    /// The contents of a non-capturing group, as one node.
    fn together(&mut self) -> Result<Node, Fault> {
        Ok(Node::Sequence(vec![self.inner()?]))
    }

    fn capture(&mut self) -> Result<Node, Fault> {
        self.groups += 1;
        self.captured(self.groups)
    }

    /// A capture that refers to itself is atomic.
    fn captured(&mut self, number: usize) -> Result<Node, Fault> {
        self.open.push((number, false));
        let node = Node::Capture(number, Box::new(self.inner()?));
        Ok(match self.open.pop() {
            Some((_, true)) => Node::Atomic(Box::new(node)),
            _ => node,
        })
    }

    /// Parses a name and its closing character.
    pub(super) fn name(&mut self, close: u8) -> Result<String, Fault> {
        let rest = self.rest();
        let len = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
        if rest.first().is_some_and(u8::is_ascii_digit) {
            return Err(Fault::Wrong("group name must start with a non-digit", self.at));
        }
        if len == 0 || len > 32 || rest.get(len) != Some(&close) {
            return Err(self.unsupported("a name of a group that is empty, too long or not closed"));
        }
        let name = String::from_utf8_lossy(&rest[..len]).into_owned();
        self.at += len + 1;
        Ok(name)
    }

    fn named(&mut self, skip: usize, close: u8) -> Result<Node, Fault> {
        self.at += skip;
        if close == b'>' && !matches!(self.rest().first(), Some(b) if b.is_ascii_alphanumeric() || *b == b'_')
        {
            return match skip {
                1 => Err(Fault::Wrong("unrecognized character after (?<", self.at)),
                _ => Err(self.unsupported("a name of a group that is empty")),
            };
        }
        let name = self.name(close)?;
        let at = self.at - 1;
        self.groups += 1;
        self.add_name(name, at)?;
        self.captured(self.groups)
    }

    fn behind(&mut self, negative: bool) -> Result<Node, Fault> {
        let node = self.inner()?;
        let all = match node {
            Node::Either(all) => all,
            one => vec![one],
        };
        let mut with = Vec::new();
        for node in all {
            match length(&node) {
                Some(len) => with.push((len, node)),
                None => {
                    return Err(Fault::Wrong("lookbehind assertion is not fixed length", self.at - 1));
                }
            }
        }
        Ok(Node::Behind(with, negative))
    }

    fn condition(&mut self) -> Result<Node, Fault> {
        self.at += 1;
        let text: Vec<u8> = self.rest().iter().copied().take_while(|b| *b != b')').collect();
        let text = String::from_utf8_lossy(&text).into_owned();
        let bare = text.trim_matches(['<', '>', '\'']);
        let number = match bare.parse::<usize>() {
            Ok(number) if number > 0 => number,
            _ => match self.names_ahead.iter().find(|(name, _)| name == bare) {
                Some((_, number)) => *number,
                // In the first pass no name is known.
                None if self.all_groups == usize::MAX && !bare.is_empty() && !bare.contains(['?', '*']) => 1,
                None => return Err(self.unsupported("a condition that is no number and no name of a group")),
            },
        };
        if number > self.all_groups {
            return Err(Fault::Wrong("reference to non-existent subpattern", self.at + text.len() + 1));
        }
        self.at += text.len() + 1;
        let (yes, no) = match self.inner()? {
            Node::Either(mut both) if both.len() == 2 => {
                let no = both.remove(1);
                (both.remove(0), no)
            }
            Node::Either(_) if self.all_groups < usize::MAX => {
                return Err(Fault::Wrong("conditional group contains more than two branches", self.at - 1));
            }
            one => (one, Node::Empty),
        };
        Ok(Node::If(number, Box::new(yes), Box::new(no)))
    }

    /// `(?i)`, `(?i-s)`, `(?i:...)`.
    fn inline_flags(&mut self) -> Result<Option<Node>, Fault> {
        let (before, mut on) = (self.flags, true);
        loop {
            let Some(letter) = self.rest().first().copied() else {
                return Err(Fault::Wrong(AFTER_QUESTION, self.at));
            };
            let Flags { caseless, multiline, dotall, extended, ungreedy } = &mut self.flags;
            match letter {
                b'i' => *caseless = on,
                b'm' => *multiline = on,
                b's' => *dotall = on,
                b'x' => *extended = on,
                b'U' => *ungreedy = on,
                b'-' => on = false,
                b'J' => return Err(self.unsupported("names that stand for several groups")),
                b')' => {
                    self.at += 1;
                    return Ok(None);
                }
                b':' => {
                    self.at += 1;
                    let inner = self.together();
                    self.flags = before;
                    return inner.map(Some);
                }
                _ => return Err(Fault::Wrong(AFTER_QUESTION, self.at)),
            }
            self.at += 1;
        }
    }
}

/// The length of the matches of a node, if it is fixed.
fn length(node: &Node) -> Option<usize> {
    match node {
        Node::Empty | Node::Assert(_) | Node::Ahead(..) | Node::Behind(..) | Node::Keep => Some(0),
        Node::Character(..) | Node::Anything | Node::NotNewline | Node::Set(_) => Some(1),
        Node::LineBreak | Node::Reference(..) => None,
        Node::Sequence(all) => all.iter().map(length).sum(),
        Node::Either(all) => {
            let first = length(all.first()?)?;
            all.iter().all(|n| length(n) == Some(first)).then_some(first)
        }
        Node::Capture(_, inner) | Node::Atomic(inner) => length(inner),
        Node::Repeat(inner, least, most, _) => {
            (Some(*least) == *most).then(|| length(inner).map(|n| n * *least as usize)).flatten()
        }
        Node::If(_, yes, no) => length(yes).filter(|n| length(no) == Some(*n)),
    }
}
