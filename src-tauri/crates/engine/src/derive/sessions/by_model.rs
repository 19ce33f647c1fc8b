//! Sessions by the chosen language model: it reads the messages that the rules summarized, and its record replaces the rules'
//! record.
//!
//! A session belongs to one conversation, so a call contains nothing else, and the record carries that conversation's label.
//! The answer is stored as references to messages, separately from the records. Records that are deleted and recreated are
//! therefore the same, and the model is not asked twice. The rules' record stays until the model has answered, and also if
//! the model fails or nothing in its answer is accepted.
//!
//! Not in this module: the prompt, and which parts of an answer are accepted (`insight::session::model`).

use keepsake_domain::{JobId, JobKind, SessionId};
use keepsake_insight::session::model::{SESSION, SessionTask, Told};
use keepsake_insight::session::{ENGINE_VERSION, Item, SessionRecord, words_at};
use keepsake_store::{FoundSession, Lease, NewJob, SessionRecordRow, SessionReplyRow, SessionRow, StoreError};

use super::{Read, SessionRules, item_of};
use crate::areas::Sessions;
use crate::derive::readable_messages::insight_turns;
use crate::derive::tiers::entries_of;
use crate::derive::topics::is_readable;
use crate::language::passing;
use crate::queue::control::Control;
use crate::{EngineError, Result};

impl Sessions<'_> {
    /// Queues a job for the sessions that no model has read, if a model makes proposals.
    pub(crate) fn queue_for_model(&self) -> Result<()> {
        if self.engine.models().settings()?.proposing().is_none() {
            return Ok(());
        }
        if self.engine.store().read(|tx| tx.replies().sessions_unread_by_model(ENGINE_VERSION))?.is_empty() {
            return Ok(());
        }
        // One job is enough: it handles every session that is unread when it runs.
        let job = NewJob {
            id: JobId::fresh(self.engine.ids()),
            kind: JobKind::SessionsModel,
            idempotency_key: "sessions".to_owned(),
            payload: "{}".to_owned(),
        };
        self.engine.store().write(|tx| tx.jobs().enqueue(&job, self.engine.now()))?;
        self.engine.queue().look_for_work();
        Ok(())
    }

    /// Lets the chosen model summarize the sessions it has not read, latest first, and completes the job.
    pub(crate) fn perform_by_model(&self, lease: &Lease, control: &dyn Control) -> Result<()> {
        // If no model is chosen anymore, there is nothing to do.
        let is_chosen = self.engine.models().settings()?.proposing().is_some();
        let waiting = if is_chosen {
            self.engine.store().read(|tx| tx.replies().sessions_unread_by_model(ENGINE_VERSION))?
        } else {
            Vec::new()
        };
        let rules = self.rules()?;
        let (mut told, mut unusable) = (0_u64, None);
        for id in &waiting {
            if control.is_cancelled() {
                return Err(EngineError::Cancelled);
            }
            told += u64::from(passing(self.by_model(id, &rules, lease, control), &mut unusable)?);
        }
        if let Some(error) = unusable {
            return Err(error);
        }
        let result = serde_json::json!({ "asked": waiting.len(), "told": told }).to_string();
        Ok(self.engine.store().write(|tx| tx.jobs().complete(lease, &result, self.engine.now()))?)
    }

    /// Asks the model about one session. Returns whether its record is now in use.
    fn by_model(&self, id: &SessionId, rules: &SessionRules, lease: &Lease, control: &dyn Control) -> Result<bool> {
        let Some(read) = self.question_about(id, rules)? else { return Ok(false) };
        let (conversation, private) = self.engine.store().read(|tx| {
            Ok((tx.log().conversation(&read.row.conversation_id)?, tx.log().private_intervals(&read.row.conversation_id)?))
        })?;
        // The conversation was excluded after the messages were read, and perhaps included again.
        if conversation.is_private || read.own.iter().any(|row| private.iter().any(|interval| interval.contains(row.seq))) {
            return Ok(false);
        }
        let turns = insight_turns(&read.own);
        let (interview, scrubber) =
            self.engine.models().interview(self.engine.models().settings()?, &conversation, Some(&lease.job))?;
        let may_hold_goals = rules.holds_goals(&read.row.agent);
        let task = |length| SessionTask::new(&turns, &read.record, may_hold_goals, &scrubber, length);
        let proposer = interview.proposer(&SESSION.label());
        let record = match interview.drive_in_parts(task, "Summarizing sessions with the model", control)?.found {
            Told::Record(record) => Some(kept(&record)?),
            Told::Refused(_) => None,
        };
        let reply = SessionReplyRow {
            session: id.clone(),
            conversation_id: conversation.id.clone(),
            proposer,
            record,
            made_at: self.engine.now(),
        };
        let by_model = told(&reply, &read)?;
        let entries = by_model.as_ref().map(|(row, items)| entries_of(row, items));
        let found = FoundSession { by_rules: (read.row, read.items), by_model };
        let now = self.engine.now();
        Ok(self.engine.store().write(|tx| {
            tx.jobs().check_lease(lease)?;
            // If the session continued, or was excluded or erased during the call, the answer is out of date.
            if !is_readable(tx, read.own.iter())? || !tx.replies().put_session_reply(&reply, &found, now)? {
                return Ok(false);
            }
            if let Some(entries) = &entries {
                tx.tiers().distil_session(&found.standing().0.id, entries, now)?;
            }
            Ok(entries.is_some())
        })?)
    }

    /// The session with its current messages, if the rules' record is still current and covers the same messages.
    fn question_about(&self, id: &SessionId, rules: &SessionRules) -> Result<Option<Read>> {
        let end = self.engine.store().read(|tx| match tx.sessions().session(id) {
            Ok(row) if row.superseded.is_none() => tx.replies().session_end_read(&row.conversation_id),
            Ok(_) | Err(StoreError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        })?;
        let Some(end) = end else { return Ok(None) };
        let read = self.sessions_of(&end, rules)?.unwrap_or_default();
        Ok(read.into_iter().find(|read| read.row.id == *id))
    }

    /// The record of this session that a model made earlier.
    pub(super) fn told_before(&self, read: &Read) -> Result<Option<SessionRecordRow>> {
        match self.engine.store().read(|tx| tx.replies().session_reply(&read.row.id))? {
            Some(reply) => told(&reply, read),
            None => Ok(None),
        }
    }
}

