//! From a conversation to proposals in the queue: find candidates, compare them with what is known, write once.
//!
//! What counts as a candidate is decided in `capture`. This module decides against the store whether one is a repeat,
//! dismissed before, more detailed, or new. Effects, gate log, read position and job completion are one transaction.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use keepsake_capture::dedup::{self, Claim, compare};
use keepsake_capture::{Conversation, Proposals, Turn};
use keepsake_domain::{
    Candidate, CandidateEvidence, ConversationId, DedupOutcome, EvidenceSpan, Gate, InteractionId, JobId, Label, MemoryId,
    MemoryKind, MemoryStatus, Offer, READER_PREFIX, Reading, Relation, Role, Speaker, Stop, Subject, limits,
};
use keepsake_models::Embedder;
use keepsake_store::{
    ConversationRow, EmbeddingOwner, InteractionRow, Lease, MemoryRow, NewEvidence, NewGateLogRow, NewMemory, Speakers,
    StoreError, WriteTx,
};

use crate::content_ids::uuid_of;
use crate::derive::readable_messages::{is_still_on_record, messages_on_record};
use crate::language::is_meeting;
use crate::queue::control::Control;
use crate::serve::boundary::AccessMap;
use crate::serve::masked::{holds_credentials, masked};
use crate::{Engine, EngineError, Result};

mod changes;
mod known;

pub(crate) use known::Known;
use known::KnownMemory;

/// Number of turns read at once. A chat of several years is read in stretches, so that cancellation works and memory stays
/// bounded. Corrections are looked for within a stretch; across stretches, new statements are compared with known ones.
const STRETCH_TURNS: usize = 2_000;

/// Setting that stores how much is proposed.
const OFFER_SETTING: &str = "offer";

/// Name of this setting in error messages.
const OFFER: &str = "choice of how much is proposed";

/// Proposer recorded with text that was quarantined because of its form alone.
const FORM_PROPOSER: &str = "form/1";

/// Reason for stopping a position beyond the limit for one source.
const OVER_CAP: &str = "There are more entries than one source may contribute.";

/// Reason for proposing nothing that contains a credential.
const SECRET: &str = "It contains a password, a key, a code or an account number, which no agent should see.";

/// Stands in for such a text in the log.
const SECRET_CONTENT: &str = "Text with a password, a key, a code or an account number";

/// Reason for proposing nothing about an unidentified speaker.
const NOBODY_YET: &str = "The speaker is unidentified. This is proposed once you identify them.";

/// Result of a run over one conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proposed {
    /// New proposals for review, with their categories.
    pub created: Vec<(MemoryId, String)>,
    /// Memories quarantined because they look like instructions.
    pub quarantined: Vec<MemoryId>,
    /// Number of candidates that repeated something already known.
    pub repeated: u32,
    /// Number of candidates stopped, by gate.
    pub stopped: BTreeMap<String, u32>,
}

/// One vector per text; `None` for each if there is no model or it failed.
pub fn vectors_of(embedder: Option<&dyn Embedder>, texts: &[&str]) -> Vec<Option<Vec<f32>>> {
    match embedder.map(|embedder| embedder.embed(texts)) {
        Some(Ok(vectors)) => vectors.into_iter().map(Some).collect(),
        Some(Err(error)) => {
            tracing::warn!(%error, "embedding failed; comparing by words");
            vec![None; texts.len()]
        }
        None => vec![None; texts.len()],
    }
}

/// The messages in the form that capture reads.
pub(crate) fn turns<'r>(rows: &'r [InteractionRow], speakers: &'r Speakers) -> Vec<Turn<'r>> {
    rows.iter()
        .map(|row| Turn {
            id: row.id.as_str(),
            role: row.role,
            author: &row.author,
            speaker: speakers.key(&row.handle_id),
            text: &row.content,
            time: row.time,
            message_type: row.message_type,
            is_branch: row.is_branch,
            thread: "",
        })
        .collect()
}

/// The candidates of one proposer from a slice of a conversation.
pub(crate) struct Harvest<'r> {
    pub(crate) rows: &'r [InteractionRow],
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) stops: Vec<Stop>,
    pub(crate) proposer: String,
}

