//! Commands for language models (Settings → Models), the memory router, the call log, and watched folders.

use keepsake_domain::MemoryProfile;
use keepsake_engine::{
    ModelSettings, Provider, ReadingEstimate, RouterSettings, TaskModels, TaskRating, WatchKind, WatchedSource,
};
use keepsake_models::keys::{ApiKey, KeyStoreState};
use keepsake_models::language::{FoundState, ServerKind, Shape, Unwatched};
use keepsake_store::{ModelCallRow, ModelUse};

use super::{small_page, title_or_stand_in};
use crate::app::App;
use crate::error::ApiError;
use crate::types::models::*;
use crate::types::sources::PickedFiles;
use crate::types::{ById, Nothing};

/// Maximum number of calls per page. It is low because each call contains its full text.
const CALLS_MAX: u32 = 200;

/// Listing models is fast. A server that takes longer than this is considered unreachable.
const LIST_TIMEOUT_MS: u64 = 5_000;

const SHAPES: [(&str, Shape); 2] = [("ollama", Shape::Ollama), ("openai", Shape::OpenAi)];

fn shape_name(shape: Shape) -> String {
    SHAPES.iter().find(|(_, known)| *known == shape).map_or_else(String::new, |(name, _)| (*name).to_owned())
}

fn provider(view: ProviderView) -> Result<Provider, ApiError> {
    let shape = SHAPES.iter().find(|(name, _)| *name == view.shape).map(|(_, shape)| *shape);
    let shape =
        shape.ok_or_else(|| ApiError::invalid(format!("'{}' is not a kind of server; use ollama or openai", view.shape)))?;
    Ok(Provider { shape, url: view.url, model: view.model, context_tokens: view.context_tokens })
}

fn provider_view(provider: &Provider) -> ProviderView {
    ProviderView {
        shape: shape_name(provider.shape),
        url: provider.url.clone(),
        model: provider.model.clone(),
        context_tokens: provider.context_tokens,
    }
}

fn use_view(used: ModelUse) -> ModelUseView {
    let ModelUse { calls, remote_calls, tokens, remote_tokens, remote_bytes } = used;
    ModelUseView { calls, remote_calls, tokens, remote_tokens, remote_bytes }
}

/// An error message as a sentence.
fn sentence(words: &str) -> String {
    let mut chars = words.chars();
    let capital: String = chars.next().map(|first| first.to_uppercase().collect()).unwrap_or_default();
    format!("{capital}{}{}", chars.as_str(), if words.ends_with(['.', '!', '?']) { "" } else { "." })
}

fn settings_view(settings: &ModelSettings) -> ModelSettingsView {
    let MemoryProfile { fact, project, experience, story, relationship } = settings.profile;
    let TaskModels { judge, analysis, topics } = settings.task_models.clone();
    ModelSettingsView {
        engines: settings.engines.to_string(),
        provider: settings.provider.as_ref().map(provider_view),
        task_models: TaskModelsView { judge, analysis, topics },
        this_computer_only: settings.this_computer_only,
        remote_tokens_a_day: settings.remote_tokens_a_day,
        profile: ProfileView { fact, project, experience, story, relationship },
        pause_on_battery: settings.pause_on_battery,
    }
}

pub(crate) fn models_get(app: &App, _request: Nothing) -> Result<ModelsView, ApiError> {
    let engine = app.engine();
    let settings = engine.models().settings()?;
    let now = engine.now();
    let origin = settings.provider.as_ref().and_then(|provider| provider.origin());
    let (used, unread, waiting) = engine.store().read(|tx| {
        let unread = if settings.proposing().is_some() { tx.log().conversations_for_model()?.len() as u64 } else { 0 };
        Ok((tx.model_calls().model_use(engine.models().day_began(now))?, unread, tx.jobs().waiting_for_model()?))
    })?;
    let keys = engine.models().keys();
    let (key_store, key_store_problem) = match keys.state() {
        KeyStoreState::Keyring => ("keyring", None),
        KeyStoreState::SessionOnly => {
            ("session", Some("This system has no keyring, and Keepsake never writes a key to a file.".to_owned()))
        }
    };
    Ok(ModelsView {
        is_local: settings.provider.as_ref().is_none_or(Provider::is_this_computer),
        settings: settings_view(&settings),
        key_store: key_store.to_owned(),
        key_store_problem,
        has_key: origin.is_some_and(|origin| matches!(keys.get(&origin), Ok(Some(_)))),
        hold: engine.models().hold(now)?.map(|hold| hold.why),
        today: use_view(used),
        unread,
        waiting,
    })
}

