//! "I'm …": names, ages, trades, origins, traits, ties, fears, abilities.

use keepsake_domain::{Category, Confidence, Durability};

use super::{Around, Found, has_duration, has_life_time, is_passing, role};
use crate::clause::low;
use crate::lexicon::*;
use crate::parse::{Actor, Parsed, Tense};
use crate::rewrite;

/// Words of degree before a trait.
const DEGREES_OF: &str = "very so quite pretty super really too deeply severely mildly badly a bit little newly recently happily currently now still also
    actually officially basically almost nearly about turning highly strictly completely totally fully deathly mostly partly slightly
    red-green red green registered legally profoundly clinically extremely incredibly lifelong proudly just only part hopelessly absolutely fairly rather more way weirdly properly both all by technically";

pub(crate) fn find(p: &Parsed<'_>, around: Around<'_>) -> Option<Found> {
    let mut q = p.clone();
    let mut at = q.rest;
    while at + 1 < q.end
        && one_of(low(q.tokens, at), DEGREES_OF)
        && !(low(q.tokens, at) == "more" && low(q.tokens, at + 1) == "of")
        && !(low(q.tokens, at) == "only" && low(q.tokens, at + 1) == "child")
        && !(low(q.tokens, at) == "a" && !one_of(low(q.tokens, at + 1), "bit little"))
    {
        at += 1;
    }
    let skipped = at - q.rest;
    q.rest = at;
    let word = q.word(0).to_owned();
    if word.is_empty()
        || p.tense == Tense::PerfectCopula
            && !has_duration(p)
            && !p.has_adverb("always never")
            && !(p.word(0) == "to" || one_of(p.word(0), "vegan vegetarian diagnosed married divorced single"))
    {
        return None;
    }
    if p.tense == Tense::PerfectCopula {
        return perfect(p, around);
    }
    let found = number(&q, around)
        .or_else(|| place(&q, around))
        .or_else(|| role::noun(&q, around))
        .or_else(|| trait_of(&q, p, around))
        .or_else(|| name(&q, around, skipped))?;
    // "is on insulin since …" is said with "has been".
    let found = if p.tense == Tense::Copula
        && !p.is_negated
        && q.says("since")
        && found.content.contains(" is ")
        && found.family != "a home"
    {
        let content = found.content.replacen(" is ", " has been ", 1);
        found.content(content)
    } else {
        found
    };
    (!is_passing(p) || p.says("sober")).then_some(found)
}

