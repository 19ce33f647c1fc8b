//! Known memories, indexed by subject, words and meaning, for comparison with new candidates.
//!
//! Not in this module: what happens to a candidate that is similar to a known memory.

use std::cell::Cell;
use std::collections::HashMap;

use keepsake_capture::dedup::{Claim, compare};
use keepsake_domain::{DedupOutcome, FactDetail, Label, MemoryId, MemoryKind, Role, Speaker, Subject, Timestamp};
use keepsake_store::{EmbeddingOwner, ReadTx, StoreError};

use crate::serve::boundary::AccessMap;

/// Number of memories from each search that are compared in full: the closest in meaning, and the closest in wording.
const NEAR_MAX: usize = 6;

/// A word contained in more known memories than this says nothing about similarity.
const COMMON_WORD_MEMORIES: usize = 400;

/// A known memory in the form used for comparison.
pub(super) struct KnownMemory {
    pub(super) id: MemoryId,
    pub(super) kind: MemoryKind,
    pub(super) content: String,
    pub(super) fact: Option<FactDetail>,
    pub(super) vector: Option<Vec<f32>>,
    /// Where it may be shown. A candidate's outcome depends only on memories that are visible wherever the candidate is.
    pub(super) label: Label,
    /// Whether it was merged into another memory meanwhile.
    pub(super) is_gone: Cell<bool>,
    /// When it was said.
    pub(super) said: Option<Timestamp>,
    /// When a person retracted it; `None` if it is in use.
    pub(super) taken_back: Option<Timestamp>,
}

impl KnownMemory {
    fn claim(&self) -> Claim<'_> {
        Claim { content: &self.content, fact: self.fact }
    }
}

#[derive(Default)]
pub(super) struct KnownSubject {
    pub(super) memories: Vec<KnownMemory>,
    by_word: HashMap<String, Vec<usize>>,
}

/// The known memories, cached between jobs until something changes them.
#[derive(Default)]
pub(crate) struct Known {
    pub(super) signature: Option<[i64; 5]>,
    boundary: i64,
    model: Option<String>,
    /// By subject. The subject is the person behind a handle, not the handle.
    pub(super) subjects: HashMap<Subject, KnownSubject>,
    /// Memories that a person retracted. Statements made before the retraction no longer count, however they are worded.
    pub(super) taken_back: HashMap<Subject, KnownSubject>,
    /// Source words of permanently erased memories, with the time of the erasure. The erased statements themselves are gone.
    forgotten: HashMap<Subject, Vec<(String, Timestamp)>>,
}

fn words(content: &str) -> impl Iterator<Item = String> + '_ {
    content
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() > 2 && !word.eq_ignore_ascii_case("user"))
        .map(str::to_lowercase)
}

impl KnownSubject {
    pub(super) fn add(&mut self, memory: KnownMemory) {
        let index = self.memories.len();
        for word in words(&memory.content) {
            let places = self.by_word.entry(word).or_default();
            if places.last() != Some(&index) {
                places.push(index);
            }
        }
        self.memories.push(memory);
    }

