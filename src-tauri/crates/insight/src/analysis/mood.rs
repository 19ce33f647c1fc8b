//! How a conversation felt: its tone over all and its emotional arc.
//!
//! Read from people's words only; an assistant's cheer is not the conversation's. Where the words are weak, the answer
//! is neutral: a wrong mood is worse than none.

use keepsake_domain::{CandidateEvidence, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lexicon;
use crate::text::{Document, Sentence};

/// A mood that words can show. `mixed` is only ever said of a whole conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mood {
    /// Glad, delighted.
    Joyful,
    /// Looks forward.
    Excited,
    /// Thanks in earnest.
    Grateful,
    /// Warm towards somebody.
    Affectionate,
    /// Hopes.
    Hopeful,
    /// Proud of something or somebody.
    Proud,
    /// A worry is over.
    Relieved,
    /// Laughs.
    Amused,
    /// No mood that the words would show.
    Neutral,
    /// Afraid, anxious, under pressure.
    Worried,
    /// Annoyed or disappointed.
    Frustrated,
    /// Angry.
    Angry,
    /// Sad, grieving, lonely.
    Sad,
    /// Exhausted, overwhelmed.
    Tired,
    /// Pleasant and unpleasant balance.
    Mixed,
}

impl Mood {
    /// Every mood, pleasant ones first.
    pub const ALL: &'static [Self] = &[
        Self::Joyful,
        Self::Excited,
        Self::Grateful,
        Self::Affectionate,
        Self::Hopeful,
        Self::Proud,
        Self::Relieved,
        Self::Amused,
        Self::Neutral,
        Self::Worried,
        Self::Frustrated,
        Self::Angry,
        Self::Sad,
        Self::Tired,
        Self::Mixed,
    ];

    /// The stable name, which is also a plain adjective.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Joyful => "joyful",
            Self::Excited => "excited",
            Self::Grateful => "grateful",
            Self::Affectionate => "affectionate",
            Self::Hopeful => "hopeful",
            Self::Proud => "proud",
            Self::Relieved => "relieved",
            Self::Amused => "amused",
            Self::Neutral => "neutral",
            Self::Worried => "worried",
            Self::Frustrated => "frustrated",
            Self::Angry => "angry",
            Self::Sad => "sad",
            Self::Tired => "tired",
            Self::Mixed => "mixed",
        }
    }

    const fn is_pleasant(self) -> bool {
        (self as u8) < Self::Neutral as u8
    }
}

/// How a conversation felt over all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tone {
    /// The prevailing mood; neutral where words are weak, mixed where pleasant and unpleasant balance.
    pub mood: Mood,
    /// The same for a reader, for example "worried, with some hope".
    pub text: String,
    /// The sentences that show it most, at most three, in order of the conversation; none for neutral.
    pub evidence: Vec<CandidateEvidence>,
}

/// Where in the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The first third.
    Start,
    /// The second.
    Middle,
    /// The last.
    End,
}

/// The mood of one stage and the turn it rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArcPoint {
    /// Which stage.
    pub stage: Stage,
    /// Its strongest mood; neutral where words are weak.
    pub mood: Mood,
    /// Index of the turn that shows it most, or of the stage's first turn where it is neutral.
    pub turn: usize,
}

/// More sentences do not make a tone clearer.
const TONE_EVIDENCE_MAX: usize = 3;

/// A whole conversation has a mood when its prevailing charge reaches this: one plain statement of a feeling.
const TONE_CHARGE_MIN: f32 = 1.0;

/// Charge per sentence that a tone needs besides, so that one "annoying" does not colour forty practical sentences.
const TONE_CHARGE_PER_SENTENCE_MIN: f32 = 0.06;

/// A stage is shorter, so less will do; courtesies (0.3) still will not.
const STAGE_CHARGE_MIN: f32 = 0.55;

/// The weaker side's share of the stronger from which a conversation is mixed.
const MIXED_SHARE_MIN: f32 = 0.7;

/// The second mood's share of the first from which it is worth naming.
const SECOND_MOOD_SHARE_MIN: f32 = 0.35;

