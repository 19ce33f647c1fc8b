//! Commands for maintenance: its state and schedule, starting and canceling a run, and expired proposals.

use keepsake_engine::{MaintenanceRules, PARKED_UNTIL};

use crate::app::App;
use crate::error::ApiError;
use crate::types::maintenance::*;
use crate::types::{Count, Nothing};

fn counts(found: Vec<(String, u64)>) -> Vec<Count> {
    found.into_iter().map(|(name, count)| Count { name, label: None, count }).collect()
}

pub(crate) fn maintenance_get(app: &App, _: Nothing) -> Result<MaintenanceView, ApiError> {
    let engine = app.engine();
    let found = engine.maintenance().state()?;
    let waiting = engine.store().read(|tx| tx.maintenance().waiting(engine.now(), PARKED_UNTIL))?;
    let proposals = engine.review().expired_proposals()?.len() as u64;
    let runs: Vec<MaintenanceRunView> = found
        .runs
        .into_iter()
        .map(|run| {
            let digest = run.digest.unwrap_or_default();
            MaintenanceRunView {
                id: run.row.id.to_string(),
                state: run.row.state.to_string(),
                started: run.row.started.0,
                finished: run.row.finished.map(|time| time.0),
                parked: run.row.parked,
                new: counts(digest.new),
                waiting: counts(digest.waiting),
            }
        })
        .collect();
    Ok(MaintenanceView {
        rules: MaintenanceRulesView {
            automatic: found.rules.automatic,
            hour: found.rules.hour,
            park_after_days: found.rules.park_after_days,
            notify: found.rules.notify,
        },
        is_running: runs.iter().any(|run| run.finished.is_none()),
        runs,
        jobs_left: found.jobs_left,
        next: found.next.map(|time| time.0),
        parked: waiting.into_iter().find(|(name, _)| *name == "parked").map_or(0, |(_, count)| count) + proposals,
    })
}

pub(crate) fn maintenance_set(app: &App, request: MaintenanceRulesView) -> Result<MaintenanceView, ApiError> {
    let MaintenanceRulesView { automatic, hour, park_after_days, notify } = request;
    app.engine().maintenance().set_rules(&MaintenanceRules { automatic, hour, park_after_days, notify })?;
    maintenance_get(app, Nothing {})
}

pub(crate) fn maintenance_start(app: &App, request: Nothing) -> Result<MaintenanceView, ApiError> {
    app.engine().maintenance().start()?;
    maintenance_get(app, request)
}

pub(crate) fn maintenance_cancel(app: &App, request: Nothing) -> Result<MaintenanceView, ApiError> {
    app.engine().maintenance().cancel()?;
    maintenance_get(app, request)
}

pub(crate) fn parked_list(app: &App, _: Nothing) -> Result<ParkedResponse, ApiError> {
    let items = app.engine().review().expired_proposals()?.into_iter().map(|parked| ParkedView {
        kind: parked.proposal.kind.to_string(),
        id: parked.proposal.id,
        title: parked.proposal.title,
        at: parked.at.0,
    });
    Ok(ParkedResponse { items: items.collect() })
}

pub(crate) fn parked_restore(app: &App, request: ParkedRestoreRequest) -> Result<ParkedResponse, ApiError> {
    let kind = |text: &str| text.parse().map_err(|error: keepsake_domain::ParseNameError| ApiError::invalid(error.to_string()));
    let items = request.items.into_iter().map(|item| Ok((kind(&item.kind)?, item.id)));
    app.engine().review().restore_proposals(&items.collect::<Result<Vec<_>, ApiError>>()?)?;
    parked_list(app, Nothing {})
}
