//! Tests topics end to end: derived by the job in every partition, rebuilt identically, decided on, undone, and erased.

use keepsake_domain::{ConversationId, HOUR_MS, InteractionId, JobState, Lane, Timestamp, TopicId};
use keepsake_engine::{Audience, EngineError, Existing, KillPoint, Step, TopicChoice, TopicRules, VisibleTopic};
use keepsake_testkit::Conversation;

use crate::fixture::Fixture;

const CANARY: &str = "xylokarpzebra";

const PUMP: &str = "owner Mara 10:00: The water pump at the well makes no sound when I press the switch.
person Ana: Did you look at the fuse of the water pump in the shed?
owner Mara: The fuse is fine, the pump gets 230 volts at the socket.
person Ana: Then the capacitor of the pump is broken, a new capacitor costs twelve euros.
owner Mara: We decided to try a new capacitor before we buy a new pump.
person Ana: I ordered a capacitor for the pump with 16 microfarad.";

const PUMP_AGAIN: &str = "owner Mara 10:00: The capacitor is in and the water pump runs again, it was really just the capacitor.
person Ana: Wonderful, and the suction filter of the pump was full of sand.
owner Mara: I learned that the suction filter of the pump has to be cleaned every spring.
person Ana: The pump has good pressure at the far tap now.";

const LISBON: &str = "owner Mara 12:00: The flights to Lisbon in May cost 180 each with the morning flight.
person Ana: The guesthouse in Lisbon with the garden still has a room for five nights.
owner Mara: I booked the morning flight to Lisbon and reserved the guesthouse.
person Ana: We need tickets for the tile museum in Lisbon, they sell out.
owner Mara: The tile museum in Lisbon is closed on Mondays, so I took tickets for Friday.";

fn room(f: &Fixture, id: &str, lines: &str) -> ConversationId {
    f.clock.advance_ms(1_000);
    f.append(&Conversation::new(id).channel("matrix", id).public().messages(lines))
}

fn dm(f: &Fixture, id: &str, lines: &str) -> ConversationId {
    f.clock.advance_ms(1_000);
    f.append(&Conversation::new(id).channel("matrix", id).messages(lines))
}

/// Advances the clock by a day, so that every conversation settles, and runs the queue.
fn grow(f: &Fixture) {
    f.clock.advance_ms(24 * HOUR_MS);
    work(f);
}

fn work(f: &Fixture) {
    f.engine.topics().queue().unwrap();
    let lock = f.engine.queue().lock_worker().unwrap();
    f.engine.queue().run_due(&lock, &|_| {}).unwrap();
}

fn own(f: &Fixture) -> Vec<VisibleTopic> {
    f.engine.topics().list().unwrap()
}

fn seen(f: &Fixture, channel: &str, person: &str) -> Vec<VisibleTopic> {
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let audience = Audience { agent: None, person: text(person), channel: text(channel) };
    f.engine.with_view(&audience, |tx, view| view.topics(tx)).unwrap()
}

fn text(f: &Fixture, topic: &VisibleTopic) -> String {
    let lines = f.engine.store().read(|tx| tx.topics().lines(&topic.version.id)).unwrap();
    lines.into_iter().map(|line| line.text + "\n").collect()
}

/// Everything about the owner's topics that a person can see.
fn whole(f: &Fixture) -> String {
    let describe = |topic: &VisibleTopic| {
        let versions = f.engine.store().read(|tx| tx.topics().versions(&topic.topic.id)).unwrap();
        format!("{topic:?}\n{versions:?}\n{}\n", text(f, topic))
    };
    own(f).iter().map(describe).collect()
}

fn about(f: &Fixture, words: &str) -> VisibleTopic {
    let found: Vec<VisibleTopic> = own(f).into_iter().filter(|topic| text(f, topic).contains(words)).collect();
    assert_eq!(found.len(), 1, "one topic says {words:?}");
    found.into_iter().next().unwrap()
}

