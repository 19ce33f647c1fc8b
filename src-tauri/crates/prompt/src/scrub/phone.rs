//! Finds phone numbers by running libphonenumber's matcher on digit groups that could form one.
//!
//! The international format is always found, national formats for the configured regions, and other numbers of 7 to 15 digits
//! (the E.164 maximum) only after a phone word. On its own, seed 002's rule of 10 to 15 digits finds 45 % of national numbers
//! and takes 14 of 30 harmless numbers for phone numbers, so it is never applied without such a word
//! (docs/sources.md#design-decisions).
//!
//! Numbers that look like a date, version, identifier or coordinate are excluded before the matcher runs.

use std::ops::Range;
use std::str::FromStr;
use std::sync::LazyLock;

use rlibphonenumber::phonenumber_matcher::{Leniency, PhoneNumberMatcherFactory};
use rlibphonenumber::{PHONE_NUMBER_UTIL, PhoneNumberUtil, Region};

use super::email::floor_boundary;
use super::{DigitRun, Found, Kind, ScrubError};

/// Minimum number of digits in a subscriber number, except on a few islands.
pub(super) const DIGITS_MIN: usize = 7;

/// Maximum number of digits in a number. E.164 allows 15; a trunk prefix in brackets and an exit code add a few.
const DIGITS_MAX: usize = 20;

/// Minimum number of digits after a plus sign. A shorter number is a count ("+500000 users"), because it is too short for
/// country code, area code and subscriber number.
const DIGITS_INTERNATIONAL_MIN: usize = 8;

/// The E.164 maximum, for the rule about phone words.
const DIGITS_BESIDE_WORD_MAX: usize = 15;

/// After this many consecutive groups that start like dialed numbers but are not, the row counts as a table of figures. From
/// there on, only groups with a plus sign are tried.
const ROW_MISSES_MAX: usize = 32;

/// How far before a number to look for a word that shows the number's kind: about half a short sentence.
const WORD_REACH_BYTES: usize = 32;

word_sets! {
    /// Words that announce a phone number.
    PHONE_WORDS = "
        tel telephone phone phones cell cellphone mobile mob fax call calling dial ring sms whatsapp signal text landline
        hotline voicemail contact telefon telefonnummer telefonisch handy handynummer mobil mobilnummer nummer rufnummer
        festnetz anrufen durchwahl téléphone téléphoner portable appeler appelez teléfono telefono móvil movil celular llamar
        llama cellulare chiama telefone telemóvel telefoon mobiel bel number numéro número тел телефон номер
    ";

    /// Words that announce some other kind of number.
    OTHER_WORDS = "
        order orders id ids isbn issn ean gtin upc imei invoice ticket tracking serial version build uuid guid sku ref
        reference account timestamp epoch unix commit case part model lat lon long lng latitude longitude coordinates gps
        issue pr port pid page pages zip plz vat tax steuernummer patent doi rfc bestellung bestellnummer rechnung
        rechnungsnummer kundennummer sendungsnummer auftrag artikel artikelnummer row rows line lines bytes population hash
        checksum crc seed error code article booking reservation confirmation customer member transaction txn batch lot
        release since date time arxiv pmid orcid
    ";
}

/// The matcher's patterns and numbering plans, compiled once per process.
static MATCHERS: LazyLock<PhoneNumberMatcherFactory<PhoneNumberUtil, &'static PhoneNumberUtil>> =
    LazyLock::new(PhoneNumberMatcherFactory::new);

/// The phone number detector, with the configured regions.
pub(super) struct Phones {
    regions: Vec<Region>,
}

/// Digit groups that a person would read as one number.
struct Candidate<'r> {
    runs: &'r [DigitRun],
    start: usize,
    end: usize,
    digits: usize,
}

