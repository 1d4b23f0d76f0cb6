//! Expands the attribute and its function to the test that the harness runs: an outer function of the same
//! name passes the function to a `Checker`. The valid parts are emitted even with errors, so that a mistake
//! in the attribute causes no second error about an unused import or a missing function.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::spanned::Spanned;

use crate::function::Function;
use crate::settings::Settings;

/// The expansion of `#[raddle::test(args)] item`.
pub fn expand(args: TokenStream, item: TokenStream) -> TokenStream {
    // Resolved in this crate: the paths below mean the same in every edition and macro.
    let site = Span::mixed_site();
    let (settings, errors) = Settings::parse(args);
    let errors = errors.map(|errors| errors.into_compile_error());
    match syn::parse2::<Function>(item.clone()) {
        Ok(function) => {
            let test = test(&settings, &function);
            quote_spanned!(site=> #errors #test)
        }
        Err(unfit) => {
            let unfit = unfit.into_compile_error();
            quote_spanned!(site=> #errors #unfit #[allow(dead_code, unused_attributes)] #item)
        }
    }
}

fn test(settings: &Settings, function: &Function) -> TokenStream {
    let Function { attributes, visibility, keyword, name, output, body } = function;
    let text = name.to_string();
    // A wrong return type is an error about this call: it should point at the type.
    let at = if output.is_empty() { name.span() } else { output.span() };
    let call = quote_spanned! {Span::mixed_site().located_at(at)=>
        ::raddle::__private::run_test(
            #settings.name(::core::concat!(::core::module_path!(), "::", #text)),
            #name,
        )
    };
    // The inner function has the name of the outer one because items are not hygienic: any other name could
    // shadow one that the body uses.
    quote_spanned! {Span::mixed_site()=>
        #[::core::prelude::v1::test]
        #(#attributes)*
        #visibility #keyword #name() #output {
            #keyword #name() #output #body
            #call
        }
    }
}

#[cfg(test)]
mod tests;
