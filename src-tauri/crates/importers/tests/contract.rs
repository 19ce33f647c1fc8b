//! Tests the guarantees of every importer: stable ids, clear refusals, and bounded resources for hostile files.

#![expect(clippy::unwrap_used, reason = "a test may fail by panic, its set-up included")]

use std::collections::BTreeSet;
use std::fs;
use std::io::{Cursor, Write as _};
use std::path::{Path, PathBuf};

use keepsake_domain::{Message, Role, SourceKind, Timestamp};
use keepsake_importers::{
    DateOrder, ImportError, ImportOptions, LeftOutReason, Read, Sink, SkipReason, Stop, Zone, look_through, preview, read_path,
    sniff,
};
use keepsake_testkit::exports::write_chatgpt_export;
use proptest::prelude::*;
use tempfile::TempDir;
use zip::write::SimpleFileOptions;

#[derive(Default)]
struct Collect {
    messages: Vec<Message>,
    skips: Vec<keepsake_importers::Skip>,
    stop_after: Option<usize>,
}

impl Sink for Collect {
    fn take(&mut self, read: Read) -> Result<(), Stop> {
        match read {
            Read::Message(message) => self.messages.push(message),
            Read::Skipped(skip) => self.skips.push(skip),
        }
        if self.stop_after == Some(self.messages.len()) { Err(Stop) } else { Ok(()) }
    }

    fn progress(&mut self, done: u64, total: u64) -> Result<(), Stop> {
        assert!(done <= total, "progress never passes its end");
        Ok(())
    }
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fixtures").join(name)
}

fn options() -> ImportOptions {
    ImportOptions::new(Timestamp(1_767_225_600_000))
}

fn day_first() -> ImportOptions {
    ImportOptions { date_order: Some(DateOrder::DayFirst), ..options() }
}

fn read(path: &Path, options: &ImportOptions) -> Result<Collect, ImportError> {
    let mut collect = Collect::default();
    let report = read_path(path, options, &mut collect);
    if report.is_err() {
        assert!(collect.messages.is_empty(), "a refused file hands out nothing");
    }
    let report = report?;
    let skipped: u64 = collect.skips.iter().map(|skip| skip.count).sum();
    assert_eq!(
        (report.seen, report.emitted, report.skipped),
        (collect.messages.len() as u64 + skipped, collect.messages.len() as u64, skipped)
    );
    Ok(collect)
}

fn ids(collect: &Collect) -> BTreeSet<(String, String)> {
    collect.messages.iter().map(|message| (message.source.conversation.clone(), message.source.message.clone())).collect()
}

fn write(folder: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, bytes).unwrap();
    path
}

