//! A model judges whether a conversation has ended. The decision is the same as by the rules, with the model as judge. If the
//! model fails, the rules decide.

use std::sync::{Arc, Mutex, PoisonError};

use keepsake_domain::{Clock, ConversationId, ConversationStatus, DAY_MS, Engines, JobState, Lane};
use keepsake_engine::{Engine, Existing, PluggedIn, StoredConversationStatus};
use keepsake_testkit::Conversation;
use keepsake_testkit::scripted_server::{Answer, Fault, Received, ScriptedServer};
use serde_json::json;

use super::Desk;
use super::yes::{lines, purpose, reply};

const RULES: &str = "builtin-conversation/2";
const MODEL: &str = "tiny:1b ended/1";

const TALK: &str = "owner Mara: The tent is booked from eight in the morning.
person Ana: The band comes at six and wants two hundred for the evening.
owner Mara: That is what we had last year, so it suits the budget.
person Ana: The rest goes to the food and nothing is open on my side.";

/// The words of the last line.
const LAST: &str = "nothing is open on my side";

fn says(request: &Received, state: &str, because: &str, quote: &str) -> String {
    if purpose(request) != "ended" {
        return reply(request, &[]);
    }
    let line = lines(request).into_iter().find(|(_, _, text)| text.contains(quote)).map_or(1, |(line, ..)| line);
    json!({ "state": state, "because": because, "line": line, "quote": quote, "confidence": 0.9 }).to_string()
}

fn server(state: &'static str, because: &'static str, quote: &'static str) -> ScriptedServer {
    ScriptedServer::start(move |request| Answer::Text(says(request, state, because, quote)))
}

impl Desk {
    fn party(&self) -> ConversationId {
        self.append(&Conversation::new("party").channel("dm", "ana").messages(TALK))
    }

    /// Judges the conversations that are due. Returns the final state of the last job in the model lane.
    fn settle(&self) -> Option<JobState> {
        self.engine.conversations().queue_settling().unwrap();
        self.work()
    }

    fn standing(&self, id: &ConversationId) -> StoredConversationStatus {
        self.engine.store().read(|tx| self.engine.conversations().status_of(tx, id)).unwrap().unwrap()
    }

    /// Advances to each moment at which the status may change, until the conversation is no longer active according to the rules.
    fn until_it_rests(&self, id: &ConversationId) -> Option<JobState> {
        self.settle();
        for _ in 0..40 {
            let Some(due) = self.engine.conversations().queue_settling().unwrap() else { break };
            self.clock.set(due);
            let last = self.settle();
            if last.is_some() || self.standing(id).status != ConversationStatus::Active {
                return last;
            }
        }
        panic!("it never rests");
    }

    fn asked(&self) -> usize {
        self.calls().iter().filter(|call| call.starts_with("ended/1")).count()
    }
}

#[test]
fn a_model_judges_where_the_rules_are_in_doubt_and_its_name_stands_beside_it() {
    let server = server("ended", "settled", LAST);
    let desk = Desk::new(&server);
    let id = desk.party();
    desk.settle();
    assert_eq!(desk.asked(), 0, "while they talk nobody is asked");
    assert_eq!(desk.standing(&id).judge.as_deref(), Some(RULES));
    assert_eq!(desk.until_it_rests(&id), Some(JobState::Done));
    let standing = desk.standing(&id);
    assert_eq!((standing.status, standing.judge.as_deref()), (ConversationStatus::Archived, Some(MODEL)));
    let kinds: Vec<&str> = standing.reasons.iter().map(|reason| reason.kind.as_str()).collect();
    assert_eq!(kinds, ["beyond_rhythm", "settled"], "the measure of the silence stays the rules'");
    let place = standing.reasons[1].place.clone().unwrap();
    let row = desk.engine.store().read(|tx| tx.log().interaction(&place.interaction_id)).unwrap().unwrap();
    assert!(row.content.contains(LAST));
    assert_eq!(desk.engine.conversations().queue_settling().unwrap(), None, "what has ended needs no further look");
    assert_eq!(desk.asked(), 1);
    // After a new message, the rules see that the conversation continues, and the model is not asked.
    let mut more = Conversation::new("party").channel("dm", "ana").messages("person Ana: One more thing about the band.");
    more[0].source.message = "later".to_owned();
    more[0].time = desk.clock.now();
    desk.append(&more);
    desk.settle();
    let standing = desk.standing(&id);
    assert_eq!((standing.status, standing.judge.as_deref()), (ConversationStatus::Active, Some(RULES)));
    assert_eq!(desk.asked(), 1);
}

#[test]
fn a_model_that_holds_it_open_is_asked_again_in_its_time_and_not_for_ever() {
    let server = server("goes_on", "open_question", "wants two hundred for the evening");
    let desk = Desk::new(&server);
    let id = desk.party();
    desk.until_it_rests(&id);
    assert_eq!((desk.standing(&id).status, desk.standing(&id).judge.as_deref()), (ConversationStatus::Active, Some(MODEL)));
    let mut looks = 0;
    while let Some(due) = desk.engine.conversations().queue_settling().unwrap() {
        assert!(due > desk.clock.now(), "not at once again");
        desk.clock.set(due);
        desk.settle();
        looks += 1;
        assert!(looks < 20, "it comes to rest");
    }
    let standing = desk.standing(&id);
    assert_eq!(
        (standing.status, standing.judge.as_deref()),
        (ConversationStatus::Archived, Some(RULES)),
        "time has the last word"
    );
    assert!((2..=8).contains(&desk.asked()), "asked some few times: {}", desk.asked());
}

