//! The entry in Codex's `config.toml`. `toml_edit` parses the file and gives the positions; the text is edited directly and
//! parsed again, so that an insertion can be undone byte for byte and no comment moves.

use std::ops::Range;

use serde_json::{Map, Value as Json, json};
use toml_edit::{Array, Document, Item, Table, TableLike, Value};

use super::entry::{Edited, described_command};
use super::error::Fault;
use super::server::{SERVER_NAME, ServerCommand};
use super::text::{Edit, append_lines, cut_lines, edited, line_start, newline, next_line, place};

const SERVERS: &str = "mcp_servers";

type Doc = Document<String>;

pub(super) fn connect(text: &str, server: &ServerCommand) -> Result<Edited, Fault> {
    let doc = parse(text)?;
    let Some(entry) = entry(&doc)? else {
        return Ok(Edited::ours(with_entry(text, &value_of(doc.as_item()), server)?));
    };
    let (program, args) = command_of(entry);
    if !server.owns(program.as_deref(), &args) {
        let bare = without_entry(text, &doc)?;
        let base = value_of(parse(&bare)?.as_item());
        let other = described_command(program.as_deref(), entry.get("url").is_some());
        return Ok(Edited { text: with_entry(&bare, &base, server)?, other: Some(other) });
    }
    if program.as_deref() == Some(server.program()) && args == server.args() {
        return Ok(Edited::ours(text.to_owned()));
    }
    let result = edited(text, &updates(text, &doc, server)?);
    let mut expected = value_of(doc.as_item());
    expected[SERVERS][SERVER_NAME]["command"] = json!(server.program());
    expected[SERVERS][SERVER_NAME]["args"] = json!(server.args());
    verified(result, &expected).map(Edited::ours)
}

pub(super) fn disconnect(text: &str, server: &ServerCommand) -> Result<Edited, Fault> {
    let doc = parse(text)?;
    let Some(entry) = entry(&doc)? else { return Ok(Edited::ours(text.to_owned())) };
    let (program, args) = command_of(entry);
    if server.owns(program.as_deref(), &args) {
        return Ok(Edited::ours(without_entry(text, &doc)?));
    }
    let other = described_command(program.as_deref(), entry.get("url").is_some());
    Ok(Edited { text: text.to_owned(), other: Some(other) })
}

/// Whether the file has hooks of its own, and whether it turns hooks off. Both are false if the file cannot be read.
pub(super) fn codex_hooks(text: &str) -> (bool, bool) {
    let Ok(doc) = parse(text) else { return (false, false) };
    let events = doc.get("hooks").and_then(Item::as_table_like);
    let has_hooks = events.is_some_and(|events| events.iter().any(|(name, _)| name != "state"));
    let features = doc.get("features").and_then(Item::as_table_like);
    let is_off = |name| features.and_then(|features| features.get(name)).and_then(Item::as_bool) == Some(false);
    (has_hooks, is_off("hooks") || is_off("codex_hooks"))
}

fn parse(text: &str) -> Result<Doc, Fault> {
    Document::parse(text.to_owned()).map_err(|error| {
        let (line, column) = place(text, error.span().map_or(0, |span| span.start));
        Fault::Broken(line, column)
    })
}

fn entry(doc: &Doc) -> Result<Option<&dyn TableLike>, Fault> {
    let Some(servers) = doc.get(SERVERS) else { return Ok(None) };
    let no_table = || Fault::unexpected(format!("'{SERVERS}' is not a table"));
    let servers = servers.as_table_like().ok_or_else(no_table)?;
    match servers.get(SERVER_NAME) {
        None => Ok(None),
        Some(entry) => {
            let no_table = || Fault::unexpected(format!("'{SERVERS}.{SERVER_NAME}' is not a table"));
            entry.as_table_like().map(Some).ok_or_else(no_table)
        }
    }
}

fn command_of(entry: &dyn TableLike) -> (Option<String>, Vec<String>) {
    let program = entry.get("command").and_then(Item::as_str).map(str::to_owned);
    let args = entry.get("args").and_then(Item::as_array).into_iter().flatten();
    (program, args.filter_map(Value::as_str).map(str::to_owned).collect())
}

fn lines(server: &ServerCommand) -> [String; 2] {
    let args: Array = server.args().into_iter().collect();
    [format!("command = {}", Value::from(server.program())), format!("args = {}", Value::from(args))]
}

fn with_entry(text: &str, before: &Json, server: &ServerCommand) -> Result<String, Fault> {
    if before[SERVERS].is_object() && inline(text)? {
        return Err(Fault::unexpected(format!("'{SERVERS}' is written within braces, where nothing can be added safely")));
    }
    let [command, args] = lines(server);
    let result = append_lines(text, &format!("[{SERVERS}.{SERVER_NAME}]\n{command}\n{args}"), true);
    let mut expected = before.clone();
    expected[SERVERS][SERVER_NAME] = json!({ "command": server.program(), "args": server.args() });
    verified(result, &expected)
}

fn inline(text: &str) -> Result<bool, Fault> {
    Ok(parse(text)?.get(SERVERS).is_some_and(Item::is_inline_table))
}

