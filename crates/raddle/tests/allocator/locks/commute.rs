//! Independent operations really commute: in every execution, two adjacent steps without a conflict can be
//! swapped, and the rest continues as before, to the same end. A step that enables another operation
//! conflicts with it.

use raddle::Time;
use raddle::sync::{Arc, Barrier, Condvar, LazyLock, Mutex, Once, OnceLock, RwLock, RwLockWriteGuard};
use raddle::thread;
use raddle_core::operation::{Accesses, TaskId};
use raddle_core::world::{Decision, Describe, Driver, End, Pending, Pick, Point, SelfDriving, World};
use raddle_native::{NativeWorld, Settings};
use std::collections::HashMap;
use std::fmt::Debug;
use std::time::Duration;

/// A step: a task, by a number that does not depend on the order of creation, and an option.
type Step = (u16, u16);

/// A step that was taken, and the state before it.
#[derive(Clone)]
struct Taken {
    pick: Pick,
    step: Step,
    accesses: Accesses,
    /// All enabled picks.
    possible: Vec<Pick>,
    /// The pending operations of all tasks, as numbers.
    pending: Vec<u32>,
}

/// Takes given picks and then the first enabled ones; records the alternatives.
#[derive(Default)]
struct Dfs {
    given: Vec<Pick>,
    /// The remaining picks of each step.
    others: Vec<Vec<Pick>>,
    taken: Vec<Taken>,
    /// The names of tasks, by number.
    names: Vec<String>,
    /// The numbers of the tasks of this execution.
    numbers: Vec<u16>,
}

impl Driver for Dfs {
    fn next(&mut self, point: &Point<'_>, world: &dyn Describe) -> Decision {
        let (depth, tasks) = (self.taken.len(), point.all().len());
        for task in self.numbers.len()..tasks {
            self.number(world.describe(TaskId(task as u32)).split(' ').next().unwrap());
        }
        let options =
            |task: TaskId| (0..point.pending(task).options).map(move |option| Pick { task, option });
        let possible: Vec<Pick> = point.enabled().iter().flat_map(|task| options(*task)).collect();
        if depth == self.given.len() {
            self.given.push(possible[0]);
            self.others.push(possible[1..].to_vec());
        }
        let pick = self.given[depth];
        let step = (self.numbers[pick.task.index()], pick.option as u16);
        let accesses = point.pending(pick.task).accesses;
        let pending = point.all().iter().map(|pending| pending.signature).collect();
        self.taken.push(Taken { pick, step, accesses, possible, pending });
        Decision::take(pick)
    }

    /// Automatic steps follow from the picks.
    fn note(&mut self, _: TaskId, _: &Pending, _: &dyn Describe) -> bool {
        true
    }
}

