//! Properties that hold for any sessions.

use keepsake_insight::playbook::{OCCURRENCES_MIN, TOOLS_MIN};
use proptest::prelude::*;

use crate::bench::{found, session};

const POOL: [&str; 8] = ["Edit a", "Read b", "cargo test", "git commit", "gh pr", "npm test", "!cargo test", "Grep c"];

fn scripts() -> impl Strategy<Value = Vec<Vec<usize>>> {
    prop::collection::vec(prop::collection::vec(0..POOL.len(), 0..9), 0..12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn every_playbook_keeps_the_rules_and_names_what_was_done(scripts in scripts(), turn in 0_usize..12) {
        let mut sessions: Vec<_> = scripts
            .iter()
            .enumerate()
            .flat_map(|(at, script)| {
                let script: Vec<&str> = script.iter().map(|one| POOL[*one]).collect();
                session(at as u128 + 1, at as i64 % 17, &script.join("; "))
            })
            .collect();
        let once = found(&sessions);
        for one in &once {
            prop_assert!(one.tools.len() >= TOOLS_MIN);
            prop_assert!(one.occurrences.len() >= OCCURRENCES_MIN);
            prop_assert!(one.occurrences.len() as f64 / (one.occurrences.len() + one.against.len()) as f64 >= 0.6);
            for occurrence in &one.occurrences {
                let of: Vec<_> = sessions.iter().filter(|session| session.conversation == occurrence.conversation).collect();
                let done: Vec<_> = occurrence
                    .messages
                    .iter()
                    .map(|id| of.iter().flat_map(|session| &session.uses).position(|one| one.message == *id).unwrap())
                    .collect();
                prop_assert!(done.windows(2).all(|pair| pair[0] < pair[1]), "in the order of the steps");
                let kinds: Vec<_> = done.iter().map(|at| of.iter().flat_map(|session| &session.uses).nth(*at).unwrap()).collect();
                for (use_, step) in kinds.iter().zip(&one.steps) {
                    prop_assert_eq!(&use_.kind.name, &step.name);
                    prop_assert!(!use_.has_failed);
                }
            }
            let supporting: Vec<_> = one.occurrences.iter().map(|o| (&o.conversation, o.began)).collect();
            prop_assert!(one.against.iter().all(|a| !supporting.iter().any(|(c, _)| **c == a.conversation)), "for or against");
        }
        let turn = turn.min(sessions.len());
        sessions.rotate_left(turn);
        prop_assert_eq!(found(&sessions), once, "the order in which sessions are read does not show");
    }
}
