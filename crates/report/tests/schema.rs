//! Every example of the trace format is valid by its schema, and what is broken is not. The validator here knows the
//! keywords of JSON Schema (draft 2020-12) that the schema uses, and refuses others.

mod records;

use raddle_core::difference::{Difference, Ended};
use raddle_core::fact::{Bound, Fact, Other, PlainAccess, Relation, StopReason, Waiting};
use raddle_core::record::{Caller, Hold, LockUse, Mailbox, Place};
use raddle_core::verdict::{
    BadFree, Cause, Coverage, Defect, Elsewhere, Extent, Failure, FailureKind, Fault, Found, PanicDuring,
    PlainMemory, Replayed, Side,
};
use serde_json::{Value, json};

/// What is wrong with `value`, as far as `schema` says.
fn wrong(root: &Value, schema: &Value, value: &Value, at: &str) -> Vec<String> {
    let Some(schema) = schema.as_object() else { return vec![format!("{at}: the schema is no object")] };
    let mut errors = Vec::new();
    for (keyword, wanted) in schema {
        let mut demand = |holds: bool, what: String| {
            if !holds {
                errors.push(format!("{at}: {what}"))
            }
        };
        match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" => {}
            "type" => {
                let is = match value {
                    Value::Object(_) => "object",
                    Value::Array(_) => "array",
                    Value::String(_) => "string",
                    Value::Bool(_) => "boolean",
                    Value::Number(number) if number.is_u64() || number.is_i64() => "integer",
                    Value::Number(_) => "number",
                    Value::Null => "null",
                };
                demand(wanted == is, format!("{is} instead of {wanted}"));
            }
            "const" => demand(value == wanted, format!("{value} instead of {wanted}")),
            "enum" => {
                let known = wanted.as_array().is_some_and(|all| all.contains(value));
                demand(known, format!("{value} is none of {wanted}"));
            }
            "minimum" => demand(value.as_f64() >= wanted.as_f64(), format!("{value} is less than {wanted}")),
            "required" => {
                for name in wanted.as_array().into_iter().flatten().filter_map(Value::as_str) {
                    demand(value.get(name).is_some(), format!("{name} is missing"));
                }
            }
            "properties" => {
                for (name, inner) in wanted.as_object().into_iter().flatten() {
                    if let Some(found) = value.get(name) {
                        errors.extend(wrong(root, inner, found, &format!("{at}/{name}")));
                    }
                }
            }
            "additionalProperties" => {
                let known = |name: &str| schema.get("properties").is_some_and(|p| p.get(name).is_some());
                for (name, found) in value.as_object().into_iter().flatten().filter(|(name, _)| !known(name))
                {
                    match wanted {
                        Value::Bool(allowed) => {
                            if !allowed {
                                errors.push(format!("{at}: {name} is not known"));
                            }
                        }
                        inner => errors.extend(wrong(root, inner, found, &format!("{at}/{name}"))),
                    }
                }
            }
            "items" => {
                for (n, found) in value.as_array().into_iter().flatten().enumerate() {
                    errors.extend(wrong(root, wanted, found, &format!("{at}/{n}")));
                }
            }
            "oneOf" => {
                let all = wanted.as_array().into_iter().flatten();
                let fitting = all.filter(|inner| wrong(root, inner, value, at).is_empty()).count();
                demand(fitting == 1, format!("{value} fits {fitting} of the alternatives"));
            }
            "$ref" => {
                let path =
                    wanted.as_str().and_then(|path| path.strip_prefix('#')).expect("a local reference");
                let inner = root.pointer(path).unwrap_or_else(|| panic!("there is no {path}"));
                errors.extend(wrong(root, inner, value, at));
            }
            other => errors.push(format!("{at}: the validator does not know {other}")),
        }
    }
    errors
}

fn schema() -> Value {
    serde_json::from_str(include_str!("../schema/trace.schema.json")).expect("the schema is JSON")
}

