//! Tests noninterference: two stores that differ only in what an observer may not see look the same to that observer.
//!
//! Each pair of stores is generated from a seed. Both stores have the same open part. Their hidden parts differ in wording,
//! in size, in how much of the open part they repeat, and in the person's decisions about them. The observer makes every kind
//! of context and search request; text, order, scores, counts and errors must be equal. The same test then runs with
//! deliberately broken policies, and with observers that filter too late. It must detect every one of them; otherwise it
//! proves nothing.
//!
//! The person's decisions about hidden proposals may differ too, with one exception: a dismissed statement is dismissed
//! wherever it is said (`Gate::Suppressed`), because a dismissal judges the statement itself and not where it was said.

mod looks;
mod maintenance;
mod pairs;
mod policies;
mod rooms;
mod world;

use std::path::Path;

use keepsake_store::{MemoryFilter, MemorySort};

use self::looks::{Look, broken_looks, look};
use self::pairs::{SECRETS, pair};
use self::policies::broken_policies;
use self::world::{World, template};
use super::PrivacyPolicy;
use crate::ContextRequest;

/// Number of pairs per run. Each pair takes about 0.2 seconds, and `make test` runs for every change; `make soak` uses 2,000
/// ([`PAIRS_VARIABLE`]).
const PAIRS: u64 = 200;

/// Environment variable that sets a different number of pairs.
const PAIRS_VARIABLE: &str = "KEEPSAKE_PAIRS";

fn pairs_wanted() -> u64 {
    std::env::var(PAIRS_VARIABLE).ok().and_then(|wanted| wanted.parse().ok()).unwrap_or(PAIRS)
}

/// A broken policy or observer must be noticed within this many pairs.
const PAIRS_UNTIL_NOTICED: u64 = 600;

/// The first difference that the observer sees between the two stores of a pair, if any.
fn difference(template: &Path, policy: PrivacyPolicy, look: Look, seed: u64) -> Option<String> {
    let pair = pair(seed);
    let audience = pair.observer.audience();
    let [one, other] = [0, 1].map(|side| look(&World::of(template, policy, &pair, side).engine, &audience));
    if one == other {
        return None;
    }
    let line = one.lines().zip(other.lines()).find(|(a, b)| a != b);
    Some(format!("pair {seed}, {:?}: {:?}", pair.observer, line.unwrap_or(("one is longer", ""))))
}

fn check_pairs(seeds: impl Iterator<Item = u64>) {
    let (_dir, template) = template();
    for seed in seeds {
        if let Some(difference) = difference(&template, PrivacyPolicy::DOMAIN, look, seed) {
            panic!("an observer can tell two stores apart that differ only in what is hidden from it: {difference}");
        }
    }
}

// Split in two so that two cores can share the work.
#[test]
fn what_is_hidden_changes_nothing_that_is_seen_first_half() {
    check_pairs(0..pairs_wanted() / 2);
}

#[test]
fn what_is_hidden_changes_nothing_that_is_seen_second_half() {
    check_pairs(pairs_wanted() / 2..pairs_wanted());
}

/// Checks that the observers see something; otherwise equal answers would mean nothing.
#[test]
fn the_generated_observers_do_see_what_is_open_to_them() {
    let (_dir, template) = template();
    let mut seen = [0; 3];
    for seed in 0..60 {
        let pair = pair(seed);
        let world = World::of(&template, PrivacyPolicy::DOMAIN, &pair, 0);
        let context = world
            .engine
            .serve()
            .context(&ContextRequest { audience: pair.observer.audience(), ..ContextRequest::default() })
            .unwrap();
        seen[0] += context.items.len();
        seen[2] += context.items.iter().filter(|item| item.kind == "profile").count();
        let (total, _) =
            world.engine.store().read(|tx| tx.memories().list(&MemoryFilter::default(), MemorySort::Oldest, 0, 1)).unwrap();
        seen[1] += total as usize;
        assert!(
            !SECRETS.iter().any(|secret| context.text.contains(secret)),
            "a hidden word stands in the context of {:?}: {}",
            pair.observer,
            context.text
        );
    }
    assert!(seen[0] > 60 * 2, "lines were served: {seen:?}");
    assert!(seen[1] > 60 * 3, "memories were made: {seen:?}");
    assert!(seen[2] > 30, "entries of profiles were served: {seen:?}");
}

#[test]
fn every_broken_boundary_is_noticed() {
    let (_dir, template) = template();
    let policies = broken_policies().into_iter().map(|(name, policy)| (name, policy, look as Look));
    let looks = broken_looks().into_iter().map(|(name, look)| (name, PrivacyPolicy::DOMAIN, look));
    let broken: Vec<_> = policies.chain(looks).collect();
    assert!(broken.len() >= 10, "at least ten holes are tried");
    for (name, policy, look) in broken {
        let noticed = (0..PAIRS_UNTIL_NOTICED).find(|seed| difference(&template, policy, look, *seed).is_some());
        assert!(noticed.is_some(), "the test does not notice when {name}");
    }
}
