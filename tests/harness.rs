//! Runs the built `keepsake` binary as a person or a script would, in temporary data folders.
//!
//! Cargo provides the path of a binary (`CARGO_BIN_EXE_…`) only to tests of the same package, and this is another package. So the
//! binary is located relative to this test executable: `…/debug/deps/keepsake-<hash>` is two levels below `…/debug/keepsake`. If
//! it is missing or older than any of its sources, it is built in the same profile. `make test` builds it first, so this usually
//! takes no time. `KEEPSAKE_CLI` selects another binary.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use keepsake_api::{App, AppOptions, FileAccess};
use keepsake_engine::EmbedderSlot;
use keepsake_models::fake::SentenceReader;
use serde_json::{Value, json};
use tempfile::TempDir;

/// The root of the source tree.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests lie one level below the root")
}

/// Path of a test fixture.
pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

/// Opens new data under a folder in this process, with a reader that treats each sentence as a statement.
pub(crate) fn open_app(dir: &Path) -> App {
    let embedder = EmbedderSlot::none().with_reader(Arc::new(SentenceReader));
    App::open(AppOptions { data_dir: dir.join("data").into(), embedder, file_access: FileAccess::Upload })
        .expect("new data opens")
}

/// Path of the binary under test.
pub(crate) fn keepsake() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        if let Some(named) = std::env::var_os("KEEPSAKE_CLI") {
            return PathBuf::from(named);
        }
        let own = std::env::current_exe().expect("a running test has an executable");
        let profile_dir = own.ancestors().nth(2).expect("target/<profile>/deps/<test>");
        let binary = profile_dir.join(format!("keepsake{}", std::env::consts::EXE_SUFFIX));
        let built = std::fs::metadata(&binary).and_then(|meta| meta.modified()).ok();
        if built.is_none_or(|built| newest_source() > built) {
            build(profile_dir);
        }
        assert!(binary.is_file(), "cargo put the binary at {}", binary.display());
        binary
    })
}

fn build(profile_dir: &Path) {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--locked", "--offline", "-p", "keepsake-server", "--bin", "keepsake", "--target-dir"]);
    cargo.arg(profile_dir.parent().expect("a profile lies in the target folder")).current_dir(root());
    if profile_dir.ends_with("release") {
        cargo.arg("--release");
    }
    let output = cargo.output().expect("cargo runs");
    assert!(output.status.success(), "cargo build: {}", String::from_utf8_lossy(&output.stderr));
}

fn newest_source() -> SystemTime {
    let mut newest = SystemTime::UNIX_EPOCH;
    let mut folders = vec![root().join("src-tauri/crates"), root().join("migrations"), root().join("Cargo.lock")];
    while let Some(path) = folders.pop() {
        if path.is_dir() {
            folders.extend(std::fs::read_dir(&path).expect("a source folder can be read").map(|entry| entry.unwrap().path()));
        } else if let Ok(modified) = path.metadata().and_then(|meta| meta.modified()) {
            newest = newest.max(modified);
        }
    }
    newest
}

/// The folder in which `make model` installs the local models.
fn prepared_models() -> PathBuf {
    keepsake_models::default_model_dir(|name| std::env::var_os(name))
}

/// Result of a run.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    /// Returns standard output. Asserts success.
    pub(crate) fn ok(self) -> String {
        assert_eq!(self.code, 0, "it should succeed: {} {}", self.out, self.err);
        self.out
    }

    /// Returns the only line on standard error. Asserts exit code 1, and that a person can read the line: no panic, no debug
    /// output.
    pub(crate) fn failure(self) -> String {
        assert_eq!(self.code, 1, "it should fail with exit 1: {self:?}");
        let lines: Vec<&str> = self.err.lines().collect();
        assert_eq!(lines.len(), 1, "one clear line on standard error: {self:?}");
        let line = lines[0].strip_prefix("keepsake: ").expect("the line names the program").to_owned();
        for unclear in ["panicked", "unwrap", "Err(", "Some(", "{ "] {
            assert!(!line.contains(unclear), "a person can read it: {line}");
        }
        line
    }
}

/// Files that the reader needs from the `make model` folder.
const READER_PARTS: [&str; 4] = ["reader", "words.q4", "tokenizer.json", "libonnxruntime.so"];

/// A data folder, and next to it a model folder that contains only the reader. Without the embedding model, texts are compared by
/// words, which is fast.
pub(crate) struct Home {
    dir: TempDir,
    model_dir: PathBuf,
}

impl Home {
    pub(crate) fn new() -> Self {
        let dir = TempDir::new().unwrap();
        let model_dir = dir.path().join("no-model");
        std::fs::create_dir(&model_dir).unwrap();
        let prepared = prepared_models();
        for part in READER_PARTS {
            assert!(prepared.join(part).exists(), "{part} is not in {}; run `make model` first", prepared.display());
            std::os::unix::fs::symlink(prepared.join(part), model_dir.join(part)).unwrap();
        }
        Self { dir, model_dir }
    }

    /// A home without any model, not even the reader.
    pub(crate) fn without_reader() -> Self {
        let home = Self::new();
        READER_PARTS.iter().for_each(|part| std::fs::remove_file(home.model_dir.join(part)).unwrap());
        home
    }

