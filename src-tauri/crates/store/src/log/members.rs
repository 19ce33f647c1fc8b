//! Who can read a channel, including people who never spoke. Live sources report the current members. Exports say who joined
//! and left, and when.
//!
//! Membership can only narrow what may be shown in the channel, so anyone who might be a member is treated as a member.

use keepsake_domain::{Channel, ChannelHandle, Timestamp};
use rusqlite::params;

use crate::Result;
use crate::areas::{Log, LogMut};
use crate::text::to_json;

/// Placeholder for a channel member whom the person erased. No handle has this form.
const STRANGER: &str = "(erased)";

/// Prefix of the name of a member for whom an export gives nothing but the name. No handle begins like this.
const NAME_ONLY: &str = "(name) ";

/// Someone who can read a channel.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Member {
    /// Known by this handle, folded.
    Handle(String),
    /// Known only by this name.
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

/// The event that someone joined or left a channel, according to an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberMove {
    /// The person who joined or left.
    pub member: Member,
    /// When it happened. A list of members does not say when they joined; their time is the earliest possible one.
    pub at: Timestamp,
    /// Whether the person is a member from then on.
    pub is_in: bool,
}

impl Log<'_> {
    /// Everyone who can read each channel, according to its source.
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
    /// Replaces the list of people who can read a channel. Called for live sources, which know all members.
    pub fn set_channel_members(&self, channel_type: &str, channel_id: &str, members: &[ChannelHandle]) -> Result<()> {
        let handles: Vec<String> = members.iter().map(|member| member.folded().handle).collect();
        let json = to_json("members", &handles)?;
        // Write only changes, because each change causes everyone's view to be recomputed.
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

    /// Records who joined and left a channel, according to an export. The latest change of each member applies, so exports may
    /// come in any order. Channels whose members a live source reports are skipped, and so are channels without any stored
    /// conversation.
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

    /// Deletes the members known from exports for channels that no longer have any stored conversation.
    pub(crate) fn forget_members_of_empty_channels(&self) -> Result<()> {
        self.tx.conn.execute(
            "DELETE FROM channel_members WHERE moved_at_ms IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM conversations c WHERE c.channel_type = channel_members.channel_type
                                   AND c.channel_id = channel_members.channel_id)",
            [],
        )?;
        Ok(())
    }

    /// Replaces these handles, a JSON array of ids, with a placeholder wherever they are members of a channel. The members can
    /// still read the channel, so nothing more may be shown there than before.
    pub(crate) fn anonymize_members(&self, handles: &str) -> Result<()> {
        let is_theirs = format!(
            "EXISTS (SELECT 1 FROM entity_channels h
                      WHERE h.id IN (SELECT value FROM json_each(?1))
                        AND h.channel_type = channel_members.channel_type COLLATE NOCASE
                        AND channel_members.handle COLLATE NOCASE IN (h.channel_handle, '{NAME_ONLY}' || h.display_name))"
        );
        // Delete members who have left first. Otherwise, their rows would replace the placeholder of a member who is still
        // there.
        self.tx.conn.execute(&format!("DELETE FROM channel_members WHERE is_in = 0 AND {is_theirs}"), params![handles])?;
        self.tx.conn.execute(
            &format!("UPDATE OR REPLACE channel_members SET handle = ?2 WHERE {is_theirs}"),
            params![handles, STRANGER],
        )?;
        Ok(())
    }
}
