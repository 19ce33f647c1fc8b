//! Simulates a loss of power: writes that were not synced may be missing or torn, but acknowledged data must still be there.
//!
//! A layer between SQLite and the file system records every write and every sync of a run. The test then cuts the run at many
//! points. At each cut, a file keeps everything up to its last sync, and random 512-byte sectors of later writes. Killing a
//! process would not test this, because the operating system still has the data that the process wrote. No test of this kind
//! covers a real drive that reports data as durable when it is not.

#![allow(unsafe_code)] // SQLite's file layer is a table of C functions.
#![allow(clippy::unwrap_used)]

#[allow(dead_code)] // Shared with the other tests, which use everything in it.
#[path = "store/bench.rs"]
mod bench;

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;
use std::sync::{Mutex, OnceLock};

use keepsake_domain::{ImportId, JobId, JobKind, Lane};
use keepsake_store::{AppendContext, BACKUPS_DIR, ImportTotals, NewJob, Store, StoreError};
use keepsake_testkit::{SeqIds, conversation};
use rusqlite::{Connection, ffi};
use tempfile::TempDir;

use bench::{NOW, dump, plain};

#[derive(Debug, Clone)]
enum Event {
    Write {
        path: String,
        at: usize,
        bytes: Vec<u8>,
    },
    Truncate {
        path: String,
        size: usize,
    },
    Sync {
        path: String,
    },
    Delete {
        path: String,
    },
    /// The store reported this step as complete.
    Acknowledged {
        dir: String,
        number: u32,
    },
}

impl Event {
    fn is_under(&self, prefix: &str) -> bool {
        match self {
            Self::Write { path, .. } | Self::Truncate { path, .. } | Self::Sync { path } | Self::Delete { path } => {
                path.starts_with(prefix)
            }
            Self::Acknowledged { dir, .. } => dir == prefix,
        }
    }
}

#[derive(Default)]
struct Recorder {
    /// Folders whose files are recorded.
    dirs: Vec<String>,
    /// Folders that simulate a full disk: no copy can be written in them.
    full: Vec<String>,
    events: Vec<Event>,
}

static RECORDER: Mutex<Recorder> = Mutex::new(Recorder { dirs: Vec::new(), full: Vec::new(), events: Vec::new() });

fn note(path: &str, event: impl FnOnce(String) -> Event) {
    let mut recorder = RECORDER.lock().unwrap();
    if recorder.dirs.iter().any(|dir| path.starts_with(dir)) {
        let event = event(path.to_owned());
        recorder.events.push(event);
    }
}

/// A file of this layer. In memory, SQLite's real file comes directly after it.
#[repr(C)]
struct ShimFile {
    base: ffi::sqlite3_file,
    path: *mut String,
}

unsafe fn real_file(file: *mut ffi::sqlite3_file) -> *mut ffi::sqlite3_file {
    unsafe { file.cast::<ShimFile>().add(1).cast() }
}

unsafe fn path_of<'a>(file: *mut ffi::sqlite3_file) -> &'a str {
    unsafe { &*(*file.cast::<ShimFile>()).path }
}

macro_rules! forward {
    ($name:ident, $method:ident $(, $argument:ident: $type:ty)*) => {
        unsafe extern "C" fn $name(file: *mut ffi::sqlite3_file $(, $argument: $type)*) -> c_int {
            unsafe {
                let real = real_file(file);
                ((*(*real).pMethods).$method.unwrap())(real $(, $argument)*)
            }
        }
    };
}
forward!(x_read, xRead, to: *mut c_void, count: c_int, at: i64);
forward!(x_file_size, xFileSize, size: *mut i64);
forward!(x_lock, xLock, level: c_int);
forward!(x_unlock, xUnlock, level: c_int);
forward!(x_check_reserved_lock, xCheckReservedLock, out: *mut c_int);
forward!(x_file_control, xFileControl, what: c_int, argument: *mut c_void);
forward!(x_sector_size, xSectorSize);
forward!(x_device_characteristics, xDeviceCharacteristics);
forward!(x_shm_map, xShmMap, page: c_int, size: c_int, extend: c_int, out: *mut *mut c_void);
forward!(x_shm_lock, xShmLock, offset: c_int, count: c_int, flags: c_int);
forward!(x_shm_unmap, xShmUnmap, delete: c_int);

