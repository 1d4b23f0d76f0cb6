//! Hashes, and information about modules, funs and the system.

use super::{Native, md5};
use crate::beam::Mfa;
use crate::code::Target;
use crate::run::{Raise, Res, Runner};
use crate::term::{Atom, Fun, Term, hash, known, number, parse};

type R<'a, 'b> = &'a mut Runner<'b>;

fn bad() -> Raise {
    Raise::badarg()
}

fn range(t: &Term) -> Result<u64, Raise> {
    t.as_int().filter(|n| (1..=1 << 32).contains(n)).map(|n| n as u64).ok_or_else(bad)
}

fn crc(a: &[Term], with: fn(u32, &[u8]) -> u32, start: u32) -> Res {
    let (before, data) = match a {
        [data] => (start, data),
        [before, data] => (before.as_int().and_then(|n| u32::try_from(n).ok()).ok_or_else(bad)?, data),
        _ => return Err(bad()),
    };
    Ok(Term::Int(with(before, &data.iolist_bytes().ok_or_else(bad)?) as i64))
}

fn fun_info(r: R, a: &[Term]) -> Res {
    let Term::Fun(fun) = &a[0] else { return Err(bad()) };
    let what = a[1].as_atom().ok_or_else(bad)?;
    let value = match (&**fun, what.text()) {
        (f, "arity") => Term::Int(f.arity() as i64),
        (Fun::Export { module, .. } | Fun::Local { module, .. }, "module") => Term::Atom(*module),
        (Fun::Export { .. }, "type") => Term::atom("external"),
        (Fun::Export { function, .. }, "name") => Term::Atom(*function),
        (Fun::Export { .. }, "env") => Term::Nil,
        (Fun::Export { .. }, "index" | "new_index" | "uniq" | "new_uniq" | "pid") => {
            Term::Atom(known::UNDEFINED)
        }
        (Fun::Local { old_uniq, .. }, "uniq") => Term::Int(*old_uniq as i64),
        (Fun::Local { uniq, .. }, "new_uniq") => Term::binary(uniq.to_vec()),
        (Fun::Local { .. }, "type") => Term::atom("local"),
        (Fun::Local { module, index, uniq, .. }, "name") => {
            let number = r.version_of_fun(*module, *uniq).ok_or_else(bad)?;
            let lambda = r.env.code.module(number).lambdas.get(*index as usize).cloned().ok_or_else(bad)?;
            Term::Atom(lambda.function)
        }
        (Fun::Local { free, .. }, "env") => Term::list(free.clone()),
        (Fun::Local { index, .. }, "index" | "new_index") => Term::Int(*index as i64),
        (Fun::Local { creator, .. }, "pid") => Term::Pid(*creator),
        (_, other) => {
            return Err(Raise::unsupported(format!("erlang:fun_info/2 with {other} is not supported")));
        }
    };
    Ok(Term::tagged(what, value))
}

fn fun_info_mfa(r: R, a: &[Term]) -> Res {
    let name = fun_info(r, &[a[0].clone(), Term::atom("name")])?;
    let Term::Fun(fun) = &a[0] else { return Err(bad()) };
    let (Fun::Export { module, .. } | Fun::Local { module, .. }) = &**fun;
    let name = name.as_tuple().map_or(Term::Nil, |t| t[1].clone());
    Ok(Term::tuple([Term::Atom(*module), name, Term::Int(fun.arity() as i64)]))
}

fn make_fun(_: R, a: &[Term]) -> Res {
    match (&a[0], &a[1], a[2].as_usize()) {
        (Term::Atom(m), Term::Atom(f), Some(n)) if n < 256 => {
            Ok(Term::Fun(std::rc::Rc::new(Fun::Export { module: *m, function: *f, arity: n as u32 })))
        }
        _ => Err(bad()),
    }
}

fn function_exported(r: R, a: &[Term]) -> Res {
    match (&a[0], &a[1], a[2].as_usize()) {
        (Term::Atom(module), Term::Atom(function), Some(arity)) => {
            let mfa = Mfa { module: *module, function: *function, arity: arity as u32 };
            let is_loaded = r.current(mfa.module).is_some() || r.versions.get(mfa.module).is_none();
            Ok(Term::bool(is_loaded && !matches!(r.resolve(mfa), Target::Missing)))
        }
        _ => Err(bad()),
    }
}

