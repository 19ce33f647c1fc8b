//! Selects the playbooks for a context: approved playbooks that fit the conversation, each in full.
//!
//! Playbooks come from the view, so one is included only if it was found in sessions that may be seen here. Playbooks describe
//! how agents work, so a role that may not read the agents' shared tier does not get them. An incomplete playbook misleads, so
//! it is served with every step or not at all.
//!
//! Not in this module: the size of the section.

use std::collections::{BTreeMap, BTreeSet};

use keepsake_store::{PlaybookRow, ReadTx, StoreError};
use keepsake_text::{is_stop_word, words};

use super::{CONVERSATION_MESSAGES, ContextItem, ContextRequest, Line, day, flat, source_of};
use crate::areas::Serve;
use crate::derive::tiers::role_at;
use crate::review::retractions::TakenBack;
use crate::serve::boundary::View;
use crate::serve::masked::quoted;

/// Maximum number of playbooks: only a few, because only one is followed at a time.
const PLAYBOOKS: usize = 2;

/// Minimum number of words that a conversation and a playbook must share. A conversation has many words, so one shared word
/// does not make the playbook its subject.
const SHARED_WITH_TALK_MIN: usize = 2;

/// The stems of the words in `text`, without stop words.
pub(super) fn stems(text: &str) -> BTreeSet<String> {
    words(text).into_iter().filter(|word| !is_stop_word(&word.plain)).map(|word| word.stem).collect()
}

/// The stems of a playbook's title, description and steps.
fn about(row: &PlaybookRow) -> BTreeSet<String> {
    let version = &row.version;
    let mut text = format!("{} {}", version.title, version.description.as_deref().unwrap_or_default());
    for step in &version.steps {
        text.push_str(&format!(" {} {}", step.name, step.text));
    }
    stems(&text)
}

impl Serve<'_> {
    /// The approved playbooks that match the question. Without a question, the playbooks that match the current conversation;
    /// without a conversation, the playbooks seen in the most sessions.
    pub(super) fn playbook_lines(
        &self,
        tx: &ReadTx<'_>,
        view: &View,
        request: &ContextRequest,
        query: Option<&str>,
        taken: &TakenBack,
    ) -> std::result::Result<Vec<Line>, StoreError> {
        // Approvals cannot be looked up as of an earlier time, so no playbooks are served for an earlier time.
        if request.as_of.is_some() || !role_at(tx, view)?.reads_all_tiers() {
            return Ok(Vec::new());
        }
        let mut rows = self.engine.playbooks().playbooks_seen(tx, view)?;
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let wanted = match (query, &view.destination.conversation) {
            (Some(query), _) => Some((stems(query), 1)),
            (None, Some(conversation)) => {
                let recent = tx.log().last_messages(conversation, None, CONVERSATION_MESSAGES)?;
                let said: String = recent.iter().map(|row| format!("{} ", taken.text_left(row))).collect();
                Some((stems(&said), SHARED_WITH_TALK_MIN))
            }
            (None, None) => None,
        };
        if let Some((wanted, least)) = wanted {
            let shared: BTreeMap<String, usize> =
                rows.iter().map(|row| (row.id.to_string(), about(row).intersection(&wanted).count())).collect();
            let of = |row: &PlaybookRow| shared.get(row.id.as_str()).copied().unwrap_or(0);
            rows.retain(|row| of(row) >= least);
            rows.sort_by(|a, b| of(b).cmp(&of(a)).then(a.id.cmp(&b.id)));
        }
        rows.iter().take(PLAYBOOKS).map(|row| line(tx, row)).collect()
    }
}

/// A playbook as it is served: each line begins with the playbook's id, says what the line is, and quotes the wording.
fn line(tx: &ReadTx<'_>, row: &PlaybookRow) -> std::result::Result<Line, StoreError> {
    let (id, version) = (&row.id, &row.version);
    let steps: Vec<String> = version.steps.iter().map(|step| flat(&step.name)).collect();
    let use_when = match version.description.as_deref().map(flat).filter(|text| !text.is_empty()) {
        Some(text) => text,
        None => format!("when the work comes to {}", steps.last().map_or("", String::as_str)),
    };
    let last = version.occurrences.iter().map(|one| one.ended).max().map(day).unwrap_or_default();
    let seen = version.occurrences.len();
    let mut lines = vec![
        format!("- [{id}] Seen in {seen} sessions, last {last}: {}", quoted(&flat(&version.title))),
        format!("- [{id}] Use it: {}", quoted(&use_when)),
    ];
    for (number, step) in version.steps.iter().enumerate() {
        let purpose = version.purposes.get(number).and_then(Option::as_deref).map(flat).unwrap_or_default();
        let purpose = if purpose.is_empty() { purpose } else { format!(" ({purpose})") };
        lines.push(format!("- [{id}] Step {}: {}", number + 1, quoted(&format!("{}{purpose}", flat(&step.text)))));
    }
    let mut sources = Vec::new();
    for occurrence in &version.occurrences {
        let Some(first) = occurrence.messages.first() else { continue };
        sources.extend(tx.log().interaction(first)?.as_ref().and_then(source_of));
    }
    Ok(Line::new(ContextItem { id: id.to_string(), kind: "playbook", sources }, lines.join("\n")))
}
