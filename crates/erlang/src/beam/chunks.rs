//! Reads a `.beam` file: an IFF container of chunks. No input makes it panic; a malformed chunk is an
//! [`Error`]. It reads the files of OTP up to 27.

use super::compact::{Arg, Args};
use super::{Error, Function, Import, Lambda, Line, Mfa, Module, decode};
use crate::term::{Atom, Term, external};
use std::cell::OnceCell;
use std::collections::HashMap;

type Result<T> = std::result::Result<T, Error>;

fn corrupt<T>(what: &str) -> Result<T> {
    Err(Error(format!("not a usable .beam file: {what}")))
}

/// Shows the chunks of a file that are executed; none if it is no `.beam` file.
pub fn executed<T>(bytes: &[u8], show: impl FnOnce(&[&[u8]]) -> T) -> Option<T> {
    let unpacked;
    let bytes = if bytes.starts_with(&[0x1f, 0x8b]) {
        unpacked = gunzip(bytes).ok()?;
        &unpacked
    } else {
        bytes
    };
    let chunks = chunks(bytes).ok()?;
    let names: [&[u8]; 7] = [b"AtU8", b"Code", b"StrT", b"ImpT", b"ExpT", b"FunT", b"LitT"];
    Some(show(&names.map(|name| chunks.get(name).copied().unwrap_or_default())))
}

/// The atoms and the literals of a file as they are encoded, so that names can be looked for in them.
pub fn encoded_names(bytes: &[u8]) -> Vec<u8> {
    let unpack = |chunks: &[&[u8]]| {
        let mut all = chunks[0].to_vec();
        all.extend(unpacked_literals(chunks[6]).unwrap_or_default());
        all
    };
    executed(bytes, unpack).unwrap_or_default()
}

/// Loads a module from the bytes of its file.
pub fn load(bytes: &[u8]) -> Result<Module> {
    let unpacked;
    let bytes = if bytes.starts_with(&[0x1f, 0x8b]) {
        unpacked = gunzip(bytes)?;
        &unpacked
    } else {
        bytes
    };
    let chunks = chunks(bytes)?;
    let need = |name: &str| match chunks.get(name.as_bytes()) {
        Some(chunk) => Ok(*chunk),
        None => corrupt(&format!("it has no {name} chunk")),
    };
    let atoms = match chunks.get(&b"AtU8"[..]) {
        Some(chunk) => atoms(chunk)?,
        None => return corrupt("it has no AtU8 chunk; compile it with OTP 20 or later"),
    };
    let Some(name) = atoms.first().copied() else { return corrupt("it has no name") };
    let atom = |index: u32| match (index as usize).checked_sub(1).and_then(|i| atoms.get(i)) {
        Some(atom) => Ok(*atom),
        None => corrupt("an atom out of range"),
    };
    let literals = match chunks.get(&b"LitT"[..]) {
        Some(chunk) => literals(chunk)?,
        None => Vec::new(),
    };
    let mut imports = Vec::new();
    for [module, function, arity] in table::<3>(need("ImpT")?)? {
        let mfa = Mfa { module: atom(module)?, function: atom(function)?, arity };
        if arity > 255 {
            return corrupt("an import with too many arguments");
        }
        imports.push(Import { mfa, target: OnceCell::new() });
    }
    let raw_lambdas = match chunks.get(&b"FunT"[..]) {
        Some(chunk) => table::<6>(chunk)?,
        None => Vec::new(),
    };
    let strings = chunks.get(&b"StrT"[..]).copied().unwrap_or_default();
    let code_chunk = need("Code")?;
    // A release may strip the line table.
    let has_lines = chunks.contains_key(&b"Line"[..]);
    let (line_table, files) = match chunks.get(&b"Line"[..]) {
        Some(chunk) => lines(chunk, &format!("{}.erl", name.text()))?,
        None => (Vec::new(), Vec::new()),
    };
    let context = decode::Context { atoms: &atoms, literals: &literals, strings, imports: imports.len() };
    let decoded = decode::code(code_chunk, &context, name)?;
    let entry = |label: u32| match decoded.labels.get(&label) {
        Some(pc) => Ok(*pc),
        None => corrupt("a function without code"),
    };
    let mut exports = HashMap::new();
    for [function, arity, label] in table::<3>(need("ExpT")?)? {
        exports.insert((atom(function)?, arity), entry(label)?);
    }
    let mut lambdas = Vec::new();
    for [function, arity, label, _, free, old_uniq] in raw_lambdas {
        if arity > 255 || free > arity {
            return corrupt("a fun with too many arguments");
        }
        lambdas.push(Lambda { function: atom(function)?, arity, entry: entry(label)?, free, old_uniq });
    }
    if decoded.lambdas_used > lambdas.len() {
        return corrupt("a fun out of range");
    }
    let mut at_lines = Vec::new();
    for (pc, index) in decoded.lines {
        match (index as usize).checked_sub(1) {
            None => at_lines.push((pc, Line { file: 0, line: 0 })),
            Some(_) if !has_lines => {}
            Some(i) => match line_table.get(i) {
                Some(line) => at_lines.push((pc, *line)),
                None => return corrupt("a line out of range"),
            },
        }
    }
    let functions: Vec<Function> = decoded.functions;
    let locals = functions.iter().map(|f| ((f.mfa.function, f.mfa.arity), f.start + 1)).collect();
    let term =
        |chunk: &[u8]| chunks.get(chunk).and_then(|c| external::decode(c).ok()).map_or(Term::Nil, |t| t.0);
    Ok(Module {
        name,
        md5: md5(&chunks),
        exports,
        locals,
        imports,
        lambdas,
        code: decoded.code,
        functions,
        lines: at_lines,
        files,
        attributes: term(b"Attr"),
        compile_info: term(b"CInf"),
        has_on_load: decoded.has_on_load,
    })
}

