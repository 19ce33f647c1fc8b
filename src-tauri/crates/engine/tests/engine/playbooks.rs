//! Tests playbooks end to end: found by the job at the exact limits, decided on, undone, exported, hidden from people who may
//! not see them, and erased.

use keepsake_domain::{
    Clock, ConversationId, DAY_MS, JobState, Lane, PlaybookConfidence, PlaybookId, PlaybookStatus, SourceKind, Timestamp,
};
use keepsake_engine::{Audience, Context, ContextRequest, EngineError, Existing, KillPoint, Step};
use keepsake_store::PlaybookRow;
use keepsake_testkit::{Conversation, ToolSession};

use crate::fixture::Fixture;

const CANARY: &str = "xylokarpzebra";

const RELEASE: &str = "Edit CHANGELOG.md; cargo test; git commit -m x; gh release create v1.0.0";

fn session(f: &Fixture, id: &str, days_ago: i64, script: &str) -> ConversationId {
    f.clock.advance_ms(1_000);
    let began = Timestamp(f.clock.now().0 - days_ago * DAY_MS);
    f.append(&ToolSession { id, began, folder: "/home/mara/app", script }.messages())
}

fn releases(f: &Fixture, count: usize) -> Vec<ConversationId> {
    (0..count).map(|at| session(f, &format!("release-{at}"), 1 + at as i64, RELEASE)).collect()
}

fn look(f: &Fixture) {
    f.engine.playbooks().queue().unwrap();
    let lock = f.engine.queue().lock_worker().unwrap();
    f.engine.queue().run_due(&lock, &|_| {}).unwrap();
}

fn all(f: &Fixture) -> Vec<PlaybookRow> {
    f.engine.playbooks().list().unwrap()
}

fn one(f: &Fixture) -> PlaybookRow {
    let rows = all(f);
    assert_eq!(rows.len(), 1, "{rows:?}");
    rows.into_iter().next().unwrap()
}

fn decide(f: &Fixture, id: &PlaybookId, to: PlaybookStatus) {
    f.engine.playbooks().decide(id, to).unwrap();
}

#[test]
fn a_way_of_working_is_found_with_the_lines_that_show_it() {
    let f = Fixture::new();
    releases(&f, 3);
    session(&f, "other", 2, "Read a; Grep b; Edit c");
    look(&f);
    let row = one(&f);
    assert_eq!((row.status, row.version.confidence), (PlaybookStatus::Candidate, PlaybookConfidence::Medium));
    assert_eq!(row.version.tools, ["Edit", "cargo", "git", "gh"]);
    assert_eq!(row.version.occurrences.len(), 3);
    for occurrence in &row.version.occurrences {
        let texts: Vec<String> = f
            .engine
            .store()
            .read(|tx| occurrence.messages.iter().map(|id| Ok(tx.log().interaction(id)?.unwrap().content)).collect())
            .unwrap();
        for (text, needle) in texts.iter().zip(["CHANGELOG", "cargo test", "git commit", "gh release"]) {
            assert!(text.contains(needle), "{text} shows {needle}");
        }
    }
}

#[test]
fn the_rules_hold_exactly_at_their_borders() {
    let check = |days: &[i64], script: &str, expect: usize| {
        let f = Fixture::new();
        for (at, days) in days.iter().enumerate() {
            session(&f, &format!("s{at}"), *days, script);
        }
        look(&f);
        assert_eq!(all(&f).len(), expect, "{days:?} {script}");
    };
    check(&[1, 2, 15], RELEASE, 1);
    check(&[1, 2, 17], RELEASE, 0);
    // An imported history ends at the time of its export.
    check(&[401, 402, 415], RELEASE, 1);
    check(&[401, 402, 417], RELEASE, 0);
    check(&[1, 2], RELEASE, 0);
    check(&[1, 2, 3], "Edit CHANGELOG.md; cargo test; git commit -m x; git push", 0);
}

