//! Display names: which of them are the full name of a person, and how the names of two handles relate.
//!
//! Names are compared part by part after NFKC, ignoring case, accents, titles and text in brackets. Fuzzy matching is never used,
//! because it would merge different people. A name that mixes letters of two scripts imitates another name and matches nothing.

use crate::identity::rules::PARTS_MAX;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::words::{clean, words};
use std::collections::HashSet;
use std::sync::LazyLock;

words! {
    /// Words that turn a name into a role.
    ROLE_WORDS = "
        admin administrator administrators support team service services helpdesk desk newsletter notifications notification
        noreply info office sales marketing billing security bot assistant system moderator moderators mods group list
        announcements hr recruiting press reception secretary kundenservice kundendienst vertrieb verkauf sekretariat empfang
        redaktion soporte ventas equipo equipe accueil it ops operations customer care staff committee board channel room
        alerts mailer daemon
    ";
    /// Placeholder words used when a name is not known.
    NOBODY_WORDS = "
        speaker unknown participant guest anonymous anon user someone somebody nobody me you self caller presenter host attendee
        deleted account removed member person teilnehmer sprecher gast unbekannt unbekannter inconnu participante desconocido
        invité invitado locuteur hablante iphone ipad android phone laptop undefined null none test tester name
    ";
    /// Titles and particles ignored in comparisons.
    TITLES = "dr prof professor mr mrs ms miss mx sir dipl ing phd md msc bsc mba herr frau hr fr m mme mlle sr sra srta don jr";
}

/// The kind of a display name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NameReading {
    /// At least two parts of a person's name.
    Full(FullName),
    /// One part: a first name or a nickname.
    Single(String),
    /// A role or a placeholder.
    Nobody,
    /// Not a name: a number, an address or a slogan.
    Unreadable,
    /// A word mixes letters of two scripts.
    MixedScripts,
}

impl NameReading {
    pub(super) fn is_nobody(&self) -> bool {
        *self == Self::Nobody
    }
}

/// A full name in lowercase without accents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FullName {
    /// The parts in order, without initials.
    pub(super) parts: Vec<String>,
    /// The initials.
    pub(super) initials: Vec<char>,
    /// The sorted parts, so that "Lind, Mara" equals "Mara Lind".
    pub(super) key: String,
}

/// How the names of two handles relate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Relation {
    /// The same full name.
    Same(String),
    /// Compatible names: one is shorter or uses initials.
    Compatible,
    /// Two full names with a part in common.
    PartlyShared(String, String),
    /// Two full names with nothing in common.
    Different(String, String),
    /// At least one handle has no name to compare.
    Unknown,
}

/// Parses a display name.
pub(super) fn read(name: &str) -> NameReading {
    let cleaned = clean(name);
    // "Mara Lind (Acme)", "Mara Lind | Acme", "Mara Lind - Acme", "Mara Lind via Forum"
    let cut = cleaned.find(['(', '[', '|', '•', '/', '<', '–', '—']).filter(|at| *at > 0).unwrap_or(cleaned.len());
    let mut shown = cleaned.get(..cut).unwrap_or(&cleaned);
    for mark in [" - ", " via ", " @ ", " at ", " @"] {
        shown = shown.split_once(mark).map_or(shown, |(before, _)| before);
    }
    if shown.contains('@') || shown.chars().filter(char::is_ascii_digit).count() >= 5 {
        return NameReading::Unreadable;
    }
    let words: Vec<&str> =
        shown.split(|c: char| c.is_whitespace() || c == ',' || c == '.' || c == '_').filter(|w| has_letter(w)).collect();
    if words.iter().any(|word| is_mixed(word)) {
        return NameReading::MixedScripts;
    }
    let mut parts = Vec::new();
    let mut initials = Vec::new();
    for word in words {
        let folded = fold(word);
        if ROLE_WORDS.contains(folded.as_str()) || NOBODY_WORDS.contains(folded.as_str()) {
            return NameReading::Nobody;
        }
        let mut letters = folded.chars();
        match (letters.next(), letters.next()) {
            (Some(initial), None) if initial.is_ascii() => initials.push(initial),
            _ if TITLES.contains(folded.as_str()) => {}
            _ => parts.push(folded),
        }
    }
    match parts.len() {
        0 if initials.is_empty() => NameReading::Unreadable,
        0 => NameReading::Single(initials.iter().collect()),
        _ if parts.iter().any(|part| part.chars().any(|c| c.is_ascii_digit())) => single(&parts),
        1 if initials.is_empty() => single(&parts),
        1 => NameReading::Single(parts[0].clone()),
        2..=PARTS_MAX => {
            let mut sorted = parts.clone();
            sorted.sort_unstable();
            NameReading::Full(FullName { key: sorted.join(" "), parts, initials })
        }
        _ => NameReading::Unreadable,
    }
}

/// True if `text` is a placeholder or a role: "Speaker 1", "Support".
pub(super) fn is_stand_in(text: &str) -> bool {
    let cleaned = clean(text);
    let mut words = cleaned.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).map(fold).peekable();
    words.peek().is_some() && words.all(|word| ROLE_WORDS.contains(word.as_str()) || NOBODY_WORDS.contains(word.as_str()))
}

fn single(parts: &[String]) -> NameReading {
    NameReading::Single(parts.join(" "))
}

fn has_letter(word: &str) -> bool {
    word.chars().any(char::is_alphanumeric)
}

