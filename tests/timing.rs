//! How much work a refusal takes: a request about something hidden from an agent takes as much work as one about something that
//! does not exist, so that timing does not tell the two apart.
//!
//! Work is counted in steps of SQLite's virtual machine, which are the same on a busy computer. Work in memory is not counted,
//! because it looks at nothing hidden (`named_speakers`, `Scope::covers`).

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use keepsake_api::App;
use keepsake_api::agents::{TOOLS, tool};
use keepsake_domain::{IdSource, ImportId, Visibility};
use keepsake_engine::{Act, AgentAccess, ImportRequest, NewAgent, RandomIds, Unwatched};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::crash::Dice;
use crate::harness::{evening, jsonl, open_app};

/// Hidden conversations, each with a person, a title, statements and a request that nobody could fulfill.
const HIDDEN: usize = 8;

/// Number of times that each question is asked.
const ROUNDS: usize = 5;

/// Maximum difference in steps between two answers, per index row: the cost of finding one row of a hidden place instead of
/// none, or one row of a word. A separate query to the store takes more steps, and so does reading anything from the rows
/// found.
const STEPS_A_ROW: u64 = 8;

/// Number of rows of hidden places that a question may match: a place is looked up by its channel, by its id and by its title.
const PLACES: u64 = 8;

/// The subject and the person of the hidden conversations, each with a counterpart of the same length that occurs nowhere.
const WORDS: [(&str, &str); 2] = [("zanzibar", "mezquite"), ("Zuleika", "Zorbina")];

/// What is asked.
struct Asked {
    tool: &'static str,
    /// The request, in which `zanzibar` and `Zuleika` are placeholders for what it asks about.
    request: Value,
    /// Number of rows for the hidden word in the word index. The index contains the words of all messages, so these rows are
    /// skipped one by one.
    rows: u64,
}

fn asked(tool: &'static str, request: Value) -> Asked {
    Asked { tool, request, rows: 0 }
}

/// A question in words. One of the words occurs in this many hidden messages of each conversation.
fn in_words(tool: &'static str, request: Value, messages: u64) -> Asked {
    Asked { tool, request, rows: messages * HIDDEN as u64 }
}

fn questions() -> Vec<Asked> {
    let theirs = |request: Value| {
        let mut request = request;
        request["conversation"] = json!("zanzibar-1");
        request
    };
    vec![
        in_words("context", json!({ "task": "zanzibar" }), 3),
        in_words("context", json!({ "task": "Where does Zuleika live?" }), 1),
        asked("context", json!({ "person": "dm:Zuleika" })),
        asked("context", json!({ "person": "Zuleika" })),
        asked("context", json!({ "channel": "dm:zanzibar1" })),
        asked("context", json!({ "channel": "zanzibar-1" })),
        in_words("search", json!({ "query": "zanzibar" }), 3),
        // Found by a part of the word. The longer word is looked up separately.
        in_words("search", json!({ "query": "anzibar" }), 6),
        // Measured: a row takes 24 steps for a phrase and 4 for a single word.
        in_words("search", json!({ "query": "\"zanzibar money\"" }), 3),
        asked("search", json!({ "query": "person:Zuleika" })),
        asked("search", json!({ "query": "person:dm:Zuleika" })),
        asked("search", json!({ "query": "channel:dm:zanzibar1" })),
        in_words("recall", json!({ "about": "zanzibar" }), 3),
        in_words("recall", json!({ "about": "Zuleika" }), 1),
        in_words("recall", json!({ "about": "zanzibar", "as_of": "2026-06-01" }), 3),
        asked("people", json!({ "query": "Zuleika" })),
        asked("people", json!({ "person": "dm:Zuleika" })),
        asked("resolve", json!({ "handle": "dm:Zuleika" })),
        asked("resolve", json!({ "handle": "dm:Zuleika", "channel": "dm:zanzibar1" })),
        in_words("topics", json!({ "query": "zanzibar" }), 3),
        asked("playbooks", json!({ "person": "dm:Zuleika" })),
        asked("playbooks", json!({ "channel": "dm:zanzibar1" })),
        asked("gaps", json!({ "person": "dm:Zuleika" })),
        asked("gaps", json!({ "channel": "dm:zanzibar1" })),
        asked("end_session", theirs(json!({}))),
        asked("end_session", json!({ "conversation": "agent:nova/zanzibar" })),
        asked("remember", theirs(json!({ "quote": "The zanzibar money is in the blue tin" }))),
        asked("remember", theirs(json!({ "message": "m1", "quote": "The zanzibar money is in the blue tin" }))),
        asked("report_gap", theirs(json!({ "quote": "Can you export my zanzibar notes?" }))),
        asked("append", theirs(json!({ "messages": [{ "id": "", "role": "user", "text": " " }] }))),
        asked("append", theirs(json!({ "messages": [{ "id": "m1", "role": "user", "text": "I was here." }] }))),
    ]
}

