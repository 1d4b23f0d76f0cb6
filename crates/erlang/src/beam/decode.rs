//! Decodes the code chunk to instructions: labels become code addresses, literals become terms.

use super::compact::{Arg, Args};
use super::instr::{
    BinPart, BinType, CreateBin, Dst, Flags, Get, Instr, Match, MatchOp, Size, Src, Test1, Test2,
};
use super::{Error, Function, Mfa};
use crate::term::{Atom, Term};
use std::collections::HashMap;

type Result<T> = std::result::Result<T, Error>;

fn corrupt<T>(what: &str) -> Result<T> {
    Err(Error(format!("not a usable .beam file: {what}")))
}

/// The generic opcodes by number, with their arities (`genop.tab`).
pub const OPCODES: &[(&str, u8)] = &[
    ("", 0),
    ("label", 1),
    ("func_info", 3),
    ("int_code_end", 0),
    ("call", 2),
    ("call_last", 3),
    ("call_only", 2),
    ("call_ext", 2),
    ("call_ext_last", 3),
    ("bif0", 2),
    ("bif1", 4),
    ("bif2", 5),
    ("allocate", 2),
    ("allocate_heap", 3),
    ("allocate_zero", 2),
    ("allocate_heap_zero", 3),
    ("test_heap", 2),
    ("init", 1),
    ("deallocate", 1),
    ("return", 0),
    ("send", 0),
    ("remove_message", 0),
    ("timeout", 0),
    ("loop_rec", 2),
    ("loop_rec_end", 1),
    ("wait", 1),
    ("wait_timeout", 2),
    ("m_plus", 4),
    ("m_minus", 4),
    ("m_times", 4),
    ("m_div", 4),
    ("int_div", 4),
    ("int_rem", 4),
    ("int_band", 4),
    ("int_bor", 4),
    ("int_bxor", 4),
    ("int_bsl", 4),
    ("int_bsr", 4),
    ("int_bnot", 3),
    ("is_lt", 3),
    ("is_ge", 3),
    ("is_eq", 3),
    ("is_ne", 3),
    ("is_eq_exact", 3),
    ("is_ne_exact", 3),
    ("is_integer", 2),
    ("is_float", 2),
    ("is_number", 2),
    ("is_atom", 2),
    ("is_pid", 2),
    ("is_reference", 2),
    ("is_port", 2),
    ("is_nil", 2),
    ("is_binary", 2),
    ("is_constant", 2),
    ("is_list", 2),
    ("is_nonempty_list", 2),
    ("is_tuple", 2),
    ("test_arity", 3),
    ("select_val", 3),
    ("select_tuple_arity", 3),
    ("jump", 1),
    ("catch", 2),
    ("catch_end", 1),
    ("move", 2),
    ("get_list", 3),
    ("get_tuple_element", 3),
    ("set_tuple_element", 3),
    ("put_string", 3),
    ("put_list", 3),
    ("put_tuple", 2),
    ("put", 1),
    ("badmatch", 1),
    ("if_end", 0),
    ("case_end", 1),
    ("call_fun", 1),
    ("make_fun", 3),
    ("is_function", 2),
    ("call_ext_only", 2),
    ("bs_start_match", 2),
    ("bs_get_integer", 5),
    ("bs_get_float", 5),
    ("bs_get_binary", 5),
    ("bs_skip_bits", 4),
    ("bs_test_tail", 2),
    ("bs_save", 1),
    ("bs_restore", 1),
    ("bs_init", 2),
    ("bs_final", 2),
    ("bs_put_integer", 5),
    ("bs_put_binary", 5),
    ("bs_put_float", 5),
    ("bs_put_string", 2),
    ("bs_need_buf", 1),
    ("fclearerror", 0),
    ("fcheckerror", 1),
    ("fmove", 2),
    ("fconv", 2),
    ("fadd", 4),
    ("fsub", 4),
    ("fmul", 4),
    ("fdiv", 4),
    ("fnegate", 3),
    ("make_fun2", 1),
    ("try", 2),
    ("try_end", 1),
    ("try_case", 1),
    ("try_case_end", 1),
    ("raise", 2),
    ("bs_init2", 6),
    ("bs_bits_to_bytes", 3),
    ("bs_add", 5),
    ("apply", 1),
    ("apply_last", 2),
    ("is_boolean", 2),
    ("is_function2", 3),
    ("bs_start_match2", 5),
    ("bs_get_integer2", 7),
    ("bs_get_float2", 7),
    ("bs_get_binary2", 7),
    ("bs_skip_bits2", 5),
    ("bs_test_tail2", 3),
    ("bs_save2", 2),
    ("bs_restore2", 2),
    ("gc_bif1", 5),
    ("gc_bif2", 6),
    ("bs_final2", 2),
    ("bs_bits_to_bytes2", 2),
    ("put_literal", 2),
    ("is_bitstr", 2),
    ("bs_context_to_binary", 1),
    ("bs_test_unit", 3),
    ("bs_match_string", 4),
    ("bs_init_writable", 0),
    ("bs_append", 8),
    ("bs_private_append", 6),
    ("trim", 2),
    ("bs_init_bits", 6),
    ("bs_get_utf8", 5),
    ("bs_skip_utf8", 4),
    ("bs_get_utf16", 5),
    ("bs_skip_utf16", 4),
    ("bs_get_utf32", 5),
    ("bs_skip_utf32", 4),
    ("bs_utf8_size", 3),
    ("bs_put_utf8", 3),
    ("bs_utf16_size", 3),
    ("bs_put_utf16", 3),
    ("bs_put_utf32", 3),
    ("on_load", 0),
    ("recv_mark", 1),
    ("recv_set", 1),
    ("gc_bif3", 7),
    ("line", 1),
    ("put_map_assoc", 5),
    ("put_map_exact", 5),
    ("is_map", 2),
    ("has_map_fields", 3),
    ("get_map_elements", 3),
    ("is_tagged_tuple", 4),
    ("build_stacktrace", 0),
    ("raw_raise", 0),
    ("get_hd", 2),
    ("get_tl", 2),
    ("put_tuple2", 2),
    ("bs_get_tail", 3),
    ("bs_start_match3", 4),
    ("bs_get_position", 3),
    ("bs_set_position", 2),
    ("swap", 2),
    ("bs_start_match4", 4),
    ("make_fun3", 3),
    ("init_yregs", 1),
    ("recv_marker_bind", 2),
    ("recv_marker_clear", 1),
    ("recv_marker_reserve", 1),
    ("recv_marker_use", 1),
    ("bs_create_bin", 6),
    ("call_fun2", 3),
    ("nif_start", 0),
    ("badrecord", 1),
    ("update_record", 5),
    ("bs_match", 3),
    ("executable_line", 2),
    ("debug_line", 4),
];

