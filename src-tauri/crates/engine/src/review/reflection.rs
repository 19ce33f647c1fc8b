//! Reflection over memories (seed 000, "The Big Tidy"): cleanup proposals, a person's decisions about them, and runs that
//! apply them.
//!
//! A search only makes proposals. Accepted proposals are applied in one run: first a backup, then a single operation in one
//! transaction that can be undone as a whole. For each kind, the person chooses whether it may be applied without asking. No
//! cleanup deletes memories or changes their wording. A dismissed or applied proposal returns only if its sources change,
//! because its id is derived from them.
//!
//! Only approved memories are examined. Tier entries need no cleanup: repeats are served only once, and the entries of a
//! session that no longer exists are retired with it.
//!
//! The rules search first. If a language model is chosen, it adds its proposals in its own lane (`by_model`).
//!
//! Not in this module: which changes are proposed (`capture::reflect`), rows (`store`), and when maintenance runs.

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

use crate::areas::Reflections;
use crate::lifecycle::backup::BackupReason;
use crate::queue::control::Control;
use crate::review::decide::step;
use crate::review::retractions::TakenBack;
use crate::{EngineError, Result};

type StoreResult<T> = std::result::Result<T, StoreError>;

/// Setting that stores which kinds may be applied without asking.
const RULES_SETTING: &str = "reflection";

/// Name of this setting in error messages.
const CHOICES: &str = "cleanup settings";

/// Operation kind of a run that a person applied. `undo` undoes it if it is the newest action.
const RUN: &str = "reflect";

/// Operation kind of a run applied by maintenance. Like expiry, it is undone only explicitly, so that plain `undo` affects
/// only the person's own actions.
const NIGHT_RUN: &str = "tidy";

/// The kinds of cleanups that may be applied without asking.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReflectionRules {
    /// Kinds that maintenance applies automatically.
    pub automatic: Vec<ReflectionKind>,
}

/// Result of applying proposals.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReflectionRun {
    /// Id for undoing it; `None` if nothing was applied.
    pub operation: Option<OperationId>,
    /// Text of the notice.
    pub summary: String,
    /// Proposals that were applied.
    pub applied: Vec<ReflectionId>,
    /// Proposals that were not applied, with the reason.
    pub needs_look: Vec<(ReflectionId, String)>,
}

/// Proposals found by a search.
type Found = Vec<ReflectionRow>;

