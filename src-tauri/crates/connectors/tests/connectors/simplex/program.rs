//! A scripted SimpleX program: chats with items, the documented commands that read them, and ways to fail or be hostile.

use std::sync::{Arc, Mutex, MutexGuard};

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{broadcast, watch};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

/// The start of the chats: 2026-01-09T12:00:00Z.
pub(crate) const BEGIN: i64 = 1_767_960_000;

/// A part of the profile that nobody else may learn: whoever has it can write to the person.
pub(crate) const ADDRESS: &str = "simplex:/contact#/?v=2-7&smp=smp%3A%2F%2Fquokka";

/// A time in the format of the program.
pub(crate) fn at(seconds: i64) -> String {
    let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    format!("2026-01-{:02}T{:02}:{:02}:{:02}Z", 9 + days, 12 + rest / 3600, rest / 60 % 60, rest % 60).replace("T24:", "T23:")
}

/// A chat of the program.
pub(crate) struct Chat {
    pub(crate) reference: String,
    pub(crate) info: Value,
    /// In the order of the chat.
    pub(crate) items: Vec<Value>,
}

/// The behavior of the program.
#[derive(Default)]
pub(crate) struct Script {
    pub(crate) chats: Vec<Chat>,
    pub(crate) members: Vec<Value>,
    /// Number of answers after which the connection ends in the middle of one, for each cut.
    pub(crate) cuts: Vec<usize>,
    /// Omits this item and all later ones from the history, as for a reader that stops reading.
    pub(crate) hidden_from: Option<usize>,
    /// Gives no answers from this command on.
    pub(crate) is_mute: Option<&'static str>,
    /// Size of an oversized answer.
    pub(crate) huge: Option<usize>,
    /// Number of generated chats to list instead of `chats`.
    pub(crate) many: i64,
    /// Sends unrelated answers and unknown events before every answer.
    pub(crate) chatters: bool,
    /// Answers every page with the newest items.
    pub(crate) repeats: bool,
    pub(crate) user: i64,
    /// All commands received.
    pub(crate) commands: Vec<String>,
}

/// A running program.
#[derive(Clone)]
pub(crate) struct Program {
    script: Arc<Mutex<Script>>,
    events: broadcast::Sender<String>,
    asked: watch::Sender<u64>,
    pub(crate) port: u16,
}

