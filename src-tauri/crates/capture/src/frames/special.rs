//! Statements that do not begin with "I" or "my": dated events, "the plan is to …", years of practice, telling belongings,
//! held opinions, standing wishes about how to be answered.

use keepsake_domain::{Category, Confidence, Durability};

use super::Found;
use crate::clause::{Clause, low, matches_at, skip_fillers};
use crate::lexicon::*;
use crate::parse::trim_end;
use crate::rewrite::{join, possessive, render, tidy};
use crate::token::Token;

/// A statement of this kind with its first and one past its last token.
pub(crate) type Special = (Found, usize, usize);

fn found(content: String, category: Category, confidence: Confidence, family: &'static str) -> Found {
    let durability = if category == Category::Goal { Durability::Situational } else { Durability::LongTerm };
    Found { content: tidy(&content), category, confidence, durability, family, slot: None }
}

/// What the clause says without naming its speaker as subject.
pub(crate) fn find(text: &str, tokens: &[Token], clause: &Clause, label: &str) -> Option<Special> {
    let lo = skip_fillers(tokens, clause.lo, clause.hi);
    let hi = trim_end(tokens, lo, clause.hi);
    if lo >= hi {
        return None;
    }
    aim(text, tokens, lo, hi, label)
        .or_else(|| event(text, tokens, lo, hi, label))
        .or_else(|| years_of(text, tokens, lo, hi, label))
        .or_else(|| pastime(text, tokens, lo, hi, label))
        .or_else(|| role(text, tokens, clause, lo, hi, label))
        .or_else(|| turned(text, tokens, lo, hi, label))
        .or_else(|| short(text, tokens, clause, lo, hi, label))
        .or_else(|| animal(text, tokens, lo, hi, label))
        .or_else(|| nights(text, tokens, lo, hi, label))
        .or_else(|| telling(text, tokens, lo, hi, label))
        .or_else(|| kin_named(text, tokens, lo, hi, label))
}

/// "the plan is to open a salon", "the dream is to …".
fn aim(text: &str, tokens: &[Token], lo: usize, hi: usize, label: &str) -> Option<Special> {
    let at = lo + usize::from(one_of(low(tokens, lo), "the our"));
    let at = at + usize::from(one_of(low(tokens, at), "big main long-term eventual current ultimate whole only next"));
    if !one_of(low(tokens, at), "plan goal dream aim idea hope ambition") {
        return None;
    }
    let verb = (at + 1..(at + 6).min(hi)).find(|k| low(tokens, *k) == "is" && low(tokens, *k + 1) == "to")?;
    let errand = one_of(low(tokens, verb + 2), "use get make have run call check do keep test deploy refactor");
    (!errand && verb + 3 < hi).then(|| {
        let content = join(&[label, "plans to", &render(text, tokens, verb + 2, hi)]);
        (found(content, Category::Goal, Confidence::STATED, "an aim"), lo, hi)
    })
}

/// "the entrance exam's in november", "wedding's on the 12th".
fn event(text: &str, tokens: &[Token], lo: usize, hi: usize, label: &str) -> Option<Special> {
    let first = lo + usize::from(one_of(low(tokens, lo), "the our"));
    let verb = (first + 1..(first + 4).min(hi)).find(|k| one_of(low(tokens, *k), "is 's"))?;
    let noun = low(tokens, verb - 1);
    if !one_of(
        noun,
        "wedding exam exams surgery operation viva graduation recital marathon audition defence defense move baby honeymoon launch christening baptism housewarming",
    ) || !(first..verb).all(|k| tokens[k].is_wordy())
    {
        return None;
    }
    let dated = (verb + 1..hi).any(|k| {
        one_of(low(tokens, k), MONTHS)
            || one_of(low(tokens, k), "spring summer autumn winter")
            || low(tokens, k).ends_with("th") && low(tokens, k).starts_with(|c: char| c.is_ascii_digit())
    });
    (dated && one_of(low(tokens, verb + 1), "on in at the this next due") || dated && one_of(low(tokens, verb + 1), MONTHS)).then(
        || {
            let content =
                join(&[&possessive(label), &render(text, tokens, first, verb), "is", &render(text, tokens, verb + 1, hi)]);
            let mut found = found(content, Category::Goal, Confidence::STATED, "an event");
            found.slot = Some(format!("event {}", (first..verb).map(|k| low(tokens, k)).collect::<Vec<_>>().join(" ")));
            (found, lo, hi)
        },
    )
}

