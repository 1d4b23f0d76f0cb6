//! A file in which a program answers. It has no name: it disappears however this process and the program end.

use raddle_terminal::store::unnamed_file;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::fd::AsRawFd;
use std::path::PathBuf;

/// A file that a program answers in.
pub struct Answer {
    file: File,
    read: u64,
}

impl Answer {
    pub fn new() -> Result<Answer, String> {
        Ok(Answer { file: unnamed_file()?, read: 0 })
    }

    /// Its path for another process, while this one lives. An orphaned program cannot answer any more, and ends.
    pub fn path(&self) -> PathBuf {
        PathBuf::from(format!("/proc/{}/fd/{}", std::process::id(), self.file.as_raw_fd()))
    }

    /// The file itself, for the output of a process.
    pub fn file(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// The bytes since the last call.
    pub fn news(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(self.read))?;
        self.file.read_to_end(&mut bytes)?;
        self.read += bytes.len() as u64;
        Ok(bytes)
    }

    /// All of it.
    pub fn text(mut self) -> Result<String, String> {
        self.read = 0;
        let bytes = self.news().map_err(|e| format!("cannot read an answer: {e}"))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_terminal::store::temporary_folder;
    use std::fs::OpenOptions;
    use std::io::Write;

    #[test]
    fn what_others_write_is_read_and_nothing_has_a_name() {
        let mut answer = Answer::new().unwrap();
        let say = |words: &str| {
            let mut file = OpenOptions::new().append(true).create(true).open(answer.path()).unwrap();
            file.write_all(words.as_bytes()).unwrap();
        };
        say("one\n");
        say("two\n");
        assert_eq!(answer.news().unwrap(), b"one\ntwo\n");
        answer.file().unwrap().write_all(b"three\n").unwrap();
        assert_eq!(answer.news().unwrap(), b"three\n");
        assert_eq!(answer.news().unwrap(), b"");
        assert_eq!(answer.text().unwrap(), "one\ntwo\nthree\n");
        let mine = format!("unnamed.{}.", std::process::id());
        let named = std::fs::read_dir(temporary_folder().unwrap()).unwrap().flatten();
        assert!(!named.into_iter().any(|entry| entry.file_name().to_string_lossy().starts_with(&mine)));
    }
}
