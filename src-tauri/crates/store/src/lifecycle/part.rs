//! A part of a conversation, and the SQL conditions that select it.
//!
//! Not here: erasing it ([`crate::lifecycle::erase`]).

use keepsake_domain::{ConversationId, ImportId};

/// The part of a conversation to erase: all of it, the messages under certain handles, the messages of one import, or certain
/// messages.
#[derive(Clone, Copy)]
pub(crate) struct Part<'p> {
    pub(crate) conversation: &'p ConversationId,
    /// JSON array of handle ids; `None` means every handle.
    handles: Option<&'p str>,
    /// Id of an import, or a JSON array of message ids; `None` means every message.
    only: Option<&'p str>,
}

impl<'p> Part<'p> {
    /// The whole conversation.
    pub(crate) fn all(conversation: &'p ConversationId) -> Self {
        Self { conversation, handles: None, only: None }
    }

    /// The messages under these handles, a JSON array of ids.
    pub(crate) fn of_handles(conversation: &'p ConversationId, handles: &'p str) -> Self {
        Self { handles: Some(handles), ..Self::all(conversation) }
    }

    /// The messages that this import added.
    pub(crate) fn of_import(conversation: &'p ConversationId, import: &'p ImportId) -> Self {
        Self { only: Some(import.as_str()), ..Self::all(conversation) }
    }

    /// The messages with these ids, a JSON array.
    pub(crate) fn of_messages(conversation: &'p ConversationId, ids: &'p str) -> Self {
        Self { only: Some(ids), ..Self::all(conversation) }
    }

    /// Whether this is the whole conversation.
    pub(crate) fn is_all(&self) -> bool {
        self.handles.is_none() && self.only.is_none()
    }

    /// The messages whose derived data is deleted with this part. If a person is erased, this is the whole conversation,
    /// because data derived from it may quote anyone. If an import is undone or some messages are erased, data based only on
    /// the remaining messages is kept.
    pub(crate) fn reach(self) -> Self {
        Self { handles: None, ..self }
    }

    /// The parameters of [`OF_PART`].
    pub(crate) fn params(&self) -> (&'p str, Option<&'p str>, Option<&'p str>) {
        (self.conversation.as_str(), self.handles, self.only)
    }
}

/// SQL condition for the messages `i` of a part.
macro_rules! of_part {
    () => {
        "i.conversation_id = ?1 AND (?2 IS NULL OR i.handle_id IN (SELECT value FROM json_each(?2)))
            AND (?3 IS NULL OR i.import_id IS ?3
                 OR i.id IN (SELECT value FROM json_each(iif(substr(?3, 1, 1) = '[', ?3, '[]'))))"
    };
}

/// SQL condition for the messages `i` of a part. The first three parameters are [`Part::params`].
pub(crate) const OF_PART: &str = of_part!();

/// SQL for the ids of the messages of a part.
pub(crate) const MESSAGES_OF_PART: &str = concat!("SELECT i.id FROM interactions i WHERE ", of_part!());

/// SQL condition: the column `interaction_id` refers to a message that remains when the part is erased. Never true for a part
/// that is not limited to an import or to certain message ids.
pub(crate) const RESTS_ON_ANOTHER: &str =
    concat!("(?3 IS NOT NULL AND EXISTS (SELECT 1 FROM interactions i WHERE i.id = interaction_id AND NOT (", of_part!(), ")))");
