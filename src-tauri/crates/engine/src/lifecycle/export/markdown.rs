//! Notes for reading: one file per conversation, memory, person and topic, with front matter and links between them.
//!
//! Text that people wrote stays plain text. When a note is opened, it must not become a link, an embedded image that is
//! fetched, hidden text, or markup. File names come from [`super::names`].

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use keepsake_domain::{ConversationId, EntityId, MessageType, Role, Subject, Timestamp};
use keepsake_prompt::visible;
use keepsake_store::{ConversationFilter, ConversationRow, InteractionRow, MemoryFilter, MemorySort, ReadTx, StoreError};

use super::names::{Names, safe};
use crate::derive::profiles::current_profiles;
use crate::queue::control::Control;
use crate::review::retractions::TakenBack;
use crate::serve::boundary::told_rows;
use crate::system::rfc3339;

type Result<T> = std::result::Result<T, StoreError>;

/// Number of rows fetched at once. Rows are written one by one, and a page of rows needs little memory.
const PAGE: u32 = 200;

/// Maximum number of people named in the note of a conversation.
const PARTICIPANTS: u32 = 50;

/// Names of the folders.
const CONVERSATIONS: &str = "Conversations";
const MEMORIES: &str = "Memories";
const PEOPLE: &str = "People";
const TOPICS: &str = "Topics";

/// State shared by all notes of an export.
struct Notes<'t> {
    tx: &'t ReadTx<'t>,
    folder: PathBuf,
    control: &'t dyn Control,
    conversations: HashMap<ConversationId, String>,
    people: HashMap<EntityId, String>,
    /// File names of notes about people by display name; `None` if several people have the same name.
    by_name: BTreeMap<String, Option<String>>,
    written: u64,
}

/// Writes all notes into `folder` and returns how many there are.
pub(super) fn write(tx: &ReadTx<'_>, folder: &Path, control: &dyn Control) -> Result<u64> {
    let mut notes = Notes {
        tx,
        folder: folder.to_owned(),
        control,
        conversations: HashMap::new(),
        people: HashMap::new(),
        by_name: BTreeMap::new(),
        written: 0,
    };
    for name in [CONVERSATIONS, MEMORIES, PEOPLE, TOPICS] {
        std::fs::create_dir_all(folder.join(name)).map_err(failed)?;
    }
    notes.name_all()?;
    notes.conversations()?;
    notes.memories()?;
    notes.people()?;
    notes.topics()?;
    notes.index()?;
    Ok(notes.written)
}

fn failed(error: std::io::Error) -> StoreError {
    StoreError::Io { what: "a note of the export cannot be written".to_owned(), error }
}

/// Quotes text for the front matter, without hidden characters. JSON quoting is valid in YAML.
fn quoted(text: &str) -> String {
    serde_json::Value::from(visible(text)).to_string()
}

fn link(folder: &str, name: &str, shown: &str) -> String {
    let shown = safe(shown);
    if shown == name { format!("[[{folder}/{name}]]") } else { format!("[[{folder}/{name}|{shown}]]") }
}

fn day(time: Timestamp) -> String {
    rfc3339(time).chars().take(10).collect()
}

/// Escapes every character that has a special meaning in a note. Inside a code block, only the fence has a special meaning.
fn plain(text: &str) -> String {
    let text = visible(text);
    let mut out = String::with_capacity(text.len() + 16);
    let mut fence: Option<String> = None;
    for line in text.lines() {
        let head = line.trim_start();
        let mark: String = head.chars().take_while(|c| *c == '`' || *c == '~').collect();
        let is_fence = mark.len() >= 3 && mark.chars().all(|c| mark.starts_with(c));
        match &fence {
            Some(open) if is_fence && mark.starts_with(open.as_str()) && head.trim_end() == mark => {
                fence = None;
                out.push_str(line);
            }
            Some(_) => out.push_str(line),
            None if is_fence && !head[mark.len()..].contains('`') => {
                fence = Some(mark);
                // Leave out the word after a fence: it names a language, and note apps run some languages as programs.
                out.push_str(&line[..line.len() - head.len()]);
                out.push_str(&head.chars().take_while(|c| *c == '`' || *c == '~').collect::<String>());
            }
            None => escape(line, &mut out),
        }
        out.push('\n');
    }
    if let Some(open) = fence {
        out.push_str(&open);
        out.push('\n');
    }
    out
}

