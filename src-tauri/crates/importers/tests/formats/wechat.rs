//! WeChat conversations in the JSON of the programs that read its database. The fixture has every kind of message, notices about
//! members, a recording of a chat that is passed on, and entries without an id, a time, a sender or an object.

use expect_test::expect;

use super::*;

pub(crate) fn format() -> Format {
    Format {
        name: "WeChat (WeFlow)",
        kind: SourceKind::Wechat,
        export: "wechat/group.json",
        grown: "wechat/group-later.json",
        me: None,
        cells: vec![
            cell(Feature::Author, Outcome::Read, |all| {
                all.saying("See you").is_some_and(|message| message.author.role == Role::Owner)
                    && all.saying("春天见").is_some_and(|message| message.author.handle.handle == "wxid_ana")
            }),
            cell(Feature::Time, Outcome::Read, |all| {
                all.saying("春天见").is_some_and(|message| message.time == Timestamp(1_767_960_000_000))
            }),
            cell(Feature::Reply, Outcome::Read, |all| {
                let first = all.saying("春天见").map(|message| message.source.message.clone());
                first.is_some() && all.saying("Saturday is fine").is_some_and(|message| message.reply_to == first)
            }),
            cell(Feature::Thread, Outcome::Absent, |_| true),
            cell(Feature::Edit, Outcome::Absent, |_| true),
            cell(Feature::Deletion, Outcome::LeftOut, |all| all.skipped(SkipReason::Deleted)),
            cell(Feature::Forward, Outcome::Read, |all| {
                all.saying("I saw a swarm").is_some_and(|message| {
                    message.message_type == MessageType::Forward && message.metadata["forwarded_from"] == "Bo, Eve, unknown"
                })
            }),
            cell(Feature::Reaction, Outcome::Absent, |_| true),
            cell(Feature::Attachment, Outcome::Kept, |all| {
                all.saying("plan.pdf").is_some_and(|message| message.message_type == MessageType::File)
            }),
            cell(Feature::Members, Outcome::Kept, |all| {
                all.saying("邀请").is_some_and(|message| message.metadata["joined"][1]["name"] == "Chidi")
            }),
            cell(Feature::Bot, Outcome::Read, |all| {
                all.saying("official account").is_some_and(|message| message.author.role == Role::Assistant)
            }),
            cell(Feature::Disappearing, Outcome::Absent, |_| true),
            cell(Feature::Call, Outcome::Kept, |all| all.saying("Call, 12 minutes 3 seconds").is_some()),
            cell(Feature::Poll, Outcome::Absent, |_| true),
        ],
    }
}

pub(crate) fn shared() -> Format {
    Format {
        name: "WeChat, passed on as text",
        kind: SourceKind::Wechat,
        export: "wechat/shared.txt",
        grown: "wechat/shared-later.txt",
        me: Some("Mara"),
        cells: vec![
            cell(Feature::Author, Outcome::Read, |all| {
                all.saying("See you").is_some_and(|message| message.author.role == Role::Owner)
                    && all.saying("A new day").is_some_and(|message| message.author.name == "Bo Tanaka 蜂")
            }),
            cell(Feature::Time, Outcome::Read, |all| {
                all.saying("春天见").is_some_and(|message| {
                    message.time == Timestamp(1_767_988_800_000) && message.time_certainty == TimeCertainty::LocalAssumed
                })
            }),
            cell(Feature::Reply, Outcome::Absent, |_| true),
            cell(Feature::Thread, Outcome::Absent, |_| true),
            cell(Feature::Edit, Outcome::Absent, |_| true),
            cell(Feature::Deletion, Outcome::Absent, |_| true),
            cell(Feature::Forward, Outcome::Absent, |_| true),
            cell(Feature::Reaction, Outcome::Absent, |_| true),
            cell(Feature::Attachment, Outcome::Kept, |all| {
                all.saying("hive one.jpg").is_some_and(|message| message.message_type == MessageType::File)
            }),
            cell(Feature::Members, Outcome::Absent, |_| true),
            cell(Feature::Bot, Outcome::Absent, |_| true),
            cell(Feature::Disappearing, Outcome::Absent, |_| true),
            cell(Feature::Call, Outcome::Absent, |_| true),
            cell(Feature::Poll, Outcome::Absent, |_| true),
        ],
    }
}

