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
        .or_else(|| animal(text, tokens, lo, hi, label))
        .or_else(|| nights(text, tokens, lo, hi, label))
        .or_else(|| telling(text, tokens, lo, hi, label))
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
    if !one_of(noun, "wedding exam exams surgery operation viva graduation recital marathon audition defence defense move baby honeymoon launch christening baptism housewarming") || !(first..verb).all(|k| tokens[k].is_wordy()) {
        return None;
    }
    let dated = (verb + 1..hi).any(|k| one_of(low(tokens, k), MONTHS) || one_of(low(tokens, k), "spring summer autumn winter") || low(tokens, k).ends_with("th") && low(tokens, k).starts_with(|c: char| c.is_ascii_digit()));
    (dated && one_of(low(tokens, verb + 1), "on in at the this next due") || dated && one_of(low(tokens, verb + 1), MONTHS)).then(|| {
        let content = join(&[&possessive(label), &render(text, tokens, first, verb), "is", &render(text, tokens, verb + 1, hi)]);
        let mut found = found(content, Category::Goal, Confidence::STATED, "an event");
        found.slot = Some(format!("event {}", (first..verb).map(|k| low(tokens, k)).collect::<Vec<_>>().join(" ")));
        (found, lo, hi)
    })
}

/// "twelve years of cleaning up COBOL", "after 20 years as a nurse".
fn years_of(text: &str, tokens: &[Token], lo: usize, hi: usize, label: &str) -> Option<Special> {
    let at = (lo..hi).find(|k| one_of(low(tokens, *k), "years decades") && one_of(low(tokens, *k + 1), "of as in spent"))?;
    let from = (lo..at).rev().take(2).find(|k| tokens[*k].kind == crate::token::Kind::Number || one_of(low(tokens, *k), "two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty"))?;
    if !(from == lo || one_of(low(tokens, from - 1), "after with have got my over about nearly almost these") ) || (lo..from).any(|k| one_of(low(tokens, k), "he she they his her their your")) {
        return None;
    }
    let of = low(tokens, at + 1);
    let next = low(tokens, at + 2);
    let content = match of {
        "of" if base_of_ing(next).is_some() => join(&[label, "has", &render(text, tokens, from, at + 1), "of experience", &render(text, tokens, at + 2, hi)]),
        "as" if one_of(next, "a an") => join(&[label, "has", &render(text, tokens, from, at + 1), "of experience", &render(text, tokens, at + 1, hi)]),
        _ => return None,
    };
    (!one_of(next, "being waiting trying paying having")).then(|| (found(content, Category::Skill, Confidence::IMPLIED, "long experience"), from, hi))
}

