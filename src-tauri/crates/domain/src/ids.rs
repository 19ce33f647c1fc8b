//! Ids: a prefix that names the noun over a UUIDv7, the seeds' own style (`int_`, `ent_`, `conv_` …).
//!
//! An id is made from a UUID that somebody hands in; nothing here draws randomness.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;
use uuid::Uuid;

/// Where fresh UUIDs come from. Only edges and tests implement it.
pub trait IdSource: Send + Sync {
    /// A UUIDv7 that this source has not given before; later ones sort after earlier ones.
    fn next_uuid(&self) -> Uuid;
}

/// A text that is not an id of the wanted kind.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{text}' is not an id that begins with '{prefix}'")]
pub struct ParseIdError {
    /// The prefix that was wanted.
    pub prefix: &'static str,
    /// What stood there, cut to a length fit for a message.
    pub text: String,
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(Box<str>);

        impl $name {
            /// What every id of this kind begins with.
            pub const PREFIX: &'static str = $prefix;

            /// The id over this UUID.
            pub fn from_uuid(uuid: Uuid) -> Self {
                Self(format!(concat!($prefix, "{}"), uuid.simple()).into_boxed_str())
            }

            /// A fresh id from `source`.
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
    /// One message in the append log (Layer 0).
    InteractionId = "int_";
    /// A person, agent, service or group.
    EntityId = "ent_";
    /// One handle of an entity on one channel.
    HandleId = "hnd_";
    /// A thread of messages (Layer 1).
    ConversationId = "conv_";
    /// A candidate or memory.
    MemoryId = "mem_";
    /// A piece of queued work.
    JobId = "job_";
    /// One import of one file.
    ImportId = "imp_";
    /// A failure that a person must see.
    AlertId = "alr_";
    /// One whole-conversation analysis.
    AnalysisId = "ana_";
    /// One conversation summary.
    SummaryId = "sum_";
    /// One call to a language model.
    CallId = "call_";
    /// One link suggestion, or one answer about two handles.
    LinkId = "lnk_";
    /// One undoable act of a person.
    OperationId = "op_";
    /// One version of one entry of an entity's profile (Layer 2).
    ProfileId = "ep_";
    /// Something that was asked for repeatedly and could not be done.
    GapId = "gap_";
    /// A task that a gap became.
    TaskId = "task_";
    /// A topic of one privacy partition.
    TopicId = "top_";
    /// One version of a topic.
    TopicVersionId = "tov_";
    /// Something that a person decided about topics.
    TopicDecisionId = "tod_";
    /// A way of working that repeats over sessions.
    PlaybookId = "pbk_";
    /// One version of a playbook.
    PlaybookVersionId = "pbv_";
    /// Something that a person decided about a playbook.
    PlaybookDecisionId = "pbd_";
    /// One nightly cycle.
    MaintenanceRunId = "run_";
    /// What one session with an agent came to.
    SessionId = "ses_";
    /// One entry of a tier of long-term memory.
    TierEntryId = "tie_";
    /// One proposal of a reflection.
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
