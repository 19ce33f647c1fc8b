//! Commands for live sources: adding, pausing and removing them, and choosing what is stored from them.
//!
//! Not in this module: the protocols (`keepsake-connectors`), and keeping the sources running (`server`).

use keepsake_connectors::{
    Connected, DeviceRequest, DeviceStatus, KeyBackup, Secret, Settings, WaitingSignIn, connect_once, open_in_browser,
};
use keepsake_domain::{ChannelChoice, LiveSourceId, LiveSourceKind, Timestamp, Visibility};
use keepsake_engine::{Control as _, LiveSource, LiveState, NewLiveSource, SystemClock, random_bytes};
use keepsake_store::LiveChannelRow;

use super::erase::preview;
use crate::app::{App, FileAccess};
use crate::error::ApiError;
use crate::types::conversations::ErasePreview;
use crate::types::live_sources::*;
use crate::types::{ById, Nothing};

fn device_view(status: DeviceStatus) -> LiveDeviceView {
    let (backup, keys_done, keys_total) = match status.backup {
        KeyBackup::Absent => ("absent", 0, 0),
        KeyBackup::Locked => ("locked", 0, 0),
        KeyBackup::Open { done, total } => ("open", done, total),
    };
    let emoji = |(symbol, name): (&str, &str)| ComparedEmoji { symbol: symbol.to_owned(), name: name.to_owned() };
    LiveDeviceView {
        is_verified: status.is_verified,
        can_be_verified: status.can_be_verified,
        backup: backup.to_owned(),
        keys_done,
        keys_total,
        comparison: status.comparison.map(|comparison| EmojiComparison {
            stage: comparison.stage.name().to_owned(),
            other: comparison.other,
            emoji: comparison.emoji.into_iter().map(emoji).collect(),
        }),
    }
}

fn view(source: LiveSource, device: Option<DeviceStatus>, channels: &[LiveChannelRow]) -> Result<LiveSourceView, ApiError> {
    let LiveSource { row, state, missing } = source;
    let count = |choice: ChannelChoice| channels.iter().filter(|channel| channel.choice == choice).count() as u64;
    let (detail, next_at) = match &state {
        LiveState::Retrying { detail, at } => (Some(detail.clone()), Some(at.0)),
        LiveState::NeedsAttention { detail } => (Some(detail.clone()), None),
        LiveState::NeedsSecret => {
            (Some("This system has no keyring. Sign in again; what you enter is kept until Keepsake ends.".to_owned()), None)
        }
        LiveState::Scheduled { at } => (without(&missing), Some(at.0)),
        _ => (without(&missing), None),
    };
    let (done, total) = match state {
        LiveState::CatchingUp { done, total } => (Some(done), total),
        _ => (None, None),
    };
    Ok(LiveSourceView {
        id: row.id.to_string(),
        kind: row.kind.name().to_owned(),
        name: row.name,
        state: state.name().to_owned(),
        detail,
        done,
        total,
        next_at,
        daily_hour: row.daily_hour,
        last_message_at: row.last_message_at.map(|at| at.0),
        messages: channels.iter().map(|channel| channel.messages).sum(),
        channels: channels.len() as u64,
        remembered: count(ChannelChoice::Remember),
        undecided: count(ChannelChoice::Ask),
        unreadable: channels.iter().map(|channel| channel.unreadable).sum(),
        device: device.map(device_view),
        left_out: row.left_out.into_iter().map(|(reason, count)| LeftOutCount { reason, count }).collect(),
        settings: serde_json::from_str(&row.settings)
            .map_err(|error| ApiError::invalid(format!("the stored settings of a source cannot be read: {error}")))?,
    })
}

/// Describes which chosen channels no longer exist at their source; `None` if all of them still exist.
fn without(missing: &[String]) -> Option<String> {
    let [first, rest @ ..] = missing else { return None };
    let what = match rest.len() {
        0 => format!("“{first}” is"),
        1 => format!("“{first}” and another one are"),
        others => format!("“{first}” and {others} others are"),
    };
    Some(format!("{what} not there any more. What was read stays; if it comes back, reading goes on."))
}

