//! Environment variables that override the settings of a check, so that no test has to be edited to replay it.
//!
//! An invalid value is an error that names the variable and its valid values, and so are variables that contradict each
//! other. A variable that does not apply to a test, among many, is skipped for it; that is reported once.

use crate::checker::Checker;
use crate::heap::Heap;
use raddle_core::check::parse_duration;
use raddle_core::memory::Memory;
use raddle_native::Observers;
use raddle_terminal::{at_exit, check_variables, output, read_search, read_ticket};
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Applies the variables of this process. They are read once: a small check takes less time than reading all of them.
pub(crate) fn apply_own(checker: &mut Checker) -> Result<(), String> {
    static OWN: OnceLock<Vec<(String, String)>> = OnceLock::new();
    let own = OWN.get_or_init(|| {
        let words = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        words.filter(|(name, _)| name.starts_with("RADDLE_")).collect()
    });
    if own.is_empty() {
        return Ok(());
    }
    check_variables(own.iter().map(|(name, _)| name.as_str()))?;
    let find = |name: &str| own.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone());
    apply(checker, find)
}

/// Variables of earlier versions, with what to set instead.
const OLD: [(&str, &str); 2] = [
    ("RADDLE_ITERATIONS", "RADDLE_SCHEDULES (how many to sample) or RADDLE_EXECUTIONS (limits any search)"),
    ("RADDLE_SECONDS", "RADDLE_BUDGET, such as 10s"),
];

/// Variables that select the search.
const SEARCHES: [&str; 11] = [
    "RADDLE_STRATEGY",
    "RADDLE_SCHEDULES",
    "RADDLE_EXECUTIONS",
    "RADDLE_PREEMPTIONS",
    "RADDLE_SEED",
    "RADDLE_WORKERS",
    "RADDLE_OBSERVERS",
    "RADDLE_MEMORY",
    "RADDLE_STALE_READS",
    "RADDLE_HEAP",
    "RADDLE_RESUME",
];

/// Reports once that a variable is skipped for tests that it does not apply to.
fn skip(variable: &'static str, applies_to: &str) {
    static SAID: Mutex<Vec<&str>> = Mutex::new(Vec::new());
    let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    if !said.contains(&variable) {
        said.push(variable);
        // Written directly to the channel: a test harness captures what is printed.
        output::error(format_args!("{variable} applies to {applies_to}; it is skipped for others"));
    }
}

/// Applies a variable to a check that searches; a replay has its ticket's settings.
fn in_searches(checker: &mut Checker, variable: &'static str, set: impl FnOnce(&mut Checker)) {
    match checker.check.replay {
        None => set(checker),
        Some(_) => skip(variable, "searches"),
    }
}

