//! Who may see what an import adds: the person's choice for each new channel, applied in the transaction that stores the first
//! message of the channel. An import never changes a channel that is already known.

use std::collections::{BTreeMap, BTreeSet};

use keepsake_domain::{Channel, ConversationId, SourceKind, Visibility};
use keepsake_store::{AppendContext, ChannelVisibility, StoreError, WriteTx};

/// What the person chose for the channels that an import adds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewChannels {
    /// The choices for individual channels.
    pub chosen: BTreeMap<Channel, Visibility>,
    /// The choice for all other channels. If `None`, they are private, except where a Keepsake JSONL file says `public`,
    /// because its author chose that.
    pub others: Option<Visibility>,
}

/// What an import does with a channel's visibility.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ruling {
    /// This visibility is stored as the person's choice.
    Choose(Visibility),
    /// Nothing is stored; the visibility declared by the source applies.
    Leave,
}

impl NewChannels {
    /// The person's choice for a new channel.
    fn choice(&self, channel: &Channel) -> Option<Visibility> {
        self.chosen.get(channel).copied().or(self.others)
    }

    /// Decides on a channel in which an import begins conversations. `known` is its visibility before the import, and
    /// `declared` the visibility of the new conversations according to their source.
    fn rule(&self, channel: &Channel, kind: SourceKind, known: Option<ChannelVisibility>, declared: ChannelVisibility) -> Ruling {
        let is_opened = declared != ChannelVisibility::One(Visibility::Private);
        match known {
            // The channel stays private, even if the source now says that anybody can read it.
            Some(ChannelVisibility::One(Visibility::Private)) if is_opened => Ruling::Choose(Visibility::Private),
            Some(_) => Ruling::Leave,
            None => match self.choice(channel) {
                Some(choice) => Ruling::Choose(choice),
                None if is_opened && kind != SourceKind::KeepsakeJsonl => Ruling::Choose(Visibility::Private),
                None => Ruling::Leave,
            },
        }
    }

    /// The visibility that a channel has after the import.
    pub(crate) fn foresee(
        &self,
        channel: &Channel,
        kind: SourceKind,
        known: Option<ChannelVisibility>,
        declared: ChannelVisibility,
    ) -> ChannelVisibility {
        match (known, self.rule(channel, kind, known, declared)) {
            (Some(known), _) => known,
            (None, Ruling::Choose(choice)) => ChannelVisibility::One(choice),
            (None, Ruling::Leave) => declared,
        }
    }

    /// Applies the choices to the conversations that a batch began, in its transaction.
    pub(crate) fn apply(
        &self,
        tx: &WriteTx<'_>,
        created: &[ConversationId],
        context: AppendContext<'_>,
    ) -> Result<(), StoreError> {
        let mut begun: BTreeMap<(Channel, SourceKind), BTreeSet<Visibility>> = BTreeMap::new();
        for id in created {
            let row = tx.log().conversation(id)?;
            let Ok(kind) = row.source_kind.parse() else { continue };
            let channel = Channel { channel_type: row.channel_type, channel_id: row.channel_id };
            begun.entry((channel, kind)).or_default().insert(row.visibility);
        }
        for ((channel, kind), declared) in begun {
            let declared = match (declared.contains(&Visibility::Public), declared.contains(&Visibility::Private)) {
                (true, true) => ChannelVisibility::Mixed,
                (true, false) => ChannelVisibility::One(Visibility::Public),
                (false, _) => ChannelVisibility::One(Visibility::Private),
            };
            if declared == ChannelVisibility::One(Visibility::Private) && self.choice(&channel).is_none() {
                continue;
            }
            let known = tx.privacy().known_channel(&channel, context.import_id)?;
            if let Ruling::Choose(choice) = self.rule(&channel, kind, known, declared) {
                tx.privacy().choose_channel_visibility(&channel.channel_type, &channel.channel_id, Some(choice), context.now)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUBLIC: ChannelVisibility = ChannelVisibility::One(Visibility::Public);
    const PRIVATE: ChannelVisibility = ChannelVisibility::One(Visibility::Private);
    const MIXED: ChannelVisibility = ChannelVisibility::Mixed;

    fn channel(id: &str) -> Channel {
        Channel { channel_type: "telegram".to_owned(), channel_id: id.to_owned() }
    }

    #[test]
    fn a_new_channel_is_private_unless_it_was_chosen_and_a_known_one_stays() {
        let opened = NewChannels { chosen: [(channel("a"), Visibility::Public)].into(), others: None };
        let all_open = NewChannels { chosen: [(channel("a"), Visibility::Private)].into(), others: Some(Visibility::Public) };
        let none = NewChannels::default();
        let (chat, jsonl) = (SourceKind::Telegram, SourceKind::KeepsakeJsonl);
        for (why, choices, kind, known, declared, expect) in [
            ("nothing chosen", &none, chat, None, PRIVATE, PRIVATE),
            ("nothing chosen, and the export says public", &none, chat, None, PUBLIC, PRIVATE),
            ("whoever wrote the file chose", &none, jsonl, None, PUBLIC, PUBLIC),
            ("for some conversations", &none, jsonl, None, MIXED, MIXED),
            ("chosen public", &opened, chat, None, PRIVATE, PUBLIC),
            ("chosen private among public ones", &all_open, jsonl, None, PUBLIC, PRIVATE),
            ("known as private", &opened, chat, Some(PRIVATE), PUBLIC, PRIVATE),
            ("known as public", &all_open, chat, Some(PUBLIC), PRIVATE, PUBLIC),
            ("known as both", &opened, chat, Some(MIXED), PRIVATE, MIXED),
        ] {
            assert_eq!(choices.foresee(&channel("a"), kind, known, declared), expect, "{why}");
        }
        assert_eq!(all_open.foresee(&channel("b"), chat, None, PRIVATE), PUBLIC, "one control for all others");
        assert_eq!(opened.foresee(&channel("b"), chat, None, PUBLIC), PRIVATE, "the others stay private");
    }
}