    /// A home with the models that `make model` installs.
    pub(crate) fn with_model() -> Self {
        Self { model_dir: prepared_models(), ..Self::new() }
    }

    /// A separate home with a copy of this one's data. No process may have this home open.
    pub(crate) fn copied(&self) -> Self {
        let copy = Self::new();
        copy_folder(&self.data(), &copy.data());
        copy
    }

    /// Path of the data folder.
    pub(crate) fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    /// Writes a file next to the data folder.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.dir.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    /// The command for this home, not started yet.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = bare();
        command.env("KEEPSAKE_MODEL_DIR", &self.model_dir).arg("--data-dir").arg(self.data()).args(args);
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        finish(self.command(args), b"")
    }

    pub(crate) fn run_with(&self, args: &[&str], stdin: impl AsRef<[u8]>) -> Ran {
        finish(self.command(args), stdin.as_ref())
    }

    /// The single JSON value that a command prints with `--json`.
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let out = self.run(&[args, &["--json"]].concat()).ok();
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("{args:?} prints one JSON value ({error}): {out}"))
    }

    /// The JSON lines of a command marked † in docs/sources.md#design-command-line.
    pub(crate) fn rows(&self, args: &[&str]) -> Vec<Value> {
        rows(&self.run(&[args, &["--json"]].concat()).ok())
    }

    /// Imports Keepsake JSONL and runs the queue.
    pub(crate) fn read(&self, jsonl: &str) {
        let path = self.file("read.jsonl", jsonl);
        self.run(&["import", path.to_str().unwrap()]).ok();
        self.run(&["run-jobs", "--until-idle"]).ok();
    }

    /// Ids of the memories with this status, newest first.
    pub(crate) fn ids(&self, status: &str) -> Vec<String> {
        self.rows(&["memories", "--status", status]).iter().map(|row| text(row, "id")).collect()
    }

    /// All stored data, as shown on the command line. A failed or repeated command must not change it.
    pub(crate) fn stored(&self) -> Vec<Value> {
        [self.rows(&["conversations"]), self.rows(&["memories"]), vec![self.json(&["verify"])]].concat()
    }
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy_folder(&path, &to);
        } else if path.is_file() {
            std::fs::copy(&path, &to).unwrap();
        }
    }
}

/// The command without a home. Environment variables of an installed Keepsake are removed.
pub(crate) fn bare() -> Command {
    let mut command = Command::new(keepsake());
    for name in ["KEEPSAKE_DATA", "KEEPSAKE_UI", "KEEPSAKE_LOG"] {
        command.env_remove(name);
    }
    // Local times in exports must be the same on every computer.
    command.env("TZ", "UTC");
    command
}

/// Runs a command until it ends.
pub(crate) fn finish(mut command: Command, stdin: &[u8]) -> Ran {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary starts");
    let mut input = child.stdin.take().expect("standard input is piped");
    let output = std::thread::scope(|scope| {
        scope.spawn(move || {
            // A command that does not read its input may already have ended.
            let _ = input.write_all(stdin);
        });
        child.wait_with_output().expect("the binary ends")
    });
    Ran {
        code: output.status.code().expect("no signal ended it"),
        out: String::from_utf8(output.stdout).expect("standard output is UTF-8"),
        err: String::from_utf8(output.stderr).expect("standard error is UTF-8"),
    }
}

/// Parses one JSON value per line.
pub(crate) fn rows(out: &str) -> Vec<Value> {
    out.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

/// The value of a text field.
pub(crate) fn text(row: &Value, field: &str) -> String {
    row[field].as_str().unwrap_or_else(|| panic!("{field} is text in {row}")).to_owned()
}

/// Keepsake JSONL for one conversation from (role, author, text). Ids are `m1`, `m2` …, and messages are one minute apart.
pub(crate) fn jsonl(conversation: &str, lines: &[(&str, &str, &str)]) -> String {
    let line = |(index, (role, author, text)): (usize, &(&str, &str, &str))| {
        let row = json!({
            "conversation": conversation, "title": format!("About {conversation}"), "channel_type": "chat", "channel_id": "room",
            "id": format!("m{}", index + 1), "time": format!("2026-01-05T{:02}:{:02}:00Z", 10 + index / 60, index % 60),
            "author": author, "role": role, "text": text,
        });
        format!("{row}\n")
    };
    lines.iter().enumerate().map(line).collect()
}

/// A conversation from which the built-in engine proposes several memories about its owner and one about Ana.
pub(crate) fn evening() -> String {
    jsonl(
        "evening",
        &[
            ("owner", "Mara", "I live in Porto with my sister Ana. I'm allergic to peanuts."),
            ("assistant", "Nova", "Noted. You work as a pilot and you love sailing."),
            ("owner", "Mara", "🙂 I prefer short answers. I want to run a marathon in Osaka next year."),
            ("person", "Ana", "I work as a nurse in Leeds, mostly at night."),
            ("owner", "Mara", "I work as a teacher at a primary school, and my cat is called Momo."),
            ("assistant", "Nova", "A marathon needs about sixteen weeks of training; begin with three short runs a week."),
            ("owner", "Mara", "I've been learning to play the cello for three years now."),
        ],
    )
}
