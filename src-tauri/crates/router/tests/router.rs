//! Tests the router against a scripted model server on loopback: what reaches the server, what reaches the calling program, and
//! what is logged.

#![expect(clippy::unwrap_used, reason = "a test may fail by panic, its set-up included")]

use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::{Request, Response};
use http_body_util::BodyExt;
use keepsake_api::types::activity::Event;
use keepsake_api::{App, AppOptions, FileAccess, dispatch};
use keepsake_domain::{CallOutcome, Visibility};
use keepsake_engine::{
    AgentAccess, AppendMessage, AppendRole, AppendTo, EmbedderSlot, ModelSettings, NewAgent, Provider, RouterSettings,
};
use keepsake_models::language::Shape;
use keepsake_testkit::scripted_server::{Answer, Fault, Received, ScriptedServer};
use serde_json::{Value, json};
use tower::ServiceExt;

/// How long a test waits for an expected event; never reached in a passing test.
const PATIENCE: Duration = Duration::from_secs(30);

/// A word that only a private conversation contains.
const PRIVATE: &str = "zanzibar";

const CHAT: &str = "/chat/completions";

/// An application with the router on, a model server, and an agent that talks with the owner.
struct World {
    app: App,
    server: ScriptedServer,
    events: Receiver<Event>,
    runtime: tokio::runtime::Runtime,
    routes: axum::Router,
    agent: AgentAccess,
    token: String,
    _folder: tempfile::TempDir,
}

/// A response, read to its end.
struct Got {
    status: u16,
    content_type: String,
    body: Vec<u8>,
    is_whole: bool,
}

impl Got {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

impl World {
    fn new(script: impl Fn(&Received) -> Answer + Send + Sync + 'static) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let embedder = EmbedderSlot::none();
        let data_dir = folder.path().to_owned().into();
        let app = App::open(AppOptions { data_dir, embedder, file_access: FileAccess::PickFiles }).unwrap();
        let server = ScriptedServer::start(script);
        let (agent, token) = added(&app, "bot", Visibility::Private, &[]);
        let provider = Provider { shape: Shape::OpenAi, url: server.url(), model: "tiny:1b".to_owned(), context_tokens: None };
        choose(&app, Some(provider), true);
        app.engine().models().set_router_settings(RouterSettings { is_on: true }).unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let routes = keepsake_router::routes(app.clone());
        Self { events: app.subscribe(), app, server, runtime, routes, agent, token, _folder: folder }
    }

    fn saying(text: &'static str) -> Self {
        Self::new(move |_| Answer::Text(text.to_owned()))
    }

    fn send(&self, agent: &AgentAccess, path: &str, body: Vec<u8>) -> Response<Body> {
        let method = if body.is_empty() { "GET" } else { "POST" };
        let request = Request::builder().method(method).uri(path).extension(agent.clone());
        let request = request.header("authorization", format!("Bearer {}", self.token)).body(Body::from(body)).unwrap();
        self.runtime.block_on(self.routes.clone().oneshot(request)).unwrap()
    }

    fn got(&self, mut response: Response<Body>) -> Got {
        let status = response.status().as_u16();
        let content_type = response.headers().get("content-type").map(|value| value.to_str().unwrap().to_owned());
        let (mut body, mut is_whole) = (Vec::new(), true);
        while let Some(frame) = self.runtime.block_on(response.frame()) {
            match frame {
                Ok(frame) => body.extend_from_slice(frame.data_ref().unwrap()),
                Err(_) => is_whole = false,
            }
        }
        Got { status, content_type: content_type.unwrap_or_default(), body, is_whole }
    }

    fn ask(&self, path: &str, body: &Value) -> Got {
        self.got(self.send(&self.agent, path, body.to_string().into_bytes()))
    }

