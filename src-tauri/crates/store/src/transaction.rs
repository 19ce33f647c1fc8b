//! The transactions in which all code of the store runs.
//!
//! Not here: how they begin and end (`open`), and what they read and write (`areas`).

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::Deref;

use rusqlite::Connection;

use crate::changes::Tag;
use crate::lifecycle::traces::Traces;

/// A consistent snapshot of the store.
#[derive(Debug)]
pub struct ReadTx<'c> {
    pub(crate) conn: &'c Connection,
}

/// A write transaction. It can also read everything that a [`ReadTx`] can.
#[derive(Debug)]
pub struct WriteTx<'c> {
    read: ReadTx<'c>,
    pub(crate) tags: RefCell<BTreeSet<Tag>>,
    /// Hashes of the content that this transaction erases, for detecting leftovers.
    pub(crate) traces: RefCell<Traces>,
}

impl<'c> Deref for WriteTx<'c> {
    type Target = ReadTx<'c>;

    fn deref(&self) -> &ReadTx<'c> {
        &self.read
    }
}

impl<'c> WriteTx<'c> {
    pub(crate) fn on(conn: &'c Connection) -> Self {
        Self { read: ReadTx { conn }, tags: RefCell::default(), traces: RefCell::default() }
    }

    /// Records that rows of this kind changed.
    pub(crate) fn touch(&self, tag: Tag) {
        self.tags.borrow_mut().insert(tag);
    }
}
