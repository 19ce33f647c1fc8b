//! Recognizes the phrases that WhatsApp itself writes into an export, in its most common languages.
//!
//! No list is needed if the format is enough to recognize them (`<…>` alone on a line on Android, a leading mark on iPhones).

use super::header::is_mark;

/// The kind of text that WhatsApp wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Platform {
    /// A placeholder for a photo or file.
    Media,
    /// A notice that the message was deleted.
    Deleted,
    /// A poll.
    Poll,
}

const MEDIA: &[&str] = &[
    "media omitted",
    "image omitted",
    "video omitted",
    "video note omitted",
    "audio omitted",
    "sticker omitted",
    "gif omitted",
    "document omitted",
    "contact card omitted",
    "medien ausgeschlossen",
    "bild weggelassen",
    "video weggelassen",
    "videonachricht weggelassen",
    "audio weggelassen",
    "sticker weggelassen",
    "gif weggelassen",
    "dokument weggelassen",
    "kontaktkarte ausgelassen",
    "multimedia omitido",
    "imagen omitida",
    "video omitido",
    "vídeo omitido",
    "audio omitido",
    "sticker omitido",
    "gif omitido",
    "documento omitido",
    "tarjeta de contacto omitida",
    "médias omis",
    "image absente",
    "vidéo absente",
    "audio omis",
    "sticker omis",
    "gif retiré",
    "document manquant",
    "fiche contact omise",
    "media omessi",
    "immagine omessa",
    "video omesso",
    "audio omesso",
    "sticker non incluso",
    "gif esclusa",
    "documento omesso",
    "scheda contatto omessa",
    "mídia oculta",
    "arquivo de mídia oculto",
    "imagem ocultada",
    "imagem omitida",
    "áudio ocultado",
    "áudio omitido",
    "figurinha omitida",
    "ficheiro não revelado",
    "media weggelaten",
    "afbeelding weggelaten",
    "video weggelaten",
    "audio weggelaten",
    "sticker weggelaten",
    "gif weggelaten",
    "document weggelaten",
    "contactkaart weggelaten",
    "bild utelämnad",
    "billede udeladt",
    "bilde utelatt",
    "pominięto obraz",
    "görüntü dahil edilmedi",
    "изображение отсутствует",
    "null",
];

const DELETED: &[&str] = &[
    "this message was deleted", "you deleted this message", "diese nachricht wurde gelöscht", "du hast diese nachricht gelöscht",
    "se eliminó este mensaje", "este mensaje fue eliminado", "eliminaste este mensaje", "ce message a été supprimé",
    "vous avez supprimé ce message", "questo messaggio è stato eliminato", "hai eliminato questo messaggio", "mensagem apagada",
    "esta mensagem foi apagada", "você apagou esta mensagem", "apagou esta mensagem", "dit bericht is verwijderd",
    "dit bericht werd verwijderd", "je hebt dit bericht verwijderd", "u hebt dit bericht verwijderd",
    "det här meddelandet raderades", "du raderade det här meddelandet",
];

const POLLS: &[&str] = &["poll:", "umfrage:", "encuesta:", "sondage :", "sondage:", "sondaggio:", "enquete:", "omröstning:"];

/// Parts of the notice about encryption, and of "waiting for this message", which replaces a message that could not be decrypted.
const STANDARD: &[&str] = &[
    "end-to-end encrypted", "ende-zu-ende-verschlüsselt", "cifrados de extremo a extremo", "cifradas de extremo a extremo",
    "chiffrés de bout en bout", "crittografati end-to-end", "crittografia end-to-end", "criptografia de ponta a ponta",
    "encriptadas ponto a ponto", "end-to-end versleuteld", "waiting for this message",
];

const EDITED: &[&str] = &[
    "<this message was edited>", "<diese nachricht wurde bearbeitet>", "<diese nachricht wurde bearbeitet.>",
    "<se editó este mensaje>", "<se editó este mensaje.>", "<ce message a été modifié>", "<questo messaggio è stato modificato>",
    "<mensagem editada>", "<dit bericht is bewerkt>", "(edited)",
];

/// The word "group" in languages whose notices about a new group quote its subject.
const GROUP_WORDS: &[&str] = &["group", "gruppe", "grupo", "groupe", "gruppo", "groep", "grupp"];

/// File extensions of attachments.
const FILE_ENDINGS: &[&str] = &[
    "jpg", "jpeg", "png", "gif", "webp", "heic", "mp4", "mov", "3gp", "opus", "ogg", "m4a", "mp3", "aac", "pdf", "vcf", "docx",
    "xlsx", "pptx", "txt", "zip",
];

/// The invisible mark that iPhones put before text written by the program.
pub(crate) const MARK: char = '\u{200e}';

/// The separator between the name of a document and its number of pages.
const BEFORE_PAGES: char = '•';

