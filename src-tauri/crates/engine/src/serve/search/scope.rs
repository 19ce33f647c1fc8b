//! The scope of a search: the audience's conversations, narrowed by the operators in the query.
//!
//! Each message is checked before it is counted, ranked or cut, whether it comes from the word index, the codes, or the lines
//! around a hit.

use std::collections::HashSet;

use keepsake_domain::{EntityId, Timestamp};
use keepsake_retrieval::Filters;
use keepsake_store::{ReadTx, StoreError};

use super::index::{Home, Index, Speaker};
use crate::serve::boundary::View;

/// The messages that a search may cover.
pub(crate) struct Scope {
    /// Indexed by conversation number; `None` if all are allowed.
    conversations: Option<Vec<bool>>,
    after: Option<Timestamp>,
    before: Option<Timestamp>,
    /// Log positions of the messages by the requested people.
    said: Option<HashSet<i64>>,
}

impl Scope {
    /// The scope for an audience (`None` means the owner, who may search everywhere) and the operators in the query.
    pub(crate) fn new(
        tx: &ReadTx<'_>,
        index: &Index,
        view: Option<&View>,
        filters: &Filters,
        until: Option<Timestamp>,
        people: &[EntityId],
        person_of: impl Fn(&EntityId) -> EntityId,
    ) -> Result<Self, StoreError> {
        let mut conversations = view.map(|view| index.marks(view.conversations()));
        if !filters.channels.is_empty() {
            let mut named = Vec::new();
            for text in &filters.channels {
                named.extend(tx.search().conversations_named(text)?);
            }
            let named = index.marks(&named);
            conversations = Some(match conversations {
                Some(open) => open.iter().zip(named).map(|(open, named)| *open && named).collect(),
                None => named,
            });
        }
        let mut said = None;
        if !filters.people.is_empty() {
            let mut places = HashSet::new();
            for speaker in index.speakers().iter().filter(|speaker| people.contains(&person_of(&speaker.handle.entity))) {
                places.extend(tx.search().messages_of_handle(&speaker.handle.id)?);
            }
            said = Some(places);
        }
        // `until` is inclusive; a "before" filter is exclusive.
        let until = until.map(|until| until.plus_ms(1));
        let before = [until, filters.before].into_iter().flatten().min();
        Ok(Self { conversations, after: filters.after, before, said })
    }

    /// Whether a conversation is in scope, apart from the filters that depend on the single message.
    pub(crate) fn covers(&self, index: &Index, conversation: &str) -> bool {
        let is_open = |open: &Vec<bool>| index.number(conversation).is_some_and(|number| open[number as usize]);
        self.conversations.as_ref().is_none_or(is_open)
    }

    /// Whether a message is in scope.
    pub(crate) fn allows(&self, seq: i64, home: Home) -> bool {
        self.conversations.as_ref().is_none_or(|open| open.get(home.conversation as usize).copied().unwrap_or(false))
            && self.after.is_none_or(|after| home.time >= after)
            && self.before.is_none_or(|before| home.time < before)
            && self.said.as_ref().is_none_or(|said| said.contains(&seq))
    }

    /// The position of a message, if it is in scope.
    pub(crate) fn home(&self, index: &Index, seq: i64) -> Option<Home> {
        index.home(seq).filter(|home| self.allows(seq, *home))
    }

    /// Whether everything is in scope.
    pub(crate) fn is_everything(&self) -> bool {
        self.conversations.is_none() && self.after.is_none() && self.before.is_none() && self.said.is_none()
    }

    /// Number of messages in scope from this log position on.
    pub(crate) fn count_from(&self, index: &Index, seq: i64) -> usize {
        if seq <= 0 && self.is_everything() {
            return index.messages();
        }
        index.all().rev().take_while(|(at, _)| *at >= seq).filter(|(at, home)| self.allows(*at, *home)).count()
    }
}

/// Speakers accepted by `is_named`, among those who speak in a conversation that the audience may see. Other speakers are not
/// examined, because the time taken would reveal them.
pub(crate) fn named_speakers<'i>(
    index: &'i Index,
    view: Option<&View>,
    mut is_named: impl FnMut(&Speaker) -> bool,
) -> Vec<&'i Speaker> {
    let open = view.map(|view| index.marks(view.conversations()));
    let is_heard = |speaker: &Speaker| open.as_ref().is_none_or(|open| speaker.speaks_in(open));
    index.speakers().iter().filter(|speaker| is_heard(speaker) && is_named(speaker)).collect()
}
