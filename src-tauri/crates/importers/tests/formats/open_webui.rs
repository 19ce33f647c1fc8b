//! Open WebUI: branches, reasoning and tools in both forms, and the chats of other people in an administrator's export.

use expect_test::expect;
use keepsake_domain::{MessageType, Role, SourceKind};
use keepsake_importers::SkipReason;

use super::{Cell, Feature, Format, Outcome, cell, check, fixture, options, read};

pub(super) fn format() -> Format {
    Format {
        name: "Open WebUI",
        kind: SourceKind::OpenWebui,
        export: "open-webui/chats.json",
        grown: "open-webui/chats-later.json",
        me: None,
        cells: cells(),
    }
}

fn cells() -> Vec<Cell> {
    vec![
        cell(Feature::Author, Outcome::Read, |found| {
            found.saying("Quitten").is_some_and(|message| message.author.role == Role::Owner)
                && found.saying("I am not the owner").is_some_and(|message| message.author.role == Role::Person)
        }),
        cell(Feature::Time, Outcome::Read, |found| {
            found.saying("Quitten").is_some_and(|message| message.time.0 == 1_767_607_200_000)
        }),
        cell(Feature::Reply, Outcome::Read, |found| {
            found.saying("in centimetres").is_some_and(|message| message.reply_to.as_deref() == Some("m2"))
        }),
        cell(Feature::Thread, Outcome::Read, |found| {
            found.saying("deep as the spade").is_some_and(|message| message.is_branch)
                && found.saying("in centimetres").is_some_and(|message| !message.is_branch)
        }),
        cell(Feature::Edit, Outcome::Kept, |found| {
            found.saying("60 cm**").is_some_and(|message| message.metadata.contains_key("is_edited"))
        }),
        cell(Feature::Deletion, Outcome::Absent, |_| true),
        cell(Feature::Forward, Outcome::Absent, |_| true),
        cell(Feature::Reaction, Outcome::Kept, |found| {
            found.saying("In **autumn**").is_some_and(|message| message.metadata.contains_key("reactions"))
        }),
        cell(Feature::Attachment, Outcome::Kept, |found| {
            found.saying("in centimetres").is_some_and(|message| message.metadata.contains_key("attachments"))
                && found.saying("hole.jpg").is_some_and(|message| message.message_type == MessageType::File)
        }),
        cell(Feature::Members, Outcome::Absent, |_| true),
        cell(Feature::Bot, Outcome::Read, |found| {
            found.saying("In **autumn**").is_some_and(|message| message.author.role == Role::Assistant)
        }),
        cell(Feature::Disappearing, Outcome::Absent, |_| true),
        cell(Feature::Call, Outcome::Absent, |_| true),
        cell(Feature::Poll, Outcome::Absent, |_| true),
    ]
}

