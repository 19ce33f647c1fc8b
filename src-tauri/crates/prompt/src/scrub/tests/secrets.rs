//! Tests that keys, tokens and passwords are recognized by their formats.

use super::*;

/// Deterministic letters and digits that look random.
fn noise(alphabet: &str, len: usize, seed: u64) -> String {
    let letters: Vec<char> = alphabet.chars().collect();
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(0x1234_5678_9ABC_DEF1);
    (0..len)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            letters[(state >> 33) as usize % letters.len()]
        })
        .collect()
}

const ALNUM: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const HEX: &str = "0123456789abcdef";
const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// One token per issuer. The prefix is assembled from two halves, and the rest is noise.
fn tokens(seed: u64) -> Vec<String> {
    let n = |alphabet, len| noise(alphabet, len, seed);
    let t = |head: &[&str], alphabet, len| format!("{}{}", head.concat(), n(alphabet, len));
    vec![
        t(&["AK", "IA"], UPPER, 16),
        t(&["AS", "IA"], UPPER, 16),
        t(&["gh", "p_"], ALNUM, 36),
        t(&["gh", "o_"], ALNUM, 36),
        t(&["gh", "s_"], ALNUM, 36),
        t(&["github", "_pat_"], ALNUM, 82),
        t(&["gl", "pat-"], ALNUM, 20),
        format!("{}{}-{}-{}", "xo", "xb", n("0123456789", 12), n(ALNUM, 24)),
        format!("{}{}-1-{}", "xa", "pp", n(ALNUM, 40)),
        format!("https://hooks.{}/services/T{}/B{}/{}", "slack.com", n(UPPER, 8), n(UPPER, 10), n(ALNUM, 24)),
        t(&["s", "k-"], ALNUM, 48),
        t(&["s", "k-proj-"], ALNUM, 80),
        t(&["s", "k-ant-", "api03-"], ALNUM, 93),
        t(&["sk_", "live_"], ALNUM, 24),
        t(&["rk_", "test_"], ALNUM, 24),
        t(&["AI", "za"], ALNUM, 35),
        t(&["GOC", "SPX-"], ALNUM, 28),
        t(&["np", "m_"], ALNUM, 36),
        t(&["py", "pi-", "AgEIcHlwaS5vcmc"], ALNUM, 60),
        t(&["h", "f_"], LETTERS, 34),
        format!("{}{}.{}.{}", "e", "yJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxMjM0NTY3ODkwIn0", n(ALNUM, 43)),
        format!("{}.{}.{}", "SG", n(ALNUM, 22), n(ALNUM, 43)),
        t(&["dop", "_v1_"], HEX, 64),
        t(&["shp", "at_"], HEX, 32),
        t(&["lin_", "api_"], ALNUM, 40),
        format!("{}{}_{}", "gl", ["sa_", &n(ALNUM, 32)].concat(), n(HEX, 8)),
        t(&["da", "pi"], HEX, 32),
        t(&["hv", "s."], ALNUM, 90),
        t(&["dckr", "_pat_"], ALNUM, 27),
        format!("{}:{}{}", n("123456789", 9), "AA", n(ALNUM, 33)),
        t(&["gs", "k_"], ALNUM, 52),
        t(&["pplx", "-"], ALNUM, 48),
        t(&["wh", "sec_"], ALNUM, 32),
        t(&["tskey", "-auth-"], ALNUM, 30),
        t(&["PM", "AK-"], HEX, 24) + "-" + &n(HEX, 34),
        t(&["AGE-", "SECRET-KEY-", "1"], UPPER, 58),
        t(&["xke", "ysib-"], HEX, 64) + "-" + &n(ALNUM, 16),
        n(HEX, 32) + "-us" + "12",
        t(&["ATA", "TT3"], ALNUM, 186),
        t(&["rubygems", "_"], HEX, 48),
    ]
}

