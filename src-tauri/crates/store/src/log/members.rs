//! Who can read a channel, also if they never spoke. Live sources say it as it is now; exports say who joined and left, and when.
//!
//! It only narrows what may be said in the channel, so everything that is not sure counts as "is there".

use keepsake_domain::{Channel, ChannelHandle, Timestamp};
use rusqlite::params;

use crate::Result;
use crate::areas::{Log, LogMut};
use crate::text::to_json;

/// Stands for a member of a channel whom the person erased. No handle is written like this.
const STRANGER: &str = "(erased)";

/// Precedes the name of a member of whom an export tells nothing else. No handle begins like this.
const NAME_ONLY: &str = "(name) ";

/// Somebody who can read a channel.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Member {
    /// With this handle, folded.
    Handle(String),
    /// Of whom only the name is known.
    Name(String),
}

impl Member {
    /// The member with this handle.
    pub fn of(handle: &ChannelHandle) -> Self {
        Self::Handle(handle.folded().handle)
    }

    fn stored(&self) -> String {
        match self {
            Self::Handle(handle) => handle.clone(),
            Self::Name(name) => format!("{NAME_ONLY}{name}"),
        }
    }

    fn of_stored(text: String) -> Self {
        match text.strip_prefix(NAME_ONLY) {
            Some(name) => Self::Name(name.to_owned()),
            None => Self::Handle(text),
        }
    }
}

/// That somebody joined or left a channel, as an export tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberMove {
    /// Who.
    pub member: Member,
    /// When. The earliest time stands for a list of members, which does not say since when they are there.
    pub at: Timestamp,
    /// Whether they are there from then on.
    pub is_in: bool,
}

impl Log<'_> {
    /// Everybody who can read a channel by what its source says, by channel.
    pub fn channel_members(&self) -> Result<Vec<(Channel, Member)>> {
        let mut statement =
            self.tx.conn.prepare_cached("SELECT channel_type, channel_id, handle FROM channel_members WHERE is_in = 1")?;
        let rows = statement.query_map([], |row| {
            Ok((Channel { channel_type: row.get(0)?, channel_id: row.get(1)? }, Member::of_stored(row.get(2)?)))
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

impl LogMut<'_> {
    /// Replaces who can read a channel. Called for a live source, which knows all of them.
    pub fn set_channel_members(&self, channel_type: &str, channel_id: &str, members: &[ChannelHandle]) -> Result<()> {
        let handles: Vec<String> = members.iter().map(|member| member.folded().handle).collect();
        let json = to_json("members", &handles)?;
        // Only what changed is written, because each change makes everybody's view be worked out again.
        self.tx
            .conn
            .prepare_cached(
                "DELETE FROM channel_members WHERE channel_type = ?1 AND channel_id = ?2
                    AND handle NOT IN (SELECT value FROM json_each(?3))",
            )?
            .execute(params![channel_type, channel_id, json])?;
        self.tx.conn
            .prepare_cached(
                "INSERT INTO channel_members (channel_type, channel_id, handle) SELECT ?1, ?2, value FROM json_each(?3) WHERE true
                 ON CONFLICT DO UPDATE SET moved_at_ms = NULL, is_in = 1 WHERE moved_at_ms IS NOT NULL",
            )?
            .execute(params![channel_type, channel_id, json])?;
        Ok(())
    }

    /// Notes who joined and left a channel, as an export tells it. The latest move of each counts, so exports may come in any
    /// order. A channel whose members a live source tells is passed over, and so is one of which nothing is stored.
    pub fn follow_members(&self, channel: &Channel, moves: &[MemberMove]) -> Result<()> {
        let of_channel = "WHERE channel_type = ?1 AND channel_id = ?2";
        let is_followed = format!(
            "SELECT 1 FROM conversations {of_channel}
                AND NOT EXISTS (SELECT 1 FROM channel_members {of_channel} AND moved_at_ms IS NULL) LIMIT 1"
        );
        if !self.tx.conn.prepare_cached(&is_followed)?.exists(params![channel.channel_type, channel.channel_id])? {
            return Ok(());
        }
        let mut statement = self.tx.conn.prepare_cached(
            "INSERT INTO channel_members (channel_type, channel_id, handle, moved_at_ms, is_in) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT DO UPDATE SET moved_at_ms = excluded.moved_at_ms, is_in = excluded.is_in
              WHERE excluded.moved_at_ms >= moved_at_ms",
        )?;
        for MemberMove { member, at, is_in } in moves {
            statement.execute(params![channel.channel_type, channel.channel_id, member.stored(), at.0, is_in])?;
        }
        Ok(())
    }

    /// Forgets what exports told of the members of channels of which nothing is stored any more.
    pub(crate) fn forget_members_of_empty_channels(&self) -> Result<()> {
        self.tx.conn.execute(
            "DELETE FROM channel_members WHERE moved_at_ms IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM conversations c WHERE c.channel_type = channel_members.channel_type
                                   AND c.channel_id = channel_members.channel_id)",
            [],
        )?;
        Ok(())
    }

    /// Replaces these handles, a JSON array of ids, by a stranger's wherever they are members of a channel. They are still there,
    /// so nothing more may be said there than before.
    pub(crate) fn anonymize_members(&self, handles: &str) -> Result<()> {
        let is_theirs = format!(
            "EXISTS (SELECT 1 FROM entity_channels h
                      WHERE h.id IN (SELECT value FROM json_each(?1))
                        AND h.channel_type = channel_members.channel_type COLLATE NOCASE
                        AND channel_members.handle COLLATE NOCASE IN (h.channel_handle, '{NAME_ONLY}' || h.display_name))"
        );
        // Whoever left would replace a stranger who is there.
        self.tx.conn.execute(&format!("DELETE FROM channel_members WHERE is_in = 0 AND {is_theirs}"), params![handles])?;
        self.tx.conn.execute(
            &format!("UPDATE OR REPLACE channel_members SET handle = ?2 WHERE {is_theirs}"),
            params![handles, STRANGER],
        )?;
        Ok(())
    }
}
