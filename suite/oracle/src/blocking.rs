//! What one step of a task does in a state of the [machine](crate::machine), and whether it is blocked there.
//!
//! Invariant: a step is one operation of std's interface, as coarse as its documentation says that it is atomic; waits
//! are two steps, one that begins them and one that ends them.

use crate::code::Ins;
use crate::machine::{At, Destroys, Machine, Move, Progress, Scope, State};
use crate::program::{
    BARRIER, CHANNELS, CLOCK_MOVE, CLOCK_MOVES, CLOCK_READINGS, Destructor, Stmt, Time, mark,
};

impl Machine {
    /// Whether task `id` has nothing left to do but to end.
    pub(crate) fn is_over(&self, state: &State, id: usize) -> bool {
        let task = &state.tasks[id];
        task.destroys == Destroys::Not
            && match task.panics {
                true => task.scopes.is_empty() && !task.ends.contains(&true) && task.strong == 0,
                false => task.pc == self.code[id].len(),
            }
    }

    /// What a step of task `id` leads to.
    pub(crate) fn step(&self, state: &State, id: usize) -> Move {
        let task = &state.tasks[id];
        if task.ended {
            return Move::Blocked;
        }
        if task.destroys != Destroys::Not {
            return self.destroy(state, id);
        }
        let mut then = state.clone();
        if task.panics && !task.scopes.is_empty() {
            then.close(id);
            return Move::To(vec![then]);
        }
        if task.panics
            && let Some(end) = task.ends.iter().position(|has| *has)
        {
            then.drop_end(id, end);
            return Move::To(vec![then]);
        }
        if task.panics && task.strong > 0 {
            then.drop_reference(id);
            return Move::To(vec![then]);
        }
        let Some(ins) = self.code[id].get(task.pc).filter(|_| !task.panics) else {
            then.tasks[id].ended = true;
            return Move::End(then);
        };
        let goes_on = match ins {
            Ins::Do(stmt) => return self.perform(state, id, stmt),
            Ins::Lock(m) if !state.mutexes[*m].writer => {
                then.enter(id, Scope::Mutex(*m));
                true
            }
            Ins::TryLock(m, _) if !state.mutexes[*m].writer => {
                then.log(id, mark::OK);
                then.enter(id, Scope::Mutex(*m));
                true
            }
            Ins::Read(l) if !state.locks[*l].writer => {
                then.enter(id, Scope::Read(*l));
                true
            }
            Ins::TryRead(l, _) if !state.locks[*l].writer => {
                then.log(id, mark::OK);
                then.enter(id, Scope::Read(*l));
                true
            }
            Ins::Write(l) if !state.locks[*l].writer && state.locks[*l].readers == 0 => {
                then.enter(id, Scope::Write(*l));
                true
            }
            Ins::TryWrite(l, _) if !state.locks[*l].writer && state.locks[*l].readers == 0 => {
                then.log(id, mark::OK);
                then.enter(id, Scope::Write(*l));
                true
            }
            Ins::TryLock(_, end) | Ins::TryRead(_, end) | Ins::TryWrite(_, end) => {
                then.log(id, mark::WOULD_BLOCK);
                then.tasks[id].pc = *end;
                false
            }
            Ins::Once(o, end) => match state.onces[*o] {
                Progress::New => {
                    then.onces[*o] = Progress::Running;
                    then.tasks[id].scopes.push(Scope::Once(*o));
                    true
                }
                Progress::Running => return Move::Blocked,
                Progress::Done => {
                    then.tasks[id].pc = *end;
                    false
                }
                Progress::Poisoned => {
                    then.tasks[id].panics = true;
                    false
                }
            },
            Ins::Init(o, value, end) => match state.cells[*o] {
                (Progress::Running, _) => return Move::Blocked,
                (Progress::Done, there) => {
                    then.log(id, there);
                    then.tasks[id].pc = *end;
                    false
                }
                _ => {
                    then.cells[*o].0 = Progress::Running;
                    then.tasks[id].scopes.push(Scope::Cell(*o, *value));
                    true
                }
            },
            Ins::Close => {
                then.close(id);
                true
            }
            Ins::Look(var, round, end) if state.vars[*var] != 0 => {
                then.log(id, *round);
                then.tasks[id].pc = *end;
                false
            }
            Ins::Poll(other, round, end) if state.tasks[*other].ended => {
                then.log(id, *round);
                then.tasks[id].pc = *end;
                false
            }
            Ins::PollRecv(c, round, end) => {
                let message = then.channels[*c].queue.pop_front().map(|(message, _)| message);
                let gone = (state.channels[*c].senders == 0).then_some(mark::DISCONNECTED);
                match message.or(gone) {
                    Some(answer) => {
                        then.tasks[id].log.extend([*round, answer]);
                        then.tasks[id].pc = *end;
                        false
                    }
                    None => true,
                }
            }
            Ins::Look(..) | Ins::Poll(..) => true,
            Ins::DropEnds(end) => {
                then.drop_end(id, *end);
                true
            }
            // It comes here again for the next one.
            Ins::DropArcs => {
                then.drop_reference(id);
                false
            }
            Ins::JoinRest(other) if self.is_over(state, *other) => {
                then.join(id, *other);
                true
            }
            _ => return Move::Blocked,
        };
        then.tasks[id].pc += goes_on as usize;
        self.settle(&mut then, id);
        Move::To(vec![then])
    }

