//! The only code that calls a model. It checks whether the conversation is excluded, reuses a reply that was already paid for,
//! checks the budget, records the call, sends it, reads the reply, and records the outcome.
//!
//! Only prompts are sent, and a prompt can contain only fixed wording and scrubbed text. The task determines its subject
//! ([`keepsake_prompt::Calls`]). A reply is recorded before it is read, so after a crash it does not have to be paid for again.
//! A reply that cannot be read is marked and never used again.

use std::sync::{Arc, PoisonError};

use keepsake_domain::{CallId, CallOutcome, ConversationId, DAY_MS, JobId, Timestamp, limits};
use keepsake_models::language::{CallError, ChatReply, ChatRequest, Client, Connection, Endpoint, LanguageModel, Reach, Watch};
use keepsake_prompt::{Call, Calls, ContextLength, Outcome, Prompt, PromptText, TEMPERATURE};
use keepsake_store::{ConversationRow, ModelCallEnd, NewModelCall};

use super::ModelFailure;
use super::settings::{ModelSettings, ModelTask, Provider, TaskModels};
use crate::areas::Models;
use crate::derive::readable_messages::is_still_on_record;
use crate::queue::control::Control;
use crate::{Engine, EngineError, Result};

/// A model, and the subject of the calls to it.
pub(crate) struct Interview<'e> {
    engine: &'e Engine,
    settings: ModelSettings,
    provider: Provider,
    model: Arc<dyn LanguageModel>,
    /// Other models on the same server that perform some of the tasks, sorted by name.
    others: Vec<Arc<dyn LanguageModel>>,
    /// The conversation as it was when the text for the model was read.
    conversation: Option<ConversationRow>,
    /// The conversations whose content the calls contain, if the calls are not about a single conversation.
    sources: Vec<ConversationId>,
    job: Option<JobId>,
}

/// Result of a task, and what a person must be told about it.
pub(crate) struct Answer<T> {
    /// The result.
    pub(crate) found: T,
    /// Why the whole result was dropped, if it was.
    pub(crate) dropped: Option<String>,
}

/// Passes cancellation on to the client while it waits, and reports how much has been received.
struct Listening<'c> {
    control: &'c dyn Control,
    stage: &'c str,
    answered: usize,
    known: usize,
}

impl Watch for Listening<'_> {
    fn is_cancelled(&self) -> bool {
        self.control.is_cancelled()
    }

    fn received(&self, chars: u64) {
        let stage = format!("{}, {chars} characters so far", self.stage);
        self.control.progress(&stage, self.answered as u64, self.known as u64);
    }
}

impl Provider {
    /// The endpoint of the server; an error if only this computer is allowed and the server is on another one.
    pub(crate) fn endpoint(&self, this_computer_only: bool) -> Result<Endpoint> {
        let endpoint = Endpoint::parse(&self.url, self.shape).map_err(|error| EngineError::Refused(error.to_string()))?;
        if this_computer_only && !endpoint.is_this_computer() {
            return Err(EngineError::Refused(format!(
                "{} is not on this computer, and \"This computer only\" is on; turn it off in Settings, Models to allow this \
                 server",
                endpoint.origin()
            )));
        }
        Ok(endpoint)
    }
}

impl Models<'_> {
    /// A connection to a provider's server, with its key.
    pub fn connection(&self, provider: &Provider, this_computer_only: bool) -> Result<Connection> {
        let endpoint = provider.endpoint(this_computer_only)?;
        let refused = |error: &dyn std::fmt::Display| EngineError::Refused(error.to_string());
        let key = self.engine.inner.keys.get(&endpoint.origin()).map_err(|error| refused(&error))?;
        let reach = if this_computer_only { Reach::ThisComputer } else { Reach::Anywhere };
        Connection::new(endpoint, reach, key.as_ref(), Arc::clone(&self.engine.inner.clock)).map_err(|error| refused(&error))
    }

    /// The last local midnight before `now`, when the day's budget starts.
    pub fn day_began(&self, now: Timestamp) -> Timestamp {
        now.midnight(self.engine.utc_offset_minutes())
    }

    /// When the next day's budget starts.
    pub(crate) fn day_ends(&self, now: Timestamp) -> Timestamp {
        self.day_began(now).plus_ms(DAY_MS)
    }

    /// Whether today's token budget for other computers is used up.
    pub(crate) fn is_budget_spent(&self, settings: &ModelSettings, now: Timestamp) -> Result<bool> {
        let used = self.engine.store().read(|tx| tx.model_calls().model_use(self.day_began(now)))?;
        Ok(used.remote_tokens >= settings.remote_tokens_a_day)
    }
}

impl<'e> Interview<'e> {
    /// Prepares calls to `provider`.
    pub(crate) fn begin(
        engine: &'e Engine,
        settings: ModelSettings,
        provider: &Provider,
        conversation: Option<ConversationRow>,
        job: Option<JobId>,
    ) -> Result<Self> {
        let connection = engine.models().connection(provider, settings.this_computer_only)?;
        let TaskModels { judge, analysis, topics } = &settings.task_models;
        let mut names: Vec<&String> =
            [judge, analysis, topics].into_iter().flatten().filter(|name| **name != provider.model).collect();
        names.sort();
        names.dedup();
        let client = |name: &str| Arc::new(Client::new(connection.clone(), name)) as Arc<dyn LanguageModel>;
        let others = names.into_iter().map(|name| client(name)).collect();
        let model = client(&provider.model);
        Ok(Self { engine, settings, provider: provider.clone(), model, others, conversation, sources: Vec::new(), job })
    }

