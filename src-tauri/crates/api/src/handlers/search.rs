//! The search command: people, memories, topics and messages in one list, with facets.

use keepsake_domain::Subject;
use keepsake_engine::{
    Audience, CUE_NAMES, Found, Hit, Kind, MemoryHit, PersonHit, SearchAsk, TopicHit, WEIGHTS_VERSION, rfc3339,
};
use keepsake_store::{InteractionRow, ReadTx, Result as StoreResult};

use super::{small_page, source, title_or_stand_in};
use crate::app::App;
use crate::error::ApiError;
use crate::types::Count;
use crate::types::search::*;

/// Number of hits if the request does not specify one.
const HITS: u32 = 20;

/// Maximum number of hits.
const HITS_MAX: u32 = 1_000;

/// Maximum number of lines before and after a message. Its conversation shows the rest.
const AROUND_MAX: u8 = 3;

/// Maximum length of a line shown with a hit, in code points: short enough to take in at a glance.
const LINE_CHARS_MAX: usize = 280;

fn ranges(found: &Found, text: &str) -> Vec<TextRange> {
    let range = |place: std::ops::Range<usize>| TextRange { start: place.start as u32, end: place.end as u32 };
    found.highlights(text).into_iter().map(range).collect()
}

fn person(hit: &PersonHit, found: &Found) -> SearchHit {
    SearchHit {
        kind: Kind::Person.name().to_owned(),
        id: hit.id.to_string(),
        score: hit.score,
        why: vec![hit.why.name().to_owned()],
        source: None,
        text: hit.name.clone(),
        highlights: ranges(found, &hit.name),
        conversation_id: String::new(),
        conversation_title: String::new(),
        channel_type: String::new(),
        author: hit.name.clone(),
        time: 0,
        handles: hit.handles.clone(),
        lines: Vec::new(),
        cues: None,
    }
}

fn memory(tx: &ReadTx<'_>, hit: &MemoryHit, found: &Found) -> StoreResult<SearchHit> {
    let item = tx.memories().in_list(&hit.id)?;
    // A memory that the person shared may be shown anywhere, but its evidence may not.
    let mut first = None;
    for evidence in tx.memories().evidence(&hit.id)? {
        let row = tx.log().interaction(&evidence.interaction_id)?;
        if let Some(row) = row.filter(|row| found.shows(&row.conversation_id)) {
            first = Some(row);
            break;
        }
    }
    let is_shown = first.is_some();
    let shown = |text: &str| if is_shown { found.shown(text) } else { String::new() };
    let text = found.shown(&item.memory.content);
    Ok(SearchHit {
        kind: Kind::Memory.name().to_owned(),
        id: hit.id.to_string(),
        score: hit.score,
        why: hit.why.iter().map(|why| why.name().to_owned()).collect(),
        source: first.as_ref().map(source),
        highlights: ranges(found, &text),
        text,
        conversation_id: first.as_ref().map_or_else(String::new, |row| row.conversation_id.to_string()),
        conversation_title: shown(&title_or_stand_in(found.title(item.conversation_title.as_deref()))),
        author: match &item.memory.subject {
            Subject::Owner => shown(&item.author),
            Subject::Person(speaker) => found.shown(speaker.name()),
        },
        channel_type: shown(&item.channel_type),
        time: item.memory.said.0,
        handles: Vec::new(),
        lines: Vec::new(),
        cues: None,
    })
}

/// A line shown with a hit or as part of it.
fn beside(row: &InteractionRow, text: &str, offset: i32, found: &Found) -> SearchLine {
    let text: String = text.chars().take(LINE_CHARS_MAX).collect();
    SearchLine {
        message_id: row.id.to_string(),
        conversation_id: row.conversation_id.to_string(),
        author: found.shown(&row.author),
        time: row.time.0,
        highlights: ranges(found, &text),
        text,
        offset,
    }
}

fn topic(tx: &ReadTx<'_>, hit: &TopicHit, found: &Found) -> StoreResult<SearchHit> {
    let mut lines = Vec::new();
    let mut first = None;
    for line in &hit.lines {
        // A line is shown only if its words still exist in a message that the audience may see.
        let row = tx.log().interaction(&line.place.interaction)?.filter(|row| found.shows(&row.conversation_id));
        let Some(row) = row.filter(|row| line.place.span.quote(&row.content).is_ok()) else { continue };
        lines.push(beside(&row, &line.text, 0, found));
        first.get_or_insert_with(|| source(&row));
    }
    let text =
        std::iter::once(hit.title.as_str()).chain(lines.iter().map(|line| line.text.as_str())).collect::<Vec<_>>().join("\n");
    Ok(SearchHit {
        kind: Kind::Topic.name().to_owned(),
        id: hit.id.to_string(),
        score: hit.score,
        why: hit.why.iter().map(|why| why.name().to_owned()).collect(),
        source: first,
        highlights: ranges(found, &text),
        text,
        conversation_id: String::new(),
        conversation_title: String::new(),
        channel_type: String::new(),
        author: String::new(),
        time: hit.version.last_at.0,
        handles: Vec::new(),
        lines,
        cues: None,
    })
}

