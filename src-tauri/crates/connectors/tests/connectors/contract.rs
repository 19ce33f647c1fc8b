//! Checks that a connector dropped at any point leaves either a whole delivery or none, and that the tests detect every leaked
//! secret.

use keepsake_connectors::{Delivery, Inbox as _, Secret};
use keepsake_domain::{
    Author, ChannelHandle, Message, MessageType, Metadata, Role, SourceKind, SourceRef, TimeCertainty, Timestamp, Visibility,
};

use crate::inbox::MemoryInbox;

fn message(id: &str, text: &str) -> Message {
    Message {
        source: SourceRef { kind: SourceKind::Matrix, conversation: "!room:a".to_owned(), message: id.to_owned() },
        conversation_title: None,
        channel_type: "matrix".to_owned(),
        channel_id: "!room:a".to_owned(),
        visibility: Visibility::Private,
        is_private: false,
        time: Timestamp(0),
        time_certainty: TimeCertainty::Exact,
        author: Author {
            name: "Ana".to_owned(),
            handle: ChannelHandle { channel: "matrix".to_owned(), handle: "@ana:a".to_owned() },
            role: Role::Person,
        },
        text: text.to_owned(),
        message_type: MessageType::Text,
        tool: None,
        reply_to: None,
        is_branch: false,
        metadata: Metadata::new(),
    }
}

fn delivery(messages: Vec<Message>, position: &str) -> Delivery {
    Delivery { channel: "!room:a".to_owned(), messages, position: Some(position.to_owned()), ..Delivery::default() }
}

#[tokio::test]
async fn what_was_delivered_twice_is_known_and_what_was_edited_has_its_last_text() {
    let inbox = MemoryInbox::new();
    inbox.select("!room:a", None);
    let mut link = inbox.link();
    let first = link.deliver(delivery(vec![message("$1", "one"), message("$2", "two")], "2")).await.unwrap();
    assert_eq!((first.stored, first.known), (2, 0));
    let again = link.deliver(delivery(vec![message("$1", "one"), message("$2", "two, mended")], "3")).await.unwrap();
    assert_eq!((again.stored, again.known), (1, 1));
    assert_eq!(inbox.texts(), ["one", "two, mended"]);
    assert_eq!(link.plan().await.unwrap().channels["!room:a"].position.as_deref(), Some("3"));
    let gone = Delivery { removed: vec![message("$1", "").source], ..delivery(Vec::new(), "4") };
    link.deliver(gone).await.unwrap();
    assert_eq!(inbox.texts(), ["two, mended"]);
    assert!(link.stored(message("$2", "").source).await.unwrap().is_some());
}

#[tokio::test]
async fn a_choice_that_is_made_later_is_announced() {
    let inbox = MemoryInbox::new();
    let mut link = inbox.link();
    assert!(link.plan().await.unwrap().channels.is_empty());
    inbox.select("!room:a", Some(Timestamp(5)));
    link.changed().await;
    assert_eq!(link.plan().await.unwrap().channels["!room:a"].since, Some(Timestamp(5)));
}

#[tokio::test]
async fn a_refused_delivery_moves_no_position() {
    let inbox = MemoryInbox::new();
    inbox.select("!room:a", None);
    inbox.with(|kept| kept.deliveries_max = Some(1));
    let mut link = inbox.link();
    link.deliver(delivery(vec![message("$1", "one")], "1")).await.unwrap();
    assert!(link.deliver(delivery(vec![message("$2", "two")], "2")).await.is_err());
    assert_eq!(link.plan().await.unwrap().channels["!room:a"].position.as_deref(), Some("1"));
}

#[tokio::test]
async fn control_a_planted_secret_is_found_wherever_it_is() {
    const PASSWORD: &str = "a planted password";
    let session = r#"{"access_token":"syt_planted_token","store_key":"0123456789abcdef"}"#;
    let check = |what: &str, said: &str, plant: &dyn Fn(&MemoryInbox), expect: usize| {
        let inbox = MemoryInbox::new();
        inbox.select("!room:a", None);
        inbox.keep_secret(&Secret::from(session.to_owned())).unwrap();
        inbox.keep_secret(&Secret::from("another session".to_owned())).unwrap();
        plant(&inbox);
        let found = inbox.secrets_found(said, &[PASSWORD]);
        assert_eq!(found.len(), expect, "{what}: {found:?}");
    };
    let deliver = |inbox: &MemoryInbox, delivery: Delivery| assert!(inbox.deliver(delivery).is_ok());
    check("nothing", "an error", &|_| {}, 0);
    check("an error", "a planted password", &|_| {}, 1);
    check("an error in base64", "AGFuYQBhIHBsYW50ZWQgcGFzc3dvcmQ", &|_| {}, 1);
    check("the token of a session that ended", "Bearer syt_planted_token", &|_| {}, 1);
    check("a file", "", &|inbox| std::fs::write(inbox.folder().join("keys.db"), "..0123456789abcdef..").unwrap(), 1);
    check("a position", "", &|inbox| deliver(inbox, delivery(Vec::new(), PASSWORD)), 1);
    check("a message", "", &|inbox| deliver(inbox, delivery(vec![message("$1", PASSWORD)], "1")), 1);
    // The words differ from those above, because other tests log at the same time and this test cannot tell where its own log
    // ends.
    for (word, write) in [("logged by a trace", true), ("logged by a library", false)] {
        let inbox = MemoryInbox::new();
        match write {
            true => tracing::trace!(word, "traced"),
            false => ::log::debug!("{word}"),
        }
        assert_eq!(inbox.secrets_found("", &[word]).len(), 1, "{word}");
        assert_eq!(inbox.secrets_found("", &[word]).len(), 0, "it was looked at");
    }
}