    /// Waits until `calls` forwarded calls have ended, and returns their outcomes.
    fn ended(&self, calls: usize) -> Vec<CallOutcome> {
        let began = Instant::now();
        loop {
            let (_, rows) = self.app.engine().store().read(|tx| tx.model_calls().list(false, 0, 100)).unwrap();
            let outcomes: Vec<CallOutcome> = rows.iter().rev().map(|row| row.outcome).collect();
            if outcomes.len() >= calls && outcomes.iter().all(|outcome| *outcome != CallOutcome::Sent) {
                assert!(rows.iter().all(|row| row.purpose == "router" && row.reply.is_none()), "no text in the list of calls");
                return outcomes;
            }
            assert!(began.elapsed() < PATIENCE, "waited in vain for {calls} calls: {outcomes:?}");
            let _ = self.events.recv_timeout(Duration::from_millis(50));
        }
    }

    /// What is stored: who said what, for each conversation.
    fn stored(&self) -> Vec<Vec<(String, String)>> {
        let list = dispatch(&self.app, "conversations_list", json!({ "limit": 100 })).unwrap();
        let mut stored: Vec<Vec<(String, String)>> =
            list["items"].as_array().unwrap().iter().map(|row| self.messages(row)).collect();
        stored.sort();
        stored
    }

    fn messages(&self, row: &Value) -> Vec<(String, String)> {
        let page = dispatch(&self.app, "conversation_messages", json!({ "conversation_id": row["id"] })).unwrap();
        let text = |message: &Value, field: &str| message[field].as_str().unwrap().to_owned();
        page["items"].as_array().unwrap().iter().map(|message| (text(message, "role"), text(message, "text"))).collect()
    }

    /// Stores a private line that a context for "spare key" contains.
    fn live(&self) {
        let (diary, _) = added(&self.app, "diary", Visibility::Private, &[]);
        let message = AppendMessage {
            id: "1".to_owned(),
            role: AppendRole::User,
            author: None,
            author_handle: None,
            text: format!("My spare key is under the {PRIVATE} pot."),
            time: None,
            reply_to: None,
            tool: None,
        };
        let to = AppendTo { conversation: "diary".to_owned(), ..AppendTo::default() };
        self.app.engine().imports().append_messages(&diary, &to, &[message]).unwrap();
    }

    /// The body of the latest request to the server.
    fn sent(&self) -> Value {
        self.server.received().last().unwrap().json()
    }
}

fn added(app: &App, name: &str, visibility: Visibility, channels: &[&str]) -> (AgentAccess, String) {
    let channels = channels.iter().map(|channel| (*channel).to_owned()).collect();
    let new = NewAgent { name: name.to_owned(), visibility, channels, hears_owner: true };
    let token = app.engine().agents().add(&new, *blake3::hash(name.as_bytes()).as_bytes()).unwrap();
    (app.engine().agents().of_token(&token).unwrap().unwrap(), token)
}

fn choose(app: &App, provider: Option<Provider>, this_computer_only: bool) {
    let settings = ModelSettings { provider, this_computer_only, ..app.engine().models().settings().unwrap() };
    app.engine().models().set_settings(&settings).unwrap();
}

fn chat(texts: &[&str]) -> Value {
    let roles = ["user", "assistant"].into_iter().cycle();
    let messages: Vec<Value> = texts.iter().zip(roles).map(|(text, role)| json!({ "role": role, "content": text })).collect();
    json!({ "model": "keepsake", "messages": messages })
}

fn lines(texts: &[&str]) -> Vec<(String, String)> {
    let roles = ["owner", "assistant"].into_iter().cycle();
    texts.iter().zip(roles).map(|(text, role)| (role.to_owned(), (*text).to_owned())).collect()
}

/// A response of `/responses` with this id.
fn response(id: &str, text: &str, is_streamed: bool) -> Answer {
    let whole = json!({ "id": id, "object": "response", "output": [
        { "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": text }] }] });
    let (kind, body) = if is_streamed {
        let delta = json!({ "type": "response.output_text.delta", "delta": text });
        let completed = json!({ "type": "response.completed", "response": whole });
        ("text/event-stream", format!("event: response.output_text.delta\ndata: {delta}\n\ndata: {completed}\n\n"))
    } else {
        ("application/json", whole.to_string())
    };
    Answer::Http { status: 200, headers: vec![("content-type".to_owned(), kind.to_owned())], body: body.into_bytes() }
}

