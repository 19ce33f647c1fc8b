//! Conversation status: whether a conversation has ended, its tone, and the range that a summary covers.

use keepsake_domain::{ConversationStatus, MessageType, Role, Timestamp};
use keepsake_insight::conversation::{Moment, Pace, Reason, Standing, commitments, recap, standing};
use keepsake_insight::{AnalysisInput, Turn};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// Monday, 4 May 2026, 09:00 UTC.
const MONDAY: i64 = 1_777_885_200_000;

struct Line {
    at: i64,
    who: &'static str,
    text: String,
}

fn line(at: i64, who: &'static str, text: &str) -> Line {
    Line { at, who, text: text.to_owned() }
}

fn stand(lines: &[Line], now: i64) -> Standing {
    let turns: Vec<Turn<'_>> = lines
        .iter()
        .map(|line| Turn {
            id: "",
            role: match line.who {
                "me" => Role::Owner,
                "ai" => Role::Assistant,
                _ => Role::Person,
            },
            author: line.who,
            text: &line.text,
            time: Timestamp(MONDAY + line.at),
            message_type: MessageType::Text,
            is_branch: false,
        })
        .collect();
    let moment = Moment { now: Timestamp(MONDAY + now), utc_offset_minutes: 0 };
    // The words that the reader would mark.
    let promised: Vec<_> =
        turns.iter().map(|turn| turn.text.find("I'll ").map(|at| at..turn.text.len()).into_iter().collect()).collect();
    standing(&turns, commitments(&turns, &promised, moment), moment)
}

fn status(lines: &[Line], now: i64) -> ConversationStatus {
    let judgement = stand(lines, now).judgement;
    assert!(!judgement.reasons.is_empty(), "a judgement has a reason");
    judgement.status
}

/// A quick chat with a message every two minutes.
fn chat(count: i64) -> Vec<Line> {
    (0..count)
        .map(|n| line(n * 2 * MINUTE, if n % 2 == 0 { "me" } else { "ana" }, "the boiler makes a strange noise in the evening"))
        .collect()
}

/// Letters, one every four days.
fn letters(count: i64) -> Vec<Line> {
    (0..count)
        .map(|n| {
            line(n * 4 * DAY, if n % 2 == 0 { "me" } else { "ana" }, "The garden is doing well this year, as you would expect.")
        })
        .collect()
}

#[test]
fn the_same_silence_means_something_else_in_a_chat_and_in_letters() {
    let (quick, slow) = (chat(40), letters(12));
    let (quick_end, slow_end) = (quick[39].at, slow[11].at);
    assert_eq!(status(&quick, quick_end + 2 * MINUTE), ConversationStatus::Active);
    assert_eq!(status(&quick, quick_end + 2 * HOUR), ConversationStatus::Idle, "two hours are long for a chat");
    assert_eq!(status(&quick, quick_end + 20 * DAY), ConversationStatus::Archived);
    assert_eq!(status(&slow, slow_end + 2 * HOUR), ConversationStatus::Active);
    assert_eq!(status(&slow, slow_end + 3 * DAY), ConversationStatus::Active, "three days are nothing for letters");
    assert_eq!(status(&slow, slow_end + 14 * DAY), ConversationStatus::Idle);
    assert_eq!(status(&slow, slow_end + 60 * DAY), ConversationStatus::Archived);
}

#[test]
fn a_new_message_resumes() {
    let mut lines = chat(40);
    let end = lines[39].at;
    assert_eq!(status(&lines, end + 20 * DAY), ConversationStatus::Archived);
    lines.push(line(end + 20 * DAY, "ana", "Morning! The plumber is here."));
    assert_eq!(status(&lines, end + 20 * DAY + MINUTE), ConversationStatus::Active, "resumed");
}

#[test]
fn an_open_question_or_promise_holds_a_conversation_open() {
    let judge = |text: &str, now: i64| {
        let mut lines = chat(40);
        let end = lines[39].at + 2 * MINUTE;
        lines.push(line(end, "ana", text));
        stand(&lines, end + now).judgement
    };
    let later = 2 * DAY;
    assert_eq!(judge("the boiler is quiet now", later).status, ConversationStatus::Archived, "control");
    let asked = judge("Could you ask the landlord about the boiler?", later);
    assert_eq!(asked.status, ConversationStatus::Idle);
    assert!(asked.reasons.iter().any(|reason| matches!(reason, Reason::OpenQuestion { .. })));
    let promised = judge("I'll send you the report next week", later);
    assert_eq!(promised.status, ConversationStatus::Idle);
    assert!(promised.reasons.iter().any(|reason| matches!(reason, Reason::PendingPromise { .. })));
    assert_eq!(judge("I'll send you the report next week", 60 * DAY).status, ConversationStatus::Archived, "not for ever");
    assert_eq!(judge("Could you ask the landlord about the boiler?", 60 * DAY).status, ConversationStatus::Archived);
}

