//! From files to tests: `.erl` files are compiled with the installed `erlc`, `.beam` files are loaded as they
//! are.

use super::arguments::{Options, USAGE};
use crate::beam;
use crate::code::{SearchPath, installed_otp};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Compiled modules and the search path.
pub struct Sources {
    /// The search path.
    pub path: SearchPath,
    /// The modules whose tests are explored.
    modules: Vec<(String, Origin)>,
    /// Modules beside the named ones that do not compile, with the output of `erlc`.
    broken: Vec<(String, String)>,
}

/// Where a module's code is.
enum Origin {
    File(PathBuf),
    Compiled(Arc<[u8]>),
}

const HOW: &str = "install it, for example with `apt-get install erlang-base erlang-dev erlang-eunit`";

fn not_installed() -> String {
    format!(
        "Erlang is not installed: there is no erlc to compile .erl files with. Give .beam files of modules that need \
         nothing else, or {HOW}"
    )
}

fn is(file: &Path, extension: &str) -> bool {
    file.extension().is_some_and(|e| e == extension)
}

fn stem(file: &Path) -> String {
    file.file_stem().map_or(String::new(), |s| s.to_string_lossy().into_owned())
}

/// The directory of a file; `.` if only its name is given.
fn folder(file: &Path) -> &Path {
    file.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

impl Sources {
    /// Compiles the source files.
    pub fn prepare(options: &Options) -> Result<Sources, String> {
        let named: Vec<&PathBuf> = options.files.iter().filter(|f| is(f, "erl")).collect();
        let (compiled, broken) =
            if named.is_empty() { Default::default() } else { compile_all(&named, &options.pa)? };
        let bytes_of = |name: &str| compiled.iter().find(|(n, _)| n == name).map(|(_, b)| b.clone());
        let mut modules: Vec<(String, Origin)> =
            named.iter().filter_map(|f| Some((stem(f), Origin::Compiled(bytes_of(&stem(f))?)))).collect();
        let mut directories = options.pa.clone();
        for dir in &options.pa {
            if !dir.is_dir() {
                return Err(format!("there is no directory {}", dir.display()));
            }
        }
        for file in options.files.iter().filter(|f| !is(f, "erl")) {
            if file.is_dir() {
                let dir = file.display();
                return Err(format!(
                    "{dir} is a directory: say -pa {dir}, and --module if not all of its tests are wanted"
                ));
            }
            if !is(file, "beam") {
                return Err(format!("{} is neither an .erl nor a .beam file\n{USAGE}", file.display()));
            }
            if !file.is_file() {
                return Err(format!("there is no file {}", file.display()));
            }
            modules.push((stem(file), Origin::File(file.clone())));
            let dir = folder(file);
            if !directories.iter().any(|d| d == dir) {
                directories.push(dir.to_owned());
            }
        }
        match &options.module {
            Some(module) if !modules.iter().any(|(name, _)| name == module) => {
                let file = format!("{module}.beam");
                match directories.iter().map(|d| d.join(&file)).find(|f| f.is_file()) {
                    Some(found) => modules.push((module.clone(), Origin::File(found))),
                    None if options.pa.is_empty() => {
                        return Err(format!("there is no {file}: say with -pa where it is"));
                    }
                    None => return Err(format!("there is no {file} in the -pa directories")),
                }
            }
            None if modules.is_empty() => {
                let found = options.pa.iter().flat_map(|dir| files_in(dir, "beam"));
                modules.extend(found.map(|file| (stem(&file), Origin::File(file))));
            }
            _ => {}
        }
        directories.extend(installed_otp());
        Ok(Sources { path: SearchPath { directories, given: compiled }, modules, broken })
    }

    /// A hint for a module that is missing.
    pub fn about_missing(&self, module: &str) -> Option<String> {
        if let Some((_, said)) = self.broken.iter().find(|(name, _)| name == module) {
            return Some(format!("{module}.erl is there but does not compile:\n{said}"));
        }
        let file = format!("{module}.beam");
        let known = self.path.given.iter().any(|(name, _)| name == module)
            || self.path.directories.iter().any(|dir| dir.join(&file).is_file());
        if known || crate::replaced::module(module).is_some() {
            return None;
        }
        if installed_otp().is_empty() {
            return Some(format!(
                "there is no module {module}, and Erlang is not installed: if it is one of OTP's, {HOW}"
            ));
        }
        Some(format!("there is no module {module}: if it is one of yours, say with -pa where it is"))
    }

    /// The selected tests: module and function.
    pub fn tests(&self, options: &Options) -> Result<Vec<(String, String)>, String> {
        let mut tests = Vec::new();
        let wanted = |name: &str| options.module.as_deref().is_none_or(|m| m == name);
        for (name, origin) in self.modules.iter().filter(|(name, _)| wanted(name)) {
            let (shown, bytes) = match origin {
                Origin::Compiled(bytes) => (name.clone(), bytes.to_vec()),
                Origin::File(file) => {
                    let shown = file.display().to_string();
                    let bytes = std::fs::read(file).map_err(|e| format!("{shown}: {e}"))?;
                    (shown, bytes)
                }
            };
            let found = functions_of(&bytes).map_err(|e| format!("{shown}: {e}"))?;
            match &options.test {
                Some(test) if found.contains(test) => tests.push((name.clone(), test.clone())),
                Some(_) => {}
                None => {
                    tests.extend(found.into_iter().filter(|f| is_test(f)).map(|test| (name.clone(), test)))
                }
            }
        }
        if let (true, Some(test)) = (tests.is_empty(), &options.test) {
            let names: Vec<&str> =
                self.modules.iter().map(|(n, _)| n.as_str()).filter(|n| wanted(n)).collect();
            return Err(format!("there is no exported function {test}/0 in {}", names.join(", ")));
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

/// The exported functions of arity 0, in source order.
fn functions_of(bytes: &[u8]) -> Result<Vec<String>, beam::Error> {
    let module = beam::load(bytes)?;
    let in_order = module.functions.iter().map(|f| f.mfa);
    let callable = in_order.filter(|f| f.arity == 0 && module.exports.contains_key(&(f.function, 0)));
    Ok(callable.map(|f| f.function.text().to_owned()).collect())
}

fn is_test(function: &str) -> bool {
    function.ends_with("_test") || function.ends_with("_test_")
}

fn files_in(dir: &Path, extension: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(dir) else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries.flatten().map(|e| e.path()).filter(|f| is(f, extension)).collect();
    found.sort();
    found
}

/// Compiled modules by name, and the names of those that do not compile, with the output of `erlc`.
type Compiled = (Vec<(String, Arc<[u8]>)>, Vec<(String, String)>);

/// Compiles the named files, and those beside them whose names occur in the files compiled so far.
fn compile_all(named: &[&PathBuf], pa: &[PathBuf]) -> Result<Compiled, String> {
    let target = Scratch::new()?;
    let mut compiled: Vec<(String, Arc<[u8]>)> = Vec::new();
    let mut broken = Vec::new();
    for source in named {
        compiled.push((stem(source), compile(source, &target.0, pa)?));
    }
    let beside = |source: &&PathBuf| files_in(folder(source), "erl");
    let mut others: Vec<PathBuf> = named.iter().flat_map(beside).collect();
    loop {
        let is_done = |name: &str| compiled.iter().any(|(n, _)| n == name);
        // The atoms of a module are plain text in its file.
        let occurs =
            |name: &str| compiled.iter().any(|(_, b)| b.windows(name.len()).any(|w| w == name.as_bytes()));
        others.retain(|file| !is_done(&stem(file)));
        let Some(at) = others.iter().position(|file| occurs(&stem(file))) else { break };
        let source = others.remove(at);
        match compile(&source, &target.0, pa) {
            Ok(bytes) => compiled.push((stem(&source), bytes)),
            // This matters only if it is called.
            Err(said) => broken.push((stem(&source), said)),
        }
    }
    Ok((compiled, broken))
}

/// A temporary directory, removed when it is dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Scratch, String> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("raddle-erl-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let dir = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
        Ok(Scratch(dir))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A failure to remove it is harmless.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The bytes of the compiled file.
fn compile(source: &Path, target: &Path, pa: &[PathBuf]) -> Result<Arc<[u8]>, String> {
    if !source.is_file() {
        return Err(format!("there is no file {}", source.display()));
    }
    let mut erlc = Command::new("erlc");
    erlc.arg("-DTEST").arg("+debug_info").arg("-o").arg(target).arg("-pa").arg(target);
    erlc.arg("-I").arg(folder(source).join("../include")).arg("-I").arg(folder(source));
    for dir in pa {
        erlc.arg("-pa").arg(dir);
    }
    let output = erlc.arg(source).output().map_err(|_| not_installed())?;
    if output.status.success() {
        let file = target.join(format!("{}.beam", stem(source)));
        return std::fs::read(&file).map(Arc::from).map_err(|e| format!("{}: {e}", file.display()));
    }
    // The output as `erlc` prints it.
    let text = [output.stdout, output.stderr].concat();
    Err(String::from_utf8_lossy(&text).trim_end().to_owned())
}
