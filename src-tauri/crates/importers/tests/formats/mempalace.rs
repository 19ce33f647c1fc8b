//! Palaces of MemPalace.

use expect_test::expect;
use keepsake_domain::{Message, MessageType, Role, SourceKind, TimeCertainty};
use keepsake_importers::ImportError;

use crate::memories::cells;
use crate::{Cell, Feature, Format, Outcome, cell, check, fixture};

/// One of the forms of a palace. `has` lists its cells except the one for bots, which every form has.
fn palace(name: &'static str, export: &'static str, grown: &'static str, has: Vec<Cell>) -> Format {
    let bot = cell(Feature::Bot, Outcome::Read, |all| {
        let is_noted = |message: &Message| message.author.role == Role::Assistant && message.message_type == MessageType::Notice;
        all.messages.iter().all(is_noted)
    });
    let cells = cells(has.into_iter().chain([bot]).collect());
    Format { name, kind: SourceKind::MemPalace, export, grown, me: None, cells }
}

fn author() -> Cell {
    cell(Feature::Author, Outcome::Kept, |all| all.saying("Żółte").is_some_and(|drawer| drawer.metadata["added_by"] == "claude"))
}

fn local_time() -> Cell {
    cell(Feature::Time, Outcome::Read, |all| {
        all.saying("Where do bees").is_some_and(|drawer| drawer.time_certainty == TimeCertainty::LocalAssumed)
    })
}

pub(crate) fn lines() -> Format {
    let has = vec![author(), local_time()];
    palace("MemPalace, lines", "mempalace/garden.jsonl", "mempalace/garden-grown.jsonl", has)
}

pub(crate) fn pages() -> Format {
    palace("MemPalace, pages", "mempalace/garden.md", "mempalace/garden-grown.md", vec![author(), local_time()])
}

pub(crate) fn chroma() -> Format {
    let has = vec![author(), local_time()];
    palace("MemPalace, database of Chroma", "mempalace/chroma.sql", "mempalace/chroma-grown.sql", has)
}

pub(crate) fn exact() -> Format {
    let has = vec![local_time()];
    palace("MemPalace, database without Chroma", "mempalace/exact.sql", "mempalace/exact-grown.sql", has)
}

pub(crate) fn facts() -> Format {
    let time = cell(Feature::Time, Outcome::Read, |all| {
        all.saying("Ewa keeps").is_some_and(|fact| fact.time_certainty == TimeCertainty::Exact)
    });
    palace("MemPalace, graph of facts", "mempalace/facts.sql", "mempalace/facts-grown.sql", vec![time])
}

