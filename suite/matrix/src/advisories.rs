//! Released versions of crates with an advisory, each as the dependency of a small crate whose test is the reproducer; and
//! the first version without the mistake. `-- --advisories` explores them and writes suite/matrix/ADVISORIES.md.
//!
//! A version that was yanked can only be had by a lock file that names it: the one of the clean version is changed.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// A mistake in a released version.
struct Advisory {
    name: &'static str,
    /// What it is called.
    id: &'static str,
    /// The version with the mistake, the checksum with which it was published, and the version without.
    wrong: &'static str,
    checksum: &'static str,
    clean: &'static str,
    features: &'static str,
    /// Explored with `--races`.
    races: bool,
    /// The test.
    source: &'static str,
    /// Why the mistake is not found; none if it is.
    missed: Option<&'static str>,
}

static ADVISORIES: [Advisory; 6] = [
    Advisory {
        name: "crossbeam-channel",
        id: "RUSTSEC-2025-0024",
        wrong: "0.5.14",
        checksum: "06ba6d68e24814cb8de6bb986db8222d3a027d15872cabc0d18817bc3c0e4471",
        clean: "0.5.15",
        features: "",
        races: false,
        source: include_str!("../advisories/crossbeam_channel.rs"),
        missed: None,
    },
    Advisory {
        name: "oneshot",
        id: "a receiver that is polled and dropped",
        wrong: "0.1.11",
        checksum: "b4ce411919553d3f9fa53a0880544cda985a112117a0444d5ff1e870a893d6ea",
        clean: "0.1.13",
        features: "\"std\", \"async\"",
        races: false,
        source: include_str!("../advisories/oneshot.rs"),
        missed: None,
    },
    Advisory {
        name: "crossbeam-deque",
        id: "RUSTSEC-2021-0093",
        wrong: "0.8.0",
        checksum: "94af6efb46fef72616855b036a624cf27ba656ffc9be1b9a3c931cfc7749a9a9",
        clean: "0.8.1",
        features: "",
        races: false,
        source: include_str!("../advisories/crossbeam_deque.rs"),
        missed: Some("no schedule of this test shows it under sequential consistency"),
    },
    Advisory {
        name: "tokio",
        id: "RUSTSEC-2021-0124",
        wrong: "1.8.3",
        checksum: "00a287ce596d527f273dea7638a044739234740dbad141e7ed0c62c7d0c9c55a",
        clean: "1.8.4",
        features: "\"sync\"",
        races: true,
        source: include_str!("../advisories/tokio.rs"),
        missed: None,
    },
    Advisory {
        name: "thread_local",
        id: "RUSTSEC-2022-0006",
        wrong: "1.1.3",
        checksum: "8018d24e04c95ac8790716a5987d0fec4f8b27249ffa0f7d33f1369bdfb88cbd",
        clean: "1.1.4",
        features: "",
        races: true,
        source: include_str!("../advisories/thread_local.rs"),
        missed: None,
    },
    Advisory {
        name: "spin",
        id: "RUSTSEC-2019-0013",
        wrong: "0.5.1",
        checksum: "cbdb51a221842709c2dd65b62ad4b78289fc3e706a02c17a26104528b6aa7837",
        clean: "0.5.2",
        features: "",
        races: true,
        source: include_str!("../advisories/spin.rs"),
        missed: None,
    },
];