fn zip_of(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

const FIXTURES: &[(&str, SourceKind)] = &[
    ("chatgpt/branches.json", SourceKind::Chatgpt),
    ("chatgpt/modern.json", SourceKind::Chatgpt),
    ("chatgpt/repairs.json", SourceKind::Chatgpt),
    ("chatgpt/bad_records.json", SourceKind::Chatgpt),
    ("chatgpt/content_types.json", SourceKind::Chatgpt),
    ("chatgpt/tools.json", SourceKind::Chatgpt),
    ("claude/blocks_and_branches.json", SourceKind::Claude),
    ("claude/projects.json", SourceKind::Claude),
    ("claude/memories.json", SourceKind::Claude),
    ("claude-account/users.json", SourceKind::Claude),
    ("claude-code/project/5a0c-session.jsonl", SourceKind::ClaudeCode),
    ("claude-code/project/agent-ab12cd.jsonl", SourceKind::ClaudeCode),
    ("claude-code/commands.jsonl", SourceKind::ClaudeCode),
    ("codex-cli/session.jsonl", SourceKind::CodexCli),
    ("codex-cli/requests.jsonl", SourceKind::CodexCli),
    ("codex-cli/agent.jsonl", SourceKind::CodexCli),
    ("codex-cli/fork.jsonl", SourceKind::CodexCli),
    ("gemini-cli/session.jsonl", SourceKind::GeminiCli),
    ("gemini-cli/older.json", SourceKind::GeminiCli),
    ("gemini-cli/agent.jsonl", SourceKind::GeminiCli),
    ("gemini-cli/history.jsonl", SourceKind::GeminiCli),
    ("keepsake/fields.jsonl", SourceKind::KeepsakeJsonl),
    ("whatsapp/uk.txt", SourceKind::Whatsapp),
    ("whatsapp/iphone_de.txt", SourceKind::Whatsapp),
    ("whatsapp/iphone_us.txt", SourceKind::Whatsapp),
    ("transcript/zoom.vtt", SourceKind::Transcript),
    ("transcript/teams.vtt", SourceKind::Transcript),
    ("transcript/meeting.srt", SourceKind::Transcript),
    ("transcript/otter.txt", SourceKind::Transcript),
    ("transcript/zoom_captions.txt", SourceKind::Transcript),
    ("transcript/fireflies.json", SourceKind::Transcript),
    ("transcript/fireflies_page.json", SourceKind::Transcript),
    ("transcript/meet.txt", SourceKind::Transcript),
    ("transcript/meet.sbv", SourceKind::Transcript),
    ("transcript/meet.docx", SourceKind::Transcript),
    ("transcript/teams.docx", SourceKind::Transcript),
    ("transcript/teams_older.docx", SourceKind::Transcript),
];

#[test]
fn content_tells_the_kind_whatever_the_name() {
    let folder = TempDir::new().unwrap();
    for (name, kind) in FIXTURES {
        let bytes = fs::read(fixture(name)).unwrap();
        let renamed = write(&folder, "conversations.json", &bytes);
        assert_eq!(sniff(&renamed).unwrap(), *kind, "{name} under another name");
        if name.ends_with(".docx") {
            continue;
        }
        let zipped = write(&folder, "any.bin", &zip_of(&[("photo.jpg", b"x"), ("folder/whatever", &bytes)]));
        assert_eq!(sniff(&zipped).unwrap(), *kind, "{name} in a zip");
        assert_eq!(sniff(&fixture(name).parent().unwrap().join(Path::new(name).file_name().unwrap())).unwrap(), *kind);
    }
}

#[test]
fn other_files_are_told_to_be_unknown() {
    let folder = TempDir::new().unwrap();
    for (what, bytes) in [
        ("a letter", "Dear Ana,\nsee you at 9:30.\nBo\n".as_bytes()),
        ("a play list", b"Blue Train 10:43\nLocomotion 7:14\nLazy Bird 7:00\n"),
        ("other JSON", b"{\"name\":\"x\",\"version\":1}"),
        ("a number", b"42\n"),
        ("a table", b"date,amount\n31/12/2025,10\n"),
        ("sentences of nobody", b"{\"sentences\":[{\"text\":\"x\",\"start_time\":1}]}"),
        ("a quotation", b"{\"a\":\"{\\\"sentences\\\":[{\\\"start_time\\\":1,\\\"speaker_name\\\":1}]}\"}"),
        ("a list of documents", b"[{\"uuid\":\"x\",\"docs\":[{\"content\":\"x\"}]}]"),
        ("a log of another program", b"{\"timestamp\":\"2026-01-05T10:00:00Z\",\"type\":\"event\",\"payload\":{}}\n"),
        ("a quoted line", b"{\"timestamp\":\"x\",\"payload\":{\"type\":\"session_meta\"}}\n"),
        ("an address book", b"[{\"full_name\":\"Jo\",\"email_address\":\"jo@example.org\"}]"),
        ("a template that names the keys of others", b"[{\"prompt_template\":\"docs conversations_memory chat_messages\"}]"),
    ] {
        let path = write(&folder, "file", bytes);
        assert!(matches!(sniff(&path), Err(ImportError::Unknown { .. })), "{what}: {:?}", sniff(&path));
        assert!(read(&path, &options()).is_err(), "{what} is not imported");
    }
}

#[test]
fn reading_twice_gives_the_same_messages() {
    for (name, _) in FIXTURES {
        let (first, second) = (read(&fixture(name), &options()).unwrap(), read(&fixture(name), &options()).unwrap());
        assert_eq!(first.messages, second.messages, "{name}");
        assert_eq!(ids(&first).len(), first.messages.len(), "{name}: no two messages share an id");
    }
}

#[test]
fn the_zone_and_the_owner_change_no_id() {
    for (name, _) in FIXTURES {
        let elsewhere =
            ImportOptions { zone: Zone::Fixed(345), me: Some("Jo Fenn".into()), file_time: Timestamp(0), ..options() };
        let (here, there) = (read(&fixture(name), &options()).unwrap(), read(&fixture(name), &elsewhere).unwrap());
        assert_eq!(ids(&here), ids(&there), "{name}");
    }
}

#[test]
fn each_conversation_comes_in_one_piece_and_in_time_order() {
    for (name, _) in FIXTURES {
        let read = read(&fixture(name), &options()).unwrap();
        let mut done = BTreeSet::new();
        for pair in read.messages.windows(2) {
            if pair[0].source.conversation == pair[1].source.conversation {
                let is_ordered = pair[0].time <= pair[1].time;
                assert!(is_ordered, "{name}: {} before {}", pair[0].source.message, pair[1].source.message);
            } else {
                assert!(done.insert(pair[0].source.conversation.clone()), "{name}: a conversation comes back");
            }
        }
    }
}

#[test]
fn everything_can_be_made_private() {
    for (name, _) in FIXTURES {
        let read = read(&fixture(name), &ImportOptions { make_private: true, ..options() }).unwrap();
        assert!(read.messages.iter().all(|message| message.is_private), "{name}");
    }
}

#[test]
fn a_longer_export_of_a_chat_holds_the_ids_of_the_shorter_one() {
    let text = fs::read_to_string(fixture("whatsapp/uk.txt")).unwrap();
    let untitled: String = text.lines().filter(|line| !line.contains("created group")).map(|line| format!("{line}\n")).collect();
    let folder = TempDir::new().unwrap();
    for (what, text, name) in [
        ("a group with its subject", &text, "WhatsApp Chat with Allotment.txt"),
        ("a renamed file", &text, "2026-01-05 export.txt"),
        ("a chat without a name", &untitled, "_chat.txt"),
    ] {
        let whole = read(&write(&folder, name, text.as_bytes()), &day_first()).unwrap();
        let cut: String = text.lines().take(12).map(|line| format!("{line}\n")).collect();
        let short = read(&write(&folder, &format!("earlier/{name}"), cut.as_bytes()), &day_first()).unwrap();
        assert!(short.messages.len() > 3 && ids(&short).is_subset(&ids(&whole)), "{what}");
    }
}

#[test]
fn a_zip_of_numbered_files_among_many_others_is_read_in_order() {
    let folder = TempDir::new().unwrap();
    let branches = fs::read(fixture("chatgpt/branches.json")).unwrap();
    let modern = fs::read(fixture("chatgpt/modern.json")).unwrap();
    let others: Vec<String> = (0..60).map(|n| format!("other_{n}.json")).collect();
    let mut entries: Vec<(&str, &[u8])> = others.iter().map(|name| (name.as_str(), b"[{\"id\":1}]".as_slice())).collect();
    entries.push(("conversations-001.json", &modern));
    entries.push(("conversations-000.json", &branches));
    entries.push(("__MACOSX/._conversations-000.json", b"\0\0"));
    entries.push(("chat.html", b"<html>"));
    let zipped = read(&write(&folder, "export.zip", &zip_of(&entries)), &options()).unwrap();
    let mut single = read(&fixture("chatgpt/branches.json"), &options()).unwrap().messages;
    single.extend(read(&fixture("chatgpt/modern.json"), &options()).unwrap().messages);
    assert_eq!(zipped.messages, single, "the same as the files one after another");
    let unknown = zipped.skips.iter().find(|skip| skip.reason == SkipReason::OtherKind);
    assert_eq!(unknown.map(|skip| skip.count), Some(60), "files that nobody knows are told of, pages and litter are not");
}

#[test]
fn a_folder_of_numbered_zips_is_one_import() {
    let folder = TempDir::new().unwrap();
    let conversation = |n: u32| {
        format!(
            "[{{\"uuid\":\"c{n}\",\"chat_messages\":[{{\"uuid\":\"m{n}\",\"sender\":\"human\",\"text\":\"I live in Leeds\"}}]}}]"
        )
    };
    for n in 0..3 {
        let bytes = zip_of(&[("conversations.json", conversation(n).as_bytes())]);
        write(&folder, &format!("data-batch-000{n}.zip"), &bytes);
    }
    let read = read(folder.path(), &options()).unwrap();
    let ids: Vec<_> = read.messages.iter().map(|message| message.source.message.as_str()).collect();
    assert_eq!(ids, ["m0", "m1", "m2"]);
}

#[test]
fn a_whole_claude_export_is_one_import_whatever_its_layout() {
    let folder = TempDir::new().unwrap();
    let file = |name: &str| fs::read(fixture(&format!("claude/{name}"))).unwrap();
    let (chats, users) = (file("blocks_and_branches.json"), fs::read(fixture("claude-account/users.json")).unwrap());
    let single = |bytes: &[u8]| serde_json::from_slice::<Vec<serde_json::Value>>(bytes).unwrap()[0].to_string();
    let projects: Vec<serde_json::Value> =
        serde_json::from_str(&String::from_utf8_lossy(&file("projects.json")).replace("\\ud83d", "\u{fffd}")).unwrap();
    let memories = single(&file("memories.json"));
    let project = projects[0].to_string();
    let lists = zip_of(&[
        ("conversations.json", &chats),
        ("memories.json", format!("[{memories}]").as_bytes()),
        ("projects.json", format!("[{project}]").as_bytes()),
        ("users.json", &users),
    ]);
    let singles = zip_of(&[
        ("conversations.json", &chats),
        ("memories/acc.json", memories.as_bytes()),
        ("projects/p-1.json", project.as_bytes()),
        ("users.json", &users),
    ]);
    let lists = read(&write(&folder, "lists.zip", &lists), &options()).unwrap();
    let singles = read(&write(&folder, "singles.zip", &singles), &options()).unwrap();
    assert_eq!(lists.messages, singles.messages);
    let chats = read(&fixture("claude/blocks_and_branches.json"), &options()).unwrap();
    assert_eq!(lists.messages.len(), chats.messages.len() + 3 + 5, "three memories and five parts of a project beside the chats");
    assert!(lists.skips.iter().all(|skip| skip.reason != SkipReason::OtherKind), "no file of it is of another kind");
}

#[test]
fn what_claude_wrote_or_was_given_is_never_the_owners_or_a_persons_whoever_is_named_as_the_owner() {
    let speaks = |name: &str| {
        let named = ImportOptions { me: Some("Claude".into()), ..options() };
        let read = read(&fixture(name), &named).unwrap();
        assert!(!read.messages.is_empty());
        read.messages.iter().filter(|message| matches!(message.author.role, Role::Owner | Role::Person)).count()
    };
    assert_eq!((speaks("claude/projects.json"), speaks("claude/memories.json")), (0, 0));
    assert!(speaks("claude/blocks_and_branches.json") > 0, "a control: in a chat the owner does speak");
}

#[test]
fn a_zip_with_a_chat_and_its_media_takes_the_name_from_the_zip() {
    let folder = TempDir::new().unwrap();
    let chat = "31/12/2025, 21:05 - Ana: hi\n".as_bytes();
    let path = write(&folder, "WhatsApp Chat with Ana.zip", &zip_of(&[("_chat.txt", chat), ("IMG-1.jpg", b"\xff\xd8")]));
    let read = read(&path, &options()).unwrap();
    assert_eq!(read.messages[0].conversation_title.as_deref(), Some("Ana"));
}

#[test]
fn the_order_of_files_does_not_matter() {
    let exports = look_through(&fixture("claude-code/project")).unwrap().exports;
    let files: Vec<PathBuf> = exports.into_iter().map(|export| export.path).collect();
    assert_eq!(files.len(), 3);
    let set =
        |files: Vec<PathBuf>| -> BTreeSet<_> { files.iter().flat_map(|file| ids(&read(file, &options()).unwrap())).collect() };
    let backwards: Vec<PathBuf> = files.iter().rev().cloned().collect();
    assert_eq!(set(files), set(backwards));
}

#[test]
fn a_folder_lists_what_can_be_imported_and_why_the_rest_is_not() {
    use LeftOutReason::{Archive, Binary, Empty, Litter, Media, OtherFormat, Unknown, Unreadable, Utf16};
    let folder = TempDir::new().unwrap();
    let chat = b"31/12/2025, 21:05 - Ana: hi\n".as_slice();
    let chatgpt = fs::read(fixture("chatgpt/modern.json")).unwrap();
    write(&folder, "b/chat.txt", chat);
    write(&folder, "a.json", &chatgpt);
    write(&folder, "c.zip", &zip_of(&[("deep/chat.txt", chat), ("gpt.json", &chatgpt), ("x.7z", b"7z"), ("notes.txt", b"a")]));
    write(&folder, "user.json", b"{\"id\":\"u\"}");
    write(&folder, "empty.txt", b"");
    write(&folder, "photo", b"\x89PNG\r\n\x1a\n\0\0");
    write(&folder, "picture.png", b"\x89PNG\r\n\x1a\n\0\0");
    write(&folder, ".hidden", b"x");
    write(&folder, "report.pdf", b"%PDF-1.7\0");
    write(&folder, "broken.zip", b"PK\x03\x04");
    write(&folder, "wide.txt", b"\xff\xfea\0");
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.path(), folder.path().join("loop")).unwrap();
    let found = look_through(folder.path()).unwrap();
    let exports: Vec<_> = found
        .exports
        .iter()
        .map(|export| (export.path.strip_prefix(folder.path()).unwrap().to_str().unwrap(), export.kind, export.files))
        .collect();
    let expect = [
        ("a.json", SourceKind::Chatgpt, 1),
        ("b/chat.txt", SourceKind::Whatsapp, 1),
        ("c.zip", SourceKind::Chatgpt, 1),
        ("c.zip", SourceKind::Whatsapp, 1),
    ];
    assert_eq!(exports, expect, "links are not followed, so a loop ends");
    let left_out: Vec<_> = found.left_out.iter().map(|file| (file.path.as_str(), file.reason)).collect();
    let expect = [
        (".hidden", Litter),
        ("broken.zip", Unreadable),
        ("c.zip/notes.txt", Unknown),
        ("c.zip/x.7z", Archive),
        ("empty.txt", Empty),
        ("photo", Binary),
        ("picture.png", Media),
        ("report.pdf", OtherFormat),
        ("user.json", Unknown),
        ("wide.txt", Utf16),
    ];
    assert_eq!(left_out, expect, "every other file, with the reason");
    assert!(matches!(sniff(folder.path()), Err(ImportError::MixedFolder { .. })));
    for kind in found.kinds() {
        let part = read(folder.path(), &ImportOptions { source: Some(kind), ..options() }).unwrap();
        assert!(part.messages.iter().all(|message| message.source.kind == kind), "each kind is read on its own");
        assert!(!part.messages.is_empty());
        let others = part.skips.iter().filter(|skip| skip.reason == SkipReason::OtherKind);
        assert_eq!(others.count(), 0, "who names a kind has seen what else there is");
    }
    let one_kind = TempDir::new().unwrap();
    write(&one_kind, "chat.txt", chat);
    for name in ["a.xyz", "b.zip", "photo.jpg"] {
        write(&one_kind, name, b"PK\x03\x04 nothing");
    }
    let unnamed = read(one_kind.path(), &options()).unwrap();
    let others = unnamed.skips.iter().find(|skip| skip.reason == SkipReason::OtherKind).map(|skip| skip.count);
    assert_eq!(others, Some(2), "without a name, what might have been an export is accounted for");
    let nothing = look_through(TempDir::new().unwrap().path()).unwrap();
    assert!(nothing.exports.is_empty() && nothing.left_out.is_empty());
}

