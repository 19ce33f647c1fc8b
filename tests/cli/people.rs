//! `people`, `links`, `link`, `unlink`, `channels`, `channel`, `share`, `agents`, `context`, and `search` for other audiences.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;

use keepsake_testkit::population::{Handle, OWNER, PairKind, Wording, population};
use serde_json::{Value, json};

use crate::harness::{Home, text};

/// A public room, an e-mail thread and a direct message. Ana takes part in all of them, with two handles.
const ROOM: &str = "matrix:!garden:example.org";
const DIRECT: &str = "matrix:!ana:example.org";
const MAIL: &str = "email:thread-1";

fn world() -> String {
    let mara = ("owner", "Mara", "@mara:example.org");
    let ana = ("person", "Ana Lind", "@ana:example.org");
    let post = ("person", "A. Lind", "ana@example.net");
    let own_post = ("owner", "Mara", "mara@example.net");
    let ben = ("person", "Ben", "@ben:example.org");
    let rooms = [
        (
            ROOM,
            "public",
            vec![
                (mara, "I live in Porto with my sister."),
                (ana, "I work as a nurse in Leeds, mostly at night."),
                (ben, "I play the violin in an orchestra."),
            ],
        ),
        (DIRECT, "private", vec![(mara, "I'm allergic to hazelnuts."), (ana, "I moved to Ghent in May.")]),
        (
            MAIL,
            "private",
            vec![
                (post, "By the way, I'm @ana:example.org on Matrix."),
                (own_post, "I want to run a marathon in Osaka next year."),
            ],
        ),
    ];
    let mut lines = String::new();
    let mut minute = 0;
    for (channel, visibility, said) in rooms {
        let (channel_type, channel_id) = channel.split_once(':').unwrap();
        for ((role, author, handle), text) in said {
            minute += 1;
            let row = json!({
                "conversation": channel_id, "title": format!("Room {channel_id}"), "channel_type": channel_type,
                "channel_id": channel_id, "visibility": visibility, "id": format!("m{minute}"),
                "time": format!("2026-01-05T10:{minute:02}:00Z"), "author": author, "author_handle": handle, "role": role,
                "text": text,
            });
            lines.push_str(&format!("{row}\n"));
        }
    }
    lines
}

/// A home with all data imported and all proposals approved.
fn home() -> Home {
    let home = Home::new();
    home.read(&world());
    let pending = home.ids("pending");
    assert!(pending.len() >= 4, "there is something to approve: {}", pending.len());
    home.run(&[&["approve"], pending.iter().map(String::as_str).collect::<Vec<_>>().as_slice()].concat()).ok();
    home
}

fn context(home: &Home, args: &[&str]) -> String {
    home.run(&[&["context"], args].concat()).ok()
}

/// The output of all commands that involve people and privacy.
fn told(home: &Home) -> Vec<String> {
    let asked: [&[&str]; 12] = [
        &["people", "--json"],
        &["links", "--json"],
        &["people"],
        &["channels", "--json"],
        &["conversations", "--json"],
        &["memories", "--json"],
        &["context", "--json"],
        &["context", "--channel", ROOM, "--json"],
        &["context", "--channel", DIRECT, "--json"],
        &["context", "--channel", MAIL, "--json"],
        &["context", "--person", "email:ana@example.net", "--json"],
        &["search", "marathon", "--channel", DIRECT, "--json"],
    ];
    asked.iter().map(|args| home.run(args).ok()).collect()
}

fn only_link(home: &Home) -> Value {
    let links = home.rows(&["links"]);
    assert_eq!(links.len(), 1, "one pair is asked about: {links:?}");
    links.into_iter().next().unwrap()
}

