//! Instructions and chunks of OTP 26 and 27, which the installed compiler does not write: files assembled
//! here, by the tables in the sources of those releases, load and run. No Erlang is needed.

mod assembler;

use assembler::{A, Assembler};
use raddle_core::search::{Findings, NoListener, OnFailure, Plan, search};
use raddle_core::strategy::Dfs;
use raddle_core::verdict::FailureKind;
use raddle_erlang::beam::{OPCODES, load};
use raddle_erlang::code::SearchPath;
use raddle_erlang::settings::{Judgement, Settings};
use raddle_erlang::term::Term;
use raddle_erlang::world::{ErlangWorld, Program};
use std::sync::Arc;

/// Runs `m:t()`.
fn run(file: Vec<u8>) -> Findings<String> {
    let path = SearchPath { directories: Vec::new(), given: vec![("m".to_owned(), file.into())] };
    let settings = Settings { judgement: Judgement::Usual, ..Settings::default() };
    let program = Program { path, module: "m".into(), function: "t".into(), settings };
    let plan = Plan { on_failure: OnFailure::KeepGoing, ..Plan::default() };
    search(&plan, Box::new(Dfs::new()), || ErlangWorld::new(&program), Arc::new(NoListener))
}

/// The result of `m:t()`, or its failure.
fn result(write: impl FnOnce(&mut Assembler, u64)) -> String {
    let mut a = Assembler::new("m");
    let info = a.function("t", 0);
    write(&mut a, info);
    a.op("return", vec![]);
    outcome(a)
}

fn outcome(a: Assembler) -> String {
    let findings = run(a.finish());
    match &findings.failure {
        Some(failure) => failure.message().to_owned(),
        None => findings.outcomes.into_keys().collect::<Vec<_>>().join(" "),
    }
}

fn lit(bytes: &[u8]) -> A {
    A::Lit(Term::binary(bytes.to_vec()))
}

#[test]
fn the_table_of_instructions_is_that_of_otp_27() {
    let number = |name: &str| OPCODES.iter().position(|(n, _)| *n == name).map(|at| (at, OPCODES[at].1));
    let expected = [
        ("bs_create_bin", 177, 6),
        ("call_fun2", 178, 3),
        ("nif_start", 179, 0),
        ("badrecord", 180, 1),
        ("update_record", 181, 5),
        ("bs_match", 182, 3),
        ("executable_line", 183, 2),
    ];
    for (name, at, arity) in expected {
        assert_eq!(number(name), Some((at, arity)), "{name}");
    }
}

#[test]
fn update_record() {
    for hint in ["copy", "reuse", "inplace"] {
        let text = result(|a, _| {
            let record = Term::tuple([Term::atom("rec"), Term::Int(1), Term::Int(2), Term::Int(3)]);
            a.op("move", vec![A::Lit(record), A::X(1)]);
            a.op("move", vec![A::Atom("new"), A::X(2)]);
            let updates = A::L(vec![A::U(2), A::X(2), A::U(4), A::Typed(1, 0)]);
            a.op("update_record", vec![A::Atom(hint), A::U(4), A::Typed(1, 0), A::X(3), updates]);
            // The old record is unchanged.
            a.op("put_tuple2", vec![A::X(0), A::L(vec![A::X(1), A::X(3)])]);
        });
        assert_eq!(text, "{{rec,1,2,3},{rec,new,2,{rec,1,2,3}}}", "{hint}");
    }
}

/// Starts a match of `bytes` in x1, runs these commands, and returns `{matched, x2, x3, rest}` or `{failed,
/// rest}`.
fn matched(bytes: &[u8], commands: Vec<A>) -> String {
    result(|a, _| {
        let fail = a.label();
        a.op("move", vec![lit(bytes), A::X(0)]);
        a.op("move", vec![A::Atom("unset"), A::X(2)]);
        a.op("move", vec![A::Atom("unset"), A::X(3)]);
        a.op("bs_start_match4", vec![A::Atom("no_fail"), A::U(4), A::X(0), A::X(1)]);
        a.op("bs_match", vec![A::F(fail), A::X(1), A::L(commands)]);
        a.op("bs_get_tail", vec![A::X(1), A::X(1), A::U(4)]);
        a.op("put_tuple2", vec![A::X(0), A::L(vec![A::Atom("matched"), A::X(2), A::X(3), A::X(1)])]);
        a.op("return", vec![]);
        a.op("label", vec![A::U(fail)]);
        a.op("bs_get_tail", vec![A::X(1), A::X(1), A::U(4)]);
        a.op("put_tuple2", vec![A::X(0), A::L(vec![A::Atom("failed"), A::X(1)])]);
    })
}

