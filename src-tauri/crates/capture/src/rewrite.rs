//! Turns a parsed clause into a true, complete sentence in the third person.

use crate::clause::low;
use crate::coordination::{Second, second};
use crate::lexicon::*;
use crate::parse::{Actor, Parsed, Tense};
use crate::token::{Kind, Token};

/// The tokens `lo..hi` as text, the speaker's pronouns turned to "they".
pub(crate) fn render(text: &str, tokens: &[Token], lo: usize, hi: usize) -> String {
    let mut out = String::new();
    let mut k = lo;
    while k < hi.min(tokens.len()) {
        let token = &tokens[k];
        if token.kind == Kind::Symbol && !matches!(token.low.as_str(), "°" | "€" | "£") || token.kind == Kind::Break {
            k += 1;
            continue;
        }
        let raw = text.get(token.start..token.end).unwrap_or("");
        let previous = if k > lo { low(tokens, k - 1) } else { "" };
        let next = low(tokens, k + 1);
        let word = match token.low.as_str() {
            "my" | "our" => "their".to_owned(),
            "me" | "us" => "them".to_owned(),
            "mine" | "ours" => "theirs".to_owned(),
            "myself" | "ourselves" => "themselves".to_owned(),
            "i" if token.kind == Kind::Word => "they".to_owned(),
            "we" => "they".to_owned(),
            "am" => "are".to_owned(),
            // "at a piano restorer's": behind a noun of the complement the clitic is a genitive, or reads as well short.
            "is" if token.is_expanded && is_noun_like(tokens, k, lo) => "'s".to_owned(),
            "was" if one_of(previous, "i we") => "were".to_owned(),
            "rn" => "right now".to_owned(),
            "&" => "and".to_owned(),
            "n" if k > lo => "and".to_owned(),
            lower if token.is_expanded => lower.to_owned(),
            lower if k == 0 && token.is_capital && is_common(lower) => lower.to_owned(),
            lower => proper(lower, raw, previous, next),
        };
        let is_glued = k > lo
            && (word == "'s"
                || token.start == tokens[k - 1].end && !token.is_expanded
                || matches!(token.low.as_str(), "'s" | "," | "." | "%"))
            && (word == "'s" || !(token.is_expanded && token.start == tokens[k - 1].start));
        if !out.is_empty() && !is_glued {
            out.push(' ');
        }
        out.push_str(&word);
        k += 1;
    }
    out
}

/// Whether a noun stands before the token `k` of a phrase that begins at `lo`.
fn is_noun_like(tokens: &[Token], k: usize, lo: usize) -> bool {
    let previous = low(tokens, k.saturating_sub(1));
    k > lo
        && tokens[k - 1].kind == Kind::Word
        && ![&PRONOUNS, &ASKERS, &AUXILIARIES, &DETERMINERS].iter().any(|set| set.contains(previous))
        && !one_of(previous, "here that how let everything everyone nothing nobody all")
}

/// A word that carries a capital only because it opens its sentence.
fn is_common(lower: &str) -> bool {
    !PROPER.contains(lower)
        && ([
            &PREPOSITIONS,
            &DETERMINERS,
            &FREQUENCY,
            &ADVERBS_KEPT,
            &TRADES,
            &KIN,
            &PETS,
            &HEALTH,
            &BELONGINGS,
            &TRAITS_PERSONAL,
            &TRAITS_PREFERENCE,
            &AUXILIARIES,
        ]
        .iter()
        .any(|set| set.contains(lower))
            || base_of_ing(lower).is_some_and(|base| is_known_verb(&base))
            || base_of_past(lower).is_some_and(|base| is_known_verb(&base))
            || one_of(lower, "last next this one two three four five no not born half currently night day"))
}

/// Gives a name its capital where informal writing left it small, and takes shouting back.
fn proper(lower: &str, raw: &str, previous: &str, next: &str) -> String {
    let is_small = raw.chars().all(|c| !c.is_uppercase());
    let is_date_word = one_of(lower, "may march");
    if is_small && is_date_word {
        let is_date = one_of(previous, "in on by since until till last next this early late mid from of for")
            || next.starts_with(|c: char| c.is_ascii_digit())
            || previous.starts_with(|c: char| c.is_ascii_digit());
        if is_date {
            return raw.chars().take(1).flat_map(char::to_uppercase).chain(raw.chars().skip(1)).collect();
        }
        return raw.to_owned();
    }
    if is_small && let Some(name) = capitalised(lower) {
        return name;
    }
    let letters = raw.chars().filter(|c| c.is_alphabetic()).count();
    if letters >= 4
        && raw.chars().all(|c| !c.is_lowercase())
        && (FREQUENCY.contains(lower) || is_known_verb(lower) || ADVERBS_KEPT.contains(lower))
    {
        return lower.to_owned();
    }
    raw.to_owned()
}

/// The possessive of a label: "User's", "Ines'".
pub(crate) fn possessive(label: &str) -> String {
    if label.ends_with('s') { format!("{label}'") } else { format!("{label}'s") }
}

