//! What agents suggest: memories that rest on a person's words, and requests that could not be met.
//!
//! Both are proposals: they rest on words in a conversation that the agent passed on, pass the same gates as all other
//! proposals, and need the person's decision. Nothing that an agent suggests becomes active by itself, and the agent's own
//! words are not evidence.
//!
//! Not in this module: what the built-in engines and language models propose (`propose`), and memories that the person makes
//! (`remember`).

use std::collections::HashMap;
use std::sync::Arc;

use keepsake_capture::{Turn, by_hand, filter, validate};
use keepsake_domain::{Category, EntityId, EvidenceSpan, GapId, GapStatus, MemoryId, Role, Span, limits};
use keepsake_people::gap::{description, gap_fingerprint};
use keepsake_prompt::ground::locate_in;
use keepsake_store::{ConversationRow, GapRow, InteractionRow, Speakers};

use crate::areas::Review;
use crate::derive::readable_messages::messages_on_record;
use crate::derive::sessions::agent_key;
use crate::ingest::append::source_conversation;
use crate::review::propose::{Harvest, turns};
use crate::serve::access_log::{WriteKind, log_write};
use crate::serve::agents::AgentAccess;
use crate::serve::masked::{masked, may_be_served};
use crate::{EngineError, Result};

/// A memory that an agent suggests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Suggestion {
    /// The agent's own id of the conversation.
    pub conversation: String,
    /// Id of the message, if the agent knows it; otherwise the newest message with these words is used.
    pub message: Option<String>,
    /// The exact words that it rests on.
    pub quote: String,
    /// The statement as one sentence that begins with the person ("User …"). If `None`, the words are quoted.
    pub statement: Option<String>,
    /// Its category, if the agent knows it.
    pub category: Option<Category>,
}

/// Result of a suggestion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Suggested {
    /// A memory that needs the person's decision.
    Pending(MemoryId),
    /// The same is already approved, pending or dismissed, or the conversation is excluded.
    Known,
}

/// The agent's conversation, with the place of the quotation.
struct Cited {
    conversation: ConversationRow,
    /// The person behind each handle in the conversation.
    persons: HashMap<String, EntityId>,
    rows: Vec<InteractionRow>,
    speakers: Arc<Speakers>,
    at: usize,
    span: Span,
}

fn refused<T>(words: impl Into<String>) -> Result<T> {
    Err(EngineError::Refused(words.into()))
}

/// The proposer name that is recorded for an agent's suggestions.
fn proposer_of(agent: &AgentAccess) -> String {
    format!("agent:{}", agent_key(&agent.name))
}

