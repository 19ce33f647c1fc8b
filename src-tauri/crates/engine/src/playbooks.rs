//! Playbooks (seed 000, phase 3): looked for after sessions with tools arrive and every night, decided about by a person, exported as
//! skills.
//!
//! What is found follows from the sessions of the last two weeks alone, so a look over the same ones changes nothing. What a person
//! decided stays: a rejected playbook returns only where it is shown by as many new sessions as it was rejected with. A candidate that is
//! not seen any more is parked, and returns when it is.
//!
//! The rules write first. Where a language model is chosen it words the candidates afterwards, in its own lane (`by_model`).
//!
//! Playbooks are for the owner's own eyes; an agent gets approved ones alone, and elsewhere than with the owner alone only what the
//! sessions show that may be seen there (`circles`).
//!
//! Deliberately not here: what counts as a way of working and how a skill is written (`insight::playbook`), rows (`store`).

mod by_model;
mod circles;
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

use crate::timeline::local_day;
use crate::work::Control;
use crate::{Engine, EngineError, Result};

/// The setting that says what the last look was over.
pub(crate) const LOOKED_SETTING: &str = "playbooks_looked_through";

/// Local hour of the nightly look: nobody is at work, and the day before is whole.
const NIGHT_HOUR: i64 = 3;

/// How far back from a source's last line what tools did is read: the days that count and the one that age in whole days adds, and one
/// more, so that a session that began before them is whole.
const READ_MS: i64 = (LOOKBACK_DAYS + 2) * DAY_MS;

type StoreResult<T> = std::result::Result<T, StoreError>;

impl Engine {
    /// Queues a look for playbooks if tools were used since, something changed that it rests on, or a night passed; when to ask again.
    pub fn queue_playbooks(&self) -> Result<Option<Timestamp>> {
        let (mark, known, is_idle) = self.store().read(|tx| {
            let (lines, _) = tx.tool_lines_mark()?;
            Ok((self.playbooks_mark(tx)?, tx.setting(LOOKED_SETTING)?, lines == 0 && tx.playbooks()?.is_empty()))
        })?;
        if is_idle {
            return Ok(None);
        }
        if known.as_ref() != Some(&mark) {
            self.queue_playbooks_job(&mark)?;
        }
        Ok(Some(self.next_night()))
    }

    /// Queues a look whatever changed, as a person may ask.
    pub fn queue_playbooks_now(&self) -> Result<()> {
        self.queue_playbooks_job("now")
    }

    /// Deletes what nobody decided about, and queues a look.
    pub fn rebuild_playbooks(&self) -> Result<()> {
        self.store().write(|tx| tx.drop_undecided_playbooks())?;
        self.queue_playbooks_job("now")
    }

    fn queue_playbooks_job(&self, key: &str) -> Result<()> {
        let job = NewJob {
            id: JobId::fresh(self.ids()),
            kind: JobKind::Playbooks,
            idempotency_key: key.to_owned(),
            payload: "{}".to_owned(),
        };
        self.store().write(|tx| tx.enqueue(&job, self.now()))?;
        self.look_for_work();
        Ok(())
    }

    fn local_ms(&self, time: Timestamp) -> i64 {
        time.0 + i64::from(self.utc_offset_minutes()) * 60_000
    }

    /// The night that a moment belongs to: it begins at [`NIGHT_HOUR`].
    fn night(&self) -> i64 {
        (self.local_ms(self.now()) - NIGHT_HOUR * HOUR_MS).div_euclid(DAY_MS)
    }

    fn next_night(&self) -> Timestamp {
        let next = (self.night() + 1) * DAY_MS + NIGHT_HOUR * HOUR_MS;
        Timestamp(next - i64::from(self.utc_offset_minutes()) * 60_000)
    }

    /// A text that changes whenever a look could bring something else.
    fn playbooks_mark(&self, tx: &ReadTx<'_>) -> StoreResult<String> {
        let (lines, last) = tx.tool_lines_mark()?;
        let by_model = if self.has_proposing_model(tx)? { " by a model" } else { "" };
        Ok(format!("{PLAYBOOK_ENGINE_VERSION} {lines} {last} {} {}{by_model}", tx.boundary_version()?, self.night()))
    }

    /// What the sessions of the last two weeks of each source show, and the mark of what was looked through.
    fn look_for_playbooks(&self, control: &dyn Control) -> Result<(String, Vec<Found>)> {
        let scrubber = self.scrubber()?;
        let now = self.now();
        let (mark, lines, map) = self.store().read(|tx| {
            let lines = tx.tool_lines(now, READ_MS)?;
            Ok((self.playbooks_mark(tx)?, lines, self.map(tx)?))
        })?;
        control.progress("Looking for ways of working", 0, 0);
        let sessions = read_sessions(&lines);
        let mut found = discover(&sessions, now, &scrubber);
        // What one circle's sessions show by themselves is offered too, whatever the others say.
        for circle in circles::circles(&map, &self.inner.law, &sessions) {
            if control.is_cancelled() {
                return Err(EngineError::Cancelled);
            }
            let own = discover(circle, now, &scrubber);
            found.extend(own.into_iter().filter(|one| !found.iter().any(|known| known.key == one.key)).collect::<Vec<_>>());
        }
        Ok((mark, found))
    }