/// The label of the conversation in which a candidate was said, and the access map.
#[derive(Clone, Copy)]
struct Standing<'m> {
    map: &'m AccessMap,
    label: &'m Label,
}

/// A candidate with its vector, ready for a decision.
struct Prepared<'r> {
    candidate: Candidate,
    evidence: Vec<NewEvidence>,
    vector: Option<Vec<f32>>,
    proposer: String,
    rows: &'r [InteractionRow],
}

impl Engine {
    /// How much the person wants to see proposed.
    pub fn offer(&self) -> Result<Offer> {
        Ok(self.store().read(|tx| tx.choice(OFFER_SETTING, OFFER))?)
    }

    /// Sets how much is proposed, for everything read from now on.
    pub fn set_offer(&self, offer: Offer) -> Result<()> {
        let now = self.now();
        Ok(self.store().write(|tx| tx.put_choice(OFFER_SETTING, OFFER, &offer, now))?)
    }

    /// Proposes memories from the new messages of a conversation. With a lease, the job is completed
    /// in the same transaction.
    pub fn propose(&self, id: &ConversationId, lease: Option<&Lease>, control: &dyn Control) -> Result<Proposed> {
        let (conversation, rows, read_to, map) =
            self.store().read(|tx| Ok((tx.conversation(id)?, messages_on_record(tx, id)?, tx.last_seq(id)?, self.map(tx)?)))?;
        // Without the reader the conversation stays unread, and is read once the reader is available.
        let has_reader = self.inner.embedder.reader().ready().is_some();
        if !has_reader && !conversation.is_private {
            self.tell_of_unread()?;
        }
        let mut harvests = Vec::new();
        if !conversation.is_private {
            let from = rows.iter().position(|row| row.seq > conversation.extracted_through_seq).unwrap_or(rows.len());
            let read = self.read_rows(id, &rows, from, control)?;
            for (n, stretch) in rows.chunks(STRETCH_TURNS).enumerate() {
                if stretch.iter().all(|row| row.seq <= conversation.extracted_through_seq) {
                    continue;
                }
                control.progress("Reading the conversation", stretch.len() as u64, rows.len() as u64);
                if control.is_cancelled() {
                    return Err(EngineError::Cancelled);
                }
                let read = read.as_ref().map(|read| read.stretch(n * STRETCH_TURNS..n * STRETCH_TURNS + stretch.len()));
                let mut harvest = self.only_quarantine(self.capture(stretch, &map.speakers, read)?)?;
                // A candidate that rests only on messages read earlier was decided then.
                let is_new = |evidence: &[CandidateEvidence]| {
                    evidence
                        .iter()
                        .any(|e| stretch.get(e.message).is_some_and(|row| row.seq > conversation.extracted_through_seq))
                };
                harvest.candidates.retain(|candidate| is_new(&candidate.evidence));
                harvest.stops.retain(|stop| stop.evidence.is_empty() || is_new(&stop.evidence));
                harvests.push(harvest);
            }
        }
        self.store_harvests(&conversation, harvests, lease, |tx, proposed| {
            // If it was excluded meanwhile, it is read after it is included again.
            if has_reader && is_still_on_record(tx, &conversation)? {
                tx.mark_extracted(id, read_to)?;
            }
            if let Some(lease) = lease {
                let result = serde_json::json!({ "created": proposed.created.len(), "repeated": proposed.repeated });
                tx.complete(lease, &result.to_string(), self.now())?;
            }
            Ok(())
        })
    }

