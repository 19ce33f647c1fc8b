//! Jan threads: one folder per thread, with `thread.json` and `messages.jsonl`.
//!
//! Messages are a plain list until one is edited or answered again; from then on each message names its parent, and the thread
//! and its messages name the branch that is shown. For formats and pitfalls, see docs/formats.md, "Jan".

mod message;

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, Read as _};

use keepsake_domain::SourceKind;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::SkipReason;
use crate::conversation::Program;
use crate::files::Files;
use crate::format::{Check, Format, Input};
use crate::halt::Halt;
use crate::identity::{StandIns, digest};
use crate::json::{Items, Loose, object, record, whole};
use crate::limits::ELEMENT_BYTES_MAX;
use crate::lines::each_record;
use crate::out::Out;
use crate::time::from_unix;
use crate::turns::{Shown, Talk, Turns};
use message::{Link, Linked, RawMessage};

/// The format.
pub(crate) const FORMAT: Format =
    Format { kind: SourceKind::Jan, names_owner: true, input: Input::Files { claims, json: Check::Json, read } };

const PROGRAM: Program = Program { kind: SourceKind::Jan, name: "Jan", handle: "jan" };

/// The files of a thread.
const THREAD: &str = "thread.json";
const MESSAGES: &str = "messages.jsonl";

/// The folder of all threads in Jan's data folder.
const THREADS: &str = "threads";

/// The folder and the name of a file.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// The files of all threads, found in the data folder, in the folder of all threads, or in the folder of a single thread.
fn claims(paths: &[&str]) -> Vec<usize> {
    let mut folders: BTreeMap<&str, Vec<(usize, &str)>> = BTreeMap::new();
    for (at, path) in paths.iter().enumerate() {
        let (folder, name) = split(path);
        let is_data = split(folder).0 == THREADS;
        if matches!(name, THREAD | MESSAGES) && (is_data || !folder.contains('/')) {
            folders.entry(folder).or_default().push((at, name));
        }
    }
    if !folders.values().any(|files| files.len() == 2) {
        return Vec::new();
    }
    // A thread in which nothing has been said has no file of messages. It is recognized only in the folder of all threads.
    folders.retain(|folder, files| files.len() == 2 || split(folder).0 == THREADS);
    let mut claimed: Vec<usize> = folders.into_values().flatten().map(|(at, _)| at).collect();
    claimed.sort_unstable();
    claimed
}

#[derive(Deserialize, Default)]
struct RawThread<'a> {
    #[serde(borrow, default)]
    id: Loose<'a>,
    #[serde(borrow, default)]
    title: Loose<'a>,
    #[serde(borrow, default)]
    created: Loose<'a>,
    #[serde(borrow, default)]
    assistants: Option<&'a RawValue>,
    #[serde(borrow, default)]
    metadata: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Assistant<'a> {
    #[serde(borrow, default)]
    assistant_name: Loose<'a>,
    #[serde(borrow, default)]
    name: Loose<'a>,
    #[serde(borrow, default)]
    instructions: Loose<'a>,
}

#[derive(Deserialize)]
struct ThreadMetadata<'a> {
    #[serde(borrow, default)]
    title: Loose<'a>,
    #[serde(borrow, default, rename = "activeRootId")]
    root: Loose<'a>,
    #[serde(borrow, default)]
    project: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Project<'a> {
    #[serde(borrow, default)]
    id: Loose<'a>,
}

/// The contents of `thread.json`.
#[derive(Default)]
struct Thread {
    id: Option<String>,
    title: Option<String>,
    created: Option<f64>,
    assistant: Option<String>,
    instructions: Option<String>,
    root: Option<String>,
    project: Option<String>,
}

fn read(files: &mut Files<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let paths = files.paths();
    let mut folders: Vec<&str> = paths.iter().map(|path| split(path).0).collect();
    folders.dedup();
    for folder in folders {
        let path = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        let thread = files.read(&path(THREAD), |input| thread_of(input, out))?.unwrap_or_default();
        let messages = files.read(&path(MESSAGES), |input| messages_of(input, &thread, out))?;
        tell(thread, folder, messages.unwrap_or_default(), out)?;
        out.progress(files.bytes_done())?;
    }
    Ok(())
}