fn is_builtin(r: R, a: &[Term]) -> Res {
    match (&a[0], &a[1], a[2].as_usize()) {
        (Term::Atom(module), Term::Atom(function), Some(arity)) => {
            let mfa = Mfa { module: *module, function: *function, arity: arity as u32 };
            Ok(Term::bool(r.env.code.is_native(mfa)))
        }
        _ => Err(bad()),
    }
}

fn module_info(r: R, a: &[Term]) -> Res {
    let name = a[0].as_atom().ok_or_else(bad)?;
    let Some(number) = r.current(name) else { return Err(bad()) };
    let module = r.env.code.module(number);
    let pair = |f: Atom, n: u32| Term::tuple([Term::Atom(f), Term::Int(n as i64)]);
    let mut functions: Vec<(Atom, u32)> =
        module.functions.iter().map(|f| (f.mfa.function, f.mfa.arity)).collect();
    functions.sort();
    let functions_term = |only_exported: bool| {
        let shown = functions.iter().filter(|f| !only_exported || module.exports.contains_key(f));
        Term::list(shown.map(|(f, n)| pair(*f, *n)).collect::<Vec<_>>())
    };
    let one = |what: &str| match what {
        "module" => Some(Term::Atom(name)),
        "exports" => Some(functions_term(true)),
        "functions" => Some(functions_term(false)),
        "attributes" => Some(module.attributes.clone()),
        "compile" => Some(module.compile_info.clone()),
        "md5" => Some(Term::binary(module.md5.to_vec())),
        _ => None,
    };
    match a.get(1).and_then(Term::as_atom) {
        Some(what) => one(what.text())
            .ok_or_else(|| Raise::unsupported(format!("module_info({what}) of {name} is not supported"))),
        None => Ok(Term::list(
            ["module", "exports", "attributes", "compile", "md5"]
                .map(|what| Term::tagged(Atom::new(what), one(what).unwrap_or(Term::Nil))),
        )),
    }
}

/// The file that a loaded module is from, or what was given when it was loaded.
fn loaded_file(r: &Runner<'_>, name: Atom) -> Option<Term> {
    if let Some(entry) = r.versions.get(name) {
        return entry.current.as_ref().map(|version| version.file.clone());
    }
    r.env.code.find(name).map(|_| Term::string(&r.env.code.file_name(name).unwrap_or_default()))
}

fn system_info(r: R, a: &[Term]) -> Res {
    if a[0].as_atom().is_some_and(|what| what.text() == "otp_release") {
        let found = r.env.code.release().map(|n| Term::string(&n.to_string()));
        return found.ok_or_else(|| Raise::unsupported("erlang:system_info(otp_release) is not known"));
    }
    Ok(match a[0].as_atom().map(Atom::text) {
        Some("schedulers" | "schedulers_online" | "logical_processors" | "dirty_cpu_schedulers") => {
            Term::Int(1)
        }
        Some("wordsize") => Term::Int(8),
        Some("endian") => Term::atom("little"),
        Some("process_limit") => Term::Int(262_144),
        Some("atom_limit") => Term::Int(1_048_576),
        Some("time_warp_mode") => Term::atom("no_time_warp"),
        Some("smp_support" | "threads") => Term::bool(true),
        Some("build_type") => Term::atom("opt"),
        Some("machine") => Term::string("BEAM"),
        Some("system_architecture") => Term::string("x86_64-pc-linux-gnu"),
        Some("break_ignored") => Term::bool(false),
        _ => {
            return Err(Raise::unsupported(format!("erlang:system_info({}) is not supported", a[0])));
        }
    })
}

/// The contents of an application's `.app` file.
fn application(r: R, a: &[Term]) -> Res {
    let name = a[0].as_atom().filter(|n| !n.text().contains('/')).ok_or_else(bad)?;
    let file = format!("{}.app", name.text());
    let Some(found) = r.env.code.directories().iter().map(|d| d.join(&file)).find(|f| f.is_file()) else {
        return Ok(Term::Atom(known::NONE));
    };
    let text = std::fs::read_to_string(&found).map_err(|e| Raise::unsupported(format!("{file}: {e}")))?;
    let terms = parse::terms(&text).map_err(|e| Raise::unsupported(format!("{file}: {e}")))?;
    match terms.as_slice() {
        [one] => Ok(one.clone()),
        _ => Err(Raise::unsupported(format!("{file} does not hold one term"))),
    }
}

