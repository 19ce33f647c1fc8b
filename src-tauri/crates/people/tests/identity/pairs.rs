//! Pairs that must be suggested, and pairs that must not be.

use keepsake_domain::EntityType;
use keepsake_people::identity::{Answer, ClueKind, Decision};

use crate::support::World;

const MATRIX: &str = "matrix @mara:example.org";
const MAIL: &str = "email mara@lind.example";

fn two() -> World {
    World::default().handle(MATRIX, "Mara").handle(MAIL, "Mara Lind")
}

fn check(world: &World, a: &str, b: &str, expect: Option<&str>, why: &str) {
    assert_eq!(world.strength(a, b), expect, "{why}");
}

#[test]
fn an_address_or_number_given_as_ones_own_is_the_strongest_reason() {
    check(&two().says("r", MATRIX, "my email is Mara+matrix@Lind.example"), MATRIX, MAIL, Some("contact"), "own words");
    check(
        &World::default().profile(MATRIX, "Mara", &["mara@lind.example"]).handle(MAIL, ""),
        MATRIX,
        MAIL,
        Some("contact"),
        "profile",
    );
    let phones = World::default().handle("whatsapp +49 171 2345678", "Mara").handle("signal +491712345678", "ML");
    check(&phones, "whatsapp +49 171 2345678", "signal +491712345678", Some("contact"), "one number on two channels");
    let signed = World::default().handle(MAIL, "Mara Lind").handle("whatsapp +491712345678", "Mara").says(
        "m",
        MAIL,
        "See you on Monday.\n\nBest regards,\nMara Lind\nMobile: 0171 2345678",
    );
    check(&signed, MAIL, "whatsapp +491712345678", Some("contact"), "signature");
    check(
        &two().says("r", MATRIX, "reach me at mara@lind.example").says("m", MAIL, "hello"),
        MATRIX,
        MAIL,
        Some("contact"),
        "reach me",
    );
}

#[test]
fn a_handle_that_somebody_calls_their_own_is_a_reason() {
    check(&two().says("m", MAIL, "By the way, I'm @mara on Matrix."), MATRIX, MAIL, Some("declared"), "local part and channel");
    check(
        &two().says("m", MAIL, "This is Mara from the Matrix room (@mara:example.org)"),
        MATRIX,
        MAIL,
        Some("declared"),
        "whole",
    );
    check(&two().says("m", MAIL, "Auf Matrix bin ich @mara:example.org"), MATRIX, MAIL, Some("declared"), "German");
    let ambiguous = two().handle("matrix @mara:other.net", "M").says("m", MAIL, "I'm @mara on Matrix");
    check(&ambiguous, MATRIX, MAIL, None, "two fit, so none is meant");
    let elsewhere = two().says("r", MATRIX, "my GitHub is maralind").says("m", MAIL, "My GitHub handle is @MaraLind.");
    check(&elsewhere, MATRIX, MAIL, Some("declared"), "both name one account that no handle shows");
}

#[test]
fn somebody_elses_detail_is_no_reason() {
    for text in [
        "Mara's email is mara@lind.example",
        "her address is mara@lind.example",
        "ask mara@lind.example",
        "> my email is mara@lind.example",
        "she said my email is mara@lind.example",
        "Jonas: my email is mara@lind.example",
        "@mara:example.org is on Matrix, her mail is mara@lind.example",
        "my sister's email is mara@lind.example",
        "mara@lind.example is not my email",
    ] {
        check(&two().says("r", MATRIX, text), MATRIX, MAIL, None, text);
    }
}

#[test]
fn names_alone_and_the_rest_of_a_handle_are_no_reason() {
    let pair = |a: (&str, &str), b: (&str, &str)| {
        let world = World::default().handle(a.0, a.1).handle(b.0, b.1).says("r", a.0, "hello there").says("m", b.0, "hi");
        check(&world, a.0, b.0, None, &format!("{a:?} {b:?}"));
    };
    pair((MATRIX, "Mara"), (MAIL, "Mara"));
    pair((MATRIX, "Mara Lind"), (MAIL, "Mara Lind"));
    pair((MATRIX, "Mara Lind"), ("email mara@example.org", "Mara Lind"));
    pair(("matrix @support:a.org", "Support"), ("email support@b.org", "Support"));
    pair(("meeting Speaker 1", "Speaker 1"), ("whatsapp Speaker 1", "Speaker 1"));
    pair(("meeting Unknown", "Unknown"), ("chat Unknown", "Unknown"));
    pair(("matrix @bot:a.org", "+49 171 2345678"), ("whatsapp +491712345678", ""));
}

