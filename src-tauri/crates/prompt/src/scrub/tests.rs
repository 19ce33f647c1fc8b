//! Tests the guarantees of the scrubber with tables of examples. Secrets are assembled at run time, so that no source file
//! contains anything that looks like a secret.

mod accounts;
mod amounts;
mod emails;
mod phones;
mod properties;
mod secrets;

use std::sync::LazyLock;

use super::*;

/// One scrubber with the default regions for all tests.
static SCRUBBER: LazyLock<Scrubber> =
    LazyLock::new(|| Scrubber::new(&ScrubConfig::default()).expect("built-in patterns compile"));

fn scrub(text: &str) -> String {
    SCRUBBER.scrub(text).as_str().to_owned()
}

/// Asserts the scrubbed form of a text.
fn check(text: &str, scrubbed: &str) {
    assert_eq!(scrub(text), scrubbed, "of {text:?}");
}

#[test]
fn a_region_without_phones_is_refused_by_name() {
    let error = Scrubber::new(&ScrubConfig { regions: vec!["XQ".to_owned()] }).expect_err("XQ is no region");
    assert!(error.to_string().contains("'XQ'"), "the message names it: {error}");
}

#[test]
fn a_value_keeps_its_placeholder_within_a_session_and_leads_back() {
    let mut session = ScrubSession::new();
    let first = SCRUBBER.scrub_in(&mut session, "mara@example.org or noor@example.org?");
    let second = SCRUBBER.scrub_in(&mut session, "Mara@Example.org, +49 30 12345678, (030) 1234 5678 is +493012345678");
    assert_eq!(first.as_str(), "[EMAIL_1] or [EMAIL_2]?");
    assert_eq!(second.as_str(), "[EMAIL_1], [PHONE_1], [PHONE_1] is [PHONE_1]", "one value, one name, however it is written");
    assert_eq!(session.restore("ask [EMAIL_2], not [EMAIL_7]"), "ask noor@example.org, not [EMAIL_7]");
    let printed = format!("{session:?} {:?}", *SCRUBBER);
    assert!(!printed.contains("noor"), "what is private is not printed: {printed}");
}

#[test]
fn placeholders_of_the_text_stay_and_their_numbers_are_not_given_again() {
    check("[EMAIL_1] and [PHONE] and a@example.org", "[EMAIL_1] and [PHONE] and [EMAIL_2]");
    check("[EMAIL_x] [PHONE_493012345678]", "[EMAIL_x] [PHONE_[PHONE_1]]");
}

#[test]
fn a_quotation_of_the_scrubbed_text_leads_to_its_place_in_the_source() {
    let source = "Ü: mail mara@example.org or pay $5 today";
    let scrubbed = SCRUBBER.scrub(source);
    let find = |quote: &str| {
        let start = scrubbed.as_str().find(quote).expect("the quotation is there");
        &source[scrubbed.source_range(start..start + quote.len())]
    };
    assert_eq!(find("mail [EMAIL_1] or"), "mail mara@example.org or");
    assert_eq!(find("today"), "today");
    assert_eq!(find("[AMOUNT_1]"), "$5");
    assert_eq!(find("Ü"), "Ü");
    assert_eq!(find("MOUNT"), "$5", "a part of a placeholder means its whole value");
}

#[test]
fn ordinary_text_comes_back_as_it_was() {
    for text in [
        "",
        "I moved to Lisbon in 2019 and I'd rather work 4 days a week.",
        "let x = items[0]; // see RFC 9110, section 4.2.1 at line 1200",
        "Das Treffen ist am 31.12.2025 um 14:30 Uhr, Raum 3.12 – bitte pünktlich 🙂",
        "use std::vec::Vec; a::b::c(); 10:20:30 12:00–13:00 #1234 @mara #mara v1.2.3.4",
        "Kotlin, C++ and F# at 100 %; 3 × 4 = 12; 5 km, 20 °C, 1e10, 0x1F, 10^6",
        "Commit 9fceb02d0ae598e95dc970b74767f19372d61af8 fixes issue 12345",
        "Listening on 127.0.0.1:8080 and ::1, mask 255.255.255.255",
        "The password is wrong, reset the token and try the secret sauce. Password: required",
        "let password = get_password(); token: String, secret: Option<Secret>, auth = config.auth.token",
    ] {
        check(text, text);
    }
}

