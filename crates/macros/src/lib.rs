//! The attribute `#[raddle::test]`: a test function becomes the program that a `Checker` explores.
//! Only tokens are moved here; everything that runs lives in the `raddle` crate, which re-exports this one.

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
/// One strategy at most; without one the search is `exhaustive`.
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
/// | `preemptions = 2`      | at most so many preemptions in an execution                      |
/// | `max_steps = 10_000`   | an execution with more steps fails                               |
/// | `spurious = 1`         | so many spurious wake-ups and weak compare-exchange failures     |
/// | `time = any`           | timers fire at any point, or only when nothing else runs: `idle` |
/// | `time_limit = "5s"`    | when to stop searching: `ms`, `s`, `m`, `h`, or whole seconds    |
/// | `stack_size = 65_536`  | bytes of stack for each task                                     |
/// | `keep_going`           | go on after the first failure                                    |
/// | `observers`            | leaves the order of messages open that nobody receives           |
/// | `detached = finished`  | tasks left when the test returns must be done, or are `allowed`  |
/// | `spins = wait`         | loops that wait do so until something changes, and never give up |
///
/// # With another test attribute
///
/// A function with two test attributes would run twice, so a second one below this one is an error. One *above*
/// it, as in `#[test] #[raddle::test] fn ..`, is used up by the compiler before this attribute can see it: do not
/// write that.
#[proc_macro_attribute]
pub fn test(args: TokenStream, item: TokenStream) -> TokenStream {
    expand::expand(args.into(), item.into()).into()
}
