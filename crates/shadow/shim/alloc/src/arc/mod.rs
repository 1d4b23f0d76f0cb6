//! `Arc` and `Weak` whose reference counts are operations. Each wraps a real one, and takes a step before every change
//! of a count and before every read of one.

mod convert;
mod of_std;
mod strong;
mod traits;
mod wake;
mod weak;

pub use strong::Arc;
pub use wake::Wake;
pub use weak::Weak;
