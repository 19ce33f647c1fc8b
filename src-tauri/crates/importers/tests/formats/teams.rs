//! The export of a personal account of Teams or Skype.

use expect_test::expect;
use keepsake_domain::{MessageType, Role, SourceKind, TimeCertainty};
use keepsake_importers::SkipReason;

use crate::{Feature, Format, Outcome, cell, check, fixture};

pub(crate) fn format() -> Format {
    Format {
        name: "Teams and Skype (personal account)",
        kind: SourceKind::Teams,
        export: "teams/messages.json",
        grown: "teams/grown.json",
        me: None,
        cells: vec![
            cell(Feature::Author, Outcome::Read, |read| {
                let (own, other) = (read.saying("I keep").unwrap(), read.saying("And the frames?").unwrap());
                own.author.role == Role::Owner && (other.author.role, other.author.name.as_str()) == (Role::Person, "Ana Lima")
            }),
            cell(Feature::Time, Outcome::Read, |read| {
                read.messages.iter().all(|message| message.time_certainty == TimeCertainty::Exact)
            }),
            cell(Feature::Reply, Outcome::Read, |read| {
                let reply = read.saying("And the frames?").unwrap();
                reply.reply_to == Some(read.saying("I keep").unwrap().source.message.clone())
                    && reply.metadata["quoted"]["text"] == "I keep the old hive"
            }),
            cell(Feature::Thread, Outcome::Absent, |_| true),
            cell(Feature::Edit, Outcome::Kept, |read| {
                let edited = read.messages.iter().find(|message| message.text == "Forty jars").unwrap();
                edited.metadata["edited_at"] == "2026-01-01T10:01:05Z"
            }),
            cell(Feature::Deletion, Outcome::LeftOut, |read| read.skipped(SkipReason::Deleted) && read.saying("Gone").is_none()),
            cell(Feature::Forward, Outcome::Read, |read| {
                let forward = read.saying("Forty jars in June").unwrap();
                forward.message_type == MessageType::Forward && forward.metadata["forwarded_from"] == "Noor Haddad"
            }),
            cell(Feature::Reaction, Outcome::Kept, |read| {
                read.saying("I keep").unwrap().metadata["reactions"][0]["by"][0] == "Ana Lima"
            }),
            cell(Feature::Attachment, Outcome::Kept, |read| {
                read.saying("hive-plan.pdf").unwrap().message_type == MessageType::File
                    && read.saying("The plan again").unwrap().metadata["attachments"][0]["name"] == "hive-plan.pdf"
            }),
            cell(Feature::Members, Outcome::Kept, |read| {
                read.saying("Jure Žigon joined").unwrap().metadata["joined"][0]["handle"] == "8:jure"
                    && read.saying("left").unwrap().metadata["left"][0]["handle"] == "8:jure"
            }),
            cell(Feature::Bot, Outcome::Read, |read| read.saying("Build 7").unwrap().author.role == Role::Assistant),
            cell(Feature::Disappearing, Outcome::Absent, |_| true),
            cell(Feature::Call, Outcome::Kept, |read| {
                read.saying("Call, 12 minutes").is_some() && read.saying("Call, missed").is_some()
            }),
            cell(Feature::Poll, Outcome::Kept, |read| {
                read.saying("When do we harvest?").unwrap().message_type == MessageType::Notice
            }),
        ],
    }
}

