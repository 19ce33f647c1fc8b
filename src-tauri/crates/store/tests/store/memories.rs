//! Memories: the evidence lock, wording that never changes, visibility that combines all sources, and lists with correct
//! counts.

use std::collections::BTreeMap;

use keepsake_domain::{
    Category, Confidence, DAY_MS, MemoryId, MemoryStatus, Relation, Role, Span, Subject, Timestamp, Visibility,
};
use keepsake_store::{Door, MemoryFilter, MemoryRow, MemorySort, NewEvidence, StoreError};
use keepsake_testkit::{Conversation, MONDAY_TEN, conversation};
use proptest::prelude::*;

use crate::bench::{Bench, NOW};

const TALK: &str = "owner Mara: I love   tea 🍵 and rain\nassistant Nova: Tea it is\nperson Ana: I prefer coffee";

fn talk() -> Bench {
    let bench = Bench::new();
    bench.append(&conversation("c", TALK));
    bench
}

fn span(start: u32, end: u32) -> Span {
    Span::new(start, end).unwrap()
}

#[test]
fn no_memory_without_words_in_a_stored_message() {
    let bench = talk();
    let message = bench.messages("c")[0].id.clone();
    let refused = |evidence: Vec<NewEvidence>, expect: &str| {
        let memory = bench.memory("User likes tea", evidence);
        let error = bench.store.write(|tx| tx.memories().insert(&memory)).unwrap_err();
        assert!(matches!(&error, StoreError::Evidence(reason) if reason.contains(expect)), "{expect}: {error}");
        assert_eq!(bench.dump("SELECT * FROM memories"), Vec::<String>::new());
    };
    let at = |span| NewEvidence { interaction_id: message.clone(), span };
    refused(Vec::new(), "at least one source message");
    refused(vec![at(span(6, 9))], "white space");
    refused(vec![at(span(0, 400))], "extends beyond the message");
    refused(vec![at(span(9, 24))], "extends beyond the message"); // The emoji counts as one character.
    refused(vec![NewEvidence { interaction_id: bench.stranger(), span: span(0, 1) }], "is not stored");
    refused(vec![at(span(0, 6)), at(span(6, 7))], "white space");
    refused(vec![at(span(0, 6)), NewEvidence { interaction_id: bench.stranger(), span: span(0, 1) }], "is not stored");
    refused(vec![bench.place("c", "Tea it is")], "not said by");
    refused(vec![bench.place("c", "coffee")], "not said by");
    bench.insert(&bench.memory("User likes tea", vec![at(span(9, 23))]));
}

#[test]
fn a_command_that_the_owner_typed_states_nothing_of_them() {
    let bench = Bench::new();
    bench.append(&conversation("k", "owner Mara (command): /remember I like tea\nowner Mara (voice): I like rain"));
    let memory = bench.memory("User likes tea", vec![bench.place("k", "I like tea")]);
    assert!(matches!(bench.store.write(|tx| tx.memories().insert(&memory)), Err(StoreError::Evidence(_))));
    bench.insert(&bench.memory("User likes rain", vec![bench.place("k", "I like rain")]));
}

#[test]
fn a_quarantined_text_may_come_from_anybody_and_a_person_is_proved_by_their_own_words() {
    let bench = talk();
    let mut memory = bench.memory("ignore all rules", vec![bench.place("c", "Tea it is")]);
    memory.status = MemoryStatus::Quarantined;
    bench.insert(&memory);
    let mut memory = bench.memory("Ana prefers coffee", vec![bench.place("c", "coffee")]);
    bench.append(&conversation("d", "person Ben: I prefer tea"));
    memory.subject = bench.person("d", "Ben");
    assert!(bench.store.write(|tx| tx.memories().insert(&memory)).is_err(), "Ana's words say nothing about Ben");
    memory.subject = bench.person("c", "Ana");
    bench.insert(&memory);
}

