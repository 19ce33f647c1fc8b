//! Brings the messages of one conversation together where a file interleaves conversations, within bounded memory.

use std::collections::HashMap;

use keepsake_domain::Message;

use crate::Stop;
use crate::limits::{NAMES_MAX, REGROUP_BYTES_MAX};
use crate::out::Out;

/// Messages held back, by conversation in order of first appearance.
#[derive(Default)]
pub(crate) struct Regroup {
    groups: Vec<Vec<Message>>,
    index: HashMap<String, usize>,
    bytes: usize,
    titles: HashMap<String, String>,
}

impl Regroup {
    /// Takes one message; hands out everything once too much is held.
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

    /// Gives the messages of `conversation` that are still held, and later ones, a title.
    pub(crate) fn set_title(&mut self, conversation: &str, title: &str) {
        if self.titles.len() < NAMES_MAX {
            self.titles.insert(conversation.to_owned(), title.to_owned());
        }
    }

    /// Hands out everything: conversation by conversation, each in time order.
    pub(crate) fn flush(&mut self, out: &mut Out<'_>) -> Result<(), Stop> {
        self.index.clear();
        self.bytes = 0;
        for mut group in std::mem::take(&mut self.groups) {
            // Stable: equal times keep the order of the file.
            group.sort_by_key(|message| message.time);
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

/// What a message takes in memory, roughly; a metadata entry is counted with its map slot.
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
