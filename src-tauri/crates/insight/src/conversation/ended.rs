//! Whether a conversation has ended, as a judgement with its reasons (DESIGN 4), by its own rhythm and not by a fixed time.
//!
//! Silence is measured against the silences that this conversation has known: below nearly all of them it goes on, beyond the
//! longest it has ended, between the two it rests. Hours in which nobody ever writes here do not count as silence, so an office
//! thread does not end each night. An unanswered question or an open promise holds the end off.
//!
//! A new message makes any conversation active again: the silence is then short. Nothing else is needed to resume one.
//!
//! Deliberately not here: acting on it, and what words mean: that somebody took leave a model alone tells. It may judge the same with more sense ([`super::asked`]); this is what answers without
//! one, and what stands where one fails.

use chrono::{DateTime, Datelike, Timelike, Weekday};
use keepsake_domain::{ConversationStatus, HOUR_MS, Role, Timestamp};
use serde::{Deserialize, Serialize};

use super::commitment::Commitment;
use super::{Moment, Place};
use crate::Turn;
use crate::text::{Document, Sentence};

/// Silences that any conversation is taken to have known: a minute, ten, an hour, two nights. With few messages they speak for it,
/// with many they drown; only the nights remain, so that nothing ends overnight for lack of an earlier night.
const KNOWN_BEFOREHAND_MS: [i64; 5] = [60_000, 10 * 60_000, HOUR_MS, 12 * HOUR_MS, 12 * HOUR_MS];

/// Nine silences out of ten are shorter than what counts as usual here.
const USUAL_QUANTILE: f64 = 0.9;

/// However even the rhythm, a silence up to this many times the middle one is no surprise.
const USUAL_TIMES_TYPICAL: i64 = 3;

/// A silence this many times the longest known is the end.
const END_TIMES: i64 = 2;

/// With an unanswered question or an open promise it takes so many times the longest.
const END_TIMES_WHEN_OPEN: i64 = 6;

/// Hours tell nothing before this many messages on this many days.
const HOURS_MESSAGES_MIN: usize = 20;
const HOURS_DAYS_MIN: usize = 4;

/// Silences beyond this are scaled rather than walked through hour by hour.
const HOURS_WALKED_MAX: i64 = 24 * 28;

/// Silent for so many times what ends it, a conversation has ended, and nobody need be asked.
const DOUBT_TIMES: i64 = 4;

/// Whether a conversation has ended, and why that is thought.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    /// Where it stands.
    pub status: ConversationStatus,
    /// What that rests on, the silence first.
    pub reasons: Vec<Reason>,
}

impl Judgement {
    /// Whether another judge may see it differently: it no longer plainly goes on, and has not ended long ago.
    pub fn is_in_doubt(&self) -> bool {
        self.reasons.iter().any(|reason| match *reason {
            Reason::BeyondRhythm { .. } => true,
            Reason::LongSilence { silence_ms, end_ms } => silence_ms <= end_ms.saturating_mul(DOUBT_TIMES),
            _ => false,
        })
    }
}

/// One reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Reason {
    /// Nobody has said anything yet.
    Empty,
    /// The silence is one of the usual ones here.
    WithinRhythm {
        /// How long nobody wrote, hours without activity left out.
        silence_ms: i64,
        /// What is usual here.
        usual_ms: i64,
    },
    /// The silence is longer than usual, but has been as long before.
    BeyondRhythm {
        /// As in [`Reason::WithinRhythm`].
        silence_ms: i64,
        /// What is usual here.
        usual_ms: i64,
        /// From here on it has ended.
        end_ms: i64,
    },
    /// The silence is longer than any known one by far.
    LongSilence {
        /// As in [`Reason::WithinRhythm`].
        silence_ms: i64,
        /// From here on it has ended.
        end_ms: i64,
    },
    /// They took leave; from a model alone.
    Farewell {
        /// Where.
        place: Place,
    },
    /// Thanks or agreement stand at the end; from a model alone.
    Settled {
        /// Where.
        place: Place,
    },
    /// A question has no answer yet.
    OpenQuestion {
        /// Where.
        place: Place,
    },
    /// A promise is not kept yet.
    PendingPromise {
        /// Where.
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

/// A promise holds a conversation open until its time has passed and a usual pause with it.
fn holds_open(commitment: &Commitment, now: Timestamp, usual_ms: i64) -> bool {
    commitment.is_pending() && commitment.due.is_none_or(|due| due.at.plus_ms(usual_ms) >= now)
}

/// What silences are like here.
struct Rhythm {
    /// Nine of ten are shorter, and it is well above the middle one.
    usual_ms: i64,
    /// The longest, a single outlier aside.
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
        // One holiday must not keep a conversation open for years: the longest counts only if there were two.
        let longest_ms = gaps[gaps.len() - 1].min(gaps[gaps.len() - 2].saturating_mul(4)).max(usual_ms);
        Self { usual_ms, longest_ms }
    }
}

/// In which hours of working days and of weekends anybody writes here; all of them where too little is known.
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
                    // Who writes at nine may write at eight or ten.
                    for near in [hour + 23, hour, hour + 1] {
                        is_active[kind][near % 24] = true;
                    }
                }
            }
        }
        // A conversation younger than a week and a half has not shown its weekends.
        if days.last().zip(days.first()).is_some_and(|(last, first)| last - first < 10) {
            is_active[1] = is_active[0];
        }
        Self { is_active, offset_ms }
    }

    /// The time between two moments that falls into active hours.
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

/// Working day or weekend, and the hour, of a local time.
fn slot(local_ms: i64) -> Option<(usize, usize)> {
    let at = DateTime::from_timestamp_millis(local_ms)?;
    Some((usize::from(matches!(at.weekday(), Weekday::Sat | Weekday::Sun)), at.hour() as usize))
}

/// The last question, where nobody else has said anything since.
fn open_question(document: &Document<'_>) -> Option<Place> {
    let last = *document.plain.last()?;
    let speaker = document.turns.get(last)?;
    let own =
        |at: &&usize| document.turns.get(**at).is_some_and(|turn| turn.role == speaker.role && turn.author == speaker.author);
    // An assistant that asks "anything else?" waits for nobody.
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

/// "How are you?" at the end of a greeting wants an answer; "right?", "ok?" do not wait for one.
fn is_courtesy(sentence: &Sentence<'_>) -> bool {
    sentence.words() <= 1
}

fn place(document: &Document<'_>, sentence: &Sentence<'_>) -> Option<Place> {
    Some(Place { turn: sentence.turn, span: document.span(sentence.turn, sentence.bytes.clone())? })
}
