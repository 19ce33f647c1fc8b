//! The beginning of a WhatsApp line: `d/m/yy, HH:MM - ` on Android, `[d/m/yy, HH:MM:SS] ` on iPhones, each with many local
//! variants.

use chrono::{NaiveDate, NaiveDateTime};

use crate::DateOrder;

/// The date and time at the start of a line, and the text after them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header<'a> {
    /// The date as written.
    pub(crate) date: &'a str,
    /// The three numbers of the date, in the order of the file.
    pub(crate) numbers: [u32; 3],
    /// True if the first number has four digits.
    pub(crate) is_year_first: bool,
    /// True if dots separate the numbers. Only day-first countries use dots.
    pub(crate) has_dots: bool,
    hour: u32,
    minute: u32,
    second: u32,
    /// True if the date and time are in square brackets, as on iPhones.
    pub(crate) is_bracketed: bool,
    /// The rest of the line: the name and text.
    pub(crate) rest: &'a str,
}

/// True for invisible direction marks and the byte order mark.
pub(crate) fn is_mark(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Words that some languages put between the date and the time.
const JOINERS: &[&str] = &["klo", "kl.", "um", "at", "à", "alle", "às", "om"];

impl<'a> Header<'a> {
    /// The header of `line`, if it begins with one.
    pub(crate) fn parse(line: &'a str) -> Option<Self> {
        let mut at = Cursor(line.trim_start_matches(is_mark));
        let is_bracketed = at.take('[');
        let begin = at.0;
        let (a, a_width) = at.number(4)?;
        let separator = at.separator()?;
        let (b, _) = at.number(2)?;
        if at.separator()? != separator {
            return None;
        }
        let (c, c_width) = at.number(4)?;
        if a_width != 4 && !matches!(c_width, 2 | 4) {
            return None;
        }
        let date = &begin[..begin.len() - at.0.len()];
        at.take('.');
        at.take(',');
        at.spaces();
        if JOINERS.iter().any(|joiner| at.word(joiner)) {
            at.spaces();
        }
        let (hour, minute, second, has_seconds) = at.time()?;
        if is_bracketed {
            at.spaces();
            if !at.take(']') {
                return None;
            }
        } else {
            let is_dashed = at.spaces() && (at.take('-') || at.take('–'));
            // Old iPhones wrote "date, time: name: text".
            let has_end = is_dashed || has_seconds && at.take(':');
            if !has_end {
                return None;
            }
        }
        at.spaces();
        Some(Self {
            date,
            numbers: [a, b, c],
            is_year_first: a_width == 4,
            has_dots: separator == '.',
            hour,
            minute,
            second,
            is_bracketed,
            rest: at.0,
        })
    }

    /// The date read in this `order`, if such a day exists.
    pub(crate) fn date_by(&self, order: DateOrder) -> Option<NaiveDate> {
        let [a, b, c] = self.numbers;
        let (year, month, day) = if self.is_year_first {
            (a, b, c)
        } else {
            match order {
                DateOrder::DayFirst => (c, b, a),
                DateOrder::MonthFirst => (c, a, b),
                DateOrder::YearFirst => (a, b, c),
            }
        };
        let year = if year < 100 { 2000 + year } else { year };
        NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)
    }

    /// The local time with the date read in this `order`.
    pub(crate) fn time_by(&self, order: DateOrder) -> Option<NaiveDateTime> {
        self.date_by(order)?.and_hms_opt(self.hour, self.minute, self.second)
    }
}

/// The part of a line that has not been read yet.
#[derive(Clone, Copy)]
struct Cursor<'a>(&'a str);

