//! What forbids a conclusion even though the words are there: questions, hypotheses, fiction, quotations, irony,
//! instructions to a machine, and words that were taken back.

use std::ops::Range;

use keepsake_domain::{Gate, Role};

use super::clause::word;
use crate::text::{Document, Sentence};

/// Turns whose words are no statements about the owner, and why.
pub(in crate::analysis) struct Guards {
    by_turn: Vec<Option<(Gate, &'static str)>>,
}

impl Guards {
    /// Reads the conversation for play, injections and retractions.
    pub(in crate::analysis) fn read(document: &Document<'_>) -> Self {
        let mut by_turn: Vec<Option<(Gate, &'static str)>> = vec![None; document.turns.len()];
        let mut in_play = false;
        let mut last_owner: Option<usize> = None;
        for index in document.plain.iter().copied() {
            let Some(turn) = document.turns.get(index) else { continue };
            if turn.role == Role::Assistant {
                continue;
            }
            let lower = clipped_lower(turn.text);
            if says(&lower, PLAY_ENDS) {
                in_play = false;
            } else if says(&lower, PLAY_BEGINS) || turn.text.trim_start().starts_with('*') && turn.text.trim_end().ends_with('*')
            {
                in_play = true;
            }
            if turn.role != Role::Owner {
                continue;
            }
            let reason = if in_play {
                Some((Gate::RolePlay, "It was said in a role-play or a story, not about the person."))
            } else if says(&lower, FICTION) {
                Some((Gate::RolePlay, "The message asks for or tells an invented text."))
            } else if reads_like_instruction(turn.text) {
                Some((Gate::InstructionLike, "The message reads like an instruction to a machine."))
            } else if says(&lower, DREAM) {
                Some((Gate::Hypothetical, "The message tells a dream."))
            } else {
                None
            };
            if let Some(slot) = by_turn.get_mut(index) {
                *slot = reason;
            }
            if says(&lower, RETRACTS) {
                let taken_back = Some((Gate::Retracted, "The person took these words back afterwards."));
                for at in [last_owner, Some(index)].into_iter().flatten() {
                    if let Some(slot) = by_turn.get_mut(at) {
                        *slot = taken_back;
                    }
                }
            }
            last_owner = Some(index);
        }
        Self { by_turn }
    }

    /// Whether the words of turn `index` were taken back.
    pub(in crate::analysis) fn is_retracted(&self, index: usize) -> bool {
        matches!(self.by_turn.get(index), Some(Some((Gate::Retracted, _))))
    }

    /// Why the tokens `range` of `sentence` may not be concluded from, if so.
    pub(super) fn stop(&self, sentence: &Sentence<'_>, range: Range<usize>) -> Option<(Gate, &'static str)> {
        if let Some(reason) = self.by_turn.get(sentence.turn).copied().flatten() {
            return Some(reason);
        }
        let tokens = &sentence.tokens;
        if sentence.is_question {
            return Some((Gate::QuestionOrRequest, "A question says nothing about the person."));
        }
        let bytes = tokens.get(range.start).map_or(0, |token| token.bytes.start)
            ..tokens.get(range.end.max(1) - 1).map_or(0, |token| token.bytes.end);
        if sentence.foreign.iter().any(|foreign| foreign.start < bytes.end && bytes.start < foreign.end) {
            return Some((Gate::QuotedText, "The words stand in a quotation or in code."));
        }
        for at in 0..range.start {
            let (this, next) = (word(tokens, at), word(tokens, at + 1));
            let reports = matches!(
                this,
                "said"
                    | "says"
                    | "told"
                    | "tells"
                    | "wrote"
                    | "writes"
                    | "texted"
                    | "claimed"
                    | "claims"
                    | "thinks"
                    | "believes"
                    | "assumed"
                    | "asked"
                    | "replied"
                    | "insists"
                    | "announced"
                    | "heard"
                    | "quote"
                    | "suggested"
                    | "reckons"
            );
            // "I told you I moved" is the owner's own report; "he told me I moved" is not.
            let by_owner = at > 0 && word(tokens, at - 1) == "i" || word(tokens, at.saturating_sub(2)) == "i";
            if reports && !by_owner {
                return Some((Gate::QuotedText, "The sentence reports somebody else's words."));
            }
            if this == "not" && matches!(next, "that" | "like" | "because") {
                return Some((Gate::Hypothetical, "The sentence denies it."));
            }
        }
        for at in 0..tokens.len().min(range.end + 2) {
            let (this, next) = (word(tokens, at), word(tokens, at + 1));
            let supposes = matches!(
                this,
                "if" | "would"
                    | "imagine"
                    | "suppose"
                    | "supposing"
                    | "wish"
                    | "wished"
                    | "hypothetically"
                    | "pretend"
                    | "pretending"
                    | "unless"
                    | "might"
                    | "maybe"
                    | "perhaps"
                    | "probably"
                    | "almost"
                    | "nearly"
                    | "dreamed"
                    | "dreamt"
                    | "assuming"
                    | "could"
                    | "should"
                    | "wonder"
                    | "whether"
                    | "thought"
                    | "considering"
            );
            let thinking = matches!(
                (this, next),
                ("thinking", "about" | "of") | ("what", "if") | ("as", "though") | ("feels" | "felt" | "feel", "like")
            );
            if supposes || thinking {
                return Some((Gate::Hypothetical, "The sentence supposes, doubts or wishes."));
            }
        }
        let lower = sentence.text.to_lowercase();
        if says(&lower, IRONY) || lower.ends_with("/s") {
            return Some((Gate::Irony, "The sentence seems to be meant otherwise."));
        }
        None
    }
}

/// Whether a text gives orders to a machine about memory, roles or instructions.
pub(crate) fn reads_like_instruction(text: &str) -> bool {
    says(&clipped_lower(text), INSTRUCTS)
}

/// The beginning of a message is enough to know its kind, and keeps long messages cheap.
const HEAD_CHARS_MAX: usize = 4_000;

fn clipped_lower(text: &str) -> String {
    text.chars().take(HEAD_CHARS_MAX).flat_map(char::to_lowercase).map(|c| if c == '’' { '\'' } else { c }).collect()
}

/// Whether one of `cues` stands in `text` at the border of a word.
fn says(text: &str, cues: &[&str]) -> bool {
    cues.iter().any(|cue| {
        text.match_indices(cue).any(|(at, _)| {
            let before = text.get(..at).and_then(|head| head.chars().next_back());
            let after = text.get(at + cue.len()..).and_then(|tail| tail.chars().next());
            !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
        })
    })
}

const PLAY_BEGINS: &[&str] = &[
    "role-play",
    "roleplay",
    "role play",
    "let's play",
    "let's pretend",
    "mock interview",
    "you be the",
    "practise interview",
    "i'll be the",
    "pretend you are",
    "pretend you're",
    "pretend to be",
    "pretend i am",
    "pretend i'm",
    "you are the dungeon master",
    "you're the dungeon master",
    "be my dungeon master",
    "act as",
    "in character",
    "i'll play",
    "i will play the",
    "interactive story",
    "text adventure",
    "rollenspiel",
    "juego de rol",
    "jeu de rôle",
];
const PLAY_ENDS: &[&str] = &[
    "out of character",
    "ooc",
    "end of role-play",
    "end roleplay",
    "end the roleplay",
    "stop the roleplay",
    "stop role-playing",
    "stop roleplaying",
    "end of story",
    "exit the game",
];
const FICTION: &[&str] = &[
    "write a story",
    "write me a story",
    "write a poem",
    "write a monologue",
    "write a scene",
    "write a diary entry",
    "short story about",
    "once upon a time",
    "chapter one",
    "chapter 1",
    "my character",
    "the protagonist",
    "the narrator",
    "in the voice of",
    "from the perspective of",
    "from the point of view of",
    "fictional",
    "song lyrics",
    "opening line",
    "opening paragraph",
    "here's a scene",
    "monologue",
];
const DREAM: &[&str] =
    &["i had a dream", "i dreamed", "i dreamt", "in my dream", "in the dream", "nightmare where", "dream where", "dream that"];
const RETRACTS: &[&str] = &[
    "just kidding",
    "i was kidding",
    "i was joking",
    "i'm joking",
    "only joking",
    "i made that up",
    "scratch that",
    "ignore what i said",
    "that was a joke",
    "that was a lie",
    "that's not true actually",
    "jk",
    "not really, i made",
    "forget i said",
];
const INSTRUCTS: &[&str] = &[
    "ignore previous instructions",
    "ignore all previous",
    "ignore the above",
    "disregard previous",
    "disregard the above",
    "disregard all",
    "system prompt",
    "remember that the user",
    "save to memory",
    "store in memory",
    "add to memory",
    "update your memory",
    "you must remember",
    "you are now in",
    "note that the user",
    "from now on you",
    "new instructions",
    "do not tell the user",
    "as an ai",
];
const IRONY: &[&str] = &[
    "yeah right",
    "yeah, right",
    "oh sure",
    "oh great",
    "oh yes",
    "oh joy",
    "sure, because",
    "just what i needed",
    "lucky me",
    "living the dream",
];
