//! Finds the links, embedded files and tags in a note, except those in code.
//!
//! Deliberately not here: changing the text, which stays as written.

use std::collections::BTreeSet;

/// Maximum number of links, of files and of tags kept per note. A long note has a few dozen.
const EACH_MAX: usize = 200;

/// What a note refers to, each listed once.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Markup {
    /// Names of other notes.
    pub(super) links: BTreeSet<String>,
    /// Names of embedded files.
    pub(super) files: BTreeSet<String>,
    /// Tags, without the hash sign.
    pub(super) tags: BTreeSet<String>,
    /// Whether the note contains something to fill in, and is therefore a template.
    pub(super) is_template: bool,
}

/// Placeholders in templates for Obsidian or its Templater plugin.
const BLANKS: [&str; 4] = ["{{date", "{{time", "{{title}}", "<% tp."];

/// Reads the text of a note.
pub(super) fn read(text: &str) -> Markup {
    let mut found = Markup::default();
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let start = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (Some(_), _) => {}
            (None, None) => {
                // Every second piece is between backticks.
                for piece in line.split('`').step_by(2) {
                    brackets(piece, &mut found);
                    images(piece, &mut found);
                    tags(piece, &mut found);
                    found.is_template |= BLANKS.iter().any(|blank| piece.contains(blank));
                }
            }
        }
    }
    found
}

fn keep(set: &mut BTreeSet<String>, item: &str) {
    let item = item.trim();
    if set.len() < EACH_MAX && !item.is_empty() {
        set.insert(item.to_owned());
    }
}

/// `[[Note#Heading|shown]]` is a link, and `![[picture.png|300]]` an embedded file.
fn brackets(piece: &str, found: &mut Markup) {
    let mut rest = piece;
    while let Some((before, after)) = rest.split_once("[[") {
        let Some((inner, next)) = after.split_once("]]") else { return };
        let target = inner.split(['|', '#']).next().unwrap_or_default().trim_end_matches('\\');
        let is_file = target.rsplit_once('.').is_some_and(|(_, ending)| is_ending(ending) && !ending.eq_ignore_ascii_case("md"));
        if before.ends_with('!') && is_file {
            keep(&mut found.files, target);
        } else {
            keep(&mut found.links, target.strip_suffix(".md").unwrap_or(target));
        }
        rest = next;
    }
}

/// `![shown](picture.png)` is an embedded file unless it is on the web.
fn images(piece: &str, found: &mut Markup) {
    for after in piece.split("![").skip(1) {
        let Some((_, target)) = after.split_once("](") else { continue };
        let target = target.split([')', ' ']).next().unwrap_or_default();
        if !target.contains("://") && !target.starts_with("data:") {
            keep(&mut found.files, &target.replace("%20", " "));
        }
    }
}

fn is_ending(text: &str) -> bool {
    (1..=5).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// A tag begins after a space, and contains something other than digits.
fn tags(piece: &str, found: &mut Markup) {
    for word in piece.split_whitespace() {
        let Some(tag) = word.strip_prefix('#') else { continue };
        let end = tag.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '/')).unwrap_or(tag.len());
        let tag = tag.get(..end).unwrap_or_default();
        if tag.chars().any(|c| !c.is_numeric()) {
            keep(&mut found.tags, tag);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_files_and_tags_are_found_outside_of_code() {
        let text = "# Heading\nWith [[Ana Lima|Ana]] and [[Bees#Winter]], ![[Other note]] ![[sketch 1.png|300]] #home/garden, #2026 \
                    a#b ##c\n![view](img/My%20view.jpg) ![web](https://example.org/x.png) `[[code]] #code` [[cut\n```rust\n\
                    #[[derive]] #no\n~~~\n```\n#yes! ![[voice.m4a]] [[v1.2 notes]] [[deep/Note.md]]";
        let markup = read(text);
        let all = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>().join(";");
        assert_eq!(all(&markup.links), "Ana Lima;Bees;Other note;deep/Note;v1.2 notes");
        assert_eq!(all(&markup.files), "img/My view.jpg;sketch 1.png;voice.m4a");
        assert_eq!(all(&markup.tags), "home/garden;yes");
        assert!(!markup.is_template);
        assert!(read("# {{date:YYYY-MM-DD}}").is_template);
        assert!(!read("Write `{{date}}` there.").is_template);
    }
}
