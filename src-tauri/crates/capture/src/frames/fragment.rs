//! Telegrams: what people say of themselves without a verb. "books over films for me", "no car", "Leeds born and bred",
//! "day job: nurse", "dark mode always".

use keepsake_domain::{Category, Confidence};

use super::special::{Special, found};
use crate::clause::{Clause, low, matches_at};
use crate::lexicon::*;
use crate::rewrite::{join, possessive, render};
use crate::token::Token;

/// What the clause says as a telegram.
pub(super) fn find(text: &str, tokens: &[Token], clause: &Clause, lo: usize, hi: usize, label: &str) -> Option<Special> {
    over(text, tokens, clause, lo, hi, label)
        .or_else(|| always(text, tokens, clause, lo, hi, label))
        .or_else(|| born_and(text, tokens, lo, hi, label))
        .or_else(|| living(text, tokens, clause, lo, hi, label))
        .or_else(|| put_me(text, tokens, lo, hi, label))
        .or_else(|| without(text, tokens, clause, lo, hi, label))
        .or_else(|| name_here(text, tokens, clause, lo, hi, label))
        .or_else(|| calling(text, tokens, clause, lo, hi, label))
        .or_else(|| short(text, tokens, clause, lo, hi, label))
}

/// Whether the tokens are a bare noun phrase: nothing asks, refers or acts.
fn is_bare_phrase(tokens: &[Token], lo: usize, hi: usize) -> bool {
    lo < hi
        && (lo..hi).all(|k| {
            let w = low(tokens, k);
            tokens[k].is_wordy()
                && !PRONOUNS.contains(w)
                && !AUXILIARIES.contains(w)
                && !ASKERS.contains(w)
                && !one_of(w, "me you your my it them him her his us please not if and or same almost nearly like love want need get make let come go")
        })
}

/// "software tester by day", "nurse on a stroke ward", "dad to two teenage girls", "total beginner with spreadsheets": what
/// somebody is, at the head of a message, without subject, verb and article.
fn calling(text: &str, tokens: &[Token], clause: &Clause, lo: usize, hi: usize, label: &str) -> Option<Special> {
    /// "recently qualified primary school teacher": with more words before it the noun is no calling but a topic.
    const NOUN_AT_MOST: usize = 4;
    if !clause.opener.is_empty() || clause.lo != 0 || clause.mood != crate::clause::Mood::Plain {
        return None;
    }
    let noun =
        (lo..hi.min(lo + NOUN_AT_MOST)).find(|k| PREPOSITIONS.contains(low(tokens, k + 1)) || low(tokens, k + 1) == "here")?;
    let (word, preposition, after) = (low(tokens, noun), low(tokens, noun + 1), low(tokens, noun + 2));
    let is_parent = one_of(word, "mum mom dad mother father parent grandmother grandfather");
    let is_novice = one_of(word, "beginner novice newbie");
    let is_told = match preposition {
        "by" => one_of(after, "day night trade profession training"),
        "of" | "to" => {
            is_parent
                && (tokens.get(noun + 2)?.kind == crate::token::Kind::Number
                    || one_of(after, "a one two three four five six twins twin"))
        }
        "with" | "at" if is_novice => true,
        "in" | "on" | "at" | "with" | "for" => {
            one_of(after, "a an") || tokens.get(noun + 2).is_some_and(|t| t.is_capital) && noun > lo
        }
        "here" => true,
        _ => false,
    };
    let is_calling = is_parent || is_novice || (TRADES.contains(word) || super::role::is_trade(word)) && preposition != "of";
    let is_passing = (noun + 2..hi)
        .any(|k| one_of(low(tokens, k), "hurry rush pickle bind mood mess meeting train bus call plane break queue crisis"));
    let is_time = is_passing || (noun + 2..hi).any(|k| crate::clause::is_time_word(tokens, k) && !one_of(preposition, "by"));
    if !is_calling
        || !is_told
        || is_time
        || hi < noun + 2
        || !is_bare_phrase(tokens, lo, noun + 1)
        || DETERMINERS.contains(low(tokens, lo))
    {
        return None;
    }
    let end = if preposition == "here" { noun + 1 } else { hi };
    let article = super::role::article_for(low(tokens, lo));
    let content = join(&[label, "is", article, &render(text, tokens, lo, end)]);
    let (category, family) = match () {
        () if is_parent => (Category::Relationship, "family"),
        () if is_novice => (Category::Skill, "an ability"),
        () => (Category::PersonalInfo, "a job"),
    };
    Some((found(content, category, Confidence::STATED, family), lo, end))
}