/// Explores all of them and writes the table. Says whether each verdict is the expected one.
pub fn run(command: &Path, home: &Path) -> Result<bool, String> {
    let mut text = "# Released versions with advisories\n\nSmall crates that have never heard of raddle, as a user of the \
                    named version would write them, under `cargo raddle test` with its defaults, some with \
                    `--races`. Written by `cargo run \
                    --release -p matrix -- --advisories`.\n\n| crate | advisory | verdict | executions | time |\n\
                    |---|---|---|---|---|\n"
        .to_owned();
    let mut is_expected = true;
    for advisory in &ADVISORIES {
        for version in [advisory.wrong, advisory.clean] {
            let test = explore(advisory, version, command, home)?;
            let has_failed = test["verdict"] == "failed";
            is_expected &= has_failed == (version == advisory.wrong && advisory.missed.is_none());
            let verdict = match advisory.missed {
                Some(why) if version == advisory.wrong && !has_failed => format!("not found: {why}"),
                _ if has_failed => {
                    test["failure"]["defect"]["kind"].as_str().unwrap_or_default().replace('-', " ")
                }
                _ => format!("passed, {}", extent(&test)),
            };
            let (name, id) = (advisory.name, if version == advisory.wrong { advisory.id } else { "" });
            let (executions, seconds) = (&test["executions"], test["seconds"].as_f64().unwrap_or_default());
            let flag = if advisory.races { " `--races`" } else { "" };
            let row =
                format!("| {name} {version}{flag} | {id} | {verdict} | {executions} | {seconds:.1} s |\n");
            print!("{row}");
            text += &row;
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("ADVISORIES.md");
    std::fs::write(&path, text).map_err(|e| format!("cannot write {}: {e}", path.display()))?;
    Ok(is_expected)
}

/// How much of the clean version was explored, in one word.
fn extent(test: &Value) -> &str {
    match &test["coverage"]["extent"] {
        Value::String(all) => all,
        _ => "in part",
    }
}

/// The result of the test of one version.
fn explore(advisory: &Advisory, version: &str, command: &Path, home: &Path) -> Result<Value, String> {
    let Advisory { name, wrong, clean, features, source, .. } = advisory;
    let folder = home.join("advisories").join(format!("{name}-{version}"));
    let failed = |e: std::io::Error| format!("cannot write to {}: {e}", folder.display());
    let manifest = format!(
        "[package]\nname = \"downstream\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[workspace]\n[dependencies]\n\
         {name} = {{ version = \">={wrong}, <={clean}\", features = [{features}] }}\n"
    );
    std::fs::create_dir_all(folder.join("src")).map_err(failed)?;
    std::fs::write(folder.join("Cargo.toml"), manifest).map_err(failed)?;
    std::fs::write(folder.join("src/lib.rs"), source).map_err(failed)?;
    let lock = folder.join("Cargo.lock");
    let output = Command::new("cargo")
        .args(["update", "--package", name, "--precise", clean])
        .current_dir(&folder)
        .output()
        .map_err(|e| format!("cannot run cargo: {e}"))?;
    if !output.status.success() {
        return Err(format!("cargo update: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    if version == *wrong {
        let text = std::fs::read_to_string(&lock).map_err(failed)?;
        std::fs::write(&lock, with_version(&text, advisory)).map_err(failed)?;
    }
    let output = Command::new(command)
        .args(["test", "--lib", "--message-format", "json", "--color", "never"])
        .args(advisory.races.then_some("--races"))
        .current_dir(&folder)
        .env_remove("CARGO_TARGET_DIR")
        .output()
        .map_err(|e| format!("cannot run {}: {e}", command.display()))?;
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut lines = lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines
        .find(|line| line["reason"] == "raddle-test")
        .ok_or_else(|| format!("{name} {version}: {}", String::from_utf8_lossy(&output.stderr).trim()))
}

/// A lock file that names the version with the mistake instead.
fn with_version(lock: &str, advisory: &Advisory) -> String {
    let Advisory { name, wrong, checksum, .. } = advisory;
    let mut is_its = false;
    let line = |line: &str| {
        if line.starts_with("name = ") {
            is_its = line == format!("name = \"{name}\"");
        }
        match line {
            _ if is_its && line.starts_with("version = ") => format!("version = \"{wrong}\"\n"),
            _ if is_its && line.starts_with("checksum = ") => format!("checksum = \"{checksum}\"\n"),
            _ => format!("{line}\n"),
        }
    };
    lock.lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_version_and_the_checksum_of_one_package_change() {
        let package = |name: &str, version: &str, checksum: &str| {
            format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\nchecksum = \"{checksum}\"\n\n")
        };
        let advisory = &ADVISORIES[0];
        let lock = |version, checksum| {
            package("a", "1.0.0", "x")
                + &package(advisory.name, version, checksum)
                + &package("z", "2.0.0", "y")
        };
        assert_eq!(
            with_version(&lock(advisory.clean, "c"), advisory),
            lock(advisory.wrong, advisory.checksum)
        );
    }
}
