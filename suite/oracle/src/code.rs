//! Programs as flat lists of instructions: a task's place in its program is one number.
//!
//! Invariant: an instruction that opens a scope is closed by [`Ins::Close`], and what a task holds is the stack of its
//! open scopes; unwinding closes them from the innermost.

use crate::program::{Program, Stmt};

/// An instruction. The meaning is that of the statement of the same name.
#[derive(Clone, Debug)]
pub enum Ins {
    /// A statement without a body.
    Do(Stmt),
    /// Takes a mutex.
    Lock(usize),
    /// Takes a mutex or goes to the instruction.
    TryLock(usize, usize),
    /// Reads a lock.
    Read(usize),
    /// Writes a lock.
    Write(usize),
    /// Reads a lock or goes to the instruction.
    TryRead(usize, usize),
    /// Writes a lock or goes to the instruction.
    TryWrite(usize, usize),
    /// Begins to initialise, or goes to the instruction if that is done.
    Once(usize, usize),
    /// The same for a `OnceLock`, with its value.
    Init(usize, i8, usize),
    /// Closes the innermost scope.
    Close,
    /// One look of a loop that waits: if the atomic is not 0, logs the round and goes to the instruction.
    Look(usize, i8, usize),
    /// The same, for a message.
    PollRecv(usize, i8, usize),
    /// The same, for the end of a task.
    Poll(usize, i8, usize),
    /// Logs a number; no step.
    Log(i8),
    /// Drops this end of a channel, if it is left: senders come first, then receivers.
    DropEnds(usize),
    /// Drops the counted references that are left, one after the other.
    DropArcs,
    /// Joins a task that was not joined yet.
    JoinRest(usize),
}

/// The instructions of a task.
pub fn of(program: &Program, task: usize) -> Vec<Ins> {
    let mut code = Vec::new();
    flatten(&program.tasks[task], &mut code);
    for end in 0..2 * crate::program::CHANNELS.len() {
        code.push(Ins::DropEnds(end));
    }
    code.push(Ins::DropArcs);
    if task == 0 {
        code.extend((1..program.tasks.len()).map(Ins::JoinRest));
    }
    code
}

fn flatten(body: &[Stmt], code: &mut Vec<Ins>) {
    for stmt in body {
        let opens = code.len();
        match stmt {
            Stmt::Spin(var, rounds, _) => {
                let end = opens + 2 * *rounds as usize + 1;
                for round in 0..*rounds {
                    code.push(Ins::Look(*var, round as i8, end));
                    code.push(Ins::Do(Stmt::Yield));
                }
                code.push(Ins::Log(*rounds as i8));
                continue;
            }
            Stmt::PollRecv(channel, rounds) => {
                let end = opens + 2 * *rounds as usize + 1;
                for round in 0..*rounds {
                    code.push(Ins::PollRecv(*channel, round as i8, end));
                    code.push(Ins::Do(Stmt::Yield));
                }
                code.push(Ins::Log(*rounds as i8));
                continue;
            }
            Stmt::PollFinished(task, rounds) => {
                let end = opens + 2 * *rounds as usize + 1;
                for round in 0..*rounds {
                    code.push(Ins::Poll(*task, round as i8, end));
                    code.push(Ins::Do(Stmt::Yield));
                }
                code.push(Ins::Log(*rounds as i8));
                continue;
            }
            _ => {}
        }
        let Some(inner) = stmt.body() else {
            code.push(Ins::Do(stmt.clone()));
            continue;
        };
        code.push(Ins::Close);
        flatten(inner, code);
        code.push(Ins::Close);
        let end = code.len();
        code[opens] = match stmt {
            Stmt::Lock(m, _) => Ins::Lock(*m),
            Stmt::TryLock(m, _) => Ins::TryLock(*m, end),
            Stmt::Read(l, _) => Ins::Read(*l),
            Stmt::Write(l, _) => Ins::Write(*l),
            Stmt::TryRead(l, _) => Ins::TryRead(*l, end),
            Stmt::TryWrite(l, _) => Ins::TryWrite(*l, end),
            Stmt::Once(o, _) => Ins::Once(*o, end),
            Stmt::GetOrInit(o, value, _) => Ins::Init(*o, *value, end),
            _ => unreachable!("it has no body"),
        };
    }
}
