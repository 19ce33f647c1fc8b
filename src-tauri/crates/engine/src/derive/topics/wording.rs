//! Writes the text of topic versions, starting with the first version that is not stored. Each version is made from the
//! previous one and the messages added since.
//!
//! The id of a version depends on everything it is made from, so the text of an equal version is not written twice. Its content
//! key depends on the same things except the partition, so a language model's text is reused in every partition with the same
//! content (`by_model`).

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use keepsake_capture::dedup::cosine;
use keepsake_domain::{ConversationId, EvidenceSpan, InteractionId, Mark, Timestamp, TopicId, TopicVersionId};
use keepsake_insight::Turn;
use keepsake_insight::topic::model::WordedLine;
use keepsake_insight::topic::{
    Cluster, ENGINE_VERSION, Embed, Entities, Section, Topic, TopicLine, TopicRules, TopicStep, TopicText, entities, merge, title,
};
use keepsake_store::{
    InteractionRow, ReadTx, StoredReading, TopicLineRow, TopicVersionRow, TopicWordingRow, parse_json, to_json,
};
use serde::{Deserialize, Serialize};

use super::{StoreResult, message_id};
use crate::derive::readable_messages::as_read;
use crate::derive::readable_messages::insight_turns;
use crate::serve::masked::{masked, masked_of};

/// Maximum number of messages used to find a title. More messages do not change the title, and they would have to be read for
/// every version.
const TITLE_MESSAGES_MAX: usize = 60;

/// Sources of a topic: ids of conversations, names of people, and channel types.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Contributors {
    pub(crate) sessions: BTreeSet<String>,
    pub(crate) users: BTreeSet<String>,
    pub(crate) interfaces: BTreeSet<String>,
}

/// A version to be written, with its lines.
pub(super) type NewVersion = (TopicVersionRow, Vec<TopicLineRow>);

/// Writes the text of topic versions, starting with the first version that is not stored.
pub(super) struct Wording<'t, 'x> {
    tx: &'t ReadTx<'x>,
    rules: &'t TopicRules,
    /// Identifies the wording rules and the reader whose marks determine the takeaways.
    mark: String,
    is_anew: bool,
    /// Keys of the content that a model worded.
    worded: BTreeSet<String>,
    known: HashMap<String, InteractionRow>,
    sources: HashMap<ConversationId, String>,
    /// The reader's marks in the messages of each conversation.
    readings: HashMap<ConversationId, HashMap<i64, StoredReading>>,
    meanings: Meanings<'t>,
}

/// Vectors for the meaning of messages and phrases. The typical vector of all conversation is subtracted from them.
pub(super) struct Meanings<'t> {
    /// For each message, the vector of its cluster.
    of_message: HashMap<&'t str, &'t [f32]>,
    embed: &'t Embed<'t>,
    of_phrase: RefCell<HashMap<String, Vec<f32>>>,
}

impl<'t> Meanings<'t> {
    /// The meanings of the messages in these clusters.
    pub(super) fn new(clusters: impl Iterator<Item = &'t Cluster>, embed: &'t Embed<'t>) -> Self {
        let of_cluster = |cluster: &'t Cluster| {
            let vector = cluster.vector.as_deref();
            cluster.messages.iter().filter_map(move |id| Some((id.as_str(), vector?)))
        };
        Self { of_message: clusters.flat_map(of_cluster).collect(), embed, of_phrase: RefCell::default() }
    }

    /// Cosine similarity of each phrase to the meaning of these messages; `None` without vectors or phrases.
    fn nearness(&self, messages: &[String], phrases: &[&str]) -> Option<Vec<f32>> {
        let mut sum: Vec<f32> = Vec::new();
        for vector in messages.iter().filter_map(|id| self.of_message.get(id.as_str())) {
            sum.resize(vector.len(), 0.0);
            sum.iter_mut().zip(*vector).for_each(|(sum, x)| *sum += x);
        }
        let mut known = self.of_phrase.borrow_mut();
        let new: Vec<&str> = phrases.iter().copied().filter(|phrase| !known.contains_key(*phrase)).collect();
        if sum.is_empty() || phrases.is_empty() {
            return None;
        }
        if !new.is_empty() {
            known.extend(new.iter().map(|phrase| (*phrase).to_owned()).zip((self.embed)(&new)?));
        }
        let cosine = |phrase: &&str| Some(cosine(known.get(*phrase)?, &sum).unwrap_or(0.0));
        phrases.iter().map(cosine).collect()
    }
}

