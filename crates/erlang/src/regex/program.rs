//! Compiles a syntax tree to instructions.

use super::Fault;
use super::parse::{Assertion, Greed, Node};

/// An instruction; numbers are addresses unless said otherwise.
#[derive(Clone, Debug)]
pub enum Inst {
    Character(u32, bool),
    Anything,
    NotNewline,
    LineBreak,
    Set(usize),
    Assert(Assertion),
    /// Tries the first address, then the second.
    Try(usize, usize),
    Jump(usize),
    /// Stores the position in a slot.
    Remember(usize),
    /// Starts a capture: stores the position in a slot.
    Open(usize, usize),
    /// Ends a capture that started at the position in a slot.
    Close(usize, usize),
    /// Leaves the loop if nothing was matched since the position in a slot.
    LeaveIfEmpty(usize, usize),
    Reference(usize, bool),
    /// Matches the code up to `End` as a lookahead, then continues at the address.
    Ahead(bool, usize),
    /// The same as a lookbehind, with its length first.
    Behind(usize, bool, usize),
    Atomic(usize),
    /// Jumps if the capture is not set.
    Unless(usize, usize),
    Keep,
    Fail,
    /// The end of a lookaround or an atomic group.
    End,
    Match,
}

/// The maximal length of a program.
const LONGEST: usize = 200_000;

struct Compiler {
    out: Vec<Inst>,
    slots: usize,
}

/// The instructions, and the number of slots: two for the whole match and each capture, and those of loops.
pub fn compile(tree: &Node, groups: usize) -> Result<(Vec<Inst>, usize), Fault> {
    let mut c = Compiler { out: Vec::new(), slots: 2 * (groups + 1) };
    c.node(tree)?;
    c.out.push(Inst::Match);
    Ok((c.out, c.slots))
}

impl Compiler {
    fn slot(&mut self) -> usize {
        self.slots += 1;
        self.slots - 1
    }
    fn push(&mut self, inst: Inst) -> usize {
        self.out.push(inst);
        self.out.len() - 1
    }

    fn node(&mut self, node: &Node) -> Result<(), Fault> {
        if self.out.len() > LONGEST {
            return Err(Fault::Unsupported("a pattern with so many repetitions".into()));
        }
        match node {
            Node::Empty => {}
            Node::Character(c, caseless) => {
                self.push(Inst::Character(*c, *caseless));
            }
            Node::Anything => {
                self.push(Inst::Anything);
            }
            Node::NotNewline => {
                self.push(Inst::NotNewline);
            }
            Node::LineBreak => {
                self.push(Inst::LineBreak);
            }
            Node::Set(n) => {
                self.push(Inst::Set(*n));
            }
            Node::Assert(assertion) => {
                self.push(Inst::Assert(*assertion));
            }
            Node::Reference(n, caseless) => {
                self.push(Inst::Reference(*n, *caseless));
            }
            Node::Keep => {
                self.push(Inst::Keep);
            }
            Node::Sequence(all) => all.iter().try_for_each(|n| self.node(n))?,
            Node::Either(all) => {
                let mut ends = Vec::new();
                for (i, alternative) in all.iter().enumerate() {
                    if i + 1 == all.len() {
                        self.node(alternative)?;
                        break;
                    }
                    let fork = self.push(Inst::Fail);
                    self.node(alternative)?;
                    ends.push(self.push(Inst::Fail));
                    self.out[fork] = Inst::Try(fork + 1, self.out.len());
                }
                let here = self.out.len();
                ends.into_iter().for_each(|end| self.out[end] = Inst::Jump(here));
            }
            Node::Capture(n, inner) => {
                let slot = self.slot();
                self.push(Inst::Open(*n, slot));
                self.node(inner)?;
                self.push(Inst::Close(*n, slot));
            }
            Node::Atomic(inner) => self.apart(inner, Inst::Atomic)?,
            Node::Ahead(inner, negative) => self.apart(inner, |end| Inst::Ahead(*negative, end))?,
            Node::Behind(all, negative) => self.behind(all, *negative)?,
            Node::If(group, yes, no) => {
                let test = self.push(Inst::Fail);
                self.node(yes)?;
                let end = self.push(Inst::Fail);
                self.out[test] = Inst::Unless(*group, self.out.len());
                self.node(no)?;
                self.out[end] = Inst::Jump(self.out.len());
            }
            Node::Repeat(inner, least, most, Greed::Possessive) => {
                let greedy = Node::Repeat(inner.clone(), *least, *most, Greed::Greedy);
                self.apart(&greedy, Inst::Atomic)?;
            }
            Node::Repeat(inner, least, most, greed) => self.repeat(inner, *least, *most, *greed)?,
        }
        Ok(())
    }

    /// Compiles a lookaround or an atomic group.
    fn apart(&mut self, inner: &Node, make: impl Fn(usize) -> Inst) -> Result<(), Fault> {
        let begin = self.push(Inst::Fail);
        self.node(inner)?;
        self.push(Inst::End);
        self.out[begin] = make(self.out.len());
        Ok(())
    }

    fn behind(&mut self, all: &[(usize, Node)], negative: bool) -> Result<(), Fault> {
        if negative {
            // None of them.
            return all
                .iter()
                .try_for_each(|(len, node)| self.apart(node, |end| Inst::Behind(*len, true, end)));
        }
        // The first that matches, without backtracking to another.
        let begin = self.push(Inst::Fail);
        let mut ends = Vec::new();
        for (i, (len, node)) in all.iter().enumerate() {
            let fork = (i + 1 < all.len()).then(|| self.push(Inst::Fail));
            self.apart(node, |end| Inst::Behind(*len, false, end))?;
            if let Some(fork) = fork {
                ends.push(self.push(Inst::Fail));
                self.out[fork] = Inst::Try(fork + 1, self.out.len());
            }
        }
        let here = self.push(Inst::End);
        ends.into_iter().for_each(|end| self.out[end] = Inst::Jump(here));
        self.out[begin] = Inst::Atomic(here + 1);
        Ok(())
    }

    fn fork(&self, greed: Greed, go: usize, leave: usize) -> Inst {
        match greed {
            Greed::Lazy => Inst::Try(leave, go),
            _ => Inst::Try(go, leave),
        }
    }

    fn repeat(&mut self, inner: &Node, least: u32, most: Option<u32>, greed: Greed) -> Result<(), Fault> {
        match most {
            // The required repetitions but one, then a loop of at least one iteration, or none. An iteration
            // with an empty match is the last.
            None => {
                for _ in 1..least {
                    self.node(inner)?;
                }
                let skip = (least == 0).then(|| self.push(Inst::Fail));
                let slot = self.slot();
                let begin = self.push(Inst::Remember(slot));
                self.node(inner)?;
                let check = self.push(Inst::Fail);
                let fork = self.push(Inst::Fail);
                let leave = self.out.len();
                self.out[check] = Inst::LeaveIfEmpty(slot, leave);
                self.out[fork] = self.fork(greed, begin, leave);
                if let Some(skip) = skip {
                    self.out[skip] = self.fork(greed, begin, leave);
                }
            }
            Some(most) => {
                for _ in 0..least {
                    self.node(inner)?;
                }
                let mut forks = Vec::new();
                for _ in least..most {
                    forks.push(self.push(Inst::Fail));
                    self.node(inner)?;
                }
                let leave = self.out.len();
                for fork in forks {
                    self.out[fork] = self.fork(greed, fork + 1, leave);
                }
            }
        }
        Ok(())
    }
}
