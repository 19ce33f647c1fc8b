//! Hostile servers that lie, flood or go silent must cause a clear fault after a bounded number of bytes.

use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;

use keepsake_connectors::mail::Security;

use super::dovecot::settings;
use super::{Ended, password, run, until};
use crate::inbox::MemoryInbox;

/// What a scripted server does after a command.
enum Act {
    /// Sends this, and continues. `TAG` is replaced by the tag of the command.
    Say(String),
    /// Sends this endlessly.
    Flood(String),
    /// Sends nothing more, and time passes.
    Silence,
    /// Closes the connection.
    Close,
}

/// Answers a command, which is given without its tag.
type Script = fn(&str) -> Act;

fn say(text: &str) -> Act {
    Act::Say(text.to_owned())
}

/// An honest server with one mail in its inbox.
fn honest(command: &str) -> Act {
    let body = "From: Ben <b@b.example>\r\nMessage-ID: <1@b>\r\nDate: 1 Mar 2026 12:00:00 +0000\r\nSubject: x\r\n\r\nhello\r\n";
    match command.split(' ').next().unwrap_or_default() {
        "greeting" => say("* OK ready\r\n"),
        "CAPABILITY" => say("* CAPABILITY IMAP4rev1 IDLE\r\nTAG OK done\r\n"),
        "LIST" => say("* LIST () \"/\" INBOX\r\nTAG OK done\r\n"),
        "EXAMINE" => say("* 1 EXISTS\r\n* OK [UIDVALIDITY 7] x\r\n* OK [UIDNEXT 2] x\r\nTAG OK done\r\n"),
        "UID" if command.contains("BODY") => {
            Act::Say(format!("* 1 FETCH (UID 1 BODY[]<0> {{{}}}\r\n{body})\r\nTAG OK done\r\n", body.len()))
        }
        "UID" => say("* 1 FETCH (UID 1 FLAGS () INTERNALDATE \" 1-Mar-2026 12:00:00 +0000\" RFC822.SIZE 100)\r\nTAG OK done\r\n"),
        "IDLE" => say("+ idling\r\n"),
        _ => say("TAG OK done\r\n"),
    }
}

/// Serves one connection according to a script. Returns the port, and the number of bytes that the server managed to send.
async fn serve(script: Script) -> (u16, tokio::task::JoinHandle<u64>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let served = async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let (read, mut write) = stream.split();
        let mut lines = BufReader::new(read).lines();
        let (mut sent, mut tag, mut command) = (0, String::new(), "greeting".to_owned());
        loop {
            match script(&command) {
                Act::Say(text) => {
                    let text = text.replace("TAG", &tag);
                    if write.write_all(text.as_bytes()).await.is_err() {
                        return sent;
                    }
                    sent += text.len() as u64;
                }
                Act::Flood(text) => {
                    let text = text.replace("TAG", &tag).repeat(65_536 / text.len() + 1);
                    while write.write_all(text.as_bytes()).await.is_ok() {
                        sent += text.len() as u64;
                    }
                    return sent;
                }
                Act::Silence => {
                    tokio::time::pause();
                    while lines.next_line().await.is_ok_and(|line| line.is_some()) {}
                    tokio::time::resume();
                    return sent;
                }
                Act::Close => return sent,
            }
            let Ok(Some(line)) = lines.next_line().await else { return sent };
            let (first, rest) = line.split_once(' ').unwrap_or((&line, ""));
            (tag, command) = (first.to_owned(), rest.to_owned());
        }
    };
    (port, tokio::spawn(served))
}

/// Runs the connector against a scripted server. Returns how it ended, and how many bytes it received.
async fn against(script: Script) -> (Ended, u64) {
    let (port, served) = serve(script).await;
    let inbox = MemoryInbox::new();
    inbox.select("INBOX", None);
    let began = Instant::now();
    let ended = run(&settings(port, Security::Plain), password(), &inbox).await;
    let sent = served.await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(60), "{ended:?} after {:?}", began.elapsed());
    (ended, sent)
}

