//! Builds the tests with the facades in place of std, in a target directory of its own: cargo does not notice its
//! wrapper, so builds with another shim or other exclusions must not share one.

use crate::arguments::Cargo;
use crate::crates::{Workspace, cargo};
use crate::doctests::{self, Doctest};
use crate::environment::{self, Variables};
use crate::leftovers::{self, UnderWay};
use crate::search_arguments::Color;
use crate::wrapper::{self, harness_note};
use raddle_shadow::{Compiler, Shim};
use serde::Deserialize;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A program that holds tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub path: PathBuf,
    /// The folder of its package.
    pub folder: PathBuf,
    pub package: String,
    pub version: String,
    /// The name of the target: of the library, of the integration test.
    pub target: String,
    /// `lib`, `test`, `bin`, `example`.
    pub kind: String,
    /// Whether the compiler's harness is in it.
    pub has_harness: bool,
    /// If it is not a program at all but the documentation of a library.
    pub doctests: Vec<Doctest>,
    /// What cargo adds to the environment.
    pub environment: Variables,
}

impl Program {
    /// Its place in reports: by package, as cargo runs them.
    fn place(&self) -> (String, usize, String) {
        let kinds = ["lib", "proc-macro", "bin", "test", "example", "bench", "doc"];
        let kind = kinds.iter().position(|kind| *kind == self.kind).unwrap_or(kinds.len());
        (self.package.clone(), kind, self.target.clone())
    }

    /// Its name in reports.
    pub fn title(&self) -> String {
        match self.kind.as_str() {
            "lib" | "proc-macro" => self.package.clone(),
            "doc" => format!("{} (doctests)", self.package),
            kind => format!("{} ({kind} {})", self.package, self.target),
        }
    }
}

#[derive(Deserialize)]
struct Message {
    reason: String,
    executable: Option<PathBuf>,
    manifest_path: Option<PathBuf>,
    package_id: Option<String>,
    target: Option<Target>,
    profile: Option<Profile>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

/// What to build.
pub struct Build<'a> {
    pub folder: &'a Path,
    pub workspace: &'a Workspace,
    pub cargo: &'a Cargo,
    pub color: Color,
    pub exclude: &'a [String],
    pub as_miri: bool,
    /// With callbacks at accesses to plain memory.
    pub races: bool,
    pub shim: &'a Shim,
    pub compiler: &'a Compiler,
}

