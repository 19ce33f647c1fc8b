//! Commands for topics: the list, the details, and the person's decisions.

use std::collections::BTreeMap;

use keepsake_domain::{ProposalKind, TopicDecisionId, TopicId, TopicVersionId};
use keepsake_engine::{TopicChoice, TopicEntities as StoredEntities, TopicRules, TopicTexts, VisibleTopic, as_said};
use keepsake_store::{ReadTx, Result as StoreResult, TopicLineRow};

use super::ids;
use super::lines::line;
use crate::app::App;
use crate::error::ApiError;
use crate::types::topics::*;
use crate::types::{ById, Nothing};

/// Number of growth periods: as many as the sparkline has pixels for.
const GROWTH_STRETCHES: usize = 24;

/// Number of a proposal's messages in which its words are looked up. The words that define a topic occur in most of its messages.
const MESSAGES_READ_FOR_WORDS: usize = 60;

/// Number of a topic's messages shown with their text. Longer topics can be read in their conversations.
const MESSAGES_SHOWN_MAX: usize = 500;

fn entities(json: &str) -> TopicEntities {
    let entities: StoredEntities = serde_json::from_str(json).unwrap_or_default();
    TopicEntities { people: entities.people, projects: entities.projects, technologies: entities.technologies }
}

/// Time range of all topics.
fn span(topics: &[VisibleTopic]) -> (i64, i64) {
    let from = topics.iter().map(|topic| topic.version.first_at.0).min().unwrap_or(0);
    (from, topics.iter().map(|topic| topic.version.last_at.0).max().unwrap_or(0))
}

fn growth(times: &[keepsake_domain::Timestamp], (from, to): (i64, i64)) -> Vec<u32> {
    let mut counts = vec![0; GROWTH_STRETCHES];
    let width = (to - from).max(1);
    for time in times {
        let at = ((time.0 - from).clamp(0, width) as usize * (GROWTH_STRETCHES - 1)) / width as usize;
        if let Some(count) = counts.get_mut(at) {
            *count += 1;
        }
    }
    counts
}

fn row(told: &TopicTexts<'_>, topic: &VisibleTopic, growth: Vec<u32>) -> StoreResult<TopicListRow> {
    let lead = told.lines(&topic.version.id)?.into_iter().next().map(|line| line.text);
    Ok(TopicListRow {
        id: topic.topic.id.to_string(),
        title: topic.title().to_owned(),
        is_renamed: topic.topic.person_title.is_some(),
        is_pinned: topic.topic.is_pinned,
        parent_id: topic.topic.parent.as_ref().map(ToString::to_string),
        messages: topic.version.messages,
        versions: topic.version.number,
        first: topic.version.first_at.0,
        last: topic.version.last_at.0,
        growth,
        entities: entities(&topic.version.entities),
        lead: lead.unwrap_or_default(),
    })
}

pub(crate) fn topics_list(app: &App, _: Nothing) -> Result<TopicsResponse, ApiError> {
    let engine = app.engine();
    Ok(engine.store().read(|tx| {
        let topics = engine.topics().own(tx)?;
        let between = span(&topics);
        let Some(partition) = topics.first().map(|topic| topic.topic.partition.clone()) else {
            let is_ready = engine.topics().stand(tx)?;
            return Ok(TopicsResponse { items: Vec::new(), proposals: Vec::new(), growth_from: 0, growth_to: 0, is_ready });
        };
        let mut times = tx.topics().times(&partition)?;
        let told = TopicTexts::new(tx)?;
        let titles: BTreeMap<&TopicId, &str> = topics.iter().map(|topic| (&topic.topic.id, topic.title())).collect();
        let title_of = |id: &TopicId| titles.get(id).map(|title| (*title).to_owned());
        let parked = tx.memories().parked_of(ProposalKind::Topic)?;
        let mut proposals: Vec<TopicProposalView> = tx
            .topics()
            .proposals(&partition)?
            .into_iter()
            .filter(|proposal| !parked.contains_key(&proposal.id))
            .map(|proposal| TopicProposalView {
                id: proposal.id,
                kind: proposal.kind,
                topic_title: title_of(&proposal.topic).unwrap_or_default(),
                topic_id: proposal.topic.to_string(),
                other_title: proposal.other.as_ref().and_then(title_of),
                other_id: proposal.other.map(|id| id.to_string()),
                nearness: proposal.nearness,
                why: proposal.why,
                apart: proposal.apart.iter().map(ToString::to_string).collect(),
            })
            .collect();
        words_of_proposals(tx, &mut proposals)?;
        let items = topics
            .iter()
            .map(|topic| row(&told, topic, growth(&times.remove(&topic.topic.id).unwrap_or_default(), between)))
            .collect::<StoreResult<_>>()?;
        Ok(TopicsResponse { items, proposals, growth_from: between.0, growth_to: between.1, is_ready: true })
    })?)
}