/// Bytes that the system itself buffers, beyond what the connector read.
const ON_THE_WAY: u64 = 8 * 1024 * 1024;

async fn check(script: Script, bytes_max: u64, is_expected: fn(&Ended) -> bool) {
    let (ended, sent) = against(script).await;
    assert!(is_expected(&ended), "{ended:?}");
    assert!(sent <= bytes_max + ON_THE_WAY, "{sent} bytes were taken: {ended:?}");
}

const MIB: u64 = 1024 * 1024;

#[tokio::test]
async fn control_an_honest_script_is_read() {
    let (port, _served) = serve(honest).await;
    let (inbox, settings) = (MemoryInbox::new(), settings(port, Security::Plain));
    inbox.select("INBOX", None);
    tokio::select! {
        _ = until("read", || inbox.texts() == ["hello"]) => {}
        ended = run(&settings, password(), &inbox) => panic!("{ended:?}"),
    }
}

#[tokio::test]
async fn floods_end_in_a_clear_fault_after_a_bounded_number_of_bytes() {
    let is_protocol = |ended: &Ended| matches!(ended, Ended::Protocol(_));
    // An endless greeting.
    check(|_| Act::Flood("x".to_owned()), MIB, is_protocol).await;
    check(|_| say("HTTP/1.1 400 Bad Request\r\n\r\n"), MIB, is_protocol).await;
    check(|_| say("\u{0}\u{1}\u{2}\r\n"), MIB, is_protocol).await;
    // Endless lines in answer to any command.
    let flood: Script = |command| match command {
        "greeting" => honest(command),
        _ => Act::Flood(format!("* OK still here {}\r\n", "x".repeat(500))),
    };
    check(flood, 2 * MIB, is_protocol).await;
    // A literal of ten gigabytes.
    let large: Script = |command| match command.contains("BODY") {
        true => Act::Flood("* 1 FETCH (UID 1 BODY[]<0> {10000000000}\r\n".to_owned()),
        false => honest(command),
    };
    check(large, MIB, is_protocol).await;
    // Literals that the parser would allocate memory for.
    let other: Script = |command| match command.starts_with("LIST") {
        true => Act::Flood("* ID (\"a\" {400000000}\r\n".to_owned()),
        false => honest(command),
    };
    check(other, MIB, is_protocol).await;
    // Nested lists, which would exhaust the stack.
    let deep: Script = |command| match command.contains("FLAGS") {
        true => Act::Flood("* 1 FETCH (BODYSTRUCTURE ((((((((((((((((((((((((((((((((((((((((((((((((((((".to_owned()),
        false => honest(command),
    };
    check(deep, MIB, is_protocol).await;
    // Marks of mails that nobody asked for.
    let marks: Script = |command| match command.contains("FLAGS") {
        true => Act::Flood(format!("* 1 FETCH (UID 9 FLAGS ({}) RFC822.SIZE 1)\r\n", "Flag ".repeat(200).trim())),
        false => honest(command),
    };
    check(marks, 24 * MIB, is_protocol).await;
    // One endless mail, in pieces of the right size.
    let endless: Script = |command| match command.contains("BODY") {
        true => {
            let from = command.rsplit_once('<').unwrap().1.split('.').next().unwrap();
            let piece = "y".repeat(512 * 1024);
            Act::Say(format!("* 1 FETCH (UID 1 BODY[]<{from}> {{{}}}\r\n{piece})\r\nTAG OK done\r\n", piece.len()))
        }
        false if command.starts_with("IDLE") => Act::Close,
        false => honest(command),
    };
    check(endless, 80 * MIB, |ended| matches!(ended, Ended::Unreachable(_))).await;
}

