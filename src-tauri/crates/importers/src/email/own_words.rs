//! Distinguishes the words of the person who wrote an email from all others in it: quotations with the line that announces
//! them, the history that programs put below an answer, forwarded mail, signatures and disclaimers.
//!
//! Structure is decisive, because the words differ by language and program: an announcement ends with a colon and has a date or
//! an address; a history begins with several lines `Name: value`, one of them a date. Words are listed only where there is no
//! other clue.

use super::plain::Line;
use super::subject::Subject;

/// What is known about the email besides its text.
#[derive(Debug, Default)]
pub(super) struct About {
    /// Its subject.
    pub(super) subject: Subject,
    /// The names and addresses of the recipients, in lower case.
    pub(super) names: Vec<String>,
    /// The name and address of its sender, in lower case.
    pub(super) sender: Vec<String>,
}

/// An email's text, split up.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Split {
    /// The sender's own words.
    pub(super) own: String,
    /// What they quoted.
    pub(super) quoted: String,
    /// Their signature and disclaimers.
    pub(super) signature: String,
    /// The email that they forwarded.
    pub(super) forward: Option<Forward>,
}

/// An email that was forwarded within another one.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Forward {
    /// Who wrote it, as written.
    pub(super) from: String,
    /// Its date, as written.
    pub(super) date: String,
    /// Its text.
    pub(super) text: String,
}

/// Who a line belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    Own,
    Quoted,
    Signature,
    Forward,
    Nobody,
}

/// Splits up the lines of an email.
pub(super) fn split(lines: &[Line], about: &About) -> Split {
    let mut whose = vec![Whose::Own; lines.len()];
    let forward = mark_history(lines, about, &mut whose);
    mark_quotations(lines, about, &mut whose);
    mark_signatures(lines, &mut whose);
    let of = |wanted: Whose| {
        let mut text = String::new();
        let mut was_other = false;
        for (line, whose) in lines.iter().zip(&whose) {
            if *whose != wanted {
                was_other = true;
                continue;
            }
            // Removed lines leave one empty line.
            let is_empty = line.text.trim().is_empty();
            if was_other && is_empty && (text.is_empty() || text.ends_with("\n\n")) {
                continue;
            }
            if was_other && !is_empty && !text.is_empty() && !text.ends_with("\n\n") {
                text.push('\n');
            }
            was_other &= is_empty;
            text.push_str(line.text.trim_end());
            text.push('\n');
        }
        text.trim_matches('\n').to_owned()
    };
    let passed_on = of(Whose::Forward);
    let forward = forward.map(|forward| Forward { text: passed_on, ..forward });
    Split { own: of(Whose::Own).trim().to_owned(), quoted: of(Whose::Quoted), signature: of(Whose::Signature), forward }
}

/// Number of lines that are searched for the rest of a header or announcement.
const HEADER_LINES_MAX: usize = 14;

/// Beginnings, in lower case, of words for "forwarded" in the lines before a forwarded email.
const FORWARDED: &[&str] = &[
    "forward", "weitergeleitet", "transfér", "reenviad", "encaminhad", "inoltrat", "doorgestuurd", "vidarebefordra",
    "videresend", "przekazan", "пересла", "пересыла", "iletilen", "转发", "轉寄", "転送",
];

/// The header of an earlier email, as programs write it into the text.
struct Header {
    /// The first line, including the separator before the header.
    start: usize,
    /// The first line after the header.
    end: usize,
    from: String,
    date: String,
    is_forward: bool,
}

/// Marks unquoted history: what follows an announcement or the header of an earlier email.
fn mark_history(lines: &[Line], about: &About, whose: &mut [Whose]) -> Option<Forward> {
    for (at, line) in lines.iter().enumerate() {
        if let Some(header) = header_at(lines, at, about) {
            let depth = line.depth;
            let is_part = |other: &Line| depth == 0 || other.depth >= depth || other.text.trim().is_empty();
            let end = lines.iter().skip(header.end).position(|other| !is_part(other)).map_or(lines.len(), |len| header.end + len);
            let kept = if header.is_forward { Whose::Forward } else { Whose::Quoted };
            let head = if header.is_forward { Whose::Nobody } else { Whose::Quoted };
            fill(whose, header.start, header.end, head);
            fill(whose, header.end, end, kept);
            let forward = Forward { from: header.from, date: header.date, text: String::new() };
            return header.is_forward.then_some(forward);
        }
        if let Some(start) = announced_history(lines, at, about) {
            fill(whose, start, lines.len(), Whose::Quoted);
            return None;
        }
    }
    None
}

