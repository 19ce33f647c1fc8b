//! The webhook: sends the ids, titles and counts of new playbooks to an address that the person entered. It never sends the
//! text of a message.
//!
//! Off unless an address is entered. Notices follow the same network rules as model calls: "This computer only" applies to
//! them, and before a notice is sent, it is added to the list of data that left this computer. A notice is a job, so it is
//! retried if it fails, and is not lost if the process ends.

use std::sync::Arc;

use keepsake_domain::{CallId, CallOutcome, JobId, JobKind, PlaybookStatus};
use keepsake_models::language::{Endpoint, Notifier, Reach, Shape, Unwatched};
use keepsake_store::{Lease, ModelCallEnd, NewJob, NewModelCall, PlaybookRow};
use serde_json::json;

use crate::areas::Playbooks;
use crate::language::ModelFailure;
use crate::{EngineError, Result};

/// Setting that stores the address.
const WEBHOOK_SETTING: &str = "playbooks_webhook";

/// Name of this setting in error messages.
const CHOICES: &str = "webhook address";

/// Name of a notice in the list of data that left this computer.
const PURPOSE: &str = "webhook_playbooks/1";

/// Listed there instead of a model name, because no model is called.
const NO_MODEL: &str = "webhook";

impl Playbooks<'_> {
    /// The address that receives notices of new playbooks, if one is set.
    pub fn webhook(&self) -> Result<Option<String>> {
        Ok(self.engine.store().read(|tx| tx.settings().choice(WEBHOOK_SETTING, CHOICES))?)
    }

    /// Sets or clears the address that receives notices. Playbooks that already need a decision do not count as new.
    pub fn set_webhook(&self, address: Option<&str>) -> Result<()> {
        let address = address.map(str::trim).filter(|address| !address.is_empty());
        if let Some(address) = address {
            self.webhook_endpoint(address)?;
        }
        let now = self.engine.now();
        self.engine.store().write(|tx| {
            tx.settings().put_choice(WEBHOOK_SETTING, CHOICES, &address, now)?;
            for row in tx.playbooks().all()?.iter().filter(|row| !row.is_announced) {
                tx.playbooks().mark_announced(&row.id, now)?;
            }
            Ok(())
        })?;
        Ok(())
    }

    /// The endpoint of an address; an error if only this computer is allowed and the address is on another one.
    fn webhook_endpoint(&self, address: &str) -> Result<(Endpoint, Reach)> {
        let endpoint = Endpoint::parse(address, Shape::Ollama).map_err(|error| EngineError::Refused(error.to_string()))?;
        let is_held = self.engine.models().settings()?.this_computer_only;
        if is_held && !endpoint.is_this_computer() {
            return Err(EngineError::Refused(format!(
                "{} is not on this computer, and \"This computer only\" is on; turn it off in Settings, Models to allow this \
                 address",
                endpoint.origin()
            )));
        }
        Ok((endpoint, if is_held { Reach::ThisComputer } else { Reach::Anywhere }))
    }

    /// Candidates that have not been announced in a notice.
    fn unannounced(&self) -> Result<Vec<PlaybookRow>> {
        let mut rows = self.list()?;
        rows.retain(|row| row.status == PlaybookStatus::Candidate && !row.is_announced);
        Ok(rows)
    }

    /// Queues a notice if an address is set and there is something new.
    pub(super) fn queue_notice(&self) -> Result<()> {
        if self.webhook()?.is_none() || self.unannounced()?.is_empty() {
            return Ok(());
        }
        let job = NewJob {
            id: JobId::fresh(self.engine.ids()),
            kind: JobKind::PlaybookNotice,
            idempotency_key: "new".to_owned(),
            payload: "{}".to_owned(),
        };
        self.engine.store().write(|tx| tx.jobs().enqueue(&job, self.engine.now()))?;
        self.engine.queue().look_for_work();
        Ok(())
    }

    /// Sends the new playbooks to the address and completes the job.
    pub(crate) fn perform_notice(&self, lease: &Lease) -> Result<()> {
        let rows = self.unannounced()?;
        let now = self.engine.now();
        let Some(address) = self.webhook()?.filter(|_| !rows.is_empty()) else {
            self.engine.store().write(|tx| tx.jobs().complete(lease, "{}", now))?;
            return Ok(());
        };
        let (endpoint, reach) = self.webhook_endpoint(&address)?;
        let body = notice(&rows);
        let mut sources: Vec<_> = rows.iter().flat_map(|row| row.version.sources()).collect();
        sources.sort();
        sources.dedup();
        let call = NewModelCall {
            id: CallId::fresh(self.engine.ids()),
            purpose: PURPOSE.to_owned(),
            host: endpoint.origin(),
            is_local: endpoint.is_this_computer(),
            model: NO_MODEL.to_owned(),
            conversation_id: None,
            sources: sources.clone(),
            job_id: Some(lease.job.clone()),
            request_hash: blake3::hash(body.as_bytes()).as_bytes().to_vec(),
            request: body.clone(),
            started: now,
        };
        let notifier = Notifier::new(endpoint, reach, Arc::clone(&self.engine.inner.clock))
            .map_err(|error| EngineError::Refused(error.to_string()))?;
        self.engine.store().write(|tx| {
            tx.jobs().check_lease(lease)?;
            // Checked in the transaction that approves the notice for sending, because a session may have been excluded
            // meanwhile.
            if !tx.conversation_status().are_on_record(&sources)? {
                return Ok(Err(EngineError::NotYet {
                    why: "a session of a new playbook was excluded from memory",
                    retry_ms: RETRY_MS,
                }));
            }
            tx.model_calls().begin(&call, 0)?;
            Ok(Ok(()))
        })??;
        let sent = notifier.send(&body, &Unwatched);
        let now = self.engine.now();
        let end = ModelCallEnd {
            outcome: if sent.is_ok() { CallOutcome::Answered } else { CallOutcome::Failed },
            reply: None,
            request_bytes: body.len() as u64,
            reply_bytes: 0,
            tokens_in: 0,
            tokens_out: 0,
            error: sent.as_ref().err().map(ToString::to_string),
            ended: now,
        };
        self.engine.store().write(|tx| tx.model_calls().end(&call.id, &end))?;
        sent.map_err(ModelFailure::Call)?;
        self.engine.store().write(|tx| {
            for row in &rows {
                tx.playbooks().mark_announced(&row.id, now)?;
            }
            tx.jobs().complete(lease, &json!({ "told": rows.len() }).to_string(), now)
        })?;
        Ok(())
    }
}

/// Delay in milliseconds before a notice is tried again after one of its sessions was excluded.
const RETRY_MS: i64 = 5_000;

/// The body of a notice. It contains nothing from any message.
fn notice(rows: &[PlaybookRow]) -> String {
    let playbooks: Vec<_> = rows
        .iter()
        .map(|row| json!({ "id": row.id, "title": row.version.title, "occurrences": row.version.occurrences.len(), "steps": row.version.steps.len() }))
        .collect();
    json!({ "event": "playbooks_found", "count": rows.len(), "playbooks": playbooks }).to_string()
}
