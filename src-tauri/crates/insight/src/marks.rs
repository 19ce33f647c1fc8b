//! Reads the marks that the trained reader has set in a sentence.

use keepsake_domain::{Mark, MarkKind, ReadingLabel};

use crate::text::Sentence;

/// Minimum probability at which a mark counts. At this threshold, about four out of five marked promises, wishes, solutions and
/// thanks are correct for authors that the reader was not trained on. Decisions are less reliable, so only a model reports them.
const MARK_MIN: f64 = 0.6;

/// True if the reader set this label in the sentence. `marks` contains the marks of each turn; unread turns have none.
pub(crate) fn is_marked(sentence: &Sentence<'_>, marks: &[Vec<Mark>], label: ReadingLabel) -> bool {
    let of_turn = marks.get(sentence.turn).map_or(&[][..], Vec::as_slice);
    of_turn.iter().any(|mark| {
        mark.kind == MarkKind::Label(label)
            && mark.probability >= MARK_MIN
            && mark.bytes.start < sentence.bytes.end
            && sentence.bytes.start < mark.bytes.end
    })
}
