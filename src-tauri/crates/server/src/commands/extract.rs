//! `keepsake extract` and `keepsake scrub`: stateless commands that read standard input and write standard output.

use std::collections::HashMap;
use std::io::{BufRead, Read, Write};
use std::path::PathBuf;

use keepsake_capture::scrub::{ScrubConfig, ScrubSession, Scrubber};
use keepsake_capture::{Conversation, Turn, propose_read};
use keepsake_domain::{Clock, IdSource, Message, Offer, Role, SourceKind};
use keepsake_engine::{RandomIds, SystemClock, Unwatched, readings};
use keepsake_importers::{ImportError, ImportOptions, Read as Record, Sink, Skip, SkipReason, Stop, read_path};
use keepsake_models::{ModelError, open_reader};
use serde_json::json;

use super::model_dir;
use crate::output::{Failure, Output};

/// Approximate size in bytes of the pieces in which text is scrubbed, so that a long stream needs little memory.
const SCRUB_CHUNK_BYTES: usize = 1 << 20;

/// Maximum size of a piece in bytes. A piece normally ends at an empty line, because no key or number extends across one. Text
/// without an empty line for this long is cut at a line end.
const SCRUB_CHUNK_BYTES_MAX: usize = 16 << 20;

#[derive(Default)]
struct Conversations {
    order: Vec<String>,
    messages: HashMap<String, Vec<Message>>,
    skips: Vec<Skip>,
}

impl Sink for Conversations {
    fn take(&mut self, read: Record) -> Result<(), Stop> {
        match read {
            Record::Message(message) => {
                let id = message.source.conversation.clone();
                if !self.messages.contains_key(&id) {
                    self.order.push(id.clone());
                }
                self.messages.entry(id).or_default().push(message);
            }
            Record::Skipped(skip) => self.skips.push(skip),
        }
        Ok(())
    }

    fn progress(&mut self, _bytes_done: u64, _bytes_total: u64) -> Result<(), Stop> {
        Ok(())
    }
}

/// Standard input as a temporary file, because importers read files. Removed on drop.
struct Spool(PathBuf);

impl Spool {
    fn of_stdin() -> Result<Self, Failure> {
        let name = format!("keepsake-extract-{}.jsonl", RandomIds::default().next_uuid().simple());
        let spool = Self(std::env::temp_dir().join(name));
        let mut file = open_private(&spool.0)?;
        std::io::copy(&mut std::io::stdin().lock(), &mut file)?;
        file.flush()?;
        Ok(spool)
    }
}

