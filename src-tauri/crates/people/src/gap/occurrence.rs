//! Where something was wanted and could not be done: refusals, failures, and what people say about them.
//!
//! A capability gap is what a system cannot do. What it must not do is none: refusals for safety, law or manners, and every request
//! for such things, are left out. So are words that only look like a refusal ("I can't wait", "I can't say for sure").
//!
//! Deliberately not here: how often is often enough.

use std::sync::LazyLock;

use keepsake_domain::{ConversationId, EvidenceSpan, Timestamp};
use keepsake_text::pattern::re;
use regex::{Regex, RegexSet};

use crate::text::{ANSWERS_WITHIN, Read, Sentence, content_words, is_ask, quoted, read};
use crate::{Speaker, Utterance};

/// One place where something could not be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    /// What, as it was put: "export my notes as PDF".
    pub need: String,
    /// Where it shows: the refusal or complaint first, then the request that it answers.
    pub places: Vec<EvidenceSpan>,
    /// Those of them that are the entity's own words: nothing else proves anything about the entity.
    pub own_places: Vec<EvidenceSpan>,
    /// In which conversation.
    pub conversation: ConversationId,
    /// When.
    pub time: Timestamp,
}

const SORRY: &str = r"(?:(?:(?:i'm |i am |we're |we are )?(?:so |very |really |terribly )?sorry|unfortunately|i apologi[sz]e|apologies|i'm afraid|i am afraid|regrettably|currently|at the moment|right now|as an ai(?: language model| assistant)?|oh|ah|well|no|hm+)(?:,? but| that)?,? )*";
const NOW: &str = r"(?: yet| currently| directly| actually| unfortunately| really| still| just| simply)*";

/// What an assistant says of itself. The first group, where there is one, is what it cannot do.
static REFUSED: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    vec![
        re(&format!(
            r"^{SORRY}(?:i|we){NOW} (?:can't|cannot|can not|couldn't|could not|wasn't able to|was not able to|was unable to|failed to|don't know how to|do not know how to){NOW} (.+)$"
        )),
        re(&format!(
            r"^{SORRY}(?:i'm|i am|we're|we are){NOW} (?:unable|not able|not yet able|incapable of being able){NOW} to (.+)$"
        )),
        re(&format!(
            r"^{SORRY}(?:i|we){NOW} (?:don't|do not){NOW} have (?:the ability to|a way to|any way to|the means to|the tools? to|a tool to|access to|support for|a tool for) (.+)$"
        )),
        re(&format!(
            r"^{SORRY}(?:something went wrong|an error occurred|i ran into an error|i hit an error|it failed|the tool failed) (?:while|when)(?: i was)?(?: trying to)? (.+)$"
        )),
    ]
});

/// What anybody says of a product, assistants included.
static UNSUPPORTED: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    vec![
        re(&format!(r"^{SORRY}(?:we|i) (?:don't|do not) (?:yet |currently )?(?:support|offer) (.+)$")),
        re(&format!(r"^{SORRY}there(?:'s| is){NOW} no (?:way to|option to|option for|support for) (.+)$")),
        re(&format!(
            r"^{SORRY}(?:that|this|it)(?: feature| function| format| kind of file)?(?:'s| is)?{NOW} (?:not|isn't){NOW} (?:supported|implemented|available|possible)(?: yet| here| at the moment| right now)?$"
        )),
        re(&format!(
            r"^{SORRY}(.+) (?:is not|are not|isn't|aren't|is|are){NOW} (?:not )?{NOW} ?(?:supported|implemented)(?: yet| here| at the moment| right now)?$"
        )),
    ]
});

