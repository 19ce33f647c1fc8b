//! Three long conversations, each with several subjects and small talk in between. The labels are the files' own `subject`
//! fields.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use keepsake_domain::{Mark, MarkKind, MessageType, ReadingLabel, Role, Timestamp};
use keepsake_insight::Turn;
use keepsake_insight::topic::{
    Cluster, ClusterEvent, Event, Folded, Section, TopicRules, TopicText, batches, clusters, fold, merge, render, title, words,
};

struct Line {
    id: String,
    author: String,
    role: Role,
    text: String,
    time: Timestamp,
    subject: String,
}

fn lines(file: &str) -> Vec<Line> {
    let path = format!("{}/../../../tests/fixtures/topics/{file}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap();
    text.lines()
        .map(|line| {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            let field = |name: &str| value[name].as_str().unwrap().to_owned();
            let time = chrono::DateTime::parse_from_rfc3339(&field("time")).unwrap();
            Line {
                id: field("id"),
                author: field("author"),
                role: field("role").parse().unwrap(),
                text: field("text"),
                time: Timestamp(time.timestamp_millis()),
                subject: field("subject"),
            }
        })
        .collect()
}

fn turn(line: &Line) -> Turn<'_> {
    Turn {
        id: &line.id,
        role: line.role,
        author: &line.author,
        text: &line.text,
        time: line.time,
        message_type: MessageType::Text,
        is_branch: false,
    }
}

fn read(files: &[(&str, Vec<Line>)]) -> Vec<(String, Timestamp, Cluster)> {
    let rules = TopicRules::default();
    let mut found = Vec::new();
    for (name, lines) in files {
        let turns: Vec<Turn<'_>> = lines.iter().map(turn).collect();
        let times: Vec<Timestamp> = turns.iter().map(|turn| turn.time).collect();
        for (position, batch) in batches(&times, &rules, Timestamp(i64::MAX)).0.iter().enumerate() {
            for (at, cluster) in clusters(&turns, batch, &rules, &|_| None).into_iter().enumerate() {
                found.push((format!("{name} {position:04} {at:03}"), batch.closes, cluster));
            }
        }
    }
    found
}

fn folded(found: &[(String, Timestamp, Cluster)]) -> Folded {
    let events: Vec<Event<'_>> =
        found.iter().map(|(key, at, cluster)| Event::Cluster(ClusterEvent { key, at: *at, cluster })).collect();
    fold("owner", &events, &TopicRules::default())
}

fn all() -> Vec<(&'static str, Vec<Line>)> {
    ["home", "work", "garden"].map(|name| (name, lines(name))).into()
}

#[test]
fn the_order_of_events_decides_nothing_and_no_message_is_in_two_topics() {
    let files = all();
    let found = read(&files);
    let once = folded(&found);
    let backwards: Vec<_> = found.iter().cloned().rev().collect();
    assert_eq!(folded(&backwards), once, "events are put in order by their time");
    let held: Vec<&String> = once.topics.iter().flat_map(|topic| &topic.messages).collect();
    assert_eq!(held.iter().collect::<BTreeSet<_>>().len(), held.len(), "each message is in one topic");
    for topic in &once.topics {
        let stepped: BTreeSet<&String> = topic.steps.iter().flat_map(|step| &step.added).collect();
        assert_eq!(stepped, topic.messages.iter().collect(), "every message came with one version");
    }
}

#[test]
fn greetings_found_no_topic() {
    let files = all();
    let by_id: HashMap<&str, &Line> = files.iter().flat_map(|(_, lines)| lines).map(|line| (line.id.as_str(), line)).collect();
    for topic in folded(&read(&files)).topics {
        let light = topic.messages.iter().filter(|id| by_id[id.as_str()].subject == "-").count();
        assert!(light * 3 <= topic.messages.len(), "a topic is no collection of small talk");
    }
    let small_talk = |lines: Vec<Line>| lines.into_iter().filter(|line| line.subject == "-").collect::<Vec<Line>>();
    let light: Vec<(&str, Vec<Line>)> = all().into_iter().map(|(name, lines)| (name, small_talk(lines))).collect();
    assert!(light.iter().map(|(_, lines)| lines.len()).sum::<usize>() > 25, "there is enough of it");
    assert_eq!(folded(&read(&light)).topics, [], "alone it founds nothing");
}

