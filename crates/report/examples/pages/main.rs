//! Writes the pages that the browser tests look at into a folder:
//! `cargo run -p raddle-report --features forms --example pages -- DIR`.

#[cfg(feature = "forms")]
mod made_up;

#[cfg(feature = "forms")]
fn main() {
    made_up::write_all(std::env::args().nth(1).expect("the folder to write to").into());
}

#[cfg(not(feature = "forms"))]
fn main() {
    panic!("it needs --features forms");
}
