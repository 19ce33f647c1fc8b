//! Messages that are written while the connector is dropped and the server restarted arrive exactly once, as they were written.
#![allow(clippy::print_stdout, reason = "the long form prints its figures")]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use keepsake_connectors::{Delivered, Delivery, FoundChannel, Inbox, InboxError, Plan, Secret, Status};
use keepsake_domain::{Message, MessageType, SourceRef, Timestamp};
use serde_json::{Value, json};

use super::cipherer::Cipherer;
use super::run::Account;
use super::synapse::{Synapse, User};
use crate::inbox::{Kept, MemoryInbox, is_soak};

/// Number of messages in a run, number of drops of the connector, number of restarts of the server, and the longest time that
/// the connector may read, in milliseconds. A message costs the server some 30 ms, so only the encrypted room has many.
fn sizes(is_encrypted: bool) -> (usize, usize, usize, u32) {
    match (is_soak(), is_encrypted) {
        (true, true) => (10_000, 50, 5, 20_000),
        (true, false) => (1_000, 50, 2, 3_000),
        (false, _) => (300, 10, 1, 1_500),
    }
}

/// What must arrive for an event.
#[derive(Debug, Clone, Default, PartialEq)]
struct Said {
    text: String,
    reply_to: Option<String>,
    thread: Option<String>,
    reactions: Option<Value>,
    is_edited: bool,
}

/// Who writes, encrypted or not.
enum Writer {
    Plain(User),
    Encrypted(Cipherer, Vec<User>),
}

impl Writer {
    fn user(&self) -> &User {
        match self {
            Self::Plain(user) => user,
            Self::Encrypted(cipherer, _) => &cipherer.user,
        }
    }

    async fn share(&self, room: &str) {
        if let Self::Encrypted(cipherer, readers) = self {
            cipherer.share(room, &readers.iter().collect::<Vec<_>>()).await;
        }
    }

    async fn send(&self, room: &str, kind: &str, content: Value, transaction: &str) -> String {
        match self {
            // Reactions are never encrypted, so that servers can count them.
            Self::Encrypted(cipherer, readers) if kind != "m.reaction" => {
                cipherer.renew(room, &readers.iter().collect::<Vec<_>>()).await;
                cipherer.send(room, kind, content, transaction).await
            }
            _ => self.user().send(room, kind, content, transaction).await,
        }
    }
}

/// Writes messages of every kind. Returns what has to be stored of them.
async fn write(writer: &Writer, room: &str, prefix: &str, count: usize) -> BTreeMap<String, Said> {
    write_told(writer, room, prefix, count, &AtomicUsize::new(0)).await
}

/// Like [`write`], and reports how many it has written.
async fn write_told(writer: &Writer, room: &str, prefix: &str, count: usize, written: &AtomicUsize) -> BTreeMap<String, Said> {
    let mut said: BTreeMap<String, Said> = BTreeMap::new();
    let mut ids: Vec<String> = Vec::new();
    for at in 0..count {
        if at % 20 == 0 {
            writer.share(room).await;
        }
        written.store(at, Ordering::SeqCst);
        let text = format!("{prefix} {at}: Grüße, 🐝 <b>&\n\"zwei\" Zeilen");
        let mut content = json!({ "msgtype": "m.text", "body": text });
        let mut expect = Said { text, ..Said::default() };
        if at % 17 == 5 {
            expect.reply_to = Some(ids[at - 3].clone());
            content["m.relates_to"] = json!({ "m.in_reply_to": { "event_id": ids[at - 3] } });
        } else if at % 17 == 9 {
            expect.reply_to = Some(ids[at - 4].clone());
            expect.thread.clone_from(&expect.reply_to);
            content["m.relates_to"] = json!({ "rel_type": "m.thread", "event_id": ids[at - 4], "is_falling_back": true,
                "m.in_reply_to": { "event_id": ids[at - 1] } });
        }
        let id = writer.send(room, "m.room.message", content, &format!("{prefix}-{at}")).await;
        said.insert(id.clone(), expect);
        ids.push(id);
        if at % 23 == 11 {
            let target = ids[at - 7].clone();
            let text = format!("{prefix} {at}: mended");
            let edit = json!({ "msgtype": "m.text", "body": format!("* {text}"),
                "m.new_content": { "msgtype": "m.text", "body": text },
                "m.relates_to": { "rel_type": "m.replace", "event_id": target } });
            writer.send(room, "m.room.message", edit, &format!("{prefix}-{at}-edit")).await;
            if let Some(edited) = said.get_mut(&target) {
                edited.text = text;
                edited.is_edited = true;
            }
        }
        if at % 29 == 13 {
            writer.user().redact(room, &ids[at - 11], &format!("{prefix}-{at}-redact")).await;
            said.remove(&ids[at - 11]);
        }
        if at % 19 == 7 {
            let target = &ids[at - 2];
            let reaction = json!({ "m.relates_to": { "rel_type": "m.annotation", "event_id": target, "key": "👍" } });
            writer.send(room, "m.reaction", reaction, &format!("{prefix}-{at}-react")).await;
            if let Some(reacted) = said.get_mut(target) {
                reacted.reactions = Some(json!([{ "emoji": "👍", "count": 1, "by": ["ben"] }]));
            }
        }
    }
    written.store(count, Ordering::SeqCst);
    said
}

