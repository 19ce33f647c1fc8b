//! Tests with the pitfalls of real calendars.

use std::collections::BTreeSet;

use super::*;

const BERLIN: Zone = Zone::Fixed(60);

fn at(written: &str) -> Timestamp {
    crate::time::parse_rfc3339(written, Zone::UTC).map(|(time, _)| time).unwrap()
}

fn calendar(events: &str) -> Calendar {
    Calendar::parse(&format!("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{events}END:VCALENDAR\r\n"), BERLIN).unwrap()
}

fn event_of(lines: &[&str]) -> String {
    format!("BEGIN:VEVENT\r\n{}\r\nEND:VEVENT\r\n", lines.join("\r\n"))
}

/// Checks the start times and titles of the meetings on a day.
fn check(events: &[&[&str]], day: &str, expect: &[(&str, &str)]) {
    let events: String = events.iter().map(|lines| event_of(lines)).collect();
    let from = at(&format!("{day}T00:00:00Z"));
    let meetings = calendar(&events).between(from, from.plus_ms(DAY_MS));
    let mut found: Vec<_> = meetings
        .iter()
        .map(|meeting| {
            let mark = if meeting.is_cancelled {
                " cancelled"
            } else if meeting.is_all_day {
                " all day"
            } else {
                ""
            };
            (crate::time::rfc3339(meeting.start), format!("{}{mark}", meeting.title))
        })
        .collect();
    found.sort();
    let expect: Vec<_> = expect.iter().map(|(start, title)| ((*start).to_owned(), (*title).to_owned())).collect();
    assert_eq!(found, expect);
}

#[test]
fn times_are_in_utc_in_a_zone_of_windows_or_floating() {
    check(&[&["SUMMARY:a", "DTSTART:20260105T140000Z"]], "2026-01-05", &[("2026-01-05T14:00:00Z", "a")]);
    check(&[&["SUMMARY:a", "DTSTART:20260105T140000Z", "DURATION:PT30M"]], "2026-01-05", &[("2026-01-05T14:00:00Z", "a")]);
    let end = "DTEND:20260705T230000Z";
    for begin in [
        "DTSTART;TZID=Europe/Berlin:20260705T160000",
        "DTSTART;TZID=W. Europe Standard Time:20260705T160000",
        "DTSTART;TZID=\"W. Europe Standard Time\":20260705T160000",
        "DTSTART;TZID=/citadel.org/20250101_1/Europe/Berlin:20260705T160000",
        "DTSTART:20260705T140000Z",
        "DTSTART:20260705T150000",
    ] {
        check(&[&["SUMMARY:a", begin, end]], "2026-07-05", &[("2026-07-05T14:00:00Z", "a")]);
    }
    check(&[&["SUMMARY:a", "DTSTART;TZID=Nowhere Standard Time:20260705T160000", end]], "2026-07-05", &[]);
    let day: &[&str] = &["SUMMARY:a", "DTSTART;VALUE=DATE:20260705"];
    check(&[day], "2026-07-05", &[("2026-07-04T23:00:00Z", "a all day")]);
}

#[test]
fn what_repeats_is_found_on_its_days_but_for_those_that_are_excluded_moved_or_cancelled() {
    let weekly: &[&str] = &[
        "UID:w",
        "SUMMARY:Weekly",
        "DTSTART;TZID=Europe/Berlin:20260105T100000",
        "DTEND;TZID=Europe/Berlin:20260105T110000",
        "RRULE:FREQ=WEEKLY;UNTIL=20261231",
        "EXDATE;TZID=Europe/Berlin:20260119T100000",
    ];
    let moved: &[&str] = &[
        "UID:w",
        "SUMMARY:Weekly, later",
        "RECURRENCE-ID;TZID=Europe/Berlin:20260126T100000",
        "DTSTART;TZID=Europe/Berlin:20260126T150000",
        "DURATION:PT1H",
    ];
    let cancelled: &[&str] = &[
        "UID:w",
        "SUMMARY:Weekly",
        "STATUS:CANCELLED",
        "RECURRENCE-ID;TZID=Europe/Berlin:20260202T100000",
        "DTSTART;TZID=Europe/Berlin:20260202T100000",
        "DURATION:PT1H",
    ];
    let all: &[&[&str]] = &[weekly, moved, cancelled];
    check(all, "2026-01-12", &[("2026-01-12T09:00:00Z", "Weekly")]);
    check(all, "2026-01-13", &[]);
    check(all, "2026-01-19", &[]);
    check(all, "2026-01-26", &[("2026-01-26T14:00:00Z", "Weekly, later")]);
    check(all, "2026-02-02", &[("2026-02-02T09:00:00Z", "Weekly cancelled")]);
    // After the clocks changed.
    check(all, "2026-07-06", &[("2026-07-06T08:00:00Z", "Weekly")]);
    check(all, "2027-01-04", &[]);
}

#[test]
fn lines_are_unfolded_and_people_are_read() {
    let lines = [
        "SUMMARY:Budget\\, part",
        "  two\\; final",
        "DTSTART:20260105T140000Z",
        "DURATION:PT1H",
        "ORGANIZER;CN=\"Lima, Ana\":MAILTO:Ana@Example.org",
        "ATTENDEE;CN=ana@example.org;PARTSTAT=ACCEPTED:mailto:ana@example.org",
        "ATTENDEE;CN=Bo Berg:mailto:bo",
        " @example.org",
        "ATTENDEE:urn:room:7",
    ];
    let day = at("2026-01-05T00:00:00Z");
    let meetings = calendar(&event_of(&lines)).between(day, day.plus_ms(DAY_MS));
    assert_eq!(meetings[0].title, "Budget, part two; final");
    let people: Vec<_> = meetings[0].attendees.iter().map(|one| (one.name.as_deref(), one.address.as_deref())).collect();
    assert_eq!(people, [(Some("Lima, Ana"), Some("ana@example.org")), (Some("Bo Berg"), Some("bo@example.org"))]);
}

