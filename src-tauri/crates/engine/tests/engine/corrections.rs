//! Tests that corrections last: over generated histories, a retracted statement disappears from every text immediately, does
//! not return through any derivation, and nothing else changes.

use std::collections::BTreeSet;

use keepsake_domain::{DAY_MS, MemoryId, MemoryStatus, ProfileId};
use keepsake_engine::{Act, Audience, ContextRequest, Kind, SearchAsk, TopicTexts, Unwatched, current_profiles};
use keepsake_testkit::Conversation;
use keepsake_testkit::histories::{History, Said};

use crate::fixture::Fixture;

/// Number of histories played. In each, everything is derived twice. In a debug build, one history takes more than a second,
/// so fewer are played. All 200 also pass: uptake 100%, resurrection 0, collateral 0.
const HISTORIES: u64 = if cfg!(debug_assertions) { 60 } else { 200 };

/// How a person corrects one statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Correction {
    /// Dismiss a memory.
    Reject,
    /// Reword a memory.
    Edit,
    /// Move a memory to the trash and erase it permanently.
    Erase,
    /// Dispute a profile entry.
    Debunk,
    /// Reword a profile entry.
    Correct,
}

impl Correction {
    fn is_of_profile(self) -> bool {
        matches!(self, Self::Debunk | Self::Correct)
    }
}

fn import(f: &Fixture, conversations: &[Vec<keepsake_domain::Message>]) {
    for messages in conversations {
        f.clock.advance_ms(1_000);
        let id = f.append(messages);
        f.engine.review().propose(&id, None, &Unwatched).unwrap();
    }
}

/// Each piece of served text with the place where it is served.
fn served(f: &Fixture, said: &[Said]) -> Vec<(String, String)> {
    let mut texts: Vec<(String, String)> = Vec::new();
    let audiences = [None, Some("matrix"), Some("chat")];
    for said in said {
        for word in [said.word, said.instead] {
            for channel in audiences {
                let audience = Audience { channel: channel.map(str::to_owned), ..Audience::default() };
                let request =
                    ContextRequest { audience, query: Some(word.to_owned()), budget_chars: 20_000, ..ContextRequest::default() };
                texts.push((format!("context {channel:?}"), f.engine.serve().context(&request).unwrap().text));
            }
            let kinds = vec![Kind::Memory, Kind::Topic];
            let found =
                f.engine.serve().search(&SearchAsk { query: word.to_owned(), kinds, limit: 50, ..SearchAsk::default() }).unwrap();
            let memories: Vec<String> = f
                .engine
                .store()
                .read(|tx| found.memories.iter().map(|hit| Ok(tx.memories().memory(&hit.id)?.content)).collect())
                .unwrap();
            texts.push(("search of memories".to_owned(), memories.join("\n")));
            let lines = found.topics.iter().flat_map(|hit| hit.lines.iter().map(|line| line.text.clone()));
            texts.push(("search of topics".to_owned(), lines.collect::<Vec<_>>().join("\n")));
        }
    }
    texts.push(("context".to_owned(), f.engine.serve().context(&ContextRequest::default()).unwrap().text));
    let topics = f.engine.topics().list().unwrap();
    let of_topics = f.engine.store().read(|tx| {
        let told = TopicTexts::new(tx)?;
        topics.iter().map(|topic| told.lines(&topic.version.id)).collect::<Result<Vec<_>, _>>()
    });
    texts.push(("topics".to_owned(), of_topics.unwrap().concat().into_iter().map(|line| line.text + "\n").collect()));
    let rows = f.engine.people().profile_rows(&f.engine.erasure().person_named("Mara").unwrap()).unwrap();
    let current = current_profiles(&rows);
    let entries = rows.into_iter().filter(|row| current.contains(&row.entry.id)).map(|row| row.entry.content + "\n");
    texts.push(("profile".to_owned(), entries.collect()));
    texts
}

/// The places where a word is served.
fn told(f: &Fixture, word: &str, said: &[Said]) -> Vec<String> {
    served(f, said)
        .into_iter()
        .filter(|(_, text)| text.contains(word))
        .map(|(place, text)| format!("{place}: {}", line_of(&text, word)))
        .collect()
}

fn line_of(text: &str, word: &str) -> String {
    text.lines().find(|line| line.contains(word)).unwrap_or_default().to_owned()
}

/// The memories that contain none of these words.
fn known(f: &Fixture, without: &[&str]) -> BTreeSet<String> {
    f.memories().into_iter().filter(|text| !without.iter().any(|word| text.contains(word))).collect()
}