#[test]
fn chats_are_read_with_their_branches_reasoning_and_tools() {
    check(
        &fixture("open-webui/chats.json"),
        None,
        expect![[r##"
            # 3f0a6c1e-0001 “Früchte im Garten” chat folder-garden private
            system 2026-01-05T10:00:00Z Open WebUI <open-webui> system instruction: You are a gardener who <loves> quinces.
            m1 2026-01-05T10:00:00Z User <u-7d1> owner: Ich möchte Quitten pflanzen 🍐. When?
            m2#0 2026-01-05T10:00:10Z Qwen 3 <qwen3:8b> assistant thinking reply-to=m1 {"model":"qwen3:8b"}: Quinces like <sun>.\nSo in autumn.
            m2 2026-01-05T10:00:10Z Qwen 3 <qwen3:8b> assistant reply-to=m1 {"reactions":[{"emoji":"👍","count":1,"by":["User"],"comment":"short"}],"model":"qwen3:8b"}: In **autumn**.
            m3 2026-01-05T10:00:20Z User <u-7d1> owner reply-to=m2: And how deep?
            m4 2026-01-05T10:00:30Z Qwen 3 <qwen3:8b> assistant reply-to=m3 {"model":"qwen3:8b"}: As deep as the spade.
            m5 2026-01-05T10:01:00Z User <u-7d1> owner reply-to=m2 {"attachments":[{"name":"soil report.pdf"},{"name":"image"}]}: And how deep, in centimetres?
            m6#0 2026-01-05T10:01:20Z Qwen 3 <qwen3:8b> assistant tool_use reply-to=m5 {"tool_use_id":"call_9","model":"qwen3:8b"}: {"query": "quince depth"}
            m6#0-result 2026-01-05T10:01:20Z search_web <tool> tool tool_result reply-to=m5 {"tool_use_id":"call_9"}: 60 cm
            m6 2026-01-05T10:01:20Z Qwen 3 <qwen3:8b> assistant reply-to=m5 {"is_edited":true,"model":"qwen3:8b"}: About **60 cm**.
            m7 2026-01-05T10:01:30Z User <u-7d1> owner file reply-to=m6 {"attachments":[{"name":"hole.jpg"}]}: hole.jpg
            m10#thinking 2026-01-05T10:01:50Z deepseek-r1:7b <deepseek-r1:7b> assistant thinking reply-to=m7 {"model":"deepseek-r1:7b"}: Short.
            m10 2026-01-05T10:01:50Z deepseek-r1:7b <deepseek-r1:7b> assistant reply-to=m7 {"model":"deepseek-r1:7b"}: Dig on.
            m11 2026-01-05T10:02:00Z User <u-7d1> owner reply-to=m10 {"attachments":[{"name":"image"}]}: See this picture
            m13 2026-01-05T10:02:00 inferred Qwen 3 <qwen3:8b> assistant reply-to=m11 {"model":"qwen3:8b"}: My message before this one was lost.
            m14 2026-01-05T10:02:10Z Open WebUI <open-webui> system instruction reply-to=m13: Answer in one sentence.
            m15 2026-01-05T10:02:20Z User <u-7d1> owner reply-to=m13: Ship it � now
            # 3f0a6c1e-0002 “Code” chat open-webui private
            t1 2026-01-05T10:16:40Z User <u-7d1> owner: What is 6 times 7? Write <details type="reasoning"> as text.
            t2#0 2026-01-05T10:16:50Z Qwen 3 <qwen3:8b> assistant tool_use reply-to=t1 {"model":"qwen3:8b"}: ```python\nprint(6 * 7)\n```
            t2#0-result 2026-01-05T10:16:50Z code_interpreter <tool> tool tool_result reply-to=t1: {"stdout": "42"}
            t2 2026-01-05T10:16:50Z Qwen 3 <qwen3:8b> assistant reply-to=t1 {"model":"qwen3:8b"}: 42. In HTML, `<details type="reasoning">` hides text.
            t3 2026-01-05T10:17:00Z User <u-7d1> owner reply-to=t2: Read the file notes.txt
            t4#0 2026-01-05T10:17:10Z Qwen 3 <qwen3:8b> assistant tool_use reply-to=t3 {"tool_use_id":"call_1","model":"qwen3:8b"}: {"path":"notes.txt"}
            t4#1 2026-01-05T10:17:10Z read_file <tool> tool tool_result reply-to=t3 {"tool_use_id":"call_1"}: I love bees
            t4#2 2026-01-05T10:17:10Z Qwen 3 <qwen3:8b> assistant tool_use reply-to=t3 {"model":"qwen3:8b"}: print(1)
            t4#2-result 2026-01-05T10:17:10Z code_interpreter <tool> tool tool_result reply-to=t3: {"stdout":"1"}
            t4 2026-01-05T10:17:10Z Qwen 3 <qwen3:8b> assistant reply-to=t3 {"model":"qwen3:8b"}: It says: bees.
            t5 2026-01-05T10:17:20Z Qwen 3 <qwen3:8b> assistant reply-to=t4 {"model":"qwen3:8b"}: Only the output has this.
            # 3f0a6c1e-0003 “untitled” chat open-webui private
            c1 2026-01-05T10:33:20Z User <u-7d1> owner reply-to=c2: Round we go
            c2 2026-01-05T10:33:30Z Qwen 3 <qwen3:8b> assistant {"model":"qwen3:8b"}: and round
            # 3f0a6c1e-0004 “New Chat” chat open-webui private
            l1 2023-11-14T22:13:20Z User <u-7d1> owner: An old chat
            l2 2023-11-14T22:13:20 inferred llama2 <llama2> assistant reply-to=l1 {"model":"llama2"}: From before the tree
            # 3f0a6c1e-0006 “Someone else” chat open-webui private
            o1 2026-01-05T10:50:00Z u-999 <u-999> person: I am not the owner
            o2 2026-01-05T10:50:10Z Qwen 3 <qwen3:8b> assistant reply-to=o1 {"model":"qwen3:8b"}: Hello
            # h-e9dc687a08e7e42c “No id” chat open-webui private
            n1 2026-01-05T11:06:40Z User <u-7d1> owner: Who am I?
            # ../../etc/passwd “Hostile” chat open-webui private
            '; DROP TABLE x;--
             2026-01-05T11:23:20Z User <u-7d1> owner: A hostile id
            skipped 3 malformed: "a message that is no object"
            skipped 3 missing_field: {       "id": "m12",       "parentId": "m11",       "childrenIds": [],       "role": "critic",       "content": "Unknow…
            skipped 1 no_messages: Nothing here
            skipped 1 empty: user
            skipped 2 repeated: The same id again
            skipped 1 service_error: {"content":"The model ran out of memory"}
        "##]],
    );
}

#[test]
fn what_files_and_tools_say_is_never_the_owners() {
    let found = read(&fixture("open-webui/chats.json"), &options(None)).unwrap();
    assert!(found.skipped(SkipReason::ServiceError) && found.skipped(SkipReason::Repeated));
    let system = found.saying("gardener").unwrap();
    assert!(!system.is_branch && system.author.role == Role::System, "instructions for the chat are on no branch");
    for message in found.messages.iter().filter(|message| message.author.role == Role::Owner) {
        assert!(!message.text.contains("I hate quinces") && !message.text.contains("I love bees"), "{}", message.text);
    }
}

#[test]
fn in_an_export_of_everybody_only_the_named_account_is_the_owner() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("all-chats-export-1767607200000.json");
    std::fs::copy(fixture("open-webui/chats.json"), &path).unwrap();
    let nobody = read(&path, &options(None)).unwrap();
    assert!(nobody.messages.iter().all(|message| message.author.role != Role::Owner));
    let named = read(&path, &options(Some("u-999"))).unwrap();
    let owners: Vec<_> = named.messages.iter().filter(|message| message.author.role == Role::Owner).collect();
    assert_eq!(owners.iter().map(|message| message.text.as_str()).collect::<Vec<_>>(), ["I am not the owner"]);
}

#[test]
fn other_exports_are_not_claimed() {
    let near = [
        r#"[{"id":"1","chat":{"title":"x","messages":[]},"user_id":"u"}]"#,
        r#"[{"history":{"messages":{},"currentId":null},"models":["x"]}]"#,
        r#"{"chats":[{"chat":{"history":{"messages":{}}}}]}"#,
    ];
    super::unclaimed(&near, SourceKind::OpenWebui);
}
