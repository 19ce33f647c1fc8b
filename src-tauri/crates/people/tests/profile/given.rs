//! Builds conversations and profiles in a few lines.

use keepsake_domain::{
    ConversationId, DAY_MS, EvidenceSpan, Facet, InteractionId, Mark, ProfileEntry, ProfileId, ProfileOrigin, ProfileType, Span,
    Timestamp,
};
use keepsake_people::profile::{Change, Finding, NewEntry, ProfileInput, Strength, believed_at, changes, derive, fingerprint};
use keepsake_people::{Speaker, Utterance, no_vectors};
use uuid::Uuid;

use crate::marked::unmarked;

pub(crate) fn day(day: i64) -> Timestamp {
    Timestamp(1_772_280_000_000 + day * DAY_MS)
}

pub(crate) fn interaction(n: u128) -> InteractionId {
    InteractionId::from_uuid(Uuid::from_u128(n))
}

pub(crate) fn conversation(n: u128) -> ConversationId {
    ConversationId::from_uuid(Uuid::from_u128(n))
}

/// A message: day, conversation, speaker, text, and the reader's marks in it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Said {
    pub(crate) id: InteractionId,
    pub(crate) conversation: ConversationId,
    pub(crate) speaker: Speaker,
    pub(crate) text: String,
    pub(crate) time: Timestamp,
    pub(crate) marks: Vec<Mark>,
}

impl Said {
    pub(crate) fn utterance(&self) -> Utterance<'_> {
        Utterance {
            interaction: &self.id,
            conversation: &self.conversation,
            speaker: self.speaker,
            text: &self.text,
            time: self.time,
            marks: &self.marks,
        }
    }
}

/// Messages numbered from 1 and one second apart on their day; the text contains the reader's marks in braces.
pub(crate) fn said(messages: &[(i64, u128, Speaker, &str)]) -> Vec<Said> {
    messages
        .iter()
        .enumerate()
        .map(|(n, (at, thread, speaker, written))| {
            let (text, marks) = unmarked(written);
            Said {
                id: interaction(n as u128 + 1),
                conversation: conversation(*thread),
                speaker: *speaker,
                text,
                time: day(*at).plus_ms(n as i64 * 1_000),
                marks,
            }
        })
        .collect()
}

/// Input for the owner's profile, with these existing entries.
pub(crate) fn input_of<'a>(utterances: &'a [Utterance<'a>], entries: &'a [ProfileEntry]) -> ProfileInput<'a> {
    ProfileInput { is_owner: true, name: "User", utterances, entries, debunked: &[], similarity: &no_vectors }
}

/// A directly stated finding: message `n` on day `n` says `value` about `facet`.
pub(crate) fn finding(n: i64, facet: &str, value: &str, strength: Strength) -> Finding {
    let facet = Facet::new(facet).unwrap();
    Finding {
        profile_type: ProfileType::Preferences,
        fingerprint: fingerprint(&facet, value),
        content: format!("Prefers {value}"),
        facet,
        strength,
        place: EvidenceSpan { interaction: interaction(n as u128), span: Span::new(0, 5).unwrap() },
        conversation: conversation(n as u128),
        time: day(n),
    }
}

/// A profile that is updated in the same way as in the store.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Book {
    pub(crate) entries: Vec<ProfileEntry>,
}

impl Book {
    pub(crate) fn write(&mut self, changes: Vec<Change>, now: Timestamp) -> Vec<ProfileId> {
        let mut ids = Vec::new();
        for change in changes {
            let id = ProfileId::from_uuid(Uuid::from_u128(self.entries.len() as u128 + 1));
            let (old, entry): (Option<ProfileId>, NewEntry) = match change {
                Change::Add(entry) => (None, entry),
                Change::Supersede { old, entry } => (Some(old), entry),
            };
            if let Some(old) = &old {
                let old = self.entries.iter_mut().find(|entry| entry.id == *old).unwrap();
                assert!(old.is_live(), "only what is believed can be superseded");
                old.superseded_at = Some(now);
            }
            self.entries.push(entry.stored(id.clone(), old, now));
            ids.push(id);
        }
        ids
    }

    /// Compares findings with the entries and writes the changes; returns their number.
    pub(crate) fn take(&mut self, findings: &[Finding], origin: ProfileOrigin, now: Timestamp) -> usize {
        // All messages that the findings refer to exist.
        let times: Vec<(InteractionId, ConversationId, Timestamp)> = findings
            .iter()
            .map(|finding| (finding.place.interaction.clone(), finding.conversation.clone(), finding.time))
            .collect();
        let utterances: Vec<Utterance<'_>> = times
            .iter()
            .map(|(interaction, conversation, time)| Utterance {
                interaction,
                conversation,
                speaker: Speaker::Entity,
                text: "",
                time: *time,
                marks: &[],
            })
            .collect();
        let input = input_of(&utterances, &self.entries);
        let found = changes(findings.to_vec(), origin, &input);
        let count = found.len();
        self.write(found, now);
        count
    }

    /// The changes that the built-in rules would make.
    pub(crate) fn derive(&self, messages: &[Said]) -> Vec<Change> {
        let utterances: Vec<Utterance<'_>> = messages.iter().map(Said::utterance).collect();
        derive(&input_of(&utterances, &self.entries))
    }

    /// The believed, open entries as sentences.
    pub(crate) fn told(&self) -> Vec<&str> {
        let believed = believed_at(&self.entries, Timestamp(i64::MAX)).into_iter();
        believed.filter(|entry| entry.valid_to.is_none()).map(|entry| entry.content.as_str()).collect()
    }

    pub(crate) fn debunk(&mut self, fingerprint: &str, now: Timestamp) {
        let entry = self.entries.iter_mut().find(|entry| entry.is_live() && entry.fingerprint == fingerprint).unwrap();
        entry.debunked_at = Some(now);
    }

    /// The believed, open entries as fingerprints.
    pub(crate) fn holds(&self) -> Vec<&str> {
        let mut holds: Vec<&str> = believed_at(&self.entries, Timestamp(i64::MAX))
            .into_iter()
            .filter(|entry| entry.valid_to.is_none())
            .map(|entry| entry.fingerprint.as_str())
            .collect();
        holds.sort_unstable();
        holds
    }
}

/// What the built-in rules derive from messages, as `content · confidence`, sorted and joined by " | ".
pub(crate) fn content_of(messages: &[Said], origin: ProfileOrigin) -> String {
    let mut found: Vec<String> = Book::default()
        .derive(messages)
        .iter()
        .map(|change| {
            let entry = change.entry();
            assert_eq!(entry.origin, origin);
            for place in entry.evidence.as_slice() {
                let message = messages.iter().find(|said| said.id == place.interaction).unwrap();
                assert!(!place.span.quote(&message.text).unwrap().trim().is_empty(), "the place is in the message");
            }
            format!("{} · {}", entry.content, entry.confidence)
        })
        .collect();
    found.sort();
    found.join(" | ")
}
