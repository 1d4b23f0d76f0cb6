//! From files to tests: `.erl` files are compiled with the installed `erlc`, `.beam` files are loaded as they
//! are.

use super::arguments::{Erl, ProgramArguments};
use super::project;
use raddle_erlang::beam;
use raddle_erlang::code::{SearchPath, installed_otp};
use raddle_erlang::replaced;
use raddle_terminal::output;
use raddle_terminal::store::Scratch;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// Compiled modules and the search path.
pub struct Sources {
    /// The search path.
    pub path: SearchPath,
    /// The modules whose tests are explored.
    modules: Vec<(String, Origin)>,
    /// Modules beside the named ones that do not compile, with the output of `erlc`.
    broken: Vec<(String, String)>,
    /// The folders of what was named, beside which sources may be.
    folders: Vec<PathBuf>,
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
    /// Compiles what has to be compiled.
    pub fn prepare(erl: &Erl) -> Result<Sources, String> {
        let found = match erl.files.is_empty() && erl.program.pa.is_empty() {
            true => project::find(Path::new("."))?,
            false => None,
        };
        let Some(project) = found else { return Sources::prepare_named(erl, None) };
        let mut whole = erl.clone();
        whole.program.pa = project.path;
        whole.files = project.sources;
        Sources::prepare_named(&whole, Some(&project.own))
    }

