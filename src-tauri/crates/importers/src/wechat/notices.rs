//! What WeChat itself writes in a conversation: who joined or left, and which messages were recalled.

use keepsake_domain::Message;
use serde_json::Value;

use crate::SkipReason;
use crate::conversation::{Room, note, person};

/// The notice that WeChat wrote as the text of `message`, or why there is none.
pub(super) fn notice(chat: &Room, message: Message) -> Result<Message, SkipReason> {
    let text = message.text.trim().to_owned();
    if text.is_empty() {
        return Err(SkipReason::Empty);
    }
    // Recalled by its sender or by the owner of a group.
    if text.contains("撤回了一条") || text.contains("recalled a message") {
        return Err(SkipReason::Deleted);
    }
    let mut notice = chat.notice(message.source.message, (message.time, message.time_certainty), text);
    if let Some((key, names)) = members(&notice.text) {
        let members = names.iter().map(|name| person(name, Some(name))).collect::<Value>();
        note(&mut notice.metadata, key, members);
    }
    Ok(notice)
}

/// The members who joined (`joined`) or left (`left`) according to a notice. Names are in quotation marks.
fn members(text: &str) -> Option<(&'static str, Vec<&str>)> {
    let names = quoted(text);
    if let Some((_, invited)) = text.split_once("邀请").filter(|(_, rest)| rest.contains("加入了群聊")) {
        return Some(("joined", split(&quoted(invited))));
    }
    if text.contains("加入群聊") || text.contains("加入了群聊") {
        // Somebody joined with a shared code. The person who shared it is named second.
        return Some(("joined", names.first().map(|name| vec![*name])?));
    }
    if let Some((_, removed)) = text.split_once('将').filter(|(_, rest)| rest.contains("移出了群聊")) {
        return Some(("left", split(&quoted(removed))));
    }
    text.contains("退出了群聊").then(|| names.first().map(|name| ("left", vec![*name])))?
}

/// The single names. One pair of quotation marks may contain several.
fn split<'t>(names: &[&'t str]) -> Vec<&'t str> {
    names.iter().flat_map(|names| names.split('、')).collect()
}

/// The text in quotation marks of either kind.
fn quoted(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once(['"', '\u{201c}']) {
        let Some((name, next)) = after.split_once(['"', '\u{201d}']) else { break };
        names.push(name);
        rest = next;
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_came_and_went_is_read_from_the_notices() {
        for (text, expect) in [
            ("\"Ana\"邀请\"Bo、Chidi\"加入了群聊", Some(("joined", vec!["Bo", "Chidi"]))),
            ("你邀请“Bo”加入了群聊", Some(("joined", vec!["Bo"]))),
            ("\"Bo\"通过扫描\"Ana\"分享的二维码加入群聊", Some(("joined", vec!["Bo"]))),
            ("你将\"Bo\"移出了群聊", Some(("left", vec!["Bo"]))),
            ("\"Bo\"退出了群聊", Some(("left", vec!["Bo"]))),
            ("\"Ana\"修改群名为“蜂”", None),
            ("\"never closed", None),
        ] {
            assert_eq!(members(text), expect, "{text}");
        }
    }
}
