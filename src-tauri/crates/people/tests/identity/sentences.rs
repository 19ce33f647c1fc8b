//! Sentences in which people name an address or a handle: which are theirs, and which are somebody else's.
//!
//! Written as people write, before the rules were looked at for them; each row is one sentence, its writer and whose handle it
//! leads to.

use crate::support::World;

const MAIL: &str = "email mara@lind.example";
const OTHER_MAIL: &str = "email m.lind@uni.example";
const MATRIX: &str = "matrix @mara:example.org";
const TELEGRAM: &str = "telegram mara_l";
const SIGNAL: &str = "signal mlind.07";
const GITHUB: &str = "github maralind";
const PHONE: &str = "whatsapp +49 171 2345678";
const FRIEND: &str = "matrix @jonas:example.org";

const ALL: &[(&str, &str)] = &[
    (MAIL, "Mara Lind"),
    (OTHER_MAIL, ""),
    (MATRIX, "mara"),
    (TELEGRAM, "Mara"),
    (SIGNAL, "M"),
    (GITHUB, "maralind"),
    (PHONE, "Mara L."),
    (FRIEND, "Jonas Berg"),
];

/// Every row that leads elsewhere than it should.
fn faults(rows: &[(&str, &str, Option<&str>)]) -> Vec<String> {
    let mut faults = Vec::new();
    for (writer, text, expect) in rows {
        let mut world = World::default();
        for (address, name) in ALL {
            world = world.handle(address, name);
        }
        let world = world.says("here", writer, text);
        let found = world.suggest(&[]);
        let led: Vec<&str> = ALL
            .iter()
            .map(|(address, _)| *address)
            .filter(|address| address != writer && found.iter().any(|s| s.a == world.id(address) || s.b == world.id(address)))
            .collect();
        if led != expect.iter().copied().collect::<Vec<_>>() {
            faults.push(format!("{text:?} of {writer} leads to {led:?}, expected {expect:?}"));
        }
    }
    faults
}

fn check(rows: &[(&str, &str, Option<&str>)]) {
    let faults = faults(rows);
    assert!(faults.is_empty(), "{} of {} rows:\n{}", faults.len(), rows.len(), faults.join("\n"));
}

#[test]
fn handles_that_people_call_their_own_are_found() {
    check(&[
        (MAIL, "I'm @mara on Matrix, in case you prefer that.", Some(MATRIX)),
        (MAIL, "Oh, and on Telegram I go by mara_l", Some(TELEGRAM)),
        (MAIL, "my telegram handle is @mara_l", Some(TELEGRAM)),
        (MAIL, "You can find me on Signal as mlind.07 if mail is too slow.", Some(SIGNAL)),
        (MAIL, "My GitHub username is maralind, please add me to the repo.", Some(GITHUB)),
        (MAIL, "github.com/maralind is me by the way", Some(GITHUB)),
        (MAIL, "Hi, this is Mara from the Matrix room (@mara:example.org).", Some(MATRIX)),
        (MAIL, "It's me, @mara:example.org!", Some(MATRIX)),
        (MAIL, "@mara:example.org is my account over there", Some(MATRIX)),
        (MAIL, "ping me on matrix: @mara:example.org", Some(MATRIX)),
        (TELEGRAM, "you might know me as @mara:example.org", Some(MATRIX)),
        (TELEGRAM, "the @mara you talk to on Matrix is me too", Some(MATRIX)),
        (PHONE, "Ich bin @mara auf Matrix", Some(MATRIX)),
        (PHONE, "Bei Telegram findet ihr mich unter mara_l.", Some(TELEGRAM)),
        (PHONE, "Mein Telegram-Name ist mara_l", Some(TELEGRAM)),
        (PHONE, "ich bin's, @mara:example.org", Some(MATRIX)),
        (PHONE, "Sur Telegram, je suis mara_l", Some(TELEGRAM)),
        (PHONE, "c'est moi, @mara:example.org", Some(MATRIX)),
        (PHONE, "En Telegram soy mara_l", Some(TELEGRAM)),
        (PHONE, "mi usuario de Telegram es @mara_l", Some(TELEGRAM)),
        (MAIL, "I've moved to @mara:example.org on Matrix", Some(MATRIX)),
        (MAIL, "Thanks!\n\nBest,\nMara\nMatrix: @mara:example.org", Some(MATRIX)),
    ]);
}

