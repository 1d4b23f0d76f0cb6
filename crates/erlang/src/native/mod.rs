//! Functions that real Erlang has in C, by module. A local one concerns only its process; a visible one is
//! announced before it happens, with what it touches.

mod binary;
mod control;
mod convert;
mod crypto;
mod digest;
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

/// A function of ours.
pub struct Native {
    /// Its module.
    pub module: &'static str,
    /// Its name.
    pub function: &'static str,
    /// How many arguments it takes.
    pub arity: u32,
    /// What it does.
    pub run: Run,
}

/// What a native does.
pub enum Run {
    /// Something that concerns only its process.
    Local(fn(&mut Runner<'_>, &[Term]) -> Res),
    /// Something that others could notice, or that depends on others.
    Visible(&'static visible::Visible),
    /// A call of something else.
    Special(Special),
}

/// Natives that call something else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Special {
    /// `apply(Fun, Args)`
    ApplyFun,
    /// `apply(M, F, Args)`
    ApplyMfa,
    /// What stands where real Erlang has C code.
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
    ]
    .into_iter()
    .flatten()
    .chain(visible::all())
}