/// The beginnings of the addresses of shared places.
const PLACES: &[&str] = &["https://maps.google.com/?q=", "https://foursquare.com/v/"];

/// Maximum length of a contact name, including decoration. If more text precedes the colon, the line is a notice.
const NAME_CHARS_MAX: usize = 80;

fn plain(text: &str) -> String {
    text.chars().filter(|c| !is_mark(*c)).collect::<String>().trim().to_lowercase()
}

/// The kind of text, if WhatsApp wrote all of `text`.
pub(crate) fn platform_text(text: &str) -> Option<Platform> {
    // WhatsApp's phrases are short. Long text is always written by people.
    let head: String = text.lines().next().unwrap_or_default().chars().take(300).collect();
    let line = plain(&head);
    if POLLS.contains(&line.as_str()) && text.contains('\n') {
        return Some(Platform::Poll);
    }
    if text.trim_end().contains('\n') {
        return None;
    }
    let bare = line.trim_end_matches('.');
    let inner = bare.strip_prefix('<').and_then(|bare| bare.strip_suffix('>'));
    // On Android, a line that contains only text in angle brackets is a placeholder, in every language.
    if inner.is_some_and(|inner| (3..=60).contains(&inner.chars().count()) && !inner.contains(['<', '>', '/', '='])) {
        return Some(Platform::Media);
    }
    if MEDIA.contains(&bare) {
        Some(Platform::Media)
    } else if DELETED.contains(&bare) {
        Some(Platform::Deleted)
    } else {
        None
    }
}

/// The words before the placeholder or file that iPhones put at the end of `text`, after their mark, along with the file name
/// if there is one. A document's name and number of pages, which come before its placeholder, are not part of the words.
fn before_mark(text: &str) -> Option<(Option<&str>, &str)> {
    let (before, tail) = text.trim_end().rsplit_once(MARK)?;
    let words = before.trim_matches(|c: char| is_mark(c) || c.is_whitespace());
    if let Some(name) = named_file(tail.trim()) {
        return Some((Some(name), words));
    }
    if !MEDIA.contains(&plain(tail).trim_end_matches('.')) {
        return None;
    }
    let name = words.split(BEFORE_PAGES).next().unwrap_or(words).trim_end();
    let is_name = !words.contains('\n') && has_file_ending(name);
    Some(if is_name { (Some(name), "") } else { (None, words) })
}

/// True for a shared place, which WhatsApp writes as a sentence with a map address.
pub(crate) fn is_place(text: &str) -> bool {
    let url = text.split_once(": ").map_or("", |(_, url)| url);
    PLACES.iter().any(|place| url.starts_with(place)) && !url.contains(char::is_whitespace)
}

fn has_file_ending(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, ending)| FILE_ENDINGS.contains(&ending.to_lowercase().as_str()))
}

/// True for a standard notice, which says nothing about this chat.
pub(crate) fn is_standard(text: &str) -> bool {
    let text = plain(text);
    STANDARD.iter().any(|phrase| text.contains(phrase))
}

/// The file name, if given, and the caption of a message with a file.
pub(crate) fn attachment(text: &str) -> Option<(Option<&str>, &str)> {
    before_mark(text).or_else(|| {
        let (line, caption) = text.split_once('\n').unwrap_or((text, ""));
        let line = line.trim_matches(|c: char| is_mark(c) || c.is_whitespace());
        // Android: "IMG-20260105-WA0001.jpg (file attached)"
        let android = || line.strip_suffix(')')?.rsplit_once(" (").filter(|(_, note)| note.chars().count() <= 30);
        let name = named_file(line).or_else(|| android().map(|(name, _)| name).filter(|name| has_file_ending(name)))?;
        Some((Some(name), caption.trim()))
    })
}

/// The name in the text that iPhones write for a file: "<attached: 0001-PHOTO.jpg>".
fn named_file(text: &str) -> Option<&str> {
    let (_, name) = text.strip_prefix('<')?.strip_suffix('>')?.split_once(": ")?;
    has_file_ending(name).then_some(name)
}

/// `text` without the "edited" mark at its end, or `None` if there is no such mark.
pub(crate) fn without_edited_mark(text: &str) -> Option<&str> {
    let trimmed = text.trim_end_matches(|c: char| is_mark(c) || c.is_whitespace());
    let open = trimmed.rfind(['<', '('])?;
    let (words, mark) = trimmed.split_at(open);
    EDITED.contains(&plain(mark).as_str()).then(|| words.trim_end_matches(|c: char| is_mark(c) || c.is_whitespace()))
}

