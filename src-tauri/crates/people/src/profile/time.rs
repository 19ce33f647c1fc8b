//! Time travel: what was believed on a date, and what was true on that date as far as is known today.
//!
//! The two may differ. On May 1, a message from April may have led to the belief that someone prefers long answers. A message
//! from March that is imported in June may show that this had long stopped being true by May 1.

use std::collections::HashMap;

use keepsake_domain::{ProfileEntry, Timestamp};

use super::reconcile::{debunked_at, ends, slot};

/// The entries that the profile contained at `time`: written by then, and not yet superseded or disputed.
pub fn believed_at(entries: &[ProfileEntry], time: Timestamp) -> Vec<&ProfileEntry> {
    let is_over = |end: Option<Timestamp>| end.is_some_and(|end| end <= time);
    let mut believed: Vec<&ProfileEntry> = entries
        .iter()
        .filter(|entry| entry.created_at <= time && !is_over(entry.superseded_at) && !is_over(debunked_at(entry, entries)))
        .collect();
    sort(&mut believed);
    believed
}

/// The entries that were true at `time`, as far as is known now.
///
/// An entry is valid from its `valid_from` until its `valid_to`, or until the entry that superseded it begins, whichever comes
/// first. A new version of the same statement, or one that begins no later than its predecessor, corrects the predecessor, which
/// then was never true. A disputed statement was never true, in any version. Of several entries about the same thing, the one
/// that began last was true; of two that began together, the one with a known end.
pub fn true_at(entries: &[ProfileEntry], time: Timestamp) -> Vec<&ProfileEntry> {
    let ends = ends(entries);
    let mut held: HashMap<_, &ProfileEntry> = HashMap::new();
    for entry in entries {
        let is_over = |end: Option<&Timestamp>| end.is_some_and(|end| *end <= time);
        if entry.valid_from > time
            || is_over(entry.valid_to.as_ref())
            || is_over(ends.get(&entry.id))
            || debunked_at(entry, entries).is_some()
        {
            continue;
        }
        let key = slot(entry.profile_type, &entry.facet);
        let began = |entry: &ProfileEntry| (entry.valid_from, entry.valid_to.is_some(), entry.created_at, entry.id.clone());
        match held.get(&key) {
            Some(other) if began(other) >= began(entry) => {}
            _ => _ = held.insert(key, entry),
        }
    }
    let mut held: Vec<&ProfileEntry> = held.into_values().collect();
    sort(&mut held);
    held
}

/// Sorts by type, facet and start, so that the order does not depend on storage.
fn sort(entries: &mut [&ProfileEntry]) {
    entries.sort_by(|a, b| (a.profile_type, &a.facet, a.valid_from, &a.id).cmp(&(b.profile_type, &b.facet, b.valid_from, &b.id)));
}
