//! The README shows what the example prints.

use std::process::Command;

/// What the example prints, without what differs from run to run.
fn printed() -> String {
    // Cargo builds the examples of a package together with its tests.
    let tests = std::env::current_exe().expect("this program is somewhere");
    let built = tests.ancestors().nth(2).expect("tests are in a folder of the target directory");
    let output = Command::new(built.join("examples/bank"))
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .env("COLUMNS", "110")
        .env_remove("RADDLE_REPLAY")
        .output()
        .expect("the example runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("a report is text");
    text.lines().map(|line| settled(line) + "\n").collect()
}

/// A line without its time, its target directory and what a ticket says about the build.
fn settled(line: &str) -> String {
    if line.starts_with("  as text") {
        // It ends with the number of steps, the fingerprint of the program and a checksum.
        let mut parts = line.rsplitn(3, '.');
        let seals = [parts.next(), parts.next()].map(|part| part.expect("it ends with seals").len());
        assert_eq!(seals, [8, 8], "{line}");
        return parts.next().expect("a schedule comes before").to_owned();
    }
    let line = line.split(", after ").next().expect("there is a first part").to_owned();
    match (line.find("target"), line.starts_with("  ticket"), line.find("RADDLE_REPLAY=")) {
        (Some(at), true, _) => format!("  ticket   {}", &line[at..]),
        (Some(at), _, Some(_)) => format!("  replay   RADDLE_REPLAY={}", &line[at..]),
        _ => line,
    }
}

#[test]
fn the_readme_shows_what_the_example_prints() {
    let readme = include_str!("../../README.md");
    let shown = readme.split("```text\n").nth(1).and_then(|rest| rest.split("```").next());
    let shown = shown.expect("the README shows a report").lines().map(|line| settled(line) + "\n");
    assert_eq!(shown.collect::<String>(), printed());
}

#[test]
fn the_readme_shows_the_source_of_the_example() {
    let body = |text: &str| {
        let from = text.find("fn deposit").expect("it has the function");
        let to = text.find("a deposit was lost\");").expect("it has the assertion");
        text[from..to].replace("#[raddle::test]\n", "")
    };
    assert_eq!(body(include_str!("../../README.md")), body(include_str!("../bank.rs")));
}
