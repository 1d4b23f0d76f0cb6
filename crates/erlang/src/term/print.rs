//! Prints terms as `io:format("~w")` does, on one line, but with strings as text.

use super::{Fun, Term, number};
use std::fmt;

/// Prints an atom, in quotes where they are needed.
pub fn atom(text: &str, f: &mut impl fmt::Write) -> fmt::Result {
    const RESERVED: [&str; 28] = [
        "after", "and", "andalso", "band", "begin", "bnot", "bor", "bsl", "bsr", "bxor", "case", "catch",
        "cond", "div", "end", "fun", "if", "let", "maybe", "not", "of", "or", "orelse", "receive", "rem",
        "try", "when", "xor",
    ];
    let starts = text.chars().next().is_some_and(|c| c.is_lowercase());
    let plain = starts && text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '@');
    if plain && !RESERVED.contains(&text) {
        return f.write_str(text);
    }
    f.write_str("'")?;
    for c in text.chars() {
        match c {
            '\'' | '\\' => write!(f, "\\{c}")?,
            '\n' => f.write_str("\\n")?,
            c => write!(f, "{c}")?,
        }
    }
    f.write_str("'")
}

/// A float as Erlang prints it: the shortest text that reads back as the same value.
pub fn float(value: f64) -> String {
    let text = format!("{value:e}");
    let (digits, exponent) = text.split_once('e').expect("an exponent");
    let exponent: i32 = exponent.parse().expect("a number");
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |d| ("-", d));
    let plain: String = digits.chars().filter(|c| *c != '.').collect();
    // Erlang prints the shorter of 1234.5 and 1.2345e3, and the plain form if both are equally long.
    let point = exponent + 1;
    let fixed = if value == 0.0 {
        "0.0".to_owned()
    } else if point <= 0 {
        format!("0.{}{plain}", "0".repeat(-point as usize))
    } else if (point as usize) < plain.len() {
        format!("{}.{}", &plain[..point as usize], &plain[point as usize..])
    } else {
        format!("{plain}{}.0", "0".repeat(point as usize - plain.len()))
    };
    let mut scientific = plain[..1].to_owned() + ".";
    scientific += if plain.len() > 1 { &plain[1..] } else { "0" };
    scientific += &format!("e{exponent}");
    // Integers from 2^53 on are always printed with an exponent.
    let large = value.abs() >= 9_007_199_254_740_992.0;
    if large || scientific.len() < fixed.len() {
        format!("{sign}{scientific}")
    } else {
        format!("{sign}{fixed}")
    }
}

fn is_text(t: &Term) -> bool {
    let mut iter = t.iter();
    let printable = |t: &Term| matches!(t, Term::Int(n) if (32..127).contains(n) || *n == 10 || *n == 9);
    iter.by_ref().all(printable) && matches!(iter.rest(), Term::Nil)
}

fn quoted(text: impl Iterator<Item = char>, f: &mut impl fmt::Write) -> fmt::Result {
    f.write_str("\"")?;
    for c in text {
        match c {
            '"' | '\\' => write!(f, "\\{c}")?,
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            c => write!(f, "{c}")?,
        }
    }
    f.write_str("\"")
}

/// An integer in decimal. (The results of all executions are printed; [`fmt`] takes ten times as long.)
fn decimal(n: i64, f: &mut impl fmt::Write) -> fmt::Result {
    const LONGEST: usize = 20;
    if (0..10).contains(&n) {
        return f.write_char((b'0' + n as u8) as char);
    }
    let (mut digits, mut at, mut left) = ([b'0'; LONGEST], LONGEST, n.unsigned_abs());
    while left > 0 || at == LONGEST {
        at -= 1;
        digits[at] = b'0' + (left % 10) as u8;
        left /= 10;
    }
    if n < 0 {
        f.write_str("-")?;
    }
    digits[at..].iter().try_for_each(|digit| f.write_char(*digit as char))
}

