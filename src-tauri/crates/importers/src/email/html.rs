//! Splits an HTML page into lines of visible text, and notes which lines mail programs marked as quoted or as a signature.
//! Hidden text, scripts and pictures are dropped, and the target of a link follows its text. Deliberately not here: layout.

use super::plain::{LINES_MAX, Line};
use crate::html::{Piece, Tag, decoded, piece};

/// Maximum nesting of elements. Pages in emails reach about a hundred; the tags of deeper elements are ignored.
const DEPTH_MAX: usize = 256;

/// Maximum length of a link target that is kept. Longer ones only track who clicks.
const LINK_BYTES_MAX: usize = 200;

/// Elements without content.
const VOID: &[&str] = &["br", "img", "hr", "input", "meta", "link", "area", "base", "col", "embed", "source", "track", "wbr"];

/// Elements that begin and end a line.
const BLOCKS: &[&str] = &[
    "div", "p", "table", "tr", "ul", "ol", "li", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "section", "article",
    "header", "footer", "main", "nav", "body", "center", "address", "form", "dl", "dt", "dd", "fieldset", "figure",
];

/// Blocks with an empty line before and after them.
const SPACED: &[&str] = &["p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "ul", "ol"];

/// Elements that end where the next one of their kind begins.
const IMPLIED: &[&str] = &["p", "li", "td", "th", "tr", "dt", "dd"];

/// Elements whose content is not text.
const HIDDEN: &[&str] = &["head", "style", "script", "title", "template", "svg", "object", "noframes"];

/// Elements whose content contains no elements.
const RAW: &[&str] = &["style", "script", "title"];

/// Classes and ids that mail programs give to quotations.
const QUOTES: &[&str] = &["moz-cite-prefix", "yahoo_quoted", "protonmail_quote", "zmail_extra", "tutanota_quote"];

/// Classes and ids of signatures.
const SIGNATURES: &[&str] =
    &["gmail_signature", "moz-signature", "applemailsignature", "ms-outlook-mobile-signature", "protonmail_signature_block"];

/// Styles of invisible elements.
const INVISIBLE: &[&str] =
    &["display:none", "mso-hide:all", "visibility:hidden", "font-size:0;", "font-size:0px", "max-height:0", "opacity:0;"];

/// The lines of a page; `None` if there are too many.
pub(super) fn lines(page: &str) -> Option<Vec<Line>> {
    let mut walk = Walk::default();
    let mut rest = page;
    while let Some((piece, after)) = piece(rest) {
        rest = after;
        match piece {
            Piece::Text(text) => walk.text(text),
            Piece::Open(tag) => {
                walk.begin(&tag);
                if RAW.contains(&tag.name.as_str()) {
                    rest = after_raw(rest, &tag.name);
                }
            }
            Piece::Close(name) => walk.close(&name),
            Piece::Silent | Piece::Cut(_) => {}
        }
        if walk.lines.len() >= LINES_MAX {
            return None;
        }
    }
    walk.end_line();
    Some(walk.lines)
}

/// What follows the content of an element without child elements.
fn after_raw<'m>(markup: &'m str, name: &str) -> &'m str {
    let is_close = |at: usize| markup.get(at + 2..at + 2 + name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name));
    let end = markup.match_indices("</").map(|(at, _)| at).find(|at| is_close(*at)).unwrap_or(markup.len());
    markup.get(end..).unwrap_or_default()
}

/// An element that is open.
struct Open {
    name: String,
    is_quote: bool,
    is_hidden: bool,
    is_signature: bool,
    /// The target of a link, and where its text begins in the line.
    link: Option<(String, usize)>,
}

#[derive(Default)]
struct Walk {
    lines: Vec<Line>,
    open: Vec<Open>,
    line: String,
    quotes: usize,
    hidden: usize,
    signatures: usize,
    /// The number of open elements in which white space is part of the text.
    written: usize,
    /// Whether there was white space after the last word.
    has_space: bool,
    /// Whether an empty line comes before the next text.
    has_gap: bool,
}

