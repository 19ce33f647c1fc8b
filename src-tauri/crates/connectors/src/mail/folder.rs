//! Folders: their names in the protocol, their display names, and their uses.
//!
//! Not here: the command that lists them (`session`).

use async_imap::imap_proto::{MailboxListData, NameAttribute};
use keepsake_domain::Visibility;
use keepsake_importers::FolderUse;

use crate::contract::FoundChannel;

/// Maximum length of a folder name, in bytes. Servers allow about 255 characters.
const NAME_BYTES_MAX: usize = 1024;

/// A folder that can contain emails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Folder {
    /// Its name exactly as the server sends it, which is also its id.
    pub(super) id: String,
    /// Its display name.
    pub(super) title: String,
    /// The folder's special use, if that use means that its emails are not read.
    pub(super) folder_use: Option<FolderUse>,
}

impl Folder {
    /// Reads one entry of a folder list. Returns `None` if the folder contains no emails itself, or if its name cannot be sent.
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

    /// Converts the folder to a channel.
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

/// The name as a quoted string of the protocol; `None` if it cannot be quoted.
pub(super) fn quoted(name: &str) -> Option<String> {
    if name.contains(['\r', '\n', '\0']) {
        return None;
    }
    Some(format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"")))
}

/// A name without the backslash escapes of a quoted string, which the parser does not remove. Names sent as literals have no
/// escapes, so a name is only changed if all of its escapes are valid.
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

/// A name for display: `Entw&APw-rfe` is `Entwürfe` (RFC 3501, section 5.1.3). A malformed name is shown unchanged.
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

/// Decodes UTF-16 in base64 with a comma instead of the slash, and no padding.
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
