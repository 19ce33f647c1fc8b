//! Converts the network's output to marked spans. `training/measure.py` (`decode`, `join`, `apply`) is the reference; a test
//! compares the two.

use std::ops::Range;

use keepsake_domain::{Attribute, Category, FactMark, Mark, MarkKind, ReadingLabel, Role, Utterance};

use super::layout::Part;
use crate::calibration::Calibration;

/// Minimum score at which a token belongs to a span.
const LOW: f32 = 0.3;
/// A token with a "begin" score above this starts a new span.
const BEGIN: f32 = 0.5;
/// A sign applies to a fact if its score is above this.
const SIGN: f32 = 0.5;
/// A message counts as not English if its score for another language is above this.
const OTHER_LANGUAGE: f32 = 0.5;
/// Minimum score at which a message may be role-play. This score is also enough to push a fact below the proposal threshold.
const UNMEANT_MIN: f32 = 0.1;

const TAGS: usize = 3;
const SIGNS: usize = 3;
const KINDS: usize = 3;
const LANGUAGES: usize = 2;
/// The letter of each label in the description, in the order of [`ReadingLabel::ALL`].
const LETTERS: [&str; 7] = ["X", "C", "D", "S", "U", "W", "T"];
/// The six categories of seed 004, in the network's order.
const CATEGORIES: [Category; 6] =
    [Category::PersonalInfo, Category::Preference, Category::Experience, Category::Relationship, Category::Goal, Category::Skill];

/// The network's outputs for a batch, as flat arrays.
#[derive(Default)]
pub(super) struct Heads {
    tag: Vec<f32>,
    category: Vec<f32>,
    attribute: Vec<f32>,
    signs: Vec<f32>,
    labels: Vec<f32>,
    kind: Vec<f32>,
    language: Vec<f32>,
}

/// The network's scores for a message, or for a window of a long message: per token, and for the message as a whole.
#[derive(Debug, Clone)]
pub(super) struct Scores {
    tag: Vec<[f32; TAGS]>,
    category: Vec<[f32; CATEGORIES.len()]>,
    attribute: Vec<[f32; Attribute::ALL.len()]>,
    signs: Vec<[f32; SIGNS]>,
    labels: Vec<[f32; LETTERS.len()]>,
    kind: [f32; KINDS],
    language: [f32; LANGUAGES],
}

impl Scores {
    /// Whether it may be role-play, a joke or an example.
    pub(super) fn may_be_unmeant(&self) -> bool {
        let [_, _, unmeant] = self.kind;
        unmeant >= UNMEANT_MIN
    }
}

