//! The marks that the reader set in messages. They are stored so that no message is read twice: proposals, promises and sessions
//! all use the same reading.
//!
//! A mark contains positions and kinds, never words. Not here: reading itself (`models`), and what is derived from a reading.

use std::collections::HashMap;
use std::ops::Range;

use keepsake_domain::{Attribute, Category, ConversationId, FactMark, Mark, MarkKind, Reading, ReadingLabel};
use rusqlite::params;

use crate::areas::{Readings, ReadingsMut};
use crate::{Result, StoreError};

/// Hash of a reading's input: the reader, the text, and its context.
pub type ReadingInput = [u8; 16];

/// A reading, as stored.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredReading {
    /// The input that was read.
    pub input: ReadingInput,
    /// The marks that were set.
    pub reading: Reading,
}

/// Length of an encoded mark: kind, category, attribute, flags, probability, start, end.
const MARK_BYTES: usize = 14;

/// Code of a fact. Labels use their index in [`ReadingLabel::ALL`] as code.
const FACT: u8 = 255;

const NEGATED: u8 = 1;
const IMPLIED: u8 = 2;
const ABOUT_OTHER: u8 = 4;

/// Encodes the marks in [`MARK_BYTES`] each. Probabilities keep four decimals.
fn encode(reading: &Reading) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(reading.marks.len() * MARK_BYTES);
    for mark in &reading.marks {
        let [kind, category, attribute, signs] = match mark.kind {
            MarkKind::Label(label) => [place(ReadingLabel::ALL, label), 0, 0, 0],
            MarkKind::Fact(fact) => [
                FACT,
                place(Category::ALL, fact.category),
                place(Attribute::ALL, fact.attribute),
                [(fact.is_negated, NEGATED), (fact.is_implied, IMPLIED), (fact.is_about_other, ABOUT_OTHER)]
                    .into_iter()
                    .filter_map(|(holds, sign)| holds.then_some(sign))
                    .sum(),
            ],
        };
        bytes.extend([kind, category, attribute, signs]);
        bytes.extend(((mark.probability.clamp(0.0, 1.0) * f64::from(u16::MAX)).round() as u16).to_le_bytes());
        // The casts cannot overflow, because messages are far shorter than 4 GB.
        bytes.extend((mark.bytes.start as u32).to_le_bytes());
        bytes.extend((mark.bytes.end as u32).to_le_bytes());
    }
    bytes
}

fn place<T: PartialEq>(all: &[T], one: T) -> u8 {
    all.iter().position(|other| *other == one).map_or(0, |at| at as u8)
}

/// Decodes marks; `None` if the bytes are not valid.
fn decode(bytes: &[u8]) -> Option<Reading> {
    let (marks, rest) = bytes.as_chunks::<MARK_BYTES>();
    if !rest.is_empty() {
        return None;
    }
    let mark = |bytes: &[u8; MARK_BYTES]| {
        let [kind, category, attribute, signs, p0, p1, s0, s1, s2, s3, e0, e1, e2, e3] = *bytes;
        let range: Range<usize> = u32::from_le_bytes([s0, s1, s2, s3]) as usize..u32::from_le_bytes([e0, e1, e2, e3]) as usize;
        let kind = match kind {
            FACT => MarkKind::Fact(FactMark {
                category: *Category::ALL.get(usize::from(category))?,
                attribute: *Attribute::ALL.get(usize::from(attribute))?,
                is_negated: signs & NEGATED != 0,
                is_implied: signs & IMPLIED != 0,
                is_about_other: signs & ABOUT_OTHER != 0,
            }),
            label => MarkKind::Label(*ReadingLabel::ALL.get(usize::from(label))?),
        };
        let probability = f64::from(u16::from_le_bytes([p0, p1])) / f64::from(u16::MAX);
        Some(Mark { kind, bytes: range, probability })
    };
    Some(Reading { marks: marks.iter().map(mark).collect::<Option<_>>()? })
}