#[test]
fn nights_and_weekends_are_no_silence_where_nobody_writes_then() {
    // Three weeks of workdays with a message every hour from nine to five.
    let mut office = Vec::new();
    for day in (0..21).filter(|day| day % 7 < 5) {
        for hour in 0..9 {
            office.push(line(
                day * DAY + hour * HOUR,
                if hour % 2 == 0 { "me" } else { "ana" },
                "the build of the release is green again",
            ));
        }
    }
    let friday_evening = 18 * DAY + 8 * HOUR;
    assert_eq!(office.last().map(|line| line.at), Some(friday_evening));
    assert_eq!(status(&office, 20 * DAY + 12 * HOUR), ConversationStatus::Active, "a Sunday is no silence in an office");
    assert_eq!(status(&office, 21 * DAY + 7 * HOUR), ConversationStatus::Idle, "a Monday afternoon is");
    let round_the_clock: Vec<Line> = (0..500)
        .map(|n| line(n * HOUR, if n % 2 == 0 { "me" } else { "ana" }, "the build of the release is green again"))
        .collect();
    assert_eq!(status(&round_the_clock, 499 * HOUR + 40 * HOUR), ConversationStatus::Archived, "control: here it is");
}

#[test]
fn one_long_holiday_does_not_keep_a_conversation_open_for_years() {
    let mut lines = chat(40);
    lines.push(line(90 * DAY, "ana", "hello again from the mountains"));
    lines.push(line(90 * DAY + 2 * MINUTE, "me", "hello, the boiler is quiet"));
    assert_eq!(status(&lines, 90 * DAY + 30 * DAY), ConversationStatus::Archived);
    assert_eq!(stand(&[], 0).judgement.reasons, [Reason::Empty]);
}

#[test]
fn a_pace_follows_from_how_quickly_people_answer() {
    let tone = |lines: &[Line]| stand(lines, 60 * DAY).tone.unwrap();
    let hourly: Vec<Line> =
        (0..6).map(|n| line(n * 2 * HOUR, if n % 2 == 0 { "me" } else { "ana" }, "the boiler is fine")).collect();
    assert_eq!(tone(&chat(40)).pace, Some(Pace::Quick));
    assert_eq!(tone(&hourly).pace, Some(Pace::Steady));
    assert_eq!(tone(&letters(12)).pace, Some(Pace::Slow));
    assert_eq!((tone(&hourly).typical_words, tone(&hourly).messages), (4, 6));
    assert_eq!(tone(&[line(0, "me", "hello")]).pace, None, "nobody answered");
    assert!(stand(&[line(0, "ai", "How can I help?")], HOUR).tone.is_none(), "an assistant's style is nobody's tone");
}

#[test]
fn a_summary_names_the_range_it_covers() {
    let texts = [
        "I want to move the choir rehearsal to Thursday because of the concert.",
        "Thursday works for the altos and for me.",
        "ok",
        "Then we decided on Thursday at seven in the parish hall.",
    ];
    let turns: Vec<Turn<'_>> = texts
        .iter()
        .zip(["int_a", "int_b", "int_c", "int_d"])
        .map(|(text, id)| Turn {
            id,
            role: Role::Person,
            author: "ana",
            text,
            time: Timestamp(MONDAY),
            message_type: MessageType::Text,
            is_branch: false,
        })
        .collect();
    let read = |turns: &[Turn<'_>]| recap(&AnalysisInput { turns, owner_name: None, vectors: None });
    let whole = read(&turns).unwrap();
    assert_eq!((whole.source_range().as_str(), whole.covers), ("int_a..int_d", 4));
    assert!(!whole.sentences.is_empty());
    for sentence in &whole.sentences {
        assert!(sentence.span.quote(turns[sentence.turn].text).is_ok(), "a sentence was said");
    }
    assert_eq!(read(&turns[..2]).unwrap().source_range(), "int_a..int_b", "a part names its part");
    assert_eq!(read(&turns).unwrap().fingerprint, whole.fingerprint);
    assert!(read(&[]).is_err());
}
