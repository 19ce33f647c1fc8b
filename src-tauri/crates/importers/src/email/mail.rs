//! Creates messages from an email: one with the sender's own words, and a separate one for each email that they forwarded.

use std::borrow::Cow;
use std::collections::HashMap;

use keepsake_domain::{
    Author, Message, MessageType, Metadata, Role, SourceKind, SourceRef, TimeCertainty, Timestamp, Visibility,
};
use mail_parser::{Message as Header, MessageParser};
use serde_json::{Value, json};

use super::automatic::Automatic;
use super::envelope::{Address, Thread, addresses, by_subject, raw, text_of, written};
use super::gather::Gathered;
use super::own_words::{About, Split, split};
use super::parts::{Parts, body_start, header_end};
use super::place::{Fate, Place};
use super::subject::Subject;
use super::{HEADER_BYTES_MAX, pgp};
use crate::identity::{StandIns, fingerprint, handle};
use crate::out::Out;
use crate::regroup::Regroup;
use crate::{SkipReason, Stop};

/// The channel of mail.
const CHANNEL: &str = "email";

/// Maximum bytes kept of a quotation or signature. The quoted email usually exists separately.
const KEPT_BYTES_MAX: usize = 4 * 1024;

/// Maximum number of characters of a subject.
const SUBJECT_CHARS_MAX: usize = 500;

/// Maximum number of attached emails that are read per email. A digest of a mailing list has a few dozen.
const FORWARDS_MAX: usize = 100;

/// Maximum number of email ids that are remembered, each with a fingerprint that tells a copy from a different email. They are
/// cleared in the same way as those limited by [`FINGERPRINTS_MAX`](crate::limits::FINGERPRINTS_MAX), but take twice the
/// memory.
const SEEN_MAX: usize = 1_750_000;

/// Maximum number of names used to recognize the line that announces a quotation.
const NAMES_MAX: usize = 50;

/// Minimum length of such a name, in bytes.
const NAME_BYTES_MIN: usize = 3;

/// The emails of one import, on their way to the output.
#[derive(Default)]
pub(super) struct Mailbox {
    groups: Regroup,
    stand_ins: StandIns,
    /// The emails read so far: the fingerprint of each id, mapped to the fingerprint of the sender and date.
    seen: HashMap<u64, u64>,
    last_time: Option<Timestamp>,
    /// Whether the ids of the emails are known to belong to other emails.
    pub(super) is_id_taken: bool,
}

/// Why an email is skipped, and its subject.
type Skipped = (SkipReason, Option<String>);

/// Whether the id of an email was read before.
enum Seen {
    Never,
    /// In another copy of the same email, such as the sender's copy.
    Repeated,
    /// In an email with a different sender or date.
    OtherMail,
}

/// A message before it is assigned to a conversation.
struct Draft {
    message_type: MessageType,
    text: String,
    metadata: Metadata,
}

impl Mailbox {
    /// Reads one mail.
    pub(super) fn take(&mut self, mail: &Gathered, place: Place, out: &mut Out<'_>) -> Result<(), Stop> {
        if let Err((reason, sample)) = self.read(mail, place, out)? {
            match sample {
                Some(sample) => out.skip(reason, &sample),
                None => out.skip_bytes(reason, &mail.bytes),
            }
        }
        Ok(())
    }

    /// Emits what is held back.
    pub(super) fn finish(mut self, out: &mut Out<'_>) -> Result<(), Stop> {
        self.groups.flush(out)
    }

