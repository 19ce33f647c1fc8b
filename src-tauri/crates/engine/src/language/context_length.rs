//! How much text a model accepts in one call: set by the person, reported by its server, or learned when the model refuses
//! more.
//!
//! The length is kept only while the program runs, because the server may be restarted with a different one. Not in this
//! module: how much of the length is left for the text to read ([`ContextLength`]), and cutting conversations
//! (`capture::model`).

use std::sync::PoisonError;

use keepsake_models::language::Unwatched;
use keepsake_prompt::ContextLength;

use super::settings::Provider;
use crate::Result;
use crate::areas::Models;

/// Time, in milliseconds, that a server has to report its length. After that, the default is used. If the default is too long,
/// the server refuses the call.
const ASK_TIMEOUT_MS: u64 = 2_000;

impl Models<'_> {
    /// How much to send to this model in one call. Keepsake asks the server only once.
    pub(crate) fn context_length(&self, provider: &Provider, this_computer_only: bool) -> Result<ContextLength> {
        let known =
            self.engine.inner.context_lengths.lock().unwrap_or_else(PoisonError::into_inner).get(&name(provider)).copied();
        if let Some(known) = known {
            return Ok(known);
        }
        if let Some(tokens) = provider.context_tokens {
            return Ok(ContextLength::of_tokens(tokens));
        }
        let connection = self.connection(provider, this_computer_only)?;
        let told = connection.context_tokens(&provider.model, ASK_TIMEOUT_MS, &Unwatched).ok().flatten();
        let length = told.map_or_else(ContextLength::default, ContextLength::of_tokens);
        self.remember_context_length(provider, length);
        Ok(length)
    }

    /// Remembers that this model accepts no more than this length.
    pub(crate) fn remember_context_length(&self, provider: &Provider, length: ContextLength) {
        self.engine.inner.context_lengths.lock().unwrap_or_else(PoisonError::into_inner).insert(name(provider), length);
    }
}

fn name(provider: &Provider) -> String {
    format!("{} {}", provider.origin().unwrap_or_default(), provider.model)
}
