//! Who is in a room, as exports tell it: notices say who joined and left, and some exports list the members.
//!
//! Applied in the transaction that stores the messages, so that nobody who is there is missed for a moment.

use std::collections::BTreeMap;

use keepsake_domain::{Channel, ChannelHandle, Message, MessageType, Timestamp};
use keepsake_store::{Member, MemberMove, StoreError, WriteTx};
use serde_json::Value;

/// The members that an export lists for its channels.
pub(crate) type Listed = BTreeMap<Channel, Vec<ChannelHandle>>;

/// Notes the members of the channels of a batch.
pub(crate) fn follow(tx: &WriteTx<'_>, batch: &[Message], listed: &Listed) -> Result<(), StoreError> {
    let mut moves: BTreeMap<Channel, Vec<MemberMove>> = BTreeMap::new();
    for (channel, members) in listed {
        // A list does not say since when, so whatever a notice says counts more.
        let all = members.iter().map(|handle| MemberMove { member: Member::of(handle), at: Timestamp(i64::MIN), is_in: true });
        moves.entry(channel.clone()).or_default().extend(all);
    }
    for message in batch.iter().filter(|message| message.message_type == MessageType::Notice) {
        let told = moves_of(message);
        if !told.is_empty() {
            moves.entry(Channel::of(message)).or_default().extend(told);
        }
    }
    for (channel, mut moves) in moves {
        // Exports are not always in order.
        moves.sort_by_key(|one| one.at);
        tx.log().follow_members(&channel, &moves)?;
    }
    Ok(())
}

/// Who joined and left by what a notice says.
fn moves_of(message: &Message) -> Vec<MemberMove> {
    let of = |key: &str, is_in: bool| {
        let people = message.metadata.get(key).and_then(Value::as_array).into_iter().flatten();
        people.filter_map(move |person| Some(MemberMove { member: member_of(message, person)?, at: message.time, is_in }))
    };
    of("joined", true).chain(of("left", false)).collect()
}

/// Somebody whom a notice names. Some exports know only the name.
fn member_of(message: &Message, person: &Value) -> Option<Member> {
    let text = |key: &str| person.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    match text("handle") {
        Some(handle) => {
            let channel = message.author.handle.channel.clone();
            Some(Member::of(&ChannelHandle { channel, handle: handle.to_owned() }))
        }
        None => text("name").map(|name| Member::Name(name.to_owned())),
    }
}
