//! `crypto`: seeded random bytes, and the hashes that the interpreter has anyway.

use super::{Native, md5};
use crate::run::{Raise, Res, Runner};
use crate::term::{Atom, Term};

type R<'a, 'b> = &'a mut Runner<'b>;

fn random(r: R, a: &[Term]) -> Res {
    let n = a[0].as_usize().filter(|n| *n <= 1 << 20).ok_or_else(Raise::badarg)?;
    r.p.uniques += 1;
    let mut state = r.env.settings.seed ^ r.p.pid.hash64() ^ (r.p.uniques as u64) << 32;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (z ^ z >> 29) as u8
    };
    Ok(Term::binary((0..n).map(|_| next()).collect::<Vec<u8>>()))
}

fn hash(_: R, a: &[Term]) -> Res {
    match a[0].as_atom().map(Atom::text) {
        Some("md5") => Ok(Term::binary(md5::of(&a[1].iolist_bytes().ok_or_else(Raise::badarg)?).to_vec())),
        _ => Err(Raise::unsupported(format!("crypto:hash({}, ...) is not supported", a[0]))),
    }
}

pub static TABLE: &[Native] =
    &[Native::local("crypto", "strong_rand_bytes", 1, random), Native::local("crypto", "hash", 2, hash)];
