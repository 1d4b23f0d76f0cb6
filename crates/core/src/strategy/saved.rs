//! Unexplored subtrees of a search, in a form that can be written to a file.

use super::SavedReduction;
use serde::{Deserialize, Serialize};

/// An unexplored subtree of a search.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SavedSubtree {
    /// The subtree of these picks.
    Picks {
        /// Tasks and options.
        picks: Vec<(u32, u32)>,
        /// Its estimated fraction of the whole tree.
        #[serde(with = "crate::plain::fraction")]
        share: f64,
        /// Whether a bound has refused a pick already.
        reached: bool,
    },
    /// A subtree of the optimal reduction.
    Optimal(Box<SavedReduction>),
}
