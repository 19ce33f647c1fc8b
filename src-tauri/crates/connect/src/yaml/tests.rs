//! Tests adding and removing the entry in files as Goose and people write them, byte for byte.

use std::path::Path;

use super::*;

fn server() -> ServerCommand {
    ServerCommand::new(Path::new("/opt/keepsake"), "a", None).unwrap()
}

fn connected(text: &str) -> String {
    let edited = connect(text, &server()).unwrap_or_else(|fault| panic!("{text:?}: {fault:?}"));
    assert_eq!(edited.other, None);
    edited.text
}

/// The expected entry at an indent.
fn entry(indent: usize) -> String {
    let lines = [
        "keepsake:",
        "  enabled: true",
        "  type: stdio",
        "  name: keepsake",
        "  description: \"The person's own memory\"",
        "  cmd: /opt/keepsake",
        "  args:",
        "  - mcp",
        "  - \"--agent\"",
        "  - a",
        "  timeout: 300",
    ];
    lines.map(|line| format!("{}{line}", " ".repeat(indent))).join("\n")
}

#[test]
fn the_entry_comes_and_goes_to_the_byte() {
    let check = |before: &str, expect: &str| {
        let after = connected(before);
        assert_eq!(after, expect, "{before:?}");
        assert_eq!(connected(&after), after, "a second time changes nothing");
        assert_eq!(disconnect(&after, &server()).unwrap(), Edited::ours(before.to_owned()), "undone");
    };
    let ours = entry(2);
    check("", &format!("extensions:\n{ours}\n"));
    check(
        "# a note\n",
        &format!(
            "# a note
extensions:
{ours}
"
        ),
    );
    check("GOOSE_MODEL: x", &format!("GOOSE_MODEL: x\nextensions:\n{ours}"));
    let other = "extensions:
  developer: # built in
    enabled: true
    args:
    - x
";
    check(other, &format!("{other}{ours}\n"));
    check(&format!("{other}GOOSE_MODEL: x\n"), &format!("{other}{ours}\nGOOSE_MODEL: x\n"));
    check(
        &format!(
            "{other}  # at the end

# of the model
GOOSE_MODEL: x
"
        ),
        &format!(
            "{other}  # at the end
{ours}

# of the model
GOOSE_MODEL: x
"
        ),
    );
    let deep = "extensions:
    a:
        description: |
            # no comment

            text
";
    check(deep, &format!("{deep}{}\n", entry(4)));
    check(
        "extensions: {} # none\nGOOSE_MODEL: x\n",
        &format!("extensions: {{keepsake: {}}} # none\nGOOSE_MODEL: x\n", value(&server())),
    );
    check("ä: ö\nextensions: { }\n", &format!("ä: ö\nextensions: {{keepsake: {} }}\n", value(&server())));
    check(
        "a: 1\r\nextensions:\r\n  b: {}\r\n",
        &format!("a: 1\r\nextensions:\r\n  b: {{}}\r\n{}\r\n", ours.replace('\n', "\r\n")),
    );
}

#[test]
fn an_entry_among_others_goes_alone() {
    let text = format!(
        "extensions:
  # first
{}
    # deeper

  # of b
  b:
    enabled: true
c: 1
",
        entry(2)
    );
    let expect = "extensions:
  # first

  # of b
  b:
    enabled: true
c: 1
";
    assert_eq!(disconnect(&text, &server()).unwrap(), Edited::ours(expect.to_owned()));
}

#[test]
fn only_program_and_arguments_are_kept_in_step() {
    let check = |before: &str, expect: &str| {
        assert_eq!(connected(before), expect);
        assert_eq!(connected(expect), expect, "a second time changes nothing");
    };
    check(
        "extensions:
  keepsake:
    args:
    - mcp
    cmd: '/old/keepsake' # old
    enabled: false # mine
    envs: {}
z: 1
",
        r#"extensions:
  keepsake:
    args:
    - mcp
    - "--agent"
    - a
    cmd: /opt/keepsake
    enabled: false # mine
    envs: {}
z: 1
"#,
    );
    check(
        "extensions: {keepsake: {cmd: keepsake, args: [mcp], enabled: false}}\n",
        "extensions: {keepsake: {\"cmd\":\"/opt/keepsake\",\"args\":[\"mcp\",\"--agent\",\"a\"],\"enabled\":false}}\n",
    );
}

#[test]
fn somebody_elses_entry_is_marked_and_never_removed() {
    let check = |entry: &str, expect: &str| {
        let text = format!(
            "extensions:
  keepsake:
    {entry}
  b:
    enabled: true
"
        );
        let edited = connect(&text, &server()).unwrap();
        assert_eq!(edited.other.as_deref(), Some(expect));
        assert_eq!(
            edited.text,
            format!(
                "extensions:
  b:
    enabled: true
{}
",
                self::entry(2)
            )
        );
        assert_eq!(disconnect(&text, &server()).unwrap(), Edited { text, other: Some(expect.to_owned()) });
    };
    check("cmd: npx", "npx");
    check("uri: https://example.com/?key=secret", "a server at an address");
}

#[test]
fn what_cannot_be_edited_is_refused() {
    let unexpected = |text: &str| assert!(matches!(connect(text, &server()), Err(Fault::Unexpected(_))), "{text}");
    unexpected("extensions: {a: {enabled: true}}\n");
    unexpected("{a: 1}\n");
    unexpected("extensions: text\n");
    unexpected("extensions: [a]\n");
    unexpected("- a\n");
    unexpected(
        "a: 1
---
b: 1
",
    );
    assert!(matches!(connect("a: [\n", &server()), Err(Fault::Broken(..))));
    assert!(matches!(connect("a: 1\n...\n", &server()), Err(Fault::TooMuch)), "nothing can follow the end of a document");
}

#[test]
fn a_value_that_could_be_something_else_is_quoted() {
    let check = |text: &str, expect: &str| assert_eq!(scalar(&json!(text)), expect);
    check("/usr/bin/keepsake", "/usr/bin/keepsake");
    check("C:\\bin\\keepsake.exe", "\"C:\\\\bin\\\\keepsake.exe\"");
    check("no", "\"no\"");
    check("7", "\"7\"");
    check("a b", "\"a b\"");
    check("--agent", "\"--agent\"");
}
