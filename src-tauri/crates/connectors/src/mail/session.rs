//! A connection to a mail server, and the few commands sent over it. None of them changes anything in a mailbox.
//!
//! Commands are written here, and `async-imap` only parses the responses: its own commands cannot distinguish a truncated
//! response from a complete one, so an email could be lost. Every command has a time limit and a byte limit. Not here: the
//! order in which emails are read (`reading`).

use std::collections::{BTreeMap, HashSet};
use std::future::Future;
use std::time::Duration;

use async_imap::Client;
use async_imap::imap_proto::{
    AttributeValue, Capability, MailboxDatum, Outcome, Response, ResponseCode, Status, StatusAttribute,
};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use keepsake_domain::Timestamp;
use secrecy::ExposeSecret;
use tokio::io::AsyncWriteExt;
use tokio::time::{Instant, timeout, timeout_at};

use super::folder::{Folder, quoted};
use super::guard::{Allowance, Guard};
use super::oauth::Credential;
use super::settings::{MailSettings, Security};
use super::wire::{fault, silent, tcp, tls};
use crate::contract::Fault;

/// How long a server may take for one response. A search in a large mailbox takes up to a minute.
const ANSWER_MAX: Duration = Duration::from_secs(2 * 60);

/// How long a server may take for all responses to a command.
const COMMAND_MAX: Duration = Duration::from_secs(10 * 60);

/// How long to wait for the response to a logout.
const GOODBYE_MAX: Duration = Duration::from_secs(2);

/// Maximum number of bytes in a short response.
const SHORT_BYTES: u64 = 2 * 1024 * 1024;

/// Maximum number of bytes in a folder list: a hundred thousand folders with long names.
const LIST_BYTES: u64 = 16 * 1024 * 1024;

/// Maximum number of bytes for the sizes and marks of a hundred thousand emails.
const MARKS_BYTES: u64 = 24 * 1024 * 1024;

/// Number of bytes of an email requested at once. Most emails without attachments are smaller.
pub(super) const PIECE_BYTES: u32 = 512 * 1024;

/// Maximum number of bytes in a response besides the piece of email in it.
const ANSWER_BYTES: u64 = 64 * 1024;

/// Maximum number of characters of a server's text shown to the person.
const SAID_CHARS_MAX: usize = 200;

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reply {
    /// The command succeeded.
    Done,
    /// The command failed for this reason.
    Refused(String),
}

/// An open folder.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Opened {
    /// Changes when the server renumbers all emails.
    pub(super) validity: u32,
    /// The highest number that an email can have.
    pub(super) top: u32,
    /// Number of emails.
    pub(super) exists: u32,
}

/// What is known about an email before it is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Marks {
    /// Its size as reported by the server.
    pub(super) size: u32,
    /// When it arrived.
    pub(super) arrived: Option<Timestamp>,
    /// Whether it is marked as a draft.
    pub(super) is_draft: bool,
    /// Whether it is marked to be removed.
    pub(super) is_deleted: bool,
}

/// Which emails are kept if there are too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    /// Those with the highest numbers.
    Newest,
    /// Those with the lowest numbers.
    Oldest,
}

/// Why waiting ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Woken {
    /// The server announced something.
    News,
    /// The time limit was reached.
    Time,
    /// The caller interrupted the wait.
    Call,
}

/// A signed-in connection.
pub(super) struct Session {
    host: String,
    client: Client<Guard>,
    allowance: Allowance,
    commands: u64,
    capabilities: HashSet<String>,
}

