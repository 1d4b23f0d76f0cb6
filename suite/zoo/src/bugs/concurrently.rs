//! async's `Concurrently`: a function and its argument computed concurrently must give what they give in
//! sequence (the law that Haskell's `<*>` and `ap` agree).
//!
//! Bug: they do not if they interfere. It needs the argument's action before the function's: both try to be
//! the first to fill a slot, and the function that is used depends on it.

use super::rt::sync::Mutex;
use super::{Crew, Fixed, Form};

#[derive(Default)]
struct Shared {
    filled: Mutex<bool>,
    first: Mutex<Option<bool>>,
}

/// Fills the slot; returns whether it was empty.
fn try_put(shared: &Shared) -> bool {
    !std::mem::replace(&mut *shared.filled.lock().unwrap(), true) // cause
}

fn function(shared: &Shared) {
    let empty = try_put(shared);
    *shared.first.lock().unwrap() = Some(empty);
}

pub fn run(form: Form) {
    let crew = Crew::new(Shared::default()).task(function);
    let shared = match form {
        Fixed => {
            let shared = crew.join();
            try_put(&shared);
            shared
        }
        _ => crew.task(|shared| _ = try_put(shared)).join(),
    };
    assert_eq!(*shared.first.lock().unwrap(), Some(true), "another function than `ap` would use");
}