/// "twelve years of cleaning up COBOL", "after 20 years as a nurse".
fn years_of(text: &str, tokens: &[Token], lo: usize, hi: usize, label: &str) -> Option<Special> {
    let at = (lo..hi).find(|k| one_of(low(tokens, *k), "years decades") && one_of(low(tokens, *k + 1), "of as in spent"))?;
    let from = (lo..at).rev().take(2).find(|k| {
        tokens[*k].kind == crate::token::Kind::Number
            || one_of(low(tokens, *k), "two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty")
    })?;
    if !(from == lo || one_of(low(tokens, from - 1), "after with have got my over about nearly almost these"))
        || (lo..from).any(|k| one_of(low(tokens, k), "he she they his her their your"))
    {
        return None;
    }
    let of = low(tokens, at + 1);
    let next = low(tokens, at + 2);
    let content = match of {
        "of" if base_of_ing(next).is_some() => {
            join(&[label, "has", &render(text, tokens, from, at + 1), "of experience", &render(text, tokens, at + 2, hi)])
        }
        "as" if one_of(next, "a an") => {
            join(&[label, "has", &render(text, tokens, from, at + 1), "of experience", &render(text, tokens, at + 1, hi)])
        }
        _ => return None,
    };
    (!one_of(next, "being waiting trying paying having"))
        .then(|| (found(content, Category::Skill, Confidence::IMPLIED, "long experience"), from, hi))
}

/// "keeping bees has been my hobby for six years".
fn pastime(text: &str, tokens: &[Token], lo: usize, hi: usize, label: &str) -> Option<Special> {
    let base = base_of_ing(low(tokens, lo))?;
    let verb = (lo + 1..(lo + 7).min(hi)).find(|k| one_of(low(tokens, *k), "is has was"))?;
    let mine = (verb + 1..hi).find(|k| low(tokens, *k) == "my")?;
    let noun = (mine + 1..hi)
        .find(|k| one_of(low(tokens, *k), "hobby passion thing obsession job therapy escape pastime outlet happy-place"))?;
    (is_known_verb(&base) && noun - mine <= 4 && !one_of(low(tokens, noun), "thing") || noun - mine <= 2 && is_known_verb(&base))
        .then(|| {
            let content = join(&[
                &possessive(label),
                &render(text, tokens, mine + 1, noun + 1),
                "is",
                &render(text, tokens, lo, verb),
                &render(text, tokens, noun + 1, hi),
            ]);
            (found(content, Category::Preference, Confidence::STATED, "a pastime"), lo, hi)
        })
}

