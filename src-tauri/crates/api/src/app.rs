//! The application that every host opens. It owns the engine, the background worker, the files the person chose, and the event
//! listeners.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use keepsake_connectors::WaitingSignIn;
use keepsake_domain::{IdSource, SourceKind};
use keepsake_engine::{
    Control, EmbedderSlot, Engine, EngineError, EngineParts, QueueTurn, RandomIds, SystemClock, SystemPower, Worker, WorkerLock,
    local_zone,
};
use keepsake_store::{DataDir, Tag};

use crate::error::ApiError;
use crate::surroundings::Surroundings;
use crate::types::activity::Event;
use crate::types::agents::ServerState;
use crate::types::sources::FileToken;

/// Options for opening the application.
pub struct AppOptions {
    /// The data folder.
    pub data_dir: DataDir,
    /// The slot for the embedding model. A long-running host passes [`EmbedderSlot::later`] and calls [`App::begin_work`].
    pub embedder: EmbedderSlot,
    /// How the host lets the person choose files.
    pub file_access: FileAccess,
}

/// How the person chooses files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileAccess {
    /// The host opens the system's file dialog.
    PickFiles,
    /// A browser uploads the bytes.
    Upload,
}

impl FileAccess {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::PickFiles => "pick_files",
            Self::Upload => "upload",
        }
    }
}

#[derive(Default)]
struct Listeners(Mutex<Vec<Sender<Event>>>);

impl Listeners {
    fn tell(&self, event: &Event) {
        let mut listeners = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        listeners.retain(|listener| listener.send(event.clone()).is_ok());
    }
}

/// This application's role in processing the job queue.
enum Work {
    /// The work has not started.
    NotBegun,
    /// Another process works on the queue. This one takes over when that process ends.
    Waiting,
    /// This process works on the queue.
    Working(#[allow(dead_code, reason = "works until it is dropped")] Worker),
    /// The application is closing.
    Closed,
}

/// Called once, when this process starts to work on the queue.
type OnWorking = Box<dyn FnOnce(App) + Send>;

/// A chosen file or folder. If the token represents only one kind of export in the folder, `kind` is set.
#[derive(Debug, Clone)]
pub(crate) struct Chosen {
    pub(crate) path: PathBuf,
    pub(crate) kind: Option<SourceKind>,
}

pub(crate) struct AppInner {
    pub(crate) engine: Engine,
    pub(crate) file_access: FileAccess,
    pub(crate) shared_dir: Option<PathBuf>,
    pub(crate) surroundings: Surroundings,
    files: Mutex<HashMap<String, Chosen>>,
    listeners: Arc<Listeners>,
    work: Mutex<Work>,
    on_working: Mutex<Option<OnWorking>>,
    agent_server: Mutex<ServerState>,
    seen_version: Mutex<i64>,
    tasks: Mutex<HashMap<String, Arc<AtomicBool>>>,
    /// The sign-in that waits for the person, with its name. There is only one at a time, because there is only one person.
    sign_in: Mutex<Option<(String, WaitingSignIn)>>,
}

/// A long-running operation that a command waits for. It reports progress to the listeners and can be canceled. Dropping this
/// value ends the operation.
pub(crate) struct Task {
    app: App,
    name: String,
    is_cancelled: Arc<AtomicBool>,
}

impl Control for Task {
    fn progress(&self, stage: &str, done: u64, total: u64) {
        self.app.tell(&Event::JobProgress { id: self.name.clone(), stage: stage.to_owned(), done, total });
    }

    fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.app.inner.tasks.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.name);
    }
}

/// The open application. Cheap to clone; all clones share the same state.
#[derive(Clone)]
pub struct App {
    pub(crate) inner: Arc<AppInner>,
}

impl App {
    /// Opens the store in the surroundings of this process. Nothing runs in the background until [`Self::begin_work`].
    pub fn open(options: AppOptions) -> Result<Self, ApiError> {
        Self::open_in(options, Surroundings::of_process())
    }

