//! Playbooks worded by the chosen language model: a title, when to use it, and what its steps are for.
//!
//! A call contains the steps of one candidate, which all of its sessions have in common, and no messages. The accepted part
//! of the answer is stored under a hash of what was sent, separately from playbooks. A playbook that is deleted and found
//! again therefore gets the same wording, and the model is not asked twice. A wording is a new version of a candidate. A
//! playbook that a person decided on keeps its wording: another one is applied only if it equals the wording that the
//! decision was about.
//!
//! Not in this module: the prompt, and which parts of an answer are accepted (`insight::playbook::model`).

use keepsake_domain::{JobId, JobKind, PlaybookId, PlaybookStatus, PlaybookVersionId, Timestamp};
use keepsake_insight::playbook::PLAYBOOK_ENGINE_VERSION;
use keepsake_insight::playbook::model::{PlaybookTask, Worded};
use keepsake_store::{
    Lease, ModelReplyRow, NewJob, PlaybookRow, PlaybookVersionRow, ReadTx, ReplyTask, StoreError, WriteTx, parse_json,
};

use super::{StoreResult, parameters_of, steps_of};
use crate::areas::Playbooks;
use crate::language::{Interview, ModelSettings, Provider, passing};
use crate::queue::control::Control;
use crate::{EngineError, Result};

/// Hash of the parts of a playbook that a model is shown.
fn matter(version: &PlaybookVersionRow) -> String {
    let shown = format!("{:?}", (&version.steps, &version.parameters, &version.tools));
    blake3::hash(shown.as_bytes()).to_hex()[..32].to_owned()
}

/// The version found by the rules, in a model's wording; `None` if nothing in the model's answer was accepted.
fn worded(by_rules: &PlaybookVersionRow, reply: &ModelReplyRow) -> StoreResult<Option<PlaybookVersionRow>> {
    let Some(json) = &reply.found else { return Ok(None) };
    let words: Worded = parse_json("wording of a playbook", json)?;
    let digest = &blake3::hash(format!("{}|{}|{json}", by_rules.id, reply.proposer).as_bytes()).to_hex()[..32];
    Ok(Some(PlaybookVersionRow {
        id: format!("{}{digest}", PlaybookVersionId::PREFIX)
            .parse()
            .unwrap_or_else(|_| PlaybookVersionId::from_uuid(uuid::Uuid::nil())),
        number: by_rules.number + 1,
        supersedes: Some(by_rules.id.clone()),
        title: words.title.unwrap_or_else(|| by_rules.title.clone()),
        description: words.when,
        purposes: words.purposes,
        proposer: reply.proposer.clone(),
        made_at: reply.made_at,
        ..by_rules.clone()
    }))
}