#[test]
fn topics_grow_over_conversations_and_every_version_is_kept() {
    let f = Fixture::new();
    room(&f, "garden", PUMP);
    grow(&f);
    let first = about(&f, "capacitor");
    assert_eq!((first.version.number, first.version.messages), (1, 6));
    room(&f, "later", &PUMP_AGAIN.replace("10:00", "2026-03-20 10:00"));
    f.clock.advance_ms(30 * 24 * HOUR_MS);
    grow(&f);
    let second = about(&f, "suction filter");
    assert_eq!(second.topic.id, first.topic.id, "another conversation on the subject finds the topic");
    assert_eq!((second.version.number, second.version.messages), (2, 10));
    assert_eq!(second.version.supersedes, Some(first.version.id.clone()));
    let kept = f.engine.store().read(|tx| tx.topics().lines(&first.version.id)).unwrap();
    assert!(!kept.is_empty(), "what the first version said can still be read");
    assert!(
        second.title().to_lowercase().contains("pump") || second.title().to_lowercase().contains("capacitor"),
        "{}",
        second.title()
    );
}

#[test]
fn takeaways_are_what_the_reader_marked_and_a_settled_promise_is_told_no_more() {
    let f = Fixture::new();
    let told = |f: &Fixture, section: &str| -> Vec<String> {
        let topic = about(f, "capacitor");
        let lines = f.engine.store().read(|tx| keepsake_engine::TopicTexts::new(tx)?.lines(&topic.version.id)).unwrap();
        lines.into_iter().filter(|line| line.section == section).map(|line| line.text).collect()
    };
    let promised = "\nperson Ana: The fix was to clean the contacts of the capacitor.\nowner Mara: I'll bring you the spare fuse of the pump tomorrow.";
    dm(&f, "garden", &format!("{PUMP}{promised}"));
    grow(&f);
    f.engine.conversations().queue_settling().unwrap();
    work(&f);
    assert_eq!(told(&f, "solution"), ["The fix was to clean the contacts of the capacitor."]);
    assert_eq!(told(&f, "task"), ["I'll bring you the spare fuse of the pump tomorrow."]);
    assert!(told(&f, "decision").is_empty(), "what was decided a model tells");
    let mut kept =
        Conversation::new("garden").channel("matrix", "garden").messages("owner Mara: I've brought the fuse of the pump.");
    kept[0].source.message = "kept".to_owned();
    kept[0].time = f.engine.now();
    f.append(&kept);
    f.engine.conversations().queue_settling().unwrap();
    work(&f);
    assert!(told(&f, "task").is_empty(), "it was settled: {:?}", told(&f, "task"));
    assert_eq!(told(&f, "solution").len(), 1, "control: nothing else goes");
}

#[test]
fn a_batch_waits_for_twenty_messages_or_an_hour_of_rest() {
    let f = Fixture::new();
    room(&f, "garden", PUMP);
    f.clock.set(Timestamp(
        f.engine
            .store()
            .read(|tx| tx.log().conversation_interactions(&tx.log().conversation_by_source("garden")?.unwrap()))
            .unwrap()
            .last()
            .unwrap()
            .time
            .0
            + HOUR_MS / 2,
    ));
    assert!(f.engine.topics().queue().unwrap().is_some(), "it says when to look again");
    work(&f);
    assert!(own(&f).is_empty(), "the conversation goes on");
    f.clock.advance_ms(HOUR_MS);
    work(&f);
    assert_eq!(own(&f).len(), 1, "it came to rest");
}

#[test]
fn running_again_changes_nothing_and_a_rebuild_gives_the_same() {
    let f = Fixture::new();
    room(&f, "garden", PUMP);
    dm(&f, "ana", LISBON);
    grow(&f);
    let before = whole(&f);
    assert!(before.contains("capacitor") && before.contains("Lisbon"));
    let jobs = f.engine.store().read(|tx| tx.jobs().unsettled()).unwrap();
    f.engine.topics().queue().unwrap();
    assert_eq!(f.engine.store().read(|tx| tx.jobs().unsettled()).unwrap(), jobs, "with nothing new nothing is queued");
    f.engine.topics().queue_now().unwrap();
    work(&f);
    assert_eq!(whole(&f), before, "asked for anyway, it changes nothing");
    f.engine.topics().rebuild().unwrap();
    assert!(own(&f).is_empty(), "they are deleted");
    work(&f);
    assert_eq!(whole(&f), before, "and come back as they were");
}