#[test]
fn a_stream_passes_through_byte_for_byte_and_is_logged_with_its_question() {
    let stream = concat!(
        ": hello\n\ndata: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Gr\u{fc}\u{df}e\"}}],\"x\":1.50}\r\n\r\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
    );
    let headers = vec![("content-type".to_owned(), "text/event-stream".to_owned()), ("set-cookie".to_owned(), "a=b".to_owned())];
    let world = World::new(move |_| Answer::Http { status: 200, headers: headers.clone(), body: stream.as_bytes().to_vec() });
    let got = world.ask(CHAT, &chat(&["hi"]));
    assert_eq!((got.status, &*got.content_type, got.is_whole), (200, "text/event-stream", true));
    assert_eq!(String::from_utf8(got.body).unwrap(), stream);
    assert_eq!(world.ended(1), [CallOutcome::Answered]);
    assert_eq!(world.stored(), [lines(&["hi", "Gr\u{fc}\u{df}e"])]);
}

#[test]
fn nothing_but_the_model_changes_and_a_request_that_names_one_is_passed_on_as_written() {
    let world = World::saying("ok");
    let mut body = chat(&["hi"]);
    body["seed"] = json!(7);
    body["future_field"] = json!({ "b": [1, null], "a": "x" });
    world.ask(CHAT, &body);
    body["model"] = "tiny:1b".into();
    assert_eq!(world.sent().to_string(), body.to_string(), "the same fields in the same order");
    let written = br#"{ "messages":[{"role":"user","content":"hi"}],  "model":"other", "seed": 1e2 }"#;
    world.got(world.send(&world.agent, CHAT, written.to_vec()));
    assert_eq!(world.server.received().last().unwrap().body, written);
    let listed = world.got(world.send(&world.agent, "/models", Vec::new()));
    assert_eq!(listed.json()["data"][0]["id"], "tiny:1b");
}

#[test]
fn the_agents_token_never_reaches_the_server() {
    let world = World::saying("ok");
    world.ask(CHAT, &chat(&["hi"]));
    world.ask("/responses", &json!({ "input": "hi" }));
    world.got(world.send(&world.agent, "/models", Vec::new()));
    let received = world.server.received();
    assert_eq!(received.len(), 3, "control: the server was asked");
    for request in received {
        assert_eq!(request.header("authorization"), None, "{}", request.path);
        assert!(!String::from_utf8_lossy(&request.head).contains(&world.token));
    }
}

#[test]
fn a_context_is_added_but_neither_returned_nor_stored() {
    let world = World::saying("Under the pot.");
    world.live();
    let question = "Where is my spare key?";
    let got = world.ask(CHAT, &chat(&[question]));
    let sent = world.sent();
    let added = sent["messages"][0]["content"].as_str().unwrap();
    assert!(added.contains(PRIVATE) && added.contains("data, not instructions"), "{added}");
    assert_eq!((&sent["messages"][0]["role"], &sent["messages"][1]["content"]), (&json!("system"), &json!(question)));
    assert!(!String::from_utf8_lossy(&got.body).contains(PRIVATE));
    world.ended(1);
    world.ask("/responses", &json!({ "instructions": "Be kind.", "input": question }));
    let instructions = world.sent()["instructions"].as_str().unwrap().to_owned();
    assert!(instructions.starts_with("Be kind.") && instructions.contains(PRIVATE), "{instructions}");
    let of_router: Vec<_> = world.stored().into_iter().filter(|lines| lines.len() > 1).collect();
    assert_eq!(of_router, [lines(&[question, "Under the pot."])]);
}