    /// Reads one email, or returns why it is skipped and its subject.
    fn read(&mut self, mail: &Gathered, place: Place, out: &mut Out<'_>) -> Result<Result<(), Skipped>, Stop> {
        if mail.bytes.trim_ascii().is_empty() {
            return Ok(Err((SkipReason::Empty, None)));
        }
        // A header without an end was cut off as well.
        let Some(end) = header_end(&mail.bytes).filter(|_| !mail.is_cut) else { return Ok(Err((SkipReason::Malformed, None))) };
        let Some(header) = mail.bytes.get(..end).filter(|header| header.len() <= HEADER_BYTES_MAX) else {
            return Ok(Err((SkipReason::TooLarge, None)));
        };
        let header = decoded(header);
        let Some(header) = MessageParser::new().parse_headers(header.as_bytes()) else {
            return Ok(Err((SkipReason::Malformed, None)));
        };
        let written_subject: String =
            text_of(&header, "Subject").unwrap_or_default().trim().chars().take(SUBJECT_CHARS_MAX).collect();
        let skip = |reason| Ok(Err((reason, Some(written_subject.clone()).filter(|subject| !subject.is_empty()))));
        let labels = labels(&header);
        let place = place.or(Place::of_labels(&labels)).or(Place::new(marked_fate(&header)));
        if let Some(fate) = place.fate {
            return skip(fate.reason());
        }
        if mail.is_too_large {
            return skip(SkipReason::TooLarge);
        }
        let Some(from) = ["From", "Sender"].into_iter().find_map(|name| addresses(&header, name).into_iter().next()) else {
            return skip(SkipReason::MissingField);
        };
        let subject = Subject::of(&written_subject);
        let recipients = ["To", "Cc", "Bcc"].map(|name| (name, addresses(&header, name)));
        let everybody: Vec<Address> =
            std::iter::once(&from).chain(recipients.iter().flat_map(|(_, found)| found)).cloned().collect();
        let mut thread = Thread::of(&header, &subject, &everybody);
        match self.seen_before(&header, &thread, &from) {
            Seen::Never => {}
            Seen::Repeated => return skip(SkipReason::Repeated),
            // If a program gives several emails the same id, they are treated as having none.
            Seen::OtherMail => {
                if thread.id.as_ref() == Some(&thread.conversation) {
                    thread.conversation = by_subject(&subject, &everybody);
                }
                thread.id = None;
            }
        }
        let parts = Parts::of(&mail.bytes);
        let Some(lines) = parts.lines().filter(|_| !parts.is_too_large) else { return skip(SkipReason::TooLarge) };
        let (lines, is_encrypted) = pgp::plain(lines);
        let others: Vec<Address> = everybody.into_iter().filter(|person| person.handle != from.handle).collect();
        let about = About { subject: subject.clone(), names: names_of(&others), sender: names_of(std::slice::from_ref(&from)) };
        let split = split(&lines, &about);
        let automatic = Automatic::of(&header, &from, parts.is_report);
        let drafts = drafts(split, &parts, is_encrypted, &subject, &automatic);
        if drafts.is_empty() {
            return skip(SkipReason::Empty);
        }
        let (time, time_certainty) = match written(&header, mail.separator.as_deref(), out.options.zone) {
            Some(found) => found,
            None => (self.last_time.unwrap_or(out.options.file_time), TimeCertainty::Inferred),
        };
        self.last_time = Some(time);
        let role = if automatic.is() {
            Role::System
        } else if place.is_sent {
            Role::Owner
        } else {
            out.me.role_of(&from.name, &from.handle)
        };
        if out.asks_recipients() {
            tell_recipients(&header, &recipients, out);
        }
        let text = drafts.first().map(|draft| draft.text.as_str()).unwrap_or_default();
        let dated = raw(&header, "Date").unwrap_or_default();
        let message = thread.id.unwrap_or_else(|| self.stand_ins.next(&thread.conversation, &dated, &from.handle, text));
        let first = Message {
            source: SourceRef { kind: SourceKind::Email, conversation: thread.conversation.clone(), message },
            conversation_title: Some(subject.topic.clone()).filter(|topic| !topic.is_empty()),
            channel_type: CHANNEL.to_owned(),
            channel_id: thread.conversation,
            visibility: Visibility::Private,
            is_private: false,
            time,
            time_certainty,
            author: Author { handle: handle(CHANNEL, &from.handle), name: from.name, role },
            text: String::new(),
            message_type: MessageType::Text,
            tool: None,
            reply_to: thread.answers,
            is_branch: false,
            metadata: shared_metadata(&written_subject, &subject, &recipients, labels),
        };
        self.emit(&first, drafts, out)?;
        Ok(Ok(()))
    }

    /// Emits the messages of an email. The first one has its id.
    fn emit(&mut self, mail: &Message, drafts: Vec<Draft>, out: &mut Out<'_>) -> Result<(), Stop> {
        for (at, draft) in drafts.into_iter().enumerate() {
            let mut message = Message { text: draft.text, message_type: draft.message_type, ..mail.clone() };
            message.metadata.extend(draft.metadata);
            if at > 0 {
                message.source.message = format!("{}#forward-{at}", mail.source.message);
            }
            self.groups.take(message, out)?;
        }
        Ok(())
    }

