//! Commands for sessions with agents and the tiers of long-term memory: list and export them, end a session, and set people's
//! roles.

use std::collections::BTreeSet;
use std::path::Path;

use keepsake_api::{App, dispatch};
use keepsake_domain::InteractionId;
use keepsake_engine::EmbedderSlot;
use serde_json::{Map, Value, json};

use super::{app, conversation, engine};
use crate::args::{Args, SummariesArgs, TiersArgs};
use crate::output::{Failure, Output};

/// Maximum length of a file name, in characters. Some file systems reject longer paths.
const FILE_NAME_CHARS_MAX: usize = 80;

/// Names reserved by Windows.
const RESERVED: [&str; 10] = ["con", "prn", "aux", "nul", "com1", "com2", "com3", "lpt1", "lpt2", "lpt3"];

/// The lists in a session record. Each has a name on the command line and contains one or more fields of the summary.
const LISTS: [(&str, &[&str]); 9] = [
    ("relationship_notes", &["relationship_notes"]),
    ("active_goals", &["active_goals"]),
    ("heard", &["heard"]),
    ("said", &["said"]),
    ("did", &["did"]),
    ("facts_learned", &["facts_learned", "knowledge_learned"]),
    ("preferences_noted", &["preferences_noted"]),
    ("errors_encountered", &["errors_encountered"]),
    ("follow_ups", &["follow_ups"]),
];

/// Lists session records, or writes them to files.
pub(crate) fn summaries(args: &Args, wanted: &SummariesArgs, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    if wanted.rebuild {
        dispatch(&app, "sessions_rebuild", Value::Null)?;
        return if output.is_json() {
            output.json(&json!({ "status": "queued" }))
        } else {
            output.line(
                "All session summaries and tiers were deleted; they are rebuilt when the queued jobs run (keepsake run-jobs)",
            )
        };
    }
    let listed = dispatch(&app, "sessions_list", json!({ "agent": wanted.agent }))?;
    let rows: Vec<&Value> = listed["items"].as_array().into_iter().flatten().collect();
    let Some(dir) = &wanted.export else {
        for row in rows {
            if output.is_json() {
                output.json(&record(&app, row)?)?;
            } else {
                output.line(format!(
                    "{}  {}  {}/5  {:<10}  {}: {} (by {})",
                    text(row, "id"),
                    day(row["last"].as_i64().unwrap_or(0)),
                    row["significance"],
                    text(row, "outcome"),
                    text(row, "agent"),
                    text(row, "intent"),
                    made_by(text(row, "proposer")),
                ))?;
            }
        }
        return Ok(());
    };
    let mut names = FileNames::default();
    let mut agents: Vec<&str> = Vec::new();
    for row in &rows {
        if !agents.contains(&text(row, "agent")) {
            agents.push(text(row, "agent"));
        }
    }
    agents.sort_unstable();
    let mut files = Vec::new();
    for agent in agents {
        let mut lines = String::new();
        // Oldest first, as if each record had been appended.
        for row in rows.iter().rev().filter(|row| text(row, "agent") == agent) {
            lines.push_str(&record(&app, row)?.to_string());
            lines.push('\n');
        }
        let path = dir.join(format!("{}_conversations.jsonl", names.of(agent)));
        write(&path, &lines)?;
        files.push(path.display().to_string());
    }
    written(&files, output)
}

/// Describes in words who proposed a record: the built-in rules, or the model and prompt.
fn made_by(proposer: &str) -> &str {
    if proposer.starts_with("builtin") { "built-in" } else { proposer }
}

