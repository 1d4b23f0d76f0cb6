//! Arithmetic. Integers are normalised, floats are finite, and the errors are Erlang's.

use super::Term;
use num_bigint::{BigInt, Sign};
use num_traits::{FromPrimitive, Signed, ToPrimitive, Zero};
use std::rc::Rc;

/// The operation has no result: `badarith`, or `system_limit` for integers beyond Erlang's limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArithError {
    /// An operand is no number, or a division by zero, or a float out of range.
    Bad,
    /// An integer larger than Erlang allows.
    SystemLimit,
}

type Result = std::result::Result<Term, ArithError>;

/// Erlang's largest integers have this many bits.
const MAX_BITS: u64 = 64 * ((1 << 26) - 1);

/// A normalised integer.
pub fn of_big(n: BigInt) -> Term {
    match n.to_i64() {
        Some(small) => Term::Int(small),
        None => Term::Big(Rc::new(n)),
    }
}

/// A normalised integer.
pub fn of_u64(n: u64) -> Term {
    i64::try_from(n).map_or_else(|_| Term::Big(Rc::new(BigInt::from(n))), Term::Int)
}

/// A normalised integer.
pub fn of_i128(n: i128) -> Term {
    i64::try_from(n).map_or_else(|_| Term::Big(Rc::new(BigInt::from(n))), Term::Int)
}

/// The integer as a `BigInt`.
pub fn big(t: &Term) -> Option<BigInt> {
    match t {
        Term::Int(n) => Some(BigInt::from(*n)),
        Term::Big(n) => Some((**n).clone()),
        _ => None,
    }
}

/// The number as a float; none if it is no number or too large.
pub fn to_f64(t: &Term) -> Option<f64> {
    match t {
        Term::Int(n) => Some(*n as f64),
        Term::Big(n) => {
            // Digit by digit, most significant first, with rounding each time: as in OTP.
            let digits = n.to_u64_digits().1;
            let base = 18_446_744_073_709_551_616.0_f64;
            let magnitude = digits.iter().rev().fold(0.0, |sum, digit| sum * base + *digit as f64);
            Some(if n.is_negative() { -magnitude } else { magnitude }).filter(|f| f.is_finite())
        }
        Term::Float(f) => Some(*f),
        _ => None,
    }
}

/// A finite float.
pub fn float(f: f64) -> Result {
    if f.is_finite() { Ok(Term::Float(f)) } else { Err(ArithError::Bad) }
}

fn bad<T>(t: Option<T>) -> std::result::Result<T, ArithError> {
    t.ok_or(ArithError::Bad)
}

fn mixed(a: &Term, b: &Term, ints: fn(BigInt, BigInt) -> BigInt, floats: fn(f64, f64) -> f64) -> Result {
    match (big(a), big(b)) {
        (Some(a), Some(b)) => {
            let n = ints(a, b);
            if n.bits() > MAX_BITS { Err(ArithError::SystemLimit) } else { Ok(of_big(n)) }
        }
        _ => float(floats(bad(to_f64(a))?, bad(to_f64(b))?)),
    }
}

/// `A + B`
#[inline]
pub fn add(a: &Term, b: &Term) -> Result {
    if let (Term::Int(a), Term::Int(b)) = (a, b)
        && let Some(n) = a.checked_add(*b)
    {
        return Ok(Term::Int(n));
    }
    mixed(a, b, |a, b| a + b, |a, b| a + b)
}

/// `A - B`
#[inline]
pub fn sub(a: &Term, b: &Term) -> Result {
    if let (Term::Int(a), Term::Int(b)) = (a, b)
        && let Some(n) = a.checked_sub(*b)
    {
        return Ok(Term::Int(n));
    }
    mixed(a, b, |a, b| a - b, |a, b| a - b)
}

/// `A * B`
pub fn mul(a: &Term, b: &Term) -> Result {
    if let (Term::Int(a), Term::Int(b)) = (a, b)
        && let Some(n) = a.checked_mul(*b)
    {
        return Ok(Term::Int(n));
    }
    mixed(a, b, |a, b| a * b, |a, b| a * b)
}

/// `A / B`
pub fn div_float(a: &Term, b: &Term) -> Result {
    let (a, b) = (bad(to_f64(a))?, bad(to_f64(b))?);
    if b == 0.0 { Err(ArithError::Bad) } else { float(a / b) }
}

fn integers(a: &Term, b: &Term) -> std::result::Result<(BigInt, BigInt), ArithError> {
    Ok((bad(big(a))?, bad(big(b))?))
}

