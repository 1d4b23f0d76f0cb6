//! Packs the sources of the shim, so that the command can build it with whatever compiler its user has.

use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The crates under the facades. They are compiled on the real std.
const CRATES: [&str; 6] = ["core", "macros", "native", "raddle", "report", "shadow-json"];

fn main() {
    let here = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let root = here.join("../..").canonicalize().expect("the repository is two levels up");
    let mut files = Vec::new();
    for name in CRATES {
        collect(&root.join("crates").join(name).join("src"), &mut files);
        files.push(root.join("crates").join(name).join("Cargo.toml"));
    }
    // The documentation of the crate is part of its source.
    collect(&root.join("crates/raddle/guide"), &mut files);
    collect(&here.join("shim"), &mut files);
    files.push(root.join("Cargo.toml"));
    files.push(root.join("Cargo.lock"));
    files.sort();

    let mut code = String::from("pub static FILES: &[(&str, &str)] = &[\n");
    for file in &files {
        println!("cargo::rerun-if-changed={}", file.display());
        let name = file.strip_prefix(&root).expect("it was found there").to_str().expect("a plain name");
        writeln!(code, "    ({name:?}, include_str!({:?})),", file.to_str().expect("a plain path")).unwrap();
    }
    code.push_str("];\n");
    for folder in ["shim", "src"] {
        println!("cargo::rerun-if-changed={}", here.join(folder).display());
    }
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    std::fs::write(out.join("files.rs"), code).expect("the output directory can be written to");
}

/// All source files and manifests below a folder.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the repository has it") {
        let path = entry.expect("it can be listed").path();
        let wanted = path.extension().is_some_and(|e| e == "rs" || e == "toml" || e == "md");
        if path.is_dir() {
            collect(&path, files);
        } else if wanted {
            files.push(path);
        }
    }
}