impl Reflections<'_> {
    /// Which kinds may be applied without asking.
    pub fn rules(&self) -> Result<ReflectionRules> {
        Ok(self.engine.store().read(|tx| tx.settings().choice(RULES_SETTING, CHOICES))?)
    }

    /// Sets which kinds may be applied without asking.
    pub fn set_rules(&self, rules: &ReflectionRules) -> Result<()> {
        let automatic: BTreeSet<ReflectionKind> = rules.automatic.iter().copied().collect();
        let rules = ReflectionRules { automatic: automatic.into_iter().collect() };
        Ok(self.engine.store().write(|tx| tx.settings().put_choice(RULES_SETTING, CHOICES, &rules, self.engine.now()))?)
    }

    /// Queues a search for cleanups.
    pub fn queue(&self) -> Result<JobId> {
        let job = NewJob {
            id: JobId::fresh(self.engine.ids()),
            kind: JobKind::Reflect,
            idempotency_key: "all".to_owned(),
            payload: "{}".to_owned(),
        };
        let id = self.engine.store().write(|tx| {
            tx.jobs().enqueue(&job, self.engine.now())?;
            Ok(tx.maintenance().unsettled_jobs_of(&[JobKind::Reflect])?.pop())
        })?;
        self.engine.queue().look_for_work();
        Ok(id.unwrap_or(job.id))
    }

    /// Searches for cleanups, applies those that need no confirmation, and completes the job.
    pub(crate) fn perform(&self, lease: &Lease, control: &dyn Control) -> Result<()> {
        let found = self.look(control)?;
        let automatic = self.rules()?.automatic;
        // A proposal that was applied and undone needs confirmation from then on.
        let known: BTreeMap<ReflectionId, ReflectionRow> =
            self.engine.store().read(|tx| Ok(tx.reflections().all()?.into_iter().map(|row| (row.id.clone(), row)).collect()))?;
        let may_apply = |row: &ReflectionRow| {
            automatic.contains(&row.kind)
                // A model's proposals always need confirmation.
                && row.proposer == REFLECTION_VERSION
                && known.get(&row.id).is_none_or(|row| row.status == ReflectionStatus::Open && row.operation.is_none())
        };
        let chosen: Vec<ReflectionId> = found.iter().filter(|row| may_apply(row)).map(|row| row.id.clone()).collect();
        if !chosen.is_empty() {
            self.engine.backups().keep(BackupReason::BeforeReflection, control)?;
        }
        let now = self.engine.now();
        let new = self.engine.store().write(|tx| {
            tx.jobs().check_lease(lease)?;
            let new = settle(tx, &found, now)?;
            let run = self.apply_rows(tx, &chosen, &found, NIGHT_RUN, now)?;
            let counts = serde_json::json!({ "found": found.len(), "new": new, "applied": run.applied.len() });
            tx.jobs().complete(lease, &counts.to_string(), now)?;
            Ok(new)
        })?;
        tracing::info!(found = found.len(), new, applied = chosen.len(), "reflected");
        self.engine.queue().look_for_work();
        self.queue_for_model()
    }

    /// Searches immediately and without a job, for the CLI. Applies nothing and returns the number of new proposals.
    pub fn reflect(&self, control: &dyn Control) -> Result<u64> {
        let found = self.look(control)?;
        let new = self.engine.store().write(|tx| settle(tx, &found, self.engine.now()))?;
        self.queue_for_model()?;
        Ok(new)
    }

    fn look(&self, control: &dyn Control) -> Result<Found> {
        // Embed all memories first, because which memories count as duplicates must not depend on the speed of the embedding
        // lane.
        self.engine.embeddings().embed_memories(control)?;
        let mut watch = |done: usize, of: usize| {
            control.progress("Looking for cleanups", done as u64, of as u64);
            !control.is_cancelled()
        };
        let found = self.engine.store().read(|tx| self.found(tx, &mut watch))?;
        found.filter(|_| !control.is_cancelled()).ok_or(EngineError::Cancelled)
    }

    fn found(&self, tx: &ReadTx<'_>, watch: &mut dyn FnMut(usize, usize) -> bool) -> StoreResult<Option<Found>> {
        let model = self.engine.embedder().ready();
        let map = self.engine.access_map(tx)?;
        let Some((ids, memories)) = gather::gather(tx, &map, model.as_deref().map(keepsake_models::Embedder::name), watch)?
        else {
            return Ok(None);
        };
        let settled: BTreeSet<ReflectionId> = tx
            .reflections()
            .statuses()?
            .into_iter()
            .filter(|(_, status)| matches!(status, ReflectionStatus::Refused | ReflectionStatus::Applied))
            .map(|(id, _)| id)
            .collect();
        let now = self.engine.now();
        let said = if self.engine.models().has_proposing(tx)? { by_model::said(tx)? } else { by_model::Said::default() };
        let is_settled = |key: &str| id_of(key).is_some_and(|id| settled.contains(&id));
        let proposed = reflect_with(&memories, &said.opinions, now, &is_settled);
        let row = |one: Proposed| {
            let proposer = one.opinion.and_then(|at| said.by.get(at)).cloned();
            let row = row_of(one, &ids, now)?;
            Some(ReflectionRow { proposer: proposer.unwrap_or(row.proposer), ..row })
        };
        Ok(Some(proposed.into_iter().filter_map(row).collect()))
    }

    /// Every proposal, for the owner only. Pending ones are included only while they are valid: a proposal disappears if one
    /// of its memories is decided on, hidden or retracted.
    pub fn list(&self) -> Result<Vec<ReflectionRow>> {
        Ok(self.engine.store().read(shown)?)
    }

    /// The proposal with this id; refused if there is none.
    pub fn reflection(&self, id: &ReflectionId) -> Result<ReflectionRow> {
        let found = self.list()?.into_iter().find(|row| row.id == *id);
        found.ok_or_else(|| EngineError::Refused(format!("there is no proposal {id}; `keepsake reflect` lists them")))
    }

    /// Number of pending proposals. The window requests it after every change, so this is a single query;
    /// [`list`](Self::list) checks each proposal more closely.
    pub fn reflections_waiting(&self) -> Result<u64> {
        Ok(self.engine.store().read(|tx| tx.reflections().reflections_waiting())?)
    }

    /// Stores a person's decision about proposals. Proposals that cannot change to this status stay as they are and are
    /// returned with the reason.
    pub fn decide(&self, ids: &[ReflectionId], to: ReflectionStatus) -> Result<Vec<(ReflectionId, String)>> {
        let now = self.engine.now();
        Ok(self.engine.store().write(|tx| {
            let mut refused = Vec::new();
            for id in ids {
                let row = match tx.reflections().reflection(id) {
                    Ok(row) => row,
                    Err(StoreError::NotFound { .. }) => {
                        refused.push((id.clone(), "It no longer exists.".to_owned()));
                        continue;
                    }
                    Err(error) => return Err(error),
                };
                match row.status.may_become(to) {
                    Ok(()) => tx.reflections().decide(id, to, now)?,
                    Err(error) => refused.push((id.clone(), error.to_string())),
                }
            }
            Ok(refused)
        })?)
    }

    /// Applies these proposals, or all accepted ones, as one run that can be undone as a whole. A backup is made first; if
    /// that fails, nothing changes. Proposals that are no longer valid are skipped and returned with the reason.
    pub fn apply(&self, ids: Option<&[ReflectionId]>, control: &dyn Control) -> Result<ReflectionRun> {
        let mut goes_on = |_: usize, _: usize| true;
        let (chosen, holds) = self.engine.store().read(|tx| {
            let chosen: Vec<ReflectionId> = match ids {
                Some(ids) => ids.to_vec(),
                None => shown(tx)?.into_iter().filter(|row| row.status == ReflectionStatus::Accepted).map(|row| row.id).collect(),
            };
            let found = self.found(tx, &mut goes_on)?.unwrap_or_default();
            let statuses = tx.reflections().statuses()?;
            let holds = found.iter().any(|row| chosen.contains(&row.id) && statuses.contains_key(&row.id));
            Ok((chosen, holds))
        })?;
        if holds {
            self.engine.backups().keep(BackupReason::BeforeReflection, control)?;
        }
        let now = self.engine.now();
        let run = self.engine.store().write(|tx| {
            let found = self.found(tx, &mut goes_on)?.unwrap_or_default();
            self.apply_rows(tx, &chosen, &found, RUN, now)
        })?;
        self.engine.embeddings().queue()?;
        self.engine.queue().look_for_work();
        Ok(run)
    }

    /// Undoes the run with this operation id, or the newest run that has not been undone.
    pub fn undo(&self, operation: Option<&OperationId>) -> Result<Option<(OperationId, String)>> {
        let id = match operation {
            Some(id) => Some(id.clone()),
            None => self.engine.store().read(|tx| tx.reflections().last_run())?.map(|(id, ..)| id),
        };
        let Some(id) = id else { return Ok(None) };
        let undone = self.engine.review().undo(Some(&id))?;
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
        let known = tx.reflections().statuses()?;
        for id in chosen.iter().collect::<BTreeSet<_>>() {
            let mut look = |why: &str| run.needs_look.push((id.clone(), why.to_owned()));
            match known.get(id) {
                None => look("It no longer exists."),
                Some(ReflectionStatus::Applied) => look("It has already been applied."),
                Some(ReflectionStatus::Refused) => look("It was dismissed; restore it first."),
                Some(ReflectionStatus::Parked) => look("It was set aside or has expired; restore it first."),
                Some(ReflectionStatus::Open | ReflectionStatus::Accepted) => match found.iter().find(|row| row.id == *id) {
                    None => look("Its sources have changed since."),
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
        let operation = OperationId::fresh(self.engine.ids());
        tx.memories().apply_operation(&operation, kind, &run.summary, &changes, now)?;
        for row in done {
            tx.reflections().mark_applied(&row.id, &operation, now)?;
        }
        run.operation = Some(operation);
        Ok(run)
    }
}

/// The changes a proposal makes to memories.
fn changes_of(tx: &WriteTx<'_>, row: &ReflectionRow, now: Timestamp) -> StoreResult<Vec<MemoryChange>> {
    let mut changes = Vec::new();
    match row.kind {
        ReflectionKind::Archive => {
            for id in &row.memories {
                changes.push(step(&tx.memories().memory(id)?, MemoryStatus::Archived, now));
            }
        }
        ReflectionKind::Merge => {
            let Some(keep) = row.keep.and_then(|keep| row.memories.get(keep)) else { return Ok(changes) };
            for id in row.memories.iter().filter(|id| *id != keep) {
                let mut change = step(&tx.memories().memory(id)?, MemoryStatus::Superseded, now);
                change.relations.push((Relation::MergedInto, keep.clone()));
                changes.push(change);
                // Memories merged into this one earlier have evidence of their own, so they are now merged into `keep`.
                for older in tx.reflections().merged_into(id)? {
                    let state = MemoryState::from(&tx.memories().memory(&older)?);
                    let relations = vec![(Relation::MergedInto, keep.clone())];
                    changes.push(MemoryChange { id: older, before: Some(state.clone()), after: state, relations });
                }
            }
        }
    }
    Ok(changes)
}

/// Whether a proposal still needs the person's decision, or was accepted but not applied yet.
fn waits(row: &ReflectionRow) -> bool {
    matches!(row.status, ReflectionStatus::Open | ReflectionStatus::Accepted)
}

/// The proposals that may be shown.
pub(crate) fn shown(tx: &ReadTx<'_>) -> StoreResult<Vec<ReflectionRow>> {
    let taken = TakenBack::of_memories(tx, None)?;
    let mut rows = Vec::new();
    for row in tx.reflections().all()? {
        let is_waiting = waits(&row) || row.status == ReflectionStatus::Parked;
        let mut holds = true;
        for id in &row.memories {
            let memory = tx.memories().memory(id)?;
            let places: Vec<EvidenceSpan> = tx
                .memories()
                .founding_evidence(id)?
                .into_iter()
                .map(|place| EvidenceSpan { interaction: place.interaction_id, span: place.span })
                .collect();
            let messages: Vec<_> = places.iter().map(|place| place.interaction.clone()).collect();
            holds &= !memory.is_hidden && tx.playbooks().are_messages_on_record(&messages)?;
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

/// Updates the store to match what was found, and returns how many proposals are new.
fn settle(tx: &WriteTx<'_>, found: &[ReflectionRow], now: Timestamp) -> StoreResult<u64> {
    let known = tx.reflections().statuses()?;
    let ids: BTreeSet<&ReflectionId> = found.iter().map(|row| &row.id).collect();
    let mut new = 0;
    for row in found.iter().filter(|row| !known.contains_key(&row.id)) {
        // Nothing is proposed about a memory that was decided on, hidden or excluded since it was read.
        let mut holds = true;
        for id in &row.memories {
            holds &= match tx.memories().memory(id) {
                Ok(memory) => memory.status == MemoryStatus::Active && !memory.is_hidden,
                Err(StoreError::NotFound { .. }) => false,
                Err(error) => return Err(error),
            };
        }
        if holds {
            tx.reflections().put(&ReflectionRow { found: now, changed: now, ..row.clone() })?;
            new += 1;
        }
    }
    for (id, status) in &known {
        if !matches!(status, ReflectionStatus::Refused | ReflectionStatus::Applied) && !ids.contains(id) {
            tx.reflections().drop(id)?;
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

/// Text such as "Cleanup (2 archived, 1 merged)".
fn summary(kinds: &[ReflectionKind]) -> String {
    let parts = ReflectionKind::ALL.iter().filter_map(|kind| {
        let count = kinds.iter().filter(|known| *known == kind).count();
        let words = match kind {
            ReflectionKind::Archive => "archived",
            ReflectionKind::Merge => "merged",
        };
        (count > 0).then(|| format!("{count} {words}"))
    });
    format!("Cleanup ({})", parts.collect::<Vec<_>>().join(", "))
}
