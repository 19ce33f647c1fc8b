//! Turns a conversation into proposals: finds candidates, compares them with known memories, and writes all results together.
//!
//! `capture` decides what counts as a candidate. This module compares each candidate with the store and decides whether it is
//! a repeat, was dismissed before, adds detail, or is new. Memories, gate log, read position and job completion are written
//! in one transaction.

use std::collections::BTreeMap;

use keepsake_capture::dedup::{Claim, compare};
use keepsake_capture::{Conversation, Proposals, Turn};
use keepsake_domain::{
    Candidate, CandidateEvidence, ConversationId, DedupOutcome, Gate, InteractionId, Label, MemoryId, MemoryKind, MemoryStatus,
    Offer, READER_PREFIX, Reading, Role, Stop, limits,
};
use keepsake_models::Embedder;
use keepsake_store::{ConversationRow, InteractionRow, Lease, MemoryRow, NewEvidence, Speakers, StoreError, WriteTx};

use crate::areas::Review;
use crate::derive::readable_messages::{is_still_on_record, messages_on_record};
use crate::language::is_meeting;
use crate::queue::control::Control;
use crate::serve::masked::{holds_credentials, masked};
use crate::{EngineError, Result};

mod changes;
mod deciding;
mod known;

use deciding::Deciding;
pub(crate) use known::Known;

/// Number of turns read at once. A chat of several years is read in stretches, so that it can be canceled and memory use
/// stays bounded. Corrections are found only within a stretch; across stretches, new statements are compared with known ones.
const STRETCH_TURNS: usize = 2_000;

/// Setting that stores how much is proposed.
const OFFER_SETTING: &str = "offer";

/// Name of this setting in error messages.
const OFFER: &str = "choice of how much is proposed";

/// Proposer recorded for text that was quarantined only because of its form, without the reader.
const FORM_PROPOSER: &str = "form/1";

/// Reason for stopping a position beyond the limit per source.
const OVER_CAP: &str = "There are more entries than one source may contribute.";

/// Reason for stopping a candidate that contains a credential.
const SECRET: &str = "It contains a password, a key, a code or an account number, which no agent should see.";

/// Logged in place of text that contains a credential.
const SECRET_CONTENT: &str = "Text with a password, a key, a code or an account number";

/// Reason for stopping a candidate about an unidentified speaker.
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
    /// Number of stopped candidates, by the name of the gate.
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

/// The messages as input for `capture`.
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

/// The candidates that one proposer found in a slice of a conversation.
pub(crate) struct Harvest<'r> {
    pub(crate) rows: &'r [InteractionRow],
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) stops: Vec<Stop>,
    pub(crate) proposer: String,
}

/// A candidate with its vector, ready for a decision.
struct Prepared<'r> {
    candidate: Candidate,
    evidence: Vec<NewEvidence>,
    vector: Option<Vec<f32>>,
    proposer: String,
    rows: &'r [InteractionRow],
}

