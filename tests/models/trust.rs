//! A model server with an untrusted certificate, from the job to the store: nothing is sent and nothing is stored.

use keepsake_capture::model::READING;
use keepsake_domain::JobState;
use keepsake_testkit::conversation;
use keepsake_testkit::scripted_server::{Answer, ScriptedServer};
use keepsake_testkit::tls_front::{Certificate, TlsFront};

use super::Desk;
use super::yes::{fact, reply};

const NURSE: &str = "I work as a nurse";

#[test]
fn a_server_that_nobody_vouches_for_brings_one_alert_and_nothing_else() {
    let server =
        ScriptedServer::start(|request| Answer::Text(reply(request, &[fact(NURSE, "User works as a nurse", "personal_info")])));
    let front = TlsFront::start(server.port(), Certificate::Sound);
    let desk = Desk::with(&server, std::sync::Arc::new(keepsake_engine::PluggedIn), |settings| {
        settings.provider.as_mut().unwrap().url = front.url();
    });
    desk.append(&conversation("c1", &format!("owner Mara: {NURSE} on a children's ward.")));
    assert_eq!(desk.work(), Some(JobState::Dead), "another attempt would meet the same certificate");
    assert_eq!(desk.memories(), Vec::<String>::new());
    let alerts = desk.alerts();
    assert_eq!(alerts.len(), 1, "{alerts:?}");
    assert!(
        alerts[0].contains("certificate") && alerts[0].contains(&front.url()),
        "it says what is wrong, and where: {alerts:?}"
    );
    assert_eq!(desk.calls(), [format!("{} failed", READING.label())], "the list of what left names the try");
    assert!(front.heard().plain.is_empty(), "and nothing of it was said");
    assert!(!front.heard().wire.is_empty(), "control: the server was called");
    assert_eq!(server.connections(), 0);

    // Control: the same model is trusted at an address that needs no certificate.
    let mut settings = desk.engine.models().settings().unwrap();
    settings.provider.as_mut().unwrap().url = server.url();
    desk.engine.models().set_settings(&settings).unwrap();
    desk.append(&conversation("c2", &format!("owner Mara: {NURSE} on a children's ward.")));
    assert_eq!(desk.work(), Some(JobState::Done));
    let believed = format!("pending personal_info owner: User works as a nurse [tiny:1b {}]", READING.label());
    assert!(desk.memories().contains(&believed), "{:?}", desk.memories());
}
