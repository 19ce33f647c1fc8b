//! The six defensive filters of seed 004 for the finished wording of statements. There is one exception
//! (docs/sources.md#design-decisions): an explicit first-person statement about one's own age or gender passes. They are
//! applied to text that a model wrote; the reader writes no text of its own.

use keepsake_domain::{Candidate, Gate};

use keepsake_text::{is_stop_word, words};

use crate::Conversation;

/// Actions within the conversation, which are not facts about a person (filter 1).
const CONVERSATION_ACTIONS: &[&str] = &[
    "greeted", "said hello", "said hi", "initiated", "responded", "asked", "requested", "thanked", "confirmed", "agreed",
    "disagreed", "inquired", "wants to know", "is asking", "is talking to", "mentioned that the assistant", "is chatting",
];
/// Statements about the assistant (filter 2).
const ASSISTANT_PATTERNS: &[&str] =
    &["assistant is", "assistant's", "assistant has", "assistant can", "character is", "character's", "character has"];
/// Instructions mistaken for facts (filter 3).
const PROMPT_LEAKS: &[&str] =
    &["is uncensored", "is unrestricted", "is a helpful", "is truthful", "is unbiased", "is designed to", "follows instructions"];
/// Gender, age and race (filter 4).
const DEMOGRAPHICS: &[&str] =
    &["is male", "is female", "is a man", "is a woman", "years old", "age is", "ethnicity is", "race is"];
/// Statements that say something is unknown (filter 5).
const UNKNOWNS: &[&str] =
    &["unknown", "not mentioned", "not specified", "not stated", "unspecified", "did not say", "not provided"];

/// Passes the candidate, or returns the filter that rejects it and the reason.
pub fn check(candidate: &Candidate, conversation: &Conversation<'_>) -> Result<(), (Gate, String)> {
    let content = candidate.content.to_lowercase();
    let label = candidate.subject.label().to_lowercase();
    let Some(predicate) = content.strip_prefix(&label) else {
        return Err((Gate::NotAboutSubject, "The statement does not start with the person it should be about.".to_owned()));
    };
    let predicate = predicate.trim_start_matches("'s").trim_start_matches(['\'', ':']).trim_start();
    if let Some(action) = CONVERSATION_ACTIONS.iter().find(|action| predicate.starts_with(**action)) {
        return Err((
            Gate::ConversationAction,
            format!("\"{action}\" describes what happened in the conversation, not the person."),
        ));
    }
    if ASSISTANT_PATTERNS.iter().any(|pattern| content.contains(pattern)) {
        return Err((Gate::AssistantFact, "The statement is about the assistant.".to_owned()));
    }
    if let Some(leak) = PROMPT_LEAKS.iter().find(|leak| predicate.starts_with(**leak)) {
        return Err((Gate::SystemPromptLeak, format!("\"{leak}\" is typical of instructions to a model.")));
    }
    if UNKNOWNS.iter().any(|unknown| content.contains(unknown)) {
        return Err((Gate::UnknownInformation, "The statement only says that something is unknown.".to_owned()));
    }
    if DEMOGRAPHICS.iter().any(|guess| content.contains(guess)) && !is_said_outright(candidate, conversation) {
        return Err((
            Gate::DemographicGuess,
            "Age, gender or origin is stored only if people state it about themselves in the first person.".to_owned(),
        ));
    }
    Ok(())
}

/// True if the cited words contain the content of the statement: its numbers or, if it has no numbers, one of its content
/// words.
fn is_said_outright(candidate: &Candidate, conversation: &Conversation<'_>) -> bool {
    let told = |text: &str| -> Vec<String> { words(text).into_iter().map(|word| word.plain).collect() };
    let said: Vec<String> = candidate
        .evidence
        .iter()
        .filter_map(|place| place.span.quote(conversation.turns.get(place.message)?.text).ok())
        .flat_map(told)
        .collect();
    let label = told(candidate.subject.label());
    let stated = told(&candidate.content);
    let is_number = |word: &&String| word.chars().all(|c| c.is_ascii_digit());
    let mut numbers = stated.iter().filter(is_number).peekable();
    if numbers.peek().is_some() {
        return numbers.all(|number| said.contains(number));
    }
    stated.iter().any(|word| !is_stop_word(word) && !label.contains(word) && said.contains(word))
}