impl Walk {
    fn text(&mut self, text: &str) {
        if self.hidden > 0 || text.is_empty() {
            return;
        }
        let is_written = self.written > 0;
        let text = decoded(text);
        for c in text.chars() {
            match c {
                '\n' if is_written => self.break_line(),
                '\r' if is_written => {}
                ' ' | '\n' | '\r' | '\t' if !is_written => self.has_space = true,
                c => {
                    if self.has_gap {
                        self.has_gap = false;
                        if let Some(last) = self.lines.last().filter(|line| !line.text.is_empty()) {
                            // The gap around a quotation is not part of it.
                            let depth = last.depth.min(self.quotes);
                            self.lines.push(Line { depth, ..Line::default() });
                        }
                    }
                    if self.has_space && !self.line.is_empty() && !self.line.ends_with(' ') {
                        self.line.push(' ');
                    }
                    self.has_space = false;
                    // HTML uses this character where plain text has spaces.
                    self.line.push(if c == '\u{a0}' { ' ' } else { c });
                }
            }
        }
    }

    fn begin(&mut self, tag: &Tag<'_>) {
        let name = tag.name.as_str();
        let attribute = |name: &str| tag.attribute(name).unwrap_or_default();
        if IMPLIED.contains(&name) && self.open.last().is_some_and(|open| open.name == name) {
            self.close(name);
        }
        match name {
            "br" => self.break_line(),
            "hr" => self.end_line(),
            "td" | "th" => self.has_space = true,
            _ if BLOCKS.contains(&name) => {
                self.end_line();
                self.has_gap |= SPACED.contains(&name);
            }
            _ => {}
        }
        if VOID.contains(&name) || self.open.len() >= DEPTH_MAX {
            return;
        }
        let style: String = attribute("style").to_ascii_lowercase().split_whitespace().collect();
        let marks = format!("{} {}", attribute("class"), attribute("id")).to_ascii_lowercase();
        let has_mark =
            |wanted: &[&str]| marks.split_whitespace().any(|mark| wanted.iter().any(|wanted| mark.starts_with(wanted)));
        let open = Open {
            name: name.to_owned(),
            is_quote: name == "blockquote" && !is_indentation(tag, &style, &marks) || has_mark(QUOTES),
            is_hidden: HIDDEN.contains(&name)
                || INVISIBLE.iter().any(|invisible| format!("{style};").contains(invisible))
                || tag.attribute("hidden").is_some(),
            is_signature: has_mark(SIGNATURES) || attribute("id") == "Signature",
            link: (name == "a").then(|| (decoded(attribute("href")), self.line.len())),
        };
        if open.is_quote || open.is_signature {
            self.end_line();
        }
        self.quotes += usize::from(open.is_quote);
        self.hidden += usize::from(open.is_hidden);
        self.signatures += usize::from(open.is_signature);
        self.written += usize::from(open.name == "pre");
        if name == "li" {
            self.text("- ");
            self.has_space = true;
        }
        self.open.push(open);
    }

    fn close(&mut self, name: &str) {
        let Some(at) = self.open.iter().rposition(|open| open.name == name) else {
            // Browsers read this as an empty paragraph.
            if name == "p" {
                self.end_line();
            }
            return;
        };
        for open in self.open.split_off(at).into_iter().rev() {
            if let Some((target, from)) = &open.link {
                self.end_link(target, *from);
            }
            if BLOCKS.contains(&open.name.as_str()) || open.is_quote || open.is_signature {
                self.end_line();
                self.has_gap |= SPACED.contains(&open.name.as_str());
            }
            self.quotes -= usize::from(open.is_quote);
            self.hidden -= usize::from(open.is_hidden);
            self.signatures -= usize::from(open.is_signature);
            self.written -= usize::from(open.name == "pre");
        }
    }

    /// Writes the target of a link after its text, unless they are the same.
    fn end_link(&mut self, target: &str, from: usize) {
        let text = self.line.get(from..).unwrap_or_default().trim();
        let bare = |address: &str| {
            let address = address.trim_start_matches("https://").trim_start_matches("http://").trim_start_matches("www.");
            address.trim_end_matches('/').to_lowercase()
        };
        // If the text of a link is a name, the address appears only in the link, so it is kept.
        let target = target.strip_prefix("mailto:").filter(|_| !text.contains('@')).unwrap_or(target);
        let is_kept = (target.starts_with("http") || target.contains('@') && !target.starts_with("mailto:"))
            && target.len() <= LINK_BYTES_MAX
            && bare(text) != bare(target);
        if is_kept && self.hidden == 0 && !text.is_empty() {
            self.line.push_str(" <");
            self.line.push_str(target);
            self.line.push('>');
        }
    }

