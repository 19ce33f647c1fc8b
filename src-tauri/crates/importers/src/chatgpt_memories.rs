//! ChatGPT's memories about its user. The data export does not contain the list of memories (`chatgpt/` reads only those parts
//! of it that appear in conversations), so people obtain it in other ways. These forms are read here:
//!
//! ```text
//! { memories: [ { id, content, updated_at, … } ], memory_max_tokens, memory_num_tokens }    as the page itself loads it
//!
//! # Model Set Context                                                         as ChatGPT writes it down when asked
//!
//! 1. [2026-01-05]. Keeps bees.
//!
//! Keeps bees.                                          as people copy it from the settings, one a line
//! Is allergic to hazelnuts.
//! ```
//!
//! The last form looks like any other text, so a file is read this way only if the person says what it is. See docs/formats.md,
//! "Memories of ChatGPT".

use std::io::BufRead;

use chrono::NaiveDate;
use keepsake_domain::{Metadata, SourceKind, TimeCertainty};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::SkipReason;
use crate::conversation::When;
use crate::format::{Check, Format, Head, Input, Site};
use crate::halt::Halt;
use crate::identity::{SeenIds, StandIns, digest};
use crate::json::{Items, Loose, Step, Walk, record, small_value};
use crate::lines::each_line;
use crate::memories::{Memory, Program, midnight, moment};
use crate::out::Out;
use crate::regroup::Regroup;
use crate::time::from_unix;

/// The list that the page loads.
pub(crate) const PAGE: Format =
    Format { kind: SourceKind::Chatgpt, names_owner: true, input: Input::Document { claims, check: Check::Json, read } };

/// The list as ChatGPT writes it.
pub(crate) const WRITTEN: Format = Format {
    kind: SourceKind::Chatgpt,
    names_owner: true,
    input: Input::Document { claims: claims_text, check: Check::Text, read: read_text },
};

/// The list as people copy it from the settings.
pub(crate) const COPIED: Format = Format {
    kind: SourceKind::Chatgpt,
    names_owner: true,
    input: Input::Document { claims: is_text, check: Check::Text, read: read_copied },
};

const PROGRAM: Program =
    Program { kind: SourceKind::Chatgpt, name: "ChatGPT", channel: "chat", channel_id: Some("chatgpt"), handle: "chatgpt" };

/// The conversation that contains the memories. There is one list for each account, and nothing shows which account it belongs
/// to.
const CONVERSATION: &str = "memories";

/// Its title.
const TITLE: &str = "What ChatGPT remembered";

/// The heading above the memories in ChatGPT's instructions.
const HEADING: &str = "Model Set Context";

/// Number of lines within which the first memory must appear.
const LINES_BEFORE_MAX: usize = 12;

/// Whether a file is the list that the page loads.
fn claims(head: &Head<'_>) -> bool {
    let counts = ["memory_max_tokens", "memory_num_tokens"];
    head.outline.has_all(&["memories[].id", "memories[].content"]) && counts.iter().any(|count| head.outline.has(count))
}

#[derive(Deserialize)]
struct Record<'a> {
    #[serde(borrow, default)]
    id: Loose<'a>,
    #[serde(borrow, default)]
    content: Loose<'a>,
    #[serde(borrow, default)]
    updated_at: Loose<'a>,
    #[serde(borrow, default)]
    created_timestamp: Loose<'a>,
    #[serde(borrow, default)]
    gizmo_id: Loose<'a>,
    #[serde(borrow, default)]
    status: Loose<'a>,
    #[serde(borrow, default)]
    conversation_id: Loose<'a>,
    #[serde(borrow, default)]
    labels: Option<&'a RawValue>,
}

/// Reads the list that the page loads.
fn read(input: &mut dyn BufRead, _: &Site<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut walk = Walk::new(input, &["", "memories"]);
    let mut group = Regroup::default();
    let mut stand_ins = StandIns::default();
    let mut last: Option<When> = None;
    while let Some(step) = walk.next()? {
        match step {
            Step::Value("memories[]", bytes) => {
                let mut mended = String::new();
                let found = record::<Record<'_>>(bytes, &mut mended)
                    .filter(|_| bytes.starts_with(b"{"))
                    .ok_or(SkipReason::Malformed)
                    .and_then(|record| memory(&record, &mut stand_ins, last, out));
                match found {
                    Ok(memory) => {
                        last = Some(memory.time);
                        group.take(PROGRAM.message(memory), out)?;
                    }
                    Err(reason) => out.skip_bytes(reason, bytes),
                }
            }
            Step::TooLarge(_, head) => out.skip_bytes(SkipReason::TooLarge, head),
            Step::Value(..) | Step::Begin(_) | Step::End(_) => {}
        }
        out.progress(walk.bytes_done())?;
    }
    Ok(group.flush(out)?)
}

