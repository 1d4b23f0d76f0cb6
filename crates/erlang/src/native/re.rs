//! The `re` module's natives. A compiled pattern holds its source and its options.

use super::Native;
use super::unicode;
use crate::regex::{Captures, Fault, Newline, Options, Regex, Request};
use crate::run::{Raise, Res, Runner};
use crate::term::{Atom, Term, known};
use std::rc::Rc;

type R<'a, 'b> = &'a mut Runner<'b>;

fn bad() -> Raise {
    Raise::badarg()
}

fn newline(t: &Term) -> Option<Newline> {
    Some(match t.as_atom()?.text() {
        "lf" => Newline::Lf,
        "cr" => Newline::Cr,
        "crlf" => Newline::CrLf,
        "anycrlf" => Newline::AnyCrLf,
        "any" => Newline::Any,
        _ => return None,
    })
}

/// Reads an option of `re:compile`; false if it is none.
fn compile_option(option: &Term, options: &mut Options) -> Result<bool, Raise> {
    if let Some([key, value]) = option.as_tuple() {
        if !key.is_atom(Atom::new("newline")) {
            return Ok(false);
        }
        options.newline = newline(value).ok_or_else(bad)?;
        return Ok(true);
    }
    let flag = match option.as_atom().map(Atom::text) {
        Some("unicode") => &mut options.unicode,
        Some("anchored") => &mut options.anchored,
        Some("caseless") => &mut options.caseless,
        Some("dollar_endonly") => &mut options.dollar_endonly,
        Some("dotall") => &mut options.dotall,
        Some("extended") => &mut options.extended,
        Some("firstline") => &mut options.firstline,
        Some("multiline") => &mut options.multiline,
        Some("no_auto_capture") => &mut options.no_auto_capture,
        Some("ungreedy") => &mut options.ungreedy,
        Some("bsr_anycrlf") => &mut options.bsr_anycrlf,
        Some("bsr_unicode") => {
            options.bsr_anycrlf = false;
            return Ok(true);
        }
        // It changes the speed of a match, not its result.
        Some("no_start_optimize") => return Ok(true),
        Some(other @ ("dupnames" | "ucp" | "never_utf")) => {
            return Err(Raise::unsupported(format!("re: the option {other} is not supported")));
        }
        _ => return Ok(false),
    };
    *flag = true;
    Ok(true)
}

/// The bytes of a pattern or a subject.
fn bytes(t: &Term, utf8: bool) -> Result<Vec<u8>, Raise> {
    if let Some(bytes) = t.as_bytes() {
        return if !utf8 || std::str::from_utf8(&bytes).is_ok() { Ok(bytes) } else { Err(bad()) };
    }
    if utf8 { unicode::utf8(t).ok_or_else(bad) } else { t.iolist_bytes().ok_or_else(bad) }
}

fn build(pattern: &[u8], options: Options) -> Result<Result<Regex, (&'static str, usize)>, Raise> {
    match Regex::new(pattern, options) {
        Ok(regex) => Ok(Ok(regex)),
        Err(Fault::Wrong(message, at)) => Ok(Err((message, at))),
        Err(Fault::Unsupported(what)) => Err(Raise::unsupported(format!(
            "re: the pattern {:?} is not supported: {what}",
            String::from_utf8_lossy(pattern)
        ))),
    }
}

fn complaint((message, at): (&str, usize)) -> Term {
    Term::tuple([Term::string(message), Term::from(at)])
}

const SIGN: &[u8] = b"raddle re ";
const NEWLINES: [Newline; 5] = [Newline::Lf, Newline::Cr, Newline::CrLf, Newline::AnyCrLf, Newline::Any];