impl Session {
    /// Connects and signs in.
    pub(super) async fn open(settings: &MailSettings, credential: &Credential) -> Result<Self, Fault> {
        let host = &settings.host;
        let mut stream = tcp(settings).await?;
        if settings.security == Security::Tls {
            stream = tls(host, stream).await?;
        }
        let mut session = Self::on(host, stream);
        let is_signed_in = session.greeted().await?;
        if settings.security == Security::Starttls {
            if is_signed_in {
                return Err(Fault::protocol(format!("The mail server {host} skips STARTTLS, so it is not trusted. Choose TLS.")));
            }
            if let Reply::Refused(why) = session.ask("STARTTLS", SHORT_BYTES, |_| {}).await? {
                return Err(Fault::refused(format!("The mail server {host} does not offer STARTTLS ({why}). Choose TLS.")));
            }
            // Anything received before TLS, from whatever sender, is discarded with the old client.
            let stream = tls(host, session.client.into_inner().into_inner()).await?;
            session = Self::on(host, stream);
        }
        session.learn_capabilities().await?;
        if !is_signed_in {
            session.sign_in(&settings.user, credential).await?;
            session.learn_capabilities().await?;
        }
        Ok(session)
    }

    fn on(host: &str, stream: Box<dyn super::guard::Stream>) -> Self {
        let allowance = Allowance::default();
        allowance.set(SHORT_BYTES);
        let client = Client::new(Guard::new(stream, allowance.clone()));
        Self { host: host.to_owned(), client, allowance, commands: 0, capabilities: HashSet::new() }
    }

