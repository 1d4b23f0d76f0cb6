//! `Arc` and `Weak` whose reference counts are operations. Each is a real one, asked for leave before every change of a
//! count and before every look at one.

mod convert;
mod of_std;
mod strong;
mod traits;
mod wake;
mod weak;

pub use strong::Arc;
pub use wake::Wake;
pub use weak::Weak;
