//! `alloc` as explored programs see it: the real one. Its `Arc` is the real one too, unless reference counts are to be
//! operations.
#![no_std]
#![cfg_attr(
    feature = "track-arc",
    feature(
        arbitrary_self_types,
        clone_to_uninit,
        coerce_unsized,
        dispatch_from_dyn,
        dropck_eyepatch,
        legacy_receiver_trait,
        pin_coerce_unsized_trait,
        unsize
    )
)]

extern crate alloc as real;

pub use real::*;

#[cfg(feature = "track-arc")]
mod arc;

#[cfg(feature = "track-arc")]
pub mod sync {
    pub use crate::arc::{Arc, Weak};
    pub use real::sync::*;
}

#[cfg(feature = "track-arc")]
pub mod task {
    pub use crate::arc::Wake;
    pub use real::task::*;
}
