//! Keeps the status of each conversation up to date: whether it is still active, its tone, the promises made in it, and a
//! summary once it is no longer active.
//!
//! One job examines conversations with new messages, and those that may have ended because time has passed. Each judgment
//! states the earliest time at which it can change, and the capture lane sleeps until then, so nothing is polled. An excluded
//! conversation is not examined, and messages that arrived during an exclusion are not read later. Everything is derived only
//! from a conversation's own messages, so it carries that conversation's label.
//!
//! The rules judge a conversation first. If a language model is chosen, it is asked as soon as the conversation is no longer
//! clearly active (`by_model`). The name of the judge is stored with the judgment.
//!
//! Not in this module: the judgment (`insight::conversation`), and where a summary may be served (`boundary`).

use std::collections::BTreeSet;

use keepsake_domain::{ConversationId, ConversationStatus, EntityId, InteractionId, JobId, JobKind, Timestamp};
use keepsake_insight::conversation::{
    Debtor, ENGINE_VERSION, Moment, Place, Reason, Recap, Standing, ToneProfile, recap, standing,
};
use keepsake_insight::{AnalysisInput, SummarySentence, is_long_enough};
use keepsake_store::{
    ConversationStatusRow, InteractionRow, Lease, NewConversationStatus, NewJob, ReadTx, StoreError, SummaryRow, WriteTx,
    parse_json,
};
use serde::{Deserialize, Serialize};

use crate::areas::Conversations;
use crate::content_ids::summary_id;
use crate::derive::commitments::{StoredCommitment, StoredParty, StoredPlace, commitments_of};
use crate::derive::ended::Pass;
use crate::derive::readable_messages::insight_turns;
use crate::derive::readable_messages::messages_on_record;
use crate::queue::control::Control;
use crate::review::retractions::TakenBack;
use crate::serve::masked::{masked_of, masked_part};
use crate::{EngineError, Result};

mod by_model;
mod promises;

use promises::Promise;

/// Number of judgments written in one transaction: each transaction is a durable write, and an import may add thousands of
/// conversations.
const BATCH: usize = 32;

/// Minimum delay in milliseconds before a conversation is judged again, even if the judgment may change sooner.
const LOOK_AGAIN_MS_MIN: i64 = 60_000;

/// One reason for a status, as stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredReason {
    /// `empty`, `within_rhythm`, `beyond_rhythm`, `long_silence`, `farewell`, `settled`, `open_question`, `pending_promise`.
    pub kind: String,
    /// How long nobody has written, in milliseconds; inactive hours are not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silence_ms: Option<i64>,
    /// The longest usual silence in this conversation, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usual_ms: Option<i64>,
    /// The silence after which the conversation is considered ended, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_ms: Option<i64>,
    /// The line that the reason refers to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<StoredPlace>,
}

/// The status of a conversation, as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredConversationStatus {
    /// Whether the conversation is active, idle or has ended.
    pub status: ConversationStatus,
    /// The reasons for the status.
    pub reasons: Vec<StoredReason>,
    /// Who judged: the rules, or a model with its prompt.
    pub judge: Option<String>,
    /// The tone.
    pub tone: Option<ToneProfile>,
    /// The promises in order, including settled ones.
    pub commitments: Vec<StoredCommitment>,
    /// The current summary.
    pub summary: Option<SummaryRow>,
}