fn message(hit: &Hit, found: &Found, explain: bool) -> SearchHit {
    let cues = || {
        let cues = CUE_NAMES.iter().zip(hit.evidence.cues());
        cues.map(|(name, value)| SearchCue { name: (*name).to_owned(), value: f64::from(value) }).collect()
    };
    SearchHit {
        kind: Kind::Message.name().to_owned(),
        id: hit.message.id.to_string(),
        score: hit.score,
        why: hit.why.iter().map(|why| why.name().to_owned()).collect(),
        source: Some(source(&hit.message)),
        highlights: ranges(found, &hit.message.content),
        conversation_id: hit.message.conversation_id.to_string(),
        conversation_title: found.shown(&title_or_stand_in(found.title(hit.conversation_title.as_deref()))),
        channel_type: hit.channel_type.clone(),
        author: hit.message.author.clone(),
        time: hit.message.time.0,
        text: hit.message.content.clone(),
        handles: Vec::new(),
        lines: hit.around.iter().map(|(offset, row)| beside(row, &row.content, *offset, found)).collect(),
        cues: explain.then(cues),
    }
}

fn filters(found: &Found) -> Vec<SearchFilter> {
    let filters = &found.query.filters;
    let of = |operator: &str, value: String| SearchFilter { operator: operator.to_owned(), value };
    let people = filters.people.iter().map(|name| of("person", name.clone()));
    let channels = filters.channels.iter().map(|name| of("channel", name.clone()));
    let times = [("after", filters.after), ("before", filters.before)];
    let times = times.into_iter().filter_map(|(name, time)| Some(of(name, rfc3339(time?))));
    let kinds = filters.kinds.iter().map(|kind| of("type", kind.name().to_owned()));
    people.chain(channels).chain(times).chain(kinds).collect()
}

/// Parses a scope into kinds; empty means all.
fn kinds_of(scope: &str) -> Result<Vec<Kind>, ApiError> {
    if scope == "all" {
        return Ok(Vec::new());
    }
    let kind = |name: &str| match name {
        "messages" => Ok(Kind::Message),
        "memories" => Ok(Kind::Memory),
        "topics" => Ok(Kind::Topic),
        "people" => Ok(Kind::Person),
        other => Err(ApiError::invalid(format!("'{other}' is not a scope; use messages, memories, topics, people or all"))),
    };
    scope.split(',').map(kind).collect()
}

pub(crate) fn search(app: &App, request: SearchRequest) -> Result<SearchResponse, ApiError> {
    let limit = if request.limit == 0 { HITS } else { small_page(request.limit, HITS_MAX) };
    let kinds = kinds_of(request.scope.as_deref().unwrap_or("all"))?;
    let audience = Audience { agent: request.agent, person: request.person, channel: request.channel };
    // Without an audience, the owner searches everything.
    let audience = (audience != Audience::default()).then_some(audience);
    let around = request.around.min(AROUND_MAX);
    let found = app.engine().serve().search(&SearchAsk {
        query: request.query,
        limit,
        audience,
        kinds,
        around,
        is_one_list: true,
        is_ranking: request.ranking,
    })?;
    let mut hits: Vec<SearchHit> = found.people.iter().map(|hit| person(hit, &found)).collect();
    hits.extend(app.engine().store().read(|tx| {
        let memories = found.memories.iter().map(|hit| memory(tx, hit, &found));
        memories.chain(found.topics.iter().map(|hit| topic(tx, hit, &found))).collect::<StoreResult<Vec<_>>>()
    })?);
    hits.extend(found.messages.iter().map(|hit| message(hit, &found, request.explain)));
    let facets = found.facets.iter().map(|facet| SearchFacet {
        name: facet.name.to_owned(),
        values: facet.values.iter().map(|(name, count)| Count { name: name.clone(), label: None, count: *count }).collect(),
    });
    Ok(SearchResponse {
        facets: facets.collect(),
        filters: filters(&found),
        hits,
        is_nearest_only: found.is_nearest_only,
        weights_version: WEIGHTS_VERSION,
    })
}
