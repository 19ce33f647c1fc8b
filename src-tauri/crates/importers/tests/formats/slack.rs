//! Slack workspace exports.

use std::fs;

use expect_test::expect;
use keepsake_domain::{MessageType, Role, SourceKind, TimeCertainty, Visibility};
use keepsake_importers::SkipReason;

use crate::{Feature, Format, Outcome, cell, check, fixture, options, read};

pub(crate) fn format() -> Format {
    Format {
        name: "Slack",
        kind: SourceKind::Slack,
        export: "slack/export",
        grown: "slack/grown",
        me: Some("mara"),
        cells: vec![
            cell(Feature::Author, Outcome::Read, |read| {
                let own = read.saying("old hive").unwrap();
                let other = read.saying("other workspace").unwrap();
                (own.author.role, own.author.handle.handle.as_str()) == (Role::Owner, "U0MARA")
                    && (other.author.role, other.author.name.as_str()) == (Role::Person, "noor")
            }),
            cell(Feature::Time, Outcome::Read, |read| {
                read.messages.iter().all(|message| message.time_certainty == TimeCertainty::Exact)
                    && read.messages.iter().all(|message| message.visibility == Visibility::Private)
            }),
            cell(Feature::Reply, Outcome::Read, |read| {
                read.saying("the frames").unwrap().reply_to.as_deref() == Some("1767261700.000200")
            }),
            cell(Feature::Thread, Outcome::Read, |read| {
                read.saying("Sent to all").unwrap().metadata["thread"] == "1767261700.000200"
            }),
            cell(Feature::Edit, Outcome::Kept, |read| {
                read.saying("old hive").unwrap().metadata["edited_at"] == "2026-01-01T10:03:20Z"
                    && read.skipped(SkipReason::NotAMessage)
            }),
            cell(Feature::Deletion, Outcome::LeftOut, |read| read.skipped(SkipReason::Deleted)),
            cell(Feature::Forward, Outcome::Read, |read| {
                let forward = read.saying("The queen is").unwrap();
                forward.message_type == MessageType::Forward
                    && forward.metadata["forwarded_from"] == "Ana Lima"
                    && read.saying("I agree").unwrap().metadata["quoted"][0]["text"] == "Wax is cheap now"
            }),
            cell(Feature::Reaction, Outcome::Kept, |read| {
                read.saying("old hive").unwrap().metadata["reactions"][0]["by"][0] == "Ana Lima"
            }),
            cell(Feature::Attachment, Outcome::Kept, |read| {
                read.saying("hive-plan.pdf").unwrap().message_type == MessageType::File
                    && read.saying("the smoker").unwrap().message_type == MessageType::Voice
            }),
            cell(Feature::Members, Outcome::Kept, |read| {
                read.saying("Ana Lima joined").unwrap().metadata["joined"][0]["handle"] == "U0ANA"
                    && read.saying("left").unwrap().metadata["left"][0]["name"] == "Jure 🐝"
            }),
            cell(Feature::Bot, Outcome::Read, |read| {
                ["failed", "Deployed by", "/giphy"].iter().all(|said| read.saying(said).unwrap().author.role == Role::Assistant)
            }),
            cell(Feature::Disappearing, Outcome::Absent, |_| true),
            cell(Feature::Call, Outcome::Kept, |read| {
                read.saying("Call, 12 minutes").unwrap().message_type == MessageType::Notice
            }),
            cell(Feature::Poll, Outcome::Absent, |_| true),
        ],
    }
}

