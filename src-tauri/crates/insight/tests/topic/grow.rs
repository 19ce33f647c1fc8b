//! How topics grow and how a person's decisions change them, with handmade clusters.

use keepsake_domain::{Mark, MarkKind, MessageType, ReadingLabel, Role, Timestamp};
use keepsake_insight::Turn;
use keepsake_insight::topic::{
    Act, Batch, Cluster, ClusterEvent, Decision, Entities, Event, Folded, Judged, ProposalKind, Section, Terms, TopicRules,
    TopicText, clusters, entities, fold, fold_judged, merge, title,
};

/// A cluster on its own subject, with messages `name1`, `name2`, …
fn cluster(name: &str, count: usize, words: &str) -> Cluster {
    let terms: Terms = words.split(' ').map(|word| (word.to_owned(), count as f32)).collect();
    Cluster {
        messages: (1..=count).map(|n| format!("{name}{n}")).collect(),
        context: Vec::new(),
        carriers: count as u32,
        content_words: (count * words.split(' ').count()) as u32,
        terms,
        vector: None,
    }
}

const BOILER: &str = "boiler radiator valve pressure engineer vessel leak";
const LISBON: &str = "flight lisbon guesthouse museum sintra palace train";
const MIXED: &str = "boiler radiator valve pressure flight lisbon guesthouse museum";

struct Scene {
    clusters: Vec<(String, i64, Cluster)>,
    decisions: Vec<Decision>,
    judged: Judged,
}

impl Scene {
    fn of(clusters: &[(i64, Cluster)]) -> Self {
        let clusters =
            clusters.iter().enumerate().map(|(at, (time, cluster))| (format!("{at:03}"), *time, cluster.clone())).collect();
        Self { clusters, decisions: Vec::new(), judged: Judged::default() }
    }

    fn decided(mut self, at: i64, act: Act) -> Self {
        let id = format!("d{}", self.decisions.len());
        self.decisions.push(Decision { id, at: Timestamp(at), act });
        self
    }

    fn judged(self, judged: Judged) -> Self {
        Self { judged, ..self }
    }

    fn fold(&self) -> Folded {
        let mut events: Vec<Event<'_>> = self
            .clusters
            .iter()
            .map(|(key, at, cluster)| Event::Cluster(ClusterEvent { key, at: Timestamp(*at), cluster }))
            .collect();
        events.extend(self.decisions.iter().map(Event::Decision));
        fold_judged("owner", &events, &TopicRules::default(), &self.judged)
    }
}

fn ids(text: &[&str]) -> Vec<String> {
    text.iter().map(|id| (*id).to_owned()).collect()
}

#[test]
fn the_same_subject_finds_its_topic_and_another_creates_one() {
    let folded = Scene::of(&[(1, cluster("a", 4, BOILER)), (2, cluster("b", 4, LISBON)), (3, cluster("c", 3, BOILER))]).fold();
    let held: Vec<usize> = folded.topics.iter().map(|topic| topic.messages.len()).collect();
    assert_eq!(held, [7, 4], "what came third went to the first");
    assert_eq!(folded.topics[0].steps.len(), 2, "each growth is a version of its own");
}

#[test]
fn what_is_not_substantial_waits_and_is_founded_with_all_that_waited() {
    let first = (1, cluster("a", 1, BOILER));
    assert_eq!(Scene::of(std::slice::from_ref(&first)).fold().topics, [], "one message is no topic");
    let folded = Scene::of(&[first, (2, cluster("b", 2, BOILER))]).fold();
    assert_eq!(folded.topics.len(), 1);
    assert_eq!(folded.topics[0].messages, ids(&["a1", "b1", "b2"]), "the message that waited is in it");
}

#[test]
fn a_message_that_somebody_holds_is_not_read_again() {
    let once = Scene::of(&[(1, cluster("a", 4, BOILER))]).fold();
    let twice = Scene::of(&[(1, cluster("a", 4, BOILER)), (2, cluster("a", 4, BOILER))]).fold();
    assert_eq!(once.topics, twice.topics);
}