/// The versions of one topic.
pub(super) struct Versions {
    /// Ids of all valid versions.
    pub(super) live: Vec<TopicVersionId>,
    /// Versions to be written.
    pub(super) new: Vec<NewVersion>,
    /// Stored versions without a content key, written by an older program, each with the key to add.
    pub(super) unnamed: Vec<(TopicVersionId, String)>,
    /// The newest version worded by the rules.
    pub(super) by_rules: Option<TopicVersionId>,
    /// The same content in a model's wording.
    pub(super) by_model: Option<TopicVersionId>,
}

/// A version in the form that the next one is made from.
struct Standing {
    text: TopicText,
    title: String,
    entities: Entities,
    contributors: Contributors,
    messages: Vec<String>,
    first: Timestamp,
    last: Timestamp,
}

/// The content key of each version: a hash of all messages added and removed so far and of the wording rules.
fn content_keys(steps: &[TopicStep], mark: &str) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    for step in steps {
        let before = keys.last().map_or("", String::as_str);
        // The key includes the stems that set the topic apart from others, because its title depends on them, and the other
        // topics differ between partitions.
        let text = format!("{before}|{mark}|{}|{}|{:?}", step.added.join(" "), step.removed.join(" "), step.telling);
        keys.push(blake3::hash(text.as_bytes()).to_hex()[..32].to_owned());
    }
    keys
}

impl<'t, 'x> Wording<'t, 'x> {
    /// Prepares writing the text of versions in this snapshot; with `is_anew`, no stored version is reused.
    pub(super) fn new(
        tx: &'t ReadTx<'x>,
        rules: &'t TopicRules,
        reader: &str,
        meanings: Meanings<'t>,
        is_anew: bool,
    ) -> StoreResult<Self> {
        let mark = format!("{} {reader}", rules.text_mark());
        let (known, sources, readings) = (HashMap::new(), HashMap::new(), HashMap::new());
        Ok(Self { tx, rules, mark, is_anew, worded: tx.topics().worded()?, known, sources, readings, meanings })
    }