fn errors_of(document: &Value) -> Vec<String> {
    let schema = schema();
    wrong(&schema, &schema, document, "")
}

fn document(failure: &Failure, coverage: &Coverage) -> Value {
    serde_json::from_str(&raddle_report::to_json(failure, coverage)).expect("it is JSON")
}

fn is_valid(failure: &Failure, coverage: &Coverage) {
    let document = document(failure, coverage);
    assert_eq!(errors_of(&document), Vec::<String>::new(), "{document:#}");
}

#[test]
fn every_example_is_valid() {
    use records::*;
    let examples = [
        lost_update(),
        labels(),
        long_names(),
        deadlock(),
        livelock(),
        data_race(),
        step_limit(),
        not_deterministic(),
        leak(),
        crowd(),
        destructor(),
        timer(),
        passed_on(),
        crashed(),
        diverged(),
    ];
    for failure in examples {
        is_valid(&failure, &first_failure(&failure));
    }
}

/// One of each; a new variant that is not listed here is an error of the compiler, in `match` below.
fn relations() -> Vec<Relation> {
    use Relation::*;
    let text = || "a".to_owned();
    let passed = Ended::Passed { steps: 1 };
    let failed = Ended::Failed { kind: FailureKind::Leak, message: text() };
    let unknown = Ended::Failed { kind: FailureKind::Leak, message: String::new() };
    let all = vec![
        Waits { waiting: Waiting::Woken, operation: text(), needs: Some(text()) },
        Spins { objects: vec![text()] },
        WaitsForMessage { mailbox: vec![text()] },
        WaitsForSignal,
        Circle { tasks: vec![text()] },
        NotifiedTooEarly,
        Reads,
        Writes,
        ReadsSince,
        ReadsAgain,
        WantsToWrite,
        Panicked,
        PanickedBecause,
        Exited,
        Made,
        ChannelMade,
        Used,
        AtomicStepBegan,
        FreedMemoryUnknown,
        WantsTo { operation: text() },
        Next { operation: text() },
        In { function: text() },
        DidLast { operation: text() },
        Allocated,
        Freed,
        FreesAgain,
        FreesHere,
        UsesFreed { operation: text() },
        Accesses { access: PlainAccess::Read, atomically: true, bytes: 8 },
        Accesses { access: PlainAccess::Write, atomically: false, bytes: 1 },
        Undefined { module: text(), function: text() },
        Differs { difference: Difference::Step { step: 1, was: text(), now: text() } },
        Differs { difference: Difference::Option { step: 1, now: text(), option: 2 } },
        Differs { difference: Difference::EndsEarlier { steps: 1 } },
        Differs { difference: Difference::EndsLater { steps: 1, now: text() } },
        Differs { difference: Difference::End { was: passed, now: failed } },
        Differs { difference: Difference::End { was: unknown, now: Ended::Abandoned } },
        Differs { difference: Difference::Outcome },
        Differs { difference: Difference::From { step: 1 } },
        EndedIn { kind: FailureKind::Leak, message: text() },
    ];
    for relation in &all {
        match relation {
            Waits { .. }
            | Spins { .. }
            | WaitsForMessage { .. }
            | WaitsForSignal
            | Circle { .. }
            | NotifiedTooEarly
            | Reads
            | Writes
            | ReadsSince
            | ReadsAgain
            | WantsToWrite
            | Panicked
            | PanickedBecause
            | Exited
            | Made
            | ChannelMade
            | Used
            | AtomicStepBegan
            | FreedMemoryUnknown
            | WantsTo { .. }
            | Next { .. }
            | In { .. }
            | DidLast { .. }
            | Allocated
            | Freed
            | FreesAgain
            | FreesHere
            | UsesFreed { .. }
            | Accesses { .. }
            | Undefined { .. }
            | Differs { .. }
            | EndedIn { .. } => {}
        }
    }
    all
}

