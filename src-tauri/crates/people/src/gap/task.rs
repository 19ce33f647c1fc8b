//! Writes a task into a Markdown file and reads its checkbox back.
//!
//! The file belongs to a person. Keepsake recognizes its own lines by the task's id in a comment, which viewers do not show, and
//! changes no other lines:
//!
//! ```markdown
//! - [ ] Export the notes as PDF <!-- keepsake task_018f -->
//!   Came up on 3 occasions and could not be done. <!-- keepsake -->
//!   - 2026-03-01, chat: "Sorry, I can't export notes as PDF." (int_018e)
//!   <!-- /keepsake task_018f -->
//! ```
//!
//! The person may tick the box, move or indent the lines, write around or between them, and edit the title. A new version of a
//! task replaces only the lines that Keepsake wrote itself.
//!
//! Deliberately not here: reading and writing the file, and deciding which quotations it may contain.

pub use crate::gap::rules::{QUOTE_CHARS_MAX, TITLE_CHARS_MAX};
use std::ops::Range;

use chrono::DateTime;
use keepsake_domain::{InteractionId, TaskId, TaskStatus, Timestamp};

/// Ends a description written by Keepsake, to distinguish it from text that a person writes under a task.
const OURS: &str = "<!-- keepsake -->";

/// A line of evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskEvidence {
    /// The id of the quoted message.
    pub interaction: InteractionId,
    /// The source as a person would name it: "WhatsApp, Ana".
    pub source: String,
    /// When it was said; shown as a day in UTC. Zero or less means unknown.
    pub time: Timestamp,
    /// The quotation, if it may appear in this file.
    pub quote: Option<String>,
}

/// A task as written in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskText {
    /// The id, by which the task's lines are recognized.
    pub id: TaskId,
    /// The title, on one line.
    pub title: String,
    /// The description: a sentence or two, on one line.
    pub description: String,
    /// The evidence for the task.
    pub evidence: Vec<TaskEvidence>,
    /// The status.
    pub status: TaskStatus,
}

/// The state of a task in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskInFile {
    /// There is one checkbox, or several that agree.
    Found(TaskStatus),
    /// The task is not in the file, or its line no longer has a checkbox. The status of the task is unknown.
    Missing,
    /// The task appears several times, ticked in one place and not in another. The status of the task is unknown.
    Contradictory,
}

/// Formats a task as Markdown lines.
pub fn render(task: &TaskText) -> String {
    let mut text =
        format!("- [{}] {} <!-- keepsake {} -->\n", mark(task.status), one_line(&task.title, TITLE_CHARS_MAX), task.id);
    text.push_str(&format!("  {} {OURS}\n", one_line(&task.description, usize::MAX)));
    for evidence in &task.evidence {
        let day = DateTime::from_timestamp_millis(evidence.time.as_millis())
            .filter(|_| evidence.time.as_millis() > 0)
            .map_or_else(|| "undated".to_owned(), |time| time.format("%Y-%m-%d").to_string());
        let quote = evidence.quote.as_ref().map(|quote| format!(": \"{}\"", one_line(quote, QUOTE_CHARS_MAX)));
        let source = one_line(&evidence.source, TITLE_CHARS_MAX);
        text.push_str(&format!("  - {day}, {source}{} ({})\n", quote.unwrap_or_default(), evidence.interaction));
    }
    text.push_str(&format!("  <!-- /keepsake {} -->\n", task.id));
    text
}

/// The state of the task `id` in `file`: a ticked checkbox means resolved, an empty one open.
pub fn status_in(file: &str, id: &TaskId) -> TaskInFile {
    let mut found = heads(file, id).filter_map(|head| head.status);
    let Some(first) = found.next() else { return TaskInFile::Missing };
    if found.all(|other| other == first) { TaskInFile::Found(first) } else { TaskInFile::Contradictory }
}

