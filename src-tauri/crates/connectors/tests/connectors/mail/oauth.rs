//! The device flow and the renewal of tokens, against a scripted provider and a scripted mail server.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use keepsake_connectors::Fault;
use keepsake_connectors::mail::{
    DeviceSignIn, MailSettings, OAuthSettings, Security, SignIn, begin_device_flow, poll_device_flow,
};
use keepsake_domain::{Clock, Timestamp};
use secrecy::ExposeSecret;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;

use super::dovecot::{USER, settings};
use super::{Ended, run, until};
use crate::inbox::MemoryInbox;

/// A provider that gives these answers in sequence, and records the requests.
struct Provider {
    address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

async fn provider(answers: &'static [(u16, &'static str)]) -> Provider {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/token", listener.local_addr().unwrap());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&asked);
    tokio::spawn(async move {
        for (status, answer) in answers {
            let (stream, _) = listener.accept().await.unwrap();
            let mut stream = BufReader::new(stream);
            let mut length = 0;
            loop {
                let mut line = String::new();
                stream.read_line(&mut line).await.unwrap();
                if let Some(found) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                    length = found.trim().parse().unwrap();
                }
                if line.trim().is_empty() {
                    break;
                }
            }
            let mut body = vec![0; length];
            stream.read_exact(&mut body).await.unwrap();
            kept.lock().unwrap().push(String::from_utf8(body).unwrap());
            let head = format!("HTTP/1.1 {status} x\r\ncontent-length: {}\r\nconnection: close\r\n", answer.len());
            let more = if *status == 302 { "location: http://127.0.0.1:1/\r\n" } else { "" };
            stream.get_mut().write_all(format!("{head}{more}\r\n{answer}").as_bytes()).await.unwrap();
        }
    });
    Provider { address, asked }
}

fn oauth(address: &str) -> OAuthSettings {
    OAuthSettings {
        client_id: "keepsake-of-ana".to_owned(),
        device_url: address.to_owned(),
        token_url: address.to_owned(),
        scope: "mail read".to_owned(),
    }
}