    /// Reads the greeting. Returns whether the server already considers the client signed in.
    async fn greeted(&mut self) -> Result<bool, Fault> {
        let is_signed_in = |response: &Response<'_>| match response {
            Response::Data { status: Status::Ok, .. } => Some(false),
            Response::Data { status: Status::PreAuth, .. } => Some(true),
            _ => None,
        };
        self.next(Instant::now() + ANSWER_MAX, is_signed_in).await?.ok_or_else(|| not_imap(&self.host))
    }

    async fn learn_capabilities(&mut self) -> Result<(), Fault> {
        let mut found = HashSet::new();
        self.ask("CAPABILITY", SHORT_BYTES, |response| {
            if let Response::Capabilities(capabilities) = response {
                found.extend(capabilities.iter().map(|capability| match capability {
                    Capability::Imap4rev1 => "IMAP4REV1".to_owned(),
                    Capability::Auth(name) => format!("AUTH={}", name.to_ascii_uppercase()),
                    Capability::Atom(name) => name.to_ascii_uppercase(),
                }));
            }
        })
        .await?;
        self.capabilities = found;
        Ok(())
    }

    fn can(&self, capability: &str) -> bool {
        self.capabilities.contains(capability)
    }

    async fn sign_in(&mut self, user: &str, credential: &Credential) -> Result<(), Fault> {
        let secret = match credential {
            Credential::Token(secret) | Credential::Password(secret) => secret.expose_secret(),
        };
        // All forms in which the secret is sent. A server may repeat them.
        let mut sent = vec![secret.to_owned()];
        let reply = match credential {
            Credential::Token(_) => {
                let answer = STANDARD.encode(format!("user={user}\x01auth=Bearer {secret}\x01\x01"));
                let reply = self.authenticate("XOAUTH2", &answer).await?;
                sent.push(answer);
                reply
            }
            Credential::Password(_) if self.can("AUTH=PLAIN") => {
                let answer = STANDARD.encode(format!("\0{user}\0{secret}"));
                let reply = self.authenticate("PLAIN", &answer).await?;
                sent.push(answer);
                reply
            }
            Credential::Password(_) if self.can("LOGINDISABLED") => {
                return Err(Fault::refused(format!(
                    "The mail server {} takes no password on this connection. Choose TLS, or sign in with a token.",
                    self.host
                )));
            }
            Credential::Password(_) => {
                let (Some(user), Some(password)) = (quoted(user), quoted(secret)) else {
                    return Err(Fault::refused("The user name or the password has a line break in it. Enter it again."));
                };
                let reply = self.ask(&format!("LOGIN {user} {password}"), SHORT_BYTES, |_| {}).await?;
                sent.push(password[1..password.len() - 1].to_owned());
                reply
            }
        };
        let Reply::Refused(why) = reply else { return Ok(()) };
        let why = sent.iter().fold(why, |why, sent| without(&why, sent));
        if is_for_now(&why) {
            return Err(Fault::unreachable(format!("The mail server {} cannot sign anybody in now: {why}", self.host)));
        }
        let advice = match credential {
            Credential::Password(_) => {
                "Check the user name and the password. Gmail, iCloud, Yahoo and others want an app password, which you make in the \
                 settings of your account."
            }
            Credential::Token(_) => "Sign in at your provider again.",
        };
        Err(Fault::refused(format!("The mail server {} did not let you in: {why}. {advice}", self.host)))
    }

    async fn authenticate(&mut self, mechanism: &str, answer: &str) -> Result<Reply, Fault> {
        let tag = self.send(&format!("AUTHENTICATE {mechanism}"), SHORT_BYTES).await?;
        let deadline = Instant::now() + COMMAND_MAX;
        let mut answer = Some(answer);
        loop {
            match self.next(deadline, |response| event(response, &tag)).await? {
                // A server may report an error as a further challenge, which must be answered with an empty response.
                Event::Question => self.write(&format!("{}\r\n", answer.take().unwrap_or_default())).await?,
                Event::End(reply) => return Ok(reply),
                Event::News | Event::Other => {}
            }
        }
    }

    /// The folders that can contain emails.
    pub(super) async fn folders(&mut self) -> Result<Vec<Folder>, Fault> {
        let mut found = BTreeMap::new();
        let reply = self
            .ask("LIST \"\" \"*\"", LIST_BYTES, |response| {
                if let Response::MailboxData(MailboxDatum::List(listed)) = response
                    && let Some(folder) = Folder::of(listed)
                {
                    found.insert(folder.id.clone(), folder);
                }
            })
            .await?;
        match reply {
            Reply::Done => Ok(found.into_values().collect()),
            Reply::Refused(why) => Err(self.refused("list its folders", &why)),
        }
    }

    /// Opens a folder for reading; `None` if it no longer exists.
    pub(super) async fn examine(&mut self, folder: &str) -> Result<Option<Opened>, Fault> {
        let Some(name) = quoted(folder) else { return Ok(None) };
        let mut opened = Opened::default();
        let mut next = None;
        let reply = self
            .ask(&format!("EXAMINE {name}"), SHORT_BYTES, |response| match response {
                Response::MailboxData(MailboxDatum::Exists(count)) => opened.exists = *count,
                Response::Data { outcome: Outcome { code: Some(ResponseCode::UidValidity(found)), .. }, .. } => {
                    opened.validity = *found;
                }
                Response::Data { outcome: Outcome { code: Some(ResponseCode::UidNext(found)), .. }, .. } => next = Some(*found),
                _ => {}
            })
            .await?;
        match reply {
            Reply::Refused(why) if is_for_now(&why) => return Err(self.refused("open a folder", &why)),
            Reply::Refused(_) => return Ok(None),
            Reply::Done => {}
        }
        opened.top = match next {
            Some(next) => next.saturating_sub(1),
            None if opened.exists == 0 => 0,
            // Old servers do not report the next number.
            None => self.marks("*", Keep::Newest, 1).await?.into_keys().next_back().unwrap_or(0),
        };
        Ok(Some(opened))
    }

    /// The highest number and the validity of a folder that is not open; `None` if it no longer exists.
    pub(super) async fn status(&mut self, folder: &str) -> Result<Option<(u32, u32)>, Fault> {
        let Some(name) = quoted(folder) else { return Ok(None) };
        let (mut validity, mut next) = (0, 0);
        let reply = self
            .ask(&format!("STATUS {name} (UIDNEXT UIDVALIDITY)"), SHORT_BYTES, |response| {
                if let Response::MailboxData(MailboxDatum::Status { status, .. }) = response {
                    for attribute in status {
                        match attribute {
                            StatusAttribute::UidNext(found) => next = *found,
                            StatusAttribute::UidValidity(found) => validity = *found,
                            _ => {}
                        }
                    }
                }
            })
            .await?;
        Ok((reply == Reply::Done).then_some((validity, next.saturating_sub(1))))
    }

    /// The numbers of the emails in this range that arrived on this day or later (`1-Jan-2026`).
    pub(super) async fn arrived_since(&mut self, first: u32, last: u32, day: &str) -> Result<Vec<u32>, Fault> {
        let mut found = Vec::new();
        let reply = self
            .ask(&format!("UID SEARCH UID {first}:{last} SINCE {day}"), SHORT_BYTES, |response| {
                if let Response::MailboxData(MailboxDatum::Search(uids)) = response {
                    found.extend(uids.iter().filter(|uid| (first..=last).contains(*uid)));
                }
            })
            .await?;
        match reply {
            Reply::Done => Ok(found),
            Reply::Refused(why) => Err(self.refused("search", &why)),
        }
    }

    /// Sizes and marks of these emails, at most `count` of them.
    pub(super) async fn marks(&mut self, uids: &str, keep: Keep, count: usize) -> Result<BTreeMap<u32, Marks>, Fault> {
        let mut found = BTreeMap::new();
        let reply = self
            .ask(&format!("UID FETCH {uids} (UID FLAGS INTERNALDATE RFC822.SIZE)"), MARKS_BYTES, |response| {
                if let Response::Fetch(_, attributes) = response
                    && let Some((uid, marks)) = marks_of(attributes)
                {
                    found.insert(uid, marks);
                    if found.len() > count {
                        match keep {
                            Keep::Newest => found.pop_first(),
                            Keep::Oldest => found.pop_last(),
                        };
                    }
                }
            })
            .await?;
        match reply {
            Reply::Done => Ok(found),
            Reply::Refused(why) => Err(self.refused("list its mails", &why)),
        }
    }

    /// Reads a piece of each of these emails, starting at this byte. Emails that no longer exist are skipped.
    pub(super) async fn pieces(&mut self, uids: &[u32], from: u32, mut take: impl FnMut(u32, &[u8])) -> Result<Reply, Fault> {
        let set = uids.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let bytes = (u64::from(PIECE_BYTES) + ANSWER_BYTES) * uids.len() as u64 + ANSWER_BYTES;
        let mut wanted: HashSet<u32> = uids.iter().copied().collect();
        self.ask(&format!("UID FETCH {set} (UID BODY.PEEK[]<{from}.{PIECE_BYTES}>)"), bytes, |response| {
            if let Response::Fetch(_, attributes) = response
                && let Some((uid, piece)) = piece_of(attributes, from)
                && wanted.remove(&uid)
            {
                take(uid, piece);
            }
        })
        .await
    }

    /// Waits for changes in the open folder, for at most this long.
    pub(super) async fn idle(&mut self, at_most: Duration, call: impl Future<Output = ()>) -> Result<Woken, Fault> {
        let end = Instant::now() + at_most;
        if !self.can("IDLE") {
            return tokio::select! {
                () = call => Ok(Woken::Call),
                () = tokio::time::sleep_until(end) => Ok(Woken::Time),
            };
        }
        let tag = self.send("IDLE", SHORT_BYTES).await?;
        tokio::pin!(call);
        let mut woken = loop {
            tokio::select! {
                biased;
                response = timeout_at(end, self.client.read_response()) => match response {
                    Err(_) => break Woken::Time,
                    Ok(Err(error)) => return Err(fault(&self.host, &error)),
                    Ok(Ok(None)) => return Err(closed(&self.host)),
                    Ok(Ok(Some(response))) => match event(heard(&self.host, response.parsed())?, &tag) {
                        Event::News => break Woken::News,
                        // The server lists the command but does not support it.
                        Event::End(_) => {
                            self.capabilities.remove("IDLE");
                            return Ok(Woken::Time);
                        }
                        Event::Question | Event::Other => {}
                    },
                },
                () = &mut call => break Woken::Call,
            }
        };
        self.write("DONE\r\n").await?;
        let deadline = Instant::now() + COMMAND_MAX;
        loop {
            match self.next(deadline, |response| event(response, &tag)).await? {
                Event::End(_) => return Ok(woken),
                Event::News if woken == Woken::Time => woken = Woken::News,
                _ => {}
            }
        }
    }

    /// Keeps the connection alive.
    pub(super) async fn noop(&mut self) -> Result<(), Fault> {
        self.ask("NOOP", SHORT_BYTES, |_| {}).await.map(|_| ())
    }

    /// Logs out.
    pub(super) async fn close(mut self) {
        // Whether the server receives the logout makes no difference.
        let _ = timeout(GOODBYE_MAX, self.ask("LOGOUT", SHORT_BYTES, |_| {})).await;
    }

    /// Sends a command and reads all responses to it.
    async fn ask(&mut self, command: &str, bytes: u64, mut each: impl FnMut(&Response<'_>)) -> Result<Reply, Fault> {
        let tag = self.send(command, bytes).await?;
        let deadline = Instant::now() + COMMAND_MAX;
        loop {
            let see = |response: &Response<'_>| match event(response, &tag) {
                Event::End(reply) => Some(reply),
                _ => {
                    each(response);
                    None
                }
            };
            if let Some(reply) = self.next(deadline, see).await? {
                return Ok(reply);
            }
        }
    }

    async fn send(&mut self, command: &str, bytes: u64) -> Result<String, Fault> {
        self.commands += 1;
        let tag = format!("K{}", self.commands);
        self.allowance.set(bytes);
        self.write(&format!("{tag} {command}\r\n")).await?;
        Ok(tag)
    }

    async fn write(&mut self, text: &str) -> Result<(), Fault> {
        let stream = self.client.get_mut();
        let written = timeout(ANSWER_MAX, async {
            stream.write_all(text.as_bytes()).await?;
            stream.flush().await
        });
        match written.await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(fault(&self.host, &error)),
            Err(_) => Err(silent(&self.host, ANSWER_MAX)),
        }
    }

    /// Waits for the next response and inspects it.
    async fn next<T>(&mut self, deadline: Instant, see: impl FnOnce(&Response<'_>) -> T) -> Result<T, Fault> {
        let end = deadline.min(Instant::now() + ANSWER_MAX);
        match timeout_at(end, self.client.read_response()).await {
            Err(_) => Err(silent(&self.host, ANSWER_MAX)),
            Ok(Err(error)) => Err(fault(&self.host, &error)),
            Ok(Ok(None)) => Err(closed(&self.host)),
            Ok(Ok(Some(response))) => heard(&self.host, response.parsed()).map(see),
        }
    }

    /// The fault for a refused command that should have worked.
    pub(super) fn refused(&self, what: &str, why: &str) -> Fault {
        Fault::unreachable(format!("The mail server {} did not {what}: {why}", self.host))
    }
}

