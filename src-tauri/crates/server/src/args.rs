//! The command-line arguments. Their doc comments are the help texts.

mod agents;
mod derived;
mod people;
mod sources;

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use keepsake_domain::{Category, MemoryStatus, Offer, SourceKind};

pub(crate) use agents::*;
pub(crate) use derived::*;
pub(crate) use people::*;
pub(crate) use sources::*;

/// A private memory of all your conversations.
#[derive(Debug, Parser)]
#[command(name = "keepsake", version, disable_help_subcommand = true)]
pub(crate) struct Args {
    /// The data folder.
    #[arg(long, global = true, value_name = "DIR", env = "KEEPSAKE_DATA")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Print JSON: a single value, or one value per line for lists.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Report progress on standard error.
    #[arg(long, short, global = true)]
    pub(crate) verbose: bool,
    /// The command to run.
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Command {
    /// Whether the command may have changed the data in this process.
    pub(crate) fn may_change_data(&self) -> bool {
        !matches!(
            self,
            Self::Extract { .. }
                | Self::Scrub
                | Self::Search(_)
                | Self::Status
                | Self::Serve(_)
                | Self::Service(_)
                | Self::Connect(_)
                | Self::Hook(_)
                | Self::Mcp(_)
        )
    }
}

/// The command to run.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Import exported conversations.
    Import(ImportArgs),
    /// List imports, or undo one: what it added is removed, and can be imported again.
    Imports {
        /// What to do; lists by default.
        #[command(subcommand)]
        command: Option<ImportsCommand>,
    },
    /// Read Keepsake JSONL from standard input and print the memories that Keepsake would propose. Nothing is stored.
    Extract {
        /// How many memories to propose: few, balanced or many.
        #[arg(long, value_name = "HOW_MUCH", default_value = "balanced")]
        offer: Offer,
    },
    /// Copy standard input to standard output with all sensitive data masked.
    Scrub,
    /// Run the queued jobs.
    RunJobs {
        /// Also wait for retries that are due later, until the queue is empty.
        #[arg(long)]
        until_idle: bool,
    },
    /// Analyze one conversation now: summary, themes and proposed memories.
    Analyze {
        /// Conversation id, or its id in the export.
        conversation: String,
        /// Analyze even if nothing is new or the conversation is short.
        #[arg(long)]
        force: bool,
    },
    /// List memories and proposals.
    Memories(MemoriesArgs),
    /// Approve proposals.
    Approve {
        /// Memory ids.
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
    /// Dismiss proposals. The same statement is not proposed again.
    Reject {
        /// Memory ids.
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
        /// The reason.
        #[arg(long, value_parser = ["wrong", "not_about_me", "temporary", "private", "duplicate"])]
        reason: Option<String>,
    },
    /// Undo the last change to memories.
    Undo,
    /// List conversations.
    Conversations {
        /// Maximum number of conversations.
        #[arg(long, value_name = "N")]
        limit: Option<u32>,
    },
    /// Exclude a conversation from memory, or allow its use for memory again.
    Private {
        /// Conversation id, or its id in the export.
        conversation: String,
        /// on excludes it, off allows its use for memory again.
        state: OnOff,
        /// What to do with memories that were already derived from it.
        #[arg(long, default_value = "keep")]
        existing: Existing,
        /// With "off": also use the messages that arrived while it was excluded. Can also be given later, when the conversation
        /// is already in use again.
        #[arg(long)]
        use_private_time: bool,
    },
    /// List all people with their handles.
    People,
    /// Show a person's profile (preferences and needs), or mark a profile entry as wrong, or correct it.
    Profile {
        /// A person (id, channel:handle or name), or a profile entry (ep_…).
        id: String,
        /// Include earlier versions.
        #[arg(long)]
        history: bool,
        /// Mark the entry as wrong.
        #[arg(long, conflicts_with_all = ["restore", "correct"])]
        debunk: bool,
        /// Undo marking the entry as wrong.
        #[arg(long, conflicts_with = "correct")]
        restore: bool,
        /// Replace the entry's text with your own words.
        #[arg(long)]
        correct: Option<String>,
    },
    /// List links between handles, both suggested and answered.
    Links,
    /// Answer a suggested link, or link two handles manually.
    Link(LinkArgs),
    /// Remove a link.
    Unlink {
        /// Link id or suggestion id.
        id: String,
    },
    /// List the unidentified speakers in meeting transcripts, or identify one.
    #[command(alias = "voices")]
    Speakers {
        /// What to do; lists by default.
        #[command(subcommand)]
        command: Option<SpeakersCommand>,
    },
    /// List channels and whether they are public, or set it.
    Channels {
        /// What to do; lists by default.
        #[command(subcommand)]
        command: Option<ChannelsCommand>,
    },
    /// The former name of `channels set`.
    #[command(hide = true)]
    Channel(ChannelArgs),
    /// List topics (subjects that come up across conversations), or rename, pin, merge, split or rebuild them.
    Topics {
        /// What to do; lists by default.
        #[command(subcommand)]
        command: Option<TopicsCommand>,
    },
    /// Show the number of messages and memories over time.
    Timeline(TimelineArgs),
    /// Show the connections of a person or a topic, with the evidence for each.
    Graph {
        /// A person: channel:handle, an id, or a name.
        #[arg(long, value_name = "PERSON", required_unless_present = "topic", conflicts_with = "topic")]
        person: Option<String>,
        /// A topic (top_…).
        #[arg(long, value_name = "TOPIC")]
        topic: Option<String>,
    },
    /// Show or change settings.
    Settings {
        /// The settings to show or change.
        #[command(subcommand)]
        of: SettingsOf,
    },
    /// List playbooks (workflows that repeat across sessions), decide on them, or export them as skills.
    Playbooks(PlaybooksArgs),
    /// Find cleanups of memories, list them with before and after, or decide about them.
    Reflect(ReflectArgs),
    /// Check a sample of the memories in use for missing sources, contradictions, duplicates, outdated entries and echoes.
    Audit {
        /// Number of memories to check; if there are fewer, all of them are checked.
        #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
        sample: u32,
        /// Random seed of the sample. A different seed selects a different sample.
        #[arg(long, value_name = "N")]
        seed: Option<u32>,
    },
    /// Start maintenance now: update everything derived from the messages, and expire proposals left unanswered too long.
    Maintain {
        /// Cancel the current run.
        #[arg(long)]
        cancel: bool,
    },
    /// Make a backup, delete everything derived from the messages, and derive it again. Your decisions are kept.
    Rebuild,
    /// Show the digest of the last completed maintenance run: what was new since the previous run, and what needed your
    /// attention.
    Digest,
    /// List expired proposals, or restore them.
    #[command(alias = "parked")]
    Expired {
        /// Restore the proposals with these ids.
        #[arg(long, value_name = "ID", num_args = 1.., conflicts_with = "all")]
        restore: Vec<String>,
        /// Restore all expired proposals.
        #[arg(long)]
        all: bool,
    },
    /// List gaps (requests that came up more than once and could not be met), turn one into a task, or dismiss it.
    Gaps {
        /// What to do; lists by default.
        #[command(subcommand)]
        command: Option<GapsCommand>,
    },
    /// Allow agents to use a memory or a profile entry anywhere.
    Share {
        /// Memory id or profile entry id.
        id: String,
        /// Withdraw the permission.
        #[arg(long)]
        off: bool,
    },
    /// List agents with their permissions, or change them.
    Agents(AgentsArgs),
    /// List session summaries.
    Summaries(SummariesArgs),
    /// Report an event of a session with an agent.
    Session {
        /// The event to report.
        #[command(subcommand)]
        what: SessionCommand,
    },
    /// Print the tiers of long-term memory (shared, per agent, per user) as they are served to an agent.
    Tiers(TiersArgs),
    /// Set a person's role. Guests are served only facts about themselves; friends are also served what agents share.
    Role {
        /// channel:handle, an id, or a name.
        person: String,
        /// The role.
        #[arg(value_parser = ["guest", "friend"])]
        role: String,
    },
    /// Print the context that is served to an agent.
    Context(ContextArgs),
    /// Search messages, memories, people and topics.
    Search(SearchArgs),
    /// Show or change the language model settings, or list the calls to models.
    Models {
        /// The action. Default: show the current state.
        #[command(subcommand)]
        command: Option<ModelsCommand>,
    },
    /// List, add, pause or remove sources: accounts, webhooks, and watched files and folders.
    Sources {
        /// The action. Default: list the sources.
        #[command(subcommand)]
        command: Option<SourcesCommand>,
    },
    /// List, add or remove watched files and folders; the same as `keepsake sources` for folders.
    #[command(hide = true)]
    Watch {
        /// The action. Default: list the watched files and folders.
        #[command(subcommand)]
        command: Option<WatchCommand>,
    },
    /// Permanently erase a conversation or a person.
    Erase {
        /// What to erase.
        #[command(subcommand)]
        what: EraseTarget,
    },
    /// Back up everything to a file and verify the copy. Without a file, the backup is stored in the data folder.
    Backup {
        /// The file to write.
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
    },
    /// List the backups in the data folder.
    Backups,
    /// Export everything to a new or empty folder: JSON lines for a lossless restore, and Markdown for reading.
    Export {
        /// The folder to write.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Replace everything with the contents of a backup or an export. The current data is backed up first.
    Restore {
        /// A backup file, or the folder of an export.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Restore even if the hash chain of the messages is broken, and report the first message in doubt.
        #[arg(long)]
        salvage: bool,
    },
    /// Show the data folder and how much it contains.
    Status,
    /// Verify the stored messages against their hash chain.
    Verify,
    /// Serve the window to this computer only, and print its address.
    Serve(ServeArgs),
    /// Serve agents in the background, including after the next login (Linux, systemd).
    Service(ServiceArgs),
    /// Serve an agent over the Model Context Protocol on standard input and output.
    Mcp(McpArgs),
    /// Connect Keepsake to a program that uses agents: show what would change in its settings or, with --yes, change it.
    /// Without a program, list the programs.
    Connect(ConnectArgs),
    /// Show whether the memory router is on and its address, or turn it on or off. While it is on, programs that use the OpenAI
    /// protocol reach the chosen model through Keepsake, which adds the context and logs both sides. Off by default.
    Router {
        /// on forwards calls to /router/v1 at the address where agents are served; off refuses them.
        state: Option<Switch>,
    },
    /// Run by the hooks of a terminal agent. `keepsake connect` adds this command to the agent's settings.
    #[command(hide = true)]
    Hook(HookArgs),
}

/// An action on language models.
#[derive(Debug, Subcommand)]
pub(crate) enum ModelsCommand {
    /// Find model servers on this computer.
    Detect,
    /// Choose a model that proposes memories.
    Use {
        /// The server's address, such as http://127.0.0.1:11434
        url: String,
        /// The model's name on that server.
        model: String,
        /// The API of that server.
        #[arg(long, default_value = "ollama", value_parser = ["ollama", "openai"])]
        shape: String,
        /// Which engines make proposals: only the model, or both the model and the built-in engine.
        #[arg(long, default_value = "both", value_parser = ["model", "both"])]
        engines: String,
        /// Allow a server on another computer. It receives the masked text of conversations that are not excluded from memory.
        #[arg(long)]
        allow_remote: bool,
        /// Read a key for the server from standard input and store it in the system's keyring.
        #[arg(long)]
        key_stdin: bool,
    },
    /// Use only the built-in engine again.
    Off,
    /// Test the chosen model with a made-up conversation, and show the text sent and received.
    Test,
    /// Have the model read every conversation that no model has read yet.
    ReadAll,
    /// List calls to models.
    Calls {
        /// Maximum number of calls.
        #[arg(long, default_value_t = 50, value_name = "N")]
        limit: u32,
    },
}

/// What to erase.
#[derive(Debug, Subcommand)]
pub(crate) enum EraseTarget {
    /// A conversation and everything derived only from it.
    Conversation {
        /// Conversation id, or its id in the export.
        conversation: String,
        /// Show what would be erased without erasing it.
        #[arg(long)]
        dry_run: bool,
    },
    /// A person: all their messages, conversations with no one else, and everything known about them.
    Person {
        /// channel:handle, an id, or a name.
        person: String,
        /// Show what would be erased without erasing it.
        #[arg(long)]
        dry_run: bool,
    },
}

/// An action on watched files and folders.
#[derive(Debug, Subcommand)]
pub(crate) enum WatchCommand {
    /// Watch a file or folder, and import new content automatically.
    Add {
        /// The file or folder.
        path: PathBuf,
        /// chat (read once a day), meetings (read every ten minutes) or live (followed as it changes).
        #[arg(long, value_parser = ["chat", "meetings", "live"])]
        kind: String,
        /// Hour of the day (local time) at which chats are read.
        #[arg(long, default_value_t = keepsake_engine::CHAT_HOUR, value_parser = clap::value_parser!(u8).range(0..24))]
        hour: u8,
        /// Your name or handle in the files.
        #[arg(long, value_name = "NAME_OR_HANDLE")]
        me: Option<String>,
    },
    /// Follow the sessions of terminal agents as they are written. Without a program: list what is found on this computer.
    Follow {
        /// claude-code, codex or gemini-cli.
        #[arg(value_name = "PROGRAM")]
        programs: Vec<String>,
    },
    /// Stop watching a file or folder.
    Remove {
        /// The file or folder.
        path: PathBuf,
    },
}

/// What to do with an import.
#[derive(Debug, Subcommand)]
pub(crate) enum ImportsCommand {
    /// Remove every message that an import added, with everything that comes only from them.
    Undo {
        /// Id of the import.
        id: String,
        /// Only show what would be removed.
        #[arg(long)]
        dry_run: bool,
    },
}

/// What to import, and how.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct ImportArgs {
    /// Files, archives or folders.
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// The kind of export, instead of detecting it: keepsake, chatgpt, claude, claude-code, codex-cli, gemini-cli, whatsapp,
    /// transcript, telegram, slack, discord, matrix, signal, simplex, email, imessage, messenger, instagram, teams,
    /// google-chat, line, wechat, open-webui, librechat, cursor, copilot-chat, jan, lm-studio, zed, mem0, mempalace,
    /// basic-memory, obsidian. From a folder or archive, only exports of this kind are imported.
    #[arg(long, value_name = "KIND")]
    pub(crate) source: Option<SourceKind>,
    /// Your name or handle in the export.
    #[arg(long, value_name = "NAME_OR_HANDLE")]
    pub(crate) me: Option<String>,
    /// Exclude all imported conversations from memory.
    #[arg(long)]
    pub(crate) private: bool,
    /// Who may see what is said in a new channel (a room, a contact, a mailbox or a folder), as CHANNEL=public or CHANNEL=private.
    /// CHANNEL is its type:id, or its id or title if only one channel has it; --dry-run lists them. Can be given several times.
    /// Other new channels are private, except where a Keepsake JSONL file says public. A channel that is already in Keepsake is
    /// never changed; change it with `keepsake channels set`.
    #[arg(long, value_name = "CHANNEL=VISIBILITY")]
    pub(crate) visibility: Vec<crate::commands::import_channels::Named>,
    /// Show the contents without importing them.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Order of day, month and year in ambiguous dates.
    #[arg(long, value_name = "ORDER", value_parser = ["day_first", "month_first", "year_first"])]
    pub(crate) date_order: Option<String>,
    /// Time zone of the device that made the export, such as Europe/Berlin. Default: this computer's time zone.
    #[arg(long, value_name = "ZONE")]
    pub(crate) zone: Option<String>,
    /// Date of meetings that have none in the transcript, the file name or the folder name: 2026-01-05 or "2026-01-05 14:00".
    #[arg(long, value_name = "DATE")]
    pub(crate) date: Option<String>,
}

/// Which memories to list.
#[derive(Debug, clap::Args)]
pub(crate) struct MemoriesArgs {
    /// pending, active, rejected, superseded, archived or quarantined.
    #[arg(long)]
    pub(crate) status: Vec<MemoryStatus>,
    /// A category, such as preference.
    #[arg(long)]
    pub(crate) category: Vec<Category>,
    /// Maximum number of memories.
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u32>,
}

/// What to search for, and where.
#[derive(Debug, clap::Args)]
pub(crate) struct SearchArgs {
    /// Words to find. Put an exact phrase in double quotes.
    #[arg(required_unless_present = "batch")]
    pub(crate) query: Option<String>,
    /// Maximum number of hits.
    #[arg(short = 'k', long = "limit", default_value_t = 10, value_name = "N")]
    pub(crate) limit: u32,
    /// Where to search.
    #[arg(long, default_value = "all", value_parser = ["messages", "memories", "people", "topics", "all"])]
    pub(crate) scope: String,
    /// Only hits that may be shown to this audience.
    #[command(flatten)]
    pub(crate) audience: AudienceArgs,
    /// Read {"id","query"} lines from standard input, and answer with {"id","hits":[source id,...]} lines.
    #[arg(long, conflicts_with = "query")]
    pub(crate) batch: bool,
    /// Show the scores of each message's cues.
    #[arg(long)]
    pub(crate) explain: bool,
}

/// Whether a conversation is excluded from memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnOff {
    /// Exclude it from memory from now on.
    On,
    /// Allow its use for memory again.
    Off,
}

