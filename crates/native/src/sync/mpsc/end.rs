//! One end of a channel, inside or outside of an exploration.

use super::channel::Channel;
use super::joint::Joint;
use crate::runtime::context::{self, Current};
use crate::runtime::objects::ObjectKind;
use raddle_core::fact::{Fact, Relation};
use raddle_core::operation::ObjectId;
use raddle_core::verdict::{Cause, Defect, Elsewhere};
use std::panic::Location;

/// One end of a channel; `R` is std's.
pub(super) enum End<T, R> {
    /// Created outside explorations, at this location.
    Outside(R, &'static Location<'static>),
    /// Created by a task of an execution.
    Explored(Joint<T>),
}

/// An end in use.
pub(super) enum Use<'a, T, R> {
    Outside(&'a R, &'static Location<'static>),
    Explored(Current, &'a Joint<T>),
}

impl<T, R> End<T, R> {
    /// This end, for an operation. Using it on the other side is a misuse.
    #[inline(always)]
    #[track_caller]
    pub fn using(&self) -> Use<'_, T, R> {
        match (self, context::current()) {
            (End::Outside(real, made), None) => Use::Outside(real, made),
            (End::Explored(channel), Some(current)) if channel.belongs_to(current) => {
                Use::Explored(current, channel)
            }
            (_, current) => self.refuse(current),
        }
    }

    #[cold]
    #[track_caller]
    fn refuse(&self, current: Option<Current>) -> ! {
        match (self, current) {
            (End::Outside(_, made), Some(current)) => current.misuse(made_outside(made)),
            (End::Explored(channel), current) => refuse_elsewhere(channel.kind, current),
            (End::Outside(..), None) => unreachable!("an end of the outside is used there"),
        }
    }

    /// The channel's object; none outside of explorations.
    #[track_caller]
    pub fn object(&self) -> Option<ObjectId> {
        match self.using() {
            Use::Outside(..) => None,
            Use::Explored(_, channel) => Some(channel.object),
        }
    }

    /// The execution and the channel, for the destructor of this end; none outside the channel's execution.
    #[inline]
    pub fn leaving(&self) -> Option<(Current, &Channel<T>)> {
        match (self, context::current()) {
            (End::Explored(channel), Some(current)) if channel.belongs_to(current) => {
                Some((current, channel))
            }
            _ => None,
        }
    }
}

#[cold]
#[track_caller]
fn refuse_elsewhere(kind: ObjectKind, current: Option<Current>) -> ! {
    match current {
        Some(current) => current.misuse(Defect::of(Cause::Elsewhere(Elsewhere::ChannelEnd(kind.to_owned())))),
        None => panic!("raddle: {}", Elsewhere::ChannelEndOutside(kind.to_owned())),
    }
}

#[cold]
fn made_outside(made: &'static Location<'static>) -> Defect {
    Defect::of(Cause::Elsewhere(Elsewhere::Channel))
        .with(Fact::new(Relation::ChannelMade).at(Some(made.into())))
}
