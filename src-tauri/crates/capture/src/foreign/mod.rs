//! The commonest first-person statements in Spanish, French, German, Portuguese, Hindi and Japanese, told in English.
//!
//! A pattern is the sentence's opening in lower case; what follows it fills the English template. Small dictionaries turn
//! the commonest words; a word they do not know stays as it was said, which is true though not translated.

mod others;
mod romance;
mod tell;
mod words;

pub(crate) use tell::{denies, is_foreign};

use std::sync::LazyLock;

use keepsake_domain::{Category, Confidence, Durability};
use regex::{Captures, Regex};

use crate::frames::Found;
use crate::rewrite::tidy;

struct Rule {
    regex: Regex,
    template: &'static str,
    category: Category,
    family: &'static str,
    slot: &'static str,
}

/// Pattern, English template, category, family, slot. In a template `L` stands for the person and `P` for the possessive;
/// `{}`, `{v}` and `{k}` are what the first group took, in English, `{2}` what the second took, `{a}` and `{a2}` the same with
/// an article, `{n}` a number, `{pet}` an animal with its count.
type Row = (&'static str, &'static str, Category, &'static str, &'static str);

/// What ends the part of a sentence that a template takes.
const TAIL: &str = r"([^,.;!?¡¿()…。！？\n]{1,60}?)(?:\s+(?:y|e|et|und|aber|mais|pero|mas|porque|parce que|weil|car|así que|donc|also|então|por si|si|se for|na|hoon na|so|and|but|because)\b|[,.;!?()…\n😀-🙏🌀-🫿]|$)";

/// What a template takes when more of the pattern follows.
const INNER: &str = r"([^\s,.;!?¡¿()…]+(?: [^\s,.;!?¡¿()…]+){0,3}?)";

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    [romance::SPANISH, romance::FRENCH, romance::PORTUGUESE, others::GERMAN, others::HINDI, others::JAPANESE]
        .into_iter()
        .flatten()
        .filter_map(|(pattern, template, category, family, slot)| {
            let pattern = format!(
                "(?i){}",
                pattern
                    .replace("(?!de|à|d['’])", "")
                    .replace("(?!nicht)", "")
                    .replace("(?!com|de|que)", "")
                    .replace("(?!no)", "")
                    .replace('@', if pattern.ends_with('@') { TAIL } else { INNER })
            );
            Regex::new(&pattern).ok().map(|regex| Rule { regex, template, category: *category, family, slot })
        })
        .collect()
});

/// Words that show one of the languages; without them no pattern is tried.
static HINT: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?i)\b(?:wir|on|não|nao|ahorrando|no|nadie|corro|nado|treino|unser|unsere|jogo|pratico|juego|juego|estudei|estudié|estudie|trabajé|soy|vivo|me|mi|tengo|trabajo|estudio|hablo|toco|odio|prefiero|como|bebo|quiero|crecí|creci|llevo|quiero|quero|ma|minha|meine|meri|mere|nací|estoy|je|j|mon|ich|mein|wohne|moro|meu|sou|nasci|tenho|trabalho|estou|falo|canto|adoro|amo|gosto|detesto|odeio|prefiro|cresci|chamo|mudei|main|mai|mera|mujhe|casado|casada)\b|[\p{Han}\p{Hiragana}\p{Katakana}\p{Devanagari}]";
    Regex::new(pattern).unwrap_or_else(|_| unreachable!("a constant pattern compiles"))
});

/// Words that show English, in which none of this is tried.
const ENGLISH: &str = "the and is are was my you your with have for that this of";

