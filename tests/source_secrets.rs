//! A live source leaves no password, token or recovery key anywhere, whatever goes wrong: not in a file of the data folder, a
//! backup, the log at its most detailed level, an error, a state, or a core dump. This is checked after each fault.
//!
//! The faults of each protocol by itself are tested in `connectors`, with the same check after each fault.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;

use keepsake_testkit::Traces;
use serde_json::Value;

use crate::harness::{finish, text};
use crate::http::Served;
use crate::matrix::{self, Homeserver, TOKEN, Wrong};
use crate::sources::dovecot::{Dovecot, PASSWORD, USER};
use crate::sources::{source, until};

/// A recovery key that belongs to nobody.
const RECOVERY_KEY: &str = "EsTL fFgm QmWz JkYp 4quokkaharmonium";

/// A Keepsake under observation, and the output of its commands.
struct Watched {
    served: Served,
    said: String,
    secrets: Vec<&'static str>,
    backups: u32,
}

impl Watched {
    fn start(secrets: &[&'static str]) -> Self {
        Self { served: Served::traced(), said: String::new(), secrets: secrets.to_vec(), backups: 0 }
    }

    /// Runs a command with the most detailed log level. Returns its exit code and output.
    fn run(&mut self, args: &[&str], stdin: &str) -> (i32, String) {
        let mut command = self.served.home.command(args);
        command.env("KEEPSAKE_LOG", "trace");
        let ran = finish(command, stdin.as_bytes());
        self.said += &format!("{}{}", ran.out, ran.err);
        (ran.code, ran.out)
    }

    /// Adds a source, and chooses everything that it has. Returns its id.
    fn add(&mut self, args: &[&str], secret: &str) -> String {
        let (code, told) = self.run(&[&["sources", "add"], args, &["--json"]].concat(), secret);
        assert_eq!(code, 0, "{}", self.said);
        text(&serde_json::from_str::<Value>(&told).unwrap(), "id")
    }

    fn state(&self, id: &str) -> String {
        source(&self.served.home, id)["state"].as_str().unwrap_or_default().to_owned()
    }

    fn until(&self, id: &str, state: &str) {
        until(state, || (self.state(id) == state).then_some(()));
    }

    /// The places where a secret was found.
    fn found(&mut self) -> Vec<String> {
        let home = &self.served.home;
        self.backups += 1;
        let backup = home.data().with_file_name(format!("backup-{}.db", self.backups));
        home.run(&["backup", backup.to_str().unwrap()]).ok();
        let listed = home.run(&["sources", "list", "--json"]).ok() + &home.run(&["sources", "list"]).ok();
        let log = self.served.log();
        assert!(log.len() > 1_000, "the log is on");
        let traces = Traces::default().folder(&home.data()).text("the log", log).text("the states", listed);
        let traces = traces.text("a backup", std::fs::read(&backup).unwrap()).text("what commands said", self.said.clone());
        traces.of(&self.secrets)
    }

    /// Fails if a secret is anywhere after this fault.
    #[track_caller]
    fn check(&mut self, fault: &str) {
        let found = self.found();
        assert!(found.is_empty(), "after {fault}: {found:#?}");
    }

    /// Kills Keepsake and starts it again.
    fn kill(mut self) -> Self {
        self.served.kill();
        Self { served: self.served.again(), ..self }
    }
}

/// A mail server that knows no users and repeats what it was sent, both as received and decoded. Returns its port.
fn repeating() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for (call, plain) in listener.incoming().zip([true, false].into_iter().cycle()) {
            let mut call = BufReader::new(call.unwrap());
            let (mut line, mut tag) = (String::new(), String::new());
            let _ = call.get_mut().write_all(b"* OK ready\r\n");
            while call.read_line(&mut line).is_ok_and(|count| count > 0) {
                let said = line.trim_end().to_owned();
                line.clear();
                let (first, command) = said.split_once(' ').unwrap_or((&said, ""));
                let answer = match command.split(' ').next().unwrap_or_default() {
                    "CAPABILITY" => {
                        format!("* CAPABILITY IMAP4rev1{}\r\n{first} OK x\r\n", if plain { " AUTH=PLAIN" } else { "" })
                    }
                    "AUTHENTICATE" => {
                        tag = first.to_owned();
                        "+ \r\n".to_owned()
                    }
                    "" => format!("{tag} NO you said {said}\r\n"),
                    _ => format!("{first} NO you said {said}\r\n"),
                };
                let _ = call.get_mut().write_all(answer.as_bytes());
            }
        }
    });
    port
}

