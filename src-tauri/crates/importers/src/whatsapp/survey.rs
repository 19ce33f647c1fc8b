//! The first pass over a WhatsApp file: finds the date order and the identity of the chat.
//!
//! The chat's id must be the same for every export. It is derived, in order of reliability, from: the subject in the notice that
//! the group was created; the chat's name, which iPhones put before the notice about encryption; the name in a file name given by
//! WhatsApp; the first two speakers, which longer and shorter exports have in common. The rest of the file name is never used,
//! because it may contain dates and counters.

use std::io::BufRead;

use chrono::NaiveDateTime;
use keepsake_domain::limits::MESSAGE_BYTES_MAX;

use super::header::Header;
use super::phrases::{created_group, is_standard, split_author};
use crate::date_question::{DateQuestion, DateSample};
use crate::halt::Halt;
use crate::identity::{digest, folded};
use crate::limits::PROGRESS_STEP_BYTES;
use crate::lines::{Line, Lines};
use crate::{DateOrder, Stop};

/// Number of messages at the beginning that are searched for notices that name the chat.
const TITLE_RECORDS: u64 = 30;

/// The result of the first pass.
#[derive(Debug, Clone)]
pub(crate) struct Survey {
    /// The date order; day first if it is ambiguous.
    pub(crate) order: DateOrder,
    /// Set if the date order is a guess.
    pub(crate) question: Option<DateQuestion>,
    /// The chat's name, if it has one.
    pub(crate) title: Option<String>,
    /// The chat's id.
    pub(crate) conversation: String,
    /// The display name: the title, or the first two speakers if there is none.
    pub(crate) label: String,
}

#[derive(Default)]
struct Evidence {
    records: u64,
    above_twelve: [u64; 2],
    has_dots: bool,
    is_year_first: bool,
    backwards: [u64; 2],
    last: [Option<NaiveDateTime>; 2],
    first_sample: Option<DateSample>,
    last_sample: Option<DateSample>,
    group: Option<String>,
    chat: Option<String>,
    speakers: Vec<String>,
}

/// Reads all of `input`. `names` are the names of the file and of its archive, without extensions.
pub(crate) fn survey(
    input: &mut dyn BufRead,
    names: &[&str],
    wanted: Option<DateOrder>,
    tick: &mut dyn FnMut() -> Result<(), Stop>,
) -> Result<Survey, Halt> {
    let mut lines = Lines::new(input, MESSAGE_BYTES_MAX);
    let mut evidence = Evidence::default();
    let mut told = 0;
    while let Some(line) = lines.next()? {
        let (Line::Whole(bytes) | Line::TooLarge(bytes)) = line;
        // Only lines with a header need decoding. A header contains digits near its start.
        if bytes.iter().take(16).any(u8::is_ascii_digit) {
            let text = String::from_utf8_lossy(bytes);
            if let Some(header) = Header::parse(&text) {
                evidence.take(&header);
            }
        }
        if lines.bytes_done() - told >= PROGRESS_STEP_BYTES {
            told = lines.bytes_done();
            tick()?;
        }
    }
    Ok(evidence.judge(names, wanted))
}

impl Evidence {
    fn take(&mut self, header: &Header<'_>) {
        self.records += 1;
        self.is_year_first |= header.is_year_first;
        self.has_dots |= header.has_dots;
        if !header.is_year_first {
            self.above_twelve[0] += u64::from(header.numbers[0] > 12);
            self.above_twelve[1] += u64::from(header.numbers[1] > 12);
        }
        for (at, order) in [DateOrder::DayFirst, DateOrder::MonthFirst].into_iter().enumerate() {
            if let Some(time) = header.time_by(order) {
                self.backwards[at] += u64::from(self.last[at].is_some_and(|last| time.date() < last.date()));
                self.last[at] = Some(time);
            }
        }
        if header.numbers[0] != header.numbers[1]
            && let (Some(day_first), Some(month_first)) =
                (header.date_by(DateOrder::DayFirst), header.date_by(DateOrder::MonthFirst))
            && self.last_sample.as_ref().is_none_or(|sample| sample.written != header.date)
        {
            let sample = DateSample {
                written: header.date.to_owned(),
                day_first: day_first.to_string(),
                month_first: month_first.to_string(),
            };
            self.first_sample.get_or_insert_with(|| sample.clone());
            self.last_sample = Some(sample);
        }
        match split_author(header.rest) {
            Some((name, text)) if header.is_bracketed && self.records <= TITLE_RECORDS && is_standard(text) => {
                self.chat.get_or_insert_with(|| name.to_owned());
            }
            Some((name, text)) => {
                if self.records <= TITLE_RECORDS && header.is_bracketed && text.starts_with('\u{200e}') {
                    self.group = self.group.take().or_else(|| created_group(text).map(str::to_owned));
                } else if self.speakers.len() < 2 && !self.speakers.iter().any(|known| known == name) {
                    self.speakers.push(name.to_owned());
                }
            }
            None if self.records <= TITLE_RECORDS && self.group.is_none() => {
                self.group = created_group(header.rest).map(str::to_owned);
            }
            None => {}
        }
    }

