//! Builds the shim on first use and keeps it. If another process is building it, waits for that build.

use crate::compiler::Compiler;
use crate::keep::InUse;
use crate::{bundle, keep};
use serde::Deserialize;
use std::ffi::OsString;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// A shim that is ready for use.
#[derive(Clone, Debug)]
pub struct Shim {
    /// Where its libraries are.
    pub libraries: PathBuf,
    /// Changes whenever what it would build changes.
    pub fingerprint: String,
    /// Changes with the compiler and with the version of raddle.
    pub generation: String,
    /// It is not deleted while it is in use.
    _in_use: Option<InUse>,
}

/// Whether reference counts are operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arcs {
    /// `Arc` is the real one.
    Real,
    /// They are.
    Tracked,
}

/// The crates that programs get, by their names there.
const FACADES: [(&str, &str); 5] = [
    ("std", "shadow_std"),
    ("core", "shadow_core"),
    ("alloc", "shadow_alloc"),
    ("test", "shadow_test"),
    ("raddle", "raddle"),
];

impl Shim {
    /// The shim whose libraries are here.
    pub fn at(libraries: PathBuf) -> Shim {
        Shim { libraries, fingerprint: String::new(), generation: String::new(), _in_use: None }
    }

    /// The library of this name.
    pub fn library(&self, name: &str) -> Result<PathBuf, String> {
        let (_, file) = FACADES
            .iter()
            .find(|(n, _)| *n == name)
            .ok_or_else(|| format!("there is no facade for {name}"))?;
        let begin = format!("lib{file}-");
        let listed = fs::read_dir(&self.libraries)
            .map_err(|e| format!("cannot look for the shim in {}: {e}", self.libraries.display()))?;
        let fits = |path: &PathBuf| {
            let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
            name.starts_with(&begin) && name.ends_with(".rlib")
        };
        let found = listed.flatten().map(|entry| entry.path()).find(fits);
        found.ok_or_else(|| {
            let folder = self.libraries.display();
            format!(
                "the shim in {folder} is not complete: {file} is missing; delete that folder and try again"
            )
        })
    }
}

/// The shim for this compiler, built if there is none yet. Slow stages are reported to `say`.
///
/// Sources and builds of one compiler are in one folder, so that another version of the shim compiles only what
/// differs; the result is copied from there to a folder that never changes again.
pub fn install(
    compiler: &Compiler,
    cargo: &OsString,
    arcs: Arcs,
    say: impl FnOnce(&str),
) -> Result<Shim, String> {
    let fingerprint = bundle::fingerprint(&[&compiler.version, &format!("{arcs:?}")]);
    let home = cache()?;
    fs::create_dir_all(&home).map_err(|e| format!("cannot make the folder {}: {e}", home.display()))?;
    let generation = bundle::fingerprint(&[&compiler.version]);
    let in_use = InUse::begin(&home, &fingerprint);
    let shim = Shim { libraries: home.join(&fingerprint), fingerprint, generation, _in_use: in_use };
    if shim.libraries.is_dir() {
        keep::prune(&home, SystemTime::now());
        return Ok(shim);
    }
    let workshop = home.join(compiler.name());
    let _workshop_in_use = InUse::begin(&home, &compiler.name());
    let failed = |what: &str, e: std::io::Error| format!("cannot {what} {}: {e}", workshop.display());
    fs::create_dir_all(&workshop).map_err(|e| failed("make the folder", e))?;
    let lock = File::create(workshop.join("lock")).map_err(|e| failed("write to", e))?;
    lock.lock().map_err(|e| failed("lock", e))?;
    if shim.libraries.is_dir() {
        return Ok(shim);
    }
    say("building the shim for this compiler, once");
    bundle::unpack(&workshop).map_err(|e| failed("unpack the shim into", e))?;
    let made = build(&workshop, cargo, arcs)?;
    // Copied to another folder first, so that half a shim is never visible.
    let partial = shim.libraries.with_extension("partial");
    let copied = fs::create_dir_all(&partial).and_then(|()| copy(&made, &partial));
    copied
        .and_then(|()| fs::rename(&partial, &shim.libraries))
        .map_err(|e| failed("copy the shim from", e))?;
    Ok(shim)
}

/// The message of cargo about an artifact.
#[derive(Deserialize)]
struct Artifact {
    filenames: Vec<PathBuf>,
}

/// Builds the workspace in `workshop`, and returns the libraries.
fn build(workshop: &Path, cargo: &OsString, arcs: Arcs) -> Result<Vec<PathBuf>, String> {
    let mut command = Command::new(cargo);
    command.current_dir(workshop).args([
        "build",
        "--release",
        "--lib",
        "--message-format",
        "json-render-diagnostics",
    ]);
    for (_, package) in FACADES {
        command.args(["-p", package]);
    }
    if arcs == Arcs::Tracked {
        command.args(["--features", "shadow_alloc/track-arc,shadow_std/track-arc"]);
    }
    command.env("CARGO_TARGET_DIR", workshop.join("target"));
    command.env("CARGO_PROFILE_RELEASE_DEBUG", "0");
    // A crate that the program uses, too, compiled on another std, must not be taken for the same.
    // And our own files are known by their names: no report shows them.
    let flags = "-C metadata=raddle-shim --cap-lints allow --remap-path-prefix crates=/raddle/crates";
    command.env("RUSTFLAGS", flags);
    // The real test crate can be named, and an `Arc` can be made, only by the compiler's own crates and those named here.
    command.env("RUSTC_BOOTSTRAP", "shadow_test,shadow_alloc");
    for name in ["RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET"]
    {
        command.env_remove(name);
    }
    let output = command.output().map_err(|e| format!("cannot run {}: {e}", cargo.display()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("the shim does not compile with this compiler:\n{}", said.trim_end()));
    }
    let said = String::from_utf8_lossy(&output.stdout);
    let made = said.lines().filter_map(|line| serde_json::from_str::<Artifact>(line).ok());
    let library = |path: &PathBuf| path.extension().is_some_and(|e| e == "rlib" || e == "so" || e == "dylib");
    Ok(made.flat_map(|artifact| artifact.filenames).filter(library).collect())
}

/// Copies libraries under the names that the compiler looks for. Cargo shows some of them under a shorter one.
fn copy(made: &[PathBuf], to: &Path) -> std::io::Result<()> {
    for path in made {
        let folder = path.parent().unwrap_or(Path::new("."));
        let full = match folder.ends_with("deps") {
            true => path.clone(),
            false => full_name(path, &folder.join("deps"))?,
        };
        fs::copy(&full, to.join(full.file_name().expect("it is a file")))?;
    }
    Ok(())
}

/// The other name of the same file.
fn full_name(path: &Path, deps: &Path) -> std::io::Result<PathBuf> {
    let wanted = fs::metadata(path)?;
    for entry in fs::read_dir(deps)? {
        let entry = entry?;
        if entry.metadata()?.ino() == wanted.ino() {
            return Ok(entry.path());
        }
    }
    Err(std::io::Error::other(format!("{} has no other name", path.display())))
}

/// The folder of the shims: `RADDLE_CACHE`, or the cache folder of the user.
fn cache() -> Result<PathBuf, String> {
    let var = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let folder = var("RADDLE_CACHE")
        .or_else(|| var("XDG_CACHE_HOME").map(|home| home.join("raddle")))
        .or_else(|| var("HOME").map(|home| home.join(".cache/raddle")));
    folder.ok_or_else(|| "there is no folder for the shim: set RADDLE_CACHE or HOME".to_owned())
}
