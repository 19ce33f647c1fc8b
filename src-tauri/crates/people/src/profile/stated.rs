//! What somebody says outright about how they want things: preferences and expectations.
//!
//! A clause is freed of its politeness ("please", "from now on"), its stance is read (wanted, unwanted, expected), and what is left
//! must be, as a whole, something that [`super::wishes`] knows. So "keep it short" is a wish and "keep the title short", "he said to
//! keep it short" and "if you keep it short" are none.
//!
//! Deliberately not here: what the wishes are.

use std::sync::LazyLock;

use keepsake_domain::{Facet, ProfileType};
use keepsake_text::pattern::re;
use regex::Regex;

use super::entry::{ApprovedMemory, Finding, Strength, fingerprint};
use super::wishes::{self, Stance, Wish};
use crate::Speaker;
use crate::text::{Read, Sentence, clauses, content_words, plain};

/// Said in one clause: how it was put, and what is left of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Core {
    pub(super) text: String,
    pub(super) is_polite: bool,
    pub(super) is_lasting: bool,
}

/// Words before and behind the wish itself.
const LEADS: &[&str] = &[
    "ok",
    "okay",
    "hey",
    "hi",
    "hello",
    "and",
    "but",
    "so",
    "also",
    "btw",
    "by the way",
    "well",
    "yes",
    "yeah",
    "no,",
    "thanks",
    "great",
    "cool",
    "again",
    "as i said",
    "as always",
    "as usual",
    "once again",
    "fyi",
    "just so you know",
    "one thing",
    "one more thing",
    "oh",
    "actually",
    "can you",
    "could you",
    "would you",
    "will you",
    "can we",
    "could we",
    "you can",
    "you should",
    "you must",
    "you need to",
    "try to",
    "make sure to",
    "make sure you",
    "make sure that you",
    "remember to",
    "be sure to",
    "i'd like you to",
    "i would like you to",
    "i want you to",
    "i need you to",
    "i ask you to",
    "i asked you to",
    "i told you to",
    "it would be great if you could",
    "it'd be great if you could",
    "it would be nice if you could",
    "feel free to",
    "kindly",
    "bitte",
    "kannst du",
    "könntest du",
    "por favor",
    "s'il te plaît",
    "s'il vous plaît",
];
const POLITE: &[&str] =
    &["please", "pls", "plz", "bitte", "por favor", "s'il te plaît", "s'il vous plaît", "svp", "thanks", "thank you"];
const LASTING: &[&str] = &[
    "from now on",
    "in future",
    "in the future",
    "going forward",
    "always",
    "generally",
    "in general",
    "as a rule",
    "by default",
    "every time",
    "next time",
    "for future reference",
    "in all your answers",
    "in every answer",
    "for all answers",
    "whenever you answer",
    "when you answer",
    "when you answer me",
    "when answering",
    "when answering me",
    "when you reply",
    "when you write to me",
    "when you explain things",
    "when you explain something",
    "when explaining things",
    "ab jetzt",
    "in zukunft",
    "immer",
    "künftig",
    "a partir de ahora",
    "siempre",
    "à partir de maintenant",
    "toujours",
    "at all times",
    "at any time",
    "ever",
];
/// These make it hold for once; nothing is concluded.
const ONCE: &[&str] = &[
    "this time",
    "for now",
    "today",
    "tonight",
    "tomorrow",
    "just this once",
    "for once",
    "here",
    "for this one",
    "right now",
    "now",
    "in this case",
    "this week",
    "for this",
    "for that",
    "for today",
    "at the moment",
    "yet",
    "again this time",
];

/// The clause without what surrounds its wish; nothing where it is meant for once.
pub(super) fn core(clause: &str) -> Option<Core> {
    let mut core = Core { text: clause.to_owned(), is_polite: false, is_lasting: false };
    loop {
        let before = core.text.len();
        for (words, mark) in [(LEADS, 0_u8), (POLITE, 1), (LASTING, 2), (ONCE, 3)] {
            for word in words {
                let stripped =
                    strip_start(&core.text, word).or_else(|| if mark == 0 { None } else { strip_end(&core.text, word) });
                let Some(rest) = stripped.map(str::to_owned) else { continue };
                if rest.is_empty() {
                    return None;
                }
                match mark {
                    1 => core.is_polite = true,
                    2 => core.is_lasting = true,
                    3 => return None,
                    _ => {}
                }
                core.text = rest;
            }
        }
        if core.text.len() == before {
            return Some(core);
        }
    }
}

fn strip_start<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let rest = text.strip_prefix(word)?;
    (rest.is_empty() || rest.starts_with([' ', ',', ':'])).then(|| rest.trim_start_matches([' ', ',', ':']))
}

fn strip_end<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let rest = text.strip_suffix(word)?;
    (rest.is_empty() || rest.ends_with([' ', ','])).then(|| rest.trim_end_matches([' ', ',']))
}

struct Form {
    pattern: Regex,
    stance: Stance,
    strength: Strength,
}

