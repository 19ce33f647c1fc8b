//! Reads HTML and similar markup piece by piece: text, tags with their attributes, and entities.
//!
//! Each importer decides what a page shows: mail has quotations and signatures (`email/html.rs`), and chats have mentions and
//! files (`teams/markup.rs`). Deliberately not here: a tree of elements, because broken markup does not form one.

use mail_parser::decoders::html::add_html_token;

/// Longest entity, such as `&CounterClockwiseContourIntegral;`.
const ENTITY_BYTES_MAX: usize = 40;

/// A piece of markup.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece<'m> {
    /// Text with unresolved entities.
    Text(&'m str),
    /// An opening tag.
    Open(Tag<'m>),
    /// A closing tag, by its name in lower case.
    Close(String),
    /// A comment or a declaration.
    Silent,
    /// A tag that never ends, and everything after it.
    Cut(&'m str),
}

/// An opening tag.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Tag<'m> {
    /// Its name in lower case.
    pub(crate) name: String,
    attributes: &'m str,
}

impl<'m> Tag<'m> {
    /// The value of an attribute, with its entities left unresolved; empty if there is no value.
    pub(crate) fn attribute(&self, name: &str) -> Option<&'m str> {
        fields(self.attributes).find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

/// The first piece of `markup` and the rest; `None` at the end. A `<` that does not begin a tag is text.
pub(crate) fn piece(markup: &str) -> Option<(Piece<'_>, &str)> {
    if let Some(comment) = markup.strip_prefix("<!--") {
        return Some((Piece::Silent, comment.split_once("-->").map_or("", |(_, after)| after)));
    }
    let tag = markup.strip_prefix('<').filter(|tag| tag.starts_with(|c: char| c.is_ascii_alphabetic() || "/!?".contains(c)));
    let Some(tag) = tag else {
        let first = markup.chars().next()?.len_utf8();
        let end = markup.get(first..)?.find('<').map_or(markup.len(), |at| first + at);
        let (text, rest) = markup.split_at_checked(end)?;
        return Some((Piece::Text(text), rest));
    };
    let Some(end) = tag_end(tag) else { return Some((Piece::Cut(markup), "")) };
    let (tag, rest) = (tag.get(..end)?, tag.get(end + 1..)?);
    if let Some(name) = tag.strip_prefix('/') {
        return Some((Piece::Close(name.trim().to_ascii_lowercase()), rest));
    }
    if tag.starts_with(['!', '?']) {
        return Some((Piece::Silent, rest));
    }
    let name_end = tag.find(|c: char| c.is_whitespace() || c == '/').unwrap_or(tag.len());
    let (name, attributes) = tag.split_at_checked(name_end)?;
    Some((Piece::Open(Tag { name: name.to_ascii_lowercase(), attributes }), rest))
}

/// The end of a tag: the next `>` outside attribute values.
fn tag_end(tag: &str) -> Option<usize> {
    let mut quote = None;
    for (at, b) in tag.bytes().enumerate() {
        match (quote, b) {
            (None, b'>') => return Some(at),
            (None, b'"' | b'\'') => quote = Some(b),
            (Some(mark), b) if mark == b => quote = None,
            _ => {}
        }
    }
    // A quotation mark is never closed, so the first closing angle bracket ends the tag.
    tag.find('>')
}

/// The attributes of a tag.
fn fields(attributes: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = attributes;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '/');
        if rest.is_empty() {
            return None;
        }
        let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '=' | '/')).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let Some(value) = after.trim_start().strip_prefix('=') else {
            rest = after;
            return Some((name, ""));
        };
        let value = value.trim_start();
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
        let (value, after) = match quote {
            Some(quote) => {
                let value = value.get(1..).unwrap_or_default();
                value.split_once(quote).unwrap_or((value, ""))
            }
            None => value.split_at(value.find(char::is_whitespace).unwrap_or(value.len())),
        };
        rest = after;
        Some((name, value))
    })
}

/// Text with its entities resolved. Everything else stays as it is.
pub(crate) fn decoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        let (before, entity) = rest.split_at(at);
        out.push_str(before);
        let is_name = |b: u8| b.is_ascii_alphanumeric() || b == b'#';
        let end = entity.bytes().skip(1).take(ENTITY_BYTES_MAX).position(|b| !is_name(b)).map(|end| end + 1);
        match end.filter(|end| entity.as_bytes().get(*end) == Some(&b';')).and_then(|end| entity.split_at_checked(end + 1)) {
            Some((entity, after)) => {
                add_html_token(&mut out, entity.as_bytes(), false);
                rest = after;
            }
            None => {
                out.push('&');
                rest = entity.get(1..).unwrap_or_default();
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_entities_are_resolved() {
        for (text, expect) in [
            ("a &lt; b &amp;amp; &#39;c&#x27; &quot;&apos;", "a < b &amp; 'c' \"'"),
            ("salt & pepper &lt;3; &nope; &", "salt & pepper <3; &nope; &"),
            ("&#xFFFFFFFF; &;", "\u{fffd} &;"),
        ] {
            assert_eq!(decoded(text), expect);
        }
    }

    #[test]
    fn the_end_of_a_tag_is_in_no_attribute() {
        let (piece, rest) = piece("<A title='1 > 0' HREF=\"x\" hidden/>b").unwrap();
        let Piece::Open(tag) = piece else { panic!("{piece:?}") };
        assert_eq!((tag.name.as_str(), tag.attribute("href"), tag.attribute("title")), ("a", Some("x"), Some("1 > 0")));
        assert_eq!((tag.attribute("hidden"), tag.attribute("id"), rest), (Some(""), None, "b"));
    }
}