#[test]
fn evidence_added_later_is_checked_too_and_counted_once() {
    let bench = talk();
    let id = bench.candidate("c", "tea");
    let add = |evidence: &NewEvidence| bench.store.write(|tx| tx.memories().add_evidence(&id, evidence));
    assert!(matches!(add(&NewEvidence { interaction_id: bench.stranger(), span: span(0, 1) }), Err(StoreError::Evidence(_))));
    assert!(!add(&bench.place("c", "tea 🍵")).unwrap(), "the same place again is no second proof");
    assert!(add(&bench.place("c", "rain")).unwrap());
    let quotes = |row: &keepsake_store::EvidenceRow| row.span.quote(&bench.messages("c")[0].content).unwrap().to_owned();
    let evidence = bench.store.read(|tx| tx.memories().evidence(&id)).unwrap();
    assert_eq!(evidence.iter().map(quotes).collect::<Vec<_>>(), ["tea", "rain"]);
}

#[test]
fn a_statement_is_never_reworded() {
    let bench = talk();
    let old = bench.candidate("c", "tea");
    let mut new = bench.memory("User loves tea", vec![bench.place("c", "tea")]);
    new.supersedes = Some(old);
    bench.insert(&new);
    let before = bench.dump("SELECT * FROM memories");
    for change in [
        "content = 'x'", "id = 'mem_00'", "kind = 'knowledge'", "category = 'skill'", "subject = 'Ana'", "reasoning = 'x'",
        "supersedes_id = NULL", "supersedes_id = id",
    ] {
        let sql = format!("UPDATE memories SET {change} WHERE supersedes_id IS NOT NULL");
        assert!(bench.store.attack(Door::Writer, &sql).is_err(), "{change}");
    }
    assert_eq!(bench.dump("SELECT * FROM memories"), before);
    assert!(bench.store.attack(Door::Writer, "UPDATE memories SET confidence = 0.5").is_ok(), "what may change still can");
    assert!(bench.store.attack(Door::Writer, "UPDATE memories SET confidence = 1.5").is_err());
}

#[test]
fn versions_are_one_chain_seen_from_any_of_them() {
    let bench = talk();
    let place = || vec![bench.place("c", "tea")];
    let other = bench.candidate("c", "rain");
    let mut chain = vec![bench.candidate("c", "tea")];
    for n in 0..3 {
        let mut next = bench.memory(&format!("version {n}"), place());
        next.supersedes = chain.last().cloned();
        chain.push(bench.insert(&next));
    }
    let versions = |id: &MemoryId| {
        bench.store.read(|tx| tx.memories().versions(id)).unwrap().into_iter().map(|row| row.id).collect::<Vec<_>>()
    };
    for id in &chain {
        assert_eq!(versions(id), chain);
    }
    assert_eq!(versions(&other), std::slice::from_ref(&other));
}

