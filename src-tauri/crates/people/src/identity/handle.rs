//! What can be derived from an address by itself: its form for comparison, its server, the contact detail it represents, and
//! whether a person may be behind it.
//!
//! Deliberately not here: using the part before the server as evidence. `mara@a.org` and `@mara:b.org` share nothing but a common
//! name.

use std::collections::HashSet;
use std::sync::LazyLock;

use keepsake_domain::EntityType;
use keepsake_prompt::scrub::{ContactKind, Scrubber};

use super::name::{self, NameReading};
use super::types::HandleRecord;
use super::words::{clean, words};

/// Channels whose handles look like email addresses but are not.
const NOT_MAIL: &[&str] = &["xmpp", "jabber", "matrix", "mastodon", "fediverse", "activitypub", "sip", "irc", "bluesky", "nostr"];

/// Channels whose handles are phone numbers, with or without a plus sign.
const BY_NUMBER: &[&str] = &["whatsapp", "sms", "phone", "signal", "call", "imessage", "rcs", "mms"];

/// Channels that ignore case in handles.
const CASELESS: &[&str] = &[
    "matrix", "email", "mail", "imap", "smtp", "xmpp", "jabber", "mastodon", "fediverse", "activitypub", "github", "gitlab",
    "telegram", "irc", "twitter", "x", "slack", "discord", "reddit", "instagram", "linkedin", "bluesky", "signal", "keybase",
];

/// The domains of the one email provider that documents that it ignores dots before the `@`. Its addresses are compared under the
/// first domain.
const DOTLESS_DOMAINS: &[&str] = &["gmail.com", "googlemail.com"];

words! {
    /// The parts before the `@` of addresses whose mail is read by many people or by nobody.
    ROLE_LOCALS = "
        admin admins administrator administration info infos information support help helpdesk servicedesk service services
        contact contacts contactus sales office team teams staff all everyone hello mail mailbox noreply donotreply postmaster
        webmaster hostmaster abuse security billing accounts accounting invoice invoices finance news newsletter newsletters
        notification notifications notify alert alerts update updates marketing press presse media job jobs career careers hr
        recruiting orders order shop store reservation reservations booking bookings reception feedback root daemon
        mailerdaemon bounce bounces auto automated system bot robot announce announcements list lists group digest reply
        replies ticket tickets enquiries inquiries legal privacy it ops devops dev frontdesk customer customerservice
        kundenservice kontakt vertrieb verkauf buchhaltung rechnung rechnungen bewerbung bestellung empfang zentrale sekretariat
        contacto ventas soporte administracion accueil equipe secretariat direction redaktion kundendienst
    ";
}

/// A parsed address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address {
    /// The form for comparison on its channel: cleaned, without a leading `@`, and lowercase if the channel ignores case.
    pub(super) key: String,
    /// The key in lowercase, for mentions in text.
    pub(super) folded: String,
    /// The part before the server, in lowercase, if there is a server.
    pub(super) local: Option<String>,
    /// The server, in lowercase.
    pub(super) server: Option<String>,
    /// The contact detail that the address represents, in comparable form.
    pub(super) contact: Option<String>,
}

impl Address {
    /// Parses the address of a handle.
    pub(super) fn read(channel: &str, text: &str, scrubber: &Scrubber) -> Self {
        let channel = channel.to_lowercase();
        let cleaned = clean(text);
        let bare = cleaned.strip_prefix("mailto:").unwrap_or(&cleaned);
        let bare = bare.strip_prefix('@').unwrap_or(bare).to_owned();
        let folded = bare.to_lowercase();
        let (local, server) = split_server(&channel, &cleaned.to_lowercase());
        let contact = contact_of(&channel, &cleaned, scrubber);
        let key = if CASELESS.contains(&channel.as_str()) { folded.clone() } else { bare };
        Self { key, folded, local, server, contact }
    }
}

fn split_server(channel: &str, address: &str) -> (Option<String>, Option<String>) {
    let split = match address.strip_prefix('@') {
        // @mara:example.org, @mara@example.org
        Some(rest) => rest.split_once(':').or_else(|| rest.split_once('@')),
        None => address.split_once('@').or_else(|| (channel == "matrix").then(|| address.split_once(':')).flatten()),
    };
    match split {
        Some((local, server)) if !local.is_empty() && server.contains('.') => {
            let server = server.split('/').next().unwrap_or(server);
            (Some(local.to_owned()), Some(server.to_owned()))
        }
        _ => (None, None),
    }
}

