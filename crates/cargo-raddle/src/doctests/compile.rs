//! Compiles doctests: all of a library in one program if that can be, and each in its own otherwise.

use super::extract::Extracted;
use super::{Because, Doctest, for_the_compiler, source, write};
use crate::wrapper::{self, value_of};
use raddle_terminal::store;
use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where and how programs are made.
struct Workshop {
    folder: PathBuf,
    edition: String,
    options: Vec<OsString>,
    /// Changes with the libraries that doctests use.
    libraries: u64,
}

/// Compiles all doctests that can be executed, and reports why the others cannot.
pub fn all(
    found: &[Extracted],
    arguments: &[OsString],
    folder: &Path,
    target: &str,
) -> Result<Vec<Doctest>, String> {
    let mut options = for_the_compiler(arguments);
    let libraries = fingerprint(&options);
    options.extend(wrapper::facades(true)?);
    options.extend(["--cap-lints".into(), "allow".into()]);
    let edition = value_of(arguments, "--edition").unwrap_or_else(|| "2015".to_owned());
    let workshop = Workshop { folder: folder.join(target), edition, options, libraries };
    std::fs::create_dir_all(&workshop.folder)
        .map_err(|e| format!("cannot make {}: {e}", workshop.folder.display()))?;

    // Another process may be compiling the same at this moment. Without file locks, both compile.
    let lock = store::lock_file(&workshop.folder.join("lock"));
    let _turn = lock.ok().filter(|lock| lock.lock().is_ok());

    let names = source::names(found);
    let excluded = wrapper::is_excluded(target);
    let because = |doctest: &Extracted| why_not(doctest, excluded);
    let together = |doctest: &Extracted| {
        because(doctest).is_none()
            && doctest.attributes.edition.is_none()
            && !doctest.attributes.standalone_crate
            && workshop.edition != "2015"
    };
    let modules = names.iter().zip(found).filter(|(_, d)| together(d));
    let text: String = modules.map(|(name, d)| source::module(name, d)).collect();
    let in_one = workshop.compile("all", &format!("#![allow(unused)]\n{text}"), None).ok();

    let mut doctests = Vec::new();
    for (name, doctest) in names.iter().zip(found) {
        let mut because = because(doctest);
        let (inside, program) = match &in_one {
            _ if because.is_some() => (String::new(), PathBuf::new()),
            Some(program) if together(doctest) => (format!("{name}::doctest"), program.clone()),
            _ => {
                let edition = doctest.attributes.edition.as_deref();
                let (text, inside) = source::alone(name, doctest);
                let made = workshop.compile(name, &text, edition);
                let program = made.unwrap_or_else(|said| {
                    let first =
                        said.lines().find(|l| l.starts_with("error")).unwrap_or("it does not compile");
                    because = Some(Because::Cannot(format!("it does not compile under raddle: {first}")));
                    PathBuf::new()
                });
                (inside, program)
            }
        };
        doctests.push(Doctest { shown: doctest.name.clone(), inside, program, because });
    }
    Ok(doctests)
}

fn why_not(doctest: &Extracted, excluded: bool) -> Option<Because> {
    let cannot = |why: &str| Some(Because::Cannot(why.to_owned()));
    let attributes = &doctest.attributes;
    match () {
        _ if attributes.is_ignored() || !attributes.rust => Some(Because::Ignored),
        _ if attributes.compile_fail => cannot("it must not compile (compile_fail): there is nothing to run"),
        _ if attributes.no_run => cannot("its author says not to run it (no_run)"),
        _ if attributes.test_harness => cannot("it has a harness of its own (test_harness)"),
        _ if excluded => cannot("the crate is excluded and runs on the real std"),
        _ if doctest.code.is_none() => cannot("rustdoc does not say what its code is"),
        _ => None,
    }
}

/// The fingerprint of the libraries that doctests are linked with: by their contents, since cargo writes them again
/// whenever one of their files has a new date.
fn fingerprint(options: &[OsString]) -> u64 {
    let mut hasher = DefaultHasher::new();
    options.hash(&mut hasher);
    std::env::var_os(wrapper::SHIM).hash(&mut hasher);
    for option in options {
        let text = option.to_string_lossy();
        if let Some((_, path)) = text.split_once('=').filter(|(_, path)| path.ends_with(".rlib")) {
            std::fs::read(path).unwrap_or_default().hash(&mut hasher);
        }
    }
    hasher.finish()
}

impl Workshop {
    /// The program of this text, or the errors of the compiler.
    fn compile(&self, name: &str, text: &str, edition: Option<&str>) -> Result<PathBuf, String> {
        let edition = edition.unwrap_or(&self.edition);
        let mut hasher = DefaultHasher::new();
        (self.libraries, edition, text).hash(&mut hasher);
        let program = self.folder.join(format!("{name}-{:016x}", hasher.finish()));
        if program.is_file() {
            return Ok(program);
        }
        self.remove_older(name);
        let file = self.folder.join(format!("{name}.rs"));
        write(&file, text)?;
        let mut command = Command::new("rustc");
        wrapper::allow_facades(&mut command, &self.options);
        let output = command
            .args(["--crate-name", "doctests", "--test", "--edition", edition])
            .arg(&file)
            .arg("-o")
            .arg(&program)
            .args(&self.options)
            .env_remove(wrapper::SHIM)
            .output()
            .map_err(|e| format!("cannot run rustc: {e}"))?;
        match output.status.success() {
            true => Ok(program),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    }

    fn remove_older(&self, name: &str) {
        let begin = format!("{name}-");
        for entry in std::fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().strip_prefix(&begin).is_some_and(|rest| rest.len() == 16) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}
