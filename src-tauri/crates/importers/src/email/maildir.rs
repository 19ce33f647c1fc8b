//! Maildirs: a folder with `cur`, `new` and `tmp`, one file per message, and further Maildirs below it. A message's flags are
//! at the end of its file name (`…:2,RS`). Deliberately not here: the index files that servers keep beside them.

use super::gather::{self, Gathered};
use super::mail::Mailbox;
use super::place::{Fate, Place};
use crate::SkipReason;
use crate::files::Files;
use crate::halt::Halt;
use crate::out::Out;

/// Files that servers keep next to the emails, by the beginnings of their names.
const INDEXES: &[&str] = &["dovecot", "maildirsize", "maildirfolder", "subscriptions", "courier"];

/// Minimum number of digits in the time that an email's file name begins with: seconds since 1970.
const TIME_DIGITS_MIN: usize = 9;

/// Which files belong to a Maildir, if it contains emails itself: all emails in and below it, and the indexes of servers.
pub(super) fn claims(paths: &[&str]) -> Vec<usize> {
    if !paths.iter().any(|path| is_mail(path) && path.matches('/').count() == 1) {
        return Vec::new();
    }
    let is_index = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        path.matches('/').count() <= 1 && INDEXES.iter().any(|index| name.starts_with(index))
    };
    paths.iter().enumerate().filter(|(_, path)| is_mail(path) || is_index(path)).map(|(at, _)| at).collect()
}

/// Whether this is the path of an email in a Maildir.
fn is_mail(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let (Some(name), Some(folder)) = (parts.next(), parts.next()) else { return false };
    let digits = name.bytes().take_while(u8::is_ascii_digit).count();
    let rest = name.get(digits..).unwrap_or_default();
    let is_name = digits >= TIME_DIGITS_MIN && rest.starts_with('.') && (rest.matches('.').count() >= 2 || flags(name).is_some());
    matches!(folder, "cur" | "new" | "tmp") && is_name
}

/// The flags at the end of an email's file name. Systems that forbid the colon use another character instead.
fn flags(name: &str) -> Option<&str> {
    let (before, flags) = name.rsplit_once("2,")?;
    let is_mark = before.ends_with([':', ';', '!', '_', '-', '\u{f03a}']);
    (is_mark && flags.bytes().all(|b| b.is_ascii_alphabetic())).then_some(flags)
}

/// Reads a Maildir.
pub(super) fn read(files: &mut Files<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut mailbox = Mailbox::default();
    for path in files.paths() {
        let mut parts = path.rsplit('/');
        let (Some(name), Some(folder)) = (parts.next(), parts.next()) else { continue };
        if !is_mail(&path) {
            continue;
        }
        // An email that was still being delivered.
        if folder == "tmp" {
            out.skip(SkipReason::NotAMessage, &path);
            continue;
        }
        let flags = flags(name).unwrap_or_default();
        let by_flags = match flags {
            flags if flags.contains('T') => Some(Fate::Deleted),
            flags if flags.contains('D') => Some(Fate::Draft),
            _ => None,
        };
        let place = Place::new(by_flags).or(Place::of_folder(parts.next().unwrap_or_default()));
        let mut mail: Gathered = files.read(&path, gather::one)?.unwrap_or_default();
        // Servers end every email with a line break.
        mail.is_cut |= mail.has_open_end;
        mailbox.take(&mail, place, out)?;
        out.progress(files.bytes_done())?;
    }
    Ok(mailbox.finish(out)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_files_of_a_maildir_are_claimed() {
        let mail = "cur/1767225600.M1P2.host:2,S";
        let claimed = claims(&[mail, "new/1767225601.M1P2.host", ".Sent/cur/1767225602.host!2,FS", "dovecot.index", "notes.txt"]);
        assert_eq!(claimed, [0, 1, 2, 3]);
        for path in
            ["new/20260101.txt", "cur/notes.txt", "cur/1767225600.json", "1767225600.M1.host:2,", "old/1767225600.M1.h:2,"]
        {
            assert!(claims(&[path]).is_empty(), "{path}");
        }
        assert!(claims(&["mail/cur/1767225600.M1P2.host:2,S"]).is_empty(), "it is found at its own folder");
        assert_eq!(flags("1.M1.host,S=3:2,RST"), Some("RST"));
        assert_eq!(flags("1.M1.host,S=32,1"), None);
    }
}
