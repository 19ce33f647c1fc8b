//! Which stretches of a message are the speaker's own words, and whether a message is acted.
//!
//! Code, logs, quoted lines, forwarded mail and pasted documents are somebody else's words or nobody's (an echo is not evidence);
//! what is said in a role, a game or a story says nothing about who plays it.

use std::ops::Range;
use std::sync::LazyLock;

use regex::RegexSet;

/// A quotation of at least this many words is somebody's words; shorter ones are names and emphasis.
const QUOTE_WORDS_MIN: usize = 2;

/// An opening mark without its closing one within this many bytes was no quotation.
const QUOTE_BYTES_MAX: usize = 4_000;

/// A line with more symbols than this share of its characters is code, a log or a table.
const SYMBOL_SHARE_MAX: f32 = 0.22;

/// A line of fewer characters has too few for their share to tell anything.
const SYMBOL_LINE_CHARS_MIN: usize = 9;

/// A message, divided into own words and the rest.
#[derive(Debug, Default)]
pub(crate) struct OwnWords {
    /// Stretches of own words: a line each, without its list marker.
    pub(crate) segments: Vec<Range<usize>>,
    /// Inside those: quotations and inline code.
    pub(crate) foreign: Vec<Range<usize>>,
}

/// Divides `text`.
pub(crate) fn own_words(text: &str) -> OwnWords {
    let mut own = OwnWords { segments: Vec::new(), foreign: quotations(text) };
    let mut fenced = false;
    let mut header_lines = 0;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            // "```x```" on one line opens and closes.
            fenced ^= trimmed.len() < 6 || !trimmed.ends_with("```");
            continue;
        }
        header_lines += usize::from(is_mail_header(trimmed));
        if header_lines > 1 || begins_quoted_rest(trimmed) {
            break;
        }
        if fenced
            || trimmed.is_empty()
            || trimmed.starts_with(['>', '|'])
            || is_mail_header(trimmed)
            || is_notice(trimmed)
            || is_code(trimmed)
        {
            continue;
        }
        let body = without_marker(trimmed);
        let begin = start + (line.len() - line.trim_start().len()) + (trimmed.len() - body.len());
        own.segments.push(begin..begin + body.len());
        if introduces_paste(trimmed) {
            break;
        }
    }
    own.segments.retain(|range| !range.is_empty());
    own
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
    let bare = line.trim_matches(['-', '_', ' ']).to_lowercase();
    line.starts_with("On ") && line.ends_with("wrote:")
        || line.starts_with("Am ") && line.contains(" schrieb") && line.ends_with(':')
        || line.starts_with("Le ") && line.contains("a écrit") && line.ends_with(':')
        || line.starts_with("El ") && line.contains("escribió") && line.ends_with(':')
        || line.starts_with("--") && matches!(bare.as_str(), "original message" | "forwarded message")
        || line.starts_with("Begin forwarded message")
        || line.starts_with("Traceback (most recent")
}

/// What a platform writes in the place of a picture or a file.
fn is_notice(line: &str) -> bool {
    let inner = line.trim_start_matches('\u{200e}');
    inner.starts_with('[') && inner.ends_with(']')
        || inner.starts_with('<') && inner.ends_with('>')
        || inner.ends_with(" omitted")
}

/// "Here's the email:" and its like: what follows is pasted, or a draft of something.
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
        "prompt",
        "instructions",
        "guidelines",
        "brief",
        "told",
        "message",
        "asks",
        "essay",
        "post",
        "document",
        "doc",
        "spec",
        "policy",
    ];
    line.ends_with(':') && line.to_lowercase().split(|c: char| !c.is_alphanumeric()).any(|word| NOUNS.contains(&word))
}

/// Code, logs and tables by their look.
fn is_code(line: &str) -> bool {
    let starts = [
        "$ ", "import ", "def ", "fn ", "const ", "let ", "var ", "class ", "public ", "private ", "return ", "#include", "</",
        "<div", "{", "}", "error[", "error:", "ERROR", "WARN", "INFO ", "DEBUG", "fatal:", "npm ", "sudo ", "git ", "// ", "/* ",
    ];
    let carries_signs = line.contains(['(', '{', '=', '<', '[', '|', '}', ':']) || line.starts_with(['$', '/']);
    if starts.iter().any(|start| line.starts_with(start)) && carries_signs {
        return true;
    }
    if line.ends_with([';', '{', '}']) && line.contains(['(', '=', '{', '}']) {
        return true;
    }
    let seen = line.chars().filter(|c| !c.is_whitespace());
    let (all, symbols) = seen.fold((0usize, 0usize), |(all, symbols), c| {
        (all + 1, symbols + usize::from(c.is_ascii() && "{}[]()<>=;|\\/_$#@~^*&+%:`".contains(c)))
    });
    all >= SYMBOL_LINE_CHARS_MIN && symbols as f32 / all as f32 > SYMBOL_SHARE_MAX
}

