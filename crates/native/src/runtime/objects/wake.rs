//! Whether a task that waits was woken, or may wake for no reason, and since which step.
//!
//! Invariant: the step at which a task was woken is noted with the mark, so that the marks can be told for any prefix of
//! the execution.

/// The marks of one task.
#[derive(Clone, Copy, Default)]
pub(crate) struct Wake {
    notified: bool,
    timed_out: bool,
    /// How many steps there were when one of the marks was set.
    since: u32,
    /// What the notifier left for the task.
    message: u32,
    /// It has to decide anew whether it wakes for no reason, since this step.
    stirred: bool,
    stirred_at: u32,
}

impl Wake {
    /// The task is notified by the step with this number, from 1, which leaves `message`.
    pub fn notify(&mut self, step: u32, message: u32) {
        self.notified = true;
        self.since = step;
        self.message = message;
    }
    /// The time of the task is up.
    pub fn time_out(&mut self, step: u32) {
        self.timed_out = true;
        self.since = step;
    }
    /// The task goes on: says whether it was notified, and with which message.
    pub fn take_notified(&mut self) -> Option<u32> {
        std::mem::take(&mut self.notified).then_some(self.message)
    }
    /// The task goes on, or waits anew: says whether its time was up.
    pub fn take_timed_out(&mut self) -> bool {
        std::mem::take(&mut self.timed_out)
    }
    /// From the step with this number on, the task decides anew whether it wakes for no reason.
    pub fn stir(&mut self, step: u32) {
        (self.stirred, self.stirred_at) = (true, step);
    }
    /// The task has decided, or waits anew: says whether it had to.
    pub fn take_stirred(&mut self) -> bool {
        std::mem::take(&mut self.stirred)
    }
    #[inline(always)]
    pub fn is_stirred(self) -> bool {
        self.stirred
    }
    #[inline(always)]
    pub fn is_notified(self) -> bool {
        self.notified
    }
    #[inline(always)]
    pub fn is_timed_out(self) -> bool {
        self.timed_out
    }
    /// The marks as they were in a state in which only those steps had happened for which `happened` holds.
    pub fn then(self, happened: impl Fn(u32) -> bool) -> Wake {
        let set = (self.notified || self.timed_out) && happened(self.since);
        let stirred = self.stirred && happened(self.stirred_at);
        Wake { notified: self.notified && set, timed_out: self.timed_out && set, stirred, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_told_for_any_prefix() {
        let mut wake = Wake::default();
        assert!(!wake.then(|_| true).is_notified());
        wake.notify(3, 17);
        let after = |steps| wake.then(move |step| step <= steps);
        assert!(after(3).is_notified() && !after(2).is_notified());
        assert!(!after(3).is_timed_out());
        assert_eq!((wake.take_notified(), wake.take_notified()), (Some(17), None));
        wake.time_out(5);
        assert!(wake.then(|step| step <= 5).is_timed_out() && !wake.then(|step| step <= 4).is_timed_out());
        assert!(wake.take_timed_out() && !wake.take_timed_out());
        wake.stir(7);
        assert!(wake.then(|step| step <= 7).is_stirred() && !wake.then(|step| step <= 6).is_stirred());
        assert!(wake.take_stirred() && !wake.take_stirred());
    }
}
