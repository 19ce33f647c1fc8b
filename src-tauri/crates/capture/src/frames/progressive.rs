//! What somebody is doing these days, or is going to do.

use keepsake_domain::{Category, Confidence, Durability};

use super::action::*;
use super::{Around, Found, has_frequency, has_future_time, has_life_time, is_passing, wanting};
use crate::lexicon::*;
use crate::parse::{Actor, Parsed};
use crate::rewrite;

/// "I'm learning Elixir", "we're moving to Ghent in April".
pub(crate) fn progressive(p: &Parsed<'_>, around: Around<'_>) -> Option<Found> {
    let base = p.base.as_str();
    let (word, next) = (p.word(0), p.word(1));
    let dropped = p.actor == Actor::Dropped;
    if is_passing(p) || one_of(word, THIS) || p.is_negated && !one_of(base, "drink eat date work") {
        return None;
    }
    let make = |category, family| {
        let mut found = Found::new(p, around, category, family).confidence(Confidence::STATED);
        if dropped {
            found = found.content(rewrite::join(&[
                around.label,
                "is",
                &adverbs_of(p),
                &rewrite::render(around.text, p.tokens, p.verb, p.end),
            ]));
        }
        Some(found.durability(Durability::Situational))
    };
    match base {
        "move" if one_of(word, "the my our") && EVENTS.contains(next) && p.says("to") && has_future_time(p) => {
            make(Category::Goal, "an event")
        }
        "take" if p.says("year months sabbatical") && p.says("off sabbatical") => make(Category::Goal, "a plan"),
        "run"
            if dropped
                && p.rest < p.end
                && (PROPER.contains(word) || one_of(word, "arch mint nixos pop"))
                && !p.says("error fine") =>
        {
            let end = p.end - usize::from(p.rest_words().last() == Some("here"));
            make(Category::Preference, "a tool")
                .map(|f| f.content(rewrite::join(&[around.label, "uses", &rewrite::render(around.text, p.tokens, p.rest, end)])))
        }
        "learn" | "relearn" => (!p.is_bare() && !one_of(word, "that the a from about")
            || one_of(word, "the") && p.rest_words().any(|w| INSTRUMENTS.split_whitespace().any(|i| i == w))
            || word == "a" && p.says("language instrument"))
        .then(|| make(Category::Skill, "learning"))
        .flatten(),
        "pick" | "brush"
            if word == "up"
                && !p.says("kids son daughter parcel keys order car package groceries tickets dinner")
                && p.rest + 1 < p.end
                && (!one_of(next, "the a my some from on") || base == "brush" && next == "on" && p.word(2) == "my") =>
        {
            let found = make(Category::Skill, "learning")?;
            let content =
                rewrite::join(&[around.label, "is learning", &rewrite::render(around.text, p.tokens, p.rest + 1, p.end)]);
            Some(if base == "pick" { found.content(content) } else { found })
        }
        "teach" if one_of(word, "myself") => make(Category::Skill, "learning"),
        "study" | "retrain" => {
            if one_of(word, "to") || base == "retrain" {
                return make(Category::Goal, "an aim");
            }
            (!p.is_bare()).then(|| make(if word == "for" { Category::Goal } else { Category::PersonalInfo }, "studies")).flatten()
        }
        "do" => {
            let course = p.rest_words().any(|w| one_of(w, "degree phd masters master's master mba apprenticeship course a-levels residency internship training diploma doctorate bachelor's bootcamp masters's gcses thesis placement"));
            (course).then(|| make(Category::PersonalInfo, "studies")).flatten()
        }
        "work" => {
            if one_of(word, "nights days shifts part-time full-time freelance")
                || one_of(word, "as at for") && !one_of(next, "me us it home")
                || p.says("nights shifts")
            {
                return make(Category::PersonalInfo, "a job").map(|f| if one_of(word, "as at for") { f.slot("job") } else { f });
            }
            let project = one_of(word, "on towards toward") && p.rest_words().any(|w| one_of(w, "book novel album thesis dissertation phd memoir game app startup portfolio screenplay degree masters collection comic podcast documentary cookbook musical opera film"));
            let licence = one_of(word, "towards toward") && one_of(next, "my a an");
            (project || licence).then(|| make(Category::Goal, "a project")).flatten()
        }
        "train" | "save" | "prepare" | "aim" | "apply" | "retire" | "compete" => {
            let aimed = one_of(word, "for to up towards toward as in at next") && !one_of(next, "the-bug a-meeting it this");
            let model = p.says("model network dataset classifier transformer epochs gpu");
            (aimed
                && !model
                && !(base == "apply" && one_of(word, "the it this"))
                && !(base == "prepare" && !p.says("exam exams marathon move test race interview wedding")))
            .then(|| make(Category::Goal, "an aim"))
            .flatten()
        }
        "move" | "emigrate" | "relocate" | "return" => {
            let to = one_of(word, "to in into out back from house abroad") || has_future_time(p);
            (to && !one_of(next, "the a it this") || p.says("house flat home") && to && !p.says("files data"))
                .then(|| make(Category::Goal, "a plan"))
                .flatten()
                .map(|f| f.slot("move"))
        }
        "plan" | "hope" | "think" | "look" | "consider" | "try" | "expect" => wanting::planning(p, around),
        "go" | "fly" | "travel" | "drive" | "visit" | "head" | "spend" | "sail" | "cycle" | "walk" | "hike" | "trek" | "take"
        | "host" | "run" | "start" | "open" | "launch" | "quit" | "leave" | "finish" | "turn" | "buy" | "sell" | "give"
        | "get" | "hand" | "begin" | "join" | "marry" | "stop" | "perform" | "attend" | "have" | "switch" | "throw"
        | "celebrate" | "change" | "race" => future(p, &make),
        "put" | "set" if p.says("aside") && has_frequency(p) => make(Category::Goal, "an aim"),
        "write" | "build" | "renovate" | "restore" | "record" | "compose" | "knit" | "crochet" | "sew" | "make" | "develop"
        | "design" | "translate" | "draw" | "paint" | "illustrate" | "convert" | "organise" | "organize" | "research"
        | "grow" | "code" => {
            let work = p.rest_words().any(|w| one_of(w, "book novel thesis dissertation memoir album house boat cabin van shed kitchen game app website startup screenplay play opera symphony collection comic camper blanket quilt cookbook biography poem poems series kayak canoe guitar shop company business engine farmhouse cottage barn motorbike bathroom flat harpsichord telescope treehouse greenhouse synth robot blog tapestry film documentary podcast musical wedding reunion festival exhibition language") ) || has_frequency(p) || p.says("spare called side") && !p.says("you");
            let request = p.says("function script query email letter test tests parser bug");
            (work && !request).then(|| make(Category::Goal, "a project")).flatten()
        }
        "raise" | "foster" | "homeschool" | "date" | "see" | "care" | "adopt" | "expect_" | "co-parent" | "divorce"
        | "separate" => {
            let tie = match base {
                "see" => {
                    one_of(word, "someone somebody a")
                        && p.says("someone somebody therapist counsellor counselor psychologist psychiatrist physio")
                }
                "raise" => p.rest_words().any(|w| KIN.contains(w) || PETS.contains(w)),
                "care" => word == "for",
                _ => true,
            };
            let therapy = p.says("therapist counsellor counselor psychologist psychiatrist physio");
            tie.then(|| make(if therapy { Category::PersonalInfo } else { Category::Relationship }, "a tie")).flatten()
        }
        "stay"
            if one_of(word, "at with")
                && one_of(next, "my our")
                && p.rest_words().any(|w| KIN.contains(w))
                && !p.says("weekend night nights days week") =>
        {
            make(Category::PersonalInfo, "a home")
        }
        "live" | "stay" | "rent" => (base != "stay" && !p.is_bare() && !one_of(word, "the my"))
            .then(|| make(Category::PersonalInfo, "a home"))
            .flatten()
            .map(|f| if base == "live" { f.slot("home") } else { f }),
        "use" => (!one_of(word, "the a") && !p.is_bare()).then(|| make(Category::Preference, "a tool")).flatten(),
        "recover" => (word == "from"
            && (!one_of(next, "the a this last") || p.says("surgery operation stroke accident injury burnout concussion")))
        .then(|| make(Category::PersonalInfo, "health"))
        .flatten(),
        "read" | "watch" | "listen" => (has_frequency(p)).then(|| make(Category::Preference, "a habit")).flatten(),
        "volunteer" | "coach" | "manage" | "tutor" | "freelance" => {
            make(if base == "volunteer" { Category::Preference } else { Category::PersonalInfo }, "a job")
        }
        "cut" if word == "down" || word == "out" => make(Category::Goal, "an aim"),
        "become" => make(Category::Goal, "an aim"),
        _ if has_frequency(p)
            && !p.is_bare()
            && !p.says("time error minute minutes hour hours second")
            && !one_of(base, "wait try get think feel say tell ask hear see lose") =>
        {
            make(Category::Preference, "a habit")
        }
        _ => None,
    }
}

