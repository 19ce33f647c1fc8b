//! Signing in: with the right and the wrong password, with TLS, and the first check of an account.

use std::process::Command;

use keepsake_connectors::mail::{MailSettings, Security};
use keepsake_connectors::{Fault, Settings, connect};

use super::dovecot::{Dovecot, PASSWORD, USER};
use super::{Ended, password, run, run_until};
use crate::inbox::MemoryInbox;

#[tokio::test]
async fn a_wrong_password_is_told_with_advice_and_never_repeated() {
    let server = Dovecot::start("");
    let wrong = "battery-staple-77";
    for config in [server.settings(), MailSettings { user: "nobody@mail.example".to_owned(), ..server.settings() }] {
        let ended = run(&config, Some(wrong.to_owned().into()), &MemoryInbox::new()).await;
        let Ended::Refused(told) = ended else { panic!("{ended:?}") };
        assert!(told.contains("app password") && !told.contains(wrong), "{told}");
    }
    let ended = run(&server.settings(), None, &MemoryInbox::new()).await;
    assert!(matches!(ended, Ended::Refused(_)), "{ended:?}");
}

#[tokio::test]
async fn the_first_look_names_the_folders_in_the_persons_words() {
    let server = Dovecot::start("");
    let mut hand = server.hand();
    hand.ask("CREATE Entw&APw-rfe");
    hand.ask("CREATE Top/Below");
    let connected = connect(Settings::Mail(server.settings()), password()).await.unwrap();
    assert_eq!((connected.name.as_str(), connected.secret.is_none()), (USER, false));
    let mut found: Vec<_> = connected.channels.iter().map(|channel| (channel.id.as_str(), channel.title.as_str())).collect();
    found.sort_unstable();
    let expect = [("Entw&APw-rfe", "Entwürfe"), ("INBOX", "INBOX"), ("Top/Below", "Top/Below"), ("Trash", "Trash")];
    assert_eq!(found, expect, "a folder that only holds others is left out");
    let Settings::Mail(settings) = connected.settings else { panic!() };
    assert_eq!(settings.addresses, [USER]);
    let text = serde_json::to_string(&Settings::Mail(settings)).unwrap();
    assert!(text.contains("\"kind\":\"mail\"") && !text.contains("horse"), "{text}");
    let refused = connect(Settings::Mail(server.settings()), Some("no".to_owned().into())).await;
    assert!(matches!(refused, Err(Fault::Refused { .. })), "{refused:?}");
}

#[tokio::test]
async fn a_certificate_that_nobody_trusts_is_refused() {
    let server = Dovecot::start("");
    for security in [Security::Tls, Security::Starttls] {
        let ended = run(&server.tls_settings(security), password(), &MemoryInbox::new()).await;
        assert!(matches!(&ended, Ended::Certificate(told) if !told.contains("horse")), "{security:?}: {ended:?}");
    }
    // TLS on a port that does not speak it.
    let ended = run(&MailSettings { security: Security::Tls, ..server.settings() }, password(), &MemoryInbox::new()).await;
    assert!(matches!(ended, Ended::Protocol(_) | Ended::Unreachable(_)), "{ended:?}");
    // A server that does not offer STARTTLS gets no password.
    let open = Dovecot::start("ssl = no");
    let ended = run(&open.tls_settings(Security::Starttls), password(), &MemoryInbox::new()).await;
    assert!(matches!(&ended, Ended::Refused(told) if told.contains("STARTTLS")), "{ended:?}");
}

/// Where the test below finds its server when it runs in a process that trusts the server.
const TRUSTED: &str = "KEEPSAKE_TEST_TRUSTED_MAIL";

#[tokio::test]
async fn with_a_certificate_that_the_system_trusts_tls_works_in_both_forms() {
    if let Ok(ports) = std::env::var(TRUSTED) {
        let (port, tls_port) = ports.split_once(' ').unwrap();
        for (port, security) in [(tls_port, Security::Tls), (port, Security::Starttls)] {
            let settings =
                MailSettings { host: "localhost".to_owned(), ..super::dovecot::settings(port.parse().unwrap(), security) };
            let inbox = MemoryInbox::new();
            let ends = run_until(&settings, &inbox, |kept| kept.found.contains_key("INBOX")).await;
            assert_eq!(ends, [], "{security:?}");
        }
        return;
    }
    let server = Dovecot::start("");
    let ports = format!("{} {}", server.port(), server.tls_settings(Security::Tls).port);
    let inner = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "mail::signing_in::with_a_certificate_that_the_system_trusts_tls_works_in_both_forms"])
        .env("SSL_CERT_FILE", &server.pem)
        .env(TRUSTED, ports)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&inner.stdout).into_owned();
    assert!(inner.status.success() && told.contains("1 passed"), "{told}");
    assert!(!told.contains(PASSWORD));
}
