//! What a passing mention tells: "my twin sister Noor says hi" tells that there is one, "my wheelchair won't fit" that it
//! is used, "the hospital where i work" where one works. Only what is certain from the mention alone.

use keepsake_domain::{Category, Confidence};

use super::special::{Special, found};
use crate::clause::{low, matches_at};
use crate::lexicon::*;
use crate::rewrite::{join, render};
use crate::token::{Kind, Token};

/// What the tokens `lo..hi` mention.
pub(super) fn find(text: &str, tokens: &[Token], lo: usize, hi: usize, label: &str) -> Option<Special> {
    animal(text, tokens, lo, hi, label)
        .or_else(|| nights(text, tokens, lo, hi, label))
        .or_else(|| workplace(text, tokens, lo, hi, label))
        .or_else(|| here_in(text, tokens, lo, hi, label))
        .or_else(|| telling(text, tokens, lo, hi, label))
        .or_else(|| small_child(tokens, lo, hi, label))
        .or_else(|| kin_named(text, tokens, lo, hi, label))
}

/// "my boss at the library …", "at the hospital where i work …".
fn workplace(text: &str, tokens: &[Token], lo: usize, hi: usize, label: &str) -> Option<Special> {
    let make = |from: usize, end: usize| {
        let content = join(&[label, "works", &render(text, tokens, from, end)]);
        (found(content, Category::PersonalInfo, Confidence::IMPLIED, "a job"), from, end)
    };
    if let Some(boss) = (lo + 1..hi).find(|k| {
        one_of(low(tokens, *k), "boss manager colleagues coworkers co-workers workmates shift supervisor")
            && low(tokens, *k - 1) == "my"
    }) && low(tokens, boss + 1) == "at"
    {
        let end = (boss + 2..hi)
            .find(|k| {
                let w = low(tokens, *k);
                AUXILIARIES.contains(w)
                    || base_of_third(w).is_some()
                    || base_of_past(w).is_some_and(|b| is_known_verb(&b))
                    || PRONOUNS.contains(w)
            })
            .unwrap_or(hi);
        let is_place = end > boss + 2 && end <= boss + 6 && !one_of(low(tokens, boss + 2), "the-time work least first");
        return is_place.then(|| make(boss + 1, end));
    }
    let at = (lo..hi).find(|k| one_of(low(tokens, *k), "at in") && one_of(low(tokens, *k + 1), "the a an"))?;
    let i = (at + 3..(at + 7).min(tokens.len())).find(|k| matches_at(tokens, *k, tokens.len(), "where i work").is_some())?;
    Some(make(at, i))
}

/// "here in Tromsø we get two months of dark".
fn here_in(text: &str, tokens: &[Token], lo: usize, hi: usize, label: &str) -> Option<Special> {
    let at = (lo..hi).find(|k| low(tokens, *k) == "here" && one_of(low(tokens, *k + 1), "in"))?;
    let place = tokens.get(at + 2).filter(|t| (t.is_capital || PROPER.contains(t.low.as_str())) && at + 2 < hi)?;
    let is_date = one_of(&place.low, MONTHS) || one_of(&place.low, WEEKDAYS);
    let end = (at + 3..hi).find(|k| !tokens[*k].is_capital).unwrap_or(hi).min(at + 5);
    (!is_date).then(|| {
        let mut found = found(
            join(&[label, "lives", &render(text, tokens, at + 1, end)]),
            Category::PersonalInfo,
            Confidence::IMPLIED,
            "a home",
        );
        found.slot = Some("home".to_owned());
        (found, at, end)
    })
}

/// "there's a dog, Bruno".
fn animal(text: &str, tokens: &[Token], lo: usize, hi: usize, label: &str) -> Option<Special> {
    let at = matches_at(tokens, lo, hi, "there is a")?;
    let pet = low(tokens, lo + at);
    let name = tokens.get(hi + 1).filter(|t| t.is_capital && low(tokens, hi) == ",")?;
    (lo + at + 1 == hi && PETS.contains(pet)).then(|| {
        let content = format!("{label} has a {pet} named {}", text.get(name.start..name.end).unwrap_or(""));
        (found(content, Category::PersonalInfo, Confidence::IMPLIED, "a pet"), lo, hi)
    })
}

