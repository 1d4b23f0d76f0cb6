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

// Rust has its own formulas for the next three. These are the C library's, as in Erlang, to the last bit.

fn acosh(x: f64) -> f64 {
    match x {
        x if x >= LARGE => x.ln() + std::f64::consts::LN_2,
        x if x > 2.0 => (2.0 * x - 1.0 / (x + (x * x - 1.0).sqrt())).ln(),
        x if x >= 1.0 => {
            let t = x - 1.0;
            (t + (2.0 * t + t * t).sqrt()).ln_1p()
        }
        _ => f64::NAN,
    }
}

fn asinh(x: f64) -> f64 {
    let a = x.abs();
    let value = match a {
        a if a < 1.0 / LARGE => a,
        a if a > LARGE => a.ln() + std::f64::consts::LN_2,
        a if a > 2.0 => (2.0 * a + 1.0 / ((a * a + 1.0).sqrt() + a)).ln(),
        a => (a + a * a / (1.0 + (1.0 + a * a).sqrt())).ln_1p(),
    };
    value.copysign(x)
}

fn atanh(x: f64) -> f64 {
    let a = x.abs();
    let value = match a {
        a if a < 1.0 / LARGE => a,
        a if a < 0.5 => {
            let t = a + a;
            0.5 * (t + t * a / (1.0 - a)).ln_1p()
        }
        a if a < 1.0 => 0.5 * ((a + a) / (1.0 - a)).ln_1p(),
        _ => f64::NAN,
    };
    value.copysign(x)
}

/// Beyond this, adding one to a square has no effect.
const LARGE: f64 = (1 << 28) as f64;

const M: &str = "math";

pub static TABLE: &[Native] = &[
    Native::local(M, "acos", 1, |_, a| one(a, f64::acos)),
    Native::local(M, "acosh", 1, |_, a| one(a, acosh)),
    Native::local(M, "asin", 1, |_, a| one(a, f64::asin)),
    Native::local(M, "asinh", 1, |_, a| one(a, asinh)),
    Native::local(M, "atan", 1, |_, a| one(a, f64::atan)),
    Native::local(M, "atanh", 1, |_, a| one(a, atanh)),
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
