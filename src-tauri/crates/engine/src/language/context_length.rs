//! How much the chosen model takes in one call: set by the person, told by its server, or found out when it refuses more.
//!
//! Known as long as the program runs: a server may be started with another length tomorrow. Deliberately not here: what is left of it for
//! the material ([`ContextLength`]), and cutting conversations (`capture::model`).

use std::sync::PoisonError;

use keepsake_models::language::Unwatched;
use keepsake_prompt::ContextLength;

use super::settings::Provider;
use crate::{Engine, Result};

/// A server that does not tell it soon is asked the usual, and says so when that is too much.
const ASK_TIMEOUT_MS: u64 = 2_000;

impl Engine {
    /// What is asked of this model at once. Its server is asked once.
    pub(crate) fn context_length(&self, provider: &Provider, this_computer_only: bool) -> Result<ContextLength> {
        let known = self.inner.context_lengths.lock().unwrap_or_else(PoisonError::into_inner).get(&name(provider)).copied();
        if let Some(known) = known {
            return Ok(known);
        }
        if let Some(tokens) = provider.context_tokens {
            return Ok(ContextLength::of_tokens(tokens));
        }
        let connection = self.model_connection(provider, this_computer_only)?;
        let told = connection.context_tokens(&provider.model, ASK_TIMEOUT_MS, &Unwatched).ok().flatten();
        let length = told.map_or_else(ContextLength::default, ContextLength::of_tokens);
        self.remember_context_length(provider, length);
        Ok(length)
    }

    /// Keeps that this model takes no more.
    pub(crate) fn remember_context_length(&self, provider: &Provider, length: ContextLength) {
        self.inner.context_lengths.lock().unwrap_or_else(PoisonError::into_inner).insert(name(provider), length);
    }
}

fn name(provider: &Provider) -> String {
    format!("{} {}", provider.origin().unwrap_or_default(), provider.model)
}
