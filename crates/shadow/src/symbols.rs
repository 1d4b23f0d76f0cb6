//! Which statics of the present program belong to crates under test, and where they are: read from the program's own
//! symbol table. Statics of std or of raddle are excluded, and so are symbols without a Rust name.

use std::ops::Range;

/// The crates under the facades, and those of the compiler. Their statics are not under test.
const NOT_UNDER_TEST: [&str; 39] = [
    "addr2line",
    "adler2",
    "alloc",
    "cfg_if",
    "compiler_builtins",
    "core",
    "corosensei",
    "getopts",
    "gimli",
    "hashbrown",
    "itoa",
    "libc",
    "memchr",
    "miniz_oxide",
    "object",
    "panic_abort",
    "panic_unwind",
    "proc_macro",
    "raddle",
    "raddle_core",
    "raddle_macros",
    "raddle_native",
    "raddle_report",
    "raddle_terminal",
    "rustc_demangle",
    "rustc_literal_escaper",
    "scopeguard",
    "serde",
    "serde_core",
    "serde_json",
    "shadow_alloc",
    "shadow_core",
    "shadow_std",
    "shadow_test",
    "std",
    "std_detect",
    "test",
    "unwind",
    "zmij",
];

unsafe extern "C" {
    /// Where the linker put the beginning of the program.
    static __executable_start: u8;
}

/// Where the statics of the crates under test are. Empty if the program has no symbols.
pub fn statics_under_test() -> Vec<Range<usize>> {
    let file = std::fs::read("/proc/self/exe").unwrap_or_default();
    // The symbols of position-independent programs are relative to 0.
    let moved = if number(&file, 16, 2) == Some(3) { &raw const __executable_start as usize } else { 0 };
    let mut ranges = parse(&file).unwrap_or_default();
    for range in &mut ranges {
        *range = range.start + moved..range.end + moved;
    }
    ranges
}

/// A little-endian number of `size` bytes.
fn number(file: &[u8], at: usize, size: usize) -> Option<usize> {
    let bytes = file.get(at..at.checked_add(size)?)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | *byte as usize))
}

struct Section {
    name: usize,
    kind: usize,
    at: usize,
    size: usize,
    link: usize,
}

/// Reads a 64-bit ELF file.
fn parse(file: &[u8]) -> Option<Vec<Range<usize>>> {
    const SYMBOL_TABLE: usize = 2;
    const SYMBOL: usize = 24;
    const OBJECT: usize = 1;
    if file.get(..5)? != b"\x7fELF\x02" {
        return None;
    }
    let (table, entry, count) = (number(file, 40, 8)?, number(file, 58, 2)?, number(file, 60, 2)?);
    let section = |index: usize| {
        let at = table + index * entry;
        Some(Section {
            name: number(file, at, 4)?,
            kind: number(file, at + 4, 4)?,
            at: number(file, at + 24, 8)?,
            size: number(file, at + 32, 8)?,
            link: number(file, at + 40, 4)?,
        })
    };
    let sections: Vec<Section> = (0..count).map(section).collect::<Option<_>>()?;
    let names = sections.get(number(file, 62, 2)?)?.at;
    let text = |at: usize| {
        let rest = file.get(at..)?;
        std::str::from_utf8(&rest[..rest.iter().position(|b| *b == 0)?]).ok()
    };
    let symbols = sections.iter().find(|s| s.kind == SYMBOL_TABLE)?;
    let strings = sections.get(symbols.link)?.at;
    let mut ranges = Vec::new();
    for at in (symbols.at..symbols.at + symbols.size).step_by(SYMBOL) {
        let (kind, home) = (number(file, at + 4, 1)? & 15, number(file, at + 6, 2)?);
        let (from, size) = (number(file, at + 8, 8)?, number(file, at + 16, 8)?);
        if kind != OBJECT || size == 0 {
            continue;
        }
        // What is written only while the program is loaded is in `.data.rel.ro`.
        let place = sections.get(home).and_then(|section| text(names + section.name)).unwrap_or_default();
        let written =
            place.starts_with(".bss") || place.starts_with(".data") && !place.starts_with(".data.rel.ro");
        if written && text(strings + number(file, at, 4)?).is_some_and(is_under_test) {
            ranges.push(from..from + size);
        }
    }
    ranges.sort_by_key(|range| (range.start, range.end));
    ranges.dedup();
    Some(ranges)
}

