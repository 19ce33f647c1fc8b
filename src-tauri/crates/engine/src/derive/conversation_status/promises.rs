//! The promises made in a conversation, and the later line that settles each.
//!
//! The reader marks promises. It also judges whether a later line keeps a promise or replaces it, which means that the promise
//! will not or need not be kept. Both settle the promise and are not distinguished here. This module selects the lines to
//! compare. Whether a line is compared does not depend on anything said after it, and the progress is stored with the promise.
//! Therefore no line is compared twice, and one pass over a whole conversation gives the same result as many partial passes. If
//! several lines settle a promise, the one with the highest probability is used.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use keepsake_capture::dedup::shared_words;
use keepsake_capture::is_persons;
use keepsake_domain::{ConversationId, Mark, MarkKind, Reading, ReadingLabel, Role, Span, StatementPair, Utterance};
use keepsake_insight::Turn;
use keepsake_insight::conversation::{Commitment, Moment, Place, commitments};
use keepsake_models::{Reader, cosine};
use keepsake_store::{ConversationStatusRow, InteractionRow, parse_json};
use keepsake_text::is_unspaced;

use crate::Result;
use crate::areas::Conversations;
use crate::derive::commitments::{Followed, StoredCommitment, StoredPlace};
use crate::derive::readable_messages::is_same_talk;
use crate::derive::reading::utterance;
use crate::queue::control::Control;
use crate::review::propose::vectors_of;

/// Minimum probability at which a promise is recorded. At this value, four of five marks are real promises, measured on authors
/// that the reader was not trained on.
const PROMISE_MIN: f64 = 0.6;

/// Minimum number of words in a promise. A single word such as "tomorrow" or "by" is only a fragment of a promise.
const PROMISE_WORDS_MIN: usize = 2;

/// Minimum probability at which a later line settles a promise. In two lives written for promises, on which nothing was trained,
/// 55 of the 72 lines found at this value do or come after one that does, and 42 of 56 at 0.6; in the development life, 13 of 15
/// and 12 of 13 (decision 69).
const SETTLES_MIN: f64 = 0.5;

/// Number of lines right after a promise that are compared regardless of their subject, because a line that settles a promise
/// is often too short to have a subject ("done!").
const NEXT_LINES: u32 = 6;

/// After these lines, only lines whose meaning is at least this similar to the promise are compared. In a life written for
/// promises, 69 of 86 lines that settle one are compared at this value, and 51 at 0.4.
const CLOSE_COSINE_MIN: f32 = 0.2;

/// Maximum number of lines by the two parties that are examined after a promise. If a kept promise is mentioned at all, it
/// is mentioned by then.
const LINES_MAX: u32 = 200;

/// Maximum number of lines that a promise is compared with. Each comparison costs as much as reading a short message.
const COMPARED_MAX: u32 = 32;

/// A promise, and how far the lines after it were searched.
#[derive(Debug, Clone)]
pub(super) struct Promise {
    pub(super) commitment: Commitment,
    pub(super) followed: Followed,
}