/// The MD5 that the compiler gives a module: of its essential chunks, without the `uniq` values of its funs.
fn md5(chunks: &HashMap<&[u8], &[u8]>) -> [u8; 16] {
    let mut all = Vec::new();
    for name in ["AtU8", "Code", "StrT", "ImpT", "ExpT", "FunT", "LitT", "Meta"] {
        let chunk = chunks.get(name.as_bytes()).copied().unwrap_or_default();
        let start = all.len();
        all.extend(chunk);
        if name == "FunT" {
            // A count, then six words per fun; the last word is the `uniq`.
            all[start..].chunks_mut(4).skip(1).skip(5).step_by(6).for_each(|word| word.fill(0));
        }
    }
    crate::native::md5::of(&all)
}

fn gunzip(bytes: &[u8]) -> Result<Vec<u8>> {
    const LARGEST: usize = 1 << 28;
    // A gzip header without extras is what erlc +compressed writes.
    if bytes.len() < 18 || bytes[3] != 0 {
        return corrupt("an unusual gzip header");
    }
    miniz_oxide::inflate::decompress_to_vec_with_limit(&bytes[10..bytes.len() - 8], LARGEST)
        .or_else(|_| corrupt("corrupt compressed data"))
}

fn word(bytes: &[u8], at: usize) -> Result<u32> {
    match bytes.get(at..at + 4) {
        Some(b) => Ok(u32::from_be_bytes([b[0], b[1], b[2], b[3]])),
        None => corrupt("truncated"),
    }
}

fn chunks(bytes: &[u8]) -> Result<HashMap<&[u8], &[u8]>> {
    if bytes.get(..4) != Some(b"FOR1") || bytes.get(8..12) != Some(b"BEAM") {
        return corrupt("it does not start like one");
    }
    let Some(end) = (word(bytes, 4)? as usize).checked_add(8).filter(|end| *end <= bytes.len()) else {
        return corrupt("truncated");
    };
    let (mut at, mut chunks) = (12, HashMap::new());
    while at + 8 <= end {
        let size = word(bytes, at + 4)? as usize;
        let Some(body) = bytes.get(at + 8..(at + 8).saturating_add(size)).filter(|_| at + 8 + size <= end)
        else {
            return corrupt("truncated");
        };
        chunks.insert(&bytes[at..at + 4], body);
        at += 8 + size.next_multiple_of(4);
    }
    Ok(chunks)
}

