//! Searches messages, memories, topics and people: everything for the owner, and only what may surface for anybody else.
//!
//! A search parses the query, updates the in-memory index to its own snapshot of the store, and searches each kind
//! separately. Without a model, or before vectors exist, it uses only words. Content that an audience may not see is filtered
//! out before anything is counted, ranked or cut (`scope`). So are the names of people who speak only in conversations hidden
//! from the audience.
//!
//! Not in this module: wire formats (`api`), weights and words (`retrieval`), SQL (`store`).

mod answered;
mod attribute;
mod embed;
mod index;
mod memories;
mod outdated;
mod people;
mod rank;
mod scope;
mod titles;
mod topic_texts;
mod topics;
mod vocabulary;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use keepsake_domain::{ConversationId, DAY_MS, EntityId, MemoryId, Timestamp};
use keepsake_retrieval::{Cues, Moment, Query};
use keepsake_store::{ReadTx, StoreError};
use keepsake_text::words;

use crate::Result;
use crate::areas::Serve;
use crate::serve::access_log::{AccessRecord, ReadKind};
use crate::serve::boundary::{Audience, TopicHead, View};
use crate::serve::masked::{may_be_served, served};

pub(crate) use answered::{WORDS_ALONE_MIN, any_says_it, has_all_words};
pub(crate) use attribute::AttributeQuestions;
pub use keepsake_retrieval::{CUE_NAMES, Kind, WEIGHTS_VERSION};
pub use memories::MemoryHit;
pub(crate) use outdated::Later;
pub use people::PersonHit;
pub use rank::{Hit, Why};
pub use topics::TopicHit;

use index::Index;
use rank::Asked;
use scope::Scope;

/// Maximum number of values per facet; more would be too many to choose from.
const FACET_VALUES: usize = 12;

/// Maximum number of people at the top of a mixed list, because somebody who searches for a person means one person.
const PEOPLE_FIRST: usize = 3;

/// A mixed list contains one topic per this many hits. Topics come before messages, because a topic sums up many
/// conversations.
const HITS_A_TOPIC: usize = 5;

/// Number of nearest messages shown if nothing answers the question.
const NEAREST: usize = 3;

/// Maximum number of topics in a mixed list.
const TOPICS_AMONG: usize = 3;

/// A search request.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchAsk {
    /// The query as typed: words, `"exact phrases"`, `prefix*`, operators.
    pub query: String,
    /// Maximum number of hits of each kind.
    pub limit: u32,
    /// Whom the search is for; `None` means the owner.
    pub audience: Option<Audience>,
    /// The kinds to search; empty means all. A `type:` in the query narrows this further.
    pub kinds: Vec<Kind>,
    /// Number of lines to return before and after each message.
    pub around: u8,
    /// Whether to return one list of `limit` hits in total, in which each kind leaves room for the next.
    pub is_one_list: bool,
    /// Whether to rank the messages even if none answers the question.
    pub is_ranking: bool,
}

/// Numbers of hits by value of one property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facet {
    /// The property: `channel`, `author` or `month`.
    pub name: &'static str,
    /// Values with the number of hits, most frequent first.
    pub values: Vec<(String, u64)>,
}

/// Result of a search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// Approved memories, best first.
    pub memories: Vec<MemoryHit>,
    /// Messages, best first.
    pub messages: Vec<Hit>,
    /// People, best first.
    pub people: Vec<PersonHit>,
    /// Topics, best first.
    pub topics: Vec<TopicHit>,
    /// Facets of the messages, or of the topics if no messages are searched.
    pub facets: Vec<Facet>,
    /// The query as it was understood.
    pub query: Query,
    /// Whether nothing answers the question and `messages` are only the nearest few.
    pub is_nearest_only: bool,
    /// Conversations whose messages the asker may see; `None` for the owner, who may see all.
    visible: Option<std::collections::BTreeSet<ConversationId>>,
}

