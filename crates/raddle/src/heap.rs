//! Whether what a program does to its heap is judged.
//!
//! The judge is compiled in with the feature `heap`, since marking the runtime's own memory costs all others a little, and
//! it needs raddle's allocator in the program under test.

use crate::checker::Checker;
use crate::error::CheckError;
use crate::observer;
use raddle_native::Reuse;
use std::str::FromStr;

/// Whether double frees, uses after free and writes beyond blocks are found.
///
/// ```
/// # fn check() -> raddle::Checker {
/// raddle::Checker::exhaustive().heap(raddle::Heap::Off)
/// # }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Heap {
    /// They are. This needs raddle's feature `heap`, and its allocator in the program under test.
    On,
    /// They are not.
    Off,
}

impl FromStr for Heap {
    type Err = String;
    fn from_str(word: &str) -> Result<Heap, String> {
        match word {
            "on" => Ok(Heap::On),
            "off" => Ok(Heap::Off),
            _ => Err(format!("there is no heap `{word}`; there are on and off")),
        }
    }
}

/// Whether the heap can be judged in this program.
fn can_be_judged() -> bool {
    cfg!(feature = "heap") && raddle_native::alloc::is_installed()
}

const NEEDS: &str = "raddle's feature `heap` and its allocator, in the program under test: `raddle = { version = .., \
                     features = [\"heap\"] }` and `#[global_allocator] static ALLOCATOR: raddle::alloc::Allocator = \
                     raddle::alloc::Allocator::new();`";

impl Checker {
    /// Sets whether what the program does to its heap is judged. It is by default where it can be.
    pub fn heap(mut self, heap: Heap) -> Checker {
        self.heap = Some(heap);
        self
    }

    /// The heap is judged if that is wanted, or if it can be and nothing else is wanted.
    pub(crate) fn settle_heap(&mut self) -> Result<(), CheckError> {
        let can_be = can_be_judged();
        if self.check.replay.is_some() {
            self.settings.gathers_stacks = true;
            return match self.settings.heap.is_some() && !can_be {
                true => Err(CheckError::Heap(format!(
                    "the ticket is of a check that judges the heap, which needs {NEEDS}"
                ))),
                false => Ok(()),
            };
        }
        let wanted = self.heap.or_else(|| observer::get().map(|observer| observer.heap()));
        self.settings.heap = match wanted {
            Some(Heap::On) if !can_be => {
                return Err(CheckError::Heap(format!("judging the heap needs {NEEDS}")));
            }
            Some(Heap::Off) => None,
            _ => can_be.then(Reuse::default),
        };
        Ok(())
    }
}
