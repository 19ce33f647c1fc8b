//! Scrubbing: creates the copy of text that a model may see (seed 002, "Scrub sensitive data once, early").
//!
//! The log keeps every message unchanged. A model receives only a [`Scrubbed`] copy, and only this module can create one
//! (ARCHITECTURE.md, invariant 5). Each sensitive value becomes a placeholder such as `[EMAIL_1]`, which stays the same within a
//! [`ScrubSession`]. A model can therefore still tell two people's addresses apart, but only the session can map a placeholder
//! back.
//!
//! Detectors read a folded `normal::View` of the text in which masked ranges are barriers. Their matches are merged and masked,
//! and the text is read again until no more matches are found. Scrubbing scrubbed text therefore reads exactly the same view as
//! the last round did, so `scrub(scrub(x)) == scrub(x)` by construction.
//!
//! Masking too much is better than leaking: "masking a $50 lunch is fine, leaking a $2M deal is not".
//!
//! Deliberately not covered: names of people and companies, postal addresses, dates of birth, identity numbers other than the
//! US one, crypto wallets, amounts without a currency or money word, passwords that are ordinary words in prose, and anything
//! encoded twice. Scrubbed text is not anonymous; the extraction prompt is the second layer of protection.

/// Defines word lists as sets, because one string of words separated by spaces is easier to read than many quoted strings.
macro_rules! word_sets {
    ($($(#[$doc:meta])* $name:ident = $words:literal;)*) => {$(
        $(#[$doc])*
        pub(super) static $name: std::sync::LazyLock<std::collections::HashSet<&'static str>> =
            std::sync::LazyLock::new(|| $words.split_whitespace().collect());
    )*};
}

mod amount;
mod amount_words;
mod bank;
mod contact;
mod email;
mod encoded;
mod net;
mod normal;
mod phone;
mod secret;
mod secret_rules;
mod session;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::AhoCorasick;
use regex::Regex;
use thiserror::Error;

pub use contact::{Contact, ContactKind};
pub use session::ScrubSession;

use normal::{BARRIER, View};

/// Why a scrubber could not be built.
#[derive(Debug, Clone, Error)]
pub enum ScrubError {
    /// A configured region is not an ISO 3166 code of a region with phone numbers.
    #[error("'{region}' is not a region with phone numbers; use an ISO 3166 code such as DE or US")]
    Region {
        /// The configured value.
        region: String,
    },
    /// A built-in pattern does not compile. A test compiles all of them, so this is a bug in the build.
    #[error("a built-in scrubbing pattern does not compile; this build is broken, install another: {0}")]
    Pattern(#[from] regex::Error),
    /// A built-in list of keywords does not compile; see [`ScrubError::Pattern`].
    #[error("a built-in keyword list does not compile; this build is broken, install another: {0}")]
    Keywords(#[from] aho_corasick::BuildError),
}

/// The configuration of a scrubber.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScrubConfig {
    /// ISO 3166 codes of the regions whose national phone formats are recognized. The international format is always recognized.
    pub regions: Vec<String>,
}

impl Default for ScrubConfig {
    /// The larger English-, German-, French-, Italian-, Dutch- and Portuguese-speaking regions, plus Spain and India. More
    /// regions find more numbers but also more false ones: with all 245, 13 of 30 harmless numbers are taken for phone numbers.
    fn default() -> Self {
        let regions = ["US", "CA", "GB", "IE", "AU", "DE", "AT", "CH", "FR", "ES", "IT", "NL", "BE", "IN", "BR"];
        Self { regions: regions.map(str::to_owned).to_vec() }
    }
}

/// The kind of a masked value. If matches overlap, the kind listed first takes precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SensitiveKind {
    /// A key, token or password.
    Secret,
    /// A URL that contains credentials.
    Url,
    /// Bank account number.
    Iban,
    /// Payment card number.
    Card,
    /// Email address.
    Email,
    /// US social security number.
    Ssn,
    /// Phone number.
    Phone,
    /// Network address.
    Ip,
    /// Amount of money.
    Amount,
}

use SensitiveKind as Kind;

impl SensitiveKind {
    /// Every kind, in order of precedence.
    pub const ALL: [Self; 9] =
        [Self::Secret, Self::Url, Self::Iban, Self::Card, Self::Email, Self::Ssn, Self::Phone, Self::Ip, Self::Amount];

    /// True if anyone who knows the value could gain access, pay, or impersonate the person.
    pub const fn is_credential(self) -> bool {
        matches!(self, Self::Secret | Self::Url | Self::Iban | Self::Card | Self::Ssn)
    }

    /// The word in the placeholder: `EMAIL` in `[EMAIL_1]`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Secret => "SECRET",
            Self::Url => "URL",
            Self::Iban => "IBAN",
            Self::Card => "CARD",
            Self::Email => "EMAIL",
            Self::Ssn => "SSN",
            Self::Phone => "PHONE",
            Self::Ip => "IP",
            Self::Amount => "AMOUNT",
        }
    }
}

