//! Conversions between types of terms.

use super::{Native, floats};
use crate::run::{Raise, Res, Runner};
use crate::term::bits::BitsBuilder;
use crate::term::external::Atoms;
use crate::term::{Atom, Fun, Pid, Ref, Term, external, known, number};
use std::rc::Rc;

type R<'a, 'b> = &'a mut Runner<'b>;

fn bad() -> Raise {
    Raise::badarg()
}

fn atom_text(t: &Term) -> Result<&'static str, Raise> {
    t.as_atom().map(Atom::text).ok_or_else(bad)
}

fn to_atom(text: &str, must_exist: bool) -> Res {
    if text.chars().count() > Atom::MAX_CHARACTERS {
        return Err(Raise::error(Term::Atom(known::SYSTEM_LIMIT)));
    }
    if must_exist {
        return Atom::existing(text).map(Term::Atom).ok_or_else(bad);
    }
    Ok(Term::atom(text))
}

fn list_text(t: &Term) -> Result<String, Raise> {
    t.to_text().ok_or_else(bad)
}

fn binary_text(t: &Term) -> Result<String, Raise> {
    t.as_bits().and_then(|b| b.to_text()).ok_or_else(bad)
}

fn encoded(text: &str, encoding: Option<&Term>) -> Res {
    match encoding.and_then(Term::as_atom).map_or("utf8", Atom::text) {
        "utf8" | "unicode" => Ok(Term::binary(text.as_bytes())),
        "latin1" => {
            let bytes: Option<Vec<u8>> = text.chars().map(|c| u8::try_from(c as u32).ok()).collect();
            bytes.map(Term::binary).ok_or_else(bad)
        }
        _ => Err(bad()),
    }
}

fn decoded(t: &Term, encoding: Option<&Term>) -> Result<String, Raise> {
    match encoding.and_then(Term::as_atom).map_or("utf8", Atom::text) {
        "utf8" | "unicode" => binary_text(t),
        "latin1" => Ok(t.as_bytes().ok_or_else(bad)?.iter().map(|b| *b as char).collect()),
        _ => Err(bad()),
    }
}

fn base(t: Option<&Term>) -> Result<u32, Raise> {
    t.map_or(Ok(10), |t| t.as_usize().filter(|n| (2..=36).contains(n)).map(|n| n as u32).ok_or_else(bad))
}

fn integer_text(a: &[Term]) -> Result<String, Raise> {
    number::to_base(&a[0], base(a.get(1))?).ok_or_else(bad)
}

fn parse_integer(text: &str, a: &[Term]) -> Res {
    number::from_base(text, base(a.get(1))?).ok_or_else(bad)
}

fn bytes_term(bytes: &[u8]) -> Term {
    Term::list(bytes.iter().map(|b| Term::Int(*b as i64)).collect::<Vec<_>>())
}

fn binary_to_list(a: &[Term]) -> Res {
    let bytes = a[0].as_bytes().ok_or_else(bad)?;
    match a {
        [_] => Ok(bytes_term(&bytes)),
        [_, from, to] => {
            let (from, to) = (from.as_usize().ok_or_else(bad)?, to.as_usize().ok_or_else(bad)?);
            if from >= 1 && from <= to && to <= bytes.len() {
                Ok(bytes_term(&bytes[from - 1..to]))
            } else {
                Err(bad())
            }
        }
        _ => Err(bad()),
    }
}

fn bitstring_to_list(_: R, a: &[Term]) -> Res {
    let bits = a[0].as_bits().ok_or_else(bad)?;
    let whole = bits.len() / 8;
    let bytes = bits.to_bytes();
    let tail = match bits.len() % 8 {
        0 => Term::Nil,
        n => Term::list([Term::Bits(Rc::new(bits.part(whole * 8, n)))]),
    };
    Ok(Term::list_onto(bytes[..whole].iter().map(|b| Term::Int(*b as i64)).collect::<Vec<_>>(), tail))
}

fn list_to_bitstring(_: R, a: &[Term]) -> Res {
    fn collect(t: &Term, out: &mut BitsBuilder) -> Option<()> {
        let mut iter = t.iter();
        for head in iter.by_ref() {
            match head {
                Term::Int(n) => out.push(u8::try_from(*n).ok()?, 8),
                Term::Bits(bits) => out.push_bits(bits),
                Term::Nil | Term::Cons(_) => collect(head, out)?,
                _ => return None,
            }
        }
        match iter.rest() {
            Term::Nil => Some(()),
            Term::Bits(bits) => {
                out.push_bits(bits);
                Some(())
            }
            _ => None,
        }
    }
    if !a[0].is_list() {
        return Err(bad());
    }
    let mut out = BitsBuilder::new();
    collect(&a[0], &mut out).ok_or_else(bad)?;
    Ok(Term::Bits(Rc::new(out.build())))
}