impl Dfs {
    /// Numbers the next task of this execution.
    fn number(&mut self, name: &str) {
        let number = self.names.iter().position(|n| n == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        self.numbers.push(number as u16);
    }

    /// Backtracks to the next execution, if there is one.
    fn turn(&mut self) -> bool {
        self.numbers.clear();
        while let Some(left) = self.others.last_mut() {
            self.given.pop();
            if let Some(next) = left.pop() {
                self.given.push(next);
                return true;
            }
            self.others.pop();
        }
        false
    }
}

/// All executions with their ends.
fn all_executions<T: Debug>(
    settings: Settings,
    program: impl Fn() -> T,
) -> HashMap<Vec<Step>, (Vec<Taken>, String)> {
    let mut world = NativeWorld::new(&program, settings);
    let mut dfs = Dfs::default();
    let mut all = HashMap::new();
    loop {
        world.run(&mut dfs);
        let end = match world.end(None).end {
            End::Passed(outcome) => format!("{outcome:?}"),
            // The message names all blocked tasks, in the order of their creation.
            End::Failed(defect) => format!("{}: {}", defect.kind, defect.message()),
        };
        world.finish();
        let taken = std::mem::take(&mut dfs.taken);
        let steps = taken.iter().map(|taken| taken.step).collect();
        assert!(all.insert(steps, (taken, end)).is_none(), "the same execution twice");
        assert!(all.len() < 100_000, "too many executions");
        if !dfs.turn() {
            return all;
        }
    }
}

/// Returns the number of swapped pairs. They are few: most operations change one object in turn.
#[track_caller]
fn commutes_with<T: Debug>(settings: Settings, program: impl Fn() -> T) -> usize {
    let all = all_executions(settings, program);
    let mut swaps = 0;
    for (steps, (taken, end)) in &all {
        for at in 1..steps.len() {
            let (first, second) = (&taken[at - 1], &taken[at]);
            let task = second.pick.task.index();
            // Not so if its task is new, or took an automatic step after that operation.
            let was_pending = first.pending.get(task) == Some(&second.pending[task]);
            if first.pick.task == second.pick.task || !was_pending || first.accesses.conflict(second.accesses)
            {
                continue;
            }
            let record = || {
                let accesses = taken.iter().map(|t| t.accesses).collect::<Vec<_>>();
                format!("steps {} and {at} of {steps:?} {accesses:?}", at - 1)
            };
            assert!(
                first.possible.contains(&second.pick),
                "the first makes the second possible: {}",
                record()
            );
            let mut swapped = steps.clone();
            swapped.swap(at - 1, at);
            assert_eq!(all.get(&swapped).map(|(_, end)| end), Some(end), "{}", record());
            swaps += 1;
        }
    }
    swaps
}

#[track_caller]
fn commutes<T: Debug>(program: impl Fn() -> T) -> usize {
    commutes_with(Settings::default(), program)
}

/// Runs all of them in parallel on an object that main has accessed.
fn beside<S: Send + Sync + 'static, T: Send + Debug + 'static>(
    shared: S,
    tasks: &[fn(&S) -> T],
) -> (Vec<T>, Arc<S>) {
    let shared = Arc::new(shared);
    let tasks: Vec<_> = tasks
        .iter()
        .map(|task| {
            let (task, shared) = (*task, shared.clone());
            thread::spawn(move || task(&shared))
        })
        .collect();
    (tasks.into_iter().map(|t| t.join().unwrap()).collect(), shared)
}

#[test]
fn read_write_locks() {
    type Lock = RwLock<u32>;
    let read: fn(&Lock) -> u32 = |l| *l.read().unwrap();
    let write: fn(&Lock) -> u32 = |l| {
        let mut guard = l.write().unwrap();
        *guard += 1;
        *guard
    };
    let try_read: fn(&Lock) -> u32 = |l| l.try_read().map_or(99, |guard| *guard);
    let try_write: fn(&Lock) -> u32 = |l| match l.try_write() {
        Ok(mut guard) => {
            *guard += 1;
            *guard
        }
        Err(_) => 99,
    };
    let downgrade: fn(&Lock) -> u32 = |l| {
        let mut guard = l.write().unwrap();
        *guard += 1;
        *RwLockWriteGuard::downgrade(guard)
    };
    let poison: fn(&Lock) -> u32 = |l| {
        let panicked = super::panic_of(|| {
            let _guard = l.write();
            panic!("with the guard");
        });
        panicked.is_some() as u32
    };
    let is_poisoned: fn(&Lock) -> u32 = |l| l.is_poisoned() as u32;
    let lock = || {
        let lock = RwLock::new(0);
        drop(lock.read());
        lock
    };
    let mut swaps = 0;
    for tasks in [
        [read, read, write],
        [read, read, try_write],
        [read, try_read, try_write],
        [read, write, try_write],
        [try_read, write, try_write],
        [read, try_read, downgrade],
        [is_poisoned, poison, is_poisoned],
    ] {
        swaps += commutes(|| {
            let (seen, lock) = beside(lock(), &tasks);
            let last = lock.read().map_or(99, |guard| *guard);
            (seen, last)
        });
    }
    assert!(swaps > 0);
}

#[test]
fn mutexes() {
    type Lock = Mutex<u32>;
    let lock: fn(&Lock) -> u32 = |m| match m.lock() {
        Ok(mut guard) => {
            *guard += 1;
            *guard
        }
        Err(_) => 99,
    };
    let try_lock: fn(&Lock) -> u32 = |m| m.try_lock().map_or(99, |guard| *guard);
    let poison: fn(&Lock) -> u32 = |m| {
        let panicked = super::panic_of(|| {
            let _guard = m.lock();
            panic!("with the guard");
        });
        panicked.is_some() as u32
    };
    let is_poisoned: fn(&Lock) -> u32 = |m| m.is_poisoned() as u32;
    let clear: fn(&Lock) -> u32 = |m| {
        m.clear_poison();
        0
    };
    for tasks in [
        [lock, lock, try_lock],
        [lock, try_lock, try_lock],
        [poison, is_poisoned, lock],
        [poison, clear, is_poisoned],
    ] {
        commutes(|| {
            let mutex = Mutex::new(0);
            drop(mutex.lock());
            beside(mutex, &tasks).0
        });
    }
}

type Waiting = (Mutex<u32>, Condvar, Condvar);

fn waiting() -> Waiting {
    let shared: Waiting = Default::default();
    drop(shared.0.lock());
    shared.1.notify_one();
    shared.2.notify_one();
    shared
}

#[test]
fn condition_variables() {
    let wait: fn(&Waiting) -> u32 = |w| *w.1.wait(w.0.lock().unwrap()).unwrap();
    let wait_while: fn(&Waiting) -> u32 = |w| {
        let mut guard = w.1.wait_while(w.0.lock().unwrap(), |n| *n == 0).unwrap();
        *guard -= 1;
        *guard
    };
    let notify_one: fn(&Waiting) -> u32 = |w| {
        *w.0.lock().unwrap() += 1;
        w.1.notify_one();
        0
    };
    let notify_all: fn(&Waiting) -> u32 = |w| {
        *w.0.lock().unwrap() += 2;
        w.1.notify_all();
        0
    };
    let elsewhere: fn(&Waiting) -> u32 = |w| {
        w.2.notify_one();
        0
    };
    for tasks in [
        [wait, notify_one, elsewhere].as_slice(),
        &[wait, wait, notify_one],
        &[wait_while, wait_while, notify_all],
        &[wait_while, notify_one, notify_one],
    ] {
        commutes(|| beside(waiting(), tasks).0);
    }
    let spurious = Settings { spurious: 1, ..Settings::default() };
    for tasks in [[wait, notify_one, elsewhere].as_slice(), &[wait, wait], &[wait_while, notify_all]] {
        commutes_with(spurious.clone(), || beside(waiting(), tasks).0);
    }
}

#[test]
fn condition_variables_and_time() {
    const SECOND: Duration = Duration::from_secs(1);
    let wait: fn(&Waiting) -> u32 = |w| {
        let (guard, result) = w.1.wait_timeout(w.0.lock().unwrap(), SECOND).unwrap();
        *guard * 10 + result.timed_out() as u32
    };
    let wait_longer: fn(&Waiting) -> u32 = |w| {
        let (guard, result) = w.1.wait_timeout_while(w.0.lock().unwrap(), 2 * SECOND, |n| *n == 0).unwrap();
        *guard * 10 + result.timed_out() as u32
    };
    let set_and_notify: fn(&Waiting) -> u32 = |w| {
        *w.0.lock().unwrap() += 1;
        w.1.notify_one();
        0
    };
    let any = Settings { time: Time::Any, ..Settings::default() };
    for tasks in [[wait, set_and_notify], [wait_longer, set_and_notify], [wait, wait_longer]] {
        commutes_with(Settings::default(), || beside(waiting(), &tasks).0);
        assert!(commutes_with(any.clone(), || beside(waiting(), &tasks).0) > 0);
    }
    // Main times out after the other one, or after that one was notified.
    let program = || {
        let shared = Arc::new(waiting());
        let (waits, notifies) = (shared.clone(), shared.clone());
        let waits = thread::spawn(move || wait(&waits));
        let notifies = thread::spawn(move || notifies.1.notify_one());
        let (own, never) = (Mutex::new(()), Condvar::new());
        std::mem::forget(never.wait_timeout(own.lock().unwrap(), 3 * SECOND));
        notifies.join().unwrap();
        waits.join().unwrap()
    };
    assert!(commutes_with(any, program) > 0);
}

#[test]
fn barriers() {
    let arrive: fn(&(Barrier, Once)) -> bool = |b| b.0.wait().is_leader();
    let twice: fn(&(Barrier, Once)) -> bool = |b| b.0.wait().is_leader() & b.0.wait().is_leader();
    let barrier = || (Barrier::new(2), Once::new());
    commutes(|| beside(barrier(), &[arrive, arrive]).0);
    commutes(|| beside(barrier(), &[twice, twice]).0);
    commutes(|| beside(barrier(), &[arrive, arrive, arrive]).0);
}

#[test]
fn whatever_is_done_once() {
    type All = (Once, OnceLock<u32>, LazyLock<u32>, Mutex<u32>);
    let all = || {
        let all: All = (Once::new(), OnceLock::new(), LazyLock::new(|| 5), Mutex::new(0));
        drop(all.3.lock());
        all.0.is_completed();
        all.1.get();
        LazyLock::get(&all.2);
        all
    };
    let call: fn(&All) -> u32 = |a| {
        let mut ran = 0;
        a.0.call_once(|| {
            *a.3.lock().unwrap() += 1;
            ran = 1;
        });
        ran
    };
    let call_silently: fn(&All) -> u32 = |a| {
        let mut ran = 0;
        a.0.call_once(|| ran = 1);
        ran
    };
    let fail: fn(&All) -> u32 = |a| {
        super::panic_of(|| {
            a.0.call_once(|| {
                drop(a.3.lock());
                panic!("the closure")
            })
        })
        .map_or(0, |text| text.len() as u32)
    };
    let force: fn(&All) -> u32 = |a| {
        let mut ran = 0;
        a.0.call_once_force(|state| ran = 1 + state.is_poisoned() as u32);
        ran
    };
    let ask: fn(&All) -> u32 = |a| a.0.is_completed() as u32;
    let wait: fn(&All) -> u32 = |a| {
        a.0.wait_force();
        0
    };
    let set: fn(&All) -> u32 = |a| a.1.set(1).is_ok() as u32;
    let get_or_init: fn(&All) -> u32 = |a| *a.1.get_or_init(|| *a.3.lock().unwrap() + 2);
    let get: fn(&All) -> u32 = |a| a.1.get().copied().unwrap_or(0);
    let lazy: fn(&All) -> u32 = |a| *a.2;
    let peek: fn(&All) -> u32 = |a| LazyLock::get(&a.2).copied().unwrap_or(0);
    for tasks in [
        [call, call, ask].as_slice(),
        &[call, call_silently, wait],
        &[fail, force, ask],
        &[set, get_or_init, get],
        &[set, set, get],
        &[lazy, peek, get],
        &[get_or_init, call],
    ] {
        assert!(commutes(|| beside(all(), tasks).0) > 0);
    }
}
