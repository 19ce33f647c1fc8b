//! The webhook: other programs send messages in Keepsake JSONL to `POST /v1/in/ID`, with the token of that source.
//!
//! An unknown source and a wrong token get the same answer, before any work. Not in this module: what is stored
//! (`engine::ingest`), and agents, which have tokens of their own (`agent_http`).

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use keepsake_api::{ApiError, Code};
use keepsake_engine::WEBHOOK_BYTES_MAX;
use serde_json::json;

use crate::answers::{failed, internal, refuse, too_often};
use crate::shared::Shared;

/// The route.
pub(crate) fn routes() -> Router<Arc<Shared>> {
    Router::new().route("/v1/in/{id}", post(receive).layer(DefaultBodyLimit::max(WEBHOOK_BYTES_MAX)))
}

fn unknown() -> Response {
    let words = "the source is not known, or its token is missing or wrong; `keepsake sources add webhook` makes one, sent as \
                 Authorization: Bearer";
    let mut response = refuse(StatusCode::UNAUTHORIZED, Code::Refused, words);
    response.headers_mut().insert(header::WWW_AUTHENTICATE, header::HeaderValue::from_static("Bearer"));
    response
}

async fn receive(State(shared): State<Arc<Shared>>, Path(id): Path<String>, headers: HeaderMap, body: Bytes) -> Response {
    let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let Some(token) = given.and_then(|value| value.strip_prefix("Bearer ")).map(str::to_owned) else { return unknown() };
    let app = shared.app.clone();
    let found = tokio::task::spawn_blocking(move || app.engine().sources().webhook_of(&id, &token)).await;
    let source = match found {
        Ok(Ok(Some(source))) => source.row,
        Ok(Ok(None)) => return unknown(),
        Ok(Err(error)) => return failed(&ApiError::from(error)),
        Err(_) => return internal(),
    };
    let app = shared.app.clone();
    if let Err(seconds) = shared.rates.take(source.id.as_str(), app.engine().now().0) {
        return too_often(seconds);
    }
    match tokio::task::spawn_blocking(move || app.engine().sources().receive(&source, &body)).await {
        Ok(Ok(received)) => Json(json!({
            "stored": received.stored,
            "known": received.known,
            "left_out": received.left_out,
            "skipped": received.skipped.iter().map(|(reason, count)| json!({ "reason": reason, "count": count })).collect::<Vec<_>>(),
        }))
        .into_response(),
        Ok(Err(error)) => failed(&ApiError::from(error)),
        Err(_) => internal(),
    }
}
