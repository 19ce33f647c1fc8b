//! The words of the command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use keepsake_domain::{Category, MemoryStatus, PlaybookStatus, ReflectionKind, ReflectionStatus, SourceKind};

/// A private memory of all your conversations.
#[derive(Debug, Parser)]
#[command(name = "keepsake", version, disable_help_subcommand = true)]
pub(crate) struct Args {
    /// Where the data lives.
    #[arg(long, global = true, value_name = "DIR", env = "KEEPSAKE_DATA")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Print JSON: one value, or one a line for lists.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Say on standard error what is being done.
    #[arg(long, short, global = true)]
    pub(crate) verbose: bool,
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Bring exports into the memory.
    Import(ImportArgs),
    /// Read Keepsake JSONL on standard input and print candidates; stores nothing.
    Extract,
    /// Copy standard input to standard output with everything sensitive replaced.
    Scrub,
    /// Work the queue.
    RunJobs {
        /// Wait for retries too, until nothing is left.
        #[arg(long)]
        until_idle: bool,
    },
    /// Analyze Now: summary, themes and candidates of one conversation.
    Analyze {
        /// Conversation id, or its id in the export.
        conversation: String,
        /// Although nothing is new or the conversation is short.
        #[arg(long)]
        force: bool,
    },
    /// List memories and candidates.
    Memories(MemoriesArgs),
    /// Keep candidates.
    Approve {
        /// Memory ids.
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
    /// Refuse candidates; the same will not be offered again.
    Reject {
        /// Memory ids.
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
        /// Why.
        #[arg(long, value_parser = ["wrong", "not_about_me", "temporary", "private", "duplicate"])]
        reason: Option<String>,
    },
    /// Undo the last act over memories.
    Undo,
    /// List conversations.
    Conversations {
        /// At most so many.
        #[arg(long, value_name = "N")]
        limit: Option<u32>,
    },
    /// Turn a conversation private or back.
    Private {
        /// Conversation id, or its id in the export.
        conversation: String,
        /// on or off.
        state: OnOff,
        /// What becomes of what was derived from it.
        #[arg(long, default_value = "keep")]
        existing: Existing,
        /// With "off", now or later: also use what arrived while it was private.
        #[arg(long)]
        use_private_time: bool,
    },
    /// List everybody with their handles.
    People,
    /// What is known of how a person wants things; or say of an entry that it is not so, or how it is.
    Profile {
        /// A person (id, channel:handle or name), or an entry (ep_…).
        id: String,
        /// Earlier versions too.
        #[arg(long)]
        history: bool,
        /// The entry is not so.
        #[arg(long, conflicts_with_all = ["restore", "correct"])]
        debunk: bool,
        /// Take back that it is not so.
        #[arg(long, conflicts_with = "correct")]
        restore: bool,
        /// How it is, in your words.
        #[arg(long)]
        correct: Option<String>,
    },
    /// List suggested and answered links between handles.
    Links,
    /// Answer a suggestion, or link two handles by hand.
    Link(LinkArgs),
    /// Take a link back.
    Unlink {
        /// Link or suggestion.
        id: String,
    },
    /// List the speakers that transcripts of meetings do not name.
    Voices,
    /// Say who a speaker of a meeting is.
    Voice(VoiceArgs),
    /// List channels and whether they are public.
    Channels,
    /// Choose whether a channel or a conversation is public.
    Channel {
        /// type:id, or a conversation.
        channel: String,
        /// What it is; default takes your choice back.
        visibility: ChannelChoice,
    },
    /// List topics: what many conversations are about.
    Topics {
        /// Delete all of them; they are made again from the messages, with what you decided.
        #[arg(long)]
        rebuild: bool,
    },
    /// Decide something about a topic: a title, a pin, a merge, a split; or take a decision back.
    Topic(TopicArgs),
    /// Count what was said and kept over time.
    Timeline(TimelineArgs),
    /// Show what lies around one person or one topic, and what each connection rests on.
    Graph {
        /// A person: channel:handle, an id, or a name.
        #[arg(long, value_name = "PERSON", required_unless_present = "topic", conflicts_with = "topic")]
        person: Option<String>,
        /// A topic (top_…).
        #[arg(long, value_name = "TOPIC")]
        topic: Option<String>,
    },
    /// Show or choose how topics are made.
    Settings {
        /// Which settings.
        #[command(subcommand)]
        of: SettingsOf,
    },
    /// List ways of working that repeat over sessions with tools, decide about them, export them as skills.
    Playbooks(PlaybooksArgs),
    /// Look for what could be tidied in what is remembered, list it with before and after, and decide about it.
    Reflect(ReflectArgs),
    /// Check a sample of the memories in use: sources that are gone, contradictions, duplicates, what is stale, echoes.
    Audit {
        /// Look at so many; all where there are no more.
        #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
        sample: u32,
        /// Draw the sample with this; another one draws others.
        #[arg(long, value_name = "N")]
        seed: Option<u32>,
    },
    /// Begin the nightly cycle now: everything that is worked out is brought up to date, and what waited too long is parked.
    Maintain {
        /// Stop the one under way.
        #[arg(long)]
        cancel: bool,
    },
    /// Delete everything that is worked out and make it again, after a backup; what you decided stays.
    Rebuild,
    /// Say what is new since the cycle before the last, and what waits.
    Digest,
    /// List what waited too long for an answer and is set aside, or take it back.
    Parked {
        /// Take these back: ids of candidates and proposals.
        #[arg(long, value_name = "ID", num_args = 1.., conflicts_with = "all")]
        restore: Vec<String>,
        /// Take all of it back.
        #[arg(long)]
        all: bool,
    },
    /// List what was wanted more than once and could not be done.
    Gaps,
    /// Make a task of a gap, or say that it is none.
    Gap {
        /// Gap id.
        id: String,
        /// What it is.
        answer: GapAnswer,
        /// The Markdown file for tasks, from now on.
        #[arg(long)]
        file: Option<PathBuf>,
    },
    /// Allow a memory or an entry of a profile to be told anywhere.
    Share {
        /// Memory or entry.
        id: String,
        /// Take it back.
        #[arg(long)]
        off: bool,
    },
    /// List agents with what they may do, or choose it.
    Agents(AgentsArgs),
    /// List what sessions with agents came to.
    Summaries(SummariesArgs),
    /// Say something about a session with an agent.
    Session {
        /// What.
        #[command(subcommand)]
        what: SessionCommand,
    },
    /// Print the tiers of long-term memory: shared, of agents and of users; as an agent is served them.
    Tiers(TiersArgs),
    /// Say how near a person is: a guest is served what is known of themself, a friend what agents share as well.
    Role {
        /// channel:handle, an id, or a name.
        person: String,
        /// How near.
        #[arg(value_parser = ["guest", "friend"])]
        role: String,
    },
    /// Print what an agent gets.
    Context(ContextArgs),
    /// Find messages and memories.
    Search(SearchArgs),
    /// Language models: which one proposes, where it is, what was sent to it.
    Models {
        /// What to do; without it, how things stand.
        #[command(subcommand)]
        command: Option<ModelsCommand>,
    },
    /// Files and folders that are read on their own.
    Watch {
        /// What to do; without it, which there are.
        #[command(subcommand)]
        command: Option<WatchCommand>,
    },
    /// Erase a conversation or a person for good.
    Erase {
        /// What.
        #[command(subcommand)]
        what: EraseTarget,
    },
    /// Copy everything to a file, and read the copy back; without a file, among Keepsake's own backups.
    Backup {
        /// The file to write.
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
    },
    /// List Keepsake's own backups.
    Backups,
    /// Write everything into a new or empty folder: lines of JSON that come back without loss, and Markdown to read.
    Export {
        /// The folder.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Replace everything by what a backup or an export holds; what is here now is kept aside first.
    Restore {
        /// The backup, or the folder of an export.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Take it although the chain of its messages is broken, and say from which message on it is in doubt.
        #[arg(long)]
        salvage: bool,
    },
    /// Show where the data lives and how much there is.
    Status,
    /// Check the stored messages against their hash chain.
    Verify,
    /// Serve the window on loopback and print its address.
    Serve(ServeArgs),
}

/// What to do about models.
#[derive(Debug, Subcommand)]
pub(crate) enum ModelsCommand {
    /// Look for model servers on this computer.
    Detect,
    /// Let a model propose memories.
    Use {
        /// Its server: http://127.0.0.1:11434
        url: String,
        /// Its name there.
        model: String,
        /// How the server is spoken to.
        #[arg(long, default_value = "ollama", value_parser = ["ollama", "openai"])]
        shape: String,
        /// Which engines propose.
        #[arg(long, default_value = "both", value_parser = ["model", "both"])]
        engines: String,
        /// Allow a server on another computer; scrubbed text of conversations that are not private goes there.
        #[arg(long)]
        allow_remote: bool,
        /// Read a key for the server from standard input and keep it in the system's keyring.
        #[arg(long)]
        key_stdin: bool,
    },
    /// Let the built-in engine work alone again.
    Off,
    /// Try the chosen model with a made-up conversation and show both sides.
    Test,
    /// Have the model read every conversation that no model has read.
    ReadAll,
    /// List the calls that were made.
    Calls {
        /// At most so many.
        #[arg(long, default_value_t = 50, value_name = "N")]
        limit: u32,
    },
}

/// What to erase.
#[derive(Debug, Subcommand)]
pub(crate) enum EraseTarget {
    /// A conversation and whatever rests on it alone.
    Conversation {
        /// Conversation id, or its id in the export.
        conversation: String,
        /// Only say what would go.
        #[arg(long)]
        dry_run: bool,
    },
    /// A person: their messages everywhere, conversations with them alone, and what is known of them.
    Person {
        /// channel:handle, an id, or a name.
        person: String,
        /// Only say what would go.
        #[arg(long)]
        dry_run: bool,
    },
}

/// What to do about watched sources.
#[derive(Debug, Subcommand)]
pub(crate) enum WatchCommand {
    /// Read a file or folder on its own from now on.
    Add {
        /// Which.
        path: PathBuf,
        /// chat: once a day; meetings: every ten minutes.
        #[arg(long, value_parser = ["chat", "meetings"])]
        kind: String,
        /// Local hour at which chat is read.
        #[arg(long, default_value_t = keepsake_engine::CHAT_HOUR, value_parser = clap::value_parser!(u8).range(0..24))]
        hour: u8,
        /// Your name or handle in the files.
        #[arg(long, value_name = "NAME_OR_HANDLE")]
        me: Option<String>,
    },
    /// Leave it alone again.
    Remove {
        /// Which.
        path: PathBuf,
    },
}

/// What to import and how.
#[derive(Debug, clap::Args)]
pub(crate) struct ImportArgs {
    /// Files, archives or folders.
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// The kind, if its content must not decide: keepsake, chatgpt, claude, claude-code, codex-cli, gemini-cli, whatsapp,
    /// transcript.
    #[arg(long, value_name = "KIND")]
    pub(crate) source: Option<SourceKind>,
    /// Your name or handle in the export.
    #[arg(long, value_name = "NAME_OR_HANDLE")]
    pub(crate) me: Option<String>,
    /// Keep everything of it out of analysis.
    #[arg(long)]
    pub(crate) private: bool,
    /// Only say what it holds.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Order of dates that can be read two ways.
    #[arg(long, value_name = "ORDER", value_parser = ["day_first", "month_first", "year_first"])]
    pub(crate) date_order: Option<String>,
    /// Zone of the device that made the export, such as Europe/Berlin; this computer's if left out.
    #[arg(long, value_name = "ZONE")]
    pub(crate) zone: Option<String>,
    /// When meetings began whose transcripts, names and folders give no date: 2026-01-05 or "2026-01-05 14:00".
    #[arg(long, value_name = "DATE")]
    pub(crate) date: Option<String>,
}

/// Which memories to list.
#[derive(Debug, clap::Args)]
pub(crate) struct MemoriesArgs {
    /// pending, active, rejected, superseded, archived or quarantined.
    #[arg(long)]
    pub(crate) status: Vec<MemoryStatus>,
    /// A category such as preference.
    #[arg(long)]
    pub(crate) category: Vec<Category>,
    /// At most so many.
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u32>,
}

/// What to search.
#[derive(Debug, clap::Args)]
pub(crate) struct SearchArgs {
    /// Words; "exact phrase" in quotes.
    #[arg(required_unless_present = "batch")]
    pub(crate) query: Option<String>,
    /// At most so many hits.
    #[arg(short = 'k', long = "limit", default_value_t = 10, value_name = "N")]
    pub(crate) limit: u32,
    /// Where to look.
    #[arg(long, default_value = "all", value_parser = ["messages", "memories", "people", "topics", "all"])]
    pub(crate) scope: String,
    /// Only what may surface there.
    #[command(flatten)]
    pub(crate) audience: AudienceArgs,
    /// Read {"id","query"} lines on standard input; answer {"id","hits":[source id,...]} lines.
    #[arg(long, conflicts_with = "query")]
    pub(crate) batch: bool,
    /// Tell what spoke for each message, cue by cue.
    #[arg(long)]
    pub(crate) explain: bool,
}

/// For whom and where something is; without any, for the owner's own eyes.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct AudienceArgs {
    /// The program that asks.
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Whom it talks with: channel:handle, an id, or a name.
    #[arg(long, value_name = "PERSON")]
    pub(crate) person: Option<String>,
    /// Where: type:id, a conversation, or a channel type.
    #[arg(long, value_name = "CHANNEL")]
    pub(crate) channel: Option<String>,
}

impl AudienceArgs {
    /// Whether it is for the owner's own eyes.
    pub(crate) fn is_nobody(&self) -> bool {
        self.agent.is_none() && self.person.is_none() && self.channel.is_none()
    }
}

/// What an agent gets.
#[derive(Debug, clap::Args)]
pub(crate) struct ContextArgs {
    /// For whom and where.
    #[command(flatten)]
    pub(crate) audience: AudienceArgs,
    /// What it is about.
    #[arg(long, value_name = "WORDS")]
    pub(crate) query: Option<String>,
    /// Characters at most.
    #[arg(long, value_name = "CHARS")]
    pub(crate) budget: Option<usize>,
    /// As it was believed then: 2026-03-04 or 2026-03-04T10:00:00Z.
    #[arg(long, value_name = "TIME")]
    pub(crate) as_of: Option<String>,
}

/// Which agent, and what it may do.
#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("choice").args(["visibility", "skip", "goals"]).multiple(true)))]
pub(crate) struct AgentsArgs {
    /// Its name.
    #[arg(requires = "choice")]
    pub(crate) name: Option<String>,
    /// The most it may be told.
    #[arg(value_parser = ["public", "private"])]
    pub(crate) visibility: Option<String>,
    /// Whether its sessions are left alone.
    #[arg(long, value_name = "STATE", requires = "name")]
    pub(crate) skip: Option<Switch>,
    /// Whether it may hold goals.
    #[arg(long, value_name = "STATE", requires = "name")]
    pub(crate) goals: Option<Switch>,
}

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    /// It is so.
    On,
    /// It is not.
    Off,
}

