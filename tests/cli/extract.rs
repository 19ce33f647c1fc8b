//! `keepsake extract` and `keepsake scrub`: stateless commands that read standard input and write standard output.

use serde_json::Value;

use crate::harness::{Home, bare, evening, finish, jsonl, rows, text};

fn extract(home: &Home, stdin: &str) -> Vec<Value> {
    rows(&home.run_with(&["extract"], stdin).ok())
}

/// The text at code points `start..end`.
fn quote(message: &str, place: &Value) -> String {
    let (start, end) = (place["start"].as_u64().unwrap() as usize, place["end"].as_u64().unwrap() as usize);
    assert!(start < end && end <= message.chars().count(), "{start}..{end} lies in the message");
    message.chars().skip(start).take(end - start).collect()
}

#[test]
fn candidates_have_the_promised_shape_and_quote_exactly() {
    let home = Home::new();
    let input = evening();
    let said: Vec<Value> = rows(&input);
    let candidates = extract(&home, &input);
    assert!(candidates.len() >= 5, "{candidates:#?}");
    for candidate in &candidates {
        assert_eq!(candidate["conversation"], "evening");
        assert!(["owner", "Ana"].contains(&text(candidate, "subject").as_str()), "{candidate}");
        assert!(["fact", "knowledge"].contains(&text(candidate, "kind").as_str()), "{candidate}");
        assert!((0.0..=1.0).contains(&candidate["confidence"].as_f64().unwrap()), "{candidate}");
        assert!(!text(candidate, "content").is_empty() && !text(candidate, "category").is_empty());
        let evidence = candidate["evidence"].as_array().unwrap();
        assert!(!evidence.is_empty(), "no candidate without its line: {candidate}");
        for place in evidence {
            let message = said.iter().find(|row| row["id"] == place["message"]).expect("the message is one of the input");
            let by = if candidate["subject"] == "owner" { message["role"] == "owner" } else { message["author"] == "Ana" };
            assert!(by, "the line is the subject's own: {candidate}");
            let quote = quote(&text(message, "text"), place);
            let bare = quote.trim_end_matches(['.', ',', ';']).to_owned();
            assert!(text(candidate, "content").contains(&bare), "the statement is the very words: {candidate} / {quote}");
        }
    }
    assert!(!home.data().exists(), "nothing is stored");
}

#[test]
fn offsets_count_code_points_beyond_the_basic_plane() {
    let input = jsonl("c", &[("owner", "Mara", "👩‍👩‍👧 e\u{301}té — I play the cello.")]);
    let candidates = extract(&Home::new(), &input);
    assert_eq!(candidates.len(), 1, "{candidates:#?}");
    let place = &candidates[0]["evidence"][0];
    assert_eq!(quote("👩‍👩‍👧 e\u{301}té — I play the cello.", place), "I play the cello");
}

#[test]
fn nobody_is_the_owner_or_a_namesake_by_their_name() {
    let line = |id: &str, author: &str, handle: &str, said: &str| {
        serde_json::json!({ "conversation": "c", "id": id, "author": author, "author_handle": handle, "channel_type": "matrix",
                            "role": "person", "text": said })
        .to_string()
    };
    let lines = [
        line("1", "Ben", "@ben:a", "I live in Oslo."),
        line("2", "Ben", "@ben:b", "I work as a nurse in Bergen."),
        line("3", "owner", "@x:a", "I am allergic to peanuts."),
    ];
    let found: Vec<(String, String)> =
        extract(&Home::new(), &lines.join("\n")).iter().map(|c| (text(c, "subject"), text(c, "content"))).collect();
    let expect = [
        ("Ben", "Ben: “I live in Oslo”"),
        ("Ben", "Ben: “I work as a nurse in Bergen”"),
        ("owner (contact)", "owner (contact): “I am allergic to peanuts”"),
    ];
    assert_eq!(found, expect.map(|(subject, content)| (subject.to_owned(), content.to_owned())));
}

#[test]
fn without_the_reader_it_fails_and_says_what_to_do() {
    let failure = Home::without_reader().run_with(&["extract"], evening()).failure();
    assert!(failure.contains("reader") && failure.contains("make model"), "{failure}");
}

#[test]
fn the_same_input_gives_the_same_output() {
    let home = Home::new();
    assert_eq!(home.run_with(&["extract"], evening()).ok(), home.run_with(&["extract"], evening()).ok());
}

#[test]
fn conversations_do_not_mix() {
    let home = Home::new();
    let mut lines: Vec<String> = evening().lines().map(str::to_owned).collect();
    lines.extend(evening().lines().map(|line| line.replace("\"evening\"", "\"morning\"")));
    lines.sort_by_key(|line| line.find("\"id\":\"").map(|at| line[at..at + 9].to_owned()));
    let mixed = extract(&home, &lines.join("\n"));
    let of = |id: &str| -> Vec<String> {
        let mut of: Vec<String> = mixed.iter().filter(|c| c["conversation"] == id).map(|c| text(c, "content")).collect();
        of.sort();
        of
    };
    let mut alone: Vec<String> = extract(&home, &evening()).iter().map(|c| text(c, "content")).collect();
    alone.sort();
    assert_eq!(of("evening"), alone, "interleaved lines are sorted out");
    assert_eq!(of("morning"), alone);
}

