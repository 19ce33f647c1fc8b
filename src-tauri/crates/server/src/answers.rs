//! The responses that every route can give: refusals, failures, and API errors converted to HTTP status codes. What a route
//! returns when it succeeds is in the route's own module.

use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use keepsake_api::{ApiError, Code};

/// The response to a request that is not carried out.
pub(crate) fn refuse(status: StatusCode, code: Code, message: &str) -> Response {
    (status, Json(ApiError { code, message: message.to_owned() })).into_response()
}

/// The response for a command or a tool that failed.
pub(crate) fn failed(error: &ApiError) -> Response {
    let status = match error.code {
        Code::Invalid => StatusCode::BAD_REQUEST,
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::Refused | Code::Cancelled => StatusCode::CONFLICT,
        Code::Failed => StatusCode::INTERNAL_SERVER_ERROR,
    };
    (status, Json(error)).into_response()
}

/// The response if the work panicked or was canceled.
pub(crate) fn internal() -> Response {
    let words = "the request failed because of an internal error; please report this";
    refuse(StatusCode::INTERNAL_SERVER_ERROR, Code::Failed, words)
}

/// The response to an agent that calls too often.
pub(crate) fn too_often(seconds: u64) -> Response {
    let words = format!("this agent calls too often; try again after {seconds} s");
    let mut response = refuse(StatusCode::TOO_MANY_REQUESTS, Code::Refused, &words);
    response.headers_mut().insert(header::RETRY_AFTER, header::HeaderValue::from(seconds));
    response
}