    /// The memory that the candidate repeats, extends or is closest to, among those that `is_open` accepts. A fact and a
    /// position never match, even if worded alike, because a position includes its reason (docs/sources.md#design-decisions).
    pub(super) fn nearest(
        &self,
        kind: MemoryKind,
        claim: Claim<'_>,
        vector: Option<&[f32]>,
        is_open: impl Fn(&KnownMemory) -> bool,
    ) -> Option<(&KnownMemory, DedupOutcome, f32)> {
        let mut shared: HashMap<usize, u32> = HashMap::new();
        for word in words(claim.content) {
            for &place in self.by_word.get(&word).filter(|places| places.len() <= COMMON_WORD_MEMORIES).into_iter().flatten() {
                *shared.entry(place).or_default() += 1;
            }
        }
        let mut by_words: Vec<(usize, u32)> = shared.into_iter().filter(|&(place, _)| is_open(&self.memories[place])).collect();
        by_words.sort_by_key(|&(place, count)| (std::cmp::Reverse(count), place));
        let mut chosen: Vec<usize> = by_words.into_iter().take(NEAR_MAX).map(|(place, _)| place).collect();
        if let Some(vector) = vector {
            let mut by_meaning: Vec<(usize, f32)> = self
                .memories
                .iter()
                .enumerate()
                .filter(|(_, memory)| is_open(memory))
                .filter_map(|(place, memory)| Some((place, keepsake_models::cosine(vector, memory.vector.as_deref()?))))
                .collect();
            by_meaning.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            chosen.extend(by_meaning.into_iter().take(NEAR_MAX).map(|(place, _)| place));
        }
        chosen.sort_unstable();
        chosen.dedup();
        let rank = |outcome: DedupOutcome| match outcome {
            DedupOutcome::Exact => 3,
            DedupOutcome::Reinforcement => 2,
            DedupOutcome::Related => 1,
            DedupOutcome::Different => 0,
        };
        chosen
            .into_iter()
            .map(|place| {
                let memory = &self.memories[place];
                let (outcome, similarity) = compare(claim, vector, memory.claim(), memory.vector.as_deref());
                (memory, outcome, similarity)
            })
            .filter(|(memory, outcome, _)| memory.kind == kind && *outcome != DedupOutcome::Different && is_open(memory))
            .max_by(|a, b| rank(a.1).cmp(&rank(b.1)).then(a.2.total_cmp(&b.2)))
    }
}

impl Known {
    /// Whether a statement repeats erased words and was made before they were erased.
    pub(super) fn is_forgotten(&self, about: &Subject, content: &str, said: Option<Timestamp>) -> bool {
        let says = |words: &str| {
            matches!(
                compare(Claim::worded(content), None, Claim::worded(words), None).0,
                DedupOutcome::Exact | DedupOutcome::Reinforcement
            )
        };
        self.forgotten.get(about).into_iter().flatten().any(|(words, at)| Some(*at) >= said && says(words))
    }

    /// Reloads the known memories if anything has changed.
    pub(super) fn refresh(
        &mut self,
        tx: &ReadTx<'_>,
        map: &AccessMap,
        model: Option<&str>,
    ) -> std::result::Result<(), StoreError> {
        let signature = tx.memories().signature()?;
        if self.signature == Some(signature) && self.boundary == map.version && self.model.as_deref() == model {
            return Ok(());
        }
        self.subjects.clear();
        self.taken_back.clear();
        self.forgotten.clear();
        for (place, at) in tx.lifecycle().forgotten_places()? {
            let Some(message) = tx.log().interaction(&place.interaction)? else { continue };
            let Ok(words) = place.span.quote(&message.content) else { continue };
            let about = match message.role {
                Role::Owner => Subject::Owner,
                _ => Subject::Person(Speaker::new(&message.author, &message.handle_id)),
            };
            self.forgotten.entry(map.speakers.behind(&about)).or_default().push((words.to_owned(), at));
        }
        let sources = tx.privacy().memory_sources()?;
        let taken_back = tx.retractions().retracted_memories()?.into_iter().map(|memory| (memory.decided, memory));
        for (taken_back, memory) in tx.memories().pending_and_active()?.into_iter().map(|memory| (None, memory)).chain(taken_back)
        {
            let vector = match model {
                Some(model) => tx.vectors().embedding(EmbeddingOwner::Memory, memory.id.as_str(), model)?,
                None => None,
            };
            // A memory without evidence is visible nowhere and is not compared, but a retraction still applies.
            let label = match map.label_of(sources.get(&memory.id)) {
                Some(label) => label,
                None if taken_back.is_some() => Label::PUBLIC,
                None => continue,
            };
            let known = KnownMemory {
                said: Some(memory.said),
                id: memory.id,
                kind: memory.kind,
                content: memory.content,
                fact: memory.fact,
                vector,
                label,
                is_gone: Cell::new(false),
                taken_back,
            };
            let of = if taken_back.is_some() { &mut self.taken_back } else { &mut self.subjects };
            of.entry(map.speakers.behind(&memory.subject)).or_default().add(known);
        }
        self.signature = Some(signature);
        self.boundary = map.version;
        self.model = model.map(str::to_owned);
        Ok(())
    }
}
