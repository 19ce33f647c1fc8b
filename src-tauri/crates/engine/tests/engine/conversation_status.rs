//! Tests the conversation status: judged after messages arrive, again when the passage of time may change it, and never for
//! excluded conversations.

use std::sync::{Arc, Mutex};

use keepsake_domain::{
    Change, Clock, ConversationId, ConversationStatus, DAY_MS, JobKind, Lane, Reading, StatementPair, Timestamp, Utterance,
};
use keepsake_engine::{Audience, ContextRequest, Existing, StoredConversationStatus};
use keepsake_models::fake::{PhraseReader, SentenceReader};
use keepsake_models::{ReadError, Reader};
use keepsake_testkit::{Conversation, conversation};

use crate::fixture::Fixture;

const TALK: &str = "owner Mara: Can you send me the budget for the garden party?
person Ana: Sure, I'll send you the budget by Friday.
owner Mara: Great. I moved the garden party to the second of May because of the rain.
person Ana: The tent is booked from eight in the morning, and the band comes at six.
owner Mara: The band wants two hundred for the evening, which is what we had last year.
person Ana: That is fine for me, the rest goes to the food.";

impl Fixture {
    fn settle(&self) -> Option<Timestamp> {
        let next = self.engine.conversations().queue_settling().unwrap();
        let lock = self.engine.queue().lock_worker().unwrap();
        self.engine.queue().run_due(&lock, &|_| {}).unwrap();
        next.or_else(|| self.engine.conversations().queue_settling().unwrap())
    }

    fn standing(&self, id: &ConversationId) -> Option<StoredConversationStatus> {
        self.engine.store().read(|tx| self.engine.conversations().status_of(tx, id)).unwrap()
    }

    fn status(&self, id: &ConversationId) -> ConversationStatus {
        self.standing(id).unwrap().status
    }
}

fn party(f: &Fixture) -> ConversationId {
    f.append(&Conversation::new("party").channel("dm", "ana").messages(TALK))
}

#[test]
fn a_conversation_is_active_rests_ends_and_comes_back_with_a_new_message() {
    let f = Fixture::new();
    let id = party(&f);
    f.settle();
    assert_eq!(f.status(&id), ConversationStatus::Active);
    let mut seen = vec![ConversationStatus::Active];
    // Only time passes: the status changes at the due times that the judgment returns, without polling in between.
    for _ in 0..40 {
        let Some(due) = f.settle() else { break };
        assert!(due > f.clock.now(), "not at once again: that would never rest");
        f.clock.set(due);
        f.settle();
        let status = f.status(&id);
        if seen.last() != Some(&status) {
            seen.push(status);
        }
    }
    assert_eq!(seen, [ConversationStatus::Active, ConversationStatus::Idle, ConversationStatus::Archived]);
    let standing = f.standing(&id).unwrap();
    assert_eq!(standing.reasons[0].kind, "long_silence", "{:?}", standing.reasons);
    assert!(standing.reasons[0].silence_ms > standing.reasons[0].end_ms, "the reason carries its measure");
    assert_eq!(f.settle(), None, "what has ended needs no further look");

    let mut more = Conversation::new("party").channel("dm", "ana").messages("person Ana: One more thing about the band.");
    more[0].source.message = "later".to_owned();
    more[0].time = f.clock.now();
    f.append(&more);
    assert_eq!(f.status(&id), ConversationStatus::Active, "a new message makes it active at once");
    f.settle();
    assert_eq!(f.status(&id), ConversationStatus::Active);
}