#[test]
fn people_have_the_promised_shape_and_keep_their_handles_apart() {
    let home = home();
    let people = home.rows(&["people"]);
    let by_handle = |handle: &str| -> &Value {
        people
            .iter()
            .find(|row| row["handles"].as_array().unwrap().iter().any(|own| own["handle"] == handle))
            .unwrap_or_else(|| panic!("{handle} is somebody's"))
    };
    let mara = by_handle("@mara:example.org");
    assert_eq!((&mara["is_owner"], &people[0]["is_owner"]), (&json!(true), &json!(true)), "the owner comes first");
    assert_eq!(mara["id"], by_handle("mara@example.net")["id"], "exports that call both handles the owner's are believed");
    let (ana, post) = (by_handle("@ana:example.org"), by_handle("ana@example.net"));
    assert_ne!(ana["id"], post["id"], "a handle is its own person until told otherwise");
    assert!(text(ana, "id").starts_with("ent_"));
    assert_eq!((text(ana, "name"), text(ana, "type")), ("Ana Lind".to_owned(), "person".to_owned()));
    let handle = &ana["handles"][0];
    assert_eq!((&handle["channel"], &handle["verified"]), (&json!("matrix"), &json!(false)));
    assert_eq!(home.run(&["people"]).ok().lines().count(), people.len(), "one a line for people too");
}

#[test]
fn a_context_is_read_with_short_numbers_and_its_ids_stand_in_the_json() {
    let home = home();
    let args = ["--query", "the marathon", "--budget", "50000"];
    let given: Value = serde_json::from_str(&context(&home, &[&args[..], &["--json"]].concat())).unwrap();
    let ids: Vec<String> = given["items"].as_array().unwrap().iter().map(|item| text(item, "id")).collect();
    assert!(!ids.is_empty() && ids.iter().any(|id| text(&given, "text").contains(id.as_str())), "control: {given}");
    let plain = context(&home, &args);
    assert!(ids.iter().all(|id| !plain.contains(id.as_str())), "no id is read: {plain}");
    assert!(plain.contains("- [1] "), "a number stands for it: {plain}");
}

#[test]
fn a_tool_of_an_assistant_is_nobody() {
    let home = Home::new();
    let line = |role: &str, author: &str| {
        let row = json!({
            "conversation": "c", "channel_type": "chat", "channel_id": "c", "id": author, "time": "2026-01-05T10:00:00Z",
            "author": author, "role": role, "text": "The page says so.",
        });
        format!("{row}\n")
    };
    home.read(&[line("owner", "Mara"), line("assistant", "Nova"), line("tool", "WebFetch")].concat());
    let mut names: Vec<String> = home.rows(&["people"]).iter().map(|row| text(row, "name")).collect();
    names.sort();
    assert_eq!(names, ["Mara", "Nova"]);
}

#[test]
fn a_link_suggestion_names_both_handles_and_where_its_evidence_stands_and_quotes_nothing() {
    let home = home();
    let link = only_link(&home);
    assert!(text(&link, "id").starts_with("lnk_"), "{link}");
    assert_eq!((text(&link, "status"), text(&link, "strength")), ("open".to_owned(), "declared".to_owned()));
    let side = |side: &str| (text(&link[side], "channel"), text(&link[side], "handle"));
    let sides: BTreeSet<_> = [side("a"), side("b")].into();
    let expect = [("email", "ana@example.net"), ("matrix", "@ana:example.org")];
    assert_eq!(sides, expect.map(|(channel, handle)| (channel.to_owned(), handle.to_owned())).into());
    let clue = &link["for"][0];
    assert_eq!(clue["kind"], "declared_handle");
    assert_eq!(clue["evidence"][0]["source"], json!({"kind": "keepsake", "conversation": "thread-1", "message": "m6"}));
    assert!(link["against"].is_array(), "{link}");
    assert!(!link.to_string().contains("By the way"), "the line itself stays in its conversation");
}

