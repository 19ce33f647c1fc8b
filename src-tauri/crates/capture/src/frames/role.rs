//! "I'm a nurse", "a widower", "the drummer": what a noun says somebody is.

use keepsake_domain::Category;

use super::{Around, Found};
use crate::lexicon::*;
use crate::parse::{Actor, Parsed};
use crate::rewrite;

/// "I'm a nurse", "I'm the drummer", "a widower", "mum of three".
pub(super) fn noun(p: &Parsed<'_>, around: Around<'_>) -> Option<Found> {
    let mut at = 0;
    let has_article = one_of(p.word(0), "a an the one") || p.word(0) == "more" && p.word(1) == "of";
    if has_article {
        at = if p.word(0) == "more" { 3 } else { 1 };
    } else if p.is_plural
        || p.actor == Actor::Dropped
            && around.is_first
            && !p.says("here by of")
            && !around.inherits
            && !one_of(
                p.word(0),
                "huge big massive vegan vegetarian retired lifelong former ex- native single only first-time part-time full-time freelance self-taught amateur semi-retired recovering practising proud stay-at-home working",
            )
            && p.tokens.get(p.end).is_none_or(|t| t.low != ",")
    {
        return None;
    }
    if p.word(0).starts_with("ex-") && p.word(0).len() > 4 && !has_article && !p.is_negated && p.end - p.rest <= 2 {
        let content = rewrite::join(&[around.label, "is", &rewrite::render(around.text, p.tokens, p.rest, p.rest + 1)]);
        let trade = TRADES.contains(p.word(0).trim_start_matches("ex-"));
        return (!trade && !one_of(p.word(0), "ex-wife ex-husband ex-girlfriend ex-boyfriend ex-boss"))
            .then(|| Found::new(p, around, Category::Experience, "a past trade").content(content));
    }
    if one_of(p.word(at), "creature") && p.word(at + 1) == "of" && p.word(at + 2) == "habit" {
        return Some(Found::new(p, around, Category::Preference, "a taste"));
    }
    if p.word(0) == "youngest" || p.word(0) == "eldest" || p.word(0) == "oldest" {
        let counted = p.word(1) == "of" && one_of(p.word(2), "two three four five six seven eight nine ten");
        return counted.then(|| {
            let content = rewrite::join(&[around.label, "is the", &rewrite::render(around.text, p.tokens, p.rest, p.rest + 3)]);
            Found::new(p, around, Category::Relationship, "family").content(content)
        });
    }
    if !has_article
        && p.word(1) != "here"
        && p.end - p.rest <= 2
        && (TRAITS_PREFERENCE.contains(p.word(0)) || TRAITS_PERSONAL.contains(p.word(0)))
    {
        return None;
    }
    if p.word(0) == "the"
        && one_of(p.word(1), "oldest youngest eldest middle")
        && (p.word(2) == "of" || one_of(p.word(2), "child sibling"))
    {
        return Some(Found::new(p, around, Category::Relationship, "family"));
    }
    let words: Vec<&str> = p.rest_words().skip(at).collect();
    if one_of(words.first().copied().unwrap_or(""), "family household")
        && words.get(1) == Some(&"of")
        && has_article
        && p.is_plural
    {
        return Some(Found::new(p, around, Category::Relationship, "family"));
    }
    // "we're a two cat household", "we're a Python shop"
    let house = words.iter().position(|w| one_of(w, "household family house shop outfit"));
    let body = words.iter().position(|w| one_of(w, "charity co-op nonprofit startup agency company couple"));
    if p.is_plural
        && has_article
        && body.is_some_and(|k| k + 1 == words.len() || PREPOSITIONS.contains(words[k + 1]) || words[k + 1] == "of")
    {
        let tie = words.contains(&"couple");
        return (!tie).then(|| Found::new(p, around, Category::PersonalInfo, "a business"));
    }
    if let Some(at_house) = house
        && has_article
        && p.actor == Actor::Speaker
        && at_house >= 1
        && (at_house + 1 == words.len() || PREPOSITIONS.contains(words[at_house + 1]))
        && !one_of(words[0], "big happy small close whole normal nice good bad tight")
    {
        return Some(Found::new(p, around, Category::Preference, "a taste"));
    }
    // The head noun is the last word before a preposition, a relative or the end.
    let cut = words
        .iter()
        .position(|w| {
            PREPOSITIONS.contains(w)
                || one_of(w, "who that and or by , working living based - now these who's which here because but for-hire")
        })
        .unwrap_or(words.len());
    let head = *words.get(cut.checked_sub(1)?)?;
    if p.is_negated && one_of(head, "fan person lover drinker eater") {
        return Some(Found::new(p, around, Category::Preference, "a taste"));
    }
    if p.is_negated && !one_of(head, "smoker drinker") {
        return None;
    }
    let first = words[0];
    let after = words.get(cut).copied().unwrap_or("");
    let make = |category, family| {
        let article =
            if has_article || DETERMINERS.contains(first) || !p.tokens[p.rest].is_wordy() { "" } else { article_for(first) };
        let is_person_here = words.contains(&"here");
        let end = if is_person_here { p.rest + at + words.iter().position(|w| *w == "here").unwrap_or(cut) } else { p.end };
        let content = rewrite::join(&[
            around.label,
            "is",
            if p.is_negated { "not" } else { "" },
            article,
            &rewrite::render(around.text, p.tokens, p.rest, end),
        ]);
        Found::new(p, around, category, family).content(content)
    };
    if words.iter().take(cut).any(|w| w.starts_with("ex-") || one_of(w, "former"))
        && (TRADES.contains(head.trim_start_matches("ex-")) || is_trade(head.trim_start_matches("ex-")))
    {
        return Some(make(Category::Experience, "a past trade"));
    }
    if one_of(
        head,
        "mother father mum mom dad parent grandmother grandfather grandma grandpa gran nan uncle aunt auntie widow widower twin child orphan carer caregiver godmother godfather",
    ) && !(head == "child" && !one_of(first, "only middle youngest oldest"))
    {
        let told = one_of(first, "single stay-at-home first-time working only full-time foster") && words.len() >= 2;
        return (has_article || told || one_of(after, "of to")).then(|| make(Category::Relationship, "family"));
    }
    if DEVOTEES.contains(head)
        && cut >= 2
        && !one_of(first, "good bad nice big-hearted old young busy tall lucky grown strong new total real terrible better")
        || DEVOTEES.contains(head) && one_of(after, "of") && one_of(head, "fan lover collector devotee")
    {
        if one_of(head, "drinker eater") && words.len() == 1 {
            return None;
        }
        if one_of(head, "guy girl gal man woman type user reader owl bird collector supporter follower") && cut >= 2
            || !one_of(head, "guy girl gal man woman type user")
        {
            let generic = one_of(head, "man woman girl guy gal") && TRADES.contains(first);
            return (!generic && !(one_of(head, "man woman guy girl") && !has_article))
                .then(|| make(Category::Preference, "a taste"));
        }
    }
    if HEALTH.contains(head) && !has_article && p.actor == Actor::Dropped && !one_of(head, "back knee knees hip shoulder glasses")
    {
        let end = p.end - usize::from(p.rest_words().last() == Some("here"));
        let article = if head.ends_with('s')
            || one_of(head, "adhd asthma diabetes autism anxiety depression ptsd ocd dyslexia insomnia epilepsy")
        {
            ""
        } else {
            article_for(first)
        };
        let content = rewrite::join(&[around.label, "has", article, &rewrite::render(around.text, p.tokens, p.rest, end)]);
        return (words.contains(&"here")).then(|| Found::new(p, around, Category::PersonalInfo, "health").content(content));
    }
    // "I'm jewish but …" is a trait and no noun.
    if !has_article && TRAITS_PERSONAL.contains(head) && cut == 1 {
        return None;
    }
    if (HEALTH.contains(head) && !one_of(head, "back knee knees hip shoulder glasses braces kidney add"))
        || one_of(head, "diabetic coeliac celiac asthmatic insomniac epileptic hemophiliac haemophiliac")
    {
        return (has_article || p.actor == Actor::Dropped || !HEALTH.contains(head))
            .then(|| make(Category::PersonalInfo, "health"));
    }
    if TRAITS_PREFERENCE.contains(head)
        || one_of(head, "teetotaller teetotaler smoker homebody introvert extrovert minimalist perfectionist")
    {
        let is_diet = TRAITS_PREFERENCE.contains(head);
        return Some(make(Category::Preference, if is_diet { "a diet" } else { "a taste" }));
    }
    if one_of(
        head,
        "beginner novice newcomer expert pro polyglot veteran native learner speaker pianist drummer guitarist bassist violinist cellist organist singer swimmer climber",
    ) && (has_article || around.inherits)
        && !one_of(first, "complete total")
        || words.contains(&"beginner") && one_of(after, "at in with")
    {
        return Some(make(Category::Skill, "an ability"));
    }
    if one_of(head, "lefty southpaw alto soprano tenor baritone contralto mezzo") {
        let voice = !one_of(head, "lefty southpaw");
        return Some(make(if voice { Category::Skill } else { Category::PersonalInfo }, "trait"));
    }
    if JESTS.contains(head) && !(head == "player" && cut >= 2 && !one_of(first, "team good bad great big"))
        || words.iter().take(cut.saturating_sub(1)).any(|w| one_of(w, "little bit lot such complete total huge real terrible"))
            && !TRADES.contains(head)
    {
        return None;
    }
    if one_of(head, "owner") && (one_of(after, "of") && (has_article || one_of(first, "proud"))) {
        let from = p.rest + usize::from(one_of(p.word(0), "the a an")) + usize::from(one_of(first, "proud"));
        let content = rewrite::join(&[around.label, "is the", &rewrite::render(around.text, p.tokens, from, p.end)]);
        return Some(Found::new(p, around, Category::PersonalInfo, "a possession").content(content));
    }
    if has_article
        && one_of(
            head,
            "sleeper worrier overthinker crier listener talker dreamer procrastinator snorer traveller traveler flyer hugger thinker writer-downer early-riser riser starter planner giver quitter rambler grudge-holder people-pleaser",
        )
        && cut >= 2
        && !one_of(first, "bad-ass total complete")
    {
        return Some(make(Category::PersonalInfo, "trait"));
    }
    let unknown_doer = has_article
        && p.actor == Actor::Speaker
        && !p.is_plural
        && head.len() > 4
        && (head.ends_with("er")
            || head.ends_with("or")
            || head.ends_with("ian")
            || head.ends_with("ant")
            || head.ends_with("ologist"))
        && !NO_DOERS.contains(head)
        && !JESTS.contains(head)
        && !KIN.contains(head)
        && !one_of(first, "little bit lot few couple much great good bad big total complete huge real such");
    if unknown_doer && p.word(0) != "the" {
        return Some(make(Category::PersonalInfo, "a job").slot("job").confidence(keepsake_domain::Confidence::IMPLIED));
    }
    if TRADES.contains(head) || is_trade(head) {
        let is_bare = !has_article && !around.inherits && p.actor == Actor::Dropped;
        let is_faith = one_of(head, "christian muslim jew jewish hindu buddhist sikh catholic quaker atheist agnostic lesbian");
        if one_of(head, "cook dancer driver")
            && one_of(first, "good decent great terrible bad mediocre keen passable lousy awful")
        {
            return has_article.then(|| make(Category::Skill, "an ability"));
        }
        // "night shift worker", "single parent": a noun told more closely stands without an article.
        let is_modified = cut >= 2
            && (one_of(after, ", by") || words.len() == cut)
            && around.is_first
            && !one_of(
                first,
                "good great best bad worst terrible amazing lovely nice awesome fantastic brilliant lousy horrible total absolute some any new what such poor old same another other next most every no hey dear",
            );
        let is_plain = cut <= 5
            && !(head == first && one_of(head, "guest host runner"))
            && !words.iter().take(cut).any(|w| one_of(w, "i you we better worse same first last"));
        let named_the = p.word(0) != "the" || one_of(after, "at of for in here") || words.len() == cut;
        return (is_plain
            && named_the
            && (!is_bare || is_modified || words.contains(&"here") || one_of(first, "retired") || one_of(after, "by")))
        .then(|| {
            let found = make(Category::PersonalInfo, if is_faith { "trait" } else { "a job" });
            if is_faith { found } else { found.slot("job") }
        });
    }
    None
}

