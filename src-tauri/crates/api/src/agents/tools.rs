//! What each tool does: it converts the request, calls the engine, and numbers the sources of the answer.

use keepsake_domain::{Category, Timestamp};
use keepsake_engine::{
    AgentAccess, AppendMessage, AppendRole, AppendTo, Audience, CHARS_PER_TOKEN, CONTEXT_CHARS_MAX, ContextRequest, Suggestion,
    agent_key, parse_moment, rfc3339,
};

use super::types::*;
use crate::app::App;
use crate::error::ApiError;
use crate::types::search::{SearchHit, SearchRequest};

/// Default number of items on a page; a model reads every one of them.
const PAGE: u32 = 10;

/// Maximum number of items on a page.
const PAGE_MAX: u32 = 50;

/// Maximum offset of a page. Items beyond it are found with a better query.
const OFFSET_MAX: u32 = 500;

/// Maximum number of characters shown of a hit. The rest is in its conversation.
const HIT_CHARS: usize = 600;

/// The status of everything that an agent suggests.
const PENDING: &str = "pending";

fn audience(agent: &AgentAccess, person: Option<String>, channel: Option<String>) -> Audience {
    let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    Audience { agent: Some(agent_key(&agent.name)), person: given(person), channel: given(channel) }
}

fn moment(name: &str, text: Option<&str>) -> Result<Option<Timestamp>, ApiError> {
    text.map(|text| {
        parse_moment(text)
            .ok_or_else(|| ApiError::invalid(format!("{name}: '{text}' is neither a day (2026-05-01) nor RFC 3339")))
    })
    .transpose()
}

/// One page of a list, and the offset of the next page if there is one.
fn page<T>(all: Vec<T>, limit: Option<u32>, offset: Option<u32>) -> (Vec<T>, Option<u32>) {
    let (limit, offset) = bounds(limit, offset);
    let end = offset + limit;
    let next = (all.len() > end as usize && end < OFFSET_MAX).then_some(end);
    (all.into_iter().skip(offset as usize).take(limit as usize).collect(), next)
}

fn bounds(limit: Option<u32>, offset: Option<u32>) -> (u32, u32) {
    (limit.unwrap_or(PAGE).clamp(1, PAGE_MAX), offset.unwrap_or(0).min(OFFSET_MAX))
}

fn context_of(
    app: &App,
    audience: Audience,
    query: Option<String>,
    as_of: Option<&str>,
    size: (Option<u32>, Option<u32>),
) -> Result<ContextAnswer, ApiError> {
    let of_tokens = size.1.map(|tokens| (tokens as usize).saturating_mul(CHARS_PER_TOKEN));
    let chars = size.0.map(|chars| chars as usize).into_iter().chain(of_tokens).min();

    let request = ContextRequest {
        audience,
        query: query.filter(|query| !query.trim().is_empty()),
        budget_chars: chars.map_or(0, |chars| chars.clamp(1, CONTEXT_CHARS_MAX)),
        as_of: moment("as_of", as_of)?,
    };
    let context = app.engine().serve().context(&request)?;
    let sources = context.items.into_iter().enumerate();
    Ok(ContextAnswer {
        text: context.text,
        sources: sources.map(|(at, item)| SourceRef { number: at as u32 + 1, kind: item.kind.to_owned(), id: item.id }).collect(),
    })
}

pub(super) fn context(app: &App, agent: &AgentAccess, ask: ContextAsk) -> Result<ContextAnswer, ApiError> {
    context_of(app, audience(agent, ask.person, ask.channel), ask.task, ask.as_of.as_deref(), (ask.max_chars, ask.max_tokens))
}

pub(super) fn recall(app: &App, agent: &AgentAccess, ask: RecallAsk) -> Result<ContextAnswer, ApiError> {
    if ask.about.trim().is_empty() {
        return Err(ApiError::invalid("about is empty; name a person or a subject"));
    }
    context_of(
        app,
        audience(agent, ask.person, ask.channel),
        Some(ask.about),
        ask.as_of.as_deref(),
        (ask.max_chars, ask.max_tokens),
    )
}

