#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| inputs::try_bytes("escape", bytes));
