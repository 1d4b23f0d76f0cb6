//! Instructions with resolved arguments: labels are code addresses, literals are terms.

use crate::term::Term;

/// The source of an operand.
#[derive(Clone, Debug)]
pub enum Src {
    /// An x register.
    X(u16),
    /// A stack slot.
    Y(u16),
    /// A constant.
    K(Term),
}

/// The destination of a result.
#[derive(Clone, Copy, Debug)]
pub enum Dst {
    /// An x register.
    X(u16),
    /// A stack slot.
    Y(u16),
}

/// Tests of one value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Test1 {
    Integer,
    Float,
    Number,
    Atom,
    Pid,
    Reference,
    Port,
    Nil,
    Binary,
    List,
    NonemptyList,
    Tuple,
    Boolean,
    Function,
    Map,
    Bitstr,
}

/// Tests of two values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Test2 {
    Less,
    GreaterEqual,
    Equal,
    NotEqual,
    Exact,
    NotExact,
}

/// The address to branch to if a test fails; 0 means that an exception is raised.
pub type Fail = u32;

/// How a segment of a binary is read or written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Flags {
    /// Least significant byte first.
    pub little: bool,
    /// Two's complement.
    pub signed: bool,
}

/// The size of a segment.
#[derive(Clone, Debug)]
pub enum Size {
    /// All remaining bits.
    All,
    /// A number of units.
    Units(Src),
}

/// The segment types of a binary construction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum BinType {
    Integer,
    Float,
    Binary,
    Utf8,
    Utf16,
    Utf32,
}

/// A segment of a binary construction.
#[derive(Clone, Debug)]
pub enum BinPart {
    /// Bytes known at compile time.
    Bytes(Box<[u8]>),
    /// A value.
    Value {
        /// The segment type.
        kind: BinType,
        /// The bits per unit.
        unit: u32,
        /// The encoding.
        flags: Flags,
        /// The value.
        value: Src,
        /// The number of units.
        size: Size,
    },
}

/// `bs_create_bin`
#[derive(Clone, Debug)]
pub struct CreateBin {
    /// The address to branch to if the construction fails.
    pub fail: Fail,
    /// The destination.
    pub dst: Dst,
    /// Its segments.
    pub parts: Box<[BinPart]>,
}

/// One command of `bs_match`.
#[derive(Clone, Debug)]
pub enum MatchOp {
    /// At least this many bits, and then whole units.
    AtLeast(usize, usize),
    /// Exactly this many bits.
    Exactly(usize),
    /// The next bits are this integer.
    Equals(usize, Term),
    /// The next bits are read as an integer.
    Integer(usize, Flags, Dst),
    /// The next bits are read as a bitstring.
    Binary(usize, Dst),
    /// The next bits are skipped.
    Skip(usize),
    /// The rest is read as a bitstring.
    Tail(Dst),
}

/// `bs_match`
#[derive(Clone, Debug)]
pub struct Match {
    /// The address to branch to if the match fails.
    pub fail: Fail,
    /// The match context.
    pub context: Src,
    /// The commands, in order.
    pub ops: Box<[MatchOp]>,
}

/// The parameters of a `bs_get` instruction.
#[derive(Clone, Debug)]
pub struct Get {
    /// The address to branch to if the match fails.
    pub fail: Fail,
    /// The match context.
    pub context: Src,
    /// The number of units.
    pub size: Size,
    /// The bits per unit.
    pub unit: u32,
    /// The encoding.
    pub flags: Flags,
    /// The destination; none if the segment is skipped.
    pub dst: Option<Dst>,
}

/// An instruction. Line, label and `test_heap` instructions are dropped.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Instr {
    FuncInfo,
    Call(u32),
    CallLast(u32, u16),
    CallOnly(u32),
    CallExt(u32),
    CallExtLast(u32, u16),
    CallExtOnly(u32),
    Bif {
        import: u32,
        fail: Fail,
        args: Box<[Src]>,
        dst: Dst,
    },
    Allocate(u16),
    Deallocate(u16),
    Trim(u16),
    InitY(Box<[u16]>),
    Return,
    Send,
    RemoveMessage,
    Timeout,
    LoopRec(u32, Dst),
    LoopRecEnd(u32),
    Wait(u32),
    WaitTimeout(u32, Src),
    Test1(Test1, Fail, Src),
    Test2(Test2, Fail, Src, Src),
    IsFunction2(Fail, Src, Src),
    TestArity(Fail, Src, u32),
    TaggedTuple(Fail, Src, u32, Term),
    SelectVal(Src, Fail, Box<[(Term, u32)]>),
    SelectArity(Src, Fail, Box<[(u32, u32)]>),
    Jump(u32),
    Catch(u16, u32),
    CatchEnd(u16),
    TryEnd(u16),
    TryCase(u16),
    TryCaseEnd(Src),
    Raise(Src, Src),
    RawRaise,
    BuildStacktrace,
    Move(Src, Dst),
    Swap(Dst, Dst),
    GetList(Src, Dst, Dst),
    GetHd(Src, Dst),
    GetTl(Src, Dst),
    GetTupleElement(Src, u32, Dst),
    SetTupleElement(Src, Dst, u32),
    UpdateRecord(u32, Src, Dst, Box<[(u32, Src)]>),
    PutList(Src, Src, Dst),
    PutTuple(Dst, Box<[Src]>),
    Badmatch(Src),
    IfEnd,
    CaseEnd(Src),
    Badrecord(Src),
    CallFun(u16),
    CallFun2(u16, Src),
    MakeFun(u32, Dst, Box<[Src]>),
    /// Its free variables are in the first x registers, and it is stored in the first.
    MakeFun2(u32),
    Apply(u16),
    ApplyLast(u16, u16),
    FLoad(Src, u16),
    FStore(u16, Dst),
    FCopy(u16, u16),
    FConv(Src, u16),
    FArith(Fail, char, u16, u16, u16),
    FNegate(u16, u16),
    PutMap {
        exact: bool,
        fail: Fail,
        src: Src,
        dst: Dst,
        pairs: Box<[(Src, Src)]>,
    },
    HasFields(Fail, Src, Box<[Src]>),
    GetElements(Fail, Src, Box<[(Src, Dst)]>),
    StartMatch(Fail, Src, Dst),
    GetInteger(Box<Get>),
    GetFloat(Box<Get>),
    GetBinary(Box<Get>),
    Skip(Box<Get>),
    TestTail(Fail, Src, usize),
    TestUnit(Fail, Src, usize),
    MatchString(Fail, Src, usize, Box<[u8]>),
    GetUtf(BinType, Box<Get>),
    GetTail(Src, Dst),
    GetPosition(Src, Dst),
    SetPosition(Src, Src),
    InitWritable,
    CreateBin(Box<CreateBin>),
    Match(Box<Match>),
    /// An unsupported instruction, which fails when it is executed.
    Unsupported(&'static str),
    End,
}
