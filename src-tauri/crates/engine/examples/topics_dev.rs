//! Judges topics on labelled conversations: `topics_dev [--words] [--show] FILE...`, Keepsake JSONL whose lines have a `subject`.
//!
//! Prints how well topics agree with the labels (pairwise precision, recall and F1 over messages that have a subject and are held by a
//! topic or should be; V-measure), how near clusters are to their own subject and to others, and with `--show` every topic.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout)] // A tool for whoever works on the rules.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use keepsake_domain::{MessageType, Role, Timestamp};
use keepsake_insight::Turn;
use keepsake_insight::topic::{
    Cluster, ClusterEvent, Entities, Event, TopicRules, TopicText, batches, clusters, entities, fold, merge, render, title,
};
use keepsake_models::{Embedder, default_model_dir, open_local};

struct Line {
    id: String,
    author: String,
    role: Role,
    text: String,
    time: Timestamp,
    subject: String,
}

fn read(path: &str) -> Vec<Line> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    text.lines()
        .map(|line| {
            let value: serde_json::Value = serde_json::from_str(line).expect("a JSON object a line");
            let field = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
            let time = chrono::DateTime::parse_from_rfc3339(&field("time")).expect("an RFC 3339 time");
            Line {
                id: field("id"),
                author: field("author"),
                role: field("role").parse().expect("a role"),
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

fn pairs(groups: impl Iterator<Item = usize>) -> f64 {
    groups.map(|n| n as f64 * (n as f64 - 1.0) / 2.0).sum()
}

fn entropy(counts: impl Iterator<Item = usize>, total: f64) -> f64 {
    counts.filter(|n| *n > 0).map(|n| n as f64 / total).map(|p| -p * p.ln()).sum()
}

/// Precision, recall, F1 over pairs; homogeneity, completeness, V-measure.
fn agreement(found: &HashMap<String, String>, wanted: &BTreeMap<String, String>) -> [f64; 6] {
    let mut joint: BTreeMap<(String, String), usize> = BTreeMap::new();
    for (id, subject) in wanted {
        // What no topic holds stands alone.
        let topic = found.get(id).cloned().unwrap_or_else(|| format!("alone {id}"));
        *joint.entry((subject.clone(), topic)).or_default() += 1;
    }
    let mut by_subject: BTreeMap<&str, usize> = BTreeMap::new();
    let mut by_topic: BTreeMap<&str, usize> = BTreeMap::new();
    for ((subject, topic), n) in &joint {
        *by_subject.entry(subject).or_default() += n;
        *by_topic.entry(topic).or_default() += n;
    }
    let both = pairs(joint.values().copied());
    let precision = both / pairs(by_topic.values().copied()).max(1.0);
    let recall = both / pairs(by_subject.values().copied()).max(1.0);
    let total = wanted.len() as f64;
    let h_subject = entropy(by_subject.values().copied(), total);
    let h_topic = entropy(by_topic.values().copied(), total);
    let h_joint = entropy(joint.values().copied(), total);
    let homogeneity = if h_subject == 0.0 { 1.0 } else { 1.0 - (h_joint - h_topic) / h_subject };
    let completeness = if h_topic == 0.0 { 1.0 } else { 1.0 - (h_joint - h_subject) / h_topic };
    let mean = |a: f64, b: f64| if a + b == 0.0 { 0.0 } else { 2.0 * a * b / (a + b) };
    [precision, recall, mean(precision, recall), homogeneity, completeness, mean(homogeneity, completeness)]
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let has = |flag: &str| args.iter().any(|arg| arg == flag);
    let files: Vec<&String> = args.iter().filter(|arg| !arg.starts_with("--")).collect();
    let model = if has("--words") {
        None
    } else {
        Some(open_local(&default_model_dir(|name| std::env::var_os(name))).expect("the model of `make model`"))
    };
    let embed = |texts: &[&str]| model.as_ref().and_then(|model| model.embed_apart(texts).ok());
    let mut rules = TopicRules::default();
    if let Some(similarity) = args.iter().find_map(|arg| arg.strip_prefix("--similarity=")) {
        rules.similarity = similarity.parse().expect("a number");
    }
    let conversations: Vec<Vec<Line>> = files.iter().map(|path| read(path)).collect();
    let mut found: Vec<(String, Timestamp, Cluster)> = Vec::new();
    for (number, lines) in conversations.iter().enumerate() {
        let turns: Vec<Turn<'_>> = lines.iter().map(turn).collect();
        let times: Vec<Timestamp> = turns.iter().map(|turn| turn.time).collect();
        let (closed, _) = batches(&times, &rules, Timestamp(i64::MAX));
        for (position, batch) in closed.iter().enumerate() {
            for (at, cluster) in clusters(&turns, batch, &rules, &embed).into_iter().enumerate() {
                found.push((format!("{number} {position:04} {at:03}"), batch.closes, cluster));
            }
        }
    }
    let lines: HashMap<&str, &Line> = conversations.iter().flatten().map(|line| (line.id.as_str(), line)).collect();
    let wanted: BTreeMap<String, String> =
        lines.values().filter(|line| line.subject != "-").map(|line| (line.id.clone(), line.subject.clone())).collect();
    let of_cluster: HashMap<String, String> =
        found.iter().flat_map(|(key, _, c)| c.messages.iter().map(|id| (id.clone(), key.clone()))).collect();
    let [precision, ..] = agreement(&of_cluster, &wanted);
    println!("clusters {}: pairwise precision {precision:.3}", found.len());
    if has("--clusters") {
        for (key, _, cluster) in &found {
            println!("-- {key} carriers {} words {} context {}", cluster.carriers, cluster.content_words, cluster.context.len());
            for id in &cluster.messages {
                println!("   [{}] {}", lines[id.as_str()].subject, lines[id.as_str()].text);
            }
        }
    }
    nearness(&found, &lines);
    let events: Vec<Event<'_>> =
        found.iter().map(|(key, at, cluster)| Event::Cluster(ClusterEvent { key, at: *at, cluster })).collect();
    let folded = fold("owner", &events, &rules);
    let of_topic: HashMap<String, String> =
        folded.topics.iter().flat_map(|topic| topic.messages.iter().map(|id| (id.clone(), topic.id.clone()))).collect();
    let [p, r, f, h, c, v] = agreement(&of_topic, &wanted);
    let light = of_topic.keys().filter(|id| lines[id.as_str()].subject == "-").count();
    let all_light = lines.values().filter(|line| line.subject == "-").count();
    println!("topics {}: P {p:.3} R {r:.3} F1 {f:.3}  homogeneity {h:.3} completeness {c:.3} V {v:.3}", folded.topics.len());
    println!("messages with a subject held: {}/{}; small talk held: {light}/{all_light}", of_topic.len() - light, wanted.len());
    for proposal in &folded.proposals {
        println!("proposal {:?} {:.2} {:?}", proposal.kind, proposal.nearness, proposal.why);
    }
    if !has("--show") {
        return;
    }
    for topic in &folded.topics {
        let subjects: BTreeSet<&str> = topic.messages.iter().map(|id| lines[id.as_str()].subject.as_str()).collect();
        let (mut text, mut name, mut named) = (TopicText::default(), String::new(), Entities::default());
        let mut names = Vec::new();
        let mut all: Vec<&Line> = Vec::new();
        for step in &topic.steps {
            let mut new: Vec<&Line> = step.added.iter().map(|id| lines[id.as_str()]).collect();
            new.sort_by_key(|line| line.time);
            let turns: Vec<Turn<'_>> = new.iter().map(|line| turn(line)).collect();
            text = merge(&text, &turns, &[], &rules);
            all.extend(&new);
            let so_far: Vec<Turn<'_>> = all.iter().map(|line| turn(line)).collect();
            name = title(&text, &so_far, &step.telling, &|_| None, Some(name.as_str()).filter(|name| !name.is_empty()));
            named = entities(&turns, &named);
            names.push(name.clone());
        }
        println!("\n==== {names:?} {} messages, subjects {subjects:?}", topic.messages.len());
        println!("{named:?}");
        println!("{}", render(&text, &|line| line.author.clone()));
    }
}

/// How near clusters are to the rest of their subject and to the other subjects.
fn nearness(found: &[(String, Timestamp, Cluster)], lines: &HashMap<&str, &Line>) {
    let subject = |cluster: &Cluster| {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        cluster.messages.iter().for_each(|id| *counts.entry(lines[id.as_str()].subject.as_str()).or_default() += 1);
        counts.into_iter().max_by_key(|(_, n)| *n).map(|(subject, _)| subject.to_owned()).unwrap_or_default()
    };
    let (mut own, mut other) = (Vec::new(), Vec::new());
    for (at, (_, _, a)) in found.iter().enumerate() {
        for (_, _, b) in found.iter().skip(at + 1) {
            let (Some(x), Some(y)) = (&a.vector, &b.vector) else { continue };
            if a.carriers < 2 || b.carriers < 2 {
                continue;
            }
            let value: f32 = x.iter().zip(y).map(|(x, y)| x * y).sum();
            if subject(a) == subject(b) { own.push(value) } else { other.push(value) }
        }
    }
    for (name, mut values) in [("same subject", own), ("other subject", other)] {
        values.sort_by(f32::total_cmp);
        if let (Some(low), Some(high)) = (values.first(), values.last()) {
            let middle = values[values.len() / 2];
            let tenth = values[values.len() / 10];
            let most = values[values.len() * 9 / 10];
            println!("cosine of clusters, {name} ({}): {low:.2} {tenth:.2} {middle:.2} {most:.2} {high:.2}", values.len());
        }
    }
}
