//! Judges whether a conversation has ended, with reasons (docs/sources.md#design-flow). The judgment is based on the
//! conversation's own rhythm rather than on a fixed timeout.
//!
//! The current silence is compared with earlier silences in this conversation. If it is shorter than nearly all of them, the
//! conversation is active; if it is far longer than the longest, it has ended; in between, it is idle. Hours in which nobody ever
//! writes do not count as silence, so an office thread does not end every night. An unanswered question or an open promise delays
//! the end.
//!
//! A new message makes any conversation active again, because the silence is then short. Resuming a conversation needs nothing
//! else.
//!
//! Deliberately not here: acting on the judgment, and interpreting words; only a model can recognize a goodbye. A model can make
//! the same judgment with more understanding ([`super::asked`]); these rules apply when there is no model or it fails.

use crate::conversation::rules::{
    DOUBT_TIMES, END_TIMES, END_TIMES_WHEN_OPEN, HOURS_DAYS_MIN, HOURS_MESSAGES_MIN, HOURS_WALKED_MAX, USUAL_QUANTILE,
    USUAL_TIMES_TYPICAL,
};
use chrono::{DateTime, Datelike, Timelike, Weekday};
use keepsake_domain::{ConversationStatus, HOUR_MS, Role, Timestamp};
use serde::{Deserialize, Serialize};

use super::commitment::Commitment;
use super::{Moment, Place};
use crate::Turn;
use crate::text::{Document, Sentence};

/// Silences that every conversation is assumed to have had, in milliseconds: a minute, ten minutes, an hour, and two nights. They
/// decide while there are few messages and lose influence as messages accumulate. The two nights always count, so that a
/// conversation does not end overnight just because it has never spanned a night.
const KNOWN_BEFOREHAND_MS: [i64; 5] = [60_000, 10 * 60_000, HOUR_MS, 12 * HOUR_MS, 12 * HOUR_MS];

/// Whether a conversation has ended, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    /// The conversation status.
    pub status: ConversationStatus,
    /// The reasons, starting with the silence.
    pub reasons: Vec<Reason>,
}

impl Judgement {
    /// True if a model might judge differently: the conversation is not clearly active and did not end long ago.
    pub fn is_in_doubt(&self) -> bool {
        self.reasons.iter().any(|reason| match *reason {
            Reason::BeyondRhythm { .. } => true,
            Reason::LongSilence { silence_ms, end_ms } => silence_ms <= end_ms.saturating_mul(DOUBT_TIMES),
            _ => false,
        })
    }
}

/// One reason for a judgment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Reason {
    /// Nobody has said anything yet.
    Empty,
    /// The silence is within what is usual for this conversation.
    WithinRhythm {
        /// How long nobody has written, in milliseconds; inactive hours are not counted.
        silence_ms: i64,
        /// The usual limit in this conversation, in milliseconds.
        usual_ms: i64,
    },
    /// The silence is longer than usual, but not long enough to end the conversation.
    BeyondRhythm {
        /// The silence, as in [`Reason::WithinRhythm`].
        silence_ms: i64,
        /// The usual limit, as in [`Reason::WithinRhythm`].
        usual_ms: i64,
        /// The silence, in milliseconds, beyond which the conversation has ended.
        end_ms: i64,
    },
    /// The silence is far longer than any before it.
    LongSilence {
        /// The silence, as in [`Reason::WithinRhythm`].
        silence_ms: i64,
        /// The silence, in milliseconds, beyond which the conversation has ended.
        end_ms: i64,
    },
    /// The participants said goodbye. Only a model gives this reason.
    Farewell {
        /// The line that shows it.
        place: Place,
    },
    /// The conversation closes with thanks or agreement. Only a model gives this reason.
    Settled {
        /// The line that shows it.
        place: Place,
    },
    /// A question is unanswered.
    OpenQuestion {
        /// The question.
        place: Place,
    },
    /// A promise is still open.
    PendingPromise {
        /// The promise.
        place: Place,
    },
}

