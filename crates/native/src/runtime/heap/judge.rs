//! What is wrong with what the program does to its heap, and the facts about it.
//!
//! Invariant: nothing is said in teardown, where tasks that were stopped anywhere are unwound, and nothing of memory that is
//! not known.

use super::zones::{Damage, ZONE};
use super::{Block, Heap, State};
use crate::callers::{self, Called};
use crate::runtime::execution::Execution;
use crate::runtime::image;
use raddle_core::fact::{Fact, Relation};
use raddle_core::operation::{ObjectId, TaskId};
use raddle_core::verdict::{BadFree, Cause, Defect, Side};
use std::alloc::Layout;
use std::backtrace::Backtrace;
use std::ops::Range;
use std::rc::Rc;

/// Whether a block that was freed is one of this execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Freed {
    Known,
    /// One of an earlier execution, for example.
    Unknown,
}

impl Heap {
    /// The stack of this call, where stacks are gathered.
    #[inline]
    pub fn stack(&self) -> Option<Rc<Backtrace>> {
        (self.gathers_stacks || callers::are_gathered()).then(callers::stack)
    }
}

/// A block that something is beside.
pub(crate) struct Beside {
    pub size: usize,
    pub side: Side,
    /// How many bytes before or behind it.
    pub distance: usize,
    /// Who allocated and freed it.
    pub facts: Vec<Fact>,
}

impl Execution {
    /// Whether what the program does to its heap is judged now.
    #[inline]
    pub fn judges_heap(&self) -> bool {
        self.heap.is_judged() && !self.is_teardown()
    }

    /// The running task frees this block.
    pub fn free(&mut self, start: usize, layout: Layout) -> Result<Freed, Defect> {
        let stack = self.heap.stack();
        let me = self.tasks.current();
        let task = self.tasks.name(me);
        let frees = |relation| fact_with(task.clone(), relation, stack.as_ref());
        let Some(at) = self.heap.beginning_at(start) else {
            return match self.heap.around(start) {
                Some(at) => {
                    let Block { start: from, size, .. } = self.heap.blocks[at];
                    let how = BadFree::Inside { offset: start - from, size };
                    let defect = Defect::of(Cause::BadFree { task: task.clone(), how });
                    Err(self.with_facts(at, defect).with(frees(Relation::FreesHere)))
                }
                None => Ok(Freed::Unknown),
            };
        };
        let block = self.heap.blocks[at];
        if block.state != State::Live {
            let first = self.tasks.name(block.freed_by);
            let defect = Defect::of(Cause::DoubleFree { task: task.clone(), size: block.size, first });
            return Err(self.with_facts(at, defect).with(frees(Relation::FreesAgain)));
        }
        if (layout.size(), layout.align()) != (block.size, block.align) {
            let how = BadFree::Layout {
                size: block.size,
                align: block.align,
                freed_size: layout.size(),
                freed_align: layout.align(),
            };
            let defect = Defect::of(Cause::BadFree { task: task.clone(), how });
            return Err(self.with_facts(at, defect).with(frees(Relation::FreesHere)));
        }
        // SAFETY: a block of this execution.
        if let Some(damage) = unsafe { super::zones::damage(start, block.size, at as u32) } {
            let defect = self.damaged(at, damage, Some(task.clone()));
            return Err(defect.with(frees(Relation::FreesHere)));
        }
        let race = self.note_freed(start, layout.size());
        self.heap.put_away(at, me, stack);
        race.map_or(Ok(Freed::Known), Err)
    }

    /// The running task frees memory that no allocator has made.
    #[cold]
    pub fn frees_no_block(&self, address: usize) -> Option<Defect> {
        let stack = self.heap.stack();
        let how = match () {
            _ if self.tasks.are_stacked_at(address) => BadFree::OfAStack,
            _ if image::contains(address) => BadFree::OfAStatic,
            _ => return None,
        };
        let task = self.my_name();
        let defect = Defect::of(Cause::BadFree { task: task.clone(), how });
        Some(defect.with(fact_with(task, Relation::FreesHere, stack.as_ref())))
    }

    /// The step that is being taken is this task's: whether it uses a freed block.
    #[inline]
    pub fn misuse_of_heap(&mut self) -> Option<Defect> {
        if !self.heap.has_freed || !self.judges_heap() {
            return None;
        }
        let op = &self.tasks.running().op;
        let (object, other, expected) = (op.object, op.other, op.args[1]);
        self.heap.note_expected(expected);
        let home = self.heap.freed_home(object).map(|at| (object, at));
        let home = home.or_else(|| self.heap.freed_home(other).map(|at| (other, at)));
        home.and_then(|(object, at)| self.uses_freed(object, at))
    }

