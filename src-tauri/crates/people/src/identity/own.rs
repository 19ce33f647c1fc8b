//! Separates the writer's own words in a message from their signature and from other people's text.
//!
//! Quoted lines, replies below, forwarded mail, pasted chats and code count as someone else's (ARCHITECTURE.md, invariant 12): a
//! contact detail or "I'm @mara" in them says nothing about the writer.

use crate::identity::rules::{CLOSING_CHARS_MAX, SIGNATURE_LINE_CHARS_MAX, SIGNATURE_LINES_MAX};
use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use keepsake_text::{Form, borrowed};
use regex::Regex;

use super::name::{Names, fold};

/// A message divided into parts; all ranges are in bytes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct OwnText {
    /// Sentences in the writer's own words, in order.
    pub(super) sentences: Vec<Range<usize>>,
    /// The lines of the writer's own signature.
    pub(super) signature: Vec<Range<usize>>,
}

static CLOSING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)^(?:(?:with |many )?(?:best|kind|kindest|warm|warmest)(?: regards| wishes)?|regards|cheers|thanks(?: again| a lot| in advance)?|many thanks|thank you|sincerely(?: yours)?|yours(?: sincerely| truly| faithfully)?|best|all the best|take care|love|xx?|(?:mit )?(?:viele|beste|liebe|herzliche|freundliche|freundlichen|besten|vielen|lieben)n? (?:grüße|grüßen|gruß|grüsse|dank)|gruß|grüße|lg|mfg|vg|danke(?: und gruß)?|cordialement|bien à (?:toi|vous)|bien cordialement|amicalement|bises|merci(?: d'avance)?|(?:un )?saludos?(?: cordiales)?|atentamente|un abrazo|abrazos|gracias|abraços?|atenciosamente|obrigad[oa])[\s,.!–-]*$",
    )
    .ok()
});

/// Lines of pasted chats: `Mara: text`, `[12:03] Mara Lind: text`, `<mara> text`, `Mara, [12.03.26 10:01]`.
static CHAT_LINE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^(?:\[?[\d:./, -]{4,24}(?:[AaPp][Mm])?\]?\s*[-–]?\s*)?(?:<(?P<nick>[^<>@\s]{1,40})>\s|(?P<irc>[\p{L}\p{N}_.|-]{2,30})>\s|(?P<name>\p{Lu}[\p{L}'’.-]*(?: \p{Lu}[\p{L}'’.-]*){0,3}):\s+\S)",
    )
    .ok()
});

/// Labels before a colon that do not name a speaker.
const LABELS: &[&str] = &[
    "email", "e-mail", "mail", "phone", "tel", "telephone", "mobile", "cell", "matrix", "signal", "telegram", "whatsapp",
    "github", "web", "website", "address", "contact", "ps", "p.s", "note", "update", "edit", "fyi", "btw", "re", "hi", "hello",
    "telefon", "handy", "mobil", "nummer", "adresse", "tél", "portable", "courriel", "móvil", "correo", "discord", "slack",
    "mastodon", "reminder", "question", "number", "reach me", "new number", "new email", "my email", "my number", "gitlab",
    "irc", "simplex", "threema", "keybase", "twitter", "linkedin", "skype", "fediverse", "also", "one more thing", "heads-up",
    "heads", "info", "important", "wichtig", "achtung", "news", "correction", "announcement", "attention", "hinweis",
    "neue nummer", "kontakt",
];

/// The names by which text may refer to its speakers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Voices<'a> {
    /// The writer's names.
    pub(super) own: &'a Names,
    /// Every part of every known name, in lowercase without accents.
    pub(super) all: &'a HashSet<String>,
}

impl OwnText {
    /// Divides `text` into its parts.
    pub(super) fn of(text: &str, voices: Voices<'_>) -> Self {
        let names = voices.own;
        let lines = own_lines(text, voices);
        let begin = signature_begin(text, &lines, names);
        let mut own = Self::default();
        for (index, line) in lines.iter().enumerate() {
            match begin {
                Some(begin) if index >= begin => own.signature.push(line.clone()),
                _ => push_sentences(text, line.clone(), &mut own.sentences),
            }
        }
        own
    }
}

fn own_lines(text: &str, voices: Voices<'_>) -> Vec<Range<usize>> {
    // The names are known here, so this module recognizes chat speakers better than formatting does; dialogue is therefore not
    // excluded by its form. A contact in `code` still counts.
    let is_shape = |form: Form| {
        matches!(form, Form::Fence | Form::QuotedLine | Form::Mail | Form::Captions | Form::Post | Form::Placeholder)
    };
    let borrowed: Vec<Range<usize>> = borrowed(text).into_iter().filter(|one| is_shape(one.form)).map(|one| one.bytes).collect();
    let mut lines = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let trimmed = line.trim();
        let is_borrowed = borrowed.iter().any(|range| range.start <= start && start < range.end);
        if trimmed.is_empty() || is_borrowed || trimmed.starts_with('|') || is_anothers(trimmed, voices) {
            continue;
        }
        let begin = start + (line.len() - line.trim_start().len());
        lines.push(begin..begin + trimmed.len());
    }
    lines
}

