//! Finds numbers that can be validated: IBANs (ISO 13616, mod 97 and length by country), payment cards (ISO 7812, Luhn digit
//! and issuer prefix), and US social security numbers (by excluding the ranges that the SSA never issues).

use super::{DigitRun, Found, Kind};

/// Length of an IBAN by country (SWIFT IBAN registry, release 99).
const IBAN_LENGTHS: &[(&[u8; 2], usize)] = &[
    (b"AD", 24),
    (b"AE", 23),
    (b"AL", 28),
    (b"AT", 20),
    (b"AZ", 28),
    (b"BA", 20),
    (b"BE", 16),
    (b"BG", 22),
    (b"BH", 22),
    (b"BI", 27),
    (b"BR", 29),
    (b"BY", 28),
    (b"CH", 21),
    (b"CR", 22),
    (b"CY", 28),
    (b"CZ", 24),
    (b"DE", 22),
    (b"DJ", 27),
    (b"DK", 18),
    (b"DO", 28),
    (b"EE", 20),
    (b"EG", 29),
    (b"ES", 24),
    (b"FI", 18),
    (b"FK", 18),
    (b"FO", 18),
    (b"FR", 27),
    (b"GB", 22),
    (b"GE", 22),
    (b"GI", 23),
    (b"GL", 18),
    (b"GR", 27),
    (b"GT", 28),
    (b"HN", 28),
    (b"HR", 21),
    (b"HU", 28),
    (b"IE", 22),
    (b"IL", 23),
    (b"IQ", 23),
    (b"IS", 26),
    (b"IT", 27),
    (b"JO", 30),
    (b"KW", 30),
    (b"KZ", 20),
    (b"LB", 28),
    (b"LC", 32),
    (b"LI", 21),
    (b"LT", 20),
    (b"LU", 20),
    (b"LV", 21),
    (b"LY", 25),
    (b"MC", 27),
    (b"MD", 24),
    (b"ME", 22),
    (b"MK", 19),
    (b"MN", 20),
    (b"MR", 27),
    (b"MT", 31),
    (b"MU", 30),
    (b"NI", 28),
    (b"NL", 18),
    (b"NO", 15),
    (b"OM", 23),
    (b"PK", 24),
    (b"PL", 28),
    (b"PS", 29),
    (b"PT", 25),
    (b"QA", 29),
    (b"RO", 24),
    (b"RS", 22),
    (b"RU", 33),
    (b"SA", 24),
    (b"SC", 31),
    (b"SD", 18),
    (b"SE", 24),
    (b"SI", 19),
    (b"SK", 24),
    (b"SM", 27),
    (b"SO", 23),
    (b"ST", 25),
    (b"SV", 28),
    (b"TL", 23),
    (b"TN", 24),
    (b"TR", 26),
    (b"UA", 29),
    (b"VA", 22),
    (b"VG", 24),
    (b"XK", 20),
    (b"YE", 30),
];

/// Maximum length of the separator between two groups of a number: a space, a dash between spaces, or a line break with an
/// indent.
const GAP_BYTES_MAX: usize = 4;

/// Finds IBANs: two letters of a known country directly before a two-digit check number.
pub(super) fn find_ibans(text: &str, runs: &[DigitRun], out: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    for run in runs {
        let Some(start) = iban_start(bytes, run.start) else { continue };
        let country = [bytes[start].to_ascii_uppercase(), bytes[start + 1].to_ascii_uppercase()];
        let Ok(i) = IBAN_LENGTHS.binary_search_by(|(code, _)| (*code).cmp(&country)) else { continue };
        let Some((iban, end)) = collect_iban(bytes, start, IBAN_LENGTHS[i].1) else { continue };
        let is_whole = !bytes.get(end).is_some_and(u8::is_ascii_alphanumeric);
        if is_whole && mod_97(&iban) == 1 {
            out.push(Found::new(Kind::Iban, start..end, iban));
        }
    }
}

