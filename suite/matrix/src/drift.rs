//! `-- --drift`: the items of the installed compiler's std that the facades lack. To be run with every new
//! compiler; it needs the component `rust-docs`. Both sides are read from their rustdoc pages.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Modules whose types are under control.
const MODULES: [&str; 6] = ["sync", "sync/atomic", "sync/mpsc", "thread", "time", "hint"];

/// Items that are std's on purpose: they do not wait, share or read the time, or (`SystemTime`) concern real files.
const REAL: [&str; 23] = [
    "sync::Arc", // with --track-arc it is ours
    "sync::Weak",
    "sync::LockResult",
    "sync::PoisonError",
    "sync::TryLockError",
    "sync::TryLockResult",
    "sync::atomic::Ordering",
    "sync::mpsc::RecvError",
    "sync::mpsc::RecvTimeoutError",
    "sync::mpsc::SendError",
    "sync::mpsc::TryRecvError",
    "sync::mpsc::TrySendError",
    "thread::Result",
    "time::Duration",
    "time::SystemTime",
    "time::SystemTimeError",
    "time::TryFromFloatSecsError",
    "time::UNIX_EPOCH",
    "hint::assert_unchecked",
    "hint::black_box",
    "hint::unreachable_unchecked",
    "hint::cold_path",
    "hint::select_unpredictable",
];

/// Items by their path, each with its stable methods.
type Items = BTreeMap<String, BTreeSet<String>>;

/// Compares, and prints what is missing. True if nothing is.
pub fn run() -> Result<bool, String> {
    let sysroot = output(Command::new("rustc").args(["--print", "sysroot"]))?;
    let real = Path::new(sysroot.trim()).join("share/doc/rust/html/std");
    if !real.is_dir() {
        return Err("there is no documentation of std: `rustup component add rust-docs`".to_owned());
    }
    let target = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/drift");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let arguments = ["doc", "--quiet", "--no-deps", "-p", "raddle-native", "--target-dir"];
    output(Command::new("cargo").args(arguments).arg(&target).current_dir(root))?;
    let (real, ours) = (items(&real)?, items(&target.join("doc/raddle_native"))?);
    let missing = missing(&real, &ours);
    for line in &missing {
        println!("{line}");
    }
    let methods: usize = real.values().map(BTreeSet::len).sum();
    println!("{} items with {methods} stable methods compared, {} missing", real.len(), missing.len());
    Ok(missing.is_empty())
}

fn output(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|e| format!("cannot run {command:?}: {e}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("{command:?} failed: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}

/// The items of `real` that are not on the list and not in `ours`.
fn missing(real: &Items, ours: &Items) -> Vec<String> {
    let mut lines = Vec::new();
    for (path, methods) in real.iter().filter(|(path, _)| !REAL.contains(&path.as_str())) {
        match ours.get(path) {
            None => lines.push(format!("std::{path} is missing")),
            Some(mine) => {
                lines.extend(
                    methods.difference(mine).map(|method| format!("std::{path}::{method} is missing")),
                );
            }
        }
    }
    lines
}

/// The stable items of all modules.
fn items(documentation: &Path) -> Result<Items, String> {
    let mut items = Items::new();
    for module in MODULES {
        let folder = documentation.join(module);
        let listed =
            std::fs::read_dir(&folder).map_err(|e| format!("cannot read {}: {e}", folder.display()))?;
        for path in listed.flatten().map(|entry| entry.path()) {
            let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default().to_owned();
            let words: Vec<&str> = name.split('.').collect();
            let ["struct" | "enum" | "fn" | "constant" | "type" | "trait", item, "html"] = words[..] else {
                continue;
            };
            let page =
                std::fs::read_to_string(&path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
            let head = page.split("id=\"implementations-list\"").next().unwrap_or_default();
            if !is_unstable(head.split("<details").next().unwrap_or_default()) {
                items.insert(format!("{}::{item}", module.replace('/', "::")), methods(&page));
            }
        }
    }
    Ok(items)
}

fn is_unstable(html: &str) -> bool {
    html.contains("nightly-only experimental API")
}

/// The stable inherent methods on the page of a type.
fn methods(page: &str) -> BTreeSet<String> {
    let Some((_, rest)) = page.split_once("id=\"implementations-list\"") else { return BTreeSet::new() };
    let end = [
        "id=\"trait-implementations\"",
        "id=\"synthetic-implementations\"",
        "id=\"blanket-implementations\"",
    ];
    let end = end.iter().filter_map(|mark| rest.find(mark)).min().unwrap_or(rest.len());
    let mut found = BTreeSet::new();
    for part in rest[..end].split("<section id=\"method.").skip(1) {
        let name: String = part.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        if !is_unstable(part) && !name.is_empty() {
            found.insert(name);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = r#"<h1>Struct Gate</h1><div id="implementations-list"><details><summary>
        <section id="method.open" class="method"></section></summary></details>
        <section id="method.shut" class="method"></section><span>This is a nightly-only experimental API.</span>
        <section id="method.is_open" class="method"></section>
        <h2 id="trait-implementations"></h2><section id="method.clone" class="method"></section>"#;

    #[test]
    fn stable_methods_are_found_and_what_is_missing_is_named() {
        let open = BTreeSet::from(["is_open".to_owned(), "open".to_owned()]);
        assert_eq!(methods(PAGE), open);
        let real = Items::from([("sync::Gate".to_owned(), open), ("sync::New".to_owned(), BTreeSet::new())]);
        let ours = Items::from([("sync::Gate".to_owned(), BTreeSet::from(["open".to_owned()]))]);
        let said = ["std::sync::Gate::is_open is missing", "std::sync::New is missing"];
        assert_eq!(missing(&real, &ours), said);
        assert!(missing(&real, &real).is_empty());
    }
}