#[test]
fn messages_that_were_passed_on_are_read_with_and_without_empty_lines() {
    check(
        &fixture("wechat/shared.txt"),
        Some("Mara"),
        expect![[r##"
        # h-afdadf6dfa132992 “Ana 和 Mara” wechat h-afdadf6dfa132992 private
        h-5f343396ae2e9bad 2026-01-09T20:00:00 local Ana 🐝 <Ana 🐝> person: 春天见！ <b>&amp;</b>
        h-12f9dbe7a2e07a80 2026-01-09T20:00:00 local Mara <Mara> owner: See you 🌸\non Saturday\n\nand Sunday
        h-26f074798fa9476b 2026-01-09T20:01:00 local Ana 🐝 <Ana 🐝> person file {"attachments":[{"name":"hive one.jpg"}]}: hive one.jpg
        h-3fc17a1cede3753a 2026-01-09T20:02:00 local Mara <Mara> owner: [later] is what I wrote
        h-ac57c1ac67b57913 2026-01-09T20:03:00 local Ana 🐝 <Ana 🐝> person: The market opens at  9:00 sharp
        h-4e593540aa8a1683 2026-01-09T20:05:00 local Mara <Mara> owner: Same words
        h-4e593540aa8a1683-2 2026-01-09T20:05:00 local Mara <Mara> owner: Same words
        h-c311328cc30a8845 2026-01-10T08:05:00 local Bo Tanaka 蜂 <Bo Tanaka 蜂> person: A new day
        skipped 1 empty: Ana 🐝
        skipped 1 media_placeholder: [语音]
    "##]],
    );
    check(
        &fixture("wechat/compact.txt"),
        None,
        expect![[r#"
        # h-2b477c755a4fc20d “蜂” wechat h-2b477c755a4fc20d private
        h-9553b9ed23f9ed75 2026-01-09T17:34:00 local Ana 11:00-20:00 <Ana 11:00-20:00> person: words right below
        skipped 1 media_placeholder: [Photo]
    "#]],
    );
}

#[test]
fn text_with_dates_is_of_wechat_only_if_the_person_says_so() {
    for (name, expect) in [
        ("wechat/dated.txt", &["春天见！", "See you\non Saturday", "see 2026-01-09 20:00:10 there"][..]),
        ("wechat/dated-behind.txt", &["Hello", "Hi"]),
    ] {
        let path = fixture(name);
        assert!(matches!(sniff(&path), Err(ImportError::Unknown { .. })), "{name} could be anything: {:?}", sniff(&path));
        assert!(may_be(&path).unwrap().contains(&SourceKind::Wechat), "{name}");
        let named = ImportOptions { source: Some(SourceKind::Wechat), ..options(Some("Mara")) };
        let found = read(&path, &named).unwrap();
        assert_eq!(found.messages.iter().map(|message| message.text.as_str()).collect::<Vec<_>>(), expect, "{name}");
        assert!(found.messages.iter().any(|message| message.author.role == Role::Owner), "{name}");
        assert_eq!(found.ids(), read(&path, &named).unwrap().ids(), "twice the same");
        let other = ImportOptions { source: Some(SourceKind::Telegram), ..options(None) };
        assert!(read(&path, &other).is_err(), "{name} is no chat of Telegram");
    }
    let folder = tempfile::tempdir().unwrap();
    let letter = folder.path().join("letter.txt");
    fs::write(&letter, "Dear Ana,\non 2026-01-09 20:00 we meet.\n").unwrap();
    assert!(!may_be(&letter).unwrap().contains(&SourceKind::Wechat));
}

#[test]
fn every_message_of_wechat_is_told_or_counted() {
    check(
        &fixture("wechat/group.json"),
        None,
        expect![[r##"
        # 123@chatroom “蜂 & friends” wechat 123@chatroom private
        9000000000000000001 2026-01-09T12:00:00Z Ana 🐝 <wxid_ana> person: 春天见！ <b>&amp;</b>
        9000000000000000002 2026-01-09T12:00:10Z Mara <wxid_mara> owner: See you 🌸
        9000000000000000003 2026-01-09T12:00:20Z Mara <wxid_mara> owner reply-to=9000000000000000001: Saturday is fine
        9000000000000000004 2026-01-09T12:00:30Z Queen Ana <wxid_ana> person: with a name in the group
        9000000000000000006 2026-01-09T12:00:41Z Ana 🐝 <wxid_ana> person file {"attachments":[{"name":"hive one.jpg"}]}: hive one.jpg
        9000000000000000007 2026-01-09T12:00:42Z Ana 🐝 <wxid_ana> person file {"attachments":[{"name":"plan.pdf"}]}: plan.pdf
        9000000000000000009 2026-01-09T12:00:44Z Ana 🐝 <wxid_ana> person voice: I will bring honey
        9000000000000000011 2026-01-09T12:00:46Z Ana 🐝 <wxid_ana> person file {"attachments":[{"name":"The meadow, gate 3"}]}: The meadow, gate 3
        9000000000000000012 2026-01-09T12:00:50Z Ana 🐝 <wxid_ana> person forward {"forwarded_from":"卡片式链接"}: How to keep bees
        9000000000000000013 2026-01-09T12:00:51Z Ana 🐝 <wxid_ana> person forward {"records":[{"sender":"Bo","senderDisplayName":"Bo","type":"文本消息","content":"I saw a swarm"},{"sender":"Eve","senderDisplayName":"Eve","content":"Where?"},{"content":5}],"forwarded_from":"Bo, Eve, unknown"}: 群聊的聊天记录\nBo: I saw a swarm\nEve: Where?
        9000000000000000014 2026-01-09T12:01:00Z WeChat <WeChat> system notice {"joined":[{"name":"Bo","handle":"Bo"},{"name":"Chidi","handle":"Chidi"}]}: "Ana 🐝"邀请"Bo、Chidi"加入了群聊
        9000000000000000015 2026-01-09T12:01:01Z WeChat <WeChat> system notice {"left":[{"name":"Bo","handle":"Bo"}]}: 你将"Bo"移出了群聊
        9000000000000000017 2026-01-09T12:01:03Z WeChat <WeChat> system notice: "Ana 🐝"修改群名为“蜂”
        9000000000000000019 2026-01-09T12:01:10Z WeChat <WeChat> system notice {"actor":{"name":"Ana 🐝","handle":"wxid_ana"}}: Call, 12 minutes 3 seconds
        9000000000000000020 2026-01-09T12:01:11Z WeChat <WeChat> system notice {"actor":{"name":"Ana 🐝","handle":"wxid_ana"}}: 恭喜发财
        9000000000000000022 2026-01-09T12:01:13Z Ana 🐝 <wxid_ana> person: The market is on Saturday
        9000000000000000023 2026-01-09T12:01:14Z Bee News <gh_abc123> assistant: I am an official account
        9000000000000000024 2026-01-09T12:01:20Z Ana 🐝 <wxid_ana> person unknown {"content_type":"未知类型(88)"}: ?
        h-5d4b983c18ca9416 2026-01-09T12:01:23Z Ana 🐝 <wxid_ana> person: without an id
        h-5d4b983c18ca9416-2 2026-01-09T12:01:23Z Ana 🐝 <wxid_ana> person: without an id
        h-8ad22b3557116ca1 2026-01-09T12:01:24Z Ana 🐝 <wxid_ana> person: an id of zero
        9000000000000000030 2026-01-09T12:01:24 inferred Ana 🐝 <wxid_ana> person: without a time
        skipped 2 malformed: "not an object"
        skipped 2 missing_field: {    "localId": 31,    "createTime": 1767960086,    "formattedTime": "2026-01-09 20:00:00",    "type": "文本消息",    "loca…
        skipped 3 empty: {    "localId": 18,    "createTime": 1767960064,    "formattedTime": "2026-01-09 20:00:00",    "type": "系统消息",    "loca…
        skipped 1 repeated: {    "localId": 1,    "createTime": 1767960000,    "formattedTime": "2026-01-09 20:00:00",    "type": "文本消息",    "local…
        skipped 3 media_placeholder: {    "localId": 5,    "createTime": 1767960040,    "formattedTime": "2026-01-09 20:00:00",    "type": "图片消息",    "local…
        skipped 1 deleted: {    "localId": 16,    "createTime": 1767960062,    "formattedTime": "2026-01-09 20:00:00",    "type": "系统消息",    "loca…
        skipped 1 platform_notice: {    "localId": 21,    "createTime": 1767960072,    "formattedTime": "2026-01-09 20:00:00",    "type": "转账卡片",    "loca…
    "##]],
    );
}

#[test]
fn who_the_owner_is_stays_open_where_the_form_does_not_tell() {
    let is_known = |name: &str, me: Option<&str>| preview(&fixture(name), &options(me), &|| false).unwrap().is_owner_known;
    assert!(!is_known("wechat/shared.txt", None), "passed on messages have names only");
    assert!(is_known("wechat/shared.txt", Some("Mara")), "until the person says who they are");
    assert!(is_known("wechat/group.json", None), "control: a record says what was sent");
}
