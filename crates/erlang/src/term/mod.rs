//! Erlang's values as plain data: immutable, shared, cheap to clone. Integers are normalised (what fits in 64
//! bits is never big), maps are sorted by key, pids and references are logical names that do not depend on
//! the schedule.

pub mod atom;
pub mod bits;
pub mod external;
pub mod hash;
pub mod map;
pub mod number;
pub mod order;
pub mod parse;
pub mod pid;
pub mod print;

pub use atom::{Atom, known};
pub use bits::Bits;
pub use map::Map;
pub use pid::{Pid, Ref};

use num_bigint::BigInt;
use std::cell::Cell;
use std::rc::Rc;

/// Shared, immutable. The single place to change if terms should cross threads.
pub type Shared<T> = Rc<T>;

/// A value.
#[derive(Clone)]
pub enum Term {
    /// `[]`
    Nil,
    /// An integer of at most 64 bits.
    Int(i64),
    /// A larger integer.
    Big(Shared<BigInt>),
    /// A finite float.
    Float(f64),
    /// An atom.
    Atom(Atom),
    /// `[Head | Tail]`
    Cons(Shared<Cons>),
    /// A tuple.
    Tuple(Shared<[Term]>),
    /// A map.
    Map(Shared<Map>),
    /// A binary or bitstring.
    Bits(Shared<Bits>),
    /// A fun.
    Fun(Shared<Fun>),
    /// A process identifier.
    Pid(Pid),
    /// A reference.
    Ref(Ref),
    /// Not a value of the program: a match context.
    Context(Shared<Context>),
    /// Not a value of the program: an active `catch` or `try` in a stack slot: module number and label.
    Catch(u32, u32),
}

/// A list cell.
pub struct Cons {
    /// The first element.
    pub head: Term,
    /// The rest.
    pub tail: Term,
}

impl Drop for Cons {
    /// Iterative: a recursive drop of a long list would overflow the stack.
    fn drop(&mut self) {
        let mut tail = std::mem::replace(&mut self.tail, Term::Nil);
        while let Term::Cons(cell) = tail {
            match Rc::try_unwrap(cell) {
                Ok(mut cell) => tail = std::mem::replace(&mut cell.tail, Term::Nil),
                Err(_) => break,
            }
        }
    }
}

/// A match context. Its position is shared by all copies in a process's registers; a process that continues
/// from a snapshot gets fresh ones.
pub struct Context {
    /// The binary.
    pub bits: Bits,
    /// The number of bits consumed.
    pub at: Cell<usize>,
}

/// A fun.
pub enum Fun {
    /// `fun M:F/A`
    Export {
        /// Where it is defined.
        module: Atom,
        /// Its name.
        function: Atom,
        /// How many arguments it takes.
        arity: u32,
    },
    /// A fun with free variables.
    Local {
        /// Where it is defined.
        module: Atom,
        /// Its index in the fun table of the module.
        index: u32,
        /// How many arguments it takes.
        arity: u32,
        /// The MD5 of its module.
        uniq: [u8; 16],
        /// The hash of the fun itself.
        old_uniq: u32,
        /// Its free variables.
        free: Vec<Term>,
        /// The process that made it.
        creator: Pid,
    },
}

impl Fun {
    /// How many arguments it takes.
    pub fn arity(&self) -> u32 {
        match self {
            Fun::Export { arity, .. } | Fun::Local { arity, .. } => *arity,
        }
    }
    /// Its module.
    pub fn module(&self) -> Atom {
        match self {
            Fun::Export { module, .. } | Fun::Local { module, .. } => *module,
        }
    }
}

