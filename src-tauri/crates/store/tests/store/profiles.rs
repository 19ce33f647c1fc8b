//! Profiles: the evidence lock, versions that are never reworded, entries marked as wrong, and erasure.

use keepsake_domain::{
    EntityId, Evidence, EvidenceSpan, Facet, ProfileConfidence, ProfileEntry, ProfileId, ProfileOrigin, ProfileType, Timestamp,
};
use keepsake_store::{ProfileRow, StoreError};
use keepsake_testkit::conversation;

use crate::bench::{Bench, NOW, files_of, plain};

const CANARY: &str = "xylokarpzebra";

fn entity(bench: &Bench, handle: &str) -> EntityId {
    let rows = bench.store.read(|tx| tx.people().handles()).unwrap();
    rows.into_iter().find(|row| row.display_name == handle).unwrap().entity_id
}

fn row(bench: &Bench, who: &str, facet: &str, content: &str, places: &[(&str, &str)]) -> ProfileRow {
    let places = places.iter().map(|(source, needle)| {
        let place = bench.place(source, needle);
        EvidenceSpan { interaction: place.interaction_id, span: place.span }
    });
    ProfileRow {
        entity: entity(bench, who),
        links_key: "key".to_owned(),
        reach: None,
        proposer: "builtin-profile/1".to_owned(),
        entry: ProfileEntry {
            id: ProfileId::fresh(&bench.ids),
            profile_type: ProfileType::Preferences,
            facet: Facet::new(facet).unwrap(),
            fingerprint: format!("{facet}=value"),
            content: content.to_owned(),
            confidence: ProfileConfidence::Medium,
            evidence: Evidence::new(places.collect()).unwrap(),
            origin: ProfileOrigin::BuiltIn,
            valid_from: NOW,
            valid_to: None,
            supersedes: None,
            created_at: NOW,
            superseded_at: None,
            debunked_at: None,
        },
    }
}

fn put(bench: &Bench, row: &ProfileRow) -> keepsake_store::Result<()> {
    bench.store.write(|tx| tx.profiles().insert(row, std::slice::from_ref(&row.entity)))
}

fn profiles(bench: &Bench, who: &str) -> Vec<ProfileEntry> {
    let who = entity(bench, who);
    bench.store.read(|tx| tx.profiles().profiles_of(&[who])).unwrap().into_iter().map(|row| row.entry).collect()
}

fn talk() -> Bench {
    let bench = Bench::new();
    bench
        .append(&conversation("c", "owner Mara: Please keep it short\nperson Ana: I prefer long letters\nassistant Nova: Noted"));
    bench
}

#[test]
fn an_entry_rests_on_its_own_persons_words_in_a_conversation_on_the_record() {
    let bench = talk();
    let check = |row: &ProfileRow, expect: Option<&str>, why: &str| {
        let done = put(&bench, row);
        match (&done, expect) {
            (Ok(()), None) => {}
            (Err(StoreError::Evidence(reason)), Some(words)) if reason.contains(words) => {}
            _ => panic!("{why}: {done:?}"),
        }
    };
    check(&row(&bench, "Mara", "length", "Prefers short answers", &[("c", "keep it short")]), None, "the control: own words");
    check(&row(&bench, "Mara", "length", "x", &[("c", "long letters")]), Some("not said by"), "somebody else's words");
    check(&row(&bench, "Mara", "length", "x", &[("c", "Noted")]), Some("not said by"), "an assistant's words");
    let mut gone = row(&bench, "Mara", "length", "x", &[("c", "keep it short")]);
    gone.entry.evidence =
        Evidence::new(vec![EvidenceSpan { interaction: bench.stranger(), ..gone.entry.evidence.as_slice()[0].clone() }]).unwrap();
    check(&gone, Some("not stored"), "no message");
    let mut beyond = row(&bench, "Mara", "length", "x", &[("c", "keep it short")]);
    let span = keepsake_domain::Span::new(3, 900).unwrap();
    beyond.entry.evidence = Evidence::new(vec![EvidenceSpan { span, ..beyond.entry.evidence.as_slice()[0].clone() }]).unwrap();
    check(&beyond, Some("extends beyond the message"), "a span that is not there");
    let late = row(&bench, "Mara", "length", "x", &[("c", "keep it short")]);
    let id = bench.conversation("c");
    bench.store.write(|tx| tx.log().set_private(&id, true)).unwrap();
    check(&late, Some("excluded from memory"), "a private conversation feeds nothing");
}

