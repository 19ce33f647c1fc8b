//! Wishes: the words that the reader marks in a message, and the entry that results.

use keepsake_domain::{ProfileOrigin, ProfileType};
use keepsake_people::Speaker::{self, Assistant, Entity, Other, Owner};
use keepsake_people::profile::{Change, derive};

use crate::given::{Book, Said, content_of, day, input_of, interaction, said};

fn check(messages: &[(i64, u128, Speaker, &str)], expect: &str, why: &str) {
    assert_eq!(content_of(&said(messages), ProfileOrigin::BuiltIn), expect, "{why}");
}

#[test]
fn a_wish_is_told_in_the_words_of_who_wishes() {
    let cases = [
        ("Hi. {W:Short answers, please}, I read these on a watch.", "Wants: “Short answers, please” · medium"),
        ("{W:Bitte antworte immer auf Deutsch.}", "Wants: “Bitte antworte immer auf Deutsch” · medium"),
        ("{W:短い返事でお願いします}。", "Wants: “短い返事でお願いします” · medium"),
        ("{W:Never say \"delve\"}", "Wants: “Never say 'delve'” · medium"),
        // Marks that end inside a word are extended to the whole word.
        ("k{W:eep it sho}rt please", "Wants: “keep it short” · medium"),
        // Words without a mark have no effect.
        ("I prefer short answers.", ""),
        ("Please always be brief!", ""),
        // The reader is not sure enough.
        ("{w:I prefer short answers}.", ""),
        // A fragment of a wish.
        ("{W:always} fun here", ""),
        // Someone else's words, by form or by the reader's marks.
        ("> {W:keep it short}", ""),
        ("She wrote \"{W:keep it short please}\"", ""),
        ("```\n{W:keep it short}\n```", ""),
        ("{W:keep it} {X:short, butler}, and bow", "Wants: “keep it” · medium"),
    ];
    for (text, expect) in cases {
        check(&[(1, 1, Entity, text)], expect, text);
    }
    for speaker in [Assistant, Owner, Other] {
        check(&[(1, 1, speaker, "{W:Short answers, please}")], "", "somebody else wishes for it");
    }
}

/// Derives and writes the changes; returns the contents of the profile.
fn run<'b>(book: &'b mut Book, messages: &[Said]) -> Vec<&'b str> {
    let changes = book.derive(messages);
    let types: Vec<ProfileType> = changes.iter().map(|change| change.entry().profile_type).collect();
    assert!(types.iter().all(|one| *one == ProfileType::Preferences), "{types:?}");
    book.write(changes, day(20));
    book.told()
}

#[test]
fn the_same_wish_again_is_one_entry_and_the_newest_words_hold() {
    let twice = [(1, 1, Entity, "{W:Bullet points, please}"), (5, 2, Entity, "{W:bullet points please}")];
    check(&twice, "Wants: “Bullet points, please” · medium | Wants: “bullet points please” · medium", "as it was put each time");
    let mut book = Book::default();
    assert_eq!(run(&mut book, &said(&twice)), ["Wants: “bullet points please”"]);
    let later = [twice[0], twice[1], (9, 3, Entity, "{W:no more bullet points please}")];
    assert_eq!(run(&mut book, &said(&later)), ["Wants: “no more bullet points please”"]);
    assert!(book.entries.iter().any(|entry| entry.supersedes.is_some()), "the one before is kept with its time");
    assert_eq!(run(&mut book, &said(&later)), ["Wants: “no more bullet points please”"]);
    let count = book.entries.len();
    run(&mut book, &said(&later));
    assert_eq!(book.entries.len(), count, "deriving once more changes nothing");
}

#[test]
fn a_debunked_wish_stays_away_in_words_that_say_the_same() {
    let mut book = Book::default();
    let old = said(&[(1, 1, Entity, "{W:I prefer short answers}")]);
    book.write(book.derive(&old), day(2));
    let id = book.entries[0].fingerprint.clone();
    book.debunk(&id, day(3));
    let with = |text: &str| {
        let mut all = old.clone();
        all.push(Said { id: interaction(9), ..said(&[(20, 4, Entity, text)]).remove(0) });
        all
    };
    assert!(book.derive(&with("{W:I really prefer short answers}")).is_empty());
    assert_eq!(book.derive(&with("{W:Always answer in French}")).len(), 1, "the control: another wish");
}

#[test]
fn a_wish_put_as_a_question_is_no_question() {
    let asked = |text: &'static str| {
        let messages = said(&[(1, 1, Entity, text), (2, 2, Entity, text), (3, 3, Entity, text)]);
        let found = derive(&input_of(&messages.iter().map(Said::utterance).collect::<Vec<_>>(), &[]));
        found.iter().map(|change: &Change| change.entry().profile_type).collect::<Vec<_>>()
    };
    assert_eq!(asked("{W:Could you always use bullet points?}"), [ProfileType::Preferences]);
    assert_eq!(asked("Could you always use bullet points?"), [ProfileType::Needs], "the control");
}
