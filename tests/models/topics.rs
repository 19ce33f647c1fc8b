//! Topics by a model: its text is used if each line leads to messages, and its "distinct" marks and verdicts are accepted. The
//! rules' text stays if the model fails or may not be asked.

use std::sync::{Arc, Mutex, PoisonError};

use keepsake_domain::{ConversationId, DAY_MS, Engines, JobKind, JobState, Lane, Message};
use keepsake_engine::{Audience, Engine, Existing, PluggedIn, Step, TopicChoice, VisibleTopic};
use keepsake_testkit::Conversation;
use keepsake_testkit::scripted_server::{Answer, Fault, Received, ScriptedServer};
use serde_json::{Value, json};

use super::Desk;
use super::yes::{lines, purpose, reply};

const RULES: &str = "builtin-topic/7";
const MODEL: &str = "tiny:1b topic/1";

const PUMP: &str = "owner Mara 10:00: The water pump at the well makes no sound when I press the switch.
person Ana: Did you look at the fuse of the water pump in the shed?
owner Mara: The fuse is fine, the pump gets 230 volts at the socket.
person Ana: Then the capacitor of the pump is broken, a new capacitor costs twelve euros.
owner Mara: We decided to try a new capacitor before we buy a new pump.
person Ana: I ordered a capacitor for the pump with 16 microfarad.";

const PUMP_AGAIN: &str = "owner Mara 2026-03-20 10:00: The new capacitor is in and the water pump at the well runs again.
person Ana: The capacitor of the water pump was the fault, and the suction filter of the water pump was full of sand.
owner Mara: I learned that the suction filter of the water pump has to be cleaned every spring.
person Ana: With the new capacitor and a clean suction filter the water pump has good pressure at the well.";

const LISBON: &str = "owner Mara 12:00: The morning flight to Lisbon in May is cheap, and the guesthouse in Lisbon is free.
person Ben: The guesthouse in Lisbon with the garden still has a room, shall I wait with the flight to Lisbon?
owner Mara: I booked the morning flight to Lisbon and reserved the guesthouse.
person Ben: Then the flight to Lisbon and the guesthouse are done, the tile museum in Lisbon needs tickets.
owner Mara: I took tickets for the tile museum in Lisbon, near the guesthouse, for the day after the flight.";

