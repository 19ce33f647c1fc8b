//! Reflection over what is remembered (seed 000, "The Big Tidy"): proposals, what a person decides about them, and runs that apply them.
//!
//! A look proposes and changes nothing. What was agreed to is applied in one run: a backup first, then one operation in one
//! transaction, with one undo. What may be applied without asking is a person's choice, kind by kind;
//! nothing here deletes or changes words. A proposal that was refused, or applied before, comes back only where what it rests on has changed, since its
//! id follows from that.
//!
//! Only approved memories are looked at: of the tiers' entries repeats are told once, and those of a session that stands no more are retired with it.
//!
//! The rules look first. Where a language model is chosen it proposes beside them, in its own lane (`by_model`).
//!
//! Deliberately not here: what is proposed of which memory (`capture::reflect`), rows (`store`), when the nightly cycle runs.

mod by_model;
mod gather;

use std::collections::{BTreeMap, BTreeSet};

use keepsake_capture::reflect::{Change, Proposed, REFLECTION_VERSION, reflect_with};
use keepsake_domain::{
    EvidenceSpan, JobId, JobKind, MemoryId, MemoryStatus, OperationId, ReflectionId, ReflectionKind, ReflectionStatus, Relation,
    Timestamp,
};
use keepsake_store::{Lease, MemoryChange, MemoryState, NewJob, ReadTx, ReflectionRow, StoreError, WriteTx};
use serde::{Deserialize, Serialize};

use crate::backup::BackupReason;
use crate::review::step;
use crate::taken_back::TakenBack;
use crate::work::Control;
use crate::{Engine, EngineError, Result};

type StoreResult<T> = std::result::Result<T, StoreError>;

/// The setting under which the choices are kept.
const RULES_SETTING: &str = "reflection";

/// What an error calls them.
const CHOICES: &str = "choices about reflection";

/// A run that a person applied: what `undo` takes back when it is the newest act.
const RUN: &str = "reflect";

/// A run that was applied overnight: taken back by name alone, like what was parked, so that `undo` stays about a person's own acts.
const NIGHT_RUN: &str = "tidy";

/// What may be applied without asking.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReflectionRules {
    /// Kinds that the nightly cycle applies by itself.
    pub automatic: Vec<ReflectionKind>,
}

/// What came of applying.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReflectionRun {
    /// To undo it by; absent where nothing was applied.
    pub operation: Option<OperationId>,
    /// For the notice.
    pub summary: String,
    /// Applied.
    pub applied: Vec<ReflectionId>,
    /// Not applied, and why.
    pub needs_look: Vec<(ReflectionId, String)>,
}

/// Memories as they were looked at, and what was found about them.
type Found = Vec<ReflectionRow>;

impl Engine {
    /// What may be applied without asking.
    pub fn reflection_rules(&self) -> Result<ReflectionRules> {
        Ok(self.store().read(|tx| tx.choice(RULES_SETTING, CHOICES))?)
    }

    /// Chooses it.
    pub fn set_reflection_rules(&self, rules: &ReflectionRules) -> Result<()> {
        let automatic: BTreeSet<ReflectionKind> = rules.automatic.iter().copied().collect();
        let rules = ReflectionRules { automatic: automatic.into_iter().collect() };
        Ok(self.store().write(|tx| tx.put_choice(RULES_SETTING, CHOICES, &rules, self.now()))?)
    }

    /// Queues a look.
    pub fn queue_reflection(&self) -> Result<JobId> {
        let job = NewJob {
            id: JobId::fresh(self.ids()),
            kind: JobKind::Reflect,
            idempotency_key: "all".to_owned(),
            payload: "{}".to_owned(),
        };
        let id = self.store().write(|tx| {
            tx.enqueue(&job, self.now())?;
            Ok(tx.unsettled_jobs_of(&[JobKind::Reflect])?.pop())
        })?;
        self.look_for_work();
        Ok(id.unwrap_or(job.id))
    }