#[test]
fn no_fault_of_a_mailbox_leaves_a_password_anywhere() {
    const WRONG: &str = "battery-staple-77";
    let mut server = Dovecot::start("");
    server.put("INBOX", &[format!("From: b@b.example\nTo: {USER}\nMessage-ID: <1@b>\n\nI live in Utrecht.\n").into_bytes()]);
    let mut watched = Watched::start(&[PASSWORD, WRONG]);
    let (port, hostile) = (server.port().to_string(), repeating().to_string());
    let at = |port: &'static str, security: &'static str| {
        ["mail", "--host", "127.0.0.1", "--port", port, "--security", security, "--user", USER]
    };
    let port: &'static str = port.leak();
    let tls_port: &'static str = server.tls_settings(keepsake_connectors::mail::Security::Tls).port.to_string().leak();
    let hostile: &'static str = hostile.leak();
    for (fault, args, secret) in [
        ("a wrong password", at(port, "plain"), WRONG),
        ("a certificate that nobody trusts", at(tls_port, "tls"), PASSWORD),
        ("the same by STARTTLS", at(port, "starttls"), PASSWORD),
        ("a server that repeats the password in base64", at(hostile, "plain"), PASSWORD),
        ("a server that repeats the password in quotes", at(hostile, "plain"), PASSWORD),
    ] {
        let (code, _) = watched.run(&[&["sources", "add"], &args[..]].concat(), &format!("{secret}\n"));
        assert_eq!(code, 1, "{fault}");
        watched.check(fault);
    }
    let id = watched.add(&at(port, "plain"), PASSWORD);
    watched.run(&["sources", "choose", &id, "remember", "INBOX"], "");
    until("a mail", || (source(&watched.served.home, &id)["messages"] == 1).then_some(()));
    server.up();
    watched.until(&id, "live");
    watched.check("a restart of the server");
    server.down();
    watched.until(&id, "retrying");
    watched.check("a server that is gone");
    server.set_password("another password");
    server.up();
    watched.until(&id, "needs_attention");
    watched.check("a password that was changed");
    server.set_password(PASSWORD);
    let mut watched = watched.kill();
    watched.until(&id, "needs_secret");
    watched.check("an end of Keepsake");
    assert_eq!(watched.run(&["sources", "login", &id], &format!("{WRONG}\n")).0, 1);
    watched.check("a wrong password for a source that was added");
    assert_eq!(watched.run(&["sources", "login", &id], &format!("{PASSWORD}\n")).0, 0);
    watched.until(&id, "live");
    watched.check("signing in again");
}

#[test]
fn no_fault_of_a_homeserver_leaves_a_password_token_or_recovery_key_anywhere() {
    let homeserver = Homeserver::start();
    let mut watched = Watched::start(&[matrix::PASSWORD, TOKEN, RECOVERY_KEY]);
    let account = ["matrix", "--homeserver", &homeserver.address, "--user", "ana"];
    for wrong in [Wrong::Cut, Wrong::Refuses, Wrong::Babbles] {
        homeserver.set(wrong);
        let (code, _) = watched.run(&[&["sources", "add"], &account[..]].concat(), matrix::PASSWORD);
        assert_eq!(code, 1, "{wrong:?}");
        watched.check(&format!("{wrong:?} while signing in"));
    }
    homeserver.set(Wrong::Nothing);
    let id = watched.add(&account, matrix::PASSWORD);
    watched.until(&id, "live");
    assert_eq!(watched.run(&["sources", "verify", &id], RECOVERY_KEY).0, 1);
    watched.check("a recovery key that opens nothing");
    for wrong in [Wrong::Cut, Wrong::Babbles] {
        homeserver.set(wrong);
        watched.until(&id, "retrying");
        watched.check(&format!("{wrong:?} while reading"));
        homeserver.set(Wrong::Nothing);
        watched.until(&id, "live");
    }
    homeserver.set(Wrong::Refuses);
    watched.until(&id, "needs_attention");
    watched.check("a session that was ended");
    homeserver.set(Wrong::Nothing);
    let mut watched = watched.kill();
    watched.until(&id, "needs_secret");
    watched.check("an end of Keepsake");
}

#[test]
fn control_a_secret_that_is_planted_anywhere_is_found() {
    let planted = "a-planted-password";
    let mut watched = Watched::start(&[planted]);
    assert!(watched.found().is_empty());
    // A name is displayed and stored: in the database, its log, the list, the command's output, and the backup.
    let (code, _) = watched.run(&["sources", "add", "webhook", "--name", planted], "");
    assert_eq!(code, 0);
    let found = watched.found().join("\n");
    for place in ["keepsake.db", "the states", "a backup"] {
        assert!(found.contains(place), "{place}: {found}");
    }
}

/// The core dump size that the limits of a process allow.
#[cfg(target_os = "linux")]
fn core_of(limits: &str) -> String {
    let line = limits.lines().find(|line| line.starts_with("Max core file size")).unwrap();
    line.split_whitespace().nth(4).unwrap().to_owned()
}

#[cfg(target_os = "linux")]
#[test]
fn a_crash_leaves_no_image_of_the_memory() {
    const ALLOWED: &str = "ulimit -S -c $(ulimit -H -c)";
    let served = Served::limited(ALLOWED);
    assert_eq!(core_of(&std::fs::read_to_string(format!("/proc/{}/limits", served.pid())).unwrap()), "0");
    // The control: another program started with these limits would leave one, if the system allows any.
    let other =
        std::process::Command::new("sh").args(["-c", &format!("{ALLOWED}; cat /proc/self/limits; ulimit -H -c")]).output();
    let told = String::from_utf8(other.unwrap().stdout).unwrap();
    assert_eq!(core_of(&told) == "0", told.trim_end().ends_with("\n0"), "{told}");
}
