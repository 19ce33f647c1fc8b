//! Detects, from formatting only, the parts of a message that are not the author's own words, such as quotations and pasted
//! text.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::code::is_code;
use crate::pattern::re;
use crate::quotation::quotations;

/// The kind of formatting that marks borrowed text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Form {
    /// A fenced block, including its fences.
    Fence,
    /// A line that begins with `>`.
    QuotedLine,
    /// An email, starting at its headers or its attribution line ("Eve wrote:").
    Mail,
    /// Messages copied from a chat, with timestamps.
    Chat,
    /// Lines that begin with a speaker's name (`Anna: …`), without timestamps, if there are at least two.
    Dialogue,
    /// Subtitles: the time ranges and their text.
    Captions,
    /// A post copied from a feed, starting at the line with its author's handle.
    Post,
    /// A line of code, a log or a table.
    Code,
    /// A program's placeholder for a picture or a file.
    Placeholder,
    /// Words between quotation marks.
    Quotation,
    /// Words between backticks.
    InlineCode,
}

/// A borrowed part of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Borrowed {
    /// Byte range in the message. Lies on character boundaries and is never empty.
    pub bytes: Range<usize>,
    /// How it was recognized.
    pub form: Form,
}

impl Form {
    /// True if this form covers whole lines, false if it covers part of a line.
    pub fn is_of_lines(self) -> bool {
        !matches!(self, Form::Quotation | Form::InlineCode)
    }
}

/// Compiles a pattern in which `TIME`, `DATE` and `NAME` are placeholders.
fn shape(pattern: &str) -> Regex {
    let pattern = pattern.replace("TIME", r"\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:\s?[AaPp]\.?[Mm]\.?)?");
    let pattern = pattern.replace("DATE", r"\d{1,4}[./-]\d{1,2}[./-]\d{2,4}");
    re(&pattern.replace("NAME", r"\p{Lu}[\p{L}'’.-]*(?: \p{Lu}[\p{L}'’.-]*){0,3}"))
}

/// A chat message on the same line as its timestamp: WhatsApp on all systems, Telegram, Teams, IRC.
static STAMPED: LazyLock<Regex> = LazyLock::new(|| {
    shape(
        r"^\x{200e}?(?:\[[^\[\]]{0,24}\d{1,2}[:.]\d{2}[^\[\]]{0,16}\]|DATE,?\s+TIME\s*[-–]\s|TIME\s*[-–,]?\s*NAME:\s|(?:TIME\s+)?<[^<>@\s/]{1,40}>\s)",
    )
});

/// A line that names the author and time of the lines below it: Slack, Discord, Teams, Telegram.
static STAMPED_HEAD: LazyLock<Regex> = LazyLock::new(|| {
    shape(r"^(?:\p{L}.{0,40}(?:\s{2,}(?:APP\s+)?|\s\[)TIME\]?|\S.{0,40} [—–] .{0,24}TIME|\S.{0,40}, \[.{0,16}TIME\]:?)$")
});

/// A line that contains only a time, as Slack shows it below the name.
static TIME_ALONE: LazyLock<Regex> = LazyLock::new(|| shape(r"^TIME$"));

/// A speaker line: `Anna: I live here`.
static SPEAKER: LazyLock<Regex> = LazyLock::new(|| re(r"^\p{Lu}[\p{L}\p{N}_.' -]{0,24}:\s+\S"));

/// The time range of a subtitle.
static CUE: LazyLock<Regex> = LazyLock::new(|| re(r"^(?:\d{1,2}:)?\d{2}:\d{2}[.,]\d{3}\s+-->\s+"));

/// The author line of a post, as displayed in feeds: `@eve`, `Eve Berg @eve · Mar 3`, `u/eve`, `eve_b • 3h ago`, or a single dot.
static POSTED: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^(?:@\w{2,30}(?:\s*[·•].*)?|.{0,50}\s@\w{2,30}\s*[·•]\s*\S.*|(?:.{0,20}\s)?u/[\w-]{2,30}(?:\s*[·•].*)?|[·•]|[\w-]{2,30}\s*[·•]\s*\d+\s?\p{L}{1,6}\b.{0,20})$",
    )
});