/// "tea over coffee for me", "trains over planes any day".
fn over(text: &str, tokens: &[Token], clause: &Clause, lo: usize, hi: usize, label: &str) -> Option<Special> {
    /// A longer side is no thing to choose.
    const SIDE_WORDS_MAX: usize = 4;
    let cue = (lo..clause.hi).find_map(|k| {
        ["for me", "any day", "anyday", "every time", "all day", "all the way", "any time"]
            .iter()
            .find(|cue| matches_at(tokens, k, tokens.len(), cue).is_some())
            .map(|_| k)
    });
    let lo = matches_at(tokens, lo, hi, "give me").map_or(lo, |len| lo + len);
    let always_follows = low(tokens, clause.hi) == "," && one_of(low(tokens, clause.hi + 1), "always every any");
    let at = (lo + 1..hi).find(|k| low(tokens, *k) == "over")?;
    let end = cue.unwrap_or(hi).min(hi);
    let is_choice = (cue.is_some() || always_follows)
        && at - lo <= SIDE_WORDS_MAX
        && end > at + 1
        && end - at - 1 <= SIDE_WORDS_MAX
        && is_bare_phrase(tokens, lo, at)
        && is_bare_phrase(tokens, at + 1, end)
        && !one_of(low(tokens, lo), "hand pull take turn look come go move push carry run roll flip");
    is_choice.then(|| {
        let content = join(&[label, "prefers", &render(text, tokens, lo, end)]);
        (found(content, Category::Preference, Confidence::STATED, "a preference"), lo, end)
    })
}

/// "dark mode always", "always the window seat", "team tabs".
fn always(text: &str, tokens: &[Token], clause: &Clause, lo: usize, hi: usize, label: &str) -> Option<Special> {
    /// A longer phrase is a sentence.
    const PHRASE_WORDS_MAX: usize = 4;
    let says = |how: &str, from: usize, end: usize| {
        let content = join(&[label, how, &render(text, tokens, from, end)]);
        Some((found(content, Category::Preference, Confidence::STATED, "a preference"), lo, hi))
    };
    if low(tokens, lo) == "team" && hi == lo + 2 && (clause.opener.is_empty() || clause.opener == ",") && low(tokens, hi) != "of"
    {
        let is_choice = !one_of(low(tokens, lo + 1), "work effort meeting player lead leader captain building call");
        return if is_choice { says("prefers", lo + 1, hi) } else { None };
    }
    if low(tokens, hi - 1) == "always"
        && hi - lo >= 2
        && hi - lo <= PHRASE_WORDS_MAX + 1
        && is_bare_phrase(tokens, lo, hi - 1)
        && !(lo..hi - 1).any(|k| {
            is_known_verb(low(tokens, k)) || base_of_third(low(tokens, k)).is_some_and(|b| is_known_verb(&b)) && hi - lo == 2
        })
        && !one_of(low(tokens, lo), "as the this that so too late same there")
    {
        return says("always prefers", lo, hi - 1);
    }
    if low(tokens, lo) == "always"
        && one_of(low(tokens, lo + 1), "the a an")
        && hi - lo <= PHRASE_WORDS_MAX + 1
        && hi - lo >= 3
        && is_bare_phrase(tokens, lo + 2, hi)
        && !one_of(low(tokens, hi - 1), "pleasure joy delight treat one way case risk problem same bit good")
        && !one_of(low(tokens, lo + 2), "same way case good bridesmaid pleasure joy")
    {
        return says("always prefers", lo + 1, hi);
    }
    None
}

/// "put me down as veggie", "count me as a vegan".
fn put_me(text: &str, tokens: &[Token], lo: usize, hi: usize, label: &str) -> Option<Special> {
    let len = ["put me down as", "count me as", "mark me as"].iter().find_map(|head| matches_at(tokens, lo, hi, head))?;
    let at = lo + len + usize::from(one_of(low(tokens, lo + len), "a an"));
    let word = low(tokens, at);
    let diet = TRAITS_PREFERENCE.contains(word);
    (at + 1 == hi && (diet || TRAITS_PERSONAL.contains(word))).then(|| {
        let content = join(&[label, "is", &render(text, tokens, lo + len, hi)]);
        let category = if diet { Category::Preference } else { Category::PersonalInfo };
        (found(content, category, Confidence::STATED, "a diet"), lo, hi)
    })
}