/// Searches as the agent, with one hit more than requested to find out whether there are more.
fn hits_of(
    app: &App,
    agent: &AgentAccess,
    query: String,
    scope: &str,
    person: Option<String>,
    channel: Option<String>,
    wanted: u32,
) -> Result<(Vec<SearchHit>, bool), ApiError> {
    let Audience { agent, person, channel } = audience(agent, person, channel);
    let request = SearchRequest {
        query,
        limit: wanted + 1,
        scope: Some(scope.to_owned()),
        agent,
        person,
        channel,
        explain: false,
        ranking: false,
        around: 0,
    };
    let found = crate::handlers::search::search(app, request)?;
    Ok((found.hits, found.is_nearest_only))
}

pub(super) fn search(app: &App, agent: &AgentAccess, ask: SearchAsk) -> Result<SearchAnswer, ApiError> {
    let (limit, offset) = bounds(ask.limit, ask.offset);
    let (hits, is_nearest_only) = hits_of(app, agent, ask.query, "all", ask.person, ask.channel, offset + limit)?;
    let (hits, next_offset) = page(hits, ask.limit, ask.offset);
    let hits = hits.into_iter().enumerate().map(|(at, hit)| Hit {
        number: offset + at as u32 + 1,
        day: if hit.time == 0 { String::new() } else { rfc3339(Timestamp(hit.time)).chars().take(10).collect() },
        author: if hit.kind == "message" { hit.author } else { String::new() },
        conversation: hit.conversation_title,
        text: hit.text.chars().take(HIT_CHARS).collect(),
        kind: hit.kind,
        id: hit.id,
    });
    Ok(SearchAnswer { hits: hits.collect(), is_nearest_only, next_offset })
}

pub(super) fn people(app: &App, agent: &AgentAccess, ask: FindAsk) -> Result<PeopleAnswer, ApiError> {
    let (limit, offset) = bounds(ask.limit, ask.offset);
    let query = format!("type:person {}", ask.query.unwrap_or_default());
    let (hits, _) = hits_of(app, agent, query, "people", ask.person, ask.channel, offset + limit)?;
    let (hits, next_offset) = page(hits, ask.limit, ask.offset);
    Ok(PeopleAnswer { people: hits.into_iter().map(person).collect(), next_offset })
}

fn person(hit: SearchHit) -> Person {
    Person { id: hit.id, name: hit.text, handles: hit.handles }
}

pub(super) fn resolve(app: &App, agent: &AgentAccess, ask: ResolveAsk) -> Result<ResolveAnswer, ApiError> {
    let wanted = ask.handle.trim().to_lowercase();
    if !wanted.contains(':') {
        return Err(ApiError::invalid("handle: write it as channel:handle, for example matrix:@mara:example.org"));
    }
    let (hits, _) = hits_of(app, agent, "type:person".to_owned(), "people", None, ask.channel, OFFSET_MAX)?;
    let found = hits.into_iter().find(|hit| hit.handles.iter().any(|handle| handle.to_lowercase() == wanted));
    Ok(ResolveAnswer { person: found.map(person) })
}

pub(super) fn topics(app: &App, agent: &AgentAccess, ask: FindAsk) -> Result<TopicsAnswer, ApiError> {
    let (limit, offset) = bounds(ask.limit, ask.offset);
    let all = match ask.query.filter(|query| !query.trim().is_empty()) {
        Some(query) => {
            let (hits, _) = hits_of(app, agent, query, "topics", ask.person, ask.channel, offset + limit)?;
            hits.into_iter().map(|hit| Topic { id: hit.id, text: hit.text }).collect()
        }
        None => {
            let topics = app.engine().serve().topics_for(&audience(agent, ask.person, ask.channel))?;
            topics.into_iter().map(|topic| Topic { id: topic.id.to_string(), text: topic.title }).collect()
        }
    };
    let (topics, next_offset) = page(all, ask.limit, ask.offset);
    Ok(TopicsAnswer { topics, next_offset })
}

