//! Which playbooks are found and which are not.

use keepsake_domain::{PlaybookConfidence, Timestamp};
use keepsake_insight::playbook::{Against, Session, discover};

use crate::bench::{NOW, all, found, names, scrubber, session};

const RELEASE: &str = "Edit CHANGELOG.md; cargo test; git commit -m x; gh release create v1.0.0";

fn check(scripts: &[&str], expect: &[&[&str]]) {
    let found = found(&all(scripts));
    let found: Vec<Vec<&str>> = found.iter().map(names).collect();
    assert_eq!(found, expect, "{scripts:?}");
}

const STEPS: &[&str] = &["Edit", "cargo test", "git commit", "gh release create"];

#[test]
fn four_tools_in_three_sessions_make_a_playbook() {
    check(&[RELEASE; 3], &[STEPS]);
}

#[test]
fn three_tools_make_none() {
    // Four steps, but two of them use the same program.
    check(&["Edit CHANGELOG.md; cargo test; git commit -m x; git push"; 3], &[]);
    check(&["Edit CHANGELOG.md; cargo test; git commit -m x; git push; git tag v1; cargo publish"; 3], &[]);
}

#[test]
fn two_occurrences_make_none() {
    check(&[RELEASE; 2], &[]);
    // Three repetitions within one session count as one occurrence: a loop on a single afternoon.
    check(&[&[RELEASE; 3].join("; "), "Read a", "Read b"], &[]);
}

#[test]
fn three_stretches_of_one_conversation_with_a_night_between_are_three_occurrences() {
    let mut sessions = Vec::new();
    for day in [1, 2, 3] {
        let mut one = session(10 + day as u128, day, RELEASE);
        one.iter_mut().for_each(|session| session.conversation = "conv_1".parse().unwrap());
        sessions.extend(one);
    }
    assert_eq!(found(&sessions).len(), 1);
}

#[test]
fn fourteen_days_before_the_last_session_count_and_fifteen_do_not() {
    let days = |ages: [i64; 3]| -> Vec<Session> {
        ages.into_iter().zip(1..).flat_map(|(age, number)| session(number, age, RELEASE)).collect()
    };
    let count = |sessions: &[Session], now: Timestamp| discover(sessions, now, &scrubber()).len();
    assert_eq!(count(&days([0, 1, 14]), NOW), 1, "two weeks before the last to the day");
    assert_eq!(count(&days([0, 1, 15]), NOW), 0, "fifteen days before the last");
    assert_eq!(count(&days([700, 701, 714]), NOW), 1, "an imported history ends two years ago");
    assert_eq!(count(&days([700, 701, 715]), NOW), 0);
    let sessions = days([0, 1, 2]);
    assert_eq!(count(&sessions, Timestamp(sessions[0].began().0 - 1)), 0, "what is yet to come is not seen");
    let mut border = days([0, 1, 15]);
    border[2].uses[0].time.0 += 1;
    assert_eq!(count(&border, NOW), 1, "a millisecond less than fifteen days");
}

#[test]
fn each_source_has_days_of_its_own() {
    let mut sessions: Vec<Session> =
        [400, 401, 402].into_iter().zip(1..).flat_map(|(age, number)| session(number, age, RELEASE)).collect();
    sessions.extend(session(9, 0, "Read a; Grep b"));
    assert_eq!(discover(&sessions, NOW, &scrubber()).len(), 0, "of this source these are long past");
    for old in &mut sessions[..3] {
        old.source = "another-program".to_owned();
    }
    assert_eq!(discover(&sessions, NOW, &scrubber()).len(), 1, "what another source holds of these days changes nothing");
}

#[test]
fn steps_are_found_among_others_and_not_across_half_a_session() {
    let other = "Edit CHANGELOG.md; Read a; Grep b; cargo test; ls; git commit -m x; Read c; gh release create v2";
    check(&[RELEASE, other, other], &[STEPS]);
    let far = "Edit CHANGELOG.md; cargo test; git commit -m x; a; b; c; d; gh release create v2";
    check(&[RELEASE, RELEASE, far], &[STEPS]);
    let farther = "Edit CHANGELOG.md; cargo test; git commit -m x; a; b; c; d; e; gh release create v2";
    check(&[RELEASE, RELEASE, farther], &[]);
}