    /// Runs the built-in engine on a slice of a conversation, using the reader's marks.
    pub(crate) fn capture<'r>(
        &self,
        rows: &'r [InteractionRow],
        speakers: &Speakers,
        read: Option<(&str, &[Reading])>,
    ) -> Result<Harvest<'r>> {
        let turns = turns(rows, speakers);
        let name_of = |role: Role| rows.iter().find(|row| row.role == role).map(|row| row.author.as_str());
        let conversation =
            Conversation { turns: &turns, owner_name: name_of(Role::Owner), assistant_name: name_of(Role::Assistant) };
        // Without the reader nothing is proposed, but text that gives instructions to a machine is
        // quarantined all the same.
        let (proposer, readings) = read.unwrap_or((FORM_PROPOSER, &[]));
        let Proposals { candidates, stops } = keepsake_capture::propose_read(&conversation, readings, self.offer()?);
        Ok(Harvest { rows, candidates, stops, proposer: proposer.to_owned() })
    }

    /// Decides on every candidate and writes the results in one transaction, together with what `finish` adds.
    pub(crate) fn store_harvests(
        &self,
        conversation: &ConversationRow,
        harvests: Vec<Harvest<'_>>,
        lease: Option<&Lease>,
        finish: impl FnOnce(&WriteTx<'_>, &Proposed) -> std::result::Result<(), StoreError>,
    ) -> Result<Proposed> {
        let embedder = self.inner.embedder.ready();
        let (mut prepared, stops) = prepare(harvests, embedder.as_deref());
        if is_meeting(conversation) {
            strongest_first(&mut prepared);
        }
        let mut replacements = self.replacements(&prepared, embedder.as_deref().map(Embedder::name))?;
        let mut known = self.inner.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let outcome = self.store().write(|tx| {
            if let Some(lease) = lease {
                tx.check_lease(lease)?;
            }
            let mut proposed = Proposed::default();
            // Checked again inside the transaction: the person may have excluded the conversation
            // meanwhile and included it again.
            if is_still_on_record(tx, conversation)? {
                let map = self.map(tx)?;
                known.refresh(tx, &map, embedder.as_deref().map(Embedder::name))?;
                let label = map.places.get(&conversation.id).map_or(Label::PUBLIC, Label::of);
                let place = Standing { map: &map, label: &label };
                let job = lease.map(|lease| &lease.job);
                for (stop, place, proposer) in &stops {
                    self.log(tx, conversation, stop, place.clone(), None, proposer, job)?;
                    *proposed.stopped.entry(stop.gate.name().to_owned()).or_default() += 1;
                }
                for (at, candidate) in prepared.into_iter().enumerate() {
                    let changed = replacements.with(at);
                    let embedder = embedder.as_deref();
                    let made =
                        self.decide(tx, conversation, place, candidate, &changed, &mut known, embedder, job, &mut proposed)?;
                    if let Some(id) = made {
                        replacements.store(tx, at, &id, self.now())?;
                    }
                }
            }
            finish(tx, &proposed)?;
            known.signature = Some(tx.memory_signature()?);
            Ok(proposed)
        });
        if outcome.is_err() {
            // The transaction was rolled back, so what was added to the cache is not in the store.
            known.signature = None;
        }
        Ok(outcome?)
    }

    /// Decides what happens to a candidate. Returns the id of the memory that is now pending review, if there is one.
    #[allow(clippy::too_many_arguments)] // One decision needs all of these; they have nothing else in common.
    fn decide(
        &self,
        tx: &WriteTx<'_>,
        conversation: &ConversationRow,
        place: Standing<'_>,
        prepared: Prepared<'_>,
        changed: &BTreeSet<MemoryId>,
        known: &mut Known,
        embedder: Option<&dyn Embedder>,
        job: Option<&JobId>,
        proposed: &mut Proposed,
    ) -> std::result::Result<Option<MemoryId>, StoreError> {
        let Prepared { mut candidate, mut evidence, vector, proposer, rows } = prepared;
        let Standing { map, label } = place;
        // The handles of a person may have changed since this was read. The first line determines whose statement it is,
        // and lines by others are dropped.
        if let (Subject::Person(speaker), Some(said)) =
            (&candidate.subject, candidate.evidence.first().and_then(|e| rows.get(e.message)))
        {
            candidate.subject = Subject::Person(Speaker::new(speaker.name(), &said.handle_id));
            let person = map.speakers.key(&said.handle_id);
            let is_theirs = |row: &InteractionRow| map.speakers.key(&row.handle_id) == person;
            candidate.evidence.retain(|e| rows.get(e.message).is_some_and(is_theirs));
            evidence = places_of(&candidate, rows);
        }
        let about = map.speakers.behind(&candidate.subject);
        let place = evidence.first().map(|e| (e.interaction_id.clone(), e.span));
        let stop = |gate: Gate, reason: String| Stop {
            gate,
            subject: candidate.subject.clone(),
            content: candidate.content.clone(),
            reason,
            evidence: Vec::new(),
        };
        let fingerprint = dedup::fingerprint(&candidate.content).into_bytes();
        // What a person erased permanently is not even logged as stopped, because the words must not return in a log.
        let said = candidate.evidence.iter().filter_map(|e| rows.get(e.message)).map(|row| row.time).max();
        let places: Vec<EvidenceSpan> = evidence.iter().map(NewEvidence::place).collect();
        if tx.is_forgotten(&places)?
            || tx.is_statement_erased(&candidate.subject, &fingerprint)?
            || known.is_forgotten(&about, &candidate.content, said)
        {
            tx.forget_places(&places, self.now())?;
            *proposed.stopped.entry(Gate::Suppressed.name().to_owned()).or_default() += 1;
            return Ok(None);
        }
        if let Some(first) = evidence.first()
            && let Some(known) = tx.memory_at(first, &candidate.subject, candidate.category)?
            && let row = tx.memory(&known)?
            && !is_withdrawn_of_another(&row, &candidate)
            && is_same_statement(&row, &candidate, &proposer)
        {
            // Two engines read the same words the same way: one candidate with two proposers.
            tx.add_proposer(&known, &proposer)?;
            if matches!(row.status, MemoryStatus::Rejected | MemoryStatus::Superseded) {
                said_again(tx, &known, &evidence)?;
            }
            proposed.repeated += 1;
            return Ok(None);
        }
        if let Subject::Person(speaker) = &candidate.subject
            && !candidate.is_quarantined
            && tx.is_unnamed(speaker.key())?
        {
            let stop = stop(Gate::UnnamedVoice, NOBODY_YET.to_owned());
            self.log(tx, conversation, &stop, place, None, &proposer, job)?;
            *proposed.stopped.entry(Gate::UnnamedVoice.name().to_owned()).or_default() += 1;
            return Ok(None);
        }
        if let Some(decided) = tx.suppressed_by(&candidate.subject, &fingerprint)? {
            said_again(tx, &decided, &evidence)?;
            let stop = stop(Gate::Suppressed, "You have already decided about this statement.".to_owned());
            self.log(tx, conversation, &stop, place, None, &proposer, job)?;
            *proposed.stopped.entry(Gate::Suppressed.name().to_owned()).or_default() += 1;
            return Ok(None);
        }
        let now = self.now();
        let seen_wherever = |from: &Label, to: &Label| map.is_seen_wherever(&self.inner.policy, from, to);
        let nearest = |is_open: &dyn Fn(&KnownMemory) -> bool| {
            let subject = known.subjects.get(&about)?;
            let (memory, outcome, similarity) =
                subject.nearest(candidate.kind, Claim::of(&candidate), vector.as_deref(), |memory| {
                    !memory.is_gone.get() && !changed.contains(&memory.id) && is_open(memory)
                })?;
            Some((memory.id.clone(), outcome, similarity, seen_wherever(label, &memory.label)))
        };
        // The outcome may depend only on what is visible wherever the candidate is. If a private memory could absorb a
        // public statement, the statement's absence from public places would reveal the private memory.
        let near = nearest(&|memory| seen_wherever(&memory.label, label));
        if !candidate.is_quarantined
            && let Some((existing, DedupOutcome::Exact, _, is_same_label)) = &near
        {
            // A repeat adds independent evidence: another message, never the same words echoed by someone else
            // (docs/sources.md#design-decisions). Evidence from a place that fewer people may read supports the memory without
            // narrowing its audience.
            for place in &evidence {
                if *is_same_label {
                    tx.add_evidence(existing, place)?
                } else {
                    tx.add_support(existing, place)?
                };
            }
            let reason = "A memory already says this. The new message was added to its evidence.";
            tx.add_proposer(existing, &proposer)?;
            let stop = stop(Gate::Duplicate, reason.to_owned());
            self.log(tx, conversation, &stop, place, Some(existing.clone()), &proposer, job)?;
            proposed.repeated += 1;
            return Ok(None);
        }
        // A retraction also covers other wordings of the statement. Anything said since then is for the person to review.
        let taken_back = known.taken_back.get(&about).filter(|_| !candidate.is_quarantined).and_then(|subject| {
            subject.nearest(candidate.kind, Claim::of(&candidate), vector.as_deref(), |memory| memory.taken_back >= said)
        });
        if let Some((memory, DedupOutcome::Exact | DedupOutcome::Reinforcement, _)) = taken_back {
            said_again(tx, &memory.id, &evidence)?;
            let stop = stop(Gate::Suppressed, "You have retracted a statement that says this.".to_owned());
            self.log(tx, conversation, &stop, place, Some(memory.id.clone()), &proposer, job)?;
            *proposed.stopped.entry(Gate::Suppressed.name().to_owned()).or_default() += 1;
            return Ok(None);
        }
        // Counted in the store, because a long meeting is read in stretches, and a growing one is read again.
        if candidate.kind == MemoryKind::Knowledge
            && !candidate.is_quarantined
            && is_meeting(conversation)
            && tx.knowledge_of(&conversation.id)? >= limits::KNOWLEDGE_PER_SOURCE_MAX as u64
        {
            let stop = stop(Gate::OverCap, OVER_CAP.to_owned());
            self.log(tx, conversation, &stop, place, None, &proposer, job)?;
            *proposed.stopped.entry(Gate::OverCap.name().to_owned()).or_default() += 1;
            return Ok(None);
        }
        let id = self.memory_id(tx, &candidate, &evidence)?;
        let said_by = candidate.evidence.first().and_then(|e| rows.get(e.message));
        debug_assert!(
            said_by.is_none_or(|row| row.role == Role::Owner || candidate.subject != Subject::Owner || candidate.is_quarantined)
        );
        let first_said = said_by.map(|row| row.time);
        let memory = NewMemory {
            id: id.clone(),
            status: if candidate.is_quarantined { MemoryStatus::Quarantined } else { MemoryStatus::Pending },
            kind: candidate.kind,
            category: candidate.category,
            subject: candidate.subject.clone(),
            content: candidate.content.clone(),
            reasoning: candidate.reasoning.clone(),
            confidence: candidate.confidence,
            durability: candidate.durability,
            knowledge: candidate.knowledge.clone(),
            fact: candidate.fact,
            story: candidate.story.clone(),
            is_edited: false,
            proposers: vec![proposer.clone()],
            fingerprint,
            supersedes: None,
            evidence,
            created: self.made_first(id.as_str()),
        };
        tx.insert_memory(&memory)?;
        if let (Some(vector), Some(embedder)) = (&vector, embedder) {
            tx.put_embedding(EmbeddingOwner::Memory, id.as_str(), embedder.name(), vector)?;
        }
        if candidate.is_quarantined {
            let stop = stop(Gate::InstructionLike, candidate.reasoning.clone());
            self.log(tx, conversation, &stop, place, Some(id.clone()), &proposer, job)?;
            *proposed.stopped.entry(Gate::InstructionLike.name().to_owned()).or_default() += 1;
            proposed.quarantined.push(id);
            return Ok(None);
        }
        // A pending memory with the same statement and fewer readers becomes support of this one, as if this one had come
        // first: everybody who may see it may see this one.
        while let Some((stricter, DedupOutcome::Exact, ..)) = nearest(&|memory| seen_wherever(label, &memory.label)) {
            if !tx.fold_into(&stricter, &id)? {
                break;
            }
            let folded = known.subjects.get(&about).into_iter().flat_map(|subject| &subject.memories);
            folded.filter(|memory| memory.id == stricter).for_each(|memory| memory.is_gone.set(true));
        }
        // The person reviewing sees similar memories wherever they come from; a relation is shown to nobody else. Only
        // within one label does it make a new version, whose approval replaces the older one.
        if let Some((existing, outcome, similarity, is_same_label)) = near.or_else(|| nearest(&|_| true)) {
            let is_version = outcome == DedupOutcome::Reinforcement && is_same_label;
            let relation = if is_version { Relation::Extends } else { Relation::Related };
            tx.relate(&id, relation, &existing, Some(f64::from(similarity)), now)?;
        }
        proposed.created.push((id.clone(), candidate.category.name().to_owned()));
        known.subjects.entry(about).or_default().add(KnownMemory {
            id: id.clone(),
            kind: candidate.kind,
            content: candidate.content,
            fact: candidate.fact,
            vector,
            label: label.clone(),
            is_gone: Cell::new(false),
            taken_back: None,
            said: first_said,
        });
        Ok(Some(id))
    }

    /// The id depends on the statement and its words, so a candidate that is found again has the same id. Two
    /// engines may derive the same statement from one place, and one of them may have been decided on; then the
    /// second gets an id of its own.
    fn memory_id(
        &self,
        tx: &WriteTx<'_>,
        candidate: &Candidate,
        evidence: &[NewEvidence],
    ) -> std::result::Result<MemoryId, StoreError> {
        let places: Vec<String> = evidence
            .iter()
            .map(|place| format!("{}@{}-{}", place.interaction_id, place.span.start(), place.span.end()))
            .collect();
        let id = MemoryId::from_uuid(uuid_of(
            "memory",
            &[
                candidate.subject.as_str(),
                candidate.kind.name(),
                candidate.category.name(),
                &candidate.content,
                &places.join(" "),
            ],
        ));
        Ok(if tx.has_memory(&id)? { MemoryId::fresh(self.ids()) } else { id })
    }

    #[allow(clippy::too_many_arguments)] // As above: these are the row's columns.
    fn log(
        &self,
        tx: &WriteTx<'_>,
        conversation: &ConversationRow,
        stop: &Stop,
        place: Option<(InteractionId, keepsake_domain::Span)>,
        memory_id: Option<MemoryId>,
        proposer: &str,
        job: Option<&JobId>,
    ) -> std::result::Result<(), StoreError> {
        if let Some((interaction, span)) = place.clone()
            && tx.is_forgotten(&[EvidenceSpan { interaction, span }])?
        {
            return Ok(());
        }
        let row = NewGateLogRow {
            conversation_id: conversation.id.clone(),
            gate: stop.gate,
            subject: stop.subject.clone(),
            content: stop.content.chars().take(limits::CONTENT_CHARS_MAX).collect(),
            reason: stop.reason.clone(),
            place,
            memory_id,
            proposer: proposer.to_owned(),
            job_id: job.cloned(),
        };
        tx.log_stop(&row, self.now())
    }
}