    /// Looks for what could be tidied, applies what may be applied without asking, and completes the job with it.
    pub(crate) fn perform_reflection(&self, lease: &Lease, control: &dyn Control) -> Result<()> {
        let found = self.look(control)?;
        let automatic = self.reflection_rules()?.automatic;
        // What was taken back once is asked about from then on.
        let known: BTreeMap<ReflectionId, ReflectionRow> =
            self.store().read(|tx| Ok(tx.reflections()?.into_iter().map(|row| (row.id.clone(), row)).collect()))?;
        let may_apply = |row: &ReflectionRow| {
            automatic.contains(&row.kind)
                // What a model would do is asked about each time.
                && row.proposer == REFLECTION_VERSION
                && known.get(&row.id).is_none_or(|row| row.status == ReflectionStatus::Open && row.operation.is_none())
        };
        let chosen: Vec<ReflectionId> = found.iter().filter(|row| may_apply(row)).map(|row| row.id.clone()).collect();
        if !chosen.is_empty() {
            self.keep_backup(BackupReason::BeforeReflection, control)?;
        }
        let now = self.now();
        let new = self.store().write(|tx| {
            tx.check_lease(lease)?;
            let new = settle(tx, &found, now)?;
            let run = self.apply_rows(tx, &chosen, &found, NIGHT_RUN, now)?;
            let counts = serde_json::json!({ "found": found.len(), "new": new, "applied": run.applied.len() });
            tx.complete(lease, &counts.to_string(), now)?;
            Ok(new)
        })?;
        tracing::info!(found = found.len(), new, applied = chosen.len(), "reflected");
        self.look_for_work();
        self.queue_reflection_for_model()
    }

    /// Looks at once and without a job, as the command line does; how many proposals are new. Nothing is applied.
    pub fn reflect(&self, control: &dyn Control) -> Result<u64> {
        let found = self.look(control)?;
        let new = self.store().write(|tx| settle(tx, &found, self.now()))?;
        self.queue_reflection_for_model()?;
        Ok(new)
    }

    fn look(&self, control: &dyn Control) -> Result<Found> {
        // Whether two memories say the same must not hang on which lane was faster.
        self.embed_memories(control)?;
        let mut watch = |done: usize, of: usize| {
            control.progress("Looking over memories", done as u64, of as u64);
            !control.is_cancelled()
        };
        let found = self.store().read(|tx| self.found(tx, &mut watch))?;
        found.filter(|_| !control.is_cancelled()).ok_or(EngineError::Cancelled)
    }

    fn found(&self, tx: &ReadTx<'_>, watch: &mut dyn FnMut(usize, usize) -> bool) -> StoreResult<Option<Found>> {
        let model = self.embedder().ready();
        let map = self.map(tx)?;
        let Some((ids, memories)) = gather::gather(tx, &map, model.as_deref().map(keepsake_models::Embedder::name), watch)?
        else {
            return Ok(None);
        };
        let settled: BTreeSet<ReflectionId> = tx
            .reflection_statuses()?
            .into_iter()
            .filter(|(_, status)| matches!(status, ReflectionStatus::Refused | ReflectionStatus::Applied))
            .map(|(id, _)| id)
            .collect();
        let now = self.now();
        let said = if self.has_proposing_model(tx)? { by_model::said(tx)? } else { by_model::Said::default() };
        let is_settled = |key: &str| id_of(key).is_some_and(|id| settled.contains(&id));
        let proposed = reflect_with(&memories, &said.opinions, now, &is_settled);
        let row = |one: Proposed| {
            let proposer = one.opinion.and_then(|at| said.by.get(at)).cloned();
            let row = row_of(one, &ids, now)?;
            Some(ReflectionRow { proposer: proposer.unwrap_or(row.proposer), ..row })
        };
        Ok(Some(proposed.into_iter().filter_map(row).collect()))
    }

    /// Every proposal for the owner's own eyes. Of those that wait only what still holds: a memory that was decided on, hidden or taken
    /// back since takes its proposals along at once.
    pub fn reflections(&self) -> Result<Vec<ReflectionRow>> {
        Ok(self.store().read(shown)?)
    }

    /// One of them.
    pub fn reflection(&self, id: &ReflectionId) -> Result<ReflectionRow> {
        let found = self.reflections()?.into_iter().find(|row| row.id == *id);
        found.ok_or_else(|| EngineError::Refused(format!("there is no proposal {id}; `keepsake reflect` lists them")))
    }

    /// How many wait for a person. The frame asks after every change, so this is one query; the list looks closer.
    pub fn reflections_waiting(&self) -> Result<u64> {
        Ok(self.store().read(|tx| tx.reflections_waiting())?)
    }

    /// A person decides about proposals; those that cannot take the step stay and are named.
    pub fn decide_reflections(&self, ids: &[ReflectionId], to: ReflectionStatus) -> Result<Vec<(ReflectionId, String)>> {
        let now = self.now();
        Ok(self.store().write(|tx| {
            let mut refused = Vec::new();
            for id in ids {
                let row = match tx.reflection(id) {
                    Ok(row) => row,
                    Err(StoreError::NotFound { .. }) => {
                        refused.push((id.clone(), "It is no longer there.".to_owned()));
                        continue;
                    }
                    Err(error) => return Err(error),
                };
                match row.status.may_become(to) {
                    Ok(()) => tx.decide_reflection(id, to, now)?,
                    Err(error) => refused.push((id.clone(), error.to_string())),
                }
            }
            Ok(refused)
        })?)
    }