fn escape(line: &str, out: &mut String) {
    let mut before = '\n';
    for (at, c) in line.char_indices() {
        let next = line[at + c.len_utf8()..].chars().next();
        let is_special = match c {
            '<' | '[' | '!' if c == '<' || next == Some('[') || c == '[' => true,
            '%' | '=' => next == Some(c) || before == c,
            '#' => !before.is_alphanumeric(),
            '`' | '$' | '\\' | '^' => true,
            '-' | '*' | '+' | '_' | '>' | '|' => before == '\n' && line.trim_start().starts_with(c),
            _ => false,
        };
        if is_special {
            out.push('\\');
        }
        out.push(c);
        before = c;
    }
}

/// Escapes text and puts it on one line.
fn one_line(text: &str) -> String {
    plain(&text.split_whitespace().collect::<Vec<_>>().join(" ")).trim_end().to_owned()
}

impl Notes<'_> {
    fn file(&mut self, folder: &str, name: &str, content: &str) -> Result<()> {
        let mut out = std::fs::File::create(self.folder.join(folder).join(format!("{name}.md"))).map_err(failed)?;
        out.write_all(content.as_bytes()).map_err(failed)?;
        self.count()
    }

    fn count(&mut self) -> Result<()> {
        self.written += 1;
        self.control.progress("writing notes", self.written, 0);
        if self.control.is_cancelled() { Err(StoreError::Stopped) } else { Ok(()) }
    }

    fn each_conversation(&self, mut take: impl FnMut(ConversationRow) -> Result<()>) -> Result<()> {
        let mut offset = 0;
        loop {
            let (_, page) = self.tx.log().conversations(&ConversationFilter::default(), offset, PAGE)?;
            if page.is_empty() {
                return Ok(());
            }
            offset += page.len() as u32;
            for row in page {
                take(row)?;
            }
        }
    }

    /// Assigns a name to everything that can be linked to, before the first note is written.
    fn name_all(&mut self) -> Result<()> {
        let mut names = Names::default();
        let mut named = HashMap::new();
        self.each_conversation(|row| {
            let title = row.title.as_deref().map(str::trim).filter(|title| !title.is_empty()).unwrap_or(&row.channel_type);
            named.insert(row.id.clone(), names.take(&format!("{} {}", day(row.first), title)));
            Ok(())
        })?;
        self.conversations = named;
        let persons = self.tx.people().persons()?;
        let mut names = Names::default();
        for handle in self.tx.people().handles()?.into_iter().filter(|row| !row.is_unnamed) {
            let person = persons.of(&handle.entity_id);
            let name = self.people.entry(person).or_insert_with(|| names.take(&handle.display_name)).clone();
            let known = self.by_name.entry(handle.display_name.clone()).or_insert_with(|| Some(name.clone()));
            if known.as_ref() != Some(&name) {
                *known = None;
            }
        }
        Ok(())
    }

    /// A person's name, as a link if only one person has that name.
    fn person(&self, name: &str) -> String {
        match self.by_name.get(name) {
            Some(Some(note)) => link(PEOPLE, note, name),
            _ => one_line(name),
        }
    }

    fn conversation_link(&self, id: &ConversationId) -> String {
        self.conversations.get(id).map_or_else(String::new, |name| link(CONVERSATIONS, name, name))
    }

    fn conversations(&mut self) -> Result<()> {
        let mut rows = Vec::new();
        self.each_conversation(|row| {
            rows.push(row.id);
            Ok(())
        })?;
        for id in rows {
            let row = self.tx.log().conversation(&id)?;
            let Some(name) = self.conversations.get(&id).cloned() else { continue };
            let people = self.tx.log().participants(&id, PARTICIPANTS)?;
            let mut out = std::io::BufWriter::new(
                std::fs::File::create(self.folder.join(CONVERSATIONS).join(format!("{name}.md"))).map_err(failed)?,
            );
            out.write_all(self.conversation_head(&row, &people).as_bytes()).map_err(failed)?;
            for message in self.tx.log().conversation_interactions(&id)? {
                out.write_all(said(&message).as_bytes()).map_err(failed)?;
            }
            out.flush().map_err(failed)?;
            self.count()?;
        }
        Ok(())
    }

    fn conversation_head(&self, row: &ConversationRow, people: &[String]) -> String {
        let mut out = String::from("---\n");
        let title = row.title.as_deref().unwrap_or(&row.channel_type);
        let _ = writeln!(out, "id: {}", quoted(row.id.as_str()));
        let _ = writeln!(out, "title: {}", quoted(title));
        let _ = writeln!(out, "channel: {}", quoted(&row.channel_type));
        let _ = writeln!(out, "visibility: {}", row.visibility);
        let _ = writeln!(out, "kept_out_of_memory: {}", row.is_private);
        let _ = writeln!(out, "source: {}", quoted(&format!("{} {}", row.source_kind, row.source_conversation)));
        let _ = writeln!(out, "first: {}\nlast: {}\nmessages: {}", rfc3339(row.first), rfc3339(row.last), row.messages);
        let linked: Vec<String> = people.iter().map(|name| quoted(&self.person(name))).collect();
        let _ = writeln!(out, "people: [{}]\n---\n\n# {}\n", linked.join(", "), one_line(title));
        out
    }

    fn memories(&mut self) -> Result<()> {
        let mut names = Names::default();
        let mut offset = 0;
        loop {
            let (_, page) = self.tx.memories().list(&MemoryFilter::default(), MemorySort::Oldest, offset, PAGE)?;
            if page.is_empty() {
                return Ok(());
            }
            offset += page.len() as u32;
            for row in page {
                let memory = &row.memory;
                let mut out = String::from("---\n");
                let subject = match &memory.subject {
                    Subject::Owner => "you".to_owned(),
                    Subject::Person(speaker) => self.person(speaker.name()),
                };
                let _ = writeln!(out, "id: {}\nstatus: {}\nkind: {}", quoted(memory.id.as_str()), memory.status, memory.kind);
                let _ = writeln!(out, "category: {}\nabout: {}", memory.category, quoted(&subject));
                let _ = writeln!(out, "confidence: {:.2}\nvisibility: {}", memory.confidence.get(), memory.visibility);
                let _ = writeln!(out, "rests_on_private: {}\nsaid: {}", row.rests_on_private, rfc3339(memory.said));
                let _ = writeln!(out, "---\n\n{}\n{}", plain(&memory.content), plain(&memory.reasoning));
                for evidence in self.tx.memories().evidence(&memory.id)? {
                    let Some(message) = self.tx.log().interaction(&evidence.interaction_id)? else { continue };
                    let quote = evidence.span.quote(&message.content).unwrap_or_default();
                    let place = self.conversation_link(&message.conversation_id);
                    let _ = writeln!(
                        out,
                        "> {}\n> — {}, {}, {place}\n",
                        one_line(quote),
                        one_line(&message.author),
                        rfc3339(message.time)
                    );
                }
                let words: String = memory.content.chars().take(60).collect();
                let name = names.take(&words);
                self.file(MEMORIES, &name, &out)?;
            }
        }
    }

    fn people(&mut self) -> Result<()> {
        let persons = self.tx.people().persons()?;
        let groups = persons.groups();
        let mut handles: BTreeMap<EntityId, Vec<keepsake_store::HandleRow>> = BTreeMap::new();
        for handle in self.tx.people().handles()? {
            handles.entry(persons.of(&handle.entity_id)).or_default().push(handle);
        }
        let taken = TakenBack::of_memories(self.tx, None)?;
        for (person, handles) in handles {
            let Some(name) = self.people.get(&person).cloned() else { continue };
            let mut out = String::from("---\n");
            let _ = writeln!(out, "id: {}", quoted(person.as_str()));
            let aliases: Vec<String> = handles.iter().map(|handle| quoted(&handle.display_name)).collect();
            let _ = writeln!(out, "aliases: [{}]\nis_you: {}\n---\n", aliases.join(", "), persons.is_owner(&person));
            for handle in &handles {
                let _ = writeln!(
                    out,
                    "- {}: {} ({} messages)",
                    one_line(&handle.channel_type),
                    one_line(&handle.handle),
                    handle.messages
                );
            }
            let rows = told_rows(self.tx, &persons, &groups, &persons.members(&person))?;
            let current = current_profiles(&rows);
            let is_theirs = |id: &str| handles.iter().any(|handle| handle.id.as_str() == id);
            let rows: Vec<_> = rows.into_iter().filter(|row| !taken.covers_entry(&row.entry, &is_theirs)).collect();
            for row in rows.iter().filter(|row| current.contains(&row.entry.id)) {
                let _ = write!(out, "\n- {}", plain(&row.entry.content).trim_end());
            }
            out.push('\n');
            self.file(PEOPLE, &name, &out)?;
        }
        Ok(())
    }

    fn topics(&mut self) -> Result<()> {
        let mut names = Names::default();
        let taken = TakenBack::read(self.tx, None)?;
        for partition in self.tx.topics().partitions()? {
            let current = self.tx.topics().current_versions(&partition.id)?;
            for topic in self.tx.topics().topics_of(&partition.id)? {
                let Some(version) = current.get(&topic.id) else { continue };
                let title = topic.person_title.as_deref().unwrap_or(&version.title);
                let mut out = String::from("---\n");
                let _ = writeln!(out, "id: {}\ntitle: {}", quoted(topic.id.as_str()), quoted(title));
                let _ = writeln!(
                    out,
                    "messages: {}\nfirst: {}\nlast: {}",
                    version.messages,
                    rfc3339(version.first_at),
                    rfc3339(version.last_at)
                );
                let _ = writeln!(out, "told_everywhere: {}\n---\n\n# {}\n", partition.reach.is_none(), one_line(title));
                for line in taken.lines_left(self.tx, self.tx.topics().lines(&version.id)?)? {
                    let mut places: Vec<String> = Vec::new();
                    for place in [&line.place].into_iter().chain(&line.also) {
                        let Some(message) = self.tx.log().interaction(&place.interaction)? else { continue };
                        let link = self.conversation_link(&message.conversation_id);
                        if !places.contains(&link) {
                            places.push(link);
                        }
                    }
                    let _ = writeln!(out, "- *{}* {} {}", one_line(&line.section), one_line(&line.text), places.join(", "));
                }
                let name = names.take(title);
                self.file(TOPICS, &name, &out)?;
            }
        }
        Ok(())
    }

    fn index(&mut self) -> Result<()> {
        let mut out = String::from("# Keepsake\n\nNotes for reading; changes here are not read back.\n");
        for folder in [CONVERSATIONS, MEMORIES, PEOPLE, TOPICS] {
            let count = std::fs::read_dir(self.folder.join(folder)).map_err(failed)?.count();
            let _ = writeln!(out, "\n- {folder}: {count}");
        }
        self.file(".", "Keepsake", &out)
    }
}

