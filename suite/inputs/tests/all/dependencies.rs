//! What comes from others: every crate that is built has a licence that fits ours, what users install has no crate twice, and what the
//! rest has twice is known. Asked of `cargo metadata`, for the machine that this runs on.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// One of these must be enough for each crate. All may be used by what is licensed as MIT or Apache-2.0.
const LICENCES: [&str; 9] = [
    "MIT",
    "Apache-2.0",
    "Unicode-3.0",
    "Zlib",
    "0BSD",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "Unlicense",
    "Apache-2.0 WITH LLVM-exception",
];

/// Crates of which the tests and benchmarks have several versions, and why: shuttle, a peer, has the earlier ones.
const TWICE: [&str; 3] = ["getrandom", "rand", "rand_core"];

fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .args(["--filter-platform", "x86_64-unknown-linux-gnu"])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Whether the expression of a licence can be fulfilled: `(MIT OR Apache-2.0) AND Unicode-3.0`, or `MIT/Apache-2.0`.
fn is_fulfilled(expression: &str) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    any(&words, &mut at) && at == words.len()
}

fn any(words: &[&str], at: &mut usize) -> bool {
    let mut holds = all(words, at);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        holds |= all(words, at);
    }
    holds
}

fn all(words: &[&str], at: &mut usize) -> bool {
    let mut holds = one(words, at);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        holds &= one(words, at);
    }
    holds
}

fn one(words: &[&str], at: &mut usize) -> bool {
    let Some(word) = words.get(*at) else { return false };
    *at += 1;
    if *word == "(" {
        let holds = any(words, at);
        *at += 1;
        return holds;
    }
    let mut name = (*word).to_owned();
    if let (Some(&"WITH"), Some(exception)) = (words.get(*at), words.get(*at + 1)) {
        name = format!("{name} WITH {exception}");
        *at += 2;
    }
    LICENCES.contains(&name.as_str())
}

#[test]
fn expressions_of_licences() {
    for fits in [
        "MIT",
        "MIT/Apache-2.0",
        "GPL-3.0 OR MIT",
        "(MIT OR X) AND Unicode-3.0",
        "Y OR Apache-2.0 WITH LLVM-exception",
    ] {
        assert!(is_fulfilled(fits), "{fits}");
    }
    for other in ["GPL-3.0", "MIT AND GPL-3.0", "", "MPL-2.0", "MIT X", "MIT AND"] {
        assert!(!is_fulfilled(other), "{other}");
    }
}

#[test]
fn every_licence_fits_ours() {
    let metadata = metadata();
    let wrong: Vec<String> = list(&metadata["packages"])
        .filter(|package| !is_fulfilled(text(package, "license")))
        .map(|package| {
            format!("{} {}: {}", text(package, "name"), text(package, "version"), text(package, "license"))
        })
        .collect();
    assert_eq!(wrong, Vec::<String>::new());
}

/// The names of those with several versions.
fn twice<'p>(packages: impl Iterator<Item = &'p Value>) -> Vec<String> {
    let mut versions: BTreeMap<&str, usize> = BTreeMap::new();
    packages.for_each(|package| *versions.entry(text(package, "name")).or_default() += 1);
    versions.into_iter().filter(|(_, count)| *count > 1).map(|(name, _)| name.to_owned()).collect()
}

#[test]
fn no_crate_is_there_twice_unless_it_is_known() {
    let metadata = metadata();
    assert_eq!(twice(list(&metadata["packages"])), TWICE);
    // What users install: the crates that are published, and the shim's own, with what they are built with.
    let packages: BTreeMap<&str, &Value> =
        list(&metadata["packages"]).map(|package| (text(package, "id"), package)).collect();
    let is_installed = |package: &&&Value| {
        package["source"].is_null()
            && (package["publish"].is_null() || text(package, "name") == "raddle-shadow-json")
    };
    let mut left: Vec<&str> =
        packages.values().filter(is_installed).map(|package| text(package, "id")).collect();
    assert!(left.len() > 8, "{left:?}");
    let mut installed = BTreeSet::new();
    while let Some(id) = left.pop() {
        if !installed.insert(id) {
            continue;
        }
        let node = list(&metadata["resolve"]["nodes"]).find(|node| text(node, "id") == id).unwrap();
        let is_built =
            |dependency: &&Value| list(&dependency["dep_kinds"]).any(|kind| text(kind, "kind") != "dev");
        left.extend(list(&node["deps"]).filter(is_built).map(|dependency| text(dependency, "pkg")));
    }
    assert_eq!(twice(installed.iter().map(|id| packages[id])), Vec::<String>::new());
    assert!(installed.len() < 60, "{} crates", installed.len());
}
