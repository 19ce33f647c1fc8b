//! Decides what becomes of one candidate: a pending memory, evidence for a memory that says the same, or a gate log entry.
//!
//! Not in this module: finding candidates, and which earlier statements a new one replaces (`changes`).

use std::cell::Cell;
use std::collections::BTreeSet;

use keepsake_capture::dedup::{self, Claim};
use keepsake_domain::{
    Candidate, DedupOutcome, EvidenceSpan, Gate, InteractionId, JobId, Label, MemoryId, MemoryKind, MemoryStatus, Relation, Role,
    Span, Speaker, Stop, Subject, Timestamp, limits,
};
use keepsake_models::Embedder;
use keepsake_store::{
    ConversationRow, EmbeddingOwner, InteractionRow, NewEvidence, NewGateLogRow, NewMemory, StoreError, WriteTx,
};

use super::known::{Known, KnownMemory};
use super::{NOBODY_YET, OVER_CAP, Prepared, Proposed, is_same_statement, is_withdrawn_of_another, places_of, said_again};
use crate::Engine;
use crate::content_ids::uuid_of;
use crate::language::is_meeting;
use crate::serve::boundary::AccessMap;

type StoreResult<T> = std::result::Result<T, StoreError>;

/// The transaction that decides on the candidates of one conversation, with the data that all of them share.
pub(super) struct Deciding<'d> {
    pub(super) engine: &'d Engine,
    pub(super) tx: &'d WriteTx<'d>,
    pub(super) conversation: &'d ConversationRow,
    pub(super) map: &'d AccessMap,
    /// Label of the conversation.
    pub(super) label: &'d Label,
    pub(super) embedder: Option<&'d dyn Embedder>,
    pub(super) job: Option<&'d JobId>,
}

/// Why a candidate does not become a pending memory.
enum Ended {
    /// A person erased the statement permanently. It is not even logged, because its words must not return in a log.
    Forgotten,
    /// Another proposer found the same statement at the same place.
    SamePlace,
    /// A memory already says it; the new message was added to that memory's evidence.
    Repeats(MemoryId),
    /// A gate stopped it: the gate, the reason, and the memory to name in the log entry.
    Stopped(Gate, String, Option<MemoryId>),
}

/// A candidate with the data needed to decide on it.
struct Case<'r> {
    candidate: Candidate,
    evidence: Vec<NewEvidence>,
    vector: Option<Vec<f32>>,
    proposer: String,
    /// The subject, by person instead of by handle.
    about: Subject,
    fingerprint: Vec<u8>,
    /// Time of the latest message it rests on.
    said: Option<Timestamp>,
    /// The first message in its evidence.
    said_by: Option<&'r InteractionRow>,
}

/// The nearest known memory, the outcome of the comparison, the similarity, and whether the candidate is visible wherever
/// that memory is.
type Near = (MemoryId, DedupOutcome, f32, bool);