#[test]
fn an_account_gives_its_conversations() {
    check(
        &fixture("teams/messages.json"),
        None,
        expect![[r##"
            # 8:live:ana.lima “Ana Lima” teams 8:live:ana.lima private
            1767261601001 2026-01-01T10:00:01Z Ana Lima <8:live:ana.lima> person: Are you coming on Sunday?
            1767261602001 2026-01-01T10:00:02Z live:.cid.mara01 <8:live:.cid.mara01> owner: Yes, I am
            # 19:hive@thread.v2 “Bees & honey” teams 19:hive@thread.v2 private
            1767261601001 2026-01-01T10:00:01Z Teams <teams> system notice {"joined":[{"name":"Ana Lima","handle":"8:live:ana.lima"},{"name":"Jure Žigon","handle":"8:jure"}]}: live:.cid.mara01 added Ana Lima, Jure Žigon
            1767261602001 2026-01-01T10:00:02Z Teams <teams> system notice {"joined":[{"name":"Jure Žigon","handle":"8:jure"}]}: Jure Žigon joined
            1767261603001 2026-01-01T10:00:03Z Teams <teams> system notice: live:.cid.mara01 named the conversation Bees & honey
            1767261610001 2026-01-01T10:00:10Z live:.cid.mara01 <8:live:.cid.mara01> owner {"reactions":[{"emoji":"heart","count":2,"by":["Ana Lima","gone"]}]}: I keep the old hive <3 & the new one (bee)
            1767261620001 2026-01-01T10:00:20Z Ana Lima <8:live:ana.lima> person reply-to=1767261610001 {"quoted":{"from":"Mara","text":"I keep the old hive"}}: And the frames?
            1767261630001 2026-01-01T10:00:30Z live:.cid.mara01 <8:live:.cid.mara01> owner reply-to=1767261610001 {"quoted":{"from":"Ana Lima","text":"And the frames?"}}: Yes, Ana Lima:\n- built\n- waxed 🍯
            1767261640001 2026-01-01T10:00:40Z Ana Lima <8:live:ana.lima> person forward {"forwarded_from":"Jure Žigon"}: Wax is cheap now
            1767261650001 2026-01-01T10:00:50Z live:.cid.mara01 <8:live:.cid.mara01> owner forward {"forwarded_from":"Noor Haddad"}: Forty jars in June
            1767261651001 2026-01-01T10:00:51Z live:.cid.mara01 <8:live:.cid.mara01> owner {"quoted":{"from":"Noor Haddad","text":"Forty jars in June"}}: Look at this
            1767261660001 2026-01-01T10:01:00Z Ana Lima <8:live:ana.lima> person {"edited_at":"2026-01-01T10:01:05Z"}: Forty jars
            1767261670001 2026-01-01T10:01:10Z Ana Lima <8:live:ana.lima> person {"edited_at":"2026-01-01T10:01:15Z"}: Plain 1 < 2 & <3
            1767261690001 2026-01-01T10:01:30Z live:.cid.mara01 <8:live:.cid.mara01> owner file {"attachments":[{"name":"hive-plan.pdf"}]}: hive-plan.pdf
            1767261691001 2026-01-01T10:01:31Z live:.cid.mara01 <8:live:.cid.mara01> owner file {"attachments":[{"name":"größe.jpg"}]}: größe.jpg
            1767261692001 2026-01-01T10:01:32Z live:.cid.mara01 <8:live:.cid.mara01> owner {"attachments":[{"name":"hive-plan.pdf"}]}: The plan again
            1767261695001 2026-01-01T10:01:35Z Ana Lima <8:live:ana.lima> person unknown {"type":"RichText/Location"}: Vrt 1, Bohinj
            1767261696001 2026-01-01T10:01:36Z Teams <teams> system notice: Ana Lima asked: When do we harvest?
            1767262420001 2026-01-01T10:13:40Z Teams <teams> system notice {"participants":["Ana & co"]}: Call, 12 minutes 1 second
            1767262430001 2026-01-01T10:13:50Z Teams <teams> system notice: Call, missed
            1767262440001 2026-01-01T10:14:00Z Build <28:build-bot> assistant: Build 7 failed
            1767262450001 2026-01-01T10:14:10Z Teams <teams> system notice {"left":[{"name":"Jure Ž.","handle":"8:jure"}]}: Jure Ž. left
            1767262451001 2026-01-01T10:14:11Z Teams <teams> system notice {"left":[{"name":"spam","handle":"8:spam"}]}: live:.cid.mara01 removed spam
            1767262470001 2026-01-01T10:14:30Z Ana Lima <8:live:ana.lima> person unknown {"type":"RichText/NewKind"}: A kind from the future
            1767262480001 2026-01-01T10:14:40Z Ana Lima <8:live:ana.lima> person: No time but an id
            ../../etc 2026-01-01T10:14:42Z Ana Lima <8:live:ana.lima> person: A hostile id
            h-658cbf9a653378f1 2026-01-01T10:14:45Z Ana Lima <8:live:ana.lima> person: No id
            h-658cbf9a653378f1-2 2026-01-01T10:14:45Z Ana Lima <8:live:ana.lima> person: No id
            # 48:notes “untitled” teams 48:notes private
            1767261605001 2026-01-01T10:00:05Z live:.cid.mara01 <8:live:.cid.mara01> owner: Buy a smoker
            skipped 4 malformed: []
            skipped 2 missing_field: {      "id": "1767262483001",      "displayName": null,      "originalarrivaltime": "2026-01-01T10:14:43.001Z",      "m…
            skipped 1 hidden: {      "id": "1767262463001",      "displayName": "Ana Lima",      "originalarrivaltime": "2026-01-01T10:14:23.001Z",  …
            skipped 1 empty: {      "id": "1767262471001",      "displayName": "Ana Lima",      "originalarrivaltime": "2026-01-01T10:14:31.001Z",  …
            skipped 1 repeated: I keep the old hive
            skipped 2 not_a_message: {      "id": "1767262462001",      "displayName": "Ana Lima",      "originalarrivaltime": "2026-01-01T10:14:22.001Z",  …
            skipped 2 media_placeholder: {      "id": "1767261694001",      "displayName": "Ana Lima",      "originalarrivaltime": "2026-01-01T10:01:34.001Z",  …
            skipped 3 deleted: {      "id": "1767262484001",      "displayName": "Ana Lima",      "originalarrivaltime": "2026-01-01T10:14:44.001Z",  …
            skipped 4 platform_notice: {      "id": "1767262461001",      "displayName": "Ana Lima",      "originalarrivaltime": "2026-01-01T10:14:21.001Z",  …
            skipped 1 poll: {      "id": "1767261697001",      "displayName": "Ana Lima",      "originalarrivaltime": "2026-01-01T10:01:37.001Z",  …
        "##]],
    );
}