/// Labels of email headers, in the languages that mail programs use.
static MAIL_HEADER: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)^\*?(?:from|to|cc|bcc|subject|sent|date|reply-to|von|an|betreff|gesendet|datum|de|à|objet|envoyé|para|asunto|enviado|assunto|da|oggetto|inviato|van|aan|onderwerp|verzonden|från|till|ämne|skickat|fra|til|emne|od|do|temat|předmět|от|кому|тема|发件人|收件人|主题|差出人|宛先|件名)\s?[:：]\*?(?:\s|$)",
    )
});

/// The line that mail programs put above a quoted email.
static ATTRIBUTION: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)^.{0,120}\b(?:wrote|writes|schrieb|schreibt|a écrit|écrit|escribió|escreveu|ha scritto|schreef|skrev|napisał|napisała|napsal|написал|написала|yazdı)\b.{0,80}[:：]$",
    )
});

/// An attribution followed by the quoted text on the same line: `Eve schrieb: …`.
static ATTRIBUTED: LazyLock<Regex> = LazyLock::new(|| {
    shape(
        r"^NAME (?:wrote|writes|said|says|schrieb|schreibt|sagte|a écrit|écrit|escribió|escreveu|ha scritto|schreef|skrev)\s?[:：]\s",
    )
});

/// A line of text framed by dashes, such as the one above a forwarded email.
static FRAMED: LazyLock<Regex> = LazyLock::new(|| re(r"^-{2,}\s*\p{L}.{2,60}?\s*-{2,}$"));

/// Minimum words in a post. If fewer words follow the author line directly, the text of the post is in the next paragraph.
const POST_WORDS_MIN: usize = 4;

/// Maximum length of a name on the line above a time.
const NAME_CHARS_MAX: usize = 40;

/// The parts of `text` that are not the author's own words, sorted by position. They may overlap.
pub fn borrowed(text: &str) -> Vec<Borrowed> {
    let lines = Lines::of(text);
    let mut found = fences(&lines);
    let in_fence: Vec<bool> =
        lines.ranges.iter().map(|line| found.iter().any(|f| f.bytes.start <= line.start && line.start < f.bytes.end)).collect();
    let free = |n: &usize| !in_fence[*n];
    let all = || (0..lines.len()).filter(free);
    let take = |from: usize, to: usize, form: Form| Borrowed { bytes: lines.ranges[from].start..lines.ranges[to].end, form };

    if let Some(from) = all().find(|n| lines.begins_mail(*n)) {
        found.push(take(from, lines.len() - 1, Form::Mail));
    }
    for n in all().filter(|n| ATTRIBUTED.is_match(lines.trimmed(*n))) {
        found.push(take(n, lines.paragraph_end(n), Form::Mail));
    }
    let chat: Vec<usize> = all().filter(|n| lines.begins_chat(*n)).collect();
    if let (Some(first), Some(last)) = (chat.first(), chat.last()) {
        found.push(take(*first, lines.paragraph_end(*last), Form::Chat));
    }
    let cues: Vec<usize> = all().filter(|n| CUE.is_match(lines.trimmed(*n))).collect();
    if let (Some(first), Some(last)) = (cues.first(), cues.last()) {
        found.push(take(*first, lines.paragraph_end(*last), Form::Captions));
    }
    for n in all().filter(|n| POSTED.is_match(lines.trimmed(*n))) {
        let mut end = lines.paragraph_end(n);
        let words: usize = (n + 1..=end).map(|n| lines.trimmed(n).split_whitespace().count()).sum();
        if words < POST_WORDS_MIN {
            end = lines.next_paragraph(end).map_or(end, |next| lines.paragraph_end(next));
        }
        found.push(take(n, end, Form::Post));
    }
    let speakers: Vec<usize> = all().filter(|n| SPEAKER.is_match(lines.trimmed(*n))).collect();
    if speakers.len() > 1 {
        found.extend(speakers.into_iter().map(|n| take(n, n, Form::Dialogue)));
    }
    for n in all() {
        let line = lines.trimmed(n);
        if line.starts_with('>') || line.starts_with("&gt;") {
            found.push(take(n, n, Form::QuotedLine));
        } else if is_placeholder(line) {
            found.push(take(n, n, Form::Placeholder));
        } else if is_code(line) {
            found.push(take(n, n, Form::Code));
        }
    }
    found.extend(quotations(text));
    found.retain(|one| !one.bytes.is_empty());
    found.sort_by_key(|one| (one.bytes.start, one.form));
    found
}

