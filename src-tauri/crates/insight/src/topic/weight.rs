//! What a message weighs: whether it carries a subject, arranges something, or is small talk.
//!
//! Small talk and arrangements belong to the subject that they stand beside; they never make one.

use std::collections::BTreeMap;

use unicode_segmentation::UnicodeSegmentation;

use crate::text::{Document, Sentence, is_stop_word, is_vague_noun, stem};

/// What a message is, for the founding of topics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    /// Says something about something.
    Carries,
    /// Arranges when and where.
    Arranges,
    /// Greets, thanks, agrees, asks how somebody is.
    Light,
}

/// A message with fewer different words of content carries nothing by itself.
const CONTENT_WORDS_MIN: usize = 3;

/// An arrangement or a courtesy is short; what is longer says something beside it.
const LIGHT_WORDS_MAX: usize = 16;

/// Wordings of arranging.
const ARRANGING: &[&str] = &[
    "see you",
    "on my way",
    "running late",
    "be there",
    "be late",
    "minutes late",
    "call you",
    "call me",
    "ring you",
    "give me a ring",
    "what time",
    "which day",
    "works for me",
    "suits me",
    "suit you",
    "work for you",
    "let me know",
    "are you free",
    "are you around",
    "you free",
    "i am free",
    "reschedule",
    "rain check",
    "pick you up",
    "meet at",
    "meet you",
    "meet up",
    "same place",
    "parking",
    "talk tomorrow",
    "talk later",
    "speak later",
    "catch up",
    "at the usual",
    "leaving now",
    "just arrived",
    "i am outside",
    "i am here",
    "stuck in traffic",
    "next bus",
    "bis dann",
    "bis gleich",
    "bin unterwegs",
    "wann passt",
    "passt mir",
    "nos vemos",
    "estoy llegando",
    "à tout à l'heure",
    "j'arrive",
    "até já",
    "estou a chegar",
];

/// Wordings of small talk.
const LIGHT: &[&str] = &[
    "how are you",
    "how is it going",
    "how is everything",
    "how was your",
    "how did you sleep",
    "good morning",
    "good night",
    "good evening",
    "happy birthday",
    "have a nice",
    "have a good",
    "have a great",
    "enjoy your",
    "sleep well",
    "safe travels",
    "take care",
    "long time no",
    "nice weather",
    "lovely weather",
    "the weather",
    "so hot",
    "so cold",
    "raining",
    "sunny",
    "snowing",
    "thank you",
    "thanks",
    "no worries",
    "you are welcome",
    "sounds good",
    "sounds great",
    "congratulations",
    "congrats",
    "haha",
    "lol",
    "miss you",
    "hope you",
    "did you see the game",
    "watch the match",
    "coffee",
    "weekend",
    "hungry",
    "tired today",
    "slept",
    "wie geht",
    "guten morgen",
    "schönes wochenende",
    "danke",
    "qué tal",
    "buenos días",
    "gracias",
    "ça va",
    "bonne journée",
    "merci",
    "tudo bem",
    "bom dia",
    "obrigad",
];

/// The stems of content in the turn at `index`: those that could name a subject.
pub(super) fn stems(document: &Document<'_>, index: usize) -> Vec<String> {
    let range = document.of_turn.get(index).cloned().unwrap_or(0..0);
    document.sentences.get(range).into_iter().flatten().flat_map(content).collect()
}

/// The stems of content in a sentence.
pub(super) fn content(sentence: &Sentence<'_>) -> Vec<String> {
    sentence
        .tokens
        .iter()
        .filter(|token| {
            token.is_word
                && !token.is_tail
                && token.word.chars().any(char::is_alphabetic)
                && token.word.chars().count() > 1
                && !is_stop_word(&token.word)
                && !is_vague_noun(&token.word)
                && !FILLER.contains(&token.word.as_str())
                && !sentence.foreign.iter().any(|range| range.contains(&token.bytes.start))
        })
        .map(|token| stem(&token.word))
        .collect()
}

/// Stems as people read them: each in the form that these texts have it in most often, of equals the first in the alphabet. What no
/// text has is left out.
pub fn as_said<'t>(stems: &[String], texts: impl IntoIterator<Item = &'t str>) -> Vec<String> {
    let mut forms: BTreeMap<&str, BTreeMap<String, u32>> = stems.iter().map(|stem| (stem.as_str(), BTreeMap::new())).collect();
    for text in texts {
        for word in text.unicode_words().map(str::to_lowercase) {
            if let Some(forms) = forms.get_mut(stem(&word).as_str()) {
                *forms.entry(word).or_default() += 1;
            }
        }
    }
    let most = |forms: &BTreeMap<String, u32>| {
        forms.iter().max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.cmp(a.0))).map(|(form, _)| form.clone())
    };
    stems.iter().filter_map(|stem| forms.get(stem.as_str()).and_then(most)).collect()
}

