//! Memories of mem0.

use expect_test::expect;
use keepsake_domain::{MessageType, Role, SourceKind, TimeCertainty};
use keepsake_importers::SkipReason;

use crate::memories::cells;
use crate::{Feature, Format, Outcome, cell, check, fixture};

pub(crate) fn results() -> Format {
    Format {
        name: "mem0",
        kind: SourceKind::Mem0,
        export: "mem0/results.json",
        grown: "mem0/results-grown.json",
        me: None,
        cells: cells(vec![
            cell(Feature::Author, Outcome::Kept, |all| {
                all.saying("Lubi").is_some_and(|memory| memory.metadata["actor_id"] == "ewa" && memory.metadata["role"] == "user")
            }),
            cell(Feature::Time, Outcome::Read, |all| {
                all.saying("Lubi").is_some_and(|memory| memory.time_certainty == TimeCertainty::Exact)
            }),
            cell(Feature::Edit, Outcome::Kept, |all| {
                all.saying("Name is Ewa").is_some_and(|memory| memory.metadata.contains_key("edited_at"))
            }),
            cell(Feature::Disappearing, Outcome::LeftOut, |all| {
                all.skipped(SkipReason::Disappearing) && all.saying("Parking").is_none()
            }),
            cell(Feature::Bot, Outcome::Read, |all| {
                all.messages
                    .iter()
                    .all(|message| message.author.role == Role::Assistant && message.message_type == MessageType::Notice)
            }),
        ]),
    }
}

pub(crate) fn backup() -> Format {
    Format {
        name: "mem0, a backup of OpenMemory",
        kind: SourceKind::Mem0,
        export: "mem0/memories.json",
        grown: "mem0/memories-grown.json",
        me: None,
        cells: cells(vec![
            cell(Feature::Time, Outcome::Read, |all| {
                all.messages.iter().all(|memory| memory.time_certainty == TimeCertainty::Exact)
            }),
            cell(Feature::Edit, Outcome::Kept, |all| {
                all.saying("Sells").is_some_and(|memory| memory.metadata.contains_key("edited_at"))
            }),
            cell(Feature::Deletion, Outcome::LeftOut, |all| {
                all.skipped(SkipReason::Deleted) && all.saying("was deleted").is_none()
            }),
            cell(Feature::Bot, Outcome::Read, |all| {
                all.messages
                    .iter()
                    .all(|message| message.author.role == Role::Assistant && message.message_type == MessageType::Notice)
            }),
        ]),
    }
}

pub(crate) fn history() -> Format {
    Format {
        name: "mem0, its history",
        kind: SourceKind::Mem0,
        export: "mem0/history.sql",
        grown: "mem0/history-grown.sql",
        me: None,
        cells: cells(vec![
            cell(Feature::Time, Outcome::Read, |all| {
                all.saying("Lives in").is_some_and(|memory| memory.time_certainty == TimeCertainty::Exact)
            }),
            cell(Feature::Edit, Outcome::Kept, |all| {
                all.saying("three hives").is_some_and(|memory| memory.metadata.contains_key("edited_at"))
                    && all.skipped(SkipReason::Repeated)
            }),
            cell(Feature::Deletion, Outcome::LeftOut, |all| all.skipped(SkipReason::Deleted) && all.saying("A secret").is_none()),
            cell(Feature::Bot, Outcome::Read, |all| {
                all.messages
                    .iter()
                    .all(|message| message.author.role == Role::Assistant && message.message_type == MessageType::Notice)
            }),
        ]),
    }
}