#[test]
fn empty_input_is_no_failure() {
    for nothing in ["", "\n\n  \n"] {
        let ran = Home::new().run_with(&["extract"], nothing);
        assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (0, "", ""), "{nothing:?}");
    }
}

#[test]
fn input_that_is_not_keepsake_jsonl_fails_with_one_line_that_quotes_nothing() {
    for bad in ["my secret words\n", "{\"conversation\": \"c\", \"text\":", "[1, 2, 3]\n", "{\"secret\": \"words\"}\n"] {
        let ran = Home::new().run_with(&["extract"], bad);
        assert_eq!(ran.out, "", "{bad}");
        let line = ran.failure();
        assert!(line.contains("standard input") && !line.contains("secret") && !line.contains("/tmp"), "{line}");
    }
    let ran = Home::new().run_with(&["extract"], b"\xff\xfe\x00\x01binary\x00");
    ran.failure();
}

#[test]
fn a_bad_line_among_good_ones_is_told_and_the_rest_is_read() {
    let input = format!("{}not json\n", evening());
    let ran = Home::new().run_with(&["extract"], input);
    assert_eq!(ran.code, 0);
    assert!(ran.err.contains("1 line"), "what was left out is told: {}", ran.err);
    assert_eq!(rows(&ran.out).len(), extract(&Home::new(), &evening()).len());
}

#[test]
fn a_private_conversation_yields_nothing() {
    let input = jsonl("c", &[("owner", "Mara", "I'm allergic to peanuts.")]).replace("\"role\"", "\"is_private\":true,\"role\"");
    assert_eq!(extract(&Home::new(), &input), Vec::<Value>::new());
}

/// Uses the real model, if it is installed. The output has the same shape.
#[test]
fn the_local_model_changes_no_shape() {
    let home = Home::with_model();
    let with_model = extract(&home, &evening());
    assert!(with_model.len() >= 5, "{with_model:#?}");
    home.read(&evening());
    home.run(&["approve", &home.ids("pending")[0]]).ok();
    assert!(!home.rows(&["search", "porto", "--scope", "messages"]).is_empty());
}

fn scrub(input: impl AsRef<[u8]>) -> String {
    let mut command = bare();
    command.arg("scrub");
    finish(command, input.as_ref()).ok()
}

#[test]
fn sensitive_text_is_masked_and_masked_text_stays_as_it_is() {
    let input = "Write to mara@example.org or ana@example.org, then to mara@example.org again.\n\
        Call +44 7700 900123. The card is 4111 1111 1111 1111.\nIBAN DE89 3704 0044 0532 0130 00, I paid $1,250.00.\n";
    let once = scrub(input);
    for secret in ["mara@", "ana@", "7700 900123", "4111 1111", "3704 0044"] {
        assert!(!once.contains(secret), "{secret} is masked: {once}");
    }
    let masks: Vec<&str> = once.lines().next().unwrap().split('[').skip(1).filter_map(|rest| rest.split(']').next()).collect();
    assert_eq!(masks.len(), 3, "{once}");
    assert!(masks[0] == masks[2] && masks[0] != masks[1], "one value, one placeholder: {masks:?}");
    assert_eq!(scrub(&once), once, "scrubbing again changes nothing");
}

#[test]
fn clean_text_passes_byte_for_byte() {
    for clean in
        ["", "no newline at the end", "\n\n", "crlf\r\nline\r\n", "tabs\t🙂 e\u{301} ﷽ \u{200d}\n", "{\"json\": [1, 2]}\n"]
    {
        assert_eq!(scrub(clean), clean);
    }
}

/// Standard input is scrubbed in pieces of one MiB. No value may be cut at their boundary.
#[test]
fn what_lies_across_two_pieces_is_masked_too() {
    const PIECE: usize = 1 << 20;
    let body = "MIIEowIBAAKCAQEAq3x7Jd0vTgPQbVZ2m8kYw1nLrXcS5uHhF6tGpOeIjKlMnBvC\n";
    let key = format!("-----BEGIN RSA PRIVATE KEY-----\n{}-----END RSA PRIVATE KEY-----\n", body.repeat(20));
    let line = "A plain line of ordinary words without anything in it.\n";
    for back in [60, 400, 1_300] {
        let before = line.repeat((PIECE - back) / line.len());
        let filler = ".".repeat(PIECE - back - before.len());
        let input = format!("{before}{filler}\n{key}{}", line.repeat(3));
        let out = scrub(&input);
        assert!(!out.contains(body.trim_end()), "no line of the key is left when it begins {back} bytes before the border");
        assert!(out.starts_with(&before) && out.ends_with(&line.repeat(3)), "and nothing else changed");
    }
    let split = format!("{}mara@example.org{}\n", " ".repeat(PIECE - 5), " x".repeat(40));
    assert!(!scrub(split).contains("example.org"), "a long line is not cut in its middle");
}

