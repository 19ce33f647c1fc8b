//! Thanks and complaints, with what they were about.
//!
//! Politeness is no satisfaction: "thanks!", "thanks for your time" and "thanks in advance" say nothing. What is praised or blamed is
//! named in the sentence, or it is the answer that came just before, to what had been asked before that.

use std::sync::LazyLock;

use keepsake_domain::{Facet, ProfileType};
use keepsake_text::pattern::re;
use regex::Regex;

use super::entry::{Finding, Strength, fingerprint};
use crate::Speaker;
use crate::text::{Read, Sentence, content_words, is_ask, quoted, topic_of};

/// So far back the question is looked for to which an answer is praised or blamed.
const MESSAGES_BACK_MAX: usize = 4;

/// Thanks for these are manners.
static MANNERS: LazyLock<Vec<String>> = LazyLock::new(|| {
    content_words(
        "time patience understanding message email mail call reply answer response feedback info information inviting invitation asking \
         letting reading listening sharing coming having nothing heads consideration attention interest support everything visit \
         reaching trying checking writing calling joining meeting chat work effort advice kind kindness lovely words care caring \
         compliment belief believing encouragement motivation offer offering being friend friends friendship saying askin' always \
         tip thought thoughts concern welcome wishes company there me awesome great positive really",
    )
});

