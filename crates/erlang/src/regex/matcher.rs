//! A backtracking matcher.
//!
//! A capture is undone only when the matcher backtracks to before its start, and captures of a lookaround are
//! not undone even then: this is the behaviour of PCRE 8. It counts the captures of the current path and
//! ignores all others.

use super::parse::Assertion;
use super::program::Inst;
use super::{Newline, Regex, chars};

/// The parameters of a match.
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs)]
pub struct Request {
    pub offset: usize,
    pub anchored: bool,
    pub notbol: bool,
    pub noteol: bool,
    pub notempty: bool,
    pub notempty_atstart: bool,
    /// Overrides the option of the pattern.
    pub newline: Option<Newline>,
    /// Overrides the option of the pattern.
    pub bsr_anycrlf: Option<bool>,
}

/// The bounds of the whole match and of each capture.
pub type Captures = Vec<Option<(usize, usize)>>;

/// The match takes more steps than OTP would try.
#[derive(Debug)]
pub struct TooLong;

const MOST_STEPS: u64 = 20_000_000;
const NOWHERE: usize = usize::MAX;

enum Undo {
    /// A choice: continue there.
    Branch(usize, usize),
    /// A slot's old value.
    Slot(usize, usize),
}

struct Matcher<'a> {
    re: &'a Regex,
    text: &'a [u8],
    request: Request,
    newline: Newline,
    /// The bounds of captures, in pairs; then loop positions; last, the number of captures that count.
    slots: Vec<usize>,
    undo: Vec<Undo>,
    steps: u64,
}

impl Regex {
    /// The first match at or after the offset.
    pub fn find(&self, text: &[u8], request: Request) -> Result<Option<Captures>, TooLong> {
        let newline = request.newline.unwrap_or(self.options.newline);
        let slots = vec![NOWHERE; self.slots + 1];
        let mut m = Matcher { re: self, text, request, newline, slots, undo: Vec::new(), steps: 0 };
        let mut at = request.offset;
        loop {
            if let Some(end) = m.attempt(at)? {
                m.slots[1] = end;
                return Ok(Some((0..=self.groups).map(|n| m.capture(n)).collect()));
            }
            let over = request.anchored || self.options.anchored || at >= text.len();
            if over || self.options.firstline && m.newline_at(at).is_some() {
                return Ok(None);
            }
            let crlf = matches!(newline, Newline::CrLf | Newline::AnyCrLf | Newline::Any);
            // A match does not start within a line break, unless the pattern names one of its characters.
            at += match crlf && !self.names_cr_or_lf && text[at..].starts_with(b"\r\n") {
                true => 2,
                false => m.char_at(at).map_or(1, |(_, len)| len),
            };
        }
    }
}