#[test]
fn wrong_files_get_one_clear_message() {
    let folder = TempDir::new().unwrap();
    let utf16: Vec<u8> = "\u{feff}31/12/2025, 21:05 - Ana: hi".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let bare16: Vec<u8> = "31/12/2025, 21:05 - Ana: hi".encode_utf16().flat_map(u16::to_be_bytes).collect();
    let modern = fs::read(fixture("chatgpt/modern.json")).unwrap();
    let zipped = zip_of(&[("conversations.json", &modern)]);
    let mut flipped = zipped.clone();
    flipped[100] ^= 0x55;
    let word = fs::read(fixture("transcript/meet.docx")).unwrap();
    let mut word_flipped = word.clone();
    let main = word.windows(17).position(|name| name == b"word/document.xml").unwrap();
    word_flipped[main + 60] ^= 0x55;
    let hostile = zip_of(&[
        ("[Content_Types].xml", b"<Types/>"),
        ("word/document.xml", b"<!DOCTYPE d [<!ENTITY a \"Ana\"><!ENTITY b \"&a;&a;\">]><d>&b;</d>"),
    ]);
    let deep = format!("[{{\"mapping\":{}{}}}]", "[".repeat(100_000), "]".repeat(100_000));
    for (what, bytes, wanted) in [
        ("nothing", Vec::new(), "is empty"),
        ("white space", b" \n\n ".to_vec(), "is empty"),
        ("UTF-16 with a mark", utf16, "UTF-16"),
        ("UTF-16 without", bare16, "UTF-16"),
        ("an image", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(), "binary"),
        ("half an export", modern[..modern.len() / 2].to_vec(), "nothing was imported"),
        ("two exports", [modern.clone(), modern.clone()].concat(), "damaged at byte"),
        (
            "half a line",
            b"{\"conversation\":\"a\",\"role\":\"person\",\"text\":\"x\"}\n{\"conversation\":\"a\",\"ro".to_vec(),
            "middle of a record",
        ),
        ("half a zip", zipped[..zipped.len() - 30].to_vec(), "damaged or incomplete"),
        ("a zip with a flipped bit", flipped, "damaged"),
        ("half a Word document", word[..word.len() / 2].to_vec(), "damaged or incomplete"),
        ("a Word document with a flipped bit", word_flipped, "cannot be read as a Word document"),
        ("a Word document with entities", hostile, "document type"),
        ("a zip of Word documents", zip_of(&[("Meet/a.docx", &word)]), "unpack it"),
        ("an empty zip", zip_of(&[]), "not an export"),
    ] {
        let path = write(&folder, "file", &bytes);
        let error = read(&path, &options()).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains(wanted), "{what}: {error:?} says {wanted:?}");
        assert!(!error.contains("Ana"), "{what}: an error quotes nobody");
    }
    let skips = read(&write(&folder, "deep", deep.as_bytes()), &options()).unwrap().skips;
    assert_eq!((skips[0].reason, skips[0].count), (SkipReason::Malformed, 1), "a deep record costs only itself");
    assert!(matches!(read(&folder.path().join("missing"), &options()), Err(ImportError::Io { .. })));
    let wrong = ImportOptions { source: Some(SourceKind::Claude), ..options() };
    assert!(matches!(read(&fixture("chatgpt/modern.json"), &wrong), Err(ImportError::WrongKind { .. })));
}