fn remembered(inbox: &MemoryInbox) -> Vec<Message> {
    let mut messages = inbox.with(|kept| kept.messages.clone());
    messages.retain(|message| message.message_type == MessageType::Text);
    messages
}

/// Whether exactly what was said is stored: in order, with text, time and relations.
async fn compare(inbox: &MemoryInbox, said: &BTreeMap<String, Said>, reader: &User, room: &str) -> Result<(), String> {
    let mut messages = remembered(inbox);
    messages.sort_by_key(|message| message.time);
    let times: Vec<(String, i64)> = reader
        .events(room)
        .await
        .iter()
        .filter_map(|event| Some((event["event_id"].as_str()?.to_owned(), event["origin_server_ts"].as_i64()?)))
        .filter(|(id, _)| said.contains_key(id))
        .collect();
    if messages.len() != times.len() {
        return Err(format!("{} messages instead of {}", messages.len(), times.len()));
    }
    // Messages of the same millisecond may swap places.
    let order: Vec<i64> = messages.iter().map(|message| message.time.0).collect();
    let expected: Vec<i64> = times.iter().map(|(_, time)| *time).collect();
    if order != expected {
        return Err("the times or the order differ".to_owned());
    }
    let times: BTreeMap<String, i64> = times.into_iter().collect();
    for message in &messages {
        let id = &message.source.message;
        let Some(expect) = said.get(id) else { return Err(format!("{id} was never said or was deleted")) };
        let found = Said {
            text: message.text.clone(),
            reply_to: message.reply_to.clone(),
            thread: message.metadata.get("thread").and_then(Value::as_str).map(str::to_owned),
            reactions: message.metadata.get("reactions").cloned(),
            is_edited: message.metadata.contains_key("edited_at"),
        };
        if found != *expect || times.get(id) != Some(&message.time.0) {
            return Err(format!("{id} is {found:?} instead of {expect:?}"));
        }
        if message.source.conversation != room || message.channel_id != room || message.author.handle.handle != "@ben:localhost" {
            return Err(format!("{id} has another room or author: {:?}", message.author));
        }
    }
    Ok(())
}

fn random(below: u32) -> u32 {
    let mut bytes = [0; 4];
    getrandom::fill(&mut bytes).unwrap();
    u32::from_le_bytes(bytes) % below
}

fn is_live(inbox: &MemoryInbox) -> bool {
    inbox.with(|kept| kept.statuses.last() == Some(&Status::Live))
}

/// A server with a room that ana reads and ben writes.
async fn scene(is_encrypted: bool) -> (Synapse, Account, User, Writer, String) {
    let synapse = Synapse::start().await;
    let (ana, ben) = (synapse.user("ana").await, synapse.user("ben").await);
    let mut room = json!({ "preset": "private_chat", "name": "Bees" });
    if is_encrypted {
        room["initial_state"] =
            json!([{ "type": "m.room.encryption", "state_key": "", "content": { "algorithm": "m.megolm.v1.aes-sha2" } }]);
    }
    let room = ben.create_room(&[&ana], room).await;
    let account = Account::of(&synapse, &ana).await;
    account.inbox.select(&room, None);
    // The device has keys once the account has been live.
    account.read_until("the first run", is_live).await;
    let writer = match is_encrypted {
        true => Writer::Encrypted(Cipherer::new(ben).await, vec![ana.clone()]),
        false => Writer::Plain(ben),
    };
    (synapse, account, ana, writer, room)
}

