//! Mails arrive complete, exactly once, and with the same ids as in an import; reading changes nothing in the mailbox.

use std::collections::BTreeMap;
use std::time::Duration;

use keepsake_connectors::Status;
use keepsake_connectors::mail::MailSettings;
use keepsake_domain::{Message, Role, Timestamp};

use super::dovecot::{Dovecot, USER};
use super::mails::{by_id, imported, mail, of_list, plain};
use super::proxy::Proxy;
use super::{Ended, password, run, run_until, until};
use crate::inbox::{Kept, MemoryInbox, is_soak};

const FOLDERS: [&str; 3] = ["INBOX", "Archive", "Projects/Bees"];

/// A server with this many mails in three folders, and the result of importing them.
fn filled(count: usize) -> (Dovecot, BTreeMap<String, Message>) {
    let mut server = Dovecot::new("");
    let mut expect = BTreeMap::new();
    for (at, folder) in FOLDERS.iter().enumerate() {
        let name = format!("f{at}");
        let mails: Vec<Vec<u8>> = (0..count / 3).map(|number| mail(&name, number)).collect();
        server.put(folder, &mails);
        expect.extend(imported(&mails, &server.settings()));
    }
    server.up();
    (server, expect)
}

fn all_of(inbox: &MemoryInbox) -> BTreeMap<String, Message> {
    by_id(inbox.with(|kept| kept.messages.clone()))
}

fn is_live(kept: &Kept) -> bool {
    kept.statuses.last() == Some(&Status::Live)
}

