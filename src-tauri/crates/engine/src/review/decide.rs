//! Carries out a person's actions on proposals and memories. Each action is one operation, in one transaction and with one
//! undo.
//!
//! An action is planned from the current store, not from what the window showed. Memories that have changed since are
//! returned as "needs another look" instead of an error (docs/sources.md#research).

use keepsake_capture::dedup;
use keepsake_domain::{
    Category, EvidenceSpan, MemoryId, MemoryKind, MemoryStatus, OperationId, ProfileEntry, Relation, Timestamp, limits,
};
use keepsake_store::{MemoryChange, MemoryRow, MemoryState, NewEvidence, NewMemory, StoreError, WriteTx};

use crate::areas::Review;
use crate::lifecycle::backup::BackupReason;
use crate::queue::control::Unwatched;
use crate::review::conflicts::Contradiction;
use crate::{EngineError, Result};

/// A backup is made before one action takes this many memories out of use. Undo is for mistakes that are noticed right away;
/// the backup is for those noticed days later.
const BULK_MEMORIES: usize = 100;

/// Kind of operation that dismisses memories together with a disputed profile entry.
const DEBUNK: &str = "debunk";

/// Reason for rejection: another memory says the same.
const DUPLICATE: &str = "duplicate";

/// Reason stored with memories that are dismissed together with a disputed profile entry.
const DEBUNKED_REASON: &str = "You marked this as wrong in the profile.";

/// An action on one or several memories.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    /// Approve.
    Approve(Vec<MemoryId>),
    /// Dismiss, with an optional reason.
    Reject(Vec<MemoryId>, Option<String>),
    /// Ask again at this time.
    Snooze(Vec<MemoryId>, Timestamp),
    /// Reword, optionally change the category, and approve.
    Edit(MemoryId, String, Option<Category>),
    /// Merge the first into the second.
    Merge(MemoryId, MemoryId),
    /// Move to the trash.
    Archive(Vec<MemoryId>),
    /// Return to the previous status.
    Restore(Vec<MemoryId>),
    /// Change the category.
    Recategorize(Vec<MemoryId>, Category),
    /// Confirm that it is still true.
    Reconfirm(Vec<MemoryId>),
}

/// Result of an action.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ActOutcome {
    /// Id for undoing it; `None` if nothing changed.
    pub operation: Option<OperationId>,
    /// Text of the notice.
    pub summary: String,
    /// Memories that the action was applied to.
    pub applied: Vec<MemoryId>,
    /// New versions, as pairs of old and new id.
    pub created: Vec<(MemoryId, MemoryId)>,
    /// Memories that the action was not applied to, with the reason.
    pub needs_look: Vec<(MemoryId, String)>,
    /// Memories approved earlier that the newly approved ones replace.
    pub set_aside: Vec<MemoryId>,
    /// Contradictions between an approved or dismissed memory and others that stay approved.
    pub contradicts: Vec<Contradiction>,
}

/// The planned change for one memory.
enum Planned {
    Changes(Vec<MemoryChange>),
    NeedsLook(String),
}

impl Act {
    const fn kind(&self) -> &'static str {
        match self {
            Self::Approve(_) => "approve",
            Self::Reject(..) => "reject",
            Self::Snooze(..) => "snooze",
            Self::Edit(..) => "edit",
            Self::Merge(..) => "merge",
            Self::Archive(_) => "archive",
            Self::Restore(_) => "restore",
            Self::Recategorize(..) => "recategorize",
            Self::Reconfirm(_) => "reconfirm",
        }
    }

    /// The words before and after the number in a summary: the past tense of the action, and the noun in singular and plural.
    const fn past_tense(&self) -> (&'static str, [&'static str; 2]) {
        const PROPOSAL: [&str; 2] = ["proposal", "proposals"];
        const MEMORY: [&str; 2] = ["memory", "memories"];
        match self {
            Self::Approve(_) => ("Approved", MEMORY),
            Self::Reject(..) => ("Dismissed", PROPOSAL),
            Self::Snooze(..) => ("Snoozed", PROPOSAL),
            Self::Edit(..) => ("Edited", MEMORY),
            Self::Merge(..) => ("Merged", PROPOSAL),
            Self::Archive(_) => ("Moved", ["memory to the trash", "memories to the trash"]),
            Self::Restore(_) => ("Restored", MEMORY),
            Self::Recategorize(..) => ("Recategorized", MEMORY),
            Self::Reconfirm(_) => ("Confirmed", MEMORY),
        }
    }

    fn ids(&self) -> &[MemoryId] {
        match self {
            Self::Approve(ids)
            | Self::Reject(ids, _)
            | Self::Snooze(ids, _)
            | Self::Archive(ids)
            | Self::Reconfirm(ids)
            | Self::Restore(ids)
            | Self::Recategorize(ids, _) => ids,
            Self::Edit(id, ..) | Self::Merge(id, _) => std::slice::from_ref(id),
        }
    }

    fn summary(&self, count: usize) -> String {
        let (did, [one, many]) = self.past_tense();
        format!("{did} {count} {}", if count == 1 { one } else { many })
    }
}

