//! The graph around one person or one topic: people, topics, projects, technologies, conversations and memories.
//!
//! Every connection is based on messages, and contains their number and a link to one of them. The only exception is the
//! similarity of two topics, which is labeled as such. Two handles are treated as one person only if a person confirmed it;
//! suggestions are never drawn, neither between people nor between topics. The graph is for the owner only, so nothing is
//! withheld; excluded content is marked.
//!
//! A graph contains a few dozen nodes. They are chosen only by counts, so the same data give the same graph. The number of
//! nodes left out is reported.
//!
//! Not in this module: the layout, and wording for people.

mod choose;

use std::collections::{BTreeMap, BTreeSet};

use keepsake_domain::{ConversationId, EntityId, HandleId, InteractionId, MemoryId, TopicId};
use keepsake_insight::topic::Entities;
use keepsake_store::{MemoryNode, PlaceNode, ReadTx, ShareOfTopic, StoreError};

use crate::areas::Serve;
use crate::{Engine, PersonRow, Result, VisibleTopic};
use choose::{Wanted, room_for};

/// Maximum number of nodes, including the center. With more, names no longer fit beside the nodes in the smallest window, and
/// nobody reads them. People try tools that draw everything once and do not come back.
pub const NODES_MAX: usize = 60;

/// The center of a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GraphOf {
    /// A person.
    Person(EntityId),
    /// A topic.
    Topic(TopicId),
}

/// The type of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NodeKind {
    /// A person.
    Person,
    /// A topic.
    Topic,
    /// A project named in topics.
    Project,
    /// A technology named in topics.
    Technology,
    /// An approved memory.
    Memory,
    /// A conversation.
    Conversation,
}

impl NodeKind {
    /// Stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Topic => "topic",
            Self::Project => "project",
            Self::Technology => "technology",
            Self::Memory => "memory",
            Self::Conversation => "conversation",
        }
    }
}

/// A node of the graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its id; for a node that has none, its kind and name.
    pub id: String,
    /// Type of the node.
    pub kind: NodeKind,
    /// Name, title or statement; empty for a conversation without a title.
    pub label: String,
    /// For a person the entity type, for a conversation the channel, for a memory the category.
    pub detail: String,
    /// Whether it is excluded from memory or rests on excluded content.
    pub is_private: bool,
    /// Whether this is the owner.
    pub is_owner: bool,
}

/// The type of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EdgeKind {
    /// A person wrote in a conversation.
    WroteIn,
    /// Two people wrote in the same conversations.
    MetIn,
    /// A person wrote messages of a topic.
    WroteOf,
    /// Messages of a topic belong to a conversation.
    ToldIn,
    /// A memory is about a person.
    About,
    /// A message that a memory rests on belongs to a conversation.
    SaidIn,
    /// A message that a memory rests on belongs to a topic.
    PartOf,
    /// A topic names a project or a technology.
    Names,
    /// Two topics are similar in meaning.
    Near,
    /// One topic was split from the other.
    SplitFrom,
}

impl EdgeKind {
    /// Stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::WroteIn => "wrote_in",
            Self::MetIn => "met_in",
            Self::WroteOf => "wrote_of",
            Self::ToldIn => "told_in",
            Self::About => "about",
            Self::SaidIn => "said_in",
            Self::PartOf => "part_of",
            Self::Names => "names",
            Self::Near => "near",
            Self::SplitFrom => "split_from",
        }
    }
}

/// A connection between two nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Edge {
    /// Id of the node it starts from, such as the person who writes or the topic that names a project.
    pub a: String,
    /// Id of the other node.
    pub b: String,
    /// Type of the connection.
    pub kind: EdgeKind,
    /// Number of messages or conversations it rests on.
    pub count: u64,
    /// Similarity of two topics, from 0 to 1.
    pub nearness: Option<f32>,
    /// A message that shows the connection, with its conversation.
    pub line: Option<(ConversationId, InteractionId)>,
    /// Whether it rests on excluded content.
    pub is_private: bool,
}

/// A graph around one center.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    /// Id of the node in the center.
    pub center: String,
    /// All nodes: the center first, then by kind, most connected first.
    pub nodes: Vec<Node>,
    /// All connections between the nodes.
    pub edges: Vec<Edge>,
    /// Number of neighbors that did not fit, by kind.
    pub left_out: Vec<(NodeKind, u64)>,
}

type StoreResult<T> = std::result::Result<T, StoreError>;