impl Phones {
    pub(super) fn new(regions: &[String]) -> Result<Self, ScrubError> {
        let regions = regions
            .iter()
            .map(|region| {
                let known = Region::from_str(&region.to_ascii_uppercase()).ok();
                let dialled = known.filter(|region| PHONE_NUMBER_UTIL.get_country_code_for_region(*region).is_some());
                dialled.ok_or_else(|| ScrubError::Region { region: region.clone() })
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { regions })
    }

    pub(super) fn find(&self, text: &str, runs: &[DigitRun], out: &mut Vec<Found>) {
        let mut at = 0;
        let mut broken: Option<Candidate<'_>> = None;
        while let Some(candidate) = next_candidate(text, &runs[at..]) {
            at += candidate.runs.len();
            let found_before = out.len();
            self.judge(text, &candidate, out);
            // A number broken at the end of a line may continue on the next line.
            if let Some(first) = broken.take()
                && out.len() == found_before
                && is_line_break(&text[first.end..candidate.start])
            {
                let joined = &runs[at - candidate.runs.len() - first.runs.len()..at];
                let whole =
                    Candidate { runs: joined, start: first.start, end: candidate.end, digits: first.digits + candidate.digits };
                self.judge(text, &whole, out);
            }
            if out.len() == found_before {
                broken = Some(candidate);
            }
        }
    }

    /// Adds the phone numbers found in a candidate.
    fn judge(&self, text: &str, candidate: &Candidate<'_>, out: &mut Vec<Found>) {
        if candidate.digits < DIGITS_MIN {
            return;
        }
        if candidate.digits > DIGITS_MAX {
            return self.judge_row(text, candidate, out);
        }
        let is_international = text.as_bytes()[candidate.start] == b'+' || text[candidate.start..].starts_with("(+");
        let word = nearest_word(text, candidate.start);
        let is_harmless =
            word != Some(Word::Phone) && !is_international && (word == Some(Word::Other) || looks_harmless(text, candidate));
        if is_harmless
            || is_date(text, candidate.runs)
            || super::net::ipv4(text, &candidate.runs[..candidate.runs.len().min(4)]).is_some()
        {
            return;
        }
        let before = out.len();
        self.match_numbers(text, candidate.start..candidate.end, out);
        let is_beside_word = word == Some(Word::Phone) && (DIGITS_MIN..=DIGITS_BESIDE_WORD_MAX).contains(&candidate.digits);
        // With a plus sign, a number is accepted even if no region has assigned it. Examples are numbers reserved for fiction
        // and newly opened ranges.
        let is_full = is_international && (DIGITS_INTERNATIONAL_MIN..=DIGITS_BESIDE_WORD_MAX).contains(&candidate.digits);
        if out.len() == before && (is_beside_word || is_full) {
            let digits = candidate.runs.iter().map(|run| &text[run.start..run.end]).collect();
            out.push(Found::new(Kind::Phone, candidate.start..candidate.end, digits));
        }
    }

    /// Splits a row of digit groups that is too long for one number. Each part without spaces is judged separately. Each group
    /// that starts like a dialed number is judged together with as many following groups as fit in one number. Nothing else is
    /// tried, so that tables of figures are processed quickly.
    fn judge_row(&self, text: &str, row: &Candidate<'_>, out: &mut Vec<Found>) {
        let bytes = text.as_bytes();
        let mut from = row.start;
        let mut misses = 0;
        for (i, run) in row.runs.iter().enumerate() {
            let before = run.start.checked_sub(1).map_or(b' ', |at| bytes[at]);
            let is_opened = matches!(before, b'+' | b'(');
            if run.start < from
                || (misses > ROW_MISSES_MAX && before != b'+')
                || !(is_opened || before.is_ascii_whitespace() || run.start == row.start)
            {
                continue;
            }
            let is_dialled = is_opened || (bytes[run.start] == b'0' && run.len() > 1);
            let mut digits = 0;
            let mut end = run.start;
            let count = row.runs[i..]
                .iter()
                .take_while(|next| {
                    let is_apart = next.start > run.start && bytes[next.start - 1].is_ascii_whitespace();
                    digits += next.len();
                    let is_part = digits <= DIGITS_BESIDE_WORD_MAX && (is_dialled || !is_apart) && next.start <= end + 3;
                    end = if is_part { next.end } else { end };
                    is_part
                })
                .count();
            let runs = &row.runs[i..i + count];
            let part = Candidate {
                runs,
                start: run.start - usize::from(is_opened),
                end,
                digits: runs.iter().map(|run| run.len()).sum(),
            };
            let found_before = out.len();
            self.judge(text, &part, out);
            from = out[found_before..].iter().map(|found| found.range.end).max().unwrap_or(from);
            misses = if out.len() > found_before { 0 } else { misses + usize::from(is_dialled) };
        }
    }

    /// Runs libphonenumber's matcher on a range. The matcher receives an ASCII copy with one byte for each byte of the text, and
    /// one character of context on either side, because it rejects numbers that touch letters.
    fn match_numbers(&self, text: &str, range: Range<usize>, out: &mut Vec<Found>) {
        let before = text[..range.start].chars().next_back().map_or(0, char::len_utf8);
        let end = range.end + extension_len(&text[range.end..]);
        let after = text[end..].chars().next().map_or(0, char::len_utf8);
        let from = range.start - before;
        let ascii: String = text.as_bytes()[from..end + after]
            .iter()
            .map(|byte| match byte {
                b'\r' | b'\n' | b'\t' => ' ',
                0x80.. => '.',
                _ => *byte as char,
            })
            .collect();
        let regions = self.regions.iter().copied();
        let matcher = MATCHERS.matcher_builder(&ascii).leniency(Leniency::Valid).regions(regions).build_fallible();
        for found in matcher.flatten() {
            let start = from + found.start;
            let key = format!("+{}{}", found.number.country_code, found.number.national_number);
            out.push(Found::new(Kind::Phone, start..start + found.raw_string.len(), key));
        }
    }
}

/// The next digit groups that are joined like parts of a phone number, all on one line.
fn next_candidate<'r>(text: &str, runs: &'r [DigitRun]) -> Option<Candidate<'r>> {
    let bytes = text.as_bytes();
    let first = runs.first()?;
    let mut start = first.start;
    while start > 0 && matches!(bytes[start - 1], b'+' | b'(') && first.start - start < 2 {
        start -= 1;
    }
    let joined = runs.windows(2).take_while(|pair| is_gap(&bytes[pair[0].end..pair[1].start])).count();
    let runs = &runs[..=joined];
    let end = runs.last()?.end;
    Some(Candidate { runs, start, end, digits: runs.iter().map(|run| run.len()).sum() })
}

