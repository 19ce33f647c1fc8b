//! Sentences that promise and sentences that only sound like it, and how promises are settled.

use keepsake_domain::{DAY_MS, MessageType, Role, Timestamp};
use keepsake_insight::Turn;
use keepsake_insight::conversation::{Commitment, Debtor, Moment, Settlement, commitments};

/// Wednesday, 6 May 2026, 14:30 UTC.
const SAID: i64 = 1_778_077_800_000;

/// The promises of `lines`, each "me: …", "ana: …" or "ai: …", ten minutes apart.
fn read(lines: &[&str]) -> Vec<Commitment> {
    let turns: Vec<Turn<'_>> = lines
        .iter()
        .enumerate()
        .map(|(number, line)| {
            let (who, text) = line.split_once(": ").expect("`who: text`");
            let role = match who {
                "me" => Role::Owner,
                "ai" => Role::Assistant,
                _ => Role::Person,
            };
            let time = Timestamp(SAID + number as i64 * 600_000);
            Turn { id: "", role, author: who, text, time, message_type: MessageType::Text, is_branch: false }
        })
        .collect();
    let found = commitments(&turns, None, Moment { now: Timestamp(SAID), utc_offset_minutes: 0 });
    for commitment in &found {
        assert!(commitment.place.span.quote(turns[commitment.place.turn].text).is_ok(), "a promise has its place");
        if let Some(Settlement::Kept { place } | Settlement::Released { place }) = commitment.settlement {
            assert!(place.turn > commitment.place.turn, "what settles a promise comes after it");
            assert!(place.span.quote(turns[place.turn].text).is_ok());
        }
    }
    found
}

