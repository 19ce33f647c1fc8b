//! Cues, the common form into which every kind of transcript is read. Also reads the clock times and speaker labels of all
//! kinds.
//!
//! Not here: the kinds of transcripts (`cues`, `fireflies`, `meet`).

use keepsake_domain::Timestamp;

/// A piece of speech, as divided in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cue {
    /// Milliseconds from the start of the recording, or of the day if `is_clock`.
    pub(crate) start_ms: i64,
    pub(crate) end_ms: Option<i64>,
    /// The label as written, if the format has one.
    pub(crate) speaker: Option<String>,
    pub(crate) text: String,
}

/// The contents of a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Cues {
    pub(crate) cues: Vec<Cue>,
    /// True if the times are times of day.
    pub(crate) is_clock: bool,
    /// True if the lines have no times.
    pub(crate) is_untimed: bool,
    /// The meeting's name, if the file contains it.
    pub(crate) title: Option<String>,
    /// The start of the meeting, if a field in the file gives it.
    pub(crate) begun: Option<Timestamp>,
    /// Records that could not be read.
    pub(crate) malformed: Vec<String>,
    /// Lines that are neither a cue nor a known addition.
    pub(crate) strays: Vec<String>,
    /// Cue blocks without text.
    pub(crate) empty: Vec<String>,
}

/// Maximum length of a speaker label, in characters.
pub(super) const LABEL_CHARS_MAX: usize = 60;

/// Maximum length of a speaker label, in words.
pub(super) const LABEL_WORDS_MAX: usize = 6;

/// Converts `H:MM:SS.mmm`, `MM:SS,mmm` or `M:SS` to milliseconds.
pub(super) fn clock(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once(['.', ',']).unwrap_or((text, ""));
    let mut fields = whole.split(':');
    let mut seconds = 0i64;
    let mut count = 0;
    for field in &mut fields {
        if field.is_empty() || field.len() > 4 || !field.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        seconds = seconds * 60 + field.parse::<i64>().ok()?;
        count += 1;
    }
    let fraction_ms = match fraction.len() {
        0 => 0,
        1..=9 if fraction.bytes().all(|b| b.is_ascii_digit()) => format!("{fraction:0<3}")[..3].parse().ok()?,
        _ => return None,
    };
    matches!(count, 2 | 3).then_some(seconds * 1000 + fraction_ms)
}

/// The trimmed name, if it looks like a speaker label: short and not a sentence.
pub(super) fn label(name: &str) -> Option<&str> {
    let name = name.trim();
    let is_label = !name.is_empty()
        && name.chars().count() <= LABEL_CHARS_MAX
        && name.split_whitespace().count() <= LABEL_WORDS_MAX
        && !name.contains([':', '?', '!', ';', ','])
        && name.chars().next().is_some_and(|c| c.is_uppercase() || c.is_numeric() || !c.is_lowercase() && c.is_alphabetic());
    is_label.then_some(name)
}
