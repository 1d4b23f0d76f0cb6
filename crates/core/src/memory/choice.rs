//! Which memory model a check follows: one of them, or the one that the program's orderings ask for.

use super::Model;
use std::fmt;
use std::str::FromStr;

/// The memory model of a check.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Memory {
    /// [`Memory::Sc`] while every ordering of an atomic that several tasks access is `SeqCst`. Where one is weaker, the check
    /// explores sequential consistency first, and [`Memory::Rc11`] after it.
    #[default]
    Auto,
    /// Sequential consistency, with any ordering: a load reads the last store.
    Sc,
    /// Total store order, as of x86: the stores of a task wait in a queue.
    Tso,
    /// Partial store order: they wait in a queue for each atomic.
    Pso,
    /// The memory model of Rust and C++20, without load buffering (RC11).
    Rc11,
}

impl Memory {
    /// Every choice.
    pub const ALL: [Memory; 5] = [Memory::Auto, Memory::Sc, Memory::Tso, Memory::Pso, Memory::Rc11];

    /// The model, unless it depends on the program.
    pub fn model(self) -> Option<Model> {
        match self {
            Memory::Auto => None,
            Memory::Sc => Some(Model::Sc),
            Memory::Tso => Some(Model::Tso),
            Memory::Pso => Some(Model::Pso),
            Memory::Rc11 => Some(Model::Rc11),
        }
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.model() {
            Some(model) => model.fmt(f),
            None => f.write_str("auto"),
        }
    }
}

impl FromStr for Memory {
    type Err = String;
    fn from_str(text: &str) -> Result<Memory, String> {
        let found = Memory::ALL.into_iter().find(|memory| memory.to_string() == text);
        let names = || Memory::ALL.map(|memory| memory.to_string()).join(", ");
        found.ok_or_else(|| format!("there is no memory model `{text}`; there are {}", names()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_read_back_and_others_are_refused() {
        for memory in Memory::ALL {
            assert_eq!(memory.to_string().parse(), Ok(memory));
        }
        let error = "x86".parse::<Memory>().unwrap_err();
        assert_eq!(error, "there is no memory model `x86`; there are auto, sc, tso, pso, rc11");
    }
}