/// Text without the sensitive values that the scrubber recognizes. Model clients accept no other text.
///
/// Only a [`Scrubber`] can create one:
///
/// ```compile_fail
/// use keepsake_prompt::scrub::Scrubbed;
/// let forged = Scrubbed { text: "mara@example.org".to_owned(), edits: Vec::new(), from: 0 };
/// ```
///
/// ```compile_fail
/// use keepsake_prompt::scrub::Scrubbed;
/// let forged = Scrubbed::from("mara@example.org".to_owned());
/// ```
///
/// ```
/// use keepsake_prompt::scrub::{ScrubConfig, Scrubber, Scrubbed};
/// let scrubber = Scrubber::new(&ScrubConfig::default())?;
/// let honest: Scrubbed = scrubber.scrub("write to mara@example.org");
/// assert_eq!(honest.as_str(), "write to [EMAIL_1]");
/// # Ok::<(), keepsake_prompt::scrub::ScrubError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scrubbed {
    text: String,
    edits: Vec<Edit>,
    /// The byte offset in the source at which this text begins. Non-zero for later parts of a text.
    from: usize,
}

/// A replaced range: its kind, its byte range in the source, and the byte range of its placeholder in the scrubbed text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Edit {
    kind: SensitiveKind,
    source: Range<usize>,
    scrubbed: Range<usize>,
}

impl Scrubbed {
    /// The scrubbed text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The kinds of the masked values, in the order of the text.
    pub fn masked(&self) -> impl ExactSizeIterator<Item = SensitiveKind> + '_ {
        self.edits.iter().map(|edit| edit.kind)
    }

    /// The byte range of the source that corresponds to a byte range of this text, so that a quotation from it can be found in
    /// the log. If the range touches a placeholder, the result includes the whole original value.
    pub fn source_range(&self, range: Range<usize>) -> Range<usize> {
        self.source_at(range.start, |source| source.start)..self.source_at(range.end, |source| source.end)
    }

    fn source_at(&self, at: usize, side: impl Fn(&Range<usize>) -> usize) -> usize {
        let after = self.edits.partition_point(|edit| edit.scrubbed.start < at);
        let Some(edit) = after.checked_sub(1).map(|i| &self.edits[i]) else { return self.from + at };
        if at < edit.scrubbed.end { side(&edit.source) } else { edit.source.end + (at - edit.scrubbed.end) }
    }

    /// Splits the text into parts of at most `chars_max` characters: after a sentence if possible, otherwise after a word, and
    /// never within a placeholder. Each part maps back to the same source.
    pub fn parts(&self, chars_max: usize) -> Vec<Self> {
        let mut parts = Vec::new();
        let mut start = 0;
        while start < self.text.len() {
            let end = self.cut_after(start, chars_max);
            let edits = self.edits.iter().filter(|edit| edit.scrubbed.start >= start && edit.scrubbed.end <= end);
            parts.push(Self {
                text: self.text[start..end].to_owned(),
                edits: edits
                    .map(|edit| Edit { scrubbed: edit.scrubbed.start - start..edit.scrubbed.end - start, ..edit.clone() })
                    .collect(),
                from: self.source_at(start, |source| source.start),
            });
            start = end;
        }
        parts
    }

    /// The end, in bytes, of the part that begins at `start`.
    fn cut_after(&self, start: usize, chars_max: usize) -> usize {
        let inside = |at: usize| {
            let after = self.edits.partition_point(|edit| edit.scrubbed.start < at);
            after.checked_sub(1).map(|i| &self.edits[i]).filter(|edit| at < edit.scrubbed.end)
        };
        let (mut sentence, mut word, mut any) = (None, None, None);
        let (mut before, mut ends_sentence) = (' ', false);
        for (n, (at, c)) in self.text[start..].char_indices().enumerate() {
            let at = start + at;
            if n > 0 && inside(at).is_none() {
                any = Some(at);
                if before.is_whitespace() {
                    word = Some(at);
                    sentence = ends_sentence.then_some(at).or(sentence);
                }
            }
            if n == chars_max {
                // A single placeholder that exceeds the limit is kept whole.
                return sentence.or(word).or(any).unwrap_or_else(|| inside(at).map_or(at, |edit| edit.scrubbed.end));
            }
            ends_sentence = matches!(c, '.' | '!' | '?' | '…' | '\n') || (ends_sentence && c.is_whitespace());
            before = c;
        }
        self.text.len()
    }
}

