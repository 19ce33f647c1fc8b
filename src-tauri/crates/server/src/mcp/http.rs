//! MCP over HTTP on loopback. The token of each request identifies the agent, and this process runs the tools. There are no
//! sessions: every request is independent, so a client can continue after this server was restarted.
//!
//! Not in this module: checking the tokens (`agent_http`).

use std::sync::Arc;

use axum::http::request::Parts;
use keepsake_api::agents::{ToolAnswer, tool};
use keepsake_api::{ApiError, App};
use keepsake_engine::AgentAccess;
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;

use super::{Caller, Server, internal};
use crate::protocol::CALL_BYTES_MAX;

/// Runs tools for the agent that the request's token identifies. The HTTP layer has already checked the token.
#[derive(Clone)]
pub(crate) struct OfRequest(App);

/// The agent to which the request's token belongs.
fn agent_of(context: &RequestContext<RoleServer>) -> Result<AgentAccess, ErrorData> {
    let agent = context.extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<AgentAccess>());
    agent.cloned().ok_or_else(|| ErrorData::invalid_request("the agent of this request is not known", None))
}

impl Caller for OfRequest {
    async fn run(
        &self,
        name: &'static str,
        request: Value,
        context: &RequestContext<RoleServer>,
    ) -> Result<Result<ToolAnswer, ApiError>, ErrorData> {
        let (app, agent) = (self.0.clone(), agent_of(context)?);
        let Some(tool) = tool(name) else { return Err(internal()) };
        tokio::task::spawn_blocking(move || tool.run(&app, &agent, request)).await.map_err(|_| internal())
    }
}

/// MCP over HTTP, to be mounted behind the token check.
pub(crate) fn service(app: &App, port: u16) -> StreamableHttpService<Server<OfRequest>, NeverSessionManager> {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_allowed_origins([format!("http://127.0.0.1:{port}"), format!("http://localhost:{port}")])
        .enforce_origin_validation()
        .with_max_request_body_bytes(CALL_BYTES_MAX);
    let server = Server { caller: OfRequest(app.clone()) };
    StreamableHttpService::new(move || Ok(server.clone()), Arc::new(NeverSessionManager::default()), config)
}
