//! Tests the data for charts: counts over time that agree with the messages, and a graph whose connections rest on messages.

use std::collections::{BTreeMap, BTreeSet};

use keepsake_domain::{ConversationId, DAY_MS, EntityId, HOUR_MS, HandleId, LinkAnswer, LinkId, Message, Timestamp, TopicId};
use keepsake_engine::{Act, EdgeKind, Existing, Graph, GraphOf, NODES_MAX, NodeKind, Series, Timeline, TimelineAsk, Unit};
use keepsake_store::LinkSuggestionRow;
use keepsake_testkit::{Conversation, MONDAY_TEN, SeqIds, conversation};

use crate::fixture::Fixture;

/// UTC+2 until noon of the fixture's third day, and UTC+1 from then on.
fn moved(at: i64) -> i64 {
    if at < MONDAY_TEN.0 + 2 * DAY_MS + 2 * HOUR_MS { 2 * HOUR_MS } else { HOUR_MS }
}

/// A conversation with one message at each of these hours after the start of the fixture's clock.
fn spread(id: &str, channel: &str, speaker: &str, hours: &[i64]) -> Vec<Message> {
    let lines: Vec<String> = hours.iter().map(|hour| format!("{speaker}: Something said at {hour}.")).collect();
    let mut messages = Conversation::new(id).channel(channel, id).messages(&lines.join("\n"));
    for (message, hour) in messages.iter_mut().zip(hours) {
        message.time = MONDAY_TEN.plus_ms(hour * HOUR_MS);
    }
    messages
}

/// Appends after advancing the clock, because the fixture's ids depend on it.
fn append(f: &Fixture, messages: &[Message]) -> ConversationId {
    f.clock.advance_ms(1_000);
    f.append(messages)
}

fn total(series: &[Series]) -> u64 {
    series.iter().map(Series::total).sum()
}

fn off_record(series: &[Series]) -> u64 {
    series.iter().flat_map(|series| &series.off_record).sum()
}

fn person(f: &Fixture, name: &str) -> EntityId {
    f.engine.erasure().person_named(name).unwrap()
}

fn everything(f: &Fixture, unit: Option<Unit>) -> Timeline {
    f.engine.serve().timeline_in(&TimelineAsk { unit, week_start: 1, ..TimelineAsk::default() }, &moved).unwrap()
}

fn of_person(f: &Fixture, name: &str) -> Timeline {
    f.engine
        .serve()
        .timeline_in(&TimelineAsk { person: Some(person(f, name)), week_start: 1, ..TimelineAsk::default() }, &moved)
        .unwrap()
}

#[test]
fn counts_are_those_of_the_messages_themselves() {
    let f = Fixture::new();
    let mut said: Vec<(i64, &str, &str)> = Vec::new();
    let hours: [&[i64]; 4] = [&[0, 1, 13, 14, 37, 50, 700], &[2, 2, 2, 60], &[14, 15, 16, 400], &[9, 36, 37]];
    for (at, (channel, speaker)) in
        [("chat", "owner Mara"), ("whatsapp", "person Ana"), ("whatsapp", "person Ben"), ("email", "person Ana")]
            .into_iter()
            .enumerate()
    {
        append(&f, &spread(&format!("c{at}"), channel, speaker, hours[at]));
        said.extend(hours[at].iter().map(|hour| (MONDAY_TEN.0 + hour * HOUR_MS, channel, speaker)));
    }
    let check = |timeline: &Timeline, said: &[(i64, &str, &str)], what: &str| {
        let mut expect: BTreeMap<(usize, &str), u64> = BTreeMap::new();
        for (at, channel, _) in said {
            let stretch = timeline.edges.windows(2).position(|pair| pair[0] <= *at && *at < pair[1]).expect("it lies in one");
            *expect.entry((stretch, channel)).or_default() += 1;
        }
        let mut found: BTreeMap<(usize, &str), u64> = BTreeMap::new();
        for series in &timeline.messages {
            assert_eq!(series.counts.len(), timeline.edges.len() - 1, "{what}: a count for each stretch");
            for (stretch, count) in series.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                found.insert((stretch, series.name.as_str()), *count);
            }
        }
        assert_eq!(found, expect, "{what}");
        assert_eq!((total(&timeline.messages), timeline.messages_outside), (said.len() as u64, 0), "{what}: nothing is lost");
    };
    for unit in Unit::ALL {
        let timeline = everything(&f, Some(unit));
        assert_eq!(timeline.unit, unit);
        check(&timeline, &said, unit.name());
    }
    let days = everything(&f, None);
    assert_eq!(days.unit, Unit::Day, "a month is shown by days");
    assert_eq!(days.edges[3] - days.edges[2], DAY_MS + HOUR_MS, "the day on which the clock was moved is longer");
    for (name, speaker) in [("Mara", "owner Mara"), ("Ben", "person Ben")] {
        let own: Vec<_> = said.iter().copied().filter(|(_, _, who)| *who == speaker).collect();
        check(&of_person(&f, name), &own, name);
    }
    let part = TimelineAsk {
        from: Some(Timestamp(days.edges[1])),
        to: Some(Timestamp(days.edges[3])),
        unit: Some(Unit::Day),
        week_start: 1,
        ..TimelineAsk::default()
    };
    let part = f.engine.serve().timeline_in(&part, &moved).unwrap();
    assert_eq!(part.edges, days.edges[1..=3], "a closer look has the same stretches");
    let sums = |timeline: &Timeline, at: usize| timeline.messages.iter().map(|series| series.counts[at]).sum::<u64>();
    assert_eq!([sums(&part, 0), sums(&part, 1)], [sums(&days, 1), sums(&days, 2)]);
    assert_eq!(part.messages_outside, said.len() as u64 - total(&part.messages));
}

