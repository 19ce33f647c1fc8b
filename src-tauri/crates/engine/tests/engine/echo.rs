//! Tests that text served by Keepsake is not evidence when it comes back, whoever writes it and however it is reformatted.

use std::collections::BTreeMap;

use keepsake_domain::{DAY_MS, MemoryId, Message};
use keepsake_engine::{Act, Audience, ContextRequest, SearchAsk, TierAsk, Unwatched, current_profiles};
use keepsake_testkit::conversation;
use keepsake_testkit::histories::History;

use crate::fixture::Fixture;

/// Number of times that each context comes back (issue 6).
const REPLAYS: usize = 50;

fn told(seed: u64) -> Fixture {
    let f = Fixture::new();
    for messages in History::of(seed).conversations {
        f.clock.advance_ms(1_000);
        f.append(&messages);
    }
    read_all(&f);
    let waiting: Vec<MemoryId> = f.rows().into_iter().map(|(id, _)| id).collect();
    f.engine.review().act(&Act::Approve(waiting)).unwrap();
    f.clock.advance_ms(7 * DAY_MS);
    f.derive();
    f
}

fn read_all(f: &Fixture) {
    for id in f.engine.store().read(|tx| tx.log().conversations_to_extract()).unwrap() {
        f.engine.review().propose(&id, None, &Unwatched).unwrap();
    }
}

/// All memories, with their confidence and evidence.
fn known(f: &Fixture) -> BTreeMap<String, String> {
    let mut known = BTreeMap::new();
    for (id, text) in f.rows() {
        let (row, evidence) = f.engine.store().read(|tx| Ok((tx.memories().memory(&id)?, tx.memories().evidence(&id)?))).unwrap();
        known.insert(id.to_string(), format!("{text} {:?} {:?} {evidence:?}", row.confidence, row.proposers));
    }
    for person in f.engine.store().read(|tx| tx.people().handles()).unwrap() {
        let rows = f.engine.people().profile_rows(&person.entity_id).unwrap();
        let current = current_profiles(&rows);
        for row in rows.into_iter().filter(|row| current.contains(&row.entry.id)) {
            known.insert(row.entry.id.to_string(), format!("{:?}", row.entry));
        }
    }
    for topic in f.engine.topics().list().unwrap() {
        let lines = f.engine.store().read(|tx| tx.topics().lines(&topic.version.id)).unwrap();
        known.insert(topic.topic.id.to_string(), format!("{} {} {lines:?}", topic.title(), topic.version.messages));
    }
    let promises = f.engine.store().read(|tx| {
        let ids = tx.privacy().conversations_of_channel("chat", "echo")?;
        ids.iter()
            .map(|id| Ok(f.engine.conversations().status_of(tx, id)?.map(|standing| standing.commitments)))
            .collect::<Result<Vec<_>, _>>()
    });
    known.insert("promises".to_owned(), format!("{:?}", promises.unwrap().into_iter().flatten().flatten().collect::<Vec<_>>()));
    known
}

/// Reformats the text the way people do when they paste it.
fn altered(text: &str, how: usize) -> String {
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let bare = |line: &str| {
        let line = line.trim_start_matches("- ");
        match (line.starts_with('['), line.split_once("] ")) {
            (true, Some((_, rest))) => rest.to_owned(),
            _ => line.to_owned(),
        }
    };
    match how % 5 {
        0 => text.to_owned(),
        1 => lines().map(|line| format!("> {line}\n")).collect(),
        2 => lines().filter(|line| !line.starts_with('#')).map(|line| format!("* {}\n", bare(line))).collect(),
        3 => lines().skip(1).step_by(2).map(|line| format!("  {}  \n", line.replace(' ', "  "))).collect(),
        _ => lines()
            .filter(|line| !line.starts_with('#'))
            .enumerate()
            .map(|(n, line)| format!("{}. \"{}\"\n", n + 1, bare(line)))
            .collect(),
    }
}

/// The text as a message by the owner, as a message by the assistant, or inside a message by the owner, depending on `nth`.
fn replay(f: &Fixture, text: &str, nth: usize) -> Vec<Message> {
    let text = altered(text, nth);
    let first = text.lines().next().unwrap_or_default();
    let rest: String = text.lines().skip(1).map(|line| format!("\n| {line}")).collect();
    let (who, lead, tail) = match nth % 3 {
        0 => ("owner Mara", String::new(), ""),
        1 => ("assistant Nova", String::new(), ""),
        _ => ("owner Mara", "Here is what the other one told me.\n| \n| ".to_owned(), "\n| \n| What do you think?"),
    };
    let mut messages = conversation(&format!("echo{nth}"), &format!("{who}: {lead}{first}{rest}{tail}"));
    f.clock.advance_ms(60_000);
    for message in &mut messages {
        message.time = keepsake_domain::Clock::now(f.clock.as_ref());
        message.channel_id = "echo".to_owned();
    }
    messages
}

