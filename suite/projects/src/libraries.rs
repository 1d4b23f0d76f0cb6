//! Public Erlang libraries under `raddle erl`, each with a small test of ours in `erl/`. The folder is as `ERL_LIBS`
//! has it: a directory for each library, with its compiled modules and its `.app` file in `ebin`.

use crate::raddle::Answer;
use crate::{Asked, raddle};
use std::path::Path;

/// The libraries, and the tests in which a failure is expected: each is a known defect.
const LIBRARIES: &[(&str, &[(&str, &str)])] = &[
    ("poolboy", &[]),
    ("gproc", &[]),
    ("worker_pool", &[]),
    ("locks", &[]),
    ("fuse", &[]),
    ("ranch", &[]),
    (
        "epocxy",
        &[
            ("fifo_reads_what_was_published_test", "a slot is reserved but not yet written"),
            ("ring_reads_what_was_published_test", "a slot is reserved but not yet written"),
            ("lifo_elements_are_read_once_test", "two readers get the same element, as the source says"),
        ],
    ),
    ("recon", &[]),
    ("meck", &[]),
];

/// The time for a test of a library with known defects: the search ends by itself.
const LONG: &str = "10m";

/// Explores the tests of the libraries in a folder.
pub fn run(asked: &Asked) -> Result<bool, String> {
    let raddle = raddle::command()?;
    let scratch = raddle::scratch()?;
    let (mut rows, mut notes) = (String::new(), String::new());
    let mut as_expected = true;
    for (name, defects) in LIBRARIES {
        if asked.only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        let version = version(&asked.folder.join(name).join("ebin").join(format!("{name}.app")));
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("erl").join(format!("{name}_tests.erl"));
        // A known defect is found without a limit.
        let budget = if defects.is_empty() { asked.budget.as_str() } else { LONG };
        let arguments = ["--budget".to_owned(), budget.to_owned(), source.display().to_string()];
        match raddle::erl(&raddle, &scratch, Some(&asked.folder), &arguments) {
            Ok(answers) => {
                for answer in answers {
                    let defect = defects.iter().find(|(test, _)| *test == answer.test).map(|(_, why)| *why);
                    let expected = if defect.is_some() { "failed" } else { "passed" };
                    as_expected &= answer.verdict == expected;
                    let row = row(name, &version, &answer, defect);
                    print!("{row}");
                    rows += &row;
                }
            }
            Err(why) => {
                as_expected = false;
                notes += &format!("\n{name} {version} could not be explored: {why}\n");
            }
        }
    }
    eprint!("{notes}");
    let _ = std::fs::remove_dir_all(&scratch);
    if asked.only.is_none() {
        let text = format!(
            "# Public Erlang libraries under `raddle erl`\n\nDefault settings, budget {} for each test (none where a defect is known). Written by `cargo \
             run --release -p projects -- libraries FOLDER`; the tests are in `erl/`. The time is that of a shared \
             machine.\n\n| library | test | verdict | explored | executions | seconds |\n|---|---|---|---|---|---|\n\
             {rows}{notes}",
            asked.budget
        );
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("LIBRARIES.md");
        std::fs::write(&path, text).map_err(|e| format!("cannot write {}: {e}", path.display()))?;
    }
    Ok(as_expected)
}

fn row(name: &str, version: &str, answer: &Answer, defect: Option<&str>) -> String {
    let defect = defect.map_or(String::new(), |why| format!(": {why}"));
    let verdict = format!("{}{defect}", answer.word());
    let (test, extent) = (&answer.test, answer.extent());
    format!(
        "| {name} {version} | {test} | {verdict} | {extent} | {} | {:.1} |\n",
        answer.executions, answer.seconds
    )
}

/// The version in an `.app` file; none if it is made when the library is built.
fn version(app: &Path) -> String {
    let text = std::fs::read_to_string(app).unwrap_or_default();
    let after = text.split_once("{vsn,").map_or("", |(_, rest)| rest.trim_start());
    let quoted = after.strip_prefix('"').and_then(|rest| rest.split_once('"')).map_or("", |(vsn, _)| vsn);
    quoted.to_owned()
}