#[test]
fn the_order_of_arrival_decides_nothing() {
    let parts = |f: &Fixture| {
        f.engine.topics().list().unwrap().iter().map(|topic| (topic.title().to_owned(), text(f, topic))).collect::<Vec<_>>()
    };
    let forwards = Fixture::new();
    room(&forwards, "garden", PUMP);
    grow(&forwards);
    room(&forwards, "later", PUMP_AGAIN);
    grow(&forwards);
    let backwards = Fixture::new();
    room(&backwards, "later", PUMP_AGAIN);
    grow(&backwards);
    room(&backwards, "garden", PUMP);
    grow(&backwards);
    assert_eq!(parts(&forwards).len(), 1);
    let sorted = |f: &Fixture| {
        let mut lines: Vec<String> =
            parts(f).into_iter().flat_map(|(_, text)| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&forwards), sorted(&backwards));
}

#[test]
fn a_killed_job_goes_on_and_gives_the_same() {
    let f = Fixture::new();
    room(&f, "garden", PUMP);
    dm(&f, "ana", LISBON);
    grow(&f);
    let whole_run = whole(&f);
    for point in [KillPoint::AfterLease, KillPoint::Working, KillPoint::AfterEffects] {
        let f = Fixture::new();
        room(&f, "garden", PUMP);
        dm(&f, "ana", LISBON);
        f.clock.advance_ms(24 * HOUR_MS);
        f.engine.topics().queue().unwrap();
        let lock = f.engine.queue().lock_worker().unwrap();
        let ended = f.engine.queue().run_next_killed(Lane::Embed, &|_| {}, &|at| at == point).unwrap();
        assert_eq!(ended, None, "it was killed at {point:?}");
        drop(lock);
        let f = f.restarted(2);
        let lock = f.engine.queue().lock_worker().unwrap();
        f.engine.queue().run_due(&lock, &|_| {}).unwrap();
        drop(lock);
        assert_eq!(whole(&f), whole_run, "killed at {point:?}");
    }
}

#[test]
fn each_side_has_topics_of_its_own_part() {
    let f = Fixture::new();
    room(&f, "garden", PUMP);
    dm(&f, "ana", &PUMP_AGAIN.replace("10:00", "2026-03-20 10:00").replace("far tap", "far tap of the shrine"));
    dm(&f, "ben", &LISBON.replace("Ana", "Ben"));
    f.clock.advance_ms(30 * 24 * HOUR_MS);
    grow(&f);
    assert_eq!(own(&f).len(), 2, "the owner sees everything");
    assert_eq!(about(&f, "capacitor").version.messages, 10);
    let public = seen(&f, "matrix:garden", "");
    assert_eq!(public.len(), 1);
    assert_eq!(public[0].version.messages, 6, "counts are those of the public part");
    assert!(!text(&f, &public[0]).contains("filter") && !public[0].title().contains("filter"));
    assert!(public[0].version.last_at < about(&f, "capacitor").version.last_at, "dates are those of the public part");
    let ana = seen(&f, "matrix:ana", "");
    let counts: Vec<u32> = ana.iter().map(|topic| topic.version.messages).collect();
    assert_eq!(counts, [4, 6], "Ana sees what was said with her, and beside it the public part");
    assert!(text(&f, &ana[0]).contains("shrine") && !text(&f, &ana[1]).contains("shrine"), "each part says its own");
    assert_eq!(ana[1].topic.id, public[0].topic.id, "the public part is the public's, made once");
    let ben = seen(&f, "matrix:ben", "");
    assert_eq!(ben.len(), 2);
    assert!(ben.iter().all(|topic| !text(&f, topic).contains("filter")), "Ben sees nothing that was said with Ana");
    let stranger = seen(&f, "dm:nobody", "");
    assert_eq!(stranger.len(), 1, "somebody new sees what is public");
}

