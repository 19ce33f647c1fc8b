//! A conversation that has ended is read as a whole by itself (DESIGN 4), as if somebody had pressed Analyze Now: what it leaves are
//! candidates for review and nothing else.
//!
//! Only what ends from now on, where "now" is the moment at which this was first possible or was switched on: years of imported
//! history would fill the review and a paid model's bill, and whoever wants one of those read presses the button (decision 24). The job
//! is queued with the judgement that the conversation has ended, in one transaction, so it is neither lost nor queued twice; the same
//! transcript is not read again.
//!
//! Deliberately not here: whether it has ended (`standing`), the reading (`analyze`), and what a model may cost (`language`).

use keepsake_domain::{ConversationId, ConversationStatus, JobKind, Timestamp};
use keepsake_store::InteractionRow;
use serde::{Deserialize, Serialize};

use crate::{Engine, Result};

/// The setting under which it is kept whether ended conversations are analysed, and since when.
const RULES_SETTING: &str = "analysis";

/// What an error calls them.
const CHOICES: &str = "choices about analyses";

/// Whether a conversation that has ended is analysed by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AnalysisRules {
    /// Whether it is.
    pub automatic: bool,
    /// Only those whose last message is not older; nothing where nobody looked yet.
    #[serde(rename = "since_ms")]
    pub since: Option<Timestamp>,
}

impl Default for AnalysisRules {
    fn default() -> Self {
        Self { automatic: true, since: None }
    }
}

/// By which rules conversations are judged in one pass.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pass {
    /// Whether a model proposes.
    pub(crate) has_model: bool,
    /// Ended conversations are analysed whose last message is not older.
    pub(crate) analysed_since: Option<Timestamp>,
}

impl Engine {
    /// Whether conversations that have ended are analysed by themselves.
    pub fn analysis_rules(&self) -> Result<AnalysisRules> {
        Ok(self.store().read(|tx| tx.choice(RULES_SETTING, CHOICES))?)
    }

    /// Chooses it. Switched on it begins now: what ended before waits for the button.
    pub fn set_automatic_analysis(&self, automatic: bool) -> Result<AnalysisRules> {
        let before = self.analysis_rules()?;
        let since = before.since.filter(|_| before.automatic).unwrap_or_else(|| self.now());
        self.put_analysis_rules(AnalysisRules { automatic, since: Some(since) })
    }

    fn put_analysis_rules(&self, rules: AnalysisRules) -> Result<AnalysisRules> {
        self.store().write(|tx| tx.put_choice(RULES_SETTING, CHOICES, &rules, self.now()))?;
        Ok(rules)
    }

    /// How conversations are judged now. The first pass fixes since when ended ones are analysed.
    pub(crate) fn pass(&self) -> Result<Pass> {
        let mut rules = self.analysis_rules()?;
        if rules.automatic && rules.since.is_none() {
            rules = self.put_analysis_rules(AnalysisRules { since: Some(self.now()), ..rules })?;
        }
        let has_model = self.model_settings()?.proposing().is_some();
        Ok(Pass { has_model, analysed_since: rules.since.filter(|_| rules.automatic) })
    }

    /// The job that analyses a conversation which has ended, `rows` being its messages; nothing where it is not to be read, is too short
    /// or says nothing new.
    pub(crate) fn analysis_of_ended(
        &self,
        id: &ConversationId,
        rows: &[InteractionRow],
        status: ConversationStatus,
        pass: Pass,
    ) -> Result<Option<JobKind>> {
        let is_ended = status == ConversationStatus::Archived;
        let is_recent = rows.last().zip(pass.analysed_since).is_some_and(|(last, since)| last.time >= since);
        if !is_ended || !is_recent || !self.store().read(|tx| tx.may_read_unasked(id))? {
            return Ok(None);
        }
        let is_free = self.analyze_obstacle(id, false)?.is_none();
        Ok(is_free.then_some(if pass.has_model { JobKind::AnalyzeModel } else { JobKind::Analyze }))
    }
}