    /// Ends the line if it has text.
    fn end_line(&mut self) {
        if !self.line.is_empty() {
            let text = std::mem::take(&mut self.line);
            self.push(text);
        }
        self.has_space = false;
    }

    /// Ends the line, even if it is empty.
    fn break_line(&mut self) {
        if self.hidden > 0 {
            return;
        }
        let text = std::mem::take(&mut self.line);
        self.push(text);
        self.has_space = false;
    }

    fn push(&mut self, text: String) {
        if self.lines.len() < LINES_MAX {
            self.lines.push(Line { depth: self.quotes, text, is_signature: self.signatures > 0 });
        }
    }
}

/// Whether a blockquote only indents its text.
fn is_indentation(tag: &Tag<'_>, style: &str, marks: &str) -> bool {
    let is_marked = tag.attribute("type") == Some("cite") || tag.attribute("cite").is_some() || marks.contains("quote");
    !is_marked && (style.contains("border:none") || style.contains("border:0") || style.contains("margin:00040px"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(page: &str) -> String {
        let lines = lines(page).unwrap_or_default();
        let lines = lines.iter().map(|line| {
            let signature = if line.is_signature { "~" } else { "" };
            format!("{signature}{}{}", ">".repeat(line.depth), line.text)
        });
        lines.collect::<Vec<_>>().join("|")
    }

    #[test]
    fn a_page_becomes_what_a_person_sees() {
        for (page, expect) in [
            ("<p>One\n two</p><p>three</p>", "One two||three"),
            ("<div>a</div><div><br></div><div>b<br>c</div>", "a||b|c"),
            ("a &amp; b &lt;c&gt; &#8212; &nope; & d", "a & b <c> — &nope; & d"),
            ("<head><title>t</title><style>p > a {}</style></head><body>x", "x"),
            ("<span style=\"display: none\">secret <b>x</b></span>y<div hidden>z</div>", "y"),
            ("<ul><li>one<li>two</ul>", "- one|- two"),
            ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</table>", "a b|c"),
            ("<pre>a\n  b</pre>", "a|  b"),
            (
                "see <a href=\"https://a.example/x\">this</a>, <a href='https://b.example/'>b.example</a>",
                "see this <https://a.example/x>, b.example",
            ),
            (
                "From: <a href=\"mailto:a@b.example\">Ana</a> <a href=\"mailto:c@d.example\">c@d.example</a>",
                "From: Ana <a@b.example> c@d.example",
            ),
            ("<img src=\"https://track.example/1.gif\" alt=\"pixel\">hi<!-- <p>no</p> -->", "hi"),
            ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
            ("a<script>if (1 < 2) {}</SCRIPT >b", "ab"),
        ] {
            assert_eq!(shown(page), expect, "{page}");
        }
    }

    #[test]
    fn what_programs_mark_is_a_quotation_or_a_signature() {
        for (page, expect) in [
            ("hi<blockquote type=\"cite\">a<blockquote>b</blockquote></blockquote>c", "hi||>a|>|>>b||c"),
            ("<blockquote style=\"margin:0 0 0 40px;border:none;padding:0px\">mine</blockquote>", "mine"),
            ("hi<div class=\"moz-cite-prefix\">On Monday, Ana wrote:<br></div>", "hi|>On Monday, Ana wrote:"),
            ("hi<br>-- <br><div class=\"gmail_signature\" data-x=\"y\">Ana<br>Chief</div>bye", "hi|--|~Ana|~Chief|bye"),
        ] {
            assert_eq!(shown(page), expect, "{page}");
        }
    }

    #[test]
    fn broken_pages_are_read_without_end() {
        for page in ["<", "<a", "<a href=\"x", "</", "<!--", "&", "&#xFFFFFFFF;", "<div ".repeat(1000).as_str(), "<p =\"'>x"] {
            let _ = lines(page);
        }
        let deep = "<div>".repeat(100_000) + "x";
        assert_eq!(shown(&deep), "x");
        assert!(lines(&"<br>".repeat(LINES_MAX + 1)).is_none());
    }
}
