//! What a person sees, as snapshots. A snapshot that differs fails; `INSTA_UPDATE=always cargo test` writes.

mod escaping;
mod records;

use raddle_core::verdict::{Cause, Coverage, Defect, Extent, Failure, FailureKind};
use raddle_report::{Color, Layout, Run, Sources};
use std::path::PathBuf;
use std::time::Duration;

fn layout(width: Option<usize>) -> Layout {
    let fixtures = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    Layout { width, sources: Sources::Under(fixtures), ..Layout::plain() }
}

fn report(failure: &Failure, width: Option<usize>) -> String {
    report_on(failure, &records::first_failure(failure), width)
}

fn report_on(failure: &Failure, coverage: &Coverage, width: Option<usize>) -> String {
    let name = failure.ticket.test.as_deref().unwrap_or("unnamed").replace("::", "-");
    let run = Run { ticket_file: Some(format!("target/raddle/{name}.json").into()), ..Run::default() };
    let text = raddle_report::failure(failure, coverage, &run, &layout(width));
    assert!(text.lines().all(|line| line == line.trim_end()), "no line ends with spaces");
    text
}

macro_rules! golden {
    ($($name:ident: $failure:expr, $width:expr;)*) => {$(
        #[test]
        fn $name() {
            let failure = $failure;
            insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
                insta::assert_snapshot!(stringify!($name), report(&failure, $width));
            });
        }
    )*};
}

golden! {
    lost_update_80: records::lost_update(), Some(80);
    lost_update_120: records::lost_update(), Some(120);
    lost_update_lines: records::lost_update(), None;
    lost_update_narrow: records::lost_update(), Some(50);
    labels_100: records::labels(), Some(100);
    labels_lines: records::labels(), None;
    long_names_100: records::long_names(), Some(100);
    long_names_lines: records::long_names(), None;
    deadlock_80: records::deadlock(), Some(80);
    deadlock_120: records::deadlock(), Some(120);
    deadlock_lines: records::deadlock(), None;
    livelock_100: records::livelock(), Some(100);
    data_race_100: records::data_race(), Some(100);
    data_race_lines: records::data_race(), None;
    step_limit_80: records::step_limit(), Some(80);
    step_limit_lines: records::step_limit(), None;
    not_deterministic_100: records::not_deterministic(), Some(100);
    leak_80: records::leak(), Some(80);
    crowd_80_is_too_narrow: records::crowd(), Some(80);
    crowd_160: records::crowd(), Some(160);
    destructor_80: records::destructor(), Some(80);
    timer_80: records::timer(), Some(80);
    passed_on_80: records::passed_on(), Some(80);
    crashed_80: records::crashed(), Some(80);
    crashed_lines: records::crashed(), None;
}

fn check(name: &str, text: String) {
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(name, text);
    });
}

#[test]
fn sampled_without_a_file() {
    let failure = records::lost_update();
    let coverage = records::coverage(Extent::Sampled { schedules: 10_000, seed: 7 }, 10_000);
    let run = Run { ticket_file: None, elapsed: Some(Duration::from_millis(1_250)), ..Run::default() };
    let layout = Layout { sources: Sources::Hide, ..layout(Some(80)) };
    check("sampled_without_a_file", raddle_report::failure(&failure, &coverage, &run, &layout));
}

#[test]
fn replayed() {
    let failure = records::deadlock();
    let coverage = records::coverage(Extent::Replayed, 1);
    check("replayed", report_on(&failure, &coverage, Some(80)));
}

#[test]
fn diverged() {
    let coverage = records::coverage(Extent::Replayed, 1);
    check("diverged", report_on(&records::diverged(), &coverage, Some(80)));
}

#[test]
fn too_long_a_ticket_and_no_file() {
    let mut failure = records::lost_update();
    for n in 0..1_000 {
        failure.ticket.steps[0].expect = format!("main.1 lock Mutex#{n}");
        let step = failure.ticket.steps[0].clone();
        failure.ticket.steps.push(step);
    }
    let text =
        raddle_report::failure(&failure, &records::first_failure(&failure), &Run::default(), &layout(None));
    assert!(text.contains("neither written to a file nor short enough to print"), "{text}");
    assert!(!text.contains("raddle2;"), "{text}");
}

