//! Files with one email each (`.eml`, and `.emlx` of Apple Mail), anywhere in a folder or archive. They are read together, so
//! that each conversation is emitted in one piece.

use super::gather;
use super::mail::Mailbox;
use super::place::Place;
use crate::files::Files;
use crate::halt::Halt;
use crate::out::Out;

/// Which files are emails, by their file name extensions.
pub(super) fn claims(paths: &[&str]) -> Vec<usize> {
    let is_mail = |path: &str| {
        let ending = path.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
        matches!(ending.as_deref(), Some("eml" | "emlx"))
    };
    paths.iter().enumerate().filter(|(_, path)| is_mail(path)).map(|(at, _)| at).collect()
}

/// Reads the files.
pub(super) fn read(files: &mut Files<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut mailbox = Mailbox::default();
    for path in files.paths() {
        // Apple Mail keeps emails several levels below their folder, such as `Trash.mbox`.
        let apple = path.split('/').filter_map(|part| part.strip_suffix(".mbox"));
        let folder = path.rsplit('/').nth(1);
        let place = apple.chain(folder).map(Place::of_folder).fold(Place::default(), Place::or);
        let mail = files.read(&path, gather::one)?.unwrap_or_default();
        mailbox.take(&mail, place.or(mail.place), out)?;
        out.progress(files.bytes_done())?;
    }
    Ok(mailbox.finish(out)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_mails_are_claimed() {
        assert_eq!(claims(&["a.eml", "b/INBOX.mbox/1/2.partial.emlx", "c.EML", "d.eml.txt", "eml", "e.json"]), [0, 1, 2]);
    }
}
