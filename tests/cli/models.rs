//! `models` and `watch`: choosing, testing and using a model from the command line, and watched folders.

use crate::harness::{Home, jsonl, text};
use crate::models::yes;

const NURSE: &str = "I work as a nurse";

#[test]
fn a_model_is_chosen_tried_and_proposes_and_every_call_is_listed() {
    let server = yes::server(vec![yes::fact(NURSE, "User works as a nurse", "personal_info")]);
    let home = Home::new();
    assert_eq!(home.json(&["models"])["settings"]["engines"], "built_in", "nothing is asked unless the person wants it");
    let url = server.url();
    let chosen = home.json(&["models", "use", &url, "tiny:1b", "--shape", "openai"]);
    assert_eq!((&chosen["settings"]["engines"], &chosen["is_local"]), (&"both".into(), &true.into()));
    let trial = home.json(&["models", "test"]);
    assert_eq!(trial["is_usable"], true, "{trial}");
    assert!(text(&trial, "sent").contains("Lisbon") && !text(&trial, "sent").contains("mara@example.org"), "{trial}");
    let path = home.file(
        "talk.jsonl",
        jsonl("talk", &[("owner", "Mara", "I work as a nurse on a children's ward."), ("assistant", "Nova", "I see.")]),
    );
    home.run(&["import", path.to_str().unwrap()]).ok();
    home.run(&["run-jobs", "--until-idle"]).ok();
    let memories = home.rows(&["memories"]);
    let proposers: Vec<String> = memories
        .iter()
        .flat_map(|memory| memory["proposers"].as_array().unwrap())
        .map(|name| name.as_str().unwrap().to_owned())
        .collect();
    assert!(proposers.iter().any(|name| name.starts_with("tiny:1b reading/")), "{memories:#?}");
    let calls = home.rows(&["models", "calls"]);
    assert!(calls.len() >= 2 && calls.iter().all(|call| call["outcome"] == "answered" && call["is_local"] == true), "{calls:#?}");
    assert_eq!(home.json(&["models", "off"])["settings"]["engines"], "built_in");
}

#[test]
fn a_server_on_another_computer_needs_a_plain_yes() {
    let home = Home::new();
    let refused = home.run(&["models", "use", "https://models.example/v1", "large", "--shape", "openai"]).failure();
    assert!(refused.contains("not on this computer"), "{refused}");
    assert!(home.json(&["models"])["settings"]["provider"].is_null(), "nothing was chosen");
    let allowed = home.json(&["models", "use", "https://models.example/v1", "large", "--shape", "openai", "--allow-remote"]);
    assert_eq!((&allowed["is_local"], &allowed["settings"]["this_computer_only"]), (&false.into(), &false.into()));
}

#[test]
fn a_watched_folder_is_listed_and_left_alone_again() {
    let home = Home::new();
    let file = home.file("talk.jsonl", "");
    let folder = file.parent().unwrap().join("meetings");
    std::fs::create_dir(&folder).unwrap();
    let folder = folder.to_str().unwrap();
    let added = home.rows(&["watch", "add", folder, "--kind", "meetings", "--me", "Mara"]);
    assert_eq!((added.len(), &added[0]["kind"], &added[0]["path"]), (1, &"meetings".into(), &folder.into()));
    let kept = home.rows(&["watch"]);
    assert_eq!((kept.len(), &kept[0]["path"]), (1, &folder.into()), "it is kept");
    assert!(home.rows(&["watch", "remove", folder]).is_empty());
    let missing = home.run(&["watch", "add", &format!("{folder}/none"), "--kind", "chat"]).failure();
    assert!(missing.contains("no file or folder"), "{missing}");
}

#[test]
fn run_jobs_reads_what_watched_sources_have_new() {
    let home = Home::new();
    let line = r#"{"conversation":"c1","channel_type":"whatsapp","channel_id":"c1","id":"m1","time":"2026-03-02T10:00:00Z","author":"Mara","role":"owner","text":"I live in Utrecht."}"#;
    let file = home.file("talk.jsonl", line);
    let at_rest = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_772_445_600);
    std::fs::File::options().write(true).open(&file).unwrap().set_modified(at_rest).unwrap();
    home.rows(&["watch", "add", file.to_str().unwrap(), "--kind", "chat"]);
    home.run(&["run-jobs", "--until-idle"]).ok();
    let conversations = home.rows(&["conversations"]);
    assert_eq!((conversations.len(), &conversations[0]["messages"]), (1, &1.into()), "{conversations:?}");
    assert_eq!(home.rows(&["memories", "--status", "pending"]).len(), 1, "and looks for memories in it");
}

#[test]
fn analyze_uses_the_chosen_model_and_says_so() {
    let server = yes::server(vec![yes::fact(NURSE, "User works as a nurse", "personal_info")]);
    let home = Home::new();
    home.run(&["models", "use", &server.url(), "tiny:1b", "--shape", "openai"]).ok();
    let talk = [("owner", "Mara", "I work as a nurse on a children's ward."), ("assistant", "Nova", "That is hard work.")];
    home.read(&jsonl("talk", &talk));
    let analysis = home.json(&["analyze", "talk", "--force"]);
    assert_eq!(analysis["proposer"], "tiny:1b analysis/2", "{analysis}");
    home.run(&["models", "off"]).ok();
    let analysis = home.json(&["analyze", "talk", "--force"]);
    assert!(text(&analysis, "proposer").starts_with("builtin-analysis/"), "{analysis}");
}

#[test]
fn a_terminal_agent_that_is_followed_is_read_from_where_it_was_left() {
    let home = Home::new();
    let line = |n: u32, words: &str| {
        format!(
            "{{\"type\":\"user\",\"uuid\":\"u-{n}\",\"sessionId\":\"s-1\",\"cwd\":\"/work\",\"timestamp\":\"2026-03-02T10:00:0{n}Z\",\"message\":{{\"role\":\"user\",\"content\":\"{words}\"}}}}\n"
        )
    };
    let file = home.file("session.jsonl", line(1, "I live in Utrecht."));
    let folder = file.parent().unwrap().join("projects");
    std::fs::create_dir(&folder).unwrap();
    let session = folder.join("session.jsonl");
    std::fs::rename(file, &session).unwrap();
    let added = home.rows(&["watch", "add", folder.to_str().unwrap(), "--kind", "live"]);
    assert_eq!((&added[0]["kind"], added[0]["next_at"].is_null()), (&"live".into(), true), "{added:?}");
    let messages = || {
        home.run(&["run-jobs", "--until-idle"]).ok();
        home.rows(&["conversations"])[0]["messages"].clone()
    };
    assert_eq!(messages(), 1);
    std::fs::write(&session, line(1, "I live in Utrecht.") + &line(2, "I work as a nurse.")).unwrap();
    assert_eq!(messages(), 2);
    let refused = home.run(&["watch", "follow", "zed"]).failure();
    assert!(refused.contains("claude-code, codex or gemini-cli"), "{refused}");
}
