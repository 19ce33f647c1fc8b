//! Hidden data does not affect what an agent is told: every tool, resource and prompt gives exactly the same answers in two
//! stores that differ only in what is hidden from the agent.
//!
//! The second store is a copy of the first, with hidden conversations and the memories that the owner approved from them added.
//! So the same items have the same ids in both. The list of tools comes from the server: a new tool fails this test until it is
//! covered here.

use serde_json::{Value, json};

use crate::agents::{StdioServer, initialize, request};
use crate::harness::{Home, evening, jsonl, text};

/// Number of hidden conversations that are added, each in a different form.
const ADDITIONS: usize = 3;

/// Words that only hidden conversations contain, one per conversation.
pub(crate) const SECRETS: [&str; ADDITIONS] = ["zanzibar", "quokka", "periwinkle"];

/// Number of hexadecimal digits in an id.
const ID_DIGITS: usize = 32;

/// A private conversation with someone else. Each also repeats words of the open conversations, so that a hidden statement
/// could absorb an open one, outrank it, or make it look better known.
fn hidden(addition: usize) -> String {
    let secret = SECRETS[addition];
    let said = format!("I live in Porto with my sister Ana. The word is {secret}. I love {secret}.");
    let talks: [&[(&str, &str, &str)]; ADDITIONS] = [
        &[
            ("owner", "Mara", &said),
            ("person", "Ben", "I'm allergic to peanuts, and so are you."),
            ("owner", "Mara", "I moved to Oslo."),
        ],
        &[
            ("owner", "Mara", "I work as a pilot. I no longer play the cello."),
            ("person", "Cleo", &said),
            ("owner", "Mara", &said),
        ],
        &[
            ("owner", "Mara", &said),
            ("assistant", "Nova", "I can't export your notes."),
            ("owner", "Mara", "Can you export my notes?"),
        ],
    ];
    let mut all = String::new();
    for copy in 0..=addition {
        let talk = jsonl(&format!("hidden-{addition}-{copy}"), talks[addition]);
        all +=
            &talk.replace("\"chat\"", "\"dm\"").replace("\"room\"", "\"ben\"").replace("2026-01-05", &format!("2026-02-1{copy}"));
    }
    all
}

/// The requests to a tool. They also ask for words and names from hidden conversations.
fn asks(tool: &str) -> Vec<Value> {
    let words = ["Porto", "Ben", "export my notes"].into_iter().chain(SECRETS);
    match tool {
        "context" => {
            let tasks = words.chain(["Plan a dinner for my sister"]).map(|task| json!({ "task": task }));
            let places =
                [json!({}), json!({ "person": "Ben" }), json!({ "channel": "dm:ben" }), json!({ "as_of": "2026-02-20" })];
            tasks.chain(places).collect()
        }
        "search" => words
            .flat_map(|word| [json!({ "query": word, "limit": 50 }), json!({ "query": format!("person:{word}") })])
            .chain([json!({ "query": "channel:dm" }), json!({ "query": "Porto", "limit": 1, "offset": 1 })])
            .collect(),
        "recall" => {
            let about = words.chain(["Ana", "Mara"]).map(|about| json!({ "about": about }));
            about.chain([json!({ "about": "Ana", "as_of": "2026-01-06" })]).collect()
        }
        "people" | "topics" => words.map(|query| json!({ "query": query })).chain([json!({}), json!({ "limit": 1 })]).collect(),
        "resolve" => ["chat:Ana", "chat:Ben", "dm:Ben", "dm:Ana", "dm:Mara"].map(|handle| json!({ "handle": handle })).into(),
        "playbooks" | "gaps" => vec![json!({}), json!({ "limit": 50 }), json!({ "channel": "dm" })],
        "append" => {
            let said = |id: &str, text: &str| json!([{ "id": id, "role": "user", "text": text, "time": "2026-03-01T10:00:00Z" }]);
            let mine =
                json!({ "conversation": "talk", "channel": "chat", "messages": said("1", "I moved to Oslo. I love quokka.") });
            // The name of a hidden conversation, and a place that is closed to it.
            let foreign = json!({ "conversation": "hidden-0-0", "channel": "chat", "messages": said("m1", "Hello there.") });
            vec![mine.clone(), mine, foreign]
        }
        "remember" => ["I moved to Oslo", "I love quokka", "The word is zanzibar"]
            .into_iter()
            .flat_map(|quote| ["talk", "hidden-0-0"].map(|talk| json!({ "conversation": talk, "quote": quote })))
            .collect(),
        "end_session" => ["talk", "hidden-0-0", "hidden-1-0"].map(|talk| json!({ "conversation": talk })).into(),
        "report_gap" => {
            let quotes = ["I moved to Oslo", "Can you export my notes", "I love quokka"];
            let asks = |quote: &str| ["talk", "hidden-2-0"].map(|talk| json!({ "conversation": talk, "quote": quote }));
            quotes.into_iter().flat_map(asks).collect()
        }
        _ => panic!("the tool {tool} is not asked here yet; add what it is asked"),
    }
}