/// One of each; a new variant that is not listed here is an error of the compiler, in `match` below.
fn causes() -> Vec<Cause> {
    use Cause::*;
    let text = || "a".to_owned();
    let during = [PanicDuring::Unwinding(text()), PanicDuring::DropOfResult, PanicDuring::DropOfThreadLocal];
    let found = [Found::Step(text()), Found::NotEnabled, Found::End];
    let elsewhere = [
        self::Elsewhere::Object(text()),
        self::Elsewhere::ObjectUsedOutside(text()),
        self::Elsewhere::Handle(text()),
        self::Elsewhere::HandleOfThread(text()),
        self::Elsewhere::ChannelEnd(text()),
        self::Elsewhere::ChannelEndOutside(text()),
        self::Elsewhere::Channel,
    ];
    let place = Some(Place { file: "tests/a.erl".to_owned(), line: 12, column: 1 });
    let mut all = vec![
        Panicked { task: text(), message: text() },
        Aborted { task: text() },
        ExitedProcess { task: text(), code: -1 },
        StackOverflow { task: text(), kibibytes: 2_048 },
        Deadlock { tasks: vec![text()] },
        Unfinished { tasks: vec![text()] },
        ReadAgain { reader: text(), writer: text(), lock: text() },
        Livelock { tasks: vec![text()] },
        Endless { process: text() },
        Unordered { first: text(), second: text(), object: text() },
        Overlapping { task: text(), does: text(), object: text(), other: Some(text()), access: text() },
        Overlapping { task: text(), does: text(), object: text(), other: None, access: text() },
        DoubleFree { task: text(), size: 24, first: text() },
        HeapOverflow { size: 24, side: Side::Before, found_by: Some(text()) },
        HeapOverflow { size: 24, side: Side::Behind, found_by: None },
        FreedBlockUsed { task: text(), operation: text(), object: text(), size: 24, freed_by: Some(text()) },
        FreedBlockUsed { task: text(), operation: text(), object: text(), size: 24, freed_by: None },
        FreedBlockWritten { size: 24, freed_by: text() },
        FreedBlockAccessed {
            task: text(),
            access: PlainAccess::Write,
            bytes: 4,
            offset: 8,
            size: 24,
            freed_by: text(),
        },
        UnorderedFree { task: text(), other: text(), size: 24 },
        Leak { values: 2, first: text() },
        StepLimit { max_steps: 1_000 },
        NotDeterministic { difference: Difference::From { step: 1 } },
        InAtomicStep { task: text(), operation: text(), step: text() },
        NoPthread,
        Crashed { process: text(), reason: text(), place: place.clone() },
        Exited { process: text(), reason: text(), early: true, place },
        Halted { process: text(), call: text() },
        ProcessesWait { processes: vec![text()] },
        MemoryLimit { mebibytes: 1 },
        Configuration { error: text() },
        NotSupported { what: text() },
        Said { kind: FailureKind::Invariant, message: text() },
    ];
    let frees = [
        self::BadFree::Layout { size: 24, align: 8, freed_size: 16, freed_align: 4 },
        self::BadFree::Inside { offset: 8, size: 24 },
        self::BadFree::OfAStack,
        self::BadFree::OfAStatic,
    ];
    all.extend(frees.map(|how| BadFree { task: text(), how }));
    let memory = [
        PlainMemory::Block { offset: 0, size: 24 },
        PlainMemory::Block { offset: 8, size: 24 },
        PlainMemory::Static,
        PlainMemory::Stack { of: text() },
    ];
    all.extend(memory.map(|memory| PlainRace { first: text(), second: text(), bytes: 8, memory }));
    let sides = [(Side::Before, 4), (Side::Behind, 0), (Side::Behind, 2)];
    all.extend(sides.map(|(side, distance)| OutOfBounds {
        task: text(),
        access: PlainAccess::Read,
        bytes: 4,
        size: 24,
        side,
        distance,
    }));
    let faults = [Fault::Segmentation, Fault::Bus, Fault::IllegalInstruction, Fault::Arithmetic];
    all.extend(faults.map(|fault| Faulted { task: text(), fault }));
    all.extend(during.map(|during| PanicAborts { task: text(), during, message: Some(text()) }));
    all.extend(found.map(|found| TicketDiffers { step: 1, expected: text(), found }));
    all.extend(elsewhere.map(Elsewhere));
    for cause in &all {
        match cause {
            Panicked { .. }
            | PanicAborts { .. }
            | Aborted { .. }
            | ExitedProcess { .. }
            | Faulted { .. }
            | StackOverflow { .. }
            | Deadlock { .. }
            | Unfinished { .. }
            | ReadAgain { .. }
            | Livelock { .. }
            | Endless { .. }
            | Unordered { .. }
            | Overlapping { .. }
            | DoubleFree { .. }
            | BadFree { .. }
            | HeapOverflow { .. }
            | FreedBlockUsed { .. }
            | FreedBlockWritten { .. }
            | FreedBlockAccessed { .. }
            | OutOfBounds { .. }
            | PlainRace { .. }
            | UnorderedFree { .. }
            | Leak { .. }
            | StepLimit { .. }
            | NotDeterministic { .. }
            | TicketDiffers { .. }
            | InAtomicStep { .. }
            | Elsewhere(_)
            | NoPthread
            | Crashed { .. }
            | Exited { .. }
            | Halted { .. }
            | ProcessesWait { .. }
            | MemoryLimit { .. }
            | Configuration { .. }
            | NotSupported { .. }
            | Said { .. } => {}
        }
    }
    all
}

