//! Tests search: what is found, why, and among which messages; vectors are computed in the background and removed with their
//! messages.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use keepsake_domain::{JobId, JobState, Lane, Timestamp};
use keepsake_engine::{
    Audience, ContextRequest, EmbedderSlot, EmbedderState, Engine, EngineParts, Existing, Found, Kind, Power, SearchAsk, Step,
    Why,
};
use keepsake_models::fake::{HashEmbedder, SentenceReader};
use keepsake_models::keys::SessionKeys;
use keepsake_store::ConsentItem;
use keepsake_testkit::{Conversation, FixedClock, MONDAY_TEN, SeqIds, conversation};

use crate::fixture::Fixture;

fn ask(engine: &Engine, query: &str) -> Found {
    engine.serve().search(&SearchAsk { query: query.to_owned(), limit: 50, ..SearchAsk::default() }).unwrap()
}

fn texts(found: &Found) -> Vec<&str> {
    found.messages.iter().map(|hit| hit.message.content.as_str()).collect()
}

/// Runs the embedding lane until nothing is left.
pub(crate) fn embed(engine: &Engine) {
    engine.embeddings().queue().unwrap();
    while let Step::Ran(_, state) = engine.queue().run_next(Lane::Embed, &|_| {}).unwrap() {
        assert_eq!(state, JobState::Done);
    }
}

fn progress(engine: &Engine) -> (u64, u64) {
    engine.store().read(|tx| tx.vectors().progress("fake-word-hash")).unwrap()
}

fn talk() -> Fixture {
    let f = Fixture::new();
    f.append(&Conversation::new("dinner").channel("dm", "ana").messages(
        "person Ana: Where did you keep the old film camera of grandfather?
         owner Mara: In the attic, behind the suitcases.
         person Ana: Great, thanks!",
    ));
    f.append(&Conversation::new("club").channel("matrix", "!club").title("Boat club").messages(
        "person Ben: The boat needs paint before summer.
         owner Mara: I will buy blue paint on Friday.
         person Ben: Harbour dues are 40 euros.
         owner Mara: Fine.",
    ));
    f
}

#[test]
fn a_question_finds_the_line_beside_its_words_and_a_word_finds_only_itself() {
    let f = talk();
    let found = ask(&f.engine, "Where is the old camera of grandfather?");
    let at = texts(&found).iter().position(|text| text.contains("attic")).expect("the answer is found");
    assert!(at < 3);
    assert_eq!(found.messages[at].why, [Why::Neighbour], "it shares no word with the question");
    assert_eq!(texts(&ask(&f.engine, "camera")).len(), 1, "whoever types one word looks for it");
    assert_eq!(ask(&f.engine, "camera").messages[0].why, [Why::Words]);
    assert!(ask(&f.engine, "xyzzy").messages.is_empty());
    assert!(ask(&f.engine, "").messages.is_empty());
}

#[test]
fn a_line_that_is_only_among_the_nearest_is_no_hit() {
    let f = talk();
    embed(&f.engine);
    let query = "Where is the old camera of grandfather?";
    let found = ask(&f.engine, query);
    assert!(found.messages.iter().all(|hit| !hit.why.is_empty()), "each hit has a reason");
    assert!(texts(&found).iter().all(|text| !text.contains("Harbour")), "{:?}", texts(&found));
    let ranked =
        f.engine.serve().search(&SearchAsk { query: query.to_owned(), limit: 50, is_ranking: true, ..SearchAsk::default() });
    assert!(texts(&ranked.unwrap()).iter().any(|text| text.contains("Harbour")), "control: it is among the nearest");
}

#[test]
fn words_alone_find_before_there_are_vectors_and_meaning_is_told_after() {
    let f = talk();
    assert_eq!(ask(&f.engine, "boat paint").messages[0].why, [Why::Words]);
    embed(&f.engine);
    let found = ask(&f.engine, "boat needs paint before summer");
    assert_eq!(found.messages[0].why, [Why::Words, Why::Meaning]);
    assert!(found.messages[0].evidence.meaning > 0.8, "{:?}", found.messages[0].evidence);
}

