//! Live sources from end to end: the command line, a running Keepsake, and a real mail server or a program that sends messages.

use std::time::{Duration, Instant};

use keepsake_testkit::Traces;
use serde_json::{Value, json};

use crate::harness::{Home, jsonl, text};
use crate::http::{Answer, Served};

#[path = "../src-tauri/crates/connectors/tests/connectors/mail/dovecot.rs"]
#[expect(dead_code, reason = "the tests of the connector use more of it")]
pub(crate) mod dovecot;

use dovecot::{Dovecot, PASSWORD, USER};

const CANARY: &str = "quokkaharmonium";

/// Maximum time to wait for a condition on a busy machine.
const DEADLINE: Duration = Duration::from_secs(60);

/// Waits until `look` returns something. Returns that, and how long it took.
pub(crate) fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> (T, Duration) {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return (found, began.elapsed());
        }
        assert!(began.elapsed() < DEADLINE, "{what} did not come true");
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub(crate) fn source(home: &Home, id: &str) -> Value {
    home.rows(&["sources", "list"]).into_iter().find(|row| text(row, "id") == id).unwrap_or_default()
}

/// Adds a webhook. Returns its id and token.
fn webhook(home: &Home) -> (String, String) {
    let added = home.json(&["sources", "add", "webhook", "--name", "IRC bridge"]);
    (text(&added, "id"), text(&added, "token"))
}

fn send(served: &Served, id: &str, token: Option<&str>, body: &str) -> Answer {
    let host = served.host();
    let bearer = token.map(|token| format!("Bearer {token}"));
    let mut headers = vec![("Host", host.as_str())];
    headers.extend(bearer.as_deref().map(|bearer| ("Authorization", bearer)));
    served.raw(&format!("POST /v1/in/{id}"), &headers, body.as_bytes())
}

#[test]
fn what_a_webhook_sends_is_stored_once_and_found_at_once() {
    let served = Served::start();
    let (id, token) = webhook(&served.home);
    assert!(token.len() > 64, "256 bits");
    let body = jsonl("irc", &[("owner", "Mara", "I live in Utrecht."), ("person", "Ben", &format!("The {CANARY} is late."))]);
    let answer = send(&served, &id, Some(&token), &format!("{body}not json\n"));
    assert_eq!(answer.status, 200, "{}", answer.text());
    let told = answer.json();
    assert_eq!((&told["stored"], &told["known"], &told["skipped"][0]["count"]), (&2.into(), &0.into(), &1.into()), "{told}");
    assert_eq!(served.home.rows(&["search", CANARY]).len(), 1, "it can be found when the answer comes");
    until("a candidate", || (!served.home.ids("pending").is_empty()).then_some(()));
    let again = send(&served, &id, Some(&token), &body).json();
    assert_eq!((&again["stored"], &again["known"]), (&0.into(), &2.into()), "{again}");
    let row = source(&served.home, &id);
    assert_eq!((&row["state"], &row["messages"]), (&"live".into(), &2.into()), "{row}");
    assert!(row["last_message_at"].is_i64(), "{row}");
}

/// Foods, one for each timed message.
const FOODS: [&str; 20] = [
    "hazelnuts", "shrimp", "celery", "sesame", "mustard", "walnuts", "lupins", "eggs", "soy", "wheat", "almonds", "mussels",
    "cashews", "oysters", "pistachios", "squid", "kiwis", "peaches", "lentils", "buckwheat",
];

/// The 95th percentile.
fn late(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[(times.len() - 1) * 95 / 100]
}

#[test]
fn what_arrives_is_searchable_within_three_seconds_and_proposed_within_a_minute() {
    let served = Served::start();
    let (id, token) = webhook(&served.home);
    let (mut sent, mut searchable) = (Vec::new(), Vec::new());
    for food in FOODS {
        let began = Instant::now();
        let body = jsonl(food, &[("owner", "Mara", &format!("I've been allergic to {food} since I was a child."))]);
        assert_eq!(send(&served, &id, Some(&token), &body).status, 200);
        until("it is found", || {
            let found = served.call("search", json!({ "query": food, "scope": "messages" }));
            found.to_string().contains("since I was a child").then_some(())
        });
        searchable.push(began.elapsed());
        sent.push(began);
    }
    // Counted as seen once all have arrived. The first ones waited longest, so no measured time is too short.
    let (proposed, _) = until("all are proposed", || {
        let pending = served.call("memories_list", json!({ "status": ["pending"] })).to_string();
        FOODS.iter().all(|food| pending.contains(food)).then(|| sent.iter().map(Instant::elapsed).collect::<Vec<_>>())
    });
    let (searchable, proposed) = (late(searchable), late(proposed));
    assert!(searchable <= Duration::from_secs(3), "searchable after {searchable:?}");
    assert!(proposed <= Duration::from_secs(60), "proposed after {proposed:?}");
}