impl Matcher<'_> {
    fn unicode(&self) -> bool {
        self.re.options.unicode
    }

    fn char_at(&self, at: usize) -> Option<(u32, usize)> {
        let first = *self.text.get(at)?;
        if !self.unicode() || first < 128 {
            return Some((first as u32, 1));
        }
        let len = match first {
            0xf0.. => 4,
            0xe0.. => 3,
            _ => 2,
        };
        let text = std::str::from_utf8(self.text.get(at..at + len)?).ok()?;
        text.chars().next().map(|c| (c as u32, len))
    }

    fn char_before(&self, at: usize) -> Option<(u32, usize)> {
        let mut from = at.checked_sub(1)?;
        while self.unicode() && from > 0 && self.text[from] & 0xc0 == 0x80 {
            from -= 1;
        }
        self.char_at(from)
    }

    /// The length of the newline here.
    fn newline_at(&self, at: usize) -> Option<usize> {
        let rest = self.text.get(at..)?;
        let crlf = rest.starts_with(b"\r\n");
        match (self.newline, *rest.first()?) {
            (Newline::Lf, b'\n') | (Newline::Cr, b'\r') => Some(1),
            (Newline::CrLf | Newline::AnyCrLf | Newline::Any, _) if crlf => Some(2),
            (Newline::AnyCrLf, b'\n' | b'\r') => Some(1),
            (Newline::Any, _) => self.line_break(at, false),
            _ => None,
        }
    }

    fn newline_before(&self, at: usize) -> bool {
        let before = self.text.get(..at).unwrap_or_default();
        match (self.newline, before.last()) {
            (Newline::Lf, last) => last == Some(&b'\n'),
            (Newline::Cr, last) => last == Some(&b'\r'),
            (Newline::CrLf, _) => before.ends_with(b"\r\n"),
            (Newline::AnyCrLf, last) => matches!(last, Some(b'\n' | b'\r')),
            (Newline::Any, _) => {
                self.char_before(at).is_some_and(|(_, len)| self.line_break(at - len, false).is_some())
            }
        }
    }

    /// The length of what `\R` matches here.
    fn line_break(&self, at: usize, anycrlf: bool) -> Option<usize> {
        if self.text.get(at..)?.starts_with(b"\r\n") {
            return Some(2);
        }
        match self.char_at(at)? {
            (10 | 13, len) => Some(len),
            (11 | 12 | 0x85 | 0x2028 | 0x2029, len) if !anycrlf => Some(len),
            _ => None,
        }
    }

    fn is_word(&self, c: Option<(u32, usize)>) -> bool {
        let word = |c: u32| matches!(c, 48..=57 | 65..=90 | 95 | 97..=122 | 170 | 181 | 186 | 192..=214 | 216..=246 | 248..=255);
        c.is_some_and(|(c, _)| word(c))
    }

    fn holds(&self, assertion: Assertion, at: usize) -> bool {
        let len = self.text.len();
        let last = || self.newline_at(at).is_some_and(|n| at + n == len);
        match assertion {
            Assertion::TextStart => at == 0,
            Assertion::TextEnd => at == len,
            Assertion::LastLineEnd => at == len || last(),
            Assertion::SearchStart => at == self.request.offset,
            Assertion::Caret => at == 0 && !self.request.notbol,
            Assertion::LineStart => {
                at == 0 && !self.request.notbol || at != 0 && at != len && self.newline_before(at)
            }
            Assertion::DollarEnd => at == len && !self.request.noteol,
            Assertion::Dollar => !self.request.noteol && (at == len || last()),
            Assertion::LineEnd => match at == len {
                true => !self.request.noteol,
                false => self.newline_at(at).is_some(),
            },
            Assertion::WordEdge => self.is_word(self.char_before(at)) != self.is_word(self.char_at(at)),
            Assertion::NoWordEdge => self.is_word(self.char_before(at)) == self.is_word(self.char_at(at)),
        }
    }

    /// The bounds of a capture.
    fn capture(&self, number: usize) -> Option<(usize, usize)> {
        let counted = 2 * number < self.slots[self.re.slots];
        let (from, to) = (self.slots[2 * number], self.slots[2 * number + 1]);
        (counted && to != NOWHERE).then_some((from, to))
    }

    fn close(&mut self, number: usize, from: usize, to: usize) {
        let (count, slot) = (self.re.slots, 2 * number);
        let counted = self.slots[count];
        if slot >= counted {
            // Captures between were not set on this path.
            self.slots[counted..slot].fill(NOWHERE);
            self.set(count, slot + 2);
        }
        (self.slots[slot], self.slots[slot + 1]) = (from, to);
    }

    fn set(&mut self, slot: usize, value: usize) {
        let old = std::mem::replace(&mut self.slots[slot], value);
        self.undo.push(Undo::Slot(slot, old));
    }

    fn attempt(&mut self, at: usize) -> Result<Option<usize>, TooLong> {
        self.slots.fill(NOWHERE);
        self.undo.clear();
        self.slots[0] = at;
        self.slots[self.re.slots] = 2;
        self.run(0, at)
    }

    /// Backtracks to the last choice; none if there is none above `base`.
    fn back(&mut self, base: usize) -> Option<(usize, usize)> {
        while self.undo.len() > base {
            match self.undo.pop() {
                Some(Undo::Branch(pc, at)) => return Some((pc, at)),
                Some(Undo::Slot(slot, old)) => self.slots[slot] = old,
                None => break,
            }
        }
        None
    }

    /// Discards all choices above `base`, but keeps the old values of slots.
    fn commit(&mut self, base: usize) {
        let above = self.undo.split_off(base);
        self.undo.extend(above.into_iter().filter(|undo| matches!(undo, Undo::Slot(..))));
    }

    /// The same; captures above `base` are not undone either.
    fn commit_captures(&mut self, base: usize) {
        self.commit(base);
        let captures = 2..2 * (self.re.groups + 1);
        let above = self.undo.split_off(base);
        let others = |undo: &Undo| !matches!(undo, Undo::Slot(slot, _) if captures.contains(slot));
        self.undo.extend(above.into_iter().filter(others));
    }

    /// Runs from `pc` until `End` or `Match`; returns the position in the text.
    fn run(&mut self, pc: usize, at: usize) -> Result<Option<usize>, TooLong> {
        let base = self.undo.len();
        let re = self.re;
        let mut here = Some((pc, at));
        loop {
            let Some((pc, at)) = here.or_else(|| self.back(base)) else { return Ok(None) };
            self.steps += 1;
            if self.steps > MOST_STEPS {
                return Err(TooLong);
            }
            let eat = |len: usize| Some((pc + 1, at + len));
            let next = Some((pc + 1, at));
            here = match &re.program[pc] {
                Inst::Character(wanted, caseless) => match self.char_at(at) {
                    Some((c, len))
                        if c == *wanted || *caseless && chars::same(c, *wanted, self.unicode()) =>
                    {
                        eat(len)
                    }
                    _ => None,
                },
                Inst::Anything => self.char_at(at).and_then(|(_, len)| eat(len)),
                Inst::NotNewline => match self.newline_at(at) {
                    None => self.char_at(at).and_then(|(_, len)| eat(len)),
                    Some(_) => None,
                },
                Inst::LineBreak => {
                    let anycrlf = self.request.bsr_anycrlf.unwrap_or(re.options.bsr_anycrlf);
                    self.line_break(at, anycrlf).and_then(eat)
                }
                Inst::Set(set) => match self.char_at(at) {
                    Some((c, len)) if re.sets[*set].contains(c, self.unicode()) => eat(len),
                    _ => None,
                },
                Inst::Assert(assertion) => next.filter(|_| self.holds(*assertion, at)),
                Inst::Try(first, second) => {
                    self.undo.push(Undo::Branch(*second, at));
                    Some((*first, at))
                }
                Inst::Jump(to) => Some((*to, at)),
                Inst::Remember(slot) => {
                    self.set(*slot, at);
                    next
                }
                Inst::Open(group, slot) => {
                    for half in [2 * group, 2 * group + 1] {
                        self.undo.push(Undo::Slot(half, self.slots[half]));
                    }
                    self.set(*slot, at);
                    next
                }
                Inst::Close(group, slot) => {
                    let from = self.slots[*slot];
                    self.close(*group, from, at);
                    next
                }
                Inst::LeaveIfEmpty(slot, leave) => {
                    if self.slots[*slot] == at {
                        Some((*leave, at))
                    } else {
                        next
                    }
                }
                Inst::Reference(group, caseless) => {
                    self.same_again(*group, *caseless, at).map(|end| (pc + 1, end))
                }
                Inst::Unless(group, to) => {
                    if self.capture(*group).is_none() {
                        Some((*to, at))
                    } else {
                        next
                    }
                }
                Inst::Keep => {
                    self.set(0, at);
                    next
                }
                Inst::Atomic(end) => {
                    let base = self.undo.len();
                    let found = self.run(pc + 1, at)?;
                    self.commit(base);
                    found.map(|at| (*end, at))
                }
                Inst::Ahead(negative, end) => self.look(pc + 1, Some(at), *negative)?.map(|()| (*end, at)),
                Inst::Behind(len, negative, end) => {
                    let mut from = Some(at);
                    for _ in 0..*len {
                        from = from.and_then(|at| self.char_before(at).map(|(_, len)| at - len));
                    }
                    self.look(pc + 1, from, *negative)?.map(|()| (*end, at))
                }
                Inst::Fail => None,
                Inst::End => return Ok(Some(at)),
                Inst::Match => {
                    let empty = self.slots[0] == at;
                    let refused = empty
                        && (self.request.notempty
                            || self.request.notempty_atstart && at == self.request.offset);
                    if !refused {
                        return Ok(Some(at));
                    }
                    None
                }
            };
        }
    }

    /// Matches a lookaround at `from`, if that is a position, and compares the result with `negative`.
    fn look(&mut self, pc: usize, from: Option<usize>, negative: bool) -> Result<Option<()>, TooLong> {
        let base = self.undo.len();
        let found = match from {
            Some(from) => self.run(pc, from)?.is_some(),
            None => false,
        };
        self.commit_captures(base);
        if negative {
            while self.back(base).is_some() {}
        }
        Ok((found != negative).then_some(()))
    }

    fn same_again(&self, group: usize, caseless: bool, at: usize) -> Option<usize> {
        let (from, to) = self.capture(group)?;
        let (mut old, mut new) = (from, at);
        while old < to {
            let ((a, old_len), (b, new_len)) = (self.char_at(old)?, self.char_at(new)?);
            if a != b && !(caseless && chars::same(a, b, self.unicode())) {
                return None;
            }
            (old, new) = (old + old_len, new + new_len);
        }
        Some(new)
    }
}
