//! Finds keys, tokens and passwords: known token formats, and values assigned to names that indicate a secret.
//!
//! The scrubber's keyword search (see [`super::Scrubber`]) calls this module for each keyword. Every pattern is anchored at its
//! keyword, so the cost stays linear. An assigned value must look random unless the name indicates a password. Deliberately not
//! matched: commit hashes, UUIDs and other random text that is not labeled as a secret.

use std::ops::Range;
use std::sync::OnceLock;

use regex::Regex;

use super::email::floor_boundary;
use super::secret_rules::{BEARERS, CODES, CODES_OF, EXAMPLES, NAMES, OPEN_CODES, RULES};
use super::{Found, Kind, ScrubError, pattern};

/// Maximum number of bytes read for a token. Private keys may be longer.
const TOKEN_BYTES_MAX: usize = 6 * 1024;

/// Maximum number of bytes read for a private key. An 8192-bit RSA key in PEM with headers is 7 KB, and some key files contain
/// several keys.
const PEM_BYTES_MAX: usize = 32 * 1024;

/// Maximum number of bytes read for an assignment: the rest of the name, the assignment sign, and a value of up to about 500
/// characters.
const ASSIGNMENT_BYTES_MAX: usize = 640;

/// Minimum entropy, in bits per byte, of a random-looking value. English words of the same length have less.
const TOKEN_ENTROPY_MIN: f64 = 2.6;

/// Minimum length of an assigned value that counts as a token.
const TOKEN_CHARS_MIN: usize = 10;

/// Minimum number of digits in a code for a door, an alarm or a card.
const CODE_DIGITS_MIN: usize = 4;

/// Maximum distance, in bytes, from a word that announces a secret to the secret itself. This is about one sentence.
const NEAR_BYTES_MAX: usize = 120;

/// Minimum length of a word that looks generated.
const GENERATED_CHARS_MIN: usize = 8;

/// A random-looking word of at least this length needs neither symbols nor mixed case.
const GENERATED_LONG: usize = 14;

/// The length of a group in an app password, and also the number of groups: such a password has four groups of four letters.
const GROUPS: usize = 4;

/// The secret detector, compiled once.
pub(super) struct Secrets {
    rules: Vec<Regex>,
    assigned: Regex,
    carried: Regex,
    opened: Regex,
}