unsafe extern "C" fn x_shm_barrier(file: *mut ffi::sqlite3_file) {
    unsafe {
        let real = real_file(file);
        ((*(*real).pMethods).xShmBarrier.unwrap())(real);
    }
}

unsafe extern "C" fn x_close(file: *mut ffi::sqlite3_file) -> c_int {
    unsafe {
        let real = real_file(file);
        drop(Box::from_raw((*file.cast::<ShimFile>()).path));
        ((*(*real).pMethods).xClose.unwrap())(real)
    }
}

unsafe extern "C" fn x_write(file: *mut ffi::sqlite3_file, from: *const c_void, count: c_int, at: i64) -> c_int {
    unsafe {
        let path = path_of(file);
        if path.ends_with(".part") && RECORDER.lock().unwrap().full.iter().any(|dir| path.starts_with(dir)) {
            return ffi::SQLITE_FULL;
        }
        let bytes = std::slice::from_raw_parts(from.cast::<u8>(), count as usize);
        note(path, |path| Event::Write { path, at: at as usize, bytes: bytes.to_vec() });
        let real = real_file(file);
        ((*(*real).pMethods).xWrite.unwrap())(real, from, count, at)
    }
}

unsafe extern "C" fn x_truncate(file: *mut ffi::sqlite3_file, size: i64) -> c_int {
    unsafe {
        note(path_of(file), |path| Event::Truncate { path, size: size as usize });
        let real = real_file(file);
        ((*(*real).pMethods).xTruncate.unwrap())(real, size)
    }
}

unsafe extern "C" fn x_sync(file: *mut ffi::sqlite3_file, flags: c_int) -> c_int {
    unsafe {
        note(path_of(file), |path| Event::Sync { path });
        let real = real_file(file);
        ((*(*real).pMethods).xSync.unwrap())(real, flags)
    }
}

static METHODS: ffi::sqlite3_io_methods = ffi::sqlite3_io_methods {
    iVersion: 2,
    xClose: Some(x_close),
    xRead: Some(x_read),
    xWrite: Some(x_write),
    xTruncate: Some(x_truncate),
    xSync: Some(x_sync),
    xFileSize: Some(x_file_size),
    xLock: Some(x_lock),
    xUnlock: Some(x_unlock),
    xCheckReservedLock: Some(x_check_reserved_lock),
    xFileControl: Some(x_file_control),
    xSectorSize: Some(x_sector_size),
    xDeviceCharacteristics: Some(x_device_characteristics),
    xShmMap: Some(x_shm_map),
    xShmLock: Some(x_shm_lock),
    xShmBarrier: Some(x_shm_barrier),
    xShmUnmap: Some(x_shm_unmap),
    xFetch: None,
    xUnfetch: None,
};

unsafe fn real_vfs(vfs: *mut ffi::sqlite3_vfs) -> *mut ffi::sqlite3_vfs {
    unsafe { (*vfs).pAppData.cast() }
}

unsafe extern "C" fn x_open(
    vfs: *mut ffi::sqlite3_vfs,
    name: *const c_char,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    out_flags: *mut c_int,
) -> c_int {
    unsafe {
        let real = real_vfs(vfs);
        (*file).pMethods = std::ptr::null();
        let code = ((*real).xOpen.unwrap())(real, name, real_file(file), flags, out_flags);
        if code == ffi::SQLITE_OK {
            let path = if name.is_null() { String::new() } else { CStr::from_ptr(name).to_string_lossy().into_owned() };
            (*file.cast::<ShimFile>()).path = Box::into_raw(Box::new(path));
            (*file).pMethods = &raw const METHODS;
        }
        code
    }
}