/// What to do with memories that were already derived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Existing {
    /// Keep them.
    Keep,
    /// Keep them, but do not serve them to anyone.
    Hide,
    /// Erase them.
    Erase,
}

/// `keepsake timeline`.
#[derive(Debug, clap::Args)]
pub(crate) struct TimelineArgs {
    /// Only this person: channel:handle, an id, or a name.
    #[arg(long, value_name = "PERSON", conflicts_with = "topic")]
    pub(crate) person: Option<String>,
    /// Only this topic (top_…).
    #[arg(long, value_name = "TOPIC")]
    pub(crate) topic: Option<String>,
    /// Length of each period. If this results in too many periods, longer ones are used.
    #[arg(long, value_parser = ["day", "week", "month", "year"])]
    pub(crate) by: Option<String>,
    /// Count memories by the date of your decision instead of the date of the message.
    #[arg(long)]
    pub(crate) decided: bool,
}

/// `keepsake settings`.
#[derive(Debug, Subcommand)]
pub(crate) enum SettingsOf {
    /// Rules for topics. Changing them rebuilds the topics.
    Topics(TopicRulesArgs),
    /// Where to report new playbooks, in addition to the desktop notification.
    Playbooks {
        /// A URL that receives titles, counts and ids, but never message text. An empty URL turns this off.
        #[arg(long, value_name = "URL")]
        webhook: Option<String>,
    },
    /// Which cleanups maintenance may apply without asking. None by default; cleanups never delete anything.
    Reflection {
        /// Kinds of cleanups, separated by commas: archive, merge; or none.
        #[arg(long, value_name = "KINDS")]
        automatic: Option<String>,
    },
    /// Whether conversations are analyzed automatically after they end. Only conversations that end after you turn this on are
    /// analyzed.
    Analysis {
        /// on: analyze automatically; off: analyze only on request.
        #[arg(long, value_enum)]
        automatic: Option<Automatic>,
    },
}

/// Whether something happens automatically.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Automatic {
    /// Automatically.
    On,
    /// Only on request.
    Off,
}