#[test]
fn nobody_is_asked_about_what_has_been_silent_for_long_or_where_no_model_is_chosen() {
    let server = server("goes_on", "silence", "");
    let desk = Desk::new(&server);
    desk.clock.advance_ms(900 * DAY_MS);
    let id = desk.party();
    desk.settle();
    assert_eq!((desk.standing(&id).status, desk.asked()), (ConversationStatus::Archived, 0), "an old import costs nothing");
    let desk = Desk::with(&server, Arc::new(PluggedIn), |settings| settings.engines = Engines::BuiltIn);
    let id = desk.party();
    desk.until_it_rests(&id);
    assert_eq!((desk.standing(&id).judge.as_deref(), desk.asked()), (Some(RULES), 0));
}

#[test]
fn an_answer_that_rests_on_nothing_leaves_the_judgement_of_the_rules() {
    for (state, because, quote) in [
        ("ended", "farewell", "Goodbye and good luck"),
        ("ended", "open_question", "wants two hundred for the evening"),
        ("goes_on", "settled", LAST),
    ] {
        let server = server(state, because, quote);
        let desk = Desk::new(&server);
        let id = desk.party();
        assert_eq!(desk.until_it_rests(&id), Some(JobState::Done), "{because}");
        let standing = desk.standing(&id);
        assert_eq!((standing.status, standing.judge.as_deref()), (ConversationStatus::Idle, Some(RULES)), "{because}");
        assert!(desk.asked() == 1 && desk.alerts().is_empty(), "{because}: a bad judgement is no failure");
    }
}

#[test]
fn where_the_model_fails_the_rules_have_judged_and_a_person_is_told() {
    for fault in Fault::ALL {
        let server = ScriptedServer::start(move |request| {
            let good = says(request, "ended", "settled", LAST);
            if purpose(request) == "ended" { Answer::Faulty(fault, good) } else { Answer::Text(good) }
        });
        let desk = Desk::with(&server, Arc::new(PluggedIn), |settings| {
            if fault == Fault::Timeout {
                settings.reply_timeout_ms = 1_000;
            }
        });
        let id = desk.party();
        let mut last = desk.until_it_rests(&id);
        while last == Some(JobState::Queued) {
            assert_eq!(desk.standing(&id).judge.as_deref(), Some(RULES), "{fault:?}: it is judged while it is retried");
            let due = desk.engine.store().read(|tx| tx.jobs().next_due(Lane::Model)).unwrap().unwrap();
            desk.clock.set(due);
            last = desk.work();
        }
        assert_eq!(last, Some(JobState::Dead), "{fault:?}");
        let standing = desk.standing(&id);
        assert_eq!((standing.status, standing.judge.as_deref()), (ConversationStatus::Idle, Some(RULES)), "{fault:?}");
        assert_eq!(desk.alerts().len(), 1, "{fault:?}: {:?}", desk.alerts());
    }
}

#[test]
fn off_the_record_nothing_is_asked_and_an_answer_that_comes_too_late_is_not_kept() {
    let slot: Arc<Mutex<Option<(Engine, ConversationId)>>> = Arc::default();
    let server = ScriptedServer::start({
        let slot = Arc::clone(&slot);
        move |request| {
            if purpose(request) == "ended"
                && let Some((engine, id)) = slot.lock().unwrap_or_else(PoisonError::into_inner).take()
            {
                engine.erasure().set_private(&id, true, Existing::Erase).unwrap();
            }
            Answer::Text(says(request, "ended", "settled", LAST))
        }
    });
    let desk = Desk::new(&server);
    let id = desk.party();
    desk.settle();
    *slot.lock().unwrap() = Some((desk.engine.clone(), id.clone()));
    for _ in 0..10 {
        let Some(due) = desk.engine.conversations().queue_settling().unwrap().filter(|_| desk.asked() == 0) else { break };
        desk.clock.set(due);
        desk.settle();
    }
    assert_eq!(desk.asked(), 1, "it was asked, and turned private before the answer came");
    desk.engine.erasure().set_private(&id, false, Existing::Keep).unwrap();
    assert_ne!(desk.standing(&id).judge.as_deref(), Some(MODEL), "nothing was kept of the answer");
    desk.settle();
    assert_eq!(desk.standing(&id).judge.as_deref(), Some(RULES), "the rules judge what is said from now on");
    // In the other order: the conversation is excluded before the model is asked.
    let desk = Desk::new(&server);
    let id = desk.party();
    desk.engine.erasure().set_private(&id, true, Existing::Keep).unwrap();
    for _ in 0..4 {
        desk.clock.advance_ms(DAY_MS);
        desk.settle();
    }
    assert_eq!(desk.asked(), 0);
}