impl Deciding<'_> {
    /// Decides what happens to a candidate. Returns the id of the memory that is now pending review, if there is one. The
    /// candidate is not compared with the memories in `changed`, which it replaces or is replaced by.
    pub(super) fn decide(
        &self,
        prepared: Prepared<'_>,
        changed: &BTreeSet<MemoryId>,
        known: &mut Known,
        proposed: &mut Proposed,
    ) -> StoreResult<Option<MemoryId>> {
        let case = self.case(prepared);
        if let Some(ended) = self.settled_before(&case, known)? {
            return self.end(&case, ended, proposed);
        }
        let policy = &self.engine.inner.policy;
        let seen_wherever = |from: &Label, to: &Label| self.map.is_seen_wherever(policy, from, to);
        let nearest = |known: &Known, is_open: &dyn Fn(&KnownMemory) -> bool| -> Option<Near> {
            let claim = Claim::of(&case.candidate);
            let is_compared = |memory: &KnownMemory| !memory.is_gone.get() && !changed.contains(&memory.id) && is_open(memory);
            let subject = known.subjects.get(&case.about)?;
            let (memory, outcome, similarity) =
                subject.nearest(case.candidate.kind, claim, case.vector.as_deref(), is_compared)?;
            Some((memory.id.clone(), outcome, similarity, seen_wherever(self.label, &memory.label)))
        };
        // The outcome may depend only on memories that are visible wherever the candidate is. If a private memory could
        // absorb a public statement, the statement's absence from public places would reveal the private memory.
        let near = nearest(known, &|memory| seen_wherever(&memory.label, self.label));
        if let Some(ended) = self.settled_by_what_is_known(&case, near.as_ref(), known)? {
            return self.end(&case, ended, proposed);
        }
        let id = self.insert(&case)?;
        if case.candidate.is_quarantined {
            let ended = Ended::Stopped(Gate::InstructionLike, case.candidate.reasoning.clone(), Some(id.clone()));
            proposed.quarantined.push(id);
            return self.end(&case, ended, proposed);
        }
        // A pending memory with the same statement and a smaller audience becomes supporting evidence of this one, as if this
        // one had come first. Everybody who may see that memory may see this one.
        while let Some((stricter, DedupOutcome::Exact, ..)) = nearest(known, &|memory| seen_wherever(self.label, &memory.label)) {
            if !self.tx.memories().fold_into(&stricter, &id)? {
                break;
            }
            let folded = known.subjects.get(&case.about).into_iter().flat_map(|subject| &subject.memories);
            folded.filter(|memory| memory.id == stricter).for_each(|memory| memory.is_gone.set(true));
        }
        // The reviewer sees similar memories from anywhere; nobody else sees relations. The candidate becomes a new version,
        // whose approval replaces the older memory, only if both have the same label.
        if let Some((existing, outcome, similarity, is_same_label)) = near.or_else(|| nearest(known, &|_| true)) {
            let is_version = outcome == DedupOutcome::Reinforcement && is_same_label;
            let relation = if is_version { Relation::Extends } else { Relation::Related };
            self.tx.memories().relate(&id, relation, &existing, Some(f64::from(similarity)), self.engine.now())?;
        }
        proposed.created.push((id.clone(), case.candidate.category.name().to_owned()));
        known.subjects.entry(case.about).or_default().add(KnownMemory {
            id: id.clone(),
            kind: case.candidate.kind,
            content: case.candidate.content,
            fact: case.candidate.fact,
            vector: case.vector,
            label: self.label.clone(),
            is_gone: Cell::new(false),
            taken_back: None,
            said: case.said_by.map(|row| row.time),
        });
        Ok(Some(id))
    }

    /// Prepares a candidate for the decision. A person's handles may have changed since it was read, so the author of the
    /// first line becomes the subject, and lines by others are dropped.
    fn case<'r>(&self, prepared: Prepared<'r>) -> Case<'r> {
        let Prepared { mut candidate, mut evidence, vector, proposer, rows } = prepared;
        if let (Subject::Person(speaker), Some(said)) =
            (&candidate.subject, candidate.evidence.first().and_then(|e| rows.get(e.message)))
        {
            candidate.subject = Subject::Person(Speaker::new(speaker.name(), &said.handle_id));
            let person = self.map.speakers.key(&said.handle_id);
            let is_theirs = |row: &InteractionRow| self.map.speakers.key(&row.handle_id) == person;
            candidate.evidence.retain(|e| rows.get(e.message).is_some_and(is_theirs));
            evidence = places_of(&candidate, rows);
        }
        Case {
            about: self.map.speakers.behind(&candidate.subject),
            fingerprint: dedup::fingerprint(&candidate.content).into_bytes(),
            said: candidate.evidence.iter().filter_map(|e| rows.get(e.message)).map(|row| row.time).max(),
            said_by: candidate.evidence.first().and_then(|e| rows.get(e.message)),
            candidate,
            evidence,
            vector,
            proposer,
        }
    }

    /// Checks whether the candidate was settled earlier (erased, found at the same place, or dismissed) or is about an
    /// unidentified speaker.
    fn settled_before(&self, case: &Case<'_>, known: &Known) -> StoreResult<Option<Ended>> {
        let (tx, candidate) = (self.tx, &case.candidate);
        let places: Vec<EvidenceSpan> = case.evidence.iter().map(NewEvidence::place).collect();
        if tx.lifecycle().is_forgotten(&places)?
            || tx.lifecycle().is_statement_erased(&candidate.subject, &case.fingerprint)?
            || known.is_forgotten(&case.about, &candidate.content, case.said)
        {
            tx.lifecycle().forget_places(&places, self.engine.now())?;
            return Ok(Some(Ended::Forgotten));
        }
        if let Some(first) = case.evidence.first()
            && let Some(same_place) = tx.memories().memory_at(first, &candidate.subject, candidate.category)?
            && let row = tx.memories().memory(&same_place)?
            && !is_withdrawn_of_another(&row, candidate)
            && is_same_statement(&row, candidate, &case.proposer)
        {
            // Two proposers found the same statement in the same words: one memory with two proposers.
            tx.memories().add_proposer(&same_place, &case.proposer)?;
            if matches!(row.status, MemoryStatus::Rejected | MemoryStatus::Superseded) {
                said_again(tx, &same_place, &case.evidence)?;
            }
            return Ok(Some(Ended::SamePlace));
        }
        if let Subject::Person(speaker) = &candidate.subject
            && !candidate.is_quarantined
            && tx.people().is_unnamed(speaker.key())?
        {
            return Ok(Some(Ended::Stopped(Gate::UnnamedVoice, NOBODY_YET.to_owned(), None)));
        }
        if let Some(decided) = tx.memories().suppressed_by(&candidate.subject, &case.fingerprint)? {
            said_again(tx, &decided, &case.evidence)?;
            let reason = "You have already decided about this statement.";
            return Ok(Some(Ended::Stopped(Gate::Suppressed, reason.to_owned(), None)));
        }
        Ok(None)
    }

    /// Checks whether known memories settle the candidate: a memory that says the same, a retraction, or the limit per
    /// source.
    fn settled_by_what_is_known(&self, case: &Case<'_>, near: Option<&Near>, known: &Known) -> StoreResult<Option<Ended>> {
        let (tx, candidate) = (self.tx, &case.candidate);
        if candidate.is_quarantined {
            return Ok(None);
        }
        if let Some((existing, DedupOutcome::Exact, _, is_same_label)) = near {
            // A repeat adds independent evidence: another message, never the same words echoed by someone else
            // (docs/sources.md#design-decisions). Evidence with a smaller audience supports the memory without narrowing the
            // memory's audience.
            for place in &case.evidence {
                if *is_same_label {
                    tx.memories().add_evidence(existing, place)?
                } else {
                    tx.memories().add_support(existing, place)?
                };
            }
            tx.memories().add_proposer(existing, &case.proposer)?;
            return Ok(Some(Ended::Repeats(existing.clone())));
        }
        // A retraction also covers other wordings of the statement. Statements made after it go to review.
        let taken_back = known.taken_back.get(&case.about).and_then(|subject| {
            let is_later = |memory: &KnownMemory| memory.taken_back >= case.said;
            subject.nearest(candidate.kind, Claim::of(candidate), case.vector.as_deref(), is_later)
        });
        if let Some((memory, DedupOutcome::Exact | DedupOutcome::Reinforcement, _)) = taken_back {
            said_again(tx, &memory.id, &case.evidence)?;
            let reason = "You have retracted a statement that says this.";
            return Ok(Some(Ended::Stopped(Gate::Suppressed, reason.to_owned(), Some(memory.id.clone()))));
        }
        // Positions are counted in the store, because a long meeting is read in stretches, and a growing meeting is read
        // again.
        if candidate.kind == MemoryKind::Knowledge
            && is_meeting(self.conversation)
            && tx.log().knowledge_of(&self.conversation.id)? >= limits::KNOWLEDGE_PER_SOURCE_MAX as u64
        {
            return Ok(Some(Ended::Stopped(Gate::OverCap, OVER_CAP.to_owned(), None)));
        }
        Ok(None)
    }

    /// Counts and logs a candidate that did not become a pending memory.
    fn end(&self, case: &Case<'_>, ended: Ended, proposed: &mut Proposed) -> StoreResult<Option<MemoryId>> {
        let mut count_stop = |gate: Gate| *proposed.stopped.entry(gate.name().to_owned()).or_default() += 1;
        let (gate, reason, memory) = match ended {
            Ended::Forgotten => {
                count_stop(Gate::Suppressed);
                return Ok(None);
            }
            Ended::SamePlace => {
                proposed.repeated += 1;
                return Ok(None);
            }
            Ended::Repeats(existing) => {
                proposed.repeated += 1;
                let reason = "A memory already says this. The new message was added to its evidence.";
                (Gate::Duplicate, reason.to_owned(), Some(existing))
            }
            Ended::Stopped(gate, reason, memory) => {
                count_stop(gate);
                (gate, reason, memory)
            }
        };
        let stop = Stop {
            gate,
            subject: case.candidate.subject.clone(),
            content: case.candidate.content.clone(),
            reason,
            evidence: Vec::new(),
        };
        let place = case.evidence.first().map(|e| (e.interaction_id.clone(), e.span));
        self.log(&stop, place, memory, &case.proposer)?;
        Ok(None)
    }

    /// Stores the candidate as a memory, pending review or quarantined.
    fn insert(&self, case: &Case<'_>) -> StoreResult<MemoryId> {
        let candidate = &case.candidate;
        let id = self.memory_id(candidate, &case.evidence)?;
        debug_assert!(
            case.said_by
                .is_none_or(|row| row.role == Role::Owner || candidate.subject != Subject::Owner || candidate.is_quarantined)
        );
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
            proposers: vec![case.proposer.clone()],
            fingerprint: case.fingerprint.clone(),
            supersedes: None,
            evidence: case.evidence.clone(),
            created: self.engine.maintenance().made_first(id.as_str()),
        };
        self.tx.memories().insert(&memory)?;
        if let (Some(vector), Some(embedder)) = (&case.vector, self.embedder) {
            self.tx.vectors().put_embedding(EmbeddingOwner::Memory, id.as_str(), embedder.name(), vector)?;
        }
        Ok(id)
    }

    /// Derives the id from the statement and its evidence, so that a candidate found again has the same id. Two proposers may
    /// derive the same statement from one place, and one of them may have been decided on; then the second gets a fresh id.
    fn memory_id(&self, candidate: &Candidate, evidence: &[NewEvidence]) -> StoreResult<MemoryId> {
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
        Ok(if self.tx.memories().has_memory(&id)? { MemoryId::fresh(self.engine.ids()) } else { id })
    }

    /// Writes a gate log entry, unless it would quote words that a person erased.
    pub(super) fn log(
        &self,
        stop: &Stop,
        place: Option<(InteractionId, Span)>,
        memory_id: Option<MemoryId>,
        proposer: &str,
    ) -> StoreResult<()> {
        if let Some((interaction, span)) = place.clone()
            && self.tx.lifecycle().is_forgotten(&[EvidenceSpan { interaction, span }])?
        {
            return Ok(());
        }
        let row = NewGateLogRow {
            conversation_id: self.conversation.id.clone(),
            gate: stop.gate,
            subject: stop.subject.clone(),
            content: stop.content.chars().take(limits::CONTENT_CHARS_MAX).collect(),
            reason: stop.reason.clone(),
            place,
            memory_id,
            proposer: proposer.to_owned(),
            job_id: self.job.cloned(),
        };
        self.tx.memories().log_stop(&row, self.engine.now())
    }
}