    /// Sets the conversations that the content of the calls comes from, for calls that are not about a single conversation.
    pub(crate) fn telling_of(self, sources: Vec<ConversationId>) -> Self {
        Self { sources, ..self }
    }

    /// The model for a prompt with this name or label (`facts/4`).
    fn model_for(&self, prompt: &str) -> &dyn LanguageModel {
        let task = ModelTask::of_prompt(prompt.split('/').next().unwrap_or(prompt));
        let own = self.settings.task_models.of(task).and_then(|name| self.others.iter().find(|model| model.model() == name));
        own.unwrap_or(&self.model).as_ref()
    }

    /// Name of the model for a prompt with this label.
    pub(crate) fn model_name(&self, label: &str) -> &str {
        self.model_for(label).model()
    }

    /// How much to send in one call: the shortest context length of the models that this interview uses.
    pub(crate) fn context_length(&self) -> Result<ContextLength> {
        let names = self.others.iter().map(|model| model.model()).chain([self.model.model()]);
        let lengths = names.map(|name| {
            let of_it = Provider { model: name.to_owned(), ..self.provider.clone() };
            self.engine.models().context_length(&of_it, self.settings.this_computer_only)
        });
        Ok(lengths.collect::<Result<Vec<_>>>()?.into_iter().min().unwrap_or_default())
    }

    /// Like [`drive`](Self::drive), but restarts the task with less text per call if a call was too long for the model.
    pub(crate) fn drive_in_parts<C: Calls, E: std::fmt::Display>(
        &self,
        begin: impl Fn(ContextLength) -> std::result::Result<C, E>,
        stage: &str,
        control: &dyn Control,
    ) -> Result<Answer<C::Found>> {
        let mut length = self.context_length()?;
        loop {
            let task = begin(length).map_err(|error| EngineError::Refused(error.to_string()))?;
            let error = match self.drive(task, stage, control) {
                Err(EngineError::Model(ModelFailure::Call(error))) if error.is_too_much_at_once() => error,
                done => return done,
            };
            let told = match &error {
                CallError::PromptTooLong { context_tokens: Some(tokens) } => Some(ContextLength::of_tokens(*tokens)),
                _ => None,
            };
            length = match told.filter(|told| *told < length).or_else(|| length.shorter()) {
                Some(shorter) => shorter,
                None => return Err(ModelFailure::Call(error).into()),
            };
            // The shorter length is remembered only if the prompt was too long, because such a prompt would be refused again. A
            // cut-off reply says nothing about the next conversation.
            if matches!(error, CallError::PromptTooLong { .. }) {
                self.engine.models().remember_context_length(&self.provider, length);
            }
        }
    }

    /// Sends the calls of a task one after another and returns the result.
    pub(crate) fn drive<C: Calls>(&self, mut task: C, stage: &str, control: &dyn Control) -> Result<Answer<C::Found>> {
        // What was wrong with the previous reply, if the same call is repeated.
        let mut wrong: Option<&'static str> = None;
        while let Some(Call { prompt, attempt, answered, known }) = task.next() {
            control.progress(stage, answered as u64, known as u64);
            let mut prompt = prompt.clone();
            if let Some(wrong) = wrong.filter(|_| attempt > 1) {
                prompt.user.push(&PromptText::fixed("\n\n"));
                prompt.user.push(&PromptText::fixed(wrong));
            }
            let hash = self.request_hash(&prompt, attempt);
            let cached = match &self.job {
                Some(job) => self.engine.store().read(|tx| tx.model_calls().answered_call(job, &hash))?,
                None => None,
            };
            match cached {
                // Whether the reply can be read was recorded when it arrived, but the task decides again anyway.
                Some(reply) => wrong = task.feed(&reply).err().and_then(|error| error.asked_again()),
                None => {
                    let listening = Listening { control, stage, answered, known };
                    let (call, reply) = self.send(&prompt, &hash, &listening)?;
                    let fed = task.feed(&reply.text);
                    wrong = fed.as_ref().err().and_then(|error| error.asked_again());
                    if let Err(error) = fed {
                        self.mark_unusable(&call, &reply, &error, &prompt)?;
                    }
                }
            }
        }
        match task.finish() {
            Outcome::Done(found) => Ok(Answer { found, dropped: None }),
            Outcome::Dropped { value, reason } => Ok(Answer { found: value, dropped: Some(reason) }),
            Outcome::Failed { call, error } => {
                let model = self.model_name(&call).to_owned();
                Err(ModelFailure::Unusable { call, model, error }.into())
            }
            Outcome::Unfinished => Err(EngineError::Refused(
                "the model task ended before all its calls were answered; please report this".to_owned(),
            )),
        }
    }

