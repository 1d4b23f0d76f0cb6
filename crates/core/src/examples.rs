//! One of each: for tests of other crates that must not forget a new kind. Not for direct use.

use crate::clock::Time;
use crate::code::CodeChange;
use crate::fact::{Assumption, Bound, Delivery, Grain, Obstacle};
use crate::memory::Model;
use crate::record::Place;
use crate::verdict::FailureKind;

/// One assumption of each kind, and of each value that has words of its own. A new kind does not compile before it is here.
pub fn assumptions() -> Vec<Assumption> {
    use Assumption::*;
    let all = vec![
        SampledWithin(Bound::Preemptions(2)),
        RealAddresses,
        Kills(1),
        HeapCellsNotJudged,
        FreedMemoryHeldBack,
        PlainMemoryNotWatched,
        FreedMemoryUsedAgain,
        FreedMemoryForgotten { mebibytes: 256 },
        ClockMoves { times: 1, readings: 4 },
        DetachedSteps(1_000),
        FairSpins(3),
        Grain(self::Grain::Full),
        Grain(self::Grain::Thesis),
        Grain(self::Grain::Receive),
        FirstSteps(100_000),
        ReferenceCountsNotExplored,
        SequentiallyConsistent,
        TakenForSeqCst(Place { file: "src/queue.rs".to_owned(), line: 20, column: 9 }),
        Memory(Model::Tso),
        Memory(Model::Pso),
        Memory(Model::Rc11),
        Signals(Delivery::Instant),
        Signals(Delivery::Local),
        Signals(Delivery::Pairs),
        ChangedSinceTicket(CodeChange::Somewhere),
        ChangedSinceTicket(CodeChange::Gone("module bank".to_owned())),
        ChangedSinceTicket(CodeChange::New("module bank".to_owned())),
        ChangedSinceTicket(CodeChange::Changed("the executable".to_owned())),
        SequentiallyConsistentSince(Obstacle::AllocatorNotInstalled),
        SequentiallyConsistentSince(Obstacle::SpinsAwait),
        SequentiallyConsistentSince(Obstacle::SpuriousWakeUps),
        SequentiallyConsistentSince(Obstacle::Observers),
        SequentiallyConsistentSince(Obstacle::Bounds),
        SequentiallyConsistentSince(Obstacle::Strategy),
        SequentiallyConsistentSince(Obstacle::NotReduced { executions: 2 }),
        SequentiallyConsistentSince(Obstacle::EndedIn(FailureKind::StepLimit)),
        SequentiallyConsistentSince(Obstacle::NothingLeft),
        TakenForSeqCstElsewhere { places: 12 },
        SpinsAwait,
        OwnAllocatorNotUsed,
        OnRealStd(vec!["tokio".to_owned()]),
        Ignored(FailureKind::Panic),
        TimeoutsBelow(5_000),
        TimersAfterTest(3),
        TreatedAsNormal("stopped".to_owned()),
        ThreadPanicsAllowed,
        Timers(Time::Idle),
        Timers(Time::Any),
        SpuriousWakeUps(1),
    ];
    let kind = |assumption: &Assumption| match assumption {
        SampledWithin(_) => 0,
        RealAddresses => 1,
        Kills(_) => 2,
        HeapCellsNotJudged => 3,
        ClockMoves { .. } => 4,
        DetachedSteps(_) => 5,
        FairSpins(_) => 6,
        Grain(_) => 7,
        FirstSteps(_) => 8,
        ReferenceCountsNotExplored => 9,
        SequentiallyConsistent => 10,
        Signals(_) => 11,
        SpinsAwait => 12,
        OwnAllocatorNotUsed => 13,
        ThreadPanicsAllowed => 14,
        Timers(_) => 15,
        SpuriousWakeUps(_) => 16,
        OnRealStd(_) => 17,
        Ignored(_) => 18,
        TimeoutsBelow(_) => 19,
        TimersAfterTest(_) => 20,
        TreatedAsNormal(_) => 21,
        ChangedSinceTicket(_) => 22,
        FreedMemoryHeldBack => 23,
        FreedMemoryForgotten { .. } => 24,
        FreedMemoryUsedAgain => 25,
        PlainMemoryNotWatched => 26,
        TakenForSeqCst(_) => 27,
        Memory(_) => 28,
        SequentiallyConsistentSince(_) => 29,
        TakenForSeqCstElsewhere { .. } => 30,
    };
    assert!(all.iter().map(kind).collect::<std::collections::BTreeSet<_>>().into_iter().eq(0..31));
    all
}
