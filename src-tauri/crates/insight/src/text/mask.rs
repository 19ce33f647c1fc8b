//! Which stretches of a message are the speaker's own words.
//!
//! Code, logs, quoted lines, forwarded mail and pasted documents are somebody else's words or nobody's
//! (DESIGN invariant 12: they never count as evidence). They are left out here, before any sentence is read.

use std::ops::Range;

/// A quotation of at least this many words is taken for somebody else's; shorter ones are names and emphasis.
const QUOTE_WORDS_MIN: usize = 3;

/// An opening mark without its closing one within this many bytes was no quotation.
const QUOTE_BYTES_MAX: usize = 4_000;

/// A line with more symbols than this share of its characters is code, a log or a table.
const SYMBOL_SHARE_MAX: f32 = 0.22;

/// Two lines of a hard-wrapped paragraph are joined only if the first is at least this long.
const WRAPPED_LINE_BYTES_MIN: usize = 48;

/// A message, divided into own words and the rest.
#[derive(Debug, Default)]
pub(crate) struct OwnWords {
    /// Stretches of own words, each at most one paragraph, list markers left out.
    pub(crate) segments: Vec<Range<usize>>,
    /// Inside those: quotations and inline code.
    pub(crate) foreign: Vec<Range<usize>>,
}

impl OwnWords {
    /// Divides `text`.
    pub(crate) fn of(text: &str) -> Self {
        let mut own = Self::default();
        let mut fenced = false;
        let mut header_lines = 0;
        let mut at = 0;
        let mut joins = false;
        for line in text.split_inclusive('\n') {
            let start = at;
            at += line.len();
            let trimmed = line.trim();
            if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
                // "```x```" on one line opens and closes.
                fenced ^= trimmed.len() < 6 || !trimmed.ends_with("```");
                joins = false;
                continue;
            }
            if is_mail_header(trimmed) {
                header_lines += 1;
            }
            if header_lines > 1 || begins_quoted_rest(trimmed) {
                break;
            }
            if fenced
                || trimmed.is_empty()
                || trimmed.starts_with('>')
                || is_placeholder(trimmed)
                || is_mail_header(trimmed)
                || is_code(line)
            {
                joins = false;
                continue;
            }
            let body = without_marker(trimmed);
            let begin = start + (line.len() - line.trim_start().len()) + (trimmed.len() - body.len());
            let end = begin + body.len();
            let continues = joins && body.len() == trimmed.len() && body.chars().next().is_some_and(char::is_lowercase);
            match own.segments.last_mut() {
                Some(last) if continues => last.end = end,
                _ => own.segments.push(begin..end),
            }
            joins = trimmed.len() >= WRAPPED_LINE_BYTES_MIN && !trimmed.ends_with(['.', '!', '?', ':', ';']);
            if introduces_paste(trimmed) && text.get(at..).is_some_and(|rest| !rest.trim().is_empty()) {
                break;
            }
        }
        own.segments.retain(|range| !range.is_empty());
        own.foreign = foreign_in(text);
        own
    }
}

fn without_marker(line: &str) -> &str {
    let bare = line.trim_start_matches(['-', '*', '•', '–', '#', '·']).trim_start();
    let digits = bare.len() - bare.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if digits == 0 || digits > 2 {
        return bare;
    }
    let rest = bare.get(digits..).unwrap_or("");
    rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")).map_or(bare, str::trim_start)
}

fn is_mail_header(line: &str) -> bool {
    ["From:", "To:", "Subject:", "Sent:", "Date:", "Cc:", "Von:", "Betreff:", "De:", "Objet:", "Asunto:", "Para:"]
        .iter()
        .any(|head| line.starts_with(head))
}