/// The bytes of an iolist.
fn iolist(r: R, a: &[Term]) -> Result<Vec<u8>, Raise> {
    a[0].iolist_bytes_within(r.env.settings.room())?.ok_or_else(bad)
}

fn list_to_binary(r: R, a: &[Term]) -> Res {
    if !a[0].is_list() {
        return Err(bad());
    }
    iolist(r, a).map(Term::binary)
}

fn iolist_to_binary(r: R, a: &[Term]) -> Res {
    iolist(r, a).map(Term::binary)
}

fn binary_to_term(a: &[Term], options: Option<&Term>) -> Res {
    let bytes = a[0].as_bytes().ok_or_else(bad)?;
    let options = options.map_or(Some(Vec::new()), Term::to_vec).ok_or_else(bad)?;
    let mut used = false;
    for option in &options {
        match option.as_atom().map(Atom::text) {
            Some("safe") => {}
            Some("used") => used = true,
            _ => return Err(bad()),
        }
    }
    let (term, taken) = external::decode_own(&bytes).map_err(|error| match error {
        external::TOO_DEEP => {
            Raise::unsupported("erlang:binary_to_term/1 of a term that is nested so deeply is not supported")
        }
        _ => bad(),
    })?;
    Ok(if used { Term::tuple([term, Term::from(taken)]) } else { term })
}

/// A term in the external format, with the default options or with others.
fn external_form(r: &Runner<'_>, a: &[Term]) -> Result<Vec<u8>, Raise> {
    let usual = if r.env.code.release().is_some_and(|n| n >= 26) { Atoms::Utf8 } else { Atoms::Latin1 };
    let (mut atoms, mut level) = (usual, None);
    for option in a.get(1).map_or(Some(Vec::new()), Term::to_vec).ok_or_else(bad)? {
        if let Some(wanted) = compression(&option) {
            level = Some(wanted?);
            continue;
        }
        let minor = match option.as_tuple() {
            Some([key, n]) if key.is_atom(Atom::new("minor_version")) => n.as_int(),
            _ => None,
        };
        match (minor, option.as_atom().map(Atom::text)) {
            (Some(1), _) => atoms = Atoms::Latin1,
            (Some(2), _) => atoms = Atoms::Utf8,
            (_, Some("deterministic")) => {}
            _ => {
                return Err(Raise::unsupported(format!(
                    "erlang:term_to_binary/2 with the option {option} is not supported"
                )));
            }
        }
    }
    let plain = external::encode_with(&a[0], atoms, r.env.settings.room())?;
    Ok(match level {
        Some(level) => external::compressed(plain, level),
        None => plain,
    })
}

/// The level of an option that compresses. The bytes depend on the zlib of a node; only what they mean is the same.
fn compression(option: &Term) -> Option<Result<u8, Raise>> {
    match option.as_tuple() {
        Some([key, level]) if key.is_atom(Atom::new("compressed")) => Some(
            level.as_int().filter(|level| (0..=9).contains(level)).map(|level| level as u8).ok_or_else(bad),
        ),
        None if option.is_atom(Atom::new("compressed")) => Some(Ok(6)),
        _ => None,
    }
}

fn term_to_binary(r: R, a: &[Term]) -> Res {
    Ok(Term::binary(external_form(r, a)?))
}

fn term_to_iovec(r: R, a: &[Term]) -> Res {
    Ok(Term::list([term_to_binary(r, a)?]))
}

fn external_size(r: R, a: &[Term]) -> Res {
    Ok(Term::from(external_form(r, a)?.len()))
}

fn setelement(_: R, a: &[Term]) -> Res {
    match (a[0].as_usize(), &a[1]) {
        (Some(n), Term::Tuple(t)) if n >= 1 && n <= t.len() => {
            let mut elements = t.to_vec();
            elements[n - 1] = a[2].clone();
            Ok(Term::tuple(elements))
        }
        _ => Err(bad()),
    }
}

fn make_tuple(_: R, a: &[Term]) -> Res {
    let n = a[0].as_usize().filter(|n| *n < 1 << 24).ok_or_else(bad)?;
    let mut elements = vec![a[1].clone(); n];
    if let Some(list) = a.get(2) {
        for pair in list.to_vec().ok_or_else(bad)? {
            match pair.as_tuple() {
                Some([at, value]) => {
                    let at = at.as_usize().filter(|at| *at >= 1 && *at <= n).ok_or_else(bad)?;
                    elements[at - 1] = value.clone();
                }
                _ => return Err(bad()),
            }
        }
    }
    Ok(Term::tuple(elements))
}

fn append_element(_: R, a: &[Term]) -> Res {
    let mut elements = a[0].as_tuple().ok_or_else(bad)?.to_vec();
    elements.push(a[1].clone());
    Ok(Term::tuple(elements))
}