/// The statements proposed about Mara from these lines.
fn proposed(home: &Home, lines: &[(&str, &str)]) -> Vec<String> {
    let name = |role: &str| if role == "owner" { "Mara" } else { "Nova" };
    let lines: Vec<_> = lines.iter().map(|(role, text)| (*role, name(role), *text)).collect();
    extract(home, &jsonl("c", &lines)).iter().map(|candidate| text(candidate, "content")).collect()
}

#[test]
fn ordinary_talk_is_no_scene_for_the_reader() {
    let home = Home::new();
    let check = |lines: &[(&str, &str)], words: &str| {
        let found = proposed(&home, lines);
        assert!(found.iter().any(|content| content.contains(words)), "{lines:?}: {found:?}");
    };
    check(&[("owner", "let x = 1; // a comment"), ("assistant", "Looks fine."), ("owner", "I live in Oslo.")], "I live in Oslo");
    check(&[("owner", "That was only a game. In real life I am a nurse in Leeds.")], "I am a nurse");
    check(&[("owner", "Everything is back to normal now, I live in Oslo again")], "I live in Oslo");
    check(
        &[("owner", "I read chapter 3 last night."), ("assistant", "Good."), ("owner", "I play the cello in an orchestra.")],
        "cello",
    );
    check(&[("owner", "I was the best man at his wedding. My brother Tom lives in Leeds.")], "My brother Tom lives in Leeds");
    check(&[("assistant", "*smiles* Hello Mara."), ("owner", "I live in Oslo with my sister.")], "I live in Oslo");
    let diet =
        [("owner", "Act as a nutritionist and plan my week."), ("assistant", "Sure. Any limits?"), ("owner", "I'm vegan.")];
    check(&diet, "vegan");
    let play = [("owner", "Let's do a role-play. I am a dragon and I live in a volcano."), ("assistant", "Very well, dragon.")];
    assert_eq!(proposed(&home, &play), Vec::<String>::new(), "control: a play is none of hers");
}

#[test]
fn what_is_said_long_after_a_scene_is_meant_and_a_long_scene_is_not() {
    let talk = |lines: &[&'static str]| -> Vec<(&'static str, &'static str)> {
        lines.iter().enumerate().map(|(n, line)| (["owner", "assistant"][n % 2], *line)).collect()
    };
    let ended = talk(&[
        "Let's role-play: you're a ship's captain and I'm the new deckhand.",
        "Aye! Get aboard, lad.",
        "Aye aye, I've sailed since I was six, captain.",
        "Then haul that rope.",
        "OK, end of role-play. Thanks!",
        "My pleasure! What else?",
        "Can you suggest a quick supper?",
        "An omelette?",
        "Good idea.",
        "Anything else?",
        "I'm vegetarian by the way, so no bacon.",
        "Noted.",
        "I live in Hamburg with my two cats.",
    ]);
    let home = Home::new();
    let found = proposed(&home, &ended);
    assert!(
        found.iter().any(|said| said.contains("vegetarian")) && found.iter().any(|said| said.contains("Hamburg")),
        "{found:?}"
    );
    assert!(!found.iter().any(|said| said.contains("sailed")), "said in the scene: {found:?}");
    // Control: a conversation of the same length in which the role-play continues.
    let lasting = talk(&[
        "You are now a pirate. I'm your parrot.",
        "Arr, Polly!",
        "Squawk, I eat only gold!",
        "Arr!",
        "Squawk, I lost my left wing at Tortuga!",
        "Poor bird.",
        "Squawk, I've been a parrot for 80 years!",
        "Old bird!",
        "Squawk, I sleep in the crow's nest!",
    ]);
    assert_eq!(proposed(&home, &lasting), Vec::<String>::new());
}

#[test]
fn a_sentence_in_another_language_stays_as_it_was_said() {
    let home = Home::new();
    for said in [
        "Ich mag nicht fliegen.",
        "Jag gillar inte att flyga.",
        "Jag bor i Malmö och arbetar som sjuksköterska.",
        "Je parle de politique avec ma sœur.",
    ] {
        let found = proposed(&home, &[("owner", said)]);
        // Two facts may become two statements, each in the original words.
        let words = |content: &String| content.strip_prefix("User: “").and_then(|rest| rest.strip_suffix('”')).map(str::to_owned);
        assert!(found.iter().all(|content| words(content).is_some_and(|words| said.contains(&words))), "{said}: {found:?}");
        assert!(!found.iter().any(|content| content.contains("likes") || content.contains("speaks")), "{found:?}");
    }
    assert_eq!(proposed(&home, &[("owner", "Ich mag nicht fliegen.")]).len(), 1, "control: something is found");
    let boss = "My boss just sent me this: I live in Berlin and I work as a surgeon";
    assert_eq!(proposed(&home, &[("owner", boss)]), Vec::<String>::new(), "and another's words are another's");
}
