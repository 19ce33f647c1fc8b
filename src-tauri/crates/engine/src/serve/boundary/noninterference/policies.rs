//! Privacy policies with one hole each, which the noninterference test must detect.

use keepsake_domain::{Destination, Label, Place, Visibility, may_surface};

use crate::serve::boundary::PrivacyPolicy;

fn label_of(places: &[&Place]) -> Option<Label> {
    (PrivacyPolicy::DOMAIN.label_of)(places)
}

/// Each broken policy with a description of its hole.
pub(super) fn broken_policies() -> Vec<(&'static str, PrivacyPolicy)> {
    let policy = PrivacyPolicy::DOMAIN;
    vec![
        ("everything may surface", PrivacyPolicy { may_surface: |_, _, _| Ok(()), ..policy }),
        (
            "off the record counts as a closed place",
            PrivacyPolicy {
                label_of: |places| {
                    let heard: Vec<Place> =
                        places.iter().map(|place| Place { is_off_record: false, ..(*place).clone() }).collect();
                    Label::of_all(&heard)
                },
                ..policy
            },
        ),
        (
            "a private destination may see everything private",
            PrivacyPolicy {
                may_surface: |label, shared, to| {
                    let to = Destination { people: Default::default(), ..to.clone() };
                    may_surface(label, shared, &to)
                },
                ..policy
            },
        ),
        (
            "a public destination counts as private",
            PrivacyPolicy {
                may_surface: |label, shared, to| {
                    may_surface(label, shared, &Destination { visibility: Visibility::Private, ..to.clone() })
                },
                ..policy
            },
        ),
        (
            "a public destination without people counts as the owner's",
            PrivacyPolicy {
                may_surface: |label, shared, to| {
                    let to = Destination { visibility: Visibility::Private, people: Default::default(), ..to.clone() };
                    may_surface(label, shared, &to)
                },
                ..policy
            },
        ),
        (
            "one public source opens the rest",
            PrivacyPolicy {
                label_of: |places| {
                    let public = places.iter().find(|place| place.visibility == Visibility::Public);
                    public.map_or_else(|| label_of(places), |place| Some(Label::of(place)))
                },
                ..policy
            },
        ),
        ("the last source decides", PrivacyPolicy { label_of: |places| places.last().map(|place| Label::of(place)), ..policy }),
        (
            "one of the people is enough",
            PrivacyPolicy {
                may_surface: |label, shared, to| {
                    let alone =
                        |person: &keepsake_domain::EntityId| Destination { people: [person.clone()].into(), ..to.clone() };
                    match may_surface(label, shared, to) {
                        Err(_) if to.people.iter().any(|person| may_surface(label, shared, &alone(person)).is_ok()) => Ok(()),
                        answer => answer,
                    }
                },
                ..policy
            },
        ),
        ("everything counts as shared", PrivacyPolicy { may_surface: |label, _, to| may_surface(label, true, to), ..policy }),
        (
            "any conversation counts as the own",
            PrivacyPolicy {
                may_surface: |label, shared, to| match (&to.conversation, label.is_off_record()) {
                    (Some(_), false) => Ok(()),
                    _ => may_surface(label, shared, to),
                },
                ..policy
            },
        ),
        ("a repeat is looked for among everything", PrivacyPolicy { flows: |_, _| true, ..policy }),
        (
            "a repeat is looked for where the candidate is stricter",
            PrivacyPolicy { flows: |from, to| to.flows_to(from), ..policy },
        ),
    ]
}
