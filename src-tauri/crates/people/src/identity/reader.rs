//! Reads utterances one by one and keeps only the data that comparisons need. The comparisons are in `suggest`.

use crate::identity::rules::{SHOWN_CHARS_MAX, SPANS_MAX};
use std::collections::{HashMap, HashSet};

use keepsake_domain::{HandleId, InteractionId, Span};
use keepsake_prompt::scrub::{ScrubConfig, Scrubber};

use super::context::{Rooms, Terms};
use super::error::IdentityError;
use super::handle::{Address, may_be_a_person};
use super::name::Names;
use super::own::{OwnText, Voices};
use super::statement::{Mention, Said, Statements};
use super::types::{ContactSource, Evidence, HandleRecord, Utterance};

/// A handle with its parsed record.
pub(super) struct Known {
    pub(super) record: HandleRecord,
    pub(super) address: Address,
    pub(super) names: Names,
    pub(super) is_person: bool,
}

/// A contact detail of a handle, and the source that shows that the handle owns it.
pub(super) struct Holding {
    pub(super) handle: u32,
    pub(super) source: ContactSource,
    pub(super) spans: Vec<Evidence>,
}

/// A statement by handle `by` that a mentioned handle is, or is not, its own.
pub(super) struct Claim {
    pub(super) by: u32,
    pub(super) mention: Mention,
    pub(super) conversation: u32,
    pub(super) spans: Vec<Evidence>,
}

/// Collects what handles say about themselves and what they have in common. Pass every utterance to it once; see the module's
/// documentation.
pub struct IdentityReader {
    scrubber: Scrubber,
    statements: &'static Statements,
    pub(super) known: Vec<Known>,
    /// Every part of every known name.
    pub(super) name_parts: HashSet<String>,
    index: HashMap<HandleId, u32>,
    pub(super) messages: Vec<InteractionId>,
    pub(super) contacts: HashMap<String, Vec<Holding>>,
    pub(super) claims: Vec<Claim>,
    pub(super) denials: Vec<Claim>,
    pub(super) terms: Terms,
    pub(super) rooms: Rooms,
}

impl std::fmt::Debug for IdentityReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IdentityReader")
            .field("handles", &self.known.len())
            .field("messages", &self.messages.len())
            .finish_non_exhaustive()
    }
}

impl IdentityReader {
    /// Creates a reader for these handles. `regions` are the regions (ISO 3166) for interpreting numbers without a country code.
    pub fn new(handles: Vec<HandleRecord>, regions: &ScrubConfig) -> Result<Self, IdentityError> {
        let scrubber = Scrubber::new(regions)?;
        let statements = Statements::shared()?;
        let mut contacts: HashMap<String, Vec<Holding>> = HashMap::new();
        let mut index = HashMap::with_capacity(handles.len());
        let mut known = Vec::with_capacity(handles.len());
        for record in handles {
            let at = known.len() as u32;
            let address = Address::read(&record.channel_type, &record.address, &scrubber);
            let is_person = may_be_a_person(&record, &address);
            let names = Names::read(record.names.iter().map(String::as_str));
            if is_person {
                if let Some(contact) = &address.contact {
                    hold(&mut contacts, contact.clone(), at, ContactSource::Handle, None);
                }
                for value in &record.profile {
                    for contact in scrubber.contacts(value) {
                        if let Some(contact) = super::handle::comparable(contact.kind, &contact.value) {
                            hold(&mut contacts, contact, at, ContactSource::Profile, None);
                        }
                    }
                }
            }
            index.insert(record.id.clone(), at);
            known.push(Known { record, address, names, is_person });
        }
        let full = known.iter().flat_map(|known: &Known| known.names.full.iter().flat_map(|full| full.parts.iter().cloned()));
        let single = known.iter().flat_map(|known: &Known| known.names.single.iter().cloned());
        let name_parts = full.chain(single).collect();
        Ok(Self {
            name_parts,
            scrubber,
            statements,
            known,
            index,
            messages: Vec::new(),
            contacts,
            claims: Vec::new(),
            denials: Vec::new(),
            terms: Terms::default(),
            rooms: Rooms::default(),
        })
    }

    /// Adds one utterance. The utterances of a conversation must be added in time order. Utterances from unknown handles are
    /// ignored.
    pub fn read(&mut self, utterance: &Utterance<'_>) {
        let Some(&at) = self.index.get(utterance.handle) else { return };
        let Some(known) = self.known.get(at as usize) else { return };
        let message = self.messages.len() as u32;
        self.messages.push(utterance.interaction.clone());
        let chars = (utterance.text.chars().take(SHOWN_CHARS_MAX as usize).count() as u32).max(1);
        self.rooms.read(utterance.conversation, at, message, chars, utterance.time);
        if !known.is_person {
            return;
        }
        let voices = Voices { own: &known.names, all: &self.name_parts };
        for said in self.statements.read(utterance.text, voices, &self.scrubber) {
            let (Said::Contact { bytes, .. } | Said::Handle { bytes, .. } | Said::NotMine { bytes, .. }) = &said;
            let Ok(span) = Span::of_bytes(utterance.text, bytes.clone()) else { continue };
            let evidence = Evidence { interaction: utterance.interaction.clone(), span };
            let claim = |mention| Claim {
                by: at,
                mention,
                conversation: self.rooms.number(utterance.conversation),
                spans: vec![evidence.clone()],
            };
            match said {
                Said::Contact { value, source, .. } => hold(&mut self.contacts, value, at, source, Some(evidence)),
                Said::Handle { mention, .. } => self.claims.push(claim(mention)),
                Said::NotMine { mention, .. } => self.denials.push(claim(mention)),
            }
        }
        if !known.record.is_owner {
            let own = OwnText::of(utterance.text, voices);
            let mut counted = (0, 0);
            for sentence in own.sentences {
                counted.1 += utterance.text.get(counted.0..sentence.start).map_or(0, |before| before.chars().count() as u32);
                counted.0 = sentence.start;
                if let Some(shown) = utterance.text.get(sentence) {
                    self.terms.read(at, message, shown, counted.1);
                }
            }
        }
    }

    /// The number of a handle.
    pub(super) fn number(&self, handle: &HandleId) -> Option<u32> {
        self.index.get(handle).copied()
    }
}

/// Records that `contact` belongs to `handle`. If there are several sources, the most direct one is kept. The places that say so
/// are all kept, up to the limit.
fn hold(
    contacts: &mut HashMap<String, Vec<Holding>>,
    contact: String,
    handle: u32,
    source: ContactSource,
    evidence: Option<Evidence>,
) {
    let holdings = contacts.entry(contact).or_default();
    let is_over = holdings.len() > crate::identity::rules::CONTACT_HOLDERS_MAX;
    match holdings.iter_mut().find(|holding| holding.handle == handle) {
        Some(holding) => {
            holding.source = holding.source.min(source);
            if holding.spans.len() < SPANS_MAX {
                holding.spans.extend(evidence);
            }
        }
        // One handle more than the limit is enough to know that the contact does not count.
        None if is_over => {}
        None => holdings.push(Holding { handle, source, spans: evidence.into_iter().collect() }),
    }
}