#[test]
fn every_cause_is_valid_and_is_read_again() {
    let mut failure = records::deadlock();
    for cause in causes() {
        failure.defect = Defect::of(cause);
        assert!(!failure.message().is_empty());
        is_valid(&failure, &records::first_failure(&failure));
        let written = serde_json::to_string(&failure.defect).unwrap();
        assert_eq!(serde_json::from_str::<Defect>(&written).unwrap(), failure.defect);
    }
}

#[test]
fn every_fact_is_valid_and_has_a_sentence() {
    let mut failure = records::deadlock();
    for relation in relations() {
        let others = vec![Other { task: "main".to_owned(), place: None }];
        let fact =
            Fact { others, label: Some("name".to_owned()), ..Fact::of("main.1", relation).object("Mutex#1") };
        assert!(!raddle_report::fact(&fact).is_empty());
        failure.defect.facts = vec![fact];
        is_valid(&failure, &records::first_failure(&failure));
    }
    let place = Place { file: "tests/a.rs".to_owned(), line: 12, column: 1 };
    let caller = Some(Box::new(Caller { place, function: "lock_api::Mutex::lock".to_owned() }));
    failure.defect.facts[0].caller.clone_from(&caller);
    failure.record.lines[0].caller = caller;
    let another = Replayed::Failed { kind: FailureKind::Panic, message: "b".to_owned() };
    for replayed in [Replayed::Passed, Replayed::NotInTime, Replayed::ProcessDied, another] {
        failure.replayed = Some(replayed);
        is_valid(&failure, &records::first_failure(&failure));
    }
}

#[test]
fn every_fact_of_a_step_is_valid_and_is_read_again() {
    let mut failure = records::deadlock();
    failure.record.enabled = Some(vec![0]);
    for (at, hold) in [Hold::Exclusive, Hold::Shared, Hold::Released].into_iter().enumerate() {
        let line = &mut failure.record.lines[at];
        (line.after, line.enables, line.disables) = (vec![0], vec![1], vec![0]);
        (line.spawns, line.value, line.by_itself) = (Some(1), Some("7".to_owned()), true);
        line.exits = true;
        line.lock = Some(LockUse { lock: "Mutex#1".to_owned(), hold });
        line.mailboxes = vec![Mailbox { task: 1, messages: vec!["{a,1}".to_owned()], more: at }];
    }
    is_valid(&failure, &records::first_failure(&failure));
    let written = serde_json::to_string(&failure.record).unwrap();
    assert_eq!(
        serde_json::from_str::<raddle_core::record::ExecutionRecord>(&written).unwrap(),
        failure.record
    );
}

