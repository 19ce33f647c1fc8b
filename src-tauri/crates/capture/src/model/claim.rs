//! Whether a statement says no more than the words it cites: the check that a true quotation with a false conclusion fails.
//!
//! A model that cites "my sister lives in Lima" may conclude that the user lives in Lima; "I used to live in Bonn", that the user
//! does; "I hate Lyon", that the user lives there. All of them share enough words with what they cite. So each clause is asked
//! whether it can carry the statement at all: is it said of the speaker, with the same yes or no, of the same time, with the same
//! verb and the same preposition before the same name? Only the words of the clauses that can are counted.
//!
//! Precise first: a sound statement in quite other words is stopped, and a person can read in the gate log why.
//! Deliberately not here: whose words the clauses are ([`super::place`]).

use keepsake_domain::{Confidence, Gate};
use keepsake_prompt::ground::support;

use super::place::{Refusal, Said, SaidClause};
use crate::language;
use crate::lexicon::{PREPOSITIONS, base_of_ing, base_of_past, base_of_third, is_participle, one_of};
use crate::parse::{Actor, Tense};
use crate::token::{Token, tokenize};

/// Share of a fact's content words that the cited words must have. Half: a statement adds "enjoys" or "is a", never its matter.
pub const SUPPORT_MIN: f64 = 0.5;

/// The same for a position, which is put in general words by design; the judge looks at the rest.
pub const POSITION_SUPPORT_MIN: f64 = 0.34;

/// From this share on a statement is clearly implied rather than inferred.
const SUPPORT_CLEAR: f64 = 0.75;

/// How far a statement is carried.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Carried {
    share: f64,
    is_hedged: bool,
}

impl Carried {
    /// The most confidence that so much support allows, whatever the model says.
    pub(super) fn confidence_max(self) -> Confidence {
        match self.share {
            _ if self.is_hedged => Confidence::INFERRED,
            share if share >= 1.0 => Confidence::EXPLICIT,
            share if share >= SUPPORT_CLEAR => Confidence::IMPLIED,
            _ => Confidence::INFERRED,
        }
    }
}

/// A statement that is asked whether clauses carry it.
struct Statement<'s> {
    text: &'s str,
    tokens: Vec<Token>,
    /// "User's sister …" rather than "User …".
    is_possessive: bool,
    verb: Verb,
}

/// The main verb of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Verb {
    base: String,
    time: Time,
    /// Where what it is said of begins, for "is": "a teacher", "from Lyon".
    complement: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Time {
    Present,
    Past,
    /// "has lived", "used to live", "wants to live", "may live": no plain claim about now.
    Other,
}

/// Whether `said` carries the fact `statement`, and how far; or why not.
pub(super) fn carried(statement: &str, said: &Said) -> Result<Carried, Refusal> {
    // The rest asks for English grammar, and would hear neither a denial nor another's sister in any other.
    if said.clauses.iter().all(|clause| clause.is_foreign) {
        let reason = "The words it cites are in another language, and no rule reads this in them.";
        return Err((Gate::Ungrounded, reason.to_owned()));
    }
    check_addresses(statement, said)?;
    words_carried(statement, &said.text(), SUPPORT_MIN)?;
    let statement = Statement::read(statement);
    let mut first_fault: Option<Refusal> = None;
    let mut carrying: Vec<&SaidClause> = Vec::new();
    for clause in said.clauses.iter().filter(|clause| !clause.is_foreign) {
        match fault(&statement, clause, said) {
            // A clause that shares nothing with the statement neither carries nor contradicts it.
            Some((gate, reason)) if shares(statement.text, &clause.text) => {
                first_fault.get_or_insert((gate, reason.to_owned()));
            }
            Some(_) => {}
            None => carrying.push(clause),
        }
    }
    let text = carrying.iter().map(|clause| clause.text.as_str()).collect::<Vec<_>>().join(" ");
    let share = match words_carried(statement.text, &text, SUPPORT_MIN) {
        Ok(share) => share,
        Err(refusal) => return Err(first_fault.unwrap_or(refusal)),
    };
    if !carrying.iter().any(|clause| has_verb(&statement, clause)) {
        let reason = format!("The words it cites do not say \"{}\".", statement.verb.base);
        return Err(first_fault.unwrap_or((Gate::Ungrounded, reason)));
    }
    // The verb alone carries nothing: "I hate coriander" does not say that anybody hates tea.
    if let Err(refusal) = words_carried(&statement.matter(), &text, SUPPORT_MIN) {
        return Err(first_fault.unwrap_or(refusal));
    }
    if carrying.iter().all(|clause| clause.is_passing) {
        return Err((Gate::Ephemeral, "It holds for this day or hour.".to_owned()));
    }
    Ok(Carried { share, is_hedged: carrying.iter().any(|clause| clause.is_hedged && shares(statement.text, &clause.text)) })
}