#[test]
fn addresses_and_numbers_that_people_call_their_own_are_found() {
    check(&[
        (MATRIX, "my work email is m.lind@uni.example", Some(OTHER_MAIL)),
        (MATRIX, "You can always reach me at mara@lind.example.", Some(MAIL)),
        (MATRIX, "just shoot me a mail to mara@lind.example, ok?", Some(MAIL)),
        (MATRIX, "call me on +49 171 2345678", Some(PHONE)),
        (MATRIX, "new number, save it please! my number is now 0171/2345678", Some(PHONE)),
        (MATRIX, "mara@lind.example is my private address", Some(MAIL)),
        (MATRIX, "Could you send the slides to me at mara@lind.example?", Some(MAIL)),
        (MATRIX, "here's my mail: mara@lind.example", Some(MAIL)),
        (MATRIX, "If you need me, I'm at mara (at) lind (dot) example.", Some(MAIL)),
        (MATRIX, "meine mailadresse ist mara@lind.example", Some(MAIL)),
        (MATRIX, "Du erreichst mich am besten unter 0171 2345678", Some(PHONE)),
        (MATRIX, "schreib mir an mara@lind.example", Some(MAIL)),
        (MATRIX, "mon adresse mail est mara@lind.example", Some(MAIL)),
        (MATRIX, "vous pouvez me joindre au +49 171 2345678", Some(PHONE)),
        (MATRIX, "mi correo es mara@lind.example", Some(MAIL)),
        (MATRIX, "llámame al +49 171 2345678", Some(PHONE)),
        (MATRIX, "I'm away next week, so text me at +49 (0)171 2345678 instead", Some(PHONE)),
    ]);
}

#[test]
fn what_is_said_of_others_quoted_or_supposed_leads_nowhere() {
    check(&[
        (FRIEND, "@mara is on Matrix now", None),
        (FRIEND, "ask @mara:example.org, she knows", None),
        (MAIL, "Jonas is @jonas on Matrix", None),
        (MAIL, "I'm with @jonas:example.org right now", None),
        (MAIL, "I talked to @jonas on Matrix", None),
        (MAIL, "are you @jonas on Matrix?", None),
        (MAIL, "Am I @jonas on Matrix?", None),
        (MAIL, "I'm not @jonas on Matrix", None),
        (MAIL, "He wrote: I'm @jonas on Matrix", None),
        (MAIL, "“I'm @jonas on Matrix” was all he said", None),
        (MAIL, "> I'm @jonas on Matrix\nwelcome!", None),
        (MAIL, "if I'm @jonas on Matrix then you are the pope", None),
        (MAIL, "This is Jonas (@jonas:example.org), our new designer.", None),
        (MAIL, "I'm @jonas:example.org's sister", None),
        (MATRIX, "it's me @jonas:example.org, open the door", None),
        (FRIEND, "Mara's new number is +49 171 2345678", None),
        (FRIEND, "her email is mara@lind.example", None),
        (FRIEND, "my boss's email is mara@lind.example", None),
        (FRIEND, "you can reach her at mara@lind.example", None),
        (FRIEND, "You can reach me or Mara at mara@lind.example", None),
        (FRIEND, "is your email mara@lind.example?", None),
        (FRIEND, "Do you know whether mara@lind.example still works?", None),
        (FRIEND, "Mara told me my email is mara@lind.example is a funny sentence", None),
        (FRIEND, "write something like: my email is mara@lind.example", None),
        (FRIEND, "mara@lind.example isn't my address", None),
        (FRIEND, "call Mara on +49 171 2345678", None),
        (FRIEND, "[14:02] Mara Lind: my email is mara@lind.example", None),
        (FRIEND, "See below.\n\nOn Tue, 4 May 2027 at 10:11, Mara Lind wrote:\nMy number is +49 171 2345678", None),
        (FRIEND, "Ihre Nummer ist 0171 2345678", None),
        (FRIEND, "schreib Mara an mara@lind.example", None),
        (FRIEND, "son adresse est mara@lind.example", None),
        (FRIEND, "su correo es mara@lind.example", None),
        (FRIEND, "Ask for an invoice at mara@lind.example", None),
        (FRIEND, "Order 491712345678 has shipped", None),
    ]);
}

#[test]
fn the_table_notices_a_wrong_row() {
    assert_eq!(faults(&[(MAIL, "I'm @mara on Matrix", None), (FRIEND, "her email is mara@lind.example", Some(MAIL))]).len(), 2);
}