/// A message as written in the note of its conversation.
fn said(message: &InteractionRow) -> String {
    let mut marks = String::new();
    if message.message_type != MessageType::Text {
        let _ = write!(marks, " ({})", message.message_type);
    }
    if message.is_branch {
        marks.push_str(" (branch)");
    }
    let who = match message.role {
        Role::Owner => format!("{} (you)", one_line(&message.author)),
        _ => one_line(&message.author),
    };
    format!("**{who}** · {}{marks}\n\n{}\n", rfc3339(message.time), plain(&message.content))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_wrote_stays_text() {
        for (text, wanted) in [
            ("plain words, with a dash - and 2 * 3", "plain words, with a dash - and 2 * 3\n"),
            ("![x](http://example.invalid/p.png)", "\\!\\[x](http://example.invalid/p.png)\n"),
            ("[[Other note]] and [a](b)", "\\[\\[Other note]] and \\[a](b)\n"),
            ("<img src=x onerror=y>", "\\<img src=x onerror=y>\n"),
            ("%%hidden%%", "\\%\\%hidden\\%\\%\n"),
            ("# a heading and #tag, C# stays", "\\# a heading and \\#tag, C# stays\n"),
            ("---", "\\---\n"),
            ("> quoted", "\\> quoted\n"),
            ("`= this.file`", "\\`= this.file\\`\n"),
            ("```dataviewjs\nalert([1])\n```\n[[x]]", "```\nalert([1])\n```\n\\[\\[x]]\n"),
            ("```\nnever closed", "```\nnever closed\n```\n"),
        ] {
            assert_eq!(plain(text), wanted, "{text:?}");
        }
    }
}
