//! Loops that wait, of many shapes: whatever a round does, and wherever the loop stands, its outcomes are found, and it is
//! neither taken for a livelock nor runs into the limit of steps.

use raddle::sync::atomic::{AtomicBool, AtomicI64, Ordering::SeqCst};
use raddle::sync::{Arc, Condvar, Mutex, RwLock, mpsc};
use raddle::time::{Duration, Instant};
use raddle::{Checker, hint, thread};
use std::sync::TryLockError;

/// How a round ends.
#[derive(Clone, Copy, Debug)]
enum Pause {
    SpinLoop,
    YieldNow,
    Nothing,
}

impl Pause {
    #[track_caller]
    fn take(self) {
        match self {
            Pause::SpinLoop => hint::spin_loop(),
            Pause::YieldNow => thread::yield_now(),
            Pause::Nothing => {}
        }
    }
}

/// A loop that waits, and all outcomes that there are.
type Row = (&'static str, fn(Pause) -> i64, &'static [i64]);

/// Two tasks: what one waits for, the other does.
fn two<S: Send + Sync + 'static>(state: S, other: fn(&S), waits: impl FnOnce(&S) -> i64) -> i64 {
    let shared = Arc::new(state);
    let its = shared.clone();
    let task = thread::spawn(move || other(&its));
    let seen = waits(&shared);
    task.join().unwrap();
    seen
}

fn atomics() -> (AtomicI64, AtomicI64) {
    (AtomicI64::new(0), AtomicI64::new(0))
}

#[track_caller]
fn until(value: &AtomicI64, is: i64, pause: Pause) {
    while value.load(SeqCst) != is {
        pause.take();
    }
}