/// True for a separator between two groups of one number: " ", "-", ".", "/", ") ", " (", ")-", " - ", but not two spaces.
fn is_gap(gap: &[u8]) -> bool {
    gap.len() <= 3 && gap.iter().all(|byte| b" .-/()~\t".contains(byte)) && gap != b"  " && gap != b"   "
}

/// True for a line break between two halves of a number, possibly with an indent or a ">".
fn is_line_break(gap: &str) -> bool {
    gap.len() <= 4 && gap.matches('\n').count() == 1 && gap.bytes().all(|byte| b" -\r\n\t>".contains(&byte))
}

/// The length of an extension directly after a number: " ext. 12", "x12".
fn extension_len(after: &str) -> usize {
    let trimmed = after.trim_start_matches([' ', ',']);
    let Some(word) = ["extension", "ext.", "ext", "x"].into_iter().find(|word| trimmed.starts_with(word)) else { return 0 };
    let rest = trimmed[word.len()..].trim_start_matches([' ', '.', ':']);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if (1..=6).contains(&digits) { after.len() - rest.len() + digits } else { 0 }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    Phone,
    Other,
}

/// The nearest word before `at`, on the same line, that indicates what kind of number follows.
fn nearest_word(text: &str, at: usize) -> Option<Word> {
    let from = floor_boundary(text, at.saturating_sub(WORD_REACH_BYTES));
    let before = text[from..at].rsplit('\n').next()?.to_lowercase();
    if before.ends_with("wa.me/") {
        return Some(Word::Phone);
    }
    before.rsplit(|c: char| !c.is_alphabetic()).find_map(|word| {
        if PHONE_WORDS.contains(&word) {
            Some(Word::Phone)
        } else if OTHER_WORDS.contains(&word) {
            Some(Word::Other)
        } else {
            None
        }
    })
}