/// Whether `said` carries a position: its words, and its yes or no. Everything else about it the judge decides.
pub(super) fn position_carried(position: &str, said: &Said) -> Result<Carried, Refusal> {
    check_addresses(position, said)?;
    let share = words_carried(position, &said.text(), POSITION_SUPPORT_MIN)?;
    let words = low_words(position);
    let sharing: Vec<&SaidClause> = said.clauses.iter().filter(|clause| shares(position, &clause.text)).collect();
    let is_denied = |clause: &&SaidClause| denies(&clause.words) || clause.is_foreign && language::denies(&clause.text);
    if !denies(&words) && !sharing.is_empty() && sharing.iter().all(is_denied) {
        return Err((Gate::Ungrounded, "The words it cites deny what it says.".to_owned()));
    }
    // A position is put in general words, which is no reason to doubt it; only a nearly verbatim one is explicit.
    Ok(Carried { share: share.max(SUPPORT_CLEAR), is_hedged: false })
}

/// Stops a statement with an address that the cited sentences do not have: it has neither capitals nor digits by which
/// [`support`] would know it for a name.
fn check_addresses(statement: &str, said: &Said) -> Result<(), Refusal> {
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let mut addresses = statement.split_whitespace().filter(|word| word.contains('@')).map(bare);
    match addresses.find(|address| !said.sentences.contains(address.as_str())) {
        Some(address) => Err((Gate::Ungrounded, format!("The words it cites do not have \"{address}\"."))),
        None => Ok(()),
    }
}