#[test]
fn a_release_stands_out_among_everyday_work() {
    let release = "Read Cargo.toml; Edit Cargo.toml; Edit CHANGELOG.md; cargo test; git commit -m \"Release\"; git tag v1.0.0; gh release create v1.0.0";
    let everyday = [
        "Read a; Grep b; Edit a; cargo test; git commit -m one",
        "Grep x; Read y; Read z; Edit y; cargo check; Edit y; cargo test",
        "Read q; Edit q; !cargo test; Edit q; cargo test; git status; git commit -m two; git push",
        "WebFetch https://a.test; Write notes.md; Read notes.md",
        "Glob *.rs; Read a; Read b; Edit b; cargo clippy; Edit b",
        "npm run build; Edit ui.ts; npm run test; Read ui.ts",
        "Edit a; Read b; cargo test; Grep c; Read d",
        "git log; git diff; Read a",
    ];
    let scripts: Vec<&str> = [release; 4].into_iter().chain(everyday).collect();
    let found = found(&all(&scripts));
    assert_eq!(found.len(), 1, "{:?}", found.iter().map(names).collect::<Vec<_>>());
    assert_eq!(names(&found[0]), ["Read", "Edit", "cargo test", "git commit", "git tag", "gh release create"]);
    assert_eq!(found[0].steps[1].text, "Edit CHANGELOG.md Cargo.toml", "what is edited each time");
    assert_eq!(found[0].occurrences.len(), 4);
}

#[test]
fn sessions_that_begin_the_same_way_and_end_otherwise_speak_against() {
    let otherwise =
        ["Read a", "Grep b", "git status"].map(|end| format!("Edit CHANGELOG.md; cargo test; git commit -m x; {end}"));
    let found_in = |against: usize| {
        let scripts: Vec<&str> = [RELEASE; 3].into_iter().chain(otherwise[..against].iter().map(String::as_str)).collect();
        found(&all(&scripts))
    };
    assert_eq!(found_in(0)[0].confidence, PlaybookConfidence::Medium);
    let with_two = found_in(2);
    assert_eq!(with_two[0].against.len(), 2);
    assert!(with_two[0].against.iter().all(|one| one.why == Against::EndedOtherwise));
    assert!(found_in(3).is_empty(), "as many otherwise as so: low, and low is no candidate");
}

#[test]
fn everyday_work_does_not_speak_against_what_it_only_begins_like() {
    let everyday = "Edit a; cargo test; Read b";
    let scripts: Vec<&str> = [RELEASE; 3].into_iter().chain([everyday; 12]).collect();
    let found = found(&all(&scripts));
    assert_eq!((found[0].occurrences.len(), found[0].against.len()), (3, 0), "before its rarest step it is any work");
}

#[test]
fn five_of_five_are_sure() {
    assert_eq!(found(&all(&[RELEASE; 5]))[0].confidence, PlaybookConfidence::High);
    assert_eq!(found(&all(&[RELEASE; 4]))[0].confidence, PlaybookConfidence::Medium);
}

#[test]
fn a_step_that_failed_is_no_step_and_speaks_against() {
    let failed = "Edit CHANGELOG.md; cargo test; git commit -m x; !gh release create v1";
    check(&[RELEASE, RELEASE, failed], &[]);
    let found = found(&all(&[RELEASE, RELEASE, RELEASE, failed]));
    assert_eq!(found[0].against.iter().map(|one| one.why).collect::<Vec<_>>(), [Against::Failed]);
    let mended = "Edit CHANGELOG.md; !cargo test; cargo test; git commit -m x; gh release create v1";
    check(&[RELEASE, RELEASE, mended], &[STEPS]);
}

