//! Calendars (iCalendar, RFC 5545): which meetings took place when, and which of them a transcript belongs to.
//!
//! A calendar is not an export: it contains no messages. It accompanies transcripts and provides what they lack: the title of a
//! meeting, who was invited, and when it was. Pure functions over text. Deliberately not here: finding calendar files (`open`).
//! For what is read, see docs/formats.md, section 8.

mod matching;
mod zones;

use std::collections::HashSet;

use chrono::{Duration, NaiveDate, NaiveDateTime, NaiveTime, TimeZone as _};
use icalendar::parser::{Component, Property, read_calendar, unfold};
use keepsake_domain::{DAY_MS, Timestamp};
use rrule::{RRuleSet, Tz};

pub(crate) use matching::{Heard, by_name, by_time};

use crate::time::Zone;

/// Maximum size of a calendar. A busy person's calendar of ten years takes about 20 MB; parsed, it takes about ten times as
/// much.
pub(crate) const CALENDAR_BYTES_MAX: u64 = 8 << 20;

/// Maximum number of events of a calendar.
const EVENTS_MAX: usize = 50_000;

/// Maximum number of repeating events that are examined. Each may take a few milliseconds.
const REPEATING_MAX: usize = 2_000;

/// Maximum number of attendees of an event.
const ATTENDEES_MAX: usize = 200;

/// Maximum nesting of components. Real calendars have three levels, and the parser is recursive.
const DEPTH_MAX: usize = 8;

/// Maximum number of occurrences of an event in the days of a transcript.
const OCCURRENCES_MAX: u16 = 50;

/// Somebody who was invited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Attendee {
    /// Their name, if the calendar has it.
    pub(crate) name: Option<String>,
    /// Their mail address.
    pub(crate) address: Option<String>,
}

/// A meeting at a certain time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Meeting {
    /// Its title.
    pub(crate) title: String,
    /// Who was invited, the organizer first.
    pub(crate) attendees: Vec<Attendee>,
    /// When it begins.
    pub(crate) start: Timestamp,
    /// When it ends.
    pub(crate) end: Timestamp,
    /// Whether it lasts whole days, so that it gives no time of day.
    pub(crate) is_all_day: bool,
    /// Whether it was canceled.
    pub(crate) is_cancelled: bool,
}

/// An event as written; it may repeat.
#[derive(Debug)]
struct Event {
    uid: String,
    meeting: Meeting,
    /// The start as written, and its zone, for repetition rules.
    local: (NaiveDateTime, Option<chrono_tz::Tz>),
    rule: Option<String>,
    excluded: HashSet<i64>,
    /// The occurrence of the same event that this one replaces.
    replaces: Option<Timestamp>,
}

/// The events of a calendar.
#[derive(Debug, Default)]
pub(crate) struct Calendar {
    events: Vec<Event>,
    /// Occurrences that are replaced by others, by event.
    replaced: HashSet<(String, i64)>,
}

impl Calendar {
    /// Reads a calendar; `None` if the text is not one. Times without a zone are in `zone`. Events without a time or with an
    /// unknown zone are left out, because a wrong time is worse than none.
    pub(crate) fn parse(text: &str, zone: Zone) -> Option<Self> {
        if !text.trim_start_matches('\u{feff}').trim_start().starts_with("BEGIN:VCALENDAR") || depth(text) > DEPTH_MAX {
            return None;
        }
        let unfolded = unfold(text.trim_start_matches('\u{feff}').trim());
        let parsed = read_calendar(&unfolded).ok()?;
        let mut calendar = Self::default();
        for component in parsed.components.iter().filter(|component| component.name == "VEVENT").take(EVENTS_MAX) {
            let Some(event) = event(component, zone) else { continue };
            if let Some(replaced) = event.replaces {
                calendar.replaced.insert((event.uid.clone(), replaced.0));
            }
            calendar.events.push(event);
        }
        Some(calendar)
    }

