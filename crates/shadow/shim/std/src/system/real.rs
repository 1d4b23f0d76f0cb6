//! The functions of the C library that those of this program hide.

use std::ffi::{CStr, c_void};

/// The C library's own function of this name. `F` is a pointer to a function.
///
/// # Safety
/// `F` is its type.
pub unsafe fn function<F: Copy>(name: &CStr) -> F {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    // SAFETY: a question, with a text that ends.
    let found = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    assert!(!found.is_null(), "raddle: the C library has no {}", name.to_string_lossy());
    // SAFETY: the caller's.
    unsafe { std::mem::transmute_copy(&found) }
}

/// A function of the C library in its place. The body comes first: what it does in an execution that is taken over. If it
/// comes to its end, or anywhere else, the C library's own does what it does.
macro_rules! instead {
    ($(#[$attribute:meta])* fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty $body:block) => {
        $(#[$attribute])*
        ///
        /// # Safety
        /// As the C library's own.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> $result {
            use std::sync::OnceLock;
            type Function = unsafe extern "C" fn($($type),*) -> $result;
            static REAL: OnceLock<Function> = OnceLock::new();
            if raddle::outside::is_taken_over() {
                $body
            }
            let name = const {
                match std::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => panic!("a name ends with its only zero"),
                }
            };
            // SAFETY: it has this type.
            let real = REAL.get_or_init(|| unsafe { $crate::system::real::function(name) });
            // SAFETY: the caller's.
            unsafe { real($($argument),*) }
        }
    };
}
pub(super) use instead;