/// All direct neighbors of the center, most connected of each kind first.
struct Around {
    people: Vec<(EntityId, u64)>,
    topics: Vec<TopicId>,
    memories: Vec<MemoryNode>,
    places: Vec<PlaceNode>,
}

impl Serve<'_> {
    /// The graph around a person or a topic.
    pub fn graph(&self, of: &GraphOf) -> Result<Graph> {
        Ok(self.engine.store().read(|tx| Drawing::begin(self.engine, tx, of)?.finish())?)
    }
}

struct Drawing<'t> {
    tx: &'t ReadTx<'t>,
    of: GraphOf,
    people: BTreeMap<EntityId, PersonRow>,
    person_of: BTreeMap<HandleId, EntityId>,
    topics: BTreeMap<TopicId, VisibleTopic>,
    off_record: BTreeSet<MemoryId>,
}

impl<'t> Drawing<'t> {
    fn begin(engine: &Engine, tx: &'t ReadTx<'t>, of: &GraphOf) -> StoreResult<Self> {
        let of = match of {
            GraphOf::Person(id) => GraphOf::Person(engine.access_map(tx)?.persons.of(id)),
            GraphOf::Topic(id) => GraphOf::Topic(id.clone()),
        };
        let people: BTreeMap<EntityId, PersonRow> =
            engine.people().people_in(tx)?.into_iter().map(|row| (row.id.clone(), row)).collect();
        let person_of =
            people.values().flat_map(|row| row.handles.iter().map(|handle| (handle.id.clone(), row.id.clone()))).collect();
        let topics = engine.privacy().engine.topics().own(tx)?.into_iter().map(|topic| (topic.topic.id.clone(), topic)).collect();
        Ok(Self { tx, of, people, person_of, topics, off_record: tx.timeline().memories_resting_off_record()? })
    }

    fn handles(&self, person: &EntityId) -> Vec<HandleId> {
        self.people.get(person).map_or_else(Vec::new, |row| row.handles.iter().map(|handle| handle.id.clone()).collect())
    }

    fn around(&self) -> StoreResult<Around> {
        match &self.of {
            GraphOf::Person(id) => {
                let Some(row) = self.people.get(id) else {
                    return Err(StoreError::NotFound { what: "person", id: id.to_string() });
                };
                self.around_person(row)
            }
            GraphOf::Topic(id) => {
                let Some(topic) = self.topics.get(id) else {
                    return Err(StoreError::NotFound { what: "topic", id: id.to_string() });
                };
                self.around_topic(topic)
            }
        }
    }

    fn around_person(&self, row: &PersonRow) -> StoreResult<Around> {
        let handles = self.handles(&row.id);
        let mut met: BTreeMap<EntityId, BTreeSet<ConversationId>> = BTreeMap::new();
        for (handle, conversation) in self.tx.graph().companions_of_handles(&handles)? {
            // The owner is in every conversation, so their presence says nothing.
            let other = self.person_of.get(&handle).filter(|id| self.people.get(*id).is_some_and(|row| !row.is_owner));
            if let Some(other) = other {
                met.entry(other.clone()).or_default().insert(conversation);
            }
        }
        let partition = self.topics.values().next().map(|topic| topic.topic.partition.clone());
        let topics = match partition {
            Some(partition) => self.tx.graph().topics_of_handles(&partition, &handles)?,
            None => Vec::new(),
        };
        Ok(Around {
            people: most_first(met.into_iter().map(|(id, places)| (id, places.len() as u64))),
            topics: topics.into_iter().map(|(id, _)| id).filter(|id| self.topics.contains_key(id)).collect(),
            memories: self.tx.graph().memories_about(&handles, row.is_owner)?,
            places: self.tx.graph().places_of_handles(&handles)?,
        })
    }