fn contact_of(channel: &str, address: &str, scrubber: &Scrubber) -> Option<String> {
    if BY_NUMBER.contains(&channel) {
        // WhatsApp's own ids are international numbers without a plus sign.
        let number = address.split('@').next().unwrap_or(address);
        let is_bare_id = address.contains('@') && number.len() >= 10 && number.bytes().all(|b| b.is_ascii_digit());
        let number = if is_bare_id { format!("+{number}") } else { number.to_owned() };
        if let Some(number) = whole_contact(&number, ContactKind::Phone, scrubber) {
            return Some(number);
        }
    }
    if NOT_MAIL.contains(&channel) {
        return None;
    }
    whole_contact(address, ContactKind::Email, scrubber).or_else(|| {
        let is_number = address.starts_with('+') && address.chars().filter(char::is_ascii_digit).count() >= 8;
        is_number.then(|| whole_contact(address, ContactKind::Phone, scrubber)).flatten()
    })
}

/// The comparable form of `text` if all of it is a single contact detail.
fn whole_contact(text: &str, kind: ContactKind, scrubber: &Scrubber) -> Option<String> {
    // A bare row of digits is recognized as a phone number only next to a word such as "tel". The word can be added here,
    // because the channel shows that the digits are a phone number.
    let prompt = if kind == ContactKind::Phone && !text.starts_with('+') { format!("tel {text}") } else { text.to_owned() };
    let [found] = <[_; 1]>::try_from(scrubber.contacts(&prompt)).ok()?;
    let rest = prompt.len() - found.range.len();
    (found.kind == kind && rest <= "tel +()".len()).then(|| comparable(kind, &found.value)).flatten()
}

/// The form in which two contact details are compared; `None` for one shared by many people.
///
/// Addresses: in lowercase (no provider in use distinguishes `Mara@` from `mara@`), without a tag after `+` (RFC 5233: it sorts
/// mail within one mailbox), and without dots at the one provider that documents ignoring them. Dots elsewhere are kept:
/// `m.lind@` and `mlind@` may be two people. A wrong match here costs one question; it never links anything by itself.
///
/// Numbers: E.164. A number without a country keeps its digits without the trunk zero; see [`is_national_form_of`].
pub(super) fn comparable(kind: ContactKind, value: &str) -> Option<String> {
    if kind == ContactKind::Phone {
        let is_national = !value.starts_with('+');
        return Some(if is_national { value.trim_start_matches('0').to_owned() } else { value.to_owned() });
    }
    let (local, domain) = value.rsplit_once('@')?;
    let domain = domain.trim_end_matches('.');
    if is_role_local(local) || is_list_domain(domain) {
        return None;
    }
    let local = local.split_once('+').map_or(local, |(before, _)| if before.is_empty() { local } else { before });
    if DOTLESS_DOMAINS.contains(&domain) {
        return Some(format!("{}@gmail.com", local.replace('.', "")));
    }
    Some(format!("{local}@{domain}"))
}

/// True if `national`, digits without a country code, is the domestic form of the E.164 number `full`.
///
/// The country is not guessed: its code is the part of `full` that `national` lacks, if there is such a part.
pub(super) fn is_national_form_of(national: &str, full: &str) -> bool {
    let code = full.strip_prefix('+').and_then(|digits| digits.strip_suffix(national));
    code.is_some_and(|code| (1..=4).contains(&code.len()))
}

/// True if mail to this local part is read by many people, or by nobody.
pub(super) fn is_role_local(local: &str) -> bool {
    let local = local.to_lowercase();
    let joined: String = local.chars().filter(|c| c.is_alphanumeric()).collect();
    let mut parts = local.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).peekable();
    ROLE_LOCALS.contains(joined.as_str())
        || joined.starts_with("noreply")
        || joined.starts_with("donotreply")
        || ["-request", "-owner", "-bounces", "-announce", "-list", "-users", "-devel", "-discuss", "-team"]
            .iter()
            .any(|end| local.ends_with(end))
        || local.starts_with("owner-")
        || local.starts_with("list-")
        || (parts.peek().is_some() && parts.all(|part| ROLE_LOCALS.contains(part)))
}