/// Replaces the program and the arguments in place, or adds them below the header if they are missing.
fn updates(text: &str, doc: &Doc, server: &ServerCommand) -> Result<Vec<Edit>, Fault> {
    let table = doc.get(SERVERS).and_then(|servers| servers.get(SERVER_NAME));
    let [command, args] = lines(server);
    let mut edits: Vec<Edit> = Vec::new();
    for (name, line) in [("command", command), ("args", args)] {
        let found = table.and_then(|table| table.get(name)).and_then(Item::span);
        match (found, table.and_then(Item::as_table).and_then(header)) {
            (Some(span), _) => edits.push((span, line.split_once(" = ").map_or_else(String::new, |(_, value)| value.to_owned()))),
            (None, Some(header)) => {
                let at = next_line(text, header.end);
                let newline = newline(text);
                edits.push((
                    at..at,
                    if text[..at].ends_with('\n') { format!("{line}{newline}") } else { format!("{newline}{line}") },
                ));
            }
            (None, None) => {
                return Err(Fault::unexpected(format!("'{SERVERS}.{SERVER_NAME}' has no '{name}' and no place where to add it")));
            }
        }
    }
    edits.sort_by_key(|(span, _)| span.start);
    Ok(edits)
}

/// Position of a table's own header. A table that is only implied by its sub-tables has none.
fn header(table: &Table) -> Option<Range<usize>> {
    if table.is_implicit() || table.is_dotted() { None } else { table.span() }
}

/// Removes the table of the entry and its sub-tables, with all their lines.
fn without_entry(text: &str, doc: &Doc) -> Result<String, Fault> {
    let by_hand = || Fault::unexpected(format!("'{SERVERS}.{SERVER_NAME}' is not written under a header of its own"));
    let table = doc.get(SERVERS).and_then(|servers| servers.get(SERVER_NAME)).and_then(Item::as_table).ok_or_else(by_hand)?;
    let mut parts = Vec::new();
    sections(table, &mut parts);
    if table.is_dotted() || parts.is_empty() {
        return Err(by_hand());
    }
    parts.sort_by_key(|part| part.start);
    let mut result = text.to_owned();
    for part in parts.into_iter().rev() {
        let lines = line_start(text, part.start)..next_line(text, part.end);
        result = cut_lines(&result, lines, true);
    }
    let mut expected = value_of(doc.as_item());
    if let Some(servers) = expected[SERVERS].as_object_mut() {
        servers.remove(SERVER_NAME);
    }
    verified(result, &expected)
}

/// Collects the range from the header of a table to its last value, and the same for its sub-tables.
fn sections(table: &Table, parts: &mut Vec<Range<usize>>) {
    if let Some(header) = header(table) {
        let values = table.get_values();
        let end = values.iter().filter_map(|(_, value)| value.span()).map(|span| span.end).max();
        parts.push(header.start..end.unwrap_or(header.end).max(header.end));
    }
    for (_, item) in table {
        match item {
            Item::Table(table) => sections(table, parts),
            Item::ArrayOfTables(tables) => tables.iter().for_each(|table| sections(table, parts)),
            Item::Value(_) | Item::None => {}
        }
    }
}

/// Returns the text if it parses to the expected value, ignoring an empty table of servers.
fn verified(text: String, expected: &Json) -> Result<String, Fault> {
    let mut found = value_of(parse(&text).map_err(|_| Fault::TooMuch)?.as_item());
    let mut expected = expected.clone();
    for value in [&mut found, &mut expected] {
        if value[SERVERS].as_object().is_some_and(Map::is_empty) {
            value.as_object_mut().map(|map| map.remove(SERVERS));
        }
    }
    if found == expected { Ok(text) } else { Err(Fault::TooMuch) }
}

