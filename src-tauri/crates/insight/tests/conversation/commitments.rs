//! Promises that the reader marked: who owes what to whom and by when, and promises that do not count because the words are not
//! the speaker's own.

use std::ops::Range;

use keepsake_domain::{DAY_MS, MessageType, Role, Timestamp};
use keepsake_insight::Turn;
use keepsake_insight::conversation::{Commitment, Debtor, Moment, commitments};

/// Wednesday, 6 May 2026, 14:30 UTC.
const SAID: i64 = 1_778_077_800_000;

/// The promises in `lines`. Each line is written as "me: …", "ana: …" or "ai: …", and the lines are ten minutes apart. The
/// reader has marked the words in brackets.
fn read(lines: &[&str]) -> Vec<Commitment> {
    let lines: Vec<(&str, String, Vec<Range<usize>>)> = lines
        .iter()
        .map(|line| {
            let (who, text) = line.split_once(": ").expect("`who: text`");
            let mut marks = Vec::new();
            let mut plain = String::new();
            for piece in text.split_inclusive(['[', ']']) {
                let start = plain.len();
                plain.push_str(piece.trim_end_matches(['[', ']']));
                if piece.ends_with(']') {
                    marks.push(start..plain.len());
                }
            }
            (who, plain, marks)
        })
        .collect();
    let turns: Vec<Turn<'_>> = lines
        .iter()
        .enumerate()
        .map(|(number, (who, text, _))| {
            let role = match *who {
                "me" => Role::Owner,
                "ai" => Role::Assistant,
                _ => Role::Person,
            };
            let time = Timestamp(SAID + number as i64 * 600_000);
            Turn { id: "", role, author: who, text, time, message_type: MessageType::Text, is_branch: false }
        })
        .collect();
    let promised: Vec<_> = lines.iter().map(|(_, _, marks)| marks.clone()).collect();
    let found = commitments(&turns, &promised, Moment { now: Timestamp(SAID), utc_offset_minutes: 0 });
    for commitment in &found {
        assert!(commitment.place.span.quote(turns[commitment.place.turn].text).is_ok(), "a promise has its place");
        assert!(commitment.is_pending(), "its end is looked for later");
    }
    found
}

#[test]
fn a_promise_says_who_owes_whom_what_and_until_when() {
    let found = read(&["me: how is it going?", "ana: Good, [I'll send you the draft by Friday], but it is rough."]);
    assert_eq!(found[0].debtor, Debtor::Person("ana".to_owned()));
    assert_eq!(found[0].creditor, Some(Debtor::Owner));
    assert_eq!(found[0].what, "I'll send you the draft by Friday");
    assert_eq!(found[0].due.map(|due| due.at.as_millis() / DAY_MS), Some((SAID + 2 * DAY_MS) / DAY_MS), "two days on");
    let mine = read(&["me: [I'll pay you back tomorrow]", "ana: thanks", "jonas: hi"]);
    assert_eq!((mine[0].debtor.clone(), mine[0].creditor.clone()), (Debtor::Owner, None), "in a group it is open to whom");
    let accepted = read(&["me: Could you send me the signed lease?", "ana: sure, [will do tomorrow]"]);
    assert_eq!((accepted.len(), accepted[0].what.as_str()), (1, "will do tomorrow"), "what was taken on is what was marked");
}

#[test]
fn nothing_is_a_promise_that_the_reader_did_not_mark_or_that_is_not_the_speakers_own() {
    assert_eq!(read(&["ana: I'll send you the draft by Friday.", "me: I promise to pay you back"]), [], "no wording makes one");
    assert_eq!(read(&["ai: [I'll send you a summary by Friday]"]), [], "an assistant's offer is no commitment");
    assert_eq!(read(&["ana: > [I'll send you the draft by Friday]"]), [], "quoted from somebody");
    assert_eq!(read(&["ana: \"[I'll send you the money tomorrow]\" is what he always wrote"]), [], "quoted in a sentence");
    assert_eq!(read(&["ana: [I'll send you the money tomorrow]"]).len(), 1, "control");
}

#[test]
fn two_promises_of_one_line_are_two_and_one_over_two_sentences_is_one() {
    let two = read(&["ana: [I'll send the invoice tomorrow]. And [I'll bring the photos on Monday]."]);
    assert_eq!(
        two.iter().map(|one| one.what.as_str()).collect::<Vec<_>>(),
        ["I'll send the invoice tomorrow", "I'll bring the photos on Monday"]
    );
    assert_eq!(read(&["ana: [I'll take care of it. The whole of it, by Monday.]"]).len(), 1);
}
