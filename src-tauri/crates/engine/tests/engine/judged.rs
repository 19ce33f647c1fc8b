//! Tests that a context serves the messages that the model judges to be helpful, with a model that judges by a single word.

use std::sync::{Arc, Mutex};

use keepsake_domain::{DAY_MS, Timestamp};
use keepsake_engine::{Audience, ContextRequest, EmbedderSlot, EmbedderState, Engine, EngineParts, PluggedIn};
use keepsake_models::fake::{HashEmbedder, SentenceReader};
use keepsake_models::keys::SessionKeys;
use keepsake_models::{EmbedError, Embedder, Passage};
use keepsake_testkit::{Conversation, FixedClock, SeqIds};

use crate::search::embed;

const NOW: Timestamp = Timestamp(1_772_445_600_000);

/// Log odds at which a message certainly helps; the negative value means that it certainly does not.
const SURE: f32 = 20.0;

/// Judges that a message helps if it contains this word, and remembers what it was given.
struct Judging {
    words: HashEmbedder,
    helps: &'static str,
    given: Mutex<Vec<Passage>>,
}

impl Embedder for Judging {
    fn name(&self) -> &str {
        self.words.name()
    }

    fn dimension(&self) -> usize {
        self.words.dimension()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.words.embed(texts)
    }

    fn judge(&self, _: &str, passages: &[Passage]) -> Result<Option<Vec<f32>>, EmbedError> {
        self.given.lock().unwrap().extend(passages.iter().cloned());
        Ok(Some(passages.iter().map(|one| if one.text.contains(self.helps) { SURE } else { -SURE }).collect()))
    }
}

const TALK: &str = "owner Mara: what about the pump\n\
                    person Ana: the pump has a new capacitor\n\
                    assistant Nova: the pump is noted as broken\n\
                    owner Mara: the pump is green";

/// The context that is served about the pump, and the passages that were judged.
fn about_the_pump(helps: &'static str, audience: Audience) -> (String, Vec<Passage>) {
    let model = Arc::new(Judging { words: HashEmbedder::new(), helps, given: Mutex::default() });
    let dir = tempfile::tempdir().unwrap();
    let engine = Engine::open(EngineParts {
        data_dir: dir.path().to_owned(),
        clock: Arc::new(FixedClock::at(NOW)),
        ids: Arc::new(SeqIds::new(1)),
        embedder: EmbedderSlot::new(EmbedderState::Ready(Arc::<Judging>::clone(&model))).with_reader(Arc::new(SentenceReader)),
        zone: keepsake_engine::Zone::UTC,
        keys: Arc::new(SessionKeys::default()),
        power: Arc::new(PluggedIn),
    })
    .unwrap();
    let ids = SeqIds::new(9);
    let context = keepsake_store::AppendContext { ids: &ids, now: NOW, import_id: None };
    let mut pump = Conversation::new("c").channel("dm", "ana").messages(TALK);
    // The last line is said a day after the others.
    pump[3].time = pump[2].time.plus_ms(DAY_MS);
    let talks =
        [pump, Conversation::new("other").channel("dm", "ben").messages("person Ben: the pump of another place has a capacitor")];
    for talk in talks {
        engine.store().write(|tx| tx.log().append(&talk, context)).unwrap();
    }
    engine.embeddings().queue().unwrap();
    embed(&engine);
    let ask = ContextRequest { audience, query: Some("the pump".to_owned()), ..ContextRequest::default() };
    let text = engine.serve().context(&ask).unwrap().text;
    let given = model.given.lock().unwrap().clone();
    (text, given)
}

#[test]
fn what_the_model_judges_to_be_of_no_help_comes_after_what_helps() {
    let (text, _) = about_the_pump("capacitor", Audience::default());
    let place = |words: &str| text.find(words);
    assert!(place("new capacitor").is_some(), "{text}");
    assert!(place("is green").is_none_or(|other| other > place("new capacitor").unwrap()), "{text}");
    let (text, _) = about_the_pump("green", Audience::default());
    let place = |words: &str| text.find(words);
    assert!(place("is green").unwrap() < place("new capacitor").unwrap_or(usize::MAX), "control: the model decides: {text}");
}

#[test]
fn only_what_the_audience_may_see_is_judged_and_with_its_speaker_and_what_was_said_before() {
    let ana = Audience { channel: Some("dm:ana".to_owned()), agent: Some("nova".to_owned()), person: None };
    let (_, given) = about_the_pump("capacitor", ana);
    assert!(given.iter().all(|one| !one.text.contains("another place")), "{given:?}");
    let of = |words: &str| given.iter().find(|one| one.text.contains(words)).unwrap();
    assert_eq!(of("capacitor").text, "Ana: the pump has a new capacitor");
    assert_eq!(of("capacitor").before.as_deref(), Some("me: what about the pump"));
    assert_eq!(of("noted").text, "assistant: the pump is noted as broken");
    assert_eq!(of("noted").before.as_deref(), Some("Ana: the pump has a new capacitor"));
    assert_eq!(of("what about").before, None, "it is the first of its conversation");
    assert_eq!(of("green").before, None, "a day lies between");
    let (_, given) = about_the_pump("capacitor", Audience::default());
    assert!(given.iter().any(|one| one.text.contains("another place")), "control: it is there for the owner");
}
