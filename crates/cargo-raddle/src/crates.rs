//! The package or workspace that is tested: where it is and where it builds.

use crate::arguments::Cargo;
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
    packages: Vec<Package>,
}

#[derive(Debug, Deserialize)]
struct Package {
    targets: Vec<Target>,
}

#[derive(Debug, Deserialize)]
struct Target {
    doctest: bool,
}

/// The cargo that called this program, or the one on the path.
pub fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"))
}

impl Workspace {
    /// The workspace that cargo would find from `folder`.
    pub fn find(folder: &Path, arguments: &Cargo) -> Result<Workspace, String> {
        let mut command = Command::new(cargo());
        command.current_dir(folder).args(["metadata", "--no-deps", "--format-version", "1"]);
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
        let mut workspace: Workspace = serde_json::from_slice(&output.stdout)
            .map_err(|e| format!("cargo describes the workspace in a way that is not understood: {e}"))?;
        if let Some(target) = &arguments.target_dir {
            workspace.target_directory = std::path::absolute(target).unwrap_or(target.clone());
        }
        Ok(workspace)
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
