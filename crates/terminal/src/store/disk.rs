//! The system calls of one write. Each may fail, and tests let each fail.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

/// Writes files.
pub trait Disk {
    /// Makes a folder and those that it is in, readable for their owner alone. Those that are there stay as they are.
    fn make_folder(&mut self, folder: &Path) -> io::Result<()>;
    /// Makes a file that is not there yet, readable for its owner alone.
    fn create(&mut self, path: &Path) -> io::Result<File>;
    /// Writes all of it.
    fn write(&mut self, file: &mut File, content: &[u8]) -> io::Result<()>;
    /// Waits until the file is on the medium.
    fn sync(&mut self, file: &File) -> io::Result<()>;
    /// Gives a file another name, in place of the file that has it.
    fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()>;
    /// Waits until the names in a folder are on the medium.
    fn sync_folder(&mut self, folder: &Path) -> io::Result<()>;
}

/// The file system.
#[derive(Debug)]
pub struct System;

impl Disk for System {
    fn make_folder(&mut self, folder: &Path) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)
    }
    fn create(&mut self, path: &Path) -> io::Result<File> {
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
    }
    fn write(&mut self, file: &mut File, content: &[u8]) -> io::Result<()> {
        file.write_all(content)
    }
    fn sync(&mut self, file: &File) -> io::Result<()> {
        file.sync_all()
    }
    fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)
    }
    fn sync_folder(&mut self, folder: &Path) -> io::Result<()> {
        match File::open(folder)?.sync_all() {
            // Some network file systems cannot sync folders.
            Err(e) if matches!(e.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
            synced => synced,
        }
    }
}
