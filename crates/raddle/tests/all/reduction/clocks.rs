//! Loops that poll the clock: time that passes for them is one event, and no trace of depth-first search is lost by that.

use super::oracle::{self, Notes};
use raddle::Spins;
use raddle::sync::Mutex;
use raddle::thread;
use raddle::time::{Duration, Instant};
use raddle_core::strategy::{Dfs, OptimalDpor};
use raddle_native::Settings;

/// How a task waits before it takes the lock.
#[derive(Clone, Copy, Debug)]
enum Waits {
    No,
    Sleeps(u64),
    /// With a look at the clock in each round.
    Polls(u64),
    /// With two.
    PollsTwice(u64),
    /// Under the lock.
    PollsLocked(u64),
}
use Waits::*;

fn wait(waits: Waits, begin: Instant, order: &Mutex<Notes>) {
    let is_early = |micros| begin.elapsed() < Duration::from_micros(micros);
    match waits {
        No => {}
        Sleeps(micros) => thread::sleep(Duration::from_micros(micros)),
        Polls(micros) => {
            while is_early(micros) {
                thread::yield_now();
            }
        }
        PollsTwice(micros) => {
            while is_early(micros) && is_early(micros) {
                thread::yield_now();
            }
        }
        PollsLocked(micros) => loop {
            let _guard = order.lock().unwrap();
            if !is_early(micros) {
                break;
            }
            thread::yield_now();
        },
    }
}

/// The order in which the tasks take a lock after they have waited, main last in the list and first to go on.
fn order_of(tasks: &[Waits]) -> Notes {
    let order = Mutex::new(Notes::new());
    let begin = Instant::now();
    let go = |number: usize| {
        wait(tasks[number], begin, &order);
        order.lock().unwrap().push(number as i64);
    };
    thread::scope(|scope| {
        let last = tasks.len() - 1;
        (0..last).for_each(|number| _ = scope.spawn(move || go(number)));
        go(last);
    });
    order.into_inner().unwrap()
}

/// The traces of each program, and the interleavings of depth-first search.
#[test]
fn a_polled_clock_has_the_traces_of_depth_first_search() {
    const MOST: u64 = 1_000;
    let programs: [(&[Waits], usize, u64); 6] = [
        // It was 45 traces while each round that might have seen the time pass was one.
        (&[Polls(500), No], 1, 28),
        (&[PollsTwice(500), No], 1, 55),
        (&[Polls(500), Sleeps(500)], 2, 15),
        (&[PollsLocked(500), No], 4, 4),
        // Of these, depth-first search sees a part.
        (&[Polls(300), Polls(500)], 1, MOST),
        (&[Polls(500), Polls(500)], 2, MOST),
    ];
    let settings = Settings { spins: Spins::Fair(1), ..Settings::default() };
    for (tasks, traces, interleavings) in programs {
        let program = || order_of(tasks);
        let (slow, all) = oracle::explore(&program, &settings, 1, MOST, Dfs::new());
        let (found, seen) = oracle::explore(&program, &settings, 1, MOST, OptimalDpor::new());
        assert_eq!((slow.executions, found.executions), (interleavings, traces as u64), "{tasks:?}");
        assert_eq!((seen.len(), found.coverage.is_exhaustive()), (traces, true), "{tasks:?}");
        assert!(all.keys().all(|class| seen.contains_key(class)), "{tasks:?}: a trace was missed");
        if slow.coverage.is_exhaustive() {
            assert!(all.len() == traces && slow.outcomes.keys().eq(found.outcomes.keys()), "{tasks:?}");
        }
    }
}
