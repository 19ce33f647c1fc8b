//! Jobs: the kinds of background work, the lane of each kind, and the states of a job.

use crate::memory::names;

/// Delays before attempts 2, 3 and 4 of a failed job (seed 000: 5, 10, 20 s). The fourth failure is final.
pub const RETRY_DELAYS_MS: [i64; 3] = [5_000, 10_000, 20_000];

/// Maximum number of attempts before a job waits for a person: the first attempt, and one after each delay.
pub const JOB_ATTEMPTS_MAX: u32 = RETRY_DELAYS_MS.len() as u32 + 1;

/// Maximum delay that a server can request with a Retry-After header. A much longer delay is usually a mistake, and the number of
/// attempts is limited anyway.
pub const RETRY_AFTER_MAX_MS: i64 = 10 * 60_000;

/// Delay before the next check of an erasure that is blocked by a reader. It must not exceed the longest retry delay, because
/// the queue takes a later time as a sign that the clock was set back.
pub const ERASURE_RETRY_MS: i64 = 5_000;

/// Number of times a process may end while running a job before the queue gives the job up. Without this limit, a faulty job
/// would crash the program again and again. A restart and a power cut can interrupt any long job twice; after five times, the
/// job itself is the cause.
pub const JOB_CRASHES_MAX: u32 = 5;

/// How long a worker may keep a job without a heartbeat before another worker may take it over.
pub const JOB_LEASE_MS: i64 = 60_000;

names! {
    /// The kind of a background job.
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
        /// Find handles that may belong to the same person.
        SuggestLinks = "suggest_links",
        /// Decide the status of conversations.
        SettleConversations = "settle_conversations",
        /// Decide with a language model whether one conversation has ended.
        SettleModel = "settle_model",
        /// Summarize ended sessions and distill them into the tiers.
        Sessions = "sessions",
        /// Summarize sessions with a language model.
        SessionsModel = "sessions_model",
        /// Derive what each person needs, expects and prefers.
        DeriveProfiles = "derive_profiles",
        /// Derive one person's profile with a language model.
        DeriveProfilesModel = "derive_profiles_model",
        /// Update topics with new messages.
        Topics = "topics",
        /// Let a language model write the text of topics and judge which topics are the same.
        TopicsModel = "topics_model",
        /// Find repeated workflows.
        Playbooks = "playbooks",
        /// Let a language model write the text of undecided playbooks.
        PlaybooksModel = "playbooks_model",
        /// Propose cleanups of memories.
        Reflect = "reflect",
        /// Propose cleanups of memories with a language model.
        ReflectModel = "reflect_model",
        /// Send new playbooks to the URL that the person entered.
        PlaybookNotice = "playbook_notice",
        /// Compute missing vectors.
        Embed = "embed",
        /// Complete an erasure: empty the database's write-ahead log and check that nothing is left.
        Erase = "erase",
    }
}

names! {
    /// A queue of jobs. Jobs of the same lane run one at a time, first in, first out. Lanes run independently of each other.
    pub enum Lane {
        /// Imports.
        Import = "import",
        /// Proposals and analyses.
        Capture = "capture",
        /// Calls to language models. They run one at a time, because a local model serves two parallel requests at half the speed
        /// each.
        Model = "model",
        /// Vectors, and topics, which need vectors. Nobody is waiting for this work.
        Embed = "embed",
        /// Erasures. A person is waiting for them, so no other work may delay them.
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
        /// Failed for good. An alert is raised, and the job does not run again until a person retries it.
        Dead = "dead",
    }
}

names! {
    /// State of a maintenance run.
    pub enum RunState {
        /// Its jobs are queued or running.
        Running = "running",
        /// All its jobs have finished; the digest contains the results.
        Finished = "finished",
        /// Canceled by a person.
        Cancelled = "cancelled",
    }
}

/// How a worker lost the lease on its job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseLoss {
    /// The process ended, so another process now has the right to work on the queue.
    ProcessEnded,
    /// Only the lease expired, because the computer slept or the work was slow. This is not a failure.
    RanOut,
}

/// The new state and crash count of a job whose worker lost the lease. Only the end of a process counts as a crash: the count
/// keeps a job from crashing the program forever. Expired leases never count, however often the computer sleeps.
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

    /// Whether the job stays in this state until a person acts.
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