/// Records another place where a decided statement was said, so that everything else derived from those words is known to
/// say it too. This affects neither label nor confidence.
fn said_again(tx: &WriteTx<'_>, decided: &MemoryId, places: &[NewEvidence]) -> std::result::Result<(), StoreError> {
    places.iter().try_for_each(|place| tx.add_support(decided, place).map(drop))
}

/// Whether a memory was withdrawn under the old name of a speaker who now has another name. Its statement is
/// then about someone else.
fn is_withdrawn_of_another(known: &MemoryRow, candidate: &Candidate) -> bool {
    known.status == MemoryStatus::Superseded && known.decided.is_none() && known.subject.as_str() != candidate.subject.as_str()
}

/// Whether a memory that rests on the same words says the same. The reader finds one statement per place, so
/// for its own rows the place decides. Models derive several statements from one line, and two proposers word
/// one statement differently.
fn is_same_statement(known: &MemoryRow, candidate: &Candidate, proposer: &str) -> bool {
    if known.kind != candidate.kind {
        return false;
    }
    let is_readers = |name: &str| name.starts_with(READER_PREFIX);
    let is_own = is_readers(proposer) && known.proposers.iter().any(|name| is_readers(name));
    let claim = Claim { content: &known.content, fact: known.fact };
    is_own || matches!(compare(Claim::of(candidate), None, claim, None).0, DedupOutcome::Exact | DedupOutcome::Reinforcement)
}

