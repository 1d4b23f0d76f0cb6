//! The arguments of `#[raddle::test(..)]`, as the expression that builds its `Checker`. Every mistake is
//! reported at its tokens; the settings without mistakes are kept.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::Error;

use crate::keys::{self, Key, Role};
use crate::value::argument;

/// The settings of one test.
#[derive(Default)]
pub struct Settings {
    /// The keys so far, each with the word that named it, also those with an invalid value.
    seen: Vec<(&'static Key, Ident)>,
    /// `exhaustive()`, `random(100)`: the strategy as a call.
    strategy: Option<TokenStream>,
    /// `seed(7)`, `workers(2)`: the other settings as calls, in source order.
    setters: Vec<TokenStream>,
}

impl Settings {
    /// Parses the tokens between the parentheses.
    pub fn parse(args: TokenStream) -> (Settings, Option<Error>) {
        let mut settings = Settings::default();
        let mut mistakes = Vec::new();
        for entry in entries(args) {
            mistakes.extend(entry.and_then(|entry| settings.add(entry)).err());
        }
        mistakes.extend(settings.without_effect());
        let errors = mistakes.into_iter().reduce(|mut errors, error| {
            errors.combine(error);
            errors
        });
        (settings, errors)
    }

    /// The settings that have no effect with the strategy. Their order does not matter.
    fn without_effect(&self) -> Vec<Error> {
        let strategy = self.seen.iter().find(|(key, _)| key.is_strategy());
        let strategy = strategy.map_or("exhaustive", |(key, _)| key.name);
        let idle = self.seen.iter().filter(|(key, _)| !key.applies.with(strategy));
        let mistake = |(key, word): &(&Key, Ident)| {
            let (name, applies) = (key.name, key.applies.words());
            Error::new_spanned(word, format!("`{name}` applies to {applies}, not to `{strategy}`"))
        };
        idle.map(mistake).collect()
    }

    /// Adds `key` or `key = value`.
    fn add(&mut self, entry: Vec<TokenTree>) -> syn::Result<()> {
        let mut tokens = entry.into_iter();
        let word = match tokens.next() {
            Some(TokenTree::Ident(word)) => word,
            other => {
                let message = format!("expected a setting; the settings are {}", keys::listed());
                let entry = other.into_iter().chain(tokens).collect::<TokenStream>();
                return Err(Error::new_spanned(entry, message));
            }
        };
        let Some(key) = keys::find(&word.to_string()) else {
            let message = format!("unknown setting `{word}`; the settings are {}", keys::listed());
            return Err(Error::new_spanned(word, message));
        };
        let is_rival = |other: &Key| other.name == key.name || other.is_strategy() && key.is_strategy();
        match self.seen.iter().map(|(key, _)| *key).find(|other| is_rival(other)) {
            None => self.seen.push((key, word.clone())),
            Some(other) if other.name == key.name => {
                return Err(Error::new_spanned(word, format!("`{}` is set twice", key.name)));
            }
            Some(other) => {
                let message =
                    format!("`{}` and `{}` are both strategies; a test has one", other.name, key.name);
                return Err(Error::new_spanned(word, message));
            }
        }

        let value = match tokens.next() {
            None => None,
            Some(TokenTree::Punct(equals)) if equals.as_char() == '=' => {
                Some(tokens.collect::<TokenStream>())
            }
            Some(other) => {
                let message = format!("expected `,` or `=` after `{}`, as in `{}`", key.name, key.example);
                return Err(Error::new_spanned(other, message));
            }
        };
        let argument = argument(key, &word, value)?;
        // Named like the function, with the span of the user's word: type errors and editors refer to it.
        let function = Ident::new(key.name, Span::mixed_site().located_at(word.span()));
        let call = quote_spanned!(Span::mixed_site()=> #function(#argument));
        match key.role {
            Role::Strategy => self.strategy = Some(call),
            Role::Setter => self.setters.push(call),
        }
        Ok(())
    }
}

impl ToTokens for Settings {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Settings { seen: _, strategy, setters } = self;
        let exhaustive = quote_spanned!(Span::mixed_site()=> exhaustive());
        let strategy = strategy.as_ref().unwrap_or(&exhaustive);
        tokens.extend(quote_spanned!(Span::mixed_site()=> ::raddle::Checker::#strategy #(.#setters)*));
    }
}

/// The tokens between the commas. A trailing comma is allowed; an empty entry is an error.
fn entries(args: TokenStream) -> Vec<syn::Result<Vec<TokenTree>>> {
    let mut entries = Vec::new();
    let mut entry = Vec::new();
    for token in args {
        match token {
            TokenTree::Punct(comma) if comma.as_char() == ',' => {
                let nothing = || Error::new_spanned(&comma, "expected a setting before `,`");
                let entry = std::mem::take(&mut entry);
                entries.push(if entry.is_empty() { Err(nothing()) } else { Ok(entry) });
            }
            token => entry.push(token),
        }
    }
    if !entry.is_empty() {
        entries.push(Ok(entry));
    }
    entries
}

#[cfg(test)]
mod tests;
