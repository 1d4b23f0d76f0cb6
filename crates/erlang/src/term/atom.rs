//! Atoms: interned strings, compared by address. A number would depend on the order of interning, so order
//! and hash come from the text, and no program or search depends on the address.

use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{LazyLock, RwLock};

/// The interned text of an atom.
pub struct AtomText {
    text: &'static str,
    hash: u64,
}

/// An atom. Equal texts have equal addresses.
#[derive(Clone, Copy)]
pub struct Atom(&'static AtomText);

const fn hash_of(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut i = 0;
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u64).wrapping_mul(0x0000_0100_0000_01b3);
        i += 1;
    }
    hash ^ hash >> 32
}

static TABLE: LazyLock<RwLock<HashMap<&'static str, Atom>>> =
    LazyLock::new(|| RwLock::new(known::TABLE.iter().map(|a| (a.0.text, *a)).collect()));

impl Atom {
    /// The maximal length of an atom, in characters.
    pub const MAX_CHARACTERS: usize = 255;

    /// The atom with this text.
    pub fn new(text: &str) -> Atom {
        if let Some(found) = Atom::existing(text) {
            return found;
        }
        let mut table = TABLE.write().unwrap();
        if let Some(found) = table.get(text) {
            return *found;
        }
        // Atoms live for ever, as they do in Erlang.
        let text: &'static str = Box::leak(text.to_owned().into_boxed_str());
        let atom = Atom(Box::leak(Box::new(AtomText { text, hash: hash_of(text) })));
        table.insert(text, atom);
        atom
    }
    /// The atom with this text, if it is interned.
    pub fn existing(text: &str) -> Option<Atom> {
        TABLE.read().unwrap().get(text).copied()
    }
    /// Its text.
    #[inline]
    pub fn text(self) -> &'static str {
        self.0.text
    }
    /// The hash of the text.
    #[inline]
    pub fn hash64(self) -> u64 {
        self.0.hash
    }
    /// `true` or `false`.
    #[inline]
    pub fn of_bool(b: bool) -> Atom {
        if b { known::TRUE } else { known::FALSE }
    }
}

impl PartialEq for Atom {
    #[inline]
    fn eq(&self, other: &Atom) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}
impl Eq for Atom {}
impl Hash for Atom {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash);
    }
}
impl PartialOrd for Atom {
    fn partial_cmp(&self, other: &Atom) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Atom {
    /// By code points, which is also the order of UTF-8 bytes.
    fn cmp(&self, other: &Atom) -> std::cmp::Ordering {
        if self == other { std::cmp::Ordering::Equal } else { self.text().cmp(other.text()) }
    }
}
impl fmt::Debug for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        super::print::atom(self.text(), f)
    }
}

macro_rules! known_atoms {
    ($($name:ident = $text:literal,)*) => {
        /// Atoms that the interpreter itself uses.
        #[allow(missing_docs)]
        pub mod known {
            use super::{Atom, AtomText, hash_of};
            $(pub const $name: Atom = {
                static TEXT: AtomText = AtomText { text: $text, hash: hash_of($text) };
                Atom(&TEXT)
            };)*
            pub(super) const TABLE: &[Atom] = &[$($name),*];
        }
    };
}

