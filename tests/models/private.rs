//! Messages that arrived while a conversation was excluded are never read by a model later, neither as input nor as context, and
//! are never evidence.

use std::sync::{Arc, Mutex, PoisonError};

use keepsake_domain::{ConversationId, Engines, JobState, Lane, Message};
use keepsake_engine::{Engine, Existing, PluggedIn, Step, Unwatched};
use keepsake_testkit::Conversation;
use keepsake_testkit::scripted_server::{Answer, ScriptedServer};

use super::Desk;
use super::yes::{Claim, fact, purpose, reply, server};

/// A word that occurs only in messages that arrived during the exclusion.
const CANARY: &str = "zanzibar";

const NURSE: &str = "I work as a nurse on a children's ward because the mornings there are calm";
const HIDDEN: &str = "I am allergic to zanzibarnuts because my mother was";
const CELLO: &str = "I play the cello every evening because it clears my head";

fn claims() -> Vec<Claim> {
    vec![
        fact(NURSE, "User works as a nurse on a children's ward", "personal_info"),
        fact(HIDDEN, "User is allergic to zanzibarnuts", "personal_info"),
        fact(CELLO, "User plays the cello every evening", "preference"),
    ]
}

/// Number of messages that arrive during and after the exclusion.
#[derive(Debug, Clone, Copy)]
struct Arrived {
    hidden: usize,
    after: usize,
}

/// The log of a conversation at three moments: before the exclusion, at its end, and later.
fn moments(channel: &str, arrived: Arrived) -> [Vec<Message>; 3] {
    let before = format!("owner Mara: {NURSE}.\nassistant Nova: Good for you.\n");
    let during: String = (0..arrived.hidden)
        .map(|n| format!("owner Mara: {HIDDEN}, case {n}.\nassistant Nova: Zanzibarnuts are rare, case {n}.\n"))
        .collect();
    let after: String = (0..arrived.after).map(|n| format!("person Ana: Evening {n} was fine.\n")).collect();
    let last = format!("owner Mara: {CELLO}.\n");
    let of = |lines: &str| Conversation::new("c1").channel(channel, "c1").messages(lines);
    [of(&before), of(&format!("{before}{during}")), of(&format!("{before}{during}{after}{last}"))]
}

impl Desk {
    /// A conversation that was read, excluded for a while, and used again. Messages after the exclusion have not been read yet.
    fn let_back_in(&self, channel: &str, arrived: Arrived) -> ConversationId {
        let [before, during, after] = moments(channel, arrived);
        let id = self.append(&before);
        self.work();
        self.engine.erasure().set_private(&id, true, Existing::Keep).unwrap();
        self.append(&during);
        self.work();
        self.engine.erasure().set_private(&id, false, Existing::Keep).unwrap();
        self.append(&after);
        id
    }
}

/// Asserts that no message from the exclusion was sent, and that nothing was derived from one.
#[track_caller]
fn assert_unheard(desk: &Desk, server: &ScriptedServer, why: &str) {
    for request in server.received() {
        let sent = String::from_utf8_lossy(&request.body).to_lowercase();
        assert!(!sent.contains(CANARY), "{why}: sent to a model for \"{}\": {sent}", purpose(&request));
    }
    let derived = [desk.memories(), desk.quotes(), desk.log()].concat().join("\n");
    assert!(!derived.to_lowercase().contains(CANARY), "{why}: {derived}");
}

#[test]
fn no_model_reads_what_was_said_in_private() {
    let check = |engines: Engines, channel: &str, arrived: Arrived| {
        let why = format!("{engines:?} {channel} {arrived:?}");
        let server = server(claims());
        let desk = Desk::with(&server, Arc::new(PluggedIn), |settings| settings.engines = engines);
        let id = desk.let_back_in(channel, arrived);
        desk.work();
        let memories = desk.memories().join("\n");
        assert!(memories.contains("cello"), "{why}: what came after it is read: {memories}");
        desk.engine.sessions().end(&id, "nova").unwrap();
        desk.work();
        // Forced, because the remaining messages may be too few for a normal analysis.
        desk.engine.conversations().queue_analysis(&id, true).unwrap();
        desk.work();
        desk.engine.models().queue_unread_by_model().unwrap();
        desk.work();
        assert_unheard(&desk, &server, &why);
        let asked: Vec<&str> = server.received().iter().map(purpose).collect();
        for kind in ["reading", "analysis"] {
            assert!(asked.contains(&kind), "{why}: {kind} was asked: {asked:?}");
        }
    };
    // One message afterwards, as in a live channel; more messages than are read in one pass; and a meeting, which is read as a
    // whole.
    for engines in [Engines::Model, Engines::Both] {
        check(engines, "chat", Arrived { hidden: 25, after: 3 });
        check(engines, "chat", Arrived { hidden: 2, after: 40 });
        check(engines, "meeting", Arrived { hidden: 3, after: 3 });
    }
}

