//! The prompt, and which of a model's answers become proposals: pairs of replies and proposals.

use keepsake_domain::Subject;
use keepsake_prompt::scrub::ScrubConfig;
use serde_json::{Value, json};

use super::*;
use crate::audit::Entry;
use crate::reflect::{Proposed, REFLECTION_VERSION, reflect_with};

const NOW: Timestamp = Timestamp(1_800_000_000_000); // 15 January 2027

fn memory(id: &str, content: &str) -> Remembered {
    let then = Timestamp(NOW.0 - 60 * DAY_MS);
    Remembered {
        entry: Entry {
            id: id.to_owned(),
            subject: Subject::Owner,
            category: Category::PersonalInfo,
            durability: Durability::LongTerm,
            content: content.to_owned(),
            fact: None,
            is_edited: false,
            last: then,
            said: then,
            is_knowledge: false,
            vector: None,
        },
        person: "owner".to_owned(),
        scope: "public".to_owned(),
        digest: format!("d{id}"),
        places: 1,
        conversations: 1,
    }
}

fn scrubber() -> Scrubber {
    Scrubber::new(&ScrubConfig::default()).unwrap()
}

fn asked(memories: &[Remembered], reply: &Value) -> Outcome<Reflected> {
    let (all, scrubber): (Vec<usize>, Scrubber) = ((0..memories.len()).collect(), scrubber());
    let mut task = ReflectTask::new(memories, &all, NOW, &scrubber).unwrap();
    while task.next().is_some() {
        let _ = task.feed(&reply.to_string());
    }
    task.finish()
}

fn reply(archive: Value, merge: Value) -> Value {
    json!({ "archive": archive, "merge": merge })
}

/// All proposals for a reply, including those that the rules find.
fn proposed(memories: &[Remembered], reply: &Value) -> Vec<Proposed> {
    let Outcome::Done(told) = asked(memories, reply) else { panic!("{reply}") };
    reflect_with(memories, &told.opinions, NOW, &|_| false)
}

/// The model's proposals, as `kind:entries`.
fn kinds(memories: &[Remembered], reply: &Value) -> Vec<String> {
    let own = proposed(memories, reply).into_iter().filter(|one| one.opinion.is_some());
    own.map(|one| format!("{}:{:?}", one.change.kind(), one.entries)).collect()
}

#[test]
fn what_a_model_may_set_aside_and_what_is_the_persons_to_judge() {
    let check = |change: &dyn Fn(&mut Remembered), expect: bool| {
        let mut one = memory("a", "User is reading a book about the Alps");
        change(&mut one);
        let told = reply(json!([{ "entry": 1, "because": "over" }]), json!([]));
        assert_eq!(kinds(&[one.clone()], &told), if expect { vec!["archive:[0]"] } else { vec![] }, "{one:?}");
    };
    check(&|_| {}, true);
    check(&|one| one.entry.is_edited = true, false);
    check(&|one| one.entry.is_knowledge = true, false);
    check(&|one| one.entry.durability = Durability::Identity, false);
    check(&|one| one.entry.category = Category::Preference, false);
    check(&|one| one.conversations = 3, false);
    check(&|one| one.entry.last = Timestamp(NOW.0 - 13 * DAY_MS), false);
    let strange = |because: &str| reply(json!([{ "entry": 1, "because": because }]), json!([]));
    assert!(matches!(asked(&[memory("a", "x")], &strange("I was told to")), Outcome::Failed { .. }), "a reason of its own");
}

#[test]
fn what_a_model_may_fold_and_nothing_that_contradicts_or_would_be_lost() {
    let check = |contents: &[&str], groups: Value, expect: &[&str]| {
        let memories: Vec<Remembered> =
            contents.iter().enumerate().map(|(at, content)| memory(&format!("m{at}"), content)).collect();
        assert_eq!(kinds(&memories, &reply(json!([]), groups)), expect, "{contents:?}");
    };
    let bread = ["User bakes rye bread for the neighbours", "User bakes fresh bread"];
    check(&bread, json!([[1, 2]]), &["merge:[0, 1]"]);
    check(&bread, json!([[2, 1]]), &["merge:[0, 1]"]);
    check(&bread, json!([[1]]), &[]);
    check(&bread, json!([[1, 1]]), &[]);
    check(&bread, json!([[1, 9]]), &[]);
    check(&bread, json!([[0, 1]]), &[]);
    check(&["User bakes rye bread for the neighbours", "User never bakes fresh bread"], json!([[1, 2]]), &[]);
    check(&["User bakes rye bread for the neighbours", "User bakes fresh bread in Lyon"], json!([[1, 2]]), &[]);
    check(&["User bakes rye bread for the neighbours", "User bakes 12 breads"], json!([[1, 2]]), &[]);
    check(&["User plays the cello with friends", "User bakes fresh bread"], json!([[1, 2]]), &[]);
    check(&["User lives in Lyon near the river", "User lives in Ghent"], json!([[1, 2]]), &[]);
    let mut other = [memory("a", bread[0]), memory("b", bread[1])];
    let fold = reply(json!([]), json!([[1, 2]]));
    other[1].scope = "closed p1 p2".to_owned();
    assert!(kinds(&other, &fold).is_empty(), "another circle");
    other[1].scope = "public".to_owned();
    other[1].person = "called Ana".to_owned();
    assert!(kinds(&other, &fold).is_empty(), "another person");
    other[1].person = "owner".to_owned();
    let found = proposed(&other, &fold);
    assert_eq!(found[0].change, Change::Merge(0), "control: the one that says more stays");
    other.iter_mut().for_each(|one| one.entry.is_knowledge = true);
    assert!(kinds(&other, &fold).is_empty(), "more detail in a position is another position");
}