fn fill(whose: &mut [Whose], start: usize, end: usize, value: Whose) {
    if let Some(part) = whose.get_mut(start..end) {
        part.fill(value);
    }
}

/// The header of an earlier email that begins in line `at`.
fn header_at(lines: &[Line], at: usize, about: &About) -> Option<Header> {
    let first = lines.get(at)?;
    labelled(&first.text)?;
    let mut fields: Vec<&str> = Vec::new();
    let mut end = at;
    for (offset, line) in lines.iter().skip(at).take(HEADER_LINES_MAX).enumerate() {
        if line.depth != first.depth {
            break;
        }
        match labelled(&line.text) {
            Some(value) => fields.push(value),
            // A long list of recipients continues in the next line.
            None if line.text.contains(['@', ';']) => continue,
            None => break,
        }
        end = at + offset + 1;
    }
    if fields.len() < 3 {
        return None;
    }
    let key = about.subject.key();
    let is_subject = |value: &str| !key.is_empty() && Subject::of(value).key() == key;
    let date = fields.iter().find(|value| has_date(value) && has_time(value) && !value.contains('@')).copied();
    let (start, lead) = lead(lines, at);
    // A person may also write such lines: "Place: barn". A header names two people, or one person and the subject.
    let is_known =
        |value: &str| value.contains('@') || is_subject(value) || has_name(value, &about.names) || has_name(value, &about.sender);
    let known = fields.iter().filter(|value| Some(**value) != date && is_known(value)).count();
    // Below a rule, a date is not needed: "Sent: Monday".
    let known_min = if date.is_none() || lead.is_empty() { 2 } else { 1 };
    if known < known_min || date.is_none() && lead.is_empty() {
        return None;
    }
    let from = fields.iter().find(|value| Some(**value) != date && !is_subject(value)).copied().unwrap_or_default();
    // A quotation may begin with a header of its own, which is not part of this email's history.
    let is_first_of_quotation = first.depth == 0 || at == 0 || lines.get(at - 1).is_some_and(|line| line.depth < first.depth);
    let says_forward = FORWARDED.iter().any(|word| lead.to_lowercase().contains(word));
    let is_forward = says_forward || about.subject.is_forward;
    let is_header = is_first_of_quotation && (first.depth == 0 || is_forward);
    is_header.then(|| Header { start, end, from: from.to_owned(), date: date.unwrap_or_default().to_owned(), is_forward })
}

/// The first line of the separator (dashes) or announcement that introduces the header in line `at`, and its text.
fn lead(lines: &[Line], at: usize) -> (usize, String) {
    let mut before = lines.iter().enumerate().take(at).rev().skip_while(|(_, line)| line.text.trim().is_empty());
    match before.next().filter(|(found, _)| at - found <= 3) {
        Some((found, line)) => {
            let text = line.text.trim();
            let is_rule =
                text.len() >= 5 && (text.starts_with("-----") || text.starts_with("_____") || text.starts_with("*****"));
            let is_announcement = text.ends_with([':', '：']) && FORWARDED.iter().any(|word| text.to_lowercase().contains(word));
            if is_rule || is_announcement { (found, text.to_owned()) } else { (at, String::new()) }
        }
        None => (at, String::new()),
    }
}

/// Maximum length, in characters, of a header field's name in the text, such as "Gesendet" or "Date d'envoi".
const LABEL_CHARS_MAX: usize = 20;

/// The value of a line `Name: value`, whose name may be bold (`*Name:*`).
fn labelled(text: &str) -> Option<&str> {
    let text = text.trim();
    let (label, value) = text.split_once([':', '：'])?;
    let label = label.trim_matches(|c: char| c == '*' || c.is_whitespace());
    let is_label = !label.is_empty()
        && label.chars().count() <= LABEL_CHARS_MAX
        && label.split_whitespace().count() <= 3
        && label.chars().all(|c| c.is_alphabetic() || matches!(c, ' ' | '-' | '\'' | '’' | '\u{a0}'));
    let value = value.trim_matches(|c: char| c == '*' || c.is_whitespace());
    (is_label && !value.starts_with("//")).then_some(value)
}