/// Replaces the word stems in proposals, by which topics are compared, with the words as people wrote them.
fn words_of_proposals(tx: &ReadTx<'_>, proposals: &mut [TopicProposalView]) -> StoreResult<()> {
    for proposal in proposals {
        let mut texts = Vec::new();
        for id in proposal.apart.iter().take(MESSAGES_READ_FOR_WORDS) {
            let Ok(id) = id.parse() else { continue };
            texts.extend(tx.log().interaction(&id)?.map(|message| message.content));
        }
        proposal.why = as_said(&proposal.why, texts.iter().map(String::as_str));
    }
    Ok(())
}

fn lines(tx: &ReadTx<'_>, rows: &[TopicLineRow]) -> StoreResult<Vec<TopicLineView>> {
    let mut views = Vec::new();
    for row in rows {
        // A line is shown only if its words still exist in the log.
        let Some(message) = tx.log().interaction(&row.place.interaction)? else { continue };
        if row.place.span.quote(&message.content).is_err() {
            continue;
        }
        let mut also = Vec::new();
        for place in &row.also {
            let Some(message) = tx.log().interaction(&place.interaction)? else { continue };
            if place.span.quote(&message.content).is_ok() {
                also.push(line(tx, &message, Some(place.span))?);
            }
        }
        views.push(TopicLineView {
            section: row.section.clone(),
            text: row.text.clone(),
            line: line(tx, &message, Some(row.place.span))?,
            also,
        });
    }
    Ok(views)
}

/// The text as Markdown. Each line names its author.
fn markdown(lines: &[TopicLineView]) -> String {
    const SECTIONS: [(&str, &str); 5] = [
        ("decision", "### Decisions"),
        ("solution", "### Solutions"),
        ("task", "### Tasks"),
        ("learning", "### Learnings"),
        ("detail", "## Details"),
    ];
    let mut text = String::new();
    if lines.iter().any(|line| line.section != "detail") {
        text.push_str("## Key Takeaways\n");
    }
    for (section, heading) in SECTIONS {
        let mut own = lines.iter().filter(|line| line.section == section).peekable();
        if own.peek().is_none() {
            continue;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&format!("{heading}\n\n"));
        for line in own {
            text.push_str(&format!("- {}: {}\n", line.line.author, line.text));
        }
    }
    text
}

/// Finds a topic in the owner's list. Any other topic is reported as not found.
fn own(app: &App, tx: &ReadTx<'_>, id: &TopicId) -> StoreResult<(Vec<VisibleTopic>, usize)> {
    let topics = app.engine().topics().own(tx)?;
    let at = topics.iter().position(|topic| topic.topic.id == *id);
    let missing = || keepsake_store::StoreError::NotFound { what: "topic", id: id.to_string() };
    at.map(|at| (topics, at)).ok_or_else(missing)
}

pub(crate) fn topic_get(app: &App, request: ById) -> Result<TopicDetail, ApiError> {
    let id: TopicId = request.id.parse()?;
    Ok(app.engine().store().read(|tx| {
        let (topics, at) = own(app, tx, &id)?;
        let topic = &topics[at];
        let times = tx.topics().times(&topic.topic.partition)?.remove(&id).unwrap_or_default();
        let told = TopicTexts::new(tx)?;
        let text = lines(tx, &told.lines(&topic.version.id)?)?;
        let mut versions: Vec<TopicVersionView> = tx
            .topics()
            .versions(&id)?
            .into_iter()
            .map(|version| TopicVersionView {
                is_current: version.id == topic.topic.version,
                id: version.id.to_string(),
                number: version.number,
                title: version.title,
                messages: version.messages,
                made: version.made_at.0,
                proposer: version.proposer,
                is_retired: version.is_retired,
            })
            .collect();
        // A version worded by a model comes before the rules' version of the same content.
        versions.sort_by_key(|version| (version.is_retired, std::cmp::Reverse((version.number, version.made))));
        let newest = &topic.messages[topic.messages.len().saturating_sub(MESSAGES_SHOWN_MAX)..];
        let messages =
            tx.topics().interactions_of(newest)?.iter().map(|row| line(tx, row, None)).collect::<StoreResult<Vec<_>>>()?;
        let named = |kind: &str, other: &VisibleTopic| RelatedTopic {
            id: other.topic.id.to_string(),
            title: other.title().to_owned(),
            kind: kind.to_owned(),
        };
        let find = |id: &TopicId| topics.iter().find(|topic| topic.topic.id == *id);
        let mut related: Vec<RelatedTopic> = Vec::new();
        related.extend(topic.topic.parent.as_ref().and_then(find).map(|other| named("parent", other)));
        related.extend(topics.iter().filter(|other| other.topic.parent.as_ref() == Some(&id)).map(|other| named("child", other)));
        for other in topic.topic.related.iter().filter_map(|(id, _)| find(id)) {
            if !related.iter().any(|known| known.id == other.topic.id.as_str()) {
                related.push(named("related", other));
            }
        }
        let contributors: serde_json::Value = serde_json::from_str(&topic.version.contributors).unwrap_or_default();
        let texts = |key: &str| -> Vec<String> {
            contributors[key].as_array().into_iter().flatten().filter_map(|text| text.as_str().map(str::to_owned)).collect()
        };
        let held: std::collections::BTreeSet<_> = topic.messages.iter().collect();
        let mut decisions: Vec<TopicDecisionView> = tx
            .topics()
            .decisions(&topic.topic.partition)?
            .into_iter()
            .filter(|row| row.undone_at.is_none() && row.a.iter().chain(&row.b).any(|id| held.contains(id)))
            .map(|row| TopicDecisionView { id: row.id.to_string(), kind: row.kind, title: row.title, decided: row.decided_at.0 })
            .collect();
        decisions.reverse();
        Ok(TopicDetail {
            text: markdown(&text),
            lines: text,
            versions,
            messages,
            related,
            users: texts("users"),
            interfaces: texts("interfaces"),
            sessions: texts("sessions").len() as u32,
            decisions,
            topic: row(&told, topic, growth(&times, span(&topics)))?,
        })
    })?)
}

