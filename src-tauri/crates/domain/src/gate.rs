//! Gates: named checks that filter out candidates. The gate log shows a person what was filtered out and why.

use crate::Subject;
use crate::memory::CandidateEvidence;
use crate::memory::names;

names! {
    /// A gate that filtered out a candidate. The first six are seed 004's defensive filters.
    pub enum Gate {
        /// Describes the conversation itself, for example "User greeted" or "User asked".
        ConversationAction = "conversation_action",
        /// About the assistant, not about the person.
        AssistantFact = "assistant_fact",
        /// Extraction or system instructions that were mistaken for facts.
        SystemPromptLeak = "system_prompt_leak",
        /// A guess at gender, age or race. An explicit first-person statement with its span passes
        /// (docs/sources.md#design-decisions).
        DemographicGuess = "demographic_guess",
        /// States that something is unknown.
        UnknownInformation = "unknown_information",
        /// Does not describe the person given as its subject.
        NotAboutSubject = "not_about_subject",
        /// Text of the platform or a template, not said by a person.
        SystemText = "system_text",
        /// Someone else's words, quoted.
        QuotedText = "quoted_text",
        /// Pasted code, logs, documents or e-mail.
        PastedText = "pasted_text",
        /// Said in role-play, a game or a story.
        RolePlay = "role_play",
        /// Looks like an instruction to a machine: quarantined, never silently dropped.
        InstructionLike = "instruction_like",
        /// A question, request or command, which states nothing about the person.
        QuestionOrRequest = "question_or_request",
        /// Hypothetical: "if", "would", "imagine".
        Hypothetical = "hypothetical",
        /// Irony: not meant literally.
        Irony = "irony",
        /// True only on the day it was said.
        Ephemeral = "ephemeral",
        /// Withdrawn or corrected later in the same conversation.
        Retracted = "retracted",
        /// Too vague to reveal anything about the person.
        Vague = "vague",
        /// Confidence below the minimum.
        LowConfidence = "low_confidence",
        /// The span does not exist in the message, or another speaker said it.
        Ungrounded = "ungrounded",
        /// Malformed: empty, too long, or with boilerplate reasoning.
        Invalid = "invalid",
        /// Repeats text that Keepsake itself served.
        Echo = "echo",
        /// Repeats an existing memory.
        Duplicate = "duplicate",
        /// Repeats a statement that a person dismissed.
        Suppressed = "suppressed",
        /// Exceeds the maximum for one source.
        OverCap = "over_cap",
        /// Said by an unidentified speaker in a meeting.
        UnnamedVoice = "unnamed_voice",
        /// A judge found it not worth keeping.
        Judge = "judge",
        /// Contains a password, key, code or account number.
        Secret = "secret",
    }
}

/// A filtered-out candidate, recorded in the gate log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    /// The gate.
    pub gate: Gate,
    /// The person that the memory would have been about.
    pub subject: Subject,
    /// The statement that was filtered out, or the original sentence.
    pub content: String,
    /// The reason, as one sentence that a person can read.
    pub reason: String,
    /// The spans that the candidate came from.
    pub evidence: Vec<CandidateEvidence>,
}
