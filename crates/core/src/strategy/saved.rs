//! Parts of a search that are left to explore, in a form that can be written to a file.

use super::SavedReduction;
use serde::{Deserialize, Serialize};

/// A part of a search that is left to explore.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SavedSubtree {
    /// All that these picks lead to.
    Picks {
        /// Tasks and options.
        picks: Vec<(u32, u32)>,
        /// How much of the whole tree it is taken to be.
        #[serde(with = "crate::plain::fraction")]
        share: f64,
        /// Whether a bound has refused something already.
        reached: bool,
    },
    /// A part of the optimal reduction.
    Optimal(Box<SavedReduction>),
}