fn thread_of(input: &mut dyn BufRead, out: &mut Out<'_>) -> Result<Thread, Halt> {
    let mut bytes = Vec::new();
    input.take(ELEMENT_BYTES_MAX as u64).read_to_end(&mut bytes)?;
    let mut mended = String::new();
    let bytes = bytes.trim_ascii();
    let Some(raw) = record::<RawThread<'_>>(bytes, &mut mended).filter(|_| bytes.starts_with(b"{")) else {
        // The messages can be read without this file.
        out.skip_bytes(SkipReason::NotAMessage, bytes);
        return Ok(Thread::default());
    };
    let assistants = Items::of(raw.assistants).0;
    let mut mended = String::new();
    let assistant = assistants.first().and_then(|raw| whole::<Assistant<'_>>(raw, &mut mended));
    let mut mended = String::new();
    let metadata = raw.metadata.and_then(|raw| whole::<ThreadMetadata<'_>>(raw, &mut mended));
    let owned = |text: &Loose<'_>| text.text().map(str::to_owned);
    Ok(Thread {
        id: raw.id.id().map(|id| id.into_owned()),
        title: owned(&raw.title).or_else(|| owned(&metadata.as_ref()?.title)),
        created: raw.created.number(),
        assistant: assistant.as_ref().and_then(|found| owned(&found.name).or_else(|| owned(&found.assistant_name))),
        instructions: assistant.as_ref().and_then(|found| owned(&found.instructions)),
        root: metadata.as_ref().and_then(|metadata| owned(&metadata.root)),
        project: metadata
            .and_then(|metadata| object::<Project<'_>>(metadata.project?))
            .and_then(|project| project.id.id().map(|id| id.into_owned())),
    })
}

/// The messages of a thread.
#[derive(Default)]
struct Messages {
    linked: Vec<Linked>,
    /// The thread id given in the messages.
    thread: Option<String>,
    has_any: bool,
}

fn messages_of(input: &mut dyn BufRead, thread: &Thread, out: &mut Out<'_>) -> Result<Messages, Halt> {
    let mut messages = Messages::default();
    let mut stand_ins = StandIns::default();
    let mut bytes_held = 0;
    each_record(input, out, |bytes, out| {
        messages.has_any = true;
        let mut mended = String::new();
        let Some(raw) = record::<RawMessage<'_>>(bytes, &mut mended).filter(|_| bytes.starts_with(b"{")) else {
            out.skip_bytes(SkipReason::Malformed, bytes);
            return Ok(());
        };
        if messages.thread.is_none() {
            messages.thread = raw.thread_id.id().map(|id| id.into_owned());
        }
        let Some(linked) = raw.linked(thread.assistant.as_deref(), &mut stand_ins, out) else { return Ok(()) };
        bytes_held += linked.weight();
        if bytes_held > crate::limits::REGROUP_BYTES_MAX {
            out.skip_bytes(SkipReason::TooLarge, bytes);
        } else {
            messages.linked.push(linked);
        }
        Ok(())
    })?;
    Ok(messages)
}

fn tell(thread: Thread, folder: &str, mut messages: Messages, out: &mut Out<'_>) -> Result<(), Halt> {
    if !messages.has_any {
        out.skip(SkipReason::NoMessages, thread.title.as_deref().unwrap_or(folder));
        return Ok(());
    }
    let begun = thread.created.and_then(from_unix);
    let is_tree = messages.linked.iter().any(|linked| linked.link != Link::Unknown);
    let shown = if is_tree {
        attach(&mut messages.linked);
        Shown::PathTo(active_leaf(&messages.linked, thread.root.as_deref()))
    } else {
        Shown::Unmarked
    };
    let mut turns = Turns::default();
    turns.instruct("instructions", thread.instructions.as_deref(), begun, out);
    for linked in messages.linked {
        turns.push(linked.turn, out);
    }
    let name = split(folder).1;
    let talk = Talk {
        program: &PROGRAM,
        id: thread.id.or(messages.thread).unwrap_or_else(|| format!("h-{}", digest(&[name]))),
        title: thread.title,
        channel_id: thread.project,
        is_private: false,
        begun,
        shown,
    };
    talk.tell(turns, out)
}

/// Gives each message of a tree its parent. Some versions of Jan wrote answers without a parent; the parent of such an answer
/// is the prompt before it. The answer then becomes the parent of the next prompt, which names the earlier prompt instead.
fn attach(linked: &mut [Linked]) {
    let mut displaced: HashMap<String, String> = HashMap::new();
    let mut previous: Option<(String, bool)> = None;
    let mut prompt: Option<String> = None;
    for one in linked.iter_mut() {
        let id = one.turn.id.clone();
        let parent = match &one.link {
            Link::Parent(parent) if one.is_answer => Some(parent.clone()),
            Link::Parent(parent) => Some(displaced.remove(parent).unwrap_or_else(|| parent.clone())),
            Link::Root if !one.is_answer => None,
            Link::Root | Link::Unknown if one.is_answer => {
                if let Some(prompt) = &prompt {
                    displaced.insert(prompt.clone(), id.clone());
                }
                prompt.clone()
            }
            Link::Root | Link::Unknown => previous.as_ref().map(|(id, _)| id.clone()),
        };
        one.turn.parent = parent;
        if !one.is_answer {
            prompt = Some(id.clone());
        }
        previous = Some((id, one.is_answer));
    }
}

/// The last message of the branch that is shown.
fn active_leaf(linked: &[Linked], root: Option<&str>) -> Option<String> {
    let mut children: HashMap<Option<&str>, Vec<&Linked>> = HashMap::new();
    for one in linked {
        children.entry(one.turn.parent.as_deref()).or_default().push(one);
    }
    // Of several versions, the chosen one is shown, or else the newest.
    let choose = |parent: Option<&str>, chosen: Option<&str>| {
        let versions = children.get(&parent)?;
        let chosen = versions.iter().find(|one| chosen == Some(one.turn.id.as_str()));
        chosen.or_else(|| versions.iter().max_by_key(|one| one.turn.time.map(|(time, _)| time))).copied()
    };
    let mut now = choose(None, root)?;
    // If there is a cycle, stop after as many steps as there are messages.
    for _ in 0..linked.len() {
        match choose(Some(&now.turn.id), now.chosen.as_deref()) {
            Some(next) => now = next,
            None => break,
        }
    }
    Some(now.turn.id.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_files_of_threads_are_claimed() {
        let check = |paths: &[&str], expect: &[usize]| assert_eq!(claims(paths), expect, "{paths:?}");
        check(&["messages.jsonl", "thread.json"], &[0, 1]);
        check(&["a/messages.jsonl", "a/thread.json", "b/thread.json", "notes.txt"], &[0, 1]);
        check(&["threads/a/messages.jsonl", "threads/a/thread.json", "threads/b/thread.json"], &[0, 1, 2]);
        check(&["messages.jsonl"], &[]);
        check(&["a/messages.jsonl", "b/thread.json"], &[]);
        check(&["x/threads/a/messages.jsonl", "x/threads/a/thread.json"], &[]);
        check(&["a/b/messages.jsonl", "a/b/thread.json"], &[]);
    }
}
