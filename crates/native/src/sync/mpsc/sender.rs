//! The sending ends.

use super::end::{End, Use};
use crate::label::{Labelled, Sealed};
use raddle_core::operation::ObjectId;
use std::fmt;
use std::panic::Location;
use std::sync::mpsc::{self as real, SendError, TrySendError};

/// See [`std::sync::mpsc::Sender`].
pub struct Sender<T>(pub(super) End<T, real::Sender<T>>);

/// See [`std::sync::mpsc::SyncSender`].
pub struct SyncSender<T>(pub(super) End<T, real::SyncSender<T>>);

impl<T> Sender<T> {
    /// See [`std::sync::mpsc::Sender::send`].
    #[inline(always)]
    #[track_caller]
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        match self.0.using() {
            Use::Outside(sender, _) => sender.send(value),
            Use::Explored(current, channel) => channel.send(current, value, Location::caller()),
        }
    }
}

impl<T> SyncSender<T> {
    /// See [`std::sync::mpsc::SyncSender::send`].
    #[inline(always)]
    #[track_caller]
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        match self.0.using() {
            Use::Outside(sender, _) => sender.send(value),
            Use::Explored(current, channel) => channel.send(current, value, Location::caller()),
        }
    }

    /// See [`std::sync::mpsc::SyncSender::try_send`].
    #[track_caller]
    pub fn try_send(&self, value: T) -> Result<(), TrySendError<T>> {
        match self.0.using() {
            Use::Outside(sender, _) => sender.try_send(value),
            Use::Explored(current, channel) => channel.try_send(current, value, Location::caller()),
        }
    }
}

/// Another sending end of the same channel.
#[track_caller]
fn one_more<T, R: Clone>(end: &End<T, R>) -> End<T, R> {
    match end.using() {
        Use::Outside(sender, made) => End::Outside(sender.clone(), made),
        Use::Explored(current, channel) => {
            channel.add_sender(current);
            End::Explored(channel.share())
        }
    }
}

#[inline]
#[track_caller]
fn one_less<T, R>(end: &End<T, R>) {
    if let Some((current, channel)) = end.leaving() {
        channel.drop_sender(current, Location::caller());
    }
}

impl<T> Clone for Sender<T> {
    #[track_caller]
    fn clone(&self) -> Sender<T> {
        Sender(one_more(&self.0))
    }
}

impl<T> Clone for SyncSender<T> {
    #[track_caller]
    fn clone(&self) -> SyncSender<T> {
        SyncSender(one_more(&self.0))
    }
}

impl<T> Drop for Sender<T> {
    #[inline]
    #[track_caller]
    fn drop(&mut self) {
        one_less(&self.0);
    }
}

impl<T> Drop for SyncSender<T> {
    #[inline]
    #[track_caller]
    fn drop(&mut self) {
        one_less(&self.0);
    }
}

impl<T> Labelled for Sender<T> {}
impl<T> Sealed for Sender<T> {
    #[track_caller]
    fn labelled_object(&self) -> Option<ObjectId> {
        self.0.object()
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").finish_non_exhaustive()
    }
}

impl<T> Labelled for SyncSender<T> {}
impl<T> Sealed for SyncSender<T> {
    #[track_caller]
    fn labelled_object(&self) -> Option<ObjectId> {
        self.0.object()
    }
}

impl<T> fmt::Debug for SyncSender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SyncSender").finish_non_exhaustive()
    }
}
