//! A text thread of Zed, `*.zed.json`: one text that the person and the model write together, and the positions at which
//! messages begin.
//!
//! The output of slash commands, such as a whole file, is inserted into the text. It is not the person's words, so it is cut
//! out using the ranges given in the file. The model's reasoning is cut out in the same way.

use std::collections::HashMap;
use std::io::{BufRead, Read as _};
use std::ops::Range;

use keepsake_domain::MessageType;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::PROGRAM;
use crate::SkipReason;
use crate::format::{Head, Site};
use crate::halt::Halt;
use crate::identity::digest;
use crate::json::{Entries, Items, Loose, object, record, whole};
use crate::limits::ELEMENT_BYTES_MAX;
use crate::out::Out;
use crate::turns::{Part, Shown, Speaker, Talk, Turn, Turns, split_thinking};

pub(super) fn claims(head: &Head<'_>) -> bool {
    // The text may be so long that the fields after it are not in the beginning of the file.
    let is_context = || {
        let head = &head.bytes[..head.bytes.len().min(1000)];
        let mark: Vec<u8> = head.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
        memchr::memmem::find(&mark, b"\"zed\":\"context\"").is_some()
    };
    head.outline.has_all(&["zed", "version"]) && is_context()
}

#[derive(Deserialize)]
struct RawThread<'a> {
    #[serde(borrow, default)]
    id: Loose<'a>,
    #[serde(borrow, default)]
    text: Loose<'a>,
    #[serde(borrow, default)]
    messages: Option<&'a RawValue>,
    /// The metadata of messages in versions before 0.4.
    #[serde(borrow, default)]
    message_metadata: Option<&'a RawValue>,
    #[serde(borrow, default)]
    summary: Loose<'a>,
    #[serde(borrow, default)]
    slash_command_output_sections: Option<&'a RawValue>,
    #[serde(borrow, default)]
    thought_process_output_sections: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct RawMessage<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    start: Loose<'a>,
    #[serde(borrow, default)]
    metadata: Option<&'a RawValue>,
}

/// The clock of an edit, which is the id of a message.
#[derive(Deserialize)]
struct Clock<'a> {
    #[serde(borrow, default)]
    replica_id: Loose<'a>,
    #[serde(borrow, default)]
    value: Loose<'a>,
}

#[derive(Deserialize)]
struct Metadata<'a> {
    #[serde(borrow, default)]
    role: Loose<'a>,
}

#[derive(Deserialize)]
struct RawSection<'a> {
    #[serde(borrow, default)]
    range: Option<&'a RawValue>,
    #[serde(borrow, default)]
    label: Loose<'a>,
}

#[derive(Deserialize)]
struct RawRange<'a> {
    #[serde(borrow, default)]
    start: Loose<'a>,
    #[serde(borrow, default)]
    end: Loose<'a>,
}

/// A part of the text that nobody typed.
struct Section {
    range: Range<usize>,
    label: Option<String>,
}

pub(super) fn read(input: &mut dyn BufRead, site: &Site<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut bytes = Vec::new();
    input.take(ELEMENT_BYTES_MAX as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > ELEMENT_BYTES_MAX {
        out.skip_bytes(SkipReason::TooLarge, &bytes);
        return Ok(());
    }
    let mut mended = String::new();
    let Some(raw) = record::<RawThread<'_>>(bytes.trim_ascii(), &mut mended) else {
        out.skip_bytes(SkipReason::Malformed, &bytes);
        return Ok(());
    };
    let title = raw.summary.text().map(str::to_owned);
    let text = raw.text.text().unwrap_or_default();
    let (outputs, thoughts) = (sections(raw.slash_command_output_sections), sections(raw.thought_process_output_sections));
    let roles = roles_of(raw.message_metadata);
    let mut turns = Turns::default();
    let messages = messages_of(raw.messages, &roles, out);
    if messages.is_empty() && text.trim().is_empty() {
        out.skip(SkipReason::NoMessages, title.as_deref().unwrap_or(site.name));
        return Ok(());
    }
    for (at, (id, start, role)) in messages.iter().enumerate() {
        let end = messages.get(at + 1).map_or(text.len(), |(_, next, _)| *next);
        if text.get(*start..end).is_none() {
            out.skip(SkipReason::Malformed, id);
            continue;
        }
        let speaker = match role.as_str() {
            "user" => Speaker::Owner(None),
            "assistant" => Speaker::Assistant(None, None),
            "system" => Speaker::Program,
            _ => {
                out.skip(SkipReason::MissingField, id);
                continue;
            }
        };
        let parts = parts_of(text, *start..end, role, &outputs, &thoughts);
        if parts.is_empty() {
            out.skip(SkipReason::Empty, role);
            continue;
        }
        turns.push(Turn { id: id.clone(), parent: None, speaker, time: None, is_branch: false, parts }, out);
    }
    let talk = Talk {
        program: &PROGRAM,
        // Older versions have no id; the file name, made from the summary, replaces it.
        id: raw.id.id().map_or_else(|| format!("h-{}", digest(&[site.stem()])), |id| id.into_owned()),
        title,
        channel_id: None,
        is_private: false,
        begun: None,
        shown: Shown::Unmarked,
    };
    talk.tell(turns, out)
}

