//! Thread-locals belong to tasks. Values are made on first use and destroyed by their task at its end, before
//! anyone who joins it goes on.

use std::any::Any;

/// The value of one key in one task.
pub(crate) struct Local {
    /// The key's address, which tells keys apart.
    pub key: usize,
    pub value: Slot,
}

pub(crate) enum Slot {
    Alive(Box<dyn Any>),
    /// Its destructor has begun: it cannot be used any more.
    Destroyed,
}
