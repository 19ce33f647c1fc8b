//! Reads a conversation with the chosen model, for facts and for the owner's positions with their reasons.
//!
//! `capture::model` decides which calls are made and which parts of a reply are accepted. This module makes the calls and
//! writes the results once, in the transaction that completes the job, through the same code as the built-in engine's
//! proposals.

use std::cell::RefCell;
use std::collections::HashMap;

use keepsake_capture::model::{FACTS_WINDOW_CHARS, Scope, Task};
use keepsake_capture::scrub::{ScrubConfig, Scrubber};
use keepsake_capture::window::threads;
use keepsake_capture::{Conversation, Proposals};
use keepsake_domain::{AlertId, ConversationId, Engines, JobId, Role, SourceKind};
use keepsake_prompt::{ContextLength, WordingError};
use keepsake_store::{AlertRow, ConversationRow, InteractionRow, Lease, ReadTx, Speakers, StoreError, WriteTx};
use serde::Deserialize;

use super::{Interview, ModelFailure, ModelSettings};
use crate::areas::Models;
use crate::derive::readable_messages::{is_still_on_record, messages_on_record};
use crate::queue::control::Control;
use crate::review::propose::{Harvest, turns};
use crate::{EngineError, Result};

/// Number of turns in one task; see `propose::STRETCH_TURNS`.
const STRETCH_TURNS: usize = 2_000;

/// Maximum number of new messages for which a conversation that was read before is treated as a live channel, which is read a
/// few messages at a time (seed 004). If there are more, an import added them all at once.
const LIVE_MESSAGES_MAX: usize = 30;

/// The part of the settings that scrubbing needs.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Regions {
    phone_regions: Option<Vec<String>>,
}

fn scrub_config_of(settings: Option<String>) -> ScrubConfig {
    let regions = settings.and_then(|json| serde_json::from_str::<Regions>(&json).ok()).and_then(|chosen| chosen.phone_regions);
    let mut config = ScrubConfig::default();
    // Additional regions match more numbers. The built-in regions are never removed, because the scrubber lets every number
    // through that it does not recognize.
    config.regions.extend(regions.into_iter().flatten());
    config.regions.sort();
    config.regions.dedup();
    config
}

impl<'e> Models<'e> {
    /// The scrubber with the phone number regions that the person chose.
    pub fn scrubber(&self) -> Result<Scrubber> {
        Scrubber::new(&self.scrub_config()?).map_err(|error| EngineError::Refused(error.to_string()))
    }

    /// The scrubber configuration: the phone number regions that the person chose, and the built-in ones.
    pub(crate) fn scrub_config(&self) -> Result<ScrubConfig> {
        Ok(scrub_config_of(self.engine.store().read(|tx| tx.settings().setting("settings"))?))
    }

    /// Like [`scrubber`](Self::scrubber), in the given snapshot.
    pub(crate) fn scrubber_in(&self, tx: &ReadTx<'_>) -> std::result::Result<Scrubber, StoreError> {
        let refused = |detail: String| StoreError::Corrupt { what: "regions of phone numbers", detail };
        Scrubber::new(&scrub_config_of(tx.settings().setting("settings")?)).map_err(|error| refused(error.to_string()))
    }