/// "no tv since 2003", "no meat for me".
fn without(text: &str, tokens: &[Token], clause: &Clause, lo: usize, hi: usize, label: &str) -> Option<Special> {
    let no = (clause.lo..=lo).find(|k| low(tokens, *k) == "no")?;
    if no > clause.lo && !FILLERS.contains(low(tokens, clause.lo)) || !(clause.opener.is_empty() || clause.opener == ",") {
        return None;
    }
    let since = (no + 2..hi).find(|k| one_of(low(tokens, *k), "since"));
    let for_me = (no + 2..hi).find(|k| matches_at(tokens, *k, hi, "for me").is_some());
    let plain = |end: usize| end > no + 1 && end - no <= 3 && is_bare_phrase(tokens, no + 1, end);
    if let Some(at) = since.filter(|at| plain(*at) && at + 1 < hi)
        && (at + 1..hi).any(|k| {
            crate::clause::is_year(low(tokens, k))
                || one_of(low(tokens, k), "uni university college school childhood birth covid")
        })
    {
        let content = join(&[label, "has had no", &render(text, tokens, no + 1, hi)]);
        return Some((found(content, Category::Preference, Confidence::STATED, "a habit"), no, hi));
    }
    let at = for_me.filter(|at| plain(*at) && at + 2 == hi)?;
    let today = tokens.iter().any(|t| one_of(&t.low, TODAY_WORDS));
    (!today && !one_of(low(tokens, no + 1), "thanks problem worries more idea way excuse offence")).then(|| {
        let content = join(&[label, "avoids", &render(text, tokens, no + 1, at)]);
        (found(content, Category::Preference, Confidence::IMPLIED, "a taste"), no, at)
    })
}

/// A refusal with one of these is of this occasion.
const TODAY_WORDS: &str = "today tonight tomorrow now thanks please more then yet this";

/// "hi all, Marguerite here".
fn name_here(text: &str, tokens: &[Token], clause: &Clause, lo: usize, hi: usize, label: &str) -> Option<Special> {
    let token = &tokens[lo];
    let greets = one_of(low(tokens, 0), "hi hello hey hiya morning evening afternoon");
    let fits = token.is_capital
        && hi == lo + 2
        && low(tokens, lo + 1) == "here"
        && !PROPER.contains(token.low.as_str())
        && !TRAITS_PERSONAL.contains(token.low.as_str())
        && !TRAITS_PREFERENCE.contains(token.low.as_str())
        && !TRADES.contains(token.low.as_str())
        && !FILLERS.contains(token.low.as_str())
        && (greets || clause.lo == 0);
    (fits && !one_of(&token.low, "same same-here newbie first-time not long-time right over nothing mom dad mum nobody all me"))
        .then(|| {
            let content = format!("{} name is {}", possessive(label), render(text, tokens, lo, lo + 1));
            let mut found = found(content, Category::PersonalInfo, Confidence::STATED, "name");
            found.slot = Some("name".to_owned());
            (found, lo, hi)
        })
}

/// "Leeds born and bred", "born and raised in Cork".
fn born_and(text: &str, tokens: &[Token], lo: usize, hi: usize, label: &str) -> Option<Special> {
    let at = (lo..hi)
        .find(|k| low(tokens, *k) == "born" && low(tokens, *k + 1) == "and" && one_of(low(tokens, *k + 2), "bred raised"))?;
    let how = low(tokens, at + 2);
    let name = |k: usize| k < hi && (tokens[k].is_capital || PROPER.contains(low(tokens, k)));
    let (from, end) = if low(tokens, at + 3) == "in" && at == lo {
        (at + 4, hi)
    } else if at > lo && at - lo <= 2 && (lo..at).all(name) {
        (lo, at)
    } else {
        return None;
    };
    (from < end).then(|| {
        let content = format!("{label} was born and {how} in {}", render(text, tokens, from, end));
        (found(content, Category::PersonalInfo, Confidence::STATED, "origin"), lo, hi)
    })
}

/// "Glaswegian living in Lyon".
fn living(text: &str, tokens: &[Token], clause: &Clause, lo: usize, hi: usize, label: &str) -> Option<Special> {
    let at = (lo + 1..(lo + 4).min(hi)).find(|k| low(tokens, *k) == "living" && one_of(low(tokens, *k + 1), "in near on"))?;
    let plain = (lo..at).all(|k| {
        tokens[k].is_capital
            || PROPER.contains(low(tokens, k))
            || TRADES.contains(low(tokens, k))
            || one_of(low(tokens, k), "a an")
    });
    let named = at + 2 < hi
        && (tokens[at + 2].is_capital || PROPER.contains(low(tokens, at + 2)) || one_of(low(tokens, at + 2), "a the"));
    (plain && named && clause.opener.is_empty()).then(|| {
        let mut found =
            found(join(&[label, "is", &render(text, tokens, at, hi)]), Category::PersonalInfo, Confidence::STATED, "a home");
        found.slot = Some("home".to_owned());
        (found, lo, hi)
    })
}

