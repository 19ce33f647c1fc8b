//! How much detail somebody wants: the judgement that sizes the context served to them (seed 001: "dynamic based on entity's
//! observed preference for detail level").

use keepsake_domain::{DetailLevel, ProfileConfidence, ProfileEntry, ProfileId};

use super::reconcile::debunked_at;

/// A judgement with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedDetail {
    /// How much.
    pub level: DetailLevel,
    /// One sentence for a person: why. It names entries by their sentences and quotes no message.
    pub reason: String,
    /// The entries that it rests on.
    pub because: Vec<ProfileId>,
}

/// What each sign says, by fingerprint, and how much it counts beside a plain preference for a length.
///
/// These are a language model's findings: no list of words here tells what a person's own words say of length. A stated length is what was asked. That only code is wanted, or the summary first, speaks of format before it speaks of
/// length.
const SIGNS: &[(&str, i32)] = &[
    ("length=short", -6),
    ("length=detailed", 6),
    ("format:code=code only", -2),
    ("format:summary=summary first", -1),
    ("format:explanations=none", -2),
    ("format:explanations=with explanations", 2),
    ("format:examples=with examples", 1),
];

/// Weights below this are a hint and no wish.
const WEIGHT_MIN: i32 = 2;

/// How much detail the person wants whose profile this is. Entries that were superseded, debunked or are no longer true say nothing.
pub fn observed_detail(profile: &[ProfileEntry]) -> ObservedDetail {
    let mut signs: Vec<(&ProfileEntry, i32)> = profile
        .iter()
        .filter(|entry| entry.is_live() && entry.valid_to.is_none() && debunked_at(entry, profile).is_none())
        .filter_map(|entry| {
            let (_, weight) = SIGNS.iter().find(|(fingerprint, _)| *fingerprint == entry.fingerprint)?;
            let sureness = match entry.confidence {
                ProfileConfidence::Low => 1,
                ProfileConfidence::Medium => 2,
                ProfileConfidence::High => 3,
            };
            Some((entry, weight * sureness))
        })
        .collect();
    let total: i32 = signs.iter().map(|(_, weight)| weight).sum();
    let level = match total {
        _ if total.abs() < WEIGHT_MIN => DetailLevel::Balanced,
        ..0 => DetailLevel::Brief,
        _ => DetailLevel::Detailed,
    };
    // The strongest sign on the side that won comes first; of equals the older row.
    signs.retain(|(_, weight)| level == DetailLevel::Balanced || weight.signum() == total.signum());
    signs.sort_by(|(a, x), (b, y)| (y.abs(), &a.id).cmp(&(x.abs(), &b.id)));
    let reason = match (signs.first(), level) {
        (None, _) => "Nothing is known about how much detail is wanted.".to_owned(),
        (Some(_), DetailLevel::Balanced) => {
            "What is known about the wanted detail is too little, or speaks both ways.".to_owned()
        }
        (Some((entry, _)), _) => format!("Because of this entry: {}.", entry.content.trim_end_matches('.')),
    };
    ObservedDetail { level, reason, because: signs.into_iter().map(|(entry, _)| entry.id.clone()).collect() }
}
