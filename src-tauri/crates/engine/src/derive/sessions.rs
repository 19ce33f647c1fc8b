//! Keeps records of sessions with agents up to date (seed 000, phase 1). A session is recorded when it ends: when its
//! conversation is judged to have ended, or when an agent says so.
//!
//! A conversation is read up to where it ended, once for each pair of an agent and a user in it. When it continues and ends
//! again, new rows replace the old ones. Ids depend on the messages and on the rules and reader used, so all records can be
//! dropped and recreated. Agents on the skip list have no sessions, and neither do excluded conversations.
//! [`crate::derive::tiers`] distills the sessions made here.
//!
//! The rules summarize a session first. If a language model is chosen, it summarizes the same messages afterwards, in its own
//! lane (`by_model`), and the model's record replaces the rules' record if it is accepted.
//!
//! Not in this module: the record (`insight::session`), and who may see it (`boundary`).

mod by_model;

use keepsake_domain::{Category, ConversationId, EntityId, EvidenceSpan, JobId, JobKind, Mark, Offer, Reading, Role, SessionId};
use keepsake_insight::conversation::Place;
use keepsake_insight::session::{
    ENGINE_VERSION, Exchange, Finding, FindingKind, SessionInput, SessionRecord, Speaker, exchanges, summarise,
};
use keepsake_store::{
    FoundSession, InteractionRow, Lease, NewJob, ReadTx, SessionEnd, SessionItemRow, SessionRow, Speakers, StoreError,
};
use serde::{Deserialize, Serialize};

use crate::areas::Sessions;
use crate::derive::readable_messages::insight_turns;
use crate::derive::readable_messages::messages_on_record;
use crate::queue::control::Control;
use crate::serve::masked::masked_part;
use crate::{EngineError, Result};

/// Setting that stores the session rules.
const RULES_SETTING: &str = "sessions";

/// Name of this setting in error messages.
const CHOICES: &str = "agent settings";

/// Number of conversations written in one transaction: each transaction is a durable write, and an import may add thousands
/// of conversations.
const BATCH: usize = 16;

/// Maximum length of an agent's name in characters; anything longer is not a name.
const NAME_CHARS_MAX: usize = 100;

/// Agents whose sessions are not summarized by default: workers that talk about tasks (seed 000, `memorySkipAgents`).
pub const SKIPPED_AGENTS: [&str; 22] = [
    "mrtool", "analyst", "sysadmin", "ceo", "director", "team_leader", "employee", "elon", "projectmanager", "queen", "bee",
    "worker", "scout", "soldier", "debugger", "janitor", "memorymaster", "memorymanager", "accountant", "developer", "marketing",
    "sales_rep",
];

/// Which agents have a memory of their sessions, and which may have goals. Names are lowercase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionRules {
    /// Agents whose sessions are not summarized.
    pub skip_agents: Vec<String>,
    /// Agents that may have goals.
    pub goal_agents: Vec<String>,
}

impl Default for SessionRules {
    fn default() -> Self {
        Self { skip_agents: SKIPPED_AGENTS.map(str::to_owned).to_vec(), goal_agents: Vec::new() }
    }
}