/// Which sessions.
#[derive(Debug, clap::Args)]
pub(crate) struct SummariesArgs {
    /// Only of this agent.
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Write them to this folder instead, a file an agent: {agent}_conversations.jsonl.
    #[arg(long, value_name = "DIR")]
    pub(crate) export: Option<PathBuf>,
    /// Delete what sessions and tiers hold; they are made again from the messages.
    #[arg(long, conflicts_with_all = ["agent", "export"])]
    pub(crate) rebuild: bool,
}

/// What to say about a session.
#[derive(Debug, Subcommand)]
pub(crate) enum SessionCommand {
    /// It ended with what was said so far.
    End {
        /// Conversation id, or its id in the export.
        conversation: String,
        /// The agent that says so.
        #[arg(long, value_name = "NAME")]
        agent: Option<String>,
    },
}

/// For whom the tiers are.
#[derive(Debug, clap::Args)]
pub(crate) struct TiersArgs {
    /// The agent that asks.
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Whom it talks with: channel:handle, an id, or a name; without it the owner.
    #[arg(long, value_name = "PERSON")]
    pub(crate) user: Option<String>,
    /// Where: type:id, a conversation, or a channel type.
    #[arg(long, value_name = "CHANNEL")]
    pub(crate) channel: Option<String>,
    /// As somebody this near would see them.
    #[arg(long = "as", value_name = "ROLE", value_parser = ["guest", "friend", "owner"])]
    pub(crate) role: Option<String>,
    /// Write them to this folder instead: shared_long_term.md, {agent}_long_term.md, {user}/{agent}_memory.md.
    #[arg(long, value_name = "DIR")]
    pub(crate) export: Option<PathBuf>,
}

