//! Environment variables that override a run, so that nobody has to edit a test to replay it.
//!
//! A value that makes no sense is an error that names the variable and what it takes.

use crate::checker::{Checker, Choice};
use crate::resume;
use crate::tickets;
use raddle_core::strategy::Sampler;
use raddle_native::Observers;
use std::str::FromStr;
use std::sync::OnceLock;
use std::time::Duration;

/// Applies the variables of this process. They are read once: a check is over in less time than it takes to look for
/// all of them.
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
    let find = |name: &str| own.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone());
    apply(checker, find)
}

/// Applies `RADDLE_STRATEGY`, `RADDLE_PREEMPTIONS`, `RADDLE_ITERATIONS`, `RADDLE_SECONDS`, `RADDLE_SEED`,
/// `RADDLE_WORKERS`, `RADDLE_OBSERVERS`, `RADDLE_RESUME` and `RADDLE_REPLAY`, as `var` reads them.
fn apply(checker: &mut Checker, var: impl Fn(&str) -> Option<String>) -> Result<(), String> {
    let iterations = number::<u64>(&var, "RADDLE_ITERATIONS")?;
    if let Some(strategy) = var("RADDLE_STRATEGY") {
        checker.choice = match strategy.as_str() {
            "exhaustive" => Choice::Exhaustive,
            "iterative" => {
                checker.up_to.get_or_insert(u32::MAX);
                checker.bounds.preemptions = None;
                Choice::Exhaustive
            }
            "dfs" => Choice::Dfs,
            "preemption-bounding" => Choice::PreemptionBounding,
            name => {
                if name != "random" {
                    checker.sampler = name.parse().map_err(|_| {
                        let names = Sampler::NAMES;
                        format!("RADDLE_STRATEGY is `{name}`; it takes exhaustive, iterative, dfs, preemption-bounding, random, \
                             {names}")
                    })?;
                }
                Choice::Random(match checker.choice {
                    Choice::Random(schedules) => schedules,
                    _ => 10_000,
                })
            }
        };
    }
    if let Some(most) = number(&var, "RADDLE_PREEMPTIONS")? {
        // A bound that grows does so up to this.
        match &mut checker.up_to {
            Some(up_to) => *up_to = most,
            None => checker.bounds.preemptions = Some(most),
        }
    }
    match (&mut checker.choice, iterations) {
        (Choice::Random(schedules), Some(n)) => *schedules = n,
        (_, Some(n)) => checker.plan.budget.executions = Some(n),
        (_, None) => {}
    }
    if let Some(seed) = number(&var, "RADDLE_SEED")? {
        checker.seed = seed;
    }
    if let Some(workers) = number::<usize>(&var, "RADDLE_WORKERS")? {
        checker.plan.workers = workers.max(1);
    }
    if let Some(text) = var("RADDLE_OBSERVERS") {
        let yes = match text.as_str() {
            "1" | "true" => true,
            "0" | "false" => false,
            _ => return Err(format!("RADDLE_OBSERVERS is `{text}`; it takes true or false")),
        };
        checker.settings.observers = yes.then(Observers::default);
    }
    if let Some(seconds) = number(&var, "RADDLE_SECONDS")? {
        checker.plan.budget.time = Some(Duration::from_secs(seconds));
    }
    if let Some(file) = var("RADDLE_RESUME") {
        let saved = resume::read(&file).map_err(|e| format!("RADDLE_RESUME: {e}"))?;
        // A search of another test is none of this one's business.
        let unknown = saved.test.is_none() || checker.plan.test.is_none();
        if unknown || saved.test == checker.plan.test {
            checker.go_on(saved).map_err(|e| format!("RADDLE_RESUME: {e}"))?;
        }
    }
    if let Some(text) = var("RADDLE_REPLAY") {
        let ticket = tickets::read(&text).map_err(|e| format!("RADDLE_REPLAY: {e}"))?;
        // A ticket of another test is none of this one's business.
        let unknown = ticket.test.is_none() || checker.plan.test.is_none();
        if unknown || ticket.test == checker.plan.test {
            checker.follow(ticket)?;
        }
    }
    Ok(())
}