    /// The meetings that overlap this time.
    pub(crate) fn between(&self, from: Timestamp, to: Timestamp) -> Vec<Meeting> {
        let mut found = Vec::new();
        let mut repeating = 0;
        for event in &self.events {
            match &event.rule {
                Some(rule) if repeating < REPEATING_MAX => {
                    repeating += 1;
                    let length = event.meeting.end.0 - event.meeting.start.0;
                    for start in starts(event, rule, from.plus_ms(-length), to) {
                        let is_left_out =
                            event.excluded.contains(&start.0) || self.replaced.contains(&(event.uid.clone(), start.0));
                        if !is_left_out {
                            found.push(Meeting { start, end: start.plus_ms(length), ..event.meeting.clone() });
                        }
                    }
                }
                Some(_) => {}
                None => found.push(event.meeting.clone()),
            }
        }
        found.retain(|meeting| meeting.start < to && meeting.end > from);
        found
    }

    /// The meetings that do not repeat.
    pub(crate) fn single(&self) -> impl Iterator<Item = &Meeting> {
        let repeats: HashSet<&str> =
            self.events.iter().filter(|event| event.rule.is_some()).map(|event| event.uid.as_str()).collect();
        self.events.iter().filter(move |event| !repeats.contains(event.uid.as_str())).map(|event| &event.meeting)
    }
}

/// The deepest nesting of components.
fn depth(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for line in text.lines() {
        let is = |word: &str| line.get(..word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(word));
        if is("BEGIN:") {
            depth += 1;
            deepest = deepest.max(depth);
        } else if is("END:") {
            depth = depth.saturating_sub(1);
        }
    }
    deepest
}

/// Reads one event; `None` if it has no certain time.
fn event(component: &Component<'_>, zone: Zone) -> Option<Event> {
    let find = |name: &str| component.properties.iter().find(|property| property.name == name);
    let value = |name: &str| find(name).map(|property| property.val.as_ref().to_owned());
    let begin = Moment::of(find("DTSTART")?)?;
    let start = begin.at(zone)?;
    let end = find("DTEND").and_then(Moment::of).and_then(|end| end.at(zone));
    let lasting = value("DURATION").and_then(|written| duration(&written)).map(|length| start.plus_ms(length));
    let end = end.or(lasting).unwrap_or(if begin.is_day { start.plus_ms(DAY_MS) } else { start });
    let mut excluded = HashSet::new();
    for property in component.properties.iter().filter(|property| property.name == "EXDATE") {
        for written in property.val.as_ref().split(',') {
            excluded.extend(Moment::read(written, property).and_then(|moment| moment.at(zone)).map(|at| at.0));
        }
    }
    let people = ["ORGANIZER", "ATTENDEE"]
        .into_iter()
        .flat_map(|kind| component.properties.iter().filter(move |property| property.name == kind).filter_map(attendee));
    let mut attendees: Vec<Attendee> = Vec::new();
    for person in people.take(2 * ATTENDEES_MAX) {
        let is_known = attendees.iter().any(|known| known.address.is_some() && known.address == person.address);
        if !is_known && attendees.len() < ATTENDEES_MAX {
            attendees.push(person);
        }
    }
    Some(Event {
        uid: value("UID").unwrap_or_default(),
        meeting: Meeting {
            title: unescaped(&value("SUMMARY").unwrap_or_default()),
            attendees,
            start,
            end: end.max(start),
            is_all_day: begin.is_day,
            is_cancelled: value("STATUS").is_some_and(|status| status.eq_ignore_ascii_case("CANCELLED")),
        },
        local: (begin.local, begin.zone),
        rule: value("RRULE"),
        excluded,
        replaces: find("RECURRENCE-ID").and_then(Moment::of).and_then(|moment| moment.at(zone)),
    })
}

/// A time as a calendar writes it.
struct Moment {
    local: NaiveDateTime,
    /// The zone; `None` for the person's own zone.
    zone: Option<chrono_tz::Tz>,
    is_day: bool,
}

impl Moment {
    fn of(property: &Property<'_>) -> Option<Self> {
        Self::read(property.val.as_ref(), property)
    }

    fn read(written: &str, property: &Property<'_>) -> Option<Self> {
        let written = written.trim();
        if let Ok(day) = NaiveDate::parse_from_str(written, "%Y%m%d") {
            return Some(Self { local: day.and_time(NaiveTime::MIN), zone: None, is_day: true });
        }
        let (plain, is_utc) = written.strip_suffix(['Z', 'z']).map_or((written, false), |plain| (plain, true));
        let local = NaiveDateTime::parse_from_str(plain, "%Y%m%dT%H%M%S").ok()?;
        let named = property.params.iter().find(|param| param.key == "TZID").and_then(|param| param.val.as_ref());
        let zone = match named {
            _ if is_utc => Some(chrono_tz::UTC),
            // An unknown time zone may be any zone.
            Some(name) => Some(zones::zone(name.as_ref())?),
            None => None,
        };
        Some(Self { local, zone, is_day: false })
    }