/// A text with its relatives named in one way, and without the words of denial and frequency, which have a check of their own.
fn even(text: &str) -> String {
    let words = text.split_whitespace().filter_map(|word| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let (bare, genitive) = bare.strip_suffix("'s").map_or((bare.as_str(), ""), |bare| (bare, "'s"));
        match bare {
            "mum" | "mom" | "mam" | "mama" | "mummy" => Some(format!("mother{genitive}")),
            "dad" | "daddy" | "papa" => Some(format!("father{genitive}")),
            "cannot" | "can't" | "never" | "not" | "longer" | "always" | "currently" | "usually" | "really" => None,
            // "I'm 63" and "63 years old" say the same.
            "years" | "year" | "old" => None,
            _ => Some(word.to_owned()),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The share of words carried, or which words nobody said.
fn words_carried(statement: &str, text: &str, share_min: f64) -> Result<f64, Refusal> {
    let (statement, text) = (even(statement), even(text));
    let support = support(&statement, &text, "", &["User"]);
    if let Some(invented) = support.invented.first() {
        return Err((Gate::Ungrounded, format!("The words it cites do not name \"{invented}\".")));
    }
    if support.share < share_min {
        let percent = (support.share * 100.0).round();
        return Err((Gate::Ungrounded, format!("The words it cites carry only {percent} % of what it says.")));
    }
    Ok(support.share)
}

/// Whether the two have a word of content in common.
pub(super) fn shares(statement: &str, text: &str) -> bool {
    support(statement, text, "", &["User"]).share > 0.0
}

/// Whether a text says hardly anything that the other does not.
pub(super) fn repeats(text: &str, other: &str) -> bool {
    support(text, other, "", &["User"]).share >= SUPPORT_CLEAR
}

/// Whether two texts about the same thing say the opposite of it.
pub(super) fn contradict(topic: &str, position: &str) -> bool {
    let (topic_words, position_words) = (low_words(topic), low_words(position));
    support(topic, position, "", &["User"]).share >= SUPPORT_MIN
        && denies(&topic_words) != denies(&position_words)
        && denies(&topic_words)
}

fn low_words(text: &str) -> Vec<String> {
    tokenize(text, 0, text.len()).into_iter().map(|token| token.low).collect()
}

/// Words that turn a statement into its opposite.
const DENIALS: &str = "not never no nobody none neither without hardly barely cannot nothing nowhere
    hate hates hated hating dislike dislikes disliked detest detests loathe loathes avoid avoids avoided avoiding
    quit quits stopped stop stops lack lacks lacking refuse refuses unable former formerly ex";

/// Whether the words deny: an odd number of denials, since "never without" affirms.
fn denies(words: &[String]) -> bool {
    words.iter().filter(|word| one_of(word, DENIALS)).count() % 2 == 1
}

/// Who speaks.
const SUBJECTS: &str = "i we";

/// Why the clause cannot carry the statement.
fn fault(statement: &Statement<'_>, clause: &SaidClause, said: &Said) -> Option<(Gate, &'static str)> {
    subject_fault(statement, clause, said)
        .or_else(|| {
            let words: Vec<String> = statement.tokens.iter().map(|token| token.low.clone()).collect();
            (denies(&words) != denies(&clause.words))
                .then_some((Gate::Ungrounded, "The words it cites say yes where it says no, or no where it says yes."))
        })
        .or_else(|| time_fault(statement, clause))
        .or_else(|| place_fault(statement, clause))
}

/// The clause speaks of somebody else.
fn subject_fault(statement: &Statement<'_>, clause: &SaidClause, said: &Said) -> Option<(Gate, &'static str)> {
    let first = clause.words.iter().map(String::as_str).find(|word| word.chars().any(char::is_alphanumeric)).unwrap_or("");
    let names_owner_before = said.clauses.iter().any(|c| c.words.iter().any(|word| one_of(word, "my our")));
    if let Some(reading) = &clause.reading
        && let Actor::Possession(..) = reading.actor
    {
        let bare = |word: &str| even(word.trim_end_matches("'s"));
        let names_it = |word: &String| statement.tokens.iter().any(|token| bare(&token.low) == bare(word));
        let names_it = reading.possession.iter().any(names_it);
        return (!names_it)
            .then_some((Gate::NotAboutSubject, "The words it cites are about somebody or something else of the user's."));
    }
    if one_of(first, "he she they you it") {
        return (!(statement.is_possessive && names_owner_before && !one_of(first, "you")))
            .then_some((Gate::NotAboutSubject, "The words it cites are about somebody else."));
    }
    let says_i = clause.words.iter().any(|word| one_of(word, SUBJECTS));
    // "love long walks", "working nights": the subject is left out. "… who lives in Peru" leaves out another's.
    let is_third = base_of_third(first).is_some_and(|base| base != first && crate::lexicon::is_known_verb(&base));
    let begins_with_verb = !clause.is_relative
        && (clause.is_first || !is_third)
        && (clause.reading.as_ref().is_some_and(|reading| bases(first).contains(&reading.base))
            || clause.is_first && base_of_ing(first).is_some_and(|base| crate::lexicon::is_known_verb(&base)));
    let is_others = is_third && !clause.is_first || clause.is_relative;
    if !says_i && is_others && !(statement.is_possessive && names_owner_before) {
        return Some((Gate::NotAboutSubject, "The words it cites are about somebody else."));
    }
    if says_i || begins_with_verb || clause.reading.as_ref().is_some_and(|reading| reading.actor == Actor::Speaker) {
        return None;
    }
    // "Emma lives in Lima", "the guest is an administrator": a verb in the third person and nobody who says "I".
    let third = clause.words.iter().skip(1).any(|word| {
        one_of(word, "is are was were has does can will should must")
            || base_of_third(word).is_some_and(|base| crate::lexicon::is_known_verb(&base))
    });
    (third && !(statement.is_possessive && names_owner_before))
        .then_some((Gate::NotAboutSubject, "The words it cites are about somebody else."))
}

/// The clause speaks of another time, or only of a possibility.
fn time_fault(statement: &Statement<'_>, clause: &SaidClause) -> Option<(Gate, &'static str)> {
    let reading = clause.reading.as_ref()?;
    if statement.is_possessive {
        return None;
    }
    let near =
        |list: &str| clause.words.iter().any(|word| one_of(word, list)) && !statement.tokens.iter().any(|t| one_of(&t.low, list));
    let is_meant = clause.words.windows(2).any(|pair| one_of(&pair[0], "going about supposed meant") && pair[1] == "to");
    let says_plan =
        statement.tokens.iter().any(|t| one_of(&t.low, "going will plans plan planning intends wants supposed about"));
    if near("nearly almost") || is_meant && !says_plan {
        return Some((Gate::Ungrounded, "The words it cites speak of what did not happen, or not yet."));
    }
    let base = reading.base.as_str();
    let same_verb = base == statement.verb.base || statement.verb.base == "be" && base == "have";
    let says = |list: &str| statement.tokens.iter().any(|token| one_of(&token.low, list));
    let other_time = (Gate::Ungrounded, "The words it cites speak of another time.");
    match reading.tense {
        Tense::UsedTo if statement.verb.time == Time::Present && !says("used formerly previously once") => Some(other_time),
        Tense::Past | Tense::PastCopula | Tense::PastProgressive if same_verb && statement.verb.time == Time::Present => {
            Some(other_time)
        }
        Tense::Present | Tense::Progressive | Tense::Copula | Tense::Have if same_verb && statement.verb.time == Time::Past => {
            Some(other_time)
        }
        Tense::GoingTo if same_verb && statement.verb.time == Time::Present => Some(other_time),
        Tense::Modal
            if one_of(reading.modal, "might may could would should")
                && !says("might may could would should considers considering thinking") =>
        {
            Some((Gate::Hypothetical, "The words it cites speak of a possibility."))
        }
        Tense::Modal if one_of(reading.modal, "will shall") && statement.verb.time == Time::Present => Some(other_time),
        _ => None,
    }
}

/// Prepositions that may stand for one another before the same name.
const ALIKE: &[&[&str]] = &[&["in", "at", "on", "to", "into"], &["at", "for", "with"], &["of", "from"], &["about", "on", "of"]];

/// "from Lyon" does not carry "in Lyon".
fn place_fault(statement: &Statement<'_>, clause: &SaidClause) -> Option<(Gate, &'static str)> {
    let ours: Vec<String> = statement.tokens.iter().map(|token| token.low.clone()).collect();
    (!same_use(&ours, &clause.words, &statement.tokens))
        .then_some((Gate::Ungrounded, "The words it cites put the name to another use."))
}

/// Whether each name of the statement stands behind the same preposition in both, where it stands behind one in both.
fn same_use(ours: &[String], theirs: &[String], tokens: &[Token]) -> bool {
    let before = |words: &[String], name: &str| -> Option<String> {
        let at = words.iter().position(|word| word == name)?;
        let article = at > 0 && one_of(&words[at - 1], "the a an my their our");
        let word = words.get(at.checked_sub(if article { 2 } else { 1 })?)?;
        PREPOSITIONS.contains(word.as_str()).then(|| word.clone())
    };
    tokens.iter().skip(1).filter(|token| token.is_capital).all(|token| {
        match (before(ours, &token.low), before(theirs, &token.low)) {
            (Some(our), Some(their)) => {
                our == their || ALIKE.iter().any(|set| set.contains(&our.as_str()) && set.contains(&their.as_str()))
            }
            _ => true,
        }
    })
}

/// Verbs that say the same of a person as the first one does, and what else says it.
const FAMILIES: &[(&str, &str)] = &[
    ("live", "live reside dwell base move home house flat apartment settle bear grow raise be"),
    ("work", "work job employ career shift office company boss be teach run train coach freelance practise"),
    ("like", "like love enjoy adore prefer favourite fan into fond obsess keen passionate"),
    ("love", "like love enjoy adore prefer favourite fan into fond obsess keen passionate"),
    ("enjoy", "like love enjoy adore prefer favourite fan into fond obsess keen passionate"),
    ("prefer", "prefer favourite rather like love over better choose"),
    ("want", "want plan hope goal dream go wish aim intend would try look like love save learn train"),
    ("plan", "want plan hope goal dream go aim intend will save"),
    ("hope", "want plan hope goal dream wish aim intend"),
    ("use", "use run work switch rely write code build have my"),
    ("have", "have own my our got get adopt buy be with allergic born"),
    ("own", "have own my our got get adopt buy"),
    ("name", "name call be my"),
    ("call", "name call be my"),
    ("speak", "speak fluent native bilingual language talk"),
    ("play", "play"),
    ("hate", "hate dislike detest loathe stand"),
    ("dislike", "hate dislike detest loathe like love enjoy stand"),
    ("marry", "marry married wife husband spouse"),
    ("be", "be become work born am im"),
    ("go", "go visit travel trip"),
    ("visit", "go visit travel trip be"),
    ("study", "study student learn read degree"),
    ("learn", "learn study take teach lesson"),
];

/// Every base that a word may be a form of.
fn bases(word: &str) -> Vec<String> {
    let mut all = vec![word.to_owned()];
    if one_of(word, "am is are was were been being") {
        all.push("be".to_owned());
    }
    if word == "favorite" {
        all.push("favourite".to_owned());
    }
    all.extend([base_of_third(word), base_of_past(word), base_of_ing(word)].into_iter().flatten());
    all
}

/// Whether the clause says the statement's main verb, in whatever form.
fn has_verb(statement: &Statement<'_>, clause: &SaidClause) -> bool {
    if statement.is_possessive {
        return true;
    }
    let base = statement.verb.base.as_str();
    let family = FAMILIES.iter().find(|(head, _)| *head == base).map_or(base, |(_, family)| family);
    // "I read that people in Peru love chess", "I met a guy who lives in Peru": what follows is not said of the speaker.
    let others_from = clause
        .words
        .windows(2)
        .position(|pair| one_of(&pair[0], "that how why whether who which whose whom") && !one_of(&pair[1], SUBJECTS));
    let own_words = &clause.words[..others_from.filter(|at| *at > 0).unwrap_or(clause.words.len())];
    let at: Vec<usize> = own_words
        .iter()
        .enumerate()
        .filter(|(_, word)| bases(word).iter().any(|form| form == base || one_of(form, family)))
        .map(|(at, _)| at)
        .collect();
    if base != "be" {
        return !at.is_empty()
            || clause.reading.is_none() && clause.is_first && clause.words.len() <= FRAGMENT_WORDS_MAX && base == "have";
    }
    let complement: Vec<&str> = statement.tokens[statement.verb.complement.min(statement.tokens.len())..]
        .iter()
        .map(|token| token.low.as_str())
        .filter(|word| !one_of(word, "a an the very really currently also"))
        .collect();
    let Some(wanted) = complement.first() else { return false };
    let is_form = |word: &str| bases(word).iter().any(|form| bases(wanted).contains(form) || alike(form, wanted));
    // "I'm a nurse at Acme": nothing but articles and adjectives between the verb and the noun. "I taught": the verb is the noun.
    let follows = at.iter().any(|at| {
        let rest: Vec<&str> = clause.words[at + 1..].iter().map(String::as_str).collect();
        rest.iter()
            .position(|word| is_form(word))
            .is_some_and(|end| rest[..end].iter().all(|word| !PREPOSITIONS.contains(*word) || *word == "as"))
    });
    let is_verb =
        clause.reading.as_ref().is_some_and(|reading| reading.base.chars().count() >= 4 && alike(&reading.base, wanted));
    let is_fragment = (clause.is_first || clause.follows_i)
        && clause.words.len() <= FRAGMENT_WORDS_MAX
        && !clause.words.iter().any(|word| one_of(word, "hate love like see saw met know"))
        && clause.reading.as_ref().is_none_or(|reading| reading.actor == Actor::Dropped)
        && clause
            .words
            .iter()
            .position(|word| is_form(word))
            .is_some_and(|end| clause.words[..end].iter().all(|word| !PREPOSITIONS.contains(word.as_str()) || *word == "as"));
    follows || is_verb || is_fragment
}

/// "vegan btw", "29, from Recife": so few words without a verb speak of their author.
const FRAGMENT_WORDS_MAX: usize = 5;

/// Whether one word begins with the other: "teach" and "teacher". Short words must be equal.
fn alike(a: &str, b: &str) -> bool {
    const CHARS_MIN: usize = 4;
    a == b || a.chars().count() >= CHARS_MIN && b.chars().count() >= CHARS_MIN && (a.starts_with(b) || b.starts_with(a))
}

impl<'s> Statement<'s> {
    fn read(text: &'s str) -> Self {
        let tokens = tokenize(text, 0, text.len());
        let is_possessive = text.starts_with("User's") || text.starts_with("User’s");
        let verb = verb(&tokens);
        Self { text, tokens, is_possessive, verb }
    }

    /// The statement without its main verb.
    fn matter(&self) -> String {
        match self.tokens.get(self.verb.complement.wrapping_sub(1)) {
            Some(verb) if !self.is_possessive => format!("{} {}", &self.text[..verb.start], &self.text[verb.end..]),
            _ => self.text.to_owned(),
        }
    }
}

/// The main verb of "User …".
fn verb(tokens: &[Token]) -> Verb {
    let word = |k: usize| tokens.get(k).map_or("", |token: &Token| token.low.as_str());
    let skip = |mut k: usize| {
        while one_of(
            word(k),
            "not never no longer also always usually often really currently still now only regularly sometimes just rarely once previously formerly probably",
        ) || word(k).len() > 4 && word(k).ends_with("ly")
        {
            k += 1;
        }
        k
    };
    let mut at = skip(1);
    let mut time = Time::Present;
    loop {
        let next = skip(at + 1);
        match word(at) {
            "does" | "do" if one_of(word(at + 1), "not never") => at = next,
            "did" if one_of(word(at + 1), "not never") => (at, time) = (next, Time::Past),
            "can" | "could" | "will" | "would" | "may" | "might" | "should" | "must" => (at, time) = (next, Time::Other),
            "has" | "have" | "had" if is_participle(word(next)) => (at, time) = (next, Time::Other),
            "been" if base_of_ing(word(next)).is_some() => at = next,
            "used" if word(next) == "to" => (at, time) = (skip(next + 1), Time::Other),
            "is" | "was" | "are" | "were" if base_of_ing(word(next)).is_some_and(|base| crate::lexicon::is_known_verb(&base)) => {
                if one_of(word(at), "was were") {
                    time = Time::Past;
                }
                at = next;
            }
            _ => break,
        }
    }
    let low = word(at);
    let (base, time) = match low {
        "is" | "are" | "am" => ("be".to_owned(), time),
        "was" | "were" => ("be".to_owned(), Time::Past),
        "been" => ("be".to_owned(), Time::Other),
        "has" => ("have".to_owned(), time),
        _ => match (base_of_third(low), base_of_past(low), base_of_ing(low)) {
            (_, _, Some(base)) if crate::lexicon::is_known_verb(&base) => (base, time),
            (Some(base), ..) if time == Time::Present => (base, time),
            (_, Some(base), _) if time != Time::Other && !crate::lexicon::is_known_verb(low) => (base, Time::Past),
            (_, Some(base), _) if time == Time::Other => (base, time),
            // A verb that the lexicon does not have: the third person of "User …" still ends in s.
            _ => (low.strip_suffix('s').filter(|base| base.len() > 2 && !base.ends_with('s')).unwrap_or(low).to_owned(), time),
        },
    };
    Verb { base, time, complement: at + 1 }
}