fn number<N: FromStr>(var: &impl Fn(&str) -> Option<String>, name: &str) -> Result<Option<N>, String> {
    let Some(text) = var(name) else { return Ok(None) };
    let digits = text.replace('_', "");
    digits.parse().map(Some).map_err(|_| format!("{name} is `{text}`; it takes a number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(vars: &[(&str, &str)]) -> Result<Checker, String> {
        let mut checker = Checker::random(5);
        let find = |name: &str| vars.iter().find(|(n, _)| *n == name).map(|(_, v)| v.to_string());
        apply(&mut checker, find).map(|()| checker)
    }

    #[test]
    fn overrides_what_it_names() {
        let checker =
            applied(&[("RADDLE_SEED", "7"), ("RADDLE_ITERATIONS", "1_000"), ("RADDLE_WORKERS", "2")]);
        let checker = checker.unwrap();
        assert_eq!((checker.seed, checker.plan.workers), (7, 2));
        assert!(matches!(checker.choice, Choice::Random(1_000)));
        let checker = applied(&[("RADDLE_STRATEGY", "dfs"), ("RADDLE_ITERATIONS", "9")]).unwrap();
        assert!(matches!(checker.choice, Choice::Dfs));
        assert_eq!(checker.plan.budget.executions, Some(9));
        let checker = applied(&[("RADDLE_PREEMPTIONS", "2")]).unwrap();
        assert_eq!((checker.bounds.preemptions, checker.up_to), (Some(2), None));
        let checker = applied(&[("RADDLE_STRATEGY", "iterative"), ("RADDLE_PREEMPTIONS", "2")]).unwrap();
        assert_eq!((checker.bounds.preemptions, checker.up_to), (None, Some(2)));
        let observes = |value| applied(&[("RADDLE_OBSERVERS", value)]).unwrap().settings.observers.is_some();
        assert_eq!([observes("true"), observes("1"), observes("false")], [true, true, false]);
        let checker = applied(&[("RADDLE_STRATEGY", "pct:4")]).unwrap();
        assert_eq!(checker.sampler, Sampler::Pct(4));
        assert!(matches!(checker.choice, Choice::Random(5)));
    }

    #[test]
    fn every_sampler_has_a_name() {
        for sampler in Sampler::ALL {
            let checker = applied(&[("RADDLE_STRATEGY", &sampler.to_string())]).unwrap();
            assert_eq!(checker.sampler, sampler);
            assert!(matches!(checker.choice, Choice::Random(5)));
        }
    }

    #[test]
    fn nonsense_is_an_error_that_names_the_variable() {
        assert_eq!(applied(&[("RADDLE_SEED", "x")]).unwrap_err(), "RADDLE_SEED is `x`; it takes a number");
        let error = applied(&[("RADDLE_STRATEGY", "luck")]).unwrap_err();
        let names = Sampler::NAMES;
        let expected = format!(
            "RADDLE_STRATEGY is `luck`; it takes exhaustive, iterative, dfs, preemption-bounding, random, \
                             {names}"
        );
        assert_eq!(error, expected);
        let error = applied(&[("RADDLE_OBSERVERS", "some")]).unwrap_err();
        assert_eq!(error, "RADDLE_OBSERVERS is `some`; it takes true or false");
        let error = applied(&[("RADDLE_RESUME", "/no/such/search")]).unwrap_err();
        assert!(error.starts_with("RADDLE_RESUME: cannot read the search /no/such/search"), "{error}");
        let error = applied(&[("RADDLE_REPLAY", "/no/such/ticket")]).unwrap_err();
        assert!(error.starts_with("RADDLE_REPLAY: cannot read the ticket /no/such/ticket"), "{error}");
    }
}
