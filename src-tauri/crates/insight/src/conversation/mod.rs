//! Where a conversation stands (Layer 1): whether it has ended, how it sounds, what was promised in it, and what it said so far.
//!
//! Every answer is typed and names the turns it rests on; nothing is kept between calls. A conversation is resumed by calling again
//! with one more turn, and a summary is superseded by asking again, never edited.
//!
//! Deliberately not here: storing, wording for people, and conversations that are kept out of memory, which the caller leaves out.

mod asked;
mod commitment;
mod due;
mod ended;
mod recap;
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

/// Names these rules and their version on every row made with them. Raise it when results change.
pub const ENGINE_VERSION: &str = "builtin-conversation/2";

/// When and where somebody looks at a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// The present.
    pub now: Timestamp,
    /// The person's zone, by which "tomorrow" and "at night" are meant.
    pub utc_offset_minutes: i32,
}

/// A stretch of one turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Index of the turn in the input.
    pub turn: usize,
    /// Where in it.
    pub span: Span,
}

/// Everything about one conversation, read once.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// Whether it has ended.
    pub judgement: Judgement,
    /// How it sounds; nothing where nobody said anything.
    pub tone: Option<ToneProfile>,
    /// What was promised, settled ones included, in order.
    pub commitments: Vec<Commitment>,
}

/// Reads where `turns` stand at `moment`, with what was promised in them, settled ones included.
pub fn standing(turns: &[Turn<'_>], commitments: Vec<Commitment>, moment: Moment) -> Standing {
    let document = Document::read(turns);
    Standing { judgement: ended::read(&document, &commitments, moment), tone: tone::read(&document), commitments }
}
