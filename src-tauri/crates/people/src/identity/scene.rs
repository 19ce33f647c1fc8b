//! The data for judging pairs, collected once: links, rooms, companions and rare words.

use crate::identity::rules::TERMS_SHOWN_MAX;
use crate::identity::rules::{CIRCLE_MAX, SHOWN_CHARS_MAX, SPANS_MAX};
use std::collections::{BTreeMap, HashMap};

use keepsake_domain::Span;

use super::context::{FirstUse, RareTerm};
use super::name::Relation;
use super::reader::{IdentityReader, Known};
use super::resolve::Resolver;
use super::statement::Mention;
use super::types::{Answer, Clue, ClueKind, Decision, Evidence};

/// An unordered pair of handle numbers.
pub(super) type Pair = (u32, u32);

/// Which handles are already known to be one person, through one entity or a chain of links.
pub(super) struct Linked(Vec<u32>);

impl Linked {
    pub(super) fn of(reader: &IdentityReader, decisions: &[Decision]) -> Self {
        let mut linked = Self((0..reader.known.len() as u32).collect());
        let mut entities = HashMap::new();
        for (at, known) in reader.known.iter().enumerate() {
            let first = *entities.entry(known.record.entity.clone()).or_insert(at as u32);
            linked.join(first, at as u32);
        }
        let mut owner: Option<u32> = None;
        for (at, _) in reader.known.iter().enumerate().filter(|(_, known)| known.record.is_owner) {
            linked.join(*owner.get_or_insert(at as u32), at as u32);
        }
        for decision in decisions.iter().filter(|decision| decision.answer == Answer::Same) {
            if let (Some(a), Some(b)) = (reader.number(&decision.a), reader.number(&decision.b)) {
                linked.join(a, b);
            }
        }
        linked
    }

    pub(super) fn root(&self, mut at: u32) -> u32 {
        while let Some(&next) = self.0.get(at as usize) {
            if next == at {
                break;
            }
            at = next;
        }
        at
    }

    pub(super) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        // The lower number stays the root, which keeps paths short when links arrive in order.
        if let Some(slot) = self.0.get_mut(a.max(b) as usize) {
            *slot = a.min(b);
        }
    }
}

/// A person that someone talks with. Identified by links and by full name, because a companion has a different handle on each
/// channel.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Companion<'r> {
    Linked(u32),
    Named(&'r str),
}

/// The data for judging pairs.
pub(super) struct Scene<'r> {
    pub(super) reader: &'r IdentityReader,
    pub(super) linked: &'r Linked,
    pub(super) rooms: Vec<Vec<(u32, u32)>>,
    pub(super) terms: Vec<RareTerm>,
    /// For each handle, the rare words it uses, with its position in each word's list of users; sorted.
    pub(super) terms_of: Vec<Vec<(u32, u32)>>,
    pub(super) claimed: HashMap<u32, Vec<(Mention, u32)>>,
    /// The handles with each full name.
    pub(super) bearers: BTreeMap<&'r str, Vec<u32>>,
}

impl<'r> Scene<'r> {
    pub(super) fn new(reader: &'r IdentityReader, linked: &'r Linked, terms: Vec<RareTerm>) -> Self {
        let mut terms_of = vec![Vec::new(); reader.known.len()];
        for (number, term) in terms.iter().enumerate() {
            for (at, holder) in term.holders.iter().enumerate() {
                if let Some(of_handle) = terms_of.get_mut(holder.handle as usize) {
                    of_handle.push((number as u32, at as u32));
                }
            }
        }
        let rooms = reader.rooms.of_handles(reader.known.len());
        let mut scene = Self { reader, linked, rooms, terms, terms_of, claimed: HashMap::new(), bearers: BTreeMap::new() };
        let resolver = Resolver::new(&reader.known);
        for claim in &reader.claims {
            if let Some(target) = resolver.resolve(&claim.mention, &reader.known, claim.by) {
                scene.claimed.entry(claim.by).or_default().push((claim.mention.clone(), target));
            }
        }
        for (at, known) in reader.known.iter().enumerate() {
            if known.is_person && !known.record.is_owner && !known.names.is_mixed {
                for full in &known.names.full {
                    scene.bearers.entry(full.key.as_str()).or_default().push(at as u32);
                }
            }
        }
        scene
    }

