//! Agents over HTTP and MCP: the answers of each interface, and every attempt to get more than a token allows.
//!
//! The clients are plain sockets and pipes, because a library would correct requests before sending them.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use keepsake_api::agents::ANSWER_STEP;
use serde_json::{Value, json};

use crate::harness::{Home, evening, finish, jsonl, root, rows, text};
use crate::http::{Answer, Served};

/// A secret that only a private conversation with someone else contains.
const PRIVATE: &str = "zanzibar";

/// Creates an agent and returns its token.
fn token(home: &Home, args: &[&str]) -> String {
    text(&home.json(&[&["agents", "add"], args].concat()), "token")
}

fn bearer(token: &str) -> String {
    format!("Bearer {token}")
}

/// Calls a tool over plain HTTP.
fn call(served: &Served, token: &str, tool: &str, request: &Value) -> Answer {
    let headers = [("Host", &*served.host()), ("Authorization", &*bearer(token)), ("Content-Type", "application/json")];
    served.raw(&format!("POST /v1/{tool}"), &headers, request.to_string().as_bytes())
}

/// The answer to a tool call that must succeed.
fn told(served: &Served, token: &str, tool: &str, request: &Value) -> Value {
    let answer = call(served, token, tool, request);
    assert_eq!(answer.status, 200, "{tool}: {}", answer.text());
    answer.json()
}

/// Sends an MCP message over HTTP.
fn mcp(served: &Served, token: &str, message: &Value) -> Answer {
    let headers = [
        ("Host", &*served.host()),
        ("Authorization", &*bearer(token)),
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", "2025-06-18"),
    ];
    served.raw("POST /mcp", &headers, message.to_string().as_bytes())
}

pub(crate) fn request(id: u32, method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

pub(crate) fn initialize() -> Value {
    let client = json!({ "name": "test", "version": "0" });
    request(1, "initialize", &json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client }))
}

/// A store with a public conversation, a conversation between the owner and an assistant, and one with someone else.
fn lived_in() -> Home {
    let home = Home::new();
    let dm = jsonl("dm-ben", &[("owner", "Mara", "The zanzibar money is in the blue tin."), ("person", "Ben", "Good to know.")]);
    home.read(&(evening() + &dm.replace("\"chat\"", "\"dm\"").replace("\"room\"", "\"ben\"")));
    home
}

/// The stdio server, used line by line.
pub(crate) struct StdioServer {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl StdioServer {
    pub(crate) fn start(home: &Home, agent: &str, log: &str) -> Self {
        let mut command = home.command(&["mcp", "--agent", agent]);
        command.env("KEEPSAKE_LOG", log).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, input, output }
    }

    pub(crate) fn send(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    /// The next line that the server writes, which must be a JSON-RPC message.
    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("only JSON-RPC ({error}): {line:?}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        message
    }

    pub(crate) fn ask(&mut self, message: &Value) -> Value {
        self.send(message);
        self.next()
    }

    pub(crate) fn tool(&mut self, name: &str, arguments: &Value) -> Value {
        self.ask(&request(7, "tools/call", &json!({ "name": name, "arguments": arguments })))["result"].clone()
    }

    /// Closes the input and waits for the process. Returns whether it succeeded, and the rest of its output.
    pub(crate) fn end(mut self) -> (bool, String) {
        drop(self.input.take());
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut self.output, &mut rest).unwrap();
        (self.child.wait().unwrap().success(), rest)
    }
}

