//! The `math` module.

use super::Native;
use crate::run::{Raise, Res, Runner};
use crate::term::{Term, number};

type R<'a, 'b> = &'a mut Runner<'b>;

fn one(a: &[Term], f: fn(f64) -> f64) -> Res {
    let x = number::to_f64(&a[0]).ok_or_else(Raise::badarith)?;
    Ok(number::float(f(x))?)
}

fn two(a: &[Term], f: fn(f64, f64) -> f64) -> Res {
    let x = number::to_f64(&a[0]).ok_or_else(Raise::badarith)?;
    let y = number::to_f64(&a[1]).ok_or_else(Raise::badarith)?;
    Ok(number::float(f(x, y))?)
}

fn fmod(_: R, a: &[Term]) -> Res {
    two(a, |x, y| x % y)
}

const M: &str = "math";

pub static TABLE: &[Native] = &[
    Native::local(M, "acos", 1, |_, a| one(a, f64::acos)),
    Native::local(M, "acosh", 1, |_, a| one(a, f64::acosh)),
    Native::local(M, "asin", 1, |_, a| one(a, f64::asin)),
    Native::local(M, "asinh", 1, |_, a| one(a, f64::asinh)),
    Native::local(M, "atan", 1, |_, a| one(a, f64::atan)),
    Native::local(M, "atanh", 1, |_, a| one(a, f64::atanh)),
    Native::local(M, "atan2", 2, |_, a| two(a, f64::atan2)),
    Native::local(M, "ceil", 1, |_, a| one(a, f64::ceil)),
    Native::local(M, "floor", 1, |_, a| one(a, f64::floor)),
    Native::local(M, "cos", 1, |_, a| one(a, f64::cos)),
    Native::local(M, "cosh", 1, |_, a| one(a, f64::cosh)),
    Native::local(M, "exp", 1, |_, a| one(a, f64::exp)),
    Native::local(M, "log", 1, |_, a| one(a, f64::ln)),
    Native::local(M, "log10", 1, |_, a| one(a, f64::log10)),
    Native::local(M, "log2", 1, |_, a| one(a, f64::log2)),
    Native::local(M, "pow", 2, |_, a| two(a, f64::powf)),
    Native::local(M, "fmod", 2, fmod),
    Native::local(M, "sin", 1, |_, a| one(a, f64::sin)),
    Native::local(M, "sinh", 1, |_, a| one(a, f64::sinh)),
    Native::local(M, "sqrt", 1, |_, a| one(a, f64::sqrt)),
    Native::local(M, "tan", 1, |_, a| one(a, f64::tan)),
    Native::local(M, "tanh", 1, |_, a| one(a, f64::tanh)),
    Native::local(M, "pi", 0, |_, _| Ok(Term::Float(std::f64::consts::PI))),
];
