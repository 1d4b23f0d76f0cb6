//! The scenarios of Concuerror's suite, from its reference reports: which function of which test, under which options,
//! and whether an error was found. Reports that differ only in the algorithm are one scenario.

use raddle_erlang::term::{Atom, Term, parse};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// One scenario.
pub struct Scenario {
    /// `SUITE/TEST FUNCTION`, with the bound if there is one.
    pub name: String,
    /// The directories in which its modules are.
    pub directory: PathBuf,
    /// The main module.
    pub module: String,
    /// The function.
    pub function: String,
    /// Whether the search was bounded.
    pub bounded: bool,
    /// Whether an error was found.
    pub failed: bool,
    /// The flags of `raddle erl` for its options.
    pub flags: Vec<String>,
}

/// All scenarios below the folder of the suite's tests.
pub fn all(tests: &Path) -> Result<Vec<Scenario>, String> {
    let mut found: BTreeMap<String, Scenario> = BTreeMap::new();
    for suite in entries(&tests.join("suites"))? {
        for report in entries(&suite.join("results"))? {
            let text = std::fs::read(&report).map_err(|e| format!("{}: {e}", report.display()))?;
            if let Some(scenario) = read(&suite, &report, &String::from_utf8_lossy(&text)) {
                found.entry(scenario.name.clone()).or_insert(scenario);
            }
        }
    }
    Ok(found.into_values().collect())
}

fn entries(dir: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    let mut all: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    all.sort();
    Ok(all)
}

/// The scenario of a report; none if the report is of a run that Concuerror gave up.
fn read(suite: &Path, report: &Path, text: &str) -> Option<Scenario> {
    let file = report.file_stem()?.to_str()?;
    let mut parts = file.split('-');
    let (test, function, bound) = (parts.next()?, parts.next()?, parts.next()?);
    let failed = errors(text)? > 0;
    let source = suite.join("src");
    let (directory, module) = match source.join(test).is_dir() {
        true => (source.join(test), "test"),
        false => (source, test),
    };
    let bounded = bound != "inf";
    let shown = if bounded { format!(", bound {bound}") } else { String::new() };
    Some(Scenario {
        name: format!("{}/{test} {function}{shown}", suite.file_name()?.to_str()?),
        directory,
        module: module.to_owned(),
        function: function.to_owned(),
        bounded,
        failed,
        flags: flags(&options(text)),
    })
}

/// The number of errors in the last line of a report.
fn errors(text: &str) -> Option<u64> {
    let line = text.lines().rev().find_map(|line| line.trim().strip_prefix("Summary: "))?;
    line.split(' ').next()?.parse().ok()
}

/// The options of a run, as a report prints them.
fn options(text: &str) -> Vec<Term> {
    let Some((_, rest)) = text.split_once("ptions:") else { return Vec::new() };
    let Some((list, _)) = rest.split_once("####") else { return Vec::new() };
    let terms = parse::terms(&format!("{list}.")).unwrap_or_default();
    terms.first().and_then(Term::to_vec).unwrap_or_default()
}

/// The flags that mean the same.
fn flags(options: &[Term]) -> Vec<String> {
    // A forced option comes after the usual one.
    let option = |name: &str| {
        let pair = options.iter().rev().find_map(|option| match option.as_tuple() {
            Some([key, value]) if key.as_atom() == Some(Atom::new(name)) => Some(value.clone()),
            _ => None,
        });
        pair.unwrap_or(Term::Nil)
    };
    // In Concuerror every process that waits for ever is an error, and a timeout may fire at any point.
    let mut flags: Vec<String> = ["--strict", "--time", "any"].map(str::to_owned).into();
    match option("instant_delivery").as_bool() {
        Some(true) => flags.extend(["--delivery", "instant"].map(str::to_owned)),
        Some(false) => flags.extend(["--delivery", "pairs"].map(str::to_owned)),
        // A report from before there was a choice.
        None => {}
    }
    if let Some(limit) = option("after_timeout").as_int() {
        flags.extend(["--after-timeout".to_owned(), limit.to_string()]);
    }
    for reason in option("treat_as_normal").to_vec().unwrap_or_default() {
        flags.extend(["--treat-as-normal".to_owned(), reason.to_string()]);
    }
    for kind in option("ignore_error").to_vec().unwrap_or_default() {
        match kind.to_string().as_str() {
            "deadlock" => flags.extend(["--ignore", "deadlock"].map(str::to_owned)),
            "crash" => flags.extend(["--ignore", "panic"].map(str::to_owned)),
            _ => {}
        }
    }
    flags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_read() {
        let text = "Concuerror started\n Options:\n  [{after_timeout,5000},\n   {ignore_error,[deadlock]},\n   \
                    {instant_delivery,true},\n   {treat_as_normal,[{a,1}]}]\n####\nDone (Exit status: ok)\n  \
                    Summary: 0 errors, 2/2 interleavings explored\n";
        let suite = Path::new("suites/some_tests");
        let scenario = read(suite, Path::new("one-test-2-dpor.txt"), text).expect("it is a report");
        assert_eq!(scenario.name, "some_tests/one test, bound 2");
        assert!(scenario.bounded && !scenario.failed);
        let expected = "--strict --time any --delivery instant --after-timeout 5000 --treat-as-normal {a,1} \
                        --ignore deadlock";
        assert_eq!(scenario.flags.join(" "), expected);
        assert!(read(suite, Path::new("one-test-inf-dpor.txt"), "Concuerror crashed\n").is_none());
    }
}
