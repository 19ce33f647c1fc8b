//! Sentences in which people mention an address or a handle, their own or someone else's.
//!
//! The sentences are written the way people write, without looking at the rules. Each row is a sentence, its writer, and the
//! owner of the handle that it should lead to. When first measured, 3 of the first 73 rows were wrong.

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

/// All rows with a wrong result.
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

/// When first measured, before any rule was changed for it, 12 of its 66 rows were wrong: 8 missed, 4 too many.
#[test]
fn a_further_hand_written_set_reads_as_people_mean_it() {
    check(&[
        (MAIL, "fyi im @mara on matrix", Some(MATRIX)),
        (MAIL, "I'm @mara:example.org over on Matrix, come say hi", Some(MATRIX)),
        (MAIL, "If you're on Matrix, I'm @mara:example.org there.", Some(MATRIX)),
        (MAIL, "Matrix: @mara:example.org", None), // whose it is depends on what was asked
        (MAIL, "I also hang out as @mara on Matrix", Some(MATRIX)),
        (MAIL, "That was me, @mara:example.org, in the room yesterday", Some(MATRIX)),
        (MAIL, "My matrix account is @mara:example.org, in case the list dies", Some(MATRIX)),
        (MAIL, "you can also message @mara:example.org, that's me", Some(MATRIX)),
        (MAIL, "Hello, Mara here (@mara:example.org on Matrix)", Some(MATRIX)),
        (MAIL, "same Mara as @mara:example.org", None),
        (TELEGRAM, "I'm the @mara:example.org from the Rust room", Some(MATRIX)),
        (MAIL, "On GitHub I'm maralind", Some(GITHUB)),
        (MAIL, "my gh is maralind", None),
        (MAIL, "Signal: mlind.07", None),
        (MAIL, "add me on Signal, I'm mlind.07", Some(SIGNAL)),
        (MAIL, "my signal username's mlind.07", Some(SIGNAL)),
        (MATRIX, "Feel free to email me: mara@lind.example", Some(MAIL)),
        (MATRIX, "please reply to mara@lind.example, that's my real inbox", Some(MAIL)),
        (MATRIX, "my email's mara@lind.example", Some(MAIL)),
        (MATRIX, "Mail me! mara@lind.example", None),
        (MATRIX, "You have my number, right? +49 171 2345678", None),
        (MATRIX, "My phone died, use my landline... kidding, my number is still 0171 2345678", Some(PHONE)),
        (MATRIX, "can you send it to my email, mara@lind.example?", Some(MAIL)),
        (MATRIX, "I'm reachable by phone on +49 171 2345678 until ten", Some(PHONE)),
        (MATRIX, "Meine neue Nummer: 0171 2345678", Some(PHONE)),
        (MATRIX, "mein Handy: +49 171 2345678", Some(PHONE)),
        (MATRIX, "Bitte an mara@lind.example schicken, das ist meine private Adresse", Some(MAIL)),
        (MATRIX, "c'est mon mail : mara@lind.example", Some(MAIL)),
        (MATRIX, "mi número es +49 171 2345678", Some(PHONE)),
        (MATRIX, "Ya sabes, mi correo sigue siendo mara@lind.example", Some(MAIL)),
        // Numbers that are not the writer's own.
        (FRIEND, "My wife's number is +49 171 2345678", None),
        (FRIEND, "In an emergency call +49 171 2345678", None),
        (FRIEND, "someone keeps calling me from +49 171 2345678", None),
        (FRIEND, "I got a mail from mara@lind.example", None),
        (FRIEND, "She can be reached at mara@lind.example", None),
        (FRIEND, "Contact us at mara@lind.example", None),
        (FRIEND, "I'll write to mara@lind.example tonight", None),
        (FRIEND, "I use mara@lind.example as a test value", None),
        (FRIEND, "my email isn't mara@lind.example", None),
        (FRIEND, "My email used to be mixed up with mara@lind.example", None),
        (FRIEND, "I'm Jonas, and Mara is mara@lind.example", None),
        (FRIEND, "my contact there is mara@lind.example", None),
        (FRIEND, "Mara: you can reach me at mara@lind.example", None),
        (FRIEND, "mara> my email is mara@lind.example", None),
        (FRIEND, "Mara Lind\nmara@lind.example\n+49 171 2345678", None),
        (FRIEND, "Forwarding Mara's note:\n\nBest,\nMara Lind\nmara@lind.example", None),
        (FRIEND, "The form says \"my number is +49 171 2345678\"", None),
        (FRIEND, "Her words: my email is mara@lind.example", None),
        (FRIEND, "my assistant can be reached at mara@lind.example", None),
        (FRIEND, "tell Mara to email me, hers is mara@lind.example", None),
        (FRIEND, "call me or call Mara on +49 171 2345678", None),
        (MAIL, "I'm looking for @jonas:example.org", None),
        (MAIL, "I'm a fan of @jonas:example.org", None),
        (MAIL, "I'm @jonas:example.org's biggest fan", None),
        (MAIL, "someone pretends to be me as @jonas:example.org", None),
        (MAIL, "hi @jonas:example.org, it's me", None),
        (MAIL, "who is @jonas on Matrix?", None),
        (MAIL, "It's Jonas, @jonas:example.org", None),
        (MAIL, "The one on Matrix, @jonas:example.org, is not me", None),
        (MAIL, "my matrix contact is @jonas:example.org", None),
        (MAIL, "my friend on Matrix is @jonas:example.org", None),
        (MAIL, "you probably know @jonas:example.org from Matrix", None),
        (MAIL, "I was @jonas:example.org's manager", None),
        (MAIL, "Ich bin mit @jonas:example.org verabredet", None),
        (MAIL, "je suis avec @jonas:example.org", None),
        (MAIL, "soy amiga de @jonas:example.org", None),
    ]);
}
