//! `keepsake import --visibility`: finds the channels that the person names among the channels of the files, before anything is
//! imported.
//!
//! A channel that is not in the files, or that an import would not change as requested, is an error. Skipping it would leave
//! something public that was meant to be private.

use keepsake_domain::{Channel, Visibility};
use keepsake_engine::{ChannelPreview, NewChannels};
use keepsake_store::ChannelVisibility;

use crate::output::Failure;

/// Number of channels that an error lists.
const CHANNELS_SHOWN: usize = 6;

/// One `--visibility`: a channel as the person names it, and who may see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named {
    channel: String,
    visibility: Visibility,
}

impl std::str::FromStr for Named {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let form = || format!("'{text}' is not CHANNEL=public or CHANNEL=private");
        // A channel id may also contain an equals sign.
        let (channel, visibility) = text.rsplit_once('=').filter(|(channel, _)| !channel.is_empty()).ok_or_else(form)?;
        Ok(Self { channel: channel.to_owned(), visibility: visibility.parse().map_err(|_| form())? })
    }
}

/// The choices for the channels of the files. `found` contains all channels that a preview of the files lists.
pub(crate) fn chosen(named: &[Named], found: &[ChannelPreview]) -> Result<NewChannels, Failure> {
    let mut choices = NewChannels::default();
    for Named { channel, visibility } in named {
        let one = find(channel, found)?;
        if one.is_known && one.visibility != ChannelVisibility::One(*visibility) {
            return Err(Failure::new(format!(
                "{} is already in Keepsake and is {}, which an import does not change: leave it out of --visibility, and change it \
                 with `keepsake channels set {} {visibility}`; nothing was imported",
                one.channel,
                one.visibility.name(),
                quoted(&one.channel)
            )));
        }
        if choices.chosen.insert(one.channel.clone(), *visibility).is_some_and(|before| before != *visibility) {
            return Err(Failure::new(format!(
                "{} is named twice in --visibility, as public and as private; nothing was imported",
                one.channel
            )));
        }
    }
    Ok(choices)
}

/// The channel with this name: `type:id`, or else an id or title that only one channel has.
fn find<'f>(name: &str, found: &'f [ChannelPreview]) -> Result<&'f ChannelPreview, Failure> {
    if let Some(exact) = found.iter().find(|one| one.channel.to_string() == name) {
        return Ok(exact);
    }
    let is_meant = |one: &&ChannelPreview| one.channel.channel_id == name || one.title.as_deref() == Some(name);
    let meant: Vec<&ChannelPreview> = found.iter().filter(is_meant).collect();
    match meant.as_slice() {
        [one] => Ok(one),
        [] => Err(Failure::new(format!(
            "there is no channel '{name}' in what would be imported; it has {}; nothing was imported",
            listed(found)
        ))),
        several => Err(Failure::new(format!(
            "'{name}' may be {}; write it as type:id; nothing was imported",
            several.iter().map(|one| one.channel.to_string()).collect::<Vec<_>>().join(" or ")
        ))),
    }
}

fn listed(found: &[ChannelPreview]) -> String {
    if found.is_empty() {
        return "no channels".to_owned();
    }
    let names: Vec<String> = found.iter().take(CHANNELS_SHOWN).map(|one| one.channel.to_string()).collect();
    match found.len() - names.len() {
        0 => names.join(", "),
        more => format!("{} and {more} more, which --dry-run --json lists", names.join(", ")),
    }
}

/// A channel, quoted as one shell argument.
fn quoted(channel: &Channel) -> String {
    let text = channel.to_string();
    let is_plain = text.chars().all(|c| c.is_ascii_alphanumeric() || ":_-.@/+".contains(c));
    if is_plain { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn preview(channel_type: &str, id: &str, title: &str, known: Option<Visibility>) -> ChannelPreview {
        ChannelPreview {
            channel: Channel { channel_type: channel_type.to_owned(), channel_id: id.to_owned() },
            title: Some(title.to_owned()),
            conversations: 1,
            messages: 3,
            people: 1,
            names: Vec::new(),
            is_known: known.is_some(),
            visibility: ChannelVisibility::One(known.unwrap_or(Visibility::Private)),
        }
    }

    #[test]
    fn a_channel_is_found_by_its_address_its_id_or_its_title_and_never_guessed() {
        let found = [
            preview("slack", "C1", "general", None),
            preview("slack", "C2", "random", None),
            preview("discord", "C2", "general", None),
            preview("slack", "C3", "board", Some(Visibility::Private)),
            preview("email", "a=b", "Bills", None),
        ];
        let check = |named: &[&str]| {
            let named: Vec<Named> = named.iter().map(|text| text.parse().unwrap()).collect();
            chosen(&named, &found).map_err(|failure| match failure {
                Failure::Message(words) => words,
                Failure::Closed => String::new(),
            })
        };
        let keys = |named: &[&str]| -> Vec<String> {
            check(named).unwrap().chosen.iter().map(|(channel, choice)| format!("{channel} {choice}")).collect()
        };
        assert_eq!(keys(&["slack:C2=public", "C1=private"]), ["slack:C1 private", "slack:C2 public"]);
        assert_eq!(keys(&["random=public", "a=b=public"]), ["email:a=b public", "slack:C2 public"]);
        assert_eq!(keys(&["board=private"]), ["slack:C3 private"], "it is so already");
        for (named, words) in [
            (["general=public"].as_slice(), "'general' may be slack:C1 or discord:C2"),
            (&["C2=public"], "may be slack:C2 or discord:C2"),
            (&["C9=public"], "there is no channel 'C9' in what would be imported; it has slack:C1, slack:C2"),
            (&["board=public"], "is already in Keepsake and is private"),
            (&["C1=public", "slack:C1=private"], "named twice"),
        ] {
            let error = check(named).unwrap_err();
            assert!(error.contains(words) && error.ends_with("nothing was imported"), "{named:?}: {error}");
        }
    }

    #[test]
    fn what_is_not_a_channel_with_a_visibility_is_refused() {
        for text in ["general", "=public", "general=", "general=open", "public"] {
            assert!(text.parse::<Named>().is_err(), "{text}");
        }
        assert_eq!(
            quoted(&Channel { channel_type: "whatsapp".to_owned(), channel_id: "Jo's".to_owned() }),
            r"'whatsapp:Jo'\''s'"
        );
    }
}