#[test]
fn a_second_look_changes_nothing_and_a_rebuild_gives_the_same() {
    let f = Fixture::new();
    releases(&f, 4);
    look(&f);
    let before = all(&f);
    look(&f);
    f.engine.playbooks().queue_now().unwrap();
    look(&f);
    assert_eq!(all(&f), before, "looked again over the same");
    f.engine.playbooks().rebuild().unwrap();
    assert!(all(&f).is_empty());
    look(&f);
    assert_eq!(all(&f), before, "made again from nothing");
    let f = f.restarted(9);
    assert_eq!(all(&f), before);
}

#[test]
fn what_ends_the_process_in_the_middle_changes_nothing_of_the_result() {
    for point in [KillPoint::AfterLease, KillPoint::Working, KillPoint::AfterEffects] {
        let f = Fixture::new();
        releases(&f, 3);
        f.engine.playbooks().queue().unwrap();
        let ran = f.engine.queue().run_next_killed(Lane::Capture, &|_| {}, &|at| at == point).unwrap();
        assert_eq!(ran, None, "killed at {point:?}");
        let f = f.restarted(7);
        look(&f);
        assert_eq!(one(&f).version.number, 1, "{point:?}");
    }
}

#[test]
fn a_further_session_makes_a_further_version() {
    let f = Fixture::new();
    releases(&f, 3);
    look(&f);
    let first = one(&f);
    for at in 0..2 {
        session(&f, &format!("more-{at}"), 0, RELEASE);
    }
    f.clock.advance_ms(3_600_000);
    look(&f);
    let second = one(&f);
    assert_eq!((second.id.clone(), second.version.number), (first.id, 2));
    assert_eq!(second.version.supersedes, Some(first.version.id.clone()));
    assert_eq!(second.version.confidence, PlaybookConfidence::High);
    let kept = f.engine.store().read(|tx| tx.playbooks().version(&first.version.id)).unwrap();
    assert_eq!(kept, first.version, "what was found before stays as it was");
}

#[test]
fn a_private_session_gives_nothing() {
    let f = Fixture::new();
    let ids = releases(&f, 3);
    f.engine.erasure().set_private(&ids[1], true, Existing::Keep).unwrap();
    look(&f);
    assert!(all(&f).is_empty());
    f.engine.erasure().set_private(&ids[1], false, Existing::Keep).unwrap();
    look(&f);
    assert_eq!(one(&f).version.occurrences.len(), 3, "nothing arrived in private, so nothing is left out");
}

#[test]
fn a_session_that_goes_off_the_record_takes_its_share_of_what_is_shown_at_once() {
    let f = Fixture::new();
    let ids = releases(&f, 4);
    look(&f);
    let id = one(&f).id;
    decide(&f, &id, PlaybookStatus::Approved);
    f.engine.erasure().set_private(&ids[0], true, Existing::Keep).unwrap();
    assert_eq!(one(&f).version.occurrences.len(), 3, "the others are shown");
    f.engine.erasure().set_private(&ids[1], true, Existing::Keep).unwrap();
    assert!(all(&f).is_empty(), "two are no way of working");
    assert!(matches!(f.engine.playbooks().skill(&id), Err(EngineError::Refused(_))), "nor is it exported");
}

#[test]
fn what_a_person_decided_stays_and_is_taken_back() {
    let f = Fixture::new();
    releases(&f, 3);
    look(&f);
    let before = all(&f);
    let id = before[0].id.clone();
    for to in [PlaybookStatus::Approved, PlaybookStatus::Rejected, PlaybookStatus::Parked] {
        let decision = f.engine.playbooks().decide(&id, to).unwrap();
        assert_eq!(one(&f).status, to);
        f.engine.playbooks().queue_now().unwrap();
        look(&f);
        assert_eq!(one(&f).status, to, "a look does not undo it");
        assert!(f.engine.playbooks().decide(&id, to).is_err(), "twice is no decision");
        f.engine.playbooks().undo_decision(&decision).unwrap();
        assert_eq!(all(&f), before, "as it stood");
        assert!(f.engine.playbooks().undo_decision(&decision).is_err(), "once");
    }
    decide(&f, &id, PlaybookStatus::Rejected);
    assert!(f.engine.playbooks().decide(&id, PlaybookStatus::Approved).is_err(), "a rejected one is restored first");
    decide(&f, &id, PlaybookStatus::Candidate);
    let first = f.engine.playbooks().decide(&id, PlaybookStatus::Approved).unwrap();
    decide(&f, &id, PlaybookStatus::Parked);
    assert!(f.engine.playbooks().undo_decision(&first).is_err(), "something else was decided since");
}