#[test]
fn programs_lists_and_shared_details_are_never_suggested() {
    let number = "Tel. +49 30 901820";
    let mut office = World::default();
    let people = ["Ana Ruiz", "Ben Kaya", "Cleo Marsh", "Dora Pohl"];
    let addresses: Vec<String> = (0..people.len()).map(|n| format!("email p{n}@firm{n}.example")).collect();
    for (address, name) in addresses.iter().zip(people) {
        office = office.handle(address, name);
    }
    for (address, name) in addresses.iter().zip(people) {
        office = office.says(name, address, &format!("Hello.\n\nRegards,\n{name}\n{number}"));
    }
    assert_eq!(office.suggest(&[]).len(), 0, "a switchboard joins nobody");

    let list = World::default()
        .handle("email info@lind.example", "Lind Design")
        .handle(MATRIX, "Mara Lind")
        .says("r", MATRIX, "you can reach me at info@lind.example");
    check(&list, "email info@lind.example", MATRIX, None, "many read info@");
    let agent = World::default()
        .kind(MATRIX, "Mara", EntityType::Agent)
        .handle(MAIL, "Mara Lind")
        .says("r", MATRIX, "my email is mara@lind.example");
    check(&agent, MATRIX, MAIL, None, "a program has no mailbox");
}

#[test]
fn the_same_full_name_needs_people_or_projects_in_common() {
    let names = || World::default().handle(MATRIX, "Mara Lind").handle(MAIL, "Mara Lind");
    let circle = names()
        .handle("matrix @jonas:example.org", "Jonas Berg")
        .handle("matrix @ida:example.org", "Ida Falk")
        .handle("email jonas@berg.example", "Jonas Berg")
        .handle("email ida@falk.example", "Ida Falk")
        .says("r", MATRIX, "hi")
        .says("r", "matrix @jonas:example.org", "hi")
        .says("r", "matrix @ida:example.org", "hi")
        .says("m", MAIL, "hello")
        .says("m", "email jonas@berg.example", "hello")
        .says("m", "email ida@falk.example", "hello");
    check(&circle, MATRIX, MAIL, Some("name"), "two people in common");
    let project = names().says("r", MATRIX, "The Kestrel ingest fails on the turbine schema").says(
        "m",
        MAIL,
        "About Kestrel: turbine data breaks the ingest again",
    );
    check(&project, MATRIX, MAIL, Some("name"), "a project in common");
    check(&names().says("r", MATRIX, "lunch?").says("m", MAIL, "yes"), MATRIX, MAIL, None, "control: nothing in common");
    let together = names()
        .says("r", MATRIX, "The Kestrel ingest fails on the turbine schema")
        .says("r", MAIL, "Kestrel again? the turbine ingest?")
        .says("r", MATRIX, "yes");
    check(&together, MATRIX, MAIL, None, "they talk to each other");
}

#[test]
fn what_speaks_against_is_said_and_can_outweigh() {
    let married =
        World::default().handle(MATRIX, "Mara Holt").handle(MAIL, "Mara Lind").says("r", MATRIX, "my email is mara@lind.example");
    let found = married.suggest(&[]);
    assert!(matches!(found[0].evidence_against[0].kind, ClueKind::DifferentNames { is_partly_shared: true, .. }));
    let strangers = World::default()
        .handle(MATRIX, "Jonas Berg")
        .handle(MAIL, "Mara Lind")
        .says("r", MATRIX, "my email is mara@lind.example");
    check(&strangers, MATRIX, MAIL, Some("guess"), "an address under another name is a guess");
    let denied = two().says("m", MAIL, "I'm @mara on Matrix").says("r", MATRIX, "mara@lind.example is not me");
    assert!(denied.suggest(&[])[0].evidence_against.iter().any(|clue| matches!(clue.kind, ClueKind::Denied { .. })));
    let imitation =
        World::default().handle(MATRIX, "Mаra Lind").handle(MAIL, "Mara Lind").says("r", MATRIX, "my email is mara@lind.example");
    assert!(imitation.suggest(&[])[0].evidence_against.iter().any(|clue| matches!(clue.kind, ClueKind::MixedScripts { .. })));
}