/// "keeping bees has been my hobby for six years".
fn pastime(text: &str, tokens: &[Token], lo: usize, hi: usize, label: &str) -> Option<Special> {
    let base = base_of_ing(low(tokens, lo))?;
    let verb = (lo + 1..(lo + 7).min(hi)).find(|k| one_of(low(tokens, *k), "is has was"))?;
    let mine = (verb + 1..hi).find(|k| low(tokens, *k) == "my")?;
    let noun = (mine + 1..hi).find(|k| one_of(low(tokens, *k), "hobby passion thing obsession job therapy escape pastime outlet happy-place"))?;
    (is_known_verb(&base) && noun - mine <= 4 && !one_of(low(tokens, noun), "thing") || noun - mine <= 2 && is_known_verb(&base)).then(|| {
        let content = join(&[&possessive(label), &render(text, tokens, mine + 1, noun + 1), "is", &render(text, tokens, lo, verb), &render(text, tokens, noun + 1, hi)]);
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
    if !one_of(low(tokens, at), "a an") || hi > at + 8 {
        return None;
    }
    let cut = (at + 1..hi).find(|k| PREPOSITIONS.contains(low(tokens, *k)) || one_of(low(tokens, *k), "i who myself here")).unwrap_or(hi);
    let noun = low(tokens, cut - 1);
    let follows = tokens.get(clause.hi).is_some_and(|t| t.low == ",") && (clause.hi + 1..(clause.hi + 5).min(tokens.len())).any(|k| one_of(low(tokens, k), "i my we"));
    let own = follows || (cut..clause.hi).any(|k| low(tokens, k) == "myself") || low(tokens, lo) == "speaking";
    (own && TRADES.contains(noun) && !JESTS.contains(noun) && !one_of(noun, "child kid guest host user")).then(|| {
        let end = (at..hi).find(|k| one_of(low(tokens, *k), "i myself who")).unwrap_or(hi);
        let tie = one_of(noun, "mother father mum mom dad parent grandmother grandfather carer widow widower");
        let diet = one_of(noun, "vegan vegetarian pescatarian");
        let category = if tie { Category::Relationship } else if diet { Category::Preference } else { Category::PersonalInfo };
        (found(join(&[label, "is", &render(text, tokens, at, end)]), category, Confidence::STATED, "a job"), lo, end)
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
    let at = (lo..hi).find(|k| low(tokens, *k) == "working" && one_of(low(tokens, *k + 1), "nights shifts night weekends part-time freelance"))?;
    let before = if at > lo { low(tokens, at - 1) } else { "" };
    if at > lo && !one_of(before, "what of from with after to by why") || (lo..at).any(|k| one_of(low(tokens, k), "he she they his her you if")) {
        return None;
    }
    let end = (at + 2..hi).find(|k| one_of(low(tokens, *k), "does do is has means makes and but that which")).unwrap_or(hi);
    Some((found(join(&[label, "works", &render(text, tokens, at + 1, end)]), Category::PersonalInfo, Confidence::IMPLIED, "a job"), at, end))
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

fn telling(_text: &str, tokens: &[Token], lo: usize, hi: usize, label: &str) -> Option<Special> {
    let at = (lo..hi).find(|k| low(tokens, *k) == "my")?;
    let noun_at = (at + 1..(at + 4).min(hi)).find(|k| TELLING.iter().any(|(noun, ..)| *noun == low(tokens, *k)))?;
    if (at + 1..noun_at).any(|k| !tokens[k].is_wordy() || low(tokens, k) == "'s" || KIN.contains(low(tokens, k)) || low(tokens, k) == "old") || (lo..at).any(|k| one_of(low(tokens, k), "sold lost gave used")) {
        return None;
    }
    let (_, says, category, family) = *TELLING.iter().find(|(noun, ..)| *noun == low(tokens, noun_at))?;
    Some((found(format!("{label} {says}"), category, Confidence::IMPLIED, family), at, noun_at + 1))
}

/// "hot take: tipping should be abolished".
pub(crate) fn opinion(text: &str, tokens: &[Token], hi: usize, label: &str) -> Option<Special> {
    const HEADS: &[&str] = &["hot take", "unpopular opinion", "controversial opinion", "in my opinion", "imo", "imho", "my take", "my opinion", "personal opinion", "hill i will die on"];
    let at = (0..hi.min(6)).find_map(|k| HEADS.iter().find_map(|head| matches_at(tokens, k, hi, head).map(|len| k + len)))?;
    let mut lo = at;
    while lo < hi && (!tokens[lo].is_wordy() || one_of(low(tokens, lo), "but that though is")) {
        lo += 1;
    }
    let end = trim_end(tokens, lo, hi);
    let claims = (lo..end).any(|k| one_of(low(tokens, k), "is are should must beats has have deserves deserve ruins makes was were needs need"));
    let about_you = (lo..end).any(|k| one_of(low(tokens, k), "you your this")) || one_of(low(tokens, lo), "it this that he she they you we");
    (claims && !about_you && end > lo + 2).then(|| {
        (found(join(&[label, "thinks that", &render(text, tokens, lo, end)]), Category::Preference, Confidence::STATED, "an opinion"), lo, end)
    })
}

/// "as a general rule never put comments in code you give me", "always answer me in metric units".
pub(crate) fn standing_wish(text: &str, tokens: &[Token], hi: usize, label: &str) -> Option<Special> {
    let lo = skip_fillers(tokens, 0, hi);
    let general = crate::clause::contains(tokens, 0, hi.min(10), "as a rule") || crate::clause::contains(tokens, 0, hi.min(10), "general rule") || crate::clause::contains(tokens, 0, hi.min(10), "from now on") || crate::clause::contains(tokens, 0, hi.min(10), "in general") || crate::clause::contains(tokens, 0, hi.min(10), "in future");
    let at = (lo..hi.min(lo + 8)).find(|k| one_of(low(tokens, *k), "always never") || general && one_of(low(tokens, *k), "use keep write give answer reply explain format call address avoid"))?;
    let prefix_is_plain = (lo..at).all(|k| one_of(low(tokens, k), "as a general rule from now on in future please can you could general future and just when but ,") || !tokens[k].is_wordy());
    let verb_at = if one_of(low(tokens, at), "always never") { at + 1 } else { at };
    let verb = low(tokens, verb_at);
    let is_imperative = one_of(verb, "use put give write keep answer reply explain format call address avoid show include add send tell suggest recommend start end speak talk quote cite convert round assume apologise apologize bother ask");
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
    words = words.replace("the assistant give ", "the assistant gives ").replace("the assistant write ", "the assistant writes ").replace("the assistant send ", "the assistant sends ").replace("the assistant show ", "the assistant shows ");
    let how = if low(tokens, at) == "never" { "never to" } else if low(tokens, at) == "always" { "always to" } else { "to" };
    Some((found(join(&[label, "wants the assistant", how, &words]), Category::Preference, Confidence::STATED, "a standing wish"), lo, end))
}