/// What the entity says about it.
static FRICTION: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let could_not =
        "(?:couldn't|could not|can't|cannot|can not|failed to|were unable to|were not able to|aren't able to|are unable to)";
    vec![
        re(&format!(
            r"^(?:so |and |but |ugh,? |sigh,? |great,? )*(?:again|once more|once again|yet again),? you {could_not} (.+)$"
        )),
        re(&format!(
            r"^(?:so |and |but |why is it that |too bad |it's a pity |pity |what a pity |shame |it's a shame |annoying that |a shame )*(?:that )?you (?:still |again |really )?{could_not} (?:still |even )?(.+)$"
        )),
        re(
            r"^(?:i|we) (?:really |do |just |so )*wish (?:that )?(?:you|it|this|the app|this app|this tool|the assistant|keepsake) (?:could|was able to|were able to|supported|support|would support|had|knew how to) (.+)$",
        ),
        re(
            r"^(?:so |and |but )*why (?:can't|cannot|can not|couldn't) (?:you|it|this|the app|i|we) (?:just |still |even |simply )?(.+)$",
        ),
        re(
            r"^(?:it would be|it'd be|would be) (?:so |really |very )?(?:great|nice|good|cool|helpful|useful|handy) if (?:you|it|this|the app|one|i|we) (?:could|supported|had) (.+)$",
        ),
        re(r"^(?:is|isn't) there (?:really |still )?(?:no|any) way to (.+)$"),
    ]
});

/// Words after "I can't" that name no ability.
static NO_ABILITY: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^(?:wait|believe|say|promise|guarantee|recommend|thank|stress|emphasi[sz]e|help but|imagine|agree|tell (?:if|whether|from|you (?:for sure|exactly|if|whether))|be (?:sure|certain|right)|confirm|speak for|comment|judge|know|see (?:why|how|what|any|the (?:problem|image|picture|file|attachment))|understand|complain|think of|argue|afford|come|make it|attend|talk right now|find (?:my|the) (?:keys|phone)|stand|sleep|go|leave|decide|choose|verify|rule out|blame|overstate|predict|have it both|stop|get enough|put it down|keep up|hear you|take it)\b",
    )
});

/// What must not be done, in the refusal, in the need or in the request.
static FORBIDDEN: LazyLock<RegexSet> = LazyLock::new(|| {
    RegexSet::new([
        r"^(?:help|assist|comply|engage|participate|fulfil|fulfill|continue with|discuss|encourage|facilitate|promote|condone|provide (?:any )?(?:instructions|guidance|advice|information|details|that|assistance)|share (?:that|this|instructions)|give (?:you )?(?:medical|legal|financial|tax) advice|offer (?:medical|legal|financial)|do that for safety|impersonate|pretend)\b",
        r"\b(?:weapons?|bombs?|explosives?|guns?|firearms?|ammunition|drugs?|meth|cocaine|poisons?|malware|ransomware|spyware|keylogger|phishing|hack(?:ing|ed)?|exploits?|steal(?:ing)?|stalk(?:ing)?|suicide|self-harm|kill(?:ing)?|murder|attacks?|terroris\w+|porn\w*|sexual\w*|nsfw|nudes?|hate speech|racist|slurs?|illegal|unlawful|counterfeit|fraud\w*|scams?|launder\w*|pirat\w+|copyright\w*|lyrics|medical advice|legal advice|diagnos\w+|prescri\w+|minors?|child abuse|violen\w+|dangerous|harmful|unsafe|inappropriate|unethical|ethical\w*|jailbreak\w*|system prompt|deepfakes?|doxx?\w*|surveillance|bypass\w*|someone else's (?:password|account)|biological agents?|nerve agents?|credit card numbers?)\b",
        r"\b(?:against (?:my|the|our|openai's|anthropic's)|my|our|content|usage|safety) (?:guidelines|polic(?:y|ies)|rules|terms|programming|principles)\b|\bfor (?:safety|privacy|security|legal|ethical) reasons\b|\bnot appropriate\b|\bnot comfortable\b|\bterms of service\b|\bprivate (?:information|data) (?:about|of)\b|\bpersonal (?:information|data) (?:about|of) (?:others|other people|someone|individuals|real)\b",
    ])
    .unwrap_or_else(|_| unreachable!("constant patterns compile"))
});

/// A need that only points elsewhere.
static POINTS: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^(?:do |handle |process |support |perform |complete |fulfil |make )?(?:that|this|it|so|those|these|what you(?:'re| are)? (?:ask(?:ed|ing)?(?: for)?|want(?:ed)?)|your request|the request|such (?:a )?(?:thing|request)s?|that kind of (?:thing|request)|anything like that)$",
    )
});

