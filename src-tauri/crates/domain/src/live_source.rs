//! Live sources: accounts and endpoints that deliver messages as they are sent.
//!
//! Not in this module: the protocols (`connectors`), and watched folders (`engine::ingest`).

use crate::memory::names;

names! {
    /// The protocol or program of a live source.
    pub enum LiveSourceKind {
        /// A Matrix account.
        Matrix = "matrix",
        /// A mailbox, read over IMAP.
        Mail = "mail",
        /// A SimpleX program on this computer.
        Simplex = "simplex",
        /// Other programs send messages in Keepsake JSONL.
        Webhook = "webhook",
    }
}

names! {
    /// What the person chose for a channel of a live source: a room, a folder or a chat.
    pub enum ChannelChoice {
        /// Nothing is stored until the person has chosen.
        Ask = "ask",
        /// Its messages are stored.
        Remember = "remember",
        /// Nothing is stored.
        Ignore = "ignore",
    }
}