impl Secrets {
    /// The keywords for the shared search. A keyword's index is the `rule` parameter of [`Secrets::find`].
    pub(super) fn keywords() -> impl ExactSizeIterator<Item = &'static str> {
        KEYWORDS.iter().copied()
    }

    /// The shared instance. It is shared because compiling its patterns takes longer than reading most texts, and because it does
    /// not depend on any settings.
    pub(super) fn shared() -> Result<&'static Self, ScrubError> {
        static SHARED: OnceLock<Secrets> = OnceLock::new();
        if let Some(secrets) = SHARED.get() {
            return Ok(secrets);
        }
        let made = Self::new()?;
        Ok(SHARED.get_or_init(|| made))
    }

    fn new() -> Result<Self, ScrubError> {
        let rules = RULES.iter().map(|rule| pattern(&format!("(?-u)^(?:{})", rule.pattern))).collect::<Result<_, _>>()?;
        // The rest of the name, its closing quote, an assignment, and the value with or without quotes.
        let assigned = pattern(
            r#"^(?P<name>[\w.\-]{0,40})["'`\]]{0,2}(?P<sep>[ \t]{0,3}(?::=|=>|->|={1,3}|:|\|)\s{0,3}|[ \t]{1,2}(?:is|was|lautet|ist|est|es)(?:[ \t]{1,2}|:\s?)|[ \t]{0,2},[ \t]{0,2}|[ \t]{1,2})(?:"(?P<double>[^"\n\u{FFFC}]{3,})"|'(?P<single>[^'\n\u{FFFC}]{3,})'|`(?P<tick>[^`\n\u{FFFC}]{3,})`|["'`]?(?P<bare>[^\s"'`<>&\u{FFFC}]{3,}))"#,
        )?;
        let carried = pattern(r"^[A-Za-z0-9._~+/=-]{12,4096}")?;
        // The thing that the code opens, in the same clause, and then the code.
        let opened = pattern(
            r"^[^.,;:=!?\n\d\u{FFFC}]{1,40}?(?:\s(?:is|was|lautet|ist|est|es|è|é|currently|now|still)\s(?:now |still |currently )?|\s?[:=]\s?)(?P<code>\d[\d-]{3,11})(?:$|[^\w.,-]|[.,-](?:$|\D))",
        )?;
        Ok(Self { rules, assigned, carried, opened })
    }

    /// The secret at or after the keyword at `hit`, if there is one. `rule` is the keyword's index.
    pub(super) fn find(&self, text: &str, hit: Range<usize>, rule: usize) -> Option<Found> {
        let range = if let Some(regex) = self.rules.get(rule) {
            token_at(text, hit.start, RULES[rule].keyword, regex)
        } else if let Some((name, is_password)) = NAMES.get(rule - RULES.len()) {
            let is_code = CODES.iter().any(|code| name.contains(code));
            self.assigned_value(text, hit.end, *is_password, is_code).or_else(|| generated_near(text, hit))
        } else if rule < RULES.len() + NAMES.len() + CODES_OF.len() {
            self.opening_code(text, hit)
        } else {
            self.carried_token(text, hit.end)
        }?;
        let key = text[range.clone()].to_owned();
        Some(Found::new(Kind::Secret, range, key))
    }

    /// The digits in "the code for the alarm is …".
    fn opening_code(&self, text: &str, hit: Range<usize>) -> Option<Range<usize>> {
        let before = text[..hit.start].trim_end_matches([' ', '-']);
        let kind = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
        let is_inside_word = text[..hit.start].chars().next_back().is_some_and(char::is_alphanumeric);
        if is_inside_word || OPEN_CODES.contains(&kind.as_str()) {
            return None;
        }
        let code = self.opened.captures(window(text, hit.end, NEAR_BYTES_MAX))?.name("code")?;
        Some(hit.end + code.start()..hit.end + code.end())
    }

    /// The token after "Bearer " or "Basic ".
    fn carried_token(&self, text: &str, at: usize) -> Option<Range<usize>> {
        let token = self.carried.find(window(text, at, TOKEN_BYTES_MAX))?;
        is_random(token.as_str()).then(|| at..at + token.end())
    }

    /// The value assigned to a secret's name that ends at `at`.
    fn assigned_value(&self, text: &str, at: usize, is_password: bool, is_code: bool) -> Option<Range<usize>> {
        let found = self.assigned.captures(window(text, at, ASSIGNMENT_BYTES_MAX))?;
        let quoted = found.name("double").or(found.name("single")).or(found.name("tick"));
        let value = quoted.or(found.name("bare"))?;
        let separator = found.name("sep").map_or("", |sep| sep.as_str());
        let mut shown = value.as_str();
        if quoted.is_none() {
            shown = shown.trim_end_matches(['.', ',', ';', ')', ']', '}', '*', '_', '?', '|']);
        }
        let is_assignment = separator.contains(['=', ':']) || separator.contains("->");
        let digits = shown.chars().filter(char::is_ascii_digit).count();
        let is_secret = if is_code && digits >= CODE_DIGITS_MIN {
            shown.chars().all(|c| c.is_ascii_digit() || c == '-')
        } else if is_password {
            is_password_value(shown, separator, is_assignment, quoted.is_some(), &text[at + value.start() + shown.len()..])
        } else {
            // A space or a comma counts as an assignment only if the value cannot be a word.
            let is_tied = is_assignment || quoted.is_some() || shown.len() >= 20;
            is_tied && is_random(shown)
        };
        (is_secret && !is_example(shown)).then(|| at + value.start()..at + value.start() + shown.len())
    }
}

