//! Tests unidentified speakers of a transcript: they belong to no person until the owner says who they are, and again when
//! that answer is undone (docs/formats.md, section 8).

use keepsake_domain::{ChannelHandle, ConversationId, HandleId, LinkAnswer, MeetingId, MemoryStatus, Message};
use keepsake_engine::{Act, Audience, ContextRequest, SpeakerAnswer, Unwatched};
use keepsake_testkit::{Conversation, MONDAY_TEN};

use crate::fixture::Fixture;

const STANDUP: MeetingId = MeetingId::new(*b"standup ");
const RETRO: MeetingId = MeetingId::new(*b"retro   ");

/// A meeting with two unidentified speakers and Bo, who has a name. Ana and the owner are known from elsewhere.
struct Meeting {
    f: Fixture,
    conversation: ConversationId,
}

/// The owner's answer about a speaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    Owner,
    Ana,
    Name(&'static str),
    Leave,
    Open,
}

fn transcript(meeting: MeetingId, lines: &str) -> Vec<Message> {
    let mut messages = Conversation::new(&meeting.to_string()).channel("meeting", &meeting.to_string()).messages(lines);
    for message in &mut messages {
        if message.author.name.starts_with("Speaker") {
            message.author.handle = ChannelHandle::of_unidentified_speaker(&message.author.name.to_lowercase(), meeting);
        }
    }
    messages
}

impl Meeting {
    fn new() -> Self {
        let f = Fixture::new();
        for (id, lines) in [("elsewhere", "person Ana: Good morning."), ("own", "owner Mara: Good morning.")] {
            f.append(&Conversation::new(id).channel("matrix", id).messages(lines));
            f.clock.advance_ms(60_000);
        }
        let lines = "person Speaker 1: I live in Porto.\nperson Speaker 2: I play the cello.\nperson Bo: I live in Oslo.";
        let conversation = f.append(&transcript(STANDUP, lines));
        let meeting = Self { f, conversation };
        meeting.read();
        meeting
    }

    fn append(&self, messages: &[Message]) -> ConversationId {
        self.f.clock.advance_ms(60_000);
        self.f.append(messages)
    }

    fn read(&self) {
        self.f.engine.review().propose(&self.conversation, None, &Unwatched).unwrap();
    }

    fn handle(&self, channel: &str, address: &str) -> HandleId {
        self.f.engine.store().read(|tx| tx.people().handle_by_address(channel, address)).unwrap().unwrap().id
    }

    fn voice(&self, label: &str) -> HandleId {
        self.handle("meeting", &ChannelHandle::of_unidentified_speaker(label, STANDUP).handle)
    }

    fn answer(&self, label: &str, said: Said) {
        let answer = match said {
            Said::Owner => SpeakerAnswer::Owner,
            Said::Ana => SpeakerAnswer::Person(self.handle("matrix", "Ana")),
            Said::Name(name) => SpeakerAnswer::Name(name.to_owned()),
            Said::Leave => SpeakerAnswer::Leave,
            Said::Open => SpeakerAnswer::Open,
        };
        self.f.clock.advance_ms(60_000);
        self.f.engine.people().answer_speaker(&self.voice(label), &answer).unwrap();
        self.read();
    }

    /// `status subject: content` of every memory that was not superseded or withdrawn, except Bo's.
    fn told(&self) -> Vec<String> {
        let rows = self.f.rows().into_iter().map(|(id, _)| self.f.engine.store().read(|tx| tx.memories().memory(&id)).unwrap());
        let standing = rows.filter(|row| row.status != MemoryStatus::Superseded && row.subject.as_str() != "Bo");
        standing.map(|row| format!("{} {}: {}", row.status, row.subject.as_str(), row.content)).collect()
    }

    fn people(&self) -> Vec<String> {
        let mut names: Vec<_> = self.f.engine.people().list().unwrap().into_iter().map(|person| person.name).collect();
        names.sort();
        names
    }

