//! Pending proposals, as the benchmarks store them. Not here: reading messages, which would take most of a benchmark's time.

use keepsake_domain::{
    Category, Confidence, Durability, IdSource, MemoryId, MemoryKind, MemoryStatus, Span, SpanError, Subject, Timestamp,
};
use keepsake_store::{InteractionRow, NewEvidence, NewMemory};

/// A proposal about the owner that rests on a whole message.
pub(crate) fn proposal(
    row: &InteractionRow,
    content: String,
    ids: &dyn IdSource,
    now: Timestamp,
) -> Result<NewMemory, SpanError> {
    let span = Span::of_bytes(&row.content, 0..row.content.len())?;
    Ok(NewMemory {
        id: MemoryId::from_uuid(ids.next_uuid()),
        status: MemoryStatus::Pending,
        kind: MemoryKind::Fact,
        category: Category::Preference,
        subject: Subject::Owner,
        fingerprint: content.as_bytes().to_vec(),
        content,
        reasoning: "The user says so in plain words.".to_owned(),
        confidence: Confidence::EXPLICIT,
        durability: Durability::LongTerm,
        knowledge: None,
        fact: None,
        story: None,
        is_edited: false,
        proposers: vec!["bench/1".to_owned()],
        supersedes: None,
        evidence: vec![NewEvidence { interaction_id: row.id.clone(), span }],
        created: now,
    })
}
