//! Commands for sessions with agents, the tiers of long-term memory, and agents with their access log.

use std::collections::BTreeMap;

use keepsake_domain::{ConversationId, EntityId, PersonRole, SessionId};
use keepsake_engine::{AgentAccess, Audience, TierAsk, TierLineRow, Tiers, agent_key};
use keepsake_store::{ReadTx, Result as StoreResult, SessionItemRow, SessionRow};

use super::lines::line;
use super::title_or_stand_in;
use crate::app::App;
use crate::error::ApiError;
use crate::types::agents::AgentAccessView;
use crate::types::people::WithheldView;
use crate::types::sessions::*;
use crate::types::{ById, Nothing};

/// Number of access log entries listed. The store keeps more.
const READS_SHOWN: u32 = 200;

/// Number of access log entries counted, which is all that the store keeps.
const READS_COUNTED: u32 = 20_000;

fn row(tx: &ReadTx<'_>, session: &SessionRow, items: &[SessionItemRow]) -> StoreResult<SessionListRow> {
    let conversation = tx.log().conversation(&session.conversation_id)?;
    let intent = items.iter().find(|item| item.field == "intent").map(|item| item.text.clone());
    Ok(SessionListRow {
        id: session.id.to_string(),
        conversation_id: session.conversation_id.to_string(),
        conversation_title: title_or_stand_in(conversation.title.as_deref()),
        agent: session.agent_name.clone(),
        user: session.user_name.clone(),
        intent: intent.unwrap_or_default(),
        first: session.first_at.0,
        last: session.last_at.0,
        messages: session.messages,
        technical_depth: session.technical_depth.clone(),
        user_mood: session.user_mood.clone(),
        significance: session.significance,
        outcome: session.outcome.clone(),
        is_distilled: session.is_distilled,
        proposer: session.proposer.clone(),
    })
}

pub(crate) fn sessions_list(app: &App, request: SessionsRequest) -> Result<SessionsResponse, ApiError> {
    let agent = request.agent.as_deref().map(agent_key).filter(|key| !key.is_empty());
    Ok(app.engine().store().read(|tx| {
        let all = tx.sessions().list(None, false)?;
        let mut agents: BTreeMap<&str, &str> = BTreeMap::new();
        for session in &all {
            agents.entry(&session.agent).or_insert(&session.agent_name);
        }
        let agents = agents.into_values().map(str::to_owned).collect();
        let wanted: Vec<&SessionRow> =
            all.iter().filter(|session| agent.as_ref().is_none_or(|agent| session.agent == *agent)).collect();
        let ids: Vec<SessionId> = wanted.iter().map(|session| session.id.clone()).collect();
        let items = tx.sessions().items(&ids)?;
        let of = |session: &SessionRow| items.get(&session.id).map_or(&[][..], Vec::as_slice);
        let items = wanted.iter().map(|session| row(tx, session, of(session))).collect::<StoreResult<_>>()?;
        Ok(SessionsResponse { items, agents })
    })?)
}

pub(crate) fn session_get(app: &App, request: ById) -> Result<SessionDetail, ApiError> {
    let id: SessionId = request.id.parse()?;
    Ok(app.engine().store().read(|tx| {
        let session = tx.sessions().session(&id)?;
        let items = tx.sessions().items(std::slice::from_ref(&id))?.remove(&id).unwrap_or_default();
        let mut views = Vec::new();
        for item in &items {
            // An item is shown only if its words still exist in the log.
            let Some(message) = tx.log().interaction(&item.place.interaction)? else { continue };
            if item.place.span.quote(&message.content).is_err() {
                continue;
            }
            views.push(SessionItemView {
                field: item.field.clone(),
                name: item.name.clone(),
                uses: item.uses,
                text: item.text.clone(),
                line: line(tx, &message, Some(item.place.span))?,
            });
        }
        let is_version = |other: &&SessionRow| {
            other.conversation_id == session.conversation_id && other.agent == session.agent && other.entity == session.entity
        };
        let versions = tx
            .sessions()
            .list(Some(&session.agent), true)?
            .iter()
            .filter(is_version)
            .map(|other| SessionVersionView {
                id: other.id.to_string(),
                messages: other.messages,
                last: other.last_at.0,
                made: other.created.0,
                proposer: other.proposer.clone(),
                is_current: other.superseded.is_none(),
            })
            .collect();
        Ok(SessionDetail { session: row(tx, &session, &items)?, items: views, versions })
    })?)
}

