//! Applications and modules as files: where they are.

use super::Native;
use crate::run::{Raise, Res, Runner};
use crate::term::{Atom, Term, known};
use std::path::PathBuf;

type R<'a, 'b> = &'a mut Runner<'b>;

/// The directory of an application: the parent of an `ebin` whose name is the application's, with a version or without.
fn lib_dir(r: &Runner<'_>, app: Atom) -> Option<PathBuf> {
    r.env.code.directories().iter().find_map(|dir| {
        let home = dir.parent().filter(|_| dir.file_name().is_some_and(|name| name == "ebin"))?;
        let name = home.file_name()?.to_string_lossy().into_owned();
        let is_its =
            name.strip_prefix(app.text()).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
        is_its.then(|| std::fs::canonicalize(home).unwrap_or_else(|_| home.to_owned()))
    })
}

fn directory(r: R, a: &[Term], inside: Option<&str>) -> Res {
    let app = a[0].as_atom().ok_or_else(Raise::badarg)?;
    Ok(match lib_dir(r, app) {
        Some(home) => {
            let dir = inside.map_or(home.clone(), |inside| home.join(inside));
            Term::string(&dir.to_string_lossy())
        }
        None => Term::tagged(known::ERROR, Term::atom("bad_name")),
    })
}

fn root_dir(r: R, inside: &str) -> Res {
    let stdlib = lib_dir(r, Atom::new("stdlib"));
    let root = stdlib.as_deref().and_then(|dir| dir.ancestors().nth(2));
    let root =
        root.ok_or_else(|| Raise::unsupported("code:root_dir/0 is not known: OTP is not installed"))?;
    Ok(Term::string(root.join(inside).to_string_lossy().trim_end_matches('/')))
}

/// The application in whose directory a module's file is.
fn application_of(r: R, a: &[Term]) -> Res {
    let module = a[0].as_atom().ok_or_else(Raise::badarg)?;
    let dir = r.env.code.file(module).and_then(|file| file.parent().map(|dir| dir.to_owned()));
    let entries = dir.and_then(|dir| std::fs::read_dir(dir).ok()).into_iter().flatten().flatten();
    let app = entries.filter_map(|e| e.file_name().to_str()?.strip_suffix(".app").map(str::to_owned)).min();
    Ok(app.map_or(Term::Atom(known::UNDEFINED), |app| Term::tagged(known::OK, Term::atom(&app))))
}

fn is_sticky(r: R, a: &[Term]) -> Res {
    let module = a[0].as_atom().ok_or_else(Raise::badarg)?;
    let entry = r.versions.get(module);
    let is_loaded = entry.is_none_or(|entry| entry.current.is_some() && !entry.is_unstuck);
    Ok(Term::bool(is_loaded && r.env.code.is_sticky(module)))
}

fn get_object_code(r: R, a: &[Term]) -> Res {
    let module = a[0].as_atom().ok_or_else(Raise::badarg)?;
    let found = r.env.code.file_name(module).and_then(|file| Some((file, r.env.code.object_code(module)?)));
    Ok(match found {
        Some((file, bytes)) => Term::tuple([a[0].clone(), Term::binary(bytes), Term::string(&file)]),
        None => Term::Atom(known::ERROR),
    })
}

const C: &str = "code";

pub static TABLE: &[Native] = &[
    Native::local(C, "lib_dir", 1, |r, a| directory(r, a, None)),
    Native::local(C, "lib_dir", 2, |r, a| {
        let inside = a[1].as_atom().ok_or_else(Raise::badarg)?;
        directory(r, a, Some(inside.text()))
    }),
    Native::local(C, "priv_dir", 1, |r, a| directory(r, a, Some("priv"))),
    Native::local(C, "lib_dir", 0, |r, _| root_dir(r, "lib")),
    Native::local(C, "root_dir", 0, |r, _| root_dir(r, "")),
    Native::local(C, "get_path", 0, |r, _| {
        let text = |dir: &PathBuf| Term::string(&dir.to_string_lossy());
        Ok(Term::list(r.env.code.directories().iter().map(text).collect::<Vec<_>>()))
    }),
    Native::local(C, "is_sticky", 1, is_sticky),
    Native::local(C, "get_object_code", 1, get_object_code),
    Native::local("raddle", "application_of", 1, application_of),
    Native::local("raddle_native", "unsupported_call", 1, |_, a| {
        Err(Raise::unsupported(format!("{} is not supported", a[0].as_atom().map_or("it", Atom::text))))
    }),
];
