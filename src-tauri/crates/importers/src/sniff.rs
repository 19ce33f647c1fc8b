//! Detects the kind of a file from its content only.

use std::io::BufRead;

use keepsake_domain::SourceKind;

use crate::database;
use crate::format::{Format, Head, Input};
use crate::formats::FORMATS;
use crate::limits::{SNIFF_BYTES, SNIFF_JSON_BYTES_MAX};
use crate::{transcript, whatsapp};

/// The result of examining a file.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Sniffed {
    /// An export of this kind.
    Kind(SourceKind),
    /// A file in this format of the table.
    Format(&'static Format),
    /// An SQLite database.
    Database,
    /// Only whitespace.
    Empty,
    /// UTF-16 text.
    Utf16,
    /// Neither text nor a known kind of archive.
    Binary,
    /// JSON of an unknown kind, possibly a known kind that was cut off.
    UnknownJson,
    /// Text of an unknown kind.
    Unknown,
}

/// Reads as much of `input` as necessary to detect its kind.
pub(crate) fn sniff_document(input: &mut dyn BufRead) -> std::io::Result<Sniffed> {
    let mut head = Vec::new();
    loop {
        let chunk = input.fill_buf()?;
        if chunk.is_empty() || head.len() >= SNIFF_BYTES {
            break;
        }
        let len = chunk.len();
        head.extend_from_slice(chunk);
        input.consume(len);
    }
    if head.starts_with(database::MAGIC) {
        return Ok(Sniffed::Database);
    }
    if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") || is_bare_utf16(&head) {
        return Ok(Sniffed::Utf16);
    }
    if let Some(format) = claimed(&head) {
        return Ok(Sniffed::Format(format));
    }
    match head.iter().find(|b| !b.is_ascii_whitespace()) {
        None => Ok(Sniffed::Empty),
        // Some text files also begin with "[": iPhone chats and some meeting captions.
        Some(b'[' | b'{') => match sniff_text(&head) {
            Some(kind) => Ok(Sniffed::Kind(kind)),
            None => sniff_json(head, input),
        },
        Some(_) if head.contains(&0) => Ok(Sniffed::Binary),
        Some(_) => Ok(sniff_text(&head).map_or(Sniffed::Unknown, Sniffed::Kind)),
    }
}

/// The format of the table that claims a file with this beginning.
fn claimed(head: &[u8]) -> Option<&'static Format> {
    let head = Head::of(head);
    FORMATS.iter().find(|format| matches!(format.input, Input::Document { claims, .. } if claims(&head)))
}

/// True for Latin text in UTF-16 without a byte order mark, where every second byte is zero.
fn is_bare_utf16(head: &[u8]) -> bool {
    let head = &head[..head.len().min(64)];
    let zeros = |parity: usize| head.iter().skip(parity).step_by(2).filter(|b| **b == 0).count();
    head.len() >= 8 && (zeros(0) == 0 && zeros(1) * 4 >= head.len() || zeros(1) == 0 && zeros(0) * 4 >= head.len())
}

fn sniff_text(head: &[u8]) -> Option<SourceKind> {
    let head = String::from_utf8_lossy(head);
    if whatsapp::looks_like(&head) {
        Some(SourceKind::Whatsapp)
    } else if transcript::looks_like(&head) {
        Some(SourceKind::Transcript)
    } else {
        None
    }
}

/// Searches the records for keys that identify their kind.
fn sniff_json(head: Vec<u8>, input: &mut dyn BufRead) -> std::io::Result<Sniffed> {
    let mut keys = RecordKeys::default();
    if let Some(kind) = keys.feed(&head) {
        return Ok(Sniffed::Kind(kind));
    }
    let mut bytes = head.len() as u64;
    while bytes < SNIFF_JSON_BYTES_MAX {
        let chunk = input.fill_buf()?;
        if chunk.is_empty() {
            break;
        }
        if let Some(kind) = keys.feed(chunk) {
            return Ok(Sniffed::Kind(kind));
        }
        let len = chunk.len();
        bytes += len as u64;
        input.consume(len);
    }
    Ok(if holds_sentences(&head) { Sniffed::Kind(SourceKind::Transcript) } else { Sniffed::UnknownJson })
}

/// True if the beginning of an object contains the keys of a meeting transcript, possibly nested. A quotation of such a file does
/// not match, because its quotation marks are escaped.
fn holds_sentences(head: &[u8]) -> bool {
    let holds = |key: &[u8]| memchr::memmem::find(head, key).is_some();
    head.trim_ascii_start().starts_with(b"{") && holds(b"\"sentences\"") && holds(b"\"speaker_name\"") && holds(b"\"start_time\"")
}

/// The line types of a Codex session. The keys are not enough, because other programs' logs have the same ones.
const CODEX_LINES: &[&[u8]] = &[b"session_meta", b"response_item", b"event_msg", b"turn_context", b"compacted"];

/// Maximum length of a key that is collected. The longest identifying key has 21 bytes.
const KEY_BYTES_MAX: usize = 24;

