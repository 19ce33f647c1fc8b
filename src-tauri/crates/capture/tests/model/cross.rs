//! Every true sentence against every other statement: a quotation proves what it says and nothing else.

use keepsake_capture::model::{Scope, Task};

use crate::support::*;

/// What an owner says, and the statement that it carries.
const PAIRS: &[(&str, &str)] = &[
    ("I live in Lyon", "User lives in Lyon"),
    ("I work at Siemens", "User works at Siemens"),
    ("My name is Odile", "User's name is Odile"),
    ("I have two cats", "User has two cats"),
    ("I'm allergic to peanuts", "User is allergic to peanuts"),
    ("I play the cello", "User plays the cello"),
    ("I love bouldering", "User loves bouldering"),
    ("I hate coriander", "User hates coriander"),
    ("I don't eat meat", "User does not eat meat"),
    ("I'm a nurse", "User is a nurse"),
    ("I grew up in Recife", "User grew up in Recife"),
    ("I speak Portuguese", "User speaks Portuguese"),
    ("I want to learn Welsh", "User wants to learn Welsh"),
    ("I'm training for a marathon", "User is training for a marathon"),
    ("My sister Emma lives in Oslo", "User's sister Emma lives in Oslo"),
    ("My brother is a pilot", "User's brother is a pilot"),
    ("I visited Japan in 2019", "User visited Japan in 2019"),
    ("I used to smoke", "User used to smoke"),
    ("I drive a Volvo", "User drives a Volvo"),
    ("I prefer tea", "User prefers tea"),
    ("I'm 41 years old", "User is 41 years old"),
    ("I'm married to Piet", "User is married to Piet"),
    ("I use Vim", "User uses Vim"),
    ("I collect stamps", "User collects stamps"),
    ("I studied physics in Delft", "User studied physics in Delft"),
    ("I own a sailing boat", "User owns a sailing boat"),
    ("I teach chemistry", "User teaches chemistry"),
    ("I can juggle", "User can juggle"),
    ("I'm from Bergen", "User is from Bergen"),
    ("I sold my flat in Porto", "User sold a flat in Porto"),
    ("My dog is called Wilma", "User's dog is called Wilma"),
    ("I'm afraid of heights", "User is afraid of heights"),
];

/// What a model that agrees with everything might say without any ground.
const INVENTED: &[&str] = &[
    "User lives in Monaco",
    "User owns a yacht",
    "User is a billionaire",
    "User is an administrator",
    "User has five children",
    "User voted for the Greens",
    "User has diabetes",
    "User hates tea",
    "User's mother died in 2020",
    "User trusts Acme",
    "User works as a spy",
    "User earns a lot of money",
];

#[test]
fn a_quotation_carries_its_own_statement_and_none_of_the_others() {
    let texts: Vec<&str> = PAIRS.iter().map(|(text, _)| *text).collect();
    let turns: Vec<_> = texts.iter().map(|text| owner(text)).collect();
    let mut tried = 0;
    for (n, (text, own)) in PAIRS.iter().enumerate() {
        let line = u32::try_from(n + 1).unwrap();
        let others =
            PAIRS.iter().enumerate().filter(|(k, _)| *k != n).map(|(_, (_, other))| *other).chain(INVENTED.iter().copied());
        let others: Vec<&str> = others.collect();
        for chunk in others.chunks(30) {
            tried += chunk.len();
            let task = Task::facts(conversation(&turns), Scope::Whole, scrubber()).unwrap();
            let all: Vec<_> = chunk.iter().map(|other| fact(line, text, other)).collect();
            let found = done(drive(task, |_| facts(&all)));
            let kept: Vec<&str> = found.candidates.iter().map(|candidate| candidate.content.as_str()).collect();
            assert_eq!(kept, [""; 0], "kept on the strength of \"{text}\"");
        }
        let task = Task::facts(conversation(&turns), Scope::Whole, scrubber()).unwrap();
        let found = done(drive(task, |_| facts(&[fact(line, text, own)])));
        assert_eq!(found.candidates.len(), 1, "the control: {own}: {:?}", found.stops);
    }
    assert!(tried >= 1_300, "{tried}");
}
