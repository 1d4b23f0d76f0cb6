//! Examples that a newcomer would recognise: `cargo run --release --example bank`.