fn replayed(f: &Fixture, text: &str) {
    for nth in 0..REPLAYS {
        f.append(&replay(f, text, nth));
    }
    read_all(f);
    f.derive();
    f.engine.topics().rebuild().unwrap();
    f.derive();
}

fn served(f: &Fixture) -> String {
    let ask = |query: Option<&str>| {
        let ask = ContextRequest { query: query.map(str::to_owned), budget_chars: 12_000, ..ContextRequest::default() };
        f.engine.serve().context(&ask).unwrap().text
    };
    let about = ["pump", "flight", "museum", "archive"].map(|word| ask(Some(word)));
    format!("{}\n{}", ask(None), about.join("\n"))
}

#[test]
fn a_context_that_comes_back_fifty_times_changes_nothing() {
    for seed in 0..4 {
        let f = told(seed);
        let text = served(&f);
        assert!(text.contains("[mem_") && text.contains("[int_"), "memories and messages are served: {text}");
        let before = known(&f);
        replayed(&f, &text);
        let after = known(&f);
        for (id, was) in &before {
            assert_eq!(after.get(id), Some(was), "seed {seed}: something that was known changed");
        }
        let new: Vec<_> = after.iter().filter(|(id, _)| !before.contains_key(*id)).collect();
        assert!(new.is_empty(), "seed {seed}: founded on an echo: {new:#?}");
    }
}

/// Control: a store that did not serve the text does not recognize it, so the same words count.
#[test]
fn without_what_was_served_the_same_words_count() {
    let text = served(&told(0));
    let bare: String = text
        .lines()
        .filter_map(|line| line.split_once("] "))
        .map(|(_, rest)| {
            // As a person would say it: without quotation marks.
            let quoted = rest.split_once('“').and_then(|(_, words)| words.rsplit_once('”'));
            format!("{}\n", quoted.map_or(rest, |(words, _)| words))
        })
        .collect();
    let f = told(0);
    let before = known(&f);
    replayed(&f, &bare);
    assert_ne!(known(&f), before, "the check sees what an echo does");
}

#[test]
fn a_person_who_says_it_in_their_own_words_is_heard() {
    let f = Fixture::new();
    f.append(&conversation("then", "owner Mara: I play the cello. I live in Utrecht."));
    read_all(&f);
    let cello = f.id_of("cello");
    f.engine.review().act(&Act::Approve(vec![cello.clone()])).unwrap();
    f.clock.advance_ms(7 * DAY_MS);
    assert!(served(&f).contains("User: “I play the cello”"));
    f.clock.advance_ms(DAY_MS);
    let mut own = conversation("own", "owner Mara: As ever, I play the cello.\nowner Mara: I have two cats named Miso and Nori.");
    for message in &mut own {
        message.time = keepsake_domain::Clock::now(f.clock.as_ref());
    }
    let rests_on = |f: &Fixture| f.engine.store().read(|tx| tx.memories().evidence(&cello)).unwrap().len();
    assert_eq!(rests_on(&f), 1);
    f.append(&own);
    read_all(&f);
    assert_eq!(rests_on(&f), 2, "what is said again counts: {:?}", f.memories());
    assert!(f.memories().iter().any(|text| text.contains("Miso")), "and what is new is proposed: {:?}", f.memories());
}

/// A store with sessions with an agent and with something to erase. Lines of the sessions are used in memories and tiers.
fn with_tiers() -> Fixture {
    let f = Fixture::new();
    f.append(&conversation(
        "indent",
        "owner Mara: Can you fix the indent of the parser? I prefer tabs over spaces.
assistant Nova: I fixed the indent and added a check to the linter.
owner Mara: Thanks, it works now. My sister Emma is a teacher and lives in Utrecht with her two cats.
assistant Nova: Noted.",
    ));
    f.clock.advance_ms(1_000);
    f.append(&conversation("gone", "owner Mara: I play the cello.\nassistant Nova: Lovely."));
    read_all(&f);
    let waiting: Vec<MemoryId> = f.rows().into_iter().map(|(id, _)| id).collect();
    f.engine.review().act(&Act::Approve(waiting)).unwrap();
    f.clock.advance_ms(60 * DAY_MS);
    f.derive();
    f.engine.sessions().queue().unwrap();
    f.derive();
    f
}

