//! What somebody does, did, has done or can do.

use keepsake_domain::{Category, Confidence, Durability};

use super::{Around, Found, has_duration, has_frequency, has_future_time, has_life_time, is_passing, wanting};
use crate::lexicon::*;
use crate::parse::{Actor, Parsed};
use crate::rewrite;

const THIS: &str = "it this that them these those you your";

/// Instruments, by which "play" is an ability and not a pastime.
const INSTRUMENTS: &str = "piano guitar bass drums violin viola cello fiddle banjo mandolin ukulele harp flute oboe clarinet sax saxophone trumpet trombone horn tuba
    accordion organ keys keyboard keyboards harmonica recorder bagpipes sitar tabla concertina melodica theremin lute percussion bassoon cornet instrument handpan";

/// "I live in …", "I teach …", "I love …", "I collect …".
pub(crate) fn present(p: &Parsed<'_>, around: Around<'_>) -> Option<Found> {
    let base = p.base.as_str();
    let (word, next) = (p.word(0), p.word(1));
    let make = |category, family| Some(Found::new(p, around, category, family));
    let keeps = !is_passing(p);
    if !keeps && !one_of(base, "start move want plan") {
        return None;
    }
    let last_is_preposition = p.rest_words().last().is_some_and(|w| one_of(w, "to of from with at for"));
    if last_is_preposition && p.rest_words().count() <= 2 && !one_of(base, "want") {
        return None;
    }
    match base {
        "live" | "reside" => (one_of(word, "in on at near with by off above below next alone between outside close just over under abroad across inside behind here about around half an a five ten two down up over out right just round") && !one_of(next, "fear hope it the-moment this that") && !p.is_negated || p.is_negated && one_of(word, "in with"))
            .then(|| {
                if p.word(0) == "in" && one_of(p.word(1), "vim emacs neovim excel jeans tmux vscode the-terminal") {
                    return Found::new(p, around, Category::Preference, "a tool");
                }
                let with = word == "with" || word == "alone";
                let found = Found::new(p, around, if with && p.rest_words().any(|w| KIN.contains(w)) { Category::PersonalInfo } else { Category::PersonalInfo }, "a home");
                if with || p.is_negated { found } else { found.slot("home") }
            }),
        "work" => {
            if word == "for" && one_of(next, "me us") || p.is_bare() && !p.has_adverb("nights") || one_of(word, "fine on out it hard together") && !(word == "on" && !one_of(next, "it this that the a my our")) {
                return None;
            }
            if p.is_negated && !has_frequency(p) {
                return None;
            }
            make(Category::PersonalInfo, "a job").map(|f| if one_of(word, "as at for in") { f.slot("job") } else { f })
        }
        "love" | "like" | "enjoy" | "adore" | "hate" | "dislike" | "detest" | "despise" | "loathe" | "prefer" | "fear" | "dread" | "worship" | "fancy" | "crave" | "treasure" => taste(p, around),
        "speak" | "understand" | "read" if one_of(base, "speak") || PROPER.contains(word) => {
            let is_language = p.rest_words().any(|w| PROPER.contains(w) || one_of(w, "languages language dialect signed sign bsl asl"));
            (is_language && word != "to").then(|| Found::new(p, around, Category::Skill, "a language"))
        }
        "play" => {
            if p.is_bare() || one_of(word, "it this that with along dumb music-video") {
                return None;
            }
            make(if p.rest_words().any(|w| INSTRUMENTS.split_whitespace().any(|i| i == w)) { Category::Skill } else { Category::Preference }, "a pastime")
        }
        "teach" | "coach" | "tutor" => (!p.is_bare() && !one_of(word, THIS) && !p.is_negated).then(|| {
            let skill = p.rest_words().any(|w| one_of(w, "class classes course lessons workshop workshops")) ;
            Found::new(p, around, if skill { Category::Skill } else { Category::PersonalInfo }, "a job")
        }),
        "want" => wanting::want(p, around),
        "plan" | "hope" | "intend" | "aim" | "aspire" | "dream" => wanting::plan(p, around),
        "study" => (!p.is_bare() && !one_of(word, THIS)).then(|| Found::new(p, around, Category::PersonalInfo, "studies").slot("studies")),
        "suffer" => make(Category::PersonalInfo, "health"),
        "identify" if word == "as" => make(Category::PersonalInfo, "trait"),
        "struggle" if word == "with" && !one_of(next, THIS) => make(Category::PersonalInfo, "health").map(|f| f.confidence(Confidence::STATED)),
        "see" if p.rest_words().any(|w| one_of(w, "therapist counsellor counselor psychologist psychiatrist physio")) => make(Category::PersonalInfo, "health"),
        "start" | "begin" if p.rest_words().any(|w| one_of(w, "chemo dialysis radiotherapy therapy rehab")) => make(Category::Goal, "a plan"),
        "come" if word == "from" && !one_of(next, "the this that it a") => make(Category::PersonalInfo, "origin").map(|f| f.slot("origin")),
        "come" if word == "from" && next == "a" => make(Category::PersonalInfo, "origin"),
        "believe" if word == "in" && !one_of(next, "you it this that them") => make(Category::Preference, "a belief"),
        "think" | "believe" | "reckon" | "find" | "consider" => opinion(p, around),
        "need" | "require" if p.rest_words().any(|w| one_of(w, "wheelchair glasses insulin hearing subtitles step-free ramp inhaler epipen")) && !one_of(word, "to") => make(Category::PersonalInfo, "health"),
        "need" | "require" | "remember" | "forget" | "mind" | "matter" => None,
        "know" => {
            let is_craft = one_of(word, "how") && next == "to" && !p.is_negated || PROPER.contains(word) && !p.is_negated || word == "sign";
            is_craft.then(|| Found::new(p, around, Category::Skill, "an ability"))
        }
        "own" | "keep" | "raise" | "breed" => {
            if p.is_bare() || one_of(word, THIS) || base == "keep" && (base_of_ing(word).is_some() || one_of(word, "getting in track up the going my forgetting losing telling thinking saying an quiet calm") || p.is_negated) {
                return None;
            }
            let pets = p.rest_words().any(|w| PETS.contains(w) || one_of(w, "bees chickens"));
            let diet = one_of(word, "halal kosher vegan vegetarian");
            let objects = pets || base != "keep";
            make(if diet { Category::Preference } else if objects { Category::PersonalInfo } else { Category::Preference }, if diet { "a diet" } else { "a possession" })
        }
        "look" | "care" if one_of(word, "after for") && p.rest_words().any(|w| KIN.contains(w)) => make(Category::Relationship, "family"),
        "miss" if word == "my" && p.rest_words().any(|w| w == "late") => make(Category::Relationship, "a loss"),
        "take" => {
            if word == "care" && next == "of" && p.rest_words().any(|w| KIN.contains(w)) {
                return make(Category::Relationship, "family");
            }
            if p.rest_words().any(|w| one_of(w, "insulin medication meds antidepressants pills tablets statins thinners metformin ritalin levothyroxine antihistamines lithium mg")) {
                return make(Category::PersonalInfo, "health");
            }
            let is_habit = has_frequency(p) || p.rest_words().any(|w| one_of(w, "sugar milk lessons classes classes")) && !p.is_plural || one_of(word, "my") && one_of(next, "coffee tea");
            (is_habit && !one_of(word, THIS)).then(|| Found::new(p, around, Category::Preference, "a habit"))
        }
        "get" => {
            let sick = p.rest_words().any(|w| HEALTH.contains(w) || one_of(w, "seasick carsick travelsick airsick nosebleeds cramps hives panic")) ;
            if sick && !one_of(word, "my the") {
                return make(Category::PersonalInfo, "health");
            }
            (word == "up" && (next == "at" || has_frequency(p)) || has_frequency(p) && !p.is_negated && !one_of(word, "it this that an error the") && !p.says("error errors message messages emails notification")).then(|| Found::new(p, around, Category::Preference, "a habit"))
        }
        "go" => {
            let active = base_of_ing(word).is_some() && !one_of(word, "crazy");
            let by = word == "by" && !one_of(next, "the car bus train foot that");
            if by {
                return make(Category::PersonalInfo, "name").map(|f| f.slot("nickname"));
            }
            (active && !p.is_negated || has_frequency(p) && !one_of(word, "wrong back on") || word == "to" && p.rest_words().any(|w| one_of(w, "church mosque synagogue temple therapy mass uni university college school gym")) && !one_of(next, "bed the-shop") || has_future_time(p) && one_of(word, "to") && !p.is_negated)
                .then(|| if has_future_time(p) && word == "to" && !has_frequency(p) { Found::new(p, around, Category::Goal, "a plan") } else { Found::new(p, around, Category::Preference, "a habit") })
        }
        "start" | "begin" | "leave" | "move" | "retire" | "graduate" | "turn" | "fly" | "travel" | "finish" | "drive" | "sail" if has_future_time(p) || p.rest_words().any(|w| w.ends_with("th") && w.starts_with(|c: char| c.is_ascii_digit()) || one_of(w, MONTHS)) => {
            (!has_frequency(p) && !p.is_negated && !(base == "move" && !one_of(word, "to in into out house abroad"))).then(|| Found::new(p, around, Category::Goal, "a plan"))
        }
        "have" | "do" => doing(p, around),
        "use" => (!p.is_bare() && !one_of(word, THIS) && !one_of(word, "the") && !p.is_negated || p.is_negated && !one_of(word, THIS) && !p.is_bare() || word == "the" && (has_frequency(p) || p.has_adverb("only"))).then(|| {
            let aid = p.rest_words().any(|w| one_of(w, "wheelchair reader walker crutches cane hearing inhaler cpap prosthesis prosthetic stick screenreader"));
            Found::new(p, around, if aid { Category::PersonalInfo } else { Category::Preference }, if aid { "health" } else { "a tool" })
        }),
        "run" | "manage" | "lead" | "drive" | "represent" | "build" | "design" | "make" | "write" | "sell" | "fix" | "repair" | "restore" | "edit" | "translate" | "develop" | "maintain" | "paint" | "clean" | "deliver" | "operate" | "install" | "train" | "supervise" | "groom" | "farm" | "curate" | "illustrate" | "produce" | "photograph" | "draw" | "publish" | "direct" => craft(p, around),
        _ if NO_HABIT.contains(base) => {
            let safe = has_frequency(p) && !p.is_bare() && !one_of(word, THIS) && one_of(base, "see call find open leave keep start sit stand order switch turn tell ask need forget");
            (safe && !p.is_negated && !one_of(base, "tell ask find see need") && !p.says("error again same")).then(|| Found::new(p, around, Category::Preference, "a habit").confidence(Confidence::IMPLIED))
        }
        _ if HABIT.contains(base) => {
            let needs_object = one_of(base, "see meet take bring cut watch spend attend visit travel fly call ring press save follow order buy share split react cry sleep wear practice listen read walk wake cook host serve support stay drive code box lift sing");
            let has_cue = has_frequency(p);
            if p.is_bare() && !one_of(base, "knit crochet sew quilt smoke vape bake cook garden paint draw sing dance surf ski snowboard climb swim hike cycle sail fish hunt meditate journal juggle brew forage compost kayak snore sleepwalk stammer stutter lisp skate skateboard fence box golf busk freelance volunteer drive birdwatch weld solder whittle drink") {
                return None;
            }
            if one_of(word, THIS) && !(has_cue && one_of(word, "it")) {
                return None;
            }
            let strong = one_of(base, "see meet bring call ring press take spend buy order visit stay get fly travel attend cry react cut watch follow serve fix");
            if strong && !has_cue && !p.is_negated {
                return None;
            }
            if p.is_negated && one_of(base, "see meet call visit spend stay serve attend travel follow support read watch") && !one_of(base, "watch read") {
                return None;
            }
            let _ = needs_object;
            let ability = one_of(base, "stammer stutter lisp snore sleepwalk");
            let wears_aid = base == "wear" && p.rest_words().any(|w| one_of(w, "glasses lenses contacts hearing wig prosthetic braces brace"));
            let rents = one_of(base, "rent share") ;
            if base == "share" && p.says("custody") {
                return make(Category::Relationship, "family");
            }
            let (category, family) = if ability || wears_aid { (Category::PersonalInfo, "health") } else if rents { (Category::PersonalInfo, "a home") } else { (Category::Preference, "a habit") };
            make(category, family)
        }
        _ if TRADE.contains(base) => (!p.is_bare() && !one_of(word, THIS) || one_of(base, "freelance farm moonlight")).then(|| Found::new(p, around, Category::PersonalInfo, "a job")),
        _ => (has_frequency(p) && !p.is_bare() && is_known_verb(base) && !one_of(word, THIS)).then(|| Found::new(p, around, Category::Preference, "a habit").confidence(Confidence::IMPLIED)),
    }
}