fn atoms(chunk: &[u8]) -> Result<Vec<Atom>> {
    // OTP 28 writes a negative count and lengths as compact terms; up to 27 it is a count and length bytes.
    let count = word(chunk, 0)?;
    if count as i32 <= 0 {
        return corrupt("its atom table is of a later OTP than 27");
    }
    let (mut at, mut atoms) = (4, Vec::new());
    for _ in 0..count {
        let Some(len) = chunk.get(at).map(|n| *n as usize) else { return corrupt("truncated") };
        let Some(text) = chunk.get(at + 1..at + 1 + len) else { return corrupt("truncated") };
        let Ok(text) = std::str::from_utf8(text) else { return corrupt("an atom that is not UTF-8") };
        atoms.push(Atom::new(text));
        at += 1 + len;
    }
    Ok(atoms)
}

/// A count, then rows of words.
fn table<const N: usize>(chunk: &[u8]) -> Result<Vec<[u32; N]>> {
    let count = word(chunk, 0)? as usize;
    if count > chunk.len() / (4 * N) {
        return corrupt("truncated");
    }
    let mut rows = Vec::with_capacity(count);
    for row in 0..count {
        let mut words = [0; N];
        for (i, w) in words.iter_mut().enumerate() {
            *w = word(chunk, 4 + (row * N + i) * 4)?;
        }
        rows.push(words);
    }
    Ok(rows)
}

fn unpacked_literals(chunk: &[u8]) -> Result<Vec<u8>> {
    match word(chunk, 0)? as usize {
        0 => Ok(chunk[4..].to_vec()),
        size => external::inflate(&chunk[4..], size).or_else(corrupt),
    }
}

fn literals(chunk: &[u8]) -> Result<Vec<Term>> {
    let bytes = &unpacked_literals(chunk)?[..];
    let count = word(bytes, 0)?;
    let (mut at, mut literals) = (4, Vec::new());
    for _ in 0..count {
        let size = word(bytes, at)? as usize;
        let Some(body) = bytes.get(at + 4..(at + 4).saturating_add(size)) else {
            return corrupt("truncated");
        };
        match external::decode(body) {
            Ok((term, _)) => literals.push(term),
            Err(e) => return corrupt(&format!("a literal that is {e}")),
        }
        at += 4 + size;
    }
    Ok(literals)
}

fn lines(chunk: &[u8], own: &str) -> Result<(Vec<Line>, Vec<String>)> {
    let (count, files) = (word(chunk, 12)?, word(chunk, 16)?);
    let Some(body) = chunk.get(20..) else { return corrupt("truncated") };
    if count as usize > body.len() {
        return corrupt("truncated");
    }
    let mut args = Args::new(body);
    let (mut table, mut file) = (Vec::new(), 0);
    while table.len() < count as usize {
        match args.next()? {
            Arg::Int(line) => {
                let line = line.as_int().and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
                table.push(Line { file, line });
            }
            Arg::Atom(index) => file = index,
            _ => return corrupt("a corrupt line table"),
        }
    }
    let mut rest = args.rest();
    let mut names = vec![own.to_owned()];
    for _ in 0..files {
        let Some(len) = rest.get(..2).map(|b| u16::from_be_bytes([b[0], b[1]]) as usize) else {
            return corrupt("truncated");
        };
        let Some(name) = rest.get(2..2 + len) else { return corrupt("truncated") };
        names.push(String::from_utf8_lossy(name).into_owned());
        rest = &rest[2 + len..];
    }
    Ok((table, names))
}