#[test]
fn a_promise_is_kept_with_who_owes_whom_until_when_and_where_it_was_said() {
    let f = Fixture::new();
    let id = party(&f);
    f.settle();
    let commitments = f.standing(&id).unwrap().commitments;
    assert_eq!(commitments.len(), 1, "{commitments:?}");
    let promise = &commitments[0];
    assert_eq!((promise.debtor.name.as_str(), promise.debtor.is_owner), ("Ana", false));
    assert!(promise.creditor.as_ref().is_some_and(|party| party.is_owner), "{promise:?}");
    assert!(promise.due.is_some() && promise.is_open(), "{promise:?}");
    let row = f.engine.store().read(|tx| tx.log().interaction(&promise.place.interaction_id)).unwrap().unwrap();
    assert!(row.content.contains("by Friday"), "the span stands in her line");
    let ana = f.engine.people().list().unwrap().into_iter().find(|person| person.name == "Ana").unwrap();
    let owed = f.engine.conversations().commitments_with(&ana.id).unwrap();
    assert_eq!(owed.len(), 1, "it is found from the person");
}

/// A later line that was compared, with the line before it.
type Compared = (String, Option<String>);

/// A reader that records the lines it is asked to compare with a promise.
struct Recorded(Arc<Mutex<Vec<Compared>>>);

impl Reader for Recorded {
    fn version(&self) -> &str {
        "reader/recorded"
    }

