//! Reads the properties at the top of a Markdown note: the lines between two lines of `---`.
//!
//! The properties are YAML, but programs that write notes use only a small subset of it: keys whose values are text, lists or
//! blocks of text. That subset is parsed; anything else is kept as its original text. Deliberately not here: what a property
//! means.

use keepsake_domain::Metadata;
use serde_json::Value;

use crate::limits::METADATA_BYTES_MAX;

/// The line above and below the properties.
const FENCE: &str = "---";

/// Maximum number of properties that are kept. Real notes have fewer than fifty.
const PROPERTIES_MAX: usize = 200;

/// A note, split into its properties and its text.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Note<'t> {
    /// The properties, by their names as written.
    pub(crate) properties: Metadata,
    /// The text below the properties.
    pub(crate) body: &'t str,
    /// True if the properties begin but do not end, because the note was cut off.
    pub(crate) is_cut_off: bool,
}

/// Splits a note into its properties and its text.
pub(crate) fn split(text: &str) -> Note<'_> {
    let whole = Note { body: text, ..Note::default() };
    let Some(inner) = after_fence(text) else { return whole };
    let mut at = 0;
    for line in inner.split_inclusive('\n') {
        let end = at + line.len();
        if line.trim_end() == FENCE {
            let (above, below) = (inner.get(..at).unwrap_or_default(), inner.get(end..).unwrap_or_default());
            if above.len() > METADATA_BYTES_MAX {
                return whole;
            }
            return Note { properties: parse(above), body: below, is_cut_off: false };
        }
        at = end;
    }
    // A horizontal rule at the top of a note looks the same, but is followed by a blank line or a sentence instead of a
    // property.
    let first = inner.lines().next().unwrap_or_default();
    let is_property = property(first).is_some() || !inner.contains('\n');
    Note { is_cut_off: is_property && !first.trim().is_empty(), ..whole }
}

/// The text of a property; for a list, the text of its first item.
pub(crate) fn text<'p>(properties: &'p Metadata, name: &str) -> Option<&'p str> {
    match properties.get(name)? {
        Value::String(text) => Some(text.as_str()).filter(|text| !text.is_empty()),
        Value::Array(items) => items.first()?.as_str(),
        _ => None,
    }
}

/// The items of a property. A text value is split at commas.
pub(crate) fn items(properties: &Metadata, name: &str) -> Vec<String> {
    let texts: Vec<&str> = match properties.get(name) {
        Some(Value::String(text)) => text.split(',').collect(),
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    texts.into_iter().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned).collect()
}

fn after_fence(text: &str) -> Option<&str> {
    let (first, rest) = text.split_once('\n')?;
    (first.trim_end() == FENCE).then_some(rest)
}

/// The name and raw value of an unindented line; `None` if it is not a property.
fn property(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(':')?;
    let is_name = !name.is_empty() && !name.starts_with([' ', '\t', '#', '-', '[', '{']);
    (is_name && (value.is_empty() || value.starts_with([' ', '\t', '\r']))).then(|| (unquoted(name.trim()).0, value.trim()))
}

fn parse(above: &str) -> Metadata {
    let mut found = Metadata::new();
    let mut lines = above.lines().peekable();
    while let Some(line) = lines.next() {
        let Some((name, value)) = property(line) else { continue };
        // The property includes the lines that are indented or are items of its list.
        let mut block: Vec<&str> = Vec::new();
        while let Some(more) = lines.next_if(|more| more.starts_with([' ', '\t']) || more.starts_with("- ") || more.trim() == "-")
        {
            block.push(more);
        }
        if found.len() < PROPERTIES_MAX {
            found.insert(name.to_owned(), value_of(value, &block));
        }
    }
    found
}

fn value_of(value: &str, block: &[&str]) -> Value {
    let (plain, is_quoted) = unquoted(value);
    if is_quoted {
        return unescaped(value, plain).into();
    }
    if block.is_empty() {
        return scalar(value);
    }
    if value.starts_with(['|', '>']) {
        let joint = if value.starts_with('|') { "\n" } else { " " };
        return block.iter().map(|line| line.trim()).collect::<Vec<_>>().join(joint).into();
    }
    let is_item = |line: &&str| line.trim_start().starts_with("- ") || line.trim() == "-";
    if value.is_empty() && block.iter().all(is_item) {
        let items = block.iter().map(|line| scalar(line.trim_start().trim_start_matches('-').trim()));
        return Value::Array(items.filter(|item| !item.is_null()).collect());
    }
    // Nested objects are kept as written.
    let mut written = value.to_owned();
    for line in block {
        written.push('\n');
        written.push_str(line);
    }
    written.trim().into()
}

