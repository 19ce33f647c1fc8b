//! The process that serves other programs: over the socket while it works on the queue, and over HTTP on loopback if requested.
//!
//! Not in this module: the routes (`http`, `agent_http`, `mcp`, `socket`).

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use keepsake_api::types::activity::Event;
use keepsake_api::types::agents::ServerState;
use keepsake_api::{ApiError, App};
use keepsake_engine::AgentServer;
use tokio::runtime::Runtime;
use tokio::sync::watch;

use crate::client::Client;
use crate::connections::Limited;
use crate::ending::{GiveUp, ended};
use crate::rate::Rates;
use crate::shared::Shared;
use crate::{http, live_sources, socket};

/// How long shutdown waits for responses in progress. Commands always end, but a page that does not read its response could delay
/// shutdown forever.
const ENDING_MAX: Duration = Duration::from_secs(3);

/// Number of threads that wait for connections. The work itself runs on other threads.
const THREADS: usize = 2;

/// Why serving failed.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The system could not provide threads.
    #[error("the server cannot start: {0}; close other programs and try again")]
    Start(std::io::Error),
    /// The port cannot be used.
    #[error("cannot listen on 127.0.0.1:{port}: {error}; choose another port")]
    Port {
        /// The port.
        port: u16,
        /// The system's error.
        error: std::io::Error,
    },
    /// The background work could not start.
    #[error(transparent)]
    Api(#[from] ApiError),
}

/// The serving side of this process. Dropping it stops everything that it serves; it must not be dropped on a thread that waits
/// for connections.
pub struct Host {
    app: App,
    runtime: Option<Runtime>,
    rates: Arc<Rates>,
    end: watch::Sender<bool>,
}

impl Host {
    /// Starts the background work, and answers other programs of the same user while this process does that work. A process
    /// that serves a single agent hands the background work over to this one.
    pub fn start(app: App, model_dir: PathBuf) -> Result<Self, ServeError> {
        let data_dir = app.engine().data_dir().to_owned();
        let (host, is_working) = Self::begin(app, model_dir, None)?;
        if !is_working && let Some(runtime) = &host.runtime {
            // If there is no answer, this process takes over the work when the other one ends.
            runtime.spawn(async move {
                let _ = Client::of(&data_dir).give_up().await;
            });
        }
        Ok(host)
    }

    /// Like [`start`](Self::start), for a process that calls `give_up` when another one takes over.
    pub(crate) fn start_until(app: App, model_dir: PathBuf, give_up: GiveUp) -> Result<Self, ServeError> {
        Ok(Self::begin(app, model_dir, Some(give_up))?.0)
    }

