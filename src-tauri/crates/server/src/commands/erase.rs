//! `keepsake erase`: what a conversation or a person left goes for good, with a receipt.

use keepsake_api::dispatch;
use serde_json::{Value, json};

use super::app;
use crate::args::{Args, EraseTarget};
use crate::output::{Failure, Output};

/// Erases, or says what would go.
pub(crate) fn run(args: &Args, what: &EraseTarget, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    let (command, id, dry_run) = match what {
        EraseTarget::Conversation { conversation, dry_run } => {
            ("conversation_erase", super::conversation(app.engine(), conversation)?.to_string(), *dry_run)
        }
        EraseTarget::Person { person, dry_run } => ("person_erase", app.engine().person_named(person)?.to_string(), *dry_run),
    };
    let preview = dispatch(&app, &format!("{command}_preview"), json!({ "id": id }))?;
    if dry_run {
        return if output.is_json() { output.json(&preview) } else { say(output, "Would erase", &preview) };
    }
    let receipt = dispatch(&app, command, json!({ "id": id }))?;
    if output.is_json() {
        return output.json(&receipt);
    }
    say(output, "Erased", &receipt)?;
    output.line(if receipt["is_pending"] == true {
        "Pending: somebody still reads the file; `keepsake run-jobs` sees it through when they are done"
    } else {
        "The files of the data folder hold nothing of it any more, Keepsake's own backups included; backups and exports that you made \
         yourself may still hold it, and copies made by the system or the disk are beyond this program"
    })
}

fn say(output: &mut Output, verb: &str, counts: &Value) -> Result<(), Failure> {
    output.line(format!(
        "{verb} {} messages, {} whole conversations and {} memories",
        counts["messages"], counts["conversations"], counts["memories"]
    ))?;
    if let Some(shortened) = counts["shortened"].as_u64().filter(|count| *count > 0) {
        output.line(format!("{shortened} conversations with others lose these messages and stay"))?;
    }
    Ok(())
}