pub(super) fn playbooks(app: &App, agent: &AgentAccess, ask: ListAsk) -> Result<PlaybooksAnswer, ApiError> {
    let rows = app.engine().playbooks().playbooks_for(&audience(agent, ask.person, ask.channel))?;
    let (rows, next_offset) = page(rows, ask.limit, ask.offset);
    let playbooks = rows.into_iter().map(|row| Playbook {
        id: row.id.to_string(),
        title: row.version.title,
        description: row.version.description,
        steps: row.version.steps.into_iter().map(|step| step.text).collect(),
    });
    Ok(PlaybooksAnswer { playbooks: playbooks.collect(), next_offset })
}

pub(super) fn gaps(app: &App, agent: &AgentAccess, ask: ListAsk) -> Result<GapsAnswer, ApiError> {
    let rows = app.engine().serve().gaps_for(&audience(agent, ask.person, ask.channel))?;
    let (rows, next_offset) = page(rows, ask.limit, ask.offset);
    let gaps = rows.into_iter().map(|row| Gap {
        id: row.gap.id.to_string(),
        need: row.need,
        frequency: row.gap.frequency,
        status: row.gap.status.to_string(),
    });
    Ok(GapsAnswer { gaps: gaps.collect(), next_offset })
}

pub(super) fn append(app: &App, agent: &AgentAccess, ask: AppendAsk) -> Result<AppendAnswer, ApiError> {
    let messages = ask.messages.into_iter().map(message).collect::<Result<Vec<_>, _>>()?;
    let to = AppendTo { conversation: ask.conversation, title: ask.title, channel: ask.channel };
    let done = app.engine().imports().append_messages(agent, &to, &messages)?;
    Ok(AppendAnswer {
        conversation_id: done.conversation.map(|id| id.to_string()),
        stored: done.stored,
        known: done.known,
        erased: done.erased,
    })
}

fn message(ask: MessageAsk) -> Result<AppendMessage, ApiError> {
    let role = match ask.role.as_str() {
        "user" => AppendRole::User,
        "assistant" => AppendRole::Assistant,
        "tool" => AppendRole::Tool,
        "system" => AppendRole::System,
        other => return Err(ApiError::invalid(format!("role: '{other}' is none of user, assistant, tool, system"))),
    };
    Ok(AppendMessage {
        id: ask.id,
        role,
        author: ask.author,
        author_handle: ask.author_handle,
        text: ask.text,
        time: moment("time", ask.time.as_deref())?,
        reply_to: ask.reply_to,
        tool: ask.tool,
    })
}

pub(super) fn end_session(app: &App, agent: &AgentAccess, ask: EndSessionAsk) -> Result<EndSessionAnswer, ApiError> {
    Ok(EndSessionAnswer { is_new: app.engine().imports().end_agent_session(agent, &ask.conversation)? })
}

pub(super) fn remember(app: &App, agent: &AgentAccess, ask: RememberAsk) -> Result<RememberAnswer, ApiError> {
    let category = ask.category.as_deref().map(str::parse::<Category>).transpose()?;
    let suggestion =
        Suggestion { conversation: ask.conversation, message: ask.message, quote: ask.quote, statement: ask.statement, category };
    // The answer does not say whether the fact was known. Otherwise, an agent with little access could guess facts that the
    // owner keeps, and have them confirmed.
    app.engine().review().suggest_memory(agent, &suggestion)?;
    Ok(RememberAnswer { status: PENDING.to_owned() })
}

pub(super) fn report_gap(app: &App, agent: &AgentAccess, ask: ReportGapAsk) -> Result<ReportGapAnswer, ApiError> {
    app.engine().review().report_gap(agent, &ask.conversation, ask.message.as_deref(), &ask.quote)?;
    Ok(ReportGapAnswer { status: PENDING.to_owned() })
}
