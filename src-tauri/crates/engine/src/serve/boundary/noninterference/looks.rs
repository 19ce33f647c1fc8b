//! Everything an observer can see, as one string, and broken observers that read content they are not allowed to see or
//! filter too late.

use std::fmt::Write as _;

use keepsake_domain::{ConversationId, PersonRole, ProfileId, SummaryId};
use keepsake_store::{ReadTx, StoreError};
use keepsake_testkit::MONDAY_TEN;

use crate::{Audience, ContextRequest, Engine, Hit, SearchAsk, StoredConversationStatus, TierAsk};

/// An observer: returns everything it sees, as one string.
pub(super) type Look = fn(&Engine, &Audience) -> String;

const QUERIES: [&str; 3] = ["Utrecht cello nurse teacher word love", "\"short answers\" allergic", "zanzibar quokka"];

/// Queries for search only, in addition to [`QUERIES`]: names in a question, and operators.
const SEARCHES: [&str; 3] =
    ["When did Ben say that Ana plays the cello?", "person:ana", "person:ben channel:dm after:2024 type:message nurse"];

/// Replaces ids by numbers in order of appearance. Profile entries and summaries get new ids on every write, so the values
/// mean nothing, but the numbers still show which ids are the same.
pub(super) fn without_drawn(text: &str, prefixes: &[&str]) -> String {
    let mut plain = text.to_owned();
    for prefix in prefixes {
        let mut known: Vec<String> = Vec::new();
        let mut parts = plain.split(*prefix);
        let mut next = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let end = part.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(part.len());
            let (id, rest) = part.split_at(end);
            let at = known.iter().position(|other| other == id).unwrap_or_else(|| {
                known.push(id.to_owned());
                known.len() - 1
            });
            write!(next, "{prefix}{at}{rest}").unwrap();
        }
        plain = next;
    }
    plain
}

/// Appends the status of a conversation to the observed text.
fn told(engine: &Engine, tx: &ReadTx<'_>, id: &ConversationId, seen: &mut String) -> std::result::Result<(), StoreError> {
    let Some(standing) = engine.conversations().status_of(tx, id)? else { return Ok(()) };
    writeln!(seen, "{id} {:?} {:?} {:?} {:?}", standing.status, standing.reasons, standing.tone, standing.judge).unwrap();
    writeln!(seen, "{:?}", standing.commitments).unwrap();
    writeln!(seen, "{:?}", standing.summary.map(|summary| (summary.text, summary.first, summary.last))).unwrap();
    Ok(())
}