#[test]
fn every_coverage_is_valid() {
    let bounds = [Bound::Preemptions(2), Bound::Yields(1), Bound::Steps(3), Bound::Prefix(4)];
    let executions = 7;
    let stops = [
        StopReason::FirstFailure,
        StopReason::FirstFailureWithin { preemptions: 1, fewest: true },
        StopReason::NotDeterministic,
        StopReason::Refuted,
        StopReason::Executions { executions },
        StopReason::TimeLimit { executions },
        StopReason::Interrupted { executions },
        StopReason::Undecided { executions },
        StopReason::StepLimit { executions },
        StopReason::NothingWithin(bounds.to_vec()),
        StopReason::OneSchedule,
        StopReason::Excluded { crates: vec!["tokio".to_owned()] },
    ];
    let assumptions = raddle_core::examples::assumptions();
    let mut extents = vec![Extent::Exhaustive, Extent::Within(bounds.to_vec()), Extent::Replayed];
    extents.push(Extent::Sampled { schedules: 3, seed: 1 });
    extents.extend(stops.map(Extent::Partial));
    let failure = records::deadlock();
    for extent in extents {
        is_valid(&failure, &Coverage { extent, executions, assumptions: assumptions.clone() });
    }
}

#[test]
fn what_is_broken_is_refused() {
    let failure = records::deadlock();
    let whole = document(&failure, &records::first_failure(&failure));
    let broken = |pointer: &str, value: Value| {
        let mut document = whole.clone();
        *document.pointer_mut(pointer).unwrap_or_else(|| panic!("there is no {pointer}")) = value;
        errors_of(&document)
    };
    assert!(!broken("/version", json!(1)).is_empty(), "another version");
    assert!(!broken("/failure/defect/kind", json!("bad luck")).is_empty(), "an unknown kind");
    assert!(!broken("/failure/record/events/0/task", json!("main")).is_empty(), "a task by name");
    assert!(!broken("/failure/record/events/0/task", json!(-1)).is_empty(), "a negative number");
    assert!(!broken("/failure/defect/facts/0/relation", json!({ "waits": {} })).is_empty(), "half a fact");
    assert!(!broken("/coverage/extent", json!("first failure")).is_empty(), "prose");
    assert!(
        !broken("/failure/record/events/0", json!({ "task": 0, "operation": "a", "detail": "b" })).is_empty()
    );
    assert!(!broken("/failure/ticket", json!({})).is_empty(), "no ticket");
}

/// What is said of orderings.
#[test]
fn memory_explanations_are_valid() {
    use raddle_core::memory::*;
    let place = || raddle_core::record::Place { file: "src/queue.rs".to_owned(), line: 20, column: 5 };
    let access = || AtomicAccess { task: "main".to_owned(), step: 3, place: place(), order: Order::AcqRel };
    let explored = Explored { executions: 212, exhaustive: true };
    let edge = MissingEdge { store: access(), load: access() };
    let load = StaleLoad { load: access(), read: None, newer: access(), others: 0, missing: None };
    let full = StaleLoad { read: Some(access()), others: 2, missing: Some(edge), ..load.clone() };
    let orders = [Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst];
    let orderings = orders.map(|order| StrongerOrdering { place: place(), order }).to_vec();
    let strengthenings = vec![Strengthening { orderings, explored }];
    let weak = OnlyWeak { sequential: explored, missed: vec![load, full], strengthenings };
    for memory in [MemoryExplanation::AlsoSequential, MemoryExplanation::OnlyWeak(Box::new(weak))] {
        let failure = Failure { memory: Some(memory), ..records::lost_update() };
        is_valid(&failure, &records::first_failure(&failure));
        let text = serde_json::to_string(&failure.memory).expect("it is plain data");
        assert_eq!(
            serde_json::from_str::<Option<MemoryExplanation>>(&text).expect("the same"),
            failure.memory
        );
    }
}