    /// Like [`open`](Self::open), in other surroundings.
    pub fn open_in(options: AppOptions, surroundings: Surroundings) -> Result<Self, ApiError> {
        let listeners = Arc::new(Listeners::default());
        let engine = Engine::open(EngineParts {
            data_dir: options.data_dir.path,
            clock: Arc::new(SystemClock),
            ids: Arc::new(RandomIds::default()),
            embedder: options.embedder,
            zone: local_zone(keepsake_domain::Clock::now(&SystemClock)),
            keys: keepsake_models::keys::on_demand(),
            power: Arc::new(SystemPower::default()),
        })?;
        let seen_version = engine.store().data_version()?;
        let inner = Arc::new(AppInner {
            engine,
            file_access: options.file_access,
            shared_dir: options.data_dir.shared,
            surroundings,
            files: Mutex::new(HashMap::new()),
            listeners,
            work: Mutex::new(Work::NotBegun),
            on_working: Mutex::new(None),
            agent_server: Mutex::new(ServerState::Off),
            seen_version: Mutex::new(seen_version),
            tasks: Mutex::new(HashMap::new()),
            sign_in: Mutex::new(None),
        });
        forward_changes(&inner)?;
        Ok(Self { inner })
    }

    /// Starts loading the embedding model from `model_dir` and processing the job queue. If another process is already working on
    /// the queue, this one takes over when that process ends. Both use a CPU core for a while, so a host with a window calls this
    /// after drawing the window.
    ///
    /// `on_working` is called when this process starts to work on the queue: immediately, or when it takes over. Returns `true`
    /// if `on_working` was called immediately.
    pub fn begin_work(&self, model_dir: PathBuf, on_working: impl FnOnce(Self) + Send + 'static) -> Result<bool, ApiError> {
        let inner = &self.inner;
        *inner.on_working.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(on_working));
        let app = Arc::downgrade(inner);
        inner.engine.embedder().load_in_background(model_dir, move || on_model_settled(&app));
        let mut work = inner.work.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*work, Work::NotBegun) {
            *work = match inner.engine.queue().lock_worker() {
                Ok(lock) => Work::Working(start_worker(inner, lock)?),
                Err(EngineError::AlreadyRunning) => {
                    wait_for_queue(inner)?;
                    Work::Waiting
                }
                Err(error) => return Err(error.into()),
            };
        }
        let is_working = matches!(*work, Work::Working(_));
        drop(work);
        if is_working {
            tell_working(inner);
        }
        Ok(is_working)
    }

    /// The engine, for a host that uses it directly (the command line).
    pub fn engine(&self) -> &Engine {
        &self.inner.engine
    }

    /// Subscribes to all events from now on.
    pub fn subscribe(&self) -> Receiver<Event> {
        let (sender, receiver) = channel();
        self.inner.listeners.0.lock().unwrap_or_else(PoisonError::into_inner).push(sender);
        receiver
    }

    /// Sends an event to all subscribers.
    pub fn tell(&self, event: &Event) {
        self.inner.listeners.tell(event);
    }

    /// Issues a token for a chosen file. The window uses this token instead of the path.
    pub fn register_file(&self, path: &Path) -> FileToken {
        let token = RandomIds::default().next_uuid().simple().to_string();
        let size = std::fs::metadata(path).map(|meta| if meta.is_file() { meta.len() } else { 0 }).unwrap_or(0);
        let name =
            path.file_name().map_or_else(|| path.to_string_lossy().into_owned(), |name| name.to_string_lossy().into_owned());
        self.inner
            .files
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(token.clone(), Chosen { path: path.to_owned(), kind: None });
        FileToken { token, name, size }
    }

    /// Issues a token for the exports of one kind in a chosen folder or archive. Repeated calls return the same token.
    pub(crate) fn register_part(&self, token: &str, name: &str, kind: SourceKind) -> Result<FileToken, ApiError> {
        let part = FileToken { token: format!("{token}-{kind}"), name: name.to_owned(), size: 0 };
        let chosen = Chosen { kind: Some(kind), ..self.chosen(token)? };
        self.inner.files.lock().unwrap_or_else(PoisonError::into_inner).insert(part.token.clone(), chosen);
        Ok(part)
    }

    pub(crate) fn file(&self, token: &str) -> Result<PathBuf, ApiError> {
        Ok(self.chosen(token)?.path)
    }

    pub(crate) fn chosen(&self, token: &str) -> Result<Chosen, ApiError> {
        let files = self.inner.files.lock().unwrap_or_else(PoisonError::into_inner);
        files
            .get(token)
            .cloned()
            .ok_or_else(|| ApiError::invalid("this file was chosen before Keepsake was restarted; choose it again"))
    }

    /// How this process serves agents on loopback.
    pub fn agent_server_state(&self) -> ServerState {
        self.inner.agent_server.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reports how this process serves agents on loopback.
    pub fn set_agent_server_state(&self, state: ServerState) {
        *self.inner.agent_server.lock().unwrap_or_else(PoisonError::into_inner) = state;
        self.tell(&Event::Changed { tags: vec!["status".to_owned()] });
    }

    /// Detects writes by other processes (the command line) and reports them to all subscribers. Called on every status request,
    /// which the page sends when it gets the focus, and after a command of the command line.
    pub fn notice_other_processes(&self) -> Result<(), ApiError> {
        let version = self.inner.engine.store().data_version()?;
        let mut seen = self.inner.seen_version.lock().unwrap_or_else(PoisonError::into_inner);
        if *seen != version {
            *seen = version;
            drop(seen);
            // SQLite does not report which rows another process changed, so all tags are sent.
            self.tell(&Event::Changed { tags: Tag::ALL.iter().map(|tag| tag.name().to_owned()).collect() });
            self.inner.engine.queue().look_for_work();
        }
        Ok(())
    }

    /// Acquires the right to work on the queue, unless this application already has it. Without this right, the worker of
    /// another process could overwrite the changes.
    pub(crate) fn own_queue(&self) -> Result<Option<WorkerLock>, ApiError> {
        let work = self.inner.work.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(if matches!(*work, Work::Working(_)) { None } else { Some(self.inner.engine.queue().lock_worker()?) })
    }

    /// Starts a long-running operation under a name. Only one operation per name can run at a time.
    pub(crate) fn begin_task(&self, name: &str) -> Result<Task, ApiError> {
        let is_cancelled = Arc::new(AtomicBool::new(false));
        let mut tasks = self.inner.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        if tasks.contains_key(name) {
            return Err(ApiError::refused("an operation of this kind is already running; wait for it or cancel it"));
        }
        tasks.insert(name.to_owned(), Arc::clone(&is_cancelled));
        Ok(Task { app: self.clone(), name: name.to_owned(), is_cancelled })
    }

    /// Cancels a long-running operation. Does nothing if it has already ended.
    pub(crate) fn cancel_task(&self, name: &str) {
        // End a sign-in that no command waits for yet.
        drop(self.take_sign_in(name));
        if let Some(task) = self.inner.tasks.lock().unwrap_or_else(PoisonError::into_inner).get(name) {
            task.store(true, Ordering::Relaxed);
        }
    }

    /// Stores a sign-in that waits for the person, replacing an earlier one. Returns its name.
    pub(crate) fn keep_sign_in(&self, waiting: WaitingSignIn) -> String {
        let name = RandomIds::default().next_uuid().simple().to_string();
        *self.inner.sign_in.lock().unwrap_or_else(PoisonError::into_inner) = Some((name.clone(), waiting));
        name
    }

    /// Takes the sign-in with this name, so it can be used only once.
    pub(crate) fn take_sign_in(&self, name: &str) -> Option<WaitingSignIn> {
        let mut kept = self.inner.sign_in.lock().unwrap_or_else(PoisonError::into_inner);
        kept.take_if(|(known, _)| known == name).map(|(_, waiting)| waiting)
    }

    /// Stops the background worker; the interrupted job continues at the next start. Then empties the database's write-ahead log:
    /// a host may end without closing the store, and the next start would have to read the log.
    pub fn close(&self) {
        let work = std::mem::replace(&mut *self.inner.work.lock().unwrap_or_else(PoisonError::into_inner), Work::Closed);
        drop(work);
        // Active readers prevent this. The log is then emptied at a later shutdown.
        if let Err(error) = self.inner.engine.store().checkpoint() {
            tracing::warn!(%error, "the log of the file could not be emptied");
        }
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), ApiError> {
    let spawned = std::thread::Builder::new().name(name.to_owned()).spawn(work);
    spawned.map(drop).map_err(|error| EngineError::Io { what: format!("cannot start the thread {name}"), error }.into())
}

/// Calls the host once this process works on the queue.
fn tell_working(inner: &Arc<AppInner>) {
    let host = inner.on_working.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(host) = host {
        host(App { inner: Arc::clone(inner) });
    }
}

fn start_worker(inner: &AppInner, lock: WorkerLock) -> Result<Worker, ApiError> {
    let listeners = Arc::clone(&inner.listeners);
    let worker = inner.engine.queue().start_worker(lock, move |progress| {
        listeners.tell(&Event::JobProgress {
            id: progress.job.to_string(),
            stage: progress.stage,
            done: progress.done,
            total: progress.total,
        });
    })?;
    Ok(worker)
}

/// Takes over the queue when the process that works on it ends. Until then, the thread sleeps on the lock and keeps nothing open.
fn wait_for_queue(inner: &Arc<AppInner>) -> Result<(), ApiError> {
    let app = Arc::downgrade(inner);
    let data_dir = inner.engine.data_dir().to_owned();
    spawn("queue", move || {
        let turn = match QueueTurn::wait(&data_dir) {
            Ok(turn) => turn,
            Err(error) => return tracing::error!(%error, "the queue is not worked until the next start"),
        };
        let Some(inner) = app.upgrade() else { return };
        let mut work = inner.work.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*work, Work::Waiting) {
            match inner.engine.queue().take_queue(turn).map_err(ApiError::from).and_then(|lock| start_worker(&inner, lock)) {
                Ok(worker) => {
                    *work = Work::Working(worker);
                    drop(work);
                    tell_working(&inner);
                }
                Err(error) => tracing::error!(%error, "the queue is not worked until the next start"),
            }
        }
    })
}