/// "as a nurse, i …", "speaking as a mother of three", "being a vegetarian".
fn role(text: &str, tokens: &[Token], clause: &Clause, lo: usize, hi: usize, label: &str) -> Option<Special> {
    let lo = if clause.lo < lo && one_of(low(tokens, lo), "speaking being") { lo } else { clause.lo.min(lo) };
    let at = match low(tokens, lo) {
        "as" => lo + 1,
        "speaking" if low(tokens, lo + 1) == "as" => lo + 2,
        "being" => lo + 1,
        _ => return None,
    };
    let at = at + usize::from(low(tokens, at) == "someone" || low(tokens, at) == "somebody");
    if low(tokens, at) == "with" && at > lo + 1 && hi <= at + 6 && (at + 1..hi).any(|k| HEALTH.contains(low(tokens, k))) {
        let end = (at + 1..hi).find(|k| one_of(low(tokens, *k), "i my lists these this")).unwrap_or(hi);
        let end = (at + 1..end).find(|k| HEALTH.contains(low(tokens, *k))).map_or(end, |k| k + 1);
        return Some((
            found(
                join(&[label, "has", &render(text, tokens, at + 1, end)]),
                Category::PersonalInfo,
                Confidence::STATED,
                "health",
            ),
            lo,
            end,
        ));
    }
    let trait_word = low(tokens, at);
    if low(tokens, lo) == "being"
        && (TRAITS_PERSONAL.contains(trait_word) || TRAITS_PREFERENCE.contains(trait_word))
        && at + 1 == hi
        && tokens.get(clause.hi).is_some_and(|t| t.low == ",")
        && low(tokens, clause.hi + 1) == "i"
    {
        return Some((
            found(
                format!("{label} is {trait_word}"),
                if TRAITS_PREFERENCE.contains(trait_word) { Category::Preference } else { Category::PersonalInfo },
                Confidence::STATED,
                "trait",
            ),
            lo,
            hi,
        ));
    }
    if !one_of(low(tokens, at), "a an") || hi > at + 8 {
        return None;
    }
    let cut = (at + 1..hi)
        .find(|k| PREPOSITIONS.contains(low(tokens, *k)) || one_of(low(tokens, *k), "i who myself here"))
        .unwrap_or(hi);
    let noun = low(tokens, cut - 1);
    let follows = tokens.get(clause.hi).is_some_and(|t| one_of(&t.low, "i my we"))
        || tokens.get(clause.hi).is_some_and(|t| t.low == ",")
            && (clause.hi + 1..(clause.hi + 5).min(tokens.len())).any(|k| one_of(low(tokens, k), "i my we"));
    let own = follows || (cut..clause.hi).any(|k| low(tokens, k) == "myself") || low(tokens, lo) == "speaking";
    (own && TRADES.contains(noun) && !JESTS.contains(noun) && !one_of(noun, "child kid guest host user")).then(|| {
        let end = (at..hi).find(|k| one_of(low(tokens, *k), "i myself who")).unwrap_or(hi);
        let tie = one_of(noun, "mother father mum mom dad parent grandmother grandfather carer widow widower");
        let diet = one_of(noun, "vegan vegetarian pescatarian");
        let category = if tie {
            Category::Relationship
        } else if diet {
            Category::Preference
        } else {
            Category::PersonalInfo
        };
        (found(join(&[label, "is", &render(text, tokens, at, end)]), category, Confidence::STATED, "a job"), lo, end)
    })
}