/// The group's subject, if `notice` says that a group was created.
pub(crate) fn created_group(notice: &str) -> Option<&str> {
    let lower = notice.to_lowercase();
    if !GROUP_WORDS.iter().any(|word| lower.contains(word)) {
        return None;
    }
    let mut quoted = notice.split(['"', '“', '”', '„', '«', '»']);
    let subject = quoted.nth(1)?.trim();
    // A notice about a changed subject quotes two subjects.
    let has_another = quoted.nth(1).is_some_and(|another| !another.trim().is_empty());
    (!subject.is_empty() && !has_another).then_some(subject)
}

/// The name and text of `rest`, or `None` for a notice.
pub(crate) fn split_author(rest: &str) -> Option<(&str, &str)> {
    let (name, text) = match rest.split_once(": ") {
        Some(split) => split,
        None => (rest.strip_suffix(':')?, ""),
    };
    let trimmed = name.trim_matches(|c: char| is_mark(c) || c.is_whitespace());
    let trimmed = trimmed.strip_prefix('~').unwrap_or(trimmed).trim_start_matches(|c: char| is_mark(c) || c.is_whitespace());
    // A colon inside a quoted subject belongs to a notice.
    let opens_quote = trimmed.matches('"').count() % 2 == 1 || trimmed.contains(['“', '„', '«']);
    let is_name = !trimmed.is_empty() && !opens_quote && trimmed.chars().count() <= NAME_CHARS_MAX;
    is_name.then_some((trimmed, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_whatsapp_wrote_is_told_from_what_people_wrote() {
        for (text, wanted) in [
            ("<Media omitted>", Some(Platform::Media)),
            ("<Medien ausgeschlossen>", Some(Platform::Media)),
            ("\u{200e}imagen omitida", Some(Platform::Media)),
            ("This message was deleted.", Some(Platform::Deleted)),
            ("\u{200e}Du hast diese Nachricht gelöscht.", Some(Platform::Deleted)),
            ("POLL:\nWhere to?\nOPTION: Rome (2 votes)", Some(Platform::Poll)),
            ("I had the image omitted from the book", None),
            ("<b>bold</b>", None),
            ("poll: who comes?", None),
            ("null and void", None),
        ] {
            assert_eq!(platform_text(text), wanted, "{text:?}");
        }
    }

    #[test]
    fn a_caption_before_a_placeholder_is_the_persons_and_the_name_of_a_document_is_not() {
        for (text, wanted) in [
            ("Plan.pdf • \u{200e}3 pages \u{200e}document omitted", Some((Some("Plan.pdf"), ""))),
            ("Plan.pdf • 1 Seite \u{200e}Dokument weggelassen", Some((Some("Plan.pdf"), ""))),
            ("Plan.pdf \u{200e}document omitted", Some((Some("Plan.pdf"), ""))),
            ("Look at\nthis! \u{200e}image omitted", Some((None, "Look at\nthis!"))),
            ("Our garden\n\u{200e}<attached: 0001-PHOTO.jpg>", Some((Some("0001-PHOTO.jpg"), "Our garden"))),
            // Without the mark, a person wrote it.
            ("Look at this! image omitted", None),
            ("I like tea \u{200e}<This message was edited>", None),
        ] {
            assert_eq!(attachment(text), wanted, "{text:?}");
        }
        assert!(is_place("\u{200e}Location: https://maps.google.com/?q=1.0,2.0"));
        assert!(!is_place("Look: https://maps.google.com/?q=1.0,2.0 is where I live"), "somebody wrote more than the place");
        assert!(!is_place("Look: https://example.org/?q=1.0,2.0"));
    }

    #[test]
    fn attachments_edits_groups_and_names() {
        assert_eq!(attachment("IMG-1.jpg (file attached)\nour garden"), Some((Some("IMG-1.jpg"), "our garden")));
        assert_eq!(attachment("\u{200e}<Anhang: 0001-PHOTO.jpg>"), Some((Some("0001-PHOTO.jpg"), "")));
        assert_eq!(attachment("see you (at ten)"), None);
        assert_eq!(without_edited_mark("I like tea \u{200e}<This message was edited>"), Some("I like tea"));
        assert_eq!(without_edited_mark("I like tea (a lot)"), None);
        assert_eq!(created_group("Ana created group \"Trip: Rome\""), Some("Trip: Rome"));
        assert_eq!(created_group("Ana hat die Gruppe „Wandern“ erstellt."), Some("Wandern"));
        assert_eq!(created_group("Ana changed the group name from \"A\" to \"B\""), None);
        assert_eq!(split_author("Ana: yes: no"), Some(("Ana", "yes: no")));
        assert_eq!(split_author("~\u{202f}Ana: hi"), Some(("Ana", "hi")));
        assert_eq!(split_author("\u{202a}+44 7700 900123\u{202c}: hi"), Some(("+44 7700 900123", "hi")));
        assert_eq!(split_author("Ana changed the subject to \"Trip: Rome\""), None);
        assert_eq!(split_author("Ana added Bo"), None);
    }
}
