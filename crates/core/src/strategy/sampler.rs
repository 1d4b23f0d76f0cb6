//! The only list of sampling strategies and their names, for settings, attributes, command lines and environment variables.

use super::{
    GoExplore, Pct, Places, Portfolio, Pos, Procrastinate, Random, ReadsFrom, Strategy, Surw, Swarm,
};
use std::fmt;
use std::mem::discriminant;
use std::str::FromStr;

/// Which strategy draws the schedules of a random search.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Sampler {
    /// All of them share the budget, and those that show new behaviours get more of it.
    #[default]
    Portfolio,
    /// At each point every task is equally likely.
    Uniform,
    /// Priorities and change points, for bugs of this depth.
    Pct(u32),
    /// A weight per task, with so many points at which it changes.
    Swarm(u32),
    /// A priority per pending operation.
    Pos,
    /// A priority per place in the program.
    Places,
    /// Uniform over the orders of selected operations.
    Surw,
    /// Uniform over the orders of all operations.
    Urw,
    /// Delays operations that were seen to conflict.
    Procrastinate,
    /// Steers towards rare reads-from pairs.
    ReadsFrom,
    /// Returns to a rare event and explores from there.
    GoExplore,
}

/// The names that [`Sampler::named`] accepts.
macro_rules! names {
    () => {
        "portfolio, uniform, pct, pct:DEPTH, swarm, swarm:CHANGES, pos, places, surw, urw, procrastinate, reads-from or go-explore"
    };
}

impl Sampler {
    /// The list of samplers: the name of each, and the parameters that it has when none are named.
    const LIST: [(&str, Sampler); 11] = [
        ("portfolio", Sampler::Portfolio),
        ("uniform", Sampler::Uniform),
        ("pct", Sampler::Pct(3)),
        ("swarm", Sampler::Swarm(0)),
        ("pos", Sampler::Pos),
        ("places", Sampler::Places),
        ("surw", Sampler::Surw),
        ("urw", Sampler::Urw),
        ("procrastinate", Sampler::Procrastinate),
        ("reads-from", Sampler::ReadsFrom),
        ("go-explore", Sampler::GoExplore),
    ];

    /// Every sampler, with the parameters that it has when none are named.
    pub const ALL: [Sampler; Sampler::LIST.len()] = {
        let mut all = [Sampler::Portfolio; Sampler::LIST.len()];
        let mut at = 0;
        while at < all.len() {
            all[at] = Sampler::LIST[at].1;
            at += 1;
        }
        all
    };

    /// The names that [`Sampler::named`] accepts.
    pub const NAMES: &str = names!();
    /// What is said of a name that no sampler has, where it cannot be quoted.
    pub const UNKNOWN: &str = concat!("there is no such sampler; there are ", names!());

    /// The sampler of this name: `pos`, or `pct:4` with a number. The attribute calls it when a test is compiled.
    pub const fn named(text: &str) -> Option<Sampler> {
        let (name, number) = match colon(text) {
            None => (text, None),
            Some(at) => {
                let (name, rest) = text.split_at(at);
                match u32::from_str_radix(rest.split_at(1).1, 10) {
                    Ok(number) => (name, Some(number)),
                    Err(_) => return None,
                }
            }
        };
        let mut at = 0;
        while at < Sampler::LIST.len() {
            let (listed, usual) = Sampler::LIST[at];
            if is_same(listed, name) {
                return match (usual, number) {
                    (usual, None) => Some(usual),
                    (Sampler::Pct(_), Some(depth)) if depth > 0 => Some(Sampler::Pct(depth)),
                    (Sampler::Swarm(_), Some(changes)) => Some(Sampler::Swarm(changes)),
                    _ => None,
                };
            }
            at += 1;
        }
        None
    }

    /// The strategy, drawing with this seed.
    pub fn strategy(self, seed: u64) -> Box<dyn Strategy> {
        match self {
            Sampler::Portfolio => Box::new(Portfolio::new(seed)),
            Sampler::Uniform => Box::new(Random::new(seed)),
            Sampler::Pct(depth) => Box::new(Pct::new(seed, depth)),
            Sampler::Swarm(changes) => Box::new(Swarm::new(seed, changes)),
            Sampler::Pos => Box::new(Pos::new(seed)),
            Sampler::Places => Box::new(Places::new(seed)),
            Sampler::Surw => Box::new(Surw::new(seed)),
            Sampler::Urw => Box::new(Surw::uniform(seed)),
            Sampler::Procrastinate => Box::new(Procrastinate::new(seed)),
            Sampler::ReadsFrom => Box::new(ReadsFrom::new(seed)),
            Sampler::GoExplore => Box::new(GoExplore::new(seed)),
        }
    }
}

/// Where the number of a sampler begins, if it has one.
const fn colon(text: &str) -> Option<usize> {
    let mut at = 0;
    while at < text.len() {
        if text.as_bytes()[at] == b':' {
            return Some(at);
        }
        at += 1;
    }
    None
}

const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

impl fmt::Display for Sampler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_this = |(_, listed): &&(&str, Sampler)| discriminant(listed) == discriminant(self);
        let (name, _) = Sampler::LIST.iter().find(is_this).expect("every sampler is in the list");
        match self {
            Sampler::Pct(number) | Sampler::Swarm(number @ 1..) => write!(f, "{name}:{number}"),
            _ => f.write_str(name),
        }
    }
}

impl FromStr for Sampler {
    type Err = String;

    fn from_str(text: &str) -> Result<Sampler, String> {
        let unknown = || format!("there is no sampler `{text}`; there are {}", Sampler::NAMES);
        Sampler::named(text).ok_or_else(unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for sampler in Sampler::ALL.into_iter().chain([Sampler::Pct(5), Sampler::Swarm(2)]) {
            assert_eq!(sampler.to_string().parse(), Ok(sampler));
        }
        assert_eq!("pct".parse(), Ok(Sampler::Pct(3)));
    }

    #[test]
    fn every_name_is_listed() {
        let mut listed: Vec<&str> =
            Sampler::NAMES.split(", ").flat_map(|names| names.split(" or ")).collect();
        listed.retain(|name| !name.contains(':'));
        assert_eq!(listed, Sampler::LIST.map(|(name, _)| name));
    }

    #[test]
    fn what_is_no_sampler_is_refused_with_those_that_are() {
        for text in ["luck", "pct:x", "pct:0", "pct:", "pct:1:2", "pos:3", "po", ""] {
            let error = text.parse::<Sampler>().unwrap_err();
            assert!(
                error.starts_with(&format!("there is no sampler `{text}`; there are portfolio")),
                "{error}"
            );
        }
    }
}
