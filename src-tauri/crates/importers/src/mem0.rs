//! Memories from mem0: responses of its API, a backup of OpenMemory, and the history of the open-source version.
//!
//! ```text
//! [ { id, memory, user_id, created_at, … } ]                        the first version of the interface
//! { results: [ … ], relations }                                     later ones, and the open source version
//! { user, apps, categories, memories: [ { id, content, state } ] }  memories.json in a backup of OpenMemory
//! history (memory_id, old_memory, new_memory, event, …)             history.db
//! ```
//!
//! The memories of a user, an agent or a session form one conversation. Deliberately not here: the graph of entities, which is
//! derived from the memories. See docs/formats.md, "mem0".

use std::collections::HashMap;
use std::io::BufRead;

use keepsake_domain::{Metadata, SourceKind, TimeCertainty};
use rusqlite::Connection;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::SkipReason;
use crate::conversation::When;
use crate::database::{self, Tables};
use crate::format::{Check, Format, Head, Input, Site};
use crate::halt::Halt;
use crate::identity::StandIns;
use crate::json::{Items, Loose, Step, Walk, parse_mending, record, small_object, small_value};
use crate::limits::NAMES_MAX;
use crate::memories::{Memory, Program, moment};
use crate::out::Out;
use crate::regroup::Regroup;
use crate::time::{Zone, from_unix};

/// API responses and backups.
pub(crate) const FORMAT: Format =
    Format { kind: SourceKind::Mem0, names_owner: true, input: Input::Document { claims, check: Check::Json, read } };

/// The history.
pub(crate) const HISTORY: Format =
    Format { kind: SourceKind::Mem0, names_owner: true, input: Input::Database { claims: claims_history, read: read_history } };

const PROGRAM: Program = Program { kind: SourceKind::Mem0, name: "mem0", channel: "mem0", channel_id: None, handle: "mem0" };

/// The arrays that are entered: the memories, the relations of the graph, which are only counted, and the names in a backup.
const LISTS: &[&str] = &["", "results", "memories", "relations", "apps", "categories"];

/// The conversation for memories that name no user, agent, session or app.
const ALL: &str = "memories";

/// The state of a memory that was deleted in OpenMemory, which keeps deleted memories.
const DELETED: &str = "deleted";

/// Fields that are kept in the metadata.
const KEPT: [&str; 7] = ["agent_id", "run_id", "app_id", "app", "actor_id", "role", "state"];

/// True if a file contains memories. The key `memory` alone is not enough, because any list of computers may have it.
fn claims(head: &Head<'_>) -> bool {
    let of_list = |list: &str| {
        let has = |key: &str| head.outline.has(&format!("{list}[].{key}"));
        let whose = ["user_id", "agent_id", "run_id", "app_id", "hash", "owner", "organization"];
        has("id") && has("memory") && has("created_at") && whose.into_iter().any(has)
    };
    let of_backup = ["user.user_id", "apps", "memories[].id", "memories[].content", "memories[].state", "memories[].app_id"];
    ["", "results", "memories"].into_iter().any(of_list) || head.outline.has_all(&of_backup)
}

#[derive(Deserialize)]
struct Record<'a> {
    #[serde(borrow, default)]
    id: Loose<'a>,
    #[serde(borrow, default)]
    memory: Loose<'a>,
    #[serde(borrow, default)]
    content: Loose<'a>,
    #[serde(borrow, default)]
    created_at: Loose<'a>,
    #[serde(borrow, default)]
    updated_at: Loose<'a>,
    #[serde(borrow, default)]
    deleted_at: Loose<'a>,
    #[serde(borrow, default)]
    expiration_date: Loose<'a>,
    #[serde(borrow, default)]
    user_id: Loose<'a>,
    #[serde(borrow, default)]
    agent_id: Loose<'a>,
    #[serde(borrow, default)]
    run_id: Loose<'a>,
    #[serde(borrow, default)]
    app_id: Loose<'a>,
    #[serde(borrow, default)]
    app: Loose<'a>,
    #[serde(borrow, default)]
    actor_id: Loose<'a>,
    #[serde(borrow, default)]
    role: Loose<'a>,
    #[serde(borrow, default)]
    state: Loose<'a>,
    #[serde(borrow, default)]
    immutable: Loose<'a>,
    #[serde(borrow, default)]
    categories: Option<&'a RawValue>,
    #[serde(borrow, default)]
    category_ids: Option<Items<'a>>,
    #[serde(borrow, default)]
    metadata: Option<&'a RawValue>,
}