/// "… what working nights at a bakery does to you".
fn nights(text: &str, tokens: &[Token], lo: usize, hi: usize, label: &str) -> Option<Special> {
    let at = (lo..hi).find(|k| {
        low(tokens, *k) == "working" && one_of(low(tokens, *k + 1), "nights shifts night weekends part-time freelance")
    })?;
    let before = if at > lo { low(tokens, at - 1) } else { "" };
    if at > lo && !one_of(before, "what of from with after to by why")
        || (lo..at).any(|k| one_of(low(tokens, k), "he she they his her you if"))
    {
        return None;
    }
    let end = (at + 2..hi).find(|k| one_of(low(tokens, *k), "does do is has means makes and but that which")).unwrap_or(hi);
    Some((
        found(join(&[label, "works", &render(text, tokens, at + 1, end)]), Category::PersonalInfo, Confidence::IMPLIED, "a job"),
        at,
        end,
    ))
}

/// "my toddler is up".
fn small_child(tokens: &[Token], lo: usize, hi: usize, label: &str) -> Option<Special> {
    let my = (lo..hi).find(|k| {
        one_of(low(tokens, *k), "my our") && one_of(low(tokens, *k + 1), "toddler newborn twins triplets stepkids grandkids")
    })?;
    let who = low(tokens, my + 1);
    if low(tokens, my + 2) == "'s" || my + 1 >= hi {
        return None;
    }
    let article = if who.ends_with('s') { "" } else { "a" };
    let content = join(&[label, "has", article, who]);
    Some((found(content, Category::Relationship, Confidence::IMPLIED, "a mention"), my, my + 2))
}

/// Relatives and housemates whose mention with a name or a place tells that there is one.
const NAMED_KIN: &str = "sister brother wife husband son daughter partner girlfriend boyfriend aunt uncle cousin niece nephew grandson granddaughter dog cat
    stepson stepdaughter flatmate roommate housemate fiance fiancé fiancee fiancée kitten puppy rabbit horse parrot hamster pony godson goddaughter stepdad
    stepmum hubby half-sister half-brother mother-in-law brother-in-law sister-in-law";

/// "… my twin sister Noor …", "… my brother in Oslo …": that there is one, and the name or place.
fn kin_named(text: &str, tokens: &[Token], lo: usize, hi: usize, label: &str) -> Option<Special> {
    let my = (lo..hi).find(|k| one_of(low(tokens, *k), "my our"))?;
    let kin = (my + 1..(my + 5).min(hi)).find(|k| {
        one_of(low(tokens, *k), NAMED_KIN) || one_of(low(tokens, *k), "friend mate") && low(tokens, *k - 1) == "best"
    })?;
    let plain = (my + 1..kin).all(|k| {
        one_of(
            low(tokens, k),
            "twin little big older younger elder eldest youngest oldest half baby new late first ex rescue old only best middle step kid",
        )
    });
    let is_one = !one_of(low(tokens, my + 1), "late ex");
    let in_place = low(tokens, kin + 1) == "in" || low(tokens, kin + 1) == "from";
    let at = kin + 1 + usize::from(in_place);
    let name = tokens
        .get(at)
        .filter(|t| (t.is_capital || in_place && PROPER.contains(t.low.as_str())) && at < hi && t.kind == Kind::Word)?;
    let possessive_follows = low(tokens, at + 1) == "'s";
    let fits = if in_place {
        !one_of(low(tokens, kin), "cousin aunt uncle niece nephew friend mate")
            && !one_of(&name.low, MONTHS)
            && !one_of(&name.low, WEEKDAYS)
    } else {
        !PROPER.contains(name.low.as_str())
    };
    (plain && is_one && !possessive_follows && fits).then(|| {
        let pet = PETS.contains(low(tokens, kin));
        let who = render(text, tokens, my + 1, kin + 1);
        let article = match low(tokens, my + 1) {
            "best" | "eldest" | "oldest" | "youngest" => "a",
            first => super::role::article_for(first),
        };
        let tie = if in_place { low(tokens, kin + 1).to_owned() } else { "named".to_owned() };
        let content = join(&[label, "has", article, &who, &tie, text.get(name.start..name.end).unwrap_or("")]);
        let content =
            if in_place { join(&[label, "has", article, &who, &tie, &render(text, tokens, at, at + 1)]) } else { content };
        let mut found =
            found(content, if pet { Category::PersonalInfo } else { Category::Relationship }, Confidence::IMPLIED, "a mention");
        if one_of(low(tokens, kin), "fiance fiancé fiancee fiancée") {
            found.slot = Some("marital".to_owned());
        }
        (found, my, at + 1)
    })
}