impl Drop for StdioServer {
    fn drop(&mut self) {
        // The process has usually exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn an_agent_reads_and_writes_over_http_and_its_suggestion_waits() {
    let served = Served::on(lived_in());
    let nova = token(&served.home, &["Nova"]);
    let messages = json!([
        { "id": "1", "role": "user", "text": "By the way, my sister Ana moved to Ghent last week." },
        { "id": "2", "role": "assistant", "text": "Noted." },
    ]);
    let append = json!({ "conversation": "c1", "title": "Moving", "messages": messages });
    let first = told(&served, &nova, "append", &append);
    assert_eq!((&first["stored"], &first["known"]), (&json!(2), &json!(0)));
    let again = told(&served, &nova, "append", &append);
    assert_eq!((&again["stored"], &again["known"]), (&json!(0), &json!(2)), "sent again, nothing is added");
    let quote = json!({ "conversation": "c1", "quote": "my sister Ana moved to Ghent", "category": "relationship" });
    let made = told(&served, &nova, "remember", &quote);
    assert_eq!(made["status"], "pending");
    let suggested = served
        .home
        .rows(&["memories", "--status", "pending"])
        .into_iter()
        .filter(|row| row["proposers"].to_string().contains("agent:nova"));
    assert_eq!(suggested.count(), 1, "it waits for the owner");
    assert!(served.home.ids("active").is_empty(), "nothing is active by itself");
    let found = told(&served, &nova, "search", &json!({ "query": "Ghent" }));
    assert!(found["hits"].as_array().unwrap().iter().any(|hit| hit["text"].as_str().unwrap().contains("Ghent")), "{found}");
    assert_eq!(told(&served, &nova, "end_session", &json!({ "conversation": "c1" }))["is_new"], true);
    for tool in ["context", "people", "topics", "playbooks", "gaps"] {
        told(&served, &nova, tool, &json!({}));
    }
    let ana = told(&served, &nova, "people", &json!({ "query": "Ana" }));
    let handle = ana["people"][0]["handles"][0].as_str().unwrap();
    let resolved = told(&served, &nova, "resolve", &json!({ "handle": handle }));
    assert_eq!(resolved["person"]["id"], ana["people"][0]["id"]);
    assert_eq!(told(&served, &nova, "resolve", &json!({ "handle": "matrix:@nobody:x" }))["person"], Value::Null);
    let log = served.home.rows(&["agents", "list"]);
    assert!(log[0]["reads"].as_u64().unwrap() >= 8, "every read is logged: {}", log[0]);
}

#[test]
fn a_request_without_a_valid_token_is_refused_and_always_in_the_same_words() {
    let served = Served::on(lived_in());
    let nova = token(&served.home, &["Nova"]);
    let gone = token(&served.home, &["Gone"]);
    served.home.run(&["agents", "remove", "Gone"]).ok();
    let (host, owner) = (served.host(), served.bearer());
    let given = [
        None,
        Some(String::new()),
        Some("Bearer ".to_owned()),
        Some(bearer(&nova[..nova.len() - 1])),
        Some(bearer(&format!("{nova}0"))),
        Some(bearer(&nova).replace("Bearer", "Basic")),
        Some(nova.clone()),
        Some(bearer(&gone)),
        // The window's own key is not an agent's token.
        Some(owner),
    ];
    let mut answers = Vec::new();
    for authorization in &given {
        for line in ["POST /v1/context", "POST /v1/nothing", "GET /v1/events", "POST /mcp", "GET /mcp", "DELETE /mcp"] {
            let mut headers = vec![("Host", host.as_str()), ("Content-Type", "application/json")];
            headers.extend(authorization.as_deref().map(|given| ("Authorization", given)));
            let answer = served.raw(line, &headers, b"{}");
            assert_eq!(answer.status, 401, "{line} with {authorization:?}: {}", answer.text());
            answers.push(answer.text());
        }
    }
    answers.dedup();
    assert_eq!(answers.len(), 1, "who is wrong in which way is not told: {answers:?}");
    let as_owner = served.raw(
        "POST /rpc",
        &[("Host", &host), ("Authorization", &bearer(&nova)), ("Content-Type", "application/json")],
        br#"{"cmd":"app_status"}"#,
    );
    assert_eq!(as_owner.status, 401, "an agent's token does not open the window");
    assert_eq!(call(&served, &nova, "context", &json!({})).status, 200, "control: the right one is served");
}

#[test]
fn other_hosts_and_origins_are_refused_for_agents_too() {
    let served = Served::start();
    let nova = bearer(&token(&served.home, &["Nova"]));
    let host = served.host();
    let own = format!("http://{host}");
    let check = |headers: &[(&str, &str)], expect: u16| {
        for line in ["POST /v1/context", "POST /mcp"] {
            let accept = ("Accept", "application/json, text/event-stream");
            let all = [headers, &[("Authorization", nova.as_str()), ("Content-Type", "application/json"), accept]].concat();
            let answer = served.raw(line, &all, initialize().to_string().as_bytes());
            let is_mcp = line.ends_with("mcp");
            // The same body is not a context request.
            let expect = if expect == 200 && !is_mcp { 400 } else { expect };
            assert_eq!(answer.status, expect, "{line} {headers:?}: {}", answer.text());
        }
    };
    check(&[("Host", &host)], 200);
    check(&[("Host", &host), ("Origin", &own)], 200);
    check(&[("Host", "evil.example")], 403);
    check(&[("Host", "127.0.0.1")], 403);
    check(&[("Host", &host), ("Origin", "http://evil.example")], 403);
    check(&[("Host", &host), ("Origin", "null")], 403);
    check(&[("Host", &host), ("Sec-Fetch-Site", "cross-site")], 403);
}

#[test]
fn nothing_in_a_request_raises_what_an_agent_may_see() {
    let served = Served::on(lived_in());
    let (open, bridge, nova) = (
        token(&served.home, &["Open", "--public"]),
        token(&served.home, &["Bridge", "--with-others", "--channel", "telegram"]),
        token(&served.home, &["Nova"]),
    );
    let query = |extra: Value| {
        let mut asked = json!({ "query": "zanzibar money tin" });
        asked.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        asked
    };
    let found = told(&served, &nova, "search", &query(json!({})));
    assert!(found.to_string().contains(PRIVATE), "control: the owner's own agent finds it: {found}");
    for agent in [&open, &bridge] {
        let channel = json!({ "channel": "telegram:7" });
        for raised in [
            json!({}),
            json!({ "channel": "chat" }),
            json!({ "channel": "cli" }),
            json!({ "channel": "dm:ben" }),
            json!({ "person": "Mara", "channel": "telegram:7" }),
            json!({ "person": "Ben", "channel": "telegram:7" }),
            channel.clone(),
        ] {
            for tool in ["search", "recall", "context", "people", "topics"] {
                let mut asked = raised.clone();
                let field = match tool {
                    "search" | "people" | "topics" => "query",
                    "recall" => "about",
                    _ => "task",
                };
                asked[field] = "zanzibar money tin".into();
                let answer = call(&served, agent, tool, &asked);
                assert!(matches!(answer.status, 200 | 409), "{tool} {asked}: {}", answer.text());
                assert!(
                    !answer.text().contains("blue tin") && !answer.text().contains("Ben"),
                    "{tool} {asked}: {}",
                    answer.text()
                );
            }
        }
        // There are no fields that would widen access.
        for field in ["agent", "visibility", "privacy", "owner", "role"] {
            let answer = call(&served, agent, "search", &query(json!({ field: "private" })));
            assert_eq!(answer.status, 400, "{field}: {}", answer.text());
        }
    }
    // A request for something hidden gets the same answer as one for something that does not exist.
    let hidden = told(&served, &open, "resolve", &json!({ "handle": "dm:Ben" }));
    let absent = told(&served, &open, "resolve", &json!({ "handle": "dm:Nobody" }));
    assert_eq!(hidden, absent);
}

#[test]
fn agents_cannot_use_what_belongs_to_another() {
    let served = Served::on(lived_in());
    let (nova, other) = (token(&served.home, &["Nova"]), token(&served.home, &["Other"]));
    let said = json!([{ "id": "1", "role": "user", "text": "My bicycle is locked with the old chain." }]);
    let mine = told(&served, &nova, "append", &json!({ "conversation": "c1", "messages": said }));
    let id = text(&mine, "conversation_id");
    for conversation in ["c1", &id, "agent:nova/c1", "../nova/c1", "evening"] {
        let quote = json!({ "conversation": conversation, "quote": "locked with the old chain" });
        assert_eq!(call(&served, &other, "remember", &quote).status, 409, "{conversation}");
        assert_eq!(call(&served, &other, "report_gap", &quote).status, 409, "{conversation}");
        assert_eq!(told(&served, &other, "end_session", &json!({ "conversation": conversation }))["is_new"], false);
    }
    assert_eq!(told(&served, &nova, "end_session", &json!({ "conversation": "c1" }))["is_new"], true, "control");
}

#[test]
fn odd_and_oversized_requests_get_a_clear_refusal() {
    let served = Served::start();
    let nova = token(&served.home, &["Nova"]);
    let check = |tool: &str, body: &str, expect: u16| {
        let headers = [("Host", &*served.host()), ("Authorization", &*bearer(&nova)), ("Content-Type", "application/json")];
        let answer = served.raw(&format!("POST /v1/{tool}"), &headers, body.as_bytes());
        assert_eq!(answer.status, expect, "{tool} {:.80}: {}", body, answer.text());
        if expect != 413 {
            assert!(!text(&answer.json(), "message").is_empty(), "what to do is said");
        }
    };
    check("nothing", "{}", 404);
    check("context", "{", 400);
    check("context", "[]", 400);
    check("context", r#"{"as_of":"yesterday"}"#, 400);
    check("search", "{}", 400);
    check("append", r#"{"conversation":"c","messages":[]}"#, 409);
    check("append", r#"{"conversation":"","messages":[{"id":"1","role":"user","text":"x"}]}"#, 409);
    check("append", r#"{"conversation":"c","messages":[{"id":"1","role":"owner","text":"x"}]}"#, 400);
    check("append", r#"{"conversation":"c","messages":[{"id":"1","role":"user","text":"  "}]}"#, 409);
    check("append", r#"{"conversation":"a\nb","messages":[{"id":"1","role":"user","text":"x"}]}"#, 409);
    check("resolve", r#"{"handle":"mara"}"#, 400);
    let many: Vec<Value> = (0..201).map(|n| json!({ "id": n.to_string(), "role": "user", "text": "x" })).collect();
    check("append", &json!({ "conversation": "c", "messages": many }).to_string(), 409);
    let long = json!({ "conversation": "c", "messages": [{ "id": "1", "role": "user", "text": "x".repeat(3 * 1024 * 1024) }] });
    check("append", &long.to_string(), 409);
    let huge = json!({ "conversation": "c", "messages": [{ "id": "1", "role": "user", "text": "x".repeat(5 * 1024 * 1024) }] });
    check("append", &huge.to_string(), 413);
}

#[test]
fn a_suggestion_does_not_tell_what_the_owner_keeps_or_dismissed() {
    let home = lived_in();
    let waiting = home.rows(&["memories", "--status", "pending"]);
    let id = |word: &str| text(waiting.iter().find(|row| text(row, "content").contains(word)).expect(word), "id");
    home.run(&["approve", &id("peanuts")]).ok();
    home.run(&["reject", &id("cello")]).ok();
    let served = Served::on(home);
    // An agent that may see only public data and invents statements by its user to find out what is remembered elsewhere.
    let spy = token(&served.home, &["Spy", "--public"]);
    let answers: Vec<Value> = [
        ("I'm allergic to peanuts.", "kept"),
        ("I've been learning to play the cello for three years now.", "dismissed"),
        ("I'm allergic to walnuts.", "never said"),
    ]
    .iter()
    .flat_map(|(words, conversation)| {
        let said = json!([{ "id": "1", "role": "user", "text": words }]);
        told(&served, &spy, "append", &json!({ "conversation": conversation, "messages": said }));
        let quote = json!({ "conversation": conversation, "quote": words });
        [told(&served, &spy, "remember", &quote), told(&served, &spy, "report_gap", &quote)]
    })
    .collect();
    assert!(answers.iter().all(|answer| *answer == json!({ "status": "pending" })), "{answers:?}");
    let new = served.home.rows(&["memories", "--status", "pending"]);
    let suggested: Vec<String> =
        new.iter().filter(|row| row["proposers"].to_string().contains("agent:spy")).map(|row| text(row, "content")).collect();
    assert!(suggested.iter().any(|content| content.contains("walnuts")), "control: the new one does wait: {suggested:?}");
    assert!(!suggested.iter().any(|content| content.contains("cello")), "control: the dismissed one does not: {suggested:?}");
}

#[test]
fn a_context_keeps_to_its_size_in_characters_and_in_tokens() {
    let home = lived_in();
    let pending = home.ids("pending");
    home.run(&[&["approve"], &pending.iter().map(String::as_str).collect::<Vec<_>>()[..]].concat()).ok();
    let served = Served::on(home);
    let nova = token(&served.home, &["Nova"]);
    let chars = |size: Value| {
        let mut asked = json!({ "task": "I'm allergic to peanuts, where do I live with my sister Ana?" });
        asked.as_object_mut().unwrap().extend(size.as_object().unwrap().clone());
        told(&served, &nova, "context", &asked)["text"].as_str().unwrap().chars().count()
    };
    let whole = chars(json!({}));
    assert!(whole > 150, "control: there is more to tell than the sizes below allow: {whole}");
    for (size, most) in [
        (json!({ "max_chars": 120 }), 120),
        (json!({ "max_tokens": 40 }), 120),
        (json!({ "max_chars": 120, "max_tokens": 400 }), 120),
        (json!({ "max_chars": 6_000, "max_tokens": 40 }), 120),
    ] {
        let told = chars(size.clone());
        assert!(told <= most && told > 0, "{size}: {told}");
    }
}

#[test]
fn an_agent_that_has_run_wild_is_slowed_and_others_are_not() {
    let served = Served::start();
    let (wild, calm) = (token(&served.home, &["Wild"]), token(&served.home, &["Calm"]));
    let statuses: Vec<u16> = (0..400).map(|_| call(&served, &wild, "nothing", &json!({})).status).collect();
    let slowed = statuses.iter().filter(|status| **status == 429).count();
    assert!(slowed > 0, "some calls must wait");
    assert!(statuses.iter().filter(|status| **status == 404).count() >= 200, "a burst is taken");
    assert_eq!(call(&served, &calm, "context", &json!({})).status, 200);
}

#[test]
fn a_paused_agent_gets_nothing_and_a_resumed_one_goes_on() {
    let served = Served::on(lived_in());
    let nova = token(&served.home, &["Nova"]);
    served.home.run(&["agents", "pause", "nova"]).ok();
    for (tool, request) in [
        ("context", json!({})),
        ("search", json!({ "query": "Porto" })),
        ("topics", json!({})),
        ("append", json!({ "conversation": "c", "messages": [{ "id": "1", "role": "user", "text": "Hello there." }] })),
    ] {
        let answer = call(&served, &nova, tool, &request);
        assert_eq!(answer.status, 409, "{tool}: {}", answer.text());
        assert!(answer.text().contains("paused"), "{}", answer.text());
    }
    served.home.run(&["agents", "resume", "nova"]).ok();
    assert_eq!(call(&served, &nova, "context", &json!({})).status, 200);
}

#[test]
fn the_document_describes_every_tool_with_its_schemas() {
    let served = Served::start();
    let document = served.raw("GET /v1/openapi.json", &[("Host", &served.host())], b"").json();
    let paths = document["paths"].as_object().unwrap();
    assert_eq!(paths.len(), 13, "twelve tools and the events: {:?}", paths.keys());
    for (path, methods) in paths.iter().filter(|(path, _)| *path != "/v1/events") {
        let schema = |part: &Value| part["content"]["application/json"]["schema"].clone();
        let (asked, told) = (schema(&methods["post"]["requestBody"]), schema(&methods["post"]["responses"]["200"]));
        for schema in [&asked, &told] {
            assert_eq!(schema["type"], "object", "{path}: {schema}");
            assert!(!schema.to_string().contains("$ref"), "{path} stands alone: {schema}");
        }
        let fields = asked["properties"].as_object().unwrap();
        assert!(fields.values().all(|field| field["description"].is_string()), "{path}: every field is described: {asked}");
        for raising in ["agent", "visibility", "privacy", "owner"] {
            assert!(!fields.contains_key(raising), "{path} cannot name {raising}");
        }
    }
}

#[test]
fn mcp_over_http_serves_the_agent_of_the_token_and_each_request_alone() {
    let served = Served::on(lived_in());
    let (nova, open) = (token(&served.home, &["Nova"]), token(&served.home, &["Open", "--public"]));
    let hello = mcp(&served, &nova, &initialize());
    assert_eq!(hello.status, 200, "{}", hello.text());
    assert_eq!(hello.json()["result"]["protocolVersion"], "2025-06-18");
    assert!(hello.header("mcp-session-id").is_none(), "there are no sessions to lose");
    let search = request(2, "tools/call", &json!({ "name": "search", "arguments": { "query": "zanzibar money tin" } }));
    let found = mcp(&served, &nova, &search).json();
    assert!(found["result"]["content"][0]["text"].as_str().unwrap().contains("blue tin"), "{found}");
    assert_eq!(found["result"]["structuredContent"]["is_nearest_only"], false);
    assert!(!mcp(&served, &open, &search).text().contains("blue tin"), "another token, another agent");
    let old = [
        ("Host", &*served.host()),
        ("Authorization", &*bearer(&nova)),
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", "2024-11-05"),
    ];
    let refused = served.raw("POST /mcp", &old, search.to_string().as_bytes());
    assert_eq!(refused.status, 400, "a revision that is not claimed");
    assert_eq!(refused.json()["error"]["data"]["supported"], json!(["2025-06-18", "2025-11-25", "2026-07-28"]));
}

#[test]
fn mcp_on_standard_input_writes_json_rpc_only_under_any_log_level_and_ends_with_its_input() {
    let home = lived_in();
    for log in ["error", "trace"] {
        let mut server = StdioServer::start(&home, "Nova", log);
        let hello = server.ask(&initialize());
        assert_eq!(hello["result"]["serverInfo"]["name"], "keepsake");
        server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        let tools = server.ask(&request(2, "tools/list", &json!({})));
        let tools = tools["result"]["tools"].as_array().unwrap();
        assert_eq!(tools.len(), 12);
        assert!(tools.iter().all(|tool| tool["description"].as_str().unwrap().len() < 300), "few words cost few tokens");
        let answer = server.tool("search", &json!({ "query": "Porto" }));
        let said = answer["content"][0]["text"].as_str().unwrap();
        assert!(said.starts_with("What follows are quotations") && said.contains("[1]"), "fenced and numbered: {said}");
        let wrong = server.tool("search", &json!({}));
        assert_eq!(wrong["isError"], true, "the model reads what is missing: {wrong}");
        let unknown = server.ask(&request(3, "tools/call", &json!({ "name": "erase_everything", "arguments": {} })));
        assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
        let broken = server.ask(&request(4, "tools/call", &json!({ "arguments": "x" })));
        assert_eq!(broken["error"]["code"], -32602, "{broken}");
        let (succeeded, rest) = server.end();
        assert!(succeeded && rest.is_empty(), "{rest}");
    }
    let (succeeded, rest) = StdioServer::start(&home, "Nova", "error").end();
    assert!(succeeded && rest.is_empty(), "input that ends before the first message is no failure: {rest}");
}

#[test]
fn resources_and_the_prompt_serve_what_the_tools_do() {
    let home = lived_in();
    let mut server = StdioServer::start(&home, "Nova", "error");
    server.ask(&initialize());
    server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let templates = server.ask(&request(2, "resources/templates/list", &json!({})));
    let listed = templates["result"]["resourceTemplates"].as_array().unwrap();
    assert_eq!(listed.len(), 2, "a person and a topic: {templates}");
    let read = server.ask(&request(3, "resources/read", &json!({ "uri": "keepsake://person/Ana" })));
    assert!(read["result"]["contents"][0]["text"].is_string(), "{read}");
    for uri in ["keepsake://topic/top_0", "keepsake://person/", "file:///etc/passwd", "keepsake://person/%ff"] {
        let absent = server.ask(&request(4, "resources/read", &json!({ "uri": uri })));
        assert_eq!(absent["error"]["code"], -32002, "{uri}: {absent}");
    }
    let prompts = server.ask(&request(5, "prompts/list", &json!({})));
    assert_eq!(prompts["result"]["prompts"][0]["name"], "load-my-context");
    let loaded =
        server.ask(&request(6, "prompts/get", &json!({ "name": "load-my-context", "arguments": { "task": "Plan a trip" } })));
    assert!(loaded["result"]["messages"][0]["content"]["text"].is_string(), "{loaded}");
    server.end();
    let reads = rows(&home.run(&["agents", "--json"]).ok());
    assert!(reads.iter().any(|row| row["name"] == "Nova" || row["name"] == "nova"), "{reads:?}");
}

#[test]
fn a_killed_server_keeps_what_it_acknowledged() {
    let home = Home::new();
    for round in 0..3 {
        let mut server = StdioServer::start(&home, "Nova", "error");
        server.ask(&initialize());
        server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        for n in 0..5 {
            let id = format!("{round}-{n}");
            let said = json!([{ "id": id, "role": "user", "text": format!("Line {id} of the talk.") }]);
            let answer = server.tool("append", &json!({ "conversation": "c1", "messages": said }));
            assert_eq!(answer["structuredContent"]["stored"], 1, "{answer}");
        }
        // The server is killed, not shut down.
        drop(server);
        let conversation = &home.rows(&["conversations"])[0];
        assert_eq!(conversation["messages"], (round + 1) * 5, "what was acknowledged is there: {conversation}");
    }
    home.run(&["verify"]).ok();
}

#[test]
fn without_a_window_only_agents_are_served() {
    let home = Home::new();
    let nova = token(&home, &["Nova"]);
    let mut child = home.command(&["serve", "--no-ui", "--json"]).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let port = serde_json::from_str::<Value>(&line).unwrap()["port"].as_u64().unwrap();
    let ask = |path: &str, token: &str| {
        let mut stream = std::net::TcpStream::connect(("127.0.0.1", port as u16)).unwrap();
        let head =
            format!("POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n");
        write!(stream, "{head}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{{}}").unwrap();
        let mut answer = String::new();
        std::io::Read::read_to_string(&mut stream, &mut answer).unwrap();
        answer.split(' ').nth(1).unwrap().to_owned()
    };
    assert_eq!(ask("/v1/context", &nova), "200");
    assert_eq!(ask("/index.html", &nova), "405");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn the_calls_in_the_readme_work_as_they_are_written() {
    let served = Served::start();
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let example = readme.split("```").find(|block| block.contains("keepsake agents add mybot")).expect("the example is there");
    let calls = &example[example.find("curl").unwrap()..];
    let count = calls.matches("curl -s ").count();
    assert!(count >= 4, "control: the calls are found: {calls}");
    let script = calls
        .replace("localhost:7447", &format!("localhost:{}", served.port))
        .replace("curl -s ", "curl -sS --noproxy '*' -w '\nstatus %{http_code}\n' ");
    let mut shell = Command::new("sh");
    shell.args(["-ec", &script]).env("TOKEN", token(&served.home, &["mybot"]));
    let told = finish(shell, b"").ok();
    assert_eq!(told.matches("\nstatus 200").count(), count, "{told}");
    assert!(told.contains("\"stored\":1") && told.contains("pending") && told.contains("openapi"), "{told}");
}

#[test]
fn an_agent_that_may_be_told_less_gets_every_answer_at_a_step_of_time() {
    let served = Served::on(lived_in());
    let (open, nova) = (token(&served.home, &["Open", "--public"]), token(&served.home, &["Nova"]));
    let quickest = |token: &str| {
        let times = (0..20).map(|_| {
            let began = Instant::now();
            call(&served, token, "resolve", &json!({ "handle": "dm:Ben" }));
            began.elapsed()
        });
        times.min().unwrap()
    };
    assert!(quickest(&open) >= ANSWER_STEP, "it is never told how soon the answer was there");
    assert!(quickest(&nova) < quickest(&open), "control: the owner's own agent is");
}
