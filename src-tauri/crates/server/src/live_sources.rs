//! Keeps live sources running in the process that works on the data: starts them, stops them, and says what each is doing.
//!
//! A look compares the stored sources with those that run. It happens after every change of them, and when a daily source is due.
//! Not in this module: the protocols (`keepsake-connectors`), and what is stored (`engine`).

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

/// Longest wait between two looks while a daily source waits for its hour. A computer that slept does not count the time, so the
/// hour is noticed at most this late.
const LOOK_AGAIN: Duration = Duration::from_secs(10 * 60);

/// The choices of a source that its connector follows.
type Choices = Vec<(String, Option<Timestamp>)>;

/// A source that runs.
struct Running {
    task: JoinHandle<()>,
    settings: String,
    choices: Choices,
    changed: watch::Sender<u64>,
}

impl Drop for Running {
    fn drop(&mut self) {
        // Whatever was being delivered is still stored as a whole.
        self.task.abort();
    }
}

/// Starts a thread that runs the live sources until the application ends. One is enough: sources wait most of the time, and the
/// store is called on threads of its own.
pub(crate) fn start(app: App, ending: watch::Receiver<bool>) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let work = move || tokio::task::LocalSet::new().block_on(&runtime, run(app, ending));
    std::thread::Builder::new().name("sources".to_owned()).spawn(work).map(drop)
}

/// Runs the live sources until the application ends.
async fn run(app: App, mut ending: watch::Receiver<bool>) {
    let (tell, mut told) = watch::channel(0_u64);
    let changes = app.subscribe();
    // It ends with the application, which drops the other side.
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

/// Passes on that sources changed, until the application ends.
fn forward(changes: &Receiver<Event>, tell: &watch::Sender<u64>) {
    while let Ok(event) = changes.recv() {
        if let Event::Changed { tags } = event
            && tags.iter().any(|tag| tag == "sources")
        {
            tell.send_modify(|version| *version += 1);
        }
    }
}

/// The sources with what the person chose for their channels.
fn sources(engine: &Engine) -> keepsake_engine::Result<Vec<(LiveSource, Choices)>> {
    let with_choices = |source: LiveSource| {
        let channels = engine.sources().live_channels(&source.row.id)?.into_iter();
        let chosen = channels.filter(|channel| channel.choice == ChannelChoice::Remember);
        Ok((source, chosen.map(|channel| (channel.channel, channel.since)).collect()))
    };
    engine.sources().live_sources()?.into_iter().map(with_choices).collect()
}

/// Makes what runs what should run. Returns how long until a daily source is due.
fn look(engine: &Engine, sources: &[(LiveSource, Choices)], running: &mut HashMap<LiveSourceId, Running>) -> Option<Duration> {
    let by_id: BTreeMap<&LiveSourceId, &LiveSource> = sources.iter().map(|(source, _)| (&source.row.id, source)).collect();
    running.retain(|id, run| {
        // Its state is taken away where it must begin anew, for example with another password.
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
                // Everything was read. What is said from now on is read tomorrow.
                running.remove(&row.id);
                if let Err(error) = engine.sources().note_live_source_read(&row.id) {
                    tracing::error!(%error, "it could not be stored that a source was read");
                }
                // What was stored brings the next look, which knows when it is due again.
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
            // What the person asks of the device comes the same way as what they choose.
            Some(run) if run.choices != *choices || engine.sources().is_device_asked(&row.id) => {
                run.choices.clone_from(choices);
                run.changed.send_modify(|version| *version += 1);
            }
            Some(_) => {}
            // It does not run again on its own: the person has to do something.
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

/// Runs the reading of a source. A fault in its connector stops this source alone, and is said.
async fn guarded(engine: Engine, id: LiveSourceId, reading: impl Future<Output = ()> + 'static) {
    // The reading ends with this task.
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
        // Once, however often it happens.
        if said.as_ref() != Some(&detail) {
            tracing::warn!(source = %id, %detail, "a source cannot be read");
            said = Some(detail.clone());
        }
        match wait {
            // It was paused or removed meanwhile, and is stopped by the next look.
            _ if matches!(fault, Fault::Inbox(InboxError::Stopped)) => {}
            Some(wait) => {
                let at = engine.now().plus_ms(i64::try_from(wait.as_millis()).unwrap_or(i64::MAX));
                note(LiveState::Retrying { detail, at });
            }
            None => note(LiveState::NeedsAttention { detail }),
        }
    };
    // Nothing runs after it until the person did something.
    supervise(settings, link, failed).await;
}

/// Whether a source cannot be read without a secret.
fn needs_secret(kind: LiveSourceKind) -> bool {
    match kind {
        LiveSourceKind::Matrix | LiveSourceKind::Mail => true,
        LiveSourceKind::Simplex | LiveSourceKind::Webhook => false,
    }
}