fn adverbs_of(p: &Parsed<'_>) -> String {
    p.adverbs.iter().map(|k| crate::clause::low(p.tokens, *k)).collect::<Vec<_>>().join(" ")
}

/// "we're going to Ljubljana in October": the present progressive as a plan.
fn future(p: &Parsed<'_>, make: &dyn Fn(Category, &'static str) -> Option<Found>) -> Option<Found> {
    let (word, base) = (p.word(0), p.base.as_str());
    let dated = has_future_time(p)
        || p.rest_words().any(|w| {
            (w.ends_with("th") || w.ends_with("st") || w.ends_with("nd") || w.ends_with("rd"))
                && w.starts_with(|c: char| c.is_ascii_digit())
                || one_of(w, "soon next")
        });
    let named = p.tokens[p.rest.min(p.end)..p.end].iter().any(|t| {
        t.is_capital && !one_of(&t.low, WEEKDAYS)
            || PROPER.contains(t.low.as_str()) && !one_of(&t.low, MONTHS) && !one_of(&t.low, WEEKDAYS)
    });
    match base {
        "get" => {
            if one_of(word, "married divorced engaged") {
                return make(Category::Goal, "an event").map(|f| f.slot("marital"));
            }
            if word == "into" && !one_of(p.word(1), "the a this it trouble") {
                return make(Category::Preference, "a taste");
            }
            (one_of(word, "a our my another") && p.rest_words().any(|w| PETS.contains(w)) && !p.says("error"))
                .then(|| make(Category::Goal, "a plan"))
                .flatten()
        }
        "run" if p.rest_words().any(|w| one_of(w, "marathon half-marathon 10k ultra race triathlon")) => {
            make(Category::Goal, "a plan")
        }
        "run" if p.rest_words().any(|w| one_of(w, "business company shop bakery workshop club group campaign")) => {
            make(Category::PersonalInfo, "a job")
        }
        "take" if p.rest_words().any(|w| one_of(w, "lessons classes course courses")) => make(Category::Skill, "learning"),
        "take" if p.rest_words().any(|w| one_of(w, "medication antidepressants insulin meds antibiotics pills")) => {
            make(Category::PersonalInfo, "health")
        }
        "have" => (p.says("baby twins girl boy surgery")).then(|| make(Category::Goal, "an event")).flatten(),
        "go" if word == "back" && p.says("school uni university college work") => make(Category::Goal, "a plan"),
        "turn" => (word.parse::<u32>().is_ok() || one_of(word, "thirty forty fifty sixty seventy eighty"))
            .then(|| make(Category::PersonalInfo, "age"))
            .flatten(),
        "start" | "open" | "launch" | "quit" | "leave" | "sell" | "buy" | "join" | "finish" | "hand" | "begin" => {
            let life = p.rest_words().any(|w| one_of(w, "job business company shop bakery restaurant studio workshop house flat uni university school phd course degree notice place home band farm podcast brewery cafe bar practice apprenticeship masters teaching nursing therapy blog newsletter salon"));
            (life && !one_of(word, "the") || dated && one_of(base, "start open launch quit finish") && !p.is_bare())
                .then(|| make(Category::Goal, "a plan"))
                .flatten()
        }
        "give" | "stop" | "cut" if word == "up" => make(Category::Goal, "an aim"),
        "switch" | "change" if p.rest_words().any(|w| one_of(w, "careers career jobs majors schools")) => {
            make(Category::Goal, "a plan")
        }
        "marry" | "throw" | "celebrate" | "host" => {
            (dated || p.rest_words().any(|w| KIN.contains(w))).then(|| make(Category::Goal, "an event")).flatten()
        }
        _ => (dated && (named || one_of(word, "to on away camping hiking skiing home abroad"))
            || named
                && one_of(word, "to")
                && one_of(base, "go fly travel head")
                && p.rest_words().any(|w| one_of(w, "for with holiday honeymoon weeks")))
        .then(|| make(Category::Goal, "a plan"))
        .flatten(),
    }
}

/// "I was living in Peru when …".
pub(crate) fn past_progressive(p: &Parsed<'_>, around: Around<'_>) -> Option<Found> {
    (one_of(&p.base, "live work study teach serve") && has_life_time(p) && !p.is_bare() && !is_passing(p))
        .then(|| Found::new(p, around, Category::Experience, "a past time").confidence(Confidence::STATED))
}