    /// Lets the chosen model read the unread part of a conversation, and completes the job with the result.
    pub(crate) fn propose_by_model(&self, id: &ConversationId, lease: &Lease, control: &dyn Control) -> Result<()> {
        let settings = self.settings()?;
        let (conversation, rows, read_to, answers, map) = self.engine.store().read(|tx| {
            Ok((
                tx.log().conversation(id)?,
                messages_on_record(tx, id)?,
                tx.log().last_seq(id)?,
                tx.log().answers_in(id)?,
                self.engine.access_map(tx)?,
            ))
        })?;
        let threads = threads_of(&conversation, &rows, &answers);
        let mut harvests = Vec::new();
        let mut dropped = Vec::new();
        if !conversation.is_private {
            let (interview, scrubber) = self.interview(settings, &conversation, Some(&lease.job))?;
            for (stretch, threads) in rows.chunks(STRETCH_TURNS).zip(threads.chunks(STRETCH_TURNS)) {
                if let Some(scope) = scope(stretch, conversation.model_read_through_seq) {
                    self.read_stretch(
                        &interview, &scrubber, &conversation, &map.speakers, stretch, threads, scope, control, &mut harvests,
                        &mut dropped,
                    )?;
                }
            }
        }
        self.engine.review().store_harvests(&conversation, harvests, Some(lease), |tx, proposed| {
            if is_still_on_record(tx, &conversation)? {
                tx.log().mark_model_read(id, read_to)?;
            }
            self.tell_dropped(tx, &dropped, Some(&lease.job))?;
            let result = serde_json::json!({ "created": proposed.created.len(), "repeated": proposed.repeated });
            tx.jobs().complete(lease, &result.to_string(), self.engine.now())
        })?;
        Ok(())
    }

    /// The chosen model, ready for calls about a conversation, and the scrubber for the text it gets.
    pub(crate) fn interview(
        &self,
        settings: ModelSettings,
        conversation: &ConversationRow,
        job: Option<&JobId>,
    ) -> Result<(Interview<'e>, Scrubber)> {
        let provider = settings.provider.clone().ok_or(ModelFailure::NoModel)?;
        let interview = Interview::begin(self.engine, settings, &provider, Some(conversation.clone()), job.cloned())?;
        Ok((interview, self.scrubber()?))
    }

    #[allow(clippy::too_many_arguments)] // Some of these describe the stretch, the rest the whole reading.
    fn read_stretch<'r>(
        &self,
        interview: &Interview<'_>,
        scrubber: &Scrubber,
        conversation: &ConversationRow,
        speakers: &Speakers,
        stretch: &'r [InteractionRow],
        threads: &[&str],
        scope: Scope,
        control: &dyn Control,
        harvests: &mut Vec<Harvest<'r>>,
        dropped: &mut Vec<String>,
    ) -> Result<()> {
        let mut turns = turns(stretch, speakers);
        // A meeting is one sitting and is read as a whole, so replies within it do not start separate threads.
        if !is_meeting(conversation) {
            turns.iter_mut().zip(threads).for_each(|(turn, thread)| turn.thread = thread);
        }
        let name_of = |role: Role| stretch.iter().find(|row| row.role == role).map(|row| row.author.as_str());
        let read = Conversation { turns: &turns, owner_name: name_of(Role::Owner), assistant_name: name_of(Role::Assistant) };
        let chars: usize = turns.iter().map(|turn| turn.text.chars().count()).sum();
        // A longer meeting is read for facts as a whole, because only the whole shows which facts are firm and which are
        // contradicted elsewhere.
        let is_whole = is_meeting(conversation) && chars > FACTS_WINDOW_CHARS;
        let facts = |length| match is_whole {
            true => Task::facts(read, scope, scrubber, length),
            false => Task::reading(read, scope, scrubber, length),
        };
        harvests.push(self.harvest(interview, facts, "Looking for facts and positions", stretch, control, dropped)?);
        if !is_whole && Task::reads_positions(interview.context_length()?) {
            return Ok(());
        }
        let knowledge = |length| Task::knowledge(read, scope, scrubber, length);
        match self.harvest(interview, knowledge, "Looking for positions and their reasons", stretch, control, dropped) {
            // Small models can find facts but not positions. The facts they found must not be lost because of that.
            Err(EngineError::Model(ModelFailure::Unusable { model, error, .. })) => {
                dropped.push(format!(
                    "{model} gave an unusable answer about positions and their reasons twice ({error}); the facts it found are \
                     kept."
                ));
                Ok(())
            }
            found => found.map(|harvest| harvests.push(harvest)),
        }
    }

    fn harvest<'r, 't>(
        &self,
        interview: &Interview<'_>,
        begin: impl Fn(ContextLength) -> std::result::Result<Task<'t>, WordingError>,
        stage: &str,
        rows: &'r [InteractionRow],
        control: &dyn Control,
        dropped: &mut Vec<String>,
    ) -> Result<Harvest<'r>> {
        let label = RefCell::new(String::new());
        let labelled = |length| begin(length).inspect(|task| task.label().clone_into(&mut label.borrow_mut()));
        let answer = interview.drive_in_parts(labelled, stage, control)?;
        let proposer = interview.proposer(&label.borrow());
        dropped.extend(answer.dropped);
        let Proposals { candidates, stops } = answer.found;
        Ok(Harvest { rows, candidates, stops, proposer })
    }

    /// Alerts the person to what was dropped and why, in the same transaction as the effects of the job.
    pub(crate) fn tell_dropped(
        &self,
        tx: &WriteTx<'_>,
        dropped: &[String],
        job: Option<&JobId>,
    ) -> std::result::Result<(), StoreError> {
        for reason in dropped {
            tx.alerts().raise(&AlertRow {
                id: AlertId::fresh(self.engine.ids()),
                kind: "model_dropped".to_owned(),
                message: format!(
                    "{reason} Another model may do better: choose one in Settings, Models, and read the conversation again."
                ),
                job_id: job.cloned(),
                created: self.engine.now(),
            })?;
        }
        Ok(())
    }

    /// In model-only mode, the built-in engine still quarantines text that gives instructions to a machine,
    /// but proposes nothing else.
    pub(crate) fn only_quarantine<'r>(&self, harvest: Harvest<'r>) -> Result<Harvest<'r>> {
        let settings = self.settings()?;
        if settings.engines != Engines::Model || settings.proposing().is_none() {
            return Ok(harvest);
        }
        let mut harvest = harvest;
        harvest.candidates.retain(|candidate| candidate.is_quarantined);
        harvest.stops.clear();
        Ok(harvest)
    }
}

