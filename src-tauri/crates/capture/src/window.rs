//! The windows of seed 002: the parts of a conversation that a model reads in one call.
//!
//! Threads are kept apart, a long stretch is cut at its largest time gaps, and the principal's lines are labeled. If a window is
//! still too long, the oldest lines by others are dropped first; the principal's lines are never dropped.

use std::collections::{HashMap, HashSet};

use keepsake_domain::Timestamp;
use keepsake_prompt::LINE_CHARS;

/// One message, as input for windows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line<'a> {
    /// Index in the caller's slice.
    pub index: usize,
    /// The thread it belongs to; different threads never share a window.
    pub thread: &'a str,
    /// The author, for the label.
    pub author: &'a str,
    /// True for the principal's own words, which are never dropped.
    pub is_principal: bool,
    /// When it was said.
    pub time: Timestamp,
    /// The text of the message.
    pub text: &'a str,
}

/// A part of a conversation that is read in one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// Indices of the included lines, oldest first.
    pub lines: Vec<usize>,
    /// Indices of the lines that were dropped because the window was too long.
    pub dropped: Vec<usize>,
    /// The window as text, one message per line, with the principal's lines labeled.
    pub text: String,
}

/// The thread of each message, given its id and the id of the message it answers. A thread is named after the first message in
/// the chain of answers. A message that neither answers another nor is answered belongs to no thread. If the first message no
/// longer exists, its id still names the thread.
pub fn threads<'a>(messages: &[(&'a str, Option<&'a str>)]) -> Vec<&'a str> {
    let mut known: HashMap<&str, usize> = HashMap::new();
    for (at, (id, _)) in messages.iter().enumerate() {
        known.entry(id).or_insert(at);
    }
    let answered: HashSet<&str> = messages.iter().filter_map(|(_, answers)| *answers).collect();
    let mut roots: Vec<Option<&'a str>> = vec![None; messages.len()];
    for start in 0..messages.len() {
        let mut chain = Vec::new();
        let mut at = start;
        let root = loop {
            if let Some(root) = roots[at] {
                break root;
            }
            let (id, answers) = messages[at];
            // A circular chain has no first message, so the thread is named after the message reached first.
            roots[at] = Some(id);
            chain.push(at);
            match answers.map(|answers| (answers, known.get(answers))) {
                None => break id,
                Some((gone, None)) => break gone,
                Some((_, Some(next))) => at = *next,
            }
        };
        for at in chain {
            roots[at] = Some(root);
        }
    }
    messages
        .iter()
        .zip(roots)
        .map(|((id, answers), root)| if answers.is_some() || answered.contains(id) { root.unwrap_or_default() } else { "" })
        .collect()
}

/// The label at the start of the principal's lines.
pub const PRINCIPAL_LABEL: &str = "PRINCIPAL";

/// Cuts `lines` into windows of at most `chars_max` characters each, unless the principal's own lines make one longer.
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

/// Cuts at the largest gap until each piece fits or is a single message.
fn cut(members: &[&Line<'_>], chars_max: usize, out: &mut Vec<Window>) {
    if members.is_empty() {
        return;
    }
    let total: usize = members.iter().map(|line| label(line).chars().count() + LINE_CHARS).sum();
    if total <= chars_max || members.len() == 1 {
        out.push(fit(members, chars_max));
        return;
    }
    // Of several equal gaps, the one nearest the middle gives the most even pieces.
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
    let mut total: usize = labelled.iter().map(|(_, text)| text.chars().count() + LINE_CHARS).sum();
    let mut window = Window { lines: Vec::new(), dropped: Vec::new(), text: String::new() };
    for (line, text) in &labelled {
        if total > chars_max && !line.is_principal {
            total -= text.chars().count() + LINE_CHARS;
            window.dropped.push(line.index);
        } else {
            window.lines.push(line.index);
            window.text.push_str(text);
            window.text.push('\n');
        }
    }
    window
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_of_answers_is_a_thread_named_by_its_first_message() {
        let check = |messages: &[(&str, Option<&str>)], expect: &[&str], why: &str| {
            assert_eq!(threads(messages), expect, "{why}");
        };
        check(&[], &[], "nothing");
        check(&[("a", None), ("b", None)], &["", ""], "nobody answers anybody");
        check(
            &[("a", None), ("b", None), ("c", Some("a")), ("d", Some("c")), ("e", Some("b")), ("f", None)],
            &["a", "b", "a", "a", "b", ""],
            "two threads beside what stands in none",
        );
        check(&[("c", Some("a")), ("a", None)], &["a", "a"], "an answer that came before what it answers");
        check(&[("c", Some("gone")), ("d", Some("c"))], &["gone", "gone"], "the first message is not there any more");
        let tail = threads(&[("a", Some("b")), ("b", Some("a")), ("c", Some("b"))]);
        assert!(tail.iter().all(|thread| *thread == tail[0] && !thread.is_empty()), "a chain that bites its tail: {tail:?}");
    }
}