#[test]
fn a_webhook_takes_nothing_without_its_token_and_tells_nobody_why() {
    let served = Served::start();
    let ((id, token), (other, other_token)) = (webhook(&served.home), webhook(&served.home));
    let body = jsonl("irc", &[("person", "Ben", CANARY)]);
    let unknown = "src_00000000000000000000000000000000";
    let attempts: [(&str, Option<&str>); 8] = [
        (&id, None),
        (&id, Some("")),
        (&id, Some(&other_token)),
        (&id, Some(&token[..token.len() - 1])),
        (&id, Some(&token.to_uppercase())),
        (unknown, Some(&token)),
        ("nothing", Some(&token)),
        (&other, Some(&token)),
    ];
    let answers: Vec<(u16, String)> = attempts
        .iter()
        .map(|(id, token)| send(&served, id, *token, &body))
        .map(|answer| (answer.status, answer.text()))
        .collect();
    assert!(answers.iter().all(|answer| answer.0 == 401 && answer == &answers[0]), "all the same: {answers:?}");
    let evil = served.raw(
        &format!("POST /v1/in/{id}"),
        &[("Host", "evil.example"), ("Authorization", &format!("Bearer {token}"))],
        body.as_bytes(),
    );
    assert!(evil.status >= 400, "{evil:?}");
    let large = send(&served, &id, Some(&token), &"x".repeat(5 * 1024 * 1024));
    assert_eq!(large.status, 413, "{large:?}");
    assert!(served.home.rows(&["search", CANARY]).is_empty(), "nothing was stored");
    assert_eq!(send(&served, &id, Some(&token), &body).status, 200, "the control: its own token works");
    served.home.run(&["sources", "pause", &id]).ok();
    let paused = send(&served, &id, Some(&token), &jsonl("irc2", &[("person", "Ben", "later")]));
    assert!(paused.status >= 400 && paused.text().contains("paused"), "{paused:?}");
    served.home.run(&["sources", "remove", &id]).ok();
    assert_eq!(send(&served, &id, Some(&token), &body).status, 401, "a removed source is as unknown as any");
    assert_eq!(served.home.rows(&["search", CANARY]).len(), 1, "what it brought stays");
}

#[test]
fn a_source_is_renamed_and_a_new_token_of_a_webhook_is_shown_once_and_ends_the_old_one() {
    let served = Served::start();
    let (id, old) = webhook(&served.home);
    let renamed = served.home.rows(&["sources", "rename", &id, "Matterbridge"]);
    assert_eq!((renamed.len(), &renamed[0]["name"]), (1, &"Matterbridge".into()));
    assert!(served.home.run(&["sources", "rename", &id, " "]).failure().contains("needs a name"));
    let made = served.home.json(&["sources", "token", &id]);
    let new = text(&made, "token");
    assert_eq!(text(&made, "id"), id);
    let body = jsonl("irc", &[("person", "Ben", CANARY)]);
    let statuses = [&old, &new].map(|token| send(&served, &id, Some(token), &body).status);
    assert_eq!(statuses, [401, 200], "the running Keepsake knows at once");
    let listed = served.home.run(&["sources", "list", "--json"]).ok();
    assert!(!listed.contains(&new) && !listed.contains(&old), "shown once");
    Traces::default().folder(&served.home.data()).assert_free_of(&[&old, &new]);
    assert!(served.home.run(&["sources", "token", "src_00000000000000000000000000000000"]).failure().contains("src_"));
}

#[test]
fn nobody_writes_into_conversations_of_agents_by_a_webhook() {
    let served = Served::start();
    let (id, token) = webhook(&served.home);
    let told = send(&served, &id, Some(&token), &jsonl("agent:nova/1", &[("owner", "Mara", CANARY)])).json();
    assert_eq!((&told["stored"], &told["left_out"]), (&0.into(), &1.into()), "{told}");
    assert!(served.home.rows(&["search", CANARY]).is_empty());
}

#[test]
fn folders_are_sources_too_and_the_old_command_still_works() {
    let home = Home::new();
    let folder = home.file("talk.jsonl", "").with_file_name("notes");
    std::fs::create_dir(&folder).unwrap();
    let folder = folder.to_str().unwrap();
    let added = home.rows(&["sources", "add", "folder", folder, "--kind", "meetings"]);
    assert_eq!((added.len(), &added[0]["id"], &added[0]["kind"]), (1, &folder.into(), &"folder".into()), "{added:?}");
    assert_eq!(home.rows(&["watch"]).len(), 1);
    assert!(home.run(&["sources", "remove", folder, "--forget"]).failure().contains("imports undo"));
    assert!(home.rows(&["sources", "remove", folder]).is_empty());
}

fn mail(number: usize, text: &str) -> Vec<u8> {
    format!(
        "From: Ben <ben@mail.example>\r\nTo: {USER}\r\nSubject: Letter {number}\r\nMessage-ID: <{number}@mail.example>\r\n\
         Date: Mon, 2 Mar 2026 10:00:{:02} +0100\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{text}\r\n",
        number % 60
    )
    .into_bytes()
}

