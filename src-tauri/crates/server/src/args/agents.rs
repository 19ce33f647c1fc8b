//! Arguments of the commands for agents: who asks, contexts and tiers, agents with their tokens, and the ways to serve them.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};
use keepsake_engine::AGENT_PORT;
use keepsake_server::hook::{HookClient, HookEvent};

/// The audience: who asks, and where. Default: the owner.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct AudienceArgs {
    /// Name of the program that asks.
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// The person it talks with: channel:handle, an id, or a name.
    #[arg(long, value_name = "PERSON")]
    pub(crate) person: Option<String>,
    /// The place: type:id, a conversation or a channel type.
    #[arg(long, value_name = "CHANNEL")]
    pub(crate) channel: Option<String>,
}

impl AudienceArgs {
    /// Whether no audience is given. The output is then for the owner.
    pub(crate) fn is_nobody(&self) -> bool {
        self.agent.is_none() && self.person.is_none() && self.channel.is_none()
    }
}

/// The audience and size of a context.
#[derive(Debug, clap::Args)]
pub(crate) struct ContextArgs {
    /// The audience.
    #[command(flatten)]
    pub(crate) audience: AudienceArgs,
    /// A query to find relevant items for.
    #[arg(long, value_name = "WORDS")]
    pub(crate) query: Option<String>,
    /// Maximum number of characters.
    #[arg(long, value_name = "CHARS")]
    pub(crate) budget: Option<usize>,
    /// Maximum number of tokens, counted at three characters each.
    #[arg(long, value_name = "TOKENS", conflicts_with = "budget")]
    pub(crate) tokens: Option<usize>,
    /// Show what was known at this time: 2026-03-04 or 2026-03-04T10:00:00Z.
    #[arg(long, value_name = "TIME")]
    pub(crate) as_of: Option<String>,
}

/// An agent and its permissions.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(group(clap::ArgGroup::new("choice").args(["visibility", "skip", "goals"]).multiple(true)))]
pub(crate) struct AgentsArgs {
    /// Name of the agent.
    #[arg(requires = "choice")]
    pub(crate) name: Option<String>,
    /// The most private information that may be served to the agent.
    #[arg(value_parser = ["public", "private"])]
    pub(crate) visibility: Option<String>,
    /// With on, its sessions are not summarized.
    #[arg(long, value_name = "STATE", requires = "name")]
    pub(crate) skip: Option<Switch>,
    /// With on, it may have goals.
    #[arg(long, value_name = "STATE", requires = "name")]
    pub(crate) goals: Option<Switch>,
    /// Add an agent with a token of its own, or change one.
    #[command(subcommand)]
    pub(crate) command: Option<AgentCommand>,
}

/// What to do with an agent that has a token.
#[derive(Debug, Subcommand)]
pub(crate) enum AgentCommand {
    /// Add an agent and print its token, once. Only a hash of it is stored.
    Add {
        /// Name of the agent.
        name: String,
        /// Serve it public information only.
        #[arg(long)]
        public: bool,
        /// A channel in which the agent may ask and write: a channel type or type:id. May be repeated. Default: all channels.
        #[arg(long = "channel", value_name = "CHANNEL")]
        channels: Vec<String>,
        /// The agent talks with other people, so what its users say is not attributed to you.
        #[arg(long)]
        with_others: bool,
    },
    /// List the agents that have a token.
    List,
    /// Print a new token for an agent. The old one stops working.
    Token {
        /// Name of the agent.
        name: String,
    },
    /// Pause an agent: nothing is served to it or accepted from it until it is resumed.
    Pause {
        /// Name of the agent.
        name: String,
    },
    /// Resume a paused agent.
    Resume {
        /// Name of the agent.
        name: String,
    },
    /// Remove an agent. Its token stops working.
    Remove {
        /// Name of the agent.
        name: String,
    },
}

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    /// On.
    On,
    /// Off.
    Off,
}

/// Which session summaries to list.
#[derive(Debug, clap::Args)]
pub(crate) struct SummariesArgs {
    /// Only sessions of this agent.
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Write the summaries to this folder, one file per agent: {agent}_conversations.jsonl.
    #[arg(long, value_name = "DIR")]
    pub(crate) export: Option<PathBuf>,
    /// Delete all session summaries and tiers. They are derived from the messages again.
    #[arg(long, conflicts_with_all = ["agent", "export"])]
    pub(crate) rebuild: bool,
}

