//! Tests the formats in the table, one module each: the line-by-line result of an export with all its traps, and the guarantees
//! that hold for every format. The table of what is read, kept and left out in `docs/formats_table.md` is generated here, and
//! each of its cells is checked against an export.

#![expect(clippy::unwrap_used, reason = "a test may fail by panic, its set-up included")]
#![expect(missing_docs, reason = "the modules below use what is here, and nobody else can")]

#[path = "formats/basic_memory.rs"]
mod basic_memory;
#[path = "formats/chatgpt_memories.rs"]
mod chatgpt_memories;
#[path = "formats/copilot_chat.rs"]
mod copilot_chat;
#[path = "formats/cursor.rs"]
mod cursor;
#[path = "formats/discord.rs"]
mod discord;
#[path = "formats/email.rs"]
mod email;
#[path = "formats/google_chat.rs"]
mod google_chat;
#[path = "formats/imessage.rs"]
mod imessage;
#[path = "formats/jan.rs"]
mod jan;
#[path = "formats/keepsake_export.rs"]
mod keepsake_export;
#[path = "formats/librechat.rs"]
mod librechat;
#[path = "formats/line.rs"]
mod line;
#[path = "formats/lm_studio.rs"]
mod lm_studio;
#[path = "formats/matrix.rs"]
mod matrix;
#[path = "formats/mem0.rs"]
mod mem0;
#[path = "formats/members.rs"]
mod members;
#[path = "formats/memories.rs"]
mod memories;
#[path = "formats/mempalace.rs"]
mod mempalace;
#[path = "formats/meta.rs"]
mod meta;
#[path = "formats/obsidian.rs"]
mod obsidian;
#[path = "formats/open_webui.rs"]
mod open_webui;
#[path = "formats/signal.rs"]
mod signal;
#[path = "formats/signal_desktop.rs"]
mod signal_desktop;
#[path = "formats/signal_export.rs"]
mod signal_export;
#[path = "formats/simplex.rs"]
mod simplex;
#[path = "formats/slack.rs"]
mod slack;
#[path = "formats/teams.rs"]
mod teams;
#[path = "formats/telegram.rs"]
mod telegram;
#[path = "formats/wechat.rs"]
mod wechat;
#[path = "formats/zed.rs"]
mod zed;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::{Cursor, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use expect_test::{Expect, expect_file};
use keepsake_domain::{Channel, ChannelHandle, Message, MessageType, Role, SourceKind, TimeCertainty, Timestamp};
use keepsake_importers::{
    ImportError, ImportOptions, Read, Sink, Skip, SkipReason, Stop, Zone, look_through, may_be, preview, read_path, sniff,
};
use proptest::prelude::*;
use tempfile::TempDir;
use zip::write::SimpleFileOptions;

/// What exports contain besides the words, in the order of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feature {
    Author,
    Time,
    Reply,
    Thread,
    Edit,
    Deletion,
    Forward,
    Reaction,
    Attachment,
    Members,
    Bot,
    Disappearing,
    Call,
    Poll,
}

impl Feature {
    const ALL: [(Self, &str); 14] = [
        (Self::Author, "author"),
        (Self::Time, "time"),
        (Self::Reply, "replies"),
        (Self::Thread, "threads"),
        (Self::Edit, "edits"),
        (Self::Deletion, "deletions"),
        (Self::Forward, "forwards"),
        (Self::Reaction, "reactions"),
        (Self::Attachment, "attachments"),
        (Self::Members, "members"),
        (Self::Bot, "bots"),
        (Self::Disappearing, "disappearing"),
        (Self::Call, "calls"),
        (Self::Poll, "polls"),
    ];
}

/// What an importer does with a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It is read, and keeps its meaning.
    Read,
    /// It is kept with the message, in its metadata or as a notice, but affects nothing.
    Kept,
    /// It is left out, and counted as skipped.
    LeftOut,
    /// The format does not have it.
    Absent,
}

/// One cell of the table, with the proof.
pub struct Cell {
    pub feature: Feature,
    pub outcome: Outcome,
    /// Whether the format's export proves the cell.
    pub holds: fn(&Collect) -> bool,
}