/// How many of `rows` promise; each row is one message of Ana's.
fn promising(rows: &[&'static str]) -> Vec<&'static str> {
    rows.iter().copied().filter(|text| !read(&[&format!("ana: {text}"), "me: ok"]).is_empty()).collect()
}

const PROMISES: &[&str] = &[
    "I'll send you the draft by Friday.",
    "I will call the landlord tomorrow",
    "Let me get back to you tomorrow.",
    "I owe you a coffee",
    "Sure, I'll bring the projector on Monday.",
    "I’ll let you know by the end of the week",
    "I'm going to forward you the invoice tonight",
    "we'll send the contract next week",
    "ok, I'll ask Jonas and tell you",
    "I'll check if the flight still has seats",
    "I promise to pay you back next month",
    "Will send the slides in an hour",
    "let me check with finance and get back to you",
    "You'll have the numbers by noon.",
    "I'll take care of the catering",
    "I'll fix the login bug today",
    "No worries, I'll pick up the kids at 5pm",
    "I'm not in the office, but I'll email it from home",
    "I'll make sure it's ready for Thursday",
    "I can review it by tomorrow",
    "leave it with me",
    "I'll book the table for eight",
    "I still need to send you the photos",
    "I'll get it done this afternoon",
    "As I said, I'll share the folder.",
    "I'm gonna write to them tomorrow",
    "I'll send it tomorrow, ok?",
    "I'll have it ready by Monday",
    "I'll see what I can do",
    "I'll try it myself and then I'll send you the results",
    "Ich schicke dir die Unterlagen bis Freitag",
    "ich melde mich morgen bei dir",
    "Morgen schicke ich dir den Entwurf.",
    "Ich kümmere mich um die Tickets",
    "je t'envoie le document demain",
    "Je te rappelle ce soir",
    "je m'en occupe",
    "te mando el archivo mañana",
    "Te llamo el viernes",
    "me encargo de la reserva",
    "vou te enviar o contrato amanhã",
];

const NO_PROMISES: &[&str] = &[
    "If I find time I'll send you the draft.",
    "I'll come over, if I finish early",
    "Shall I send you the draft?",
    "Will you send me the draft?",
    "Can I call you tomorrow?",
    "I won't send it before Friday",
    "I will not pay for that",
    "I'll never call them again",
    "I sent you the draft yesterday",
    "I called the landlord this morning",
    "I was going to send it",
    "I would send it to you",
    "Maybe I'll write to them",
    "I think I'll book the earlier train",
    "I'll probably bring wine",
    "Jonas said I'll send it by Friday",
    "He promised he'll call tomorrow",
    "she will send you the form",
    "They'll let you know",
    "\"I'll send you the money tomorrow\" is what he always wrote",
    "> I'll send you the draft by Friday",
    "I'll have the soup",
    "I'll take the bus",
    "I'll see",
    "Let me think",
    "let me show you how that works",
    "I can send emails with this thing",
    "I'll be late",
    "It will send a notification",
    "The shop will send it tomorrow",
    "I should call my mother",
    "I might fix it",
    "You should send it by Friday",
    "please send me the file by Friday",
    "I wish I could help you",
    "I could ask him",
    "I'll always help you",
    "Unless it rains I'll water the plants",
    "wenn ich Zeit habe, schicke ich dir das",
    "Ich schicke dir das nicht",
    "Vielleicht melde ich mich",
    "si j'ai le temps, je t'envoie le document",
    "je ne t'envoie rien",
    "no te mando nada",
    "I told her I'll call her back",
    "We'll see",
];

#[test]
fn plain_promises_are_read() {
    let found = promising(PROMISES);
    let missed: Vec<&&str> = PROMISES.iter().filter(|text| !found.contains(text)).collect();
    assert!(missed.is_empty(), "not read as promises: {missed:#?}");
}

#[test]
fn conditions_questions_refusals_and_the_past_promise_nothing() {
    let found = promising(NO_PROMISES);
    assert!(found.is_empty(), "read as promises: {found:#?}");
    assert!(PROMISES.len() + NO_PROMISES.len() >= 80, "a table of eighty");
}

#[test]
fn a_promise_says_who_owes_whom_what_and_until_when() {
    let found = read(&["me: how is it going?", "ana: Good, I'll send you the draft by Friday, but it is rough."]);
    assert_eq!(found[0].debtor, Debtor::Person("ana".to_owned()));
    assert_eq!(found[0].creditor, Some(Debtor::Owner));
    assert_eq!(found[0].what, "send you the draft by Friday");
    assert_eq!(found[0].due.map(|due| due.at.as_millis() / DAY_MS), Some((SAID + 2 * DAY_MS) / DAY_MS), "two days on");
    let mine = read(&["me: I'll pay you back tomorrow", "ana: thanks", "jonas: hi"]);
    assert_eq!((mine[0].debtor.clone(), mine[0].creditor.clone()), (Debtor::Owner, None), "in a group it is open to whom");
    assert!(read(&["ai: I'll send you a summary by Friday"]).is_empty(), "an assistant's offer is no commitment");
}

#[test]
fn a_request_that_is_accepted_is_a_promise() {
    let found = read(&["me: Could you please send me the signed lease by Monday?", "ana: Sure, will do!"]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].what, "send me the signed lease by Monday");
    assert!(found[0].due.is_some() && found[0].request.is_some());
    assert!(read(&["me: Could you send me the lease?", "ana: no idea where it is"]).is_empty(), "an answer is no acceptance");
}

#[test]
fn later_words_settle_a_promise() {
    let kept = |lines: &[&str], expect: bool| {
        let found = read(lines);
        assert_eq!(found.len(), 1, "{lines:?}");
        assert_eq!(matches!(found[0].settlement, Some(Settlement::Kept { .. })), expect, "{lines:?}");
    };
    kept(&["ana: I'll send you the draft by Friday", "me: great", "ana: sent it"], true);
    kept(&["ana: I'll send you the draft by Friday", "ana: here is the draft"], true);
    kept(&["ana: I'll send you the draft by Friday", "me: got the draft, thanks"], true);
    kept(&["ana: I'll call the landlord tomorrow", "ana: I called the landlord, all fine"], true);
    kept(&["me: can you book the table?", "ana: will do", "ana: done"], true);
    kept(&["ana: Ich schicke dir den Entwurf", "ana: hab ihn dir geschickt"], true);
    kept(&["ana: I'll send you the draft by Friday", "ana: I haven't sent it yet"], false);
    kept(&["ana: I'll send you the draft by Friday", "me: did you send it?"], false);
    kept(&["ana: I'll send you the draft by Friday", "me: sent it"], false);
    kept(&["ana: I'll send you the draft by Friday", "ana: I bought a new bike yesterday"], false);
    kept(&["ana: I'll send you the draft by Friday", "ana: we had a long meeting about the budget"], false);
    let released = read(&["ana: I'll send you the draft by Friday", "me: no need, I found it"]);
    assert!(matches!(released[0].settlement, Some(Settlement::Released { .. })));
    let two =
        read(&["ana: I'll send you the invoice tomorrow", "ana: and I'll send you the photos too", "ana: sent the invoice"]);
    assert_eq!(two.iter().map(Commitment::is_pending).collect::<Vec<_>>(), [false, true], "the one that is named is settled");
}

/// A further set, written without looking at the rules: 44 of its 50 rows were read right when they were first read.
#[test]
fn a_further_set_reads_as_people_mean_it() {
    let promises: &[&str] = &[
        "Sorry for the delay, I'll reply properly tonight.",
        "I'll drop the keys off at your place tomorrow morning",
        "On my way home I'll pick up the parcel",
        "Thanks for waiting, I'll upload the recording later today",
        "Yes! I'll add you to the list",
        "I will have the report on your desk by 9 am",
        "I'll talk to Sara and let you know",
        "Just so you know, we'll deliver the chairs on Thursday",
        "I'll circle back on this next week",
        "I'll follow up with the bank",
        "OK then I'll cancel the subscription",
        "I'll find out and tell you",
        "I shall return the book on Sunday",
        "I'll Venmo you the 20 tomorrow",
        "Then I'll do the dishes for you tonight",
        "Ich bringe dir das Buch am Montag mit",
        "Je vous envoie la facture lundi",
        "Mañana te envío las fotos",
        "I'll remind you on Friday",
        "I'll look into it",
        "I'll send over the contract once legal has signed off",
        "I'll get you the numbers",
        "You'll get the keys tomorrow",
        "I owe you an answer about the trip",
    ];
    let none: &[&str] = &[
        "I'll bet it rains",
        "I'll miss you",
        "I'll tell you what, this film is bad",
        "I'll admit it was fun",
        "I will turn 40 next week",
        "I'll get some sleep now",
        "I'll do my best",
        "let me know what you think",
        "Let me tell you a story",
        "I'll be there at eight",
        "The doctor says I'll need surgery",
        "I'll never forget that",
        "I'd send it if I had it",
        "Did you say you'll send it?",
        "You said I'll send it, not me",
        "I don't think I'll make it",
        "I hope I'll find a job",
        "Next year I'll read more books",
        "I will survive",
        "I'll have to go now",
        "I can't send it today",
        "ich werde alt",
        "je suis fatigué",
        "I'll take that as a compliment",
        "Remind me to call her",
        "Should I book the table for eight?",
    ];
    let found = promising(promises);
    let missed: Vec<&&str> = promises.iter().filter(|text| !found.contains(text)).collect();
    let wrong = promising(none);
    assert!(missed.is_empty() && wrong.is_empty(), "missed: {missed:#?}\nread as promises: {wrong:#?}");
}

#[test]
fn a_further_set_of_settlements() {
    let pending = |lines: &[&str]| read(lines).iter().filter(|commitment| commitment.is_pending()).count();
    for (lines, expect) in [
        (&["me: I'll pay you back tomorrow", "me: just paid you back"][..], 0),
        (&["me: I'll transfer the deposit today", "ana: the deposit arrived, thank you"], 0),
        (&["me: I'll fix the gate", "me: the gate is fixed"], 0),
        (&["me: I'll bring the ladder on Monday", "me: I brought the ladder, it's in the yard"], 0),
        (&["me: I'll email the landlord", "me: wrote to the landlord"], 0),
        (&["ana: I'll send you the photos", "ana: photos are in the shared folder now"], 0),
        (&["ana: I'll review the pull request tomorrow", "ana: reviewed!"], 0),
        (&["ana: I'll ask Jonas and tell you", "ana: asked Jonas, he is fine with it"], 0),
        (&["ana: I'll send you the photos", "me: thanks!"], 1),
        (&["ana: I'll send you the photos", "ana: the photos are not ready"], 1),
        (&["ana: I'll send you the photos", "me: when will you send the photos?"], 1),
        (&["ana: I'll send you the photos", "ana: I'll send them tonight for sure"], 2),
        (&["ana: I'll call the bank", "ana: the bank is closed today"], 1),
        (&["ana: I'll book the flights tomorrow", "ana: almost done with the flights"], 1),
    ] {
        assert_eq!(pending(lines), expect, "{lines:?}");
    }
}
