//! Checks the rule for every possible combination against manually written answers.

use uuid::Uuid;

use super::*;

const OWN: u128 = 1;
const ELSEWHERE: u128 = 2;
const THIRD: u128 = 3;

fn conversation(number: u128) -> ConversationId {
    ConversationId::from_uuid(Uuid::from_u128(number))
}

fn people(names: &[u128]) -> People {
    names.iter().map(|name| EntityId::from_uuid(Uuid::from_u128(*name))).collect()
}

const MARA: u128 = 10;
const TOM: u128 = 11;
/// Mara's handle on another channel, not linked to her first one.
const MARA_UNLINKED: u128 = 12;

fn place(number: u128, visibility: Visibility, names: &[u128]) -> Place {
    Place { conversation: conversation(number), visibility, is_off_record: false, people: people(names) }
}

fn destination(conversation_number: Option<u128>, visibility: Visibility, names: &[u128]) -> Destination {
    Destination { conversation: conversation_number.map(conversation), visibility, people: people(names) }
}

/// All combinations of source visibility, exclusion, audience at the destination (including links), sharing and route.
#[test]
fn the_matrix_of_the_boundary_is_complete() {
    use Visibility::{Private, Public};
    // Readers at the destination when Mara is in the source, and whether all of them were present there.
    let audiences: [(&str, &[u128], bool); 7] = [
        ("the owner alone", &[], true),
        ("Mara by the same handle", &[MARA], true),
        ("Mara by another handle, linked", &[MARA], true),
        ("Mara by another handle, not linked", &[MARA_UNLINKED], false),
        ("Tom", &[TOM], false),
        ("Mara and Tom", &[MARA, TOM], false),
        ("Mara, linked and not", &[MARA, MARA_UNLINKED], false),
    ];
    let routes: [(&str, Option<u128>); 3] =
        [("in its own conversation", Some(OWN)), ("in another conversation", Some(ELSEWHERE)), ("outside any", None)];
    let mut seen = 0;
    for source_visibility in [Public, Private] {
        for is_off_record in [false, true] {
            for destination_visibility in [Public, Private] {
                for (who, names, were_there) in audiences {
                    for is_shared in [false, true] {
                        for (route, to) in routes {
                            let source = Place { is_off_record, ..place(OWN, source_visibility, &[MARA]) };
                            let to_where = destination(to, destination_visibility, names);
                            let expect = match (is_off_record, source_visibility) {
                                (true, _) => Err(Withheld::OffRecord),
                                (false, Public) => Ok(()),
                                (false, Private) if is_shared || to == Some(OWN) => Ok(()),
                                (false, Private) if destination_visibility == Public => Err(Withheld::PrivateIntoPublic),
                                (false, Private) if were_there => Ok(()),
                                (false, Private) => Err(Withheld::OtherPeople),
                            };
                            let found = may_surface(&Label::of(&source), is_shared, &to_where);
                            assert_eq!(
                                found, expect,
                                "{source_visibility} source, off the record: {is_off_record}, shared: {is_shared}; {destination_visibility} \
                                 destination, read by {who}, {route}"
                            );
                            seen += 1;
                        }
                    }
                }
            }
        }
    }
    assert_eq!(seen, 2 * 2 * 2 * 7 * 2 * 3, "every combination was asked");
}

