//! What the header of an email says: who wrote it to whom and when, and which emails it answers.

use chrono::{Duration, NaiveDate, NaiveDateTime};
use keepsake_domain::{TimeCertainty, Timestamp};
use mail_parser::{Addr, HeaderForm, HeaderValue, Message};
use serde_json::{Value, json};

use super::subject::Subject;
use crate::identity::{digest, folded};
use crate::time::Zone;

/// Maximum number of addresses kept per field.
const ADDRESSES_MAX: usize = 200;

/// Maximum length of an email's id. Longer ones are replaced by a hash. The standard allows 998 characters per line.
const ID_BYTES_MAX: usize = 998;

/// A name with an address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Address {
    /// The name, or the address if there is none.
    pub(super) name: String,
    /// The address.
    pub(super) handle: String,
}

impl Address {
    fn of(address: &Addr<'_>) -> Option<Self> {
        let handle = address.address().unwrap_or_default().trim().trim_matches(['<', '>']);
        let name = address.name().unwrap_or_default().trim().trim_matches(['"', '\'']).trim();
        let or = |text: &str, other: &str| if text.is_empty() { other.to_owned() } else { text.to_owned() };
        (!handle.is_empty() || !name.is_empty()).then(|| Self { name: or(name, handle), handle: or(handle, name) })
    }

    /// Reads an address as a person sees it: `Ana Lima <ana@mail.example>`, `Ana Lima [mailto:ana@mail.example]`.
    pub(super) fn shown(text: &str) -> Self {
        let text = text.trim();
        let mark = text.find(['<', '[']);
        let (name, rest) = text.split_at(mark.unwrap_or(text.len()));
        let name = name.trim().trim_matches(['"', '\'', '*']).trim();
        let handle = rest.trim_matches(|c: char| matches!(c, '<' | '>' | '[' | ']' | '*') || c.is_whitespace());
        let handle = handle.trim_start_matches("mailto:").split(['<', '>', ']', ' ']).next().unwrap_or_default();
        let or = |text: &str, other: &str| if text.is_empty() { other.to_owned() } else { text.to_owned() };
        Self { name: or(name, handle), handle: or(handle, name) }
    }

    /// As metadata.
    pub(super) fn value(&self) -> Value {
        json!({ "name": self.name, "handle": self.handle })
    }
}

/// The addresses of a field.
pub(super) fn addresses(header: &Message<'_>, name: &'static str) -> Vec<Address> {
    let fields = header.header_as(name, HeaderForm::Addresses);
    let found = fields.iter().filter_map(HeaderValue::as_address).flat_map(|addresses| addresses.iter());
    found.filter_map(Address::of).take(ADDRESSES_MAX).collect()
}

/// The text of a field, decoded.
pub(super) fn text_of(header: &Message<'_>, name: &'static str) -> Option<String> {
    let fields = header.header_as(name, HeaderForm::Text);
    fields.iter().find_map(|value| value.as_text().map(str::to_owned))
}

/// The ids in a field.
fn ids(header: &Message<'_>, name: &'static str) -> Vec<String> {
    let fields = header.header_as(name, HeaderForm::MessageIds);
    let mut found = Vec::new();
    for field in &fields {
        match field {
            HeaderValue::Text(id) => found.push(id.to_string()),
            HeaderValue::TextList(ids) => found.extend(ids.iter().map(ToString::to_string)),
            _ => {}
        }
    }
    let clean = |id: String| {
        let id: String = id.chars().filter(|c| !c.is_whitespace() && !c.is_control() && !matches!(c, '<' | '>')).collect();
        if id.len() > ID_BYTES_MAX { format!("h-{}", digest(&[&id])) } else { id }
    };
    found.into_iter().map(clean).filter(|id| !id.is_empty()).collect()
}

/// Identifies an email, the email that it answers, and its conversation.
pub(super) struct Thread {
    /// Its own id, if it has one.
    pub(super) id: Option<String>,
    /// The id of the email that it answers.
    pub(super) answers: Option<String>,
    /// The id of its conversation: the id of the first email, even if that email is missing.
    pub(super) conversation: String,
}

