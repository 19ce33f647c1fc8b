//! Recognizes the owner, and creates ids for messages that have none in the export.

use std::collections::{HashMap, HashSet};

use keepsake_domain::{ChannelHandle, MEETING, MeetingId, Role, is_screen};
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use crate::limits::FINGERPRINTS_MAX;

/// Normalizes a name or handle for comparison: ignores case, surrounding spaces and compatibility forms.
pub(crate) fn folded(text: &str) -> String {
    text.nfkc().collect::<String>().trim().to_lowercase()
}

/// The owner's name or handle, if the person gave one.
pub(crate) struct Me(Option<String>);

impl Me {
    /// The owner as named in the options.
    pub(crate) fn new(me: Option<&str>) -> Self {
        Self(me.map(folded).filter(|me| !me.is_empty()))
    }

    /// True if an author with this name or handle is the owner.
    pub(crate) fn is(&self, name: &str, handle: &str) -> bool {
        self.0.as_deref().is_some_and(|me| me == folded(name) || me == folded(handle))
    }

    /// The role of a human author whose role is not in the source.
    pub(crate) fn role_of(&self, name: &str, handle: &str) -> Role {
        if self.is(name, handle) { Role::Owner } else { Role::Person }
    }
}

/// A handle on this channel.
pub(crate) fn handle(channel: &str, handle: &str) -> ChannelHandle {
    ChannelHandle { channel: channel.to_owned(), handle: handle.to_owned() }
}

/// The first bytes of a hash over `parts`. Each part is preceded by its length, so that different splits of the same text give
/// different hashes.
fn digest_bytes(parts: &[&str]) -> [u8; 8] {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    bytes
}

/// Like [`digest_bytes`], as hexadecimal digits.
pub(crate) fn digest(parts: &[&str]) -> String {
    format!("{:016x}", u64::from_be_bytes(digest_bytes(parts)))
}

/// The id of a meeting, from the `parts` that identify it.
pub(crate) fn meeting(parts: &[&str]) -> MeetingId {
    MeetingId::new(digest_bytes(parts))
}

/// Labels for an unidentified speaker. A number or letter may follow.
const UNKNOWN_VOICES: &[&str] = &[
    "speaker", "unknown", "unknown speaker", "unidentified speaker", "participant", "guest", "user", "voice", "sprecher",
    "sprecherin", "teilnehmer", "unbekannt", "locuteur", "intervenant", "hablante", "orador", "falante", "relatore", "spreker",
];

/// True if a transcript's label distinguishes a speaker but names nobody (docs/formats.md, section 8).
pub(crate) fn is_unidentified_label(label: &str) -> bool {
    let label = folded(label);
    let is_count =
        |tail: &str| tail.len() == 1 && tail.is_ascii() || !tail.is_empty() && tail.bytes().all(|b| b.is_ascii_digit());
    // Sound from a shared screen does not come from any speaker.
    if is_screen(&label) {
        return true;
    }
    let base = label.rsplit_once([' ', '_', '-']).filter(|(_, tail)| is_count(tail)).map_or(label.as_str(), |(base, _)| base);
    UNKNOWN_VOICES.contains(&base.trim_end_matches(|c: char| c.is_ascii_digit()))
}

/// The handle of a speaker in a meeting: the name, or for an unidentified speaker a handle that is valid only within this
/// meeting.
pub(crate) fn speaker_handle(label: &str, meeting: MeetingId) -> ChannelHandle {
    if is_unidentified_label(label) {
        ChannelHandle::of_unidentified_speaker(&folded(label), meeting)
    } else {
        handle(MEETING, label)
    }
}

/// Creates ids for messages without one: a hash of time, author and text, plus a count if all three are equal.
///
/// The ids do not depend on the position in the file, so a longer export of the same conversation gives the same ids. They use
/// the time as written in the file, not the absolute time, so they also survive a change of this computer's time zone.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct StandIns(HashMap<String, u32>);

/// The counts restart after this many ids to limit memory. This is safe because equal messages have the same time and are
/// therefore close together.
const STAND_INS_MAX: usize = 500_000;

impl StandIns {
    /// The id of a message in `conversation`.
    pub(crate) fn next(&mut self, conversation: &str, time: &str, author: &str, text: &str) -> String {
        if self.0.len() >= STAND_INS_MAX {
            self.0.clear();
        }
        let digest = digest(&[conversation, time, author, text]);
        let ordinal = self.0.entry(digest.clone()).or_default();
        *ordinal += 1;
        if *ordinal == 1 { format!("h-{digest}") } else { format!("h-{digest}-{ordinal}") }
    }
}

/// The ids seen so far, to recognize repeats.
#[derive(Debug, Default)]
pub(crate) struct SeenIds(HashSet<u64>);

impl SeenIds {
    /// True if this id has not been seen before. When the limit is reached, all ids are forgotten, so repeats are emitted
    /// again; the store recognizes them.
    pub(crate) fn is_new(&mut self, id: &str) -> bool {
        if self.0.len() >= FINGERPRINTS_MAX {
            self.0.clear();
        }
        self.0.insert(fingerprint(id))
    }
}

/// Eight bytes of a hash, enough to distinguish millions of ids.
pub(crate) fn fingerprint(text: &str) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..8]);
    u64::from_le_bytes(bytes)
}