/// "I've been to Peru", "I've been vegan since 2010", "I've been a customer for ten years".
fn perfect(p: &Parsed<'_>, around: Around<'_>) -> Option<Found> {
    let word = p.word(0);
    if is_passing(p) && word == "to" {
        return None;
    }
    if p.has_adverb("never")
        && one_of(word, "abroad on in outside skiing camping sailing married")
        && !one_of(p.word(1), "this that the it my")
    {
        return Some(Found::new(p, around, Category::Experience, "something never done"));
    }
    if word == "together" && (p.is_plural || p.actor == Actor::Dropped && has_duration(p)) {
        return Some(Found::new(p, around, Category::Relationship, "a tie"));
    }
    if word == "to" {
        let is_place = one_of(p.word(1), "every all") && p.end - p.rest >= 3
            || p.tokens.get(p.rest + 1).is_some_and(|t| t.is_capital)
            || PROPER.contains(p.word(1))
            || p.is_negated
            || p.has_adverb("never once twice");
        return (is_place && !one_of(p.word(1), "the your this that hell"))
            .then(|| Found::new(p, around, Category::Experience, "a journey"));
    }
    if one_of(word, "a an") {
        let customer = p.rest_words().take(5).any(|w| one_of(w, "customer subscriber member client user supporter reader"));
        let jest = JESTS.contains(p.word(1)) && !customer;
        let cares = p
            .rest_words()
            .take(5)
            .any(|w| one_of(w, "carer caregiver mother father mum mom dad parent widow widower grandmother grandfather"));
        let head_at = p.rest_words().position(|w| PREPOSITIONS.contains(w)).unwrap_or(p.end - p.rest);
        let head = p.word(head_at.saturating_sub(1));
        let jest = jest || JESTS.contains(head) && !customer;
        let category = if customer {
            Category::Experience
        } else if cares {
            Category::Relationship
        } else {
            Category::Skill
        };
        return (!jest).then(|| Found::new(p, around, category, if customer { "a long custom" } else { "long experience" }));
    }
    if word == "the" && has_duration(p) && p.rest_words().take(4).any(|w| TRADES.contains(w) || role::is_trade(w)) {
        return Some(Found::new(p, around, Category::Skill, "long experience"));
    }
    if word == "with" && p.rest_words().any(|w| one_of(w, "you")) {
        let at = (p.rest + 2..p.end).find(|k| one_of(low(p.tokens, *k), "since for")).unwrap_or(p.rest + 2);
        let content = format!("{} has been a customer {}", around.label, rewrite::render(around.text, p.tokens, at, p.end));
        return Some(Found::new(p, around, Category::Experience, "a long custom").content(content));
    }
    if word == "with" || TRAITS_TIES.contains(word) {
        return Some(Found::new(p, around, Category::Relationship, "a tie"));
    }
    if TRAITS_PREFERENCE.contains(word) {
        return Some(Found::new(p, around, Category::Preference, "a diet"));
    }
    if word == "off" && one_of(p.word(1), "work sick meat alcohol") {
        return Some(Found::new(p, around, Category::PersonalInfo, "health").durability(Durability::Situational));
    }
    if one_of(word, "in at on into") {
        let category = if one_of(word, "into") {
            Category::Preference
        } else if one_of(word, "on")
            || one_of(p.word(1), "therapy recovery remission care")
            || p.tokens.get(p.rest + 1).is_some_and(|t| t.is_capital)
        {
            Category::PersonalInfo
        } else {
            Category::Experience
        };
        let skip = one_of(p.word(1), "this hold queue it contact touch the-phone");
        return (!skip && has_duration(p)).then(|| Found::new(p, around, category, "a long state"));
    }
    if one_of(word, "diagnosed") || TRAITS_PERSONAL.contains(word) || FEARS.contains(word) || HEALTH.contains(word) {
        return Some(Found::new(p, around, Category::PersonalInfo, "health"));
    }
    None
}

/// "I'm 63", "29", "I'm turning 40 in May", "I'm 180cm".
fn number(p: &Parsed<'_>, around: Around<'_>) -> Option<Found> {
    let word = p.word(0);
    if one_of(p.word(1), "years year months days") && one_of(p.word(2), "sober clean") {
        let found = Found::new(p, around, Category::PersonalInfo, "health");
        return Some(found.content(format!(
            "{} has been {} for {}",
            around.label,
            p.word(2),
            rewrite::render(around.text, p.tokens, p.rest, p.rest + 2)
        )));
    }
    let age: Option<u32> = word.trim_end_matches("yo").parse().ok().or_else(|| spelled(word));
    if let Some(age) = age {
        let next = p.word(1);
        let is_end = next.is_empty() || one_of(next, "years year yrs yo y/o and next this in now old turning years-old");
        let is_age = (10..=110).contains(&age)
            && is_end
            && !one_of(p.word(2), "minutes away late behind meetings")
            && !(next == "years" && p.word(2) != "old" && p.word(2) != "young")
            && !(next == "in" && p.word(2).parse::<u32>().is_ok());
        if !is_age
            || p.is_negated
            || p.is_plural
            || p.actor == Actor::Dropped
                && !around.inherits
                && !(around.is_first
                    && (next == "years" || word.ends_with("yo") || p.end - p.rest == 1 && p.tokens.len() > p.end + 1))
        {
            return None;
        }
        if p.actor == Actor::Dropped && !around.inherits && next.is_empty() && !one_of(low(p.tokens, p.rest + 1), ", . / and") {
            return None;
        }
        let is_coming = p.rest > 0 && low(p.tokens, p.rest - 1) == "turning" || p.says("next");
        let content = if is_coming {
            rewrite::sentence(around.text, p, around.label)
        } else {
            format!("{} is {age} years old", around.label)
        };
        return Some(Found::new(p, around, Category::PersonalInfo, "age").content(content).slot("age"));
    }
    if one_of(p.word(1), "months weeks days") && p.word(2) == "pregnant" && p.actor == Actor::Speaker {
        return Some(Found::new(p, around, Category::PersonalInfo, "health").durability(Durability::Situational));
    }
    let is_feet = one_of(p.word(1), "foot feet ft")
        && (age.is_some() || one_of(word, "four five six seven") || word.parse::<u32>().is_ok());
    if is_feet && p.actor == Actor::Speaker && !p.says("away from deep snow") {
        return Some(Found::new(p, around, Category::PersonalInfo, "trait"));
    }
    let is_height = word.ends_with("cm") && word.len() <= 5
        || word.ends_with("ft")
        || word.contains('\'') && word.starts_with(|c: char| c.is_ascii_digit());
    (is_height && p.actor == Actor::Speaker).then(|| Found::new(p, around, Category::PersonalInfo, "trait"))
}

