//! LibreChat: lists and trees of messages, branches, reasoning, tools and temporary conversations.

use expect_test::expect;
use keepsake_domain::{MessageType, Role, SourceKind, TimeCertainty};
use keepsake_importers::SkipReason;

use super::{Cell, Feature, Format, Outcome, cell, check, fixture, options, read};

pub(super) fn format() -> Format {
    Format {
        name: "LibreChat",
        kind: SourceKind::LibreChat,
        export: "librechat/conversation.json",
        grown: "librechat/conversation-later.json",
        me: None,
        cells: cells(),
    }
}

fn cells() -> Vec<Cell> {
    vec![
        cell(Feature::Author, Outcome::Read, |found| {
            found.saying("Äpfel").is_some_and(|message| message.author.role == Role::Owner)
                && found.saying("In winter").is_some_and(|message| message.author.name == "Gärtner")
        }),
        cell(Feature::Time, Outcome::Read, |found| {
            found.saying("Äpfel").is_some_and(|message| message.time.0 == 1_767_607_200_000)
                && found.saying("Nobody knows when").is_some_and(|message| message.time_certainty == TimeCertainty::Inferred)
        }),
        cell(Feature::Reply, Outcome::Read, |found| {
            found.saying("<north>").is_some_and(|message| message.reply_to.as_deref() == Some("a2"))
        }),
        cell(Feature::Thread, Outcome::Read, |found| {
            found.saying("Pears too").is_some_and(|message| message.is_branch)
                && found.saying("<north>").is_some_and(|message| !message.is_branch)
        }),
        cell(Feature::Edit, Outcome::Absent, |_| true),
        cell(Feature::Deletion, Outcome::Absent, |_| true),
        cell(Feature::Forward, Outcome::Absent, |_| true),
        cell(Feature::Reaction, Outcome::Kept, |found| {
            found.saying("In winter").is_some_and(|message| message.metadata.contains_key("reactions"))
        }),
        cell(Feature::Attachment, Outcome::Kept, |found| {
            found.saying("<north>").is_some_and(|message| message.metadata.contains_key("attachments"))
                && found.saying("photo of the tree").is_some_and(|message| message.message_type == MessageType::File)
        }),
        cell(Feature::Members, Outcome::Absent, |_| true),
        cell(Feature::Bot, Outcome::Read, |found| {
            found.saying("In winter").is_some_and(|message| message.author.role == Role::Assistant)
        }),
        cell(Feature::Disappearing, Outcome::Absent, |_| true),
        cell(Feature::Call, Outcome::Absent, |_| true),
        cell(Feature::Poll, Outcome::Absent, |_| true),
    ]
}