/// Shorthand for a cell.
pub const fn cell(feature: Feature, outcome: Outcome, holds: fn(&Collect) -> bool) -> Cell {
    Cell { feature, outcome, holds }
}

/// A format under test.
pub struct Format {
    /// Its name in the table, such as "Telegram Desktop".
    pub name: &'static str,
    pub kind: SourceKind,
    /// Path below `tests/fixtures` of an export with every known pitfall: a file, or a folder if the export has several files.
    pub export: &'static str,
    /// The same conversations exported later, with more messages, and with the earlier ones as the format then shows them.
    pub grown: &'static str,
    /// The name or handle of the owner, if the export does not give it.
    pub me: Option<&'static str>,
    pub cells: Vec<Cell>,
}

/// The formats, in the order of the table.
fn formats() -> Vec<Format> {
    vec![
        basic_memory::format(),
        chatgpt_memories::page(),
        chatgpt_memories::written(),
        copilot_chat::format(),
        cursor::format(),
        discord::exporter(),
        discord::package(),
        email::maildir(),
        email::mbox(),
        email::single(),
        google_chat::format(),
        imessage::format(),
        jan::format(),
        librechat::format(),
        line::format(),
        lm_studio::format(),
        matrix::format(),
        mem0::backup(),
        mem0::history(),
        mem0::results(),
        mempalace::chroma(),
        mempalace::exact(),
        mempalace::facts(),
        mempalace::lines(),
        mempalace::pages(),
        meta::encrypted(),
        meta::instagram(),
        meta::messenger(),
        obsidian::format(),
        open_webui::format(),
        signal::format(),
        signal_desktop::format(),
        signal_export::folders(),
        signal_export::page(),
        simplex::format(),
        slack::format(),
        teams::format(),
        telegram::format(),
        wechat::format(),
        wechat::shared(),
        zed::format(),
    ]
}

/// A sink that collects everything an importer emits.
#[derive(Default)]
pub struct Collect {
    pub messages: Vec<Message>,
    pub skips: Vec<Skip>,
    /// The handles of the people in each room, by the id of the room.
    pub members: BTreeMap<String, BTreeSet<String>>,
}

impl Sink for Collect {
    fn take(&mut self, read: Read) -> Result<(), Stop> {
        match read {
            Read::Message(message) => self.messages.push(message),
            Read::Skipped(skip) => self.skips.push(skip),
        }
        Ok(())
    }

    fn members(&mut self, channel: Channel, members: Vec<ChannelHandle>) {
        self.members.entry(channel.channel_id).or_default().extend(members.into_iter().map(|member| member.handle));
    }

    fn progress(&mut self, done: u64, total: u64) -> Result<(), Stop> {
        assert!(done <= total, "progress never passes its end");
        Ok(())
    }
}

impl Collect {
    /// The first message whose text contains `words`.
    pub fn saying(&self, words: &str) -> Option<&Message> {
        self.messages.iter().find(|message| message.text.contains(words))
    }

    /// Whether records were skipped for this reason.
    pub fn skipped(&self, reason: SkipReason) -> bool {
        self.skips.iter().any(|skip| skip.reason == reason)
    }

    fn ids(&self) -> BTreeSet<(String, String)> {
        self.messages.iter().map(|message| (message.source.conversation.clone(), message.source.message.clone())).collect()
    }
}

/// The path of a fixture. Databases are stored as SQL, and names that some systems do not allow (`:`, an emoji) are
/// percent-encoded. Both are converted when needed.
pub fn fixture(name: &str) -> PathBuf {
    static MADE: OnceLock<Mutex<(TempDir, BTreeSet<PathBuf>)>> = OnceLock::new();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fixtures").join(name);
    let (is_database, is_coded) = (name.ends_with(".sql"), has_coded_name(&path));
    if !is_database && !is_coded {
        return path;
    }
    let made = MADE.get_or_init(|| Mutex::new((tempfile::tempdir().unwrap(), BTreeSet::new())));
    let mut made = made.lock().unwrap();
    let target = made.0.path().join(decoded(&name.replace(".sql", ".db")));
    if !made.1.insert(target.clone()) {
        return target;
    }
    fs::create_dir_all(target.parent().unwrap()).unwrap();
    if is_database {
        // These files need not survive a crash, and otherwise each statement would wait for the disk.
        let sql = format!("PRAGMA synchronous = OFF;\n{}", fs::read_to_string(path).unwrap());
        rusqlite::Connection::open(&target).unwrap().execute_batch(&sql).unwrap();
    } else if path.is_dir() {
        for (name, bytes) in files_of(&path) {
            let file = target.join(decoded(&name));
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, bytes).unwrap();
        }
    } else {
        fs::write(&target, fs::read(path).unwrap()).unwrap();
    }
    target
}