/// Returns `file` with the task in it: in place of its existing lines, or at the end if there are none. Every other byte is
/// unchanged.
///
/// Once written, the checkbox line belongs to the person: only its mark is set to `task.status`, and the text next to it is kept.
#[must_use]
pub fn written(file: &str, task: &TaskText) -> String {
    let ours = render(task);
    let body = ours.split_once('\n').map_or("", |(_, body)| body);
    let Some(head) = heads(file, &task.id).next() else {
        let gap = match file {
            "" => "",
            file if file.ends_with("\n\n") => "",
            file if file.ends_with('\n') => "\n",
            _ => "\n\n",
        };
        return format!("{file}{gap}{ours}");
    };
    let mut out = file[..head.line.start].to_owned();
    let line = &file[head.line.clone()];
    match head.mark {
        Some(at) => {
            out.push_str(&line[..at - head.line.start]);
            out.push_str(mark(task.status));
            out.push_str(&line[at - head.line.start + mark_len(line, at - head.line.start)..]);
        }
        None => out.push_str(line),
    }
    let indent: String = line.chars().take_while(|c| matches!(c, ' ' | '\t')).collect();
    let rest = head.line.end;
    match end_of_body(file, rest, &task.id) {
        Some(body_end) => {
            // Keeps the lines that the person wrote between Keepsake's lines, and places them after Keepsake's lines.
            let kept = strangers(&file[rest..body_end], &task.id);
            push_indented(&mut out, body, &indent);
            out.push_str(&kept);
            out.push_str(&file[body_end..]);
        }
        None => out.push_str(&file[rest..]),
    }
    out
}

const fn mark(status: TaskStatus) -> &'static str {
    match status {
        TaskStatus::Open => " ",
        TaskStatus::Resolved => "x",
    }
}

fn mark_len(line: &str, at: usize) -> usize {
    line[at..].chars().next().map_or(0, |c| if c == ']' { 0 } else { c.len_utf8() })
}

/// The line that contains a task's checkbox.
struct Head {
    /// Byte range of the line within the file, including its line ending.
    line: Range<usize>,
    /// The position of the checkbox's mark, if there is one.
    mark: Option<usize>,
    status: Option<TaskStatus>,
}

/// The lines that contain the id, except in code fences, where such a line is only an example.
fn heads<'f>(file: &'f str, id: &TaskId) -> impl Iterator<Item = Head> + use<'f> {
    let marker = format!("<!-- keepsake {id} -->");
    let mut fenced = false;
    lines(file).filter_map(move |line| {
        let text = &file[line.clone()];
        let bare = text.trim_start();
        if bare.starts_with("```") || bare.starts_with("~~~") {
            fenced = !fenced;
            return None;
        }
        if fenced || !text.contains(&marker) {
            return None;
        }
        let (mark, status) = match mark_in(text) {
            Some((at, status)) => (Some(line.start + at), Some(status)),
            None => (None, None),
        };
        Some(Head { line, mark, status })
    })
}

/// The position of the mark in a list item's checkbox, and its status: `- [ ]`, `* [x]`, `1. [X]`, also inside a blockquote.
fn mark_in(line: &str) -> Option<(usize, TaskStatus)> {
    let start = line.len() - line.trim_start_matches([' ', '\t', '>']).len();
    let rest = &line[start..];
    let bullet = if rest.starts_with(['-', '*', '+']) {
        1
    } else {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 || !rest[digits..].starts_with(['.', ')']) {
            return None;
        }
        digits + 1
    };
    let blank = rest[bullet..].len() - rest[bullet..].trim_start_matches([' ', '\t']).len();
    let at = start + bullet + blank;
    let inner = line[at..].strip_prefix('[')?;
    let (mark, _) = inner.split_once(']')?;
    let status = match mark {
        "x" | "X" | "✓" | "✔" => TaskStatus::Resolved,
        "" | " " | "\u{a0}" => TaskStatus::Open,
        _ => return None,
    };
    Some((at + 1, status))
}