#[test]
fn a_stopped_sink_stops_the_import() {
    let mut collect = Collect { stop_after: Some(3), ..Collect::default() };
    let result = read_path(&fixture("chatgpt/branches.json"), &options(), &mut collect);
    assert!(matches!(result, Err(ImportError::Stopped(_))) && collect.messages.len() == 3, "not one message more");
    assert!(matches!(preview(&fixture("chatgpt/branches.json"), &options(), &|| true), Err(ImportError::Stopped(_))));
}

#[test]
fn no_truncation_of_a_chatgpt_export_is_taken_for_a_whole_one() {
    let mut whole = Vec::new();
    write_chatgpt_export(&mut whole, 2, 3, 7).unwrap();
    let folder = TempDir::new().unwrap();
    let path = write(&folder, "conversations.json", &whole);
    let file = fs::File::options().write(true).open(&path).unwrap();
    // The last byte is a line break. The export is still complete without it.
    for len in (0..whole.len() - 1).rev() {
        file.set_len(len as u64).unwrap();
        assert!(read(&path, &options()).is_err(), "cut after {len} of {} bytes", whole.len());
    }
}

#[test]
fn no_truncation_of_small_json_files_is_taken_for_a_whole_one() {
    let folder = TempDir::new().unwrap();
    for (name, _) in
        FIXTURES.iter().filter(|(name, _)| !name.starts_with("chatgpt") && name.ends_with(".json") && !name.contains("blocks"))
    {
        let whole = fs::read(fixture(name)).unwrap();
        let path = write(&folder, "cut.json", &whole);
        let file = fs::File::options().write(true).open(&path).unwrap();
        for len in (0..whole.trim_ascii_end().len()).rev() {
            file.set_len(len as u64).unwrap();
            assert!(read(&path, &options()).is_err(), "{name} cut after {len} of {} bytes", whole.len());
        }
    }
}