async fn exactly_once(is_encrypted: bool) {
    let (synapse, account, ana, writer, room) = scene(is_encrypted).await;
    let (count, drops_min, restarts, longest_ms) = sizes(is_encrypted);
    let (mut synapse, written) = (synapse, AtomicUsize::new(0));
    let writing = write_told(&writer, &room, "live", count, &written);
    // Runs as long as messages are being written, so that drops and restarts happen throughout.
    let reading = async {
        let (mut drops, mut restarted) = (0, 0);
        while drops < drops_min || restarted < restarts || written.load(Ordering::SeqCst) < count {
            let inbox = Arc::clone(&account.inbox) as Arc<dyn Inbox>;
            // Half of the drops come early, in the middle of anything; the others after some time of reading.
            let polls = 1 + random(if drops % 2 == 0 { 200 } else { longest_ms });
            account.read_and_drop(inbox, polls, Duration::from_millis(200 + u64::from(random(longest_ms)))).await;
            drops += 1;
            if restarted < restarts && written.load(Ordering::SeqCst) * (restarts + 1) >= count * (restarted + 1) {
                synapse.end();
                synapse.resume().await;
                restarted += 1;
            }
        }
        drops
    };
    let began = Instant::now();
    let (said, drops) = tokio::join!(writing, reading);
    let wrote = began.elapsed();
    let is_all = |kept: &Kept| {
        let mut texts = kept.messages.iter().filter(|message| message.message_type == MessageType::Text);
        kept.messages.len() >= said.len()
            && texts.clone().count() == said.len()
            && texts.all(|message| said.get(&message.source.message).is_some_and(|one| one.text == message.text))
    };
    account.read_until("everything that was said", |inbox| is_live(inbox) && inbox.with(|kept| is_all(kept))).await;
    println!("{count} messages, {drops} drops: written in {wrote:?}, all read after {:?}", began.elapsed());
    compare(&account.inbox, &said, &ana, &room).await.unwrap();
    assert_eq!(account.inbox.with(|kept| kept.unreadable.get(&room).copied().unwrap_or_default()), 0);
    let seen = writer.user().seen_by_others(&room).await;
    let is_here = |name: &str| seen[name].as_array().is_some_and(|all| all.iter().any(|one| one.to_string().contains("@ana")));
    assert!(!is_here("ephemeral"), "others saw receipts or typing: {seen}");
    let online = seen["presence"]
        .as_array()
        .is_some_and(|all| all.iter().any(|one| one["sender"] == "@ana:localhost" && one["content"]["presence"] == "online"));
    assert!(!online, "others saw the account online: {seen}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_said_in_a_plain_room_arrives_once_through_drops_and_a_restart() {
    exactly_once(false).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_said_in_an_encrypted_room_arrives_once_through_drops_and_a_restart() {
    exactly_once(true).await;
}

/// The fault of an inbox. It has the same effect as a connector with that fault.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wrong {
    /// No fault.
    Nothing,
    /// Forgets what is missing.
    GapForgotten,
    /// Stores the token before the messages, and the process ends in between, once.
    TokenFirst,
}

/// An inbox with a fault.
struct Faulty {
    inner: Arc<MemoryInbox>,
    wrong: Wrong,
    kills: AtomicU64,
}

impl Faulty {
    fn new(inner: &Arc<MemoryInbox>, wrong: Wrong) -> Arc<Self> {
        Arc::new(Self { inner: Arc::clone(inner), wrong, kills: AtomicU64::new(0) })
    }
}

impl Inbox for Faulty {
    fn plan(&self) -> Result<Plan, InboxError> {
        self.inner.plan()
    }

    fn found(&self, channels: &[FoundChannel]) -> Result<(), InboxError> {
        self.inner.found(channels)
    }

    fn deliver(&self, mut delivery: Delivery) -> Result<Delivered, InboxError> {
        let has_messages = !delivery.messages.is_empty();
        let is_last = has_messages && delivery.source_position.is_some();
        if self.wrong == Wrong::GapForgotten {
            if let Some(position) = &mut delivery.position {
                let mut value: Value = serde_json::from_str(position).unwrap();
                let has_gap = value["gaps"].as_array().is_some_and(|gaps| !gaps.is_empty());
                value["gaps"] = json!([]);
                *position = value.to_string();
                if has_gap {
                    // The process ends here, so that the next one has only what was stored.
                    self.inner.deliver(delivery)?;
                    return Err(InboxError::Stopped);
                }
            }
        } else if is_last && self.kills.fetch_add(1, Ordering::SeqCst) == 0 {
            // The process ends here, once: between the token and the messages, or before the transaction.
            if self.wrong == Wrong::TokenFirst {
                let source_position = delivery.source_position;
                self.inner.deliver(Delivery { source_position, ..Delivery::default() })?;
            }
            return Err(InboxError::Stopped);
        }
        self.inner.deliver(delivery)
    }

    fn stored(&self, message: &SourceRef) -> Result<Option<Message>, InboxError> {
        self.inner.stored(message)
    }

    fn secret(&self) -> Result<Option<Secret>, InboxError> {
        self.inner.secret()
    }

    fn keep_secret(&self, secret: &Secret) -> Result<(), InboxError> {
        self.inner.keep_secret(secret)
    }

    fn note(&self, status: Status) {
        self.inner.note(status);
    }

    fn folder(&self) -> PathBuf {
        self.inner.folder()
    }

    fn now(&self) -> Timestamp {
        self.inner.now()
    }
}

/// More is said than fits into a timeline while nobody reads. The connector is dropped at every stage of filling the gap.
async fn gap(wrong: Wrong, is_encrypted: bool) -> Result<(), String> {
    let (_synapse, account, ana, writer, room) = scene(is_encrypted).await;
    let said = write(&writer, &room, "away", 260).await;
    for polls in [5, 10, 20, 40, 60] {
        account.read_and_drop(Faulty::new(&account.inbox, wrong), polls, Duration::from_secs(3)).await;
    }
    account
        .read_into_until(Faulty::new(&account.inbox, wrong), "the first of what was said", |inbox| {
            // The account was live before anything was said, so being live alone proves nothing.
            is_live(inbox) && !remembered(inbox).is_empty()
        })
        .await;
    let settled = |inbox: &MemoryInbox| is_live(inbox) && remembered(inbox).len() >= said.len();
    if wrong == Wrong::Nothing {
        account.read_until("everything that was said", settled).await;
    } else {
        // Finds whatever a run without the fault could still find.
        account.read_and_drop(Arc::clone(&account.inbox) as Arc<dyn Inbox>, u32::MAX, Duration::from_secs(4)).await;
    }
    compare(&account.inbox, &said, &ana, &room).await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_said_while_nobody_read_is_filled_in() {
    gap(Wrong::Nothing, false).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_said_encrypted_while_nobody_read_is_filled_in() {
    gap(Wrong::Nothing, true).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connector_that_forgets_the_gap_would_be_found_out() {
    let missing = gap(Wrong::GapForgotten, false).await;
    assert!(missing.as_ref().is_err_and(|why| why.contains("instead of")), "{missing:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connector_whose_token_moves_before_the_messages_would_be_found_out() {
    let (_synapse, account, ana, writer, room) = scene(false).await;
    let said = write(&writer, &room, "lost", 15).await;
    // The first attempt ends between the token and the messages; the second one continues from the token.
    account.read_and_drop(Faulty::new(&account.inbox, Wrong::TokenFirst), u32::MAX, Duration::from_secs(6)).await;
    let missing = compare(&account.inbox, &said, &ana, &room).await;
    assert!(missing.as_ref().is_err_and(|why| why.contains("instead of")), "{missing:?}");
    // The same with an inbox that stores either both at once or nothing.
    let more = write(&writer, &room, "kept", 15).await;
    let faulty = Faulty::new(&account.inbox, Wrong::Nothing);
    let kept = more.clone();
    let holds =
        move |inbox: &MemoryInbox| kept.keys().all(|id| remembered(inbox).iter().any(|message| message.source.message == *id));
    account.read_into_until(Arc::clone(&faulty) as Arc<dyn Inbox>, "what was said since", holds).await;
    assert!(faulty.kills.load(Ordering::SeqCst) > 1, "it was never stopped");
}