/// True if a line of a pasted chat belongs to someone else: it has a time of day, a known name, or a single unknown word that is
/// not a label.
fn is_anothers(line: &str, voices: Voices<'_>) -> bool {
    let Some(found) = CHAT_LINE.as_ref().and_then(|chat| chat.captures(line)) else { return false };
    let Some(speaker) = found.name("name").or_else(|| found.name("nick")).or_else(|| found.name("irc")) else { return false };
    let is_stamped = speaker.start() > 0;
    let speaker = speaker.as_str();
    if voices.own.answers_to(speaker) {
        return false;
    }
    let words: Vec<String> = speaker.split_whitespace().map(fold).collect();
    let is_label = LABELS.contains(&speaker.to_lowercase().trim_end_matches('.'))
        || words.iter().any(|word| LABELS.contains(&word.as_str()));
    !is_label && (is_stamped || words.len() == 1 || words.iter().any(|word| voices.all.contains(word)))
}

/// The index in `lines` at which the signature begins.
fn signature_begin(text: &str, lines: &[Range<usize>], names: &Names) -> Option<usize> {
    let line = |index: usize| lines.get(index).and_then(|range| text.get(range.clone())).unwrap_or("");
    let is_short = |from: usize| {
        lines.len() - from <= SIGNATURE_LINES_MAX
            && (from..lines.len()).all(|index| line(index).chars().count() <= SIGNATURE_LINE_CHARS_MAX)
    };
    let names_self = |from: usize| {
        names.is_empty()
            || (from..lines.len().min(from + 3)).any(|index| {
                let bare = line(index).trim_matches(|c: char| !c.is_alphanumeric());
                let head = bare.split([',', '|', '(', '–', '—', '/']).next().unwrap_or(bare).trim();
                names.answers_to(head)
            })
    };
    for index in 0..lines.len() {
        let shown = line(index);
        let is_fence = matches!(shown, "--" | "—" | "---" | "––" | "___" | "__");
        let is_closing =
            shown.chars().count() <= CLOSING_CHARS_MAX && CLOSING.as_ref().is_some_and(|closing| closing.is_match(shown));
        if (is_fence || is_closing) && index + 1 < lines.len() && is_short(index + 1) && names_self(index + 1) {
            return Some(index + 1);
        }
    }
    None
}

/// Abbreviations whose period does not end a sentence.
const ABBREVIATIONS: &[&str] =
    &["tel", "nr", "no", "mr", "mrs", "ms", "dr", "prof", "e.g", "i.e", "z.b", "p.s", "ph", "mob", "num", "sr", "sra", "st"];

fn push_sentences(text: &str, line: Range<usize>, out: &mut Vec<Range<usize>>) {
    let Some(slice) = text.get(line.clone()) else { return };
    let mut start = 0;
    let mut chars = slice.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if !matches!(c, '.' | '!' | '?' | '…') {
            continue;
        }
        let end = at + c.len_utf8();
        let ends = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
        let word = slice.get(start..at).unwrap_or("").rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or("");
        if ends && !(c == '.' && ABBREVIATIONS.contains(&word.to_lowercase().as_str())) {
            push(slice, start..end, line.start, out);
            start = end;
        }
    }
    push(slice, start..slice.len(), line.start, out);
}

fn push(slice: &str, range: Range<usize>, offset: usize, out: &mut Vec<Range<usize>>) {
    let piece = slice.get(range.clone()).unwrap_or("");
    let trimmed = piece.trim();
    if trimmed.chars().any(char::is_alphanumeric) {
        let start = offset + range.start + (piece.len() - piece.trim_start().len());
        out.push(start..start + trimmed.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(writer: &str, text: &str, sentences: &[&str], signature: &[&str]) {
        let all = ["jonas", "berg", "mara", "lind"].map(str::to_owned).into_iter().collect();
        let own = OwnText::of(text, Voices { own: &Names::read([writer].into_iter()), all: &all });
        let show = |ranges: &[Range<usize>]| ranges.iter().map(|range| text[range.clone()].to_owned()).collect::<Vec<_>>();
        assert_eq!(
            (show(&own.sentences), show(&own.signature)),
            (sentences.iter().map(|s| s.to_string()).collect(), signature.iter().map(|s| s.to_string()).collect()),
            "{text:?}"
        );
    }

    #[test]
    fn quotations_forwards_and_pasted_chat_are_not_own_words() {
        check("Mara Lind", "Sure.\n\nOn Mon, 3 May 2027, Jonas Berg wrote:\nmy email is j@x.org", &["Sure."], &[]);
        check("Mara Lind", "> I'm @jonas\nnice one", &["nice one"], &[]);
        check("Mara Lind", "[12:03] Jonas Berg: I'm @jonas on Matrix", &[], &[]);
        check("Mara Lind", "Jonas wrote:\nI'm @jonas", &[], &[]);
        check("Mara Lind", "Fwd\n---------- Forwarded message ---------\nFrom: x", &["Fwd"], &[]);
        check("Mara Lind", "From: Jonas\nTo: Mara\nmy number is 1", &[], &[]);
        check("Mara Lind", "About Kestrel: it works", &["About Kestrel: it works"], &[]);
        check("Mara Lind", "Email: mara@example.org", &["Email: mara@example.org"], &[]);
    }

    #[test]
    fn a_signature_is_the_writers_own_only_under_their_own_name() {
        check(
            "Mara Lind",
            "See you. Bye.\n\nBest regards,\nMara Lind\nTel. +49 30 1",
            &["See you.", "Bye.", "Best regards,"],
            &["Mara Lind", "Tel. +49 30 1"],
        );
        check("Mara Lind", "Ask him.\n\n--\nJonas Berg\n+49 30 1", &["Ask him.", "Jonas Berg", "+49 30 1"], &[]);
    }
}
