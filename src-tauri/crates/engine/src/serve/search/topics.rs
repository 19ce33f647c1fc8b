//! Finds topics for a question: by the words in their titles, in the names they mention and in their lines, and by the
//! meaning of their lines.
//!
//! An audience has its own topics, derived from what it may see, so nothing is filtered afterwards. The rarity of a word is
//! counted among the topics that the audience may see. A topic matches the operators if one of its messages does.
//!
//! Not in this module: which topics an audience has (`boundary`), and how topics are derived (`topics`).

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use keepsake_domain::{Timestamp, TopicId};
use keepsake_retrieval::{Query, Term};
use keepsake_store::{ReadTx, StoreError, TopicLineRow, TopicVersionRow};
use keepsake_text::{Word, is_unspaced, words};

use super::Why;
use super::index::Index;
use super::scope::Scope;
use super::topic_texts::{Taken, TopicTexts};
use crate::areas::Serve;
use crate::derive::topics::Contributors;
use crate::review::retractions::TakenBack;
use crate::serve::boundary::{TopicHead, View};

/// Weight of a word by where it occurs. The title says most about the subject, then the names, then the lines.
const TITLE: f64 = 2.0;
const NAMED: f64 = 1.5;
const SAID: f64 = 1.0;

/// Number of nearest lines averaged for a topic's similarity to a question, because a single line may be near by chance.
const NEAREST_LINES: usize = 3;

/// Minimum average; below it, a topic has nothing to do with the question. Higher than for a single line of a search, because
/// the best of many lines are averaged, and lower than for a line that answers by itself.
const MEANING_MIN: f32 = 0.35;

/// Weight of similarity in meaning relative to one rare word, as for memories.
const MEANING_WEIGHT: f64 = 8.0;

/// Maximum number of lines shown with a hit; the topic itself shows the rest.
const LINES_SHOWN: usize = 3;

/// A topic found by a search.
#[derive(Debug, Clone, PartialEq)]
pub struct TopicHit {
    /// Id of the topic.
    pub id: TopicId,
    /// The title a person gave it, or else the one derived from its content.
    pub title: String,
    /// Its current version.
    pub version: TopicVersionRow,
    /// Higher is better. Only comparable with other scores of the same search.
    pub score: f64,
    /// Why it was found.
    pub why: Vec<Why>,
    /// The lines of its text that answer the question, in text order; the first line if none does.
    pub lines: Vec<TopicLineRow>,
    /// Authors of its messages.
    pub(crate) users: Vec<String>,
    /// The channel types of its messages.
    pub(crate) channels: Vec<String>,
    /// Times of its messages.
    pub(crate) times: Vec<Timestamp>,
}

/// A topic in scope, with its words.
struct Candidate<'t> {
    head: TopicHead,
    title: Vec<Word>,
    taken: Cow<'t, Taken>,
}

impl Candidate<'_> {
    fn title(&self) -> &str {
        self.head.0.person_title.as_deref().unwrap_or(&self.head.1.title)
    }
}

/// A word or phrase of the question, with the vocabulary words that each of its words matches.
struct Sought<'q> {
    terms: Vec<&'q Term>,
    numbers: Vec<HashSet<u32>>,
    /// Whether a match inside a longer word counts.
    is_part: bool,
}

impl<'q> Sought<'q> {
    fn new(terms: Vec<&'q Term>, told: &TopicTexts, is_part: bool) -> Self {
        let fits = |term: &Term, word: &Word| if is_part { term.within(word).is_some() } else { term.matches(word) };
        let numbers = terms.iter().map(|term| told.numbered(|word| fits(term, word))).collect();
        Self { terms, numbers, is_part }
    }

    fn is_in_title(&self, title: &[Word]) -> bool {
        let fits = |term: &Term, word: &Word| if self.is_part { term.within(word).is_some() } else { term.matches(word) };
        title.windows(self.terms.len()).any(|part| part.iter().zip(&self.terms).all(|(word, term)| fits(term, word)))
    }

    fn is_in(&self, numbers: &[u32]) -> bool {
        numbers.windows(self.numbers.len()).any(|part| part.iter().zip(&self.numbers).all(|(number, any)| any.contains(number)))
    }