    fn begin(app: App, model_dir: PathBuf, give_up: Option<GiveUp>) -> Result<(Self, bool), ServeError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("server")
            .enable_all()
            .build()
            .map_err(ServeError::Start)?;
        let (end, ending) = watch::channel(false);
        let rates = Arc::<Rates>::default();
        let (handle, shared_rates) = (runtime.handle().clone(), Arc::clone(&rates));
        let is_working = app.begin_work(model_dir, move |app| {
            if let Err(error) = live_sources::start(app.clone(), ending.clone()) {
                tracing::error!(%error, "live sources cannot be read");
            }
            match socket::bind(app.engine().data_dir()) {
                Ok(socket) => {
                    handle.spawn(async move {
                        if let Err(error) = socket::serve(socket, app, shared_rates, give_up, ending).await {
                            tracing::error!(%error, "the socket is no longer served");
                        }
                    });
                }
                // A path can be too long for a socket. The other programs then open the data themselves.
                Err(error) => tracing::warn!(%error, "other programs cannot reach this one"),
            }
        })?;
        Ok((Self { app, runtime: Some(runtime), rates, end }, is_working))
    }

    fn runtime(&self) -> Result<&Runtime, ServeError> {
        self.runtime.as_ref().ok_or_else(|| ServeError::Start(std::io::ErrorKind::NotConnected.into()))
    }

    /// Serves agents on a port of 127.0.0.1, and the window as well if its built folder is given. Port 0 lets the system choose.
    pub fn listen(&self, port: u16, window: Option<PathBuf>) -> Result<Listening, ServeError> {
        let runtime = self.runtime()?;
        let failed = |error| ServeError::Port { port, error };
        let listener =
            runtime.block_on(tokio::net::TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))).map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        let token = fresh_token()?;
        let (end, ending) = watch::channel(false);
        let shared = Arc::new(Shared {
            app: self.app.clone(),
            rates: Arc::clone(&self.rates),
            token: token.clone(),
            port,
            ui: window,
            ending: ending.clone(),
        });
        let served = axum::serve(Limited::new(listener), http::router(shared)).with_graceful_shutdown(ended(ending.clone()));
        runtime.spawn(async move {
            tokio::select! {
                served = served => {
                    if let Err(error) = served {
                        tracing::error!(%error, "the server stopped");
                    }
                }
                () = async {
                    ended(ending).await;
                    tokio::time::sleep(ENDING_MAX).await;
                } => {}
            }
        });
        self.app.set_agent_server_state(ServerState::Listening { port });
        Ok(Listening { app: self.app.clone(), port, token, end })
    }

    /// Serves agents as set by the person, and follows every change to these settings until the application ends.
    pub fn follow_choice(self: &Arc<Self>) -> Result<(), ServeError> {
        let (host, changes) = (Arc::downgrade(self), self.app.subscribe());
        let mut following = Following { choice: None, listening: None };
        following.look(self);
        let follow = move || {
            while settings_changed(&changes) {
                let Some(host) = host.upgrade() else { return };
                following.look(&host);
            }
        };
        std::thread::Builder::new().name("agent-server".to_owned()).spawn(follow).map(drop).map_err(ServeError::Start)
    }

    /// Waits until the person or the system asks the program to end.
    pub fn wait_for_signal(&self) -> Result<(), ServeError> {
        self.runtime()?.block_on(signalled());
        Ok(())
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.end.send_replace(true);
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(ENDING_MAX);
        }
    }
}

/// The server on a port. Dropping it stops serving, after the responses in progress.
pub struct Listening {
    app: App,
    /// The port on 127.0.0.1.
    pub port: u16,
    /// The window's access token.
    pub token: String,
    end: watch::Sender<bool>,
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.app.set_agent_server_state(ServerState::Off);
        self.end.send_replace(true);
    }
}

/// The person's choice about serving agents, and the server that implements it.
struct Following {
    choice: Option<AgentServer>,
    listening: Option<Listening>,
}

impl Following {
    /// Compares the choice with what is served, and starts or stops serving to match.
    fn look(&mut self, host: &Host) {
        let choice = match host.app.engine().agents().server() {
            Ok(choice) => choice,
            Err(error) => return tracing::error!(%error, "the choice about the server for agents could not be read"),
        };
        if self.choice == Some(choice) {
            return;
        }
        self.choice = Some(choice);
        // Release the old port first, because the new one may be the same.
        self.listening = None;
        if choice.is_on {
            match host.listen(choice.port, None) {
                Ok(listening) => self.listening = Some(listening),
                Err(error) => host.app.set_agent_server_state(ServerState::Failed { problem: error.to_string() }),
            }
        }
    }
}

/// Waits until a setting changes. Returns `false` if the application ended.
fn settings_changed(changes: &Receiver<Event>) -> bool {
    loop {
        match changes.recv() {
            Ok(Event::Changed { tags }) if tags.iter().any(|tag| tag == "settings") => return true,
            Ok(_) => {}
            Err(_) => return false,
        }
    }
}

/// Waits for Ctrl+C, or for the signal with which the system ends a program. Without a signal handler, the process would end at
/// once, which loses nothing either.
async fn signalled() {
    #[cfg(unix)]
    if let Ok(mut terminated) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminated.recv() => {}
        }
        return;
    }
    let _ = tokio::signal::ctrl_c().await;
}

fn fresh_token() -> Result<String, ServeError> {
    let random = keepsake_engine::random_bytes::<32>().map_err(ApiError::from)?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}