/// Scans JSON and collects the keys of each record: of every object in a root array, or of every root object.
#[derive(Default)]
struct RecordKeys {
    depth: usize,
    record_depth: usize,
    in_string: bool,
    escaped: bool,
    string: Vec<u8>,
    /// True if the key of the current value is `type`.
    is_type: bool,
    keys: Keys,
}

/// The identifying keys found in the current record.
#[derive(Default, Clone, Copy)]
struct Keys {
    conversation: bool,
    role: bool,
    text: bool,
    kind: bool,
    session: bool,
    template: bool,
    docs: bool,
    full_name: bool,
    email: bool,
    phone: bool,
    sentence: bool,
    start: bool,
    speaker: bool,
    time: bool,
    payload: bool,
    codex: bool,
    project: bool,
}

impl RecordKeys {
    /// Processes `bytes`; returns the kind once a record has identified it.
    fn feed(&mut self, bytes: &[u8]) -> Option<SourceKind> {
        let mut at = 0;
        while at < bytes.len() {
            if self.in_string {
                if self.escaped {
                    self.escaped = false;
                    at += 1;
                    continue;
                }
                let end = memchr::memchr2(b'"', b'\\', &bytes[at..]).map_or(bytes.len(), |found| at + found);
                if self.depth == self.record_depth {
                    let room = KEY_BYTES_MAX.saturating_sub(self.string.len());
                    self.string.extend_from_slice(&bytes[at..end.min(at + room)]);
                }
                if end < bytes.len() {
                    self.in_string = bytes[end] != b'"';
                    self.escaped = bytes[end] == b'\\';
                }
                at = end + 1;
                continue;
            }
            match bytes[at] {
                b'"' => {
                    self.in_string = true;
                    self.string.clear();
                }
                b'[' | b'{' => {
                    if self.depth == 0 {
                        self.record_depth = if bytes[at] == b'[' { 2 } else { 1 };
                    }
                    self.depth += 1;
                    if self.depth == self.record_depth {
                        self.keys = Keys::default();
                    }
                }
                close @ (b']' | b'}' | b',') => {
                    if self.depth == self.record_depth && self.is_type {
                        self.is_type = false;
                        self.keys.codex = CODEX_LINES.contains(&self.string.as_slice());
                        if let Some(kind) = self.told() {
                            return Some(kind);
                        }
                    }
                    if close != b',' {
                        self.depth = self.depth.saturating_sub(1);
                    }
                }
                b':' if self.depth == self.record_depth => {
                    if let Some(kind) = self.key() {
                        return Some(kind);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// Records the key that just ended; returns the kind once the record has identified it.
    fn key(&mut self) -> Option<SourceKind> {
        self.is_type = self.string == b"type";
        match self.string.as_slice() {
            b"mapping" => return Some(SourceKind::Chatgpt),
            b"chat_messages" => return Some(SourceKind::Claude),
            b"conversation" => self.keys.conversation = true,
            b"role" => self.keys.role = true,
            b"text" => self.keys.text = true,
            b"type" => self.keys.kind = true,
            b"conversations_memory" | b"project_memories" => return Some(SourceKind::Claude),
            b"sentence" => self.keys.sentence = true,
            b"startTime" => self.keys.start = true,
            b"speaker_name" => self.keys.speaker = true,
            b"prompt_template" => self.keys.template = true,
            b"docs" | b"is_starter_project" => self.keys.docs = true,
            b"full_name" => self.keys.full_name = true,
            b"email_address" => self.keys.email = true,
            b"verified_phone_number" => self.keys.phone = true,
            b"sessionId" | b"leafUuid" | b"parentUuid" | b"snapshot" => self.keys.session = true,
            b"projectHash" => self.keys.project = true,
            b"timestamp" => self.keys.time = true,
            b"payload" => self.keys.payload = true,
            _ => {}
        }
        self.told()
    }

    /// The kind, if the keys of the record identify it.
    fn told(&self) -> Option<SourceKind> {
        let is_line = self.record_depth == 1;
        let Keys {
            conversation,
            role,
            text,
            kind,
            session,
            template,
            docs,
            full_name,
            email,
            phone,
            sentence,
            start,
            speaker,
            time,
            payload,
            codex,
            project,
        } = self.keys;
        // Claude projects and accounts need several keys, because each of these keys occurs in many other files.
        if template && docs || full_name && email && phone {
            return Some(SourceKind::Claude);
        }
        if sentence && start && speaker {
            return Some(SourceKind::Transcript);
        }
        if is_line && session && project {
            return Some(SourceKind::GeminiCli);
        }
        match (conversation && role && text, kind && session, time && payload && codex) {
            (true, _, _) if is_line => Some(SourceKind::KeepsakeJsonl),
            (_, true, _) if is_line => Some(SourceKind::ClaudeCode),
            (_, _, true) if is_line => Some(SourceKind::CodexCli),
            _ => None,
        }
    }
}
