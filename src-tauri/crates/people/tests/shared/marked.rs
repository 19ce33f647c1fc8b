//! Messages with the reader's marks, in the notation of the training text: `Hi. {W:Keep it short}, please.`

use keepsake_domain::{Mark, MarkKind, ReadingLabel};

/// The probability of a mark; a lowercase letter in the notation makes it an unsure one.
const SURE: f64 = 0.9;
const UNSURE: f64 = 0.45;

/// The text without the notation, and the marks.
pub(crate) fn unmarked(written: &str) -> (String, Vec<Mark>) {
    let (mut text, mut marks) = (String::new(), Vec::new());
    let mut rest = written;
    while let Some((before, inside)) = rest.split_once('{') {
        text.push_str(before);
        let (words, after) = inside.split_once('}').unwrap();
        let (letter, words) = words.split_once(':').unwrap();
        let label = match letter.to_uppercase().as_str() {
            "W" => ReadingLabel::Wish,
            "U" => ReadingLabel::UnmetRequest,
            "X" => ReadingLabel::NotOwnWords,
            other => panic!("no mark {other}"),
        };
        let probability = if letter == letter.to_uppercase() { SURE } else { UNSURE };
        marks.push(Mark { kind: MarkKind::Label(label), bytes: text.len()..text.len() + words.len(), probability });
        text.push_str(words);
        rest = after;
    }
    text.push_str(rest);
    (text, marks)
}
