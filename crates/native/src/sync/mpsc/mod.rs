//! `std::sync::mpsc`. A channel is created by a call, never by a constant, so the call decides whether it is
//! std's or belongs to an execution; its ends are never used on the other side.

mod buffered;
mod channel;
mod end;
mod iter;
mod joint;
mod lanes;
mod receiver;
mod rendezvous;
mod sender;
mod timed;

pub(crate) use lanes::counted;

pub use iter::{IntoIter, Iter, TryIter};
pub use receiver::Receiver;
pub use sender::{Sender, SyncSender};
pub use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};

use crate::runtime::context;
use channel::Channel;
use end::End;
use joint::Joint;
use std::panic::Location;

/// See [`std::sync::mpsc::channel`].
#[must_use]
#[track_caller]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    match context::current() {
        None => {
            let (sender, receiver) = std::sync::mpsc::channel();
            let made = Location::caller();
            (Sender(End::Outside(sender, made)), Receiver(End::Outside(receiver, made)))
        }
        Some(current) => {
            let channel = Joint::new(current, Channel::new(current, channel::UNBOUNDED, Location::caller()));
            (Sender(End::Explored(channel.share())), Receiver(End::Explored(channel)))
        }
    }
}

/// See [`std::sync::mpsc::sync_channel`].
#[must_use]
#[track_caller]
pub fn sync_channel<T>(bound: usize) -> (SyncSender<T>, Receiver<T>) {
    match context::current() {
        None => {
            let (sender, receiver) = std::sync::mpsc::sync_channel(bound);
            let made = Location::caller();
            (SyncSender(End::Outside(sender, made)), Receiver(End::Outside(receiver, made)))
        }
        Some(current) => {
            let channel = Joint::new(current, Channel::new(current, bound as u64, Location::caller()));
            (SyncSender(End::Explored(channel.share())), Receiver(End::Explored(channel)))
        }
    }
}
