//! Audits a sample of the stored memories: re-reads their sources and checks them against the rules. For the owner only.
//!
//! The audit changes nothing; each finding names an action that a person can take (`decide`). Not in this module: the rules
//! (`capture::audit`).

use std::collections::BTreeMap;

use keepsake_capture::audit::{self, Checked, Entry, Fault, Finding, Proposal};
use keepsake_capture::echo;
use keepsake_domain::{DAY_MS, MemoryId, MemoryKind, MessageType, Role, Subject, Timestamp};
use keepsake_store::{EmbeddingOwner, EvidenceRow, ReadTx, Served, Speakers, StoreError};

use crate::areas::Review;
use crate::queue::control::Control;
use crate::{EngineError, Result};

pub use keepsake_capture::audit::{SAMPLE as AUDIT_SAMPLE, Share as AuditShare};

type StoreResult<T> = std::result::Result<T, StoreError>;

/// Number of memories between two checks for cancellation.
const WATCH_MEMORIES: usize = 50;

/// One finding, ready for display.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditFinding {
    /// `unsupported`, `echoed`, `contradiction`, `duplicate` or `stale`.
    pub fault: &'static str,
    /// Id of the memory.
    pub id: MemoryId,
    /// Its current text, before the proposed action.
    pub content: String,
    /// The other memory involved, with its text.
    pub other: Option<(MemoryId, String)>,
    /// The reason, in one sentence.
    pub reason: &'static str,
    /// `archive`, `merge`, `correct` or `reconfirm`.
    pub proposal: &'static str,
    /// The text in use after the proposed action; `None` if neither memory stays in use.
    pub after: Option<String>,
    /// Quotations from its evidence, except those whose messages no longer exist.
    pub quotes: Vec<String>,
}

/// Result of an audit.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditReport {
    /// Number of memories in use.
    pub memories: usize,
    /// Number of memories that were audited.
    pub sampled: usize,
    /// Random seed of the sample.
    pub seed: u64,
    /// When the audit ran.
    pub at: Timestamp,
    /// The share of memories with each fault, by the fault's name.
    pub shares: Vec<(&'static str, AuditShare)>,
    /// The share of memories with any fault.
    pub any: AuditShare,
    /// The findings, most serious kind first.
    pub findings: Vec<AuditFinding>,
}

impl Review<'_> {
    /// Audits a random sample of the memories in use, or all of them if there are no more than `sample`.
    pub fn audit(&self, sample: usize, seed: Option<u64>, control: &dyn Control) -> Result<AuditReport> {
        let now = self.engine.now();
        // The seed stays the same for a day, so that a second audit on that day shows which faults are left.
        let seed = seed.unwrap_or((now.0 / DAY_MS) as u64);
        let model = self.engine.embedder().ready();
        let model = model.as_deref().map(keepsake_models::Embedder::name);
        let goes_on = |stage: &str, done: usize, of: usize| {
            if done.is_multiple_of(WATCH_MEMORIES) {
                control.progress(stage, done as u64, of as u64);
            }
            !control.is_cancelled()
        };
        let read = self.engine.store().read(|tx| {
            let speakers = &self.engine.access_map(tx)?.speakers;
            entries(tx, speakers, model, &mut |done, of| goes_on("Reading memories", done, of))
        })?;
        let (ids, entries) = read.ok_or(EngineError::Cancelled)?;
        let sampled = audit::sample(entries.len(), sample, seed);
        let mut checked: BTreeMap<usize, Vec<Checked>> = BTreeMap::new();
        for (done, part) in sampled.chunks(WATCH_MEMORIES).enumerate() {
            if !goes_on("Checking memories", done * WATCH_MEMORIES, sampled.len()) {
                return Err(EngineError::Cancelled);
            }
            self.engine.store().read(|tx| {
                let speakers = &self.engine.access_map(tx)?.speakers;
                for &at in part {
                    checked.insert(at, places(tx, &ids[at], &entries[at].subject, speakers)?);
                }
                Ok(())
            })?;
        }
        let mut compares = |done| goes_on("Comparing memories", done, sampled.len());
        let findings = audit::audit(&entries, &sampled, &checked, now, &mut compares).ok_or(EngineError::Cancelled)?;
        let count = |fault: Fault| findings.iter().filter(|finding| finding.fault == fault).count();
        let share = |count| AuditShare::of(count, sampled.len(), entries.len());
        let shares = Fault::ALL.iter().map(|fault| (fault.name(), share(count(*fault)))).collect();
        Ok(AuditReport {
            memories: entries.len(),
            sampled: sampled.len(),
            seed,
            at: now,
            shares,
            any: share(findings.len().min(sampled.len())),
            findings: findings.iter().map(|finding| told(finding, &ids, &entries, &checked)).collect(),
        })
    }
}