    /// A wake-up or failure of task `id` for no reason, if there may be one.
    pub(crate) fn spurious(&self, state: &State, id: usize) -> Option<State> {
        let task = &state.tasks[id];
        let is_elsewhere = task.panics || task.ended || task.destroys != Destroys::Not;
        let Ins::Do(stmt) = self.code[id].get(task.pc).filter(|_| !is_elsewhere)? else {
            return None;
        };
        let mut then = state.clone();
        then.spurious -= 1;
        match stmt {
            Stmt::Wait(_) | Stmt::WaitWhile(_) | Stmt::WaitTimeout(..) if task.at == At::Waiting => {
                then.wake(id)
            }
            Stmt::Park | Stmt::ParkTimeout(1..) => {
                let task = &mut then.tasks[id];
                (task.at, task.deadline, task.timed_out) = (At::Next, None, false);
                task.pc += 1;
            }
            Stmt::WeakExchange(var, expected, _) if state.vars[*var] == *expected => {
                then.tasks[id].log.extend([mark::REFUSED, *expected]);
                then.tasks[id].pc += 1;
            }
            _ => return None,
        }
        self.settle(&mut then, id);
        Some(then)
    }

    /// The next step of the destructor that task `id` runs.
    fn destroy(&self, state: &State, id: usize) -> Move {
        let mut then = state.clone();
        then.tasks[id].destroys = Destroys::Not;
        match (self.destructor, state.tasks[id].destroys) {
            (Destructor::Store(var, value), _) => then.vars[var] = value,
            (Destructor::Lock(mutex, _), Destroys::Holds) => then.mutexes[mutex].writer = false,
            (Destructor::Lock(mutex, _), _) if state.mutexes[mutex].writer => return Move::Blocked,
            (Destructor::Lock(mutex, value), _) => {
                (then.mutexes[mutex].writer, then.mutexes[mutex].data) = (true, value);
                then.tasks[id].destroys = Destroys::Holds;
            }
            (Destructor::Nothing, _) => {}
        }
        self.settle(&mut then, id);
        Move::To(vec![then])
    }