#[test]
fn a_rejected_one_returns_only_with_as_much_new_evidence_as_it_was_rejected_with() {
    let f = Fixture::new();
    releases(&f, 4);
    look(&f);
    let id = one(&f).id;
    decide(&f, &id, PlaybookStatus::Rejected);
    for at in 0..4 {
        f.clock.advance_ms(DAY_MS / 4);
        session(&f, &format!("more-{at}"), 0, RELEASE);
        f.clock.advance_ms(3_600_000);
        look(&f);
        let expect = if at < 3 { PlaybookStatus::Rejected } else { PlaybookStatus::Candidate };
        assert_eq!(one(&f).status, expect, "{} new sessions", at + 1);
    }
}

#[test]
fn a_candidate_that_is_not_seen_any_more_is_parked_and_returns_when_it_is() {
    let f = Fixture::new();
    releases(&f, 3);
    look(&f);
    f.clock.advance_ms(20 * DAY_MS);
    look(&f);
    assert_eq!(one(&f).status, PlaybookStatus::Candidate, "nothing newer shows that it is not done any more");
    session(&f, "other", 0, "Read a; Grep b");
    look(&f);
    let row = one(&f);
    assert_eq!((row.status, row.is_parked_by_age), (PlaybookStatus::Parked, true), "visible, and a person can restore it");
    for at in 0..3 {
        session(&f, &format!("again-{at}"), 1 + at, RELEASE);
    }
    look(&f);
    assert_eq!(one(&f).status, PlaybookStatus::Candidate);
    decide(&f, &row.id, PlaybookStatus::Approved);
    f.clock.advance_ms(60 * DAY_MS);
    look(&f);
    assert_eq!(one(&f).status, PlaybookStatus::Approved, "what a person approved does not age");
}

#[test]
fn every_night_is_looked_again_and_not_more_often() {
    let f = Fixture::new();
    assert_eq!(f.engine.playbooks().queue().unwrap(), None, "without tools there is nothing to look for");
    releases(&f, 3);
    look(&f);
    let jobs = |f: &Fixture| f.engine.store().read(|tx| tx.jobs().unsettled()).unwrap();
    let settled = jobs(&f);
    let next = f.engine.playbooks().queue().unwrap().unwrap();
    assert_eq!(jobs(&f), settled, "nothing changed");
    assert_eq!((next.0 / 3_600_000) % 24, 3, "at three in the morning");
    assert!(next.0 - f.clock.now().0 <= DAY_MS);
    f.clock.advance_ms(next.0 - f.clock.now().0);
    f.engine.playbooks().queue().unwrap();
    assert_eq!(jobs(&f), settled + 1, "a night passed");
    assert!(matches!(f.engine.queue().run_next(Lane::Capture, &|_| {}).unwrap(), Step::Ran(_, JobState::Done)));
}

#[test]
fn only_approved_ones_are_exported_and_another_skill_is_not_overwritten() {
    let f = Fixture::new();
    releases(&f, 3);
    look(&f);
    let id = one(&f).id;
    let dir = f.dir.path().join("skills");
    let refused = f.engine.playbooks().export(&id, &dir).unwrap_err();
    assert!(refused.to_string().contains("not approved"), "{refused}");
    assert!(!dir.exists(), "nothing is written");
    decide(&f, &id, PlaybookStatus::Approved);
    let path = f.engine.playbooks().export(&id, &dir).unwrap();
    assert_eq!(path, dir.join("gh-release-create-after-edit-cargo-test-and-git-commit/SKILL.md"));
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("---\nname: gh-release-create-after-edit-cargo-test-and-git-commit\ndescription: \""), "{text}");
    for part in
        ["## When to use", "## Steps\n\n1. `Edit CHANGELOG.md`\n2. `cargo test`", "## Where it was seen", "claude-code release-0"]
    {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert_eq!(f.engine.playbooks().export(&id, &dir).unwrap(), path, "its own file is written again");
    assert_eq!(f.engine.playbooks().export(&id, path.parent().unwrap()).unwrap(), path, "into its own folder too");
    std::fs::write(&path, "somebody's own").unwrap();
    assert!(f.engine.playbooks().export(&id, &dir).is_err());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "somebody's own");
}

