//! `keepsake people`, `links`, `link`, `unlink`, `channels`, `channel`, `share`, `agent`, `context`.

use keepsake_api::dispatch;
use keepsake_domain::{EntityType, LinkId, ProfileId, Timestamp};
use keepsake_engine::{Audience, CHARS_PER_TOKEN, Context, ContextItem, ContextRequest, EmbedderSlot, Engine, Link, LinkStatus};
use keepsake_store::HandleRow;
use serde_json::{Value, json};

use super::{app, engine, model_dir};
use crate::args::{AgentsArgs, Args, AudienceArgs, ChannelChoice, ContextArgs, LinkAnswerName, LinkArgs, Switch};
use crate::output::{Failure, Output};

/// Lists people and agents, one per line. Services, such as an assistant's tools or a program that writes messages, are left out.
pub(crate) fn people(args: &Args, output: &mut Output) -> Result<(), Failure> {
    let engine = engine(args, EmbedderSlot::none())?;
    for person in engine.people().list()?.into_iter().filter(|person| person.entity_type != EntityType::Service.name()) {
        let handles: Vec<Value> = person
            .handles
            .iter()
            .map(|row| json!({ "id": row.id, "channel": row.channel_type, "handle": row.handle, "verified": row.verified }))
            .collect();
        if output.is_json() {
            output.json(&json!({
                "id": person.id, "name": person.name, "type": person.entity_type, "is_owner": person.is_owner, "handles": handles,
                "messages": person.messages, "first": time(person.first), "last": time(person.last),
            }))?;
        } else {
            let own = if person.is_owner { "  (you)" } else { "" };
            let handles: Vec<String> = person.handles.iter().map(address).collect();
            output.line(format!("{}  {:<7} {:<24} {}{own}", person.id, person.entity_type, person.name, handles.join(", ")))?;
        }
    }
    Ok(())
}

fn time(time: Option<Timestamp>) -> Option<String> {
    time.map(keepsake_engine::rfc3339)
}

fn address(row: &HandleRow) -> String {
    format!("{}:{}", row.channel_type, row.handle)
}

/// A clue as JSON: its kind, strength and locations. Quoted words are left out, because they may come from a private conversation
/// and this output may be sent anywhere.
fn clue(engine: &Engine, stored: &Value) -> Result<Value, Failure> {
    let mut spans = Vec::new();
    for place in stored["spans"].as_array().into_iter().flatten() {
        let Some(Ok(id)) = place["interaction"].as_str().map(str::parse) else { continue };
        if let Some(row) = engine.store().read(|tx| tx.log().interaction(&id))? {
            spans.push(json!({
                "source": { "kind": row.source_kind, "conversation": row.source_conversation, "message": row.source_message },
                "start": place["span"]["start"], "end": place["span"]["end"],
            }));
        }
    }
    Ok(json!({ "kind": stored["kind"], "evidence": spans }))
}

fn clues(engine: &Engine, stored: &Value) -> Result<Vec<Value>, Failure> {
    stored.as_array().into_iter().flatten().map(|one| clue(engine, one)).collect()
}

/// Lists suggested and answered links, one per line.
pub(crate) fn links(args: &Args, output: &mut Output) -> Result<(), Failure> {
    let engine = engine(args, EmbedderSlot::none())?;
    for link in engine.people().links()? {
        if output.is_json() {
            let side = |row: &HandleRow| json!({ "channel": row.channel_type, "handle": row.handle, "name": row.display_name });
            output.json(&json!({
                "id": link.id, "status": link.status.name(), "strength": link.strength, "a": side(&link.a), "b": side(&link.b),
                "for": clues(&engine, &link.evidence_for)?, "against": clues(&engine, &link.evidence_against)?,
            }))?;
        } else {
            output.line(format!(
                "{}  {:<9} {:<8} {}  =?  {}{}",
                link.id,
                link.status.name(),
                link.strength,
                address(&link.a),
                address(&link.b),
                reasons(&link)
            ))?;
        }
    }
    Ok(())
}

fn reasons(link: &Link) -> String {
    let kinds = |stored: &Value| -> Vec<String> {
        stored
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|clue| clue["kind"].as_str())
            .map(|kind| kind.replace('_', " "))
            .collect()
    };
    let (speaks_for, against) = (kinds(&link.evidence_for), kinds(&link.evidence_against));
    let mut words = String::new();
    if !speaks_for.is_empty() {
        words.push_str(&format!("  for: {}", speaks_for.join(", ")));
    }
    if !against.is_empty() {
        words.push_str(&format!("  against: {}", against.join(", ")));
    }
    words
}