fn spelled(word: &str) -> Option<u32> {
    let units = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
    let tens = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    let teens = ["ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"];
    if let Some(n) = teens.iter().position(|w| *w == word) {
        return Some(10 + n as u32);
    }
    let (ten, unit) = word.split_once('-').unwrap_or((word, ""));
    let ten = tens.iter().position(|w| *w == ten)? as u32 * 10 + 20;
    Some(ten + units.iter().position(|w| *w == unit).map_or(0, |n| n as u32 + 1))
}

/// "I'm from Leeds", "I'm based in Oslo", "I'm on Fedora", "I'm in my forties", "I'm at uni".
fn place(p: &Parsed<'_>, around: Around<'_>) -> Option<Found> {
    let (word, next, third) = (p.word(0), p.word(1), p.word(2));
    // "three years into my phd", "two months into an apprenticeship"
    if one_of(next, "years year months weeks")
        && third == "into"
        && (word.parse::<u32>().is_ok() || one_of(word, "one two three four five six seven a"))
    {
        let telling = p.rest_words().skip(3).any(|w| DEGREES.contains(w) || TRADES.contains(w) || one_of(w, "apprenticeship training course uni university college recovery sobriety sentence marriage retirement traineeship"));
        let content = rewrite::join(&[around.label, "is", &rewrite::render(around.text, p.tokens, p.rest, p.end)]);
        return telling.then(|| Found::new(p, around, Category::PersonalInfo, "studies").content(content));
    }
    let named =
        |n: usize| p.tokens.get(p.rest + n).is_some_and(|t| t.is_capital) && p.rest + n < p.end || PROPER.contains(p.word(n));
    let personal = |family| Found::new(p, around, Category::PersonalInfo, family);
    match word {
        "originally" if next == "from" => Some(personal("origin").slot("origin")),
        "from" if p.says("to") => None,
        "from"
            if !one_of(next, "the it this that your here there now what a") && !p.is_negated
                || word == "from" && next == "the" && named(2)
                || word == "from" && next == "a" && p.rest_words().any(|w| one_of(w, "town village family city island farm")) =>
        {
            Some(personal("origin").slot("origin"))
        }
        "based" | "located" | "situated" if one_of(next, "in at out near on") => {
            let is_work = p.says("office branch site campus depot");
            Some(personal(if is_work { "a workplace" } else { "a home" }).slot(if is_work { "workplace" } else { "home" }))
        }
        "in" => {
            if next == "my"
                && (third.ends_with("0s") || third.ends_with("ies") || one_of(third, "early late mid teens"))
                && !one_of(third, "series")
            {
                return Some(personal("age").slot("age"));
            }
            if next == "the" && p.says("year term semester") && p.says("my") {
                return Some(personal("studies"));
            }
            if next == "my" && p.says("year semester term") && p.says("of first second third final last fourth") || next == "year"
            {
                return Some(personal("studies"));
            }
            if one_of(
                next,
                "sales marketing finance it hr logistics retail education healthcare construction advertising banking tech academia publishing insurance",
            ) && p.end - p.rest == 2
                || next == "the" && one_of(third, "army navy military police raf")
            {
                return Some(personal("a job"));
            }
            if next.len() <= 4
                && next.starts_with(|c: char| c.is_ascii_digit())
                && next.ends_with(|c: char| c.is_ascii_alphabetic())
                && p.end - p.rest == 2
                && p.actor == Actor::Speaker
            {
                return Some(personal("a home").slot("flat"));
            }
            if one_of(next, "recovery remission therapy") {
                return Some(personal("health"));
            }
            if next == "a" && one_of(p.rest_words().nth(2).unwrap_or(""), "band choir wheelchair relationship choir quartet")
                || next == "a" && p.says("choir band orchestra wheelchair league quartet")
            {
                let category = if p.says("wheelchair") { Category::PersonalInfo } else { Category::Preference };
                return Some(Found::new(p, around, category, "a membership"));
            }
            if one_of(
                next,
                "logistics manufacturing hospitality catering security insurance law medicine aviation film theatre theater publishing property recruitment procurement pharma",
            ) && p.end - p.rest == 2
            {
                return Some(personal("a job"));
            }
            (named(1)
                && p.actor == Actor::Speaker
                && (!p.is_plural || p.says("days"))
                && !one_of(next, MONTHS)
                && !one_of(next, WEEKDAYS)
                && p.end - p.rest <= 4)
                .then(|| personal("a home").confidence(Confidence::IMPLIED).slot("home"))
        }
        "on" if next == "the"
            && p.rest_words().skip(2).take(3).any(|w| one_of(w, "team board committee council crew desk ward"))
            && p.end - p.rest >= 4
            && !p.says("same") =>
        {
            Some(personal("a job"))
        }
        "on" if next == "universal" || one_of(next, "jobseekers disability") => {
            Some(personal("a state").durability(Durability::Situational))
        }
        "away" if next == "at" && third == "sea" => Some(personal("a job").durability(Durability::Situational)),
        "on" if next == "the" && p.says("spectrum") => Some(personal("health")),
        "halfway" | "partway"
            if next == "through"
                && p.says("course degree phd masters apprenticeship training chemo treatment divorce novel book diploma") =>
        {
            Some(personal("studies").durability(Durability::Situational))
        }
        "on" => {
            if one_of(
                next,
                "windows linux macos mac ubuntu fedora debian arch nixos android ios chrome firefox safari freebsd opensuse gentoo mint zsh fish emacs vim neovim manjaro pop void alpine",
            ) || named(1)
                && p.end - p.rest <= 3
                && !one_of(next, WEEKDAYS)
                && !one_of(next, MONTHS)
                && !next.starts_with(|c: char| c.is_ascii_digit())
                && p.actor == Actor::Speaker
            {
                return Some(Found::new(p, around, Category::Preference, "a tool").content(format!(
                    "{} uses {}",
                    around.label,
                    rewrite::render(around.text, p.tokens, p.rest + 1, p.end)
                )));
            }
            if p.says("medication antidepressants insulin ssris meds statins thinners thinner warfarin methotrexate beta-blockers steroids hrt antibiotics dialysis") {
                return Some(personal("health"));
            }
            let drug = p.end - p.rest <= 4
                && p.rest_words().skip(1).any(|w| {
                    w.len() > 6
                        && [
                            "line", "tine", "pram", "zole", "pril", "olol", "formin", "epam", "statin", "oxine", "idone", "mab",
                            "trexate", "profen",
                        ]
                        .iter()
                        .any(|end| w.ends_with(end))
                        && !one_of(w, "online offline deadline timeline pipeline hotline airline")
                });
            if drug {
                return Some(personal("health"));
            }
            if p.says("pension income disability benefits probation parole dialysis") && !one_of(next, "the my") {
                return Some(personal("a state").durability(Durability::Situational));
            }
            if one_of(next, "a an")
                && p.rest_words()
                    .skip(2)
                    .any(|w| one_of(w, "mac macbook thinkpad pc chromebook pixel iphone ipad android laptop dell linux windows"))
                && p.end - p.rest <= 5
            {
                return Some(Found::new(p, around, Category::Preference, "a tool").content(format!(
                    "{} uses {}",
                    around.label,
                    rewrite::render(around.text, p.tokens, p.rest + 1, p.end)
                )));
            }
            if p.says("diet keto leave sabbatical shifts shift nights") && (next != "the" || p.says("shift shifts")) {
                return Some(if p.says("diet keto") {
                    Found::new(p, around, Category::Preference, "a diet")
                } else {
                    personal("a job").durability(Durability::Situational)
                });
            }
            None
        }
        "at" => {
            let is_study = one_of(next, "uni university college school");
            let is_work = p.says("office branch site campus") || next == "the" && p.says("one") && named(2);
            (is_study || is_work).then(|| {
                let content = if is_work {
                    format!("{} works {}", around.label, rewrite::render(around.text, p.tokens, p.rest, p.end))
                } else {
                    rewrite::sentence(around.text, p, around.label)
                };
                personal(if is_work { "a workplace" } else { "studies" }).content(content).slot(if is_work {
                    "workplace"
                } else {
                    "studies"
                })
            })
        }
        "between" if next == "jobs" => Some(personal("a job").durability(Durability::Situational)),
        "out" if next == "of" && third == "work" => Some(personal("a job").durability(Durability::Situational)),
        "off" if next == "to" && p.tokens.get(p.rest + 2).is_some_and(|t| t.is_capital || PROPER.contains(t.low.as_str())) => {
            super::has_future_time(p).then(|| Found::new(p, around, Category::Goal, "a plan"))
        }
        "with"
            if next == "the"
                && one_of(
                    p.rest_words().last().unwrap_or(""),
                    "brigade police army navy coastguard ambulance raf marines service council",
                ) =>
        {
            Some(personal("a job"))
        }
        "off" if one_of(next, "dairy gluten sugar meat alcohol caffeine carbs bread coffee booze") => {
            Some(Found::new(p, around, Category::Preference, "a diet"))
        }
        "with" if one_of(next, "vodafone o2 ee t-mobile verizon at&t telekom orange") => {
            Some(Found::new(p, around, Category::PersonalInfo, "a custom"))
        }
        "half" if named(1) => Some(personal("origin")),
        _ => None,
    }
}

