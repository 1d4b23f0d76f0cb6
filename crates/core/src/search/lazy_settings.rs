//! The settings of a search in words, for tickets. Most searches write none, so nobody looks for words before.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

type Find = dyn Fn() -> BTreeMap<String, String> + Send + Sync + UnwindSafe + RefUnwindSafe;

/// Settings in words.
#[derive(Clone, Default)]
pub struct LazySettings(Option<Arc<Find>>);

impl LazySettings {
    /// The words that `find` will find.
    pub fn found_by<F>(find: F) -> LazySettings
    where
        F: Fn() -> BTreeMap<String, String> + Send + Sync + UnwindSafe + RefUnwindSafe + 'static,
    {
        LazySettings(Some(Arc::new(find)))
    }
    /// The words.
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
