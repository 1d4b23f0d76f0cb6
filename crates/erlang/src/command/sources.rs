//! From files to tests: `.erl` files are compiled with the installed `erlc`, `.beam` files are taken as they
//! are.

use super::arguments::{Options, USAGE};
use crate::beam;
use crate::code::{SearchPath, installed_otp};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiled modules, and where everything is found.
pub struct Sources {
    /// Where modules are found.
    pub path: SearchPath,
    /// The modules whose tests are wanted: name and file.
    modules: Vec<(String, PathBuf)>,
}

const INSTALL: &str = "Erlang is not installed: there is no erlc to compile .erl files with. Install it, for example with \
                       `apt-get install erlang-base erlang-dev erlang-eunit`, or give .beam files.";

fn is(file: &Path, extension: &str) -> bool {
    file.extension().is_some_and(|e| e == extension)
}

fn stem(file: &Path) -> String {
    file.file_stem().map_or(String::new(), |s| s.to_string_lossy().into_owned())
}

impl Sources {
    /// Compiles what has to be compiled.
    pub fn prepare(options: &Options) -> Result<Sources, String> {
        let mut directories = Vec::new();
        let mut modules = Vec::new();
        let sources: Vec<&PathBuf> = options.files.iter().filter(|f| is(f, "erl")).collect();
        if !sources.is_empty() {
            let target = directory()?;
            for source in &sources {
                compile(source, &target, &options.pa)?;
                modules.push((stem(source), target.join(format!("{}.beam", stem(source)))));
            }
            // Modules that stand beside them are often needed; whether they compile matters only if they are.
            for source in &sources {
                for sibling in siblings(source) {
                    if !target.join(format!("{}.beam", stem(&sibling))).exists() {
                        let _ = compile(&sibling, &target, &options.pa);
                    }
                }
            }
            directories.push(target);
        }
        for file in options.files.iter().filter(|f| !is(f, "erl")) {
            if !is(file, "beam") {
                return Err(format!("{} is neither an .erl nor a .beam file\n{USAGE}", file.display()));
            }
            if !file.is_file() {
                return Err(format!("there is no file {}", file.display()));
            }
            modules.push((stem(file), file.clone()));
            let dir = file.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
            if !directories.iter().any(|d| d == dir) {
                directories.push(dir.to_owned());
            }
        }
        directories.splice(0..0, options.pa.iter().cloned());
        if let Some(module) = &options.module
            && !modules.iter().any(|(name, _)| name == module)
        {
            let file = format!("{module}.beam");
            match directories.iter().map(|d| d.join(&file)).find(|f| f.is_file()) {
                Some(found) => modules.push((module.clone(), found)),
                None => return Err(format!("there is no {file} in the -pa directories")),
            }
        }
        directories.extend(installed_otp());
        Ok(Sources { path: SearchPath { directories, given: Vec::new() }, modules })
    }

    /// The tests that are asked for: module and function.
    pub fn tests(&self, options: &Options) -> Result<Vec<(String, String)>, String> {
        let mut tests = Vec::new();
        let wanted = |name: &str| options.module.as_deref().is_none_or(|m| m == name);
        for (name, file) in self.modules.iter().filter(|(name, _)| wanted(name)) {
            if let Some(test) = &options.test {
                tests.push((name.clone(), test.clone()));
                continue;
            }
            let bytes = std::fs::read(file).map_err(|e| format!("{}: {e}", file.display()))?;
            let found = tests_of(&bytes).map_err(|e| format!("{}: {e}", file.display()))?;
            tests.extend(found.into_iter().map(|test| (name.clone(), test)));
        }
        if tests.is_empty() {
            return Err(format!(
                "there are no tests: functions whose names end in _test or _test_ and that take no arguments; or \
                 name one with --test\n{USAGE}"
            ));
        }
        Ok(tests)
    }
}

/// The tests of a module: its exported functions `..._test/0` and `..._test_/0`.
pub fn tests_of(bytes: &[u8]) -> Result<Vec<String>, beam::Error> {
    let module = beam::load(bytes)?;
    let in_order = module.functions.iter().map(|f| f.mfa);
    let is_test = |name: &str| name.ends_with("_test") || name.ends_with("_test_");
    let tests = in_order.filter(|f| f.arity == 0 && module.exports.contains_key(&(f.function, 0)));
    Ok(tests.map(|f| f.function.text().to_owned()).filter(|name| is_test(name)).collect())
}

fn siblings(source: &Path) -> Vec<PathBuf> {
    let dir = source.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(entries) = std::fs::read_dir(dir) else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries.flatten().map(|e| e.path()).filter(|f| is(f, "erl")).collect();
    found.sort();
    found
}

/// A directory for compiled modules, of this process.
fn directory() -> Result<PathBuf, String> {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = format!("raddle-erl-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let dir = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    Ok(dir)
}

fn compile(source: &Path, target: &Path, pa: &[PathBuf]) -> Result<(), String> {
    if !source.is_file() {
        return Err(format!("there is no file {}", source.display()));
    }
    let mut erlc = Command::new("erlc");
    erlc.arg("-DTEST").arg("+debug_info").arg("-o").arg(target);
    if let Some(dir) = source.parent() {
        erlc.arg("-I").arg(dir.join("../include")).arg("-I").arg(dir);
    }
    for dir in pa {
        erlc.arg("-pa").arg(dir);
    }
    let output = erlc.arg(source).output().map_err(|_| INSTALL.to_owned())?;
    if output.status.success() {
        Ok(())
    } else {
        // As erlc prints it.
        let text = [output.stdout, output.stderr].concat();
        Err(String::from_utf8_lossy(&text).trim_end().to_owned())
    }
}

impl Drop for Sources {
    /// What was compiled for this run is not needed any more.
    fn drop(&mut self) {
        let prefix = format!("raddle-erl-{}-", std::process::id());
        for dir in &self.path.directories {
            let ours = dir.file_name().is_some_and(|n| n.to_string_lossy().starts_with(&prefix));
            if ours && dir.starts_with(std::env::temp_dir()) {
                let _ = std::fs::remove_dir_all(dir);
            }
        }
    }
}