pub(crate) fn live_sources_list(app: &App, _request: Nothing) -> Result<LiveSourcesResponse, ApiError> {
    let engine = app.engine();
    let sources = engine.sources().live_sources()?;
    // The keyring is accessed only if a source has a secret, because the system may then prompt the person.
    let has_secret = sources.iter().any(|source| source.row.kind != LiveSourceKind::Webhook);
    let items = sources.into_iter().map(|source| {
        let channels = engine.sources().live_channels(&source.row.id)?;
        let device = engine.sources().own_device(&source.row.id);
        view(source, device, &channels)
    });
    Ok(LiveSourcesResponse {
        items: items.collect::<Result<_, _>>()?,
        is_secret_lost_at_end: has_secret && engine.sources().secrets_are_lost_at_the_end(),
    })
}

/// Parses settings. Errors never quote them.
fn settings(value: serde_json::Value) -> Result<Settings, ApiError> {
    serde_json::from_value(value).map_err(|error| ApiError::invalid(format!("the settings of the source: {error}")))
}

/// Connects with a secret, or with one obtained by signing in on a web page.
fn connected(app: &App, settings: Settings, secret: Option<String>, attempt: Option<&str>) -> Result<Connected, ApiError> {
    let refused = |fault: keepsake_connectors::Fault| ApiError::refused(fault.to_string());
    let secret = match attempt {
        None => secret.filter(|secret| !secret.is_empty()).map(Secret::from),
        Some(attempt) => {
            // Begin the task first, so that a cancellation finds either the task or the sign-in.
            let task = app.begin_task(attempt)?;
            let waiting = app.take_sign_in(attempt);
            let waiting = waiting.ok_or_else(|| ApiError::refused("this sign-in is over; begin again"))?;
            Some(waiting.finish_once(|| task.is_cancelled(), &SystemClock).map_err(refused)?)
        }
    };
    connect_once(settings, secret).map_err(refused)
}

pub(crate) fn live_source_sign_in(app: &App, request: SignInRequest) -> Result<SignInBegun, ApiError> {
    let begun = WaitingSignIn::begin_once(&settings(request.settings)?).map_err(|fault| ApiError::refused(fault.to_string()))?;
    let (address, code) = (begun.address().to_owned(), begun.code().map(str::to_owned));
    // In a browser, the page opens the address itself.
    let is_opened = app.inner.file_access == FileAccess::PickFiles && open_in_browser(&address).is_ok();
    Ok(SignInBegun { attempt: app.keep_sign_in(begun), address, code, is_opened })
}

pub(crate) fn live_source_recover(app: &App, request: LiveSourceRecoverRequest) -> Result<LiveSourcesResponse, ApiError> {
    let id: LiveSourceId = request.id.parse()?;
    if request.recovery_key.trim().is_empty() {
        return Err(ApiError::invalid("enter the recovery key or the passphrase"));
    }
    app.engine().sources().ask_own_device(&id, DeviceRequest::Recover(request.recovery_key.into()))?;
    live_sources_list(app, Nothing {})
}

pub(crate) fn live_source_compare(app: &App, request: LiveSourceCompareRequest) -> Result<LiveSourcesResponse, ApiError> {
    let id: LiveSourceId = request.id.parse()?;
    let asked = match request.action.as_str() {
        "begin" => DeviceRequest::Compare,
        "accept" => DeviceRequest::Accept,
        "match" => DeviceRequest::Match,
        "mismatch" => DeviceRequest::Mismatch,
        "cancel" => DeviceRequest::Cancel,
        _ => return Err(ApiError::invalid("the action is none of begin, accept, match, mismatch and cancel")),
    };
    app.engine().sources().ask_own_device(&id, asked)?;
    live_sources_list(app, Nothing {})
}