impl Review<'_> {
    /// How much the person wants Keepsake to propose.
    pub fn offer(&self) -> Result<Offer> {
        Ok(self.engine.store().read(|tx| tx.settings().choice(OFFER_SETTING, OFFER))?)
    }

    /// Sets how much is proposed from everything read from now on.
    pub fn set_offer(&self, offer: Offer) -> Result<()> {
        let now = self.engine.now();
        Ok(self.engine.store().write(|tx| tx.settings().put_choice(OFFER_SETTING, OFFER, &offer, now))?)
    }

    /// Proposes memories from a conversation's new messages. With a lease, also completes the job in the same transaction.
    pub fn propose(&self, id: &ConversationId, lease: Option<&Lease>, control: &dyn Control) -> Result<Proposed> {
        let (conversation, rows, read_to, map) = self.engine.store().read(|tx| {
            Ok((tx.log().conversation(id)?, messages_on_record(tx, id)?, tx.log().last_seq(id)?, self.engine.access_map(tx)?))
        })?;
        // Without the reader, the conversation stays unread until the reader is available.
        let has_reader = self.engine.inner.embedder.reader().ready().is_some();
        if !has_reader && !conversation.is_private {
            self.engine.embeddings().tell_of_unread()?;
        }
        let mut harvests = Vec::new();
        if !conversation.is_private {
            let from = rows.iter().position(|row| row.seq > conversation.extracted_through_seq).unwrap_or(rows.len());
            let read = self.engine.conversations().read_rows(id, &rows, from, control)?;
            for (n, stretch) in rows.chunks(STRETCH_TURNS).enumerate() {
                if stretch.iter().all(|row| row.seq <= conversation.extracted_through_seq) {
                    continue;
                }
                control.progress("Reading the conversation", stretch.len() as u64, rows.len() as u64);
                if control.is_cancelled() {
                    return Err(EngineError::Cancelled);
                }
                let read = read.as_ref().map(|read| read.stretch(n * STRETCH_TURNS..n * STRETCH_TURNS + stretch.len()));
                let mut harvest = self.engine.models().only_quarantine(self.capture(stretch, &map.speakers, read)?)?;
                // Candidates that rest only on messages read earlier were decided on when those messages were read.
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
            // If the conversation was excluded meanwhile, it is read once it is included again.
            if has_reader && is_still_on_record(tx, &conversation)? {
                tx.log().mark_extracted(id, read_to)?;
            }
            if let Some(lease) = lease {
                let result = serde_json::json!({ "created": proposed.created.len(), "repeated": proposed.repeated });
                tx.jobs().complete(lease, &result.to_string(), self.engine.now())?;
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
        // Without the reader nothing is proposed, but text that instructs a machine is still quarantined.
        let (proposer, readings) = read.unwrap_or((FORM_PROPOSER, &[]));
        let Proposals { candidates, stops } = keepsake_capture::propose_read(&conversation, readings, self.offer()?);
        Ok(Harvest { rows, candidates, stops, proposer: proposer.to_owned() })
    }

    /// Decides on every candidate and writes the results in one transaction, in which `finish` also runs.
    pub(crate) fn store_harvests(
        &self,
        conversation: &ConversationRow,
        harvests: Vec<Harvest<'_>>,
        lease: Option<&Lease>,
        finish: impl FnOnce(&WriteTx<'_>, &Proposed) -> std::result::Result<(), StoreError>,
    ) -> Result<Proposed> {
        let embedder = self.engine.inner.embedder.ready();
        let (mut prepared, stops) = prepare(harvests, embedder.as_deref());
        if is_meeting(conversation) {
            strongest_first(&mut prepared);
        }
        let mut replacements = self.replacements(&prepared, embedder.as_deref().map(Embedder::name))?;
        let mut known = self.engine.inner.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let outcome = self.engine.store().write(|tx| {
            if let Some(lease) = lease {
                tx.jobs().check_lease(lease)?;
            }
            let mut proposed = Proposed::default();
            // Checked again inside the transaction: the person may have excluded the conversation
            // meanwhile and included it again.
            if is_still_on_record(tx, conversation)? {
                let map = self.engine.access_map(tx)?;
                known.refresh(tx, &map, embedder.as_deref().map(Embedder::name))?;
                let label = map.places.get(&conversation.id).map_or(Label::PUBLIC, Label::of);
                let job = lease.map(|lease| &lease.job);
                let embedder = embedder.as_deref();
                let deciding = Deciding { engine: self.engine, tx, conversation, map: &map, label: &label, embedder, job };
                for (stop, place, proposer) in &stops {
                    deciding.log(stop, place.clone(), None, proposer)?;
                    *proposed.stopped.entry(stop.gate.name().to_owned()).or_default() += 1;
                }
                for (at, candidate) in prepared.into_iter().enumerate() {
                    let made = deciding.decide(candidate, &replacements.with(at), &mut known, &mut proposed)?;
                    if let Some(id) = made {
                        replacements.store(tx, at, &id, self.engine.now())?;
                    }
                }
            }
            finish(tx, &proposed)?;
            known.signature = Some(tx.memories().signature()?);
            Ok(proposed)
        });
        if outcome.is_err() {
            // The transaction was rolled back, so the cache may contain memories that are not in the store.
            known.signature = None;
        }
        Ok(outcome?)
    }
}

/// Records further places where a statement that was decided on was made again. Everything else derived from those words is
/// then recognized as making this statement too. Changes neither label nor confidence.
fn said_again(tx: &WriteTx<'_>, decided: &MemoryId, places: &[NewEvidence]) -> std::result::Result<(), StoreError> {
    places.iter().try_for_each(|place| tx.memories().add_support(decided, place).map(drop))
}

/// Whether a memory was withdrawn because its speaker now has another name. Its statement is then about someone other than
/// the candidate's subject.
fn is_withdrawn_of_another(known: &MemoryRow, candidate: &Candidate) -> bool {
    known.status == MemoryStatus::Superseded && known.decided.is_none() && known.subject.as_str() != candidate.subject.as_str()
}

/// Whether a known memory with the same evidence makes the same statement. The reader finds one statement per place, so the
/// reader's own candidates are identified by their place alone. Models derive several statements from one line, and two
/// proposers may word one statement differently, so these are compared by wording.
fn is_same_statement(known: &MemoryRow, candidate: &Candidate, proposer: &str) -> bool {
    if known.kind != candidate.kind {
        return false;
    }
    let is_readers = |name: &str| name.starts_with(READER_PREFIX);
    let is_own = is_readers(proposer) && known.proposers.iter().any(|name| is_readers(name));
    let claim = Claim { content: &known.content, fact: known.fact };
    is_own || matches!(compare(Claim::of(candidate), None, claim, None).0, DedupOutcome::Exact | DedupOutcome::Reinforcement)
}

/// Whether the source words of a candidate contain a credential.
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

/// Sorts positions by confidence, so that the limit per meeting keeps the strongest ones from all stretches; equal ones keep
/// their order. Facts come first and keep their order.
fn strongest_first(prepared: &mut Vec<Prepared<'_>>) {
    let (mut knowledge, facts): (Vec<_>, Vec<_>) =
        std::mem::take(prepared).into_iter().partition(|one| one.candidate.kind == MemoryKind::Knowledge);
    knowledge.sort_by(|a, b| b.candidate.confidence.get().total_cmp(&a.candidate.confidence.get()));
    prepared.extend(facts);
    prepared.extend(knowledge);
}

type PlacedStop = (Stop, Option<(InteractionId, keepsake_domain::Span)>, String);

/// Links candidates to stored messages, applies the limits that are the same for every proposer, and embeds the statements in
/// one batch.
fn prepare<'r>(harvests: Vec<Harvest<'r>>, embedder: Option<&dyn Embedder>) -> (Vec<Prepared<'r>>, Vec<PlacedStop>) {
    let mut prepared = Vec::new();
    let mut stops = Vec::new();
    for Harvest { rows, candidates, stops: stopped, proposer } in harvests {
        for stop in stopped {
            let place = stop.evidence.first().and_then(|e| Some((rows.get(e.message)?.id.clone(), e.span)));
            // Quarantined text becomes a memory and is logged later with the memory's id.
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
