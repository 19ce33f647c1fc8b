//! Playbooks (seed 000, phase 3). Keepsake searches for them every night and whenever tool sessions arrive, a person approves
//! or rejects them, and approved ones can be exported as skills.
//!
//! The result depends only on the sessions of the last two weeks, so searching the same sessions again changes nothing. A
//! person's decision stays: a rejected playbook returns only if it is found in as many new sessions as it had when it was
//! rejected. A candidate that is no longer found expires, and returns when it is found again.
//!
//! The rules write the first wording of a playbook. If a language model is chosen, it rewords the candidates afterwards, in its
//! own lane (`by_model`).
//!
//! Playbooks are for the owner. An agent gets only approved ones and, unless the owner is alone with it, only those found in
//! sessions that its audience may see (`audiences`).
//!
//! Not in this module: what counts as a playbook and how a skill is written (`insight::playbook`), and rows (`store`).

mod audiences;
mod by_model;
mod webhook;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use keepsake_domain::{
    ConversationId, DAY_MS, HOUR_MS, InteractionId, JobId, JobKind, PlaybookDecisionId, PlaybookId, PlaybookStatus,
    PlaybookVersionId, Timestamp,
};
use keepsake_insight::playbook::{
    Found, LOOKBACK_DAYS, Logged, OCCURRENCES_MIN, PLAYBOOK_ENGINE_VERSION, Parameter, Session, Step, discover, sessions, skill,
};
use keepsake_store::{
    Lease, NewJob, PlaybookAgainstRow, PlaybookOccurrenceRow, PlaybookParameterRow, PlaybookRow, PlaybookStepRow,
    PlaybookVersionRow, ReadTx, StoreError, ToolLineRow, WriteTx,
};

use crate::areas::Playbooks;
use crate::queue::control::Control;
use crate::serve::timeline::local_day;
use crate::{EngineError, Result};

/// Setting that stores what the last search covered.
pub(crate) const LOOKED_SETTING: &str = "playbooks_looked_through";

/// Local hour of the nightly search, when nobody is working and the previous day is complete.
const NIGHT_HOUR: i64 = 3;

/// How far back tool use is read, counted from the last entry of each source: the lookback days, one more day because age is
/// counted in whole days, and another so that a session that began before them is complete.
const READ_MS: i64 = (LOOKBACK_DAYS + 2) * DAY_MS;

type StoreResult<T> = std::result::Result<T, StoreError>;

