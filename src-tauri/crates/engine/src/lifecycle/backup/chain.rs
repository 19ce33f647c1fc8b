//! Checks that the messages have not changed since they were stored and that the tables, indexes, triggers and views match
//! those that this program creates. The check runs once a week. The messages are also checked with every backup, which reads
//! them anyway.
//!
//! A broken chain raises an alert. As long as the chain is in doubt, backups made before the break was found are not thinned,
//! because one of them may be the last intact one. Backups made later are thinned as usual, so the disk cannot fill up. Not in
//! this module: the chain itself (`keepsake-store`).

use keepsake_domain::{AlertId, DAY_MS, Timestamp};
use keepsake_store::{AlertRow, ChainFault, ChainReport, StoreError};
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::areas::Backups;

/// Setting that stores the result of the last check.
const SETTING: &str = "chain_check";

/// Name of the check in error messages.
const CHECK: &str = "chain check";

/// How often the whole log is checked, in milliseconds. Reading it takes seconds, and tampering should be found before the
/// backups of the last good week are thinned.
const EVERY_MS: i64 = 7 * DAY_MS;

/// Result of the last check.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Check {
    /// When the whole log was last read.
    checked_ms: Option<i64>,
    /// Where the chain breaks, in words.
    doubt: Option<String>,
    /// When the break was first found.
    since_ms: Option<i64>,
}

impl Backups<'_> {
    /// Reads the whole log and reports where its chain breaks. The result is stored, and a break raises an alert.
    pub fn check_chain(&self) -> Result<ChainReport> {
        let report = self.engine.store().read(|tx| tx.log().verify_chain())?;
        self.note_chain(report.doubt().as_ref(), true)?;
        Ok(report)
    }

    /// Checks that the tables, indexes, triggers and views of the database match those that this program creates. Repairs what
    /// was changed from outside, raises an alert, and returns a description of the change. Changed tables cannot be repaired
    /// here; they only raise an alert.
    pub fn check_locks(&self) -> Result<Option<String>> {
        let now = self.engine.now();
        match self.engine.store().settle_locks(now) {
            Err(error @ StoreError::Altered { .. }) => {
                let (kind, message) = ("schema_changed".to_owned(), error.to_string());
                let alert = AlertRow { id: AlertId::fresh(self.engine.ids()), kind, message, job_id: None, created: now };
                self.engine.store().write(|tx| tx.alerts().raise(&alert))?;
                Err(error.into())
            }
            settled => Ok(settled?),
        }
    }

    /// Runs the check if a week has passed, and returns when the next one is due. An empty store needs no check.
    pub fn keep_chain_checked(&self) -> Result<Option<Timestamp>> {
        if self.is_blank()? {
            return Ok(None);
        }
        let now = self.engine.now();
        let check: Check = self.engine.store().read(|tx| tx.settings().choice(SETTING, CHECK))?;
        // A clock that was set back must not postpone the check forever.
        let due = check.checked_ms.map(|last| Timestamp(last).min(now).plus_ms(EVERY_MS));
        if let Some(due) = due.filter(|due| *due > now) {
            return Ok(Some(due));
        }
        let locks = self.check_locks();
        self.check_chain()?;
        locks?;
        Ok(Some(now.plus_ms(EVERY_MS)))
    }

    /// Stores the result of a check. Only the weekly check writes a result that is already known. A new doubt raises an alert,
    /// and the weekly check repeats the alert while the doubt lasts.
    pub(crate) fn note_chain(&self, doubt: Option<&ChainFault>, is_weekly: bool) -> Result<()> {
        let now = self.engine.now();
        let before: Check = self.engine.store().read(|tx| tx.settings().choice(SETTING, CHECK))?;
        let doubt = doubt.map(ToString::to_string);
        let is_news = before.doubt != doubt;
        if !is_news && !is_weekly {
            return Ok(());
        }
        let since_ms = doubt.as_ref().map(|_| before.since_ms.unwrap_or(now.0));
        let checked_ms = if is_weekly { Some(now.0) } else { before.checked_ms };
        let alert = doubt.as_ref().map(|doubt| AlertRow {
            id: AlertId::fresh(self.engine.ids()),
            kind: "chain_broken".to_owned(),
            message: format!(
                "The stored messages were changed outside Keepsake, from {doubt}. Backups made before this was detected are \
                 kept: restore one of them, or keep the current data, in which everything from that message on is in doubt."
            ),
            job_id: None,
            created: now,
        });
        self.engine.store().write(|tx| {
            tx.settings().put_choice(SETTING, CHECK, &Check { checked_ms, doubt: doubt.clone(), since_ms }, now)?;
            alert.as_ref().map_or(Ok(()), |alert| tx.alerts().raise(alert))
        })?;
        Ok(())
    }

    /// Where the log is in doubt, in words, according to the last check; `None` while it is intact.
    pub fn chain_doubt(&self) -> Result<Option<String>> {
        let check: Check = self.engine.store().read(|tx| tx.settings().choice(SETTING, CHECK))?;
        Ok(check.doubt)
    }

    /// Since when the log has been in doubt; `None` while it is intact.
    pub(crate) fn doubtful_since(&self) -> Result<Option<Timestamp>> {
        let check: Check = self.engine.store().read(|tx| tx.settings().choice(SETTING, CHECK))?;
        Ok(check.since_ms.map(Timestamp))
    }
}
