//! Playbooks (seed 000, phase 3): ways of working that repeat over sessions in which tools are used.
//!
//! [`sessions`] reads what the log holds of tools into sessions; [`discover`] finds the ordered patterns in them that hold: steps in one
//! order with a bounded gap, in enough sessions, with few that begin the same way and end otherwise. [`skill`] writes one down for an
//! agent, [`model`] asks a language model to word it. What a pattern is called, which of its arguments vary and how sure it is follow from the sessions alone, so the same sessions
//! give the same playbooks with the same ids.
//!
//! Deliberately not here: which sessions may be read (the engine asks the boundary), what a person decides, storage.

mod judge;
mod mine;
pub mod model;
mod shell;
pub mod skill;
mod steps;
mod uses;

use std::collections::BTreeMap;

use keepsake_domain::{ConversationId, DAY_MS, InteractionId, PlaybookConfidence, Timestamp};
use keepsake_prompt::scrub::Scrubber;
use serde::{Deserialize, Serialize};

pub use uses::{Arguments, Kind, Logged, Session, ToolUse, sessions};

/// Names the engine beside what it found; grows when the same sessions would give something else.
pub const PLAYBOOK_ENGINE_VERSION: &str = "builtin/playbooks/2";

/// How far back playbooks are looked for (seed 000, `playbookLookbackDays`).
pub const LOOKBACK_DAYS: i64 = 14;

/// Tools that a playbook has at least (seed 000).
pub const TOOLS_MIN: usize = 4;

/// Sessions in which it was seen at least (seed 000: three occurrences). What is repeated within a session counts once: a loop of one
/// afternoon is no way of working.
pub const OCCURRENCES_MIN: usize = 3;

/// The most that one look proposes: nobody reviews more in a sitting, and the strongest come first.
pub const FOUND_MAX: usize = 40;

/// Whether something is close enough to the last session of its source to count. Age is told in whole days, so that what was done two
/// weeks before to the day counts whatever the hour, and what is fifteen days older does not.
fn is_recent(time: Timestamp, last: Timestamp) -> bool {
    time <= last && (last.0 - time.0) / DAY_MS <= LOOKBACK_DAYS
}

/// One step as it is written down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// What is done: `Edit`, `cargo test`.
    pub name: String,
    /// The tool, or the program behind a shell: `Edit`, `cargo`.
    pub tool: String,
    /// The step with what stays the same, and `{parameter}` for what varies.
    pub text: String,
}

/// Something that was another one in every session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its name, without braces.
    pub name: String,
    /// The steps that take it, from 1.
    pub steps: Vec<usize>,
    /// How many different values were seen.
    pub values: usize,
}

/// One time that it was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    /// Where.
    pub conversation: ConversationId,
    /// The message of each step, in order.
    pub messages: Vec<InteractionId>,
    /// When the first step was taken.
    pub began: Timestamp,
    /// When the last one was.
    pub ended: Timestamp,
}

/// Why a session speaks against a playbook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Against {
    /// It was done, and a step failed.
    Failed,
    /// It began the same way and went on otherwise.
    EndedOtherwise,
    /// The same steps in another order.
    OtherOrder,
}

impl Against {
    /// Stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::EndedOtherwise => "ended_otherwise",
            Self::OtherOrder => "other_order",
        }
    }
}

/// A session that speaks against a playbook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// Where.
    pub conversation: ConversationId,
    /// The message at which it shows.
    pub message: InteractionId,
    /// When.
    pub time: Timestamp,
    /// Why.
    pub why: Against,
}

/// A way of working that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Hexadecimal digits that follow from its steps alone: the same way of working is the same playbook wherever and whenever it is
    /// found.
    pub key: String,
    /// A title by rules.
    pub title: String,
    /// What is done.
    pub steps: Vec<Step>,
    /// What varies.
    pub parameters: Vec<Parameter>,
    /// Tools, each once, in the order of the steps.
    pub tools: Vec<String>,
    /// How sure.
    pub confidence: PlaybookConfidence,
    /// The sessions that show it.
    pub occurrences: Vec<Occurrence>,
    /// The sessions that speak against it.
    pub against: Vec<Contradiction>,
}

/// The playbooks in these sessions as they stand at `now`, the most frequent first.
///
/// Of each source those sessions count that began within [`LOOKBACK_DAYS`] before the last one: of what is used today these are the
/// last days, and an imported history ends with its export. What the sessions hold besides is not looked at.
pub fn discover<'s>(sessions: impl IntoIterator<Item = &'s Session>, now: Timestamp, scrubber: &Scrubber) -> Vec<Found> {
    let past: Vec<&Session> = sessions.into_iter().filter(|session| session.began() <= now).collect();
    let mut last: BTreeMap<&str, Timestamp> = BTreeMap::new();
    for session in &past {
        let last = last.entry(session.source.as_str()).or_insert(session.began());
        *last = session.began().max(*last);
    }
    let is_counted = |session: &Session| last.get(session.source.as_str()).is_some_and(|last| is_recent(session.began(), *last));
    let recent: Vec<&Session> = past.into_iter().filter(|session| is_counted(session)).collect();
    let corpus = mine::Corpus::of(&recent);
    let mut found: Vec<Found> = judge::held(&corpus)
        .into_iter()
        .map(|held| {
            let written = steps::write(&corpus, &held, scrubber);
            Found {
                key: key(&written.steps),
                title: steps::title(&written.steps),
                tools: steps::tools(&written.steps),
                steps: written.steps,
                parameters: written.parameters,
                confidence: held.confidence,
                occurrences: held.occurrences(&corpus),
                against: held.contradictions(&corpus),
            }
        })
        .collect();
    found.sort_by(|a, b| {
        b.occurrences.len().cmp(&a.occurrences.len()).then(b.steps.len().cmp(&a.steps.len())).then(a.key.cmp(&b.key))
    });
    found
}

fn key(steps: &[Step]) -> String {
    let mut hash = blake3::Hasher::new();
    for step in steps {
        hash.update(&(step.name.len() as u64).to_le_bytes());
        hash.update(step.name.as_bytes());
    }
    hash.finalize().to_hex()[..32].to_owned()
}
