//! Versions, corrections, disputes and time travel.

use keepsake_domain::{DetailLevel, ProfileConfidence, ProfileEntry, ProfileOrigin, Timestamp};
use keepsake_people::profile::{Change, EVIDENCE_MAX, Finding, Strength, believed_at, correction, observed_detail, true_at};
use proptest::prelude::*;

use crate::given::{Book, day, finding};

use ProfileOrigin::{BuiltIn, Model};
use Strength::{Lasting, Passing, Stated};

fn fingerprints(entries: &[&ProfileEntry]) -> Vec<String> {
    entries.iter().map(|entry| entry.fingerprint.clone()).collect()
}

#[test]
fn the_same_twice_is_one_entry_and_more_of_it_a_surer_version() {
    let mut book = Book::default();
    let first = [finding(1, "length", "short", Passing)];
    assert_eq!(book.take(&first, BuiltIn, day(50)), 1);
    assert_eq!(book.take(&first, BuiltIn, day(51)), 0, "deriving twice changes nothing");
    assert_eq!(book.entries[0].confidence, ProfileConfidence::Low);
    let more = [first[0].clone(), finding(2, "length", "short", Passing)];
    assert_eq!(book.take(&more, BuiltIn, day(52)), 1);
    assert_eq!(book.entries[1].supersedes.as_ref(), Some(&book.entries[0].id), "a version more, and the old one still there");
    assert_eq!(book.entries[1].confidence, ProfileConfidence::Medium);
    assert_eq!(book.entries[1].valid_from, day(1));
    assert_eq!(book.entries[0].evidence.as_slice().len(), 1, "which is as it was");
}

#[test]
fn a_full_entry_gets_no_new_version_for_more_of_the_same() {
    let mut book = Book::default();
    let many: Vec<Finding> = (1..40).map(|n| finding(n, "length", "short", Passing)).collect();
    book.take(&many[..30], BuiltIn, day(50));
    assert_eq!(book.entries[0].evidence.as_slice().len(), EVIDENCE_MAX);
    assert_eq!(book.take(&many, BuiltIn, day(51)), 0);
}

#[test]
fn a_newer_contrary_preference_supersedes_and_the_older_keeps_its_dates() {
    let findings = [finding(1, "length", "short", Stated), finding(9, "length", "detailed", Stated)];
    let mut step_by_step = Book::default();
    step_by_step.take(&findings[..1], BuiltIn, day(2));
    step_by_step.take(&findings, BuiltIn, day(10));
    let mut at_once = Book::default();
    at_once.take(&findings, BuiltIn, day(10));
    for (book, how) in [(&step_by_step, "step by step"), (&at_once, "at once")] {
        assert_eq!(book.holds(), ["length=detailed"], "{how}");
        for (on, expect) in [(0, None), (1, Some("length=short")), (8, Some("length=short")), (9, Some("length=detailed"))] {
            assert_eq!(fingerprints(&true_at(&book.entries, day(on))).first().map(String::as_str), expect, "{how}, day {on}");
        }
    }
    assert_eq!(fingerprints(&believed_at(&step_by_step.entries, day(9))), ["length=short"], "on day 9 it was not known yet");
    assert_eq!(fingerprints(&believed_at(&step_by_step.entries, day(10))), ["length=detailed"]);
    assert!(believed_at(&step_by_step.entries, day(1)).is_empty(), "nothing was believed before it was derived");
}

#[test]
fn an_older_message_that_comes_in_late_does_not_change_what_holds() {
    let late = [finding(1, "length", "detailed", Stated), finding(9, "length", "short", Stated)];
    let mut book = Book::default();
    book.take(&late[1..], BuiltIn, day(10));
    assert_eq!(book.take(&late, BuiltIn, day(11)), 1);
    assert_eq!(book.holds(), ["length=short"]);
    assert_eq!(fingerprints(&true_at(&book.entries, day(5))), ["length=detailed"]);
    assert_eq!(book.take(&late, BuiltIn, day(12)), 0);
}

#[test]
fn one_passing_word_is_an_exception_to_what_always_holds_and_a_second_a_change_of_mind() {
    let always = finding(1, "length", "detailed", Lasting);
    let once = finding(5, "length", "short", Passing);
    let again = finding(6, "length", "short", Passing);
    let mut book = Book::default();
    book.take(&[always.clone(), once.clone()], BuiltIn, day(10));
    assert_eq!(book.holds(), ["length=detailed"]);
    book.take(
        &[always.clone(), once.clone(), finding(6, "length", "detailed", Passing), finding(7, "length", "short", Passing)],
        BuiltIn,
        day(11),
    );
    assert_eq!(book.holds(), ["length=detailed"], "two exceptions with the rule between them");
    let mut book = Book::default();
    book.take(&[always, once, again], BuiltIn, day(10));
    assert_eq!(book.holds(), ["length=short"]);
    assert_eq!(fingerprints(&true_at(&book.entries, day(5))), ["length=short"], "from its first word on");
}

