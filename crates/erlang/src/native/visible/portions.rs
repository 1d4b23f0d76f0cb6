//! `ets:select`, `match` and `match_object` with a limit. A continuation reads the table when it is called,
//! after the last key that was visited, as in OTP.

use super::tables::{on_whole_table, table};
use super::{Done, Look, Visible, bad, value, visible};
use crate::ets::Kind;
use crate::ets::spec::{self, Spec};
use crate::machine::Machine;
use crate::machine::access::{Object, Touch};
use crate::native::Native;
use crate::run::Raise;
use crate::term::{Atom, Term, known};

/// A query and its position.
struct Portion {
    table: Term,
    how: Atom,
    pattern: Term,
    limit: usize,
    /// The last key that was visited; none at the start.
    after: Option<Term>,
    /// Results of that key beyond the limit.
    left: Vec<Term>,
}

impl Portion {
    fn first(how: &str, a: &[Term]) -> Result<Portion, Raise> {
        let limit = a[2].as_usize().filter(|n| *n > 0).ok_or_else(Raise::badarg)?;
        let (table, pattern) = (a[0].clone(), a[1].clone());
        Ok(Portion { table, how: Atom::new(how), pattern, limit, after: None, left: Vec::new() })
    }

    /// Parses a continuation.
    fn next(t: &Term) -> Result<Portion, Raise> {
        match t.as_tuple() {
            Some([table, Term::Atom(how), pattern, limit, after, left]) => Ok(Portion {
                table: table.clone(),
                how: *how,
                pattern: pattern.clone(),
                limit: limit.as_usize().ok_or_else(Raise::badarg)?,
                after: Some(after.clone()),
                left: left.to_vec().ok_or_else(Raise::badarg)?,
            }),
            _ => bad(),
        }
    }

    fn one(&self, spec: Option<&Spec>, object: &Term) -> Result<Option<Term>, Raise> {
        match (self.how.text(), spec) {
            ("match", _) => Ok(spec::match_values(&self.pattern, object).map(Term::list)),
            ("match_object", _) => Ok(spec::is_match(&self.pattern, object).then(|| object.clone())),
            (_, Some(spec)) => spec.run(object),
            (_, None) => bad(),
        }
    }

    fn give(mut self, m: &Machine, task: usize) -> Done {
        let t = table(m, task, &self.table, false)?;
        let select = self.how.text().starts_with("select");
        let spec = select.then(|| Spec::parse(&self.pattern, m.process(task).pid)).transpose()?;
        let backwards = self.how.text() == "select_reverse" && t.kind == Kind::OrderedSet;
        let mut found = std::mem::take(&mut self.left);
        while found.len() < self.limit {
            let key = match &self.after {
                None => t.end(backwards),
                Some(key) => t.neighbour_of_any(key, backwards),
            };
            let Some(key) = key.cloned() else { break };
            for object in t.lookup(&key) {
                found.extend(self.one(spec.as_ref(), object)?);
            }
            self.after = Some(key);
        }
        let end = Term::Atom(known::END_OF_TABLE);
        if found.is_empty() {
            return value(end);
        }
        if found.len() < self.limit {
            return value(Term::tuple([Term::list(found), end]));
        }
        let left = found.split_off(self.limit);
        let rest = Term::tuple([
            self.table,
            Term::Atom(self.how),
            self.pattern,
            Term::from(self.limit),
            self.after.unwrap_or(end),
            Term::list(left),
        ]);
        value(Term::tuple([Term::list(found), rest]))
    }
}

fn continued(m: &mut Machine, task: usize, a: &[Term]) -> Done {
    if a[0].is_atom(known::END_OF_TABLE) {
        return value(a[0].clone());
    }
    Portion::next(&a[0])?.give(m, task)
}

/// A continuation accesses the table that it names.
fn touches_rest(look: &Look<'_>, touch: Touch) -> Touch {
    let Ok(portion) = Portion::next(&look.args[0]) else { return touch };
    let named = look.machine.tables.get(&portion.table).map(|t| t.shown());
    touch.write(Object::table(&named.unwrap_or(portion.table)))
}

static SELECT3: Visible = on_whole_table(|m, task, a| Portion::first("select", a)?.give(m, task));
static SELECT_REVERSE3: Visible =
    on_whole_table(|m, task, a| Portion::first("select_reverse", a)?.give(m, task));
static MATCH3: Visible = on_whole_table(|m, task, a| Portion::first("match", a)?.give(m, task));
static MATCH_OBJECT3: Visible = on_whole_table(|m, task, a| Portion::first("match_object", a)?.give(m, task));
static REST: Visible = Visible { touches: touches_rest, ready: None, act: continued };

const T: &str = "ets";

pub static TABLE: &[Native] = &[
    visible(T, "match", 3, &MATCH3),
    visible(T, "match", 1, &REST),
    visible(T, "match_object", 3, &MATCH_OBJECT3),
    visible(T, "match_object", 1, &REST),
    visible(T, "select", 3, &SELECT3),
    visible(T, "select", 1, &REST),
    visible(T, "select_reverse", 3, &SELECT_REVERSE3),
    visible(T, "select_reverse", 1, &REST),
];