/// Statements turned round: "spiders terrify me", "Dune is my favourite book", "mornings aren't my thing".
fn turned(text: &str, tokens: &[Token], lo: usize, hi: usize, label: &str) -> Option<Special> {
    /// A longer subject is a clause of its own.
    const SUBJECT_WORDS_MAX: usize = 5;
    let first = low(tokens, lo);
    if PRONOUNS.contains(first)
        || one_of(
            first,
            "it this that what which nothing everything something anything nobody everyone one here there if when you your the-only",
        )
    {
        return None;
    }
    let verb = (lo + 1..(lo + SUBJECT_WORDS_MAX + 1).min(hi)).find(|k| {
        one_of(
            low(tokens, *k),
            "is are terrify terrifies scare scares freak freaks taste tastes give gives make makes relax relaxes bore bores calm calms keep keeps soothe soothes",
        )
    })?;
    if (lo..verb).any(|k| one_of(low(tokens, k), "you your his her their he she they i not"))
        || !(lo..verb).all(|k| tokens[k].is_wordy() || tokens[k].low == "'")
    {
        return None;
    }
    let subject = render(text, tokens, lo, verb);
    let word = low(tokens, verb);
    let next = low(tokens, verb + 1);
    let is_habit = !one_of(low(tokens, lo), "the this that these those")
        || one_of(low(tokens, lo + 1), "dark sea dentist ocean countryside rain");
    if !is_habit && !(verb + 2 < hi && low(tokens, verb + 2) == "favourite") {
        return None;
    }
    let preference = |content: String| Some((found(content, Category::Preference, Confidence::STATED, "a taste"), lo, hi));
    match word {
        "terrify" | "terrifies" | "scare" | "scares" | "freak" | "freaks" if one_of(next, "me") => {
            let how = if word.starts_with("terri") { "terrified" } else { "scared" };
            Some((found(format!("{label} is {how} of {subject}"), Category::PersonalInfo, Confidence::STATED, "a fear"), lo, hi))
        }
        "calm" | "calms" | "keep" | "keeps" | "soothe" | "soothes" if next == "me" && base_of_ing(low(tokens, lo)).is_some() => {
            preference(format!("{label} finds that {subject} {word} {}", render(text, tokens, verb + 1, hi)))
        }
        "relax" | "relaxes" | "bore" | "bores" if next == "me" => preference(format!("{label} finds that {subject} {word} them")),
        "taste" | "tastes" if (verb..hi).any(|k| low(tokens, k) == "me") => preference(format!(
            "{label} finds that {subject} {word} {}",
            render(text, tokens, verb + 1, hi).replace(" to them", "")
        )),
        "give" | "gives" | "make" | "makes" if next == "me" => {
            let health = (verb..hi).any(|k| {
                HEALTH.contains(low(tokens, k))
                    || one_of(low(tokens, k), "ill sick hives rash sneeze wheeze bloated seasick anxious sleepy")
            });
            (health && hi <= verb + 6)
                .then(|| {
                    (
                        found(
                            format!("{} {word} {label} {}", subject, render(text, tokens, verb + 2, hi)),
                            Category::PersonalInfo,
                            Confidence::IMPLIED,
                            "health",
                        ),
                        lo,
                        hi,
                    )
                })
                .map(|(f, a, b)| {
                    let content = format!("{label} says that {subject} {word} them {}", render(text, tokens, verb + 2, hi));
                    (Found { content: tidy(&content), ..f }, a, b)
                })
        }
        "is" | "are" => {
            let verb = (verb + 1..hi).find(|k| !ADVERBS_DROPPED.contains(low(tokens, *k))).map_or(verb, |k| k - 1);
            let next = low(tokens, verb + 1);
            let negated = next == "not";
            let at = verb + 1 + usize::from(negated);
            if !one_of(low(tokens, at), "my our") {
                return None;
            }
            let noun = low(tokens, hi - 1);
            let favourite = (at..hi).any(|k| one_of(low(tokens, k), "favourite"));
            let language = noun == "language" || noun == "tongue";
            let slot = one_of(
                noun,
                "thing jam night nights day evening evenings hobby passion obsession escape weakness guilty-pleasure comfort personality life world religion food",
            ) && hi - at <= 4;
            if favourite && !negated {
                let end = (at..hi).find(|k| one_of(low(tokens, *k), "of")).unwrap_or(hi);
                return preference(format!("{} {} is {subject}", possessive(label), render(text, tokens, at + 1, end)));
            }
            if language {
                let content = format!(
                    "{} {} {} {subject}",
                    possessive(label),
                    render(text, tokens, at + 1, hi),
                    if negated { "is not" } else { "is" }
                );
                return Some((found(content, Category::Skill, Confidence::STATED, "a language"), lo, hi));
            }
            if slot && (noun == "thing" || noun == "jam") && hi - at == 2 {
                return preference(format!("{label} {} {subject}", if negated { "does not like" } else { "likes" }));
            }
            (slot && !negated && (hi - at >= 3 || one_of(noun, "hobby passion obsession weakness life religion")))
                .then(|| preference(format!("{} {} {word} {subject}", possessive(label), render(text, tokens, at + 1, hi))))
                .flatten()
        }
        _ => None,
    }
}