#[test]
fn no_truncation_of_a_word_document_is_taken_for_a_whole_one() {
    let folder = TempDir::new().unwrap();
    let whole = fs::read(fixture("transcript/teams_older.docx")).unwrap();
    let path = write(&folder, "cut.docx", &whole);
    let file = fs::File::options().write(true).open(&path).unwrap();
    for len in (0..whole.len()).rev() {
        file.set_len(len as u64).unwrap();
        assert!(read(&path, &options()).is_err(), "cut after {len} of {} bytes", whole.len());
    }
}

#[test]
fn a_transcript_cut_anywhere_gives_what_was_said_before_the_cut_and_nothing_else() {
    let folder = TempDir::new().unwrap();
    for name in ["transcript/meet.txt", "transcript/meet.sbv"] {
        let bytes = fs::read(fixture(name)).unwrap();
        let whole = read(&fixture(name), &options()).unwrap().messages;
        let path = write(&folder, "cut.txt", &bytes);
        let file = fs::File::options().write(true).open(&path).unwrap();
        let mut read_some = 0;
        for len in (0..bytes.len()).rev() {
            file.set_len(len as u64).unwrap();
            let Ok(cut) = read(&path, &options()) else { continue };
            // The rest of a cut line may have no speaker, but never a wrong one.
            for (at, message) in cut.messages.iter().enumerate() {
                let (is_last, is_near) = (at + 1 == cut.messages.len(), at + 2 >= cut.messages.len());
                let is_said =
                    whole.get(at).is_some_and(|said| said.author.name == message.author.name && said.text == message.text);
                let is_begun = whole.get(at).is_some_and(|said| said.text.starts_with(message.text.trim_end_matches('\u{fffd}')));
                let is_nobodys = message.author.name == "Unknown speaker";
                assert!(is_said || is_near && is_begun || is_last && is_nobodys, "{name} cut after {len}: {:?}", message.text);
            }
            read_some += cut.messages.len();
        }
        assert!(read_some > bytes.len() / 4, "{name}: many cuts leave something to read");
    }
}