#[test]
fn earlier_answers_hold() {
    let world = two()
        .handle("signal +491712345678", "Mara")
        .says("r", MATRIX, "my email is mara@lind.example")
        .says("m", MAIL, "call me on 0171 2345678");
    let (a, b, c) = (world.id(MATRIX), world.id(MAIL), world.id("signal +491712345678"));
    let decide =
        |x: &keepsake_domain::HandleId, y: &keepsake_domain::HandleId, answer| Decision { a: x.clone(), b: y.clone(), answer };
    let count = |decisions: &[Decision]| world.suggest(decisions).len();
    assert_eq!(count(&[]), 2, "control: two pairs are open");
    assert_eq!(count(&[decide(&b, &a, Answer::Same)]), 1, "a linked pair is not asked about");
    assert_eq!(count(&[decide(&a, &c, Answer::Same), decide(&c, &b, Answer::Same)]), 0, "links chain");
    assert_eq!(count(&[decide(&a, &b, Answer::Different)]), 1, "different stays different");
    let group = [decide(&a, &b, Answer::Same), decide(&a, &c, Answer::Different)];
    let left = world.suggest(&group);
    assert_eq!(left.len(), 1, "one rejected pair of a group rejects no other");
    assert!(left[0].evidence_against.iter().any(|clue| matches!(clue.kind, ClueKind::DecidedDifferent { .. })), "but it is said");
    let fingerprint = |world: &World| world.suggest(&[]).into_iter().find(|s| s.a == a && s.b == b).unwrap().fingerprint;
    let before = fingerprint(&world);
    assert_eq!(count(&[decide(&a, &b, Answer::Unsure(before.clone()))]), 1, "unsure waits for news");
    let again = two().handle("signal +491712345678", "Mara").says("r", MATRIX, "my email is mara@lind.example").says(
        "r",
        MATRIX,
        "as I said, my email is mara@lind.example",
    );
    assert!(!fingerprint(&again).has_news_over(&before), "the same said twice is no news");
    let news = two().says("r", MATRIX, "my email is mara@lind.example").says("m", MAIL, "I'm @mara on Matrix");
    assert!(fingerprint(&news).has_news_over(&before), "another reason is news");
    assert!(!before.has_news_over(&fingerprint(&news)), "a reason that fell away is none");
}

#[test]
fn the_owner_is_suggested_by_address_or_own_word_alone() {
    let said = World::default()
        .owner("chat me", "Mara Lind")
        .handle(MAIL, "Mara Lind")
        .says("c", "chat me", "send it to me at mara@lind.example");
    check(&said, "chat me", MAIL, Some("contact"), "the owner's own word");
    let context = World::default()
        .owner("chat me", "Mara Lind")
        .handle(MAIL, "Mara Lind")
        .says("c", "chat me", "The Kestrel ingest fails on the turbine schema")
        .says("m", MAIL, "About Kestrel: turbine data breaks the ingest again");
    check(&context, "chat me", MAIL, None, "everything that people say to the owner is about the owner's projects");
}

#[test]
fn shared_words_without_a_name_are_a_guess_at_most() {
    let words = "the Kestrel pipeline needs qanat-sync, turbidity bins and the Zarr-3 rechunker before Plover ships";
    let pair = |a: &str, b: &str| {
        World::default().handle(MATRIX, a).handle("email x9@posteo.example", b).says("r", MATRIX, words).says(
            "m",
            "email x9@posteo.example",
            "Kestrel again: turbidity in qanat-sync, rechunker for Zarr-3 and Plover",
        )
    };
    check(&pair("fox", ""), MATRIX, "email x9@posteo.example", Some("guess"), "terminology");
    check(&pair("Mara Lind", "Jonas Berg"), MATRIX, "email x9@posteo.example", None, "colleagues");
}
