//! In-memory index of message positions and of compressed message vectors (codes), so that a search covers all messages.
//!
//! The index is derived from the store. New messages are added. If messages were removed, the index is rebuilt, so no byte of
//! an erased message remains here once the next search has started. Each search updates the index to its own snapshot of the
//! store. A search in an older snapshot may find rows that are not in that snapshot; it reads every hit from the store and
//! leaves those out.
//!
//! The index takes about 90 bytes per message: 52 for the code, the rest for order and times.
//!
//! Not in this module: exact vectors and texts (`store`), and who may see what (the caller decides for each message).

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use keepsake_domain::{ConversationId, MemoryId, Timestamp};
use keepsake_models::cosine;
use keepsake_retrieval::Codes;
use keepsake_store::{EmbeddingOwner, NamedHandle, ReadTx, StoreError, VectorModel};
use keepsake_text::words;

use super::topic_texts::TopicTexts;
use super::vocabulary::Vocabulary;
use crate::derive::readable_messages::is_same_talk;
use crate::serve::boundary::TopicHead;

/// Marks a message that has no position, or no vector.
const NONE: u32 = u32::MAX;

/// Position of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Home {
    /// Number of its conversation.
    pub(crate) conversation: u32,
    /// Index within the conversation.
    place: u32,
    /// When it was said.
    pub(crate) time: Timestamp,
}

const NOWHERE: Home = Home { conversation: NONE, place: 0, time: Timestamp(0) };

#[derive(Debug, Default)]
pub(crate) struct Index {
    is_loaded: bool,
    version: i64,
    last_seq: i64,
    numbers: HashMap<String, u32>,
    conversations: Vec<ConversationId>,
    /// Log positions of each conversation's messages, in order.
    members: Vec<Vec<u32>>,
    /// Indexed by log position.
    homes: Vec<Home>,
    messages: usize,
    vectors: Option<Vectors>,
    /// Boundary version when the speakers were read.
    speakers_version: i64,
    speakers: Vec<Speaker>,
    /// Has its own lock, because it is loaded only when a question first needs it.
    vocabulary: Mutex<Vocabulary>,
    /// Vectors of memories, loaded on demand; the text of a memory never changes.
    memories: HashMap<MemoryId, Vec<f32>>,
    /// Texts of topics, loaded on demand.
    topics: TopicTexts,
}

/// A handle with the words of its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Speaker {
    pub(crate) handle: NamedHandle,
    /// The words of the name, lowercase and without diacritics.
    pub(crate) names: Vec<String>,
    /// Numbers of the conversations in which it speaks.
    conversations: Vec<u32>,
}

impl Speaker {
    /// Whether it speaks in one of these conversations ([`Index::marks`]).
    pub(crate) fn speaks_in(&self, marks: &[bool]) -> bool {
        self.conversations.iter().any(|number| marks.get(*number as usize).copied().unwrap_or(false))
    }
}

#[derive(Debug)]
struct Vectors {
    model: String,
    stored: VectorModel,
    last_arrival: i64,
    codes: Codes,
    /// Log position of each row's message.
    owners: Vec<u32>,
    arrivals: Vec<i64>,
    /// First row of each message, indexed by log position; its other parts follow.
    rows: Vec<u32>,
}

/// The log position in the index's number type; `None` if it exceeds 32 bits, in which case the message is not indexed.
fn short(seq: i64) -> Option<u32> {
    u32::try_from(seq).ok().filter(|seq| *seq != NONE)
}

impl Index {
    /// Whether the index contains everything in this snapshot.
    pub(crate) fn is_current(&self, tx: &ReadTx<'_>, model: Option<&str>) -> Result<bool, StoreError> {
        let is_older = tx.vectors().version()? > self.version || tx.log().last_seq_of_all()? > self.last_seq;
        if !self.is_loaded || is_older || tx.privacy().boundary_version()? != self.speakers_version {
            return Ok(false);
        }
        let Some(model) = model else { return Ok(true) };
        Ok(match &self.vectors {
            Some(vectors) => vectors.model == model && tx.vectors().last_arrival()? <= vectors.last_arrival,
            None => tx.vectors().model(model)?.is_none(),
        })
    }