/// What a response means to the code that waits for one.
enum Event {
    /// The server asks for more input.
    Question,
    /// The command ended.
    End(Reply),
    /// The number of emails in the open folder changed.
    News,
    /// Something else.
    Other,
}

fn event(response: &Response<'_>, tag: &str) -> Event {
    match response {
        Response::Continue(_) => Event::Question,
        Response::Done { tag: of, status, outcome } if of.0 == tag => Event::End(reply(status, outcome)),
        Response::MailboxData(MailboxDatum::Exists(_)) => Event::News,
        _ => Event::Other,
    }
}

/// The response, unless it is a goodbye that ends the connection.
fn heard<'a, 'r>(host: &str, response: &'a Response<'r>) -> Result<&'a Response<'r>, Fault> {
    match response {
        Response::Data { status: Status::Bye, outcome } => {
            Err(Fault::unreachable(format!("The mail server {host} ended the connection: {}.", said(outcome))))
        }
        response => Ok(response),
    }
}

fn closed(host: &str) -> Fault {
    Fault::unreachable(format!("The mail server {host} closed the connection."))
}

fn not_imap(host: &str) -> Fault {
    Fault::protocol(format!("The mail server {host} said something that is not IMAP. Check the name and the port."))
}

fn reply(status: &Status, outcome: &Outcome<'_>) -> Reply {
    if matches!(status, Status::Ok) { Reply::Done } else { Reply::Refused(said(outcome)) }
}