impl fmt::Display for Scrubbed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Finds and masks sensitive values. It is compiled once and shared, and stores no text.
pub struct Scrubber {
    keywords: AhoCorasick,
    emails: email::Emails,
    phones: phone::Phones,
    secrets: &'static secret::Secrets,
}

impl fmt::Debug for Scrubber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scrubber").finish_non_exhaustive()
    }
}

/// Keywords of a disguised address; see [`email::Emails::find_spoken`].
const SPOKEN_ADDRESS: &[&str] = &[
    " dot ", "(dot)", "[dot]", "{dot}", "(at)", "[at]", "{at}", "<at>", "( at )", "[ at ]", "(@)", "[@]", " @ ", "@ ", " @",
    "(ät)", "[ät]", " punkt ", "(punkt)", " arroba ", "(arroba)", "[arroba]", " arobase ", "(arobase)", " at ",
];

/// The values to look for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Looks {
    /// Everything that models may not see.
    All,
    /// Only credentials ([`SensitiveKind::is_credential`]). Skipping the rest saves most of the time.
    Credentials,
}

/// The detector that a keyword belongs to.
#[derive(Clone, Copy)]
enum Cue {
    SpokenAddress,
    Secret(usize),
    MoneyWord,
}

/// A run of ASCII digits.
#[derive(Debug, Clone, Copy, Default)]
struct DigitRun {
    start: usize,
    end: usize,
}

impl DigitRun {
    fn len(self) -> usize {
        self.end - self.start
    }
}

/// A sensitive value in a view. Equal values have the same `key`.
#[derive(Debug, Clone)]
struct Found {
    kind: Kind,
    range: Range<usize>,
    key: String,
}

impl Found {
    fn new(kind: Kind, range: Range<usize>, key: String) -> Self {
        Self { kind, range, key }
    }
}

impl Scrubber {
    /// Compiles a scrubber. This takes a few milliseconds, so create only one and share it.
    pub fn new(config: &ScrubConfig) -> Result<Self, ScrubError> {
        static KEYWORDS: OnceLock<AhoCorasick> = OnceLock::new();
        let words =
            SPOKEN_ADDRESS.iter().copied().chain(secret::Secrets::keywords()).chain(amount_words::MONEY_WORDS.iter().copied());
        let keywords = match KEYWORDS.get() {
            Some(keywords) => keywords.clone(),
            None => {
                let dfa = Some(aho_corasick::AhoCorasickKind::DFA);
                let made = AhoCorasick::builder().ascii_case_insensitive(true).kind(dfa).build(words)?;
                KEYWORDS.get_or_init(|| made).clone()
            }
        };
        Ok(Self {
            keywords,
            emails: email::Emails::new()?,
            phones: phone::Phones::new(&config.regions)?,
            secrets: secret::Secrets::shared()?,
        })
    }

