//! What LINE itself writes in an export, in the languages in which it is used most. In any other language, such text stays a
//! message.

use crate::SkipReason;
use crate::conversation::clock_seconds;

/// What the text of a message is.
#[derive(Debug, PartialEq)]
pub(super) enum Said<'t> {
    /// A person's words.
    Words,
    /// A call, with its length in seconds if it took place.
    Call(Option<f64>),
    /// Members joined (`joined`) or left (`left`).
    Members { key: &'static str, names: Vec<&'t str> },
    /// A file of this name.
    File(&'t str),
    /// Text that is skipped for this reason.
    Skip(SkipReason),
}

/// Placeholders for a photo, a sticker or the like.
const MEDIA: &[&str] = &[
    "[Photo]", "[Photos]", "[Video]", "[Videos]", "[Sticker]", "[Stickers]", "[Voice message]", "[File]", "[Location]",
    "[Contact]", "[Gift]", "[Album]", "[Albums]", "[写真]", "[動画]", "[スタンプ]", "[ボイスメッセージ]", "[ファイル]",
    "[位置情報]", "[連絡先]", "[プレゼント]", "[アルバム]", "[照片]", "[影片]", "[貼圖]", "[語音訊息]", "[檔案]", "[位置訊息]",
    "[聯絡資訊]", "[禮物]", "[相簿]", "[视频]", "[贴图]", "[语音信息]", "[文件]", "[位置]", "[ภาพ]", "[รูปภาพ]", "[วิดีโอ]",
    "[สติกเกอร์]", "[ข้อความเสียง]", "[ไฟล์]", "[ตำแหน่ง]", "[ผู้ติดต่อ]", "[사진]", "[동영상]", "[스티커]", "[음성 메시지]", "[파일]",
    "[위치]",
];

/// Text before the name of a file.
const FILES: &[&str] = &["[File] ", "[ファイル] ", "[檔案] ", "[文件] ", "[ไฟล์] ", "[파일] "];

/// Text before the subject of a poll.
const POLLS: &[&str] = &["[Poll]", "[投票]", "[アンケート]", "[โหวต]", "[투표]"];

/// Endings of notices about an unsent message.
const UNSENT: &[&str] = &[
    "unsent a message.",
    "unsent a message",
    "Message unsent.",
    "メッセージの送信を取り消しました",
    "送信を取り消しました",
    "已收回訊息",
    "收回訊息",
    "撤回了一条消息",
    "ยกเลิกการส่งข้อความ",
    "메시지를 취소했습니다.",
];

/// Endings of notices about somebody who joined.
const JOINED: &[&str] = &[
    " joined the group.",
    " joined the group",
    " joined the chat.",
    "がグループに参加しました。",
    "がグループに参加しました",
    "已加入群組。",
    "已加入群組",
    "已加入该群",
    "เข้าร่วมกลุ่ม",
];

/// Endings of notices about somebody who left.
const LEFT: &[&str] = &[
    " left the group.",
    " left the group",
    " left the chat.",
    "がグループを退会しました。",
    "がグループを退会しました",
    "已離開群組。",
    "已離開群組",
    "已退群",
    "ออกจากกลุ่ม",
];

/// Whether a member joined or left, and the text before, between and after two names. The second name is that of the member.
const PAIRS: &[(&str, &str, &str, &str)] = &[
    ("joined", "", " added ", " to the group."),
    ("joined", "", " added ", " to the group"),
    ("joined", "", "が", "をグループに追加しました。"),
    ("joined", "", "已新增", "至群組。"),
    ("joined", "", "已新增", "至群組"),
    ("joined", "", "已将", "添加至群"),
    ("left", "", " removed ", " from the group."),
    ("left", "", "が", "をグループから退会させました。"),
];

/// The titles of an export, as the text before and after the chat's name.
const TITLES: &[(&str, &str)] = &[
    ("Chat history with ", ""),
    ("Chat history in ", ""),
    ("", "とのトーク履歴"),
    ("", "のトーク履歴"),
    ("與", "的聊天記錄"),
    ("", "的聊天記錄"),
    ("与", "的聊天记录"),
    ("", "的聊天记录"),
    ("ประวัติการสนทนากับ ", ""),
];