#[test]
fn a_correction_by_a_person_is_never_overridden() {
    let mut book = Book::default();
    book.take(&[finding(1, "length", "short", Stated)], BuiltIn, day(2));
    let change = correction(&book.entries[0], "Prefers  long answers about law");
    assert!(matches!(&change, Change::Supersede { entry, .. } if entry.content == "Prefers long answers about law"));
    book.write(vec![change], day(3));
    for origin in [BuiltIn, Model] {
        let later: Vec<Finding> =
            ["short", "detailed", "short"].iter().zip(1..).map(|(value, n)| finding(n * 7, "length", value, Lasting)).collect();
        assert_eq!(book.take(&later, origin, day(40)), 0, "{origin}");
    }
    assert_eq!(fingerprints(&true_at(&book.entries, day(1))).len(), 1);
    assert_eq!(true_at(&book.entries, day(1))[0].origin, ProfileOrigin::Person, "it holds from when the corrected one did");
    // The control: without the correction, the same words do change the profile.
    let mut uncorrected = Book::default();
    uncorrected.take(&[finding(1, "length", "short", Stated)], BuiltIn, day(2));
    assert_ne!(uncorrected.take(&[finding(14, "length", "detailed", Lasting)], BuiltIn, day(40)), 0);
}

#[test]
fn what_was_debunked_stays_away_and_only_newer_and_contrary_words_lead_elsewhere() {
    let mut book = Book::default();
    let old = [finding(1, "length", "short", Lasting), finding(2, "length", "short", Lasting)];
    book.take(&old, BuiltIn, day(3));
    book.debunk("length=short", day(10));
    let check = |book: &Book, findings: &[Finding], holds: &[&str], why: &str| {
        let mut book = book.clone();
        book.take(findings, BuiltIn, day(60));
        book.take(findings, Model, day(61));
        assert_eq!(book.holds(), holds, "{why}");
    };
    check(&book, &old, &[], "the same words once more");
    check(&book, &[finding(30, "length", "short", Lasting)], &[], "new words that say the same");
    check(&book, &[finding(9, "length", "detailed", Lasting)], &[], "contrary words that are older than the debunking");
    check(&book, &[finding(11, "length", "detailed", Stated)], &["length=detailed"], "newer and contrary");
    check(&book, &[finding(9, "language", "german", Stated)], &["language=german"], "something else is not touched");
    check(&Book::default(), &old, &["length=short"], "the control: nothing was debunked");
    assert!(true_at(&book.entries, day(5)).is_empty(), "what was debunked never was so");
    assert_eq!(believed_at(&book.entries, day(5)).len(), 1, "but it was believed");
}

#[test]
fn a_debunked_topic_does_not_come_back_under_another_name() {
    let topic =
        |n, facet: &str| Finding { profile_type: keepsake_domain::ProfileType::Needs, ..finding(n, facet, "asks", Passing) };
    let mut book = Book::default();
    book.take(&[topic(1, "topic:deployment status")], BuiltIn, day(2));
    book.debunk("topic:deployment status=asks", day(3));
    assert_eq!(book.take(&[topic(20, "topic:status of the deployments")], BuiltIn, day(30)), 0);
    assert_eq!(book.take(&[topic(20, "topic:train to lyon")], BuiltIn, day(30)), 1, "the control: another topic");
}

#[test]
fn a_topic_that_is_known_keeps_its_name_in_other_words() {
    let needs =
        |n, facet: &str| Finding { profile_type: keepsake_domain::ProfileType::Needs, ..finding(n, facet, "asks", Passing) };
    let mut book = Book::default();
    book.take(&[needs(1, "topic:deployment status")], BuiltIn, day(10));
    book.take(&[needs(2, "topic:status of the deployments")], Model, day(11));
    assert_eq!(book.holds(), ["topic:deployment status=asks"], "one need and not two");
    let count = book.entries.len();
    book.take(&[needs(1, "topic:deployment status")], BuiltIn, day(12));
    book.take(&[needs(2, "topic:status of the deployments")], Model, day(13));
    assert_eq!(book.entries.len(), count, "and no version more");
}

#[test]
fn both_engines_share_one_entry_and_do_not_wear_each_other_out() {
    let built_in = [finding(1, "length", "short", Stated)];
    let model = [Finding { content: "Prefers brief replies".to_owned(), ..finding(2, "length", "short", Stated) }];
    let mut book = Book::default();
    book.take(&built_in, BuiltIn, day(10));
    book.take(&model, Model, day(11));
    let count = book.entries.len();
    assert_eq!(book.entries[count - 1].content, "Prefers short", "one wording");
    for round in 0..4 {
        book.take(&built_in, BuiltIn, day(20 + round));
        book.take(&model, Model, day(30 + round));
    }
    assert_eq!(book.entries.len(), count, "no version more");
}