/// Applies `RADDLE_STRATEGY`, `RADDLE_SCHEDULES`, `RADDLE_EXECUTIONS`, `RADDLE_PREEMPTIONS`, `RADDLE_BUDGET`, `RADDLE_CHECKPOINT`,
/// `RADDLE_MAX_STEPS`, `RADDLE_SEED`, `RADDLE_WORKERS`, `RADDLE_OBSERVERS`, `RADDLE_MEMORY`, `RADDLE_STALE_READS`, `RADDLE_HEAP`, `RADDLE_RESUME` and `RADDLE_REPLAY`, as `var`
/// reads them.
fn apply(checker: &mut Checker, var: impl Fn(&str) -> Option<String>) -> Result<(), String> {
    for (old, new) in OLD {
        if var(old).is_some() {
            return Err(format!("{old} is not read any more: set {new}"));
        }
    }
    let set = |name: &&str| var(name).is_some();
    if var("RADDLE_REPLAY").is_some()
        && let Some(other) = SEARCHES.iter().find(|name| set(name))
    {
        return Err(format!("RADDLE_REPLAY and {other} contradict each other: a replay does not search"));
    }
    let check = &mut checker.check;
    if let Some(strategy) = var("RADDLE_STRATEGY") {
        check.kind = strategy.parse().map_err(|error: String| format!("RADDLE_STRATEGY: {error}"))?;
        let drawing = ["RADDLE_SCHEDULES", "RADDLE_SEED"];
        if let Some(other) = drawing.iter().find(|name| set(name) && !check.kind.draws()) {
            return Err(format!(
                "{other} and RADDLE_STRATEGY={strategy} contradict each other: it draws no random schedules"
            ));
        }
    }
    for name in ["RADDLE_SCHEDULES", "RADDLE_EXECUTIONS", "RADDLE_MAX_STEPS", "RADDLE_WORKERS"] {
        if number::<u64>(&var, name)? == Some(0) {
            return Err(format!("{name} is `0`; it takes a number from 1"));
        }
    }
    if let Some(most) = number(&var, "RADDLE_PREEMPTIONS")? {
        check.bounds.preemptions = Some(most);
    }
    let is_drawn = check.kind.draws() && check.replay.is_none();
    if let Some(schedules) = number(&var, "RADDLE_SCHEDULES")? {
        match is_drawn {
            true => check.schedules = schedules,
            false => skip("RADDLE_SCHEDULES", "tests that draw schedules"),
        }
    }
    if let Some(executions) = number(&var, "RADDLE_EXECUTIONS")? {
        check.budget.executions = Some(executions);
    }
    if let Some(steps) = number(&var, "RADDLE_MAX_STEPS")? {
        check.budget.steps = steps;
    }
    if let Some(seed) = number(&var, "RADDLE_SEED")? {
        match is_drawn {
            true => check.seed = seed,
            false => skip("RADDLE_SEED", "tests that draw schedules"),
        }
    }
    if let Some(workers) = number::<usize>(&var, "RADDLE_WORKERS")? {
        check.workers = workers;
    }
    if let Some(text) = var("RADDLE_OBSERVERS") {
        let yes = match text.as_str() {
            "1" | "true" => true,
            "0" | "false" => false,
            _ => return Err(format!("RADDLE_OBSERVERS is `{text}`; it takes true or false")),
        };
        match check.kind.is_reduced() {
            true => checker.settings.observers = yes.then(Observers::default),
            false => skip("RADDLE_OBSERVERS", "tests that are explored exhaustively"),
        }
    }
    if let Some(text) = var("RADDLE_MEMORY") {
        let memory = text.parse::<Memory>().map_err(|error| format!("RADDLE_MEMORY: {error}"))?;
        in_searches(checker, "RADDLE_MEMORY", |checker| checker.memory = Some(memory));
    }
    if let Some(most) = number(&var, "RADDLE_STALE_READS")? {
        in_searches(checker, "RADDLE_STALE_READS", |checker| checker.settings.stale_reads = Some(most));
    }
    if let Some(text) = var("RADDLE_HEAP") {
        let heap = text.parse::<Heap>().map_err(|error| format!("RADDLE_HEAP: {error}"))?;
        in_searches(checker, "RADDLE_HEAP", |checker| checker.heap = Some(heap));
    }
    let check = &mut checker.check;
    if let Some(text) = var("RADDLE_BUDGET") {
        let budget = parse_duration(&text).map_err(|e| format!("RADDLE_BUDGET is `{text}`; {e}"))?;
        check.budget.time = Some(budget);
    }
    if let Some(text) = var("RADDLE_CHECKPOINT") {
        let every = parse_duration(&text).map_err(|e| format!("RADDLE_CHECKPOINT is `{text}`; {e}"))?;
        check.checkpoint = Some(every);
    }
    if let Some(file) = var("RADDLE_RESUME") {
        let saved = read_search(&file).map_err(|e| format!("RADDLE_RESUME: {e}"))?;
        // A search of another test does not concern this one.
        let unknown = saved.test.is_none() || check.test.is_none();
        if unknown || saved.test == check.test {
            (check.resume, checker.resumed_by) = (Some(saved), Some("RADDLE_RESUME"));
        }
    }
    if let Some(text) = var("RADDLE_REPLAY") {
        let ticket = read_ticket(&text).map_err(|e| format!("RADDLE_REPLAY: {e}"))?;
        let unknown = ticket.test.is_none() || check.test.is_none();
        if unknown || ticket.test == check.test {
            REPLAYED.store(true, Ordering::Relaxed);
            checker.follow(ticket)?;
        } else {
            // A test may have several checks, and a program several tests: another one may be the ticket's.
            demand_replay(ticket.test.unwrap_or_default());
        }
    }
    Ok(())
}

/// Whether a check of this process has replayed the ticket of `RADDLE_REPLAY`.
static REPLAYED: AtomicBool = AtomicBool::new(false);

/// If no check of this process replays the ticket, the process fails when it ends: its passes would be taken for those of the
/// ticket.
fn demand_replay(test: String) {
    static TEST: OnceLock<String> = OnceLock::new();
    let _ = TEST.set(test);
    at_exit(|| match REPLAYED.load(Ordering::Relaxed) {
        true => Ok(()),
        false => Err(format!(
            "RADDLE_REPLAY: nothing was replayed: the ticket is one of {}, and no check of this process has that name",
            TEST.get().map(String::as_str).unwrap_or_default()
        )),
    });
}

