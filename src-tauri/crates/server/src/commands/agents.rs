//! Commands for agents that have a token: add, list, pause, resume and remove them.

use keepsake_api::dispatch;
use serde_json::{Value, json};

use super::app;
use crate::args::{AgentCommand, Args};
use crate::output::{Failure, Output};

/// Runs a command about agents with tokens.
pub(crate) fn run(args: &Args, command: &AgentCommand, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    match command {
        AgentCommand::Add { name, public, channels, with_others } => {
            let request = json!({
                "name": name,
                "visibility": if *public { "public" } else { "private" },
                "channels": channels,
                "talks_with_others": with_others,
            });
            token(&dispatch(&app, "agent_add", request)?, output)
        }
        AgentCommand::Token { name } => token(&dispatch(&app, "agent_renew", json!({ "name": name }))?, output),
        AgentCommand::Pause { name } => list(dispatch(&app, "agent_pause", json!({ "name": name, "is_paused": true }))?, output),
        AgentCommand::Resume { name } => {
            list(dispatch(&app, "agent_pause", json!({ "name": name, "is_paused": false }))?, output)
        }
        AgentCommand::Remove { name } => list(dispatch(&app, "agent_remove", json!({ "name": name }))?, output),
        AgentCommand::List => list(dispatch(&app, "agents_overview", Value::Null)?, output),
    }
}

/// Prints a new token.
fn token(made: &Value, output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        return output.json(made);
    }
    output.line(made["token"].as_str().unwrap_or_default())?;
    output.line("This is the only time the token is shown. Give it to the agent as a bearer token.")
}

/// Lists the agents that have a token.
fn list(overview: Value, output: &mut Output) -> Result<(), Failure> {
    for row in overview["agents"].as_array().into_iter().flatten().filter(|row| !row["access"].is_null()) {
        if output.is_json() {
            output.json(row)?;
            continue;
        }
        let access = &row["access"];
        let note = |field: &str, words: &'static str| if access[field] == true { words } else { "" };
        let channels: Vec<&str> = access["channels"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        output.line(format!(
            "{:<8} {}  {}{}{}",
            row["visibility"].as_str().unwrap_or("-"),
            row["name"].as_str().unwrap_or_default(),
            if channels.is_empty() { "all channels".to_owned() } else { channels.join(", ") },
            note("talks_with_others", ", talks with others"),
            note("is_paused", ", paused"),
        ))?;
    }
    Ok(())
}