/// A process is guilty by the type of the cause, and only if that event is there.
#[test]
fn what_a_record_leaves_out_is_not_marked() {
    let marked = |failure: &Failure| report(failure, None).lines().filter(|line| line.contains('✗')).count();
    assert_eq!(marked(&records::crashed()), 1);
    let mut long = records::crashed();
    let again = long.record.lines.last().unwrap().clone();
    long.record.lines.extend(std::iter::repeat_n(again, 100));
    assert_eq!(marked(&long), 1);
    long.record.shorten(8);
    assert_eq!(marked(&long), 0, "the crash is among the lines that are left out");
    let mut halted = records::crashed();
    halted.defect = Defect::of(Cause::Halted { process: "P".to_owned(), call: "halt(3)".to_owned() });
    let text = report(&halted, None);
    assert!(text.contains("✗  6  P:             receives a message"), "its last event: {text}");
    halted.record.lines.rotate_right(1);
    halted.record.lines.extend(std::iter::repeat_n(halted.record.lines[4].clone(), 100));
    halted.record.shorten(8);
    assert_eq!(marked(&halted), 0, "what came last of it is not known");
    let mut said = records::crashed();
    said.defect = Defect::new(FailureKind::Panic, said.message());
    assert_eq!(marked(&said), 0, "words are not read");
}

#[test]
fn colors() {
    let failure = records::lost_update();
    let layout = Layout { color: Color::Always, ..layout(Some(100)) };
    let run = Run::default();
    let text = raddle_report::failure(&failure, &records::first_failure(&failure), &run, &layout);
    let plain = Layout { color: Color::Never, ..layout };
    let without = raddle_report::failure(&failure, &records::first_failure(&failure), &run, &plain);
    assert!(!without.contains('\u{1b}'));
    let mut stripped = String::new();
    for (i, part) in text.split('\u{1b}').enumerate() {
        stripped.push_str(if i == 0 { part } else { part.split_once('m').unwrap().1 });
    }
    assert_eq!(stripped, without, "colours change nothing but the colour");
    check("colors", text.replace('\u{1b}', "␛"));
}

#[test]
fn summaries() {
    let line =
        |extent, executions| raddle_report::summary(&records::coverage(extent, executions), &Run::default());
    assert_eq!(
        line(Extent::Exhaustive, 1_260),
        "raddle: no failure in 1,260 executions: exhaustive · sequentially consistent · timers when idle"
    );
    assert_eq!(
        line(Extent::Replayed, 1),
        "raddle: no failure in 1 execution: replayed one schedule · sequentially consistent · timers when idle"
    );
}

#[test]
fn json() {
    let failure = records::data_race();
    let coverage = records::first_failure(&failure);
    let text = raddle_report::to_json(&failure, &coverage);
    let read: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(read["version"], raddle_report::VERSION);
    assert_eq!(serde_json::from_value::<Failure>(read["failure"].clone()).unwrap(), failure);
    assert_eq!(serde_json::from_value::<Coverage>(read["coverage"].clone()).unwrap(), coverage);
    check("json", text);
}

#[cfg(feature = "forms")]
mod forms {
    use super::*;
    use raddle_core::record::Hold;
    use raddle_report::{SuiteOutcome, Word, step};

    /// A lost update whose steps have the facts that graphs show.
    fn lost_update_with_order() -> Failure {
        let mut failure = records::lost_update();
        let lines = &mut failure.record.lines;
        let store = |line: &raddle_core::record::Line| line.operation == "store";
        let first = lines.iter().position(store).unwrap();
        let second = lines.iter().rposition(store).unwrap();
        lines[second].after = vec![first];
        let spawned = lines.iter().position(|line| line.operation == "spawn").unwrap();
        lines[spawned].spawns = Some(1);
        failure
    }

    fn form_of(name: &str, failure: &Failure) -> String {
        let (_, render) = raddle_report::FAILURE_FORMATS.iter().find(|(known, _)| *known == name).unwrap();
        render(failure, &records::first_failure(failure))
    }

    #[test]
    fn graph() {
        let text = form_of("dot", &lost_update_with_order());
        assert_eq!(text.matches("subgraph").count(), 3, "a box for each task");
        assert_eq!(text.matches("style=dotted").count(), 1, "the conflict");
        check("dot", text);
    }

