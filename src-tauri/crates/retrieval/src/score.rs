//! Scores how likely a message is to answer a question, as a weighted sum of cues.
//!
//! No cue depends on the size of the store, so weights fitted on a small store also work for a large one. The weights are in
//! `weights.rs`, written by `src-tauri/scripts/fit_search.py` from questions with known answers. If a message has no neighbors or
//! no vector, the corresponding cue is 0.
//!
//! Deliberately not here: collecting the cues, and deciding who may see a message.

use crate::weights::{WITH_VECTORS, WORDS_ALONE};

/// The number of cues.
pub const CUES: usize = 22;

/// The names of the cues in the order of [`Evidence::cues`]; used by the fitting script.
pub const CUE_NAMES: [&str; CUES] = [
    "words", "words_two_before", "words_before", "words_after", "words_two_after", "meaning", "meaning_two_before",
    "meaning_before", "meaning_after", "meaning_two_after", "words_of_conversation", "speaker", "names_speaker", "length",
    "question", "after_question", "first_person", "time", "when_and_time", "how_many_and_number", "names", "date",
];

/// The evidence that a message answers a question.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Evidence {
    /// The share of the question's words that the message contains, weighted by rarity.
    pub words: f32,
    /// The same for the messages two before, one before, one after and two after this one.
    pub words_around: [f32; 4],
    /// The cosine between message and question.
    pub meaning: f32,
    /// The cosines for the same four messages as in `words_around`.
    pub meaning_around: [f32; 4],
    /// Like `words`, for the whole conversation.
    pub words_of_conversation: f32,
    /// True if the message is by a person named in the question.
    pub is_speaker: bool,
    /// True if the message names that person.
    pub names_speaker: bool,
    /// Traits of the message, such as its length.
    pub traits: crate::Traits,
    /// True if the previous message is a question.
    pub is_after_question: bool,
    /// True if the question asks for a time.
    pub is_when: bool,
    /// True if the question asks for a number.
    pub is_how_many: bool,
    /// How close the message is to a time named in the question, from 0 to 1.
    pub date: f32,
}

impl Evidence {
    /// The cues as numbers, in the order of [`CUE_NAMES`].
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

    /// The score of the message. Higher is better. Only comparable with other scores of the same search. `has_vectors` says
    /// whether the search used vectors.
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
            Evidence { date: 1.0, ..base },
        ];
        for has_vectors in [true, false] {
            for better in more {
                assert!(better.score(has_vectors) > base.score(has_vectors), "{better:?}");
            }
        }
        assert!(Evidence { is_speaker: true, ..base }.score(false) > base.score(false), "a vector contains the speaker's name");
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