/// True if a candidate looks like an identifier, a timestamp or a measurement. Used only if no word before the candidate shows
/// which kind of number it is.
fn looks_harmless(text: &str, candidate: &Candidate<'_>) -> bool {
    let bytes = text.as_bytes();
    let before = candidate.start.checked_sub(1).map(|i| bytes[i]);
    let after = bytes.get(candidate.end).copied();
    let joins = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_part = joins(before)
        || joins(after)
        || before.is_some_and(|byte| b"#/=.,-&\\$%".contains(&byte) && !(byte == b'-' && is_space(bytes, candidate.start, 2)))
        || after.is_some_and(|byte| b"%$/=".contains(&byte))
        || (matches!(after, Some(b'-' | b'.' | b',' | b':'))
            && bytes.get(candidate.end + 1).is_some_and(u8::is_ascii_alphanumeric));
    if is_part {
        return true;
    }
    let digits: Vec<&str> = candidate.runs.iter().map(|run| &text[run.start..run.end]).collect();
    match digits.as_slice() {
        // Unix seconds or milliseconds, EAN codes, long identifiers, or compact dates.
        [one] => {
            let is_compact_date = one.len() == 8 && (one.starts_with("19") || one.starts_with("20"));
            one.len() > 12 || is_compact_date || (one.len() == 10 && one.starts_with('1'))
        }
        // 52.520008 and 3.14159265
        [_, _] if bytes[candidate.runs[0].end] == b'.' => true,
        groups => {
            let all = groups.concat();
            let is_isbn = all.len() == 13 && (all.starts_with("978") || all.starts_with("979"));
            // 1.234.567 is a figure, but phone numbers in Prague are written like 212 345 678.
            let is_figure = groups[0].len() <= 3
                && !groups[0].starts_with('0')
                && all.len() <= 9
                && groups[1..].iter().all(|group| group.len() == 3);
            let is_figure = is_figure && groups.len() > 1 && bytes[candidate.runs[0].end] == b'.';
            // 123-45-6789 has the shape of a social security number and cannot be a phone number.
            let is_ssn_shaped =
                matches!(groups, [a, b, c] if (a.len(), b.len(), c.len()) == (3, 2, 4)) && bytes[candidate.runs[0].end] == b'-';
            is_isbn || is_ssn_shaped || (is_figure && bytes[candidate.start] != b'(')
        }
    }
}

fn is_space(bytes: &[u8], at: usize, back: usize) -> bool {
    at.checked_sub(back).is_none_or(|i| bytes[i].is_ascii_whitespace())
}

/// True if the groups start like a date or a timestamp: 2024-01-31, 31.1.2024, 1/31/24.
fn is_date(text: &str, runs: &[DigitRun]) -> bool {
    let [a, b, c, ..] = runs else { return false };
    let separator = &text[a.end..b.start];
    if separator != &text[b.end..c.start] || !matches!(separator, "-" | "/" | "." | " ") {
        return false;
    }
    let value = |run: &DigitRun| text[run.start..run.end].parse::<u32>().unwrap_or(u32::MAX);
    let is_day_and_month = |x: u32, y: u32| x.min(y) >= 1 && x.min(y) <= 12 && x.max(y) <= 31;
    let is_year = |run: &DigitRun| run.len() == 4 && (1000..=2999).contains(&value(run));
    let year_first = is_year(a) && b.len() <= 2 && c.len() <= 2 && is_day_and_month(value(b), value(c));
    let year_last = a.len() <= 2
        && b.len() <= 2
        && (is_year(c) || (c.len() == 2 && separator != " "))
        && is_day_and_month(value(a), value(b));
    year_first || (year_last && (runs.len() == 3 || c.len() == 4))
}