/// A compiled pattern as a term.
fn packed(pattern: &[u8], o: Options, groups: usize) -> Term {
    let flags = [
        o.unicode,
        o.anchored,
        o.caseless,
        o.dollar_endonly,
        o.dotall,
        o.extended,
        o.firstline,
        o.multiline,
        o.no_auto_capture,
        o.ungreedy,
        o.bsr_anycrlf,
    ];
    let bits = flags.iter().enumerate().fold(0_u16, |bits, (i, on)| bits | (*on as u16) << i);
    let line = NEWLINES.iter().position(|n| *n == o.newline).unwrap_or(0) as u8;
    let crlf = matches!(o.newline, Newline::CrLf | Newline::AnyCrLf | Newline::Any);
    let data = [SIGN, &bits.to_be_bytes(), &[line], pattern].concat();
    Term::tuple([
        Term::atom("re_pattern"),
        Term::from(groups),
        Term::Int(o.unicode as i64),
        Term::Int(crlf as i64),
        Term::binary(data),
    ])
}

/// The source and the options of a compiled pattern; none if the term is no pattern.
fn unpacked(t: &Term) -> Result<Option<(Vec<u8>, Options)>, Raise> {
    let Some([tag, _, _, _, data]) = t.as_tuple() else { return Ok(None) };
    if !tag.is_atom(Atom::new("re_pattern")) {
        return Ok(None);
    }
    let data = data.as_bytes().ok_or_else(bad)?;
    let Some([high, low, line, pattern @ ..]) = data.strip_prefix(SIGN) else {
        let why = "re: a pattern that was compiled by another Erlang is not supported; compile it here";
        return Err(Raise::unsupported(why));
    };
    let on = |bit: u32| u16::from_be_bytes([*high, *low]) >> bit & 1 == 1;
    let options = Options {
        unicode: on(0),
        anchored: on(1),
        caseless: on(2),
        dollar_endonly: on(3),
        dotall: on(4),
        extended: on(5),
        firstline: on(6),
        multiline: on(7),
        no_auto_capture: on(8),
        ungreedy: on(9),
        bsr_anycrlf: on(10),
        newline: NEWLINES.get(*line as usize).copied().ok_or_else(bad)?,
    };
    Ok(Some((pattern.to_vec(), options)))
}

fn compile(_: R, a: &[Term]) -> Res {
    let mut options = Options::default();
    for option in a.get(1).map_or(Some(Vec::new()), Term::to_vec).ok_or_else(bad)? {
        if !compile_option(&option, &mut options)? {
            return Err(bad());
        }
    }
    let pattern = bytes(&a[0], options.unicode)?;
    Ok(match build(&pattern, options)? {
        Ok(regex) => Term::tagged(known::OK, packed(&pattern, options, regex.groups)),
        Err(error) => Term::tagged(known::ERROR, complaint(error)),
    })
}

/// The captures that a match returns.
enum Wanted {
    All,
    AllButFirst,
    First,
    Nothing,
    Names,
    These(Vec<Term>),
}

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Index,
    List,
    Binary,
}

fn wanted(t: &Term) -> Result<Wanted, Raise> {
    Ok(match t.as_atom().map(Atom::text) {
        Some("all") => Wanted::All,
        Some("all_but_first") => Wanted::AllButFirst,
        Some("first") => Wanted::First,
        Some("none") => Wanted::Nothing,
        Some("all_names") => Wanted::Names,
        Some(_) => return Err(bad()),
        None => match t.to_vec().ok_or_else(bad)? {
            none if none.is_empty() => Wanted::Nothing,
            some => Wanted::These(some),
        },
    })
}

/// All options of a call of `re:run`.
struct Call {
    request: Request,
    compile: Options,
    compile_only: bool,
    global: bool,
    report_errors: bool,
    wanted: Wanted,
    form: Form,
}

