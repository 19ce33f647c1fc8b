//! The block of instructions in a client's Markdown file: a few lines between two markers, which Keepsake writes, updates and
//! removes. Everything outside the markers belongs to the person.

use super::error::Fault;
use super::text::{append_lines, cut_lines, newline, next_line};

const BEGIN: &str = "<!-- keepsake:begin -->";
const END: &str = "<!-- keepsake:end -->";

/// The instructions for the agent. They are short, because they take up space in every conversation. They contain no `@`,
/// because several clients would interpret the text after it as the name of a file to include.
const TEXT: &str = "\
## Keepsake, the person's own memory

The MCP server `keepsake` holds what is lastingly true about this person, from all of their conversations.

- When a task starts, call its tool `context` once with the task in a few words, and use what fits. Do not recite it.
- When the person states something lasting (a fact about themselves, a preference, a decision, a correction), call its tool \
`remember` with one sentence, close to their own words. Do not store what you concluded yourself, and no passwords or keys.
- If the server is not there, go on without it, and do not guess what it would have said.

Keepsake writes this block; changes inside it are lost.";

/// The complete block, with its markers.
fn block() -> String {
    format!("{BEGIN}\n{TEXT}\n{END}")
}

/// Appends the block, or updates an existing one in place. A blank file gets the preamble first.
pub(super) fn insert(text: &str, preamble: &str) -> Result<String, Fault> {
    match find(text)? {
        Some(found) => {
            let end_of_text = text[..found.end].trim_end_matches(['\r', '\n']).len();
            let block = block().replace('\n', newline(text));
            Ok(format!("{}{block}{}", &text[..found.start], &text[end_of_text..]))
        }
        None if text.trim().is_empty() && !preamble.is_empty() => Ok(append_lines(preamble, &block(), true)),
        None => Ok(append_lines(text, &block(), true)),
    }
}

/// Removes the block.
pub(super) fn remove(text: &str) -> Result<String, Fault> {
    Ok(find(text)?.map_or_else(|| text.to_owned(), |found| cut_lines(text, found, true)))
}

/// Whether the text is blank or only the preamble, so that nothing in it belongs to the person.
pub(super) fn is_blank(text: &str, preamble: &str) -> bool {
    text.trim().is_empty() || text.trim() == preamble.trim()
}

/// Byte range of the lines from the opening marker to the closing marker, including both.
fn find(text: &str) -> Result<Option<std::ops::Range<usize>>, Fault> {
    let mut begins = Vec::new();
    let mut ends = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let next = next_line(text, at);
        match text[at..next].trim() {
            BEGIN => begins.push(at),
            END => ends.push(next),
            _ => {}
        }
        at = next;
    }
    match (begins.as_slice(), ends.as_slice()) {
        ([], []) => Ok(None),
        ([begin], [end]) if begin < end => Ok(Some(*begin..*end)),
        _ => Err(Fault::unexpected(format!("the lines '{BEGIN}' and '{END}' do not come as one pair"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_comes_and_goes_to_the_byte() {
        let check = |before: &str| {
            let after = insert(before, "").unwrap();
            assert!(after.starts_with(before) && after.contains(BEGIN), "{after}");
            assert_eq!(insert(&after, "").unwrap(), after, "a second time changes nothing");
            assert_eq!(remove(&after).unwrap(), before, "undone");
        };
        check("");
        check("# Mine\n");
        check("# Mine\n\n- one\n\n\n");
        check("# Mine, without a newline");
        check("# Mine\r\n\r\ntext\r\n");
    }

    #[test]
    fn a_block_is_kept_in_step_where_it_stands() {
        let check = |before: &str, after: &str, newline: &str| {
            let text = format!("{before}{BEGIN}{newline}old{newline}{END}{after}");
            let expect = format!("{before}{}{after}", block().replace('\n', newline));
            assert_eq!(insert(&text, "").unwrap(), expect);
            assert_eq!(insert(&expect, "").unwrap(), expect);
        };
        check("a\n", "\nb\n", "\n");
        check("", "", "\n");
        check("a\r\n\r\n", "\r\n\r\n\r\nb", "\r\n");
    }

    #[test]
    fn a_file_that_needs_a_preamble_gets_it_once() {
        let preamble = "---\napplyTo: \"**\"\n---\n";
        let after = insert("", preamble).unwrap();
        assert_eq!(after, format!("{preamble}\n{}\n", block()));
        assert_eq!(insert(&after, preamble).unwrap(), after);
        assert!(is_blank(&remove(&after).unwrap(), preamble));
        assert!(!is_blank("own", preamble), "control");
    }

    #[test]
    fn markers_that_are_no_pair_are_refused() {
        let check = |text: &str| assert!(insert(text, "").is_err() && remove(text).is_err(), "{text}");
        check(&format!("{BEGIN}\n"));
        check(&format!("{END}\n{BEGIN}\n"));
        check(&format!("{0}\n{0}\n", block()));
        assert!(insert(&format!("text with {BEGIN} in a line\n"), "").is_ok(), "control");
    }
}