/// Reads an API response or a backup.
fn read(input: &mut dyn BufRead, _: &Site<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut walk = Walk::new(input, LISTS);
    let mut groups = Regroup::default();
    let mut stand_ins = StandIns::default();
    let mut last: Option<When> = None;
    let mut names = Names::default();
    while let Some(step) = walk.next()? {
        match step {
            // In a backup, these precede the memories that refer to them.
            Step::Value("user" | "apps[]" | "categories[]", bytes) => names.take(bytes),
            Step::Value("[]" | "results[]" | "memories[]", bytes) => {
                let mut mended = String::new();
                let found = record::<Record<'_>>(bytes, &mut mended)
                    .filter(|_| bytes.starts_with(b"{"))
                    .ok_or(SkipReason::Malformed)
                    .and_then(|record| memory(&record, &names, &mut stand_ins, last, out));
                match found {
                    Ok(memory) => {
                        last = Some(memory.time);
                        groups.take(PROGRAM.message(memory), out)?;
                    }
                    Err(reason) => out.skip_bytes(reason, bytes),
                }
            }
            Step::Value("relations[]", bytes) => out.skip_bytes(SkipReason::NotAMessage, bytes),
            Step::TooLarge(_, head) => out.skip_bytes(SkipReason::TooLarge, head),
            Step::Value(..) | Step::Begin(_) | Step::End(_) => {}
        }
        out.progress(walk.bytes_done())?;
    }
    Ok(groups.flush(out)?)
}

fn memory(
    record: &Record<'_>,
    names: &Names,
    stand_ins: &mut StandIns,
    last: Option<When>,
    out: &Out<'_>,
) -> Result<Memory, SkipReason> {
    if record.state.text() == Some(DELETED) || record.deleted_at.id().is_some() {
        return Err(SkipReason::Deleted);
    }
    if record.expiration_date.id().is_some() {
        return Err(SkipReason::Disappearing);
    }
    let ((Loose::Text(text), _) | (Loose::Nothing, Loose::Text(text))) = (&record.memory, &record.content) else {
        return Err(SkipReason::MissingField);
    };
    if text.trim().is_empty() {
        return Err(SkipReason::Empty);
    }
    let (conversation, title) = whose(record, names);
    let zone = out.options.zone;
    let inferred = || (last.map_or(out.options.file_time, |(time, _)| time), TimeCertainty::Inferred);
    let written = time_of(&record.created_at, zone);
    let mut metadata = Metadata::new();
    if let Some(changed) = record.updated_at.text().filter(|changed| record.created_at.text() != Some(changed)) {
        metadata.insert("edited_at".to_owned(), changed.into());
    }
    let kept = [&record.agent_id, &record.run_id, &record.app_id, &record.app, &record.actor_id, &record.role, &record.state];
    for (name, value) in KEPT.iter().zip(kept) {
        if let Some(value) = value.id() {
            metadata.insert((*name).to_owned(), names.of(&value).into());
        }
    }
    if record.immutable.is_true() {
        metadata.insert("immutable".to_owned(), true.into());
    }
    if let Some(categories) = record.categories.filter(|raw| !Items::of(Some(raw)).0.is_empty()) {
        metadata.insert("categories".to_owned(), small_value(categories));
    }
    let categories = record.category_ids.iter().flat_map(|ids| &ids.0).filter_map(|raw| parse_mending::<String>(raw.get()));
    let categories: Vec<String> = categories.map(|id| names.of(&id).to_owned()).collect();
    if !categories.is_empty() {
        metadata.insert("categories".to_owned(), categories.into());
    }
    let more = small_object(record.metadata);
    if !more.is_empty() {
        metadata.insert("metadata".to_owned(), more.into());
    }
    let id = match record.id.id() {
        Some(id) => id.into_owned(),
        None => stand_ins.next(&conversation, record.created_at.text().unwrap_or_default(), PROGRAM.name, text),
    };
    let text = text.as_ref().to_owned();
    Ok(Memory { conversation, title, id, time: written.unwrap_or_else(inferred), text, metadata })
}

/// The names of a backup's user, programs and categories by their ids.
#[derive(Default)]
struct Names(HashMap<String, String>);

#[derive(Deserialize)]
struct Named<'a> {
    #[serde(borrow, default)]
    id: Loose<'a>,
    #[serde(borrow, default)]
    user_id: Loose<'a>,
    #[serde(borrow, default)]
    name: Loose<'a>,
}

impl Names {
    fn take(&mut self, bytes: &[u8]) {
        let mut mended = String::new();
        let Some(named) = record::<Named<'_>>(bytes, &mut mended).filter(|_| bytes.starts_with(b"{")) else { return };
        if let (Some(id), Some(name)) = (named.id.id(), named.user_id.id().or(named.name.id()))
            && self.0.len() < NAMES_MAX
        {
            self.0.insert(id.into_owned(), name.into_owned());
        }
    }

    fn of<'n>(&'n self, id: &'n str) -> &'n str {
        self.0.get(id).map_or(id, String::as_str)
    }
}

/// The id and title of the conversation for a memory. Both say whose memory it is.
fn whose(record: &Record<'_>, names: &Names) -> (String, String) {
    let ids = [("user", &record.user_id), ("agent", &record.agent_id), ("run", &record.run_id), ("app", &record.app_id)];
    let found = ids.into_iter().find_map(|(what, id)| Some((what, id.id()?)));
    match found {
        Some((what, id)) => {
            let name = names.of(&id);
            (format!("{what}/{name}"), format!("What mem0 remembered of {name}"))
        }
        None => (ALL.to_owned(), "What mem0 remembered".to_owned()),
    }
}

