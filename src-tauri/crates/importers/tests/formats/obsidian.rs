//! Obsidian vaults.

use expect_test::expect;
use keepsake_importers::LeftOutReason;

use super::*;
use crate::memories::cells;

pub(crate) fn format() -> Format {
    Format {
        name: "Obsidian",
        kind: SourceKind::Obsidian,
        export: "obsidian/vault",
        grown: "obsidian/grown/vault",
        me: None,
        cells: cells(vec![
            cell(Feature::Author, Outcome::Read, |all| {
                all.saying("Planted heather")
                    .is_some_and(|note| note.author.role == Role::Owner && note.message_type == MessageType::File)
            }),
            cell(Feature::Time, Outcome::Read, |all| {
                all.saying("20 °C").is_some_and(|note| note.time_certainty == TimeCertainty::Exact)
            }),
            cell(Feature::Edit, Outcome::Kept, |all| {
                all.saying("20 °C").is_some_and(|note| note.metadata["edited_at"] == "2026-01-04")
            }),
            cell(Feature::Deletion, Outcome::LeftOut, |all| {
                all.skipped(SkipReason::Deleted) && all.saying("was deleted").is_none()
            }),
            cell(Feature::Forward, Outcome::Read, |all| {
                all.saying("Bees dance").is_some_and(|note| {
                    note.message_type == MessageType::Forward && note.metadata["forwarded_from"] == "Ines Example, Otto Example"
                })
            }),
            cell(Feature::Attachment, Outcome::Kept, |all| {
                all.saying("20 °C").is_some_and(|note| note.metadata["attachments"].to_string().contains("hive plan.png"))
            }),
            cell(Feature::Bot, Outcome::Read, |all| {
                all.saying("queen is two").is_some_and(|note| note.author.role == Role::Assistant)
            }),
        ]),
    }
}