    fn around_topic(&self, topic: &VisibleTopic) -> StoreResult<Around> {
        let id = &topic.topic.id;
        let mut wrote: BTreeMap<EntityId, u64> = BTreeMap::new();
        let mut told: BTreeMap<ConversationId, (u64, keepsake_domain::Timestamp)> = BTreeMap::new();
        for share in self.tx.graph().shares_of_topics(std::slice::from_ref(id))? {
            if let Some(person) = self.person_of.get(&share.handle) {
                *wrote.entry(person.clone()).or_default() += share.messages;
            }
            let place = told.entry(share.conversation).or_insert((0, share.last));
            *place = (place.0 + share.messages, place.1.max(share.last));
        }
        let ids: Vec<ConversationId> = told.keys().cloned().collect();
        let mut places = self.tx.graph().place_nodes(&ids)?;
        for place in &mut places {
            (place.messages, place.last) = told.get(&place.id).copied().unwrap_or((0, place.last));
        }
        places.sort_by(|a, b| b.messages.cmp(&a.messages).then(b.last.cmp(&a.last)).then_with(|| a.id.cmp(&b.id)));
        let mut topics: Vec<TopicId> = Vec::new();
        let children = self.topics.values().filter(|other| other.topic.parent.as_ref() == Some(id)).map(|other| &other.topic.id);
        let near = topic.topic.related.iter().map(|(id, _)| id);
        for other in topic.topic.parent.iter().chain(children).chain(near) {
            if self.topics.contains_key(other) && !topics.contains(other) {
                topics.push(other.clone());
            }
        }
        Ok(Around { people: most_first(wrote), topics, memories: self.tx.graph().memories_of_topic(id)?, places })
    }

    /// The projects and technologies in these topics, each with the topics that name it, most frequently named first.
    fn named(&self, topics: &[&TopicId]) -> Vec<(NodeKind, String, Vec<TopicId>)> {
        let mut named: BTreeMap<(NodeKind, String), Vec<TopicId>> = BTreeMap::new();
        for id in topics {
            let Some(topic) = self.topics.get(id) else { continue };
            let entities: Entities = serde_json::from_str(&topic.version.entities).unwrap_or_default();
            let projects = entities.projects.into_iter().map(|name| (NodeKind::Project, name));
            for key in projects.chain(entities.technologies.into_iter().map(|name| (NodeKind::Technology, name))) {
                named.entry(key).or_default().push((*id).clone());
            }
        }
        let mut named: Vec<_> = named.into_iter().map(|((kind, name), topics)| (kind, name, topics)).collect();
        named.sort_by(|a, b| b.2.len().cmp(&a.2.len()).then_with(|| (a.0, &a.1).cmp(&(b.0, &b.1))));
        named
    }

    fn finish(self) -> StoreResult<Graph> {
        let mut around = self.around()?;
        let own_topic = match &self.of {
            GraphOf::Topic(id) => Some(id),
            GraphOf::Person(_) => None,
        };
        let all_topics: Vec<&TopicId> = own_topic.into_iter().chain(&around.topics).collect();
        let every_name = self.named(&all_topics);
        let there = |names: usize| Wanted {
            people: around.people.len(),
            topics: around.topics.len(),
            names,
            memories: around.memories.len(),
            places: around.places.len(),
        };
        // Names depend on the topics shown, so the topics are chosen first.
        let first = room_for(there(every_name.len()), NODES_MAX - 1);
        let shown = &all_topics[..all_topics.len().min(first.topics + usize::from(own_topic.is_some()))];
        let mut names = self.named(shown);
        let room = room_for(there(names.len()), NODES_MAX - 1);
        let left_out = self.left_out(&around, &every_name, &names, room);
        names.truncate(room.names);
        around.people.truncate(room.people);
        around.topics.truncate(room.topics);
        around.memories.truncate(room.memories);
        around.places.truncate(room.places);
        self.connect(&around, &names, left_out)
    }

    fn left_out(
        &self,
        around: &Around,
        every_name: &[(NodeKind, String, Vec<TopicId>)],
        names: &[(NodeKind, String, Vec<TopicId>)],
        room: Wanted,
    ) -> Vec<(NodeKind, u64)> {
        let of = |kind: NodeKind| every_name.iter().filter(|name| name.0 == kind).count();
        let drawn = |kind: NodeKind| names.iter().take(room.names).filter(|name| name.0 == kind).count();
        let counts = [
            (NodeKind::Person, around.people.len() - room.people),
            (NodeKind::Topic, around.topics.len() - room.topics),
            (NodeKind::Project, of(NodeKind::Project) - drawn(NodeKind::Project)),
            (NodeKind::Technology, of(NodeKind::Technology) - drawn(NodeKind::Technology)),
            (NodeKind::Memory, around.memories.len() - room.memories),
            (NodeKind::Conversation, around.places.len() - room.places),
        ];
        counts.into_iter().filter(|(_, count)| *count > 0).map(|(kind, count)| (kind, count as u64)).collect()
    }

