//! The list functions of `erlang` and `lists` that OTP implements in C.

use super::Native;
use crate::run::{Raise, Res, Runner};
use crate::term::{Term, known, order};

type R<'a, 'b> = &'a mut Runner<'b>;

fn proper(t: &Term) -> Result<Vec<Term>, Raise> {
    t.to_vec().ok_or_else(Raise::badarg)
}

fn append(r: R, a: &[Term]) -> Res {
    if matches!(a[0], Term::Nil) {
        return Ok(a[1].clone());
    }
    let front = proper(&a[0])?;
    if !r.env.settings.has_room((front.len() * size_of::<crate::term::Cons>()) as u64) {
        return Err(Raise::TooLarge);
    }
    Ok(Term::list_onto(front, a[1].clone()))
}

fn subtract(_: R, a: &[Term]) -> Res {
    let mut left = proper(&a[0])?;
    for gone in proper(&a[1])? {
        if let Some(at) = left.iter().position(|t| *t == gone) {
            left.remove(at);
        }
    }
    Ok(Term::list(left))
}

fn member(_: R, a: &[Term]) -> Res {
    let mut iter = a[1].iter();
    if iter.by_ref().any(|t| *t == a[0]) {
        return Ok(Term::bool(true));
    }
    if matches!(iter.rest(), Term::Nil) { Ok(Term::bool(false)) } else { Err(Raise::badarg()) }
}

fn reverse_onto(list: &Term, tail: &Term) -> Res {
    let mut iter = list.iter();
    let mut out = tail.clone();
    for t in iter.by_ref() {
        out = Term::cons(t.clone(), out);
    }
    if matches!(iter.rest(), Term::Nil) { Ok(out) } else { Err(Raise::badarg()) }
}

fn find<'a>(a: &'a [Term]) -> Result<Option<&'a Term>, Raise> {
    let n = a[1].as_usize().filter(|n| *n > 0).ok_or_else(Raise::badarg)?;
    let mut iter = a[2].iter();
    let at = |t: &&'a Term| match t {
        Term::Tuple(t) => t.get(n - 1).is_some_and(|e| order::loose_eq(e, &a[0])),
        _ => false,
    };
    match iter.by_ref().find(at) {
        Some(found) => Ok(Some(found)),
        None if matches!(iter.rest(), Term::Nil) => Ok(None),
        None => Err(Raise::badarg()),
    }
}

fn keyfind(_: R, a: &[Term]) -> Res {
    Ok(find(a)?.cloned().unwrap_or(Term::bool(false)))
}

fn keysearch(_: R, a: &[Term]) -> Res {
    Ok(find(a)?.map_or(Term::bool(false), |t| Term::tagged(known::VALUE, t.clone())))
}

fn keymember(_: R, a: &[Term]) -> Res {
    Ok(Term::bool(find(a)?.is_some()))
}

const E: &str = "erlang";

pub static TABLE: &[Native] = &[
    Native::local(E, "++", 2, append),
    Native::local(E, "append", 2, append),
    Native::local(E, "--", 2, subtract),
    Native::local(E, "subtract", 2, subtract),
    Native::local("lists", "member", 2, member),
    Native::local("lists", "reverse", 2, |_, a| reverse_onto(&a[0], &a[1])),
    Native::local("lists", "keyfind", 3, keyfind),
    Native::local("lists", "keysearch", 3, keysearch),
    Native::local("lists", "keymember", 3, keymember),
];
