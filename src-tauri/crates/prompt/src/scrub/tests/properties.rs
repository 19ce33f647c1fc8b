//! Tests properties for arbitrary text: no sensitive value remains, and masked text and clean text stay unchanged.

use proptest::prelude::*;

use super::*;

/// Fragments that are joined so that their edges touch.
fn fragment() -> impl Strategy<Value = String> {
    let fixed = prop::sample::select(vec![
        "mara@example.org", "name at host dot com", " (at) ", "+49 30 12345678", "(415) 555-2671", "030", "$5", "€ 1.200,50",
        "two million dollars", "5 lakh", "k", "M", "DE89 3704 0044 0532 0130 00", "4111 1111 1111 1111", "123-45-6789",
        "10.20.30.40", "fe80::1ff:fe23:4567:890a", "https://a:b1@c.org/x", "password=letmein7", "api_key: ",
        "bWFyYUBleGFtcGxlLm9yZw==", "mara%40example.org", "[EMAIL_1]", "[PHONE]", "[", "]", "_1]", "@", ".", ",", "-", " ", "\n",
        "\r\n", ":", "/", "=", "\"", "%", "+", "(", "\u{200B}", "１２３", "é", "漢", "😀", "call", "salary is", "ssn ",
        "Bearer ", "\u{FFFC}", "\u{301}", "dot", "USD", "pounds", "и",
    ]);
    prop_oneof![4 => fixed.prop_map(str::to_owned), 2 => "[0-9]{1,12}", 1 => "[a-zA-Z]{1,8}", 1 => "[ -~]{1,6}"]
}

fn mixed() -> impl Strategy<Value = String> {
    prop::collection::vec(fragment(), 0..14).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn a_second_scrub_changes_nothing(text in mixed()) {
        let once = scrub(&text);
        prop_assert_eq!(scrub(&once), once.clone(), "of {:?}", text);
    }

    #[test]
    fn any_text_at_all_is_scrubbed_without_panic_and_stably(text in any::<String>()) {
        let once = scrub(&text);
        prop_assert_eq!(scrub(&once), once);
    }

    #[test]
    fn what_is_not_masked_is_the_source_byte_for_byte(text in mixed()) {
        let scrubbed = SCRUBBER.scrub(&text);
        let mut rebuilt = String::new();
        let mut at = 0;
        for edit in &scrubbed.edits {
            rebuilt.push_str(&scrubbed.as_str()[at..edit.scrubbed.start]);
            rebuilt.push_str(&text[edit.source.clone()]);
            at = edit.scrubbed.end;
        }
        rebuilt.push_str(&scrubbed.as_str()[at..]);
        prop_assert_eq!(rebuilt, text);
    }

    #[test]
    fn no_address_survives_between_other_pieces(before in mixed(), after in mixed(), n in 0u32..100_000) {
        let name = format!("canary{n}x");
        let text = format!("{before} {name}@example.org {after}");
        prop_assert!(!scrub(&text).contains(&name), "{:?} -> {:?}", text, scrub(&text));
    }
}

/// Long repetitions of characters that trigger a detector must cost no more than a few passes each.
#[test]
fn hostile_repetitions_are_read_in_linear_steps() {
    for piece in [
        "@", "a@", "1 ", "12345 ", "(", "+1 ", "%41", "%", ":", "1:", "a:", "-", "sk-", "password=", "-----BEGIN ", "DE12", "0 ",
        " dot ", " at ", "://", "a://b:c", "$", "$1", "A", "[EMAIL_1]", "1.", "9999 ", "\n1",
    ] {
        let text = piece.repeat(20_000 / piece.len());
        let once = scrub(&text);
        assert_eq!(scrub(&once), once, "of repeated {piece:?}");
    }
}