/// What the sentence says of its speaker in one of the languages, with the bytes of each statement.
pub(crate) fn find(sentence: &str, label: &str, possessive: &str) -> Vec<(Found, usize, usize)> {
    if !HINT.is_match(sentence) {
        return Vec::new();
    }
    let lower = sentence.to_lowercase();
    let english = lower.split(|c: char| !c.is_alphanumeric()).filter(|w| ENGLISH.split(' ').any(|e| e == *w)).count();
    if english >= 2 || sentence.contains('?') || sentence.contains('？') || sentence.contains('¿') {
        return Vec::new();
    }
    if ["si fuera", "si je", "wenn ich", "se eu", "ya no ", "je ne vis plus", "nicht mehr in", "já não", "não moro mais"]
        .iter()
        .any(|cue| lower.contains(cue))
        && !lower.contains("me mud")
        && !lower.contains("mudei")
    {
        return Vec::new();
    }
    let mut out: Vec<(Found, usize, usize)> = Vec::new();
    for (rule, captures) in RULES.iter().flat_map(|rule| rule.regex.captures_iter(sentence).map(move |captures| (rule, captures)))
    {
        let Some(whole) = captures.get(0) else { continue };
        let value = captures.get(1).map_or(whole.as_str(), |m| m.as_str()).trim();
        let end = captures.get(1).map_or(whole.end(), |m| m.end()).max(whole.start() + 1);
        let before = lower.get(..whole.start()).unwrap_or("");
        let last = before.split_whitespace().last().unwrap_or("");
        let is_denied = matches!(last, "no" | "não" | "nao" | "ne" | "n'" | "nicht" | "ya" | "nunca" | "já")
            && !rule.template.contains("not");
        if is_denied
            || out.iter().any(|(_, s, e)| *s < end && whole.start() < *e)
            || is_passing(value)
            || is_passing(&lower) && rule.family == "a taste"
        {
            continue;
        }
        let value = translated(value, rule.family);
        let end = captures.get(2).map_or(end, |m| m.end().max(end));
        let mut content = filled(rule, &captures, &value);
        if let Some(rest) = content.strip_prefix("L ") {
            content = format!("{label} {rest}");
        } else if let Some(rest) = content.strip_prefix("P ") {
            content = format!("{possessive} {rest}");
        } else {
            continue;
        }
        if rule.regex.as_str().contains("canto")
            && let Some(day) = captures.get(2)
        {
            content.push_str(&format!(" {}", translated(day.as_str().trim_start_matches([' ', 'à', 's', 'a', 'o']).trim(), "")));
        }
        // What no word list could turn into English makes no English sentence.
        if content.chars().any(is_other_script) {
            continue;
        }
        let category = if ["vegan", "vegetarian"].contains(&value.as_str()) {
            Category::Preference
        } else if ["widowed", "married", "divorced"].contains(&value.as_str()) {
            Category::Relationship
        } else {
            rule.category
        };
        let found = Found {
            content: tidy(&content),
            category,
            confidence: Confidence::STATED,
            durability: Durability::LongTerm,
            family: rule.family,
            slot: (!rule.slot.is_empty()).then(|| rule.slot.to_owned()),
        };
        out.push((found, whole.start(), end));
    }
    out
}

