//! Upgrades unidentified speakers that an earlier version treated as people.

use keepsake_domain::{ChannelHandle, LinkAnswer, MeetingId, MemoryStatus, Speaker, Subject};
use keepsake_testkit::Conversation;

use crate::bench::{Bench, plain, upgrade_step};

const MEETING: MeetingId = MeetingId::new(*b"standup ");

/// Reruns the migration that upgrades the rows of an earlier version.
fn upgrade(bench: &Bench) {
    let raw = plain(bench.store.path());
    raw.execute_batch("DROP TABLE unidentified_speakers").unwrap();
    raw.execute_batch(&upgrade_step(27)).unwrap();
    raw.execute_batch(
        "DROP TRIGGER boundary_on_voice; ALTER TABLE voices RENAME TO unidentified_speakers;
         ALTER TABLE unidentified_speakers RENAME COLUMN is_left TO is_dismissed",
    )
    .unwrap();
}

#[test]
fn an_upgrade_takes_voices_for_nobody_but_those_that_somebody_linked() {
    let bench = Bench::new();
    bench.append(&Conversation::new("room").channel("matrix", "room").messages("person Ana: hello"));
    let lines = "person Speaker 1: I keep two cats\nperson Speaker 2: hello\nperson Ana Lima's Presentation: hello\n\
                 person speaker@meeting.example: hello\nowner Speaker 3: hello";
    let mut messages = Conversation::new("standup").channel("meeting", "standup").messages(lines);
    for message in messages.iter_mut().filter(|message| !message.author.name.contains('@')) {
        message.author.handle = ChannelHandle::of_unidentified_speaker(&message.author.name.to_lowercase(), MEETING);
    }
    bench.append(&messages);
    let handle = |label: &str| {
        let id = bench
            .store
            .read(|tx| tx.people().handle_by_address("meeting", &ChannelHandle::of_unidentified_speaker(label, MEETING).handle));
        id.unwrap().unwrap().id
    };
    let subject = |label: &str| Subject::Person(Speaker::new(label, handle(label).as_str()));
    bench.answer(&subject("speaker 2"), &bench.person("room", "Ana"), LinkAnswer::Same);
    let mut memory = bench.memory("Speaker 1 keeps two cats", vec![bench.place("standup", "I keep two cats")]);
    memory.subject = subject("speaker 1");
    bench.insert(&memory);
    upgrade(&bench);
    let voices = bench.store.read(|tx| tx.people().unidentified_speakers(None)).unwrap();
    let mut known: Vec<_> = voices.iter().map(|voice| (voice.label.as_str(), voice.name.as_deref(), voice.is_open())).collect();
    known.sort_unstable();
    assert_eq!(
        known,
        [("Ana Lima's Presentation", None, false), ("Speaker 1", None, true), ("Speaker 2", Some("Ana"), false)],
        "neither an address that looks alike nor the owner is one"
    );
    assert_eq!(
        bench.store.read(|tx| tx.memories().memory(&memory.id)).unwrap().status,
        MemoryStatus::Superseded,
        "it does not wait any more"
    );
    assert!(bench.store.attack(keepsake_store::Door::Writer, "UPDATE memories SET subject = 'x'").is_err(), "the guard stands");
}
