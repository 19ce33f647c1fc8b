//! What somebody did: the events that make a life, and not the errands of a day.

use keepsake_domain::{Category, Confidence};

use super::action::*;
use super::{Around, Found, has_duration, has_life_time, is_passing, wanting};
use crate::lexicon::*;
use crate::parse::{Actor, Parsed};
use crate::rewrite;

/// "I grew up in …", "I moved to …", "I broke my arm when …".
pub(crate) fn past(p: &Parsed<'_>, around: Around<'_>) -> Option<Found> {
    let base = p.base.as_str();
    let (word, next) = (p.word(0), p.word(1));
    let (life, long) = (has_life_time(p), has_duration(p));
    let dropped = p.actor == Actor::Dropped;
    if is_passing(p) && base != "move" && !(base == "get" && one_of(word, "married engaged divorced"))
        || one_of(word, THIS) && !life
        || p.is_negated && !life && !one_of(base, "finish go grow learn like have study have drive attend")
    {
        return None;
    }
    let make = |category, family| Some(Found::new(p, around, category, family));
    if let Some(found) = as_ever(p, around) {
        return Some(found);
    }
    let ends_open = p.rest_words().last().is_some_and(|w| one_of(w, "to of from with at for my the a"));
    if ends_open {
        return None;
    }
    let recent = p
        .rest_words()
        .collect::<Vec<_>>()
        .windows(2)
        .any(|w| w[0] == "last" && one_of(w[1], "week night monday tuesday wednesday thursday friday saturday sunday"));
    match base {
        "grow" if one_of(word, "up") && !p.is_bare() && p.rest + 1 < p.end => make(Category::Experience, "origin"),
        "bear" if p.rest < p.end && one_of(word, "in on and at to near") => make(Category::PersonalInfo, "origin").map(|f| f.content(rewrite::join(&[around.label, "was born", &rewrite::render(around.text, p.tokens, p.rest, p.end)]))),
        "move" if one_of(word, "to from here out back in into abroad house flat countries away") || life => {
            let to = word == "to" || next == "to";
            if one_of(word, "on in") && !life {
                return None;
            }
            make(Category::Experience, "a move").map(|f| if to { f.slot("home") } else { f })
        }
        "diagnose" | "widow" if dropped => {
            let category = if base == "widow" { Category::Relationship } else { Category::PersonalInfo };
            make(category, "health").map(|f| f.content(rewrite::join(&[around.label, "was", &rewrite::render(around.text, p.tokens, p.verb, p.end)])))
        }
        "come" if word == "out" && (next == "to" || next == "as") => make(Category::Experience, "an event of their life"),
        "propose" if word == "to" => make(Category::Relationship, "a tie"),
        "raise" if p.rest_words().any(|w| KIN.contains(w)) => make(Category::Experience, "family"),
        "teach" if word == "myself" => make(Category::Skill, "an ability"),
        "hand" if word == "in" && p.says("notice resignation") => make(Category::Goal, "a plan"),
        "sign" | "enrol" | "enroll" | "decide" => wanting::booked(p, around),
        "marry" => make(Category::Relationship, "a tie"),
        "get" => {
            let married = one_of(word, "married engaged divorced");
            if married {
                return make(Category::Relationship, "a tie").map(|f| f.slot("marital"));
            }
            if word == "made" && next == "redundant" || one_of(word, "fired sacked") {
                return make(Category::Experience, "an event of their life");
            }
            if one_of(word, "diagnosed") {
                return make(Category::PersonalInfo, "health");
            }
            if one_of(word, "the my our") && PETS.contains(next) && p.says("from") {
                return make(Category::PersonalInfo, "a pet");
            }
            let new_one = p.rest_words().any(|w| PETS.contains(w) || one_of(w, "puppy kitten")) && one_of(word, "a an two three another our my");
            if new_one {
                let found = Found::new(p, around, Category::PersonalInfo, "a pet");
                return Some(found);
            }
            if one_of(word, "a an two three") && dropped && p.rest_words().any(|w| KIN.contains(w) || HEALTH.contains(w) || BELONGINGS.contains(w)) {
                return super::having::find(p, around);
            }
            if word == "accepted" && one_of(next, "for to into onto")
                || one_of(word, "a the") && p.rest_words().take(3).any(|w| one_of(w, "job internship placement scholarship promotion apprenticeship"))
            {
                return make(Category::Experience, "an event of their life");
            }
            if one_of(word, "the a") && one_of(next, "job place position role internship apprenticeship scholarship") && !p.says("done") {
                return make(Category::Experience, "an event of their life");
            }
            if one_of(word, "promoted sober clean") || one_of(word, "into my a the") && ((word == "into" && p.says("program programme course school choir band team")) || one_of(next, "med medical uni university college oxford cambridge degree phd masters licence license citizenship") || word == "into" && (life || recent)) {
                return make(Category::Experience, "an event of their life");
            }
            if word == "into" && !p.is_negated && !one_of(next, "it this that the a trouble an") && long {
                return make(Category::Preference, "a taste");
            }
            (life && !one_of(word, "it this that the to")).then(|| Found::new(p, around, Category::Experience, "an event of their life"))
        }
        "sell" if one_of(word, "my our the") && p.says("shop house flat business farm car company boat bakery restaurant cafe pub van horse apartment") => make(Category::Experience, "an event of their life"),
        "call" if word == "off" && p.says("engagement wedding") => make(Category::Relationship, "a tie").map(|f| f.slot("marital")),
        "open" | "launch" | "start" if one_of(word, "my our an a") && p.says("store shop studio bakery restaurant cafe business company practice brewery salon gallery school") && !recent_work(p) => make(Category::Experience, "a beginning"),
        "finish" | "complete" if p.rest_words().any(|w| one_of(w, "chemo chemotherapy radiotherapy treatment rehab probation apprenticeship residency training")) && !p.is_negated => make(Category::Experience, "an event of their life"),
        "donate" if one_of(word, "my our") => make(Category::Experience, "an event of their life"),
        "do" if p.rest_words().any(|w| DEGREES.contains(w) || one_of(w, "abroad service apprenticeship training thesis a-levels gcses residency internship tours")) && !one_of(word, "it this that the not") && !p.is_negated => make(Category::Experience, "studies"),
        "row" | "play" | "swim" | "box" | "fence" | "compete" | "sing" | "dance" if word == "for" && one_of(next, "my our the england scotland wales ireland") && !p.is_negated => make(Category::Experience, "a past time"),
        "come" if word == "to" && (p.tokens.get(p.rest + 1).is_some_and(|t| t.is_capital) || p.says("country")) && (life || p.says("as when from for refugee student")) => make(Category::Experience, "a move"),
        "study" if !p.is_bare() && !p.is_negated && !one_of(word, "the it this that for") && p.says("at in") => make(Category::Experience, "studies"),
        "lose" | "bury" => {
            let kin = p.rest_words().any(|w| KIN.contains(w) || ASSOCIATE.contains(w) || PETS.contains(w));
            (kin || life || one_of(word, "everything") && p.end - p.rest > 1 || one_of(word, "my") && one_of(next, "sense job hearing leg arm sight finger eye house") || p.says("kg kilos pounds stone"))
                .then(|| Found::new(p, around, Category::Experience, "a loss"))
        }
        "take" if word == "up" => make(Category::Preference, "a pastime"),
        "take" if word == "early" => make(Category::Experience, "an event of their life"),
        "have" => {
            let kin = p.rest_words().any(|w| one_of(w, "baby twins son daughter miscarriage child kid"));
            let body = p.rest_words().any(|w| one_of(w, "surgery operation transplant stroke heart bypass replacement chemo cancer covid concussion measles removed") || HEALTH.contains(w) && life);
            if p.is_negated && !life {
                return None;
            }
            let kept = life && p.rest_words().any(|w| PETS.contains(w) || BELONGINGS.contains(w)) && !p.is_negated;
            let never = p.has_adverb("never") && p.rest_words().last().is_some_and(|w| BELONGINGS.contains(w) || PETS.contains(w) || KIN.contains(w) || one_of(w, "tooth"));
            if never {
                return make(if p.says("tooth") { Category::Preference } else { Category::Experience }, "something never had").map(|f| f.content(rewrite::join(&[around.label, "has never had", &rewrite::render(around.text, p.tokens, p.rest, p.end)])));
            }
            (kin && life || body || kept).then(|| Found::new(p, around, Category::Experience, "an event of their life"))
        }
        "want" if p.has_adverb("always") && word == "to" => wanting::always(p, around),
        "work" | "live" | "teach" | "serve" | "study" | "volunteer" | "stay" if (life || long || one_of(word, "as in at for with abroad there") && !one_of(next, "it this the-bug") && one_of(base, "work live serve study volunteer")) && !(base == "stay" && !life && !long) => {
            (!(base == "work" && one_of(word, "for") && one_of(next, "me us a") && !life) && !(one_of(word, "on in") && one_of(next, "it this that the") && !life && !long && base == "work") && !p.is_bare() && !one_of(word, "on fine out") && !p.is_negated)
                .then(|| Found::new(p, around, Category::Experience, if base == "study" { "studies" } else { "a past time" }))
        }
        "spend" => {
            let stretch = p.rest_words().any(|w| one_of(w, "years year winter summer spring autumn months month decade childhood semester twenties thirties life youth christmas"));
            (stretch && !p.says("debugging waiting trying hours")).then(|| Found::new(p, around, Category::Experience, "a past time"))
        }
        "adopt" if p.is_bare() => None,
        "take" if word == "redundancy" => make(Category::Experience, "an event of their life"),
        "want" if p.has_adverb("never") && p.says("kids children") => make(Category::Relationship, "a wish"),
        "start" | "begin" if one_of(word, "when as in last at with over by off out from again ago since") && !(word == "at" || word == "as" || word == "in") || p.is_bare() => None,
        "start" | "begin" => {
            let therapy = p.rest_words().any(|w| one_of(w, "therapist therapy medication antidepressants insulin hrt chemo dialysis counselling counseling physio"));
            if therapy {
                return make(Category::PersonalInfo, "health");
            }
            let learns = p.rest_words().any(|w| one_of(w, "learning"));
            if learns && !is_passing(p) {
                return make(Category::Skill, "learning");
            }
            let job = one_of(word, "a at my as") && p.rest_words().any(|w| one_of(w, "job business company firm studio practice school uni university apprenticeship phd degree position role bakery shop brewery podcast blog band choir"));
            let employer = one_of(word, "at on as") && p.tokens[p.rest.min(p.end)..p.end].iter().any(|t| t.is_capital) && p.says("at");
            if employer && !p.is_negated {
                return make(Category::PersonalInfo, "a job");
            }
            let hobby = (base_of_ing(word).is_some_and(|b| HABIT.contains(b.as_str()) || TRADE.contains(b.as_str()) || LIFE.contains(b.as_str()))) && (life || recent || long || p.rest_words().any(|w| one_of(w, MONTHS)));
            let course = life && !one_of(word, "the from over to");
            (job || hobby || course).then(|| Found::new(p, around, if hobby { Category::Preference } else if job && !life { Category::PersonalInfo } else { Category::Experience }, "a beginning"))
        }
        "stop" | "give" | "quit" => {
            let object = if base == "give" { word == "up" && p.rest + 1 < p.end && !one_of(next, "on and") } else { !p.is_bare() };
            let lasting = life || long || p.rest_words().any(|w| one_of(w, "smoking drinking meat alcohol caffeine coffee sugar job facebook instagram twitter vaping dairy gluten uni university school sugar")) || one_of(word, "my") && one_of(next, "job") || base == "quit" && one_of(word, "teaching nursing smoking law medicine academia banking");
            (object && lasting && !one_of(word, "the it this")).then(|| Found::new(p, around, if life || one_of(base, "quit") { Category::Experience } else { Category::Preference }, "a change"))
        }
        "buy" | "inherit" | "adopt" | "rescue" | "build" | "purchase" | "restore" | "renovate" | "found" | "co-found" | "open" | "launch" => {
            let thing = p.rest_words().any(|w| BELONGINGS.contains(w) || PETS.contains(w) || KIN.contains(w));
            if one_of(base, "open build launch restore") && !life && !(one_of(word, "my our a") && p.rest_words().any(|w| one_of(w, "own shop bakery restaurant cafe company house studio cabin boat business"))) || !thing && !life && !one_of(base, "found co-found inherit adopt") || p.is_negated {
                return None;
            }
            let pet = p.rest_words().any(|w| PETS.contains(w));
            let kept = p.rest_words().any(|w| BELONGINGS.contains(w)) && one_of(base, "buy inherit purchase") && !life;
            make(if pet && !life || kept { Category::PersonalInfo } else { Category::Experience }, "an acquisition")
        }
        "break" | "tear" | "fracture" | "dislocate" | "sprain" | "donate" if p.rest_words().any(|w| one_of(w, "arm leg ankle wrist collarbone hip foot toe finger nose rib ribs shoulder knee acl back neck jaw elbow kidney hand marrow hamstring achilles meniscus pelvis femur blood tendon")) => make(Category::Experience, "an injury"),
        // "we broke up": the other half is the partner, whom the sentence leaves out.
        "break" if word == "up" && p.is_plural && p.joint.is_none() && !p.says("with") => {
            let rest = rewrite::render(around.text, p.tokens, p.rest, p.end);
            let content = rewrite::join(&[around.label, "and their partner broke", &rest]);
            make(Category::Relationship, "a tie").map(|found| found.content(content))
        }
        "break" if word == "up" => make(Category::Relationship, "a tie"),
        "win" | "climb" | "summit" | "publish" | "release" | "complete" | "finish" | "run" | "cycle" | "hike" | "swim" | "sail" | "row" | "walk" | "perform" | "compete" | "invent" | "captain" => {
            let feat = life || p.rest_words().any(|w| one_of(w, "marathon marathons half-marathon ultramarathon triathlon ironman ironmans camino everest kilimanjaro channel award prize championship medal cup league competition scholarship race lottery phd degree masters dissertation thesis novel book album trail way munros pacific atlantic appalachian coast")) || one_of(base, "summit captain invent publish");
            (feat && !recent_work(p) && !p.is_negated && !(base == "run" && one_of(word, "out into the a") && !p.says("marathon race half-marathon triathlon"))).then(|| Found::new(p, around, Category::Experience, "an achievement"))
        }
        "visit" | "travel" | "backpack" | "hitchhike" | "go" | "fly" => {
            let named = p.tokens[p.rest.min(p.end)..p.end].iter().any(|t| t.is_capital || PROPER.contains(t.low.as_str()) && !one_of(&t.low, MONTHS) && !one_of(&t.low, WEEKDAYS));
            let study = base == "go" && word == "to" && p.rest_words().any(|w| one_of(w, "school uni university college film art med law boarding cambridge oxford mit"));
            let trip = named && (life || long || one_of(base, "backpack hitchhike") || base == "visit" && recent) || one_of(base, "backpack hitchhike");
            (study && !recent || trip || base == "go" && life && word == "to" || base == "go" && one_of(word, "deaf blind vegan vegetarian freelance bald grey gray bankrupt part-time plant-based")).then(|| {
                let trait_like = one_of(word, "deaf blind vegan vegetarian freelance bald");
                Found::new(p, around, if trait_like && one_of(word, "vegan vegetarian") { Category::Preference } else if trait_like { Category::PersonalInfo } else { Category::Experience }, if study { "studies" } else { "a journey" })
            })
        }
        "major" | "graduate" | "qualify" | "train" | "intern" | "apprentice" | "retrain" | "enlist" | "retire" | "resign" | "emigrate" | "immigrate" | "relocate" | "convert" | "drop" | "divorce" | "separate" | "elope" | "defect" | "flee" => {
            let drop_out = base != "drop" || word == "out";
            let trained = base != "train" || one_of(word, "as in to at") || life;
            let converted = base != "convert" || one_of(word, "to") && p.tokens.get(p.rest + 1).is_some_and(|t| t.is_capital || PROPER.contains(t.low.as_str()));
            let split = base != "separate" || p.is_plural || life;
            let category = if one_of(base, "divorce separate elope") { Category::Relationship } else { Category::Experience };
            (drop_out && trained && converted && split).then(|| Found::new(p, around, category, "an event of their life"))
        }
        "meet" if one_of(word, "my") && p.rest_words().any(|w| KIN.contains(w) || one_of(w, "friend")) || p.is_plural && (life || word == "at" || word == "in") => make(Category::Relationship, "a tie"),
        "name" if p.is_plural || one_of(word, "him her our my the") => {
            let is_name = p.tokens.get(p.end - 1).is_some_and(|t| t.is_capital);
            (is_name && p.rest + 2 <= p.end && p.end - p.rest <= 4).then(|| Found::new(p, around, Category::PersonalInfo, "a pet").slot("petname"))
        }
        "book" => wanting::booked(p, around),
        "learn" if !p.is_bare() && !one_of(word, "that how the-hard a about from") && !p.is_negated || base == "learn" && one_of(word, "to how") || base == "learn" && p.has_adverb("never") => {
            if one_of(word, "that") {
                return None;
            }
            make(Category::Skill, "an ability")
        }
        "survive" | "beat" | "recover" => (p.rest_words().any(|w| HEALTH.contains(w) || one_of(w, "cancer crash earthquake stroke fire war")) || life).then(|| Found::new(p, around, Category::Experience, "an event of their life")),
        "suffer" if life || long => make(Category::Experience, "health"),
        "smoke" | "drink" | "play" | "own" | "sing" | "dance" | "keep" | "rent" | "teach" | "coach" | "write" | "read" | "record" | "draw" | "paint" | "sell" | "raise" | "become" | "join" | "leave" | "switch" | "swap" | "pass" | "sit" | "fail" | "see" | "fall" | "discover" | "drive" | "cross" | "catch" | "make" | "knit" | "compose" | "translate" | "design" | "tour" | "act" | "direct" | "represent" | "propose" | "turn" | "date" | "come" | "earn" | "receive" | "crash" | "attend" | "apply" | "choose" | "swear" => {
            let plain = one_of(base, "join become") && !recent_work(p) || base == "become" || base == "leave" && p.rest_words().any(|w| one_of(w, "school job order church army academia husband wife home ussr iran syria")) || base == "switch" && word == "to" && !one_of(next, "the a it this") || one_of(base, "pass fail") && (p.says("exam bar driving") || p.says("theory citizenship licence boards finals") || p.says("grade"));
            (life && !recent_work(p) || plain || long && one_of(base, "smoke drink play own sing dance keep rent teach coach sell date drive write")).then(|| {
                let category = match base {
                    "become" if p.rest_words().any(|w| one_of(w, "father mother dad mum grandmother grandfather uncle aunt parent grandma grandpa")) => Category::Relationship,
                    "switch" => Category::Preference,
                    _ => Category::Experience,
                };
                Found::new(p, around, category, "a past event")
            })
        }
        _ if LIFE_PLAIN.contains(base) => make(Category::Experience, "an event of their life"),
        _ if life
            && p.actor == Actor::Speaker
            && !p.is_bare()
            && !p.is_negated
            && !recent_work(p)
            && !ERRANDS_PAST.contains(base)
            && !one_of(word, THIS) =>
        {
            make(Category::Experience, "a past event").map(|f| f.confidence(Confidence::IMPLIED))
        }
        _ => (life && has_strong_life_time(p) && !p.is_bare() && is_known_verb(base) && !one_of(base, "think know say tell ask hear feel try read see call install update change set") && !recent_work(p)).then(|| Found::new(p, around, Category::Experience, "a past event").confidence(Confidence::IMPLIED)),
    }
}

