//! The blocks of the program's heap in one execution: who allocated and who freed each, with red zones around them.
//!
//! Invariant: blocks stand in ascending order of their addresses, since memory is handed out in that order. A freed block is
//! poisoned and held back until the execution ends, so that what is done with it later is found; where freed memory is used
//! again, its block keeps its place in the list and becomes another generation. Blocks that the program did not allocate in
//! this execution are unknown, and nothing is said of them.

mod judge;
mod zones;

use crate::reuse::Reuse;
use crate::settings::Settings;
pub(crate) use judge::{Freed, fact_with};
use raddle_core::operation::{ObjectId, TaskId};
use std::alloc::Layout;
use std::backtrace::Backtrace;
use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::rc::Rc;
use zones::{Damage, POISONED};
pub(crate) use zones::{ZONE, end_of, start_after};

/// Freed memory beyond this is used again.
pub(crate) const MOST_HELD: usize = 256 << 20;

/// What becomes of freed memory in an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Order {
    /// It is held back until the execution ends.
    #[default]
    HeldBack,
    /// It is used again at once, what was freed last first, as most allocators do.
    LastFirst,
    /// It is used again at once, what was freed first first.
    FirstFirst,
}

impl Order {
    /// The options of the choice, and how each is told.
    pub const ALL: [(Order, &str); 3] = [
        (Order::HeldBack, "holds freed memory back"),
        (Order::LastFirst, "uses freed memory again, the last first"),
        (Order::FirstFirst, "uses freed memory again, the first first"),
    ];
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Live,
    /// Freed and held back.
    Held,
    /// Freed, and to be used again.
    Free,
}

#[derive(Clone, Copy)]
struct Block {
    start: usize,
    size: usize,
    align: usize,
    /// How large a block may be that takes its place.
    room: usize,
    state: State,
    /// How many blocks have been here before.
    generation: u32,
    allocated_by: TaskId,
    freed_by: TaskId,
}

/// The stacks of one block.
#[derive(Clone, Default)]
struct Stacks {
    allocated: Option<Rc<Backtrace>>,
    freed: Option<Rc<Backtrace>>,
}

/// Which block an object lives in: its place in the list, and which one there.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Home {
    block: u32,
    generation: u32,
}

/// The heap of one execution. Memory is kept from one execution to the next.
#[derive(Default)]
pub(crate) struct Heap {
    /// None: it is not judged.
    reuse: Option<Reuse>,
    /// What becomes of freed memory in this execution.
    order: Order,
    blocks: Vec<Block>,
    /// Where objects live that are in a block, by their numbers.
    homes: Vec<Option<Home>>,
    /// Whether some block was freed.
    has_freed: bool,
    /// The same in any execution with these settings.
    has_freed_any: bool,
    /// How many bytes are held back.
    held: usize,
    /// The limit was reached, in any execution with these settings.
    has_reached_limit: bool,
    /// Blocks to be used again by their room, the last one freed at the end.
    free: HashMap<usize, VecDeque<u32>>,
    /// Whether they are, whatever is gathered elsewhere.
    gathers_stacks: bool,
    /// The stacks, where they are gathered.
    stacks: Vec<Stacks>,
}

impl Heap {
    /// For executions with these settings.
    pub fn of(settings: &Settings) -> Heap {
        Heap { reuse: settings.heap.clone(), gathers_stacks: settings.gathers_stacks, ..Heap::default() }
    }
    pub fn reset(&mut self) {
        self.order = Order::HeldBack;
        self.blocks.clear();
        self.homes.clear();
        self.has_freed = false;
        self.held = 0;
        self.free.clear();
        self.stacks.clear();
    }
    /// Whether the heap is judged. Never where the memory of programs is not in our hands: there it costs nothing.
    #[inline(always)]
    pub fn is_judged(&self) -> bool {
        cfg!(feature = "heap") && self.reuse.is_some()
    }
    /// The blocks that were not freed, and the zones behind them.
    pub fn living(&self) -> impl Iterator<Item = Range<usize>> {
        let living = self.blocks.iter().filter(|block| block.state == State::Live);
        living.map(|block| block.start..zones::end_of(block.start, block.size))
    }
    /// A block is freed that nothing is said of any more.
    pub fn discard(&mut self, start: usize) -> Freed {
        match self.beginning_at(start) {
            Some(at) => {
                self.blocks[at].state = State::Held;
                Freed::Known
            }
            None => Freed::Unknown,
        }
    }
    /// Whether each execution chooses if freed memory is used again.
    pub fn explores_reuse(&self) -> bool {
        self.reuse.as_ref().is_some_and(Reuse::is_explored)
    }
    /// What becomes of freed memory in this execution.
    pub fn set_order(&mut self, order: Order) {
        self.order = order;
    }
    /// Whether some block was freed, in any execution with these settings.
    pub fn has_freed_any(&self) -> bool {
        self.has_freed_any
    }
    /// Whether more than [`MOST_HELD`] was freed, in any execution with these settings.
    pub fn has_reached_limit(&self) -> bool {
        self.has_reached_limit
    }