fn number<N: FromStr>(var: &impl Fn(&str) -> Option<String>, name: &str) -> Result<Option<N>, String> {
    let Some(text) = var(name) else { return Ok(None) };
    let digits = text.replace('_', "");
    digits.parse().map(Some).map_err(|_| format!("{name} is `{text}`; it takes a number"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_core::check::{Check, SearchKind};
    use raddle_core::strategy::Sampler;

    fn applied(vars: &[(&str, &str)]) -> Result<Checker, String> {
        let mut checker = Checker::random(5);
        let find = |name: &str| vars.iter().find(|(n, _)| *n == name).map(|(_, v)| v.to_string());
        apply(&mut checker, find).map(|()| checker)
    }

    #[test]
    fn overrides_what_it_names() {
        let vars = [("RADDLE_SEED", "7"), ("RADDLE_SCHEDULES", "1_000"), ("RADDLE_WORKERS", "2")];
        let check = applied(&vars).unwrap().check;
        assert_eq!((check.seed, check.workers, check.schedules), (7, 2, 1_000));
        let vars = [("RADDLE_STRATEGY", "dfs"), ("RADDLE_EXECUTIONS", "9"), ("RADDLE_MAX_STEPS", "77")];
        let check = applied(&vars).unwrap().check;
        assert_eq!((check.kind, check.budget.executions), (SearchKind::Dfs, Some(9)));
        assert_eq!(check.budget.steps, 77);
        let check = applied(&[("RADDLE_PREEMPTIONS", "2"), ("RADDLE_BUDGET", "3s")]).unwrap().check;
        assert_eq!((check.bounds.preemptions, check.is_growing()), (Some(2), false));
        assert_eq!(check.budget.time, Some(std::time::Duration::from_secs(3)));
        let vars = [("RADDLE_STRATEGY", "iterative"), ("RADDLE_PREEMPTIONS", "2")];
        let check = applied(&vars).unwrap().check;
        assert_eq!((check.bounds.preemptions, check.is_growing()), (Some(2), true));
        let observes = |value| {
            applied(&[("RADDLE_STRATEGY", "exhaustive"), ("RADDLE_OBSERVERS", value)])
                .unwrap()
                .settings
                .observers
                .is_some()
        };
        assert_eq!([observes("true"), observes("1"), observes("false")], [true, true, false]);
    }

    #[test]
    fn every_strategy_has_a_name() {
        let sampled = Sampler::ALL.map(SearchKind::Sampled);
        for kind in SearchKind::SYSTEMATIC.into_iter().chain(sampled) {
            let check = applied(&[("RADDLE_STRATEGY", &kind.to_string())]).unwrap().check;
            assert_eq!((check.kind, check.schedules), (kind, 5));
        }
    }

    #[test]
    fn nonsense_is_an_error_that_names_the_variable() {
        let error = |name, value| applied(&[(name, value)]).unwrap_err();
        assert_eq!(error("RADDLE_SEED", "x"), "RADDLE_SEED is `x`; it takes a number");
        for name in ["RADDLE_SCHEDULES", "RADDLE_EXECUTIONS", "RADDLE_MAX_STEPS", "RADDLE_WORKERS"] {
            assert_eq!(error(name, "0"), format!("{name} is `0`; it takes a number from 1"));
        }
        assert_eq!(error("RADDLE_WORKERS", "-1"), "RADDLE_WORKERS is `-1`; it takes a number");
        let expected =
            format!("RADDLE_STRATEGY: there is no strategy `luck`; there are {}", SearchKind::names());
        assert_eq!(error("RADDLE_STRATEGY", "luck"), expected);
        assert_eq!(error("RADDLE_OBSERVERS", "some"), "RADDLE_OBSERVERS is `some`; it takes true or false");
        let soon = "RADDLE_BUDGET is `soon`; it takes a time such as `10s` or `2m`";
        assert_eq!(error("RADDLE_BUDGET", "soon"), soon);
        let resumed = error("RADDLE_RESUME", "/no/such/search");
        assert!(resumed.starts_with("RADDLE_RESUME: cannot read the search /no/such/search"), "{resumed}");
        let replayed = error("RADDLE_REPLAY", "/no/such/ticket");
        assert!(replayed.starts_with("RADDLE_REPLAY: cannot read the ticket /no/such/ticket"), "{replayed}");
    }

    #[test]
    fn variables_that_contradict_each_other_are_an_error() {
        let error = applied(&[("RADDLE_REPLAY", "x"), ("RADDLE_SEED", "7")]).unwrap_err();
        assert_eq!(error, "RADDLE_REPLAY and RADDLE_SEED contradict each other: a replay does not search");
        let error = applied(&[("RADDLE_STRATEGY", "dfs"), ("RADDLE_SCHEDULES", "9")]).unwrap_err();
        let expected =
            "RADDLE_SCHEDULES and RADDLE_STRATEGY=dfs contradict each other: it draws no random schedules";
        assert_eq!(error, expected);
    }

    #[test]
    fn what_does_not_apply_to_a_test_is_skipped_for_it() {
        let mut checker = Checker::dfs();
        let find = |name: &str| ["RADDLE_SEED", "RADDLE_SCHEDULES"].contains(&name).then(|| "9".to_owned());
        apply(&mut checker, find).unwrap();
        let schedules = Check::SCHEDULES;
        assert_eq!(
            (checker.check.kind, checker.check.seed, checker.check.schedules),
            (SearchKind::Dfs, 0, schedules)
        );
    }

    #[test]
    fn old_names_say_the_new_ones() {
        let error = applied(&[("RADDLE_SECONDS", "3")]).unwrap_err();
        assert_eq!(error, "RADDLE_SECONDS is not read any more: set RADDLE_BUDGET, such as 10s");
        let error = applied(&[("RADDLE_ITERATIONS", "3")]).unwrap_err();
        assert!(error.contains("RADDLE_SCHEDULES") && error.contains("RADDLE_EXECUTIONS"), "{error}");
    }
}