/// "I do all our artwork", "I don't do meditation".
fn doing(p: &Parsed<'_>, around: Around<'_>) -> Option<Found> {
    let (word, next) = (p.word(0), p.word(1));
    if p.base == "have" {
        return if p.is_negated { super::having::find(p, around) } else { None };
    }
    if p.is_bare()
        || one_of(word, "not this that it so what something anything nothing the some well that's know")
        || p.is_negated && one_of(word, "much anything well a any")
    {
        return None;
    }
    let activity = base_of_ing(word).is_some()
        || has_frequency(p)
        || p.is_negated
        || one_of(
            word,
            "yoga pilates karate judo ballet parkour crossfit pottery ceramics archery improv tax taxes freelance nights stand-up standup amateur all",
        )
        || one_of(next, "for") && p.says("living");
    activity.then(|| {
        let skill = one_of(word, "all") || p.says("artwork illustration translation translations");
        Found::new(p, around, if skill && !has_frequency(p) { Category::Skill } else { Category::Preference }, "a habit")
    })
}

/// Verbs that are a trade with one object and a pastime with another.
fn craft(p: &Parsed<'_>, around: Around<'_>) -> Option<Found> {
    let (word, base) = (p.word(0), p.base.as_str());
    if p.is_bare() && !one_of(base, "paint draw write run drive")
        || one_of(word, THIS)
        || p.is_negated && !one_of(base, "drive run write")
    {
        return None;
    }
    let is_living = p.says("living") && p.says("for");
    let is_business = p.rest_words().any(|w| one_of(w, "company business shop bakery restaurant cafe café bar pub hotel guesthouse farm studio salon gallery practice agency startup team department club charity desk office school class library museum theatre theater bus bookshop bookstore clinic lab workshop stall kitchen project group choir band newsletter podcast blog channel community nursery surgery garage store centre center union society league bed b&b hostel campsite vineyard brewery"));
    let vehicle = p
        .rest_words()
        .any(|w| one_of(w, "taxi lorry truck bus tram ambulance train van forklift cab minibus uber tractor crane ferry"));
    let owns_car = base == "drive" && one_of(word, "a an my") && !vehicle;
    if one_of(base, "run") && !is_business && !is_living {
        let software = p.tokens.get(p.rest).is_some_and(|t| t.is_capital)
            || PROPER.contains(word)
            || one_of(word, "arch linux windows debian");
        if p.is_negated || p.is_bare() && !has_frequency(p) {
            return None;
        }
        if one_of(word, "the it a") && !has_frequency(p) && !p.says("marathon marathons race races")
            || one_of(word, "into out late")
        {
            return None;
        }
        return Some(Found::new(p, around, Category::Preference, if software { "a tool" } else { "a habit" }));
    }
    if is_living || is_business || vehicle {
        return Some(Found::new(p, around, Category::PersonalInfo, "a job"));
    }
    if owns_car {
        return Some(Found::new(p, around, Category::PersonalInfo, "a possession"));
    }
    if base == "drive" {
        return (p.is_negated || has_frequency(p) || p.tokens.get(p.rest).is_some_and(|t| t.is_capital))
            .then(|| Found::new(p, around, if p.is_negated { Category::Skill } else { Category::Preference }, "a habit"));
    }
    if one_of(base, "make")
        && !has_frequency(p)
        && (DETERMINERS.contains(word) || one_of(word, "sure sense mistakes do the"))
        && !one_of(word, "my our")
    {
        return None;
    }
    if one_of(word, "the") && !has_frequency(p) && !one_of(base, "manage lead teach edit curate represent direct supervise") {
        return None;
    }
    let is_pastime = one_of(base, "paint draw write make build photograph restore fix repair") && !is_living;
    let trade = TRADE.contains(base) && !is_pastime;
    let plural_object =
        p.rest_words().last().is_some_and(|w| w.ends_with('s')) || p.rest_words().any(|w| w.ends_with('s') && !w.ends_with("ss"));
    if one_of(base, "fix repair install train clean sell") && !plural_object && !has_frequency(p) {
        return None;
    }
    Some(Found::new(
        p,
        around,
        if trade { Category::PersonalInfo } else { Category::Preference },
        if trade { "a job" } else { "a pastime" },
    ))
}