impl Conversations<'_> {
    /// The status of a conversation; `None` if it is excluded.
    pub fn status_of(
        &self,
        tx: &ReadTx<'_>,
        id: &ConversationId,
    ) -> std::result::Result<Option<StoredConversationStatus>, StoreError> {
        let Some(row) = tx.conversation_status().standing(id)? else { return Ok(None) };
        let taken = TakenBack::read(tx, None)?;
        let summary = match tx.conversation_status().latest_summary(id, None)? {
            Some(summary) => Some(SummaryRow { text: taken.summary_left(id, &summary.text), ..summary }),
            None => None,
        };
        Ok(Some(StoredConversationStatus {
            status: row.status,
            reasons: row.reasons.as_deref().map_or_else(|| Ok(Vec::new()), |json| parse_json("reasons of a status", json))?,
            judge: row.judge,
            tone: row.tone.as_deref().map(|json| parse_json("tone of a conversation", json)).transpose()?,
            commitments: commitments_of(tx, id)?,
            summary: summary.filter(|summary| !summary.text.is_empty()),
        }))
    }

    /// The promises by and to a person, each with its conversation: open ones first, then newest first.
    pub fn commitments_with(&self, person: &EntityId) -> Result<Vec<(ConversationId, StoredCommitment)>> {
        Ok(self.engine.store().read(|tx| {
            let persons = tx.people().persons()?;
            let person = persons.of(person);
            let handles = tx.people().handles()?;
            let is_theirs = |party: &StoredParty| match &party.handle_id {
                _ if party.is_owner => persons.is_owner(&person),
                Some(id) => handles.iter().any(|row| row.id.as_str() == id && persons.of(&row.entity_id) == person),
                None => false,
            };
            let mut found = Vec::new();
            for id in tx.conversation_status().conversations_with_promises()? {
                for commitment in commitments_of(tx, &id)? {
                    if is_theirs(&commitment.debtor) || commitment.creditor.as_ref().is_some_and(&is_theirs) {
                        let time = tx.log().interaction(&commitment.place.interaction_id)?.map(|row| row.time);
                        found.push((id.clone(), time, commitment));
                    }
                }
            }
            found.sort_by(|a, b| b.2.is_open().cmp(&a.2.is_open()).then(b.1.cmp(&a.1)));
            Ok(found.into_iter().map(|(id, _, commitment)| (id, commitment)).collect())
        })?)
    }

    /// Queues a job for the conversations that are due. If none is due now, returns when the next one is.
    pub fn queue_settling(&self) -> Result<Option<Timestamp>> {
        let now = self.engine.now();
        match self.engine.store().read(|tx| tx.conversation_status().next_settling())? {
            Some(due) if due <= now => {}
            later => return Ok(later),
        }
        let job = NewJob {
            id: JobId::fresh(self.engine.ids()),
            kind: JobKind::SettleConversations,
            // One job is enough: it handles everything due when it runs, and for anything due later the lane checks again.
            idempotency_key: "all".to_owned(),
            payload: "{}".to_owned(),
        };
        self.engine.store().write(|tx| tx.jobs().enqueue(&job, now))?;
        self.engine.inner.wake.all();
        Ok(None)
    }

    /// Judges every conversation that is due.
    pub(crate) fn settle(&self, lease: &Lease, control: &dyn Control) -> Result<()> {
        let due = self.engine.store().read(|tx| tx.conversation_status().conversations_to_settle(self.engine.now()))?;
        let pass = self.pass()?;
        let total = due.len() as u64;
        let mut done = 0;
        for batch in due.chunks(BATCH) {
            control.progress("Updating the status of conversations", done, total);
            if control.is_cancelled() {
                return Err(EngineError::Cancelled);
            }
            let judged = batch.iter().map(|id| self.judged(id, pass, control)).collect::<Result<Vec<_>>>()?;
            let now = self.engine.now();
            self.engine.store().write(|tx| {
                tx.jobs().check_lease(lease)?;
                judged.iter().flatten().try_for_each(|judged| self.store_judged(tx, judged, now))
            })?;
            done += batch.len() as u64;
        }
        let result = serde_json::json!({ "conversations": total }).to_string();
        self.engine.store().write(|tx| tx.jobs().complete(lease, &result, self.engine.now()))?;
        self.engine.sessions().queue()?;
        // Analyses and model calls may have been queued.
        self.engine.queue().look_for_work();
        Ok(())
    }

    /// Judges one conversation; `None` if it was erased or excluded meanwhile.
    fn judged(&self, id: &ConversationId, pass: Pass, control: &dyn Control) -> Result<Option<Judged>> {
        let read = self.engine.store().read(|tx| {
            if tx.log().conversation(id)?.is_private {
                return Ok(None);
            }
            let rows = messages_on_record(tx, id)?;
            Ok(Some((
                rows,
                tx.log().last_seq(id)?,
                tx.conversation_status().latest_summary(id, None)?,
                tx.conversation_status().standing(id)?,
            )))
        });
        let (rows, through_seq, before, known) = match read {
            Ok(Some(read)) => read,
            Ok(None) | Err(StoreError::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let moment = Moment { now: self.engine.now(), utc_offset_minutes: self.engine.utc_offset_minutes() };
        let turns = insight_turns(&rows);
        let promises = self.promises(id, &rows, &turns, known.as_ref(), moment, control)?;
        let found = standing(&turns, promises.iter().map(|promise| promise.commitment.clone()).collect(), moment);
        // While people are still talking, the next line would make a summary out of date.
        let is_due = found.judgement.status != ConversationStatus::Active
            && is_long_enough(&turns)
            && rows.last().is_some_and(|last| before.as_ref().is_none_or(|before| before.last != last.id));
        let owner = rows.iter().find(|row| row.role == keepsake_domain::Role::Owner).map(|row| row.author.as_str());
        let summary = is_due
            .then(|| recap(&AnalysisInput { turns: &turns, owner_name: owner, vectors: None }).ok())
            .flatten()
            .and_then(|recap| summary_of(&recap, &rows));
        let standing = stored(&found, &promises, &rows, through_seq)?;
        let due = next_look(&found, moment.now);
        let is_by_model = known.as_ref().is_some_and(|known| known.judge.as_deref().is_some_and(|judge| judge != ENGINE_VERSION));
        let is_known = known.as_ref().is_some_and(|known| known.through_seq == through_seq);
        // If a model has judged these same messages, its judgment stays until the model gives another one; the model is asked
        // again because time has passed. A conversation that has been silent for a very long time has ended in any case, so no
        // model is asked about an old import.
        let may_ask = pass.has_model && found.judgement.is_in_doubt();
        let is_kept = may_ask && is_by_model && is_known;
        let is_moved = !is_known || known.as_ref().is_none_or(|known| known.status != standing.status || known.judge.is_none());
        let asks_model = may_ask && (is_kept || is_moved);
        // If a model is asked whether the conversation has ended, the analysis waits for its answer.
        let analysis = match is_moved && !asks_model {
            true => self.analysis_of_ended(id, &rows, standing.status, pass)?,
            false => None,
        };
        let new = NewConversationStatus { standing, due };
        Ok(Some(Judged { id: id.clone(), new, summary, is_kept, asks_model, analysis }))
    }

    /// Judges without the queue, for tests that check the result.
    #[cfg(test)]
    pub(crate) fn settle_now(&self) -> Result<()> {
        let due = self.engine.store().read(|tx| tx.conversation_status().conversations_to_settle(self.engine.now()))?;
        let pass = Pass { has_model: false, analysed_since: None };
        let judged = due.iter().map(|id| self.judged(id, pass, &crate::queue::control::Unwatched)).collect::<Result<Vec<_>>>()?;
        let now = self.engine.now();
        Ok(self.engine.store().write(|tx| judged.iter().flatten().try_for_each(|judged| self.store_judged(tx, judged, now)))?)
    }

    fn store_judged(&self, tx: &WriteTx<'_>, judged: &Judged, now: Timestamp) -> std::result::Result<(), StoreError> {
        if judged.asks_model {
            tx.jobs().enqueue(&self.engine.queue().conversation_job(JobKind::SettleModel, &judged.id), now)?;
        }
        if judged.is_kept {
            return tx.conversation_status().put_settle_due(&judged.id, judged.new.due);
        }
        // If it was excluded or erased meanwhile, nothing is written.
        if !tx.conversation_status().put(&judged.id, &judged.new, now)? {
            return Ok(());
        }
        if let Some(kind) = judged.analysis {
            tx.jobs().enqueue(&self.engine.queue().conversation_job(kind, &judged.id), now)?;
        }
        if let Some(summary) = &judged.summary {
            let id = summary_id(tx, self.engine.ids(), &judged.id, &summary.text, (&summary.first, &summary.last))?;
            tx.conversation_status().insert_summary(
                &id,
                &judged.id,
                &summary.text,
                (&summary.first, &summary.last),
                ENGINE_VERSION,
                self.engine.maintenance().made_first(id.as_str()),
            )?;
        }
        Ok(())
    }
}

struct Judged {
    id: ConversationId,
    new: NewConversationStatus,
    summary: Option<NewSummary>,
    /// Whether the stored judgment is kept, because a model made it about the same messages.
    is_kept: bool,
    /// Whether a model should judge it.
    asks_model: bool,
    /// The job that analyzes it as a whole, if it has ended.
    analysis: Option<JobKind>,
}

struct NewSummary {
    text: String,
    first: InteractionId,
    last: InteractionId,
}

fn summary_of(recap: &Recap, rows: &[InteractionRow]) -> Option<NewSummary> {
    let said = |turn: usize| rows.get(turn).map(|row| row.content.as_str());
    let shown = |sentence: &SummarySentence| masked_of(&sentence.text, said(sentence.turn));
    let lines: Vec<String> = recap.sentences.iter().map(|sentence| format!("{}: {}", sentence.author, shown(sentence))).collect();
    (!lines.is_empty()).then_some(())?;
    Some(NewSummary { text: lines.join("\n"), first: recap.first.parse().ok()?, last: recap.last.parse().ok()? })
}

/// The earliest time at which the judgment can change if nobody writes.
fn next_look(standing: &Standing, now: Timestamp) -> Option<Timestamp> {
    if standing.judgement.status == ConversationStatus::Archived {
        return None;
    }
    let mut moments: Vec<i64> = Vec::new();
    let mut usual = 0;
    for reason in &standing.judgement.reasons {
        match *reason {
            Reason::WithinRhythm { silence_ms, usual_ms } => {
                usual = usual_ms;
                moments.push(now.0 + usual_ms - silence_ms);
            }
            Reason::BeyondRhythm { silence_ms, usual_ms, end_ms } => {
                usual = usual_ms;
                moments.push(now.0 + end_ms - silence_ms);
            }
            _ => {}
        }
    }
    // A promise keeps a conversation open until its due time, plus a usual pause.
    let dues = standing.commitments.iter().filter(|commitment| commitment.is_pending()).filter_map(|commitment| commitment.due);
    moments.extend(dues.flat_map(|due| [due.at.0, due.at.0 + usual]));
    let next = moments.into_iter().filter(|moment| *moment >= now.0).min()?;
    Some(Timestamp((next + 1).max(now.0 + LOOK_AGAIN_MS_MIN)))
}

fn place_of(place: &Place, rows: &[InteractionRow]) -> Option<StoredPlace> {
    let row = rows.get(place.turn)?;
    Some(StoredPlace { interaction_id: row.id.clone(), start: place.span.start(), end: place.span.end() })
}

fn reason_of(reason: &Reason, rows: &[InteractionRow]) -> StoredReason {
    let plain = |kind: &str| StoredReason { kind: kind.to_owned(), silence_ms: None, usual_ms: None, end_ms: None, place: None };
    let at = |kind: &str, place: &Place| StoredReason { place: place_of(place, rows), ..plain(kind) };
    match reason {
        Reason::Empty => plain("empty"),
        Reason::WithinRhythm { silence_ms, usual_ms } => {
            StoredReason { silence_ms: Some(*silence_ms), usual_ms: Some(*usual_ms), ..plain("within_rhythm") }
        }
        Reason::BeyondRhythm { silence_ms, usual_ms, end_ms } => StoredReason {
            silence_ms: Some(*silence_ms),
            usual_ms: Some(*usual_ms),
            end_ms: Some(*end_ms),
            ..plain("beyond_rhythm")
        },
        Reason::LongSilence { silence_ms, end_ms } => {
            StoredReason { silence_ms: Some(*silence_ms), end_ms: Some(*end_ms), ..plain("long_silence") }
        }
        Reason::Farewell { place } => at("farewell", place),
        Reason::Settled { place } => at("settled", place),
        Reason::OpenQuestion { place } => at("open_question", place),
        Reason::PendingPromise { place } => at("pending_promise", place),
    }
}

fn party(debtor: &Debtor, rows: &[InteractionRow]) -> StoredParty {
    match debtor {
        Debtor::Owner => StoredParty { is_owner: true, name: String::new(), handle_id: None },
        Debtor::Person(name) => {
            let handles: BTreeSet<&str> =
                rows.iter().filter(|row| row.author == *name).map(|row| row.handle_id.as_str()).collect();
            // If two people have the same name, it is unclear whose promise it is.
            let handle_id = handles.first().filter(|_| handles.len() == 1).map(|id| (*id).to_owned());
            StoredParty { is_owner: false, name: name.clone(), handle_id }
        }
    }
}

fn commitment_of(promise: &Promise, rows: &[InteractionRow]) -> Option<StoredCommitment> {
    let Promise { commitment, followed } = promise;
    let place = place_of(&commitment.place, rows)?;
    let promised_in = rows.get(commitment.place.turn).map(|row| row.content.as_str())?;
    let mut debtor = party(&commitment.debtor, rows);
    if !debtor.is_owner {
        // The author of the line made the promise, even if others have the same name.
        debtor.handle_id = rows.get(commitment.place.turn).map(|row| row.handle_id.clone());
    }
    Some(StoredCommitment {
        debtor,
        creditor: commitment.creditor.as_ref().map(|creditor| party(creditor, rows)),
        what: masked_part(&commitment.what, promised_in, &commitment.place.span.bytes_in(promised_in).ok()?),
        place,
        due: commitment.due.map(|due| due.at),
        due_precision: commitment.due.map(|due| {
            use keepsake_insight::conversation::DuePrecision::*;
            match due.precision {
                Hour => "hour",
                Day => "day",
                Period => "period",
            }
            .to_owned()
        }),
        settled_at: commitment.settled.as_ref().and_then(|place| place_of(place, rows)),
        followed: Some(followed.clone()),
    })
}

fn json<T: Serialize + ?Sized>(value: &T) -> Result<String> {
    serde_json::to_string(value).map_err(|error| EngineError::Stored { what: "status of a conversation", error })
}

fn stored(found: &Standing, promises: &[Promise], rows: &[InteractionRow], through_seq: i64) -> Result<ConversationStatusRow> {
    let reasons: Vec<StoredReason> = found.judgement.reasons.iter().map(|reason| reason_of(reason, rows)).collect();
    let commitments: Vec<StoredCommitment> = promises.iter().filter_map(|one| commitment_of(one, rows)).collect();
    Ok(ConversationStatusRow {
        status: found.judgement.status,
        reasons: Some(json(&reasons)?),
        tone: found.tone.as_ref().map(json).transpose()?,
        pending_actions: json(&commitments)?,
        judge: Some(ENGINE_VERSION.to_owned()),
        through_seq,
    })
}
