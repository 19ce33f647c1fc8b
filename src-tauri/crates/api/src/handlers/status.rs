//! Commands for the application's status, the settings and the window's state.

use keepsake_engine::{EmbedderState, ReaderStanding};

use crate::app::App;
use crate::error::ApiError;
use crate::types::Nothing;
use crate::types::status::*;

/// Maximum size of the window's state in bytes. Anything larger would be a document.
const UI_STATE_BYTES_MAX: usize = 64 * 1024;

const SETTINGS_KEY: &str = "settings";
const UI_STATE_KEY: &str = "ui_state";

/// Name of the expected embedding model, used when none is loaded.
const WANTED_MODEL: &str = "keepsake-sentences-2";

pub(crate) fn app_status(app: &App, _request: Nothing) -> Result<AppStatus, ApiError> {
    app.notice_other_processes()?;
    let engine = app.engine();
    let now = engine.now();
    let embedder = engine.embedder().state();
    let (state, model, dimension, problem) = match &embedder {
        EmbedderState::Ready(model) => (EmbeddingState::Ready, model.name().to_owned(), model.dimension() as u32, None),
        // A command loads the model once it needs a vector; until then it is as good as ready.
        EmbedderState::Idle(installed) => (EmbeddingState::Ready, installed.name.clone(), installed.dimension as u32, None),
        EmbedderState::Loading => (EmbeddingState::Loading, WANTED_MODEL.to_owned(), 0, None),
        EmbedderState::Missing(problem) => (EmbeddingState::Missing, WANTED_MODEL.to_owned(), 0, Some(problem.clone())),
        EmbedderState::Broken(problem) => (EmbeddingState::Broken, WANTED_MODEL.to_owned(), 0, Some(problem.clone())),
    };
    let (reader_state, reader_problem) = match engine.embedder().reader().standing() {
        ReaderStanding::Ready => (ReaderState::Ready, None),
        ReaderStanding::Idle => (ReaderState::Idle, None),
        ReaderStanding::Missing => (ReaderState::Missing, None),
        ReaderStanding::Refused(why) => (ReaderState::Refused, Some(why)),
    };
    let links = engine.people().open_links()?;
    let playbooks = engine.playbooks().playbooks_waiting()?;
    let reflections = engine.reflections().reflections_waiting()?;
    let digest = engine.maintenance().digest_notice()?.map(|(run, waiting)| DigestNotice { run: run.to_string(), waiting });
    let status = engine.store().read(|tx| {
        let (messages, conversations) = tx.log().totals()?;
        let (pending, active, quarantined) = tx.memories().totals(now)?;
        let (embedded, total) = tx.vectors().embedding_progress(&model)?;
        let counts = Counts {
            messages,
            conversations,
            pending,
            active,
            quarantined,
            links,
            playbooks,
            reflections,
            alerts: tx.alerts().count()?,
            jobs: tx.jobs().unsettled()?,
            erasures_pending: tx.lifecycle().pending_erasures()?,
        };
        let owner = tx.log().owner()?.map(|(name, handles)| OwnerView {
            name,
            handles: handles.into_iter().map(|(channel, handle, verified)| HandleView { channel, handle, verified }).collect(),
        });
        Ok(AppStatus {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            data_dir: engine.data_dir().to_string_lossy().into_owned(),
            shared_dir: app.inner.shared_dir.as_ref().map(|dir| dir.to_string_lossy().into_owned()),
            is_first_run: messages == 0 && !tx.sources().has_imports()?,
            counts,
            embedding: EmbeddingStatus { state, model: model.clone(), dimension, problem: problem.clone(), embedded, total },
            reader: ReaderStatus { state: reader_state, problem: reader_problem.clone() },
            owner,
            sample_loaded: !tx.sources().sample_imports()?.is_empty(),
            paused: false,
            paused_until: None,
            digest: digest.clone(),
            file_access: app.inner.file_access.name().to_owned(),
        })
    })?;
    let pause = engine.queue().pause()?;
    let paused_until = pause.and_then(|pause| pause.until).map(|until| until.0);
    Ok(AppStatus { paused: pause.is_some(), paused_until, ..status })
}

pub(crate) fn settings_get(app: &App, _request: Nothing) -> Result<Settings, ApiError> {
    // The engine stores this setting, together with the time it was turned on.
    let analyze_ended = app.engine().conversations().analysis_rules()?.automatic;
    let offer = app.engine().review().offer()?;
    Ok(Settings { analyze_ended, offer, ..stored_settings(app)? })
}

fn stored_settings(app: &App) -> Result<Settings, ApiError> {
    let stored = app.engine().store().read(|tx| tx.settings().setting(SETTINGS_KEY))?;
    // If another version wrote a field that is invalid here, the field falls back to its default, and the others are kept.
    let Some(stored) = stored else { return Ok(Settings::default()) };
    let mut merged = serde_json::to_value(Settings::default()).unwrap_or_default();
    if let (Some(fields), Ok(serde_json::Value::Object(known))) = (merged.as_object_mut(), serde_json::from_str(&stored)) {
        for (name, value) in known {
            let mut candidate = serde_json::Value::Object(fields.clone());
            candidate[&name] = value.clone();
            if serde_json::from_value::<Settings>(candidate).is_ok() {
                fields.insert(name, value);
            }
        }
    }
    Ok(serde_json::from_value(merged).unwrap_or_default())
}

pub(crate) fn settings_set(app: &App, request: Settings) -> Result<Settings, ApiError> {
    let is_region = |region: &String| region.len() == 2 && region.bytes().all(|b| b.is_ascii_uppercase());
    if let Some(bad) = request.phone_regions.iter().find(|region| !is_region(region)) {
        return Err(ApiError::invalid(format!("'{bad}' is not a region; use two capital letters, for example DE")));
    }
    if request.analyze_ended != app.engine().conversations().analysis_rules()?.automatic {
        app.engine().conversations().set_automatic_analysis(request.analyze_ended)?;
    }
    if request.offer != app.engine().review().offer()? {
        app.engine().review().set_offer(request.offer)?;
    }
    let json = serde_json::to_string(&request).map_err(|error| ApiError::invalid(error.to_string()))?;
    let now = app.engine().now();
    app.engine().store().write(|tx| tx.settings().put(SETTINGS_KEY, &json, now))?;
    Ok(request)
}

pub(crate) fn ui_state_get(app: &App, _request: Nothing) -> Result<UiState, ApiError> {
    let stored = app.engine().store().read(|tx| tx.settings().setting(UI_STATE_KEY))?;
    let value = stored.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_else(|| "{}".to_owned());
    Ok(UiState { value })
}

pub(crate) fn ui_state_set(app: &App, request: UiState) -> Result<Nothing, ApiError> {
    if request.value.len() > UI_STATE_BYTES_MAX {
        return Err(ApiError::invalid("the state of the window is too large to store; please report this"));
    }
    let json = serde_json::Value::String(request.value).to_string();
    let now = app.engine().now();
    app.engine().store().write_quietly(|tx| tx.settings().put(UI_STATE_KEY, &json, now))?;
    Ok(Nothing {})
}