    /// Applies these proposals, or all that were agreed to, as one run with one undo. A backup is made first; without one nothing is
    /// changed. What no longer holds is named and left.
    pub fn apply_reflections(&self, ids: Option<&[ReflectionId]>, control: &dyn Control) -> Result<ReflectionRun> {
        let mut goes_on = |_: usize, _: usize| true;
        let (chosen, holds) = self.store().read(|tx| {
            let chosen: Vec<ReflectionId> = match ids {
                Some(ids) => ids.to_vec(),
                None => shown(tx)?.into_iter().filter(|row| row.status == ReflectionStatus::Accepted).map(|row| row.id).collect(),
            };
            let found = self.found(tx, &mut goes_on)?.unwrap_or_default();
            let statuses = tx.reflection_statuses()?;
            let holds = found.iter().any(|row| chosen.contains(&row.id) && statuses.contains_key(&row.id));
            Ok((chosen, holds))
        })?;
        if holds {
            self.keep_backup(BackupReason::BeforeReflection, control)?;
        }
        let now = self.now();
        let run = self.store().write(|tx| {
            let found = self.found(tx, &mut goes_on)?.unwrap_or_default();
            self.apply_rows(tx, &chosen, &found, RUN, now)
        })?;
        self.queue_embedding()?;
        self.look_for_work();
        Ok(run)
    }

    /// Takes the newest run back that is not undone, or the one of this operation.
    pub fn undo_reflections(&self, operation: Option<&OperationId>) -> Result<Option<(OperationId, String)>> {
        let id = match operation {
            Some(id) => Some(id.clone()),
            None => self.store().read(|tx| tx.last_reflection_run())?.map(|(id, ..)| id),
        };
        let Some(id) = id else { return Ok(None) };
        let undone = self.undo(Some(&id))?;
        Ok(undone.map(|(id, words, _)| (id, words)))
    }

    fn apply_rows(
        &self,
        tx: &WriteTx<'_>,
        chosen: &[ReflectionId],
        found: &[ReflectionRow],
        kind: &str,
        now: Timestamp,
    ) -> StoreResult<ReflectionRun> {
        let mut run = ReflectionRun::default();
        let mut changes: Vec<MemoryChange> = Vec::new();
        let mut done: Vec<&ReflectionRow> = Vec::new();
        let known = tx.reflection_statuses()?;
        for id in chosen.iter().collect::<BTreeSet<_>>() {
            let mut look = |why: &str| run.needs_look.push((id.clone(), why.to_owned()));
            match known.get(id) {
                None => look("It is no longer there."),
                Some(ReflectionStatus::Applied) => look("It is applied already."),
                Some(ReflectionStatus::Refused) => look("It was refused; take that back first."),
                Some(ReflectionStatus::Parked) => look("It is set aside; restore it first."),
                Some(ReflectionStatus::Open | ReflectionStatus::Accepted) => match found.iter().find(|row| row.id == *id) {
                    None => look("What it rests on has changed since."),
                    Some(row) => {
                        changes.extend(changes_of(tx, row, now)?);
                        done.push(row);
                        run.applied.push(id.clone());
                    }
                },
            }
        }
        if done.is_empty() {
            return Ok(run);
        }
        run.summary = summary(&done.iter().map(|row| row.kind).collect::<Vec<_>>());
        let operation = OperationId::fresh(self.ids());
        tx.apply_operation(&operation, kind, &run.summary, &changes, now)?;
        for row in done {
            tx.mark_reflection_applied(&row.id, &operation, now)?;
        }
        run.operation = Some(operation);
        Ok(run)
    }
}