const LOCKS: &[Row] = &[
    (
        "try_lock, and the value is looked at",
        |pause| {
            two(
                Mutex::new(0),
                |value| *value.lock().unwrap() = 1,
                |value| loop {
                    if let Ok(value) = value.try_lock()
                        && *value != 0
                    {
                        return *value;
                    }
                    pause.take();
                },
            )
        },
        &[1],
    ),
    (
        "try_lock, by its error",
        |pause| {
            let add = |value: &Mutex<i64>| *value.lock().unwrap() += 1;
            two(Mutex::new(0), add, |value| {
                loop {
                    match value.try_lock() {
                        Ok(mut value) => {
                            *value += 1;
                            return *value;
                        }
                        Err(TryLockError::WouldBlock) => pause.take(),
                        Err(TryLockError::Poisoned(_)) => unreachable!(),
                    }
                }
            })
        },
        &[1, 2],
    ),
    (
        "lock in the condition",
        |pause| {
            two(
                Mutex::new(0),
                |value| *value.lock().unwrap() = 1,
                |value| {
                    while *value.lock().unwrap() == 0 {
                        pause.take();
                    }
                    1
                },
            )
        },
        &[1],
    ),
    (
        "pause under the lock",
        |pause| {
            two(
                Mutex::new(0),
                |value| *value.lock().unwrap() = 1,
                |value| loop {
                    let value = value.lock().unwrap();
                    if *value != 0 {
                        return *value;
                    }
                    pause.take();
                },
            )
        },
        &[1],
    ),
    (
        "an atomic is looked at under the lock",
        |pause| {
            let other = |(lock, value): &(Mutex<()>, AtomicI64)| {
                let _guard = lock.lock();
                value.store(1, SeqCst);
            };
            two((Mutex::new(()), AtomicI64::new(0)), other, |(lock, value)| {
                loop {
                    let _guard = lock.lock();
                    if value.load(SeqCst) != 0 {
                        return 1;
                    }
                    pause.take();
                }
            })
        },
        &[1],
    ),
    (
        "an atomic is looked at under the lock, and the pause is without",
        |pause| {
            let other = |(lock, value): &(Mutex<()>, AtomicI64)| {
                let _guard = lock.lock();
                value.store(1, SeqCst);
            };
            two((Mutex::new(()), AtomicI64::new(0)), other, |(lock, value)| {
                loop {
                    let guard = lock.lock();
                    if value.load(SeqCst) != 0 {
                        return 1;
                    }
                    drop(guard);
                    pause.take();
                }
            })
        },
        &[1],
    ),
    (
        "two locks, one within the other",
        |pause| {
            let other = |(a, b): &(Mutex<i64>, Mutex<i64>)| {
                *a.lock().unwrap() = 1;
                *b.lock().unwrap() = 1;
            };
            two((Mutex::new(0), Mutex::new(0)), other, |(a, b)| {
                loop {
                    let a = a.lock().unwrap();
                    let b = b.lock().unwrap();
                    if *a + *b == 2 {
                        return 1;
                    }
                    drop((a, b));
                    pause.take();
                }
            })
        },
        &[1],
    ),
    (
        "two locks, one after the other",
        |pause| {
            let other = |(a, b): &(Mutex<i64>, Mutex<i64>)| {
                *a.lock().unwrap() = 1;
                *b.lock().unwrap() = 1;
            };
            two((Mutex::new(0), Mutex::new(0)), other, |(a, b)| {
                while *a.lock().unwrap() + *b.lock().unwrap() < 2 {
                    pause.take();
                }
                1
            })
        },
        &[1],
    ),
    (
        "two locks overlap",
        |pause| {
            let other = |(a, b): &(Mutex<i64>, Mutex<i64>)| {
                *a.lock().unwrap() = 1;
                *b.lock().unwrap() = 1;
            };
            two((Mutex::new(0), Mutex::new(0)), other, |(first, second)| {
                loop {
                    let a = first.lock().unwrap();
                    let b = second.lock().unwrap();
                    let sum = *a + *b;
                    drop(a);
                    if sum == 2 {
                        return 1;
                    }
                    pause.take();
                    drop(b);
                }
            })
        },
        &[1],
    ),
    (
        "a lock is held around the loop",
        |pause| {
            let other = |(around, value): &(Mutex<()>, AtomicI64)| {
                value.store(1, SeqCst);
                drop(around.lock());
            };
            two((Mutex::new(()), AtomicI64::new(0)), other, |(around, value)| {
                let _guard = around.lock();
                until(value, 1, pause);
                1
            })
        },
        &[1],
    ),
    (
        "a lock is taken in one round and given back in the next",
        |pause| {
            two(
                Mutex::new(0),
                |value| *value.lock().unwrap() = 1,
                |value| {
                    let mut guard = value.lock().unwrap();
                    while *guard == 0 {
                        drop(guard);
                        pause.take();
                        guard = value.lock().unwrap();
                    }
                    *guard
                },
            )
        },
        &[1],
    ),
    (
        "read and try_read",
        |pause| {
            let other = |(a, b): &(RwLock<i64>, RwLock<i64>)| {
                *a.write().unwrap() = 1;
                *b.write().unwrap() = 1;
            };
            two((RwLock::new(0), RwLock::new(0)), other, |(a, b)| {
                while *a.read().unwrap() == 0 {
                    pause.take();
                }
                while !b.try_read().is_ok_and(|b| *b == 1) {
                    pause.take();
                }
                1
            })
        },
        &[1],
    ),
    (
        "write and try_write",
        |pause| {
            let other = |(a, b): &(RwLock<i64>, RwLock<i64>)| {
                *a.write().unwrap() = 1;
                *b.write().unwrap() = 1;
            };
            two((RwLock::new(0), RwLock::new(0)), other, |(a, b)| {
                while *a.write().unwrap() == 0 {
                    pause.take();
                }
                while !b.try_write().is_ok_and(|b| *b == 1) {
                    pause.take();
                }
                1
            })
        },
        &[1],
    ),
    (
        "a slot is filled by both under a lock, in turn",
        |pause| {
            let give = move |slot: &Mutex<Option<i64>>, value| loop {
                let mut slot = slot.lock().unwrap();
                if slot.is_none() {
                    *slot = Some(value);
                    return;
                }
                drop(slot);
                pause.take();
            };
            let slot = Arc::new(Mutex::new(Some(0)));
            let its = slot.clone();
            let task = thread::spawn(move || give(&its, 1));
            let mut found = None;
            while found.is_none() {
                found = slot.lock().unwrap().take();
            }
            task.join().unwrap();
            slot.lock().unwrap().unwrap()
        },
        &[1],
    ),
];