unsafe extern "C" fn x_delete(vfs: *mut ffi::sqlite3_vfs, name: *const c_char, sync_dir: c_int) -> c_int {
    unsafe {
        note(&CStr::from_ptr(name).to_string_lossy(), |path| Event::Delete { path });
        let real = real_vfs(vfs);
        ((*real).xDelete.unwrap())(real, name, sync_dir)
    }
}

/// Installs the layer for every connection that this test program opens from now on.
fn install() {
    static INSTALLED: OnceLock<()> = OnceLock::new();
    INSTALLED.get_or_init(|| unsafe {
        let real = ffi::sqlite3_vfs_find(std::ptr::null());
        let mut shim = *real;
        shim.zName = c"power".as_ptr();
        shim.pAppData = real.cast();
        shim.pNext = std::ptr::null_mut();
        shim.szOsFile = size_of::<ShimFile>() as c_int + (*real).szOsFile;
        shim.xOpen = Some(x_open);
        shim.xDelete = Some(x_delete);
        assert_eq!(ffi::sqlite3_vfs_register(Box::leak(Box::new(shim)), 1), ffi::SQLITE_OK);
    });
}

/// The recorded events of one folder.
struct Recording {
    dir: String,
    events: Vec<Event>,
}

/// Records every file operation of `run` in a folder. `run` receives the folder and a callback that acknowledges a step by its
/// number.
fn record(run: impl FnOnce(&Path, &dyn Fn(u32))) -> Recording {
    install();
    let folder = TempDir::new().unwrap();
    let dir = folder.path().canonicalize().unwrap().to_string_lossy().into_owned() + "/";
    RECORDER.lock().unwrap().dirs.push(dir.clone());
    let acknowledge = |number| {
        let event = Event::Acknowledged { dir: dir.clone(), number };
        RECORDER.lock().unwrap().events.push(event);
    };
    run(Path::new(&dir), &acknowledge);
    let mut recorder = RECORDER.lock().unwrap();
    recorder.dirs.retain(|other| *other != dir);
    let events = recorder.events.iter().filter(|event| event.is_under(&dir)).cloned().collect();
    recorder.events.retain(|event| !event.is_under(&dir));
    Recording { dir, events }
}

/// Whether the disk performs the syncs that it reports as done.
#[derive(Clone, Copy, PartialEq)]
enum Disk {
    Honest,
    /// Every sync is reported as successful, but none is performed.
    Lying,
}

/// Pseudo-random numbers from a seed (SplitMix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

const SECTOR_BYTES: usize = 512;

fn put(content: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    if content.len() < at + bytes.len() {
        content.resize(at + bytes.len(), 0);
    }
    content[at..at + bytes.len()].copy_from_slice(bytes);
}

#[derive(Default)]
struct DiskFile {
    content: Vec<u8>,
    pending: Vec<Event>,
}

impl DiskFile {
    /// Applies the sectors of unsynced writes for which `keeps` returns `true`: all, none or some of them.
    fn settle(&mut self, mut keeps: impl FnMut() -> bool) {
        for event in self.pending.drain(..) {
            match event {
                Event::Write { at, bytes, .. } => {
                    let mut done = 0;
                    while done < bytes.len() {
                        let end = bytes.len().min((at + done) / SECTOR_BYTES * SECTOR_BYTES + SECTOR_BYTES - at);
                        if keeps() {
                            put(&mut self.content, at + done, &bytes[done..end]);
                        }
                        done = end;
                    }
                }
                Event::Truncate { size, .. } if keeps() => self.content.resize(size, 0),
                _ => {}
            }
        }
    }
}