#[test]
fn what_looks_generated_near_a_word_for_a_secret_is_masked() {
    check("my login for the shop? anna / rB4!kestrel9", "my login for the shop? anna / [SECRET_1]");
    check(
        "the key for the sensor is in the script, or it's QZ-5e21b0d9c3aa17f8.",
        "the key for the sensor is in the script, or it's [SECRET_1].",
    );
    check("the form wants a key: sk_test_7dR2yW90uKpX1zBcQ4 . Where?", "the form wants a key: [SECRET_1] . Where?");
    check("the app password for it is zkqp wmor tldc nhye. Change it.", "the app password for it is [SECRET_1]. Change it.");
    for text in [
        "The key is to use Python3.11 and Ctrl+F5 on Windows11",
        "the key commit is 9fceb02d0ae598e95dc970b74767f19372d61af8, tag v2.1b",
        "my login is on the 2nd-floor laptop, a MacBookPro",
        "the password reset goes to them from this page when they want",
        "a monkey with a keyboard from 1998Q3x!abc",
        "the key file is src/keys/MyKey2b.pem",
    ] {
        check(text, text);
    }
}

#[test]
fn addresses_of_machines_and_urls_with_credentials_are_masked() {
    check("ssh to 10.20.30.41, not 10.20.30.42.", "ssh to [IP_1], not [IP_2].");
    check("ping 2001:db8:85a3::8a2e:370:7334 or fe80::1ff:fe23:4567:890a", "ping [IP_1] or [IP_2]");
    check("(postgres://bob:pa/ss@db.example.com:5432/app?x=1)", "(postgres://bob:pa/[EMAIL_1]:5432/app?x=1)");
    check("DSN=postgres://bob:pass@db.example.com:5432/app?x=1, then", "DSN=[URL_1], then");
    check("see https://example.org/a?b=c and ftp://example.org", "see https://example.org/a?b=c and ftp://example.org");
}

#[test]
fn overlapping_finds_become_one_of_the_kind_with_precedence() {
    check("https://mara%40example.org:geheim1@example.org/x", "[URL_1]");
    check("4111 1111 1111 1111 $5", "[CARD_1] [AMOUNT_1]");
    check("$¼¢", "[AMOUNT_1]");
}

#[test]
fn a_text_is_cut_behind_sentences_and_never_within_a_placeholder_and_leads_back() {
    let check = |source: &str, chars_max: usize, expect: &[&str]| {
        let whole = Scrubber::new(&ScrubConfig::default()).unwrap().scrub(source);
        let parts = whole.parts(chars_max);
        assert_eq!(parts.iter().map(Scrubbed::as_str).collect::<Vec<_>>(), expect, "{source}");
        let mut at = 0;
        for part in &parts {
            let range = part.source_range(0..part.as_str().len());
            assert_eq!(range.start, at, "{source}: one begins where the other ends");
            at = range.end;
        }
        assert_eq!(at, if parts.is_empty() { 0 } else { source.len() }, "{source}");
    };
    check("", 10, &[]);
    check("Short.", 10, &["Short."]);
    check("One. Two is longer. Three.", 20, &["One. Two is longer. ", "Three."]);
    check("no sentence ends in here", 10, &["no ", "sentence ", "ends in ", "here"]);
    check("aaaaaaaaaaaaaaa", 10, &["aaaaaaaaaa", "aaaaa"]);
    check("Ask mara@example.org or bob@example.org. Yes.", 16, &["Ask [EMAIL_1] ", "or [EMAIL_2]. ", "Yes."]);
    check("mara@example.org", 4, &["[EMAIL_1]"]);
    check("é. ü mara@example.org, ö", 13, &["é. ", "ü [EMAIL_1], ", "ö"]);
}
