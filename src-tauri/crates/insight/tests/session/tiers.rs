//! The text served from a tier: it stays within its budget for every input, is in order of significance, and never contains
//! half a line.

use keepsake_domain::{Span, Timestamp};
use keepsake_insight::conversation::Place;
use keepsake_insight::session::tier::{Routed, Served, Tier, TierLine, route, serve};
use keepsake_insight::session::{Field, Item, Outcome};
use proptest::prelude::*;

fn line(id: &str, significance: u8, said: i64, text: &str) -> TierLine {
    TierLine { id: id.to_owned(), text: text.to_owned(), says: text.to_owned(), significance, said: Timestamp(said) }
}

fn shown<'l>(lines: &'l [TierLine], served: &Served) -> Vec<&'l str> {
    served.shown.iter().map(|at| lines[*at].id.as_str()).collect()
}

#[test]
fn foundational_lines_come_first_then_useful_then_recent_and_the_newest_first() {
    let lines = [
        line("recent", 1, 90, "one two"),
        line("useful", 3, 50, "three four"),
        line("old", 5, 10, "five six"),
        line("new", 4, 20, "seven eight"),
        line("minor", 2, 80, "nine ten"),
    ];
    let served = serve(&lines, 1_000);
    assert_eq!(shown(&lines, &served), ["new", "old", "useful", "recent", "minor"]);
    assert_eq!(served.text, "seven eight\nfive six\nthree four\none two\nnine ten\n");
    let tight = serve(&lines, 12 + 9);
    assert_eq!(shown(&lines, &tight), ["new", "old"], "exactly as many as fit");
    let left: Vec<&str> = tight.left_out.iter().map(|at| lines[*at].id.as_str()).collect();
    assert_eq!(left, ["useful", "recent", "minor"], "what did not fit is named, in the order in which it would have come");
}

#[test]
fn a_lower_line_never_takes_the_room_of_a_higher_one() {
    let lines = [line("a", 5, 3, "0123456789"), line("b", 4, 2, "0123456789 0123456789"), line("c", 1, 1, "x")];
    let served = serve(&lines, 25);
    assert_eq!(shown(&lines, &served), ["a"], "there is room for c, but b did not fit");
    let huge = [line("huge", 5, 3, &"y".repeat(50)), line("c", 1, 1, "x")];
    let served = serve(&huge, 25);
    assert_eq!(shown(&huge, &served), ["c"], "a line that fits no budget keeps nobody out");
    assert_eq!(served.left_out, [0], "and is named all the same");
}

#[test]
fn the_same_words_are_served_once_and_a_line_is_one_line() {
    let mut lines =
        [line("a", 4, 2, "Tabs over\nspaces."), line("b", 4, 1, "tabs over spaces"), line("c", 4, 0, "Something else")];
    lines[1].significance = 5;
    let served = serve(&lines, 1_000);
    assert_eq!(shown(&lines, &served), ["a", "c"]);
    assert_eq!(served.repeated, [1]);
    assert_eq!(served.text, "Tabs over spaces.\nSomething else\n");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn the_budget_holds_for_every_input(
        entries in prop::collection::vec((0u8..8, 0i64..40, "[\\PC\n]{0,60}"), 0..60),
        budget in 0usize..600,
    ) {
        let lines: Vec<TierLine> = entries
            .iter()
            .enumerate()
            .map(|(at, (significance, said, text))| line(&format!("{at:03}"), *significance, *said, text))
            .collect();
        let served = serve(&lines, budget);
        prop_assert!(served.text.chars().count() <= budget, "{} of {budget} characters", served.text.chars().count());
        prop_assert_eq!(served.text.chars().count(), served.chars);
        let mut all: Vec<usize> = served.shown.iter().chain(&served.left_out).chain(&served.repeated).copied().collect();
        all.sort_unstable();
        prop_assert_eq!(all, (0..lines.len()).collect::<Vec<_>>(), "every entry is shown, left out or repeated");
        // No line is cut: the text consists of whole lines in order.
        let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ") + "\n";
        let whole: String = served.shown.iter().map(|at| flat(&lines[*at].text)).collect();
        prop_assert_eq!(&served.text, &whole);
        // A less significant line never displaces a more significant one.
        let band = |at: &usize| match lines[*at].significance { 4.. => 0, 3 => 1, _ => 2 };
        let lowest_shown = served.shown.iter().map(band).max();
        for at in served.left_out.iter().filter(|at| flat(&lines[**at].text).chars().count() <= budget) {
            prop_assert!(lowest_shown.is_none_or(|lowest| lowest <= band(at)), "{at} was left out for something lower");
        }
        prop_assert_eq!(serve(&lines, budget), served, "the same input gives the same text");
    }
}

#[test]
fn what_is_about_the_user_goes_to_the_user_and_how_the_work_went_to_the_agent() {
    let item = |field, name: Option<&str>| Item {
        field,
        name: name.map(str::to_owned),
        uses: 3,
        text: "The build needs the header files.".to_owned(),
        place: Place { turn: 0, span: Span::new(0, 5).unwrap() },
    };
    let check = |field, name, significance, expect: Option<(Tier, &str, u8)>| {
        let routed = route(significance, Outcome::Partial, &[item(field, name)]);
        let found = routed.first().map(|Routed { tier, kind, significance, .. }| (*tier, kind.as_str(), *significance));
        assert_eq!(found, expect, "{field:?}");
    };
    check(Field::FactsLearned, None, 1, Some((Tier::User, "fact", 3)));
    check(Field::PreferencesNoted, None, 1, Some((Tier::User, "preference", 4)));
    check(Field::ActiveGoals, None, 5, Some((Tier::User, "goal", 5)));
    check(Field::KnowledgeLearned, Some("decision"), 4, Some((Tier::Shared, "decision", 4)));
    check(Field::ToolsUsed, Some("Bash"), 5, Some((Tier::Agent, "tool", 3)));
    check(Field::ErrorsEncountered, None, 5, Some((Tier::Agent, "error", 3)));
    check(Field::Intent, None, 5, Some((Tier::Agent, "outcome", 5)));
    check(Field::Heard, None, 5, None);
    let cheer = Item { text: "Great, it works now!".to_owned(), ..item(Field::KnowledgeLearned, Some("solution")) };
    assert_eq!(route(5, Outcome::Resolved, &[cheer]), [], "it tells another agent nothing");
    let tool = route(2, Outcome::Resolved, &[item(Field::ToolsUsed, Some("Bash"))]);
    assert_eq!(tool[0].detail.as_deref(), Some("Bash ×3"));
}
