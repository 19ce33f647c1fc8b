//! Lines of plain text, with their quotation depth, and with soft line breaks joined (RFC 3676).

/// Maximum number of lines of an email's text. A line takes about forty bytes in addition to its text.
pub(super) const LINES_MAX: usize = 200_000;

/// A line of an email's text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Line {
    /// The depth of quotation.
    pub(super) depth: usize,
    /// Its text, without the marks of quotation.
    pub(super) text: String,
    /// Whether the program marked it as a signature.
    pub(super) is_signature: bool,
}

/// How the plain text was written.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Flow {
    /// Whether a line that ends with a space continues in the next one (`format=flowed`).
    pub(super) is_flowed: bool,
    /// Whether that space is not part of the text (`delsp=yes`).
    pub(super) drops_space: bool,
}

/// The line before a signature.
const SIGNATURE: &str = "-- ";

/// The lines of plain text; `None` if there are too many.
pub(super) fn lines(text: &str, flow: Flow) -> Option<Vec<Line>> {
    let mut lines: Vec<Line> = Vec::new();
    let mut goes_on = false;
    for written in text.split('\n') {
        let written = written.strip_suffix('\r').unwrap_or(written);
        let (depth, rest) = unquoted(written);
        let rest = if flow.is_flowed { rest.strip_prefix(' ').unwrap_or(rest) } else { rest };
        let continues = flow.is_flowed && rest.ends_with(' ') && rest != SIGNATURE;
        let kept = if continues && flow.drops_space { rest.strip_suffix(' ').unwrap_or(rest) } else { rest };
        let is_full = lines.len() == LINES_MAX;
        match lines.last_mut().filter(|last| goes_on && last.depth == depth && rest != SIGNATURE) {
            Some(last) => last.text.push_str(kept),
            None if is_full => return None,
            None => lines.push(Line { depth, text: kept.to_owned(), is_signature: false }),
        }
        goes_on = continues;
    }
    Some(lines)
}

/// The quotation depth of a line, and its text.
fn unquoted(line: &str) -> (usize, &str) {
    let mut depth = 0;
    let mut rest = line;
    // There may be a space between two marks: "> > text".
    while let Some(after) = rest.strip_prefix('>').or_else(|| if depth > 0 { rest.strip_prefix(" >") } else { None }) {
        depth += 1;
        rest = after;
    }
    // The space after the marks belongs to them.
    (depth, if depth > 0 { rest.strip_prefix(' ').unwrap_or(rest) } else { rest })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, flow: Flow) -> Vec<(usize, String)> {
        lines(text, flow).unwrap_or_default().into_iter().map(|line| (line.depth, line.text)).collect()
    }

    #[test]
    fn quotation_is_counted() {
        let expect = [(0, "a"), (1, "b"), (2, "c"), (2, "d"), (1, ""), (0, " >e")].map(|(depth, text)| (depth, text.to_owned()));
        assert_eq!(shown("a\n> b\n>> c\r\n> > d\n>\n >e", Flow::default()), expect);
    }

    #[test]
    fn soft_breaks_are_joined() {
        let flowed = Flow { is_flowed: true, drops_space: false };
        let expect = [(0, "One two"), (1, "three four"), (0, "-- "), (0, "Ana")].map(|(depth, text)| (depth, text.to_owned()));
        assert_eq!(shown("One \ntwo\n> three \n> four\n-- \nAna", flowed), expect);
        let expect = [(0, "漢字"), (0, ">x")].map(|(depth, text)| (depth, text.to_owned()));
        assert_eq!(shown("漢 \n字\n >x", Flow { is_flowed: true, drops_space: true }), expect);
        assert_eq!(shown("One \ntwo", Flow::default()).len(), 2, "only where the mail says so");
    }

    #[test]
    fn too_many_lines_are_refused() {
        assert!(lines(&"\n".repeat(LINES_MAX), Flow::default()).is_none());
    }
}