/// "I love …", "I can't stand …".
fn taste(p: &Parsed<'_>, around: Around<'_>) -> Option<Found> {
    let (word, next) = (p.word(0), p.word(1));
    let vague = p.is_bare()
        || one_of(word, "it this that you your how when what them him her these those where to")
            && !(word == "to" && !one_of(next, "think know see hear say be point") && !one_of(&p.base, "hate"))
        || one_of(word, "the a an my our")
            && one_of(
                next,
                "idea sound look way fact thought feeling vibe plan first second last new one answer result suggestion option version list name app moment",
            )
        || word == "being" && one_of(next, "on put ignored told left kept")
        || one_of(word, "doing being having getting waiting")
            && !has_frequency(p)
            && one_of(&p.base, "love adore enjoy")
            && one_of(next, "on ignored told this that it for nothing put left")
        || p.rest_words().any(|w| one_of(w, "you your yours"));
    if vague || p.base == "fancy" || p.base == "crave" && !has_frequency(p) {
        return None;
    }
    let person = one_of(word, "my our") && p.rest_words().any(|w| KIN.contains(w));
    let category = if p.base == "fear" {
        Category::PersonalInfo
    } else if person {
        Category::Relationship
    } else {
        Category::Preference
    };
    let found = Found::new(p, around, category, if p.base == "fear" { "a fear" } else { "a taste" });
    Some(if p.actor == Actor::Dropped { found.confidence(Confidence::STATED) } else { found })
}