fn open_private(path: &std::path::Path) -> std::io::Result<std::fs::File> {
    let mut options = std::fs::File::options();
    options.create_new(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

impl Drop for Spool {
    fn drop(&mut self) {
        // It does not matter if the file is already gone.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Prints the candidates of all conversations on standard input, one JSON line each.
pub(crate) fn extract(offer: Offer, output: &mut Output) -> Result<(), Failure> {
    let spool = Spool::of_stdin()?;
    let mut conversations = Conversations::default();
    let options = ImportOptions { source: Some(SourceKind::KeepsakeJsonl), ..ImportOptions::new(SystemClock.now()) };
    match read_path(&spool.0, &options, &mut conversations) {
        Ok(_) => {}
        // Input with only blank lines is treated as empty.
        Err(ImportError::Empty { .. }) => return Ok(()),
        Err(error) => {
            // The name of the temporary file means nothing to the person.
            return Err(Failure::new(error.to_string().replace(&spool.0.display().to_string(), "standard input")));
        }
    }
    account_for_skips(&conversations)?;
    let reader = open_reader(&model_dir()).map_err(|error| match error {
        ModelError::Missing { dir } => {
            Failure::new(format!("the reader model is missing in {}; run `make model` to prepare it", dir.display()))
        }
        error => Failure::new(error.to_string()),
    })?;
    for id in &conversations.order {
        let messages = &conversations.messages[id];
        if messages.iter().any(|message| message.is_private) {
            continue;
        }
        print_candidates(id, messages, &reader, offer, output)?;
    }
    Ok(())
}

/// Reports unreadable lines on standard error. Fails if no line could be read.
fn account_for_skips(conversations: &Conversations) -> Result<(), Failure> {
    let left_out: Vec<String> = conversations
        .skips
        .iter()
        .map(|skip| format!("{} {}: {}", skip.count, line_word(skip.count), skip.reason.text()))
        .collect();
    if left_out.is_empty() {
        return Ok(());
    }
    let left_out = left_out.join("; ");
    let is_foreign = |skip: &Skip| matches!(skip.reason, SkipReason::Malformed | SkipReason::MissingField | SkipReason::TooLarge);
    if conversations.order.is_empty() && conversations.skips.iter().any(is_foreign) {
        return Err(Failure::new(format!("standard input contains no Keepsake JSONL messages ({left_out})")));
    }
    eprintln!("keepsake: skipped from standard input: {left_out}");
    Ok(())
}

fn line_word(count: u64) -> &'static str {
    if count == 1 { "line" } else { "lines" }
}

fn print_candidates(
    id: &str,
    messages: &[Message],
    reader: &dyn keepsake_models::Reader,
    offer: Offer,
    output: &mut Output,
) -> Result<(), Failure> {
    // Links are not known here, so each handle is treated as a separate person.
    let speakers: Vec<String> = messages
        .iter()
        .map(|message| message.author.handle.folded())
        .map(|handle| format!("{}:{}", handle.channel, handle.handle))
        .collect();
    let turns: Vec<Turn<'_>> = messages
        .iter()
        .zip(&speakers)
        .map(|(message, speaker)| Turn {
            id: &message.source.message,
            role: message.author.role,
            author: &message.author.name,
            speaker,
            text: &message.text,
            time: message.time,
            message_type: message.message_type,
            is_branch: message.is_branch,
            thread: "",
        })
        .collect();
    let name_of = |role: Role| messages.iter().find(|m| m.author.role == role).map(|m| m.author.name.as_str());
    let conversation = Conversation { turns: &turns, owner_name: name_of(Role::Owner), assistant_name: name_of(Role::Assistant) };
    let read = readings(reader, &turns, &Unwatched).map_err(|error| Failure::new(error.to_string()))?;
    let proposals = propose_read(&conversation, &read, offer);
    for candidate in proposals.candidates.iter().filter(|candidate| !candidate.is_quarantined) {
        let evidence: Vec<_> = candidate
            .evidence
            .iter()
            .filter_map(|e| Some(json!({ "message": turns.get(e.message)?.id, "start": e.span.start(), "end": e.span.end() })))
            .collect();
        output.json(&json!({
            "conversation": id,
            "subject": candidate.subject.as_str(),
            "content": candidate.content,
            "kind": candidate.kind,
            "category": candidate.category,
            "confidence": candidate.confidence,
            "reasoning": candidate.reasoning,
            "evidence": evidence,
        }))?;
    }
    Ok(())
}

/// Prints standard input with all sensitive values replaced. The same value always gets the same placeholder.
pub(crate) fn scrub(output: &mut Output) -> Result<(), Failure> {
    let scrubber = Scrubber::new(&ScrubConfig::default()).map_err(|error| Failure::new(error.to_string()))?;
    let mut session = ScrubSession::new();
    let mut stdin = std::io::stdin().lock();
    let mut chunk: Vec<u8> = Vec::new();
    loop {
        stdin.by_ref().take(SCRUB_CHUNK_BYTES as u64).read_to_end(&mut chunk)?;
        // Read up to the end of a paragraph, so that no sensitive value is cut in two.
        loop {
            let line_start = chunk.len();
            let ended = stdin.read_until(b'\n', &mut chunk)? == 0;
            // The first line read here may be the rest of a partial line.
            let is_empty_line = chunk[..line_start].ends_with(b"\n") && chunk[line_start..].trim_ascii().is_empty();
            if ended || is_empty_line || chunk.len() >= SCRUB_CHUNK_BYTES_MAX {
                break;
            }
        }
        if chunk.is_empty() {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&chunk);
        output.raw(scrubber.scrub_in(&mut session, &text).as_str())?;
        chunk.clear();
    }
}
