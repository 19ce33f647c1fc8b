//! Who is in a room and who can read it, keys that arrive late, and the comparison with an export of the same room.

use std::collections::BTreeMap;
use std::time::Duration;

use keepsake_connectors::Status;
use keepsake_domain::{Message, SourceKind, Timestamp, Visibility};
use keepsake_importers::{ImportOptions, Read, Sink, Stop, read_path};
use serde_json::{Value, json};

use super::cipherer::Cipherer;
use super::run::Account;
use super::synapse::Synapse;
use crate::inbox::MemoryInbox;

fn has(inbox: &MemoryInbox, text: &str) -> bool {
    inbox.texts().iter().any(|known| known == text)
}

fn members(inbox: &MemoryInbox, room: &str) -> Vec<String> {
    inbox.with(|kept| kept.members.get(room).into_iter().flatten().map(|member| member.handle.clone()).collect())
}

fn visibility(inbox: &MemoryInbox, room: &str) -> Option<Visibility> {
    inbox.with(|kept| kept.found.get(room).map(|found| found.visibility))
}

fn text(body: &str) -> Value {
    json!({ "msgtype": "m.text", "body": body })
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_in_a_room_and_who_can_read_it_is_known_at_once() {
    let synapse = Synapse::start().await;
    let (ana, ben, cleo) = (synapse.user("ana").await, synapse.user("ben").await, synapse.user("cleo").await);
    let room = ben.create_room(&[&ana], json!({ "preset": "private_chat" })).await;
    let account = Account::of(&synapse, &ana).await;
    let found = account.inbox.with(|kept| kept.found.get(&room).cloned()).unwrap();
    assert_eq!((found.title.as_str(), found.member_count, found.is_encrypted), ("ben", Some(2), false));
    assert_eq!(found.visibility, Visibility::Private);
    account.inbox.select(&room, None);
    account.read_until("the members", |inbox| members(inbox, &room) == ["@ben:localhost"]).await;
    // While the account is being read:
    let changes = async {
        ben.invite(&room, &cleo).await;
        cleo.join(&room).await;
        ben.set_state(&room, "m.room.name", json!({ "name": "Bees" })).await;
        ben.set_state(&room, "m.room.join_rules", json!({ "join_rule": "public" })).await;
        ben.send(&room, "m.room.message", text("in public"), "1").await;
        ben.create_room(&[&ana], json!({ "preset": "private_chat", "name": "A new room" })).await
    };
    let reading = account.read_until("the changes", |inbox| {
        has(inbox, "in public")
            && members(inbox, &room) == ["@ben:localhost", "@cleo:localhost"]
            && visibility(inbox, &room) == Some(Visibility::Public)
            && inbox.with(|kept| kept.found.values().any(|found| found.title == "A new room"))
    });
    let (new, ()) = tokio::join!(changes, reading);
    let said = account.inbox.with(|kept| kept.messages.iter().find(|message| message.text == "in public").cloned()).unwrap();
    assert_eq!((said.visibility, said.conversation_title.as_deref()), (Visibility::Public, Some("Bees")));
    assert!(has(&account.inbox, "cleo joined") && has(&account.inbox, "ben named the room Bees"));
    // While it is not being read:
    cleo.leave(&room).await;
    ben.set_state(&room, "m.room.join_rules", json!({ "join_rule": "invite" })).await;
    account
        .read_until("the changes since", |inbox| {
            members(inbox, &room) == ["@ben:localhost"] && visibility(inbox, &room) == Some(Visibility::Private)
        })
        .await;
    assert!(account.inbox.with(|kept| kept.messages.iter().all(|message| message.channel_id != new)), "nobody chose it");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_said_before_a_room_became_public_stays_private_whenever_it_is_read() {
    let synapse = Synapse::start().await;
    let (ana, ben) = (synapse.user("ana").await, synapse.user("ben").await);
    let room = ben.create_room(&[&ana], json!({ "preset": "private_chat" })).await;
    let open = ben.create_room(&[&ana], json!({ "preset": "public_chat" })).await;
    let said = async |room: &str, body: &str| drop(ben.send(room, "m.room.message", text(body), body).await);
    said(&room, "among us").await;
    said(&open, "always open").await;
    let account = Account::of(&synapse, &ana).await;
    account.inbox.select(&open, None);
    account.read_until("the open room", |inbox| has(inbox, "always open")).await;
    // A room counts as open from its beginning if it is opened within seconds.
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    // One answer contains messages, the opening of the room, and more messages. Then the history of the room is read, when the
    // room is already public.
    said(&room, "still among us").await;
    ben.set_state(&room, "m.room.join_rules", json!({ "join_rule": "public" })).await;
    said(&room, "for everybody").await;
    account.inbox.select(&room, None);
    account.read_until("the history", |inbox| has(inbox, "among us") && has(inbox, "for everybody")).await;
    assert_eq!(visibility(&account.inbox, &room), Some(Visibility::Public), "as a place to speak");
    let labels = account.inbox.with(|kept| {
        let texts = ["among us", "still among us", "for everybody", "always open"];
        texts.map(|text| kept.messages.iter().find(|message| message.text == text).map(|message| message.visibility))
    });
    let (private, public) = (Some(Visibility::Private), Some(Visibility::Public));
    assert_eq!(labels, [private, private, public, public]);
    let notices = account.inbox.with(|kept| {
        let of_open = kept.messages.iter().filter(|message| message.channel_id == open);
        of_open.filter(|message| message.visibility == Visibility::Private).count()
    });
    assert_eq!(notices, 0, "a room that was always public has no private notice, which would close it");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_room_that_is_replaced_says_so_and_the_new_one_is_offered_as_its_continuation() {
    let synapse = Synapse::start().await;
    let (ana, ben) = (synapse.user("ana").await, synapse.user("ben").await);
    let old = ben.create_room(&[&ana], json!({ "preset": "private_chat", "name": "Bees" })).await;
    let account = Account::of(&synapse, &ana).await;
    account.inbox.select(&old, None);
    let title = |inbox: &MemoryInbox, room: &str| inbox.with(|kept| kept.found.get(room).map(|found| found.title.clone()));
    let _reading = account.start();
    account.wait("the room", |inbox| title(inbox, &old).as_deref() == Some("Bees")).await;
    let new = ben.upgrade(&old).await;
    ben.invite(&new, &ana).await;
    ana.join(&new).await;
    // The control: another person's room that only claims to continue the old one.
    let predecessor = json!({ "predecessor": { "room_id": old, "event_id": "$none" } });
    let claim =
        ben.create_room(&[&ana], json!({ "preset": "private_chat", "name": "Bees", "creation_content": predecessor })).await;
    ben.send(&new, "m.room.message", text("in the new room"), "1").await;
    account
        .wait("both titles", |inbox| {
            title(inbox, &old).as_deref() == Some("Bees (replaced by another room)")
                && title(inbox, &new).as_deref() == Some("Bees (continues a room that was replaced)")
                && title(inbox, &claim).as_deref() == Some("Bees")
        })
        .await;
    let continues = |room: &str| account.inbox.with(|kept| kept.found[room].continues.clone());
    assert_eq!(
        (continues(&new), continues(&claim), continues(&old)),
        (Some(old.clone()), None, None),
        "a claim passes nothing on"
    );
    assert!(has(&account.inbox, "The room was replaced by another one"));
    assert!(!has(&account.inbox, "in the new room"), "nobody chose it yet");
    account.inbox.select(&new, None);
    account.wait("the new room", |inbox| has(inbox, "in the new room")).await;
    let said = account.inbox.with(|kept| kept.messages.iter().find(|message| message.text == "in the new room").cloned());
    assert_eq!(said.unwrap().conversation_title.as_deref(), Some("Bees"), "the conversation keeps its name");
}

/// Collects the output of an importer.
#[derive(Default)]
struct Collected(Vec<Message>);

impl Sink for Collected {
    fn take(&mut self, read: Read) -> Result<(), Stop> {
        if let Read::Message(message) = read {
            self.0.push(message);
        }
        Ok(())
    }

    fn progress(&mut self, _: u64, _: u64) -> Result<(), Stop> {
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_of_the_same_room_gives_the_same_messages() {
    let synapse = Synapse::start().await;
    let (ana, ben) = (synapse.user("ana").await, synapse.user("ben").await);
    let room = ben.create_room(&[&ana], json!({ "preset": "private_chat", "name": "Bees", "topic": "Honey" })).await;
    let send = |content: Value, at: &'static str| ben.send(&room, "m.room.message", content, at);
    let first = send(text("first"), "1").await;
    let second = send(text("second"), "2").await;
    let fallback = "> <@ben:localhost> first\n\nan answer";
    send(json!({ "msgtype": "m.text", "body": fallback, "m.relates_to": { "m.in_reply_to": { "event_id": first } } }), "3").await;
    send(json!({ "msgtype": "m.emote", "body": "waves" }), "4").await;
    send(json!({ "msgtype": "m.notice", "body": "I am a program" }), "5").await;
    let file = json!({ "msgtype": "m.file", "body": "plan.pdf", "url": "mxc://localhost/abc", "info": { "mimetype": "application/pdf" } });
    send(file, "6").await;
    let react = |target: &str| json!({ "m.relates_to": { "rel_type": "m.annotation", "event_id": target, "key": "🐝" } });
    ben.send(&room, "m.reaction", react(&first), "7").await;
    ana.send(&room, "m.reaction", react(&first), "8").await;
    let edit = json!({ "msgtype": "m.text", "body": "* second, mended", "m.new_content": text("second, mended"),
        "m.relates_to": { "rel_type": "m.replace", "event_id": second } });
    send(edit, "9").await;
    let gone = send(text("gone"), "10").await;
    ben.redact(&room, &gone, "11").await;
    let sticker = json!({ "body": "a bee", "url": "mxc://localhost/bee", "info": {} });
    ben.send(&room, "m.sticker", sticker, "12").await;
    ana.send(&room, "m.room.message", text("from ana"), "13").await;

    let account = Account::of(&synapse, &ana).await;
    account.inbox.select(&room, None);
    let done = |inbox: &MemoryInbox| inbox.with(|kept| kept.statuses.last() == Some(&Status::Live)) && has(inbox, "from ana");
    account.read_until("the room", done).await;
    let live = account.inbox.with(|kept| kept.messages.clone());
    assert_eq!(account.inbox.with(|kept| kept.left_out.clone()), BTreeMap::from([("stickers", 1)]));

    let export = json!({ "room_name": "Bees", "room_creator": "ben", "topic": "Honey", "export_date": "today",
        "exported_by": "ana", "messages": ana.events(&room).await });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("export.json");
    std::fs::write(&path, export.to_string()).unwrap();
    let mut collected = Collected::default();
    let options = ImportOptions { me: Some("@ana:localhost".to_owned()), ..ImportOptions::new(Timestamp(0)) };
    let report = read_path(&path, &options, &mut collected).unwrap();
    assert_eq!(report.kind, SourceKind::Matrix);

    let by_id = |messages: Vec<Message>| -> BTreeMap<String, Message> {
        messages.into_iter().map(|message| (message.source.message.clone(), message)).collect()
    };
    let (live, exported) = (by_id(live), by_id(collected.0));
    assert!(exported.len() > 8, "{}", exported.len());
    assert_eq!(live.keys().collect::<Vec<_>>(), exported.keys().collect::<Vec<_>>());
    for (id, message) in &live {
        let mut exported = exported[id].clone();
        // An export names people only after the event that contains their name, and the first event precedes it.
        exported.text = exported.text.replace("@ben:localhost created the room", "ben created the room");
        assert_eq!(message, &exported);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_whose_key_comes_late_is_counted_and_then_read() {
    let synapse = Synapse::start().await;
    let (ana, ben) = (synapse.user("ana").await, synapse.user("ben").await);
    let encryption =
        json!([{ "type": "m.room.encryption", "state_key": "", "content": { "algorithm": "m.megolm.v1.aes-sha2" } }]);
    let room = ben.create_room(&[&ana], json!({ "preset": "private_chat", "initial_state": encryption })).await;
    let account = Account::of(&synapse, &ana).await;
    assert!(account.inbox.with(|kept| kept.found[&room].is_encrypted));
    account.inbox.select(&room, None);
    let ben = Cipherer::new(ben).await;
    // The device of ana has no keys yet, so nobody can send it a room key.
    ben.share(&room, &[&ana]).await;
    ben.send(&room, "m.room.message", text("before the device"), "1").await;
    let unreadable = |inbox: &MemoryInbox| inbox.with(|kept| kept.unreadable.get(&room).copied());
    account.read_until("the count", |inbox| unreadable(inbox) == Some(1)).await;
    assert!(!has(&account.inbox, "before the device"));
    // From now on the device receives keys, which do not open earlier messages.
    ben.share(&room, &[&ana]).await;
    ben.send(&room, "m.room.message", text("after the device"), "2").await;
    account.read_until("the next message", |inbox| has(inbox, "after the device")).await;
    assert_eq!(unreadable(&account.inbox), Some(1));
    // A message that arrives before its key.
    ben.change_key(&room).await;
    let late = ben.prepare(&room, &[&ana]).await;
    ben.send(&room, "m.room.message", text("before its key"), "3").await;
    account.read_until("the count", |inbox| unreadable(inbox) == Some(2)).await;
    ben.hand_out(late).await;
    account.read_until("the late key", |inbox| has(inbox, "before its key") && unreadable(inbox) == Some(1)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn history_is_read_as_far_as_it_is_wanted_and_further_later() {
    let synapse = Synapse::start().await;
    let (ana, ben) = (synapse.user("ana").await, synapse.user("ben").await);
    let room = ben.create_room(&[&ana], json!({ "preset": "private_chat" })).await;
    for at in 0..250 {
        ben.send(&room, "m.room.message", text(&format!("old {at}")), &format!("old-{at}")).await;
    }
    // A clear boundary between the two groups of messages.
    let boundary = ben.send(&room, "m.room.message", text("boundary"), "boundary").await;
    let events = ben.events(&room).await;
    let boundary = events.iter().find(|event| event["event_id"] == json!(boundary)).unwrap();
    let boundary = Timestamp(boundary["origin_server_ts"].as_i64().unwrap());
    for at in 0..5 {
        ben.send(&room, "m.room.message", text(&format!("new {at}")), &format!("new-{at}")).await;
    }
    let account = Account::of(&synapse, &ana).await;
    account.inbox.select(&room, Some(boundary));
    let is_live = |inbox: &MemoryInbox| inbox.with(|kept| kept.statuses.last() == Some(&Status::Live));
    account.read_until("what is wanted", |inbox| is_live(inbox) && has(inbox, "boundary")).await;
    let times = account.inbox.with(|kept| kept.messages.iter().map(|message| message.time).collect::<Vec<_>>());
    assert!(times.iter().all(|time| *time >= boundary));
    assert!((6..20).contains(&times.len()), "{}", times.len());
    // While the room is being read, more of it is wanted.
    let wanted = async { account.inbox.select(&room, None) };
    let reading = account.read_until("all of it", |inbox| (0..250).all(|at| has(inbox, &format!("old {at}"))));
    tokio::join!(reading, wanted);
    assert!(account.inbox.with(|kept| kept.deliveries) < 60, "messages are delivered in batches");
}