    /// Sends one prompt that belongs to no task, for testing a model.
    pub(crate) fn send_once(&self, prompt: &Prompt, control: &dyn Control) -> Result<(CallId, ChatReply)> {
        let listening = Listening { control, stage: "Trying the model", answered: 0, known: 1 };
        self.send(prompt, &self.request_hash(prompt, 1), &listening)
    }

    /// Hashes everything that affects the reply, so that a changed prompt, model or attempt is a different request.
    fn request_hash(&self, prompt: &Prompt, attempt: u8) -> Vec<u8> {
        let mut hasher = blake3::Hasher::new();
        let model = self.model_for(prompt.name);
        let (host, label, schema) = (model.endpoint().origin(), prompt.label(), prompt.schema.to_string());
        let texts = [host.as_str(), model.model(), &label, prompt.system.as_str(), prompt.user.as_str(), &schema];
        for text in texts {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        hasher.update(&[attempt]);
        hasher.finalize().as_bytes().to_vec()
    }

    /// Sends one call. The call is recorded before it is sent, and the answer before it is read.
    fn send(&self, prompt: &Prompt, hash: &[u8], listening: &Listening<'_>) -> Result<(CallId, ChatReply)> {
        let engine = self.engine;
        if listening.is_cancelled() {
            return Err(EngineError::Cancelled);
        }
        // One request at a time: a local model that serves two requests at once runs each at half speed and uses twice the
        // memory.
        let _turn = engine.inner.model_turn.lock().unwrap_or_else(PoisonError::into_inner);
        let now = engine.now();
        let model = self.model_for(prompt.name);
        let is_local = model.endpoint().is_this_computer();
        if !is_local && engine.models().is_budget_spent(&self.settings, now)? {
            return Err(ModelFailure::BudgetSpent { tokens: self.settings.remote_tokens_a_day }.into());
        }
        let call = NewModelCall {
            id: CallId::fresh(engine.ids()),
            purpose: prompt.label(),
            host: model.endpoint().origin(),
            is_local,
            model: model.model().to_owned(),
            conversation_id: self.conversation.as_ref().map(|row| row.id.clone()),
            sources: self.sources.clone(),
            job_id: self.job.clone(),
            request_hash: hash.to_vec(),
            request: format!("{}\n\n{}", prompt.system, prompt.user),
            started: now,
        };
        engine.store().write(|tx| {
            // Checked in the transaction that approves the text for sending. In the meantime the person may have excluded a
            // conversation and included it again, or erased one of several.
            let is_closed = match &self.conversation {
                Some(conversation) => !is_still_on_record(tx, conversation)?,
                None => !tx.conversation_status().are_on_record(&self.sources)?,
            };
            if is_closed {
                return Ok(Err(ModelFailure::Private));
            }
            tx.model_calls().begin(&call, prompt.tokens() as u64)?;
            Ok(Ok(()))
        })??;
        let request = ChatRequest { prompt, temperature: TEMPERATURE as f32, timeout_ms: self.settings.reply_timeout_ms };
        match model.chat(&request, listening) {
            Ok(reply) => {
                self.end(&call.id, CallOutcome::Answered, Some(&reply), None, prompt)?;
                Ok((call.id, reply))
            }
            Err(CallError::Cancelled) => {
                self.end(&call.id, CallOutcome::Cancelled, None, None, prompt)?;
                Err(EngineError::Cancelled)
            }
            Err(error) => {
                self.end(&call.id, CallOutcome::Failed, None, Some(error.to_string()), prompt)?;
                Err(ModelFailure::Call(error).into())
            }
        }
    }

    /// Records that an answer could not be read. No part of it is used, now or later.
    pub(crate) fn mark_unusable(
        &self,
        call: &CallId,
        reply: &ChatReply,
        error: &keepsake_prompt::CallError,
        prompt: &Prompt,
    ) -> Result<()> {
        self.end(call, CallOutcome::Unusable, Some(reply), Some(error.to_string()), prompt)
    }

    /// Records how a call ended.
    fn end(
        &self,
        call: &CallId,
        outcome: CallOutcome,
        reply: Option<&ChatReply>,
        error: Option<String>,
        prompt: &Prompt,
    ) -> Result<()> {
        let estimate = |text: &str| (text.chars().count() / limits::CHARS_PER_TOKEN) as u64;
        let end = ModelCallEnd {
            outcome,
            reply: reply.map(|reply| reply.text.clone()),
            request_bytes: reply.map_or(0, |reply| reply.request_bytes),
            reply_bytes: reply.map_or(0, |reply| reply.reply_bytes),
            // The cost of a failed call is unknown; assuming that the prompt was read is the cautious estimate.
            tokens_in: reply.and_then(|reply| reply.tokens_in).map_or(prompt.tokens() as u64, u64::from),
            tokens_out: reply.map_or(0, |reply| reply.tokens_out.map_or_else(|| estimate(&reply.text), u64::from)),
            error,
            ended: self.engine.now(),
        };
        Ok(self.engine.store().write(|tx| tx.model_calls().end(call, &end))?)
    }
}