words! {
    /// Nouns and comparatives with a doer's ending that name no doer.
    NO_DOERS = "older younger bigger smaller better taller shorter faster slower later earlier longer closer further farther happier angrier sadder
        worse number letter matter manner dinner summer winter corner order computer member factor disaster stranger sucker blocker answer
        elephant giant pleasant important reluctant distant hesitant constant instant relevant different nearer lighter heavier warmer colder
        calmer easier harder stronger weaker quieter louder richer poorer newer wiser cheaper bother finger shoulder trooper goner another
        customer subscriber newcomer sufferer outlier silver lever cover river flower shower tower power ladder monster moor error mirror
        terror horror minor major senior junior superior inferior favour favor colour color flavour sinner loser winner whiner moaner";
}

/// Endings by which a word that no list knows is still a trade.
pub(super) fn is_trade(word: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "ologist",
        "ographer",
        "ician",
        "smith",
        "wright",
        "keeper",
        "maker",
        "worker",
        "monger",
        "driver",
        "teacher",
        "master",
        "hand",
        "ist",
        "ier",
        "eer",
        "tender",
        "officer",
        "developer",
        "engineer",
        "assistant",
        "technician",
        "designer",
        "manager",
        "trainer",
        "fighter",
        "cleaner",
        "builder",
        "grower",
        "breeder",
        "painter",
        "repairer",
        "restorer",
        "fixer",
        "tuner",
        "carver",
        "weaver",
        "dresser",
        "binder",
        "setter",
        "cutter",
        "grinder",
        "blower",
        "diver",
        "planner",
        "walker",
        "sitter",
        "groomer",
        "trader",
        "dealer",
        "examiner",
        "inspector",
        "operator",
        "conductor",
        "ator",
        "ctor",
    ];
    word.len() > 4
        && ENDINGS.iter().any(|end| word.ends_with(end))
        && !one_of(
            word,
            "sister mister minister blister twister registered optimist pessimist realist idealist perfectionist minimalist feminist narcissist exist resist list fist earlier easier happier funnier busier career beer deer factor doctor masochist purist twist beforehand firsthand second-hand",
        )
}

pub(super) fn article_for(word: &str) -> &'static str {
    if word.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}
