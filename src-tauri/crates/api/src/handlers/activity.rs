//! Commands for jobs, the gate log and alerts.

use keepsake_domain::job::JOB_ATTEMPTS_MAX;
use keepsake_domain::{ConversationId, JobKind, JobState, Timestamp};
use keepsake_engine::PauseFor;
use keepsake_store::{JobRow, ReadTx, Result as StoreResult};
use serde_json::Value;

use super::{counts, sentence, small_page, title_or_stand_in};
use crate::app::App;
use crate::error::ApiError;
use crate::types::activity::*;
use crate::types::{ById, Nothing};

/// Number of jobs listed.
const JOBS: u32 = 200;

/// Maximum number of gate log entries per page.
const GATE_ENTRIES_MAX: u32 = 500;

fn job_view(tx: &ReadTx<'_>, job: JobRow, now: Timestamp) -> StoreResult<JobView> {
    let payload: Value = serde_json::from_str(&job.payload).unwrap_or_default();
    let conversation: Option<ConversationId> = payload["conversation_id"].as_str().and_then(|id| id.parse().ok());
    let title = match (job.kind, &conversation) {
        (JobKind::Import, _) if payload["is_sample"] == true => "Sample data".to_owned(),
        (JobKind::Import, _) => {
            let path = payload["path"].as_str().unwrap_or_default();
            std::path::Path::new(path).file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
        }
        (
            JobKind::Embed
            | JobKind::Erase
            | JobKind::SuggestLinks
            | JobKind::SettleConversations
            | JobKind::Sessions
            | JobKind::SessionsModel
            | JobKind::DeriveProfiles
            | JobKind::DeriveProfilesModel
            | JobKind::Topics
            | JobKind::Playbooks
            | JobKind::PlaybooksModel
            | JobKind::ReflectModel
            | JobKind::PlaybookNotice
            | JobKind::Reflect
            | JobKind::TopicsModel,
            _,
        ) => String::new(),
        (
            JobKind::Extract | JobKind::Analyze | JobKind::ExtractModel | JobKind::AnalyzeModel | JobKind::SettleModel,
            Some(id),
        ) => match tx.log().conversation(id) {
            Ok(row) => title_or_stand_in(row.title.as_deref()),
            Err(_) => String::new(),
        },
        (JobKind::Extract | JobKind::Analyze | JobKind::ExtractModel | JobKind::AnalyzeModel | JobKind::SettleModel, None) => {
            String::new()
        }
    };
    Ok(JobView {
        id: job.id.to_string(),
        kind: job.kind.to_string(),
        title,
        conversation_id: conversation.map(String::from),
        state: job.state.to_string(),
        is_cancelling: job.cancel_requested && !job.state.is_settled(),
        stage: job.stage,
        done: job.done,
        total: job.total,
        attempts: job.attempts,
        attempts_max: JOB_ATTEMPTS_MAX,
        // A retry time in the past is not shown, because the job is simply next in the queue.
        retry_at: (job.state == JobState::Queued && job.error.is_some() && job.not_before > now).then_some(job.not_before.0),
        error: job.error.as_deref().map(sentence),
        result: job.result,
        created_at: job.created.0,
        started_at: job.started.map(|t| t.0),
        finished_at: job.finished.map(|t| t.0),
    })
}

pub(crate) fn jobs_list(app: &App, _request: Nothing) -> Result<JobsResponse, ApiError> {
    let engine = app.engine();
    let pause = engine.queue().pause()?;
    let paused_until = pause.and_then(|pause| pause.until).map(|until| until.0);
    let mut response = engine.store().read(|tx| {
        let items =
            tx.jobs().recent(JOBS)?.into_iter().map(|job| job_view(tx, job, engine.now())).collect::<StoreResult<Vec<_>>>()?;
        Ok(JobsResponse { queued: tx.jobs().unsettled()?, items, paused: pause.is_some(), paused_until })
    })?;
    for job in response.items.iter_mut().filter(|job| job.state == "running") {
        if let Some(progress) = job.id.parse().ok().and_then(|id| engine.queue().live_progress(&id)) {
            job.stage = Some(progress.stage);
            job.done = progress.done;
            job.total = progress.total;
        }
    }
    Ok(response)
}

pub(crate) fn job_cancel(app: &App, request: ById) -> Result<Nothing, ApiError> {
    app.engine().queue().cancel_job(&request.id.parse()?)?;
    Ok(Nothing {})
}

pub(crate) fn job_retry(app: &App, request: ById) -> Result<Nothing, ApiError> {
    app.engine().queue().retry_job(&request.id.parse()?)?;
    Ok(Nothing {})
}

pub(crate) fn queue_pause(app: &App, request: PauseRequest) -> Result<Nothing, ApiError> {
    let engine = app.engine();
    match (request.paused, request.until.as_deref()) {
        (false, _) => engine.queue().resume()?,
        (true, until) => {
            let wanted = match until {
                None => PauseFor::Resumed,
                Some("hour") => PauseFor::Hour,
                Some("tomorrow") => PauseFor::Tomorrow,
                Some(other) => {
                    return Err(ApiError::invalid(format!(
                        "'{other}' is not a valid end of a pause; use hour, tomorrow, or leave it out"
                    )));
                }
            };
            engine.queue().pause_for(wanted)?;
        }
    }
    Ok(Nothing {})
}

pub(crate) fn gate_log_list(app: &App, request: GateLogRequest) -> Result<GateLogResponse, ApiError> {
    let gate = request.gate.map(|name| name.parse()).transpose()?;
    let conversation: Option<ConversationId> = request.conversation.map(|id| id.parse()).transpose()?;
    let limit = small_page(request.limit, GATE_ENTRIES_MAX);
    Ok(app.engine().store().read(|tx| {
        let (total, rows) = tx.memories().gate_log(gate, conversation.as_ref(), request.offset, limit)?;
        let items = rows
            .into_iter()
            .map(|row| GateEntry {
                seq: row.seq as u64,
                gate: row.gate.to_string(),
                content: row.content,
                reason: row.reason,
                conversation_id: row.conversation_id.to_string(),
                conversation_title: title_or_stand_in(row.conversation_title.as_deref()),
                start: row.place.as_ref().and_then(|(_, span)| span.map(|span| span.start())),
                end: row.place.as_ref().and_then(|(_, span)| span.map(|span| span.end())),
                interaction_id: row.place.map(|(id, _)| id.into()),
                proposer: row.proposer,
                created_at: row.created.0,
            })
            .collect();
        Ok(GateLogResponse { total, items, by_gate: counts(tx.memories().gate_counts()?) })
    })?)
}

pub(crate) fn alerts_list(app: &App, _request: Nothing) -> Result<AlertsResponse, ApiError> {
    let alerts = app.engine().store().read(|tx| tx.alerts().all())?;
    let items = alerts
        .into_iter()
        .map(|alert| AlertView {
            id: alert.id.into(),
            kind: alert.kind,
            message: alert.message,
            job_id: alert.job_id.map(String::from),
            created_at: alert.created.0,
        })
        .collect();
    Ok(AlertsResponse { items })
}

pub(crate) fn alert_dismiss(app: &App, request: ById) -> Result<Nothing, ApiError> {
    let now = app.engine().now();
    let id = request.id.parse()?;
    app.engine().store().write(|tx| tx.alerts().dismiss(&id, now))?;
    Ok(Nothing {})
}