    /// Adds everything in this snapshot that the index does not contain yet.
    pub(crate) fn update(&mut self, tx: &ReadTx<'_>, model: Option<&str>) -> Result<(), StoreError> {
        let version = tx.vectors().version()?;
        if !self.is_loaded || version > self.version {
            *self = Self { version, ..Self::default() };
            self.read_order(tx)?;
            self.is_loaded = true;
        } else {
            self.add_messages(tx)?;
        }
        if let Some(model) = model {
            self.add_vectors(tx, model)?;
        }
        let speakers_version = tx.privacy().boundary_version()?;
        if speakers_version != self.speakers_version {
            let plain = |name: &str| words(name).into_iter().map(|word| word.plain).collect();
            let mut heard: HashMap<String, Vec<u32>> = HashMap::new();
            tx.search().handles_in_conversations(|handle, conversation| {
                if let Some(number) = self.numbers.get(conversation) {
                    heard.entry(handle.to_owned()).or_default().push(*number);
                }
            })?;
            let handles = tx.search().named_handles()?.into_iter();
            self.speakers = handles
                .map(|handle| Speaker {
                    names: plain(&handle.name),
                    conversations: heard.remove(&handle.id).unwrap_or_default(),
                    handle,
                })
                .collect();
            self.speakers_version = speakers_version;
        }
        Ok(())
    }

    /// Loads the missing vectors of these memories.
    pub(crate) fn add_memories(&mut self, tx: &ReadTx<'_>, model: &str, ids: &[MemoryId]) -> Result<(), StoreError> {
        for id in ids {
            if !self.memories.contains_key(id)
                && let Some(vector) = tx.vectors().embedding(EmbeddingOwner::Memory, id.as_str(), model)?
            {
                self.memories.insert(id.clone(), vector);
            }
        }
        Ok(())
    }

    /// Loads the missing texts of these topics.
    pub(crate) fn add_topics(&mut self, tx: &ReadTx<'_>, topics: &[TopicHead]) -> Result<(), StoreError> {
        self.topics.add(tx, topics)
    }

    /// The topic texts loaded so far.
    pub(crate) fn topics(&self) -> &TopicTexts {
        &self.topics
    }

    /// Cosine of a memory with a query, if its vector is loaded.
    pub(crate) fn memory_meaning(&self, query: &[f32], id: &MemoryId) -> Option<f32> {
        self.memories.get(id).map(|vector| cosine(query, vector))
    }

    /// Every handle, with the words of its name.
    pub(crate) fn speakers(&self) -> &[Speaker] {
        &self.speakers
    }

    fn number_of(&mut self, conversation: &str) -> Option<u32> {
        if let Some(number) = self.numbers.get(conversation) {
            return Some(*number);
        }
        let number = short(self.conversations.len() as i64)?;
        self.conversations.push(conversation.parse().ok()?);
        self.members.push(Vec::new());
        self.numbers.insert(conversation.to_owned(), number);
        Some(number)
    }

    fn place(&mut self, number: u32, seq: i64, time: i64) {
        let Some(seq) = short(seq) else { return };
        let members = &mut self.members[number as usize];
        let home = Home { conversation: number, place: members.len() as u32, time: Timestamp(time) };
        members.push(seq);
        if self.homes.len() <= seq as usize {
            self.homes.resize(seq as usize + 1, NOWHERE);
        }
        let slot = &mut self.homes[seq as usize];
        self.messages += usize::from(slot.conversation == NONE);
        *slot = home;
        self.last_seq = self.last_seq.max(i64::from(seq));
    }

    fn read_order(&mut self, tx: &ReadTx<'_>) -> Result<(), StoreError> {
        let mut current: Option<(String, u32)> = None;
        tx.vectors().message_order(|conversation, seq, time| {
            if current.as_ref().is_none_or(|(id, _)| id != conversation) {
                current = self.number_of(conversation).map(|number| (conversation.to_owned(), number));
            }
            if let Some((_, number)) = &current {
                self.place(*number, seq, time);
            }
        })
    }

    /// Reads conversations with new messages again, so that a message that arrived late gets its proper position.
    fn add_messages(&mut self, tx: &ReadTx<'_>) -> Result<(), StoreError> {
        for conversation in tx.vectors().conversations_after(self.last_seq)? {
            let Some(number) = self.number_of(&conversation) else { continue };
            self.members[number as usize].clear();
            for (seq, time) in tx.vectors().message_order_in(&conversation)? {
                self.place(number, seq, time);
            }
        }
        Ok(())
    }

    fn add_vectors(&mut self, tx: &ReadTx<'_>, model: &str) -> Result<(), StoreError> {
        if self.vectors.as_ref().is_none_or(|vectors| vectors.model != model) {
            let Some(stored) = tx.vectors().model(model)? else { return Ok(()) };
            self.vectors = Some(Vectors {
                model: model.to_owned(),
                stored,
                last_arrival: 0,
                codes: Codes::new(stored.dimension),
                owners: Vec::new(),
                arrivals: Vec::new(),
                rows: Vec::new(),
            });
        }
        let Some(vectors) = &mut self.vectors else { return Ok(()) };
        let (stored, after) = (vectors.stored, vectors.last_arrival);
        tx.vectors().since(stored, after, |found| {
            vectors.last_arrival = found.arrival;
            let Some(seq) = short(found.seq) else { return };
            let Some(row) = vectors.codes.push(&found.vector) else { return };
            vectors.owners.push(seq);
            vectors.arrivals.push(found.arrival);
            if vectors.rows.len() <= seq as usize {
                vectors.rows.resize(seq as usize + 1, NONE);
            }
            if vectors.rows[seq as usize] == NONE {
                vectors.rows[seq as usize] = row as u32;
            }
        })
    }