    fn at(&self, assumed: Zone) -> Option<Timestamp> {
        match self.zone {
            Some(zone) => {
                let time = zone.from_local_datetime(&self.local).earliest();
                // A time skipped by a clock change is read as one hour later.
                let time = time.or_else(|| zone.from_local_datetime(&(self.local + Duration::hours(1))).earliest())?;
                Some(Timestamp(time.timestamp_millis()))
            }
            None => Some(assumed.moment(self.local)),
        }
    }
}

/// The start times of a repeating event that fall between two times.
fn starts(event: &Event, rule: &str, from: Timestamp, to: Timestamp) -> Vec<Timestamp> {
    let upper = rule.to_ascii_uppercase();
    // No meeting repeats every hour or more often, and searching years minute by minute takes long.
    if ["SECONDLY", "MINUTELY", "HOURLY"].iter().any(|often| upper.contains(often)) {
        return Vec::new();
    }
    let (local, zone) = event.local;
    // If the event is in the person's zone, the rule is applied in UTC, and the results are shifted like the first time.
    let shift = if zone.is_some() { 0 } else { event.meeting.start.0 - local.and_utc().timestamp_millis() };
    let begin = match zone {
        Some(zone) if zone != chrono_tz::UTC => format!("DTSTART;TZID={}:{}", zone.name(), local.format("%Y%m%dT%H%M%S")),
        _ => format!("DTSTART:{}Z", local.format("%Y%m%dT%H%M%S")),
    };
    let Ok(set) = format!("{begin}\nRRULE:{}", in_utc(&upper)).parse::<RRuleSet>() else { return Vec::new() };
    let time = |at: Timestamp| Tz::UTC.timestamp_millis_opt(at.0 - shift).single();
    let Some((from, to)) = time(from).zip(time(to)) else { return Vec::new() };
    let found = set.after(from).before(to).all(OCCURRENCES_MAX);
    found.dates.iter().map(|date| Timestamp(date.timestamp_millis() + shift)).collect()
}

/// A rule whose end is in UTC, as the standard requires. Some programs write the end without a zone, or as a day.
fn in_utc(rule: &str) -> String {
    let part = |part: &str| match part.strip_prefix("UNTIL=") {
        Some(until) if until.len() == 8 => format!("UNTIL={until}T235959Z"),
        Some(until) if !until.ends_with('Z') => format!("UNTIL={until}Z"),
        _ => part.to_owned(),
    };
    rule.split(';').map(part).collect::<Vec<_>>().join(";")
}

/// The length of `PT1H30M` or `P1D` in milliseconds.
fn duration(written: &str) -> Option<i64> {
    let mut total = 0_i64;
    let mut number = String::new();
    for letter in written.strip_prefix('P')?.chars() {
        let unit = match letter {
            '0'..='9' => {
                number.push(letter);
                continue;
            }
            'T' => continue,
            'W' => 7 * DAY_MS,
            'D' => DAY_MS,
            'H' => 3_600_000,
            'M' => 60_000,
            'S' => 1_000,
            _ => return None,
        };
        total = total.checked_add(number.parse::<i64>().ok()?.checked_mul(unit)?)?;
        number.clear();
    }
    Some(total)
}

fn attendee(property: &Property<'_>) -> Option<Attendee> {
    let written = property.val.as_ref().trim();
    let address = written.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("mailto:")).map(|_| written[7..].trim());
    let address = address.filter(|address| address.contains('@')).map(str::to_lowercase);
    let name = property.params.iter().find(|param| param.key == "CN").and_then(|param| param.val.as_ref());
    let name = name.map(|name| unescaped(name.as_ref().trim_matches(['"', '\'']))).filter(|name| !name.trim().is_empty());
    // Programs write the address as the name if they do not know the name.
    let name = name.filter(|name| !name.contains('@'));
    (name.is_some() || address.is_some()).then_some(Attendee { name, address })
}

/// Text without the escapes of the format.
fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('n' | 'N') => plain.push(' '),
                Some(other) => plain.push(other),
                None => {}
            },
            other => plain.push(other),
        }
    }
    plain.trim().to_owned()
}

#[cfg(test)]
mod tests;
