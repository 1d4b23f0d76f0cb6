//! Where atomics live, and which value of a static an execution sees.

pub(crate) mod address;
pub(crate) mod overlay;
pub(crate) mod stale_addresses;