#[test]
fn a_workspace_gives_what_was_said_in_every_room() {
    check(
        &fixture("slack/export"),
        Some("mara"),
        expect![[r##"
            # D0MARAANA “mara o, Ana Lima” slack D0MARAANA private
            1767265040.000100 2026-01-01T10:57:20Z Ana Lima <U0ANA> person {"author_email":"ana@hive.example"}: Are you coming on Sunday?
            1767265050.000100 2026-01-01T10:57:30Z mara o <U0MARA> owner {"author_email":"mara@hive.example"}: Yes, I am
            # C0CANVAS “FC:F0PLAN:🔗 Plan” slack C0CANVAS private
            1767265070.000100 2026-01-01T10:57:50Z Ana Lima <U0ANA> person {"author_email":"ana@hive.example"}: A comment on the canvas
            # C0BEES “bees” slack C0BEES private
            1767261600.000100 2026-01-01T10:00:00Z Slack <slack> system notice {"joined":[{"name":"Ana Lima","handle":"U0ANA"}],"invited_by":"mara o"}: Ana Lima joined
            1767261660.000100 2026-01-01T10:01:00Z Slack <slack> system notice: Ana Lima set the channel topic: Hives & honey
            1767261661.000100 2026-01-01T10:01:01Z Slack <slack> system notice: Jure 🐝 pinned a message to this channel.
            1767261700.000200 2026-01-01T10:01:40Z mara o <U0MARA> owner {"links":["https://bees.example/a?x=1&y=2"],"author_email":"mara@hive.example","edited_at":"2026-01-01T10:03:20Z","reactions":[{"emoji":":bee:","count":2,"by":["Ana Lima","Jure 🐝"]},{"emoji":":thumbsup::skin-tone-3:","count":1,"by":["U0GONE"]}]}: I keep the *old hive* <3 & the new one, see the plan or bees.example
            1767261900.000300 2026-01-01T10:05:00Z Ana Lima <U0ANA> person reply-to=1767261700.000200 {"author_email":"ana@hive.example","thread":"1767261700.000200"}: @mara o the frames @ghost built? @here :honey_pot:
            1767262000.000400 2026-01-01T10:06:40Z Jure 🐝 <W0JURE> person: Bučke so na vrtu. Čmrlji tudi! 🐝
            1767262100.000500 2026-01-01T10:08:20Z noor <U0PARTNER> person: From the other workspace: we have wax.
            1767262200.000600 2026-01-01T10:10:00Z ci <B0CI> assistant {"links":["https://ci.example/7"]}: Build #7 failed\nTests\n`hive_test` failed
            1767262300.000700 2026-01-01T10:11:40Z Deploy Bot <U0DEPLOY> assistant: Deployed by @Ana Lima\nin 2 minutes
            1767262400.000800 2026-01-01T10:13:20Z giphy <B0GIPHY> assistant {"in_name_of":"mara o"}: /giphy bees
            1767262500.000900 2026-01-01T10:15:00Z Ana Lima <U0ANA> person file {"attachments":[{"name":"hive-plan.pdf","media_type":"application/pdf"},{"name":"größe.png","media_type":"image/png"}],"author_email":"ana@hive.example"}: hive-plan.pdf, größe.png
            1767262600.001000 2026-01-01T10:16:40Z mara o <U0MARA> owner {"attachments":[{"name":"hive-plan.pdf","media_type":"application/pdf"}],"author_email":"mara@hive.example"}: The plan again
            1767262800.001200 2026-01-01T10:20:00Z mara o <U0MARA> owner voice {"attachments":[{"name":"audio_message.m4a","media_type":"audio/mp4"}],"author_email":"mara@hive.example"}: I will bring the smoker on Sunday.
            1767262900.001300 2026-01-01T10:21:40Z mara o <U0MARA> owner forward {"forwarded_from":"Ana Lima","author_email":"mara@hive.example"}: The queen is in the #bees hive
            1767263000.001400 2026-01-01T10:23:20Z mara o <U0MARA> owner {"quoted":[{"from":"Jure Žigon","text":"Wax is cheap now"}],"author_email":"mara@hive.example"}: I agree with this one
            1767263100.001500 2026-01-01T10:25:00Z Ana Lima <U0ANA> person {"previews":[{"url":"https://news.example/bees","title":"Bees in winter"}],"author_email":"ana@hive.example"}: https://news.example/bees
            1767263200.001600 2026-01-01T10:26:40Z Ana Lima <U0ANA> person {"subtype":"me_message","author_email":"ana@hive.example"}: waves
            1767263500.001900 2026-01-01T10:31:40Z Ana Lima <U0ANA> person unknown {"subtype":"some_new_kind","author_email":"ana@hive.example"}: A kind from the future
            1767263600.002000 2026-01-01T10:33:20Z Slackbot <USLACKBOT> system notice: Reminder: feed the bees.
            1767263700.002100 2026-01-01T10:35:00Z Slack <slack> system notice {"participants":["Ana Lima","mara o"]}: Call, 12 minutes
            1767264500.002200 2026-01-01T10:48:20Z Slack <slack> system notice {"left":[{"name":"Jure 🐝","handle":"W0JURE"}]}: Jure 🐝 left
            1767264600.002300 2026-01-01T10:50:00Z Ana Lima <U0ANA> person {"attachments":[{"name":"hive-plan.pdf"}],"author_email":"ana@hive.example"}: The entrance is too small
            1767348000.000100 2026-01-02T10:00:00Z mara o <U0MARA> owner reply-to=1767261700.000200 {"author_email":"mara@hive.example","thread":"1767261700.000200"}: Sent to all as well
            1767350000.000100 2026-01-02T10:33:20Z Ana Lima <U0ANA> person {"author_email":"ana@hive.example"}: Line one\nLine two ana@hive.example 2 January
            # G0SECRET “board” slack G0SECRET private
            1767265020.000100 2026-01-01T10:57:00Z Jure 🐝 <W0JURE> person: The board says yes
            1767265030.000100 2026-01-01T10:57:10Z Slack <slack> system notice {"joined":[{"name":"mara o","handle":"U0MARA"}]}: mara o joined
            # C0HONIG “honig-ernte-größe” slack C0HONIG private
            1767265000.000100 2026-01-01T10:56:40Z Ana Lima <U0ANA> person {"author_email":"ana@hive.example"}: Forty jars of honey
            # C0HIDDEN “keepers” slack C0HIDDEN private
            1767265010.000100 2026-01-01T10:56:50Z mara o <U0MARA> owner {"author_email":"mara@hive.example"}: Only for keepers
            # left-behind “left-behind” slack left-behind private
            1767265080.000100 2026-01-01T10:58:00Z mara o <U0MARA> owner {"author_email":"mara@hive.example"}: ../../etc is no folder
            # G0THREE “mara o, Ana Lima, Jure 🐝” slack G0THREE private
            1767265060.000100 2026-01-01T10:57:40Z Jure 🐝 <W0JURE> person: All three of us
            skipped 4 malformed: "a string"
            skipped 4 missing_field: {   "type": "message",   "ts": "1767264800.002500",   "text": "Nobody said this"  }
            skipped 2 empty: {   "type": "message",   "user": "U0ANA",   "ts": "1767264900.002600",   "text": ""  }
            skipped 1 repeated: Bučke so na vrtu. Čmrlji tudi! 🐝
            skipped 2 not_a_message: {   "type": "message",   "subtype": "message_changed",   "hidden": true,   "ts": "1767263400.001800",   "message": {   …
            skipped 1 media_placeholder: {   "client_msg_id": "0f0f0f0f-0000-4000-8000-262710001100",   "type": "message",   "user": "U0ANA",   "text": "",   "t…
            skipped 3 deleted: {   "client_msg_id": "0f0f0f0f-0000-4000-8000-262700001100",   "type": "message",   "user": "U0ANA",   "text": "",   "t…
        "##]],
    );
}

#[test]
fn a_file_sent_before_2018_has_the_words_of_who_sent_it_and_not_the_sentence_of_slack() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let sent = |ts: &str, text: &str, file: &str| {
        format!(
            r#"{{"type":"message","subtype":"file_share","user":"U1","upload":true,"ts":"{ts}","text":"{text}","file":{{"name":"hive.md"{file}}}}}"#
        )
    };
    let day = [
        sent(
            "1516457078.000065",
            "<@U1> uploaded a file: <https://x.example|hive.md> and commented: look at this",
            r#","initial_comment":{"user":"U1","comment":"look at this"}"#,
        ),
        sent("1516457079.000065", "<@U1> uploaded a file: <https://x.example|hive.md>", ""),
        sent("1516457080.000065", "my own words", ""),
    ];
    write("users.json", r#"[{"id":"U1","name":"ana","profile":{}}]"#);
    write("channels.json", r#"[{"id":"C1","name":"bees"}]"#);
    write("bees/2018-01-20.json", &format!("[{}]", day.join(",")));
    let found = read(folder.path(), &options(None)).unwrap();
    let said: Vec<_> = found.messages.iter().map(|message| (message.text.as_str(), message.message_type)).collect();
    let expect = [("look at this", MessageType::Text), ("hive.md", MessageType::File), ("my own words", MessageType::Text)];
    assert_eq!(said, expect);
    assert!(found.messages.iter().all(|message| message.metadata.contains_key("attachments")));
}
