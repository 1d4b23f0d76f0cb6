//! pulse_time: timeouts against messages, and Fischer's algorithm, whose correctness depends on time.

use super::*;
use raddle_core::clock::Time;
use raddle_core::strategy::Dfs;

fn example(function: &str, time: Time) -> Findings<String> {
    let dir = compile_suite("pulse_time", &["pulse_time.erl"], &[]);
    all(&program(&dir, "pulse_time", function, Settings { time, ..at_once() }))
}

#[test]
fn a_message_comes_before_the_timeout_unless_timers_fire_at_any_point() {
    if !erlang_is_there() {
        return;
    }
    assert_eq!(outcomes(&example("figure_1", Time::Idle)), ["b"]);
    assert_eq!(outcomes(&example("figure_1", Time::Any)), ["a", "b"]);
    // Without jitter the shorter of two timeouts fires first, with any time policy.
    assert_eq!(outcomes(&example("figure_2", Time::Idle)), ["a"]);
    assert_eq!(outcomes(&example("figure_2", Time::Any)), ["a"]);
}

#[test]
fn who_has_waited_sees_it_on_the_clock() {
    if !erlang_is_there() {
        return;
    }
    for time in [Time::Idle, Time::Any] {
        assert_eq!(outcomes(&example("consistent_clock", time)), ["true"], "{time:?}");
    }
}

#[test]
fn the_button_comes_before_the_lift_has_booted() {
    if !erlang_is_there() {
        return;
    }
    // infinitely_fast: no error found; time_random: error found.
    let fast = example("lift", Time::Idle);
    assert_eq!((fast.failures, outcomes(&fast)), (0, vec!["{comes_to,2}"]), "{}", message(&fast));
    let random = example("lift", Time::Any);
    assert!(random.failures > 0);
    assert!(message(&random).contains("{{function_clause,[{pulse_time,handle_call,"), "{}", message(&random));
}

fn fischer(function: &str, time: Time) -> Program {
    let dir = compile_suite("fischer", &["fischer.erl"], &[]);
    program(&dir, "fischer", function, Settings { time, ..at_once() })
}

#[test]
fn fischers_algorithm_fails_where_the_paper_says() {
    if !erlang_is_there() {
        return;
    }
    // Figure 5: 2,2,1 fails; 1,2,1 and 2,1,1 do not.
    let expected = [
        ("start_1_2_1", (2, 0)),
        ("start_2_1_1", (24, 0)),
        ("start_2_2_1", (920, 40)),
        ("start_2_1_2", (24, 0)),
        ("start_2_2_2", (800, 0)),
    ];
    for (function, expected) in expected {
        assert_eq!(counts(&all(&fischer(function, Time::Idle))), expected, "{function}");
    }
    // A timer is named by the process that set it, also after it has fired.
    let failure = all(&fischer("start_2_2_1", Time::Idle)).failure.expect("a failure");
    assert!(failure.record.tasks.iter().any(|task| task.name == "P.1~timer1"), "{:?}", failure.record.tasks);
    // The text says that T <= D fails (with the two messages exchanged): 2,1,1 does, in a second round, and 2,1,2 never.
    let twice = all(&fischer("start_2_1_1_twice", Time::Idle));
    assert_eq!(counts(&twice), (984, 60));
    assert!(
        message(&twice).starts_with("P exited abnormally: {mutex_should_be_held_by,"),
        "{}",
        message(&twice)
    );
    assert_eq!(counts(&all(&fischer("start_2_1_2_twice", Time::Idle))), (864, 0));
}

#[test]
fn fischers_algorithm_is_wrong_if_steps_take_time() {
    if !erlang_is_there() {
        return;
    }
    let any = to_the_first(&fischer("start_2_1_2", Time::Any), Box::new(Dfs::new()));
    assert!(message(&any).starts_with("P exited abnormally: {mutex_should_be_held_by,"), "{}", message(&any));
    assert_eq!(counts(&all(&fischer("start_1_2_1", Time::Any))), (3, 0), "alone no process is in the way");
}
