//! The functions of `serde_json` that the crates under the facades use. In a build of the shim this crate goes by that
//! name: what is compiled into programs under test must not add implementations to the types of std.

pub use serde_json_wasm::{from_str, to_string};

/// As [`to_string`]: the shim's JSON is read by programs.
pub fn to_string_pretty<T: serde::Serialize + ?Sized>(value: &T) -> serde_json_wasm::ser::Result<String> {
    to_string(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::{Deserialize, Serialize};
    use std::collections::BTreeMap;

    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    #[serde(rename_all = "kebab-case")]
    enum Kind {
        Plain,
        Tuple(u64),
        Named { text: String, many: Vec<i8> },
    }

    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Thing {
        kinds: Vec<Kind>,
        map: BTreeMap<String, String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        nothing: Option<u32>,
    }

    #[test]
    fn both_ways_and_as_serde_json_has_it() {
        let text = "a \"quote\", a \\ and \n\t\u{1}, \u{e4} \u{1f980} /".to_owned();
        let kinds =
            vec![Kind::Plain, Kind::Tuple(u64::MAX), Kind::Named { text: text.clone(), many: vec![-1, 2] }];
        let thing = Thing { kinds, map: BTreeMap::from([("key".to_owned(), text)]), nothing: None };
        let ours = to_string_pretty(&thing).unwrap();
        assert_eq!(from_str::<Thing>(&ours).unwrap(), thing);
        let theirs = serde_json::to_string_pretty(&thing).unwrap();
        assert_eq!(from_str::<Thing>(&theirs).unwrap(), thing);
        assert_eq!(serde_json::from_str::<Thing>(&ours).unwrap(), thing);
    }
}