impl Thread {
    /// Reads these ids from a header. `people` contains everyone who wrote or received the email.
    pub(super) fn of(header: &Message<'_>, subject: &Subject, people: &[Address]) -> Self {
        let id = ids(header, "Message-ID").into_iter().next();
        let references = ids(header, "References");
        let answered = ids(header, "In-Reply-To").into_iter().next();
        let is_other = |other: &String| id.as_ref() != Some(other);
        let answers = answered.clone().or_else(|| references.last().cloned()).filter(is_other);
        let root = references.into_iter().next().or(answered).filter(is_other);
        let own = id.clone().filter(|_| !subject.is_answer || subject.is_forward);
        let conversation = root.or(own).unwrap_or_else(|| by_subject(subject, people));
        Self { id, answers, conversation }
    }
}

/// The conversation id of an email whose header gives none: a hash of its subject and of everyone who sent or received it.
pub(super) fn by_subject(subject: &Subject, people: &[Address]) -> String {
    let mut handles: Vec<String> = people.iter().map(|person| folded(&person.handle)).collect();
    handles.sort_unstable();
    handles.dedup();
    let mut key = vec![subject.key()];
    key.append(&mut handles);
    format!("subject-{}", digest(&key.iter().map(String::as_str).collect::<Vec<_>>()))
}

/// If an email's date is more than this after its arrival, the date is wrong. Clocks of other zones are up to 26 hours off.
const CLOCK_MS_MAX: i64 = 36 * 3_600_000;

/// There was no email before this time: 1975.
const FIRST_MS: i64 = 157_766_400_000;

/// When an email was written: according to the email itself, to the server that received it, or to the mbox file. A date
/// without a zone is in the zone of that server, which is nearer to the person than any other known zone.
pub(super) fn written(header: &Message<'_>, separator: Option<&str>, zone: Zone) -> Option<(Timestamp, TimeCertainty)> {
    // The newest field comes first.
    let received = raw(header, "Received").and_then(|text| clock(text.rsplit(';').next().unwrap_or_default()));
    let zone_there = received.and_then(|(_, offset)| offset).map_or(zone, Zone::Fixed);
    let received = received.and_then(|received| moment_of(received, zone));
    let dated = raw(header, "Date").and_then(|text| moment(&text, zone_there));
    match (dated, received) {
        (Some(dated), Some(received)) if dated.0.0 - received.0.0 > CLOCK_MS_MAX => Some(received),
        (Some(dated), _) => Some(dated),
        (None, Some(received)) => Some(received),
        (None, None) => separator.and_then(|line| separator_moment(line, zone)),
    }
}

/// The first field of this name, as written.
pub(super) fn raw(header: &Message<'_>, name: &'static str) -> Option<String> {
    let fields = header.header_as(name, HeaderForm::Raw);
    fields.first().and_then(|value| value.as_text().map(str::to_owned))
}

/// The months, as every email writes them.
const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Named zones, and their hours east of UTC.
const ZONES: &[(&str, i32)] = &[
    ("gmt", 0),
    ("ut", 0),
    ("utc", 0),
    ("z", 0),
    ("est", -5),
    ("edt", -4),
    ("cst", -6),
    ("cdt", -5),
    ("mst", -7),
    ("mdt", -6),
    ("pst", -8),
    ("pdt", -7),
    ("cet", 1),
    ("met", 1),
    ("cest", 2),
    ("bst", 1),
];

/// A date of an email. Without a zone of its own, it is in the given zone.
fn moment(text: &str, zone: Zone) -> Option<(Timestamp, TimeCertainty)> {
    moment_of(clock(text)?, zone)
}

fn moment_of((local, offset): (NaiveDateTime, Option<i32>), zone: Zone) -> Option<(Timestamp, TimeCertainty)> {
    let found = match offset {
        Some(minutes) => {
            let time = (local - Duration::minutes(minutes.into())).and_utc().timestamp_millis();
            (Timestamp(time), TimeCertainty::Exact)
        }
        None => (zone.moment(local), TimeCertainty::LocalAssumed),
    };
    (found.0.0 >= FIRST_MS).then_some(found)
}

