//! Mail: an mbox file from Gmail with every trap, one from Thunderbird, a Maildir, and files with one email each.

use Feature as F;
use expect_test::expect;

use super::*;

const MISSING: [Cell; 5] = [
    cell(F::Edit, Outcome::Absent, |_| true),
    cell(F::Reaction, Outcome::Absent, |_| true),
    cell(F::Disappearing, Outcome::Absent, |_| true),
    cell(F::Call, Outcome::Absent, |_| true),
    cell(F::Poll, Outcome::Absent, |_| true),
];

fn with_missing(cells: Vec<Cell>) -> Vec<Cell> {
    cells.into_iter().chain(MISSING).collect()
}

fn is_by(collect: &Collect, words: &str, role: Role) -> bool {
    collect.saying(words).is_some_and(|message| message.author.role == role)
}

fn keeps(collect: &Collect, words: &str, key: &str) -> bool {
    collect.saying(words).is_some_and(|message| message.metadata.contains_key(key))
}

fn replies_to(collect: &Collect, words: &str, id: &str) -> bool {
    collect.saying(words).is_some_and(|message| message.reply_to.as_deref() == Some(id))
}

fn is_in(collect: &Collect, words: &str, conversation: &str) -> bool {
    collect.saying(words).is_some_and(|message| message.source.conversation == conversation)
}

fn is_of_type(collect: &Collect, words: &str, message_type: MessageType) -> bool {
    collect.saying(words).is_some_and(|message| message.message_type == message_type)
}

/// An mbox file.
pub(crate) fn mbox() -> Format {
    Format {
        name: "Mail in an mbox file (Gmail, Thunderbird)",
        kind: SourceKind::Email,
        export: "email/gmail.mbox",
        grown: "email/gmail-grown.mbox",
        me: None,
        cells: with_missing(vec![
            cell(F::Author, Outcome::Read, |collect| is_by(collect, "I prefer three hives", Role::Owner)),
            cell(F::Time, Outcome::Read, |collect| {
                collect.saying("three hives").is_some_and(|message| message.time_certainty == TimeCertainty::Exact)
            }),
            cell(F::Reply, Outcome::Read, |collect| replies_to(collect, "Fine, three it is.\n", "hives-2@mail.example")),
            cell(F::Thread, Outcome::Read, |collect| is_in(collect, "Fine, three it is.\n", "hives-1@post.example")),
            cell(F::Deletion, Outcome::LeftOut, |collect| collect.skipped(SkipReason::Deleted)),
            cell(F::Forward, Outcome::Read, |collect| is_of_type(collect, "We agreed on three hives", MessageType::Forward)),
            cell(F::Attachment, Outcome::Kept, |collect| keeps(collect, "Blüten im Garten.jpg", "attachments")),
            cell(F::Members, Outcome::Kept, |collect| keeps(collect, "I prefer three hives", "bcc")),
            cell(F::Bot, Outcome::Read, |collect| is_by(collect, "Smokers are cheap", Role::System)),
        ]),
    }
}

/// A Maildir.
pub(crate) fn maildir() -> Format {
    Format {
        name: "Mail in a Maildir",
        kind: SourceKind::Email,
        export: "email/maildir",
        grown: "email/maildir-grown",
        me: Some("ana@mail.example"),
        cells: with_missing(vec![
            cell(F::Author, Outcome::Read, |collect| is_by(collect, "Size 39.", Role::Owner)),
            cell(F::Time, Outcome::Read, |collect| {
                collect.saying("Size 39.").is_some_and(|message| message.time_certainty == TimeCertainty::Exact)
            }),
            cell(F::Reply, Outcome::Read, |collect| replies_to(collect, "Size 39.", "boots-1@post.example")),
            cell(F::Thread, Outcome::Read, |collect| is_in(collect, "They are yours.", "boots-1@post.example")),
            cell(F::Deletion, Outcome::LeftOut, |collect| collect.skipped(SkipReason::Deleted)),
            cell(F::Forward, Outcome::Read, |collect| is_of_type(collect, "Left boots only.", MessageType::Forward)),
            cell(F::Attachment, Outcome::Kept, |collect| keeps(collect, "boots.png", "attachments")),
            cell(F::Members, Outcome::Kept, |collect| keeps(collect, "Size 39.", "to")),
            cell(F::Bot, Outcome::Read, |collect| is_by(collect, "Your parcel has left.", Role::System)),
        ]),
    }
}

