//! Examples that a newcomer would recognise: `cargo run --example bank`.