impl Recording {
    /// Returns the disk contents after a power loss following `cut` events, in a new folder, and the step numbers acknowledged by
    /// then.
    fn cut(&self, cut: usize, disk: Disk) -> (TempDir, Vec<u32>) {
        let mut files: BTreeMap<String, DiskFile> = BTreeMap::new();
        let mut acknowledged = Vec::new();
        for event in &self.events[..cut] {
            match event {
                Event::Write { path, .. } | Event::Truncate { path, .. } => {
                    files.entry(path.clone()).or_default().pending.push(event.clone());
                }
                Event::Sync { path } if disk == Disk::Honest => files.entry(path.clone()).or_default().settle(|| true),
                Event::Sync { .. } => {}
                Event::Delete { path } => {
                    files.remove(path);
                }
                Event::Acknowledged { number, .. } => acknowledged.push(*number),
            }
        }
        let mut dice = Dice(cut as u64);
        let folder = TempDir::new().unwrap();
        for (path, mut file) in files {
            match dice.roll() % 4 {
                0 => file.settle(|| false),
                1 => file.settle(|| true),
                _ => file.settle(|| dice.roll().is_multiple_of(2)),
            }
            std::fs::write(folder.path().join(path.strip_prefix(&self.dir).unwrap()), &file.content).unwrap();
        }
        (folder, acknowledged)
    }

    /// `count` points spread over the whole run, and the point right after each acknowledgment.
    fn cuts(&self, count: usize) -> Vec<usize> {
        let spread = (1..=count).map(|n| n * self.events.len() / count);
        let told = self.events.iter().zip(1..).filter(|(event, _)| matches!(event, Event::Acknowledged { .. }));
        let mut cuts: Vec<usize> = spread.chain(told.map(|(_, after)| after)).collect();
        cuts.sort_unstable();
        cuts.dedup();
        cuts
    }
}

/// Opens the remaining files as the program does, and describes the damage, if any.
fn damage(folder: &TempDir, acknowledged: &[u32]) -> Option<String> {
    let store = match Store::open(folder.path(), NOW) {
        Ok(store) => store,
        Err(error) => return Some(format!("it cannot be opened: {error}")),
    };
    let sound = dump(&plain(store.path()), "PRAGMA integrity_check");
    if sound != ["ok"] {
        return Some(format!("the file is damaged: {sound:?}"));
    }
    let found = store.read(|tx| {
        let report = tx.log().verify_chain()?;
        if !report.faults.is_empty() {
            return Ok(Some(format!("the chain is broken: {:?}", report.faults)));
        }
        for number in acknowledged {
            let Some(rows) = tx.settings().setting(&format!("step-{number}"))? else {
                return Ok(Some(format!("step {number} is lost although it was acknowledged")));
            };
            if report.rows < rows.parse::<u64>().unwrap() {
                return Ok(Some(format!("messages of step {number} are lost although they were acknowledged")));
            }
        }
        Ok(None)
    });
    match found {
        Ok(found) => found,
        Err(error) => Some(format!("it cannot be read: {error}")),
    }
}

/// Performs imports, jobs, settings, an erasure and checkpoints, and acknowledges each after its transaction has returned.
fn a_day(dir: &Path, acknowledge: &dyn Fn(u32)) {
    let ids = SeqIds::new(3);
    let store = Store::open(dir, NOW).unwrap();
    let import = ImportId::fresh(&ids);
    let mut rows = 0;
    for step in 0..48_u32 {
        if step == 30 {
            let job = JobId::fresh(&ids);
            store.undo_import(&import, &job, NOW).unwrap();
        }
        store
            .write(|tx| {
                match step % 3 {
                    0 => {
                        let lines = format!("owner Mara: step {step}, tea and rain\nassistant Nova: noted\n").repeat(12);
                        let messages = conversation(&format!("c{step}"), &lines);
                        let is_first = step == 0;
                        if is_first {
                            tx.sources().begin_import(&import, "export.zip", "keepsake", false, NOW)?;
                        }
                        let import_id = is_first.then_some(&import);
                        rows += tx.log().append(&messages, AppendContext { ids: &ids, now: NOW, import_id })?.imported;
                        if is_first {
                            tx.sources().account_import(&import, "done", &ImportTotals::default(), None, Some(NOW))?;
                        }
                    }
                    1 => {
                        let payload = "{}".to_owned();
                        let idempotency_key = step.to_string();
                        tx.jobs()
                            .enqueue(&NewJob { id: JobId::fresh(&ids), kind: JobKind::Extract, idempotency_key, payload }, NOW)?;
                    }
                    _ => {
                        let (lease, _) = tx.jobs().lease_next(Lane::Capture, NOW)?.unwrap();
                        tx.jobs().complete(&lease, "{}", NOW)?;
                    }
                }
                tx.settings().put(&format!("step-{step}"), &rows.to_string(), NOW)
            })
            .unwrap();
        acknowledge(step);
        if step % 7 == 6 {
            assert!(store.checkpoint().unwrap());
        }
    }
}

