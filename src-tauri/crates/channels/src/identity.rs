//! Who is the owner, and stand-in ids for messages whose export has none.

use std::collections::HashMap;

use keepsake_domain::{ChannelHandle, MEETING, MeetingId, Role, is_screen};
use unicode_normalization::UnicodeNormalization;

/// Names and handles compared as people compare them: without case, spacing at the ends, or compatibility forms.
pub(crate) fn folded(text: &str) -> String {
    text.nfkc().collect::<String>().trim().to_lowercase()
}

/// The owner's name or handle, if the person gave one.
pub(crate) struct Me(Option<String>);

impl Me {
    /// The owner as the options name them.
    pub(crate) fn new(me: Option<&str>) -> Self {
        Self(me.map(folded).filter(|me| !me.is_empty()))
    }

    /// Whether an author of this name or handle is the owner.
    pub(crate) fn is(&self, name: &str, handle: &str) -> bool {
        self.0.as_deref().is_some_and(|me| me == folded(name) || me == folded(handle))
    }

    /// The role of a human author of whom the source tells nothing.
    pub(crate) fn role_of(&self, name: &str, handle: &str) -> Role {
        if self.is(name, handle) { Role::Owner } else { Role::Person }
    }
}

/// A handle on a channel.
pub(crate) fn handle(channel: &str, handle: &str) -> ChannelHandle {
    ChannelHandle { channel: channel.to_owned(), handle: handle.to_owned() }
}

/// The beginning of a hash over `parts`; each part is fenced, so that parts cannot run into each other.
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

/// As [`digest_bytes`], in hexadecimal digits.
pub(crate) fn digest(parts: &[&str]) -> String {
    format!("{:016x}", u64::from_be_bytes(digest_bytes(parts)))
}

/// The id of the meeting that `parts` identify.
pub(crate) fn meeting(parts: &[&str]) -> MeetingId {
    MeetingId::new(digest_bytes(parts))
}

/// Labels that stand for an unknown voice, alone or before a number or letter.
const UNKNOWN_VOICES: &[&str] = &[
    "speaker", "unknown", "unknown speaker", "unidentified speaker", "participant", "guest", "user", "voice", "sprecher",
    "sprecherin", "teilnehmer", "unbekannt", "locuteur", "intervenant", "hablante", "orador", "falante", "relatore", "spreker",
];

/// Whether a transcript's label tells a voice from others without naming anybody (formats.md section 1.16).
pub(crate) fn is_unknown_voice(label: &str) -> bool {
    let label = folded(label);
    let is_count =
        |tail: &str| tail.len() == 1 && tail.is_ascii() || !tail.is_empty() && tail.bytes().all(|b| b.is_ascii_digit());
    // What a shared screen plays is nobody's speech.
    if is_screen(&label) {
        return true;
    }
    let base = label.rsplit_once([' ', '_', '-']).filter(|(_, tail)| is_count(tail)).map_or(label.as_str(), |(base, _)| base);
    UNKNOWN_VOICES.contains(&base.trim_end_matches(|c: char| c.is_ascii_digit()))
}

/// The handle of a speaker of a meeting: of somebody with a name the name, of an unknown voice one that the meeting alone knows.
pub(crate) fn speaker_handle(label: &str, meeting: MeetingId) -> ChannelHandle {
    if is_unknown_voice(label) { ChannelHandle::of_voice(&folded(label), meeting) } else { handle(MEETING, label) }
}

/// Gives stand-in ids: a hash of time, author and text, and a count among messages in which all three are equal.
///
/// Nothing in it depends on the position in the file, so a longer export of the same conversation gives the same ids.
/// The time is the one the file shows, not the moment, so the ids survive a change of this computer's zone.
#[derive(Default)]
pub(crate) struct StandIns(HashMap<String, u32>);

/// Equal messages bear the same time and so stand close to each other; beyond this many ids the counts start anew,
/// which keeps memory bounded.
const STAND_INS_MAX: usize = 500_000;

impl StandIns {
    /// The id of a message of `conversation`.
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

/// Eight bytes of hash: enough to tell millions of ids apart.
pub(crate) fn fingerprint(text: &str) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..8]);
    u64::from_le_bytes(bytes)
}