#[test]
fn the_wanted_detail_is_judged_from_what_holds_and_says_why() {
    let check = |findings: &[Finding], expect: DetailLevel, reason: &str| {
        let mut book = Book::default();
        book.take(findings, BuiltIn, day(50));
        let observed = observed_detail(&book.entries);
        assert_eq!((observed.level, observed.reason.as_str()), (expect, reason));
        assert_eq!(observed.because.is_empty(), reason.starts_with("Nothing"));
    };
    check(&[], DetailLevel::Balanced, "Nothing is known about the preferred level of detail.");
    check(
        &[finding(1, "language", "german", Lasting)],
        DetailLevel::Balanced,
        "Nothing is known about the preferred level of detail.",
    );
    check(&[finding(1, "length", "short", Passing)], DetailLevel::Brief, "Because of this entry: Prefers short.");
    check(
        &[finding(1, "length", "short", Stated), finding(9, "length", "detailed", Stated)],
        DetailLevel::Detailed,
        "Because of this entry: Prefers detailed.",
    );
    check(
        &[finding(1, "format:summary", "summary first", Passing)],
        DetailLevel::Balanced,
        "What is known about the preferred level of detail is too little or contradictory.",
    );
}

fn any_findings() -> impl Strategy<Value = Vec<Finding>> {
    let one =
        (1..40_i64, 0..3_usize, 0..3_usize, 0..3_usize, any::<bool>()).prop_map(|(n, facet, value, strength, same_moment)| {
            let facet = ["length", "language", "topic:deployment status"][facet];
            let mut found = finding(n, facet, ["short", "detailed", "german"][value], [Passing, Stated, Lasting][strength]);
            if same_moment {
                found.time = day(7);
            }
            found
        });
    // A message has only one time.
    prop::collection::vec(one, 0..14).prop_map(|mut findings| {
        findings.sort_by(|a, b| a.place.cmp(&b.place));
        findings.dedup_by(|a, b| a.place == b.place);
        findings
    })
}

fn shown(book: &Book, time: Timestamp) -> Vec<(String, ProfileConfidence)> {
    true_at(&book.entries, time).iter().map(|entry| (entry.fingerprint.clone(), entry.confidence)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn deriving_twice_changes_nothing_and_the_order_does_not_matter(
        (findings, shuffled) in any_findings().prop_flat_map(|findings| (Just(findings.clone()), Just(findings).prop_shuffle()))
    ) {
        let mut book = Book::default();
        book.take(&findings, BuiltIn, day(50));
        let again = book.clone();
        prop_assert_eq!(book.take(&findings, BuiltIn, day(51)), 0);
        prop_assert_eq!(&book, &again);
        let mut other = Book::default();
        other.take(&shuffled, BuiltIn, day(50));
        prop_assert_eq!(&other, &book);
    }

    #[test]
    fn what_is_learnt_step_by_step_is_what_is_learnt_at_once(findings in any_findings(), cut in 0..40_i64, forward in any::<bool>()) {
        // A later message may show that an earlier one was an exception, but an entry already written is not withdrawn. So
        // lasting statements are left out when messages are read from newest to oldest.
        let calm = |finding: &Finding| Finding { strength: if forward { finding.strength } else { finding.strength.min(Stated) }, ..finding.clone() };
        let findings: Vec<Finding> = findings.iter().map(calm).collect();
        let mut steps = Book::default();
        // In time order, or with the latest statements first, because imports arrive in any order.
        let known: Vec<Finding> = findings.iter().filter(|finding| (finding.time < day(cut)) == forward).cloned().collect();
        steps.take(&known, BuiltIn, day(50));
        steps.take(&findings, BuiltIn, day(51));
        prop_assert_eq!(steps.take(&findings, BuiltIn, day(52)), 0);
        let mut at_once = Book::default();
        at_once.take(&findings, BuiltIn, day(51));
        let (steps, at_once): (Vec<_>, Vec<_>) =
            (0..41).map(|on| (fingerprints(&true_at(&steps.entries, day(on))), fingerprints(&true_at(&at_once.entries, day(on))))).unzip();
        prop_assert_eq!(steps, at_once);
    }

    #[test]
    fn nothing_debunked_ever_comes_back(findings in any_findings(), more in any_findings(), pick in any::<prop::sample::Index>()) {
        let mut book = Book::default();
        book.take(&findings, BuiltIn, day(20));
        let live: Vec<String> = book.holds().into_iter().map(str::to_owned).collect();
        prop_assume!(!live.is_empty());
        let gone = pick.get(&live).clone();
        book.debunk(&gone, day(20));
        for (origin, now) in [(BuiltIn, 50), (Model, 51), (BuiltIn, 52)] {
            let mut all = findings.clone();
            all.extend(more.iter().filter(|new| !findings.iter().any(|old| old.place == new.place)).cloned());
            book.take(&all, origin, day(now));
            prop_assert!(!book.holds().contains(&gone.as_str()), "{} came back", gone);
            for on in 0..60 {
                prop_assert!(!shown(&book, day(on)).iter().any(|(held, _)| *held == gone), "{} was never so", gone);
            }
        }
    }
}