    fn open(&self) -> Vec<String> {
        let voices = self.f.engine.people().unidentified_speakers(None).unwrap();
        voices.into_iter().filter(|voice| voice.is_open()).map(|voice| voice.label).collect()
    }

    fn approve(&self) {
        let waiting = self.f.rows().into_iter().filter(|(_, text)| text.starts_with("pending") && !text.contains(" Bo:"));
        self.f.engine.review().act(&Act::Approve(waiting.map(|(id, _)| id).collect())).unwrap();
    }
}

/// Checks, after these answers about "Speaker 1", the memories, the speakers still asked about, and the people other than
/// Ana, Bo and Mara.
fn check(answers: &[Said], told: &[&str], open: &[&str], others: &[&str]) {
    let meeting = Meeting::new();
    for said in answers {
        meeting.answer("speaker 1", *said);
    }
    assert_eq!(meeting.told(), told, "{answers:?}");
    assert_eq!(meeting.open(), open, "{answers:?}");
    let known = ["Ana", "Bo", "Mara"];
    let people: Vec<_> = meeting.people().into_iter().filter(|name| !known.contains(&name.as_str())).collect();
    assert_eq!(people, others, "{answers:?}");
}

#[test]
fn nothing_is_proposed_about_a_voice_until_somebody_says_whose_it_is() {
    use Said::*;
    const BOTH: &[&str] = &["Speaker 1", "Speaker 2"];
    const OTHER: &[&str] = &["Speaker 2"];
    check(&[], &[], BOTH, &[]);
    check(&[Leave], &[], OTHER, &[]);
    check(&[Name("Rui")], &["pending Rui: Rui: “I live in Porto”"], OTHER, &["Rui"]);
    check(&[Name("  Rui \t Costa ")], &["pending Rui Costa: Rui Costa: “I live in Porto”"], OTHER, &["Rui Costa"]);
    check(&[Ana], &["pending Ana: Ana: “I live in Porto”"], OTHER, &[]);
    check(&[Owner], &["pending owner: User: “I live in Porto”"], OTHER, &[]);
    // Undoing the answer restores the earlier state.
    for said in [Leave, Name("Rui"), Ana, Owner] {
        check(&[said, Open], &[], BOTH, &[]);
        check(&[Leave, said, Open], &[], BOTH, &[]);
    }
    // Another answer replaces the previous one, and the same answer again has the same result.
    check(&[Name("Rui"), Ana], &["pending Ana: Ana: “I live in Porto”"], OTHER, &[]);
    check(&[Ana, Name("Rui")], &["pending Rui: Rui: “I live in Porto”"], OTHER, &["Rui"]);
    check(&[Owner, Ana], &["pending Ana: Ana: “I live in Porto”"], OTHER, &[]);
    check(&[Ana, Owner], &["pending owner: User: “I live in Porto”"], OTHER, &[]);
    check(&[Owner, Open, Owner], &["pending owner: User: “I live in Porto”"], OTHER, &[]);
    check(&[Ana, Open, Ana], &["pending Ana: Ana: “I live in Porto”"], OTHER, &[]);
    check(&[Name("Rui"), Open, Name("Rui")], &["pending Rui: Rui: “I live in Porto”"], OTHER, &["Rui"]);
}

#[test]
fn the_gate_log_says_what_waits_for_a_name() {
    let meeting = Meeting::new();
    assert!(meeting.f.gates().contains(&"unnamed_voice".to_owned()), "{:?}", meeting.f.gates());
    assert!(meeting.f.memories().iter().any(|text| text.contains("Bo: “I live in Oslo”")), "who has a name is proposed about");
}

