//! `raddle`: see the library.

fn main() -> std::process::ExitCode {
    cargo_raddle::main()
}
