//! Commands for memories: the list, the details, actions, undo, and creating memories from selected words.

use keepsake_capture::dedup;
use keepsake_domain::{
    Band, Category, DAY_MS, DedupOutcome, MemoryId, MemoryKind, MemoryStatus, OperationId, READER_PREFIX, Relation, Span,
    Timestamp, Visibility,
};
use keepsake_engine::{Act, ActOutcome, PARKED_UNTIL};
use keepsake_store::{
    AgentReadRow, EmbeddingOwner, EvidenceRow, InteractionRow, MemoryFacets, MemoryFilter, MemoryListRow,
    MemoryRow as StoredMemory, MemorySort, ReadTx, Result as StoreResult,
};

use super::{counts, ids, page, source, title_or_stand_in};
use crate::app::App;
use crate::error::ApiError;
use crate::types::ById;
use crate::types::memories::*;
use crate::types::sessions::AgentReadView;

/// Number of context lines before and after a line of evidence (docs/sources.md#research).
const CONTEXT_LINES: u32 = 2;

/// Maximum length of a context line, in code points. The line of evidence itself is never cut.
const CONTEXT_CHARS_MAX: usize = 280;

fn row(item: MemoryListRow) -> MemoryRow {
    let MemoryListRow { memory, conversation_title, channel_type, author, has_near, rests_on_private } = item;
    let is_of_reader = memory.proposers.iter().any(|proposer| proposer.starts_with(READER_PREFIX));
    MemoryRow {
        id: memory.id.to_string(),
        status: memory.status.to_string(),
        kind: memory.kind.to_string(),
        category: memory.category.to_string(),
        attribute: memory.fact.map(|fact| fact.attribute.to_string()),
        date: memory.fact.and_then(|fact| fact.date).map(|date| date.to_string()),
        subject: memory.subject.as_str().to_owned(),
        content: memory.content,
        confidence: memory.confidence.get(),
        band: is_of_reader.then(|| Band::of(memory.confidence).name().to_owned()),
        is_inferred: memory.kind == MemoryKind::Fact && memory.confidence.is_inferred() && !is_of_reader && !memory.is_edited,
        conversation_id: memory.conversation_id.to_string(),
        conversation_title: title_or_stand_in(conversation_title.as_deref()),
        channel_type,
        author,
        said_at: memory.said.0,
        created_at: memory.created.0,
        is_edited: memory.is_edited,
        is_private_source: rests_on_private,
        is_hidden: memory.is_hidden,
        has_near,
    }
}

type Stretch = (Option<Timestamp>, Option<Timestamp>);

