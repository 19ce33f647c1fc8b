//! How likely a message answers a question: a weighted sum that can be read.
//!
//! Each cue is a number that does not depend on how much is stored, so that weights fitted on a small store hold on a large one. The
//! weights are in `weights.rs`, written by `src-tauri/scripts/fit_search.py` from questions with known answers. Of a message without
//! neighbours or without a vector the cue is 0.
//!
//! Deliberately not here: where the cues come from, and who may be found.

use crate::weights::{WITH_VECTORS, WORDS_ALONE};

/// How many cues there are.
pub const CUES: usize = 22;

/// Names of the cues, in the order of [`Evidence::cues`]; the fitting script goes by them.
pub const CUE_NAMES: [&str; CUES] = [
    "words", "words_two_before", "words_before", "words_after", "words_two_after", "meaning", "meaning_two_before",
    "meaning_before", "meaning_after", "meaning_two_after", "words_of_conversation", "speaker", "names_speaker", "length",
    "question", "after_question", "first_person", "time", "when_and_time", "how_many_and_number", "names", "date",
];

/// What speaks for a message.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Evidence {
    /// The share of the question's words that it holds, rare ones counting more; then of the two messages before it and after it,
    /// in the order of what was said.
    pub words: f32,
    /// Two before, one before, one after, two after.
    pub words_around: [f32; 4],
    /// Cosine with the question.
    pub meaning: f32,
    /// As `words_around`.
    pub meaning_around: [f32; 4],
    /// As `words`, of the whole conversation.
    pub words_of_conversation: f32,
    /// Said by somebody whom the question names.
    pub is_speaker: bool,
    /// Names them.
    pub names_speaker: bool,
    /// What it looks like.
    pub traits: crate::Traits,
    /// The message before it asks.
    pub is_after_question: bool,
    /// The question asks for a time.
    pub is_when: bool,
    /// The question asks for a number.
    pub is_how_many: bool,
    /// How near it is to a time that the question names.
    pub date: f32,
}

impl Evidence {
    /// The cues as numbers.
    pub fn cues(&self) -> [f32; CUES] {
        let flag = |is: bool| f32::from(u8::from(is));
        let [w2, w1, x1, x2] = self.words_around;
        let [m2, m1, n1, n2] = self.meaning_around;
        let traits = self.traits;
        [
            self.words,
            w2,
            w1,
            x1,
            x2,
            self.meaning,
            m2,
            m1,
            n1,
            n2,
            self.words_of_conversation,
            flag(self.is_speaker),
            flag(self.names_speaker),
            traits.length,
            flag(traits.is_question),
            flag(self.is_after_question),
            traits.first_person,
            flag(traits.has_time),
            flag(self.is_when && traits.has_time),
            flag(self.is_how_many && traits.has_number),
            traits.names,
            self.date,
        ]
    }

    /// How likely it answers, on a scale that compares within one search. `has_vectors` says whether the search knew any.
    pub fn score(&self, has_vectors: bool) -> f32 {
        let weights = if has_vectors { &WITH_VECTORS } else { &WORDS_ALONE };
        self.cues().iter().zip(weights).map(|(cue, weight)| cue * weight).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights;

    #[test]
    fn what_speaks_for_a_message_lifts_it() {
        let base = Evidence { words: 0.3, meaning: 0.3, ..Evidence::default() };
        let more = [
            Evidence { words: 0.9, ..base },
            Evidence { words_around: [0.0, 0.9, 0.0, 0.0], ..base },
            Evidence { words_of_conversation: 0.9, ..base },
            Evidence { is_speaker: true, ..base },
            Evidence { date: 1.0, ..base },
        ];
        for has_vectors in [true, false] {
            for better in more {
                assert!(better.score(has_vectors) > base.score(has_vectors), "{better:?}");
            }
        }
        assert!(Evidence { meaning: 0.6, ..base }.score(true) > base.score(true));
        assert_eq!(Evidence { meaning: 0.6, ..base }.score(false), base.score(false), "words alone know no meaning");
    }

    #[test]
    fn the_weights_say_which_they_are() {
        const { assert!(weights::VERSION > 0) };
        let finite = |list: &[f32; CUES]| list.iter().all(|weight| weight.is_finite() && weight.abs() < 50.0);
        assert!(finite(&WITH_VECTORS) && finite(&WORDS_ALONE));
    }
}
