//! Determines from exports who is in a room: notices say who joined and left, and some exports list the members.
//!
//! The result is applied in the transaction that stores the messages, so that no member is missing even for a moment.

use std::collections::BTreeMap;

use keepsake_domain::{Channel, ChannelHandle, Message, MessageType, Timestamp};
use keepsake_store::{Member, MemberMove, StoreError, WriteTx};
use serde_json::Value;

/// The members that an export lists for its channels.
pub(crate) type Listed = BTreeMap<Channel, Vec<ChannelHandle>>;

/// Records the members of the channels in a batch.
pub(crate) fn follow(tx: &WriteTx<'_>, batch: &[Message], listed: &Listed) -> Result<(), StoreError> {
    let mut moves: BTreeMap<Channel, Vec<MemberMove>> = BTreeMap::new();
    for (channel, members) in listed {
        // A list does not say when somebody became a member, so notices take precedence.
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

/// Who joined and left, according to a notice.
fn moves_of(message: &Message) -> Vec<MemberMove> {
    let of = |key: &str, is_in: bool| {
        let people = message.metadata.get(key).and_then(Value::as_array).into_iter().flatten();
        people.filter_map(move |person| Some(MemberMove { member: member_of(message, person)?, at: message.time, is_in }))
    };
    of("joined", true).chain(of("left", false)).collect()
}

/// A person named in a notice. Some exports give only the name.
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
