//! The list of chats: first the whole list, then every minute the chats with news.
//!
//! The program sorts and pages the list by the time of the last activity in each chat. Not in this module: the messages of the
//! chats (`reader`).

use keepsake_domain::{Timestamp, Visibility};
use keepsake_importers::simplex_api::{Chat, ChatInfo, time, written_time};
use tokio::time::Instant;

use super::position::Stage;
use super::reader::{CHATS_MAX, FOUND_MAX, Known, PAGE, REFRESH, Reader};
use super::wire::{Chats, Preview};
use crate::contract::{Fault, FoundChannel};
use crate::link::Link;

/// The time by which a chat is sorted in the list.
fn active(preview: Option<&Preview>) -> Option<Timestamp> {
    time(preview?.chat_info.active()?)
}

/// The time before which the next page lies; `None` at the end of the list. Chats with the same millisecond as the last one are
/// requested again, because the page may have ended between them.
fn next(last: Option<Timestamp>, before: Option<Timestamp>) -> Option<Timestamp> {
    let last = last?;
    let inclusive = Timestamp(last.0.saturating_add(1));
    match before {
        Some(before) if last >= before => None,
        Some(before) if inclusive >= before => Some(last),
        _ => Some(inclusive),
    }
}

impl Reader {
    /// Requests one page of the list of chats, the most recent ones first.
    async fn chats(&mut self, before: Option<Timestamp>) -> Result<Chats, Fault> {
        let user = self.roster.user().user_id;
        let place = before.map_or_else(String::new, |before| format!("before={} ", written_time(before)));
        let query = r#"{"type":"filters","favorite":false,"unread":false}"#;
        let command = format!("/_get chats {user} {place}count={PAGE} {query}");
        let chats = self.command(&command).await?.read(&command)?;
        chats.ok_or_else(|| Fault::protocol("SimpleX does not list its chats. Version 6 or newer is needed."))
    }

    /// Lists all chats. They are reported to `link` in parts if there is one, and returned otherwise.
    pub(super) async fn survey(&mut self, link: Option<&Link>) -> Result<Vec<FoundChannel>, Fault> {
        let mut all = Vec::new();
        let mut before = None;
        self.top = None;
        loop {
            let page = self.chats(before).await?;
            self.top = self.top.or(active(page.chats.first()));
            for preview in &page.chats {
                all.extend(self.name(&preview.chat_info));
            }
            if let Some(link) = link.filter(|_| all.len() >= FOUND_MAX) {
                link.found(std::mem::take(&mut all)).await?;
            }
            before = next(active(page.chats.last()), before);
            if before.is_none() || self.known.len() >= CHATS_MAX {
                break;
            }
        }
        if let Some(link) = link.filter(|_| !all.is_empty()) {
            link.found(std::mem::take(&mut all)).await?;
        }
        Ok(all)
    }

    /// Looks for chats with activity that no event reported.
    pub(super) async fn refresh(&mut self, link: &Link) -> Result<(), Fault> {
        self.refresh_at = Instant::now() + REFRESH;
        let seen = self.top;
        let mut before = None;
        let mut found = Vec::new();
        loop {
            let page = self.chats(before).await?;
            if before.is_none() {
                self.top = active(page.chats.first());
            }
            for preview in &page.chats {
                found.extend(self.name(&preview.chat_info));
                self.compare(preview);
            }
            let last = active(page.chats.last());
            before = next(last, before);
            if before.is_none() || last < seen {
                break;
            }
        }
        if !found.is_empty() {
            link.found(found).await?;
        }
        Ok(())
    }

    /// Schedules a chat for reading if its last item differs from the last one that was read.
    fn compare(&mut self, preview: &Preview) {
        let Some(chat) = Chat::of(&preview.chat_info) else { return };
        let Some(track) = self.tracks.get_mut(chat.id()) else { return };
        track.is_gone = false;
        let newest = preview.chat_items.last().map(|row| row.meta.item_id);
        if track.stage == Stage::Level && newest.is_some() && newest != track.position.newest.map(|mark| mark.row) {
            track.stage = track.position.first_stage();
        }
    }

    /// Records a chat. Returns the chat if it is new, or if its name or number of members changed.
    pub(super) fn name(&mut self, info: &ChatInfo) -> Option<FoundChannel> {
        self.roster.learn(info);
        let chat = Chat::of(info)?;
        let before = self.known.get(chat.id());
        if before.is_none() && self.known.len() >= CHATS_MAX {
            return None;
        }
        let known = Known {
            reference: chat.reference().to_owned(),
            title: chat.title().to_owned(),
            // Events do not always contain the number of members.
            member_count: chat.member_count().or_else(|| before?.member_count),
        };
        if before == Some(&known) {
            return None;
        }
        let found = FoundChannel {
            id: chat.id().to_owned(),
            title: known.title.clone(),
            member_count: known.member_count,
            is_encrypted: true,
            visibility: Visibility::Private,
            continues: None,
        };
        self.known.insert(found.id.clone(), known);
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_goes_back_and_ends_even_if_a_page_has_one_time() {
        for (last, before, expect) in [
            (Some(50), None, Some(51)),
            (Some(50), Some(80), Some(51)),
            (Some(50), Some(51), Some(50)),
            (Some(50), Some(50), None),
            (Some(90), Some(50), None),
            (None, Some(50), None),
        ] {
            assert_eq!(next(last.map(Timestamp), before.map(Timestamp)), expect.map(Timestamp), "{last:?} {before:?}");
        }
    }
}