#[test]
fn an_agent_gets_approved_ones_whose_sessions_it_may_see() {
    let f = Fixture::new();
    releases(&f, 3);
    look(&f);
    let id = one(&f).id;
    let seen = |channel: &str| {
        let audience = Audience { agent: None, person: None, channel: Some(channel.to_owned()) };
        f.engine.playbooks().playbooks_for(&audience).unwrap().len()
    };
    assert_eq!(seen("cli:/home/mara/app"), 0, "what nobody approved is nobody's");
    decide(&f, &id, PlaybookStatus::Approved);
    let step = one(&f).version.steps[0].text.to_lowercase().replace('.', " ");
    let is_known = |step: &str| {
        let late = Timestamp(i64::MAX);
        f.engine
            .store()
            .read(|tx| keepsake_store::Served::before(tx, late)?.map_or(Ok(false), |served| served.was(step, "", late)))
            .unwrap()
    };
    assert!(!is_known(&step), "nothing was told of it yet");
    assert_eq!(seen("cli:/home/mara/app"), 1, "the owner alone with a program");
    assert!(is_known(&step), "what comes back of it is known: {step}");
    f.append(&Conversation::new("lounge").channel("matrix", "lounge").public().messages("person Ana: Hello"));
    assert_eq!(seen("matrix:lounge"), 0, "a public room sees nothing of private sessions");
    assert_eq!(seen("matrix:never-seen"), 0);
}

#[test]
fn an_erased_session_takes_what_it_alone_gave_and_leaves_no_trace() {
    let f = Fixture::new();
    let script = RELEASE.replace("CHANGELOG", CANARY);
    let ids: Vec<ConversationId> = (0..3).map(|at| session(&f, &format!("s{at}"), 1 + at, &script)).collect();
    look(&f);
    let id = one(&f).id;
    decide(&f, &id, PlaybookStatus::Approved);
    assert!(one(&f).version.steps[0].text.contains(CANARY), "control: it stands there");
    let receipt = f.engine.erasure().erase_conversation(&ids[0], "asked").unwrap();
    assert!(receipt.is_done, "{receipt:?}");
    assert!(all(&f).is_empty(), "two sessions are no way of working");
    for id in &ids[1..] {
        f.engine.erasure().erase_conversation(id, "asked").unwrap();
    }
    let bytes = std::fs::read(f.dir.path().join("keepsake.db")).unwrap();
    let holds = |bytes: &[u8]| bytes.windows(CANARY.len()).any(|window| window == CANARY.as_bytes());
    assert!(!holds(&bytes), "nothing of it is left in the file");
}

#[test]
fn one_of_four_sessions_can_go_and_the_approval_stays() {
    let f = Fixture::new();
    let ids = releases(&f, 4);
    look(&f);
    let id = one(&f).id;
    decide(&f, &id, PlaybookStatus::Approved);
    f.engine.erasure().erase_conversation(&ids[0], "asked").unwrap();
    let row = one(&f);
    assert_eq!((row.status, row.version.occurrences.len()), (PlaybookStatus::Approved, 3));
    look(&f);
    assert_eq!(one(&f).status, PlaybookStatus::Approved);
    assert!(f.engine.playbooks().skill(&id).is_ok());
}