#[test]
fn a_person_merges_two_topics_and_leaving_the_decision_out_brings_both_back() {
    let scene = || Scene::of(&[(1, cluster("a", 4, BOILER)), (2, cluster("b", 4, LISBON)), (9, cluster("c", 3, LISBON))]);
    let before = scene().fold();
    let merged =
        scene().decided(5, Act::Merge { into: ids(&["a1", "a2", "a3", "a4"]), from: ids(&["b1", "b2", "b3", "b4"]) }).fold();
    assert_eq!(merged.topics.len(), 1, "what came after the merge finds the merged topic too");
    assert_eq!(merged.topics[0].messages.len(), 11);
    assert_eq!(merged.topics[0].id, before.topics[0].id, "the one that stays keeps its id");
    assert_eq!(merged.topics[0].absorbed, [before.topics[1].id.clone()]);
    assert_eq!(scene().fold(), before, "without the decision nothing of it is left");
}

#[test]
fn a_person_splits_a_topic_and_what_comes_later_finds_its_part() {
    let scene = || Scene::of(&[(1, cluster("a", 4, BOILER)), (2, cluster("b", 4, LISBON)), (9, cluster("c", 4, LISBON))]);
    let into = ids(&["a1", "a2", "a3", "a4"]);
    let away = ids(&["b1", "b2", "b3", "b4"]);
    let folded = scene()
        .decided(4, Act::Merge { into: into.clone(), from: away.clone() })
        .decided(5, Act::Split { topic: into, apart: away.clone() })
        .fold();
    assert_eq!(folded.topics.len(), 2);
    let child = folded.topics.iter().find(|topic| topic.parent.is_some()).unwrap();
    assert_eq!(child.parent.as_ref(), Some(&folded.topics[0].id), "it knows where it comes from");
    assert_eq!(child.messages, [away, ids(&["c1", "c2", "c3", "c4"])].concat(), "Lisbon goes on in the part about Lisbon");
    let parent = &folded.topics[0];
    assert_eq!(parent.steps.last().unwrap().removed.len(), 4, "the parent's text is made anew without them");
}

#[test]
fn a_title_and_a_pin_hold_for_the_topic_that_has_the_messages() {
    let topic = ids(&["a1", "a2", "a3", "a4"]);
    let folded = Scene::of(&[(1, cluster("a", 4, BOILER)), (7, cluster("c", 3, BOILER))])
        .decided(5, Act::Rename { topic: topic.clone(), title: Some("The old boiler".to_owned()) })
        .decided(6, Act::Pin { topic, is_pinned: true })
        .decided(6, Act::Rename { topic: ids(&["nobody"]), title: Some("Nothing".to_owned()) })
        .fold();
    assert_eq!((folded.topics[0].title.as_deref(), folded.topics[0].is_pinned), (Some("The old boiler"), true));
    assert_eq!(folded.topics[0].messages.len(), 7, "and it grows on");
}

#[test]
fn two_topics_that_grew_alike_are_proposed_for_merging_until_a_person_says_no() {
    let alike = "boiler radiator thermostat sensor heating bathroom floor";
    let scene = || {
        Scene::of(&[
            (1, cluster("a", 4, BOILER)),
            (2, cluster("b", 4, alike)),
            (3, cluster("c", 4, MIXED)),
            (4, cluster("x", 4, LISBON)),
        ])
    };
    let folded = scene().fold();
    let merges: Vec<_> = folded.proposals.iter().filter(|proposal| proposal.kind == ProposalKind::Merge).collect();
    assert!(!merges.is_empty() || folded.topics.len() < 3, "{folded:#?}");
    for merge in merges {
        let of = |id: &str| folded.topics.iter().find(|topic| topic.id == id).unwrap().messages.clone();
        let (a, b) = (of(&merge.topic), of(merge.other.as_ref().unwrap()));
        let left = scene().decided(9, Act::Leave { a, b }).fold();
        assert!(left.proposals.iter().all(|proposal| proposal.id != merge.id), "not proposed again");
        assert!(!merge.why.is_empty(), "it says why");
    }
}

