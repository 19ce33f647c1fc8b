//! Gates: each place where a candidate can be stopped, by name, so that a person can ask what was stopped and why.

use crate::Subject;
use crate::memory::CandidateEvidence;
use crate::memory::names;

names! {
    /// Which gate stopped a candidate. The first six are seed 004's defensive filters.
    pub enum Gate {
        /// "User greeted", "User asked".
        ConversationAction = "conversation_action",
        /// About the assistant, not the person.
        AssistantFact = "assistant_fact",
        /// Extraction or system instructions taken for facts.
        SystemPromptLeak = "system_prompt_leak",
        /// A guess at gender, age, race; an explicit first-person statement with its span passes (DESIGN 5).
        DemographicGuess = "demographic_guess",
        /// Says that something is unknown.
        UnknownInformation = "unknown_information",
        /// Not about its subject.
        NotAboutSubject = "not_about_subject",
        /// Text of the platform or a template, not said by a person.
        SystemText = "system_text",
        /// Somebody else's words: quoted.
        QuotedText = "quoted_text",
        /// Pasted code, log, document or mail.
        PastedText = "pasted_text",
        /// Said in a role, a game or a story.
        RolePlay = "role_play",
        /// Reads like an instruction to a machine: quarantined, never silently dropped.
        InstructionLike = "instruction_like",
        /// A question, request or command says nothing about the person.
        QuestionOrRequest = "question_or_request",
        /// If, would, imagine.
        Hypothetical = "hypothetical",
        /// Meant otherwise.
        Irony = "irony",
        /// Over within the day.
        Ephemeral = "ephemeral",
        /// Taken back or corrected later in the same conversation.
        Retracted = "retracted",
        /// Says nothing by which a person would be known better.
        Vague = "vague",
        /// Confidence below the floor.
        LowConfidence = "low_confidence",
        /// Its span is not in the message, or by the wrong speaker.
        Ungrounded = "ungrounded",
        /// Malformed: empty, too long, boilerplate reasoning.
        Invalid = "invalid",
        /// Text that Keepsake itself served.
        Echo = "echo",
        /// Says what a memory already says.
        Duplicate = "duplicate",
        /// A person refused the same before.
        Suppressed = "suppressed",
        /// More than the cap for one source.
        OverCap = "over_cap",
        /// Said by a voice of a meeting that has no name.
        UnnamedVoice = "unnamed_voice",
        /// Judged not worth keeping.
        Judge = "judge",
        /// It holds a password, a key, a code or an account.
        Secret = "secret",
    }
}

/// A candidate that a gate stopped, for the gate log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    /// Which gate.
    pub gate: Gate,
    /// Whom it would have been about.
    pub subject: Subject,
    /// What it would have said, or the sentence as it stood.
    pub content: String,
    /// One sentence for a person: why.
    pub reason: String,
    /// Where it stood.
    pub evidence: Vec<CandidateEvidence>,
}