/// One turn, however exclamatory, speaks for itself alone.
const TURN_CHARGE_MAX: f32 = 4.0;

/// Other people colour the conversation a little less than the owner does.
const PERSON_WEIGHT: f32 = 0.7;

/// How far before a mood word a negation or an intensifier still belongs to it, in words.
const REACH_WORDS: usize = 3;

/// The charge of each sentence of a document, in its order; no entry for moods it does not show.
pub(super) struct Moods {
    by_sentence: Vec<Vec<(Mood, f32)>>,
}

/// Reads the moods of every sentence that a person said.
pub(super) fn read(document: &Document<'_>) -> Moods {
    let charges = |sentence: &Sentence<'_>| if sentence.role == Role::Assistant { Vec::new() } else { charges(sentence) };
    Moods { by_sentence: document.sentences.iter().map(charges).collect() }
}

fn charges(sentence: &Sentence<'_>) -> Vec<(Mood, f32)> {
    let tokens = &sentence.tokens;
    let word = |at: usize| tokens.get(at).map_or("", |token| token.word.as_str());
    let about_self = tokens.iter().any(|token| {
        matches!(
            token.word.as_str(),
            "i" | "me"
                | "my"
                | "we"
                | "our"
                | "us"
                | "ich"
                | "mir"
                | "mich"
                | "mein"
                | "meine"
                | "wir"
                | "je"
                | "j'ai"
                | "mon"
                | "ma"
                | "estoy"
                | "mi"
                | "estou"
                | "eu"
                | "minha"
                | "meu"
        )
    });
    let mut found: Vec<(Mood, f32)> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if sentence.foreign.iter().any(|range| range.contains(&token.bytes.start)) || is_courtesy(tokens.as_slice(), at) {
            continue;
        }
        let Some((mut mood, mut weight)) = charge_at(tokens.as_slice(), at) else { continue };
        let before = (at.saturating_sub(REACH_WORDS)..at).rev().take_while(|i| tokens.get(*i).is_some_and(|t| !t.is_break()));
        let mut is_negated = false;
        for i in before {
            is_negated |= lexicon::negates(word(i));
            weight *= lexicon::intensity(word(i)).unwrap_or(1.0);
        }
        if word(at + 1) == "so" && word(at + 2) == "much" || word(at + 2) == "so" && word(at + 3) == "much" {
            weight *= 1.8;
        }
        if is_negated {
            if !mood.is_pleasant() {
                continue;
            }
            // "not happy with this" complains; "not hopeful" is no feeling that one could name.
            if mood != Mood::Joyful {
                continue;
            }
            mood = Mood::Frustrated;
            weight *= 0.8;
        }
        if sentence.is_question {
            weight *= 0.4;
        } else if !about_self && tokens.len() > 4 {
            weight *= 0.7;
        }
        match found.iter_mut().find(|(known, _)| *known == mood) {
            Some((_, sum)) => *sum += weight * 0.5,
            None => found.push((mood, weight)),
        }
    }
    if sentence.text.ends_with('!') {
        found.iter_mut().for_each(|(_, weight)| *weight *= 1.15);
    }
    found
}