/// A record in its stored form: references without words.
fn kept(record: &SessionRecord) -> Result<String> {
    let items = record.items.iter().map(|item| Item { text: String::new(), ..item.clone() }).collect();
    let record = SessionRecord { items, ..record.clone() };
    serde_json::to_string(&record).map_err(|error| EngineError::Stored { what: "record of a session", error })
}

/// Builds a model's record of a session from its stored answer and the messages.
fn told(reply: &SessionReplyRow, read: &Read) -> Result<Option<SessionRecordRow>> {
    let Some(json) = &reply.record else { return Ok(None) };
    let record: SessionRecord =
        serde_json::from_str(json).map_err(|error| EngineError::Stored { what: "record of a session", error })?;
    let items: Vec<_> = record
        .items
        .into_iter()
        .filter_map(|item| {
            let text = words_at(&read.own.get(item.place.turn)?.content, item.place.span)?;
            item_of(&Item { text, ..item }, &read.own)
        })
        .collect();
    let hash = blake3::hash(format!("{}|{}|{json}", reply.session, reply.proposer).as_bytes()).to_hex();
    let row = SessionRow {
        id: format!("{}{}", SessionId::PREFIX, &hash[..32]).parse().unwrap_or_else(|_| SessionId::from_uuid(uuid::Uuid::nil())),
        technical_depth: record.technical_depth.name().to_owned(),
        user_mood: record.user_mood,
        significance: record.significance,
        outcome: record.outcome.name().to_owned(),
        proposer: reply.proposer.clone(),
        supersedes: Some(read.row.id.clone()),
        ..read.row.clone()
    };
    Ok(Some((row, items)))
}