#[test]
fn operators_narrow_what_is_looked_at() {
    let f = talk();
    embed(&f.engine);
    let check = |query: &str, expect: &[&str]| {
        let found = ask(&f.engine, query);
        let mut begins: Vec<&str> = texts(&found).into_iter().map(|text| text.split(' ').next().unwrap()).collect();
        begins.sort_unstable();
        assert_eq!(begins, expect, "{query:?}");
    };
    check("person:ben paint", &["The"]);
    check("person:me paint", &["I"]);
    check("person:ana", &["Great,", "Where"]);
    check("person:nobody paint", &[]);
    check("channel:matrix person:ben", &["Harbour", "The"]);
    check("channel:\"boat club\" dues", &["Harbour"]);
    check("channel:nowhere dues", &[]);
    check("\"blue paint\"", &["I"]);
    check("\"paint blue\"", &[]);
    check("after:1999 paint", &["I", "The"]);
    check("after:2099 paint", &[]);
    check("before:1999 paint", &[]);
    check("type:memory paint", &[]);
    check("uitcase", &["In"]);
}

#[test]
fn scripts_without_spaces_are_found_by_a_part() {
    let f = Fixture::new();
    f.append(&conversation("c", "owner Mara: 昨日東京に行きました。\nperson Ana: 京都もいいですね"));
    assert_eq!(texts(&ask(&f.engine, "東京")).len(), 1);
    assert_eq!(texts(&ask(&f.engine, "京")).len(), 2);
    assert_eq!(texts(&ask(&f.engine, "大阪")).len(), 0);
}

#[test]
fn a_part_of_a_word_is_found_in_what_arrives_later_too_and_not_in_what_is_erased() {
    let f = talk();
    assert_eq!(
        texts(&ask(&f.engine, "uitcas")),
        ["In the attic, behind the suitcases."],
        "the words are read at the first such question"
    );
    assert_eq!(texts(&ask(&f.engine, "batros")).len(), 0);
    let later = f.append(&conversation("later", "owner Mara: The boat is the Albatross."));
    assert_eq!(texts(&ask(&f.engine, "batros")).len(), 1);
    f.engine.erasure().erase_conversation(&later, "test").unwrap();
    assert_eq!(texts(&ask(&f.engine, "batros")).len(), 0);
    assert_eq!(texts(&ask(&f.engine, "uitcas")).len(), 1, "control: the rest is still there");
}

#[test]
fn people_and_memories_are_found_beside_messages() {
    let f = talk();
    f.propose("c1", "owner Mara: I'm allergic to peanuts.");
    let id = f.id_of("peanuts");
    f.engine.review().act(&keepsake_engine::Act::Approve(vec![id.clone()])).unwrap();
    let found = ask(&f.engine, "peanuts");
    assert_eq!(found.memories.iter().map(|hit| &hit.id).collect::<Vec<_>>(), [&id]);
    assert_eq!(texts(&found).len(), 1);
    let people = |query: &str| ask(&f.engine, query).people.into_iter().map(|person| person.name).collect::<Vec<_>>();
    assert_eq!(people("ana"), ["Ana"]);
    assert_eq!(people("ben"), ["Ben"]);
    assert_eq!(people("boat"), Vec::<String>::new());
    let only = SearchAsk { query: "ana".to_owned(), limit: 9, kinds: vec![Kind::Person], ..SearchAsk::default() };
    let found = f.engine.serve().search(&only).unwrap();
    assert!(found.messages.is_empty() && found.people.len() == 1);
}

