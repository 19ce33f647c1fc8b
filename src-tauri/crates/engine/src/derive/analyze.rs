//! Analyze Now: reads one whole conversation and produces a summary to read and proposals to review.
//!
//! Each run is stored. If neither the transcript nor the engine has changed, the result would be the same, so the
//! analysis does not run again unless forced.

use keepsake_capture::Conversation;
use keepsake_capture::model::Task;
use keepsake_domain::{AnalysisId, ConversationId, InteractionId, JobId, JobKind, MemoryType, Role};
use keepsake_insight::model::{ANALYSIS, ANALYSIS_FACTS, AnalysisTask};
use keepsake_insight::{Analysis, AnalysisInput, analyse, fingerprint, is_long_enough};
use keepsake_store::{AnalysisRow, ConversationRow, InteractionRow, Lease, Speakers, Store};
use serde::{Deserialize, Serialize};

use crate::areas::Conversations;
use crate::content_ids::summary_id;
use crate::derive::readable_messages::{insight_turns, is_still_on_record, messages_on_record};
use crate::language::{ModelFailure, ModelSettings};
use crate::queue::control::Control;
use crate::review::propose::{Harvest, turns, vectors_of};
use crate::serve::masked::masked_of;
use crate::{EngineError, Result};

/// Maximum number of utterances that get a vector for the summary. More would slow down Analyze Now without improving the
/// summary.
const VECTOR_TURNS_MAX: usize = 400;

/// Number of turns that capture reads at once in a whole-conversation run; see `propose::STRETCH_TURNS`.
const STRETCH_TURNS: usize = 2_000;

/// Result of a request for an analysis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnalyzeStart {
    /// Queued now, or already in the queue.
    Queued(JobId),
    /// Nothing changed since this analysis.
    NothingNew(AnalysisId),
    /// The conversation is shorter than the soft minimum.
    TooShort {
        /// Number of plain messages in the conversation.
        messages: usize,
    },
    /// The conversation is excluded from memory and never analyzed.
    Private,
}

/// A sentence of the stored summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredSentence {
    /// Id of the message.
    pub interaction_id: String,
    /// Index of its first code point in the message.
    pub start: u32,
    /// Index after its last code point.
    pub end: u32,
    /// Who said it; empty for a sentence that a model wrote about the message.
    pub author: String,
    /// Text of the sentence, with secrets masked.
    pub text: String,
}

/// A point of the stored emotional arc.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredArcPoint {
    /// `start`, `middle` or `end`.
    pub stage: String,
    /// Name of the mood.
    pub mood: String,
    /// Id of the message that shows the mood.
    pub interaction_id: Option<String>,
}

/// Result of an analysis, as stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredAnalysis {
    /// Summary of two or three sentences.
    pub summary: Vec<StoredSentence>,
    /// Themes of the conversation.
    pub themes: Vec<String>,
    /// Tone in words; empty if no model determined it.
    pub tone: String,
    /// The emotional arc: start, middle and end.
    pub arc: Vec<StoredArcPoint>,
    /// Names of the participants.
    pub participants: Vec<String>,
    /// Topics that matter most in the conversation.
    pub key_topics: Vec<String>,
    /// Number of messages read.
    pub messages: u32,
    /// New proposals, each with its id and category.
    pub candidates: Vec<(String, String)>,
    /// Number of candidates filtered out, by gate.
    pub stopped: Vec<(String, u32)>,
    /// Number of candidates that repeated something already known.
    pub repeated: u32,
}

impl StoredAnalysis {
    /// Parses a row that [`Conversations::analyze`] wrote.
    pub fn read(row: &AnalysisRow) -> Result<Self> {
        serde_json::from_str(&row.outcome).map_err(|error| EngineError::Stored { what: "analysis", error })
    }
}

/// One analysis of a conversation, as it will be stored.
struct Reading<'r> {
    conversation: &'r ConversationRow,
    rows: &'r [InteractionRow],
    proposer: String,
    fingerprint: String,
    /// Whether the summary consists of sentences quoted from the conversation, rather than sentences that a model wrote.
    is_quoted: bool,
    dropped: Vec<String>,
}

fn same_transcript(store: &Store, id: &ConversationId, wanted: &str) -> Result<Option<AnalysisId>> {
    let analyses = store.read(|tx| tx.analyses().of(id))?;
    Ok(analyses.into_iter().find(|analysis| analysis.fingerprint == wanted).map(|analysis| analysis.id))
}

