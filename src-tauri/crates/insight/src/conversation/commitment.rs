//! Pending actions: who promised whom what, until when, and where it was settled.
//!
//! What is a promise the trained reader marks, and whether a later line settles it the reader judges too: no wording decides either
//! here. An assistant's offers are no commitments, and what is quoted in a line is somebody else's promise.

use std::ops::Range;

use keepsake_domain::Role;
use serde::{Deserialize, Serialize};

use super::due::{self, Due};
use super::{Moment, Place};
use crate::Turn;
use crate::text::{Document, Token};

/// Who owes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", content = "name", rename_all = "snake_case")]
pub enum Debtor {
    /// The owner.
    Owner,
    /// The author of this name.
    Person(String),
}

/// One promise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commitment {
    /// Who promised.
    pub debtor: Debtor,
    /// To whom, by name: the one other who speaks; nothing in a group, where it is open.
    pub creditor: Option<Debtor>,
    /// What, in the words of the promise.
    pub what: String,
    /// Where it was promised.
    pub place: Place,
    /// Until when, where it was said.
    pub due: Option<Due>,
    /// The line that settles it: it was done, will not be done, or need not be. Nothing while it is pending.
    pub settled: Option<Place>,
}

impl Commitment {
    /// Whether it is still to be done.
    pub fn is_pending(&self) -> bool {
        self.settled.is_none()
    }
}

/// Where the trained reader found promises: of each turn, in bytes.
pub type Promised = [Vec<Range<usize>>];

/// The promises of a conversation as they were made, in order: those that the reader marked, none of them settled.
pub fn commitments(turns: &[Turn<'_>], promised: &Promised, moment: Moment) -> Vec<Commitment> {
    let document = Document::read(turns);
    let all = 0..document.sentences.len();
    all.flat_map(|at| marked(&document, at, promised, moment)).collect()
}

/// What the reader marked and this sentence is the first to hold. A sentence that is not the speaker's own is not in the document.
fn marked(document: &Document<'_>, at: usize, promised: &Promised, moment: Moment) -> Vec<Commitment> {
    let sentence = &document.sentences[at];
    let Some((turn, debtor)) = document.turns.get(sentence.turn).and_then(|turn| Some((turn, debtor(turn)?))) else {
        return Vec::new();
    };
    let before = at.checked_sub(1).map(|before| &document.sentences[before]).filter(|before| before.turn == sentence.turn);
    let read_to = before.map_or(0, |before| before.bytes.end);
    let is_here =
        |bytes: &&Range<usize>| read_to <= bytes.start && bytes.start < sentence.bytes.end && sentence.bytes.start < bytes.end;
    let is_quoted =
        |bytes: &&Range<usize>| sentence.foreign.iter().any(|foreign| foreign.start <= bytes.start && bytes.end <= foreign.end);
    let here = promised.get(sentence.turn).into_iter().flatten().filter(is_here).filter(|bytes| !is_quoted(bytes));
    let due = due::find(&sentence.tokens, turn.time, moment.utc_offset_minutes).map(|(due, _)| due);
    here.filter_map(|bytes| {
        let text = turn.text.get(bytes.clone())?;
        let is_inside = |token: &Token<'_>| bytes.start < token.bytes.end && token.bytes.start < bytes.end;
        sentence.tokens.iter().any(is_inside).then_some(())?;
        let what = text.split_whitespace().collect::<Vec<_>>().join(" ");
        Some(Commitment {
            creditor: creditor(document, &debtor),
            debtor: debtor.clone(),
            what: what.trim_end_matches(['.', '!', '?', ',', ';', ':']).to_owned(),
            place: Place { turn: sentence.turn, span: document.span(sentence.turn, bytes.clone())? },
            due,
            settled: None,
        })
    })
    .collect()
}

fn debtor(turn: &Turn<'_>) -> Option<Debtor> {
    match turn.role {
        Role::Owner => Some(Debtor::Owner),
        Role::Person => Some(Debtor::Person(turn.author.trim().to_owned())),
        Role::Assistant | Role::System | Role::Tool => None,
    }
}

/// The one other who speaks in the conversation.
fn creditor(document: &Document<'_>, speaker: &Debtor) -> Option<Debtor> {
    let mut others =
        document.plain.iter().filter_map(|at| document.turns.get(*at)).filter_map(debtor).filter(|other| other != speaker);
    let first = others.next()?;
    others.all(|other| other == first).then_some(first)
}
