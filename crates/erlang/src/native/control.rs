//! Exceptions, `apply`, the process dictionary, and a process's information about itself.

use super::{Native, Run, Special};
use crate::run::{Class, Raise, Res, Runner};
use crate::term::{Term, known};

type R<'a, 'b> = &'a mut Runner<'b>;

fn error2(r: R, a: &[Term]) -> Res {
    let args = if a[1].is_atom(known::NONE) { None } else { a[1].to_vec() };
    Err(Raise::with_trace(Class::Error, a[0].clone(), r.stack_trace(args)))
}

fn error1(r: R, a: &[Term]) -> Res {
    Err(Raise::with_trace(Class::Error, a[0].clone(), r.stack_trace(None)))
}

fn raise(_: R, a: &[Term]) -> Res {
    match Class::of(&a[0]) {
        Some(class) if a[2].to_vec().is_some() => Err(Raise::with_trace(class, a[1].clone(), a[2].clone())),
        _ => Ok(Term::Atom(known::BADARG)),
    }
}

fn put(r: R, a: &[Term]) -> Res {
    let old = r.p.dictionary.get(&a[0]).cloned();
    r.p.dictionary.insert(a[0].clone(), a[1].clone());
    Ok(old.unwrap_or(Term::Atom(known::UNDEFINED)))
}

fn get_all(r: R, _: &[Term]) -> Res {
    let pair = |(k, v): &(Term, Term)| Term::tuple([k.clone(), v.clone()]);
    Ok(Term::list(r.p.dictionary.entries().iter().map(pair).collect::<Vec<_>>()))
}

fn erase_all(r: R, a: &[Term]) -> Res {
    let all = get_all(r, a)?;
    r.p.dictionary = Default::default();
    Ok(all)
}

fn get_keys(r: R, a: &[Term]) -> Res {
    let of = |e: &&(Term, Term)| a.first().is_none_or(|value| e.1 == *value);
    Ok(Term::list(r.p.dictionary.entries().iter().filter(of).map(|e| e.0.clone()).collect::<Vec<_>>()))
}

const E: &str = "erlang";

pub static TABLE: &[Native] = &[
    Native { module: E, function: "apply", arity: 2, run: Run::Special(Special::ApplyFun) },
    Native { module: E, function: "apply", arity: 3, run: Run::Special(Special::ApplyMfa) },
    Native { module: E, function: "nif_error", arity: 1, run: Run::Special(Special::NifError) },
    Native { module: E, function: "nif_error", arity: 2, run: Run::Special(Special::NifError) },
    Native::local(E, "error", 1, error1),
    Native::local(E, "error", 2, error2),
    Native::local(E, "error", 3, error2),
    Native::local(E, "exit", 1, |_, a| Err(Raise::new(Class::Exit, a[0].clone()))),
    Native::local(E, "throw", 1, |_, a| Err(Raise::new(Class::Throw, a[0].clone()))),
    Native::local(E, "raise", 3, raise),
    Native::local(E, "put", 2, put),
    Native::local(E, "get", 0, get_all),
    Native::local(E, "get", 1, |r, a| {
        Ok(r.p.dictionary.get(&a[0]).cloned().unwrap_or(Term::Atom(known::UNDEFINED)))
    }),
    Native::local(E, "get_keys", 0, get_keys),
    Native::local(E, "get_keys", 1, get_keys),
    Native::local(E, "erase", 0, erase_all),
    Native::local(E, "erase", 1, |r, a| {
        Ok(r.p.dictionary.remove(&a[0]).unwrap_or(Term::Atom(known::UNDEFINED)))
    }),
    Native::local(E, "make_ref", 0, |r, _| Ok(Term::Ref(r.p.make_ref()))),
    Native::local(E, "yield", 0, |_, _| Ok(Term::bool(true))),
    Native::local(E, "bump_reductions", 1, |_, _| Ok(Term::bool(true))),
    Native::local(E, "garbage_collect", 0, |_, _| Ok(Term::bool(true))),
    Native::local("raddle", "print", 1, |r, a| {
        let text = match a[0].iolist_bytes() {
            Some(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            None => a[0].to_text().unwrap_or_else(|| a[0].to_string()),
        };
        r.p.print(text);
        Ok(Term::Atom(known::OK))
    }),
];
