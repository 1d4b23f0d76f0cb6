//! Which calls are looks: they leave everything but their own process as it was. A call that is not listed here is none.
//! A fixation of a table counts as a look, though it changes the table: see [`fixes_table`].

use super::{Done, Effect};
use crate::native::Native;
use crate::run::Raise;
use crate::term::{Term, known};

/// Whether a call with this outcome has changed nothing.
pub(crate) fn is_look(native: &Native, done: &Done) -> bool {
    let raises = matches!(done, Err(Raise::Exception { .. }));
    let gave = |is_it: fn(&Term) -> bool| matches!(done, Ok(Effect::Value(value)) if is_it(value));
    match (native.module, native.function) {
        ("ets", "lookup" | "lookup_element" | "member" | "info" | "whereis" | "all" | "slot")
        | ("ets", "first" | "last" | "next" | "prev")
        | ("ets", "first_lookup" | "last_lookup" | "next_lookup" | "prev_lookup")
        | ("ets", "match" | "match_object" | "select" | "select_reverse" | "select_count")
        | ("erlang", "whereis" | "registered" | "is_process_alive" | "processes" | "process_info")
        | ("counters" | "atomics", "get" | "info")
        | ("persistent_term", "get")
        | ("raddle", "get_env" | "all_env" | "logger_config")
        | ("prim_file", "read_file" | "read_file_info" | "read_link_info" | "list_dir" | "list_dir_all")
        | ("prim_file", "pread" | "read_handle_info" | "get_cwd")
        | ("file", "consult") => raises || gave(|_| true),
        // An attempt that failed.
        ("ets", "insert_new") => raises || gave(|value| value.is_atom(known::FALSE)),
        ("atomics", "compare_exchange") => gave(|value| !value.is_atom(known::OK)),
        ("ets", "take") => raises || gave(|value| matches!(value, Term::Nil)),
        ("ets", "update_element") => raises || gave(|value| value.is_atom(known::FALSE)),
        ("ets", "internal_select_delete" | "select_replace") => {
            raises || gave(|value| value.as_usize() == Some(0))
        }
        // A round that fixes a table lets go of it, too: the machine sees to that.
        ("ets", "safe_fixtable") => raises || gave(|_| true),
        ("ets", _) | ("erlang", "register" | "unregister" | "!" | "send") => raises,
        _ => false,
    }
}

/// Whether a call fixes a table or lets go of it, as `ets:foldl` does around its looks.
pub(crate) fn fixes_table(native: &Native) -> bool {
    (native.module, native.function) == ("ets", "safe_fixtable")
}