/// Belongings that only one kind of person has.
const TELLING: &[(&str, &str, Category)] = &[
    ("wheelchair", "uses a wheelchair", Category::PersonalInfo),
    ("insulin", "uses insulin", Category::PersonalInfo),
    ("inhaler", "uses an inhaler", Category::PersonalInfo),
    ("epipen", "carries an EpiPen", Category::PersonalInfo),
    ("pacemaker", "has a pacemaker", Category::PersonalInfo),
    ("stoma", "has a stoma", Category::PersonalInfo),
    ("prosthesis", "has a prosthesis", Category::PersonalInfo),
    ("accordion", "plays the accordion", Category::Skill),
    ("cello", "plays the cello", Category::Skill),
    ("violin", "plays the violin", Category::Skill),
    ("viola", "plays the viola", Category::Skill),
    ("trombone", "plays the trombone", Category::Skill),
    ("trumpet", "plays the trumpet", Category::Skill),
    ("clarinet", "plays the clarinet", Category::Skill),
    ("bagpipes", "plays the bagpipes", Category::Skill),
    ("saxophone", "plays the saxophone", Category::Skill),
    ("allotment", "has an allotment", Category::PersonalInfo),
    ("stammer", "has a stammer", Category::PersonalInfo),
    ("dyslexia", "has dyslexia", Category::PersonalInfo),
    ("adhd", "has ADHD", Category::PersonalInfo),
    ("asthma", "has asthma", Category::PersonalInfo),
    ("diabetes", "has diabetes", Category::PersonalInfo),
    ("epilepsy", "has epilepsy", Category::PersonalInfo),
    ("arthritis", "has arthritis", Category::PersonalInfo),
    ("insomnia", "has insomnia", Category::PersonalInfo),
    ("tinnitus", "has tinnitus", Category::PersonalInfo),
    ("migraines", "has migraines", Category::PersonalInfo),
    ("eczema", "has eczema", Category::PersonalInfo),
    ("coeliac", "has coeliac disease", Category::PersonalInfo),
];

fn telling(text: &str, tokens: &[Token], lo: usize, hi: usize, label: &str) -> Option<Special> {
    let counted = (lo..hi).find(|k| low(tokens, *k) == "my" && one_of(low(tokens, *k + 1), "two three four five six seven"));
    if let Some(my) = counted
        && let Some(noun) = (my + 2..(my + 4).min(hi)).find(|k| {
            low(tokens, *k).ends_with('s')
                && (BELONGINGS.contains(low(tokens, *k))
                    || PETS.contains(low(tokens, *k))
                    || one_of(low(tokens, *k), "kids children sons daughters sisters brothers"))
        })
    {
        let kin = KIN.contains(low(tokens, noun));
        let content = join(&[label, "has", &render(text, tokens, my + 1, noun + 1)]);
        return Some((
            found(
                content,
                if kin { Category::Relationship } else { Category::PersonalInfo },
                Confidence::IMPLIED,
                "a mentioned belonging",
            ),
            my,
            noun + 1,
        ));
    }
    let at = (lo..hi).find(|k| low(tokens, *k) == "my")?;
    let noun_at = (at + 1..(at + 4).min(hi)).find(|k| TELLING.iter().any(|(noun, ..)| *noun == low(tokens, *k)))?;
    if (at + 1..noun_at)
        .any(|k| !tokens[k].is_wordy() || low(tokens, k) == "'s" || KIN.contains(low(tokens, k)) || low(tokens, k) == "old")
        || (lo..at).any(|k| one_of(low(tokens, k), "sold lost gave used"))
    {
        return None;
    }
    let (_, says, category) = *TELLING.iter().find(|(noun, ..)| *noun == low(tokens, noun_at))?;
    Some((found(format!("{label} {says}"), category, Confidence::IMPLIED, "a mention"), at, noun_at + 1))
}