impl Readings<'_> {
    /// The stored readings of a conversation, by sequence number of the message.
    pub fn of(&self, id: &ConversationId) -> Result<HashMap<i64, StoredReading>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT r.seq, r.input, r.marks FROM interactions i JOIN readings r ON r.seq = i.seq WHERE i.conversation_id = ?1",
        )?;
        let mut rows = statement.query([id.as_str()])?;
        let mut found = HashMap::new();
        while let Some(row) = rows.next()? {
            let input = ReadingInput::try_from(row.get_ref(1)?.as_blob().unwrap_or_default());
            let reading = decode(row.get_ref(2)?.as_blob().unwrap_or_default());
            // Skip an invalid reading: the message is read again.
            if let (Ok(input), Some(reading)) = (input, reading) {
                found.insert(row.get(0)?, StoredReading { input, reading });
            }
        }
        Ok(found)
    }

    /// Number of messages with a reading.
    pub fn count(&self) -> Result<u64> {
        Ok(self.tx.conn.prepare_cached("SELECT count(*) FROM readings")?.query_row([], |row| row.get::<_, i64>(0))? as u64)
    }
}

impl ReadingsMut<'_> {
    /// Stores readings of a conversation's messages, by sequence number. Stores nothing if the conversation has been excluded in
    /// the meantime.
    pub fn put(&self, id: &ConversationId, readings: &[(i64, StoredReading)]) -> Result<()> {
        let conversation = match self.tx.log().conversation(id) {
            Ok(conversation) => conversation,
            Err(StoreError::NotFound { .. }) => return Ok(()),
            Err(error) => return Err(error),
        };
        if conversation.is_private {
            return Ok(());
        }
        // A message may have been erased while it was being read.
        let mut statement = self.tx.conn.prepare_cached(
            "INSERT OR REPLACE INTO readings (seq, input, marks) SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM interactions WHERE seq = ?1)",
        )?;
        for (seq, stored) in readings {
            statement.execute(params![seq, stored.input.as_slice(), encode(&stored.reading)])?;
        }
        Ok(())
    }

    /// Deletes the readings of a conversation that the person excluded.
    pub(crate) fn drop_of(&self, id: &ConversationId) -> Result<()> {
        self.tx
            .conn
            .prepare_cached("DELETE FROM readings WHERE seq IN (SELECT seq FROM interactions WHERE conversation_id = ?1)")?
            .execute([id.as_str()])?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn kind() -> impl Strategy<Value = MarkKind> {
        let fact = (0..Category::ALL.len(), 0..Attribute::ALL.len(), any::<[bool; 3]>()).prop_map(|(c, a, signs)| {
            MarkKind::Fact(FactMark {
                category: Category::ALL[c],
                attribute: Attribute::ALL[a],
                is_negated: signs[0],
                is_implied: signs[1],
                is_about_other: signs[2],
            })
        });
        prop_oneof![fact, (0..ReadingLabel::ALL.len()).prop_map(|at| MarkKind::Label(ReadingLabel::ALL[at]))]
    }

    proptest! {
        #[test]
        fn what_was_read_is_read_back(marks in proptest::collection::vec((kind(), 0.0..=1.0_f64, 0..5_000_usize, 1..500_usize), 0..8)) {
            let marks: Vec<Mark> = marks
                .into_iter()
                .map(|(kind, probability, start, length)| Mark { kind, bytes: start..start + length, probability })
                .collect();
            let back = decode(&encode(&Reading { marks: marks.clone() })).unwrap();
            prop_assert_eq!(back.marks.len(), marks.len());
            for (a, b) in marks.iter().zip(&back.marks) {
                prop_assert_eq!((a.kind, &a.bytes), (b.kind, &b.bytes));
                prop_assert!((a.probability - b.probability).abs() < 0.0001);
            }
        }

        #[test]
        fn bytes_that_are_no_reading_are_none_and_never_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let _ = decode(&bytes);
        }
    }
}
