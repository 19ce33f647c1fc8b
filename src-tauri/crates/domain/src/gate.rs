//! Gates: the named checks that can filter out a candidate, so that a person can see what was filtered out and why.

use crate::Subject;
use crate::memory::CandidateEvidence;
use crate::memory::names;

names! {
    /// The gate that filtered out a candidate. The first six are seed 004's defensive filters.
    pub enum Gate {
        /// Describes the conversation: "User greeted", "User asked".
        ConversationAction = "conversation_action",
        /// About the assistant, not about the person.
        AssistantFact = "assistant_fact",
        /// Extraction or system instructions mistaken for facts.
        SystemPromptLeak = "system_prompt_leak",
        /// A guess at gender, age or race. An explicit first-person statement with its span passes
        /// (docs/sources.md#design-decisions).
        DemographicGuess = "demographic_guess",
        /// States that something is unknown.
        UnknownInformation = "unknown_information",
        /// Not about its subject.
        NotAboutSubject = "not_about_subject",
        /// Text of the platform or a template, not said by a person.
        SystemText = "system_text",
        /// Quoted words of somebody else.
        QuotedText = "quoted_text",
        /// Pasted code, logs, documents or e-mail.
        PastedText = "pasted_text",
        /// Said in role-play, a game or a story.
        RolePlay = "role_play",
        /// Looks like an instruction to a machine: quarantined, never silently dropped.
        InstructionLike = "instruction_like",
        /// A question, request or command, which states nothing about the person.
        QuestionOrRequest = "question_or_request",
        /// Hypothetical: if, would, imagine.
        Hypothetical = "hypothetical",
        /// Irony: not meant literally.
        Irony = "irony",
        /// No longer true after the day.
        Ephemeral = "ephemeral",
        /// Withdrawn or corrected later in the same conversation.
        Retracted = "retracted",
        /// Too vague to tell anything about the person.
        Vague = "vague",
        /// Confidence below the minimum.
        LowConfidence = "low_confidence",
        /// Its span is not in the message, or was said by another speaker.
        Ungrounded = "ungrounded",
        /// Malformed: empty, too long, or with boilerplate reasoning.
        Invalid = "invalid",
        /// Text that Keepsake itself served.
        Echo = "echo",
        /// Repeats an existing memory.
        Duplicate = "duplicate",
        /// A person dismissed the same statement before.
        Suppressed = "suppressed",
        /// Exceeds the maximum for one source.
        OverCap = "over_cap",
        /// Said by an unidentified speaker of a meeting.
        UnnamedVoice = "unnamed_voice",
        /// A judge found it not worth keeping.
        Judge = "judge",
        /// Contains a password, key, code or account number.
        Secret = "secret",
    }
}

/// A candidate that a gate filtered out, for the gate log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    /// The gate.
    pub gate: Gate,
    /// Whom it would have been about.
    pub subject: Subject,
    /// The statement it would have become, or the original sentence.
    pub content: String,
    /// The reason, in one sentence for a person.
    pub reason: String,
    /// Where it was said.
    pub evidence: Vec<CandidateEvidence>,
}