/// The tables that instructions refer to.
pub struct Context<'a> {
    /// By number, from 1.
    pub atoms: &'a [Atom],
    /// By number, from 0.
    pub literals: &'a [Term],
    /// The bytes of all strings.
    pub strings: &'a [u8],
    /// The number of imports.
    pub imports: usize,
}

/// The decoded code chunk.
pub struct Decoded {
    pub code: Vec<Instr>,
    pub labels: HashMap<u32, u32>,
    pub functions: Vec<Function>,
    /// The line number that holds from an instruction on.
    pub lines: Vec<(u32, u32)>,
    /// A function is called when the module is loaded.
    pub has_on_load: bool,
    /// One more than the highest index of a fun that is created.
    pub lambdas_used: usize,
}

/// Decodes the code chunk of the module `name`.
pub fn code(chunk: &[u8], context: &Context<'_>, name: Atom) -> Result<Decoded> {
    let header = |at: usize| match chunk.get(at..at + 4) {
        Some(b) => Ok(u32::from_be_bytes([b[0], b[1], b[2], b[3]])),
        None => corrupt("truncated"),
    };
    let Some(body) = chunk.get(4..).and_then(|c| c.get(header(0).unwrap_or(u32::MAX) as usize..)) else {
        return corrupt("truncated");
    };
    let highest = header(8)?;
    if highest as usize >= OPCODES.len() {
        return corrupt(&format!("it needs instruction {highest}, which is of a later OTP than 27"));
    }
    let mut d = Decoder {
        context,
        out: Decoded {
            code: vec![Instr::End],
            labels: HashMap::new(),
            functions: Vec::new(),
            lines: Vec::new(),
            has_on_load: false,
            lambdas_used: 0,
        },
        name,
    };
    let mut args = Args::new(body);
    loop {
        let op = args.byte()? as usize;
        let Some((opname, arity)) = OPCODES.get(op).copied() else {
            return corrupt(&format!("it needs instruction {op}, which is of a later OTP than 27"));
        };
        if opname == "int_code_end" {
            break;
        }
        let list: Vec<Arg> = (0..arity).map(|_| args.next()).collect::<Result<_>>()?;
        d.instruction(opname, &list)?;
    }
    d.out.code.push(Instr::End);
    d.resolve()?;
    Ok(d.out)
}

