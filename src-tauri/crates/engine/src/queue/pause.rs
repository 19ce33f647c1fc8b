//! Pauses background work, for a while or until the person resumes it.
//!
//! The stored value is the time at which the pause ends, so it ends by itself even if the program did not run meanwhile. A
//! lane that sleeps during the pause wakes at its end and records that it has ended, so that the window is notified.
//!
//! Not in this module: what a pause stops (`queue`).

use keepsake_domain::{DAY_MS, HOUR_MS, Timestamp};

use crate::areas::Queue;
use crate::{EngineError, Result};

/// Setting that stores the pause, so that it survives a restart: `true`, `false`, or the end in milliseconds.
const PAUSED_SETTING: &str = "queue_paused";

/// Local hour at which "tomorrow" begins: when people usually sit down at the computer again.
const MORNING_HOUR: i64 = 8;

/// Before this local hour, the previous night is not over, so "tomorrow" means the coming morning.
const NIGHT_ENDS_HOUR: i64 = 4;

/// How long to pause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PauseFor {
    /// One hour.
    Hour,
    /// Until tomorrow morning.
    Tomorrow,
    /// Until the person resumes work.
    Resumed,
}

/// A pause of background work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pause {
    /// When it ends by itself; `None` if only the person ends it.
    pub until: Option<Timestamp>,
}

/// When a pause that begins now ends.
fn ends(wanted: PauseFor, utc_offset_minutes: i32, now: Timestamp) -> Option<Timestamp> {
    match wanted {
        PauseFor::Hour => Some(now.plus_ms(HOUR_MS)),
        PauseFor::Tomorrow => {
            let today = now.plus_ms(-NIGHT_ENDS_HOUR * HOUR_MS).midnight(utc_offset_minutes);
            Some(today.plus_ms(DAY_MS + MORNING_HOUR * HOUR_MS))
        }
        PauseFor::Resumed => None,
    }
}

impl Queue<'_> {
    /// The current pause, if there is one.
    pub fn pause(&self) -> Result<Option<Pause>> {
        let stored = self.engine.store().read(|tx| tx.settings().setting(PAUSED_SETTING))?;
        Ok(match stored.as_deref() {
            None | Some("false") => None,
            Some("true") => Some(Pause { until: None }),
            Some(until) => {
                let until: i64 =
                    serde_json::from_str(until).map_err(|error| EngineError::Stored { what: "end of the pause", error })?;
                (self.engine.now().0 < until).then_some(Pause { until: Some(Timestamp(until)) })
            }
        })
    }

    /// Whether background work is paused now.
    pub fn is_paused(&self) -> Result<bool> {
        Ok(self.pause()?.is_some())
    }

    /// Pauses background work. Running jobs finish; no new ones start, and none are lost.
    pub fn pause_for(&self, wanted: PauseFor) -> Result<Pause> {
        let now = self.engine.now();
        let until = ends(wanted, self.engine.utc_offset_minutes(), now);
        let stored = until.map_or_else(|| "true".to_owned(), |until| until.0.to_string());
        self.engine.store().write(|tx| tx.settings().put(PAUSED_SETTING, &stored, now))?;
        self.look_for_work();
        Ok(Pause { until })
    }

    /// Resumes background work.
    pub fn resume(&self) -> Result<()> {
        self.engine.store().write(|tx| tx.settings().put(PAUSED_SETTING, "false", self.engine.now()))?;
        self.look_for_work();
        Ok(())
    }

    /// Records that a pause has run out, so that the window is notified.
    pub(crate) fn end_pause_in_time(&self) -> Result<()> {
        let is_over = |stored: Option<String>| {
            stored.and_then(|text| text.parse::<i64>().ok()).is_some_and(|until| until <= self.engine.now().0)
        };
        if is_over(self.engine.store().read(|tx| tx.settings().setting(PAUSED_SETTING))?) {
            self.engine.store().write(|tx| {
                // Another pause may have begun meanwhile.
                if is_over(tx.settings().setting(PAUSED_SETTING)?) {
                    tx.settings().put(PAUSED_SETTING, "false", self.engine.now())
                } else {
                    Ok(())
                }
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tomorrow_is_the_morning_that_comes_after_the_night() {
        const MIDNIGHT: i64 = 1_772_409_600_000; // 2026-03-02T00:00Z
        let check = |hour: f64, offset_minutes: i32, expect_hours: i64| {
            let now = Timestamp(MIDNIGHT + (hour * HOUR_MS as f64) as i64);
            let end = ends(PauseFor::Tomorrow, offset_minutes, now).map(|at| (at.0 - MIDNIGHT) / HOUR_MS);
            assert_eq!(end, Some(expect_hours), "at {hour} with {offset_minutes}");
        };
        check(10.0, 0, 32);
        check(23.5, 0, 32);
        check(1.0, 0, 8);
        check(3.9, 0, 8);
        check(4.0, 0, 32);
        // At UTC+2, 10:00 UTC is noon, and 8 in the morning is 06:00 UTC.
        check(10.0, 120, 30);
        check(23.0, 120, 30);
        check(10.0, -300, 37);
        assert_eq!(ends(PauseFor::Hour, 0, Timestamp(5)), Some(Timestamp(5 + HOUR_MS)));
        assert_eq!(ends(PauseFor::Resumed, 0, Timestamp(5)), None);
    }
}
