//! Profiles by a model: its entries appear next to those of the rules, each of its requests covers only one audience, and
//! disputed entries do not come back.

use std::sync::{Arc, Mutex, PoisonError};

use keepsake_domain::{ConversationId, Engines, JobKind, JobState, Lane, Message, ProfileOrigin};
use keepsake_engine::{Engine, Existing, PluggedIn, Step, current_profiles};
use keepsake_testkit::Conversation;
use keepsake_testkit::scripted_server::{Answer, Fault, Received, ScriptedServer};
use serde_json::json;

use super::Desk;
use super::yes::{lines, purpose, reply};

/// A wish that the reader is unsure about, and the model's entry for it.
const WISH: &str = "I like it when replies fit in three lines.";
const QUOTE: &str = "I like it when replies fit in three lines";

/// Cites every line with these words, no matter who said it, as a wish for short answers. Approves everything else and finds
/// nothing in it.
fn short_answers(request: &Received) -> String {
    if purpose(request) != "profile" {
        return reply(request, &[]);
    }
    let places: Vec<_> = lines(request)
        .into_iter()
        .filter(|(_, _, text)| text.contains(QUOTE))
        .map(|(line, _, _)| json!({ "line": line, "quote": QUOTE }))
        .take(8)
        .collect();
    let entry =
        json!({ "type": "preferences", "facet": "length", "value": "short", "topic": "", "places": places, "confidence": 0.9 });
    json!({ "entries": if places.is_empty() { Vec::new() } else { vec![entry] } }).to_string()
}

fn server() -> ScriptedServer {
    ScriptedServer::start(|request| Answer::Text(short_answers(request)))
}

fn room(id: &str, lines: &str) -> Vec<Message> {
    Conversation::new(id).channel("matrix", id).public().messages(lines)
}

fn dm(id: &str, lines: &str) -> Vec<Message> {
    Conversation::new(id).channel("matrix", id).messages(lines)
}

impl Desk {
    /// Derives profiles and runs the model lane. Returns the final state of its last job.
    fn derive(&self) -> Option<JobState> {
        self.engine.people().queue_profiles().unwrap();
        self.work()
    }

    /// The current entries about a person with their proposers, sorted.
    fn known(&self, person: &str) -> Vec<String> {
        let person = self.engine.erasure().person_named(person).unwrap();
        let rows = self.engine.people().profile_rows(&person).unwrap();
        let current = current_profiles(&rows);
        let mut known: Vec<String> = rows
            .into_iter()
            .filter(|row| current.contains(&row.entry.id))
            .map(|row| format!("{} [{}]", row.entry.content, row.proposer))
            .collect();
        known.sort();
        known
    }

    /// The requests about people, oldest first.
    fn told(&self, server: &ScriptedServer) -> Vec<String> {
        server.received().iter().filter(|request| purpose(request) == "profile").map(|request| request.message("user")).collect()
    }
}

const SHORT: &str = "Prefers short answers [tiny:1b profile/1]";
const FRENCH: &str = "Wants: “Please answer in French” [builtin-profile/2]";

#[test]
fn a_model_sees_what_no_rule_reads_and_its_entry_names_it() {
    let server = server();
    let desk = Desk::new(&server);
    desk.append(&dm("ana", &format!("person Ana: {WISH}\nperson Ana: Please answer in French.")));
    assert_eq!(desk.derive(), Some(JobState::Done));
    assert_eq!(desk.known("Ana"), [SHORT, FRENCH]);
    let ana = desk.engine.erasure().person_named("Ana").unwrap();
    for row in desk.engine.people().profile_rows(&ana).unwrap() {
        let is_model = row.entry.origin == ProfileOrigin::Model;
        assert_eq!(is_model, row.proposer.contains("tiny:1b"), "{row:?}");
        for place in row.entry.evidence.as_slice() {
            let message = desk.engine.store().read(|tx| tx.log().interaction(&place.interaction)).unwrap().unwrap();
            assert!(place.span.quote(&message.content).is_ok_and(|quote| !quote.is_empty()), "each place stands in the log");
        }
    }
    // Control: the rules do not find it without the model.
    let other = Desk::with(&server, Arc::new(PluggedIn), |settings| settings.engines = Engines::BuiltIn);
    other.append(&dm("ana", &format!("person Ana: {WISH}\nperson Ana: Please answer in French.")));
    let before = server.connections();
    assert_eq!(other.derive(), None);
    assert_eq!((other.known("Ana"), server.connections()), (vec![FRENCH.to_owned()], before));
}