/// Files with one email each.
pub(crate) fn single() -> Format {
    Format {
        name: "Mail, one file each (`.eml`, `.emlx`)",
        kind: SourceKind::Email,
        export: "email/single",
        grown: "email/single-grown",
        me: Some("Ana Lima"),
        cells: with_missing(vec![
            cell(F::Author, Outcome::Read, |collect| is_by(collect, "some apples?", Role::Owner)),
            cell(F::Time, Outcome::Read, |collect| {
                collect.saying("some apples?").is_some_and(|message| message.time_certainty == TimeCertainty::Exact)
            }),
            cell(F::Reply, Outcome::Read, |collect| replies_to(collect, "Two crates", "apples-1@mail.example")),
            cell(F::Thread, Outcome::Read, |collect| is_in(collect, "The crates look", "apples-1@mail.example")),
            cell(F::Deletion, Outcome::LeftOut, |collect| collect.skipped(SkipReason::Deleted)),
            cell(F::Forward, Outcome::Read, |collect| is_of_type(collect, "I have ten crates.", MessageType::Forward)),
            cell(F::Attachment, Outcome::Kept, |collect| keeps(collect, "The crates look", "attachments")),
            cell(F::Members, Outcome::Kept, |collect| keeps(collect, "Two crates", "to")),
            cell(F::Bot, Outcome::Read, |collect| is_by(collect, "Your order", Role::System)),
        ]),
    }
}

