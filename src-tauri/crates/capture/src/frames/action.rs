//! What somebody does, did, has done or can do.

use keepsake_domain::{Category, Confidence};

use super::{Around, Found, has_frequency, has_future_time, is_passing, wanting};
use crate::lexicon::*;
use crate::parse::{Actor, Parsed};
use crate::rewrite;

pub(super) const THIS: &str = "it this that them these those you your";

/// Instruments, by which "play" is an ability and not a pastime.
pub(crate) const INSTRUMENTS: &str = "piano guitar bass drums violin viola cello fiddle banjo mandolin ukulele harp flute oboe clarinet sax saxophone trumpet trombone horn tuba
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
    // "my sister and i don't speak"
    if p.is_negated
        && one_of(base, "speak talk")
        && p.joint.is_some_and(|(lo, hi)| p.tokens[lo..hi].iter().any(|t| KIN.contains(t.low.as_str())))
    {
        return make(Category::Relationship, "a tie");
    }
    // "…, pray for me" is an order and no habit.
    if p.actor == Actor::Dropped && p.rest_words().any(|w| one_of(w, "me us")) {
        return None;
    }
    let last_is_preposition = p.rest_words().last().is_some_and(|w| one_of(w, "to of from with at for"));
    if last_is_preposition && p.rest_words().count() <= 2 && !one_of(base, "want") {
        return None;
    }
    match base {
        "live" | "reside" => (one_of(word, "in on at near with by off above below next alone between outside close just over under abroad across inside behind here about around half an a five ten two down up over out right just round") && !one_of(next, "fear hope it the-moment this that") && !p.is_negated || p.is_negated && one_of(word, "in with"))
            .then(|| {
                if p.word(0) == "in" && one_of(p.word(1), "vim emacs vscode neovim excel jeans tmux vscode the-terminal") {
                    let tool = rewrite::render(around.text, p.tokens, p.rest + 1, p.end);
                    return Found::new(p, around, Category::Preference, "a tool").content(rewrite::join(&[around.label, "uses", &tool]));
                }
                let with = word == "with" || word == "alone";
                let found = Found::new(p, around, Category::PersonalInfo, "a home");
                if with || p.is_negated { found } else { found.slot("home") }
            }),
        "work" => {
            if word == "for" && one_of(next, "me us") || p.is_bare() && !p.has_adverb("nights") || one_of(word, "fine on out it hard together") && !(word == "on" && (!one_of(next, "it this that the a my our") || next == "a" && p.says("farm trawler ship boat ferry barge building site rig ward estate"))) {
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
        "dream" | "think" | "count" | "swear" if word == "in" && LANGUAGES.contains(next) => make(Category::Skill, "a language"),
        "pay" if p.says("rent") && !p.is_negated && !one_of(word, "the it this") || p.says("maintenance alimony") => make(Category::PersonalInfo, "a home"),
        "want" => wanting::want(p, around),
        "plan" | "hope" | "intend" | "aim" | "aspire" | "dream" => wanting::plan(p, around),
        "study" => (!p.is_bare() && !one_of(word, THIS) && !one_of(word, "the")).then(|| Found::new(p, around, Category::PersonalInfo, "studies").slot("studies")),
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
        "need" if word == "to" && one_of(next, "lose quit stop") && p.says("kilos kg pounds stone weight smoking drinking") => make(Category::Goal, "an aim"),
        "need" | "require" | "remember" | "forget" | "mind" | "matter" => None,
        "know" => {
            let some = one_of(word, "some basic a") && p.rest_words().any(|w| PROPER.contains(w)) && !p.is_negated && !p.says("guy man woman person people place lot");
            let is_craft = some || one_of(word, "how") && next == "to" && !p.is_negated || PROPER.contains(word) && !p.is_negated || word == "sign";
            is_craft.then(|| Found::new(p, around, Category::Skill, "an ability"))
        }
        "own" | "keep" | "raise" | "breed" => {
            if p.is_bare() || one_of(word, THIS) || base == "own" && word == "the" || base == "keep" && word == "my" && !p.says("in on at under by") || base == "keep" && word != "my" && (base_of_ing(word).is_some() || one_of(word, "getting in track up the going my forgetting losing telling thinking saying an quiet calm") || p.is_negated) {
                return None;
            }
            let pets = p.rest_words().any(|w| PETS.contains(w) || one_of(w, "bees chickens"));
            let diet = one_of(word, "halal kosher vegan vegetarian");
            let objects = pets || base != "keep";
            make(if diet { Category::Preference } else if objects { Category::PersonalInfo } else { Category::Preference }, if diet { "a diet" } else { "a possession" })
        }
        "look" if word == "after" && p.says("grounds garden gardens horses children kids residents patients animals books accounts building estate") && !p.is_negated && !p.rest_words().any(|w| KIN.contains(w)) => make(Category::PersonalInfo, "a job"),
        "swear" if word == "by" && p.rest + 1 < p.end => make(Category::Preference, "a taste"),
        "carry" if p.says("epipen inhaler insulin cane stick card") => make(Category::PersonalInfo, "health"),
        "spend" if p.says("year years summer summers winter winters half months weekends") && !p.says("debugging waiting trying on-hold") => make(Category::Preference, "a habit"),
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
            if word == "paid" && (one_of(next, "on every weekly monthly fortnightly") && p.end - p.rest >= 2) && !p.is_negated {
                return make(Category::PersonalInfo, "a job");
            }
            let nerves = one_of(word, "anxious nervous overwhelmed claustrophobic emotional homesick seasick dizzy shy tearful jealous")
                && one_of(next, "in on around at before when about with easily")
                && p.rest + 2 < p.end
                && !one_of(p.word(2), "this that it these the-bug");
            if nerves && !p.is_negated {
                return make(Category::PersonalInfo, "a fear");
            }
            (word == "up" && (next == "at" || has_frequency(p)) || has_frequency(p) && !p.is_negated && !one_of(word, "it this that an error the") && !p.says("error errors message messages emails notification")).then(|| Found::new(p, around, Category::Preference, "a habit"))
        }
        "go" => {
            let active = base_of_ing(word).is_some() && !one_of(word, "crazy");
            let by = word == "by" && !one_of(next, "the car bus train foot that");
            if by {
                return make(Category::PersonalInfo, "name").map(|f| f.slot("nickname"));
            }
            (active && !p.is_negated || has_frequency(p) && !one_of(word, "wrong on") && !(word == "back" && next != "to") || word == "to" && p.rest_words().any(|w| one_of(w, "church mosque synagogue temple therapy mass uni university college school gym")) && !one_of(next, "bed the-shop") || has_future_time(p) && one_of(word, "to") && !p.is_negated)
                .then(|| if has_future_time(p) && word == "to" && !has_frequency(p) { Found::new(p, around, Category::Goal, "a plan") } else { Found::new(p, around, Category::Preference, "a habit") })
        }
        "start" | "begin" | "leave" | "move" | "retire" | "graduate" | "turn" | "fly" | "travel" | "finish" | "drive" | "sail" if has_future_time(p) || p.rest_words().any(|w| w.ends_with("th") && w.starts_with(|c: char| c.is_ascii_digit()) || one_of(w, MONTHS)) => {
            (!has_frequency(p) && !p.is_negated && !(base == "move" && !one_of(word, "to in into out house abroad"))).then(|| Found::new(p, around, Category::Goal, "a plan"))
        }
        "have" | "do" => doing(p, around),
        // "i don't touch docker": what one never does is a habit, whatever the verb.
        _ if p.is_negated && p.actor == Actor::Speaker && !is_known_verb(base) && !matches!(base, "need" | "know" | "speak") => {
            let says_what = !p.is_bare() && !PREPOSITIONS.contains(word) && !one_of(word, THIS) && !one_of(word, "the much any a that");
            says_what.then(|| Found::new(p, around, Category::Preference, "a habit").confidence(Confidence::IMPLIED))
        }
        "use" => (!p.is_bare() && !one_of(word, THIS) && !one_of(word, "the") && !p.is_negated || p.is_negated && !one_of(word, THIS) && !p.is_bare() || word == "the" && (has_frequency(p) || p.has_adverb("only"))).then(|| {
            let aid = p.rest_words().any(|w| one_of(w, "wheelchair reader walker crutches cane hearing inhaler cpap prosthesis prosthetic stick screenreader"));
            Found::new(p, around, if aid { Category::PersonalInfo } else { Category::Preference }, if aid { "health" } else { "a tool" })
        }),
        "run" | "manage" | "lead" | "drive" | "represent" | "build" | "design" | "make" | "write" | "sell" | "fix" | "repair" | "restore" | "edit" | "translate" | "develop" | "maintain" | "paint" | "clean" | "deliver" | "operate" | "install" | "train" | "supervise" | "groom" | "farm" | "curate" | "illustrate" | "produce" | "photograph" | "draw" | "publish" | "direct" => craft(p, around),
        _ if one_of(word, "everything most") && p.says("in with by on using") && !p.is_negated => make(Category::Preference, "a habit"),
        _ if NO_HABIT.contains(base) => {
            let safe = has_frequency(p) && !p.is_bare() && !one_of(word, THIS) && one_of(base, "see call find open leave keep start sit stand order switch turn tell ask need forget");
            (safe && !p.is_negated && !one_of(base, "tell ask find see need") && !p.says("error again same")).then(|| Found::new(p, around, Category::Preference, "a habit").confidence(Confidence::IMPLIED))
        }
        _ if HABIT.contains(base) => {
            let has_cue = has_frequency(p);
            if p.is_bare() && !one_of(base, "knit crochet sew quilt smoke vape bake cook garden paint draw sing dance surf ski snowboard climb swim hike cycle sail fish hunt meditate journal juggle brew forage compost kayak snore sleepwalk stammer stutter lisp skate skateboard fence box golf busk freelance volunteer referee umpire coach drive birdwatch weld solder whittle drink") {
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
        _ if p.actor == Actor::Speaker
            && !p.is_negated
            && !p.is_plural
            && base.len() > 3
            && !is_known_verb(base)
            && !AUXILIARIES.contains(base)
            && !PRONOUNS.contains(base)
            && word.len() > 3
            && word.ends_with('s')
            && !word.ends_with("ss")
            && p.end - p.rest <= 6
            && !p.says("errors issues problems args permissions warnings messages emails calls charges things tears words guys folks apologies this always sometimes perhaps towards") =>
        {
            make(Category::Preference, "a habit").map(|f| f.confidence(Confidence::IMPLIED))
        }
        _ => (has_frequency(p) && !p.is_bare() && (is_known_verb(base) || p.actor == Actor::Speaker && base.len() > 3 && !AUXILIARIES.contains(base) && (p.front.is_some() || PREPOSITIONS.contains(word) || DETERMINERS.contains(word))) && !one_of(word, THIS)).then(|| Found::new(p, around, Category::Preference, "a habit").confidence(Confidence::IMPLIED)),
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
        || is_known_verb(word) && base_of_ing(word).is_none() && !one_of(word, "yoga nights taxes")
    {
        return None;
    }
    let duty = one_of(word, "the our their all")
        && p.says("accounts books payroll lighting sound catering cleaning admin marketing design wiring bookkeeping artwork")
        && p.says("for at in of")
        || word == "the"
            && p.end - p.rest == 2
            && one_of(
                next,
                "lights lighting sound books accounts costumes makeup catering payroll artwork props backline merch door bar bins school-run",
            );
    if duty && !p.is_negated && word == "the" {
        return Some(Found::new(p, around, Category::PersonalInfo, "a job"));
    }
    if p.has_adverb("only") && !p.is_negated && p.end - p.rest <= 4 && !p.says("one once job work part minutes hours") {
        let content = rewrite::join(&[around.label, "only does", &rewrite::render(around.text, p.tokens, p.rest, p.end)]);
        return Some(Found::new(p, around, Category::Preference, "a preference").content(content));
    }
    let activity = base_of_ing(word).is_some()
        || word == "a" && next == "lot" && p.word(2) == "of" && !one_of(p.word(3), "it that things stuff this")
        || p.says("side") && p.says("on")
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
        .any(|w| one_of(w, "lorries trucks buses taxis trams trains vans ambulances cabs taxi lorry truck bus tram ambulance train van forklift cab minibus uber tractor crane ferry"));
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
    // "I deploy everything with Ansible", "I write everything in Markdown": how one always does it.
    if one_of(word, "everything all most") && p.says("in with by on using") && !p.is_negated {
        return Some(Found::new(p, around, Category::Preference, "a habit"));
    }
    if word == "the"
        && one_of(base, "maintain run produce design edit clean drive operate")
        && p.says("for of at")
        && !p.says("script command tests code build")
        && !p.is_negated
    {
        return Some(Found::new(p, around, Category::PersonalInfo, "a job"));
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
                "idea look way fact thought feeling vibe plan first second last new one answer result suggestion option version list name app moment",
            )
        || word == "being" && one_of(next, "on put ignored told left kept")
        || one_of(word, "doing being having getting waiting")
            && !has_frequency(p)
            && one_of(&p.base, "love adore enjoy")
            && one_of(next, "on ignored told this that it for nothing put left")
        || p.rest_words().any(|w| one_of(w, "you your yours"))
        || word == "the" && one_of(next, "sound smell taste feel") && p.word(2) != "of";
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
