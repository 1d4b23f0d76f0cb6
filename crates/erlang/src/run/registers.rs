//! Registers and stack slots.

use super::Runner;
use crate::beam::{Dst, Src};
use crate::term::Term;

/// The value of an unused register.
const NIL: &Term = &Term::Nil;

impl Runner<'_> {
    /// Borrows an operand.
    #[inline]
    pub(super) fn get<'b>(&'b self, src: &'b Src) -> &'b Term {
        match src {
            Src::X(n) => self.p.x.get(*n as usize).unwrap_or(NIL),
            Src::Y(n) => {
                let at = self.p.ys.len().wrapping_sub(1 + *n as usize);
                self.p.ys.get(at).unwrap_or(NIL)
            }
            Src::K(t) => t,
        }
    }
    /// The value of an operand.
    #[inline]
    pub(super) fn value(&self, src: &Src) -> Term {
        self.get(src).clone()
    }
    /// An x register.
    #[inline]
    pub(super) fn x(&self, n: usize) -> Term {
        self.p.x.get(n).cloned().unwrap_or(Term::Nil)
    }
    /// Sets a register.
    #[inline]
    pub(super) fn set(&mut self, dst: Dst, value: Term) {
        match dst {
            Dst::X(n) => {
                let n = n as usize;
                match self.p.x.get_mut(n) {
                    Some(register) => *register = value,
                    None => self.set_new(n, value),
                }
            }
            Dst::Y(n) => {
                let at = self.p.ys.len().wrapping_sub(1 + n as usize);
                if let Some(slot) = self.p.ys.get_mut(at) {
                    *slot = value;
                }
            }
        }
    }
    /// Sets an x register that is not in use yet.
    #[inline(never)]
    fn set_new(&mut self, n: usize, value: Term) {
        const USUAL: usize = 8;
        let x = &mut self.p.x;
        if x.capacity() == 0 {
            x.reserve(USUAL.max(n + 1));
        }
        if n > x.len() {
            x.resize(n, Term::Nil);
        }
        x.push(value);
    }
    /// Takes a register's value.
    pub(super) fn take(&mut self, dst: Dst) -> Term {
        match dst {
            Dst::X(n) => self.p.x.get_mut(n as usize).map_or(Term::Nil, |t| std::mem::replace(t, Term::Nil)),
            Dst::Y(n) => {
                let at = self.p.ys.len().wrapping_sub(1 + n as usize);
                self.p.ys.get_mut(at).map_or(Term::Nil, |t| std::mem::replace(t, Term::Nil))
            }
        }
    }
    pub(super) fn float(&self, n: u16) -> f64 {
        self.p.fr.get(n as usize).copied().unwrap_or(0.0)
    }
    pub(super) fn set_float(&mut self, n: u16, value: f64) {
        if n as usize >= self.p.fr.len() {
            self.p.fr.resize(n as usize + 1, 0.0);
        }
        self.p.fr[n as usize] = value;
    }
}