#[test]
fn two_handles_are_counted_as_one_person_while_a_link_holds() {
    let (f, link) = suggested();
    let count = |f: &Fixture| total(&of_person(f, "chat:Robin Hale").messages);
    assert_eq!(count(&f), 1, "what is only suggested counts for nothing");
    f.engine.people().answer_link(&link, LinkAnswer::Same).unwrap();
    assert_eq!(count(&f), 3);
    f.engine.people().reopen_link(&link).unwrap();
    assert_eq!(count(&f), 1, "taken back, everything is as before");
}

#[test]
fn what_is_off_the_record_is_shown_to_its_owner_and_marked() {
    let f = Fixture::new();
    let open = spread("c1", "whatsapp", "person Ana", &[0, 30, 31]);
    let hidden = spread("c2", "whatsapp", "person Ana", &[1, 2, 32, 33]);
    append(&f, &open);
    let id = append(&f, &hidden);
    assert_eq!(off_record(&everything(&f, None).messages), 0, "nothing is, yet");
    f.engine.erasure().set_private(&id, true, Existing::Keep).unwrap();
    for timeline in [everything(&f, None), of_person(&f, "Ana")] {
        let series = &timeline.messages[0];
        assert_eq!((series.counts.as_slice(), series.off_record.as_slice()), (&[3, 4][..], &[2, 2][..]));
    }
    f.engine.erasure().erase_conversation(&id, "test").unwrap();
    assert_eq!(total(&everything(&f, None).messages), 3, "what is erased is counted no longer");
}

/// One line per day.
const DAYS: &str = "owner Mara: I'm allergic to peanuts.
    owner Mara: I play the cello for three years now.
    owner Mara: I live in Utrecht with my sister.
    owner Mara: I prefer short answers.";

