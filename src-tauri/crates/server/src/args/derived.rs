//! Arguments of the commands for what is derived: topics, gaps, cleanups and playbooks.

use std::path::PathBuf;

use clap::Subcommand;
use keepsake_domain::{PlaybookStatus, ReflectionKind, ReflectionStatus};

use super::{AudienceArgs, Automatic};

/// `keepsake topics`.
#[derive(Debug, Subcommand)]
pub(crate) enum TopicsCommand {
    /// List topics.
    List,
    /// Set the title of a topic. An empty title restores the automatic one.
    Rename {
        /// The topic (top_…).
        topic: String,
        /// The title.
        title: String,
    },
    /// Pin a topic to the top of the list.
    Pin {
        /// The topic (top_…).
        topic: String,
    },
    /// Unpin a topic.
    Unpin {
        /// The topic (top_…).
        topic: String,
    },
    /// Merge another topic into a topic.
    Merge {
        /// The topic to keep (top_…).
        topic: String,
        /// The topic to merge into it (top_…).
        other: String,
    },
    /// Move messages of a topic into a new topic.
    Split {
        /// The topic (top_…).
        topic: String,
        /// The messages (int_…).
        #[arg(required = true, value_name = "MESSAGE")]
        messages: Vec<String>,
    },
    /// Keep two topics separate, and do not propose merging them again.
    Separate {
        /// A topic (top_…).
        topic: String,
        /// The other topic (top_…).
        other: String,
    },
    /// Undo a decision about a topic.
    Undo {
        /// The decision (tod_…).
        decision: String,
    },
    /// Delete all topics. They are rebuilt from the messages, and your decisions are kept.
    Rebuild,
}

/// `keepsake gaps`.
#[derive(Debug, Subcommand)]
pub(crate) enum GapsCommand {
    /// List gaps.
    List,
    /// Turn a gap into a task.
    Confirm {
        /// The gap.
        id: String,
        /// The Markdown file for tasks, to use from now on.
        #[arg(long)]
        file: Option<PathBuf>,
    },
    /// Dismiss a gap.
    Dismiss {
        /// The gap.
        id: String,
    },
}

/// `keepsake settings topics`.
#[derive(Debug, clap::Args)]
pub(crate) struct TopicRulesArgs {
    /// Process a conversation after this many new messages.
    #[arg(long, value_name = "N")]
    pub(crate) min_messages: Option<u32>,
    /// Process a conversation after it has been quiet for this many minutes, regardless of its number of new messages.
    #[arg(long, value_name = "N")]
    pub(crate) min_minutes: Option<u32>,
    /// Whether topics are updated automatically.
    #[arg(long, value_name = "on|off")]
    pub(crate) automatic: Option<Automatic>,
    /// Maximum number of messages in a batch.
    #[arg(long, value_name = "N")]
    pub(crate) batch_size: Option<u32>,
    /// Overlap of batches, as a share of the batch size from 0 to 0.9: how many messages before a batch are read again for
    /// context.
    #[arg(long, value_name = "SHARE")]
    pub(crate) overlap: Option<f32>,
    /// Minimum similarity to join an existing topic, from 0.3 to 0.99.
    #[arg(long, value_name = "NEARNESS")]
    pub(crate) similarity: Option<f32>,
    /// Target length of a topic's text in words.
    #[arg(long, value_name = "N")]
    pub(crate) target_words: Option<u32>,
    /// Maximum length of a topic's text in words, up to 1000.
    #[arg(long, value_name = "N")]
    pub(crate) max_words: Option<u32>,
    /// Reset to the defaults. Other options in the same command still apply.
    #[arg(long)]
    pub(crate) defaults: bool,
}

/// `keepsake reflect`.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ReflectArgs {
    /// The action. Default: find cleanups and list the proposals.
    #[command(subcommand)]
    pub(crate) act: Option<ReflectAct>,
    /// Only proposals with this status: open, accepted, applied, refused or parked.
    #[arg(long)]
    pub(crate) status: Option<ReflectionStatus>,
    /// Only proposals of this kind: archive or merge.
    #[arg(long)]
    pub(crate) kind: Option<ReflectionKind>,
}

/// What is decided about, by the ids that the command lists without an action.
#[derive(Debug, clap::Args)]
pub(crate) struct Ids {
    /// The ids (rfl_… or pbk_…).
    #[arg(required = true, value_name = "ID")]
    pub(crate) ids: Vec<String>,
}

/// A decision about cleanup proposals.
#[derive(Debug, Subcommand)]
pub(crate) enum ReflectAct {
    /// Show a proposal in full: before, after, and its sources.
    Show {
        /// The proposal (rfl_…).
        id: String,
    },
    /// Apply these proposals in one run, after a backup. A single undo reverts the whole run.
    Approve {
        /// The proposals (rfl_…).
        #[arg(required_unless_present = "all", value_name = "ID")]
        ids: Vec<String>,
        /// Apply all open proposals.
        #[arg(long, conflicts_with = "ids")]
        all: bool,
        /// With --all: apply only proposals of this kind.
        #[arg(long, requires = "all")]
        kind: Option<ReflectionKind>,
    },
    /// Dismiss these proposals. You will see them again only if their sources change.
    Reject(Ids),
    /// Set these proposals aside for later.
    Park(Ids),
    /// Reopen proposals that were set aside, dismissed or expired.
    Restore(Ids),
    /// Undo the last run as a whole.
    Undo,
}

/// `keepsake playbooks`.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct PlaybooksArgs {
    /// The action. Default: list playbooks.
    #[command(subcommand)]
    pub(crate) act: Option<PlaybookAct>,
    /// Only playbooks with this status: candidate, approved, rejected or parked.
    #[arg(long)]
    pub(crate) status: Option<PlaybookStatus>,
    /// Only approved playbooks that may be shown to this audience.
    #[command(flatten)]
    pub(crate) audience: AudienceArgs,
    /// Delete the playbooks you have not decided about. Keepsake then looks for playbooks again.
    #[arg(long)]
    pub(crate) rebuild: bool,
}

/// A decision about playbooks.
#[derive(Debug, Subcommand)]
pub(crate) enum PlaybookAct {
    /// Approve these playbooks.
    Approve(Ids),
    /// Dismiss these playbooks. They return only if at least as many new sessions show them.
    Reject(Ids),
    /// Set these playbooks aside for later.
    Park(Ids),
    /// Move these playbooks back to the proposals.
    Restore(Ids),
    /// Undo a decision.
    Undo {
        /// The decision (pbd_…).
        decision: String,
    },
    /// Export an approved playbook as a skill: `DIR/NAME/SKILL.md`.
    Export {
        /// The playbook (pbk_…).
        id: String,
        /// The folder for skills.
        dir: PathBuf,
    },
}
