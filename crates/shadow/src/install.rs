//! Builds the shim on first use and keeps it. If another process is building it, waits for that build.

use crate::compiler::Compiler;
use crate::keep::InUse;
use crate::{bundle, keep, sealed};
use raddle_terminal::store;
use serde::Deserialize;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// A shim that is ready for use.
#[derive(Clone, Debug)]
pub struct Shim {
    /// Where its libraries are.
    pub libraries: PathBuf,
    /// Changes whenever a library of it does: two builds of the same sources in different folders are not the same, and what is
    /// compiled for one does not fit the other.
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

/// The shim for this compiler, built if there is none yet, or if what is there was damaged. Slow stages are reported to `say`.
///
/// Sources and builds of one compiler are in one folder, so that another version of the shim compiles only what
/// differs; the result is copied from there to a folder that never changes again.
pub fn install(
    compiler: &Compiler,
    cargo: &OsString,
    arcs: Arcs,
    say: impl Fn(&str),
) -> Result<Shim, String> {
    install_in(cache()?, compiler, cargo, arcs, say)
}

fn install_in(
    home: PathBuf,
    compiler: &Compiler,
    cargo: &OsString,
    arcs: Arcs,
    say: impl Fn(&str),
) -> Result<Shim, String> {
    let fingerprint = bundle::fingerprint(&[&compiler.version, &format!("{arcs:?}")]);
    store::make_folder(&home)?;
    let generation = bundle::fingerprint(&[&compiler.version]);
    let in_use = InUse::begin(&home, &fingerprint);
    let libraries = home.join(&fingerprint);
    let shim = |fingerprint| Shim { libraries: libraries.clone(), fingerprint, generation, _in_use: in_use };
    if let Kept::Whole(fingerprint) = kept(&libraries)? {
        keep::prune(&home, SystemTime::now());
        return Ok(shim(fingerprint));
    }
    let workshop = home.join(compiler.name());
    let _workshop_in_use = InUse::begin(&home, &compiler.name());
    let failed = |what: &str, e: std::io::Error| format!("cannot {what} {}: {e}", workshop.display());
    store::make_folder(&workshop)?;
    let lock = store::lock_file(&workshop.join("lock")).map_err(|e| failed("make a lock in", e))?;
    lock.lock().map_err(|e| failed("lock", e))?;
    // Another process may have built it, or repaired it, in the meantime.
    match kept(&libraries)? {
        Kept::Whole(fingerprint) => return Ok(shim(fingerprint)),
        Kept::Missing => say("building the shim for this compiler, once"),
        Kept::Damaged(why) => {
            say(&format!("the shim in {} is damaged ({why}): building it again", libraries.display()));
            // What it was copied from may be damaged, too.
            delete(&libraries).and_then(|()| delete(&workshop.join("target")))?;
        }
    }
    bundle::unpack(&workshop).map_err(|e| failed("unpack the shim into", e))?;
    let made = build(&workshop, cargo, arcs)?;
    // Copied to another folder first, so that half a shim is never visible.
    let partial = libraries.with_extension("partial");
    delete(&partial)?;
    store::make_folder(&partial)?;
    let copied = copy(&made, &partial).map_err(|e| failed("copy the shim from", e));
    let sealed = copied.and_then(|()| sealed::seal(&partial)).and_then(|fingerprint| {
        fs::rename(&partial, &libraries).map_err(|e| failed("move the shim out of", e))?;
        Ok(fingerprint)
    });
    sealed.map(shim).inspect_err(|_| {
        // The disk may be full of it.
        let _ = delete(&partial);
    })
}

/// What is in the cache of one shim.
enum Kept {
    /// And its fingerprint.
    Whole(String),
    Missing,
    /// And why.
    Damaged(String),
}

fn kept(libraries: &Path) -> Result<Kept, String> {
    if !libraries.is_dir() {
        return Ok(Kept::Missing);
    }
    // It must be this user's.
    store::make_folder(libraries)?;
    Ok(match sealed::verify(libraries) {
        Ok(fingerprint) => Kept::Whole(fingerprint),
        Err(why) => Kept::Damaged(why),
    })
}

/// Deletes a folder with all that is in it. It need not be there.
fn delete(folder: &Path) -> Result<(), String> {
    match fs::remove_dir_all(folder) {
        Err(e) if e.kind() != ErrorKind::NotFound => {
            Err(format!("cannot delete the folder {}: {e}", folder.display()))
        }
        _ => Ok(()),
    }
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
    if let Some(named) = var("RADDLE_CACHE").or_else(|| var("XDG_CACHE_HOME").map(|home| home.join("raddle")))
    {
        return Ok(named);
    }
    match var("HOME") {
        Some(home) if home.is_dir() => Ok(home.join(".cache/raddle")),
        Some(home) => Err(format!(
            "there is no folder for the shim: HOME is {}, which is not there; set RADDLE_CACHE or HOME",
            home.display()
        )),
        None => Err("there is no folder for the shim: set RADDLE_CACHE or HOME".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::os::unix::fs::PermissionsExt;
    use store::Scratch;

    /// A cargo that makes two libraries and counts its calls.
    const CARGO: &str = r#"#!/bin/sh
echo built >> ../calls
mkdir -p target/release/deps
for name in shadow_std shadow_core; do
    test -f target/release/deps/lib$name-1.rlib || echo "library $name" > target/release/deps/lib$name-1.rlib
    echo "{\"filenames\":[\"$PWD/target/release/deps/lib$name-1.rlib\"]}"
done
"#;

    /// A shim in another cache folder, or one that was deleted and built again, may differ in nothing but its hashes. What was
    /// compiled for the one was linked with the other, and the compiler no longer found crates.
    #[test]
    fn another_build_of_the_same_shim_has_another_fingerprint() {
        let scratch = Scratch::new("fingerprint").unwrap();
        let write = |text: &str| fs::write(scratch.path().join("libshadow_test-1.rlib"), text).unwrap();
        let built = |text: &str| {
            write(text);
            sealed::seal(scratch.path()).unwrap()
        };
        let (one, another) = (built("one"), built("another"));
        assert_ne!(one, another);
        let Kept::Whole(kept) = kept(scratch.path()).unwrap() else { panic!("it is as it was built") };
        assert_eq!(kept, another);
        assert_eq!(built("one"), one);
    }

    #[test]
    fn a_damaged_shim_is_noticed_and_built_again() {
        let scratch = Scratch::new("install").unwrap();
        let home = scratch.path().join("cache");
        let cargo = scratch.path().join("cargo");
        fs::write(&cargo, CARGO).unwrap();
        fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).unwrap();
        let compiler = Compiler { version: "1".to_owned(), host: "x".to_owned() };
        let said = RefCell::new(Vec::new());
        let install = || {
            let say = |what: &str| said.borrow_mut().push(what.to_owned());
            install_in(home.clone(), &compiler, &cargo.clone().into(), Arcs::Real, say).unwrap()
        };
        let calls = || fs::read_to_string(home.join("calls")).unwrap().lines().count();
        let library = install().library("std").unwrap();
        assert_eq!(fs::metadata(&home).unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!((install().library("std").unwrap(), calls()), (library.clone(), 1));
        // Neither the result nor what it was copied from is believed any more.
        for path in [&library, &home.join(compiler.name()).join("target/release/deps/libshadow_std-1.rlib")] {
            fs::write(path, "forged").unwrap();
        }
        assert_eq!(fs::read_to_string(install().library("std").unwrap()).unwrap(), "library shadow_std\n");
        assert_eq!(calls(), 2);
        fs::remove_file(library.with_file_name("checksums")).unwrap();
        install();
        let others = scratch.path().join("others");
        fs::rename(&library, &others).unwrap();
        std::os::unix::fs::symlink(&others, &library).unwrap();
        install();
        assert!(fs::symlink_metadata(&library).unwrap().is_file() && others.exists());
        assert_eq!(calls(), 4);
        let said = said.borrow();
        assert_eq!(said[0], "building the shim for this compiler, once");
        for (said, why) in said[1..].iter().zip([
            "libshadow_std-1.rlib was changed",
            "cannot read the list of the shim's files",
            "libshadow_std-1.rlib is no file",
        ]) {
            assert!(said.contains(" is damaged (") && said.contains(why), "{said}");
        }
        assert_eq!(said.len(), 4);
    }

    #[test]
    fn what_cannot_be_copied_leaves_nothing_behind() {
        let scratch = Scratch::new("copied").unwrap();
        let home = scratch.path().join("cache");
        let cargo = scratch.path().join("cargo");
        // It names a library that is not there.
        let script = "#!/bin/sh\necho '{\"filenames\":[\"/no/such/deps/libshadow_std-1.rlib\"]}'\n";
        fs::write(&cargo, script).unwrap();
        fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).unwrap();
        let compiler = Compiler { version: "1".to_owned(), host: "x".to_owned() };
        let installed = install_in(home.clone(), &compiler, &cargo.into(), Arcs::Real, |_| {});
        let error = installed.map(|_| ()).unwrap_err();
        assert!(error.starts_with("cannot copy the shim from "), "{error}");
        let names = fs::read_dir(&home).unwrap().map(|entry| entry.unwrap().file_name());
        let folders: Vec<_> = names.filter(|name| home.join(name).is_dir()).collect();
        assert_eq!(folders, [OsString::from(compiler.name())], "only what it is built in");
    }
}
