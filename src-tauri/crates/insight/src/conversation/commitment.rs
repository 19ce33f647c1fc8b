//! Pending actions: who promised what to whom, by when, and where it was settled.
//!
//! The trained reader marks promises and judges whether a later line settles one; neither is decided by rules about wording. An
//! assistant's offers are not commitments, and a promise inside a quotation belongs to the quoted person.

use std::ops::Range;

use keepsake_domain::Role;
use serde::{Deserialize, Serialize};

use super::due::{self, Due};
use super::{Moment, Place};
use crate::Turn;
use crate::text::{Document, Token};

/// The person who owes the promised action.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", content = "name", rename_all = "snake_case")]
pub enum Debtor {
    /// The owner.
    Owner,
    /// The author with this name.
    Person(String),
}

/// One promise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commitment {
    /// The person who made the promise.
    pub debtor: Debtor,
    /// The person to whom the promise was made: the only other speaker. `None` in a group, where the recipient is unclear.
    pub creditor: Option<Debtor>,
    /// The promised action, in the words of the promise.
    pub what: String,
    /// Where the promise was made.
    pub place: Place,
    /// The due date, if one was given.
    pub due: Option<Due>,
    /// The line that settles the promise: it says that the action was done, will not be done, or need not be done. `None` while
    /// pending.
    pub settled: Option<Place>,
}

impl Commitment {
    /// True until the promise is settled.
    pub fn is_pending(&self) -> bool {
        self.settled.is_none()
    }
}

/// The byte ranges of the promises that the trained reader marked, one list for each turn.
pub type Promised = [Vec<Range<usize>>];

/// The promises that the reader marked, in the order they were made, none of them settled yet.
pub fn commitments(turns: &[Turn<'_>], promised: &Promised, moment: Moment) -> Vec<Commitment> {
    let document = Document::read(turns);
    let all = 0..document.sentences.len();
    all.flat_map(|at| marked(&document, at, promised, moment)).collect()
}

/// The marked promises that overlap the sentence at index `at` but no earlier sentence. A promise inside a quotation does not
/// count.
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

/// The only other speaker in the conversation, if there is exactly one.
fn creditor(document: &Document<'_>, speaker: &Debtor) -> Option<Debtor> {
    let mut others =
        document.plain.iter().filter_map(|at| document.turns.get(*at)).filter_map(debtor).filter(|other| other != speaker);
    let first = others.next()?;
    others.all(|other| other == first).then_some(first)
}
