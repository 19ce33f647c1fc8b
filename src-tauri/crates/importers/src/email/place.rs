//! What an email's folder, labels and flags say about it: whether it was sent or deleted, or is spam or a draft.
//!
//! Folders and Gmail's labels have names in the language of the account, so the usual names are listed here.

use crate::SkipReason;
use crate::identity::folded;

/// Why an email is not imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// In the trash, or marked to be removed.
    Deleted,
    /// Not sent.
    Draft,
    /// Spam.
    Spam,
    /// A chat that Gmail exports along with mail.
    Chat,
}

impl Fate {
    /// The matching reason for a skip.
    pub(super) const fn reason(self) -> SkipReason {
        match self {
            Self::Deleted => SkipReason::Deleted,
            Self::Draft => SkipReason::Draft,
            Self::Spam => SkipReason::Spam,
            Self::Chat => SkipReason::OtherKind,
        }
    }
}

/// What is known about an email from where it was found.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    /// The reason why it is not imported, if there is one.
    pub(super) fate: Option<Fate>,
    /// Whether the owner sent it.
    pub(super) is_sent: bool,
}

impl Place {
    /// A place with this fate.
    pub(super) const fn new(fate: Option<Fate>) -> Self {
        Self { fate, is_sent: false }
    }

    /// What the name of a folder says. A folder of sent mail says nothing, because people also keep other mail in it.
    pub(super) fn of_folder(name: &str) -> Self {
        let name = folded(name);
        // The folders of a Maildir are named `.INBOX.Trash`.
        let name = name.rsplit(['.', '/']).next().unwrap_or_default();
        Self::new(usual(name).and_then(|usual| usual.fate()))
    }

    /// What Gmail's labels say.
    pub(super) fn of_labels(labels: &[String]) -> Self {
        let usual: Vec<Usual> = labels.iter().filter_map(|label| usual(&folded(label))).collect();
        Self { fate: usual.iter().find_map(|usual| usual.fate()), is_sent: usual.contains(&Usual::Sent) }
    }

    /// Combines two places. `other` counts where this one says nothing.
    pub(super) fn or(self, other: Self) -> Self {
        Self { fate: self.fate.or(other.fate), is_sent: self.is_sent || other.is_sent }
    }
}

/// A usual folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Usual {
    Sent,
    Drafts,
    Spam,
    Trash,
    Chat,
}

impl Usual {
    const fn fate(self) -> Option<Fate> {
        match self {
            Self::Sent => None,
            Self::Drafts => Some(Fate::Draft),
            Self::Spam => Some(Fate::Spam),
            Self::Trash => Some(Fate::Deleted),
            Self::Chat => Some(Fate::Chat),
        }
    }
}

fn usual(name: &str) -> Option<Usual> {
    NAMES.iter().find(|(_, names)| names.contains(&name)).map(|(usual, _)| *usual)
}

/// The usual names, in lower case: English, German, French, Spanish, Portuguese, Italian, Dutch, Swedish, Danish, Polish, Russian,
/// Turkish, Japanese and Chinese.
const NAMES: &[(Usual, &[&str])] = &[
    (
        Usual::Sent,
        &[
            "sent", "sent mail", "gesendet", "messages envoyés", "envoyés", "enviados", "enviadas", "e-mails enviados",
            "inviati", "posta inviata", "verzonden", "skickat", "sendt", "wysłane", "отправленные", "gönderilmiş postalar",
            "gönderilenler", "送信済みメール", "送信済み", "已发邮件", "寄件備份",
        ],
    ),
    (
        Usual::Drafts,
        &[
            "draft", "drafts", "entwurf", "entwürfe", "brouillon", "brouillons", "borrador", "borradores", "rascunho",
            "rascunhos", "bozza", "bozze", "concept", "concepten", "utkast", "kladde", "kladder", "wersje robocze", "черновики",
            "taslaklar", "下書き", "草稿",
        ],
    ),
    (
        Usual::Spam,
        &[
            "spam", "junk", "junk e-mail", "junk email", "bulk mail", "junk-e-mail", "courrier indésirable", "indésirables",
            "correo no deseado", "lixo eletrônico", "posta indesiderata", "ongewenste e-mail", "skräppost", "uønsket post",
            "спам", "迷惑メール", "垃圾邮件", "垃圾郵件",
        ],
    ),
    (
        Usual::Trash,
        &[
            "trash", "bin", "deleted", "deleted items", "deleted messages", "papierkorb", "gelöschte elemente",
            "gelöschte objekte", "corbeille", "éléments supprimés", "papelera", "elementos eliminados", "lixeira",
            "itens excluídos", "cestino", "posta eliminata", "prullenbak", "verwijderde items", "papperskorgen",
            "borttagna objekt", "papirkurv", "slettet post", "kosz", "корзина", "удаленные", "çöp kutusu", "ゴミ箱",
            "已删除邮件", "垃圾桶",
        ],
    ),
    (Usual::Chat, &["chat", "chats"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_folders_are_known_in_every_layout() {
        let check = |name: &str, expect: Option<Fate>| assert_eq!(Place::of_folder(name).fate, expect, "{name}");
        check(".INBOX.Trash", Some(Fate::Deleted));
        check("Entwürfe", Some(Fate::Draft));
        check("Junk E-mail", Some(Fate::Spam));
        check("Sent", None);
        check("All mail Including Spam and Trash", None);
        let place = Place::of_labels(&["Opened".to_owned(), "Messages envoyés".to_owned()]);
        assert!(place.is_sent && place.fate.is_none());
    }
}