#[test]
fn each_memory_counts_once_where_its_line_was_said_or_where_it_was_decided() {
    let f = Fixture::new();
    let mut messages = conversation("c1", DAYS);
    for (at, message) in messages.iter_mut().enumerate() {
        message.time = MONDAY_TEN.plus_ms(at as i64 * DAY_MS);
    }
    let id = append(&f, &messages);
    f.clock.advance_ms(20 * DAY_MS);
    f.engine.review().propose(&id, None, &keepsake_engine::Unwatched).unwrap();
    let all = f.rows().len() as u64;
    assert!(all >= 3, "there are candidates: {:?}", f.memories());
    f.clock.advance_ms(DAY_MS);
    f.engine.review().act(&Act::Approve(vec![f.id_of("cello")])).unwrap();
    f.engine.review().act(&Act::Reject(vec![f.id_of("peanuts")], None)).unwrap();
    // After rewording, the old version is superseded and the new one counts in its place.
    f.engine.review().act(&Act::Edit(f.id_of("cello"), "User plays the cello".to_owned(), None)).unwrap();
    let ask = |by_decision: bool| TimelineAsk { by_decision, unit: Some(Unit::Day), week_start: 1, ..TimelineAsk::default() };
    let said = f.engine.serve().timeline_in(&ask(false), &|_| 0).unwrap();
    let decided = f.engine.serve().timeline_in(&ask(true), &|_| 0).unwrap();
    for timeline in [&said, &decided] {
        let totals: Vec<_> = timeline.memories.iter().map(|series| (series.name.as_str(), series.total())).collect();
        assert_eq!(totals, [("approved", 1), ("waiting", all - 2), ("rejected", 1)]);
        assert_eq!(timeline.memories_outside, 0);
    }
    let days = |timeline: &Timeline, state: usize| -> Vec<i64> {
        let counts = timeline.memories[state].counts.iter().enumerate().filter(|(_, count)| **count > 0);
        counts.map(|(at, _)| (timeline.edges[at] - MONDAY_TEN.0).div_euclid(DAY_MS) + 2).collect()
    };
    assert_eq!((days(&said, 0), days(&said, 2)), (vec![2], vec![1]), "on the day on which the line was said");
    assert_eq!((days(&decided, 0), days(&decided, 2)), (vec![22], vec![22]), "on the day on which it was decided");
    assert_eq!(days(&decided, 1), [21], "what waits stands where it was found");
    f.engine.erasure().set_private(&id, true, Existing::Keep).unwrap();
    let marked = f.engine.serve().timeline_in(&ask(false), &|_| 0).unwrap();
    assert_eq!(off_record(&marked.memories), total(&marked.memories), "all of them rest on it");
}

#[test]
fn an_empty_store_has_an_empty_picture() {
    let f = Fixture::new();
    let timeline = everything(&f, None);
    assert_eq!((timeline.edges.len(), timeline.messages.len(), timeline.messages_outside), (0, 0, 0));
    let unknown: EntityId = EntityId::fresh(&SeqIds::new(5));
    assert!(f.engine.serve().timeline(&TimelineAsk { person: Some(unknown.clone()), ..TimelineAsk::default() }).is_err());
    assert!(f.engine.serve().graph(&GraphOf::Person(unknown)).is_err(), "nobody is no picture");
    assert!(f.engine.serve().graph(&GraphOf::Topic(TopicId::fresh(&SeqIds::new(6)))).is_err());
}

/// Two people in two conversations, and a suggestion that they are the same person.
fn suggested() -> (Fixture, LinkId) {
    let f = Fixture::new();
    append(&f, &conversation("c1", "owner Mara: Shall we?\nperson Robin Hale: On Friday."));
    append(
        &f,
        &conversation("c2", "owner Mara: And you?\nperson R. Hale: Gladly.\nperson R. Hale: On Friday?\nperson Ana: Me too."),
    );
    let handles = f.engine.store().read(|tx| tx.people().handles()).unwrap();
    let id_of = |name: &str| -> HandleId { handles.iter().find(|row| row.display_name == name).unwrap().id.clone() };
    let (a, b) = (id_of("Robin Hale"), id_of("R. Hale"));
    let id = LinkId::fresh(&SeqIds::new(9));
    let row = LinkSuggestionRow {
        id: id.clone(),
        a: a.clone().min(b.clone()),
        b: a.max(b),
        strength: "guess".to_owned(),
        evidence_for: r#"[{"kind":"shared_terms","terms":["friday"],"spans":[]}]"#.to_owned(),
        evidence_against: "[]".to_owned(),
        evidence_fingerprint: "f1".to_owned(),
        proposer: "test/1".to_owned(),
    };
    f.engine.store().write(|tx| tx.people().replace_link_suggestions(&[row], MONDAY_TEN)).unwrap();
    (f, id)
}

fn labels(graph: &Graph, kind: NodeKind) -> BTreeSet<&str> {
    graph.nodes.iter().filter(|node| node.kind == kind).map(|node| node.label.as_str()).collect()
}