/// Converts committed writes into events until the application is dropped.
fn forward_changes(inner: &Arc<AppInner>) -> Result<(), ApiError> {
    let changes = inner.engine.store().subscribe();
    let listeners = Arc::clone(&inner.listeners);
    spawn("changes", move || {
        while let Ok(first) = changes.recv() {
            // All tags that arrive meanwhile are merged into one event. Otherwise a long import would send the same event a
            // hundred times.
            let mut tags: Vec<_> = first;
            while let Ok(more) = changes.try_recv() {
                tags.extend(more);
            }
            tags.sort();
            tags.dedup();
            listeners.tell(&Event::Changed { tags: tags.into_iter().map(|tag| tag.name().to_owned()).collect() });
        }
    })
}

fn on_model_settled(app: &Weak<AppInner>) {
    let Some(inner) = app.upgrade() else { return };
    if let Err(error) = inner.engine.embeddings().tell_of_refused_model() {
        tracing::warn!(%error, "the person could not be told that the embedding model was refused");
    }
    // The reader may have been installed since the last start.
    if let Err(error) = inner.engine.queue().queue_unread() {
        tracing::warn!(%error, "unread conversations could not be queued");
    }
    if let Err(error) = inner.engine.embeddings().queue() {
        tracing::warn!(%error, "missing vectors could not be queued");
    }
    inner.listeners.tell(&Event::Changed { tags: vec!["status".to_owned(), "embeddings".to_owned()] });
}