/// Whether this file, or one in this folder, has a percent-encoded name.
fn has_coded_name(path: &Path) -> bool {
    let is_coded = path.file_name().is_some_and(|name| name.to_string_lossy().contains('%'));
    is_coded || path.is_dir() && fs::read_dir(path).unwrap().any(|entry| has_coded_name(&entry.unwrap().path()))
}

/// A name without its percent encoding.
fn decoded(name: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = name.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        match code.filter(|_| *byte == b'%') {
            Some(code) => {
                bytes.push(code);
                rest = &after[2..];
            }
            None => {
                bytes.push(*byte);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap()
}

/// 2026-01-01T00:00:00Z, the time of every fixture.
pub const FILE_TIME: Timestamp = Timestamp(1_767_225_600_000);

/// Options with the owner's name.
pub fn options(me: Option<&str>) -> ImportOptions {
    ImportOptions { me: me.map(str::to_owned), ..ImportOptions::new(FILE_TIME) }
}

/// Reads an export and checks that everything in it is accounted for.
pub fn read(path: &Path, options: &ImportOptions) -> Result<Collect, ImportError> {
    let mut collect = Collect::default();
    let report = read_path(path, options, &mut collect);
    if report.is_err() {
        assert!(collect.messages.is_empty(), "a refused file hands out nothing");
    }
    let report = report?;
    let skipped: u64 = collect.skips.iter().map(|skip| skip.count).sum();
    let emitted = collect.messages.len() as u64;
    assert_eq!((report.seen, report.emitted, report.skipped), (emitted + skipped, emitted, skipped));
    Ok(collect)
}

/// Compares what an export gives with `expect`: one line per message, then the skips.
pub fn check(path: &Path, me: Option<&str>, expect: Expect) {
    expect.assert_eq(&match read(path, &options(me)) {
        Ok(collect) => shown(&collect),
        Err(error) => format!("error: {}\n", error.to_string().replace(&path.display().to_string(), "FILE")),
    });
}

/// Checks that files with these contents are not taken for exports of this kind.
pub fn unclaimed(contents: &[&str], kind: SourceKind) {
    for content in contents {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("near.json");
        fs::write(&path, content).unwrap();
        assert!(sniff(&path).ok() != Some(kind), "{content}");
    }
}

fn shown(collect: &Collect) -> String {
    let mut out = String::new();
    let mut conversation = "";
    for message in &collect.messages {
        if message.source.conversation != conversation {
            conversation = &message.source.conversation;
            let title = message.conversation_title.as_deref().unwrap_or("untitled");
            let visibility = message.visibility;
            writeln!(
                out,
                "# {conversation} \u{201c}{title}\u{201d} {} {} {visibility}",
                message.channel_type, message.channel_id
            )
            .unwrap();
        }
        let at = chrono::DateTime::from_timestamp_millis(message.time.0).unwrap().format("%Y-%m-%dT%H:%M:%S");
        let certainty = match message.time_certainty {
            TimeCertainty::Exact => "Z",
            TimeCertainty::LocalAssumed => " local",
            TimeCertainty::Inferred => " inferred",
        };
        write!(
            out,
            "{} {at}{certainty} {} <{}> {}",
            message.source.message, message.author.name, message.author.handle.handle, message.author.role
        )
        .unwrap();
        if message.message_type != MessageType::Text {
            write!(out, " {}", message.message_type).unwrap();
        }
        if let Some(reply_to) = &message.reply_to {
            write!(out, " reply-to={reply_to}").unwrap();
        }
        if message.is_private {
            out.push_str(" private");
        }
        if !message.metadata.is_empty() {
            write!(out, " {}", serde_json::to_string(&message.metadata).unwrap()).unwrap();
        }
        writeln!(out, ": {}", message.text.replace('\n', "\\n")).unwrap();
    }
    for skip in &collect.skips {
        writeln!(out, "skipped {} {}: {}", skip.count, skip.reason.name(), skip.sample).unwrap();
    }
    out
}

/// The files of an export by their relative paths.
fn files_of(path: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(folder: &Path, root: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, root, files);
            } else {
                files.insert(path.strip_prefix(root).unwrap().to_string_lossy().into_owned(), fs::read(&path).unwrap());
            }
        }
    }
    let mut files = BTreeMap::new();
    if path.is_dir() {
        walk(path, path, &mut files);
    } else {
        files.insert("file".to_owned(), fs::read(path).unwrap());
    }
    files
}

