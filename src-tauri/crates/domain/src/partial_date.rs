//! A date known to the day, the month or only the year (ISO 8601 with reduced precision).
//!
//! Not in this module: resolving words such as "three weeks ago", and moments in time ([`crate::Timestamp`]).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// `2026-11-07`, `2026-11` or `2026`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PartialDate {
    year: u16,
    /// 1 to 12.
    month: Option<u8>,
    /// 1 to the last day of the month; only with a month.
    day: Option<u8>,
}

/// The error for text that is not a date or not a valid calendar day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is not a date; write it as 2026-11-07, 2026-11 or 2026")]
pub struct NoDate;

const fn days_in(year: u16, month: u8) -> u8 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        _ => 31,
    }
}

impl FromStr for PartialDate {
    type Err = NoDate;

    fn from_str(text: &str) -> Result<Self, NoDate> {
        let mut parts = text.split('-');
        let mut number = |digits: usize| match parts.next() {
            None => Ok(None),
            Some(part) if part.len() == digits && part.bytes().all(|c| c.is_ascii_digit()) => {
                part.parse().map(Some).map_err(|_| NoDate)
            }
            Some(_) => Err(NoDate),
        };
        let (year, month, day) = (number(4)?, number(2)?, number(2)?);
        let small = |number: Option<u16>| number.map(u8::try_from).transpose().map_err(|_| NoDate);
        let date = Self { year: year.ok_or(NoDate)?, month: small(month)?, day: small(day)? };
        let is_month = date.month.is_none_or(|month| (1..=12).contains(&month));
        let is_day = date.day.is_none_or(|day| date.month.is_some_and(|month| (1..=days_in(date.year, month)).contains(&day)));
        if is_month && is_day && parts.next().is_none() { Ok(date) } else { Err(NoDate) }
    }
}

impl fmt::Display for PartialDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}", self.year)?;
        [self.month, self.day].into_iter().flatten().try_for_each(|part| write!(f, "-{part:02}"))
    }
}

impl Serialize for PartialDate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PartialDate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_as_precise_as_it_was_said() {
        for text in ["2026-11-07", "2026-11", "2026", "2024-02-29", "0099"] {
            assert_eq!(text.parse::<PartialDate>().map(|date| date.to_string()).as_deref(), Ok(text));
        }
        for text in [
            "", "26", "2026-13", "2026-00", "2025-02-29", "1900-02-29", "2026-1-7", "2026-11-07-01", "2026-11-", "last May",
            "+026", "２０２６",
        ] {
            assert_eq!(text.parse::<PartialDate>(), Err(NoDate), "{text}");
        }
    }
}
