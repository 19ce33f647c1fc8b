//! Detects lines of code, logs and tables by their symbols and first words.

/// Maximum share of symbols in prose. A line with more is code, a log or a table.
const SYMBOL_SHARE_MAX: f32 = 0.22;

/// Minimum line length for the share of symbols to be meaningful.
const SYMBOL_LINE_CHARS_MIN: usize = 9;

/// Minimum length for a line beginning with a year to be treated as a log line.
const LOG_LINE_BYTES_MIN: usize = 20;

/// Typical beginnings of lines in code, logs and diffs.
const STARTS: &[&str] = &[
    "$ ", ">>> ", "import ", "from __", "def ", "fn ", "pub fn", "const ", "let ", "var ", "class ", "function ", "public ",
    "private ", "return ", "#include", "SELECT ", "INSERT ", "UPDATE ", "at java", "at org", "at com", "File \"", "</", "<div",
    "<?", "{", "}", "|", "error[", "error:", "ERROR", "WARN", "INFO ", "DEBUG", "FATAL", "fatal:", "npm ", "sudo ", "git ",
    "docker ", "kubectl ", "+ ", "+++ ", "@@", "diff --git", "/*", "//",
];

/// True if the line is code, a log, or part of a table.
pub(crate) fn is_code(line: &str) -> bool {
    let trimmed = line.trim();
    if STARTS.iter().any(|start| trimmed.starts_with(start)) {
        // "let me know" and "return flights are dear" begin like code but are prose. Code also contains symbols.
        let carries_signs = trimmed.contains(['(', '{', '=', ';', '<', '/', '[', '|', '}', '"', ':']) || trimmed.starts_with('$');
        let first = trimmed.split_whitespace().next().unwrap_or("");
        let is_shouted_query = first.chars().all(char::is_uppercase) && trimmed.contains('*');
        return carries_signs || is_shouted_query;
    }
    if trimmed.ends_with([';', '{', '}']) && trimmed.contains(['(', '=', '{', '}']) {
        return true;
    }
    is_dated_log(trimmed) || is_mostly_symbols(trimmed)
}

fn is_dated_log(line: &str) -> bool {
    line.len() > LOG_LINE_BYTES_MIN
        && line.as_bytes().iter().take(4).all(u8::is_ascii_digit)
        && line.as_bytes().get(4) == Some(&b'-')
        && line.contains(':')
}

fn is_mostly_symbols(line: &str) -> bool {
    let seen = line.chars().filter(|c| !c.is_whitespace());
    let (all, symbols) = seen.fold((0usize, 0usize), |(all, symbols), c| {
        (all + 1, symbols + usize::from(c.is_ascii() && "{}[]()<>=;|\\/_$#@~^*&+%:`".contains(c)))
    });
    all >= SYMBOL_LINE_CHARS_MIN && symbols as f32 / all as f32 > SYMBOL_SHARE_MAX
}
