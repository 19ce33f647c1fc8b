//! What the trained reader marked in a sentence.

use keepsake_domain::{Mark, MarkKind, ReadingLabel};

use crate::text::Sentence;

/// A mark tells from this probability on. On authors that the reader was not trained on some four of five promises, wishes, solutions and
/// thanks are such there; decisions are not, and are told by a model alone.
const MARK_MIN: f64 = 0.6;

/// Whether the reader marked this in a sentence. `marks` are those of each turn; of what it did not read there are none.
pub(crate) fn is_marked(sentence: &Sentence<'_>, marks: &[Vec<Mark>], label: ReadingLabel) -> bool {
    let of_turn = marks.get(sentence.turn).map_or(&[][..], Vec::as_slice);
    of_turn.iter().any(|mark| {
        mark.kind == MarkKind::Label(label)
            && mark.probability >= MARK_MIN
            && mark.bytes.start < sentence.bytes.end
            && sentence.bytes.start < mark.bytes.end
    })
}