#[test]
fn of_many_topics_that_are_alike_each_is_proposed_with_one_and_with_the_next_when_that_is_answered() {
    let names = |letter: &str| (1..=4).map(|n| format!("{letter}{n}")).collect::<Vec<_>>();
    let all: Vec<String> = ["a", "b", "c", "d"].iter().flat_map(|letter| names(letter)).collect();
    let scene = || {
        let clusters = ["a", "b", "c", "d"].map(|name| (1, cluster(name, 4, BOILER)));
        // Split from the first topic by a person, but not from one another.
        ["b", "c", "d"]
            .iter()
            .fold(Scene::of(&clusters), |scene, name| scene.decided(2, Act::Split { topic: all.clone(), apart: names(name) }))
    };
    let merges = |folded: &Folded| -> Vec<(String, String)> {
        let merge = |proposal: &&keepsake_insight::topic::Proposal| proposal.kind == ProposalKind::Merge;
        folded.proposals.iter().filter(merge).map(|one| (one.topic.clone(), one.other.clone().unwrap())).collect()
    };
    let folded = scene().fold();
    assert_eq!(folded.topics.len(), 4);
    let first = merges(&folded);
    assert_eq!(first.len(), 1, "three pairs are alike, and the third topic waits: {first:?}");
    let of = |id: &str| folded.topics.iter().find(|topic| topic.id == id).unwrap().messages.clone();
    let next = merges(&scene().decided(3, Act::Leave { a: of(&first[0].0), b: of(&first[0].1) }).fold());
    assert_eq!(next.len(), 1);
    assert_ne!(next, first);
}

#[test]
fn a_topic_that_grew_too_broad_is_proposed_for_splitting() {
    let mut clusters = vec![(1, cluster("a", 7, BOILER)), (2, cluster("b", 7, BOILER))];
    clusters.extend([(11, cluster("x", 7, LISBON)), (12, cluster("y", 7, LISBON))]);
    let names = |letter: &str| (1..=7).map(|n| format!("{letter}{n}")).collect::<Vec<_>>();
    let (into, from) = ([names("a"), names("b")].concat(), [names("x"), names("y")].concat());
    let folded = Scene::of(&clusters).decided(20, Act::Merge { into: into.clone(), from: from.clone() }).fold();
    let split = folded.proposals.iter().find(|proposal| proposal.kind == ProposalKind::Split).unwrap();
    assert_eq!(split.apart, from, "the half that came later would go");
    let whole = Scene::of(&clusters)
        .decided(20, Act::Merge { into: into.clone(), from: from.clone() })
        .decided(21, Act::Leave { a: [into, from].concat(), b: Vec::new() })
        .fold();
    assert_eq!(whole.proposals, [], "a person says that it is one");
}

#[test]
fn what_was_judged_distinct_stays_out_of_the_topic_and_grows_on_its_own() {
    let scene = || Scene::of(&[(1, cluster("a", 4, BOILER)), (2, cluster("b", 4, BOILER)), (3, cluster("c", 4, BOILER))]);
    let together = scene().fold();
    assert_eq!(together.topics.len(), 1, "the control: by its words it is one subject");
    let topic = together.topics[0].id.clone();
    let apart = |messages: &[&str]| Judged {
        distinct: [(topic.clone(), messages.iter().map(|id| (*id).to_owned()).collect())].into(),
        ..Judged::default()
    };
    let parted = scene().judged(apart(&["b1", "b2"])).fold();
    let held: Vec<usize> = parted.topics.iter().map(|topic| topic.messages.len()).collect();
    assert_eq!((held.len(), held.iter().sum::<usize>()), (2, 12), "half of its messages are enough, and none is lost");
    assert_eq!(parted.topics[0].id, topic, "the topic keeps its name");
    assert!(!parted.topics[0].messages.contains(&"b1".to_owned()));
    assert_eq!(scene().judged(apart(&["b1"])).fold().topics.len(), 1, "one message of four moves no cluster");
    let (a, b) = (parted.topics[0].messages.clone(), parted.topics[1].messages.clone());
    let merged = scene().judged(apart(&["b1", "b2"])).decided(9, Act::Merge { into: a, from: b }).fold();
    assert_eq!(merged.topics.len(), 1, "a person's word counts more");
}

