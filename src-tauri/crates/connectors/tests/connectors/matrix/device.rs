//! The connector's device: it is verified with the recovery key, which opens messages older than the device, or by comparing
//! emoji.

use std::cell::RefCell;
use std::time::Duration;

use keepsake_connectors::{ComparisonStage, DeviceRequest, KeyBackup, Matrix, Settings};
use matrix_sdk_crypto::secret_storage::SecretStorageKey;
use secrecy::ExposeSecret;
use serde_json::{Value, json};

use super::cipherer::Cipherer;
use super::element::Element;
use super::run::{Account, Reading};
use super::synapse::Synapse;
use crate::inbox::MemoryInbox;

fn text(body: &str) -> Value {
    json!({ "msgtype": "m.text", "body": body })
}

fn unreadable(inbox: &MemoryInbox, room: &str) -> Option<u64> {
    inbox.with(|kept| kept.unreadable.get(room).copied())
}

fn stage(inbox: &MemoryInbox) -> Option<ComparisonStage> {
    inbox.device().comparison.map(|comparison| comparison.stage)
}

fn shown(inbox: &MemoryInbox) -> Vec<String> {
    let comparison = inbox.device().comparison;
    comparison.map(|comparison| comparison.emoji.iter().map(|(symbol, _)| (*symbol).to_owned()).collect()).unwrap_or_default()
}

fn device_of(account: &Account) -> String {
    match &account.settings {
        Settings::Matrix(Matrix { device: Some(device), .. }) => device.clone(),
        other => panic!("{other:?}"),
    }
}

/// Sends a request to the device of an account that is being read.
async fn ask(account: &Account, request: DeviceRequest) -> Result<(), String> {
    let result = account.inbox.ask(request);
    tokio::task::spawn_blocking(move || result.recv_timeout(Duration::from_secs(60)).unwrap()).await.unwrap()
}

/// What ben says before the connector's device exists. Each line is encrypted with a different key.
const EARLIER: [&str; 3] = ["Grüße, 🐝", "the <b>second</b> line", "a third, with\ntwo lines"];

struct Scene {
    _synapse: Synapse,
    element: Element,
    ben: Cipherer,
    room: String,
    account: Account,
    reading: Reading,
}

/// An encrypted room with messages from before the connector signed in, whose keys ana's other device backed up.
async fn scene() -> Scene {
    let synapse = Synapse::start().await;
    let (ana, ben) = (synapse.user("ana").await, synapse.user("ben").await);
    let element = Element::set_up(ana.clone()).await;
    let encryption =
        json!([{ "type": "m.room.encryption", "state_key": "", "content": { "algorithm": "m.megolm.v1.aes-sha2" } }]);
    let room = ben.create_room(&[&ana], json!({ "preset": "private_chat", "initial_state": encryption })).await;
    let ben = Cipherer::new(ben).await;
    for (at, line) in EARLIER.iter().enumerate() {
        ben.change_key(&room).await;
        ben.share(&room, &[&ana]).await;
        ben.send(&room, "m.room.message", text(line), &format!("earlier-{at}")).await;
    }
    element.sync().await;
    element.back_up().await;
    let account = Account::of(&synapse, &ana).await;
    account.inbox.select(&room, None);
    let reading = account.start();
    let waiting = |inbox: &MemoryInbox| {
        let device = inbox.device();
        unreadable(inbox, &room) == Some(3) && device.can_be_verified && device.backup == KeyBackup::Locked
    };
    account.wait("the count of what cannot be read", waiting).await;
    // The other device learns about the connector's device.
    element.sync().await;
    assert!(!account.inbox.device().is_verified);
    assert!(account.inbox.texts().iter().all(|text| !EARLIER.contains(&text.as_str())));
    Scene { _synapse: synapse, element, ben, room, account, reading }
}

