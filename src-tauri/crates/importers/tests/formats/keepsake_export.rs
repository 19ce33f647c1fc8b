//! A folder that Keepsake exported. The importer of Keepsake JSONL reads its messages; this module adds only its other files.

use std::fs;

use expect_test::expect;
use keepsake_domain::SourceKind;
use keepsake_importers::{LeftOutReason, look_through};

use crate::{check, files_of, fixture, zip_of};

#[test]
fn an_export_of_keepsake_gives_its_messages() {
    check(
        &fixture("keepsake-export"),
        None,
        expect![[r##"
        # c1 “Ana” whatsapp c1 private
        m1 2026-01-05T10:00:00Z Ewa <+48000> owner {"is_private":false,"message_type":"text","is_branch":false}: Pszczoły śpią w ulu.
        m2 2026-01-05T10:01:00Z Ana <+48001> person file reply-to=m1 private {"is_private":true,"message_type":"file","is_branch":false}: photo.jpg
    "##]],
    );
}

#[test]
fn the_other_parts_of_an_export_are_listed_as_such_in_a_folder_and_in_a_zip() {
    let folder = tempfile::tempdir().unwrap();
    let zip = folder.path().join("export.zip");
    fs::write(&zip, zip_of(&files_of(&fixture("keepsake-export")), "keepsake 2026/")).unwrap();
    for (path, within) in [(fixture("keepsake-export"), ""), (zip, "keepsake 2026/")] {
        let found = look_through(&path).unwrap();
        assert_eq!(
            found.exports.iter().map(|export| (export.kind, export.files)).collect::<Vec<_>>(),
            [(SourceKind::KeepsakeJsonl, 1)]
        );
        let left_out: Vec<_> = found.left_out.iter().map(|file| (file.path.clone(), file.reason)).collect();
        let part = LeftOutReason::KeepsakePart;
        let expect = [
            ("README.md", part),
            ("data/agents.jsonl", part),
            ("data/memories.jsonl", part),
            ("data/settings.jsonl", LeftOutReason::Empty),
            ("keepsake-export.json", part),
            ("markdown/conversations/ana.md", part),
        ];
        assert_eq!(left_out, expect.map(|(name, reason)| (format!("{within}{name}"), reason)));
    }
}

#[test]
fn without_its_list_a_folder_is_no_export_and_each_file_stands_for_itself() {
    let found = look_through(&fixture("keepsake-export/data")).unwrap();
    assert_eq!(found.exports.len(), 1, "the row that looks like a message");
    assert!(found.left_out.iter().all(|file| file.reason != LeftOutReason::KeepsakePart));
}