#[test]
fn what_was_approved_outlives_the_name_but_not_as_the_owners() {
    let check = |said: Said, expect: &[&str]| {
        let meeting = Meeting::new();
        meeting.answer("speaker 1", said);
        meeting.approve();
        meeting.answer("speaker 1", Said::Open);
        assert_eq!(meeting.told(), expect, "{said:?}");
    };
    check(Said::Name("Rui"), &["active Rui: Rui: “I live in Porto”"]);
    check(Said::Ana, &["active Ana: Ana: “I live in Porto”"]);
    // Only what the owner said may be attributed to the owner.
    check(Said::Owner, &["archived owner: User: “I live in Porto”"]);
}

#[test]
fn two_voices_of_a_meeting_may_be_one_person_and_one_label_of_two_meetings_is_two() {
    let meeting = Meeting::new();
    let retro = meeting.append(&transcript(RETRO, "person Speaker 1: I live in Lisbon."));
    meeting.answer("speaker 1", Said::Name("Rui"));
    meeting.f.engine.review().propose(&retro, None, &Unwatched).unwrap();
    assert_eq!(meeting.told(), ["pending Rui: Rui: “I live in Porto”"], "the other meeting's is somebody else");
    meeting
        .f
        .engine
        .people()
        .answer_speaker(&meeting.voice("speaker 2"), &SpeakerAnswer::Person(meeting.voice("speaker 1")))
        .unwrap();
    meeting.read();
    assert_eq!(meeting.told(), ["pending Rui: Rui: “I live in Porto”", "pending Rui: Rui: “I play the cello”"]);
    // If a speaker loses their name, a handle linked with the speaker loses it too.
    meeting.answer("speaker 1", Said::Open);
    assert_eq!(meeting.told(), [""; 0]);
    assert_eq!(meeting.open().len(), 3, "{:?}", meeting.open());
}

#[test]
fn linking_by_hand_names_a_voice_as_well() {
    let meeting = Meeting::new();
    meeting.f.engine.people().link_handles(&meeting.voice("speaker 1"), &meeting.handle("matrix", "Ana")).unwrap();
    meeting.read();
    assert_eq!(meeting.told(), ["pending Ana: Ana: “I live in Porto”"]);
    let link = meeting.f.engine.people().links().unwrap().into_iter().find(|link| link.status.name() == "same").unwrap();
    meeting.f.engine.people().unlink(&link.id).unwrap();
    meeting.read();
    assert_eq!(meeting.told(), [""; 0]);
}

#[test]
fn a_voice_without_a_name_is_nobody_to_agents_and_a_reader_all_the_same() {
    let meeting = Meeting::new();
    let context = |person: &str| {
        let audience = Audience { person: Some(person.to_owned()), ..Audience::default() };
        meeting.f.engine.serve().context(&ContextRequest { audience, ..ContextRequest::default() }).unwrap()
    };
    assert_eq!(context("Speaker 1").text, context("somebody unheard of").text, "its label names nobody");
    meeting.f.clock.advance_ms(60_000);
    meeting.f.propose("own", "owner Mara: I live in Porto.");
    meeting.approve();
    let told_in = |messages: &[Message]| {
        meeting.append(messages);
        let audience = Audience { channel: Some(messages[0].channel_id.clone()), ..Audience::default() };
        let request = ContextRequest { audience, ..ContextRequest::default() };
        meeting.f.engine.serve().context(&request).unwrap().text.contains("Porto")
    };
    let lines = "owner Mara: Good morning.\nassistant Helper: Good morning.";
    let alone = Conversation::new("alone").channel("chat", "alone").messages(lines);
    assert!(told_in(&alone), "alone with a program the owner is told");
    let heard = transcript(RETRO, "owner Mara: Good morning.\nperson Speaker 1: Good morning.");
    assert!(!told_in(&heard), "here somebody listens");
}

