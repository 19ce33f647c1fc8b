//! Runs an agent's tools in a process that was started for this agent. It calls the process that works on the data or, if there
//! is none, runs the tools itself.
//!
//! This is decided at each call, so the desktop program may start and end at any time. If the connection breaks, the call is
//! repeated in this process: repeating a tool that writes has no further effect.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use keepsake_api::agents::{ToolAnswer, tool};
use keepsake_api::{ApiError, App, AppOptions, DataDir, EmbedderSlot, FileAccess};
use serde_json::Value;

use crate::client::{CallError, Client};
use crate::ending::GiveUp;
use crate::host::{Host, ServeError};
use crate::protocol::ToolCall;

/// The data, if this process opened it.
struct Opened {
    app: App,
    host: Host,
}

impl Opened {
    /// Leaves the work to other processes.
    fn close(self) {
        drop(self.host);
        self.app.close();
    }
}

/// Runs tools for one agent.
pub(crate) struct ToolCalls {
    agent: String,
    client: Client,
    data_dir: DataDir,
    model_dir: PathBuf,
    opened: Mutex<Option<Opened>>,
}

impl ToolCalls {
    /// Runs tools for the agent with this name. Fails if the name is refused.
    pub(crate) async fn of(agent: String, data_dir: DataDir, model_dir: PathBuf) -> Result<Arc<Self>, ServeError> {
        let client = Client::of(&data_dir.path);
        let calls = Arc::new(Self { agent, client, data_dir, model_dir, opened: Mutex::default() });
        match calls.client.check_agent(&calls.agent).await {
            Ok(()) => {}
            Err(CallError::Refused(error)) => return Err(error.into()),
            Err(CallError::Away | CallError::Late) => {
                let opening = Arc::clone(&calls);
                run(move || {
                    let app = opening.app()?;
                    app.engine().agents().named(&opening.agent).map(drop).map_err(ApiError::from)
                })
                .await?;
            }
        }
        Ok(calls)
    }

    /// The application of this process. Opens the data if it is not open yet.
    fn app(self: &Arc<Self>) -> Result<App, ApiError> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(opened) = &*opened {
            return Ok(opened.app.clone());
        }
        let options =
            AppOptions { data_dir: self.data_dir.clone(), embedder: EmbedderSlot::later(), file_access: FileAccess::Upload };
        let app = App::open(options)?;
        let weak = Arc::downgrade(self);
        let give_up: GiveUp = Box::new(move || {
            if let Some(calls) = weak.upgrade() {
                calls.close();
            }
        });
        let host = Host::start_until(app.clone(), self.model_dir.clone(), give_up)
            .map_err(|error| ApiError::failed(error.to_string()))?;
        *opened = Some(Opened { app: app.clone(), host });
        Ok(app)
    }

    /// Closes the data if this process opened it. The next call looks for another process first.
    pub(crate) fn close(&self) {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(opened) = opened {
            opened.close();
        }
    }

    /// The application of this process, if it opened the data.
    fn own(&self) -> Option<App> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|opened| opened.app.clone())
    }

    /// Runs a tool.
    pub(crate) async fn run(self: &Arc<Self>, name: &'static str, request: Value) -> Result<ToolAnswer, ApiError> {
        if self.own().is_none() {
            let call = ToolCall { agent: self.agent.clone(), tool: Some(name.to_owned()), request: request.clone() };
            match self.client.tool(&call).await {
                Ok(answer) => return Ok(answer),
                Err(CallError::Refused(error)) => return Err(error),
                Err(error @ CallError::Late) => return Err(ApiError::failed(error.to_string())),
                Err(CallError::Away) => {}
            }
        }
        let calls = Arc::clone(self);
        run(move || {
            let app = calls.app()?;
            // Read each time, so that a pause takes effect at once.
            let agent = app.engine().agents().named(&calls.agent)?;
            let tool = tool(name).ok_or_else(|| ApiError::not_found(format!("there is no tool '{name}'")))?;
            tool.run(&app, &agent, request)
        })
        .await
    }
}

async fn run<T: Send + 'static>(work: impl FnOnce() -> Result<T, ApiError> + Send + 'static) -> Result<T, ApiError> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|_| Err(ApiError::failed("the request failed because of an internal error; please report this")))
}