#[test]
fn what_was_read_is_not_sent_again_and_one_new_line_is() {
    let server = server();
    let desk = Desk::new(&server);
    desk.append(&dm("ana", &format!("person Ana: {WISH}\nowner Mara: Hello there.")));
    desk.derive();
    let asked = desk.told(&server).len();
    assert_eq!(asked, 2, "Ana and the owner, in their one conversation");
    assert_eq!(desk.derive(), None, "nothing new, so nothing is asked");
    let mut more = dm("ana", "person Ana: The tent is booked.");
    more[0].source.message = "more".to_owned();
    desk.append(&more);
    assert_eq!(desk.derive(), Some(JobState::Done));
    let told = desk.told(&server);
    assert_eq!(told.len(), asked + 1, "of the owner nothing is new");
    assert!(told[asked].contains("The tent is booked") && told[asked].contains(QUOTE), "the new line with those around it");
    assert_eq!(desk.known("Ana"), [SHORT], "and what was known is known once");
}

#[test]
fn each_call_tells_of_one_circle_of_people_alone() {
    let server = server();
    let desk = Desk::new(&server);
    // A unique word for each audience. Ana belongs to all of them except one.
    desk.append(&room("garden", &format!("person Ana: zanzibar. {WISH}\nperson Ben: quokka.\nowner Mara: obsidian.")));
    desk.append(&dm("ana", "person Ana: marzipan.\nowner Mara: tamarind."));
    desk.append(&dm("ben", "person Ben: periwinkle.\nowner Mara: halcyon."));
    desk.append(&dm("both", "person Ana: umbra.\nperson Ben: gossamer.\nowner Mara: cobalt."));
    let attic = Conversation::new("attic").channel("matrix", "attic").public().private();
    desk.append(&attic.messages("person Ana: saffron.\nowner Mara: saffron."));
    assert_eq!(desk.derive(), Some(JobState::Done));
    const CIRCLES: [&[&str]; 4] = [
        &["zanzibar", "quokka", "obsidian"],
        &["marzipan", "tamarind"],
        &["periwinkle", "halcyon"],
        &["umbra", "gossamer", "cobalt"],
    ];
    let told = desk.told(&server);
    for text in &told {
        let met = CIRCLES.iter().filter(|words| words.iter().any(|word| text.contains(word))).count();
        assert_eq!(met, 1, "one circle in one call: {text}");
        assert!(!text.contains("saffron"), "nothing that is off the record");
    }
    // Control: every word was sent, so a mixture would have been noticed.
    for word in CIRCLES.concat() {
        assert!(told.iter().any(|text| text.contains(word)), "{word} was asked about");
    }
    assert_eq!(told.len(), 3 + 2 + 2 + 3, "each of whoever speaks there, once");
}

