//! Verbs: which say something lasting about their subject, and how their forms lead back to the base.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::words;

words! {
    /// In the present tense a hobby or habit of the person.
    HABIT = "collect bake cook knit crochet sew quilt garden hike climb swim cycle bike jog run row ski snowboard skate skateboard surf sail
        kayak canoe fish hunt camp dance sing paint draw sketch sculpt carve whittle brew ferment forage compost meditate journal read write
        blog stream podcast volunteer smoke vape drink eat avoid skip fast sleep nap wake commute walk box fence lift exercise train
        practise practice play watch listen follow support attend shop cook grow breed keep raise foster restore rebuild repair fix tinker
        solder weld woodwork photograph film shoot birdwatch stargaze rent share split donate tip recycle worship pray observe celebrate
        fly travel drive ride wear use prefer stick order buy subscribe budget save invest call ring phone visit see meet host serve
        have do take go make bring get stay study busk juggle doodle code program knead bowl golf umpire referee scuba dive freedive sauna
        spend cuddle crossstitch thrift haggle people-watch babysit moderate lurk game tend press pickle can dislike chew spin weave
        snore sleepwalk stammer stutter lisp overthink procrastinate sweat cry blush faint react sneeze floss shave";
    /// In the present tense a trade or duty.
    TRADE = "teach manage lead supervise own edit translate interpret sell nurse farm tutor coach lecture curate audit install maintain
        design engineer develop illustrate publish run build represent prosecute defend groom tailor cater landscape mentor train
        proofread bartend barista dispatch deliver drive operate chair direct produce tune restore repair fix service clean guard patrol
        co-run co-own report freelance moonlight consult research practise practice treat dj perform";
    /// Past events that make a life.
    LIFE = "grow move emigrate immigrate relocate graduate study major drop work live quit retire resign marry divorce separate elope
        lose break tear fracture win visit travel backpack hitchhike meet found co-found launch open sell start begin adopt rescue foster give
        have climb summit hike cycle run walk row sail swim finish complete publish write record release build restore serve enlist deploy
        play train qualify volunteer take stop convert come emigrate inherit buy purchase study intern apprentice teach coach survive
        beat recover donate invent perform tour compete represent captain act direct spend raise learn sit pass fail attend leave go
        immigrate defect flee join switch train become get break dislocate sprain drive fly cross discover renovate earn receive die
        propose nearly crash fall see paint draw knit make compose design translate photograph catch grow bury fail break smoke drink
        use suffer own rent keep breed date elope celebrate turn";
    /// Verbs whose past tells a life with no further cue.
    LIFE_PLAIN = "grow emigrate immigrate relocate graduate retire marry divorce separate elope adopt found co-found enlist qualify
        convert inherit quit major backpack hitchhike intern apprentice resign";
    /// Verbs that name an ongoing undertaking in the progressive.
    UNDERTAKING = "learn study train save move plan write build renovate restore apply prepare start open launch open quit retire retrain
        emigrate relocate buy adopt expect organise organize research compose record knit crochet trying try work aim hope
        teach develop design planning trek walk visit fly go travel drive sail cycle run host run read see date take do pick marry divorce
        get live stay rent raise leave homeschool foster translate illustrate set convert practise practice transition recover attend
        volunteer coach manage lead sell make finish turn join become wean breed home-school bring grow spend head switch";
    /// Things a person wants that outlast an errand.
    ASPIRATION = "learn buy move start open run write quit become visit travel build save retire lose finish publish get study adopt
        marry have live work teach make master complete climb hike sail cycle swim walk own found launch pass qualify train volunteer
        apply see go try stop cut eat exercise read grow restore renovate record perform enter compete join switch give spend
        improve speak play propose release ship emigrate leave do be sell raise pay graduate reach hit break earn donate set surprise
        take knit paint draw design develop translate cook bake plant foster be specialise specialize organise organize host return convert";
    /// In the present tense no habit: saying, thinking, needing, handling a machine.
    NO_HABIT = "guess mean suppose hear feel wonder know need hope wish promise agree disagree understand remember forget try
        say tell swear bet admit appreciate apologise apologize thank regret doubt assume imagine expect recommend suggest
        notice seem look sound owe care mind matter deserve come let send put click type press enter close restart set
        change update delete add remove copy paste load submit open start begin ask answer reply want plan intend think believe
        reckon figure gather fear dare concur insist demand request require beg acknowledge note repeat confirm accept refuse decline
        surrender quit call compile deploy commit push pull merge click select boot reboot install uninstall configure connect scroll upload
        download receive notice realise realize recall see find keep leave stand sit lie hold wait hate-watch cancel log sign switch turn";
    /// Saying and thinking verbs: a clause under another person's is that person's claim.
    SPEECH = "say says said saying think thinks thought claim claims claimed tell tells told ask asks asked believe believes believed
        assume assumes assumed insist insists insisted swear swears swore joke jokes joked reckon reckons reckoned write writes wrote
        goes went suggest suggests suggested know knows knew hear heard call calls called imagine pretend";
    /// Participles that look like neither the base nor `-ed`.
    LIKING = "like love enjoy adore hate dislike detest despise loathe prefer appreciate crave fancy dread abhor worship admire dig
        resent fear treasure";
}