    /// All words in the log that contain `part`, regardless of who wrote them.
    pub(crate) fn words_with(&self, tx: &ReadTx<'_>, part: &str) -> Result<Vec<String>, StoreError> {
        self.vocabulary.lock().unwrap_or_else(PoisonError::into_inner).with(tx, part)
    }

    /// Number of a conversation, if it is indexed.
    pub(crate) fn number(&self, conversation: &str) -> Option<u32> {
        self.numbers.get(conversation).copied()
    }

    /// One flag per conversation, indexed by [`Home::conversation`]; true for these conversations.
    pub(crate) fn marks(&self, conversations: &[ConversationId]) -> Vec<bool> {
        let mut marks = vec![false; self.conversations.len()];
        for id in conversations {
            if let Some(number) = self.numbers.get(id.as_str()) {
                marks[*number as usize] = true;
            }
        }
        marks
    }

    /// The position of a message, if it is indexed.
    pub(crate) fn home(&self, seq: i64) -> Option<Home> {
        let home = *self.homes.get(usize::try_from(seq).ok()?)?;
        (home.conversation != NONE).then_some(home)
    }

    /// The message at this offset from another one in the same conversation.
    pub(crate) fn neighbour(&self, seq: i64, offset: i64) -> Option<i64> {
        let home = self.home(seq)?;
        let members = &self.members[home.conversation as usize];
        let place = usize::try_from(i64::from(home.place) + offset).ok()?;
        members.get(place).map(|seq| i64::from(*seq))
    }

    /// The same, unless a long pause lies between them. After one, people seldom go on with what was said last.
    pub(crate) fn neighbour_in_talk(&self, seq: i64, offset: i64) -> Option<i64> {
        let time = self.home(seq)?.time;
        self.neighbour(seq, offset).filter(|other| self.home(*other).is_some_and(|home| is_same_talk(home.time, time)))
    }

    /// Number of messages indexed.
    pub(crate) fn messages(&self) -> usize {
        self.messages
    }

    /// All indexed messages with their positions.
    pub(crate) fn all(&self) -> impl DoubleEndedIterator<Item = (i64, Home)> + '_ {
        self.homes.iter().enumerate().filter(|(_, home)| home.conversation != NONE).map(|(seq, home)| (seq as i64, *home))
    }

    /// The messages probably nearest to a query, best first, each with the arrival number of its matching part. Only messages
    /// accepted by `allowed` are considered, or all if it is `None`. `count` maps the number of candidates to the number of
    /// results.
    pub(crate) fn nearest(
        &self,
        query: &[f32],
        count: impl Fn(usize) -> usize,
        threads: usize,
        allowed: Option<impl Fn(i64, Home) -> bool + Sync>,
    ) -> Vec<(i64, i64)> {
        let Some(vectors) = &self.vectors else { return Vec::new() };
        let near = match allowed {
            Some(allowed) => vectors.codes.nearest(query, count, threads, |row: usize| {
                let seq = i64::from(vectors.owners[row]);
                self.home(seq).is_some_and(|home| allowed(seq, home))
            }),
            // Checking permission a million times takes longer than the scan.
            None => vectors.codes.nearest(query, count, threads, |_| true),
        };
        near.into_iter().map(|near| (i64::from(vectors.owners[near.row]), vectors.arrivals[near.row])).collect()
    }

    /// Approximate cosines of some messages with a query, using the best part of each. Messages
    /// without a vector are left out.
    pub(crate) fn estimates(&self, query: &[f32], messages: impl IntoIterator<Item = i64>) -> HashMap<i64, f32> {
        let Some(vectors) = &self.vectors else { return HashMap::new() };
        let rows = messages.into_iter().flat_map(|seq| {
            let first = usize::try_from(seq).ok().and_then(|seq| vectors.rows.get(seq)).filter(|row| **row != NONE);
            let first = first.map_or(vectors.owners.len(), |row| *row as usize);
            (first..vectors.owners.len()).take_while(move |row| i64::from(vectors.owners[*row]) == seq)
        });
        let mut best: HashMap<i64, f32> = HashMap::new();
        for near in vectors.codes.estimates(query, rows) {
            let slot = best.entry(i64::from(vectors.owners[near.row])).or_insert(f32::MIN);
            *slot = slot.max(near.estimate);
        }
        best
    }
}
