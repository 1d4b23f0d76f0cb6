//! Packs the sources of the shim, so that the command can build it with whatever compiler its user has.
//!
//! `bundle` holds links to the crates under the facades, so that a published package holds copies of them. Manifests are
//! named `manifest.toml` there: cargo leaves out of a package whatever is a package of its own.

use std::fmt::Write;
use std::path::{Path, PathBuf};

fn main() {
    let here = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let mut files = Vec::new();
    for folder in ["bundle", "shim"] {
        println!("cargo::rerun-if-changed={}", here.join(folder).display());
        collect(&here.join(folder), &mut files);
    }
    files.sort();
    let mut code = String::from("pub static FILES: &[(&str, &str)] = &[\n");
    for file in &files {
        println!("cargo::rerun-if-changed={}", file.display());
        let name = unpacked_name(file.strip_prefix(&here).expect("it was found there"));
        writeln!(code, "    ({name:?}, include_str!({:?})),", file.to_str().expect("a plain path")).unwrap();
    }
    code.push_str("];\n");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    std::fs::write(out.join("files.rs"), code).expect("the output directory can be written to");
}

/// The path of a file in the workspace that is built on first use.
fn unpacked_name(packed: &Path) -> String {
    let name = packed.to_str().expect("a plain name").replace("manifest.toml", "Cargo.toml");
    match name.strip_prefix("bundle/") {
        Some("workspace.toml") => "Cargo.toml".to_owned(),
        Some("workspace.lock") => "Cargo.lock".to_owned(),
        Some(of_a_crate) => format!("crates/{of_a_crate}"),
        None => format!("crates/shadow/{name}"),
    }
}

/// All source files and manifests below a folder.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the package has it") {
        let path = entry.expect("it can be listed").path();
        let wanted = path.extension().is_some_and(|e| e == "rs" || e == "toml" || e == "md" || e == "lock");
        if path.is_dir() {
            collect(&path, files);
        } else if wanted {
            files.push(path);
        }
    }
}