fn is_list_domain(domain: &str) -> bool {
    ["googlegroups.com", "groups.io", "freelists.org", "listserv.net", "users.noreply.github.com"].contains(&domain)
        || ["lists.", "list.", "groups.", "noreply.", "bounce.", "bounces."].iter().any(|start| domain.starts_with(start))
}

/// True if `word` is a typical name for a program: `deploybot`, `bot-7`, `[bot]`.
fn is_bot_word(word: &str) -> bool {
    /// Names of people and things with the same ending.
    const NOT_BOTS: &[&str] = &["talbot", "abbot", "cabot", "corbot", "turbot", "robot"];
    word == "bot" || word == "robot" || (word.len() > 4 && word.ends_with("bot") && !NOT_BOTS.contains(&word))
}

fn is_bot(text: &str) -> bool {
    text.to_lowercase().split(|c: char| !c.is_alphanumeric()).any(is_bot_word)
}

/// True if one person may be behind the handle. Bots, roles, lists and "Speaker 1" are never suggested.
pub(super) fn may_be_a_person(record: &HandleRecord, address: &Address) -> bool {
    if record.entity_type != EntityType::Person {
        return false;
    }
    if record.is_owner {
        return true;
    }
    let is_mail = !NOT_MAIL.contains(&record.channel_type.as_str());
    let local = address.local.as_deref();
    let is_shared = local.is_some_and(|local| is_role_local(local) || is_bot(local))
        || is_mail && address.server.as_deref().is_some_and(is_list_domain);
    let names: Vec<NameReading> = record.names.iter().map(|name| name::read(name)).collect();
    let is_nameless = local.is_none() && address.contact.is_none() && name::is_stand_in(&record.address);
    let is_personal = (local.is_some() || address.contact.is_some()) && !is_nameless;
    let nobody = !names.is_empty() && names.iter().all(NameReading::is_nobody) && !is_personal;
    let bot = record.names.iter().any(|name| is_bot(name)) || (local.is_none() && is_bot(&record.address));
    !(is_shared || is_nameless || nobody || bot)
}

#[cfg(test)]
mod tests {
    use super::*;
    use keepsake_prompt::scrub::ScrubConfig;

    fn read(channel: &str, address: &str) -> Address {
        Address::read(channel, address, &Scrubber::new(&ScrubConfig::default()).unwrap())
    }

    #[test]
    fn one_mailbox_or_number_has_one_comparable_form() {
        let check = |channel, address, expect: Option<&str>| {
            assert_eq!(read(channel, address).contact.as_deref(), expect, "{channel} {address}");
        };
        check("email", "Mara@Example.ORG", Some("mara@example.org"));
        check("email", "mara+lists@example.org", Some("mara@example.org"));
        check("email", "m.a.r.a@googlemail.com", Some("mara@gmail.com"));
        check("email", "m.lind@example.org", Some("m.lind@example.org"));
        check("whatsapp", "+49 171 2345678", Some("+491712345678"));
        check("whatsapp", "491712345678@s.whatsapp.net", Some("+491712345678"));
        check("signal", "+49 (0)171 2345678", Some("+491712345678"));
        check("sms", "0171 2345678", Some("1712345678"));
        assert!(is_national_form_of("1712345678", "+491712345678") && !is_national_form_of("1712345679", "+491712345678"));
        check("whatsapp", "Mara Lind", None);
        check("matrix", "@mara:example.org", None);
        check("xmpp", "mara@example.org", None);
        check("email", "info@example.org", None);
        check("email", "no-reply@example.org", None);
        check("email", "rust-users@lists.example.org", None);
        check("email", "mаra@example.org", Some("mаra@example.org"));
    }

    #[test]
    fn case_and_the_leading_sign_count_only_where_the_channel_says_so() {
        assert_eq!(read("matrix", "@Mara:Example.org").key, read("matrix", "mara:example.org").key);
        assert_ne!(read("simplex", "Mara").key, read("simplex", "mara").key, "an unknown channel may tell capitals apart");
        let address = read("matrix", "@mara:example.org");
        assert_eq!((address.local.as_deref(), address.server.as_deref()), (Some("mara"), Some("example.org")));
    }
}