pub(crate) fn live_source_add(app: &App, request: LiveSourceAddRequest) -> Result<LiveSourceAdded, ApiError> {
    let engine = app.engine();
    let settings = settings(request.settings)?;
    if settings == Settings::Webhook {
        let name = request.name.ok_or_else(|| ApiError::invalid("a webhook needs a name, for example that of the bridge"))?;
        let (id, token) = engine.sources().add_webhook(&name, random_bytes()?)?;
        return Ok(LiveSourceAdded { id: id.to_string(), token: Some(token), channels: 0 });
    }
    let connected = connected(app, settings, request.secret, request.attempt.as_deref())?;
    let channels = connected.channels.len() as u64;
    let id = engine.sources().add_live_source(NewLiveSource { connected, name: request.name, daily_hour: None })?;
    Ok(LiveSourceAdded { id: id.to_string(), token: None, channels })
}

pub(crate) fn live_source_reconnect(app: &App, request: LiveSourceReconnectRequest) -> Result<LiveSourcesResponse, ApiError> {
    let engine = app.engine();
    let id: LiveSourceId = request.id.parse()?;
    let stored = serde_json::from_str(&engine.sources().live_source(&id)?.row.settings)
        .map_err(|error| ApiError::invalid(format!("the stored settings of the source cannot be read: {error}")))?;
    let settings = settings(request.settings.unwrap_or(stored))?;
    let connected = connected(app, settings, request.secret, request.attempt.as_deref())?;
    engine.sources().reconnect_live_source(&id, &connected)?;
    live_sources_list(app, Nothing {})
}

pub(crate) fn live_source_rename(app: &App, request: LiveSourceRenameRequest) -> Result<LiveSourcesResponse, ApiError> {
    app.engine().sources().rename_live_source(&request.id.parse()?, &request.name)?;
    live_sources_list(app, Nothing {})
}

pub(crate) fn live_source_token(app: &App, request: ById) -> Result<LiveSourceAdded, ApiError> {
    let id: LiveSourceId = request.id.parse()?;
    let token = app.engine().sources().renew_webhook_token(&id, random_bytes()?)?;
    let channels = app.engine().sources().live_channels(&id)?.len() as u64;
    Ok(LiveSourceAdded { id: request.id, token: Some(token), channels })
}

pub(crate) fn live_source_pause(app: &App, request: LiveSourcePauseRequest) -> Result<LiveSourcesResponse, ApiError> {
    let engine = app.engine();
    let ids = match request.id {
        Some(id) => vec![id.parse()?],
        None => engine.sources().live_sources()?.into_iter().map(|source| source.row.id).collect(),
    };
    for id in ids {
        engine.sources().pause_live_source(&id, request.is_paused)?;
    }
    live_sources_list(app, Nothing {})
}

pub(crate) fn live_source_schedule(app: &App, request: LiveSourceScheduleRequest) -> Result<LiveSourcesResponse, ApiError> {
    app.engine().sources().schedule_live_source(&request.id.parse()?, request.daily_hour)?;
    live_sources_list(app, Nothing {})
}

pub(crate) fn live_source_remove_preview(app: &App, request: ById) -> Result<ErasePreview, ApiError> {
    let row = app.engine().sources().live_source(&request.id.parse()?)?.row;
    Ok(preview(app.engine().erasure().preview_undone_import(&row.import)?))
}

pub(crate) fn live_source_remove(app: &App, request: LiveSourceRemoveRequest) -> Result<LiveSourceRemoved, ApiError> {
    let receipt = app.engine().sources().remove_live_source(&request.id.parse()?, request.forget)?;
    Ok(receipt.map_or(LiveSourceRemoved { messages: 0, memories: 0, is_pending: false }, |receipt| LiveSourceRemoved {
        messages: receipt.erased.messages,
        memories: receipt.erased.memories,
        is_pending: !receipt.is_done,
    }))
}

