//! Time travel: what was believed on a date, and what, as far as is known today, was true on it.
//!
//! The two differ. On 1 May it may have been believed that somebody prefers long answers, from a message of April; a message of
//! March that is imported in June may show that on 1 May it had long been otherwise.

use std::collections::HashMap;

use keepsake_domain::{ProfileEntry, Timestamp};

use super::reconcile::{debunked_at, ends, slot};

/// The entries that stood in the profile at `time`: written by then, and neither superseded nor debunked yet.
pub fn believed_at(entries: &[ProfileEntry], time: Timestamp) -> Vec<&ProfileEntry> {
    let is_over = |end: Option<Timestamp>| end.is_some_and(|end| end <= time);
    let mut believed: Vec<&ProfileEntry> = entries
        .iter()
        .filter(|entry| entry.created_at <= time && !is_over(entry.superseded_at) && !is_over(debunked_at(entry, entries)))
        .collect();
    sort(&mut believed);
    believed
}

/// The entries that held at `time`, as far as is known now.
///
/// An entry holds from its `valid_from` until its `valid_to` or until the entry that superseded it begins, whichever is first; a
/// version of the same statement, or one that begins as early, corrects its predecessor, which then never held. What was debunked
/// never held, in none of its versions. Of entries about the same the one that began last is the one that held, and of two that
/// began together the one whose end is known.
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

/// In an order that says nothing about storage: by type, by facet, by when they began.
fn sort(entries: &mut [&ProfileEntry]) {
    entries.sort_by(|a, b| (a.profile_type, &a.facet, a.valid_from, &a.id).cmp(&(b.profile_type, &b.facet, b.valid_from, &b.id)));
}
