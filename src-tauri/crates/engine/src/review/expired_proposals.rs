//! Expires proposals left unanswered too long. They return when a person restores them or when their evidence changes.
//!
//! Pending memories expire differently, as a review action that can be undone (`maintenance`); this module handles every
//! other kind. [`Review::open_proposals`] is the only list of them, so all kinds in it expire, appear and are restored in the
//! same way. Derived proposals may be derived again at any time, so an expired proposal is recognized by its id and a mark of
//! its evidence, and the code that derives proposals does not need to know about expiry. Playbooks also have a status that
//! records expiry. Proposed memory cleanups store their own age and expire by it.
//!
//! Not in this module: when proposals expire (`maintenance`), and how they are shown.

use std::collections::{BTreeMap, BTreeSet};

use keepsake_domain::{PlaybookDecisionId, PlaybookId, PlaybookStatus, ProposalKind, ReflectionId, ReflectionStatus, Timestamp};
use keepsake_store::{ProposalAgeRow, ReadTx, StoreError, WriteTx};

use crate::areas::Review;
use crate::derive::links::LinkStatus;
use crate::derive::topics::OWNER_PARTITION;
use crate::{EngineError, Result};

type StoreResult<T> = std::result::Result<T, StoreError>;

/// A proposal without an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The kind of proposal.
    pub kind: ProposalKind,
    /// Its id.
    pub id: String,
    /// A title that a person recognizes.
    pub title: String,
    /// Identifies its evidence. If the mark changes, this is a different proposal.
    mark: String,
    /// When it was made, if known.
    came: Option<Timestamp>,
}

/// An expired proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpiredProposal {
    /// The proposal itself.
    pub proposal: Proposal,
    /// When it expired.
    pub at: Timestamp,
}

