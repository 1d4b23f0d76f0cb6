//! Expansions as hand-written code, and every function that cannot be a test.

use super::expand;
use crate::function::Function;
use proc_macro2::TokenStream;

fn tokens(source: &str) -> TokenStream {
    source.parse().unwrap()
}

/// Asserts the expansion of `#[raddle::test(args)] item`, up to white space.
#[track_caller]
fn becomes(args: &str, item: &str, expected: &str) {
    assert_eq!(expand(tokens(args), tokens(item)).to_string(), tokens(expected).to_string());
}

/// Asserts that `item` cannot be a test: the source of each error, and its message.
#[track_caller]
fn unfit(item: &str, expected: &[(&str, &str)]) {
    let errors = syn::parse2::<Function>(tokens(item)).err().expect("an error");
    let errors = errors.into_iter().map(|error| (error.span().source_text().unwrap(), error.to_string()));
    let errors = errors.collect::<Vec<_>>();
    assert_eq!(
        errors.iter().map(|(at, message)| (at.as_str(), message.as_str())).collect::<Vec<_>>(),
        expected
    );
}

#[test]
fn a_plain_test() {
    becomes(
        "",
        "fn transfers() { let accounts = 2; }",
        r#"
        #[::core::prelude::v1::test]
        fn transfers() {
            fn transfers() { let accounts = 2; }
            ::raddle::__private::run_test(
                ::raddle::Checker::exhaustive().name(::core::concat!(::core::module_path!(), "::", "transfers")),
                transfers,
            )
        }"#,
    );
}

#[test]
fn settings_attributes_visibility_and_result_are_kept() {
    becomes(
        "random = 100, seed = 7",
        r#"
        /// Moves money.
        #[cfg(unix)]
        #[should_panic(expected = "lost")]
        #[ignore = "slow"]
        pub(crate) fn transfers() -> Result<(), Box<dyn Error>> { move_money()?; Ok(()) }"#,
        r#"
        #[::core::prelude::v1::test]
        /// Moves money.
        #[cfg(unix)]
        #[should_panic(expected = "lost")]
        #[ignore = "slow"]
        pub(crate) fn transfers() -> Result<(), Box<dyn Error>> {
            fn transfers() -> Result<(), Box<dyn Error>> { move_money()?; Ok(()) }
            ::raddle::__private::run_test(
                ::raddle::Checker::random(100)
                    .seed(7)
                    .name(::core::concat!(::core::module_path!(), "::", "transfers")),
                transfers,
            )
        }"#,
    );
}

#[test]
fn whatever_is_rust_passes_through() {
    becomes(
        "dfs",
        r#"
        #[doc = concat!("a", "b")]
        #[doc = include_str!("x.md")]
        fn r#match() -> Sized<{ N + 1 }> { #![allow(unused)] 'a: loop { break 'a } }"#,
        r#"
        #[::core::prelude::v1::test]
        #[doc = concat!("a", "b")]
        #[doc = include_str!("x.md")]
        fn r#match() -> Sized<{ N + 1 }> {
            fn r#match() -> Sized<{ N + 1 }> { #![allow(unused)] 'a: loop { break 'a } }
            ::raddle::__private::run_test(
                ::raddle::Checker::dfs().name(::core::concat!(::core::module_path!(), "::", "r#match")),
                r#match,
            )
        }"#,
    );
}

#[test]
fn a_mistake_in_the_settings_leaves_the_test() {
    becomes(
        "workers = x",
        "fn transfers() {}",
        r#"
        ::core::compile_error! { "`workers` takes an integer, as in `workers = 2`" }
        #[::core::prelude::v1::test]
        fn transfers() {
            fn transfers() {}
            ::raddle::__private::run_test(
                ::raddle::Checker::exhaustive().name(::core::concat!(::core::module_path!(), "::", "transfers")),
                transfers,
            )
        }"#,
    );
}

#[test]
fn what_cannot_be_a_test_is_left_as_it_was() {
    becomes(
        "dfs, dfs",
        "unsafe fn transfers() {}",
        r#"
        ::core::compile_error! { "`dfs` is set twice" }
        ::core::compile_error! { "a test cannot be `unsafe`: use an `unsafe` block inside" }
        #[allow(dead_code, unused_attributes)]
        unsafe fn transfers() {}"#,
    );
}

#[test]
fn qualifiers() {
    let block_on = "a test cannot be `async`: make it a plain `fn` and use `raddle::future::block_on(async { .. })` inside";
    unfit("async fn f() {}", &[("async", block_on)]);
    unfit("const fn f() {}", &[("const", "a test cannot be `const`")]);
    unfit("pub unsafe fn f() {}", &[("unsafe", "a test cannot be `unsafe`: use an `unsafe` block inside")]);
    unfit("extern \"C\" fn f() {}", &[("extern", "a test cannot be `extern`")]);
}

#[test]
fn parameters_and_generics() {
    let parameters = "a test takes no parameters: it is called by the test harness";
    unfit("fn f(n: usize, m: usize) {}", &[("n: usize, m: usize", parameters)]);
    unfit("fn f(&self) {}", &[("&self", parameters)]);
    unfit("fn f<T>() {}", &[("<", "a test cannot be generic: no caller chooses its parameters")]);
    unfit("fn f<'a>() {}", &[("<", "a test cannot be generic: no caller chooses its parameters")]);
    unfit("fn f() -> T where T: X {}", &[("where", "a test cannot have a `where` clause")]);
    unfit("fn f();", &[("f", "a test needs a body")]);
}

#[test]
fn a_second_test_attribute() {
    let twice = |path| {
        format!("the test would run twice: remove `#[{path}]`, for `#[raddle::test]` makes it a test already")
    };
    unfit("#[test] fn f() {}", &[("#[test]", &twice("test"))]);
    unfit("#[ignore] #[tokio::test(x)] fn f() {}", &[("#[tokio::test(x)]", &twice("tokio::test"))]);
    unfit("#[raddle::test(dfs)] fn f() {}", &[("#[raddle::test(dfs)]", &twice("raddle::test"))]);
}

#[test]
fn not_a_function() {
    let functions = "`#[raddle::test]` is for functions";
    unfit("/// Accounts.\nstruct Accounts(u8);", &[("struct Accounts(u8);", functions)]);
    unfit("mod m { fn f() {} }", &[("mod m { fn f() {} }", functions)]);
    unfit("const N: u8 = 1;", &[("const N: u8 = 1;", functions)]);
    unfit("unsafe impl Send for X {}", &[("unsafe impl Send for X {}", functions)]);
}

#[test]
fn all_mistakes_are_told_at_once() {
    let errors = syn::parse2::<Function>(tokens("#[test] async unsafe fn f(x: u8) where {}")).err().unwrap();
    let places = errors.into_iter().map(|error| error.span().source_text().unwrap()).collect::<Vec<_>>();
    assert_eq!(places, ["#[test]", "async", "unsafe", "x: u8", "where"]);
}