/// A generated-looking word soon after a word for a secret: "the login, I think it's admin with Xy7!…".
fn generated_near(text: &str, name: Range<usize>) -> Option<Range<usize>> {
    let is_inside_word = text[..name.start].chars().next_back().is_some_and(char::is_alphanumeric)
        || text[name.end..].chars().next().is_some_and(char::is_alphanumeric);
    if is_inside_word {
        return None;
    }
    let near = window(text, name.end, NEAR_BYTES_MAX);
    // The last word may be truncated, so it is ignored.
    let near = if name.end + near.len() < text.len() {
        near.rsplit_once(char::is_whitespace).map_or("", |(near, _)| near)
    } else {
        near
    };
    let words: Vec<Range<usize>> = near
        .split_whitespace()
        .map(|word| {
            let bare =
                word.trim_matches(['.', ',', ';', ':', '?', '(', ')', '[', ']', '"', '\'', '`', '*', '“', '”', '„', '«', '»']);
            let start = bare.as_ptr() as usize - near.as_ptr() as usize;
            start..start + bare.len()
        })
        .collect();
    let one = words.iter().find(|word| is_generated(&near[(*word).clone()])).cloned();
    let grouped = || {
        words.windows(GROUPS).find_map(|groups| {
            let is_group =
                |word: &Range<usize>| word.len() == GROUPS && near[word.clone()].bytes().all(|b| b.is_ascii_lowercase());
            let is_no_word = |word: &Range<usize>| !near[word.clone()].contains(['a', 'e', 'i', 'o', 'u', 'y']);
            (groups.iter().all(is_group) && groups.iter().any(is_no_word)).then(|| groups[0].start..groups[GROUPS - 1].end)
        })
    };
    one.or_else(grouped).map(|found| name.end + found.start..name.end + found.end)
}

/// True if a word looks generated, or like a password with the usual required characters: letters after digits, plus symbols,
/// mixed case or unusual length.
fn is_generated(word: &str) -> bool {
    let is_hex = word.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let is_place = word.contains(['/', '\\']) || word.contains("://") || word.contains('@') && word.contains('.');
    let first_digit = word.bytes().position(|byte| byte.is_ascii_digit());
    let has_letter_behind = first_digit
        .is_some_and(|at| word[at..].contains(|c: char| c.is_alphabetic()) && word.contains(|c: char| c.is_alphabetic()));
    let has_sign = word.contains(['!', '#', '$', '%', '^', '&', '*', '=', '?', '~', '|', '@']);
    let is_mixed = word.contains(char::is_uppercase) && word.contains(char::is_lowercase);
    let is_long = word.len() >= GENERATED_LONG && is_random(word);
    word.chars().count() >= GENERATED_CHARS_MIN
        && !is_hex
        && !is_place
        && !is_example(word)
        && has_letter_behind
        && (has_sign || is_mixed || is_long)
}

/// The keywords of all four kinds, in the order that [`Secrets::find`] expects.
static KEYWORDS: [&str; RULES.len() + NAMES.len() + CODES_OF.len() + BEARERS.len()] = {
    let mut all = [""; RULES.len() + NAMES.len() + CODES_OF.len() + BEARERS.len()];
    let mut i = 0;
    while i < RULES.len() {
        all[i] = RULES[i].keyword;
        i += 1;
    }
    while i < RULES.len() + NAMES.len() {
        all[i] = NAMES[i - RULES.len()].0;
        i += 1;
    }
    while i < RULES.len() + NAMES.len() + CODES_OF.len() {
        all[i] = CODES_OF[i - RULES.len() - NAMES.len()];
        i += 1;
    }
    while i < all.len() {
        all[i] = BEARERS[i - RULES.len() - NAMES.len() - CODES_OF.len()];
        i += 1;
    }
    all
};

/// At most `len` bytes of `text` starting at `at`, ending on a character boundary.
fn window(text: &str, at: usize, len: usize) -> &str {
    &text[at..floor_boundary(text, at.saturating_add(len))]
}

/// The token of a known format whose keyword begins at `at`.
fn token_at(text: &str, at: usize, keyword: &str, regex: &Regex) -> Option<Range<usize>> {
    // The keyword search ignores case but the token formats do not, so most hits end here.
    if !text[at..].starts_with(keyword) {
        return None;
    }
    let before = text[..at].bytes().next_back();
    let is_joined = before.is_some_and(|byte| byte.is_ascii_alphanumeric());
    // These keywords occur in the middle of a token, so the characters directly before them belong to it.
    let is_inner = keyword.starts_with([':', '.', '-']) && !keyword.starts_with("-----") || keyword == "8Q~";
    if is_joined && !is_inner {
        return None;
    }
    let len_max = if keyword.starts_with("-----") { PEM_BYTES_MAX } else { TOKEN_BYTES_MAX };
    let end = at + regex.find(window(text, at, len_max))?.end();
    if !is_inner {
        return Some(at..end);
    }
    let left = text[..at].bytes().rev().take(64).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let head = &text[at - left..at];
    let is_whole = match keyword {
        // In order: Telegram bot token, Mailchimp key, Azure client secret, Terraform team token.
        ":AA" => (8..=10).contains(&left) && head.bytes().all(|byte| byte.is_ascii_digit()),
        "-us" => left == 32 && head.bytes().all(|byte| byte.is_ascii_hexdigit()),
        "8Q~" => left <= 4,
        _ => left >= 10,
    };
    is_whole.then(|| at - left..end)
}

