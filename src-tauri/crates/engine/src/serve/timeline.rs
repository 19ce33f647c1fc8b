//! Counts messages and memories over time: for everything, one person, or one topic.
//!
//! For the owner only, so nothing is left out; excluded messages are counted separately and marked. Messages are counted in a
//! database index and never read.
//!
//! Not in this module: the periods themselves (`periods`), how they are drawn, and wording for people.

mod periods;

use std::collections::BTreeMap;

use chrono::{DateTime, Offset, TimeZone};
use keepsake_domain::{EntityId, HandleId, Timestamp, TopicId};
use keepsake_store::{ReadTx, StoreError, TimelineOf};

use crate::areas::Serve;
use crate::{EngineError, Result};
pub use periods::Unit;

/// A request for a timeline.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TimelineAsk {
    /// Count only this person.
    pub person: Option<EntityId>,
    /// Count only this topic.
    pub topic: Option<TopicId>,
    /// Start of the counted time, inclusive.
    pub from: Option<Timestamp>,
    /// End of the counted time, exclusive.
    pub to: Option<Timestamp>,
    /// The preferred unit. If the periods do not fit, the shortest unit that fits is used.
    pub unit: Option<Unit>,
    /// First day of the week, from 1 (Monday) to 7.
    pub week_start: u8,
    /// Count memories at the time of the decision instead of the time of their message; pending memories are counted at the
    /// time they were found.
    pub by_decision: bool,
}

/// The counts for one channel or status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Series {
    /// A channel type; or `approved`, `waiting` or `rejected`.
    pub name: String,
    /// Counts per period.
    pub counts: Vec<u64>,
    /// The part of `counts` that rests on excluded conversations, per period.
    pub off_record: Vec<u64>,
}

impl Series {
    fn new(name: &str, stretches: usize) -> Self {
        Self { name: name.to_owned(), counts: vec![0; stretches], off_record: vec![0; stretches] }
    }

    /// Sum over all periods.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }
}

/// Messages and memories over time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timeline {
    /// Length of the periods.
    pub unit: Unit,
    /// Units in which the timeline fits.
    pub units: Vec<Unit>,
    /// Start of each period, and the end of the last one, in milliseconds; empty if nothing is counted.
    pub edges: Vec<i64>,
    /// Messages by channel, busiest first.
    pub messages: Vec<Series>,
    /// Memories by status.
    pub memories: Vec<Series>,
    /// Number of messages outside the periods shown.
    pub messages_outside: u64,
    /// Number of memories outside the periods shown.
    pub memories_outside: u64,
}

/// The states of proposals and memories, in display order, with the statuses that each includes.
const STATES: [(&str, &[&str]); 3] =
    [("approved", &["active", "archived"]), ("waiting", &["pending", "quarantined"]), ("rejected", &["rejected"])];

/// The offset from UTC of this computer's time zone at a moment, including clock changes; both in milliseconds.
fn local_zone(at_ms: i64) -> i64 {
    let Some(moment) = DateTime::from_timestamp_millis(at_ms) else { return 0 };
    i64::from(chrono::Local.offset_from_utc_datetime(&moment.naive_utc()).fix().local_minus_utc()) * 1_000
}

/// The local day of a moment, as `2026-03-04`.
pub fn local_day(at: Timestamp) -> String {
    let day = DateTime::from_timestamp_millis(at.0.saturating_add(local_zone(at.0)));
    day.map_or_else(String::new, |day| day.format("%Y-%m-%d").to_string())
}

