//! Goals: wants, plans, bookings, and what somebody always wanted. An errand is no goal.

use keepsake_domain::{Category, Confidence};

use super::{Around, Found, has_future_time, is_passing};
use crate::clause::low;
use crate::lexicon::*;
use crate::parse::{Actor, Parsed};
use crate::rewrite;

/// Verbs of errands and of talk with a machine.
const ERRANDS: &str = "know ask cancel return change check understand see make sure confirm complain speak talk add remove use print update upgrade downgrade
    refund order pay fix debug test try find get say tell hear send know-how point clarify report thank discuss look set turn avoid sort filter rename convert parse
    log login sign reset track be have do put call keep stop start give show help split merge move take leave go work";

/// Whether "to <verb> …" at `n` words into the complement names something a person strives for.
fn is_aspiration(p: &Parsed<'_>, n: usize) -> bool {
    let mut n = n;
    while ADVERBS_KEPT.contains(p.word(n))
        || ADVERBS_DROPPED.contains(p.word(n))
        || one_of(p.word(n), "one day finally eventually")
    {
        n += 1;
    }
    let (verb, object) = (p.word(n), p.word(n + 1));
    if verb.is_empty() || is_passing(p) || one_of(object, "it this that them these those you your me") && !one_of(verb, "be") {
        return false;
    }
    let words: Vec<&str> = p.rest_words().skip(n + 1).collect();
    let journey = one_of(verb, "walk hike climb cycle swim sail visit travel backpack kayak trek row")
        && !words.is_empty()
        && !one_of(object, "away through past over out in on to into back");
    if journey && !p.says("you site page store shop code") {
        return true;
    }
    if object == "the"
        && !p.tokens.get(p.rest + n + 2).is_some_and(|t| t.is_capital && p.rest + n + 2 < p.end)
        && !p
            .says("guitar piano violin drums sea coast countryside marathon world cello harp bass ukulele accordion beta masters")
        && !has_future_time(p)
    {
        return false;
    }
    let life_object = words.iter().any(|w| {
        KIN.contains(w) || PETS.contains(w) || BELONGINGS.contains(w) || TRADES.contains(w) || PROPER.contains(w)
            || one_of(w, "marathon half-marathon triathlon 10k 5k novel book memoir own language weight job jobs career countryside coast abroad sea university uni college kilos kg pounds smoking sugar meat drinking album world alps everest camino exam exams house home debt savings deposit family instrument painting pottery cooking sewing swimming knitting woodworking diving sailing surfing welding carpentry")
    });
    if verb == "go"
        && (one_of(object, "part-time freelance vegan vegetarian travelling traveling")
            || object == "part" && p.word(n + 2) == "time")
    {
        return true;
    }
    let strong = one_of(
        verb,
        "learn become retire publish adopt marry graduate emigrate retrain found open volunteer relocate specialise specialize master",
    );
    if one_of(verb, "learn") && one_of(object, "how about more if what why") {
        return object == "how" && words.get(1) == Some(&"to") && !p.says("script function query");
    }
    if one_of(verb, "get") && (one_of(object, "back better fit healthy sober married divorced") || one_of(object, "into")) {
        return !p.says("you app account page system refund home work")
            && p.end - p.rest > n + 2
            && (base_of_ing(p.word(n + 3)).is_some()
                || base_of_ing(p.word(n + 2)).is_some()
                || p.says("shape uni university school politics law medicine music teaching med college")
                || one_of(object, "fit healthy sober married divorced"));
    }
    let far = p.says("year someday eventually")
        || words.iter().any(|w| crate::clause::is_year(w))
        || words.windows(2).any(|w| {
            one_of(w[0], "one some") && w[1] == "day"
                || one_of(w[0], "by before next this in") && one_of(w[1], "spring summer autumn winter christmas easter")
        });
    far && is_known_verb_or_put(verb)
        && !one_of(verb, "know ask cancel return check confirm complain say tell hear")
        && words.len() >= 2
        && !p.says("refund invoice order ticket upgrade renew")
        || ASPIRATION.contains(verb)
            && (strong && !words.is_empty()
                || verb == "retire"
                || life_object
                    && !(one_of(verb, "see use make get find try do have go take set be")
                        && !has_future_time(p)
                        && !one_of(words.first().copied().unwrap_or(""), "a an my our into to back"))
                || has_future_time(p) && !one_of(verb, ERRANDS))
        || one_of(verb, "go get be have do start stop see leave take make move give work try")
            && has_future_time(p)
            && (life_object || words.iter().any(|w| w.len() > 3 && w.chars().all(char::is_alphabetic)))
            && p.says("someday year spring summer autumn winter eventually abroad one")
            && !p.says("version deploy release meeting")
}