    fn connect(
        &self,
        around: &Around,
        names: &[(NodeKind, String, Vec<TopicId>)],
        left_out: Vec<(NodeKind, u64)>,
    ) -> StoreResult<Graph> {
        let mut picture = Picture::default();
        let center = match &self.of {
            GraphOf::Person(id) => picture.add(self.person_node(id)),
            GraphOf::Topic(id) => picture.add(self.topic_node(id)),
        };
        for (id, _) in &around.people {
            picture.add(self.person_node(id));
        }
        for id in &around.topics {
            picture.add(self.topic_node(id));
        }
        for (kind, name, _) in names {
            let (label, detail) = (name.clone(), String::new());
            picture.add(Node { id: name_id(*kind, name), kind: *kind, label, detail, is_private: false, is_owner: false });
        }
        for memory in &around.memories {
            let is_private = self.off_record.contains(&memory.id);
            let (label, detail) = (memory.content.clone(), memory.category.clone());
            picture.add(Node { id: memory.id.to_string(), kind: NodeKind::Memory, label, detail, is_private, is_owner: false });
        }
        for place in &around.places {
            let (label, detail) = (place.title.clone().unwrap_or_default(), place.channel_type.clone());
            picture.add(Node {
                id: place.id.to_string(),
                kind: NodeKind::Conversation,
                label,
                detail,
                is_private: place.is_private,
                is_owner: false,
            });
        }
        if let GraphOf::Person(_) = &self.of {
            for (id, count) in &around.people {
                picture.join(&center, id.as_str(), EdgeKind::MetIn, *count, None);
            }
        }
        self.join_people(&mut picture, around)?;
        self.join_topics(&mut picture, around, names)?;
        self.join_memories(&mut picture, around)?;
        Ok(picture.finish(center, left_out))
    }

    fn person_node(&self, id: &EntityId) -> Node {
        let row = self.people.get(id);
        Node {
            id: id.to_string(),
            kind: NodeKind::Person,
            label: row.map_or_else(String::new, |row| row.name.clone()),
            detail: row.map_or_else(String::new, |row| row.entity_type.clone()),
            is_private: false,
            is_owner: row.is_some_and(|row| row.is_owner),
        }
    }

    fn topic_node(&self, id: &TopicId) -> Node {
        let label = self.topics.get(id).map_or_else(String::new, |topic| topic.title().to_owned());
        Node { id: id.to_string(), kind: NodeKind::Topic, label, detail: String::new(), is_private: false, is_owner: false }
    }

    /// The people whose connections are all drawn. The owner is connected with everything, so only the owner's connection
    /// with the center is drawn.
    fn drawn_people<'a>(&'a self, around: &'a Around) -> Vec<&'a EntityId> {
        let center = match &self.of {
            GraphOf::Person(id) => Some(id),
            GraphOf::Topic(_) => None,
        };
        let others = around.people.iter().map(|(id, _)| id).filter(|id| self.people.get(*id).is_some_and(|row| !row.is_owner));
        center.into_iter().chain(others).collect()
    }

    fn join_people(&self, picture: &mut Picture, around: &Around) -> StoreResult<()> {
        let handles: Vec<HandleId> = self.drawn_people(around).into_iter().flat_map(|id| self.handles(id)).collect();
        let places: Vec<ConversationId> = around.places.iter().map(|place| place.id.clone()).collect();
        for share in self.tx.graph().shares_of_places(&handles, &places)? {
            let Some(person) = self.person_of.get(&share.handle) else { continue };
            let line = share.line.map(|line| (share.conversation.clone(), line));
            picture.join(person.as_str(), share.conversation.as_str(), EdgeKind::WroteIn, share.messages, line);
        }
        Ok(())
    }

    fn join_topics(&self, picture: &mut Picture, around: &Around, names: &[(NodeKind, String, Vec<TopicId>)]) -> StoreResult<()> {
        let own = match &self.of {
            GraphOf::Topic(id) => Some(id.clone()),
            GraphOf::Person(_) => None,
        };
        let topics: Vec<TopicId> = own.iter().chain(&around.topics).cloned().collect();
        let drawn: BTreeSet<&EntityId> = self.drawn_people(around).into_iter().collect();
        let mut shares: Vec<ShareOfTopic> = self.tx.graph().shares_of_topics(&topics)?;
        // The newest message serves as the example of a connection.
        shares.sort_by(|a, b| b.last.cmp(&a.last).then_with(|| a.line.cmp(&b.line)));
        for share in shares {
            let line = Some((share.conversation.clone(), share.line));
            let (topic, place) = (share.topic.as_str(), share.conversation.as_str());
            picture.join(topic, place, EdgeKind::ToldIn, share.messages, line.clone());
            if let Some(person) = self.person_of.get(&share.handle)
                && (drawn.contains(person) || own.as_ref() == Some(&share.topic))
            {
                picture.join(person.as_str(), topic, EdgeKind::WroteOf, share.messages, line);
            }
        }
        for (kind, name, topics) in names {
            for topic in topics {
                picture.join(topic.as_str(), &name_id(*kind, name), EdgeKind::Names, 1, None);
            }
        }
        for id in &topics {
            let Some(topic) = self.topics.get(id) else { continue };
            if let Some(parent) = &topic.topic.parent {
                picture.join(id.as_str(), parent.as_str(), EdgeKind::SplitFrom, 1, None);
            }
            for (other, nearness) in &topic.topic.related {
                picture.near(id.as_str(), other.as_str(), *nearness);
            }
        }
        Ok(())
    }

