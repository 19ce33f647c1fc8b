//! Asks the chosen language model whether a conversation has ended (docs/sources.md#design-flow), once the rules no longer
//! consider it clearly active.
//!
//! The model decides the same question as the rules and gives the same kinds of reasons. Its judgment replaces the rules'
//! judgment in the conversation's row, under the name of the model. Until the model has answered, the rules' judgment stays. It
//! also stays if the model fails or nothing supports its answer. Promises and tone always come from the rules.
//!
//! Not in this module: the prompt, and which parts of an answer are accepted (`insight::conversation`).

use keepsake_domain::{ConversationId, ConversationStatus, Timestamp};
use keepsake_insight::conversation::{Asked, ENDED, EndedTask, Moment, Reason, standing};
use keepsake_store::{ConversationStatusRow, Lease, NewConversationStatus, NewJob};

use super::{json, next_look, reason_of};
use crate::Result;
use crate::areas::Conversations;
use crate::derive::readable_messages::insight_turns;
use crate::derive::readable_messages::{is_still_on_record, messages_on_record};
use crate::queue::control::Control;

/// Minimum delay, in milliseconds, before a model is asked again about a conversation that it considers open although the
/// rules consider it ended. It is asked again when the silence has doubled, but not within a day.
const ASK_AGAIN_MS_MIN: i64 = 24 * 60 * 60 * 1000;

impl Conversations<'_> {
    /// Asks the chosen model about one conversation, and completes the job.
    pub(crate) fn settle_by_model(&self, id: &ConversationId, lease: &Lease, control: &dyn Control) -> Result<()> {
        let settings = self.engine.models().settings()?;
        let (conversation, rows, through_seq, known) = self.engine.store().read(|tx| {
            let rows = messages_on_record(tx, id)?;
            Ok((tx.log().conversation(id)?, rows, tx.log().last_seq(id)?, tx.conversation_status().standing(id)?))
        })?;
        // If no model is chosen anymore, the conversation was excluded, or a message arrived, there is nothing to ask: the
        // rules have already judged the conversation or will do so.
        let known = known.filter(|known| settings.proposing().is_some() && known.through_seq == through_seq);
        let Some(known) = known else { return self.settled_nothing(lease, "nothing to judge", None) };
        let turns = insight_turns(&rows);
        let moment = Moment { now: self.engine.now(), utc_offset_minutes: self.engine.utc_offset_minutes() };
        let promises = self.promises(id, &rows, &turns, Some(&known), moment, control)?;
        let by_rules = standing(&turns, promises.into_iter().map(|promise| promise.commitment).collect(), moment);
        let (interview, scrubber) = self.engine.models().interview(settings, &conversation, Some(&lease.job))?;
        let task = |length| EndedTask::new(&turns, &by_rules.judgement, &scrubber, length);
        let judge = interview.proposer(&ENDED.label());
        let judgement = match interview.drive_in_parts(task, "Checking whether it has ended", control)?.found {
            Asked::Judged(judgement) => judgement,
            Asked::Refused(why) => {
                // The rules' judgment and its consequences stay.
                let analysis = self.analysis_of_ended(id, &rows, known.status, self.pass()?)?;
                return self.settled_nothing(lease, why, analysis.map(|kind| self.engine.queue().conversation_job(kind, id)));
            }
        };
        let analysis = self.analysis_of_ended(id, &rows, judgement.status, self.pass()?)?;
        let due = match judgement.status {
            ConversationStatus::Archived => None,
            _ => next_look(&by_rules, moment.now).or_else(|| later(&judgement.reasons, moment.now)),
        };
        let reasons: Vec<_> = judgement.reasons.iter().map(|reason| reason_of(reason, &rows)).collect();
        let standing =
            ConversationStatusRow { status: judgement.status, reasons: Some(json(&reasons)?), judge: Some(judge), ..known };
        let new = NewConversationStatus { standing, due };
        let result = serde_json::json!({ "status": judgement.status }).to_string();
        self.engine.store().write(|tx| {
            tx.jobs().check_lease(lease)?;
            // If a message arrived during the call, the conversation is active again and the answer is out of date. The
            // answer is also dropped if the conversation was excluded.
            if tx.log().last_seq(id)? == through_seq
                && is_still_on_record(tx, &conversation)?
                && tx.conversation_status().put(id, &new, self.engine.now())?
                && let Some(kind) = analysis
            {
                tx.jobs().enqueue(&self.engine.queue().conversation_job(kind, id), self.engine.now())?;
            }
            tx.jobs().complete(lease, &result, self.engine.now())
        })?;
        self.engine.queue().look_for_work();
        self.engine.sessions().queue()
    }

    /// Completes the job and keeps the rules' judgment. `next` is the job that follows from that judgment, if any.
    fn settled_nothing(&self, lease: &Lease, why: &str, next: Option<NewJob>) -> Result<()> {
        let result = serde_json::json!({ "kept": why }).to_string();
        self.engine.store().write(|tx| {
            tx.jobs().complete(lease, &result, self.engine.now())?;
            next.iter().try_for_each(|job| tx.jobs().enqueue(job, self.engine.now()).map(drop))
        })?;
        self.engine.queue().look_for_work();
        Ok(())
    }
}

/// When the silence will have doubled, but at least [`ASK_AGAIN_MS_MIN`] from now.
fn later(reasons: &[Reason], now: Timestamp) -> Option<Timestamp> {
    let silence_ms = reasons.iter().find_map(|reason| match *reason {
        Reason::WithinRhythm { silence_ms, .. }
        | Reason::BeyondRhythm { silence_ms, .. }
        | Reason::LongSilence { silence_ms, .. } => Some(silence_ms),
        _ => None,
    })?;
    Some(now.plus_ms(silence_ms.max(ASK_AGAIN_MS_MIN)))
}