/// The start of an IBAN whose first digit is at `digit`. The spelling "DE 89" is accepted.
fn iban_start(bytes: &[u8], digit: usize) -> Option<usize> {
    let letters_end = if digit > 0 && bytes[digit - 1] == b' ' { digit - 1 } else { digit };
    let start = letters_end.checked_sub(2)?;
    let is_country = bytes[start..letters_end].iter().all(u8::is_ascii_alphabetic);
    let is_fresh = start == 0
        || !bytes[start - 1].is_ascii_alphanumeric()
        || bytes[..start].last_chunk::<4>().is_some_and(|word| word.eq_ignore_ascii_case(b"IBAN"));
    (is_country && is_fresh).then_some(start)
}

/// Reads `length` letters and digits from `start`, skipping separators. Returns them with the position where they end.
fn collect_iban(bytes: &[u8], start: usize, length: usize) -> Option<(String, usize)> {
    let mut iban = String::with_capacity(length);
    let mut gap = 0;
    for (i, byte) in bytes.iter().enumerate().skip(start) {
        if byte.is_ascii_alphanumeric() {
            iban.push(byte.to_ascii_uppercase() as char);
            gap = 0;
            if iban.len() == length {
                return Some((iban, i + 1));
            }
        } else if b" -.\t\r\n>".contains(byte) && gap < GAP_BYTES_MAX {
            gap += 1;
        } else {
            return None;
        }
    }
    None
}

/// Computes ISO 7064 mod 97-10 over the rearranged IBAN. The result is 1 for a valid IBAN.
fn mod_97(iban: &str) -> u32 {
    let (head, tail) = iban.split_at(4);
    tail.chars().chain(head.chars()).filter_map(|c| c.to_digit(36)).fold(0, |rest, value| {
        let shift = if value > 9 { 100 } else { 10 };
        (rest * shift + value) % 97
    })
}

/// Finds payment cards: 12 to 19 digits, grouped or not, with an issuer's prefix and a valid Luhn digit.
pub(super) fn find_cards(text: &str, runs: &[DigitRun], out: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    let mut next_free = 0;
    for (i, first) in runs.iter().enumerate() {
        if first.start < next_free || first.len() > 19 || first.len() < 3 || joins_word(bytes, first.start) {
            continue;
        }
        let mut digits = String::new();
        let mut best = None;
        for (k, run) in runs[i..].iter().enumerate() {
            if k > 0 && !joins_card(text, runs[i + k - 1], *run) {
                break;
            }
            digits.push_str(&text[run.start..run.end]);
            if digits.len() > 19 {
                break;
            }
            if is_card(&digits) && !bytes.get(run.end).is_some_and(u8::is_ascii_alphanumeric) {
                best = Some((digits.clone(), run.end));
            }
        }
        if let Some((digits, end)) = best {
            next_free = end;
            out.push(Found::new(Kind::Card, first.start..end, digits));
        }
    }
}

fn joins_word(bytes: &[u8], at: usize) -> bool {
    at > 0 && bytes[at - 1].is_ascii_alphabetic()
}

/// True if two groups can belong to one card number: a space, a dash or a line break separates them, and groups on the same
/// line have at most six digits each, because no issuer uses larger groups.
fn joins_card(text: &str, left: DigitRun, right: DigitRun) -> bool {
    const GROUP_DIGITS_MAX: usize = 6;
    let gap = &text[left.end..right.start];
    let is_grouped = left.len().max(right.len()) <= GROUP_DIGITS_MAX || gap.contains('\n');
    is_grouped
        && gap.len() <= GAP_BYTES_MAX
        && !gap.is_empty()
        && gap.bytes().all(|b| b" -.\t\r\n>".contains(&b))
        && gap.matches(['-', '.']).count() <= 1
}