/// A message split into lines.
struct Lines<'a> {
    text: &'a str,
    ranges: Vec<Range<usize>>,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        let mut at = 0;
        let ranges = text.split_inclusive('\n').map(|line| {
            at += line.len();
            at - line.len()..at
        });
        Self { text, ranges: ranges.collect() }
    }

    fn len(&self) -> usize {
        self.ranges.len()
    }

    fn trimmed(&self, n: usize) -> &'a str {
        self.ranges.get(n).and_then(|range| self.text.get(range.clone())).unwrap_or("").trim()
    }

    /// The last line of the paragraph that contains line `n`.
    fn paragraph_end(&self, n: usize) -> usize {
        (n..self.len()).take_while(|n| !self.trimmed(*n).is_empty()).last().unwrap_or(n)
    }

    /// The first line of the paragraph after the one that ends at `n`.
    fn next_paragraph(&self, n: usize) -> Option<usize> {
        (n + 1..self.len()).find(|n| !self.trimmed(*n).is_empty())
    }

    fn begins_mail(&self, n: usize) -> bool {
        let line = self.trimmed(n);
        let is_header = |n: usize| MAIL_HEADER.is_match(self.trimmed(n));
        // A single header line counts as an email only if it contains an address, because a note may also begin with "To:".
        is_header(n)
            && (line.contains('@')
                || is_header(n + 1)
                || n + 2 < self.len() && is_header(n + 2) && !self.trimmed(n + 1).is_empty())
            || ATTRIBUTION.is_match(line)
            || FRAMED.is_match(line) && self.next_paragraph(n).is_some_and(is_header)
    }

    fn begins_chat(&self, n: usize) -> bool {
        let line = self.trimmed(n);
        let is_followed = !self.trimmed(n + 1).is_empty();
        let has_name_above = n > 0 && {
            let above = self.trimmed(n - 1);
            above.chars().next().is_some_and(char::is_alphabetic)
                && above.chars().count() <= NAME_CHARS_MAX
                && !above.ends_with(['.', '!', '?', ':', ','])
        };
        STAMPED.is_match(line) || is_followed && (STAMPED_HEAD.is_match(line) || has_name_above && TIME_ALONE.is_match(line))
    }
}

/// Fenced blocks. An unclosed block extends to the end of the message.
fn fences(lines: &Lines<'_>) -> Vec<Borrowed> {
    let mut found = Vec::new();
    let mut open: Option<usize> = None;
    for n in 0..lines.len() {
        let line = lines.trimmed(n);
        let Some(mark) = ["```", "~~~"].into_iter().find(|mark| line.starts_with(mark)) else { continue };
        let range = &lines.ranges[n];
        // "```x```" on one line is a complete block.
        let is_whole = line.len() > 2 * mark.len() && line.ends_with(mark);
        match open {
            Some(start) => {
                found.push(Borrowed { bytes: start..range.end, form: Form::Fence });
                open = None;
            }
            None if is_whole => found.push(Borrowed { bytes: range.clone(), form: Form::Fence }),
            None => open = Some(range.start),
        }
    }
    found.extend(open.map(|start| Borrowed { bytes: start..lines.text.len(), form: Form::Fence }));
    found
}