/// Whether the words that a candidate rests on contain a credential.
fn rests_on_credentials(candidate: &Candidate, rows: &[InteractionRow]) -> bool {
    candidate.evidence.iter().any(|place| {
        rows.get(place.message)
            .is_some_and(|row| place.span.bytes_in(&row.content).is_ok_and(|bytes| holds_credentials(&row.content, &bytes)))
    })
}

/// The evidence of a candidate, as places in stored messages.
fn places_of(candidate: &Candidate, rows: &[InteractionRow]) -> Vec<NewEvidence> {
    let place = |e: &CandidateEvidence| Some(NewEvidence { interaction_id: rows.get(e.message)?.id.clone(), span: e.span });
    candidate.evidence.iter().filter_map(place).collect()
}

/// From a meeting, the strongest positions are kept, whichever stretch they come from; among equals, the earlier. Facts
/// keep their order.
fn strongest_first(prepared: &mut Vec<Prepared<'_>>) {
    let (mut knowledge, facts): (Vec<_>, Vec<_>) =
        std::mem::take(prepared).into_iter().partition(|one| one.candidate.kind == MemoryKind::Knowledge);
    knowledge.sort_by(|a, b| b.candidate.confidence.get().total_cmp(&a.candidate.confidence.get()));
    prepared.extend(facts);
    prepared.extend(knowledge);
}