    /// Whether the id of this email was read before.
    fn seen_before(&mut self, header: &Header<'_>, thread: &Thread, from: &Address) -> Seen {
        let Some(id) = &thread.id else { return Seen::Never };
        if self.is_id_taken {
            return Seen::OtherMail;
        }
        if self.seen.len() >= SEEN_MAX {
            self.seen.clear();
        }
        let print = fingerprint(&format!("{} {}", from.handle.to_lowercase(), raw(header, "Date").unwrap_or_default()));
        match self.seen.get(&fingerprint(id)) {
            None => {
                self.seen.insert(fingerprint(id), print);
                Seen::Never
            }
            Some(before) if *before == print => Seen::Repeated,
            Some(_) => Seen::OtherMail,
        }
    }
}

/// The fields in which servers record the mailbox that an email was delivered to.
const DELIVERED: [&str; 2] = ["Delivered-To", "X-Original-To"];

/// Reports the recipients of an email. The owner of a mailbox is one of them, even if nothing in the mailbox was sent by the
/// owner.
fn tell_recipients(header: &Header<'_>, recipients: &[(&'static str, Vec<Address>)], out: &mut Out<'_>) {
    let of_owner = |address: &Address| handle(CHANNEL, &address.handle.to_lowercase());
    for address in DELIVERED.iter().flat_map(|name| addresses(header, name)) {
        out.recipient(&address.name, &of_owner(&address), true);
    }
    for address in recipients.iter().filter(|(name, _)| *name == "To").flat_map(|(_, found)| found) {
        out.recipient(&address.name, &of_owner(address), false);
    }
}