/// Parses the date of an email: the local time, and the minutes east of UTC if the date names its zone. Reads
/// `Tue, 6 Jan 2026 10:00:00 +0100 (CET)` and the variants that older and broken programs write.
fn clock(text: &str) -> Option<(NaiveDateTime, Option<i32>)> {
    let text = text.split('(').next().unwrap_or_default().to_ascii_lowercase();
    let words: Vec<&str> = text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty()).collect();
    let at = words.iter().position(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains(':'))?;
    let (Some(before), Some(after), Some(clock)) = (words.get(..at), words.get(at + 1..), words.get(at)) else { return None };
    let before: Vec<&str> = before.iter().flat_map(|word| word.split('-')).collect();
    let month = before.iter().find_map(|word| MONTHS.iter().position(|month| word.get(..3) == Some(month)))?;
    let mut numbers = before.iter().filter_map(|word| word.parse::<i32>().ok());
    let day = numbers.next()?;
    let year = match numbers.next()? {
        // RFC 5322, section 4.3.
        year @ 0..50 => 2000 + year,
        year @ 50..1000 => 1900 + year,
        year @ 1000..10_000 => year,
        _ => return None,
    };
    let mut clock = clock.split(':').map(|part| part.parse::<u32>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next().flatten().unwrap_or(0));
    let date = NaiveDate::from_ymd_opt(year, u32::try_from(month).ok()? + 1, u32::try_from(day).ok()?)?;
    // A leap second has the number 60.
    let local = date.and_hms_opt(hour, minute, 0)? + Duration::seconds(i64::from(second.min(60)));
    let offset = after.first().and_then(|word| match word.strip_prefix(['+', '-']) {
        Some(digits) if digits.len() == 4 => {
            let number: i32 = digits.parse().ok()?;
            let minutes = number / 100 * 60 + number % 100;
            Some(if word.starts_with('-') { -minutes } else { minutes })
        }
        _ => ZONES.iter().find(|(name, _)| name == word).map(|(_, hours)| hours * 60),
    });
    Some((local, offset))
}

/// The date in a line that separates emails: `From sender Mon Jan 05 04:49:45 +0000 2026`.
fn separator_moment(line: &str, zone: Zone) -> Option<(Timestamp, TimeCertainty)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let at =
        words.iter().position(|word| word.len() >= 5 && word.contains(':') && word.starts_with(|c: char| c.is_ascii_digit()))?;
    let (month, day, time) = (words.get(at.checked_sub(2)?)?, words.get(at - 1)?, words.get(at)?);
    let rest = words.get(at + 1..)?;
    let year = rest.iter().find(|word| word.len() == 4 && word.bytes().all(|b| b.is_ascii_digit()))?;
    let offset = rest.iter().find(|word| word.len() == 5 && word.starts_with(['+', '-'])).copied().unwrap_or_default();
    moment(&format!("{day} {month} {year} {time} {offset}"), zone)
}

#[cfg(test)]
mod tests {
    use chrono::DateTime as Moment;
    use mail_parser::MessageParser;

    use super::*;

