//! The tests of the programs, and which of them are selected.

use crate::answer::Answer;
use crate::arguments::Test;
use crate::compile::Program;
use crate::doctests::{Because, Doctest};
use raddle_shadow::protocol::{self, Listed};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A test and the program that holds it.
#[derive(Clone, Debug)]
pub struct Case {
    pub program: usize,
    pub name: String,
    /// The program to execute, and its name for the test, if they are not the usual ones.
    pub elsewhere: Option<(PathBuf, String)>,
    /// Why it is not executed.
    pub ignored: Option<String>,
    /// Why it cannot be.
    pub cannot: Option<String>,
}

/// What the harness's own arguments ask for.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Filter {
    texts: Vec<String>,
    skips: Vec<String>,
    only: Vec<String>,
    exact: bool,
    ignored: Ignored,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Ignored {
    #[default]
    Skip,
    Include,
    Only,
}

impl Filter {
    /// What `test` asks for; `texts` are filters from before the `--`.
    pub fn new(test: &Test, texts: &[String]) -> Result<Filter, String> {
        let mut filter = Filter { only: test.only.clone(), ..Filter::default() };
        filter.texts.extend(texts.iter().cloned());
        let mut words = test.harness.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--exact" => filter.exact = true,
                "--ignored" => filter.ignored = Ignored::Only,
                "--include-ignored" => filter.ignored = Ignored::Include,
                "--skip" => filter.skips.extend(words.next().cloned()),
                // An explored test has its own process anyway, and is quiet.
                "--nocapture" | "--no-capture" | "--show-output" | "--quiet" | "-q" => {}
                "--test-threads" => drop(words.next()),
                word if word.starts_with("--test-threads=") => {}
                word if word.starts_with("--skip=") => filter.skips.push(word["--skip=".len()..].to_owned()),
                word if word.starts_with('-') => {
                    return Err(format!(
                        "`{word}` after `--` is not understood; it takes filters, --exact, --ignored, \
                         --include-ignored and --skip"
                    ));
                }
                word => filter.texts.push(word.to_owned()),
            }
        }
        Ok(filter)
    }

    fn fits(&self, text: &str, name: &str) -> bool {
        if self.exact { name == text } else { name.contains(text) }
    }

    /// The test as it is to be treated, if it is wanted at all.
    pub fn apply(&self, mut case: Case) -> Option<Case> {
        let name = case.name.as_str();
        let wanted = (self.texts.is_empty() || self.texts.iter().any(|text| self.fits(text, name)))
            && !self.skips.iter().any(|text| self.fits(text, name))
            && (self.only.is_empty() || self.only.iter().any(|only| only == name));
        if case.elsewhere.is_some() && case.ignored.is_some() && self.ignored != Ignored::Skip {
            case.cannot = Some("a doctest that is ignored is not compiled".to_owned());
        }
        match self.ignored {
            Ignored::Skip => {}
            Ignored::Include => case.ignored = None,
            Ignored::Only => case.ignored.take().map(drop)?,
        }
        wanted.then_some(case)
    }
}

/// All tests of a program.
pub fn list(index: usize, program: &Program) -> Result<Vec<Case>, String> {
    if !program.doctests.is_empty() {
        return Ok(program.doctests.iter().map(|doctest| case_of(index, doctest)).collect());
    }
    let answer = Answer::new()?;
    let output = Command::new(&program.path)
        .current_dir(&program.folder)
        .envs(&program.environment)
        .env(protocol::WISH, protocol::LIST)
        .env(protocol::ANSWER, answer.path())
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("cannot run {}: {e}", program.path.display()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{} does not list its tests: {}", program.title(), said.trim()));
    }
    let text = answer.text()?;
    let listed: Result<Vec<Listed>, _> = text.lines().map(serde_json::from_str).collect();
    let listed = listed.map_err(|e| format!("{} lists its tests in an unknown way: {e}", program.title()))?;
    let case = |test: Listed| Case {
        program: index,
        name: test.name,
        elsewhere: None,
        ignored: test.ignored,
        cannot: None,
    };
    Ok(listed.into_iter().map(case).collect())
}

fn case_of(index: usize, doctest: &Doctest) -> Case {
    let mut case = Case {
        program: index,
        name: doctest.shown.clone(),
        elsewhere: Some((doctest.program.clone(), doctest.inside.clone())),
        ignored: None,
        cannot: None,
    };
    match &doctest.because {
        None => {}
        Some(Because::Ignored) => case.ignored = Some(String::new()),
        Some(Because::Cannot(why)) => case.cannot = Some(why.clone()),
    }
    case
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(filter: &Filter) -> Vec<String> {
        let cases = [("bank::deposit", None), ("bank::withdraw", Some(String::new())), ("deposit", None)];
        let case = |(name, ignored): (&str, Option<String>)| Case {
            program: 0,
            name: name.to_owned(),
            elsewhere: None,
            ignored,
            cannot: None,
        };
        cases.map(case).into_iter().filter_map(|c| filter.apply(c)).map(|c| c.name).collect()
    }

    #[test]
    fn filters_are_those_of_the_harness() {
        let texts = vec!["deposit".to_owned()];
        let mut filter = Filter { texts, ..Filter::default() };
        assert_eq!(names(&filter), ["bank::deposit", "deposit"]);
        filter.exact = true;
        assert_eq!(names(&filter), ["deposit"]);
        let skips = vec!["bank".to_owned()];
        assert_eq!(names(&Filter { skips, ..Filter::default() }), ["deposit"]);
        assert_eq!(names(&Filter { ignored: Ignored::Only, ..Filter::default() }), ["bank::withdraw"]);
        let only = vec!["bank::deposit".to_owned()];
        assert_eq!(names(&Filter { only, ..Filter::default() }), ["bank::deposit"]);
    }
}
