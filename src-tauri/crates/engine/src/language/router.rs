//! The engine's side of the memory router: whether it is on, which server it may forward to, and the record of each call.
//!
//! The server, its key, the consent and the daily budget come from the model settings. A call is listed like any other call,
//! but without its text, because the text is not scrubbed and the router logs the conversation separately.
//!
//! Not in this module: the proxy itself (`keepsake_router`).

use keepsake_domain::{CallId, CallOutcome};
use keepsake_models::language::Connection;
use keepsake_store::{ModelCallEnd, NewModelCall};
use serde::{Deserialize, Serialize};

use super::ModelFailure;
use crate::areas::Models;
use crate::serve::agents::AgentAccess;
use crate::{EngineError, Result};

/// Setting that stores whether the router is on.
pub(crate) const ROUTER_SETTING: &str = "router";

/// Name of this setting in error messages.
const CHOICES: &str = "router settings";

/// What the router does with calls. Off unless the person switched it on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RouterSettings {
    /// Whether it forwards calls.
    pub is_on: bool,
}

/// Where an agent's call is forwarded.
pub struct Route {
    /// The server that the person chose, with its key.
    pub connection: Connection,
    /// The model that the person chose there.
    pub model: String,
}

/// How a forwarded call ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RoutedEnd {
    /// Size of the reply in bytes.
    pub reply_bytes: u64,
    /// Tokens read by the model, if the server reported them; otherwise the estimate is used.
    pub tokens_in: Option<u64>,
    /// Tokens written by the model, as reported by the server or as estimated.
    pub tokens_out: u64,
    /// Why there is no complete reply, without any message text.
    pub error: Option<String>,
}

/// Bytes per token in an estimate. Bodies are JSON, so this errs on the side of too many tokens.
const BYTES_PER_TOKEN: u64 = 3;

impl Models<'_> {
    /// The current router settings.
    pub fn router_settings(&self) -> Result<RouterSettings> {
        Ok(self.engine.store().read(|tx| tx.settings().choice(ROUTER_SETTING, CHOICES))?)
    }

    /// Stores the router settings.
    pub fn set_router_settings(&self, settings: RouterSettings) -> Result<()> {
        let now = self.engine.now();
        Ok(self.engine.store().write(|tx| tx.settings().put_choice(ROUTER_SETTING, CHOICES, &settings, now))?)
    }

    /// Where a call by `agent` may be forwarded now. Fails if the router is off, the agent is paused, no model is chosen, or
    /// the model settings do not allow the server.
    pub fn route(&self, agent: &AgentAccess) -> Result<Route> {
        if !self.router_settings()?.is_on {
            let words = "the memory router is off; turn it on in Settings, Agents, or with `keepsake router on`";
            return Err(EngineError::Refused(words.to_owned()));
        }
        agent.check_running()?;
        let settings = self.settings()?;
        let provider = settings.provider.as_ref().ok_or(ModelFailure::NoModel)?;
        let connection = self.connection(provider, settings.this_computer_only)?;
        if !connection.endpoint().is_this_computer() && self.is_budget_spent(&settings, self.engine.now())? {
            return Err(ModelFailure::BudgetSpent { tokens: settings.remote_tokens_a_day }.into());
        }
        Ok(Route { connection, model: provider.model.clone() })
    }

    /// Records a call before it is forwarded.
    pub fn begin_routed_call(&self, agent: &AgentAccess, route: &Route, model: &str, request_bytes: u64) -> Result<CallId> {
        let id = CallId::fresh(self.engine.ids());
        let endpoint = route.connection.endpoint();
        let call = NewModelCall {
            id: id.clone(),
            purpose: ROUTER_SETTING.to_owned(),
            host: endpoint.origin(),
            is_local: endpoint.is_this_computer(),
            model: model.to_owned(),
            conversation_id: None,
            sources: Vec::new(),
            job_id: None,
            // No job looks up its reply.
            request_hash: Vec::new(),
            request: format!("Forwarded for {} ({request_bytes} bytes). What was said is in its conversation.", agent.name),
            started: self.engine.now(),
        };
        self.engine.store().write(|tx| tx.model_calls().begin(&call, request_bytes / BYTES_PER_TOKEN))?;
        Ok(id)
    }

    /// Records how a forwarded call of `request_bytes` ended.
    pub fn end_routed_call(&self, call: &CallId, request_bytes: u64, end: RoutedEnd) -> Result<()> {
        let end = ModelCallEnd {
            outcome: if end.error.is_some() { CallOutcome::Failed } else { CallOutcome::Answered },
            reply: None,
            request_bytes,
            reply_bytes: end.reply_bytes,
            tokens_in: end.tokens_in.unwrap_or(request_bytes / BYTES_PER_TOKEN),
            tokens_out: end.tokens_out,
            error: end.error,
            ended: self.engine.now(),
        };
        Ok(self.engine.store().write(|tx| tx.model_calls().end(call, &end))?)
    }
}