#[test]
fn memories_are_narrowed_by_who_said_what_they_rest_on_and_where() {
    let f = Fixture::new();
    let said = |name: &str, channel: (&str, &str), line: &str| {
        let id = f.append(&Conversation::new(name).channel(channel.0, channel.1).messages(line));
        f.engine.review().propose(&id, None, &keepsake_engine::Unwatched).unwrap();
    };
    said("dinner", ("dm", "ana"), "person Ana: I'm allergic to peanuts.\nowner Mara: I'm allergic to hazelnuts.");
    said("chat", ("chat", "c1"), "owner Mara: I live in Lisbon with my sister.");
    let ids: Vec<_> = f.rows().into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids.len(), 3, "{:?}", f.memories());
    f.engine.review().act(&keepsake_engine::Act::Approve(ids)).unwrap();
    let ask_for = |query: &str, audience: Option<Audience>| -> Vec<String> {
        let ask = SearchAsk { query: query.to_owned(), limit: 9, audience, ..SearchAsk::default() };
        let found = f.engine.serve().search(&ask).unwrap().memories;
        let rows = f.rows();
        let words = ["peanuts", "hazelnuts", "Lisbon"];
        let text = |id| &rows.iter().find(|row| row.0 == id).unwrap().1;
        let mut named: Vec<String> = found
            .into_iter()
            .map(|hit| words.iter().find(|word| text(hit.id.clone()).contains(**word)).unwrap().to_string())
            .collect();
        named.sort();
        named
    };
    let check = |query: &str, expect: &[&str]| assert_eq!(ask_for(query, None), expect, "{query:?}");
    check("type:memory", &["Lisbon", "hazelnuts", "peanuts"]);
    check("type:memory person:ana", &["peanuts"]);
    check("type:memory person:me", &["Lisbon", "hazelnuts"]);
    check("type:memory channel:dm", &["hazelnuts", "peanuts"]);
    check("type:memory channel:dm person:me", &["hazelnuts"]);
    check("allergic person:me", &["hazelnuts"]);
    check("type:memory person:nobody", &[]);
    check("type:memory channel:nowhere", &[]);
    check("type:memory person:me after:2099", &[]);
    check("person:ana", &[]);
    // A memory that is shared with everybody does not reveal who said it or where.
    let in_public = || Some(Audience { channel: Some("matrix:garden".to_owned()), ..Audience::default() });
    let id = f.id_of("hazelnuts");
    f.engine.store().write(|tx| tx.privacy().set_shared(ConsentItem::Memory, id.as_str(), true, Timestamp(0))).unwrap();
    assert_eq!(ask_for("type:memory", in_public()), ["hazelnuts"], "control: it is told there");
    assert_eq!(ask_for("type:memory channel:dm", in_public()), Vec::<String>::new());
    assert_eq!(ask_for("type:memory person:me", in_public()), Vec::<String>::new());
}

#[test]
fn facets_count_what_was_found() {
    let f = talk();
    let found = ask(&f.engine, "paint");
    let facet = |name: &str| found.facets.iter().find(|facet| facet.name == name).unwrap().values.clone();
    assert_eq!(facet("channel"), [("matrix".to_owned(), 2)]);
    assert_eq!(facet("author"), [("Ben".to_owned(), 1), ("Mara".to_owned(), 1)]);
    assert_eq!(facet("month").len(), 1);
}

#[test]
fn what_arrives_later_is_found_and_what_is_erased_is_gone() {
    let f = talk();
    embed(&f.engine);
    assert_eq!(progress(&f.engine), (7, 7));
    let later = f.append(&conversation("later", "owner Mara: The boat has a name now: Albatross."));
    assert_eq!(texts(&ask(&f.engine, "albatross")).len(), 1, "by words at once");
    assert_eq!(progress(&f.engine), (7, 8));
    embed(&f.engine);
    assert_eq!(progress(&f.engine), (8, 8));
    assert!(ask(&f.engine, "boat name albatross").messages[0].evidence.meaning > 0.3, "and by meaning");
    f.engine.erasure().erase_conversation(&later, "test").unwrap();
    assert!(ask(&f.engine, "albatross").messages.is_empty());
    assert!(!texts(&ask(&f.engine, "boat has a name now")).iter().any(|text| text.contains("Albatross")));
    assert_eq!(progress(&f.engine), (7, 7));
}

#[test]
fn a_job_that_was_stopped_goes_on_and_new_messages_come_first() {
    let f = Fixture::new();
    let lines: String = (0..400).map(|n| format!("owner Mara: line number {n} about tea\n")).collect();
    f.append(&conversation("long", &lines));
    f.engine.embeddings().queue().unwrap();
    let job = std::cell::RefCell::new(None::<JobId>);
    // The job is stopped at its first check for cancellation.
    let cancel = |progress: keepsake_engine::Progress| {
        f.engine.queue().cancel_job(&progress.job).unwrap();
        job.borrow_mut().replace(progress.job);
    };
    f.engine.queue().run_next(Lane::Embed, &cancel).unwrap();
    let (done, total) = progress(&f.engine);
    assert!(done > 0 && done < total, "{done} of {total}");
    f.append(&conversation("new", "owner Mara: the newest line speaks of coffee"));
    let gap = f.engine.store().read(|tx| tx.vectors().gap("fake-word-hash", 10)).unwrap().unwrap();
    assert_eq!(gap.messages.len(), 1, "the newest first, and nothing that is done again");
    embed(&f.engine);
    assert_eq!(progress(&f.engine), (401, 401));
    assert!(f.engine.store().read(|tx| tx.vectors().gap("fake-word-hash", 10)).unwrap().is_none());
}

