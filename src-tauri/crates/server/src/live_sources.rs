//! Keeps live sources running in the process that works on the data: starts them, stops them, and reports what each is doing.
//!
//! A look compares the stored sources with the running ones. A look takes place after every change to the sources, and when a
//! daily source is due. Not in this module: the protocols (`keepsake-connectors`), and what is stored (`engine`).

use std::collections::{BTreeMap, HashMap};
use std::sync::mpsc::Receiver;
use std::time::Duration;

use keepsake_api::App;
use keepsake_api::types::activity::Event;
use keepsake_connectors::{Fault, InboxError, Link, Settings, supervise};
use keepsake_domain::{ChannelChoice, LiveSourceId, LiveSourceKind, Timestamp};
use keepsake_engine::{Engine, LiveSource, LiveState};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

/// Maximum time between two looks while a daily source is scheduled. Time during which the computer sleeps is not counted, so
/// the scheduled hour is noticed at most this late.
const LOOK_AGAIN: Duration = Duration::from_secs(10 * 60);

/// The person's choices for a source's channels, for its connector.
type Choices = Vec<(String, Option<Timestamp>)>;

/// A running source.
struct Running {
    task: JoinHandle<()>,
    settings: String,
    choices: Choices,
    changed: watch::Sender<u64>,
}

impl Drop for Running {
    fn drop(&mut self) {
        // A delivery in progress is still stored completely.
        self.task.abort();
    }
}

/// Starts a thread that runs the live sources until the application ends. One thread is enough: sources are idle most of the
/// time, and calls to the store run on other threads.
pub(crate) fn start(app: App, ending: watch::Receiver<bool>) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let work = move || tokio::task::LocalSet::new().block_on(&runtime, run(app, ending));
    std::thread::Builder::new().name("sources".to_owned()).spawn(work).map(drop)
}

