//! The Markdown file from Cursor's "Export Chat": a title, a line with the time of the export, and the messages, separated by
//! rules.
//!
//! The file has no ids, and its messages have no times. The export time is in the format of the person's country, which cannot
//! be read reliably. A message that contains exactly the lines that separate messages is read as two messages.

use std::io::{BufRead, Read as _};

use super::PROGRAM;
use crate::SkipReason;
use crate::format::{Head, Site};
use crate::halt::Halt;
use crate::identity::{StandIns, digest};
use crate::limits::ELEMENT_BYTES_MAX;
use crate::out::Out;
use crate::turns::{Part, Shown, Speaker, Talk, Turn, Turns};

/// The lines before a message.
const RULE: &str = "---";
const USER: &str = "**User**";
const CURSOR: &str = "**Cursor**";

pub(super) fn claims(head: &Head<'_>) -> bool {
    let text = head.text();
    let mut lines = text.lines();
    let has_title = lines.next().is_some_and(|line| line.starts_with("# "));
    let is_exported = |line: &str| line.starts_with("_Exported on ") && line.contains(" from Cursor (") && line.ends_with(")_");
    has_title && lines.next().is_some_and(|line| is_exported(line.trim_end())) && lines.any(|line| line.trim_end() == USER)
}

pub(super) fn read(input: &mut dyn BufRead, _site: &Site<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut bytes = Vec::new();
    input.take(ELEMENT_BYTES_MAX as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > ELEMENT_BYTES_MAX {
        out.skip_bytes(SkipReason::TooLarge, &bytes);
        return Ok(());
    }
    let text = String::from_utf8_lossy(&bytes);
    let title = text.lines().next().map(|line| line.trim_start_matches("# ").trim()).filter(|title| !title.is_empty());
    let messages = messages(&text);
    let first = messages.first().map(|(_, text)| text.as_str()).unwrap_or_default();
    let id = format!("h-{}", digest(&[title.unwrap_or_default(), first]));
    let mut stand_ins = StandIns::default();
    let mut turns = Turns::default();
    for (is_user, text) in messages {
        let (role, speaker) = match is_user {
            true => ("user", Speaker::Owner(None)),
            false => ("assistant", Speaker::Assistant(None, None)),
        };
        let Some(part) = Part::words(text, &[]) else {
            out.skip(SkipReason::Empty, role);
            continue;
        };
        let id = stand_ins.next("", "", role, &part.text);
        turns.push(Turn { id, parent: None, speaker, time: None, is_branch: false, parts: vec![part] }, out);
    }
    let talk = Talk {
        program: &PROGRAM,
        id,
        title: title.map(str::to_owned),
        channel_id: None,
        is_private: false,
        begun: None,
        shown: Shown::Unmarked,
    };
    talk.tell(turns, out)
}

/// The messages, each with a flag that is true if the person wrote it.
fn messages(text: &str) -> Vec<(bool, String)> {
    let mut messages: Vec<(bool, String)> = Vec::new();
    // If the last nonempty line was a rule, the position in the message where that rule begins.
    let mut rule: Option<usize> = None;
    let mut has_begun = false;
    for line in text.split_inclusive('\n') {
        let shown = line.trim_end();
        if let (Some(place), USER | CURSOR) = (rule, shown) {
            if let Some((_, message)) = messages.last_mut() {
                message.truncate(place);
            }
            messages.push((shown == USER, String::new()));
            has_begun = true;
            rule = None;
            continue;
        }
        let place = messages.last().map_or(0, |(_, message)| message.len());
        if shown == RULE {
            rule = Some(place);
        } else if !shown.is_empty() {
            rule = None;
        }
        if let Some((_, message)) = messages.last_mut().filter(|_| has_begun) {
            message.push_str(line);
        }
    }
    if let (Some(place), Some((_, message))) = (rule, messages.last_mut()) {
        message.truncate(place);
    }
    for (_, message) in &mut messages {
        *message = message.trim_matches(['\n', '\r']).to_owned();
    }
    messages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_within_a_message_stays_in_it() {
        let text = "# T\n_Exported on x from Cursor (1)_\n\n---\n\n\n**User**\n\nOne\n\n---\n\nTwo\n\n---\n\n**Cursor**\n\nYes\n**User**\n\n---\n";
        assert_eq!(messages(text), [(true, "One\n\n---\n\nTwo".to_owned()), (false, "Yes\n**User**".to_owned())]);
        assert_eq!(messages("# T\n"), []);
    }
}