#[test]
fn what_is_off_the_record_gets_no_vector_and_is_found_by_words_alone() {
    let f = Fixture::new();
    f.append(&Conversation::new("secret").private().messages("owner Mara: zanzibar is where the money lies"));
    let open = f.append(&conversation("open", "owner Mara: madagascar is where the lemurs live"));
    embed(&f.engine);
    let arrivals = || f.engine.store().read(|tx| tx.vectors().last_arrival()).unwrap();
    assert_eq!(arrivals(), 1, "one of the two has a vector");
    let secret = ask(&f.engine, "where is the money in zanzibar");
    let secret = secret.messages.iter().find(|hit| hit.message.content.contains("zanzibar")).unwrap();
    assert_eq!(secret.evidence.meaning, 0.0);
    assert!(ask(&f.engine, "where do lemurs live").messages[0].evidence.meaning > 0.0, "control");
    f.engine.erasure().set_private(&open, true, Existing::Hide).unwrap();
    assert_eq!(arrivals(), 0, "turned private, with what was derived from it");
    assert_eq!(ask(&f.engine, "where do lemurs live").messages[0].evidence.meaning, 0.0);
}

#[test]
fn an_audience_finds_and_counts_only_what_is_open_to_it() {
    let f = talk();
    embed(&f.engine);
    let audience = Audience { person: Some("ana".to_owned()), ..Audience::default() };
    let of = |query: &str| {
        let ask = SearchAsk { query: query.to_owned(), limit: 50, audience: Some(audience.clone()), ..SearchAsk::default() };
        f.engine.serve().search(&ask).unwrap()
    };
    let found = of("Where is the paint for the boat of grandfather?");
    assert!(!found.messages.is_empty());
    assert!(found.messages.iter().all(|hit| hit.channel_type == "dm"), "{:?}", texts(&found));
    assert!(found.facets.iter().all(|facet| facet.values.iter().all(|(value, _)| value != "matrix" && value != "Ben")));
    assert!(of("ben").people.is_empty(), "who speaks elsewhere is nobody here");
    assert_eq!(of("ana").people.len(), 1, "control");
    let context = f
        .engine
        .serve()
        .context(&ContextRequest { audience, query: Some("Where is the old camera?".to_owned()), ..ContextRequest::default() })
        .unwrap();
    assert!(context.text.contains("attic"), "the context finds by the same search: {}", context.text);
    assert!(!context.text.contains("boat"));
}

const PUMP: &str = "owner Mara 10:00: The water pump at the well makes no sound when I press the switch.
person Ana: Did you look at the fuse of the water pump in the shed?
owner Mara: The fuse is fine, the pump gets 230 volts at the socket.
person Ana: Then the capacitor of the pump is broken, a new capacitor costs twelve euros.
owner Mara: We decided to try a new capacitor before we buy a new pump.
person Ana: I ordered a capacitor for the pump with 16 microfarad.";

const PUMP_ALONE: &str =
    "owner Mara 2026-03-20 10:00: The capacitor is in and the water pump runs again, the zanzibar was really just the capacitor.
person Ana: Wonderful, and the suction filter of the zanzibar pump was full of sand.
owner Mara: I learned that the suction filter of the zanzibar pump has to be cleaned every spring.
person Ana: The zanzibar pump has good pressure at the far tap now.";

const LISBON: &str = "owner Mara 12:00: The flights to Lisbon in May cost 180 each with the morning flight.
person Ben: The guesthouse in Lisbon with the garden still has a room for five nights.
owner Mara: I booked the morning flight to Lisbon and reserved the guesthouse.
person Ben: We need tickets for the tile museum in Lisbon, they sell out.
owner Mara: The tile museum in Lisbon is closed on Mondays, so I took tickets for Friday.";

