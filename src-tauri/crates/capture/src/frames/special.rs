//! Statements that do not begin with "I" or "my": dated events, "the plan is to …", years of practice,
//! held opinions, standing wishes about how to be answered.

use keepsake_domain::{Category, Confidence, Durability};

use super::{Found, fragment, mention, role as roles};
use crate::clause::{Clause, low, matches_at, skip_fillers};
use crate::lexicon::*;
use crate::parse::trim_end;
use crate::rewrite::{join, possessive, render, tidy};
use crate::token::Token;

/// A statement of this kind with its first and one past its last token.
pub(crate) type Special = (Found, usize, usize);

/// Whether the family is told by a mere mention, which a question presupposes as a statement does.
pub(crate) fn is_mention(family: &str) -> bool {
    matches!(family, "a mention" | "a mentioned belonging")
}

pub(super) fn found(content: String, category: Category, confidence: Confidence, family: &'static str) -> Found {
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
        .or_else(|| fragment::find(text, tokens, clause, lo, hi, label))
        .or_else(|| mention::find(text, tokens, lo, hi, label))
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
    if let Some(found) = anniversary(text, tokens, lo, hi, label) {
        return Some(found);
    }
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
    let placed = one_of(noun, "wedding honeymoon")
        && one_of(low(tokens, verb + 1), "in at")
        && tokens.get(verb + 2).is_some_and(|t| t.is_capital && verb + 2 < hi);
    (placed
        || dated && one_of(low(tokens, verb + 1), "on in at the this next due")
        || dated && one_of(low(tokens, verb + 1), MONTHS))
    .then(|| {
        let content = join(&[&possessive(label), &render(text, tokens, first, verb), "is", &render(text, tokens, verb + 1, hi)]);
        let mut found = found(content, Category::Goal, Confidence::STATED, "an event");
        found.slot = Some(format!("event {}", (first..verb).map(|k| low(tokens, k)).collect::<Vec<_>>().join(" ")));
        (found, lo, hi)
    })
}

/// "dad's 60th is in the garden", "my gran's 90th is in june".
fn anniversary(text: &str, tokens: &[Token], lo: usize, hi: usize, label: &str) -> Option<Special> {
    let kin = lo + usize::from(one_of(low(tokens, lo), "my our"));
    let is_theirs = KIN.contains(low(tokens, kin)) && low(tokens, kin + 1) == "'s";
    let number = low(tokens, kin + 2);
    let nth = number.starts_with(|c: char| c.is_ascii_digit()) && number.ends_with("th")
        || one_of(number, "wedding birthday graduation christening funeral hen stag");
    let verb = (kin + 3..(kin + 5).min(hi)).find(|k| low(tokens, *k) == "is")?;
    (is_theirs && nth && one_of(low(tokens, verb + 1), "at in on the next this") && verb + 2 < hi).then(|| {
        let content = join(&[&possessive(label), &render(text, tokens, kin, hi)]);
        (found(content, Category::Goal, Confidence::STATED, "an event"), lo, hi)
    })
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
        "in" if one_of(
            next,
            "teaching nursing retail hospitality banking construction prison care kitchens it academia publishing advertising sales",
        ) || next == "the"
            && one_of(low(tokens, at + 3), "navy army police military marines raf nhs fire trade business industry") =>
        {
            let end = (at + 2..hi)
                .find(|k| one_of(low(tokens, *k), "taught and but made so which that has have gave means"))
                .unwrap_or(hi);
            let content = join(&[label, "spent", &render(text, tokens, from, end)]);
            return Some((found(content, Category::Experience, Confidence::IMPLIED, "long experience"), from, end));
        }
        _ => return None,
    };
    (!one_of(next, "being waiting trying paying having"))
        .then(|| (found(content, Category::Skill, Confidence::IMPLIED, "long experience"), from, hi))
}

/// "carving spoons has been my hobby for ten years".
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
                match low(tokens, verb) {
                    "has" => "has been",
                    "was" => "was",
                    _ => "is",
                },
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
    (own && (TRADES.contains(noun) || roles::is_trade(noun))
        && !JESTS.contains(noun)
        && !one_of(noun, "child kid guest host user"))
    .then(|| {
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
            "is are terrify terrifies scare scares freak freaks taste tastes give gives make makes relax relaxes bore bores calm calms keep keeps soothe soothes drive drives do does",
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
        "drive" | "drives"
            if next == "me"
                && one_of(low(tokens, verb + 2), "mad crazy nuts insane bonkers up mental round")
                && hi <= verb + 5 =>
        {
            preference(format!("{label} hates {subject}"))
        }
        "do" | "does" if next == "nothing" && matches_at(tokens, verb + 2, hi, "for me").is_some() => {
            preference(format!("{label} does not like {subject}"))
        }
        "is" if next == "how" && one_of(low(tokens, verb + 2), "i") && base_of_ing(low(tokens, lo)).is_some() => {
            let how = low(tokens, verb + 3);
            (one_of(how, "cope relax unwind decompress switch stay destress de-stress recharge") && hi <= verb + 6)
                .then(|| {
                    let does = third_of(how);
                    preference(join(&[label, &does, &render(text, tokens, verb + 4, hi), "by", &subject]))
                })
                .flatten()
        }
        "is" | "are"
            if next == "not"
                && (matches_at(tokens, verb + 2, hi, "for me").is_some()
                    || matches_at(tokens, verb + 2, hi, "really for me").is_some())
                && hi <= verb + 5 =>
        {
            preference(format!("{label} does not like {subject}"))
        }
        "is" | "are"
            if next == "not"
                && one_of(low(tokens, verb + 2), "my")
                && one_of(low(tokens, hi - 1), "tea thing jam bag strength")
                && low(tokens, hi - 1) != "strength"
                && hi <= verb + 6 =>
        {
            preference(format!("{label} does not like {subject}"))
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
                // "Blue is my favourite": of what, only another sentence tells.
                if low(tokens, end - 1) == "favourite" {
                    return None;
                }
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
                .then(|| {
                    // "heist films are my comfort food": turned round, the verb goes with the food.
                    let verb = if one_of(noun, "nights days evenings") { "are" } else { "is" };
                    preference(format!("{} {} {verb} {subject}", possessive(label), render(text, tokens, at + 1, hi)))
                })
                .flatten()
        }
        _ => None,
    }
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

/// "as a rule, never leave a comment in any code you send", "always answer me in metric units".
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