fn zip_of(files: &BTreeMap<String, Vec<u8>>, folder: &str) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(format!("{folder}{name}"), SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// Writes the files to a new folder. A single file is returned by itself.
fn written(files: &BTreeMap<String, Vec<u8>>) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let path = if files.len() == 1 { folder.path().join(files.keys().next().unwrap()) } else { folder.path().to_owned() };
    (folder, path)
}

#[test]
fn every_format_is_recognized_by_content_as_a_file_in_a_folder_and_in_a_zip() {
    for format in formats() {
        let path = fixture(format.export);
        assert_eq!(sniff(&path).unwrap(), format.kind, "{}", format.name);
        let files = files_of(&path);
        let folder = tempfile::tempdir().unwrap();
        // A folder keeps its name, as in a zip made by the system, because some exports are recognized by it.
        let own = path.file_stem().unwrap().to_string_lossy().into_owned();
        let deep = if path.is_dir() { format!("my export/of 2026/{own}/") } else { "my export/of 2026/".to_owned() };
        for (name, within) in [(format!("flat/{own}.zip"), ""), ("deep.zip".to_owned(), deep.as_str())] {
            let zip = folder.path().join(&name);
            fs::create_dir_all(zip.parent().unwrap()).unwrap();
            fs::write(&zip, zip_of(&files, within)).unwrap();
            assert_eq!(sniff(&zip).unwrap(), format.kind, "{} in {name}", format.name);
            let found = look_through(folder.path()).unwrap();
            assert!(found.exports.iter().any(|export| export.path == zip && export.kind == format.kind), "{}", format.name);
            let (here, there) = (read(&path, &options(format.me)).unwrap(), read(&zip, &options(format.me)).unwrap());
            assert_eq!(here.ids(), there.ids(), "{} has the same messages in {name}", format.name);
        }
    }
}

#[test]
fn a_database_in_a_zip_is_read_with_its_log() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().join("chat.db");
    fs::copy(fixture("imessage/chat.sql"), &at).unwrap();
    let before = read(&at, &options(None)).unwrap();
    // The log contains the newest change while somebody has the database open.
    let writer = rusqlite::Connection::open(&at).unwrap();
    writer.execute_batch("PRAGMA journal_mode = wal; UPDATE message SET text = 'Only in the log' WHERE guid = 'A-01'").unwrap();
    let mut files = files_of(folder.path());
    assert!(files.contains_key("chat.db-wal"), "control");
    files.insert("notes.db".to_owned(), fs::read(&at).unwrap()[..200].to_vec());
    let zip = folder.path().join("backup.zip");
    fs::write(&zip, zip_of(&files, "Messages/")).unwrap();
    let after = read(&zip, &options(None)).unwrap();
    assert_eq!(after.ids(), before.ids());
    assert!(before.saying("Only in the log").is_none() && after.saying("Only in the log").is_some());
    let found = look_through(&zip).unwrap();
    let left_out: Vec<_> = found.left_out.iter().map(|file| (file.path.as_str(), file.reason.name())).collect();
    assert_eq!(left_out, [("Messages/notes.db", "unreadable")], "what was read with the database is not left out");
    assert_eq!(found.exports.iter().map(|export| export.kind).collect::<Vec<_>>(), [SourceKind::Imessage]);
}