impl Found {
    /// Converts the results to the form that agents are served.
    fn serve(&mut self, tx: &ReadTx<'_>) -> std::result::Result<(), StoreError> {
        let mut memories = Vec::with_capacity(self.memories.len());
        for hit in std::mem::take(&mut self.memories) {
            if may_be_served(&tx.memories().memory(&hit.id)?.content) {
                memories.push(hit);
            }
        }
        self.memories = memories;
        for (value, _) in self.facets.iter_mut().flat_map(|facet| &mut facet.values) {
            *value = served(value);
        }
        self.people.retain(|hit| may_be_served(&hit.name));
        for hit in &mut self.people {
            hit.name = served(&hit.name);
            hit.handles.iter_mut().for_each(|handle| *handle = served(handle));
        }
        self.messages.retain(|hit| may_be_served(&hit.message.content));
        for hit in &mut self.messages {
            hit.around.retain(|(_, row)| may_be_served(&row.content));
            for row in std::iter::once(&mut hit.message).chain(hit.around.iter_mut().map(|(_, row)| row)) {
                row.content = served(&row.content);
                row.author = served(&row.author);
            }
        }
        self.topics.retain(|topic| may_be_served(&topic.title));
        for topic in &mut self.topics {
            topic.title = served(&topic.title);
            topic.lines.retain(|line| may_be_served(&line.text));
            topic.lines.iter_mut().for_each(|line| line.text = served(&line.text));
        }
        Ok(())
    }

    /// Text that accompanies a result: unchanged for the owner, in the served form for an agent.
    pub fn shown(&self, text: &str) -> String {
        if self.visible.is_some() { served(text) } else { text.to_owned() }
    }

    /// The title, if it may be shown: to the owner always, to an agent only if it may be served.
    pub fn title<'t>(&self, title: Option<&'t str>) -> Option<&'t str> {
        title.filter(|title| self.visible.is_none() || may_be_served(title))
    }

    /// Whether the asker may see a conversation's own messages.
    pub fn shows(&self, conversation: &ConversationId) -> bool {
        self.visible.as_ref().is_none_or(|visible| visible.contains(conversation))
    }

    /// Cuts the results of all kinds to one list of `limit` hits, in this order: people, memories, topics, messages. In a mixed
    /// list each kind leaves room for the next, because memories were approved by a person, and messages are the original
    /// words.
    fn leave_room(&mut self, limit: usize, is_mixed: bool) {
        let room = |of: usize, share: usize| if is_mixed { of.min(share) } else { of };
        let people = room(self.people.len(), PEOPLE_FIRST.min(limit.div_ceil(4)));
        let topics = room(self.topics.len(), TOPICS_AMONG.min(limit / HITS_A_TOPIC));
        let left = limit.saturating_sub(people + topics);
        let memories = room(self.memories.len(), left.saturating_sub(self.messages.len()).max(left.div_ceil(2)));
        let mut left = limit;
        let mut cut = |wanted: usize| {
            let cut = wanted.min(left);
            left -= cut;
            cut
        };
        self.people.truncate(cut(people));
        self.memories.truncate(cut(memories));
        self.topics.truncate(cut(topics));
        self.messages.truncate(cut(self.messages.len()));
    }

    /// Where the searched words occur in `text`, as ranges of code points in order and without overlap.
    pub fn highlights(&self, text: &str) -> Vec<Range<usize>> {
        highlights(&self.query, text)
    }
}

/// The access record of a search result: every text with the id of its source.
fn given(tx: &ReadTx<'_>, view: &View, found: &Found) -> std::result::Result<AccessRecord, StoreError> {
    let mut given = AccessRecord::new(ReadKind::Search, view);
    for hit in &found.people {
        given.add_item(hit.id.as_str(), hit.name.chars().count());
    }
    for hit in &found.memories {
        let content = served(&tx.memories().memory(&hit.id)?.content);
        given.add_item(hit.id.as_str(), content.chars().count());
        given.add_line(hit.id.as_str(), &content);
    }
    for hit in &found.topics {
        let chars = hit.lines.iter().map(|line| line.text.chars().count()).sum::<usize>();
        given.add_item(hit.id.as_str(), hit.title.chars().count() + chars);
        given.add_line(hit.id.as_str(), &hit.title);
        for line in &hit.lines {
            given.add_line(line.place.interaction.as_str(), &line.text);
        }
    }
    for hit in &found.messages {
        given.add_item(hit.message.id.as_str(), hit.message.content.chars().count());
        for row in std::iter::once(&hit.message).chain(hit.around.iter().map(|(_, row)| row)) {
            given.add_line(row.id.as_str(), &row.content);
        }
    }
    Ok(given)
}

