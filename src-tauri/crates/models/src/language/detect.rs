//! Finds language model servers on this computer. Runs only when a person asks for it.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use keepsake_domain::Clock;
use serde::{Deserialize, Serialize};

use super::transport::run;
use super::{CallError, Connection, Endpoint, Reach, Shape};

/// The kinds of servers that can be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerKind {
    /// Ollama.
    Ollama,
    /// LM Studio.
    LmStudio,
    /// The llama.cpp server.
    LlamaCpp,
    /// Jan.
    Jan,
}

impl ServerKind {
    /// All kinds, in display order.
    pub const ALL: [Self; 4] = [Self::Ollama, Self::LmStudio, Self::LlamaCpp, Self::Jan];

    /// The wire format of this server.
    pub fn shape(self) -> Shape {
        match self {
            Self::Ollama => Shape::Ollama,
            Self::LmStudio | Self::LlamaCpp | Self::Jan => Shape::OpenAi,
        }
    }

    /// The default port.
    pub fn usual_port(self) -> u16 {
        match self {
            Self::Ollama => 11434,
            Self::LmStudio => 1234,
            Self::LlamaCpp => 8080,
            Self::Jan => 1337,
        }
    }
}

/// An address to check for a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// The kind of server expected.
    pub kind: ServerKind,
    /// The port on 127.0.0.1.
    pub port: u16,
}

impl Candidate {
    /// Each kind at its default port.
    pub fn usual() -> [Self; 4] {
        ServerKind::ALL.map(|kind| Self { kind, port: kind.usual_port() })
    }
}

/// A server that responded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The kind of server.
    pub kind: ServerKind,
    /// Its address.
    pub endpoint: Endpoint,
    /// Its version, if it reports one.
    pub version: Option<String>,
    /// Its state.
    pub state: FoundState,
}

/// The state of a server that responded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoundState {
    /// The server offers models.
    Ready {
        /// Names of the models; at least one.
        models: Vec<String>,
    },
    /// The server is running but has no model. The person must download or load one there.
    NoModel,
    /// The server is loading a model.
    Loading,
    /// The server requires a key.
    KeyNeeded,
}

/// Queries all candidates in parallel, with a total time limit of `timeout_ms`. Candidates that do not respond like a server of
/// their kind are left out. Blocks.
pub fn detect(candidates: &[Candidate], timeout_ms: u64, clock: &Arc<dyn Clock>) -> Vec<Found> {
    let limit = std::time::Duration::from_millis(timeout_ms);
    let looking = async {
        let mut tasks = tokio::task::JoinSet::new();
        for (order, candidate) in candidates.iter().copied().enumerate() {
            let clock = Arc::clone(clock);
            tasks.spawn(async move { (order, tokio::time::timeout(limit, look(candidate, clock)).await.ok().flatten()) });
        }
        let mut found = tasks.join_all().await;
        found.sort_by_key(|(order, _)| *order);
        found.into_iter().filter_map(|(_, found)| found).collect()
    };
    run(looking).unwrap_or_default()
}

async fn look(candidate: Candidate, clock: Arc<dyn Clock>) -> Option<Found> {
    let Candidate { kind, port } = candidate;
    let address = format!("http://{}", SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    let endpoint = Endpoint::parse(&address, kind.shape()).ok()?;
    let connection = Connection::new(endpoint.clone(), Reach::ThisComputer, None, clock).ok()?;
    let (version, models) = tokio::join!(version(&connection, kind), connection.list());
    // Another program may be using the port, so Ollama and llama.cpp must also answer a request that is specific to them.
    let version = match version {
        Version::Said(version) => version,
        Version::AnotherServer => return None,
    };
    let state = match models {
        Ok(models) if models.is_empty() => FoundState::NoModel,
        Ok(models) => FoundState::Ready { models },
        Err(CallError::Loading) => FoundState::Loading,
        Err(CallError::Rejected { status: 401 | 403 }) => FoundState::KeyNeeded,
        Err(_) => return None,
    };
    Some(Found { kind, endpoint, version, state })
}

enum Version {
    Said(Option<String>),
    AnotherServer,
}

async fn version(connection: &Connection, kind: ServerKind) -> Version {
    #[derive(Deserialize)]
    struct Said {
        version: String,
    }
    #[derive(Deserialize)]
    struct Health {
        status: String,
    }
    let path = match kind {
        ServerKind::Ollama => "/api/version",
        ServerKind::LlamaCpp => "/health",
        ServerKind::LmStudio | ServerKind::Jan => return Version::Said(None),
    };
    match connection.transport.get(connection.endpoint().root_url(path)).await {
        Ok(body) if kind == ServerKind::Ollama => match serde_json::from_slice::<Said>(&body) {
            Ok(said) if is_version(&said.version) => Version::Said(Some(said.version)),
            _ => Version::AnotherServer,
        },
        Ok(body) if serde_json::from_slice::<Health>(&body).is_ok_and(|health| health.status == "ok") => Version::Said(None),
        Err(CallError::Loading) => Version::Said(None),
        _ => Version::AnotherServer,
    }
}

/// A version is displayed, so it must be short and printable.
fn is_version(version: &str) -> bool {
    const VERSION_CHARS_MAX: usize = 40;
    version.len() <= VERSION_CHARS_MAX && version.chars().all(|c| c.is_ascii_graphic())
}
