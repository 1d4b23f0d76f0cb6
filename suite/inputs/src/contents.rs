//! What raddle writes, made anew: the beginnings of the corpora.

use crate::targets::{corpora, searches, tickets};
use raddle_core::ticket::Ticket;
use raddle_erlang::term::{external, parse};
use raddle_terminal::store::Scratch;
use std::path::Path;
use std::process::Command;

/// A ticket of an Erlang program.
pub fn ticket() -> String {
    searches::failing().to_json()
}

/// A search of it that was stopped.
pub fn search() -> String {
    searches::stopped()
}

/// The ticket of a Rust program, and the report of its failure as `cargo raddle test` keeps it.
pub fn rust() -> (Ticket, String, String) {
    let report = raddle::Checker::exhaustive().name("deposits").run(tickets::deposits);
    let failure = report.failure().expect("a deposit is lost");
    // What differs from machine to machine.
    let ticket = Ticket { program: Default::default(), ..failure.ticket().clone() };
    let (kept, answer) = cargo_raddle::inputs::written(failure, report.coverage());
    (ticket, kept, answer)
}

/// The text forms of everything else, by target.
const TEXTS: [(&str, &str, &str); 20] = [
    (
        "command_line",
        "valid-test",
        "test\n--lib\n--strategy\npct:3\n--schedules\n1_000\n--seed\n7\n--budget\n10s\nname",
    ),
    (
        "command_line",
        "valid-all",
        "test\n--workspace\n-F\na,b\n--exclude\nx\n--jobs\n2\n--max-steps\n9\n--\n--exact\n--skip\ny",
    ),
    (
        "command_line",
        "valid-erl",
        "erl\n-pa\nebin\n--grain\nthesis\n--kill\n2\n--test\nf/0\n--memory-limit\n500M\nmy.beam",
    ),
    (
        "command_line",
        "valid-reason",
        "erl\n--treat-as-normal\n{shutdown, \"x\"}\n--ignore\npanic\n--after-timeout\n5000\nmy.erl",
    ),
    ("command_line", "valid-replay", "replay\na.json\n--manifest-path\nx/Cargo.toml\n--gdb"),
    (
        "setting",
        "valid-strategies",
        "exhaustive\npct:3\nportfolio\nrandom\ndfs\nstaged\nsurw\nthesis\nswarm\npos",
    ),
    ("setting", "valid-times", "10s\n500ms\n87600h\n2m\nidle\nany"),
    ("setting", "valid-names", "RADDLE_STRATEGY\nRADDLE_STRATGY\nRADDLE_SEED\nPATH"),
    (
        "erlang_text",
        "valid-config",
        "[{app, [{key, \"value\"}, {'an atom', <<\"bytes\">>}, {n, [1, -2, 1.5e3, 16#ff, $a]}]}].\n",
    ),
    (
        "erlang_text",
        "valid-terms",
        "#{a => {b, []}, \"text\\n\" => [1 | 2]}. % a comment\n<<1, 2, 3>>. 'it\\'s'.\n",
    ),
    ("regex", "valid-groups", "^(?<year>\\d{4})-(?:0[1-9]|1[0-2])(?i:x)*?$"),
    ("regex", "valid-classes", "[[:alpha:]\\w\\-_^a-z]+\\.(\\1|\\x{41}|\\Q*\\E){2,5}+\\b"),
    ("regex", "valid-looks", "(?=a)(?!b)(?<=c)(?<!dd)(a|b)(?>x+)\\R"),
    ("regex", "refused-unsupported", "\\X\\p{Lu}"),
    ("escape", "valid-plain", "a plain text, with \u{e4} and \u{1f980}\n\tand a second line"),
    ("escape", "valid-active", "\u{1b}[2J\u{1b}]0;title\u{7}\u{9b}1m\u{202e}reversed\u{2066}\u{200f}\r\u{8}"),
    ("ticket", "refused-old-version", "raddle1;test=a;0:main+end;0"),
    ("ticket", "refused-many-steps", "raddle2;;0:main+end;0*2000001;2000001.00000000"),
    ("ticket", "refused-no-head", "{\n  \"version\": 2,\n  \"steps\": []\n}"),
    ("search", "refused-old-version", "{\"search\":6,\"checksum\":\"00\"}\n{}"),
];

/// Terms that are encoded.
const TERMS: &str = "{atom, 'an atom', 12345678901234567890, -1, 1.5, \"text\", <<\"bytes\">>, #{key => [1, 2 | 3]}}. \
                     [a, [b, [c, {d, <<1, 2, 3>>}]], 255, 256, -129]. [].";

/// Writes the beginnings of all corpora. The compiled modules are those of `erlc` on the files in `erl`.
///
/// # Errors
/// If one cannot be written, or `erlc` is not there.
pub fn write_corpora() -> Result<(), String> {
    let put = |target: &str, name: &str, bytes: &[u8]| {
        let folder = corpora().join(target);
        std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let path = folder.join(name);
        std::fs::write(&path, bytes).map_err(|e| format!("{}: {e}", path.display()))
    };
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("erl");
    let scratch = Scratch::new("corpora")?;
    for module in ["lost", "forms"] {
        // Without the folder that they were compiled in.
        let mut erlc = Command::new("erlc");
        erlc.args(["+deterministic", "-o"]).arg(scratch.path()).arg(sources.join(format!("{module}.erl")));
        let done = erlc.status().map_err(|e| format!("erlc: {e}"))?;
        let file = scratch.path().join(format!("{module}.beam"));
        let code = std::fs::read(file).map_err(|e| format!("erlc: {done}, {e}"))?;
        put("beam", &format!("valid-{module}.beam"), &code)?;
        if module == "lost" {
            put("beam_run", "valid-lost.beam", &code)?;
        }
    }
    let (rust, kept, answer) = rust();
    let (erlang, search) = (searches::failing(), search());
    for target in ["ticket", "ticket_resealed"] {
        put(target, "valid-erlang.json", erlang.to_json().as_bytes())?;
        put(target, "valid-erlang.line", erlang.to_string().as_bytes())?;
        put(target, "valid-rust.json", rust.to_json().as_bytes())?;
        put(target, "valid-rust.line", rust.to_string().as_bytes())?;
    }
    for target in ["report", "report_resealed"] {
        put(target, "valid-kept.json", kept.as_bytes())?;
    }
    for target in ["search", "search_resealed"] {
        put(target, "valid-stopped.json", search.as_bytes())?;
    }
    put("answer", "valid-done.json", answer.as_bytes())?;
    put("answer", "valid-outside.json", b"{\"outside\":{\"what\":\"a socket\"}}")?;
    for (target, name, text) in TEXTS {
        put(target, name, text.as_bytes())?;
    }
    let terms = parse::terms(TERMS).map_err(|e| format!("{e:?}"))?;
    for (number, term) in terms.iter().enumerate() {
        let plain = external::encode(term);
        put("external_term", &format!("valid-compressed-{number}"), &external::compressed(plain.clone(), 9))?;
        put("external_term", &format!("valid-{number}"), &plain)?;
    }
    let long = external::encode(
        &parse::terms(&format!("\"{}\".", "text ".repeat(99))).map_err(|e| format!("{e:?}"))?[0],
    );
    put("external_term", "valid-compressed-long", &external::compressed(long, 9))
}
