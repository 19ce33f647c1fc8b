//! Parses the dates of Google Chat, which are written as phrases: "Thursday, November 3, 2016 at 11:59:50 AM UTC". Their
//! language and word order depend on the account.

use chrono::{NaiveDate, NaiveDateTime, NaiveTime};
use keepsake_domain::{TimeCertainty, Timestamp};

use crate::time::{Zone, parse_rfc3339};

/// The first letters of the months, in languages that write the day and the year as digits: English, German, French, Spanish,
/// Portuguese, Italian, Dutch, Russian.
const MONTHS: [&[&str]; 12] = [
    &["jan", "ene", "gen", "янв"],
    &["feb", "fév", "fev", "фев"],
    &["mar", "mär", "maa", "мар"],
    &["apr", "avr", "abr", "апр"],
    &["may", "mai", "mei", "mag", "мая", "май"],
    &["jun", "juin", "giu", "июн"],
    &["jul", "juil", "lug", "июл"],
    &["aug", "aoû", "ago", "авг"],
    &["sep", "set", "сен"],
    &["oct", "okt", "out", "ott", "окт"],
    &["nov", "ноя"],
    &["dec", "dez", "déc", "dic", "дек"],
];

/// Names of the zone in which Takeout writes its dates.
const ZONES: &[&str] = &["utc", "gmt"];

/// Reads a date. If it names no zone, it is in `zone`.
pub(super) fn read(text: &str, zone: Zone) -> Option<(Timestamp, TimeCertainty)> {
    if let Some(read) = parse_rfc3339(text, zone) {
        return Some(read);
    }
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty()).collect();
    let number = |word: &str| word.trim_end_matches('.').parse::<u32>().ok();
    let clock = words.iter().find_map(|word| clock(word))?;
    let year = words.iter().filter_map(|word| number(word)).find(|number| (1970..=9999).contains(number))?;
    let day = words.iter().filter_map(|word| number(word)).find(|number| (1..=31).contains(number))?;
    // A weekday may begin like a month ("mardi"), but it precedes the month, so the last match is used.
    let month =
        words.iter().rev().find_map(|word| MONTHS.iter().position(|names| names.iter().any(|name| word.starts_with(name))))?;
    let has = |wanted: &str| words.contains(&wanted);
    let (hour, minute, second) = clock;
    let hour = match (has("am"), has("pm")) {
        (true, _) if hour == 12 => 0,
        (_, true) if hour < 12 => hour + 12,
        _ => hour,
    };
    let date = NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, u32::try_from(month).ok()? + 1, day)?;
    let local = NaiveDateTime::new(date, NaiveTime::from_hms_opt(hour, minute, second)?);
    Some(if ZONES.iter().any(|zone| has(zone)) {
        (Zone::UTC.moment(local), TimeCertainty::Exact)
    } else {
        (zone.moment(local), TimeCertainty::LocalAssumed)
    })
}

/// Hours, minutes and, if written, seconds.
fn clock(word: &str) -> Option<(u32, u32, u32)> {
    let mut parts = word.split(':').map(|part| part.parse::<u32>().ok());
    let (hour, minute) = (parts.next()??, parts.next()??);
    Some((hour, minute, parts.next().unwrap_or(Some(0))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_in_the_language_of_the_account() {
        let exact = |text: &str| {
            let time = chrono::DateTime::parse_from_rfc3339(text).unwrap();
            Some((Timestamp(time.timestamp_millis()), TimeCertainty::Exact))
        };
        for (text, wanted) in [
            ("Thursday, November 3, 2016 at 11:59:50 AM UTC", exact("2016-11-03T11:59:50Z")),
            ("Thursday, January 1, 2026 at 12:00:05\u{202f}AM UTC", exact("2026-01-01T00:00:05Z")),
            ("Thursday, January 1, 2026 at 12:30:00\u{202f}PM UTC", exact("2026-01-01T12:30:00Z")),
            ("Sunday, 14 March 2021 at 22:41:03 UTC", exact("2021-03-14T22:41:03Z")),
            ("Dienstag, 3. März 2020 um 08:05:00 UTC", exact("2020-03-03T08:05:00Z")),
            ("mardi 3 novembre 2020 à 08:05:00 UTC", exact("2020-11-03T08:05:00Z")),
            ("вторник, 03 ноября 2020 г. в 08:05:00 UTC", exact("2020-11-03T08:05:00Z")),
            ("maandag 2 mei 2022 om 9:05 UTC", exact("2022-05-02T09:05:00Z")),
            ("2020-11-03T08:05:00Z", exact("2020-11-03T08:05:00Z")),
            ("Thursday, November 31, 2016 at 11:59:50 AM UTC", None),
            ("Thursday, Brumaire 3, 2016 at 11:59:50 AM UTC", None),
            ("November 3, 2016", None),
            ("3 November 2016 at 25:00:00 UTC", None),
            ("::", None),
            ("", None),
        ] {
            assert_eq!(read(text, Zone::Fixed(60)), wanted, "{text}");
        }
        let local = read("Tuesday, November 3, 2020 at 8:05:00 AM", Zone::Fixed(60));
        assert_eq!(local, exact("2020-11-03T07:05:00Z").map(|(time, _)| (time, TimeCertainty::LocalAssumed)));
    }
}