/// The name of the chat in the first line of an export. In an unknown language, it is the whole line.
pub(super) fn title(line: &str) -> Option<&str> {
    let marked = line.strip_prefix(super::MARK).map(str::trim);
    let title = marked.unwrap_or(line.trim());
    let named = TITLES.iter().find_map(|(before, after)| title.strip_prefix(before)?.strip_suffix(after));
    named.map(str::trim).filter(|name| !name.is_empty()).or(marked)
}

/// True if the text is the incomplete beginning of a phrase that LINE writes under a person's name.
pub(super) fn is_begun(text: &str) -> bool {
    let text = text.trim_end_matches('\u{fffd}');
    [MEDIA, FILES, POLLS, UNSENT].into_iter().flatten().any(|whole| whole.starts_with(text) && whole.len() > text.len())
}

/// Determines what the text sent by `name` is. Without a name, LINE wrote the text.
pub(super) fn said<'t>(text: &'t str, name: Option<&str>) -> Said<'t> {
    let text = text.trim();
    if MEDIA.contains(&text) {
        return Said::Skip(SkipReason::MediaPlaceholder);
    }
    if POLLS.iter().any(|poll| text.starts_with(poll)) {
        return Said::Skip(SkipReason::Poll);
    }
    if let Some(file) = FILES.iter().find_map(|mark| text.strip_prefix(mark)).filter(|file| !file.contains('\n')) {
        return if name.is_some() { Said::File(file) } else { Said::Words };
    }
    if let Some(call) = text.strip_prefix('☎') {
        return Said::Call(clock_seconds(call));
    }
    let is_own_notice = UNSENT.contains(&text);
    if is_own_notice || name.is_none() && UNSENT.iter().any(|end| text.ends_with(end)) {
        return Said::Skip(SkipReason::Deleted);
    }
    // A person could write any of these, but only LINE writes them without a name.
    if name.is_some() {
        return Said::Words;
    }
    for (key, before, between, after) in PAIRS {
        let names = text.strip_prefix(before).and_then(|rest| rest.strip_suffix(after)).and_then(|rest| rest.split_once(between));
        if let Some((_, member)) = names {
            return Said::Members { key, names: member.split(", ").collect() };
        }
    }
    for (key, ends) in [("joined", JOINED), ("left", LEFT)] {
        if let Some(member) = ends.iter().find_map(|end| text.strip_suffix(end)).map(str::trim) {
            return Said::Members { key, names: vec![member] };
        }
    }
    Said::Words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_chat_is_found_in_every_language() {
        for (line, name) in [
            ("[LINE] Chat history with Ana Lima", "Ana Lima"),
            ("Chat history in Bees", "Bees"),
            ("[LINE] Anaとのトーク履歴", "Ana"),
            ("[LINE] 蜂のトーク履歴", "蜂"),
            ("[LINE] 與Ana的聊天記錄", "Ana"),
            ("[LINE] ประวัติการสนทนากับ Ana", "Ana"),
            ("[LINE] Something in another language", "Something in another language"),
        ] {
            assert_eq!(title(line), Some(name));
        }
        assert_eq!(title("Saved on: 2026/01/09 12:00"), None);
    }

    #[test]
    fn what_line_writes_is_told_from_words() {
        let ana = Some("Ana");
        for (text, name, expect) in [
            ("[Sticker]", ana, Said::Skip(SkipReason::MediaPlaceholder)),
            ("[Sticker] is a funny word", ana, Said::Words),
            ("[File] list.pdf", ana, Said::File("list.pdf")),
            ("☎ Call time 1:02:03", ana, Said::Call(Some(3723.0))),
            ("☎ Missed call", ana, Said::Call(None)),
            ("Ana unsent a message.", None, Said::Skip(SkipReason::Deleted)),
            ("Bo said he unsent a message.", ana, Said::Words),
            ("Bo joined the group.", None, Said::Members { key: "joined", names: vec!["Bo"] }),
            ("Bo joined the group.", ana, Said::Words),
            ("Ana added Bo, Chidi to the group.", None, Said::Members { key: "joined", names: vec!["Bo", "Chidi"] }),
            ("AnaがBoをグループに追加しました。", None, Said::Members { key: "joined", names: vec!["Bo"] }),
            ("Boがグループを退会しました。", None, Said::Members { key: "left", names: vec!["Bo"] }),
            ("Ana changed the group's picture.", None, Said::Words),
        ] {
            assert_eq!(said(text, name), expect, "{text}");
        }
    }
}
