//! The status of a conversation (Layer 1): whether it has ended, its tone, the promises made in it, and a summary of it so far.
//!
//! Every result is typed and names the turns it is based on. No state is kept between calls: to continue a conversation, call
//! again with the new turns included; to replace a summary, request a new one. Summaries are never edited.
//!
//! Deliberately not here: storage, user-facing text, and skipping excluded conversations, which the caller does.

mod asked;
mod commitment;
mod due;
mod ended;
mod recap;
pub(crate) mod rules;
mod tone;

use keepsake_domain::{Span, Timestamp};
use serde::{Deserialize, Serialize};

pub use asked::{Asked, ENDED, EndedTask};
pub use commitment::{Commitment, Debtor, Promised, commitments};
pub(crate) use due::names_time;
pub use due::{Due, DuePrecision};
pub use ended::{Judgement, Reason, judge};
pub use recap::{Recap, recap};
pub use tone::{Pace, ToneProfile};

use crate::Turn;
use crate::text::Document;

/// Name and version of these rules, stored with every row they produce. Raise the version when results change.
pub const ENGINE_VERSION: &str = "builtin-conversation/2";

/// The time at which a conversation is judged, and the time zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// The current time.
    pub now: Timestamp,
    /// The person's UTC offset, used to interpret "tomorrow" and "at night".
    pub utc_offset_minutes: i32,
}

/// A span of text in one turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Index of the turn in the input.
    pub turn: usize,
    /// Position within that turn.
    pub span: Span,
}

/// The status of one conversation, with tone and commitments from the same pass.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// Whether it has ended.
    pub judgement: Judgement,
    /// The tone; `None` if nobody said anything.
    pub tone: Option<ToneProfile>,
    /// All promises in order, including settled ones.
    pub commitments: Vec<Commitment>,
}

/// Determines the status of `turns` at `moment`. `commitments` are all promises made in them, including settled ones.
pub fn standing(turns: &[Turn<'_>], commitments: Vec<Commitment>, moment: Moment) -> Standing {
    let document = Document::read(turns);
    Standing { judgement: ended::read(&document, &commitments, moment), tone: tone::read(&document), commitments }
}