/// Conversations about the pump, in a public room and with Ana alone, and about Lisbon with Ben.
fn topical() -> Fixture {
    let f = Fixture::new();
    f.append(&Conversation::new("garden").channel("matrix", "garden").public().messages(PUMP));
    f.append(&Conversation::new("trip").channel("dm", "ben").messages(LISBON));
    f.append(&Conversation::new("alone").channel("dm", "ana").messages(PUMP_ALONE));
    f.clock.advance_ms(40 * 24 * 3_600_000);
    f.engine.topics().queue().unwrap();
    let lock = f.engine.queue().lock_worker().unwrap();
    f.engine.queue().run_due(&lock, &|_| {}).unwrap();
    assert_eq!(f.engine.topics().list().unwrap().len(), 2, "the pump and Lisbon");
    f
}

fn topics_for(f: &Fixture, query: &str, audience: Option<Audience>) -> Found {
    let ask = SearchAsk { query: query.to_owned(), limit: 50, audience, kinds: vec![Kind::Topic], ..SearchAsk::default() };
    f.engine.serve().search(&ask).unwrap()
}

fn said_by(found: &Found) -> String {
    found.topics.iter().map(|hit| format!("{}\n{}\n", hit.title, lines_of(hit).join("\n"))).collect()
}

fn lines_of(hit: &keepsake_engine::TopicHit) -> Vec<&str> {
    hit.lines.iter().map(|line| line.text.as_str()).collect()
}

#[test]
fn topics_are_found_by_what_they_are_called_name_and_say_and_operators_narrow_them() {
    let f = topical();
    let check = |query: &str, expect: &[&str]| {
        let found = topics_for(&f, query, None);
        let mut about: Vec<&str> =
            found.topics.iter().map(|hit| if hit.title.to_lowercase().contains("lisbon") { "lisbon" } else { "pump" }).collect();
        about.sort_unstable();
        assert_eq!(about, expect, "{query:?}: {}", said_by(&found));
    };
    check("capacitor", &["pump"]);
    check("museum", &["lisbon"]);
    check("capacitor museum", &["lisbon", "pump"]);
    check("\"new capacitor\"", &["pump"]);
    check("\"capacitor new\"", &[]);
    check("capac*", &["pump"]);
    check("apacito", &["pump"]);
    check("xyzzy", &[]);
    check("type:topic", &["lisbon", "pump"]);
    check("type:topic person:ben", &["lisbon"]);
    check("type:topic channel:matrix", &["pump"]);
    check("capacitor person:ben", &[]);
    check("capacitor after:2099", &[]);
    check("type:message capacitor", &[]);
    let found = topics_for(&f, "capacitor", None);
    assert_eq!(found.topics[0].why, [Why::Words]);
    assert!(found.topics[0].lines.len() <= 3 && lines_of(&found.topics[0]).iter().all(|line| line.contains("capacitor")));
    assert!(found.messages.is_empty() && found.memories.is_empty() && found.people.is_empty());
    let facet = |name: &str| found.facets.iter().find(|facet| facet.name == name).unwrap().values.clone();
    assert_eq!(facet("channel"), [("dm".to_owned(), 1), ("matrix".to_owned(), 1)], "counted once a topic");
    assert_eq!(facet("author"), [("Ana".to_owned(), 1), ("Mara".to_owned(), 1)]);
    let together = ask(&f.engine, "capacitor");
    assert!(together.topics.len() == 1 && together.messages.len() > 3, "beside messages");
    assert!(together.facets.iter().any(|facet| facet.values.iter().any(|(_, count)| *count > 3)), "and those are counted");
}

#[test]
fn a_topic_is_found_by_the_meaning_of_its_lines() {
    let f = topical();
    assert_eq!(topics_for(&f, "tile museum in Lisbon closed", None).topics[0].why, [Why::Words]);
    embed(&f.engine);
    let found = topics_for(&f, "The tile museum in Lisbon is closed on Mondays", None);
    assert_eq!(found.topics[0].why, [Why::Words, Why::Meaning]);
    assert!(found.topics[0].title.to_lowercase().contains("lisbon"));
}

