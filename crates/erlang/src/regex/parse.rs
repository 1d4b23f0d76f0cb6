//! Parses a pattern to a syntax tree.

use super::class::Set;
use super::{Fault, Newline, Options, chars};

/// A zero-width assertion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Assertion {
    LineStart,
    LineEnd,
    TextStart,
    TextEnd,
    LastLineEnd,
    /// `$` that matches only at the very end.
    DollarEnd,
    /// `^` and `$` without `multiline`.
    Caret,
    Dollar,
    SearchStart,
    WordEdge,
    NoWordEdge,
}

/// The greediness of a quantifier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Greed {
    Greedy,
    Lazy,
    Possessive,
}

/// A node of the syntax tree.
#[derive(Clone, Debug)]
pub enum Node {
    /// The empty pattern.
    Empty,
    /// A character; whether case is ignored.
    Character(u32, bool),
    /// Any character.
    Anything,
    /// Any character that does not start a newline.
    NotNewline,
    /// `\R`
    LineBreak,
    /// A character class.
    Set(usize),
    /// An assertion.
    Assert(Assertion),
    /// A concatenation.
    Sequence(Vec<Node>),
    /// Alternatives, in order.
    Either(Vec<Node>),
    /// A capture.
    Capture(usize, Box<Node>),
    /// An atomic group.
    Atomic(Box<Node>),
    /// A repetition.
    Repeat(Box<Node>, u32, Option<u32>, Greed),
    /// A back reference; whether case is ignored.
    Reference(usize, bool),
    /// A lookahead; whether negative.
    Ahead(Box<Node>, bool),
    /// A lookbehind: alternatives with their lengths; whether negative.
    Behind(Vec<(usize, Node)>, bool),
    /// A condition on whether a capture is set.
    If(usize, Box<Node>, Box<Node>),
    /// `\K`: the match starts here.
    Keep,
}

/// Flags that a pattern can change.
#[derive(Clone, Copy)]
pub struct Flags {
    pub caseless: bool,
    pub multiline: bool,
    pub dotall: bool,
    pub extended: bool,
    pub ungreedy: bool,
}

/// A parsed pattern.
pub struct Parsed {
    pub tree: Node,
    pub sets: Vec<Set>,
    pub groups: usize,
    pub names: Vec<(String, usize)>,
}

pub struct Parser<'a> {
    pub pattern: &'a [u8],
    pub at: usize,
    pub options: Options,
    pub flags: Flags,
    /// Between `\Q` and `\E`.
    pub quoting: bool,
    /// The number of captures opened so far.
    pub groups: usize,
    /// The number of all captures, and their names.
    pub all_groups: usize,
    pub names_ahead: Vec<(String, usize)>,
    names: Vec<(String, usize)>,
    /// Open captures, and whether they contain a reference to themselves.
    pub open: Vec<(usize, bool)>,
    sets: Vec<Set>,
    depth: u32,
}

/// The limit of nested parentheses.
const DEEPEST: u32 = 200;

/// Parses a pattern. References may point forward, so there are two passes.
pub fn parse(pattern: &[u8], options: Options) -> Result<Parsed, Fault> {
    if options.unicode && std::str::from_utf8(pattern).is_err() {
        return Err(Fault::Unsupported("a pattern that is not UTF-8".into()));
    }
    let mut first = Parser::new(pattern, options);
    first.all_groups = usize::MAX;
    let counted = first.whole();
    let mut second = Parser::new(pattern, options);
    (second.all_groups, second.names_ahead) = (first.groups, first.names);
    if counted.is_err() {
        // Uncounted groups are unknown: only the error matters.
        second.all_groups = pattern.iter().filter(|b| **b == b'(').count();
    }
    let tree = second.whole()?;
    Ok(Parsed { tree, sets: second.sets, groups: second.groups, names: second.names })
}

