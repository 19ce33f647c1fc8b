//! The Markdown pages that `mempalace export` writes: one for each room, and an index of them.
//!
//! Each drawer has a heading with its id, its text as a quotation, and a table of its source, time and writer. Deliberately not
//! here: formatting in the text, which is kept as written.

use std::io::BufRead;

use keepsake_domain::Metadata;

use super::{Drawer, Room};
use crate::SkipReason;
use crate::format::{Head, Site};
use crate::halt::Halt;
use crate::limits::ELEMENT_BYTES_MAX;
use crate::lines::{Line, Lines};
use crate::out::Out;

/// The head of the table below each drawer.
const TABLE: &str = "| Field | Value |";

/// The heading of the index.
const INDEX: &str = "# Palace Export";

/// The table's value for anything unknown.
const UNKNOWN: &str = "unknown";

/// Whether a file is such a page.
pub(super) fn claims(head: &Head<'_>) -> bool {
    let text = head.text();
    let mut lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
    let Some(first) = lines.next() else { return false };
    if first.starts_with(INDEX) {
        return lines.next().is_some_and(|line| line.starts_with("| Wing | Rooms |"));
    }
    let is_room = first.strip_prefix("# ").is_some_and(|title| title.contains(" / "));
    let opens = |line: Option<&str>, mark: &str| line.is_some_and(|line| line.starts_with(mark));
    is_room && opens(lines.next(), "## ") && opens(lines.next(), ">") && (text.contains(TABLE) && text.contains("| Filed |"))
}

/// Reads a page.
pub(super) fn read(input: &mut dyn BufRead, _: &Site<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut lines = Lines::new(input, ELEMENT_BYTES_MAX);
    let mut room = Room::default();
    let mut place: Option<(String, String)> = None;
    let mut open: Option<Drawer> = None;
    let mut is_complete = false;
    loop {
        let line = match lines.next()? {
            None => break,
            Some(Line::TooLarge(head)) => {
                out.skip_bytes(SkipReason::TooLarge, head);
                continue;
            }
            Some(Line::Whole(bytes)) => String::from_utf8_lossy(bytes).into_owned(),
        };
        let title = line.strip_prefix("# ").filter(|_| place.is_none()).and_then(|title| title.split_once(" / "));
        if let Some((wing, room)) = title {
            place = Some((wing.trim().to_owned(), room.trim().to_owned()));
        } else if line.starts_with(INDEX) {
            out.skip(SkipReason::NotAMessage, &line);
            return Ok(());
        } else if let Some(id) = line.strip_prefix("## ") {
            finish(&mut open, &mut is_complete, &mut room, out)?;
            let mut metadata = Metadata::new();
            if let Some((wing, room)) = &place {
                metadata.insert("wing".to_owned(), wing.as_str().into());
                metadata.insert("room".to_owned(), room.as_str().into());
            }
            open = Some(Drawer { id: Some(id.trim().to_owned()), text: None, metadata });
        } else if let (Some(drawer), Some(quoted)) = (&mut open, line.strip_prefix('>').filter(|_| !is_complete)) {
            let quoted = quoted.strip_prefix(' ').unwrap_or(quoted);
            match &mut drawer.text {
                Some(text) => {
                    text.push('\n');
                    text.push_str(quoted);
                }
                None => drawer.text = Some(quoted.to_owned()),
            }
        } else if let Some(drawer) = &mut open {
            is_complete |= line.trim_end() == TABLE;
            for (shown, name) in [("| Source |", "source_file"), ("| Filed |", "filed_at"), ("| Added by |", "added_by")] {
                let value = line.strip_prefix(shown).map(|value| value.trim().trim_end_matches('|').trim());
                if let Some(value) = value.filter(|value| !value.is_empty() && *value != UNKNOWN) {
                    drawer.metadata.insert(name.to_owned(), value.into());
                }
            }
        }
        out.progress(lines.bytes_done())?;
    }
    finish(&mut open, &mut is_complete, &mut room, out)?;
    Ok(room.groups.flush(out)?)
}

/// Emits a drawer. If its table is missing, the page was cut off within the drawer.
fn finish(open: &mut Option<Drawer>, is_complete: &mut bool, room: &mut Room, out: &mut Out<'_>) -> Result<(), Halt> {
    let is_complete = std::mem::take(is_complete);
    match open.take() {
        None => Ok(()),
        Some(drawer) if is_complete => room.take(drawer, out),
        Some(drawer) => {
            out.skip(SkipReason::Malformed, drawer.id.as_deref().unwrap_or_default());
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_a_palace_is_told_from_other_notes() {
        let drawer = "## drawer_1\n\n> Bees.\n\n| Field | Value |\n|-------|-------|\n| Source | a |\n| Filed | b |\n";
        for (text, expect) in [
            (format!("# home / garden\n\n{drawer}"), true),
            ("# Palace Export — 2026-01-05\n\n| Wing | Rooms | Drawers |\n".to_owned(), true),
            (format!("# home\n\n{drawer}"), false),
            ("# home / garden\n\n## Plan\n\n> A quotation.\n\n| Field | Value |\n".to_owned(), false),
            ("# home / garden\n\nText\n".to_owned(), false),
        ] {
            assert_eq!(claims(&Head::of(text.as_bytes())), expect, "{text:?}");
        }
    }
}
