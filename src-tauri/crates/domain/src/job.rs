//! Jobs: the kinds of background work, the lane of each, and the states of a job.

use crate::limits::JOB_CRASHES_MAX;
use crate::memory::names;

names! {
    /// Kind of background work.
    pub enum JobKind {
        /// Import a file into the log.
        Import = "import",
        /// Propose memories from one conversation.
        Extract = "extract",
        /// Analyze one whole conversation.
        Analyze = "analyze",
        /// Propose memories from one conversation with a language model.
        ExtractModel = "extract_model",
        /// Analyze one whole conversation with a language model.
        AnalyzeModel = "analyze_model",
        /// Look for handles that may belong to one person.
        SuggestLinks = "suggest_links",
        /// Decide the status of conversations.
        SettleConversations = "settle_conversations",
        /// Decide with a language model whether one conversation has ended.
        SettleModel = "settle_model",
        /// Summarize sessions that have ended, and distill them into the tiers.
        Sessions = "sessions",
        /// Summarize sessions with a language model.
        SessionsModel = "sessions_model",
        /// Derive what people need, expect and prefer.
        DeriveProfiles = "derive_profiles",
        /// Derive this for one person with a language model.
        DeriveProfilesModel = "derive_profiles_model",
        /// Update topics with new messages.
        Topics = "topics",
        /// Word topics with a language model, and judge which ones are the same.
        TopicsModel = "topics_model",
        /// Look for workflows that repeat.
        Playbooks = "playbooks",
        /// Word undecided playbooks with a language model.
        PlaybooksModel = "playbooks_model",
        /// Look for clean-ups of memories.
        Reflect = "reflect",
        /// Look for clean-ups with a language model.
        ReflectModel = "reflect_model",
        /// Send new playbooks to the URL that a person entered.
        PlaybookNotice = "playbook_notice",
        /// Compute missing vectors.
        Embed = "embed",
        /// Complete an erasure: empty the database's write-ahead log and check that nothing is left.
        Erase = "erase",
    }
}

names! {
    /// A queue of jobs. The jobs of one lane run one after another, first in, first out; lanes do not wait for each other.
    pub enum Lane {
        /// Imports.
        Import = "import",
        /// Proposals and analyses.
        Capture = "capture",
        /// Calls to language models. One request at a time, because a local model serves two requests at half speed each.
        Model = "model",
        /// Vectors, and topics, which need them: work that nobody waits for.
        Embed = "embed",
        /// Erasures: a person waits for them, and no other work may delay them.
        Upkeep = "upkeep",
    }
}

names! {
    /// State of a job.
    pub enum JobState {
        /// Waiting for its turn or for its next attempt.
        Queued = "queued",
        /// A worker has the lease.
        Running = "running",
        /// Finished. Its effects were committed together with this state.
        Done = "done",
        /// Canceled by a person, without effect.
        Cancelled = "cancelled",
        /// Failed for good; raises an alert and waits until a person retries it.
        Dead = "dead",
    }
}

names! {
    /// State of a maintenance run.
    pub enum RunState {
        /// Its jobs are queued or running.
        Running = "running",
        /// All its jobs are done; the digest contains the results.
        Finished = "finished",
        /// A person stopped it.
        Cancelled = "cancelled",
    }
}

/// How a worker lost its job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseLoss {
    /// The process ended: another process has the right to work the queue.
    ProcessEnded,
    /// Only the lease expired. The computer slept, or the work was slow; that does not mean it failed.
    RanOut,
}

/// The new state of a job whose worker was lost, and its number of crashes. Only a process that ended counts as a crash, because
/// a job that crashes the program must not do so forever. Sleep crashes nothing, however often it happens.
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
    /// The lane of this kind.
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
    /// Whether this transition is legal.
    pub const fn may_become(self, to: Self) -> bool {
        use JobState::*;
        matches!(
            (self, to),
            (Queued, Running | Cancelled) | (Running, Done | Queued | Cancelled | Dead) | (Dead, Queued | Cancelled)
        )
    }

    /// Whether nothing more will happen unless a person acts.
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