/// Irregular forms: past and participle lead back to the base.
const IRREGULAR: &str = "was:be were:be been:be had:have did:do done:do went:go gone:go got:get gotten:get grew:grow grown:grow
    broke:break broken:break lost:lose won:win met:meet found:find gave:give given:give began:begin begun:begin ran:run
    swam:swim swum:swim wrote:write written:write built:build taught:teach took:take taken:take came:come bought:buy spent:spend
    saw:see seen:see left:leave became:become drove:drive driven:drive flew:fly flown:fly fell:fall fallen:fall made:make
    kept:keep bred:breed sang:sing sung:sing rode:ride ridden:ride rode:ride slept:sleep fed:feed held:hold read:read
    drew:draw drawn:draw caught:catch sold:sell sat:sit told:tell said:say thought:think knew:know known:know forgot:forget
    learnt:learn drank:drink drunk:drink ate:eat eaten:eat wore:wear worn:wear stood:stand spoke:speak spoken:speak
    beat:beat beaten:beat quit:quit set:set cut:cut put:put hit:hit let:let shot:shoot felt:feel heard:hear led:lead
    paid:pay sent:send brought:bring chose:choose chosen:choose hid:hide rose:rise woke:wake woken:wake tore:tear torn:tear
    wove:weave knit:knit fought:fight fled:flee dealt:deal dreamt:dream bore:bear born:bear threw:throw thrown:throw stuck:stick
    swore:swear sworn:swear dug:dig hung:hang bit:bite bitten:bite froze:freeze shook:shake shaken:shake overcame:overcome
    rebuilt:rebuild underwent:undergo split:split burnt:burn";

static IRREGULAR_BASES: LazyLock<HashMap<&'static str, &'static str>> =
    LazyLock::new(|| IRREGULAR.split_whitespace().filter_map(|pair| pair.split_once(':')).collect());

/// Whether any list knows `base` as a verb.
pub(crate) fn is_known_verb(base: &str) -> bool {
    [&HABIT, &TRADE, &LIFE, &UNDERTAKING, &ASPIRATION, &NO_HABIT, &LIKING].iter().any(|set| set.contains(base))
        || matches!(
            base,
            "be" | "have"
                | "do"
                | "book"
                | "sign"
                | "hand"
                | "decide"
                | "enrol"
                | "enroll"
                | "swap"
                | "vow"
                | "widow"
                | "drown"
                | "look"
                | "terrify"
                | "speak"
                | "suffer"
                | "belong"
                | "identify"
                | "die"
                | "sing"
                | "struggle"
                | "lie"
                | "manage"
                | "depend"
                | "rely"
                | "hail"
                | "swear"
                | "worry"
                | "love"
                | "carry"
                | "feed"
                | "choose"
                | "bite"
                | "freeze"
                | "throw"
                | "dream"
                | "deal"
                | "fight"
                | "pay"
                | "show"
                | "cover"
                | "handle"
                | "earn"
                | "live"
                | "play"
                | "name"
                | "pass"
                | "diagnose"
                | "raise"
                | "split"
                | "land"
                | "undergo"
                | "overcome"
                | "graduate"
                | "help"
                | "end"
                | "remarry"
        )
}