impl<'a> Parser<'a> {
    fn new(pattern: &'a [u8], options: Options) -> Parser<'a> {
        let flags = Flags {
            caseless: options.caseless,
            multiline: options.multiline,
            dotall: options.dotall,
            extended: options.extended,
            ungreedy: options.ungreedy,
        };
        Parser {
            pattern,
            at: 0,
            options,
            flags,
            quoting: false,
            groups: 0,
            all_groups: 0,
            names_ahead: Vec::new(),
            names: Vec::new(),
            open: Vec::new(),
            sets: Vec::new(),
            depth: 0,
        }
    }
    pub fn rest(&self) -> &'a [u8] {
        self.pattern.get(self.at..).unwrap_or_default()
    }
    pub fn take(&mut self, text: &[u8]) -> bool {
        let there = self.rest().starts_with(text);
        if there {
            self.at += text.len();
        }
        there
    }
    pub fn unsupported(&self, what: &str) -> Fault {
        Fault::Unsupported(what.to_owned())
    }
    /// The next character as it is.
    pub fn character(&mut self) -> Result<u32, Fault> {
        let Some(first) = self.rest().first().copied() else {
            return Err(self.unsupported("a pattern that ends here"));
        };
        if !self.options.unicode || first < 128 {
            self.at += 1;
            return Ok(first as u32);
        }
        let text =
            std::str::from_utf8(self.rest()).map_err(|_| self.unsupported("text that is not UTF-8"))?;
        let c = text.chars().next().map_or('\0', |c| c);
        self.at += c.len_utf8();
        Ok(c as u32)
    }
    pub fn literal(&self, c: u32) -> Node {
        Node::Character(c, self.flags.caseless)
    }
    pub fn set_node(&mut self, set: Set) -> Node {
        self.sets.push(set);
        Node::Set(self.sets.len() - 1)
    }

    fn whole(&mut self) -> Result<Node, Fault> {
        if self.rest().starts_with(b"(*") {
            return Err(self.unsupported("verbs such as (*UTF8)"));
        }
        let tree = self.alternatives()?;
        if self.at < self.pattern.len() {
            return Err(Fault::Wrong("unmatched parentheses", self.at));
        }
        Ok(tree)
    }

