//! `summaries`, `session`, `tiers`, `role` and `agents`: summaries of sessions with agents, and the parts of them that agents are
//! served.

use serde_json::Value;

use crate::harness::{Home, fixture, text};

fn home() -> Home {
    let home = Home::new();
    home.run(&["import", fixture("sessions/agents.jsonl").to_str().unwrap()]).ok();
    home.run(&["run-jobs", "--until-idle"]).ok();
    home
}

fn tier<'t>(tiers: &'t Value, name: &str) -> &'t Value {
    tiers["tiers"].as_array().unwrap().iter().find(|tier| tier["tier"] == name).unwrap()
}

#[test]
fn a_summary_has_the_promised_shape_and_each_line_its_source() {
    let home = home();
    let rows = home.rows(&["summaries"]);
    assert_eq!(rows.len(), 3, "two with the owner and one with Ana, none of the worker: {rows:?}");
    for row in &rows {
        for list in [
            "relationship_notes", "active_goals", "heard", "said", "did", "tools_used", "facts_learned", "preferences_noted",
            "errors_encountered", "follow_ups",
        ] {
            assert!(row[list].is_array(), "{list}: {row}");
        }
        assert!((1..=5).contains(&row["significance"].as_u64().unwrap()) && row["distilled"] == true);
        assert!(["casual", "moderate", "expert"].contains(&text(row, "technical_depth").as_str()));
        assert!(["resolved", "partial", "unresolved"].contains(&text(row, "outcome").as_str()));
        assert_eq!(row["source"]["kind"], "keepsake");
        let evidence = row["evidence"].as_array().unwrap();
        assert!(
            !evidence.is_empty()
                && evidence
                    .iter()
                    .all(|line| line["source"]["message"].is_string() && line["end"].as_u64() > line["start"].as_u64())
        );
    }
    let build = rows.iter().find(|row| row["source"]["conversation"] == "build").unwrap();
    assert_eq!(text(build, "intent"), "Can you fix the failing build of the parser?");
    let tools = build["tools_used"].as_array().unwrap();
    assert!(tools.iter().any(|tool| tool["name"] == "Bash" && tool["purpose"] == "Run the tests of the parser"), "{tools:?}");
    assert!(home.rows(&["summaries", "--agent", "nova"]).iter().all(|row| row["agent"] == "Nova"));
}

#[test]
fn summaries_and_tiers_are_written_to_files_named_as_in_the_seed() {
    let home = home();
    let dir = home.data().with_file_name("out");
    let path = dir.to_str().unwrap();
    home.run(&["summaries", "--export", path]).ok();
    let lines = std::fs::read_to_string(dir.join("nova_conversations.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 3, "one line a session");
    assert!(lines.lines().all(|line| serde_json::from_str::<Value>(line).unwrap()["agent"] == "Nova"));
    home.run(&["tiers", "--export", path]).ok();
    for (file, budget) in [
        ("shared_long_term.md", 4_000),
        ("nova_long_term.md", 8_000),
        ("mara/nova_memory.md", 4_000),
        ("ana/nova_memory.md", 4_000),
    ] {
        let text = std::fs::read_to_string(dir.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        // The shared tier contains solutions, which the reader marks, and decisions, which only a model finds.
        assert!(file.starts_with("shared") || !text.is_empty(), "{file}");
        assert!(text.chars().count() <= budget, "{file}: {}", text.chars().count());
    }
    let before = home.run(&["tiers"]).ok();
    home.run(&["summaries", "--rebuild"]).ok();
    assert!(home.rows(&["summaries"]).is_empty());
    home.run(&["run-jobs", "--until-idle"]).ok();
    assert_eq!(home.run(&["tiers"]).ok(), before, "made anew they are the same, byte for byte");
}

#[test]
fn a_guest_is_served_their_own_tier_and_a_friend_more() {
    let home = home();
    let own = home.json(&["tiers", "--agent", "Nova"]);
    assert_eq!(own["role"], "owner");
    assert!(text(tier(&own, "user"), "text").contains("tabs over spaces"), "{own}");
    let guest = home.json(&["tiers", "--agent", "Nova", "--user", "matrix:@ana:example.org"]);
    assert_eq!(guest["role"], "guest");
    assert!(text(tier(&guest, "user"), "text").contains("I live in Utrecht"), "{guest}");
    assert_eq!((text(tier(&guest, "agent"), "text"), tier(&guest, "agent")["is_allowed"] == true), (String::new(), false));
    home.run(&["role", "matrix:@ana:example.org", "friend"]).ok();
    let friend = home.json(&["tiers", "--agent", "Nova", "--user", "matrix:@ana:example.org"]);
    assert!(text(tier(&friend, "agent"), "text").contains("find a train to Ghent"), "{friend}");
    assert!(!friend["tiers"].to_string().contains("tabs over spaces"), "nothing that was said elsewhere: {friend}");
    let looked = home.json(&["tiers", "--agent", "Nova", "--as", "guest"]);
    assert_eq!(text(tier(&looked, "shared"), "text"), "");
    let agents = home.rows(&["agents"]);
    let nova = agents.iter().find(|row| row["name"] == "Nova").unwrap();
    assert_eq!(nova["reads"], 3, "what the owner looked at as a guest is none: {nova}");
}

#[test]
fn an_agent_ends_a_session_and_what_it_may_do_is_chosen() {
    let home = home();
    let lines: String = [("owner", "Mara", "I prefer oat milk in the morning."), ("assistant", "Elm", "I noted the oat milk.")]
        .iter()
        .enumerate()
        .map(|(at, (role, author, text))| {
            let time = "2099-01-01T10:00:00Z";
            serde_json::json!({ "conversation": "late", "channel_type": "chat", "channel_id": "elm", "id": format!("l{at}"), "time": time,
                "author": author, "role": role, "text": text }).to_string() + "\n"
        })
        .collect();
    let file = home.file("late.jsonl", lines);
    home.run(&["import", file.to_str().unwrap()]).ok();
    home.run(&["run-jobs", "--until-idle"]).ok();
    assert!(home.rows(&["summaries", "--agent", "elm"]).is_empty(), "it goes on");
    assert_eq!(home.json(&["session", "end", "late", "--agent", "elm"])["is_new"], true);
    assert_eq!(home.json(&["session", "end", "late"])["is_new"], false, "once a stretch");
    home.run(&["run-jobs", "--until-idle"]).ok();
    assert_eq!(home.rows(&["summaries", "--agent", "elm"]).len(), 1);
    home.run(&["agents", "Elm", "--skip", "on"]).ok();
    home.run(&["agents", "Foreman", "--skip", "off", "--goals", "on"]).ok();
    home.run(&["run-jobs", "--until-idle"]).ok();
    assert!(home.rows(&["summaries", "--agent", "elm"]).is_empty(), "it has no memory any more");
    let agents = home.rows(&["agents"]);
    assert!(agents.iter().any(|row| row["name"] == "Elm" && row["skips_memory"] == true), "{agents:?}");
    assert!(agents.iter().any(|row| row["name"] == "foreman" && row["holds_goals"] == true), "{agents:?}");
    home.run(&["private", "late", "on"]).ok();
    assert!(home.run(&["session", "end", "late"]).failure().contains("excluded from memory"));
    assert!(home.run(&["role", "nobody", "friend"]).failure().contains("there is no person"));
}