#[test]
fn a_topic_is_found_as_its_audience_may_see_it_and_no_further() {
    let f = topical();
    embed(&f.engine);
    let text = |text: &str| Some(text.to_owned());
    let in_public = Audience { channel: text("matrix:garden"), ..Audience::default() };
    let with_ana = Audience { channel: text("dm:ana"), ..Audience::default() };
    let stranger = Audience { channel: text("dm:nobody"), ..Audience::default() };
    let found = |query: &str, audience: &Audience| topics_for(&f, query, Some(audience.clone()));
    // Control: the content exists, and the owner finds it.
    assert!(said_by(&topics_for(&f, "zanzibar", None)).contains("zanzibar"));
    assert!(said_by(&found("zanzibar", &with_ana)).contains("zanzibar"), "and Ana, who was told");
    assert!(found("zanzibar", &in_public).topics.is_empty());
    assert!(found("zanzibar", &stranger).topics.is_empty());
    assert!(found("lisbon museum", &in_public).topics.is_empty() && found("lisbon museum", &with_ana).topics.is_empty());
    let open = found("pump capacitor suction filter", &in_public);
    assert_eq!(open.topics.len(), 1);
    assert!(!said_by(&open).contains("zanzibar") && !said_by(&open).contains("suction"), "{}", said_by(&open));
    assert_eq!(open.topics[0].version.messages, 6, "of the public part alone");
    assert!(found("type:topic", &in_public).topics.iter().all(|hit| hit.version.messages == 6));
    assert!(open.facets.iter().all(|facet| facet.values.iter().all(|(value, _)| value != "dm" && value != "Ben")));
}

#[test]
fn a_topic_is_found_by_the_title_that_a_person_gave_and_leaves_with_its_messages() {
    let f = topical();
    let pump = topics_for(&f, "capacitor", None).topics[0].id.clone();
    f.engine.topics().decide(&pump, &keepsake_engine::TopicChoice::Rename(Some("Waterworks".to_owned()))).unwrap();
    let found = topics_for(&f, "waterworks", None);
    assert_eq!((found.topics.len(), found.topics[0].title.as_str()), (1, "Waterworks"));
    for source in ["garden", "alone"] {
        let id = f.engine.store().read(|tx| tx.log().conversation_by_source(source)).unwrap().unwrap();
        f.engine.erasure().erase_conversation(&id, "test").unwrap();
    }
    assert!(topics_for(&f, "capacitor", None).topics.is_empty());
    assert!(topics_for(&f, "waterworks", None).topics.is_empty());
}

#[test]
fn the_lines_around_a_message_come_with_it_where_they_are_asked_for() {
    let f = talk();
    let ask = SearchAsk { query: "blue paint".to_owned(), limit: 1, around: 2, ..SearchAsk::default() };
    let found = f.engine.serve().search(&ask).unwrap();
    let around: Vec<(i32, &str)> = found.messages[0].around.iter().map(|(offset, row)| (*offset, row.content.as_str())).collect();
    assert_eq!(around, [(-1, "The boat needs paint before summer."), (1, "Harbour dues are 40 euros."), (2, "Fine.")]);
    let without = f.engine.serve().search(&SearchAsk { around: 0, ..ask }).unwrap();
    assert!(without.messages[0].around.is_empty());
}

#[test]
fn a_conversation_is_found_by_its_title_where_it_may_be_seen() {
    let f = talk();
    let said = "person Ana: The beds run from north to south.\nperson Ana: Beans go along the fence.";
    f.append(&Conversation::new("plot").title("Spring plan for the allotment").channel("dm", "ana").messages(said));
    let found = ask(&f.engine, "spring allotment plans");
    let first = found.messages.first().map(|hit| (hit.conversation_title.as_deref(), hit.message.content.as_str()));
    assert_eq!(first, Some((Some("Spring plan for the allotment"), "The beds run from north to south.")));
    assert_eq!(found.messages[0].why, [Why::Name]);
    assert!(!found.is_nearest_only, "what is called so was found");
    f.append(&Conversation::new("cake").title("Birthday parties").channel("dm", "ana").messages("person Ana: Bring a cake."));
    assert_eq!(ask(&f.engine, "birthday party").messages[0].why, [Why::Name], "another form of a word is the same");
    let named = |query: &str| ask(&f.engine, query).messages.iter().any(|hit| hit.why == [Why::Name]);
    assert!(!named("spring holiday"), "a word of the title alone is no title");
    assert!(!named("what did we say of the spring plan for the allotment last week"), "a question asks for what was said");
    let audience = Some(Audience { person: Some("ben".to_owned()), ..Audience::default() });
    let theirs = SearchAsk { query: "spring allotment".to_owned(), limit: 9, audience, ..SearchAsk::default() };
    assert!(f.engine.serve().search(&theirs).unwrap().messages.iter().all(|hit| hit.why != [Why::Name]), "Ben was not there");
}

