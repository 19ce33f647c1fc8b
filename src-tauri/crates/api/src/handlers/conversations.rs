//! Commands for conversations: the list, the reading view, exclusion from memory, and analyses.

use std::collections::HashMap;

use keepsake_domain::{ConversationId, Timestamp, limits};
use keepsake_engine::{AnalyzeStart, Existing, StoredAnalysis};
use keepsake_store::{
    ConversationFilter, ConversationRow as StoredConversation, PrivateTime, ReadTx, Result as StoreResult, Said, Spot,
};

use super::{counts, page, small_page, title_or_stand_in};
use crate::app::App;
use crate::error::ApiError;
use crate::types::conversations::*;
use crate::types::{ById, Count, Source};

/// Number of participant names per conversation.
const PARTICIPANTS: u32 = 5;

/// Maximum number of messages per page of the reading view.
const STRETCH_MAX: u32 = 500;

fn row(tx: &ReadTx<'_>, conversation: StoredConversation) -> StoreResult<ConversationRow> {
    let (memories_active, memories_pending) = tx.log().memory_counts(&conversation.id)?;
    Ok(ConversationRow {
        id: conversation.id.to_string(),
        title: title_or_stand_in(conversation.title.as_deref()),
        participants: tx.log().participants(&conversation.id, PARTICIPANTS)?,
        channel_type: conversation.channel_type,
        channel_id: conversation.channel_id,
        visibility: conversation.visibility.to_string(),
        chosen_visibility: conversation.chosen.map(|chosen| chosen.to_string()),
        is_private: conversation.is_private,
        has_private_time: !conversation.is_private && conversation.private_intervals > 0,
        status: conversation.status,
        messages: conversation.messages,
        first: conversation.first.0,
        last: conversation.last.0,
        is_time_inferred: conversation.is_time_inferred,
        memories_active,
        memories_pending,
        source: Source { kind: conversation.source_kind, conversation: conversation.source_conversation, message: String::new() },
        is_sample: conversation.is_sample,
    })
}

pub(crate) fn conversations_list(app: &App, request: ConversationsListRequest) -> Result<ConversationsListResponse, ApiError> {
    let said = Said {
        from: request.from.map(Timestamp),
        to: request.to.map(Timestamp),
        handles: match &request.person {
            Some(person) => Some(app.engine().serve().handles_of_person(&person.parse()?)?),
            None => None,
        },
        topic: request.topic.map(|id| id.parse()).transpose()?,
    };
    let filter = ConversationFilter {
        query: request.query,
        channels: request.channel,
        is_private: request.private,
        said: (said != Said::default()).then_some(said),
    };
    Ok(app.engine().store().read(|tx| {
        let (total, items) = tx.log().conversations(&filter, request.offset, page(request.limit))?;
        let (by_channel, private_count) = tx.log().conversation_facets()?;
        Ok(ConversationsListResponse {
            total,
            items: items.into_iter().map(|item| row(tx, item)).collect::<StoreResult<Vec<_>>>()?,
            by_channel: counts(by_channel),
            private_count,
        })
    })?)
}

pub(crate) fn conversation_get(app: &App, request: ById) -> Result<ConversationRow, ApiError> {
    let id: ConversationId = request.id.parse()?;
    Ok(app.engine().store().read(|tx| row(tx, tx.log().conversation(&id)?))?)
}

pub(crate) fn conversation_messages(app: &App, request: MessagesRequest) -> Result<MessagesResponse, ApiError> {
    let id: ConversationId = request.conversation_id.parse()?;
    let spot = match request.around {
        Some(message) => Spot::Around(message.parse()?),
        None => Spot::Offset(request.offset),
    };
    let limit = small_page(request.limit, STRETCH_MAX);
    Ok(app.engine().store().read(|tx| {
        let (total, offset, messages) = tx.log().conversation_stretch(&id, &spot, limit)?;
        let mut spans: HashMap<String, Vec<MemorySpan>> = HashMap::new();
        for (evidence, status, category, content) in tx.memories().spans_in(&id)? {
            spans.entry(evidence.interaction_id.to_string()).or_default().push(MemorySpan {
                memory_id: evidence.memory_id.to_string(),
                start: evidence.span.start(),
                end: evidence.span.end(),
                status: status.to_string(),
                category: category.to_string(),
                content,
            });
        }
        let items = messages
            .into_iter()
            .zip(offset..)
            .map(|(message, position)| MessageView {
                spans: spans.remove(message.id.as_str()).unwrap_or_default(),
                id: message.id.to_string(),
                position,
                author: message.author,
                label: message.label,
                role: message.role.to_string(),
                message_type: message.message_type.to_string(),
                tool: message.tool,
                time: message.time.0,
                time_certainty: message.time_certainty,
                text: message.content,
                is_branch: message.is_branch,
            })
            .collect();
        Ok(MessagesResponse { total, offset, items })
    })?)
}