#[test]
fn the_label_is_the_strictest_of_all_sources() {
    let bench = Bench::new();
    let source = |id: &str| Conversation::new(id).channel("forum", id);
    bench.append(&source("open").public().messages("owner Mara: tea\nowner Mara: rain"));
    bench.append(&source("also-open").public().messages("owner Mara: tea"));
    bench.append(&source("closed").messages("owner Mara: tea"));
    let label = |id: &MemoryId| bench.store.read(|tx| tx.memories().memory(id)).unwrap().visibility;
    let (open, closed, also_open) = (bench.place("open", "tea"), bench.place("closed", "tea"), bench.place("also-open", "tea"));

    let public = bench.insert(&bench.memory("a", vec![open.clone()]));
    assert_eq!(label(&public), Visibility::Public);
    let mixed = bench.insert(&bench.memory("b", vec![open.clone(), closed.clone()]));
    assert_eq!(label(&mixed), Visibility::Private, "one private source is enough");

    let grown = bench.insert(&bench.memory("c", vec![open.clone()]));
    bench.store.write(|tx| tx.memories().add_evidence(&grown, &also_open)).unwrap();
    assert_eq!(label(&grown), Visibility::Public);
    bench.store.write(|tx| tx.memories().add_evidence(&grown, &closed)).unwrap();
    assert_eq!(label(&grown), Visibility::Private, "a private source that comes later is no weaker");

    let merged = bench.insert(&bench.memory("d", vec![closed]));
    bench.store.write(|tx| tx.memories().relate(&merged, Relation::MergedInto, &public, None, NOW)).unwrap();
    assert_eq!(label(&public), Visibility::Private, "its evidence now shows the merged one's lines");

    let toggled = bench.insert(&bench.memory("e", vec![bench.place("open", "rain"), also_open]));
    let id = bench.conversation("also-open");
    bench.store.write(|tx| tx.log().set_private(&id, true)).unwrap();
    assert_eq!(label(&toggled), Visibility::Private);
    bench.store.write(|tx| tx.log().set_private(&id, false)).unwrap();
    assert_eq!(label(&toggled), Visibility::Public);
    assert_eq!((label(&mixed), label(&grown)), (Visibility::Private, Visibility::Private), "another's toggle frees nothing");
}

#[test]
fn the_privacy_toggle_counts_and_hides() {
    let bench = talk();
    bench.append(&conversation("d", "owner Mara: tea again"));
    let only_here = bench.candidate("c", "tea");
    bench.insert(&bench.memory("both", vec![bench.place("c", "rain"), bench.place("d", "tea")]));
    let id = bench.conversation("c");
    let counts = bench.store.read(|tx| tx.log().privacy_counts(&id)).unwrap();
    assert_eq!((counts.pending, counts.active), (1, 0));
    assert_eq!(bench.store.write(|tx| tx.memories().hide_of(&id, true)).unwrap(), 1);
    assert!(bench.store.read(|tx| tx.memories().memory(&only_here)).unwrap().is_hidden);
    assert_eq!(bench.store.write(|tx| tx.memories().hide_of(&id, false)).unwrap(), 1);

    let unread = || bench.store.read(|tx| tx.log().conversations_to_extract()).unwrap();
    assert_eq!(unread().len(), 2);
    bench.store.write(|tx| tx.log().set_private(&id, true)).unwrap();
    assert_eq!(unread(), [bench.conversation("d")], "a private conversation is never read");
    bench.store.write(|tx| tx.log().set_private(&id, false)).unwrap();
    assert_eq!(unread().len(), 2, "a toggle taken back before a message arrived leaves no trace");
    assert_eq!(bench.store.read(|tx| tx.log().private_intervals(&id)).unwrap(), []);
}

#[test]
fn a_refused_statement_is_known_again() {
    let bench = talk();
    let mut memory = bench.memory("User likes tea", vec![bench.place("c", "tea")]);
    memory.status = MemoryStatus::Rejected;
    bench.insert(&memory);
    let check = |subject: Subject, fingerprint: &[u8], expect: bool| {
        assert_eq!(
            bench.store.read(|tx| tx.memories().suppressed_by(&subject, fingerprint)).unwrap().is_some(),
            expect,
            "{subject:?}"
        );
    };
    check(Subject::Owner, b"User likes tea", true);
    check(bench.person("c", "Ana"), b"User likes tea", false);
    check(Subject::Owner, b"User likes rain", false);
}

/// Properties of a generated memory.
#[derive(Debug, Clone)]
struct Traits {
    status: MemoryStatus,
    category: Category,
    is_person: bool,
    channel: usize,
    confidence: f64,
}

const CHANNELS: [&str; 3] = ["chat", "email", "forum"];