impl Interview<'_> {
    /// Name of the proposer recorded with this model's proposals, such as `llama3.2:3b facts/1`.
    pub(crate) fn proposer(&self, prompt: &str) -> String {
        format!("{} {prompt}", self.model_name(prompt))
    }
}

/// The part of a stretch that the model should read; `None` if it has read all of it.
fn scope(stretch: &[InteractionRow], read_to: i64) -> Option<Scope> {
    let from = stretch.iter().position(|row| row.seq > read_to)?;
    let is_live = read_to > 0 && from > 0 && stretch.len() - from <= LIVE_MESSAGES_MAX;
    Some(if is_live { Scope::New { from } } else { Scope::Whole })
}

/// The exports in which every message answers the one before it.
const TALKS_WITH_AN_ASSISTANT: [SourceKind; 10] = [
    SourceKind::Chatgpt,
    SourceKind::Claude,
    SourceKind::ClaudeCode,
    SourceKind::OpenWebui,
    SourceKind::LibreChat,
    SourceKind::LmStudio,
    SourceKind::Jan,
    SourceKind::CopilotChat,
    SourceKind::Cursor,
    SourceKind::Zed,
];

/// The thread of each message (seed 002: threads are read separately).
///
/// An assistant's export links every message to the previous one, and the chain breaks where a message was left out. Such links
/// only record the order of the messages, so they do not form threads.
fn threads_of<'r>(conversation: &ConversationRow, rows: &'r [InteractionRow], answers: &'r HashMap<i64, String>) -> Vec<&'r str> {
    let is_one_talk = TALKS_WITH_AN_ASSISTANT.iter().any(|kind| conversation.source_kind == kind.name());
    if is_one_talk {
        return vec![""; rows.len()];
    }
    let links: Vec<(&str, Option<&str>)> =
        rows.iter().map(|row| (row.source_message.as_str(), answers.get(&row.seq).map(String::as_str))).collect();
    threads(&links)
}

/// Whether a conversation is a recorded meeting, which is read as a whole.
pub(crate) fn is_meeting(conversation: &ConversationRow) -> bool {
    conversation.source_kind == SourceKind::Transcript.name() || conversation.channel_type.contains("meeting")
}