pub(crate) fn models_set(app: &App, request: ModelSettingsView) -> Result<ModelsView, ApiError> {
    let ProfileView { fact, project, experience, story, relationship } = request.profile;
    let TaskModelsView { judge, analysis, topics } = request.task_models;
    let settings = ModelSettings {
        engines: request.engines.parse()?,
        provider: request.provider.map(provider).transpose()?,
        task_models: TaskModels { judge, analysis, topics },
        this_computer_only: request.this_computer_only,
        remote_tokens_a_day: request.remote_tokens_a_day,
        profile: MemoryProfile { fact, project, experience, story, relationship },
        pause_on_battery: request.pause_on_battery,
        ..app.engine().models().settings()?
    };
    app.engine().models().set_settings(&settings)?;
    models_get(app, Nothing {})
}

fn server_name(kind: ServerKind) -> &'static str {
    match kind {
        ServerKind::Ollama => "Ollama",
        ServerKind::LmStudio => "LM Studio",
        ServerKind::LlamaCpp => "llama.cpp",
        ServerKind::Jan => "Jan",
    }
}

pub(crate) fn models_detect(app: &App, _request: Nothing) -> Result<FoundServers, ApiError> {
    let items = app
        .engine()
        .models()
        .detect()
        .into_iter()
        .map(|server| {
            let (state, models) = match server.state {
                FoundState::Ready { models } => ("ready", models),
                FoundState::NoModel => ("no_model", Vec::new()),
                FoundState::Loading => ("loading", Vec::new()),
                FoundState::KeyNeeded => ("key_needed", Vec::new()),
            };
            FoundServer {
                name: server_name(server.kind).to_owned(),
                shape: shape_name(server.endpoint.shape()),
                url: server.endpoint.origin(),
                version: server.version,
                state: state.to_owned(),
                models,
            }
        })
        .collect();
    Ok(FoundServers { items })
}

pub(crate) fn models_of(app: &App, request: ProviderView) -> Result<ModelNames, ApiError> {
    let engine = app.engine();
    let connection = engine.models().connection(&provider(request)?, engine.models().settings()?.this_computer_only)?;
    let items =
        connection.models(LIST_TIMEOUT_MS, &Unwatched).map_err(|error| ApiError::refused(sentence(&error.to_string())))?;
    Ok(ModelNames { items })
}

pub(crate) fn model_key_set(app: &App, request: ModelKeyRequest) -> Result<ModelsView, ApiError> {
    let refused = |error: &dyn std::fmt::Display| ApiError::refused(error.to_string());
    let origin = provider(request.provider)?
        .origin()
        .ok_or_else(|| ApiError::invalid("this is not the address of a server; enter one such as http://127.0.0.1:11434"))?;
    let keys = app.engine().models().keys();
    match request.key {
        Some(key) => {
            let key = ApiKey::parse(&key).map_err(|error| refused(&error))?;
            keys.put(&origin, &key).map_err(|error| refused(&error))?;
        }
        None => keys.delete(&origin).map_err(|error| refused(&error))?,
    }
    models_get(app, Nothing {})
}

pub(crate) fn model_test(app: &App, request: ProviderView) -> Result<ModelTest, ApiError> {
    let trial = app.engine().models().try_model(&provider(request)?)?;
    Ok(ModelTest {
        sent: trial.sent,
        received: trial.received,
        is_usable: trial.is_usable,
        problem: trial.problem.as_deref().map(sentence),
        duration_ms: trial.duration_ms,
        tokens: trial.tokens,
    })
}

pub(crate) fn model_rate(app: &App, request: ProviderView) -> Result<ModelRating, ApiError> {
    let rated = app.engine().models().rate(&provider(request)?)?;
    let view = |TaskRating { task, verdict, right, of, wrong }: TaskRating| TaskRatingView {
        task: task.to_owned(),
        verdict: verdict.name().to_owned(),
        right,
        of,
        wrong,
    };
    Ok(ModelRating { tasks: rated.into_iter().map(view).collect() })
}

pub(crate) fn model_rate_stop(app: &App, _request: Nothing) -> Result<Nothing, ApiError> {
    app.engine().models().stop_rating();
    Ok(Nothing {})
}

pub(crate) fn model_pull(app: &App, request: ModelPullRequest) -> Result<ModelPullView, ApiError> {
    app.engine().models().start_pull(&request.url, &request.model)?;
    model_pull_state(app, Nothing {})
}

pub(crate) fn model_pull_state(app: &App, _request: Nothing) -> Result<ModelPullView, ApiError> {
    let Some(pull) = app.engine().models().pull() else {
        return Ok(ModelPullView { model: None, done: 0, total: 0, is_over: true, problem: None });
    };
    let problem = pull.problem.as_deref().map(sentence);
    Ok(ModelPullView { model: Some(pull.model), done: pull.done, total: pull.total, is_over: pull.is_over, problem })
}

pub(crate) fn model_pull_stop(app: &App, _request: Nothing) -> Result<ModelPullView, ApiError> {
    app.engine().models().stop_pull();
    model_pull_state(app, Nothing {})
}