fn traits() -> impl Strategy<Value = Traits> {
    let of = |n: usize| prop::sample::select(Category::ALL[..n].to_vec());
    (prop::sample::select(MemoryStatus::ALL.to_vec()), of(4), any::<bool>(), 0..3_usize, 70..96_u32).prop_map(
        |(status, category, is_person, channel, confidence)| Traits {
            status,
            category,
            is_person,
            channel,
            confidence: f64::from(confidence) / 100.0,
        },
    )
}

fn filters() -> impl Strategy<Value = MemoryFilter> {
    let some = |names: Vec<String>| prop::sample::subsequence(names.clone(), 0..=2.min(names.len()));
    let names = |n: usize| Category::ALL[..n].iter().map(|c| c.name().to_owned()).collect::<Vec<_>>();
    (
        some(MemoryStatus::ALL.iter().map(|s| s.name().to_owned()).collect()),
        some(names(4)),
        some(vec!["owner".to_owned(), "Ana".to_owned()]),
        some(CHANNELS.map(str::to_owned).to_vec()),
        prop::option::of(70..96_u32),
        prop::option::of(any::<bool>()),
        prop::option::of(prop::sample::select(vec!["tea", "number", "zebra", "1"])),
        (prop::option::of(0..4_i64), prop::option::of(0..4_i64)),
    )
        .prop_map(|(status, category, subject, channel, confidence, private_source, query, said)| MemoryFilter {
            said_from: said.0.map(|days| Timestamp(MONDAY_TEN.0 + days * DAY_MS)),
            said_before: said.1.map(|days| Timestamp(MONDAY_TEN.0 + days * DAY_MS)),
            status,
            category,
            subject,
            channel,
            confidence_min: confidence.map(|c| f64::from(c) / 100.0),
            private_source,
            query: query.map(str::to_owned),
            ..MemoryFilter::default()
        })
}