#[test]
fn a_verdict_takes_a_proposal_away_or_makes_one_and_a_person_has_the_last_word() {
    let scene = || Scene::of(&[(1, cluster("a", 4, BOILER)), (2, cluster("b", 4, LISBON))]);
    let before = scene().fold();
    assert_eq!((before.topics.len(), before.proposals.len()), (2, 0));
    let pair = Judged::pair(&before.topics[1].id, &before.topics[0].id);
    let same = Judged { same: [pair.clone()].into(), ..Judged::default() };
    let folded = scene().judged(same.clone()).fold();
    assert_eq!((folded.topics.len(), folded.proposals.len()), (2, 1), "it is proposed and not done");
    let left = Act::Leave { a: ids(&["a1", "a2"]), b: ids(&["b1", "b2"]) };
    assert_eq!(scene().judged(same).decided(9, left).fold().proposals, [], "kept apart by a person");

    let names = |letter: &str| (1..=7).map(|n| format!("{letter}{n}")).collect::<Vec<_>>();
    let broad = || {
        let clusters = [
            (1, cluster("a", 7, BOILER)),
            (2, cluster("b", 7, BOILER)),
            (11, cluster("x", 7, LISBON)),
            (12, cluster("y", 7, LISBON)),
        ];
        let (into, from) = ([names("a"), names("b")].concat(), [names("x"), names("y")].concat());
        Scene::of(&clusters).decided(20, Act::Merge { into, from })
    };
    let split = broad().fold().proposals.remove(0);
    assert_eq!(split.kind, ProposalKind::Split);
    let whole = Judged { whole: [split.id].into(), ..Judged::default() };
    assert_eq!(broad().judged(whole).fold().proposals, [], "its halves were judged to be one");
}

fn said(lines: &[(&'static str, &'static str)]) -> Vec<Turn<'static>> {
    const IDS: [&str; 12] = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"];
    lines
        .iter()
        .enumerate()
        .map(|(at, (author, text))| Turn {
            id: IDS[at],
            role: if *author == "Mara" { Role::Owner } else { Role::Person },
            author,
            text,
            time: Timestamp(1_772_400_000_000 + at as i64 * 60_000),
            message_type: MessageType::Text,
            is_branch: false,
        })
        .collect()
}

/// The reader's marks for each turn: the whole turn for those in `marked`.
fn marks(turns: &[Turn<'_>], marked: &[(usize, ReadingLabel)]) -> Vec<Vec<Mark>> {
    let of = |at: usize, turn: &Turn<'_>| {
        let own = marked.iter().filter(|(turn, _)| *turn == at);
        own.map(|(_, label)| Mark { kind: MarkKind::Label(*label), bytes: 0..turn.text.len(), probability: 0.9 }).collect()
    };
    turns.iter().enumerate().map(|(at, turn)| of(at, turn)).collect()
}

#[test]
fn takeaways_are_what_the_reader_marked_and_no_wording_makes_one() {
    let turns = said(&[
        ("Ben", "The water pump at the well makes no sound when I press the switch."),
        ("Mara", "I'll send you the papers of the water pump tomorrow morning."),
        ("Ben", "We decided to try a new capacitor, and a new capacitor fixed the pump."),
        ("Mara", "Did a new capacitor from the shop in town fix the pump?"),
    ]);
    let of = |text: &TopicText| text.lines.iter().map(|line| (line.section, line.message.clone())).collect::<Vec<_>>();
    let rules = TopicRules::default();
    let none = of(&merge(&TopicText::default(), &turns, &[], &rules));
    assert!(!none.is_empty() && none.iter().all(|(section, _)| *section == Section::Detail), "{none:?}");
    let marked = marks(&turns, &[(1, ReadingLabel::Promise), (2, ReadingLabel::Solution), (3, ReadingLabel::Solution)]);
    let found = of(&merge(&TopicText::default(), &turns, &marked, &rules));
    assert_eq!(found[..2], [(Section::Solution, "3".to_owned()), (Section::Task, "2".to_owned())], "a question solves nothing");
    let decided = of(&merge(&TopicText::default(), &turns, &marks(&turns, &[(2, ReadingLabel::Decision)]), &rules));
    assert!(decided.iter().all(|(section, _)| *section == Section::Detail), "what was decided a model tells: {decided:?}");
}

