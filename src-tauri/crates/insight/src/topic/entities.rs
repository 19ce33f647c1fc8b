//! The people, projects and technologies that a topic names.
//!
//! Without a model, the people are the participants. Only a language model, if one is configured (`model`), recognizes other
//! people, projects and technologies.

use crate::topic::rules::EACH_MAX;
use std::collections::BTreeMap;

use keepsake_domain::Role;
use serde::{Deserialize, Serialize};

use crate::Turn;

/// Names by kind, most frequent first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Entities {
    /// Names of people.
    pub people: Vec<String>,
    /// Names of projects.
    pub projects: Vec<String>,
    /// Names of technologies.
    pub technologies: Vec<String>,
}

/// Adds the participants of these turns to the names known before.
pub fn entities(turns: &[Turn<'_>], before: &Entities) -> Entities {
    let mut people: BTreeMap<String, usize> = BTreeMap::new();
    for turn in turns.iter().filter(|turn| turn.is_plain() && turn.role != Role::Assistant) {
        let author = turn.author.trim();
        // "user" and "me" are placeholders used by exports, not names.
        if author.chars().next().is_some_and(char::is_uppercase) {
            *people.entry(author.to_owned()).or_default() += 1;
        }
    }
    Entities { people: joined(people, &before.people), ..before.clone() }
}

/// Lists the known names in their previous order, followed by the new ones, most frequent first.
fn joined(counts: BTreeMap<String, usize>, before: &[String]) -> Vec<String> {
    let mut all: Vec<String> = before.to_vec();
    let mut new: Vec<(String, usize)> = counts.into_iter().filter(|(name, _)| !before.contains(name)).collect();
    new.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    all.extend(new.into_iter().map(|(name, _)| name));
    all.truncate(EACH_MAX);
    all
}
