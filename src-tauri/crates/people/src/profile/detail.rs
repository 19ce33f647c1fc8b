//! The amount of detail a person wants, which determines the size of the context served about them (seed 001: "dynamic based on
//! entity's observed preference for detail level").

use crate::profile::rules::WEIGHT_MIN;
use keepsake_domain::{DetailLevel, ProfileConfidence, ProfileEntry, ProfileId};

use super::reconcile::debunked_at;

/// The level of detail that a profile suggests, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedDetail {
    /// The level of detail.
    pub level: DetailLevel,
    /// The reason in one sentence, worded for a person. It refers to entries by their sentences and quotes no message.
    pub reason: String,
    /// The entries that the judgment is based on.
    pub because: Vec<ProfileId>,
}

/// The weight of each sign, by fingerprint, relative to a plain preference for a length.
///
/// The signs are findings of a language model; no word list interprets what a person says about length. A stated length is a
/// direct answer. Wanting only code, or the summary first, is primarily about format and only secondarily about length.
const SIGNS: &[(&str, i32)] = &[
    ("length=short", -6),
    ("length=detailed", 6),
    ("format:code=code only", -2),
    ("format:summary=summary first", -1),
    ("format:explanations=none", -2),
    ("format:explanations=with explanations", 2),
    ("format:examples=with examples", 1),
];

/// The amount of detail wanted by the person with this profile. Entries that are superseded, disputed or no longer true do not
/// count.
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
    // The strongest sign on the winning side comes first; of equally strong ones, the older entry.
    signs.retain(|(_, weight)| level == DetailLevel::Balanced || weight.signum() == total.signum());
    signs.sort_by(|(a, x), (b, y)| (y.abs(), &a.id).cmp(&(x.abs(), &b.id)));
    let reason = match (signs.first(), level) {
        (None, _) => "Nothing is known about the preferred level of detail.".to_owned(),
        (Some(_), DetailLevel::Balanced) => {
            "What is known about the preferred level of detail is too little or contradictory.".to_owned()
        }
        (Some((entry, _)), _) => format!("Because of this entry: {}.", entry.content.trim_end_matches('.')),
    };
    ObservedDetail { level, reason, because: signs.into_iter().map(|(entry, _)| entry.id.clone()).collect() }
}