fn is_read(inbox: &MemoryInbox, room: &str) -> bool {
    let texts = inbox.texts();
    EARLIER.iter().all(|line| texts.iter().filter(|text| text == line).count() == 1) && unreadable(inbox, room) == Some(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_recovery_key_verifies_the_device_and_opens_what_was_said_before_it() {
    let Scene { _synapse, element, ben, room, account, reading } = scene().await;
    // The control: another account's recovery key gives an error of one sentence, and changes nothing.
    let wrong = SecretStorageKey::new().to_base58();
    let (before, statuses) = (account.inbox.device(), account.inbox.with(|kept| kept.devices.len()));
    let refused = ask(&account, DeviceRequest::Recover(wrong.clone().into())).await.unwrap_err();
    assert!(refused.contains("not the recovery key") && !refused.contains(&wrong), "{refused}");
    assert_eq!((account.inbox.device(), unreadable(&account.inbox, &room)), (before, Some(3)));
    assert!(account.inbox.with(|kept| kept.devices[statuses..].iter().all(|device| !device.is_verified)));

    // In groups of four, as a person types it.
    let groups: Vec<_> = element.recovery_key.as_bytes().chunks(4).map(String::from_utf8_lossy).collect();
    let typed = groups.join(" ");
    ask(&account, DeviceRequest::Recover(typed.clone().into())).await.unwrap();
    let opened = KeyBackup::Open { done: 3, total: 3 };
    account
        .wait("what was said before", |inbox| {
            is_read(inbox, &room) && inbox.device().is_verified && inbox.device().backup == opened
        })
        .await;
    // The other devices see the verification as well.
    element.cipherer.machine.mark_all_tracked_users_as_dirty().await.unwrap();
    element.sync().await;
    let device = element.device(&device_of(&account)).await.unwrap();
    assert!(device.is_cross_signed_by_owner());

    // A key that is only in the backup, in another run.
    drop(reading);
    ben.change_key(&room).await;
    ben.share(&room, &[&element.cipherer.user]).await;
    ben.send(&room, "m.room.message", text("after it was opened"), "after").await;
    element.sync().await;
    element.back_up().await;
    let _reading = account.start();
    account
        .wait("a message after that", |inbox| {
            is_read(inbox, &room) && inbox.texts().iter().any(|text| text == "after it was opened")
        })
        .await;
    assert!(account.inbox.device().is_verified);

    let mut secrets = element.secrets.clone();
    secrets.extend([wrong, typed]);
    let secrets: Vec<&str> = secrets.iter().map(String::as_str).collect();
    let kept = account.inbox.with(|kept| kept.secret.clone()).unwrap();
    account.assert_no_secret(&refused, &secrets);
    assert!(secrets.iter().all(|secret| !kept.expose_secret().contains(secret)), "a secret is in the session");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_without_a_recovery_key_says_so() {
    let synapse = Synapse::start().await;
    let ana = synapse.user("ana").await;
    let account = Account::of(&synapse, &ana).await;
    let _reading = account.start();
    let refused = ask(&account, DeviceRequest::Recover(SecretStorageKey::new().to_base58().into())).await.unwrap_err();
    assert!(refused.contains("has no recovery key"), "{refused}");
    let refused = ask(&account, DeviceRequest::Compare).await.unwrap_err();
    assert!(refused.contains("no other device"), "{refused}");
    let device = account.inbox.device();
    assert!(!device.is_verified && !device.can_be_verified && device.backup == KeyBackup::Absent, "{device:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn comparing_emoji_verifies_the_device_and_brings_the_key_of_the_backup() {
    let Scene { _synapse, element, room, account, reading: _reading, .. } = scene().await;
    ask(&account, DeviceRequest::Compare).await.unwrap();
    assert_eq!(stage(&account.inbox), Some(ComparisonStage::Requested));
    let early = ask(&account, DeviceRequest::Match).await.unwrap_err();
    assert!(early.contains("not shown yet"), "{early}");
    let other = async {
        let request = element.accept_request().await;
        let (sas, emoji) = element.compare(&request).await;
        element.confirm(&sas).await;
        // The other device answers the request for the key of the backup.
        for _ in 0..50 {
            element.sync().await;
            if account.inbox.device().backup != KeyBackup::Locked {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        emoji
    };
    let seen = RefCell::new(Vec::new());
    let here = account.wait("the device is verified", |inbox| {
        if stage(inbox) == Some(ComparisonStage::Shown) && seen.borrow().is_empty() {
            *seen.borrow_mut() = shown(inbox);
            drop(inbox.ask(DeviceRequest::Match));
        }
        inbox.device().is_verified && is_read(inbox, &room)
    });
    let (emoji, ()) = tokio::join!(other, here);
    assert_eq!((emoji.len(), &emoji), (7, &*seen.borrow()), "both show the same");
    assert_eq!(stage(&account.inbox), Some(ComparisonStage::Done));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_other_device_may_ask_and_emoji_that_differ_verify_nothing() {
    let Scene { _synapse, element, account, reading: _reading, .. } = scene().await;
    let here = device_of(&account);
    // The emoji differ.
    let other = async {
        let request = element.request(&here).await;
        let (sas, _) = element.compare(&request).await;
        (request, sas)
    };
    let offered = RefCell::new(false);
    let reading = account.wait("the emoji", |inbox| {
        if stage(inbox) == Some(ComparisonStage::Offered) && !offered.replace(true) {
            drop(inbox.ask(DeviceRequest::Accept));
        }
        stage(inbox) == Some(ComparisonStage::Shown)
    });
    let ((_, sas), ()) = tokio::join!(other, reading);
    ask(&account, DeviceRequest::Mismatch).await.unwrap();
    assert_eq!(stage(&account.inbox), Some(ComparisonStage::Mismatch));
    element.sync().await;
    assert!(sas.is_cancelled());
    let again = ask(&account, DeviceRequest::Match).await.unwrap_err();
    assert!(again.contains("No emoji"), "{again}");

    // The comparison takes too long, or is stopped: by the other device and by the person.
    for (code, expect) in [("m.timeout", ComparisonStage::TimedOut), ("m.user", ComparisonStage::Cancelled)] {
        let request = element.request(&here).await;
        account.wait("the request", |inbox| stage(inbox) == Some(ComparisonStage::Offered)).await;
        element.cancel(&request, &here, code).await;
        account.wait(code, |inbox| stage(inbox) == Some(expect)).await;
    }
    ask(&account, DeviceRequest::Compare).await.unwrap();
    ask(&account, DeviceRequest::Cancel).await.unwrap();
    assert_eq!(stage(&account.inbox), Some(ComparisonStage::Cancelled));
    assert!(account.inbox.with(|kept| kept.devices.iter().all(|device| !device.is_verified)));
}
