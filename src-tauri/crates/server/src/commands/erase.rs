//! `keepsake erase` and `keepsake imports undo`: remove a conversation, a person or what an import added, and print a receipt.

use keepsake_api::{App, dispatch};
use serde_json::{Value, json};

use super::app;
use crate::args::{Args, EraseTarget, ImportsCommand};
use crate::output::{Failure, Output};

/// Erases, or shows what would be erased.
pub(crate) fn run(args: &Args, what: &EraseTarget, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    let (command, id, dry_run) = match what {
        EraseTarget::Conversation { conversation, dry_run } => {
            ("conversation_erase", super::conversation(app.engine(), conversation)?.to_string(), *dry_run)
        }
        EraseTarget::Person { person, dry_run } => {
            ("person_erase", app.engine().erasure().person_named(person)?.to_string(), *dry_run)
        }
    };
    erase(&app, command, &id, dry_run, output)
}

/// Lists imports, or undoes one.
pub(crate) fn imports(args: &Args, command: Option<&ImportsCommand>, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    if let Some(ImportsCommand::Undo { id, dry_run }) = command {
        return erase(&app, "import_undo", id, *dry_run, output);
    }
    let list = dispatch(&app, "imports_list", Value::Null)?;
    for row in list["items"].as_array().into_iter().flatten() {
        if output.is_json() {
            output.json(row)?;
            continue;
        }
        let field = |name: &str| row[name].as_str().unwrap_or_default();
        let (imported, seen) = (&row["imported"], &row["seen"]);
        output.line(format!(
            "{}  {}  {}  {imported} of {seen} imported  {}",
            field("id"),
            field("kind"),
            field("state"),
            field("name")
        ))?;
    }
    Ok(())
}

/// Shows what would be removed, or removes it.
fn erase(app: &App, command: &str, id: &str, dry_run: bool, output: &mut Output) -> Result<(), Failure> {
    let preview = dispatch(app, &format!("{command}_preview"), json!({ "id": id }))?;
    if dry_run {
        return if output.is_json() { output.json(&preview) } else { say(output, "Would erase", &preview) };
    }
    let receipt = dispatch(app, command, json!({ "id": id }))?;
    if output.is_json() {
        return output.json(&receipt);
    }
    say(output, "Erased", &receipt)?;
    output.line(if receipt["is_pending"] == true {
        "Pending: another program is still reading the file; run `keepsake run-jobs` afterwards to finish the erasure"
    } else {
        "Nothing of it is left in the data folder, including Keepsake's own backups. Backups and exports that you made yourself \
         may still contain it, and Keepsake cannot reach copies made by the system or the disk"
    })
}

fn say(output: &mut Output, verb: &str, counts: &Value) -> Result<(), Failure> {
    output.line(format!(
        "{verb} {} messages, {} whole conversations and {} memories",
        counts["messages"], counts["conversations"], counts["memories"]
    ))?;
    if let Some(shortened) = counts["shortened"].as_u64().filter(|count| *count > 0) {
        output.line(format!("{shortened} conversations with other people are kept without these messages"))?;
    }
    Ok(())
}
