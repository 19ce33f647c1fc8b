//! Finds amounts of money with a small grammar: a sign or code, a number, a scale and a currency word, in either order. Amounts
//! written in words are also found.
//!
//! A number is an amount only next to a money indicator, so counts, years, percentages and versions are kept. Any spelling of a
//! number is accepted (`1,234.56`, `1.234,56`, `1 234,56`, `1'234.–`, `12,34,567`), because the value does not matter here.
//! Deliberately not covered: a bare number that only the context identifies as money ("it cost 500").

use std::ops::Range;

use super::amount_words as words;
use super::email::floor_boundary;
use super::normal::BARRIER;
use super::{DigitRun, Found, Kind};

/// Maximum length of a number written in words. It is enough for "two hundred and fifty-five thousand five hundred dollars".
const SPOKEN_BYTES_MAX: usize = 96;

/// Maximum distance between a money noun and the number after it.
const NOUN_REACH_BYTES: usize = 40;

/// The scale and currency after a number.
#[derive(Default, Clone, Copy)]
struct Tail {
    /// End of the scale, or of the number if there is no scale.
    scale_end: usize,
    scale: Option<Scale>,
    /// End of the currency, if there is one.
    currency_end: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Scale {
    /// A letter (k, M) that is a scale only next to a currency.
    Letter,
    /// A word such as "million".
    Word,
    /// A word that indicates money by itself ("lakh", "grand").
    Money,
}

/// Finds amounts with digits.
pub(super) fn find(text: &str, runs: &[DigitRun], out: &mut Vec<Found>) {
    let mut number_end = 0;
    for run in runs {
        if run.start < number_end {
            continue;
        }
        let number = run.start..number_end_from(text, run.start);
        number_end = number.end;
        if let Some(range) = amount_at(text, number) {
            number_end = number_end.max(range.end);
            let key = text[range.clone()].chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect();
            out.push(Found::new(Kind::Amount, range, key));
        }
    }
}

/// The range of the amount around a number, if there is a money indicator.
fn amount_at(text: &str, number: Range<usize>) -> Option<Range<usize>> {
    let tail = read_tail(text, number.end);
    let prefix = prefix_start(text, &number, tail.scale.is_some());
    // Ranges such as "$5-10k" and "5 to 10 million dollars" are one amount.
    if let Some(second) = second_of_range(text, tail.scale_end) {
        let second_tail = read_tail(text, second.end);
        let is_joined = text.as_bytes().get(tail.scale_end) == Some(&b'-');
        if let Some(end) = second_tail.currency_end {
            return Some(prefix.unwrap_or(number.start)..end);
        }
        if let Some(start) = prefix
            && (is_joined || second_tail.scale.is_some())
        {
            return Some(start..second_tail.scale_end);
        }
    }
    let is_boundary = !text[tail.scale_end..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    match (prefix, tail.currency_end) {
        (start, Some(end)) if suffix_is_money(text, &number, tail, end) => Some(start.unwrap_or(number.start)..end),
        (Some(start), _) if is_boundary || tail.scale.is_some() => Some(start..tail.scale_end),
        (Some(start), _) => Some(start..number.end),
        (None, _) if tail.scale == Some(Scale::Money) && !counts_things(text, tail.scale_end) => {
            Some(number.start..tail.scale_end)
        }
        (None, _) if tail.scale.is_some() && is_boundary && follows_money_noun(text, number.start) => {
            Some(number.start..tail.scale_end)
        }
        _ => None,
    }
}

/// Reads the scale and currency after a number that ends at `end`.
fn read_tail(text: &str, end: usize) -> Tail {
    let mut tail = Tail { scale_end: end, scale: None, currency_end: None };
    let (word_start, word) = next_word(text, end);
    if let Some((len, scale)) = read_scale(word, word_start == end) {
        tail.scale = Some(scale);
        tail.scale_end = word_start + len;
    }
    tail.currency_end = currency_end(text, tail.scale_end).or_else(|| {
        // A letter after a space is a scale only with a currency ("5 M€").
        let is_guess = tail.scale == Some(Scale::Letter) && word_start > end;
        if is_guess {
            tail = Tail { scale_end: end, scale: None, currency_end: None };
            currency_end(text, end)
        } else {
            None
        }
    });
    tail
}

/// The length and kind of the scale that `word` begins with. Directly after the number, a currency code may follow the scale
/// ("5kUSD").
fn read_scale(word: &str, is_attached: bool) -> Option<(usize, Scale)> {
    let lower = word.to_lowercase();
    let whole = |word: &str| {
        if words::MONEY_SCALES.contains(&word) {
            Some(Scale::Money)
        } else if words::SCALES.contains(word) {
            Some(if word.len() <= 2 && word.is_ascii() { Scale::Letter } else { Scale::Word })
        } else {
            None
        }
    };
    if let Some(scale) = whole(&lower) {
        return Some((word.len(), scale));
    }
    let bare = lower.trim_end_matches('.');
    if bare.len() < lower.len()
        && let Some(scale) = whole(bare)
    {
        return Some((word.len() - (lower.len() - bare.len()), scale));
    }
    if let Some(first) = word.chars().next().filter(|c| "万億亿千만억".contains(*c)) {
        return Some((first.len_utf8(), Scale::Letter));
    }
    let is_letter = is_attached && lower.starts_with(['k', 'm', 'b']);
    (is_letter && lower.get(1..).is_some_and(|rest| words::CODES.contains(rest))).then_some((1, Scale::Letter))
}

/// The end of a currency that begins at `at`: a sign, a code, or a word with up to two adjectives.
fn currency_end(text: &str, at: usize) -> Option<usize> {
    let mut at = at;
    for _ in 0..3 {
        let (start, word) = next_word(text, at);
        if let Some(sign) = text[start..].chars().next().filter(|c| words::SYMBOLS.contains(*c)) {
            // In "1111 $5", the sign belongs to the number after it.
            let end = start + sign.len_utf8();
            let is_next = start > at && text[end..].starts_with(|c: char| c.is_ascii_digit());
            return (!is_next).then_some(end);
        }
        if start == at && at > 0 && word.is_empty() {
            return None;
        }
        let lower = word.to_lowercase();
        let bare = lower.trim_end_matches('.');
        let is_money = words::SUFFIX_WORDS.contains(lower.as_str())
            || words::SUFFIX_WORDS.contains(bare)
            || words::CODES.contains(bare)
            || words::POUND_WORDS.contains(&bare)
            || words::RISKY_CODES.contains(&word.trim_end_matches('.'));
        if is_money {
            return Some(start + word.trim_end_matches('.').len());
        }
        if lower == "us" && text[start + word.len()..].starts_with('$') {
            return Some(start + word.len() + 1);
        }
        if let Some(first) = word.chars().next().filter(|c| "円元원块".contains(*c)) {
            return Some(start + first.len_utf8());
        }
        if !words::CURRENCY_ADJECTIVES.contains(&lower.as_str()) {
            return None;
        }
        at = start + word.len();
        if text[at..].starts_with('\'') {
            at += 1;
        }
    }
    None
}

/// True if a currency word after a number really means money. "Pounds" can also be a weight, and "Ft" a length.
fn suffix_is_money(text: &str, number: &Range<usize>, tail: Tail, end: usize) -> bool {
    let word = text[tail.scale_end..end].trim_start_matches([' ', '-', '\n', '\t']);
    let lower = word.to_lowercase();
    if words::POUND_WORDS.contains(&lower.as_str()) {
        let (_, after) = next_word(text, end);
        let is_weight = |word: &str| words::WEIGHT_WORDS.contains(&word.to_lowercase().as_str());
        return !is_weight(after) && !last_words(text, number.start, 3).iter().any(|word| is_weight(word));
    }
    match lower.as_str() {
        // "6 ft" is a length. Forint amounts have at least three digits.
        "ft" => word == "Ft" && number.len() >= 3,
        "p/m" => false,
        _ => true,
    }
}

/// The start of the currency before a number, including a minus sign before or after the currency.
fn prefix_start(text: &str, number: &Range<usize>, has_scale: bool) -> Option<usize> {
    let before = &text[floor_boundary(text, number.start.saturating_sub(16))..number.start];
    let lead = before.trim_end_matches(['-', '+', '~']);
    let near = lead.trim_end_matches([' ', '\t']);
    let gap = lead.len() - near.len();
    if gap > 2 || before.len() - lead.len() > 1 {
        return None;
    }
    let currency_end = number.start - (before.len() - near.len());
    let sign = near.chars().next_back()?;
    if words::SYMBOLS.contains(sign) {
        // US$, A$, R$, NT$
        let head = &near[..near.len() - sign.len_utf8()];
        let letters = head.bytes().rev().take_while(u8::is_ascii_uppercase).count();
        let is_own = letters <= 3 && !head[..head.len() - letters].ends_with(|c: char| c.is_alphanumeric());
        let start = currency_end - sign.len_utf8() - if is_own { letters } else { 0 };
        return Some(if text[..start].ends_with('-') && !text[..start - 1].ends_with(|c: char| c.is_alphanumeric()) {
            start - 1
        } else {
            start
        });
    }
    let word_len =
        near.chars().rev().take_while(|c| c.is_alphabetic() || *c == '.' || *c == '/').map(char::len_utf8).sum::<usize>();
    let word = &near[near.len() - word_len..];
    if word.is_empty() || near[..near.len() - word_len].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let lower = word.to_lowercase();
    let digits = text[number.clone()].bytes().filter(u8::is_ascii_digit).count();
    let is_capital = word.starts_with(char::is_uppercase);
    let is_code = words::CODES.contains(lower.as_str()) && (is_capital || !matches!(lower.as_str(), "tl" | "eth"));
    // "fr 3 lines" and "re 5" are not money, but "Fr. 5", "Rs 5", "rs 5" and "kr 5" are.
    let is_short =
        words::PREFIX_WORDS.contains(lower.as_str()) && (is_capital || lower.starts_with("rs") || lower.starts_with("kr"));
    let is_name = gap == 1 && matches!(lower.as_str(), "euro" | "dollar" | "rupees" | "franken");
    // "COP 28" and "TRY 5 times" are not money, but "TRY 1,500" is.
    let is_risky = words::RISKY_CODES.contains(word) && (digits >= 3 || has_scale);
    let is_money = is_code || is_short || is_name || is_risky;
    is_money.then(|| currency_end - word.len())
}

/// Finds amounts written in words before a money word at `hit`: "two million dollars", "fünfzig Euro".
pub(super) fn find_written_out(text: &str, hit: Range<usize>, out: &mut Vec<Found>) {
    let start =
        text[..hit.start].char_indices().rev().take_while(|(_, c)| c.is_alphabetic()).last().map_or(hit.start, |(i, _)| i);
    let end = hit.end + text[hit.end..].chars().take_while(|c| c.is_alphabetic()).map(char::len_utf8).sum::<usize>();
    let word = text[start..end].to_lowercase();
    let is_scale = words::MONEY_SCALES.contains(&word.as_str());
    let is_pound = words::POUND_WORDS.contains(&word.as_str());
    if !(is_scale || is_pound || words::SUFFIX_WORDS.contains(word.as_str()) || words::CODES.contains(word.as_str())) {
        return;
    }
    if (is_scale && counts_things(text, end))
        || (is_pound && words::WEIGHT_WORDS.contains(&next_word(text, end).1.to_lowercase().as_str()))
    {
        return;
    }
    let from = floor_boundary(text, start.saturating_sub(SPOKEN_BYTES_MAX));
    let mut first = start;
    let mut is_counted = false;
    let mut at = start;
    loop {
        let gap = text[from..at]
            .chars()
            .rev()
            .take_while(|c| matches!(c, ' ' | '-' | '\n' | '\r' | '\''))
            .map(char::len_utf8)
            .sum::<usize>();
        let head = &text[from..at - gap];
        let len = head.chars().rev().take_while(|c| c.is_alphabetic()).map(char::len_utf8).sum::<usize>();
        let token = head[head.len() - len..].to_lowercase();
        if gap == 0 || gap > 2 || token.is_empty() {
            break;
        }
        at -= gap + len;
        if is_spoken_number(&token) {
            is_counted = true;
            first = at;
            continue;
        }
        let is_adjective = !is_counted && words::CURRENCY_ADJECTIVES.contains(token.as_str());
        if !is_adjective && !words::NUMBER_LINKS.contains(token.as_str()) {
            break;
        }
    }
    if is_pound && last_words(text, first, 3).iter().any(|word| words::WEIGHT_WORDS.contains(&word.to_lowercase().as_str())) {
        return;
    }
    // In "half a million pounds", "half" is part of the amount.
    if is_counted {
        let links = text[from..first].to_lowercase();
        for lead in ["half a ", "a quarter ", "quarter of a ", "half-a-", "a ", "half "] {
            if links.ends_with(lead)
                && !links[..links.len() - lead.len()].ends_with(char::is_alphanumeric)
                && text.is_char_boundary(first - lead.len())
            {
                first -= lead.len();
                break;
            }
        }
        let key = text[first..end].to_lowercase().split_whitespace().collect();
        out.push(Found::new(Kind::Amount, first..end, key));
    }
}

/// The end of the number that begins at `start`, including groups, decimals and a trailing dash (`1.200,–`).
fn number_end_from(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let digits = |at: usize| bytes[at.min(bytes.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = start + digits(start);
    let mut is_spaced = end - start <= 3;
    loop {
        match bytes.get(end) {
            Some(b'.' | b',' | b'\'' | b'_') if digits(end + 1) > 0 => {
                is_spaced &= bytes[end] != b'_';
                end += 1 + digits(end + 1);
            }
            Some(b' ') if is_spaced && digits(end + 1) == 3 => end += 4,
            _ => break,
        }
    }
    let is_dashed = matches!(bytes.get(end), Some(b'.' | b',')) && bytes.get(end + 1) == Some(&b'-');
    if is_dashed { end + 2 + usize::from(bytes.get(end + 2) == Some(&b'-')) } else { end }
}

/// The second number of a range whose first number ends at `at`: "-10", " - 10", " to 10", " bis 10".
fn second_of_range(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = &text[at..];
    let link = ["-", " - ", " to ", " bis ", " and ", " und ", " or ", " oder ", " à ", " a ", " y ", " et "]
        .into_iter()
        .find(|link| rest.starts_with(link))?;
    let start = at + link.len();
    let start = start + text[start..].chars().next().filter(|c| words::SYMBOLS.contains(*c)).map_or(0, char::len_utf8);
    text[start..].starts_with(|c: char| c.is_ascii_digit()).then(|| start..number_end_from(text, start))
}

/// The next word after `at` and its start, skipping up to two spaces, line breaks or dashes. The word is empty if there is none.
fn next_word(text: &str, at: usize) -> (usize, &str) {
    let rest = &text[at..];
    let gap = rest.bytes().take(2).take_while(|byte| b" \t\n-".contains(byte)).count();
    let start = at + gap;
    let len = text[start..]
        .char_indices()
        .take(24)
        .take_while(|(i, c)| c.is_alphabetic() || (*c == '.' && *i > 0) || (*c == '/' && *i == 1))
        .map(|(i, c)| i + c.len_utf8())
        .last()
        .unwrap_or(0);
    (start, &text[start..start + len])
}

/// Up to `count` words before `at`, nearest first.
fn last_words(text: &str, at: usize, count: usize) -> Vec<&str> {
    let from = floor_boundary(text, at.saturating_sub(NOUN_REACH_BYTES));
    // A masked range ends the clause, as punctuation does. Otherwise a second pass would find more than the first.
    let clause = text[from..at].rsplit([';', ',', '.', '!', '?', '\n', BARRIER]).next().unwrap_or("");
    clause.rsplit(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).take(count).collect()
}

/// True if the word after the scale names people or things, so that the number is a count.
fn counts_things(text: &str, at: usize) -> bool {
    let (_, word) = next_word(text, at);
    words::COUNTED.contains(&word.trim_end_matches('.').to_lowercase().as_str())
}

/// True if a money noun precedes `at`, with only linking words in between.
fn follows_money_noun(text: &str, at: usize) -> bool {
    for word in last_words(text, at, 6) {
        let word = word.to_lowercase();
        if words::MONEY_NOUNS.contains(&word.as_str()) {
            return true;
        }
        if !words::NOUN_LINKS.contains(&word.as_str()) {
            return false;
        }
    }
    false
}

/// True if a word consists only of number words ("fünfhunderttausend").
fn is_spoken_number(word: &str) -> bool {
    let mut rest = word;
    while !rest.is_empty() {
        let joined = rest.strip_prefix("und").filter(|_| rest.len() < word.len());
        let piece = words::NUMBER_PIECES.iter().filter(|piece| rest.starts_with(**piece)).map(|piece| piece.len()).max();
        match (piece, joined) {
            (Some(len), _) => rest = &rest[len..],
            (None, Some(tail)) => rest = tail,
            _ => return false,
        }
    }
    !word.is_empty()
}