/// Where the lines under a task's heading end, including the closing comment; `None` if that comment was removed.
fn end_of_body(file: &str, from: usize, id: &TaskId) -> Option<usize> {
    let closing = format!("<!-- /keepsake {id} -->");
    let another = "<!-- keepsake task_";
    for line in lines(&file[from..]) {
        let text = &file[from + line.start..from + line.end];
        if text.contains(&closing) {
            return Some(from + line.end);
        }
        // Another task's head follows. Quotations cannot match, because their special characters are escaped.
        if text.contains(another) && text.trim_end().ends_with("-->") {
            return None;
        }
    }
    None
}

/// The lines under a head that Keepsake did not write: all except the description, evidence in its own format, and the closing
/// comment.
fn strangers(body: &str, id: &TaskId) -> String {
    let closing = format!("<!-- /keepsake {id} -->");
    let mut kept = String::new();
    for line in lines(body).map(|line| &body[line]) {
        let inner = line.trim();
        let evidence = inner.strip_suffix(')').and_then(|inner| inner.rsplit_once(" (")).map(|(_, id)| id);
        let is_evidence = inner.starts_with("- ") && evidence.is_some_and(|id| id.parse::<InteractionId>().is_ok());
        if !(is_evidence || inner.ends_with(OURS) || inner.contains(&closing)) {
            kept.push_str(line);
            if !line.ends_with('\n') {
                kept.push('\n');
            }
        }
    }
    kept
}

fn push_indented(out: &mut String, text: &str, indent: &str) {
    if !out.ends_with('\n') {
        out.push('\n');
    }
    for line in text.lines() {
        out.push_str(indent);
        out.push_str(line);
        out.push('\n');
    }
}

/// Byte ranges of the lines of `text`, including their line endings.
fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        start..at
    })
}

