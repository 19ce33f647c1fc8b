//! A message in the form this crate reads: whose words it contains, its sentences, the reader's marks in them, and the topic of a
//! sentence.
//!
//! Deliberately not here: the meaning of a sentence for a profile or a gap.

mod reading;
mod topic;
mod words;

use std::ops::Range;

use keepsake_domain::{EvidenceSpan, Mark, MarkKind, ReadingLabel, Span};
use keepsake_text::{OwnWords, is_unspaced, own_words, whole_words};
pub(crate) use reading::{ANSWERS_WITHIN, Read, read};
pub(crate) use topic::{quoted, topic_of};
use words::content_words_in;
pub(crate) use words::{Topic, content_words, same_topic};

use crate::Utterance;

/// Maximum number of bytes read from one message; anything longer is a document rather than an utterance.
const MESSAGE_BYTES_READ_MAX: usize = 16 * 1024;

/// Minimum probability at which words are treated as someone else's or as spoken in a role.
const NOT_OWN_MIN: f64 = 0.5;

/// Minimum number of words in a mark; a single word, such as "always" or "no", is a fragment and says nothing.
const MARK_WORDS_MIN: usize = 2;

/// A part of a message in the speaker's own words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sentence<'a> {
    /// Byte range in the message.
    pub(crate) bytes: Range<usize>,
    /// The text as written.
    pub(crate) text: &'a str,
    /// True if it ends with a question mark.
    pub(crate) is_question: bool,
}

fn share(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

fn is_marked(mark: &Mark, label: ReadingLabel, least: f64) -> bool {
    mark.kind == MarkKind::Label(label) && mark.probability >= least
}

/// True if the reader marked these words as someone else's or as spoken in a role.
fn is_anothers(bytes: &Range<usize>, marks: &[Mark]) -> bool {
    marks.iter().any(|mark| is_marked(mark, ReadingLabel::NotOwnWords, NOT_OWN_MIN) && share(&mark.bytes, bytes))
}

/// The sentences of a message in the speaker's own words: without code, quotations, pasted text, and words that the reader
/// attributes to someone else.
pub(crate) fn sentences<'a>(said: &Utterance<'a>) -> Vec<Sentence<'a>> {
    let text = clip(said.text);
    let OwnWords { segments, foreign } = own_words(text);
    let mut found = Vec::new();
    for segment in segments {
        let Some(slice) = text.get(segment.clone()) else { continue };
        for bytes in keepsake_text::sentences(slice) {
            let bytes = segment.start + bytes.start..segment.start + bytes.end;
            if foreign.iter().any(|foreign| share(foreign, &bytes)) || is_anothers(&bytes, said.marks) {
                continue;
            }
            let Some(text) = text.get(bytes.clone()) else { continue };
            found.push(Sentence { text, is_question: text.ends_with(['?', '？', '؟']), bytes });
        }
    }
    found
}

/// The ranges with this label and at least this probability that are the speaker's own words, extended to whole words.
pub(crate) fn marked<'a>(said: &Utterance<'a>, label: ReadingLabel, least: f64) -> Vec<Sentence<'a>> {
    let marks: Vec<&Mark> = said.marks.iter().filter(|mark| is_marked(mark, label, least)).collect();
    if marks.is_empty() {
        return Vec::new();
    }
    let text = clip(said.text);
    let OwnWords { segments, foreign } = own_words(text);
    let stretch = |mark: &&Mark| {
        let bytes = whole_words(text, &mark.bytes);
        let words = text.get(bytes.clone())?;
        let is_own = segments.iter().any(|segment| share(segment, &bytes))
            && !foreign.iter().any(|foreign| foreign.start <= bytes.start && bytes.end <= foreign.end)
            && !is_anothers(&bytes, said.marks);
        let says_something = words.split_whitespace().count() >= MARK_WORDS_MIN || is_unspaced(words);
        (is_own && says_something).then_some(Sentence { text: words, is_question: false, bytes })
    };
    marks.iter().filter_map(stretch).collect()
}