fn memory(record: &Record<'_>, stand_ins: &mut StandIns, last: Option<When>, out: &Out<'_>) -> Result<Memory, SkipReason> {
    let Loose::Text(text) = &record.content else { return Err(SkipReason::MissingField) };
    if text.trim().is_empty() {
        return Err(SkipReason::Empty);
    }
    let time_of = |value: &Loose<'_>| match value {
        Loose::Text(text) => moment(text, out.options.zone),
        value => Some((from_unix(value.number()?)?, TimeCertainty::Exact)),
    };
    let written = time_of(&record.created_timestamp);
    let time = written.or_else(|| time_of(&record.updated_at));
    let inferred = || (last.map_or(out.options.file_time, |(time, _)| time), TimeCertainty::Inferred);
    let mut metadata = Metadata::new();
    let changed = record.updated_at.id().filter(|_| written.is_some() && record.updated_at != record.created_timestamp);
    let kept = [
        ("edited_at", changed),
        ("conversation_id", record.conversation_id.id()),
        ("gizmo_id", record.gizmo_id.id()),
        ("status", record.status.id()),
    ];
    for (name, value) in kept {
        if let Some(value) = value {
            metadata.insert(name.to_owned(), value.into());
        }
    }
    if let Some(labels) = record.labels.filter(|raw| !Items::of(Some(raw)).0.is_empty()) {
        metadata.insert("labels".to_owned(), small_value(labels));
    }
    let id = match record.id.id() {
        Some(id) => id.into_owned(),
        None => stand_ins.next(CONVERSATION, record.updated_at.text().unwrap_or_default(), PROGRAM.name, text),
    };
    Ok(noted(id, time.unwrap_or_else(inferred), text, metadata))
}

fn noted(id: String, time: When, text: &str, metadata: Metadata) -> Memory {
    Memory { conversation: CONVERSATION.to_owned(), title: TITLE.to_owned(), id, time, text: text.to_owned(), metadata }
}

/// Whether a file contains memories as ChatGPT writes them down: one memory below their heading, or two in a row.
fn claims_text(head: &Head<'_>) -> bool {
    let text = head.text();
    let is_entry = |line: &str| matches!(opening(line), Opening::Whole(Some(_), text) if !text.is_empty());
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut has_heading = false;
    for line in lines.by_ref().take(LINES_BEFORE_MAX) {
        has_heading |= line.trim_start_matches('#').trim() == HEADING;
        if is_entry(line) {
            return has_heading || lines.next().is_some_and(is_entry);
        }
    }
    false
}

/// Whether a file may be a copied list: any text that does not begin like JSON or markup.
fn is_text(head: &Head<'_>) -> bool {
    let first = head.bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    first.is_some_and(|byte| !matches!(byte, b'[' | b'{' | b'<')) && !head.bytes.contains(&0)
}

/// Reads a copied list: each line is a memory, with or without a list marker.
fn read_copied(input: &mut dyn BufRead, _: &Site<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut group = Regroup::default();
    let mut seen = SeenIds::default();
    each_line(input, out, |bytes, out| {
        let line = String::from_utf8_lossy(bytes);
        let text = without_mark(line.trim());
        if text.is_empty() {
            return Ok(());
        }
        // Only the text distinguishes one memory from another, so identical texts count as one memory.
        let id = format!("h-{}", digest(&["copied memory", text]));
        if !seen.is_new(&id) {
            out.skip(SkipReason::Repeated, text);
            return Ok(());
        }
        let when: When = (out.options.file_time, TimeCertainty::Inferred);
        Ok(group.take(PROGRAM.message(noted(id, when, text, Metadata::new())), out)?)
    })?;
    Ok(group.flush(out)?)
}

/// A line without its list marker: `- `, `• `, `3. `, `3) `.
fn without_mark(line: &str) -> &str {
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = (numbered.len() < line.len()).then(|| numbered.strip_prefix(". ").or(numbered.strip_prefix(") "))).flatten();
    let marked = ["- ", "* ", "• ", "– "].iter().find_map(|mark| line.strip_prefix(mark));
    marked.or(numbered).unwrap_or(line).trim()
}

