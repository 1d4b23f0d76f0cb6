//! Match specifications: patterns, guards and bodies, as `ets:select` and `ets:match` need them.

use crate::run::Raise;
use crate::term::{Atom, Map, Pid, Term, known, number, order};
use std::cmp::Ordering;

/// One clause of a match specification.
struct Clause {
    head: Term,
    guards: Vec<Term>,
    body: Vec<Term>,
}

/// A match specification.
pub struct Spec {
    clauses: Vec<Clause>,
    me: Pid,
}

/// The values of the variables, by number.
type Bindings = Vec<Option<Term>>;

/// The number of `'$1'` and the like.
fn variable(a: Atom) -> Option<usize> {
    let digits = a.text().strip_prefix('$')?;
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok().filter(|n| *n < 100_000_000)
}

impl Spec {
    /// Parses a match specification.
    pub fn parse(t: &Term, me: Pid) -> Result<Spec, Raise> {
        let clause = |t: &Term| match t.as_tuple() {
            Some([head, guards, body]) => Ok(Clause {
                head: head.clone(),
                guards: guards.to_vec().ok_or_else(Raise::badarg)?,
                body: body.to_vec().filter(|b| !b.is_empty()).ok_or_else(Raise::badarg)?,
            }),
            _ => Err(Raise::badarg()),
        };
        let list = t.to_vec().filter(|l| !l.is_empty()).ok_or_else(Raise::badarg)?;
        let clauses = list.iter().map(clause).collect::<Result<_, _>>()?;
        Ok(Spec { clauses, me })
    }
    /// The value of the first clause that matches an object.
    pub fn run(&self, object: &Term) -> Result<Option<Term>, Raise> {
        for clause in &self.clauses {
            let mut bindings = Bindings::new();
            if !matches(&clause.head, object, &mut bindings) {
                continue;
            }
            let context = Context { bindings: &bindings, object, me: self.me };
            let mut holds = true;
            for guard in &clause.guards {
                if !matches!(context.value(guard)?, Some(t) if t.is_atom(known::TRUE)) {
                    holds = false;
                    break;
                }
            }
            if !holds {
                continue;
            }
            let mut value = Term::Nil;
            for expression in &clause.body {
                match context.value(expression)? {
                    Some(v) => value = v,
                    // A failure in a body yields 'EXIT'.
                    None => value = Term::Atom(known::EXIT_SIGNAL),
                }
            }
            return Ok(Some(value));
        }
        Ok(None)
    }
}

/// The values of the variables of a pattern, in order, if it matches.
pub fn match_values(pattern: &Term, object: &Term) -> Option<Vec<Term>> {
    let mut bindings = Bindings::new();
    matches(pattern, object, &mut bindings).then(|| bindings.into_iter().flatten().collect())
}

/// Whether a pattern matches.
pub fn is_match(pattern: &Term, object: &Term) -> bool {
    matches(pattern, object, &mut Bindings::new())
}

/// The key that a pattern fixes, if it fixes one.
pub fn fixed_key(pattern: &Term, keypos: usize) -> Option<Term> {
    let key = pattern.as_tuple()?.get(keypos - 1)?;
    is_ground(key).then(|| key.clone())
}

fn is_ground(t: &Term) -> bool {
    match t {
        Term::Atom(a) => *a != known::UNDERSCORE && variable(*a).is_none(),
        Term::Cons(_) => {
            let mut iter = t.iter();
            iter.by_ref().all(is_ground) && is_ground(iter.rest())
        }
        Term::Tuple(t) => t.iter().all(is_ground),
        Term::Map(m) => m.entries().iter().all(|(k, v)| is_ground(k) && is_ground(v)),
        _ => true,
    }
}

fn matches(pattern: &Term, object: &Term, bindings: &mut Bindings) -> bool {
    match pattern {
        Term::Atom(a) if *a == known::UNDERSCORE => true,
        Term::Atom(a) => match variable(*a) {
            Some(n) => {
                if bindings.len() <= n {
                    bindings.resize(n + 1, None);
                }
                match &bindings[n] {
                    Some(bound) => bound == object,
                    None => {
                        bindings[n] = Some(object.clone());
                        true
                    }
                }
            }
            None => object.is_atom(*a),
        },
        Term::Tuple(p) => match object {
            Term::Tuple(o) => {
                p.len() == o.len() && p.iter().zip(o.iter()).all(|(p, o)| matches(p, o, bindings))
            }
            _ => false,
        },
        Term::Cons(_) => {
            let (mut p, mut o) = (pattern, object);
            loop {
                match (p, o) {
                    (Term::Cons(pc), Term::Cons(oc)) => {
                        if !matches(&pc.head, &oc.head, bindings) {
                            return false;
                        }
                        (p, o) = (&pc.tail, &oc.tail);
                    }
                    (Term::Cons(_), _) => return false,
                    _ => return matches(p, o, bindings),
                }
            }
        }
        Term::Map(p) => match object {
            Term::Map(o) => {
                p.entries().iter().all(|(k, v)| o.get(k).is_some_and(|found| matches(v, found, bindings)))
            }
            _ => false,
        },
        _ => pattern == object,
    }
}