/// A server's text to show to the person, shortened and without control characters.
fn said(outcome: &Outcome<'_>) -> String {
    let text = outcome.information.as_deref().unwrap_or_default();
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let text: String = text.trim().trim_end_matches('.').chars().take(SAID_CHARS_MAX).map(plain).collect();
    if text.is_empty() { "it gave no reason".to_owned() } else { text }
}

/// The server's text without any repetition of `sent`, even a repetition that was cut off.
fn without(text: &str, sent: &str) -> String {
    if sent.is_empty() {
        return text.to_owned();
    }
    let text = text.replace(sent, "…");
    let begins = |at: &usize| sent.starts_with(&text[*at..]);
    match text.char_indices().map(|(at, _)| at).find(begins) {
        Some(at) => format!("{}…", &text[..at]),
        None => text,
    }
}

/// Signs that a server's refusal is only temporary (RFC 5530 and texts used by providers).
const FOR_NOW: &[&str] = &[
    "[unavailable]", "[limit]", "[overquota]", "[serverbug]", "[inuse]", "too many", "temporar", "try again", "rate limit",
    "[throttled]",
];

/// Whether a server's refusal is only temporary.
pub(super) fn is_for_now(why: &str) -> bool {
    let why = why.to_lowercase();
    FOR_NOW.iter().any(|sign| why.contains(sign))
}

