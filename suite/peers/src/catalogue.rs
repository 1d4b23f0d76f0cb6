//! The programs, their sizes, and the tables that they appear in. A program is named only here; a name is
//! unique, because a child process gets the name of its program.

use std::fmt;

/// A program of `programs.rs` with its sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// Threads, increments each.
    MutexCounter(usize, usize),
    /// Threads, unsynchronised increments each.
    Racy(usize, usize),
    /// Seats, meals each.
    Philosophers(usize, usize),
    /// Producers, messages each.
    Channel(usize, usize),
    /// Threads, operations each.
    Treiber(usize, usize),
    /// Producers, items each, capacity.
    BoundedBuffer(usize, usize, usize),
    /// Readers, writers, rounds each.
    RwLock(usize, usize, usize),
    /// Threads, additions each.
    FetchAdd(usize, usize),
    /// Threads, stores each.
    Independent(usize, usize),
    /// Writers.
    LastZero(usize),
    /// Readers.
    WriterAndReaders(usize),
    /// Threads, loads each.
    Readers(usize, usize),
}

use Program::*;

/// The rows of the `random` table.
pub const RANDOM: &[Program] = &[
    MutexCounter(2, 2),
    MutexCounter(3, 3),
    Racy(2, 2),
    Philosophers(3, 1),
    Philosophers(4, 1),
    Channel(2, 2),
    Treiber(2, 2),
    BoundedBuffer(2, 2, 1),
    RwLock(2, 1, 1),
    FetchAdd(3, 3),
    Independent(4, 4),
    MutexCounter(10, 3),
];

/// The rows of the `exhaustive` table; loom allows four threads besides main.
pub const EXHAUSTIVE: &[Program] = &[
    MutexCounter(2, 2),
    MutexCounter(2, 3),
    MutexCounter(2, 4),
    MutexCounter(3, 1),
    MutexCounter(3, 2),
    MutexCounter(3, 3),
    Racy(2, 2),
    Racy(3, 1),
    Philosophers(3, 1),
    Philosophers(3, 2),
    Philosophers(4, 1),
    Channel(2, 1),
    Channel(2, 2),
    Treiber(2, 2),
    Treiber(2, 4),
    BoundedBuffer(2, 1, 1),
    RwLock(2, 1, 1),
    RwLock(2, 1, 2),
    FetchAdd(3, 2),
    LastZero(3),
    LastZero(4),
    WriterAndReaders(3),
    Readers(3, 2),
    Independent(4, 1),
    Independent(4, 4),
];

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match *self {
            MutexCounter(threads, rounds) => format!("mutex_counter {threads}x{rounds}"),
            Racy(threads, rounds) => format!("racy {threads}x{rounds}"),
            Philosophers(seats, rounds) => format!("philosophers {seats}x{rounds}"),
            Channel(producers, messages) => format!("channel {producers}x{messages}"),
            Treiber(threads, ops) => format!("treiber {threads}x{ops}"),
            BoundedBuffer(producers, items, capacity) => {
                format!("bounded_buffer {producers}x{items} cap {capacity}")
            }
            RwLock(readers, writers, rounds) => format!("rwlock {readers}r {writers}w x{rounds}"),
            FetchAdd(threads, rounds) => format!("fetch_add {threads}x{rounds}"),
            Independent(threads, rounds) => format!("independent {threads}x{rounds}"),
            LastZero(writers) => format!("last_zero {writers}"),
            WriterAndReaders(readers) => format!("writer_and_readers {readers}"),
            Readers(threads, rounds) => format!("readers {threads}x{rounds}"),
        };
        f.pad(&name)
    }
}

/// The program of the `exhaustive` table that has this name.
pub fn by_name(name: &str) -> Option<Program> {
    EXHAUSTIVE.iter().copied().find(|program| program.to_string() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_leads_back_to_its_program() {
        for &program in EXHAUSTIVE {
            assert_eq!(by_name(&program.to_string()), Some(program));
        }
        assert_eq!(by_name("mutex_counter"), None);
    }

    #[test]
    fn names_are_padded_to_the_column() {
        assert_eq!(format!("{:<12}|", Racy(2, 2)), "racy 2x2    |");
    }
}
