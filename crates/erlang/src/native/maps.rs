//! The functions of `maps` that OTP implements in C.

use super::Native;
use crate::run::{Raise, Res, Runner};
use crate::term::{Map, Term, known};

type R<'a, 'b> = &'a mut Runner<'b>;

fn map(t: &Term) -> Result<&Map, Raise> {
    t.as_map().ok_or_else(|| Raise::error(Term::tagged(known::BADMAP, t.clone())))
}

fn badkey(key: &Term) -> Raise {
    Raise::error(Term::tagged(known::BADKEY, key.clone()))
}

fn find(_: R, a: &[Term]) -> Res {
    Ok(map(&a[1])?.get(&a[0]).map_or(Term::Atom(known::ERROR), |v| Term::tagged(known::OK, v.clone())))
}

fn put(_: R, a: &[Term]) -> Res {
    let mut new = map(&a[2])?.clone();
    new.insert(a[0].clone(), a[1].clone());
    Ok(Term::map(new))
}

fn update(_: R, a: &[Term]) -> Res {
    let mut new = map(&a[2])?.clone();
    if new.get(&a[0]).is_none() {
        return Err(badkey(&a[0]));
    }
    new.insert(a[0].clone(), a[1].clone());
    Ok(Term::map(new))
}

fn remove(_: R, a: &[Term]) -> Res {
    let mut new = map(&a[1])?.clone();
    if new.remove(&a[0]).is_none() {
        return Ok(a[1].clone());
    }
    Ok(Term::map(new))
}

fn take(_: R, a: &[Term]) -> Res {
    let mut new = map(&a[1])?.clone();
    Ok(match new.remove(&a[0]) {
        Some(value) => Term::tuple([value, Term::map(new)]),
        None => Term::Atom(known::ERROR),
    })
}

fn merge(_: R, a: &[Term]) -> Res {
    let (first, second) = (map(&a[0])?, map(&a[1])?);
    let entries = first.entries().iter().chain(second.entries()).cloned().collect();
    Ok(Term::map(Map::from_entries(entries)))
}

fn keys(_: R, a: &[Term]) -> Res {
    Ok(Term::list(map(&a[0])?.entries().iter().map(|e| e.0.clone()).collect::<Vec<_>>()))
}

fn values(_: R, a: &[Term]) -> Res {
    Ok(Term::list(map(&a[0])?.entries().iter().map(|e| e.1.clone()).collect::<Vec<_>>()))
}

fn from_list(_: R, a: &[Term]) -> Res {
    let pair = |t: Term| match t.as_tuple() {
        Some([k, v]) => Ok((k.clone(), v.clone())),
        _ => Err(Raise::badarg()),
    };
    let list = a[0].to_vec().ok_or_else(Raise::badarg)?;
    let entries = list.into_iter().map(pair).collect::<Result<_, _>>()?;
    Ok(Term::map(Map::from_entries(entries)))
}

fn from_keys(_: R, a: &[Term]) -> Res {
    let keys = a[0].to_vec().ok_or_else(Raise::badarg)?;
    Ok(Term::map(Map::from_entries(keys.into_iter().map(|k| (k, a[1].clone())).collect())))
}

/// `erts_internal:map_next(Path, Map, Kind)`: an iterator returns all entries at once, as OTP does for small
/// maps.
fn next(_: R, a: &[Term]) -> Res {
    let Term::Map(m) = &a[1] else { return Err(Raise::badarg()) };
    if a[2].as_atom().is_some_and(|a| a.text() == "iterator") {
        let chain = |rest, (k, v): &(Term, Term)| Term::tuple([k.clone(), v.clone(), rest]);
        return Ok(m.entries().iter().rev().fold(Term::Atom(known::NONE), chain));
    }
    if a[2].is_list() {
        let pairs = m.entries().iter().map(|(k, v)| Term::tuple([k.clone(), v.clone()])).collect::<Vec<_>>();
        return Ok(Term::list_onto(pairs, a[2].clone()));
    }
    Err(Raise::badarg())
}

const M: &str = "maps";

pub static TABLE: &[Native] = &[
    Native::local(M, "find", 2, find),
    Native::local(M, "put", 3, put),
    Native::local(M, "update", 3, update),
    Native::local(M, "remove", 2, remove),
    Native::local(M, "take", 2, take),
    Native::local(M, "merge", 2, merge),
    Native::local(M, "keys", 1, keys),
    Native::local(M, "values", 1, values),
    Native::local(M, "from_list", 1, from_list),
    Native::local(M, "from_keys", 2, from_keys),
    Native::local("erts_internal", "map_next", 3, next),
    Native::local("erts_internal", "map_to_tuple_keys", 1, |_, a| {
        Ok(Term::tuple(map(&a[0])?.entries().iter().map(|e| e.0.clone()).collect::<Vec<_>>()))
    }),
];
