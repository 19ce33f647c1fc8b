//! Sample data: a small synthetic export with three channels, so that a first memory can be reviewed within a minute.
//!
//! Everybody in it is invented. It contains an example of everything that a new user should see: plain facts, a correction,
//! facts about another person, an excluded conversation, and a message that tries to plant a memory. One click removes it
//! without a trace.

use std::io::Write;

use keepsake_domain::{DAY_MS, JobId, Timestamp};
use serde_json::Value;

use crate::areas::Imports;
use crate::ingest::import_request::ImportRequest;
use crate::{EngineError, ErasureReceipt, Result};

const SAMPLE: &str = include_str!("sample.jsonl");

impl Imports<'_> {
    /// Queues the import of the sample data, dated so that its last day was yesterday.
    pub fn load_sample(&self) -> Result<JobId> {
        if !self.engine.store().read(|tx| tx.sources().sample_imports())?.is_empty() {
            return Err(EngineError::Refused("the sample data is already loaded".to_owned()));
        }
        // Conversation ids differ each time, so that content erased from an earlier sample is not missing from a later one.
        let run = keepsake_domain::ImportId::fresh(self.engine.ids());
        let text = dated(SAMPLE, self.engine.now(), run.as_str())
            .ok_or_else(|| EngineError::Refused("the sample data of this build is broken; install another build".to_owned()))?;
        let dir = self.incoming_dir();
        let path = dir.join("sample-data.jsonl");
        let io = |error| EngineError::Io { what: format!("cannot write {}", path.display()), error };
        std::fs::create_dir_all(&dir).map_err(io)?;
        let mut file = std::fs::File::create(&path).map_err(io)?;
        file.write_all(text.as_bytes()).map_err(io)?;
        self.queue(&ImportRequest { is_sample: true, ..ImportRequest::of(path) })
    }

    /// Removes the sample data and everything derived from it.
    pub fn remove_sample(&self) -> Result<Vec<ErasureReceipt>> {
        let imports = self.engine.store().read(|tx| tx.sources().sample_imports())?;
        imports.iter().map(|import| self.engine.erasure().undo_import(import)).collect()
    }
}

/// The sample with its times moved by whole days, so that the last message is from yesterday, and
/// with new conversation ids.
fn dated(sample: &str, now: Timestamp, run: &str) -> Option<String> {
    let mut rows: Vec<serde_json::Map<String, Value>> = Vec::new();
    for line in sample.lines().filter(|line| !line.is_empty()) {
        rows.push(serde_json::from_str(line).ok()?);
    }
    let time = |row: &serde_json::Map<String, Value>| chrono::DateTime::parse_from_rfc3339(row.get("time")?.as_str()?).ok();
    let last = rows.iter().filter_map(time).max()?.timestamp_millis();
    let moved_ms = (now.0 - last).div_euclid(DAY_MS) * DAY_MS;
    let mut text = String::new();
    for row in &mut rows {
        let moved = time(row)? + chrono::TimeDelta::milliseconds(moved_ms);
        row.insert("time".to_owned(), moved.to_rfc3339_opts(chrono::SecondsFormat::Secs, true).into());
        let conversation = format!("{}-{run}", row.get("conversation")?.as_str()?);
        row.insert("conversation".to_owned(), conversation.into());
        text.push_str(&serde_json::to_string(row).ok()?);
        text.push('\n');
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_ends_within_the_last_day_and_keeps_its_distances() {
        let now = Timestamp(1_800_000_000_000);
        let text = dated(SAMPLE, now, "run1").expect("the sample is sound");
        let times: Vec<i64> = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["time"].as_str().unwrap().to_owned())
            .map(|time| chrono::DateTime::parse_from_rfc3339(&time).unwrap().timestamp_millis())
            .collect();
        let last = *times.iter().max().unwrap();
        assert!(last <= now.0 && now.0 - last < DAY_MS, "the last message is at most a day old");
        assert!(text.contains("sample-chat-kitchen-run1"), "each loading has its own conversations");
    }
}
