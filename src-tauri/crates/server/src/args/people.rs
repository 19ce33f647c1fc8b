//! Arguments of the commands for people and channels: links between handles, unidentified speakers, and who may see what.

use clap::{Subcommand, ValueEnum};

/// `keepsake channels`.
#[derive(Debug, Subcommand)]
pub(crate) enum ChannelsCommand {
    /// List channels and whether they are public.
    List,
    /// Set whether a channel or a conversation is public.
    Set(ChannelArgs),
}

/// A channel, and its visibility.
#[derive(Debug, clap::Args)]
pub(crate) struct ChannelArgs {
    /// A channel as type:id, or a conversation.
    pub(crate) channel: String,
    /// The visibility; default removes your choice.
    pub(crate) visibility: ChannelChoice,
}

/// The visibility of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChannelChoice {
    /// Anyone can read it.
    Public,
    /// Only its members can read it.
    Private,
    /// The visibility that its source specifies.
    Default,
}

/// A pair of handles, and the answer.
#[derive(Debug, clap::Args)]
pub(crate) struct LinkArgs {
    /// Id of the suggested link.
    #[arg(required_unless_present = "handles", requires = "answer")]
    pub(crate) suggestion: Option<String>,
    /// Whether the two handles belong to the same person.
    pub(crate) answer: Option<LinkAnswerName>,
    /// Two handles to link manually, each as channel:handle.
    #[arg(long, num_args = 2, value_names = ["A", "B"], conflicts_with_all = ["suggestion", "answer"])]
    pub(crate) handles: Vec<String>,
}

/// `keepsake speakers`.
#[derive(Debug, Subcommand)]
pub(crate) enum SpeakersCommand {
    /// List the unidentified speakers in meeting transcripts.
    List,
    /// Identify a speaker in a meeting.
    Identify(SpeakerArgs),
}

/// A speaker, and who they are.
#[derive(Debug, clap::Args)]
pub(crate) struct SpeakerArgs {
    /// The speaker's handle, as listed by `keepsake speakers`.
    pub(crate) handle: String,
    /// Who the speaker is.
    #[command(flatten)]
    pub(crate) who: Who,
}

/// Who a speaker is. This replaces an earlier answer.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Who {
    /// The speaker is you.
    #[arg(long)]
    pub(crate) me: bool,
    /// The speaker is the person with this handle (channel:handle).
    #[arg(long)]
    pub(crate) person: Option<String>,
    /// The speaker has this name and does not appear elsewhere.
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// Leave the speaker unidentified, and do not ask again.
    #[arg(long)]
    pub(crate) leave: bool,
    /// Remove the earlier answer.
    #[arg(long)]
    pub(crate) reset: bool,
}

/// An answer about two handles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LinkAnswerName {
    /// The same person.
    Same,
    /// Different people. This pair is never suggested again.
    Different,
    /// Not sure; ask again when there is new evidence.
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
