//! Dining philosophers: each takes the left fork, then the right one.
//!
//! Bug: it needs every philosopher to hold one fork.

use super::rt::sync::Mutex;
use super::{Crew, Fixed, Form};

fn dine(forks: &[Mutex<u32>], seat: usize, form: Form) {
    let next = (seat + 1) % forks.len();
    let (first, second) = if form == Fixed && next < seat { (next, seat) } else { (seat, next) };
    let mut left = forks[first].lock().unwrap(); // cause
    let mut right = forks[second].lock().unwrap(); // cause
    *left += 1;
    *right += 1;
}

pub fn run(seats: usize, form: Form) {
    let forks: Vec<Mutex<u32>> = (0..seats).map(|_| Mutex::new(0)).collect();
    let mut crew = Crew::new(forks);
    for seat in 0..seats {
        crew = crew.task(move |forks| dine(forks, seat, form));
    }
    crew.join();
}