#[test]
fn same_joins_two_handles_and_unlink_takes_it_back_to_the_byte() {
    let home = home();
    let before = told(&home);
    let id = text(&only_link(&home), "id");
    let outcome = home.json(&["link", &id, "same"]);
    assert_eq!(outcome["status"], "same");
    assert!(!outcome["newly_visible"].as_array().unwrap().is_empty(), "what the link opens is said: {outcome}");
    let people = home.rows(&["people"]);
    let ana = people.iter().find(|row| row["handles"].as_array().unwrap().len() == 2 && row["is_owner"] == false).unwrap();
    assert!(ana["handles"].as_array().unwrap().iter().all(|handle| handle["verified"] == true), "{ana}");
    assert_eq!(text(&only_link(&home), "status"), "same");
    assert_ne!(told(&home), before, "control: a link is seen");
    assert!(context(&home, &["--channel", DIRECT]).contains("Osaka"), "what Ana was told by mail may be told her elsewhere");
    assert_eq!(home.json(&["unlink", &text(&outcome, "id")]), json!({"id": outcome["id"], "status": "unlinked"}));
    assert_eq!(told(&home), before, "as if it had never been");
}

#[test]
fn any_two_handles_can_be_linked_by_hand_and_parted_again() {
    let home = home();
    let before = told(&home);
    let outcome = home.json(&["link", "--handles", "matrix:@ben:example.org", "email:ana@example.net"]);
    assert_eq!(outcome["status"], "same");
    let by_hand = home.rows(&["links"]).into_iter().find(|row| row["id"] == outcome["id"]).unwrap();
    assert_eq!((text(&by_hand, "strength"), text(&by_hand, "status")), ("manual".to_owned(), "same".to_owned()));
    assert_eq!((&by_hand["for"], &by_hand["against"]), (&json!([]), &json!([])), "nothing but the person's word speaks for it");
    home.run(&["unlink", &text(&outcome, "id")]).ok();
    assert_eq!(told(&home), before);
}

#[test]
fn different_and_unsure_are_remembered_and_survive_another_look() {
    for (answer, status) in [("different", "different"), ("unsure", "unsure")] {
        let home = home();
        let id = text(&only_link(&home), "id");
        assert_eq!(home.json(&["link", &id, answer]), json!({"id": id, "status": answer, "newly_visible": []}));
        assert_eq!(text(&only_link(&home), "status"), status);
        // A message without new evidence makes Keepsake derive all links again.
        let more = world().lines().next().unwrap().replace("\"m1\"", "\"m99\"").replace("10:01", "11:30");
        home.read(&more);
        assert_eq!(text(&only_link(&home), "status"), status, "it is not asked again without new evidence");
    }
}

#[test]
fn a_private_line_is_absent_from_every_public_context_and_search() {
    let home = home();
    let secrets = ["hazelnut", "Ghent", "Osaka", "marathon"];
    let public: [&[&str]; 5] = [
        &["--channel", ROOM],
        &["--channel", ROOM, "--person", "matrix:@ana:example.org"],
        &["--channel", ROOM, "--query", "hazelnuts and the marathon in Osaka"],
        &["--agent", "stranger", "--channel", "matrix:!unseen:example.org"],
        &["--person", "matrix:@nobody:example.org", "--channel", ROOM],
    ];
    for args in public {
        let out = context(&home, args);
        assert!(secrets.iter().all(|secret| !out.contains(secret)), "{args:?} tells {out}");
    }
    assert!(context(&home, &["--channel", ROOM]).contains("Porto"), "control: what is public is told");
    assert!(context(&home, &["--channel", DIRECT]).contains("hazelnuts"), "control: in its own conversation it is told");
    for word in secrets {
        assert!(home.rows(&["search", word, "--channel", ROOM]).is_empty(), "{word} is not found from the room");
        assert!(!home.rows(&["search", &format!("{word}*")]).is_empty(), "control: the owner finds {word}");
    }
    assert!(!home.rows(&["search", "violin", "--channel", ROOM]).is_empty(), "control: what was said there is found there");
}