impl Serve<'_> {
    /// Counts messages and memories in this computer's time zone.
    pub fn timeline(&self, ask: &TimelineAsk) -> Result<Timeline> {
        self.timeline_in(ask, &local_zone)
    }

    /// Like [`timeline`](Self::timeline), in any zone: a function from a moment to its offset from UTC, both in milliseconds.
    pub fn timeline_in(&self, ask: &TimelineAsk, zone: &dyn Fn(i64) -> i64) -> Result<Timeline> {
        if ask.person.is_some() && ask.topic.is_some() {
            return Err(EngineError::Refused(
                "a timeline shows either one person or one topic; give only one of them".to_owned(),
            ));
        }
        Ok(self.engine.store().read(|tx| {
            let (handles, is_owner) = match &ask.person {
                Some(person) => self.handles_in(tx, person)?,
                None => (Vec::new(), false),
            };
            if let Some(topic) = &ask.topic {
                self.own_topic(tx, topic)?;
            }
            let of = match (&ask.person, &ask.topic) {
                (Some(_), _) => TimelineOf::Person { handles: &handles, is_owner },
                (None, Some(topic)) => TimelineOf::Topic(topic),
                (None, None) => TimelineOf::Everything,
            };
            counted(tx, of, ask, zone)
        })?)
    }

    /// The handles of a person.
    pub fn handles_of_person(&self, person: &EntityId) -> Result<Vec<HandleId>> {
        Ok(self.engine.store().read(|tx| self.handles_in(tx, person))?.0)
    }

    /// The handles of a person, and whether the person is the owner.
    pub(crate) fn handles_in(
        &self,
        tx: &ReadTx<'_>,
        person: &EntityId,
    ) -> std::result::Result<(Vec<HandleId>, bool), StoreError> {
        let map = self.engine.access_map(tx)?;
        let person = map.persons.of(person);
        let rows = tx.people().handles()?;
        let own: Vec<HandleId> =
            rows.into_iter().filter(|row| map.persons.of(&row.entity_id) == person).map(|row| row.id).collect();
        if own.is_empty() {
            return Err(StoreError::NotFound { what: "person", id: person.to_string() });
        }
        Ok((own, map.persons.is_owner(&person)))
    }

    /// A topic from the owner's own list; an error for any other.
    pub(crate) fn own_topic(&self, tx: &ReadTx<'_>, id: &TopicId) -> std::result::Result<crate::VisibleTopic, StoreError> {
        let found = self.engine.privacy().engine.topics().own(tx)?.into_iter().find(|topic| topic.topic.id == *id);
        found.ok_or_else(|| StoreError::NotFound { what: "topic", id: id.to_string() })
    }
}

fn counted(
    tx: &ReadTx<'_>,
    of: TimelineOf<'_>,
    ask: &TimelineAsk,
    zone: periods::Zone<'_>,
) -> std::result::Result<Timeline, StoreError> {
    let moments = tx.timeline().memory_moments(of)?;
    let time_of = |moment: &keepsake_store::MemoryMoment| {
        if ask.by_decision { moment.decided.unwrap_or(moment.found).0 } else { moment.said.0 }
    };
    let span = tx.timeline().message_span(of)?;
    let first = span.map(|(first, _)| first.0).into_iter().chain(moments.iter().map(time_of)).min();
    let last = span.map(|(_, last)| last.0).into_iter().chain(moments.iter().map(time_of)).max();
    let total = tx.timeline().message_total(of)?;
    let all = moments.len() as u64;
    let nothing = |outside: (u64, u64)| Timeline {
        unit: Unit::Day,
        units: Vec::new(),
        edges: Vec::new(),
        messages: Vec::new(),
        memories: Vec::new(),
        messages_outside: outside.0,
        memories_outside: outside.1,
    };
    let Some((first, last)) = first.zip(last) else { return Ok(nothing((0, 0))) };
    let first = ask.from.map_or(first, |from| from.0);
    let last = ask.to.map_or(last, |to| to.0.saturating_sub(1));
    let units = if first <= last { periods::fitting(zone, ask.week_start, first, last) } else { Vec::new() };
    let unit = ask.unit.filter(|unit| units.contains(unit)).or(units.first().copied());
    let Some((unit, edges)) = unit.and_then(|unit| Some((unit, periods::edges(zone, unit, ask.week_start, first, last)?))) else {
        return Ok(nothing((total, all)));
    };
    let stretches: Vec<(i64, i64)> = edges.windows(2).map(|pair| (pair[0], pair[1])).collect();
    let mut by_channel: BTreeMap<String, Series> = BTreeMap::new();
    for count in tx.timeline().messages_in(of, &stretches)? {
        let series = by_channel.entry(count.channel).or_insert_with_key(|name| Series::new(name, stretches.len()));
        series.counts[count.stretch] += count.count;
        series.off_record[count.stretch] += count.off_record;
    }
    let mut messages: Vec<Series> = by_channel.into_values().collect();
    messages.sort_by(|a, b| b.total().cmp(&a.total()).then_with(|| a.name.cmp(&b.name)));
    let off_record = tx.timeline().memories_resting_off_record()?;
    let mut memories: Vec<Series> = STATES.iter().map(|(name, _)| Series::new(name, stretches.len())).collect();
    for moment in &moments {
        let state = STATES.iter().position(|(_, statuses)| statuses.contains(&moment.status.as_str()));
        if let Some((state, stretch)) = state.zip(periods::stretch_of(&edges, time_of(moment))) {
            memories[state].counts[stretch] += 1;
            memories[state].off_record[stretch] += u64::from(off_record.contains(&moment.id));
        }
    }
    let shown = |series: &[Series]| series.iter().map(Series::total).sum::<u64>();
    Ok(Timeline {
        unit,
        units,
        messages_outside: total.saturating_sub(shown(&messages)),
        memories_outside: all.saturating_sub(shown(&memories)),
        edges,
        messages,
        memories,
    })
}
