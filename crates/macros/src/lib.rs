//! The attribute `#[raddle::test]`: a test function becomes the program that a `Checker` explores. This crate
//! only rearranges tokens; the code that runs is in the `raddle` crate, which re-exports this one.

use proc_macro::TokenStream;

mod duration;
mod expand;
mod function;
mod keys;
mod settings;
mod value;

/// Explores the interleavings of a test, under `cargo test` and `cargo nextest` like any `#[test]`.
///
/// ```text
/// #[raddle::test]
/// fn every_interleaving() { .. }
///
/// #[raddle::test(random = 10_000, seed = 7, workers = 2)]
/// #[should_panic(expected = "lost update")]
/// fn sampled() { .. }
/// ```
///
/// The function takes no parameters and may return whatever `#[test]` allows, `Result<(), E>` for example.
/// All its other attributes (`#[should_panic]`, `#[ignore]`, `#[cfg(..)]`, doc comments) are kept.
///
/// # Settings
///
/// One strategy at most; without one the search is `exhaustive`. A setting that has no effect with the strategy, such as
/// a seed where nothing is drawn, is an error.
///
/// | strategy               | explores                                                         |
/// |------------------------|------------------------------------------------------------------|
/// | `exhaustive`           | everything, as few executions as possible                        |
/// | `dfs`                  | every interleaving, depth first, without reduction               |
/// | `random = 10_000`      | that many random schedules                                       |
/// | `replay = "ticket"`    | the one execution of a ticket: its text, or the file it is in    |
///
/// | setting                | meaning                                                          |
/// |------------------------|------------------------------------------------------------------|
/// | `seed = 7`             | the seed of all random choices                                   |
/// | `workers = 2`          | OS threads that search, each with executions of its own          |
/// | `preemptions = 2`      | the maximal number of preemptions in an execution                |
/// | `max_steps = 10_000`   | an execution with more steps fails                               |
/// | `spurious = 1`         | how many spurious wake-ups and weak compare-exchange failures    |
/// | `time = any`           | timers fire at any point, or when no task is enabled: `idle`     |
/// | `time_limit = "5s"`    | when to stop searching: `ms`, `s`, `m`, `h`, or whole seconds    |
/// | `checkpoint = "30s"`   | how often the search saves itself while it goes on               |
/// | `stack_size = 65_536`  | bytes of stack for each task                                     |
/// | `keep_going`           | continue after the first failure                                 |
/// | `observers`            | leaves the order of messages open that are never received        |
/// | `detached = finished`  | detached tasks must be done when the test returns, or `allowed`  |
/// | `stale_reads = 1`      | how many loads read an older store than the last, at most        |
/// | `memory = "rc11"`      | the memory model of atomics: `"auto"`, `"sc"`, `"tso"`, `"pso"`, `"rc11"` |
/// | `spins = wait`         | spin loops wait until something changes, and never give up       |
///
/// # With another test attribute
///
/// A function with two test attributes would run twice, so a second one below this one is an error. One
/// *above* it, as in `#[test] #[raddle::test] fn ..`, is consumed by the compiler before this attribute is
/// expanded: do not write that.
#[proc_macro_attribute]
pub fn test(args: TokenStream, item: TokenStream) -> TokenStream {
    expand::expand(args.into(), item.into()).into()
}