#[tokio::test]
async fn mails_of_three_folders_arrive_whole_with_the_ids_of_an_import() {
    let (server, expect) = filled(300);
    assert_eq!(expect.len(), 300);
    let inbox = MemoryInbox::new();
    FOLDERS.iter().for_each(|folder| inbox.select(folder, None));
    let ends = run_until(&server.settings(), &inbox, is_live).await;
    assert_eq!(ends, []);
    let found = all_of(&inbox);
    assert_eq!(found.keys().collect::<Vec<_>>(), expect.keys().collect::<Vec<_>>());
    for (id, message) in &expect {
        assert_eq!(found.get(id), Some(message), "{id}");
    }
    let own = found.values().filter(|message| message.author.role == Role::Owner).count();
    assert_eq!(own, found.values().filter(|message| message.author.handle.handle == USER).count());
    assert!(own > 50, "a third is the owner's: {own}");
    inbox.with(|kept| {
        assert_eq!((kept.known, kept.left_out.len()), (0, 0));
        assert!(kept.found.contains_key("Trash") && kept.found.contains_key("Projects/Bees"), "{:?}", kept.found.keys());
        let newest: Vec<i64> = kept.messages.iter().take(50).map(|message| message.time.0).collect();
        assert!(newest.is_sorted_by(|a, b| a >= b), "the newest of the inbox come first");
        assert!(kept.statuses.contains(&Status::CatchingUp { done: 300, total: Some(300) }), "{:?}", kept.statuses);
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_doubled_or_altered_through_disconnects_restarts_and_kills() {
    let is_long = is_soak();
    let (count, cuts) = if is_long { (20_000, 50_u64) } else { (300, 10) };
    let (mut server, expect) = filled(count);
    // All three folders have the same number.
    let count = expect.len();
    // Two of three connections break: in the greeting, in the list of folders, in the marks, or within mails.
    let lengths = (0..cuts).flat_map(|cut| [40 + cut * 2_500, 700 + cut * 1_500, u64::MAX]);
    let proxy = Proxy::start(server.port(), lengths).await;
    let settings = MailSettings { port: proxy.port, ..server.settings() };
    let inbox = MemoryInbox::new();
    FOLDERS.iter().for_each(|folder| inbox.select(folder, None));
    let mut ends = Vec::new();
    while inbox.with(|kept| kept.messages.len()) < count {
        // The process ends after its first deliveries.
        let more = if is_long { 5 } else { 1 };
        inbox.with(|kept| kept.deliveries_max = Some(kept.deliveries + more));
        tokio::select! {
            ended = run(&settings, password(), &inbox) => ends.push(ended),
            _ = until("all", || inbox.with(|kept| kept.messages.len() >= count)) => {}
        }
        if ends.len() % (if is_long { 40 } else { 4 }) == 3 {
            server.up();
        }
    }
    inbox.with(|kept| kept.deliveries_max = None);
    ends.extend(run_until(&settings, &inbox, is_live).await);
    let killed = ends.iter().filter(|ended| **ended == Ended::Inbox).count();
    let cut = ends.iter().filter(|ended| matches!(ended, Ended::Unreachable(_))).count();
    assert!(killed >= 5 && cut >= if is_long { 50 } else { 10 }, "{killed} kills and {cut} cuts: {ends:?}");
    assert_eq!(killed + cut, ends.len(), "nothing else went wrong: {ends:?}");
    assert!(all_of(&inbox) == expect, "every mail is as an import has it");
    assert_eq!(inbox.with(|kept| kept.known), 0, "none was delivered twice");
}

/// Reads a folder that is then deleted and created again with half of its mails and some new ones. `lie` may change the stored
/// position.
async fn through_new_numbers(lie: impl Fn(String, u32) -> String) -> (usize, usize) {
    let mut server = Dovecot::start("");
    let mut hand = server.hand();
    hand.ask("CREATE Bees");
    let mails: Vec<Vec<u8>> = (0..30).map(|number| mail("n", number)).collect();
    mails.iter().take(20).for_each(|mail| hand.append("Bees", "", mail));
    let inbox = MemoryInbox::new();
    inbox.select("Bees", None);
    run_until(&server.settings(), &inbox, is_live).await;
    assert_eq!(inbox.texts().len(), 20);
    hand.ask("DELETE Bees");
    hand.ask("CREATE Bees");
    mails.iter().skip(15).for_each(|mail| hand.append("Bees", "", mail));
    let told = hand.ask("STATUS Bees (UIDVALIDITY)");
    let validity = told.rsplit_once("UIDVALIDITY ").unwrap().1.trim_end().trim_end_matches(')').parse().unwrap();
    inbox.with(|kept| {
        let selected = kept.selected.get_mut("Bees").unwrap();
        selected.position = selected.position.take().map(|position| lie(position, validity));
        kept.statuses.clear();
    });
    run_until(&server.settings(), &inbox, is_live).await;
    server.down();
    (all_of(&inbox).len(), inbox.with(|kept| kept.known as usize))
}

#[tokio::test]
async fn a_folder_whose_numbers_changed_is_read_again_and_nothing_is_doubled() {
    assert_eq!(through_new_numbers(|position, _| position).await, (30, 0));
}

#[tokio::test]
async fn control_who_ignores_that_numbers_changed_loses_mail() {
    // The position claims to belong to the new folder, as if the connector did not compare `validity`.
    let ignore = |position: String, validity: u32| {
        let mut position: serde_json::Value = serde_json::from_str(&position).unwrap();
        assert_ne!(position["validity"], validity, "the folder has new numbers");
        position["validity"] = validity.into();
        position.to_string()
    };
    let (found, _) = through_new_numbers(ignore).await;
    assert!(found < 30, "{found}");
}

/// Waits until the connector is live, puts a mail into a folder, and returns how long the mail took to arrive.
async fn arrival(config: &str, check_s: u32, folder: &str) -> Duration {
    let mut server = Dovecot::new(config);
    server.put("INBOX", &[mail("old", 1)]);
    server.put("Archive", &[mail("old", 2)]);
    server.up();
    let settings = MailSettings { check_s, ..server.settings() };
    let inbox = MemoryInbox::new();
    inbox.select("INBOX", None);
    inbox.select("Archive", None);
    let mut hand = server.hand();
    let watch = async {
        until("live", || inbox.with(|kept| is_live(kept))).await;
        assert_eq!(inbox.texts().len(), 2);
        // Idling begins after the connector is live, at a time that the server decides.
        hand.append(folder, "", &mail("new", 4));
        until("arrived", || inbox.texts().len() == 3).await
    };
    tokio::select! {
        waited = watch => waited,
        ended = run(&settings, password(), &inbox) => panic!("{ended:?}"),
    }
}

#[tokio::test]
async fn a_new_mail_is_announced_and_read_within_three_seconds() {
    // The next check of the folders would be in four minutes.
    let waited = arrival("", 240, "INBOX").await;
    assert!(waited < Duration::from_secs(3), "{waited:?}");
}

#[tokio::test]
async fn a_server_that_announces_nothing_is_asked_and_so_are_the_other_folders() {
    let waited = arrival("imap_capability = IMAP4rev1 UIDPLUS LITERAL+", 1, "INBOX").await;
    assert!(waited < Duration::from_secs(10), "{waited:?}");
    let waited = arrival("", 1, "Archive").await;
    assert!(waited < Duration::from_secs(10), "{waited:?}");
}

#[tokio::test]
async fn nothing_in_the_mailbox_changes() {
    let (server, _) = filled(30);
    let mut hand = server.hand();
    let marks = |hand: &mut super::dovecot::Hand| FOLDERS.map(|folder| hand.marks(folder));
    let before = marks(&mut hand);
    assert!(before[0].contains("UID 10 ") && !before[0].contains("\\Seen"), "{}", before[0]);
    let inbox = MemoryInbox::new();
    FOLDERS.iter().for_each(|folder| inbox.select(folder, None));
    run_until(&server.settings(), &inbox, is_live).await;
    assert_eq!(inbox.texts().len(), 30);
    assert_eq!(marks(&mut server.hand()), before);
    // The control: reading without PEEK leaves a mark.
    hand.ask("SELECT Archive");
    hand.ask("UID FETCH 1 (BODY[])");
    let after = marks(&mut server.hand());
    assert!(after[1] != before[1] && after[1].contains("\\Seen"), "{}", after[1]);
}

#[tokio::test]
async fn lists_drafts_and_deleted_mails_are_counted_and_left_out() {
    let mut server = Dovecot::start("");
    let mut hand = server.hand();
    hand.append("INBOX", "", &mail("i", 0));
    (0..3).for_each(|number| hand.append("INBOX", "", &of_list(number)));
    hand.append("INBOX", "\\Draft", &mail("i", 3));
    hand.append("INBOX", "\\Deleted", &mail("i", 4));
    hand.append("INBOX", "", &plain("Message-ID: <r@b.example>\nAuto-Submitted: auto-replied\nSubject: away", "I am away."));
    (10..15).for_each(|number| hand.append("Trash", "", &mail("t", number)));
    let check = async |leave_out_automatic: bool, stored: usize, left_out: &[(&'static str, u64)]| {
        let inbox = MemoryInbox::new();
        inbox.select("INBOX", None);
        inbox.select("Trash", None);
        let settings = MailSettings { leave_out_automatic, ..server.settings() };
        run_until(&settings, &inbox, is_live).await;
        assert_eq!(inbox.texts().len(), stored);
        assert_eq!(inbox.with(|kept| kept.left_out.clone()), left_out.iter().copied().collect::<BTreeMap<_, _>>());
        inbox.with(|kept| kept.messages.iter().filter(|message| message.author.role == Role::System).count())
    };
    let automatic = [("deleted mail", 6), ("drafts", 1), ("mailing lists and newsletters", 3), ("automatic mail", 1)];
    assert_eq!(check(true, 1, &automatic).await, 0);
    assert_eq!(check(false, 5, &automatic[..2]).await, 4);
    server.down();
}

#[tokio::test]
async fn only_what_was_chosen_is_read_and_a_later_choice_needs_no_new_connection() {
    let (server, expect) = filled(60);
    let proxy = Proxy::start(server.port(), []).await;
    let settings = MailSettings { port: proxy.port, ..server.settings() };
    let inbox = MemoryInbox::new();
    let steps = async {
        let is_found = || inbox.with(|kept| kept.found.contains_key("Archive") && is_live(kept));
        until("named", is_found).await;
        assert!(inbox.texts().is_empty(), "nobody chose anything");
        inbox.select("Archive", None);
        until("the first", || inbox.texts().len() == 20).await;
        inbox.select("INBOX", Some(Timestamp(i64::MAX / 2)));
        inbox.select("Projects/Bees", None);
        until("the second", || inbox.texts().len() == 40).await;
        inbox.select("INBOX", None);
        until("more of a folder", || inbox.texts().len() == 60).await;
    };
    tokio::select! {
        () = steps => {}
        ended = run(&settings, password(), &inbox) => panic!("{ended:?}"),
    }
    assert!(all_of(&inbox) == expect);
    assert_eq!((proxy.connections(), inbox.with(|kept| kept.known)), (1, 0));
}

#[tokio::test]
async fn older_mail_is_read_only_as_far_as_it_is_wanted() {
    let mut server = Dovecot::start("");
    let mut hand = server.hand();
    let mut arrived = |day: u32, written: &str| {
        let mail = plain(&format!("Message-ID: <{day}@b.example>\nDate: {written}\nSubject: x"), &format!("day {day}"));
        let mail = String::from_utf8(mail).unwrap().replace('\n', "\r\n");
        hand.ask(&format!("APPEND INBOX () \"{day:02}-Mar-2026 12:00:00 +0000\" {{{}+}}\r\n{mail}", mail.len()));
    };
    (1..=20).for_each(|day| arrived(day, &format!("{day} Mar 2026 12:00:00 +0000")));
    // Written long before it arrived.
    arrived(25, "2 Mar 2026 12:00:00 +0000");
    let inbox = MemoryInbox::new();
    let day = |day: i64| Some(Timestamp(1_772_323_200_000 + (day - 1) * 86_400_000));
    let check = async |since: Option<Timestamp>, expect: usize| {
        inbox.with(|kept| kept.statuses.clear());
        inbox.select("INBOX", since);
        run_until(&server.settings(), &inbox, is_live).await;
        assert_eq!(inbox.texts().len(), expect, "{since:?}");
    };
    check(day(15), 6).await;
    check(day(18), 6).await;
    check(day(5), 16).await;
    check(None, 21).await;
    assert_eq!(inbox.with(|kept| kept.known), 0);
    server.down();
}

#[tokio::test]
async fn two_mails_with_one_id_are_two_and_two_copies_of_one_are_one() {
    let mut server = Dovecot::start("");
    let mut hand = server.hand();
    let same = |date: u32, text: &str| {
        plain(&format!("Message-ID: <same@b.example>\nDate: {date} Mar 2026 12:00:00 +0000\nSubject: meter"), text)
    };
    hand.append("INBOX", "", &same(1, "first"));
    hand.append("INBOX", "", &same(2, "second"));
    hand.ask("CREATE Copies");
    hand.append("Copies", "", &same(1, "first"));
    hand.append("Copies", "", &same(2, "second"));
    let inbox = MemoryInbox::new();
    inbox.select("INBOX", None);
    inbox.select("Copies", None);
    run_until(&server.settings(), &inbox, is_live).await;
    let mut texts = inbox.texts();
    texts.sort();
    assert_eq!(texts, ["first", "second"]);
    assert_eq!(inbox.with(|kept| kept.known), 0);
    server.down();
}

#[tokio::test]
async fn a_mail_with_a_large_attachment_is_read_in_pieces_and_stays_when_it_is_removed() {
    let mut large = String::from_utf8(plain(
        "Message-ID: <large@b.example>\nDate: 1 Mar 2026 12:00:00 +0000\nSubject: film\nMIME-Version: 1.0\n\
         Content-Type: multipart/mixed; boundary=bb",
        "--bb\nContent-Type: text/plain\n\nThe film.\n--bb\nContent-Type: video/mp4; name=\"film.mp4\"\nContent-Transfer-Encoding: base64\n",
    ))
    .unwrap();
    let line = format!("{}\n", "QUJD".repeat(19));
    large.push_str(&line.repeat(20 * 1024 * 1024 / line.len()));
    large.push_str("--bb\nContent-Type: text/plain; name=last.txt\nContent-Disposition: attachment\n\nx\n--bb--\n");
    let mails = [large.into_bytes(), mail("after", 1)];
    let mut server = Dovecot::new("");
    server.put("INBOX", &mails);
    server.up();
    let inbox = MemoryInbox::new();
    inbox.select("INBOX", None);
    run_until(&server.settings(), &inbox, is_live).await;
    let found = all_of(&inbox);
    assert_eq!(found, imported(&mails, &server.settings()));
    let attachments =
        found.values().find_map(|message| message.metadata.get("attachments").filter(|_| message.text == "The film."));
    assert!(attachments.is_some_and(|found| found.to_string().contains("film.mp4") && found.to_string().contains("last.txt")));
    let mut hand = server.hand();
    hand.ask("SELECT INBOX");
    hand.ask("STORE 1:* +FLAGS (\\Deleted)");
    hand.ask("EXPUNGE");
    hand.append("INBOX", "", &mail("after", 2));
    run_until(&server.settings(), &inbox, |kept| kept.messages.len() == 3).await;
    assert!(inbox.with(|kept| kept.removed.is_empty()), "people tidy their mailboxes");
}

#[tokio::test]
async fn a_folder_that_vanished_is_said_once_the_others_go_on_and_so_does_it_when_it_is_there_again() {
    let server = Dovecot::start("");
    let mut hand = server.hand();
    hand.ask("CREATE Bees");
    (0..3).for_each(|number| hand.append("Bees", "", &mail("b", number)));
    hand.append("INBOX", "", &mail("i", 0));
    let settings = MailSettings { check_s: 1, ..server.settings() };
    let inbox = MemoryInbox::new();
    ["Bees", "INBOX"].iter().for_each(|folder| inbox.select(folder, None));
    let missing = || inbox.with(|kept| kept.missing.last().cloned().unwrap_or_default());
    let steps = async {
        until("read", || inbox.texts().len() == 4 && inbox.with(|kept| is_live(kept))).await;
        hand.ask("DELETE Bees");
        until("said", || missing() == ["Bees"]).await;
        // The next steps take longer than the interval at which the folders are checked.
        hand.append("INBOX", "", &mail("i", 1));
        until("the other folder", || inbox.texts().len() == 5).await;
        hand.append("INBOX", "", &mail("i", 2));
        until("the other folder again", || inbox.texts().len() == 6).await;
        let said = inbox.with(|kept| kept.missing.iter().filter(|titles| !titles.is_empty()).count());
        assert_eq!(said, 1, "it is said once: {:?}", inbox.with(|kept| kept.missing.clone()));
        assert!(inbox.with(|kept| kept.removed.is_empty()), "what was read stays");
        hand.ask("CREATE Bees");
        (2..5).for_each(|number| hand.append("Bees", "", &mail("b", number)));
        until("the folder again", || inbox.texts().len() == 8 && missing().is_empty()).await;
    };
    tokio::select! {
        () = steps => {}
        ended = run(&settings, password(), &inbox) => panic!("{ended:?}"),
    }
    assert_eq!(inbox.with(|kept| kept.known), 0, "nothing is doubled");
}

#[tokio::test]
async fn a_chosen_folder_that_is_gone_when_reading_begins_is_said_too() {
    let server = Dovecot::start("");
    let inbox = MemoryInbox::new();
    ["Entw&APw-rfe", "INBOX"].iter().for_each(|folder| inbox.select(folder, None));
    run_until(&server.settings(), &inbox, is_live).await;
    assert_eq!(inbox.with(|kept| kept.missing.last().cloned()), Some(vec!["Entwürfe".to_owned()]));
}