/// "I think tipping should be abolished", "I find opera boring".
fn opinion(p: &Parsed<'_>, around: Around<'_>) -> Option<Found> {
    let words: Vec<&str> = p.rest_words().collect();
    let first = *words.first()?;
    if p.base == "find" {
        let judged = words.last().is_some_and(|w| one_of(w, "boring hard difficult easy relaxing soothing stressful exhausting overrated calming tedious confusing unbearable fascinating comforting therapeutic distracting overwhelming")) || words.iter().any(|w| one_of(w, "hard difficult easier easy"));
        return (judged && !one_of(first, "it this that the your out these") && words.len() >= 2 && !p.is_negated)
            .then(|| Found::new(p, around, Category::Preference, "an opinion").confidence(Confidence::STATED));
    }
    let general = !one_of(first, "it this that i we you he she they so there of about the not")
        || first == "the" && words.iter().any(|w| one_of(w, "best worst"));
    let judged = words.iter().any(|w| one_of(w, "should overrated underrated best worst better worse always never nobody everyone everybody deserve deserves abolished banned wrong waste"));
    (general && judged && !words.iter().any(|w| one_of(w, "you your bug error code")) && !p.is_negated)
        .then(|| Found::new(p, around, Category::Preference, "an opinion").confidence(Confidence::STATED))
}

