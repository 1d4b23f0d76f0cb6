//! Values agree with the installed Erlang bit for bit: hashes, order, external format, arithmetic, printed
//! floats. Random terms go to one `erl` in a batch.

use crate::common::*;
use raddle_core::random::Rng;
use raddle_erlang::native::md5;
use raddle_erlang::term::external::{decode, encode};
use raddle_erlang::term::{Bits, Map, Term, hash, number, order, print};
use std::cmp::Ordering;
use std::path::Path;
use std::process::Command;
use std::rc::Rc;

struct Random(Rng);

impl Random {
    fn below(&mut self, n: u32) -> u32 {
        self.0.below(n)
    }
    fn integer(&mut self) -> Term {
        let n = self.0.next_u64() as i64;
        match self.below(6) {
            0 => Term::Int(n % 4),
            1 => Term::Int(n % 300),
            2 => Term::Int(n >> self.below(60)),
            3 => Term::Int((1 << 27) - 2 + n % 4),
            4 => Term::Int(-(1 << 27) + n % 3),
            _ => {
                let wide =
                    number::mul(&Term::Int(n), &Term::Int(self.0.next_u64() as i64)).expect("a product");
                if self.below(2) == 0 { wide } else { number::mul(&wide, &wide).expect("a product") }
            }
        }
    }
    fn float(&mut self) -> Term {
        let special = [
            0.0,
            -0.0,
            1.0,
            -1.5,
            0.1,
            1e22,
            1e-7,
            123456.789,
            9007199254740992.0,
            1e300,
            5e-324,
            1e16,
            12345678901234567.0,
        ];
        match self.below(3) {
            0 => Term::Float(special[self.below(special.len() as u32) as usize]),
            1 => Term::Float((self.0.next_u64() as i64 >> self.below(60)) as f64 / 8.0),
            _ => loop {
                let f = f64::from_bits(self.0.next_u64());
                if f.is_finite() {
                    return Term::Float(f);
                }
            },
        }
    }
    fn bits(&mut self) -> Term {
        let bytes: Vec<u8> = (0..self.below(30)).map(|_| self.0.next_u64() as u8).collect();
        let len = (bytes.len() * 8).saturating_sub(self.below(8) as usize);
        let start = self.below(9) as usize;
        let bits = Bits::of_bytes(bytes.into());
        let start = start.min(len);
        // A part that does not start on a byte boundary.
        Term::Bits(Rc::new(bits.part(start, len - start)))
    }
    fn term(&mut self, depth: u32) -> Term {
        let kinds = if depth == 0 { 6 } else { 10 };
        match self.below(kinds) {
            0 | 1 => self.integer(),
            2 => self.float(),
            3 => {
                let atoms =
                    ["a", "b", "true", "undefined", "Hello world", "", "å", "€uro", "a_long_atom_name_here"];
                Term::atom(atoms[self.below(atoms.len() as u32) as usize])
            }
            4 => self.bits(),
            5 => {
                let n = self.below(9);
                Term::list((0..n).map(|_| Term::Int(self.below(256) as i64)).collect::<Vec<_>>())
            }
            6 => {
                let n = self.below(5);
                Term::tuple((0..n).map(|_| self.term(depth - 1)).collect::<Vec<_>>())
            }
            7 => {
                let n = self.below(5);
                let list: Vec<Term> = (0..n).map(|_| self.term(depth - 1)).collect();
                if n > 0 && self.below(4) == 0 {
                    let tail = self.term(0);
                    Term::list_onto(list, tail)
                } else {
                    Term::list(list)
                }
            }
            8 => {
                let n = self.below(5);
                Term::map(Map::from_entries(
                    (0..n).map(|_| (self.term(depth - 1), self.term(depth - 1))).collect(),
                ))
            }
            _ => {
                let n = self.below(3);
                Term::tuple((0..n).map(|_| self.integer()).collect::<Vec<_>>())
            }
        }
    }
}

