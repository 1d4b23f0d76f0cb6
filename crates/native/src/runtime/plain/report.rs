//! What is wrong with an access to plain memory, as a failure with facts: both accesses, and where the memory comes from.
//!
//! Invariant: places are known where stacks are kept. Elsewhere the failing execution is repeated for them.

use super::cell::{Noted, Touch};
use super::{Access, How, Shown, Wrong};
use crate::callers;
use crate::runtime::execution::Execution;
use crate::runtime::heap::fact_with;
use raddle_core::fact::{Fact, PlainAccess, Relation};
use raddle_core::record::{ExecutionRecord, Line};
use raddle_core::verdict::{Cause, Defect, PlainMemory};
use std::backtrace::Backtrace;
use std::ops::Range;
use std::rc::Rc;

fn access_of(how: How) -> PlainAccess {
    if how.writes() { PlainAccess::Write } else { PlainAccess::Read }
}

impl Execution {
    /// What is wrong with the access of the running task to these bytes; none if it is suppressed.
    #[cold]
    pub(super) fn wrong(&mut self, wrong: Wrong, bytes: Range<usize>, new: Touch) -> Option<Defect> {
        let access = access_of(new.how());
        match wrong {
            Wrong::Race(old) => self.race(old, bytes, new),
            Wrong::Freed => self.accesses_freed(bytes, access),
            Wrong::Zone => self.accesses_zone(bytes, access),
        }
    }

    fn race(&mut self, old: Noted, bytes: Range<usize>, new: Touch) -> Option<Defect> {
        let now = if self.plain.keeps_stacks() { Some(callers::stack()) } else { None };
        let before = self.plain.access(old.stack).map(|access| access.stack.clone());
        if let Some(rules) = &self.plain.wanted
            && rules.are_some()
        {
            let has = |is: &dyn Fn(&str) -> bool| {
                now.iter().chain(&before).any(|stack| callers::has_frame(stack, is))
            };
            if rules.suppress(has) {
                let stack = self.plain.note_stack(&self.log);
                self.plain.touch_anyway(bytes.start, Noted { touch: new, stack });
                return None;
            }
        }
        let overlap = old.touch.mask() & new.mask();
        let start = (bytes.start & !7) + overlap.trailing_zeros() as usize;
        let size = overlap.count_ones() as usize;
        let name = |touch: Touch| self.tasks.name(touch.task());
        let (first, second) = (name(old.touch), name(new));
        let fact = |task: &str, touch: Touch, stack: Option<&Rc<Backtrace>>| {
            let (access, atomically) = (access_of(touch.how()), touch.how().is_atomic());
            fact_with(task.to_owned(), Relation::Accesses { access, atomically, bytes: size }, stack)
        };
        let facts = [fact(&first, old.touch, before.as_ref()), fact(&second, new, now.as_ref())];
        if let Some(Access { line, .. }) = self.plain.access(old.stack) {
            let (line, now) = (*line, self.log.len() as u32);
            for ((task, line), fact) in [(old.touch.task(), line), (new.task(), now)].into_iter().zip(&facts)
            {
                self.plain.shown.push(Shown { task, line, fact: fact.clone() });
            }
        }
        let (memory, origin) = self.memory_at(start);
        let defect = Defect::of(Cause::PlainRace { first, second, bytes: size, memory });
        let defect = facts.into_iter().fold(defect, Defect::with);
        Some(origin.into_iter().fold(defect, Defect::with))
    }

    /// Which memory this is, and where it comes from.
    fn memory_at(&self, address: usize) -> (PlainMemory, Vec<Fact>) {
        if let Some((offset, size, facts)) = self.block_around(address) {
            return (PlainMemory::Block { offset, size }, facts);
        }
        match self.tasks.stacked_at(address) {
            Some(task) => (PlainMemory::Stack { of: self.tasks.name(task) }, Vec::new()),
            None => (PlainMemory::Static, Vec::new()),
        }
    }

    /// A race of the access that frees a block.
    #[cold]
    pub(super) fn of_free(&mut self, race: Defect, size: usize) -> Defect {
        let Cause::PlainRace { first, second, .. } = &*race.cause else { return race };
        let cause = Cause::UnorderedFree { task: second.clone(), other: first.clone(), size };
        let mut defect = Defect::of(cause);
        let mut facts = race.facts.into_iter();
        defect = facts.next().into_iter().fold(defect, Defect::with);
        if let Some(freed) = facts.next() {
            let freed = Fact { relation: Relation::FreesHere, ..freed };
            if let Some(shown) = self.plain.shown.last_mut() {
                shown.fact = freed.clone();
            }
            defect = defect.with(freed);
        }
        facts.fold(defect, Defect::with)
    }

    fn accesses_freed(&mut self, bytes: Range<usize>, access: PlainAccess) -> Option<Defect> {
        let (offset, size, facts) = self.block_around(bytes.start)?;
        let (task, length) = (self.my_name(), bytes.len().min(size - offset));
        let freed_by = self.freed_by(bytes.start)?;
        let cause =
            Cause::FreedBlockAccessed { task: task.clone(), access, bytes: length, offset, size, freed_by };
        let relation = Relation::Accesses { access, atomically: false, bytes: length };
        let defect = facts.into_iter().fold(Defect::of(cause), Defect::with);
        Some(defect.with(self.shown_now(fact_with(task, relation, self.heap.stack().as_ref()))))
    }

    fn accesses_zone(&mut self, bytes: Range<usize>, access: PlainAccess) -> Option<Defect> {
        let beyond = self.block_beside(&bytes)?;
        let task = self.my_name();
        let cause = Cause::OutOfBounds {
            task: task.clone(),
            access,
            bytes: bytes.len(),
            size: beyond.size,
            side: beyond.side,
            distance: beyond.distance,
        };
        let relation = Relation::Accesses { access, atomically: false, bytes: bytes.len() };
        let defect = beyond.facts.into_iter().fold(Defect::of(cause), Defect::with);
        Some(defect.with(self.shown_now(fact_with(task, relation, self.heap.stack().as_ref()))))
    }

    /// The running task does what this says, here.
    fn shown_now(&mut self, fact: Fact) -> Fact {
        if self.plain.keeps_stacks() {
            let (task, line) = (self.tasks.current(), self.log.len() as u32);
            self.plain.shown.push(Shown { task, line, fact: fact.clone() });
        }
        fact
    }

    /// The record with the accesses that are wrong, each where it happened.
    pub(in crate::runtime) fn show_accesses(&self, record: &mut ExecutionRecord) {
        let mut shown: Vec<&Shown> = self.plain.shown.iter().collect();
        shown.sort_by_key(|shown| shown.line);
        for (before, Shown { task, line, fact }) in shown.into_iter().enumerate() {
            let at = (*line as usize + before).min(record.lines.len());
            for reads_from in record.lines.iter_mut().filter_map(|line| line.reads_from.as_mut()) {
                *reads_from += (*reads_from >= at) as usize;
            }
            let (operation, result) = match &fact.relation {
                Relation::Accesses { access: PlainAccess::Read, bytes, .. } => ("read", Some(*bytes)),
                Relation::Accesses { access: PlainAccess::Write, bytes, .. } => ("write", Some(*bytes)),
                _ => ("free", None),
            };
            let line = Line {
                task: task.index(),
                operation: operation.to_owned(),
                result: result
                    .map(|n| if n == 1 { "1 byte".to_owned() } else { format!("{n} bytes") })
                    .unwrap_or_default(),
                place: fact.place.clone(),
                caller: fact.caller.clone(),
                ..Line::default()
            };
            record.lines.insert(at, line);
        }
    }
}