/// What is traced: nothing, since tracing is refused.
fn trace_info(r: R, a: &[Term]) -> Res {
    let what = a[1].as_atom().ok_or_else(bad)?;
    let of_function =
        ["traced", "match_spec", "meta", "meta_match_spec", "call_count", "call_time", "call_memory"];
    let answer = match (&a[0], what.text()) {
        (Term::Pid(_), "flags" | "tracer") => Term::Nil,
        (Term::Atom(new), "flags" | "tracer") if new.text().starts_with("new") => Term::Nil,
        (Term::Tuple(t), item)
            if of_function.contains(&item) || matches!(item, "flags" | "tracer" | "all") =>
        {
            let [Term::Atom(module), Term::Atom(function), arity] = &**t else { return Err(bad()) };
            let arity = arity.as_usize().ok_or_else(bad)? as u32;
            let mfa = Mfa { module: *module, function: *function, arity };
            match r.resolve(mfa) {
                Target::Missing => Term::Atom(known::UNDEFINED),
                _ => Term::bool(false),
            }
        }
        _ => return Err(bad()),
    };
    Ok(Term::tagged(what, answer))
}

const E: &str = "erlang";

pub static TABLE: &[Native] = &[
    Native::local("raddle_native", "unsupported_test", 1, |_, a| {
        Err(Raise::unsupported(format!(
            "the test generator gives {}, which is not supported: name the test functions themselves with --test",
            a[0]
        )))
    }),
    Native::local(E, "phash2", 1, |_, a| Ok(Term::Int((hash::phash2(&a[0]) & ((1 << 27) - 1)) as i64))),
    Native::local(E, "phash2", 2, |_, a| Ok(Term::Int((hash::phash2(&a[0]) as u64 % range(&a[1])?) as i64))),
    Native::local(E, "phash", 2, |_, a| {
        Ok(Term::Int((hash::phash(&a[0]) as u64 % range(&a[1])?) as i64 + 1))
    }),
    Native::local(E, "crc32", 1, |_, a| crc(a, md5::crc32, 0)),
    Native::local(E, "crc32", 2, |_, a| crc(a, md5::crc32, 0)),
    Native::local(E, "adler32", 1, |_, a| crc(a, md5::adler32, 1)),
    Native::local(E, "adler32", 2, |_, a| crc(a, md5::adler32, 1)),
    Native::local(E, "md5", 1, |_, a| {
        Ok(Term::binary(md5::of(&a[0].iolist_bytes().ok_or_else(bad)?).to_vec()))
    }),
    Native::local(E, "fun_info", 2, fun_info),
    Native::local(E, "fun_info_mfa", 1, fun_info_mfa),
    Native::local(E, "make_fun", 3, make_fun),
    Native::local(E, "function_exported", 3, function_exported),
    Native::local(E, "is_builtin", 3, is_builtin),
    Native::local(E, "get_module_info", 1, module_info),
    Native::local(E, "get_module_info", 2, module_info),
    Native::local(E, "module_loaded", 1, |r, a| {
        Ok(Term::bool(r.current(a[0].as_atom().ok_or_else(bad)?).is_some()))
    }),
    Native::local(E, "system_info", 1, system_info),
    Native::local(E, "trace_info", 2, trace_info),
    Native::local(E, "nodes", 0, |_, _| Ok(Term::Nil)),
    Native::local(E, "nodes", 1, |_, _| Ok(Term::Nil)),
    Native::local(E, "nodes", 2, |_, _| Ok(Term::Nil)),
    Native::local(E, "ports", 0, |_, _| Ok(Term::Nil)),
    Native::local(E, "list_to_port", 1, |_, _| Err(bad())),
    Native::local(E, "port_to_list", 1, |_, _| Err(bad())),
    Native::local(E, "dt_spread_tag", 1, |_, _| Ok(Term::bool(true))),
    Native::local(E, "dt_restore_tag", 1, |_, _| Ok(Term::bool(true))),
    Native::local(E, "display_nl", 0, |r, _| {
        r.p.print("\n".to_owned());
        Ok(Term::bool(true))
    }),
    Native::local(E, "display_string", 1, |r, a| {
        r.p.print(a[0].to_text().ok_or_else(bad)?);
        Ok(Term::bool(true))
    }),
    Native::local(E, "is_alive", 0, |_, _| Ok(Term::bool(false))),
    Native::local(E, "get_cookie", 0, |_, _| Ok(Term::atom("nocookie"))),
    Native::local(E, "display", 1, |r, a| {
        r.p.print(format!("{}\n", a[0]));
        Ok(Term::bool(true))
    }),
    Native::local("erts_internal", "cmp_term", 2, |_, a| Ok(Term::Int(a[0].cmp(&a[1]) as i64))),
    Native::local("erts_internal", "term_type", 1, |_, _| {
        Err(Raise::unsupported("erts_internal:term_type/1 is not supported"))
    }),
    Native::local("erts_debug", "flat_size", 1, |_, a| match words(&a[0]) {
        Some(n) => Ok(number::of_u64(n)),
        None => Err(Raise::unsupported("erts_debug:flat_size/1 of such a term is not supported")),
    }),
    Native::local("erts_debug", "same", 2, |_, a| Ok(Term::bool(a[0] == a[1]))),
    Native::local("io", "printable_range", 0, |_, _| Ok(Term::atom("latin1"))),
    Native::local("file", "native_name_encoding", 0, |_, _| Ok(Term::Atom(known::UTF8))),
    Native::local("os", "getenv", 0, |_, _| Ok(Term::Nil)),
    Native::local("os", "getenv", 1, |_, _| Ok(Term::bool(false))),
    Native::local("os", "getpid", 0, |_, _| Ok(Term::string("1"))),
    Native::local("os", "type", 0, |_, _| Ok(Term::tuple([Term::atom("unix"), Term::atom("linux")]))),
    Native::local(E, "check_old_code", 1, |r, a| {
        let name = a[0].as_atom().ok_or_else(bad)?;
        Ok(Term::bool(r.versions.get(name).is_some_and(|entry| entry.old.is_some())))
    }),
    Native::local("code", "ensure_loaded", 1, |r, a| {
        let name = a[0].as_atom().ok_or_else(bad)?;
        Ok(match r.current(name).or_else(|| r.env.code.find(name)) {
            Some(_) => Term::tagged(known::MODULE, a[0].clone()),
            None => Term::tagged(known::ERROR, Term::atom("nofile")),
        })
    }),
    Native::local("code", "is_loaded", 1, |r, a| {
        let name = a[0].as_atom().ok_or_else(bad)?;
        Ok(loaded_file(r, name).map_or(Term::bool(false), |file| Term::tagged(known::FILE, file)))
    }),
    Native::local("code", "which", 1, |r, a| {
        let name = a[0].as_atom().ok_or_else(bad)?;
        let loaded = loaded_file(r, name).filter(|_| r.versions.get(name).is_some());
        let found = || r.env.code.file_name(name).map(|file| Term::string(&file));
        Ok(loaded.or_else(found).unwrap_or_else(|| Term::atom("non_existing")))
    }),
    Native::local("raddle", "application", 1, application),
    Native::local("code", "ensure_modules_loaded", 1, |_, _| Ok(Term::Atom(known::OK))),
    Native::local("init", "get_arguments", 0, |_, _| Ok(Term::Nil)),
    Native::local("init", "get_argument", 1, |_, _| Ok(Term::Atom(known::ERROR))),
    Native::local("init", "get_plain_arguments", 0, |_, _| Ok(Term::Nil)),
    // No experimental feature is on: nothing to look up, and nothing visible.
    Native::local("erl_features", "keywords", 0, |_, _| Ok(Term::Nil)),
    Native::local("code", "get_mode", 0, |_, _| Ok(Term::atom("interactive"))),
];

/// The size of a term on a heap of OTP, in words; none if it depends on more than the term.
fn words(t: &Term) -> Option<u64> {
    match t {
        Term::Cons(_) => {
            let mut iter = t.iter();
            let heads = iter.by_ref().map(|t| words(t).map(|n| 2 + n)).sum::<Option<u64>>()?;
            words(iter.rest()).map(|rest| heads + rest)
        }
        Term::Tuple(elements) => {
            elements.iter().map(|t| words(t).map(|n| 1 + n)).sum::<Option<u64>>().map(|n| 1 + n)
        }
        Term::Float(_) => Some(2),
        Term::Big(n) => Some(1 + n.bits().div_ceil(64)),
        Term::Int(_) | Term::Atom(_) | Term::Nil | Term::Pid(_) => Some(0),
        _ => None,
    }
}