/// The pattern between the number and the text of a memory, in which a zero matches any digit.
const HEAD: &str = ". [0000-00-00].";

/// How a line relates to the beginning of a memory.
enum Opening<'l> {
    /// The line does not begin a memory.
    None,
    /// The line ends within [`HEAD`], as in a file that was cut off there: `2. [2026-0`.
    Cut,
    /// The line begins a memory, with this day (`None` if it is not a valid date) and this text.
    Whole(Option<NaiveDate>, &'l str),
}

fn opening(line: &str) -> Opening<'_> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = line.get(digits..).unwrap_or_default();
    let fits = |(found, wanted): (u8, u8)| if wanted == b'0' { found.is_ascii_digit() } else { found == wanted };
    if digits == 0 || !rest.bytes().zip(HEAD.bytes()).all(fits) {
        return Opening::None;
    }
    match (rest.get(HEAD.len()..), rest.get(". [".len()..HEAD.len() - "].".len())) {
        (Some(text), Some(day)) => Opening::Whole(NaiveDate::parse_from_str(day, "%Y-%m-%d").ok(), text.trim()),
        _ => Opening::Cut,
    }
}

/// A memory whose lines are being collected.
struct Entry {
    day: NaiveDate,
    text: String,
}

/// Reads memories in the format that ChatGPT writes.
fn read_text(input: &mut dyn BufRead, _: &Site<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut group = Regroup::default();
    let mut stand_ins = StandIns::default();
    let mut open: Option<Entry> = None;
    each_line(input, out, |bytes, out| {
        let line = String::from_utf8_lossy(bytes);
        let text = line.trim();
        match opening(text) {
            Opening::Whole(Some(day), text) => {
                let entry = Entry { day, text: text.to_owned() };
                settle(open.replace(entry), &mut stand_ins, &mut group, out)?;
            }
            Opening::Whole(None, _) | Opening::Cut => {
                settle(open.take(), &mut stand_ins, &mut group, out)?;
                out.skip(SkipReason::Malformed, text);
            }
            // Text below another heading is not a memory.
            Opening::None if text.starts_with("# ") || text.starts_with("```") => {
                settle(open.take(), &mut stand_ins, &mut group, out)?;
            }
            Opening::None => match &mut open {
                Some(entry) => {
                    entry.text.push('\n');
                    entry.text.push_str(line.trim_end());
                }
                None if text.is_empty() || text == HEADING => {}
                None => out.skip(SkipReason::NoHeader, text),
            },
        }
        Ok(())
    })?;
    settle(open, &mut stand_ins, &mut group, out)?;
    Ok(group.flush(out)?)
}

fn settle(entry: Option<Entry>, stand_ins: &mut StandIns, group: &mut Regroup, out: &mut Out<'_>) -> Result<(), Halt> {
    let Some(Entry { day, text }) = entry else { return Ok(()) };
    let text = text.trim_end();
    if text.trim().is_empty() {
        out.skip(SkipReason::Empty, &day.to_string());
        return Ok(());
    }
    let id = stand_ins.next(CONVERSATION, &day.to_string(), PROGRAM.name, text);
    let memory = noted(id, midnight(day, out.options.zone), text, Metadata::new());
    Ok(group.take(PROGRAM.message(memory), out)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_memories_are_told_from_other_numbered_lists() {
        for (text, expect) in [
            ("# Model Set Context\n\n1. [2026-01-05]. Keeps bees.\n", true),
            ("Here is all of it:\n```\n1. [2026-01-05]. Keeps bees.\n\n2. [2026-01-06]. Lives in Leeds.\n```", true),
            ("1. [2026-01-05]. One line alone is not enough.\n", false),
            ("1. [2026-01-05] Fixed the door\n2. [2026-01-06] Painted it\n", false),
            ("1. [2020]. A book\n2. [2021]. Another\n", false),
            ("[05.01.26, 10:00:00] Ana: 1. [2026-01-05]. hi\n", false),
            ("# Model Set Context\n\nis a heading in the instructions of ChatGPT.\n", false),
        ] {
            assert_eq!(claims_text(&Head::of(text.as_bytes())), expect, "{text:?}");
        }
        let list = r#"{"memories":[{"id":"m","content":"x"}],"memory_num_tokens":3}"#;
        assert!(claims(&Head::of(list.as_bytes())));
        assert!(!claims(&Head::of(br#"{"memories":[{"id":"m","content":"x"}]}"#)), "any program may have memories");
    }
}