/// How a wish is put. The last group is what is wished for.
static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
    let often =
        "(?: (?:really|much|generally|usually|strongly|definitely|still|also|just|do|personally|always|normally|simply))*";
    let do_it = "(?:use|using|give me|giving me|send me|write|writing|answer|answering|reply|replying|respond|responding|explain things|explain|keep it|keep things|keep your answers|are|be|stick to|speak|talk|show me|provide|include|start with|skip|get)(?: (?:with|in|to me in|as))?";
    let form = |pattern: &str, stance, strength| Form { pattern: re(pattern), stance, strength };
    use Stance::*;
    use Strength::*;
    vec![
        form(
            &format!(r"^i(?:'d| would)?{often} expect (?:you to {do_it} |to (?:get|see|have|receive) )?(?:only )?(.+)$"),
            Expects,
            Stated,
        ),
        form(
            &format!(
                r"^i(?:'d| would)?{often} prefer (?:(?:it )?(?:when|if) you {do_it} |(?:that )?you (?:to )?{do_it} |to (?:get|see|have|receive|read) |getting )?(.+?)(?: (?:over|to|rather than|instead of|than) [\w\s]+)?$"
            ),
            Wants,
            Stated,
        ),
        form(
            &format!(
                r"^i(?:'d| would)?{often} (?:like|love|want|need|appreciate|favou?r|rather have|rather get|rather you) (?:(?:it )?(?:when|if) you {do_it} |you to {do_it} |to (?:get|see|have|receive|read) |getting )?(?:only |just )?(.+)$"
            ),
            Likes,
            Stated,
        ),
        form(
            &format!(
                r"^i (?:don't|do not|never){often} (?:like|want|need|enjoy|appreciate|care for) (?:(?:it )?(?:when|if) you {do_it} |you to {do_it} |to (?:get|see|read) |getting |any |the |your |all the |all these )*(.+)$"
            ),
            Refuses,
            Stated,
        ),
        form(
            r"^i(?:'m| am)? ?(?:really )?(?:hate|dislike|can't stand|cannot stand|detest|tired of|sick of|not a fan of|no fan of|not a big fan of) (?:(?:it )?when you (?:use|write|give me|send me|answer with|answer in) |your |all the |all these |the )*(.+)$",
            Refuses,
            Stated,
        ),
        form(r"^my preference is (?:for )?(.+)$", Wants, Stated),
        form(r"^(.+) (?:works?|is|are|suits?) (?:best|better)(?: for)? me$", Wants, Stated),
        form(
            r"^(?:ich (?:mag|bevorzuge|möchte|will)|prefiero|quiero|je préfère|je veux) (?:lieber |gern |gerne )?(.+)$",
            Wants,
            Stated,
        ),
        form(r"^(?:ich (?:mag|möchte|will) keine|no quiero|je ne veux pas de) (.+)$", Refuses, Stated),
        form(
            r"^(?:no|no more|don't|do not|never|stop|avoid|skip|without|drop|leave out|spare me|cut|cut out|quit|enough with|enough of)(?: (?:use|using|give me|giving me|write|writing|send me|sending me|include|including|add|adding|be|being|make it|answer with|answer in|reply with|reply in|do|need for))?(?: (?:me|with|in|the|all the|all these|your|any|so many|so|too|such|these|those))* (.+)$",
            Refuses,
            Passing,
        ),
        form(
            r"^(?:just |only |simply )?(?:use|give me|send me|write|answer|reply|respond|explain(?: things| it| this)?|be|stay|keep it|keep this|keep things|keep them|keep (?:your |the |all )?(?:answers|replies|responses|messages|explanations)|make your (?:answers|replies|responses)|stick to|provide|include|show me|go with|format (?:it|things|your answers|answers))(?: me| to me)?(?: (?:with|in|using|as|to|your answers in|only))? (?:more )?(.+)$",
            Wants,
            Passing,
        ),
    ]
});

/// A wish as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stated {
    pub(super) profile_type: ProfileType,
    pub(super) facet: Facet,
    pub(super) value: String,
    pub(super) content: String,
    pub(super) strength: Strength,
}

/// The wish that a clause states, if it states one and nothing else.
pub(super) fn stated(clause: &str) -> Option<Stated> {
    let core = core(clause)?;
    let lasting = if core.is_lasting { Strength::Lasting } else { Strength::Passing };
    if let Some(wish) = wishes::whole(&core) {
        return stated_as(wish, lasting, Stance::Wants);
    }
    for form in FORMS.iter() {
        let Some(object) = form.pattern.captures(&core.text).and_then(|found| found.get(1)) else { continue };
        let strength = form.strength.max(lasting);
        let wish = wishes::named(object.as_str(), form.stance, strength);
        if let Some(wish) = wish {
            return stated_as(wish, strength, form.stance);
        }
    }
    // "Short answers please", "only bullet points".
    let bare = ["just ", "only "].iter().find_map(|word| core.text.strip_prefix(word)).unwrap_or(&core.text);
    if core.is_polite || core.is_lasting || bare.len() < core.text.len() {
        let bare = bare.strip_suffix(" only").unwrap_or(bare);
        return wishes::named(bare, Stance::Wants, lasting).and_then(|wish| stated_as(wish, lasting, Stance::Wants));
    }
    None
}

