//! Shared integers: counters, atomics, strictly monotonic integers.

use super::{Done, Look, Visible, bad, value, visible};
use crate::machine::access::{Object, Touch};
use crate::machine::{Machine, Numbers};
use crate::native::Native;
use crate::native::time::{EPOCH, stamp};
use crate::run::Raise;
use crate::term::{Atom, Map, Ref, Term, known, number};
use num_traits::ToPrimitive;
use std::rc::Rc;

/// An array is identified by its reference; `counters` wraps it in a tuple.
fn array(t: &Term) -> Result<Ref, Raise> {
    match t {
        Term::Ref(r) => Ok(*r),
        _ => bad(),
    }
}

fn new(m: &mut Machine, task: usize, size: &Term, unsigned: bool) -> Done {
    let n = size.as_usize().filter(|n| *n > 0 && *n < 1 << 20).ok_or_else(Raise::badarg)?;
    let reference = m.process_mut(task).make_ref();
    Rc::make_mut(&mut m.numbers).insert(reference, Rc::new(Numbers { values: vec![0; n], unsigned }));
    value(reference)
}

fn slot(look: &Look<'_>, touch: Touch, write: bool) -> Touch {
    match (&look.args[0], look.args.get(1).and_then(Term::as_int)) {
        (Term::Ref(r), Some(i)) => {
            let object = Object::Counter(r.maker.hash64() ^ r.number as u64, i as u64);
            if write { touch.write(object) } else { touch.read(object) }
        }
        _ => touch,
    }
}

fn reads(look: &Look<'_>, touch: Touch) -> Touch {
    slot(look, touch, false)
}
fn writes(look: &Look<'_>, touch: Touch) -> Touch {
    slot(look, touch, true)
}

fn shown(n: i64, unsigned: bool) -> Term {
    if unsigned { number::of_u64(n as u64) } else { Term::Int(n) }
}

/// An integer as 64 bits, if it fits.
fn bits(t: &Term, unsigned: bool) -> Result<i64, Raise> {
    let n = number::big(t).ok_or_else(Raise::badarg)?;
    let fits = if unsigned { n.to_u64().map(|n| n as i64) } else { n.to_i64() };
    fits.ok_or_else(Raise::badarg)
}

/// Addition wraps around, so an operand of either signedness is allowed.
fn delta(t: &Term) -> Result<i64, Raise> {
    let n = number::big(t).ok_or_else(Raise::badarg)?;
    n.to_i64().or_else(|| n.to_u64().map(|n| n as i64)).ok_or_else(Raise::badarg)
}

/// Changes one integer; returns its old and its new value.
fn change(
    m: &mut Machine,
    a: &[Term],
    how: impl FnOnce(i64, bool) -> Result<i64, Raise>,
) -> Result<(i64, i64, bool), Raise> {
    let reference = array(&a[0])?;
    let numbers = m.numbers.get(&reference).ok_or_else(Raise::badarg)?;
    let at = a[1].as_usize().filter(|n| *n >= 1 && *n <= numbers.values.len()).ok_or_else(Raise::badarg)? - 1;
    let (old, unsigned) = (numbers.values[at], numbers.unsigned);
    let new = how(old, unsigned)?;
    if new != old {
        let all = Rc::make_mut(&mut m.numbers);
        if let Some(numbers) = all.get_mut(&reference) {
            Rc::make_mut(numbers).values[at] = new;
        }
    }
    Ok((old, new, unsigned))
}

fn info(m: &Machine, a: &[Term]) -> Done {
    let numbers = m.numbers.get(&array(&a[0])?).ok_or_else(Raise::badarg)?;
    let (max, min) = if numbers.unsigned {
        (number::of_u64(u64::MAX), Term::Int(0))
    } else {
        (Term::Int(i64::MAX), Term::Int(i64::MIN))
    };
    value(Term::map(Map::from_entries(vec![
        (Term::atom("size"), Term::from(numbers.values.len())),
        (Term::atom("max"), max),
        (Term::atom("min"), min),
        (Term::atom("memory"), Term::from(numbers.values.len() * 8)),
    ])))
}

fn nothing(_: &Look<'_>, touch: Touch) -> Touch {
    touch
}