    /// Looks right here, for tests of what is found.
    #[cfg(test)]
    pub(crate) fn find_playbooks_now(&self) -> Result<()> {
        let (_, found) = self.look_for_playbooks(&crate::Unwatched)?;
        Ok(self.store().write(|tx| self.settle_found(tx, &found, self.now()).map(drop))?)
    }

    /// Looks for playbooks, and completes the job with it.
    pub(crate) fn perform_playbooks(&self, lease: &Lease, control: &dyn Control) -> Result<()> {
        let (mark, found) = self.look_for_playbooks(control)?;
        if control.is_cancelled() {
            return Err(EngineError::Cancelled);
        }
        let now = self.now();
        let new = self.store().write(|tx| {
            tx.check_lease(lease)?;
            let new = self.settle_found(tx, &found, now)?;
            tx.put_setting(LOOKED_SETTING, &mark, now)?;
            tx.complete(lease, &serde_json::json!({ "found": found.len(), "new": new }).to_string(), now)?;
            Ok(new)
        })?;
        tracing::info!(found = found.len(), new, "looked for playbooks");
        self.queue_playbook_notice()?;
        self.queue_playbooks_for_model()?;
        // What came while it was read has its own job.
        self.queue_playbooks().map(drop)
    }

    /// Brings what is stored in line with what was found; how many wait for a person that did not before.
    fn settle_found(&self, tx: &WriteTx<'_>, found: &[Found], now: Timestamp) -> StoreResult<u64> {
        let known: BTreeMap<PlaybookId, PlaybookRow> = tx.playbooks()?.into_iter().map(|row| (row.id.clone(), row)).collect();
        let has_model = self.has_proposing_model(tx)?;
        let mut new = 0;
        let mut seen = BTreeSet::new();
        for one in found {
            let Some(id) = id_of(one) else { continue };
            // What went off the record since it was read is not written.
            let messages: Vec<InteractionId> = one.occurrences.iter().flat_map(|one| one.messages.iter().cloned()).collect();
            let against: Vec<InteractionId> = one.against.iter().map(|one| one.message.clone()).collect();
            if !tx.are_messages_on_record(&messages)? || !tx.are_messages_on_record(&against)? {
                continue;
            }
            seen.insert(id.clone());
            let row = known.get(&id);
            let version = version_of(one, row, now);
            let made = row.map_or_else(|| self.made_first(id.as_str()), |_| now);
            let returns = match row {
                None => false,
                Some(row) if row.is_parked_by_age => true,
                Some(row) => row.status == PlaybookStatus::Rejected && has_grown(tx, row, &version)?,
            };
            if returns {
                tx.settle_playbook(&id, PlaybookStatus::Candidate, now)?;
            }
            // What was decided about does not bind one that waits anew.
            let row = row.cloned().map(|row| if returns { PlaybookRow { decided_version: None, ..row } } else { row });
            by_model::put_found(tx, &id, row.as_ref(), &version, has_model, made)?;
            new += u64::from(row.is_none() || returns);
        }
        for (id, row) in known {
            if row.status == PlaybookStatus::Candidate && !seen.contains(&id) {
                tx.settle_playbook(&id, PlaybookStatus::Parked, now)?;
            }
        }
        Ok(new)
    }

    /// Every playbook for the owner's own eyes, with what of its sessions is on the record; one that too few are left of is not shown.
    pub fn playbooks(&self) -> Result<Vec<PlaybookRow>> {
        Ok(self.store().read(|tx| self.playbooks_in(tx))?)
    }

    /// As [`playbooks`](Self::playbooks), in a snapshot.
    pub(crate) fn playbooks_in(&self, tx: &ReadTx<'_>) -> StoreResult<Vec<PlaybookRow>> {
        shown(tx)
    }

    /// How many wait for a person.
    pub fn playbooks_waiting(&self) -> Result<u64> {
        // The frame asks after every change, and mostly there is none.
        if !self.store().read(|tx| tx.has_playbook_candidates())? {
            return Ok(0);
        }
        Ok(self.playbooks()?.iter().filter(|row| row.status == PlaybookStatus::Candidate).count() as u64)
    }

    /// One playbook, as [`playbooks`](Self::playbooks) shows it.
    pub fn playbook(&self, id: &PlaybookId) -> Result<PlaybookRow> {
        let found = self.playbooks()?.into_iter().find(|row| row.id == *id);
        found.ok_or_else(|| EngineError::Refused(format!("there is no playbook {id}; `keepsake playbooks` lists them")))
    }

    /// A person decides where a playbook stands; the decision can be taken back.
    pub fn decide_playbook(&self, id: &PlaybookId, to: PlaybookStatus) -> Result<PlaybookDecisionId> {
        self.decide_seen_playbook(id, to, None)
    }