#[test]
fn a_context_has_the_promised_shape_and_tells_the_owner_alone_what_was_withheld() {
    let home = home();
    let whole = home.json(&["context", "--channel", ROOM]);
    let out = text(&whole, "text");
    let items = whole["items"].as_array().unwrap();
    assert!(!items.is_empty(), "{whole}");
    for item in items {
        assert!(out.contains(&text(item, "id")), "each line names its id");
        assert!(["message", "memory", "profile", "summary", "commitment"].contains(&text(item, "kind").as_str()), "{item}");
        for source in item["sources"].as_array().unwrap() {
            assert_eq!(source["conversation"], "!garden:example.org", "no source of a closed conversation: {item}");
        }
    }
    let withheld = whole["withheld"].as_array().unwrap();
    assert!(withheld.iter().any(|row| row["rule"] == "private_into_public" && row["count"].as_u64() > Some(0)), "{whole}");
    for who in [
        &["--agent", "nova"][..],
        &["--person", "email:ana@example.net"],
        &["--agent", "nova", "--person", "email:ana@example.net"],
    ] {
        let told = home.json(&[&["context", "--channel", ROOM], who].concat());
        assert_eq!(told["withheld"], json!([]), "{who:?}: who asks for somebody does not learn that something was held back");
    }
    let numbered =
        items.iter().zip(1..).fold(out.clone(), |text_, (item, number)| text_.replace(&text(item, "id"), &number.to_string()));
    assert_eq!(
        home.run(&["context", "--channel", ROOM]).ok(),
        numbered,
        "the text alone is what an agent gets, with short numbers"
    );
    assert!(!out.contains("withheld") && !out.contains("private"), "and it does not say that something was held back");
}

#[test]
fn a_budget_and_a_moment_bound_a_context() {
    let home = home();
    for budget in [60, 200, 1_000] {
        let out = context(&home, &["--channel", ROOM, "--budget", &budget.to_string()]);
        assert!(out.chars().count() <= budget, "{} of {budget}", out.chars().count());
    }
    assert!(context(&home, &["--channel", ROOM]).contains("violin"));
    let then = context(&home, &["--channel", ROOM, "--as-of", "2026-01-05T10:01:30Z"]);
    assert!(then.contains("Porto") && !then.contains("violin"), "only what had been said then: {then}");
    assert_eq!(context(&home, &["--channel", ROOM, "--as-of", "2025-12-31"]), "", "nothing had been said");
}

#[test]
fn a_choice_for_a_channel_opens_it_and_is_taken_back() {
    let home = home();
    let before = told(&home);
    assert!(!context(&home, &["--channel", ROOM]).contains("hazelnuts"));
    let effect = home.json(&["channel", DIRECT, "public"]);
    assert_eq!((&effect["conversations"], &effect["closed_memories"]), (&json!(1), &json!(0)), "{effect}");
    assert!(effect["opened_memories"].as_u64() > Some(0), "{effect}");
    assert!(context(&home, &["--channel", ROOM]).contains("hazelnuts"), "control: an open channel is told anywhere");
    let effect = home.json(&["channel", ROOM, "private"]);
    assert!(effect["closed_memories"].as_u64() > Some(0), "{effect}");
    for channel in [DIRECT, ROOM] {
        home.run(&["channel", channel, "default"]).ok();
    }
    assert_eq!(told(&home), before, "the default is what it was");
    // One conversation, by its id in the export.
    home.run(&["channel", "thread-1", "public"]).ok();
    assert!(context(&home, &["--channel", ROOM]).contains("Osaka"));
    home.run(&["channel", "thread-1", "default"]).ok();
    assert_eq!(told(&home), before);
}

#[test]
fn a_shared_memory_is_told_anywhere_and_its_conversation_is_not() {
    let home = home();
    let row = home.rows(&["memories"]).into_iter().find(|row| text(row, "content").contains("hazelnuts")).unwrap();
    let id = text(&row, "id");
    assert_eq!(home.json(&["share", &id]), json!({"id": id, "is_shared": true}));
    let whole = home.json(&["context", "--channel", ROOM]);
    let item = whole["items"].as_array().unwrap().iter().find(|item| item["id"] == id.as_str());
    assert_eq!(item.expect("it is told")["sources"], json!([]), "where it was said is not");
    assert!(home.rows(&["search", "hazelnuts", "--scope", "messages", "--channel", ROOM]).is_empty(), "nor its line");
    home.run(&["share", &id, "--off"]).ok();
    assert!(!context(&home, &["--channel", ROOM]).contains("hazelnuts"), "taken back");
}

