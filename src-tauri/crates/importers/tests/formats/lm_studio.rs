//! LM Studio: versions of messages, steps of answers, and times that only answers have.

use expect_test::expect;
use keepsake_domain::{MessageType, Role, SourceKind, TimeCertainty};

use super::{Cell, Feature, Format, Outcome, cell, check, fixture, options, read};

pub(super) fn format() -> Format {
    Format {
        name: "LM Studio",
        kind: SourceKind::LmStudio,
        export: "lm-studio/1767607200123.conversation.json",
        grown: "lm-studio/later.json",
        me: None,
        cells: cells(),
    }
}

fn cells() -> Vec<Cell> {
    vec![
        cell(Feature::Author, Outcome::Read, |found| {
            found.saying("Regnet").is_some_and(|message| message.author.role == Role::Owner)
        }),
        cell(Feature::Time, Outcome::Read, |found| {
            let answer = found.saying("Perhaps");
            answer.is_some_and(|message| message.time.0 == 1_767_607_250_000 && message.time_certainty == TimeCertainty::Exact)
                && found.saying("Regnet").is_some_and(|message| message.time_certainty == TimeCertainty::Inferred)
        }),
        cell(Feature::Reply, Outcome::Read, |found| {
            let answer = found.saying("Perhaps").map(|message| message.source.message.clone());
            answer.is_some() && found.saying("the day after").is_some_and(|message| message.reply_to == answer)
        }),
        cell(Feature::Thread, Outcome::Read, |found| {
            found.saying("I do not know").is_some_and(|message| message.is_branch)
                && found.saying("Perhaps").is_some_and(|message| !message.is_branch)
        }),
        cell(Feature::Edit, Outcome::Kept, |found| {
            found.saying("the day after").is_some_and(|message| message.metadata.contains_key("is_edited"))
        }),
        cell(Feature::Deletion, Outcome::Absent, |_| true),
        cell(Feature::Forward, Outcome::Absent, |_| true),
        cell(Feature::Reaction, Outcome::Absent, |_| true),
        cell(Feature::Attachment, Outcome::Kept, |found| {
            found.saying("Read this").is_some_and(|message| message.metadata.contains_key("attachments"))
                && found.saying("sky.png").is_some_and(|message| message.message_type == MessageType::File)
        }),
        cell(Feature::Members, Outcome::Absent, |_| true),
        cell(Feature::Bot, Outcome::Read, |found| {
            found.saying("Perhaps").is_some_and(|message| message.author.role == Role::Assistant)
        }),
        cell(Feature::Disappearing, Outcome::Absent, |_| true),
        cell(Feature::Call, Outcome::Absent, |_| true),
        cell(Feature::Poll, Outcome::Absent, |_| true),
    ]
}

