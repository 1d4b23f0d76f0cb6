//! A disk of which one call fails, for the tests that let each fail in turn.

use super::disk::{Disk, System};
use std::fs::File;
use std::io;
use std::path::Path;

/// How a call fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// There is no room; of a write, half of it is done before.
    Full,
    /// The medium does not answer.
    Broken,
    /// This user may not.
    Denied,
}

impl Fault {
    /// All of them.
    pub const ALL: [Fault; 3] = [Fault::Full, Fault::Broken, Fault::Denied];

    fn error(self) -> io::Error {
        match self {
            Fault::Full => io::Error::from_raw_os_error(libc::ENOSPC),
            Fault::Broken => io::Error::from_raw_os_error(libc::EIO),
            Fault::Denied => io::Error::from_raw_os_error(libc::EACCES),
        }
    }
}

/// The file system, but the call at one position fails.
#[derive(Debug)]
pub struct FailingDisk {
    fault: Fault,
    at: usize,
    calls: usize,
}

impl FailingDisk {
    /// Calls are counted from one.
    pub fn new(fault: Fault, at: usize) -> FailingDisk {
        FailingDisk { fault, at, calls: 0 }
    }
    /// How many there were.
    pub fn calls(&self) -> usize {
        self.calls
    }
    fn next(&mut self) -> io::Result<()> {
        self.calls += 1;
        if self.calls == self.at { Err(self.fault.error()) } else { Ok(()) }
    }
}

impl Disk for FailingDisk {
    fn make_folder(&mut self, folder: &Path) -> io::Result<()> {
        self.next().and_then(|()| System.make_folder(folder))
    }
    fn create(&mut self, path: &Path) -> io::Result<File> {
        self.next().and_then(|()| System.create(path))
    }
    fn write(&mut self, file: &mut File, content: &[u8]) -> io::Result<()> {
        let (half, rest) = content.split_at(content.len() / 2);
        System.write(file, half)?;
        self.next().and_then(|()| System.write(file, rest))
    }
    fn sync(&mut self, file: &File) -> io::Result<()> {
        self.next().and_then(|()| System.sync(file))
    }
    fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        self.next().and_then(|()| System.rename(from, to))
    }
    fn sync_folder(&mut self, folder: &Path) -> io::Result<()> {
        self.next().and_then(|()| System.sync_folder(folder))
    }
}