pub(crate) fn step(row: &MemoryRow, status: MemoryStatus, now: Timestamp) -> MemoryChange {
    let after = MemoryState { status, snoozed_until: None, reject_reason: None, decided: Some(now) };
    MemoryChange { id: row.id.clone(), before: Some(MemoryState::from(row)), after, relations: Vec::new() }
}

fn look(words: &str) -> Planned {
    Planned::NeedsLook(words.to_owned())
}

impl Review<'_> {
    /// Carries out the action on every memory to which it still applies.
    pub fn act(&self, act: &Act) -> Result<ActOutcome> {
        if let Act::Edit(_, content, _) = act {
            check_wording(content)?;
        }
        if let Act::Merge(id, into) = act
            && id == into
        {
            return Err(EngineError::Refused("a memory cannot be merged into itself; choose another one".to_owned()));
        }
        let takes_away = matches!(act, Act::Reject(..) | Act::Archive(_));
        if takes_away
            && act.ids().len() >= BULK_MEMORIES
            && let Err(error) = self.engine.backups().keep(BackupReason::BeforeBulk, &Unwatched)
        {
            // The action can be undone anyway, so a full disk is no reason to refuse it.
            tracing::warn!(%error, "no backup was made before a bulk act");
        }
        let is_judged = matches!(act, Act::Approve(_) | Act::Reject(..));
        let contradicted = if is_judged { self.contradictions(act.ids())? } else { Vec::new() };
        let now = self.engine.now();
        let outcome = self.engine.store().write(|tx| {
            let mut outcome = ActOutcome::default();
            let mut changes: Vec<MemoryChange> = Vec::new();
            for id in act.ids() {
                // One action may affect a memory twice, for example if two proposals are approved and one of them replaces
                // the other.
                if changes.iter().any(|change| change.id == *id) {
                    outcome.applied.push(id.clone());
                    continue;
                }
                let row = match tx.memories().memory(id) {
                    Ok(row) => row,
                    Err(StoreError::NotFound { .. }) => {
                        outcome.needs_look.push((id.clone(), "It no longer exists.".to_owned()));
                        continue;
                    }
                    Err(error) => return Err(error),
                };
                match self.plan(tx, act, &row, now)? {
                    Planned::Changes(planned) => {
                        for change in &planned {
                            if change.before.is_none() {
                                outcome.created.push((row.id.clone(), change.id.clone()));
                            }
                        }
                        let twins = self.twins(tx, act, &row, now)?;
                        for change in planned.into_iter().chain(twins) {
                            match changes.iter_mut().find(|known| known.id == change.id) {
                                // This memory was approved by this action and is replaced by another proposal approved with
                                // it.
                                Some(known) if change.after.status == MemoryStatus::Superseded => known.after = change.after,
                                Some(_) => {}
                                None => changes.push(change),
                            }
                        }
                        outcome.applied.push(row.id);
                    }
                    Planned::NeedsLook(reason) => outcome.needs_look.push((row.id, reason)),
                }
            }
            // A memory that only gets a new version is not set aside, because the new version makes the same statement.
            let has_version = |id: &MemoryId| changes.iter().any(|change| change.relations.iter().any(|(_, of)| of == id));
            outcome.set_aside = changes
                .iter()
                .filter(|change| change.after.status == MemoryStatus::Superseded)
                .filter(|change| !act.ids().contains(&change.id) && !has_version(&change.id))
                .map(|change| change.id.clone())
                .collect();
            outcome.summary = act.summary(outcome.applied.len());
            if matches!(act, Act::Approve(_)) && !outcome.set_aside.is_empty() {
                outcome.summary = format!(
                    "{}, replacing {}",
                    outcome.summary,
                    match outcome.set_aside.len() {
                        1 => "an earlier one".to_owned(),
                        count => format!("{count} earlier ones"),
                    }
                );
            }
            if changes.is_empty() {
                return Ok(outcome);
            }
            let stays = |one: &Contradiction| !changes.iter().any(|change| change.id == one.other.id);
            outcome.contradicts =
                contradicted.iter().filter(|one| outcome.applied.contains(&one.id) && stays(one)).cloned().collect();
            let operation = OperationId::fresh(self.engine.ids());
            tx.memories().apply_operation(&operation, act.kind(), &outcome.summary, &changes, now)?;
            outcome.operation = Some(operation);
            Ok(outcome)
        })?;
        if !outcome.created.is_empty() {
            self.engine.embeddings().queue()?;
        }
        // An approved memory may change what is known about people, so the lanes check for work.
        if outcome.operation.is_some() {
            self.engine.queue().look_for_work();
        }
        Ok(outcome)
    }

    fn plan(&self, tx: &WriteTx<'_>, act: &Act, row: &MemoryRow, now: Timestamp) -> std::result::Result<Planned, StoreError> {
        use MemoryStatus::*;
        Ok(match act {
            Act::Approve(_) => match row.status {
                Pending => {
                    if let Some(reason) = stale(tx, row)? {
                        return Ok(Planned::NeedsLook(reason));
                    }
                    // If an approved later statement replaces this one, this one becomes history.
                    let is_history = self.is_history(tx, row)?;
                    let mut changes = vec![step(row, if is_history { Superseded } else { Active }, now)];
                    changes.extend(self.replaced(tx, act, row, now)?);
                    Planned::Changes(changes)
                }
                Active => look("It is already approved."),
                Quarantined => look("It looks like an instruction. If it is true, restore it to the queue first."),
                Rejected | Superseded | Archived => look("It has been decided in the meantime."),
            },
            Act::Reject(_, reason) => match row.status {
                Pending | Quarantined | Active | Archived => {
                    let mut change = step(row, Rejected, now);
                    change.after.reject_reason.clone_from(reason);
                    Planned::Changes(vec![change])
                }
                // The person often gives the reason a moment later, in the notice of the rejection.
                Rejected if reason.is_some() => {
                    let mut change = step(row, Rejected, now);
                    change.after.reject_reason.clone_from(reason);
                    change.after.decided = row.decided;
                    Planned::Changes(vec![change])
                }
                _ => look("It has been decided in the meantime."),
            },
            Act::Snooze(_, until) => match row.status {
                Pending => {
                    let mut change = step(row, Pending, now);
                    change.after.snoozed_until = Some(*until);
                    change.after.decided = row.decided;
                    Planned::Changes(vec![change])
                }
                _ => look("It is no longer waiting for review."),
            },
            Act::Edit(_, content, category) => return self.plan_edit(tx, act, row, content.trim(), *category, now),
            Act::Recategorize(_, category) => match row.status {
                Pending | Active if row.category != *category => {
                    Planned::Changes(self.new_version(tx, row, &row.content, *category, row.is_edited, row.status, now)?)
                }
                Pending | Active => look("It is already in that category."),
                _ => look("It has been decided in the meantime; restore it first."),
            },
            Act::Merge(_, into) => {
                let target = tx.memories().memory(into)?;
                match (row.status, target.status) {
                    (Pending | Active, Active) => {
                        let mut change = step(row, Superseded, now);
                        change.relations.push((Relation::MergedInto, target.id));
                        Planned::Changes(vec![change])
                    }
                    (Pending | Active, Pending) => look("The memory to merge into is not approved; approve it first."),
                    (Pending | Active, _) => look("The memory to merge into no longer exists."),
                    _ => look("It has been decided in the meantime."),
                }
            }
            Act::Archive(_) => match row.status {
                Pending | Active => Planned::Changes(vec![step(row, Archived, now)]),
                _ => look("It is not in use, so it cannot be moved to the trash."),
            },
            Act::Reconfirm(_) => match row.status {
                Active => Planned::Changes(vec![step(row, Active, now)]),
                _ => look("It is no longer in use."),
            },
            Act::Restore(_) => return plan_restore(tx, row, now),
        })
    }

    /// Plans a new version with other words or another category. Editing a proposal without changing it approves it.
    fn plan_edit(
        &self,
        tx: &WriteTx<'_>,
        act: &Act,
        row: &MemoryRow,
        content: &str,
        category: Option<Category>,
        now: Timestamp,
    ) -> std::result::Result<Planned, StoreError> {
        use MemoryStatus::*;
        Ok(match row.status {
            Pending | Active => {
                let category = category.unwrap_or(row.category);
                if content == row.content && category == row.category {
                    return if row.status == Pending {
                        self.plan(tx, &Act::Approve(vec![row.id.clone()]), row, now)
                    } else {
                        Ok(look("Nothing was changed."))
                    };
                }
                let is_edited = content != row.content;
                let mut changes = self.new_version(tx, row, content, category, is_edited, Active, now)?;
                // A reworded approval replaces the same memories that the original proposal would have replaced.
                if row.status == Pending {
                    changes.extend(self.replaced(tx, act, row, now)?);
                }
                Planned::Changes(changes)
            }
            _ => look("It has been decided in the meantime; restore it first."),
        })
    }

    /// The changes to the memories that an approved proposal replaces, because it says the same in more detail or makes them
    /// history.
    fn replaced(
        &self,
        tx: &WriteTx<'_>,
        act: &Act,
        row: &MemoryRow,
        now: Timestamp,
    ) -> std::result::Result<Vec<MemoryChange>, StoreError> {
        let mut changes = Vec::new();
        for (relation, target, _) in tx.memories().relations_from(&row.id)? {
            let older = tx.memories().memory(&target)?;
            let steps_aside = match relation {
                // After rewording, the proposal may no longer include what the shorter memory says.
                Relation::Extends => {
                    matches!(act, Act::Approve(_)) && matches!(older.status, MemoryStatus::Pending | MemoryStatus::Active)
                }
                // A pending memory still goes to review. It becomes history when it is approved, even together with this one.
                Relation::Replaces => {
                    let is_approved = older.status == MemoryStatus::Active
                        || older.status == MemoryStatus::Pending && act.ids().contains(&older.id);
                    is_approved && self.is_seen_with(tx, row, &older)?
                }
                _ => false,
            };
            // The two subjects may have been one person when the proposal was made and two people now.
            if steps_aside && tx.log().is_one_subject(&row.subject, &older.subject)? {
                changes.push(step(&older, MemoryStatus::Superseded, now));
            }
        }
        Ok(changes)
    }

    /// Whether an approved memory replaces this one, which makes it history.
    fn is_history(&self, tx: &WriteTx<'_>, row: &MemoryRow) -> std::result::Result<bool, StoreError> {
        for newer in tx.memories().replaced_by(&row.id)? {
            let newer = tx.memories().memory(&newer)?;
            if newer.status == MemoryStatus::Active
                && tx.log().is_one_subject(&row.subject, &newer.subject)?
                && self.is_seen_with(tx, &newer, row)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether `newer` is visible wherever `older` is. Otherwise, the absence of the older one would reveal the newer one.
    fn is_seen_with(&self, tx: &WriteTx<'_>, newer: &MemoryRow, older: &MemoryRow) -> std::result::Result<bool, StoreError> {
        let map = self.engine.access_map(tx)?;
        let sources = tx.privacy().memory_sources()?;
        let labels = map.label_of(sources.get(&newer.id)).zip(map.label_of(sources.get(&older.id)));
        Ok(labels.is_some_and(|(newer, older)| map.is_seen_wherever(&self.engine.inner.policy, &newer, &older)))
    }

    /// Applies a retraction or correction to every memory that says the same. One statement may be stored several times,
    /// because each copy is visible to different people. Each gets its own new version, visible where the old one was.
    fn twins(
        &self,
        tx: &WriteTx<'_>,
        act: &Act,
        row: &MemoryRow,
        now: Timestamp,
    ) -> std::result::Result<Vec<MemoryChange>, StoreError> {
        let is_said_otherwise = |content: &str| dedup::fingerprint(content).into_bytes() != row.fingerprint;
        let mut changes = Vec::new();
        match act {
            // A duplicate is rejected because the other memory says the same, so the other one stays. The reason is often
            // given a moment after the rejection, when the other one has been rejected too.
            Act::Reject(_, Some(reason)) if reason == DUPLICATE => {
                for id in tx.retractions().twins_refused_with(&row.id)? {
                    let twin = tx.memories().memory(&id)?;
                    if let Some(before) =
                        tx.memories().status_before(&id)?.filter(|s| matches!(s, MemoryStatus::Pending | MemoryStatus::Active))
                    {
                        let mut change = step(&twin, before, now);
                        change.after.decided = (before == MemoryStatus::Active).then_some(now);
                        changes.push(change);
                    }
                }
            }
            Act::Reject(_, reason) => {
                for id in tx.retractions().twins_of(&row.id)? {
                    let mut change = step(&tx.memories().memory(&id)?, MemoryStatus::Rejected, now);
                    change.after.reject_reason.clone_from(reason);
                    changes.push(change);
                }
            }
            Act::Edit(_, content, _) if is_said_otherwise(content.trim()) => {
                for id in tx.retractions().twins_of(&row.id)? {
                    let twin = tx.memories().memory(&id)?;
                    changes.extend(self.new_version(tx, &twin, content.trim(), twin.category, true, twin.status, now)?);
                }
            }
            _ => {}
        }
        Ok(changes)
    }

    /// Dismisses, as one operation, the memories that rest on the words of a profile entry and say the same. With `instead`,
    /// the person reworded the entry, and memories closer to the new wording stay.
    pub(crate) fn refuse_memories_of(
        &self,
        tx: &WriteTx<'_>,
        entry: &ProfileEntry,
        places: &[EvidenceSpan],
        instead: Option<&str>,
        now: Timestamp,
    ) -> std::result::Result<(), StoreError> {
        let mut changes: Vec<MemoryChange> = Vec::new();
        for place in places {
            for id in tx.retractions().memories_on(place)? {
                let row = tx.memories().memory(&id)?;
                let shared = dedup::shared_words(&row.content, &entry.content);
                let is_same = shared > instead.map_or(0, |instead| dedup::shared_words(&row.content, instead));
                if row.is_edited || !is_same || changes.iter().any(|known| known.id == id) {
                    continue;
                }
                let mut same = vec![row];
                same.extend(
                    tx.retractions()
                        .twins_of(&id)?
                        .iter()
                        .map(|twin| tx.memories().memory(twin))
                        .collect::<std::result::Result<Vec<_>, _>>()?,
                );
                for row in same {
                    let mut change = step(&row, MemoryStatus::Rejected, now);
                    change.after.reject_reason = Some(DEBUNKED_REASON.to_owned());
                    if !changes.iter().any(|known| known.id == change.id) {
                        changes.push(change);
                    }
                }
            }
        }
        if changes.is_empty() {
            return Ok(());
        }
        let summary = match changes.len() {
            1 => "Dismissed 1 memory that says the same as a profile entry".to_owned(),
            count => format!("Dismissed {count} memories that say the same as a profile entry"),
        };
        tx.memories().apply_operation(&OperationId::fresh(self.engine.ids()), DEBUNK, &summary, &changes, now)
    }

    /// Restores the memories that were dismissed together with a profile entry, unless they were decided on since.
    pub(crate) fn restore_memories_of(
        &self,
        tx: &WriteTx<'_>,
        places: &[EvidenceSpan],
        now: Timestamp,
    ) -> std::result::Result<(), StoreError> {
        if let Some(operation) = tx.retractions().operation_on(DEBUNK, places)? {
            tx.retractions().undo_if_last(&operation, now)?;
        }
        Ok(())
    }

    /// Replaces `row` by a version in the person's words with the same evidence.
    #[allow(clippy::too_many_arguments)] // A version differs from its original in exactly these.
    pub(crate) fn new_version(
        &self,
        tx: &WriteTx<'_>,
        row: &MemoryRow,
        content: &str,
        category: Category,
        is_edited: bool,
        status: MemoryStatus,
        now: Timestamp,
    ) -> std::result::Result<Vec<MemoryChange>, StoreError> {
        let id = MemoryId::fresh(self.engine.ids());
        let (support, evidence): (Vec<_>, Vec<_>) = tx.memories().evidence(&row.id)?.into_iter().partition(|e| e.is_support);
        let place = |e: keepsake_store::EvidenceRow| NewEvidence { interaction_id: e.interaction_id, span: e.span };
        // If only supporting evidence is left, the new version rests on it.
        let (support, evidence) = if evidence.is_empty() { (Vec::new(), support) } else { (support, evidence) };
        let evidence = evidence.into_iter().map(place).collect();
        tx.memories().insert(&NewMemory {
            id: id.clone(),
            status,
            kind: kind_of(category),
            category,
            subject: row.subject.clone(),
            content: content.to_owned(),
            reasoning: row.reasoning.clone(),
            confidence: row.confidence,
            durability: row.durability,
            knowledge: row.knowledge.clone().filter(|_| kind_of(category) == MemoryKind::Knowledge),
            // A reworded memory may state another fact.
            fact: row.fact.filter(|_| !is_edited),
            story: row.story.clone(),
            is_edited,
            proposers: row.proposers.clone(),
            fingerprint: dedup::fingerprint(content).into_bytes(),
            supersedes: Some(row.id.clone()),
            evidence,
            created: now,
        })?;
        for line in support.into_iter().map(place) {
            tx.memories().add_support(&id, &line)?;
        }
        let decided = (status == MemoryStatus::Active).then_some(now);
        let after = MemoryState { status, snoozed_until: None, reject_reason: None, decided };
        tx.memories().set_decided(&id, decided)?;
        let made = MemoryChange { id, before: None, after, relations: vec![(Relation::Supersedes, row.id.clone())] };
        Ok(vec![step(row, MemoryStatus::Superseded, now), made])
    }

    /// Undoes an operation, or the newest one that is still in effect. Returns its id, the text of the
    /// notice and the restored ids.
    pub fn undo(&self, operation: Option<&OperationId>) -> Result<Option<(OperationId, String, Vec<MemoryId>)>> {
        let now = self.engine.now();
        let undone = self.engine.store().write(|tx| {
            let Some(found) = tx.memories().operation_to_undo(operation)? else { return Ok(None) };
            if found.undone.is_some() {
                return Ok(None);
            }
            let restored = tx.memories().undo_operation(&found.id, now)?;
            Ok(Some((found.id, format!("Undid: {}", found.summary), restored)))
        })?;
        self.engine.queue().look_for_work();
        Ok(undone)
    }
}

fn kind_of(category: Category) -> MemoryKind {
    use Category::*;
    match category {
        Reasoning | Philosophy | Standard | Decision | Reaction => MemoryKind::Knowledge,
        PersonalInfo | Preference | Experience | Relationship | Goal | Skill | Project | Story => MemoryKind::Fact,
    }
}

fn check_wording(content: &str) -> Result<()> {
    let length = content.trim().chars().count();
    if length == 0 {
        return Err(EngineError::Refused(
            "the memory is empty; enter a text, or dismiss the memory if it should not be kept".to_owned(),
        ));
    }
    if length > limits::CONTENT_CHARS_MAX {
        return Err(EngineError::Refused(format!(
            "a memory is one statement of at most {} characters, but this text has {length}; shorten it",
            limits::CONTENT_CHARS_MAX
        )));
    }
    Ok(())
}

/// Why a proposal can no longer be approved; `None` if it can.
fn stale(tx: &WriteTx<'_>, row: &MemoryRow) -> std::result::Result<Option<String>, StoreError> {
    for evidence in tx.memories().evidence(&row.id)? {
        let holds = match tx.log().interaction(&evidence.interaction_id)? {
            Some(message) => evidence.span.quote(&message.content).is_ok(),
            None => false,
        };
        if holds {
            return Ok(None);
        }
    }
    Ok(Some("Its source message no longer exists.".to_owned()))
}

/// Plans restoring a memory to the state before the last decision.
fn plan_restore(tx: &WriteTx<'_>, row: &MemoryRow, now: Timestamp) -> std::result::Result<Planned, StoreError> {
    use MemoryStatus::*;
    Ok(match row.status {
        Quarantined => Planned::Changes(vec![step(row, Pending, now)]),
        Rejected | Archived => {
            let before = tx.memories().status_before(&row.id)?.filter(|status| matches!(status, Pending | Active));
            let mut change = step(row, before.unwrap_or(Pending), now);
            if change.after.status == Pending {
                change.after.decided = None;
            }
            Planned::Changes(vec![change])
        }
        Superseded => look("It was replaced by a newer version; edit that one."),
        // Snoozed or expired: it returns to Review now.
        Pending if row.snoozed_until.is_some() => {
            let mut change = step(row, Pending, now);
            change.after.decided = row.decided;
            Planned::Changes(vec![change])
        }
        Pending | Active => look("It is already in use."),
    })
}
