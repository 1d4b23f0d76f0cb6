//! Threads with a name and a stack size.

use super::scope::{Scope, ScopedJoinHandle};
use super::spawn::{How, JoinHandle};
use crate::runtime::tasks::stack;
use std::fmt;
use std::io;
use std::sync::Arc;

/// See [`std::thread::Builder`].
#[must_use = "must eventually spawn the thread"]
#[derive(Default)]
pub struct Builder {
    name: Option<String>,
    stack_size: Option<usize>,
}

impl Builder {
    /// See [`std::thread::Builder::new`].
    pub fn new() -> Builder {
        Builder::default()
    }

    /// See [`std::thread::Builder::name`]. Reports show it beside the task's own name.
    pub fn name(mut self, name: String) -> Builder {
        self.name = Some(name);
        self
    }

    /// See [`std::thread::Builder::stack_size`]. Inside an exploration, stacks are never smaller than the
    /// exploration's own setting.
    pub fn stack_size(mut self, size: usize) -> Builder {
        self.stack_size = Some(size);
        self
    }

    /// See [`std::thread::Builder::spawn`].
    #[track_caller]
    pub fn spawn<F, T>(self, f: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        // SAFETY: neither the closure nor its result borrows anything.
        unsafe { self.spawn_unchecked(f) }
    }

    /// See [`std::thread::Builder::spawn_unchecked`].
    ///
    /// # Safety
    /// What the closure and its result borrow must outlive the thread.
    #[track_caller]
    pub unsafe fn spawn_unchecked<F, T>(self, f: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send,
        T: Send,
    {
        // SAFETY: the caller's.
        unsafe { JoinHandle::start(self, f) }
    }

    /// See [`std::thread::Builder::spawn_scoped`].
    #[track_caller]
    pub fn spawn_scoped<'scope, 'env, F, T>(
        self,
        scope: &'scope Scope<'scope, 'env>,
        f: F,
    ) -> io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        scope.start(self, f)
    }

    /// The builder of a real thread.
    pub(super) fn outside(self) -> std::thread::Builder {
        let builder = match self.name {
            Some(name) => std::thread::Builder::new().name(name),
            None => std::thread::Builder::new(),
        };
        match self.stack_size {
            Some(size) => builder.stack_size(size),
            None => builder,
        }
    }

    /// The parameters of a task. An error if there is no room for its stack, as from std.
    #[track_caller]
    pub(super) fn inside(self) -> io::Result<How> {
        // No closure: the place of the panic is that of the call.
        let has_null = self.name.as_ref().is_some_and(|name| name.contains('\0'));
        assert!(!has_null, "thread name may not contain interior null bytes");
        let name = self.name.map(Arc::from);
        if let Some(size) = self.stack_size {
            stack::check_room(size)?;
        }
        Ok(How { label: name, stack_size: self.stack_size, scope: None })
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Builder { name: self.name.clone(), stack_size: self.stack_size }.outside().fmt(f)
    }
}
