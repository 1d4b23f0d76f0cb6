//! Corrupt and truncated files give an error, never a panic.

use crate::common::*;
use proptest::prelude::*;
use raddle_erlang::beam::load;
use raddle_erlang::code::installed_otp;
use raddle_erlang::replaced;

#[test]
fn what_is_no_beam_file_is_refused() {
    for bytes in [&b""[..], b"FOR1", b"not a beam file at all", b"FOR1\0\0\0\x04BEAM"] {
        let error = load(bytes).err().expect("an error").to_string();
        assert!(error.starts_with("not a usable .beam file: "), "{error}");
    }
}

#[test]
fn every_truncation_is_refused() {
    for (name, bytes) in replaced::ALL {
        load(bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        for len in 0..bytes.len() {
            assert!(load(&bytes[..len]).is_err(), "{name} cut at {len} loads");
        }
    }
}

#[test]
fn every_module_of_otp_loads() {
    if !erlang_is_there() {
        return;
    }
    let mut modules = 0;
    for dir in installed_otp() {
        let of_interest = ["stdlib-", "kernel-", "compiler-", "eunit-"];
        if !of_interest.iter().any(|app| dir.to_string_lossy().contains(app)) {
            continue;
        }
        for entry in std::fs::read_dir(&dir).expect("the directory is there").flatten() {
            if entry.path().extension().is_some_and(|e| e == "beam") {
                let bytes = std::fs::read(entry.path()).expect("the file can be read");
                load(&bytes).unwrap_or_else(|e| panic!("{}: {e}", entry.path().display()));
                modules += 1;
            }
        }
    }
    assert!(modules > 200, "only {modules} modules");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]
    #[test]
    fn mutations_never_panic(which in 0..replaced::ALL.len(), changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)) {
        let mut bytes = replaced::ALL[which].1.to_vec();
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        let _ = load(&bytes);
    }

    #[test]
    fn noise_never_panics(mut bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = load(&bytes);
        // The same with a valid header, so that it reaches more of the loader.
        let mut whole = b"FOR1".to_vec();
        whole.extend((bytes.len() as u32 + 4).to_be_bytes());
        whole.extend(b"BEAM");
        whole.append(&mut bytes);
        let _ = load(&whole);
    }
}
