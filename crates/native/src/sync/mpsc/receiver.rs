//! The receiving end.

use super::end::{End, Use};
use super::iter::{Iter, TryIter};
use crate::label::{Labelled, Sealed};
use raddle_core::operation::ObjectId;
use std::fmt;
use std::panic::Location;
use std::sync::mpsc::{self as real, RecvError, RecvTimeoutError, TryRecvError};
use std::time::Duration;

/// See [`std::sync::mpsc::Receiver`].
pub struct Receiver<T>(pub(super) End<T, real::Receiver<T>>);

impl<T> Receiver<T> {
    /// See [`std::sync::mpsc::Receiver::try_recv`].
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        match self.0.using() {
            Use::Outside(receiver, _) => receiver.try_recv(),
            Use::Explored(current, channel) => channel.try_recv(current, Location::caller()),
        }
    }

    /// See [`std::sync::mpsc::Receiver::recv`].
    #[inline(always)]
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        match self.0.using() {
            Use::Outside(receiver, _) => receiver.recv(),
            Use::Explored(current, channel) => channel.recv(current, Location::caller()),
        }
    }

    /// See [`std::sync::mpsc::Receiver::recv_timeout`].
    #[track_caller]
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        match self.0.using() {
            Use::Outside(receiver, _) => receiver.recv_timeout(timeout),
            Use::Explored(current, channel) => channel.recv_timeout(current, timeout, Location::caller()),
        }
    }

    /// See [`std::sync::mpsc::Receiver::iter`].
    pub fn iter(&self) -> Iter<'_, T> {
        Iter { rx: self }
    }

    /// See [`std::sync::mpsc::Receiver::try_iter`].
    pub fn try_iter(&self) -> TryIter<'_, T> {
        TryIter { rx: self }
    }
}

impl<T> Drop for Receiver<T> {
    #[inline]
    #[track_caller]
    fn drop(&mut self) {
        if let Some((current, channel)) = self.0.leaving() {
            channel.drop_receiver(current, Location::caller());
        }
    }
}

impl<T> Labelled for Receiver<T> {}
impl<T> Sealed for Receiver<T> {
    #[track_caller]
    fn labelled_object(&self) -> Option<ObjectId> {
        self.0.object()
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}
