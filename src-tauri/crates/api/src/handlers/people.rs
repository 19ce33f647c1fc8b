//! Commands for people and links, channels and their visibility, and the context for agents ("View as").

use std::collections::{BTreeMap, HashMap};

use keepsake_domain::{
    ConversationId, EntityId, HandleId, InteractionId, LinkAnswer, LinkId, MemoryId, Span, Timestamp, Visibility,
};
use keepsake_engine::{Audience, Context, ContextRequest, Link, LinkStatus, PersonRow, VisibilityChange, VisibilityTarget};
use keepsake_store::{ChannelVisibility, ConsentItem, HandleRow, ReadTx, Result as StoreResult};
use serde_json::Value;

use super::lines::line;
use super::{page, title_or_stand_in};
use crate::app::App;
use crate::error::ApiError;
use crate::types::lines::LineView;
use crate::types::people::*;
use crate::types::{ById, Nothing};

/// Number of a person's latest messages shown with the person.
const TIMELINE_LINES: u32 = 50;

/// Number of lines of each handle shown with a link: enough to recognize a person's writing style.
const SAMPLE_LINES: u32 = 4;

/// Maximum number of lines per clue.
const CLUE_LINES: usize = 4;

fn handle(row: &HandleRow) -> PersonHandle {
    PersonHandle {
        id: row.id.to_string(),
        channel: row.channel_type.clone(),
        handle: row.handle.clone(),
        display_name: row.display_name.clone(),
        verified: row.verified,
        messages: row.messages,
        first: row.first.map(|time| time.0),
        last: row.last.map(|time| time.0),
    }
}

/// The clues with the lines that show them. Erased lines are left out.
fn clues(tx: &ReadTx<'_>, stored: &Value) -> StoreResult<Vec<ClueView>> {
    let mut views = Vec::new();
    for clue in stored.as_array().into_iter().flatten() {
        let mut detail = clue.clone();
        let mut lines = Vec::new();
        if let Some(fields) = detail.as_object_mut() {
            fields.remove("kind");
            fields.remove("spans");
        }
        for place in clue["spans"].as_array().into_iter().flatten().take(CLUE_LINES) {
            let (Some(id), Ok(span)) = (place["interaction"].as_str(), serde_json::from_value::<Span>(place["span"].clone()))
            else {
                continue;
            };
            let Ok(id) = id.parse::<InteractionId>() else { continue };
            if let Some(row) = tx.log().interaction(&id)? {
                lines.push(line(tx, &row, Some(span))?);
            }
        }
        views.push(ClueView { kind: clue["kind"].as_str().unwrap_or_default().to_owned(), detail, lines });
    }
    Ok(views)
}

fn link(tx: &ReadTx<'_>, row: &Link) -> StoreResult<LinkView> {
    let sample = |id: &HandleId| -> StoreResult<Vec<LineView>> {
        tx.people().lines_of_handles(std::slice::from_ref(id), SAMPLE_LINES)?.iter().map(|row| line(tx, row, None)).collect()
    };
    Ok(LinkView {
        id: row.id.to_string(),
        status: row.status.name().to_owned(),
        strength: row.strength.clone(),
        a: handle(&row.a),
        b: handle(&row.b),
        evidence_for: clues(tx, &row.evidence_for)?,
        against: clues(tx, &row.evidence_against)?,
        a_lines: sample(&row.a.id)?,
        b_lines: sample(&row.b.id)?,
        decided: row.decided.map(|time| time.0),
    })
}

/// The name a person introduced themselves with in a message, if none of their handles has a name.
fn said_name(row: &PersonRow, said: &BTreeMap<String, String>) -> Option<String> {
    if row.is_owner || row.name.contains(char::is_alphabetic) {
        return None;
    }
    let statement = row.handles.iter().find_map(|handle| said.get(handle.id.as_str()))?;
    keepsake_capture::spoken(statement).map(str::to_owned)
}

