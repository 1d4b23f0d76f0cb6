use super::temporary::{is_foreign, own_folder, user};
use super::*;
use std::os::unix::fs::{PermissionsExt, symlink};

/// A folder of a test, removed when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("raddle-store-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir(&folder).unwrap();
        Folder(folder)
    }
    fn names(&self) -> Vec<String> {
        let listed = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> =
            listed.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn mode(path: &Path) -> u32 {
    std::fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
}

/// Every call fails once, with and without a file that was there before.
#[test]
fn whatever_fails_the_old_file_or_the_new_one_is_there_and_nothing_else() {
    for before in [None, Some("old")] {
        let mut positions = 0;
        loop {
            let folder = Folder::new("faults");
            let path = folder.0.join("a.json");
            if let Some(before) = before {
                std::fs::write(&path, before).unwrap();
            }
            let mut disk = FailingDisk::new(Fault::Full, positions + 1);
            let done = write_to(&mut disk, &path, "ticket", b"a new one");
            let there = std::fs::read_to_string(&path).ok();
            if done.is_ok() {
                assert_eq!((there.as_deref(), disk.calls()), (Some("a new one"), positions));
                break;
            }
            positions += 1;
            let message = done.unwrap_err();
            assert!(message.starts_with("the ticket could not be written to "), "{message}");
            assert!(message.contains("a.json: No space left on device"), "{message}");
            let is_renamed = positions == 6;
            assert_eq!(there.as_deref(), if is_renamed { Some("a new one") } else { before });
            let expected = if there.is_some() { vec!["a.json".to_owned()] } else { Vec::new() };
            assert_eq!(folder.names(), expected, "call {positions} failed");
        }
        assert_eq!(positions, 6, "make_folder, create, write, sync, rename, sync_folder");
    }
}

#[test]
fn files_and_folders_are_for_their_owner() {
    let folder = Folder::new("mode");
    let path = folder.0.join("new/a.json");
    write(&path, "ticket", b"{}").unwrap();
    assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    assert_eq!(read(&path, "ticket").unwrap(), "{}");
}

#[test]
fn no_link_is_followed() {
    let folder = Folder::new("link");
    let (other, path) = (folder.0.join("precious"), folder.0.join("a.json"));
    std::fs::write(&other, "precious").unwrap();
    symlink(&other, &path).unwrap();
    write(&path, "ticket", b"{}").unwrap();
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "precious");
    assert!(std::fs::symlink_metadata(&path).unwrap().is_file());
    let partial = folder.0.join("b.json.1.0.partial");
    symlink(&other, &partial).unwrap();
    let error = System.create(&partial).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
}

#[test]
fn the_own_folder_is_no_link_and_of_no_other_user() {
    let shared = Folder::new("shared");
    let user = user();
    let folder = own_folder(&shared.0, user).unwrap();
    assert_eq!((own_folder(&shared.0, user).unwrap(), mode(&folder)), (folder.clone(), 0o700));
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o777)).unwrap();
    own_folder(&shared.0, user).unwrap();
    assert_eq!(mode(&folder), 0o700);
    let refused = |user: u32| own_folder(&shared.0, user).unwrap_err();
    let link = shared.0.join(format!("raddle-{}", user + 1));
    symlink(&folder, &link).unwrap();
    assert!(refused(user + 1).contains("is not a folder of this user"));
    std::fs::create_dir(shared.0.join(format!("raddle-{}", user + 2))).unwrap();
    assert!(refused(user + 2).contains("is not a folder of this user"));
    let others = shared.0.join("shared");
    std::fs::create_dir_all(others.join("raddle")).unwrap();
    assert!(!is_foreign(&others.join("raddle"), user + 1), "only its owner can write there");
    std::fs::set_permissions(&others, std::fs::Permissions::from_mode(0o777)).unwrap();
    assert!(is_foreign(&others.join("raddle"), user + 1) && !is_foreign(&others.join("raddle"), user));
    let missing = own_folder(&shared.0.join("missing"), user).unwrap_err();
    assert!(missing.contains("is not there; TMPDIR says which it is"), "{missing}");
}

#[test]
fn what_a_killed_process_left_is_removed_and_what_another_one_writes_is_not() {
    let folder = Folder::new("killed");
    let path = folder.0.join("a.json");
    let ours = format!("a.json.{}.77.partial", std::process::id());
    // No process has so high a number.
    for name in ["a.json.999999999.3.partial", &ours, "b.json.999999999.3.partial", "a.json.x.3.partial"] {
        std::fs::write(folder.0.join(name), "half").unwrap();
    }
    write(&path, "ticket", b"{}").unwrap();
    let mut left = ["a.json", &ours, "a.json.x.3.partial", "b.json.999999999.3.partial"];
    left.sort_unstable();
    assert_eq!(folder.names(), left);
}

#[test]
fn what_is_no_text_or_never_ends_is_refused() {
    let folder = Folder::new("bytes");
    let path = folder.0.join("a.json");
    std::fs::write(&path, [0xff, 0xfe]).unwrap();
    let error = read(&path, "ticket").unwrap_err();
    assert!(error.starts_with("cannot read the ticket ") && error.ends_with("it is not text"), "{error}");
    File::create(&path).unwrap().set_len(LARGEST_FILE + 1).unwrap();
    let error = read(&path, "ticket").unwrap_err();
    assert!(error.ends_with("it has more than 1024 MB"), "{error}");
    let error = read(&folder.0, "ticket").unwrap_err();
    assert!(error.starts_with("cannot read the ticket "), "{error}");
    let error = read(&folder.0.join("missing"), "search").unwrap_err();
    assert!(error.starts_with("cannot read the search "), "{error}");
    assert!(write(Path::new("/"), "ticket", b"").unwrap_err().contains("it is no file"));
}

#[test]
fn what_is_temporary_is_new_and_for_its_owner() {
    let name = format!("scratch{}", std::process::id());
    let scratch = Scratch::new(&name).unwrap();
    let (path, parent) = (scratch.path().to_path_buf(), temporary_folder().unwrap());
    assert_eq!((mode(&path), path.parent()), (0o700, Some(parent.as_path())));
    let abandoned = parent.join(format!("{name}.999999999.3.temporary"));
    std::fs::create_dir(&abandoned).unwrap();
    let another = Scratch::new(&name).unwrap();
    assert!(another.path() != path && path.exists() && !abandoned.exists());
    drop((scratch, another));
    assert!(!path.exists());
    let mut file = unnamed_file().unwrap();
    file.write_all(b"text").unwrap();
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_lock_is_no_link_and_a_new_file_replaces_none() {
    let folder = Folder::new("lock");
    let (other, link) = (folder.0.join("precious"), folder.0.join("lock"));
    std::fs::write(&other, "precious").unwrap();
    symlink(&other, &link).unwrap();
    assert!(lock_file(&link).is_err() && lock_file(&folder.0.join("new")).is_ok());
    symlink(folder.0.join("nowhere"), folder.0.join("dangling")).unwrap();
    for path in [&link, &other, &folder.0.join("dangling")] {
        let error = create(path, "test", "content").unwrap_err();
        assert!(error.starts_with("the test could not be written to "), "{error}");
    }
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "precious");
    assert!(!folder.0.join("nowhere").exists());
    create(&folder.0.join("new.rs"), "test", "content").unwrap();
    make_folder(&folder.0.join("a/b")).unwrap();
    assert_eq!(mode(&folder.0.join("a/b")), 0o700);
}
