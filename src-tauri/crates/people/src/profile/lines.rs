//! Groups the entity's lines by topic, across all conversations that are read together.

pub use crate::profile::rules::LINES_READ_MAX;
use keepsake_domain::{Facet, ProfileType};

use super::digest::{Digest, Line};
use super::entry::ProfileInput;
use super::reconcile::TOPIC;
use crate::text::{content_words, topic_of};

/// The lines of the `new` conversations and related lines from the earlier ones in `told`, grouped by topic. Each group is in the
/// order in which its lines were said.
pub(super) fn grouped<'d>(
    new: &[&'d Digest],
    told: &[&'d Digest],
    lines: impl Fn(&'d Digest) -> Vec<&'d Line>,
    input: &ProfileInput<'_>,
) -> Vec<Vec<&'d Line>> {
    let of = |digests: &[&'d Digest]| -> Vec<&'d Line> { digests.iter().flat_map(|digest| lines(digest)).collect() };
    let mut all = of(new);
    if !told.is_empty() {
        all = beside(all, of(told), input);
    }
    all.sort_by(|a, b| (a.time, &a.interaction, &a.place).cmp(&(b.time, &b.interaction, &b.place)));
    let mut groups: Vec<Vec<&Line>> = Vec::new();
    for line in all.split_off(all.len().saturating_sub(LINES_READ_MAX)) {
        // The first line represents the group, because similarity is not transitive.
        match groups.iter_mut().find(|known| known[0].topic.is_same(&line.topic, input.similarity)) {
            // Lines repeated within one message count once.
            Some(known) if known.last().is_some_and(|last| last.interaction == line.interaction) => {}
            Some(known) => known.push(line),
            None => groups.push(vec![line]),
        }
    }
    groups
}

/// The new lines, the known lines that are similar to a new line, and the known lines that are similar to one of those known
/// lines, because one line may represent the group of both. All other known lines form the same groups with or without the new
/// lines.
fn beside<'d>(new: Vec<&'d Line>, known: Vec<&'d Line>, input: &ProfileInput<'_>) -> Vec<&'d Line> {
    // With this many lines, comparing them costs more than grouping them.
    if new.len() * known.len() > LINES_READ_MAX * LINES_READ_MAX {
        return new.into_iter().chain(known).collect();
    }
    let is_near = |line: &Line, others: &[&Line]| others.iter().any(|other| other.topic.is_same(&line.topic, input.similarity));
    let (near, far): (Vec<&Line>, Vec<&Line>) = known.into_iter().partition(|line| is_near(line, &new));
    let second: Vec<&Line> = far.into_iter().filter(|line| is_near(line, &near)).collect();
    new.into_iter().chain(near).chain(second).collect()
}

/// The topic of a group, named by its first line: the words of that line that at least half of the group shares, or else all
/// its words. A known topic keeps its name, even if more lines would suggest a different one.
pub(super) fn name_of(group: &[&Line], profile_type: ProfileType, input: &ProfileInput<'_>) -> Option<Facet> {
    let first = group.first()?;
    let shared = |stem: &str| 2 * group.iter().filter(|line| line.topic.has(stem)).count() >= group.len();
    let known = input.entries.iter().find(|entry| {
        entry.profile_type == profile_type
            && entry.facet.kind() == TOPIC
            && entry.superseded_at.is_none()
            && entry.evidence.as_slice().iter().any(|place| group.iter().any(|line| line.interaction == place.interaction))
            && entry.facet.detail().is_some_and(|detail| content_words(detail).iter().any(|word| shared(word)))
    });
    match known {
        Some(entry) => Some(entry.facet.clone()),
        None => topic_of(&first.text, shared).or_else(|| topic_of(&first.text, |_| true)),
    }
}