/// Periods of the `said` filter, by name, as (from, before).
fn stretches(now: Timestamp) -> [(&'static str, Stretch); 5] {
    let ago = |days: i64| Some(Timestamp(now.0 - days * DAY_MS));
    [
        ("day", (ago(1), None)),
        ("week", (ago(7), None)),
        ("month", (ago(30), None)),
        ("year", (ago(365), None)),
        ("older", (None, ago(365))),
    ]
}

pub(crate) fn memories_list(app: &App, request: MemoriesListRequest) -> Result<MemoriesListResponse, ApiError> {
    let only_pending = request.status == ["pending"];
    let sort = match request.sort.as_deref() {
        None if only_pending => MemorySort::Queue,
        None | Some("newest") => MemorySort::Newest,
        Some("queue") => MemorySort::Queue,
        Some("oldest") => MemorySort::Oldest,
        Some("confidence") => MemorySort::Confidence,
        Some(other) => {
            return Err(ApiError::invalid(format!("'{other}' is not a sort order; use queue, newest, oldest or confidence")));
        }
    };
    let engine = app.engine();
    let stretches = stretches(engine.now());
    let said = match &request.said {
        None => None,
        Some(name) => Some(
            stretches
                .iter()
                .find(|(known, _)| known == name)
                .map(|(_, stretch)| *stretch)
                .ok_or_else(|| ApiError::invalid(format!("'{name}' is not an age; use day, week, month, year or older")))?,
        ),
    };
    let mut among =
        request.only_conflicting.then(|| engine.review().conflicting_memories()).transpose()?.map(|found| found.to_vec());
    if let Some(moment) = request.as_of {
        let mut held = engine.store().read(|tx| tx.memories().active_at(Some(Timestamp(moment))))?;
        held.retain(|id| among.as_ref().is_none_or(|among| among.contains(id)));
        among = Some(held);
    }
    let filter = MemoryFilter {
        said_from: said.and_then(|(from, _)| from),
        said_before: said.and_then(|(_, before)| before),
        among,
        status: if request.as_of.is_some() { Vec::new() } else { request.status },
        kind: request.kind,
        category: request.category,
        subject: request.subject,
        channel: request.channel,
        conversation: request.conversation.map(|id| id.parse()).transpose()?,
        query: request.query,
        confidence_min: request.confidence_min,
        private_source: request.private_source,
        not_snoozed_at: (!request.include_snoozed && !request.only_parked).then(|| app.engine().now()),
        snoozed_until: request.only_parked.then_some(PARKED_UNTIL),
    };
    Ok(app.engine().store().read(|tx| {
        let (total, items) = tx.memories().list(&filter, sort, request.offset, page(request.limit))?;
        let facets = if request.without_facets { MemoryFacets::default() } else { tx.memories().facets(&filter)? };
        let by_said = if request.without_facets {
            Vec::new()
        } else {
            let bounds: Vec<_> = stretches.iter().map(|(_, bounds)| *bounds).collect();
            let counted = tx.memories().count_said(&filter, &bounds)?;
            stretches.iter().zip(counted).map(|((name, _), count)| ((*name).to_owned(), count)).collect()
        };
        Ok(MemoriesListResponse {
            total,
            items: items.into_iter().map(row).collect(),
            by_status: counts(facets.status),
            by_category: counts(facets.category),
            by_subject: counts(facets.subject),
            by_channel: counts(facets.channel),
            by_said: counts(by_said),
        })
    })?)
}

pub(crate) fn line(message: &InteractionRow, chars_max: Option<usize>) -> Line {
    let is_cut = chars_max.is_some_and(|max| message.content.chars().count() > max);
    let text =
        if is_cut { message.content.chars().take(chars_max.unwrap_or(usize::MAX)).collect() } else { message.content.clone() };
    Line {
        id: message.id.to_string(),
        author: message.author.clone(),
        role: message.role.to_string(),
        time: message.time.0,
        text,
        is_cut,
    }
}

fn evidence_view(tx: &ReadTx<'_>, evidence: &EvidenceRow) -> StoreResult<EvidenceView> {
    let span: Span = evidence.span;
    let Some(message) = tx.log().interaction(&evidence.interaction_id)? else {
        return Ok(EvidenceView {
            interaction_id: evidence.interaction_id.to_string(),
            conversation_id: String::new(),
            conversation_title: String::new(),
            channel_type: String::new(),
            visibility: Visibility::Private.to_string(),
            is_private: false,
            start: span.start(),
            end: span.end(),
            quote: String::new(),
            holds: false,
            line: None,
            before: Vec::new(),
            after: Vec::new(),
            source: None,
        });
    };
    let conversation = tx.log().conversation(&message.conversation_id)?;
    let (before, after) = tx.log().surroundings(&message, CONTEXT_LINES)?;
    // The span is checked again on every request, because evidence must be verifiable.
    let quote = span.quote(&message.content).ok().map(str::to_owned);
    let context = |lines: &[InteractionRow]| lines.iter().map(|l| line(l, Some(CONTEXT_CHARS_MAX))).collect();
    Ok(EvidenceView {
        interaction_id: message.id.to_string(),
        conversation_id: conversation.id.to_string(),
        conversation_title: title_or_stand_in(conversation.title.as_deref()),
        channel_type: conversation.channel_type,
        visibility: conversation.visibility.to_string(),
        is_private: conversation.is_private,
        start: span.start(),
        end: span.end(),
        holds: quote.is_some(),
        quote: quote.unwrap_or_default(),
        before: context(&before),
        after: context(&after),
        source: Some(source(&message)),
        line: Some(line(&message, None)),
    })
}

fn near(tx: &ReadTx<'_>, id: &MemoryId, model: Option<&str>) -> StoreResult<Option<NearMemory>> {
    // An earlier version is listed under the versions, so it is not repeated here.
    let wanted = |relation: &Relation| matches!(relation, Relation::Extends | Relation::Related);
    let this = tx.memories().memory(id)?;
    let mut found: Vec<(Relation, StoredMemory, Option<f64>)> = Vec::new();
    for (relation, target, stored) in tx.memories().relations_from(id)?.into_iter().filter(|(relation, ..)| wanted(relation)) {
        found.push((relation, tx.memories().memory(&target)?, stored));
    }
    // Approved memories come before pending ones. Dismissed or removed ones are left out.
    found.retain(|(_, other, _)| matches!(other.status, MemoryStatus::Active | MemoryStatus::Pending));
    found.sort_by_key(|(_, other, _)| other.status != MemoryStatus::Active);
    let Some((relation, other, stored)) = found.into_iter().next() else { return Ok(None) };
    let vector = |id: &MemoryId| -> StoreResult<Option<Vec<f32>>> {
        model.map_or(Ok(None), |model| tx.vectors().embedding(EmbeddingOwner::Memory, id.as_str(), model))
    };
    fn claim(memory: &StoredMemory) -> dedup::Claim<'_> {
        dedup::Claim { content: &memory.content, fact: memory.fact }
    }
    let (outcome, similarity) =
        dedup::compare(claim(&this), vector(&this.id)?.as_deref(), claim(&other), vector(&other.id)?.as_deref());
    let outcome = if relation == Relation::Extends { DedupOutcome::Reinforcement } else { outcome };
    // Merging declares both to be one statement, so it is offered only if both state the same thing about the same person, not
    // if they are merely related.
    let says_the_same = matches!(outcome, DedupOutcome::Exact | DedupOutcome::Reinforcement);
    let can_merge =
        says_the_same && other.status == MemoryStatus::Active && other.subject == this.subject && other.kind == this.kind;
    Ok(Some(NearMemory {
        can_merge,
        id: other.id.to_string(),
        status: other.status.to_string(),
        content: other.content,
        category: other.category.to_string(),
        similarity: stored.unwrap_or(f64::from(similarity)),
        outcome: outcome.name().to_owned(),
    }))
}

