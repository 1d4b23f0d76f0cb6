//! `core` as explored programs see it: all of the real one, except that atomics and spin hints are under control.
//!
//! A name that is written out here wins against the same name from the real crate, which comes as a whole.
#![no_std]

pub use ::core::*;

pub mod sync {
    pub use ::core::sync::*;

    pub mod atomic {
        pub use ::core::sync::atomic::*;
        #[allow(deprecated)]
        pub use raddle::sync::atomic::{
            ATOMIC_BOOL_INIT, ATOMIC_ISIZE_INIT, ATOMIC_USIZE_INIT, AtomicBool, AtomicI8, AtomicI16,
            AtomicI32, AtomicI64, AtomicIsize, AtomicPtr, AtomicU8, AtomicU16, AtomicU32, AtomicU64,
            AtomicUsize, compiler_fence, fence, spin_loop_hint,
        };
    }
}

pub mod hint {
    pub use ::core::hint::*;
    pub use raddle::hint::spin_loop;
}
