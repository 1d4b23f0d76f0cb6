//! Concuerror's own suite: for each scenario, whether Raddle's verdict is Concuerror's. A difference that is argued in
//! `argued.rs` is no error; the table has its words.

use crate::scenario::Scenario;
use crate::{Asked, argued, raddle, scenario};
use std::path::Path;

/// The verdict beside the expected one.
struct Row {
    name: String,
    expected: &'static str,
    got: String,
    equal: bool,
}

/// Compares all scenarios. The folder is that of the suite's tests, each test compiled beside its source.
pub fn run(asked: &Asked) -> Result<bool, String> {
    let raddle = raddle::command()?;
    let scratch = raddle::scratch()?;
    let mut rows = Vec::new();
    for scenario in scenario::all(&asked.folder)? {
        if asked.only.as_ref().is_some_and(|only| !scenario.name.contains(only)) {
            continue;
        }
        let row = compare(&raddle, &scratch, &scenario, &asked.budget);
        if !row.equal {
            println!("{}: expected {}, got {}", row.name, row.expected, row.got);
        }
        rows.push(row);
    }
    let _ = std::fs::remove_dir_all(&scratch);
    let equal = rows.iter().filter(|row| row.equal).count();
    println!("{equal} of {} verdicts are equal", rows.len());
    let open: Vec<&Row> = rows.iter().filter(|row| !row.equal && argued::why(&row.name).is_none()).collect();
    if asked.only.is_none() {
        write(&rows)?;
    }
    Ok(open.is_empty())
}

fn compare(raddle: &Path, scratch: &Path, scenario: &Scenario, budget: &str) -> Row {
    let mut arguments = vec!["--budget".to_owned(), budget.to_owned(), "-pa".to_owned()];
    arguments.push(scenario.directory.display().to_string());
    arguments.push(scenario.directory.join(format!("{}.beam", scenario.module)).display().to_string());
    arguments.extend(["--test".to_owned(), scenario.function.clone()]);
    arguments.extend(scenario.flags.iter().cloned());
    let answered = raddle::erl(raddle, scratch, None, &arguments);
    let (failed, got) = match &answered {
        Ok(answers) => match answers.iter().find(|answer| answer.test == scenario.function) {
            Some(answer) => {
                let failed = match answer.verdict.as_str() {
                    "passed" => Some(false),
                    "failed" => Some(true),
                    _ => None,
                };
                (failed, format!("{}, {}", answer.word(), answer.extent()))
            }
            None => (None, "no answer".to_owned()),
        },
        Err(why) => (None, why.clone()),
    };
    let expected = if scenario.failed { "failed" } else { "passed" };
    // A bounded search that finds nothing says nothing about what is beyond the bound.
    let equal = failed == Some(scenario.failed) || scenario.bounded && !scenario.failed && failed.is_some();
    Row { name: scenario.name.clone(), expected, got, equal }
}

fn write(rows: &[Row]) -> Result<(), String> {
    let equal = rows.iter().filter(|row| row.equal).count();
    let mut text = format!(
        "# Concuerror's own suite under `raddle erl`\n\n{equal} of {} verdicts are equal. Written by `cargo run --release \
         -p projects -- concuerror FOLDER`, where the folder holds the suite's tests, compiled.\n\nA scenario is a function \
         of a test with its options; those that differ only in Concuerror's algorithm are one. Where Concuerror bounds its \
         search and finds nothing, any verdict is equal: Raddle searches without that bound.\n\n## Verdicts that differ, \
         and why\n\n| scenario | Concuerror | Raddle | why |\n|---|---|---|---|\n",
        rows.len()
    );
    for row in rows.iter().filter(|row| !row.equal) {
        let why = argued::why(&row.name).unwrap_or("**not explained**");
        text += &format!("| {} | {} | {} | {why} |\n", row.name, row.expected, row.got);
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("CONCUERROR.md");
    std::fs::write(&path, text).map_err(|e| format!("cannot write {}: {e}", path.display()))
}
