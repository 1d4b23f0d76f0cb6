//! The user's compiler: which one it is, and for which machine it compiles by itself.

use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::process::Command;

/// A compiler.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// All that it says about its version.
    pub version: String,
    /// The host platform.
    pub host: String,
}

impl Compiler {
    /// A name for folders.
    pub(crate) fn name(&self) -> String {
        let mut hasher = DefaultHasher::new();
        self.version.hash(&mut hasher);
        format!("compiler-{:016x}", hasher.finish())
    }

    /// The compiler that cargo would use in `folder`.
    pub fn find(folder: &Path) -> Result<Compiler, String> {
        let program = std::env::var_os("RUSTC").unwrap_or_else(|| OsString::from("rustc"));
        let output = Command::new(&program).arg("-vV").current_dir(folder).output();
        let output = output.map_err(|e| format!("cannot run {}: {e}", program.display()))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("{} -vV failed: {}", program.display(), said.trim()));
        }
        let version = String::from_utf8_lossy(&output.stdout).into_owned();
        let host = version.lines().find_map(|line| line.strip_prefix("host: ")).map(str::to_owned);
        let host = host.ok_or_else(|| format!("{} -vV does not name its host", program.display()))?;
        Ok(Compiler { version, host })
    }
}
