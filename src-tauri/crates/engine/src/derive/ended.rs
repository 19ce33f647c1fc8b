//! Analyzes a conversation as a whole once it has ended (docs/sources.md#design-flow), as if a person had pressed Analyze
//! Now. It only makes proposals for review.
//!
//! This applies only to conversations that end after automatic analysis was switched on or, by default, after its first pass.
//! Years of imported history would flood the review queue and run up the bill of a paid model, so a person who wants an older
//! conversation analyzed presses the button (decision 24). The job is queued in the same transaction that marks the
//! conversation as ended, so it is neither lost nor queued twice. The same transcript is not analyzed twice.
//!
//! Not in this module: whether a conversation has ended (`conversation_status`), the analysis (`analyze`), and what a model
//! may cost (`language`).

use keepsake_domain::{ConversationId, ConversationStatus, JobKind, Timestamp};
use keepsake_store::InteractionRow;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::areas::Conversations;

/// Setting that stores whether ended conversations are analyzed, and since when.
const RULES_SETTING: &str = "analysis";

/// Name of this setting in error messages.
const CHOICES: &str = "analysis settings";

/// Whether ended conversations are analyzed automatically.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AnalysisRules {
    /// Whether it is switched on.
    pub automatic: bool,
    /// Only conversations whose last message is not older than this are analyzed; `None` before the first pass.
    #[serde(rename = "since_ms")]
    pub since: Option<Timestamp>,
}

impl Default for AnalysisRules {
    fn default() -> Self {
        Self { automatic: true, since: None }
    }
}

/// The rules for one pass over conversations.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pass {
    /// Whether a model makes proposals.
    pub(crate) has_model: bool,
    /// Ended conversations are analyzed if their last message is not older than this; `None` if no conversation is analyzed.
    pub(crate) analysed_since: Option<Timestamp>,
}

impl Conversations<'_> {
    /// Whether ended conversations are analyzed automatically, and since when.
    pub fn analysis_rules(&self) -> Result<AnalysisRules> {
        Ok(self.engine.store().read(|tx| tx.settings().choice(RULES_SETTING, CHOICES))?)
    }

    /// Switches automatic analysis on or off. It applies from the moment it is switched on. Conversations that ended earlier
    /// are analyzed only when a person presses the button.
    pub fn set_automatic_analysis(&self, automatic: bool) -> Result<AnalysisRules> {
        let before = self.analysis_rules()?;
        let since = before.since.filter(|_| before.automatic).unwrap_or_else(|| self.engine.now());
        self.put_analysis_rules(AnalysisRules { automatic, since: Some(since) })
    }

    fn put_analysis_rules(&self, rules: AnalysisRules) -> Result<AnalysisRules> {
        self.engine.store().write(|tx| tx.settings().put_choice(RULES_SETTING, CHOICES, &rules, self.engine.now()))?;
        Ok(rules)
    }

    /// The rules for a pass that starts now. The first pass sets the time from which conversations that end are analyzed.
    pub(crate) fn pass(&self) -> Result<Pass> {
        let mut rules = self.analysis_rules()?;
        if rules.automatic && rules.since.is_none() {
            rules = self.put_analysis_rules(AnalysisRules { since: Some(self.engine.now()), ..rules })?;
        }
        let has_model = self.engine.models().settings()?.proposing().is_some();
        Ok(Pass { has_model, analysed_since: rules.since.filter(|_| rules.automatic) })
    }

    /// The kind of job that analyzes an ended conversation with these messages; `None` if it has not ended, ended too early,
    /// must not be read, is too short, or has nothing new.
    pub(crate) fn analysis_of_ended(
        &self,
        id: &ConversationId,
        rows: &[InteractionRow],
        status: ConversationStatus,
        pass: Pass,
    ) -> Result<Option<JobKind>> {
        let is_ended = status == ConversationStatus::Archived;
        let is_recent = rows.last().zip(pass.analysed_since).is_some_and(|(last, since)| last.time >= since);
        if !is_ended || !is_recent || !self.engine.store().read(|tx| tx.conversation_status().may_read_unasked(id))? {
            return Ok(None);
        }
        let is_free = self.analyze_obstacle(id, false)?.is_none();
        Ok(is_free.then_some(if pass.has_model { JobKind::AnalyzeModel } else { JobKind::Analyze }))
    }
}
