//! Commands for agents as principals: add one, give it a new token, pause it, remove it, and serve all of them over HTTP.
//!
//! Not here: the tools that agents call (`crate::agents`), and the list of all programs with their reads (`sessions`).

use keepsake_domain::Visibility;
use keepsake_engine::{AgentServer, NewAgent, random_bytes};

use super::sessions::agents_overview;
use crate::app::App;
use crate::error::ApiError;
use crate::types::Nothing;
use crate::types::agents::*;
use crate::types::sessions::AgentsOverview;

pub(crate) fn agent_add(app: &App, request: AgentAddRequest) -> Result<AgentToken, ApiError> {
    let visibility: Visibility = request.visibility.as_deref().unwrap_or("private").parse()?;
    let new = NewAgent { name: request.name, visibility, channels: request.channels, hears_owner: !request.talks_with_others };
    let name = new.name.trim().to_owned();
    Ok(AgentToken { token: app.engine().agents().add(&new, random_bytes()?)?, name })
}

pub(crate) fn agent_renew(app: &App, request: AgentName) -> Result<AgentToken, ApiError> {
    Ok(AgentToken { token: app.engine().agents().renew_token(&request.name, random_bytes()?)?, name: request.name })
}

pub(crate) fn agent_pause(app: &App, request: AgentPauseRequest) -> Result<AgentsOverview, ApiError> {
    app.engine().agents().pause(&request.name, request.is_paused)?;
    agents_overview(app, Nothing {})
}

pub(crate) fn agent_remove(app: &App, request: AgentName) -> Result<AgentsOverview, ApiError> {
    app.engine().agents().remove(&request.name)?;
    agents_overview(app, Nothing {})
}

pub(crate) fn agent_server_get(app: &App, _: Nothing) -> Result<AgentServerView, ApiError> {
    let AgentServer { is_on, port } = app.engine().agents().server()?;
    Ok(AgentServerView { choice: AgentServerChoice { is_on, port }, state: app.agent_server_state() })
}

pub(crate) fn agent_server_set(app: &App, request: AgentServerChoice) -> Result<AgentServerView, ApiError> {
    app.engine().agents().set_server(AgentServer { is_on: request.is_on, port: request.port })?;
    agent_server_get(app, Nothing {})
}