    fn perform(&self, state: &State, id: usize, stmt: &Stmt) -> Move {
        let task = &state.tasks[id];
        let mut then = state.clone();
        let mut several = Vec::new();
        match stmt {
            Stmt::Load(v) => then.log(id, state.vars[*v]),
            Stmt::Store(v, value) => then.vars[*v] = *value,
            Stmt::Swap(v, value) => {
                then.log(id, state.vars[*v]);
                then.vars[*v] = *value;
            }
            Stmt::Add(v) => {
                then.log(id, state.vars[*v]);
                then.vars[*v] += 1;
            }
            Stmt::Exchange(v, from, to) | Stmt::WeakExchange(v, from, to) => match state.vars[*v] == *from {
                true => {
                    then.log(id, mark::OK);
                    then.vars[*v] = *to;
                }
                false => then.tasks[id].log.extend([mark::REFUSED, state.vars[*v]]),
            },
            Stmt::Wait(c) | Stmt::WaitWhile(c) | Stmt::WaitTimeout(c, _) => {
                let mutex = state.innermost(id);
                match task.at {
                    At::Next => {
                        then.mutexes[mutex].writer = false;
                        // A wait of no time at all may be over before it can be notified.
                        if let Stmt::WaitTimeout(_, 0) = stmt {
                            let mut at_once = then.clone();
                            (at_once.tasks[id].at, at_once.tasks[id].timed_out) = (At::Woken, true);
                            several.push(at_once);
                        }
                        then.waiting[*c].push(id);
                        then.waiting[*c].sort_unstable();
                        then.tasks[id].at = At::Waiting;
                        if let Stmt::WaitTimeout(_, after) = stmt {
                            then.tasks[id].deadline = Some(state.now + after);
                        }
                        several.push(then);
                        return Move::To(several);
                    }
                    At::Woken if !state.mutexes[mutex].writer => {
                        then.mutexes[mutex].writer = true;
                        if state.mutexes[mutex].poisoned {
                            then.log(id, mark::POISONED);
                        }
                        if let Stmt::WaitTimeout(..) = stmt {
                            then.log(id, if task.timed_out { mark::TRUE } else { mark::FALSE });
                        }
                        if let Stmt::WaitWhile(_) = stmt {
                            // It looks again.
                            then.tasks[id].at = At::Next;
                            self.settle(&mut then, id);
                            return Move::To(vec![then]);
                        }
                    }
                    _ => return Move::Blocked,
                }
            }
            Stmt::NotifyOne(c) => {
                for waiting in &state.waiting[*c] {
                    let mut then = state.clone();
                    then.wake(*waiting);
                    several.push(then);
                }
            }
            Stmt::NotifyAll(c) => state.waiting[*c].iter().for_each(|waiting| then.wake(*waiting)),
            Stmt::Send(c, value) => {
                let channel = &state.channels[*c];
                let is_mine = |(_, from): &(i8, usize)| *from == id;
                match CHANNELS[*c] {
                    Some(0) if task.at == At::Offered => match channel.queue.iter().position(is_mine) {
                        Some(_) if channel.has_receiver => return Move::Blocked,
                        Some(offer) => {
                            then.channels[*c].queue.remove(offer);
                            then.log(id, mark::DISCONNECTED);
                        }
                        None => {}
                    },
                    _ if !channel.has_receiver => then.log(id, mark::DISCONNECTED),
                    Some(0) => {
                        then.channels[*c].queue.push_back((*value, id));
                        then.tasks[id].at = At::Offered;
                        return Move::To(vec![then]);
                    }
                    Some(most) if channel.queue.len() >= most => return Move::Blocked,
                    _ => then.channels[*c].queue.push_back((*value, id)),
                }
            }
            Stmt::TrySend(c, value) => {
                let channel = &state.channels[*c];
                let is_full = CHANNELS[*c].is_some_and(|most| channel.queue.len() >= most);
                let went = match (channel.has_receiver, is_full) {
                    (false, _) => mark::DISCONNECTED,
                    (true, true) => mark::WOULD_BLOCK,
                    (true, false) => {
                        then.channels[*c].queue.push_back((*value, id));
                        mark::OK
                    }
                };
                then.log(id, went);
            }
            // A wait of no time sets no timer.
            Stmt::RecvTimeout(_, after) | Stmt::Sleep(after) | Stmt::ParkTimeout(after)
                if task.at == At::Next && *after > 0 =>
            {
                then.tasks[id].deadline = Some(state.now + after);
                then.tasks[id].at = At::Begun;
                return Move::To(vec![then]);
            }
            Stmt::Recv(c) | Stmt::TryRecv(c) | Stmt::RecvTimeout(c, _) => {
                let message = then.channels[*c].queue.pop_front().map(|(message, _)| message);
                let nothing = match stmt {
                    _ if state.channels[*c].senders == 0 => Some(mark::DISCONNECTED),
                    Stmt::TryRecv(_) => Some(mark::EMPTY),
                    Stmt::RecvTimeout(_, after) if task.timed_out || *after == 0 => Some(mark::TIMED_OUT),
                    _ => None,
                };
                match message.or(nothing) {
                    Some(number) => then.log(id, number),
                    None => return Move::Blocked,
                }
            }
            Stmt::DropSender(c) => then.drop_end(id, *c),
            Stmt::DropReceiver(c) => then.drop_end(id, CHANNELS.len() + *c),
            Stmt::Park | Stmt::ParkTimeout(_) => {
                match task.token || task.timed_out || *stmt == Stmt::ParkTimeout(0) {
                    true => then.tasks[id].token = false,
                    false => return Move::Blocked,
                }
            }
            Stmt::Unpark(other) => then.tasks[*other].token = true,
            Stmt::DropArc => then.drop_reference(id),
            Stmt::CloneArc => {
                then.strong += 1;
                then.tasks[id].strong += 1;
            }
            Stmt::StrongCount => then.log(id, state.strong as i8),
            Stmt::TryUnwrap if state.strong > 1 => then.log(id, mark::REFUSED),
            Stmt::TryUnwrap | Stmt::IntoInner => {
                then.log(id, if state.strong == 1 { mark::OK } else { mark::EMPTY });
                then.drop_reference(id);
            }
            Stmt::Upgrade if state.strong == 0 => then.log(id, mark::EMPTY),
            Stmt::Upgrade => {
                then.log(id, mark::OK);
                then.strong += 1;
                then.tasks[id].strong += 1;
            }
            Stmt::GetCell(o) => match state.cells[*o] {
                (Progress::Done, value) => then.log(id, value),
                _ => then.log(id, mark::EMPTY),
            },
            Stmt::Meet => match task.at {
                At::Arrived(generation) if generation == state.generation => return Move::Blocked,
                At::Arrived(_) => then.log(id, mark::FALSE),
                _ if state.arrived as usize + 1 == BARRIER => {
                    then.arrived = 0;
                    then.generation += 1;
                    then.log(id, mark::TRUE);
                }
                _ => {
                    then.arrived += 1;
                    then.tasks[id].at = At::Arrived(state.generation);
                    return Move::To(vec![then]);
                }
            },
            Stmt::Clock => {
                then.tasks[id].readings += 1;
                let may_move = self.time == Time::Any
                    && state.moves < CLOCK_MOVES
                    && then.tasks[id].readings <= CLOCK_READINGS;
                if may_move {
                    let mut moved = then.clone();
                    moved.now += CLOCK_MOVE;
                    moved.moves += 1;
                    moved.log(id, moved.now as i8);
                    several.push(moved);
                }
                then.log(id, state.now as i8);
                several.push(then.clone());
            }
            Stmt::Sleep(after) => {
                if !task.timed_out && *after > 0 {
                    return Move::Blocked;
                }
            }
            Stmt::Choose(options) => {
                for choice in 0..*options {
                    let mut then = state.clone();
                    then.log(id, choice as i8);
                    several.push(then);
                }
            }
            Stmt::PanicIf(v) if state.vars[*v] == 0 => {}
            Stmt::Panic | Stmt::PanicIf(_) => {
                then.tasks[id].panics = true;
                return Move::To(vec![then]);
            }
            Stmt::Join(other) => match self.is_over(state, *other) {
                true => then.join(id, *other),
                false => return Move::Blocked,
            },
            Stmt::IsFinished(other) => {
                then.log(id, if state.tasks[*other].ended { mark::TRUE } else { mark::FALSE });
            }
            other => unreachable!("{other:?} is no operation"),
        }
        if several.is_empty() {
            several.push(then);
        }
        for then in &mut several {
            let task = &mut then.tasks[id];
            (task.at, task.deadline, task.timed_out) = (At::Next, None, false);
            task.pc += 1;
            self.settle(then, id);
        }
        Move::To(several)
    }
}
