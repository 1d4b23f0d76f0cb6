//! Operators, type tests and other guard functions.

use super::Native;
use crate::run::{Raise, Res, Runner};
use crate::term::{Pid, Term, known, number, order};
use std::cmp::Ordering;

type R<'a, 'b> = &'a mut Runner<'b>;

fn bool_of(t: &Term) -> Result<bool, Raise> {
    t.as_bool().ok_or_else(Raise::badarg)
}

fn element(_: R, a: &[Term]) -> Res {
    match (a[0].as_usize(), &a[1]) {
        (Some(n), Term::Tuple(t)) if n >= 1 && n <= t.len() => Ok(t[n - 1].clone()),
        _ => Err(Raise::badarg()),
    }
}

fn length(_: R, a: &[Term]) -> Res {
    let mut iter = a[0].iter();
    let n = iter.by_ref().count();
    if matches!(iter.rest(), Term::Nil) { Ok(Term::from(n)) } else { Err(Raise::badarg()) }
}

/// The number of bits. Since OTP 26 the compiler also asks for the rest of a match context.
fn bits(t: &Term) -> Result<usize, Raise> {
    match t {
        Term::Bits(bits) => Ok(bits.len()),
        Term::Context(context) => Ok(context.bits.len() - context.at.get()),
        _ => Err(Raise::badarg()),
    }
}

fn bit_size(_: R, a: &[Term]) -> Res {
    bits(&a[0]).map(Term::from)
}

fn byte_size(_: R, a: &[Term]) -> Res {
    bits(&a[0]).map(|n| Term::from(n.div_ceil(8)))
}

fn whole(a: &[Term], how: fn(f64) -> f64) -> Res {
    number::whole(&a[0], how).ok_or_else(Raise::badarg)
}

fn is_record(a: &[Term]) -> Res {
    let Some(tag) = a[1].as_atom() else { return Err(Raise::badarg()) };
    let size = match a.get(2) {
        Some(n) => Some(n.as_int().filter(|n| *n >= 0).ok_or_else(Raise::badarg)? as usize),
        None => None,
    };
    Ok(Term::bool(match a[0].as_tuple() {
        Some(t) if !t.is_empty() => t[0].is_atom(tag) && size.is_none_or(|n| t.len() == n),
        _ => false,
    }))
}

fn is_function2(_: R, a: &[Term]) -> Res {
    let Some(n) = a[1].as_int().filter(|n| *n >= 0) else { return Err(Raise::badarg()) };
    Ok(Term::bool(matches!(&a[0], Term::Fun(f) if f.arity() as i64 == n)))
}

fn node_of(_: R, a: &[Term]) -> Res {
    match a[0] {
        Term::Pid(_) | Term::Ref(_) => Ok(Term::Atom(known::NONODE)),
        _ => Err(Raise::badarg()),
    }
}

fn self_pid(r: R, _: &[Term]) -> Res {
    Ok(Term::Pid(r.p.pid))
}

fn map_get(_: R, a: &[Term]) -> Res {
    match &a[1] {
        Term::Map(m) => {
            m.get(&a[0]).cloned().ok_or_else(|| Raise::error(Term::tagged(known::BADKEY, a[0].clone())))
        }
        other => Err(Raise::error(Term::tagged(known::BADMAP, other.clone()))),
    }
}

fn is_map_key(_: R, a: &[Term]) -> Res {
    match &a[1] {
        Term::Map(m) => Ok(Term::bool(m.get(&a[0]).is_some())),
        other => Err(Raise::error(Term::tagged(known::BADMAP, other.clone()))),
    }
}

fn map_size(_: R, a: &[Term]) -> Res {
    match &a[0] {
        Term::Map(m) => Ok(Term::from(m.len())),
        other => Err(Raise::error(Term::tagged(known::BADMAP, other.clone()))),
    }
}

fn binary_part(a: &[Term]) -> Res {
    let bits = a[0].as_bits().filter(|b| b.is_binary()).ok_or_else(Raise::badarg)?;
    let (Some(from), Some(len)) = (a[1].as_int(), a[2].as_int()) else { return Err(Raise::badarg()) };
    let (from, len) = if len < 0 { (from.saturating_add(len), len.saturating_neg()) } else { (from, len) };
    match (usize::try_from(from), usize::try_from(len)) {
        (Ok(from), Ok(len)) if from.checked_add(len).is_some_and(|end| end <= bits.len() / 8) => {
            Ok(Term::Bits(std::rc::Rc::new(bits.part(from * 8, len * 8))))
        }
        _ => Err(Raise::badarg()),
    }
}