#[cfg(test)]
mod tests {
    use keepsake_engine::EmbedderState;

    use super::*;

    fn open(dir: &Path) -> App {
        let embedder = EmbedderSlot::new(EmbedderState::Loading);
        App::open(AppOptions { data_dir: dir.to_owned().into(), embedder, file_access: FileAccess::PickFiles }).expect("it opens")
    }

    fn is_working(app: &App) -> bool {
        matches!(*app.inner.work.lock().expect("nobody panicked"), Work::Working(_))
    }

    #[test]
    fn the_queue_is_worked_as_soon_as_the_process_that_worked_it_ends() {
        let dir = tempfile::tempdir().expect("a folder");
        let (first, second, third) = (open(dir.path()), open(dir.path()), open(dir.path()));
        for app in [&first, &second, &third] {
            app.begin_work(dir.path().join("no-model"), |_| ()).expect("it begins");
        }
        assert_eq!([&first, &second, &third].map(is_working), [true, false, false], "one at a time");
        // An application that is closed while waiting does not start working afterwards.
        third.close();
        first.close();
        while !is_working(&second) {
            std::thread::yield_now();
        }
        second.close();
        drop(QueueTurn::wait(dir.path()).expect("the turn comes round"));
        assert!(!is_working(&third));
    }

    #[test]
    fn a_refused_model_is_an_alert_and_a_missing_one_is_not() {
        let check = |state: EmbedderState, expect: &[&str]| {
            let dir = tempfile::tempdir().expect("a folder");
            let embedder = EmbedderSlot::new(state);
            let app =
                App::open(AppOptions { data_dir: dir.path().to_owned().into(), embedder, file_access: FileAccess::PickFiles })
                    .expect("it opens");
            // The second call adds no further alert.
            on_model_settled(&Arc::downgrade(&app.inner));
            on_model_settled(&Arc::downgrade(&app.inner));
            let alerts = app.engine().store().read(|tx| tx.alerts().all()).expect("it reads");
            assert_eq!(alerts.iter().map(|alert| alert.message.as_str()).collect::<Vec<_>>(), expect);
        };
        check(
            EmbedderState::Broken("x is not the file that Keepsake knows".to_owned()),
            &["x is not the file that Keepsake knows"],
        );
        check(EmbedderState::Missing("no model".to_owned()), &[]);
    }

