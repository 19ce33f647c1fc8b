//! Ids: a prefix for the type, followed by a UUIDv7, in the style of the seeds (`int_`, `ent_`, `conv_` …).
//!
//! Ids are created from UUIDs that callers pass in; nothing here generates randomness.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;
use uuid::Uuid;

/// Source of new UUIDs. Only outer crates and tests implement it.
pub trait IdSource: Send + Sync {
    /// A UUIDv7 that this source has not returned before. Later UUIDs sort after earlier ones.
    fn next_uuid(&self) -> Uuid;
}

/// The error for text that is not an id of the expected type.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{text}' is not an id that begins with '{prefix}'")]
pub struct ParseIdError {
    /// The expected prefix.
    pub prefix: &'static str,
    /// The text, cut to 64 characters.
    pub text: String,
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(Box<str>);

        impl $name {
            /// Prefix of every id of this type.
            pub const PREFIX: &'static str = $prefix;

            /// Creates the id for a UUID.
            pub fn from_uuid(uuid: Uuid) -> Self {
                Self(format!(concat!($prefix, "{}"), uuid.simple()).into_boxed_str())
            }

            /// Creates a new id from `source`.
            pub fn fresh(source: &dyn IdSource) -> Self {
                Self::from_uuid(source.next_uuid())
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl FromStr for $name {
            type Err = ParseIdError;

            fn from_str(text: &str) -> Result<Self, ParseIdError> {
                let tail = text.strip_prefix($prefix).unwrap_or("");
                if tail.is_empty() || tail.len() > 64 || !tail.bytes().all(|b| b.is_ascii_alphanumeric()) {
                    return Err(ParseIdError { prefix: $prefix, text: text.chars().take(64).collect() });
                }
                Ok(Self(text.into()))
            }
        }

        impl TryFrom<String> for $name {
            type Error = ParseIdError;

            fn try_from(text: String) -> Result<Self, ParseIdError> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.0.into()
            }
        }
    )*};
}

ids! {
    /// A message in the append-only log (Layer 0).
    InteractionId = "int_";
    /// A person, agent, service or group.
    EntityId = "ent_";
    /// A handle: an account of an entity on a channel.
    HandleId = "hnd_";
    /// A conversation (Layer 1).
    ConversationId = "conv_";
    /// A memory, pending or approved.
    MemoryId = "mem_";
    /// A background job.
    JobId = "job_";
    /// An import of one file.
    ImportId = "imp_";
    /// A live source: an account or endpoint from which messages arrive.
    LiveSourceId = "src_";
    /// An alert: a failure that a person needs to see.
    AlertId = "alr_";
    /// An analysis of a whole conversation.
    AnalysisId = "ana_";
    /// A summary of a conversation.
    SummaryId = "sum_";
    /// A call to a language model.
    CallId = "call_";
    /// A suggested link between two handles, or an answer to such a suggestion.
    LinkId = "lnk_";
    /// An action of the person that can be undone.
    OperationId = "op_";
    /// A version of a profile entry (Layer 2).
    ProfileId = "ep_";
    /// A capability gap: a repeated request that could not be met.
    GapId = "gap_";
    /// A task created from a gap.
    TaskId = "task_";
    /// A topic of one audience.
    TopicId = "top_";
    /// A version of a topic.
    TopicVersionId = "tov_";
    /// A decision by the person about topics.
    TopicDecisionId = "tod_";
    /// A playbook: a workflow that repeats across sessions.
    PlaybookId = "pbk_";
    /// A version of a playbook.
    PlaybookVersionId = "pbv_";
    /// A decision by the person about a playbook.
    PlaybookDecisionId = "pbd_";
    /// A maintenance run.
    MaintenanceRunId = "run_";
    /// The summary of a session with an agent.
    SessionId = "ses_";
    /// An entry in a tier of long-term memory.
    TierEntryId = "tie_";
    /// A cleanup proposal of reflection.
    ReflectionId = "rfl_";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_survives_text_and_refuses_strangers() {
        let id = MemoryId::from_uuid(Uuid::from_u128(7));
        assert_eq!(id.as_str().parse::<MemoryId>(), Ok(id.clone()), "an id reads back as itself");
        for bad in ["", "mem_", "int_00", "mem_../../etc", "mem_a b"] {
            assert!(bad.parse::<MemoryId>().is_err(), "{bad:?} is no memory id");
        }
    }
}