fn marks_of(attributes: &[AttributeValue<'_>]) -> Option<(u32, Marks)> {
    let mut uid = None;
    let mut marks = Marks::default();
    let mut is_whole = false;
    for attribute in attributes {
        match attribute {
            AttributeValue::Uid(found) => uid = Some(*found),
            AttributeValue::Rfc822Size(size) => {
                marks.size = *size;
                is_whole = true;
            }
            AttributeValue::InternalDate(text) => marks.arrived = moment(text),
            AttributeValue::Flags(flags) => {
                marks.is_draft = flags.iter().any(|flag| flag.eq_ignore_ascii_case("\\Draft"));
                marks.is_deleted = flags.iter().any(|flag| flag.eq_ignore_ascii_case("\\Deleted"));
            }
            _ => {}
        }
    }
    // A server may report changed flags at any time. Such a response contains no size and is ignored.
    uid.filter(|uid| is_whole && *uid > 0).map(|uid| (uid, marks))
}

/// A time such as `17-Jul-1996 02:44:25 -0700`.
fn moment(text: &str) -> Option<Timestamp> {
    let time = chrono::DateTime::parse_from_str(text.trim(), "%d-%b-%Y %H:%M:%S %z").ok()?;
    Some(Timestamp(time.timestamp_millis()))
}

fn piece_of<'a>(attributes: &'a [AttributeValue<'_>], from: u32) -> Option<(u32, &'a [u8])> {
    let uid = attributes.iter().find_map(|attribute| match attribute {
        AttributeValue::Uid(uid) => Some(*uid),
        _ => None,
    })?;
    attributes.iter().find_map(|attribute| match attribute {
        // A server that does not support pieces returns the whole email.
        AttributeValue::BodySection { section: None, index, data: Some(data) } if index.unwrap_or(0) == from => {
            Some((uid, data.as_ref()))
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_repeats_a_password_tells_it_to_nobody() {
        let check = |text: &str, expect: &str| assert_eq!(without(text, "horse-7"), expect, "{text}");
        check("no", "no");
        check("you said horse-7 twice: horse-7", "you said … twice: …");
        check("you said horse", "you said …");
        check("you said h", "you said …");
        check("horse-8", "horse-8");
        check("", "");
    }
}