fn call(options: Option<&Term>) -> Result<Call, Raise> {
    let mut c = Call {
        request: Request::default(),
        compile: Options::default(),
        compile_only: false,
        global: false,
        report_errors: false,
        wanted: Wanted::All,
        form: Form::Index,
    };
    for option in options.map_or(Some(Vec::new()), Term::to_vec).ok_or_else(bad)? {
        match (option.as_atom().map(Atom::text), option.as_tuple()) {
            (Some("global"), _) => c.global = true,
            (Some("notbol"), _) => c.request.notbol = true,
            (Some("noteol"), _) => c.request.noteol = true,
            (Some("notempty"), _) => c.request.notempty = true,
            (Some("notempty_atstart"), _) => c.request.notempty_atstart = true,
            (Some("report_errors"), _) => c.report_errors = true,
            (_, Some([key, value])) if key.is_atom(Atom::new("offset")) => {
                c.request.offset = value.as_usize().ok_or_else(bad)?;
            }
            (_, Some([key, what])) if key.is_atom(Atom::new("capture")) => c.wanted = wanted(what)?,
            (_, Some([key, what, form])) if key.is_atom(Atom::new("capture")) => {
                c.wanted = wanted(what)?;
                c.form = match form.as_atom().map(Atom::text) {
                    Some("index") => Form::Index,
                    Some("list") => Form::List,
                    Some("binary") => Form::Binary,
                    _ => return Err(bad()),
                };
            }
            (_, Some([key, _])) if key.as_atom().is_some_and(|k| k.text().starts_with("match_limit")) => {
                return Err(Raise::unsupported("re: the options match_limit are not supported"));
            }
            _ => {
                if !compile_option(&option, &mut c.compile)? {
                    return Err(bad());
                }
                match option.as_atom().map(Atom::text) {
                    Some("anchored") => c.request.anchored = true,
                    Some("bsr_anycrlf") => c.request.bsr_anycrlf = Some(true),
                    Some("bsr_unicode") => c.request.bsr_anycrlf = Some(false),
                    None => c.request.newline = Some(c.compile.newline),
                    // An option that a compiled pattern does not take.
                    Some(_) => c.compile_only = true,
                }
            }
        }
    }
    Ok(c)
}

fn run(_: R, a: &[Term]) -> Res {
    let c = call(a.get(2))?;
    let (pattern, options) = match unpacked(&a[1])? {
        Some(_) if c.compile_only => return Err(bad()),
        Some(compiled) => compiled,
        None if a[1].as_tuple().is_some() => return Err(bad()),
        None => (bytes(&a[1], c.compile.unicode)?, c.compile),
    };
    let regex = match build(&pattern, options)? {
        Ok(regex) => regex,
        Err(error) if c.report_errors => {
            let compile = Term::tagged(Atom::new("compile"), complaint(error));
            return Ok(Term::tagged(known::ERROR, compile));
        }
        Err(_) => return Err(bad()),
    };
    let text = bytes(&a[0], options.unicode)?;
    let none = Term::atom("nomatch");
    if c.request.offset > text.len() {
        // OTP 25 exits the process with an internal error that cannot be caught.
        return match c.global {
            true => Ok(none),
            false => {
                Err(Raise::unsupported("re:run with an offset after the end of the text is not supported"))
            }
        };
    }
    if options.unicode && !std::str::from_utf8(&text).is_ok_and(|t| t.is_char_boundary(c.request.offset)) {
        return Err(bad());
    }
    let find = |request: Request| {
        let many = "re: this match takes too many steps to be tried";
        regex.find(&text, request).map_err(|_| Raise::unsupported(many))
    };
    let matches = match c.global {
        false => find(c.request)?.into_iter().collect(),
        true => all(&text, options, c.request, &find)?,
    };
    if matches.is_empty() {
        return Ok(none);
    }
    if matches!(c.wanted, Wanted::Nothing) {
        return Ok(Term::atom("match"));
    }
    let shape = |captures: &Captures| shape(captures, &c, &regex, &a[0], &text, options.unicode);
    let mut shaped = matches.iter().map(shape).collect::<Result<Vec<_>, _>>()?;
    let found = if c.global { Term::list(shaped) } else { shaped.remove(0) };
    Ok(Term::tagged(Atom::new("match"), found))
}

/// All matches in order: after an empty match, a nonempty one at the same position is tried first.
fn all(
    text: &[u8],
    options: Options,
    request: Request,
    find: &dyn Fn(Request) -> Result<Option<Captures>, Raise>,
) -> Result<Vec<Captures>, Raise> {
    let crlf =
        matches!(request.newline.unwrap_or(options.newline), Newline::CrLf | Newline::AnyCrLf | Newline::Any);
    let (mut at, mut out) = (request.offset, Vec::new());
    while at <= text.len() {
        let Some(found) = find(Request { offset: at, ..request })? else { break };
        let (from, to) = found[0].ok_or_else(bad)?;
        out.push(found);
        if to > from {
            at = to;
            continue;
        }
        let again = Request { offset: at, notempty_atstart: true, anchored: true, ..request };
        let longer = find(again)?;
        let len = longer.as_ref().and_then(|l| l[0]).map_or(0, |(from, to)| to - from);
        out.extend(longer);
        at = match len {
            0 => from + step(text, from, options.unicode, crlf),
            len => from + len,
        };
    }
    Ok(out)
}