/// Where the words and phrases of a query occur in `text`.
fn highlights(query: &Query, text: &str) -> Vec<Range<usize>> {
    let found = words(text);
    let mut places: Vec<Range<usize>> = Vec::new();
    for word in &found {
        if query.terms.iter().any(|term| term.matches(word)) {
            places.push(word.place.clone());
            continue;
        }
        let parts = query.terms.iter().filter_map(|term| term.within(word));
        // The plain form can differ from the word in length (decomposed diacritics), so a match may end beyond the word; it
        // is cut at the end of the word.
        places.extend(parts.map(|part| word.place.start + part.start..(word.place.start + part.end).min(word.place.end)));
    }
    for phrase in &query.phrases {
        for window in found.windows(phrase.len()) {
            if window.iter().zip(phrase).all(|(word, term)| term.matches(word))
                && let (Some(first), Some(last)) = (window.first(), window.last())
            {
                places.push(first.place.start..last.place.end);
            }
        }
    }
    places.sort_by_key(|place| (place.start, std::cmp::Reverse(place.end)));
    let mut apart: Vec<Range<usize>> = Vec::new();
    for place in places {
        match apart.last_mut() {
            Some(last) if place.start < last.end => last.end = last.end.max(place.end),
            _ => apart.push(place),
        }
    }
    apart
}

/// The in-memory index, shared by the engine.
#[derive(Debug, Default)]
pub(crate) struct SearchIndex(RwLock<Index>);