/// The requests that serve an audience.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Way {
    Tiers,
    Search,
    Context,
    /// The owner's previews of tiers and context.
    TiersPreview,
    ContextPreview,
}

fn asked(f: &Fixture, way: Way) -> String {
    let audience = Audience { agent: Some("Nova".to_owned()), ..Audience::default() };
    let ask = TierAsk { audience: audience.clone(), role: None };
    let request = ContextRequest { audience: audience.clone(), ..ContextRequest::default() };
    let printed = |tiers: keepsake_engine::Tiers| {
        tiers.tiers.iter().map(|tier| format!("# {}\n{}\n", tier.tier.name(), tier.text)).collect()
    };
    match way {
        Way::Tiers => printed(f.engine.sessions().tiers(&ask).unwrap()),
        Way::TiersPreview => printed(f.engine.sessions().tiers_preview(&ask).unwrap()),
        Way::Context => f.engine.serve().context(&request).unwrap().text,
        Way::ContextPreview => f.engine.serve().context_preview(&request).unwrap().text,
        Way::Search => {
            let query = "tabs spaces sister teacher cats".to_owned();
            let search = SearchAsk { query, limit: 20, audience: Some(audience), ..SearchAsk::default() };
            let found = f.engine.serve().search(&search).unwrap();
            found.messages.iter().map(|hit| format!("{}: {}\n", hit.message.author, hit.message.content)).collect()
        }
    }
}

/// The part of served text that comes back.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Part {
    Whole,
    /// The lines about the sister, unchanged.
    Line,
    /// Only the quoted words.
    Words,
}

/// Number of pieces of evidence that are added when served text comes back, optionally with an erasure in between.
fn gained(way: Way, part: Part, is_erased_between: bool) -> usize {
    let f = with_tiers();
    let text = asked(&f, way);
    let of_sister: Vec<&str> = text.lines().filter(|line| line.contains("Emma is a teacher")).collect();
    assert!(!of_sister.is_empty(), "{way:?} serves the words: {text}");
    let words = "My sister Emma is a teacher and lives in Utrecht with her two cats.".to_owned();
    let back = match part {
        Part::Whole => text,
        Part::Line => of_sister.join("\n"),
        Part::Words => words,
    };
    if is_erased_between {
        let gone = f.engine.store().read(|tx| tx.log().conversation_by_source("gone")).unwrap().unwrap();
        f.engine.erasure().erase_conversation(&gone, "test").unwrap();
        f.derive();
    }
    let rests = |f: &Fixture| {
        f.rows().iter().map(|(id, _)| f.engine.store().read(|tx| tx.memories().evidence(id)).unwrap().len()).sum::<usize>()
    };
    let before = rests(&f);
    let lines: String = back.lines().skip(1).map(|line| format!("\n| {line}")).collect();
    let mut messages = conversation("back", &format!("owner Mara: {}{lines}", back.lines().next().unwrap_or_default()));
    f.clock.advance_ms(60_000);
    for message in &mut messages {
        message.time = keepsake_domain::Clock::now(f.clock.as_ref());
    }
    f.append(&messages);
    read_all(&f);
    rests(&f) - before
}

#[test]
fn whatever_way_it_was_served_it_comes_back_as_nothing() {
    let all = [Part::Whole, Part::Line, Part::Words];
    // A context contains the memory but not the quoted words, so these count as the person's own if the person says them again.
    for (way, parts) in [(Way::Tiers, &all[..]), (Way::Search, &all), (Way::Context, &all[..2])] {
        for part in parts {
            for is_erased_between in [false, true] {
                assert_eq!(gained(way, *part, is_erased_between), 0, "{way:?} {part:?}, erasure between: {is_erased_between}");
            }
        }
    }
}

/// Control: a preview is not served to any program, so the same words count when a person says them.
#[test]
fn what_was_only_looked_at_counts_when_it_is_said() {
    for (way, part) in [(Way::TiersPreview, Part::Words), (Way::ContextPreview, Part::Words)] {
        assert!(gained(way, part, false) > 0, "{way:?} {part:?}: the check sees what an echo does");
    }
}