    fn alternatives(&mut self) -> Result<Node, Fault> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.unsupported("so many parentheses within each other"));
        }
        let mut all = vec![self.sequence()?];
        while self.take(b"|") {
            all.push(self.sequence()?);
        }
        self.depth -= 1;
        Ok(if all.len() == 1 { all.remove(0) } else { Node::Either(all) })
    }

    fn skip_comments(&mut self) {
        while self.flags.extended && !self.quoting {
            match self.rest().first() {
                Some(b' ' | 9..=13) => self.at += 1,
                Some(b'#') => {
                    let end = if self.options.newline == Newline::Cr { b'\r' } else { b'\n' };
                    let len = self.rest().iter().position(|b| *b == end).map_or(self.rest().len(), |n| n + 1);
                    self.at += len;
                }
                _ => return,
            }
        }
    }

    fn sequence(&mut self) -> Result<Node, Fault> {
        let mut all = Vec::new();
        loop {
            self.skip_comments();
            if self.quoting {
                if self.take(b"\\E") || self.rest().is_empty() {
                    self.quoting = false;
                    continue;
                }
            } else if self.rest().is_empty() || matches!(self.rest()[0], b'|' | b')') {
                break;
            } else if self.take(b"\\Q") {
                self.quoting = true;
                continue;
            } else if self.take(b"\\E") {
                continue;
            }
            match self.atom()? {
                Some(atom) => all.push(self.repeated(atom)?),
                None => continue,
            }
        }
        Ok(if all.len() == 1 { all.remove(0) } else { Node::Sequence(all) })
    }

    fn atom(&mut self) -> Result<Option<Node>, Fault> {
        if self.quoting {
            return self.character().map(|c| Some(self.literal(c)));
        }
        if let Some((_, _, len)) = self.quantifier() {
            return Err(Fault::Wrong("nothing to repeat", self.at + len - 1));
        }
        let node = match self.rest()[0] {
            b'\\' => {
                self.at += 1;
                self.escape()?
            }
            b'[' => {
                if [&b"[:"[..], b"[.", b"[="].iter().any(|p| self.rest().starts_with(p)) && self.looks_posix()
                {
                    return Err(self.unsupported("a POSIX class outside of square brackets"));
                }
                self.at += 1;
                let set = self.set()?;
                self.set_node(set)
            }
            b'(' => return self.group(),
            b'.' => {
                self.at += 1;
                if self.flags.dotall { Node::Anything } else { Node::NotNewline }
            }
            b'^' => {
                self.at += 1;
                Node::Assert(if self.flags.multiline { Assertion::LineStart } else { Assertion::Caret })
            }
            b'$' => {
                self.at += 1;
                Node::Assert(match (self.flags.multiline, self.options.dollar_endonly) {
                    (true, _) => Assertion::LineEnd,
                    (false, true) => Assertion::DollarEnd,
                    (false, false) => Assertion::Dollar,
                })
            }
            _ => {
                let c = self.character()?;
                self.literal(c)
            }
        };
        Ok(Some(node))
    }

    fn looks_posix(&self) -> bool {
        let close = [self.rest()[1], b']'];
        self.rest()[2..].windows(2).any(|pair| pair == close)
    }

    /// Minimum, maximum and length of the next quantifier. The order of the two numbers is not checked.
    fn quantifier(&self) -> Option<(u32, Option<u32>, usize)> {
        let rest = self.rest();
        match rest.first()? {
            b'*' => Some((0, None, 1)),
            b'+' => Some((1, None, 1)),
            b'?' => Some((0, Some(1), 1)),
            b'{' => {
                let end = rest.iter().position(|b| *b == b'}')?;
                let text = std::str::from_utf8(&rest[1..end]).ok()?;
                let digits = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit());
                let number = |t: &str| t.parse::<u32>().unwrap_or(u32::MAX);
                match text.split_once(',') {
                    None if digits(text) => Some((number(text), Some(number(text)), end + 1)),
                    Some((least, "")) if digits(least) => Some((number(least), None, end + 1)),
                    Some((least, most)) if digits(least) && digits(most) => {
                        Some((number(least), Some(number(most)), end + 1))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn repeated(&mut self, atom: Node) -> Result<Node, Fault> {
        if self.rest().starts_with(b"\\E") && self.quoting {
            // A quantifier after \E belongs to the last character.
            self.at += 2;
            self.quoting = false;
        }
        if self.quoting {
            return Ok(atom);
        }
        self.skip_comments();
        let Some((least, most, len)) = self.quantifier() else { return Ok(atom) };
        let largest = least.max(most.unwrap_or(0));
        if largest > 65535 {
            let at = self.too_big(least, len);
            return Err(Fault::Wrong("number too big in {} quantifier", at));
        }
        if most.is_some_and(|most| most < least) {
            return Err(Fault::Wrong("numbers out of order in {} quantifier", self.at + len - 1));
        }
        if matches!(atom, Node::Assert(_) | Node::Keep) {
            return Err(Fault::Wrong("nothing to repeat", self.at + len - 1));
        }
        self.at += len;
        let usual = if self.flags.ungreedy { Greed::Lazy } else { Greed::Greedy };
        let other = if self.flags.ungreedy { Greed::Greedy } else { Greed::Lazy };
        let greed = match () {
            () if self.take(b"?") => other,
            () if self.take(b"+") => Greed::Possessive,
            () => usual,
        };
        // A repeated lookaround is the same as one, or as none.
        if matches!(atom, Node::Ahead(..) | Node::Behind(..)) && (least > 1 || most.is_none_or(|m| m > 1)) {
            return Ok(Node::Repeat(Box::new(atom), least.min(1), Some(1), greed));
        }
        if let Some(of_words) = self.words_in_unicode(&atom).filter(|_| least > 0 && most != Some(1)) {
            let first = Node::Repeat(Box::new(of_words), least, Some(least), Greed::Greedy);
            let more = Node::Repeat(Box::new(atom), 0, most.map(|most| most - least), greed);
            let both = Node::Sequence(vec![first, more]);
            return Ok(if greed == Greed::Possessive { Node::Atomic(Box::new(both)) } else { both });
        }
        Ok(Node::Repeat(Box::new(atom), least, most, greed))
    }

    /// In UTF-8 mode, PCRE 8 takes no letter beyond ASCII for a word character in a required repetition of
    /// `\w` or `\W`.
    fn words_in_unicode(&mut self, atom: &Node) -> Option<Node> {
        let Node::Set(number) = atom else { return None };
        let set = &self.sets[*number];
        let plain = self.options.unicode && set.written.is_empty() && !set.negated;
        let ascii = vec![(48, 57), (65, 90), (95, 95), (97, 122)];
        let classes = match plain {
            true if set.classes == chars::escape(b'w')? => ascii,
            true if set.classes == chars::escape(b'W')? => chars::complement(&ascii),
            _ => return None,
        };
        Some(self.set_node(Set { classes, ..Set::default() }))
    }

    /// Where PCRE stops to read a number that is too big.
    fn too_big(&self, least: u32, len: usize) -> usize {
        let inner = &self.rest()[..len];
        let comma = inner.iter().position(|b| *b == b',');
        match comma {
            Some(comma) if least > 65535 => self.at + comma,
            _ => self.at + len - 1,
        }
    }

    /// Names the capture that was just opened.
    pub fn add_name(&mut self, name: String, at: usize) -> Result<(), Fault> {
        if self.names.iter().any(|(n, _)| *n == name) {
            return Err(Fault::Wrong("two named subpatterns have the same name", at));
        }
        self.names.push((name, self.groups));
        Ok(())
    }

    /// Parses the contents of parentheses.
    pub fn inner(&mut self) -> Result<Node, Fault> {
        let flags = self.flags;
        let inner = self.alternatives()?;
        self.flags = flags;
        if !self.take(b")") {
            return Err(Fault::Wrong("missing )", self.pattern.len()));
        }
        Ok(inner)
    }
}