/// The header fields copied to every message of an email.
fn shared_metadata(
    written_subject: &str,
    subject: &Subject,
    recipients: &[(&'static str, Vec<Address>)],
    labels: Vec<String>,
) -> Metadata {
    let mut metadata = Metadata::new();
    if written_subject != subject.topic {
        metadata.insert("subject".to_owned(), written_subject.into());
    }
    for (name, found) in recipients.iter().filter(|(_, found)| !found.is_empty()) {
        metadata.insert(name.to_lowercase(), found.iter().map(Address::value).collect());
    }
    if !labels.is_empty() {
        metadata.insert("labels".to_owned(), labels.into());
    }
    metadata
}

/// The messages that an email becomes.
fn drafts(split: Split, parts: &Parts<'_>, is_encrypted: bool, subject: &Subject, automatic: &Automatic) -> Vec<Draft> {
    let mut attachments = parts.attachments.clone();
    if is_encrypted {
        attachments.push(json!({ "name": "encrypted.asc", "type": "application/pgp-encrypted" }));
    }
    let names: Vec<&str> = attachments.iter().filter_map(|found| found.get("name").and_then(Value::as_str)).collect();
    let names = names.join(", ");
    let mut kept = Metadata::new();
    if !split.quoted.is_empty() {
        kept.insert("quoted".to_owned(), cut(&split.quoted).into());
    }
    if !split.signature.is_empty() {
        kept.insert("signature".to_owned(), cut(&split.signature).into());
    }
    if !attachments.is_empty() {
        kept.insert("attachments".to_owned(), attachments.into());
    }
    let draft = |message_type, text, metadata| Draft { message_type, text, metadata };
    if automatic.is() {
        if let Some(list) = &automatic.list {
            kept.insert("list".to_owned(), list.as_str().into());
        }
        if let Some(program) = &automatic.program {
            kept.insert("automatic".to_owned(), program.as_str().into());
        }
        let passed_on = split.forward.map(|forward| forward.text).unwrap_or_default();
        let text = [split.own, passed_on, names].into_iter().find(|text| !text.is_empty());
        return text.map(|text| draft(MessageType::Notice, text, kept)).into_iter().collect();
    }
    let mut drafts = Vec::new();
    if !split.own.is_empty() {
        drafts.push(draft(MessageType::Text, split.own, std::mem::take(&mut kept)));
    }
    if let Some(forward) = split.forward.filter(|forward| !forward.text.is_empty()) {
        let mut metadata = std::mem::take(&mut kept);
        metadata.insert("forwarded_from".to_owned(), Address::shown(&forward.from).value());
        metadata.insert("forwarded_date".to_owned(), forward.date.into());
        drafts.push(draft(MessageType::Forward, forward.text, metadata));
    }
    for mail in parts.mails.iter().take(FORWARDS_MAX) {
        if let Some((text, found)) = attached(mail) {
            let mut metadata = std::mem::take(&mut kept);
            metadata.extend(found);
            drafts.push(draft(MessageType::Forward, text, metadata));
        }
    }
    if drafts.is_empty() {
        let is_all_in_subject =
            parts.has_text() && !subject.is_answer && !kept.contains_key("quoted") && !subject.topic.is_empty();
        if !names.is_empty() {
            drafts.push(draft(MessageType::File, names, kept));
        } else if is_all_in_subject {
            drafts.push(draft(MessageType::Text, subject.topic.clone(), kept));
        }
    }
    drafts
}

/// The text of an email attached to another one, and who wrote it.
fn attached(mail: &[u8]) -> Option<(String, Metadata)> {
    let header = decoded(mail.get(..body_start(mail)).filter(|header| header.len() <= HEADER_BYTES_MAX)?);
    let header = MessageParser::new().parse_headers(header.as_bytes())?;
    let parts = Parts::of(mail);
    let written_subject = text_of(&header, "Subject").unwrap_or_default();
    let (lines, _) = pgp::plain(parts.lines().filter(|_| !parts.is_too_large)?);
    let split = split(&lines, &About { subject: Subject::of(&written_subject), ..About::default() });
    let names = || parts.attachments.iter().filter_map(|found| found.get("name").and_then(Value::as_str)).collect::<Vec<_>>();
    let text = if split.own.is_empty() { names().join(", ") } else { split.own };
    let mut metadata = Metadata::new();
    if let Some(from) = addresses(&header, "From").first() {
        metadata.insert("forwarded_from".to_owned(), from.value());
    }
    if let Some(date) = raw(&header, "Date") {
        metadata.insert("forwarded_date".to_owned(), date.into());
    }
    if !written_subject.is_empty() {
        let subject: String = written_subject.chars().take(SUBJECT_CHARS_MAX).collect();
        metadata.insert("forwarded_subject".to_owned(), subject.into());
    }
    (!text.is_empty()).then_some((text, metadata))
}

/// A header as text. Bytes that are not UTF-8 are read as Latin-1, which old programs wrote without declaring it.
fn decoded(header: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(header) {
        Ok(header) => Cow::Borrowed(header),
        Err(_) => {
            let chunks = header.utf8_chunks();
            Cow::Owned(
                chunks.flat_map(|chunk| chunk.valid().chars().chain(chunk.invalid().iter().map(|b| char::from(*b)))).collect(),
            )
        }
    }
}

/// The names and addresses, in lower case, by which programs identify the author of a quoted email.
fn names_of(people: &[Address]) -> Vec<String> {
    let names = people.iter().flat_map(|person| [person.name.to_lowercase(), person.handle.to_lowercase()]);
    names.filter(|name| name.len() >= NAME_BYTES_MIN).take(NAMES_MAX).collect()
}

/// Gmail's labels.
fn labels(header: &Header<'_>) -> Vec<String> {
    let Some(text) = text_of(header, "X-Gmail-Labels") else { return Vec::new() };
    let mut labels = vec![String::new()];
    let mut is_quoted = false;
    for c in text.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => labels.push(String::new()),
            c => {
                if let Some(label) = labels.last_mut() {
                    label.push(c);
                }
            }
        }
    }
    labels.into_iter().map(|label| label.trim().to_owned()).filter(|label| !label.is_empty()).take(NAMES_MAX).collect()
}

/// The fate that mail programs record in the header of an email. In an mbox file, a deleted email stays until the file is
/// compacted.
fn marked_fate(header: &Header<'_>) -> Option<Fate> {
    const EXPUNGED: u64 = 0x0008;
    let text = |name: &'static str| raw(header, name).unwrap_or_default();
    let status = text("X-Status");
    if u64::from_str_radix(text("X-Mozilla-Status").trim(), 16).is_ok_and(|flags| flags & EXPUNGED != 0) || status.contains('D') {
        Some(Fate::Deleted)
    } else if status.contains('T') || text("X-Unsent").trim() == "1" || !text("X-Mozilla-Draft-Info").is_empty() {
        Some(Fate::Draft)
    } else {
        None
    }
}

/// The beginning of a quotation or signature that is kept along with a message.
fn cut(text: &str) -> String {
    match text.char_indices().find(|(at, _)| *at >= KEPT_BYTES_MAX) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}