/// Judges `turns` at `moment`.
pub fn judge(turns: &[Turn<'_>], commitments: &[Commitment], moment: Moment) -> Judgement {
    read(&Document::read(turns), commitments, moment)
}

pub(super) fn read(document: &Document<'_>, commitments: &[Commitment], moment: Moment) -> Judgement {
    let mut times: Vec<i64> = document
        .plain
        .iter()
        .filter_map(|at| document.turns.get(*at))
        .map(|turn| turn.time.as_millis())
        .filter(|time| *time > 0)
        .collect();
    times.sort_unstable();
    let Some(&last) = times.last() else {
        return Judgement { status: ConversationStatus::Active, reasons: vec![Reason::Empty] };
    };
    let hours = ActiveHours::of(&times, moment.utc_offset_minutes);
    let rhythm = Rhythm::of(&times, &hours);
    let silence = hours.active_ms(last, moment.now.as_millis());

    let question = open_question(document);
    let promise = commitments.iter().rev().find(|commitment| holds_open(commitment, moment.now, rhythm.usual_ms));
    let is_open = question.is_some() || promise.is_some();
    let times = if is_open { END_TIMES_WHEN_OPEN } else { END_TIMES };
    let (rests_after, ends_after) = (rhythm.usual_ms, rhythm.longest_ms.saturating_mul(times));
    let (status, measured) = if silence <= rests_after {
        (ConversationStatus::Active, Reason::WithinRhythm { silence_ms: silence, usual_ms: rests_after })
    } else if silence <= ends_after || promise.is_some_and(|promise| promise.due.is_some_and(|due| due.at >= moment.now)) {
        (ConversationStatus::Idle, Reason::BeyondRhythm { silence_ms: silence, usual_ms: rests_after, end_ms: ends_after })
    } else {
        (ConversationStatus::Archived, Reason::LongSilence { silence_ms: silence, end_ms: ends_after })
    };
    let promise = promise.map(|promise| Reason::PendingPromise { place: promise.place });
    let reasons = [Some(measured), question.map(|place| Reason::OpenQuestion { place }), promise];
    Judgement { status, reasons: reasons.into_iter().flatten().collect() }
}

/// True while the promise keeps the conversation open: until its due date plus one usual silence.
fn holds_open(commitment: &Commitment, now: Timestamp, usual_ms: i64) -> bool {
    commitment.is_pending() && commitment.due.is_none_or(|due| due.at.plus_ms(usual_ms) >= now)
}

/// The typical silences of this conversation.
struct Rhythm {
    /// A silence longer than nine out of ten silences, and at least [`USUAL_TIMES_TYPICAL`] times the median.
    usual_ms: i64,
    /// The longest silence; a single outlier is capped.
    longest_ms: i64,
}

impl Rhythm {
    fn of(times: &[i64], hours: &ActiveHours) -> Self {
        let mut gaps: Vec<i64> = times.windows(2).map(|pair| hours.active_ms(pair[0], pair[1])).collect();
        gaps.extend(KNOWN_BEFOREHAND_MS);
        gaps.sort_unstable();
        let quantile = |share: f64| gaps[((gaps.len() - 1) as f64 * share).round() as usize];
        let typical_ms = quantile(0.5);
        let usual_ms = quantile(USUAL_QUANTILE).max(typical_ms.saturating_mul(USUAL_TIMES_TYPICAL));
        // One holiday must not keep a conversation open for years. Therefore the longest silence is capped at four times the
        // second longest.
        let longest_ms = gaps[gaps.len() - 1].min(gaps[gaps.len() - 2].saturating_mul(4)).max(usual_ms);
        Self { usual_ms, longest_ms }
    }
}

/// The hours in which anybody writes, on workdays and on weekends; all hours if there is too little data.
struct ActiveHours {
    is_active: [[bool; 24]; 2],
    offset_ms: i64,
}

impl ActiveHours {
    fn of(times: &[i64], utc_offset_minutes: i32) -> Self {
        let offset_ms = i64::from(utc_offset_minutes) * 60_000;
        let mut counts = [[0usize; 24]; 2];
        let mut days: Vec<i64> = Vec::new();
        for time in times {
            if let Some((weekend, hour)) = slot(time + offset_ms) {
                counts[weekend][hour] += 1;
            }
            days.push((time + offset_ms).div_euclid(24 * HOUR_MS));
        }
        days.sort_unstable();
        days.dedup();
        if times.len() < HOURS_MESSAGES_MIN || days.len() < HOURS_DAYS_MIN {
            return Self { is_active: [[true; 24]; 2], offset_ms };
        }
        let mut is_active = [[false; 24]; 2];
        for (kind, hours) in counts.iter().enumerate() {
            for (hour, count) in hours.iter().enumerate() {
                if *count > 0 {
                    // A person who writes at nine may also write at eight or ten.
                    for near in [hour + 23, hour, hour + 1] {
                        is_active[kind][near % 24] = true;
                    }
                }
            }
        }
        // With less than ten days of history, the weekends are not representative.
        if days.last().zip(days.first()).is_some_and(|(last, first)| last - first < 10) {
            is_active[1] = is_active[0];
        }
        Self { is_active, offset_ms }
    }

    /// The time between two moments that falls within active hours, in milliseconds.
    fn active_ms(&self, from: i64, to: i64) -> i64 {
        let whole = (to - from).max(0);
        if self.is_active.iter().flatten().all(|active| *active) || whole < HOUR_MS {
            return whole;
        }
        let walked = whole.min(HOURS_WALKED_MAX * HOUR_MS);
        let (mut at, end, mut active) = (from, from + walked, 0);
        while at < end {
            let next = ((at + self.offset_ms).div_euclid(HOUR_MS) + 1) * HOUR_MS - self.offset_ms;
            let stretch = next.min(end) - at;
            if slot(at + self.offset_ms).is_some_and(|(weekend, hour)| self.is_active[weekend][hour]) {
                active += stretch;
            }
            at = next;
        }
        (active as f64 * (whole as f64 / walked as f64)) as i64
    }
}

/// The row (0 for workdays, 1 for weekends) and the hour of a local time.
fn slot(local_ms: i64) -> Option<(usize, usize)> {
    let at = DateTime::from_timestamp_millis(local_ms)?;
    Some((usize::from(matches!(at.weekday(), Weekday::Sat | Weekday::Sun)), at.hour() as usize))
}

/// The last question, if nobody else has said anything since.
fn open_question(document: &Document<'_>) -> Option<Place> {
    let last = *document.plain.last()?;
    let speaker = document.turns.get(last)?;
    let own =
        |at: &&usize| document.turns.get(**at).is_some_and(|turn| turn.role == speaker.role && turn.author == speaker.author);
    // An assistant that asks "anything else?" does not expect an answer.
    if speaker.role == Role::Assistant {
        return None;
    }
    document.plain.iter().rev().take_while(own).find_map(|at| {
        let sentences = document.sentences.get(document.of_turn.get(*at)?.clone())?;
        sentences
            .iter()
            .rev()
            .find(|sentence| sentence.is_question && !is_courtesy(sentence))
            .and_then(|sentence| place(document, sentence))
    })
}

/// True for one-word questions such as "right?" or "ok?", which expect no answer. "How are you?" does expect one.
fn is_courtesy(sentence: &Sentence<'_>) -> bool {
    sentence.words() <= 1
}

fn place(document: &Document<'_>, sentence: &Sentence<'_>) -> Option<Place> {
    Some(Place { turn: sentence.turn, span: document.span(sentence.turn, sentence.bytes.clone())? })
}