/// A private place in which the owner wrote once and an assistant replied. There may be other readers who have not written yet.
fn answered_in(channel_type: &str) -> String {
    let said = [("owner", "Mara", "Is anybody here?"), ("assistant", "Nova", "I am.")];
    let row = |(index, (role, author, text)): (usize, &(&str, &str, &str))| {
        json!({
            "conversation": "new", "channel_type": channel_type, "channel_id": "new", "visibility": "private", "id": format!("n{index}"),
            "time": format!("2026-01-06T10:{index:02}:00Z"), "author": author, "role": role, "text": text,
        })
    };
    said.iter().enumerate().map(row).map(|row| format!("{row}\n")).collect()
}

#[test]
fn an_assistant_that_speaks_in_a_room_of_people_does_not_make_it_the_owners_own_place() {
    for (channel_type, is_own) in
        [("matrix", false), ("dm", false), ("whatsapp", false), ("chat", true), ("cli", true), ("agent", true)]
    {
        let home = home();
        home.read(&answered_in(channel_type));
        let told = context(&home, &["--channel", &format!("{channel_type}:new")]);
        assert!(told.contains("Is anybody here?"), "what was said there is told there, {channel_type}: {told}");
        assert_eq!(told.contains("hazelnuts"), is_own, "what was said to Ana alone, in a closed {channel_type}: {told}");
    }
}

#[test]
fn an_agent_with_a_public_level_is_told_what_is_public_wherever_it_is() {
    let home = home();
    assert!(context(&home, &["--agent", "parrot"]).contains("hazelnuts"), "control: the owner's own tool in a private place");
    let levels = |rows: Vec<Value>| -> Vec<(String, String)> {
        let known = rows.iter().filter(|row| row["visibility"].is_string());
        known.map(|row| (text(row, "name"), text(row, "visibility"))).collect()
    };
    let level = |name: &str| vec![("parrot".to_owned(), name.to_owned())];
    assert_eq!(levels(home.rows(&["agents", "parrot", "public"])), level("public"));
    for args in [&["--agent", "parrot"][..], &["--agent", "parrot", "--person", "matrix:@ana:example.org"]] {
        let out = context(&home, args);
        assert!(!out.contains("hazelnuts") && out.contains("Porto"), "{args:?}: {out}");
    }
    home.run(&["agents", "parrot", "private"]).ok();
    assert_eq!(levels(home.rows(&["agents"])), level("private"));
    assert!(context(&home, &["--agent", "parrot"]).contains("hazelnuts"));
}

#[test]
fn what_cannot_be_done_is_said_in_one_clear_line_without_a_word_of_a_message() {
    let home = home();
    let id = text(&only_link(&home), "id");
    let refused = |args: &[&str], expect: &str| {
        let line = home.run(args).failure();
        assert!(line.contains(expect), "{args:?}: {line}");
        for secret in ["hazelnut", "Ghent", "Osaka", "Porto", "By the way"] {
            assert!(!line.contains(secret), "{args:?} quotes a message: {line}");
        }
    };
    refused(&["link", "nothing", "same"], "`keepsake links` lists the ids");
    refused(&["link", "lnk_00000000000000000000000000000000", "same"], "there is no suggested link");
    refused(&["unlink", &id], "no link to remove");
    refused(&["link", "--handles", "matrix:@ben:example.org", "matrix:@nobody:example.org"], "@nobody:example.org");
    refused(&["link", "--handles", "matrix:@ben:example.org", "matrix:@ben:example.org"], "linked to itself");
    refused(&["channel", "nowhere", "public"], "neither a channel (type:id) nor a conversation");
    refused(&["share", "mem_00000000000000000000000000000000"], "there is no memory");
    refused(&["context", "--as-of", "soon"], "is not a time");
    home.run(&["link", &id, "different"]).ok();
    refused(&["link", "--handles", "matrix:@ben:example.org", "nonsense"], "nonsense");
    home.run(&["link", "--handles", "matrix:@ben:example.org", "matrix:@ana:example.org"]).ok();
    refused(&["link", "--handles", "matrix:@ben:example.org", "email:ana@example.net"], "different people");
    for usage in [&["link"][..], &["link", &id, "maybe"], &["channel", ROOM], &["agents", "parrot"], &["unlink"]] {
        assert_eq!(home.run(usage).code, 2, "{usage:?} is no use of it");
    }
}