/// Answers a suggestion, or links two handles manually.
pub(crate) fn link(args: &Args, wanted: &LinkArgs, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    let (a, b) = match (&wanted.handles[..], &wanted.suggestion, wanted.answer) {
        ([a, b], None, None) => (a.clone(), b.clone()),
        ([], Some(id), Some(answer)) => {
            let id: LinkId = id.parse().map_err(|error| Failure::new(format!("{error}; `keepsake links` lists the ids")))?;
            let link = app.engine().people().link(&id)?;
            if answer != LinkAnswerName::Same {
                dispatch(&app, "link_answer", json!({ "id": id, "answer": answer.name() }))?;
                return done(output, answer.name(), &link, &[]);
            }
            (link.a.id.to_string(), link.b.id.to_string())
        }
        _ => return Err(Failure::new("give a suggestion and an answer, or two handles with --handles A B")),
    };
    // The effect of a link is computed first and always printed.
    let preview = dispatch(&app, "link_preview", json!({ "a": a, "b": b }))?;
    let opened = preview["newly_visible"].as_array().cloned().unwrap_or_default();
    match &wanted.suggestion {
        Some(id) => dispatch(&app, "link_answer", json!({ "id": id, "answer": "same" }))?,
        None => dispatch(&app, "link_handles", json!({ "a": a, "b": b }))?,
    };
    let made = app
        .engine()
        .people()
        .links()?
        .into_iter()
        .filter(|link| link.status == LinkStatus::Same)
        .find(|link| {
            let names = |row: &HandleRow, text: &str| row.id.as_str() == text || address(row) == text;
            (names(&link.a, &a) && names(&link.b, &b)) || (names(&link.a, &b) && names(&link.b, &a))
        })
        .ok_or_else(|| Failure::new("the link was stored but cannot be found again; please report this"))?;
    done(output, "same", &made, &opened)
}

fn done(output: &mut Output, answer: &str, link: &Link, opened: &[Value]) -> Result<(), Failure> {
    if output.is_json() {
        return output.json(&json!({ "id": link.id, "status": answer, "newly_visible": opened }));
    }
    let (a, b) = (address(&link.a), address(&link.b));
    output.line(match answer {
        "same" => format!("{a} and {b} are now the same person ({}); `keepsake unlink {}` undoes this", link.id, link.id),
        "different" => format!("{a} and {b} are different people; this pair is not suggested again"),
        _ => format!("{a} and {b}: you are asked again only if there is new evidence"),
    })?;
    say_opened(output, opened)
}

/// Prints what a link makes visible.
pub(super) fn say_opened(output: &mut Output, opened: &[Value]) -> Result<(), Failure> {
    for place in opened {
        output.line(format!(
            "  in \"{}\", {} more memories from private conversations may be used now",
            place["title"].as_str().unwrap_or_default(),
            place["memories"]
        ))?;
    }
    Ok(())
}

/// Removes a link.
pub(crate) fn unlink(args: &Args, id: &str, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    dispatch(&app, "link_remove", json!({ "id": id }))?;
    if output.is_json() {
        return output.json(&json!({ "id": id, "status": "unlinked" }));
    }
    output.line("Link removed; everything is as it was before")
}

/// Lists channels with their visibility.
pub(crate) fn channels(args: &Args, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    let listed = dispatch(&app, "channels_list", Value::Null)?;
    for row in listed["items"].as_array().into_iter().flatten() {
        if output.is_json() {
            output.json(row)?;
        } else {
            output.line(format!(
                "{:<8} {:>6} messages  {}:{}{}",
                row["visibility"].as_str().unwrap_or_default(),
                row["messages"],
                row["channel_type"].as_str().unwrap_or_default(),
                row["channel_id"].as_str().unwrap_or_default(),
                if row["chosen"].is_null() { "" } else { "  (your choice)" },
            ))?;
        }
    }
    Ok(())
}