fn is_known_verb_or_put(verb: &str) -> bool {
    is_known_verb(verb) || one_of(verb, "put replace dig insulate plant host clear reach")
}

fn goal(p: &Parsed<'_>, around: Around<'_>, family: &'static str) -> Found {
    let found = Found::new(p, around, Category::Goal, family);
    if p.actor == Actor::Dropped { found.confidence(Confidence::STATED) } else { found }
}

/// "I want to build a garden shed by next spring".
pub(crate) fn want(p: &Parsed<'_>, around: Around<'_>) -> Option<Found> {
    if p.word(0) != "to" {
        let kin = one_of(p.word(0), "kids children") && p.end - p.rest <= 2;
        return kin.then(|| goal(p, around, "an aim"));
    }
    if p.is_negated {
        return (KIN.contains(p.word(2)) || one_of(p.word(1), "have") && p.says("kids children"))
            .then(|| Found::new(p, around, Category::Preference, "a wish"));
    }
    is_aspiration(p, 1).then(|| goal(p, around, "an aim"))
}

/// "I plan to …", "I hope to …", "I dream of …".
pub(crate) fn plan(p: &Parsed<'_>, around: Around<'_>) -> Option<Found> {
    if p.is_negated {
        return None;
    }
    if one_of(p.word(0), "of on about") && base_of_ing(p.word(1)).is_some() {
        let fits = !one_of(p.word(1), "using getting doing being going")
            || has_future_time(p)
            || one_of(p.word(1), "going") && p.says("to back");
        return (fits && !one_of(p.word(2), "it this that the")).then(|| goal(p, around, "an aim"));
    }
    (p.word(0) == "to" && is_aspiration(p, 1)).then(|| goal(p, around, "an aim"))
}

/// "I'm planning two weeks on Corsica", "I'm trying to quit smoking", "I'm thinking of moving to Wales".
pub(crate) fn planning(p: &Parsed<'_>, around: Around<'_>) -> Option<Found> {
    let (word, next) = (p.word(0), p.word(1));
    let make = |family| {
        let found = goal(p, around, family);
        if p.actor == Actor::Dropped {
            found
                .content(rewrite::join(&[around.label, "is", &rewrite::render(around.text, p.tokens, p.verb, p.end)]))
                .confidence(Confidence::STATED)
        } else {
            found.confidence(Confidence::STATED)
        }
    };
    let milestone = p.rest_words().any(|w| {
        (w.ends_with("th") || w.ends_with("st")) && w.starts_with(|c: char| c.is_ascii_digit())
            || one_of(w, "birthday wedding funeral hen stag christening")
    }) && p.rest_words().any(|w| KIN.contains(w) || one_of(w, "friend own"))
        && one_of(&p.base, "plan organise organize");
    if milestone {
        return Some(make("a plan"));
    }
    match p.base.as_str() {
        "expect" => (one_of(word, "a our my twins")
            && p.rest_words().any(|w| KIN.contains(w) || one_of(w, "baby twins child girl boy")))
        .then(|| make("an event")),
        "think" | "consider" | "look" => {
            let verb_at = if one_of(word, "of about at into") { 1 } else { 0 };
            let verb = p.word(verb_at);
            let moves = base_of_ing(verb).is_some_and(|b| {
                one_of(&b, "move buy adopt get quit leave retire retrain open start learn emigrate go switch become sell apply")
            }) && !one_of(p.word(verb_at + 1), "it this that the you");
            let lasting = base_of_ing(verb).is_some_and(|b| one_of(&b, "retire retrain emigrate adopt")) || p.says("to dog cat puppy job career house business shop degree uni university kids baby vegan countryside abroad van boat piano guitar language teaching") || has_future_time(p);
            (moves && lasting && p.base != "look").then(|| make("an aim").confidence(Confidence::INFERRED))
        }
        "try" | "hope" => {
            let lasting = word == "to" && is_aspiration(p, 1) && p.base == "try" && one_of(next, "learn become save quit") || p.says("weight smoking drinking sugar meat caffeine pregnant conceive spanish french german japanese italian vegan vegetarian healthier marathon sober screen house baby books novel savings habit fit fitter") && word == "to" || word == "for" && p.says("baby") || word == "to" && p.base == "hope" && is_aspiration(p, 1);
            lasting.then(|| make("an aim"))
        }
        _ => {
            if word == "to" || one_of(word, "on") && base_of_ing(next).is_some() {
                let at = 1;
                return (is_aspiration(p, at) || word == "on" && !one_of(p.word(2), "it this that the")).then(|| make("a plan"));
            }
            let trip = p.rest_words().any(|w| one_of(w, "trip holiday vacation weeks week wedding party honeymoon move visit tour retreat expedition hike roadtrip reunion days weekend sabbatical garden birthday housewarming christening")) && (has_future_time(p) || has_place(p) || p.says("wedding honeymoon sabbatical"));
            (trip && !one_of(word, "the this it")).then(|| make("a plan").slot("trip"))
        }
    }
}