#[test]
fn nothing_acknowledged_is_lost_and_nothing_is_damaged_when_the_power_goes() {
    const CUTS: usize = 240;
    let recording = record(a_day);
    assert!(recording.events.len() > 2 * CUTS, "there are that many moments to cut at: {}", recording.events.len());
    let mut last = 0;
    for cut in recording.cuts(CUTS) {
        let (folder, acknowledged) = recording.cut(cut, Disk::Honest);
        assert_eq!(damage(&folder, &acknowledged), None, "cut after {cut} of {} events", recording.events.len());
        last = acknowledged.len();
    }
    assert_eq!(last, 48, "the last cut comes after the last step");
    // Control: the same run on a disk that ignores syncs.
    let lost = recording.cuts(40).into_iter().filter(|cut| {
        let (folder, acknowledged) = recording.cut(*cut, Disk::Lying);
        damage(&folder, &acknowledged).is_some()
    });
    assert!(lost.count() > 0, "or the test could not see a loss");
}

/// Number of rows that SQLite reported as committed on a plain connection, but that some cut lost.
fn lost_by_sqlite(synchronous: &str) -> usize {
    let recording = record(|dir, acknowledge| {
        let conn = Connection::open(dir.join("plain.db")).unwrap();
        conn.execute_batch(&format!("PRAGMA journal_mode = WAL; PRAGMA synchronous = {synchronous}; CREATE TABLE t (n INTEGER)"))
            .unwrap();
        for number in 0..40 {
            conn.execute("INSERT INTO t VALUES (?1)", [number]).unwrap();
            acknowledge(number);
        }
        // Do not close the connection: closing the last one would sync everything.
        std::mem::forget(conn);
    });
    let cuts = recording.cuts(60).into_iter();
    let lost = cuts.map(|cut| {
        let (folder, acknowledged) = recording.cut(cut, Disk::Honest);
        let conn = Connection::open(folder.path().join("plain.db")).unwrap();
        let has = |number: &u32| conn.query_row("SELECT 1 FROM t WHERE n = ?1", [number], |_| Ok(())).is_ok();
        acknowledged.iter().filter(|number| !has(number)).count()
    });
    lost.sum()
}

#[test]
fn without_syncs_a_commit_is_no_promise() {
    assert_eq!(lost_by_sqlite("FULL"), 0, "as the store is set");
    assert!(lost_by_sqlite("OFF") > 0, "or the test above could not see a loss");
}

#[test]
fn on_a_full_disk_an_older_file_is_left_alone() {
    install();
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("keepsake.db");
    drop(bench::older(folder.path(), 3));
    let before = std::fs::read(&path).unwrap();
    let dir = folder.path().canonicalize().unwrap().to_string_lossy().into_owned();
    RECORDER.lock().unwrap().full.push(dir.clone());
    let error = Store::open(folder.path(), NOW).unwrap_err();
    assert!(matches!(error, StoreError::NoSafetyCopy { .. }), "{error}");
    assert!(error.to_string().contains("full"), "it says why: {error}");
    assert!(std::fs::read(&path).unwrap() == before, "not a byte of it was changed");
    let copies = || std::fs::read_dir(folder.path().join(BACKUPS_DIR)).map_or(0, Iterator::count);
    assert_eq!(copies(), 0, "nothing half done is left");
    RECORDER.lock().unwrap().full.retain(|other| *other != dir);
    drop(Store::open(folder.path(), NOW).unwrap());
    assert_eq!(copies(), 1, "control: with space the copy is made");
}