impl Heads {
    pub(super) fn by_name(&mut self) -> [(&'static str, &mut Vec<f32>); 7] {
        [
            ("tag", &mut self.tag),
            ("category", &mut self.category),
            ("attribute", &mut self.attribute),
            ("signs", &mut self.signs),
            ("labels", &mut self.labels),
            ("kind", &mut self.kind),
            ("language", &mut self.language),
        ]
    }

    /// The scores of one message part in row `row` of `count` rows with `length` tokens each. `None` if an output has the wrong
    /// size.
    pub(super) fn of_part(&self, row: usize, count: usize, length: usize, part: &Part) -> Option<Scores> {
        fn cut<const N: usize>(
            head: &[f32],
            row: usize,
            count: usize,
            length: usize,
            tokens: &Range<usize>,
        ) -> Option<Vec<[f32; N]>> {
            if head.len() != count * length * N {
                return None;
            }
            let (cells, _) = head.as_chunks::<N>();
            cells.get(row * length + tokens.start..row * length + tokens.end).map(<[_]>::to_vec)
        }
        fn one<const N: usize>(head: &[f32], row: usize, count: usize, length: usize, at: usize) -> Option<[f32; N]> {
            cut::<N>(head, row, count, length, &(at..at + 1))?.pop()
        }
        let tokens = part.role + 1..part.role + 1 + part.places.len();
        Some(Scores {
            tag: cut(&self.tag, row, count, length, &tokens)?,
            category: cut(&self.category, row, count, length, &tokens)?,
            attribute: cut(&self.attribute, row, count, length, &tokens)?,
            signs: cut(&self.signs, row, count, length, &tokens)?,
            labels: cut(&self.labels, row, count, length, &tokens)?,
            kind: one(&self.kind, row, count, length, part.role)?,
            language: one(&self.language, row, count, length, part.role)?,
        })
    }
}

/// Joins the windows of a message. For tokens in two windows, the scores are averaged. The scores of the whole message come from
/// the window with the highest fact score.
fn join(mut windows: Vec<(Part, Scores)>) -> Option<(Scores, Vec<Range<usize>>)> {
    windows.sort_by_key(|(part, _)| part.first);
    if windows.len() == 1 {
        return windows.pop().map(|(part, scores)| (scores, part.places));
    }
    let best = windows.iter().max_by(|a, b| a.1.kind[0].total_cmp(&b.1.kind[0]))?.1.clone();
    let length = windows.last().map(|(part, _)| part.first + part.places.len())?;
    fn mean<const N: usize>(windows: &[(Part, Scores)], length: usize, of: impl Fn(&Scores) -> &[[f32; N]]) -> Vec<[f32; N]> {
        let mut sums = vec![([0.0; N], 0.0_f32); length];
        for (part, scores) in windows {
            for ((sum, seen), values) in sums[part.first..].iter_mut().zip(of(scores)) {
                sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
                *seen += 1.0;
            }
        }
        sums.into_iter().map(|(sum, seen)| sum.map(|value| value / seen)).collect()
    }
    let mut places = vec![0..0; length];
    for (part, _) in &windows {
        places[part.first..part.first + part.places.len()].clone_from_slice(&part.places);
    }
    let scores = Scores {
        tag: mean(&windows, length, |s| &s.tag),
        category: mean(&windows, length, |s| &s.category),
        attribute: mean(&windows, length, |s| &s.attribute),
        signs: mean(&windows, length, |s| &s.signs),
        labels: mean(&windows, length, |s| &s.labels),
        ..best
    };
    Some((scores, places))
}

/// Runs of tokens with scores of at least [`LOW`], split where a new fact begins and at sentence ends, but never within a word.
fn runs(p: &[f32], begins: impl Fn(usize) -> bool, places: &[Range<usize>], text: &str) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    let mut is_open = false;
    for i in 0..p.len() {
        if p[i] < LOW {
            is_open = false;
            continue;
        }
        let (gap, last) = match i.checked_sub(1).map(|before| places[before].end) {
            Some(end) => (text.get(end..places[i].start).unwrap_or_default(), text[..end].chars().next_back()),
            None => ("", None),
        };
        let next = text[places[i].start..].chars().next();
        let is_wordy = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let is_within_word = i > 0 && gap.is_empty() && is_wordy(next) && is_wordy(last);
        let ends_sentence = !gap.is_empty() && last.is_some_and(|c| ".!?;。！？".contains(c)) || gap.contains('\n');
        match spans.last_mut().filter(|_| is_open && (is_within_word || !(begins(i) || ends_sentence))) {
            Some(span) => span.end = i + 1,
            None => spans.push(i..i + 1),
        }
        is_open = true;
    }
    spans
}

/// Runs of tokens with scores of at least [`LOW`]. They are not split at sentence ends, because a quotation may contain several
/// sentences.
fn whole(p: &[f32]) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    for i in (0..p.len()).filter(|i| p[*i] >= LOW) {
        match spans.last_mut().filter(|span| span.end == i) {
            Some(span) => span.end = i + 1,
            None => spans.push(i..i + 1),
        }
    }
    spans
}

/// The mean of the upper half of the scores, so that the edges of a span do not lower its score.
fn upper_mean(values: &[f32]) -> f32 {
    let mut sorted = values.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    sorted.truncate((sorted.len() / 2).max(1));
    sorted.iter().sum::<f32>() / sorted.len() as f32
}