/// The files of the data folder that contain the canary.
fn files_with_canary(home: &Home) -> Vec<std::path::PathBuf> {
    let (mut open, mut found) = (vec![home.data()], Vec::new());
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if std::fs::read(&path).unwrap_or_default().windows(CANARY.len()).any(|window| window == CANARY.as_bytes()) {
            found.push(path);
        }
    }
    found
}

#[test]
fn a_mailbox_is_read_from_the_command_line_and_forgotten_without_a_trace() {
    let mut server = Dovecot::start("");
    server.put("INBOX", &(0..30).map(|n| mail(n, &format!("Letter {n} about the {CANARY}."))).collect::<Vec<_>>());
    let served = Served::start();
    let home = &served.home;
    let port = server.port().to_string();
    let add = ["sources", "add", "mail", "--host", "127.0.0.1", "--port", &port, "--security", "plain", "--user", USER, "--json"];
    let wrong = home.run_with(&add, "wrong-password\n").failure();
    assert!(!wrong.contains("wrong-password") && home.rows(&["sources"]).is_empty(), "{wrong}");
    let added: Value = serde_json::from_str(&home.run_with(&add, format!("{PASSWORD}\n")).ok()).unwrap();
    let id = text(&added, "id");
    assert!(added["channels"].as_u64().unwrap() >= 1, "{added}");
    until("the connection", || (source(home, &id)["state"] == "live").then_some(()));
    assert_eq!(source(home, &id)["messages"], 0, "nothing is stored before a folder is chosen");
    home.run(&["sources", "choose", &id, "remember", "INBOX"]).ok();
    until("all mails", || (source(home, &id)["messages"] == 30).then_some(()));
    server.hand().append("INBOX", "", &mail(31, "The wombatglockenspiel has come."));
    let ((), took) = until("a new mail", || (home.rows(&["search", "wombatglockenspiel"]).len() == 1).then_some(()));
    assert!(took < Duration::from_secs(20), "from sent to found, with the start of each search: {took:?}");
    home.run(&["sources", "pause", &id]).ok();
    assert_eq!(source(home, &id)["state"], "paused");
    home.run(&["sources", "resume", &id]).ok();
    until("the connection", || (source(home, &id)["state"] == "live").then_some(()));
    assert_eq!(source(home, &id)["messages"], 31, "none came twice");
    home.run(&["sources", "schedule", &id, "22"]).ok();
    until("the next day", || (source(home, &id)["state"] == "scheduled").then_some(()));
    server.hand().append("INBOX", "", &mail(32, "Tomorrow is soon enough."));
    assert!(home.rows(&["search", "tomorrow soon enough"]).is_empty(), "it was read today");
    home.run(&["sources", "schedule", &id, "live"]).ok();
    until("what was said since", || (source(home, &id)["messages"] == 32).then_some(()));
    assert!(!files_with_canary(home).is_empty(), "it is there to be found");
    Traces::default().folder(&home.data()).assert_free_of(&[PASSWORD]);
    home.run(&["sources", "remove", &id, "--forget"]).ok();
    until("the end of the erasure", || files_with_canary(home).is_empty().then_some(()));
    assert!(home.rows(&["sources"]).is_empty() && home.rows(&["search", CANARY]).is_empty());
}

#[test]
fn the_bot_in_the_documentation_works() {
    let document = std::fs::read_to_string(crate::harness::root().join("src-tauri/docs/webhook.md")).unwrap();
    let program = document.split("```python\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let served = Served::start();
    let (id, token) = webhook(&served.home);
    let bot = served.home.file("bot.py", program);
    let mut command = std::process::Command::new("python3");
    command
        .arg(bot)
        .env("KEEPSAKE_WEBHOOK", format!("http://{}/v1/in/{id}", served.host()))
        .env("KEEPSAKE_TOKEN", token)
        .env("ME", "mara");
    let events = r##"{"room":"#home","id":"1","time":"2026-03-02T10:00:00Z","from":"mara","text":"I live in Utrecht."}
{"room":"#home","id":"2","time":"2026-03-02T10:01:00Z","from":"ben","text":"The quokkaharmonium is late."}
"##;
    let told = crate::harness::rows(&crate::harness::finish(command, events.as_bytes()).ok());
    assert_eq!((told.len(), &told[1]["stored"]), (2, &1.into()), "{told:?}");
    let store = rusqlite::Connection::open(served.home.data().join("keepsake.db")).unwrap();
    let mut rows = store.prepare("SELECT role || ' ' || content FROM interactions ORDER BY seq").unwrap();
    let rows: Vec<String> = rows.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert_eq!(rows, ["owner I live in Utrecht.", "person The quokkaharmonium is late."]);
}
