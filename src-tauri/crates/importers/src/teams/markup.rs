//! The markup in messages of Teams and Skype: XML-like tags for quotations, files, mentions and edits, and HTML in newer
//! messages.
//!
//! Only meaningful content becomes text. Unknown tags are removed, but their content is kept.

use crate::html::{Piece, Tag, decoded, piece};

/// A message without its markup.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Content {
    /// What the person wrote.
    pub(super) text: String,
    /// The message that they answer or forward.
    pub(super) quote: Option<Quote>,
    /// Names of files and pictures.
    pub(super) files: Vec<String>,
    /// When it was edited, in milliseconds since 1970.
    pub(super) edited: Option<String>,
    /// The question of a poll, or the title of a card.
    pub(super) title: Option<String>,
}

/// Another person's words within a message.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Quote {
    pub(super) from: String,
    pub(super) text: String,
    /// The id of the quoted message.
    pub(super) message: Option<String>,
    /// True if the message was forwarded, not answered.
    pub(super) is_forward: bool,
}

/// Tags that begin a line.
const BLOCKS: &[&str] =
    &["p", "div", "li", "ul", "ol", "tr", "table", "pre", "blockquote", "codeblock", "h1", "h2", "h3", "h4", "h5", "h6", "hr"];

/// The value of an attribute, if it has one.
fn attribute(tag: &Tag<'_>, name: &str) -> Option<String> {
    tag.attribute(name).map(unescaped).filter(|value| !value.is_empty())
}

/// True if the element has this type in Microsoft's schema.
fn is_item(tag: &Tag<'_>, kind: &str) -> bool {
    tag.attribute("itemtype").is_some_and(|item| item.ends_with(kind))
}

/// Text with its entities resolved. The programs write `&nbsp;` for consecutive spaces.
pub(super) fn unescaped(text: &str) -> String {
    decoded(&text.replace("&nbsp;", " "))
}

/// Reads `markup`. In HTML, line breaks and runs of spaces have no meaning.
pub(super) fn read(markup: &str, is_html: bool) -> Content {
    let mut reader = Reader { is_html, ..Reader::default() };
    let mut rest = markup;
    while let Some((piece, after)) = piece(rest) {
        match piece {
            Piece::Text(text) | Piece::Cut(text) => reader.text(&unescaped(text)),
            Piece::Silent => {}
            Piece::Open(tag) => reader.open(&tag),
            Piece::Close(name) => reader.close(&name),
        }
        rest = after;
    }
    let mut content = reader.content;
    content.text = content.text.trim_matches(['\n', ' ']).to_owned();
    if let Some(quote) = &mut content.quote {
        quote.text = quote.text.trim().to_owned();
        quote.from = quote.from.trim().to_owned();
    }
    content
}

#[derive(Default)]
struct Reader {
    content: Content,
    is_html: bool,
    is_preformatted: bool,
    /// The tag of the open quotation, and its nesting depth.
    quote: Option<(String, usize)>,
    /// The number of open tags whose text is ignored because it is given elsewhere.
    silent: usize,
    /// True while the name of the quoted person is being read.
    is_name: bool,
}

impl Reader {
    fn target(&mut self) -> Option<&mut String> {
        if self.silent > 0 {
            return None;
        }
        match (&self.quote, &mut self.content.quote) {
            (Some(_), Some(quote)) => Some(if self.is_name { &mut quote.from } else { &mut quote.text }),
            _ => Some(&mut self.content.text),
        }
    }

    fn text(&mut self, text: &str) {
        let is_loose = self.is_html && !self.is_preformatted;
        let Some(target) = self.target() else { return };
        if !is_loose {
            target.push_str(text);
            return;
        }
        for c in text.chars() {
            if !c.is_whitespace() {
                target.push(c);
            } else if !target.is_empty() && !target.ends_with([' ', '\n']) {
                target.push(' ');
            }
        }
    }

    fn line(&mut self) {
        if let Some(target) = self.target() {
            target.truncate(target.trim_end_matches(' ').len());
            if !target.is_empty() && !target.ends_with('\n') {
                target.push('\n');
            }
        }
    }