#[test]
fn a_suggestion_is_never_drawn_and_a_confirmed_link_makes_one_person() {
    let (f, link) = suggested();
    let draw = |f: &Fixture| f.engine.serve().graph(&GraphOf::Person(person(f, "chat:Robin Hale"))).unwrap();
    let before = draw(&f);
    assert_eq!(before.nodes.len(), 2, "Robin and the one conversation: {before:?}");
    assert!(labels(&before, NodeKind::Person).contains("Robin Hale") && before.edges.len() == 1);
    f.engine.people().answer_link(&link, LinkAnswer::Same).unwrap();
    let linked = draw(&f);
    assert_eq!(labels(&linked, NodeKind::Conversation).len() + labels(&linked, NodeKind::Person).len(), 3, "one person, and Ana");
    assert_eq!(linked.nodes.len(), 4, "two conversations now: {linked:?}");
    f.engine.people().reopen_link(&link).unwrap();
    assert_eq!(draw(&f), before, "taken back, the picture is the one from before");
}

#[test]
fn a_crowd_is_cut_to_what_can_be_read_and_the_rest_is_counted() {
    let f = Fixture::new();
    for at in 0..90 {
        let line = "person Ana: Here I am again.\n".repeat(1 + at % 7);
        append(&f, &conversation(&format!("c{at}"), &format!("{line}owner Mara: Hello.\nperson Friend{at}: And me.")));
    }
    let ana = GraphOf::Person(person(&f, "Ana"));
    let graph = f.engine.serve().graph(&ana).unwrap();
    assert_eq!(graph.nodes.len(), NODES_MAX, "as many as can be read");
    assert_eq!(graph.nodes[0].id, graph.center);
    let count = |kind: NodeKind| graph.nodes.iter().filter(|node| node.kind == kind).count() as u64;
    let left = |kind: NodeKind| graph.left_out.iter().find(|(of, _)| *of == kind).map_or(0, |(_, count)| *count);
    assert_eq!(count(NodeKind::Conversation) + left(NodeKind::Conversation), 90, "none is dropped in silence");
    assert_eq!(count(NodeKind::Person) - 1 + left(NodeKind::Person), 90);
    assert!(!graph.nodes.iter().any(|node| node.is_owner), "the owner is everywhere, so they say nothing");
    let ids: BTreeSet<_> = graph.nodes.iter().map(|node| &node.id).collect();
    assert_eq!(ids.len(), graph.nodes.len(), "each thing once");
    assert!(graph.edges.iter().all(|edge| ids.contains(&edge.a) && ids.contains(&edge.b) && edge.a != edge.b));
    let wrote: Vec<u64> = graph
        .edges
        .iter()
        .filter(|edge| edge.a == graph.center && edge.kind == EdgeKind::WroteIn)
        .map(|edge| edge.count)
        .collect();
    assert!(wrote.iter().all(|count| *count >= 5), "the fullest places are shown: {wrote:?}");
    let again = f.restarted(3);
    assert_eq!(again.engine.serve().graph(&ana).unwrap(), graph, "the same data give the same picture");
}

const PUMP: &str = "owner Mara 10:00: The water pump at the well makes no sound when I press the switch.
person Ana: Did you look at the fuse of the water pump in the shed?
owner Mara: The fuse is fine, the pump gets 230 volts at the socket.
person Ana: Then the capacitor of the pump is broken, a new capacitor costs twelve euros.
owner Mara: We decided to try a new capacitor before we buy a new pump.
person Ana: I ordered a capacitor for the pump with 16 microfarad.";

const LISBON: &str = "owner Mara 12:00: The flights to Lisbon in May cost 180 each with the morning flight.
person Ben: The guesthouse in Lisbon with the garden still has a room for five nights.
owner Mara: I booked the morning flight to Lisbon and reserved the guesthouse.
person Ana: We need tickets for the tile museum in Lisbon, they sell out.
owner Mara: The tile museum in Lisbon is closed on Mondays, so I took tickets for Friday.";

/// Conversations on two subjects with several people, and the resulting topics.
fn with_topics() -> Fixture {
    let f = Fixture::new();
    for (id, lines) in [("well", PUMP), ("trip", LISBON)] {
        append(&f, &Conversation::new(id).channel("matrix", id).public().messages(lines));
    }
    f.clock.advance_ms(DAY_MS);
    f.engine.topics().queue().unwrap();
    let lock = f.engine.queue().lock_worker().unwrap();
    f.engine.queue().run_due(&lock, &|_| {}).unwrap();
    f
}

