//! Selects what a context contains from earlier sessions and topics: the tiers as the agent is served them, and the topics of
//! the current conversation.
//!
//! Both come from the view and are cut to their own budgets before the context applies its budget. Session lines that an
//! approved memory already covers are left out.
//!
//! Not in this module: the order and size of sections.

use std::collections::HashMap;

use keepsake_capture::echo::Heading;
use keepsake_domain::{EvidenceSpan, InteractionId, MemoryId, Span, TopicId};
use keepsake_insight::session::tier::Tier;
use keepsake_store::{ReadTx, StoreError, TopicLineRow};

use super::{CONVERSATION_MESSAGES, ContextItem, ContextRequest, Line, WithheldCount, day, flat, source_of};
use crate::areas::Serve;
use crate::derive::tiers::TierAsk;
use crate::review::retractions::TakenBack;
use crate::serve::boundary::View;
use crate::serve::masked::{may_be_served, quoted};

/// Maximum number of topics: the few that the conversation is about, not a long list.
const TOPICS: usize = 3;

/// The tier lines by section, and the counts of withheld items.
type TierLines = (Vec<(Heading, Vec<Line>)>, Vec<WithheldCount>);

impl Serve<'_> {
    /// The tiers for the agent and the person it talks with, without lines that an approved memory in `told` already covers.
    pub(super) fn tier_lines(
        &self,
        tx: &ReadTx<'_>,
        view: &View,
        request: &ContextRequest,
        told: &[MemoryId],
    ) -> std::result::Result<TierLines, StoreError> {
        let ask = TierAsk { audience: request.audience.clone(), role: None };
        let found = self.engine.sessions().tiers_in(tx, view, &ask, false, request.as_of)?;
        let mut places: HashMap<String, Vec<Span>> = HashMap::new();
        for id in told {
            for evidence in tx.memories().evidence(id)? {
                places.entry(evidence.interaction_id.to_string()).or_default().push(evidence.span);
            }
        }
        let is_told = |place: &EvidenceSpan| {
            places.get(place.interaction.as_str()).is_some_and(|spans| spans.iter().any(|span| span.overlaps(place.span)))
        };
        let mut sections: Vec<(Heading, Vec<Line>)> = Vec::new();
        for tier in found.tiers {
            let section = match tier.tier {
                Tier::Shared => Heading::SharedTier,
                // The request does not name the agent.
                Tier::Agent if request.audience.agent.is_none() => continue,
                Tier::Agent => Heading::AgentTier,
                Tier::User => Heading::UserTier,
            };
            let mut lines = Vec::new();
            for row in tier.lines.into_iter().filter(|row| !is_told(&row.entry.place)) {
                let sources = tx.log().interaction(&row.entry.place.interaction)?.as_ref().and_then(source_of);
                // Nobody has approved a classification of this text, so the words are quoted without one.
                let (entry, said) = (&row.entry, quoted(&flat(&row.entry.text)));
                let text = format!("- [{}] {} {}: {said}", entry.id, day(entry.said), flat(&entry.author));
                let item = ContextItem { id: row.entry.id.to_string(), kind: "tier", sources: sources.into_iter().collect() };
                let said = Some((row.entry.place.interaction.to_string(), row.entry.text.clone()));
                lines.push(Line { text, item, said });
            }
            match sections.iter_mut().find(|(known, _)| *known == section) {
                Some((_, known)) => known.extend(lines),
                None => sections.push((section, lines)),
            }
        }
        Ok((sections, found.withheld))
    }

    /// The topics that the current conversation is about.
    pub(super) fn topic_lines(
        &self,
        tx: &ReadTx<'_>,
        view: &View,
        request: &ContextRequest,
    ) -> std::result::Result<Vec<Line>, StoreError> {
        // Topics cannot be looked up as of an earlier time, so none are served for one.
        if request.as_of.is_some() {
            return Ok(Vec::new());
        }
        let taken = TakenBack::read(tx, None)?;
        let Some(conversation) = &view.destination.conversation else { return Ok(Vec::new()) };
        let recent = tx.log().last_messages(conversation, None, CONVERSATION_MESSAGES)?;
        let is_recent = |id: &InteractionId| recent.iter().any(|row| row.id == *id);
        let own = view.topics(tx)?.into_iter().filter(|topic| topic.messages.iter().any(is_recent)).take(TOPICS);
        let found: Vec<(TopicId, String, Vec<TopicLineRow>)> = own
            .map(|topic| {
                let lines = taken.lines_left(tx, tx.topics().lines(&topic.version.id)?)?;
                Ok((topic.topic.id.clone(), topic.title().to_owned(), lines))
            })
            .collect::<std::result::Result<_, StoreError>>()?;
        let mut lines = Vec::new();
        for (id, title, said) in found {
            let Some(first) = said.into_iter().next() else { continue };
            let Some(message) = tx.log().interaction(&first.place.interaction)? else { continue };
            let sources = if view.shows(&message.conversation_id) { source_of(&message) } else { None };
            let title = if taken.leaves_title(tx, &id, &title)? { format!("{}: ", flat(&title)) } else { String::new() };
            if !may_be_served(&first.text) || !may_be_served(&title) {
                continue;
            }
            let text = format!("- [{id}] {title}{}: {}", flat(&message.author), quoted(&flat(&first.text)));
            let item = ContextItem { id: id.to_string(), kind: "topic", sources: sources.into_iter().collect() };
            lines.push(Line { text, item, said: Some((first.place.interaction.to_string(), first.text)) });
        }
        Ok(lines)
    }
}