#[test]
fn an_opinion_falls_with_what_it_was_shown() {
    let memories = [memory("a", "User bakes rye bread for the neighbours"), memory("b", "User bakes fresh bread")];
    let Outcome::Done(told) = asked(&memories, &reply(json!([]), json!([[1, 2]]))) else { panic!() };
    let count = |memories: &[Remembered]| reflect_with(memories, &told.opinions, NOW, &|_| false).len();
    assert_eq!((count(&memories), count(&memories[..1])), (1, 0));
    let mut changed = memories.clone();
    changed[1].digest = "another".to_owned();
    assert_eq!(count(&changed), 0);
    let key = reflect_with(&memories, &told.opinions, NOW, &|_| false)[0].key.clone();
    assert!(reflect_with(&memories, &told.opinions, NOW, &|known| known == key).is_empty(), "refused ones stay refused");
    let kept = serde_json::to_string(&told).unwrap();
    assert!(!kept.contains("bread"), "no word of anybody is kept: {kept}");
    assert_eq!(serde_json::from_str::<Reflected>(&kept).unwrap(), told);
    assert!(!REFLECTION_VERSION.is_empty());
}

#[test]
fn a_bundle_is_of_one_person_and_one_circle_and_only_what_is_new_is_asked_about() {
    let mut memories: Vec<Remembered> = (0..90).map(|at| memory(&format!("m{at:03}"), "User plays the cello")).collect();
    memories[3].scope = "closed p1 p2".to_owned();
    memories[5].person = "called Ana".to_owned();
    let bundles = bundles(&memories);
    assert_eq!(bundles.iter().map(Vec::len).sum::<usize>(), 90);
    for bundle in &bundles {
        let of: BTreeSet<_> = bundle.iter().map(|at| (&memories[*at].person, &memories[*at].scope)).collect();
        assert!(of.len() == 1 && bundle.len() <= ENTRIES_MAX, "{of:?}");
    }
    let read: BTreeSet<Shown> = memories.iter().filter(|one| one.entry.id != "m089").map(Shown::of).collect();
    let left = unread(&memories, &read);
    assert!(left.len() == 1 && left[0].contains(&89), "{left:?}");
    assert_eq!(unread(&memories, &BTreeSet::new()), bundles);
}

#[test]
fn what_is_asked_is_scrubbed_and_an_unreadable_answer_fails() {
    let memories = [memory("a", "User writes from mara@example.org"), memory("s", "User is building a boat shed")];
    let (scrubber, all) = (scrubber(), [0, 1]);
    let task = ReflectTask::new(&memories, &all, NOW, &scrubber).unwrap();
    let user = task.next().unwrap().prompt.user.as_str().to_owned();
    assert!(user.contains("[EMAIL_1]") && !user.contains("mara@example.org"), "{user}");
    assert!(user.contains("{\"entry\":2,\"days\":60,\"text\":\"User is building a boat shed\"}"), "{user}");
    let good = reply(json!([]), json!([]));
    assert!(matches!(asked(&memories, &good), Outcome::Done(told) if told.opinions.is_empty() && told.read.len() == 2));
    let mut more = good.clone();
    more["delete"] = json!([1]);
    for bad in [json!([]), json!("x"), json!({ "archive": [] }), more] {
        assert!(matches!(asked(&memories, &bad), Outcome::Failed { .. }), "{bad}");
    }
    let none = ReflectTask::new(&memories, &[], NOW, &scrubber).unwrap();
    assert!(none.next().is_none(), "nothing to ask about");
}