impl Program {
    /// Starts the program on a free port.
    pub(crate) async fn start(script: Script) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let program = Self {
            script: Arc::new(Mutex::new(script)),
            events: broadcast::Sender::new(100_000),
            asked: watch::Sender::new(0),
            port: listener.local_addr().unwrap().port(),
        };
        let serving = program.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serving.clone().serve(stream));
            }
        });
        program
    }

    /// Reads or changes the behavior of the program.
    pub(crate) fn script(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap()
    }

    /// Sends this to every connected client.
    pub(crate) fn tell(&self, resp: &Value) {
        let _ = self.events.send(json!({ "resp": resp }).to_string());
    }

    /// Adds an item, and sends an event about it.
    pub(crate) fn say(&self, chat: usize, item: &Value) {
        let mut script = self.script();
        script.chats[chat].items.push(item.clone());
        let info = script.chats[chat].info.clone();
        drop(script);
        let user = json!({ "userId": 1, "localDisplayName": "mara" });
        self.tell(&json!({ "type": "newChatItems", "user": user, "chatItems": [{ "chatInfo": info, "chatItem": item }] }));
    }

    /// Waits until the program receives a command that begins like this.
    pub(crate) async fn asked(&self, beginning: &str) {
        let mut asked = self.asked.subscribe();
        while !self.script().commands.iter().any(|command| command.starts_with(beginning)) {
            asked.changed().await.unwrap();
        }
    }

    async fn serve(self, stream: TcpStream) {
        let mut events = self.events.subscribe();
        let Ok(mut socket) = tokio_tungstenite::accept_async(stream).await else { return };
        let mut answers = 0;
        loop {
            tokio::select! {
                event = events.recv() => {
                    let Ok(event) = event else { return };
                    if socket.send(Message::text(event)).await.is_err() { return }
                }
                request = socket.next() => {
                    let Some(Ok(Message::Text(request))) = request else { return };
                    let request: Value = serde_json::from_str(&request).unwrap();
                    let command = request["cmd"].as_str().unwrap().to_owned();
                    let answer = self.answer(&command);
                    self.asked.send_modify(|count| *count += 1);
                    let Some(answer) = answer else { continue };
                    if self.script().chatters {
                        for noise in chatter() {
                            if socket.send(Message::text(noise.to_string())).await.is_err() { return }
                        }
                    }
                    answers += 1;
                    let text = json!({ "corrId": request["corrId"], "resp": answer }).to_string();
                    let cut = self.script().cuts.first().copied();
                    if cut.is_some_and(|cut| answers > cut) {
                        self.script().cuts.remove(0);
                        return half(&mut socket, &text).await;
                    }
                    if socket.send(Message::text(text)).await.is_err() { return }
                }
            }
        }
    }

    fn answer(&self, command: &str) -> Option<Value> {
        let mut script = self.script();
        script.commands.push(command.to_owned());
        if script.is_mute.is_some_and(|mute| command.starts_with(mute)) {
            return None;
        }
        let number = |key: &str| {
            let at = command.find(key)? + key.len();
            let digits: String = command[at..].chars().take_while(char::is_ascii_digit).collect();
            digits.parse::<usize>().ok()
        };
        let count = number("count=").unwrap_or(usize::MAX);
        if command == "/user" {
            let user = json!({ "userId": script.user.max(1), "localDisplayName": "mara",
                "profile": { "displayName": "mara", "contactLink": ADDRESS } });
            return Some(json!({ "type": "activeUser", "user": user }));
        }
        if command.starts_with("/_get chats ") {
            let before = command.split("before=").nth(1).and_then(|rest| rest.split(' ').next());
            let of = |chat: &Chat| {
                let place = ["contact", "groupInfo", "noteFolder"].into_iter().find_map(|key| chat.info[key]["chatTs"].as_str());
                place.unwrap_or_default().to_owned()
            };
            if script.many > 0 {
                // Chat 1 is the most recent one, a millisecond after the next.
                let from = before.map_or(1, |before| {
                    let (minutes, seconds) = before[14..before.len() - 1].split_once(':').unwrap();
                    let ms = minutes.parse::<i64>().unwrap() * 60_000 + (seconds.parse::<f64>().unwrap() * 1000.0).round() as i64;
                    script.many - ms + 1
                });
                let to = script.many.min(from + i64::try_from(count).unwrap() - 1);
                let one = |id: i64| {
                    let ms = script.many - id;
                    let mut chat = direct(id, "one of many");
                    chat.info["contact"]["chatTs"] =
                        format!("2026-01-09T12:{:02}:{:02}.{:03}Z", ms / 60_000, ms / 1000 % 60, ms % 1000).into();
                    json!({ "chatInfo": chat.info, "chatItems": [] })
                };
                return Some(json!({ "type": "apiChats", "chats": (from..=to).map(one).collect::<Vec<_>>() }));
            }
            // The most recent ones first.
            let chats = script.chats.iter().filter(|chat| before.is_none_or(|before| of(chat).as_str() < before)).take(count);
            let previews: Vec<_> = chats
                .map(|chat| json!({ "chatInfo": chat.info, "chatItems": chat.items.last().into_iter().collect::<Vec<_>>() }))
                .collect();
            let padding = script.huge.map_or_else(String::new, |size| "x".repeat(size));
            return Some(json!({ "type": "apiChats", "chats": previews, "padding": padding }));
        }
        let refused =
            |kind: &str| json!({ "type": "chatCmdError", "chatError": { "type": "errorStore", "storeError": { "type": kind } } });
        if let Some(rest) = command.strip_prefix("/_members ") {
            let group = script.chats.iter().find(|chat| chat.reference == rest)?;
            let group = json!({ "groupInfo": group.info["groupInfo"], "members": script.members });
            return Some(json!({ "type": "groupMembers", "group": group }));
        }
        let (is_info, rest) = match command.strip_prefix("/_get item info ") {
            Some(rest) => (true, rest),
            None => (false, command.strip_prefix("/_get chat ")?),
        };
        let (reference, rest) = rest.split_once(' ')?;
        let Some(chat) = script.chats.iter().find(|chat| chat.reference == reference) else {
            return Some(refused("contactNotFound"));
        };
        let place = |row: usize| chat.items.iter().position(|item| item["meta"]["itemId"] == row);
        if is_info {
            let Some(place) = place(rest.parse().unwrap()) else { return Some(refused("chatItemNotFound")) };
            let item = json!({ "chatInfo": chat.info, "chatItem": chat.items[place] });
            let info = json!({ "itemVersions": [{ "itemVersionTs": at(3) }, { "itemVersionTs": at(7) }] });
            return Some(json!({ "type": "chatItemInfo", "chatItem": item, "chatItemInfo": info }));
        }
        let end = chat.items.len().min(script.hidden_from.unwrap_or(usize::MAX));
        let range = match (number("before="), number("after=")) {
            _ if script.repeats => end.saturating_sub(count)..end,
            (Some(row), _) => match place(row) {
                Some(place) => place.saturating_sub(count)..place,
                None => return Some(refused("chatItemNotFound")),
            },
            (_, Some(row)) => match place(row) {
                Some(place) => place + 1..end.min((place + 1).saturating_add(count)),
                None => return Some(refused("chatItemNotFound")),
            },
            _ => end.saturating_sub(count)..end,
        };
        Some(json!({ "type": "apiChat", "chat": { "chatInfo": chat.info, "chatItems": &chat.items[range], "new": [{}] } }))
    }
}