/// Which pair, and the answer.
#[derive(Debug, clap::Args)]
pub(crate) struct LinkArgs {
    /// Suggestion.
    #[arg(required_unless_present = "handles", requires = "answer")]
    pub(crate) suggestion: Option<String>,
    /// One person or not.
    pub(crate) answer: Option<LinkAnswerName>,
    /// Two handles as channel:handle, to link by hand.
    #[arg(long, num_args = 2, value_names = ["A", "B"], conflicts_with_all = ["suggestion", "answer"])]
    pub(crate) handles: Vec<String>,
}

/// A speaker, and who that is.
#[derive(Debug, clap::Args)]
pub(crate) struct VoiceArgs {
    /// The speaker, by its handle as `keepsake voices` lists it.
    pub(crate) handle: String,
    /// Who it is.
    #[command(flatten)]
    pub(crate) who: Who,
}

/// Who a speaker is; what was said before is taken back.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Who {
    /// It is you.
    #[arg(long)]
    pub(crate) me: bool,
    /// It is the person with this handle (channel:handle).
    #[arg(long)]
    pub(crate) person: Option<String>,
    /// It is somebody of this name who is not met elsewhere.
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// It stays without a name and is not asked about.
    #[arg(long)]
    pub(crate) leave: bool,
    /// Take back what was said.
    #[arg(long)]
    pub(crate) reset: bool,
}

