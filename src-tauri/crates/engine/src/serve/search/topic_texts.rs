//! The words of topic texts, parsed once and kept in memory, because a version of a topic never changes.
//!
//! Not in this module: which topic answers a question (`topics`).

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use keepsake_domain::{EvidenceSpan, TopicVersionId};
use keepsake_store::{ReadTx, StoreError};
use keepsake_text::{Word, words};

use crate::review::retractions::TakenBack;
use crate::serve::boundary::TopicHead;

/// Maximum number of cached versions. Old versions and versions for other audiences accumulate; beyond this number, the cache
/// is cleared and versions are loaded again on demand.
const VERSIONS_MAX: usize = 10_000;

/// Parsed texts of topic versions, each parsed once because a version never changes.
#[derive(Debug, Default)]
pub(crate) struct TopicTexts {
    /// Every distinct word in any of them.
    vocabulary: Vec<Word>,
    numbers: HashMap<String, u32>,
    pub(super) versions: HashMap<TopicVersionId, Taken>,
}

/// One topic version, with each word replaced by its numeric id.
#[derive(Debug, Default, Clone)]
pub(super) struct Taken {
    pub(super) named: Vec<u32>,
    pub(super) lines: Vec<Vec<u32>>,
    /// The evidence of each line.
    pub(super) spans: Vec<Vec<EvidenceSpan>>,
    /// Log position of each line's message.
    pub(super) places: Vec<Option<i64>>,
    /// Log positions of all its messages.
    pub(super) messages: Vec<i64>,
}

impl Taken {
    /// The version without retracted lines; these keep their index but are empty.
    pub(super) fn without(&self, taken_back: &TakenBack) -> Cow<'_, Self> {
        let is_hidden = |spans: &Vec<EvidenceSpan>| spans.iter().any(|place| taken_back.covers(place));
        if !self.spans.iter().any(is_hidden) {
            return Cow::Borrowed(self);
        }
        let mut left = self.clone();
        for at in (0..self.spans.len()).filter(|at| is_hidden(&self.spans[*at])) {
            left.lines[at].clear();
            left.places[at] = None;
        }
        Cow::Owned(left)
    }
}

impl TopicTexts {
    /// Loads the missing versions.
    pub(crate) fn add(&mut self, tx: &ReadTx<'_>, topics: &[TopicHead]) -> Result<(), StoreError> {
        if self.versions.len() > VERSIONS_MAX {
            *self = Self::default();
        }
        for (topic, version) in topics {
            if self.versions.contains_key(&version.id) {
                continue;
            }
            let entities: crate::TopicEntities = serde_json::from_str(&version.entities).unwrap_or_default();
            let mut taken = Taken { messages: tx.search().places_of_topic(&topic.id)?, ..Taken::default() };
            for name in entities.people.iter().chain(&entities.projects).chain(&entities.technologies) {
                taken.named.extend(self.numbers_of(name));
            }
            for line in tx.topics().lines(&version.id)? {
                taken.lines.push(self.numbers_of(&line.text));
                taken.places.push(tx.search().place_of(&line.place.interaction)?);
                taken.spans.push(std::iter::once(line.place).chain(line.also).collect());
            }
            self.versions.insert(version.id.clone(), taken);
        }
        Ok(())
    }

    fn numbers_of(&mut self, text: &str) -> Vec<u32> {
        let number = |word: Word| match self.numbers.get(&word.plain) {
            Some(number) => *number,
            None => {
                let number = self.vocabulary.len() as u32;
                self.numbers.insert(word.plain.clone(), number);
                self.vocabulary.push(word);
                number
            }
        };
        words(text).into_iter().map(number).collect()
    }

    pub(super) fn numbered(&self, fits: impl Fn(&Word) -> bool) -> HashSet<u32> {
        let found = self.vocabulary.iter().enumerate().filter(|(_, word)| fits(word));
        found.map(|(number, _)| number as u32).collect()
    }
}