/// A session record as JSON: its fields, and the lines that support them.
fn record(app: &App, row: &Value) -> Result<Value, Failure> {
    let detail = dispatch(app, "session_get", json!({ "id": row["id"] }))?;
    let items: Vec<&Value> = detail["items"].as_array().into_iter().flatten().collect();
    let of =
        |fields: &[&str]| -> Vec<&Value> { items.iter().copied().filter(|item| fields.contains(&text(item, "field"))).collect() };
    let mut evidence = Vec::new();
    let (mut first, mut last) = (Value::Null, Value::Null);
    app.engine().store().read(|tx| {
        let source = |id: &str| -> Result<Value, keepsake_store::StoreError> {
            let Ok(id) = id.parse::<InteractionId>() else { return Ok(Value::Null) };
            Ok(tx.log().interaction(&id)?.map_or(
                Value::Null,
                |row| json!({ "kind": row.source_kind, "conversation": row.source_conversation, "message": row.source_message }),
            ))
        };
        for item in &items {
            let line = &item["line"];
            evidence.push(json!({
                "field": item["field"], "text": item["text"], "source": source(text(line, "message_id"))?,
                "start": line["start"], "end": line["end"],
            }));
        }
        if let Ok(id) = text(row, "id").parse() {
            let session = tx.sessions().session(&id)?;
            first = source(session.first.as_str())?;
            last = source(session.last.as_str())?;
        }
        Ok(())
    })?;
    let mut out = Map::new();
    for (key, value) in [
        ("id", row["id"].clone()),
        ("agent", row["agent"].clone()),
        ("user", row["user"].clone()),
        ("intent", row["intent"].clone()),
        ("technical_depth", row["technical_depth"].clone()),
        ("user_mood", row["user_mood"].clone()),
        ("significance", row["significance"].clone()),
        ("outcome", row["outcome"].clone()),
        ("distilled", row["is_distilled"].clone()),
        ("messages", row["messages"].clone()),
        ("first", row["first"].clone()),
        ("last", row["last"].clone()),
        ("proposer", row["proposer"].clone()),
    ] {
        out.insert(key.to_owned(), value);
    }
    for (name, fields) in LISTS {
        out.insert(name.to_owned(), of(fields).iter().map(|item| item["text"].clone()).collect());
    }
    let tools = of(&["tools_used"]);
    let tools = tools.iter().map(|item| json!({ "name": item["name"], "purpose": item["text"], "uses": item["uses"] }));
    out.insert("tools_used".to_owned(), tools.collect());
    out.insert("source".to_owned(), first.clone());
    out.insert("source_range".to_owned(), json!({ "first": first, "last": last }));
    out.insert("evidence".to_owned(), Value::Array(evidence));
    Ok(Value::Object(out))
}

/// Marks the end of a session.
pub(crate) fn end(args: &Args, text: &str, agent: Option<&str>, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    let id = conversation(app.engine(), text)?;
    let ended = dispatch(&app, "session_end", json!({ "conversation_id": id, "agent": agent }))?;
    if output.is_json() {
        return output.json(&json!({ "conversation": id, "is_new": ended["is_new"] }));
    }
    output.line(if ended["is_new"] == true {
        "The session has ended; it is summarized when the queued jobs run (keepsake run-jobs)"
    } else {
        "The session was already marked as ended"
    })
}

/// Prints the tiers, or writes them to files.
pub(crate) fn tiers(args: &Args, wanted: &TiersArgs, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    let asked = json!({ "agent": wanted.agent, "person": wanted.user, "channel": wanted.channel, "role": wanted.role });
    let found = dispatch(&app, "tiers_get", asked)?;
    let tiers: Vec<&Value> = found["tiers"].as_array().into_iter().flatten().collect();
    if let Some(dir) = &wanted.export {
        let mut names = FileNames::default();
        let mut files = Vec::new();
        for tier in tiers.iter().filter(|tier| tier["is_allowed"] == true) {
            let agent = names.of(text(tier, "agent"));
            let path = match text(tier, "tier") {
                "shared" => dir.join("shared_long_term.md"),
                "agent" => dir.join(format!("{agent}_long_term.md")),
                _ => dir.join(file_name(text(tier, "user"))).join(format!("{agent}_memory.md")),
            };
            write(&path, text(tier, "text"))?;
            files.push(path.display().to_string());
        }
        return written(&files, output);
    }
    if output.is_json() {
        return output.json(&found);
    }
    for tier in tiers {
        let whose =
            [text(tier, "user"), text(tier, "agent")].into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>().join(", ");
        let whose = if whose.is_empty() { String::new() } else { format!(" ({whose})") };
        let left = tier["left_out"].as_array().map_or(0, Vec::len);
        output.line(format!(
            "# {}{whose}: {} of {} characters, {left} left out",
            text(tier, "tier"),
            tier["chars"],
            tier["budget"]
        ))?;
        if tier["is_allowed"] != true {
            output.line("Not served to guests.")?;
        }
        output.text(text(tier, "text"))?;
        output.line("")?;
    }
    Ok(())
}