/// Marks quoted lines and their announcements.
fn mark_quotations(lines: &[Line], about: &About, whose: &mut [Whose]) {
    let mut was_quoted = false;
    for (at, line) in lines.iter().enumerate() {
        let is_open = whose.get(at) == Some(&Whose::Own);
        if line.depth > 0 && is_open {
            if !was_quoted && let Some(start) = announcement(lines, at, about) {
                for mark in whose.get_mut(start..at).unwrap_or_default() {
                    *mark = if *mark == Whose::Own { Whose::Quoted } else { *mark };
                }
            }
            fill(whose, at, at + 1, Whose::Quoted);
        }
        was_quoted = line.depth > 0 || was_quoted && line.text.trim().is_empty();
    }
}

/// Maximum number of lines of an announcement, which programs wrap.
const ANNOUNCEMENT_LINES_MAX: usize = 4;

/// Maximum number of lines from an announcement to its quotation.
const GAP_LINES_MAX: usize = 6;

/// Longest announcement, in bytes. A name and an address take about a hundred.
const ANNOUNCEMENT_BYTES_MAX: usize = 400;

/// The first line of the announcement of the quotation that begins in line `at`.
fn announcement(lines: &[Line], at: usize, about: &About) -> Option<usize> {
    let mut before = lines.iter().enumerate().take(at).rev().skip_while(|(_, line)| line.text.trim().is_empty());
    let (last, line) = before.next().filter(|(last, _)| at - last <= GAP_LINES_MAX)?;
    is_own_end(line).then_some(())?;
    announcement_of(lines, last, about, |text| has_date(text) || text.contains('@'))
}

/// Whether an unquoted line ends like an announcement.
fn is_own_end(line: &Line) -> bool {
    line.depth == 0 && line.text.trim_end().trim_end_matches('*').ends_with([':', '：'])
}

/// The first line of the announcement that ends in line `last`. `is_enough` returns whether text says who wrote the quotation
/// or when.
fn announcement_of(lines: &[Line], last: usize, about: &About, is_enough: impl Fn(&str) -> bool) -> Option<usize> {
    let mut text = String::new();
    let mut start = None;
    for (at, line) in lines.iter().enumerate().take(last + 1).rev().take(ANNOUNCEMENT_LINES_MAX) {
        if line.depth > 0 || line.text.trim().is_empty() || text.len() + line.text.len() > ANNOUNCEMENT_BYTES_MAX {
            break;
        }
        // A complete sentence before it belongs to the sender.
        if start.is_some() && !(has_date(&line.text) && has_time(&line.text) && !has_date(&text)) {
            break;
        }
        text = format!("{} {text}", line.text.trim());
        if is_enough(&text) || has_name(&text, &about.names) {
            start = Some(at);
        }
    }
    start
}

/// The first line of an announcement that ends in line `at`, if unmarked text follows it.
fn announced_history(lines: &[Line], at: usize, about: &About) -> Option<usize> {
    is_own_end(lines.get(at)?).then_some(())?;
    let next = lines.iter().skip(at + 1).find(|line| !line.text.trim().is_empty())?;
    if next.depth > 0 {
        return None;
    }
    announcement_of(lines, at, about, |text| text.contains('@')).filter(|start| {
        let text: Vec<&str> = lines.iter().take(at + 1).skip(*start).map(|line| line.text.as_str()).collect();
        let text = text.join(" ");
        has_date(&text) && has_time(&text)
    })
}

/// Whether `text` contains one of these names, as a word.
fn has_name(text: &str, names: &[String]) -> bool {
    let text = text.to_lowercase();
    let is_word = |at: usize, name: &str| {
        let (before, after) = (text.get(..at).unwrap_or_default(), text.get(at + name.len()..).unwrap_or_default());
        !before.ends_with(char::is_alphanumeric) && !after.starts_with(char::is_alphanumeric)
    };
    names.iter().any(|name| text.match_indices(name.as_str()).any(|(at, name)| is_word(at, name)))
}