    /// Every version of a topic.
    pub(super) fn versions(&mut self, topic: &TopicId, folded: &Topic) -> StoreResult<Versions> {
        let ids: Vec<TopicVersionId> = folded.steps.iter().map(|step| self.version_id(step)).collect();
        let keys = content_keys(&folded.steps, &self.mark);
        let mut stored = 0;
        while !self.is_anew && stored < ids.len() && self.tx.topics().has_version(&ids[stored])? {
            stored += 1;
        }
        let mut new: Vec<NewVersion> = Vec::new();
        let mut standing: Option<Standing> = None;
        for (at, step) in folded.steps.iter().enumerate().skip(stored) {
            // Reuse the wording of the same content: many topics occur in several partitions.
            if let Some(twin) = self.tx.topics().version_with_content(&keys[at], ENGINE_VERSION)? {
                let lines = self.tx.topics().lines(&twin.id)?;
                new.push((place_in(twin, topic, &ids, at, step), lines));
                standing = None;
                continue;
            }
            let before = match (standing.take(), at.checked_sub(1)) {
                (Some(before), _) => Some(before),
                (None, None) => None,
                (None, Some(before)) => {
                    let known = self.tx.topics().version_with_content(&keys[before], ENGINE_VERSION)?;
                    let id = known.map_or_else(|| ids[before].clone(), |twin| twin.id);
                    self.standing(&folded.steps[..at], &id)?
                }
            };
            let next = self.next(before, step)?;
            let (row, lines) = next.row(self.tx, topic, &ids, at, step)?;
            new.push((TopicVersionRow { content_key: keys[at].clone(), ..row }, lines));
            standing = Some(next);
        }
        let is_unnamed = match stored.checked_sub(1) {
            Some(last) => self.tx.topics().version(&ids[last])?.content_key.is_empty(),
            None => false,
        };
        let unnamed =
            if is_unnamed { ids[..stored].iter().cloned().zip(keys[..stored].iter().cloned()).collect() } else { Vec::new() };
        let mut versions =
            Versions { by_rules: ids.last().cloned(), live: ids.clone(), new: Vec::new(), unnamed, by_model: None };
        for (at, key) in keys.iter().enumerate().filter(|(_, key)| self.worded.contains(*key)) {
            let Some(wording) = self.tx.topics().wording(key)? else { continue };
            let by_rules = match new.get(at.wrapping_sub(stored)) {
                Some((row, _)) => row.clone(),
                None => TopicVersionRow { content_key: key.clone(), ..self.tx.topics().version(&ids[at])? },
            };
            let Some((row, lines)) = worded(self.tx, &by_rules, &wording)? else { continue };
            if at + 1 == ids.len() {
                versions.by_model = Some(row.id.clone());
            }
            versions.live.push(row.id.clone());
            if self.is_anew || !self.tx.topics().has_version(&row.id)? {
                versions.new.push((row, lines));
            }
        }
        // The rules' versions come first, because a model's versions refer to them.
        versions.new.splice(0..0, new);
        Ok(versions)
    }

    /// The id depends on everything a version is made from, so an equal version has the same id.
    fn version_id(&self, step: &TopicStep) -> TopicVersionId {
        let hash = blake3::hash(format!("{} {} {}", step.id, step.at.0, self.mark).as_bytes());
        let text = format!("{}{}", TopicVersionId::PREFIX, &hash.to_hex()[..32]);
        text.parse().unwrap_or_else(|_| TopicVersionId::from_uuid(uuid::Uuid::nil()))
    }

    /// The stored version that the first new one is made from.
    fn standing(&mut self, steps: &[TopicStep], id: &TopicVersionId) -> StoreResult<Option<Standing>> {
        let row = self.tx.topics().version(id)?;
        let mut messages: Vec<String> = Vec::new();
        for step in steps {
            messages.retain(|id| !step.removed.contains(id));
            messages.extend(step.added.iter().cloned());
        }
        let stored = self.tx.topics().lines(id)?;
        self.load(&stored.iter().map(|line| line.place.interaction.to_string()).collect::<Vec<_>>())?;
        let lines = stored
            .iter()
            .filter_map(|line| {
                let message = self.known.get(line.place.interaction.as_str())?;
                Some(TopicLine {
                    section: Section::named(&line.section)?,
                    text: line.text.clone(),
                    message: line.place.interaction.to_string(),
                    span: line.place.span,
                    author: message.author.clone(),
                    role: message.role,
                    time: message.time,
                })
            })
            .collect();
        Ok(Some(Standing {
            text: TopicText { lines },
            title: row.title,
            entities: serde_json::from_str(&row.entities).unwrap_or_default(),
            contributors: serde_json::from_str(&row.contributors).unwrap_or_default(),
            messages,
            first: row.first_at,
            last: row.last_at,
        }))
    }

    fn load(&mut self, ids: &[String]) -> StoreResult<()> {
        let missing: Vec<InteractionId> =
            ids.iter().filter(|id| !self.known.contains_key(*id)).filter_map(|id| message_id(id)).collect();
        for row in as_read(self.tx, self.tx.topics().interactions_of(&missing)?)? {
            if !self.sources.contains_key(&row.conversation_id) {
                let conversation = self.tx.log().conversation(&row.conversation_id)?;
                self.sources.insert(row.conversation_id.clone(), conversation.channel_type);
                self.readings.insert(row.conversation_id.clone(), self.tx.readings().of(&row.conversation_id)?);
            }
            self.known.insert(row.id.to_string(), row);
        }
        Ok(())
    }

