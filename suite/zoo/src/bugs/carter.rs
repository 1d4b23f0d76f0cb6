//! carter01: two groups of which only one may be inside; the first to enter locks the room for its group.
//!
//! Bug: the first one waits for the room while it holds the door's lock. It needs one group inside and
//! another at the door: a thread needs the door's lock to leave. Two more threads do nothing.

use super::rt::sync::Mutex;
use super::{Crew, Fixed, Form};

struct Room {
    door: Mutex<()>,
    room: Mutex<()>,
}

fn visit(place: &Room, form: Form) {
    let room = if form == Fixed {
        let room = place.room.lock().unwrap();
        drop(place.door.lock().unwrap());
        room
    } else {
        let _door = place.door.lock().unwrap(); // cause
        place.room.lock().unwrap() // cause
    };
    let _door = place.door.lock().unwrap(); // cause
    drop(room);
}

pub fn run(form: Form) {
    Crew::new(Room { door: Mutex::new(()), room: Mutex::new(()) })
        .task(move |place| visit(place, form))
        .task(move |place| visit(place, form))
        .task(|_| ())
        .task(|_| ())
        .join();
}