#[tokio::test]
async fn a_person_signs_in_with_a_code() {
    let provider = provider(&[
        (200, r#"{"device_code":"dev-1","user_code":"ABCD-EFGH","verification_uri":"https://p.example/device","interval":2,"expires_in":900}"#),
        (400, r#"{"error":"authorization_pending"}"#),
        (400, r#"{"error":"slow_down"}"#),
        (200, r#"{"access_token":"at-1-quokka","refresh_token":"rt-1-quokka","expires_in":3600}"#),
        (400, r#"{"error":"expired_token"}"#),
    ])
    .await;
    let settings = oauth(&provider.address);
    let mut code = begin_device_flow(&settings).await.unwrap();
    assert_eq!((code.user_code.as_str(), code.page.as_str()), ("ABCD-EFGH", "https://p.example/device"));
    assert!(!format!("{code:?}").contains("dev-1"));
    assert!(poll_device_flow(&settings, &mut code, Timestamp(0)).await.unwrap().is_none());
    assert_eq!(code.interval, Duration::from_secs(2));
    assert!(poll_device_flow(&settings, &mut code, Timestamp(0)).await.unwrap().is_none());
    assert_eq!(code.interval, Duration::from_secs(7), "the provider wants to be asked less often");
    let secret = poll_device_flow(&settings, &mut code, Timestamp(0)).await.unwrap().unwrap();
    assert!(secret.expose_secret().contains("at-1-quokka") && secret.expose_secret().contains("rt-1-quokka"));
    let over = poll_device_flow(&settings, &mut code, Timestamp(0)).await;
    assert!(matches!(&over, Err(Fault::Refused { detail }) if detail.contains("expired_token")), "{over:?}");
    let asked = provider.asked.lock().unwrap().clone();
    assert_eq!(asked[0], "client_id=keepsake-of-ana&scope=mail+read");
    assert!(asked[1].contains("device_code=dev-1") && asked[1].contains("device_code&"), "{}", asked[1]);
}

struct At(i64);

impl Clock for At {
    fn now(&self) -> Timestamp {
        Timestamp(self.0)
    }
}

const BEGUN: (u16, &str) = (
    200,
    r#"{"device_code":"dev-1","user_code":"ABCD-EFGH","verification_uri":"https://p.example/device","interval":2,"expires_in":60}"#,
);
const PENDING: (u16, &str) = (400, r#"{"error":"authorization_pending"}"#);

#[tokio::test(start_paused = true)]
async fn a_provider_is_asked_at_its_interval_until_the_code_was_entered() {
    let provider = provider(&[
        BEGUN,
        PENDING,
        (400, r#"{"error":"slow_down"}"#),
        (503, ""),
        (200, r#"{"access_token":"at-1-quokka","refresh_token":"rt-1-quokka","expires_in":3600}"#),
    ])
    .await;
    let waiting = DeviceSignIn::begin(&oauth(&provider.address)).await.unwrap();
    assert_eq!((waiting.code(), waiting.page()), ("ABCD-EFGH", "https://p.example/device"));
    assert!(!format!("{waiting:?}").contains("dev-1"));
    let began = tokio::time::Instant::now();
    let secret = waiting.finish(|| false, &At(1000)).await.unwrap();
    // The polls come twice after 2 s, then after 7 s, and then, because a request was lost, after twice as long.
    let took = began.elapsed();
    assert!((Duration::from_secs(25)..Duration::from_secs(27)).contains(&took), "{took:?}");
    assert!(
        secret.expose_secret().contains("at-1-quokka") && secret.expose_secret().contains("3601000"),
        "an hour after the clock"
    );
    assert_eq!(provider.asked.lock().unwrap().len(), 5);
}

#[tokio::test(start_paused = true)]
async fn nobody_waits_longer_than_the_code_is_good_or_after_a_no_or_a_stop() {
    let finish = async |answers: &'static [(u16, &'static str)], stop_after: Duration| {
        let provider = provider(answers).await;
        let waiting = DeviceSignIn::begin(&oauth(&provider.address)).await.unwrap();
        let began = tokio::time::Instant::now();
        let over = waiting.finish(|| began.elapsed() >= stop_after, &At(0)).await;
        let Err(Fault::Refused { detail }) = over else { panic!("{over:?}") };
        (detail, began.elapsed(), provider.asked.lock().unwrap().len())
    };
    const PENDING_LONG: [(u16, &str); 40] = {
        let mut answers = [PENDING; 40];
        answers[0] = BEGUN;
        answers
    };
    let never = Duration::from_secs(3600);
    let (said, took, _) = finish(&PENDING_LONG, never).await;
    assert!(said.contains("not entered in time"), "{said}");
    assert!((Duration::from_secs(60)..Duration::from_secs(61)).contains(&took), "{took:?}");
    let (said, took, asked) = finish(&PENDING_LONG, Duration::from_secs(5)).await;
    assert!(said.contains("stopped") && took < Duration::from_secs(6), "{said} {took:?}");
    assert_eq!(asked, 3, "nobody is asked after it was stopped");
    let (said, ..) = finish(&[BEGUN, (400, r#"{"error":"expired_token"}"#)], never).await;
    assert!(said.contains("expired_token"), "{said}");
    let (said, ..) = finish(&[BEGUN, (400, r#"{"error":"access_denied"}"#)], never).await;
    assert!(said.contains("access_denied"), "{said}");
}

#[tokio::test]
async fn tokens_go_to_nobody_else() {
    for (status, answer) in [(302, ""), (200, "<html>"), (503, "")] {
        let answers: &'static [(u16, &'static str)] = Box::leak(Box::new([(status, answer)]));
        let provider = provider(answers).await;
        let failed = begin_device_flow(&oauth(&provider.address)).await;
        assert!(matches!(failed, Err(Fault::Protocol { .. } | Fault::Unreachable { .. })), "{status}: {failed:?}");
    }
    let open = begin_device_flow(&oauth("http://p.example/token")).await;
    assert!(matches!(&open, Err(Fault::Refused { detail }) if detail.contains("https")), "{open:?}");
}

/// A mail server that accepts one token. Returns its port.
async fn server(good: &'static str) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let (read, mut write) = stream.split();
            write.write_all(b"* OK ready\r\n").await.unwrap();
            let mut lines = BufReader::new(read).lines();
            let mut tag = String::new();
            while let Ok(Some(line)) = lines.next_line().await {
                let (first, command) = line.split_once(' ').unwrap_or((&line, ""));
                let answer = match command.split(' ').next().unwrap_or_default() {
                    "AUTHENTICATE" => {
                        tag = first.to_owned();
                        "+ \r\n".to_owned()
                    }
                    "" if first == good => format!("{tag} OK done\r\n"),
                    // The reason for the refusal, which the client answers with an empty line.
                    "" if !first.is_empty() => "+ eyJzdGF0dXMiOiI0MDEifQ==\r\n".to_owned(),
                    "" => format!("{tag} NO [AUTHENTICATIONFAILED] expired\r\n"),
                    "CAPABILITY" => format!("* CAPABILITY IMAP4rev1 AUTH=XOAUTH2\r\n{first} OK done\r\n"),
                    "LIST" => format!("* LIST () \"/\" INBOX\r\n{first} OK done\r\n"),
                    _ => format!("{first} OK done\r\n"),
                };
                if write.write_all(answer.as_bytes()).await.is_err() {
                    break;
                }
            }
        }
    });
    port
}

/// `user=ana@mail.example`, a mark, `auth=Bearer at-2-quokka` and two marks, in base64.
const AT_2: &str = "dXNlcj1hbmFAbWFpbC5leGFtcGxlAWF1dGg9QmVhcmVyIGF0LTItcXVva2thAQE=";

#[tokio::test]
async fn a_token_is_renewed_when_it_ends_or_is_refused_and_the_new_one_is_kept() {
    assert_eq!(USER, "ana@mail.example");
    let soon = r#"{"access":"at-1-quokka","refresh":"rt-1-quokka","expires_ms":1}"#;
    let late = r#"{"access":"at-1-quokka","refresh":"rt-1-quokka","expires_ms":99999999999999}"#;
    for old in [soon, late] {
        let provider = provider(&[(200, r#"{"access_token":"at-2-quokka","expires_in":3600}"#)]).await;
        let settings =
            MailSettings { sign_in: SignIn::Oauth2(oauth(&provider.address)), ..settings(server(AT_2).await, Security::Plain) };
        let inbox = MemoryInbox::new();
        tokio::select! {
            _ = until("signed in", || inbox.with(|kept| kept.found.contains_key("INBOX"))) => {}
            ended = run(&settings, Some(old.to_owned().into()), &inbox) => panic!("{ended:?}"),
        }
        let kept = inbox.with(|kept| kept.secret.clone()).unwrap();
        assert!(
            kept.expose_secret().contains("at-2-quokka") && kept.expose_secret().contains("rt-1-quokka"),
            "the old one for renewal stays"
        );
        assert!(provider.asked.lock().unwrap()[0].contains("refresh_token=rt-1"));
        inbox.assert_no_secret("", &["at-1-quokka", "rt-1-quokka", "at-2-quokka"]);
    }
    // The person revoked the permission.
    let provider = provider(&[(400, r#"{"error":"invalid_grant"}"#)]).await;
    let settings =
        MailSettings { sign_in: SignIn::Oauth2(oauth(&provider.address)), ..settings(server(AT_2).await, Security::Plain) };
    let ended = run(&settings, Some(soon.to_owned().into()), &MemoryInbox::new()).await;
    assert!(
        matches!(&ended, Ended::Refused(told) if told.contains("invalid_grant") && !told.contains("rt-1-quokka")),
        "{ended:?}"
    );
    let ended = run(&settings, None, &MemoryInbox::new()).await;
    assert!(matches!(ended, Ended::Refused(_)), "{ended:?}");
}