fn stated_as(wish: Wish, strength: Strength, stance: Stance) -> Option<Stated> {
    let (profile_type, content) = match (stance, wish.sentence) {
        (_, Some(sentence)) => (wish.profile_type, sentence),
        (Stance::Expects, None) => (ProfileType::Expectations, format!("Expects {}", wish.phrase)),
        (_, None) if wish.profile_type == ProfileType::Expectations => (wish.profile_type, format!("Expects {}", wish.phrase)),
        (_, None) => (wish.profile_type, format!("Prefers {}", wish.phrase)),
    };
    let facet = Facet::new(&wish.facet).ok()?;
    Some(Stated { profile_type, facet, value: wish.value, content, strength: strength.max(wish.strength) })
}

/// Whether a sentence says of itself that it is meant for once.
pub(super) fn is_for_once(text: &str, sentence: &Sentence<'_>) -> bool {
    core(&sentence.plain).is_none_or(|core| core.text.is_empty())
        || clauses(text, sentence).iter().any(|clause| ONCE.contains(&clause.plain.as_str()))
}

/// What the entity's messages state.
pub(super) fn in_messages(all: &[Read<'_>], found: &mut Vec<Finding>) {
    for read in all.iter().filter(|read| read.said.speaker == Speaker::Entity) {
        for sentence in &read.sentences {
            if is_for_once(read.said.text, sentence) {
                continue;
            }
            let parts = clauses(read.said.text, sentence);
            let wishes: Vec<_> = match stated(&sentence.plain) {
                Some(wish) => vec![(sentence.clone(), wish)],
                None => parts.iter().filter_map(|clause| stated(&clause.plain).map(|wish| (clause.clone(), wish))).collect(),
            };
            // "A packing list for four days, and keep it short": what else the sentence asks for is what is to be short.
            let is_about_more = !wishes.is_empty()
                && parts.len() > 1
                && stated(&sentence.plain).is_none()
                && parts.iter().any(|clause| stated(&clause.plain).is_none() && !content_words(&clause.plain).is_empty());
            for (place, wish) in wishes {
                // In a piece of work "keep it short" is about the piece.
                if (read.is_task || is_about_more) && wish.strength == Strength::Passing {
                    continue;
                }
                let Some(place) = read.place(&place) else { continue };
                found.push(Finding {
                    profile_type: wish.profile_type,
                    fingerprint: fingerprint(&wish.facet, &wish.value),
                    facet: wish.facet,
                    content: wish.content,
                    strength: wish.strength,
                    place,
                    conversation: read.said.conversation.clone(),
                    time: read.said.time,
                });
            }
        }
    }
}

/// "User prefers short answers" as its subject would say it; entries begin with the verb at once.
pub(super) fn in_first_person(content: &str, name: &str) -> Option<String> {
    let content = plain(content);
    let rest = match content.strip_prefix(&plain(name)) {
        Some(rest) if !name.is_empty() => rest.strip_prefix(' ')?,
        _ => content.as_str(),
    };
    let (verb, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let own = match verb {
        "prefers" => "prefer",
        "likes" => "like",
        "wants" => "want",
        "expects" => "expect",
        "needs" => "need",
        "hates" => "hate",
        "dislikes" => "dislike",
        "does" | "doesn't" => {
            let rest = if verb == "does" { rest.strip_prefix("not ")? } else { rest };
            return Some(format!("i don't {rest}"));
        }
        "would" => "would",
        _ => return None,
    };
    Some(format!("i {own} {rest}"))
}

/// What a memory states about how its subject wants things, if it does: the facet and the fingerprint that an entry has.
pub fn stated_by(content: &str, name: &str) -> Option<(Facet, String)> {
    // "User wants the assistant to answer in French" was said to it.
    let said = in_first_person(content, name)?.replace("want the assistant to ", "want you to ");
    let wish = stated(&said)?;
    Some((wish.facet.clone(), fingerprint(&wish.facet, &wish.value)))
}

/// What approved memories state: a person looked at them, so they hold for good.
pub(super) fn in_memories(memories: &[ApprovedMemory<'_>], name: &str, found: &mut Vec<Finding>) {
    for memory in memories {
        let Some(wish) = in_first_person(memory.content, name).and_then(|said| stated(&said)) else { continue };
        for place in memory.evidence {
            found.push(Finding {
                profile_type: wish.profile_type,
                facet: wish.facet.clone(),
                fingerprint: fingerprint(&wish.facet, &wish.value),
                content: wish.content.clone(),
                strength: Strength::Lasting,
                place: place.clone(),
                conversation: memory.conversation.clone(),
                time: memory.time,
            });
        }
    }
}