#[test]
fn the_same_messages_are_read_where_the_conversation_was_never_private() {
    let server = server(claims());
    let desk = Desk::new(&server);
    let [.., all] = moments("chat", Arrived { hidden: 2, after: 3 });
    desk.append(&all);
    desk.work();
    assert!(desk.memories().join("\n").contains("zanzibarnuts"), "{:?}", desk.memories());
}

#[test]
fn a_session_is_summed_up_without_what_was_said_in_private() {
    let server = server(claims());
    let desk = Desk::new(&server);
    let arrived = Arrived { hidden: 3, after: 0 };
    let [before, during, _] = moments("chat", arrived);
    let id = desk.append(&before);
    desk.engine.erasure().set_private(&id, true, Existing::Keep).unwrap();
    desk.append(&during);
    desk.engine.erasure().set_private(&id, false, Existing::Keep).unwrap();
    let [.., mut after] = moments("chat", arrived);
    let lines = "owner Mara: Can you book a train to Ghent for Saturday?\nassistant Nova: I booked the train at nine.\nowner Mara: The museum in Ghent opens at ten, so that suits me.\nassistant Nova: Then you have an hour for breakfast.";
    let more = Conversation::new("c1").messages(lines).into_iter().enumerate().map(|(n, mut message)| {
        message.source.message = format!("later{n}");
        message.time = message.time.plus_ms(60 * 60_000);
        message
    });
    after.extend(more);
    desk.append(&after);
    desk.work();
    desk.engine.sessions().end(&id, "nova").unwrap();
    desk.work();
    assert!(
        server.received().iter().any(|request| purpose(request) == "session"),
        "a session was asked about: {:?}",
        desk.calls()
    );
    assert_unheard(&desk, &server, "sessions");
}

/// The conversation that is excluded and then used again while the next call is answered, and whether its messages then count as
/// having arrived during an exclusion.
type Toggled = Arc<Mutex<Option<(Engine, ConversationId, Trace)>>>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trace {
    Left,
    NotLeft,
}

fn toggling_server(slot: &Toggled) -> ScriptedServer {
    let slot = Arc::clone(slot);
    ScriptedServer::start(move |request| {
        if let Some((engine, id, trace)) = slot.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // Changed directly in the store, so that no job is canceled. The state must be checked both before text is sent and
            // before results are stored.
            engine
                .store()
                .write(|tx| if trace == Trace::Left { tx.log().begin_private(&id, 0) } else { tx.log().set_private(&id, true) })
                .unwrap();
            engine.store().write(|tx| tx.log().set_private(&id, false)).unwrap();
        }
        Answer::Text(reply(request, &claims()))
    })
}

#[test]
fn what_became_private_time_while_a_model_answers_is_not_stored_and_nothing_more_is_sent() {
    let slot = Toggled::default();
    let server = toggling_server(&slot);
    for trace in [Trace::Left, Trace::NotLeft] {
        let desk = Desk::new(&server);
        let [before, ..] = moments("chat", Arrived { hidden: 0, after: 0 });
        let id = desk.append(&before);
        while let Step::Ran(..) = desk.engine.queue().run_next(Lane::Capture, &|_| {}).unwrap() {}
        *slot.lock().unwrap() = Some((desk.engine.clone(), id.clone(), trace));
        let calls = server.calls();
        let end = desk.work();
        if trace == Trace::Left {
            assert_ne!(end, Some(JobState::Done));
            assert_eq!(server.calls() - calls, 1, "{:?}", desk.calls());
        }
        assert_eq!(desk.memories().is_empty(), trace == Trace::Left, "{trace:?}: {:?}", desk.memories());

        // An analysis consists of one call and one write.
        let stored = desk.memories();
        let long: String =
            (0..8).map(|n| format!("owner Mara: {CELLO}, week {n}.\nassistant Nova: Lovely, week {n}.\n")).collect();
        let id = desk.append(&Conversation::new("c2").messages(&long));
        *slot.lock().unwrap() = Some((desk.engine.clone(), id.clone(), trace));
        let analysed = desk.engine.conversations().analyze_now(&id, &Unwatched);
        let analyses = desk.engine.store().read(|tx| tx.analyses().of(&id)).unwrap();
        assert_eq!(analyses.is_empty(), trace == Trace::Left, "{trace:?}: {analysed:?} {analyses:?}");
        assert_eq!(desk.memories() == stored, trace == Trace::Left, "{trace:?}: {:?}", desk.memories());
    }
}