/// An answer about two handles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LinkAnswerName {
    /// One person.
    Same,
    /// Two, for good.
    Different,
    /// Ask again with new evidence.
    Unsure,
}

impl LinkAnswerName {
    /// Stable name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Different => "different",
            Self::Unsure => "unsure",
        }
    }
}

/// What a channel is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChannelChoice {
    /// Anybody may read it.
    Public,
    /// Only its members.
    Private,
    /// As its source says.
    Default,
}

/// How to serve.
#[derive(Debug, clap::Args)]
pub(crate) struct ServeArgs {
    /// Port on 127.0.0.1; 0 lets the system choose.
    #[arg(long, default_value_t = 0)]
    pub(crate) port: u16,
    /// The built window.
    #[arg(long, value_name = "DIR", env = "KEEPSAKE_UI")]
    pub(crate) ui: Option<PathBuf>,
}

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnOff {
    /// Private from now on.
    On,
    /// As its channel says.
    Off,
}

/// What becomes of what was derived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Existing {
    /// Leave it.
    Keep,
    /// Serve it to nobody.
    Hide,
    /// Delete it.
    Erase,
}

/// What a person says of a capability gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GapAnswer {
    /// It becomes a task.
    Confirm,
    /// It is none.
    Dismiss,
}

/// `keepsake timeline`.
#[derive(Debug, clap::Args)]
pub(crate) struct TimelineArgs {
    /// Only of a person: channel:handle, an id, or a name.
    #[arg(long, value_name = "PERSON", conflicts_with = "topic")]
    pub(crate) person: Option<String>,
    /// Only of a topic (top_…).
    #[arg(long, value_name = "TOPIC")]
    pub(crate) topic: Option<String>,
    /// In stretches of this length, where so many fit.
    #[arg(long, value_parser = ["day", "week", "month", "year"])]
    pub(crate) by: Option<String>,
    /// Count memories when they were decided on and not when their line was said.
    #[arg(long)]
    pub(crate) decided: bool,
}