pub(crate) fn conversation_privacy_preview(app: &App, request: ById) -> Result<PrivacyPreview, ApiError> {
    let id: ConversationId = request.id.parse()?;
    Ok(app.engine().store().read(|tx| {
        let conversation = tx.log().conversation(&id)?;
        let counts = tx.log().privacy_counts(&id)?;
        Ok(PrivacyPreview {
            is_private: conversation.is_private,
            memories_active: counts.active,
            memories_pending: counts.pending,
            analyses: counts.analyses,
            gate_entries: counts.gate_entries,
            private_time_messages: tx.log().private_time_messages(&id)?,
        })
    })?)
}

pub(crate) fn conversation_set_private(app: &App, request: SetPrivateRequest) -> Result<SetPrivateOutcome, ApiError> {
    let id: ConversationId = request.id.parse()?;
    let existing = match request.existing {
        ExistingMemories::Keep => Existing::Keep,
        ExistingMemories::Hide => Existing::Hide,
        ExistingMemories::Erase => Existing::Erase,
    };
    let outcome = match (request.private, request.use_private_time) {
        (true, _) => app.engine().erasure().set_private(&id, true, existing)?,
        (false, false) => app.engine().erasure().end_private(&id, PrivateTime::LeaveOut)?,
        (false, true) => app.engine().erasure().end_private(&id, PrivateTime::Use)?,
    };
    Ok(SetPrivateOutcome {
        is_private: request.private,
        hidden: outcome.hidden,
        erased: outcome.receipt.as_ref().map_or(0, |receipt| receipt.erased.memories),
        is_erasure_pending: outcome.receipt.is_some_and(|receipt| !receipt.is_done),
        unhidden: outcome.unhidden,
        jobs_cancelled: outcome.jobs_cancelled,
    })
}

pub(crate) fn analyze_start(app: &App, request: AnalyzeRequest) -> Result<AnalyzeStarted, ApiError> {
    let id: ConversationId = request.id.parse()?;
    Ok(match app.engine().conversations().queue_analysis(&id, request.force)? {
        AnalyzeStart::Queued(job) => AnalyzeStarted::Queued { job_id: job.into() },
        AnalyzeStart::NothingNew(analysis) => AnalyzeStarted::NothingNew { analysis_id: analysis.into() },
        AnalyzeStart::TooShort { messages } => {
            AnalyzeStarted::TooShort { messages: messages as u32, messages_min: limits::ANALYZE_MESSAGES_MIN as u32 }
        }
        AnalyzeStart::Private => AnalyzeStarted::Private,
    })
}

/// The analyses of a conversation, newest first, each with what is new since the previous one.
pub fn analyses_of(app: &App, id: &ConversationId) -> Result<Vec<AnalysisView>, ApiError> {
    let rows = app.engine().store().read(|tx| tx.analyses().of(id))?;
    let stored = rows.iter().map(StoredAnalysis::read).collect::<Result<Vec<_>, _>>()?;
    let views = rows.iter().enumerate().map(|(index, row)| {
        let this = &stored[index];
        let before = stored.get(index + 1);
        let is_new = |name: &&String| before.is_some_and(|b| !b.themes.contains(name) && !b.key_topics.contains(name));
        let new_since_last = this.themes.iter().chain(&this.key_topics).filter(is_new).cloned().collect();
        AnalysisView {
            id: row.id.to_string(),
            created_at: row.created.0,
            proposer: row.proposer.clone(),
            summary: this
                .summary
                .iter()
                .map(|s| SummarySentenceView {
                    interaction_id: s.interaction_id.clone(),
                    start: s.start,
                    end: s.end,
                    author: s.author.clone(),
                    text: s.text.clone(),
                })
                .collect(),
            themes: this.themes.clone(),
            tone: this.tone.clone(),
            arc: this
                .arc
                .iter()
                .map(|point| ArcPointView {
                    stage: point.stage.clone(),
                    mood: point.mood.clone(),
                    interaction_id: point.interaction_id.clone(),
                })
                .collect(),
            participants: this.participants.clone(),
            key_topics: this.key_topics.clone(),
            messages: this.messages,
            proposed: tally(this.candidates.iter().map(|(_, category)| category.as_str())),
            stopped: this.stopped.iter().map(|(gate, count)| count_of(gate, u64::from(*count))).collect(),
            repeated: this.repeated,
            candidate_ids: this.candidates.iter().map(|(id, _)| id.clone()).collect(),
            new_since_last,
        }
    });
    Ok(views.collect())
}

fn count_of(name: &str, count: u64) -> Count {
    Count { name: name.to_owned(), label: None, count }
}

fn tally<'a>(names: impl Iterator<Item = &'a str>) -> Vec<Count> {
    let mut counts: Vec<Count> = Vec::new();
    for name in names {
        match counts.iter_mut().find(|count| count.name == name) {
            Some(count) => count.count += 1,
            None => counts.push(count_of(name, 1)),
        }
    }
    counts
}

pub(crate) fn analyses_list(app: &App, request: ById) -> Result<AnalysesResponse, ApiError> {
    let id: ConversationId = request.id.parse()?;
    Ok(AnalysesResponse { items: analyses_of(app, &id)? })
}