#[test]
fn a_conversation_off_the_record_feeds_no_topic_and_takes_its_own_along() {
    let f = Fixture::new();
    room(&f, "garden", PUMP);
    let lisbon = dm(&f, "ana", LISBON);
    grow(&f);
    assert_eq!(own(&f).len(), 2);
    f.engine.erasure().set_private(&lisbon, true, Existing::Keep).unwrap();
    assert!(own(&f).is_empty(), "until they are derived anew nothing that read it is shown");
    work(&f);
    assert_eq!(own(&f).len(), 1);
    let left: u32 = f.engine.store().read(|tx| tx.topics().topics_of("owner")).unwrap().len() as u32;
    assert_eq!(left, 1, "nothing of it stays behind");
    f.engine.erasure().set_private(&lisbon, false, Existing::Keep).unwrap();
    grow(&f);
    assert_eq!(own(&f).len(), 2, "its topics come back: nothing arrived while it was private");
}

fn messages(topic: &VisibleTopic) -> Vec<InteractionId> {
    topic.messages.clone()
}

#[test]
fn a_title_a_pin_a_merge_and_a_split_hold_through_a_rebuild_and_are_undone() {
    let f = Fixture::new();
    room(&f, "garden", PUMP);
    dm(&f, "ana", LISBON);
    grow(&f);
    let before = whole(&f);
    let (pump, lisbon) = (about(&f, "capacitor"), about(&f, "Lisbon"));
    let decide = |topic: &TopicId, choice: TopicChoice| {
        f.clock.advance_ms(1_000);
        f.engine.topics().decide(topic, &choice).unwrap()
    };
    let check = |choice: TopicChoice, holds: &dyn Fn() -> bool, why: &str| {
        let decision = decide(&pump.topic.id, choice);
        assert!(holds(), "{why}: at once");
        f.engine.topics().rebuild().unwrap();
        work(&f);
        assert!(holds(), "{why}: after everything was made anew");
        f.engine.topics().undo_decision(&decision, true).unwrap();
        assert!(!holds(), "{why}: taken back");
        let live = |text: &str| text.lines().filter(|line| !line.contains("is_retired: true")).collect::<Vec<_>>().join("\n");
        f.engine.topics().rebuild().unwrap();
        work(&f);
        assert_eq!(live(&whole(&f)), live(&before), "{why}: nothing of it is left");
    };
    let named = || own(&f).iter().any(|topic| topic.title() == "The well");
    check(TopicChoice::Rename(Some("The well".to_owned())), &named, "a title");
    check(TopicChoice::Pin(true), &|| own(&f)[0].topic.is_pinned && own(&f)[0].topic.id == pump.topic.id, "a pin");
    let merged = || own(&f).len() == 1 && own(&f)[0].version.messages == 11;
    check(TopicChoice::Merge(lisbon.topic.id.clone()), &merged, "a merge");
    let apart = messages(&pump)[..3].to_vec();
    let split = || own(&f).iter().any(|topic| topic.topic.parent.as_ref() == Some(&pump.topic.id) && topic.messages == apart);
    check(TopicChoice::Split(apart.clone()), &split, "a split");
}

#[test]
fn what_cannot_be_decided_says_why() {
    let f = Fixture::new();
    room(&f, "garden", PUMP);
    grow(&f);
    let pump = own(&f).remove(0);
    let public = seen(&f, "matrix:garden", "").remove(0);
    let check = |choice: TopicChoice, words: &str| match f.engine.topics().decide(&pump.topic.id, &choice) {
        Err(EngineError::Refused(why)) => assert!(why.contains(words), "{why}"),
        other => panic!("{other:?}"),
    };
    check(TopicChoice::Merge(pump.topic.id.clone()), "with or kept separate from itself");
    check(TopicChoice::Merge(public.topic.id), "different audiences");
    check(TopicChoice::Split(messages(&pump)), "not all, of");
    check(TopicChoice::Rename(Some("x".repeat(200))), "longer than 120");
}

/// How often the canary occurs in the files of the data folder.
fn canaries(f: &Fixture) -> usize {
    let files = std::fs::read_dir(f.dir.path()).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    files
        .map(|path| {
            let bytes = std::fs::read(path).unwrap();
            bytes.windows(CANARY.len()).filter(|window| window.eq_ignore_ascii_case(CANARY.as_bytes())).count()
        })
        .sum()
}