/// True if the digits form a card number by prefix, length and Luhn digit (ISO 7812-1; prefixes from the issuers' public
/// tables).
fn is_card(digits: &str) -> bool {
    let prefix = |len: usize| digits.get(..len).and_then(|head| head.parse::<u32>().ok()).unwrap_or(0);
    let (two, three, four, six) = (prefix(2), prefix(3), prefix(4), prefix(6));
    let is_issued = match digits.len() {
        12 => matches!(four, 5018 | 5020 | 5038 | 5893 | 6304 | 6759 | 6761..=6763),
        13 => two / 10 == 4 || matches!(four, 5018 | 5020 | 5038 | 6304 | 6759 | 6761..=6763),
        14 => matches!(two, 36 | 38 | 39) || matches!(three, 300..=305 | 309),
        15 => matches!(two, 34 | 37) || matches!(four, 1800 | 2131),
        16 => {
            two / 10 == 4
                || matches!(two, 36 | 51..=55 | 62 | 65 | 81 | 82)
                || matches!(three, 508 | 644..=649)
                || matches!(four, 2200..=2204 | 2221..=2720 | 3528..=3589 | 6011 | 5018 | 5020 | 5038 | 6304 | 6759 | 6761..=6763)
                || matches!(six, 506_099..=506_198 | 606_985..=607_984)
        }
        17 | 18 => two == 62 || matches!(four, 2200..=2204 | 5018 | 5020 | 5038 | 6304 | 6759 | 6761..=6763),
        19 => {
            two / 10 == 4
                || matches!(two, 62 | 65)
                || matches!(four, 2200..=2204 | 3528..=3589 | 6011 | 5018 | 5020 | 5038 | 6304 | 6759 | 6761..=6763)
        }
        _ => false,
    };
    is_issued && luhn(digits)
}

fn luhn(digits: &str) -> bool {
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(i, byte)| {
            let value = u32::from(byte - b'0') * if i % 2 == 1 { 2 } else { 1 };
            if value > 9 { value - 9 } else { value }
        })
        .sum();
    sum.is_multiple_of(10)
}

/// Finds US social security numbers: `AAA-GG-SSSS` with the same separator twice, or nine digits after a term such as "SSN".
pub(super) fn find_ssns(text: &str, runs: &[DigitRun], out: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    for (i, run) in runs.iter().enumerate() {
        if run.len() == 9 && names_ssn(bytes, run.start) {
            let digits = &text[run.start..run.end];
            if is_ssn(&digits[..3], &digits[3..5], &digits[5..]) {
                out.push(Found::new(Kind::Ssn, run.start..run.end, digits.to_owned()));
            }
        }
        let [area, group, serial] = runs[i..].first_chunk().copied().unwrap_or_default();
        if (area.len(), group.len(), serial.len()) != (3, 2, 4) {
            continue;
        }
        let (first, second) = (&text[area.end..group.start], &text[group.end..serial.start]);
        let is_alone = !touches(bytes, area.start.wrapping_sub(1)) && !touches(bytes, serial.end);
        let is_joined = first == second && matches!(first, "-" | " " | ".");
        let is_clear = first == "-" || names_ssn(bytes, area.start);
        let (a, g, s) = (&text[area.start..area.end], &text[group.start..group.end], &text[serial.start..serial.end]);
        if is_alone && is_joined && is_clear && is_ssn(a, g, s) {
            out.push(Found::new(Kind::Ssn, area.start..serial.end, format!("{a}{g}{s}")));
        }
    }
}

fn touches(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
}

/// SSA: area 000, 666 and 900–999, group 00 and serial 0000 are never issued.
fn is_ssn(area: &str, group: &str, serial: &str) -> bool {
    area != "000" && area != "666" && !area.starts_with('9') && group != "00" && serial != "0000"
}

fn names_ssn(bytes: &[u8], at: usize) -> bool {
    /// Maximum distance from the term to the number, enough for a short phrase ("social security number is").
    const REACH_BYTES: usize = 40;
    let before = bytes[at.saturating_sub(REACH_BYTES)..at].to_ascii_lowercase();
    [b"ssn".as_slice(), b"social security", b"soc sec"].iter().any(|word| before.windows(word.len()).any(|w| w == *word))
}
