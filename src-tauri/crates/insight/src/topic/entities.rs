//! Who and what a topic names: people, projects, technologies.
//!
//! By rules alone the people are those who took part: who else a name belongs to, and what is a project or a technology, a language
//! model says where one is chosen (`model`), and nobody otherwise.

use std::collections::BTreeMap;

use keepsake_domain::Role;
use serde::{Deserialize, Serialize};

use crate::Turn;

/// Names by kind, the most often named first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Entities {
    /// People.
    pub people: Vec<String>,
    /// Projects.
    pub projects: Vec<String>,
    /// Technologies.
    pub technologies: Vec<String>,
}

/// A longer list is an index.
const EACH_MAX: usize = 12;

/// The people who take part in these turns, beside what was named before.
pub fn entities(turns: &[Turn<'_>], before: &Entities) -> Entities {
    let mut people: BTreeMap<String, usize> = BTreeMap::new();
    for turn in turns.iter().filter(|turn| turn.is_plain() && turn.role != Role::Assistant) {
        let author = turn.author.trim();
        // "user" and "me" are what an export calls somebody, and no name.
        if author.chars().next().is_some_and(char::is_uppercase) {
            *people.entry(author.to_owned()).or_default() += 1;
        }
    }
    Entities { people: joined(people, &before.people), ..before.clone() }
}

/// What was named before keeps its place; what is new comes after it, the most often named first.
fn joined(counts: BTreeMap<String, usize>, before: &[String]) -> Vec<String> {
    let mut all: Vec<String> = before.to_vec();
    let mut new: Vec<(String, usize)> = counts.into_iter().filter(|(name, _)| !before.contains(name)).collect();
    new.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    all.extend(new.into_iter().map(|(name, _)| name));
    all.truncate(EACH_MAX);
    all
}