pub(crate) fn session_end(app: &App, request: SessionEndRequest) -> Result<SessionEnded, ApiError> {
    let id: ConversationId = request.conversation_id.parse()?;
    let said_by = request.agent.as_deref().map(agent_key).filter(|key| !key.is_empty());
    let is_new = app.engine().sessions().end(&id, said_by.as_deref().unwrap_or("person"))?;
    Ok(SessionEnded { is_new })
}

pub(crate) fn sessions_rebuild(app: &App, _: Nothing) -> Result<Nothing, ApiError> {
    app.engine().sessions().rebuild()?;
    Ok(Nothing {})
}

fn role(text: &str) -> Result<PersonRole, ApiError> {
    text.parse().map_err(|error: keepsake_domain::ParseNameError| ApiError::invalid(error.to_string()))
}

fn tier_lines(tx: &ReadTx<'_>, rows: &[TierLineRow]) -> StoreResult<Vec<TierLineView>> {
    let mut views = Vec::new();
    for row in rows {
        let Some(message) = tx.log().interaction(&row.entry.place.interaction)? else { continue };
        views.push(TierLineView {
            id: row.entry.id.to_string(),
            text: row.text.clone(),
            kind: row.entry.kind.clone(),
            significance: row.entry.significance,
            session_id: row.entry.session.to_string(),
            line: line(tx, &message, Some(row.entry.place.span))?,
        });
    }
    Ok(views)
}

pub(crate) fn tiers_get(app: &App, request: TiersRequest) -> Result<TiersResponse, ApiError> {
    let found = app.engine().sessions().tiers(&tier_ask(request)?)?;
    tiers_view(app, found)
}

pub(crate) fn tiers_preview(app: &App, request: TiersRequest) -> Result<TiersResponse, ApiError> {
    let found = app.engine().sessions().tiers_preview(&tier_ask(request)?)?;
    tiers_view(app, found)
}

fn tier_ask(request: TiersRequest) -> Result<TierAsk, ApiError> {
    let named = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    Ok(TierAsk {
        audience: Audience { agent: named(request.agent), person: named(request.person), channel: named(request.channel) },
        role: named(request.role).as_deref().map(role).transpose()?,
    })
}

fn tiers_view(app: &App, found: Tiers) -> Result<TiersResponse, ApiError> {
    let tiers = app.engine().store().read(|tx| {
        found
            .tiers
            .iter()
            .map(|tier| {
                Ok(TierView {
                    tier: tier.tier.name().to_owned(),
                    agent: tier.agent.as_ref().map(|(_, name)| name.clone()),
                    user: tier.user.as_ref().map(|(_, name)| name.clone()),
                    is_allowed: tier.is_allowed,
                    budget: tier.budget_chars as u32,
                    chars: tier.chars as u32,
                    text: tier.text.clone(),
                    lines: tier_lines(tx, &tier.lines)?,
                    left_out: tier_lines(tx, &tier.left_out)?,
                    repeated: tier.repeated as u32,
                })
            })
            .collect::<StoreResult<_>>()
    })?;
    let withheld = found.withheld.into_iter().map(|held| WithheldView { rule: held.rule.to_owned(), count: held.count });
    Ok(TiersResponse { role: found.role.to_string(), tiers, withheld: withheld.collect() })
}

fn access(agent: &AgentAccess) -> AgentAccessView {
    AgentAccessView {
        channels: agent.channels.clone(),
        talks_with_others: !agent.hears_owner,
        is_paused: agent.is_paused,
        created: agent.created.0,
        last_used: agent.last_used.map(|time| time.0),
    }
}