/// What the reader would mark in the files.
const MARKED: &[(ReadingLabel, &str)] =
    &[(ReadingLabel::Solution, "Dropping the secondary indexes fixed it"), (ReadingLabel::Promise, "drop the replication user")];

fn marks(text: &str) -> Vec<Mark> {
    let mark = |(label, words): &(ReadingLabel, &str)| {
        let start = text.find(words)?;
        Some(Mark { kind: MarkKind::Label(*label), bytes: start..start + words.len(), probability: 0.9 })
    };
    MARKED.iter().filter_map(mark).collect()
}

/// The text and title after every step of a topic.
fn texts(folded: &Folded, by_id: &HashMap<&str, &Line>) -> BTreeMap<String, Vec<(String, TopicText)>> {
    let rules = TopicRules::default();
    let mut out = BTreeMap::new();
    for topic in &folded.topics {
        let (mut text, mut name) = (TopicText::default(), String::new());
        let mut so_far: Vec<Turn<'_>> = Vec::new();
        let mut versions = Vec::new();
        for step in &topic.steps {
            let mut turns: Vec<Turn<'_>> = step.added.iter().map(|id| turn(by_id[id.as_str()])).collect();
            turns.sort_by_key(|turn| turn.time);
            so_far.extend_from_slice(&turns);
            let marks: Vec<Vec<Mark>> = turns.iter().map(|turn| marks(turn.text)).collect();
            text = merge(&text, &turns, &marks, &rules);
            name = title(&text, &so_far, &step.telling, &|_| None, Some(name.as_str()).filter(|name| !name.is_empty()));
            versions.push((name.clone(), text.clone()));
        }
        out.insert(topic.id.clone(), versions);
    }
    out
}

#[test]
fn every_line_stands_in_its_message_and_no_text_is_too_long() {
    let files = all();
    let by_id: HashMap<&str, &Line> = files.iter().flat_map(|(_, lines)| lines).map(|line| (line.id.as_str(), line)).collect();
    let folded = folded(&read(&files));
    let mut lines = 0;
    for versions in texts(&folded, &by_id).values() {
        for (name, text) in versions {
            assert!(!name.is_empty() && name.chars().count() <= 60, "{name:?} is a title");
            let count: usize = text.lines.iter().map(|line| words(&line.text)).sum();
            assert!(count <= 500, "a text of {count} words is no summary");
            for line in &text.lines {
                let quoted = line.span.quote(&by_id[line.message.as_str()].text).unwrap();
                assert_eq!(quoted.to_lowercase(), line.text.to_lowercase(), "a line is what somebody said");
                lines += 1;
            }
            let mut seen = BTreeSet::new();
            assert!(text.lines.iter().all(|line| seen.insert((&line.message, line.span))), "nothing is said twice");
            let sections: Vec<Section> = text.lines.iter().map(|line| line.section).collect();
            assert!(sections.is_sorted(), "takeaways stand first");
        }
    }
    assert!(lines > 100, "there is something to judge: {lines}");
}

#[test]
fn what_was_solved_and_promised_leads_the_text() {
    let files = all();
    let by_id: HashMap<&str, &Line> = files.iter().flat_map(|(_, lines)| lines).map(|line| (line.id.as_str(), line)).collect();
    let folded = folded(&read(&files));
    let last: Vec<TopicText> =
        texts(&folded, &by_id).into_values().filter_map(|versions| versions.last().map(|(_, text)| text.clone())).collect();
    let has = |section: Section, words: &str| {
        let found: Vec<&str> = last
            .iter()
            .flat_map(|text| &text.lines)
            .filter(|line| line.section == section)
            .map(|line| line.text.as_str())
            .collect();
        assert!(found.iter().any(|line| line.contains(words)), "{section:?} {words:?} in {found:#?}");
    };
    for (label, words) in MARKED {
        has(if *label == ReadingLabel::Solution { Section::Solution } else { Section::Task }, words);
    }
    let whole = last.iter().find(|text| text.lines.iter().any(|line| line.section == Section::Solution)).unwrap();
    let shown = render(whole, &|line| line.author.clone());
    assert!(shown.starts_with("## Key Takeaways\n") && shown.contains("\n## Details\n"), "{shown}");
}