fn delete_element(_: R, a: &[Term]) -> Res {
    let mut elements = a[1].as_tuple().ok_or_else(bad)?.to_vec();
    let n = a[0].as_usize().filter(|n| *n >= 1 && *n <= elements.len()).ok_or_else(bad)?;
    elements.remove(n - 1);
    Ok(Term::tuple(elements))
}

fn insert_element(_: R, a: &[Term]) -> Res {
    let mut elements = a[1].as_tuple().ok_or_else(bad)?.to_vec();
    let n = a[0].as_usize().filter(|n| *n >= 1 && *n <= elements.len() + 1).ok_or_else(bad)?;
    elements.insert(n - 1, a[2].clone());
    Ok(Term::tuple(elements))
}

fn split_binary(_: R, a: &[Term]) -> Res {
    let bits = a[0].as_bits().ok_or_else(bad)?;
    let at = a[1].as_usize().and_then(|n| n.checked_mul(8)).filter(|at| *at <= bits.len()).ok_or_else(bad)?;
    let part = |from: usize, len: usize| Term::Bits(Rc::new(bits.part(from, len)));
    Ok(Term::tuple([part(0, at), part(at, bits.len() - at)]))
}

fn list_to_pid(_: R, a: &[Term]) -> Res {
    let text = list_text(&a[0])?;
    let inner = text.strip_prefix('<').and_then(|t| t.strip_suffix('>')).ok_or_else(bad)?;
    Pid::parse(inner).map(Term::Pid).ok_or_else(bad)
}

fn list_to_ref(_: R, a: &[Term]) -> Res {
    let text = list_text(&a[0])?;
    let inner = text.strip_prefix("#Ref<").and_then(|t| t.strip_suffix('>')).ok_or_else(bad)?;
    let (maker, number) = inner.rsplit_once('.').ok_or_else(bad)?;
    let (maker, number) = (Pid::parse(maker).ok_or_else(bad)?, number.parse().map_err(|_| bad())?);
    Ok(Term::Ref(Ref { maker, number }))
}

/// `string:list_to_integer/1` and `string:list_to_float/1`: the leading number, and the rest.
fn leading(t: &Term, float: bool) -> Res {
    let Some(elements) = t.to_vec() else { return Ok(Term::tagged(known::ERROR, Term::atom("not_a_list"))) };
    let c =
        |i: usize| elements.get(i).and_then(Term::as_int).and_then(|n| u8::try_from(n).ok()).map(char::from);
    let digits = |from: usize| (from..).take_while(|i| c(*i).is_some_and(|c| c.is_ascii_digit())).count();
    let none = || Ok(Term::tagged(known::ERROR, Term::atom(if float { "no_float" } else { "no_integer" })));
    let start = matches!(c(0), Some('+' | '-')) as usize;
    let mut end = start + digits(start);
    if end == start {
        return none();
    }
    if float {
        if !matches!(c(end), Some('.' | ',')) || digits(end + 1) == 0 {
            return none();
        }
        end += 1 + digits(end + 1);
        if matches!(c(end), Some('e' | 'E')) {
            let sign = matches!(c(end + 1), Some('+' | '-')) as usize;
            let exponent = digits(end + 1 + sign);
            if exponent > 0 {
                end += 1 + sign + exponent;
            }
        }
    }
    let text: String = (0..end).filter_map(c).map(|c| if c == ',' { '.' } else { c }).collect();
    let value = if float { floats::parse(&text).map(Term::Float) } else { number::from_base(&text, 10) };
    match value {
        Some(value) => Ok(Term::tuple([value, Term::list(elements[end..].to_vec())])),
        None => none(),
    }
}

const E: &str = "erlang";