/// The base of a past or participle form, if it is one.
pub(crate) fn base_of_past(word: &str) -> Option<String> {
    if let Some(base) = IRREGULAR_BASES.get(word) {
        return Some((*base).to_owned());
    }
    let stem = word.strip_suffix("ed")?;
    candidates(stem).into_iter().find(|base| is_known_verb(base)).or_else(|| (stem.len() > 2).then(|| guess(stem)))
}

/// Whether `word` can be a past participle.
pub(crate) fn is_participle(word: &str) -> bool {
    IRREGULAR_BASES.contains_key(word)
        || (word.len() > 4 && word.ends_with("ed"))
        || matches!(word, "run" | "come" | "become" | "read" | "overcome")
}

/// The base of an `-ing` form, if it is one.
pub(crate) fn base_of_ing(word: &str) -> Option<String> {
    let stem = word.strip_suffix("ing").or_else(|| word.strip_suffix("in'"))?;
    if stem.len() < 2
        || matches!(
            word,
            "thing"
                | "nothing"
                | "something"
                | "anything"
                | "everything"
                | "evening"
                | "morning"
                | "during"
                | "sibling"
                | "king"
                | "ring"
                | "spring"
                | "string"
                | "wedding"
                | "building"
                | "darling"
        )
    {
        return (word == "building").then(|| "build".to_owned());
    }
    candidates(stem).into_iter().find(|base| is_known_verb(base)).or_else(|| Some(guess(stem)))
}

/// The base of a third-person form, if it is one.
pub(crate) fn base_of_third(word: &str) -> Option<String> {
    match word {
        "is" => return Some("be".to_owned()),
        "has" => return Some("have".to_owned()),
        "does" => return Some("do".to_owned()),
        "goes" => return Some("go".to_owned()),
        _ => {}
    }
    let stem = word.strip_suffix('s').filter(|stem| stem.len() > 1 && !stem.ends_with('s'))?;
    let mut all = vec![stem.to_owned()];
    if let Some(cut) = stem.strip_suffix("ie") {
        all.insert(0, format!("{cut}y"));
    }
    if let Some(cut) = stem.strip_suffix('e') {
        all.push(cut.to_owned());
    }
    all.into_iter().find(|base| is_known_verb(base))
}

fn candidates(stem: &str) -> Vec<String> {
    let mut all = vec![stem.to_owned(), format!("{stem}e")];
    if let Some(cut) = stem.strip_suffix('i') {
        all.push(format!("{cut}y"));
    }
    let mut chars = stem.chars().rev();
    if let (Some(a), Some(b)) = (chars.next(), chars.next())
        && a == b
    {
        all.push(stem[..stem.len() - a.len_utf8()].to_owned());
    }
    all
}

fn guess(stem: &str) -> String {
    stem.strip_suffix('i').map_or_else(|| stem.to_owned(), |cut| format!("{cut}y"))
}

/// The third person singular of a base: `teach` gives `teaches`.
pub(crate) fn third_of(base: &str) -> String {
    match base {
        "be" | "am" | "are" => "is".to_owned(),
        "have" => "has".to_owned(),
        "were" => "was".to_owned(),
        "can" | "could" | "will" | "would" | "may" | "might" | "must" | "should" | "used" | "was" | "had" | "did" | "is"
        | "has" => base.to_owned(),
        _ if ["s", "sh", "ch", "x", "z", "o"].iter().any(|end| base.ends_with(end)) => format!("{base}es"),
        _ => match base.strip_suffix('y') {
            Some(cut) if !cut.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{cut}ies"),
            _ => format!("{base}s"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_lead_to_their_base_and_back() {
        for (past, base) in [("moved", "move"), ("studied", "study"), ("quit", "quit"), ("grew", "grow"), ("stopped", "stop")] {
            assert_eq!(base_of_past(past).as_deref(), Some(base), "past {past}");
        }
        for (ing, base) in [("running", "run"), ("living", "live"), ("studying", "study"), ("building", "build")] {
            assert_eq!(base_of_ing(ing).as_deref(), Some(base), "progressive {ing}");
        }
        for (base, third) in [("teach", "teaches"), ("study", "studies"), ("play", "plays"), ("have", "has"), ("do", "does")] {
            assert_eq!(third_of(base), third);
            assert_eq!(base_of_third(third).as_deref(), Some(base), "third person {third}");
        }
    }
}