/// "I'm vegan", "I'm allergic to nuts", "I'm married", "I'm terrified of tunnels", "I'm good at chess".
fn trait_of(q: &Parsed<'_>, p: &Parsed<'_>, around: Around<'_>) -> Option<Found> {
    let (word, next) = (q.word(0), q.word(1));
    if word == "hard" && next == "of" && q.word(2) == "hearing" {
        let content = rewrite::join(&[around.label, "is hard of hearing"]);
        return Some(Found::new(p, around, Category::PersonalInfo, "trait").content(content));
    }
    if p.word(0) == "more"
        && one_of(p.word(1), "comfortable productive confident fluent happy relaxed")
        && one_of(p.word(2), "in with on at")
        && p.says("than")
    {
        return Some(Found::new(p, around, Category::Preference, "a preference"));
    }
    let hyphenated = format!("{word}-{next}");
    if TRAITS_PERSONAL.contains(hyphenated.as_str()) && !p.is_negated {
        let q_end = q.rest + 2;
        let content = rewrite::join(&[around.label, "is", &rewrite::render(around.text, q.tokens, q.rest, q_end)]);
        return Some(Found::new(p, around, Category::PersonalInfo, "trait").content(content));
    }
    let is_free =
        ["lactose", "gluten", "dairy", "sugar", "alcohol", "meat", "smoke", "caffeine"].contains(&word) && next == "free";
    if (is_free || word == "sighted" && p.has_adverb("partially")) && !p.is_negated {
        let content = if is_free {
            rewrite::join(&[around.label, "is", &rewrite::render(around.text, q.tokens, q.rest, q.rest + 2)])
        } else {
            rewrite::sentence(around.text, p, around.label)
        };
        let category = if is_free { Category::Preference } else { Category::PersonalInfo };
        return Some(Found::new(p, around, category, "trait").content(content));
    }
    let is_bare_dropped = p.actor == Actor::Dropped && !around.inherits;
    let named_thing = !next.is_empty() && !one_of(q.word(2), "i you we they he she it");
    let make = |category, family| {
        let content = if p.actor == Actor::Dropped {
            rewrite::join(&[
                around.label,
                "is",
                if p.is_negated { "not" } else { "" },
                &rewrite::render(
                    around.text,
                    p.tokens,
                    p.rest,
                    p.end - usize::from(p.end > p.rest + 1 && low(p.tokens, p.end - 1) == "here"),
                ),
            ])
        } else {
            rewrite::sentence(around.text, p, around.label)
        };
        Found::new(p, around, category, family).content(content)
    };
    if one_of(word, "allergic intolerant sensitive") {
        return (next == "to" && !one_of(q.word(2), "the that this your bullshit work mornings nonsense"))
            .then(|| make(Category::PersonalInfo, "health"));
    }
    if FEARS.contains(word) {
        return (next == "of" && !one_of(q.word(2), "what the-dark that this it you losing") && named_thing)
            .then(|| make(Category::PersonalInfo, "a fear"));
    }
    if word == "no" && next == "good" && q.word(2) == "at" && !one_of(q.word(3), "this that it all") {
        return Some(make(Category::Skill, "an ability"));
    }
    if ABILITIES.contains(word) && one_of(next, "at with in as") && !one_of(q.word(2), "this that it the all home you me present")
    {
        let skip = one_of(word, "ok okay better best great good fine")
            && next == "with"
            && !one_of(q.word(2), "kids children numbers animals people my computers words plants languages")
            || one_of(word, "good great fine okay ok best handy") && next == "in";
        if skip || one_of(word, "crap shit") && q.says("everything") {
            return None;
        }
        let is_training = one_of(word, "trained certified qualified");
        let category = Category::Skill;
        return Some(make(category, if is_training { "training" } else { "an ability" }));
    }
    if word == "fluent" {
        return Some(make(Category::Skill, "a language"));
    }
    if one_of(word, "named called")
        && !next.is_empty()
        && q.actor == Actor::Speaker
        && !p.is_plural
        && q.tokens[q.rest + 1].is_capital
    {
        return Some(
            Found::new(p, around, Category::PersonalInfo, "name")
                .content(format!(
                    "{} name is {}",
                    rewrite::possessive(around.label),
                    rewrite::render(around.text, q.tokens, q.rest + 1, q.end)
                ))
                .slot("name"),
        );
    }
    if one_of(word, "keen interested") && next == "to" {
        return None;
    }
    if word == "into" && !next.is_empty() && !one_of(next, "it this that the you")
        || FONDNESS.contains(word)
            && one_of(next, "on of with about in to")
            && !one_of(
                q.word(2),
                "this that it the your you what how a seeing knowing hearing getting trying buying upgrading moving anything changing switching these",
            )
            && !(word == "mad" && one_of(next, "with in to on"))
    {
        return Some(make(Category::Preference, "a taste"));
    }
    if word == "new" && next == "to" && !one_of(q.word(2), "this that it the here all") {
        return Some(make(Category::Skill, "an ability"));
    }
    if one_of(word, "married engaged") && one_of(next, "to")
        || TRAITS_TIES.contains(word)
            && (next.is_empty() || one_of(next, "with for and since now again from twice to in on"))
            && !(word == "engaged" && one_of(next, "in with"))
            && !(word == "single" && p.is_negated)
    {
        if one_of(word, "dating") && next.is_empty()
            || p.actor == Actor::Dropped && is_bare_dropped && next.is_empty() && one_of(word, "single engaged separated")
        {
            return None;
        }
        return Some(make(Category::Relationship, "a tie").slot("marital"));
    }
    if word == "due" && (next == "in" || next == "on") && q.actor == Actor::Speaker && !q.is_plural {
        return (q.rest_words().any(|w| one_of(w, MONTHS))).then(|| Found::new(p, around, Category::Goal, "an event"));
    }
    if one_of(word, "diagnosed") && one_of(next, "with as") {
        return Some(Found::new(p, around, Category::PersonalInfo, "health").content(format!(
            "{} was {}",
            around.label,
            rewrite::render(around.text, q.tokens, q.rest, q.end)
        )));
    }
    if word == "born" && one_of(next, "in on at and to near into") || word == "raised" && one_of(next, "in by on") {
        let category = Category::PersonalInfo;
        return Some(Found::new(p, around, category, "origin").content(format!(
            "{} was {}",
            around.label,
            rewrite::render(around.text, q.tokens, q.rest, q.end)
        )));
    }
    if word == "estranged" && next == "from" {
        return Some(make(Category::Relationship, "a tie"));
    }
    if one_of(word, "responsible") && next == "for" && !one_of(q.word(2), "this that it the-mess") {
        return Some(make(Category::PersonalInfo, "a job"));
    }
    let ends = next.is_empty()
        || PREPOSITIONS.contains(next)
        || one_of(next, "and but apart except so now , since myself again too here or person too");
    if TRAITS_PREFERENCE.contains(word) && ends {
        return (!is_bare_dropped
            || q.rest > p.rest
            || next == "here"
            || next.is_empty() && p.end - p.rest == 1 && p.tokens.iter().filter(|t| t.is_wordy()).count() <= 3
            || !next.is_empty())
        .then(|| {
            let end = if next == "here" { q.rest + 1 } else { q.end };
            Found::new(p, around, Category::Preference, "a diet").content(rewrite::join(&[
                around.label,
                "is",
                if p.is_negated { "not" } else { "" },
                &rewrite::render(around.text, q.tokens, q.rest, end),
            ]))
        });
    }
    if TRAITS_PERSONAL.contains(word)
        && (ends
            || TRAITS_PERSONAL.contains(next)
            || one_of(next, "intolerant impaired deaf blind colourblind born by in expecting australian american")
            || HEALTH.contains(next))
    {
        if word == "straight" && !next.is_empty()
            || word == "blind" && next == "to"
            || word == "expecting" && (next.is_empty() || one_of(next, "to that"))
            || word == "deaf" && next == "to"
            || word == "adopted" && !next.is_empty() && next != "and"
            || one_of(word, "polish") && !next.is_empty()
            || word == "sober" && next.is_empty()
            || p.is_negated && !one_of(word, "diabetic religious straight gay british english american jewish muslim catholic")
            || word == "tall" && is_bare_dropped
            || word == "visually" && next != "impaired"
        {
            return None;
        }
        let is_health = one_of(
            word,
            "allergic intolerant diabetic coeliac celiac asthmatic epileptic autistic dyslexic dyspraxic deaf blind colourblind colorblind colour-blind color-blind adhd bipolar anaemic anemic hypermobile claustrophobic agoraphobic arachnophobic",
        );
        let category = if one_of(word, "widowed") { Category::Relationship } else { Category::PersonalInfo };
        // "jewish but not religious", "bipolar and the clocks wreck me": the trait is the statement.
        if one_of(next, "but and so") && !TRAITS_PERSONAL.contains(q.word(2)) {
            let content = rewrite::join(&[
                around.label,
                "is",
                if p.is_negated { "not" } else { "" },
                &rewrite::render(around.text, q.tokens, q.rest, q.rest + 1),
            ]);
            return (!is_bare_dropped).then(|| Found::new(p, around, category, "trait").content(content));
        }
        let needs = is_bare_dropped && next.is_empty() && !is_health && !one_of(word, "retired");
        return (!needs).then(|| make(category, if is_health { "health" } else { "trait" }));
    }
    None
}

