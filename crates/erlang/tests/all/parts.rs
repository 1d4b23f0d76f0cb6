//! The parts of a program, by which a search is resumed on the same program only.

use crate::common::{compile_suite, erlang_is_there, program};
use raddle_core::check::Program;
use raddle_erlang::check::Checkable;
use raddle_erlang::settings::Settings;
use std::collections::BTreeMap;

fn parts(directory: &str, defines: &[&str]) -> BTreeMap<String, String> {
    let folder = compile_suite(directory, &["proc_reg.erl", "small.erl"], defines);
    Checkable::new(program(&folder, "small", "readers", Settings::default())).parts().to_map()
}

#[test]
fn modules_have_the_same_checksum_wherever_they_were_compiled() {
    if !erlang_is_there() {
        return;
    }
    let [one, again, other] = [("parts_1", "VERSION=1"), ("parts_2", "VERSION=1"), ("parts_3", "VERSION=2")]
        .map(|(d, v)| parts(d, &[v]));
    assert_eq!(one, again);
    assert_eq!(one.keys().collect::<Vec<_>>(), ["OTP", "module proc_reg", "module small"]);
    let differ: Vec<&String> = one.keys().filter(|part| one[*part] != other[*part]).collect();
    assert_eq!(differ, ["module proc_reg"]);
}
