//! "My … is …": family, pets, attributes and belongings of the speaker.

use keepsake_domain::{Category, Confidence};

use super::{Around, Found, being, has_future_time, is_passing};
use crate::lexicon::*;
use crate::parse::{Actor, Parsed, Tense};
use crate::rewrite;

/// Verbs that say nothing lasting about somebody else.
const CHATTER: &str = "say tell ask think want call text send keep let make put get give take come go leave look seem need know try start stop show turn
    sit stand wait happen forget remember mean find feel hear see sound help hope suggest insist find decide bring laugh reckon agree complain
    cry work use mention break eat sleep buy refuse lie steal chew bark scream hide wake arrive fall drop run write";

pub(crate) fn find(p: &Parsed<'_>, around: Around<'_>) -> Option<Found> {
    let Actor::Possession(lo, hi) = p.actor else { return None };
    let nouns: Vec<&str> = p.tokens[lo..hi].iter().map(|t| t.low.as_str()).collect();
    if is_passing(p) || p.rest_words().any(|w| one_of(w, "you your")) {
        return None;
    }
    // "my sister's dog": the last noun counts, and another's belongings say little about the speaker.
    let owner_cut = nouns.iter().position(|w| *w == "'s").map_or(0, |at| at + 1);
    let own = &nouns[owner_cut..];
    // "my colleague's son" is the colleague's.
    if owner_cut > 0
        && !nouns[..owner_cut].iter().any(|w| KIN.contains(w))
        && own.iter().any(|w| KIN.contains(w) || PETS.contains(w))
    {
        return None;
    }
    // "my ex's new bloke": what counts is whose belonging is spoken of, and not the owner.
    let close: &[&str] =
        if owner_cut > 0 && !nouns[..owner_cut].iter().any(|w| one_of(w, "partner wife husband girlfriend boyfriend")) {
            own
        } else {
            &nouns
        };
    let kin = close.iter().any(|w| KIN.contains(w))
        || nouns.windows(2).any(|w| w == ["other", "half"])
        || owner_cut == 0 && nouns.windows(2).any(|w| w[0] == "best" && one_of(w[1], "friend mate pal buddy"));
    let pet = own.iter().any(|w| PETS.contains(w));
    // Of friends and colleagues only the name and the closest are worth keeping; their doings are their own.
    let friend = nouns.iter().any(|w| ASSOCIATE.contains(w)) && p.tense == Tense::Copula && one_of(p.word(0), "called named");
    if kin || pet || friend {
        let category = if kin || friend { Category::Relationship } else { Category::PersonalInfo };
        return being_of(p, around, category, if pet && !kin { "a pet" } else { "family" }, friend && !kin);
    }
    attribute(p, around, own, owner_cut > 0)
}

