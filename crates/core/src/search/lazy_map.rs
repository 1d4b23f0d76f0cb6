//! What a ticket says of a program, as text: its settings, and the parts of its code. It is computed on demand: most
//! searches write no ticket.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

type Find = dyn Fn() -> BTreeMap<String, String> + Send + Sync + UnwindSafe + RefUnwindSafe;

/// Names and values as text, computed on demand.
#[derive(Clone, Default)]
pub struct LazyMap {
    find: Option<Arc<Find>>,
    /// One more value, a number.
    also: Option<(&'static str, usize)>,
}

impl LazyMap {
    /// The map that `find` returns.
    pub fn found_by<F>(find: F) -> LazyMap
    where
        F: Fn() -> BTreeMap<String, String> + Send + Sync + UnwindSafe + RefUnwindSafe + 'static,
    {
        LazyMap { find: Some(Arc::new(find)), also: None }
    }
    /// The same with one more value.
    pub fn and(self, name: &'static str, number: usize) -> LazyMap {
        LazyMap { also: Some((name, number)), ..self }
    }
    /// Computes the map.
    pub fn to_map(&self) -> BTreeMap<String, String> {
        let mut map = self.find.as_ref().map(|find| find()).unwrap_or_default();
        map.extend(self.also.map(|(name, number)| (name.to_owned(), number.to_string())));
        map
    }
}

impl From<BTreeMap<String, String>> for LazyMap {
    fn from(map: BTreeMap<String, String>) -> LazyMap {
        LazyMap::found_by(move || map.clone())
    }
}

impl fmt::Debug for LazyMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_map().fmt(f)
    }
}
