//! The tasks of an execution and what they run on.

pub(in crate::runtime) mod fiber;
pub(crate) mod locals;
pub(in crate::runtime) mod stack;
pub(crate) mod task;