#[test]
fn erasing_a_conversation_leaves_nothing_of_it_in_titles_texts_or_clusters() {
    let f = Fixture::new();
    room(&f, "garden", PUMP);
    let secret = dm(&f, "ana", &LISBON.replace("tile museum", CANARY));
    grow(&f);
    let topic = about(&f, "Lisbon");
    f.engine.topics().decide(&topic.topic.id, &TopicChoice::Rename(Some(format!("Trip to the {CANARY}")))).unwrap();
    assert!(own(&f).iter().any(|topic| topic.title().contains(CANARY)), "it is in a title");
    f.engine.store().checkpoint().unwrap();
    assert!(canaries(&f) > 5, "it is there to be found");
    let receipt = f.engine.erasure().erase_conversation(&secret, "asked").unwrap();
    assert!(receipt.is_done, "{receipt:?}");
    assert_eq!(canaries(&f), 0, "no file has it");
    work(&f);
    assert_eq!(own(&f).len(), 1, "the others are there again");
    assert!(text(&f, &own(&f)[0]).contains("capacitor"));
}

#[test]
fn a_cancelled_job_keeps_what_it_read_and_leaves_no_half_topic() {
    let f = Fixture::new();
    room(&f, "garden", PUMP);
    f.clock.advance_ms(24 * HOUR_MS);
    f.engine.topics().queue().unwrap();
    let lock = f.engine.queue().lock_worker().unwrap();
    let job =
        f.engine.store().read(|tx| tx.jobs().recent(10)).unwrap().into_iter().find(|job| job.kind.name() == "topics").unwrap();
    f.engine.queue().cancel_job(&job.id).unwrap();
    let step = f.engine.queue().run_next(Lane::Embed, &|_| {}).unwrap();
    assert!(!matches!(step, Step::Ran(_, JobState::Done)), "{step:?}");
    assert!(own(&f).is_empty());
    drop(lock);
    work(&f);
    assert_eq!(own(&f).len(), 1);
}

#[test]
fn rules_can_be_chosen_and_bad_ones_are_refused() {
    let f = Fixture::new();
    let rules = TopicRules { min_messages: 4, batch_size: 4, ..TopicRules::default() };
    f.engine.topics().set_rules(&rules).unwrap();
    assert_eq!(f.engine.topics().rules().unwrap(), rules);
    for bad in [
        TopicRules { overlap: 2.0, ..TopicRules::default() },
        TopicRules { batch_size: 1, ..TopicRules::default() },
        TopicRules { similarity: 0.0, ..TopicRules::default() },
        TopicRules { max_words: 5_000, ..TopicRules::default() },
        TopicRules { target_words: 900, max_words: 400, ..TopicRules::default() },
    ] {
        assert!(matches!(f.engine.topics().set_rules(&bad), Err(EngineError::Refused(_))), "{bad:?}");
    }
}

#[test]
fn who_fed_a_topic_through_which_channels_and_from_when_to_when_is_kept() {
    let f = Fixture::new();
    let room = room(&f, "garden", PUMP);
    f.clock.advance_ms(1_000);
    let chat = f.append(
        &Conversation::new("chat")
            .channel("whatsapp", "ben")
            .messages(&PUMP_AGAIN.replace("Ana", "Ben").replace("10:00", "2026-03-20 10:00")),
    );
    f.clock.advance_ms(30 * 24 * HOUR_MS);
    grow(&f);
    let topic = about(&f, "suction filter");
    let contributors: serde_json::Value = serde_json::from_str(&topic.version.contributors).unwrap();
    let mut sessions = vec![room.to_string(), chat.to_string()];
    sessions.sort();
    assert_eq!(contributors["sessions"], serde_json::json!(sessions));
    assert_eq!(contributors["users"], serde_json::json!(["Ana", "Ben", "Mara"]));
    assert_eq!(contributors["interfaces"], serde_json::json!(["matrix", "whatsapp"]));
    let rows = f.engine.store().read(|tx| tx.topics().interactions_of(&topic.messages)).unwrap();
    let (first, last) = (rows.first().unwrap().time, rows.last().unwrap().time);
    assert_eq!((topic.version.first_at, topic.version.last_at), (first, last));
    assert_eq!(topic.version.messages as usize, topic.messages.len());
    // Control: the public topic names only the people who took part in public.
    let public = seen(&f, "matrix:garden", "").remove(0);
    let contributors: serde_json::Value = serde_json::from_str(&public.version.contributors).unwrap();
    assert_eq!(contributors["users"], serde_json::json!(["Ana", "Mara"]));
    assert_eq!(contributors["interfaces"], serde_json::json!(["matrix"]));
}

