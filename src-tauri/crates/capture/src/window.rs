//! Windows of seed 002: the slices of a conversation that a model reads in one go.
//!
//! Threads apart; a long stretch is cut at its largest time gaps; the principal's lines carry a label; where a window is
//! still too long its oldest lines that are not the principal's go first, and the principal's never.

use keepsake_domain::Timestamp;

/// One message as the windower sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line<'a> {
    /// Position in the caller's slice.
    pub index: usize,
    /// Which thread it belongs to; threads never share a window.
    pub thread: &'a str,
    /// Who said it, for the label.
    pub author: &'a str,
    /// The principal's own words: never dropped.
    pub is_principal: bool,
    /// When.
    pub time: Timestamp,
    /// What.
    pub text: &'a str,
}

/// A slice for one reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// Positions of the lines that are in, oldest first.
    pub lines: Vec<usize>,
    /// Positions of the lines that were dropped for length.
    pub dropped: Vec<usize>,
    /// The window as text, a line a message, the principal's marked.
    pub text: String,
}

/// What the principal's lines begin with.
pub const PRINCIPAL_LABEL: &str = "PRINCIPAL";

/// Cuts `lines` into windows of at most `chars_max` characters of text each, where the principal's own lines allow it.
pub fn windows(lines: &[Line<'_>], chars_max: usize) -> Vec<Window> {
    let mut threads: Vec<(&str, Vec<&Line<'_>>)> = Vec::new();
    for line in lines {
        match threads.iter_mut().find(|(thread, _)| *thread == line.thread) {
            Some((_, members)) => members.push(line),
            None => threads.push((line.thread, vec![line])),
        }
    }
    let mut out = Vec::new();
    for (_, members) in threads {
        cut(&members, chars_max, &mut out);
    }
    out
}

/// Cuts at the largest gap until a piece fits or is a single message.
fn cut(members: &[&Line<'_>], chars_max: usize, out: &mut Vec<Window>) {
    if members.is_empty() {
        return;
    }
    let total: usize = members.iter().map(|line| label(line).chars().count() + 1).sum();
    if total <= chars_max || members.len() == 1 {
        out.push(fit(members, chars_max));
        return;
    }
    // Of equal gaps the one nearest the middle keeps the pieces whole.
    let middle = members.len() / 2;
    let at = (1..members.len())
        .max_by_key(|n| {
            let gap = members[*n].time.as_millis().saturating_sub(members[*n - 1].time.as_millis());
            (gap, std::cmp::Reverse(n.abs_diff(middle)))
        })
        .unwrap_or(middle);
    cut(&members[..at], chars_max, out);
    cut(&members[at..], chars_max, out);
}

fn label(line: &Line<'_>) -> String {
    if line.is_principal {
        format!("[{PRINCIPAL_LABEL}] {}: {}", line.author, line.text)
    } else {
        format!("{}: {}", line.author, line.text)
    }
}

fn fit(members: &[&Line<'_>], chars_max: usize) -> Window {
    let labelled: Vec<(&Line<'_>, String)> = members.iter().map(|line| (*line, label(line))).collect();
    let mut total: usize = labelled.iter().map(|(_, text)| text.chars().count() + 1).sum();
    let mut window = Window { lines: Vec::new(), dropped: Vec::new(), text: String::new() };
    for (line, text) in &labelled {
        if total > chars_max && !line.is_principal {
            total -= text.chars().count() + 1;
            window.dropped.push(line.index);
        } else {
            window.lines.push(line.index);
            window.text.push_str(text);
            window.text.push('\n');
        }
    }
    window
}