/// Whether `text` contains a year, or a date such as `06.01.26` or `6-Jan-26`.
fn has_date(text: &str) -> bool {
    let mut words = text.split(|c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')' | '年'));
    let is_year = |word: &str| word.len() == 4 && (word.starts_with("19") || word.starts_with("20")) && is_number(word);
    let is_parts = |word: &str| {
        let parts: Vec<&str> = word.split(['/', '.', '-']).collect();
        let numbers = parts.iter().filter(|part| is_number(part) && part.len() <= 4).count();
        parts.len() == 3 && numbers >= 2 && parts.iter().all(|part| !part.is_empty() && part.chars().all(char::is_alphanumeric))
    };
    words.any(|word| {
        let word = word.trim_end_matches(['.', ':']);
        is_year(word) || is_parts(word)
    })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// Whether `text` contains a time of day.
fn has_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.windows(4).any(|window| match window {
        [a, b':' | b'h', c, d] => [a, c, d].iter().all(|digit| digit.is_ascii_digit()),
        _ => false,
    })
}

/// Maximum lines after a bare `--`, which some people write instead of `-- `.
const SIGNATURE_LINES_MAX: usize = 12;

/// Beginnings, in lower case, of lines that phones put below an email.
const PHONES: &[&str] = &[
    "sent from my ", "sent from outlook", "sent from mail for", "get outlook for ", "sent via ", "von meinem ", "gesendet von ",
    "gesendet mit ", "envoyé de mon ", "envoyé depuis ", "enviado desde ", "enviado do meu ", "inviato da ", "verstuurd vanaf ",
    "skickat från ", "sendt fra ", "wysłane z ", "отправлено с ", "iphone'umdan gönderildi", "iphoneから送信", "发自我的",
];

/// Beginnings of words in disclaimers that mean "confidential".
const CONFIDENTIAL: &[&str] = &[
    "confidential", "vertraulich", "confidentiel", "confidencial", "riservat", "vertrouwelijk", "poufn", "конфиденциаль", "gizli",
];

/// Maximum number of paragraphs at the end of an email that are examined.
const TAIL_PARAGRAPHS_MAX: usize = 8;

/// Shortest disclaimer, in bytes.
const DISCLAIMER_BYTES_MIN: usize = 150;

/// Marks signatures and disclaimers among the sender's own lines.
fn mark_signatures(lines: &[Line], whose: &mut [Whose]) {
    let is_own = |whose: &[Whose], at: usize| whose.get(at) == Some(&Whose::Own);
    for (at, line) in lines.iter().enumerate() {
        if line.is_signature && is_own(whose, at) {
            fill(whose, at, at + 1, Whose::Signature);
        }
    }
    let begin = lines.iter().enumerate().position(|(at, line)| {
        let after = lines.iter().enumerate().skip(at + 1).filter(|(at, line)| is_own(whose, *at) && !line.text.trim().is_empty());
        let is_short = || after.take(SIGNATURE_LINES_MAX + 1).count() <= SIGNATURE_LINES_MAX;
        is_own(whose, at) && (line.text == "-- " || line.text == "--" && is_short())
    });
    for at in begin.map(|begin| begin..lines.len()).unwrap_or_default() {
        if is_own(whose, at) {
            fill(whose, at, at + 1, Whose::Signature);
        }
    }
    // What remains at the end: lines added by phones, and disclaimers.
    for _ in 0..TAIL_PARAGRAPHS_MAX {
        let Some((start, end)) = last_paragraph(lines, whose) else { break };
        let text: Vec<String> = lines.iter().take(end).skip(start).map(|line| line.text.trim().to_lowercase()).collect();
        let is_of_phone = |line: &String| {
            let line = line.trim_start_matches(['-', '–', '—', ' ']);
            PHONES.iter().any(|phone| line.starts_with(phone))
        };
        let is_phone = text.len() == 1 && text.iter().any(is_of_phone);
        let text = text.join(" ");
        let is_disclaimer = text.len() >= DISCLAIMER_BYTES_MIN && CONFIDENTIAL.iter().any(|word| text.contains(word));
        if !(is_phone || is_disclaimer || is_rule(&text)) {
            break;
        }
        fill(whose, start, end, Whose::Signature);
    }
}

/// The last paragraph of the sender's own lines.
fn last_paragraph(lines: &[Line], whose: &[Whose]) -> Option<(usize, usize)> {
    let is_text = |at: usize| {
        let line = lines.get(at);
        whose.get(at) == Some(&Whose::Own) && line.is_some_and(|line| !line.text.trim().is_empty())
    };
    let end = (0..lines.len()).rev().find(|at| is_text(*at))? + 1;
    let start = (0..end).rev().take_while(|at| is_text(*at)).last()?;
    // A ruled line also ends a paragraph.
    let is_rule = |at: usize| lines.get(at).is_some_and(|line| is_rule(&line.text));
    let start = (start..end).rev().find(|at| is_rule(*at) && at + 1 < end).map_or(start, |at| at + 1);
    Some((start, end))
}