/// What stands behind a need and is none of it.
static BEHIND: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?:,? (?:but|because|since|as i|so you|so i|due to|though|unless|without|and i|however|yet|again|anymore|any more|right now|at the moment|currently|for you|for me|from here|in this (?:chat|conversation)|on my own|myself|at this time|today|please|already|either|properly|correctly|directly)\b.*|, .*)$",
    )
});

/// How a request begins that says what it wants after that.
static ASKED: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^(?:(?:please|pls|hey|hi|hello|ok|okay|and|so|also|now|again|then)[, ]+)*(?:(?:can|could|would|will) you (?:please |pls |also |just )*|i (?:need|want|'d like|would like) (?:you )?to |is it possible to |are you able to |how (?:do|can|could) (?:i|you|we) )?(.+)$",
    )
});

/// Every place where something could not be done, in order.
pub fn occurrences(utterances: &[Utterance<'_>]) -> Vec<Occurrence> {
    in_read(&read(utterances))
}

pub(crate) fn in_read(all: &[Read<'_>]) -> Vec<Occurrence> {
    all.iter().flat_map(|read| read.sentences.iter().filter_map(|sentence| occurrence(all, read, sentence))).collect()
}

fn occurrence(all: &[Read<'_>], read: &Read<'_>, sentence: &Sentence<'_>) -> Option<Occurrence> {
    let plain = sentence.plain.as_str();
    let found = |forms: &[Regex]| {
        forms.iter().find_map(|form| form.captures(plain)).map(|found| found.get(1).map(|need| need.as_str().to_owned()))
    };
    let named = match read.said.speaker {
        Speaker::Assistant => found(&REFUSED).or_else(|| found(&UNSUPPORTED).filter(|_| is_denied(plain))),
        Speaker::Entity => found(&FRICTION),
        Speaker::Owner | Speaker::Other => found(&UNSUPPORTED).filter(|_| is_denied(plain) && !sentence.is_question),
    }?;
    let ask = if read.said.speaker == Speaker::Entity { None } else { asked_before(all, read) };
    let ask_text = ask.map_or("", |(_, ask)| ask.plain.as_str());
    let need = named.as_deref().map(|need| BEHIND.replace(need, "").trim().to_owned()).filter(|need| !POINTS.is_match(need));
    if FORBIDDEN.is_match(plain) || FORBIDDEN.is_match(ask_text) || need.as_ref().is_some_and(|need| FORBIDDEN.is_match(need)) {
        return None;
    }
    let (need, put_by) = match need {
        Some(need) if NO_ABILITY.is_match(&need) => return None,
        Some(need) => (need, sentence),
        // "Sorry, I can't do that": what was asked for.
        None => {
            let (_, ask) = ask?;
            let asked = ASKED.captures(ask_text).and_then(|found| found.get(1))?;
            (BEHIND.replace(asked.as_str(), "").into_owned(), ask)
        }
    };
    if content_words(&need).len() < NEED_WORDS_MIN {
        return None;
    }
    let place = read.place(sentence)?;
    let asked = ask.and_then(|(read, ask)| read.place(ask));
    let own_places = if read.said.speaker == Speaker::Entity { vec![place.clone()] } else { asked.iter().cloned().collect() };
    Some(Occurrence {
        need: quoted(&put_by.as_written(&need)),
        places: std::iter::once(place).chain(asked).collect(),
        own_places,
        conversation: read.said.conversation.clone(),
        time: read.said.time,
    })
}

/// One content word ("export", "that file") names nothing that could be built.
const NEED_WORDS_MIN: usize = 2;

/// The forms of "not supported" are wide; the sentence has to deny.
fn is_denied(plain: &str) -> bool {
    [" not ", "n't ", " no ", "unsupported"].iter().any(|word| format!(" {plain} ").contains(word))
}

/// What the entity asked last before this message.
fn asked_before<'r, 'a>(all: &'r [Read<'a>], read: &Read<'a>) -> Option<(&'r Read<'a>, &'r Sentence<'a>)> {
    let mut at = read.before;
    for _ in 0..ANSWERS_WITHIN {
        let before = &all[at?];
        if before.said.speaker == Speaker::Entity {
            return before.sentences.iter().rev().find(|sentence| is_ask(sentence)).map(|ask| (before, ask));
        }
        at = before.before;
    }
    None
}