/// Answers to other commands, unknown events, and known events without required fields.
fn chatter() -> Vec<Value> {
    vec![
        json!({ "corrId": "none of yours", "resp": { "type": "apiChat", "chat": { "chatInfo": {}, "chatItems": [] } } }),
        json!({ "resp": { "type": "somethingNew", "field": [1, { "deep": null }] } }),
        json!({ "resp": { "type": "newChatItems", "chatItems": "none" } }),
        json!({ "resp": { "type": "chatItemsStatusesUpdated", "chatItems": [] } }),
        json!({ "no": "resp" }),
        json!(["not", "an", "object"]),
    ]
}

/// Sends the beginning of a frame, and ends the connection.
async fn half(socket: &mut WebSocketStream<TcpStream>, text: &str) {
    let size = u16::try_from(text.len().min(60_000)).unwrap();
    let mut frame = vec![0x81, 126];
    frame.extend(size.to_be_bytes());
    frame.extend(&text.as_bytes()[..usize::from(size) / 2]);
    let _ = socket.get_mut().write_all(&frame).await;
}

/// A direct chat.
pub(crate) fn direct(id: i64, name: &str) -> Chat {
    let contact = json!({
        "contactId": id, "localDisplayName": name, "profile": { "displayName": name, "localAlias": "" },
        "createdAt": "2026-01-01T08:00:00.5Z", "updatedAt": at(0), "chatTs": at(100_000 - id % 100_000), "unknown": { "field": 1 },
    });
    Chat { reference: format!("@{id}"), info: json!({ "type": "direct", "contact": contact }), items: Vec::new() }
}

/// A group.
pub(crate) fn group(id: i64, name: &str) -> Chat {
    let group = json!({
        "groupId": id, "localDisplayName": name, "groupProfile": { "displayName": name }, "localAlias": "",
        "createdAt": "2026-01-01T08:00:00Z", "updatedAt": at(0), "chatTs": at(100_000 - id),
        "groupSummary": { "currentMembers": 3 }, "membership": { "memberId": "AAAA" },
    });
    Chat { reference: format!("#{id}"), info: json!({ "type": "group", "groupInfo": group }), items: Vec::new() }
}

/// A member of a group.
pub(crate) fn member(row: i64, id: &str, name: &str) -> Value {
    json!({
        "groupMemberId": row, "memberId": id, "localDisplayName": name, "memberProfile": { "displayName": name },
        "memberStatus": "connected", "memberCategory": "invitee",
    })
}

/// An item with this text from the contact.
pub(crate) fn item(row: i64, text: &str) -> Value {
    json!({
        "chatDir": { "type": "directRcv" },
        "meta": {
            "itemId": row, "itemTs": at(row), "itemText": text, "itemSharedMsgId": shared(row), "itemEdited": false,
            "createdAt": at(row), "updatedAt": at(row), "itemStatus": { "type": "rcvNew" },
        },
        "content": { "type": "rcvMsgContent", "msgContent": { "type": "text", "text": text } },
        "mentions": {}, "reactions": [],
    })
}

/// The id of an item that everyone who sees the item knows, in base64: six bytes.
fn shared(row: i64) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    (0..8).rev().map(|place| char::from(LETTERS[usize::try_from(row >> (6 * place)).unwrap() & 63])).collect()
}