    pub(super) fn known(&self, at: u32) -> &'r Known {
        &self.reader.known[at as usize]
    }

    /// The pair in the order of the handles' ids; `None` if it must not be suggested.
    pub(super) fn open_pair(&self, a: u32, b: u32) -> Option<Pair> {
        let (x, y) = (self.known(a), self.known(b));
        let is_open = a != b && x.is_person && y.is_person && self.linked.root(a) != self.linked.root(b);
        is_open.then(|| if x.record.id <= y.record.id { (a, b) } else { (b, a) })
    }

    pub(super) fn relation(&self, a: u32, b: u32) -> Relation {
        self.known(a).names.relation(&self.known(b).names)
    }

    pub(super) fn evidence(&self, used: &FirstUse) -> Option<Evidence> {
        Some(Evidence { interaction: self.reader.messages.get(used.message as usize)?.clone(), span: used.span })
    }

    /// The beginning of a handle's first message in a room.
    pub(super) fn presence_evidence(&self, room: u32, at: u32) -> Option<Evidence> {
        let presence = self.reader.rooms.present.get(room as usize)?.get(at as usize)?;
        let span = Span::new(0, presence.chars.min(SHOWN_CHARS_MAX)).ok()?;
        Some(Evidence { interaction: self.reader.messages.get(presence.message as usize)?.clone(), span })
    }

    /// The rooms in which both handles wrote during overlapping periods, with their positions in each room.
    pub(super) fn rooms_together(&self, a: u32, b: u32) -> Vec<(u32, u32, u32)> {
        let (mut left, mut right) = (self.rooms[a as usize].iter().peekable(), self.rooms[b as usize].iter().peekable());
        let mut together = Vec::new();
        while let (Some(&&(room_a, at_a)), Some(&&(room_b, at_b))) = (left.peek(), right.peek()) {
            if room_a < room_b {
                left.next();
            } else if room_b < room_a {
                right.next();
            } else {
                let present = &self.reader.rooms.present[room_a as usize];
                let (x, y) = (present[at_a as usize], present[at_b as usize]);
                if x.first <= y.last && y.first <= x.last {
                    together.push((room_a, at_a, at_b));
                }
                left.next();
                right.next();
            }
        }
        together
    }

    /// The people that `a` talks with, each with a room and the position of a message to show as evidence.
    fn companions(&self, a: u32) -> BTreeMap<Companion<'r>, (u32, u32, u32)> {
        let mut companions = BTreeMap::new();
        for &(room, at) in &self.rooms[a as usize] {
            let present = &self.reader.rooms.present[room as usize];
            if present.len() > CIRCLE_MAX {
                continue;
            }
            for presence in present {
                let other = self.known(presence.handle);
                // The owner talks with everybody, and a program is not an acquaintance.
                if presence.handle == a || other.record.is_owner || !other.is_person {
                    continue;
                }
                let shown = (presence.handle, room, at);
                companions.entry(Companion::Linked(self.linked.root(presence.handle))).or_insert(shown);
                for full in &other.names.full {
                    companions.entry(Companion::Named(full.key.as_str())).or_insert(shown);
                }
            }
        }
        companions
    }

    /// The people that both handles talk with. Each person is listed once, by the handle that `a` talks with.
    pub(super) fn shared_companions(&self, a: u32, b: u32) -> Option<Clue> {
        let (of_a, of_b) = (self.companions(a), self.companions(b));
        let mut shared: Vec<(u32, Vec<Evidence>)> = Vec::new();
        for (companion, (handle, room, at)) in &of_a {
            let Some((other, room_b, at_b)) = of_b.get(companion) else { continue };
            let is_one_of_them = [a, b].iter().any(|one| {
                self.linked.root(*handle) == self.linked.root(*one) || self.linked.root(*other) == self.linked.root(*one)
            });
            if !is_one_of_them && !shared.iter().any(|(known, _)| self.linked.root(*known) == self.linked.root(*handle)) {
                shared.push((
                    *handle,
                    [self.presence_evidence(*room, *at), self.presence_evidence(*room_b, *at_b)].into_iter().flatten().collect(),
                ));
            }
        }
        shared.sort_by_key(|(handle, _)| *handle);
        let spans = shared.iter().flat_map(|(_, spans)| spans.iter().cloned());
        let clue = Clue {
            spans: capped(spans),
            kind: ClueKind::SharedCompanions {
                companions: shared.iter().map(|(handle, _)| self.known(*handle).record.id.clone()).collect(),
            },
        };
        (!shared.is_empty()).then_some(clue)
    }

    /// A third handle that has the name shared by `a` and `b` and was in a room with one of them.
    pub(super) fn namesake(&self, a: u32, b: u32) -> Option<u32> {
        let keys =
            self.known(a).names.full.iter().filter(|full| self.known(b).names.full.iter().any(|other| other.key == full.key));
        let bearers = keys.flat_map(|full| self.bearers.get(full.key.as_str()).into_iter().flatten().copied());
        bearers.filter(|&bearer| bearer != a && bearer != b).find(|&bearer| {
            [a, b]
                .iter()
                .any(|&one| self.linked.root(one) != self.linked.root(bearer) && !self.rooms_together(one, bearer).is_empty())
        })
    }

    /// The rare words that both handles use, the number of these words, and how many of them are written like names.
    pub(super) fn shared_terms(&self, a: u32, b: u32, holders_max: usize) -> (Option<Clue>, usize, usize) {
        let (mut left, mut right) = (self.terms_of[a as usize].iter().peekable(), self.terms_of[b as usize].iter().peekable());
        let mut words = Vec::new();
        let mut spans = Vec::new();
        let mut names = 0;
        while let (Some(&&(term_a, at_a)), Some(&&(term_b, at_b))) = (left.peek(), right.peek()) {
            if term_a < term_b {
                left.next();
            } else if term_b < term_a {
                right.next();
            } else {
                let term = &self.terms[term_a as usize];
                if term.holders.len() <= holders_max {
                    names += usize::from(term.is_name);
                    words.push((!term.is_name, term.word.clone()));
                    for at in [at_a, at_b] {
                        spans.push((!term.is_name, self.evidence(&term.holders[at as usize])));
                    }
                }
                left.next();
                right.next();
            }
        }
        let count = words.len();
        words.sort();
        spans.sort_by_key(|(is_plain, _)| *is_plain);
        let clue = Clue {
            kind: ClueKind::SharedTerms { terms: words.into_iter().map(|(_, word)| word).take(TERMS_SHOWN_MAX).collect() },
            spans: capped(spans.into_iter().filter_map(|(_, evidence)| evidence)),
        };
        ((count > 0).then_some(clue), count, names)
    }
}

pub(super) fn capped(spans: impl Iterator<Item = Evidence>) -> Vec<Evidence> {
    let mut out: Vec<Evidence> = Vec::new();
    for evidence in spans {
        if out.len() < SPANS_MAX && !out.contains(&evidence) {
            out.push(evidence);
        }
    }
    out
}