const PLACES: &[Row] = &[
    (
        "one loop after another, over the same atomic",
        |pause| {
            let other = |(value, answer): &(AtomicI64, AtomicI64)| {
                value.store(1, SeqCst);
                while answer.load(SeqCst) == 0 {
                    hint::spin_loop();
                }
                value.store(2, SeqCst);
            };
            two(atomics(), other, |(value, answer)| {
                while value.load(SeqCst) != 1 {
                    pause.take();
                }
                answer.store(1, SeqCst);
                while value.load(SeqCst) != 2 {
                    pause.take();
                }
                value.load(SeqCst)
            })
        },
        &[2],
    ),
    (
        "one loop right after another, over the same atomic",
        |pause| {
            let other = |(value, _): &(AtomicI64, AtomicI64)| (1..3).for_each(|n| value.store(n, SeqCst));
            two(atomics(), other, |(value, _)| {
                while value.load(SeqCst) < 1 {
                    pause.take();
                }
                while value.load(SeqCst) < 2 {
                    pause.take();
                }
                value.load(SeqCst)
            })
        },
        &[2],
    ),
    (
        "the same loop twice, over the same atomic",
        |pause| {
            let other = |(value, answer): &(AtomicI64, AtomicI64)| {
                value.store(1, SeqCst);
                until(answer, 1, Pause::Nothing);
                value.store(2, SeqCst);
            };
            two(atomics(), other, |(value, answer)| {
                until(value, 1, pause);
                answer.store(1, SeqCst);
                until(value, 2, pause);
                value.load(SeqCst)
            })
        },
        &[2],
    ),
    (
        "the same loop in turn with another",
        |pause| {
            let other = |(value, _): &(AtomicI64, AtomicI64)| {
                for turn in [1, 3] {
                    until(value, turn, Pause::Nothing);
                    value.store(turn + 1, SeqCst);
                }
            };
            two(atomics(), other, |(value, _)| {
                for turn in [0, 2] {
                    until(value, turn, pause);
                    value.store(turn + 1, SeqCst);
                }
                until(value, 4, pause);
                value.load(SeqCst)
            })
        },
        &[4],
    ),
    (
        "a loop in a loop",
        |pause| {
            let other = |(a, b): &(AtomicI64, AtomicI64)| {
                a.store(1, SeqCst);
                b.store(1, SeqCst);
            };
            two(atomics(), other, |(a, b)| {
                while b.load(SeqCst) == 0 {
                    while a.load(SeqCst) == 0 {
                        pause.take();
                    }
                    pause.take();
                }
                1
            })
        },
        &[1],
    ),
    (
        "a loop in a loop, over the same atomic",
        |pause| {
            let other = |(value, _): &(AtomicI64, AtomicI64)| (1..3).for_each(|n| value.store(n, SeqCst));
            two(atomics(), other, |(value, _)| {
                while value.load(SeqCst) < 2 {
                    while value.load(SeqCst) < 1 {
                        pause.take();
                    }
                }
                2
            })
        },
        &[2],
    ),
    (
        "a counted loop in a loop",
        |pause| {
            let other = |(value, _): &(AtomicI64, AtomicI64)| value.store(1, SeqCst);
            two(atomics(), other, |(value, _)| {
                while value.load(SeqCst) == 0 {
                    (0..3).for_each(|_| pause.take());
                }
                1
            })
        },
        &[1],
    ),
    (
        "a pause that grows",
        |pause| {
            let other = |(value, _): &(AtomicI64, AtomicI64)| value.store(1, SeqCst);
            two(atomics(), other, |(value, _)| {
                let mut rounds = 1;
                while value.load(SeqCst) == 0 {
                    (0..rounds).for_each(|_| pause.take());
                    rounds = (2 * rounds).min(32);
                }
                1
            })
        },
        &[1],
    ),
    (
        "spins first, then yields",
        |pause| {
            let other = |(value, _): &(AtomicI64, AtomicI64)| value.store(1, SeqCst);
            two(atomics(), other, |(value, _)| {
                let mut round = 0;
                while value.load(SeqCst) == 0 {
                    if round < 4 {
                        pause.take()
                    } else {
                        thread::yield_now()
                    }
                    round += 1;
                }
                1
            })
        },
        &[1],
    ),
    (
        "two atomics, until both",
        |pause| {
            let other = |(a, b): &(AtomicI64, AtomicI64)| {
                a.store(1, SeqCst);
                b.store(1, SeqCst);
            };
            two(atomics(), other, |(a, b)| {
                while a.load(SeqCst) == 0 || b.load(SeqCst) == 0 {
                    pause.take();
                }
                1
            })
        },
        &[1],
    ),
    (
        "two atomics, until either",
        |pause| {
            let other = |(a, b): &(AtomicI64, AtomicI64)| {
                b.store(1, SeqCst);
                a.store(1, SeqCst);
            };
            two(atomics(), other, |(a, b)| {
                loop {
                    if a.load(SeqCst) != 0 {
                        return 10;
                    }
                    if b.load(SeqCst) != 0 {
                        return 1;
                    }
                    pause.take();
                }
            })
        },
        &[1, 10],
    ),
    (
        "two atomics, until they are equal",
        |pause| {
            let other = |(a, b): &(AtomicI64, AtomicI64)| {
                b.store(2, SeqCst);
                a.store(2, SeqCst);
            };
            two((AtomicI64::new(1), AtomicI64::new(0)), other, |(a, b)| {
                loop {
                    let seen = a.load(SeqCst);
                    if b.load(SeqCst) == seen {
                        return seen;
                    }
                    pause.take();
                }
            })
        },
        &[2],
    ),
    (
        "two wait for each other",
        |pause| {
            let other = |(a, b): &(AtomicI64, AtomicI64)| {
                a.store(1, SeqCst);
                until(b, 1, Pause::SpinLoop);
            };
            two(atomics(), other, |(a, b)| {
                b.store(1, SeqCst);
                until(a, 1, pause);
                1
            })
        },
        &[1],
    ),
    (
        "a function with a loop is called at two places",
        |pause| {
            let other = |(value, _): &(AtomicI64, AtomicI64)| (1..4).for_each(|n| value.store(n, SeqCst));
            two(atomics(), other, |(value, _)| {
                let more_than = |n| {
                    while value.load(SeqCst) <= n {
                        pause.take();
                    }
                };
                more_than(0);
                let seen = value.load(SeqCst);
                more_than(2);
                seen
            })
        },
        &[1, 2, 3],
    ),
];

