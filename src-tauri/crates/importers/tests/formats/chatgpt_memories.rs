//! Memories of ChatGPT.

use expect_test::expect;

use super::*;
use crate::memories::cells;

pub(crate) fn page() -> Format {
    Format {
        name: "ChatGPT memories, of the page",
        kind: SourceKind::Chatgpt,
        export: "chatgpt-memories/page.json",
        grown: "chatgpt-memories/page-grown.json",
        me: None,
        cells: cells(vec![
            cell(Feature::Time, Outcome::Read, |all| {
                all.saying("Keeps bees").is_some_and(|memory| memory.time_certainty == TimeCertainty::Exact)
            }),
            cell(Feature::Edit, Outcome::Kept, |all| {
                all.saying("Keeps bees").is_some_and(|memory| memory.metadata.contains_key("edited_at"))
            }),
            cell(Feature::Bot, Outcome::Read, |all| {
                all.messages
                    .iter()
                    .all(|message| message.author.role == Role::Assistant && message.message_type == MessageType::Notice)
            }),
        ]),
    }
}

pub(crate) fn written() -> Format {
    Format {
        name: "ChatGPT memories, written down",
        kind: SourceKind::Chatgpt,
        export: "chatgpt-memories/written.txt",
        grown: "chatgpt-memories/written-grown.txt",
        me: None,
        cells: cells(vec![
            cell(Feature::Time, Outcome::Read, |all| {
                all.saying("saved earlier").is_some_and(|memory| memory.time_certainty == TimeCertainty::Inferred)
            }),
            cell(Feature::Bot, Outcome::Read, |all| {
                all.messages
                    .iter()
                    .all(|message| message.author.role == Role::Assistant && message.message_type == MessageType::Notice)
            }),
        ]),
    }
}

#[test]
fn the_list_of_the_page_gives_its_memories() {
    check(
        &fixture("chatgpt-memories/page.json"),
        None,
        expect![[r##"
            # memories “What ChatGPT remembered” chat chatgpt private
            9b1c0000-0000-4000-8000-000000000002 2026-01-02T08:00:00Z ChatGPT <chatgpt> assistant notice {"gizmo_id":"g-p-1","status":"cold","labels":["style"]}: Prefers short answers & plain words.
            9b1c0000-0000-4000-8000-000000000001 2026-01-04T09:00:00Z ChatGPT <chatgpt> assistant notice {"edited_at":"2026-01-05T10:00:00.123456+00:00","conversation_id":"c-1","status":"warm"}: Keeps bees near Łódź.
            3 2026-01-05T08:00:00Z ChatGPT <chatgpt> assistant notice: Has an id that is a number.
            h-d583280f30147107 2026-01-06T08:00:00Z ChatGPT <chatgpt> assistant notice: Has no id.
            9b1c0000-0000-4000-8000-000000000005 2026-01-06T08:00:00 inferred ChatGPT <chatgpt> assistant notice: Has no time.
            <script>/../x 2026-01-06T08:00:00 inferred ChatGPT <chatgpt> assistant notice: An id that is hostile.
            skipped 2 malformed: "not an object"
            skipped 2 missing_field: {    "id": "9b1c0000-0000-4000-8000-000000000007",    "content": null   }
            skipped 1 empty: {    "id": "9b1c0000-0000-4000-8000-000000000006",    "content": ""   }
        "##]],
    );
}

#[test]
fn a_written_list_gives_its_memories() {
    check(
        &fixture("chatgpt-memories/written.txt"),
        None,
        expect![[r#"
            # memories “What ChatGPT remembered” chat chatgpt private
            h-f2aeceb49c7a7df9 2025-12-24T00:00:00 inferred ChatGPT <chatgpt> assistant notice: Was saved earlier.
            h-8620c3cf166a1407 2026-01-05T00:00:00 inferred ChatGPT <chatgpt> assistant notice: Keeps bees near Łódź.
            h-079bc91a57dd95df 2026-01-07T00:00:00 inferred ChatGPT <chatgpt> assistant notice: Plans a garden:\nwith heather and lavender.
            h-0b3c0c78f589edc0 2026-01-07T00:00:00 inferred ChatGPT <chatgpt> assistant notice: Keeps bees near Łódź.
            h-0b3c0c78f589edc0-2 2026-01-07T00:00:00 inferred ChatGPT <chatgpt> assistant notice: Keeps bees near Łódź.
            skipped 1 malformed: 12. [2026-02-30]. A day that does not exist belongs to the memory before it.
            skipped 1 empty: 2026-01-02
            skipped 4 no_header: Here is everything:
        "#]],
    );
}

#[test]
fn a_copied_list_is_read_line_by_line_if_the_person_says_what_it_is() {
    let path = fixture("chatgpt-memories/copied.txt");
    assert!(matches!(sniff(&path), Err(ImportError::Unknown { .. })), "by itself it is text like any other");
    assert_eq!(may_be(&path).unwrap(), [SourceKind::Chatgpt]);
    let named = ImportOptions { source: Some(SourceKind::Chatgpt), ..options(None) };
    let found = read(&path, &named).unwrap();
    let expect = [
        "Keeps bees in Gorgie.", "Is allergic to hazelnuts.", "Prefers tabs over spaces.", "Has two daughters, Inês and Clara.",
        "Wants short answers.", "2026 is the year of the move.",
    ];
    assert_eq!(found.messages.iter().map(|message| message.text.as_str()).collect::<Vec<_>>(), expect);
    assert!(found.skipped(SkipReason::Repeated));
    for message in &found.messages {
        assert_eq!((message.author.role, message.message_type), (Role::Assistant, MessageType::Notice), "never evidence");
    }
    let folder = tempfile::tempdir().unwrap();
    let grown = folder.path().join("another name.txt");
    fs::write(&grown, format!("Likes heather.\n{}", fs::read_to_string(&path).unwrap())).unwrap();
    let grown = read(&grown, &named).unwrap();
    assert!(
        grown.ids().is_superset(&found.ids()) && grown.ids().len() == found.ids().len() + 1,
        "a longer list adds what is new"
    );
    for (name, text) in [("page.html", "<p>Keeps bees.</p>"), ("data.json", "{\"a\":1}"), ("empty.txt", " \n")] {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        assert_eq!(may_be(&path).unwrap(), [], "{name} is no list");
    }
}