known_atoms! {
    TRUE = "true", FALSE = "false", OK = "ok", ERROR = "error", EXIT = "exit", THROW = "throw",
    UNDEFINED = "undefined", NORMAL = "normal", KILL = "kill", KILLED = "killed", NOPROC = "noproc",
    NOCONNECTION = "noconnection", SHUTDOWN = "shutdown", BADARG = "badarg", BADARITH = "badarith",
    BADMATCH = "badmatch", CASE_CLAUSE = "case_clause", IF_CLAUSE = "if_clause", TRY_CLAUSE = "try_clause",
    FUNCTION_CLAUSE = "function_clause", UNDEF = "undef", BADFUN = "badfun", BADARITY = "badarity",
    BADMAP = "badmap", BADKEY = "badkey", BADRECORD = "badrecord", NOCATCH = "nocatch",
    SYSTEM_LIMIT = "system_limit", TIMEOUT_VALUE = "timeout_value", EXIT_SIGNAL = "EXIT", DOWN = "DOWN",
    PROCESS = "process", PORT = "port", TIME_OFFSET = "time_offset", INFINITY = "infinity", FILE = "file",
    LINE = "line", ERROR_INFO = "error_info", CAUSE = "cause", MODULE = "module", NONODE = "nonode@nohost",
    ERLANG = "erlang", LISTS = "lists", MAPS = "maps", ETS = "ets", EMPTY = "", NIL_LIST = "[]",
    LINK = "link", MONITOR = "monitor", PRIORITY = "priority", FLUSH = "flush", INFO = "info", ALIAS = "alias",
    REPLY_DEMONITOR = "reply_demonitor", EXPLICIT_UNALIAS = "explicit_unalias", DEMONITOR = "demonitor",
    TAG = "tag", TRAP_EXIT = "trap_exit", NOSUSPEND = "nosuspend", NOCONNECT = "noconnect",
    REGISTERED_NAME = "registered_name", LINKS = "links", MONITORS = "monitors", MONITORED_BY = "monitored_by",
    MESSAGES = "messages", MESSAGE_QUEUE_LEN = "message_queue_len", STATUS = "status", WAITING = "waiting",
    RUNNABLE = "runnable", RUNNING = "running", DICTIONARY = "dictionary", CURRENT_FUNCTION = "current_function",
    INITIAL_CALL = "initial_call", GROUP_LEADER = "group_leader", TIMEOUT = "timeout", ABS = "abs",
    ASYNC = "async", HIGH = "high", LOW = "low", MAX = "max", LATIN1 = "latin1", UTF8 = "utf8", UNICODE = "unicode",
    SET = "set", ORDERED_SET = "ordered_set", BAG = "bag", DUPLICATE_BAG = "duplicate_bag", NAMED_TABLE = "named_table",
    PUBLIC = "public", PRIVATE = "private", PROTECTED = "protected", KEYPOS = "keypos", HEIR = "heir", NONE = "none",
    READ_CONCURRENCY = "read_concurrency", WRITE_CONCURRENCY = "write_concurrency", COMPRESSED = "compressed",
    DECENTRALIZED_COUNTERS = "decentralized_counters", ETS_TRANSFER = "ETS-TRANSFER", END_OF_TABLE = "$end_of_table",
    UNDERSCORE = "_", DOLLAR_UNDERSCORE = "$_", DOLLAR_DOLLAR = "$$", CONST = "const", OWNER = "owner", SIZE = "size",
    NAME = "name", TYPE = "type", PROTECTION = "protection", NODE = "node", MEMORY = "memory", ID = "id", FIXED = "fixed",
    SECOND = "second", MILLISECOND = "millisecond", MICROSECOND = "microsecond", NANOSECOND = "nanosecond",
    NATIVE = "native", SECONDS = "seconds", MILLI_SECONDS = "milli_seconds", MICRO_SECONDS = "micro_seconds",
    NANO_SECONDS = "nano_seconds", PERF_COUNTER = "perf_counter", MONOTONIC = "monotonic", POSITIVE = "positive",
    ALREADY_EXISTS = "already_exists", COUNTERS = "counters", ATOMICS = "atomics", REFERENCE = "reference", INTEGER = "integer",
    BINARY = "binary", EVERY = "all", FIRST = "first", LAST = "last", TRIM = "trim", TRIM_ALL = "trim_all", GLOBAL = "global",
    BIG = "big", LITTLE = "little", UTF16 = "utf16", UTF32 = "utf32", FLOAT = "float", APPEND = "append",
    PRIVATE_APPEND = "private_append", STRING = "string", PLUS = "+", MINUS = "-", ENV = "env", ARITY = "arity",
    NEW_INDEX = "new_index", NEW_UNIQ = "new_uniq", INDEX = "index", UNIQ = "uniq", PID = "pid", EXTERNAL = "external",
    LOCAL = "local", INCOMPLETE = "incomplete", NOT_ALIVE = "nonode", STOP = "stop", GET = "get", VALUE = "value",
    IN = "in", SAVE_CALLS = "save_calls", HEAP_SIZE = "heap_size", REDUCTIONS = "reductions",
    TOTAL_HEAP_SIZE = "total_heap_size", MIN_HEAP_SIZE = "min_heap_size", BACKTRACE = "backtrace",
    CURRENT_STACKTRACE = "current_stacktrace", CURRENT_LOCATION = "current_location", PARENT = "parent", LABEL = "label",
    MESSAGE_QUEUE_DATA = "message_queue_data", ON_HEAP = "on_heap", OFF_HEAP = "off_heap", MAX_HEAP_SIZE = "max_heap_size",
    FULLSWEEP_AFTER = "fullsweep_after", MIN_BIN_VHEAP_SIZE = "min_bin_vheap_size", SENSITIVE = "sensitive",
    RESERVED = "reserved", COPY = "copy", REUSE = "reuse", MINOR_VERSION = "minor_version", SAFE = "safe",
    USED = "used", SCHEDULERS = "schedulers", SCHEDULERS_ONLINE = "schedulers_online", OTP_RELEASE = "otp_release",
    VERSION = "version", WORDSIZE = "wordsize", PROCESS_COUNT = "process_count", PROCESS_LIMIT = "process_limit",
    TIME_WARP_MODE = "time_warp_mode", NO_TIME_WARP = "no_time_warp", LOGICAL_PROCESSORS = "logical_processors",
    ENDIAN = "endian", OS_TYPE = "os_type", UNIX = "unix", LINUX = "linux", SYSTEM_ARCHITECTURE = "system_architecture",
    NO_LINK = "nolink", SCOPE = "scope", PART = "part", BADFUNCTION = "bad_function",
    SINGLE_ASSIGN = "single_assign", KEYS = "keys", FUN = "fun", CALL = "call", CAST = "cast", DEFINED = "defined",
    SPAWN_REQUEST = "spawn_request", SPAWN_REPLY = "spawn_reply", REPLY_TAG = "reply_tag", REPLY = "reply",
    ERROR_ONLY = "error_only", SUCCESS_ONLY = "success_only", CALLERS = "$callers", ANCESTORS = "$ancestors",
    DOLLAR_GEN_CALL = "$gen_call", SYSTEM = "system", ELEMENT = "element", TUPLE_SIZE = "tuple_size",
}