fn binary_part2(_: R, a: &[Term]) -> Res {
    match a[1].as_tuple() {
        Some([from, len]) => binary_part(&[a[0].clone(), from.clone(), len.clone()]),
        _ => Err(Raise::badarg()),
    }
}

fn min(_: R, a: &[Term]) -> Res {
    Ok(if order::cmp(&a[0], &a[1]) == Ordering::Greater { a[1].clone() } else { a[0].clone() })
}

fn max(_: R, a: &[Term]) -> Res {
    Ok(if order::cmp(&a[0], &a[1]) == Ordering::Less { a[1].clone() } else { a[0].clone() })
}

const E: &str = "erlang";

pub static TABLE: &[Native] = &[
    Native::local(E, "+", 2, |_, a| Ok(number::add(&a[0], &a[1])?)),
    Native::local(E, "-", 2, |_, a| Ok(number::sub(&a[0], &a[1])?)),
    Native::local(E, "*", 2, |_, a| Ok(number::mul(&a[0], &a[1])?)),
    Native::local(E, "/", 2, |_, a| Ok(number::div_float(&a[0], &a[1])?)),
    Native::local(E, "div", 2, |_, a| Ok(number::div(&a[0], &a[1])?)),
    Native::local(E, "rem", 2, |_, a| Ok(number::rem(&a[0], &a[1])?)),
    Native::local(E, "band", 2, |_, a| Ok(number::band(&a[0], &a[1])?)),
    Native::local(E, "bor", 2, |_, a| Ok(number::bor(&a[0], &a[1])?)),
    Native::local(E, "bxor", 2, |_, a| Ok(number::bxor(&a[0], &a[1])?)),
    Native::local(E, "bsl", 2, |_, a| Ok(number::bsl(&a[0], &a[1])?)),
    Native::local(E, "bsr", 2, |_, a| Ok(number::bsr(&a[0], &a[1])?)),
    Native::local(E, "bnot", 1, |_, a| Ok(number::bnot(&a[0])?)),
    Native::local(E, "-", 1, |_, a| Ok(number::neg(&a[0])?)),
    Native::local(E, "+", 1, |_, a| Ok(number::plus(&a[0])?)),
    Native::local(E, "abs", 1, |_, a| number::abs(&a[0]).ok_or_else(Raise::badarg)),
    Native::local(E, "floor", 1, |_, a| whole(a, f64::floor)),
    Native::local(E, "ceil", 1, |_, a| whole(a, f64::ceil)),
    Native::local(E, "round", 1, |_, a| whole(a, f64::round)),
    Native::local(E, "trunc", 1, |_, a| whole(a, f64::trunc)),
    Native::local(E, "float", 1, |_, a| number::to_f64(&a[0]).map(Term::Float).ok_or_else(Raise::badarg)),
    Native::local(E, "=:=", 2, |_, a| Ok(Term::bool(a[0] == a[1]))),
    Native::local(E, "=/=", 2, |_, a| Ok(Term::bool(a[0] != a[1]))),
    Native::local(E, "==", 2, |_, a| Ok(Term::bool(order::loose_eq(&a[0], &a[1])))),
    Native::local(E, "/=", 2, |_, a| Ok(Term::bool(!order::loose_eq(&a[0], &a[1])))),
    Native::local(E, "<", 2, |_, a| Ok(Term::bool(order::cmp(&a[0], &a[1]) == Ordering::Less))),
    Native::local(E, ">", 2, |_, a| Ok(Term::bool(order::cmp(&a[0], &a[1]) == Ordering::Greater))),
    Native::local(E, "=<", 2, |_, a| Ok(Term::bool(order::cmp(&a[0], &a[1]) != Ordering::Greater))),
    Native::local(E, ">=", 2, |_, a| Ok(Term::bool(order::cmp(&a[0], &a[1]) != Ordering::Less))),
    Native::local(E, "and", 2, |_, a| {
        let (x, y) = (bool_of(&a[0])?, bool_of(&a[1])?);
        Ok(Term::bool(x && y))
    }),
    Native::local(E, "or", 2, |_, a| {
        let (x, y) = (bool_of(&a[0])?, bool_of(&a[1])?);
        Ok(Term::bool(x || y))
    }),
    Native::local(E, "xor", 2, |_, a| Ok(Term::bool(bool_of(&a[0])? != bool_of(&a[1])?))),
    Native::local(E, "not", 1, |_, a| Ok(Term::bool(!bool_of(&a[0])?))),
    Native::local(E, "is_atom", 1, |_, a| Ok(Term::bool(matches!(a[0], Term::Atom(_))))),
    Native::local(E, "is_binary", 1, |_, a| Ok(Term::bool(matches!(&a[0], Term::Bits(b) if b.is_binary())))),
    Native::local(E, "is_bitstring", 1, |_, a| Ok(Term::bool(matches!(a[0], Term::Bits(_))))),
    Native::local(E, "is_boolean", 1, |_, a| Ok(Term::bool(a[0].as_bool().is_some()))),
    Native::local(E, "is_float", 1, |_, a| Ok(Term::bool(matches!(a[0], Term::Float(_))))),
    Native::local(E, "is_function", 1, |_, a| Ok(Term::bool(matches!(a[0], Term::Fun(_))))),
    Native::local(E, "is_function", 2, is_function2),
    Native::local(E, "is_integer", 1, |_, a| Ok(Term::bool(a[0].is_integer()))),
    Native::local(E, "is_list", 1, |_, a| Ok(Term::bool(a[0].is_list()))),
    Native::local(E, "is_map", 1, |_, a| Ok(Term::bool(matches!(a[0], Term::Map(_))))),
    Native::local(E, "is_number", 1, |_, a| {
        Ok(Term::bool(a[0].is_integer() || matches!(a[0], Term::Float(_))))
    }),
    Native::local(E, "is_pid", 1, |_, a| Ok(Term::bool(matches!(a[0], Term::Pid(_))))),
    Native::local(E, "is_port", 1, |_, _| Ok(Term::bool(false))),
    Native::local(E, "is_reference", 1, |_, a| Ok(Term::bool(matches!(a[0], Term::Ref(_))))),
    Native::local(E, "is_tuple", 1, |_, a| Ok(Term::bool(matches!(a[0], Term::Tuple(_))))),
    Native::local(E, "is_record", 2, |_, a| is_record(a)),
    Native::local(E, "is_record", 3, |_, a| is_record(a)),
    Native::local(E, "element", 2, element),
    Native::local(E, "hd", 1, |_, a| match &a[0] {
        Term::Cons(c) => Ok(c.head.clone()),
        _ => Err(Raise::badarg()),
    }),
    Native::local(E, "tl", 1, |_, a| match &a[0] {
        Term::Cons(c) => Ok(c.tail.clone()),
        _ => Err(Raise::badarg()),
    }),
    Native::local(E, "length", 1, length),
    Native::local(E, "tuple_size", 1, |_, a| {
        a[0].as_tuple().map(|t| Term::from(t.len())).ok_or_else(Raise::badarg)
    }),
    Native::local(E, "size", 1, |_, a| match &a[0] {
        Term::Tuple(t) => Ok(Term::from(t.len())),
        other => bits(other).map(|n| Term::from(n / 8)),
    }),
    Native::local(E, "bit_size", 1, bit_size),
    Native::local(E, "byte_size", 1, byte_size),
    Native::local(E, "map_size", 1, map_size),
    Native::local(E, "map_get", 2, map_get),
    Native::local(E, "is_map_key", 2, is_map_key),
    Native::local("maps", "get", 2, map_get),
    Native::local("maps", "is_key", 2, is_map_key),
    Native::local(E, "binary_part", 2, binary_part2),
    Native::local(E, "binary_part", 3, |_, a| binary_part(a)),
    Native::local("binary", "part", 2, binary_part2),
    Native::local("binary", "part", 3, |_, a| binary_part(a)),
    Native::local(E, "self", 0, self_pid),
    Native::local(E, "node", 0, |_, _| Ok(Term::Atom(known::NONODE))),
    Native::local(E, "node", 1, node_of),
    Native::local(E, "min", 2, min),
    Native::local(E, "max", 2, max),
    Native::local(E, "group_leader", 0, |r, _| Ok(Term::Pid(r.p.group_leader))),
    Native::local(E, "system_flag", 2, |_, _| {
        Err(Raise::unsupported("erlang:system_flag/2 is not supported"))
    }),
    Native::local("raddle", "user", 0, |_, _| Ok(Term::Pid(Pid::user()))),
];