/// "I'm Tamsin": a capital word that no list knows.
fn name(p: &Parsed<'_>, around: Around<'_>, skipped: usize) -> Option<Found> {
    if p.actor != Actor::Speaker || p.is_plural || p.is_negated || skipped > 0 || !p.adverbs.is_empty() {
        return None;
    }
    let token = p.tokens.get(p.rest)?;
    let word = p.word(0);
    let raw = around.text.get(token.start..token.end)?;
    let is_shouted = raw.chars().count() > 1 && raw.chars().all(|c| !c.is_lowercase());
    let known = PROPER.contains(word)
        || FILLERS.contains(word)
        || PASSING.contains(word)
        || base_of_ing(word).is_some()
        || word.ends_with("ed")
        || word.len() < 2;
    if !token.is_capital || is_shouted || known || TRAITS_PERSONAL.contains(word) {
        return None;
    }
    let mut end = p.rest + 1;
    while end < p.end && p.tokens[end].is_capital && p.tokens[end].is_wordy() && end - p.rest < 3 {
        end += 1;
    }
    let after = low(p.tokens, end);
    let closes = end >= p.end || one_of(after, "and from btw , the");
    let content =
        format!("{} name is {}", rewrite::possessive(around.label), rewrite::render(around.text, p.tokens, p.rest, end));
    closes.then(|| Found::new(p, around, Category::PersonalInfo, "name").content(content).slot("name"))
}