const UPDATES: &[Row] = &[
    (
        "compare_exchange",
        |pause| {
            let other = |value: &AtomicI64| value.store(1, SeqCst);
            two(AtomicI64::new(0), other, |value| {
                while value.compare_exchange(1, 2, SeqCst, SeqCst).is_err() {
                    pause.take();
                }
                value.load(SeqCst)
            })
        },
        &[2],
    ),
    (
        "compare_exchange after a load",
        |pause| {
            let other = |value: &AtomicI64| {
                value.fetch_add(1, SeqCst);
            };
            two(AtomicI64::new(0), other, |value| {
                loop {
                    let seen = value.load(SeqCst);
                    if value.compare_exchange_weak(seen, seen + 10, SeqCst, SeqCst).is_ok() {
                        return seen;
                    }
                    pause.take();
                }
            })
        },
        &[0, 1],
    ),
    (
        "swap, fetch_or and fetch_max",
        |pause| {
            let other = |value: &AtomicI64| value.store(0, SeqCst);
            two(AtomicI64::new(1), other, |value| {
                while value.swap(1, SeqCst) != 0 {
                    pause.take();
                }
                while value.fetch_or(1, SeqCst) != 1 {
                    pause.take();
                }
                while value.fetch_max(1, SeqCst) != 1 {
                    pause.take();
                }
                value.load(SeqCst)
            })
        },
        &[1],
    ),
    (
        "test and test-and-set",
        |pause| {
            let locked = move |taken: &AtomicBool, act: &dyn Fn() -> i64| {
                while taken.load(SeqCst) || taken.swap(true, SeqCst) {
                    pause.take();
                }
                let result = act();
                taken.store(false, SeqCst);
                result
            };
            let shared = Arc::new((AtomicBool::new(false), AtomicI64::new(0)));
            let add = |value: &AtomicI64| {
                value.store(value.load(SeqCst) + 1, SeqCst);
                value.load(SeqCst)
            };
            let its = shared.clone();
            let task = thread::spawn(move || locked(&its.0, &|| add(&its.1)));
            let seen = locked(&shared.0, &|| add(&shared.1));
            task.join().unwrap();
            seen
        },
        &[1, 2],
    ),
    (
        "a ticket",
        |pause| {
            let locked = move |(next, served): &(AtomicI64, AtomicI64)| {
                let mine = next.fetch_add(1, SeqCst);
                until(served, mine, pause);
                served.store(mine + 1, SeqCst);
                mine
            };
            let shared = Arc::new(atomics());
            let its = shared.clone();
            let task = thread::spawn(move || locked(&its));
            let seen = locked(&shared);
            task.join().unwrap();
            seen
        },
        &[0, 1],
    ),
    (
        "a flag is passed by two",
        |pause| {
            let other = |(a, b): &(AtomicI64, AtomicI64)| {
                while a.swap(0, SeqCst) == 0 {}
                b.store(1, SeqCst);
            };
            two(atomics(), other, |(a, b)| {
                a.store(1, SeqCst);
                while b.swap(0, SeqCst) == 0 {
                    pause.take();
                }
                a.load(SeqCst) + b.load(SeqCst)
            })
        },
        &[0],
    ),
];