#[test]
fn an_agents_context_tells_the_approved_playbook_at_hand_whole_and_to_nobody_who_may_not_see_its_sessions() {
    let f = Fixture::new();
    let sessions = releases(&f, 3);
    look(&f);
    let row = one(&f);
    f.append(&Conversation::new("lounge").channel("matrix", "lounge").public().messages("person Ana: Shall we release the app?"));
    f.append(&Conversation::new("ana").channel("matrix", "ana").messages("person Ana: Shall we release the app, Mara?"));
    let context = |channel: Option<&str>, query: Option<&str>, budget_chars: usize| {
        let audience = Audience { agent: Some("Nova".to_owned()), person: None, channel: channel.map(str::to_owned) };
        let request = ContextRequest { audience, query: query.map(str::to_owned), budget_chars, as_of: None };
        f.engine.serve().context(&request).unwrap()
    };
    let ways = |context: &Context| -> Vec<String> {
        let behind = context.text.lines().skip_while(|line| *line != "## Ways of working").skip(1);
        behind.take_while(|line| line.starts_with("- ")).map(str::to_owned).collect()
    };
    let asked = Some("How do we release a new version?");
    assert_eq!(ways(&context(None, asked, 0)), Vec::<String>::new(), "what nobody approved is told to nobody");
    decide(&f, &row.id, PlaybookStatus::Approved);
    let told = context(None, asked, 0);
    let lines = ways(&told);
    assert_eq!(lines.len(), 2 + row.version.steps.len(), "{}", told.text);
    assert!(lines.iter().all(|line| line.starts_with(&format!("- [{}] ", row.id))), "each line names its source: {lines:?}");
    assert!(lines[0].contains(&row.version.title) && lines[1].contains("Use it: “when the work comes to"), "{lines:?}");
    for (number, step) in row.version.steps.iter().enumerate() {
        assert!(lines[2 + number].ends_with(&format!("Step {}: “{}”", number + 1, step.text)), "{lines:?}");
    }
    let item = told.items.iter().find(|item| item.kind == "playbook").unwrap();
    assert_eq!((item.id.as_str(), item.sources.len()), (row.id.as_str(), 3));
    assert!(!ways(&context(None, None, 0)).is_empty(), "without a question what is shown most");
    assert_eq!(ways(&context(Some("cli:/home/mara/app"), asked, 0)), lines, "the owner alone with a program");
    assert!(ways(&context(None, Some("What did the dentist say?"), 0)).is_empty(), "another matter");
    for budget in [40, 80, 160, 240, 320, 400, 640] {
        let told = context(None, asked, budget);
        assert!([0, lines.len()].contains(&ways(&told).len()), "whole or not at all, of {budget}: {}", told.text);
        assert!(told.text.chars().count() <= budget, "{budget}");
    }
    for channel in ["matrix:lounge", "matrix:ana"] {
        let told = context(Some(channel), asked, 0);
        assert!(!told.text.contains(row.id.as_str()) && !told.text.contains("gh release"), "{channel}: {}", told.text);
    }
    // An expired playbook is served to nobody, and undoing that takes effect immediately.
    let undo = f.engine.playbooks().decide(&row.id, PlaybookStatus::Parked).unwrap();
    assert!(ways(&context(None, asked, 0)).is_empty());
    f.engine.playbooks().undo_decision(&undo).unwrap();
    assert_eq!(ways(&context(None, asked, 0)), lines);
    f.engine.erasure().set_private(&sessions[0], true, Existing::Keep).unwrap();
    assert!(ways(&context(None, asked, 0)).is_empty(), "two sessions on the record are no way of working");
}

/// A session in a room with Ana instead of the owner's own terminal.
fn session_with_ana(f: &Fixture, id: &str, days_ago: i64, is_public: bool, script: &str) -> ConversationId {
    f.clock.advance_ms(1_000);
    let began = Timestamp(f.clock.now().0 - days_ago * DAY_MS);
    let mut messages = ToolSession { id, began, folder: "/srv/app", script }.messages();
    let room = Conversation::new(id).source(SourceKind::ClaudeCode).channel("matrix", id);
    let mut ana = if is_public { room.public() } else { room }.messages("person Ana: Go on.");
    for message in &mut messages {
        message.channel_type.clone_from(&ana[0].channel_type);
        message.channel_id.clone_from(&ana[0].channel_id);
        message.visibility = ana[0].visibility;
    }
    ana[0].time = began;
    ana[0].source.message = format!("{id}-ana");
    messages.extend(ana);
    f.append(&messages)
}