/// "I grew up in …", "I moved to …", "I broke my arm when …".
pub(crate) fn past(p: &Parsed<'_>, around: Around<'_>) -> Option<Found> {
    let base = p.base.as_str();
    let (word, next) = (p.word(0), p.word(1));
    let (life, long) = (has_life_time(p), has_duration(p));
    let dropped = p.actor == Actor::Dropped;
    if is_passing(p) && base != "move"
        || one_of(word, THIS) && !life
        || p.is_negated && !life && !one_of(base, "finish go grow learn like have study have drive attend")
    {
        return None;
    }
    let make = |category, family| Some(Found::new(p, around, category, family));
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
            let new_one = p.rest_words().any(|w| PETS.contains(w) || one_of(w, "puppy kitten")) && one_of(word, "a an two three another our my");
            if new_one {
                let found = Found::new(p, around, Category::PersonalInfo, "a pet");
                return Some(found);
            }
            if one_of(word, "a an two three") && dropped && p.rest_words().any(|w| KIN.contains(w) || HEALTH.contains(w) || BELONGINGS.contains(w)) {
                return super::having::find(p, around);
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
        "lose" | "bury" => {
            let kin = p.rest_words().any(|w| KIN.contains(w) || ASSOCIATE.contains(w) || PETS.contains(w));
            (kin || life || one_of(word, "my") && one_of(next, "job hearing leg arm sight finger eye house") || p.says("kg kilos pounds stone"))
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
            let kept = life && p.rest_words().any(|w| PETS.contains(w) || BELONGINGS.contains(w)) && p.is_negated == false;
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
            make(if pet && !life { Category::PersonalInfo } else { Category::Experience }, "an acquisition")
        }
        "break" | "tear" | "fracture" | "dislocate" | "sprain" | "donate" if p.rest_words().any(|w| one_of(w, "arm leg ankle wrist collarbone hip foot toe finger nose rib ribs shoulder knee acl back neck jaw elbow kidney hand marrow hamstring achilles meniscus pelvis femur blood tendon")) => make(Category::Experience, "an injury"),
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
            let called = p.rest_words().last()?.to_owned();
            let is_name = p.tokens.get(p.end - 1).is_some_and(|t| t.is_capital);
            let _ = called;
            (is_name && p.rest + 2 <= p.end && p.end - p.rest <= 4).then(|| Found::new(p, around, Category::PersonalInfo, "a pet").slot("petname"))
        }
        "book" if p.is_plural || dropped || true => wanting::booked(p, around),
        "learn" if !p.is_bare() && !one_of(word, "that how the-hard a about from") && !p.is_negated || base == "learn" && one_of(word, "to how") || base == "learn" && p.has_adverb("never") => {
            if one_of(word, "that") {
                return None;
            }
            make(Category::Skill, "an ability")
        }
        "survive" | "beat" | "recover" => (p.rest_words().any(|w| HEALTH.contains(w) || one_of(w, "cancer crash earthquake stroke fire war")) || life).then(|| Found::new(p, around, Category::Experience, "an event of their life")),
        "suffer" if life || long => make(Category::Experience, "health"),
        "smoke" | "drink" | "play" | "own" | "sing" | "dance" | "keep" | "rent" | "teach" | "coach" | "write" | "read" | "record" | "draw" | "paint" | "sell" | "raise" | "become" | "join" | "leave" | "switch" | "swap" | "pass" | "sit" | "fail" | "see" | "fall" | "discover" | "drive" | "cross" | "catch" | "make" | "knit" | "compose" | "translate" | "design" | "tour" | "act" | "direct" | "represent" | "propose" | "turn" | "date" | "come" | "earn" | "receive" | "release" | "crash" | "attend" | "apply" | "choose" | "swear" => {
            let plain = one_of(base, "join become") && !recent_work(p) || base == "become" || base == "leave" && p.rest_words().any(|w| one_of(w, "school job order church army academia husband wife home ussr iran syria")) || base == "switch" && word == "to" && !one_of(next, "the a it this") || one_of(base, "pass fail") && p.says("exam bar driving");
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
        _ => (life && has_strong_life_time(p) && !p.is_bare() && is_known_verb(base) && !one_of(base, "think know say tell ask hear feel try read see call install update change set") && !recent_work(p)).then(|| Found::new(p, around, Category::Experience, "a past event").confidence(Confidence::IMPLIED)),
    }
}