#[test]
fn a_conversation_is_read_with_its_branches_reasoning_and_tools() {
    check(
        &fixture("librechat/conversation.json"),
        None,
        expect![[r##"
            # 8c1d2a40-5b7e-4f00-9a11-0a0a0a0a0001 “Obst 🍎” chat librechat private
            instructions 2026-01-05T10:00:00Z LibreChat <librechat> system instruction: You are a gardener. The user hates wasps.
            a1 2026-01-05T10:00:00Z User <6650aa10> owner: Wann schneide ich Äpfel?
            a2#thinking 2026-01-05T10:00:05Z Gärtner <gpt-4o> assistant thinking reply-to=a1 {"model":"gpt-4o"}: Apples: winter.
            a2 2026-01-05T10:00:05Z Gärtner <gpt-4o> assistant reply-to=a1 {"reactions":[{"emoji":"👍","count":1,"by":["User"],"comment":"clear"}],"model":"gpt-4o"}: In winter.
            a3 2026-01-05T10:01:00Z User <6650aa10> owner reply-to=a2: And pears?
            a4 2026-01-05T10:01:05Z Gärtner <gpt-4o> assistant reply-to=a3 {"model":"gpt-4o"}: Pears too.
            a5 2026-01-05T10:02:00Z User <6650aa10> owner reply-to=a2 {"attachments":[{"name":"pears.pdf"},{"name":"tree.png"}]}: And pears, in the <north>?
            a6#0 2026-01-05T10:02:10Z Gärtner <gpt-4o> assistant thinking reply-to=a5 {"model":"gpt-4o"}: The north is cold.
            a6#2 2026-01-05T10:02:10Z Gärtner <gpt-4o> assistant tool_use reply-to=a5 {"tool_use_id":"call_1","model":"gpt-4o"}: {"q":"pears north"}
            a6#2-result 2026-01-05T10:02:10Z web_search <tool> tool tool_result reply-to=a5 {"tool_use_id":"call_1"}: Pears need warmth
            a6#3 2026-01-05T10:02:10Z Gärtner <gpt-4o> assistant tool_use reply-to=a5 {"tool_use_id":"call_2","model":"gpt-4o"}: {"what":"pear"}
            a6#3-result 2026-01-05T10:02:10Z draw <tool> tool tool_result reply-to=a5 {"tool_use_id":"call_2"}: drawn
            a6#4 2026-01-05T10:02:10Z Gärtner <gpt-4o> assistant tool_use reply-to=a5 {"tool_use_id":"call_3","model":"gpt-4o"}: {"input":"1+1","outputs":[]}
            a6 2026-01-05T10:02:10Z Gärtner <gpt-4o> assistant reply-to=a5 {"attachments":[{"name":"pear.png"}],"model":"gpt-4o"}: Let me look.\n\nIn **March**.
            a7 2026-01-05T10:03:00Z User <6650aa10> owner file reply-to=a6 {"attachments":[{"name":"photo of the tree.jpg"}]}: photo of the tree.jpg
            a10 2026-01-05T10:03:10Z Gärtner <gpt-4o> assistant reply-to=a7 {"is_unfinished":true,"model":"gpt-4o"}: I was cut o
            a11 2026-01-05T10:03:10 inferred User <6650aa10> owner reply-to=a10: Nobody knows when I said this
            a12 2026-01-05T10:05:00Z Gärtner <gpt-4o> assistant reply-to=a11 {"model":"gpt-4o"}: The message before this one is missing.
            a14 2026-01-05T10:06:40Z User <6650aa10> owner reply-to=a12: Broken � emoji
            a15 2026-01-05T10:07:00Z LibreChat <librechat> assistant reply-to=a14: Fine.
            skipped 2 malformed: 12
            skipped 2 missing_field: {    "_id": "xa13",    "messageId": "a13",    "__v": 0,    "conversationId": "8c1d2a40-5b7e-4f00-9a11-0a0a0a0a0001",   …
            skipped 1 empty: User
            skipped 1 repeated: The same id again
            skipped 1 service_error: {"type":"no_user_key"}
        "##]],
    );
}

#[test]
fn trees_and_several_conversations_are_read() {
    check(
        &fixture("librechat/several.json"),
        None,
        expect![[r##"
            # 8c1d2a40-5b7e-4f00-9a11-0a0a0a0a0002 “Tree” chat librechat private
            b1 2026-02-05T10:00:00Z User <6650aa10> owner: Which tree?
            b2 2026-02-05T10:00:05Z Gärtner <gpt-4o> assistant reply-to=b1 {"model":"gpt-4o"}: An oak.
            b5 2026-02-05T10:00:30Z Gärtner <gpt-4o> assistant reply-to=b1 {"model":"gpt-4o"}: A lime.
            b6 2026-02-05T10:00:30 inferred User <6650aa10> owner reply-to=b5: Why a lime?
            b7 2026-02-05T10:00:30 inferred Gärtner <gpt-4o> assistant reply-to=b6 {"model":"gpt-4o"}: Bees.
            b3 2026-02-05T10:01:00Z User <6650aa10> owner reply-to=b2: No "children":[ here
            b4 2026-02-05T10:01:05Z Gärtner <gpt-4o> assistant reply-to=b3 {"model":"gpt-4o"}: Right.
            # 8c1d2a40-5b7e-4f00-9a11-0a0a0a0a0003 “Temporary” chat librechat private
            c1 2026-03-05T10:00:00Z User <6650aa10> owner private: Forget this
            c2 2026-03-05T10:00:05Z Gärtner <gpt-4o> assistant reply-to=c1 private {"model":"gpt-4o"}: I will.
            skipped 1 malformed: 5
            skipped 1 no_messages: Nothing
            skipped 1 repeated: Temporary
        "##]],
    );
    let found = read(&fixture("librechat/several.json"), &options(None)).unwrap();
    let is_branch = |words: &str| found.saying(words).unwrap().is_branch;
    // The latest message with a time is on the other branch.
    assert!(is_branch("A lime") && is_branch("Bees") && !is_branch("An oak") && !is_branch("Right"));
    assert!(found.saying("Forget this").unwrap().is_private && !found.saying("Which tree").unwrap().is_private);
    assert!(found.skipped(SkipReason::NoMessages) && found.skipped(SkipReason::Repeated));
}

#[test]
fn other_exports_are_not_claimed() {
    let near = [
        r#"{"messages":[{"messageId":"1","text":"x","sender":"Ana"}],"conversationId":"2"}"#,
        r#"{"conversationId":"1","title":"x","messages":[{"id":"1","parentMessageId":"2","isCreatedByUser":true}]}"#,
        r#"[{"messageId":"1","parentMessageId":"2","isCreatedByUser":true,"text":"x"}]"#,
    ];
    super::unclaimed(&near, SourceKind::LibreChat);
}