#[test]
fn a_conversation_is_read_with_its_versions_and_steps() {
    check(
        &fixture("lm-studio/1767607200123.conversation.json"),
        None,
        expect![[r##"
        # 1767607200123 “Wetter & more” chat lm-studio private
        system 2026-01-05T10:00:00Z LM Studio <lm-studio> system instruction: You are a weather frog.
        h-c4f2a71c433513d8 2026-01-05T10:00:00 inferred User <user> owner: Regnet es morgen? ☔
        1767607210000-0.11#0.1 2026-01-05T10:00:10Z Qwen3 8B <qwen/qwen3-8b> assistant thinking reply-to=h-c4f2a71c433513d8 {"model":"qwen/qwen3-8b"}: I cannot know.
        1767607210000-0.11 2026-01-05T10:00:10Z Qwen3 8B <qwen/qwen3-8b> assistant reply-to=h-c4f2a71c433513d8 {"model":"qwen/qwen3-8b"}: I do not know.
        1767607250000-0.21 2026-01-05T10:00:50Z Gemma <qwen/qwen3-8b> assistant reply-to=h-c4f2a71c433513d8 {"model":"qwen/qwen3-8b"}: Perhaps.
        h-01537e72ee3af097 2026-01-05T10:00:50 inferred User <user> owner reply-to=1767607250000-0.21: And tomorrow?
        h-2ff84ecdd49a9dc1 2026-01-05T10:00:50 inferred User <user> owner reply-to=1767607250000-0.21 {"is_edited":true}: And the day after tomorrow?
        1767607300000-0.3#0.0 2026-01-05T10:01:40Z Qwen3 8B <qwen/qwen3-8b> assistant tool_use reply-to=h-2ff84ecdd49a9dc1 {"tool_use_id":"77","model":"qwen/qwen3-8b"}: {"day":"after tomorrow"}
        1767607300000-0.3#2.0 2026-01-05T10:01:40Z weather <tool> tool tool_result reply-to=h-2ff84ecdd49a9dc1 {"tool_use_id":"77"}: [{"type":"text","text":"I love rain"}]
        1767607300000-0.3 2026-01-05T10:01:40Z Qwen3 8B <qwen/qwen3-8b> assistant reply-to=h-2ff84ecdd49a9dc1 {"model":"qwen/qwen3-8b"}: It will **rain**.\n\nTake a coat.
        h-d9d37617401af1f4 2026-01-05T10:01:40 inferred User <user> owner reply-to=1767607300000-0.3 {"attachments":[{"name":"1767607-notes.pdf"}]}: Read this
        h-60818649fe3122d2 2026-01-05T10:01:40 inferred User <user> owner file reply-to=h-d9d37617401af1f4 {"attachments":[{"name":"sky.png"}]}: sky.png
        h-097bd1aec008ebc2 2026-01-05T10:01:40 inferred LM Studio <lm-studio> assistant reply-to=h-60818649fe3122d2: A cloud.
        h-01537e72ee3af097-2 2026-01-05T10:01:40 inferred User <user> owner reply-to=h-097bd1aec008ebc2: And tomorrow?
        h-a7ca452ef6eb9a7a 2026-01-05T10:01:40 inferred LM Studio <lm-studio> system instruction reply-to=h-01537e72ee3af097-2: Speak like a sailor.
        h-26583618b09f0737 2026-01-05T10:01:40 inferred User <user> owner reply-to=h-01537e72ee3af097-2: One version is broken
        h-1855d9b34b94e308 2026-01-05T10:01:40 inferred User <user> owner reply-to=h-26583618b09f0737: Selected too far
        1767607400000-0.7 2026-01-05T10:03:20Z Qwen3 8B <qwen/qwen3-8b> assistant reply-to=h-1855d9b34b94e308 {"model":"qwen/qwen3-8b"}: The same step identifier again
        no-time 2026-01-05T10:03:20 inferred qwen/qwen3-8b <qwen/qwen3-8b> assistant reply-to=1767607400000-0.7 {"model":"qwen/qwen3-8b"}: An identifier without time
        skipped 5 malformed: {    "versions": [],    "currentlySelected": 0   }
        skipped 1 missing_field: {      "type": "singleStep",      "role": "tool",      "content": []     }
        skipped 2 empty: assistant
    "##]],
    );
    check(
        &fixture("lm-studio/empty.json"),
        None,
        expect![[r#"
        skipped 1 no_messages: Wetter & more
    "#]],
    );
    let found = read(&fixture("lm-studio/1767607200123.conversation.json"), &options(None)).unwrap();
    assert!(found.messages.iter().all(|message| !message.text.contains("I hate rain")), "the text of a file is not read");
    assert!(found.saying("weather frog").is_some_and(|message| !message.is_branch));
}

#[test]
fn other_exports_are_not_claimed() {
    let near = [
        r#"{"messages":[{"versions":[{"number":"1.0","type":"x"}]}],"tokenCount":1}"#,
        r#"{"messages":[{"role":"user","type":"singleStep","content":[]}],"currentlySelected":0}"#,
        r#"[{"messages":[{"versions":[{"role":"user","type":"singleStep"}],"currentlySelected":0}]}]"#,
    ];
    super::unclaimed(&near, SourceKind::LmStudio);
}