/// `keepsake topic`.
#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("act").required(true)))]
pub(crate) struct TopicArgs {
    /// Topic (top_…), or with --undo the decision (tod_…).
    pub(crate) id: String,
    /// Give it a title; an empty one lets the title follow the content again.
    #[arg(long, value_name = "TITLE", group = "act")]
    pub(crate) rename: Option<String>,
    /// Keep it at the top.
    #[arg(long, group = "act")]
    pub(crate) pin: bool,
    /// No longer.
    #[arg(long, group = "act")]
    pub(crate) unpin: bool,
    /// Another topic goes into it.
    #[arg(long, value_name = "TOPIC", group = "act")]
    pub(crate) merge: Option<String>,
    /// Messages (int_…) that become a topic of their own.
    #[arg(long, value_name = "MESSAGE", num_args = 1.., group = "act")]
    pub(crate) split: Vec<String>,
    /// It is not the same as this one: not proposed again.
    #[arg(long, value_name = "TOPIC", group = "act")]
    pub(crate) leave: Option<String>,
    /// Take the decision back.
    #[arg(long, group = "act")]
    pub(crate) undo: bool,
}

/// `keepsake settings`.
#[derive(Debug, Subcommand)]
pub(crate) enum SettingsOf {
    /// How topics are made; they are made anew under other rules.
    Topics(TopicRulesArgs),
    /// Where new playbooks are told of besides the desktop.
    Playbooks {
        /// An address that gets titles, counts and ids, never a message; an empty one switches it off.
        #[arg(long, value_name = "URL")]
        webhook: Option<String>,
    },
    /// What the nightly cycle may tidy without asking; nothing unless it is chosen, and nothing is ever deleted.
    Reflection {
        /// Kinds, separated by commas: archive, merge; or none.
        #[arg(long, value_name = "KINDS")]
        automatic: Option<String>,
    },
    /// Whether a conversation that has ended is analysed as a whole by itself; switched on it begins with what ends from then on.
    Analysis {
        /// On its own, or when somebody asks.
        #[arg(long, value_enum)]
        automatic: Option<Automatic>,
    },
}

