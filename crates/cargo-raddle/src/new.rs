//! `cargo raddle new`: adds raddle as a dev-dependency and a first test to a package.

use crate::PASSED;
use crate::arguments::New;
use crate::crates::cargo;
use raddle_terminal::{output, store};
use std::process::Command;

/// The first test: it passes, in all its interleavings.
const FIRST: &str = r#"//! A first test under raddle: `cargo test --test interleavings` explores all its interleavings.

use raddle::sync::atomic::{AtomicU64, Ordering::SeqCst};
use raddle::sync::Arc;
use raddle::thread;

#[raddle::test]
fn no_increment_is_lost() {
    let count = Arc::new(AtomicU64::new(0));
    let theirs = count.clone();
    let other = thread::spawn(move || theirs.fetch_add(1, SeqCst));
    count.fetch_add(1, SeqCst);
    other.join().unwrap();
    assert_eq!(count.load(SeqCst), 2);
}
"#;

/// Runs `cargo raddle new`.
pub fn run(new: &New) -> Result<u8, String> {
    let folder = &new.folder;
    if !folder.join("Cargo.toml").is_file() {
        return Err(format!("{} is no package: it has no Cargo.toml", folder.display()));
    }
    let test = folder.join("tests/interleavings.rs");
    if test.exists() {
        return Err(format!("{} is there already", test.display()));
    }
    let mut add = Command::new(cargo());
    add.current_dir(folder).args(["add", "--dev", "--quiet", "raddle"]);
    match &new.from {
        Some(from) if from.contains("://") => add.args(["--git", from]),
        Some(from) => {
            let path = std::path::absolute(from).map_err(|e| format!("{from}: {e}"))?;
            add.arg("--path").arg(path.join("crates/raddle"))
        }
        None => {
            return Err(
                "raddle is not published yet: say where its repository is, with --from PATH or ADDRESS"
                    .to_owned(),
            );
        }
    };
    let output = add.output().map_err(|e| format!("cannot run cargo add: {e}"))?;
    if !output.status.success() {
        return Err(format!("cargo add failed: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    let tests = folder.join("tests");
    std::fs::create_dir_all(&tests)
        .map_err(|e| format!("cannot make the folder {}: {e}", tests.display()))?;
    store::create(&test, "test", FIRST)?;
    output::line(format_args!(
        "raddle: added the dev-dependency and {}; try `cargo test --test interleavings`",
        test.display()
    ));
    Ok(PASSED)
}