#[test]
fn every_connection_rests_on_messages_that_can_be_shown() {
    let f = with_topics();
    let topics = f.engine.topics().list().unwrap();
    assert!(topics.len() >= 2, "both subjects are topics: {}", topics.len());
    let mut pictures: Vec<GraphOf> = topics.iter().map(|topic| GraphOf::Topic(topic.topic.id.clone())).collect();
    pictures.extend(["Ana", "Ben", "Mara"].map(|name| GraphOf::Person(person(&f, name))));
    for of in &pictures {
        let graph = f.engine.serve().graph(of).unwrap();
        assert!(!graph.edges.is_empty());
        for edge in &graph.edges {
            assert!(edge.count > 0, "{edge:?}");
            if [EdgeKind::WroteIn, EdgeKind::WroteOf, EdgeKind::ToldIn, EdgeKind::SaidIn, EdgeKind::PartOf].contains(&edge.kind) {
                let (place, line) = edge.line.clone().expect("a message shows it");
                let stored = f.engine.store().read(|tx| tx.log().interaction(&line)).unwrap().expect("it is stored");
                assert_eq!(stored.conversation_id, place);
                if edge.kind == EdgeKind::WroteIn {
                    assert_eq!(place.as_str(), edge.b, "said where it leads");
                }
            }
        }
    }
    // The expected counts come directly from the topic's own messages.
    let topic = &topics[0];
    let graph = f.engine.serve().graph(&GraphOf::Topic(topic.topic.id.clone())).unwrap();
    let of = |kind: EdgeKind| -> u64 {
        graph
            .edges
            .iter()
            .filter(|edge| edge.kind == kind && (edge.a == graph.center || edge.b == graph.center))
            .map(|edge| edge.count)
            .sum()
    };
    assert_eq!(of(EdgeKind::ToldIn), topic.messages.len() as u64, "every message was said somewhere");
    assert_eq!(of(EdgeKind::WroteOf), topic.messages.len() as u64, "and by somebody, the owner included");
    assert!(graph.nodes.iter().any(|node| node.is_owner), "who wrote of it is told, the owner too");
}

#[test]
fn a_topics_timeline_is_that_of_its_messages() {
    let f = with_topics();
    for topic in f.engine.topics().list().unwrap() {
        let ask = TimelineAsk { topic: Some(topic.topic.id.clone()), week_start: 1, ..TimelineAsk::default() };
        let timeline = f.engine.serve().timeline_in(&ask, &|_| 0).unwrap();
        assert_eq!(total(&timeline.messages), topic.messages.len() as u64);
    }
    let both = TimelineAsk {
        topic: Some(f.engine.topics().list().unwrap()[0].topic.id.clone()),
        person: Some(person(&f, "Ana")),
        ..TimelineAsk::default()
    };
    assert!(f.engine.serve().timeline(&both).is_err(), "of one thing at a time");
}

#[test]
fn what_rests_on_what_is_off_the_record_is_marked_in_the_picture() {
    let f = Fixture::new();
    let hidden = f.propose("c1", "person Ana: I work as a nurse in Leeds.\nowner Mara: I see.");
    append(&f, &conversation("c2", "person Ana: Good morning.\nowner Mara: Good morning."));
    f.engine.review().act(&Act::Approve(vec![f.id_of("nurse")])).unwrap();
    let ana = GraphOf::Person(person(&f, "Ana"));
    let marks = |graph: &Graph| graph.nodes.iter().filter(|node| node.is_private).map(|node| node.kind).collect::<Vec<_>>();
    assert_eq!(marks(&f.engine.serve().graph(&ana).unwrap()), []);
    f.engine.erasure().set_private(&hidden, true, Existing::Keep).unwrap();
    let graph = f.engine.serve().graph(&ana).unwrap();
    assert_eq!(marks(&graph), [NodeKind::Memory, NodeKind::Conversation], "the conversation and what was kept of it");
    assert!(graph.edges.iter().filter(|edge| edge.b == hidden.as_str()).all(|edge| edge.is_private));
    assert!(graph.edges.iter().any(|edge| !edge.is_private), "control: the other conversation has no mark");
}