#[test]
fn an_entry_of_a_model_is_seen_where_its_circle_may_see_it() {
    let server = server();
    let desk = Desk::new(&server);
    desk.append(&room("garden", "person Ana: Hello.\nowner Mara: Hello.\nperson Ben: Hello."));
    desk.append(&dm("ana", &format!("person Ana: {WISH}\nowner Mara: Fine.")));
    desk.append(&dm("both", "person Ana: Hello.\nperson Ben: Hello."));
    desk.derive();
    assert_eq!(desk.known("Ana"), [SHORT], "control: it is known");
    let sees = |channel: &str| {
        let audience = keepsake_engine::Audience { channel: Some(channel.to_owned()), ..Default::default() };
        let request = keepsake_engine::ContextRequest { audience, ..Default::default() };
        desk.engine.serve().context(&request).unwrap().text.contains("Prefers short answers")
            || desk.engine.serve().context(&request).unwrap().text.contains("prefers short answers")
    };
    let seen = ["matrix:ana", "matrix:garden", "matrix:both"].map(sees);
    assert_eq!(seen, [true, false, false], "with Ana, and neither in public nor where Ben reads too");
}

#[test]
fn where_the_model_fails_what_the_rules_know_stays_and_a_person_is_told() {
    for fault in Fault::ALL {
        let server = ScriptedServer::start(move |request| {
            let good = short_answers(request);
            if purpose(request) == "profile" { Answer::Faulty(fault, good) } else { Answer::Text(good) }
        });
        let desk = Desk::with(&server, Arc::new(PluggedIn), |settings| {
            if fault == Fault::Timeout {
                settings.reply_timeout_ms = 1_000;
            }
        });
        desk.append(&dm("ana", &format!("person Ana: {WISH}\nperson Ana: Please answer in French.")));
        let mut last = desk.derive();
        while last == Some(JobState::Queued) {
            let due = desk.engine.store().read(|tx| tx.jobs().next_due(Lane::Model)).unwrap().unwrap();
            desk.clock.set(due);
            last = desk.work();
        }
        assert_eq!(last, Some(JobState::Dead), "{fault:?}");
        assert_eq!(desk.known("Ana"), [FRENCH], "{fault:?}: theirs stays, and nothing of the model's");
        let alerts = desk.alerts();
        assert!(alerts.len() == 1 && alerts[0].contains("with the model failed"), "{fault:?}: {alerts:?}");
    }
}

#[test]
fn what_a_person_refused_does_not_come_back_by_a_model() {
    let server = server();
    let desk = Desk::new(&server);
    desk.append(&dm("ana", &format!("person Ana: {WISH}")));
    desk.derive();
    let ana = desk.engine.erasure().person_named("Ana").unwrap();
    let entry = desk.engine.people().profile_rows(&ana).unwrap().remove(0).entry.id;
    desk.clock.advance_ms(86_400_000);
    desk.engine.people().dispute_profile(&entry, true).unwrap();
    for round in 0..3 {
        desk.append(&dm(&format!("again-{round}"), &format!("person Ana: {WISH}")));
        let asked = desk.told(&server).len();
        desk.derive();
        assert!(desk.told(&server).len() > asked, "round {round}: the model was asked and said it again");
        assert!(desk.known("Ana").is_empty(), "round {round}");
    }
    // Control: after the dispute is undone, the entry is known again.
    desk.engine.people().dispute_profile(&entry, false).unwrap();
    desk.derive();
    assert_eq!(desk.known("Ana"), [SHORT]);
}

#[test]
fn the_words_of_others_and_what_is_quoted_prove_nothing_whatever_the_model_cites() {
    let server = server();
    let desk = Desk::new(&server);
    desk.append(&dm(
        "ana",
        &format!(
            "person Ana: The harbour was quiet.\nassistant Nova: {WISH}\nowner Mara: Noted.\nperson Ben: {WISH}\nperson Ana: He wrote \"{WISH}\" and left."
        ),
    ));
    assert_eq!(desk.derive(), Some(JobState::Done));
    assert!(desk.known("Ana").is_empty() && desk.known("Mara").is_empty(), "{:?} {:?}", desk.known("Ana"), desk.known("Mara"));
    assert_eq!(desk.known("Ben"), [SHORT], "the control: it is believed of whoever said it");
}