/// Telegrams: "name's Otis", "call me Ren", "32F from Ohio", "no car here", "two kids", "off to Japan in April", "all i want is to …".
fn short(text: &str, tokens: &[Token], clause: &Clause, lo: usize, hi: usize, label: &str) -> Option<Special> {
    let first = low(tokens, lo);
    let capital = |k: usize| k < hi && tokens[k].is_capital && tokens[k].is_wordy();
    let name_at = if first == "name" && low(tokens, lo + 1) == "is" {
        Some(lo + 2)
    } else if first == "the" && low(tokens, lo + 1) == "name" && low(tokens, lo + 2) == "is" {
        Some(lo + 3)
    } else {
        matches_at(tokens, lo, hi, "call me")
            .or_else(|| matches_at(tokens, lo, hi, "you can call me"))
            .or_else(|| matches_at(tokens, lo, hi, "everyone calls me"))
            .or_else(|| matches_at(tokens, lo, hi, "people call me"))
            .or_else(|| matches_at(tokens, lo, hi, "friends call me"))
            .map(|n| lo + n)
    };
    let greets = one_of(low(tokens, 0), "hey hi hello hiya morning evening yo");
    let name_at = name_at.or_else(|| (greets && low(tokens, lo) == "it" && low(tokens, lo + 1) == "is").then_some(lo + 2));
    if let Some(at) = name_at {
        return (capital(at) && hi - at <= 2 && !one_of(low(tokens, at), "when if back old crazy")).then(|| {
            let mut found = found(
                format!("{} name is {}", possessive(label), render(text, tokens, at, hi)),
                Category::PersonalInfo,
                Confidence::STATED,
                "name",
            );
            found.slot = Some("name".to_owned());
            (found, lo, hi)
        });
    }
    if tokens[lo].kind == crate::token::Kind::Number
        && first.len() == 3
        && first.ends_with(['m', 'f'])
        && first[..2].parse::<u32>().is_ok()
    {
        return Some((
            found(format!("{label} is {} years old", &first[..2]), Category::PersonalInfo, Confidence::STATED, "age"),
            lo,
            lo + 1,
        ));
    }
    if first == "off"
        && low(tokens, lo + 1) == "to"
        && (capital(lo + 2) || PROPER.contains(low(tokens, lo + 2)))
        && (lo..hi).any(|k| one_of(low(tokens, k), MONTHS) || one_of(low(tokens, k), "next weeks summer spring"))
    {
        return Some((
            found(join(&[label, "is going", &render(text, tokens, lo + 1, hi)]), Category::Goal, Confidence::STATED, "a plan"),
            lo,
            hi,
        ));
    }
    if clause.opener.is_empty() && one_of(first, "no two three four") && low(tokens, hi - 1) != "left" {
        let end = hi - usize::from(low(tokens, hi - 1) == "here");
        let noun = low(tokens, end - 1);
        let kin = one_of(noun, "kids children sons daughters boys girls brothers sisters siblings");
        let thing = kin
            || PETS.contains(noun) && noun != "bird"
            || first == "no" && end < hi && one_of(noun, "car tv dishwasher garden oven smartphone");
        return (thing && end - lo == 2 && (end < hi || tokens.get(hi).is_some_and(|t| t.low == ","))).then(|| {
            let category = if kin { Category::Relationship } else { Category::PersonalInfo };
            (
                found(
                    join(&[label, "has", &render(text, tokens, lo, end)]),
                    category,
                    Confidence::STATED,
                    if kin { "family" } else { "a possession" },
                ),
                lo,
                end,
            )
        });
    }
    None
}

/// "all i want is to open a bookshop".
pub(crate) fn wish(text: &str, tokens: &[Token], hi: usize, label: &str) -> Option<Special> {
    let at = (0..hi.min(6)).find(|k| one_of(low(tokens, *k), "all what") && low(tokens, *k + 1) == "i")?;
    let is_to = (at + 2..hi.min(at + 16)).find(|k| low(tokens, *k) == "is" && low(tokens, *k + 1) == "to")?;
    let wants = (at + 2..is_to).any(|k| one_of(low(tokens, k), "want wanted"));
    let end = (is_to..hi).find(|k| one_of(&tokens[*k].low, ", . ; ! ( — but")).unwrap_or(hi);
    let end = trim_end(tokens, is_to, end);
    let life = low(tokens, at) == "what" && !(is_to..end).any(|k| one_of(low(tokens, k), "code function file script you it this")) || (is_to..end).any(|k| one_of(low(tokens, k), "someday day own little book novel shop farm house home country sea boat travel quit retire learn family kids write paint open"));
    (wants && life && end > is_to + 3).then(|| {
        (
            found(join(&[label, "wants", &render(text, tokens, is_to + 1, end)]), Category::Goal, Confidence::STATED, "an aim"),
            at,
            end,
        )
    })
}

