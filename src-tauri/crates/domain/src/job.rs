//! Jobs: what kinds of work there are, which lane each waits in, and the states it passes through.

use crate::limits::JOB_CRASHES_MAX;
use crate::memory::names;

names! {
    /// A piece of background work.
    pub enum JobKind {
        /// Read a file into the log.
        Import = "import",
        /// Propose candidates from one conversation.
        Extract = "extract",
        /// Analyze Now: look at one whole conversation.
        Analyze = "analyze",
        /// Propose candidates from one conversation with a language model.
        ExtractModel = "extract_model",
        /// Analyze Now with a language model.
        AnalyzeModel = "analyze_model",
        /// Look for handles that may belong to one person.
        SuggestLinks = "suggest_links",
        /// Judge where conversations stand.
        SettleConversations = "settle_conversations",
        /// Judge with a language model whether one conversation has ended.
        SettleModel = "settle_model",
        /// Sum up sessions that ended, and distil them into the tiers.
        Sessions = "sessions",
        /// Sum up sessions with a language model.
        SessionsModel = "sessions_model",
        /// Derive what people need, expect and prefer.
        DeriveProfiles = "derive_profiles",
        /// The same for one person, by a language model.
        DeriveProfilesModel = "derive_profiles_model",
        /// Let topics grow by what was said since.
        Topics = "topics",
        /// Word topics with a language model, and judge which are one.
        TopicsModel = "topics_model",
        /// Look for ways of working that repeat.
        Playbooks = "playbooks",
        /// Word those that wait with a language model.
        PlaybooksModel = "playbooks_model",
        /// Look for what could be tidied in what is remembered.
        Reflect = "reflect",
        /// The same by a language model.
        ReflectModel = "reflect_model",
        /// Tell an address that a person entered of new ones.
        PlaybookNotice = "playbook_notice",
        /// Fill in missing vectors.
        Embed = "embed",
        /// See an erasure through: empty the log of the file and check that nothing is left.
        Erase = "erase",
    }
}

names! {
    /// Jobs of one lane run one after another, first in, first out; lanes do not wait for each other.
    pub enum Lane {
        /// Reading files.
        Import = "import",
        /// Proposing and analysing.
        Capture = "capture",
        /// Asking language models: one request at a time, since a local model serves two at half speed each.
        Model = "model",
        /// Embedding, and topics, which need it: work that nobody waits for.
        Embed = "embed",
        /// What a person waits for and no other work may hold up: erasure.
        Upkeep = "upkeep",
    }
}

names! {
    /// Where a job stands.
    pub enum JobState {
        /// Waits for its turn or its next attempt.
        Queued = "queued",
        /// A worker holds its lease.
        Running = "running",
        /// Finished; its effects were committed with this state.
        Done = "done",
        /// Cancelled by a person; it left no effect.
        Cancelled = "cancelled",
        /// Failed for good: waits for a person (Retry button, alert).
        Dead = "dead",
    }
}

names! {
    /// Where a nightly cycle stands.
    pub enum RunState {
        /// Its jobs wait or run.
        Running = "running",
        /// All were worked; the digest says what came of it.
        Finished = "finished",
        /// A person stopped it.
        Cancelled = "cancelled",
    }
}

/// How a worker lost a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseLoss {
    /// Its process is gone: a new one holds the right to work the queue.
    ProcessEnded,
    /// Only its lease ran out. The computer slept, or the work was slow; nothing says that it failed.
    RanOut,
}

/// What becomes of a job whose worker is lost: its state, and its crashes so far. Only a process that ended counts, because a job
/// that takes the program down must not do so for ever; sleep takes nothing down, however often it comes.
pub const fn after_lease_loss(loss: LeaseLoss, crashes: u32, is_cancelled: bool) -> (JobState, u32) {
    let crashes = match loss {
        LeaseLoss::ProcessEnded => crashes + 1,
        LeaseLoss::RanOut => crashes,
    };
    let state = if is_cancelled {
        JobState::Cancelled
    } else if matches!(loss, LeaseLoss::ProcessEnded) && crashes >= JOB_CRASHES_MAX {
        JobState::Dead
    } else {
        JobState::Queued
    };
    (state, crashes)
}

impl JobKind {
    /// The lane this kind waits in.
    pub const fn lane(self) -> Lane {
        match self {
            Self::Import => Lane::Import,
            Self::Extract
            | Self::Analyze
            | Self::SuggestLinks
            | Self::SettleConversations
            | Self::DeriveProfiles
            | Self::Sessions
            | Self::Playbooks
            | Self::Reflect
            | Self::PlaybookNotice => Lane::Capture,
            Self::ExtractModel
            | Self::AnalyzeModel
            | Self::SettleModel
            | Self::DeriveProfilesModel
            | Self::SessionsModel
            | Self::PlaybooksModel
            | Self::ReflectModel
            | Self::TopicsModel => Lane::Model,
            Self::Embed | Self::Topics => Lane::Embed,
            Self::Erase => Lane::Upkeep,
        }
    }
}

impl JobState {
    /// The legal steps.
    pub const fn may_become(self, to: Self) -> bool {
        use JobState::*;
        matches!(
            (self, to),
            (Queued, Running | Cancelled) | (Running, Done | Queued | Cancelled | Dead) | (Dead, Queued | Cancelled)
        )
    }

    /// Whether nothing more will happen without a person.
    pub const fn is_settled(self) -> bool {
        matches!(self, Self::Done | Self::Cancelled | Self::Dead)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_ended_counts_and_a_lease_that_ran_out_does_not() {
        let check =
            |loss, crashes, is_cancelled, expect| assert_eq!(after_lease_loss(loss, crashes, is_cancelled), expect, "{loss:?}");
        check(LeaseLoss::ProcessEnded, 0, false, (JobState::Queued, 1));
        check(LeaseLoss::ProcessEnded, JOB_CRASHES_MAX - 1, false, (JobState::Dead, JOB_CRASHES_MAX));
        check(LeaseLoss::ProcessEnded, JOB_CRASHES_MAX - 1, true, (JobState::Cancelled, JOB_CRASHES_MAX));
        for crashes in 0..=JOB_CRASHES_MAX {
            check(LeaseLoss::RanOut, crashes, false, (JobState::Queued, crashes));
            check(LeaseLoss::RanOut, crashes, true, (JobState::Cancelled, crashes));
        }
    }
}
