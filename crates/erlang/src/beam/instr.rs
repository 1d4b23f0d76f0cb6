//! Instructions with their arguments resolved: labels are places in the code, literals are terms.

use crate::term::Term;

/// Where a value comes from.
#[derive(Clone, Debug)]
pub enum Src {
    /// An x register.
    X(u16),
    /// A stack slot.
    Y(u16),
    /// A constant.
    K(Term),
}

/// Where a value goes to.
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

/// Where to go if a test fails; 0 means that there is nowhere to go and an exception is raised.
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
    /// All there is.
    All,
    /// So many units.
    Units(Src),
}

/// The kinds of segment of a binary that is made.
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

/// A segment of a binary that is made.
#[derive(Clone, Debug)]
pub enum BinPart {
    /// Bytes known when the program was compiled.
    Bytes(Box<[u8]>),
    /// A value.
    Value {
        /// What kind.
        kind: BinType,
        /// How many bits a unit has.
        unit: u32,
        /// How it is written.
        flags: Flags,
        /// The value.
        value: Src,
        /// How many units.
        size: Size,
    },
}

/// `bs_create_bin`
#[derive(Clone, Debug)]
pub struct CreateBin {
    /// Where to go if it cannot be made.
    pub fail: Fail,
    /// Where it goes to.
    pub dst: Dst,
    /// Its segments.
    pub parts: Box<[BinPart]>,
}

/// One command of `bs_match`.
#[derive(Clone, Debug)]
pub enum MatchOp {
    /// At least so many bits, and then whole units.
    AtLeast(usize, usize),
    /// Exactly so many bits.
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
    /// Where to go if it does not match.
    pub fail: Fail,
    /// What is matched.
    pub context: Src,
    /// One after the other.
    pub ops: Box<[MatchOp]>,
}

/// A bs_get instruction's parameters.
#[derive(Clone, Debug)]
pub struct Get {
    /// Where to go if it does not match.
    pub fail: Fail,
    /// What is matched.
    pub context: Src,
    /// How many units.
    pub size: Size,
    /// How many bits a unit has.
    pub unit: u32,
    /// How it is read.
    pub flags: Flags,
    /// Where it goes to; nowhere if it is skipped.
    pub dst: Option<Dst>,
}

/// An instruction. Lines, labels and hints about memory are not here.
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
    /// Fails when it is reached.
    Unsupported(&'static str),
    End,
}
