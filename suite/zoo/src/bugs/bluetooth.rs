//! bluetooth driver: an operation must not start once the driver is being stopped (Qadeer and Wu, PLDI 2004).
//!
//! Bug: the stopping flag is read before the operation is counted. It needs the whole stop between the two:
//! the operation runs on a stopped driver.

use super::{Crew, Fixed, Form, Var};

struct Driver {
    stopping: Var,
    /// Pending operations, and one for the driver itself.
    pending: Var,
    nobody_left: Var,
    stopped: Var,
}

impl Driver {
    fn enter(&self, form: Form) -> bool {
        if form == Fixed {
            // Counted first: the stop waits for it.
            self.pending.fetch_add(1);
            return self.stopping.get() == 0;
        }
        if self.stopping.get() != 0 {
            // cause
            return false;
        }
        self.pending.fetch_add(1); // cause
        true
    }
    fn leave(&self) {
        if self.pending.fetch_add(-1) == 1 {
            // cause
            self.nobody_left.set(1);
        }
    }
}

pub fn run(form: Form) {
    let [stopping, nobody_left, stopped] = [(); 3].map(|()| Var::new(0));
    Crew::new(Driver { stopping, pending: Var::new(1), nobody_left, stopped })
        .task(|driver| {
            driver.stopping.set(1); // cause
            driver.leave();
            if driver.nobody_left.get() != 0 {
                driver.stopped.set(1);
            }
        })
        .meanwhile(|driver| {
            if driver.enter(form) {
                assert_eq!(driver.stopped.get(), 0, "the driver is gone");
            }
            driver.leave();
        })
        .join();
}