fn told(finding: &Finding, ids: &[MemoryId], entries: &[Entry], checked: &BTreeMap<usize, Vec<Checked>>) -> AuditFinding {
    let content = |at: usize| entries[at].content.clone();
    let after = match &finding.proposal {
        Proposal::Archive => None,
        Proposal::Merge(_) | Proposal::Correct(_) => finding.other.map(content),
        Proposal::Reconfirm => Some(content(finding.entry)),
    };
    let quotes = checked.get(&finding.entry).into_iter().flatten().filter_map(|place| place.quote.clone());
    AuditFinding {
        fault: finding.fault.name(),
        id: ids[finding.entry].clone(),
        content: content(finding.entry),
        other: finding.other.map(|other| (ids[other].clone(), content(other))),
        reason: finding.reason,
        proposal: finding.proposal.name(),
        after,
        quotes: quotes.collect(),
    }
}

/// Every memory in use. Calls `goes_on` before each one and returns `None` if `goes_on` returns `false`.
fn entries(
    tx: &ReadTx<'_>,
    speakers: &Speakers,
    model: Option<&str>,
    goes_on: &mut dyn FnMut(usize, usize) -> bool,
) -> StoreResult<Option<(Vec<MemoryId>, Vec<Entry>)>> {
    let (mut ids, mut entries) = (Vec::new(), Vec::new());
    let active = tx.memories().active_at(None)?;
    let count = active.len();
    for (done, id) in active.into_iter().enumerate() {
        if !goes_on(done, count) {
            return Ok(None);
        }
        let row = tx.memories().memory(&id)?;
        let said = last_said(tx, &id)?.max(row.said);
        entries.push(Entry {
            id: id.to_string(),
            subject: speakers.behind(&row.subject),
            category: row.category,
            durability: row.durability,
            content: row.content,
            fact: row.fact,
            is_edited: row.is_edited,
            last: said.max(row.decided.unwrap_or(row.said)),
            said,
            is_knowledge: row.kind == MemoryKind::Knowledge,
            vector: match model {
                Some(model) => tx.vectors().embedding(EmbeddingOwner::Memory, id.as_str(), model)?,
                None => None,
            },
        });
        ids.push(id);
    }
    Ok(Some((ids, entries)))
}

fn last_said(tx: &ReadTx<'_>, id: &MemoryId) -> StoreResult<Timestamp> {
    let mut last = Timestamp(i64::MIN);
    for place in tx.memories().evidence(id)? {
        if let Some(message) = tx.log().interaction(&place.interaction_id)? {
            last = last.max(message.time);
        }
    }
    Ok(last)
}

fn places(tx: &ReadTx<'_>, id: &MemoryId, subject: &Subject, speakers: &Speakers) -> StoreResult<Vec<Checked>> {
    tx.memories().evidence(id)?.iter().map(|place| checked(tx, place, subject, speakers)).collect()
}

/// Re-reads one piece of evidence.
fn checked(tx: &ReadTx<'_>, place: &EvidenceRow, subject: &Subject, speakers: &Speakers) -> StoreResult<Checked> {
    let Some(message) = tx.log().interaction(&place.interaction_id)? else {
        return Ok(Checked { quote: None, around: String::new(), is_own: false, is_echo: false });
    };
    let is_own = match subject {
        Subject::Owner => message.role == Role::Owner,
        Subject::Person(speaker) => message.role == Role::Person && speakers.key(&message.handle_id) == speaker.key(),
    } && matches!(message.message_type, MessageType::Text | MessageType::Voice);
    let (before, _) = tx.log().surroundings(&message, 1)?;
    let served = Served::before(tx, message.time)?;
    let mut known = Vec::new();
    if let Some(served) = &served {
        for piece in echo::pieces_in(&message.content) {
            if served.was(&piece, message.id.as_str(), message.time)? {
                known.push(piece);
            }
        }
    }
    let stretches = echo::echoes(&message.content, &|piece| known.iter().any(|known| known == piece));
    let bytes = place.span.bytes_in(&message.content).ok();
    let is_echo =
        bytes.is_some_and(|bytes| stretches.iter().any(|stretch| stretch.start < bytes.end && bytes.start < stretch.end));
    let around = before.iter().map(|row| row.content.as_str()).chain([message.content.as_str()]).collect::<Vec<_>>().join("\n");
    Ok(Checked { quote: place.span.quote(&message.content).ok().map(str::to_owned), around, is_own, is_echo })
}