/// "day job: nurse", "diet: vegan": a line of a profile. `hi` is the end of the sentence.
pub(crate) fn profile(text: &str, tokens: &[Token], label: &str) -> Option<Special> {
    /// A longer value is prose.
    const VALUE_WORDS_MAX: usize = 5;
    // Several lines of this kind are the sheet of a character or a form.
    let lines = text.lines().filter(|line| line.find(':').is_some_and(|at| at > 0 && at <= 16)).count();
    if lines >= 2 {
        return None;
    }
    let colon = (1..tokens.len().min(4)).find(|k| low(tokens, *k) == ":")?;
    let key: Vec<&str> = (0..colon).map(|k| low(tokens, k)).collect();
    let end = (colon + 1..tokens.len()).find(|k| one_of(low(tokens, *k), ", . ; ! ( ? — and but")).unwrap_or(tokens.len());
    let end = crate::parse::trim_end(tokens, colon + 1, end);
    let value_at = colon + 1;
    if value_at >= end || end - value_at > VALUE_WORDS_MAX || !is_bare_phrase(tokens, value_at, end) {
        return None;
    }
    let value = render(text, tokens, value_at, end);
    let job = TRADES.contains(low(tokens, end - 1)) || super::role::is_trade(low(tokens, end - 1));
    let (content, category, family) = match key.join(" ").as_str() {
        "day job" | "job" | "occupation" | "profession" | "my job" | "my day job" | "work" if job => {
            (join(&[label, "is", super::role::article_for(low(tokens, value_at)), &value]), Category::PersonalInfo, "a job")
        }
        "diet" | "my diet" => (join(&[label, "is", &value]), Category::Preference, "a diet"),
        "allergies" | "allergic to" | "my allergies" => {
            (join(&[label, "is allergic to", &value]), Category::PersonalInfo, "health")
        }
        "pronouns" | "my pronouns" => (join(&[&possessive(label), "pronouns are", &value]), Category::PersonalInfo, "trait"),
        "home" | "based" | "location" | "hometown" if tokens[value_at].is_capital => {
            (join(&[label, "lives in", &value]), Category::PersonalInfo, "a home")
        }
        _ => return None,
    };
    Some((found(content, category, Confidence::STATED, family), 0, end))
}

/// "two dogs and a patient husband", "no car", "no kids".
fn counted(text: &str, tokens: &[Token], clause: &Clause, lo: usize, hi: usize, label: &str) -> Option<Special> {
    /// A longer list is prose.
    const LIST_WORDS_MAX: usize = 7;
    let first = low(tokens, lo);
    let end = hi - usize::from(low(tokens, hi - 1) == "here");
    if !(clause.opener.is_empty() || clause.opener == ",")
        || !one_of(first, "no two three four five six")
        || low(tokens, hi - 1) == "left"
    {
        return None;
    }
    if clause.opener == "," && one_of(low(tokens, 0), "the a an my our his her this that she he they some one your") {
        return None;
    }
    let noun_at = (lo + 1..(lo + 3).min(end)).find(|k| {
        let w = low(tokens, *k);
        one_of(w, "kids children sons daughters boys girls brothers sisters siblings")
            || PETS.contains(w) && w != "bird"
            || first == "no" && one_of(w, "car tv dishwasher garden oven smartphone pets kids")
    })?;
    let noun = low(tokens, noun_at);
    let plain = (lo + 1..noun_at).all(|k| one_of(low(tokens, k), "rescue grown young small teenage little old big adult"));
    let closes = noun_at + 1 == end
        && (end < hi
            || tokens.get(hi).is_some_and(|t| t.low == ",")
            || hi + 1 >= tokens.len() && clause.opener == ","
            || tokens.len() <= 4)
        || low(tokens, noun_at + 1) == "and"
            && one_of(low(tokens, noun_at + 2), "a an one two three four")
            && end - lo <= LIST_WORDS_MAX;
    (plain && closes && (clause.opener.is_empty() || first != "no")).then(|| {
        let kin = KIN.contains(noun);
        (
            found(
                join(&[label, "has", &render(text, tokens, lo, end)]),
                if kin { Category::Relationship } else { Category::PersonalInfo },
                Confidence::STATED,
                if kin { "family" } else { "a possession" },
            ),
            lo,
            end,
        )
    })
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
    counted(text, tokens, clause, lo, hi, label)
}