#[test]
fn the_reading_view_shows_the_name_and_keeps_the_label() {
    let meeting = Meeting::new();
    meeting.answer("speaker 1", Said::Name("Rui"));
    let rows = meeting.f.engine.store().read(|tx| tx.log().conversation_interactions(&meeting.conversation)).unwrap();
    let authors: Vec<_> = rows.iter().map(|row| (row.author.as_str(), row.label.as_deref(), row.is_unnamed)).collect();
    assert_eq!(authors, [("Rui", Some("Speaker 1"), false), ("Speaker 2", None, true), ("Bo", None, false)]);
    let names = meeting.f.engine.store().read(|tx| tx.log().participants(&meeting.conversation, 9)).unwrap();
    assert!(names.contains(&"Rui".to_owned()) && !names.contains(&"Speaker 1".to_owned()), "{names:?}");
    assert_eq!(meeting.f.engine.store().read(|tx| tx.log().verify_chain()).unwrap().faults, [], "no message was touched");
}

#[test]
fn meetings_kept_out_of_memory_are_not_asked_about_and_nothing_unread_is_read_for_a_name() {
    let meeting = Meeting::new();
    let unread = meeting.append(&transcript(RETRO, "person Speaker 1: I live in Lisbon."));
    let voice = meeting.handle("meeting", &ChannelHandle::of_unidentified_speaker("speaker 1", RETRO).handle);
    meeting.f.engine.people().answer_speaker(&voice, &SpeakerAnswer::Name("Ines".to_owned())).unwrap();
    let read_to = meeting.f.engine.store().read(|tx| Ok(tx.log().conversation(&unread)?.extracted_through_seq)).unwrap();
    assert_eq!(read_to, 0, "what was not read yet is read in its own time");
    meeting.f.engine.store().write(|tx| tx.log().set_private(&meeting.conversation, true)).unwrap();
    assert_eq!(meeting.open(), [""; 0]);
}

#[test]
fn an_answer_that_cannot_be_is_refused_and_changes_nothing() {
    let meeting = Meeting::new();
    let (one, two) = (meeting.voice("speaker 1"), meeting.voice("speaker 2"));
    let (ana, bo) = (meeting.handle("matrix", "Ana"), meeting.handle("meeting", "Bo"));
    let refused = |voice: &HandleId, answer: SpeakerAnswer, why: &str| {
        let error = meeting.f.engine.people().answer_speaker(voice, &answer).unwrap_err().to_string();
        assert!(error.contains(why), "{answer:?}: {error}");
    };
    refused(&one, SpeakerAnswer::Name(" \t".to_owned()), "name is empty");
    refused(&one, SpeakerAnswer::Name("x".repeat(81)), "80 characters");
    refused(&one, SpeakerAnswer::Person(two), "not identified yet");
    refused(&bo, SpeakerAnswer::Name("Bob".to_owned()), "not an unidentified speaker");
    // Bo is linked with Ana, and Speaker 1 is marked as a different person from Bo.
    meeting.f.engine.people().link_handles(&one, &bo).unwrap();
    let pair = meeting.f.engine.people().links().unwrap().into_iter().find(|link| link.status.name() == "same").unwrap();
    meeting.f.engine.people().answer_link(&pair.id, LinkAnswer::Different).unwrap();
    meeting.f.engine.people().link_handles(&bo, &ana).unwrap();
    meeting.answer("speaker 1", Said::Name("Rui"));
    refused(&one, SpeakerAnswer::Person(ana), "different people");
    assert_eq!(meeting.told(), ["pending Rui: Rui: “I live in Porto”"], "the name stays");
}

#[test]
fn who_a_voice_is_survives_a_restart_and_a_longer_transcript() {
    let mut meeting = Meeting::new();
    meeting.answer("speaker 1", Said::Name("Rui"));
    meeting.f = meeting.f.restarted(9);
    let mut longer = transcript(STANDUP, "person Speaker 1: I work as a nurse.");
    longer[0].source.message = "later".to_owned();
    longer[0].time = MONDAY_TEN.plus_ms(600_000);
    meeting.append(&longer);
    meeting.read();
    assert_eq!(meeting.told(), ["pending Rui: Rui: “I live in Porto”", "pending Rui: Rui: “I work as a nurse”"]);
    assert_eq!(meeting.open(), ["Speaker 2"]);
}
