//! Notes from basic-memory. Each note is a Markdown file that an assistant writes through the program.
//!
//! A note is recognized by its properties `title`, `type` and `permalink`. It becomes one conversation with one message, which
//! contains the note's text as written. The note's observations (`- [category] text #tag (context)`) and relations
//! (`- type [[Note]]`) are also stored in the metadata. Nothing shows which parts of a note a person wrote, so the whole note
//! is treated as written by the program. Deliberately not here: the program's database, which is generated from the notes. See
//! docs/formats.md, "basic-memory".

use std::io::BufRead;

use keepsake_domain::{Metadata, SourceKind, TimeCertainty};
use serde_json::{Value, json};

use crate::SkipReason;
use crate::format::{Check, Format, Head, Input, Site};
use crate::front_matter::{self, Note};
use crate::halt::Halt;
use crate::memories::{Memory, Program, moment, whole_text};
use crate::out::Out;

/// A note.
pub(crate) const FORMAT: Format =
    Format { kind: SourceKind::BasicMemory, names_owner: true, input: Input::Document { claims, check: Check::Text, read } };

/// The program.
pub(crate) const PROGRAM: Program = Program {
    kind: SourceKind::BasicMemory,
    name: "basic-memory",
    channel: "basic-memory",
    channel_id: None,
    handle: "basic-memory",
};

/// Maximum number of observations, and of relations, kept per note. A long note has about a hundred.
const EACH_MAX: usize = 1_000;

/// Properties that only website generators use. They distinguish website pages, which also have permalinks, from notes.
const OF_A_SITE: [&str; 4] = ["layout", "collection", "sitemap", "publish"];

/// The permalink, if the properties are those of a basic-memory note. These permalinks are paths such as
/// `work/bees`. Unlike web addresses, they have no leading or trailing slash and no file extension.
pub(crate) fn permalink(properties: &Metadata) -> Option<&str> {
    let permalink = front_matter::text(properties, "permalink")?;
    let is_path = !permalink.starts_with('/') && !permalink.ends_with('/') && !permalink.contains("://");
    let is_page = permalink.ends_with(".html") || OF_A_SITE.iter().any(|name| properties.contains_key(*name));
    let is_note = ["title", "type"].iter().all(|name| front_matter::text(properties, name).is_some());
    (is_path && is_note && !is_page).then_some(permalink)
}

/// Whether a file is a basic-memory note.
fn claims(head: &Head<'_>) -> bool {
    head.bytes.starts_with(b"---") && permalink(&front_matter::split(&head.text()).properties).is_some()
}

/// Reads one note.
fn read(input: &mut dyn BufRead, site: &Site<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let Some(text) = whole_text(input)? else {
        out.skip(SkipReason::TooLarge, site.name);
        return Ok(());
    };
    let Note { properties, body, .. } = front_matter::split(&text);
    let Some(permalink) = permalink(&properties).map(str::to_owned) else {
        out.skip(SkipReason::MissingField, site.name);
        return Ok(());
    };
    let body = body.trim_matches(['\n', '\r']);
    if body.trim().is_empty() {
        out.skip(SkipReason::Empty, &permalink);
        return Ok(());
    }
    let time_of = |name: &str| front_matter::text(&properties, name).and_then(|text| moment(text, out.options.zone));
    let written = ["created", "created_at", "date"].iter().find_map(|name| time_of(name));
    let mut metadata = Metadata::new();
    if let Some(changed) = ["modified", "updated_at"].iter().find_map(|name| front_matter::text(&properties, name)) {
        metadata.insert("edited_at".to_owned(), changed.into());
    }
    let statements = statements(body);
    for (name, list) in [("observations", statements.observations), ("relations", statements.relations)] {
        if !list.is_empty() {
            metadata.insert(name.to_owned(), list.into());
        }
    }
    let title = front_matter::text(&properties, "title").unwrap_or(site.stem()).to_owned();
    metadata.insert("properties".to_owned(), properties.into());
    out.message(PROGRAM.message(Memory {
        conversation: permalink.clone(),
        title,
        id: permalink,
        time: written.unwrap_or((out.options.file_time, TimeCertainty::Inferred)),
        text: body.to_owned(),
        metadata,
    }))?;
    Ok(())
}

/// The observations and relations of a note.
#[derive(Default)]
struct Statements {
    observations: Vec<Value>,
    relations: Vec<Value>,
}

