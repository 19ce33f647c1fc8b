//! `conversations` and `private`: the list of conversations, and excluded conversations, which must never be read.

use serde_json::Value;

use crate::harness::{Home, evening, jsonl, text};

fn home() -> Home {
    let home = Home::new();
    home.read(&(evening() + &jsonl("other", &[("owner", "Mara", "My brother Jonas plays the violin.")])));
    home
}

#[test]
fn conversations_have_the_promised_shape() {
    let home = home();
    let listed = home.rows(&["conversations"]);
    assert_eq!(listed.len(), 2);
    let evening = listed.iter().find(|row| row["source"]["conversation"] == "evening").unwrap();
    assert!(text(evening, "id").starts_with("conv_"));
    let expect = [
        ("title", Value::from("About evening")),
        ("channel_type", "chat".into()),
        ("channel_id", "room".into()),
        ("visibility", "private".into()),
        ("is_private", false.into()),
        ("status", "archived".into()),
        ("messages", 7.into()),
        ("first", "2026-01-05T10:00:00.000Z".into()),
        ("last", "2026-01-05T10:06:00.000Z".into()),
    ];
    for (field, value) in expect {
        assert_eq!(evening[field], value, "{field}");
    }
    assert_eq!(evening["source"]["kind"], "keepsake");
    assert_eq!(home.rows(&["conversations", "--limit", "1"]).len(), 1);
    assert_eq!(home.run(&["conversations"]).ok().lines().count(), 2);
}

fn about_evening(home: &Home) -> Vec<Value> {
    home.rows(&["memories"]).into_iter().filter(|row| row["evidence"][0]["source"]["conversation"] == "evening").collect()
}

#[test]
fn keeping_hiding_and_erasing_do_what_they_say_to_this_conversation_alone() {
    for existing in ["keep", "hide", "erase"] {
        let home = home();
        let all = home.ids("pending");
        home.run(&[&["approve"], all.iter().map(String::as_str).collect::<Vec<_>>().as_slice()].concat()).ok();
        let count = about_evening(&home).len();
        let outcome = home.json(&["private", "evening", "on", "--existing", existing]);
        assert_eq!(outcome["is_private"], true);
        let (hidden, erased) = (outcome["hidden"].as_u64().unwrap(), outcome["erased"].as_u64().unwrap());
        let found = home.rows(&["search", "peanuts", "--scope", "memories"]);
        match existing {
            "keep" => {
                assert_eq!((hidden, erased, about_evening(&home).len()), (0, 0, count), "they stay");
                assert_eq!(found.len(), 1, "and are served");
            }
            "hide" => {
                assert_eq!((hidden as usize, erased), (count, 0), "they are counted");
                assert!(about_evening(&home).iter().all(|row| row["hidden"] == true), "the person sees that they are hidden");
                assert!(found.is_empty(), "nobody is served them");
            }
            _ => {
                assert_eq!((hidden, erased as usize), (0, count), "they are counted");
                assert_eq!((about_evening(&home).len(), found.len()), (0, 0), "they are gone");
            }
        }
        let violin = home.rows(&["search", "violin", "--scope", "memories"]);
        assert_eq!(violin.len(), 1, "the other conversation is untouched by {existing}");
        assert_eq!(home.json(&["verify"])["faults"], Value::Array(Vec::new()), "the log is as it was");
        assert_eq!(home.json(&["verify"])["rows"], 8, "no message left");
    }
}

#[test]
fn what_is_said_in_private_is_never_read_later() {
    let home = home();
    home.run(&["private", "evening", "on", "--existing", "erase"]).ok();
    let secret =
        evening() + &jsonl("evening", &[("owner", "Mara", "I have diabetes and I take insulin.")]).replace("\"m1\"", "\"m99\"");
    home.read(&secret);
    assert!(about_evening(&home).is_empty(), "a private conversation is never analysed");
    home.run(&["private", "evening", "off"]).ok();
    home.run(&["run-jobs", "--until-idle"]).ok();
    assert!(about_evening(&home).is_empty(), "and turning it back does not read what was said meanwhile");
}

#[test]
fn an_import_that_was_made_private_by_mistake_can_be_used_when_the_person_says_so() {
    let home = Home::new();
    let path = home.file("evening.jsonl", evening());
    home.run(&["import", path.to_str().unwrap(), "--private"]).ok();
    let refused = home.run(&["private", "evening", "on", "--use-private-time"]).failure();
    assert!(refused.contains("works only with \"off\""), "{refused}");
    let words = home.run(&["private", "evening", "off"]).ok();
    assert!(
        words.contains("except 7 messages that arrived while it was excluded") && words.contains("--use-private-time"),
        "{words}"
    );
    home.run(&["run-jobs", "--until-idle"]).ok();
    assert!(home.rows(&["memories"]).is_empty(), "control: not unless the person says so");
    let words = home.run(&["private", "evening", "off", "--use-private-time"]).ok();
    assert!(words.contains("including 7 messages that arrived while it was excluded"), "{words}");
    home.run(&["run-jobs", "--until-idle"]).ok();
    assert!(!about_evening(&home).is_empty(), "all of it is read now");
    home.run(&["analyze", "evening", "--force"]).ok();
}

#[test]
fn hidden_memories_come_back_with_the_conversation() {
    let home = home();
    home.run(&["private", "evening", "on", "--existing", "hide"]).ok();
    let outcome = home.json(&["private", "evening", "off"]);
    assert!(outcome["unhidden"].as_u64().unwrap() > 0, "{outcome}");
    assert!(about_evening(&home).iter().all(|row| row["hidden"] == false));
}

#[test]
fn a_conversation_is_named_by_either_id() {
    let home = home();
    let id = text(&home.rows(&["conversations"])[0], "id");
    assert_eq!(home.json(&["private", &id, "on"])["is_private"], true);
    assert_eq!(home.json(&["private", &id, "off"])["is_private"], false);
    for unknown in ["nowhere", "conv_00000000000000000000000000000000", ""] {
        let line = home.run(&["private", unknown, "on"]).failure();
        assert!(line.contains("there is no conversation"), "{line}");
    }
}