impl Playbooks<'_> {
    /// Queues a search for playbooks if, since the last one, tools were used, something it depends on changed, or a night
    /// passed. Returns when to check again.
    pub fn queue(&self) -> Result<Option<Timestamp>> {
        let (mark, known, is_idle) = self.engine.store().read(|tx| {
            let (lines, _) = tx.playbooks().tool_lines_mark()?;
            Ok((self.mark(tx)?, tx.settings().setting(LOOKED_SETTING)?, lines == 0 && tx.playbooks().all()?.is_empty()))
        })?;
        if is_idle {
            return Ok(None);
        }
        if known.as_ref() != Some(&mark) {
            self.queue_job(&mark)?;
        }
        Ok(Some(self.next_night()))
    }

    /// Queues a search regardless of changes, at a person's request.
    pub fn queue_now(&self) -> Result<()> {
        self.queue_job("now")
    }

    /// Deletes all undecided playbooks and queues a search.
    pub fn rebuild(&self) -> Result<()> {
        self.engine.store().write(|tx| tx.playbooks().drop_undecided())?;
        self.queue_job("now")
    }

    fn queue_job(&self, key: &str) -> Result<()> {
        let job = NewJob {
            id: JobId::fresh(self.engine.ids()),
            kind: JobKind::Playbooks,
            idempotency_key: key.to_owned(),
            payload: "{}".to_owned(),
        };
        self.engine.store().write(|tx| tx.jobs().enqueue(&job, self.engine.now()))?;
        self.engine.queue().look_for_work();
        Ok(())
    }

    fn local_ms(&self, time: Timestamp) -> i64 {
        time.0 + i64::from(self.engine.utc_offset_minutes()) * 60_000
    }

    /// The number of the current night in local time, counted from 1970. A night begins at [`NIGHT_HOUR`].
    fn night(&self) -> i64 {
        (self.local_ms(self.engine.now()) - NIGHT_HOUR * HOUR_MS).div_euclid(DAY_MS)
    }

    fn next_night(&self) -> Timestamp {
        let next = (self.night() + 1) * DAY_MS + NIGHT_HOUR * HOUR_MS;
        Timestamp(next - i64::from(self.engine.utc_offset_minutes()) * 60_000)
    }

    /// A string that changes whenever a search could give a different result.
    fn mark(&self, tx: &ReadTx<'_>) -> StoreResult<String> {
        let (lines, last) = tx.playbooks().tool_lines_mark()?;
        let by_model = if self.engine.models().has_proposing(tx)? { " by a model" } else { "" };
        Ok(format!("{PLAYBOOK_ENGINE_VERSION} {lines} {last} {} {}{by_model}", tx.privacy().boundary_version()?, self.night()))
    }

    /// Searches the last two weeks of sessions of each source. Returns a mark that identifies what was searched, and the
    /// playbooks found.
    fn look_for(&self, control: &dyn Control) -> Result<(String, Vec<Found>)> {
        let scrubber = self.engine.models().scrubber()?;
        let now = self.engine.now();
        let (mark, lines, map) = self.engine.store().read(|tx| {
            let lines = tx.playbooks().tool_lines(now, READ_MS)?;
            Ok((self.mark(tx)?, lines, self.engine.access_map(tx)?))
        })?;
        control.progress("Looking for playbooks", 0, 0);
        let sessions = read_sessions(&lines);
        let mut found = discover(&sessions, now, &scrubber);
        // Also offer playbooks that can be derived from one audience's sessions alone.
        for visible in audiences::visible_sessions(&map, &self.engine.inner.policy, &sessions) {
            if control.is_cancelled() {
                return Err(EngineError::Cancelled);
            }
            let own = discover(visible, now, &scrubber);
            found.extend(own.into_iter().filter(|one| !found.iter().any(|known| known.key == one.key)).collect::<Vec<_>>());
        }
        Ok((mark, found))
    }

    /// Searches without the queue, for tests that check the result.
    #[cfg(test)]
    pub(crate) fn find_now(&self) -> Result<()> {
        let (_, found) = self.look_for(&crate::Unwatched)?;
        Ok(self.engine.store().write(|tx| self.settle_found(tx, &found, self.engine.now()).map(drop))?)
    }

    /// Searches for playbooks and completes the job with the result.
    pub(crate) fn perform(&self, lease: &Lease, control: &dyn Control) -> Result<()> {
        let (mark, found) = self.look_for(control)?;
        if control.is_cancelled() {
            return Err(EngineError::Cancelled);
        }
        let now = self.engine.now();
        let new = self.engine.store().write(|tx| {
            tx.jobs().check_lease(lease)?;
            let new = self.settle_found(tx, &found, now)?;
            tx.settings().put(LOOKED_SETTING, &mark, now)?;
            tx.jobs().complete(lease, &serde_json::json!({ "found": found.len(), "new": new }).to_string(), now)?;
            Ok(new)
        })?;
        tracing::info!(found = found.len(), new, "looked for playbooks");
        self.queue_notice()?;
        self.queue_for_model()?;
        // Sessions that arrived during the search get a job of their own.
        self.queue().map(drop)
    }

    /// Updates the store to match what was found. Returns how many more playbooks now need a decision.
    fn settle_found(&self, tx: &WriteTx<'_>, found: &[Found], now: Timestamp) -> StoreResult<u64> {
        let known: BTreeMap<PlaybookId, PlaybookRow> =
            tx.playbooks().all()?.into_iter().map(|row| (row.id.clone(), row)).collect();
        let has_model = self.engine.models().has_proposing(tx)?;
        let mut new = 0;
        let mut seen = BTreeSet::new();
        for one in found {
            let Some(id) = id_of(one) else { continue };
            // Skip a playbook based on a conversation that was excluded after it was read.
            let messages: Vec<InteractionId> = one.occurrences.iter().flat_map(|one| one.messages.iter().cloned()).collect();
            let against: Vec<InteractionId> = one.against.iter().map(|one| one.message.clone()).collect();
            if !tx.playbooks().are_messages_on_record(&messages)? || !tx.playbooks().are_messages_on_record(&against)? {
                continue;
            }
            seen.insert(id.clone());
            let row = known.get(&id);
            let version = version_of(one, row, now);
            let made = row.map_or_else(|| self.engine.maintenance().made_first(id.as_str()), |_| now);
            let returns = match row {
                None => false,
                Some(row) if row.is_parked_by_age => true,
                Some(row) => row.status == PlaybookStatus::Rejected && has_grown(tx, row, &version)?,
            };
            if returns {
                tx.playbooks().settle(&id, PlaybookStatus::Candidate, now)?;
            }
            // A playbook that returns needs a new decision, so the earlier one no longer applies.
            let row = row.cloned().map(|row| if returns { PlaybookRow { decided_version: None, ..row } } else { row });
            by_model::put_found(tx, &id, row.as_ref(), &version, has_model, made)?;
            new += u64::from(row.is_none() || returns);
        }
        for (id, row) in known {
            if row.status == PlaybookStatus::Candidate && !seen.contains(&id) {
                tx.playbooks().settle(&id, PlaybookStatus::Parked, now)?;
            }
        }
        Ok(new)
    }

    /// Every playbook for the owner, with the sessions that are not excluded. A playbook with too few
    /// sessions left is not shown.
    pub fn list(&self) -> Result<Vec<PlaybookRow>> {
        Ok(self.engine.store().read(|tx| self.playbooks_in(tx))?)
    }

    /// Like [`list`](Self::list), in the given snapshot.
    pub(crate) fn playbooks_in(&self, tx: &ReadTx<'_>) -> StoreResult<Vec<PlaybookRow>> {
        shown(tx)
    }

    /// Number of playbooks that need a decision.
    pub fn playbooks_waiting(&self) -> Result<u64> {
        // The window asks after every change, and usually there are no candidates.
        if !self.engine.store().read(|tx| tx.playbooks().has_candidates())? {
            return Ok(0);
        }
        Ok(self.list()?.iter().filter(|row| row.status == PlaybookStatus::Candidate).count() as u64)
    }

    /// One playbook, in the form that [`list`](Self::list) returns.
    pub fn playbook(&self, id: &PlaybookId) -> Result<PlaybookRow> {
        let found = self.list()?.into_iter().find(|row| row.id == *id);
        found.ok_or_else(|| EngineError::Refused(format!("there is no playbook {id}; `keepsake playbooks` lists them")))
    }

    /// Stores a person's decision on a playbook. It can be undone.
    pub fn decide(&self, id: &PlaybookId, to: PlaybookStatus) -> Result<PlaybookDecisionId> {
        self.decide_seen(id, to, None)
    }

    /// Like [`decide`](Self::decide), for the version that the person saw; refused if there is a newer version.
    pub fn decide_seen(&self, id: &PlaybookId, to: PlaybookStatus, seen: Option<u32>) -> Result<PlaybookDecisionId> {
        let row = self.playbook(id)?;
        if seen.is_some_and(|seen| seen != row.version.number) {
            return Err(EngineError::Refused(
                "this playbook has changed since you opened it; review the new version and decide again".to_owned(),
            ));
        }
        if row.status == to {
            return Err(EngineError::Refused(format!("this playbook is already {to}")));
        }
        row.status.may_become(to).map_err(|error| EngineError::Refused(error.to_string()))?;
        let decision = PlaybookDecisionId::fresh(self.engine.ids());
        self.engine.store().write(|tx| tx.playbooks().decide(id, to, &decision, self.engine.now()))?;
        Ok(decision)
    }

    /// Undoes a decision on a playbook.
    pub fn undo_decision(&self, decision: &PlaybookDecisionId) -> Result<PlaybookId> {
        Ok(self.engine.store().write(|tx| tx.playbooks().undo_decision(decision, self.engine.now()))?)
    }

    /// An approved playbook as a skill: its name and the text of the file.
    pub fn skill(&self, id: &PlaybookId) -> Result<(String, String)> {
        let row = self.playbook(id)?;
        if row.status != PlaybookStatus::Approved {
            return Err(EngineError::Refused(format!(
                "this playbook is {} and not approved; approve it with: keepsake playbooks approve {id}",
                row.status
            )));
        }
        let version = self.engine.store().read(|tx| approved(tx, &row))?.unwrap_or(row.version);
        let sources = self.engine.store().read(|tx| {
            let mut seen = Vec::new();
            for one in &version.occurrences {
                let conversation = tx.log().conversation(&one.conversation)?;
                let source = format!("{} {}", conversation.source_kind, conversation.source_conversation);
                seen.push((local_day(one.began), source));
            }
            Ok(seen)
        })?;
        let (steps, parameters) = (steps_of(&version), parameters_of(&version));
        let written = skill::Skill {
            id: row.id.as_str(),
            title: &version.title,
            description: version.description.as_deref(),
            steps: &steps,
            purposes: &version.purposes,
            parameters: &parameters,
            tools: &version.tools,
            confidence: version.confidence.name(),
            seen: &sources,
            against: version.against.len(),
        };
        Ok((skill::name(&version.title, row.id.as_str()), skill::markdown(&written)))
    }

    /// Writes an approved playbook as a skill into a folder of skills, as `DIR/<name>/SKILL.md`, because the folder of a skill
    /// has the skill's name. If `dir` already has that name, it is the skill's own folder. A different skill at that path is
    /// not overwritten.
    pub fn export(&self, id: &PlaybookId, dir: &Path) -> Result<PathBuf> {
        let (name, text) = self.skill(id)?;
        let own = dir.file_name().is_some_and(|last| last.to_string_lossy() == name);
        let folder = if own { dir.to_owned() } else { dir.join(&name) };
        let path = folder.join("SKILL.md");
        let io = |error| EngineError::Io { what: format!("cannot write {}", path.display()), error };
        match std::fs::read_to_string(&path) {
            Ok(there) if !there.contains(&format!("Playbook {id} of Keepsake.")) => {
                return Err(EngineError::Refused(format!(
                    "{} contains another skill; choose another folder, or move that skill away",
                    path.display()
                )));
            }
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(io(error)),
            _ => {}
        }
        std::fs::create_dir_all(&folder).map_err(io)?;
        std::fs::write(&path, text).map_err(io)?;
        Ok(path)
    }
}