#[test]
fn facts_are_written_out() {
    check(
        &fixture("mempalace/facts.sql"),
        None,
        expect![[r##"
        # facts “Facts” mempalace facts private
        t5 2026-01-01T00:00:00 inferred MemPalace <mempalace> assistant notice: nobody listed likes heather
        t2 2026-01-04T10:00:00Z MemPalace <mempalace> assistant notice {"valid_to":"2024-12-31"}: Ewa lived in Łódź
        t1 2026-01-05T10:00:00Z MemPalace <mempalace> assistant notice {"valid_from":"2020-05-01"}: Ewa keeps bees
        skipped 2 missing_field: t3
    "##]],
    );
}

#[test]
fn lines_give_their_drawers() {
    check(
        &fixture("mempalace/garden.jsonl"),
        None,
        expect![[r##"
            # home/garden “home / garden” mempalace home/garden private
            drawer_home_garden_0b 2026-01-04T10:00:00 local MemPalace <mempalace> assistant notice {"added_by":"claude","chunk_index":1,"filed_at":"2026-01-04T10:00:00","room":"garden","source_file":"notes.md","wing":"home"}: Żółte kwiaty przy ulu.
            drawer_home_garden_0c 2026-01-04T10:00:00 inferred MemPalace <mempalace> assistant notice {"room":"garden","wing":"home"}: Without a time.
            drawer_home_garden_0a 2026-01-05T10:00:00 local MemPalace <mempalace> assistant notice {"added_by":"mempalace","chunk_index":0,"filed_at":"2026-01-05T10:00:00.123456","ingest_mode":"convos","room":"garden","source_file":"/home/ewa/chats/1.txt","wing":"home"}: > Where do bees sleep?\nIn the hive, at 20 °C.
            # unknown/general “unknown / general” mempalace unknown/general private
            drawer_unplaced 2026-01-04T10:00:00 inferred MemPalace <mempalace> assistant notice: In no room.
            skipped 1 malformed: ["not", "an object"]
            skipped 2 missing_field: has no id
            skipped 1 empty: drawer_home_garden_0d
            skipped 1 not_a_message: [registry] /home/ewa/empty.txt
        "##]],
    );
}

#[test]
fn pages_give_their_drawers() {
    check(
        &fixture("mempalace/garden.md"),
        None,
        expect![[r##"
            # home/garden “home / garden” mempalace home/garden private
            drawer_home_garden_0b 2026-01-04T10:00:00 local MemPalace <mempalace> assistant notice {"wing":"home","room":"garden","source_file":"notes.md","filed_at":"2026-01-04T10:00:00","added_by":"claude"}: Żółte kwiaty przy ulu.
            drawer_home_garden_0c 2026-01-04T10:00:00 inferred MemPalace <mempalace> assistant notice {"wing":"home","room":"garden"}: Without a time.
            drawer_home_garden_0a 2026-01-05T10:00:00 local MemPalace <mempalace> assistant notice {"wing":"home","room":"garden","source_file":"/home/ewa/chats/1.txt","filed_at":"2026-01-05T10:00:00","added_by":"mempalace"}: > Where do bees sleep?\nIn the hive, at 20 °C.\n\n## A heading in a drawer\n| Field | Value |
            skipped 1 malformed: drawer_cut
            skipped 1 empty: drawer_home_garden_0d
        "##]],
    );
}

#[test]
fn the_index_of_the_pages_is_no_drawer() {
    check(
        &fixture("mempalace/index"),
        None,
        expect![[r#"
        skipped 1 not_a_message: # Palace Export — 2026-01-05
    "#]],
    );
}

#[test]
fn a_database_of_chroma_gives_its_drawers() {
    check(
        &fixture("mempalace/chroma.sql"),
        None,
        expect![[r##"
            # unknown/general “unknown / general” mempalace unknown/general private
            drawer_unplaced 2026-01-01T00:00:00 inferred MemPalace <mempalace> assistant notice: In no room.
            # home/garden “home / garden” mempalace home/garden private
            drawer_home_garden_0b 2026-01-04T10:00:00 local MemPalace <mempalace> assistant notice {"added_by":"claude","filed_at":"2026-01-04T10:00:00","room":"garden","wing":"home"}: Żółte kwiaty przy ulu.
            drawer_home_garden_0a 2026-01-05T10:00:00 local MemPalace <mempalace> assistant notice {"chunk_index":0,"filed_at":"2026-01-05T10:00:00.123456","room":"garden","source_file":"/home/ewa/chats/1.txt","source_mtime":1767600000.5,"wing":"home"}: > Where do bees sleep?\nIn the hive, at 20 °C.
            # work/plans “work / plans” mempalace work/plans private
            drawer_work_plans_01 2026-01-03T10:00:00Z MemPalace <mempalace> assistant notice {"filed_at":"2026-01-03T10:00:00+00:00","room":"plans","wing":"work"}: Plan: sell honey
            skipped 3 missing_field: has no id
            skipped 1 not_a_message: closet_1
        "##]],
    );
}

#[test]
fn a_database_without_chroma_gives_its_drawers() {
    check(
        &fixture("mempalace/exact.sql"),
        None,
        expect![[r##"
            # home/garden “home / garden” mempalace home/garden private
            drawer_home_garden_0b 2026-01-04T10:00:00 local MemPalace <mempalace> assistant notice {"filed_at":"2026-01-04T10:00:00","room":"garden","wing":"home"}: Żółte kwiaty przy ulu.
            drawer_home_garden_0a 2026-01-05T10:00:00 local MemPalace <mempalace> assistant notice {"chunk_index":0,"filed_at":"2026-01-05T10:00:00","room":"garden","wing":"home"}: > Where do bees sleep?\nIn the hive, at 20 °C.
            # work/plans “work / plans” mempalace work/plans private
            drawer_work_plans_01 2026-01-03T10:00:00Z MemPalace <mempalace> assistant notice {"filed_at":"2026-01-03T10:00:00+00:00","room":"plans","wing":"work","tags":["a"]}: Plan: sell honey
            # unknown/general “unknown / general” mempalace unknown/general private
            drawer_broken 2026-01-04T10:00:00 inferred MemPalace <mempalace> assistant notice: Broken metadata.
            skipped 1 missing_field: has no id
            skipped 1 empty: drawer_empty
            skipped 1 not_a_message: closet_1
        "##]],
    );
}

#[test]
fn a_drawer_has_the_same_id_in_every_form() {
    let source = |name: &str| {
        let collect = crate::read(&fixture(name), &crate::options(None)).unwrap();
        collect.saying("Żółte").unwrap().source.clone()
    };
    for name in ["mempalace/garden.md", "mempalace/chroma.sql", "mempalace/exact.sql"] {
        assert_eq!(source(name), source("mempalace/garden.jsonl"), "{name}");
    }
}

#[test]
fn a_database_of_chroma_that_another_program_uses_is_no_palace() {
    let read = crate::read(&fixture("mempalace/other.sql"), &crate::options(None));
    assert!(matches!(read, Err(ImportError::Unknown { .. })));
}