/// Sets a person's role.
pub(crate) fn role(args: &Args, person: &str, role: &str, output: &mut Output) -> Result<(), Failure> {
    let id = engine(args, EmbedderSlot::none())?.erasure().person_named(person)?;
    let app = app(args)?;
    dispatch(&app, "person_role_set", json!({ "id": id, "role": role }))?;
    if output.is_json() {
        output.json(&json!({ "person": id, "role": role }))
    } else {
        output.line(format!("{person} is now a {role}"))
    }
}

fn written(files: &[String], output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        return output.json(&json!({ "files": files }));
    }
    files.iter().try_for_each(|file| output.line(format!("Wrote {file}")))
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::new(format!("cannot write {}: {error}; choose another folder", path.display()));
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(failed)?;
    }
    std::fs::write(path, text).map_err(failed)
}

/// Converts to a file name that is valid on any system: letters, digits, `-`, `_`, and single dots inside.
fn file_name(name: &str) -> String {
    let mut safe: String = name
        .trim()
        .to_lowercase()
        .chars()
        .map(|c| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' })
        .collect();
    safe = safe.trim_matches('.').chars().take(FILE_NAME_CHARS_MAX).collect();
    while safe.contains("..") {
        safe = safe.replace("..", ".");
    }
    if safe.is_empty() || RESERVED.contains(&safe.as_str()) {
        safe.insert(0, '_');
    }
    safe
}

/// Assigns file names so that different names result in different files.
#[derive(Default)]
struct FileNames {
    given: Vec<(String, String)>,
    taken: BTreeSet<String>,
}

impl FileNames {
    fn of(&mut self, name: &str) -> String {
        if let Some((_, given)) = self.given.iter().find(|(known, _)| known == name) {
            return given.clone();
        }
        let plain = file_name(name);
        let free = (2..).map(|n| format!("{plain}_{n}"));
        let given = std::iter::once(plain.clone()).chain(free).find(|name| !self.taken.contains(name)).unwrap_or(plain);
        self.taken.insert(given.clone());
        self.given.push((name.to_owned(), given.clone()));
        given
    }
}

fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value[field].as_str().unwrap_or_default()
}

fn day(ms: i64) -> String {
    keepsake_engine::rfc3339(keepsake_domain::Timestamp(ms)).chars().take(10).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_safe_file_name_and_no_two_share_one() {
        let check = |name: &str, expect: &str| assert_eq!(file_name(name), expect, "{name:?}");
        check("Nova", "nova");
        check("../../etc/passwd", "_.._etc_passwd".replace("..", ".").as_str());
        check("a/b\\c:d", "a_b_c_d");
        check("", "_");
        check("...", "_");
        check("CON", "_con");
        check("Zoë 🙂", "zoë__");
        check(&"x".repeat(300), &"x".repeat(FILE_NAME_CHARS_MAX));
        let mut names = FileNames::default();
        assert_eq!([names.of("a b"), names.of("a/b"), names.of("a b")], ["a_b", "a_b_2", "a_b"]);
    }
}