#[test]
fn what_is_approved_of_an_attribute_comes_first_where_it_is_asked_about() {
    let f = talk();
    f.propose("c1", "owner Mara: I'm allergic to peanuts.");
    f.propose("c2", "owner Mara: I live in Utrecht.");
    for words in ["peanuts", "Utrecht"] {
        f.engine.review().act(&keepsake_engine::Act::Approve(vec![f.id_of(words)])).unwrap();
    }
    let whys = |query: &str| ask(&f.engine, query).memories.into_iter().map(|hit| (hit.id, hit.why)).collect::<Vec<_>>();
    let asked = whys("What allergies do they have?");
    let first = asked.first().map(|(id, why)| (id.clone(), why.contains(&Why::Attribute)));
    assert_eq!(first, Some((f.id_of("peanuts"), true)), "{asked:?}");
    assert!(whys("harbour dues").iter().all(|(_, why)| !why.contains(&Why::Attribute)), "control: nothing of the kind is asked");
}

#[test]
fn a_kind_alone_lists_all_there_is_of_it() {
    let f = talk();
    f.propose("c1", "owner Mara: I'm allergic to peanuts.");
    let id = f.id_of("peanuts");
    f.engine.review().act(&keepsake_engine::Act::Approve(vec![id.clone()])).unwrap();
    let memories = ask(&f.engine, "type:memory").memories;
    assert_eq!(memories.iter().map(|hit| (&hit.id, hit.why.as_slice())).collect::<Vec<_>>(), [(&id, [Why::Filter].as_slice())]);
    assert!(ask(&f.engine, "type:memory after:2099").memories.is_empty());
    let people = ask(&f.engine, "type:person").people;
    assert!(people.len() >= 3 && people.iter().all(|person| person.why == Why::Filter), "{people:?}");
    let audience = Some(Audience { person: Some("ana".to_owned()), ..Audience::default() });
    let of_ana = SearchAsk { query: "type:person".to_owned(), limit: 50, audience, ..SearchAsk::default() };
    assert!(
        f.engine.serve().search(&of_ana).unwrap().people.iter().all(|person| person.name != "Ben"),
        "who speaks elsewhere is nobody here"
    );
    assert_eq!(ask(&f.engine, "type:message").messages.len(), 8);
}

#[derive(Default)]
struct Plug(AtomicBool);

impl Power for Plug {
    fn is_on_battery(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

#[test]
fn on_battery_no_vectors_are_made_and_nothing_fails() {
    let dir = tempfile::tempdir().unwrap();
    let plug = Arc::new(Plug::default());
    let engine = Engine::open(EngineParts {
        data_dir: dir.path().to_owned(),
        clock: Arc::new(FixedClock::at(MONDAY_TEN)),
        ids: Arc::new(SeqIds::new(1)),
        embedder: EmbedderSlot::new(EmbedderState::Ready(Arc::new(HashEmbedder::new()))).with_reader(Arc::new(SentenceReader)),
        zone: keepsake_engine::Zone::UTC,
        keys: Arc::new(SessionKeys::default()),
        power: Arc::<Plug>::clone(&plug),
    })
    .unwrap();
    let ids = SeqIds::new(9);
    let context = keepsake_store::AppendContext { ids: &ids, now: MONDAY_TEN, import_id: None };
    engine.store().write(|tx| tx.log().append(&conversation("c", "owner Mara: hello boat"), context)).unwrap();
    engine.embeddings().queue().unwrap();
    plug.0.store(true, Ordering::SeqCst);
    assert!(matches!(engine.queue().run_next(Lane::Embed, &|_| {}).unwrap(), Step::Held(_)));
    assert_eq!(progress(&engine).0, 0);
    plug.0.store(false, Ordering::SeqCst);
    assert!(matches!(engine.queue().run_next(Lane::Embed, &|_| {}).unwrap(), Step::Ran(_, JobState::Done)));
    assert_eq!(progress(&engine).0, 1);
}
