//! Tests that plans are carried out in temporary folders: permissions, links, backups, and every condition that must prevent a
//! write.

use tempfile::TempDir;

use super::*;
use crate::Client;
use crate::plan::FileChange;

/// 2026-10-28T12:30:00Z.
const NOW: Timestamp = Timestamp(1_793_190_600_000);

const STAMP: &str = "20261028T123000Z";

fn change(path: &Path, before: Option<&str>, after: Option<&str>) -> FileChange {
    FileChange { path: path.to_owned(), before: before.map(str::to_owned), after: after.map(str::to_owned), replaces: None }
}

fn plan(changes: Vec<FileChange>) -> Plan {
    Plan { client: Client::Zed, changes, notes: Vec::new(), may_replace: false }
}

fn names(folder: &TempDir) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_file_is_replaced_and_what_it_was_is_beside_it() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("settings.json");
    fs::write(&path, "old").unwrap();
    let backup = folder.path().join(format!("settings.json.keepsake-backup-{STAMP}"));
    let written = apply(&plan(vec![change(&path, Some("old"), Some("new"))]), NOW).unwrap();
    assert_eq!(written, [Written { path: path.clone(), backup: Some(backup.clone()) }]);
    assert_eq!([fs::read_to_string(&path).unwrap(), fs::read_to_string(&backup).unwrap()], ["new", "old"]);
    // A second backup within the same second gets another name.
    let written = apply(&plan(vec![change(&path, Some("new"), None)]), NOW).unwrap();
    assert_eq!(written[0].backup.as_deref(), Some(&*folder.path().join(format!("settings.json.keepsake-backup-{STAMP}-2"))));
    assert!(!path.exists(), "a file that holds nothing goes");
    assert_eq!(names(&folder).len(), 2, "no temporary file is left");
}

#[test]
fn a_new_file_comes_with_its_folders_and_without_a_backup() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a/b/mcp.json");
    let written = apply(&plan(vec![change(&path, None, Some("new"))]), NOW).unwrap();
    assert_eq!(written, [Written { path: path.clone(), backup: None }]);
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
}

#[cfg(unix)]
#[test]
fn permissions_stay_and_the_backup_has_the_same() {
    use std::os::unix::fs::PermissionsExt;
    let check = |mode: u32| {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("f");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let written = apply(&plan(vec![change(&path, Some("old"), Some("new"))]), NOW).unwrap();
        for file in [Some(path), written[0].backup.clone()].into_iter().flatten() {
            assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, mode, "{}", file.display());
        }
    };
    check(0o600);
    check(0o644);
    check(0o755);
}

#[cfg(unix)]
#[test]
fn a_link_stays_and_its_target_is_written() {
    let check = |links: &[(&str, &str)], name: &str, target: &str, before: Option<&str>, after: Option<&str>| {
        let folder = TempDir::new().unwrap();
        fs::create_dir(folder.path().join("dots")).unwrap();
        if let Some(before) = before {
            fs::write(folder.path().join(target), before).unwrap();
        }
        for (name, to) in links {
            std::os::unix::fs::symlink(to, folder.path().join(name)).unwrap();
        }
        let path = folder.path().join(name);
        apply(&plan(vec![change(&path, before, after)]), NOW).unwrap();
        assert!(fs::symlink_metadata(&path).unwrap().is_symlink(), "{name}");
        assert_eq!(fs::read_to_string(folder.path().join(target)).unwrap(), after.unwrap_or_default());
        let backups = names(&folder).iter().filter(|name| name.contains("keepsake-backup")).count();
        assert_eq!(backups, usize::from(before.is_some()), "the backup is beside the link, not among the dotfiles");
    };
    check(&[("f", "dots/f")], "f", "dots/f", Some("old"), Some("new"));
    check(&[("f", "g"), ("g", "dots/f")], "f", "dots/f", Some("old"), Some("new"));
    check(&[("f", "dots/f")], "f", "dots/f", None, Some("new"));
    check(&[("f", "dots/f")], "f", "dots/f", Some("old"), None);
}

#[test]
fn what_must_not_be_written_is_left_as_it_is() {
    let check = |before: Option<&str>, prepare: &dyn Fn(&Path), expect: &dyn Fn(PathBuf) -> ConnectError| {
        let folder = TempDir::new().unwrap();
        let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
        fs::write(&first, "one").unwrap();
        prepare(&second);
        let left = read_file(&second);
        let changes = vec![change(&first, Some("one"), Some("1")), change(&second, before, Some("2"))];
        assert_eq!(apply(&plan(changes), NOW).unwrap_err(), expect(second.clone()));
        assert_eq!(fs::read_to_string(&first).unwrap(), "one", "the other file of the plan is as it was");
        assert_eq!(read_file(&second).ok(), left.ok());
    };
    let write = |text: &'static str| move |path: &Path| fs::write(path, text).unwrap();
    check(Some("two"), &write("three"), &|path| ConnectError::Changed { path });
    check(None, &write("came"), &|path| ConnectError::Changed { path });
    check(Some("two"), &|_| {}, &|path| ConnectError::Changed { path });
    let protect = |path: &Path| {
        fs::write(path, "two").unwrap();
        let mut permissions = fs::metadata(path).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(path, permissions).unwrap();
    };
    check(Some("two"), &protect, &|path| ConnectError::Protected { path });
}

#[test]
fn a_failure_in_the_middle_puts_the_files_before_it_back() {
    let folder = TempDir::new().unwrap();
    let first = folder.path().join("first");
    fs::write(&first, "one").unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    let fresh = folder.path().join("fresh");
    // A folder cannot be created where a file exists.
    let impossible = folder.path().join("file/below");
    let changes = vec![
        change(&first, Some("one"), Some("1")),
        change(&fresh, None, Some("2")),
        FileChange { path: impossible, before: None, after: Some("3".to_owned()), replaces: None },
    ];
    assert!(apply(&plan(changes), NOW).is_err());
    assert_eq!(fs::read_to_string(&first).unwrap(), "one");
    assert!(!fresh.exists());
}

#[test]
fn somebody_elses_entry_is_replaced_only_with_consent() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("f");
    fs::write(&path, "old").unwrap();
    let change = FileChange { replaces: Some("npx".to_owned()), ..change(&path, Some("old"), Some("new")) };
    let plan = plan(vec![change]);
    assert_eq!(apply(&plan, NOW).unwrap_err(), ConnectError::WouldReplace { path: path.clone(), other: "npx".to_owned() });
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    apply(&plan.allow_replacing(), NOW).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
}
