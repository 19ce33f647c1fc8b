//! Stories: a narrative from the owner's past, at least three sentences long, that mattered to them.
//!
//! The statement keeps where the story begins and the sentence that carries most feeling; the evidence is the whole.

use std::ops::Range;

use keepsake_domain::{Category, Confidence, Durability, Gate};

use super::clause::word;
use super::rewrite::third_person;
use super::{Draft, Reading};
use crate::text::Sentence;

/// Shorter is an experience and no story.
const SENTENCES_MIN: usize = 3;

/// The feeling a story must carry, on the scale of the mood lexicon: one strong word or two plain ones.
const FEELING_MIN: f32 = 1.0;

/// A sentence longer than this is not retold.
const RETOLD_CHARS_MAX: usize = 240;

/// Finds the owner's stories.
pub(super) fn find(reading: &mut Reading<'_, '_>) {
    let sentences: Vec<(usize, &Sentence<'_>)> = reading.own_sentences().collect();
    let mut start = 0;
    while start < sentences.len() {
        let mut end = start;
        while end < sentences.len()
            && is_past(sentences[end].1)
            && (end == start || follows(reading, sentences[end - 1].1, sentences[end].1))
        {
            end += 1;
        }
        if end - start >= SENTENCES_MIN {
            tell(reading, &sentences[start..end]);
        }
        start = end.max(start + 1);
    }
}

/// In the same message, or in the owner's next one with at most a word of encouragement between.
fn follows(reading: &Reading<'_, '_>, before: &Sentence<'_>, after: &Sentence<'_>) -> bool {
    const ENCOURAGEMENT_CHARS_MAX: usize = 40;
    let between = || reading.document.turns.get(before.turn + 1..after.turn).unwrap_or(&[]).iter();
    before.turn == after.turn || between().all(|turn| !turn.is_plain() || turn.text.chars().count() <= ENCOURAGEMENT_CHARS_MAX)
}

fn is_past(sentence: &Sentence<'_>) -> bool {
    let words = || sentence.tokens.iter().map(|token| token.word.as_str());
    let past = words().filter(|word| is_past_form(word)).count();
    let present = words()
        .filter(|word| matches!(*word, "am" | "is" | "are" | "will" | "want" | "need" | "think" | "know" | "please" | "can"))
        .count();
    past > 0 && past >= present && !sentence.is_question
}

fn is_past_form(word: &str) -> bool {
    const IRREGULAR: &[&str] = &[
        "was", "were", "had", "did", "went", "felt", "thought", "told", "came", "took", "got", "saw", "knew", "lost", "left",
        "found", "said", "sat", "held", "heard", "kept", "began", "made", "gave", "ran", "fell", "broke", "became", "stood",
        "grew", "taught", "brought", "drove", "woke", "slept", "spent", "met", "won", "built", "wrote", "spoke", "hid", "stuck",
        "cried", "died", "led", "fought", "caught", "bought", "swam", "sang", "rode", "wore", "flew",
    ];
    IRREGULAR.contains(&word)
        || word.len() > 4
            && word.ends_with("ed")
            && !matches!(word, "need" | "indeed" | "speed" | "exceed" | "proceed" | "hundred")
}

fn tell(reading: &mut Reading<'_, '_>, block: &[(usize, &Sentence<'_>)]) {
    let about_self = block
        .iter()
        .filter(|(_, s)| s.tokens.iter().any(|t| matches!(t.word.as_str(), "i" | "me" | "my" | "we" | "our" | "us")))
        .count();
    let Some(begins) = block.iter().position(|(_, sentence)| is_anchored(sentence)) else { return };
    let block = &block[begins..];
    let feeling: f32 = block.iter().map(|(index, sentence)| reading.moods.strength(*index) + gravity(sentence)).sum();
    if block.len() < SENTENCES_MIN || about_self < 2 || feeling < FEELING_MIN {
        return;
    }
    let Some((_, first)) = block.first().copied() else { return };
    for (_, sentence) in block {
        if !reading.may(sentence, 0..sentence.tokens.len()) {
            return;
        }
    }
    let Some(opening) = retold(reading, first, true) else {
        reading.stop(Gate::Vague, "The story leans on the listener or on words before it and cannot be retold truly.", first);
        return;
    };
    let by_feeling = |(index, sentence): &(usize, &Sentence<'_>)| reading.moods.strength(*index) + gravity(sentence);
    let mut rest: Vec<&(usize, &Sentence<'_>)> = block.iter().skip(1).collect();
    rest.sort_by(|a, b| by_feeling(b).total_cmp(&by_feeling(a)).then(a.0.cmp(&b.0)));
    let peak =
        rest.iter().take(2).filter(|entry| by_feeling(entry) > 0.0).find_map(|(_, sentence)| retold(reading, sentence, false));
    let content = match peak {
        Some(peak) => format!("User remembers that {opening}. {peak}."),
        None => format!("User remembers that {opening}"),
    };
    let childhood = block.iter().any(|(_, s)| {
        ["growing up", "as a kid", "as a child", "when i was little", "childhood"]
            .iter()
            .any(|cue| s.text.to_lowercase().contains(cue))
    });
    let mut evidence: Vec<(usize, Range<usize>)> = Vec::new();
    for (_, sentence) in block {
        match evidence.last_mut() {
            Some((turn, range)) if *turn == sentence.turn => range.end = sentence.bytes.end,
            _ => evidence.push((sentence.turn, sentence.bytes.clone())),
        }
    }
    reading.drafts.push(Draft {
        category: Category::Story,
        content,
        confidence: Confidence::IMPLIED,
        durability: if childhood { Durability::Identity } else { Durability::LongTerm },
        reasoning: format!("The person tells it over {} sentences, and with feeling.", block.len()),
        evidence,
        weight: 2.5 + feeling.min(4.0) * 0.3,
    });
}

/// "When I was nine", "years ago", "in 2014", "one night": it has a place in the past.
fn is_anchored(sentence: &Sentence<'_>) -> bool {
    const CUES: &[&str] = &[
        "when i was",
        "when we were",
        "years ago",
        "as a kid",
        "as a child",
        "growing up",
        "one day",
        "one night",
        "back in",
        "that night",
        "back when",
        "years back",
        "my childhood",
        "last summer",
        "last winter",
        "last year",
        "the day my",
        "the night my",
        "the year my",
        "in high school",
        "in college",
        "at university",
        "months ago",
    ];
    let lower = sentence.text.to_lowercase();
    let dated = (0..sentence.tokens.len()).any(|at| {
        let year = word(&sentence.tokens, at + 1);
        word(&sentence.tokens, at) == "in"
            && year.len() == 4
            && (year.starts_with("19") || year.starts_with("20"))
            && year.bytes().all(|b| b.is_ascii_digit())
    });
    dated || CUES.iter().any(|cue| lower.contains(cue))
}

/// Words that weigh without naming a feeling.
fn gravity(sentence: &Sentence<'_>) -> f32 {
    let heavy = |word: &str| {
        matches!(
            word,
            "funeral"
                | "hospital"
                | "cancer"
                | "accident"
                | "buried"
                | "born"
                | "wedding"
                | "divorce"
                | "divorced"
                | "coffin"
                | "ambulance"
                | "drowned"
                | "rescued"
                | "homeless"
                | "bankrupt"
                | "refugee"
                | "war"
                | "fired"
                | "bullied"
                | "abandoned"
                | "forgave"
                | "promised"
                | "hugged"
                | "wept"
                | "laughed"
        )
    };
    sentence.tokens.iter().filter(|token| heavy(&token.word)).count() as f32 * 0.7
}

/// A sentence in the third person; after "that" when it opens the statement.
fn retold(reading: &Reading<'_, '_>, sentence: &Sentence<'_>, opens: bool) -> Option<String> {
    let tokens = &sentence.tokens;
    let start = tokens.iter().position(|t| {
        t.is_word && !matches!(t.word.as_str(), "and" | "but" | "so" | "well" | "then" | "anyway" | "oh" | "yeah" | "honestly")
    })?;
    let leans = matches!(word(tokens, start), "it" | "that" | "this" | "he" | "she" | "they" | "these" | "those" | "which");
    let told_by_owner = tokens.iter().any(|token| matches!(token.word.as_str(), "i" | "my" | "me" | "we" | "our"));
    if opens && leans || sentence.bytes.len() > RETOLD_CHARS_MAX || !told_by_owner || !sentence.foreign.is_empty() {
        return None;
    }
    let told = third_person(sentence, start..tokens.len(), reading.time(sentence.turn))?;
    let first = told.chars().next()?;
    // A name keeps its capital; "When" and "My" lose theirs after "that".
    let first_is_name = tokens[start].is_capitalised() && start > 0 || !crate::text::is_stop_word(&tokens[start].word);
    if opens && !first_is_name {
        return Some(first.to_lowercase().chain(told.chars().skip(1)).collect());
    }
    Some(if opens { told } else { first.to_uppercase().chain(told.chars().skip(1)).collect() })
}