/// Statements that this memory replaced or was replaced by, earliest first. Dismissed and removed ones are left out.
fn changes(tx: &ReadTx<'_>, id: &MemoryId) -> StoreResult<Vec<ChangedMemory>> {
    let older = tx.memories().relations_from(id)?.into_iter().filter(|(relation, ..)| *relation == Relation::Replaces);
    let older = older.map(|(_, older, _)| (false, older));
    let newer = tx.memories().replaced_by(id)?.into_iter().map(|newer| (true, newer));
    let mut found = Vec::new();
    for (is_newer, other) in older.chain(newer) {
        let other = tx.memories().memory(&other)?;
        if matches!(other.status, MemoryStatus::Active | MemoryStatus::Pending | MemoryStatus::Superseded) {
            found.push(ChangedMemory {
                id: other.id.to_string(),
                status: other.status.to_string(),
                content: other.content,
                said_at: other.said.0,
                is_newer,
            });
        }
    }
    found.sort_by(|a, b| (a.said_at, &a.id).cmp(&(b.said_at, &b.id)));
    Ok(found)
}

/// Number of access log entries shown with a memory. The newest entries show who was served; `reads_total` counts all of them.
const READS_SHOWN: u32 = 20;

fn read_view(tx: &ReadTx<'_>, read: AgentReadRow) -> StoreResult<AgentReadView> {
    Ok(AgentReadView {
        id: read.seq.to_string(),
        person: read.entity.as_ref().map(|id| tx.tiers().entity_name(id)).transpose()?.flatten(),
        agent: read.agent,
        kind: read.kind,
        chars: read.chars,
        items: read.items,
        at: read.at.0,
    })
}