fn ids_of(f: &Fixture, word: &str, statuses: &[MemoryStatus]) -> Vec<MemoryId> {
    let rows = f.rows().into_iter().filter(|(_, text)| text.contains(word));
    rows.map(|(id, _)| id)
        .filter(|id| statuses.contains(&f.engine.store().read(|tx| tx.memories().memory(id)).unwrap().status))
        .collect()
}

fn approve_all(f: &Fixture) {
    let waiting: Vec<MemoryId> = f.rows().into_iter().filter(|(_, text)| text.starts_with("pending")).map(|(id, _)| id).collect();
    f.engine.review().act(&Act::Approve(waiting)).unwrap();
}

/// The failures, and the number of corrections.
#[derive(Debug, Default)]
struct Tally {
    corrections: u32,
    still_told: Vec<String>,
    not_taken_up: Vec<String>,
    came_back: Vec<String>,
    collateral: Vec<String>,
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.corrections += other.corrections;
        self.still_told.extend(other.still_told);
        self.not_taken_up.extend(other.not_taken_up);
        self.came_back.extend(other.came_back);
        self.collateral.extend(other.collateral);
    }
}

/// Number of threads: one per core of the machines that run the test.
const THREADS: usize = 2;

/// Plays one history with one correction. The control uses `forget` to change the store after the correction.
fn play(seed: u64, correction: Correction, forget: &dyn Fn(&Fixture), tally: &mut Tally) {
    let f = Fixture::new();
    let history = History::of(seed);
    import(&f, &history.conversations);
    // The person reviews after all conversations have taken place.
    f.clock.advance_ms(7 * DAY_MS);
    approve_all(&f);
    f.derive();
    approve_all(&f);
    let active = [MemoryStatus::Active];
    let is_known = |said: &&Said| match correction.is_of_profile() {
        true => !entries_of(&f, said.word).is_empty(),
        false => !ids_of(&f, said.word, &active).is_empty(),
    };
    let Some(said) = history.said.iter().find(is_known) else { return };
    let before = known(&f, &[said.word, said.instead]);
    let profile_before = told_of_profile(&f, said.word);
    correct(&f, said, correction);
    tally.corrections += 1;
    let name = format!("seed {seed}, {correction:?} of {:?}", said.word);
    let ask = std::slice::from_ref(said);
    tally.still_told.extend(told(&f, said.word, ask).into_iter().map(|place| format!("{name}: {place}")));
    if matches!(correction, Correction::Edit | Correction::Correct) && told(&f, said.instead, ask).is_empty() {
        tally.not_taken_up.push(name.clone());
    }
    let collateral = |f: &Fixture, when: &str, tally: &mut Tally| {
        let after = known(f, &[said.word, said.instead]);
        tally.collateral.extend(before.difference(&after).map(|text| format!("{name} {when}: lost {text}")));
        tally.collateral.extend(after.difference(&before).map(|text| format!("{name} {when}: new {text}")));
        let lost = profile_before.iter().filter(|entry| !told_of_profile(f, said.word).contains(*entry));
        tally.collateral.extend(lost.map(|entry| format!("{name} {when}: lost of the profile {entry}")));
    };
    collateral(&f, "at once", tally);
    forget(&f);
    // Try every way back: the same file again, the same words under other ids, deriving everything again, a new process.
    import(&f, &history.conversations);
    import(&f, &history.exported_again());
    for conversation in &history.conversations {
        let id =
            f.engine.store().read(|tx| tx.log().conversation_by_source(&conversation[0].source.conversation)).unwrap().unwrap();
        f.engine.review().propose(&id, None, &Unwatched).unwrap();
        let _ = f.engine.conversations().analyze_now(&id, &Unwatched);
    }
    f.derive();
    f.engine.topics().rebuild().unwrap();
    f.derive();
    let f = f.restarted(seed + 1_000_000);
    f.derive();
    tally.came_back.extend(told(&f, said.word, ask).into_iter().map(|place| format!("{name}: {place}")));
    let back = ids_of(&f, said.word, &[MemoryStatus::Active, MemoryStatus::Pending]);
    let row = |id: &MemoryId| f.rows().into_iter().find(|(known, _)| known == id).map(|(_, text)| text).unwrap_or_default();
    tally.came_back.extend(back.iter().map(|id| format!("{name}: {id} stands again: {}", row(id))));
    collateral(&f, "after everything was derived again", tally);
    // A cleanup uses only valid memories: no merge or rewording brings back a retracted statement.
    tidy(&f);
    tally.came_back.extend(told(&f, said.word, ask).into_iter().map(|place| format!("{name}, tidied: {place}")));
    let back = ids_of(&f, said.word, &[MemoryStatus::Active, MemoryStatus::Pending]);
    tally.came_back.extend(back.iter().map(|id| format!("{name}: {id} stands again, tidied")));
}