#[test]
fn what_rests_on_several_sources_surfaces_only_where_each_of_them_may() {
    use Visibility::{Private, Public};
    let check = |sources: &[Place], to: Destination, expect: Result<(), Withheld>, why: &str| {
        let label = Label::of_all(sources).expect("there are sources");
        assert_eq!(may_surface(&label, false, &to), expect, "{why}");
    };
    let public = place(ELSEWHERE, Public, &[MARA, TOM]);
    let with_mara = place(OWN, Private, &[MARA]);
    let with_tom = place(THIRD, Private, &[TOM]);
    let with_both = place(ELSEWHERE, Private, &[MARA, TOM]);
    check(
        &[public.clone(), with_mara.clone()],
        destination(None, Public, &[]),
        Err(Withheld::PrivateIntoPublic),
        "the stricter wins",
    );
    check(&[public.clone(), with_mara.clone()], destination(None, Private, &[MARA]), Ok(()), "Mara heard both");
    check(&[public, with_mara.clone()], destination(Some(OWN), Public, &[TOM]), Ok(()), "its private part was said right here");
    check(
        &[with_mara.clone(), with_tom.clone()],
        destination(None, Private, &[MARA]),
        Err(Withheld::OtherPeople),
        "Tom's part is not Mara's",
    );
    check(&[with_mara.clone(), with_tom.clone()], destination(None, Private, &[]), Ok(()), "the owner heard both");
    check(
        &[with_mara.clone(), with_tom],
        destination(Some(OWN), Private, &[MARA]),
        Err(Withheld::OtherPeople),
        "only half of it was said here",
    );
    check(&[with_both.clone(), with_mara.clone()], destination(None, Private, &[MARA]), Ok(()), "Mara was in the group too");
    check(
        &[with_both, with_mara],
        destination(None, Private, &[MARA, TOM]),
        Err(Withheld::OtherPeople),
        "Tom was only in the group",
    );
    assert_eq!(Label::of_all(&[]), None, "what has no source has no label, so nobody can ask for it");
}

fn labels() -> Vec<Label> {
    let mut places = Vec::new();
    for number in [OWN, ELSEWHERE] {
        for visibility in [Visibility::Public, Visibility::Private] {
            for names in [&[][..], &[MARA], &[TOM], &[MARA, TOM]] {
                for is_off_record in [false, true] {
                    places.push(Place { is_off_record, ..place(number, visibility, names) });
                }
            }
        }
    }
    let single: Vec<Label> = places.iter().map(Label::of).collect();
    let mut all = single.clone();
    for a in &single {
        for b in &single {
            let joined = a.clone().join(b.clone());
            if !all.contains(&joined) {
                all.push(joined);
            }
        }
    }
    all
}

fn destinations() -> Vec<Destination> {
    let mut all = Vec::new();
    for to in [None, Some(OWN), Some(ELSEWHERE), Some(THIRD)] {
        for visibility in [Visibility::Public, Visibility::Private] {
            for names in [&[][..], &[MARA], &[TOM], &[MARA, TOM]] {
                all.push(destination(to, visibility, names));
            }
        }
    }
    all
}

#[test]
fn joining_is_a_semilattice_and_never_opens_anything() {
    let labels = labels();
    for a in &labels {
        assert_eq!(&a.clone().join(a.clone()), a, "a label joined with itself is itself");
        assert_eq!(&a.clone().join(Label::PUBLIC), a, "public adds nothing");
        for b in &labels {
            let ab = a.clone().join(b.clone());
            assert_eq!(ab, b.clone().join(a.clone()), "order does not matter");
            for to in destinations() {
                for is_shared in [false, true] {
                    if may_surface(&ab, is_shared, &to).is_ok() {
                        assert_eq!(may_surface(a, is_shared, &to), Ok(()), "{ab:?} may surface at {to:?}, so its part {a:?} may");
                    }
                }
            }
            for c in labels.iter().step_by(7) {
                assert_eq!(ab.clone().join(c.clone()), a.clone().join(b.clone().join(c.clone())), "grouping does not matter");
            }
        }
    }
}

#[test]
fn one_label_flows_to_another_only_where_it_is_seen_wherever_the_other_is() {
    let labels = labels();
    // Destinations with a conversation are left out: their people are the people of the label, and the other destinations cover
    // that case.
    let places: Vec<Destination> = destinations().into_iter().filter(|to| to.conversation.is_none()).collect();
    for a in &labels {
        assert!(a.flows_to(a), "a label flows to itself");
        for b in &labels {
            let is_seen_wherever =
                places.iter().all(|to| may_surface(b, false, to).is_err() || may_surface(a, false, to).is_ok());
            if a.flows_to(b) {
                assert!(is_seen_wherever, "{a:?} flows to {b:?}");
            }
        }
    }
    assert!(Label::PUBLIC.flows_to(&labels[9]), "public flows everywhere");
}