/// True if a value looks random: long, with letters and digits, and with more entropy than words have.
fn is_random(value: &str) -> bool {
    let has = |test: fn(&u8) -> bool| value.as_bytes().iter().any(test);
    let is_mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    // At least a quarter of the characters are uppercase and a quarter lowercase. CamelCase names have far fewer capitals.
    let count = |test: fn(&u8) -> bool| value.bytes().filter(test).count() * 4;
    let is_dense =
        value.len() >= 16 && count(u8::is_ascii_uppercase) >= value.len() && count(u8::is_ascii_lowercase) >= value.len();
    // `account_id_2024` is a name made of words and a year.
    let is_name = value.split(['_', '-', '.']).all(|part| {
        let is_number = part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_digit());
        is_number || part.bytes().all(|byte| byte.is_ascii_lowercase()) || part.bytes().all(|byte| byte.is_ascii_uppercase())
    });
    let is_code = is_name || value.contains(['(', '[', '{', ' ', ';']) || value.contains("::") || value.contains("://");
    value.len() >= TOKEN_CHARS_MIN && (is_mixed || is_dense) && !is_code && entropy_bits(value) >= TOKEN_ENTROPY_MIN
}

/// True if a value assigned to a name such as "password" is a password. In prose, only values that cannot be words are
/// accepted.
fn is_password_value(value: &str, separator: &str, is_assignment: bool, is_quoted: bool, after: &str) -> bool {
    let chars = value.chars().count();
    if chars < 4 || value.chars().all(|c| c == '*' || c == 'x' || c == '•' || c == '.') || (!is_quoted && value.contains('(')) {
        return false;
    }
    let has_digit = value.contains(|c: char| c.is_ascii_digit());
    let has_letter = value.contains(char::is_alphabetic);
    let has_sign = value.contains(|c: char| "!@#$%^&*+=?~|".contains(c));
    let is_dotted = !is_quoted
        && value.contains('.')
        && value.split('.').all(|part| part.starts_with(|c: char| c.is_alphabetic() || c == '_'));
    let is_odd = (has_letter && (has_digit || has_sign)) || (has_digit && chars >= if is_assignment { 6 } else { 4 });
    if is_odd && !is_dotted {
        return true;
    }
    // `password=letmein`, "password: swordfish" at the end of a line, `"password": "letmein"`.
    let is_last = after.trim_start_matches([' ', '\t', '.', ',', ';', '"', '\'', '`', '*', ')']).is_empty()
        || after
            .trim_start_matches([' ', '\t', '"', '\'', '`', ',', ';', '*', ')', '}', '.'])
            .starts_with(['\n', '\r', '&', '#']);
    let is_word = !value.contains(char::is_whitespace);
    match () {
        () if is_dotted => false,
        () if is_quoted => is_word && (is_assignment || separator.trim() == "is"),
        // Without spaces around "=", this is a setting. With spaces, it may be prose.
        () if separator == "=" => chars >= 5,
        () if matches!(separator.trim(), "=" | ":") => chars >= 5 && is_last,
        () => false,
    }
}

/// True if a value is only an example of where a secret goes. A long random value that happens to begin like an example is a real
/// secret.
fn is_example(value: &str) -> bool {
    let lower = value.to_lowercase();
    let is_template = lower.starts_with(['$', '{', '<', '%']) || lower.contains(['.', '/', '_']);
    let is_real = lower.len() > 12 && !is_template && is_random(value);
    !is_real && EXAMPLES.iter().any(|example| lower.starts_with(example))
}

/// The Shannon entropy per byte, in bits.
fn entropy_bits(value: &str) -> f64 {
    let mut counts = [0u32; 256];
    value.bytes().for_each(|byte| counts[byte as usize] += 1);
    let total = value.len() as f64;
    counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / total).map(|share| -share * share.log2()).sum()
}