/// True for a program's placeholder for a picture or a file.
fn is_placeholder(line: &str) -> bool {
    let inner = line.trim_start_matches('\u{200e}');
    inner.len() > 2 && (inner.starts_with('[') && inner.ends_with(']') || inner.starts_with('<') && inner.ends_with('>'))
        || inner.ends_with(" omitted") && inner.split_whitespace().count() == 2
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The lines that remain after all borrowed parts are removed.
    fn own(text: &str) -> Vec<String> {
        let mut found = borrowed(text);
        // One or two words in quotation marks may be a title.
        found.retain(|one| one.form != Form::Quotation || text[one.bytes.clone()].split_whitespace().count() > 2);
        let keeps = |at: usize| !found.iter().any(|one| one.bytes.contains(&at));
        let left: String = text.char_indices().filter(|(at, c)| *c == '\n' || keeps(*at)).map(|(_, c)| c).collect();
        left.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
    }

    #[test]
    fn copied_chats_are_not_their_copyists_words() {
        for copied in [
            "[10:32, 3/4/2026] Eve Berg: I live in Rome",
            "[03/04/26, 10:32:11] Eve: I live in Rome\n[03/04/26, 10:33:02] Ana: me too",
            "3/4/26, 10:32 - Eve Berg: I live in Rome\nand I have two dogs",
            "03.04.26, 10:32 - Eve: Ich wohne in Rom",
            "Eve Berg  10:32 AM\nI live in Rome",
            "Eve Berg [10:32 AM]\nI live in Rome",
            "Eve Berg\n  10:32 AM\nI live in Rome",
            "eve — Today at 10:32 AM\nI live in Rome",
            "eve — 03/04/2026 10:32\nI live in Rome\n\nana — 03/04/2026 10:33\nI live in Oslo",
            "[Yesterday 10:32] Eve Berg\nI live in Rome",
            "Eve Berg, [12.03.26 10:01]\nI live in Rome",
            "<eve> I live in Rome",
            "12:03 Eve Berg: I live in Rome",
            "Eve Berg @eve · Mar 3\nI live in Rome and I love it",
            "Eve Berg\n@eve\nI live in Rome and I love it",
            "eve_b • 3h ago\n\nI am a nurse and I have two kids",
            "u/eve_b · 3 hr. ago\nI am a nurse and I have two kids",
            "WEBVTT\n\n00:00:01.000 --> 00:00:04.000\nI live in Rome\n\n00:00:05.000 --> 00:00:06.000\nI have two dogs",
            "1\n00:00:01,000 --> 00:00:04,000\nI live in Rome",
            "From: eve@example.org\n\nI live in Rome",
            "Von: Eve Berg <eve@example.org>\nBetreff: Umzug\n\nIch wohne jetzt in Rom.\n\nGruß",
            "---------- Forwarded message ---------\nFrom: Eve\n\nI live in Rome",
            "On Mon, 3 May 2027 at 10:00, Eve Berg <eve@example.org> wrote:\nI live in Rome",
            "Am 3. Mai 2027 um 10:00 schrieb Eve Berg:\nIch wohne in Rom",
            "Eve schrieb: Ich wohne in Rom",
            "Eve a écrit :\nJ'habite à Rome",
            "> I live in Rome",
            "```\nI live in Rome\n```",
            "“I live in Rome”",
        ] {
            let asked = format!("Is this true?\n\n{copied}");
            let left = own(&asked);
            let is_theirs =
                |line: &&String| ["Rom", "dogs", "Oslo", "nurse", "me too", "Gruß"].iter().any(|word| line.contains(word));
            assert_eq!(left.iter().find(is_theirs), None, "{asked:?}");
            assert_eq!(left.first().map(String::as_str), Some("Is this true?"), "{asked:?}");
        }
    }

    #[test]
    fn what_somebody_writes_themself_stays_theirs() {
        for text in [
            "Dear Erik, I moved to Rome in May.",
            "Rule of thumb: I never eat after eight.",
            "Update: I live in Rome now.",
            "Lunch 12:30\nDentist 15:00",
            "• I have two dogs\n• I live in Rome",
            "1. I live in Rome\n2. I have two dogs",
            "I get up at 6:30.\nThen I run.",
            "I'm @eve on Matrix",
            "To: do\nI live in Rome, so call early",
            "note to self: my brother's name is Max",
            "I love “The Wire” so much",
            "a 5\" disk is what I use",
            "let me know\nreturn flights are dear",
            "It's mine and it's the dogs' bowl too",
        ] {
            assert_eq!(own(text).join("\n"), text, "nothing of it is borrowed");
        }
    }

    #[test]
    fn a_remark_around_the_copy_is_the_authors_own() {
        for (text, expect) in [
            ("she said \"i am a nurse\" and left", vec!["she said  and left"]),
            ("look:\n```\nI am code\n```\nwhat is it", vec!["look:", "what is it"]),
            ("> I was born here\ntrue?", vec!["true?"]),
            ("Anna: I live here\nBob: me too\nwho lies", vec!["who lies"]),
            ("3/4/26, 10:32 - Eve: I live in Rome\n\nI live in Oslo myself", vec!["I live in Oslo myself"]),
            ("2026-01-02 10:00 user=me I am root\nwhy", vec!["why"]),
        ] {
            assert_eq!(own(text), expect, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn every_stretch_lies_on_character_borders(text in "(?s)[a-zé“”\"'`>\\[\\]0-9:. \n~@·•—A-Z-]{0,200}") {
            for one in borrowed(&text) {
                prop_assert!(text.get(one.bytes.clone()).is_some_and(|slice| !slice.is_empty()), "{:?} in {:?}", one, text);
            }
        }
    }
}