/// `A div B`
pub fn div(a: &Term, b: &Term) -> Result {
    if let (Term::Int(a), Term::Int(b)) = (a, b)
        && let Some(n) = a.checked_div(*b)
    {
        return Ok(Term::Int(n));
    }
    let (a, b) = integers(a, b)?;
    if b.is_zero() { Err(ArithError::Bad) } else { Ok(of_big(a / b)) }
}

/// `A rem B`
pub fn rem(a: &Term, b: &Term) -> Result {
    if let (Term::Int(a), Term::Int(b)) = (a, b)
        && let Some(n) = a.checked_rem(*b)
    {
        return Ok(Term::Int(n));
    }
    let (a, b) = integers(a, b)?;
    if b.is_zero() { Err(ArithError::Bad) } else { Ok(of_big(a % b)) }
}

/// `A band B`
pub fn band(a: &Term, b: &Term) -> Result {
    if let (Term::Int(a), Term::Int(b)) = (a, b) {
        return Ok(Term::Int(a & b));
    }
    let (a, b) = integers(a, b)?;
    Ok(of_big(a & b))
}

/// `A bor B`
pub fn bor(a: &Term, b: &Term) -> Result {
    if let (Term::Int(a), Term::Int(b)) = (a, b) {
        return Ok(Term::Int(a | b));
    }
    let (a, b) = integers(a, b)?;
    Ok(of_big(a | b))
}

/// `A bxor B`
pub fn bxor(a: &Term, b: &Term) -> Result {
    if let (Term::Int(a), Term::Int(b)) = (a, b) {
        return Ok(Term::Int(a ^ b));
    }
    let (a, b) = integers(a, b)?;
    Ok(of_big(a ^ b))
}

/// `bnot A`
pub fn bnot(a: &Term) -> Result {
    match a {
        Term::Int(n) => Ok(Term::Int(!n)),
        _ => Ok(of_big(!bad(big(a))?)),
    }
}

/// `A bsl B`
pub fn bsl(a: &Term, b: &Term) -> Result {
    shift(a, b, false)
}

/// `A bsr B`
pub fn bsr(a: &Term, b: &Term) -> Result {
    shift(a, b, true)
}

fn shift(a: &Term, b: &Term, right: bool) -> Result {
    let (a, b) = integers(a, b)?;
    let left = b.is_negative() == right;
    if left {
        if a.is_zero() {
            return Ok(Term::Int(0));
        }
        match b.magnitude().to_u64() {
            Some(by) if a.bits().saturating_add(by) <= MAX_BITS => Ok(of_big(a << by)),
            _ => Err(ArithError::SystemLimit),
        }
    } else {
        match b.magnitude().to_u64() {
            Some(by) if by <= a.bits() => Ok(of_big(a >> by)),
            _ => Ok(Term::Int(if a.is_negative() { -1 } else { 0 })),
        }
    }
}

/// `-A`
pub fn neg(a: &Term) -> Result {
    match a {
        Term::Float(f) => Ok(Term::Float(-f)),
        _ => sub(&Term::Int(0), a),
    }
}

/// `+A`
pub fn plus(a: &Term) -> Result {
    match a {
        Term::Int(_) | Term::Big(_) | Term::Float(_) => Ok(a.clone()),
        _ => Err(ArithError::Bad),
    }
}

/// `abs(A)`; none if it is no number.
pub fn abs(a: &Term) -> Option<Term> {
    match a {
        Term::Float(f) => Some(Term::Float(f.abs())),
        _ => Some(of_big(big(a)?.abs())),
    }
}

/// The float, which is a whole number, as an integer.
pub fn of_whole(f: f64) -> Option<Term> {
    BigInt::from_f64(f).map(of_big)
}

/// `floor(A)`, `ceil(A)`, `round(A)`, `trunc(A)`, by what is done to floats; none if it is no number.
pub fn whole(a: &Term, how: fn(f64) -> f64) -> Option<Term> {
    match a {
        Term::Int(_) | Term::Big(_) => Some(a.clone()),
        Term::Float(f) => of_whole(how(*f)),
        _ => None,
    }
}

/// An integer in some base, as Erlang prints it.
pub fn to_base(t: &Term, base: u32) -> Option<String> {
    Some(big(t)?.to_str_radix(base).to_uppercase())
}

/// The integer that a text in some base stands for.
pub fn from_base(text: &str, base: u32) -> Option<Term> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(base)) {
        return None;
    }
    let n = BigInt::parse_bytes(digits.as_bytes(), base)?;
    Some(of_big(if text.starts_with('-') { -n } else { n }))
}

/// The integer's sign and magnitude, least significant byte first.
pub fn to_sign_bytes(t: &Term) -> Option<(bool, Vec<u8>)> {
    let (sign, bytes) = big(t)?.to_bytes_le();
    Some((sign == Sign::Minus, bytes))
}