/// What is said of a person or animal close to the speaker.
pub(super) fn being_of(
    p: &Parsed<'_>,
    around: Around<'_>,
    category: Category,
    family: &'static str,
    is_friend: bool,
) -> Option<Found> {
    let word = p.word(0);
    let make = |category| Some(Found::new(p, around, category, family));
    let dead = one_of(&p.base, "die")
        || p.base == "pass"
            && (one_of(word, "away last when") || word == "in" && (has_future_time(p) || super::has_life_time(p)))
        || p.tense == Tense::Copula && word == "dead";
    if dead && p.tense != Tense::Modal {
        return Some(Found::new(p, around, Category::Experience, "a loss"));
    }
    match p.tense {
        Tense::Copula => {
            let q = Parsed { actor: Actor::Speaker, ..p.clone() };
            let number = word.parse::<u32>().is_ok_and(|n| n < 120)
                || one_of(
                    word,
                    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen twenty thirty forty fifty sixty seventy eighty ninety",
                );
            if number && (p.end - p.rest == 1 || one_of(p.word(1), "years year months weeks and now yo in this next")) {
                return make(category);
            }
            let called = one_of(word, "called named");
            let named = p.tokens.get(p.rest).is_some_and(|t| t.is_capital) && p.end - p.rest <= 2;
            let stating = called
                || named && !p.is_negated
                || one_of(word, "a an the") && !JESTS.contains(p.word(1)) && !one_of(p.word(1), "the a") && lasting_noun(p)
                || being::find(&q, around).is_some() && !one_of(word, "in");
            let cared_for =
                word == "in" && one_of(p.word(1), "a") && one_of(p.word(2), "home hospice care nursing wheelchair coma band");
            if cared_for {
                return make(category);
            }
            let elsewhere = one_of(word, "from in") && p.tokens.get(p.rest + 1).is_some_and(|t| t.is_capital);
            let health = p.rest_words().any(|w| {
                HEALTH.contains(w)
                    || one_of(w, "dementia alzheimer's parkinson's deaf blind pregnant expecting remission hospice")
            });
            (stating || elsewhere || health).then(|| make(category)).flatten()
        }
        Tense::PastCopula => {
            being::past(&Parsed { actor: Actor::Speaker, ..p.clone() }, around).is_some().then(|| make(category)).flatten()
        }
        Tense::Present | Tense::Have => {
            if p.tense == Tense::Have {
                let telling = p.rest_words().any(|w| {
                    HEALTH.contains(w)
                        || PETS.contains(w)
                        || KIN.contains(w)
                        || one_of(w, "dementia alzheimer's parkinson's eyes legs")
                        || BELONGINGS.contains(w)
                });
                return (telling && !one_of(word, "to my the your")).then(|| make(category)).flatten();
            }
            let strong = one_of(
                &p.base,
                "live teach study play own hate love speak run collect suffer drive coach manage adore enjoy prefer sing paint dance snore breed farm weld bake knit fish sail swim",
            ) && !p.is_bare()
                && !one_of(word, "it this that them me us him her you in-the out late")
                || p.base == "start" && p.says("school uni university college nursery kindergarten")
                || p.base == "use" && p.rest_words().any(|w| HEALTH.contains(w) || w == "wheelchair")
                || p.base == "work"
                    && one_of(word, "as at for in nights with on from offshore abroad shifts part-time full-time away")
                    && !one_of(p.word(1), "the-bug it this")
                || p.base == "get"
                    && p.rest_words().any(|w| HEALTH.contains(w) || one_of(w, "carsick seasick travelsick migraines hives"));
            let habit =
                HABIT.contains(p.base.as_str()) && !CHATTER.contains(p.base.as_str()) && !p.is_bare() && super::has_frequency(p);
            (strong && !(p.base == "love" && one_of(word, "when how to") && p.word(1) != "read") || habit)
                .then(|| make(category))
                .flatten()
                .map(|f| f.confidence(Confidence::STATED))
        }
        Tense::Progressive => {
            let life = one_of(&p.base, "marry expect retire study train learn graduate turn")
                && !p.is_bare()
                && !one_of(word, "it this that")
                && (word != "to" || p.base == "train")
                || one_of(&p.base, "get") && one_of(word, "married divorced")
                || one_of(&p.base, "move") && (one_of(word, "to in into out abroad") && p.rest + 1 < p.end)
                || one_of(&p.base, "have") && p.says("baby twins girl boy surgery")
                || one_of(&p.base, "start") && p.says("school uni university college nursery job kindergarten")
                || one_of(&p.base, "do") && p.says("phd masters degree a-levels gcses apprenticeship exams finals national")
                || one_of(&p.base, "work live")
                    && one_of(word, "in at as away for abroad")
                    && !p.says("home late")
                    && p.rest + 1 < p.end;
            life.then(|| make(category)).flatten()
        }
        Tense::Past => {
            let life = one_of(&p.base, "split separate divorce") && (!p.is_bare() || p.base == "divorce")
                || one_of(&p.base, "emigrate retire marry graduate found teach raise serve bear grow adopt farm fight")
                    && !p.is_bare()
                || one_of(&p.base, "work") && one_of(word, "as in at for") && !is_friend
                || p.base == "get" && one_of(word, "married divorced diagnosed engaged")
                || p.base == "turn"
                    && (word.parse::<u32>().is_ok()
                        || one_of(
                            word,
                            "one two three four five six seven eight nine ten eleven twelve thirteen sixteen eighteen thirty forty fifty sixty seventy eighty ninety",
                        ))
                || p.base == "get"
                    && word == "into"
                    && (p.says("university uni college med school") || p.tokens.get(p.rest + 1).is_some_and(|t| t.is_capital))
                || p.base == "be"
                || p.base == "move" && one_of(word, "to in away abroad")
                || p.base == "leave" && (one_of(word, "me us when in") && super::has_life_time(p) || word == "me")
                || p.base == "have" && p.rest_words().any(|w| HEALTH.contains(w) || one_of(w, "stroke baby twins surgery"))
                || one_of(&p.base, "raise teach") && word == "me"
                || p.base == "leave" && one_of(word, "after last") && !is_friend
                || p.base == "start" && p.says("school uni university nursery college walking talking crawling");
            (life && !one_of(word, "it this that")).then(|| make(category)).flatten()
        }
        Tense::Perfect | Tense::PerfectProgressive | Tense::PerfectCopula => {
            let lasting = super::has_duration(p) && !one_of(&p.base, "wait try call tell ask say");
            let moved = one_of(&p.base, "move retire") && !p.is_bare();
            (lasting || moved).then(|| make(category)).flatten()
        }
        Tense::UsedTo if p.tokens[p.lo..p.group].iter().any(|t| one_of(&t.low, "uncle aunt cousin nephew niece")) => None,
        Tense::UsedTo => super::ability::used_to(p, around).map(|f| Found { category, ..f }),
        Tense::Modal => (p.modal == "can"
            && p.is_negated
            && one_of(&p.base, "swim walk eat see hear have fly")
            && !one_of(word, "it this that the me my to"))
        .then(|| make(category))
        .flatten(),
        _ => None,
    }
}

