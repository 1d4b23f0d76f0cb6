//! Operations that do not conflict commute: wherever two of them are enabled, both orders lead to the same
//! enabled operations and to the same outcome.

use super::*;
use raddle_core::operation::TaskId;
use raddle_core::random::Rng;
use raddle_core::world::{End, Pick, World};
use raddle_native::{NativeWorld, Settings};

/// The enabled operations, without the numbers of objects and tasks: the options of every task, by name, and
/// the conflicts.
#[derive(PartialEq, Debug)]
struct View {
    options: Vec<(String, u32)>,
    conflicts: Vec<bool>,
}

fn view<W: World>(world: &W) -> View {
    let point = world.point();
    let name = |id| world.describe(TaskId(id)).split(' ').next().unwrap_or_default().to_owned();
    let mut all: Vec<_> = point.all().iter().zip(0..).map(|(pending, id)| (name(id), pending)).collect();
    all.sort_by(|(a, _), (b, _)| a.cmp(b));
    let pairs = all.iter().flat_map(|(_, a)| all.iter().map(|(_, b)| a.accesses.conflict(b.accesses)));
    View {
        conflicts: pairs.collect(),
        options: all.iter().map(|(name, p)| (name.clone(), p.options)).collect(),
    }
}

/// Takes `picks`; returns the view there, and the end if the first enabled task always continues.
fn follow<W: World<Outcome = String>>(world: &mut W, picks: &[Pick]) -> (View, String) {
    world.start();
    for pick in picks {
        world.step(*pick);
    }
    let then = view(world);
    while let Some(task) = world.point().enabled().first().copied() {
        world.step(Pick { task, option: 0 });
    }
    let end = match world.end(None).end {
        End::Passed(outcome) => outcome,
        End::Failed(defect) => format!("{}: {}", defect.kind, defect.message()),
    };
    world.finish();
    (then, end)
}

/// Walks at random through `program` and swaps all commuting pairs on the way. Returns their number.
fn swap_all(settings: &Settings, walks: u64, program: impl Fn() -> String) -> u32 {
    let mut world = NativeWorld::new(&program, settings.clone());
    let mut swaps = 0;
    for walk in 0..walks {
        let mut random = Rng::new(walk, 0);
        let mut picks = Vec::new();
        let mut pairs: Vec<(usize, Pick, Pick)> = Vec::new();
        world.start();
        while !world.point().is_over() {
            let point = world.point();
            let enabled: Vec<TaskId> = point.enabled().to_vec();
            let mut pick = || {
                let task = enabled[random.below(enabled.len() as u32) as usize];
                Pick { task, option: random.below(point.pending(task).options) }
            };
            let (one, two) = (pick(), pick());
            let conflict = point.pending(one.task).accesses.conflict(point.pending(two.task).accesses);
            if one.task != two.task && !conflict {
                pairs.push((picks.len(), one, two));
            }
            world.step(one);
            picks.push(one);
        }
        let _ = world.end(None).end;
        world.finish();
        for (at, one, two) in pairs {
            let [there, back] = [[one, two], [two, one]].map(|pair| {
                let picks = [&picks[..at], &pair].concat();
                follow(&mut world, &picks)
            });
            assert_eq!(there, back, "walk {walk}, after {:?}: {one:?} and {two:?}", &picks[..at]);
            swaps += 1;
        }
    }
    swaps
}

fn settings() -> Settings {
    Settings { time: Time::Any, spurious: 1, ..Settings::default() }
}

fn join<T>(tasks: impl IntoIterator<Item = thread::JoinHandle<T>>) -> Vec<T> {
    tasks.into_iter().map(|t| t.join().unwrap()).collect()
}

#[test]
fn unbounded() {
    let swaps = swap_all(&settings(), 300, || {
        let (tx, rx) = channel();
        let senders: Vec<_> = (0..3)
            .map(|n| {
                let tx = tx.clone();
                thread::spawn(move || {
                    let other = tx.clone();
                    let first = tx.send(n).is_ok();
                    drop(tx);
                    (first, other.send(n + 10).is_ok())
                })
            })
            .collect();
        drop(tx);
        let receiver = thread::spawn(move || {
            let tried =
                [word(rx.try_recv()), word(rx.recv_timeout(SECOND)), word(rx.recv()), word(rx.try_recv())];
            drop(rx);
            tried
        });
        format!("{:?} {:?}", join([receiver]), join(senders))
    });
    assert!(swaps > 100, "{swaps}");
}

#[test]
fn with_bounds() {
    for capacity in [0, 1, 2] {
        let swaps = swap_all(&settings(), 300, || {
            let (tx, rx) = sync_channel(capacity);
            let (other, third) = (tx.clone(), tx.clone());
            let senders = [
                thread::spawn(move || format!("{:?}", [tx.send(1).is_ok(), tx.send(2).is_ok()])),
                thread::spawn(move || format!("{:?}", [other.try_send(3), other.try_send(4)])),
                thread::spawn(move || {
                    drop(third.clone());
                    format!("{:?}", third.send(5).is_ok())
                }),
            ];
            let receiver = thread::spawn(move || {
                let some = [word(rx.try_recv()), word(rx.recv_timeout(SECOND)), word(rx.recv())];
                let none = rx.recv_timeout(Duration::ZERO);
                (some, word(none))
            });
            format!("{:?} {:?}", join([receiver]), join(senders))
        });
        assert!(swaps > 100, "{swaps}");
    }
}

#[test]
fn two_channels_and_two_timers() {
    let swaps = swap_all(&settings(), 300, || {
        let (to_left, left) = channel();
        let (to_right, right) = sync_channel(0);
        let tasks = [
            thread::spawn(move || {
                let got = left.recv_timeout(SECOND);
                format!("{got:?} {:?}", to_right.try_send(1))
            }),
            thread::spawn(move || {
                let got = right.recv_timeout(2 * SECOND);
                format!("{got:?} {:?}", to_left.send(2))
            }),
        ];
        format!("{:?}", join(tasks))
    });
    assert!(swaps > 100, "{swaps}");
}

#[test]
fn atomics() {
    use raddle::sync::atomic::{AtomicI8, AtomicU16};
    let swaps = swap_all(&settings(), 300, || {
        let shared = Arc::new((AtomicI8::new(-1), AtomicU16::new(0)));
        let tasks: Vec<_> = (0..4)
            .map(|n: i8| {
                let shared = shared.clone();
                thread::spawn(move || {
                    let (x, y) = &*shared;
                    let one = x.compare_exchange(-1 - n, -2 - n, SeqCst, SeqCst);
                    let two = y.compare_exchange_weak(0, n as u16, SeqCst, SeqCst);
                    let three = x.compare_exchange_weak(-1, 7, SeqCst, SeqCst);
                    format!("{one:?} {two:?} {three:?} {}", y.load(SeqCst))
                })
            })
            .collect();
        format!("{:?} {:?}", join(tasks), shared)
    });
    assert!(swaps > 100, "{swaps}");
}