pub(crate) fn memory_get(app: &App, request: ById) -> Result<MemoryDetail, ApiError> {
    let id: MemoryId = request.id.parse()?;
    let model = app.engine().embedder().ready();
    Ok(app.engine().store().read(|tx| {
        let item = tx.memories().in_list(&id)?;
        let evidence = tx.memories().evidence(&id)?.iter().map(|e| evidence_view(tx, e)).collect::<StoreResult<Vec<_>>>()?;
        let versions = tx.memories().versions(&id)?;
        let memory = item.memory.clone();
        let (reads_total, reads) = tx.tiers().reads_of_item(id.as_str(), READS_SHOWN)?;
        Ok(MemoryDetail {
            reads_total,
            reads: reads.into_iter().map(|read| read_view(tx, read)).collect::<StoreResult<_>>()?,
            row: row(item),
            reasoning: memory.reasoning,
            knowledge: memory.knowledge.map(|detail| KnowledgeView {
                topic: detail.topic,
                stability: detail.stability.to_string(),
                tags: detail.tags,
                context: detail.context,
            }),
            story: memory
                .story
                .map(|story| StoryView { emotional_weight: story.emotional_weight, participants: story.participants }),
            durability: memory.durability.to_string(),
            proposers: memory.proposers,
            evidence,
            changes: changes(tx, &id)?,
            near: near(tx, &id, model.as_deref().map(keepsake_models::Embedder::name))?,
            versions: versions
                .into_iter()
                .map(|version| MemoryVersion {
                    id: version.id.to_string(),
                    status: version.status.to_string(),
                    content: version.content,
                    category: version.category.to_string(),
                    is_edited: version.is_edited,
                    created_at: version.created.0,
                })
                .collect(),
            reject_reason: memory.reject_reason,
            snoozed_until: memory.snoozed_until.map(|t| t.0),
            quarantine_reason: tx.memories().quarantine_reason(&id)?,
        })
    })?)
}

pub(crate) fn memory_decide(app: &App, request: Decision) -> Result<DecisionOutcome, ApiError> {
    let category = |name: &String| name.parse::<Category>().map_err(ApiError::from);
    let act = match request {
        Decision::Approve { ids: list } => Act::Approve(ids(&list)?),
        Decision::Reject { ids: list, reason } => Act::Reject(ids(&list)?, reason),
        Decision::Snooze { ids: list, until } => Act::Snooze(ids(&list)?, Timestamp(until)),
        Decision::Edit { id, content, category: wanted } => {
            Act::Edit(id.parse()?, content, wanted.as_ref().map(category).transpose()?)
        }
        Decision::Merge { id, into } => Act::Merge(id.parse()?, into.parse()?),
        Decision::Archive { ids: list } => Act::Archive(ids(&list)?),
        Decision::Reconfirm { ids: list } => Act::Reconfirm(ids(&list)?),
        Decision::Restore { ids: list } => Act::Restore(ids(&list)?),
        Decision::Recategorize { ids: list, category: wanted } => Act::Recategorize(ids(&list)?, category(&wanted)?),
    };
    Ok(decided(app.engine().review().act(&act)?))
}

fn decided(outcome: ActOutcome) -> DecisionOutcome {
    DecisionOutcome {
        operation_id: outcome.operation.map(String::from),
        summary: outcome.summary,
        applied: outcome.applied.into_iter().map(String::from).collect(),
        created: outcome.created.into_iter().map(|(from, id)| CreatedVersion { from: from.into(), id: id.into() }).collect(),
        needs_look: outcome.needs_look.into_iter().map(|(id, reason)| NeedsLook { id: id.into(), reason }).collect(),
        set_aside: outcome.set_aside.iter().map(ToString::to_string).collect(),
        contradicts: outcome
            .contradicts
            .into_iter()
            .map(|one| Contradicted { id: one.id.into(), other_id: one.other.id.into(), content: one.other.content })
            .collect(),
    }
}

pub(crate) fn memory_remember(app: &App, request: RememberRequest) -> Result<DecisionOutcome, ApiError> {
    let span = Span::new(request.start, request.end).map_err(|error| ApiError::invalid(error.to_string()))?;
    let category = request.category.as_deref().map(str::parse::<Category>).transpose()?;
    let done = app.engine().review().remember(&request.interaction_id.parse()?, span, category)?;
    Ok(DecisionOutcome { applied: vec![done.id.to_string()], ..decided(done.outcome) })
}

pub(crate) fn undo(app: &App, request: UndoRequest) -> Result<UndoOutcome, ApiError> {
    let id: Option<OperationId> = request.operation_id.map(|id| id.parse()).transpose()?;
    Ok(match app.engine().review().undo(id.as_ref())? {
        Some((operation, summary, restored)) => UndoOutcome {
            operation_id: Some(operation.into()),
            summary,
            restored: restored.into_iter().map(String::from).collect(),
        },
        None => UndoOutcome { operation_id: None, summary: "There is nothing left to undo.".to_owned(), restored: Vec::new() },
    })
}
