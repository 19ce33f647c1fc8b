//! Ids computed from an item's content and sources, so that recreating the item gives it the same id.
//!
//! Random message ids are part of the input, so an id reveals nothing to anybody who does not know the messages. Not in this
//! module: ids of a person's actions, which happen only once.

use keepsake_domain::{ConversationId, IdSource, InteractionId, SummaryId};
use keepsake_store::{ReadTx, StoreError};
use uuid::Uuid;

/// The id for an item of this kind with these parts. Each part is length-prefixed, so that moving text from one part to the
/// next changes the id.
pub(crate) fn uuid_of(kind: &str, parts: &[&str]) -> Uuid {
    let mut hash = blake3::Hasher::new();
    for part in std::iter::once(&kind).chain(parts) {
        hash.update(&(part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.finalize().as_bytes()[..16]);
    uuid::Builder::from_bytes(bytes).with_version(uuid::Version::Custom).with_variant(uuid::Variant::RFC4122).into_uuid()
}

/// The id of a summary, computed from its text and the messages it summarizes. If an earlier summary already has that id, the
/// new one gets a random id.
pub(crate) fn summary_id(
    tx: &ReadTx<'_>,
    ids: &dyn IdSource,
    conversation: &ConversationId,
    text: &str,
    range: (&InteractionId, &InteractionId),
) -> std::result::Result<SummaryId, StoreError> {
    let parts = [conversation.as_str(), text, range.0.as_str(), range.1.as_str()];
    let id = SummaryId::from_uuid(uuid_of("summary", &parts));
    Ok(if tx.conversation_status().has_summary(&id)? { SummaryId::fresh(ids) } else { id })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_follows_from_every_part_and_from_where_parts_end() {
        let one = uuid_of("memory", &["ab", "c"]);
        assert_eq!(one, uuid_of("memory", &["ab", "c"]));
        for other in [uuid_of("memory", &["a", "bc"]), uuid_of("entry", &["ab", "c"]), uuid_of("memory", &["ab", "c", ""])] {
            assert_ne!(one, other);
        }
        assert_eq!(one.get_version_num(), 8);
    }
}
