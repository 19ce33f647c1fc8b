//! The table of formats: how each is recognized, checked and read. A single-file format is recognized by the file's beginning,
//! a multi-file format by its paths, and a database by its tables.
//!
//! The formats of assistants, WhatsApp and transcripts predate this table; `sniff` and `open` handle them.

use crate::format::Format;
use crate::{
    basic_memory, chatgpt_memories, copilot_chat, cursor, discord, email, google_chat, imessage, jan, librechat, line, lm_studio,
    matrix, mem0, mempalace, meta, obsidian, open_webui, signal, simplex, slack, teams, telegram, wechat, zed,
};

/// Every format in the table. If several match a file, the first one is used.
pub(crate) const FORMATS: &[Format] = &[
    basic_memory::FORMAT,
    chatgpt_memories::PAGE,
    chatgpt_memories::WRITTEN,
    copilot_chat::LOG,
    copilot_chat::SESSION,
    cursor::DATABASE,
    cursor::MARKDOWN,
    discord::EXPORTER,
    discord::PACKAGE,
    email::DOCUMENT,
    email::MAILDIR,
    email::MAILS,
    google_chat::FORMAT,
    imessage::IMESSAGE,
    jan::FORMAT,
    librechat::FORMAT,
    line::LINE,
    lm_studio::FORMAT,
    matrix::FORMAT,
    mem0::FORMAT,
    mem0::HISTORY,
    mempalace::CHROMA,
    mempalace::EXACT,
    mempalace::FACTS,
    mempalace::LINES,
    mempalace::PAGES,
    meta::INSTAGRAM_FILE,
    meta::INSTAGRAM_FOLDER,
    meta::MESSENGER_ENCRYPTED,
    meta::MESSENGER_FILE,
    meta::MESSENGER_FOLDER,
    obsidian::FORMAT,
    open_webui::FORMAT,
    signal::SIGNAL,
    signal::DESKTOP,
    signal::EXPORTED,
    signal::FOLDER,
    signal::PAGE,
    simplex::SIMPLEX,
    slack::FORMAT,
    teams::FORMAT,
    telegram::FORMAT,
    wechat::SHARED,
    wechat::WECHAT,
    zed::DATABASE,
    zed::TEXT_THREAD,
];

/// Formats that cannot be recognized, because the file looks like any other text. A file is read in such a format only if the
/// person specifies its kind.
pub(crate) const NAMED_BY_PERSON: &[Format] = &[chatgpt_memories::COPIED, wechat::DATED];