/// "goal for this year: learn to swim".
pub(crate) fn stated_goal(text: &str, tokens: &[Token], hi: usize, label: &str) -> Option<Special> {
    let colon = (1..hi.min(8)).find(|k| low(tokens, *k) == ":")?;
    let named = (0..colon).any(|k| one_of(low(tokens, k), "goal goals resolution dream ambition"));
    let at = colon + 1 + usize::from(low(tokens, colon + 1) == "to");
    let end = trim_end(tokens, at, (at..hi).find(|k| one_of(&tokens[*k].low, ", . ; ! (")).unwrap_or(hi));
    (named
        && crate::parse::is_verb_base(low(tokens, at))
        && end > at + 1
        && !(0..colon).any(|k| one_of(low(tokens, k), "sprint project his her your team")))
    .then(|| {
        (found(join(&[label, "wants to", &render(text, tokens, at, end)]), Category::Goal, Confidence::STATED, "an aim"), at, end)
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

/// "… what working nights at the hospital laundry does to you".
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

/// "… my twin sister Noor …": that there is one, and her name.
fn kin_named(text: &str, tokens: &[Token], lo: usize, hi: usize, label: &str) -> Option<Special> {
    let my = (lo..hi).find(|k| one_of(low(tokens, *k), "my our"))?;
    let kin = (my + 1..(my + 5).min(hi)).find(|k| one_of(low(tokens, *k), "sister brother wife husband son daughter partner girlfriend boyfriend aunt uncle cousin niece nephew grandson granddaughter dog cat stepson stepdaughter"))?;
    let name = tokens.get(kin + 1).filter(|t| t.is_capital && kin + 1 < hi && t.is_wordy())?;
    let plain = (my + 1..kin).all(|k| {
        one_of(
            low(tokens, k),
            "twin little big older younger elder eldest youngest oldest half baby new late first ex rescue old only",
        )
    });
    let is_one = !one_of(low(tokens, my + 1), "late ex");
    let possessive_follows = low(tokens, kin + 2) == "'s";
    (plain && is_one && !possessive_follows && !PROPER.contains(name.low.as_str())).then(|| {
        let pet = one_of(low(tokens, kin), "dog cat");
        let content = format!(
            "{label} has a {} named {}",
            render(text, tokens, my + 1, kin + 1),
            text.get(name.start..name.end).unwrap_or("")
        );
        let content = content
            .replace(" a older ", " an older ")
            .replace(" a elder", " an elder")
            .replace(" a old", " an old")
            .replace(" a only", " an only");
        (
            found(content, if pet { Category::PersonalInfo } else { Category::Relationship }, Confidence::IMPLIED, "family"),
            my,
            kin + 2,
        )
    })
}

/// Belongings that only one kind of person has.
const TELLING: &[(&str, &str, Category, &str)] = &[
    ("wheelchair", "uses a wheelchair", Category::PersonalInfo, "health"),
    ("insulin", "uses insulin", Category::PersonalInfo, "health"),
    ("inhaler", "uses an inhaler", Category::PersonalInfo, "health"),
    ("epipen", "carries an EpiPen", Category::PersonalInfo, "health"),
    ("pacemaker", "has a pacemaker", Category::PersonalInfo, "health"),
    ("stoma", "has a stoma", Category::PersonalInfo, "health"),
    ("prosthesis", "has a prosthesis", Category::PersonalInfo, "health"),
    ("accordion", "plays the accordion", Category::Skill, "a pastime"),
    ("cello", "plays the cello", Category::Skill, "a pastime"),
    ("violin", "plays the violin", Category::Skill, "a pastime"),
    ("viola", "plays the viola", Category::Skill, "a pastime"),
    ("trombone", "plays the trombone", Category::Skill, "a pastime"),
    ("trumpet", "plays the trumpet", Category::Skill, "a pastime"),
    ("clarinet", "plays the clarinet", Category::Skill, "a pastime"),
    ("bagpipes", "plays the bagpipes", Category::Skill, "a pastime"),
    ("saxophone", "plays the saxophone", Category::Skill, "a pastime"),
    ("allotment", "has an allotment", Category::PersonalInfo, "a possession"),
    ("stammer", "has a stammer", Category::PersonalInfo, "health"),
    ("dyslexia", "has dyslexia", Category::PersonalInfo, "health"),
    ("adhd", "has ADHD", Category::PersonalInfo, "health"),
    ("asthma", "has asthma", Category::PersonalInfo, "health"),
    ("diabetes", "has diabetes", Category::PersonalInfo, "health"),
    ("epilepsy", "has epilepsy", Category::PersonalInfo, "health"),
    ("arthritis", "has arthritis", Category::PersonalInfo, "health"),
    ("insomnia", "has insomnia", Category::PersonalInfo, "health"),
    ("tinnitus", "has tinnitus", Category::PersonalInfo, "health"),
    ("migraines", "has migraines", Category::PersonalInfo, "health"),
    ("eczema", "has eczema", Category::PersonalInfo, "health"),
    ("coeliac", "has coeliac disease", Category::PersonalInfo, "health"),
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
                "a possession",
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
    let (_, says, category, family) = *TELLING.iter().find(|(noun, ..)| *noun == low(tokens, noun_at))?;
    Some((found(format!("{label} {says}"), category, Confidence::IMPLIED, family), at, noun_at + 1))
}

/// "hot take: tipping should be abolished".
pub(crate) fn opinion(text: &str, tokens: &[Token], hi: usize, label: &str) -> Option<Special> {
    const HEADS: &[&str] = &[
        "hot take",
        "unpopular opinion",
        "controversial opinion",
        "in my opinion",
        "imo",
        "imho",
        "my take",
        "my opinion",
        "personal opinion",
        "hill i will die on",
    ];
    let at = (0..hi.min(6)).find_map(|k| HEADS.iter().find_map(|head| matches_at(tokens, k, hi, head).map(|len| k + len)))?;
    let mut lo = at;
    while lo < hi && (!tokens[lo].is_wordy() || one_of(low(tokens, lo), "but that though is")) {
        lo += 1;
    }
    let end = trim_end(tokens, lo, hi);
    let claims = (lo..end)
        .any(|k| one_of(low(tokens, k), "is are should must beats has have deserves deserve ruins makes was were needs need"));
    let about_you =
        (lo..end).any(|k| one_of(low(tokens, k), "you your this")) || one_of(low(tokens, lo), "it this that he she they you we");
    (claims && !about_you && end > lo + 2).then(|| {
        (
            found(
                join(&[label, "thinks that", &render(text, tokens, lo, end)]),
                Category::Preference,
                Confidence::STATED,
                "an opinion",
            ),
            lo,
            end,
        )
    })
}

/// "as a general rule never put comments in code you give me", "always answer me in metric units".
pub(crate) fn standing_wish(text: &str, tokens: &[Token], hi: usize, label: &str) -> Option<Special> {
    let lo = skip_fillers(tokens, 0, hi);
    let general = crate::clause::contains(tokens, 0, hi.min(10), "as a rule")
        || crate::clause::contains(tokens, 0, hi.min(10), "general rule")
        || crate::clause::contains(tokens, 0, hi.min(10), "from now on")
        || crate::clause::contains(tokens, 0, hi.min(10), "in general")
        || crate::clause::contains(tokens, 0, hi.min(10), "in future");
    let at = (lo..hi.min(lo + 8)).find(|k| {
        one_of(low(tokens, *k), "always never")
            || general && one_of(low(tokens, *k), "use keep write give answer reply explain format call address avoid")
    })?;
    let prefix_is_plain = (lo..at).all(|k| {
        one_of(low(tokens, k), "as a general rule from now on in future please can you could general future and just when but ,")
            || !tokens[k].is_wordy()
    });
    let verb_at = if one_of(low(tokens, at), "always never") { at + 1 } else { at };
    let verb = low(tokens, verb_at);
    let is_imperative = one_of(
        verb,
        "use put give write keep answer reply explain format call address avoid show include add send tell suggest recommend start end speak talk quote cite convert round assume apologise apologize bother ask",
    );
    let to_me = general || (verb_at..hi).any(|k| one_of(low(tokens, k), "me my"));
    let end = (verb_at..hi).find(|k| one_of(&tokens[*k].low, ", . ; ! ( —")).unwrap_or(hi);
    let end = trim_end(tokens, verb_at, end);
    if !(prefix_is_plain && is_imperative && to_me && end > verb_at + 1) || one_of(low(tokens, verb_at + 1), "it this that") {
        return None;
    }
    let mut words = render(text, tokens, verb_at, end);
    for (from, to) in [(" you ", " the assistant "), (" your ", " the assistant's ")] {
        words = words.replace(from, to);
    }
    words = words
        .replace("the assistant give ", "the assistant gives ")
        .replace("the assistant write ", "the assistant writes ")
        .replace("the assistant send ", "the assistant sends ")
        .replace("the assistant show ", "the assistant shows ");
    let how = if low(tokens, at) == "never" {
        "never to"
    } else if low(tokens, at) == "always" {
        "always to"
    } else {
        "to"
    };
    Some((
        found(join(&[label, "wants the assistant", how, &words]), Category::Preference, Confidence::STATED, "a standing wish"),
        lo,
        end,
    ))
}
