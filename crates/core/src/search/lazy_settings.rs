//! The settings of a search as text, for tickets. They are computed on demand: most searches write no ticket.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

type Find = dyn Fn() -> BTreeMap<String, String> + Send + Sync + UnwindSafe + RefUnwindSafe;

/// Settings as text, computed on demand.
#[derive(Clone, Default)]
pub struct LazySettings(Option<Arc<Find>>);

impl LazySettings {
    /// The settings that `find` returns.
    pub fn found_by<F>(find: F) -> LazySettings
    where
        F: Fn() -> BTreeMap<String, String> + Send + Sync + UnwindSafe + RefUnwindSafe + 'static,
    {
        LazySettings(Some(Arc::new(find)))
    }
    /// Computes the settings.
    pub fn to_map(&self) -> BTreeMap<String, String> {
        self.0.as_ref().map(|find| find()).unwrap_or_default()
    }
}

impl From<BTreeMap<String, String>> for LazySettings {
    fn from(map: BTreeMap<String, String>) -> LazySettings {
        LazySettings::found_by(move || map.clone())
    }
}

impl fmt::Debug for LazySettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_map().fmt(f)
    }
}