    /// Scrubs a single text. Placeholders are numbered from 1 and cannot be mapped back.
    pub fn scrub(&self, text: &str) -> Scrubbed {
        self.scrub_in(&mut ScrubSession::new(), text)
    }

    /// A copy in which only credentials are masked: keys, passwords, codes, account and card numbers. It is served to the
    /// person's own agents, which may see an address or an amount but do not need a key. The result is not a [`Scrubbed`], so
    /// it can never be sent to a model.
    pub fn mask_credentials(&self, text: &str) -> String {
        let scrubbed = self.scrub_of(&mut ScrubSession::new(), text, Looks::Credentials);
        let mut out = String::with_capacity(text.len());
        let mut copied = 0;
        for edit in &scrubbed.edits {
            out.push_str(&text[copied..edit.source.start]);
            out.push('[');
            out.push_str(edit.kind.word());
            out.push(']');
            copied = edit.source.end;
        }
        out.push_str(&text[copied..]);
        out
    }

    /// The byte ranges of credentials in a text.
    pub fn credentials(&self, text: &str) -> Vec<std::ops::Range<usize>> {
        let scrubbed = self.scrub_of(&mut ScrubSession::new(), text, Looks::Credentials);
        scrubbed.edits.iter().map(|edit| edit.source.clone()).collect()
    }

    /// Scrubs one text of a conversation. A value that the session has already seen keeps its placeholder.
    pub fn scrub_in(&self, session: &mut ScrubSession, text: &str) -> Scrubbed {
        self.scrub_of(session, text, Looks::All)
    }

    fn scrub_of(&self, session: &mut ScrubSession, text: &str, looks: Looks) -> Scrubbed {
        let placeholders = session::placeholders(text);
        session.reserve(text, &placeholders);
        let mut barriers = placeholders;
        let mut masked: Vec<Found> = Vec::new();
        // Each round masks at least one more range, so the loop ends; in practice the second round finds nothing.
        loop {
            let view = View::folded(text, &barriers);
            let found = merged(self.detect_all(view.text(), looks), view.text());
            if found.is_empty() {
                break;
            }
            let mut round: Vec<Found> = Vec::with_capacity(found.len());
            for found in found {
                let range = view.source_range(found.range.clone());
                match round.last_mut() {
                    // Both matches cover part of the same source character: "$¼¢" is read as "$1⁄4¢".
                    Some(last) if range.start < last.range.end => {
                        let union = last.range.start..last.range.end.max(range.end);
                        *last = Found::new(last.kind.min(found.kind), union.clone(), text[union].to_owned());
                    }
                    _ => round.push(Found { range, ..found }),
                }
            }
            barriers.extend(round.iter().map(|found| found.range.clone()));
            barriers.sort_unstable_by_key(|range| range.start);
            masked.append(&mut round);
        }
        masked.sort_unstable_by_key(|found| found.range.start);

        let mut out = String::with_capacity(text.len());
        let mut edits = Vec::with_capacity(masked.len());
        let mut copied = 0;
        for found in masked {
            out.push_str(&text[copied..found.range.start]);
            let start = out.len();
            session.push_placeholder(&mut out, found.kind, found.key, &text[found.range.clone()]);
            copied = found.range.end;
            edits.push(Edit { kind: found.kind, source: found.range, scrubbed: start..out.len() });
        }
        out.push_str(&text[copied..]);
        Scrubbed { text: out, edits, from: 0 }
    }

    /// All sensitive values in a view, including encoded ones. Unsorted and possibly overlapping.
    fn detect_all(&self, text: &str, looks: Looks) -> Vec<Found> {
        let mut found = self.detect(text, looks);
        encoded::find(text, |decoded| self.detect(decoded, looks), &mut found);
        if looks == Looks::Credentials {
            found.retain(|found| found.kind.is_credential());
        }
        found
    }

