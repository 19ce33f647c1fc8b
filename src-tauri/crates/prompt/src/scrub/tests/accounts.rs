//! Tests that IBANs and card numbers are recognized by their check digits.

use super::*;

/// The example from each country's section of the IBAN registry. The accounts are made up.
const IBANS: &[&str] = &[
    "AD1200012030200359100100", "AE070331234567890123456", "AL47212110090000000235698741", "AT611904300234573201",
    "AZ21NABZ00000000137010001944", "BA391290079401028494", "BE68539007547034", "BG80BNBG96611020345678",
    "BH67BMAG00001299123456", "BR9700360305000010009795493P1", "CH9300762011623852957", "CR05015202001026284066",
    "CY17002001280000001200527600", "CZ6508000000192000145399", "DE89370400440532013000", "DK5000400440116243",
    "DO28BAGR00000001212453611324", "EE382200221020145685", "ES9121000418450200051332", "FI2112345600000785",
    "FO6264600001631634", "FR1420041010050500013M02606", "GB29NWBK60161331926819", "GE29NB0000000101904917",
    "GI75NWBK000000007099453", "GL8964710001000206", "GR1601101250000000012300695", "GT82TRAJ01020000001210029690",
    "HR1210010051863000160", "HU42117730161111101800000000", "IE29AIBK93115212345678", "IL620108000000099999999",
    "IS140159260076545510730339", "IT60X0542811101000000123456", "JO94CBJO0010000000000131000302",
    "KW81CBKU0000000000001234560101", "KZ86125KZT5004100100", "LB62099900000001001901229114", "LI21088100002324013AA",
    "LT121000011101001000", "LU280019400644750000", "LV80BANK0000435195001", "MC5811222000010123456789030",
    "MD24AG000225100013104168", "ME25505000012345678951", "MK07250120000058984", "MR1300020001010000123456753",
    "MT84MALT011000012345MTLCAST001S", "MU17BOMM0101101030300200000MUR", "NL91ABNA0417164300", "NO9386011117947",
    "PK36SCBL0000001123456702", "PL61109010140000071219812874", "PS92PALS000000000400123456702", "PT50000201231234567890154",
    "QA58DOHB00001234567890ABCDEFG", "RO49AAAA1B31007593840000", "RS35260005601001611379", "SA0380000000608010167519",
    "SE4550000000058398257466", "SI56263300012039086", "SK3112000000198742637541", "SM86U0322509800000000270100",
    "TN5910006035183598478831", "TR330006100519786457841326", "UA213223130000026007233566001", "VG96VPVG0000012345678901",
    "XK051212012345678906",
];

fn grouped(text: &str, by: usize, separator: &str) -> String {
    text.as_bytes().chunks(by).map(|group| String::from_utf8_lossy(group).into_owned()).collect::<Vec<_>>().join(separator)
}

#[test]
fn every_iban_is_found_spaced_or_not() {
    for iban in IBANS {
        for shape in [
            (*iban).to_owned(),
            grouped(iban, 4, " "),
            grouped(iban, 4, "-"),
            grouped(iban, 4, "\u{a0}"),
            iban.to_lowercase(),
            grouped(iban, 8, "\n"),
        ] {
            check(&format!("pay to {shape} today"), "pay to [IBAN_1] today");
            check(&format!("IBAN:{shape}"), "IBAN:[IBAN_1]");
        }
    }
}

#[test]
fn an_iban_with_a_wrong_check_number_stays() {
    for iban in IBANS {
        let other = if &iban[2..4] == "50" { "51" } else { "50" };
        let wrong = format!("{}{other}{}", &iban[..2], &iban[4..]);
        assert!(!SCRUBBER.scrub(&wrong).masked().any(|kind| kind == SensitiveKind::Iban), "{wrong} proves nothing");
    }
}

/// Adds the Luhn digit to a prefix filled up to `len`.
fn card(prefix: &str, len: usize, seed: usize) -> String {
    let filler = (0..).map(|i| char::from(b'0' + ((i * 7 + seed * 3 + i * seed) % 10) as u8));
    let head: String = prefix.chars().chain(filler).take(len - 1).collect();
    let sum: u32 = head
        .bytes()
        .rev()
        .enumerate()
        .map(|(i, b)| {
            let v = u32::from(b - b'0') * if i % 2 == 0 { 2 } else { 1 };
            if v > 9 { v - 9 } else { v }
        })
        .sum();
    format!("{head}{}", (10 - sum % 10) % 10)
}

#[test]
fn cards_of_every_issuer_are_found_in_every_grouping() {
    let issuers = [
        ("4", 16),
        ("4", 13),
        ("4", 19),
        ("51", 16),
        ("55", 16),
        ("2221", 16),
        ("2720", 16),
        ("34", 15),
        ("37", 15),
        ("6011", 16),
        ("644", 16),
        ("65", 16),
        ("3528", 16),
        ("3589", 16),
        ("36", 14),
        ("38", 14),
        ("305", 14),
        ("62", 16),
        ("62", 19),
        ("6304", 16),
        ("5018", 12),
        ("6759", 18),
        ("2204", 16),
        ("508", 16),
    ];
    for (prefix, len) in issuers {
        for seed in 0..5 {
            let number = card(prefix, len, seed);
            for shape in [
                number.clone(),
                grouped(&number, 4, " "),
                grouped(&number, 4, "-"),
                grouped(&number, 4, "\n"),
                grouped(&number, 4, "\u{200B} "),
            ] {
                check(&format!("card {shape}."), "card [CARD_1].");
            }
        }
    }
    check("amex 3782 822463 10005", "amex [CARD_1]");
    check("４１１１ １１１１ １１１１ １１１１", "[CARD_1]");
}

#[test]
fn a_number_that_fails_luhn_is_no_card() {
    for seed in 0..50 {
        let right = card("4", 16, seed);
        let last = (right.as_bytes()[15] - b'0' + 1) % 10;
        let wrong = format!("{}{last}", &right[..15]);
        check(&wrong, &wrong);
    }
}

#[test]
fn figures_side_by_side_are_no_card() {
    check("1000000 2000000 3000000 4000000 5000000", "1000000 2000000 3000000 4000000 5000000");
}

#[test]
fn social_security_numbers_are_told_from_other_nine_digits() {
    check("SSN 123-45-6789", "SSN [SSN_1]");
    check("ssn: 123456789, social security number is 123 45 6789", "ssn: [SSN_1], social security number is [SSN_1]");
    for text in ["000-12-3456", "666-12-3456", "912-34-5678", "123-00-4567", "123-45-0000", "part 12-123-45-6789"] {
        check(text, text);
    }
}