#[test]
fn ten_thousand_events_and_hostile_text_cost_little() {
    let began = std::time::Instant::now();
    let event = |n: usize| event_of(&[&format!("UID:{n}"), "SUMMARY:x", "DTSTART:20260105T140000Z", "DURATION:PT1H"]);
    let many: String = (0..10_000).map(event).collect();
    let day = at("2026-01-05T00:00:00Z");
    assert_eq!(calendar(&many).between(day, day.plus_ms(DAY_MS)).len(), 10_000);
    let often = event_of(&["SUMMARY:x", "DTSTART:19700101T000000Z", "DURATION:PT1S", "RRULE:FREQ=SECONDLY"]);
    assert!(calendar(&often).between(day, day.plus_ms(DAY_MS)).is_empty());
    let deep = format!("BEGIN:VCALENDAR\n{}", "BEGIN:VEVENT\n".repeat(100_000));
    assert!(Calendar::parse(&deep, BERLIN).is_none());
    for broken in ["", "BEGIN:VCALENDAR", "BEGIN:VCALENDAR\nBEGIN:VEVENT\nEND", "hello", "BEGIN:VCALENDAR\n:\n;;\nEND:VCALENDAR"]
    {
        let _ = Calendar::parse(broken, BERLIN);
    }
    let empty = event_of(&["SUMMARY:x", "DTSTART:99999999T999999", "RRULE:FREQ=", "DURATION:PT99999999999999999999S"]);
    assert!(calendar(&empty).between(day, day.plus_ms(DAY_MS)).is_empty());
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
}

fn meeting(title: &str, start: &str, minutes: i64, names: &[&str]) -> Meeting {
    let named = |name: &&str| Attendee { name: Some((*name).to_owned()), address: None };
    let start = at(start);
    let attendees = names.iter().map(named).collect();
    Meeting {
        title: title.to_owned(),
        attendees,
        start,
        end: start.plus_ms(minutes * 60_000),
        is_all_day: false,
        is_cancelled: false,
    }
}

#[test]
fn a_transcript_belongs_to_one_meeting_or_to_none() {
    let budget = || meeting("Budget review", "2026-01-05T14:00:00Z", 60, &["Ana Lima", "Bo Berg"]);
    let hiring = || meeting("Hiring round", "2026-01-05T14:00:00Z", 60, &["Cleo Diaz"]);
    let check = |meetings: &[Meeting], name: &str, speakers: &[&str], expect: Option<&str>| {
        let speakers: BTreeSet<String> = speakers.iter().map(|name| (*name).to_owned()).collect();
        let start = at("2026-01-05T13:58:00Z");
        let heard = Heard { start, end: start.plus_ms(50 * 60_000), name, speakers: &speakers };
        assert_eq!(by_time(meetings, &heard).map(|meeting| meeting.title).as_deref(), expect, "{name} {speakers:?}");
    };
    check(&[budget()], "recording", &[], Some("Budget review"));
    check(&[budget()], "recording", &["Zoe Zimmer"], None);
    check(&[budget(), hiring()], "recording", &[], None);
    check(&[budget(), hiring()], "budget_review 2026-01-05", &[], Some("Budget review"));
    check(&[budget(), hiring()], "recording", &["Lima, Ana"], Some("Budget review"));
    check(&[budget(), hiring()], "recording", &["Ana"], None);
    check(&[budget(), hiring()], "Hiring round", &["Ana Lima"], None);
    check(&[budget(), hiring()], "recording", &["Ana Lima", "Cleo Diaz"], None);
    check(&[Meeting { is_cancelled: true, ..budget() }], "Budget review", &["Ana Lima"], None);
    check(&[Meeting { is_all_day: true, ..budget() }], "Budget review", &["Ana Lima"], None);
    check(&[meeting("Budget review", "2026-01-05T14:45:00Z", 60, &[])], "Budget review", &[], None);
}

#[test]
fn a_name_gives_a_time_only_if_one_meeting_has_it() {
    let event = |uid: &str, title: &str, day: &str, more: &str| {
        event_of(&[
            &format!("UID:{uid}"),
            &format!("SUMMARY:{title}"),
            &format!("DTSTART:202601{day}T140000Z"),
            "DURATION:PT1H",
            more,
        ])
    };
    let all = calendar(
        &[
            event("1", "Budget review", "05", "X-A:1"),
            event("2", "Hiring round", "06", "X-A:1"),
            event("3", "Hiring round", "07", "X-A:1"),
            event("4", "Weekly planning", "08", "RRULE:FREQ=WEEKLY"),
            event("5", "Cancelled thing", "09", "STATUS:CANCELLED"),
            event("6", "Call", "10", "X-A:1"),
        ]
        .concat(),
    );
    let all = [all];
    for (name, expect) in [
        ("budget_review", Some("2026-01-05T14:00:00Z")),
        ("Hiring round", None),
        ("Weekly planning", None),
        ("Cancelled thing", None),
        ("Call", None),
        ("Budget review with more", None),
    ] {
        let found = by_name(&all, name).map(|meeting| crate::time::rfc3339(meeting.start));
        assert_eq!(found.as_deref(), expect, "{name}");
    }
}
