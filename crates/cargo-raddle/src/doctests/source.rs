//! Doctests as tests: each is a module with its code and one `#[test]` that calls its `main`.

use super::extract::Extracted;
use std::collections::BTreeSet;

/// Names for modules, in the order of the doctests: `answer_line_7`.
pub fn names(doctests: &[Extracted]) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let name = |doctest: &Extracted| {
        let full = doctest.name.as_str();
        let (file, item) = full.split_once(" - ").unwrap_or(("", full));
        let short = identifier(item);
        let name = match taken.contains(&short) {
            true => identifier(&format!("{file} {item}")),
            false => short,
        };
        taken.insert(name.clone());
        name
    };
    doctests.iter().map(name).collect()
}

fn identifier(text: &str) -> String {
    let words: Vec<String> = text
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let name = words.join("_");
    // The documentation of the crate itself has no name: `line_2`.
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name }
}

/// The text of one module, whose test is `doctest`.
pub fn module(name: &str, doctest: &Extracted) -> String {
    format!("mod {name} {{\n{}}}\n", text("doctest", doctest))
}

/// The text of a program with one doctest, which may refer to itself as the whole crate, and its test: the name
/// distinguishes it from those of other programs.
pub fn alone(name: &str, doctest: &Extracted) -> (String, String) {
    let test = format!("{name}_doctest");
    (text(&test, doctest), test)
}

fn text(name: &str, doctest: &Extracted) -> String {
    let Some(code) = &doctest.code else { return String::new() };
    let (before, after) = code.wrapper.as_ref().map_or(("", ""), |w| (w.before.as_str(), w.after.as_str()));
    // A test that should panic may not return anything.
    let test = match doctest.attributes.should_panic {
        true => format!("#[test] #[should_panic] fn {name}() {{ let _ = main(); }}"),
        false => format!("#[test] fn {name}() -> impl ::std::process::Termination {{ main() }}"),
    };
    format!("{}{before}{}{after}\n\n{test}\n", code.crate_level, code.code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doctest(name: &str, code: &str, should_panic: bool) -> Extracted {
        serde_json::from_value(serde_json::json!({
            "name": name,
            "doctest_attributes": { "should_panic": should_panic, "no_run": false, "compile_fail": false,
                "test_harness": false, "rust": true, "ignore": "None", "edition": null },
            "doctest_code": { "crate_level": "#![allow(unused)]\n", "code": code,
                "wrapper": { "before": "fn main() {\n", "after": "\n}" } },
        }))
        .unwrap()
    }

    #[test]
    fn doctests_have_names_that_say_where_they_are() {
        let all = [
            doctest("src/lib.rs - (line 2)", "", false),
            doctest("src/lib.rs - Account<'a>::deposit (line 7)", "", false),
            doctest("src/other.rs - (line 2)", "", false),
        ];
        assert_eq!(names(&all), ["line_2", "account_a_deposit_line_7", "src_other_rs_line_2"]);
    }

    #[test]
    fn doctests_become_tests() {
        let one = doctest("src/lib.rs - (line 2)", "work();", true);
        let text = module("line_2", &one);
        assert_eq!(
            text,
            "mod line_2 {\n#![allow(unused)]\nfn main() {\nwork();\n}\n\n\
             #[test] #[should_panic] fn doctest() { let _ = main(); }\n}\n"
        );
        let (text, test) = alone("line_2", &one);
        assert!(text.starts_with("#![allow(unused)]\nfn main() {\nwork();\n}"), "{text}");
        assert!(text.contains("fn line_2_doctest()") && test == "line_2_doctest", "{text}");
    }
}