#[test]
fn tokens_of_every_issuer_are_found() {
    let mut total = 0;
    let mut missed = Vec::new();
    for seed in 1..6 {
        for token in tokens(seed) {
            for dress in
                ["{}", "use {} here", "\"{}\",", "`{}`.", "export X={}\n", "header: {}", "({})", "https://example.org/?k={}&b=1"]
            {
                let text = dress.replace("{}", &token);
                let scrubbed = scrub(&text);
                total += 1;
                if scrubbed.contains(&token[token.len() - 6..]) || !scrubbed.contains("[SECRET_1]") {
                    missed.push(format!("{text:?} -> {scrubbed:?}"));
                }
            }
        }
    }
    assert!(missed.is_empty(), "{} of {total} missed:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn values_of_secret_names_are_found_in_every_notation() {
    let names = [
        "api_key", "API-KEY", "apiKey", "secret", "client_secret", "AWS_SECRET_ACCESS_KEY", "auth_token", "adafruit_key",
        "access_token", "stripeToken", "PRIVATE_KEY", "x-api-key",
    ];
    let notations = [
        "{n}={v}", "{n} = \"{v}\"", "{n}: {v}", "\"{n}\": \"{v}\"", "{n} := `{v}`", "{n} => '{v}'", "export {n}='{v}'",
        "?{n}={v}&page=2", "  {n}: \"{v}\"", "<{n}>: {v}", "[{n}] = {v}",
    ];
    let mut total = 0;
    let mut missed = Vec::new();
    for (i, name) in names.iter().enumerate() {
        for notation in notations.iter().take(9) {
            for (alphabet, len) in [(HEX, 32), (ALNUM, 40), (ALNUM, 20), (HEX, 64)] {
                let value = noise(alphabet, len, 40 + i as u64);
                let text = notation.replace("{n}", name).replace("{v}", &value);
                let scrubbed = scrub(&text);
                total += 1;
                if scrubbed.contains(&value[4..]) {
                    missed.push(format!("{text:?} -> {scrubbed:?}"));
                }
            }
        }
    }
    assert!(missed.len() * 100 <= total * 2, "{} of {total} missed, 2 % allowed:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn passwords_are_found_and_talk_about_passwords_stays() {
    check("password=letmein", "password=[SECRET_1]");
    check("my password is hunter2, ok?", "my password is [SECRET_1], ok?");
    check("Password: swordfish\nuser: mara", "Password: [SECRET_1]\nuser: mara");
    check("{\"password\": \"correct-horse\", \"a\": 1}", "{\"password\": \"[SECRET_1]\", \"a\": 1}");
    check("PGPASSWORD='geheim' psql", "PGPASSWORD='[SECRET_1]' psql");
    check("mysql --password=Tr0ub4dor&3 x", "mysql --password=[SECRET_1]&3 x");
    check("meeting passcode 123456 please", "meeting passcode [SECRET_1] please");
    check("Das Passwort lautet Sommer2024", "Das Passwort lautet [SECRET_1]");
    check("Authorization: Bearer abcdef1234567890abcdef12", "Authorization: Bearer [SECRET_1]");
    for text in [
        "the password is wrong and the token expired",
        "foreign-key = account_id_2024, primary_key: customer_number",
        "password: please ask me for it tomorrow",
        "Password: required",
        "password = get_password()",
        "password: ${DB_PASSWORD}",
        "token: process.env.GITHUB_TOKEN",
        "api_key: <your-api-key>",
        "password: ********",
        "the bearer of this letter",
        "basic research on authentication: overview",
        "the secret to good coffee is patience",
        "auth: true, token_count: 12, secretary = \"Mara\"",
        "max_tokens: 1200, tokenizer=cl100k, key-value store, keyboard: qwerty",
    ] {
        check(text, text);
    }
}

#[test]
fn what_opens_something_is_found_behind_what_it_opens() {
    check("the code for the alarm is 4417, don't tell", "the code for the alarm is [SECRET_1], don't tell");
    check("Code to the back gate: 80-12-33", "Code to the back gate: [SECRET_1]");
    check("The pin for Dad's phone is now 2580.", "The pin for Dad's phone is now [SECRET_1].");
    check("der Code für die Alarmanlage ist 4417", "der Code für die Alarmanlage ist [SECRET_1]");
    check("le code de la porte est 1793A? non, 1793", "le code de la porte est 1793A? non, 1793");
    check("el código de la alarma es 9071", "el código de la alarma es [SECRET_1]");
    for text in [
        "the error code for a timeout is 1042",
        "the zip code for Leith is 90210",
        "the source code for the tests is 4417 lines long, and more",
        "a barcode for the shelf is 12345",
        "the code of conduct is from 2019",
        "code for version 2.1 is ready",
    ] {
        check(text, text);
    }
}

#[test]
fn private_keys_go_from_their_first_line_to_their_last() {
    let dashes = "-".repeat(5);
    let body = noise(ALNUM, 64, 9);
    for kind in ["", "RSA ", "OPENSSH ", "EC "] {
        let key =
            format!("{dashes}BEGIN {kind}PRIVATE KEY{dashes}\n{body}\n{body}\nabcd==\n{dashes}END {kind}PRIVATE KEY{dashes}");
        check(&format!("here:\n{key}\nthanks"), "here:\n[SECRET_1]\nthanks");
        let escaped = key.replace('\n', "\\n");
        check(&format!("{{\"k\": \"{escaped}\"}}"), "{\"k\": \"[SECRET_1]\"}");
    }
    let cut = format!("{dashes}BEGIN PRIVATE KEY{dashes}\n{body}\n{body}\nand then it broke off");
    check(&cut, "[SECRET_1]\nand then it broke off");
    let public = format!("{dashes}BEGIN PUBLIC KEY{dashes}\n{dashes}END PUBLIC KEY{dashes}");
    check(&public, &public);
}

#[test]
fn encoded_secrets_are_found_once_decoded() {
    let token = tokens(3).swap_remove(2);
    let encoded = base64(format!("token {token} ok").as_bytes());
    check(&format!("x {encoded} y"), "x [SECRET_1] y");
    let percent = token.replace('_', "%5F");
    check(&format!("https://example.org/?t={percent}"), "https://example.org/?t=[SECRET_1]");
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in bytes.chunks(3) {
        let bits = three.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for i in 0..4 {
            out.push(if i <= three.len() { LETTERS[(bits >> (18 - 6 * i)) as usize & 63] as char } else { '=' });
        }
    }
    out
}