/// Makes the correction. A statement that was said in several ways has become several memories or entries, and the person
/// corrects each of them. Each action also applies to the copies of that memory or entry.
fn correct(f: &Fixture, said: &Said, correction: Correction) {
    let other_words = |text: &str| text.replace(said.word, said.instead);
    match correction {
        Correction::Reject | Correction::Edit => {
            for id in ids_of(f, said.word, &[MemoryStatus::Active]) {
                let row = f.engine.store().read(|tx| tx.memories().memory(&id)).unwrap();
                if row.status != MemoryStatus::Active {
                    continue;
                }
                match correction {
                    Correction::Reject => f.engine.review().act(&Act::Reject(vec![id], None)).unwrap(),
                    _ => f.engine.review().act(&Act::Edit(id, other_words(&row.content), None)).unwrap(),
                };
            }
        }
        Correction::Erase => {
            let ids = ids_of(f, said.word, &[MemoryStatus::Active]);
            f.engine.review().act(&Act::Archive(ids.clone())).unwrap();
            let foreseen = f.engine.erasure().preview_erased_memories(&ids).unwrap();
            let receipt = f.engine.erasure().erase_memories(&ids).unwrap();
            assert!(receipt.is_done && receipt.erased == foreseen, "what was listed went: {foreseen:?} {receipt:?}");
            let everything = [MemoryStatus::Active, MemoryStatus::Pending, MemoryStatus::Archived, MemoryStatus::Superseded];
            assert_eq!(ids_of(f, said.word, &everything), [], "no row is left");
        }
        Correction::Debunk | Correction::Correct => {
            // One action is enough, although each audience has its own entry for the statement.
            let (id, content) = entries_of(f, said.word).remove(0);
            match correction {
                Correction::Debunk => f.engine.people().dispute_profile(&id, true).unwrap(),
                _ => f.engine.people().correct_profile(&id, &other_words(&content)).map(drop).unwrap(),
            }
        }
    }
}

/// Current entries of the owner's profile that contain this word.
fn entries_of(f: &Fixture, word: &str) -> Vec<(ProfileId, String)> {
    let rows = f.engine.people().profile_rows(&f.engine.erasure().person_named("Mara").unwrap()).unwrap();
    let current = current_profiles(&rows);
    let entries =
        rows.into_iter().map(|row| row.entry).filter(|entry| current.contains(&entry.id) && entry.debunked_at.is_none());
    entries.filter(|entry| entry.content.contains(word)).map(|entry| (entry.id, entry.content)).collect()
}

/// Applies every cleanup proposal, months later.
fn tidy(f: &Fixture) {
    f.clock.advance_ms(90 * DAY_MS);
    f.engine.reflections().reflect(&Unwatched).unwrap();
    let all: Vec<_> = f.engine.reflections().list().unwrap().into_iter().map(|row| row.id).collect();
    let run = f.engine.reflections().apply(Some(&all), &Unwatched).unwrap();
    assert_eq!(run.applied.len(), all.len(), "all of it is applied: {run:?}");
}

/// The current entries of the owner's profile that do not contain this word.
fn told_of_profile(f: &Fixture, word: &str) -> BTreeSet<String> {
    let rows = f.engine.people().profile_rows(&f.engine.erasure().person_named("Mara").unwrap()).unwrap();
    let current = current_profiles(&rows);
    let entries = rows.into_iter().filter(|row| current.contains(&row.entry.id)).map(|row| row.entry.content);
    entries.filter(|content| !content.contains(word)).collect()
}

