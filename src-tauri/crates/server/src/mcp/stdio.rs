//! MCP on standard input and output, for the agent that the process was started for. Only protocol messages are written to
//! standard output. Logs go to standard error and contain no message text.
//!
//! Not in this module: which process runs the tools (`tool_calls`).

use std::path::PathBuf;
use std::sync::Arc;

use keepsake_api::agents::ToolAnswer;
use keepsake_api::{ApiError, DataDir};
use rmcp::service::{RequestContext, ServerInitializeError};
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;

use super::{Caller, Server};
use crate::host::ServeError;
use crate::tool_calls::ToolCalls;

/// Why the server on standard input and output ended early.
#[derive(Debug, thiserror::Error)]
pub enum McpError {
    /// The server could not start.
    #[error(transparent)]
    Serve(#[from] ServeError),
    /// The connection failed.
    #[error("the server stopped: {0}")]
    Stopped(#[from] tokio::task::JoinError),
    /// The client sent something that is not MCP.
    #[error("the client did not speak MCP: {0}")]
    Client(Box<ServerInitializeError>),
}

/// The agent that the process was started for.
#[derive(Clone)]
struct Named(Arc<ToolCalls>);

impl Caller for Named {
    async fn run(
        &self,
        name: &'static str,
        request: Value,
        _: &RequestContext<RoleServer>,
    ) -> Result<Result<ToolAnswer, ApiError>, ErrorData> {
        Ok(self.0.run(name, request).await)
    }
}

/// Serves the agent with this name on standard input and output until the input ends.
pub fn serve_stdio(agent: &str, data_dir: DataDir, model_dir: PathBuf) -> Result<(), McpError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .map_err(|error| McpError::Serve(ServeError::Start(error)))?;
    // Refuses an invalid agent name before the client waits for an answer.
    let calls = runtime.block_on(ToolCalls::of(agent.to_owned(), data_dir, model_dir))?;
    let server = Server { caller: Named(Arc::clone(&calls)) };
    let served = runtime.block_on(async {
        match rmcp::serve_server(server, rmcp::transport::io::stdio()).await {
            Ok(running) => Ok(running.waiting().await.map(drop)?),
            // The client disconnected before it sent anything.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(McpError::Client(Box::new(error))),
        }
    });
    // A blocked read of standard input must not keep the process alive.
    runtime.shutdown_background();
    calls.close();
    served
}