#[test]
fn an_mbox_file_of_gmail() {
    check(
        &fixture("email/gmail.mbox"),
        None,
        expect![[r##"
            # hives-1@post.example “Bienges hives for spring 🐝” email hives-1@post.example private
            hives-1@post.example 2026-01-06T09:00:00Z Ben Okáfor <ben@post.example> person {"to":[{"name":"Ana Lima","handle":"ana@mail.example"},{"name":"Weiss, Mara","handle":"mara@firm.example"}],"cc":[{"name":"tom@mail.example","handle":"tom@mail.example"},{"name":"Uma","handle":"uma@mail.example"}],"labels":["Inbox","Important","Opened"],"signature":"--\nBen Okáfor\nPost road 4"}: Hello Ana, this sentence goes on in the next line.\n\nFrom the start of a line, stuffed.\nFrom here on I count: two hives, not three.\nGreetings
            hives-2@mail.example 2026-01-06T10:30:00Z Ana Lima <ana@mail.example> owner reply-to=hives-1@post.example {"subject":"Re: Bienges hives for spring 🐝","to":[{"name":"Ben Okáfor","handle":"ben@post.example"}],"bcc":[{"name":"diary@mail.example","handle":"diary@mail.example"}],"labels":["Sent","Opened"],"quoted":"On Tue, Jan 6, 2026 at 10:00 AM Ben Okáfor <ben@post.example>\nwrote:\n\nHello Ana, this sentence goes on in the next line.\n\nGreetings"}: I prefer three hives – the meadow is large enough.
            hives-3@post.example 2026-01-06T11:00:00Z ben@post.example <ben@post.example> person reply-to=hives-2@mail.example {"subject":"AW: Bienges hives for spring","to":[{"name":"ana@mail.example","handle":"ana@mail.example"}],"labels":["Inbox","Bees, wild","Opened"],"quoted":"Am Di., 6. Jan. 2026 um 11:30 Uhr schrieb Ana Lima <ana@mail.example>:\nI prefer three hives\n\n– the meadow is large enough.\n\n– and the fence?","signature":"Sent from my Phone"}: Fine, three it is.\n\nIt is, if the neighbour agrees.\n\nSee: https://bees.example\n\nThe fence is mine.
            # forward-1@mail.example “Bienges hives for spring” email forward-1@mail.example private
            forward-1@mail.example 2026-01-06T12:00:00Z Ana Lima <ana@mail.example> owner {"subject":"Fwd: Bienges hives for spring","to":[{"name":"Tom","handle":"tom@mail.example"}],"labels":["Sent"]}: Tom, can you lend us a van?
            forward-1@mail.example#forward-1 2026-01-06T12:00:00Z Ana Lima <ana@mail.example> owner forward {"subject":"Fwd: Bienges hives for spring","to":[{"name":"Tom","handle":"tom@mail.example"}],"labels":["Sent"],"forwarded_from":{"name":"Ben Okáfor","handle":"ben@post.example"},"forwarded_date":"Tue, Jan 6, 2026 at 12:00 PM"}: Fine, three it is.
            bounce-1@post.example 2026-01-07T10:01:00Z Mail Delivery Subsystem <mailer-daemon@post.example> system notice reply-to=forward-1@mail.example {"to":[{"name":"ana@mail.example","handle":"ana@mail.example"}],"labels":["Inbox"],"automatic":"auto-replied"}: The address tom@mail.example was not found.
            # contract-1@mail.example “Contract” email contract-1@mail.example private
            contract-2@firm.example 2026-01-07T09:00:00Z Weiss, Mara <mara@firm.example> person reply-to=contract-1@mail.example {"subject":"RE: Contract","to":[{"name":"Ana Lima","handle":"ana@mail.example"}],"labels":["Inbox"],"quoted":"Von: Ana Lima <ana@mail.example>\nGesendet: Dienstag, 6. Januar 2026 18:00\nAn: Weiss, Mara\nBetreff: Contract\n\nDo you sign it?","signature":"This e-mail is confidential and may be privileged. If you are not the intended recipient, please delete it and tell the sender at once. Thank you for your help."}: Dear Ana,\n\nI sign it on Friday – the price is 400 €.\n\nMara
            # news-1@shop.example “Ten percent off” email news-1@shop.example private
            news-1@shop.example 2026-01-07T10:00:00Z Bee Shop <hello@shop.example> system notice {"to":[{"name":"ana@mail.example","handle":"ana@mail.example"}],"labels":["Inbox","Category Promotions"],"list":"<https://shop.example/unsubscribe>"}: Smokers are cheap & new. Look <https://shop.example/smokers>
            # list-1@mail.example “[bees] Wintering” email list-1@mail.example private
            list-1@mail.example 2026-01-07T10:02:00Z Uma <uma@mail.example> system notice {"to":[{"name":"bees@list.example","handle":"bees@list.example"}],"labels":["Inbox","bees-list"],"list":"Bee keepers <bees.list.example>"}: I feed them sugar.\n_______________________________________________\nbees mailing list
            # subject-3c1ae736810c3ad2 “The same id again” email subject-3c1ae736810c3ad2 private
            h-1a0d2cc4c5fa5409 2026-01-07T12:00:00Z Somebody Else <else@mail.example> person {"to":[{"name":"ana@mail.example","handle":"ana@mail.example"}],"labels":["Inbox"]}: A program gave this the id of another mail.
            # photos-1@mail.example “Photos” email photos-1@mail.example private
            photos-1@mail.example 2026-01-07T12:10:00Z Uma <uma@mail.example> person file {"to":[{"name":"ana@mail.example","handle":"ana@mail.example"}],"labels":["Inbox"],"attachments":[{"name":"Blüten im Garten.jpg","type":"image/jpeg"},{"name":"Pläne.pdf","type":"application/pdf"}]}: Blüten im Garten.jpg, Pläne.pdf
            # subject-cb270aee2e260acc “Without id and date” email subject-cb270aee2e260acc private
            h-fa6aa9d5de271a8e 2026-01-07T12:20:00Z Old Program <old@mail.example> person {"labels":["Inbox"]}: No id, no date.
            # clock-1@mail.example “Clock” email clock-1@mail.example private
            clock-1@mail.example 2026-01-07T12:30:00Z Tom <tom@mail.example> person {"to":[{"name":"ana@mail.example","handle":"ana@mail.example"}],"labels":["Inbox"]}: My clock is wrong.
            # subject-1@mail.example “Running late, start without me” email subject-1@mail.example private
            subject-1@mail.example 2026-01-07T12:40:00 local Tom <tom@mail.example> person {"to":[{"name":"ana@mail.example","handle":"ana@mail.example"}],"labels":["Inbox"]}: Running late, start without me
            # attached-1@mail.example “minutes” email attached-1@mail.example private
            attached-1@mail.example 2026-01-07T13:00:00Z Uma <uma@mail.example> person {"subject":"Fwd: minutes","to":[{"name":"ana@mail.example","handle":"ana@mail.example"}],"labels":["Inbox"]}: Für dich.
            attached-1@mail.example#forward-1 2026-01-07T13:00:00Z Uma <uma@mail.example> person forward {"subject":"Fwd: minutes","to":[{"name":"ana@mail.example","handle":"ana@mail.example"}],"labels":["Inbox"],"forwarded_from":{"name":"Tom","handle":"tom@mail.example"},"forwarded_date":"Mon, 5 Jan 2026 08:00:00 +0000","forwarded_subject":"minutes"}: We agreed on three hives.
            # invite-1@mail.example “Invitation: harvest” email invite-1@mail.example private
            invite-1@mail.example 2026-01-07T13:10:00Z Tom <tom@mail.example> person {"to":[{"name":"ana@mail.example","handle":"ana@mail.example"}],"labels":["Inbox"],"attachments":[{"name":"text/calendar","type":"text/calendar"},{"name":"invite.ics","type":"application/ics"}]}: Harvest on Sunday at 9.
            # stub-1@mail.example “Letter” email stub-1@mail.example private
            stub-1@mail.example 2026-01-07T13:20:00Z Uma <uma@mail.example> person {"to":[{"name":"ana@mail.example","handle":"ana@mail.example"}],"labels":["Inbox"],"signature":"Uma\nGardener"}: I planted clover along the fence, and the neighbour does not mind. In summer there will be more than enough for all of us, I think.
            # jp-1@jp.example “蓑” email jp-1@jp.example private
            jp-1@jp.example 2026-01-07T04:30:00Z 田中 <tanaka@jp.example> person {"to":[{"name":"ana@mail.example","handle":"ana@mail.example"}],"labels":["Inbox"]}: 蜂蜜を送ります。
            # h-464cd7ed9ef42eb5 “Hostile ids” email h-464cd7ed9ef42eb5 private
            ../../etc/passwd"b 2026-01-07T13:40:00Z Uma <uma@mail.example> person reply-to=h-464cd7ed9ef42eb5 {"to":[{"name":"ana@mail.example","handle":"ana@mail.example"}],"labels":["Inbox"]}: Ids may be anything.
            # secret-1@mail.example “Secret” email secret-1@mail.example private
            secret-1@mail.example 2026-01-07T13:50:00Z Uma <uma@mail.example> person file {"to":[{"name":"ana@mail.example","handle":"ana@mail.example"}],"labels":["Inbox"],"attachments":[{"name":"encrypted.asc","type":"application/octet-stream"}]}: encrypted.asc
            # subject-e59d719e0539c629 “Van” email subject-e59d719e0539c629 private
            van-2@mail.example 2026-01-07T14:00:00Z Tom <tom@mail.example> person {"subject":"Re: Van","to":[{"name":"ana@mail.example","handle":"ana@mail.example"}],"labels":["Inbox"],"quoted":"On Tuesday, January 6th, 2026 at 8:15 PM, Ana Lima <ana@mail.example> wrote:\n\nIs the van free this week?\n\nAna"}: The van is free on Friday.
            van-3@mail.example 2026-01-07T14:10:00Z Tom <tom@mail.example> person {"subject":"Re: Van","to":[{"name":"Ana Lima","handle":"ana@mail.example"}],"labels":["Inbox"],"quoted":"5 metres at least"}: Bring the ramp:\nthe one from 2026.\n\nFrom: what I remember it is long\nNote: it is heavy
            # apple-1@mail.example “Recipe” email apple-1@mail.example private
            apple-1@mail.example 2026-01-07T14:20:00Z Uma <uma@mail.example> person {"subject":"Fwd: Recipe","to":[{"name":"Ana Lima","handle":"ana@mail.example"}],"labels":["Inbox"]}: Try it!\n\nUma
            apple-1@mail.example#forward-1 2026-01-07T14:20:00Z Uma <uma@mail.example> person forward {"subject":"Fwd: Recipe","to":[{"name":"Ana Lima","handle":"ana@mail.example"}],"labels":["Inbox"],"forwarded_from":{"name":"Tom","handle":"tom@mail.example"},"forwarded_date":"5. January 2026 at 08:00:00 CET"}: Honey and walnuts.
            # broken-1@mail.example “Broken structure” email broken-1@mail.example private
            broken-1@mail.example 2026-01-07T14:30:00Z Broken <broken@mail.example> person {"to":[{"name":"Ana Lima","handle":"ana@mail.example"}],"labels":["Inbox"]}: There is no end of this part.
            skipped 1 missing_field: From nobody
            skipped 1 empty: Re: Running late
            skipped 1 repeated: Bienges hives for spring 🐝
            skipped 1 deleted: Jeté
            skipped 2 draft: Not sent yet
            skipped 1 spam: Win a hive
            skipped 1 other_kind: Chat with Tom
        "##]],
    );
}

#[test]
fn an_mbox_file_of_thunderbird() {
    check(
        &fixture("email/thunderbird.mbox"),
        Some("ana@mail.example"),
        expect![[r##"
            # tb-1@post.example “Ladder” email tb-1@post.example private
            tb-1@post.example 2026-01-06T09:00:00Z Ben <ben@post.example> person {"to":[{"name":"Ana Lima","handle":"ana@mail.example"}]}: Do you have my ladder?\nFrom Monday 12:30 on I need it.
            tb-3@mail.example 2026-01-06T11:00:00Z Ana Lima <ana@mail.example> owner reply-to=tb-1@post.example {"subject":"Re: Ladder","to":[{"name":"Ben","handle":"ben@post.example"}],"quoted":"Am 06.01.26 um 10:00 schrieb Ben:\n\nDo you have my ladder?","signature":"--\nAna"}: It is in the barn.\n\nTake it.
            skipped 1 deleted: Deleted, but not compacted
            skipped 1 draft: A draft
        "##]],
    );
}

#[test]
fn a_maildir() {
    check(
        &fixture("email/maildir"),
        Some("ana@mail.example"),
        expect![[r##"
            # boots-1@post.example “Boots” email boots-1@post.example private
            boots-1@post.example 2026-01-06T09:00:00Z Ben <ben@post.example> person {"to":[{"name":"Ana Lima","handle":"ana@mail.example"}]}: Which size do you need?
            boots-2@mail.example 2026-01-06T10:00:00Z Ana Lima <ana@mail.example> owner reply-to=boots-1@post.example {"subject":"Re: Boots","to":[{"name":"Ben","handle":"ben@post.example"}],"quoted":"On 06/01/2026 10:00, Ben wrote:\nWhich size do you need?"}: Size 39.
            boots-3@post.example 2026-01-06T11:00:00Z Ben <ben@post.example> person reply-to=boots-2@mail.example {"subject":"Re: Boots","to":[{"name":"Ana Lima","handle":"ana@mail.example"}]}: They are yours.
            # boots-5@post.example “boots” email boots-5@post.example private
            boots-5@post.example 2026-01-06T11:06:00Z Ben <ben@post.example> person forward {"subject":"Fwd: boots","to":[{"name":"Ana Lima","handle":"ana@mail.example"}],"attachments":[{"name":"boots.png","type":"image/png"}],"forwarded_from":{"name":"Tom","handle":"tom@mail.example"},"forwarded_date":"Mon, 5 Jan 2026 12:06:00 +0100","forwarded_subject":"boots"}: Left boots only.
            # boots-6@post.example “Picture” email boots-6@post.example private
            boots-6@post.example 2026-01-06T11:07:00Z Ben <ben@post.example> person file {"to":[{"name":"Ana Lima","handle":"ana@mail.example"}],"attachments":[{"name":"boots.png","type":"image/png"}]}: boots.png
            # parcel-1@parcel.example “Parcel” email parcel-1@parcel.example private
            parcel-1@parcel.example 2026-01-06T11:08:00Z Parcels <info@parcel.example> system notice {"to":[{"name":"Ana Lima","handle":"ana@mail.example"}],"automatic":"auto-generated"}: Your parcel has left.
            skipped 1 malformed: not a mail at all 
            skipped 1 not_a_message: tmp/1767697304.M8P1.host.post
            skipped 2 deleted: From: Ben <ben@post.example> Date: Tue, 6 Jan 2026 12:04:00 +0100 Message-ID: <x@post.example>  Thrown away. 
            skipped 1 draft: From: Ana Lima <ana@mail.example> Date: Tue, 6 Jan 2026 12:02:00 +0100 Message-ID: <d@mail.example>  Unfinished. 
            skipped 1 spam: From: Win <win@spam.example> Date: Tue, 6 Jan 2026 12:03:00 +0100 Message-ID: <s@spam.example>  Win boots. 
        "##]],
    );
}

#[test]
fn single_mails() {
    check(
        &fixture("email/single"),
        Some("Ana Lima"),
        expect![[r##"
        # apples-1@mail.example “Apples” email apples-1@mail.example private
        apples-1@mail.example 2026-01-06T09:00:00Z Ana Lima <ana@mail.example> owner {"to":[{"name":"Tom","handle":"tom@mail.example"}]}: Would you like some apples?
        apples-2@mail.example 2026-01-06T09:30:00Z Tom <tom@mail.example> person reply-to=apples-1@mail.example {"to":[{"name":"Ana Lima","handle":"ana@mail.example"}]}: Two crates, please.
        apples-3@mail.example 2026-01-06T10:00:00Z Tom <tom@mail.example> person reply-to=apples-2@mail.example {"subject":"Re: Apples","to":[{"name":"Ana Lima","handle":"ana@mail.example"}],"attachments":[{"name":"crate.png","type":"image/png"}]}: The crates look like this.
        # apples-4@mail.example “crates” email apples-4@mail.example private
        apples-4@mail.example 2026-01-06T10:30:00Z Ana Lima <ana@mail.example> owner forward {"subject":"Fwd: crates","to":[{"name":"Uma","handle":"uma@mail.example"}],"forwarded_from":{"name":"Tom","handle":"tom@mail.example"},"forwarded_date":"Mon, 5 Jan 2026 11:30:00 +0100","forwarded_subject":"crates"}: I have ten crates.
        # market-1@market.example “Your order” email market-1@market.example private
        market-1@market.example 2026-01-06T10:40:00Z Market <no-reply@market.example> system notice {"to":[{"name":"Ana Lima","handle":"ana@mail.example"}],"automatic":"no reply"}: Your order has been sent.
        skipped 1 repeated: Apples
        skipped 1 deleted: Apples
        skipped 1 draft: Pears
        skipped 1 spam: Apples
    "##]],
    );
}

#[test]
fn a_mail_by_itself_is_the_same_as_in_its_folder() {
    let alone = read(&fixture("email/single/b first.eml"), &options(Some("Ana Lima"))).unwrap();
    let folder = read(&fixture("email/single"), &options(Some("Ana Lima"))).unwrap();
    assert_eq!(alone.messages.len(), 1);
    assert!(alone.messages.iter().all(|message| folder.messages.contains(message)));
}

#[test]
fn who_got_the_mail_of_a_mailbox_is_offered_first_as_its_owner() {
    let folder = tempfile::tempdir().unwrap();
    let mail = |number: usize, from: &str, head: &str| {
        format!(
            "From - Mon Jan  5 10:00:00 2026\nMessage-ID: <{number}@hive.example>\nFrom: {from}\n{head}\nDate: Mon, 5 Jan 2026 10:0{number}:00 +0000\nSubject: Bees\n\nHello {number}\n\n"
        )
    };
    let offered = |mails: &[String], me: Option<&str>| -> Vec<(String, u64, u64)> {
        let path = folder.path().join("Inbox.mbox");
        fs::write(&path, mails.concat()).unwrap();
        let shown = preview(&path, &options(me), &|| false).unwrap();
        shown.participants.into_iter().map(|person| (person.handle.handle, person.messages, person.received)).collect()
    };
    let row = |handle: &str, messages, received| (handle.to_owned(), messages, received);
    let inbox = [
        mail(1, "Ana <ana@hive.example>", "To: Mara <Mara@Bees.example>"),
        mail(2, "Ana <ana@hive.example>", "To: keepers@hive.example\nDelivered-To: mara@bees.example"),
        mail(3, "Bo <bo@hive.example>", "To: keepers@hive.example\nDelivered-To: mara@bees.example"),
        mail(4, "Bo <bo@hive.example>", "To: keepers@hive.example, ana@hive.example"),
    ];
    let expect = [
        row("mara@bees.example", 0, 2),
        row("keepers@hive.example", 0, 3),
        row("ana@hive.example", 2, 1),
        row("bo@hive.example", 2, 0),
    ];
    assert_eq!(offered(&inbox, None), expect, "what a server noted counts before what is written to a list");
    let sent = [mail(5, "Mara <mara@bees.example>", "To: ana@hive.example")];
    let expect = [row("mara@bees.example", 1, 0)];
    assert_eq!(offered(&sent, Some("mara@bees.example")), expect, "control: who is known is not asked for");
}
