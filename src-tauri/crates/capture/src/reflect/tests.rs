//! Which proposals are made and which are not, as tables: limits, people, audiences, contradictions.

use keepsake_domain::Subject;

use super::*;

const NOW: Timestamp = Timestamp(1_800_000_000_000); // 15 January 2027

fn memory(id: &str, content: &str, days_ago: i64) -> Remembered {
    let then = Timestamp(NOW.0 - days_ago * DAY_MS);
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

fn found(memories: &[Remembered]) -> Vec<Proposed> {
    reflect(memories, NOW, &|_| false)
}

/// Each proposal, as `kind:entries`.
fn kinds(memories: &[Remembered]) -> Vec<String> {
    found(memories).iter().map(|one| format!("{}:{:?}", one.change.kind(), one.entries)).collect()
}

#[test]
fn what_is_over_is_set_aside_and_what_may_still_hold_is_not() {
    let check = |content: &str, days: i64, change: &dyn Fn(&mut Remembered), expect: bool| {
        let mut one = memory("a", content, days);
        change(&mut one);
        let is_archived = found(&[one]).iter().any(|one| one.change == Change::Archive);
        assert_eq!(is_archived, expect, "{content:?}, {days} days ago");
    };
    let plain: &dyn Fn(&mut Remembered) = &|_| {};
    let goal: &dyn Fn(&mut Remembered) = &|m| m.entry.category = Category::Goal;
    let passing: &dyn Fn(&mut Remembered) = &|m| m.entry.durability = Durability::Situational;
    check("User is so tired", 400, plain, false);
    check(
        "User works on the night shift",
        400,
        &|m| (m.entry.durability, m.entry.is_edited) = (Durability::Situational, true),
        false,
    );
    check("User is on the early train", 2, &|m| m.entry.durability = Durability::Ephemeral, true);
    check("User was born in Porto", 4_000, plain, false);
    check("User wants to run the Porto marathon in 2025", 100, goal, true);
    check("User wants to run the Porto marathon in 2027", 100, goal, false);
    check("User wants to run the Porto marathon in 2026", 100, goal, false);
    check("User moved to Porto in 2019", 100, plain, false);
    check("User works on the night shift", 365, passing, true);
    check("User works on the night shift", 364, passing, false);
    check("User works on the night shift", 365, &|m| (m.entry.durability, m.places) = (Durability::Situational, 2), false);
    check(
        "User values plain words",
        4_000,
        &|m| (m.entry.is_knowledge, m.entry.durability) = (true, Durability::Situational),
        false,
    );
}

#[test]
fn only_what_says_the_same_of_the_same_person_in_the_same_circle_is_folded() {
    let check = |a: &str, b: &str, change: &dyn Fn(&mut Remembered), expect: bool| {
        let mut two = [memory("a", a, 9), memory("b", b, 3)];
        change(&mut two[1]);
        let is_merged = found(&two).iter().any(|one| matches!(one.change, Change::Merge(_)));
        assert_eq!(is_merged, expect, "{a:?} and {b:?}");
    };
    let plain: &dyn Fn(&mut Remembered) = &|_| {};
    let same = ("User loves hiking", "User loves weekend hiking trips");
    check(same.0, same.1, plain, true);
    check(same.0, same.1, &|m| m.person = "Ana".to_owned(), false);
    check(same.0, same.1, &|m| m.scope = "closed".to_owned(), false);
    check(same.0, same.1, &|m| m.entry.is_knowledge = true, false);
    check("User lives in Utrecht", "User lives in Rotterdam", plain, false);
    check("User is allergic to nuts", "User is not allergic to nuts", plain, false);
    check("User is 41 years old", "User is 42 years old", plain, false);
    check("User loves Utrecht", "User loves Rotterdam", plain, false);
    check("User plays the cello", "User does not eat meat", plain, false);
    // Similar vectors without shared words are not enough.
    let near: &dyn Fn(&mut Remembered) = &|m| m.entry.vector = Some(vec![1.0, 0.0]);
    let mut two = [memory("a", "User plays the cello", 9), memory("b", "User owns an instrument", 9)];
    two.iter_mut().for_each(near);
    assert_eq!(kinds(&two), Vec::<String>::new());
}

#[test]
fn a_group_is_folded_only_where_each_says_the_same_as_every_other_and_the_fullest_stays() {
    let three = [
        memory("a", "User loves hiking", 9),
        memory("b", "User loves hiking trips", 3),
        memory("c", "User loves weekend hiking trips", 5),
    ];
    let merged = found(&three).into_iter().find(|one| matches!(one.change, Change::Merge(_))).unwrap();
    assert_eq!((merged.change.clone(), merged.entries.clone()), (Change::Merge(2), vec![0, 1, 2]));
    assert_eq!(merged.reason, "All 3 say the same; the most detailed one is kept.");
    let mut own = three.clone();
    own[0].entry.is_edited = true;
    let merged = found(&own).into_iter().find(|one| matches!(one.change, Change::Merge(_))).unwrap();
    assert_eq!(merged.change, Change::Merge(0), "the person's own wording stays");
    let chain = [
        memory("a", "User loves hiking", 9),
        memory("b", "User loves hiking in Porto", 9),
        memory("c", "User loves hiking in Faro", 9),
    ];
    let merged: Vec<_> = found(&chain).into_iter().filter(|one| matches!(one.change, Change::Merge(_))).collect();
    assert!(
        merged.iter().all(|one| !(one.entries.contains(&1) && one.entries.contains(&2))),
        "two towns are not one: {merged:?}"
    );
}

#[test]
fn a_memory_is_in_one_proposal_and_a_settled_one_makes_room_for_the_next() {
    let mut two = [memory("a", "User works on the night shift", 400), memory("b", "User works on the night shift", 401)];
    two.iter_mut().for_each(|one| one.entry.durability = Durability::Situational);
    let first = found(&two);
    assert_eq!(first.iter().map(|one| one.change.kind()).collect::<Vec<_>>(), [ReflectionKind::Archive, ReflectionKind::Archive]);
    assert_eq!(found(&two), first, "looked again it finds the same");
    let refused: Vec<String> = first.iter().map(|one| one.key.clone()).collect();
    let next = reflect(&two, NOW, &|key| refused.iter().any(|known| known == key));
    assert_eq!(next.iter().map(|one| one.change.kind()).collect::<Vec<_>>(), [ReflectionKind::Merge]);
    let mut changed = two.clone();
    changed[0].digest = "other".to_owned();
    let again = reflect(&changed, NOW, &|key| refused.iter().any(|known| known == key));
    assert_eq!(again[0].change, Change::Archive, "what it rests on has changed: {again:?}");
}