fn has_place(p: &Parsed<'_>) -> bool {
    (p.rest..p.end).any(|k| {
        one_of(low(p.tokens, k.saturating_sub(1)), "in to on at around through across for")
            && (p.tokens[k].is_capital || PROPER.contains(low(p.tokens, k)))
            && !one_of(low(p.tokens, k), MONTHS)
            && !one_of(low(p.tokens, k), WEEKDAYS)
    })
}

/// "we've booked Sardinia", "I signed up for a pottery class".
pub(crate) fn booked(p: &Parsed<'_>, around: Around<'_>) -> Option<Found> {
    let (word, next) = (p.word(0), p.word(1));
    match p.base.as_str() {
        "book" => {
            let place = p.tokens.get(p.rest).is_some_and(|t| t.is_capital)
                || has_place(p)
                || p.says("flights flight cottage hotel trip holiday");
            (place
                && (!one_of(word, "it this that the") || word == "the" && has_place(p))
                && !p.is_negated
                && !p.says("hours ago today"))
            .then(|| goal(p, around, "a plan").slot("trip"))
        }
        "sign" => (word == "up"
            && next == "for"
            && !one_of(p.word(2), "the your this it an")
            && !p.says("account newsletter trial plan"))
        .then(|| goal(p, around, "a plan")),
        "enrol" | "enroll" => goal(p, around, "a plan").into(),
        "decide" => (word == "to" && is_aspiration(p, 1)).then(|| goal(p, around, "a plan")),
        _ => None,
    }
}

/// "I'm going to open a bakery".
pub(crate) fn going_to(p: &Parsed<'_>, around: Around<'_>) -> Option<Found> {
    let q = Parsed { rest: p.verb, ..p.clone() };
    (!p.is_negated
        && is_aspiration(&q, 0)
        && (has_future_time(p)
            || one_of(&p.base, "learn become retire adopt marry emigrate open retrain study move") && !is_passing(p)))
    .then(|| {
        let found = goal(p, around, "a plan");
        if p.actor == Actor::Dropped {
            found.content(rewrite::join(&[around.label, "is going to", &rewrite::render(around.text, p.tokens, p.verb, p.end)]))
        } else {
            found
        }
    })
}

/// "I'd love to learn the harp", "I'd rather …".
pub(crate) fn would(p: &Parsed<'_>, around: Around<'_>) -> Option<Found> {
    // "I'd describe myself as a recovering lawyer"
    if one_of(&p.base, "describe call consider") && p.word(0) == "myself" {
        let at = p.rest + 1 + usize::from(p.word(1) == "as");
        let content = rewrite::join(&[
            around.label,
            &third_of(&p.base),
            "themselves",
            &rewrite::render(around.text, p.tokens, p.rest + 1, p.end),
        ]);
        return (at < p.end && one_of(p.word(1), "as a an") && !p.says("lucky happy fan"))
            .then(|| Found::new(p, around, Category::PersonalInfo, "trait").content(content).confidence(Confidence::STATED));
    }
    if p.base == "sooner" {
        return p.says("than").then(|| Found::new(p, around, Category::Preference, "a preference"));
    }
    if p.base == "rather" || p.has_adverb("rather") {
        return p.says("than").then(|| Found::new(p, around, Category::Preference, "a preference"));
    }
    (one_of(&p.base, "love like") && p.word(0) == "to" && is_aspiration(p, 1) && !p.says("if"))
        .then(|| goal(p, around, "a wish").confidence(Confidence::IMPLIED))
}

/// "I've always wanted to see the fjords", "I've always loved trains".
pub(crate) fn always(p: &Parsed<'_>, around: Around<'_>) -> Option<Found> {
    let category = if p.base == "want" { Category::Goal } else { Category::Preference };
    Some(Found::new(p, around, category, if p.base == "want" { "a wish" } else { "a taste" }))
}