fn person(row: &PersonRow, said: &BTreeMap<String, String>, memories: u64, links: &[Link]) -> PersonView {
    let is_own = |id: &HandleId| row.handles.iter().any(|handle| handle.id == *id);
    PersonView {
        id: row.id.to_string(),
        name: row.name.clone(),
        said_name: said_name(row, said),
        entity_type: row.entity_type.clone(),
        is_owner: row.is_owner,
        handles: row.handles.iter().map(handle).collect(),
        messages: row.messages,
        first: row.first.map(|time| time.0),
        last: row.last.map(|time| time.0),
        memories,
        open_links: links
            .iter()
            .filter(|link| link.status == LinkStatus::Open && (is_own(&link.a.id) || is_own(&link.b.id)))
            .count() as u64,
    }
}

pub(crate) fn people_list(app: &App, _: Nothing) -> Result<PeopleResponse, ApiError> {
    let engine = app.engine();
    let people = engine.people().list()?;
    let links = engine.people().links()?;
    let (by_handle, said) = engine.store().read(|tx| Ok((tx.people().memories_by_handle()?, tx.people().said_names()?)))?;
    let by_handle: HashMap<String, u64> = by_handle.into_iter().map(|(id, memories)| (id, memories.len() as u64)).collect();
    let items = people
        .iter()
        .map(|row| {
            let memories = row.handles.iter().filter_map(|handle| by_handle.get(handle.id.as_str())).sum();
            person(row, &said, memories, &links)
        })
        .collect();
    Ok(PeopleResponse { items })
}

pub(crate) fn person_get(app: &App, request: ById) -> Result<PersonDetail, ApiError> {
    let id: EntityId = request.id.parse()?;
    let engine = app.engine();
    let people = engine.people().list()?;
    let row = people
        .iter()
        .find(|row| row.id == id || row.handles.iter().any(|handle| handle.entity_id == id))
        .ok_or_else(|| ApiError::not_found(format!("there is no person {id}; `keepsake people` lists everybody")))?;
    let all_links = engine.people().links()?;
    let handles: Vec<HandleId> = row.handles.iter().map(|handle| handle.id.clone()).collect();
    let places = engine.privacy().places_of(&row.id)?;
    let profile = engine.people().profile_rows(&row.id)?;
    Ok(engine.store().read(|tx| {
        let said = tx.people().said_names()?;
        let by_handle = tx.people().memories_by_handle()?;
        let shared = tx.privacy().shared_items(ConsentItem::Memory)?;
        let ids: Vec<&MemoryId> = handles.iter().filter_map(|id| by_handle.get(id.as_str())).flatten().collect();
        let mut memories = ids
            .iter()
            .map(|id| {
                let memory = tx.memories().memory(id)?;
                Ok(AboutView {
                    is_shared: shared.contains(memory.id.as_str()),
                    id: memory.id.to_string(),
                    content: memory.content,
                    category: memory.category.to_string(),
                    visibility: memory.visibility.to_string(),
                    time: memory.said.0,
                })
            })
            .collect::<StoreResult<Vec<_>>>()?;
        memories.sort_by(|a, b| b.time.cmp(&a.time).then(a.id.cmp(&b.id)));
        let timeline = tx.people().lines_of_handles(&handles, TIMELINE_LINES)?;
        let own = |link: &&Link| handles.contains(&link.a.id) || handles.contains(&link.b.id);
        Ok(PersonDetail {
            person: person(row, &said, memories.len() as u64, &all_links),
            timeline: timeline.iter().map(|row| line(tx, row, None)).collect::<StoreResult<_>>()?,
            memories,
            profile: super::profiles::entries(tx, &profile)?,
            places: places
                .iter()
                .map(|place| {
                    let conversation = tx.log().conversation(&place.conversation)?;
                    Ok(PlaceView {
                        conversation_id: conversation.id.to_string(),
                        title: title_or_stand_in(conversation.title.as_deref()),
                        channel: conversation.channel_type,
                        visibility: conversation.visibility.to_string(),
                        is_private: conversation.is_private,
                        messages: conversation.messages,
                        last: conversation.last.0,
                        visible_memories: place.visible,
                        withheld_memories: place.withheld,
                    })
                })
                .collect::<StoreResult<_>>()?,
            links: all_links.iter().filter(own).map(|row| link(tx, row)).collect::<StoreResult<_>>()?,
        })
    })?)
}

