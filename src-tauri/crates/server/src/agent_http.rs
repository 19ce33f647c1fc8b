//! The tools for agents over plain HTTP, for bots that do not speak MCP: one POST route per tool under `/v1`, an OpenAPI document
//! made from the types, a feed of changes, and the memory router under `/router/v1`.
//!
//! An agent is identified only by its token, in `Authorization: Bearer`. A wrong token, a removed agent's token and a missing
//! token get the same answer, before any work. The engine treats what the agent may not see as if it did not exist.
//!
//! Not in this module: MCP (`mcp`), the window's own routes (`http`), what the tools do (`api::agents`), and what
//! the router does (`keepsake_router`).

use std::sync::Arc;

use axum::body::{Bytes, to_bytes};
use axum::extract::{DefaultBodyLimit, Path, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use keepsake_api::agents::{TOOLS, tool};
use keepsake_api::{ApiError, Code};
use keepsake_engine::AgentAccess;
use serde_json::{Map, Value, json};

use crate::answers::{failed, internal, refuse, too_often};
use crate::event_stream::event_stream;
use crate::protocol::CALL_BYTES_MAX;
use crate::shared::Shared;
use crate::{mcp, webhook};

/// The answer to every request without a valid token.
fn unknown_agent() -> Response {
    let words = "the agent's token is missing or wrong; `keepsake agents add` makes one, sent as Authorization: Bearer";
    let mut response = refuse(StatusCode::UNAUTHORIZED, Code::Refused, words);
    response.headers_mut().insert(header::WWW_AUTHENTICATE, header::HeaderValue::from_static("Bearer"));
    response
}

/// Identifies the agent by its token, and counts the call. The agent is passed on with the request.
pub(crate) async fn require_agent(State(shared): State<Arc<Shared>>, mut request: Request, next: Next) -> Response {
    let given = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let Some(token) = given.and_then(|value| value.strip_prefix("Bearer ")).map(str::to_owned) else { return unknown_agent() };
    let app = shared.app.clone();
    let found = tokio::task::spawn_blocking(move || app.engine().agents().of_token(&token)).await;
    let agent = match found {
        Ok(Ok(Some(agent))) => agent,
        Ok(Ok(None)) => return unknown_agent(),
        Ok(Err(error)) => return failed(&ApiError::from(error)),
        Err(_) => return internal(),
    };
    // The library would also accept protocol revisions that this server does not claim to support.
    let revision = request.headers().get("mcp-protocol-version").map(|revision| String::from_utf8_lossy(revision.as_bytes()));
    if let Some(asked) = revision.filter(|asked| mcp::REVISIONS.iter().all(|known| known.as_str() != asked.as_ref())) {
        let asked = asked.into_owned();
        let body = to_bytes(request.into_body(), CALL_BYTES_MAX).await.unwrap_or_default();
        return (StatusCode::BAD_REQUEST, Json(mcp::unsupported_revision(&asked, &body))).into_response();
    }
    let now = shared.app.engine().now();
    if let Err(seconds) = shared.rates.take(&agent.name, now.0) {
        return too_often(seconds);
    }
    request.extensions_mut().insert(agent);
    next.run(request).await
}

/// The routes for agents.
pub(crate) fn routes(shared: &Arc<Shared>) -> Router<Arc<Shared>> {
    Router::new()
        .route("/v1/events", get(events))
        .route("/v1/{tool}", post(call).layer(DefaultBodyLimit::max(CALL_BYTES_MAX)))
        .route_service("/mcp", mcp::http::service(&shared.app, shared.port))
        .nest_service("/router/v1", keepsake_router::routes(shared.app.clone()))
        .layer(from_fn_with_state(Arc::clone(shared), require_agent))
        .merge(webhook::routes())
        // Needs no token, because the document contains none of the person's data.
        .route("/v1/openapi.json", get(|| async { Json(openapi()) }))
}

async fn call(
    State(shared): State<Arc<Shared>>,
    Extension(agent): Extension<AgentAccess>,
    Path(name): Path<String>,
    body: Bytes,
) -> Response {
    let Some(tool) = tool(&name) else {
        return refuse(StatusCode::NOT_FOUND, Code::NotFound, "there is no such tool; /v1/openapi.json lists them");
    };
    let request = if body.is_empty() { Ok(Value::Null) } else { serde_json::from_slice(&body) };
    let Ok(request) = request else {
        return refuse(StatusCode::BAD_REQUEST, Code::Invalid, "the request is not JSON; /v1/openapi.json describes it");
    };
    let app = shared.app.clone();
    match tokio::task::spawn_blocking(move || tool.run(&app, &agent, request)).await {
        Ok(Ok(answer)) => Json(answer.data).into_response(),
        Ok(Err(error)) => failed(&error),
        Err(_) => internal(),
    }
}

/// The feed of changes. Only for an agent that talks with the owner and may see private information: to any other agent, the
/// mere fact that something changed would reveal something.
async fn events(State(shared): State<Arc<Shared>>, Extension(agent): Extension<AgentAccess>) -> Response {
    let app = shared.app.clone();
    let may = tokio::task::spawn_blocking(move || app.engine().agents().may_hear_of_changes(&agent)).await;
    match may {
        Ok(Ok(true)) => event_stream(&shared),
        Ok(Ok(false)) => refuse(StatusCode::FORBIDDEN, Code::Refused, "this agent may not follow changes"),
        Ok(Err(error)) => failed(&ApiError::from(error)),
        Err(_) => internal(),
    }
}

/// The OpenAPI document of the tools.
fn openapi() -> Value {
    let mut paths = Map::new();
    for tool in TOOLS {
        let body = |schema: Value| json!({ "content": { "application/json": { "schema": schema } } });
        let mut answer = body((tool.output)());
        answer["description"] = "The answer.".into();
        let mut request = body((tool.input)());
        request["required"] = true.into();
        let problem = json!({ "description": "What went wrong, and what to do.", "content": { "application/json": { "schema":
            { "type": "object", "properties": { "code": { "type": "string" }, "message": { "type": "string" } } } } } });
        paths.insert(
            format!("/v1/{}", tool.name),
            json!({ "post": {
                "operationId": tool.name,
                "summary": tool.description,
                "requestBody": request,
                "responses": { "200": answer, "4XX": problem },
                "security": [{ "agent": [] }],
            } }),
        );
    }
    let events = json!({ "get": {
        "operationId": "events",
        "summary": "Changes as server-sent events.",
        "responses": { "200": { "description": "One event per change.", "content": { "text/event-stream": {} } } },
        "security": [{ "agent": [] }],
    } });
    paths.insert("/v1/events".to_owned(), events);
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Keepsake for agents", "version": env!("CARGO_PKG_VERSION") },
        "paths": paths,
        "components": { "securitySchemes": { "agent": { "type": "http", "scheme": "bearer" } } },
    })
}