fn mean_of<const N: usize>(cells: &[[f32; N]]) -> [f32; N] {
    let mut sum = [0.0; N];
    cells.iter().for_each(|cell| sum.iter_mut().zip(cell).for_each(|(sum, value)| *sum += value));
    sum.map(|value| value / cells.len() as f32)
}

fn largest<const N: usize>(values: &[f32; N]) -> usize {
    (0..N).max_by(|&a, &b| values[a].total_cmp(&values[b]).then(b.cmp(&a))).unwrap_or(0)
}

/// The marks of a message, in order of position.
pub(super) fn marks(message: Utterance<'_>, windows: Vec<(Part, Scores)>, calibration: &Calibration) -> Vec<Mark> {
    let Some((scores, places)) = join(windows) else { return Vec::new() };
    let text = message.text;
    let is_english = scores.language[1] <= OTHER_LANGUAGE;
    let mut found: Vec<Mark> = Vec::new();
    let mut mark = |kind: MarkKind, label: &str, span: &Range<usize>, score: f32| {
        let bytes = places[span.start].start..places[span.end - 1].end;
        let words = text.get(bytes.clone()).unwrap_or_default();
        if words.chars().count() >= 2 && words.chars().any(char::is_alphanumeric) {
            found.push(Mark { kind, bytes, probability: calibration.probability(label, is_english, score) });
        }
    };
    // An assistant's statements about itself are not facts.
    if message.role != Role::Assistant {
        let fact: Vec<f32> = scores.tag.iter().map(|tag| 1.0 - tag[0]).collect();
        for span in runs(&fact, |i| scores.tag[i][1] > BEGIN, &places, text) {
            let signs = mean_of(&scores.signs[span.clone()]).map(|sign| sign > SIGN);
            let kind = MarkKind::Fact(FactMark {
                category: CATEGORIES[largest(&mean_of(&scores.category[span.clone()]))],
                attribute: Attribute::ALL[largest(&mean_of(&scores.attribute[span.clone()]))],
                is_negated: signs[0],
                is_implied: signs[1],
                is_about_other: signs[2],
            });
            mark(kind, "fact", &span, upper_mean(&fact[span.clone()]) * scores.kind[0].max(0.0).sqrt());
        }
    }
    for (k, (&label, letter)) in ReadingLabel::ALL.iter().zip(LETTERS).enumerate() {
        let p: Vec<f32> = scores.labels.iter().map(|labels| labels[k]).collect();
        let spans = if label == ReadingLabel::NotOwnWords { whole(&p) } else { runs(&p, |_| false, &places, text) };
        for span in spans {
            mark(MarkKind::Label(label), letter, &span, upper_mean(&p[span.clone()]));
        }
    }
    found.sort_by_key(|mark| (mark.bytes.start, !matches!(mark.kind, MarkKind::Fact(_)), mark.bytes.end));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_split_where_a_fact_begins_or_a_sentence_ends_and_never_within_a_word() {
        let text = "I ski. I swim-dive, he said";
        let places = [0..1, 2..5, 5..6, 7..8, 9..11, 11..13, 13..14, 14..18, 18..19];
        let p = [0.9, 0.9, 0.4, 0.9, 0.9, 0.9, 0.9, 0.9, 0.1];
        let spans = runs(&p, |i| i == 5 || i == 7, &places, text);
        assert_eq!(spans, [0..3, 3..7, 7..8], "after the full stop; not in `swim`, though 5 begins; at `dive`");
        assert_eq!(whole(&p).len(), 1, "a quotation is one, however many sentences it has");
    }

    #[test]
    fn a_span_is_as_sure_as_its_sure_half() {
        assert_eq!(upper_mean(&[0.2, 0.8, 0.6, 1.0]), 0.9);
        assert_eq!(upper_mean(&[0.4]), 0.4);
    }
}