#[test]
fn tools_that_are_used_in_every_order_are_no_way_of_working() {
    let orders = [
        "Read a; Grep b; Edit c; cargo test", "Grep a; Read b; Edit c; cargo test", "Edit a; Read b; Grep c; cargo test",
        "cargo test; Read a; Grep b; Edit c", "Read a; Edit b; Grep c; cargo test", "Grep a; Edit b; cargo test; Read c",
    ];
    let scripts: Vec<&str> = orders.iter().cycle().take(24).copied().collect();
    check(&scripts, &[]);
}

#[test]
fn what_varies_becomes_a_parameter_and_one_that_varies_together_is_one() {
    let found = found(&all(&[
        "Edit /home/mara/app/CHANGELOG.md; cargo test -p core; git tag v1.2.0; gh release create v1.2.0 --notes-file one.md",
        "Edit /home/mara/app/CHANGELOG.md; cargo test -p core; git tag v1.3.0; gh release create v1.3.0 --notes-file two.md",
        "Edit /home/mara/app/CHANGELOG.md; cargo test -p core; git tag v2.0.0; gh release create v2.0.0 --notes-file two.md",
    ]));
    let texts: Vec<&str> = found[0].steps.iter().map(|step| step.text.as_str()).collect();
    assert_eq!(
        texts,
        ["Edit CHANGELOG.md", "cargo test -p core", "git tag {version}", "gh release create {version} --notes-file {notes_file}"]
    );
    let parameters: Vec<_> = found[0].parameters.iter().map(|one| (one.name.as_str(), one.steps.clone(), one.values)).collect();
    assert_eq!(parameters, [("version", vec![3, 4], 3), ("notes_file", vec![4], 2)]);
    assert_eq!(found[0].tools, ["Edit", "cargo", "git", "gh"]);
    assert_eq!(found[0].title, "gh release create after Edit, cargo test and git tag");
}

#[test]
fn a_secret_that_stays_the_same_is_not_written_down() {
    let secret = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";
    let script =
        format!("Edit CHANGELOG.md; cargo test; git push; curl -H \"Authorization: Bearer {secret}\" https://api.example.org/x");
    let found = found(&all(&[&script, &script, &script]));
    assert_eq!(found.len(), 1);
    let all = format!("{:?} {:?} {}", found[0].steps, found[0].parameters, found[0].title);
    assert!(!all.contains(secret), "{all}");
    assert!(all.contains("curl"), "the step is there: {all}");
}

#[test]
fn two_ways_of_working_are_two_and_a_part_of_one_is_none() {
    let review = "gh pr checkout 7; npm run test; Grep x; Write review.md";
    let found = found(&all(&[RELEASE, review, RELEASE, review, RELEASE, review, RELEASE]));
    let found: Vec<Vec<&str>> = found.iter().map(names).collect();
    assert_eq!(found, [STEPS.to_vec(), vec!["gh pr checkout", "npm run test", "Grep", "Write"]]);
}

#[test]
fn four_hundred_noisy_sessions_are_looked_through_in_bounded_work() {
    // A made-up year of random everyday work that includes twelve releases.
    let pool = [
        "Read a", "Grep b", "Edit c", "cargo test", "cargo check", "git status", "git diff", "git commit -m x", "Glob d",
        "Write e",
    ];
    let mut state = 7_u64;
    let mut roll = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut sessions = Vec::new();
    for number in 0..400_u128 {
        let length = 20 + roll(40);
        let mut script: Vec<&str> = (0..length).map(|_| pool[roll(pool.len())]).collect();
        if number % 33 == 0 {
            let at = roll(script.len());
            script.splice(at..at, ["Edit Cargo.toml", "cargo publish", "git tag v1", "gh release create v1", "npm publish"]);
        }
        sessions.extend(session(number + 1, (number % 14) as i64 + 1, &script.join("; ")));
    }
    let found = found(&sessions);
    let found: Vec<Vec<&str>> = found.iter().map(names).collect();
    let releases: Vec<_> = found.iter().filter(|names| names.contains(&"gh release create")).collect();
    assert_eq!(releases.len(), 1, "{found:?}");
    assert!(releases[0].ends_with(&["cargo publish", "git tag", "gh release create", "npm publish"]), "{releases:?}");
    assert_eq!(found.len(), 1, "noise makes none: {found:?}");
}