/// The length of the character at a position.
fn step(text: &[u8], at: usize, utf8: bool, crlf: bool) -> usize {
    match text.get(at) {
        Some(b'\r') if crlf && text.get(at + 1) == Some(&b'\n') => 2,
        Some(0xf0..) if utf8 => 4,
        Some(0xe0..) if utf8 => 3,
        Some(0xc0..) if utf8 => 2,
        _ => 1,
    }
}

fn shape(captures: &Captures, c: &Call, regex: &Regex, subject: &Term, text: &[u8], utf8: bool) -> Res {
    let one = |place: Option<(usize, usize)>| match (c.form, place) {
        (Form::Index, Some((from, to))) => {
            Term::tuple([Term::from(from), Term::Int(to as i64 - from as i64)])
        }
        (Form::Index, None) => Term::tuple([Term::Int(-1), Term::Int(0)]),
        (Form::Binary, Some((from, to))) => match subject.as_bits() {
            Some(bits) => Term::Bits(Rc::new(bits.part(from * 8, (to - from) * 8))),
            None => Term::binary(&text[from..to]),
        },
        (Form::Binary, None) => Term::binary(Vec::new()),
        (Form::List, Some((from, to))) if utf8 => {
            Term::string(std::str::from_utf8(&text[from..to]).unwrap_or_default())
        }
        (Form::List, Some((from, to))) => {
            Term::list(text[from..to].iter().map(|b| Term::Int(*b as i64)).collect::<Vec<_>>())
        }
        (Form::List, None) => Term::Nil,
    };
    // Trailing groups that did not participate are omitted.
    let used = captures.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
    let of = |number: usize| captures.get(number).copied().flatten();
    let chosen: Vec<Option<(usize, usize)>> = match &c.wanted {
        Wanted::All => captures[..used].to_vec(),
        Wanted::AllButFirst => captures[..used].get(1..).unwrap_or_default().to_vec(),
        Wanted::First => vec![captures[0]],
        Wanted::Nothing => Vec::new(),
        Wanted::Names => regex.names.iter().map(|(_, number)| of(*number)).collect(),
        Wanted::These(these) => {
            let number = |t: &Term| -> Result<Option<(usize, usize)>, Raise> {
                if let Some(n) = t.as_int() {
                    return Ok(usize::try_from(n).ok().and_then(of));
                }
                let name = match t {
                    Term::Atom(a) => Some(a.text().to_owned()),
                    other => other.iolist_bytes().map(|b| String::from_utf8_lossy(&b).into_owned()),
                };
                let name = name.ok_or_else(bad)?;
                Ok(regex.names.iter().find(|(n, _)| *n == name).and_then(|(_, n)| of(*n)))
            };
            these.iter().map(number).collect::<Result<_, _>>()?
        }
    };
    Ok(Term::list(chosen.into_iter().map(one).collect::<Vec<_>>()))
}

fn inspect(_: R, a: &[Term]) -> Res {
    let Some((pattern, options)) = unpacked(&a[0])? else { return Err(bad()) };
    if !a[1].is_atom(Atom::new("namelist")) {
        return Err(bad());
    }
    let Ok(regex) = build(&pattern, options)? else { return Err(bad()) };
    let names = regex.names.iter().map(|(name, _)| Term::binary(name.as_bytes())).collect::<Vec<_>>();
    Ok(Term::tagged(Atom::new("namelist"), Term::list(names)))
}

pub static TABLE: &[Native] = &[
    Native::local("re", "compile", 1, compile),
    Native::local("re", "compile", 2, compile),
    Native::local("re", "run", 2, run),
    Native::local("re", "run", 3, run),
    Native::local("re", "inspect", 2, inspect),
];
