//! `gaps` and `gap`: capability gaps, their tasks in a file, and reopening.

use std::path::Path;

use serde_json::Value;

use crate::harness::{Home, jsonl, text};

fn day(n: u32, id: &str) -> String {
    let lines = jsonl(
        id,
        &[
            ("owner", "Mara", "Can you export all my notes as a PDF?"),
            ("assistant", "Nova", "Sorry, I can't export your notes as a PDF."),
        ],
    );
    // Another day, because repetitions on one day count as one occasion.
    lines.replace("2026-01-05", &format!("2026-01-{:02}", 5 + n))
}

/// A home with the same unmet request in two conversations.
fn home() -> Home {
    let home = Home::new();
    for n in 0..2 {
        home.read(&day(n, &format!("chat-{n}")));
    }
    home.run(&["run-jobs", "--until-idle"]).ok();
    home
}

fn only(home: &Home) -> Value {
    let rows = home.rows(&["gaps"]);
    assert_eq!(rows.len(), 1, "{rows:?}");
    rows.into_iter().next().unwrap_or_default()
}

fn boxes(file: &Path) -> (usize, usize) {
    let text = std::fs::read_to_string(file).unwrap();
    (text.matches("- [ ]").count(), text.matches("- [x]").count())
}

#[test]
fn a_gap_has_the_promised_shape_and_one_off_asks_are_none() {
    let home = home();
    home.read(&jsonl(
        "once",
        &[("owner", "Mara", "Can you book a train to Rome?"), ("assistant", "Nova", "Sorry, I can't book trains.")],
    ));
    home.run(&["run-jobs", "--until-idle"]).ok();
    let gap = only(&home);
    assert!(text(&gap, "id").starts_with("gap_"));
    assert!(text(&gap, "description").contains("export") || text(&gap, "description").contains("PDF"), "{gap}");
    assert_eq!((&gap["frequency"], &gap["status"]), (&2.into(), &"detected".into()));
    let conversations: Vec<&Value> = gap["evidence"].as_array().unwrap().iter().map(|source| &source["conversation"]).collect();
    assert!(conversations.contains(&&"chat-0".into()) && conversations.contains(&&"chat-1".into()), "{gap}");
}

#[test]
fn a_confirmed_gap_is_a_task_in_the_chosen_file_and_its_box_is_read_back() {
    let home = home();
    let id = text(&only(&home), "id");
    assert!(home.run(&["gaps", "confirm", &id]).failure().contains("no file for tasks is chosen"));
    let file = home.file("tasks.md", "# Mine\n\n- [ ] buy bread\n");
    let confirmed = home.json(&["gaps", "confirm", &id, "--file", &file.to_string_lossy()]);
    assert_eq!(confirmed["status"], "task_created");
    let written = std::fs::read_to_string(&file).unwrap();
    assert!(written.starts_with("# Mine\n\n- [ ] buy bread\n") && written.contains(&text(&confirmed["task"], "id")), "{written}");
    assert!(
        !written.contains("Sorry, I can't") && !written.contains('“'),
        "beside what the task is called a private chat is not quoted in a file that may be shared: {written}"
    );
    assert_eq!(boxes(&file), (2, 0));
    // The person ticks the checkbox in their editor.
    std::fs::write(&file, written.replace("- [ ] ", "- [x] ").replace("- [x] buy bread", "- [ ] buy bread")).unwrap();
    assert_eq!(only(&home)["status"], "resolved");
    // The request comes up again: the gap is reopened, its checkbox is cleared, and the person's own line stays unchanged.
    for n in 400..402 {
        let later = day(0, &format!("chat-{n}")).replace("2026-01-05", "2036-01-05");
        home.read(&later);
    }
    home.run(&["run-jobs", "--until-idle"]).ok();
    let again = only(&home);
    assert_eq!((text(&again, "id"), &again["status"]), (id, &"reopened".into()), "the same gap, not a second one");
    assert!(again["frequency"].as_u64() > Some(2), "{again}");
    assert_eq!(boxes(&file), (2, 0), "{}", std::fs::read_to_string(&file).unwrap());
}

#[test]
fn a_dismissed_gap_does_not_come_back() {
    let home = home();
    let id = text(&only(&home), "id");
    home.run(&["gaps", "dismiss", &id]).ok();
    assert!(home.rows(&["gaps"]).is_empty());
    home.read(&day(3, "chat-9"));
    home.run(&["run-jobs", "--until-idle"]).ok();
    assert!(home.rows(&["gaps"]).is_empty(), "nor does it after it came up once more");
    assert!(home.run(&["gaps", "dismiss", "gap_nothing"]).failure().contains("gap"));
}