    /// A block for `task`, in memory that was freed or that `more` makes. None: there is none.
    pub fn allocate(
        &mut self,
        task: TaskId,
        layout: Layout,
        stack: Option<Rc<Backtrace>>,
        more: impl FnOnce() -> Option<usize>,
    ) -> Option<usize> {
        let (size, align) = (layout.size(), layout.align());
        let room = size.max(1).next_multiple_of(ZONE);
        let take = match self.order {
            Order::FirstFirst => VecDeque::pop_front,
            Order::HeldBack | Order::LastFirst => VecDeque::pop_back,
        };
        let again = if align <= ZONE { self.free.get_mut(&room).and_then(take) } else { None };
        let (number, start) = match again {
            Some(number) => {
                let block = &mut self.blocks[number as usize];
                block.generation += 1;
                (number, block.start)
            }
            None => {
                let start = more()?;
                debug_assert!(self.blocks.last().is_none_or(|last| last.start + last.size < start));
                (self.blocks.len() as u32, start)
            }
        };
        let generation = again.map_or(0, |number| self.blocks[number as usize].generation);
        let block = Block {
            start,
            size,
            align,
            room,
            state: State::Live,
            generation,
            allocated_by: task,
            freed_by: task,
        };
        match again {
            Some(number) => self.blocks[number as usize] = block,
            None => self.blocks.push(block),
        }
        if stack.is_some() {
            self.stacks.resize(self.blocks.len(), Stacks::default());
            self.stacks[number as usize] = Stacks { allocated: stack, freed: None };
        }
        // SAFETY: memory of this block and its zones.
        unsafe { zones::write(start, size, number) };
        Some(start)
    }

    /// The block that begins at this address.
    fn beginning_at(&self, start: usize) -> Option<usize> {
        // SAFETY: a block of this execution has a zone before it.
        let noted = match self.blocks.last() {
            Some(last) if (self.blocks[0].start..=last.start).contains(&start) => unsafe {
                zones::number(start)
            },
            _ => return None,
        };
        if self.blocks.get(noted as usize).is_some_and(|block| block.start == start) {
            return Some(noted as usize);
        }
        self.blocks.binary_search_by_key(&start, |block| block.start).ok()
    }

    /// The block that this address is in.
    #[inline]
    fn around(&self, address: usize) -> Option<usize> {
        let (first, last) = (self.blocks.first()?, self.blocks.last()?);
        if address < first.start || address >= last.start + last.size {
            return None;
        }
        let at = self.blocks.partition_point(|block| block.start <= address).checked_sub(1)?;
        (address < self.blocks[at].start + self.blocks[at].size).then_some(at)
    }

    /// Whether this address is in a block that was freed.
    pub fn has_freed_around(&self, address: usize) -> bool {
        self.has_freed && self.around(address).is_some_and(|at| self.blocks[at].state != State::Live)
    }

    /// An operation on `object`, which lives at this address, is about to be announced.
    #[inline]
    pub fn note_home(&mut self, object: ObjectId, address: usize) {
        let home = self.around(address);
        if self.homes.len() <= object.index() {
            if home.is_none() {
                return;
            }
            self.homes.resize(object.index() + 1, None);
        }
        let generation = |at: usize| match self.blocks[at].state {
            State::Live => self.blocks[at].generation,
            // It is gone already.
            _ => u32::MAX,
        };
        self.homes[object.index()] = home.map(|at| Home { block: at as u32, generation: generation(at) });
    }

    /// The freed block that an object lives in.
    fn freed_home(&self, object: ObjectId) -> Option<usize> {
        let home = (*self.homes.get(object.index())?)?;
        let block = &self.blocks[home.block as usize];
        let is_gone = block.state != State::Live || block.generation != home.generation;
        is_gone.then_some(home.block as usize)
    }

    /// A compare-exchange expects this value.
    #[inline]
    fn note_expected(&self, value: u64) {
        if let Some(reuse) = self.reuse.as_ref().filter(|reuse| !reuse.is_explored())
            && let Some(at) = self.around(value as usize)
            && self.blocks[at].state != State::Live
        {
            reuse.refute();
        }
    }

    /// Puts a block away that was freed.
    fn put_away(&mut self, at: usize, task: TaskId, stack: Option<Rc<Backtrace>>) {
        let block = &mut self.blocks[at];
        block.freed_by = task;
        (self.has_freed, self.has_freed_any) = (true, true);
        if stack.is_some() && self.stacks.len() > at {
            self.stacks[at].freed = stack;
        }
        let is_full = self.held >= MOST_HELD;
        let is_reused = self.order != Order::HeldBack;
        if (is_reused || is_full) && block.align <= ZONE {
            self.has_reached_limit |= is_full && !is_reused;
            block.state = State::Free;
            self.free.entry(block.room).or_default().push_back(at as u32);
        } else {
            block.state = State::Held;
            self.held += block.size;
        }
        // SAFETY: memory of this block.
        unsafe { zones::poison(block.start, block.size) };
    }

    /// The first block with a damaged zone or, if it was freed, other contents than the poison.
    fn first_damaged(&self) -> Option<(usize, Damage)> {
        self.blocks.iter().enumerate().find_map(|(at, block)| {
            // SAFETY: memory of this block and its zones.
            unsafe {
                let damage = zones::damage(block.start, block.size, at as u32);
                let is_freed = block.state != State::Live;
                let contents =
                    || (is_freed && !zones::is_poisoned(block.start, block.size)).then_some(Damage::Contents);
                damage.or_else(contents).map(|damage| (at, damage))
            }
        })
    }
}

const _: () = assert!(POISONED >= ZONE);
