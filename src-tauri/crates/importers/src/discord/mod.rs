//! Discord: files of DiscordChatExporter, and the data package that Discord sends to its users.
//!
//! DiscordChatExporter writes one JSON file per channel or thread, with everybody's messages. The package has a folder for each
//! channel, with the owner's own messages only. Both use Discord's ids, so a message has the same ids in both. For the formats,
//! see docs/formats.md. Not here: DiscordChatExporter's HTML, CSV and text, and the rest of the package.

mod csv;
mod exporter;
mod package;

pub(crate) use exporter::FORMAT as EXPORTER;
pub(crate) use package::FORMAT as PACKAGE;

use keepsake_domain::{SourceKind, TimeCertainty, Timestamp};

use crate::conversation::{Program, When};
use crate::out::Out;
use crate::time::parse_rfc3339;

/// Channel type.
const CHANNEL: &str = "discord";

/// Discord as the author of its notices.
const PROGRAM: Program = Program { kind: SourceKind::Discord, name: "Discord", handle: CHANNEL };

/// The epoch of Discord's ids, 2015-01-01, in Unix milliseconds.
const EPOCH_MS: i64 = 1_420_070_400_000;

/// The number of bits in an id below its time.
const ID_BITS: u32 = 22;

/// Largest difference between a local time and the same moment in UTC: the date line is at most 14 hours away.
const LOCAL_MS_MAX: i64 = 14 * 3_600_000;

/// When the message with this id was sent. The time is part of every id; smaller numbers are not Discord ids.
fn time_of_id(id: &str) -> Option<Timestamp> {
    let millis = id.parse::<i64>().ok().filter(|id| *id > 0)? >> ID_BITS;
    (millis > 0).then_some(Timestamp(millis + EPOCH_MS))
}

/// The time of a message. Newer packages write it without a time zone; the time is then taken from the id.
fn time(written: &str, id: &str, last: Option<Timestamp>, out: &Out<'_>) -> When {
    let by_id = time_of_id(id);
    match (parse_rfc3339(&written.trim().replacen(' ', "T", 1), out.options.zone), by_id) {
        (Some((time, TimeCertainty::Exact)), _) => (time, TimeCertainty::Exact),
        (Some((time, _)), Some(by_id)) if (time.0 - by_id.0).abs() <= 2 * LOCAL_MS_MAX => (by_id, TimeCertainty::Exact),
        (Some(local), _) => local,
        (None, Some(by_id)) => (by_id, TimeCertainty::Exact),
        (None, None) => (last.unwrap_or(out.options.file_time), TimeCertainty::Inferred),
    }
}

/// `text` with Discord's codes for people and emoji replaced by what they show: `<@1>` by the name that `name_of` knows, and
/// `<:wave:1>` by `:wave:`. Everything else stays as written.
fn resolved(text: &str, name_of: &dyn Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, code) = rest.split_at(at);
        out.push_str(before);
        let shown = code.find('>').and_then(|end| Some((shown(code.get(1..end)?, name_of)?, code.get(end + 1..)?)));
        rest = match shown {
            Some((shown, after)) => {
                out.push_str(&shown);
                after
            }
            None => {
                out.push('<');
                code.get(1..).unwrap_or_default()
            }
        };
    }
    out.push_str(rest);
    out
}

/// The text that Discord shows for the inside of a code.
fn shown(code: &str, name_of: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let is_id = |id: &str| !id.is_empty() && id.bytes().all(|b| b.is_ascii_digit());
    if let Some(id) = code.strip_prefix('@') {
        let id = id.strip_prefix('!').unwrap_or(id);
        return is_id(id).then(|| name_of(id)).flatten().map(|name| format!("@{name}"));
    }
    let (name, id) = code.strip_prefix('a').unwrap_or(code).strip_prefix(':')?.split_once(':')?;
    let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    (is_name && is_id(id)).then(|| format!(":{name}:"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_become_what_they_show_and_all_else_stays() {
        let name_of = |id: &str| (id == "7").then(|| "Ana".to_owned());
        for (given, expect) in [
            ("hi <@7> and <@!7>", "hi @Ana and @Ana"),
            ("hi <@8>", "hi <@8>"),
            ("<:wave:12> <a:dance_1:13>", ":wave: :dance_1:"),
            ("1 < 2 > 0, <b>, <#5>, <@&7>, <:no name:1>, <", "1 < 2 > 0, <b>, <#5>, <@&7>, <:no name:1>, <"),
            ("a <<@7>>", "a <@Ana>"),
        ] {
            assert_eq!(resolved(given, &name_of), expect);
        }
        assert_eq!(time_of_id("175928847299117063"), Some(Timestamp(1_462_015_105_796)));
        assert_eq!((time_of_id("12"), time_of_id("-9"), time_of_id("x")), (None, None, None));
    }
}