impl Conversations<'_> {
    /// The promises of a conversation; none without a reader. `known` contains the earlier results.
    pub(super) fn promises(
        &self,
        id: &ConversationId,
        rows: &[InteractionRow],
        turns: &[Turn<'_>],
        known: Option<&ConversationStatusRow>,
        moment: Moment,
        control: &dyn Control,
    ) -> Result<Vec<Promise>> {
        let Some(reader) = self.engine.inner.embedder.reader().ready() else { return Ok(Vec::new()) };
        let Some(read) = self.read_rows(id, rows, 0, control)? else { return Ok(Vec::new()) };
        let promised: Vec<_> = rows.iter().zip(&read.of).map(|(row, reading)| promises_in(row, reading)).collect();
        let made = commitments(turns, &promised, moment);
        let known = known.map(|known| parse_json::<Vec<StoredCommitment>>("promises of a conversation", &known.pending_actions));
        let known = known.transpose()?.unwrap_or_default();
        let mut promises: Vec<Promise> = made.into_iter().map(|one| taken_up(one, rows, &known, &read.by)).collect();
        self.follow(&mut promises, rows, reader.as_ref())?;
        Ok(promises)
    }

    /// Continues the search for the line that settles each promise with the highest probability.
    fn follow(&self, promises: &mut [Promise], rows: &[InteractionRow], reader: &dyn Reader) -> Result<()> {
        let later: Vec<Vec<usize>> = promises.iter().map(|promise| later_lines(promise, rows)).collect();
        let close = self.closeness(promises, &later, rows);
        let mut asked: Vec<(usize, usize)> = Vec::new();
        for (at, (promise, lines)) in promises.iter_mut().zip(&later).enumerate() {
            let followed = &mut promise.followed;
            for &line in lines {
                let is_next = followed.lines < NEXT_LINES;
                followed.lines += 1;
                followed.through = Some(rows[line].id.clone());
                if followed.compared < COMPARED_MAX
                    && (is_next || close.get(&(at, line)).is_some_and(|close| *close >= CLOSE_COSINE_MIN))
                {
                    followed.compared += 1;
                    asked.push((at, line));
                }
            }
        }
        let pairs: Vec<StatementPair<'_>> = asked
            .iter()
            .map(|&(at, line)| {
                let Commitment { what, place, .. } = &promises[at].commitment;
                let is_said_to = |before: &usize| *before != place.turn && is_same_talk(rows[*before].time, rows[line].time);
                let before = line.checked_sub(1).filter(is_said_to).map(|before| utterance(&rows[before]));
                StatementPair {
                    earlier: Utterance { role: rows[place.turn].role, text: what },
                    before,
                    later: utterance(&rows[line]),
                }
            })
            .collect();
        let changes = reader.compare(&pairs)?;
        for ((at, line), change) in asked.into_iter().zip(changes) {
            let Promise { commitment, followed } = &mut promises[at];
            let settles = change.replaces + change.keeps;
            let sure = (settles * 1_000.0).round() as u32;
            if settles >= SETTLES_MIN
                && sure > followed.surest
                && let Some(span) = whole(&rows[line].content)
            {
                (commitment.settled, followed.surest) = (Some(Place { turn: line, span }), sure);
            }
        }
        Ok(())
    }

    /// Similarity of each later line to its promise, except for lines that are compared anyway. Measured by meaning, or by
    /// shared words if there are no vectors.
    fn closeness(&self, promises: &[Promise], later: &[Vec<usize>], rows: &[InteractionRow]) -> HashMap<(usize, usize), f32> {
        let far = |(promise, lines): (&Promise, &Vec<usize>)| {
            lines.iter().skip(NEXT_LINES.saturating_sub(promise.followed.lines) as usize).copied().collect::<Vec<usize>>()
        };
        let of: Vec<Vec<usize>> = promises.iter().zip(later).map(far).collect();
        let lines: Vec<usize> = of.iter().flatten().copied().collect::<BTreeSet<_>>().into_iter().collect();
        let texts: Vec<&str> = lines.iter().map(|&line| rows[line].content.as_str()).collect();
        let open: Vec<usize> = (0..promises.len()).filter(|&at| !of[at].is_empty()).collect();
        let whats: Vec<&str> = open.iter().map(|&at| promises[at].commitment.what.as_str()).collect();
        let embedder = self.engine.embedder().ready().filter(|_| !texts.is_empty());
        let all: Vec<&str> = texts.iter().chain(&whats).copied().collect();
        let vectors = vectors_of(embedder.as_deref(), &all);
        let (of_lines, of_whats) = vectors.split_at(texts.len());
        let mut close = HashMap::new();
        for ((&at, what), whats) in open.iter().zip(of_whats).zip(&whats) {
            for line in &of[at] {
                let Ok(n) = lines.binary_search(line) else { continue };
                let closeness = match what.as_ref().zip(of_lines[n].as_ref()) {
                    Some((a, b)) => cosine(a, b),
                    None => shared_words(whats, texts[n]) as f32,
                };
                close.insert((at, *line), closeness);
            }
        }
        close
    }
}

