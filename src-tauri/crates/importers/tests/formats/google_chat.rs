//! Google Chat from Google Takeout.

use expect_test::expect;
use keepsake_domain::{MessageType, Role, SourceKind, TimeCertainty};
use keepsake_importers::SkipReason;

use crate::{Feature, Format, Outcome, cell, check, fixture};

pub(crate) fn format() -> Format {
    Format {
        name: "Google Chat (Takeout)",
        kind: SourceKind::GoogleChat,
        export: "google-chat/export",
        grown: "google-chat/grown",
        me: None,
        cells: vec![
            cell(Feature::Author, Outcome::Read, |read| {
                let (own, other) = (read.saying("I keep").unwrap(), read.saying("the frames?").unwrap());
                own.author.role == Role::Owner
                    && (other.author.role, other.author.handle.handle.as_str()) == (Role::Person, "ana@bees.example")
            }),
            cell(Feature::Time, Outcome::Read, |read| {
                read.saying("I keep").unwrap().time_certainty == TimeCertainty::Exact
                    && read.saying("no known language").unwrap().time_certainty == TimeCertainty::Inferred
            }),
            cell(Feature::Reply, Outcome::Kept, |read| {
                read.saying("All of them").unwrap().metadata["quoted"]["text"] == "the frames?"
            }),
            cell(Feature::Thread, Outcome::Read, |read| {
                let reply = read.saying("the frames?").unwrap();
                reply.reply_to.as_deref() == Some("AAAAhive/t01/t01") && reply.metadata["thread"] == "AAAAhive/t01/t01"
            }),
            cell(Feature::Edit, Outcome::Kept, |read| {
                read.saying("Forty jars").unwrap().metadata["edited_at"] == "2026-01-01T11:00:00Z"
            }),
            cell(Feature::Deletion, Outcome::LeftOut, |read| read.skipped(SkipReason::Deleted)),
            cell(Feature::Forward, Outcome::Absent, |_| true),
            cell(Feature::Reaction, Outcome::Kept, |read| {
                read.saying("I keep").unwrap().metadata["reactions"][0]["by"][0] == "Ana Lima"
            }),
            cell(Feature::Attachment, Outcome::Kept, |read| {
                read.saying("hive-plan.pdf").unwrap().message_type == MessageType::File
                    && read.saying("The plan again").unwrap().metadata["attachments"][0]["name"] == "hive-plan.pdf"
            }),
            cell(Feature::Members, Outcome::Kept, |read| {
                read.saying("All three").unwrap().conversation_title.as_deref() == Some("Ana Lima, Jure Žigon")
            }),
            cell(Feature::Bot, Outcome::Read, |read| read.saying("Build 7").unwrap().author.role == Role::Assistant),
            cell(Feature::Disappearing, Outcome::Absent, |_| true),
            cell(Feature::Call, Outcome::Kept, |read| read.saying("Call, missed").unwrap().message_type == MessageType::Notice),
            cell(Feature::Poll, Outcome::Absent, |_| true),
        ],
    }
}

