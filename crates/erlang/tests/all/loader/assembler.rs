//! A small assembler for `.beam` files, for instructions and chunks that the installed compiler does not write.

use raddle_erlang::beam::OPCODES;
use raddle_erlang::term::Term;
use raddle_erlang::term::external::encode;
use std::io::Write as _;

/// An argument of an instruction.
#[derive(Clone)]
pub enum A {
    /// An untagged number.
    U(u64),
    /// An integer literal.
    I(i64),
    /// An atom.
    Atom(&'static str),
    /// `[]`
    Nil,
    X(u64),
    /// A label; 0 is none.
    F(u64),
    /// An x register with a type hint, as OTP 25 and later write it.
    Typed(u64, u64),
    /// A literal.
    Lit(Term),
    /// A heap allocation.
    Alloc(u64),
    L(Vec<A>),
}

/// The module being assembled.
#[derive(Default)]
pub struct Assembler {
    atoms: Vec<&'static str>,
    imports: Vec<(&'static str, &'static str, u64)>,
    exports: Vec<(&'static str, u64, u64)>,
    literals: Vec<Term>,
    code: Vec<u8>,
    labels: u64,
    highest: u8,
    /// Additional chunks.
    pub more: Vec<(&'static str, Vec<u8>)>,
    /// Uncompressed literals with a size of 0, as OTP 28 writes them.
    pub plain_literals: bool,
    /// Overrides the highest opcode.
    pub claimed: Option<u32>,
}

impl Assembler {
    /// A module with this name.
    pub fn new(name: &'static str) -> Assembler {
        Assembler { atoms: vec![name], labels: 1, ..Assembler::default() }
    }

    fn atom(&mut self, text: &'static str) -> u64 {
        match self.atoms.iter().position(|a| *a == text) {
            Some(at) => at as u64 + 1,
            None => {
                self.atoms.push(text);
                self.atoms.len() as u64
            }
        }
    }

    /// The index of an import.
    pub fn import(&mut self, module: &'static str, function: &'static str, arity: u64) -> A {
        let import = (module, function, arity);
        let at = self.imports.iter().position(|i| *i == import).unwrap_or_else(|| {
            self.imports.push(import);
            self.imports.len() - 1
        });
        A::U(at as u64)
    }

    /// A fresh label.
    pub fn label(&mut self) -> u64 {
        self.labels += 1;
        self.labels - 1
    }

    fn number(&mut self, tag: u8, n: u64) {
        match n {
            0..16 => self.code.push((n as u8) << 4 | tag),
            16..2048 => self.code.extend([((n >> 3) as u8 & 0xe0) | 0x08 | tag, n as u8]),
            _ => {
                // The minimal number of bytes, with room for a sign.
                let bytes = n.to_be_bytes();
                let skip = bytes.iter().take_while(|b| **b == 0).count();
                let skip = if bytes[skip] > 127 { skip - 1 } else { skip }.min(6);
                self.code.push(((8 - skip - 2) as u8) << 5 | 0x18 | tag);
                self.code.extend(&bytes[skip..]);
            }
        }
    }

    fn argument(&mut self, argument: A) {
        match argument {
            A::U(n) => self.number(0, n),
            A::I(n) if n >= 0 => self.number(1, n as u64),
            A::I(n) => {
                self.code.push(0x18 | 1);
                self.code.extend((n as i16).to_be_bytes());
            }
            A::Atom(text) => {
                let n = self.atom(text);
                self.number(2, n);
            }
            A::Nil => self.number(2, 0),
            A::X(n) => self.number(3, n),
            A::F(n) => self.number(5, n),
            A::L(list) => {
                self.code.push(0x17);
                self.number(0, list.len() as u64);
                list.into_iter().for_each(|a| self.argument(a));
            }
            A::Alloc(words) => {
                self.code.push(0x37);
                self.number(0, 1);
                self.number(0, 0);
                self.number(0, words);
            }
            A::Lit(term) => {
                self.literals.push(term);
                self.code.push(0x47);
                self.number(0, self.literals.len() as u64 - 1);
            }
            A::Typed(register, hint) => {
                self.code.push(0x57);
                self.number(3, register);
                self.number(0, hint);
            }
        }
    }

    /// An instruction by name.
    pub fn op(&mut self, name: &str, arguments: Vec<A>) {
        let number = OPCODES.iter().position(|(n, _)| *n == name).expect("a known instruction") as u8;
        assert_eq!(OPCODES[number as usize].1 as usize, arguments.len(), "{name}");
        self.raw(number, arguments);
    }

    /// An instruction by number.
    pub fn raw(&mut self, number: u8, arguments: Vec<A>) {
        self.code.push(number);
        self.highest = self.highest.max(number);
        arguments.into_iter().for_each(|a| self.argument(a));
    }

    /// Starts an exported function; returns the label of its `func_info`, to which failures without a label
    /// go.
    pub fn function(&mut self, name: &'static str, arity: u64) -> u64 {
        let (info, entry) = (self.label(), self.label());
        self.op("label", vec![A::U(info)]);
        let module = self.atoms[0];
        self.op("func_info", vec![A::Atom(module), A::Atom(name), A::U(arity)]);
        self.op("label", vec![A::U(entry)]);
        self.exports.push((name, arity, entry));
        info
    }

    /// The assembled file.
    pub fn finish(mut self) -> Vec<u8> {
        self.op("int_code_end", Vec::new());
        let word = |n: u64| (n as u32).to_be_bytes().to_vec();
        let imports: Vec<[u64; 3]> =
            self.imports.clone().into_iter().map(|(m, f, n)| [self.atom(m), self.atom(f), n]).collect();
        let exports: Vec<[u64; 3]> =
            self.exports.clone().into_iter().map(|(f, n, label)| [self.atom(f), n, label]).collect();
        let table = |rows: &[[u64; 3]]| {
            let body = rows.iter().flatten().flat_map(|n| word(*n));
            [word(rows.len() as u64), body.collect()].concat()
        };
        let mut atoms = word(self.atoms.len() as u64);
        for atom in &self.atoms {
            atoms.push(atom.len() as u8);
            atoms.extend(atom.as_bytes());
        }
        let highest = self.claimed.map_or(self.highest as u64, u64::from);
        let header = [16, 0, highest, self.labels, self.exports.len() as u64];
        let code = [header.map(word).concat(), self.code.clone()].concat();
        let mut literals = word(self.literals.len() as u64);
        for literal in &self.literals {
            let bytes = encode(literal);
            literals.extend(word(bytes.len() as u64));
            literals.extend(bytes);
        }
        let literals = match self.plain_literals {
            true => [word(0), literals].concat(),
            false => [word(literals.len() as u64), stored(&literals)].concat(),
        };
        let mut chunks = vec![
            ("AtU8", atoms),
            ("Code", code),
            ("StrT", Vec::new()),
            ("ImpT", table(&imports)),
            ("ExpT", table(&exports)),
            ("LitT", literals),
        ];
        chunks.append(&mut self.more);
        let mut body = b"BEAM".to_vec();
        for (name, chunk) in chunks {
            body.extend(name.as_bytes());
            body.extend(word(chunk.len() as u64));
            body.extend(&chunk);
            body.resize(body.len().next_multiple_of(4), 0);
        }
        let mut file = b"FOR1".to_vec();
        file.write_all(&word(body.len() as u64)).expect("memory");
        file.extend(body);
        file
    }
}

/// The zlib format without compression.
fn stored(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x78, 0x01, 0x01];
    out.extend((bytes.len() as u16).to_le_bytes());
    out.extend((!(bytes.len() as u16)).to_le_bytes());
    out.extend(bytes);
    let (mut a, mut b) = (1_u32, 0_u32);
    for byte in bytes {
        a = (a + *byte as u32) % 65521;
        b = (b + a) % 65521;
    }
    out.extend((b << 16 | a).to_be_bytes());
    out
}