/// A single-line value: text, a list in brackets, or a keyword.
fn scalar(value: &str) -> Value {
    let (plain, is_quoted) = unquoted(value);
    if is_quoted {
        return unescaped(value, plain).into();
    }
    if let Some(inner) = value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'))
        && !inner.starts_with('[')
    {
        return Value::Array(listed(inner).into_iter().map(|item| unescaped(item, unquoted(item).0).into()).collect());
    }
    match value.split(" #").next().unwrap_or(value).trim() {
        "" | "null" | "~" => Value::Null,
        "true" => true.into(),
        "false" => false.into(),
        text => text.into(),
    }
}

/// The items of a list in brackets. Commas in quotation marks do not separate items.
fn listed(inner: &str) -> Vec<&str> {
    let mut items = Vec::new();
    let (mut from, mut quote) = (0, None);
    for (at, c) in inner.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, ',') => {
                items.push(inner.get(from..at).unwrap_or_default().trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    items.push(inner.get(from..).unwrap_or_default().trim());
    items.retain(|item| !item.is_empty());
    items
}

/// The text within quotation marks, and whether there were any.
fn unquoted(text: &str) -> (&str, bool) {
    let within = |mark: char| text.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
    match within('"').or_else(|| within('\'')) {
        Some(inner) => (inner, true),
        None => (text, false),
    }
}

/// `inner` with the escapes that its quotation marks allow.
fn unescaped(quoted: &str, inner: &str) -> String {
    if quoted == inner {
        inner.to_owned()
    } else if quoted.starts_with('"') {
        serde_json::from_str(quoted).unwrap_or_else(|_| inner.to_owned())
    } else {
        inner.replace("''", "'")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn properties_are_read_in_the_forms_that_notes_use() {
        let text = "---\ntitle: \"A \\\"quoted\\\" day: 1\"\ntags: [bees, 'work, home', #x, \"a \\\"b\\\"\"]\naliases:\n  - One\n  - 'It''s two'\n\
                    empty:\nlinks:\n- \"[[Ana]]\"\nup: [[Home]]\nabout: |\n  first\n  second\nnested:\n  a: 1\n  b: 2\n\
                    published: false # not yet\n# comment\nurl: https://example.org/a:b\n---\nBody\n---\n";
        let note = split(text);
        let expect = json!({
            "title": "A \"quoted\" day: 1", "tags": ["bees", "work, home", "#x", "a \"b\""], "aliases": ["One", "It's two"], "empty": null,
            "links": ["[[Ana]]"], "up": "[[Home]]", "about": "first\nsecond", "nested": "a: 1\n  b: 2", "published": false,
            "url": "https://example.org/a:b",
        });
        assert_eq!(Value::Object(note.properties.clone()), expect);
        assert_eq!((note.body, note.is_cut_off), ("Body\n---\n", false));
        assert_eq!(items(&note.properties, "tags"), ["bees", "work, home", "#x", "a \"b\""]);
        assert_eq!(super::text(&note.properties, "aliases"), Some("One"));
    }

    #[test]
    fn a_rule_at_the_top_is_no_beginning_of_properties() {
        for (text, is_cut_off) in [
            ("---\n\nA sentence below a rule.\n", false),
            ("---\nA sentence below a rule.\nAnother one.\n", false),
            ("---\ntitle: cut", true),
            ("---\ntitle: cut\nta", true),
            ("---\nti", true),
            ("no rule: here\n---\n", false),
            ("----\ntitle: x\n---\n", false),
        ] {
            let note = split(text);
            assert_eq!((note.body, note.is_cut_off), (text, is_cut_off), "{text:?}");
            assert!(note.properties.is_empty(), "{text:?}");
        }
        assert_eq!(split("---\r\ntitle: x\r\n---\r\nBody").body, "Body", "lines of Windows");
    }
}
