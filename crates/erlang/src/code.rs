//! Resolves functions as `erl` does: natives first, then replaced modules, then `-pa` directories, then the
//! installed OTP. A module is loaded at its first use; every module that can be found counts as loaded.
//! Loaded code is not part of a program's state.

use crate::beam::{self, Instr, Mfa, Module};
use crate::native::{self, Native};
use crate::refused;
use crate::run::Raise;
use crate::term::Atom;
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

/// What a function name resolves to.
#[derive(Clone, Copy)]
pub enum Target {
    /// A native.
    Native(&'static Native),
    /// Bytecode: module number and instruction.
    Code(u32, u32),
    /// A NIF stub of OTP without a native in place of its C code, or a function that is refused.
    Stub,
    /// There is no such function.
    Missing,
}

/// Where modules are searched. Shared by all workers of a search.
#[derive(Clone, Debug, Default)]
pub struct SearchPath {
    /// Directories with `.beam` files, first one first.
    pub directories: Vec<PathBuf>,
    /// Modules given in memory: name and bytes.
    pub given: Vec<(String, Arc<[u8]>)>,
}

/// The `lib/*/ebin` directories of the installed OTP; none if there is none.
pub fn installed_otp() -> Vec<PathBuf> {
    let root =
        std::env::var_os("RADDLE_ERLANG_ROOT").map(PathBuf::from).or_else(|| {
            let paths = std::env::var_os("PATH")?;
            let erl = std::env::split_paths(&paths).map(|dir| dir.join("erl")).find(|erl| erl.is_file())?;
            // `erl` is bin/erl of the root, often through links.
            let erl = erl.canonicalize().ok()?;
            erl.ancestors()
                .find(|dir| dir.join("lib").join("erlang").is_dir() || has_stdlib(&dir.join("lib")))
                .map(|dir| {
                    if has_stdlib(&dir.join("lib")) { dir.to_owned() } else { dir.join("lib").join("erlang") }
                })
        });
    let Some(root) = root else { return Vec::new() };
    let Ok(entries) = std::fs::read_dir(root.join("lib")) else { return Vec::new() };
    let mut found: Vec<PathBuf> =
        entries.flatten().map(|e| e.path().join("ebin")).filter(|ebin| ebin.is_dir()).collect();
    found.sort();
    found
}

fn has_stdlib(lib: &Path) -> bool {
    std::fs::read_dir(lib).is_ok_and(|entries| {
        entries.flatten().any(|e| e.file_name().to_string_lossy().starts_with("stdlib-"))
    })
}

/// Calls of OTP's modules to servers of the system that go to a function here instead: the module, the functions it
/// calls, and the module that has them.
const REDIRECTED: &[(&str, Mfas, &str)] = &[
    ("file", &[("gen_server", "call", 3)], "raddle_file"),
    ("logger_server", &[("gen_server", "call", 3)], "raddle_logger"),
    ("logger", &[("ets", "whereis", 1)], "raddle_logger"),
    ("logger_formatter", &[("application", "get_env", 2), ("application", "get_env", 3)], "raddle_logger"),
    ("error_logger", &[("application", "get_env", 2), ("application", "get_env", 3)], "raddle_logger"),
    ("proc_lib", &[("erlang", "process_info", 2)], "raddle_logger"),
];
type Mfas = &'static [(&'static str, &'static str, u32)];

fn redirect(module: &mut Module) {
    for (_, calls, to) in REDIRECTED.iter().filter(|(name, ..)| *name == module.name.text()) {
        for import in &mut module.imports {
            let Mfa { module: of, function, arity } = import.mfa;
            if calls.contains(&(of.text(), function.text(), arity)) {
                import.mfa.module = Atom::new(to);
            }
        }
    }
}

/// Whether a function only raises `nif_error`.
fn is_stub(module: &Module, pc: u32) -> bool {
    let first =
        module.code[pc as usize..].iter().find(|i| !matches!(i, Instr::Move(..) | Instr::Allocate(_)));
    match first {
        Some(Instr::CallExt(n) | Instr::CallExtLast(n, _) | Instr::CallExtOnly(n)) => {
            let called = module.imports[*n as usize].mfa;
            called.module.text() == "erlang" && called.function.text() == "nif_error"
        }
        _ => false,
    }
}

/// All code of one world.
pub struct Code {
    path: SearchPath,
    modules: RefCell<Vec<Rc<Module>>>,
    by_name: RefCell<HashMap<Atom, Option<u32>>>,
    natives: HashMap<Mfa, &'static Native>,
    /// Files that were found and could not be loaded, by module.
    errors: RefCell<HashMap<Atom, String>>,
    release: OnceCell<Option<u32>>,
    /// Whether modules are the program's.
    own: RefCell<HashMap<Atom, bool>>,
    /// The modules that programs have loaded from binaries.
    loaded: RefCell<HashMap<Vec<u8>, u32>>,
}

impl Code {
    /// An empty code table with this search path.
    pub fn new(path: SearchPath) -> Code {
        Code {
            path,
            // Module 0 holds the start instruction of every process.
            modules: RefCell::new(vec![Rc::new(crate::world::start_module())]),
            by_name: RefCell::default(),
            natives: native::all().map(|n| (n.mfa(), n)).collect(),
            errors: RefCell::default(),
            release: OnceCell::new(),
            own: RefCell::default(),
            loaded: RefCell::default(),
        }
    }
    /// A module by number.
    #[inline]
    pub fn module(&self, number: u32) -> Rc<Module> {
        self.modules.borrow()[number as usize].clone()
    }
    /// The number of a module; loads it if necessary.
    pub fn find(&self, name: Atom) -> Option<u32> {
        if let Some(known) = self.by_name.borrow().get(&name) {
            return *known;
        }
        let number = self.read(name).and_then(|bytes| match beam::load(&bytes) {
            Ok(module) if module.name == name && module.has_on_load && self.is_own(name) => {
                let why = format!("{name} is not supported: its on_load function would have to be called");
                self.errors.borrow_mut().insert(name, why);
                None
            }
            Ok(mut module) if module.name == name => {
                if !self.is_own(name) {
                    redirect(&mut module);
                }
                let mut modules = self.modules.borrow_mut();
                modules.push(Rc::new(module));
                Some(modules.len() as u32 - 1)
            }
            Ok(module) => {
                let holds = format!("{name}.beam holds the module {}", module.name);
                self.errors.borrow_mut().insert(name, holds);
                None
            }
            Err(e) => {
                self.errors.borrow_mut().insert(name, format!("{name}.beam: {e}"));
                None
            }
        });
        self.by_name.borrow_mut().insert(name, number);
        number
    }
    /// The bytes of a module's file.
    pub fn read(&self, name: Atom) -> Option<Vec<u8>> {
        if let Some(bytes) = crate::replaced::module(name.text()) {
            return Some(bytes.to_vec());
        }
        if let Some((_, bytes)) = self.path.given.iter().find(|(n, _)| n == name.text()) {
            return Some(bytes.to_vec());
        }
        self.file(name).and_then(|file| std::fs::read(file).ok())
    }
    /// The name of a module's file, as `code:which/1` shows it. A module that was given in memory is as in the current
    /// directory.
    pub fn file_name(&self, name: Atom) -> Option<String> {
        let is_given = self.path.given.iter().any(|(given, _)| given == name.text());
        match is_given {
            true => Some(format!("{}.beam", name.text())),
            false => self.file(name).map(|file| file.to_string_lossy().into_owned()),
        }
    }
    /// The bytes of a module's file, as OTP or the program has it.
    pub fn object_code(&self, name: Atom) -> Option<Vec<u8>> {
        let given = self.path.given.iter().find(|(given, _)| given == name.text());
        match given {
            Some((_, bytes)) => Some(bytes.to_vec()),
            None => self.file(name).and_then(|file| std::fs::read(file).ok()),
        }
    }
    /// The file of a module.
    pub fn file(&self, name: Atom) -> Option<PathBuf> {
        if name.text().contains(['/', '\0']) {
            return None;
        }
        let file = format!("{}.beam", name.text());
        self.path.directories.iter().map(|dir| dir.join(&file)).find(|f| f.is_file())
    }
    /// Whether a module is the program's, and not one of OTP.
    pub fn is_own(&self, name: Atom) -> bool {
        if let Some(known) = self.own.borrow().get(&name) {
            return *known;
        }
        let is_own = self.is_not_of_otp(name);
        self.own.borrow_mut().insert(name, is_own);
        is_own
    }
    fn is_not_of_otp(&self, name: Atom) -> bool {
        let otp = self.stdlib().and_then(|dir| dir.ancestors().nth(2));
        self.path.given.iter().any(|(given, _)| given == name.text())
            || self.file(name).is_some_and(|file| otp.is_none_or(|otp| !file.starts_with(otp)))
    }
    /// The `ebin` directory of OTP's standard library.
    fn stdlib(&self) -> Option<&PathBuf> {
        self.path.directories.iter().find(|dir| {
            let app = dir.parent().and_then(Path::file_name);
            app.is_some_and(|name| name.to_string_lossy().starts_with("stdlib-"))
        })
    }
    /// The directories that are searched.
    pub fn directories(&self) -> &[PathBuf] {
        &self.path.directories
    }
    /// The release of the OTP whose files are used, such as 25; none if it is not known.
    pub fn release(&self) -> Option<u32> {
        *self.release.get_or_init(|| {
            let root = self.stdlib()?.ancestors().nth(3)?;
            let releases = std::fs::read_dir(root.join("releases")).ok()?.flatten();
            releases.filter_map(|entry| entry.file_name().to_string_lossy().parse().ok()).max()
        })
    }
    /// Resolves a function name.
    pub fn resolve(&self, mfa: Mfa) -> Target {
        if let Some(native) = self.natives.get(&mfa) {
            return Target::Native(native);
        }
        if refused::needs(mfa.module.text(), mfa.function.text()).is_some() && !self.is_own(mfa.module) {
            return Target::Stub;
        }
        let Some(number) = self.find(mfa.module) else { return Target::Missing };
        let module = self.module(number);
        match module.exports.get(&(mfa.function, mfa.arity)) {
            Some(pc) if is_stub(&module, *pc) => Target::Stub,
            Some(pc) => Target::Code(number, *pc),
            None => Target::Missing,
        }
    }
    /// Resolves a function in one version of its module.
    pub fn resolve_in(&self, number: u32, mfa: Mfa) -> Target {
        let module = self.module(number);
        match module.exports.get(&(mfa.function, mfa.arity)) {
            Some(pc) => Target::Code(number, *pc),
            None => Target::Missing,
        }
    }
    /// The number of a module that a program loads from a binary; none if it holds no such module.
    pub fn load_bytes(&self, name: Atom, bytes: Vec<u8>) -> Result<Option<u32>, Raise> {
        if let Some(number) = self.loaded.borrow().get(&bytes) {
            return Ok(Some(*number).filter(|number| self.module(*number).name == name));
        }
        let Ok(module) = beam::load(&bytes) else { return Ok(None) };
        if module.name != name {
            return Ok(None);
        }
        if module.has_on_load {
            let what =
                format!("loading {name} is not supported: its on_load function would have to be called");
            return Err(Raise::unsupported(what));
        }
        let mut modules = self.modules.borrow_mut();
        modules.push(Rc::new(module));
        let number = modules.len() as u32 - 1;
        self.loaded.borrow_mut().insert(bytes, number);
        Ok(Some(number))
    }
    /// Whether a module is one of OTP's that cannot be replaced in a running node.
    pub fn is_sticky(&self, name: Atom) -> bool {
        const STICKY: [&str; 3] = ["kernel-", "stdlib-", "compiler-"];
        let file = self.file(name);
        let app = file.as_deref().and_then(|file| file.ancestors().nth(2)).and_then(Path::file_name);
        app.is_some_and(|app| STICKY.iter().any(|sticky| app.to_string_lossy().starts_with(sticky)))
    }
    /// A name of a version of a module that does not depend on what was loaded before.
    pub fn hash_of(&self, number: u32) -> u64 {
        let module = self.module(number);
        let half = u64::from_le_bytes(module.md5[..8].try_into().expect("eight bytes"));
        module.name.hash64() ^ half
    }
    /// Whether a native has this name.
    pub fn is_native(&self, mfa: Mfa) -> bool {
        self.natives.contains_key(&mfa)
    }
    /// Why the file of a module, which was found, could not be loaded.
    pub fn load_error(&self, module: Atom) -> Option<String> {
        self.errors.borrow().get(&module).cloned()
    }
}