#[test]
fn each_circle_is_told_what_its_own_sessions_show() {
    let f = Fixture::new();
    let hidden = RELEASE.replace("CHANGELOG.md", &format!("{CANARY}.md"));
    for at in 0..3 {
        session(&f, &format!("own-{at}"), 1 + at, &hidden);
        session_with_ana(&f, &format!("open-{at}"), 1 + at, true, RELEASE);
        session_with_ana(&f, &format!("ana-{at}"), 1 + at, false, &RELEASE.replace("v1.0.0", &format!("v2.{at}")));
    }
    look(&f);
    let row = one(&f);
    assert_eq!(row.version.occurrences.len(), 9, "the owner sees one, with all of its sessions");
    decide(&f, &row.id, PlaybookStatus::Approved);
    let told = |agent: Option<&str>, channel: &str| -> Vec<PlaybookRow> {
        let audience = Audience { agent: agent.map(str::to_owned), person: None, channel: Some(channel.to_owned()) };
        f.engine.playbooks().playbooks_for(&audience).unwrap()
    };
    let check = |rows: &[PlaybookRow], sessions: usize| {
        assert_eq!(rows.len(), 1, "{rows:?}");
        assert_eq!((&rows[0].id, rows[0].version.occurrences.len()), (&row.id, sessions));
        let texts: Vec<&str> = rows[0].version.steps.iter().map(|step| step.text.as_str()).collect();
        assert_eq!(
            texts,
            ["Edit", "cargo test", "git commit", "gh release create"],
            "what was approved and says nothing of others"
        );
        assert!(!format!("{rows:?}").contains(CANARY));
    };
    check(&told(None, "matrix:open-0"), 3);
    check(&told(None, "matrix:ana-0"), 6);
    assert_eq!(told(None, "cli:/home/mara/app")[0].version.occurrences.len(), 9, "the owner alone with a program: as approved");
    f.append(&Conversation::new("lounge").channel("matrix", "lounge").public().messages("person Ben: Hello"));
    check(&told(None, "matrix:lounge"), 3);
    session_with_ana(&f, "open-later", 0, true, RELEASE);
    check(&told(None, "matrix:open-0"), 4);
    f.clock.advance_ms(30 * DAY_MS);
    session(&f, "own-later", 0, "Read a; Grep b");
    check(&told(None, "matrix:open-0"), 4);
    session_with_ana(&f, "open-last", 0, true, "Read a; Grep b");
    assert!(told(None, "matrix:open-0").is_empty(), "a circle that does not work so any more");
    assert_eq!(told(None, "cli:/home/mara/app").len(), 1, "for the owner what was approved does not age");
    f.clock.advance_ms(-30 * DAY_MS);
    check(&told(None, "matrix:open-0"), 4);
    decide(&f, &row.id, PlaybookStatus::Parked);
    assert!(told(None, "matrix:open-0").is_empty(), "what a person withdrew");
}

#[test]
fn what_one_circle_shows_is_offered_whatever_other_sessions_say() {
    let f = Fixture::new();
    for at in 0..3 {
        session_with_ana(&f, &format!("open-{at}"), 1 + at, true, RELEASE);
    }
    for at in 0..6 {
        session(&f, &format!("own-{at}"), 1 + at, "gh release create v1; git commit -m x; cargo test; Edit CHANGELOG.md");
    }
    look(&f);
    let names = |row: &PlaybookRow| row.version.steps.iter().map(|step| step.name.clone()).collect::<Vec<_>>();
    let rows = all(&f);
    let open = rows.iter().find(|row| names(row)[0] == "Edit").unwrap_or_else(|| panic!("the open room's own way: {rows:?}"));
    assert_eq!(open.version.occurrences.len(), 3, "with its own sessions as evidence");
    assert!(open.version.occurrences.iter().all(|one| one.messages.len() == 4) && open.version.against.is_empty());
    look(&f);
    assert_eq!(all(&f), rows, "a second look changes nothing");
}