    #[cold]
    fn uses_freed(&self, object: ObjectId, at: usize) -> Option<Defect> {
        let op = &self.tasks.running().op;
        // A waker may know no more than the address of those that wait, as in the kernel.
        if op.kind.name == "futex_wake" {
            return None;
        }
        let block = self.heap.blocks[at];
        let (task, operation) = (self.my_name(), op.kind.name.to_owned());
        let object = self.evidence().object_name(object);
        let freed_by = (block.state != State::Live).then(|| self.tasks.name(block.freed_by));
        let size = block.size;
        let cause = Cause::FreedBlockUsed {
            task: task.clone(),
            operation: operation.clone(),
            object: object.clone(),
            size,
            freed_by,
        };
        let used = self.evidence().operation_of(self.me(), Relation::UsesFreed { operation }).object(object);
        Some(self.with_facts(at, Defect::of(cause)).with(used))
    }

    /// An object at this address is in a freed block, and is about to be used for the first time.
    #[cold]
    pub fn first_use_of_freed(&self, address: usize, kind: &str) -> Option<Defect> {
        let at = self.heap.around(address).filter(|at| self.heap.blocks[*at].state != State::Live)?;
        let (task, block) = (self.my_name(), self.heap.blocks[at]);
        let cause = Cause::FreedBlockUsed {
            task: task.clone(),
            operation: "use".to_owned(),
            object: kind.to_owned(),
            size: block.size,
            freed_by: Some(self.tasks.name(block.freed_by)),
        };
        let used =
            fact_with(task, Relation::UsesFreed { operation: "use".to_owned() }, self.heap.stack().as_ref());
        Some(self.with_facts(at, Defect::of(cause)).with(used.object(kind)))
    }

    /// The execution has come to its end: whether a write went beyond a block, or into a freed one.
    pub fn damage_of_heap(&self) -> Option<Defect> {
        if !self.judges_heap() {
            return None;
        }
        let (at, damage) = self.heap.first_damaged()?;
        Some(self.damaged(at, damage, None))
    }

    #[cold]
    fn damaged(&self, at: usize, damage: Damage, found_by: Option<String>) -> Defect {
        let block = self.heap.blocks[at];
        let size = block.size;
        let side = match damage {
            Damage::Before => Side::Before,
            Damage::Behind => Side::Behind,
            Damage::Contents => {
                let freed_by = self.tasks.name(block.freed_by);
                return self.with_facts(at, Defect::of(Cause::FreedBlockWritten { size, freed_by }));
            }
        };
        self.with_facts(at, Defect::of(Cause::HeapOverflow { size, side, found_by }))
    }

    /// The block around an address: where in it that is, its size, and who allocated and freed it.
    pub(crate) fn block_around(&self, address: usize) -> Option<(usize, usize, Vec<Fact>)> {
        let at = self.heap.around(address)?;
        let block = &self.heap.blocks[at];
        Some((address - block.start, block.size, self.facts(at).collect()))
    }

    /// Who freed the block around an address.
    pub(crate) fn freed_by(&self, address: usize) -> Option<String> {
        let block = &self.heap.blocks[self.heap.around(address)?];
        (block.state != State::Live).then(|| self.tasks.name(block.freed_by))
    }

    /// The block that these bytes are beside, which are not all in one.
    pub(crate) fn block_beside(&self, bytes: &Range<usize>) -> Option<Beside> {
        let blocks = &self.heap.blocks;
        let next = blocks.partition_point(|block| block.start <= bytes.start);
        let before = next.checked_sub(1);
        let is_behind = |at: &usize| bytes.start < blocks[*at].start + blocks[*at].size.max(1) + ZONE;
        let (at, side, distance) = match before.filter(is_behind) {
            Some(at) => (at, Side::Behind, bytes.start.saturating_sub(blocks[at].start + blocks[at].size)),
            None => (next, Side::Before, blocks.get(next)?.start - bytes.start),
        };
        Some(Beside { size: blocks[at].size, side, distance, facts: self.facts(at).collect() })
    }

    /// Who allocated a block and who freed it.
    fn with_facts(&self, at: usize, defect: Defect) -> Defect {
        self.facts(at).fold(defect, Defect::with)
    }

    fn facts(&self, at: usize) -> impl Iterator<Item = Fact> {
        let block = &self.heap.blocks[at];
        let stacks = self.heap.stacks.get(at).cloned().unwrap_or_default();
        let name = |task: TaskId| self.tasks.name(task);
        let allocated = fact_with(name(block.allocated_by), Relation::Allocated, stacks.allocated.as_ref());
        let freed = (block.state != State::Live)
            .then(|| fact_with(name(block.freed_by), Relation::Freed, stacks.freed.as_ref()));
        std::iter::once(allocated).chain(freed)
    }
}

/// A fact about a task, with the place and the call on its stack.
pub(crate) fn fact_with(task: String, relation: Relation, stack: Option<&Rc<Backtrace>>) -> Fact {
    let Called { inner, caller } = stack.map(|stack| callers::of_stack(stack)).unwrap_or_default();
    Fact { caller, ..Fact::of(task, relation).at(inner) }
}