pub(crate) fn live_channels_list(app: &App, request: ById) -> Result<LiveChannelsResponse, ApiError> {
    let rows = app.engine().sources().live_channels(&request.id.parse()?)?;
    let items = rows.into_iter().map(|row| LiveChannelView {
        channel: row.channel,
        title: row.title,
        member_count: row.member_count,
        is_encrypted: row.is_encrypted,
        is_public: row.visibility == Visibility::Public,
        choice: row.choice.name().to_owned(),
        since: row.since.map(|since| since.0),
        unreadable: row.unreadable,
        messages: row.messages,
    });
    Ok(LiveChannelsResponse { items: items.collect() })
}

pub(crate) fn live_channels_choose(app: &App, request: LiveChannelsChooseRequest) -> Result<LiveChannelsResponse, ApiError> {
    let choice: ChannelChoice = request.choice.parse().map_err(|error| ApiError::invalid(format!("{error}")))?;
    let id: LiveSourceId = request.id.parse()?;
    app.engine().sources().choose_live_channels(&id, &request.channels, choice, request.since.map(Timestamp))?;
    live_channels_list(app, ById { id: request.id })
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;

    use keepsake_engine::{EmbedderSlot, EmbedderState};
    use serde_json::json;

    use super::*;
    use crate::app::AppOptions;
    use crate::dispatch;

    /// Starts a mock provider that waits for a code that nobody enters. Returns its address.
    fn provider() -> String {
        const ANSWER: &str = r#"{"device_code":"dev-1","user_code":"ABCD-EFGH","verification_uri":"https://p.example/device",
            "expires_in":600,"error":"authorization_pending"}"#;
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}/", listener.local_addr().expect("an address"));
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let (mut asked, mut part) = (Vec::new(), [0; 4096]);
                // The scope is the last field.
                while !asked.ends_with(b"mail-scope") && !asked.ends_with(b"app-1") {
                    let count = stream.read(&mut part).expect("it reads");
                    asked.extend_from_slice(&part[..count]);
                }
                let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", ANSWER.len());
                stream.write_all(format!("{head}{ANSWER}").as_bytes()).expect("it writes");
            }
        });
        address
    }

    #[test]
    fn a_sign_in_with_a_code_shows_the_code_alone_and_ends_when_it_is_cancelled_before_or_while_it_is_waited_for() {
        let dir = tempfile::tempdir().expect("a folder");
        let embedder = EmbedderSlot::new(EmbedderState::Loading);
        // The test runs without a window, because a window would open the page.
        let file_access = FileAccess::Upload;
        let app = App::open(AppOptions { data_dir: dir.path().to_owned().into(), embedder, file_access }).expect("it opens");
        let at = provider();
        let sign_in = json!({ "with": "oauth2", "client_id": "app-1", "device_url": at, "token_url": at, "scope": "mail-scope" });
        let settings = json!({ "kind": "mail", "host": "m.example", "port": 993, "security": "tls", "user": "ana@m.example", "sign_in": sign_in });
        let begin = || {
            let begun = dispatch(&app, "live_source_sign_in", json!({ "settings": settings })).expect("it begins");
            assert_eq!(
                (&begun["code"], &begun["address"], &begun["is_opened"]),
                (&json!("ABCD-EFGH"), &json!("https://p.example/device"), &json!(false))
            );
            assert!(!begun.to_string().contains("dev-1"));
            begun["attempt"].clone()
        };
        let add = |attempt: &serde_json::Value| {
            let added = dispatch(&app, "live_source_add", json!({ "settings": settings, "attempt": attempt }));
            added.expect_err("nobody signed in").to_string()
        };
        let cancel = |attempt: &serde_json::Value| dispatch(&app, "task_cancel", json!({ "id": attempt })).expect("it ends");
        let before = begin();
        cancel(&before);
        assert!(add(&before).contains("over"));
        let during = begin();
        let told = std::thread::scope(|scope| {
            let adding = scope.spawn(|| add(&during));
            // Long enough for the wait to begin. On a busy computer, the cancellation may come first, which also ends it.
            std::thread::sleep(std::time::Duration::from_millis(200));
            while !adding.is_finished() {
                cancel(&during);
                std::thread::yield_now();
            }
            adding.join().expect("it ends")
        });
        assert!(told.contains("stopped") || told.contains("over"), "{told}");
    }
}