pub(crate) fn models_read_estimate(app: &App, _request: Nothing) -> Result<ReadingEstimateView, ApiError> {
    let ReadingEstimate { conversations, tokens, duration_ms } = app.engine().models().estimate_reading()?;
    Ok(ReadingEstimateView { conversations, tokens, duration_ms })
}

pub(crate) fn models_read_all(app: &App, _request: Nothing) -> Result<QueuedCount, ApiError> {
    Ok(QueuedCount { queued: app.engine().models().queue_unread_by_model()? as u64 })
}

pub(crate) fn router_settings_get(app: &App, _request: Nothing) -> Result<RouterSettingsView, ApiError> {
    let RouterSettings { is_on } = app.engine().models().router_settings()?;
    Ok(RouterSettingsView { is_on })
}

pub(crate) fn router_settings_set(app: &App, request: RouterSettingsView) -> Result<RouterSettingsView, ApiError> {
    app.engine().models().set_router_settings(RouterSettings { is_on: request.is_on })?;
    router_settings_get(app, Nothing {})
}

fn call_view(row: ModelCallRow) -> ModelCallView {
    ModelCallView {
        id: row.id.to_string(),
        purpose: row.purpose,
        host: row.host,
        is_local: row.is_local,
        model: row.model,
        conversation_title: row.conversation_id.as_ref().map(|_| title_or_stand_in(row.conversation_title.as_deref())),
        conversation_id: row.conversation_id.map(String::from),
        request: row.request,
        request_bytes: row.request_bytes,
        reply: row.reply,
        reply_bytes: row.reply_bytes,
        tokens_in: row.tokens_in,
        tokens_out: row.tokens_out,
        outcome: row.outcome.to_string(),
        error: row.error.as_deref().map(super::sentence),
        started_at: row.started.0,
        duration_ms: row.duration_ms.map(|ms| ms.max(0) as u64),
    }
}

pub(crate) fn model_calls_list(app: &App, request: ModelCallsRequest) -> Result<ModelCallsResponse, ApiError> {
    let engine = app.engine();
    let since = engine.models().day_began(engine.now());
    Ok(engine.store().read(|tx| {
        let (total, rows) = tx.model_calls().list(request.remote_only, request.offset, small_page(request.limit, CALLS_MAX))?;
        let items = rows.into_iter().map(call_view).collect();
        Ok(ModelCallsResponse { total, items, today: use_view(tx.model_calls().model_use(since)?) })
    })?)
}

pub(crate) fn model_calls_forget(app: &App, _request: Nothing) -> Result<Nothing, ApiError> {
    app.engine().store().write(|tx| tx.model_calls().forget_texts())?;
    Ok(Nothing {})
}

pub(crate) fn pick_folder(_app: &App, _request: Nothing) -> Result<PickedFiles, ApiError> {
    Err(ApiError::refused("this page has no folder dialog; choose folders in the desktop window"))
}

fn kind_name(kind: WatchKind) -> &'static str {
    match kind {
        WatchKind::Chat => "chat",
        WatchKind::Meetings => "meetings",
        WatchKind::Live => "live",
    }
}

pub(crate) fn watched_list(app: &App, _request: Nothing) -> Result<WatchedSources, ApiError> {
    let engine = app.engine();
    let items = engine
        .sources()
        .watched_sources()?
        .into_iter()
        .map(|source| {
            let (last, next) = engine.sources().watched_times(&source)?;
            let path = source.path.to_string_lossy().into_owned();
            Ok(WatchedSourceView {
                id: path.clone(),
                path,
                kind: kind_name(source.kind).to_owned(),
                hour: source.hour,
                me: source.me,
                last_at: last.map(|time| time.0),
                next_at: next.map(|time| time.0),
            })
        })
        .collect::<Result<_, ApiError>>()?;
    Ok(WatchedSources { items })
}

pub(crate) fn watched_add(app: &App, request: WatchedAddRequest) -> Result<WatchedSources, ApiError> {
    let kind = match request.kind.as_str() {
        "chat" => WatchKind::Chat,
        "meetings" => WatchKind::Meetings,
        "live" => WatchKind::Live,
        other => return Err(ApiError::invalid(format!("'{other}' is not a kind of source; use chat, meetings or live"))),
    };
    let path = app.file(&request.token)?;
    let engine = app.engine();
    let mut sources = engine.sources().watched_sources()?;
    sources.retain(|source| source.path != path);
    sources.push(WatchedSource { path, kind, hour: request.hour, me: request.me });
    engine.sources().set_watched_sources(&sources)?;
    watched_list(app, Nothing {})
}

pub(crate) fn watched_remove(app: &App, request: ById) -> Result<WatchedSources, ApiError> {
    let engine = app.engine();
    let mut sources = engine.sources().watched_sources()?;
    sources.retain(|source| source.path.to_string_lossy() != request.id);
    engine.sources().set_watched_sources(&sources)?;
    watched_list(app, Nothing {})
}