/// "I was born in Leeds", "I was a nurse for ten years", "I was diagnosed with ADHD".
pub(crate) fn past(p: &Parsed<'_>, around: Around<'_>) -> Option<Found> {
    let (word, next) = (p.word(0), p.word(1));
    let mut at = p.rest;
    while at < p.end && (one_of(low(p.tokens, at), DEGREES_OF) || low(p.tokens, at).ends_with("ly")) && low(p.tokens, at) != "a" {
        at += 1;
    }
    let key = low(p.tokens, at);
    match key {
        "born" | "raised" | "adopted" | "brought" if key != "brought" || low(p.tokens, at + 1) == "up" => {
            let says_more = at + 1 < p.end;
            says_more.then(|| {
                Found::new(p, around, if key == "born" { Category::PersonalInfo } else { Category::Experience }, "origin")
            })
        }
        "diagnosed" => Some(Found::new(p, around, Category::PersonalInfo, "health")),
        "married" | "engaged" | "divorced" | "widowed" => Some(Found::new(p, around, Category::Experience, "a tie")),
        "laid" | "fired" | "sacked" | "promoted" | "evacuated" | "elected" | "made" | "hospitalised" | "hospitalized"
        | "bullied" | "deployed" | "stationed" | "homeschooled" | "home-schooled" | "arrested" | "burgled" | "robbed"
        | "mugged" | "bitten" | "struck" => {
            let is_redundancy = key != "made" || low(p.tokens, at + 1) == "redundant";
            is_redundancy.then(|| Found::new(p, around, Category::Experience, "an event of their life"))
        }
        _ if word == "the" && next == "first" && p.says("to") && p.says("family school team year") => {
            Some(Found::new(p, around, Category::Experience, "a past time"))
        }
        _ if one_of(word, "a an the") && !JESTS.contains(next) => {
            let words: Vec<&str> = p.rest_words().skip(1).collect();
            let cut = words.iter().position(|w| PREPOSITIONS.contains(w)).unwrap_or(words.len());
            let head = *words.get(cut.checked_sub(1)?)?;
            let is_role =
                TRADES.contains(head) || role::is_trade(head) || one_of(head, "child kid member smoker dancer gymnast champion");
            (is_role
                && (has_life_time(p)
                    || has_duration(p)
                    || cut == words.len()
                    || one_of(words.get(cut).copied().unwrap_or(""), "in at for with of until"))
                && !is_passing(p))
            .then(|| Found::new(p, around, Category::Experience, "a past trade"))
        }
        "vegan" | "vegetarian" => Some(Found::new(p, around, Category::Experience, "a past habit")),
        "in" | "at" | "on"
            if has_life_time(p)
                && p.says("band army navy choir team uni university school prison coma hospital military police")
                || p.word(1) == "the" && one_of(p.word(2), "army navy marines raf military police scouts") =>
        {
            Some(Found::new(p, around, Category::Experience, "a past time"))
        }
        _ => None,
    }
}