/// Whether a line is a rule made of dashes or the like.
fn is_rule(text: &str) -> bool {
    let text = text.trim();
    text.len() >= 5 && text.chars().all(|c| matches!(c, '_' | '-' | '=' | '*'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::email::plain::{self, Flow};

    fn taken(subject: &str, text: &str) -> Split {
        let names = vec!["ana lima".to_owned(), "ana@mail.example".to_owned()];
        let about = About { subject: Subject::of(subject), names, sender: vec!["tom".to_owned()] };
        split(&plain::lines(text, Flow::default()).unwrap_or_default(), &about)
    }

    #[test]
    fn announcements_are_recognized_in_any_language() {
        for announcement in [
            "On Tue, Jan 6, 2026 at 10:00 AM Ana Lima <ana@mail.example> wrote:",
            "On Tuesday, January 6, 2026 at 10:00 AM, Ana Lima via a very long list\n<ana@mail.example>\nwrote:",
            "Am 06.01.26 um 10:00 schrieb Ana Lima:",
            "Le mar. 6 janv. 2026 à 10:00, Ana Lima <ana@mail.example> a écrit :",
            "El mar, 6 ene 2026 a las 10:00, Ana Lima (<ana@mail.example>) escribió:",
            "2026年1月6日(火) 10:00 Ana Lima <ana@mail.example>:",
            "вт, 6 янв. 2026 г. в 10:00, Ana Lima <ana@mail.example>:",
            "Op di 6 jan 2026 om 10:00 schreef Ana Lima <ana@mail.example>:",
            "15. marts 2026 kl. 11.00 skrev Ana Lima <ana@mail.example>:",
            "Am Mo., 4. Juli 2026 um 08:13 Uhr schrieb Ana Lima <\nana@mail.example>:\n\n\n",
            "Ana Lima wrote:",
        ] {
            let split = taken("Re: x", &format!("Yes.\n\n{announcement}\n\n> No?\n> -- \n> Ana\n"));
            assert_eq!(split.own, "Yes.", "{announcement}");
            assert!(split.quoted.starts_with(announcement.trim()) && split.quoted.contains("No?"), "{split:?}");
        }
    }

    #[test]
    fn the_senders_own_lines_stay() {
        for text in [
            "I mean this:\n\nthe hive on the left.",
            "Meet me at 10:00 on 6 January 2026:\n\nat the barn.",
            "Note: one\nAlso: two\nLast: three\n\nbye",
            "Time: 10:00\nPlace: barn\nBring: a coat",
            "- one\n-- two\n--- three",
            "From: here\nTo: there\nVia: 2026",
            "From: ana@mail.example\nSent: Monday\nSubject: Plans\n\nis what I got",
            "-----\nFrom: ana@mail.example\nSent: Monday\nTopic: bees\n\nis what I got",
            "When: Friday, 9 January 2026 10:00\nWhere: Berlin\nWho to ask: ben@post.example\n\nSee you",
        ] {
            assert_eq!(taken("Plans", text), Split { own: text.to_owned(), ..Split::default() }, "{text}");
        }
    }

    #[test]
    fn the_line_of_a_phone_is_a_signature_with_and_without_dashes() {
        for line in ["Sent from my iPhone", "--Sent from my iPhone", "— Von meinem Telefon gesendet"] {
            let split = taken("Van", &format!("It is free.\n\n{line}\n"));
            assert_eq!((split.own.as_str(), split.signature.as_str()), ("It is free.", line));
        }
    }

    #[test]
    fn histories_are_recognized_by_their_header() {
        for history in [
            "From: Ana Lima\nSent: Tuesday, January 6, 2026 10:00 AM\nTo: Tom\nSubject: Van\n\nIs it free?",
            "________________________________\nVon: Ana Lima <ana@mail.example>\nGesendet: Dienstag, 6. Januar 2026 10:00\nAn: Tom\nBetreff: Van\n\nFrei?",
            "-----Message d'origine-----\nDe : Ana Lima\nEnvoyé : mardi 6 janvier 2026 10:00\nÀ : Tom\nObjet : Van\nLibre ?",
            "*From:* Ana Lima <ana@mail.example>\n*Sent:* 6 January 2026 10:00\n*To:* Tom <tom@mail.example>;\nUma <uma@mail.example>\n*Subject:* Van\n\nFree?",
            "From: Ana Lima [mailto:ana@mail.example]\nSent: March-09-26 4:22 PM\nTo: Tom\nSubject: Another\n\nFree?",
            "----- Original Message -----\nFrom: \"Ana Lima\" <ana@mail.example>\nTo: Tom; Uma\nCc:\nSent: Monday, April 6, 2026 5:44 PM\nSubject: Van\n\nFree?",
            "Date: Thu, 8 Jan 2026 13:53:45 +0400\nSubject: Van\nFrom: ana@mail.example\nTo: tom@mail.example\n\nFree?",
            "От: Ana Lima\nОтправлено: четверг, 8 января 2026 г. 15:05\nКому: Tom\n\n?",
            "发件人：Ana Lima\n发送时间：2026年1月6日 10:00\n收件人：Tom\n主题：Van\n\n?",
            "On Tuesday, January 6, 2026 at 10:00 PM, Ana Lima <ana@mail.example> wrote:\n\nFree?",
            "-----Original Message-----\nFrom: ana@mail.example\nSent: Monday\nSubject: Van\n\nFree?",
        ] {
            let split = taken("RE: Van", &format!("It is.\n\nTom\n\n{history}\n"));
            assert_eq!((split.own.as_str(), split.quoted.as_str()), ("It is.\n\nTom", history));
        }
    }

    #[test]
    fn what_is_passed_on_is_nobodys_own() {
        let header = "From: Ana Lima <ana@mail.example>\nDate: Tue, Jan 6, 2026 at 10:00 AM\nSubject: Van\nTo: Tom";
        for text in [
            format!("See below.\n\n---------- Forwarded message ---------\n{header}\n\nIs it free?"),
            format!("See below.\n\n-------- Weitergeleitete Nachricht --------\n{header}\n\nIs it free?"),
            format!("See below.\n\nBegin forwarded message:\n\n> {}\n>\n> Is it free?", header.replace('\n', "\n> ")),
        ] {
            let split = taken("Fwd: Van", &text);
            let expect = Forward {
                from: "Ana Lima <ana@mail.example>".to_owned(),
                date: "Tue, Jan 6, 2026 at 10:00 AM".to_owned(),
                text: "Is it free?".to_owned(),
            };
            assert_eq!((split.own.as_str(), split.forward), ("See below.", Some(expect)), "{text}");
        }
    }

    #[test]
    fn signatures_and_disclaimers_are_told_apart() {
        let disclaimer = "This message is confidential. ".repeat(8);
        for (tail, expect) in [
            ("\n-- \nTom\nVans", "-- \nTom\nVans"),
            ("\n--\nTom", "--\nTom"),
            ("\nSent from my Phone", "Sent from my Phone"),
            ("\nEnvoyé de mon téléphone", "Envoyé de mon téléphone"),
            (format!("\n_____________\n{disclaimer}").as_str(), format!("_____________\n{}", disclaimer.trim()).as_str()),
        ] {
            let split = taken("x", &format!("Yes.\n{tail}\n"));
            assert_eq!(split.own, "Yes.", "{tail}");
            assert_eq!(split.signature.replace("-- \n", "--\n"), expect.replace("-- \n", "--\n"));
        }
        assert_eq!(taken("x", "It is confidential.").own, "It is confidential.");
    }

    #[test]
    fn interleaved_answers_keep_their_order() {
        let split = taken("Re: x", "> one?\nYes.\n> two?\n\n> three?\nNo.\n\n\nBye");
        assert_eq!((split.own.as_str(), split.quoted.as_str()), ("Yes.\n\nNo.\n\n\nBye", "one?\n\ntwo?\n\nthree?"));
    }

    #[test]
    fn hostile_texts_are_read_in_bounded_time() {
        for line in ["a:\n\n", "-----\n\n", "--\n", "> a\n\nb 2026 10:00 @:\n", "From: a@b\n", "sent from my x\n\n"] {
            let text = line.repeat(20_000);
            let begun = std::time::Instant::now();
            let _ = taken("x", &text);
            assert!(begun.elapsed().as_secs() < 20, "{line:?} took {:?}", begun.elapsed());
        }
    }
}