#[test]
fn a_session_cut_anywhere_is_refused_or_holds_only_what_the_whole_one_holds() {
    let folder = TempDir::new().unwrap();
    let sessions = |kind: &SourceKind| matches!(kind, SourceKind::ClaudeCode | SourceKind::CodexCli | SourceKind::GeminiCli);
    for (name, _) in FIXTURES.iter().filter(|(name, kind)| sessions(kind) && name.ends_with(".jsonl")) {
        let bytes = fs::read(fixture(name)).unwrap();
        let whole = read(&fixture(name), &options()).unwrap();
        let texts: std::collections::BTreeMap<_, _> = whole
            .messages
            .iter()
            .map(|message| ((message.source.conversation.clone(), message.source.message.clone()), message))
            .collect();
        let path = write(&folder, "cut.jsonl", &bytes);
        let file = fs::File::options().write(true).open(&path).unwrap();
        let (mut read_some, mut refused) = (0, 0);
        for len in (0..bytes.len()).rev() {
            file.set_len(len as u64).unwrap();
            let is_line = bytes[..len].ends_with(b"\n") || bytes[len] == b'\n';
            let Ok(cut) = read(&path, &options()) else {
                refused += 1;
                continue;
            };
            assert!(is_line, "{name} cut after {len} bytes, inside of a line, is not taken for whole");
            for message in &cut.messages {
                let key = (message.source.conversation.clone(), message.source.message.clone());
                let known = texts.get(&key).unwrap_or_else(|| panic!("{name} cut after {len}: {key:?} is new"));
                let same = (&known.text, known.author.role, known.time == message.time);
                // Without the event, which follows a few milliseconds later, the request is emitted instead.
                let is_near = known.time.0 - message.time.0 < 1_000;
                assert!(same.0 == &message.text && same.1 == message.author.role && is_near, "{name} cut after {len}: {key:?}");
            }
            read_some += cut.messages.len();
        }
        assert!(read_some > 0 && refused > bytes.len() / 2, "{name}: {read_some} messages read, {refused} cuts refused");
    }
}