/// The version in a model's wording, if a model gave one and the wording may change.
fn wording_of(
    tx: &ReadTx<'_>,
    row: Option<&PlaybookRow>,
    by_rules: &PlaybookVersionRow,
) -> StoreResult<Option<PlaybookVersionRow>> {
    let Some(reply) = tx.replies().model_reply(ReplyTask::Playbook, &matter(by_rules))? else { return Ok(None) };
    let Some(told) = worded(by_rules, &reply)? else { return Ok(None) };
    let Some(decided) = row.and_then(|row| row.decided_version.as_ref()) else { return Ok(Some(told)) };
    match tx.playbooks().version(decided) {
        Ok(decided) => {
            let words =
                |version: &PlaybookVersionRow| (version.title.clone(), version.description.clone(), version.purposes.clone());
            Ok((words(&decided) == words(&told)).then_some(told))
        }
        Err(StoreError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Stores the version found by the rules and then, if there is one, the same version in a model's wording.
pub(super) fn put_found(
    tx: &WriteTx<'_>,
    id: &PlaybookId,
    row: Option<&PlaybookRow>,
    by_rules: &PlaybookVersionRow,
    has_model: bool,
    made: Timestamp,
) -> StoreResult<()> {
    let stands = |version: &PlaybookVersionRow| row.is_some_and(|row| row.version.id == version.id);
    let told = if has_model { wording_of(tx, row, by_rules)? } else { None };
    if stands(told.as_ref().unwrap_or(by_rules)) {
        return Ok(());
    }
    if !stands(by_rules) {
        tx.playbooks().put_version(id, by_rules, made)?;
    }
    // If this version was found before, it keeps its number.
    let kept = tx.playbooks().version(&by_rules.id)?;
    match if told.is_some() { wording_of(tx, row, &kept)? } else { None } {
        Some(told) => tx.playbooks().put_version(id, &told, made),
        None => Ok(()),
    }
}

/// Whether none of the messages that a version is based on is excluded from memory.
fn is_on_record(tx: &ReadTx<'_>, version: &PlaybookVersionRow) -> StoreResult<bool> {
    for one in &version.occurrences {
        if !tx.playbooks().are_messages_on_record(&one.messages)? {
            return Ok(false);
        }
    }
    let against: Vec<_> = version.against.iter().map(|one| one.message.clone()).collect();
    tx.playbooks().are_messages_on_record(&against)
}

/// Candidates that still have the rules' wording, are not based on anything excluded, and have not been shown to a model.
fn unworded(tx: &ReadTx<'_>) -> StoreResult<Vec<PlaybookRow>> {
    let mut found = Vec::new();
    for row in tx.playbooks().all()? {
        let is_plain = row.status == PlaybookStatus::Candidate && row.version.proposer == PLAYBOOK_ENGINE_VERSION;
        let is_asked = || Ok::<_, StoreError>(tx.replies().model_reply(ReplyTask::Playbook, &matter(&row.version))?.is_some());
        if is_plain && is_on_record(tx, &row.version)? && !is_asked()? {
            found.push(row);
        }
    }
    Ok(found)
}

impl Playbooks<'_> {
    /// Queues a job that lets the chosen model word new candidates, if a model makes proposals.
    pub(crate) fn queue_for_model(&self) -> Result<()> {
        if self.engine.models().settings()?.proposing().is_none() || self.engine.store().read(unworded)?.is_empty() {
            return Ok(());
        }
        // One job is enough: it handles every candidate without a wording when it runs.
        let job = NewJob {
            id: JobId::fresh(self.engine.ids()),
            kind: JobKind::PlaybooksModel,
            idempotency_key: "playbooks".to_owned(),
            payload: "{}".to_owned(),
        };
        self.engine.store().write(|tx| tx.jobs().enqueue(&job, self.engine.now()))?;
        self.engine.queue().look_for_work();
        Ok(())
    }

    /// Lets the chosen model word the candidates without a wording, and completes the job.
    pub(crate) fn perform_by_model(&self, lease: &Lease, control: &dyn Control) -> Result<()> {
        let settings = self.engine.models().settings()?;
        let (mut asked, mut told, mut unusable) = (0_u64, 0_u64, None);
        // If no model is chosen anymore, there is nothing to do.
        if let Some(provider) = settings.proposing() {
            for row in self.engine.store().read(unworded)? {
                if control.is_cancelled() {
                    return Err(EngineError::Cancelled);
                }
                asked += 1;
                told += u64::from(passing(self.word(&row, &settings, provider, lease, control), &mut unusable)?);
            }
        }
        if let Some(error) = unusable {
            return Err(error);
        }
        let result = serde_json::json!({ "asked": asked, "worded": told }).to_string();
        Ok(self.engine.store().write(|tx| tx.jobs().complete(lease, &result, self.engine.now()))?)
    }

    /// Asks the model about one candidate. Returns whether its wording is now in use.
    fn word(
        &self,
        asked: &PlaybookRow,
        settings: &ModelSettings,
        provider: &Provider,
        lease: &Lease,
        control: &dyn Control,
    ) -> Result<bool> {
        let (steps, parameters, scrubber) =
            (steps_of(&asked.version), parameters_of(&asked.version), self.engine.models().scrubber()?);
        let task = PlaybookTask::new(&steps, &parameters, &scrubber).map_err(|error| EngineError::Refused(error.to_string()))?;
        let sources = asked.version.sources();
        let interview =
            Interview::begin(self.engine, settings.clone(), provider, None, Some(lease.job.clone()))?.telling_of(sources.clone());
        let proposer = interview.proposer(&task.label());
        let words = interview.drive(task, "Describing playbooks with the model", control)?.found;
        let found = (!words.is_empty()).then(|| serde_json::to_string(&words)).transpose();
        let reply = ModelReplyRow {
            task: ReplyTask::Playbook,
            matter: matter(&asked.version),
            proposer,
            found: found.map_err(|error| EngineError::Stored { what: "wording of a playbook", error })?,
            sources,
            made_at: self.engine.now(),
        };
        Ok(self.engine.store().write(|tx| {
            tx.jobs().check_lease(lease)?;
            // If a session was excluded or erased during the call, the answer is out of date.
            if !is_on_record(tx, &asked.version)? {
                return Ok(false);
            }
            tx.replies().put_model_reply(&reply)?;
            let row = match tx.playbooks().playbook(&asked.id) {
                Ok(row) => row,
                Err(StoreError::NotFound { .. }) => return Ok(false),
                Err(error) => return Err(error),
            };
            // If the playbook was decided on or changed meanwhile, leave it as it is.
            let is_it = row.version.proposer == PLAYBOOK_ENGINE_VERSION && matter(&row.version) == reply.matter;
            if row.status != PlaybookStatus::Candidate || !is_it {
                return Ok(false);
            }
            match worded(&row.version, &reply)? {
                Some(version) => tx.playbooks().put_version(&asked.id, &version, self.engine.now()).map(|()| true),
                None => Ok(false),
            }
        })?)
    }
}
