//! What the Erlang world reads: compiled modules, external terms, terms as text, patterns.

use super::Seen;
use raddle_erlang::beam;
use raddle_erlang::regex::{Options, Regex, Request};
use raddle_erlang::term::{Term, external, parse};

/// A `.beam` file. It has no checksum: a mutation may be another module.
pub fn beam(bytes: &[u8], _: Option<&[u8]>) -> Result<Seen, String> {
    let _ = (beam::encoded_names(bytes), beam::executed(bytes, |chunks| chunks.len()));
    let Ok(module) = beam::load(bytes) else { return Ok(Seen::Refused) };
    module.functions.iter().for_each(|function| {
        let _ = (module.exports.contains_key(&(function.mfa.function, 0)), function.mfa.to_string());
    });
    Ok(Seen::Read)
}

/// An external term: what is read can be written, and read again as the same.
pub fn external_term(bytes: &[u8], _: Option<&[u8]>) -> Result<Seen, String> {
    let mut seen = Seen::Refused;
    for read in [external::decode, external::decode_own] {
        let Ok((term, taken)) = read(bytes) else { continue };
        if taken > bytes.len() {
            return Err("it took more bytes than there are".to_owned());
        }
        let again = external::encode(&term);
        match external::decode_own(&again) {
            Ok((other, _)) if other == term => seen = Seen::Read,
            Ok(_) => return Err("what was read is written as something else".to_owned()),
            Err(e) => return Err(format!("what was read cannot be written: {e}")),
        }
    }
    Ok(seen)
}

/// Terms as text: what is printed is read again as the same.
pub fn text(bytes: &[u8], _: Option<&[u8]>) -> Result<Seen, String> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(Seen::Refused) };
    let Ok(terms) = parse::terms(text) else { return Ok(Seen::Refused) };
    let printed: String = terms.iter().map(|term: &Term| format!("{term}.\n")).collect();
    match parse::terms(&printed) {
        Ok(again) if again == terms => Ok(Seen::Read),
        Ok(_) => Err(format!("it is printed as {printed}, which is something else")),
        Err(e) => Err(format!("it is printed as {printed}, which is not read: {e:?}")),
    }
}

/// A pattern.
pub fn regex(bytes: &[u8], _: Option<&[u8]>) -> Result<Seen, String> {
    let unicode = bytes.len().is_multiple_of(2);
    let Ok(regex) = Regex::new(bytes, Options { unicode, ..Options::default() }) else {
        return Ok(Seen::Refused);
    };
    // Too long a match is an error.
    let text = "cab 2024-12-31xxx AAb*\r\naaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    match regex.find(text.as_bytes(), Request::default()) {
        Ok(Some(captures)) if captures.iter().flatten().any(|(from, to)| from > to || *to > text.len()) => {
            Err("a capture is not in the text".to_owned())
        }
        _ => Ok(Seen::Read),
    }
}
