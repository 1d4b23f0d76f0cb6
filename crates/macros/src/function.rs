//! The function under `#[raddle::test]`: the parts that the expansion needs, or why it cannot be a test. The
//! return type and the body stay tokens, so that any Rust code passes through unparsed.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Error, LitStr, Token, Visibility};

/// A function that can be a test.
pub struct Function {
    /// All attributes but this one.
    pub attributes: Vec<Attribute>,
    pub visibility: Visibility,
    pub keyword: Token![fn],
    pub name: Ident,
    /// `-> Type`, or nothing.
    pub output: TokenStream,
    /// The body with its braces.
    pub body: Group,
}

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> syn::Result<Function> {
        let attributes = input.call(Attribute::parse_outer)?;
        let item = input.cursor().token_stream();
        let visibility = input.parse()?;
        let qualifiers = qualifiers(input)?;
        if !input.peek(Token![fn]) {
            return Err(Error::new_spanned(item, "`#[raddle::test]` is for functions"));
        }
        let keyword = input.parse()?;
        let name = input.call(Ident::parse_any)?;

        let mut errors = Vec::new();
        errors.extend(attributes.iter().filter_map(second_test));
        errors.extend(qualifiers.iter().map(unwanted_qualifier));
        if input.peek(Token![<]) {
            // The end of the angle brackets is hard to find, and later errors would repeat this one.
            errors
                .push(Error::new(input.span(), "a test cannot be generic: no caller chooses its parameters"));
            return Err(together(errors));
        }
        let parameters;
        syn::parenthesized!(parameters in input);
        let parameters = parameters.parse::<TokenStream>()?;
        if !parameters.is_empty() {
            let message = "a test takes no parameters: it is called by the test harness";
            errors.push(Error::new_spanned(parameters, message));
        }
        let mut output = input.parse::<TokenStream>()?.into_iter().collect::<Vec<_>>();
        let body = match output.pop() {
            Some(TokenTree::Group(body)) if is_block(&body) => body,
            _ => {
                errors.push(Error::new_spanned(&name, "a test needs a body"));
                return Err(together(errors));
            }
        };
        if let Some(bounds) =
            output.iter().find(|token| matches!(token, TokenTree::Ident(word) if word == "where"))
        {
            errors.push(Error::new_spanned(bounds, "a test cannot have a `where` clause"));
        }
        if errors.is_empty() {
            let output = output.into_iter().collect();
            Ok(Function { attributes, visibility, keyword, name, output, body })
        } else {
            Err(together(errors))
        }
    }
}

/// Braces, or the invisible delimiters that `macro_rules!` puts around a `$body:block`.
fn is_block(group: &Group) -> bool {
    match group.delimiter() {
        Delimiter::Brace => true,
        Delimiter::None => matches!(
            group.stream().into_iter().collect::<Vec<_>>().as_slice(),
            [TokenTree::Group(inner)] if is_block(inner)
        ),
        _ => false,
    }
}

/// The keywords between the visibility and `fn`.
fn qualifiers(input: ParseStream<'_>) -> syn::Result<Vec<(&'static str, Span)>> {
    let mut found = Vec::new();
    loop {
        let span = input.span();
        if input.parse::<Option<Token![async]>>()?.is_some() {
            found.push(("async", span));
        } else if input.parse::<Option<Token![const]>>()?.is_some() {
            found.push(("const", span));
        } else if input.parse::<Option<Token![unsafe]>>()?.is_some() {
            found.push(("unsafe", span));
        } else if input.parse::<Option<Token![extern]>>()?.is_some() {
            found.push(("extern", span));
            input.parse::<Option<LitStr>>()?;
        } else {
            return Ok(found);
        }
    }
}

fn unwanted_qualifier(&(word, span): &(&'static str, Span)) -> Error {
    let message = match word {
        "async" => {
            "a test cannot be `async`: make it a plain `fn` and use `raddle::future::block_on(async { .. })` inside"
        }
        "const" => "a test cannot be `const`",
        "unsafe" => "a test cannot be `unsafe`: use an `unsafe` block inside",
        _ => "a test cannot be `extern`",
    };
    Error::new(span, message)
}

/// `#[test]`, `#[tokio::test]`, `#[raddle::test]` again: each would register the function once more.
fn second_test(attribute: &Attribute) -> Option<Error> {
    let segments =
        attribute.path().segments.iter().map(|segment| segment.ident.to_string()).collect::<Vec<_>>();
    (segments.last()? == "test").then(|| {
        let path = segments.join("::");
        let message = format!(
            "the test would run twice: remove `#[{path}]`, for `#[raddle::test]` makes it a test already"
        );
        Error::new_spanned(attribute, message)
    })
}

fn together(errors: Vec<Error>) -> Error {
    errors
        .into_iter()
        .reduce(|mut all, error| {
            all.combine(error);
            all
        })
        .expect("called with the errors that were found")
}
