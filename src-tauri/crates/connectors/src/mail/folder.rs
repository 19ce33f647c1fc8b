//! Folders: their names on the wire and for people, and what they are for.
//!
//! Not here: the command that lists them (`session`).

use async_imap::imap_proto::{MailboxListData, NameAttribute};
use keepsake_domain::Visibility;
use keepsake_importers::FolderUse;

use crate::contract::FoundChannel;

/// Longest name of a folder, in bytes. Servers allow about 255 characters.
const NAME_BYTES_MAX: usize = 1024;

/// A folder with mails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Folder {
    /// Its name as the server writes it, which is its id.
    pub(super) id: String,
    /// Its name for people.
    pub(super) title: String,
    /// What it is for, if no mail of it is wanted.
    pub(super) folder_use: Option<FolderUse>,
}

impl Folder {
    /// Reads a line of a list; `None` if it has no mails of its own, or a name that cannot be asked for.
    pub(super) fn of(listed: &MailboxListData<'_>) -> Option<Self> {
        let is_none = |attribute: &NameAttribute<'_>| match attribute {
            NameAttribute::NoSelect => true,
            NameAttribute::Extension(name) => name.eq_ignore_ascii_case("\\NonExistent"),
            _ => false,
        };
        if listed.name_attributes.iter().any(is_none) {
            return None;
        }
        let id = unescaped(&listed.name);
        if id.is_empty() || id.len() > NAME_BYTES_MAX || quoted(&id).is_none() {
            return None;
        }
        let folder_use = listed.name_attributes.iter().find_map(|attribute| match attribute {
            NameAttribute::Drafts => Some(FolderUse::Drafts),
            NameAttribute::Junk => Some(FolderUse::Junk),
            NameAttribute::Trash => Some(FolderUse::Trash),
            _ => None,
        });
        Some(Self { title: shown(&id), id, folder_use })
    }

    /// As a channel.
    pub(super) fn channel(&self) -> FoundChannel {
        FoundChannel {
            id: self.id.clone(),
            title: self.title.clone(),
            member_count: None,
            is_encrypted: false,
            visibility: Visibility::Private,
            continues: None,
        }
    }
}

/// The name in quotes, as it is sent; `None` if it cannot be sent so.
pub(super) fn quoted(name: &str) -> Option<String> {
    if name.contains(['\r', '\n', '\0']) {
        return None;
    }
    Some(format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"")))
}

/// A name without the marks that it has within quotes, which the parser leaves there. It also leaves names that came as literals as
/// they are, so only a name in which all marks make sense is changed.
fn unescaped(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    let mut chars = name.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(marked @ ('\\' | '"')) => plain.push(marked),
                _ => return name.to_owned(),
            },
            c => plain.push(c),
        }
    }
    plain
}

/// A name as people read it: `Entw&APw-rfe` is `Entwürfe` (RFC 3501, section 5.1.3). What is not well formed is shown as it is.
pub(super) fn shown(name: &str) -> String {
    decoded(name).unwrap_or_else(|| name.to_owned())
}

fn decoded(name: &str) -> Option<String> {
    let mut plain = String::with_capacity(name.len());
    let mut rest = name;
    while let Some((before, after)) = rest.split_once('&') {
        plain.push_str(before);
        let (code, after) = after.split_once('-')?;
        if code.is_empty() {
            plain.push('&');
        } else {
            plain.push_str(&utf16(code)?);
        }
        rest = after;
    }
    plain.push_str(rest);
    Some(plain)
}

/// Decodes the base64 of UTF-16 that has a comma for the slash, and no padding.
fn utf16(code: &str) -> Option<String> {
    let (mut bits, mut count, mut units) = (0_u32, 0, Vec::new());
    for byte in code.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b',' => 63,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(value)) & 0x00ff_ffff;
        count += 6;
        if count >= 16 {
            count -= 16;
            units.push(u16::try_from(bits >> count & 0xffff).ok()?);
        }
    }
    String::from_utf16(&units).ok().filter(|text| !text.chars().any(char::is_control))
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    #[test]
    fn names_are_shown_decoded() {
        for (name, expect) in [
            ("INBOX", "INBOX"),
            ("Entw&APw-rfe", "Entwürfe"),
            ("~peter/mail/&U,BTFw-/&ZeVnLIqe-", "~peter/mail/台北/日本語"),
            ("A &- B", "A & B"),
            ("&2D3cHQ-", "🐝"),
            // Broken.
            ("A & B", "A & B"),
            ("&!!!-", "&!!!-"),
            ("&2D0-", "&2D0-"),
            ("&AAo-", "&AAo-"),
        ] {
            assert_eq!(shown(name), expect, "{name}");
        }
    }

    #[test]
    fn a_name_is_asked_for_exactly_as_it_is_or_not_at_all() {
        let check = |wire: &str, attributes: Vec<NameAttribute<'static>>, expect: Option<(&str, Option<FolderUse>)>| {
            let listed = MailboxListData { name_attributes: attributes, delimiter: None, name: Cow::Borrowed(wire) };
            let found = Folder::of(&listed);
            assert_eq!(found.as_ref().map(|folder| (folder.id.as_str(), folder.folder_use)), expect, "{wire}");
        };
        check("a\\\"b\\\\c", Vec::new(), Some(("a\"b\\c", None)));
        check("a\\b", Vec::new(), Some(("a\\b", None)));
        check("x\r\nK9 DELETE y", Vec::new(), None);
        check("", Vec::new(), None);
        check("All", vec![NameAttribute::NoSelect], None);
        check("Gone", vec![NameAttribute::Extension(Cow::Borrowed("\\NonExistent"))], None);
        check("Papierkorb 2", vec![NameAttribute::Trash], Some(("Papierkorb 2", Some(FolderUse::Trash))));
        assert_eq!(quoted("a\"b\\c").as_deref(), Some("\"a\\\"b\\\\c\""));
    }
}
