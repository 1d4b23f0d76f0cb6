//! Information about tables.

use super::super::{Visible, bad, value, visible};
use super::{T, on_whole_table, whole};
use crate::ets::{Kind, Protection, Table};
use crate::machine::access::Touch;
use crate::machine::system;
use crate::native::Native;
use crate::run::Raise;
use crate::term::{Atom, Term, known};

static WHEREIS: Visible = Visible {
    touches: |look, touch| touch.read(whole(look)),
    ready: None,
    act: |m, _, a| match (&a[0], m.tables.get(&a[0])) {
        (Term::Atom(_), Some(t)) => value(t.id),
        (Term::Atom(name), None) => match system::table_id(*name) {
            Some(id) => value(id),
            None => value(known::UNDEFINED),
        },
        _ => bad(),
    },
};

fn info(t: &Table, what: &str) -> Option<Term> {
    Some(match what {
        "id" => Term::Ref(t.id),
        "name" => Term::Atom(t.name),
        "named_table" => Term::bool(t.named),
        "owner" => Term::Pid(t.owner),
        "size" => Term::from(t.len()),
        "keypos" => Term::from(t.keypos),
        "node" => Term::Atom(known::NONODE),
        "heir" => t.heir.as_ref().map_or(Term::Atom(known::NONE), |(heir, _)| Term::Pid(*heir)),
        "type" => Term::atom(match t.kind {
            Kind::Set => "set",
            Kind::OrderedSet => "ordered_set",
            Kind::Bag => "bag",
            Kind::DuplicateBag => "duplicate_bag",
        }),
        "protection" => Term::atom(match t.protection {
            Protection::Public => "public",
            Protection::Protected => "protected",
            Protection::Private => "private",
        }),
        "compressed" | "read_concurrency" | "write_concurrency" | "decentralized_counters" => {
            Term::bool(false)
        }
        "fixed" => Term::bool(!t.fixed.is_empty()),
        _ => return None,
    })
}

static INFO: Visible = on_whole_table(|m, _, a| {
    let Some(t) = m.tables.get(&a[0]) else {
        if system::table_name(&a[0]).is_some() {
            return Err(system::no_table(&a[0]));
        }
        return if matches!(a[0], Term::Ref(_) | Term::Atom(_)) { value(known::UNDEFINED) } else { bad() };
    };
    match a.get(1) {
        Some(Term::Atom(what)) => match info(t, what.text()) {
            Some(found) => value(found),
            None if what.text() == "memory" => {
                Err(Raise::unsupported("ets:info(_, memory) is not supported: it depends on the machine"))
            }
            None => bad(),
        },
        Some(_) => bad(),
        None => {
            let all = [
                "id",
                "read_concurrency",
                "write_concurrency",
                "compressed",
                "owner",
                "heir",
                "name",
                "size",
                "node",
                "named_table",
                "type",
                "keypos",
                "protection",
            ];
            let pair = |what: &&str| info(t, what).map(|v| Term::tagged(Atom::new(what), v));
            value(Term::list(all.iter().filter_map(pair).collect::<Vec<_>>()))
        }
    }
});

static ALL: Visible = Visible {
    touches: |_, _| Touch::EVERYTHING,
    ready: None,
    act: |m, _, _| value(Term::list(m.tables.all())),
};

pub(super) static TABLE: &[Native] = &[
    visible(T, "whereis", 1, &WHEREIS),
    visible(T, "info", 1, &INFO),
    visible(T, "info", 2, &INFO),
    visible(T, "all", 0, &ALL),
];
