//! Privacy policies with one hole each, which the noninterference test must notice.

use keepsake_domain::{Destination, Label, Place, Visibility, may_surface};

use crate::serve::boundary::Law;

fn label_of(places: &[&Place]) -> Option<Label> {
    (Law::DOMAIN.label_of)(places)
}

/// Each broken policy with a description of its hole.
pub(super) fn broken_laws() -> Vec<(&'static str, Law)> {
    let law = Law::DOMAIN;
    vec![
        ("everything may surface", Law { may_surface: |_, _, _| Ok(()), ..law }),
        (
            "off the record counts as a closed place",
            Law {
                label_of: |places| {
                    let heard: Vec<Place> =
                        places.iter().map(|place| Place { is_off_record: false, ..(*place).clone() }).collect();
                    Label::of_all(&heard)
                },
                ..law
            },
        ),
        (
            "a private destination may see everything private",
            Law {
                may_surface: |label, shared, to| {
                    let to = Destination { people: Default::default(), ..to.clone() };
                    may_surface(label, shared, &to)
                },
                ..law
            },
        ),
        (
            "a public destination counts as private",
            Law {
                may_surface: |label, shared, to| {
                    may_surface(label, shared, &Destination { visibility: Visibility::Private, ..to.clone() })
                },
                ..law
            },
        ),
        (
            "a public destination without people counts as the owner's",
            Law {
                may_surface: |label, shared, to| {
                    let to = Destination { visibility: Visibility::Private, people: Default::default(), ..to.clone() };
                    may_surface(label, shared, &to)
                },
                ..law
            },
        ),
        (
            "one public source opens the rest",
            Law {
                label_of: |places| {
                    let public = places.iter().find(|place| place.visibility == Visibility::Public);
                    public.map_or_else(|| label_of(places), |place| Some(Label::of(place)))
                },
                ..law
            },
        ),
        ("the last source decides", Law { label_of: |places| places.last().map(|place| Label::of(place)), ..law }),
        (
            "one of the people is enough",
            Law {
                may_surface: |label, shared, to| {
                    let alone =
                        |person: &keepsake_domain::EntityId| Destination { people: [person.clone()].into(), ..to.clone() };
                    match may_surface(label, shared, to) {
                        Err(_) if to.people.iter().any(|person| may_surface(label, shared, &alone(person)).is_ok()) => Ok(()),
                        answer => answer,
                    }
                },
                ..law
            },
        ),
        ("everything counts as shared", Law { may_surface: |label, _, to| may_surface(label, true, to), ..law }),
        (
            "any conversation counts as the own",
            Law {
                may_surface: |label, shared, to| match (&to.conversation, label.is_off_record()) {
                    (Some(_), false) => Ok(()),
                    _ => may_surface(label, shared, to),
                },
                ..law
            },
        ),
        ("a repeat is looked for among everything", Law { flows: |_, _| true, ..law }),
        ("a repeat is looked for where the candidate is stricter", Law { flows: |from, to| to.flows_to(from), ..law }),
    ]
}
