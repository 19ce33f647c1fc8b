//! `keepsake conversations`, `private`, `analyze`.

use keepsake_api::{analyses_of, dispatch};
use keepsake_engine::{AnalyzeStart, EmbedderSlot, Unwatched};
use serde_json::json;

use super::{app, conversation, engine, model_dir};
use crate::args::{Args, Automatic, Existing, OnOff};
use crate::output::{Failure, Output};

/// Added to the receipt of an incomplete erasure.
const ERASURE_PENDING: &str =
    "; the erasure is pending because another program is still reading the file: run `keepsake run-jobs` afterwards to finish it";

/// Lists conversations, one per line.
pub(crate) fn list(args: &Args, limit: Option<u32>, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    let listed = dispatch(&app, "conversations_list", json!({ "limit": limit.unwrap_or(0) }))?;
    for row in listed["items"].as_array().into_iter().flatten() {
        if output.is_json() {
            let mut shown = row.clone();
            for time in ["first", "last"] {
                shown[time] = json!(rfc3339(row[time].as_i64().unwrap_or(0)));
            }
            output.json(&shown)?;
        } else {
            let private = if row["is_private"] == true { "  (excluded)" } else { "" };
            output.line(format!(
                "{}  {:<10} {:>6} messages  {}{private}",
                row["id"].as_str().unwrap_or_default(),
                row["channel_type"].as_str().unwrap_or_default(),
                row["messages"],
                row["title"].as_str().unwrap_or_default()
            ))?;
        }
    }
    Ok(())
}

fn rfc3339(ms: i64) -> String {
    keepsake_engine::rfc3339(keepsake_domain::Timestamp(ms))
}

/// Excludes a conversation from memory, or allows its use again.
pub(crate) fn private(
    args: &Args,
    text: &str,
    state: OnOff,
    (existing, use_private_time): (Existing, bool),
    output: &mut Output,
) -> Result<(), Failure> {
    if state == OnOff::On && use_private_time {
        return Err(Failure::new(
            "--use-private-time works only with \"off\": no message is used while a conversation is excluded from memory",
        ));
    }
    let app = app(args)?;
    let id = conversation(app.engine(), text)?;
    let existing = match existing {
        Existing::Keep => "keep",
        Existing::Hide => "hide",
        Existing::Erase => "erase",
    };
    let request = json!({ "id": id, "private": state == OnOff::On, "existing": existing, "use_private_time": use_private_time });
    let before = dispatch(&app, "conversation_privacy_preview", json!({ "id": id }))?;
    let outcome = dispatch(&app, "conversation_set_private", request)?;
    if output.is_json() {
        return output.json(&outcome);
    }
    output.line(match state {
        OnOff::On => format!(
            "Excluded from memory: {} memories hidden, {} erased{}",
            outcome["hidden"],
            outcome["erased"],
            if outcome["is_erasure_pending"] == true { ERASURE_PENDING } else { "" }
        ),
        OnOff::Off => match (before["private_time_messages"].as_u64().unwrap_or_default(), use_private_time) {
            (0, _) => "Used for memory again".to_owned(),
            (count, true) => format!("Used for memory again, including {count} messages that arrived while it was excluded"),
            (count, false) => format!(
                "Used for memory again, except {count} messages that arrived while it was excluded (to use them: keepsake \
                 private {text} off --use-private-time)"
            ),
        },
    })
}

/// Shows or sets whether conversations are analyzed automatically after they end.
pub(crate) fn analysis_settings(args: &Args, automatic: Option<Automatic>, output: &mut Output) -> Result<(), Failure> {
    let engine = engine(args, EmbedderSlot::none())?;
    let rules = match automatic {
        Some(choice) => engine.conversations().set_automatic_analysis(choice == Automatic::On)?,
        None => engine.conversations().analysis_rules()?,
    };
    let since = rules.since.map(|since| rfc3339(since.0));
    if output.is_json() {
        return output.json(&json!({ "automatic": rules.automatic, "since": since }));
    }
    output.line(match (rules.automatic, since) {
        (false, _) => "Conversations are analyzed only on request (keepsake analyze)".to_owned(),
        (true, None) => "A conversation is analyzed once it has ended".to_owned(),
        (true, Some(since)) => {
            format!("A conversation with messages after {since} is analyzed once it has ended")
        }
    })
}

/// Analyzes a conversation and waits for the result.
pub(crate) fn analyze(args: &Args, text: &str, force: bool, output: &mut Output) -> Result<(), Failure> {
    let engine = engine(args, EmbedderSlot::at(&model_dir()))?;
    let id = conversation(&engine, text)?;
    match engine.conversations().analyze_obstacle(&id, force)? {
        None => {
            engine.conversations().analyze_now(&id, &Unwatched)?;
        }
        Some(AnalyzeStart::Private) => {
            return Err(Failure::new(
                "this conversation is excluded from memory, so it is never analyzed; `keepsake private CONVERSATION off` uses \
                 it for memory again",
            ));
        }
        Some(AnalyzeStart::TooShort { messages }) => {
            return Err(Failure::new(format!(
                "this conversation has only {messages} messages, which is too short to analyze; use --force to analyze it anyway"
            )));
        }
        Some(AnalyzeStart::NothingNew(_)) => {
            if !output.is_json() {
                output.line("Nothing is new since the last analysis; use --force to analyze again")?;
            }
        }
        Some(AnalyzeStart::Queued(_)) => {}
    }
    drop(engine);
    let app = app(args)?;
    let Some(latest) = analyses_of(&app, &id)?.into_iter().next() else { return Ok(()) };
    if output.is_json() {
        return output.json(&latest);
    }
    for sentence in &latest.summary {
        match sentence.author.as_str() {
            "" => output.line(&sentence.text)?,
            author => output.line(format!("{author}: {}", sentence.text))?,
        }
    }
    output.line(format!("Themes: {}", latest.themes.join(", ")))?;
    let arc: Vec<String> = latest.arc.iter().map(|point| format!("{} {}", point.stage, point.mood)).collect();
    for (name, told) in [("Tone", &latest.tone), ("Arc", &arc.join(", "))] {
        if !told.is_empty() {
            output.line(format!("{name}: {told}"))?;
        }
    }
    output.line(format!("Participants: {}", latest.participants.join(", ")))?;
    output.line(format!("Key topics: {}", latest.key_topics.join(", ")))?;
    let proposed: Vec<String> = latest.proposed.iter().map(|count| format!("{} {}", count.count, count.name)).collect();
    output.line(format!("Proposed: {}", if proposed.is_empty() { "nothing".to_owned() } else { proposed.join(", ") }))
}