const OTHERS: &[Row] = &[
    (
        "try_recv",
        |pause| {
            let (sender, receiver) = mpsc::channel();
            let task = thread::spawn(move || (1..3).for_each(|n| sender.send(n).unwrap()));
            let mut sum = 0;
            while sum < 3 {
                match receiver.try_recv() {
                    Ok(n) => sum += n,
                    Err(mpsc::TryRecvError::Empty) => pause.take(),
                    Err(mpsc::TryRecvError::Disconnected) => return -1,
                }
            }
            task.join().unwrap();
            sum
        },
        &[3],
    ),
    (
        "try_recv of two channels",
        |pause| {
            let (first, a) = mpsc::channel();
            let (second, b) = mpsc::channel();
            let task = thread::spawn(move || {
                second.send(2).unwrap();
                first.send(1).unwrap();
            });
            let found = loop {
                if let Ok(found) = a.try_recv().or_else(|_| b.try_recv()) {
                    break found;
                }
                pause.take();
            };
            task.join().unwrap();
            found
        },
        &[1, 2],
    ),
    (
        "try_send",
        |pause| {
            let (sender, receiver) = mpsc::sync_channel::<i64>(1);
            let task = thread::spawn(move || receiver.recv().unwrap() + receiver.recv().unwrap());
            for n in 1..3 {
                while sender.try_send(n).is_err() {
                    pause.take();
                }
            }
            task.join().unwrap()
        },
        &[3],
    ),
    (
        "is_finished",
        |pause| {
            let value = Arc::new(AtomicI64::new(0));
            let its = value.clone();
            let task = thread::spawn(move || its.store(1, SeqCst));
            while !task.is_finished() {
                pause.take();
            }
            value.load(SeqCst)
        },
        &[1],
    ),
    (
        "is_finished of two",
        |pause| {
            let value = Arc::new(AtomicI64::new(0));
            let tasks = [1, 2].map(|n| {
                let its = value.clone();
                thread::spawn(move || its.store(n, SeqCst))
            });
            while !tasks.iter().all(|task| task.is_finished()) {
                pause.take();
            }
            value.load(SeqCst)
        },
        &[1, 2],
    ),
    (
        "until a deadline, under a lock",
        |pause| {
            two(
                Mutex::new(0),
                |value| *value.lock().unwrap() = 1,
                |value| {
                    let begin = Instant::now();
                    while begin.elapsed() < Duration::from_millis(3) {
                        if *value.lock().unwrap() == 1 {
                            break;
                        }
                        pause.take();
                    }
                    1
                },
            )
        },
        &[1],
    ),
    (
        "sleeps between looks",
        |pause| {
            let other = |(value, _): &(AtomicI64, AtomicI64)| value.store(1, SeqCst);
            two(atomics(), other, |(value, _)| {
                while value.load(SeqCst) == 0 {
                    thread::sleep(Duration::from_millis(1));
                    pause.take();
                }
                1
            })
        },
        &[1],
    ),
    (
        "parks for a time between looks",
        |pause| {
            let other = |(value, _): &(AtomicI64, AtomicI64)| value.store(1, SeqCst);
            two(atomics(), other, |(value, _)| {
                while value.load(SeqCst) == 0 {
                    thread::park_timeout(Duration::from_millis(1));
                    pause.take();
                }
                1
            })
        },
        &[1],
    ),
    (
        "waits for a time on a condition",
        |pause| {
            let other = |(value, _): &(Mutex<i64>, Condvar)| *value.lock().unwrap() = 1;
            two((Mutex::new(0), Condvar::new()), other, |(value, changed)| {
                let mut value = value.lock().unwrap();
                while *value == 0 {
                    value = changed.wait_timeout(value, Duration::from_millis(1)).unwrap().0;
                    pause.take();
                }
                1
            })
        },
        &[1],
    ),
    (
        "recv_timeout of no time",
        |pause| {
            let (sender, receiver) = mpsc::channel();
            let task = thread::spawn(move || sender.send(1).unwrap());
            let found = loop {
                if let Ok(found) = receiver.recv_timeout(Duration::ZERO) {
                    break found;
                }
                pause.take();
            };
            task.join().unwrap();
            found
        },
        &[1],
    ),
];