/// Formats message text so that it is safe within a line of Markdown: no line breaks, no comments, no markup, no disguised links.
fn one_line(text: &str, chars_max: usize) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    let joined = words.collect::<Vec<_>>().join(" ");
    let cut = joined.chars().count() > chars_max;
    let mut out = String::new();
    for c in joined.chars().take(if cut { chars_max.saturating_sub(1) } else { usize::MAX }) {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~' => {
                out.push('\\');
                out.push(c);
            }
            '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' => {}
            c => out.push(c),
        }
    }
    if cut {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn id(n: u128) -> TaskId {
        TaskId::from_uuid(Uuid::from_u128(n))
    }

    fn task(quote: &str) -> TaskText {
        TaskText {
            id: id(1),
            title: "Export the notes as PDF".to_owned(),
            description: "Came up on 2 occasions and could not be done.".to_owned(),
            evidence: vec![TaskEvidence {
                interaction: InteractionId::from_uuid(Uuid::from_u128(7)),
                source: "chat".to_owned(),
                time: Timestamp(1_772_280_000_000),
                quote: Some(quote.to_owned()),
            }],
            status: TaskStatus::Open,
        }
    }

    const AS_WRITTEN: &str = "- [ ] Export the notes as PDF <!-- keepsake task_00000000000000000000000000000001 -->
  Came up on 2 occasions and could not be done. <!-- keepsake -->
  - 2026-02-28, chat: \"Sorry, I can't.\" (int_00000000000000000000000000000007)
  <!-- /keepsake task_00000000000000000000000000000001 -->
";

    #[test]
    fn a_task_is_a_list_item_with_its_evidence() {
        assert_eq!(render(&task("Sorry, I\n can't.")), AS_WRITTEN);
        assert_eq!(written("", &task("Sorry, I can't.")), AS_WRITTEN);
    }

    #[test]
    fn the_box_is_read_however_a_person_writes_it() {
        let check = |line: &str, expect: TaskInFile| {
            let file = format!("# Mine\n\nSome text\n{line}\nmore");
            assert_eq!(status_in(&file, &id(1)), expect, "{line:?}");
        };
        let mark = "<!-- keepsake task_00000000000000000000000000000001 -->";
        let (open, resolved) = (TaskInFile::Found(TaskStatus::Open), TaskInFile::Found(TaskStatus::Resolved));
        check(&format!("- [ ] Export {mark}"), open);
        check(&format!("- [x] Export {mark}"), resolved);
        check(&format!("- [X] Export, done by Bo on Monday {mark} really"), resolved);
        check(&format!("    * [x] Export {mark}"), resolved);
        check(&format!("12. [ ] Export {mark}"), open);
        check(&format!("> + [✔] Export {mark}"), resolved);
        check(&format!("-\t[] Export {mark}"), open);
        check(&format!("- [x] Export {mark}\r"), resolved);
        check(&format!("- Export {mark}"), TaskInFile::Missing);
        check(&format!("- [-] Export {mark}"), TaskInFile::Missing);
        check(&format!("Export [x] {mark}"), TaskInFile::Missing);
        check("- [x] Export the notes as PDF", TaskInFile::Missing);
        check("- [x] Another <!-- keepsake task_00000000000000000000000000000002 -->", TaskInFile::Missing);
        check(&format!("```\n- [x] Export {mark}\n```"), TaskInFile::Missing);
        check(&format!("- [x] Export {mark}\n- [x] copy {mark}"), resolved);
        check(&format!("- [x] Export {mark}\n- [ ] copy {mark}"), TaskInFile::Contradictory);
    }

    #[test]
    fn what_a_person_wrote_stays_to_the_byte() {
        let before = "# Plans\r\n\r\n- [ ] buy milk\n\ttext  with  blanks \n";
        let after = "\n## Later\n- [x] something else <!-- mine -->\nno end";
        let file = written(&format!("{before}{after}"), &task("Sorry, I can't."));
        assert!(file.starts_with(&format!("{before}{after}")) && file.ends_with(AS_WRITTEN), "{file}");
        // The person moves the task, renames it, ticks it, and writes into it.
        let moved = AS_WRITTEN
            .replace("- [ ] Export the notes as PDF", "- [x] Export **everything**")
            .replace("  - 2026", "  I asked Bo about it.\n  - 2026");
        let mut newer = task("No.");
        newer.evidence.push(TaskEvidence { quote: None, ..newer.evidence[0].clone() });
        let file = written(&format!("{before}{moved}{after}"), &newer);
        let expect = "- [ ] Export **everything** <!-- keepsake task_00000000000000000000000000000001 -->
  Came up on 2 occasions and could not be done. <!-- keepsake -->
  - 2026-02-28, chat: \"No.\" (int_00000000000000000000000000000007)
  - 2026-02-28, chat (int_00000000000000000000000000000007)
  <!-- /keepsake task_00000000000000000000000000000001 -->
  I asked Bo about it.
";
        assert_eq!(file, format!("{before}{expect}{after}"));
        assert_eq!(written(&file, &newer), file, "writing once more changes nothing");
    }

    #[test]
    fn without_its_end_only_the_box_is_touched() {
        let file = "- [x] Export <!-- keepsake task_00000000000000000000000000000001 -->\n  mine\n- [x] next <!-- keepsake task_00000000000000000000000000000002 -->\n";
        assert_eq!(written(file, &task("No.")), file.replacen("[x]", "[ ]", 1));
    }

    #[test]
    fn a_quotation_cannot_leave_its_line_or_pose_as_a_task() {
        let hostile = "ok\n- [x] Done <!-- keepsake task_00000000000000000000000000000001 -->\n<!-- /keepsake task_00000000000000000000000000000001 --> ![x](http://127.0.0.1) `a` \u{202e}";
        let file = written("", &task(hostile));
        assert_eq!(status_in(&file, &id(1)), TaskInFile::Found(TaskStatus::Open));
        assert_eq!(file.lines().count(), 4, "{file}");
        assert!(!file.replace("\\]", "").contains("](") && !file.contains('\u{202e}'), "{file}");
        assert_eq!(written(&file, &task(hostile)), file, "and it is found and written anew as one");
        // The control: the same text on a line of its own is a ticked checkbox.
        assert_eq!(status_in(hostile, &id(1)), TaskInFile::Found(TaskStatus::Resolved));
    }
}