/// A line after which the rest of the message is somebody else's.
fn begins_quoted_rest(line: &str) -> bool {
    let bare = line.trim_matches(['-', '_', ' ']);
    let attribution = (line.starts_with("On ") && line.ends_with("wrote:"))
        || (line.starts_with("Am ") && line.contains(" schrieb") && line.ends_with(':'))
        || (line.starts_with("Le ") && line.contains("a écrit") && line.ends_with(':'))
        || (line.starts_with("El ") && line.contains("escribió") && line.ends_with(':'))
        || (line.starts_with("Em ") && line.contains("escreveu") && line.ends_with(':'));
    let marker = line.starts_with("--") && matches!(bare.to_lowercase().as_str(), "original message" | "forwarded message");
    attribution || marker || line.starts_with("Begin forwarded message") || line.starts_with("Traceback (most recent")
}

/// What a platform writes in the place of a picture or a file.
fn is_placeholder(line: &str) -> bool {
    let inner = line.trim_start_matches('\u{200e}');
    let bracketed = (inner.starts_with('[') && inner.ends_with(']')) || (inner.starts_with('<') && inner.ends_with('>'));
    bracketed
        || ["image omitted", "video omitted", "audio omitted", "sticker omitted", "GIF omitted", "document omitted"]
            .iter()
            .any(|text| inner.ends_with(text))
}

/// "Here's the email:" and its like: what follows is pasted.
fn introduces_paste(line: &str) -> bool {
    const NOUNS: &[&str] = &[
        "email",
        "mail",
        "article",
        "log",
        "logs",
        "error",
        "output",
        "excerpt",
        "paragraph",
        "text",
        "transcript",
        "posting",
        "description",
        "review",
        "poem",
        "lyrics",
        "code",
        "snippet",
        "response",
        "reply",
        "wrote",
        "said",
        "says",
        "abstract",
        "passage",
        "quote",
        "letter",
        "bio",
        "announcement",
        "config",
        "stack",
        "trace",
        "readme",
        "statement",
        "story",
    ];
    if !line.ends_with(':') {
        return false;
    }
    let lower = line.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).any(|word| NOUNS.contains(&word))
}

/// Code, logs and tables by their look.
fn is_code(line: &str) -> bool {
    let trimmed = line.trim();
    let starts = [
        "$ ", "import ", "from __", "def ", "fn ", "pub fn", "const ", "let ", "var ", "class ", "public ", "private ",
        "return ", "#include", "SELECT ", "INSERT ", "UPDATE ", "at java", "at org", "at com", "File \"", "</", "<div", "<?",
        "{", "}", "|", "error[", "error:", "ERROR", "WARN", "INFO ", "DEBUG", "fatal:", "npm ", "sudo ", "git ", "docker ",
        "kubectl ", "+ ", "@@",
    ];
    if starts.iter().any(|start| trimmed.starts_with(start)) {
        // "let me know" and "return flights are dear" are prose: code carries its signs.
        let carries_signs = trimmed.contains(['(', '{', '=', ';', '<', '/', '[', '|', '}', '"', ':']) || trimmed.starts_with('$');
        let shouts = trimmed.starts_with(|c: char| c.is_ascii_uppercase());
        return carries_signs
            || (shouts
                && trimmed.split_whitespace().next().is_some_and(|w| w.chars().all(|c| c.is_uppercase()))
                && trimmed.contains('*'));
    }
    if trimmed.ends_with([';', '{', '}']) && trimmed.contains(['(', '=', '{', '}']) {
        return true;
    }
    let (mut symbols, mut seen) = (0usize, 0usize);
    for c in trimmed.chars().filter(|c| !c.is_whitespace()) {
        seen += 1;
        symbols += usize::from(c.is_ascii() && "{}[]()<>=;|\\/_$#@~^*&+%:`".contains(c));
    }
    let dated_log = trimmed.len() > 20
        && trimmed.as_bytes().iter().take(4).all(u8::is_ascii_digit)
        && trimmed.contains(':')
        && (trimmed.contains('T') || trimmed.contains('['));
    seen > 8 && (symbols as f32 / seen as f32) > SYMBOL_SHARE_MAX || dated_log
}

