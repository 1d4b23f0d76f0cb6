//! `std` as explored programs see it: all of the real one, except for what is concurrent, takes time or prints.
//!
//! A name that is written out here wins against the same name from the real crate, which comes as a whole. So what a
//! new version of std adds is there at once, as the real one.

pub use ::std::*;

#[doc(hidden)]
pub mod print;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[doc(hidden)]
pub mod system;

pub use raddle::thread_local;

pub mod alloc {
    pub use ::std::alloc::*;
    pub use raddle::program_memory::SystemMemory as System;
}

/// What the macros of this crate expand to. Not for direct use.
#[doc(hidden)]
pub mod __raddle {
    pub use raddle::program_memory::use_allocator;
}

pub mod sync {
    pub use ::std::sync::*;
    #[allow(deprecated)]
    pub use raddle::sync::{
        Barrier, BarrierWaitResult, Condvar, LazyLock, Mutex, MutexGuard, ONCE_INIT, Once, OnceLock,
        OnceState, RwLock, RwLockReadGuard, RwLockWriteGuard, WaitTimeoutResult,
    };

    #[cfg(feature = "track-arc")]
    pub use shadow_alloc::sync::{Arc, Weak};
    pub use shadow_core::sync::atomic;

    pub mod mpsc {
        pub use ::std::sync::mpsc::*;
        pub use raddle::sync::mpsc::{
            IntoIter, Iter, Receiver, Sender, SyncSender, TryIter, channel, sync_channel,
        };
    }
}

pub mod thread {
    pub use ::std::thread::*;
    #[allow(deprecated)]
    pub use raddle::thread::{
        AccessError, Builder, JoinHandle, LocalKey, Scope, ScopedJoinHandle, Thread, ThreadId,
        available_parallelism, current, panicking, park, park_timeout, park_timeout_ms, scope, sleep,
        sleep_ms, spawn, yield_now,
    };
}

#[cfg(feature = "track-arc")]
pub mod task {
    pub use ::std::task::*;
    pub use shadow_alloc::task::Wake;
}

pub mod time {
    pub use ::std::time::*;
    pub use raddle::time::Instant;
}

pub use shadow_core::hint;

pub mod process {
    pub use ::std::process::*;
    pub use raddle::process::exit;
}

/// What the compiler brings into every module. A macro that is not named here would be the real one.
pub mod prelude {
    macro_rules! editions {
        ($($edition:ident)*) => {$(
            pub mod $edition {
                pub use ::std::prelude::$edition::*;
                pub use crate::{eprint, eprintln, print, println, thread_local};
                pub use shadow_macros::global_allocator;
            }
        )*};
    }
    editions!(v1 rust_2015 rust_2018 rust_2021 rust_2024);
}