#[test]
fn over_two_hundred_people_no_trap_is_suggested_and_what_people_say_of_themselves_is_found() {
    let made = population(240, 11, Wording::HeldOut);
    let people: BTreeSet<usize> = made.bearers.iter().map(|(_, person)| *person).collect();
    let channels: BTreeSet<&str> = made.bearers.iter().map(|(handle, _)| handle.channel.as_str()).collect();
    assert!(people.len() >= 200 && channels.len() >= 5, "{} people over {channels:?}", people.len());
    let home = Home::new();
    let path = home.file("population.jsonl", made.lines.join("\n"));
    home.run(&["import", path.to_str().unwrap(), "--me", OWNER]).ok();
    home.run(&["run-jobs", "--until-idle"]).ok();
    let side = |link: &Value, side: &str| Handle { channel: text(&link[side], "channel"), handle: text(&link[side], "handle") };
    let suggested: Vec<(Handle, Handle, String)> = home
        .rows(&["links"])
        .iter()
        .map(|link| {
            assert_eq!(link["status"], "open", "nothing is linked on its own");
            (side(link, "a"), side(link, "b"), text(link, "strength"))
        })
        .collect();
    let strength = |a: &Handle, b: &Handle| {
        suggested.iter().find(|(x, y, _)| (x == a && y == b) || (x == b && y == a)).map(|(.., strength)| strength.as_str())
    };
    let mut found: BTreeMap<PairKind, (usize, usize)> = BTreeMap::new();
    let mut walked_into = Vec::new();
    for (kind, a, b) in &made.pairs {
        let entry = found.entry(*kind).or_default();
        entry.1 += 1;
        let strength = strength(a, b);
        entry.0 += usize::from(strength.is_some());
        if !kind.is_true() && strength.is_some_and(|strength| strength != "guess") {
            walked_into.push(format!("{kind:?} {strength:?} {a:?} {b:?}"));
        }
    }
    let bearer: BTreeMap<&Handle, usize> = made.bearers.iter().map(|(handle, person)| (handle, *person)).collect();
    let strong = suggested.iter().filter(|(.., strength)| strength != "guess");
    let wrong: Vec<_> = strong.filter(|(a, b, _)| bearer.get(a) != bearer.get(b)).collect();
    let mut figures = format!("{} people, {} suggestions", people.len(), suggested.len());
    for (kind, (found, all)) in &found {
        figures.push_str(&format!("\n  {kind:?}: {found} of {all}{}", if kind.is_true() { "" } else { " (trap)" }));
    }
    // Shown by `cargo test -- --nocapture`.
    std::io::stdout().write_all(format!("{figures}\n").as_bytes()).unwrap();
    assert!(walked_into.is_empty(), "{figures}\n{}", walked_into.join("\n"));
    assert!(wrong.is_empty(), "{figures}\n{wrong:?}");
    for kind in [PairKind::Email, PairKind::Phone, PairKind::Declared] {
        let (found, all) = found[&kind];
        assert!(found as f64 >= all as f64 * 0.95, "{kind:?}\n{figures}");
    }
}
