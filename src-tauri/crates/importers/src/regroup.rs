//! Groups messages by conversation for files that interleave conversations, with bounded memory.

use std::collections::HashMap;

use keepsake_domain::{Message, MessageType, Role, SourceKind};

use crate::Stop;
use crate::limits::{NAMES_MAX, REGROUP_BYTES_MAX};
use crate::out::Out;

/// Messages held back, grouped by conversation in order of first appearance.
#[derive(Default)]
pub(crate) struct Regroup {
    groups: Vec<Vec<Message>>,
    index: HashMap<String, usize>,
    bytes: usize,
    titles: HashMap<String, String>,
}

impl Regroup {
    /// Takes one message. Emits all held messages if they exceed the memory limit.
    pub(crate) fn take(&mut self, message: Message, out: &mut Out<'_>) -> Result<(), Stop> {
        self.bytes += weight(&message);
        let group = match self.index.get(&message.source.conversation) {
            Some(group) => *group,
            None => {
                self.index.insert(message.source.conversation.clone(), self.groups.len());
                self.groups.push(Vec::new());
                self.groups.len() - 1
            }
        };
        self.groups[group].push(message);
        if self.bytes > REGROUP_BYTES_MAX { self.flush(out) } else { Ok(()) }
    }

    /// Sets the title for all held and future messages of `conversation`.
    pub(crate) fn set_title(&mut self, conversation: &str, title: &str) {
        if self.titles.len() < NAMES_MAX {
            self.titles.insert(conversation.to_owned(), title.to_owned());
        }
    }

    /// Emits all held messages, conversation by conversation, each in time order.
    pub(crate) fn flush(&mut self, out: &mut Out<'_>) -> Result<(), Stop> {
        self.index.clear();
        self.bytes = 0;
        for mut group in std::mem::take(&mut self.groups) {
            // The sort is stable, so messages with equal times keep their file order.
            group.sort_by_key(|message| message.time);
            self.title_by_first_words(&group);
            for mut message in group {
                if message.conversation_title.is_none() {
                    message.conversation_title = self.titles.get(&message.source.conversation).cloned();
                }
                out.message(message)?;
            }
        }
        Ok(())
    }
}

/// Maximum length of a title made from a session's first words.
const TITLE_CHARS_MAX: usize = 60;

impl Regroup {
    /// Uses the first words of a session as its title, because terminal programs rarely name their sessions. These are the
    /// person's first prompt, or the task if another program started the session.
    fn title_by_first_words(&mut self, group: &[Message]) {
        let Some(first) = group.first() else { return };
        let is_terminal = matches!(first.source.kind, SourceKind::ClaudeCode | SourceKind::CodexCli | SourceKind::GeminiCli);
        if !is_terminal || first.conversation_title.is_some() || self.titles.contains_key(&first.source.conversation) {
            return;
        }
        let said = |role, kind| group.iter().filter(move |message| message.author.role == role && message.message_type == kind);
        let asked = said(Role::Owner, MessageType::Text).chain(said(Role::Assistant, MessageType::Instruction));
        let mut lines = asked.flat_map(|message| message.text.lines()).map(str::trim);
        if let Some(words) = lines.find(|line| !line.is_empty()) {
            self.set_title(&first.source.conversation.clone(), &shortened(words));
        }
    }
}

/// A line shortened at a word boundary.
fn shortened(line: &str) -> String {
    if line.chars().count() <= TITLE_CHARS_MAX {
        return line.to_owned();
    }
    let cut: String = line.chars().take(TITLE_CHARS_MAX).collect();
    let whole = cut.rsplit_once(char::is_whitespace).map_or(cut.as_str(), |(whole, _)| whole);
    format!("{}…", whole.trim_end())
}

/// The approximate memory use of a message in bytes. Each metadata entry includes its map slot.
pub(crate) fn weight(message: &Message) -> usize {
    let metadata: usize = message.metadata.iter().map(|(key, value)| 150 + key.len() + value_weight(value)).sum();
    1000 + message.text.len() + metadata
}

fn value_weight(value: &serde_json::Value) -> usize {
    match value {
        serde_json::Value::String(text) => text.len(),
        serde_json::Value::Array(items) => items.iter().map(|item| 40 + value_weight(item)).sum(),
        serde_json::Value::Object(map) => map.iter().map(|(key, item)| 150 + key.len() + value_weight(item)).sum(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn a_title_ends_behind_a_word() {
        assert_eq!(shortened("Why does the build fail?"), "Why does the build fail?");
        let long = "Please look at the parser and tell me why it drops the last line of every file";
        assert_eq!(shortened(long), "Please look at the parser and tell me why it drops the last…");
        assert_eq!(shortened(&"ä".repeat(70)), format!("{}…", "ä".repeat(60)));
    }
}
