//! Queries with patterns and match specifications, without a limit.

use super::super::{Look, Visible, bad, value, visible};
use super::{T, on_whole_table, table, table_mut, touches_all, touches_keys, whole};
use crate::ets::Kind;
use crate::ets::spec::{self, Spec};
use crate::machine::Machine;
use crate::machine::access::Touch;
use crate::native::{Native, Run};
use crate::run::Raise;
use crate::term::{Atom, Term, known};

/// The accesses of a match: one key, if the pattern fixes it.
fn touches_pattern(look: &Look<'_>, touch: Touch) -> Touch {
    let Some(table) = look.machine.tables.get(&look.args[0]) else { return touch.read(whole(look)) };
    match spec::fixed_key(&look.args[1], table.keypos) {
        Some(key) => touches_keys(look, touch, &[key], false),
        None => touches_all(look, touch),
    }
}

static MATCH: Visible = Visible {
    touches: touches_pattern,
    ready: None,
    act: |m, task, a| {
        let t = table(m, task, &a[0], false)?;
        let found = t.objects().filter_map(|o| spec::match_values(&a[1], o)).map(Term::list);
        value(Term::list(found.collect::<Vec<_>>()))
    },
};

static MATCH_OBJECT: Visible = Visible {
    touches: touches_pattern,
    ready: None,
    act: |m, task, a| {
        let t = table(m, task, &a[0], false)?;
        value(Term::list(t.objects().filter(|o| spec::is_match(&a[1], o)).cloned().collect::<Vec<_>>()))
    },
};

fn touches_spec(look: &Look<'_>, touch: Touch, write: bool) -> Touch {
    let Some(table) = look.machine.tables.get(&look.args[0]) else { return touch.read(whole(look)) };
    // One clause with a fixed key accesses that key only.
    let clauses = look.args[1].to_vec().unwrap_or_default();
    let key = match clauses.as_slice() {
        [clause] => clause.as_tuple().and_then(|c| spec::fixed_key(c.first()?, table.keypos)),
        _ => None,
    };
    match key {
        Some(key) => touches_keys(look, touch, &[key], write),
        None => touches_all(look, touch),
    }
}

fn selected(m: &Machine, task: usize, a: &[Term], write: bool) -> Result<Vec<(Term, Term)>, Raise> {
    let t = table(m, task, &a[0], write)?;
    let spec = Spec::parse(&a[1], m.process(task).pid)?;
    let mut found = Vec::new();
    for object in t.objects() {
        if let Some(result) = spec.run(object)? {
            found.push((object.clone(), result));
        }
    }
    Ok(found)
}

static SELECT: Visible = Visible {
    touches: |look, touch| touches_spec(look, touch, false),
    ready: None,
    act: |m, task, a| {
        value(Term::list(selected(m, task, a, false)?.into_iter().map(|f| f.1).collect::<Vec<_>>()))
    },
};

static SELECT_REVERSE: Visible = Visible {
    touches: |look, touch| touches_spec(look, touch, false),
    ready: None,
    act: |m, task, a| {
        let mut found = selected(m, task, a, false)?;
        if table(m, task, &a[0], false)?.kind == Kind::OrderedSet {
            found.reverse();
        }
        value(Term::list(found.into_iter().map(|f| f.1).collect::<Vec<_>>()))
    },
};

static SELECT_COUNT: Visible = Visible {
    touches: |look, touch| touches_spec(look, touch, false),
    ready: None,
    act: |m, task, a| value(selected(m, task, a, false)?.iter().filter(|f| f.1.is_atom(known::TRUE)).count()),
};

static SELECT_DELETE: Visible = Visible {
    touches: |look, touch| touches_spec(look, touch, true),
    ready: None,
    act: |m, task, a| {
        let gone: Vec<Term> = selected(m, task, a, true)?
            .into_iter()
            .filter(|f| f.1.is_atom(known::TRUE))
            .map(|f| f.0)
            .collect();
        if gone.is_empty() {
            return value(0_usize);
        }
        let t = table_mut(m, task, &a[0])?;
        gone.iter().for_each(|o| t.remove_object(o));
        value(gone.len())
    },
};

static SELECT_REPLACE: Visible = on_whole_table(|m, task, a| {
    let found = selected(m, task, a, true)?;
    let t = table_mut(m, task, &a[0])?;
    if t.kind == Kind::Bag {
        return bad();
    }
    for (old, new) in &found {
        match (t.key_of(old), t.key_of(new)) {
            (Some(x), Some(y)) if x == y => {}
            _ => return bad(),
        }
    }
    for (old, new) in &found {
        t.remove_object(old);
        t.insert(new.clone());
    }
    value(found.len())
});

pub(super) static TABLE: &[Native] = &[
    visible(T, "match", 2, &MATCH),
    visible(T, "match_object", 2, &MATCH_OBJECT),
    visible(T, "select", 2, &SELECT),
    visible(T, "select_reverse", 2, &SELECT_REVERSE),
    visible(T, "select_count", 2, &SELECT_COUNT),
    visible(T, "internal_select_delete", 2, &SELECT_DELETE),
    visible(T, "select_replace", 2, &SELECT_REPLACE),
    Native {
        module: T,
        function: "is_compiled_ms",
        arity: 1,
        run: Run::Local(|_, a| {
            Ok(Term::bool(
                a[0].as_tuple().is_some_and(|t| t.len() == 2 && t[0].is_atom(Atom::new("$compiled_ms"))),
            ))
        }),
    },
    Native {
        module: T,
        function: "match_spec_compile",
        arity: 1,
        run: Run::Local(|r, a| {
            Spec::parse(&a[0], r.p.pid)?;
            Ok(Term::tagged(Atom::new("$compiled_ms"), a[0].clone()))
        }),
    },
    Native {
        module: T,
        function: "match_spec_run_r",
        arity: 3,
        run: Run::Local(|r, a| {
            let Some([_, spec]) = a[1].as_tuple() else { return bad() };
            let spec = Spec::parse(spec, r.p.pid)?;
            let mut out = a[2].clone();
            for object in a[0].to_vec().ok_or_else(Raise::badarg)? {
                if let Some(result) = spec.run(&object)? {
                    out = Term::cons(result, out);
                }
            }
            Ok(out)
        }),
    },
    Native {
        module: "erlang",
        function: "match_spec_test",
        arity: 3,
        run: Run::Local(|r, a| {
            let result = Spec::parse(&a[1], r.p.pid)?.run(&a[0])?.unwrap_or(Term::bool(false));
            let ok = [Term::Atom(known::OK), result, Term::Nil, Term::Nil];
            Ok(Term::tuple(ok))
        }),
    },
];
