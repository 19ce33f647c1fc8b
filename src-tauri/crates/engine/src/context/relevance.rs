//! What of all that may be served helps with what is asked.
//!
//! The reader judges each line behind the ask (`training/asks`): whether it answers, constrains or corrects the answer, or would make it
//! fit the person better. What does neither is not served, and an empty context is a good answer. Without the reader, lines that no
//! search chose are kept where they share a word with what is asked.
//!
//! Deliberately not here: what may be served at all (`boundary`, `served`), and the room of sections.

use std::collections::{BTreeMap, BTreeSet};

use keepsake_capture::echo::Heading;
use keepsake_domain::DetailLevel;
use keepsake_models::SharedReader;

use super::Line;
use super::ways::stems;

/// Memories that are judged beside those that search finds: what constrains an answer shares no word with it. At some four hundred short
/// lines a second more would be felt.
pub(super) const MEMORIES_JUDGED: usize = 60;

/// From this probability on that a line is needed or useful it is served. On an author's asks that were not trained on, and on a
/// development life, most of what is needed lies above it and most of the rest below.
const HELPS_MIN: f64 = 0.5;

/// Lines that have nothing to do with what was asked, where nobody can judge: enough to know the person by, and no more.
const UNRELATED_MAX: usize = 3;

/// Lines that are served for one ask: what is needed comes first, and beyond a dozen an agent reads a file.
const fn lines_max(detail: DetailLevel) -> usize {
    match detail {
        DetailLevel::Brief => 6,
        DetailLevel::Balanced => 12,
        DetailLevel::Detailed => 24,
    }
}

/// Sections whose lines somebody chose already: the conversation itself, what was promised in it, and playbooks, which are told whole.
const CHOSEN: [Heading; 3] = [Heading::Conversation, Heading::Promised, Heading::Playbooks];

/// Lines by section.
pub(super) type Sections = BTreeMap<usize, Vec<Line>>;

/// Leaves the lines that help with what is asked, the most helpful first in each section, and each matter once: a memory often stands
/// beside the message it rests on. `false` where they could not be judged; then
/// nothing is changed.
pub(super) fn keep_helpful(reader: &SharedReader, asked: &str, sections: &mut Sections, detail: DetailLevel) -> bool {
    let is_chosen = |section: &usize| CHOSEN.iter().any(|chosen| *chosen as usize == *section);
    let judged: Vec<(usize, usize)> = sections
        .iter()
        .filter(|(section, _)| !is_chosen(section))
        .flat_map(|(section, lines)| (0..lines.len()).map(|at| (*section, at)))
        .collect();
    let words: Vec<&str> = judged.iter().map(|(section, at)| sections[section][*at].words.as_str()).collect();
    let help = match reader.help(asked, &words) {
        Ok(help) => help,
        Err(error) => {
            tracing::warn!(%error, "what helps with a question was not judged");
            return false;
        }
    };
    let mut scored: Vec<(f64, usize, usize)> = judged
        .into_iter()
        .zip(help)
        .map(|((section, at), help)| (help.needed + help.useful, section, at))
        .filter(|(score, ..)| *score >= HELPS_MIN)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut kept: Vec<&str> = Vec::new();
    scored.retain(|(_, section, at)| {
        let words = sections[section][*at].words.as_str();
        let is_told = kept.len() >= lines_max(detail) || kept.iter().any(|told| told.contains(words) || words.contains(*told));
        if !is_told {
            kept.push(words);
        }
        !is_told
    });
    for (section, lines) in sections.iter_mut().filter(|(section, _)| !is_chosen(section)) {
        let order: Vec<usize> = scored.iter().filter(|(_, of, _)| of == section).map(|(.., at)| *at).collect();
        let mut slots: Vec<Option<Line>> = std::mem::take(lines).into_iter().map(Some).collect();
        lines.extend(order.into_iter().filter_map(|at| slots.get_mut(at).and_then(Option::take)));
    }
    true
}

/// Of what no search chose, that which has a word of the question, and a little else.
pub(super) fn keep_related(asked: &str, sections: &mut Sections) {
    const NOT_SEARCHED: [Heading; 5] =
        [Heading::Profile, Heading::UserTier, Heading::AgentTier, Heading::SharedTier, Heading::Earlier];
    let wanted: BTreeSet<String> = stems(asked);
    let mut unrelated_left = UNRELATED_MAX;
    for section in NOT_SEARCHED {
        let Some(lines) = sections.get_mut(&(section as usize)) else { continue };
        lines.retain(|line| {
            if !stems(&line.text).is_disjoint(&wanted) {
                return true;
            }
            let is_kept = unrelated_left > 0;
            unrelated_left = unrelated_left.saturating_sub(1);
            is_kept
        });
    }
}