pub(crate) fn links_list(app: &App, request: LinksRequest) -> Result<LinksResponse, ApiError> {
    let links = app.engine().people().links()?;
    let is_answered = |row: &Link| row.status != LinkStatus::Open;
    let answered = links.iter().filter(|row| is_answered(row)).count() as u64;
    let open = links.len() as u64 - answered;
    let asked: Vec<&Link> = links.iter().filter(|row| request.answered.is_none_or(|want| is_answered(row) == want)).collect();
    // Lines are looked up only for the links on this page.
    let shown = asked.iter().skip(request.offset as usize).take(page(request.limit) as usize);
    let items = app.engine().store().read(|tx| shown.map(|row| link(tx, row)).collect::<StoreResult<_>>())?;
    Ok(LinksResponse { total: asked.len() as u64, open, answered, items })
}

pub(crate) fn link_answer(app: &App, request: LinkAnswerRequest) -> Result<Nothing, ApiError> {
    let id: LinkId = request.id.parse()?;
    let answer = match request.answer.as_str() {
        "same" => LinkAnswer::Same,
        "different" => LinkAnswer::Different,
        "unsure" => LinkAnswer::Unsure,
        "open" => {
            app.engine().people().reopen_link(&id)?;
            app.engine().people().queue_profiles()?;
            return Ok(Nothing {});
        }
        other => return Err(ApiError::invalid(format!("'{other}' is not an answer; use same, different, unsure or open"))),
    };
    app.engine().people().answer_link(&id, answer)?;
    app.engine().people().queue_profiles()?;
    Ok(Nothing {})
}

/// Finds a handle by id or as `channel:handle`.
pub(super) fn named_handle(app: &App, text: &str) -> Result<HandleId, ApiError> {
    if let Ok(id) = text.parse::<HandleId>() {
        return Ok(id);
    }
    let found = match text.split_once(':') {
        Some((channel, address)) => app.engine().store().read(|tx| tx.people().handle_by_address(channel, address))?,
        None => None,
    };
    found.map(|row| row.id).ok_or_else(|| {
        ApiError::not_found(format!("there is no handle '{text}'; write it as channel:handle, as listed by `keepsake people`"))
    })
}

pub(crate) fn link_handles(app: &App, request: HandlePair) -> Result<Nothing, ApiError> {
    app.engine().people().link_handles(&named_handle(app, &request.a)?, &named_handle(app, &request.b)?)?;
    app.engine().people().queue_profiles()?;
    Ok(Nothing {})
}

pub(crate) fn link_preview(app: &App, request: HandlePair) -> Result<LinkPreviewResponse, ApiError> {
    let preview = app.engine().people().preview_link(&named_handle(app, &request.a)?, &named_handle(app, &request.b)?)?;
    Ok(LinkPreviewResponse {
        handles: preview.handles.iter().map(handle).collect(),
        newly_visible: preview.newly_visible.into_iter().map(|(title, memories)| OpenedPlace { title, memories }).collect(),
        obstacle: preview.obstacle,
    })
}

pub(crate) fn link_remove(app: &App, request: ById) -> Result<Nothing, ApiError> {
    app.engine().people().unlink(&request.id.parse()?)?;
    app.engine().people().queue_profiles()?;
    Ok(Nothing {})
}

pub(crate) fn channels_list(app: &App, _: Nothing) -> Result<ChannelsResponse, ApiError> {
    let items = app.engine().store().read(|tx| tx.privacy().channels())?;
    Ok(ChannelsResponse {
        items: items
            .into_iter()
            .map(|row| ChannelView {
                title: row.title.unwrap_or_else(|| row.channel_id.clone()),
                visibility: ChannelVisibility::of_counts(row.public, row.conversations).name().to_owned(),
                chosen: row.chosen.map(|chosen| chosen.to_string()),
                channel_type: row.channel_type,
                channel_id: row.channel_id,
                conversations: row.conversations,
                messages: row.messages,
            })
            .collect(),
    })
}

fn change(request: VisibilityRequest) -> Result<VisibilityChange, ApiError> {
    let target = match (request.channel_type, request.channel_id, request.conversation_id) {
        (Some(channel_type), Some(channel_id), None) => VisibilityTarget::Channel { channel_type, channel_id },
        (None, None, Some(id)) => VisibilityTarget::Conversation(id.parse::<ConversationId>()?),
        _ => return Err(ApiError::invalid("give either a channel (channel_type and channel_id) or a conversation_id")),
    };
    let choice = match request.visibility.as_deref() {
        None => None,
        Some(text) => Some(text.parse::<Visibility>().map_err(|error| ApiError::invalid(error.to_string()))?),
    };
    Ok(VisibilityChange { target, choice })
}