fn has_strong_life_time(p: &Parsed<'_>) -> bool {
    p.has_adverb("once nearly")
        || p.rest_words()
            .chain(p.front_words())
            .any(|w| crate::clause::is_year(w) || one_of(w, "kid child teenager childhood years school college uni university"))
}

/// Talk of a program or an order: its past is no life.
fn recent_work(p: &Parsed<'_>) -> bool {
    p.rest_words().any(|w| one_of(w, "error bug build commit branch test tests server script function code order ticket parcel refund package version install update router password account email"))
}

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
        return (base == "think" && word == "about" && base_of_ing(p.word(1)).is_some() && false)
            .then(|| Found::new(p, around, Category::Goal, "a plan"));
    }
    if long {
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
            | "support" | "sleep" | "watch" | "follow" | "listen" | "love" | "hate" | "fish" | "hike" => {
                if never || p.is_negated { Category::Preference } else { Category::Preference }
            }
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
            "read" | "go" | "do" | "get" if has_frequency(p) || base == "get" && word == "into" => Category::Preference,
            _ => return None,
        };
        return (!p.is_bare() && !p.says("hours day morning") && !one_of(word, "the this") && !p.is_negated)
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
        return (!vague && never && !p.is_bare()).then(|| {
            Found::new(p, around, if is_taste { Category::Preference } else { Category::Experience }, "something never done")
        });
    }
    match base {
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
        "start" if base_of_ing(word).is_some() || word == "learning" || p.rest_words().any(|w| one_of(w, "job course degree phd therapy")) =>
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
        "learn" | "relearn" => (!p.is_bare() && !one_of(word, "that the a from about")
            || one_of(word, "the") && p.rest_words().any(|w| INSTRUMENTS.split_whitespace().any(|i| i == w))
            || word == "a" && p.says("language instrument"))
        .then(|| make(Category::Skill, "learning"))
        .flatten(),
        "pick" | "brush"
            if word == "up"
                && !p.says("kids son daughter parcel keys order car package groceries tickets dinner")
                && p.rest + 1 < p.end
                && !one_of(next, "the a my some from on") =>
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
            project.then(|| make(Category::Goal, "a project")).flatten()
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
            let life = p.rest_words().any(|w| one_of(w, "job business company shop bakery restaurant studio workshop house flat uni university school phd course degree notice band farm podcast brewery cafe bar practice apprenticeship masters teaching nursing therapy blog newsletter salon"));
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

/// "I can't swim", "I can play the piano", "I will never …", "I'd love to …".
pub(crate) fn modal(p: &Parsed<'_>, around: Around<'_>) -> Option<Found> {
    let base = p.base.as_str();
    let (word, next) = (p.word(0), p.word(1));
    if is_passing(p) {
        return None;
    }
    match (p.modal, p.is_negated) {
        ("can", true) => {
            if one_of(base, "stand bear abide") {
                let vague =
                    p.is_bare() || one_of(word, THIS) || one_of(word, "how when the being") && !has_frequency(p) && word != "the";
                return (!vague).then(|| {
                    let verb =
                        if p.actor == Actor::Dropped || true { format!("{} cannot {base}", around.label) } else { String::new() };
                    Found::new(p, around, Category::Preference, "a taste")
                        .content(rewrite::join(&[&verb, &rewrite::render(around.text, p.tokens, p.rest, p.end)]))
                });
            }
            if one_of(base, "have eat drink digest tolerate")
                && !p.is_bare()
                && !one_of(word, "it this that a the any anything more much another you")
            {
                return Some(Found::new(
                    p,
                    around,
                    if base == "have" { Category::PersonalInfo } else { Category::PersonalInfo },
                    "health",
                ));
            }
            let ability = one_of(
                base,
                "swim drive cook sing dance whistle draw read speak ride juggle ski spell dive skate cycle knit bake sew",
            ) && !(one_of(base, "read drive sing dance") && one_of(word, "it this that the your there to"));
            if base == "sleep" && word == "without" {
                return Some(Found::new(p, around, Category::Preference, "a habit"));
            }
            let sense = base == "smell" && p.is_bare()
                || base == "hear" && one_of(word, "in out on")
                || base == "see" && one_of(word, "in out colours colors without");
            (ability || sense).then(|| {
                Found::new(
                    p,
                    around,
                    if sense { Category::PersonalInfo } else { Category::Skill },
                    if sense { "health" } else { "an ability" },
                )
            })
        }
        ("can", false) => {
            let ability = one_of(
                base,
                "touch recite speak play juggle swim drive ride cook sing draw read write sew knit weld code sail ski dance sign bake fly whistle touch-type type solve recite cut",
            ) && !p.is_bare()
                && !one_of(word, THIS)
                && !one_of(word, "to the with from in there");
            let play = base == "play" && word == "the" && p.rest_words().any(|w| INSTRUMENTS.split_whitespace().any(|i| i == w));
            (ability
                && !(one_of(base, "drive read write type fly cut")
                    && !p.rest_words().any(|w| {
                        PROPER.contains(w) || w.ends_with('s') || one_of(w, "music braille cyrillic arabic manual stick wpm")
                    }))
                || play)
                .then(|| Found::new(p, around, Category::Skill, "an ability"))
        }
        ("will", false)
            if base == "be"
                && (word.parse::<u32>().is_ok() || one_of(word, "thirty forty fifty sixty seventy eighty"))
                && p.rest_words().any(|w| one_of(w, "in next this on") || one_of(w, MONTHS))
                && p.end - p.rest >= 2
                && !p.says("minutes late am pm") =>
        {
            Some(Found::new(p, around, Category::PersonalInfo, "age"))
        }
        ("will", _)
            if p.has_adverb("never")
                && one_of(base, "eat drink fly buy wear move live marry touch watch")
                && !p.is_bare()
                && !one_of(word, THIS) =>
        {
            Some(Found::new(p, around, Category::Preference, "a taste"))
        }
        ("would", false) => wanting::would(p, around),
        ("could", false) if base == "never" => None,
        _ => {
            let _ = next;
            None
        }
    }
}

/// "I used to …".
pub(crate) fn used_to(p: &Parsed<'_>, around: Around<'_>) -> Option<Found> {
    let telling = is_known_verb(&p.base) && !p.is_bare() && !one_of(p.word(0), "it this that you")
        || one_of(&p.base, "smoke drink dance sing paint garden climb ski teach farm nurse box fence row juggle preach");
    let generic = one_of(&p.base, "work get be have do") && one_of(p.word(0), "fine able that so this it")
        || p.says("you your feature button app website version");
    (telling && !generic && !one_of(&p.base, "think say call ask tell know hear"))
        .then(|| Found::new(p, around, Category::Experience, "a past habit"))
}
