//! Which files a built shim has, with their checksums: a file that was changed, cut or lost since is noticed before a program is
//! linked with it. The list is written last, so that a shim without one is not complete.

use raddle_core::checksum::Checksum;
use raddle_terminal::store;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The file with the list.
const LIST: &str = "checksums";

/// Writes the list of what is in a folder. Returns the fingerprint of all of it.
pub fn seal(folder: &Path) -> Result<String, String> {
    let lines = files(folder)?.into_iter().map(|(name, sum)| format!("{sum} {name}\n"));
    let list: String = lines.collect();
    store::write(&folder.join(LIST), "list of the shim's files", list.as_bytes())?;
    Ok(Checksum::of(list.as_bytes()).to_string())
}

/// The fingerprint, if all files are there as they were written.
///
/// # Errors
/// If not, says what is wrong.
pub fn verify(folder: &Path) -> Result<String, String> {
    let list = store::read(&folder.join(LIST), "list of the shim's files")?;
    let expected: BTreeMap<String, String> = list
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(sum, name)| (name.to_owned(), sum.to_owned()))
        .collect();
    let found = files(folder)?;
    if expected.is_empty() {
        return Err("its list of files is empty".to_owned());
    }
    for (name, sum) in &expected {
        match found.get(name) {
            None => return Err(format!("{name} is missing")),
            Some(there) if there != sum => return Err(format!("{name} was changed")),
            Some(_) => {}
        }
    }
    match found.keys().find(|name| !expected.contains_key(*name)) {
        Some(name) => Err(format!("{name} does not belong to it")),
        None => Ok(Checksum::of(list.as_bytes()).to_string()),
    }
}

/// The files in a folder and their checksums, without the list. A link is none.
fn files(folder: &Path) -> Result<BTreeMap<String, String>, String> {
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == LIST {
            continue;
        }
        if !entry.file_type().map_err(failed)?.is_file() {
            return Err(format!("{name} is no file"));
        }
        let content = fs::read(entry.path()).map_err(failed)?;
        found.insert(name, Checksum::default().with_words(&content).to_string());
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::Scratch;

    #[test]
    fn whatever_is_changed_is_noticed() {
        let scratch = Scratch::new("sealed").unwrap();
        let folder = scratch.path();
        let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
        let wrong = || verify(folder).unwrap_err();
        write("libstd.rlib", "a library");
        write("libcore.rlib", "another one");
        assert!(wrong().contains("cannot read the list of the shim's files"), "{}", wrong());
        let fingerprint = seal(folder).unwrap();
        assert_eq!(verify(folder), Ok(fingerprint.clone()));
        for text in ["a library!", "a librarz", "a librar", ""] {
            write("libstd.rlib", text);
            assert_eq!(wrong(), "libstd.rlib was changed");
        }
        fs::remove_file(folder.join("libstd.rlib")).unwrap();
        assert_eq!(wrong(), "libstd.rlib is missing");
        std::os::unix::fs::symlink(folder.join("libcore.rlib"), folder.join("libstd.rlib")).unwrap();
        assert_eq!(wrong(), "libstd.rlib is no file");
        fs::remove_file(folder.join("libstd.rlib")).unwrap();
        write("libstd.rlib", "a library");
        write("libmore.rlib", "");
        assert_eq!(wrong(), "libmore.rlib does not belong to it");
        fs::remove_file(folder.join("libmore.rlib")).unwrap();
        assert_eq!(verify(folder), Ok(fingerprint));
        write("checksums", "");
        assert_eq!(wrong(), "its list of files is empty");
    }
}