impl Build<'_> {
    pub fn target_directory(&self) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        let mut exclude = self.exclude.to_vec();
        exclude.sort();
        (&self.shim.fingerprint, exclude, self.as_miri, self.races).hash(&mut hasher);
        let name = format!("{}{}-{:08x}", leftovers::BUILD, self.shim.generation, hasher.finish() as u32);
        self.workspace.our_folder().join(name)
    }

    /// Marks this build as in use until the result is dropped.
    pub fn begin(&self) -> Result<UnderWay, String> {
        UnderWay::begin(&self.workspace.our_folder(), &self.shim.generation)
    }

    /// Builds, and returns the programs that hold tests.
    pub fn run(&self) -> Result<Vec<Program>, String> {
        let mut programs = if self.cargo.built.wants_programs() { self.programs()? } else { Vec::new() };
        if self.cargo.built.wants_doctests() && self.workspace.has_doctests() {
            programs.extend(doctests::build(self)?);
        }
        if self.cargo.built.wants_programs() {
            environment::ask(self, &mut programs)?;
        }
        // Cargo names them in the order in which their builds end.
        programs.sort_by_cached_key(Program::place);
        Ok(programs)
    }

    /// `cargo test` with this program as the compiler's wrapper.
    pub fn cargo_test(&self) -> Command {
        let mut command = Command::new(cargo());
        command
            .current_dir(self.folder)
            .arg("test")
            .args(["--target", &self.compiler.host])
            .arg("--target-dir")
            .arg(self.target_directory())
            .args(self.cargo.built.arguments())
            .args(self.cargo.place.arguments())
            .env("RUSTC_WRAPPER", std::env::current_exe().unwrap_or_default())
            .env(wrapper::SHIM, &self.shim.libraries)
            .env(wrapper::EXCLUDED, self.exclude.join(","))
            .args(["--color", self.color.name()])
            .stdin(Stdio::null());
        for profile in
            ["dev", "test", "release", "bench"].into_iter().chain(self.cargo.built.profile.as_deref())
        {
            // The facades are libraries without the bitcode that it needs.
            let profile = profile.to_uppercase().replace('-', "_");
            command.env(format!("CARGO_PROFILE_{profile}_LTO"), "off");
        }
        if self.as_miri {
            command.env(wrapper::AS_MIRI, "1");
        }
        match self.races {
            true => command.env(wrapper::RACES, "1"),
            false => command.env_remove(wrapper::RACES),
        };
        command
    }

    /// Builds the programs that hold tests.
    pub fn programs(&self) -> Result<Vec<Program>, String> {
        let mut command = self.cargo_test();
        command.args(["--no-run", "--message-format", "json-render-diagnostics"]).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|e| format!("cannot run cargo: {e}"))?;
        let (mut programs, mut has_begun) = (Vec::new(), false);
        let out = child.stdout.take().expect("it is piped");
        for line in BufReader::new(out).lines() {
            let line = line.map_err(|e| format!("cannot read what cargo says: {e}"))?;
            // Programs that cargo starts may print, too.
            if let Ok(message) = serde_json::from_str::<Message>(&line) {
                has_begun |= message.reason == "build-finished";
                programs.extend(program(message));
            }
        }
        let status = child.wait().map_err(|e| format!("cannot wait for cargo: {e}"))?;
        match (status.success(), has_begun) {
            (true, _) => Ok(programs),
            (false, true) => Err(self.advice()),
            (false, false) => Err("cargo has not begun to build (see above)".to_owned()),
        }
    }

    fn advice(&self) -> String {
        let mut text = "the tests do not compile under raddle (see above)".to_owned();
        if self.exclude.is_empty() {
            text.push_str(
                "; if `cargo test --no-run` compiles them, a crate uses something of std that raddle does not have: \
                 try `--exclude` with that crate, and report it",
            );
        } else {
            let crates = self.exclude.join(", ");
            text.push_str(&format!(
                "; {crates} run on the real std, whose Mutex, Instant and so on are other types than those of the \
                 crates around: where such a type crosses the border, the compiler says `mismatched types`; exclude the \
                 crates on both sides or none"
            ));
        }
        text
    }
}

fn program(message: Message) -> Option<Program> {
    let (path, manifest, target) = (message.executable?, message.manifest_path?, message.target?);
    if message.reason != "compiler-artifact" || !message.profile.is_some_and(|p| p.test) {
        return None;
    }
    let (package, version) = package_of(&message.package_id.unwrap_or_default(), &manifest);
    let has_harness = harness_note(&path).is_file();
    let kind = target.kind.first().map(|kind| match kind.as_str() {
        "bin" | "test" | "example" | "bench" | "proc-macro" => kind.clone(),
        _ => "lib".to_owned(),
    });
    Some(Program {
        doctests: Vec::new(),
        environment: Variables::new(),
        has_harness,
        path,
        folder: manifest.parent().map(Path::to_path_buf).unwrap_or_default(),
        package,
        version,
        target: target.name,
        kind: kind.unwrap_or_else(|| "lib".to_owned()),
    })
}

/// Name and version from `path+file:///folder/name#version` or `..folder#name@version`.
fn package_of(id: &str, manifest: &Path) -> (String, String) {
    let (before, after) = id.rsplit_once('#').unwrap_or((id, ""));
    match after.split_once('@') {
        Some((name, version)) => (name.to_owned(), version.to_owned()),
        None => {
            let folder =
                manifest.parent().and_then(Path::file_name).map(|n| n.to_string_lossy().into_owned());
            let last = before.rsplit('/').next().unwrap_or_default().to_owned();
            (if last.is_empty() { folder.unwrap_or_default() } else { last }, after.to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_named_as_cargo_names_them() {
        let manifest = Path::new("/home/me/bank/Cargo.toml");
        let of = |id: &str| package_of(id, manifest);
        assert_eq!(of("path+file:///home/me/bank#0.1.0"), ("bank".to_owned(), "0.1.0".to_owned()));
        assert_eq!(of("path+file:///home/me/x#bank@0.1.0"), ("bank".to_owned(), "0.1.0".to_owned()));
    }
}
