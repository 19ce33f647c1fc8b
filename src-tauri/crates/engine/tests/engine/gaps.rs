//! Tests gaps (unmet requests) end to end: found by the job, turned into a task in a file, read back from the file, and
//! reopened when they recur.

use keepsake_domain::{DAY_MS, GapStatus, ProfileType, TaskStatus};
use keepsake_engine::ContextRequest;
use keepsake_testkit::Conversation;

use crate::fixture::Fixture;

fn derive(f: &Fixture) {
    f.engine.people().queue_profiles().unwrap();
    let lock = f.engine.queue().lock_worker().unwrap();
    f.engine.queue().run_until_idle(&lock, &|_| {}).unwrap();
}

fn refused(f: &Fixture, id: &str, day: &str, need: &str) {
    let lines = format!("owner Mara {day}: Please {need}.\nassistant Nova {day}: Sorry, I can't {need}.");
    // Advance the clock, because the fixture's ids depend on it.
    f.clock.advance_ms(1_000);
    f.append(&Conversation::new(id).channel("chat", id).messages(&lines));
}

fn gaps(f: &Fixture) -> Vec<(String, u32, GapStatus)> {
    f.engine.gaps().list().unwrap().into_iter().map(|gap| (gap.need, gap.frequency, gap.status)).collect()
}

const NEED: &str = "export my notes as PDF";

#[test]
fn what_is_refused_again_is_one_gap_and_a_one_off_is_none() {
    let f = Fixture::new();
    refused(&f, "a", "2026-01-05", NEED);
    derive(&f);
    assert!(gaps(&f).is_empty(), "once is a one-off");
    refused(&f, "b", "2026-01-07", NEED);
    refused(&f, "c", "2026-01-07", "book a table for tonight");
    derive(&f);
    let found = gaps(&f);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].1, found[0].2), (2, GapStatus::Detected));
    assert_eq!(f.engine.gaps().list().unwrap()[0].proposer, "builtin-gap/2", "it names what found it");
    derive(&f);
    assert_eq!(gaps(&f), found, "looking again changes nothing");
    refused(&f, "d", "2026-01-09", NEED);
    derive(&f);
    assert_eq!((gaps(&f).len(), gaps(&f)[0].1), (1, 3), "the same gap is one row");
}

#[test]
fn a_confirmed_gap_is_a_task_whose_box_is_read_back_and_opened_when_it_recurs() {
    let f = Fixture::new();
    refused(&f, "a", "2026-01-05", NEED);
    refused(&f, "b", "2026-01-07", NEED);
    derive(&f);
    let id = f.engine.gaps().list().unwrap()[0].id.clone();
    assert!(f.engine.gaps().confirm(&id).is_err(), "no file is chosen");
    let file = f.dir.path().join("tasks.md");
    std::fs::write(&file, "# My list\n\n- [ ] water the plants\n").unwrap();
    f.engine.gaps().set_tasks_file(&file).unwrap();
    let gap = f.engine.gaps().confirm(&id).unwrap();
    assert_eq!((gap.status, gap.task.unwrap().status), (GapStatus::TaskCreated, TaskStatus::Open));
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.starts_with("# My list\n\n- [ ] water the plants\n"), "what the person wrote stays: {text}");
    assert!(text.contains("notes as PDF") && !text.contains("Sorry"), "words of a closed chat are not quoted: {text}");
    f.engine.gaps().confirm(&id).unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text, "confirming twice writes nothing twice");
    // The person ticks the checkbox.
    let line = text.lines().find(|line| line.contains("keepsake task_")).unwrap();
    std::fs::write(&file, text.replace(line, &line.replace("[ ]", "[x]"))).unwrap();
    f.clock.set(keepsake_testkit::MONDAY_TEN.plus_ms(30 * DAY_MS));
    assert_eq!(gaps(&f)[0].2, GapStatus::Resolved);
    // This was said before the checkbox was ticked, so it is not a recurrence.
    refused(&f, "c", "2026-01-08", NEED);
    derive(&f);
    assert_eq!(gaps(&f)[0].2, GapStatus::Resolved);
    refused(&f, "d", "2026-05-20", NEED);
    derive(&f);
    let again = f.engine.gaps().list().unwrap();
    assert_eq!((again.len(), again[0].status), (1, GapStatus::Reopened));
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.lines().any(|line| line.contains("keepsake task_") && line.contains("[ ]")), "its box is empty again: {text}");
}

#[test]
fn what_could_not_be_done_is_told_to_the_owner_and_to_no_agent() {
    let f = Fixture::new();
    refused(&f, "a", "2026-01-05", NEED);
    refused(&f, "b", "2026-01-07", NEED);
    derive(&f);
    let profile = f.engine.people().profile_rows(&f.engine.erasure().person_named("Mara").unwrap()).unwrap();
    assert!(profile.iter().any(|row| row.entry.profile_type == ProfileType::Gaps), "control: it stands in the profile");
    let context = f.engine.serve().context(&ContextRequest::default()).unwrap();
    assert!(context.items.iter().all(|item| item.kind != "profile"), "{}", context.text);
}

#[test]
fn a_dismissed_gap_does_not_come_back() {
    let f = Fixture::new();
    refused(&f, "a", "2026-01-05", NEED);
    refused(&f, "b", "2026-01-07", NEED);
    derive(&f);
    let id = f.engine.gaps().list().unwrap()[0].id.clone();
    f.engine.gaps().dismiss(&id, true).unwrap();
    refused(&f, "c", "2026-01-09", NEED);
    refused(&f, "d", "2026-01-11", NEED);
    derive(&f);
    assert!(gaps(&f).is_empty());
}

#[test]
fn a_dismissal_is_taken_back_whole() {
    let f = Fixture::new();
    refused(&f, "a", "2026-01-05", NEED);
    refused(&f, "b", "2026-01-07", NEED);
    derive(&f);
    let before = f.engine.gaps().list().unwrap();
    f.engine.gaps().dismiss(&before[0].id, true).unwrap();
    assert!(gaps(&f).is_empty(), "control: it was dismissed");
    f.engine.gaps().dismiss(&before[0].id, false).unwrap();
    assert_eq!(f.engine.gaps().list().unwrap(), before);
}