#[test]
fn the_groups_of_an_account_give_their_messages() {
    check(
        &fixture("google-chat/export"),
        None,
        expect![[r##"
            # hiveDM “Ana Lima” google-chat hiveDM private
            hiveDM/u00/u00 2026-01-01T00:05:00Z Ana Lima <ana@bees.example> person: Happy new year, written first
            hiveDM/u01/u01 2026-01-01T12:00:00Z Ana Lima <ana@bees.example> person: Are you coming on Sunday?
            hiveDM/u02/u02 2026-01-01T12:05:30Z Mara Okafor <mara@bees.example> owner: Yes, I am
            # AAAAhive “Hives 🐝” google-chat AAAAhive private
            AAAAhive/t01/t01 2026-01-01T10:00:00Z Mara Okafor <mara@bees.example> owner {"reactions":[{"emoji":"🐝","count":2,"by":["Ana Lima","gone@x.example"]},{"emoji":":honey:","count":0,"by":[]}]}: I keep the old hive <3 & the *new* one
            AAAAhive/t01/r01 2026-01-01T10:05:00Z Ana Lima <ana@bees.example> person reply-to=AAAAhive/t01/t01 {"thread":"AAAAhive/t01/t01"}: @Mara Okafor the frames?
            AAAAhive/t01/r02 2026-01-01T10:06:00Z Mara Okafor <mara@bees.example> owner reply-to=AAAAhive/t01/t01 {"thread":"AAAAhive/t01/t01","quoted":{"from":"Ana Lima","text":"the frames?"}}: All of them
            AAAAhive/t02/t02 2026-01-01T10:30:00Z Ana Lima <ana@bees.example> person {"edited_at":"2026-01-01T11:00:00Z"}: Forty jars
            AAAAhive/t05/t05 2026-01-01T10:33:00Z Mara Okafor <mara@bees.example> owner file {"attachments":[{"name":"hive-plan.pdf"},{"name":"File-größe.png"}]}: hive-plan.pdf, File-größe.png
            AAAAhive/t06/t06 2026-01-01T10:34:00Z Mara Okafor <mara@bees.example> owner {"attachments":[{"name":"hive-plan.pdf"}]}: The plan again
            AAAAhive/t07/t07 2026-01-01T10:35:00Z Ana Lima <ana@bees.example> person {"links":[{"title":"Bees in winter","url":"https://news.example/bees"}]}: See https://news.example/bees
            AAAAhive/t08/t08 2026-01-01T10:36:00Z Ana Lima <ana@bees.example> person file {"links":[{"title":"Harvest 2026","drive":"1invented"}]}: Harvest 2026
            AAAAhive/t09/t09 2026-01-01T10:37:00Z Google Chat <google-chat> system notice {"links":[{"url":"https://meet.example/abc"}]}: Call
            AAAAhive/t10/t10 2026-01-01T10:38:00Z Google Chat <google-chat> system notice: Call, missed
            AAAAhive/t11/t11 2026-01-01T10:39:00Z Google Chat <google-chat> system notice: Ana Lima created the task Feed the bees
            AAAAhive/t12/t12 2026-01-01T10:40:00Z Ana Lima <ana@bees.example> person: Shared an event
            AAAAhive/t13/t13 2026-01-01T10:41:00Z Google Drive <Google Drive> assistant {"in_name_of":"Ana Lima"}: Ana shared a file
            AAAAhive/t14/t14 2026-01-01T10:42:00Z Build <ci@bees.example> assistant: Build 7 failed
            AAAAhive/t15/t15 2026-01-01T10:43:00Z Jure Žigon <jure@hives.example> person: Bučke so na vrtu 🐝
            AAAAhive/t16/t16 2026-01-01T10:43:00 inferred Jure Žigon <jure@hives.example> person: A date in no known language
            AAAAhive/t17/t17 2026-01-01T10:43:00 inferred Jure Žigon <jure@hives.example> person: No date at all
            AAAAhive/t18/t18 2026-01-01T10:44:00Z Deleted User <Deleted User> person: Somebody without an address
            AAAAhive/t19/t19 2026-01-01T10:45:00Z ghost@x.example <ghost@x.example> person: Only an address
            AAAAhive/../../etc/../x 2026-01-01T10:50:00Z Ana Lima <ana@bees.example> person: A hostile id
            h-e12cb94e3c41f490 2026-01-01T10:51:00Z Ana Lima <ana@bees.example> person: No id
            h-e12cb94e3c41f490-2 2026-01-01T10:51:00Z Ana Lima <ana@bees.example> person: No id
            # BBBBthree “Ana Lima, Jure Žigon” google-chat BBBBthree private
            BBBBthree/v01/v01 2026-01-01T13:00:00Z Jure Žigon <jure@hives.example> person: All three of us
            skipped 4 malformed: "text"
            skipped 2 missing_field: {       "creator": {},       "created_date": "Thursday, January 1, 2026 at 10:46:00 AM UTC",       "text": "Nobody",   …
            skipped 3 empty: {       "creator": {         "name": "Ana Lima",         "email": "Ana@bees.example",         "user_type": "Human"     …
            skipped 1 repeated: Bučke so na vrtu 🐝
            skipped 2 deleted: {       "creator": {         "name": "Jure Žigon",         "email": "jure@hives.example",         "user_type": "Human" …
        "##]],
    );
}