impl Conversations<'_> {
    /// The fingerprint of an analysis by the built-in engine. It is computed from the transcript and from the versions of the
    /// reader and the engine.
    fn run_fingerprint(&self, rows: &[InteractionRow]) -> String {
        let reader = self.engine.inner.embedder.reader().version().unwrap_or_default();
        format!("{}:{reader}:{}", fingerprint(&insight_turns(rows)), keepsake_insight::ENGINE_VERSION)
    }

    /// Why Analyze Now would not run on this conversation; `None` if it would.
    pub fn analyze_obstacle(&self, id: &ConversationId, force: bool) -> Result<Option<AnalyzeStart>> {
        let (conversation, rows) =
            self.engine.store().read(|tx| Ok((tx.log().conversation(id)?, messages_on_record(tx, id)?)))?;
        if conversation.is_private {
            return Ok(Some(AnalyzeStart::Private));
        }
        if force {
            return Ok(None);
        }
        let turns = insight_turns(&rows);
        if !is_long_enough(&turns) {
            return Ok(Some(AnalyzeStart::TooShort { messages: turns.iter().filter(|turn| turn.is_plain()).count() }));
        }
        let settings = self.engine.models().settings()?;
        let wanted = match settings.proposing() {
            Some(_) => self.model_fingerprint(&settings, &rows)?,
            None => self.run_fingerprint(&rows),
        };
        Ok(same_transcript(self.engine.store(), id, &wanted)?.map(AnalyzeStart::NothingNew))
    }

    /// Like [`run_fingerprint`](Self::run_fingerprint), for an analysis by a model: computed from the transcript and from
    /// everything that affects how the model reads it.
    fn model_fingerprint(&self, settings: &ModelSettings, rows: &[InteractionRow]) -> Result<String> {
        let provider = settings.provider.as_ref().ok_or(ModelFailure::NoModel)?;
        let types: Vec<&str> = settings.profile.types().map(MemoryType::name).collect();
        let versions = format!("{}.{}", ANALYSIS.version, ANALYSIS_FACTS.version);
        Ok(format!(
            "{}:{}:{versions}:{}:{}",
            fingerprint(&insight_turns(rows)),
            provider.model,
            types.join("+"),
            settings.engines
        ))
    }

    /// Queues Analyze Now.
    pub fn queue_analysis(&self, id: &ConversationId, force: bool) -> Result<AnalyzeStart> {
        if let Some(obstacle) = self.analyze_obstacle(id, force)? {
            return Ok(obstacle);
        }
        let kind = if self.engine.models().settings()?.proposing().is_some() { JobKind::AnalyzeModel } else { JobKind::Analyze };
        let job = self.engine.queue().conversation_job(kind, id);
        let queued = self.engine.store().write(|tx| tx.jobs().enqueue(&job, self.engine.now()))?;
        self.engine.inner.wake.all();
        Ok(AnalyzeStart::Queued(queued))
    }

    /// Analyzes one whole conversation. With a lease, the job is completed in the same transaction.
    pub fn analyze(&self, id: &ConversationId, lease: Option<&Lease>, control: &dyn Control) -> Result<AnalysisId> {
        let (conversation, rows, map) = self
            .engine
            .store()
            .read(|tx| Ok((tx.log().conversation(id)?, messages_on_record(tx, id)?, self.engine.access_map(tx)?)))?;
        if conversation.is_private {
            return Err(EngineError::Refused(
                "this conversation is excluded from memory, so it is never analyzed; use it for memory again first".to_owned(),
            ));
        }
        let steps = 3;
        let step = |stage: &str, done: u64| {
            control.progress(stage, done, steps);
            if control.is_cancelled() { Err(EngineError::Cancelled) } else { Ok(()) }
        };
        step("Looking for facts", 0)?;
        let harvests: Vec<Harvest<'_>> = self.captured(id, &rows, &map.speakers, control)?;
        step("Reading the whole conversation", 1)?;
        let seen = insight_turns(&rows);
        let vectors = self.turn_vectors(&rows, &seen);
        let owner = rows.iter().find(|row| row.role == keepsake_domain::Role::Owner).map(|row| row.author.as_str());
        let input = AnalysisInput { turns: &seen, owner_name: owner, vectors: vectors.as_deref() };
        let analysis = analyse(&input).map_err(|error| EngineError::Refused(error.to_string()))?;
        step("Storing", 2)?;
        let reading = Reading {
            conversation: &conversation,
            rows: &rows,
            proposer: keepsake_insight::ENGINE_VERSION.to_owned(),
            fingerprint: self.run_fingerprint(&rows),
            is_quoted: true,
            dropped: Vec::new(),
        };
        self.store_analysis(&reading, harvests, analysis, lease)
    }

    /// Runs Analyze Now immediately, as configured: with the chosen model, or with the built-in engine.
    pub fn analyze_now(&self, id: &ConversationId, control: &dyn Control) -> Result<AnalysisId> {
        match self.engine.models().settings()?.proposing() {
            Some(_) => self.analyze_by_model(id, None, control),
            None => self.analyze(id, None, control),
        }
    }

    /// Analyzes one whole conversation with the chosen model and completes the job. If both engines propose, the built-in
    /// one looks for facts too.
    pub(crate) fn analyze_by_model(
        &self,
        id: &ConversationId,
        lease: Option<&Lease>,
        control: &dyn Control,
    ) -> Result<AnalysisId> {
        let settings = self.engine.models().settings()?;
        let (conversation, rows, map) = self
            .engine
            .store()
            .read(|tx| Ok((tx.log().conversation(id)?, messages_on_record(tx, id)?, self.engine.access_map(tx)?)))?;
        if conversation.is_private {
            return Err(EngineError::Refused(
                "this conversation is excluded from memory, so it is never analyzed; use it for memory again first".to_owned(),
            ));
        }
        let fingerprint = self.model_fingerprint(&settings, &rows)?;
        let (has_built_in, profile) = (settings.has_built_in(), settings.profile);
        let (interview, scrubber) = self.engine.models().interview(settings, &conversation, lease.map(|lease| &lease.job))?;
        let seen = insight_turns(&rows);
        let owner = rows.iter().find(|row| row.role == Role::Owner).map(|row| row.author.as_str());
        let input = AnalysisInput { turns: &seen, owner_name: owner, vectors: None };
        let proposer = interview.proposer(&ANALYSIS.label());
        let task = |length| AnalysisTask::new(input, profile, &scrubber, length);
        let answer = interview.drive_in_parts(task, "Reading the whole conversation", control)?;
        let mut analysis = answer.found.analysis;
        let mut dropped: Vec<String> = answer.dropped.into_iter().collect();
        // `insight` links the model's statements to messages. The check below asks the model who said those words and whether
        // they support the statement.
        let turns = turns(&rows, &map.speakers);
        let assistant = rows.iter().find(|row| row.role == Role::Assistant).map(|row| row.author.as_str());
        let read = Conversation { turns: &turns, owner_name: owner, assistant_name: assistant };
        let candidates = std::mem::take(&mut analysis.candidates);
        let check = |length| Task::check(read, candidates.clone(), &scrubber, length);
        let checked = interview.drive_in_parts(check, "Checking the findings", control)?;
        dropped.extend(checked.dropped);
        let mut stops = std::mem::take(&mut analysis.stops);
        stops.extend(checked.found.stops);
        let mut harvests = vec![Harvest { rows: &rows, candidates: checked.found.candidates, stops, proposer: proposer.clone() }];
        if has_built_in {
            harvests.extend(self.captured(id, &rows, &map.speakers, control)?);
        }
        let reading = Reading { conversation: &conversation, rows: &rows, proposer, fingerprint, is_quoted: false, dropped };
        self.store_analysis(&reading, harvests, analysis, lease)
    }

    /// Candidates that the built-in engine finds in all messages of a conversation.
    fn captured<'r>(
        &self,
        id: &ConversationId,
        rows: &'r [InteractionRow],
        speakers: &Speakers,
        control: &dyn Control,
    ) -> Result<Vec<Harvest<'r>>> {
        let read = self.read_rows(id, rows, 0, control)?;
        let stretches = rows.chunks(STRETCH_TURNS).enumerate().map(|(n, stretch)| {
            let from = n * STRETCH_TURNS;
            self.engine.review().capture(stretch, speakers, read.as_ref().map(|read| read.stretch(from..from + stretch.len())))
        });
        stretches.collect()
    }

    /// Writes an analysis with its summary and candidates, and completes the job, in one transaction.
    fn store_analysis(
        &self,
        reading: &Reading<'_>,
        harvests: Vec<Harvest<'_>>,
        analysis: Analysis,
        lease: Option<&Lease>,
    ) -> Result<AnalysisId> {
        let Reading { conversation, rows, proposer, fingerprint, is_quoted, dropped } = reading;
        let message_id = |turn: usize| rows.get(turn).map(|row| row.id.to_string());
        let mut stored = StoredAnalysis {
            summary: analysis
                .summary
                .iter()
                .filter_map(|sentence| {
                    Some(StoredSentence {
                        interaction_id: message_id(sentence.turn)?,
                        start: sentence.span.start(),
                        end: sentence.span.end(),
                        // The model wrote this sentence, so it has no author in the conversation.
                        author: if *is_quoted { sentence.author.clone() } else { String::new() },
                        text: masked_of(&sentence.text, rows.get(sentence.turn).map(|row| row.content.as_str())),
                    })
                })
                .collect(),
            themes: analysis.themes,
            tone: analysis.tone.unwrap_or_default(),
            arc: analysis
                .emotional_arc
                .iter()
                .map(|point| StoredArcPoint {
                    stage: stage_name(point.stage).to_owned(),
                    mood: point.mood.name().to_owned(),
                    interaction_id: message_id(point.turn),
                })
                .collect(),
            participants: analysis.participants,
            key_topics: analysis.key_topics,
            messages: rows.len() as u32,
            candidates: Vec::new(),
            stopped: Vec::new(),
            repeated: 0,
        };
        let analysis_id = AnalysisId::fresh(self.engine.ids());
        let now = self.engine.now();
        self.engine.review().store_harvests(conversation, harvests, lease, |tx, proposed| {
            stored.candidates = proposed.created.iter().map(|(id, category)| (id.to_string(), category.clone())).collect();
            stored.stopped = proposed.stopped.iter().map(|(gate, count)| (gate.clone(), *count)).collect();
            stored.repeated = proposed.repeated;
            let row = AnalysisRow {
                id: analysis_id.clone(),
                conversation_id: conversation.id.clone(),
                proposer: proposer.clone(),
                fingerprint: fingerprint.clone(),
                outcome: serde_json::to_string(&stored).unwrap_or_default(),
                created: now,
            };
            let line =
                |s: &StoredSentence| if s.author.is_empty() { s.text.clone() } else { format!("{}: {}", s.author, s.text) };
            let text = stored.summary.iter().map(line).collect::<Vec<_>>().join("\n");
            let range: Option<(&InteractionId, &InteractionId)> =
                rows.first().zip(rows.last()).map(|(first, last)| (&first.id, &last.id));
            // If the conversation was excluded from memory in the meantime, the analysis must not be stored.
            if is_still_on_record(tx, conversation)? {
                let summary_id = match range.filter(|_| !text.is_empty()) {
                    Some(range) => Some((summary_id(tx, self.engine.ids(), &conversation.id, &text, range)?, range)),
                    None => None,
                };
                let summary = summary_id.as_ref().map(|(id, (start, end))| (id, text.as_str(), *start, *end));
                tx.analyses().insert_analysis(&row, summary)?;
                if self.has_reader() {
                    tx.log().mark_extracted(&conversation.id, rows.iter().map(|row| row.seq).max().unwrap_or(0))?;
                }
            }
            self.engine.models().tell_dropped(tx, dropped, lease.map(|lease| &lease.job))?;
            if let Some(lease) = lease {
                tx.jobs().complete(lease, &serde_json::json!({ "analysis_id": analysis_id }).to_string(), self.engine.now())?;
            }
            Ok(())
        })?;
        Ok(analysis_id)
    }

    /// Vectors of the utterances from which the summary is chosen. If there are too many, only the newest get a vector.
    fn turn_vectors(&self, rows: &[InteractionRow], turns: &[keepsake_insight::Turn<'_>]) -> Option<Vec<Option<Vec<f32>>>> {
        let embedder = self.engine.inner.embedder.ready()?;
        let mut chosen: Vec<usize> = (0..turns.len()).filter(|&turn| turns[turn].is_plain()).collect();
        let surplus = chosen.len().saturating_sub(VECTOR_TURNS_MAX);
        chosen.drain(..surplus);
        let texts: Vec<&str> = chosen.iter().map(|&turn| rows[turn].content.as_str()).collect();
        let mut vectors = vec![None; rows.len()];
        for (turn, vector) in chosen.iter().zip(vectors_of(Some(embedder.as_ref()), &texts)) {
            vectors[*turn] = vector;
        }
        Some(vectors)
    }
}

fn stage_name(stage: keepsake_insight::Stage) -> &'static str {
    match stage {
        keepsake_insight::Stage::Start => "start",
        keepsake_insight::Stage::Middle => "middle",
        keepsake_insight::Stage::End => "end",
    }
}