#[test]
fn a_database_in_a_zip_that_is_unknown_encrypted_or_damaged_is_listed_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("other.db");
    rusqlite::Connection::open(&other).unwrap().execute_batch("CREATE TABLE recipes (name)").unwrap();
    let encrypted = fs::read(fixture("simplex/encrypted.db")).unwrap();
    let database = fs::read(fixture("simplex/chat.sql")).unwrap();
    for (what, bytes, reason) in [
        ("unknown", fs::read(&other).unwrap(), "unknown"),
        ("encrypted", encrypted, "encrypted"),
        ("cut", database[..600].to_vec(), "unreadable"),
    ] {
        let zip = folder.path().join(format!("{what}.zip"));
        fs::write(&zip, zip_of(&BTreeMap::from([("simplex_v1_chat.db".to_owned(), bytes)]), "")).unwrap();
        let found = look_through(&zip).unwrap();
        assert_eq!(found.left_out.iter().map(|file| file.reason.name()).collect::<Vec<_>>(), [reason], "{what}");
        assert!(found.exports.is_empty() && read(&zip, &options(None)).is_err(), "{what}");
    }
    let mut damaged = database.clone();
    let middle = damaged.len() / 2;
    damaged[middle..].fill(0xAA);
    let zip = folder.path().join("damaged.zip");
    fs::write(&zip, zip_of(&BTreeMap::from([("chat.db".to_owned(), damaged)]), "")).unwrap();
    let error = read(&zip, &options(None)).err().map(|error| error.to_string()).unwrap_or_default();
    assert!(error.contains("damaged.zip"), "the person knows the zip, not the copy: {error}");
}

#[test]
fn reading_twice_in_another_zone_or_without_an_owner_gives_the_same_ids() {
    for format in formats() {
        let path = fixture(format.export);
        let elsewhere = ImportOptions { zone: Zone::Fixed(345), file_time: Timestamp(0), ..options(None) };
        let (here, there) = (read(&path, &options(format.me)).unwrap(), read(&path, &elsewhere).unwrap());
        assert_eq!(here.ids(), there.ids(), "{}", format.name);
        assert_eq!(here.ids().len(), here.messages.len(), "{}: no two messages share an id", format.name);
        assert!(!here.messages.is_empty(), "{}", format.name);
    }
}

#[test]
fn an_export_that_grew_gives_the_same_messages_and_the_new_ones() {
    for format in formats() {
        let before = read(&fixture(format.export), &options(format.me)).unwrap();
        let after = read(&fixture(format.grown), &options(format.me)).unwrap();
        let lost: Vec<_> = before.ids().difference(&after.ids()).cloned().collect();
        assert!(lost.is_empty(), "{} loses {lost:?}", format.name);
        assert!(after.messages.len() > before.messages.len(), "{} has something new", format.name);
    }
}

#[test]
fn each_conversation_comes_in_one_piece_and_in_time_order() {
    for format in formats() {
        let collect = read(&fixture(format.export), &options(format.me)).unwrap();
        let mut ended: BTreeSet<&str> = BTreeSet::new();
        for pair in collect.messages.windows(2) {
            let [one, next] = pair else { continue };
            if one.source.conversation == next.source.conversation {
                assert!(one.time <= next.time, "{}: {} before {}", format.name, one.text, next.text);
            } else {
                assert!(ended.insert(&one.source.conversation), "{}", format.name);
                assert!(!ended.contains(next.source.conversation.as_str()), "{}", format.name);
            }
        }
    }
}

#[test]
fn only_the_owners_own_words_are_the_owners() {
    for format in formats() {
        let collect = read(&fixture(format.export), &options(format.me)).unwrap();
        let owners = collect.messages.iter().filter(|message| message.author.role == Role::Owner).count();
        let tells_authors = |cell: &Cell| cell.feature == Feature::Author && cell.outcome == Outcome::Read;
        assert!(owners > 0 || !format.cells.iter().any(tells_authors), "{}: control", format.name);
        let nobody = read(&fixture(format.export), &options(Some("Nobody At All"))).unwrap();
        if format.me.is_some() {
            assert!(nobody.messages.iter().all(|message| message.author.role != Role::Owner), "{}", format.name);
        }
    }
}

