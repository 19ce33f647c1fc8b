//! What an agent may list: the topics of its audience and, if it is alone with the owner, requests that could not be met.
//!
//! Not in this module: contexts (`context`), searches (`search`), and playbooks (`derive::playbooks`).

use keepsake_domain::{TopicId, Visibility};
use keepsake_store::GapRow;

use crate::Result;
use crate::areas::Serve;
use crate::serve::access_log::{AccessRecord, ReadKind};
use crate::serve::boundary::Audience;
use crate::serve::masked::{may_be_served, served};

/// A topic as served to an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServedTopic {
    /// Id of the topic.
    pub id: TopicId,
    /// Its title.
    pub title: String,
    /// Number of its messages.
    pub messages: usize,
}

/// A request that could not be met, as served to an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServedGap {
    /// The gap.
    pub gap: GapRow,
    /// What was asked for.
    pub need: String,
}

impl Serve<'_> {
    /// Returns the topics that an audience may see and records them in the access log.
    pub fn topics_for(&self, audience: &Audience) -> Result<Vec<ServedTopic>> {
        let (topics, given) = self.engine.privacy().engine.with_view(audience, |tx, view| {
            let mut given = AccessRecord::new(ReadKind::Topics, view);
            let mut topics = Vec::new();
            for topic in view.topics(tx)? {
                let title = served(topic.title());
                if may_be_served(topic.title()) && !title.trim().is_empty() {
                    given.add_item(topic.topic.id.as_str(), title.chars().count());
                    given.add_line(topic.topic.id.as_str(), &title);
                    topics.push(ServedTopic { id: topic.topic.id, title, messages: topic.messages.len() });
                }
            }
            Ok((topics, given))
        })?;
        self.engine.privacy().record_access(audience, given)?;
        Ok(topics)
    }

    /// Returns the requests that could not be met, for an audience in which the owner is alone with the program. Others get
    /// none.
    pub fn gaps_for(&self, audience: &Audience) -> Result<Vec<ServedGap>> {
        let known = self.engine.gaps().list()?;
        let (gaps, given) = self.engine.privacy().engine.with_view(audience, |_, view| {
            let to = &view.destination;
            let is_alone = to.visibility == Visibility::Private && to.people.is_empty();
            let mut given = AccessRecord::new(ReadKind::Gaps, view);
            let mut gaps = Vec::new();
            for gap in known.into_iter().filter(|gap| is_alone && may_be_served(&gap.need)) {
                let need = served(&gap.need);
                given.add_item(gap.id.as_str(), need.chars().count());
                given.add_line(gap.id.as_str(), &need);
                gaps.push(ServedGap { gap, need });
            }
            Ok((gaps, given))
        })?;
        self.engine.privacy().record_access(audience, given)?;
        Ok(gaps)
    }
}