    fn with<T>(header: &str, read: impl Fn(&Message<'_>) -> T) -> T {
        read(&MessageParser::new().parse_headers(header).unwrap())
    }

    #[test]
    fn dates_are_read_in_every_form() {
        let check = |header: &str, expect: Option<(&str, TimeCertainty)>| {
            let found = with(header, |header| written(header, Some("From a@b Mon Jan 05 04:00:00 +0000 2026"), Zone::Fixed(60)));
            let expect = expect
                .map(|(time, certainty)| (Timestamp(Moment::parse_from_rfc3339(time).unwrap().timestamp_millis()), certainty));
            assert_eq!(found, expect, "{header}");
        };
        let exact = TimeCertainty::Exact;
        check("Date: Tue, 6 Jan 2026 10:00:00 +0100 (CET)\n\n", Some(("2026-01-06T09:00:00Z", exact)));
        check("Date: 6 Jan 26 10:00 GMT\n\n", Some(("2026-01-06T10:00:00Z", exact)));
        check("Date: Tue, 6 Jan 2026 10:00:00\n\n", Some(("2026-01-06T09:00:00Z", TimeCertainty::LocalAssumed)));
        let received = "Received: from a by b; Tue, 6 Jan 2026 07:30:09 +0530\nReceived: by a; Tue, 6 Jan 2026 02:00:00 +0000\n";
        let date = "Date: Tue, 6 Jan 2026 07:30:00";
        check(&format!("{received}{date}\n\n"), Some(("2026-01-06T02:00:00Z", TimeCertainty::LocalAssumed)));
        check(&format!("{received}{date} +0000\n\n"), Some(("2026-01-06T07:30:00Z", exact)));
        check(&format!("Received: by b; yesterday\n{date}\n\n"), Some(("2026-01-06T06:30:00Z", TimeCertainty::LocalAssumed)));
        check("Date: Tue, 6 Jan 2026 10:00:60 -0000\n\n", Some(("2026-01-06T10:01:00Z", exact)));
        check(
            "Date: yesterday\nReceived: from a by b; Tue, 6 Jan 2026 11:00:00 +0000\n\n",
            Some(("2026-01-06T11:00:00Z", exact)),
        );
        check(
            "Date: Thu, 1 Jan 2099 10:00:00 +0000\nReceived: by b;\n Tue, 6 Jan 2026 11:00:00 +0000\n\n",
            Some(("2026-01-06T11:00:00Z", exact)),
        );
        check("Date: Thu, 1 Jan 1970 00:00:00 +0000\n\n", Some(("2026-01-05T04:00:00Z", exact)));
        check("Subject: x\n\n", Some(("2026-01-05T04:00:00Z", exact)));
    }

    #[test]
    fn a_thread_is_named_by_its_first_mail() {
        let check = |header: &str, subject: &str, expect: &str, answers: Option<&str>| {
            let thread = with(header, |header| Thread::of(header, &Subject::of(subject), &[]));
            assert_eq!((thread.conversation.as_str(), thread.answers.as_deref()), (expect, answers), "{header}");
        };
        check("Message-ID: <1@a>\n\n", "Bees", "1@a", None);
        check("Message-ID: <3@a>\nIn-Reply-To: <2@a>\nReferences: <1@a> <2@a>\n\n", "Re: Bees", "1@a", Some("2@a"));
        check("Message-ID: <3@a>\nReferences: <1@a>\n <2@a>\n\n", "Re: Bees", "1@a", Some("2@a"));
        check("Message-ID: <2@a>\nIn-Reply-To: <1@a>\n\n", "Re: Bees", "1@a", Some("1@a"));
        check("Message-ID: <1@a>\nReferences: <1@a>\nIn-Reply-To: <1@a>\n\n", "Bees", "1@a", None);
        check("Message-ID: <2@a>\n\n", "Fwd: Bees", "2@a", None);
        let thread = with("Message-ID: <2@a>\n\n", |header| Thread::of(header, &Subject::of("Re: Bees"), &[]).conversation);
        assert!(thread.starts_with("subject-"), "{thread}");
    }

    #[test]
    fn addresses_are_read_as_shown() {
        for (text, name, handle) in [
            ("Ana Lima <ana@mail.example>", "Ana Lima", "ana@mail.example"),
            ("\"Lima, Ana\" [mailto:ana@mail.example]", "Lima, Ana", "ana@mail.example"),
            ("Ana Lima", "Ana Lima", "Ana Lima"),
            ("<ana@mail.example>", "ana@mail.example", "ana@mail.example"),
            ("Ana <ana@mail.example <mailto:ana@mail.example>>", "Ana", "ana@mail.example"),
        ] {
            assert_eq!(Address::shown(text), Address { name: name.to_owned(), handle: handle.to_owned() }, "{text}");
        }
    }
}