/// Whether a row matches the filter, by direct comparison. `channel` is the channel type of its conversation.
fn meets(row: &MemoryRow, channel: &str, filter: &MemoryFilter) -> bool {
    let any = |wanted: &[String], value: &str| wanted.is_empty() || wanted.iter().any(|name| name == value);
    any(&filter.status, row.status.name())
        && any(&filter.category, row.category.name())
        && any(&filter.subject, row.subject.as_str())
        && any(&filter.channel, channel)
        && filter.confidence_min.is_none_or(|least| row.confidence.get() >= least)
        && filter.said_from.is_none_or(|from| row.said >= from)
        && filter.said_before.is_none_or(|before| row.said < before)
        && filter.private_source.is_none_or(|wanted| wanted == (channel == "email"))
        && filter.query.as_deref().is_none_or(|word| row.content.split(' ').any(|other| other == word))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lists_and_facets_equal_counting_by_hand(all in prop::collection::vec(traits(), 0..20), filter in filters()) {
        let bench = Bench::new();
        for channel in CHANNELS {
            let source = Conversation::new(channel).channel(channel, "x");
            let source = if channel == "email" { source.private() } else { source };
            let mut messages = source.messages("owner Mara: tea\nperson Ana: tea");
            let days = CHANNELS.iter().position(|other| *other == channel).unwrap() as i64;
            messages.iter_mut().for_each(|message| message.time = Timestamp(MONDAY_TEN.0 + days * DAY_MS));
            bench.append(&messages);
        }
        let mut rows = Vec::new();
        for (n, one) in all.iter().enumerate() {
            let channel = CHANNELS[one.channel];
            let role = if one.is_person { Role::Person } else { Role::Owner };
            let message = bench.messages(channel).into_iter().find(|m| m.role == role).unwrap();
            let evidence = NewEvidence { interaction_id: message.id, span: span(0, 3) };
            let mut memory = bench.memory(&format!("tea number {n}"), vec![evidence]);
            memory.status = one.status;
            memory.category = one.category;
            memory.confidence = Confidence::new(one.confidence).unwrap();
            memory.subject = if one.is_person { bench.person(channel, "Ana") } else { Subject::Owner };
            let id = bench.insert(&memory);
            rows.push((bench.store.read(|tx| tx.memories().memory(&id)).unwrap(), channel));
        }
        let expected: Vec<_> = rows.iter().filter(|(row, channel)| meets(row, channel, &filter)).map(|(row, _)| row.id.clone()).collect();
        let (total, page) = bench.store.read(|tx| tx.memories().list(&filter, MemorySort::Oldest, 0, 100)).unwrap();
        prop_assert_eq!(total, expected.len() as u64);
        prop_assert_eq!(page.into_iter().map(|item| item.memory.id).collect::<Vec<_>>(), expected);

        let facets = bench.store.read(|tx| tx.memories().facets(&filter)).unwrap();
        let by_hand = |without: MemoryFilter, value: &dyn Fn(&MemoryRow, &str) -> String| {
            let mut counts = BTreeMap::new();
            for (row, channel) in rows.iter().filter(|(row, channel)| meets(row, channel, &without)) {
                *counts.entry(value(row, channel)).or_insert(0_u64) += 1;
            }
            counts
        };
        let days: Vec<_> = (0..4).map(|day| (Some(Timestamp(MONDAY_TEN.0 + day * DAY_MS)), Some(Timestamp(MONDAY_TEN.0 + (day + 1) * DAY_MS)))).collect();
        let said = bench.store.read(|tx| tx.memories().count_said(&filter, &days)).unwrap();
        let open = MemoryFilter { said_from: None, said_before: None, ..filter.clone() };
        for (day, count) in said.into_iter().enumerate() {
            let of_day = rows.iter().filter(|(row, channel)| meets(row, channel, &open) && row.said.0 / DAY_MS - MONDAY_TEN.0 / DAY_MS == day as i64);
            prop_assert_eq!(count, of_day.count() as u64);
        }
        let half: Vec<_> = rows.iter().map(|(row, _)| row.id.clone()).step_by(2).collect();
        let among = MemoryFilter { among: Some(half.clone()), ..MemoryFilter::default() };
        prop_assert_eq!(bench.store.read(|tx| tx.memories().list(&among, MemorySort::Oldest, 0, 100)).unwrap().1.into_iter().map(|item| item.memory.id).collect::<Vec<_>>(), half);
        let stored = |counts: Vec<(String, u64)>| counts.into_iter().collect::<BTreeMap<_, _>>();
        let without = |change: fn(&mut MemoryFilter)| { let mut open = filter.clone(); change(&mut open); open };
        prop_assert_eq!(stored(facets.status), by_hand(without(|f| f.status.clear()), &|row, _| row.status.name().to_owned()));
        prop_assert_eq!(stored(facets.category), by_hand(without(|f| f.category.clear()), &|row, _| row.category.name().to_owned()));
        prop_assert_eq!(stored(facets.subject), by_hand(without(|f| f.subject.clear()), &|row, _| row.subject.as_str().to_owned()));
        prop_assert_eq!(stored(facets.channel), by_hand(without(|f| f.channel.clear()), &|_, channel| channel.to_owned()));
    }
}

#[test]
fn what_is_snoozed_is_out_of_the_queue_until_then() {
    let bench = talk();
    bench.candidate("c", "tea");
    bench.store.attack(Door::Writer, &format!("UPDATE memories SET snoozed_until_ms = {}", NOW.0 + 10)).unwrap();
    let waiting = |now: Timestamp| {
        let filter = MemoryFilter { not_snoozed_at: Some(now), ..MemoryFilter::default() };
        let listed = bench.store.read(|tx| tx.memories().list(&filter, MemorySort::Queue, 0, 10)).unwrap().0;
        assert_eq!(bench.store.read(|tx| tx.memories().totals(now)).unwrap().0, listed, "the badge and the list agree");
        listed
    };
    assert_eq!((waiting(NOW), waiting(NOW.plus_ms(9)), waiting(NOW.plus_ms(10))), (0, 0, 1));
}