fn separated<W: fmt::Write>(elements: &[Term], f: &mut W) -> fmt::Result {
    for (i, element) in elements.iter().enumerate() {
        if i > 0 {
            f.write_str(",")?;
        }
        print(element, f)?;
    }
    Ok(())
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print(self, f)
    }
}

fn print<W: fmt::Write>(term: &Term, f: &mut W) -> fmt::Result {
    match term {
        Term::Nil => f.write_str("[]"),
        Term::Int(n) => decimal(*n, f),
        Term::Big(n) => write!(f, "{n}"),
        Term::Float(x) => f.write_str(&float(*x)),
        Term::Atom(a) => atom(a.text(), f),
        Term::Cons(_) if is_text(term) => {
            quoted(term.iter().map(|t| t.as_int().unwrap_or(0) as u8 as char), f)
        }
        Term::Cons(_) => {
            f.write_str("[")?;
            let mut iter = term.iter();
            for (i, element) in iter.by_ref().enumerate() {
                if i > 0 {
                    f.write_str(",")?;
                }
                print(element, f)?;
            }
            if !matches!(iter.rest(), Term::Nil) {
                f.write_str("|")?;
                print(iter.rest(), f)?;
            }
            f.write_str("]")
        }
        Term::Tuple(elements) => {
            f.write_str("{")?;
            separated(elements, f)?;
            f.write_str("}")
        }
        Term::Map(map) => {
            f.write_str("#{")?;
            for (i, (key, value)) in map.entries().iter().enumerate() {
                if i > 0 {
                    f.write_str(",")?;
                }
                print(key, f)?;
                f.write_str(" => ")?;
                print(value, f)?;
            }
            f.write_str("}")
        }
        Term::Bits(bits) => {
            f.write_str("<<")?;
            let text = bits.to_text().filter(|t| {
                !t.is_empty() && t.chars().all(|c| (' '..='~').contains(&c) || c == '\n' || c == '\t')
            });
            if let Some(text) = text {
                quoted(text.chars(), f)?;
            } else {
                for i in 0..bits.len().div_ceil(8) {
                    if i > 0 {
                        f.write_str(",")?;
                    }
                    let size = (bits.len() - i * 8).min(8);
                    match size {
                        8 => write!(f, "{}", bits.byte(i))?,
                        n => write!(f, "{}:{n}", bits.byte(i) >> (8 - n))?,
                    }
                }
            }
            f.write_str(">>")
        }
        Term::Fun(fun) => match &**fun {
            Fun::Export { module, function, arity } => write!(f, "fun {module}:{function}/{arity}"),
            Fun::Local { module, index, arity, .. } => write!(f, "#Fun<{module}.{index}/{arity}>"),
        },
        Term::Pid(pid) => write!(f, "{pid}"),
        Term::Ref(r) => write!(f, "{r}"),
        Term::Context(_) => f.write_str("#Match"),
        Term::Catch(..) => f.write_str("#Catch"),
    }
}

/// The longest text of a result.
const LONGEST: usize = 1 << 20;

/// A text that is cut where it is too long.
struct Cut(String);

impl fmt::Write for Cut {
    #[inline]
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.push_str(text);
        if self.0.len() > LONGEST { Err(fmt::Error) } else { Ok(()) }
    }
    #[inline]
    fn write_char(&mut self, c: char) -> fmt::Result {
        self.0.push(c);
        if self.0.len() > LONGEST { Err(fmt::Error) } else { Ok(()) }
    }
}

impl Term {
    /// Its text, or the beginning of it: parts of a small term may be shared, and then its text is endless.
    pub fn to_short_text(&self) -> String {
        let mut text = Cut(String::with_capacity(64));
        match print(self, &mut text) {
            Ok(()) => text.0,
            Err(_) => text.0 + "...",
        }
    }
}

impl fmt::Debug for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// An integer in decimal; none if it is no integer.
pub fn integer(t: &Term) -> Option<String> {
    number::to_base(t, 10)
}