fn statements(body: &str) -> Statements {
    let mut found = Statements::default();
    let mut is_code = false;
    for line in body.lines() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            is_code = !is_code;
        }
        let Some(item) = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).filter(|_| !is_code) else { continue };
        let item = item.trim();
        if let Some(relation) = relation(item).filter(|_| found.relations.len() < EACH_MAX) {
            found.relations.push(relation);
        } else if let Some(observation) = observation(item).filter(|_| found.observations.len() < EACH_MAX) {
            found.observations.push(observation);
        }
    }
    found
}

/// Parses `[category] text #tag (context)`. Checkboxes, clock times and links look similar but are not observations.
fn observation(item: &str) -> Option<Value> {
    let (category, text) = item.strip_prefix('[')?.split_once("] ")?;
    let category = category.trim();
    let is_word = !category.contains(['[', ']', '(', ')']) && category.chars().any(char::is_alphabetic);
    if !is_word || category.eq_ignore_ascii_case("x") {
        return None;
    }
    let (text, context) = with_context(text.trim());
    let tags: Vec<&str> =
        text.split_whitespace().filter_map(|word| word.strip_prefix('#')).filter(|tag| !tag.is_empty()).collect();
    let mut found = json!({ "category": category, "text": text });
    if !tags.is_empty() {
        found["tags"] = json!(tags);
    }
    if let Some(context) = context {
        found["context"] = context.into();
    }
    Some(found)
}

/// Parses `type [[Note]] (context)`, where the type is one word or in quotation marks. A sentence with a link in it is not a
/// relation.
fn relation(item: &str) -> Option<Value> {
    let (kind, rest) = item.split_once("[[")?;
    let (target, after) = rest.split_once("]]")?;
    let kind = kind.trim();
    let quoted = ['"', '\''].iter().find_map(|mark| kind.strip_prefix(*mark)?.strip_suffix(*mark));
    let kind = quoted.or_else(|| (!kind.is_empty() && !kind.contains(char::is_whitespace)).then_some(kind))?;
    let after = after.trim();
    let context = after.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    if target.trim().is_empty() || !after.is_empty() && context.is_none_or(|context| context.contains(['(', ')'])) {
        return None;
    }
    let mut found = json!({ "type": kind, "to": target.trim() });
    if let Some(context) = context {
        found["context"] = context.trim().into();
    }
    Some(found)
}

/// Splits text from the remark in parentheses at its end.
fn with_context(text: &str) -> (&str, Option<&str>) {
    let split = text.strip_suffix(')').and_then(|rest| rest.rsplit_once('('));
    match split {
        Some((before, context)) => (before.trim(), Some(context.trim())),
        None => (text, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_known_by_its_permalink_and_a_page_of_a_site_is_none() {
        for (text, expect) in [
            ("---\ntitle: Bees\ntype: note\npermalink: work/bees\n---\nBody", true),
            ("---\r\ntitle: Bees\r\ntype: note\r\npermalink: bees\r\n---\r\n", true),
            ("---\ntitle: About\ntype: page\npermalink: /about/\n---\nA page of Jekyll", false),
            ("---\ntitle: About\ntype: page\nlayout: page\npermalink: about\n---\n", false),
            ("---\ntitle: About\ntype: page\npermalink: about.html\n---\n", false),
            ("---\ntitle: Note\npermalink: note\n---\nA note published with Obsidian", false),
            ("title: Bees\ntype: note\npermalink: work/bees\n", false),
            ("A note about\n---\ntitle: Bees\ntype: note\npermalink: work/bees\n---\n", false),
        ] {
            assert_eq!(claims(&Head::of(text.as_bytes())), expect, "{text:?}");
        }
    }

    #[test]
    fn observations_and_relations_are_told_from_tasks_times_and_sentences() {
        let body = "- [fact] Bees dance #bees #dance (read 2026)\n- [ ] a task\n- [x] done\n- [00:12:30] a clock\n- [link](x)\n\
                    - relates_to [[Honey]]\n- \"part of\" [[Hive]] (since May)\n- see [[Ana]] and [[Ben]]\n- I asked [[Ana]]\n\
                    ```\n- [code] no\n```\n* [idea] plant heather";
        let Statements { observations, relations } = statements(body);
        let expect = json!([
            {"category": "fact", "text": "Bees dance #bees #dance", "tags": ["bees", "dance"], "context": "read 2026"},
            {"category": "idea", "text": "plant heather"},
        ]);
        assert_eq!(json!(observations), expect);
        let expect = json!([{"type": "relates_to", "to": "Honey"}, {"type": "part of", "to": "Hive", "context": "since May"}]);
        assert_eq!(json!(relations), expect);
    }
}