#[test]
fn a_vault_gives_its_notes() {
    check(
        &fixture("obsidian/vault"),
        None,
        expect![[r##"
            # vault/ “vault” obsidian vault/ private
            Home.md 2026-01-01T00:00:00 inferred User <user> owner file {"path":"Home.md","links":["Bees","Projects/Bees","Tagebuch/2026/2026-01-05"]}: Home\n\n# Home\n\nEverything about the [[Bees|hives]] and the [[Projects/Bees#Winter|winter]].\n\n> [!tip] Start here\n> See [[Tagebuch/2026/2026-01-05]].
            # vault/Journal “Journal” obsidian vault/Journal private
            Journal/Thursday, January 8th 2026.md 2026-01-08T00:00:00 inferred User <user> owner file {"path":"Journal/Thursday, January 8th 2026.md"}: Thursday, January 8th 2026\n\nA daily note of a plugin.
            # vault/Projects “Projects” obsidian vault/Projects private
            Projects/Broken letters.md 2026-01-01T00:00:00 inferred User <user> owner file {"path":"Projects/Broken letters.md"}: Broken letters\n\nCaf� in another encoding.
            Projects/From the assistant.md 2026-01-01T00:00:00 inferred basic-memory <basic-memory> assistant notice {"path":"Projects/From the assistant.md","properties":{"title":"Hive inspection","type":"note","permalink":"projects/hive-inspection","tags":["bees"]},"tags":["bees"]}: From the assistant\n\n- [fact] The queen is two years old #bees
            Projects/Linked only.md 2026-01-01T00:00:00 inferred User <user> owner file {"path":"Projects/Linked only.md","properties":{"source":"https://example.org/x"}}: Linked only\n\nMy own words about a page.
            Projects/Rule.md 2026-01-01T00:00:00 inferred User <user> owner file {"path":"Projects/Rule.md"}: Rule\n\n---\n\nA text below a rule, without properties.
            Projects/Undated.md 2026-01-01T00:00:00 inferred User <user> owner file {"path":"Projects/Undated.md"}: Undated\n\nNothing says when.\nSecond line.
            Projects/“Quotes” & ünïcode.md 2026-01-01T00:00:00 inferred User <user> owner file {"path":"Projects/“Quotes” & ünïcode.md"}: “Quotes” & ünïcode\n\nNazwa z cudzysłowem.
            Projects/Bees.md 2026-01-02T09:15:00Z User <user> owner file {"path":"Projects/Bees.md","edited_at":"2026-01-04","properties":{"title":"Beekeeping","aliases":["Hives","The \"girls\""],"tags":["hobby","bees/winter"],"created":"2026-01-02T10:15:00+01:00","updated":"2026-01-04","rating":"5","owner":"name: Ewa"},"tags":["hobby","bees/winter","Ökologie"],"links":["Home"],"attachments":[{"name":"hive plan.png"},{"name":"img/My hive.jpg"}]}: Bees\n\n## Winter\n\nŻółć i pszczoły: they cluster at 20 °C. #hobby #Ökologie\n\n![[hive plan.png|300]] and ![photo](img/My%20hive.jpg)\n\n```python\n# [[not a link]] #nottag\nfeed = "syrup"\n```\n\nAsk `[[code]]` or [[Home]].
            Projects/Clipped article.md 2026-01-03T00:00:00 inferred User <user> owner forward {"path":"Projects/Clipped article.md","forwarded_from":"Ines Example, Otto Example","properties":{"title":"How bees dance","source":"https://example.org/dance","author":["[[Ines Example]]","Otto Example"],"published":"2025-12-01","created":"2026-01-03","tags":["clippings"]},"tags":["clippings"]}: Clipped article\n\nBees dance to tell where flowers are.
            Projects/202601051430 Hive.md 2026-01-05T14:30:00 local User <user> owner file {"path":"Projects/202601051430 Hive.md"}: 202601051430 Hive\n\nA note with the digits of a slip box.
            Projects/Linter.md 2026-01-05T21:03:11 local User <user> owner file {"path":"Projects/Linter.md","edited_at":"Tuesday, January 6th 2026, 7:00:00 am","properties":{"date created":"Monday, January 5th 2026, 9:03:11 pm","date modified":"Tuesday, January 6th 2026, 7:00:00 am"}}: Linter\n\nDated by a plugin.
            # vault/Tagebuch/2026 “Tagebuch/2026” obsidian vault/Tagebuch/2026 private
            Tagebuch/2026/2026-01-05.md 2026-01-05T00:00:00 inferred User <user> owner file {"path":"Tagebuch/2026/2026-01-05.md","tags":["garden"]}: 2026-01-05\n\nPlanted heather with Ewa. #garden\n\n- [ ] order seeds\n- [x] feed the bees\n\n%% a remark that is not shown %%
            Tagebuch/2026/2026-01-06.md 2026-01-06T21:30:00 local User <user> owner file {"path":"Tagebuch/2026/2026-01-06.md","properties":{"created":"2026-01-06T21:30"}}: 2026-01-06\n\nQuiet day. The tagged time is that of the evening.
            Tagebuch/2026/2026-01-07.md 2026-01-07T00:00:00 inferred User <user> owner file {"path":"Tagebuch/2026/2026-01-07.md","properties":{"created":"2026-01-09T08:00:00+01:00"}}: 2026-01-07\n\nWritten two days later, about this day.
            skipped 1 malformed: Projects/Cut.md
            skipped 1 empty: Projects/Only properties.md
            skipped 2 not_a_message: Vorlagen/Tag.md
            skipped 1 deleted: Old plan.md
            skipped 1 other_kind: board.canvas
        "##]],
    );
}

#[test]
fn what_is_no_note_of_the_vault_is_listed_with_its_reason() {
    let found = look_through(&fixture("obsidian/vault")).unwrap();
    let left_out: Vec<_> = found.left_out.iter().map(|file| (file.path.as_str(), file.reason)).collect();
    let expect = [("Projects/board.canvas", LeftOutReason::Unknown), ("Projects/img/My hive.jpg", LeftOutReason::Media)];
    assert_eq!(left_out, expect);
    assert_eq!(found.exports.len(), 1);
}

#[test]
fn two_vaults_with_a_note_at_the_same_path_keep_both_and_one_vault_is_the_same_wherever_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let note = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    for (vault, text) in [("Home", "Bees need syrup."), ("Work", "The budget is late."), ("moved/Home", "Bees need syrup.")] {
        note(&format!("{vault}/.obsidian/app.json"), "{}");
        note(&format!("{vault}/Ideas/Today.md"), text);
        note(&format!("{vault}/Today.md"), text);
    }
    let ids = |vault: &str| read(&folder.path().join(vault), &options(None)).unwrap().ids();
    assert!(ids("Home").is_disjoint(&ids("Work")), "they are two");
    assert_eq!(ids("Home"), ids("moved/Home"), "a vault that was moved is the same");
    assert_eq!(ids("Home"), ids("Work/../Home/."), "however its path is written");
    let zip = folder.path().join("Home.zip");
    fs::write(&zip, zip_of(&files_of(&folder.path().join("Home")), "")).unwrap();
    assert_eq!(ids("Home"), ids("Home.zip"), "in a zip of its name too");
    fs::remove_dir_all(folder.path().join("moved")).unwrap();
    fs::remove_file(zip).unwrap();
    assert_eq!(ids("Home").union(&ids("Work")).cloned().collect::<BTreeSet<_>>(), ids(""), "both together in one folder");
}

#[test]
fn without_its_settings_a_folder_of_notes_is_no_vault() {
    let found = look_through(&fixture("obsidian/vault/Projects")).unwrap();
    assert_eq!(found.exports.iter().map(|export| export.kind).collect::<Vec<_>>(), [SourceKind::BasicMemory]);
}