#[test]
fn what_programs_tools_and_files_say_in_a_session_is_never_the_owners() {
    let planted = ["bees", "wasps", "no person", "four spaces", "Explore the tests", "output", "masked", "saved", "summary"];
    for (name, own) in [
        ("codex-cli/session.jsonl", Some("My deadline is Friday.")),
        ("codex-cli/requests.jsonl", Some("I keep two hives.")),
        ("codex-cli/agent.jsonl", None),
        ("codex-cli/fork.jsonl", Some("Back again, now in Leeds")),
        ("gemini-cli/session.jsonl", Some("My deadline is Friday, see @notes.md")),
        ("gemini-cli/older.json", Some("I keep two hives.")),
        ("gemini-cli/agent.jsonl", None),
        ("gemini-cli/history.jsonl", Some("I moved to Leeds.")),
    ] {
        let read = read(&fixture(name), &ImportOptions { me: Some("Codex".into()), ..options() }).unwrap();
        let mine: Vec<&Message> =
            read.messages.iter().filter(|message| matches!(message.author.role, Role::Owner | Role::Person)).collect();
        for message in &mine {
            assert!(!planted.iter().any(|words| message.text.contains(words)), "{name}: {:?}", message.text);
        }
        match own {
            Some(own) => assert!(mine.iter().any(|message| message.text == own), "{name}: a control, the owner does speak"),
            None => assert!(mine.is_empty(), "{name}: another program speaks there"),
        }
    }
}

#[test]
fn a_fork_gives_its_copy_the_ids_of_its_parent() {
    let (parent, fork) = (
        read(&fixture("codex-cli/session.jsonl"), &options()).unwrap(),
        read(&fixture("codex-cli/fork.jsonl"), &options()).unwrap(),
    );
    let (parents, forks) = (ids(&parent), ids(&fork));
    let both = parents.intersection(&forks).count();
    assert_eq!((both, forks.len() - both), (2, 2), "two messages are the parent's, two its own: {forks:?}");
}