/// Quotations of more than a word, and inline code.
fn quotations(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Option<(char, usize)> = None;
    let mut before = ' ';
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map_or(' ', |(_, next)| *next);
        // A straight mark opens before a word and closes behind one; 5" is an inch and "don't" is one word.
        let may_open = !before.is_alphanumeric() && !next.is_whitespace();
        let may_close = !before.is_whitespace() && !next.is_alphanumeric();
        before = c;
        if open.is_some_and(|(_, from)| at > from + QUOTE_BYTES_MAX) {
            open = None;
        }
        match open {
            Some((closing, from)) => {
                let closes = c == closing && (!matches!(closing, '"' | '\'') || may_close)
                    || matches!((closing, c), ('”', '“') | ('“', '”'));
                if closes {
                    let inner = text.get(from..at).unwrap_or("");
                    if c == '`' || inner.split_whitespace().count() >= QUOTE_WORDS_MIN {
                        found.push(from..at);
                    }
                    open = None;
                } else if closing == '\'' && c == '\n' {
                    open = None;
                }
            }
            None => {
                let closing = match c {
                    '"' if may_open => '"',
                    '\'' if may_open => '\'',
                    '“' => '”',
                    '„' => '“',
                    '«' => '»',
                    '‘' => '’',
                    '`' => '`',
                    _ => continue,
                };
                open = Some((closing, at + c.len_utf8()));
            }
        }
    }
    found
}

fn set(patterns: &[&str]) -> RegexSet {
    RegexSet::new(patterns).unwrap_or_else(|_| unreachable!("constant patterns compile"))
}

/// Signs that a message opens a scene, or is text for a machine to play by.
static SCENE: LazyLock<RegexSet> = LazyLock::new(|| {
    set(&[
        r"(?i)\b(?:role[- ]?play(?:ing)?|in character|let'?s (?:play|pretend|do (?:a )?(?:scene|rp|improv))|pretend (?:that )?(?:i|you|we|to be)|act (?:as|like) (?:a|an|my|the|if)|my character|your character|text adventure|improv|you be (?:the|a)|i'?ll be (?:the|a|an) )\b",
        r"(?i)^\W*you(?:'re| are) (?:now )?(?:a|an|the|my) ",
        r"(?i)\bi(?:'m| am|'ll be| will be) (?:a|an|the) [^.?!]{2,50}(?:,|;| and) you(?:'re| are|'ll be| will be| play)\b",
        r"(?i)\b(?:the|as) (?:dungeon master|game master|narrator)\b",
        r"(?i)\b(?:from|in) the (?:voice|perspective|point of view|pov) of\b|\bmonologue\b|\bonce upon a time\b|\bsystem prompt\b",
        r"(?:^|\s)\*[a-zA-Z][^*\n]{5,}\*(?:\s|$|[.,!?])",
        r#"(?m)^["“][^"”\n]+[,!?.]["”] (?:I|he|she|they) (?:said|growled|whispered|replied|muttered|snapped|answered)\b"#,
    ])
});

/// A remark from outside the scene.
static OUTSIDE: LazyLock<RegexSet> = LazyLock::new(|| {
    set(&[
        r"(?i)(?:^|\s|\[|\()(?:ooc\b|out of character|irl\b|in real life|stepping out|end (?:of )?(?:scene|game|roleplay|rp)|end scene|back to (?:reality|real life|normal)|not in character|game over|me again|speaking as myself)",
    ])
});

/// Whether a message opens or continues a scene.
pub(crate) fn is_acted(text: &str) -> bool {
    SCENE.is_match(text)
}

/// Whether a message ends the scene.
pub(crate) fn leaves_scene(text: &str) -> bool {
    OUTSIDE.is_match(text)
}
