//! The package or workspace that is tested: where it is and where it builds.

use crate::arguments::Place;
use serde::Deserialize;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A workspace, or a package that is its own.
#[derive(Debug, Deserialize)]
pub struct Workspace {
    /// Where its own builds go.
    pub target_directory: PathBuf,
    /// Its folder.
    pub workspace_root: PathBuf,
    pub packages: Vec<Package>,
}

#[derive(Debug, Deserialize)]
pub struct Package {
    pub name: String,
    targets: Vec<Target>,
}

#[derive(Debug, Deserialize)]
struct Target {
    name: String,
    doctest: bool,
}

/// The cargo that called this program, or the one on the path.
pub fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"))
}

/// The current folder.
pub fn current_folder() -> Result<PathBuf, String> {
    std::env::current_dir().map_err(|e| format!("there is no current folder: {e}"))
}

impl Workspace {
    /// The workspace that cargo would find from `folder`.
    pub fn find(folder: &Path, arguments: &Place) -> Result<Workspace, String> {
        let mut workspace = Workspace::ask(folder, arguments, &["--no-deps"])?;
        if let Some(target) = &arguments.target_dir {
            workspace.target_directory = std::path::absolute(target).unwrap_or(target.clone());
        }
        Ok(workspace)
    }

    fn ask(folder: &Path, arguments: &Place, more: &[&str]) -> Result<Workspace, String> {
        let mut command = Command::new(cargo());
        command.current_dir(folder).args(["metadata", "--format-version", "1"]).args(more);
        let flags = [
            ("--locked", arguments.locked),
            ("--offline", arguments.offline),
            ("--frozen", arguments.frozen),
        ];
        command.args(flags.iter().filter(|(_, given)| *given).map(|(flag, _)| flag));
        if let Some(path) = &arguments.manifest_path {
            command.arg("--manifest-path").arg(path);
        }
        let output = command.output().map_err(|e| format!("cannot run cargo: {e}"))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!(
                "cargo finds nothing to test: {}",
                said.trim().trim_start_matches("error: ")
            ));
        }
        serde_json::from_slice(&output.stdout)
            .map_err(|e| format!("cargo describes the workspace in a way that is not understood: {e}"))
    }

    /// Reports names that no crate of the program has: otherwise a typing error would go unnoticed.
    pub fn demand_crates(folder: &Path, arguments: &Place, names: &[String]) -> Result<(), String> {
        if names.is_empty() {
            return Ok(());
        }
        let everything = Workspace::ask(folder, arguments, &[])?;
        let same = |one: &str, other: &str| one.replace('-', "_") == other.replace('-', "_");
        let is_crate = |name: &str| {
            let of = |package: &Package| {
                same(&package.name, name) || package.targets.iter().any(|target| same(&target.name, name))
            };
            everything.packages.iter().any(of)
        };
        match names.iter().find(|name| !is_crate(name)) {
            None => Ok(()),
            Some(name) => Err(format!("--exclude {name}: the program has no crate of that name")),
        }
    }

    /// Whether there is any library whose documentation may be tested.
    pub fn has_doctests(&self) -> bool {
        self.packages.iter().flat_map(|package| &package.targets).any(|target| target.doctest)
    }

    /// Where everything of ours goes.
    pub fn our_folder(&self) -> PathBuf {
        self.target_directory.join("raddle")
    }
}