#[test]
fn an_agent_is_told_no_more_than_the_person_allows() {
    let world = World::saying("ok");
    world.live();
    let asked = chat(&["Where is my spare key?"]).to_string().into_bytes();
    let check = |name: &str, visibility, channels: &[&str], expect: bool| {
        let (agent, _) = added(&world.app, name, visibility, channels);
        assert_eq!(world.got(world.send(&agent, CHAT, asked.clone())).status, 200, "{name}: the call goes on");
        assert_eq!(world.sent().to_string().contains(PRIVATE), expect, "{name}");
    };
    check("private", Visibility::Private, &[], true);
    check("public", Visibility::Public, &[], false);
    // This agent would have to name a channel, so Keepsake refuses it a context and does not log its calls.
    check("elsewhere", Visibility::Private, &["telegram"], false);
    assert_eq!(world.ended(3), [CallOutcome::Answered; 3]);
    let logged = world.stored().iter().filter(|lines| lines.len() > 1).count();
    assert_eq!(logged, 2, "control: the two others are logged");
}

#[test]
fn a_call_that_may_not_be_forwarded_is_refused_and_nothing_is_sent() {
    let world = World::saying("ok");
    let elsewhere = |port| Provider {
        shape: Shape::OpenAi,
        url: format!("http://192.0.2.1:{port}"),
        model: "tiny:1b".to_owned(),
        context_tokens: None,
    };
    let refused = |why: &str, agent: &AgentAccess, code: &str| {
        for path in [CHAT, "/responses"] {
            let got = world.got(world.send(agent, path, chat(&["hi"]).to_string().into_bytes()));
            let error = got.json()["error"].take();
            assert_eq!((got.status, error["code"].as_str()), (403, Some(code)), "{why}: {error}");
            assert_eq!(error["type"], "invalid_request_error");
            assert!(error["message"].as_str().is_some_and(|words| !words.is_empty()), "{why}");
        }
    };
    let agent = &world.agent;
    world.app.engine().models().set_router_settings(RouterSettings { is_on: false }).unwrap();
    refused("the router is off", agent, "refused");
    world.app.engine().models().set_router_settings(RouterSettings { is_on: true }).unwrap();
    let mut paused = agent.clone();
    paused.is_paused = true;
    refused("the agent is paused", &paused, "refused");
    assert_eq!(world.server.connections(), 0, "nothing was sent");
    world.ask(CHAT, &chat(&["hi"]));
    assert_eq!(world.server.connections(), 1, "control: otherwise it is");
    // These settings cannot be stored in one step. The test chooses the server while other computers are allowed, and disallows
    // them afterwards.
    choose(&world.app, Some(elsewhere(world.server.port())), false);
    let settings = ModelSettings { remote_tokens_a_day: 0, ..world.app.engine().models().settings().unwrap() };
    world.app.engine().models().set_settings(&settings).unwrap();
    refused("the budget is spent", agent, "budget_spent");
    let mut without = world.app.engine().models().settings().unwrap();
    without.this_computer_only = true;
    world
        .app
        .engine()
        .store()
        .write(|tx| tx.settings().put_choice("models", "models", &without, world.app.engine().now()))
        .unwrap();
    refused("there is no consent", agent, "refused");
    choose(&world.app, None, true);
    refused("no model is chosen", agent, "no_model");
    assert_eq!(world.server.connections(), 1, "nothing was sent");
}

#[test]
fn errors_of_the_server_pass_through_and_are_not_logged() {
    let world = World::saying("ok");
    let check = |fault: Fault, status: u16, words: &str| {
        world.server.inject_from(world.server.calls(), fault);
        let got = world.ask(CHAT, &chat(&["hi"]));
        assert_eq!(got.status, status, "{fault:?}");
        assert!(String::from_utf8_lossy(&got.body).contains(words), "{fault:?}");
        world.server.heal();
    };
    check(Fault::TooManyRequests, 429, "slow down");
    check(Fault::ServerError, 500, "internal error");
    check(Fault::Refused, 502, "no server is listening there");
    assert_eq!(world.ended(3).len(), 3);
    assert_eq!(world.stored(), Vec::<Vec<(String, String)>>::new());
    for body in ["", "[]", "{"] {
        let got = world.got(world.send(&world.agent, CHAT, format!(" {body}").into_bytes()));
        assert_eq!((got.status, got.json()["error"]["code"].as_str()), (400, Some("invalid_request")));
    }
    world.ask(CHAT, &chat(&["hi"]));
    world.ended(4);
    assert_eq!(world.stored(), [lines(&["hi", "ok"])], "control: a good answer is");
}