fn exactly(bits: u64) -> Vec<A> {
    vec![A::Atom("ensure_exactly"), A::U(bits)]
}
fn at_least(bits: u64, unit: u64) -> Vec<A> {
    vec![A::Atom("ensure_at_least"), A::U(bits), A::U(unit)]
}
fn integer(flags: A, size: u64, unit: u64, to: u64) -> Vec<A> {
    vec![A::Atom("integer"), A::U(4), flags, A::U(size), A::U(unit), A::X(to)]
}
fn binary(size: u64, unit: u64, to: u64) -> Vec<A> {
    vec![A::Atom("binary"), A::U(4), A::Nil, A::U(size), A::U(unit), A::X(to)]
}
fn equals(bits: u64, value: i64) -> Vec<A> {
    vec![A::Atom("=:="), A::Nil, A::U(bits), A::I(value)]
}
fn flags(names: &[&str]) -> A {
    A::Lit(Term::list(names.iter().map(|n| Term::atom(n)).collect::<Vec<_>>()))
}

#[test]
fn bs_match_reads_in_order() {
    let text = matched(
        &[1, 2, 3, 0xff, 0xfe],
        [at_least(24, 8), equals(8, 1), integer(A::Nil, 16, 1, 2), binary(1, 8, 3)].concat(),
    );
    assert_eq!(text, "{matched,515,<<255>>,<<254>>}");
    let little = matched(&[1, 2, 0xff], [exactly(24), integer(flags(&["little"]), 2, 8, 2)].concat());
    assert_eq!(little, "{matched,513,unset,<<255>>}");
    let signed = matched(&[0xfe, 7], [exactly(16), integer(flags(&["signed"]), 8, 1, 2)].concat());
    assert_eq!(signed, "{matched,-2,unset,<<7>>}");
    let skipped = matched(
        &[1, 2, 3],
        [at_least(16, 1), vec![A::Atom("skip"), A::U(12)], integer(A::Nil, 4, 1, 2)].concat(),
    );
    assert_eq!(skipped, "{matched,2,unset,<<3>>}");
}

#[test]
fn bs_match_fails_where_the_size_is_not_right() {
    assert_eq!(matched(&[1, 2], exactly(8)), "{failed,<<1,2>>}");
    assert_eq!(matched(&[1, 2], at_least(24, 1)), "{failed,<<1,2>>}");
    assert_eq!(matched(&[1, 2, 3], at_least(8, 32)), "{failed,<<1,2,3>>}");
    assert_eq!(matched(&[1, 2, 3], at_least(8, 16)), "{matched,unset,unset,<<1,2,3>>}");
    assert_eq!(matched(&[9], [exactly(8), equals(8, 1)].concat()), "{failed,<<\"\\t\">>}");
}

#[test]
fn the_tail_is_only_looked_at() {
    let tail = vec![A::Atom("get_tail"), A::U(4), A::U(8), A::X(3)];
    let text = matched(&[1, 2, 3], [at_least(8, 8), integer(A::Nil, 8, 1, 2), tail].concat());
    assert_eq!(text, "{matched,1,<<2,3>>,<<2,3>>}");
}

#[test]
fn sizes_can_be_asked_for_in_the_middle_of_a_match() {
    let text = result(|a, info| {
        let (bits, bytes) = (a.import("erlang", "bit_size", 1), a.import("erlang", "byte_size", 1));
        a.op("move", vec![lit(&[1, 2, 3]), A::X(0)]);
        a.op("bs_start_match4", vec![A::Atom("no_fail"), A::U(1), A::X(0), A::X(1)]);
        let commands = [at_least(4, 1), integer(A::Nil, 4, 1, 2)].concat();
        a.op("bs_match", vec![A::F(info), A::X(1), A::L(commands)]);
        a.op("gc_bif1", vec![A::F(0), A::U(3), bits, A::X(1), A::X(2)]);
        a.op("gc_bif1", vec![A::F(0), A::U(3), bytes, A::Typed(1, 0), A::X(3)]);
        a.op("put_tuple2", vec![A::X(0), A::L(vec![A::X(2), A::X(3)])]);
    });
    assert_eq!(text, "{20,3}");
}

#[test]
fn bs_create_bin() {
    let text = result(|a, _| {
        a.op("move", vec![lit(b"ab"), A::X(1)]);
        let segment = |kind: &'static str, unit: u64, flags: A, value: A, size: A| {
            vec![A::Atom(kind), A::U(0), A::U(unit), flags, value, size]
        };
        let segments = [
            segment("append", 8, A::Nil, A::X(1), A::Atom("all")),
            segment("integer", 1, flags(&["little"]), A::I(258), A::I(16)),
            segment("utf8", 0, A::Nil, A::I(228), A::Atom("undefined")),
            segment("binary", 8, A::Nil, A::X(1), A::Atom("all")),
        ];
        a.op("bs_create_bin", vec![A::F(0), A::Alloc(2), A::U(2), A::U(8), A::X(0), A::L(segments.concat())]);
    });
    assert_eq!(text, "<<97,98,2,1,195,164,97,98>>");
}

