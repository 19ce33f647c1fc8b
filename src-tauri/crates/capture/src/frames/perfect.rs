//! What somebody has done, has been doing for years, or has never done.

use keepsake_domain::{Category, Confidence};

use super::action::*;
use super::past::recent_work;
use super::{Around, Found, has_duration, has_frequency, has_life_time, is_passing, wanting};
use crate::lexicon::*;
use crate::parse::Parsed;

/// "I've been writing Fortran since 1991", "I've never released anything", "I've lived in three countries".
pub(crate) fn perfect(p: &Parsed<'_>, around: Around<'_>) -> Option<Found> {
    let base = p.base.as_str();
    let (word, _next) = (p.word(0), p.word(1));
    let (long, life) = (has_duration(p), has_life_time(p));
    let never = p.has_adverb("never");
    if is_passing(p)
        || one_of(word, THIS) && !long && !never
        || p.rest_words().any(|w| one_of(w, "you your")) && !p.says("customer")
    {
        return None;
    }
    let progressive = p.tense == crate::parse::Tense::PerfectProgressive;
    let make = |category, family| Some(Found::new(p, around, category, family));
    if one_of(
        base,
        "wait try call chase debug stare look wonder mean think ask tell feel get hear hold sit fight search hope complain argue email bang",
    ) && progressive
        && !(base == "try" && p.rest_words().any(|w| one_of(w, "baby conceive pregnant quit")))
    {
        return None;
    }
    if long {
        if one_of(base, "come go do get be make grow change happen move") && one_of(word, "since for so far") && p.front.is_none()
        {
            return None;
        }
        if one_of(base, "see hear notice say know")
            && !never
            && !(base == "know" && p.rest_words().any(|w| one_of(w, "him her each")))
            || p.is_negated && one_of(base, "get hear receive see sleep") && !one_of(base, "sleep")
        {
            return None;
        }
        if base == "have" {
            return having_since(p, around);
        }
        let category = match base {
            "live" | "work" if one_of(word, "in at for here nights as with") => Category::PersonalInfo,
            "suffer" | "take" | "use"
                if p.rest_words().any(|w| HEALTH.contains(w) || one_of(w, "insulin medication wheelchair")) =>
            {
                Category::PersonalInfo
            }
            "own" | "rent" => Category::PersonalInfo,
            "date" | "see" | "know" | "marry" => Category::Relationship,
            "own_" => Category::PersonalInfo,
            "eat" | "drink" | "smoke" | "avoid" | "collect" | "keep" | "grow" | "go" | "garden" | "do" | "get" | "use"
            | "support" | "sleep" | "watch" | "follow" | "listen" | "love" | "hate" | "fish" | "hike" => Category::Preference,
            "save" | "plan" | "want" | "dream" | "train" | "build" | "prepare" => {
                if base == "build" {
                    Category::Skill
                } else {
                    Category::Goal
                }
            }
            "be" => Category::Experience,
            "try" => Category::Goal,
            "learn" | "study" => Category::Skill,
            _ if p.is_negated || never => Category::Experience,
            _ => Category::Skill,
        };
        if p.is_negated
            && one_of(base, "speak talk see")
            && (p.joint.is_some() || p.rest_words().any(|w| KIN.contains(w) || ASSOCIATE.contains(w)))
        {
            return make(Category::Relationship, "a tie");
        }
        if p.is_negated && !one_of(base, "eat drink smoke own have touch drive speak sleep play ride") {
            return (life || p.says("years")).then(|| Found::new(p, around, Category::Experience, "something not done"));
        }
        return make(category, "a long practice").map(|f| if matches!(base, "live") { f.slot("home") } else { f });
    }
    if progressive {
        let category = match base {
            "learn" | "study" | "practise" | "practice" => Category::Skill,
            "save" | "train" | "plan" | "write" | "build" | "prepare" | "restore" | "renovate" => Category::Goal,
            "date" => Category::Relationship,
            "take" | "see" if p.rest_words().any(|w| one_of(w, "therapist medication antidepressants insulin meds")) => {
                Category::PersonalInfo
            }
            _ if (p.says("lately recently") || p.says("lot") && p.says("a"))
                && !one_of(base, "sleep feel work struggle go get have do be drink cry")
                && !p.is_negated
                && p.word(0) != "the" =>
            {
                Category::Preference
            }
            "read" | "go" | "do" | "get" if has_frequency(p) || base == "get" && word == "into" => Category::Preference,
            _ => return None,
        };
        return ((!p.is_bare() || p.has_adverb("lately recently"))
            && !p.says("hours day morning")
            && !one_of(word, "the this")
            && !p.is_negated)
            .then(|| Found::new(p, around, category, "an undertaking").confidence(Confidence::STATED));
    }
    if never || p.is_negated {
        let vague = one_of(
            base,
            "see hear feel think know understand have meet find get notice realise realize say want need tell receive use experience work touch answer mention check look happen cause like",
        ) && !(one_of(base, "have see use touch like understand want")
            && (p.rest_words().any(|w| BELONGINGS.contains(w) || KIN.contains(w) || PETS.contains(w))
                || base == "see" && p.says("sea snow ocean film movie wars episode")
                || one_of(base, "like want") && never && !one_of(word, "this that it")))
            || p.rest_words().any(|w| one_of(w, "so such anything") && !one_of(base, "release publish win")) && !p.says("before")
            || p.rest_words().any(|w| one_of(w, "you your this that yet error problem issue")) && !life && !p.says("before");
        let is_taste = one_of(base, "like eat drink smoke want");
        let bare_telling = one_of(base, "fly drive smoke drink ski swim marry vote drown gamble surf sail skydive dive");
        return (!vague && never && (!p.is_bare() || bare_telling)).then(|| {
            Found::new(p, around, if is_taste { Category::Preference } else { Category::Experience }, "something never done")
        });
    }
    match base {
        "have"
            if p.rest_words().any(|w| {
                one_of(
                    w,
                    "miscarriage miscarriages surgeries operations operation surgery stroke strokes transplant chemo caesareans",
                )
            }) && !p.is_negated =>
        {
            make(Category::Experience, "health")
        }
        "go" if (one_of(
            word,
            "vegan vegetarian veggie decaf freelance part-time sober gluten-free plant-based digital analogue paperless teetotal",
        ) || word == "full" && p.end - p.rest == 2)
            && !p.is_negated =>
        {
            make(Category::Preference, "a change")
        }
        "go" if word == "off" && p.rest + 1 < p.end && !one_of(p.word(1), "the this it that on") => {
            make(Category::Preference, "a taste")
        }
        "qualify" if word == "as" => make(Category::Experience, "an event of their life"),
        "live" | "work" if one_of(word, "in at for as abroad all with") && !one_of(p.word(1), "out") => {
            make(Category::Experience, "a past time")
        }
        "visit" | "climb" | "summit" | "publish" | "win" | "run" | "write" | "cycle" | "complete" | "hike" | "translate"
        | "record" | "compose" | "sail" | "swim" | "coach" | "teach" | "fly" | "cross" | "read" | "make" | "knit" => {
            let counted = p.rest_words().any(|w| one_of(w, "two three four five six seven eight nine ten twelve dozen dozens countries marathons novels books continents every all times hundred hundreds twice") || w.starts_with(|c: char| c.is_ascii_digit()));
            let named = p.tokens.get(p.rest).is_some_and(|t| t.is_capital);
            ((counted || named && one_of(base, "visit climb summit"))
                && !recent_work(p)
                && !p.says("times tried tests lines pages chapters docs"))
            .then(|| Found::new(p, around, Category::Experience, "an achievement"))
        }
        "lose" if p.rest_words().any(|w| KIN.contains(w) || one_of(w, "job sight hearing")) => {
            make(Category::Experience, "a loss")
        }
        "stop" | "quit"
            if base_of_ing(word).is_some_and(|b| HABIT.contains(b.as_str()) || b == "dye")
                && !p.is_negated
                && p.rest + 1 < p.end
                && !one_of(p.word(1), "it this that them the") =>
        {
            make(Category::Preference, "a change")
        }
        "quit" | "stop" | "give"
            if p.rest_words()
                .any(|w| one_of(w, "smoking drinking meat alcohol caffeine coffee sugar job vaping dairy gluten")) =>
        {
            make(Category::Preference, "a change")
        }
        "move" if one_of(word, "to in back into") && !one_of(p.word(1), "the this it") => {
            make(Category::Experience, "a move").map(|f| if word == "to" { f.slot("home") } else { f })
        }
        "book" | "sign" | "decide" | "enrol" | "enroll" | "plan" => wanting::booked(p, around),
        "start" if p.says("therapy medication job") => make(Category::PersonalInfo, "a beginning"),
        "start"
            if base_of_ing(word).is_some()
                || word == "learning"
                || p.rest_words().any(|w| one_of(w, "job course degree phd therapy")) =>
        {
            make(
                if word == "learning" {
                    Category::Skill
                } else if p.says("job") {
                    Category::PersonalInfo
                } else {
                    Category::Preference
                },
                "a beginning",
            )
        }
        "adopt" | "inherit" | "buy" if p.rest_words().any(|w| PETS.contains(w) || BELONGINGS.contains(w)) => {
            make(Category::PersonalInfo, "an acquisition")
        }
        "retire" | "graduate" | "qualify" | "separate" | "divorce" => make(
            if one_of(base, "separate divorce") { Category::Relationship } else { Category::Experience },
            "an event of their life",
        ),
        "love" | "hate" | "want" | "like" | "prefer" if p.has_adverb("always") && !one_of(word, THIS) => {
            wanting::always(p, around)
        }
        "break" | "tear" if p.rest_words().any(|w| one_of(w, "arm leg ankle wrist collarbone foot nose")) => {
            make(Category::Experience, "an injury")
        }
        "become" if one_of(word, "a an vegan vegetarian") => make(Category::PersonalInfo, "a change"),
        _ => None,
    }
}

fn having_since(p: &Parsed<'_>, around: Around<'_>) -> Option<Found> {
    let category = if p.rest_words().any(|w| KIN.contains(w)) { Category::Relationship } else { Category::PersonalInfo };
    let telling = p.rest_words().any(|w| HEALTH.contains(w) || PETS.contains(w) || KIN.contains(w) || BELONGINGS.contains(w));
    (telling && !p.says("issue issues problem problems trouble")).then(|| Found::new(p, around, category, "a lasting state"))
}
