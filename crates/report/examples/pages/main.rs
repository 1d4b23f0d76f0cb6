//! Writes the pages that the browser tests look at into a folder:
//! `cargo run -p raddle-report --features page --example pages -- DIR`.

#[cfg(feature = "page")]
mod made_up;

#[cfg(feature = "page")]
fn main() {
    made_up::write_all(std::env::args().nth(1).expect("the folder to write to").into());
}

#[cfg(not(feature = "page"))]
fn main() {
    panic!("it needs --features page");
}