impl SearchIndex {
    /// The index, updated to contain everything in this snapshot.
    fn current(&self, tx: &ReadTx<'_>, model: Option<&str>) -> std::result::Result<RwLockReadGuard<'_, Index>, StoreError> {
        {
            let index = self.0.read().unwrap_or_else(PoisonError::into_inner);
            if index.is_current(tx, model)? {
                return Ok(index);
            }
        }
        self.0.write().unwrap_or_else(PoisonError::into_inner).update(tx, model)?;
        Ok(self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Loads the missing vectors of these memories.
    fn add_memories(&self, tx: &ReadTx<'_>, model: &str, ids: &[MemoryId]) -> std::result::Result<(), StoreError> {
        self.0.write().unwrap_or_else(PoisonError::into_inner).add_memories(tx, model, ids)
    }

    /// Loads the missing texts of these topics.
    fn add_topics(&self, tx: &ReadTx<'_>, topics: &[TopicHead]) -> std::result::Result<(), StoreError> {
        // Update the index first, because rebuilding it later would drop the added texts.
        drop(self.current(tx, None)?);
        self.0.write().unwrap_or_else(PoisonError::into_inner).add_topics(tx, topics)
    }
}

impl Serve<'_> {
    /// Searches what the audience may see, and records the result as served.
    pub fn search(&self, ask: &SearchAsk) -> Result<Found> {
        let moment = self.moment();
        match &ask.audience {
            None => Ok(self.engine.store().read(|tx| self.search_in(tx, None, ask, moment))?),
            Some(audience) => {
                let (found, given) = self.engine.privacy().engine.with_view(audience, |tx, view| {
                    let mut found = self.search_in(tx, Some(view), ask, moment)?;
                    found.serve(tx)?;
                    let given = given(tx, view, &found)?;
                    Ok((found, given))
                })?;
                self.engine.privacy().record_access(audience, given)?;
                Ok(found)
            }
        }
    }

    /// The current time and time zone, for dates in queries.
    pub(crate) fn moment(&self) -> Moment {
        Moment { now: self.engine.now(), utc_offset_minutes: self.engine.utc_offset_minutes() }
    }

    fn search_in(
        &self,
        tx: &ReadTx<'_>,
        view: Option<&View>,
        ask: &SearchAsk,
        moment: Moment,
    ) -> std::result::Result<Found, StoreError> {
        let query = Query::read(&ask.query, moment);
        let wants = |kind: Kind| query.filters.wants(kind) && (ask.kinds.is_empty() || ask.kinds.contains(&kind));
        let limit = ask.limit as usize;
        let mut found = Found { visible: view.map(|view| view.conversations().iter().cloned().collect()), ..Found::default() };
        if !query.is_empty() {
            let (vector, model) = match self.question_vector(&query) {
                Some((model, vector)) => (Some(vector), Some(model)),
                None => (None, None),
            };
            let known = model.as_deref().zip(vector.as_deref());
            if wants(Kind::Memory) {
                found.memories = self.search_memories(tx, view, &query, known, limit)?;
            }
            if wants(Kind::Message) {
                found.messages = self.answering(tx, view, &query, vector.as_deref(), None, limit.max(1))?;
                if !ask.is_ranking {
                    // If nothing answers the question, the nearest messages are kept even without a reason.
                    if answered::is_answered(&query, &found.messages, &found.memories, vector.is_some()) {
                        found.messages.retain(|hit| !hit.why.is_empty());
                    }
                    self.add_titled(tx, view, &query, &mut found.messages)?;
                }
                found.facets = facets(&found.messages, moment);
                found.messages.truncate(limit);
                self.add_lines_around(tx, ask.around, &mut found.messages)?;
            }
            if wants(Kind::Topic) {
                found.topics = self.search_topics(tx, view, &query, known, limit)?;
                if !wants(Kind::Message) {
                    found.facets = facets(&found.topics, moment);
                }
            }
            if wants(Kind::Person) {
                found.people = self.search_people(tx, view, &query, limit)?;
            }
            let is_judged = !ask.is_ranking && wants(Kind::Message);
            if is_judged && !answered::is_answered(&query, &found.messages, &found.memories, vector.is_some()) {
                found.is_nearest_only = true;
                found.messages.truncate(NEAREST);
                found.memories.clear();
                found.topics.clear();
                found.facets.clear();
            }
        }
        if ask.is_one_list {
            let kinds = Kind::ALL.iter().filter(|kind| wants(**kind)).count();
            found.leave_room(limit, kinds != 1);
        }
        found.query = query;
        Ok(found)
    }

    /// Adds the lines before and after each message. Anybody who may see a message may see its conversation.
    fn add_lines_around(&self, tx: &ReadTx<'_>, around: u8, hits: &mut [Hit]) -> std::result::Result<(), StoreError> {
        if around == 0 {
            return Ok(());
        }
        let index = self.engine.inner.search.current(tx, None)?;
        let around = i32::from(around);
        for hit in hits {
            for offset in (-around..=around).filter(|offset| *offset != 0) {
                let Some(seq) = index.neighbour(hit.message.seq, i64::from(offset)) else { continue };
                hit.around.extend(tx.search().messages_at([seq])?.into_iter().map(|row| (offset, row)));
            }
        }
        Ok(())
    }

    /// The question as a vector, with the model's name; `None` if there is no model or it fails, in which case only words count.
    pub(crate) fn question_vector(&self, query: &Query) -> Option<(String, Vec<f32>)> {
        let embedder = self.engine.inner.embedder.ready().filter(|_| query.has_words())?;
        let vector = embedder
            .embed_questions(&[&query.about])
            .inspect_err(|error| tracing::warn!(%error, "a question could not be embedded"))
            .ok()
            .and_then(|mut vectors| vectors.pop())?;
        Some((embedder.name().to_owned(), vector))
    }

    /// The scope of a search.
    fn scope(
        &self,
        tx: &ReadTx<'_>,
        index: &Index,
        view: Option<&View>,
        query: &Query,
        until: Option<Timestamp>,
    ) -> std::result::Result<Scope, StoreError> {
        let map = self.engine.access_map(tx)?;
        let people = self.people_meant(tx, view, index, &query.filters.people)?;
        let person_of = |entity: &EntityId| map.persons.of(entity);
        Scope::new(tx, index, view, &query.filters, until, &people, person_of)
    }

    /// Puts the first messages of conversations with a matching title at the top.
    fn add_titled(
        &self,
        tx: &ReadTx<'_>,
        view: Option<&View>,
        query: &Query,
        messages: &mut Vec<Hit>,
    ) -> std::result::Result<(), StoreError> {
        let index = self.engine.inner.search.current(tx, None)?;
        let scope = self.scope(tx, &index, view, query, None)?;
        let best = messages.first().map_or(0.0, |hit| hit.score);
        let titled = titles::titled(tx, &index, &scope, query, view.is_none(), best)?;
        messages.retain(|hit| titled.iter().all(|other| other.message.seq != hit.message.seq));
        messages.splice(0..0, titled);
        Ok(())
    }

    /// The messages that answer the query, among those that may surface and were said no later than `until`.
    pub(crate) fn answering(
        &self,
        tx: &ReadTx<'_>,
        view: Option<&View>,
        query: &Query,
        vector: Option<&[f32]>,
        until: Option<Timestamp>,
        limit: usize,
    ) -> std::result::Result<Vec<Hit>, StoreError> {
        let embedder = self.engine.inner.embedder.ready();
        let index = self.engine.inner.search.current(tx, embedder.as_ref().map(|embedder| embedder.name()))?;
        let cues = Cues::read(&query.about, self.moment());
        let speakers = rank::speakers_in(&index, view, query, &cues);
        let scope = self.scope(tx, &index, view, query, until)?;
        rank::messages(tx, &index, &scope, &Asked { query, cues: &cues, speakers, vector }, limit)
    }
}

/// The values that facets count for a hit, each once.
trait Faceted {
    fn channels(&self) -> Vec<String>;
    fn authors(&self) -> Vec<String>;
    fn times(&self) -> Vec<Timestamp>;
}

impl Faceted for Hit {
    fn channels(&self) -> Vec<String> {
        vec![self.channel_type.clone()]
    }

    fn authors(&self) -> Vec<String> {
        vec![self.message.author.clone()]
    }

    fn times(&self) -> Vec<Timestamp> {
        vec![self.message.time]
    }
}

impl Faceted for TopicHit {
    fn channels(&self) -> Vec<String> {
        self.channels.clone()
    }

    fn authors(&self) -> Vec<String> {
        self.users.clone()
    }

    fn times(&self) -> Vec<Timestamp> {
        self.times.clone()
    }
}

/// Facets of the hits, in the person's time zone.
fn facets<H: Faceted>(hits: &[H], moment: Moment) -> Vec<Facet> {
    let month = |time: Timestamp| {
        let local = Timestamp(time.0 + i64::from(moment.utc_offset_minutes) * 60_000);
        crate::rfc3339(Timestamp(local.0 - local.0.rem_euclid(DAY_MS))).chars().take(7).collect::<String>()
    };
    let of = |name, values: &dyn Fn(&H) -> Vec<String>| {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for hit in hits {
            for value in values(hit).into_iter().collect::<BTreeSet<_>>() {
                *counts.entry(value).or_default() += 1;
            }
        }
        let mut values: Vec<(String, u64)> = counts.into_iter().collect();
        values.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        values.truncate(FACET_VALUES);
        Facet { name, values }
    };
    vec![
        of("channel", &H::channels),
        of("author", &H::authors),
        of("month", &|hit| hit.times().into_iter().map(&month).collect()),
    ]
}

/// Whether a memory passes the filters of a query. Most filters are about messages, but the time filter applies to memories
/// too.
pub(crate) fn memory_fits(query: &Query, said: Timestamp) -> bool {
    let filters = &query.filters;
    filters.after.is_none_or(|after| said >= after) && filters.before.is_none_or(|before| said < before)
}

/// Ids with scores, best first; equal scores keep the given order.
pub(crate) fn best_first(mut scored: Vec<(MemoryId, f64)>, limit: usize) -> Vec<(MemoryId, f64)> {
    scored.sort_by(|a, b| b.1.total_cmp(&a.1));
    scored.truncate(limit);
    scored
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_phrases_are_shown_where_they_stand() {
        let moment = Moment { now: Timestamp(0), utc_offset_minutes: 0 };
        let check = |typed: &str, text: &str, expect: &[&str]| {
            let chars: Vec<char> = text.chars().collect();
            let found = highlights(&Query::read(typed, moment), text);
            let shown: Vec<String> = found.into_iter().map(|place| chars[place].iter().collect()).collect();
            assert_eq!(shown, expect, "{typed:?} in {text:?}");
        };
        check("run cafe", "🙂 Running to the Café", &["Running", "Café"]);
        check("\"blue jacket\"", "A blue jacket, a jacket", &["blue jacket"]);
        check("jacket \"blue jacket\"", "A blue jacket, a jacket", &["blue jacket", "jacket"]);
        check("harb*", "the harbour", &["harbour"]);
        check("arbour", "the harbour", &["arbour"]);
        check("oat", "the boat", &[]);
        check("東京", "昨日東京に行った。", &["東京"]);
        check("boat", "nothing here", &[]);
        check("", "nothing here", &[]);
    }
}