/// What a proposal does to the memories.
fn changes_of(tx: &WriteTx<'_>, row: &ReflectionRow, now: Timestamp) -> StoreResult<Vec<MemoryChange>> {
    let mut changes = Vec::new();
    match row.kind {
        ReflectionKind::Archive => {
            for id in &row.memories {
                changes.push(step(&tx.memory(id)?, MemoryStatus::Archived, now));
            }
        }
        ReflectionKind::Merge => {
            let Some(keep) = row.keep.and_then(|keep| row.memories.get(keep)) else { return Ok(changes) };
            for id in row.memories.iter().filter(|id| *id != keep) {
                let mut change = step(&tx.memory(id)?, MemoryStatus::Superseded, now);
                change.relations.push((Relation::MergedInto, keep.clone()));
                changes.push(change);
                // What had been merged into this one rests on lines of its own; they go on with it.
                for older in tx.merged_into(id)? {
                    let state = MemoryState::from(&tx.memory(&older)?);
                    let relations = vec![(Relation::MergedInto, keep.clone())];
                    changes.push(MemoryChange { id: older, before: Some(state.clone()), after: state, relations });
                }
            }
        }
    }
    Ok(changes)
}

/// Whether a person has still to say something, or has agreed and it is not done yet.
fn waits(row: &ReflectionRow) -> bool {
    matches!(row.status, ReflectionStatus::Open | ReflectionStatus::Accepted)
}

/// The proposals as they may be shown.
pub(crate) fn shown(tx: &ReadTx<'_>) -> StoreResult<Vec<ReflectionRow>> {
    let taken = TakenBack::of_memories(tx, None)?;
    let mut rows = Vec::new();
    for row in tx.reflections()? {
        let is_waiting = waits(&row) || row.status == ReflectionStatus::Parked;
        let mut holds = true;
        for id in &row.memories {
            let memory = tx.memory(id)?;
            let places: Vec<EvidenceSpan> = tx
                .founding_evidence(id)?
                .into_iter()
                .map(|place| EvidenceSpan { interaction: place.interaction_id, span: place.span })
                .collect();
            let messages: Vec<_> = places.iter().map(|place| place.interaction.clone()).collect();
            holds &= !memory.is_hidden && tx.are_messages_on_record(&messages)?;
            if is_waiting && holds {
                holds = memory.status == MemoryStatus::Active && !taken.covers_statement(&memory.content, &places);
            }
        }
        if holds {
            rows.push(row);
        }
    }
    Ok(rows)
}

/// Brings what is stored in line with what was found; how many are new.
fn settle(tx: &WriteTx<'_>, found: &[ReflectionRow], now: Timestamp) -> StoreResult<u64> {
    let known = tx.reflection_statuses()?;
    let ids: BTreeSet<&ReflectionId> = found.iter().map(|row| &row.id).collect();
    let mut new = 0;
    for row in found.iter().filter(|row| !known.contains_key(&row.id)) {
        // Decided on, hidden or off the record since it was read: nothing is proposed about it.
        let mut holds = true;
        for id in &row.memories {
            holds &= match tx.memory(id) {
                Ok(memory) => memory.status == MemoryStatus::Active && !memory.is_hidden,
                Err(StoreError::NotFound { .. }) => false,
                Err(error) => return Err(error),
            };
        }
        if holds {
            tx.put_reflection(&ReflectionRow { found: now, changed: now, ..row.clone() })?;
            new += 1;
        }
    }
    for (id, status) in &known {
        if !matches!(status, ReflectionStatus::Refused | ReflectionStatus::Applied) && !ids.contains(id) {
            tx.drop_reflection(id)?;
        }
    }
    Ok(new)
}

fn id_of(key: &str) -> Option<ReflectionId> {
    format!("{}{}", ReflectionId::PREFIX, &blake3::hash(key.as_bytes()).to_hex()[..32]).parse().ok()
}

fn row_of(one: Proposed, ids: &[MemoryId], now: Timestamp) -> Option<ReflectionRow> {
    let memories: Vec<MemoryId> = one.entries.iter().map(|at| ids.get(*at).cloned()).collect::<Option<_>>()?;
    let kind = one.change.kind();
    let keep = match one.change {
        Change::Archive => None,
        Change::Merge(stays) => Some(stays),
    };
    Some(ReflectionRow {
        id: id_of(&one.key)?,
        kind,
        status: ReflectionStatus::Open,
        is_parked_by_age: false,
        reason: one.reason,
        memories,
        keep,
        proposer: REFLECTION_VERSION.to_owned(),
        found: now,
        changed: now,
        operation: None,
    })
}

/// "Tidied: 2 archived, 1 merged".
fn summary(kinds: &[ReflectionKind]) -> String {
    let parts = ReflectionKind::ALL.iter().filter_map(|kind| {
        let count = kinds.iter().filter(|known| *known == kind).count();
        let words = match kind {
            ReflectionKind::Archive => "archived",
            ReflectionKind::Merge => "merged",
        };
        (count > 0).then(|| format!("{count} {words}"))
    });
    format!("Tidied: {}", parts.collect::<Vec<_>>().join(", "))
}