#[test]
fn a_takeaway_stays_beside_a_line_that_shares_only_what_the_topic_is_about() {
    let turns = said(&[
        ("Mara", "The water pump at the well makes no sound when I press the switch."),
        ("Ben", "Did you look at the fuse of the water pump in the shed?"),
        ("Mara", "The fuse is fine, the pump gets 230 volts at the socket."),
        ("Ben", "Then the capacitor of the pump is broken, a new capacitor costs twelve euros."),
        ("Mara", "We decided to try a new capacitor before we buy a new pump."),
        ("Ben", "I ordered a capacitor for the pump with 16 microfarad."),
        ("Mara", "So we decided to try a new capacitor before buying a pump."),
    ]);
    let marked = marks(&turns, &[4, 5, 6].map(|turn| (turn, ReadingLabel::Solution)));
    let once = merge(&TopicText::default(), &turns[..6], &marked[..6], &TopicRules::default());
    assert!(once.lines.iter().any(|line| line.text == turns[4].text && line.section == Section::Solution), "{once:#?}");
    let merged = merge(&TopicText::default(), &turns, &marked, &TopicRules::default());
    let has = |text: &str| merged.lines.iter().any(|line| line.text == text);
    assert!(has("I ordered a capacitor for the pump with 16 microfarad."), "{merged:#?}");
    let tried = [
        "We decided to try a new capacitor before we buy a new pump.",
        "So we decided to try a new capacitor before buying a pump.",
    ];
    assert_eq!(tried.into_iter().filter(|text| has(text)).count(), 1, "said twice, it stands once: {merged:#?}");
}

/// The title that these turns get if they form one topic among others.
fn named(turns: &[Turn<'_>], before: Option<&str>) -> String {
    let rules = TopicRules::default();
    let batch = Batch { context: 0..0, fresh: 0..turns.len(), closes: Timestamp(2) };
    let mut read = clusters(turns, &batch, &rules, &|_| None);
    read.push(cluster("x", 4, LISBON));
    let event = |cluster| Event::Cluster(ClusterEvent { key: "a", at: Timestamp(2), cluster });
    let folded = fold("owner", &read.iter().map(event).collect::<Vec<_>>(), &rules);
    title(&merge(&TopicText::default(), turns, &[], &rules), turns, &folded.topics[0].steps[0].telling, &|_| None, before)
}

#[test]
fn the_title_follows_what_the_topic_is_about() {
    let turns = said(&[
        ("Mara", "The washing machine leaks at the drain hose again."),
        ("Ben", "The washing machine is nine years old, is the drain hose still available?"),
        ("Mara", "I ordered a drain hose for the washing machine."),
        ("Ben", "The heat pump dryer needs a new drain pump as well."),
        ("Mara", "The heat pump dryer stopped twice, the lint filter of the heat pump dryer is broken."),
        ("Ben", "A lint filter for the heat pump dryer is sold out everywhere."),
        ("Mara", "Then we need another heat pump dryer, the old heat pump dryer eats power."),
        ("Ben", "The heat pump dryer of my parents has no lint filter to clean."),
    ]);
    let early = named(&turns[..3], None);
    assert!(early.to_lowercase().contains("washing machine"), "{early}");
    let late = named(&turns, Some(&early));
    assert!(late.to_lowercase().contains("heat pump dryer"), "{late}");
    assert_eq!(named(&turns, Some(&late)), late, "it does not flicker");
}

#[test]
fn a_name_stands_whole_in_the_title() {
    let turns = said(&[
        ("Mara", "We could stay in Príncipe Real near the garden."),
        ("Ben", "A room in Príncipe Real costs more than in Alfama."),
        ("Mara", "I prefer Príncipe Real to Alfama, it is quiet."),
    ]);
    let named = named(&turns, None);
    assert!(named.contains("Príncipe Real") && !named.contains("Alfama I"), "{named}");
}

#[test]
fn the_people_of_a_topic_are_those_who_took_part() {
    let turns = said(&[
        ("Mara", "My brother Tom wants to move project Heron from MySQL to Postgres."),
        ("Ben", "Does the Raspberry Pi run Docker?"),
    ]);
    let before = Entities { people: vec!["Ana".to_owned()], projects: vec!["Heron".to_owned()], ..Entities::default() };
    let found = entities(&turns, &before);
    assert_eq!(found.people, ["Ana", "Ben", "Mara"], "what was named before stays");
    assert_eq!(found.projects, ["Heron"], "as a model named it");
    assert!(found.technologies.is_empty());
}