#[test]
fn what_turns_private_while_it_is_asked_about_leaves_no_entry() {
    let slot: Arc<Mutex<Option<(Engine, ConversationId)>>> = Arc::default();
    let server = ScriptedServer::start({
        let slot = Arc::clone(&slot);
        move |request| {
            if purpose(request) == "profile"
                && let Some((engine, id)) = slot.lock().unwrap_or_else(PoisonError::into_inner).take()
            {
                engine.erasure().set_private(&id, true, Existing::Keep).unwrap();
            }
            Answer::Text(short_answers(request))
        }
    });
    for turns_private in [true, false] {
        let desk = Desk::new(&server);
        let id = desk.append(&dm("ana", &format!("person Ana: {WISH}")));
        let asked = desk.told(&server).len();
        *slot.lock().unwrap() = turns_private.then(|| (desk.engine.clone(), id));
        assert_eq!(desk.derive(), Some(JobState::Done));
        let count: i64 = rusqlite::Connection::open(desk.engine.store().path())
            .unwrap()
            .query_row("SELECT count(*) FROM entity_profiles", [], |row| row.get(0))
            .unwrap();
        assert_eq!(count, i64::from(!turns_private), "the control keeps its entry");
        assert_eq!(desk.told(&server).len(), asked + 1);
    }
}

#[test]
fn a_crash_after_a_reply_pays_once_and_writes_once() {
    let server = server();
    let desk = Desk::new(&server);
    desk.append(&dm("ana", &format!("person Ana: {WISH}")));
    desk.engine.people().queue_profiles().unwrap();
    while let Step::Ran(..) = desk.engine.queue().run_next(Lane::Capture, &|_| {}).unwrap() {}
    let is_answered = || desk.calls().iter().any(|call| call == "profile/1 answered");
    let kill = |point: keepsake_engine::KillPoint| point == keepsake_engine::KillPoint::Working && is_answered();
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
    assert_eq!(desk.told(&server).len(), 1, "what was paid for is not asked again");
    assert_eq!(desk.known("Ana"), [SHORT]);
}

#[test]
fn erasing_a_conversation_takes_the_texts_of_the_calls_that_told_of_it() {
    let server = server();
    let desk = Desk::new(&server);
    let id = desk.append(&dm("ana", &format!("person Ana: zanzibar. {WISH}")));
    desk.append(&dm("ben", "person Ben: quokka."));
    desk.derive();
    let texts = || {
        let (_, calls) = desk.engine.store().read(|tx| tx.model_calls().list(false, 0, 100)).unwrap();
        calls.into_iter().map(|call| format!("{} {:?}", call.request, call.reply)).collect::<Vec<_>>().join("\n")
    };
    assert!(texts().contains("zanzibar") && texts().contains("quokka"), "control: both are on record");
    desk.engine.erasure().erase_conversation(&id, "a test").unwrap();
    assert!(!texts().contains("zanzibar") && !texts().contains(QUOTE), "what told of it is gone");
    assert!(texts().contains("quokka"), "what told of others stays");
}

#[test]
fn a_job_of_a_model_that_is_not_chosen_any_more_asks_nobody() {
    let server = server();
    let desk = Desk::new(&server);
    desk.append(&dm("ana", &format!("person Ana: {WISH}")));
    desk.engine.people().queue_profiles().unwrap();
    while let Step::Ran(..) = desk.engine.queue().run_next(Lane::Capture, &|_| {}).unwrap() {}
    let mut settings = desk.engine.models().settings().unwrap();
    settings.engines = Engines::BuiltIn;
    desk.engine.models().set_settings(&settings).unwrap();
    desk.work();
    assert_eq!(desk.told(&server).len(), 0);
    let jobs = desk.engine.store().read(|tx| tx.jobs().recent(20)).unwrap();
    let job = jobs.iter().find(|job| job.kind == JobKind::DeriveProfilesModel).unwrap();
    assert_eq!(job.state, JobState::Done, "there is nothing to do and nothing to be told of");
}