struct Context<'a> {
    bindings: &'a Bindings,
    object: &'a Term,
    me: Pid,
}

impl Context<'_> {
    /// The value of an expression; none if it fails.
    fn value(&self, t: &Term) -> Result<Option<Term>, Raise> {
        match t {
            Term::Atom(a) if *a == known::DOLLAR_UNDERSCORE => Ok(Some(self.object.clone())),
            Term::Atom(a) if *a == known::DOLLAR_DOLLAR => {
                Ok(Some(Term::list(self.bindings.iter().flatten().cloned().collect::<Vec<_>>())))
            }
            Term::Atom(a) => match variable(*a) {
                Some(n) => match self.bindings.get(n).cloned().flatten() {
                    Some(value) => Ok(Some(value)),
                    None => Err(Raise::badarg()),
                },
                None => Ok(Some(t.clone())),
            },
            Term::Tuple(elements) => self.call(elements),
            Term::Cons(_) => {
                let mut iter = t.iter();
                let mut list = Vec::new();
                for element in iter.by_ref() {
                    match self.value(element)? {
                        Some(v) => list.push(v),
                        None => return Ok(None),
                    }
                }
                let Some(tail) = self.value(iter.rest())? else { return Ok(None) };
                Ok(Some(Term::list_onto(list, tail)))
            }
            Term::Map(map) => {
                let mut entries = Vec::new();
                for (key, value) in map.entries() {
                    match (self.value(key)?, self.value(value)?) {
                        (Some(k), Some(v)) => entries.push((k, v)),
                        _ => return Ok(None),
                    }
                }
                Ok(Some(Term::map(Map::from_entries(entries))))
            }
            _ => Ok(Some(t.clone())),
        }
    }

    fn call(&self, elements: &[Term]) -> Result<Option<Term>, Raise> {
        let Some(first) = elements.first() else { return Err(Raise::badarg()) };
        // {{A, B}} constructs a tuple.
        if elements.len() == 1
            && let Term::Tuple(inner) = first
        {
            let mut values = Vec::new();
            for element in inner.iter() {
                match self.value(element)? {
                    Some(v) => values.push(v),
                    None => return Ok(None),
                }
            }
            return Ok(Some(Term::tuple(values)));
        }
        let Some(name) = first.as_atom().map(Atom::text) else { return Err(Raise::badarg()) };
        let rest = &elements[1..];
        match (name, rest) {
            ("const", [value]) => return Ok(Some(value.clone())),
            ("andalso" | "orelse", _) => {
                let stop = name == "orelse";
                let mut last = Some(Term::bool(!stop));
                for operand in rest {
                    last = self.value(operand)?;
                    if !matches!(last.as_ref().and_then(Term::as_bool), Some(b) if b != stop) {
                        break;
                    }
                }
                return Ok(last.filter(|t| t.as_bool().is_some()));
            }
            _ => {}
        }
        let mut args = Vec::new();
        for arg in rest {
            match self.value(arg)? {
                Some(v) => args.push(v),
                None => return Ok(None),
            }
        }
        self.function(name, &args)
    }

    fn function(&self, name: &str, a: &[Term]) -> Result<Option<Term>, Raise> {
        let ordered = |f: fn(Ordering) -> bool| Ok(Some(Term::bool(f(order::cmp(&a[0], &a[1])))));
        let is = |b: bool| Ok(Some(Term::bool(b)));
        match (name, a) {
            ("=:=", [x, y]) => is(x == y),
            ("=/=", [x, y]) => is(x != y),
            ("==", [_, _]) => ordered(|o| o == Ordering::Equal),
            ("/=", [_, _]) => ordered(|o| o != Ordering::Equal),
            ("<", [_, _]) => ordered(|o| o == Ordering::Less),
            (">", [_, _]) => ordered(|o| o == Ordering::Greater),
            ("=<", [_, _]) => ordered(|o| o != Ordering::Greater),
            (">=", [_, _]) => ordered(|o| o != Ordering::Less),
            ("not", [x]) => Ok(x.as_bool().map(|b| Term::bool(!b))),
            ("and" | "or" | "xor", _) => {
                let all: Option<Vec<bool>> = a.iter().map(Term::as_bool).collect();
                let fold = |all: Vec<bool>| match name {
                    "and" => all.iter().all(|b| *b),
                    "or" => all.iter().any(|b| *b),
                    _ => all.iter().filter(|b| **b).count() % 2 == 1,
                };
                Ok(all.map(|all| Term::bool(fold(all))))
            }
            ("is_atom", [x]) => is(matches!(x, Term::Atom(_))),
            ("is_float", [x]) => is(matches!(x, Term::Float(_))),
            ("is_integer", [x]) => is(x.is_integer()),
            ("is_list", [x]) => is(x.is_list()),
            ("is_number", [x]) => is(x.is_integer() || matches!(x, Term::Float(_))),
            ("is_pid", [x]) => is(matches!(x, Term::Pid(_))),
            ("is_port", [_]) => is(false),
            ("is_reference", [x]) => is(matches!(x, Term::Ref(_))),
            ("is_tuple", [x]) => is(matches!(x, Term::Tuple(_))),
            ("is_map", [x]) => is(matches!(x, Term::Map(_))),
            ("is_binary", [x]) => is(matches!(x, Term::Bits(b) if b.is_binary())),
            ("is_bitstring", [x]) => is(matches!(x, Term::Bits(_))),
            ("is_boolean", [x]) => is(x.as_bool().is_some()),
            ("is_function", [x]) => is(matches!(x, Term::Fun(_))),
            ("is_record", [x, tag, size]) => is(match x.as_tuple() {
                Some(t) if !t.is_empty() => t[0] == *tag && size.as_usize() == Some(t.len()),
                _ => false,
            }),
            ("is_map_key", [k, m]) => Ok(m.as_map().map(|m| Term::bool(m.get(k).is_some()))),
            ("map_get", [k, m]) => Ok(m.as_map().and_then(|m| m.get(k)).cloned()),
            ("map_size", [m]) => Ok(m.as_map().map(|m| Term::from(m.len()))),
            ("element", [n, t]) => {
                let at = n.as_usize().and_then(|n| n.checked_sub(1));
                Ok(at.and_then(|at| t.as_tuple().and_then(|t| t.get(at))).cloned())
            }
            ("hd", [Term::Cons(c)]) => Ok(Some(c.head.clone())),
            ("tl", [Term::Cons(c)]) => Ok(Some(c.tail.clone())),
            ("hd" | "tl", [_]) => Ok(None),
            ("length", [l]) => Ok(l.to_vec().map(|l| Term::from(l.len()))),
            ("tuple_size" | "size", [Term::Tuple(t)]) => Ok(Some(Term::from(t.len()))),
            ("byte_size" | "size", [Term::Bits(b)]) => Ok(Some(Term::from(b.len().div_ceil(8)))),
            ("bit_size", [Term::Bits(b)]) => Ok(Some(Term::from(b.len()))),
            ("tuple_size" | "size" | "byte_size" | "bit_size", [_]) => Ok(None),
            ("self", []) => Ok(Some(Term::Pid(self.me))),
            ("node", []) => Ok(Some(Term::Atom(known::NONODE))),
            ("+", [x, y]) => Ok(number::add(x, y).ok()),
            ("-", [x, y]) => Ok(number::sub(x, y).ok()),
            ("*", [x, y]) => Ok(number::mul(x, y).ok()),
            ("/", [x, y]) => Ok(number::div_float(x, y).ok()),
            ("div", [x, y]) => Ok(number::div(x, y).ok()),
            ("rem", [x, y]) => Ok(number::rem(x, y).ok()),
            ("band", [x, y]) => Ok(number::band(x, y).ok()),
            ("bor", [x, y]) => Ok(number::bor(x, y).ok()),
            ("bxor", [x, y]) => Ok(number::bxor(x, y).ok()),
            ("bsl", [x, y]) => Ok(number::bsl(x, y).ok()),
            ("bsr", [x, y]) => Ok(number::bsr(x, y).ok()),
            ("bnot", [x]) => Ok(number::bnot(x).ok()),
            ("abs", [x]) => Ok(number::abs(x)),
            ("round", [x]) => Ok(number::whole(x, f64::round)),
            ("trunc", [x]) => Ok(number::whole(x, f64::trunc)),
            ("float", [x]) => Ok(number::to_f64(x).map(Term::Float)),
            _ => Err(Raise::unsupported(format!(
                "the match specification function {name}/{} is not supported",
                a.len()
            ))),
        }
    }
}