enum About {
    /// The sentence names it: its first group.
    Named,
    /// The answer before.
    Answer,
    /// The answers in general, in this respect.
    Respect(&'static str, &'static str, &'static str),
    /// The sentence itself is the complaint.
    Itself,
}

struct Sign {
    pattern: Regex,
    is_pleased: bool,
    about: About,
}

static SIGNS: LazyLock<Vec<Sign>> = LazyLock::new(|| {
    let sign = |pattern: &str, is_pleased, about| Sign { pattern: re(&format!("^(?:{pattern})$")), is_pleased, about };
    use About::*;
    vec![
        sign(
            r"(?:(?:many |so |great |ok |oh |wow |perfect |cool )*(?:thanks|thank you|thx|cheers)(?: so much| very much| a lot| again| a million)?) for (.+)|(?:great|good|excellent|amazing|fantastic|lovely|nice|awesome) (?:job|work) (?:on|with) (.+)|i (?:really |very much )?appreciate (?:your |the )(.+)|(?:danke|vielen dank) für (.+)",
            true,
            Named,
        ),
        sign(
            r"i (?:really |do |just )?(?:love|like|appreciate) (?:how|that|the way) you .+|you(?:'re| are) (?:always )?(?:so |very |really )(?:helpful|clear|quick|patient|fast).*",
            true,
            Itself,
        ),
        sign(
            r"(?:(?:wow|great|perfect|yes|ah|oh|excellent|awesome|amazing|thanks),? )*(?:that(?:'s| is| was)|this is|it's|that) (?:exactly|just|precisely) what i (?:needed|wanted|was looking for|meant|asked for)|exactly what i (?:needed|wanted|was looking for)|(?:that|this) (?:was|is) (?:really |very |super |so |extremely )?(?:helpful|useful|spot on|perfect|clear)|(?:that|it) (?:worked|works|solved it|fixed it|did it|helped)(?: perfectly| great| a lot)?|spot on",
            true,
            Answer,
        ),
        sign(
            r"(?:no,? )?(?:that|this|it)(?:'s| is| was) (?:still |again |just |simply |completely |totally |plain )*(?:wrong|incorrect|not right|not correct|not what i (?:asked|wanted|meant|needed)(?: for)?|useless|nonsense|not helpful|unhelpful|not true|rubbish|not working)|(?:that|this|it) (?:still )?(?:doesn't|does not|didn't|did not) (?:work|help|answer my question|make sense)(?: at all| either| again)?|you (?:didn't|did not|haven't|still haven't) (?:answer|answered|understand|understood|read)(?: my| the)? ?(?:question|me|it|what i asked|what i wrote)?|not what i (?:asked|wanted|meant|needed)(?: for)?|you misunderstood(?: me| my question)?|wrong again|still wrong",
            false,
            Answer,
        ),
        sign(
            r"(?:(?:your|these|those|the) (?:answers?|replies|responses?|messages|explanations?) (?:is|are|was|were)|(?:that|this)(?:'s| is| was| answer is| answer was)) (?:always |again |still |often )?(?:way |far |much )?too (?:long|wordy|verbose|detailed)|(?:way |far |much )too (?:long|wordy|verbose)",
            false,
            Respect("answer length", "too long", "Was dissatisfied that answers were too long"),
        ),
        sign(
            r"(?:(?:your|these|those|the) (?:answers?|replies|responses?|messages|explanations?) (?:is|are|was|were)|(?:that|this)(?:'s| is| was| answer is| answer was)) (?:always |again |still |often )?(?:way |far |much )?too (?:short|brief|vague|superficial|generic)",
            false,
            Respect("answer length", "too short", "Was dissatisfied that answers were too short"),
        ),
        sign(
            r"(?:(?:your|these|those|the) (?:answers?|replies|responses?|messages|explanations?) (?:is|are|was|were)|(?:that|this)(?:'s| is| was| answer is| answer was)) (?:always |again |still |often )?(?:way |far |much )?too (?:technical|complicated|complex|hard to follow)",
            false,
            Respect("answer level", "too technical", "Was dissatisfied that answers were too technical"),
        ),
        sign(
            r"(?:it took you|it takes you|you took|you take) (?:so long|ages|forever|too long|(?:over |more than |almost )?(?:an?|two|three|four|five|\d+|several) (?:hours|days|weeks|hour|day|week|months))(?: to (?:answer|reply|respond|get back to me))?|(?:i'm|i am) still waiting (?:for|on) (?:your|an|a|the) (?:answer|reply|response)|still no (?:answer|reply|response)(?: from you)?|you never (?:answer|reply|respond)(?: to me| to my messages)?",
            false,
            Respect("response time", "too slow", "Was dissatisfied with how long an answer took"),
        ),
        sign(
            r"(?:why do )?you (?:keep|always|constantly|never stop) (?:forgetting|ignoring|repeating|making|getting|asking|interrupting|mixing|missing|changing|adding|apologi[sz]ing|forget|ignore|repeat|make|get|mix|miss|change|interrupt) ?.*|you(?:'ve| have)? (?:forgot|forgotten|ignored|missed|got|lost|broke|broken|deleted) .+ again|(?:i'm|i am) (?:really |so |very |quite |pretty |getting )?(?:annoyed|frustrated|disappointed|unhappy|fed up|upset) (?:with|by|about|that|at) (?:you|your|the answers?|these answers?|this answer|how you|the way you)\b.*",
            false,
            Itself,
        ),
    ]
});

/// What the entity was pleased or annoyed with.
pub(super) fn shown(all: &[Read<'_>], found: &mut Vec<Finding>) {
    for read in all.iter().filter(|read| read.said.speaker == Speaker::Entity) {
        for sentence in read.sentences.iter().filter(|sentence| !sentence.plain.contains("in advance")) {
            let Some((sign, captures)) =
                SIGNS.iter().find_map(|sign| sign.pattern.captures(&sentence.plain).map(|captures| (sign, captures)))
            else {
                continue;
            };
            let named = captures.iter().skip(1).flatten().next().map(|group| group.as_str());
            let Some((facet, value, content)) = about(sign, named, all, read, sentence) else { continue };
            let Some(place) = read.place(sentence) else { continue };
            found.push(Finding {
                profile_type: ProfileType::Satisfaction,
                fingerprint: fingerprint(&facet, value),
                facet,
                content,
                strength: Strength::Passing,
                place,
                conversation: read.said.conversation.clone(),
                time: read.said.time,
            });
        }
    }
}

fn about(
    sign: &Sign,
    named: Option<&str>,
    all: &[Read<'_>],
    read: &Read<'_>,
    sentence: &Sentence<'_>,
) -> Option<(Facet, &'static str, String)> {
    let value = if sign.is_pleased { "pleased" } else { "displeased" };
    match sign.about {
        About::Named => {
            // What follows a comma is a name or goes on about something else.
            let named = named?.split(',').next()?.trim();
            let words = content_words(named);
            let is_manners =
                words.first().is_none_or(|word| MANNERS.contains(word)) || words.iter().all(|word| MANNERS.contains(word));
            if is_manners {
                return None;
            }
            // As it was written, where it can be found again.
            let shown = as_written(sentence.text, named);
            Some((topic_of(named, |_| true)?, value, format!("Gave thanks for \"{}\"", quoted(&shown))))
        }
        About::Itself => {
            let verb = if sign.is_pleased { "Praised" } else { "Complained" };
            Some((topic_of(&sentence.plain, |_| true)?, value, format!("{verb}: \"{}\"", quoted(sentence.text))))
        }
        About::Respect(topic, value, content) => {
            // Of a piece of work it is said of that piece.
            let is_general = topic == "response time" || !read.is_task && answers_somebody(all, read);
            is_general.then(|| Some((Facet::new(&format!("topic:{topic}")).ok()?, value, content.to_owned())))?
        }
        About::Answer => {
            if !answers_somebody(all, read) {
                return None;
            }
            let ask = asked_before(all, read)?;
            let mood = if sign.is_pleased { "pleased" } else { "dissatisfied" };
            Some((topic_of(&ask.plain, |_| true)?, value, format!("Was {mood} with the answer to: \"{}\"", quoted(ask.text))))
        }
    }
}

/// Whether the message before was somebody else's.
fn answers_somebody(all: &[Read<'_>], read: &Read<'_>) -> bool {
    read.before.is_some_and(|before| all[before].said.speaker != Speaker::Entity)
}

/// What the entity asked last before this message.
fn asked_before<'r, 'a>(all: &'r [Read<'a>], read: &Read<'a>) -> Option<&'r Sentence<'a>> {
    let mut at = read.before;
    for _ in 0..MESSAGES_BACK_MAX {
        let read = &all[at?];
        if read.said.speaker == Speaker::Entity
            && let Some(ask) =
                read.sentences.iter().rev().find(|sentence| is_ask(sentence) && !content_words(&sentence.plain).is_empty())
        {
            return Some(ask);
        }
        at = read.before;
    }
    None
}

/// The part of `text` that says `plain`, in its own case.
fn as_written(text: &str, plain: &str) -> String {
    let lower = text.to_lowercase().replace('’', "'");
    // Where lower case or a plain apostrophe is of another length, the places do not agree; then the plain words serve.
    match lower.find(plain).filter(|_| lower.chars().count() == text.chars().count()) {
        Some(at) => {
            let from = lower[..at].chars().count();
            text.chars().skip(from).take(plain.chars().count()).collect()
        }
        None => plain.to_owned(),
    }
}