#[test]
fn a_preview_asks_which_speaker_is_the_owner_and_how_dates_run() {
    let chat = preview(&fixture("whatsapp/uk.txt"), &options(), &|| false).unwrap();
    assert!(chat.participants.iter().all(|p| p.role == Role::Person));
    assert!(!chat.is_owner_known && chat.date_question.is_none());
    let names: Vec<_> = chat.participants.iter().map(|p| (p.name.as_str(), p.messages)).collect();
    assert_eq!(names, [("Jo Fenn", 4), ("+44 7700 900123", 1), ("Mara Quist", 1)]);
    assert_eq!((chat.seen, chat.emitted, chat.skips.iter().map(|skip| skip.count).sum::<u64>()), (15, 10, 5));
    let named =
        preview(&fixture("whatsapp/uk.txt"), &ImportOptions { me: Some("JO FENN".into()), ..options() }, &|| false).unwrap();
    assert!(named.is_owner_known);
    assert!(
        preview(&fixture("chatgpt/modern.json"), &options(), &|| false).unwrap().is_owner_known,
        "an assistant's export knows"
    );

    let question = preview(&fixture("whatsapp/ambiguous.txt"), &options(), &|| false).unwrap().date_question.unwrap();
    let shown: Vec<_> =
        question.samples.iter().map(|s| [s.written.as_str(), s.day_first.as_str(), s.month_first.as_str()]).collect();
    assert_eq!(shown, [["03/04/2026", "2026-04-03", "2026-03-04"], ["05/04/2026", "2026-04-05", "2026-05-04"]]);
}

fn jsonl_line() -> impl Strategy<Value = String> {
    (0..3u8, "[a-z ]{1,12}", proptest::option::of(0..60u8)).prop_map(|(conversation, text, second)| {
        let time = second.map(|second| format!(",\"time\":\"2026-01-05T10:00:{second:02}Z\"")).unwrap_or_default();
        format!("{{\"conversation\":\"c{conversation}\",\"role\":\"person\",\"author\":\"Ana\",\"text\":\"x{text}\"{time}}}")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Messages that are equal in every field are distinguished by a count, which would restart at a cut between them. All lines
    /// here are therefore different.
    #[test]
    fn keepsake_jsonl_cut_at_any_line_gives_the_ids_of_the_whole(
        lines in proptest::collection::hash_set(jsonl_line(), 1..20),
        cut in any::<prop::sample::Index>(),
    ) {
        let lines: Vec<String> = lines.into_iter().collect();
        let cut = cut.index(lines.len());
        let folder = TempDir::new().unwrap();
        let part = |name: &str, lines: &[String]| {
            if lines.is_empty() {
                return BTreeSet::new();
            }
            ids(&read(&write(&folder, name, lines.join("\n").as_bytes()), &options()).unwrap())
        };
        let whole = part("whole", &lines);
        let parts: BTreeSet<_> = part("a", &lines[..cut]).union(&part("b", &lines[cut..])).cloned().collect();
        prop_assert_eq!(whole, parts);
    }

    #[test]
    fn whatsapp_cut_at_any_message_gives_the_ids_of_the_whole(
        texts in proptest::collection::vec("[a-z]{1,8}(\n[a-z]{1,8})?", 8..30),
        cut in any::<prop::sample::Index>(),
    ) {
        let messages: Vec<String> = texts
            .iter()
            .enumerate()
            .map(|(n, text)| format!("31/12/2025, 21:{n:02} - {}: {text}\n", ["Ana", "Ben"][n % 2]))
            .collect();
        // Each part needs both speakers, because a chat without a name is identified by them.
        let cut = 2 + cut.index(messages.len() - 4);
        let folder = TempDir::new().unwrap();
        let part = |name: &str, messages: &[String]| ids(&read(&write(&folder, name, messages.concat().as_bytes()), &options()).unwrap());
        let parts: BTreeSet<_> = part("a", &messages[..cut]).union(&part("b", &messages[cut..])).cloned().collect();
        prop_assert_eq!(part("whole", &messages), parts);
    }

    #[test]
    fn any_bytes_are_read_or_refused_without_panic(
        name in prop::sample::select(FIXTURES),
        at in any::<prop::sample::Index>(),
        bytes in proptest::collection::vec(any::<u8>(), 0..12),
        removed in 0..40usize,
    ) {
        let mut content = fs::read(fixture(name.0)).unwrap();
        let at = at.index(content.len());
        let end = (at + removed).min(content.len());
        content.splice(at..end, bytes);
        let folder = TempDir::new().unwrap();
        // Reading itself verifies the counts. This test only shows that it returns.
        let _ = read(&write(&folder, "file", &content), &day_first());
    }
}