fn time_of(value: &Loose<'_>, zone: Zone) -> Option<When> {
    match value {
        Loose::Text(text) => moment(text, zone),
        value => Some((from_unix(value.number()?)?, TimeCertainty::Exact)),
    }
}

/// Whether a database is a history of memories.
fn claims_history(tables: &Tables) -> bool {
    tables.has("history", &["id", "memory_id", "old_memory", "new_memory", "event", "created_at", "is_deleted"])
}

/// A row of the history.
struct Change {
    id: String,
    text: Option<String>,
    event: String,
    time: Option<String>,
}

/// Reads the history. Each memory counts in its final state: it is emitted with its last text, or skipped as deleted.
fn read_history(database: &Connection, out: &mut Out<'_>) -> Result<(), Halt> {
    // The rows of each memory are consecutive, in the order in which they were written.
    let mut statement =
        database.prepare("SELECT memory_id, new_memory, event, created_at, updated_at FROM history ORDER BY memory_id, rowid")?;
    let mut rows = statement.query([])?;
    let mut groups = Regroup::default();
    let mut before: Vec<Change> = Vec::new();
    while let Some(row) = rows.next()? {
        let text = database::text(row, 1);
        let (Some(id), Some(event)) = (database::text(row, 0).filter(|id| !id.is_empty()), database::text(row, 2)) else {
            out.skip(SkipReason::MissingField, text.as_deref().unwrap_or("history"));
            continue;
        };
        let change = Change { id, text, event, time: database::text(row, 4).or_else(|| database::text(row, 3)) };
        if before.last().is_some_and(|last| last.id != change.id) {
            settle(&mut before, &mut groups, out)?;
        }
        // Only the first and last change of a memory are used; those in between are only counted.
        if before.len() == 2 {
            let passed = before.pop();
            out.skip(SkipReason::Repeated, passed.and_then(|passed| passed.text).as_deref().unwrap_or_default());
        }
        before.push(change);
    }
    settle(&mut before, &mut groups, out)?;
    groups.flush(out)?;
    // A copy of the last ten messages of each session, from which mem0 makes memories.
    if let Ok(mut statement) = database.prepare("SELECT content FROM messages") {
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            out.skip(SkipReason::NotAMessage, database::text(row, 0).as_deref().unwrap_or_default());
        }
    }
    Ok(())
}

/// Emits a memory from its first and last change.
fn settle(changes: &mut Vec<Change>, groups: &mut Regroup, out: &mut Out<'_>) -> Result<(), Halt> {
    let Some(last) = changes.pop() else { return Ok(()) };
    let first = changes.pop();
    if let Some(first) = &first {
        out.skip(SkipReason::Repeated, first.text.as_deref().unwrap_or_default());
    }
    let text = last.text.unwrap_or_default();
    if last.event.eq_ignore_ascii_case("delete") {
        out.skip(SkipReason::Deleted, &last.id);
        return Ok(());
    }
    if text.trim().is_empty() {
        out.skip(SkipReason::Empty, &last.id);
        return Ok(());
    }
    let zone = out.options.zone;
    let written = first.as_ref().map_or(&last.time, |first| &first.time);
    let time = written.as_deref().and_then(|written| moment(written, zone));
    let mut metadata = Metadata::new();
    if let Some(changed) = last.time.filter(|_| first.is_some()) {
        metadata.insert("edited_at".to_owned(), changed.into());
    }
    let memory = Memory {
        conversation: ALL.to_owned(),
        title: "What mem0 remembered".to_owned(),
        id: last.id,
        time: time.unwrap_or((out.options.file_time, TimeCertainty::Inferred)),
        text,
        metadata,
    };
    Ok(groups.take(PROGRAM.message(memory), out)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memories_are_known_by_several_keys_and_other_lists_are_not() {
        for (json, expect) in [
            (r#"[{"id":"m","memory":"x","user_id":"ana","created_at":"2026-01-01"}]"#, true),
            (r#"{"results":[{"id":"m","memory":"x","hash":"h","created_at":null}],"relations":[]}"#, true),
            (r#"{"count":1,"next":null,"results":[{"id":"m","memory":"x","created_at":"","categories":[],"owner":"o"}]}"#, true),
            (r#"[{"id":1,"memory":"16 GB","cpu":"8 cores","created_at":"2026-01-01"}]"#, false),
            (r#"{"results":[{"id":1,"title":"memory","user_id":"ana","created_at":"2026-01-01"}]}"#, false),
            (r#"{"memories":[{"id":"m","content":"x","updated_at":"2026-01-01"}],"memory_max_tokens":1}"#, false),
        ] {
            assert_eq!(claims(&Head::of(json.as_bytes())), expect, "{json}");
        }
    }
}