#[test]
fn an_answer_of_the_interface_gives_its_memories() {
    check(
        &fixture("mem0/results.json"),
        None,
        expect![[r##"
        # user/ewa “What mem0 remembered of ewa” mem0 user/ewa private
        7f00-2 2026-01-04T10:00:00Z mem0 <mem0> assistant notice {"agent_id":"kitchen","actor_id":"ewa","role":"user","immutable":true}: Lubi miód wrzosowy
        7f00-1 2026-01-05T09:00:00Z mem0 <mem0> assistant notice {"edited_at":"2026-01-06T01:00:00-08:00","categories":["hobby","personal"],"metadata":{"category":"hobby"}}: Name is Ewa & keeps bees
        h-7f5c26faac371f3e 2026-01-05T11:00:00 local mem0 <mem0> assistant notice: Has no id
        # agent/gardener “What mem0 remembered of gardener” mem0 agent/gardener private
        7f00-3 2026-01-05T10:00:00Z mem0 <mem0> assistant notice {"agent_id":"gardener","run_id":"r1"}: Waters the garden at six
        # memories “What mem0 remembered” mem0 memories private
        5 2026-01-05T08:00:00Z mem0 <mem0> assistant notice: Belongs to nobody
        # user/7 “What mem0 remembered of 7” mem0 user/7 private
        7f00-10 2026-01-05T11:00:00 inferred mem0 <mem0> assistant notice: Has a time that is none
        skipped 2 malformed: 17
        skipped 2 missing_field: {    "id": "7f00-8",    "memory": [     "a list"    ],    "user_id": "ewa"   }
        skipped 1 empty: {    "id": "7f00-7",    "memory": "   ",    "created_at": null,    "user_id": "ewa"   }
        skipped 1 not_a_message: {    "source": "ewa",    "relationship": "keeps",    "target": "bees"   }
        skipped 1 disappearing: {    "id": "7f00-4",    "memory": "Parking ticket until Friday",    "created_at": "2026-01-05T10:00:00Z",    "user_id":…
    "##]],
    );
}

#[test]
fn a_list_gives_its_memories() {
    check(
        &fixture("mem0/list.json"),
        None,
        expect![[r##"
        # user/ewa “What mem0 remembered of ewa” mem0 user/ewa private
        7f00-2 2026-01-04T10:00:00Z mem0 <mem0> assistant notice {"agent_id":"kitchen","actor_id":"ewa","role":"user","immutable":true}: Lubi miód wrzosowy
        7f00-1 2026-01-05T09:00:00Z mem0 <mem0> assistant notice {"edited_at":"2026-01-06T01:00:00-08:00","categories":["hobby","personal"],"metadata":{"category":"hobby"}}: Name is Ewa & keeps bees
    "##]],
    );
}

#[test]
fn a_backup_gives_its_memories() {
    check(
        &fixture("mem0/memories.json"),
        None,
        expect![[r##"
            # user/ewa “What mem0 remembered of ewa” mem0 user/ewa private
            b-2 2026-01-04T10:00:00Z mem0 <mem0> assistant notice {"edited_at":"2026-01-06T10:00:00+00:00","app_id":"openmemory","state":"paused","metadata":{"from":"chat"}}: Sells honey
            b-1 2026-01-05T10:00:00Z mem0 <mem0> assistant notice {"app_id":"openmemory","state":"active","categories":["hobby"]}: Keeps bees
            skipped 1 deleted: {       "id": "b-3",       "user_id": "u-1",       "app_id": "a-1",       "content": "A memory that was deleted",      …
        "##]],
    );
}

#[test]
fn a_history_gives_each_memory_as_it_was_left() {
    check(
        &fixture("mem0/history.sql"),
        None,
        expect![[r##"
        # memories “What mem0 remembered” mem0 memories private
        m5 2026-01-01T00:00:00 inferred mem0 <mem0> assistant notice: Without a time
        m6 2026-01-01T00:00:00 inferred mem0 <mem0> assistant notice: 42
        <script> 2026-01-03T10:00:00 local mem0 <mem0> assistant notice: An id that is hostile
        m1 2026-01-05T09:00:00Z mem0 <mem0> assistant notice {"edited_at":"2026-01-07T01:00:00-08:00"}: Keeps three hives
        m2 2026-01-05T11:00:00Z mem0 <mem0> assistant notice: Lives in Łódź
        skipped 1 missing_field: Belongs to no memory
        skipped 2 empty: m4
        skipped 3 repeated: Keeps two hives
        skipped 1 not_a_message: I keep bees
        skipped 1 deleted: m3
    "##]],
    );
}

#[test]
fn a_list_and_an_answer_give_the_same_ids() {
    let ids = |name: &str| {
        let collect = crate::read(&fixture(name), &crate::options(None)).unwrap();
        collect.messages.iter().take(2).map(|message| (message.source.clone(), message.text.clone())).collect::<Vec<_>>()
    };
    assert_eq!(ids("mem0/list.json"), ids("mem0/results.json"));
}