impl Term {
    /// A list cell.
    #[inline]
    pub fn cons(head: Term, tail: Term) -> Term {
        Term::Cons(Rc::new(Cons { head, tail }))
    }
    /// A tuple.
    #[inline]
    pub fn tuple(elements: impl Into<Shared<[Term]>>) -> Term {
        Term::Tuple(elements.into())
    }
    /// A proper list of these.
    pub fn list<I>(elements: I) -> Term
    where
        I: IntoIterator<Item = Term>,
        I::IntoIter: DoubleEndedIterator,
    {
        Term::list_onto(elements, Term::Nil)
    }
    /// A list of these that ends in `tail`.
    pub fn list_onto<I>(elements: I, tail: Term) -> Term
    where
        I: IntoIterator<Item = Term>,
        I::IntoIter: DoubleEndedIterator,
    {
        elements.into_iter().rev().fold(tail, |tail, head| Term::cons(head, tail))
    }
    /// A list of code points.
    pub fn string(text: &str) -> Term {
        Term::list(text.chars().map(|c| Term::Int(c as i64)).collect::<Vec<_>>())
    }
    /// A binary of these bytes.
    pub fn binary(bytes: impl Into<Rc<[u8]>>) -> Term {
        Term::Bits(Rc::new(Bits::of_bytes(bytes.into())))
    }
    /// The atom with this text.
    pub fn atom(text: &str) -> Term {
        Term::Atom(Atom::new(text))
    }
    /// `true` or `false`.
    #[inline]
    pub fn bool(b: bool) -> Term {
        Term::Atom(Atom::of_bool(b))
    }
    /// A map.
    pub fn map(map: Map) -> Term {
        Term::Map(Rc::new(map))
    }
    /// `{ok, Value}` and the like.
    pub fn tagged(tag: Atom, value: Term) -> Term {
        Term::tuple([Term::Atom(tag), value])
    }
    /// Whether it is this atom.
    #[inline]
    pub fn is_atom(&self, atom: Atom) -> bool {
        matches!(self, Term::Atom(a) if *a == atom)
    }
    /// The atom it is.
    #[inline]
    pub fn as_atom(&self) -> Option<Atom> {
        match self {
            Term::Atom(a) => Some(*a),
            _ => None,
        }
    }
    /// `true` or `false`.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Term::Atom(a) if *a == known::TRUE => Some(true),
            Term::Atom(a) if *a == known::FALSE => Some(false),
            _ => None,
        }
    }
    /// The small integer it is.
    #[inline]
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Term::Int(n) => Some(*n),
            _ => None,
        }
    }
    /// The non-negative small integer it is.
    pub fn as_usize(&self) -> Option<usize> {
        self.as_int().and_then(|n| usize::try_from(n).ok())
    }
    /// The pid it is.
    pub fn as_pid(&self) -> Option<Pid> {
        match self {
            Term::Pid(p) => Some(*p),
            _ => None,
        }
    }
    /// The reference it is.
    pub fn as_ref_term(&self) -> Option<Ref> {
        match self {
            Term::Ref(r) => Some(*r),
            _ => None,
        }
    }
    /// The elements of the tuple it is.
    pub fn as_tuple(&self) -> Option<&[Term]> {
        match self {
            Term::Tuple(t) => Some(t),
            _ => None,
        }
    }
    /// The binary or bitstring it is.
    pub fn as_bits(&self) -> Option<&Bits> {
        match self {
            Term::Bits(b) => Some(b),
            _ => None,
        }
    }
    /// The bytes of the binary it is.
    pub fn as_bytes(&self) -> Option<Vec<u8>> {
        self.as_bits().filter(|b| b.len() % 8 == 0).map(Bits::to_bytes)
    }
    /// The map it is.
    pub fn as_map(&self) -> Option<&Map> {
        match self {
            Term::Map(m) => Some(m),
            _ => None,
        }
    }
    /// Whether it is an integer of any size.
    #[inline]
    pub fn is_integer(&self) -> bool {
        matches!(self, Term::Int(_) | Term::Big(_))
    }
    /// Whether it is a list cell or `[]`.
    #[inline]
    pub fn is_list(&self) -> bool {
        matches!(self, Term::Nil | Term::Cons(_))
    }
    /// Iterates over the elements of a list.
    pub fn iter(&self) -> ListIter<'_> {
        ListIter { at: self }
    }
    /// The elements of a proper list.
    pub fn to_vec(&self) -> Option<Vec<Term>> {
        let mut iter = self.iter();
        let elements: Vec<Term> = iter.by_ref().cloned().collect();
        matches!(iter.at, Term::Nil).then_some(elements)
    }
    /// The text of a proper list of code points.
    pub fn to_text(&self) -> Option<String> {
        let code = |t: &Term| t.as_int().and_then(|n| u32::try_from(n).ok()).and_then(char::from_u32);
        self.to_vec()?.iter().map(code).collect()
    }
    /// The text of an iolist or chardata, as bytes: integers are bytes.
    pub fn iolist_bytes(&self) -> Option<Vec<u8>> {
        self.iolist_bytes_within(usize::MAX).unwrap_or_default()
    }
    /// The same; an error if that takes more than so many bytes or steps. Parts of a small term may be shared, and then it
    /// stands for a very large one.
    pub fn iolist_bytes_within(&self, most: usize) -> Result<Option<Vec<u8>>, TooLarge> {
        let mut steps = 0;
        let mut out = Vec::new();
        let bytes = self.add_iolist(&mut out, |written| {
            steps += 1;
            steps.max(written) <= most
        });
        if steps.max(out.len()) > most { Err(TooLarge) } else { Ok(bytes.map(|()| out)) }
    }
    fn add_iolist(&self, out: &mut Vec<u8>, mut may_go_on: impl FnMut(usize) -> bool) -> Option<()> {
        let mut todo = vec![self.clone()];
        while let Some(term) = todo.pop() {
            if !may_go_on(out.len()) {
                return None;
            }
            match term {
                Term::Nil => {}
                Term::Cons(cell) => {
                    todo.push(cell.tail.clone());
                    match &cell.head {
                        Term::Int(n) => out.push(u8::try_from(*n).ok()?),
                        Term::Cons(_) | Term::Nil | Term::Bits(_) => todo.push(cell.head.clone()),
                        _ => return None,
                    }
                }
                Term::Bits(bits) if bits.len() % 8 == 0 => out.extend(bits.to_bytes()),
                _ => return None,
            }
        }
        Some(())
    }
}

/// A value that would take too much memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;

/// An iterator over a list.
pub struct ListIter<'a> {
    at: &'a Term,
}

impl<'a> ListIter<'a> {
    /// The rest of the list.
    pub fn rest(&self) -> &'a Term {
        self.at
    }
}

impl<'a> Iterator for ListIter<'a> {
    type Item = &'a Term;
    fn next(&mut self) -> Option<&'a Term> {
        match self.at {
            Term::Cons(cell) => {
                self.at = &cell.tail;
                Some(&cell.head)
            }
            _ => None,
        }
    }
}

impl From<bool> for Term {
    fn from(b: bool) -> Term {
        Term::bool(b)
    }
}
impl From<Atom> for Term {
    fn from(a: Atom) -> Term {
        Term::Atom(a)
    }
}
impl From<Pid> for Term {
    fn from(p: Pid) -> Term {
        Term::Pid(p)
    }
}
impl From<Ref> for Term {
    fn from(r: Ref) -> Term {
        Term::Ref(r)
    }
}
impl From<i64> for Term {
    fn from(n: i64) -> Term {
        Term::Int(n)
    }
}
impl From<usize> for Term {
    fn from(n: usize) -> Term {
        number::of_u64(n as u64)
    }
}