/// A letter of the scripts that the patterns read and English does not write.
fn is_other_script(c: char) -> bool {
    matches!(c, '\u{900}'..='\u{97f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

fn is_passing(text: &str) -> bool {
    [
        "hoy",
        "aujourd'hui",
        "heute",
        "hoje",
        "ahora mismo",
        "今日",
        "aaj",
        "maintenant",
        "gerade jetzt",
        "mañana",
        "demain",
        "morgen",
        "amanhã",
    ]
    .iter()
    .any(|word| text.contains(word))
}

/// The template with what the groups took, in English.
fn filled(rule: &Rule, captures: &Captures<'_>, value: &str) -> String {
    let group = |n: usize| captures.get(n).map_or("", |m| m.as_str()).trim();
    let first = group(1).to_lowercase();
    let second = translated(group(2), rule.family);
    let verb = words::verb_of(&first).map_or(value, |(base, _)| base);
    let number = words::number_of(&first).unwrap_or(&first);
    let number = if second.starts_with("a ") || number == "one" { "" } else { number };
    let kin = first.split_once(' ').map_or(first.as_str(), |(_, noun)| noun);
    let kin = words::english_of(kin).or_else(|| words::english_of(&first)).unwrap_or(value);
    rule.template
        .replace("{0}", value)
        .replace("{}", value)
        .replace("{1t}", value)
        .replace("{v}", verb)
        .replace("{k}", kin)
        .replace("{2}", &second)
        .replace("{a}", &with_article(value))
        .replace("{a2}", &with_article(&second))
        .replace("{n}", number)
        .replace("{h}", words::habit_of(&first).unwrap_or(value))
        .replace("{2s}", second.trim_end_matches('s'))
        .replace("{pet}", &animals(group(1), group(2)))
}

/// "a cat", "two cats".
fn animals(animal: &str, count: &str) -> String {
    let singular = match animal {
        "犬" => "dog",
        "猫" => "cat",
        "インコ" => "budgie",
        "ハムスター" => "hamster",
        _ => "rabbit",
    };
    match words::number_of(count) {
        Some(number) if number != "one" => format!("{number} {singular}s"),
        _ => format!("a {singular}"),
    }
}

fn with_article(noun: &str) -> String {
    let has_one = ["a ", "an ", "the ", "un ", "una ", "une ", "ein ", "eine ", "um ", "uma "]
        .iter()
        .any(|article| noun.starts_with(article));
    if has_one || noun.is_empty() {
        return noun.to_owned();
    }
    let article = if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {noun}")
}

/// Articles that English leaves out.
const ARTICLES: &[&str] = &[
    "los ", "las ", "el ", "la ", "les ", "le ", "l'", "l’", "os ", "as ", "o ", "der ", "die ", "das ", "den ", "dem ", "du ",
    "des ", "de la ", "d'", "d’",
];

/// Where a time or company begins that the statement can do without.
const ADJUNCTS: &[&str] = &[
    " desde ",
    " depuis ",
    " seit ",
    " hace ",
    " há ",
    " cuando ",
    " quand ",
    " wenn ",
    " desde",
    " tous les ",
    " todos los ",
    " todas las ",
];
/// The same after a home or a trade, where "with", "for" and "at" lead elsewhere too.
const ADJUNCTS_OF_PLACE: &[&str] =
    &[" con ", " com ", " avec ", " mit ", " por ", " para ", " pour ", " für ", " y ", " et ", " e ", " und ", " zusammen"];

/// The value in English as far as the dictionary goes.
fn translated(value: &str, family: &str) -> String {
    let mut value = value.trim();
    for cut in ADJUNCTS {
        value = value.split(cut).next().unwrap_or(value).trim();
    }
    if matches!(family, "a home" | "a job" | "origin") {
        for cut in ADJUNCTS_OF_PLACE {
            value = value.split(cut).next().unwrap_or(value).trim();
        }
    }
    let whole = value.to_lowercase();
    if let Some(english) = words::english_of(&whole) {
        return english.to_owned();
    }
    let bare = ARTICLES
        .iter()
        .find_map(|article| whole.starts_with(article).then(|| value.get(article.len()..).unwrap_or(value)))
        .unwrap_or(value);
    if let Some(english) = words::english_of(&bare.to_lowercase()) {
        return english.to_owned();
    }
    let mut out: Vec<String> = Vec::new();
    let words: Vec<&str> = bare.split_whitespace().collect();
    let mut skip_next = false;
    for (n, word) in words.iter().enumerate() {
        if std::mem::take(&mut skip_next) {
            continue;
        }
        let lower = word.to_lowercase();
        // A noun and its adjective may be one word of the list: "cervejaria artesanal".
        if let Some(english) = words.get(n + 1).and_then(|next| words::english_of(&format!("{lower} {}", next.to_lowercase()))) {
            out.push(english.to_owned());
            skip_next = true;
            continue;
        }
        let is_year = words.get(n + 1).is_some_and(|next| next.len() == 4 && next.bytes().all(|b| b.is_ascii_digit()));
        if is_year && matches!(lower.as_str(), "até" | "hasta" | "bis") {
            out.push("by".to_owned());
            continue;
        }
        let english = if n == 0 && family == "a taste" { words::verb_of(&lower).map(|(_, gerund)| gerund) } else { None };
        let english = english.or_else(|| words::english_of(&lower)).or_else(|| {
            if n == 0 && bare.contains(' ') { words::number_of(&lower).map(|w| if w == "one" { "a" } else { w }) } else { None }
        });
        let english = english.or_else(|| (n > 0 && matches!(lower.as_str(), "de" | "do" | "da" | "von")).then_some("of"));
        let english = english.or_else(|| (n > 0 && matches!(lower.as_str(), "em" | "en" | "in" | "à")).then_some("in"));
        out.push(english.map_or_else(|| (*word).to_owned(), str::to_owned));
    }
    let joined = out.join(" ");
    let is_place = matches!(family, "a home" | "origin" | "family");
    match joined.chars().next().filter(|c| is_place && c.is_ascii_lowercase() && out.len() == 1 && family != "family") {
        Some(first) => format!("{}{}", first.to_ascii_uppercase(), &joined[1..]),
        None => joined,
    }
}