/// Everything that an agent can ask, with the answers. The tools that write come last, because they change what is read.
/// `place` holds whom the agent talks with and where; for an agent that names a place, only the tools that take one are called.
pub(crate) fn told(home: &Home, agent: &str, place: &Value) -> Vec<(String, Value)> {
    let mut server = StdioServer::start(home, agent, "error");
    server.ask(&initialize());
    server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let listed = server.ask(&request(2, "tools/list", &json!({})));
    let mut tools: Vec<Value> = listed["result"]["tools"].as_array().unwrap().clone();
    assert!(tools.len() >= 12, "{listed}");
    tools.sort_by_key(|tool| tool["annotations"]["readOnlyHint"] != true);
    let mut answers = vec![("tools/list".to_owned(), listed)];
    if let Some(place) = place.as_object() {
        for tool in tools.iter().filter(|tool| tool["inputSchema"]["properties"]["person"].is_object()) {
            let name = text(tool, "name");
            for mut ask in asks(&name) {
                ask.as_object_mut().unwrap().extend(place.clone());
                answers.push((format!("{name} {ask}"), server.tool(&name, &ask)));
            }
        }
        server.end();
        return answers;
    }
    for pass in [true, false] {
        for tool in tools.iter().filter(|tool| (tool["annotations"]["readOnlyHint"] == true) == pass) {
            let name = text(tool, "name");
            for ask in asks(&name) {
                answers.push((format!("{name} {ask}"), server.tool(&name, &ask)));
            }
        }
        let names = ["Ana", "Ben", "Mara", "zanzibar"].map(|name| format!("keepsake://person/{name}"));
        let resources = server.ask(&request(3, "resources/list", &json!({})));
        let listed = resources["result"]["resources"].as_array().into_iter().flatten().map(|resource| text(resource, "uri"));
        for uri in names.into_iter().chain(listed) {
            answers.push((uri.clone(), server.ask(&request(4, "resources/read", &json!({ "uri": uri })))));
        }
        answers.push(("resources/list".to_owned(), resources));
        for task in ["Plan a trip", "What is the word?", "zanzibar"] {
            let params = json!({ "name": "load-my-context", "arguments": { "task": task } });
            answers.push((format!("load-my-context {task}"), server.ask(&request(5, "prompts/get", &params))));
        }
    }
    server.end();
    let mut ids = Vec::new();
    answers.into_iter().map(|(asked, answer)| (asked, numbered(&answer.to_string(), &mut ids))).collect()
}

/// The answer with its ids numbered in order of appearance, because anything that an agent writes gets a random id.
fn numbered(answer: &str, ids: &mut Vec<String>) -> Value {
    let (mut told, mut rest) = (String::new(), answer);
    while let Some(at) = rest.find('_') {
        let (before, after) = rest.split_at(at + 1);
        told += before;
        let len = after.bytes().take_while(u8::is_ascii_hexdigit).count();
        rest = after;
        if len == ID_DIGITS {
            let (id, later) = after.split_at(len);
            let number = ids.iter().position(|known| known == id).unwrap_or_else(|| {
                ids.push(id.to_owned());
                ids.len() - 1
            });
            told += &format!("#{number}");
            rest = later;
        }
    }
    Value::String(told + rest)
}

pub(crate) fn approve_all(home: &Home) {
    let ids = home.ids("pending");
    let args: Vec<&str> = ["approve"].into_iter().chain(ids.iter().map(String::as_str)).collect();
    if !ids.is_empty() {
        home.run(&args).ok();
    }
    home.run(&["run-jobs", "--until-idle"]).ok();
}

#[test]
fn what_is_hidden_from_an_agent_changes_no_answer_of_any_tool_or_resource() {
    let open = Home::new();
    open.run(&["agents", "add", "Public", "--public"]).ok();
    open.run(&["agents", "add", "Host", "--with-others", "--channel", "dm"]).ok();
    open.run(&["agents", "add", "Everything"]).ok();
    let public = jsonl("town", &[("owner", "Mara", "I live in Porto."), ("person", "Ana", "Welcome to Porto!")]);
    let public = public.replace("\"channel_type\":\"chat\"", "\"channel_type\":\"forum\",\"visibility\":\"public\"");
    open.read(&(evening() + &public));
    approve_all(&open);
    let more = open.copied();
    more.read(&(0..ADDITIONS).map(hidden).collect::<String>());
    approve_all(&more);
    // An agent that may see nothing private, and one that talks with someone who was not there.
    for (agent, place) in [("Public", Value::Null), ("Host", json!({ "person": "chat:Ana", "channel": "dm:ana" }))] {
        // The agent writes, so each run uses a copy.
        let (here, there) = (told(&open.copied(), agent, &place), told(&more.copied(), agent, &place));
        assert_eq!(here.len(), there.len());
        let unread = here.iter().find(|(_, answer)| answer.to_string().contains("unknown field"));
        assert!(unread.is_none(), "control: each request is one that the tool takes: {unread:?}");
        for ((asked, here), (_, there)) in here.iter().zip(&there) {
            assert_eq!(here, there, "{agent} notices what is hidden by {asked}");
        }
        for secret in SECRETS {
            let leaks = there.iter().filter(|(asked, answer)| !asked.contains(secret) && answer.to_string().contains(secret));
            assert_eq!(leaks.count(), 0, "{agent} is told {secret}");
        }
    }
    let all = |home: &Home| told(&home.copied(), "Everything", &Value::Null);
    let differ = all(&open).iter().zip(&all(&more)).filter(|(here, there)| here.1 != there.1).count();
    assert!(differ > 5, "control: who may see everything does notice: {differ}");
}