/// Explores each row under each pause. Says of how many searches the end was reached; one that is stopped says so.
fn ended(rows: &[Row]) -> (u32, u32) {
    let mut wrong = String::new();
    let (mut exhaustive, mut dfs) = (0, 0);
    for (name, program, outcomes) in rows {
        for pause in [Pause::SpinLoop, Pause::YieldNow, Pause::Nothing] {
            let searches = [
                ("exhaustive", Checker::exhaustive().max_executions(1_000), Some(&mut exhaustive)),
                ("dfs", Checker::dfs().max_executions(500), Some(&mut dfs)),
                ("random", Checker::random(30), None),
            ];
            for (search, checker, count) in searches {
                let report = checker.run(|| program(pause));
                let found: Vec<i64> = report.outcomes().keys().copied().collect();
                let has_ended = report.coverage().is_exhaustive();
                let is_known = found.iter().all(|outcome| outcomes.contains(outcome));
                if report.failure().is_some() || !is_known || has_ended && found != *outcomes {
                    wrong += &format!("{name}, {pause:?}, {search}: {found:?}, not {outcomes:?}\n{report}\n");
                }
                count.into_iter().for_each(|count| *count += has_ended as u32);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    (exhaustive, dfs)
}

#[test]
fn loops_that_take_locks() {
    assert_eq!(ended(LOCKS), (40, 33));
}

#[test]
fn loops_that_follow_others() {
    assert_eq!(ended(PLACES), (34, 25));
}

#[test]
fn loops_that_update() {
    assert_eq!(ended(UPDATES), (18, 11));
}

#[test]
fn loops_that_poll() {
    assert_eq!(ended(OTHERS), (28, 26));
}