    /// The reader's marks in a message.
    fn marks_of(&self, row: &InteractionRow) -> Vec<Mark> {
        let reading = self.readings.get(&row.conversation_id).and_then(|readings| readings.get(&row.seq));
        reading.map(|stored| stored.reading.marks.clone()).unwrap_or_default()
    }

    fn next(&mut self, before: Option<Standing>, step: &TopicStep) -> StoreResult<Standing> {
        self.load(&step.added)?;
        let (before, added) = match before {
            // After messages were removed, the text is written again from those that are left.
            Some(before) if !step.removed.is_empty() => {
                let left: Vec<String> = before.messages.iter().filter(|id| !step.removed.contains(id)).cloned().collect();
                self.load(&left)?;
                (None, left.into_iter().chain(step.added.iter().cloned()).collect())
            }
            before => (before, step.added.clone()),
        };
        let mut rows: Vec<&InteractionRow> = added.iter().filter_map(|id| self.known.get(id)).collect();
        rows.sort_by(|a, b| a.time.cmp(&b.time).then(a.seq.cmp(&b.seq)));
        let rows: Vec<InteractionRow> = rows.into_iter().cloned().collect();
        let turns: Vec<Turn<'_>> = insight_turns(&rows);
        let empty = Standing {
            text: TopicText::default(),
            title: String::new(),
            entities: Entities::default(),
            contributors: Contributors::default(),
            messages: Vec::new(),
            first: Timestamp(i64::MAX),
            last: Timestamp(i64::MIN),
        };
        let before = before.unwrap_or(empty);
        let marks: Vec<Vec<Mark>> = rows.iter().map(|row| self.marks_of(row)).collect();
        let text = merge(&before.text, &turns, &marks, self.rules);
        let mut messages = before.messages;
        messages.extend(added);
        let title = self.title(&text, &messages, step, &before.title)?;
        let entities = entities(&turns, &before.entities);
        let mut contributors = before.contributors;
        for row in &rows {
            contributors.sessions.insert(row.conversation_id.to_string());
            if !row.author.trim().is_empty() && !row.is_unnamed {
                contributors.users.insert(row.author.trim().to_owned());
            }
            contributors.interfaces.extend(self.sources.get(&row.conversation_id).cloned());
        }
        Ok(Standing {
            first: rows.iter().map(|row| row.time).min().map_or(before.first, |time| time.min(before.first)),
            last: rows.iter().map(|row| row.time).max().map_or(before.last, |time| time.max(before.last)),
            text,
            title,
            entities,
            contributors,
            messages,
        })
    }

    /// The title depends on all messages or, in a long topic, on the newest ones.
    fn title(&mut self, text: &TopicText, messages: &[String], step: &TopicStep, before: &str) -> StoreResult<String> {
        let newest = &messages[messages.len().saturating_sub(TITLE_MESSAGES_MAX)..];
        self.load(newest)?;
        let mut rows: Vec<&InteractionRow> = newest.iter().filter_map(|id| self.known.get(id)).collect();
        rows.sort_by(|a, b| a.time.cmp(&b.time).then(a.seq.cmp(&b.seq)));
        let rows: Vec<InteractionRow> = rows.into_iter().cloned().collect();
        let near = |phrases: &[&str]| self.meanings.nearness(messages, phrases);
        Ok(title(text, &insight_turns(&rows), &step.telling, &near, Some(before).filter(|title| !title.is_empty())))
    }
}

/// A line of a topic in its stored form. Credentials from the messages that it is based on are masked.
pub(super) fn drawn(tx: &ReadTx<'_>, text: &str, places: &[EvidenceSpan]) -> StoreResult<String> {
    let mut messages = Vec::new();
    for place in places {
        messages.extend(tx.log().interaction(&place.interaction)?.map(|row| row.content));
    }
    Ok(masked_of(text, messages.iter().map(String::as_str)))
}

