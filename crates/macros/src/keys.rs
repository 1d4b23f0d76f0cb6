//! The keys of `#[raddle::test(..)]`, each with the kind of value it takes and the strategies it applies to. A key has the
//! name of the `Checker` function it calls: a strategy is a constructor, all others are setters.
//!
//! Invariant: a setting that the `Checker` refuses is refused here, at its tokens. What applies to what is this crate's own
//! list, since a macro is compiled before every crate that uses it and must not wait for the engine; a test compares it.

/// One key of the attribute.
pub struct Key {
    /// The key, and the name of the function of `Checker`.
    pub name: &'static str,
    pub role: Role,
    pub takes: Takes,
    pub applies: Applies,
    /// An example; shown in errors.
    pub example: &'static str,
}

impl Key {
    /// Whether it selects the strategy; a test has at most one such key.
    pub fn is_strategy(&self) -> bool {
        self.role == Role::Strategy
    }
}

/// The kind of `Checker` function that a key calls.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// `Checker::name(value)`; a test has at most one.
    Strategy,
    /// `.name(value)`.
    Setter,
}

/// The strategies for which a setting has an effect.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Applies {
    /// To all.
    Always,
    /// Where schedules are drawn.
    ToRandom,
    /// Where a reduction decides.
    ToReduced,
    /// Where a bound on preemptions can grow.
    ToSystematic,
    /// Where there is more than one execution.
    ToSearches,
}

impl Applies {
    /// Whether the setting has an effect with this strategy.
    pub fn with(self, strategy: &str) -> bool {
        match self {
            Applies::Always => true,
            Applies::ToRandom => strategy == "random",
            Applies::ToReduced => ["exhaustive", "iterative"].contains(&strategy),
            Applies::ToSystematic => ["exhaustive", "iterative", "dfs"].contains(&strategy),
            Applies::ToSearches => strategy != "replay",
        }
    }
    /// What it applies to, as the `Checker` says it.
    pub fn words(self) -> &'static str {
        match self {
            Applies::Always => "everything",
            Applies::ToRandom => "random schedules",
            Applies::ToReduced => "exhaustive searches",
            Applies::ToSystematic => "exhaustive and depth-first searches",
            Applies::ToSearches => "searches",
        }
    }
}

/// The value after the `=`.
#[derive(Clone, Copy)]
pub enum Takes {
    /// None: the function has no argument.
    Nothing,
    /// An integer literal of this type, `min..=max`.
    Integer { of: &'static str, min: u64, max: u64 },
    /// A string literal.
    Text,
    /// A string like `"5s"`, or an integer of seconds.
    Duration,
    /// One of these words, each a variant of an enum of the `raddle` crate.
    Word { of: &'static str, variants: &'static [(&'static str, &'static str)] },
    /// A string with one of these names, each a variant of an enum of the `raddle` crate.
    Name { of: &'static str, variants: &'static [(&'static str, &'static str)] },
    /// A string with the name of a sampler, which the engine looks up when the test is compiled.
    Sampler,
}

// Zero schedules, workers or steps would be a test that passes without testing anything.
const U32: Takes = Takes::Integer { of: "u32", min: 0, max: u32::MAX as u64 };
const U64: Takes = Takes::Integer { of: "u64", min: 0, max: u64::MAX };
const AT_LEAST_ONE_U64: Takes = Takes::Integer { of: "u64", min: 1, max: u64::MAX };
const AT_LEAST_ONE_USIZE: Takes = Takes::Integer { of: "usize", min: 1, max: u64::MAX };
// The limits of the engine.
const WORKERS: Takes = Takes::Integer { of: "usize", min: 1, max: 1_024 };
const STEPS: Takes = Takes::Integer { of: "usize", min: 1, max: 1_000_000_000 };
const STACK: Takes = Takes::Integer { of: "usize", min: 1, max: 1 << 30 };
const TIME: Takes = Takes::Word { of: "Time", variants: &[("any", "Any"), ("idle", "Idle")] };
const DETACHED: Takes =
    Takes::Word { of: "Detached", variants: &[("allowed", "Allowed"), ("finished", "MustFinish")] };
const MEMORY: Takes = Takes::Name {
    of: "Memory",
    variants: &[("auto", "Auto"), ("sc", "Sc"), ("tso", "Tso"), ("pso", "Pso"), ("rc11", "Rc11")],
};
const HEAP: Takes = Takes::Name { of: "Heap", variants: &[("on", "On"), ("off", "Off")] };
// `await` is a keyword. A number of fair rounds is set by a call: a key takes one kind of value.
const SPINS: Takes = Takes::Word { of: "Spins", variants: &[("wait", "Await")] };

const fn strategy(name: &'static str, takes: Takes, example: &'static str) -> Key {
    Key { name, role: Role::Strategy, takes, applies: Applies::Always, example }
}

const fn setter(name: &'static str, takes: Takes, example: &'static str) -> Key {
    Key { name, role: Role::Setter, takes, applies: Applies::Always, example }
}

impl Key {
    const fn only(self, applies: Applies) -> Key {
        Key { applies, ..self }
    }
}

/// Every key, in the order in which errors list them.
pub static KEYS: [Key; 26] = [
    strategy("exhaustive", Takes::Nothing, "exhaustive"),
    strategy("iterative", Takes::Nothing, "iterative"),
    strategy("dfs", Takes::Nothing, "dfs"),
    strategy("random", AT_LEAST_ONE_U64, "random = 10_000"),
    strategy("replay", Takes::Text, "replay = \"ticket\""),
    setter("seed", U64, "seed = 7").only(Applies::ToRandom),
    setter("sampler", Takes::Sampler, "sampler = \"pct:3\"").only(Applies::ToRandom),
    setter("workers", WORKERS, "workers = 2"),
    setter("preemptions", U32, "preemptions = 2").only(Applies::ToSearches),
    setter("preemptions_up_to", U32, "preemptions_up_to = 3").only(Applies::ToSystematic),
    setter("yield_bound", U32, "yield_bound = 5").only(Applies::ToSearches),
    setter("step_bound", AT_LEAST_ONE_USIZE, "step_bound = 100").only(Applies::ToSearches),
    setter("max_steps", STEPS, "max_steps = 10_000"),
    setter("spurious", U32, "spurious = 1"),
    setter("time", TIME, "time = any"),
    setter("time_limit", Takes::Duration, "time_limit = \"5s\""),
    setter("checkpoint", Takes::Duration, "checkpoint = \"30s\""),
    setter("stack_size", STACK, "stack_size = 65_536"),
    setter("keep_going", Takes::Nothing, "keep_going"),
    setter("observers", Takes::Nothing, "observers").only(Applies::ToReduced),
    setter("detached", DETACHED, "detached = finished"),
    setter("memory", MEMORY, "memory = \"rc11\"").only(Applies::ToSearches),
    setter("stale_reads", U32, "stale_reads = 1").only(Applies::ToSearches),
    setter("heap", HEAP, "heap = \"off\"").only(Applies::ToSearches),
    setter("spins", SPINS, "spins = wait"),
    setter("spin_rounds", U32, "spin_rounds = 5"),
];

/// The key of that name.
pub fn find(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

/// All keys, as an error lists them.
pub fn listed() -> String {
    KEYS.iter().map(|key| format!("`{}`", key.example)).collect::<Vec<_>>().join(", ")
}