/// The messages in the order of the text: id, place and role.
fn messages_of(list: Option<&RawValue>, roles: &HashMap<String, String>, out: &mut Out<'_>) -> Vec<(String, usize, String)> {
    let mut messages = Vec::new();
    for raw in Items::of(list).0 {
        let mut mended = String::new();
        let message = whole::<RawMessage<'_>>(raw, &mut mended);
        let found = message.as_ref().and_then(|message| {
            let id = id_of(message.id?)?;
            let Loose::Int(start) = message.start else { return None };
            let told = message.metadata.and_then(object::<Metadata<'_>>);
            let role = told.and_then(|told| told.role.text().map(str::to_owned)).or_else(|| roles.get(&id).cloned());
            Some((id, usize::try_from(start).ok()?, role.unwrap_or_default()))
        });
        match found {
            Some(message) => messages.push(message),
            None => out.skip(SkipReason::MissingField, raw.get()),
        }
    }
    messages.sort_by_key(|(_, start, _)| *start);
    messages
}

fn id_of(raw: &RawValue) -> Option<String> {
    match object::<Clock<'_>>(raw) {
        Some(clock) => Some(format!("{}-{}", clock.replica_id.id()?, clock.value.id()?)),
        None => serde_json::from_str::<Loose<'_>>(raw.get()).ok()?.id().map(|id| id.into_owned()),
    }
}

fn roles_of(metadata: Option<&RawValue>) -> HashMap<String, String> {
    let entries = metadata.and_then(|raw| serde_json::from_str::<Entries<'_>>(raw.get()).ok()).unwrap_or_default();
    let roles = entries.0.into_iter().filter_map(|(id, raw)| {
        let role = object::<Metadata<'_>>(raw)?.role.text()?.to_owned();
        Some((id, role))
    });
    roles.collect()
}

fn sections(list: Option<&RawValue>) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for raw in Items::of(list).0 {
        let mut mended = String::new();
        let Some(section) = whole::<RawSection<'_>>(raw, &mut mended) else { continue };
        let range = section.range.and_then(object::<RawRange<'_>>);
        if let Some(RawRange { start: Loose::Int(start), end: Loose::Int(end) }) = range
            && let (Ok(start), Ok(end)) = (usize::try_from(start), usize::try_from(end))
        {
            sections.push(Section { range: start..end, label: section.label.text().map(str::to_owned) });
        }
    }
    sections.sort_by_key(|section| (section.range.start, std::cmp::Reverse(section.range.end)));
    sections
}

/// The parts of the message at this position in the text.
fn parts_of(text: &str, place: Range<usize>, role: &str, outputs: &[Section], thoughts: &[Section]) -> Vec<Part> {
    let is_answer = role == "assistant";
    let cuts = if is_answer { thoughts } else { outputs };
    let mut words = String::new();
    let mut parts = Vec::new();
    let mut files = Vec::new();
    let mut at = place.start;
    // A section may contain others, which are cut out with it.
    let first = cuts.partition_point(|section| section.range.end <= place.start);
    for section in cuts.get(first..).unwrap_or_default() {
        if section.range.start >= place.end {
            break;
        }
        files.extend(section.label.clone());
        if section.range.end <= at {
            continue;
        }
        let (start, end) = (section.range.start.max(at), section.range.end.min(place.end));
        words.push_str(text.get(at..start).unwrap_or_default());
        if is_answer {
            let thought =
                text.get(start..end).map(|text| split_thinking(text).0.unwrap_or(text.trim())).filter(|text| !text.is_empty());
            parts.extend(thought.map(|text| Part::of(format!("#thought-{}", parts.len()), text, MessageType::Thinking)));
        }
        at = end;
    }
    words.push_str(text.get(at..place.end).unwrap_or_default());
    let kept = if is_answer { &[][..] } else { files.as_slice() };
    parts.extend(Part::words(words.trim_matches('\n').to_owned(), kept).map(|mut part| {
        if role == "system" {
            part.message_type = MessageType::Instruction;
        }
        part
    }));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_inserted_is_cut_out_wherever_it_begins_and_ends() {
        let section = |range: Range<usize>| Section { range, label: Some("f".to_owned()) };
        let check = |sections: &[Section], expect: &str| {
            let parts = parts_of("0123456789", 2..8, "user", sections, &[]);
            assert_eq!(parts.first().map_or("", |part| part.text.as_str()), expect);
        };
        check(&[], "234567");
        check(&[section(3..5)], "2567");
        check(&[section(0..4)], "4567");
        check(&[section(5..20)], "234");
        check(&[section(3..7), section(4..5)], "27");
        check(&[section(8..9)], "234567");
        assert!(parts_of("ä", 0..1, "user", &[], &[]).is_empty(), "a place within a character gives nothing");
    }
}