pub(crate) fn topic_text(app: &App, request: TopicTextRequest) -> Result<TopicText, ApiError> {
    let id: TopicVersionId = request.version_id.parse()?;
    Ok(app.engine().store().read(|tx| {
        let version = tx.topics().version(&id)?;
        own(app, tx, &version.topic)?;
        let lines = lines(tx, &TopicTexts::new(tx)?.lines(&id)?)?;
        Ok(TopicText { text: markdown(&lines), lines })
    })?)
}

pub(crate) fn topic_decide(app: &App, request: TopicDecideRequest) -> Result<TopicDecided, ApiError> {
    let id: TopicId = request.id.parse()?;
    let choice = match request.act {
        TopicAct::Rename { title } => TopicChoice::Rename(Some(title)),
        TopicAct::Pin {} => TopicChoice::Pin(true),
        TopicAct::Unpin {} => TopicChoice::Pin(false),
        TopicAct::Merge { other_id } => TopicChoice::Merge(other_id.parse()?),
        TopicAct::Split { message_ids } => TopicChoice::Split(ids(&message_ids)?),
        TopicAct::Leave { other_id } => TopicChoice::Leave(other_id.map(|id| id.parse()).transpose()?),
    };
    let decision = app.engine().topics().decide(&id, &choice)?;
    Ok(TopicDecided { decision_id: decision.to_string() })
}

pub(crate) fn topic_undo(app: &App, request: ById) -> Result<Nothing, ApiError> {
    let id: TopicDecisionId = request.id.parse()?;
    app.engine().topics().undo_decision(&id, true)?;
    Ok(Nothing {})
}

pub(crate) fn topics_refresh(app: &App, _: Nothing) -> Result<Nothing, ApiError> {
    app.engine().topics().queue_now()?;
    Ok(Nothing {})
}

pub(crate) fn topics_rebuild(app: &App, _: Nothing) -> Result<Nothing, ApiError> {
    app.engine().topics().rebuild()?;
    Ok(Nothing {})
}

fn rules_view(rules: TopicRules) -> TopicRulesView {
    TopicRulesView {
        min_messages: rules.min_messages,
        min_time_minutes: rules.min_time_minutes,
        automatic: rules.automatic,
        batch_size: rules.batch_size,
        overlap: rules.overlap,
        similarity: rules.similarity,
        target_words: rules.target_words,
        max_words: rules.max_words,
    }
}

pub(crate) fn topic_rules_get(app: &App, _: Nothing) -> Result<TopicRulesState, ApiError> {
    Ok(TopicRulesState { rules: rules_view(app.engine().topics().rules()?), defaults: rules_view(TopicRules::default()) })
}

pub(crate) fn topic_rules_set(app: &App, request: TopicRulesView) -> Result<TopicRulesState, ApiError> {
    app.engine().topics().set_rules(&TopicRules {
        min_messages: request.min_messages,
        min_time_minutes: request.min_time_minutes,
        automatic: request.automatic,
        batch_size: request.batch_size,
        overlap: request.overlap,
        similarity: request.similarity,
        target_words: request.target_words,
        max_words: request.max_words,
    })?;
    topic_rules_get(app, Nothing {})
}
