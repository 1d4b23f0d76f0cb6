use super::*;

/// All accesses, in the simple way: none is ever forgotten.
#[derive(Default)]
struct Oracle(Vec<Touch>);

impl Oracle {
    fn races(&mut self, new: Touch, clock: &VectorClock) -> bool {
        let races = |old: &Touch| {
            old.mask() & new.mask() != 0
                && old.task() != new.task()
                && !clock.knows(old.task(), old.time())
                && old.how().conflicts(new.how())
        };
        let found = self.0.iter().any(races);
        self.0.push(new);
        found
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// Tasks access bytes of one cell, release and acquire at random: up to the first race, a cell says the same as the list of
/// all accesses.
#[test]
fn a_cell_finds_the_first_race_of_random_accesses() {
    let mut random = Random(7);
    let (mut races, mut accesses) = (0, 0);
    for _ in 0..20_000 {
        let tasks = 2 + random.below(4) as usize;
        let mut clocks = vec![VectorClock::new(); tasks];
        for (at, clock) in clocks.iter_mut().enumerate() {
            clock.set(TaskId(at as u32), 1);
        }
        let (mut cell, mut more, mut oracle) =
            (Cell::of(Kind::Live, 0xff), More::default(), Oracle::default());
        for _ in 0..30 {
            let me = random.below(tasks as u64) as usize;
            let id = TaskId(me as u32);
            if random.below(3) > 0 {
                // Learns what another task has released.
                let other = random.below(tasks as u64) as usize;
                let released = clocks[other].clone();
                clocks[other].tick(TaskId(other as u32));
                clocks[me].join(&released);
            }
            let first = random.below(8);
            let length = 1 + random.below(8 - first);
            let mask = (((1u32 << length) - 1) << first) as u8;
            let how = How::ALL[random.below(4) as usize];
            let new = Touch::new(id, clocks[me].get(id), how, mask);
            assert_eq!((new.task(), new.time(), new.how(), new.mask()), (id, clocks[me].get(id), how, mask));
            accesses += 1;
            let expected = oracle.races(new, &clocks[me]);
            let found = !cell.knows(new)
                && cell.touch(&mut more, Noted { touch: new, stack: 0 }, &clocks[me], false).is_some();
            assert_eq!(found, expected, "access {accesses}");
            if found {
                races += 1;
                break;
            }
        }
    }
    assert!(races > 5_000 && accesses > 50_000, "{races} races in {accesses} accesses");
}

#[test]
fn a_race_that_is_forgotten_is_found_once() {
    let (mut cell, mut more) = (Cell::of(Kind::Live, 0xff), More::default());
    let noted = |task: u32, how| Noted { touch: Touch::new(TaskId(task), 1, how, 0x0f), stack: task };
    let clock = VectorClock::new();
    assert!(cell.touch(&mut more, noted(0, How::Write), &clock, false).is_none());
    let race = cell.touch(&mut more, noted(1, How::Read), &clock, false).expect("nothing orders them");
    assert_eq!((race.touch.task(), race.stack), (TaskId(0), 0));
    assert!(cell.touch(&mut more, noted(1, How::Read), &clock, true).is_none());
    assert!(cell.touch(&mut more, noted(1, How::Write), &clock, false).is_none());
}

#[test]
fn a_cell_is_half_a_line_of_the_cache() {
    assert_eq!(size_of::<Cell>(), 32);
    // Memory that was just mapped.
    assert_eq!(Kind::Unknown as u8, 0);
}