impl Review<'_> {
    /// Finds the quotation in what a person said in the agent's own conversation.
    fn cited(&self, agent: &AgentAccess, conversation: &str, message: Option<&str>, quote: &str) -> Result<Cited> {
        let source = source_conversation(&agent.name, conversation);
        let found = self.engine.store().read(|tx| {
            let Some(id) = tx.log().conversation_by_source(&source)? else { return Ok(None) };
            let map = self.engine.access_map(tx)?;
            let persons = tx
                .people()
                .entities_of_handles()?
                .into_iter()
                .map(|(handle, entity)| (handle, map.persons.of(&entity)))
                .collect();
            Ok(Some((tx.log().conversation(&id)?, messages_on_record(tx, &id)?, Arc::clone(&map.speakers), persons)))
        })?;
        let Some((conversation, rows, speakers, persons)) = found else {
            return refused("there is no such conversation of this agent; append its messages first");
        };
        let is_asked = |row: &InteractionRow| message.is_none_or(|id| row.source_message == id || row.id.as_str() == id);
        let newest = rows.iter().enumerate().rev().find_map(|(at, row)| {
            let is_persons = matches!(row.role, Role::Owner | Role::Person) && !row.is_branch && is_asked(row);
            is_persons.then(|| locate_in(&row.content, quote)).flatten().map(|span| (at, span))
        });
        match newest {
            Some((at, span)) => Ok(Cited { conversation, persons, rows, speakers, at, span }),
            None => refused(
                "these words are not in a person's message of this conversation; quote at least six characters word for word, and append the message first",
            ),
        }
    }

    /// Suggests a memory. It waits for the person's decision, whatever the agent says about it.
    pub fn suggest_memory(&self, agent: &AgentAccess, suggestion: &Suggestion) -> Result<Suggested> {
        agent.check_running()?;
        let Suggestion { conversation, message, quote, statement, category } = suggestion;
        let cited = self.cited(agent, conversation, message.as_deref(), quote)?;
        let turns = turns(&cited.rows, &cited.speakers);
        let category = category.unwrap_or(Category::PersonalInfo);
        let mut candidate = by_hand(&turns, cited.at, cited.span, category).map_err(EngineError::Refused)?;
        candidate.reasoning = format!("The agent {} suggests this.", agent.name);
        if let Some(statement) = statement.as_deref().map(str::trim).filter(|text| !text.is_empty()) {
            candidate.content = validate::shown(statement);
            candidate.confidence = keepsake_domain::Confidence::FLOOR;
        }
        // This refusal depends only on the words; it does not reveal whether anything is already known.
        if masked(&candidate.content) != candidate.content {
            return refused("these words contain a secret, which is not kept as a memory; quote the statement alone");
        }
        // Words that instruct a machine are kept as data, for the person to see.
        candidate.is_quarantined = !may_be_served(&candidate.content) || !may_be_served(turns[cited.at].text);
        if !candidate.is_quarantined {
            gate(&candidate, &turns)?;
        }
        let proposer = proposer_of(agent);
        let harvest = Harvest { rows: &cited.rows, candidates: vec![candidate], stops: Vec::new(), proposer };
        let (now, chars) = (self.engine.now(), quote.chars().count());
        let proposed = self.store_harvests(&cited.conversation, vec![harvest], None, |tx, proposed| {
            let made = proposed.created.iter().map(|(id, _)| id.to_string()).collect();
            log_write(tx, &agent.name, WriteKind::Remember, chars, made, now)
        })?;
        if let Some((id, _)) = proposed.created.into_iter().next() {
            return Ok(Suggested::Pending(id));
        }
        Ok(proposed.quarantined.into_iter().next().map_or(Suggested::Known, Suggested::Pending))
    }

    /// Reports a request that the agent could not fulfill, in its original words.
    pub fn report_gap(&self, agent: &AgentAccess, conversation: &str, message: Option<&str>, quote: &str) -> Result<GapId> {
        agent.check_running()?;
        let cited = self.cited(agent, conversation, message, quote)?;
        let row = &cited.rows[cited.at];
        let words = cited.span.quote(&row.content).map_err(|error| EngineError::Refused(error.to_string()))?;
        let need: String = validate::shown(words).chars().take(limits::CONTENT_CHARS_MAX).collect();
        if masked(&need) != need || !may_be_served(&need) {
            return refused("these words contain a secret or an instruction to a machine; quote the request alone");
        }
        let fingerprint = gap_fingerprint(&need);
        let (now, id) = (self.engine.now(), GapId::fresh(self.engine.ids()));
        let gap = GapRow {
            id: id.clone(),
            entity: cited.persons.get(&row.handle_id).cloned(),
            description: description(1, &need),
            need,
            fingerprint: fingerprint.clone(),
            frequency: 1,
            status: GapStatus::Detected,
            first_seen: row.time,
            last_seen: row.time,
            resolved_at: None,
            dismissed_at: None,
            created_at: now,
            evidence: vec![EvidenceSpan { interaction: row.id.clone(), span: cited.span }],
            task: None,
            proposer: proposer_of(agent),
        };
        Ok(self.engine.store().write(|tx| {
            let known = tx.gaps().all()?.into_iter().find(|known| known.fingerprint == fingerprint).map(|known| known.id);
            if known.is_none() {
                tx.gaps().insert(&gap)?;
            }
            let told = known.unwrap_or(id);
            log_write(tx, &agent.name, WriteKind::ReportGap, gap.need.chars().count(), vec![told.to_string()], now)?;
            Ok(told)
        })?)
    }
}

/// Checks the candidate against the gates of every proposer.
fn gate(candidate: &keepsake_domain::Candidate, turns: &[Turn<'_>]) -> Result<()> {
    let conversation = keepsake_capture::Conversation { turns, owner_name: None, assistant_name: None };
    filter::check(candidate, &conversation)
        .and_then(|()| validate::check(candidate, &conversation))
        .map_err(|(_, reason)| EngineError::Refused(reason))
}