    #[test]
    fn a_library_that_is_not_the_one_this_program_was_built_for_is_refused_and_told_of() {
        let prepared = keepsake_models::default_model_dir(|name| std::env::var_os(name));
        let models = tempfile::tempdir().expect("a folder");
        for entry in std::fs::read_dir(&prepared).expect("`make model` prepared it") {
            let file = entry.expect("an entry").path();
            let name = file.file_name().expect("a name").to_owned();
            if file.is_file() {
                std::fs::copy(&file, models.path().join(name)).expect("it is copied");
            }
        }
        let library = models.path().join("libonnxruntime.so");
        let mut bytes = std::fs::read(&library).expect("it is there");
        *bytes.last_mut().expect("it has bytes") ^= 1;
        std::fs::write(&library, bytes).expect("it is written");
        let dir = tempfile::tempdir().expect("a folder");
        let embedder = EmbedderSlot::at(models.path());
        assert!(matches!(embedder.state(), EmbedderState::Idle(_)), "nothing is loaded before a vector is needed");
        assert!(embedder.ready().is_none(), "it is loaded now");
        assert!(matches!(embedder.state(), EmbedderState::Broken(_)));
        let app = App::open(AppOptions { data_dir: dir.path().to_owned().into(), embedder, file_access: FileAccess::PickFiles })
            .expect("it opens");
        on_model_settled(&Arc::downgrade(&app.inner));
        let alerts = app.engine().store().read(|tx| tx.alerts().all()).expect("it reads");
        assert!(alerts.iter().any(|alert| alert.message.contains("libonnxruntime.so")), "{alerts:?}");
    }