    /// The same for what is named. `own` are the directories whose modules are explored beside the named files.
    fn prepare_named(erl: &Erl, own: Option<&[PathBuf]>) -> Result<Sources, String> {
        let named: Vec<&PathBuf> = erl.files.iter().filter(|f| is(f, "erl")).collect();
        let (compiled, broken) = if named.is_empty() {
            Default::default()
        } else {
            compile_all(&named, &erl.program, own.is_some())?
        };
        let bytes_of = |name: &str| compiled.iter().find(|(n, _)| n == name).map(|(_, b)| b.clone());
        let mut modules: Vec<(String, Origin)> =
            named.iter().filter_map(|f| Some((stem(f), Origin::Compiled(bytes_of(&stem(f))?)))).collect();
        let mut directories = erl.program.pa.clone();
        for dir in &erl.program.pa {
            if !dir.is_dir() {
                return Err(format!("there is no directory {}", dir.display()));
            }
        }
        for file in erl.files.iter().filter(|f| !is(f, "erl")) {
            if file.is_dir() {
                let dir = file.display();
                return Err(format!(
                    "{dir} is a directory: say -pa {dir}, and --module if not all of its tests are wanted"
                ));
            }
            if !is(file, "beam") {
                return Err(format!("{} is neither an .erl nor a .beam file", file.display()));
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
        match &erl.program.module {
            Some(module) if !modules.iter().any(|(name, _)| name == module) => {
                let file = format!("{module}.beam");
                match directories.iter().map(|d| d.join(&file)).find(|f| f.is_file()) {
                    Some(found) => modules.push((module.clone(), Origin::File(found))),
                    None if erl.program.pa.is_empty() => {
                        return Err(format!("there is no {file}: say with -pa where it is"));
                    }
                    None => return Err(format!("there is no {file} in the -pa directories")),
                }
            }
            None if modules.is_empty() || own.is_some() => {
                let all = own.unwrap_or(&erl.program.pa);
                let found = all.iter().flat_map(|dir| files_in(dir, "beam"));
                modules.extend(found.map(|file| (stem(&file), Origin::File(file))));
            }
            _ => {}
        }
        let mut folders: Vec<PathBuf> = erl.files.iter().map(|file| folder(file).to_owned()).collect();
        folders.extend(erl.program.pa.iter().cloned());
        folders.dedup();
        directories.extend(libraries(std::env::var_os("ERL_LIBS").as_deref()));
        directories.extend(installed_otp());
        Ok(Sources { path: SearchPath { directories, given: compiled }, modules, broken, folders })
    }

    /// The folders of what was named.
    pub fn folders(&self) -> Vec<PathBuf> {
        self.folders.clone()
    }

    /// A hint for a module that is missing.
    pub fn about_missing(&self, module: &str) -> Option<String> {
        if let Some((_, said)) = self.broken.iter().find(|(name, _)| name == module) {
            return Some(format!("{module}.erl is there but does not compile:\n{said}"));
        }
        let file = format!("{module}.beam");
        let known = self.path.given.iter().any(|(name, _)| name == module)
            || self.path.directories.iter().any(|dir| dir.join(&file).is_file());
        if known || replaced::module(module).is_some() {
            return None;
        }
        if installed_otp().is_empty() {
            return Some(format!(
                "there is no module {module}, and Erlang is not installed: if it is one of OTP's, {HOW}"
            ));
        }
        Some(format!("there is no module {module}: if it is one of yours, say with -pa where it is"))
    }

    /// The tests that are asked for: module and function.
    pub fn tests(&self, erl: &Erl) -> Result<Vec<(String, String)>, String> {
        let mut tests = Vec::new();
        let wanted = |name: &str| erl.program.module.as_deref().is_none_or(|m| m == name);
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
            match &erl.program.test {
                Some(test) if found.contains(test) => tests.push((name.clone(), test.clone())),
                Some(_) => {}
                None => {
                    tests.extend(found.into_iter().filter(|f| is_test(f)).map(|test| (name.clone(), test)))
                }
            }
        }
        if let (true, Some(test)) = (tests.is_empty(), &erl.program.test) {
            let names: Vec<&str> =
                self.modules.iter().map(|(n, _)| n.as_str()).filter(|n| wanted(n)).collect();
            return Err(format!("there is no exported function {test}/0 in {}", names.join(", ")));
        }
        if tests.is_empty() {
            let none = "there are no tests: functions whose names end in _test or _test_ and that take no arguments; \
                        or name one with --test";
            return Err(none.to_owned());
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

/// The `ebin` directories of the applications in the directories of `ERL_LIBS`, and of these directories themselves.
fn libraries(value: Option<&OsStr>) -> Vec<PathBuf> {
    let Some(value) = value else { return Vec::new() };
    let mut found = Vec::new();
    for dir in std::env::split_paths(value) {
        let entries = std::fs::read_dir(&dir).into_iter().flatten().flatten();
        let mut inside: Vec<PathBuf> = entries.map(|entry| entry.path().join("ebin")).collect();
        inside.sort();
        found.push(dir.join("ebin"));
        found.extend(inside);
    }
    found.retain(|dir| dir.is_dir());
    found
}

/// Compiles the named files (what was found and not named may be broken), and those beside them whose names occur in the files compiled so far.
fn compile_all(named: &[&PathBuf], program: &ProgramArguments, found: bool) -> Result<Compiled, String> {
    let target = Scratch::new("erl")?;
    let mut compiled: Vec<(String, Arc<[u8]>)> = Vec::new();
    let mut broken = Vec::new();
    for source in named {
        match compile(source, target.path(), program) {
            Ok(bytes) => compiled.push((stem(source), bytes)),
            Err(said) if found => {
                output::error(format_args!("{} does not compile and is left out:\n{said}", source.display()));
                broken.push((stem(source), said));
            }
            Err(said) => return Err(said),
        }
    }
    let beside = |source: &&PathBuf| files_in(folder(source), "erl");
    let mut others: Vec<PathBuf> = named.iter().flat_map(beside).collect();
    let mut named_by: Vec<Vec<u8>> = Vec::new();
    loop {
        let is_done = |name: &str| compiled.iter().any(|(n, _)| n == name);
        named_by.extend(compiled[named_by.len()..].iter().map(|(_, bytes)| beam::encoded_names(bytes)));
        // An atom is plain text.
        let occurs =
            |name: &str| named_by.iter().any(|b| b.windows(name.len()).any(|w| w == name.as_bytes()));
        others.retain(|file| !is_done(&stem(file)));
        let Some(at) = others.iter().position(|file| occurs(&stem(file))) else { break };
        let source = others.remove(at);
        match compile(&source, target.path(), program) {
            Ok(bytes) => compiled.push((stem(&source), bytes)),
            // This matters only if it is called.
            Err(said) => broken.push((stem(&source), said)),
        }
    }
    Ok((compiled, broken))
}

/// The bytes of the compiled file.
fn compile(source: &Path, target: &Path, program: &ProgramArguments) -> Result<Arc<[u8]>, String> {
    if !source.is_file() {
        return Err(format!("there is no file {}", source.display()));
    }
    let mut erlc = Command::new("erlc");
    erlc.arg("-DTEST").arg("+debug_info").arg("-o").arg(target).arg("-pa").arg(target);
    erlc.arg("-I").arg(folder(source).join("../include")).arg("-I").arg(folder(source));
    for dir in &program.include {
        erlc.arg("-I").arg(dir);
    }
    for dir in &program.pa {
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
