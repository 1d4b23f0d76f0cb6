//! Timers are phantom tasks. A timed operation sets one when it is announced and takes it away when it goes
//! on; the clock's policy decides when it may fire.
//!
//! Invariant: a task has at most one timer, and a timer that is set is armed in the clock.

use crate::runtime::execution::Execution;
use crate::runtime::operation::{Evaluation, NO_OBJECT, Op, OperationKind};
use crate::runtime::tasks::task::{Phase, Role};
use raddle_core::clock::Time;
use raddle_core::operation::{Accesses, Mode, ObjectId, TaskId};
use raddle_core::world::{Manner, Pending};
use std::panic::Location;
use std::time::Duration;

/// So often a task may wait for no time at all while the clock stands still.
const POLLS: u32 = 8;
/// And for so many of these it is a choice whether it times out at once or waits like any other: a loop that does so
/// again and again would have an execution for each combination.
const CHOSEN_POLLS: u32 = 4;

static FIRE: OperationKind = {
    let mut kind = OperationKind::always("fire", |view, op| {
        // When timers fire only in idle moments, a firing is a barrier that nothing is reordered across.
        let accesses = match view.time() {
            Time::Idle => Accesses::EVERYTHING_THERE_IS,
            Time::Any => {
                let accesses = Accesses::write(op.other).and(view.clock_object(), Mode::Write);
                if op.object == NO_OBJECT { accesses } else { accesses.and(op.object, Mode::Write) }
            }
        };
        Evaluation::when(false, accesses)
    });
    kind.manner = Manner::Phantom;
    kind
};

/// What a task has to do with timers, as one or as the owner of one.
pub(crate) struct Timer {
    /// The timer that is set for its pending operation.
    set: Option<TaskId>,
    /// When it fires, and the step, from 1, that took it away or was its firing, if it is one.
    deadline: Duration,
    disarmed: u32,
    /// How often it has read the clock.
    readings: u32,
    /// How often in a row it has waited for no time at all, and when.
    polls: u32,
    polled: Duration,
}

impl Timer {
    pub const NONE: Timer = Timer {
        set: None,
        deadline: Duration::ZERO,
        disarmed: u32::MAX,
        readings: 0,
        polls: 0,
        polled: Duration::ZERO,
    };

    pub fn reset(&mut self) {
        self.set = None;
        self.disarmed = u32::MAX;
        self.readings = 0;
        self.polls = 0;
    }
    /// When it fires.
    pub fn deadline(&self) -> Duration {
        self.deadline
    }
    /// The step, from 1, that took it away or was its firing; the greatest number if there is none.
    pub fn disarmed(&self) -> u32 {
        self.disarmed
    }
}

impl Execution {
    /// The running task is about to wait for no time at all. How long it does wait: if it has done so again and again
    /// while the clock stood still, it waits for the clock to go on, as it does by itself elsewhere. A loop that waits
    /// for what is left until a deadline comes here when exactly nothing is left.
    pub fn wait_for_nothing(&mut self) -> Duration {
        if self.settings.time != Time::Idle {
            // The clock may go on at any point, and to look at it would be a step.
            return Duration::ZERO;
        }
        let now = self.scheduler.clock.now();
        let timer = &mut self.tasks.running_mut().timer;
        if std::mem::replace(&mut timer.polled, now) != now {
            timer.polls = 0;
        }
        timer.polls += 1;
        if timer.polls <= POLLS {
            return Duration::ZERO;
        }
        self.scheduler.held_spins = true;
        Duration::from_nanos(1)
    }

    /// Whether the running task, which is about to wait for no time at all in a queue, may time out at once. Only where
    /// timers fire when nothing else can happen: elsewhere its timer may.
    pub fn may_time_out_at_once(&mut self) -> bool {
        if self.settings.time != Time::Idle {
            return false;
        }
        let now = self.scheduler.clock.now();
        let timer = &self.tasks.running().timer;
        let may = timer.polled != now || timer.polls < CHOSEN_POLLS;
        self.scheduler.held_spins |= !may;
        may
    }

    /// The running task is about to read the clock: for which time, if the clock may move by itself.
    pub fn count_reading(&mut self) -> Option<u32> {
        if self.settings.time != Time::Any {
            return None;
        }
        self.scheduler.clock_read = true;
        let timer = &mut self.tasks.running_mut().timer;
        timer.readings += 1;
        Some(timer.readings)
    }

