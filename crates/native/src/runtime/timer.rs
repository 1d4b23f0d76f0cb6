//! Timers are phantom tasks. A timed operation sets one when it is announced and takes it away when it goes
//! on; the clock's policy decides when it may fire.

use super::execution::Execution;
use super::operation::{Evaluation, NO_OBJECT, Op, OperationKind};
use super::task::Phase;
use raddle_core::clock::Time;
use raddle_core::operation::{Accesses, Mode, ObjectId, TaskId};
use raddle_core::world::{Manner, Pending};
use std::panic::Location;
use std::time::Duration;

/// So often a task may wait for no time at all while the clock stands still.
const POLLS: u32 = 8;

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

impl Execution {
    /// The object that readings of the clock read and timers that fire write.
    pub fn the_clock(&mut self) -> ObjectId {
        if self.ambient.clock_object == NO_OBJECT {
            // Whoever reads it first, there is only one.
            self.ambient.clock_object = self.objects.add("Clock", TaskId::MAIN, 1, [0; 2]);
        }
        self.ambient.clock_object
    }

    /// The running task is about to wait for no time at all. How long it does wait: if it has done so again and again
    /// while the clock stood still, it waits for the clock to go on, as it does by itself elsewhere. A loop that waits
    /// for what is left until a deadline comes here when exactly nothing is left.
    pub fn wait_for_nothing(&mut self) -> Duration {
        if self.settings.time != Time::Idle {
            // The clock may go on at any point, and to look at it would be a step.
            return Duration::ZERO;
        }
        let now = self.clock.now();
        let task = self.task_mut(self.current);
        if std::mem::replace(&mut task.polled, now) != now {
            task.polls = 0;
        }
        task.polls += 1;
        if task.polls <= POLLS {
            return Duration::ZERO;
        }
        self.held_spins = true;
        Duration::from_nanos(1)
    }

    /// Sets a timer for the operation that the running task is about to announce.
    pub fn arm(&mut self, after: Duration, place: &'static Location<'static>) {
        self.arm_on(NO_OBJECT, after, place);
    }

    /// The same, where the firing also changes `object`: a timed wait leaves the queue there, which is the list of
    /// tasks of that object. Its word 1 counts the timers of those in the queue.
    pub fn arm_on(&mut self, object: ObjectId, after: Duration, place: &'static Location<'static>) {
        let me = self.current;
        let after = if after.is_zero() { self.wait_for_nothing() } else { after };
        self.task_mut(me).timed_out = false;
        if self.clock.now().saturating_add(after) == Duration::MAX {
            return;
        }
        let token = self.token_of(me);
        self.the_clock();
        let timer = self.add_timer_task(me);
        self.clock.arm(timer, after);
        self.task_mut(timer).deadline = self.clock.now().saturating_add(after);
        let mut op = Op::new(&FIRE, object, place).with(token);
        op.task = timer;
        let task = self.task_mut(timer);
        task.phase = Phase::Alive;
        task.op = op;
        self.task_mut(me).timer = Some(timer);
        if object != NO_OBJECT {
            self.objects[object].words[1] += 1;
        }
        self.evaluate(timer);
    }

    /// The running task goes on: its timer, if it has not fired, is taken away. Says whether it had fired.
    pub fn disarm(&mut self) -> bool {
        self.disarm_of(self.current)
    }

    /// The same for another task, which no longer has to wait.
    pub fn disarm_of(&mut self, id: TaskId) -> bool {
        if let Some(timer) = self.task_mut(id).timer.take() {
            self.clock.disarm(timer);
            let steps = self.steps();
            self.task_mut(timer).disarmed = steps;
            self.task_mut(timer).phase = Phase::Ended;
            self.set_pending(timer, Pending::NOTHING);
            let object = self.task(timer).op.object;
            if object != NO_OBJECT {
                self.objects[object].words[1] -= 1;
            }
        }
        std::mem::take(&mut self.task_mut(id).timed_out)
    }

    /// A timer fires.
    pub(super) fn fire(&mut self, timer: TaskId, of: TaskId) {
        self.clock.fire(timer);
        self.task_mut(timer).phase = Phase::Ended;
        self.set_pending(timer, Pending::NOTHING);
        let steps = self.steps();
        self.task_mut(timer).disarmed = steps;
        let owner = self.task_mut(of);
        owner.timer = None;
        owner.timed_out = true;
        owner.woken = steps;
        self.evaluate(of);
        let object = self.task(timer).op.object;
        if object != NO_OBJECT {
            let queue = &mut self.objects[object];
            queue.words[1] -= 1;
            queue.tasks.retain(|waiting| *waiting != of);
            self.touch(object);
        }
        // Loops that watch the clock see that it moved.
        self.touch(self.ambient.clock_object);
    }
}