    fn open(&mut self, tag: &Tag<'_>) {
        if let Some((name, depth)) = &mut self.quote
            && *name == tag.name
        {
            *depth += 1;
        }
        match tag.name.as_str() {
            "quote" | "blockquote" if self.content.quote.is_none() => {
                let is_quote = tag.name == "quote" || is_item(tag, "/Reply") || is_item(tag, "/Forward");
                if is_quote {
                    self.quote = Some((tag.name.clone(), 1));
                    self.content.quote = Some(Quote {
                        from: attribute(tag, "authorname").unwrap_or_default(),
                        text: String::new(),
                        message: attribute(tag, "messageid").or_else(|| attribute(tag, "itemid")),
                        is_forward: is_item(tag, "/Forward"),
                    });
                }
            }
            "strong" if self.quote.is_some() && attribute(tag, "itemprop").as_deref() == Some("mri") => self.is_name = true,
            "legacyquote" | "title" | "description" => self.silent += 1,
            "uriobject" => {
                self.content.title = attribute(tag, "title");
                self.silent += 1;
            }
            "originalname" => {
                self.content.files.retain(|name| Some(name) != attribute(tag, "v").as_ref());
                self.content.files.extend(attribute(tag, "v"));
            }
            "e_m" => self.content.edited = attribute(tag, "ts_ms"),
            "br" => {
                if let Some(target) = self.target() {
                    target.push('\n');
                }
            }
            "img" if is_item(tag, "/Emoji") => self.text(&attribute(tag, "alt").unwrap_or_default()),
            "emoji" => self.text(&attribute(tag, "alt").unwrap_or_default()),
            "img" => self.content.files.push(attribute(tag, "alt").unwrap_or_else(|| "image".to_owned())),
            "td" => self.text(" "),
            "pre" | "codeblock" => {
                self.line();
                self.is_preformatted = true;
            }
            "li" => {
                self.line();
                self.text("- ");
            }
            name if BLOCKS.contains(&name) => self.line(),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "strong" => self.is_name = false,
            "legacyquote" | "title" | "description" | "uriobject" => self.silent = self.silent.saturating_sub(1),
            "pre" | "codeblock" => self.is_preformatted = false,
            _ => {}
        }
        if BLOCKS.contains(&name) {
            self.line();
        }
        if let Some((open, depth)) = &mut self.quote
            && *open == name
        {
            *depth -= 1;
            if *depth == 0 {
                self.quote = None;
            }
        }
    }
}

/// The text of the first element with this name.
pub(super) fn element<'m>(markup: &'m str, name: &str) -> Option<&'m str> {
    elements(markup, name).next()
}

/// The text of each element with this name.
pub(super) fn elements<'m>(markup: &'m str, name: &str) -> impl Iterator<Item = &'m str> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let mut rest = markup;
    std::iter::from_fn(move || {
        let (_, after) = rest.split_once(&open)?;
        let (text, after) = after.split_once(&close)?;
        rest = after;
        Some(text)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn markup_becomes_the_text_that_is_shown() {
        for (markup, is_html, text) in [
            ("a &lt; b &amp;amp; &#39;c&#x27; &nbsp;d &unknown; &", false, "a < b &amp; 'c'  d &unknown; &"),
            ("one\ntwo <b raw_pre=\"*\">bold</b> 1 < 2 <3 >", false, "one\ntwo bold 1 < 2 <3 >"),
            ("<p>one\n  two</p>\n<p>&nbsp;</p><div>three<br>four</div>", true, "one two\nthree\nfour"),
            ("<ul><li>a</li><li>b</li></ul>c", true, "- a\n- b\nc"),
            ("<pre>  a\n b</pre>", true, "a\n b"),
            ("Hi <at id=\"8:ana\">Ana Lima</at> <ss type=\"smile\">:)</ss>", false, "Hi Ana Lima :)"),
            ("<img itemtype=\"http://schema.skype.com/Emoji\" alt=\"🐝\"> <emoji id=\"x\" alt=\"🍯\"></emoji>", true, "🐝 🍯"),
            ("Edited<e_m a=\"x\" ts_ms=\"1\" ts=\"2\" t=\"61\"></e_m>", false, "Edited"),
            ("<a href=\"https://x.example\">here</a>", true, "here"),
            ("<", false, "<"),
            ("", true, ""),
        ] {
            assert_eq!(read(markup, is_html).text, text, "{markup}");
        }
        assert_eq!(read("x<e_m ts_ms='17'></e_m>", false).edited.as_deref(), Some("17"));
        let file = read(
            "<URIObject type=\"File.1\"><Title>Title: a</Title>to view<OriginalName v=\"a &amp; b.pdf\"/></URIObject>",
            false,
        );
        assert_eq!((file.files, file.text.as_str()), (vec!["a & b.pdf".to_owned()], ""));
    }

    #[test]
    fn a_quotation_is_not_part_of_the_answer() {
        let skype = "<quote author=\"ana\" authorname=\"Ana &amp; Co\" timestamp=\"1\" messageid=\"17\"><legacyquote>[1] Ana: </legacyquote>old \
                     words<legacyquote>\n\n&lt;&lt;&lt; </legacyquote></quote>new ones";
        let teams = "<blockquote itemscope itemtype=\"http://schema.skype.com/Reply\" itemid=\"17\"><strong itemprop=\"mri\" \
                     itemid=\"8:ana\">Ana &amp; Co</strong><span itemprop=\"time\"></span><p itemprop=\"preview\">old \
                     words</p></blockquote><p>new ones</p>";
        for (markup, is_html) in [(skype, false), (teams, true)] {
            let content = read(markup, is_html);
            let quote =
                Quote { from: "Ana & Co".into(), text: "old words".into(), message: Some("17".into()), is_forward: false };
            assert_eq!((content.text.as_str(), content.quote), ("new ones", Some(quote)), "{markup}");
        }
        let own = read("<blockquote>mine</blockquote>too", true);
        assert_eq!((own.text.as_str(), own.quote), ("mine\ntoo", None));
    }

    proptest! {
        #[test]
        fn any_markup_is_read(markup in "[<>/=\"'a-c &;!\\n]{0,80}", is_html: bool) {
            let _ = read(&markup, is_html);
        }
    }
}
