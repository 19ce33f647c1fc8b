//! Errors in the format that OpenAI clients expect.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use keepsake_engine::{EngineError, ModelFailure};
use serde_json::json;

/// A response from the router itself. Refusals have a status that clients do not retry.
pub(crate) fn refusal(status: StatusCode, code: &str, message: &str) -> Response {
    let kind = if status.is_server_error() { "api_error" } else { "invalid_request_error" };
    (status, Json(json!({ "error": { "message": message, "type": kind, "param": null, "code": code } }))).into_response()
}

/// The answer if a call cannot be forwarded.
pub(crate) fn no_route(error: &EngineError) -> Response {
    let (status, code) = match error {
        EngineError::Model(ModelFailure::NoModel) => (StatusCode::FORBIDDEN, "no_model"),
        EngineError::Model(ModelFailure::BudgetSpent { .. }) => (StatusCode::FORBIDDEN, "budget_spent"),
        EngineError::Refused(_) => (StatusCode::FORBIDDEN, "refused"),
        _ => (StatusCode::INTERNAL_SERVER_ERROR, "keepsake_failed"),
    };
    refusal(status, code, &error.to_string())
}