/// Whether the symbol of a static belongs to a crate under test: considers all crates in its name.
fn is_under_test(symbol: &str) -> bool {
    let crates = if let Some(path) = symbol.strip_prefix("_ZN") {
        crates_of_legacy_name(path)
    } else if let Some(path) = symbol.strip_prefix("_R") {
        crates_of_v0_name(path)
    } else {
        return false;
    };
    let theirs = |name: &String| NOT_UNDER_TEST.contains(&name.as_str());
    // `<Vec<Thing> as Trait>::method::STATIC` names std, too.
    let std = |name: &String| ["std", "core", "alloc"].contains(&name.as_str());
    crates.iter().any(|name| !theirs(name)) && crates.iter().all(|name| !theirs(name) || std(name))
}

/// `9once_cell3imp1O17h0123456789abcdefE`, or `44_$LT$once_cell..X$u20$as$u20$core..fmt..Debug$GT$3fmt..`.
fn crates_of_legacy_name(path: &str) -> Vec<String> {
    let digits = path.bytes().take_while(u8::is_ascii_digit).count();
    let length: usize = path[..digits].parse().unwrap_or(0);
    let Some(first) = path.get(digits..digits + length) else { return Vec::new() };
    if !first.contains('$') {
        return vec![first.to_owned()];
    }
    // Each path in it begins with a crate: a word that comes before two dots and not after.
    let mut crates = Vec::new();
    for part in first.split('$') {
        if let Some((name, _)) = part.split_once("..").filter(|(name, _)| !name.is_empty()) {
            crates.push(name.trim_start_matches('_').to_owned());
        }
    }
    crates
}

/// `NvNtCs1234_9once_cell3imp1O`: a crate is a `C`, perhaps a number, and its name with its length. Only the first is
/// looked for, since further on a `C` may be a letter of any name.
fn crates_of_v0_name(path: &str) -> Vec<String> {
    let crates = path.match_indices('C').filter_map(|(at, _)| {
        let rest = &path[at + 1..];
        let rest = match rest.strip_prefix('s') {
            Some(numbered) => {
                let (digits, after) = numbered.split_once('_')?;
                digits.bytes().all(|b| b.is_ascii_alphanumeric()).then_some(after)?
            }
            None => rest,
        };
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let length: usize = rest[..digits].parse().ok()?;
        let name = rest[digits..].strip_prefix('_').unwrap_or(&rest[digits..]);
        name.get(..length).filter(|name| !name.is_empty()).map(str::to_owned)
    });
    crates.take(1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Executions must not reset the statics of raddle and of the crates that it uses.
    #[test]
    fn no_crate_of_raddle_is_under_test() {
        let tree = ["tree", "-p", "raddle", "-e", "normal,no-proc-macro", "--prefix", "none", "--offline"];
        let output = std::process::Command::new(env!("CARGO")).args(tree).output().expect("cargo runs");
        let text = String::from_utf8_lossy(&output.stdout);
        let names: Vec<String> = text
            .lines()
            .filter_map(|line| line.split(' ').next())
            .map(|name| name.replace('-', "_"))
            .collect();
        assert!(names.iter().any(|name| name == "raddle_native"), "{output:?}");
        for name in names {
            assert!(NOT_UNDER_TEST.contains(&name.as_str()), "{name} is not in the list");
        }
    }

    #[test]
    fn tells_statics_under_test_from_others() {
        let under_test = [
            "_ZN9once_cell3imp5tests13stampede_once1O17h0123456789abcdefE",
            "_ZN44_$LT$alloc..string..String$u20$as$u20$bank..Key$GT$4make4NEXT17h0123456789abcdefE",
            "_RNvNtCs1234_9once_cell3imp1O",
        ];
        let others = [
            "_ZN3std2io5stdio6STDOUT17h0123456789abcdefE",
            "_ZN13raddle_native7runtime5watch3ALL17h0123456789abcdefE",
            "_ZN72_$LT$raddle_native..sync..Mutex$u20$as$u20$core..fmt..Debug$GT$3fmt1X17h0123456789abcdefE",
            "_RNvNtNtCs5678_3std2io5stdio6STDOUT",
            "completed.0",
            "environ",
        ];
        assert!(under_test.iter().all(|symbol| is_under_test(symbol)));
        assert!(!others.iter().any(|symbol| is_under_test(symbol)));
    }
}
