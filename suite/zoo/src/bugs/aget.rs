//! aget: a downloader whose interrupt handler saves the progress of each part.
//!
//! Bug: a part writes its own offset and the total in two steps, and the handler may come between them: the saved state
//! is inconsistent, and a resumed download would be corrupt. It needs a handler between two stores.

use super::rt::sync::Mutex;
use super::{Crew, Fixed, Form, Var};

struct Download {
    lock: Mutex<()>,
    offsets: [Var; 2],
    written: Var,
}

fn part(download: &Download, number: usize, form: Form) {
    for _ in 0..2 {
        let _guard = (form == Fixed).then(|| download.lock.lock().unwrap());
        download.offsets[number].add(1); // cause
        download.written.fetch_add(1); // cause
    }
}

pub fn run(form: Form) {
    let offsets = [Var::new(0), Var::new(0)];
    Crew::new(Download { lock: Mutex::new(()), offsets, written: Var::new(0) })
        .task(move |download| part(download, 0, form))
        .task(move |download| part(download, 1, form))
        .task(move |download| {
            let _guard = (form == Fixed).then(|| download.lock.lock().unwrap());
            let written = download.written.get(); // cause
            let saved = download.offsets[0].get() + download.offsets[1].get(); // cause
            assert_eq!(saved, written, "what was saved does not add up");
        })
        .join();
}