pub(crate) fn visibility_preview(app: &App, request: VisibilityRequest) -> Result<VisibilityPreview, ApiError> {
    let effect = app.engine().privacy().preview_visibility(&change(request)?)?;
    Ok(VisibilityPreview {
        conversations: effect.conversations,
        messages: effect.messages,
        opened_memories: effect.opened_memories,
        closed_memories: effect.closed_memories,
    })
}

pub(crate) fn visibility_set(app: &App, request: VisibilityRequest) -> Result<Nothing, ApiError> {
    app.engine().privacy().choose_visibility(&change(request)?)?;
    app.engine().people().queue_profiles()?;
    Ok(Nothing {})
}

pub(crate) fn context_get(app: &App, request: ContextRequestView) -> Result<ContextResponse, ApiError> {
    let context = app.engine().serve().context(&context_request(request))?;
    context_view(app, context)
}

pub(crate) fn context_preview(app: &App, request: ContextRequestView) -> Result<ContextResponse, ApiError> {
    let context = app.engine().serve().context_preview(&context_request(request))?;
    context_view(app, context)
}

fn context_request(request: ContextRequestView) -> ContextRequest {
    ContextRequest {
        audience: Audience { agent: request.agent, person: request.person, channel: request.channel },
        query: request.query,
        budget_chars: request.budget as usize,
        as_of: request.as_of.map(Timestamp),
    }
}

fn context_view(app: &App, context: Context) -> Result<ContextResponse, ApiError> {
    let places = app.engine().store().read(|tx| {
        let mut places = HashMap::new();
        for item in context.items.iter().filter(|item| item.kind == "message") {
            let Ok(id) = item.id.parse::<InteractionId>() else { continue };
            if let Some(row) = tx.log().interaction(&id)? {
                places.insert(item.id.clone(), row.conversation_id.to_string());
            }
        }
        Ok(places)
    })?;
    let detail = context.detail;
    Ok(ContextResponse {
        text: context.text,
        detail: ContextDetailView { level: detail.level.to_owned(), reason: detail.reason, because: detail.because },
        items: context
            .items
            .into_iter()
            .map(|item| ContextItemView {
                conversation_id: places.get(&item.id).cloned(),
                id: item.id,
                kind: item.kind.to_owned(),
                sources: item
                    .sources
                    .into_iter()
                    .map(|source| crate::types::Source {
                        kind: source.kind.to_string(),
                        conversation: source.conversation,
                        message: source.message,
                    })
                    .collect(),
            })
            .collect(),
        withheld: context
            .withheld
            .into_iter()
            .map(|count| WithheldView { rule: count.rule.to_owned(), count: count.count })
            .collect(),
    })
}

pub(crate) fn memory_share(app: &App, request: ShareRequest) -> Result<Nothing, ApiError> {
    let id: MemoryId = request.id.parse()?;
    let now = app.engine().now();
    app.engine().store().write(|tx| {
        tx.memories().memory(&id)?;
        tx.privacy().set_shared(ConsentItem::Memory, id.as_str(), request.is_shared, now)
    })?;
    Ok(Nothing {})
}

pub(crate) fn agents_list(app: &App, _: Nothing) -> Result<AgentsResponse, ApiError> {
    let items = app.engine().store().read(|tx| tx.privacy().agents())?;
    Ok(AgentsResponse {
        items: items.into_iter().map(|(name, visibility)| AgentView { name, visibility: visibility.to_string() }).collect(),
    })
}

pub(crate) fn agent_set(app: &App, request: AgentView) -> Result<AgentsResponse, ApiError> {
    let visibility: Visibility =
        request.visibility.parse().map_err(|error: keepsake_domain::ParseNameError| ApiError::invalid(error.to_string()))?;
    let name = request.name.trim().to_owned();
    if name.is_empty() {
        return Err(ApiError::invalid("the agent has no name; enter one"));
    }
    let now = app.engine().now();
    app.engine().store().write(|tx| tx.privacy().set_agent(&name, visibility, now))?;
    agents_list(app, Nothing {})
}