/// The value of a part of the file, for comparison.
fn value_of(item: &Item) -> Json {
    let table = |table: &dyn TableLike| {
        Json::Object(table.iter().map(|(name, item)| (name.to_owned(), value_of(item))).collect::<Map<_, _>>())
    };
    match item {
        Item::None => Json::Null,
        Item::Table(found) => table(found),
        Item::ArrayOfTables(tables) => Json::Array(tables.iter().map(|found| table(found)).collect()),
        Item::Value(Value::InlineTable(found)) => table(found),
        Item::Value(Value::Array(list)) => Json::Array(list.iter().map(|value| value_of(&Item::Value(value.clone()))).collect()),
        Item::Value(Value::String(text)) => json!(text.value()),
        Item::Value(Value::Boolean(truth)) => json!(truth.value()),
        Item::Value(Value::Integer(number)) => json!(number.value()),
        // Kept as text, because not every such number can be compared.
        Item::Value(Value::Float(number)) => json!(format!("float {}", number.value())),
        Item::Value(Value::Datetime(time)) => json!(format!("time {}", time.value())),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    const ENTRY: &str = "[mcp_servers.keepsake]\ncommand = \"/opt/keepsake\"\nargs = [\"mcp\", \"--agent\", \"a\"]";

    fn server() -> ServerCommand {
        ServerCommand::new(Path::new("/opt/keepsake"), "a", None).unwrap()
    }

    fn connected(text: &str) -> String {
        let edited = connect(text, &server()).unwrap();
        assert_eq!(edited.other, None);
        edited.text
    }

    #[test]
    fn the_entry_comes_and_goes_to_the_byte() {
        let check = |before: &str, expect: &str| {
            let after = connected(before);
            assert_eq!(after, expect, "{before:?}");
            assert_eq!(connected(&after), after, "a second time changes nothing");
            assert_eq!(disconnect(&after, &server()).unwrap(), Edited::ours(before.to_owned()), "undone");
        };
        check("", &format!("{ENTRY}\n"));
        check(
            "model = \"x\" # mine\n",
            &format!(
                r#"model = "x" # mine

{ENTRY}
"#
            ),
        );
        check("model = \"x\"", &format!("model = \"x\"\n\n{ENTRY}"));
        check(
            "# only a note\n",
            &format!(
                "# only a note

{ENTRY}
"
            ),
        );
        check(
            r#"[mcp_servers.other]
command = 'npx' # c
[mcp_servers.other.env]
A = "1"

# the end
"#,
            &format!(
                r#"[mcp_servers.other]
command = 'npx' # c
[mcp_servers.other.env]
A = "1"

# the end

{ENTRY}
"#
            ),
        );
        check(
            "[mcp_servers]\nother.command = \"x\"\n",
            &format!(
                r#"[mcp_servers]
other.command = "x"

{ENTRY}
"#
            ),
        );
        check(
            "mcp_servers.other.command = \"x\"\n",
            &format!(
                r#"mcp_servers.other.command = "x"

{ENTRY}
"#
            ),
        );
        check(
            "[[hooks.Stop]]\nmatcher = \"*\"\n",
            &format!(
                r#"[[hooks.Stop]]
matcher = "*"

{ENTRY}
"#
            ),
        );
        check("a = 1\r\n", &format!("a = 1\r\n\r\n{}\r\n", ENTRY.replace('\n', "\r\n")));
    }

    #[test]
    fn what_codex_adds_to_the_entry_goes_with_it_and_the_rest_stays() {
        let text = format!(
            r#"a = 1

# mine
{ENTRY} # note
startup_timeout_sec = 20

# of the next
[other]
b = 2

[mcp_servers.keepsake.tools.context]
approval_mode = "approve"

[last]
c = [
  3,
]
"#
        );
        let expect = "a = 1

# mine

# of the next
[other]
b = 2

[last]
c = [
  3,
]
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
            r#"[mcp_servers.keepsake]
args = [
  "mcp",
] # a
enabled = false
command = '/old/keepsake' # c

[x]
"#,
            r#"[mcp_servers.keepsake]
args = ["mcp", "--agent", "a"] # a
enabled = false
command = "/opt/keepsake" # c

[x]
"#,
        );
        check(
            "mcp_servers = { keepsake = { command = \"keepsake\", args = [\"mcp\"] } }\n",
            "mcp_servers = { keepsake = { command = \"/opt/keepsake\", args = [\"mcp\", \"--agent\", \"a\"] } }\n",
        );
    }

    #[test]
    fn somebody_elses_entry_is_marked_and_never_removed() {
        let check = |entry: &str, expect: &str| {
            let text = format!(
                "a = 1

[mcp_servers.keepsake]
{entry}

[b]
c = 1
"
            );
            let edited = connect(&text, &server()).unwrap();
            assert_eq!(edited.other.as_deref(), Some(expect));
            assert_eq!(
                edited.text,
                format!(
                    "a = 1

[b]
c = 1

{ENTRY}
"
                )
            );
            assert_eq!(disconnect(&text, &server()).unwrap(), Edited { text, other: Some(expect.to_owned()) });
        };
        check("command = \"npx\"\nargs = [\"keepsake\"]", "npx");
        check("url = \"https://example.com/?key=secret\"", "a server at an address");
        check("enabled = true", "nothing that Keepsake knows");
    }

    #[test]
    fn what_cannot_be_edited_is_refused() {
        let check = |text: &str, expect: &Fault| assert_eq!(&connect(text, &server()).unwrap_err(), expect, "{text}");
        check("a = \n", &Fault::Broken(1, 5));
        check(
            "[x]
a = 1
a = 2
",
            &Fault::Broken(3, 1),
        );
        check("mcp_servers = 1\n", &Fault::unexpected("'mcp_servers' is not a table"));
        check(
            "mcp_servers = { other = { command = \"x\" } }\n",
            &Fault::unexpected("'mcp_servers' is written within braces, where nothing can be added safely"),
        );
    }

    #[test]
    fn hooks_in_the_file_are_seen() {
        let check = |text: &str, expect: (bool, bool)| assert_eq!(codex_hooks(text), expect, "{text}");
        check("", (false, false));
        check("[hooks.state.x]\nenabled = true\n", (false, false));
        check(
            r#"[[hooks.Stop]]
[[hooks.Stop.hooks]]
type = "command"
"#,
            (true, false),
        );
        check("[features]\nhooks = false\n", (false, true));
        check("[features]\ncodex_hooks = true\n", (false, false));
        check("broken", (false, false));
    }
}