/// An entry: its section, its text and the quoted words.
type Entry = (&'static str, &'static str, &'static str);

const DECIDED: Entry =
    ("decision", "Try a new capacitor before buying a new pump", "We decided to try a new capacitor before we buy a new pump");
const FUSE: Entry =
    ("detail", "The fuse is fine and the pump gets 230 volts", "The fuse is fine, the pump gets 230 volts at the socket");
const FILTER: Entry = (
    "learning",
    "The suction filter of the water pump has to be cleaned every spring",
    "I learned that the suction filter of the water pump has to be cleaned every spring",
);
const BOOKED: Entry = (
    "solution",
    "Booked the morning flight to Lisbon and reserved the guesthouse",
    "I booked the morning flight to Lisbon and reserved the guesthouse",
);

/// The entries whose words occur in the request, each citing the line that contains them.
fn entries(request: &Received, entries: &[Entry]) -> Vec<Value> {
    let lines = lines(request);
    entries
        .iter()
        .filter_map(|(section, text, quote)| {
            let (line, ..) = lines.iter().find(|(_, _, said)| said.contains(quote))?;
            Some(json!({ "section": section, "text": text, "places": [{ "line": line, "quote": quote }] }))
        })
        .collect()
}

/// The entries of the notes so far: number and text.
fn notes(request: &Received) -> Vec<(u64, String)> {
    let text = request.message("user");
    text.lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter_map(|line| Some((line["entry"].as_u64()?, line["text"].as_str()?.to_owned())))
        .collect()
}

fn answer(distinct: &[u64], keep: &[u64], lines: &[Value], title: &str) -> String {
    json!({
        "distinct": distinct, "keep": keep, "lines": lines, "title": title, "people": [], "projects": [], "technologies": [],
    })
    .to_string()
}

/// Keeps existing notes and adds new ones for these entries.
fn good(request: &Received) -> String {
    if purpose(request) != "topic" {
        return reply(request, &[]);
    }
    let notes = notes(request);
    let keep: Vec<u64> = notes.iter().map(|(number, _)| *number).collect();
    let new: Vec<Value> = entries(request, &[DECIDED, FUSE, FILTER, BOOKED])
        .into_iter()
        .filter(|entry| !notes.iter().any(|(_, text)| *text == entry["text"]))
        .collect();
    let title = if request.message("user").contains("Lisbon") { "Lisbon in May" } else { "Capacitor of the water pump" };
    answer(&[], &keep, &new, title)
}

fn server() -> ScriptedServer {
    ScriptedServer::start(|request| Answer::Text(good(request)))
}

/// A server with its own replies to requests about topics.
fn server_with(about_topics: impl Fn(&Received) -> String + Send + Sync + 'static) -> ScriptedServer {
    ScriptedServer::start(move |request| {
        Answer::Text(if purpose(request) == "topic" { about_topics(request) } else { reply(request, &[]) })
    })
}

fn room(id: &str, lines: &str) -> Vec<Message> {
    Conversation::new(id).channel("matrix", id).public().messages(lines)
}

fn dm(id: &str, lines: &str) -> Vec<Message> {
    Conversation::new(id).channel("matrix", id).messages(lines)
}

impl Desk {
    /// Lets every conversation become quiet and runs all lanes. Returns the final state of the model's last job.
    fn grow(&self) -> Option<JobState> {
        self.clock.advance_ms(30 * DAY_MS);
        self.engine.topics().queue().unwrap();
        self.work()
    }

    fn topic_saying(&self, words: &str) -> VisibleTopic {
        let found: Vec<VisibleTopic> =
            self.engine.topics().list().unwrap().into_iter().filter(|topic| self.text_of(topic).contains(words)).collect();
        assert_eq!(found.len(), 1, "one topic says {words:?}");
        found.into_iter().next().unwrap()
    }

    fn text_of(&self, topic: &VisibleTopic) -> String {
        let lines = self.engine.store().read(|tx| tx.topics().lines(&topic.version.id)).unwrap();
        lines.into_iter().map(|line| format!("{}: {}\n", line.section, line.text)).collect()
    }

    /// Titles, texts and proposers of all topics of the owner.
    fn all_topics(&self) -> Vec<String> {
        let topics = self.engine.topics().list().unwrap();
        topics.iter().map(|topic| format!("{} [{}]\n{}", topic.title(), topic.version.proposer, self.text_of(topic))).collect()
    }

    /// The requests about topics, oldest first.
    fn asked_of_topics(&self, server: &ScriptedServer) -> Vec<String> {
        server.received().iter().filter(|request| purpose(request) == "topic").map(|request| request.message("user")).collect()
    }

    fn seen_by(&self, channel: &str) -> Vec<String> {
        let audience = Audience { channel: Some(channel.to_owned()), ..Default::default() };
        let topics = self.engine.with_view(&audience, |tx, view| view.topics(tx)).unwrap();
        topics.iter().map(|topic| format!("{} [{}]\n{}", topic.title(), topic.version.proposer, self.text_of(topic))).collect()
    }
}

#[test]
fn a_model_words_a_topic_and_each_of_its_lines_leads_to_a_message() {
    let server = server();
    let desk = Desk::new(&server);
    desk.append(&dm("ana", PUMP));
    assert_eq!(desk.grow(), Some(JobState::Done));
    let topic = desk.topic_saying("Try a new capacitor");
    assert_eq!((topic.title(), topic.version.proposer.as_str()), ("Capacitor of the water pump", MODEL));
    assert_eq!(desk.text_of(&topic), format!("decision: {}\ndetail: {}\n", DECIDED.1, FUSE.1), "takeaways first");
    for line in desk.engine.store().read(|tx| tx.topics().lines(&topic.version.id)).unwrap() {
        let message = desk.engine.store().read(|tx| tx.log().interaction(&line.place.interaction)).unwrap().unwrap();
        let quote = line.place.span.quote(&message.content).unwrap();
        assert!([DECIDED.2, FUSE.2].contains(&quote), "{quote}");
    }
    let versions = desk.engine.store().read(|tx| tx.topics().versions(&topic.topic.id)).unwrap();
    let proposers: Vec<&str> = versions.iter().map(|version| version.proposer.as_str()).collect();
    assert_eq!(proposers, [RULES, MODEL], "what the rules wrote is kept beside it");
    assert_eq!(versions[1].supersedes.as_ref(), Some(&versions[0].id));
    // Control: without a model, the rules send no request.
    let other = Desk::with(&server, Arc::new(PluggedIn), |settings| settings.engines = Engines::BuiltIn);
    other.append(&dm("ana", PUMP));
    let before = server.connections();
    assert_eq!(other.grow(), None);
    assert_eq!((other.topic_saying("capacitor").version.proposer.as_str(), server.connections()), (RULES, before));
}

#[test]
fn what_is_new_is_taken_into_the_notes_and_nothing_is_asked_twice() {
    let server = server();
    let desk = Desk::new(&server);
    desk.append(&dm("ana", PUMP));
    desk.grow();
    assert_eq!(desk.asked_of_topics(&server).len(), 1, "the owner's topic and Ana's have one content, so it is asked about once");
    assert_eq!(desk.grow(), None, "nothing new, so nothing is asked");
    desk.append(&dm("ana-later", PUMP_AGAIN));
    assert_eq!(desk.grow(), Some(JobState::Done));
    let asked = desk.asked_of_topics(&server);
    let told = asked.iter().find(|text| text.contains("suction filter")).unwrap();
    assert!(told.contains(DECIDED.1) && told.contains(DECIDED.2), "the notes so far, with the lines that they rest on");
    assert!(!told.contains("Did you look at the fuse"), "what was read and is not quoted is not sent again");
    let topic = desk.topic_saying("cleaned every spring");
    assert_eq!(
        desk.text_of(&topic),
        format!("decision: {}\nlearning: {}\ndetail: {}\n", DECIDED.1, FILTER.1, FUSE.1),
        "what stood was kept"
    );
    let versions = desk.engine.store().read(|tx| tx.topics().versions(&topic.topic.id)).unwrap();
    let told: Vec<(u32, &str)> = versions.iter().map(|version| (version.number, version.proposer.as_str())).collect();
    assert_eq!(told, [(1, RULES), (1, MODEL), (2, RULES), (2, MODEL)], "every version is kept");
}

#[test]
fn topics_that_are_deleted_and_made_again_are_the_same_and_nobody_is_asked() {
    let server = server();
    let desk = Desk::new(&server);
    desk.append(&dm("ana", PUMP));
    desk.grow();
    desk.append(&dm("ben", LISBON));
    desk.grow();
    let (before, asked) = (desk.all_topics(), desk.asked_of_topics(&server).len());
    assert_eq!(before.len(), 2);
    desk.engine.topics().rebuild().unwrap();
    assert!(desk.all_topics().is_empty());
    desk.work();
    assert_eq!((desk.all_topics(), desk.asked_of_topics(&server).len()), (before, asked));
}

#[test]
fn the_chosen_engine_decides_which_text_stands() {
    let server = server();
    let desk = Desk::new(&server);
    desk.append(&dm("ana", PUMP));
    desk.grow();
    let asked = desk.asked_of_topics(&server).len();
    for (engines, proposer) in [(Engines::BuiltIn, RULES), (Engines::Both, MODEL), (Engines::Model, MODEL)] {
        let mut settings = desk.engine.models().settings().unwrap();
        settings.engines = engines;
        desk.engine.models().set_settings(&settings).unwrap();
        desk.engine.topics().queue().unwrap();
        desk.work();
        assert_eq!(desk.topic_saying("capacitor").version.proposer, proposer, "{engines:?}");
    }
    assert_eq!(desk.asked_of_topics(&server).len(), asked, "what was worded once is not asked about again");
}

#[test]
fn a_line_that_no_message_carries_is_dropped_and_the_others_stand() {
    let check = |bad: Entry, why: &str, stands: bool| {
        let server = server_with(move |request| answer(&[], &[], &entries(request, &[DECIDED, FUSE, bad]), "Water pump"));
        let desk = Desk::new(&server);
        desk.append(&dm("ana", PUMP));
        assert_eq!(desk.grow(), Some(JobState::Done), "{why}");
        let topic = desk.topic_saying(DECIDED.1);
        assert_eq!(topic.version.proposer, MODEL, "{why}");
        assert_eq!(desk.text_of(&topic).contains(bad.1), stands, "{why}");
    };
    let quote = "Then the capacitor of the pump is broken";
    check(("solution", "The old well was closed by the district council", quote), "words that no message has", false);
    check(("detail", "The 2 capacitors of the pump are broken", quote), "another number", false);
    check(("detail", "The capacitor of the pump is not broken", quote), "the contrary", false);
    check(
        ("decision", "Look at the fuse of the water pump in the shed", "Did you look at the fuse of the water pump"),
        "a question",
        false,
    );
    check(("detail", "See [the pump](https://example.org) with the broken capacitor", quote), "a link", false);
    check(("detail", "The capacitor of the pump is broken", quote), "control: the same place, truly told", true);
}

#[test]
fn a_reply_that_mostly_rests_on_nothing_is_refused_and_the_text_of_the_rules_stands() {
    const INVENTED: [Entry; 3] = [
        ("decision", "Sell the house in spring", "We decided to sell the house"),
        ("task", "Call the notary on Monday", "I will call the notary"),
        ("detail", "The garden is too large", "The garden is too large"),
    ];
    let check = |count: usize, proposer: &str| {
        let server = server_with(move |request| {
            let mut told = entries(request, &[DECIDED, FUSE]);
            // Line numbers that do not exist, and words that nobody said.
            let invented = INVENTED.iter().take(count);
            told.extend(invented.map(
                |(section, text, quote)| json!({ "section": section, "text": text, "places": [{ "line": 99, "quote": quote }] }),
            ));
            answer(&[], &[], &told, "House and garden")
        });
        let desk = Desk::new(&server);
        desk.append(&dm("ana", PUMP));
        assert_eq!(desk.grow(), Some(JobState::Done));
        let topic = desk.topic_saying("capacitor");
        assert_eq!(topic.version.proposer, proposer, "{count} invented lines beside two true ones");
        assert!(
            !desk.text_of(&topic).contains("house") && !topic.title().contains("House"),
            "a title names nothing that nobody said"
        );
        assert!(desk.alerts().is_empty(), "a bad text is no failure");
        assert_eq!(desk.grow(), None, "and it is not asked for again");
    };
    check(1, MODEL);
    check(3, RULES);
}

#[test]
fn where_the_model_fails_the_text_of_the_rules_stands_and_a_person_is_told() {
    for fault in Fault::ALL {
        let server = ScriptedServer::start(move |request| {
            let good = good(request);
            if purpose(request) == "topic" { Answer::Faulty(fault, good) } else { Answer::Text(good) }
        });
        let desk = Desk::with(&server, Arc::new(PluggedIn), |settings| {
            if fault == Fault::Timeout {
                settings.reply_timeout_ms = 1_000;
            }
        });
        desk.append(&dm("ana", PUMP));
        let mut last = desk.grow();
        while last == Some(JobState::Queued) {
            assert_eq!(desk.topic_saying("capacitor").version.proposer, RULES, "{fault:?}: it stands while it is retried");
            let due = desk.engine.store().read(|tx| tx.jobs().next_due(Lane::Model)).unwrap().unwrap();
            desk.clock.set(due);
            last = desk.work();
        }
        assert_eq!(last, Some(JobState::Dead), "{fault:?}");
        assert_eq!(desk.topic_saying("capacitor").version.proposer, RULES, "{fault:?}");
        let alerts = desk.alerts();
        assert!(alerts.len() == 1 && alerts[0].contains("the texts by the built-in rules remain"), "{fault:?}: {alerts:?}");
    }
}

#[test]
fn one_topic_that_cannot_be_worded_keeps_no_other_from_it() {
    let server =
        server_with(|request| if request.message("user").contains("Lisbon") { "no idea".to_owned() } else { good(request) });
    let desk = Desk::new(&server);
    desk.append(&dm("ana", PUMP));
    desk.append(&dm("ben", LISBON));
    assert_eq!(desk.grow(), Some(JobState::Queued), "it is tried again");
    assert_eq!(desk.topic_saying("capacitor").version.proposer, MODEL);
    assert_eq!(desk.topic_saying("Lisbon").version.proposer, RULES);
}

/// Answers that the lines about the filter are a topic of their own, if the request contains notes.
fn parting(request: &Received) -> String {
    let apart: Vec<u64> = if notes(request).is_empty() { Vec::new() } else { about_the_filter(request).into_iter().collect() };
    answer(
        &apart,
        &notes(request).iter().map(|(number, _)| *number).collect::<Vec<_>>(),
        &entries(request, &[DECIDED, FILTER]),
        "Water pump",
    )
}

/// The lines of the second conversation.
fn about_the_filter(request: &Received) -> Vec<u64> {
    let later = PUMP_AGAIN.lines().filter_map(|line| line.rsplit_once(": ")).map(|(_, text)| text).collect::<Vec<_>>();
    lines(request)
        .into_iter()
        .filter(|(_, _, said)| later.iter().any(|text| said.contains(text)))
        .map(|(line, ..)| line)
        .collect()
}

#[test]
fn what_the_model_calls_distinct_becomes_a_topic_of_its_own_until_a_person_says_otherwise() {
    let server = server_with(parting);
    let desk = Desk::new(&server);
    desk.append(&dm("ana", PUMP));
    desk.grow();
    desk.append(&dm("ana-later", PUMP_AGAIN));
    desk.grow();
    let titles =
        |desk: &Desk| desk.engine.topics().list().unwrap().iter().map(|topic| topic.version.messages).collect::<Vec<_>>();
    assert_eq!(titles(&desk), [4, 6], "two topics, and every message is in one of them");
    let before = desk.all_topics();
    desk.engine.topics().rebuild().unwrap();
    desk.work();
    assert_eq!(desk.all_topics(), before, "made anew they are the same");
    let (pump, filter) = (desk.topic_saying("Try a new capacitor"), desk.topic_saying("cleaned every spring"));
    desk.clock.advance_ms(1_000);
    let decision = desk.engine.topics().decide(&pump.topic.id, &TopicChoice::Merge(filter.topic.id)).unwrap();
    assert_eq!(titles(&desk), [10], "a person's word counts more");
    desk.grow();
    assert_eq!(titles(&desk), [10], "and goes on counting");
    desk.engine.topics().undo_decision(&decision, true).unwrap();
    assert_eq!(titles(&desk), [4, 6]);
    // Control: a model that marks nothing as distinct leaves the lines together, as the rules do.
    let agreeing = Desk::new(&self::server());
    agreeing.append(&dm("ana", PUMP));
    agreeing.append(&dm("ana-later", PUMP_AGAIN));
    agreeing.grow();
    assert_eq!(titles(&agreeing), [10]);
}

#[test]
fn a_verdict_of_the_model_takes_a_proposal_away_or_leaves_it() {
    let check = |verdict: &'static str, quote: &'static str, proposed: bool| {
        let server = ScriptedServer::start(move |request| {
            Answer::Text(match purpose(request) {
                "topic" => parting(request),
                "topic_pair" => {
                    let line = |words: &str| {
                        lines(request).into_iter().find(|(_, _, text)| text.contains(words)).map_or(1, |(line, ..)| line)
                    };
                    let both = request.message("user");
                    let (first, second) = both.split_once("The second bundle").unwrap();
                    let pick = |text: &str| if text.contains(DECIDED.2) { DECIDED.2 } else { quote };
                    let shows = |text: &str| json!({ "line": line(pick(text)), "quote": pick(text) });
                    json!({ "answer": verdict, "first": shows(first), "second": shows(second), "confidence": 0.9 }).to_string()
                }
                _ => reply(request, &[]),
            })
        });
        let desk = Desk::new(&server);
        desk.append(&dm("ana", PUMP));
        desk.grow();
        desk.append(&dm("ana-later", PUMP_AGAIN));
        desk.grow();
        assert_eq!(desk.engine.topics().list().unwrap().len(), 2);
        let proposals = desk.engine.store().read(|tx| tx.topics().proposals("owner")).unwrap();
        assert_eq!(!proposals.is_empty(), proposed, "{verdict}, citing {quote:?}: {proposals:?}");
        let asked = |desk: &Desk| desk.calls().iter().filter(|call| call.starts_with("topic_pair/1")).count();
        let count = asked(&desk);
        assert!(count > 0, "it was asked");
        desk.grow();
        assert_eq!(asked(&desk), count, "a verdict is asked for once");
    };
    check("same", FILTER.2, true);
    check("distinct", FILTER.2, false);
    check("distinct", "The pump was sold to the neighbour", true);
    check("unsure", FILTER.2, true);
}

#[test]
fn each_side_reads_what_was_worded_of_its_own_part_and_off_the_record_nothing_is_told() {
    let server = server();
    let desk = Desk::new(&server);
    desk.append(&room("garden", PUMP));
    desk.append(&dm("ana", PUMP_AGAIN));
    desk.append(&dm("ben", LISBON));
    let attic = Conversation::new("attic").channel("matrix", "attic").public().private();
    desk.append(&attic.messages(&LISBON.replace("Lisbon", "Saffronia")));
    assert_eq!(desk.grow(), Some(JobState::Done));
    assert!(desk.asked_of_topics(&server).iter().all(|text| !text.contains("Saffronia")), "nothing that is off the record");
    let public = desk.seen_by("matrix:garden");
    assert_eq!(public.len(), 1);
    assert!(public[0].contains(MODEL) && public[0].contains(DECIDED.1) && !public[0].contains("filter"), "{public:?}");
    let ana = desk.seen_by("matrix:ana").join("");
    assert!(ana.contains(FILTER.1) && !ana.contains("Lisbon"), "{ana}");
    let ben = desk.seen_by("matrix:ben").join("");
    assert!(ben.contains("Lisbon") && ben.contains(DECIDED.1) && !ben.contains("filter"), "{ben}");
    // Each call covers one topic, and no call for Ben's topics contains words from Ana's room that Ben may not see.
    for text in desk.asked_of_topics(&server) {
        assert!(!(text.contains("suction") && text.contains("guesthouse")), "two topics in one call");
    }
    let own = desk.all_topics().join("");
    for words in [DECIDED.1, FILTER.1, BOOKED.1] {
        assert!(own.contains(words), "control: the owner reads all of it: {own}");
    }
}

#[test]
fn what_turns_private_or_is_erased_while_it_is_asked_about_leaves_no_text() {
    #[derive(Clone, Copy, PartialEq)]
    enum Meanwhile {
        Nothing,
        Private,
        Erased,
    }
    let slot: Arc<Mutex<Option<(Engine, ConversationId, Meanwhile)>>> = Arc::default();
    let server = ScriptedServer::start({
        let slot = Arc::clone(&slot);
        move |request| {
            if purpose(request) == "topic"
                && let Some((engine, id, meanwhile)) = slot.lock().unwrap_or_else(PoisonError::into_inner).take()
            {
                match meanwhile {
                    Meanwhile::Nothing => {}
                    Meanwhile::Private => drop(engine.erasure().set_private(&id, true, Existing::Keep).unwrap()),
                    Meanwhile::Erased => drop(engine.erasure().erase_conversation(&id, "a test").unwrap()),
                }
            }
            Answer::Text(good(request))
        }
    });
    for meanwhile in [Meanwhile::Nothing, Meanwhile::Private, Meanwhile::Erased] {
        let desk = Desk::new(&server);
        let id = desk.append(&dm("ana", PUMP));
        desk.work();
        *slot.lock().unwrap() = Some((desk.engine.clone(), id, meanwhile));
        desk.grow();
        assert!(slot.lock().unwrap().is_none(), "it was asked");
        let count: i64 = rusqlite::Connection::open(desk.engine.store().path())
            .unwrap()
            .query_row("SELECT count(*) FROM topic_wordings", [], |row| row.get(0))
            .unwrap();
        assert_eq!(count, i64::from(meanwhile == Meanwhile::Nothing), "the control keeps its wording");
    }
}

#[test]
fn erasing_a_conversation_takes_what_was_worded_of_it_along() {
    let server = server();
    let desk = Desk::new(&server);
    let id = desk.append(&dm("ana", PUMP));
    desk.append(&dm("ben", LISBON));
    desk.grow();
    let kept = || {
        let raw = rusqlite::Connection::open(desk.engine.store().path()).unwrap();
        let mut statement = raw.prepare("SELECT lines FROM topic_wordings UNION ALL SELECT text FROM topic_lines").unwrap();
        let rows = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
        rows.map(Result::unwrap).collect::<Vec<_>>().join("\n")
    };
    assert!(kept().contains(DECIDED.1) && kept().contains(BOOKED.1), "control: both are there");
    let receipt = desk.engine.erasure().erase_conversation(&id, "a test").unwrap();
    assert!(receipt.is_done, "{receipt:?}");
    assert!(!kept().contains(DECIDED.1), "nothing is left of it");
    let asked = desk.asked_of_topics(&server).len();
    desk.grow();
    assert!(desk.all_topics().join("").contains(BOOKED.1), "the other topic stands as it was worded");
    assert_eq!(desk.asked_of_topics(&server).len(), asked, "and is not asked about again");
}

#[test]
fn a_title_and_a_pin_of_a_person_hold_over_what_a_model_writes() {
    let server = server();
    let desk = Desk::with(&server, Arc::new(PluggedIn), |settings| settings.engines = Engines::BuiltIn);
    desk.append(&dm("ana", PUMP));
    desk.append(&dm("ben", LISBON));
    desk.grow();
    let lisbon = desk.topic_saying("Lisbon");
    desk.engine.topics().decide(&lisbon.topic.id, &TopicChoice::Rename(Some("Our journey".to_owned()))).unwrap();
    desk.engine.topics().decide(&desk.topic_saying("capacitor").topic.id, &TopicChoice::Pin(true)).unwrap();
    let mut settings = desk.engine.models().settings().unwrap();
    settings.engines = Engines::Model;
    desk.engine.models().set_settings(&settings).unwrap();
    desk.grow();
    let lisbon = desk.topic_saying("Lisbon");
    assert_eq!(
        (lisbon.title(), lisbon.version.title.as_str(), lisbon.version.proposer.as_str()),
        ("Our journey", "Lisbon in May", MODEL)
    );
    assert!(desk.topic_saying("capacitor").topic.is_pinned);
    assert!(desk.asked_of_topics(&server)[0].contains("capacitor"), "what is pinned is worded first");
}

#[test]
fn a_crash_after_a_reply_pays_once() {
    let server = server();
    let desk = Desk::new(&server);
    desk.append(&dm("ana", PUMP));
    desk.clock.advance_ms(DAY_MS);
    desk.engine.topics().queue().unwrap();
    while let Step::Ran(..) = desk.engine.queue().run_next(Lane::Embed, &|_| {}).unwrap() {}
    let is_answered = || desk.calls().iter().any(|call| call == "topic/1 answered");
    let kill = |point: keepsake_engine::KillPoint| point == keepsake_engine::KillPoint::AfterEffects && is_answered();
    while desk
        .engine
        .queue()
        .run_next_killed(Lane::Model, &|_| {}, &kill)
        .unwrap()
        .is_some_and(|step| matches!(step, Step::Ran(..)))
    {}
    assert!(is_answered(), "the process ends after the reply");
    let desk = desk.restarted();
    let _lock = desk.engine.queue().lock_worker().unwrap();
    desk.work();
    assert_eq!(desk.asked_of_topics(&server).len(), 1, "what was paid for is not asked again");
    assert_eq!(desk.topic_saying("capacitor").version.proposer, MODEL);
}

#[test]
fn a_job_of_a_model_that_is_not_chosen_any_more_asks_nobody() {
    let server = server();
    let desk = Desk::new(&server);
    desk.append(&dm("ana", PUMP));
    desk.clock.advance_ms(DAY_MS);
    desk.engine.topics().queue().unwrap();
    while let Step::Ran(..) = desk.engine.queue().run_next(Lane::Embed, &|_| {}).unwrap() {}
    let mut settings = desk.engine.models().settings().unwrap();
    settings.engines = Engines::BuiltIn;
    desk.engine.models().set_settings(&settings).unwrap();
    desk.work();
    assert_eq!(desk.asked_of_topics(&server).len(), 0);
    let jobs = desk.engine.store().read(|tx| tx.jobs().recent(20)).unwrap();
    let job = jobs.iter().find(|job| job.kind == JobKind::TopicsModel).unwrap();
    assert_eq!(job.state, JobState::Done, "there is nothing to do and nothing to be told of");
}