/// An agent's name in the form under which sessions are stored: lowercase, with single spaces.
pub fn agent_key(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

impl SessionRules {
    /// Whether this agent's sessions are not summarized.
    pub fn skips(&self, agent: &str) -> bool {
        let key = agent_key(agent);
        self.skip_agents.contains(&key)
    }

    /// Whether this agent may have goals.
    pub fn holds_goals(&self, agent: &str) -> bool {
        let key = agent_key(agent);
        self.goal_agents.contains(&key)
    }

    /// Identifies the rules and the reader with which sessions are recorded, and whether a model makes proposals. If it does,
    /// its records are used.
    fn mark(&self, reader: Option<&str>, has_model: bool) -> String {
        let mut hash = blake3::Hasher::new();
        hash.update(ENGINE_VERSION.as_bytes());
        hash.update(reader.unwrap_or_default().as_bytes());
        for (kind, names) in [("skip", &self.skip_agents), ("goals", &self.goal_agents)] {
            let mut names: Vec<&String> = names.iter().collect();
            names.sort();
            names.dedup();
            hash.update(kind.as_bytes());
            for name in names {
                hash.update(b"|").update(name.as_bytes());
            }
        }
        if has_model {
            hash.update(b"model");
        }
        hash.finalize().to_hex()[..24].to_owned()
    }
}

/// A session after reading.
struct Read {
    /// The row according to the rules.
    row: SessionRow,
    items: Vec<SessionItemRow>,
    record: SessionRecord,
    /// The session's messages. Those written by its user have the role of the owner.
    own: Vec<InteractionRow>,
}

/// The settings for one pass over sessions.
struct SessionPass {
    rules: SessionRules,
    has_model: bool,
    mark: String,
}

impl Sessions<'_> {
    /// Which agents have a memory of their sessions, and which may have goals.
    pub fn rules(&self) -> Result<SessionRules> {
        Ok(self.engine.store().read(session_rules)?)
    }

    /// Sets which agents have a memory of their sessions, and which may have goals. Sessions recorded under other rules are
    /// recorded again.
    pub fn set_rules(&self, rules: &SessionRules) -> Result<()> {
        let clean = |names: &[String]| {
            let mut names: Vec<String> = names.iter().map(|name| agent_key(name)).filter(|name| !name.is_empty()).collect();
            names.sort();
            names.dedup();
            names
        };
        if rules.skip_agents.iter().chain(&rules.goal_agents).any(|name| name.chars().count() > NAME_CHARS_MAX) {
            return Err(EngineError::Refused(format!(
                "the name of the agent is longer than {NAME_CHARS_MAX} characters; enter a shorter one"
            )));
        }
        let rules = SessionRules { skip_agents: clean(&rules.skip_agents), goal_agents: clean(&rules.goal_agents) };
        self.engine.store().write(|tx| tx.settings().put_choice(RULES_SETTING, CHOICES, &rules, self.engine.now()))?;
        self.queue()
    }

    /// Records that a session ended with the last message so far. Returns `false` if that was already known.
    pub fn end(&self, id: &ConversationId, said_by: &str) -> Result<bool> {
        let noted = self.engine.store().write(|tx| {
            let conversation = tx.log().conversation(id)?;
            if conversation.is_private {
                return Ok(None);
            }
            let last = tx.log().last_seq(id)?;
            tx.sessions().end(id, last, said_by, self.engine.now()).map(Some)
        })?;
        let noted = noted.ok_or_else(|| {
            EngineError::Refused("this conversation is excluded from memory, so its sessions are not kept".to_owned())
        })?;
        self.queue()?;
        Ok(noted)
    }

    /// Queues a job that summarizes ended sessions and distills those not distilled yet, if there are any.
    pub fn queue(&self) -> Result<()> {
        let is_due = self.engine.store().read(|tx| {
            let reading = self.reading(tx)?;
            Ok(!tx.sessions().to_read(&reading.mark)?.is_empty() || !tx.sessions().to_distil(1)?.is_empty())
        })?;
        if is_due {
            let job = self.job();
            self.engine.store().write(|tx| tx.jobs().enqueue(&job, self.engine.now()))?;
            self.engine.queue().look_for_work();
        }
        Ok(())
    }

    /// A job that summarizes and distills sessions. One is enough: it handles everything that is due when it runs.
    pub(crate) fn job(&self) -> NewJob {
        NewJob {
            id: JobId::fresh(self.engine.ids()),
            kind: JobKind::Sessions,
            idempotency_key: "all".to_owned(),
            payload: "{}".to_owned(),
        }
    }

    /// Deletes all session records and the tiers, and queues a job that recreates them from the messages.
    pub fn rebuild(&self) -> Result<()> {
        self.engine.store().write(|tx| tx.sessions().drop())?;
        self.queue()
    }

    /// Summarizes the sessions that ended, and distills everything not distilled yet.
    pub(crate) fn perform(&self, lease: &Lease, control: &dyn Control) -> Result<()> {
        let (reading, due) = self.engine.store().read(|tx| {
            let reading = self.reading(tx)?;
            let due = tx.sessions().to_read(&reading.mark)?;
            Ok((reading, due))
        })?;
        let total = due.len() as u64;
        let mut done = 0;
        for batch in due.chunks(BATCH) {
            control.progress("Summarizing sessions", done, total);
            if control.is_cancelled() {
                return Err(EngineError::Cancelled);
            }
            self.read(batch, &reading, Some(lease))?;
            done += batch.len() as u64;
        }
        let mut distilled = 0;
        loop {
            control.progress("Updating memory tiers", distilled, 0);
            if control.is_cancelled() {
                return Err(EngineError::Cancelled);
            }
            match self.distil_pass(Some(lease))? {
                0 => break,
                count => distilled += count as u64,
            }
        }
        let result = serde_json::json!({ "conversations": total, "distilled": distilled }).to_string();
        self.engine.store().write(|tx| tx.jobs().complete(lease, &result, self.engine.now()))?;
        self.queue_for_model()
    }

    fn reading(&self, tx: &ReadTx<'_>) -> std::result::Result<SessionPass, StoreError> {
        let (rules, has_model) = (session_rules(tx)?, self.engine.models().has_proposing(tx)?);
        let mark = rules.mark(self.engine.inner.embedder.reader().version().as_deref(), has_model);
        Ok(SessionPass { rules, has_model, mark })
    }

    /// Reads and stores the sessions of some conversations.
    fn read(&self, ends: &[SessionEnd], reading: &SessionPass, lease: Option<&Lease>) -> Result<()> {
        let found = ends.iter().map(|end| self.found(end, reading)).collect::<Result<Vec<_>>>()?;
        let now = self.engine.now();
        Ok(self.engine.store().write(|tx| {
            if let Some(lease) = lease {
                tx.jobs().check_lease(lease)?;
            }
            ends.iter().zip(&found).filter_map(|(end, found)| Some((end, found.as_ref()?))).try_for_each(|(end, found)| {
                // Stored even if the conversation continued or was excluded meanwhile, because the session did end at this
                // message.
                tx.sessions().put(end, &reading.mark, found, now)
            })
        })?)
    }

    /// The sessions of one conversation as they should be stored; `None` if it no longer exists.
    fn found(&self, end: &SessionEnd, reading: &SessionPass) -> Result<Option<Vec<FoundSession>>> {
        let Some(read) = self.sessions_of(end, &reading.rules)? else { return Ok(None) };
        let found = read.into_iter().map(|read| {
            let by_model = if reading.has_model { self.told_before(&read)? } else { None };
            Ok(FoundSession { by_rules: (read.row, read.items), by_model })
        });
        found.collect::<Result<_>>().map(Some)
    }

    /// Summarizes and distills without the queue, for tests that check the result.
    #[cfg(test)]
    pub(crate) fn sessions_now(&self) -> Result<()> {
        let (reading, due) = self.engine.store().read(|tx| {
            let reading = self.reading(tx)?;
            let due = tx.sessions().to_read(&reading.mark)?;
            Ok((reading, due))
        })?;
        self.read(&due, &reading, None)?;
        while self.distil_pass(None)? > 0 {}
        Ok(())
    }

    /// The sessions of one conversation according to the rules, up to this end; `None` if it no longer exists.
    fn sessions_of(&self, end: &SessionEnd, rules: &SessionRules) -> Result<Option<Vec<Read>>> {
        let read = self.engine.store().read(|tx| {
            if tx.log().conversation(&end.conversation_id)?.is_private {
                return Ok(None);
            }
            let rows = messages_on_record(tx, &end.conversation_id)?;
            Ok(Some((rows, tx.people().entities_of_handles()?)))
        });
        let (rows, handles) = match read {
            Ok(Some(read)) => read,
            Ok(None) | Err(StoreError::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let read = self.engine.conversations().read_rows(&end.conversation_id, &rows, 0, &crate::queue::control::Unwatched)?;
        let mut readings = read.map(|read| read.of).unwrap_or_else(|| vec![Reading::default(); rows.len()]);
        let is_in = |row: &InteractionRow| row.seq <= end.through_seq && !row.is_branch;
        let mut wanted = rows.iter().map(is_in);
        readings.retain(|_| wanted.next().unwrap_or_default());
        let rows: Vec<InteractionRow> = rows.into_iter().filter(is_in).collect();
        let keys: Vec<String> = rows
            .iter()
            .map(|row| match row.role {
                Role::Owner | Role::Person => handles.get(&row.handle_id).map(ToString::to_string).unwrap_or_default(),
                Role::Assistant => agent_key(&row.author),
                Role::Tool | Role::System => String::new(),
            })
            .collect();
        let speakers: Vec<Speaker<'_>> = rows.iter().zip(&keys).map(|(row, key)| Speaker { key, role: row.role }).collect();
        let turns = insight_turns(&rows);
        let kept = exchanges(&turns, &speakers)
            .into_iter()
            .filter(|exchange| !exchange.agent.is_empty() && !exchange.user.is_empty() && !rules.skips(exchange.agent));
        let read = kept.map(|exchange| self.session_of(end, &rows, &readings, &exchange, rules)).collect::<Result<Vec<_>>>()?;
        Ok(Some(read.into_iter().flatten().collect()))
    }

    fn session_of(
        &self,
        end: &SessionEnd,
        rows: &[InteractionRow],
        readings: &[Reading],
        exchange: &Exchange<'_>,
        rules: &SessionRules,
    ) -> Result<Option<Read>> {
        let mut own: Vec<InteractionRow> = exchange.turns.iter().filter_map(|at| rows.get(*at).cloned()).collect();
        let read: Vec<_> = exchange.turns.iter().filter_map(|at| readings.get(*at).cloned()).collect();
        let name_of = |role: fn(Role) -> bool| own.iter().find(|row| role(row.role)).map(|row| row.author.clone());
        let (Some(user_name), Some(agent_name)) =
            (name_of(|role| matches!(role, Role::Owner | Role::Person)), name_of(|role| role == Role::Assistant))
        else {
            return Ok(None);
        };
        // Every user of a session speaks in it as "I", so their messages are read like the owner's.
        own.iter_mut().filter(|row| row.role == Role::Person).for_each(|row| row.role = Role::Owner);
        let (Ok(entity), Some(first), Some(last)) =
            (exchange.user.parse::<EntityId>(), own.first().cloned(), own.last().cloned())
        else {
            return Ok(None);
        };
        let may_hold_goals = rules.holds_goals(exchange.agent);
        let reader = self.engine.inner.embedder.reader().version();
        let id = session_id(&end.conversation_id, exchange, &own, may_hold_goals, reader.as_deref());
        let made = id.to_string();
        let record = self.record_of(&own, &read, may_hold_goals);
        let items = record.items.iter().filter_map(|item| item_of(item, &own)).collect();
        let row = SessionRow {
            id,
            conversation_id: end.conversation_id.clone(),
            agent: exchange.agent.to_owned(),
            agent_name,
            entity,
            user_name,
            first: first.id,
            last: last.id,
            messages: own.len() as u32,
            first_at: first.time,
            last_at: last.time,
            technical_depth: record.technical_depth.name().to_owned(),
            user_mood: record.user_mood.clone(),
            significance: record.significance,
            outcome: record.outcome.name().to_owned(),
            proposer: ENGINE_VERSION.to_owned(),
            supersedes: None,
            is_distilled: false,
            created: self.engine.maintenance().made_first(made.as_str()),
            superseded: None,
        };
        Ok(Some(Read { row, items, record, own }))
    }

    /// The record of a session according to the rules.
    fn record_of(&self, rows: &[InteractionRow], readings: &[Reading], may_hold_goals: bool) -> SessionRecord {
        let turns = insight_turns(rows);
        let tools: Vec<Option<&str>> = rows.iter().map(|row| row.tool.as_deref()).collect();
        let findings = findings(rows, readings);
        let marks: Vec<Vec<Mark>> = readings.iter().map(|reading| reading.marks.clone()).collect();
        summarise(&SessionInput { turns: &turns, tools: &tools, marks: &marks, findings: &findings, may_hold_goals })
    }
}

pub(crate) fn session_rules(tx: &ReadTx<'_>) -> std::result::Result<SessionRules, StoreError> {
    tx.settings().choice(RULES_SETTING, CHOICES)
}

/// Facts, preferences and goals that the reader finds in the user's own words.
fn findings(rows: &[InteractionRow], readings: &[Reading]) -> Vec<Finding> {
    // Only the owner's words yield findings, so a handle is enough to identify anybody else.
    let speakers = Speakers::default();
    let turns = crate::review::propose::turns(rows, &speakers);
    let conversation = keepsake_capture::Conversation { turns: &turns, owner_name: None, assistant_name: None };
    let mut found = Vec::new();
    for candidate in keepsake_capture::propose_read(&conversation, readings, Offer::default()).candidates {
        let kind = match candidate.category {
            _ if candidate.is_quarantined => continue,
            Category::Preference => FindingKind::Preference,
            Category::Goal => FindingKind::Goal,
            _ => FindingKind::Fact,
        };
        let is_spoken = |at: usize| rows.get(at).is_some_and(|row| row.role == Role::Owner);
        found.extend(
            candidate
                .evidence
                .first()
                .filter(|evidence| is_spoken(evidence.message))
                .map(|evidence| Finding { place: Place { turn: evidence.message, span: evidence.span }, kind }),
        );
    }
    found
}

fn item_of(item: &keepsake_insight::session::Item, rows: &[InteractionRow]) -> Option<SessionItemRow> {
    let row = rows.get(item.place.turn)?;
    Some(SessionItemRow {
        field: item.field.name().to_owned(),
        name: item.name.clone(),
        uses: item.uses,
        text: masked_part(&item.text, &row.content, &item.place.span.bytes_in(&row.content).ok()?),
        place: EvidenceSpan { interaction: row.id.clone(), span: item.place.span },
    })
}

fn session_id(
    conversation: &ConversationId,
    exchange: &Exchange<'_>,
    rows: &[InteractionRow],
    may_hold_goals: bool,
    reader: Option<&str>,
) -> SessionId {
    let mut hash = blake3::Hasher::new();
    hash.update(format!("{ENGINE_VERSION}|{}|{may_hold_goals}|{conversation}|", reader.unwrap_or_default()).as_bytes());
    hash.update(format!("{}|{}", exchange.agent, exchange.user).as_bytes());
    for row in rows {
        hash.update(b"|").update(row.id.as_str().as_bytes());
    }
    let hex = hash.finalize().to_hex();
    format!("{}{}", SessionId::PREFIX, &hex[..32]).parse().unwrap_or_else(|_| SessionId::from_uuid(uuid::Uuid::nil()))
}