/// A promise with the progress that this reader stored, or without progress if this reader stored none.
fn taken_up(mut commitment: Commitment, rows: &[InteractionRow], known: &[StoredCommitment], by: &str) -> Promise {
    let begun = Followed { by: by.to_owned(), through: None, lines: 0, compared: 0, surest: 0 };
    let stored = known
        .iter()
        .find(|stored| is_at(&stored.place, &commitment.place, rows))
        .and_then(|stored| Some((stored, stored.followed.as_ref()?)));
    let Some((stored, followed)) = stored.filter(|(_, followed)| followed.by == by) else {
        return Promise { commitment, followed: begun };
    };
    if let Some(place) = &stored.settled_at {
        let turn = rows.iter().position(|row| row.id == place.interaction_id);
        commitment.settled = turn.zip(Span::new(place.start, place.end).ok()).map(|(turn, span)| Place { turn, span });
        if commitment.is_pending() {
            // The line that settled it no longer exists.
            return Promise { commitment, followed: begun };
        }
    }
    Promise { commitment, followed: followed.clone() }
}

/// The lines after a promise that have not been examined yet and may settle it: those of the person who made it and of the
/// person it was made to. In a group, the latter is unknown.
fn later_lines(promise: &Promise, rows: &[InteractionRow]) -> Vec<usize> {
    let Promise { commitment, followed } = promise;
    if followed.compared >= COMPARED_MAX {
        return Vec::new();
    }
    let debtor = &rows[commitment.place.turn];
    let is_of_them = |row: &InteractionRow| {
        row.handle_id == debtor.handle_id || commitment.creditor.is_some() && matches!(row.role, Role::Owner | Role::Person)
    };
    let looked_at = followed.through.as_ref().and_then(|through| rows.iter().position(|row| row.id == *through));
    let from = looked_at.unwrap_or(commitment.place.turn) + 1;
    let later = rows
        .iter()
        .enumerate()
        .skip(from)
        .filter(|(_, row)| is_persons(row.role, row.message_type, row.is_branch) && is_of_them(row));
    later.map(|(at, _)| at).take(LINES_MAX.saturating_sub(followed.lines) as usize).collect()
}

/// The span of a whole message without surrounding whitespace.
fn whole(text: &str) -> Option<Span> {
    let start = text.len() - text.trim_start().len();
    Span::of_bytes(text, start..text.trim_end().len()).ok()
}

/// Whether a stored range equals this one.
fn is_at(stored: &StoredPlace, place: &Place, rows: &[InteractionRow]) -> bool {
    rows.get(place.turn).is_some_and(|row| row.id == stored.interaction_id)
        && (stored.start, stored.end) == (place.span.start(), place.span.end())
}

/// The ranges in which a message makes a promise. Assistants are left out, because an assistant has already done what it
/// announces by the time its message ends.
fn promises_in(row: &InteractionRow, reading: &Reading) -> Vec<Range<usize>> {
    if !is_persons(row.role, row.message_type, row.is_branch) {
        return Vec::new();
    }
    let text = row.content.as_str();
    // In a script without spaces between words, a whole promise counts as one word.
    let says_something = |words: &str| words.split_whitespace().count() >= PROMISE_WORDS_MIN || is_unspaced(words);
    let is_promise = |mark: &&Mark| {
        mark.kind == MarkKind::Label(ReadingLabel::Promise)
            && mark.probability >= PROMISE_MIN
            && text.get(mark.bytes.clone()).is_some_and(says_something)
    };
    reading.marks.iter().filter(is_promise).map(|mark| mark.bytes.clone()).collect()
}