/// Converts a byte range of a message to a place in the log.
pub(crate) fn place_of(said: &Utterance<'_>, bytes: &Range<usize>) -> Option<EvidenceSpan> {
    let span = Span::of_bytes(said.text, bytes.clone()).ok()?;
    Some(EvidenceSpan { interaction: said.interaction.clone(), span })
}

fn clip(text: &str) -> &str {
    &text[..text.floor_char_boundary(MESSAGE_BYTES_READ_MAX)]
}

#[cfg(test)]
mod tests {
    use keepsake_domain::{ConversationId, InteractionId, Timestamp};
    use uuid::Uuid;

    use super::*;
    use crate::Speaker;

    fn with<T>(text: &str, marks: &[(&str, ReadingLabel, f64)], read: impl Fn(&Utterance<'_>) -> T) -> T {
        let mark = |(words, label, probability): &(&str, ReadingLabel, f64)| {
            let at = text.find(words).unwrap();
            Mark { kind: MarkKind::Label(*label), bytes: at..at + words.len(), probability: *probability }
        };
        let marks: Vec<Mark> = marks.iter().map(mark).collect();
        read(&Utterance {
            interaction: &InteractionId::from_uuid(Uuid::nil()),
            conversation: &ConversationId::from_uuid(Uuid::nil()),
            speaker: Speaker::Entity,
            text,
            time: Timestamp(0),
            marks: &marks,
        })
    }

    #[test]
    fn a_message_is_read_in_sentences_of_its_speakers_own_words() {
        let check = |text: &str, marks: &[(&str, ReadingLabel, f64)], expect: &[&str]| {
            let found = with(text, marks, |said| sentences(said).iter().map(|one| one.text.to_owned()).collect::<Vec<_>>());
            assert_eq!(found, expect, "{text:?}");
        };
        check("Keep it short. Thanks!", &[], &["Keep it short.", "Thanks!"]);
        check("> keep it short\nok", &[], &["ok"]);
        check("She said \"keep it short please\". Fine.", &[], &["Fine."]);
        check("```\nkeep it short\n```\nwhy?", &[], &["why?"]);
        check("I haunt this hall. Is it late?", &[("I haunt", ReadingLabel::NotOwnWords, 0.9)], &["Is it late?"]);
        check("I haunt this hall.", &[("I haunt", ReadingLabel::NotOwnWords, 0.3)], &["I haunt this hall."]);
        check(" ", &[], &[]);
    }

    #[test]
    fn what_is_marked_is_taken_whole_where_it_is_the_speakers_own() {
        use ReadingLabel::{NotOwnWords, Promise, Wish};
        let check = |text: &str, marks: &[(&str, ReadingLabel, f64)], expect: &[&str]| {
            let found =
                with(text, marks, |said| marked(said, Wish, 0.6).iter().map(|one| one.text.to_owned()).collect::<Vec<_>>());
            assert_eq!(found, expect, "{text:?} {marks:?}");
        };
        check("Hi, keep it short please", &[("eep it shor", Wish, 0.9)], &["keep it short"]);
        check("Hi, keep it short please", &[("keep it short", Wish, 0.5)], &[]);
        check("Hi, keep it short please", &[("keep it short", Promise, 0.9)], &[]);
        check("Hi, keep it short please", &[("keep", Wish, 0.9)], &[]);
        check("短くしてください。", &[("短くしてください", Wish, 0.9)], &["短くしてください"]);
        check("> keep it short\nok", &[("keep it short", Wish, 0.9)], &[]);
        check("She said \"keep it short\"", &[("keep it short", Wish, 0.9)], &[]);
        check("Hi, keep it short", &[("keep it short", Wish, 0.9), ("short", NotOwnWords, 0.6)], &[]);
    }
}
