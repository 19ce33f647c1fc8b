//! The person's settings: one JSON value per key, in the same file as everything else, so that one backup covers everything.

use keepsake_domain::Timestamp;
use rusqlite::params;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Result;
use crate::areas::{Settings, SettingsMut};
use crate::changes::Tag;
use crate::text::{parse_json, to_json};

impl Settings<'_> {
    /// The JSON stored under `key`.
    pub fn setting(&self, key: &str) -> Result<Option<String>> {
        let mut statement = self.tx.conn.prepare_cached("SELECT value FROM settings WHERE key = ?1")?;
        let mut rows = statement.query(params![key])?;
        Ok(match rows.next()? {
            Some(row) => Some(row.get(0)?),
            None => None,
        })
    }

    /// The person's choice under `key`, or the default. `what` names the setting in an error.
    pub fn choice<T: DeserializeOwned + Default>(&self, key: &str, what: &'static str) -> Result<T> {
        self.setting(key)?.map_or_else(|| Ok(T::default()), |json| parse_json(what, &json))
    }
}

impl SettingsMut<'_> {
    /// Stores the person's choice under `key`. `what` names the setting in an error.
    pub fn put_choice<T: Serialize + ?Sized>(&self, key: &str, what: &'static str, chosen: &T, now: Timestamp) -> Result<()> {
        self.put(key, &to_json(what, chosen)?, now)
    }

    /// Stores JSON under `key`.
    pub fn put(&self, key: &str, json: &str, now: Timestamp) -> Result<()> {
        self.tx.conn.execute(
            "INSERT INTO settings (key, value, updated_at_ms) VALUES (?1, ?2, ?3)
             ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at_ms = excluded.updated_at_ms",
            params![key, json, now.0],
        )?;
        self.tx.touch(Tag::Settings);
        Ok(())
    }
}