/// Runs the live sources until the application ends.
async fn run(app: App, mut ending: watch::Receiver<bool>) {
    let (tell, mut told) = watch::channel(0_u64);
    let changes = app.subscribe();
    // The thread ends with the application, which drops the other end of the channel.
    let forward = std::thread::Builder::new().name("source-changes".to_owned()).spawn(move || forward(&changes, &tell));
    if let Err(error) = forward {
        tracing::error!(%error, "live sources cannot be read");
        return;
    }
    let mut running = HashMap::new();
    loop {
        let engine = app.engine().clone();
        told.borrow_and_update();
        let stored = tokio::task::spawn_blocking(move || sources(&engine)).await;
        let next = match stored {
            Ok(Ok(sources)) => look(app.engine(), &sources, &mut running),
            Ok(Err(error)) => {
                tracing::error!(%error, "the live sources could not be read");
                None
            }
            Err(_) => return,
        };
        let wait = async {
            match next {
                Some(wait) => tokio::time::sleep(wait.min(LOOK_AGAIN)).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            changed = told.changed() => if changed.is_err() { return },
            () = wait => {}
            _ = ending.wait_for(|is_ending| *is_ending) => return,
        }
    }
}

/// Forwards notices that sources changed, until the application ends.
fn forward(changes: &Receiver<Event>, tell: &watch::Sender<u64>) {
    while let Ok(event) = changes.recv() {
        if let Event::Changed { tags } = event
            && tags.iter().any(|tag| tag == "sources")
        {
            tell.send_modify(|version| *version += 1);
        }
    }
}

/// The sources, each with the person's choices for its channels.
fn sources(engine: &Engine) -> keepsake_engine::Result<Vec<(LiveSource, Choices)>> {
    let with_choices = |source: LiveSource| {
        let channels = engine.sources().live_channels(&source.row.id)?.into_iter();
        let chosen = channels.filter(|channel| channel.choice == ChannelChoice::Remember);
        Ok((source, chosen.map(|channel| (channel.channel, channel.since)).collect()))
    };
    engine.sources().live_sources()?.into_iter().map(with_choices).collect()
}

/// Starts and stops sources so that exactly those run that should. Returns the time until a daily source is due.
fn look(engine: &Engine, sources: &[(LiveSource, Choices)], running: &mut HashMap<LiveSourceId, Running>) -> Option<Duration> {
    let by_id: BTreeMap<&LiveSourceId, &LiveSource> = sources.iter().map(|(source, _)| (&source.row.id, source)).collect();
    running.retain(|id, run| {
        // A source's state is removed when the source must start over, for example with another password.
        let is_same = |source: &&LiveSource| source.row.settings == run.settings && source.state != LiveState::Stopped;
        let keeps = by_id.get(id).is_some_and(|source| !source.row.is_paused && is_same(source));
        if !keeps {
            engine.sources().note_live_state(id, None);
        }
        keeps
    });
    let mut next: Option<Duration> = None;
    for (source, choices) in sources {
        let row = &source.row;
        if row.is_paused || row.kind == LiveSourceKind::Webhook {
            continue;
        }
        if row.daily_hour.is_some() {
            if source.state == LiveState::Live {
                // Everything has been read. Messages sent from now on are read tomorrow.
                running.remove(&row.id);
                if let Err(error) = engine.sources().note_live_source_read(&row.id) {
                    tracing::error!(%error, "it could not be stored that a source was read");
                }
                // This write triggers the next look, which computes when the source is due again.
                continue;
            }
            let due = engine.sources().live_source_due(row);
            let now = engine.now();
            if due > now && !running.contains_key(&row.id) {
                engine.sources().note_live_state(&row.id, Some(LiveState::Scheduled { at: due }));
                let wait = Duration::from_millis(u64::try_from(due.0 - now.0).unwrap_or(0));
                next = Some(next.map_or(wait, |other| other.min(wait)));
                continue;
            }
        }
        match running.get_mut(&row.id) {
            // The person's requests for the device are passed on in the same way as changed choices.
            Some(run) if run.choices != *choices || engine.sources().is_device_asked(&row.id) => {
                run.choices.clone_from(choices);
                run.changed.send_modify(|version| *version += 1);
            }
            Some(_) => {}
            // The source is not restarted automatically: the person has to act first.
            None if matches!(source.state, LiveState::NeedsAttention { .. } | LiveState::NeedsSecret) => {}
            None => {
                engine.sources().note_live_state(&row.id, Some(LiveState::Connecting));
                let changed = watch::Sender::new(0);
                let link = Link::new(engine.sources().source_inbox(&row.id), changed.subscribe());
                let reading = read(engine.clone(), row.id.clone(), row.kind, row.settings.clone(), link);
                let task = tokio::task::spawn_local(guarded(engine.clone(), row.id.clone(), reading));
                let run = Running { task, settings: row.settings.clone(), choices: choices.clone(), changed };
                running.insert(row.id.clone(), run);
            }
        }
    }
    next
}

/// Reads a source. A fault in its connector stops only this source, and is reported.
async fn guarded(engine: Engine, id: LiveSourceId, reading: impl Future<Output = ()> + 'static) {
    // Reading ends when this task ends.
    let mut tasks = JoinSet::new();
    tasks.spawn_local(reading);
    if let Some(Err(error)) = tasks.join_next().await
        && error.is_panic()
    {
        tracing::error!(source = %id, "a connector failed");
        let detail =
            "it stopped because of a fault in Keepsake; restart Keepsake, and report this if it happens again".to_owned();
        engine.sources().note_live_state(&id, Some(LiveState::NeedsAttention { detail }));
    }
}

/// Reads one source until the person has to do something about it.
async fn read(engine: Engine, id: LiveSourceId, kind: LiveSourceKind, settings: String, link: Link) {
    let (noting, noted) = (engine.clone(), id.clone());
    let note = move |state: LiveState| noting.sources().note_live_state(&noted, Some(state));
    let settings: Settings = match serde_json::from_str(&settings) {
        Ok(settings) => settings,
        Err(error) => {
            tracing::error!(%error, "the settings of a source cannot be read");
            return note(LiveState::NeedsAttention {
                detail: "its settings are of another version of Keepsake; remove the source and add it again".to_owned(),
            });
        }
    };
    let (keys, source) = (engine.clone(), id.clone());
    let has_secret = match tokio::task::spawn_blocking(move || keys.sources().source_secret(&source)).await {
        Ok(Ok(secret)) => secret.is_some(),
        Ok(Err(error)) => return note(LiveState::NeedsAttention { detail: error.to_string() }),
        Err(_) => return,
    };
    if !has_secret && needs_secret(kind) {
        return note(LiveState::NeedsSecret);
    }
    let mut said = None;
    let failed = move |fault: &Fault, wait: Option<Duration>| {
        let detail = fault.to_string();
        // Log a repeated fault only once.
        if said.as_ref() != Some(&detail) {
            tracing::warn!(source = %id, %detail, "a source cannot be read");
            said = Some(detail.clone());
        }
        match wait {
            // The source was paused or removed meanwhile; the next look stops it.
            _ if matches!(fault, Fault::Inbox(InboxError::Stopped)) => {}
            Some(wait) => {
                let at = engine.now().plus_ms(i64::try_from(wait.as_millis()).unwrap_or(i64::MAX));
                note(LiveState::Retrying { detail, at });
            }
            None => note(LiveState::NeedsAttention { detail }),
        }
    };
    // After this returns, the source does not run until the person acts.
    supervise(settings, link, failed).await;
}

/// Whether a source cannot be read without a secret.
fn needs_secret(kind: LiveSourceKind) -> bool {
    match kind {
        LiveSourceKind::Matrix | LiveSourceKind::Mail => true,
        LiveSourceKind::Simplex | LiveSourceKind::Webhook => false,
    }
}
