//! A ticket that is replayed: whose it is, whether its program has changed, and that something was replayed at all. What
//! is not replayed is an error and never a pass.

use super::checked::Checked;
use super::explore::Exploration;
use super::{Check, OutcomeOf, Program};
use crate::code::{Code, CodeChange};
use std::fmt::Debug;

impl Check {
    /// Refuses the ticket of another test.
    pub(super) fn is_ticket_of_this_test(&self) -> Result<(), String> {
        let ticket = self.replay.as_ref().and_then(|ticket| ticket.test.as_deref());
        match (ticket, self.test.as_deref()) {
            (Some(one), Some(other)) if one != other => {
                Err(format!("the ticket is one of {one}, not of {other}; nothing was replayed"))
            }
            _ => Ok(()),
        }
    }
}

impl<P: Program> Exploration<'_, P>
where
    OutcomeOf<P>: Ord + Debug + Send,
{
    /// What has changed in the program since the ticket that is replayed was written.
    pub(super) fn change_since_ticket(&self) -> Option<CodeChange> {
        let ticket = self.check.replay.as_ref().filter(|ticket| !ticket.program.is_unknown())?;
        Code::of(self.program.parts().to_map()).change_since(&ticket.program)
    }

    /// Refuses to call it a pass if no step was replayed.
    pub(super) fn is_replayed(&self, checked: &Checked<OutcomeOf<P>>) -> Result<(), String> {
        let Some(ticket) = &self.check.replay else { return Ok(()) };
        if checked.failure().is_some() || checked.interrupted {
            Ok(())
        } else if checked.executions() == 0 {
            Err("nothing was replayed: the execution did not come to its end within its limits".to_owned())
        } else if ticket.steps.is_empty() {
            Err("nothing was replayed: the ticket has no steps, and the program passes without it".to_owned())
        } else {
            Ok(())
        }
    }
}