type PlacedStop = (Stop, Option<(InteractionId, keepsake_domain::Span)>, String);

/// Links candidates to stored messages, applies the limits that hold for every proposer, and embeds the
/// statements in one batch.
fn prepare<'r>(harvests: Vec<Harvest<'r>>, embedder: Option<&dyn Embedder>) -> (Vec<Prepared<'r>>, Vec<PlacedStop>) {
    let mut prepared = Vec::new();
    let mut stops = Vec::new();
    for Harvest { rows, candidates, stops: stopped, proposer } in harvests {
        for stop in stopped {
            let place = stop.evidence.first().and_then(|e| Some((rows.get(e.message)?.id.clone(), e.span)));
            // A quarantined text has its own row, which is logged with the memory's id.
            if stop.gate != Gate::InstructionLike {
                stops.push((stop, place, proposer.clone()));
            }
        }
        let mut knowledge = 0;
        for candidate in candidates {
            let evidence = places_of(&candidate, rows);
            let is_secret = !candidate.is_quarantined && rests_on_credentials(&candidate, rows);
            if is_secret || !candidate.is_quarantined && masked(&candidate.content) != candidate.content {
                let place = evidence.first().map(|e| (e.interaction_id.clone(), e.span));
                let stop = Stop {
                    gate: Gate::Secret,
                    subject: candidate.subject,
                    content: if is_secret { SECRET_CONTENT.to_owned() } else { masked(&candidate.content) },
                    reason: SECRET.to_owned(),
                    evidence: Vec::new(),
                };
                stops.push((stop, place, proposer.clone()));
                continue;
            }
            knowledge += usize::from(candidate.kind == MemoryKind::Knowledge);
            let too_many = candidate.kind == MemoryKind::Knowledge && knowledge > limits::KNOWLEDGE_PER_SOURCE_MAX;
            if evidence.is_empty() || too_many {
                let (gate, reason) = if too_many {
                    (Gate::OverCap, OVER_CAP)
                } else {
                    (Gate::Ungrounded, "No message in the conversation supports it.")
                };
                let place = evidence.first().map(|e| (e.interaction_id.clone(), e.span));
                let stop = Stop {
                    gate,
                    subject: candidate.subject,
                    content: candidate.content,
                    reason: reason.to_owned(),
                    evidence: Vec::new(),
                };
                stops.push((stop, place, proposer.clone()));
                continue;
            }
            prepared.push(Prepared { candidate, evidence, vector: None, proposer: proposer.clone(), rows });
        }
    }
    let texts: Vec<&str> = prepared.iter().map(|p| p.candidate.content.as_str()).collect();
    let vectors = if texts.is_empty() { Vec::new() } else { vectors_of(embedder, &texts) };
    for (one, vector) in prepared.iter_mut().zip(vectors) {
        one.vector = vector;
    }
    (prepared, stops)
}