fn charge_at(tokens: &[crate::text::Token<'_>], at: usize) -> Option<lexicon::Charge> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.word.as_str());
    match (word(at), word(at + 1), word(at + 2)) {
        ("passed", "away", _) => Some((Mood::Sad, 1.2)),
        ("fed", "up", _) | ("sick", "of", _) => Some((Mood::Frustrated, 1.2)),
        ("burned" | "burnt", "out", _) | ("worn", "out", _) => Some((Mood::Tired, 1.1)),
        ("looking", "forward", "to") | ("can", "not", "wait") => Some((Mood::Excited, 1.0)),
        ("let", "down", _) => Some((Mood::Frustrated, 0.9)),
        ("i", "love", "you") | ("love", "you", "") => Some((Mood::Affectionate, 1.2)),
        ("i" | "we", "love" | "loved", _) => Some((Mood::Joyful, 0.6)),
        ("miss" | "missed", "him" | "her" | "them" | "my", _) => Some((Mood::Sad, 1.0)),
        ("so" | "deeply" | "very", "sorry", "for" | "to" | "about") if word(at + 3) != "the" => Some((Mood::Sad, 0.8)),
        ("lost", "my", _) | ("lose", "my", _) => Some((Mood::Sad, 0.7)),
        _ => lexicon::charge(word(at)),
    }
}

/// Courtesies and set phrases that use a mood's word without the mood.
fn is_courtesy(tokens: &[crate::text::Token<'_>], at: usize) -> bool {
    let word = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or("", |token| token.word.as_str());
    let (before, next, after) = (word(at.checked_sub(1)), word(Some(at + 1)), word(Some(at + 2)));
    match word(Some(at)) {
        "happy" | "glad" => {
            matches!((next, after), ("to", _) | ("birthday" | "new" | "holidays" | "friday" | "monday" | "path", _))
        }
        "afraid" => {
            matches!(next, "that" | "we" | "i" | "it" | "not" | "the" | "this" | "so" | "there" | "your") && before != "so"
        }
        "hope" => matches!(next, "you" | "this" | "that" | "to" | "all" | "everyone"),
        "worry" => matches!(next, "about" | "") && before == "not" || before == "no",
        "appreciate" => matches!(next, "it" | "your" | "the"),
        "content" => {
            matches!(before, "the" | "of" | "this" | "page" | "our" | "your" | "my" | "some" | "more")
                || next.starts_with("creat")
        }
        "pressure" => matches!(before, "blood" | "air" | "tire" | "water" | "peer"),
        "stress" => matches!(next, "test" | "tests" | "testing" | "that"),
        "tears" => next == "down",
        _ => false,
    }
}

/// The mood over all.
pub(super) fn tone(document: &Document<'_>, moods: &Moods) -> Tone {
    let sentences = document.sentences.iter().filter(|sentence| sentence.role != Role::Assistant).count();
    let sums = sum(document, moods, &document.plain);
    let needed = TONE_CHARGE_MIN.max(TONE_CHARGE_PER_SENTENCE_MIN * sentences as f32);
    let ranked = ranked(&sums);
    let neutral = || Tone { mood: Mood::Neutral, text: "neutral and matter-of-fact".to_owned(), evidence: Vec::new() };
    let side = |pleasant: bool| sums.iter().filter(|(mood, _)| mood.is_pleasant() == pleasant).map(|(_, sum)| sum).sum::<f32>();
    let (pleasant, unpleasant) = (side(true), side(false));
    let (stronger, weaker) = (pleasant.max(unpleasant), pleasant.min(unpleasant));
    if stronger < needed {
        return neutral();
    }
    let of_side = |want: bool| ranked.iter().copied().find(|(mood, _)| mood.is_pleasant() == want);
    let (Some(first), other) = (of_side(pleasant >= unpleasant), of_side(pleasant < unpleasant)) else { return neutral() };
    if let Some(second) = other.filter(|_| weaker >= stronger * MIXED_SHARE_MIN && weaker >= needed) {
        let text = format!("mixed: {} and {}", first.0.name(), second.0.name());
        return Tone { mood: Mood::Mixed, text, evidence: tone_evidence(document, moods, &[first.0, second.0]) };
    }
    let second =
        ranked.iter().find(|(mood, sum)| *mood != first.0 && *sum >= first.1 * SECOND_MOOD_SHARE_MIN && *sum >= STAGE_CHARGE_MIN);
    let text = match second {
        Some((mood, _)) if mood.is_pleasant() == first.0.is_pleasant() => format!("{} and {}", first.0.name(), mood.name()),
        Some((mood, _)) => format!("mostly {}, at times {}", first.0.name(), mood.name()),
        None => first.0.name().to_owned(),
    };
    Tone { mood: first.0, text, evidence: tone_evidence(document, moods, &[first.0]) }
}

/// The mood at the start, in the middle and at the end.
pub(super) fn arc(document: &Document<'_>, moods: &Moods) -> Vec<ArcPoint> {
    let by_people: Vec<usize> = document
        .plain
        .iter()
        .copied()
        .filter(|turn| document.turns.get(*turn).is_some_and(|t| t.role != Role::Assistant))
        .collect();
    let turns = if by_people.is_empty() { &document.plain } else { &by_people };
    let n = turns.len();
    let stages: Vec<(Stage, &[usize])> = match n {
        0 => Vec::new(),
        1 => vec![(Stage::Start, turns)],
        2 => vec![(Stage::Start, &turns[..1]), (Stage::End, &turns[1..])],
        _ => vec![(Stage::Start, &turns[..n / 3]), (Stage::Middle, &turns[n / 3..n - n / 3]), (Stage::End, &turns[n - n / 3..])],
    };
    let point = |(stage, turns): (Stage, &[usize])| {
        let first = turns.first().copied()?;
        let sums = sum(document, moods, turns);
        let strongest = ranked(&sums).into_iter().next().filter(|(_, sum)| *sum >= STAGE_CHARGE_MIN);
        let Some((mood, _)) = strongest else { return Some(ArcPoint { stage, mood: Mood::Neutral, turn: first }) };
        let shows =
            |turn: usize| sum(document, moods, &[turn]).iter().find(|(known, _)| *known == mood).map_or(0.0, |(_, sum)| *sum);
        let turn = turns.iter().copied().fold((first, -1.0), |best, turn| {
            let shown = shows(turn);
            if shown > best.1 { (turn, shown) } else { best }
        });
        Some(ArcPoint { stage, mood, turn: turn.0 })
    };
    stages.into_iter().filter_map(point).collect()
}

/// Charge by mood over `turns`.
fn sum(document: &Document<'_>, moods: &Moods, turns: &[usize]) -> Vec<(Mood, f32)> {
    let mut sums: Vec<(Mood, f32)> = Vec::new();
    for turn in turns {
        let mut own: Vec<(Mood, f32)> = Vec::new();
        let Some(range) = document.of_turn.get(*turn) else { continue };
        let weight = if document.turns.get(*turn).is_some_and(|t| t.role == Role::Owner) { 1.0 } else { PERSON_WEIGHT };
        for (mood, charge) in range.clone().filter_map(|index| moods.by_sentence.get(index)).flatten() {
            add(&mut own, *mood, *charge * weight);
        }
        own.into_iter().for_each(|(mood, charge)| add(&mut sums, mood, charge.min(TURN_CHARGE_MAX)));
    }
    sums
}

fn add(sums: &mut Vec<(Mood, f32)>, mood: Mood, charge: f32) {
    match sums.iter_mut().find(|(known, _)| *known == mood) {
        Some((_, sum)) => *sum += charge,
        None => sums.push((mood, charge)),
    }
}

/// Strongest first; equal ones in the order of [`Mood`].
fn ranked(sums: &[(Mood, f32)]) -> Vec<(Mood, f32)> {
    let mut ranked = sums.to_vec();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    ranked
}

fn tone_evidence(document: &Document<'_>, moods: &Moods, of: &[Mood]) -> Vec<CandidateEvidence> {
    let shown = |index: usize| {
        moods
            .by_sentence
            .get(index)
            .map_or(0.0, |charges| charges.iter().filter(|(mood, _)| of.contains(mood)).map(|(_, w)| w).sum::<f32>())
    };
    let mut found: Vec<(usize, f32)> =
        (0..document.sentences.len()).map(|index| (index, shown(index))).filter(|(_, w)| *w > 0.0).collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    found.truncate(TONE_EVIDENCE_MAX);
    found.sort_by_key(|(index, _)| *index);
    let evidence = |(index, _): (usize, f32)| {
        let sentence = document.sentences.get(index)?;
        Some(CandidateEvidence { message: sentence.turn, span: document.span(sentence.turn, sentence.bytes.clone())? })
    };
    found.into_iter().filter_map(evidence).collect()
}
