//! Detects sentences that look like statements about oneself but are quoted, reported, hypothetical, negated or questions.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// Compiles a built-in pattern. A test compiles all patterns, so a failure is a bug in the build; the pattern then matches
/// nothing.
pub(super) fn pattern(text: &str) -> Option<Regex> {
    Regex::new(text).ok()
}

static REPORTED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?ix)
        \b(?P<who>[\p{L}'’]+)\s+(?:also\s+|just\s+|always\s+|once\s+|hat\s+|a\s+|ha\s+|me\s+|mir\s+)*
        (?:said|says|saying|told|tells|wrote|writes|replied|answered|claims|claimed|goes|posted|texted|signed|
           sagte|sagt|gesagt|meinte|meint|schrieb|schreibt|geschrieben|behauptet|erzählt|
           dit|disait|écrit|répond|prétend|dijo|dice|escribió|escribe|dicho|respondió|diz|disse|escreveu)\b",
    )
});

/// "Her words: …", "Mara's note: …".
static WORDS_OF: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:her|his|their|your|its|the|[\p{L}]+['’]s|ihre|seine|ses|son|sa|su)\s+(?:exact\s+|last\s+)?(?:words?|message|mail|e-?mail|note|text|reply|answer|quote|bio|profile|status|worte|nachricht|mots|message|palabras|mensaje)\b[^.!?]{0,20}:",
    )
});

static SUPPOSED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?ix)\b(?:if|as\ if|unless|whether|wish|suppose|supposing|imagine|pretend|pretending|wenn|falls|als\ ob|angenommen|si|como\ si|comme\ si|supongamos|imagina|imagine)\s+
        (?:i|my|ich|meine?|yo|mi|je|mon|ma|that\s+i|that\s+my|que\s+je|que\s+yo)\b
        |\b(?:for\ example|for\ instance|e\.g\.|such\ as|something\ like|let's\ say|lets\ say|let\ us\ say|zum\ beispiel|z\.\s?b\.|par\ exemple|por\ ejemplo|a\ line\ like|a\ message\ like|an\ example|placeholder|template|dummy|roleplay|role-play|in\ character)\b",
    )
});

static NEGATED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?ix)(?:\b(?:not|never|nobody|no\ one|don't|dont|doesn't|didn't|can't|cannot|couldn't|won't|shouldn't|stop|nicht|nie|kein|keine|niemals|hör\ auf|jamais|pas|nunca|jamás|no|não)\b|n[’']t\b)[^,;:–—]{0,24}$",
    )
});

/// The beginnings of questions.
static ASKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^\W*(?:and |so |but |wait,? |hm+,? |und |et |y )?(?:am|is|was|are|were|do|does|did|have|has|who|which|what|whose|bin|ist|war|hast|hat|wer|welche[rs]?|was|suis|est|qui|quel|quelle|est-ce|soy|es|quién|cuál)\b",
    )
});

/// First-person words. A report in the first person contains the writer's own words.
const FIRST: &[&str] = &["i", "we", "i've", "i’ve", "ich", "wir", "je", "j'ai", "j’ai", "yo", "nosotros", "on", "eu", "he"];

/// True if the statement at `found` in `sentence` is about someone else, hypothetical, or denied.
pub(super) fn is_off_record(sentence: &str, found: &Range<usize>) -> bool {
    let before = sentence.get(..found.start).unwrap_or("");
    is_quoted(sentence, found) || is_reported(before) || is_supposed(sentence, found) || is_negated(before)
}

/// True if the match is inside quotation marks that enclose more than the handle itself.
pub(super) fn is_quoted(sentence: &str, found: &Range<usize>) -> bool {
    let before = sentence.get(..found.start).unwrap_or("");
    let straight = before.matches('"').count() % 2 == 1;
    let opened = |open: char, close: char| before.rfind(open).is_some_and(|at| !before.get(at..).unwrap_or("").contains(close));
    let single = before.rfind([' ', '(', ':']).map_or(before, |at| before.get(at + 1..).unwrap_or("")).starts_with('\'');
    let straight_single = before.match_indices(" '").count() > before.match_indices("' ").count()
        && sentence.get(found.end..).unwrap_or("").contains('\'');
    straight || opened('“', '”') || opened('„', '“') || opened('«', '»') || opened('‘', '’') || single || straight_single
}

pub(super) fn is_reported(before: &str) -> bool {
    if WORDS_OF.as_ref().is_some_and(|words| words.is_match(before)) {
        return true;
    }
    let Some(reported) = REPORTED.as_ref() else { return false };
    reported.captures_iter(before).any(|found| {
        // Spanish "he" means "I have" only before a participle. With a verb of saying, "he" is the English word.
        found.name("who").is_some_and(|who| {
            let who = who.as_str().to_lowercase();
            who == "he" || !FIRST.contains(&who.as_str())
        })
    })
}

fn is_supposed(sentence: &str, found: &Range<usize>) -> bool {
    let upto = sentence.get(..found.end).unwrap_or(sentence);
    SUPPOSED.as_ref().is_some_and(|supposed| supposed.is_match(upto))
}

fn is_negated(before: &str) -> bool {
    NEGATED.as_ref().is_some_and(|negated| negated.is_match(before))
}

/// True if the sentence is a question, so that the words after its beginning are not a statement.
pub(super) fn is_asked(sentence: &str) -> bool {
    sentence.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '?').ends_with('?')
        && ASKS.as_ref().is_some_and(|asks| asks.is_match(sentence))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sentence: &str, expect: bool) {
        let at = sentence.find("my email").or_else(|| sentence.find("I'm @")).unwrap();
        assert_eq!(is_off_record(sentence, &(at..sentence.len())), expect, "{sentence}");
    }

    #[test]
    fn every_pattern_compiles() {
        assert!(
            [&REPORTED, &WORDS_OF, &SUPPOSED, &NEGATED, &ASKS].iter().all(|pattern| pattern.is_some()),
            "a built-in pattern is broken"
        );
    }

    #[test]
    fn quoted_reported_supposed_and_negated_statements_are_off_the_record() {
        check("Jonas said my email is a@b.org", true);
        check("she wrote “my email is a@b.org”", true);
        check("a template could say \"my email is a@b.org\"", true);
        check("for example: my email is a@b.org", true);
        check("if I'm @mara then you are @jonas", true);
        check("I never said I'm @mara", true);
        check("As I said, my email is a@b.org", false);
        check("I told you my email is a@b.org", false);
        check("I'm not around tomorrow, my email is a@b.org", false);
        check("If you need me, my email is a@b.org", false);
    }
}