/// Sets the visibility of a channel or a conversation, and prints the effect.
pub(crate) fn channel(args: &Args, name: &str, choice: ChannelChoice, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    let mut request = match super::conversation(app.engine(), name) {
        Ok(id) => json!({ "conversation_id": id }),
        Err(_) => {
            let (channel_type, channel_id) = name.split_once(':').ok_or_else(|| {
                Failure::new(format!(
                    "'{name}' is neither a channel (type:id) nor a conversation; `keepsake channels` and \
                     `keepsake conversations` list them"
                ))
            })?;
            json!({ "channel_type": channel_type, "channel_id": channel_id })
        }
    };
    request["visibility"] = match choice {
        ChannelChoice::Public => json!("public"),
        ChannelChoice::Private => json!("private"),
        ChannelChoice::Default => Value::Null,
    };
    let effect = dispatch(&app, "visibility_preview", request.clone())?;
    dispatch(&app, "visibility_set", request)?;
    if output.is_json() {
        return output.json(&effect);
    }
    output.line(format!(
        "{} conversations changed; {} more memories may be used anywhere now, {} no longer",
        effect["conversations"], effect["opened_memories"], effect["closed_memories"]
    ))
}

/// Allows agents to use a memory or a profile entry anywhere, or revokes this permission.
pub(crate) fn share(args: &Args, id: &str, is_shared: bool, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    let command = if id.starts_with(ProfileId::PREFIX) { "profile_share" } else { "memory_share" };
    dispatch(&app, command, json!({ "id": id, "is_shared": is_shared }))?;
    if output.is_json() {
        return output.json(&json!({ "id": id, "is_shared": is_shared }));
    }
    output.line(if is_shared {
        "Agents may use this anywhere now"
    } else {
        "Agents may use this only where its sources allow it"
    })
}

/// Lists agents, or sets an agent's access level.
pub(crate) fn agents(args: &Args, wanted: &AgentsArgs, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    if let Some(name) = &wanted.name {
        if let Some(visibility) = &wanted.visibility {
            dispatch(&app, "agent_set", json!({ "name": name, "visibility": visibility }))?;
        }
        let on = |state: Option<Switch>| state.map(|state| state == Switch::On);
        if wanted.skip.is_some() || wanted.goals.is_some() {
            let choice = json!({ "name": name, "skips_memory": on(wanted.skip), "holds_goals": on(wanted.goals) });
            dispatch(&app, "agent_choose", choice)?;
        }
    }
    let listed = dispatch(&app, "agents_overview", Value::Null)?;
    for row in listed["agents"].as_array().into_iter().flatten() {
        if output.is_json() {
            output.json(row)?;
            continue;
        }
        let note = |field: &str, words: &'static str| if row[field] == true { words } else { "" };
        output.line(format!(
            "{:<8} {}  {} sessions, served {} times{}{}",
            row["visibility"].as_str().unwrap_or("-"),
            row["name"].as_str().unwrap_or_default(),
            row["sessions"],
            row["reads"],
            note("skips_memory", ", keeps no memory of sessions"),
            note("holds_goals", ", may have goals"),
        ))?;
    }
    Ok(())
}

/// Converts the audience arguments for the engine.
pub(crate) fn audience(args: &AudienceArgs) -> Audience {
    Audience { agent: args.agent.clone(), person: args.person.clone(), channel: args.channel.clone() }
}

/// Parses a point in time: a day, or a day with a time.
fn moment(text: &str) -> Result<Timestamp, Failure> {
    keepsake_engine::parse_moment(text)
        .ok_or_else(|| Failure::new(format!("'{text}' is not a time; write it as 2026-03-04 or 2026-03-04T10:00:00Z")))
}

/// Prints the context for an agent.
pub(crate) fn context(args: &Args, wanted: &ContextArgs, output: &mut Output) -> Result<(), Failure> {
    // The embedding model is needed only for a query, so it is not loaded without one.
    let embedder = if wanted.query.is_some() { EmbedderSlot::at(&model_dir()) } else { EmbedderSlot::none() };
    let engine = engine(args, embedder)?;
    let context = engine.serve().context(&ContextRequest {
        audience: audience(&wanted.audience),
        query: wanted.query.clone(),
        budget_chars: wanted.budget.or(wanted.tokens.map(|tokens| tokens.saturating_mul(CHARS_PER_TOKEN))).unwrap_or(0),
        as_of: wanted.as_of.as_deref().map(moment).transpose()?,
    })?;
    if output.is_json() { output.json(&context) } else { output.text(&numbered(&context)) }
}

/// Replaces the ids of the served items with short numbers, counted from 1 in item order. With `--json`, ids are printed instead.
fn numbered(context: &Context) -> String {
    let short =
        |text: String, (at, item): (usize, &ContextItem)| text.replace(&format!("[{}]", item.id), &format!("[{}]", at + 1));
    context.items.iter().enumerate().fold(context.text.clone(), short)
}