/// Quotations of more than a word or two, inline code, and the platform's descriptions of pictures.
fn foreign_in(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    // "[Image: a red bicycle]" in the middle of a line is the platform's description.
    for (at, _) in text.match_indices('[') {
        let inner = text.get(at + 1..).unwrap_or("");
        let described = ["Image", "image", "Photo", "photo", "Video", "File", "Attachment", "Sticker", "GIF"]
            .iter()
            .any(|kind| inner.starts_with(kind));
        if let Some(end) = inner.find([']', '\n']).filter(|_| described) {
            found.push(at..at + end + 1);
        }
    }
    let mut open: Option<(char, usize)> = None;
    let mut before = ' ';
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map_or(' ', |(_, next)| *next);
        // A straight mark opens before a word and closes behind one; 5" is an inch.
        let may_open = !before.is_alphanumeric() && !next.is_whitespace();
        let may_close = !before.is_whitespace() && !next.is_alphanumeric();
        before = c;
        if open.is_some_and(|(_, from)| at > from + QUOTE_BYTES_MAX) {
            open = None;
        }
        match open {
            Some((closing, from)) => {
                let closes = c == closing && (closing != '"' || may_close) || matches!((closing, c), ('”', '“') | ('“', '”'));
                if closes {
                    let inner = text.get(from..at).unwrap_or("");
                    if c == '`' || inner.split_whitespace().count() >= QUOTE_WORDS_MIN {
                        found.push(from..at);
                    }
                    open = None;
                }
            }
            None => {
                let closing = match c {
                    '"' if may_open => '"',
                    '“' => '”',
                    '„' => '“',
                    '«' => '»',
                    '`' => '`',
                    _ => continue,
                };
                open = Some((closing, at + c.len_utf8()));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &[&str]) {
        let own = OwnWords::of(text);
        let found: Vec<&str> = own.segments.iter().map(|range| &text[range.clone()]).collect();
        assert_eq!(found, expect, "own words of {text:?}");
    }

    #[test]
    fn code_quotes_mail_and_pasted_text_are_nobodys_own_words() {
        check("Look:\n```rust\nlet a = 1;\n```\nIt fails.", &["Look:", "It fails."]);
        check("> I moved to Rome\nnice!", &["nice!"]);
        check("Agreed.\n\nOn Mon, 3 May, Ana wrote:\nI quit my job", &["Agreed."]);
        check("Summarise this article:\nI grew up in Oslo.", &["Summarise this article:"]);
        check("From: Ana\nSubject: x\nI quit", &[]);
        check("    foo(bar)[0] = {baz: 1};\nwhy?", &["why?"]);
        check("2026-05-01T10:00:00 worker[3]: I lost the lease", &[]);
        check("[Image: a man in a suit]\nlook!\n<Media omitted>", &["look!"]);
        check("let me know\nreturn flights are dear", &["let me know", "return flights are dear"]);
    }

    #[test]
    fn lists_lose_their_markers_and_wrapped_lines_join() {
        check("- buy milk\n2. call Ana", &["buy milk", "call Ana"]);
        let wrapped = "I have been thinking about the move to Porto for a\nlong time now.";
        check(wrapped, &[wrapped]);
    }

    #[test]
    fn quotations_inside_a_sentence_are_marked() {
        let text = "She said “I quit my job” and ran `make all`, \"wow\"";
        let own = OwnWords::of(text);
        let foreign: Vec<&str> = own.foreign.iter().map(|range| &text[range.clone()]).collect();
        assert_eq!(foreign, ["I quit my job", "make all"], "a single quoted word is emphasis");
        let song = "listen\n\n\"I was born at sea,\nI married the tide\"\n\na 5\" disk and \"so\" on";
        let foreign: Vec<&str> = OwnWords::of(song).foreign.iter().map(|range| &song[range.clone()]).collect();
        assert_eq!(foreign, ["I was born at sea,\nI married the tide"], "a quotation may run over lines; an inch is none");
    }
}