/// Removes case and accents, because the same person may write both "Núñez" and "Nunez".
pub(super) fn fold(word: &str) -> String {
    word.nfkd()
        .filter(|c| !is_combining_mark(*c))
        .collect::<String>()
        .to_lowercase()
        .trim_matches(|c: char| !c.is_alphanumeric())
        .to_owned()
}

/// True if a word mixes Latin letters with Cyrillic or Greek ones.
fn is_mixed(word: &str) -> bool {
    let latin = word.chars().any(|c| c.is_ascii_alphabetic() || matches!(c as u32, 0xC0..=0x24F));
    latin && word.chars().any(|c| matches!(c as u32, 0x370..=0x52F))
}

/// The parsed names of one handle.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    pub(super) full: Vec<FullName>,
    pub(super) single: Vec<String>,
    pub(super) is_mixed: bool,
}

impl Names {
    pub(super) fn read<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        let mut read_names = Self::default();
        for name in names {
            match read(name) {
                NameReading::Full(full) if !read_names.full.contains(&full) => read_names.full.push(full),
                NameReading::Single(single) if !read_names.single.contains(&single) => read_names.single.push(single),
                NameReading::MixedScripts => read_names.is_mixed = true,
                _ => {}
            }
        }
        read_names
    }

    /// True if there is no usable name.
    pub(super) fn is_empty(&self) -> bool {
        self.full.is_empty() && self.single.is_empty()
    }

    /// True if `text` (one or more words) is a name of the person behind this handle.
    pub(super) fn answers_to(&self, text: &str) -> bool {
        let parts: Vec<String> = text.split_whitespace().map(fold).filter(|part| !part.is_empty()).collect();
        let known = |part: &String| {
            self.full.iter().any(|full| full.parts.contains(part))
                || self.single.iter().any(|single| single.split(' ').any(|s| s == part))
        };
        // If the person's full name is known, a surname that is not part of it belongs to someone else. Otherwise it may be the
        // person's.
        parts.first().is_some_and(known) && (self.full.is_empty() || parts.iter().all(known))
    }

    /// The relation to the names of another handle: the best match of all pairs of names.
    pub(super) fn relation(&self, other: &Self) -> Relation {
        let mut worst = Relation::Unknown;
        for a in &self.full {
            for b in &other.full {
                if a.key == b.key {
                    return Relation::Same(a.key.clone());
                }
            }
        }
        let singles = |names: &Self, full: &[FullName]| {
            names.single.iter().any(|single| full.iter().any(|full| full.parts.contains(single)))
        };
        let meets = self.single.iter().any(|single| other.single.contains(single))
            || singles(self, &other.full)
            || singles(other, &self.full);
        for a in &self.full {
            for b in &other.full {
                let shared = a.parts.iter().filter(|part| b.parts.contains(part)).count();
                let fewer = a.parts.len().min(b.parts.len());
                let (shown_a, shown_b) = (a.parts.join(" "), b.parts.join(" "));
                let relation = match shared {
                    _ if shared == fewer => Relation::Compatible,
                    0 => Relation::Different(shown_a, shown_b),
                    _ => Relation::PartlyShared(shown_a, shown_b),
                };
                worst = match (worst, relation) {
                    (_, Relation::Compatible) | (Relation::Compatible, _) => Relation::Compatible,
                    (partly @ Relation::PartlyShared(..), _) => partly,
                    (_, next) => next,
                };
            }
        }
        if meets && !matches!(worst, Relation::PartlyShared(..) | Relation::Different(..)) { Relation::Compatible } else { worst }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(name: &str) -> Names {
        Names::read([name].into_iter())
    }

    #[test]
    fn full_names_meet_however_they_are_written() {
        for (a, b) in [
            ("Mara Lind", "mara lind"),
            ("Mara Lind", "Lind, Mara"),
            ("Dr. Mara Lind", "Mara Lind (Acme)"),
            ("José Núñez", "Jose Nunez"),
            ("Mara K. Lind", "Mara Lind"),
            ("Ma\u{200B}ra Lind", "Mara Lind"),
            ("Mara Lind | Acme", "Mara Lind via Forum"),
        ] {
            assert!(matches!(names(a).relation(&names(b)), Relation::Same(_)), "{a} and {b}");
        }
    }

    #[test]
    fn less_than_a_full_name_is_never_the_same_name() {
        for (a, b) in [
            ("Mara", "Mara"),
            ("Mara L.", "Mara Lind"),
            ("Support", "Support"),
            ("Speaker 1", "Speaker 1"),
            ("Unknown", "Unknown"),
            ("+49 171 2345678", "+49 171 2345678"),
            ("Acme Support", "Acme Support"),
            ("mara@example.org", "mara@example.org"),
            ("Mаra Lind", "Mara Lind"),
            ("Mаra Lind", "Mаra Lind"),
            ("mara99", "mara99"),
        ] {
            assert!(!matches!(names(a).relation(&names(b)), Relation::Same(_)), "{a} and {b}");
        }
    }

    #[test]
    fn two_full_names_differ_in_part_or_wholly() {
        assert!(matches!(names("Mara Lind").relation(&names("Mara Holt")), Relation::PartlyShared(..)));
        assert!(matches!(names("Mara Lind").relation(&names("Jonas Berg")), Relation::Different(..)));
        assert_eq!(names("Mara").relation(&names("Mara Lind")), Relation::Compatible);
        assert_eq!(names("foxglove").relation(&names("Mara Lind")), Relation::Unknown);
        assert!(names("Mara Lind").answers_to("Mara") && !names("Jonas Berg").answers_to("Mara"));
    }
}
