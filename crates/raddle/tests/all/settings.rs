//! Settings that do not apply are errors, in whatever order they are given; errors are values.

use raddle::{CheckError, Checker, Sampler, SearchKind};

fn setting(checker: Checker) -> Option<&'static str> {
    match checker.try_run(|| ()) {
        Ok(_) => None,
        Err(CheckError::Setting(wrong)) => Some(wrong.setting),
        Err(other) => panic!("another error: {other}"),
    }
}

#[test]
fn a_setting_that_does_not_apply_is_an_error() {
    assert_eq!(setting(Checker::exhaustive().seed(7)), Some("seed"));
    assert_eq!(setting(Checker::dfs().sampler(Sampler::Pos)), Some("sampler"));
    assert_eq!(setting(Checker::random(5).observers()), Some("observers"));
    assert_eq!(setting(Checker::dfs().observers()), Some("observers"));
    assert_eq!(setting(Checker::random(5).preemptions_up_to(2)), Some("preemptions_up_to"));
    assert_eq!(setting(Checker::preemption_bounding().preemptions_up_to(2)), Some("preemptions_up_to"));
    let error = Checker::exhaustive().seed(7).try_run(|| ()).unwrap_err();
    assert_eq!(error.to_string(), "seed is set, which applies to random schedules only");
}

#[test]
fn the_order_of_settings_does_not_matter() {
    assert_eq!(setting(Checker::exhaustive().seed(7).kind(SearchKind::Sampled(Sampler::Uniform))), None);
    let one = Checker::random(9).seed(7).sampler(Sampler::Pct(4)).run(|| raddle::choose(100));
    let other = Checker::random(9).sampler(Sampler::Pct(4)).seed(7).run(|| raddle::choose(100));
    assert_eq!(one.outcomes(), other.outcomes());
    assert_eq!((one.executions(), one.covered()), (9, other.covered()));
}

#[test]
fn what_cannot_begin_is_an_error_and_no_panic() {
    assert!(matches!(Checker::try_replay("no/such/ticket.json"), Err(CheckError::Ticket(_))));
    assert!(matches!(Checker::exhaustive().try_resume("no/such/search.json"), Err(CheckError::Resume(_))));
    let refused = |checker: Checker| checker.try_run(|| ()).unwrap_err().to_string();
    assert_eq!(refused(Checker::dfs().stack_size(usize::MAX)), "stacks have at most 1024 MB each");
    let forever = std::time::Duration::MAX;
    assert_eq!(
        refused(Checker::dfs().time_limit(forever)),
        "the time limit is too long; at most 87600 hours are possible"
    );
    assert!(
        refused(Checker::dfs().checkpoint(forever))
            .starts_with("the time between two checkpoints is too long")
    );
    assert!(
        refused(Checker::dfs().workers(usize::MAX))
            .ends_with("workers are too many; at most 1,024 are possible")
    );
    assert!(refused(Checker::dfs().max_steps(usize::MAX)).ends_with("at most 1,000,000,000 are possible"));
    assert_eq!(refused(Checker::random(0)), "0 schedules are no search; at least 1 is needed");
    assert_eq!(refused(Checker::dfs().max_executions(0)), "0 executions are no search; at least 1 is needed");
    let nested = Checker::exhaustive().run(|| Checker::exhaustive().try_run(|| ()).is_err());
    assert_eq!(nested.outcomes().keys().collect::<Vec<_>>(), [&true]);
}

/// A result need not be comparable, printable or able to move to another thread.
#[test]
fn a_check_takes_any_result() {
    struct Opaque(#[allow(dead_code)] *const u8);
    Checker::exhaustive().check(|| Opaque(std::ptr::null()));
    raddle::check(|| Opaque(std::ptr::null()));
}

/// The text of a report is the same wherever it is printed.
#[test]
fn a_report_looks_at_no_terminal() {
    let report = Checker::dfs().run(|| assert_eq!(raddle::choose(2), 0, "one of two"));
    let text = report.to_string();
    assert!(text.starts_with("raddle: panic in execution 2"), "{text}");
    assert!(!text.contains('\u{1b}'), "{text}");
    assert_eq!(text, report.to_string());
}