impl Review<'_> {
    /// Every unanswered proposal, expired or not.
    fn open_proposals(&self, tx: &ReadTx<'_>) -> StoreResult<Vec<Proposal>> {
        let mut open = Vec::new();
        let marks: BTreeMap<String, String> =
            tx.people().link_suggestions()?.into_iter().map(|row| (row.id.to_string(), row.evidence_fingerprint)).collect();
        for link in self.engine.people().links_in(tx)?.into_iter().filter(|link| link.status == LinkStatus::Open) {
            open.push(Proposal {
                kind: ProposalKind::Link,
                mark: marks.get(link.id.as_str()).cloned().unwrap_or_default(),
                title: format!("{} and {}", link.a.display_name, link.b.display_name),
                id: link.id.to_string(),
                came: None,
            });
        }
        let topics: BTreeMap<_, String> = self
            .engine
            .privacy()
            .engine
            .topics()
            .own(tx)?
            .into_iter()
            .map(|topic| (topic.topic.id.clone(), topic.title().to_owned()))
            .collect();
        for row in tx.topics().proposals(OWNER_PARTITION)? {
            let Some(title) = topics.get(&row.topic) else { continue };
            let other = row.other.as_ref().and_then(|id| topics.get(id));
            open.push(Proposal {
                kind: ProposalKind::Topic,
                mark: String::new(),
                title: other.map_or_else(|| title.clone(), |other| format!("{title} and {other}")),
                id: row.id,
                came: None,
            });
        }
        for row in self.engine.playbooks().playbooks_in(tx)?.into_iter().filter(|row| row.status == PlaybookStatus::Candidate) {
            open.push(Proposal {
                kind: ProposalKind::Playbook,
                mark: String::new(),
                title: row.version.title,
                id: row.id.to_string(),
                came: Some(row.changed_at),
            });
        }
        for gap in tx.gaps().all()?.into_iter().filter(crate::derive::gaps::is_open) {
            open.push(Proposal {
                kind: ProposalKind::Gap,
                mark: gap.frequency.to_string(),
                title: gap.need,
                id: gap.id.to_string(),
                came: Some(gap.created_at),
            });
        }
        Ok(open)
    }

    /// Expires the proposals that have been open since `before` or longer. Returns their number.
    pub(crate) fn expire_old_proposals(&self, before: Timestamp) -> Result<u64> {
        let now = self.engine.now();
        Ok(self.engine.store().write(|tx| {
            let open = self.open_proposals(tx)?;
            let known: BTreeMap<(ProposalKind, String), ProposalAgeRow> =
                tx.memories().waits()?.into_iter().map(|row| ((row.kind, row.id.clone()), row)).collect();
            let mut parked = 0;
            for one in &open {
                let before_it = known.get(&(one.kind, one.id.clone()));
                let row = match before_it {
                    // Still expired, and nothing changed.
                    Some(row) if row.mark == one.mark && row.parked.is_some() && one.kind != ProposalKind::Playbook => continue,
                    Some(row) if row.mark == one.mark && row.parked.is_none() => {
                        ProposalAgeRow { since: one.came.map_or(row.since, |came| came.max(row.since)), ..row.clone() }
                    }
                    // There is new evidence for it, or a person restored it elsewhere.
                    Some(row) => ProposalAgeRow { mark: one.mark.clone(), since: now, parked: None, ..row.clone() },
                    None => ProposalAgeRow {
                        kind: one.kind,
                        id: one.id.clone(),
                        mark: one.mark.clone(),
                        since: one.came.unwrap_or(now),
                        parked: None,
                    },
                };
                let row = ProposalAgeRow { parked: (row.since <= before).then_some(now), ..row };
                if before_it != Some(&row) {
                    tx.memories().put_wait(&row)?;
                }
                if row.parked.is_some() {
                    parked += 1;
                    self.settle_playbook_of(tx, &row, PlaybookStatus::Parked)?;
                }
            }
            Ok(parked + tx.reflections().park(before, now)?)
        })?)
    }

    /// Deletes the ages of proposals that no longer exist. This happens only at the end of a run, because a rebuild starts
    /// with no proposals, and those it finds again must keep their age.
    pub(crate) fn forget_gone_proposal_ages(&self) -> Result<()> {
        Ok(self.engine.store().write(|tx| {
            let open = self.open_proposals(tx)?;
            let there: BTreeSet<(ProposalKind, &str)> = open.iter().map(|one| (one.kind, one.id.as_str())).collect();
            for row in tx.memories().waits()?.iter().filter(|row| !there.contains(&(row.kind, row.id.as_str()))) {
                // An expired playbook is not in the list of candidates, so its age must be kept explicitly.
                if row.kind != ProposalKind::Playbook || !is_parked_playbook(tx, &row.id)? {
                    tx.memories().drop_wait(row.kind, &row.id)?;
                }
            }
            Ok(())
        })?)
    }

    /// Expired proposals, most recent first.
    pub fn expired_proposals(&self) -> Result<Vec<ExpiredProposal>> {
        Ok(self.engine.store().read(|tx| {
            let mut waits: BTreeMap<(ProposalKind, String), ProposalAgeRow> = tx
                .memories()
                .waits()?
                .into_iter()
                .filter(|row| row.parked.is_some())
                .map(|row| ((row.kind, row.id.clone()), row))
                .collect();
            let mut parked = reflections_aside(tx)?;
            let mut open = Vec::new();
            if !waits.is_empty() {
                open = self.open_proposals(tx)?;
                open.retain(|one| one.kind != ProposalKind::Playbook);
                for row in
                    self.engine.playbooks().playbooks_in(tx)?.into_iter().filter(|row| row.status == PlaybookStatus::Parked)
                {
                    let (kind, title) = (ProposalKind::Playbook, row.version.title);
                    open.push(Proposal { kind, id: row.id.to_string(), title, mark: String::new(), came: None });
                }
            }
            let waited = open.into_iter().filter_map(|proposal| {
                let wait = waits.remove(&(proposal.kind, proposal.id.clone()))?;
                (wait.mark == proposal.mark).then_some(ExpiredProposal { at: wait.parked?, proposal })
            });
            parked.extend(waited);
            parked.sort_by(|a, b| (b.at, a.proposal.kind, &a.proposal.id).cmp(&(a.at, b.proposal.kind, &b.proposal.id)));
            Ok(parked)
        })?)
    }

    /// Restores expired proposals and restarts their age. Refused, with no change, if one of them has not expired.
    pub fn restore_proposals(&self, wanted: &[(ProposalKind, String)]) -> Result<()> {
        let now = self.engine.now();
        let missing = self.engine.store().write(|tx| {
            let mut waits = tx.memories().waits()?;
            waits.retain(|row| row.parked.is_some());
            let found = |(kind, id): &(ProposalKind, String)| waits.iter().find(|row| row.kind == *kind && row.id == *id);
            let aside: BTreeMap<String, ReflectionId> = tx
                .reflections()
                .all()?
                .into_iter()
                .filter(|row| row.status == ReflectionStatus::Parked && row.is_parked_by_age)
                .map(|row| (row.id.to_string(), row.id))
                .collect();
            let reflection =
                |(kind, id): &(ProposalKind, String)| (*kind == ProposalKind::Reflection).then(|| aside.get(id)).flatten();
            if let Some((_, id)) = wanted.iter().find(|one| found(one).is_none() && reflection(one).is_none()) {
                return Ok(Some(id.clone()));
            }
            for id in wanted.iter().filter_map(reflection) {
                tx.reflections().decide(id, ReflectionStatus::Open, now)?;
            }
            for row in wanted.iter().filter_map(found) {
                tx.memories().put_wait(&ProposalAgeRow { since: now, parked: None, ..row.clone() })?;
                self.settle_playbook_of(tx, row, PlaybookStatus::Candidate)?;
            }
            Ok(None)
        })?;
        match missing {
            None => Ok(()),
            Some(id) => Err(EngineError::Refused(format!("{id} is not an expired proposal; `keepsake expired` lists them"))),
        }
    }

    /// Changes the status of a playbook that expires or is restored, as a person's decision would.
    fn settle_playbook_of(&self, tx: &WriteTx<'_>, row: &ProposalAgeRow, to: PlaybookStatus) -> StoreResult<()> {
        let (ProposalKind::Playbook, Ok(id)) = (row.kind, row.id.parse::<PlaybookId>()) else { return Ok(()) };
        match tx.playbooks().playbook(&id) {
            Ok(playbook) if playbook.status != to => {
                tx.playbooks().decide(&id, to, &PlaybookDecisionId::fresh(self.engine.ids()), self.engine.now())
            }
            Ok(_) | Err(StoreError::NotFound { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// Proposed cleanups that have expired and are still valid.
fn reflections_aside(tx: &ReadTx<'_>) -> StoreResult<Vec<ExpiredProposal>> {
    let mut parked = Vec::new();
    for row in crate::review::reflection::shown(tx)? {
        let Some(first) = row.memories.get(row.keep.unwrap_or(0)) else { continue };
        if row.status != ReflectionStatus::Parked || !row.is_parked_by_age {
            continue;
        }
        let (kind, title) = (ProposalKind::Reflection, tx.memories().memory(first)?.content);
        let proposal = Proposal { kind, id: row.id.to_string(), title, mark: String::new(), came: None };
        parked.push(ExpiredProposal { proposal, at: row.changed });
    }
    Ok(parked)
}

fn is_parked_playbook(tx: &ReadTx<'_>, id: &str) -> StoreResult<bool> {
    let Ok(id) = id.parse::<PlaybookId>() else { return Ok(false) };
    match tx.playbooks().playbook(&id) {
        Ok(row) => Ok(row.status == PlaybookStatus::Parked),
        Err(StoreError::NotFound { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}
