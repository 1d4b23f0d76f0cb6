//! fsbench: inodes that search for a free block, each from its own position (Flanagan and Godefroid, POPL 2005).
//!
//! Bug: there is one block fewer than inodes. Every schedule that runs to completion, with 27 threads, shows
//! it.

use super::rt::sync::Mutex;
use super::{Crew, Fixed, Form};

const BLOCKS: usize = 26;

struct Disk {
    inodes: Vec<Mutex<Option<usize>>>,
    blocks: Vec<Mutex<bool>>,
}

fn allocate(disk: &Disk, inode: usize) {
    let mut mine = disk.inodes[inode].lock().unwrap();
    if mine.is_some() {
        return;
    }
    let blocks = disk.blocks.len();
    for offset in 0..blocks {
        let block = (2 * inode + offset) % blocks;
        let mut busy = disk.blocks[block].lock().unwrap();
        if !*busy {
            *busy = true;
            *mine = Some(block);
            return;
        }
    }
    panic!("no block for inode {inode}");
}

pub fn run(form: Form) {
    let inodes = BLOCKS + 1;
    let blocks = if form == Fixed { inodes } else { BLOCKS };
    let mut crew = Crew::new(Disk {
        inodes: (0..inodes).map(|_| Mutex::new(None)).collect(),
        blocks: (0..blocks).map(|_| Mutex::new(false)).collect(),
    });
    for inode in 0..inodes {
        crew = crew.task(move |disk| allocate(disk, inode));
    }
    crew.join();
}
