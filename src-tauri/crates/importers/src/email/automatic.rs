//! Recognizes mail that nobody wrote to particular people: mail from mailing lists, newsletters, and mail sent by programs.

use mail_parser::Message;

use super::envelope::{Address, text_of};

/// Beginnings of addresses that no person writes from, without punctuation between the words.
const NOBODY: &[&str] = &[
    "noreply", "donotreply", "nepasrepondre", "mailerdaemon", "postmaster", "bounce", "notification", "notify", "newsletter",
    "mailer", "automated", "nichtantworten", "noresponder",
];

/// Why an email does not count as a person's words.
#[derive(Debug, Default)]
pub(super) struct Automatic {
    /// The mailing list that it came through.
    pub(super) list: Option<String>,
    /// What shows that a program sent it.
    pub(super) program: Option<String>,
}

impl Automatic {
    /// Examines the header of an email.
    pub(super) fn of(header: &Message<'_>, from: &Address, is_report: bool) -> Self {
        let text = |name: &'static str| text_of(header, name).filter(|text| !text.trim().is_empty());
        let precedence = text("Precedence").map(|text| text.trim().to_ascii_lowercase());
        let is_bulk = precedence.as_deref().is_some_and(|text| matches!(text, "bulk" | "list" | "junk"));
        let list = ["List-Id", "List-Post", "List-Unsubscribe", "Newsgroups"].into_iter().find_map(text);
        let list = list.or(precedence.filter(|_| is_bulk));
        let is_auto = |text: &String| !text.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("no");
        let local: String = from.handle.split('@').next().unwrap_or_default().chars().filter(|c| c.is_alphanumeric()).collect();
        let local = local.to_ascii_lowercase();
        let program = if let Some(kind) = text("Auto-Submitted").filter(is_auto) {
            Some(kind.trim().to_owned())
        } else if is_report {
            Some("report".to_owned())
        } else if text_of(header, "Return-Path").is_some_and(|text| text.trim() == "<>") {
            Some("no return path".to_owned())
        } else if ["X-Autoreply", "X-Autorespond", "Feedback-ID"].into_iter().any(|name| text(name).is_some()) {
            Some("sent by a program".to_owned())
        } else if NOBODY.iter().any(|nobody| local.starts_with(nobody)) {
            Some("no reply".to_owned())
        } else {
            None
        };
        Self { list: list.map(|list| list.trim().chars().take(200).collect()), program }
    }

    /// Whether the email is from a mailing list or a program.
    pub(super) fn is(&self) -> bool {
        self.list.is_some() || self.program.is_some()
    }
}