/// Verbs that say nothing of what is spoken about.
const FILLER: &[&str] = &[
    "go",
    "going",
    "goes",
    "went",
    "gone",
    "get",
    "gets",
    "getting",
    "got",
    "make",
    "makes",
    "making",
    "made",
    "take",
    "takes",
    "taking",
    "took",
    "come",
    "comes",
    "coming",
    "came",
    "see",
    "seen",
    "saw",
    "say",
    "says",
    "said",
    "tell",
    "told",
    "know",
    "knows",
    "knew",
    "think",
    "thinking",
    "thought",
    "want",
    "wants",
    "wanted",
    "need",
    "needs",
    "needed",
    "look",
    "looking",
    "looks",
    "looked",
    "let",
    "put",
    "keep",
    "give",
    "gave",
    "find",
    "found",
    "try",
    "trying",
    "tried",
    "use",
    "using",
    "used",
    "feel",
    "feels",
    "felt",
    "seem",
    "seems",
    "guess",
    "hope",
    "hear",
    "heard",
    "ask",
    "asked",
    "send",
    "sent",
    "call",
    "called",
    "talk",
    "talked",
    "love",
    "loved",
    "mean",
    "means",
    "work",
    "works",
    "worked",
    "start",
    "started",
    "happen",
    "happened",
    "show",
    "showed",
    "bring",
    "brought",
    "wait",
    "waiting",
    "leave",
    "left",
    "turn",
    "turned",
    "turns",
    "stay",
    "set",
    "run",
    "agree",
    "agreed",
    "sound",
    "sounds",
    "remember",
    "believe",
    "wonder",
    "haha",
    "hahaha",
    "weekend",
    "coffee",
    "weather",
    "lunch",
    "dinner",
    "breakfast",
    "luck",
    "joke",
    "fun",
    "plan",
    "plans",
    "check",
    "decide",
    "decided",
    "change",
    "changed",
    "stop",
    "help",
    "sort",
    "minute",
    "enough",
    "today's",
    "euro",
    "euros",
    "dollar",
    "dollars",
    "pound",
    "pounds",
    "cost",
    "costs",
    "price",
    "prices",
    "expensive",
    "cheap",
    "cheaper",
    "percent",
    "open",
    "drop",
    "dropped",
    "arrive",
    "arrives",
    "arrived",
    "home",
    "twenty",
    "thirty",
    "fifteen",
    "forty",
    "yearly",
    "spring",
    "summer",
    "autumn",
    "winter",
    "hour",
    "build",
    "fixed",
    "fix",
    "test",
    "tested",
    "perfect",
    "idea",
    "asked",
    "agree",
    "buy",
    "bought",
    "pay",
    "paid",
    "free",
];

/// What the turn at `index` is; `found` are its stems.
pub(super) fn weigh(document: &Document<'_>, index: usize, found: &[String]) -> Weight {
    let range = document.of_turn.get(index).cloned().unwrap_or(0..0);
    let sentences = document.sentences.get(range).unwrap_or(&[]);
    let words: usize = sentences.iter().map(|sentence| sentence.words()).sum();
    let joined = sentences.iter().flat_map(|sentence| &sentence.tokens).fold(String::from(" "), |mut joined, token| {
        joined.push_str(match token.word.as_str() {
            "'s" => "is",
            word => word,
        });
        joined.push(' ');
        joined
    });
    let says = |cues: &[&str]| cues.iter().any(|cue| joined.contains(&format!(" {cue}")));
    let mut different: Vec<&String> = found.iter().collect();
    different.sort();
    different.dedup();
    if words <= LIGHT_WORDS_MAX && says(ARRANGING) && different.len() <= CONTENT_WORDS_MIN + 1 {
        return Weight::Arranges;
    }
    if different.len() < CONTENT_WORDS_MIN || words <= LIGHT_WORDS_MAX && says(LIGHT) && different.len() <= CONTENT_WORDS_MIN + 1
    {
        return Weight::Light;
    }
    Weight::Carries
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Turn;
    use keepsake_domain::{MessageType, Role, Timestamp};

    fn check(text: &str, expect: Weight) {
        let turns = [Turn {
            id: "1",
            role: Role::Person,
            author: "Ana",
            text,
            time: Timestamp(1),
            message_type: MessageType::Text,
            is_branch: false,
        }];
        let document = Document::read(&turns);
        assert_eq!(weigh(&document, 0, &stems(&document, 0)), expect, "{text:?}");
    }

    #[test]
    fn stems_are_read_as_they_were_said() {
        let texts = ["The pumps lose pressure.", "Pressure again, and the pump hums", "pumps"];
        let stems = ["pressur".to_owned(), "pressure".to_owned(), "pump".to_owned()];
        assert!(stems.contains(&stem("pressure")), "the fixture has to hold the stem itself");
        let said = as_said(&stems, texts);
        assert_eq!(said, ["pressure", "pumps"], "the form said most often; what no text has is left out");
    }

    #[test]
    fn what_carries_a_subject_is_told_from_courtesies_and_arrangements() {
        check("The plumber says the boiler pressure drops because the valve leaks.", Weight::Carries);
        check("I compared three insurance quotes for the van and the second is cheapest.", Weight::Carries);
        check("Good morning! How are you?", Weight::Light);
        check("haha yes, thanks so much!", Weight::Light);
        check("ok", Weight::Light);
        check("See you at the station at six?", Weight::Arranges);
        check("Running late, be there in ten minutes", Weight::Arranges);
        check("Lovely weather today, finally sunny!", Weight::Light);
    }
}