    fn judge(mut self, names: &[&str], wanted: Option<DateOrder>) -> Survey {
        let (order, is_sure) = self.order(wanted);
        let samples: Vec<DateSample> = match (self.first_sample.take(), self.last_sample.take()) {
            (Some(first), Some(last)) if first != last => vec![first, last],
            (first, _) => first.into_iter().collect(),
        };
        let question = (!is_sure && !samples.is_empty()).then_some(DateQuestion { samples });
        let title = self.group.or(self.chat).or_else(|| names.iter().find_map(|name| title_in_name(name)));
        self.speakers.sort();
        let label = title.clone().unwrap_or_else(|| self.speakers.join(", "));
        let conversation = match &title {
            Some(title) => format!("whatsapp-{}", digest(&["title", &folded(title)])),
            None => {
                let speakers: Vec<String> = self.speakers.iter().map(|name| folded(name)).collect();
                let mut parts = vec!["speakers"];
                parts.extend(speakers.iter().map(String::as_str));
                format!("whatsapp-{}", digest(&parts))
            }
        };
        Survey { order, question, title, conversation, label }
    }

    /// The date order, and whether it is certain.
    fn order(&self, wanted: Option<DateOrder>) -> (DateOrder, bool) {
        if let Some(order) = wanted {
            return (order, true);
        }
        if self.is_year_first {
            return (DateOrder::YearFirst, true);
        }
        if self.has_dots {
            return (DateOrder::DayFirst, true);
        }
        match self.above_twelve {
            [0, 0] => {}
            [days, months] => return (if days >= months { DateOrder::DayFirst } else { DateOrder::MonthFirst }, true),
        }
        match self.backwards {
            [day_first, month_first] if day_first < month_first => (DateOrder::DayFirst, true),
            [day_first, month_first] if day_first > month_first => (DateOrder::MonthFirst, true),
            _ => (DateOrder::DayFirst, false),
        }
    }
}

/// The chat's name, if `name` is a file name given by WhatsApp, such as "WhatsApp Chat with Ana" or "Chat de WhatsApp con Ana
/// (1)".
fn title_in_name(name: &str) -> Option<String> {
    let lower = name.to_lowercase();
    // Lowercasing may change the length of the chat's name, but not of the text before the word "WhatsApp".
    let at = lower.find("whatsapp")?;
    let tail = name.get(at + "whatsapp".len()..)?;
    let joined = [" with ", " - ", " con ", " mit ", " avec ", " com ", " met ", " med "]
        .iter()
        .filter_map(|joiner| tail.find(joiner).map(|at| (at, joiner.len())))
        .min()?;
    let mut title = tail[joined.0 + joined.1..].trim();
    // Browsers add numbers to copies: "… (2)".
    if let Some((before, count)) = title.strip_suffix(')').and_then(|title| title.rsplit_once(" ("))
        && count.bytes().all(|b| b.is_ascii_digit())
    {
        title = before.trim();
    }
    (!title.is_empty()).then(|| title.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chat_is_named_by_the_file_name_that_whatsapp_gave_and_by_no_other() {
        for (name, wanted) in [
            ("WhatsApp Chat with Ana Lima", Some("Ana Lima")),
            ("WhatsApp Chat - Ana Lima (2)", Some("Ana Lima")),
            ("Chat de WhatsApp con Ana", Some("Ana")),
            ("WhatsApp-Chat mit Ana", Some("Ana")),
            ("Discussion WhatsApp avec Ana", Some("Ana")),
            ("_chat", None),
            ("whatsapp_2026-01-05", None),
            ("export 2026-01-05", None),
        ] {
            assert_eq!(title_in_name(name).as_deref(), wanted, "{name}");
        }
    }
}
