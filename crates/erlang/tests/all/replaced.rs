//! The compiled modules that replace OTP's own match the sources beside them.

use crate::common::*;
use raddle_erlang::beam::load;
use raddle_erlang::replaced;
use std::path::Path;
use std::process::Command;

#[test]
fn they_are_compiled_from_their_sources() {
    if !erlang_is_there() {
        return;
    }
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/replaced");
    let dir = directory("replaced");
    for (name, bytes) in replaced::ALL {
        let erlc = ["+deterministic", "+no_debug_info", "-o"];
        let source = sources.join(format!("{name}.erl"));
        let done = Command::new("erlc").args(erlc).arg(&dir).arg(&source).output().expect("erlc runs");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
        let fresh = std::fs::read(dir.join(format!("{name}.beam"))).expect("compiled");
        let (kept, new) = (load(bytes).expect("it loads"), load(&fresh).expect("it loads"));
        let functions =
            |m: &raddle_erlang::beam::Module| m.functions.iter().map(|f| f.mfa).collect::<Vec<_>>();
        assert_eq!(functions(&kept), functions(&new), "{name}");
        // The same compiler must produce the same file.
        if kept.compile_info == new.compile_info {
            assert!(fresh == *bytes, "{name}.beam is not what erlc makes of {name}.erl");
        }
    }
}
