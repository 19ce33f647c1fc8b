//! Finds the handle that a mention refers to.
//!
//! A mention counts only if exactly one handle matches: "@mara" on a channel with two people of that name refers to nobody.

use std::collections::HashMap;

use super::reader::Known;
use super::statement::Mention;
use super::words::clean;

/// Finds the handle that a mention refers to.
pub(super) struct Resolver<'r> {
    by_address: HashMap<&'r str, Vec<u32>>,
    by_local: HashMap<&'r str, Vec<u32>>,
    by_name: HashMap<String, Vec<u32>>,
}

impl<'r> Resolver<'r> {
    pub(super) fn new(known: &'r [Known]) -> Self {
        let mut resolver = Self { by_address: HashMap::new(), by_local: HashMap::new(), by_name: HashMap::new() };
        for (at, known) in known.iter().enumerate() {
            let at = at as u32;
            resolver.by_address.entry(known.address.folded.as_str()).or_default().push(at);
            if let Some(local) = &known.address.local {
                resolver.by_local.entry(local.as_str()).or_default().push(at);
            }
            for name in &known.record.names {
                resolver.by_name.entry(clean(name).to_lowercase()).or_default().push(at);
            }
        }
        resolver
    }

    /// The only matching handle; `None` if there is none or more than one.
    pub(super) fn resolve(&self, mention: &Mention, known: &[Known], by: u32) -> Option<u32> {
        let folded = clean(&mention.handle).to_lowercase();
        let bare = folded.strip_prefix('@').unwrap_or(&folded);
        let fits = |at: &&u32| {
            let channel = known.get(**at as usize).map(|known| known.record.channel_type.to_lowercase());
            **at != by && mention.channel.is_none_or(|named| channel.is_some_and(|channel| is_channel(&channel, named)))
        };
        let only = |found: Option<&Vec<u32>>| -> Option<Option<u32>> {
            let mut found = found?.iter().filter(fits);
            let first = *found.next()?;
            Some(found.next().is_none().then_some(first))
        };
        let has_server = bare.contains([':', '@']);
        // A whole address is tried first; then, if the channel was named, the part before the server or a display name. The
        // search stops at an ambiguous match.
        only(self.by_address.get(bare))
            .or_else(|| only(self.by_local.get(bare)).filter(|_| !has_server && mention.channel.is_some()))
            .or_else(|| only(self.by_name.get(bare)).filter(|_| mention.channel.is_some()))
            .flatten()
    }
}

/// True if a handle is on the named channel.
pub(super) fn is_channel(channel: &str, named: &str) -> bool {
    channel == named
        || (named == "mastodon" && matches!(channel, "fediverse" | "activitypub"))
        || (named == "xmpp" && channel == "jabber")
}
