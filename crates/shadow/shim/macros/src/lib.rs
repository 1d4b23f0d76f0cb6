//! The attribute `#[global_allocator]` as explored programs see it. A program has one global allocator, and that is
//! raddle's; the program's own is registered with it before `main`.

use proc_macro::{Delimiter, Group, TokenStream, TokenTree};

/// Leaves the static as it is, and registers it.
#[proc_macro_attribute]
pub fn global_allocator(_: TokenStream, item: TokenStream) -> TokenStream {
    let mut tokens = item.clone().into_iter();
    // `#[..] pub(..) static NAME: Type = value;`
    let found = tokens.any(|token| matches!(&token, TokenTree::Ident(word) if word.to_string() == "static"));
    let Some(TokenTree::Ident(name)) = tokens.next().filter(|_| found) else {
        return "::core::compile_error!(\"`#[global_allocator]` belongs on a static\");"
            .parse()
            .unwrap_or_default();
    };
    let text = "extern \"C\" fn make_known() { ::std::__raddle::use_allocator(&THEIRS); }
        #[used]
        #[unsafe(link_section = \".init_array\")]
        static BEFORE_MAIN: extern \"C\" fn() = make_known;";
    let body: TokenStream = text.parse().unwrap_or_default();
    let body = with_name(body, &TokenTree::Ident(name));
    let mut all = item;
    let constant: TokenStream = "const _: () =".parse().unwrap_or_default();
    all.extend(constant);
    all.extend([TokenTree::Group(Group::new(Delimiter::Brace, body))]);
    let end: TokenStream = ";".parse().unwrap_or_default();
    all.extend(end);
    all
}

/// The same tokens, with the static's name where it belongs.
fn with_name(tokens: TokenStream, name: &TokenTree) -> TokenStream {
    tokens
        .into_iter()
        .map(|token| match token {
            TokenTree::Ident(word) if word.to_string() == "THEIRS" => name.clone(),
            TokenTree::Group(group) => {
                TokenTree::Group(Group::new(group.delimiter(), with_name(group.stream(), name)))
            }
            other => other,
        })
        .collect()
}
