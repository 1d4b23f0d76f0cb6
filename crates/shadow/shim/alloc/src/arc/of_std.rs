//! What `std` adds to an `Arc`.

extern crate std;

use super::Arc;
use real::sync::Arc as Real;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{IoSlice, IoSliceMut, Read, Result, Seek, SeekFrom, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::path::{Path, PathBuf};

macro_rules! from {
    ($($from:ty => $to:ty;)*) => {$(
        impl From<$from> for Arc<$to> {
            fn from(value: $from) -> Arc<$to> {
                Arc::of(Real::from(value))
            }
        }
    )*};
}

from! {
    &OsStr => OsStr;
    OsString => OsStr;
    &Path => Path;
    PathBuf => Path;
}

impl Read for Arc<File> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        (&**self).read(into)
    }
    fn read_vectored(&mut self, into: &mut [IoSliceMut<'_>]) -> Result<usize> {
        (&**self).read_vectored(into)
    }
}
impl Write for Arc<File> {
    fn write(&mut self, from: &[u8]) -> Result<usize> {
        (&**self).write(from)
    }
    fn write_vectored(&mut self, from: &[IoSlice<'_>]) -> Result<usize> {
        (&**self).write_vectored(from)
    }
    fn flush(&mut self) -> Result<()> {
        (&**self).flush()
    }
}
impl Seek for Arc<File> {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        (&**self).seek(to)
    }
}
impl<T: AsFd + ?Sized> AsFd for Arc<T> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        (**self).as_fd()
    }
}
impl<T: AsRawFd> AsRawFd for Arc<T> {
    fn as_raw_fd(&self) -> RawFd {
        (**self).as_raw_fd()
    }
}