/// Everything an observer can ask for, as one string.
pub(super) fn look(engine: &Engine, audience: &Audience) -> String {
    let mut seen = String::new();
    for query in [None].into_iter().chain(QUERIES.map(Some)) {
        for (budget_chars, as_of) in [(0, None), (400, None), (0, Some(MONDAY_TEN.plus_ms(250 * 60_000)))] {
            if as_of.is_some() && query.is_some() {
                continue;
            }
            let request = ContextRequest { audience: audience.clone(), query: query.map(str::to_owned), budget_chars, as_of };
            match engine.serve().context_preview(&request) {
                // Withheld items are for the owner only; an agent does not get them.
                Ok(context) => writeln!(seen, "{}\n{:?} {:?}", context.text, context.items, context.detail).unwrap(),
                Err(error) => writeln!(seen, "error: {error}").unwrap(),
            }
        }
    }
    // The tiers, first with the observer's own role and then with a role that may read all of them.
    for role in [None, Some(PersonRole::Friend)] {
        match engine.sessions().tiers_preview(&TierAsk { audience: audience.clone(), role }) {
            Ok(tiers) => tiers.tiers.iter().for_each(|tier| {
                let left: Vec<&str> = tier.left_out.iter().map(|row| row.text.as_str()).collect();
                writeln!(seen, "{:?} {:?} {} {} {left:?} {}", tier.tier, tier.agent, tier.text, tier.chars, tier.repeated)
                    .unwrap();
            }),
            Err(error) => writeln!(seen, "error: {error}").unwrap(),
        }
    }
    let asked = QUERIES.iter().flat_map(|query| [(query, 1), (query, 50)]).chain(SEARCHES.iter().map(|query| (query, 50)));
    for (query, limit) in asked {
        let ask =
            SearchAsk { query: (*query).to_owned(), limit, audience: Some(audience.clone()), around: 2, ..SearchAsk::default() };
        match engine.serve().search(&ask) {
            Ok(found) => {
                writeln!(seen, "{:?} {:?} {:?}", found.memories, found.people, found.facets).unwrap();
                for hit in &found.messages {
                    // The log position counts all messages, including hidden ones, so no observer is shown it.
                    let Hit { message, conversation_title, channel_type, score, why, evidence, around } = hit;
                    writeln!(
                        seen,
                        "{} {score} {conversation_title:?} {channel_type} {why:?} {evidence:?} {}",
                        message.id, message.content
                    )
                    .unwrap();
                    for (offset, row) in around {
                        writeln!(seen, "{offset} {} {}", row.id, row.content).unwrap();
                    }
                }
            }
            Err(error) => writeln!(seen, "error: {error}").unwrap(),
        }
    }
    // What an agent may list.
    match (engine.serve().topics_for(audience), engine.serve().gaps_for(audience), engine.playbooks().playbooks_for(audience)) {
        (Ok(topics), Ok(gaps), Ok(playbooks)) => {
            writeln!(seen, "{topics:?} {:?}", gaps.iter().map(|gap| &gap.need).collect::<Vec<_>>()).unwrap();
            playbooks.iter().for_each(|row| writeln!(seen, "{} {:?}", row.version.title, row.version.steps).unwrap());
        }
        (topics, gaps, playbooks) => {
            writeln!(seen, "{:?} {:?} {:?}", topics.err(), gaps.err(), playbooks.err()).unwrap();
        }
    }
    // The status of the conversations whose messages the observer may see.
    let standing =
        engine.with_view(audience, |tx, view| view.conversations().iter().try_for_each(|id| told(engine, tx, id, &mut seen)));
    if let Err(error) = standing {
        writeln!(seen, "error: {error}").unwrap();
    }
    let unknown = Audience { person: Some("matrix:whoever".to_owned()), ..audience.clone() };
    match engine.serve().search(&SearchAsk {
        query: "Utrecht".to_owned(),
        limit: 5,
        audience: Some(unknown),
        ..SearchAsk::default()
    }) {
        Ok(found) => writeln!(seen, "{} {}", found.memories.len(), found.messages.len()).unwrap(),
        Err(error) => writeln!(seen, "error: {error}").unwrap(),
    }
    without_drawn(&seen, &[ProfileId::PREFIX, SummaryId::PREFIX])
}