/// Turns a version with the same content into a version of this topic.
fn place_in(twin: TopicVersionRow, topic: &TopicId, ids: &[TopicVersionId], at: usize, step: &TopicStep) -> TopicVersionRow {
    TopicVersionRow {
        id: ids[at].clone(),
        topic: topic.clone(),
        number: at as u32 + 1,
        supersedes: at.checked_sub(1).and_then(|before| ids.get(before)).cloned(),
        made_at: step.at,
        is_retired: false,
        ..twin
    }
}

impl Standing {
    fn row(
        &self,
        tx: &ReadTx<'_>,
        topic: &TopicId,
        ids: &[TopicVersionId],
        at: usize,
        step: &TopicStep,
    ) -> StoreResult<NewVersion> {
        let mut lines = Vec::new();
        for line in &self.text.lines {
            let Some(interaction) = message_id(&line.message) else { continue };
            let place = EvidenceSpan { interaction, span: line.span };
            let text = drawn(tx, &line.text, std::slice::from_ref(&place))?;
            lines.push(TopicLineRow { section: line.section.name().to_owned(), text, place, also: Vec::new() });
        }
        let row = TopicVersionRow {
            id: ids[at].clone(),
            topic: topic.clone(),
            number: at as u32 + 1,
            supersedes: at.checked_sub(1).and_then(|before| ids.get(before)).cloned(),
            title: masked(&self.title),
            entities: to_json("version of a topic", &self.entities)?,
            contributors: to_json("version of a topic", &self.contributors)?,
            messages: self.messages.len() as u32,
            first_at: self.first,
            last_at: self.last,
            made_at: step.at,
            proposer: ENGINE_VERSION.to_owned(),
            is_retired: false,
            content_key: String::new(),
        };
        Ok((row, lines))
    }
}

/// A stored version in a model's wording, with its lines; `None` if no line is accepted.
pub(super) fn worded(tx: &ReadTx<'_>, by_rules: &TopicVersionRow, wording: &TopicWordingRow) -> StoreResult<Option<NewVersion>> {
    let worded: Vec<WordedLine> = parse_json("wording of a topic", &wording.lines)?;
    let place = |place: &keepsake_insight::topic::model::LinePlace| {
        Some(EvidenceSpan { interaction: message_id(&place.message)?, span: place.span })
    };
    let mut lines = Vec::new();
    for line in &worded {
        let mut places: Vec<EvidenceSpan> = line.places.iter().filter_map(place).collect();
        if places.is_empty() {
            continue;
        }
        let text = drawn(tx, &line.text, &places)?;
        lines.push(TopicLineRow { section: line.section.name().to_owned(), text, place: places.remove(0), also: places });
    }
    if lines.is_empty() {
        return Ok(None);
    }
    let own: Entities = serde_json::from_str(&by_rules.entities).unwrap_or_default();
    let told: Entities = serde_json::from_str(&wording.entities).unwrap_or_default();
    let entities = Entities {
        people: both(own.people, told.people),
        projects: both(own.projects, told.projects),
        technologies: both(own.technologies, told.technologies),
    };
    let hash = blake3::hash(format!("{} {} {}", by_rules.id, wording.proposer, wording.worded_at.0).as_bytes());
    let id = format!("{}{}", TopicVersionId::PREFIX, &hash.to_hex()[..32]);
    let row = TopicVersionRow {
        id: id.parse().unwrap_or_else(|_| TopicVersionId::from_uuid(uuid::Uuid::nil())),
        supersedes: Some(by_rules.id.clone()),
        title: wording.title.clone().unwrap_or_else(|| by_rules.title.clone()),
        entities: to_json("wording of a topic", &entities)?,
        made_at: wording.worded_at,
        proposer: wording.proposer.clone(),
        is_retired: false,
        ..by_rules.clone()
    };
    Ok(Some((row, lines)))
}

fn both(mut own: Vec<String>, told: Vec<String>) -> Vec<String> {
    for name in told {
        if !own.iter().any(|known| known.eq_ignore_ascii_case(&name)) {
            own.push(name);
        }
    }
    own
}