    /// As [`decide_playbook`](Self::decide_playbook), about the version that the person saw: refused where another one stands by now.
    pub fn decide_seen_playbook(&self, id: &PlaybookId, to: PlaybookStatus, seen: Option<u32>) -> Result<PlaybookDecisionId> {
        let row = self.playbook(id)?;
        if seen.is_some_and(|seen| seen != row.version.number) {
            return Err(EngineError::Refused(
                "this playbook was found or worded anew since you looked at it; look at it again and decide then".to_owned(),
            ));
        }
        if row.status == to {
            return Err(EngineError::Refused(format!("this playbook is {to} already")));
        }
        row.status.may_become(to).map_err(|error| EngineError::Refused(error.to_string()))?;
        let decision = PlaybookDecisionId::fresh(self.ids());
        self.store().write(|tx| tx.decide_playbook(id, to, &decision, self.now()))?;
        Ok(decision)
    }

    /// Takes a decision about a playbook back.
    pub fn undo_playbook_decision(&self, decision: &PlaybookDecisionId) -> Result<PlaybookId> {
        Ok(self.store().write(|tx| tx.undo_playbook_decision(decision, self.now()))?)
    }

    /// An approved playbook as the text of a skill: its name and the file.
    pub fn playbook_skill(&self, id: &PlaybookId) -> Result<(String, String)> {
        let row = self.playbook(id)?;
        if row.status != PlaybookStatus::Approved {
            return Err(EngineError::Refused(format!(
                "this playbook is {} and not approved; approve it with: keepsake playbooks approve {id}",
                row.status
            )));
        }
        let version = self.store().read(|tx| approved(tx, &row))?.unwrap_or(row.version);
        let sources = self.store().read(|tx| {
            let mut seen = Vec::new();
            for one in &version.occurrences {
                let conversation = tx.conversation(&one.conversation)?;
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

    /// Writes an approved playbook as a skill into a folder of skills: `DIR/<name>/SKILL.md`, since a skill's folder bears its name. A
    /// folder that bears it already is the skill's own. A skill of somebody else is not overwritten.
    pub fn export_playbook(&self, id: &PlaybookId, dir: &Path) -> Result<PathBuf> {
        let (name, text) = self.playbook_skill(id)?;
        let own = dir.file_name().is_some_and(|last| last.to_string_lossy() == name);
        let folder = if own { dir.to_owned() } else { dir.join(&name) };
        let path = folder.join("SKILL.md");
        let io = |error| EngineError::Io { what: format!("cannot write {}", path.display()), error };
        match std::fs::read_to_string(&path) {
            Ok(there) if !there.contains(&format!("Playbook {id} of Keepsake.")) => {
                return Err(EngineError::Refused(format!(
                    "{} holds another skill; choose another folder or move it away",
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

/// The playbook that a way of working is, wherever and whenever it is found.
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

/// What the person saw when they decided, where something else was found since and that is still there.
fn approved(tx: &ReadTx<'_>, row: &PlaybookRow) -> StoreResult<Option<PlaybookVersionRow>> {
    match &row.decided_version {
        Some(decided) if *decided != row.version.id => match tx.playbook_version(decided) {
            Ok(version) => on_record(tx, version),
            Err(StoreError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        },
        _ => Ok(None),
    }
}

/// Every playbook with what of its evidence is on the record.
fn shown(tx: &ReadTx<'_>) -> StoreResult<Vec<PlaybookRow>> {
    let mut rows = Vec::new();
    for row in tx.playbooks()? {
        if let Some(version) = on_record(tx, row.version)? {
            rows.push(PlaybookRow { version, ..row });
        }
    }
    Ok(rows)
}

/// A version with the sessions that are on the record; nothing where too few are left.
fn on_record(tx: &ReadTx<'_>, version: PlaybookVersionRow) -> StoreResult<Option<PlaybookVersionRow>> {
    let mut occurrences = Vec::new();
    for one in version.occurrences {
        if tx.are_messages_on_record(&one.messages)? {
            occurrences.push(one);
        }
    }
    let mut against = Vec::new();
    for one in version.against {
        if tx.are_messages_on_record(std::slice::from_ref(&one.message))? {
            against.push(one);
        }
    }
    Ok((occurrences.len() >= OCCURRENCES_MIN).then_some(PlaybookVersionRow { occurrences, against, ..version }))
}

/// Whether a rejected playbook is shown by as many new sessions as there were when it was rejected, and by enough to be found from them
/// alone: then it is another matter than the one that was judged.
fn has_grown(tx: &ReadTx<'_>, row: &PlaybookRow, version: &PlaybookVersionRow) -> StoreResult<bool> {
    let judged = match row.decided_version.as_ref().map(|id| tx.playbook_version(id)).transpose() {
        Ok(judged) => judged.map_or_else(Vec::new, |judged| judged.occurrences),
        Err(StoreError::NotFound { .. }) => Vec::new(),
        Err(error) => return Err(error),
    };
    let last = judged.iter().map(|one| one.ended).max();
    let new = version.occurrences.iter().filter(|one| last.is_none_or(|last| one.began > last)).count();
    Ok(new >= judged.len().max(OCCURRENCES_MIN))
}

/// The sessions of what the log holds of tools.
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

/// What was found as a version that follows on `row`'s.
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