    #[test]
    fn times_without_a_zone_are_told_of_and_read_by_the_one_that_a_person_names() {
        let dir = tempfile::tempdir().expect("a folder");
        let app = open(&dir.path().join("data"));
        let look = |name: &str, content: &str, zone: Option<&str>| {
            let path = dir.path().join(name);
            std::fs::write(&path, content).expect("it is written");
            let token = app.register_file(&path).token;
            let request = serde_json::json!({ "tokens": [token], "date_order": "day_first", "zone": zone });
            crate::dispatch(&app, "import_dry_run", request).map(|answer| answer["files"][0].clone())
        };
        let chat = "13/01/2026, 10:00 - Mara: Winter here.\n13/07/2026, 10:00 - Jo: And summer here.\n";
        let found = look("chat.txt", chat, Some("Europe/Berlin")).expect("it is read");
        assert_eq!(found["zone"], "Europe/Berlin", "{found}");
        let moment = |text: &str| keepsake_engine::parse_moment(text).expect("a moment").0;
        assert_eq!(found["first"], moment("2026-01-13T09:00:00Z"), "each date by the rules of the zone");
        assert_eq!(found["last"], moment("2026-07-13T08:00:00Z"), "{found}");
        let own = look("chat.txt", chat, None).expect("it is read");
        assert!(own["zone"].as_str().is_some_and(|zone| !zone.is_empty()), "this computer's is named: {own}");
        let unknown = look("chat.txt", chat, Some("Nowhere")).expect_err("there is no such zone");
        assert!(unknown.message.contains("not a time zone"), "{unknown}");
        let row = serde_json::json!({
            "conversation": "c", "channel_type": "chat", "channel_id": "c", "id": "m1", "time": "2026-01-05T10:00:00Z",
            "author": "Mara", "role": "owner", "text": "One.",
        });
        let exact = look("c.jsonl", &row.to_string(), Some("Europe/Berlin")).expect("it is read");
        assert!(exact["zone"].is_null() && exact["first"].is_i64(), "control: these times say their own: {exact}");
    }

    #[test]
    fn a_text_that_nothing_recognizes_is_read_as_what_the_person_says_it_is() {
        let dir = tempfile::tempdir().expect("a folder");
        let app = open(&dir.path().join("data"));
        let path = dir.path().join("memories.txt");
        std::fs::write(&path, "Keeps bees in Gorgie.\n- Is allergic to hazelnuts.\n").expect("it is written");
        let look = |token: &str| {
            let request = serde_json::json!({ "tokens": [token] });
            crate::dispatch(&app, "import_dry_run", request).map(|answer| answer["files"][0].clone()).expect("it is looked at")
        };
        let found = look(&app.register_file(&path).token);
        assert!(found["kind"].is_null() && found["error"].is_string(), "{found}");
        assert_eq!(found["may_be"][0]["kind"], "chatgpt", "{found}");
        let named = look(found["may_be"][0]["file"]["token"].as_str().expect("a token"));
        assert_eq!((&named["kind"], &named["imported"]), (&"chatgpt".into(), &2.into()), "{named}");
        assert_eq!(named["may_be"], serde_json::json!([]));
        std::fs::write(&path, "{\"name\": \"x\"}").expect("it is written");
        assert_eq!(look(&app.register_file(&path).token)["may_be"], serde_json::json!([]), "data of a program is no list");
    }

    #[test]
    fn closing_leaves_an_empty_log_though_the_store_stays_open() {
        let dir = tempfile::tempdir().expect("a folder");
        let app = open(dir.path());
        app.begin_work(dir.path().join("no-model"), |_| ()).expect("it begins");
        app.engine().queue().pause_for(keepsake_engine::PauseFor::Resumed).expect("it is stored");
        let log = || std::fs::metadata(dir.path().join("keepsake.db-wal")).expect("there is one").len();
        assert!(log() > 0, "a control: what was written stands in the log");
        app.close();
        assert_eq!(log(), 0);
        app.engine().queue().resume().expect("it is open still");
    }
}
