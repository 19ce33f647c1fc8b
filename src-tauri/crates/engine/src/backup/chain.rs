//! Whether the messages are as they were stored and the locks as this program makes them: looked at once a week, and whenever a copy is made, which reads them anyway.
//!
//! A broken chain is an alert. The backups that were there before it showed are kept from thinning for as long as it lasts: one of
//! them may be the last that is whole, and as none is added to them they cannot fill the disk.
//! Deliberately not here: the chain itself (`keepsake-store`).

use keepsake_domain::{AlertId, DAY_MS, Timestamp};
use keepsake_store::{AlertRow, ChainFault, ChainReport, StoreError};
use serde::{Deserialize, Serialize};

use crate::{Engine, Result};

/// The setting under which it is kept what the last look found.
const SETTING: &str = "chain_check";

/// What an error calls it.
const CHECK: &str = "check of the chain";

/// A whole log is read in seconds, and what somebody changed is better known before the copies of its last good week are thinned.
const EVERY_MS: i64 = 7 * DAY_MS;

/// What the last look found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Check {
    /// When all was read last.
    checked_ms: Option<i64>,
    /// Where it breaks, in words.
    doubt: Option<String>,
    /// When that showed first.
    since_ms: Option<i64>,
}

impl Engine {
    /// Reads the whole log, and says where its chain breaks. What it found is kept, and told in an alert.
    pub fn check_chain(&self) -> Result<ChainReport> {
        let report = self.store().read(|tx| tx.verify_chain())?;
        self.note_chain(report.doubt().as_ref(), true)?;
        Ok(report)
    }

    /// Looks whether the locks of the database are those of this program, puts right what somebody changed, and says what it was. An
    /// alert tells it too; where tables were changed, which nothing here can mend, the alert is all that can be done.
    pub fn check_locks(&self) -> Result<Option<String>> {
        let now = self.now();
        match self.store().settle_locks(now) {
            Err(error @ StoreError::Altered { .. }) => {
                let (kind, message) = ("schema_changed".to_owned(), error.to_string());
                let alert = AlertRow { id: AlertId::fresh(self.ids()), kind, message, job_id: None, created: now };
                self.store().write(|tx| tx.raise_alert(&alert))?;
                Err(error.into())
            }
            settled => Ok(settled?),
        }
    }

    /// Looks where a week is over; when the next look is due. A store that holds nothing needs none.
    pub fn keep_chain_checked(&self) -> Result<Option<Timestamp>> {
        if self.is_blank()? {
            return Ok(None);
        }
        let now = self.now();
        let check: Check = self.store().read(|tx| tx.choice(SETTING, CHECK))?;
        // A clock that was set back must not put it off for ever.
        let due = check.checked_ms.map(|last| Timestamp(last).min(now).plus_ms(EVERY_MS));
        if let Some(due) = due.filter(|due| *due > now) {
            return Ok(Some(due));
        }
        let locks = self.check_locks();
        self.check_chain()?;
        locks?;
        Ok(Some(now.plus_ms(EVERY_MS)))
    }

    /// Keeps what a look found; nothing is written where it is known, unless it was the week's. A new doubt is told, and the week's look
    /// tells again what is still so.
    pub(crate) fn note_chain(&self, doubt: Option<&ChainFault>, is_weekly: bool) -> Result<()> {
        let now = self.now();
        let before: Check = self.store().read(|tx| tx.choice(SETTING, CHECK))?;
        let doubt = doubt.map(ToString::to_string);
        let is_news = before.doubt != doubt;
        if !is_news && !is_weekly {
            return Ok(());
        }
        let since_ms = doubt.as_ref().map(|_| before.since_ms.unwrap_or(now.0));
        let checked_ms = if is_weekly { Some(now.0) } else { before.checked_ms };
        let alert = doubt.as_ref().map(|doubt| AlertRow {
            id: AlertId::fresh(self.ids()),
            kind: "chain_broken".to_owned(),
            message: format!(
                "The stored messages were changed from outside Keepsake, from {doubt}. Backups made before this showed are kept: restore \
                 one of them, or go on with what is here, in which everything from that message on is in doubt."
            ),
            job_id: None,
            created: now,
        });
        self.store().write(|tx| {
            tx.put_choice(SETTING, CHECK, &Check { checked_ms, doubt: doubt.clone(), since_ms }, now)?;
            alert.as_ref().map_or(Ok(()), |alert| tx.raise_alert(alert))
        })?;
        Ok(())
    }

    /// Where the log is in doubt, in words, as far as the last look knows; nothing while it is whole.
    pub fn chain_doubt(&self) -> Result<Option<String>> {
        let check: Check = self.store().read(|tx| tx.choice(SETTING, CHECK))?;
        Ok(check.doubt)
    }

    /// Since when the log is in doubt; nothing while it is whole.
    pub(crate) fn doubtful_since(&self) -> Result<Option<Timestamp>> {
        let check: Check = self.store().read(|tx| tx.choice(SETTING, CHECK))?;
        Ok(check.since_ms.map(Timestamp))
    }
}