/// Subject and verb group of `p` in the third person, without the complement.
pub(crate) fn head(text: &str, p: &Parsed<'_>, label: &str) -> String {
    let tokens = p.tokens;
    if let Actor::Possession(lo, hi) = p.actor {
        let noun = render(text, tokens, lo, hi);
        let group = render(text, tokens, p.group, p.rest.max(p.verb + 1).min(p.end));
        return join(&[&possessive(label), &noun, &group]);
    }
    if p.actor == Actor::Other {
        return join(&[label, &render(text, tokens, p.group, p.rest.max(p.verb + 1).min(p.end))]);
    }
    let adverbs: String = p.adverbs.iter().map(|k| low(tokens, *k).to_owned()).collect::<Vec<_>>().join(" ");
    let not = if p.is_negated { "not" } else { "" };
    let base = p.base.as_str();
    let ing = || render(text, tokens, p.verb, p.verb + 1);
    match p.tense {
        Tense::Present if p.is_negated => join(&[label, "does not", &adverbs, base]),
        Tense::Present => match perfect_since(p) {
            Some(participle) => join(&[label, "has", &adverbs, participle]),
            None => join(&[label, &adverbs, &third_of(base)]),
        },
        Tense::Past if p.is_negated => join(&[label, "did not", &adverbs, base]),
        Tense::Past if is_passive_without_verb(p) => join(&[label, "was", &adverbs, low(tokens, p.verb)]),
        Tense::Past if base == "have" => join(&[label, &adverbs, "had"]),
        Tense::Past => join(&[label, &adverbs, low(tokens, p.verb)]),
        Tense::Perfect => join(&[label, "has", not, &adverbs, low(tokens, p.verb)]),
        Tense::PerfectProgressive => join(&[label, "has", not, &adverbs, "been", &ing()]),
        Tense::PerfectCopula => join(&[label, "has", not, &adverbs, "been"]),
        Tense::Progressive => join(&[label, "is", not, &adverbs, &ing()]),
        Tense::PastProgressive => join(&[label, "was", not, &adverbs, &ing()]),
        Tense::Copula => join(&[label, "is", not, &adverbs]),
        Tense::PastCopula => join(&[label, "was", not, &adverbs]),
        Tense::Have if p.is_negated => join(&[label, "does not", &adverbs, "have"]),
        Tense::Have => join(&[label, &adverbs, "has"]),
        Tense::GoingTo => join(&[label, "is", not, &adverbs, "going to", base]),
        Tense::Modal if p.modal == "can" && p.is_negated => join(&[label, &adverbs, "cannot", base]),
        Tense::Modal => join(&[label, p.modal, not, &adverbs, base]),
        Tense::UsedTo => join(&[label, "used to", base]),
        Tense::Other => label.to_owned(),
    }
}

/// "since the spring i work in Kotlin": what began then and lasts is told in the perfect.
fn perfect_since(p: &Parsed<'_>) -> Option<&'static str> {
    if !p.says("since") || !matches!(p.actor, Actor::Speaker | Actor::Dropped) {
        return None;
    }
    Some(match p.base.as_str() {
        "work" => "worked",
        "live" => "lived",
        "use" => "used",
        "teach" => "taught",
        "study" => "studied",
        "run" => "run",
        "drive" => "driven",
        "play" => "played",
        _ => return None,
    })
}

/// "raised in Porto", "made redundant in june": done to the speaker, who left the "was" out with the "i".
fn is_passive_without_verb(p: &Parsed<'_>) -> bool {
    p.actor == Actor::Dropped
        && p.tense == Tense::Past
        && one_of(
            low(p.tokens, p.verb),
            "raised brought schooled educated homeschooled diagnosed adopted made laid sacked fired evicted hired promoted hit knocked born named",
        )
        && (PREPOSITIONS.contains(p.word(0)) || one_of(p.word(0), "up redundant abroad off bilingual"))
}

/// The whole statement: subject, verb group, complement, and the adverbial that stood before.
pub(crate) fn sentence(text: &str, p: &Parsed<'_>, label: &str) -> String {
    let rest = complement(text, p);
    let front = p.front.map(|(lo, hi)| {
        let at = crate::clause::skip_fillers(p.tokens, lo, hi);
        render(text, p.tokens, at, hi)
    });
    let with = p.joint.map(|(lo, hi)| format!("with their {}", render(text, p.tokens, lo, hi)));
    tidy(&join(&[&head(text, p, label), &rest, with.as_deref().unwrap_or(""), front.as_deref().unwrap_or("")]))
}

/// What stands behind the verb group; a second verb of the subject's agrees with it.
fn complement(text: &str, p: &Parsed<'_>) -> String {
    let from = p.rest.min(p.end);
    match second(p) {
        Second::None => render(text, p.tokens, from, p.end),
        Second::Cut(at) => render(text, p.tokens, from, at),
        Second::Verb(at) => {
            let (before, behind) = (render(text, p.tokens, from, at), render(text, p.tokens, at + 1, p.end));
            join(&[&before, &third_of(low(p.tokens, at)), &behind])
        }
    }
}

/// Joins the non-empty parts with single spaces.
pub(crate) fn join(parts: &[&str]) -> String {
    parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Cuts stray marks, doubled spaces, conjunctions that lead to nothing and marks that lack their other half.
pub(crate) fn tidy(content: &str) -> String {
    let mut words: Vec<&str> = content.split_whitespace().collect();
    while words.last().is_some_and(|w| one_of(&w.to_lowercase(), "and or but because although which if so than very really")) {
        words.pop();
    }
    let mut one_line = words.join(" ");
    let count = |text: &str, mark: char| text.matches(mark).count();
    if count(&one_line, '"') % 2 == 1 || count(&one_line, '“') != count(&one_line, '”') {
        one_line.retain(|c| !matches!(c, '"' | '“' | '”'));
    }
    if count(&one_line, '(') != count(&one_line, ')') {
        one_line.retain(|c| !matches!(c, '(' | ')'));
    }
    one_line.replace(" ,", ",").trim_end_matches([',', ';', ':', '-', '.', '(', '"', ' ']).to_owned()
}