    fn read(&self, turns: &[Utterance<'_>], which: &[usize]) -> Result<Vec<Reading>, ReadError> {
        SentenceReader.read(turns, which)
    }

    fn compare(&self, pairs: &[StatementPair<'_>]) -> Result<Vec<Change>, ReadError> {
        let text = |said: &Utterance<'_>| said.text.to_owned();
        let lines = pairs.iter().map(|pair| (text(&pair.later), pair.before.as_ref().map(text)));
        self.0.lock().unwrap().extend(lines);
        SentenceReader.compare(pairs)
    }
}

#[test]
fn a_promise_is_settled_by_the_line_that_the_reader_says_and_nothing_is_compared_twice() {
    let f = Fixture::new();
    let compared = Arc::default();
    f.engine.embedder().reader().put(Arc::new(Recorded(Arc::clone(&compared))));
    let count = || compared.lock().unwrap().len();
    let id = party(&f);
    f.settle();
    let first = count();
    assert!(first > 0, "what was said after it was compared");
    let say = |name: &str, line: &str| {
        f.clock.advance_ms(DAY_MS);
        let mut said = Conversation::new("party").channel("dm", "ana").messages(line);
        said[0].source.message = name.to_owned();
        said[0].time = f.clock.now();
        f.append(&said);
        f.settle();
        f.standing(&id).unwrap().commitments.remove(0)
    };
    let open = say("other", "person Ana: The tent has a hole.");
    assert!(open.is_open(), "{open:?}");
    assert_eq!(count(), first + 1, "only what is new");
    let promise = say("kept", "person Ana: I've sent you the budget.");
    let place = promise.settled_at.clone().expect("it is settled");
    let row = f.engine.store().read(|tx| tx.log().interaction(&place.interaction_id)).unwrap().unwrap();
    assert_eq!(row.content, "I've sent you the budget.");
    let after = say("after", "person Ana: I've eaten the budget.");
    assert_eq!(after.settled_at.as_ref(), Some(&place), "a line that is no surer takes nothing away");
    assert!(count() <= first + 3, "each line once");
    f.engine.embedder().reader().put(Arc::new(PhraseReader::default()));
    let other = say_nothing(&f, &id);
    assert!(other.is_empty(), "another reader reads anew, and this one sees no promise: {other:?}");
}

#[test]
fn a_line_is_compared_behind_the_one_before_it_unless_a_long_pause_lies_between() {
    let f = Fixture::new();
    let compared: Arc<Mutex<Vec<Compared>>> = Arc::default();
    f.engine.embedder().reader().put(Arc::new(Recorded(Arc::clone(&compared))));
    party(&f);
    f.settle();
    let before = |pause_ms: i64, line: &str| {
        f.clock.advance_ms(pause_ms);
        let mut said = Conversation::new("party").channel("dm", "ana").messages(&format!("person Ana: {line}"));
        said[0].source.message = line.to_owned();
        said[0].time = f.clock.now();
        f.append(&said);
        f.settle();
        compared.lock().unwrap().iter().find(|(later, _)| later == line).expect("it is compared").1.clone()
    };
    assert_eq!(before(DAY_MS, "The tent has a hole."), None, "yesterday's line is not what it answers");
    assert_eq!(before(60_000, "I can mend it.").as_deref(), Some("The tent has a hole."), "control: a minute is no pause");
}

fn say_nothing(f: &Fixture, id: &ConversationId) -> Vec<keepsake_engine::StoredCommitment> {
    f.clock.advance_ms(30 * DAY_MS);
    f.settle();
    f.standing(id).unwrap().commitments
}

#[test]
fn a_summary_names_its_range_and_is_superseded_by_a_newer_one() {
    let f = Fixture::new();
    // Automatic analysis is turned off, because analyzing an ended conversation writes a summary too.
    f.engine.conversations().set_automatic_analysis(false).unwrap();
    let id = party(&f);
    f.settle();
    assert_eq!(f.standing(&id).unwrap().summary, None, "while they talk there is nothing to sum up");
    f.clock.advance_ms(30 * DAY_MS);
    f.settle();
    let first = f.standing(&id).unwrap().summary.expect("it rests");
    let rows = f.engine.store().read(|tx| tx.log().conversation_interactions(&id)).unwrap();
    assert_eq!((&first.first, &first.last), (&rows[0].id, &rows[rows.len() - 1].id));
    f.clock.advance_ms(30 * DAY_MS);
    f.settle();
    assert_eq!(f.standing(&id).unwrap().summary.as_ref(), Some(&first), "the same words need no second one");
    let mut more =
        Conversation::new("party").channel("dm", "ana").messages("person Ana: The band cancelled, so we need another one.");
    more[0].source.message = "later".to_owned();
    more[0].time = f.clock.now();
    f.append(&more);
    f.clock.advance_ms(90 * DAY_MS);
    f.settle();
    let second = f.standing(&id).unwrap().summary.unwrap();
    assert_eq!(second.supersedes_id.as_ref(), Some(&first.id), "the older one stays as it is");
    assert_ne!(second.last, first.last);
}

#[test]
fn off_the_record_nothing_is_judged_kept_or_told() {
    for existing in [Existing::Keep, Existing::Hide, Existing::Erase] {
        let f = Fixture::new();
        let id = party(&f);
        f.clock.advance_ms(30 * DAY_MS);
        f.settle();
        assert!(f.standing(&id).unwrap().summary.is_some(), "control: it was judged");
        f.engine.erasure().set_private(&id, true, existing).unwrap();
        assert_eq!(f.standing(&id), None, "{existing:?}: nothing of it is served");
        let ana = f.engine.people().list().unwrap().into_iter().find(|person| person.name == "Ana").unwrap();
        assert!(f.engine.conversations().commitments_with(&ana.id).unwrap().is_empty(), "{existing:?}");
        let mut secret =
            Conversation::new("party").channel("dm", "ana").messages("person Ana: I'll bring you the marzipan by Monday.");
        secret[0].source.message = "secret".to_owned();
        secret[0].time = f.clock.now();
        f.append(&secret);
        f.settle();
        f.engine.erasure().set_private(&id, false, existing).unwrap();
        if existing == Existing::Erase {
            let standing = f.standing(&id).unwrap();
            assert!(standing.commitments.is_empty() && standing.summary.is_none(), "what was erased does not come back");
        }
        f.settle();
        let standing = f.standing(&id).unwrap();
        assert!(
            !standing.commitments.iter().any(|promise| promise.what.contains("marzipan")),
            "what was said off the record is not read later"
        );
    }
}

#[test]
fn promises_and_the_summary_of_before_are_back_when_it_is_on_the_record_again() {
    for existing in [Existing::Keep, Existing::Hide] {
        for is_written_meanwhile in [false, true] {
            let f = Fixture::new();
            f.engine.conversations().set_automatic_analysis(false).unwrap();
            let id = party(&f);
            f.clock.advance_ms(30 * DAY_MS);
            f.settle();
            let before = f.standing(&id).unwrap();
            assert!(before.commitments.len() == 1 && before.summary.is_some(), "control: {before:?}");
            f.engine.erasure().set_private(&id, true, existing).unwrap();
            assert_eq!(f.standing(&id), None, "control: not while it is off the record");
            if is_written_meanwhile {
                let mut more = Conversation::new("party").channel("dm", "ana").messages("person Ana: Nobody is to know of this.");
                more[0].source.message = "meanwhile".to_owned();
                more[0].time = f.clock.now();
                f.append(&more);
            }
            f.engine.erasure().set_private(&id, false, existing).unwrap();
            f.settle();
            f.clock.advance_ms(60 * DAY_MS);
            f.settle();
            let after = f.standing(&id).unwrap();
            let case = format!("{existing:?}, written meanwhile: {is_written_meanwhile}");
            let told =
                |standing: &StoredConversationStatus| standing.commitments.iter().map(|one| one.what.clone()).collect::<Vec<_>>();
            assert_eq!(told(&after), told(&before), "{case}");
            let words = |standing: StoredConversationStatus| standing.summary.map(|summary| summary.text);
            assert_eq!(words(after), words(before), "{case}");
        }
    }
}

#[test]
fn a_context_holds_open_promises_and_earlier_summaries_of_the_people_here() {
    let f = Fixture::new();
    let id = party(&f);
    f.append(&conversation("other", "owner Mara: I keep the cello in the hall."));
    f.settle();
    let request = |channel: &str, person: Option<&str>| ContextRequest {
        audience: Audience { channel: Some(channel.to_owned()), person: person.map(str::to_owned), agent: None },
        ..ContextRequest::default()
    };
    let here = f.engine.serve().context(&request("dm:ana", None)).unwrap();
    assert!(here.items.iter().any(|item| item.kind == "commitment"), "{}", here.text);
    assert!(here.text.contains("Ana promised"), "{}", here.text);
    f.clock.advance_ms(30 * DAY_MS);
    f.settle();
    let elsewhere = f.engine.serve().context(&request("dm:elsewhere", Some("Ana"))).unwrap();
    let told = elsewhere.items.iter().find(|item| item.kind == "summary");
    let stored = f.standing(&id).unwrap().summary.unwrap();
    assert_eq!(told.map(|item| item.id.clone()), Some(stored.id.to_string()), "{}", elsewhere.text);
    let public = f.engine.serve().context(&request("matrix:!open", None)).unwrap();
    assert!(
        !public.items.iter().any(|item| item.kind == "summary"),
        "a closed conversation is not summed up in public: {}",
        public.text
    );
    f.engine.erasure().set_private(&id, true, Existing::Keep).unwrap();
    let after = f.engine.serve().context(&request("dm:elsewhere", Some("Ana"))).unwrap();
    assert!(!after.items.iter().any(|item| item.kind == "summary"), "off the record it is told nowhere");
}

#[test]
fn a_look_waits_for_its_time_and_one_that_failed_for_good_is_not_tried_for_ever() {
    let f = Fixture::new();
    party(&f);
    let due = f.settle().expect("an active conversation may end");
    let lane = JobKind::SettleConversations.lane();
    assert_eq!(lane, Lane::Capture);
    let jobs = || f.engine.store().read(|tx| tx.jobs().unsettled()).unwrap();
    assert_eq!((f.engine.conversations().queue_settling().unwrap(), jobs()), (Some(due), 0), "nothing is queued before its time");
    f.clock.set(due);
    assert_eq!((f.engine.conversations().queue_settling().unwrap(), jobs()), (None, 1));
    assert_eq!((f.engine.conversations().queue_settling().unwrap(), jobs()), (None, 1), "one look at a time");
}