    /// Perfetto takes what its format demands: every slice has a time, a length and a thread; every flow begins and ends inside of
    /// slices.
    #[test]
    fn trace_events() {
        let failure = lost_update_with_order();
        let read: serde_json::Value = serde_json::from_str(&form_of("perfetto", &failure)).unwrap();
        let events = read["traceEvents"].as_array().unwrap();
        let of = |phase: &str| events.iter().filter(|event| event["ph"] == phase).collect::<Vec<_>>();
        let (slices, begins, ends) = (of("X"), of("s"), of("f"));
        assert_eq!(slices.len(), failure.record.lines.len());
        assert_eq!(of("M").len(), 1 + 2 * failure.record.tasks.len());
        assert_eq!((begins.len(), events.len()), (ends.len(), slices.len() + 2 * ends.len() + of("M").len()));
        let within = |flow: &serde_json::Value| {
            slices.iter().any(|slice| {
                let (begin, time) = (slice["ts"].as_u64().unwrap(), flow["ts"].as_u64().unwrap());
                slice["tid"] == flow["tid"] && (begin..begin + slice["dur"].as_u64().unwrap()).contains(&time)
            })
        };
        for (begin, end) in begins.iter().zip(&ends) {
            assert_eq!((&begin["id"], &begin["name"]), (&end["id"], &end["name"]));
            assert!(
                begin["ts"].as_u64() < end["ts"].as_u64() && within(begin) && within(end),
                "{begin} {end}"
            );
            assert_eq!(end["bp"], "e");
        }
        let mut names: Vec<_> = begins.iter().map(|flow| flow["name"].as_str().unwrap()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names, ["conflict", "reads from", "starts"]);
    }

    fn results() -> Vec<SuiteOutcome> {
        let outcome = |verdict, because: Option<&str>| SuiteOutcome {
            program: "bank (lib)".to_owned(),
            test: format!("tests::<{}> & \"others\"", verdict as u8),
            verdict,
            because: because.map(str::to_owned),
            seconds: 0.5,
            ..SuiteOutcome::default()
        };
        use Word::*;
        let mut all: Vec<_> =
            [Passed, Skipped, Ignored, Interrupted, NoVerdict].map(|w| outcome(w, Some("why"))).into();
        all.push(outcome(Failed, None).with(&records::lost_update()));
        let mut hostile = records::data_race();
        hostile.defect =
            Defect::new(FailureKind::Panic, "</failure>]]>\n::error::100%\r\n\u{0}\u{1b}[31m\u{fffe}");
        all.push(outcome(Failed, None).with(&hostile));
        all
    }

    #[test]
    fn suites() {
        let results = results();
        let form_of = |name: &str| {
            let (_, render) = raddle_report::SUITE_FORMATS.iter().find(|(known, _)| *known == name).unwrap();
            render(&results)
        };
        let annotations = form_of("github");
        assert!(
            annotations.lines().all(|line| line.starts_with("::error ") || line.starts_with("::warning "))
        );
        assert_eq!(annotations.lines().count(), 3);
        check("github", annotations);
        let xml = form_of("junit");
        assert!(
            !xml.contains(|c: char| c.is_control() && c != '\n') && xml.matches("</failure>").count() == 2
        );
        check("junit", xml);
    }

    #[test]
    fn a_crash_is_annotated_where_it_happened() {
        let mut failure = records::crashed();
        failure.record.lines.retain(|line| line.place.is_some());
        let outcome = SuiteOutcome::default().with(&failure);
        assert_eq!(outcome.place.unwrap().line, 12, "and not at the last event before it");
    }

    #[test]
    fn steps() {
        use raddle_core::record::{LockUse, Mailbox};
        let mut failure = lost_update_with_order();
        let record = &mut failure.record;
        record.enabled = Some(vec![0, 1, 2]);
        let steps: Vec<usize> =
            (0..record.lines.len()).filter(|at| record.lines[*at].step.is_some()).collect();
        for line in record.lines.iter_mut().filter(|line| line.object.as_deref() == Some("AtomicU64#1")) {
            line.value = Some(line.result.replace("→ ", ""));
        }
        let first = &mut record.lines[steps[0]];
        first.lock = Some(LockUse { lock: "Mutex#1".to_owned(), hold: Hold::Exclusive });
        first.mailboxes = vec![Mailbox { task: 1, messages: vec!["{a,1}\u{1b}".to_owned()], more: 3 }];
        record.lines[steps[3]].disables = vec![2];
        let told = |failure: &Failure, number| step(failure, number, &layout(Some(100)));
        let text: Vec<String> = [1, 5].map(|number| told(&failure, number).unwrap()).into();
        assert!(!text.concat().contains('\u{1b}'));
        check("steps", text.join("\n"));
        assert_eq!(told(&failure, 0), Err("there is no step 0: the steps are 1 to 9".to_owned()));
        assert!(told(&failure, 10).is_err());
        failure.record.enabled = None;
        assert!(told(&failure, 1).unwrap().contains("does not say which tasks were enabled"));
    }
}
