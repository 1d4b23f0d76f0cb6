//! Natives: the functions that OTP implements in C, by module. A local native accesses only its process; a
//! visible one is announced before its step, with its accesses.

mod binary;
mod control;
mod convert;
mod crypto;
mod digest;
mod files;
mod floats;
mod guard;
mod lists;
mod maps;
mod math;
pub mod md5;
mod misc;
mod re;
mod time;
mod unicode;
pub(crate) mod visible;

pub(crate) use floats::parse as parse_float;

use crate::beam::Mfa;
use crate::run::{Res, Runner};
use crate::term::Term;

/// A native.
pub struct Native {
    /// Its module.
    pub module: &'static str,
    /// Its name.
    pub function: &'static str,
    /// Its arity.
    pub arity: u32,
    /// Its implementation.
    pub run: Run,
}

/// The implementation of a native.
pub enum Run {
    /// It accesses only its process.
    Local(fn(&mut Runner<'_>, &[Term]) -> Res),
    /// Other processes may observe it, or it depends on them.
    Visible(&'static visible::Visible),
    /// It calls another function.
    Special(Special),
}

/// Natives that call another function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Special {
    /// `apply(Fun, Args)`
    ApplyFun,
    /// `apply(M, F, Args)`
    ApplyMfa,
    /// The body of a NIF stub.
    NifError,
}

impl Native {
    /// Its full name.
    pub fn mfa(&self) -> Mfa {
        Mfa::new(self.module, self.function, self.arity)
    }
    const fn local(
        module: &'static str,
        function: &'static str,
        arity: u32,
        run: fn(&mut Runner<'_>, &[Term]) -> Res,
    ) -> Native {
        Native { module, function, arity, run: Run::Local(run) }
    }
}

/// Natives that depend on the code of the module in their first argument.
pub(crate) const READS_CODE: &[(&str, &str)] = &[
    ("erlang", "function_exported"),
    ("erlang", "get_module_info"),
    ("erlang", "module_loaded"),
    ("erlang", "check_old_code"),
    ("code", "ensure_loaded"),
    ("code", "is_loaded"),
    ("code", "is_sticky"),
    ("code", "which"),
];

/// All natives.
pub fn all() -> impl Iterator<Item = &'static Native> {
    [
        guard::TABLE,
        convert::TABLE,
        lists::TABLE,
        maps::TABLE,
        binary::TABLE,
        math::TABLE,
        unicode::TABLE,
        re::TABLE,
        control::TABLE,
        misc::TABLE,
        time::TABLE,
        crypto::TABLE,
        digest::TABLE,
        files::TABLE,
    ]
    .into_iter()
    .flatten()
    .chain(visible::all())
}
