//! Conversions between floats and text.

use crate::run::{Raise, Res};
use crate::term::{Term, print};

/// The options of `float_to_list`.
enum Form {
    Short,
    Scientific(usize),
    Decimals(usize, bool),
}

fn form(options: &Term) -> Result<Form, Raise> {
    let mut form = Form::Scientific(20);
    let mut compact = false;
    for option in options.to_vec().ok_or_else(Raise::badarg)? {
        match (option.as_atom().map(|a| a.text()), option.as_tuple()) {
            (Some("short"), _) => form = Form::Short,
            (Some("compact"), _) => compact = true,
            (_, Some([key, n])) => {
                let n = n.as_usize().filter(|n| *n <= 253).ok_or_else(Raise::badarg)?;
                form = match key.as_atom().map(|a| a.text()) {
                    Some("decimals") => Form::Decimals(n, false),
                    Some("scientific") if n <= 249 => Form::Scientific(n),
                    _ => return Err(Raise::badarg()),
                };
            }
            _ => return Err(Raise::badarg()),
        }
    }
    Ok(match form {
        Form::Decimals(n, _) => Form::Decimals(n, compact),
        other => other,
    })
}

/// A float as text, as in `float_to_list` and `float_to_binary`.
pub fn text(value: &Term, options: &Term) -> Result<String, Raise> {
    let Term::Float(f) = value else { return Err(Raise::badarg()) };
    Ok(match form(options)? {
        Form::Short => print::float(*f),
        Form::Scientific(digits) => {
            let text = format!("{f:.digits$e}");
            let (mantissa, exponent) = text.split_once('e').expect("an exponent");
            let exponent: i32 = exponent.parse().expect("a number");
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{mantissa}e{sign}{:02}", exponent.abs())
        }
        Form::Decimals(digits, compact) => {
            let mut text = format!("{f:.digits$}");
            if compact && text.contains('.') {
                text.truncate(text.trim_end_matches('0').len());
                if text.ends_with('.') {
                    text.push('0');
                }
            }
            text
        }
    })
}

/// Parses a whole text as a float; Erlang requires digits on both sides of the point.
pub fn parse(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((m, e)) => (m, Some(e)),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.')?;
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let exponent_fits = exponent.is_none_or(|e| digits(e.strip_prefix(['+', '-']).unwrap_or(e)));
    if !digits(whole) || !digits(fraction) || !exponent_fits {
        return None;
    }
    text.parse::<f64>().ok().filter(|f| f.is_finite())
}

/// Parses a float, or raises `badarg`.
pub fn from_text(text: Option<String>) -> Res {
    text.as_deref().and_then(parse).map(Term::Float).ok_or_else(Raise::badarg)
}
