//! Dispatch: runs a command by name, converting JSON to its request and its response to JSON. Windows, pages and agents all use
//! it.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::app::App;
use crate::error::ApiError;
use crate::handlers::activity::*;
use crate::handlers::agents::*;
use crate::handlers::audit::*;
use crate::handlers::backup::*;
use crate::handlers::charts::*;
use crate::handlers::connect::*;
use crate::handlers::conversation_status::*;
use crate::handlers::conversations::*;
use crate::handlers::erase::*;
use crate::handlers::gaps::*;
use crate::handlers::live_sources::*;
use crate::handlers::maintenance::*;
use crate::handlers::memories::*;
use crate::handlers::models::*;
use crate::handlers::people::*;
use crate::handlers::playbooks::*;
use crate::handlers::profiles::*;
use crate::handlers::reflection::*;
use crate::handlers::search::search;
use crate::handlers::sessions::*;
use crate::handlers::sources::*;
use crate::handlers::status::*;
use crate::handlers::topics::*;
use crate::handlers::unidentified_speakers::*;
use crate::handlers::watched_offers::*;

fn call<Q: DeserializeOwned, A: Serialize>(
    app: &App,
    command: &str,
    payload: Value,
    handler: impl FnOnce(&App, Q) -> Result<A, ApiError>,
) -> Result<Value, ApiError> {
    let payload = if payload.is_null() { Value::Object(serde_json::Map::new()) } else { payload };
    let request = serde_json::from_value(payload).map_err(|error| ApiError::invalid(format!("{command}: {error}")))?;
    let answer = handler(app, request)?;
    serde_json::to_value(answer).map_err(|error| ApiError::invalid(format!("{command}: {error}")))
}

macro_rules! table {
    ($($name:ident: $request:ty => $response:ty,)*) => {
        /// The names of all commands.
        pub const COMMANDS: &[&str] = &[$(stringify!($name),)*];

        /// Runs a command. A null payload counts as an empty object. Fails with [`Code::Invalid`](crate::Code::Invalid) if the
        /// command is unknown or the payload does not match its request. This call blocks, so it must not run on the UI thread.
        pub fn dispatch(app: &App, command: &str, payload: Value) -> Result<Value, ApiError> {
            match command {
                $(stringify!($name) => call(app, command, payload, $name),)*
                _ => Err(ApiError::invalid(format!("there is no command '{command}'"))),
            }
        }
    };
}
with_commands!(table);