    /// Its weight for a topic, depending on where it occurs; 0 if it does not occur.
    fn weight(&self, topic: &Candidate<'_>) -> f64 {
        if self.is_in_title(&topic.title) {
            TITLE
        } else if self.is_in(&topic.taken.named) {
            NAMED
        } else if topic.taken.lines.iter().any(|line| self.is_in(line)) {
            SAID
        } else {
            0.0
        }
    }
}

/// A word or phrase with its weight for each topic.
struct Weighed<'q> {
    sought: Sought<'q>,
    is_required: bool,
    /// Rarity among the visible topics: the Robertson–Sparck Jones weight.
    rarity: f64,
    of_topic: Vec<f64>,
}

fn weigh<'q>(query: &'q Query, told: &TopicTexts, topics: &[Candidate<'_>]) -> Vec<Weighed<'q>> {
    let phrases = query.phrases.iter().map(|phrase| (phrase.iter().collect::<Vec<_>>(), true));
    let single = query.terms.iter().map(|term| (vec![term], false));
    phrases
        .chain(single)
        .map(|(terms, is_required)| {
            let may_be_part = !is_required && terms.iter().all(|term| is_unspaced(&term.plain));
            let mut sought = Sought::new(terms.clone(), told, may_be_part);
            let mut of_topic: Vec<f64> = topics.iter().map(|topic| sought.weight(topic)).collect();
            // As for messages: if no topic contains it as a whole word, it may be part of a longer one.
            if !is_required && !may_be_part && of_topic.iter().all(|weight| *weight == 0.0) {
                sought = Sought::new(terms, told, true);
                of_topic = topics.iter().map(|topic| sought.weight(topic)).collect();
            }
            let (all, count) = (topics.len() as f64, of_topic.iter().filter(|weight| **weight > 0.0).count() as f64);
            let rarity = (1.0 + (all - count + 0.5) / (count + 0.5)).ln();
            Weighed { sought, is_required, rarity, of_topic }
        })
        .collect()
}

/// Similarity of a topic to the question, from the nearest of its lines.
fn meaning(taken: &Taken, near: &HashMap<i64, f32>) -> f32 {
    let mut best: Vec<f32> = taken.places.iter().flatten().filter_map(|place| near.get(place).copied()).collect();
    best.sort_unstable_by(|a, b| b.total_cmp(a));
    best.truncate(NEAREST_LINES);
    if best.is_empty() { 0.0 } else { best.iter().sum::<f32>() / best.len() as f32 }
}

impl Serve<'_> {
    pub(crate) fn search_topics(
        &self,
        tx: &ReadTx<'_>,
        view: Option<&View>,
        query: &Query,
        vector: Option<(&str, &[f32])>,
        limit: usize,
    ) -> Result<Vec<TopicHit>, StoreError> {
        let heads: Vec<TopicHead> = match view {
            Some(view) => view.topics(tx)?.into_iter().map(|topic| (topic.topic, topic.version)).collect(),
            None => self.engine.privacy().engine.topics().own_heads(tx)?,
        };
        if heads.is_empty() {
            return Ok(Vec::new());
        }
        self.engine.inner.search.add_topics(tx, &heads)?;
        let index = self.engine.inner.search.current(tx, vector.map(|(model, _)| model))?;
        let scope = self.topic_scope(tx, &index, view, query)?;
        let told = index.topics();
        let taken_back = TakenBack::read(tx, None)?;
        let mut topics = Vec::new();
        for head in heads {
            // Another search may have rebuilt the index since.
            let Some(taken) = told.versions.get(&head.1.id) else { continue };
            let is_in_scope = |scope: &Scope| taken.messages.iter().any(|seq| scope.home(&index, *seq).is_some());
            if scope.as_ref().is_none_or(is_in_scope) {
                let mut topic = Candidate { head, title: Vec::new(), taken: taken.without(&taken_back) };
                topic.title = words(topic.title());
                topics.push(topic);
            }
        }
        let weighed = weigh(query, told, &topics);
        let near = match vector {
            Some((_, vector)) => {
                index.estimates(vector, topics.iter().flat_map(|topic| topic.taken.places.iter().flatten().copied()))
            }
            None => HashMap::new(),
        };
        let mut found: Vec<(f64, Vec<Why>, &Candidate<'_>)> = Vec::new();
        for (at, topic) in topics.iter().enumerate() {
            let (mut score, mut why) = (0.0, Vec::new());
            if query.has_words() {
                if weighed.iter().any(|part| part.is_required && part.of_topic[at] == 0.0) {
                    continue;
                }
                let by_words: f64 = weighed.iter().map(|part| part.rarity * part.of_topic[at]).sum();
                let meaning = meaning(&topic.taken, &near);
                if by_words > 0.0 {
                    why.push(Why::Words);
                }
                if meaning >= MEANING_MIN {
                    why.push(Why::Meaning);
                }
                score = by_words + f64::from(meaning.max(0.0)) * MEANING_WEIGHT;
            } else {
                why.push(Why::Filter);
            }
            if !why.is_empty() {
                found.push((score, why, topic));
            }
        }
        let last = |topic: &Candidate<'_>| topic.head.1.last_at;
        found.sort_by(|(a, _, topic), (b, _, other)| {
            b.total_cmp(a).then(last(other).cmp(&last(topic))).then(topic.head.0.id.cmp(&other.head.0.id))
        });
        found.truncate(limit);
        found.into_iter().map(|(score, why, topic)| hit(tx, &index, &weighed, &near, &taken_back, topic, score, why)).collect()
    }

    /// The scope given by the operators, if there are any.
    fn topic_scope(
        &self,
        tx: &ReadTx<'_>,
        index: &Index,
        view: Option<&View>,
        query: &Query,
    ) -> Result<Option<Scope>, StoreError> {
        let filters = &query.filters;
        let is_narrow =
            !filters.people.is_empty() || !filters.channels.is_empty() || filters.after.is_some() || filters.before.is_some();
        if !is_narrow {
            return Ok(None);
        }
        self.scope(tx, index, view, query, None).map(Some)
    }
}

#[allow(clippy::too_many_arguments)] // A hit is built from all of these, and they have nothing else in common.
fn hit(
    tx: &ReadTx<'_>,
    index: &Index,
    weighed: &[Weighed<'_>],
    near: &HashMap<i64, f32>,
    taken_back: &TakenBack,
    topic: &Candidate<'_>,
    score: f64,
    why: Vec<Why>,
) -> Result<TopicHit, StoreError> {
    let (row, version) = &topic.head;
    let lines = tx.topics().lines(&version.id)?;
    let worth = |at: usize| {
        let by_words: f64 = weighed
            .iter()
            .filter(|part| topic.taken.lines.get(at).is_some_and(|line| part.sought.is_in(line)))
            .map(|part| part.rarity)
            .sum();
        let meaning = topic.taken.places.get(at).copied().flatten().and_then(|place| near.get(&place)).copied().unwrap_or(0.0);
        by_words + if meaning >= MEANING_MIN { f64::from(meaning) * MEANING_WEIGHT } else { 0.0 }
    };
    let mut best: Vec<(usize, f64)> = (0..lines.len()).map(|at| (at, worth(at))).filter(|(_, worth)| *worth > 0.0).collect();
    best.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    best.truncate(LINES_SHOWN);
    let mut chosen: Vec<usize> = best.into_iter().map(|(at, _)| at).collect();
    if chosen.is_empty() {
        chosen.extend(lines.iter().position(|line| !taken_back.covers_line(line)));
    }
    chosen.sort_unstable();
    let contributors: Contributors = serde_json::from_str(&version.contributors).unwrap_or_default();
    let told = lines.into_iter().enumerate().filter(|(at, _)| chosen.contains(at)).map(|(_, line)| line).collect();
    Ok(TopicHit {
        id: row.id.clone(),
        title: topic.title().to_owned(),
        version: version.clone(),
        score,
        why,
        lines: taken_back.lines_left(tx, told)?,
        users: contributors.users.into_iter().collect(),
        channels: contributors.interfaces.into_iter().collect(),
        times: topic.taken.messages.iter().filter_map(|seq| index.home(*seq)).map(|home| home.time).collect(),
    })
}