/// Broken observers, which filter too late.
pub(super) fn broken_looks() -> Vec<(&'static str, Look)> {
    fn every_hit(engine: &Engine, query: &str, limit: u32) -> Vec<keepsake_store::MessageHit> {
        engine.store().read(|tx| tx.search().messages(query, limit)).unwrap()
    }
    fn every_standing(engine: &Engine, audience: &Audience, told: fn(StoredConversationStatus) -> String) -> String {
        let all = |tx: &ReadTx<'_>| {
            let mut all = Vec::new();
            for (id, _) in tx.privacy().channels_of_conversations()? {
                all.extend(engine.conversations().status_of(tx, &id)?.map(told));
            }
            Ok(all)
        };
        format!("{:?} {}", engine.store().read(all).unwrap(), look(engine, audience))
    }
    vec![
        ("cut before the filter", |engine, audience| {
            let mut seen = String::new();
            for query in QUERIES {
                let hits = every_hit(engine, query, 2);
                engine
                    .with_view(audience, |_, view| {
                        for hit in hits.iter().filter(|hit| view.shows(&hit.message.conversation_id)) {
                            writeln!(seen, "{}", hit.message.id).unwrap();
                        }
                        Ok(())
                    })
                    .unwrap();
            }
            seen
        }),
        ("ranked by the words of everything", |engine, audience| {
            let mut seen = String::new();
            for query in QUERIES {
                let hits = every_hit(engine, query, 1_000);
                engine
                    .with_view(audience, |_, view| {
                        for hit in hits.iter().filter(|hit| view.shows(&hit.message.conversation_id)) {
                            writeln!(seen, "{} {}", hit.message.id, hit.score).unwrap();
                        }
                        Ok(())
                    })
                    .unwrap();
            }
            seen
        }),
        ("the nearest of everything, and then the filter", |engine, audience| {
            let mut seen = String::new();
            for query in QUERIES {
                let ask = SearchAsk { query: query.to_owned(), limit: 3, audience: None, ..SearchAsk::default() };
                let found = engine.serve().search(&ask).unwrap();
                engine
                    .with_view(audience, |_, view| {
                        for hit in found.messages.iter().filter(|hit| view.shows(&hit.message.conversation_id)) {
                            writeln!(seen, "{}", hit.message.id).unwrap();
                        }
                        Ok(())
                    })
                    .unwrap();
            }
            seen
        }),
        ("facets of everything", |engine, audience| {
            let facets = QUERIES.map(|query| {
                let ask = SearchAsk { query: query.to_owned(), limit: 9, ..SearchAsk::default() };
                engine.serve().search(&ask).unwrap().facets
            });
            format!("{facets:?} {}", look(engine, audience))
        }),
        ("counted before the filter", |engine, audience| {
            let hits: Vec<usize> = QUERIES.iter().map(|query| every_hit(engine, query, 1_000).len()).collect();
            format!("{hits:?} {}", look(engine, audience))
        }),
        ("entries of profiles judged by what they quote alone", |engine, audience| {
            let mut seen = String::new();
            engine
                .with_view(audience, |tx, view| {
                    let members: Vec<_> = view.map.persons.groups().into_values().flatten().collect();
                    let sources = tx.profiles().sources(&members)?;
                    for row in tx.profiles().profiles_of(&members)? {
                        if view.judge(&sources[&row.entry.id], false).is_ok() {
                            let entry = &row.entry;
                            writeln!(seen, "{} {} {:?}", entry.content, entry.confidence, entry.valid_to).unwrap();
                        }
                    }
                    Ok(())
                })
                .unwrap();
            seen
        }),
        ("entries of profiles cut before the filter", |engine, audience| {
            let mut seen = String::new();
            engine
                .with_view(audience, |tx, view| {
                    let members: Vec<_> = view.map.persons.groups().into_values().flatten().collect();
                    let open: Vec<_> = view.profiles(tx, None)?.entries.into_iter().map(|(_, entry)| entry.id).collect();
                    for row in tx.profiles().profiles_of(&members)?.iter().take(2).filter(|row| open.contains(&row.entry.id)) {
                        writeln!(seen, "{}", row.entry.content).unwrap();
                    }
                    Ok(())
                })
                .unwrap();
            seen
        }),
        ("tiers cut before the filter", |engine, audience| {
            let mut seen = String::new();
            engine
                .with_view(audience, |tx, view| {
                    let mut entries = tx.tiers().entries()?;
                    entries.sort_by_key(|entry| (std::cmp::Reverse(entry.significance), std::cmp::Reverse(entry.said)));
                    for entry in entries.iter().take(3).filter(|entry| view.shows(&entry.conversation_id)) {
                        writeln!(seen, "{}", entry.text).unwrap();
                    }
                    Ok(())
                })
                .unwrap();
            seen
        }),
        ("how many sessions there are anywhere", |engine, audience| {
            let sessions = engine.store().read(|tx| tx.sessions().list(None, false)).unwrap();
            format!("{} {}", sessions.len(), look(engine, audience))
        }),
        ("where every conversation stands", |engine, audience| {
            every_standing(engine, audience, |standing| format!("{:?}", standing.status))
        }),
        ("how every conversation sounds", |engine, audience| {
            every_standing(engine, audience, |standing| format!("{:?}", standing.tone))
        }),
        ("what every conversation says in short", |engine, audience| {
            every_standing(engine, audience, |standing| standing.summary.map_or_else(String::new, |summary| summary.text))
        }),
        ("what anybody promised anywhere", |engine, audience| {
            let people = engine.people().list().unwrap();
            let promises = people.iter().map(|person| engine.conversations().commitments_with(&person.id).unwrap().len());
            format!("{:?} {}", promises.collect::<Vec<_>>(), look(engine, audience))
        }),
        ("what could not be done for anybody", |engine, audience| {
            let gaps = engine.store().read(|tx| tx.gaps().all()).unwrap();
            let gaps: Vec<_> = gaps.into_iter().map(|gap| (gap.need, gap.frequency)).collect();
            format!("{gaps:?} {}", look(engine, audience))
        }),
        ("told what was withheld", |engine, audience| {
            let request = ContextRequest { audience: audience.clone(), ..ContextRequest::default() };
            format!("{:?}", engine.serve().context_preview(&request).unwrap().withheld)
        }),
    ]
}