/// The playbook id of a workflow, which is the same wherever and whenever the workflow is found.
fn id_of(found: &Found) -> Option<PlaybookId> {
    format!("{}{}", PlaybookId::PREFIX, found.key).parse().ok()
}

fn steps_of(version: &PlaybookVersionRow) -> Vec<Step> {
    let step = |step: &PlaybookStepRow| Step { name: step.name.clone(), tool: step.tool.clone(), text: step.text.clone() };
    version.steps.iter().map(step).collect()
}

fn parameters_of(version: &PlaybookVersionRow) -> Vec<Parameter> {
    let parameter =
        |one: &PlaybookParameterRow| Parameter { name: one.name.clone(), steps: one.steps.clone(), values: one.values };
    version.parameters.iter().map(parameter).collect()
}

/// The version the person saw when they decided, if a newer one has been found since and the old one still exists.
fn approved(tx: &ReadTx<'_>, row: &PlaybookRow) -> StoreResult<Option<PlaybookVersionRow>> {
    match &row.decided_version {
        Some(decided) if *decided != row.version.id => match tx.playbooks().version(decided) {
            Ok(version) => on_record(tx, version),
            Err(StoreError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        },
        _ => Ok(None),
    }
}

/// Every playbook with the evidence that is not excluded.
fn shown(tx: &ReadTx<'_>) -> StoreResult<Vec<PlaybookRow>> {
    let mut rows = Vec::new();
    for row in tx.playbooks().all()? {
        if let Some(version) = on_record(tx, row.version)? {
            rows.push(PlaybookRow { version, ..row });
        }
    }
    Ok(rows)
}

/// A version with the sessions that are not excluded; `None` if too few are left.
fn on_record(tx: &ReadTx<'_>, version: PlaybookVersionRow) -> StoreResult<Option<PlaybookVersionRow>> {
    let mut occurrences = Vec::new();
    for one in version.occurrences {
        if tx.playbooks().are_messages_on_record(&one.messages)? {
            occurrences.push(one);
        }
    }
    let mut against = Vec::new();
    for one in version.against {
        if tx.playbooks().are_messages_on_record(std::slice::from_ref(&one.message))? {
            against.push(one);
        }
    }
    Ok((occurrences.len() >= OCCURRENCES_MIN).then_some(PlaybookVersionRow { occurrences, against, ..version }))
}

/// Whether a rejected playbook is found in as many new sessions as it had when it was rejected, and in enough of them to be
/// found without the old ones. It is then treated as new and needs a new decision.
fn has_grown(tx: &ReadTx<'_>, row: &PlaybookRow, version: &PlaybookVersionRow) -> StoreResult<bool> {
    let judged = match row.decided_version.as_ref().map(|id| tx.playbooks().version(id)).transpose() {
        Ok(judged) => judged.map_or_else(Vec::new, |judged| judged.occurrences),
        Err(StoreError::NotFound { .. }) => Vec::new(),
        Err(error) => return Err(error),
    };
    let last = judged.iter().map(|one| one.ended).max();
    let new = version.occurrences.iter().filter(|one| last.is_none_or(|last| one.began > last)).count();
    Ok(new >= judged.len().max(OCCURRENCES_MIN))
}

/// Groups the tool use in the log into sessions.
fn read_sessions(lines: &[ToolLineRow]) -> Vec<Session> {
    lines
        .chunk_by(|a, b| a.conversation == b.conversation)
        .flat_map(|chunk| {
            let logged: Vec<Logged<'_>> = chunk
                .iter()
                .map(|line| Logged {
                    id: &line.id,
                    time: line.time,
                    message_type: line.message_type,
                    tool: line.tool.as_deref(),
                    text: &line.text,
                    use_id: line.use_id.as_deref(),
                    is_error: line.is_error,
                })
                .collect();
            let conversation: &ConversationId = &chunk[0].conversation;
            sessions(conversation, &chunk[0].source, &chunk[0].channel_id, &logged)
        })
        .collect()
}

/// Converts a found playbook to the version that follows the current version of `row`.
fn version_of(found: &Found, row: Option<&PlaybookRow>, now: Timestamp) -> PlaybookVersionRow {
    let mut version = PlaybookVersionRow {
        id: PlaybookVersionId::from_uuid(uuid::Uuid::nil()),
        number: row.map_or(1, |row| row.version.number + 1),
        supersedes: row.map(|row| row.version.id.clone()),
        title: found.title.clone(),
        description: None,
        steps: found
            .steps
            .iter()
            .map(|step| PlaybookStepRow { name: step.name.clone(), tool: step.tool.clone(), text: step.text.clone() })
            .collect(),
        parameters: found
            .parameters
            .iter()
            .map(|one| PlaybookParameterRow { name: one.name.clone(), steps: one.steps.clone(), values: one.values })
            .collect(),
        purposes: Vec::new(),
        tools: found.tools.clone(),
        confidence: found.confidence,
        proposer: PLAYBOOK_ENGINE_VERSION.to_owned(),
        made_at: now,
        occurrences: found
            .occurrences
            .iter()
            .map(|one| PlaybookOccurrenceRow {
                conversation: one.conversation.clone(),
                began: one.began,
                ended: one.ended,
                messages: one.messages.clone(),
            })
            .collect(),
        against: found
            .against
            .iter()
            .map(|one| PlaybookAgainstRow {
                conversation: one.conversation.clone(),
                message: one.message.clone(),
                time: one.time,
                why: one.why.name().to_owned(),
            })
            .collect(),
    };
    let content = format!(
        "{:?}",
        (
            &found.key,
            &version.title,
            &version.steps,
            &version.parameters,
            version.confidence.name(),
            &version.proposer,
            &version.occurrences,
            &version.against
        )
    );
    let digest = &blake3::hash(content.as_bytes()).to_hex()[..32];
    if let Ok(id) = format!("{}{digest}", PlaybookVersionId::PREFIX).parse() {
        version.id = id;
    }
    version
}