/// Plays every history with the correction that `chosen` selects, and checks that each correction lasts.
fn check(name: &str, chosen: fn(u64) -> Correction, at_least: u64) {
    let half = |from: u64| {
        let mut tally = Tally::default();
        (from..HISTORIES).step_by(THREADS).for_each(|seed| play(seed, chosen(seed), &|_| {}, &mut tally));
        tally
    };
    let mut tally = Tally::default();
    std::thread::scope(|scope| {
        let halves: Vec<_> = (0..THREADS as u64).map(|from| scope.spawn(move || half(from))).collect();
        for one in halves {
            tally.add(one.join().unwrap());
        }
    });
    assert!(u64::from(tally.corrections) >= at_least, "{name}: there is something to correct: {}", tally.corrections);
    assert_eq!(tally.still_told, Vec::<String>::new(), "{name}: still told ({})", tally.still_told.len());
    assert_eq!(
        tally.not_taken_up,
        Vec::<String>::new(),
        "{name}: the person's words are not told ({})",
        tally.not_taken_up.len()
    );
    assert_eq!(tally.came_back, Vec::<String>::new(), "{name}: came back ({})", tally.came_back.len());
    assert_eq!(tally.collateral, Vec::<String>::new(), "{name}: something else changed ({})", tally.collateral.len());
}

#[test]
fn a_correction_is_taken_up_at_once_stays_and_touches_nothing_else() {
    check("memories", |seed| if seed / 2 % 2 == 0 { Correction::Reject } else { Correction::Edit }, HISTORIES);
}

#[test]
fn an_erased_memory_is_told_nowhere_comes_back_by_nothing_and_takes_nothing_else_along() {
    check("erased", |_| Correction::Erase, HISTORIES);
}

/// A quarter of the corrections is enough, because not every history contains a wish.
#[test]
fn a_correction_of_the_profile_is_taken_up_at_once_stays_and_touches_nothing_else() {
    check("profile", |seed| if seed / 2 % 2 == 0 { Correction::Debunk } else { Correction::Correct }, HISTORIES / 4);
}

/// Control: if the store forgets a retraction, the same check sees the statement return.
#[test]
fn a_store_that_forgets_what_was_taken_back_is_noticed() {
    let mut tally = Tally::default();
    let forget = |f: &Fixture| drop(f.engine.review().undo(None).unwrap());
    for seed in 0..4 {
        play(seed, Correction::Reject, &forget, &mut tally);
    }
    assert_eq!(tally.still_told, Vec::<String>::new(), "it was gone at first");
    assert!(tally.came_back.len() >= tally.corrections as usize, "and came back: {:?}", tally.came_back);
}

#[test]
fn what_a_profile_says_wrong_goes_from_the_memories_too_and_comes_back_with_it() {
    let f = Fixture::new();
    import(&f, &[Conversation::new("wishes").messages("owner Mara: I prefer short answers.\nowner Mara: I play the cello.")]);
    f.clock.advance_ms(DAY_MS);
    approve_all(&f);
    f.derive();
    let rows = f.engine.people().profile_rows(&f.engine.erasure().person_named("Mara").unwrap()).unwrap();
    let entry = rows.iter().find(|row| row.entry.content.contains("short answers")).unwrap().entry.id.clone();
    let short = || known(&f, &[]).into_iter().find(|text| text.contains("short answers")).unwrap();
    assert!(short().starts_with("active"), "{}", short());
    f.clock.advance_ms(DAY_MS);
    f.engine.people().dispute_profile(&entry, true).unwrap();
    assert!(short().starts_with("rejected"), "the memory rests on the same words: {}", short());
    assert!(known(&f, &[]).iter().any(|text| text.starts_with("active") && text.contains("cello")), "the other one stays");
    f.engine.people().dispute_profile(&entry, false).unwrap();
    assert!(short().starts_with("active"), "taken back, it stands again: {}", short());
    f.engine.people().correct_profile(&entry, "Prefers long answers").unwrap();
    assert!(short().starts_with("rejected"), "{}", short());
}

#[test]
fn a_refused_memory_takes_its_entry_of_the_profile_along_and_undo_brings_both_back() {
    let f = Fixture::new();
    import(&f, &[Conversation::new("wishes").messages("owner Mara: I prefer short answers. Please answer in French.")]);
    f.clock.advance_ms(DAY_MS);
    approve_all(&f);
    f.derive();
    let told = || told_of_profile(&f, "\u{0}");
    let before = told();
    assert!(before.iter().any(|entry| entry.contains("short answers")), "{before:?}");
    let id = ids_of(&f, "short answers", &[MemoryStatus::Active]).remove(0);
    f.engine.review().act(&Act::Reject(vec![id], None)).unwrap();
    let rest: BTreeSet<String> = before.iter().filter(|entry| !entry.contains("short answers")).cloned().collect();
    assert_eq!(told(), rest, "only that one");
    f.engine.review().undo(None).unwrap();
    assert_eq!(told(), before);
}
