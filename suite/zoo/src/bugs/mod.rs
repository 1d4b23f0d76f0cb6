//! The bugs, one file each, in a broken and a fixed form. The including module provides `rt`: a tool's `thread`,
//! `sync` and `hint`, so that the same source runs under every tool.
//!
//! Lines that race in the broken form are marked `// cause` (at their end, or below them where they open a block): what an
//! explanation should name.
//!
//! Written anew from descriptions: most are from SCTBench (Thomson, Donaldson, Betts, "Concurrency Testing Using
//! Controlled Schedulers", TOPC 2016), the last ones are case studies of papers about testing Haskell and Erlang.

use super::rt;

mod account;
mod aget;
mod alarm;
mod arithmetic;
mod auto_update;
mod bluetooth;
mod carter;
mod circular_buffer;
mod concurrently;
mod crew;
mod ctrace;
mod deadlock;
mod fsbench;
mod lazy;
mod monad_par;
mod pbzip2;
mod phase;
mod philosophers;
mod proc_reg;
mod qsort;
mod queue;
mod racy;
mod reorder;
mod safe_stack;
mod stack;
mod string_buffer;
mod sync01;
mod sync02;
mod token_ring;
mod treiber;
mod twostage;
mod wronglock;
mod wsq;

use crew::{Crew, Var};

/// With the bug or without it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Has the bug.
    Broken,
    /// Without the bug.
    Fixed,
}

use Form::Fixed;

/// A program with a bug.
#[derive(Clone, Copy)]
pub struct Bug {
    /// Its name in tables.
    pub name: &'static str,
    /// The number of threads besides the main one.
    pub threads: usize,
    /// Runs it once.
    pub run: fn(Form),
}

const fn bug(name: &'static str, threads: usize, run: fn(Form)) -> Bug {
    Bug { name, threads, run }
}

/// All of them.
pub const ALL: &[Bug] = &[
    bug("account", 3, account::run),
    bug("aget", 3, aget::run),
    bug("alarm", 2, alarm::run),
    bug("arithmetic_prog", 2, arithmetic::run),
    bug("auto_update", 1, auto_update::run),
    bug("bluetooth_driver", 1, bluetooth::run),
    bug("carter01", 4, carter::run),
    bug("circular_buffer", 2, circular_buffer::run),
    bug("concurrently", 2, concurrently::run),
    bug("ctrace", 2, ctrace::run),
    bug("deadlock01", 2, deadlock::run),
    bug("fsbench", 27, fsbench::run),
    bug("lazy01", 3, lazy::run),
    bug("monad_par", 2, monad_par::run),
    bug("pbzip2", 2, pbzip2::run),
    bug("phase01", 2, phase::run),
    bug("philosophers_2", 2, |form| philosophers::run(2, form)),
    bug("philosophers_3", 3, |form| philosophers::run(3, form)),
    bug("philosophers_4", 4, |form| philosophers::run(4, form)),
    bug("philosophers_5", 5, |form| philosophers::run(5, form)),
    bug("philosophers_6", 6, |form| philosophers::run(6, form)),
    bug("philosophers_7", 7, |form| philosophers::run(7, form)),
    bug("proc_reg_1", 3, proc_reg::cast_overtaken),
    bug("proc_reg_2", 3, proc_reg::audited_twice),
    bug("proc_reg_3", 4, proc_reg::killed_after_the_check),
    bug("qsort_mt", 1, qsort::run),
    bug("queue", 2, queue::run),
    bug("racy", 2, racy::run),
    bug("reorder_3", 3, |form| reorder::run(3, form)),
    bug("reorder_4", 4, |form| reorder::run(4, form)),
    bug("reorder_5", 5, |form| reorder::run(5, form)),
    bug("reorder_10", 10, |form| reorder::run(10, form)),
    bug("reorder_20", 20, |form| reorder::run(20, form)),
    bug("reorder_50", 50, |form| reorder::run(50, form)),
    bug("reorder_100", 100, |form| reorder::run(100, form)),
    bug("safe_stack", 3, safe_stack::run),
    bug("stack", 2, stack::run),
    bug("string_buffer", 1, string_buffer::run),
    bug("sync01", 2, sync01::run),
    bug("sync02", 2, sync02::run),
    bug("token_ring", 4, token_ring::run),
    bug("treiber", 2, treiber::run),
    bug("twostage", 2, |form| twostage::run(2, form)),
    bug("twostage_100", 100, |form| twostage::run(100, form)),
    bug("wronglock", 8, |form| wronglock::run(8, form)),
    bug("wronglock_3", 4, |form| wronglock::run(4, form)),
    bug("wsq", 1, wsq::cilk::run),
    bug("wsq_interlocked", 1, wsq::interlocked::run),
    bug("wsq_late_read", 1, wsq::late_read::run),
];
