//! Tests phone numbers in the notations of many countries, and other numbers that only look like phone numbers.

use rlibphonenumber::{PHONE_NUMBER_UTIL, PhoneNumberFormat, PhoneNumberType, Region};

use super::phone::Phones;
use super::*;

/// Numbers that are not phone numbers. Their kinds are listed in SECURITY.md, "Scrubbing".
const DECOYS: [&str; 30] = [
    "1700000000",
    "1700000000123",
    "2024-01-15 10:30:00",
    "20240115103000",
    "2024-01-15T10:30:00.123456Z",
    "550e8400-e29b-41d4-a716-446655440000",
    "c9bf9e57-1685-4c89-bafb-ff5af830be8a",
    "order 4830192745",
    "Bestellung 302-4819034-1172308",
    "#1002003004",
    "ISBN 978-3-16-148410-0",
    "ISBN 0-306-40615-2",
    "9783161484100",
    "52.520008, 13.404954",
    "-33.865143, 151.209900",
    "v1.20.300.4000",
    "version 10.15.7.1234",
    "192.168.100.200",
    "10.0.0.1:8080",
    "9fceb02d0ae598e95dc970b74767f19372d61af8",
    "3.14159265358979",
    "1 234 567 890",
    "1,234,567,890",
    "12345678901234567890",
    "Build 19045.3803",
    "RFC 9110, 9111, 9112",
    "2019-2024, 2025-2030",
    "tracking 1Z999AA10123456784",
    "sku 8801643740221",
    "1/2/2024 3/4/2025",
];

#[test]
fn at_most_three_of_thirty_number_strings_are_taken_for_phones() {
    let fired: Vec<_> = DECOYS
        .iter()
        .map(|decoy| (decoy, SCRUBBER.scrub(&format!("it says {decoy} there"))))
        .filter(|(_, scrubbed)| scrubbed.masked().any(|kind| kind == SensitiveKind::Phone))
        .collect();
    assert!(fired.len() <= 3, "{} fired: {fired:?}", fired.len());
}

/// Counts how many example numbers of `regions` in `format` are found completely. `config` returns the configured regions for
/// each region.
fn recall(regions: &[Region], format: PhoneNumberFormat, config: impl Fn(Region) -> Vec<String>) -> (usize, Vec<String>) {
    let mut total = 0;
    let mut missed = Vec::new();
    for region in regions {
        let phones = Phones::new(&config(*region)).expect("a supported region");
        for number_type in [PhoneNumberType::FixedLine, PhoneNumberType::Mobile] {
            let Ok(number) = PHONE_NUMBER_UTIL.get_example_number_for_type_and_region(*region, number_type) else { continue };
            let written = number.format_as(format);
            for dress in ["{}", "you reach me under {} after six", "({})", "**{}**", "{}."] {
                let text = dress.replace("{}", &written);
                let mut found = Vec::new();
                phones.find(&text, &digit_runs(&text), &mut found);
                total += 1;
                let is_whole = found.first().is_some_and(|f| {
                    let left = text[..f.range.start].chars().chain(text[f.range.end..].chars()).any(|c| c.is_ascii_digit());
                    !left
                });
                if !is_whole {
                    missed.push(format!("{region:?} {text:?}"));
                }
            }
        }
    }
    (total, missed)
}

fn all_regions() -> Vec<Region> {
    PHONE_NUMBER_UTIL.get_supported_regions().collect()
}

fn assert_recall((total, missed): (usize, Vec<String>)) {
    assert!(missed.len() * 100 <= total, "{} of {total} missed, 1 % allowed:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn international_numbers_of_all_regions_are_found_without_any_region() {
    assert_recall(recall(&all_regions(), PhoneNumberFormat::E164, |_| Vec::new()));
    assert_recall(recall(&all_regions(), PhoneNumberFormat::International, |_| Vec::new()));
}

#[test]
fn national_numbers_of_the_default_regions_are_found_with_the_default_regions() {
    let config = ScrubConfig::default();
    let regions: Vec<Region> = config.regions.iter().map(|region| region.parse().expect("a region")).collect();
    assert_recall(recall(&regions, PhoneNumberFormat::National, |_| config.regions.clone()));
}

#[test]
fn national_numbers_of_any_region_are_found_when_it_is_configured() {
    let (total, missed) = recall(&all_regions(), PhoneNumberFormat::National, |region| vec![region.to_string()]);
    let long_enough: Vec<_> = missed.into_iter().filter(|text| text.bytes().filter(u8::is_ascii_digit).count() >= 7).collect();
    assert_recall((total, long_enough));
}

#[test]
fn numbers_are_found_as_people_write_them() {
    for (text, scrubbed) in [
        ("call me: 555-123-4567", "call me: [PHONE_1]"),
        ("tel:+1-201-555-0123", "tel:[PHONE_1]"),
        ("+49 (0) 30 / 12 34 56 78", "[PHONE_1]"),
        ("0049 30 12345678", "[PHONE_1]"),
        ("＋４９ １５１ ２３４５ ６７８９", "[PHONE_1]"),
        ("+49\u{a0}151\u{202f}23456789", "[PHONE_1]"),
        ("+49 151\n23456789", "[PHONE_1]"),
        ("+49 151 2345\u{200B}6789", "[PHONE_1]"),
        ("+49–151–23456789", "[PHONE_1]"),
        ("my cell is 1234567890123", "my cell is [PHONE_1]"),
        ("030 12345678 or 030 87654321", "[PHONE_1] or [PHONE_2]"),
        ("030 12345678, 030 87654321", "[PHONE_1], [PHONE_2]"),
        ("(201) 555-0123 ext. 44", "[PHONE_1]"),
        ("| +44 20 7946 0958 |", "| [PHONE_1] |"),
        ("wa.me/4915123456789", "wa.me/[PHONE_1]"),
        // Numbers that no operator assigns: numbers reserved for fiction, and common example numbers.
        ("+44 7700 900123", "[PHONE_1]"),
        ("+1 415 555 0132", "[PHONE_1]"),
        ("+1-800-000-1234 is theirs", "[PHONE_1] is theirs"),
    ] {
        check(text, scrubbed);
    }
}