#[test]
fn call_fun2_and_badrecord() {
    for safety in ["safe", "unsafe"] {
        let text = result(|a, _| {
            let make = a.import("erlang", "make_fun", 3);
            a.op("allocate", vec![A::U(0), A::U(0)]);
            a.op("move", vec![A::Atom("erlang"), A::X(0)]);
            a.op("move", vec![A::Atom("abs"), A::X(1)]);
            a.op("move", vec![A::I(1), A::X(2)]);
            a.op("call_ext", vec![A::U(3), make]);
            a.op("move", vec![A::X(0), A::X(1)]);
            a.op("move", vec![A::I(-5), A::X(0)]);
            a.op("call_fun2", vec![A::Atom(safety), A::U(1), A::X(1)]);
            a.op("deallocate", vec![A::U(0)]);
        });
        assert_eq!(text, "5", "{safety}");
    }
    let bad = result(|a, _| a.op("badrecord", vec![A::Atom("no_record")]));
    assert!(bad.contains("{badrecord,no_record}"), "{bad}");
}

#[test]
fn lines_of_all_kinds() {
    // Version 0, no flags, 3 instructions, 2 lines, no files; then lines 7 and 9.
    let mut table: Vec<u8> = [0_u32, 0, 3, 2, 0].iter().flat_map(|n| n.to_be_bytes()).collect();
    table.extend([7 << 4 | 1, 9 << 4 | 1]);
    let with = |op: &'static str, arguments: Vec<A>| {
        let mut a = Assembler::new("m");
        a.more.push(("Line", table.clone()));
        a.function("t", 0);
        a.op("line", vec![A::U(1)]);
        a.op("move", vec![A::Atom("x"), A::X(0)]);
        a.op(op, arguments);
        a.op("badmatch", vec![A::X(0)]);
        outcome(a)
    };
    let at = |text: &str| text.rsplit(' ').next().unwrap_or_default().to_owned();
    assert_eq!(at(&with("line", vec![A::U(2)])), "m.erl:9");
    assert_eq!(at(&with("executable_line", vec![A::U(2), A::U(1)])), "m.erl:9");
    let debug = vec![A::Atom("line"), A::U(2), A::U(1), A::U(0)];
    assert_eq!(at(&with("debug_line", debug)), "m.erl:9");
}

#[test]
fn a_stripped_file_has_no_lines() {
    let text = result(|a, _| {
        a.op("line", vec![A::U(3)]);
        a.op("badmatch", vec![A::Atom("x")]);
    });
    assert!(text.starts_with("P crashed: {badmatch,x}"), "{text}");
}

#[test]
fn chunks_that_are_not_needed_are_not_looked_at() {
    for (name, bytes) in [
        ("Type", vec![0, 0, 0, 99, 1, 2, 3]),
        ("Meta", vec![131, 106]),
        ("Docs", vec![9; 40]),
        ("DbgB", vec![0; 3]),
        ("Xyzw", Vec::new()),
    ] {
        for plain_literals in [false, true] {
            let mut a = Assembler::new("m");
            (a.more, a.plain_literals) = (vec![(name, bytes.clone())], plain_literals);
            a.function("t", 0);
            a.op("nif_start", vec![]);
            a.op("move", vec![A::Lit(Term::string("literal")), A::X(0)]);
            a.op("return", vec![]);
            assert_eq!(outcome(a), "\"literal\"", "{name}");
        }
    }
}

#[test]
fn an_instruction_of_a_later_release_is_named() {
    let mut a = Assembler::new("m");
    a.function("t", 0);
    a.raw(189, vec![]);
    let error = load(&a.finish()).err().expect("an error").to_string();
    assert!(error.contains("it needs instruction 189, which is of a later OTP than 27"), "{error}");
    // A file whose header claims a lower opcode.
    let mut a = Assembler::new("m");
    a.claimed = Some(183);
    a.function("t", 0);
    a.raw(189, vec![]);
    let error = load(&a.finish()).err().expect("an error").to_string();
    assert!(error.contains("instruction 189"), "{error}");
}

#[test]
fn an_instruction_that_is_gone_is_named_when_it_is_reached() {
    let file = |reached: bool| {
        let mut a = Assembler::new("m");
        a.function("t", 0);
        a.op("move", vec![A::Atom("fine"), A::X(0)]);
        if !reached {
            a.op("return", vec![]);
        }
        a.op("bs_save2", vec![A::X(0), A::U(1)]);
        a.op("return", vec![]);
        run(a.finish())
    };
    assert_eq!(file(false).outcomes.into_keys().collect::<Vec<_>>(), ["fine"]);
    let failure = file(true).failure.expect("a failure");
    assert_eq!(failure.kind(), FailureKind::Unsupported);
    assert!(failure.message().contains("bs_save2"), "{}", failure.message());
}
