//! Futures as tasks.