/// A store with a lot of data that is hidden from the asking agent.
struct Desk {
    app: App,
    spy: AgentAccess,
    steps: Arc<AtomicU64>,
    _dir: TempDir,
}

impl Desk {
    fn new() -> Self {
        let dir = TempDir::new().unwrap();
        let app = open_app(dir.path());
        let engine = app.engine();
        let path = dir.path().join("said.jsonl");
        std::fs::write(&path, Self::said()).unwrap();
        let import = ImportId::from_uuid(RandomIds::default().next_uuid());
        let mut proposed = Vec::new();
        for id in engine.imports().import(&import, &ImportRequest::of(path), &Unwatched).unwrap().touched {
            proposed.extend(engine.review().propose(&id, None, &Unwatched).unwrap().created.into_iter().map(|(id, _)| id));
        }
        assert!(proposed.len() >= 4, "control: there is much to remember: {}", proposed.len());
        engine.review().act(&Act::Approve(proposed)).unwrap();
        let spy = NewAgent { name: "Spy".to_owned(), visibility: Visibility::Public, channels: Vec::new(), hears_owner: true };
        let token = engine.agents().add(&spy, [7; 32]).unwrap();
        let spy = engine.agents().of_token(&token).unwrap().unwrap();
        let nova = engine.agents().named("Nova").unwrap();
        let talk = json!({ "conversation": "zanzibar", "messages": [{ "id": "1", "role": "user", "text": "I love zanzibar." }] });
        tool("append").unwrap().run(&app, &nova, talk).unwrap();
        let steps = engine.store().count_steps().unwrap();
        Self { app, spy, steps, _dir: dir }
    }

    /// Public and private conversations.
    fn said() -> String {
        let public = jsonl("town", &[("owner", "Mara", "I live in Porto."), ("person", "Ana", "Welcome to Porto!")]);
        let open = public.replace("\"channel_type\":\"chat\"", "\"channel_type\":\"forum\",\"visibility\":\"public\"");
        let hidden = (0..HIDDEN).map(|talk| {
            let lines = [
                ("owner", "Mara", "I love zanzibar. The zanzibar money is in the blue tin."),
                ("person", "Zuleika", "I live in Oslo."),
                ("assistant", "Nova", "I can't export your zanzibar notes."),
                ("owner", "Mara", "Can you export my zanzibar notes? Zuleika wants them."),
            ];
            let said = jsonl(&format!("zanzibar-{talk}"), &lines);
            said.replace("\"chat\"", "\"dm\"").replace("\"room\"", &format!("\"zanzibar{talk}\""))
        });
        evening() + &open + &hidden.collect::<String>()
    }

    /// Number of steps that a question takes.
    fn steps_of(&self, tool_name: &str, request: &Value) -> u64 {
        let before = self.steps.load(Ordering::Relaxed);
        // An error is an answer too.
        let _ = tool(tool_name).unwrap().run(&self.app, &self.spy, request.clone());
        self.steps.load(Ordering::Relaxed) - before
    }