/// Whether something is done without being asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Automatic {
    /// On its own.
    On,
    /// When somebody asks.
    Off,
}

/// `keepsake settings topics`.
#[derive(Debug, clap::Args)]
pub(crate) struct TopicRulesArgs {
    /// New messages of a conversation that are waited for.
    #[arg(long, value_name = "N")]
    pub(crate) min_messages: Option<u32>,
    /// Minutes of rest after which a conversation is read with what it has.
    #[arg(long, value_name = "N")]
    pub(crate) min_minutes: Option<u32>,
    /// Whether topics are kept up on their own.
    #[arg(long, value_name = "on|off")]
    pub(crate) automatic: Option<Automatic>,
    /// Messages of a batch at most.
    #[arg(long, value_name = "N")]
    pub(crate) batch_size: Option<u32>,
    /// Share of a batch that is looked at again, from 0 to 0.9.
    #[arg(long, value_name = "SHARE")]
    pub(crate) overlap: Option<f32>,
    /// Nearness from which messages belong to a topic, from 0.3 to 0.99.
    #[arg(long, value_name = "NEARNESS")]
    pub(crate) similarity: Option<f32>,
    /// Words that the text of a topic should have.
    #[arg(long, value_name = "N")]
    pub(crate) target_words: Option<u32>,
    /// Words that it may have, at most 1000.
    #[arg(long, value_name = "N")]
    pub(crate) max_words: Option<u32>,
    /// Back to what held before anybody chose; what is given beside it is chosen from there.
    #[arg(long)]
    pub(crate) defaults: bool,
}

/// `keepsake reflect`.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ReflectArgs {
    /// What to do; without it memories are looked over and the proposals listed.
    #[command(subcommand)]
    pub(crate) act: Option<ReflectAct>,
    /// Only those that are open, accepted, applied, refused or parked.
    #[arg(long)]
    pub(crate) status: Option<ReflectionStatus>,
    /// Only those of this kind: archive or merge.
    #[arg(long)]
    pub(crate) kind: Option<ReflectionKind>,
}

/// What a person does with proposals.
#[derive(Debug, Subcommand)]
pub(crate) enum ReflectAct {
    /// Show one whole: before, after, and what it rests on.
    Show {
        /// Proposal (rfl_…).
        id: String,
    },
    /// Apply these in one run, after a backup; one undo takes all of it back.
    Approve {
        /// Proposals (rfl_…).
        #[arg(required_unless_present = "all", value_name = "ID")]
        ids: Vec<String>,
        /// All that wait.
        #[arg(long, conflicts_with = "ids")]
        all: bool,
        /// With --all: only those of this kind.
        #[arg(long, requires = "all")]
        kind: Option<ReflectionKind>,
    },
    /// Leave it as it is; it returns only where what it rests on has changed.
    Reject {
        /// Proposals (rfl_…).
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
    /// Set aside.
    Park {
        /// Proposals (rfl_…).
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
    /// Back among those that wait.
    Restore {
        /// Proposals (rfl_…).
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
    /// Take the newest run back, whole.
    Undo,
}

/// `keepsake playbooks`.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct PlaybooksArgs {
    /// What to do; without it they are listed.
    #[command(subcommand)]
    pub(crate) act: Option<PlaybookAct>,
    /// Only those that are candidate, approved, rejected or parked.
    #[arg(long)]
    pub(crate) status: Option<PlaybookStatus>,
    /// Only approved ones that may be told there.
    #[command(flatten)]
    pub(crate) audience: AudienceArgs,
    /// Delete those that nobody decided about; they are looked for again.
    #[arg(long)]
    pub(crate) rebuild: bool,
}

/// What a person does with playbooks.
#[derive(Debug, Subcommand)]
pub(crate) enum PlaybookAct {
    /// This is how it is done.
    Approve {
        /// Playbooks (pbk_…).
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
    /// It is none; it returns only with as much new evidence as it has now.
    Reject {
        /// Playbooks (pbk_…).
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
    /// Set aside.
    Park {
        /// Playbooks (pbk_…).
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
    /// Back among the candidates.
    Restore {
        /// Playbooks (pbk_…).
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
    /// Take a decision back.
    Undo {
        /// The decision (pbd_…).
        decision: String,
    },
    /// Write an approved one as a skill: DIR/<name>/SKILL.md.
    Export {
        /// Playbook (pbk_…).
        id: String,
        /// A folder of skills.
        dir: PathBuf,
    },
}