/// The predicate noun names a trade, an animal, a belief or a kinship.
fn lasting_noun(p: &Parsed<'_>) -> bool {
    let words: Vec<&str> = p.rest_words().skip(1).collect();
    let cut = words.iter().position(|w| PREPOSITIONS.contains(w) || one_of(w, "who that and or")).unwrap_or(words.len());
    words.iter().take(cut).any(|w| {
        TRADES.contains(w)
            || PETS.contains(w)
            || HEALTH.contains(w)
            || TRAITS_PERSONAL.contains(w)
            || one_of(w, "rescue cross mix breed firefighter driver worker")
    })
}

/// "my name is …", "my favourite film is …", "my work laptop is a mac".
fn attribute(p: &Parsed<'_>, around: Around<'_>, nouns: &[&str], is_anothers: bool) -> Option<Found> {
    let aim = nouns.iter().find(|w| one_of(w, "hobby hobbies plan goal dream aim ambition resolution")).copied();
    let head = aim.or_else(|| nouns.iter().take_while(|w| !PREPOSITIONS.contains(**w)).last().copied())?;
    let first = nouns.first().copied().unwrap_or("");
    let word = p.word(0);
    let copula = p.tense == Tense::Copula;
    let make = |category, family| Found::new(p, around, category, family);
    let vague = p.is_bare()
        || one_of(
            word,
            "it this that not so the-same like what how broken dead down out off late here gone fine ok okay good great bad terrible ready done wrong missing slow blocked up over",
        );
    if p.tense == Tense::Progressive
        && one_of(head, "choir band team orchestra club quartet ensemble troupe")
        && one_of(&p.base, "tour play go perform travel")
        && !p.is_bare()
    {
        return Some(make(Category::Goal, "a plan"));
    }
    if is_anothers && !one_of(head, "name birthday wedding") {
        return None;
    }
    if copula
        && one_of(head, "name")
        && !p.is_negated
        && !vague
        && p.end - p.rest <= 5
        && !one_of(word, "on in not spelled spelt misspelled wrong a the")
    {
        let other = nouns.iter().any(|w| one_of(w, "company business band dog user last-name middle maiden") || KIN.contains(w));
        let content = format!(
            "{} {} is {}",
            rewrite::possessive(around.label),
            rewrite::render(around.text, p.tokens, possession_lo(p), p.group),
            rewrite::render(around.text, p.tokens, p.rest, p.end)
        );
        let found = make(Category::PersonalInfo, "name").content(content);
        return Some(if other || first != "name" && first != "first" && first != "real" { found } else { found.slot("name") });
    }
    let number_of = |w: &str| w.starts_with(|c: char| c.is_ascii_digit());
    if first == "first"
        && p.tense == Tense::PastCopula
        && !vague
        && !one_of(head, "thought question reaction name impression attempt try idea instinct")
    {
        return Some(make(Category::Experience, "a past time"));
    }
    if LANGUAGES.contains(head) && copula && !vague_language(p) {
        return Some(make(Category::Skill, "a language"));
    }
    let body = one_of(
        head,
        "hip hips knee knees back shoulder shoulders eyes eyesight hearing leg legs heart ankle ankles hands wrist wrists teeth",
    );
    if body
        && (copula && p.says("shot bad dodgy gone knackered wrecked plastic titanium fake weak buggered terrible replaced failing rubbish ruined artificial")
            || p.tense == Tense::Perfect && p.base == "be"
            || p.tense == Tense::PerfectCopula && p.says("replaced rebuilt operated fused"))
        && !p.is_negated
    {
        return Some(make(Category::PersonalInfo, "health"));
    }
    if copula
        && one_of(word, "from")
        && p.rest_words().any(|w| crate::clause::is_year(w) || w.ends_with("0s"))
        && BELONGINGS.contains(head)
    {
        return Some(make(Category::PersonalInfo, "a possession"));
    }
    if copula
        && one_of(head, "flat house apartment place")
        && (word == "on" && p.says("floor")
            || one_of(word, "in near above by")
                && p.rest + 1 < p.end
                && (p.says("above near by") || p.tokens[p.rest..p.end].iter().any(|t| t.is_capital || number_of(&t.low))))
    {
        return Some(make(Category::PersonalInfo, "a home"));
    }
    let comfort = one_of(first, "comfort guilty go-to")
        && one_of(head, "film movie book food series show album song dish snack meal pleasure game drink order read");
    if comfort && copula && !vague {
        return Some(make(Category::Preference, "a favourite"));
    }
    let favourite =
        head != "favourite" && nouns.iter().any(|w| one_of(w, "favourite favourites go-to least-favourite preferred"));
    if favourite && copula && !vague {
        let slot = format!("favourite {head}");
        return (!one_of(head, "part bit thing") || !one_of(word, "the when"))
            .then(|| make(Category::Preference, "a favourite").slot(&slot));
    }
    if copula
        && one_of(head, "plan goal dream aim ambition resolution target")
        && !p.is_negated
        && (word == "to" || base_of_ing(word).is_some())
    {
        let errand = one_of(p.word(1), "use get do fix make call ask check run write-the") && !has_future_time(p);
        return (!errand).then(|| make(Category::Goal, "an aim"));
    }
    if EVENTS.contains(head)
        && (copula || p.base == "start")
        && (has_future_time(p)
            || p.rest_words().any(|w| one_of(w, MONTHS))
            || one_of(word, "on in at") && p.tokens[p.rest..p.end].iter().any(|t| t.is_capital))
        && !vague
    {
        return Some(make(Category::Goal, "an event").slot(&format!("event {}", nouns.join(" "))));
    }
    if copula && one_of(head, "language tongue") && !vague {
        return Some(make(Category::Skill, "a language"));
    }
    if copula
        && one_of(
            head,
            "birthday bday age pronouns hometown birthplace height nationality ethnicity religion surname nickname blood sign timezone address degree major job occupation profession trade employer role title field specialty speciality heritage ancestry background size type accent",
        )
        && !vague
        && !p.says("killing boring hard")
    {
        if one_of(head, "address")
            && !p.tokens[p.rest..p.end].iter().any(|t| t.is_capital || t.low.starts_with(|c: char| c.is_ascii_digit()))
            || one_of(head, "background job role field title")
                && !one_of(word, "in a an the as teaching nursing")
                && base_of_ing(word).is_none()
                && head != "background"
        {
            return None;
        }
        let slot = head.to_owned();
        let category = Category::PersonalInfo;
        return Some(make(category, "an attribute").slot(&slot));
    }
    if copula
        && one_of(
            head,
            "hobby hobbies passion weakness obsession policy rule superpower hero idol drink band team poison jam comfort nemesis pleasure vice pastime interest interests preference religion diet breakfast",
        )
        && !vague
    {
        return Some(make(if one_of(head, "superpower") { Category::Skill } else { Category::Preference }, "a taste"));
    }
    if copula && one_of(head, "fear phobia") && !vague {
        return Some(make(Category::PersonalInfo, "a fear"));
    }
    if one_of(
        head,
        "screen monitor router printer headset tablet mouse nas stack setup editor distro shell os browser terminal laptop machine computer desktop pc keyboard driver rig workstation",
    ) && !vague
        && (copula
            && (one_of(word, "a an")
                || one_of(head, "editor distro shell browser os terminal")
                    && p.end - p.rest <= 3
                    && !PASSING.contains(word)
                    && !ABILITIES.contains(word)
                    && !one_of(
                        word,
                        "the too so very still really slow fine crashing frozen broken old new better nice always in on up",
                    )
                || p.tokens[p.rest..p.end].iter().any(|t| t.is_capital || PROPER.contains(t.low.as_str())))
            || one_of(&p.base, "run"))
        && !p.says("error")
    {
        return Some(make(Category::Preference, "a tool"));
    }
    if copula
        && one_of(
            head,
            "car bike motorbike guitar piano camera phone house flat apartment boat van violin cello horse motorcycle synth telescope",
        )
        && one_of(word, "a an")
        && !one_of(p.word(1), "mess bit total disaster complete nightmare wreck few little")
    {
        return Some(make(Category::PersonalInfo, "a possession"));
    }
    if one_of(head, "marriage relationship engagement") && p.tense == Tense::Past && one_of(&p.base, "end break collapse fall") {
        return Some(make(Category::Relationship, "a tie"));
    }
    // "my knitting group meets on Thursdays"
    if one_of(head, "group club choir class band team book-club orchestra rehearsal practice league lesson lessons classes")
        && (one_of(&p.base, "meet rehearse practise practice play train") || copula)
        && super::has_frequency(p)
    {
        return Some(make(Category::Preference, "a habit"));
    }
    // "our bakery opens at five"
    if one_of(
        head,
        "bakery restaurant cafe café bar pub shop salon farm studio company business brewery hotel guesthouse clinic vineyard bookshop stall workshop garage",
    ) && p.tense == Tense::Present
        && one_of(
            &p.base,
            "open close sell make serve specialise specialize build do supply deliver run offer employ bake brew grow",
        )
        && !p.is_bare()
        && !one_of(word, "it this that the well great")
    {
        return Some(make(Category::PersonalInfo, "a business"));
    }
    if head == "commute" && copula && p.rest_words().any(|w| one_of(w, "hour hours minutes minute")) && !p.says("today") {
        return Some(make(Category::PersonalInfo, "an attribute"));
    }
    if body && p.says("ear eye") && p.says("in") {
        return Some(make(Category::PersonalInfo, "health"));
    }
    if one_of(
        head,
        "company business shop bakery restaurant cafe firm studio office school practice team startup salon workshop stall garden allotment flat house",
    ) && (copula && one_of(word, "in at on called near") || one_of(&p.base, "make sell specialise specialize build"))
        && !vague
        && !one_of(p.word(1), "the a trouble chaos danger it")
    {
        return Some(make(Category::PersonalInfo, "a business"));
    }
    if copula && one_of(head, "shift shifts") && !vague
        || one_of(head, "shift shifts") && one_of(&p.base, "start end") && p.end - p.rest >= 2
    {
        return Some(make(Category::PersonalInfo, "a job"));
    }
    if copula
        && one_of(head, "thesis dissertation phd book novel masters research memoir podcast")
        && one_of(word, "on about in called")
        && p.rest + 1 < p.end
    {
        return Some(make(
            if one_of(head, "phd thesis dissertation masters research") { Category::PersonalInfo } else { Category::Goal },
            "a work",
        ));
    }
    if HEALTH.contains(head)
        && (copula || one_of(&p.base, "act flare get run"))
        && !one_of(head, "back knee knees hip shoulder glasses")
    {
        return None;
    }
    None
}

/// "my French is here", "my German is what": no word on how well it is spoken.
fn vague_language(p: &Parsed<'_>) -> bool {
    !p.rest_words().any(|w| ABILITIES.contains(w) || one_of(w, "basic poor perfect nonexistent non-existent passable fluent limited fine rusty school-level conversational weak strong broken native worse better"))
        || p.says("homework exam teacher class lesson")
}

fn possession_lo(p: &Parsed<'_>) -> usize {
    match p.actor {
        Actor::Possession(lo, _) => lo,
        _ => p.lo,
    }
}