    fn join_memories(&self, picture: &mut Picture, around: &Around) -> StoreResult<()> {
        let memories: Vec<MemoryId> = around.memories.iter().map(|memory| memory.id.clone()).collect();
        let owner = self.people.values().find(|row| row.is_owner).map(|row| &row.id);
        let is_owner = matches!(&self.of, GraphOf::Person(id) if Some(id) == owner);
        for memory in &around.memories {
            let about = match &memory.handle {
                Some(handle) => self.person_of.get(handle),
                None => owner.filter(|_| is_owner),
            };
            if let Some(person) = about {
                picture.join(memory.id.as_str(), person.as_str(), EdgeKind::About, 1, None);
            }
        }
        for place in self.tx.graph().places_of_memories(&memories)? {
            let line = Some((place.conversation.clone(), place.line));
            picture.join(place.memory.as_str(), place.conversation.as_str(), EdgeKind::SaidIn, place.lines, line);
        }
        let own = match &self.of {
            GraphOf::Topic(id) => Some(id.clone()),
            GraphOf::Person(_) => None,
        };
        let topics: Vec<TopicId> = own.into_iter().chain(around.topics.iter().cloned()).collect();
        for part in self.tx.graph().topics_of_memories(&memories, &topics)? {
            let line = Some((part.conversation.clone(), part.line));
            picture.join(part.memory.as_str(), part.topic.as_str(), EdgeKind::PartOf, part.lines, line);
        }
        Ok(())
    }
}

/// The id of a node that has only a name.
fn name_id(kind: NodeKind, name: &str) -> String {
    format!("{}:{name}", kind.name())
}

fn most_first(counts: impl IntoIterator<Item = (EntityId, u64)>) -> Vec<(EntityId, u64)> {
    let mut counts: Vec<(EntityId, u64)> = counts.into_iter().collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counts
}

/// The graph drawn so far. A connection is added only if both nodes exist, and only once per kind.
#[derive(Default)]
struct Picture {
    nodes: Vec<Node>,
    at: BTreeMap<String, usize>,
    edges: BTreeMap<(usize, usize, EdgeKind), Edge>,
}

impl Picture {
    fn add(&mut self, node: Node) -> String {
        let id = node.id.clone();
        self.at.insert(id.clone(), self.nodes.len());
        self.nodes.push(node);
        id
    }

    fn edge(&mut self, a: &str, b: &str, kind: EdgeKind) -> Option<&mut Edge> {
        let (from, to) = (*self.at.get(a)?, *self.at.get(b)?);
        if from == to {
            return None;
        }
        let is_private = self.nodes[from].is_private || self.nodes[to].is_private;
        let fresh = || Edge { a: a.to_owned(), b: b.to_owned(), kind, count: 0, nearness: None, line: None, is_private };
        Some(self.edges.entry((from.min(to), from.max(to), kind)).or_insert_with(fresh))
    }

    fn join(&mut self, a: &str, b: &str, kind: EdgeKind, count: u64, line: Option<(ConversationId, InteractionId)>) {
        if let Some(edge) = self.edge(a, b, kind) {
            edge.count += count;
            edge.line = edge.line.take().or(line);
        }
    }

    /// Adds a single connection, even if both topics list each other.
    fn near(&mut self, a: &str, b: &str, nearness: f32) {
        if let Some(edge) = self.edge(a, b, EdgeKind::Near) {
            edge.count = 1;
            edge.nearness = Some(edge.nearness.map_or(nearness, |known| known.max(nearness)));
        }
    }

    fn finish(self, center: String, left_out: Vec<(NodeKind, u64)>) -> Graph {
        Graph { center, nodes: self.nodes, edges: self.edges.into_values().collect(), left_out }
    }
}