/// An event of a session.
#[derive(Debug, Subcommand)]
pub(crate) enum SessionCommand {
    /// Report that the session ended with its latest message.
    End {
        /// Conversation id, or its id in the export.
        conversation: String,
        /// Name of the agent that reports the end.
        #[arg(long, value_name = "NAME")]
        agent: Option<String>,
    },
}

/// Which tiers to print.
#[derive(Debug, clap::Args)]
pub(crate) struct TiersArgs {
    /// Name of the agent that asks.
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// The person it talks with: channel:handle, an id, or a name. Default: the owner.
    #[arg(long, value_name = "PERSON")]
    pub(crate) user: Option<String>,
    /// The place: type:id, a conversation or a channel type.
    #[arg(long, value_name = "CHANNEL")]
    pub(crate) channel: Option<String>,
    /// Show the tiers as they would be served to a person with this role.
    #[arg(long = "as", value_name = "ROLE", value_parser = ["guest", "friend", "owner"])]
    pub(crate) role: Option<String>,
    /// Write the tiers to this folder: shared_long_term.md, {agent}_long_term.md, {user}/{agent}_memory.md.
    #[arg(long, value_name = "DIR")]
    pub(crate) export: Option<PathBuf>,
}

/// How to serve the window.
#[derive(Debug, clap::Args)]
pub(crate) struct ServeArgs {
    /// Port on 127.0.0.1; 0 lets the system choose one.
    #[arg(long, default_value_t = 0)]
    pub(crate) port: u16,
    /// The folder that contains the built window.
    #[arg(long, value_name = "DIR", env = "KEEPSAKE_UI", conflicts_with = "no_ui")]
    pub(crate) ui: Option<PathBuf>,
    /// Serve agents only, without the window. No built window is needed.
    #[arg(long)]
    pub(crate) no_ui: bool,
}

/// The service that serves agents in the background.
#[derive(Debug, clap::Args)]
pub(crate) struct ServiceArgs {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: ServiceCommand,
}

/// What to do with the service.
#[derive(Debug, Subcommand)]
pub(crate) enum ServiceCommand {
    /// Write a systemd unit for this user, and start it.
    Install {
        /// Port on 127.0.0.1.
        #[arg(long, default_value_t = AGENT_PORT, value_parser = clap::value_parser!(u16).range(1024..))]
        port: u16,
        /// Only print the unit.
        #[arg(long)]
        print: bool,
        /// Overwrite a unit of this name that Keepsake did not write.
        #[arg(long)]
        replace: bool,
    },
    /// Stop the service and remove its unit. Your data stays.
    Remove {
        /// Remove a unit of this name that Keepsake did not write.
        #[arg(long)]
        replace: bool,
    },
    /// Show whether the service is installed and runs.
    Status,
}

/// An MCP server on standard input and output.
#[derive(Debug, clap::Args)]
pub(crate) struct McpArgs {
    /// Name of the agent that starts it.
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: String,
}

/// A program to connect to.
#[derive(Debug, clap::Args)]
pub(crate) struct ConnectArgs {
    /// The program, for example claude-code, codex, cursor or vscode.
    pub(crate) client: Option<String>,
    /// Name of the agent in Keepsake. Default: the program's name.
    #[arg(long, value_name = "NAME", requires = "client")]
    pub(crate) agent: Option<String>,
    /// Make the changes. Without this option, they are only shown.
    #[arg(long, requires = "client")]
    pub(crate) yes: bool,
    /// Remove what Keepsake added to the settings.
    #[arg(long, requires = "client")]
    pub(crate) undo: bool,
    /// Replace an entry of another program that is also named keepsake.
    #[arg(long, requires = "client")]
    pub(crate) replace: bool,
    /// Start the added command as the program would, and report whether it answers.
    #[arg(long, requires = "client", conflicts_with_all = ["yes", "undo", "replace"])]
    pub(crate) check: bool,
    /// Do not add instructions for the model.
    #[arg(long, requires = "client")]
    pub(crate) no_instructions: bool,
    /// Do not add hooks.
    #[arg(long, requires = "client")]
    pub(crate) no_hooks: bool,
}

/// A hook of a terminal agent.
#[derive(Debug, clap::Args)]
pub(crate) struct HookArgs {
    /// The terminal agent.
    pub(crate) client: HookClient,
    /// What happened.
    pub(crate) event: HookEvent,
    /// Name of the agent in Keepsake.
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: String,
}
