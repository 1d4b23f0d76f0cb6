//! Parses terms of `.app` and `.config` files, as `file:consult` does.

use super::{Map, Term, number};
use crate::native::parse_float;

/// Why a text is no term.
pub type Error = String;

struct Parser<'a> {
    rest: &'a str,
    whole: &'a str,
    depth: u32,
}

/// All terms of a text, each ended by a full stop.
pub fn terms(text: &str) -> Result<Vec<Term>, Error> {
    let mut parser = Parser { rest: text, whole: text, depth: 0 };
    let mut all = Vec::new();
    loop {
        parser.blanks();
        if parser.rest.is_empty() {
            return Ok(all);
        }
        all.push(parser.term()?);
        parser.expect(".")?;
    }
}

impl Parser<'_> {
    fn line(&self) -> usize {
        let done = self.whole.len() - self.rest.len();
        1 + self.whole[..done].matches('\n').count()
    }
    fn fail<T>(&self, what: &str) -> Result<T, Error> {
        Err(format!("line {}: {what}", self.line()))
    }
    fn blanks(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            match self.rest.strip_prefix('%') {
                Some(comment) => self.rest = comment.split_once('\n').map_or("", |(_, rest)| rest),
                None => return,
            }
        }
    }
    fn take(&mut self, text: &str) -> bool {
        self.blanks();
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }
    fn expect(&mut self, text: &str) -> Result<(), Error> {
        if self.take(text) { Ok(()) } else { self.fail(&format!("{text} is expected")) }
    }
    fn while_(&mut self, fits: impl Fn(char) -> bool) -> String {
        let end = self.rest.find(|c| !fits(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken.to_owned()
    }
    /// The text between quotes.
    fn quoted(&mut self, quote: char) -> Result<String, Error> {
        let mut text = String::new();
        let mut chars = self.rest.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                c if c == quote => {
                    self.rest = &self.rest[at + c.len_utf8()..];
                    return Ok(text);
                }
                '\\' => match chars.next().map(|(_, c)| c) {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some('r') => text.push('\r'),
                    Some('s') => text.push(' '),
                    Some('0') => text.push('\0'),
                    Some(c) if !c.is_ascii_alphanumeric() => text.push(c),
                    _ => return self.fail("an escape that is not supported"),
                },
                c => text.push(c),
            }
        }
        self.fail("a quote is not closed")
    }
    fn list_until(&mut self, close: &str) -> Result<Vec<Term>, Error> {
        let mut all = Vec::new();
        if self.take(close) {
            return Ok(all);
        }
        loop {
            all.push(self.term()?);
            if self.take(close) {
                return Ok(all);
            }
            self.expect(",")?;
        }
    }
    fn term(&mut self) -> Result<Term, Error> {
        self.depth += 1;
        if self.depth > 500 {
            return self.fail("nested too deeply");
        }
        let term = self.inner();
        self.depth -= 1;
        term
    }
    fn inner(&mut self) -> Result<Term, Error> {
        if self.take("{") {
            return Ok(Term::tuple(self.list_until("}")?));
        }
        if self.take("#{") {
            let mut entries = Vec::new();
            while !self.take("}") {
                let key = self.term()?;
                self.expect("=>")?;
                entries.push((key, self.term()?));
                if !self.take(",") {
                    self.expect("}")?;
                    break;
                }
            }
            return Ok(Term::map(Map::from_entries(entries)));
        }
        if self.take("[") {
            let mut all = Vec::new();
            if self.take("]") {
                return Ok(Term::Nil);
            }
            loop {
                all.push(self.term()?);
                if self.take("]") {
                    return Ok(Term::list(all));
                }
                if self.take("|") {
                    let tail = self.term()?;
                    self.expect("]")?;
                    return Ok(Term::list_onto(all, tail));
                }
                self.expect(",")?;
            }
        }
        if self.take("<<") {
            let mut bytes = Vec::new();
            while !self.take(">>") {
                if self.take("\"") {
                    bytes.extend(self.quoted('"')?.bytes());
                } else {
                    match self.term()?.as_int().and_then(|n| u8::try_from(n).ok()) {
                        Some(byte) => bytes.push(byte),
                        None => return self.fail("a byte is expected"),
                    }
                }
                let _ = self.take("/utf8");
                if !self.take(",") {
                    self.expect(">>")?;
                    break;
                }
            }
            return Ok(Term::binary(bytes));
        }
        if self.take("\"") {
            let mut text = self.quoted('"')?;
            while self.take("\"") {
                text += &self.quoted('"')?;
            }
            return Ok(Term::string(&text));
        }
        if self.take("'") {
            return Ok(Term::atom(&self.quoted('\'')?));
        }
        if self.take("$") {
            let mut chars = self.rest.chars();
            return match chars.next() {
                Some(c) if c != '\\' => {
                    self.rest = chars.as_str();
                    Ok(Term::Int(c as i64))
                }
                _ => self.fail("a character is expected"),
            };
        }
        let negative = self.take("-");
        self.blanks();
        match self.rest.chars().next() {
            Some(c) if c.is_ascii_digit() => self.number(negative),
            Some(c) if c.is_lowercase() && !negative => {
                Ok(Term::atom(&self.while_(|c| c.is_alphanumeric() || c == '_' || c == '@')))
            }
            _ => self.fail("a term is expected"),
        }
    }
    fn number(&mut self, negative: bool) -> Result<Term, Error> {
        let sign = if negative { "-" } else { "" };
        let digits = self.while_(|c| c.is_ascii_digit() || c == '_').replace('_', "");
        let is_float = self.rest.starts_with('.') && self.rest[1..].starts_with(|c: char| c.is_ascii_digit());
        let value = if is_float {
            self.rest = &self.rest[1..];
            let fraction = self.while_(|c| c.is_ascii_digit());
            let mut text = format!("{sign}{digits}.{fraction}");
            if self.rest.starts_with(['e', 'E']) {
                self.rest = &self.rest[1..];
                text += "e";
                text += &self.while_(|c| c.is_ascii_digit() || c == '-' || c == '+');
            }
            parse_float(&text).map(Term::Float)
        } else if let Some(rest) = self.rest.strip_prefix('#') {
            self.rest = rest;
            let base = digits.parse().ok().filter(|b| (2..=36).contains(b));
            let text = self.while_(|c| c.is_ascii_alphanumeric());
            base.and_then(|base| number::from_base(&format!("{sign}{text}"), base))
        } else {
            number::from_base(&format!("{sign}{digits}"), 10)
        };
        value.map_or_else(|| self.fail("not a number"), Ok)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_application_file_is_read() {
        let text = "%% a comment\n{application, my_app,\n [{vsn, \"1.0\"}, {env, [{'Key', 16#ff}, {f, -1.5e2}]},\
                    {mod, {m, []}}, {b, <<\"x\", 1>>}, {c, #{a => $b}}, {l, [1|2]}]}.\n";
        let read = terms(text).expect("terms");
        let shown = "{application,my_app,[{vsn,\"1.0\"},{env,[{'Key',255},{f,-150.0}]},{mod,{m,[]}},\
                     {b,<<120,1>>},{c,#{a => 98}},{l,[1|2]}]}";
        assert_eq!(read.iter().map(Term::to_string).collect::<Vec<_>>(), [shown]);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        assert_eq!(terms("{a,\n b").unwrap_err(), "line 2: , is expected");
        assert_eq!(terms("{a, Variable}.").unwrap_err(), "line 1: a term is expected");
        assert_eq!(terms("'open").unwrap_err(), "line 1: a quote is not closed");
    }
}