/// Runs `Module:main(Directory)` in the installed Erlang.
fn erl(dir: &Path, module: &str) {
    let output = Command::new("erl")
        .args(["-noshell", "-pa"])
        .arg(dir)
        .args(["-eval", &format!("{module}:main({:?}), halt().", dir.to_string_lossy())])
        .output()
        .expect("erl runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

const ORACLE: &str = r#"
-module(terms_oracle).
-export([main/1]).
main(Dir) ->
    {ok, Bytes} = file:read_file(filename:join(Dir, "in")),
    Terms = binary_to_term(Bytes),
    Facts = [facts(T) || T <- Terms],
    Orders = pairs(Terms),
    ok = file:write_file(filename:join(Dir, "out"), term_to_binary({Facts, Orders})).
facts(T) ->
    B = term_to_binary(T),
    {erlang:phash2(T), erlang:phash2(T, 1 bsl 32), erlang:phash(T, 1 bsl 32), B, erlang:crc32(B), erlang:adler32(B),
     erlang:md5(B), iolist_to_binary(io_lib:format("~w", [plain(T)]))}.
%% Where floats are concerned, the text; lists of numbers are printed as lists by ~w.
plain(T) when is_float(T) -> T;
plain(T) when is_integer(T) -> T;
plain(_) -> none.
pairs([A, B | Rest]) ->
    O = {if A < B -> lt; A > B -> gt; true -> eq end, A =:= B,
         arith(fun() -> A + B end), arith(fun() -> A * B end), arith(fun() -> A - B end), arith(fun() -> A / B end),
         arith(fun() -> A div B end), arith(fun() -> A rem B end), arith(fun() -> A band B end),
         arith(fun() -> A bor B end), arith(fun() -> A bxor B end),
         arith(fun() -> A bsr (B band 127) end), arith(fun() -> A bsl (B band 127) end)},
    [O | pairs([B | Rest])];
pairs(_) -> [].
arith(F) -> try F() catch error:E -> E end.
"#;

#[test]
fn values_agree_with_the_installed_erlang() {
    if !erlang_is_there() {
        return;
    }
    let dir = compile_text("terms_oracle", ORACLE);
    let mut random = Random(Rng::new(7, 0));
    let terms: Vec<Term> =
        (0..4000).map(|i| if i % 3 == 0 { random.integer() } else { random.term(3) }).collect();
    std::fs::write(dir.join("in"), encode(&Term::list(terms.clone()))).expect("written");
    erl(&dir, "terms_oracle");
    let (answer, _) = decode(&std::fs::read(dir.join("out")).expect("read")).expect("a term");
    let [facts, orders] = answer.as_tuple().expect("a pair") else { panic!("a pair") };
    for (term, facts) in terms.iter().zip(facts.iter()) {
        let facts = facts.as_tuple().expect("facts");
        let bytes = encode(term);
        let unsigned = |n: u64| number::of_u64(n);
        assert_eq!(facts[0], unsigned((hash::phash2(term) & ((1 << 27) - 1)) as u64), "phash2 of {term}");
        assert_eq!(facts[1], unsigned(hash::phash2(term) as u64), "phash2/2 of {term}");
        assert_eq!(facts[2], unsigned(hash::phash(term) as u64 + 1), "phash of {term}");
        assert_eq!(facts[3], Term::binary(bytes.clone()), "external format of {term}");
        assert_eq!(decode(&bytes).map(|d| d.0), Ok(term.clone()));
        assert_eq!(facts[4], unsigned(md5::crc32(0, &bytes) as u64));
        assert_eq!(facts[5], unsigned(md5::adler32(1, &bytes) as u64));
        assert_eq!(facts[6], Term::binary(md5::of(&bytes).to_vec()));
        if term.is_integer() {
            assert_eq!(facts[7], Term::binary(term.to_string().into_bytes()));
        }
        if let Term::Float(f) = term {
            let text = facts[7].as_bytes().expect("a text");
            assert_eq!(String::from_utf8_lossy(&text), print::float(*f), "{f:e}");
        }
    }
    let or_reason = |r: Result<Term, number::ArithError>| match r {
        Ok(t) => t,
        Err(number::ArithError::Bad) => Term::atom("badarith"),
        Err(number::ArithError::SystemLimit) => Term::atom("system_limit"),
    };
    for (pair, facts) in terms.windows(2).zip(orders.iter()) {
        let [a, b] = pair else { panic!("a pair") };
        let facts = facts.as_tuple().expect("facts");
        let relation = match order::cmp(a, b) {
            Ordering::Less => "lt",
            Ordering::Equal => "eq",
            Ordering::Greater => "gt",
        };
        assert_eq!(facts[0], Term::atom(relation), "{a} compared with {b}");
        assert_eq!(facts[1], Term::bool(a == b), "{a} =:= {b}");
        let operations = [
            number::add,
            number::mul,
            number::sub,
            number::div_float,
            number::div,
            number::rem,
            number::band,
            number::bor,
            number::bxor,
        ];
        for (i, operation) in operations.iter().enumerate() {
            assert_eq!(facts[2 + i], or_reason(operation(a, b)), "operation {i} of {a} and {b}");
        }
        let by = number::band(b, &Term::Int(127));
        assert_eq!(
            facts[11],
            or_reason(by.clone().and_then(|by| number::bsr(a, &by))),
            "{a} bsr {b} band 127"
        );
        assert_eq!(facts[12], or_reason(by.and_then(|by| number::bsl(a, &by))), "{a} bsl {b} band 127");
    }
}
