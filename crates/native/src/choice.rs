//! Explicit nondeterminism, and effects that are one visible step.