#[test]
fn a_file_cut_anywhere_is_refused_or_gives_only_what_the_whole_one_gives() {
    /// Number of places at which a single-file export is cut.
    const CUTS: usize = 60;
    /// Number of places at which all files of an export together are cut, and the minimum for each file.
    const CUTS_OF_ALL: usize = 120;
    const CUTS_OF_EACH_MIN: usize = 4;
    for format in formats() {
        let files = files_of(&fixture(format.export));
        let cuts = if files.len() == 1 { CUTS } else { (CUTS_OF_ALL / files.len()).clamp(CUTS_OF_EACH_MIN, CUTS) };
        let whole = read(&fixture(format.export), &options(format.me)).unwrap();
        let known: BTreeSet<&str> = whole.messages.iter().map(|message| message.text.as_str()).collect();
        let (folder, path) = written(&files);
        for (name, bytes) in &files {
            let damaged = folder.path().join(name);
            for cut in 0..cuts {
                fs::write(&damaged, &bytes[..bytes.len() * cut / cuts]).unwrap();
                // Nothing is left that identifies the format, so the person's choice is used.
                if files.len() == 1 && may_be(&path).is_ok_and(|kinds| kinds.contains(&format.kind)) {
                    continue;
                }
                let Ok(part) = read(&path, &ImportOptions { source: Some(format.kind), ..options(format.me) }) else { continue };
                for message in part.messages {
                    let text = message.text.trim_end_matches('\u{fffd}');
                    // The texts are sorted: if any of them begins with this text, the first one that is not less than it does.
                    let is_part = known.range(text..).next().is_some_and(|known| known.starts_with(text));
                    assert!(is_part, "{}: {name} cut at {cut}/{cuts} gives {:?}", format.name, message.text);
                }
            }
            fs::write(&damaged, bytes).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn bytes_changed_anywhere_are_read_or_refused_without_panic(
        places in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        file in any::<prop::sample::Index>(),
    ) {
        for format in formats() {
            let mut files = files_of(&fixture(format.export));
            let name = file.get(&files.keys().cloned().collect::<Vec<_>>()).clone();
            let bytes = files.get_mut(&name).unwrap();
            for (place, byte) in &places {
                if !bytes.is_empty() {
                    let at = place.index(bytes.len());
                    bytes[at] = *byte;
                }
            }
            let (_folder, path) = written(&files);
            let _ = read(&path, &ImportOptions { source: Some(format.kind), ..options(format.me) });
        }
    }
}

#[test]
fn the_table_of_formats_says_what_is_read_kept_and_left_out() {
    let mut table = String::from(
        "# What is read of each format\n\nThis table is made by the tests (`importers/tests/formats.rs`), and each cell is checked \
         against an export with that feature.\n\n- **read**: it means what it meant.\n- **kept**: it stays with the message and \
         decides nothing.\n- **left out**: it is not imported, and is counted.\n- –: the format does not have it.\n\n",
    );
    let heads: Vec<&str> = Feature::ALL.iter().map(|(_, name)| *name).collect();
    writeln!(table, "| Format | {} |\n|---|{}", heads.join(" | "), "---|".repeat(heads.len())).unwrap();
    for format in formats() {
        let collect = read(&fixture(format.export), &options(format.me)).unwrap();
        let words = Feature::ALL.map(|(feature, name)| {
            let found = format.cells.iter().find(|cell| cell.feature == feature);
            let found = found.unwrap_or_else(|| panic!("{} says nothing of {name}", format.name));
            assert!(found.outcome == Outcome::Absent || (found.holds)(&collect), "{}: {name} is not so", format.name);
            match found.outcome {
                Outcome::Read => "read",
                Outcome::Kept => "kept",
                Outcome::LeftOut => "left out",
                Outcome::Absent => "–",
            }
        });
        writeln!(table, "| {} | {} |", format.name, words.join(" | ")).unwrap();
    }
    expect_file!["../../../docs/formats_table.md"].assert_eq(&table);
}