    /// The median number of steps for each of two operations, which run in random order.
    fn compared(&self, mut works: [Box<dyn FnMut(usize) -> u64 + '_>; 2], dice: &mut Dice) -> [u64; 2] {
        let mut steps = [Vec::new(), Vec::new()];
        for round in 0..=ROUNDS {
            let first = dice.below(2) as usize;
            for at in [first, 1 - first] {
                let taken = works[at](round);
                // The first round is not counted, because it also prepares new queries.
                if round > 0 {
                    steps[at].push(taken);
                }
            }
        }
        steps.map(|mut steps| {
            steps.sort_unstable();
            steps[ROUNDS / 2]
        })
    }
}

/// The request about something hidden, or about something that does not exist. `round` makes it new for tools that write.
fn about(request: &Value, is_there: bool, round: usize) -> Value {
    let mut text = request.to_string();
    for (there, absent) in WORDS.iter().filter(|_| !is_there) {
        text = text.replace(there, absent).replace(&there[1..], &absent[1..]);
    }
    serde_json::from_str(&text.replace("I was here", &format!("I was here {round}")).replace("\"m1\"", &format!("\"m{round}\"")))
        .unwrap()
}

fn allowed(asked: &Asked) -> u64 {
    (PLACES + asked.rows) * STEPS_A_ROW
}

#[test]
fn what_is_hidden_from_an_agent_is_answered_with_as_much_work_as_what_is_not_there() {
    let desk = Desk::new();
    let mut dice = Dice(22);
    let questions = questions();
    let asked_of: BTreeSet<&str> = questions.iter().map(|asked| asked.tool).collect();
    let all: BTreeSet<&str> = TOOLS.iter().map(|tool| tool.name).collect();
    assert_eq!(asked_of, all, "every tool is asked; add a question about a new one");
    let mut told = Vec::new();
    for asked in &questions {
        let ask = |is_there: bool| {
            let desk = &desk;
            Box::new(move |round| desk.steps_of(asked.tool, &about(&asked.request, is_there, round)))
                as Box<dyn FnMut(usize) -> u64>
        };
        let [hidden, absent] = desk.compared([ask(true), ask(false)], &mut dice);
        if hidden.abs_diff(absent) > allowed(asked) {
            told.push(format!("{} {}: {hidden} steps if it is hidden, {absent} if not there", asked.tool, asked.request));
        }
    }
    assert!(told.is_empty(), "a clock would tell: {told:#?}");
}

#[test]
fn more_work_for_what_is_hidden_is_noticed() {
    let desk = Desk::new();
    let mut dice = Dice(23);
    let search = asked("search", json!({ "query": "person:Zuleika" }));
    let store = desk.app.engine().store();
    // Reads what was found before deciding that it must not be revealed.
    type Look<'d> = &'d dyn Fn(&str);
    let careless: [(&str, Look<'_>); 2] = [
        ("reads the handle of whoever is known", &|name| {
            store.read(|tx| tx.people().handle_by_address("dm", name)).unwrap();
        }),
        ("reads what is said of the word", &|name| {
            let word = if name == "Zuleika" { "zanzibar" } else { "mezquite" };
            store.read(|tx| tx.search().messages(word, 50)).unwrap();
        }),
    ];
    for (what, look) in careless {
        let ask = |is_there: bool| {
            let desk = &desk;
            let search = &search;
            let name = if is_there { "Zuleika" } else { "Zorbina" };
            Box::new(move |round| {
                let before = desk.steps.load(Ordering::Relaxed);
                look(name);
                let looked = desk.steps.load(Ordering::Relaxed) - before;
                looked + desk.steps_of(search.tool, &about(&search.request, is_there, round))
            }) as Box<dyn FnMut(usize) -> u64>
        };
        let [hidden, absent] = desk.compared([ask(true), ask(false)], &mut dice);
        assert!(hidden.abs_diff(absent) > allowed(&search), "{what}: {hidden} and {absent}");
    }
}