static ATOMICS_NEW: Visible = Visible {
    touches: nothing,
    ready: None,
    act: |m, task, a| {
        let mut unsigned = false;
        for option in a[1].to_vec().ok_or_else(Raise::badarg)? {
            match option.as_tuple() {
                Some([key, on]) if key.as_atom().is_some_and(|k| k.text() == "signed") => {
                    unsigned = !on.as_bool().ok_or_else(Raise::badarg)?;
                }
                _ => return bad(),
            }
        }
        new(m, task, &a[0], unsigned)
    },
};
static COUNTERS_NEW: Visible = Visible {
    touches: nothing,
    ready: None,
    act: |m, task, a| {
        for option in a[1].to_vec().ok_or_else(Raise::badarg)? {
            if !matches!(option.as_atom().map(Atom::text), Some("atomics" | "write_concurrency")) {
                return bad();
            }
        }
        new(m, task, &a[0], false)
    },
};
static PUT: Visible = Visible {
    touches: writes,
    ready: None,
    act: |m, _, a| {
        change(m, a, |_, unsigned| bits(&a[2], unsigned))?;
        value(known::OK)
    },
};
static GET: Visible = Visible {
    touches: reads,
    ready: None,
    act: |m, _, a| {
        let (old, _, unsigned) = change(m, a, |old, _| Ok(old))?;
        value(shown(old, unsigned))
    },
};
static ADD: Visible = Visible {
    touches: writes,
    ready: None,
    act: |m, _, a| {
        change(m, a, |old, _| Ok(old.wrapping_add(delta(&a[2])?)))?;
        value(known::OK)
    },
};
static SUB: Visible = Visible {
    touches: writes,
    ready: None,
    act: |m, _, a| {
        change(m, a, |old, _| Ok(old.wrapping_sub(delta(&a[2])?)))?;
        value(known::OK)
    },
};
static ADD_GET: Visible = Visible {
    touches: writes,
    ready: None,
    act: |m, _, a| {
        let (_, new, unsigned) = change(m, a, |old, _| Ok(old.wrapping_add(delta(&a[2])?)))?;
        value(shown(new, unsigned))
    },
};
static SUB_GET: Visible = Visible {
    touches: writes,
    ready: None,
    act: |m, _, a| {
        let (_, new, unsigned) = change(m, a, |old, _| Ok(old.wrapping_sub(delta(&a[2])?)))?;
        value(shown(new, unsigned))
    },
};
static EXCHANGE: Visible = Visible {
    touches: writes,
    ready: None,
    act: |m, _, a| {
        let (old, _, unsigned) = change(m, a, |_, unsigned| bits(&a[2], unsigned))?;
        value(shown(old, unsigned))
    },
};
static COMPARE_EXCHANGE: Visible = Visible {
    touches: writes,
    ready: None,
    act: |m, _, a| {
        let mut fitted = false;
        let (old, _, unsigned) = change(m, a, |old, unsigned| {
            let (expected, desired) = (bits(&a[2], unsigned)?, bits(&a[3], unsigned)?);
            fitted = old == expected;
            Ok(if fitted { desired } else { old })
        })?;
        if fitted { value(known::OK) } else { value(shown(old, unsigned)) }
    },
};
static INFO: Visible = Visible { touches: nothing, ready: None, act: |m, _, a| info(m, a) };

static NOW: Visible = Visible {
    touches: |_, touch| touch.write(Object::Monotonic),
    ready: None,
    act: |m, _, _| {
        // Strictly increasing.
        m.monotonic += 1;
        value(stamp((EPOCH + m.now) / 1_000 + m.monotonic))
    },
};

/// Strictly monotonic integers share one object; others are made locally.
static UNIQUE: Visible = Visible {
    touches: |look, touch| {
        let monotonic = look.args[0].iter().any(|o| o.is_atom(known::MONOTONIC));
        if monotonic { touch.write(Object::Monotonic) } else { touch }
    },
    ready: None,
    act: |m, task, a| {
        let options = a[0].to_vec().ok_or_else(Raise::badarg)?;
        for option in &options {
            if !option.is_atom(known::MONOTONIC) && !option.is_atom(known::POSITIVE) {
                return bad();
            }
        }
        let positive = options.iter().any(|o| o.is_atom(known::POSITIVE));
        let n = if options.iter().any(|o| o.is_atom(known::MONOTONIC)) {
            m.monotonic += 1;
            m.monotonic as i64
        } else {
            let p = m.process_mut(task);
            p.uniques += 1;
            (p.pid.hash64() >> 34 << 32) as i64 + p.uniques as i64
        };
        value(Term::Int(if positive { n } else { n - (1 << 62) }))
    },
};

pub static TABLE: &[Native] = &[
    visible("atomics", "new", 2, &ATOMICS_NEW),
    visible("atomics", "put", 3, &PUT),
    visible("atomics", "get", 2, &GET),
    visible("atomics", "add", 3, &ADD),
    visible("atomics", "sub", 3, &SUB),
    visible("atomics", "add_get", 3, &ADD_GET),
    visible("atomics", "sub_get", 3, &SUB_GET),
    visible("atomics", "exchange", 3, &EXCHANGE),
    visible("atomics", "compare_exchange", 4, &COMPARE_EXCHANGE),
    visible("atomics", "info", 1, &INFO),
    visible("counters", "new", 2, &COUNTERS_NEW),
    visible("counters", "put", 3, &PUT),
    visible("counters", "get", 2, &GET),
    visible("counters", "add", 3, &ADD),
    visible("counters", "sub", 3, &SUB),
    visible("counters", "info", 1, &INFO),
    visible("erlang", "now", 0, &NOW),
    visible("erlang", "unique_integer", 1, &UNIQUE),
];
