//! Notes of basic-memory.

use expect_test::expect;
use keepsake_domain::{MessageType, Role, SourceKind, TimeCertainty};

use crate::memories::cells;
use crate::{Feature, Format, Outcome, cell, check, fixture};

pub(crate) fn format() -> Format {
    Format {
        name: "basic-memory",
        kind: SourceKind::BasicMemory,
        export: "basic-memory/note.md",
        grown: "basic-memory/grown",
        me: None,
        cells: cells(vec![
            cell(Feature::Time, Outcome::Read, |all| all.messages.iter().all(|note| note.time_certainty == TimeCertainty::Exact)),
            cell(Feature::Edit, Outcome::Kept, |all| {
                all.messages.iter().all(|note| note.metadata["edited_at"] == "2026-01-06T10:00:00+00:00")
            }),
            cell(Feature::Bot, Outcome::Read, |all| {
                all.messages
                    .iter()
                    .all(|message| message.author.role == Role::Assistant && message.message_type == MessageType::Notice)
            }),
        ]),
    }
}

#[test]
fn a_note_keeps_its_text_and_its_statements() {
    check(
        &fixture("basic-memory/note.md"),
        None,
        expect![[r##"
        # pszczoły/ul-pod-lipa “Ul pod lipą” basic-memory pszczoły/ul-pod-lipa private
        pszczoły/ul-pod-lipa 2026-01-05T09:30:00Z basic-memory <basic-memory> assistant notice {"edited_at":"2026-01-06T10:00:00+00:00","observations":[{"category":"fact","text":"It has ten frames #hive","tags":["hive"],"context":"counted in autumn"},{"category":"preference","text":"Prefers heather honey"},{"category":"idea","text":"paint it blue #colour #spring","tags":["colour","spring"]}],"relations":[{"type":"part_of","to":"Ogród"},{"type":"belongs to","to":"Ewa Example","context":"since 2024"}],"properties":{"title":"Ul pod lipą","type":"note","permalink":"pszczoły/ul-pod-lipa","tags":["bees","winter"],"created":"2026-01-05T09:30:00+00:00","modified":"2026-01-06T10:00:00+00:00"}}: # Ul pod lipą\n\nThe hive below the lime tree, as told on 5 January.\n\n## Observations\n- [fact] It has ten frames #hive (counted in autumn)\n- [preference] Prefers heather honey\n- [ ] buy frames\n- [00:12:30] a time in a transcript\n- [ idea ] paint it blue #colour #spring\n- [link](https://example.org)\n\n## Relations\n- part_of [[Ogród]]\n- "belongs to" [[Ewa Example]] (since 2024)\n- see also the [[Old hive]] and others\n\n```\n- [code] is kept and read as no observation\n```
    "##]],
    );
}

#[test]
fn more_notes_are_conversations_of_their_own() {
    check(
        &fixture("basic-memory/grown"),
        None,
        expect![[r##"
        # pszczoły/ul-pod-lipa “Ul pod lipą” basic-memory pszczoły/ul-pod-lipa private
        pszczoły/ul-pod-lipa 2026-01-05T09:30:00Z basic-memory <basic-memory> assistant notice {"edited_at":"2026-01-06T10:00:00+00:00","observations":[{"category":"fact","text":"It has ten frames #hive","tags":["hive"],"context":"counted in autumn"},{"category":"preference","text":"Prefers heather honey"},{"category":"idea","text":"paint it blue #colour #spring","tags":["colour","spring"]},{"category":"fact","text":"A new queen since March"}],"relations":[{"type":"part_of","to":"Ogród"},{"type":"belongs to","to":"Ewa Example","context":"since 2024"}],"properties":{"title":"Ul pod lipą","type":"note","permalink":"pszczoły/ul-pod-lipa","tags":["bees","winter"],"created":"2026-01-05T09:30:00+00:00","modified":"2026-01-06T10:00:00+00:00"}}: # Ul pod lipą\n\nThe hive below the lime tree, as told on 5 January.\n\n## Observations\n- [fact] It has ten frames #hive (counted in autumn)\n- [preference] Prefers heather honey\n- [ ] buy frames\n- [00:12:30] a time in a transcript\n- [ idea ] paint it blue #colour #spring\n- [link](https://example.org)\n\n## Relations\n- part_of [[Ogród]]\n- "belongs to" [[Ewa Example]] (since 2024)\n- see also the [[Old hive]] and others\n\n```\n- [code] is kept and read as no observation\n```\n\n- [fact] A new queen since March
        # second “Second” basic-memory second private
        second 2026-01-01T00:00:00 inferred basic-memory <basic-memory> assistant notice {"properties":{"title":"Second","type":"note","permalink":"second"}}: Another note, without a time.
    "##]],
    );
}

#[test]
fn a_note_without_text_is_counted() {
    check(
        &fixture("basic-memory/empty"),
        None,
        expect![[r#"
        skipped 1 empty: nothing
    "#]],
    );
}
