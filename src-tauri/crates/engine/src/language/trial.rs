//! The test button: sends a made-up conversation through the real prompt, so that the person sees what is
//! sent and what comes back.
//!
//! None of the text is the person's, and nothing is stored except the entry in the list of calls.

use keepsake_capture::model::{Scope, Task};
use keepsake_domain::Role;
use keepsake_prompt::Calls;

use super::rating::{conversation, made_up};
use super::settings::Provider;
use super::{Interview, ModelFailure};
use crate::areas::Models;
use crate::queue::control::Unwatched;
use crate::{EngineError, Result};

/// The made-up person's lines. They contain a fact, and something that the scrubber must replace.
const LINES: [&str; 2] = [
    "Hi! I moved to Lisbon in March and I work as a nurse on a children's ward.",
    "My new address for the newsletter is mara@example.org. Could you suggest a quiet café for Sunday mornings?",
];

/// Result of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trial {
    /// The text that was sent.
    pub sent: String,
    /// The text that came back, if any.
    pub received: Option<String>,
    /// Whether the answer has the requested format.
    pub is_usable: bool,
    /// What went wrong and what to do about it.
    pub problem: Option<String>,
    /// Duration in milliseconds.
    pub duration_ms: u64,
    /// Number of tokens, sent and received.
    pub tokens: u64,
}

impl Models<'_> {
    /// Calls `provider` once with a made-up conversation.
    pub fn try_model(&self, provider: &Provider) -> Result<Trial> {
        let settings = self.settings()?;
        let interview = Interview::begin(self.engine, settings, provider, None, None)?;
        let scrubber = self.scrubber()?;
        let turns = LINES.map(|text| made_up((Role::Owner, "Mara", text)));
        let mut task = Task::reading(conversation(&turns), Scope::Whole, &scrubber, interview.context_length()?)
            .map_err(|error| EngineError::Refused(error.to_string()))?;
        let prompt = task.next().map(|call| call.prompt.clone());
        let Some(prompt) = prompt else {
            return Err(EngineError::Refused(
                "the test has nothing to send because this build is broken; install another build".to_owned(),
            ));
        };
        let began = self.engine.now();
        let reply = interview.send_once(&prompt, &Unwatched);
        let mut trial = Trial {
            sent: format!("{}\n\n{}", prompt.system, prompt.user),
            received: None,
            is_usable: false,
            problem: None,
            duration_ms: (self.engine.now().0 - began.0).max(0) as u64,
            tokens: 0,
        };
        match reply {
            Ok((call, reply)) => {
                trial.tokens = u64::from(reply.tokens_in.unwrap_or(0)) + u64::from(reply.tokens_out.unwrap_or(0));
                match task.feed(&reply.text) {
                    Ok(()) => trial.is_usable = true,
                    Err(error) => {
                        interview.mark_unusable(&call, &reply, &error, &prompt)?;
                        trial.problem = Some(format!(
                            "{error}. In real use Keepsake would ask once more and then give up; try another model."
                        ));
                    }
                }
                trial.received = Some(reply.text);
            }
            Err(EngineError::Model(ModelFailure::Call(error))) => trial.problem = Some(error.to_string()),
            Err(error) => return Err(error),
        }
        Ok(trial)
    }
}