#[test]
fn an_entry_is_superseded_and_never_reworded() {
    let bench = talk();
    let first = row(&bench, "Mara", "length", "Prefers short answers", &[("c", "keep it short")]);
    put(&bench, &first).unwrap();
    let mut second = row(&bench, "Mara", "length", "Prefers long answers", &[("c", "keep it short")]);
    second.entry.supersedes = Some(first.entry.id.clone());
    second.entry.created_at = Timestamp(NOW.0 + 5);
    put(&bench, &second).unwrap();
    let all = profiles(&bench, "Mara");
    assert_eq!(all[0].superseded_at, Some(Timestamp(NOW.0 + 5)));
    assert!(all[1].is_live() && all[0].content == "Prefers short answers");
    let mut third = row(&bench, "Mara", "length", "x", &[("c", "keep it short")]);
    third.entry.supersedes = Some(first.entry.id);
    assert!(matches!(put(&bench, &third), Err(StoreError::NotFound { .. })), "a version is superseded once");
    for change in ["content = 'x'", "confidence = 'high'", "audience = '[]'", "valid_to_ms = 1", "supersedes_id = NULL"] {
        let done = plain(bench.store.path()).execute(&format!("UPDATE entity_profiles SET {change}"), []);
        assert!(done.is_err(), "{change} must be refused");
    }
    // Control: superseding an entry does not count as rewording it.
    plain(bench.store.path()).execute("UPDATE entity_profiles SET superseded_at_ms = 1", []).unwrap();
}

#[test]
fn what_a_person_debunked_is_remembered_by_statement_and_can_be_taken_back() {
    let bench = talk();
    let first = row(&bench, "Mara", "length", "Prefers short answers", &[("c", "keep it short")]);
    put(&bench, &first).unwrap();
    let who = [first.entity.clone()];
    let say =
        |is_disputed, at| bench.store.write(|tx| tx.profiles().dispute(&who, &first.entry, is_disputed, Timestamp(at))).unwrap();
    say(true, NOW.0 + 1);
    assert_eq!(profiles(&bench, "Mara")[0].debunked_at, Some(Timestamp(NOW.0 + 1)));
    let debunks = bench.store.read(|tx| tx.profiles().disputes(&who)).unwrap();
    assert_eq!((debunks.len(), debunks[0].fingerprint.as_str()), (1, "length=value"));
    say(false, NOW.0 + 2);
    assert_eq!(profiles(&bench, "Mara")[0].debunked_at, None);
    assert!(bench.store.read(|tx| tx.profiles().disputes(&who)).unwrap().is_empty());
}

#[test]
fn erasure_takes_every_word_of_an_entry_and_leaves_what_a_person_refused_in_our_words() {
    let bench = Bench::new();
    let filler = "owner Mara: tea and rain\n".repeat(30);
    bench.append(&conversation("stays", &format!("owner Mara: Please keep it short\n{filler}")));
    bench.append(&conversation("gone", &format!("owner Mara: Where is the {CANARY} report, and keep it short?\n{filler}")));
    let topic =
        row(&bench, "Mara", &format!("topic:{CANARY} report"), &format!("Asks about the {CANARY} report"), &[("gone", CANARY)]);
    let both = row(&bench, "Mara", "length", "Prefers short answers", &[("stays", "keep it short"), ("gone", "keep it short")]);
    let kept = row(&bench, "Mara", "language", "Prefers English", &[("stays", "keep it short")]);
    let mut own = row(&bench, "Mara", "pace", "Has no hurry", &[("gone", "keep it short"), ("stays", "keep it short")]);
    own.entry.origin = ProfileOrigin::Person;
    for row in [&topic, &both, &kept, &own] {
        put(&bench, row).unwrap();
        bench.store.write(|tx| tx.profiles().dispute(std::slice::from_ref(&row.entity), &row.entry, true, NOW)).unwrap();
    }
    bench.store.write(|tx| tx.profiles().mark_profile(&kept.entity, "read")).unwrap();
    let count = || -> usize {
        let files = files_of(bench.store.path());
        files.iter().map(|(_, bytes)| bytes.windows(CANARY.len()).filter(|window| *window == CANARY.as_bytes()).count()).sum()
    };
    assert!(count() > 3, "the canary is there to be found");
    bench.erase("gone");
    assert_eq!(count(), 0, "no byte of it is left");
    let left: Vec<String> = profiles(&bench, "Mara").into_iter().map(|entry| entry.content).collect();
    assert_eq!(left, ["Prefers English", "Has no hurry"], "what rests elsewhere stays, as does a person's own wording");
    assert_eq!(bench.dump("SELECT facet FROM profile_disputes ORDER BY seq"), ["length", "language", "pace"]);
    assert_eq!(bench.dump("SELECT count(*) FROM profile_evidence"), ["2"]);
    assert_eq!(bench.dump("SELECT * FROM profile_inputs"), Vec::<String>::new(), "who lost an entry is read again");
    assert_eq!(bench.dump("PRAGMA foreign_key_check"), Vec::<String>::new());
}