    /// All sensitive values that are not encoded.
    fn detect(&self, text: &str, looks: Looks) -> Vec<Found> {
        let mut out = Vec::new();
        let runs = digit_runs(text);
        let (mut spoken_to, mut secret_to) = (0, 0);
        for hit in self.keywords.find_overlapping_iter(text) {
            match cue(hit.pattern().as_usize()) {
                // One search for an address covers all keywords near it.
                Cue::SpokenAddress | Cue::MoneyWord if looks == Looks::Credentials => {}
                Cue::SpokenAddress => {
                    if hit.start() >= spoken_to && self.emails.find_spoken(text, hit.range(), &mut out) {
                        spoken_to = hit.end() + 8;
                    }
                }
                // A keyword inside a secret's value is ignored.
                Cue::Secret(rule) => {
                    if hit.start() >= secret_to
                        && let Some(found) = self.secrets.find(text, hit.range(), rule)
                    {
                        secret_to = found.range.end;
                        out.push(found);
                    }
                }
                Cue::MoneyWord => amount::find_written_out(text, hit.range(), &mut out),
            }
        }
        net::find_urls(text, &mut out);
        if !runs.is_empty() {
            bank::find_ibans(text, &runs, &mut out);
            bank::find_cards(text, &runs, &mut out);
            bank::find_ssns(text, &runs, &mut out);
        }
        if looks == Looks::Credentials {
            return out;
        }
        self.emails.find(text, &mut out);
        net::find_ips(text, &runs, &mut out);
        if !runs.is_empty() {
            amount::find(text, &runs, &mut out);
            self.phones.find(text, &runs, &mut out);
        }
        out
    }
}

/// The detector for a keyword, by its index in the list built by [`Scrubber::new`].
fn cue(pattern: usize) -> Cue {
    let secrets = SPOKEN_ADDRESS.len();
    let money = secrets + secret::Secrets::keywords().len();
    match pattern {
        i if i < secrets => Cue::SpokenAddress,
        i if i < money => Cue::Secret(i - secrets),
        _ => Cue::MoneyWord,
    }
}

/// All runs of ASCII digits, left to right.
fn digit_runs(text: &str) -> Vec<DigitRun> {
    let bytes = text.as_bytes();
    let mut runs = Vec::new();
    let mut at = 0;
    while let Some(skip) = bytes[at..].iter().position(u8::is_ascii_digit) {
        let start = at + skip;
        let len = bytes[start..].iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(bytes.len() - start);
        at = start + len;
        runs.push(DigitRun { start, end: at });
    }
    runs
}

/// Makes matches sorted and disjoint. Overlapping matches become one range, with the kind that takes precedence. A match that
/// covers an already masked range is reduced to the parts around it.
fn merged(mut found: Vec<Found>, text: &str) -> Vec<Found> {
    found.sort_unstable_by_key(|found| (found.range.start, found.kind, Reverse(found.range.end)));
    let mut out: Vec<Found> = Vec::with_capacity(found.len());
    for next in found {
        match out.last_mut() {
            Some(last) if next.range.start < last.range.end => {
                let union = last.range.start..last.range.end.max(next.range.end);
                let winner = if next.kind < last.kind { next } else { last.clone() };
                // A range merged from several matches is identified by its text, which is copied once at the end because more
                // matches may still be merged.
                let key = if winner.range == union { winner.key } else { String::new() };
                *last = Found::new(winner.kind, union, key);
            }
            _ => out.push(next),
        }
    }
    for found in out.iter_mut().filter(|found| found.key.is_empty()) {
        found.key = text[found.range.clone()].to_owned();
    }
    if !text.contains(BARRIER) {
        return out;
    }
    out.into_iter().flat_map(|found| without_barriers(found, text)).collect()
}

/// The parts of a match between barriers. This is almost always the whole match.
fn without_barriers(found: Found, text: &str) -> Vec<Found> {
    let value = &text[found.range.clone()];
    if !value.contains(BARRIER) {
        return vec![found];
    }
    let parts = value.split(BARRIER).filter(|part| part.contains(char::is_alphanumeric));
    parts
        .map(|part| {
            let start = found.range.start + (part.as_ptr() as usize - value.as_ptr() as usize);
            Found::new(found.kind, start..start + part.len(), part.to_owned())
        })
        .collect()
}

/// Compiles a built-in pattern.
fn pattern(source: &str) -> Result<Regex, ScrubError> {
    Ok(Regex::new(source)?)
}