pub(crate) fn agents_overview(app: &App, _: Nothing) -> Result<AgentsOverview, ApiError> {
    let engine = app.engine();
    let rules = engine.sessions().rules()?;
    let people = engine.people().list()?;
    let added = engine.agents().list()?;
    Ok(engine.store().read(|tx| {
        let mut names: BTreeMap<String, String> = BTreeMap::new();
        let mut messages: BTreeMap<String, u64> = BTreeMap::new();
        for (name, count) in tx.sessions().agents_that_spoke()? {
            let key = agent_key(&name);
            *messages.entry(key.clone()).or_default() += count;
            names.entry(key).or_insert(name);
        }
        let levels: BTreeMap<String, String> =
            tx.privacy().agents()?.into_iter().map(|(name, level)| (agent_key(&name), (name, level))).fold(
                BTreeMap::new(),
                |mut all, (key, (name, level))| {
                    names.entry(key.clone()).or_insert(name);
                    all.insert(key, level.to_string());
                    all
                },
            );
        let mut sessions: BTreeMap<String, u64> = BTreeMap::new();
        for session in tx.sessions().list(None, false)? {
            *sessions.entry(session.agent).or_default() += 1;
        }
        let all_reads = tx.tiers().access_log(None, READS_COUNTED)?;
        // A program without a name is not listed as an agent, but its entries still appear in the access log.
        for read in all_reads.iter().filter(|read| !read.agent.is_empty()) {
            names.entry(read.agent.clone()).or_insert_with(|| read.agent.clone());
        }
        for agent in &added {
            names.insert(agent_key(&agent.name), agent.name.clone());
        }
        for key in &rules.goal_agents {
            names.entry(key.clone()).or_insert_with(|| key.clone());
        }
        let agents = names
            .iter()
            .map(|(key, name)| AgentRow {
                visibility: levels.get(key).cloned(),
                access: added.iter().find(|agent| agent_key(&agent.name) == *key).map(access),
                skips_memory: rules.skips(key),
                holds_goals: rules.holds_goals(key),
                messages: messages.get(key).copied().unwrap_or(0),
                sessions: sessions.get(key).copied().unwrap_or(0),
                reads: all_reads.iter().filter(|read| read.agent == *key && !read.is_write()).count() as u64,
                last_read: all_reads.iter().find(|read| read.agent == *key && !read.is_write()).map(|read| read.at.0),
                name: name.clone(),
            })
            .collect();
        let persons = tx.people().persons()?;
        let name_of = |id: &EntityId| {
            let person = persons.of(id);
            people.iter().find(|row| row.id == person).map(|row| row.name.clone())
        };
        let reads = all_reads.iter().take(READS_SHOWN as usize).map(|read| AgentReadView {
            id: read.seq.to_string(),
            agent: names.get(&read.agent).unwrap_or(&read.agent).clone(),
            kind: read.kind.clone(),
            person: read.entity.as_ref().and_then(name_of),
            chars: read.chars,
            items: read.items,
            at: read.at.0,
        });
        let reads = reads.collect();
        let others = people.iter().filter(|person| person.entity_type == "person" && !persons.is_owner(&person.id));
        let roles = tx.tiers().person_roles()?;
        let people = others
            .map(|person| {
                let role = persons.members(&person.id).iter().map(|id| roles.get(id).copied().unwrap_or(PersonRole::Guest)).min();
                let role = role.unwrap_or(PersonRole::Guest).to_string();
                PersonRoleView { id: person.id.to_string(), name: person.name.clone(), role }
            })
            .collect();
        Ok(AgentsOverview { agents, reads, people })
    })?)
}

pub(crate) fn agent_choose(app: &App, request: AgentChoice) -> Result<AgentsOverview, ApiError> {
    let key = agent_key(&request.name);
    if key.is_empty() {
        return Err(ApiError::invalid("the agent has no name; enter one"));
    }
    let engine = app.engine();
    let mut rules = engine.sessions().rules()?;
    let put = |names: &mut Vec<String>, wanted: Option<bool>| match wanted {
        Some(true) if !names.contains(&key) => names.push(key.clone()),
        Some(false) => names.retain(|name| *name != key),
        _ => {}
    };
    put(&mut rules.skip_agents, request.skips_memory);
    put(&mut rules.goal_agents, request.holds_goals);
    engine.sessions().set_rules(&rules)?;
    agents_overview(app, Nothing {})
}

pub(crate) fn person_role_set(app: &App, request: PersonRoleRequest) -> Result<AgentsOverview, ApiError> {
    let person: EntityId = request.id.parse()?;
    app.engine().sessions().set_person_role(&person, role(&request.role)?)?;
    agents_overview(app, Nothing {})
}