pub static TABLE: &[Native] = &[
    Native::local(E, "atom_to_list", 1, |_, a| Ok(Term::string(atom_text(&a[0])?))),
    Native::local(E, "atom_to_binary", 2, |_, a| encoded(atom_text(&a[0])?, a.get(1))),
    Native::local(E, "list_to_atom", 1, |_, a| to_atom(&list_text(&a[0])?, false)),
    Native::local(E, "list_to_existing_atom", 1, |_, a| to_atom(&list_text(&a[0])?, true)),
    Native::local(E, "binary_to_atom", 2, |_, a| to_atom(&decoded(&a[0], a.get(1))?, false)),
    Native::local(E, "binary_to_existing_atom", 2, |_, a| to_atom(&decoded(&a[0], a.get(1))?, true)),
    Native::local(E, "integer_to_list", 1, |_, a| Ok(Term::string(&integer_text(a)?))),
    Native::local(E, "integer_to_list", 2, |_, a| Ok(Term::string(&integer_text(a)?))),
    Native::local(E, "integer_to_binary", 1, |_, a| Ok(Term::binary(integer_text(a)?.as_bytes()))),
    Native::local(E, "integer_to_binary", 2, |_, a| Ok(Term::binary(integer_text(a)?.as_bytes()))),
    Native::local(E, "list_to_integer", 1, |_, a| parse_integer(&list_text(&a[0])?, a)),
    Native::local(E, "list_to_integer", 2, |_, a| parse_integer(&list_text(&a[0])?, a)),
    Native::local(E, "binary_to_integer", 1, |_, a| parse_integer(&binary_text(&a[0])?, a)),
    Native::local(E, "binary_to_integer", 2, |_, a| parse_integer(&binary_text(&a[0])?, a)),
    Native::local(E, "float_to_list", 1, |_, a| Ok(Term::string(&floats::text(&a[0], &Term::Nil)?))),
    Native::local(E, "float_to_list", 2, |_, a| Ok(Term::string(&floats::text(&a[0], &a[1])?))),
    Native::local(E, "float_to_binary", 1, |_, a| {
        Ok(Term::binary(floats::text(&a[0], &Term::Nil)?.as_bytes()))
    }),
    Native::local(E, "float_to_binary", 2, |_, a| Ok(Term::binary(floats::text(&a[0], &a[1])?.as_bytes()))),
    Native::local(E, "list_to_float", 1, |_, a| floats::from_text(a[0].to_text())),
    Native::local(E, "binary_to_float", 1, |_, a| floats::from_text(binary_text(&a[0]).ok())),
    Native::local("string", "list_to_integer", 1, |_, a| leading(&a[0], false)),
    Native::local("string", "list_to_float", 1, |_, a| leading(&a[0], true)),
    Native::local(E, "binary_to_list", 1, |_, a| binary_to_list(a)),
    Native::local(E, "binary_to_list", 3, |_, a| binary_to_list(a)),
    Native::local(E, "bitstring_to_list", 1, bitstring_to_list),
    Native::local(E, "list_to_bitstring", 1, list_to_bitstring),
    Native::local(E, "list_to_binary", 1, list_to_binary),
    Native::local("binary", "list_to_bin", 1, list_to_binary),
    Native::local("binary", "bin_to_list", 1, |_, a| binary_to_list(a)),
    Native::local(E, "iolist_to_binary", 1, iolist_to_binary),
    Native::local(E, "iolist_size", 1, |r, a| iolist(r, a).map(|bytes| Term::from(bytes.len()))),
    Native::local(E, "iolist_to_iovec", 1, |r, a| {
        let bytes = iolist(r, a)?;
        Ok(if bytes.is_empty() { Term::Nil } else { Term::list([Term::binary(bytes)]) })
    }),
    Native::local(E, "term_to_binary", 1, term_to_binary),
    Native::local(E, "term_to_binary", 2, term_to_binary),
    Native::local(E, "term_to_iovec", 1, term_to_iovec),
    Native::local(E, "term_to_iovec", 2, term_to_iovec),
    Native::local(E, "binary_to_term", 1, |_, a| binary_to_term(a, None)),
    Native::local(E, "binary_to_term", 2, |_, a| binary_to_term(a, a.get(1))),
    Native::local(E, "external_size", 1, external_size),
    Native::local(E, "external_size", 2, external_size),
    Native::local(E, "tuple_to_list", 1, |_, a| Ok(Term::list(a[0].as_tuple().ok_or_else(bad)?.to_vec()))),
    Native::local(E, "list_to_tuple", 1, |_, a| Ok(Term::tuple(a[0].to_vec().ok_or_else(bad)?))),
    Native::local(E, "setelement", 3, setelement),
    Native::local(E, "make_tuple", 2, make_tuple),
    Native::local(E, "make_tuple", 3, make_tuple),
    Native::local(E, "append_element", 2, append_element),
    Native::local(E, "delete_element", 2, delete_element),
    Native::local(E, "insert_element", 3, insert_element),
    Native::local(E, "split_binary", 2, split_binary),
    Native::local(E, "pid_to_list", 1, |_, a| match &a[0] {
        Term::Pid(p) => Ok(Term::string(&format!("<{p}>"))),
        _ => Err(bad()),
    }),
    Native::local(E, "ref_to_list", 1, |_, a| match &a[0] {
        Term::Ref(r) => Ok(Term::string(&r.to_string())),
        _ => Err(bad()),
    }),
    Native::local(E, "fun_to_list", 1, |_, a| match &a[0] {
        Term::Fun(fun) => Ok(Term::string(&match &**fun {
            Fun::Local { module, index, old_uniq, .. } => {
                format!("#Fun<{}.{index}.{old_uniq}>", Term::Atom(*module))
            }
            Fun::Export { .. } => a[0].to_string(),
        })),
        _ => Err(bad()),
    }),
    Native::local(E, "list_to_pid", 1, list_to_pid),
    Native::local(E, "list_to_ref", 1, list_to_ref),
];
