//! The value of one setting: from the tokens after `=` to the argument of the `Checker`'s function. Values
//! are literals and words, never expressions, so that an invalid one is reported here in plain words.

use std::ops::RangeInclusive;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{Error, Lit, LitInt};

use crate::duration::{LONGEST, milliseconds};
use crate::keys::{Key, Takes};

/// The argument of `Checker`'s function for `word = value`.
pub fn argument(key: &Key, word: &Ident, value: Option<TokenStream>) -> syn::Result<TokenStream> {
    let Key { name, example, .. } = key;
    let site = Span::mixed_site();
    let value = match (key.takes, value) {
        (Takes::Nothing, None) => return Ok(TokenStream::new()),
        (Takes::Nothing, Some(value)) => {
            let at = if value.is_empty() { word.to_token_stream() } else { value };
            return Err(Error::new_spanned(at, format!("`{name}` takes no value")));
        }
        (_, Some(value)) if !value.is_empty() => value,
        (_, _) => return Err(Error::new_spanned(word, format!("`{name}` needs a value, as in `{example}`"))),
    };
    let wrong = |what: &str| Error::new_spanned(&value, format!("`{name}` takes {what}, as in `{example}`"));
    match key.takes {
        Takes::Nothing => unreachable!("it has no value"),
        Takes::Integer { of, min, max } => match syn::parse2(value.clone()) {
            Ok(Lit::Int(integer)) => within(&integer, &value, key, of, min..=max).map(|_| value),
            _ => Err(wrong("an integer")),
        },
        Takes::Text => match syn::parse2(value.clone()) {
            Ok(Lit::Str(_)) => Ok(value),
            _ => Err(wrong("a string")),
        },
        Takes::Duration => match syn::parse2(value.clone()) {
            Ok(Lit::Int(integer)) => {
                let seconds = within(&integer, &value, key, "u64", 1..=LONGEST / 1_000)?;
                Ok(quote_spanned!(site=> ::core::time::Duration::from_secs(#seconds)))
            }
            Ok(Lit::Str(text)) => match milliseconds(&text.value()) {
                Some(0) => Err(Error::new_spanned(&value, format!("`{name}` must be more than nothing"))),
                Some(millis) => Ok(quote_spanned!(site=> ::core::time::Duration::from_millis(#millis))),
                None => Err(wrong("a whole number of `ms`, `s`, `m` or `h`")),
            },
            _ => Err(wrong("a string with a unit or an integer of seconds")),
        },
        Takes::Sampler => match syn::parse2(value.clone()) {
            Ok(Lit::Str(name)) => Ok(quote_spanned!(name.span()=> {
                const SAMPLER: ::raddle::Sampler = ::raddle::__private::sampler(#name);
                SAMPLER
            })),
            _ => Err(wrong("a string")),
        },
        Takes::Name { of, variants } => {
            let written = match syn::parse2(value.clone()) {
                Ok(Lit::Str(text)) => text.value(),
                _ => return Err(wrong("a string")),
            };
            let Some((_, variant)) = variants.iter().find(|(word, _)| *word == written) else {
                let words = variants.iter().map(|(word, _)| format!("`\"{word}\"`")).collect::<Vec<_>>();
                return Err(Error::new_spanned(&value, format!("`{name}` takes {}", words.join(" or "))));
            };
            let (of, variant) = (Ident::new(of, site), Ident::new(variant, site));
            Ok(quote_spanned!(site=> ::raddle::#of::#variant))
        }
        Takes::Word { of, variants } => {
            let written =
                syn::parse2::<Ident>(value.clone()).map(|word| word.to_string()).unwrap_or_default();
            let Some((_, variant)) = variants.iter().find(|(word, _)| *word == written) else {
                let words = variants.iter().map(|(word, _)| format!("`{word}`")).collect::<Vec<_>>();
                return Err(Error::new_spanned(&value, format!("`{name}` takes {}", words.join(" or "))));
            };
            let (of, variant) = (Ident::new(of, site), Ident::new(variant, site));
            Ok(quote_spanned!(site=> ::raddle::#of::#variant))
        }
    }
}

/// The integer, if it is in `range` and has no suffix or that of its type. `at` is its source: a negative one
/// is two tokens.
fn within(
    integer: &LitInt,
    at: &TokenStream,
    key: &Key,
    of: &str,
    range: RangeInclusive<u64>,
) -> syn::Result<u64> {
    let name = key.name;
    if !["", of].contains(&integer.suffix()) {
        return Err(Error::new_spanned(at, format!("`{name}` is a `{of}`; write it without a suffix")));
    }
    let bound = match integer.base10_parse::<u64>() {
        Ok(number) if range.contains(&number) => return Ok(number),
        Ok(number) if number < *range.start() => format!("at least {}", range.start()),
        Err(_) if integer.base10_digits().starts_with('-') => format!("at least {}", range.start()),
        _ => format!("at most {}", range.end()),
    };
    Err(Error::new_spanned(at, format!("`{name}` must be {bound}")))
}
