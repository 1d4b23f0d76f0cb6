//! The settings of a search as text, for tickets. They are computed on demand: most searches write no ticket.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

type Find = dyn Fn() -> BTreeMap<String, String> + Send + Sync + UnwindSafe + RefUnwindSafe;

/// Settings as text, computed on demand.
#[derive(Clone, Default)]
pub struct LazySettings {
    find: Option<Arc<Find>>,
    /// One more setting, a number.
    also: Option<(&'static str, usize)>,
}

impl LazySettings {
    /// The settings that `find` returns.
    pub fn found_by<F>(find: F) -> LazySettings
    where
        F: Fn() -> BTreeMap<String, String> + Send + Sync + UnwindSafe + RefUnwindSafe + 'static,
    {
        LazySettings { find: Some(Arc::new(find)), also: None }
    }
    /// The same with one more setting.
    pub fn and(self, name: &'static str, number: usize) -> LazySettings {
        LazySettings { also: Some((name, number)), ..self }
    }
    /// Computes the settings.
    pub fn to_map(&self) -> BTreeMap<String, String> {
        let mut map = self.find.as_ref().map(|find| find()).unwrap_or_default();
        map.extend(self.also.map(|(name, number)| (name.to_owned(), number.to_string())));
        map
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
