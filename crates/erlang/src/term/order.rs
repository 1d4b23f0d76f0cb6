//! Erlang's term order, in its two forms: `==` has 1 and 1.0 equal, `=:=` does not.

use super::{Fun, Term};
use num_bigint::BigInt;
use num_traits::{FromPrimitive, Signed};
use std::cmp::Ordering;

fn rank(t: &Term) -> u8 {
    match t {
        Term::Int(_) | Term::Big(_) | Term::Float(_) => 0,
        Term::Atom(_) => 1,
        Term::Ref(_) => 2,
        Term::Fun(_) => 3,
        Term::Pid(_) => 5,
        Term::Tuple(_) => 6,
        Term::Map(_) => 7,
        Term::Nil => 8,
        Term::Cons(_) => 9,
        Term::Bits(_) => 10,
        Term::Context(_) => 11,
        Term::Catch(..) => 12,
    }
}

/// The order of `<`: numbers by value.
pub fn cmp(a: &Term, b: &Term) -> Ordering {
    compare(a, b, false)
}

/// The order of map keys: integers before floats, otherwise as [`cmp`].
pub fn cmp_keys(a: &Term, b: &Term) -> Ordering {
    compare(a, b, true)
}

/// `A =:= B`
pub fn exact_eq(a: &Term, b: &Term) -> bool {
    match (a, b) {
        (Term::Int(a), Term::Int(b)) => a == b,
        (Term::Atom(a), Term::Atom(b)) => a == b,
        (Term::Nil, Term::Nil) => true,
        (Term::Pid(a), Term::Pid(b)) => a == b,
        (Term::Ref(a), Term::Ref(b)) => a == b,
        (Term::Tuple(a), Term::Tuple(b)) => {
            std::rc::Rc::ptr_eq(a, b)
                || a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| exact_eq(a, b))
        }
        _ => compare(a, b, true) == Ordering::Equal,
    }
}

/// `A == B`
pub fn loose_eq(a: &Term, b: &Term) -> bool {
    cmp(a, b) == Ordering::Equal
}

fn compare(a: &Term, b: &Term, exact: bool) -> Ordering {
    let (mut a, mut b) = (a, b);
    loop {
        return match (a, b) {
            (Term::Int(a), Term::Int(b)) => a.cmp(b),
            (Term::Atom(a), Term::Atom(b)) => a.cmp(b),
            (Term::Cons(x), Term::Cons(y)) => {
                if std::rc::Rc::ptr_eq(x, y) {
                    return Ordering::Equal;
                }
                match compare(&x.head, &y.head, exact) {
                    Ordering::Equal => {
                        // Long lists must not overflow the stack.
                        (a, b) = (&x.tail, &y.tail);
                        continue;
                    }
                    other => other,
                }
            }
            (Term::Float(a), Term::Float(b)) => a.partial_cmp(b).expect("floats are finite"),
            (Term::Big(a), Term::Big(b)) => a.cmp(b),
            (Term::Int(_), Term::Big(b)) => sign_order(b).reverse(),
            (Term::Big(a), Term::Int(_)) => sign_order(a),
            (Term::Int(_) | Term::Big(_), Term::Float(f)) => {
                if exact {
                    Ordering::Less
                } else {
                    int_float(a, *f)
                }
            }
            (Term::Float(f), Term::Int(_) | Term::Big(_)) => {
                if exact {
                    Ordering::Greater
                } else {
                    int_float(b, *f).reverse()
                }
            }
            (Term::Tuple(a), Term::Tuple(b)) => {
                a.len().cmp(&b.len()).then_with(|| elements(a.iter(), b.iter(), exact))
            }
            (Term::Map(a), Term::Map(b)) => a
                .len()
                .cmp(&b.len())
                .then_with(|| {
                    elements(a.entries().iter().map(|e| &e.0), b.entries().iter().map(|e| &e.0), true)
                })
                .then_with(|| {
                    elements(a.entries().iter().map(|e| &e.1), b.entries().iter().map(|e| &e.1), exact)
                }),
            (Term::Pid(a), Term::Pid(b)) => a.cmp(b),
            (Term::Ref(a), Term::Ref(b)) => a.cmp(b),
            (Term::Bits(a), Term::Bits(b)) => a.cmp(b),
            (Term::Fun(a), Term::Fun(b)) => funs(a, b, exact),
            (Term::Context(a), Term::Context(b)) => a.bits.cmp(&b.bits).then(a.at.cmp(&b.at)),
            (Term::Catch(a, b), Term::Catch(c, d)) => (a, b).cmp(&(c, d)),
            _ => rank(a).cmp(&rank(b)),
        };
    }
}

fn elements<'a>(
    mut a: impl Iterator<Item = &'a Term>,
    mut b: impl Iterator<Item = &'a Term>,
    exact: bool,
) -> Ordering {
    loop {
        match (a.next(), b.next()) {
            (Some(a), Some(b)) => match compare(a, b, exact) {
                Ordering::Equal => {}
                other => return other,
            },
            _ => return Ordering::Equal,
        }
    }
}

/// How a big integer compares with any that fits in 64 bits.
fn sign_order(big: &BigInt) -> Ordering {
    if big.is_negative() { Ordering::Less } else { Ordering::Greater }
}

/// The exact order of an integer and a float.
fn int_float(int: &Term, f: f64) -> Ordering {
    let int = super::number::big(int).expect("an integer");
    let whole = BigInt::from_f64(f.trunc()).expect("floats are finite");
    int.cmp(&whole).then_with(|| 0.0_f64.partial_cmp(&f.fract()).expect("floats are finite"))
}

fn funs(a: &Fun, b: &Fun, exact: bool) -> Ordering {
    match (a, b) {
        (
            Fun::Export { module: m, function: f, arity: n },
            Fun::Export { module: m2, function: f2, arity: n2 },
        ) => (m, f, n).cmp(&(m2, f2, n2)),
        (
            Fun::Local { module: m, index: i, old_uniq: u, free: e, .. },
            Fun::Local { module: m2, index: i2, old_uniq: u2, free: e2, .. },
        ) => {
            (m, i, u, e.len()).cmp(&(m2, i2, u2, e2.len())).then_with(|| elements(e.iter(), e2.iter(), exact))
        }
        (Fun::Local { .. }, Fun::Export { .. }) => Ordering::Less,
        (Fun::Export { .. }, Fun::Local { .. }) => Ordering::Greater,
    }
}

impl PartialEq for Term {
    /// `=:=`
    fn eq(&self, other: &Term) -> bool {
        exact_eq(self, other)
    }
}
impl Eq for Term {}
impl PartialOrd for Term {
    fn partial_cmp(&self, other: &Term) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Term {
    /// The order of map keys, which agrees with `=:=`.
    fn cmp(&self, other: &Term) -> Ordering {
        cmp_keys(self, other)
    }
}