#[test]
fn small_talk_and_arrangements_join_the_topic_beside_them_and_found_none() {
    let f = Fixture::new();
    let light = "owner Mara 10:00: Good morning, how are you?
person Ana: Fine, thanks! Lovely weather today.
owner Mara: See you at the station at six?
person Ana: Works for me, see you at six.
owner Mara: haha great";
    room(&f, "light", light);
    grow(&f);
    assert!(own(&f).is_empty(), "nothing but small talk makes no topic");
    room(&f, "garden", &format!("{PUMP}\nowner Mara: Thanks, that was quick!\nperson Ana: I will bring it, see you at six."));
    grow(&f);
    let topic = about(&f, "capacitor");
    assert_eq!(topic.version.messages, 8, "what stands beside the subject counts for it");
    assert!(!text(&f, &topic).contains("that was quick"), "and does not stand in its text");
}

#[test]
fn other_rules_make_other_topics() {
    let f = Fixture::new();
    room(&f, "garden", PUMP);
    room(&f, "later", &PUMP_AGAIN.replace("10:00", "2026-03-20 10:00"));
    f.clock.advance_ms(30 * 24 * HOUR_MS);
    grow(&f);
    let shown = || own(&f).iter().map(|topic| format!("{topic:?}\n{}", text(&f, topic))).collect::<Vec<_>>();
    let before = shown();
    assert_eq!(before.len(), 1, "the control: by default they are one");
    let decision = f.engine.topics().decide(&own(&f)[0].topic.id, &TopicChoice::Rename(Some("The well".to_owned()))).unwrap();
    f.engine.topics().set_rules(&TopicRules { similarity: 0.99, ..TopicRules::default() }).unwrap();
    work(&f);
    assert_eq!(own(&f).len(), 2, "nearer than this nothing is");
    assert!(own(&f).iter().any(|topic| topic.title() == "The well"), "what a person decided holds under any rules");
    f.engine.topics().set_rules(&TopicRules { target_words: 50, max_words: 50, ..TopicRules::default() }).unwrap();
    work(&f);
    let words = text(&f, &own(&f)[0]).split_whitespace().count();
    assert!((20..=50).contains(&words), "{words} words where 50 are allowed");
    f.engine.topics().set_rules(&TopicRules::default()).unwrap();
    f.engine.topics().undo_decision(&decision, true).unwrap();
    work(&f);
    assert_eq!(shown(), before, "and back again");
    f.engine.topics().set_rules(&TopicRules { automatic: false, ..TopicRules::default() }).unwrap();
    dm(&f, "ana", LISBON);
    grow(&f);
    assert_eq!(own(&f).len(), 1, "not on their own");
    f.engine.topics().queue_now().unwrap();
    work(&f);
    assert_eq!(own(&f).len(), 2, "when somebody asks");
}

#[test]
fn topics_that_are_near_are_named_beside_each_other() {
    let f = Fixture::new();
    room(&f, "garden", PUMP);
    dm(&f, "ben", LISBON);
    grow(&f);
    let pump = about(&f, "capacitor");
    let lisbon = about(&f, "Lisbon").topic.id;
    let apart: Vec<InteractionId> = messages(&pump)[3..].to_vec();
    f.clock.advance_ms(1_000);
    f.engine.topics().decide(&pump.topic.id, &TopicChoice::Split(apart.clone())).unwrap();
    let parts: Vec<VisibleTopic> =
        own(&f).into_iter().filter(|topic| topic.messages.iter().any(|id| messages(&pump).contains(id))).collect();
    assert_eq!(parts.len(), 2);
    for topic in &parts {
        let first = topic.topic.related.first().map(|(id, _)| id.clone());
        assert!(first.is_some_and(|id| id != topic.topic.id && parts.iter().any(|other| other.topic.id == id)), "{parts:?}");
        assert_ne!(topic.topic.related.first().map(|(id, _)| id), Some(&lisbon), "the control: another subject is further away");
    }
    let child = parts.iter().find(|topic| topic.messages == apart).unwrap();
    assert_eq!(child.topic.parent.as_ref(), Some(&pump.topic.id));
}