impl Cursor<'_> {
    fn take(&mut self, wanted: char) -> bool {
        match self.0.strip_prefix(wanted) {
            Some(rest) => {
                self.0 = rest;
                true
            }
            None => false,
        }
    }

    /// Skips spaces of any width and invisible marks. Returns true if there were any.
    fn spaces(&mut self) -> bool {
        let rest = self.0.trim_start_matches(|c: char| c.is_whitespace() || is_mark(c));
        let any = rest.len() < self.0.len();
        self.0 = rest;
        any
    }

    /// Reads a number of at most `digits_max` digits, and returns it with its digit count.
    fn number(&mut self, digits_max: usize) -> Option<(u32, usize)> {
        let width = self.0.bytes().take_while(u8::is_ascii_digit).count();
        if width == 0 || width > digits_max {
            return None;
        }
        let value = self.0[..width].parse().ok()?;
        self.0 = &self.0[width..];
        Some((value, width))
    }

    fn separator(&mut self) -> Option<char> {
        let separator = ['/', '.', '-'].into_iter().find(|c| self.take(*c))?;
        if separator == '.' {
            // Some languages write "5. 1. 2026".
            self.take(' ');
        }
        Some(separator)
    }

    fn word(&mut self, word: &str) -> bool {
        match self.0.strip_prefix(word).filter(|rest| rest.starts_with(char::is_whitespace)) {
            Some(rest) => {
                self.0 = rest;
                true
            }
            None => false,
        }
    }

    /// Reads hour, minute and second. Also returns whether seconds were given.
    fn time(&mut self) -> Option<(u32, u32, u32, bool)> {
        let (hour, _) = self.number(2)?;
        if !self.take(':') && !self.take('.') {
            return None;
        }
        let (minute, width) = self.number(2)?;
        let mut ahead = *self;
        let second = (ahead.take(':') || ahead.take('.')).then(|| ahead.number(2)).flatten();
        if second.is_some() {
            *self = ahead;
        }
        let mut ahead = *self;
        ahead.spaces();
        let hour = match ahead.half_of_day() {
            Some(is_afternoon) if (1..=12).contains(&hour) => {
                *self = ahead;
                hour % 12 + if is_afternoon { 12 } else { 0 }
            }
            Some(_) => {
                *self = ahead;
                hour
            }
            None => hour,
        };
        let seconds = second.map_or(0, |(second, _)| second);
        (hour < 24 && minute < 60 && width == 2 && seconds < 60).then_some((hour, minute, seconds, second.is_some()))
    }

    /// Reads "AM", "pm", "a.m." or "p. m."; returns true for the afternoon.
    fn half_of_day(&mut self) -> Option<bool> {
        let mut ahead = *self;
        let is_afternoon = match ahead.0.bytes().next()? {
            b'a' | b'A' => false,
            b'p' | b'P' => true,
            _ => return None,
        };
        ahead.0 = &ahead.0[1..];
        if ahead.take('.') {
            ahead.spaces();
        }
        if !ahead.take('m') && !ahead.take('M') {
            return None;
        }
        ahead.take('.');
        *self = ahead;
        Some(is_afternoon)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_of_a_line_in_every_local_form() {
        use DateOrder::{DayFirst, MonthFirst};
        for (line, order, wanted) in [
            ("31/12/2025, 21:05 - Ana: hi", DayFirst, Some("2025-12-31 21:05:00|Ana: hi")),
            ("12/31/25, 9:05 PM - Ana: hi", MonthFirst, Some("2025-12-31 21:05:00|Ana: hi")),
            ("12/31/25, 9:05\u{202f}PM - Ana: hi", MonthFirst, Some("2025-12-31 21:05:00|Ana: hi")),
            ("31/12/25, 9:05 p. m. - Ana: hi", DayFirst, Some("2025-12-31 21:05:00|Ana: hi")),
            ("31/12/25, 12:05 a.m. - Ana: hi", DayFirst, Some("2025-12-31 00:05:00|Ana: hi")),
            ("\u{200e}[31.12.25, 21:05:09] Ana: hi", DayFirst, Some("2025-12-31 21:05:09|Ana: hi")),
            ("[31/12/2025 à 21:05:09] Ana: hi", DayFirst, Some("2025-12-31 21:05:09|Ana: hi")),
            ("31.12.2025 klo 21.05 - Ana: hi", DayFirst, Some("2025-12-31 21:05:00|Ana: hi")),
            ("31-12-2025 21:05 - Ana: hi", DayFirst, Some("2025-12-31 21:05:00|Ana: hi")),
            ("2025-12-31, 21:05 - Ana: hi", DayFirst, Some("2025-12-31 21:05:00|Ana: hi")),
            ("2025. 12. 31. 21:05 - Ana: hi", DayFirst, Some("2025-12-31 21:05:00|Ana: hi")),
            ("31/12/25, 21:05:09: Ana: hi", DayFirst, Some("2025-12-31 21:05:09|Ana: hi")),
            ("31/12/2025 is the deadline", DayFirst, None),
            ("31/12/2025, 25:05 - Ana: hi", DayFirst, None),
            ("1.2.3, 21:05 - Ana", DayFirst, None),
            ("12345/1/1, 10:00 - Ana: hi", DayFirst, None),
        ] {
            let parsed = Header::parse(line).and_then(|header| Some(format!("{}|{}", header.time_by(order)?, header.rest)));
            assert_eq!(parsed.as_deref(), wanted, "{line:?}");
        }
    }
}