/// "had my porridge on the balcony like every morning": one day's doing that is told as every day's.
fn as_ever(p: &Parsed<'_>, around: Around<'_>) -> Option<Found> {
    let words: Vec<&str> = p.rest_words().collect();
    let at = (1..words.len().saturating_sub(1)).find(|k| {
        one_of(words[*k], "like as") && (words[*k + 1] == "every" || words[*k + 1] == "always" || words[*k + 1] == "usual")
    })?;
    if p.is_negated || p.actor != Actor::Speaker && p.actor != Actor::Dropped || one_of(words[0], THIS) || !is_known_verb(&p.base)
    {
        return None;
    }
    let how = match words[at + 1] {
        "every" => rewrite::render(around.text, p.tokens, p.rest + at + 1, p.end),
        _ => String::new(),
    };
    let usually = if how.is_empty() { "usually" } else { "" };
    let content = rewrite::join(&[
        around.label,
        usually,
        &third_of(&p.base),
        &rewrite::render(around.text, p.tokens, p.rest, p.rest + at),
        &how,
    ]);
    Some(Found::new(p, around, Category::Preference, "a habit").content(content).confidence(Confidence::IMPLIED))
}

words! {
    /// Pasts that tell of an errand, a complaint or a thought, whatever their date.
    ERRANDS_PAST = "order call ring phone email write pay send contact request ask tell say think know hear feel try want need like love hate hope
        mean install update upgrade download subscribe cancel return report complain use see look find notice read watch get have be do
        make put set go come take keep let give talk speak chat mention promise wait run stop start open close check click charge";
}

fn has_strong_life_time(p: &Parsed<'_>) -> bool {
    p.has_adverb("once nearly")
        || p.rest_words()
            .chain(p.front_words())
            .any(|w| crate::clause::is_year(w) || one_of(w, "kid child teenager childhood years school college uni university"))
}

/// Talk of a program or an order: its past is no life.
pub(super) fn recent_work(p: &Parsed<'_>) -> bool {
    p.rest_words().any(|w| one_of(w, "error bug build commit branch test tests server script function code order ticket parcel refund package version install update router password account email"))
}
