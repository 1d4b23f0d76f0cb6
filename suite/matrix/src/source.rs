//! Fetches the source of a crate from the registry, as it was published.

use crate::catalogue::Entry;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The directory of a crate's source below `home`, fetched if it is missing.
pub fn fetch(entry: &Entry, home: &Path) -> Result<PathBuf, String> {
    let folder = home.join(format!("{}-{}", entry.name, entry.version));
    if folder.join("Cargo.toml").is_file() {
        return Ok(folder);
    }
    let asking = home.join("asking").join(entry.name);
    let vendor = asking.join("vendor");
    let failed = |e: std::io::Error| format!("cannot write to {}: {e}", asking.display());
    std::fs::create_dir_all(asking.join("src")).map_err(failed)?;
    std::fs::write(asking.join("src/lib.rs"), "").map_err(failed)?;
    let manifest = format!(
        "[package]\nname = \"asking\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[workspace]\n[dependencies]\n{} = \"={}\"\n",
        entry.name, entry.version
    );
    std::fs::write(asking.join("Cargo.toml"), manifest).map_err(failed)?;
    let output = Command::new("cargo")
        .args(["vendor", "--versioned-dirs", "vendor"])
        .current_dir(&asking)
        .output()
        .map_err(|e| format!("cannot run cargo: {e}"))?;
    if !output.status.success() {
        return Err(format!("cargo vendor: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    let from = vendor.join(format!("{}-{}", entry.name, entry.version));
    // A vendored crate with checksums must not get a target directory.
    std::fs::remove_file(from.join(".cargo-checksum.json")).map_err(failed)?;
    std::fs::rename(&from, &folder).map_err(failed)?;
    std::fs::remove_dir_all(&asking).map_err(failed)?;
    Ok(folder)
}