struct Decoder<'a> {
    context: &'a Context<'a>,
    out: Decoded,
    name: Atom,
}

/// Labels are decoded as numbers and resolved at the end.
impl Decoder<'_> {
    fn constant(&self, arg: &Arg) -> Result<Term> {
        Ok(match arg {
            Arg::Int(t) => t.clone(),
            Arg::Atom(0) => Term::Nil,
            Arg::Atom(n) => Term::Atom(self.atom_number(*n)?),
            Arg::Literal(n) => match self.context.literals.get(*n as usize) {
                Some(t) => t.clone(),
                None => return corrupt("a literal out of range"),
            },
            Arg::Unsigned(n) => crate::term::number::of_u64(*n),
            _ => return corrupt("a constant is expected"),
        })
    }
    fn atom_number(&self, n: u32) -> Result<Atom> {
        match (n as usize).checked_sub(1).and_then(|i| self.context.atoms.get(i)) {
            Some(a) => Ok(*a),
            None => corrupt("an atom out of range"),
        }
    }
    fn src(&self, arg: &Arg) -> Result<Src> {
        Ok(match arg {
            Arg::X(n) => Src::X(*n as u16),
            Arg::Y(n) => Src::Y(*n as u16),
            other => Src::K(self.constant(other)?),
        })
    }
    fn srcs(&self, args: &[Arg]) -> Result<Box<[Src]>> {
        args.iter().map(|a| self.src(a)).collect()
    }
    fn dst(&self, arg: &Arg) -> Result<Dst> {
        match arg {
            Arg::X(n) => Ok(Dst::X(*n as u16)),
            Arg::Y(n) => Ok(Dst::Y(*n as u16)),
            _ => corrupt("a register is expected"),
        }
    }
    fn y(&self, arg: &Arg) -> Result<u16> {
        match arg {
            Arg::Y(n) => Ok(*n as u16),
            _ => corrupt("a stack slot is expected"),
        }
    }
    fn label(&self, arg: &Arg) -> Result<u32> {
        match arg {
            Arg::Label(n) => Ok(*n),
            _ => corrupt("a label is expected"),
        }
    }
    fn number(&self, arg: &Arg) -> Result<u32> {
        match arg {
            Arg::Unsigned(n) => u32::try_from(*n).or_else(|_| corrupt("a number out of range")),
            Arg::Int(Term::Int(n)) => u32::try_from(*n).or_else(|_| corrupt("a number out of range")),
            _ => corrupt("a number is expected"),
        }
    }
    fn small(&self, arg: &Arg) -> Result<u16> {
        u16::try_from(self.number(arg)?)
            .ok()
            .filter(|n| *n < 1025)
            .map_or_else(|| corrupt("a number out of range"), Ok)
    }
    fn import(&self, arg: &Arg) -> Result<u32> {
        let n = self.number(arg)?;
        if (n as usize) < self.context.imports { Ok(n) } else { corrupt("an import out of range") }
    }
    fn list<'b>(&self, arg: &'b Arg) -> Result<&'b [Arg]> {
        match arg {
            Arg::List(list) => Ok(list),
            _ => corrupt("a list is expected"),
        }
    }
    fn fr(&self, arg: &Arg) -> Result<u16> {
        match arg {
            Arg::Fr(n) => Ok(*n as u16),
            _ => corrupt("a float register is expected"),
        }
    }
    fn bit_flags(&self, arg: &Arg) -> Result<Flags> {
        // 2 is little-endian, 4 is signed, 16 is native, which is little-endian on the supported machines.
        let n = self.number(arg)?;
        Ok(Flags { little: n & 2 != 0 || n & 16 != 0, signed: n & 4 != 0 })
    }
    fn named_flags(&self, arg: &Arg) -> Result<Flags> {
        let mut flags = Flags::default();
        for flag in self.constant(arg)?.iter() {
            match flag.as_atom().map(Atom::text) {
                Some("little" | "native") => flags.little = true,
                Some("signed") => flags.signed = true,
                _ => {}
            }
        }
        Ok(flags)
    }
    fn size(&self, arg: &Arg) -> Result<Size> {
        Ok(match self.src(arg)? {
            Src::K(Term::Atom(a)) if a.text() == "all" || a.text() == "undefined" => Size::All,
            other => Size::Units(other),
        })
    }
    fn pairs(&self, args: &[Arg]) -> Result<Box<[(Src, Src)]>> {
        args.chunks(2)
            .map(|p| match p {
                [a, b] => Ok((self.src(a)?, self.src(b)?)),
                _ => corrupt("a list of odd length"),
            })
            .collect()
    }

    fn instruction(&mut self, op: &'static str, a: &[Arg]) -> Result<()> {
        let here = self.out.code.len() as u32;
        let instr = match op {
            "label" => {
                let Arg::Unsigned(n) = a[0] else { return corrupt("a label is expected") };
                self.out.labels.insert(n as u32, here);
                return Ok(());
            }
            "line" | "executable_line" => {
                let n = self.number(&a[0])?;
                self.out.lines.push((here, n));
                return Ok(());
            }
            "debug_line" => {
                let n = self.number(&a[1])?;
                self.out.lines.push((here, n));
                return Ok(());
            }
            "test_heap" | "fclearerror" | "fcheckerror" | "recv_marker_bind" | "recv_marker_clear"
            | "recv_marker_use" | "recv_mark" | "recv_set" | "nif_start" => return Ok(()),
            "on_load" => {
                self.out.has_on_load = true;
                return Ok(());
            }
            "recv_marker_reserve" => Instr::Move(Src::K(Term::Nil), self.dst(&a[0])?),
            "func_info" => {
                let (Arg::Atom(_), Arg::Atom(f)) = (&a[0], &a[1]) else {
                    return corrupt("a name is expected");
                };
                let mfa = Mfa {
                    module: self.name,
                    function: self.atom_number(*f)?,
                    arity: self.small(&a[2])? as u32,
                };
                self.out.functions.push(Function { start: here, mfa });
                Instr::FuncInfo
            }
            "call" => Instr::Call(self.label(&a[1])?),
            "call_last" => Instr::CallLast(self.label(&a[1])?, self.small(&a[2])?),
            "call_only" => Instr::CallOnly(self.label(&a[1])?),
            "call_ext" => Instr::CallExt(self.import(&a[1])?),
            "call_ext_last" => Instr::CallExtLast(self.import(&a[1])?, self.small(&a[2])?),
            "call_ext_only" => Instr::CallExtOnly(self.import(&a[1])?),
            "bif0" => {
                Instr::Bif { import: self.import(&a[0])?, fail: 0, args: Box::new([]), dst: self.dst(&a[1])? }
            }
            "bif1" | "bif2" | "gc_bif1" | "gc_bif2" | "gc_bif3" => {
                let first = if op.starts_with("gc") { 3 } else { 2 };
                Instr::Bif {
                    fail: self.label(&a[0])?,
                    import: self.import(&a[first - 1])?,
                    args: self.srcs(&a[first..a.len() - 1])?,
                    dst: self.dst(&a[a.len() - 1])?,
                }
            }
            "allocate" | "allocate_heap" | "allocate_zero" | "allocate_heap_zero" => {
                Instr::Allocate(self.small(&a[0])?)
            }
            "deallocate" => Instr::Deallocate(self.small(&a[0])?),
            "trim" => Instr::Trim(self.small(&a[0])?),
            "init" => Instr::InitY(Box::new([self.y(&a[0])?])),
            "init_yregs" => Instr::InitY(self.list(&a[0])?.iter().map(|y| self.y(y)).collect::<Result<_>>()?),
            "return" => Instr::Return,
            "send" => Instr::Send,
            "remove_message" => Instr::RemoveMessage,
            "timeout" => Instr::Timeout,
            "loop_rec" => Instr::LoopRec(self.label(&a[0])?, self.dst(&a[1])?),
            "loop_rec_end" => Instr::LoopRecEnd(self.label(&a[0])?),
            "wait" => Instr::Wait(self.label(&a[0])?),
            "wait_timeout" => Instr::WaitTimeout(self.label(&a[0])?, self.src(&a[1])?),
            "is_lt" => self.test2(Test2::Less, a)?,
            "is_ge" => self.test2(Test2::GreaterEqual, a)?,
            "is_eq" => self.test2(Test2::Equal, a)?,
            "is_ne" => self.test2(Test2::NotEqual, a)?,
            "is_eq_exact" => self.test2(Test2::Exact, a)?,
            "is_ne_exact" => self.test2(Test2::NotExact, a)?,
            "is_integer" => self.test1(Test1::Integer, a)?,
            "is_float" => self.test1(Test1::Float, a)?,
            "is_number" => self.test1(Test1::Number, a)?,
            "is_atom" => self.test1(Test1::Atom, a)?,
            "is_pid" => self.test1(Test1::Pid, a)?,
            "is_reference" => self.test1(Test1::Reference, a)?,
            "is_port" => self.test1(Test1::Port, a)?,
            "is_nil" => self.test1(Test1::Nil, a)?,
            "is_binary" => self.test1(Test1::Binary, a)?,
            "is_list" => self.test1(Test1::List, a)?,
            "is_nonempty_list" => self.test1(Test1::NonemptyList, a)?,
            "is_tuple" => self.test1(Test1::Tuple, a)?,
            "is_boolean" => self.test1(Test1::Boolean, a)?,
            "is_function" => self.test1(Test1::Function, a)?,
            "is_map" => self.test1(Test1::Map, a)?,
            "is_bitstr" => self.test1(Test1::Bitstr, a)?,
            "is_function2" => Instr::IsFunction2(self.label(&a[0])?, self.src(&a[1])?, self.src(&a[2])?),
            "test_arity" => Instr::TestArity(self.label(&a[0])?, self.src(&a[1])?, self.number(&a[2])?),
            "is_tagged_tuple" => {
                let tag = self.constant(&a[3])?;
                Instr::TaggedTuple(self.label(&a[0])?, self.src(&a[1])?, self.number(&a[2])?, tag)
            }
            "select_val" => {
                let mut arms = Vec::new();
                for arm in self.list(&a[2])?.chunks(2) {
                    let [value, label] = arm else { return corrupt("a list of odd length") };
                    arms.push((self.constant(value)?, self.label(label)?));
                }
                Instr::SelectVal(self.src(&a[0])?, self.label(&a[1])?, arms.into())
            }
            "select_tuple_arity" => {
                let mut arms = Vec::new();
                for arm in self.list(&a[2])?.chunks(2) {
                    let [arity, label] = arm else { return corrupt("a list of odd length") };
                    arms.push((self.number(arity)?, self.label(label)?));
                }
                Instr::SelectArity(self.src(&a[0])?, self.label(&a[1])?, arms.into())
            }
            "jump" => Instr::Jump(self.label(&a[0])?),
            "catch" | "try" => Instr::Catch(self.y(&a[0])?, self.label(&a[1])?),
            "catch_end" => Instr::CatchEnd(self.y(&a[0])?),
            "try_end" => Instr::TryEnd(self.y(&a[0])?),
            "try_case" => Instr::TryCase(self.y(&a[0])?),
            "try_case_end" => Instr::TryCaseEnd(self.src(&a[0])?),
            "raise" => Instr::Raise(self.src(&a[0])?, self.src(&a[1])?),
            "raw_raise" => Instr::RawRaise,
            "build_stacktrace" => Instr::BuildStacktrace,
            "move" => Instr::Move(self.src(&a[0])?, self.dst(&a[1])?),
            "swap" => Instr::Swap(self.dst(&a[0])?, self.dst(&a[1])?),
            "get_list" => Instr::GetList(self.src(&a[0])?, self.dst(&a[1])?, self.dst(&a[2])?),
            "get_hd" => Instr::GetHd(self.src(&a[0])?, self.dst(&a[1])?),
            "get_tl" => Instr::GetTl(self.src(&a[0])?, self.dst(&a[1])?),
            "get_tuple_element" => {
                Instr::GetTupleElement(self.src(&a[0])?, self.number(&a[1])?, self.dst(&a[2])?)
            }
            "set_tuple_element" => {
                Instr::SetTupleElement(self.src(&a[0])?, self.dst(&a[1])?, self.number(&a[2])?)
            }
            "update_record" => {
                let mut updates = Vec::new();
                for update in self.list(&a[4])?.chunks(2) {
                    let [index, value] = update else { return corrupt("a list of odd length") };
                    updates.push((self.number(index)?, self.src(value)?));
                }
                Instr::UpdateRecord(self.number(&a[1])?, self.src(&a[2])?, self.dst(&a[3])?, updates.into())
            }
            "put_list" => Instr::PutList(self.src(&a[0])?, self.src(&a[1])?, self.dst(&a[2])?),
            "put_tuple2" => Instr::PutTuple(self.dst(&a[0])?, self.srcs(self.list(&a[1])?)?),
            "put_literal" => Instr::Move(self.src(&a[0])?, self.dst(&a[1])?),
            "badmatch" => Instr::Badmatch(self.src(&a[0])?),
            "if_end" => Instr::IfEnd,
            "case_end" => Instr::CaseEnd(self.src(&a[0])?),
            "badrecord" => Instr::Badrecord(self.src(&a[0])?),
            "call_fun" => Instr::CallFun(self.small(&a[0])?),
            "call_fun2" => Instr::CallFun2(self.small(&a[1])?, self.src(&a[2])?),
            "make_fun2" => {
                let n = self.number(&a[0])?;
                self.out.lambdas_used = self.out.lambdas_used.max(n as usize + 1);
                Instr::MakeFun2(n)
            }
            "make_fun3" => {
                let n = self.number(&a[0])?;
                self.out.lambdas_used = self.out.lambdas_used.max(n as usize + 1);
                Instr::MakeFun(n, self.dst(&a[1])?, self.srcs(self.list(&a[2])?)?)
            }
            "apply" => Instr::Apply(self.small(&a[0])?),
            "apply_last" => Instr::ApplyLast(self.small(&a[0])?, self.small(&a[1])?),
            "fmove" => match (&a[0], &a[1]) {
                (Arg::Fr(from), Arg::Fr(to)) => Instr::FCopy(*from as u16, *to as u16),
                (Arg::Fr(from), to) => Instr::FStore(*from as u16, self.dst(to)?),
                (from, to) => Instr::FLoad(self.src(from)?, self.fr(to)?),
            },
            "fconv" => Instr::FConv(self.src(&a[0])?, self.fr(&a[1])?),
            "fadd" => self.float('+', a)?,
            "fsub" => self.float('-', a)?,
            "fmul" => self.float('*', a)?,
            "fdiv" => self.float('/', a)?,
            "fnegate" => Instr::FNegate(self.fr(&a[1])?, self.fr(&a[2])?),
            "put_map_assoc" | "put_map_exact" => Instr::PutMap {
                exact: op == "put_map_exact",
                fail: self.label(&a[0])?,
                src: self.src(&a[1])?,
                dst: self.dst(&a[2])?,
                pairs: self.pairs(self.list(&a[4])?)?,
            },
            "has_map_fields" => {
                Instr::HasFields(self.label(&a[0])?, self.src(&a[1])?, self.srcs(self.list(&a[2])?)?)
            }
            "get_map_elements" => {
                let mut pairs = Vec::new();
                for pair in self.list(&a[2])?.chunks(2) {
                    let [key, dst] = pair else { return corrupt("a list of odd length") };
                    pairs.push((self.src(key)?, self.dst(dst)?));
                }
                Instr::GetElements(self.label(&a[0])?, self.src(&a[1])?, pairs.into())
            }
            "bs_start_match3" => Instr::StartMatch(self.label(&a[0])?, self.src(&a[1])?, self.dst(&a[3])?),
            "bs_start_match4" => {
                let fail = if let Arg::Label(n) = a[0] { n } else { 0 };
                Instr::StartMatch(fail, self.src(&a[2])?, self.dst(&a[3])?)
            }
            "bs_get_integer2" => Instr::GetInteger(self.get(a)?),
            "bs_get_float2" => Instr::GetFloat(self.get(a)?),
            "bs_get_binary2" => Instr::GetBinary(self.get(a)?),
            "bs_skip_bits2" => Instr::Skip(Box::new(Get {
                fail: self.label(&a[0])?,
                context: self.src(&a[1])?,
                size: self.size(&a[2])?,
                unit: self.number(&a[3])?,
                flags: Flags::default(),
                dst: None,
            })),
            "bs_test_tail2" => {
                Instr::TestTail(self.label(&a[0])?, self.src(&a[1])?, self.number(&a[2])? as usize)
            }
            "bs_test_unit" => {
                let unit = self.number(&a[2])? as usize;
                Instr::TestUnit(self.label(&a[0])?, self.src(&a[1])?, unit.max(1))
            }
            "bs_match_string" => {
                let (bits, at) = (self.number(&a[2])? as usize, self.number(&a[3])? as usize);
                let bytes = self.string(at, bits.div_ceil(8))?;
                Instr::MatchString(self.label(&a[0])?, self.src(&a[1])?, bits, bytes)
            }
            "bs_get_utf8" => Instr::GetUtf(BinType::Utf8, self.utf(a)?),
            "bs_get_utf16" => Instr::GetUtf(BinType::Utf16, self.utf(a)?),
            "bs_get_utf32" => Instr::GetUtf(BinType::Utf32, self.utf(a)?),
            "bs_skip_utf8" => Instr::GetUtf(BinType::Utf8, self.utf(a)?),
            "bs_skip_utf16" => Instr::GetUtf(BinType::Utf16, self.utf(a)?),
            "bs_skip_utf32" => Instr::GetUtf(BinType::Utf32, self.utf(a)?),
            "bs_get_tail" => Instr::GetTail(self.src(&a[0])?, self.dst(&a[1])?),
            "bs_get_position" => Instr::GetPosition(self.src(&a[0])?, self.dst(&a[1])?),
            "bs_set_position" => Instr::SetPosition(self.src(&a[0])?, self.src(&a[1])?),
            "bs_init_writable" => Instr::InitWritable,
            "bs_create_bin" => {
                let mut parts = Vec::new();
                for part in self.list(&a[5])?.chunks(6) {
                    parts.push(self.bin_part(part)?);
                }
                let (fail, dst) = (self.label(&a[0])?, self.dst(&a[4])?);
                Instr::CreateBin(Box::new(CreateBin { fail, dst, parts: parts.into() }))
            }
            "bs_match" => {
                let ops = self.match_ops(self.list(&a[2])?)?;
                let (fail, context) = (self.label(&a[0])?, self.src(&a[1])?);
                Instr::Match(Box::new(Match { fail, context, ops: ops.into() }))
            }
            other => Instr::Unsupported(other),
        };
        self.out.code.push(instr);
        Ok(())
    }

    fn test1(&self, kind: Test1, a: &[Arg]) -> Result<Instr> {
        Ok(Instr::Test1(kind, self.label(&a[0])?, self.src(&a[1])?))
    }
    fn test2(&self, kind: Test2, a: &[Arg]) -> Result<Instr> {
        Ok(Instr::Test2(kind, self.label(&a[0])?, self.src(&a[1])?, self.src(&a[2])?))
    }
    fn float(&self, op: char, a: &[Arg]) -> Result<Instr> {
        Ok(Instr::FArith(self.label(&a[0])?, op, self.fr(&a[1])?, self.fr(&a[2])?, self.fr(&a[3])?))
    }
    fn get(&self, a: &[Arg]) -> Result<Box<Get>> {
        Ok(Box::new(Get {
            fail: self.label(&a[0])?,
            context: self.src(&a[1])?,
            size: self.size(&a[3])?,
            unit: self.number(&a[4])?,
            flags: self.bit_flags(&a[5])?,
            dst: Some(self.dst(&a[6])?),
        }))
    }
    fn utf(&self, a: &[Arg]) -> Result<Box<Get>> {
        Ok(Box::new(Get {
            fail: self.label(&a[0])?,
            context: self.src(&a[1])?,
            size: Size::All,
            unit: 0,
            flags: self.bit_flags(&a[3])?,
            dst: a.get(4).map(|d| self.dst(d)).transpose()?,
        }))
    }
    fn string(&self, at: usize, len: usize) -> Result<Box<[u8]>> {
        match self.context.strings.get(at..at.saturating_add(len)) {
            Some(bytes) => Ok(bytes.into()),
            None => corrupt("a string out of range"),
        }
    }
    fn bin_part(&self, a: &[Arg]) -> Result<BinPart> {
        let [kind, _, unit, flags, value, size] = a else { return corrupt("a segment is cut short") };
        let kind = match self.constant(kind)?.as_atom().map(Atom::text) {
            Some("string") => {
                return Ok(BinPart::Bytes(
                    self.string(self.number(value)? as usize, self.number(size)? as usize)?,
                ));
            }
            Some("integer") => BinType::Integer,
            Some("float") => BinType::Float,
            Some("binary" | "append" | "private_append") => BinType::Binary,
            Some("utf8") => BinType::Utf8,
            Some("utf16") => BinType::Utf16,
            Some("utf32") => BinType::Utf32,
            _ => return corrupt("an unknown kind of segment"),
        };
        Ok(BinPart::Value {
            kind,
            unit: self.number(unit)?,
            flags: self.named_flags(flags)?,
            value: self.src(value)?,
            size: self.size(size)?,
        })
    }
    fn match_ops(&self, a: &[Arg]) -> Result<Vec<MatchOp>> {
        let (mut at, mut ops) = (0, Vec::new());
        let arg = |i: usize| a.get(i).map_or_else(|| corrupt("a match is cut short"), Ok);
        while at < a.len() {
            let command = self.constant(&a[at])?;
            let bits = |size: &Arg, unit: &Arg| -> Result<usize> {
                Ok(self.number(size)? as usize * self.number(unit)? as usize)
            };
            let (op, taken) = match command.as_atom().map(Atom::text) {
                Some("ensure_at_least") => (
                    MatchOp::AtLeast(
                        self.number(arg(at + 1)?)? as usize,
                        (self.number(arg(at + 2)?)? as usize).max(1),
                    ),
                    3,
                ),
                Some("ensure_exactly") => (MatchOp::Exactly(self.number(arg(at + 1)?)? as usize), 2),
                Some("integer") => (
                    MatchOp::Integer(
                        bits(arg(at + 3)?, arg(at + 4)?)?,
                        self.named_flags(arg(at + 2)?)?,
                        self.dst(arg(at + 5)?)?,
                    ),
                    6,
                ),
                Some("binary") => {
                    (MatchOp::Binary(bits(arg(at + 3)?, arg(at + 4)?)?, self.dst(arg(at + 5)?)?), 6)
                }
                Some("skip") => (MatchOp::Skip(self.number(arg(at + 1)?)? as usize), 2),
                Some("get_tail") => (MatchOp::Tail(self.dst(arg(at + 3)?)?), 4),
                Some("=:=") => {
                    (MatchOp::Equals(self.number(arg(at + 2)?)? as usize, self.constant(arg(at + 3)?)?), 4)
                }
                _ => return corrupt("an unknown match command"),
            };
            ops.push(op);
            at += taken;
        }
        Ok(ops)
    }

    /// Replaces label numbers by code addresses.
    fn resolve(&mut self) -> Result<()> {
        let labels = &self.out.labels;
        let find = |l: &mut u32| -> Result<()> {
            if *l != 0 {
                match labels.get(l) {
                    Some(pc) => *l = *pc,
                    None => return corrupt("a jump to nowhere"),
                }
            }
            Ok(())
        };
        let must = |l: &mut u32| if *l == 0 { corrupt("a jump to nowhere") } else { find(l) };
        for instr in &mut self.out.code {
            match instr {
                Instr::Call(l)
                | Instr::CallLast(l, _)
                | Instr::CallOnly(l)
                | Instr::LoopRec(l, _)
                | Instr::LoopRecEnd(l)
                | Instr::Wait(l)
                | Instr::WaitTimeout(l, _)
                | Instr::Jump(l)
                | Instr::Catch(_, l) => must(l)?,
                Instr::Bif { fail, .. }
                | Instr::Test1(_, fail, _)
                | Instr::Test2(_, fail, ..)
                | Instr::IsFunction2(fail, ..)
                | Instr::TestArity(fail, ..)
                | Instr::TaggedTuple(fail, ..)
                | Instr::FArith(fail, ..)
                | Instr::PutMap { fail, .. }
                | Instr::HasFields(fail, ..)
                | Instr::GetElements(fail, ..)
                | Instr::StartMatch(fail, ..)
                | Instr::TestTail(fail, ..)
                | Instr::TestUnit(fail, ..)
                | Instr::MatchString(fail, ..) => find(fail)?,
                Instr::SelectVal(_, fail, arms) => {
                    must(fail)?;
                    arms.iter_mut().try_for_each(|(_, l)| must(l))?;
                }
                Instr::SelectArity(_, fail, arms) => {
                    must(fail)?;
                    arms.iter_mut().try_for_each(|(_, l)| must(l))?;
                }
                Instr::GetInteger(get)
                | Instr::GetFloat(get)
                | Instr::GetBinary(get)
                | Instr::Skip(get)
                | Instr::GetUtf(_, get) => find(&mut get.fail)?,
                Instr::CreateBin(create) => find(&mut create.fail)?,
                Instr::Match(m) => find(&mut m.fail)?,
                _ => {}
            }
        }
        Ok(())
    }
}