    /// The clock has moved by itself.
    pub fn move_clock(&mut self, by: Duration) {
        self.scheduler.clock.advance(by);
        let clock = self.state.objects.clock();
        self.touch(clock);
    }

    /// Sets a timer for the operation that the running task is about to announce.
    pub fn arm(&mut self, after: Duration, place: &'static Location<'static>) {
        self.arm_on(NO_OBJECT, after, place);
    }

    /// The same, where the firing also changes `object`: a timed wait leaves the queue there. Word 1 of that object counts
    /// the timers of the tasks in its queue.
    pub fn arm_on(&mut self, object: ObjectId, after: Duration, place: &'static Location<'static>) {
        let me = self.tasks.current();
        let after = if after.is_zero() { self.wait_for_nothing() } else { after };
        self.tasks[me].op.wake.take_timed_out();
        let deadline = self.scheduler.clock.now().saturating_add(after);
        if deadline == Duration::MAX {
            return;
        }
        let token = self.token_of(me);
        self.state.objects.clock();
        let timer = self.add_timer_task(me);
        self.scheduler.clock.arm(timer, after);
        let mut op = Op::new(&FIRE, object, place).with(token);
        op.task = timer;
        let task = &mut self.tasks[timer];
        task.timer.deadline = deadline;
        task.set_phase(Phase::Alive);
        task.op = op;
        self.tasks[me].timer.set = Some(timer);
        if object != NO_OBJECT {
            self.state.objects.words_mut(object)[1] += 1;
        }
        self.evaluate(timer);
    }

    fn add_timer_task(&mut self, of: TaskId) -> TaskId {
        self.retrace_no_further();
        let number = self.tasks[of].count_timer();
        self.add_task(Role::Timer { of, number }, of, number)
    }

    /// The running task goes on: its timer, if it has not fired, is taken away. Says whether it had fired.
    pub fn disarm(&mut self) -> bool {
        self.disarm_of(self.tasks.current())
    }

    /// The same for another task, which no longer has to wait.
    pub fn disarm_of(&mut self, id: TaskId) -> bool {
        if let Some(timer) = self.tasks[id].timer.set.take() {
            self.scheduler.clock.disarm(timer);
            let object = self.end_timer(timer);
            if object != NO_OBJECT {
                self.state.objects.words_mut(object)[1] -= 1;
            }
        }
        self.tasks[id].op.wake.take_timed_out()
    }

    /// A timer has fired or is taken away. Returns the object in whose queue its owner waits.
    fn end_timer(&mut self, timer: TaskId) -> ObjectId {
        let steps = self.history.len();
        let task = &mut self.tasks[timer];
        task.set_phase(Phase::Ended);
        task.timer.disarmed = steps;
        self.scheduler.set_pending(timer, Pending::NOTHING);
        task.op.object
    }

    /// A timer has fired when nothing else could happen. A wake-up for no reason would have been something else, but it
    /// must not keep timers back: so tasks that wait decide after each timer, too, whether they wake for no reason.
    fn stir_waiting(&mut self) {
        if self.settings.time != Time::Idle || self.state.objects.spurious() == NO_OBJECT {
            return;
        }
        let step = self.history.len();
        for id in self.tasks.ids() {
            if self.tasks[id].is_waiting_thread() && self.tasks[id].op.kind.wakes_spuriously {
                self.tasks[id].op.wake.stir(step);
                self.evaluate(id);
            }
        }
    }

    /// A timer fires.
    pub(super) fn fire(&mut self, timer: TaskId, of: TaskId) {
        self.scheduler.clock.fire(timer);
        if self.settings.time == Time::Idle {
            self.let_stores_arrive();
        }
        let object = self.end_timer(timer);
        let steps = self.history.len();
        let owner = &mut self.tasks[of];
        owner.timer.set = None;
        owner.op.wake.time_out(steps);
        self.evaluate(of);
        if object != NO_OBJECT {
            self.state.objects.words_mut(object)[1] -= 1;
            self.state.objects.remove_from_queue(object, of);
            self.touch(object);
        }
        self.stir_waiting();
        // Loops that watch the clock see that it moved.
        let clock = self.state.objects.clock();
        self.touch(clock);
    }
}