#[tokio::test]
async fn a_hundred_thousand_folders_are_named_in_bounded_time() {
    let many: Script = |command| match command.starts_with("LIST") {
        true => {
            let lines = (0..100_000).map(|number| format!("* LIST () \"/\" \"Folder {number}\"\r\n")).collect::<String>();
            Act::Say(format!("{lines}TAG OK done\r\n"))
        }
        false => honest(command),
    };
    let (port, _served) = serve(many).await;
    let (inbox, settings) = (MemoryInbox::new(), settings(port, Security::Plain));
    let began = Instant::now();
    tokio::select! {
        _ = until("named", || inbox.with(|kept| kept.found.len() == 100_000)) => {}
        ended = run(&settings, password(), &inbox) => panic!("{ended:?}"),
    }
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
    let is_protocol = |ended: &Ended| matches!(ended, Ended::Protocol(_));
    let endless: Script = |command| match command.starts_with("LIST") {
        true => Act::Flood(format!("* LIST () \"/\" \"{}\"\r\n", "Folder".repeat(100))),
        false => honest(command),
    };
    check(endless, 16 * MIB, is_protocol).await;
}

#[tokio::test]
async fn a_server_that_falls_silent_is_left_at_every_point() {
    let is_silent = |ended: &Ended| matches!(ended, Ended::Unreachable(told) if told.contains("did not answer"));
    check(|_| Act::Silence, MIB, is_silent).await;
    check(|command| if command == "greeting" { honest(command) } else { Act::Silence }, MIB, is_silent).await;
    check(|command| if command.starts_with("EXAMINE") { Act::Silence } else { honest(command) }, MIB, is_silent).await;
    check(|command| if command.contains("BODY") { Act::Silence } else { honest(command) }, MIB, is_silent).await;
}

#[tokio::test]
async fn what_a_server_says_decides_whether_it_is_tried_again() {
    let login = |told: &'static str, expect: fn(&Ended) -> bool| (told, expect);
    let for_now = |ended: &Ended| matches!(ended, Ended::Unreachable(_));
    let for_good = |ended: &Ended| matches!(ended, Ended::Refused(_));
    for (told, expect) in [
        login("TAG NO [AUTHENTICATIONFAILED] Invalid credentials (Failure)\r\n", for_good),
        login("TAG NO [ALERT] Application-specific password required\r\n", for_good),
        login("TAG NO LOGIN failed\r\n", for_good),
        login("TAG NO [UNAVAILABLE] Temporary authentication failure\r\n", for_now),
        login("TAG NO [LIMIT] Too many connections\r\n", for_now),
        login("TAG NO [OVERQUOTA] x\r\n", for_now),
        login("* BYE shutting down\r\n", for_now),
    ] {
        let (port, _served) = serve_login(told).await;
        let ended = run(&settings(port, Security::Plain), password(), &MemoryInbox::new()).await;
        assert!(expect(&ended), "{told}: {ended:?}");
    }
    let (ended, _) = against(|_| say("* BYE too busy\r\n")).await;
    assert!(matches!(&ended, Ended::Unreachable(told) if told.contains("too busy")), "{ended:?}");
    let (ended, _) = against(|command| if command.starts_with("UID") { Act::Close } else { honest(command) }).await;
    assert!(matches!(ended, Ended::Unreachable(_)), "an answer without its end is no answer: {ended:?}");
}

/// An honest server that sends this to whoever signs in.
async fn serve_login(told: &'static str) -> (u16, tokio::task::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let served = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let (read, mut write) = stream.split();
        write.write_all(b"* OK ready\r\n").await.unwrap();
        let mut lines = BufReader::new(read).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let (tag, command) = line.split_once(' ').unwrap();
            let answer = if command.starts_with("LOGIN") { told } else { "* CAPABILITY IMAP4rev1\r\nTAG OK done\r\n" };
            if write.write_all(answer.replace("TAG", tag).as_bytes()).await.is_err() {
                return;
            }
        }
    });
    (port, served)
}
