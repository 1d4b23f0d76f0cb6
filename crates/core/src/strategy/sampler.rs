//! The sampling strategies by name, for environment variables, command lines and settings.

use super::{
    GoExplore, Pct, Places, Portfolio, Pos, Procrastinate, Random, ReadsFrom, Strategy, Surw, Swarm,
};
use std::fmt;
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

impl Sampler {
    /// Every sampler, with the parameters that it has when none are named.
    pub const ALL: [Sampler; 11] = [
        Sampler::Portfolio,
        Sampler::Uniform,
        Sampler::Pct(3),
        Sampler::Swarm(0),
        Sampler::Pos,
        Sampler::Places,
        Sampler::Surw,
        Sampler::Urw,
        Sampler::Procrastinate,
        Sampler::ReadsFrom,
        Sampler::GoExplore,
    ];

    /// The names that [`FromStr`] accepts.
    pub const NAMES: &str = "portfolio, uniform, pct, pct:DEPTH, swarm, swarm:CHANGES, pos, places, surw, urw, procrastinate, reads-from or go-explore";

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

impl fmt::Display for Sampler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sampler::Portfolio => f.write_str("portfolio"),
            Sampler::Uniform => f.write_str("uniform"),
            Sampler::Pct(depth) => write!(f, "pct:{depth}"),
            Sampler::Swarm(0) => f.write_str("swarm"),
            Sampler::Swarm(changes) => write!(f, "swarm:{changes}"),
            Sampler::Pos => f.write_str("pos"),
            Sampler::Places => f.write_str("places"),
            Sampler::Surw => f.write_str("surw"),
            Sampler::Urw => f.write_str("urw"),
            Sampler::Procrastinate => f.write_str("procrastinate"),
            Sampler::ReadsFrom => f.write_str("reads-from"),
            Sampler::GoExplore => f.write_str("go-explore"),
        }
    }
}

impl FromStr for Sampler {
    type Err = String;

    fn from_str(text: &str) -> Result<Sampler, String> {
        let (name, number) = match text.split_once(':') {
            Some((name, digits)) => (name, Some(digits.parse::<u32>().map_err(|_| unknown(text))?)),
            None => (text, None),
        };
        match (name, number) {
            ("pct", depth) if depth != Some(0) => Ok(Sampler::Pct(depth.unwrap_or(3))),
            ("swarm", changes) => Ok(Sampler::Swarm(changes.unwrap_or(0))),
            (_, None) => {
                Sampler::ALL.into_iter().find(|s| s.to_string() == name).ok_or_else(|| unknown(text))
            }
            _ => Err(unknown(text)),
        }
    }
}

fn unknown(text: &str) -> String {
    format!("there is no sampler `{text}`; there are {}", Sampler::NAMES)
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
    fn what_is_no_sampler_is_refused_with_those_that_are() {
        for text in ["luck", "pct:x", "pct:0", "pos:3", ""] {
            let error = text.parse::<Sampler>().unwrap_err();
            assert!(
                error.starts_with(&format!("there is no sampler `{text}`; there are portfolio")),
                "{error}"
            );
        }
    }
}