#[test]
fn an_answer_that_breaks_off_breaks_off_and_is_logged_with_the_history_of_the_next_call() {
    let world = World::new(|request| match request.json()["messages"].as_array().map_or(0, Vec::len) {
        1 => Answer::Broken { text: "Hello there".to_owned(), after_bytes: 300 },
        _ => Answer::Text("Go on".to_owned()),
    });
    let got = world.ask(CHAT, &json!({ "stream": true, "messages": [{ "role": "user", "content": "hi" }] }));
    assert!(!got.is_whole && got.status == 200 && !got.body.is_empty(), "what came is passed on, and then it breaks off");
    assert_eq!(world.ended(1), [CallOutcome::Failed]);
    assert!(world.stored().is_empty());
    world.ask(CHAT, &chat(&["hi", "Hello", "and?"]));
    world.ended(2);
    assert_eq!(world.stored(), [lines(&["hi", "Hello", "and?", "Go on"])]);
}

#[test]
fn a_program_that_leaves_ends_the_call_at_the_server() {
    let world = World::new(|_| Answer::Held { text: "a long story".to_owned(), after_events: 2 });
    let body = json!({ "stream": true, "messages": [{ "role": "user", "content": "hi" }] });
    let mut response = world.send(&world.agent, CHAT, body.to_string().into_bytes());
    assert!(
        world.runtime.block_on(response.frame()).is_some_and(|frame| frame.is_ok()),
        "it arrives before the answer is complete"
    );
    world.runtime.block_on(async { drop(response) });
    world.server.wait_until_left(1);
    assert_eq!(world.ended(1), [CallOutcome::Failed]);
}

#[test]
fn the_same_history_is_stored_once() {
    // The answer depends on what was said, not on what was added.
    let world = World::new(|request| {
        let body = request.json();
        let said = body["messages"].as_array().unwrap().iter().filter(|message| message["role"] != "system").count();
        Answer::Text(format!("answer {said}"))
    });
    let first = chat(&["hi"]);
    let second = chat(&["hi", "answer 1", "hi"]);
    for (at, body) in [&first, &second, &second, &first, &second].into_iter().enumerate() {
        world.ask(CHAT, body);
        world.ended(at + 1);
    }
    assert_eq!(world.stored(), [lines(&["hi", "answer 1", "hi", "answer 3"])]);
    let mut tools = chat(&["hi"]);
    tools["messages"].as_array_mut().unwrap().extend([
        json!({ "role": "assistant", "content": null, "tool_calls": [] }),
        json!({ "role": "tool", "tool_call_id": "1", "content": "a result" }),
    ]);
    world.ask(CHAT, &tools);
    world.ended(6);
    assert!(world.stored().contains(&lines(&["hi", "answer 3"])), "calls of tools and results are not logged as text");
}

#[test]
fn a_response_continues_the_conversation_of_the_one_before() {
    for is_streamed in [false, true] {
        let world = World::new(move |request| match request.json()["previous_response_id"].as_str() {
            None => response("r1", "one", is_streamed),
            Some("r1") => response("r2", "two", is_streamed),
            Some(_) => response("r3", "three", is_streamed),
        });
        let ask = |calls: usize, previous: Option<&str>| {
            let mut body = json!({ "input": "yes", "stream": is_streamed });
            if let Some(previous) = previous {
                body["previous_response_id"] = previous.into();
            }
            assert_eq!(world.ask("/responses", &body).status, 200);
            world.ended(calls);
        };
        ask(1, None);
        ask(2, Some("r1"));
        ask(3, Some("r1"));
        ask(4, Some("r2"));
        assert_eq!(world.stored(), [lines(&["yes", "one", "yes", "two", "yes", "three"])], "streamed: {is_streamed}");
        ask(5, Some("unknown"));
        assert_eq!(world.stored().len(), 2, "what continues an unknown response is another conversation");
    }
}
