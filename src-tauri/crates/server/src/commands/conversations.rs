//! `keepsake conversations`, `private`, `analyze`.

use keepsake_api::{analyses_of, dispatch};
use keepsake_engine::{AnalyzeStart, EmbedderSlot, Unwatched};
use serde_json::json;

use super::{app, conversation, engine, model_dir};
use crate::args::{Args, Automatic, Existing, OnOff};
use crate::output::{Failure, Output};

/// What the receipt of an erasure adds while it is not seen through.
const ERASURE_PENDING: &str =
    "; the erasure is pending until whoever still reads the file is done: `keepsake run-jobs` finishes it";

/// Lists conversations, one a line.
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
            let private = if row["is_private"] == true { "  (private)" } else { "" };
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

/// Turns a conversation private or back.
pub(crate) fn private(
    args: &Args,
    text: &str,
    state: OnOff,
    (existing, use_private_time): (Existing, bool),
    output: &mut Output,
) -> Result<(), Failure> {
    if state == OnOff::On && use_private_time {
        return Err(Failure::new("--use-private-time goes with \"off\": nothing is used while a conversation is private"));
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
            "Private now: {} memories hidden, {} erased{}",
            outcome["hidden"],
            outcome["erased"],
            if outcome["is_erasure_pending"] == true { ERASURE_PENDING } else { "" }
        ),
        OnOff::Off => match (before["private_time_messages"].as_u64().unwrap_or_default(), use_private_time) {
            (0, _) => "No longer private".to_owned(),
            (count, true) => format!("No longer private; {count} messages from the private time are used from now on"),
            (count, false) => format!(
                "No longer private; {count} messages from the private time are not used (keepsake private {text} off \
                 --use-private-time uses them)"
            ),
        },
    })
}

/// Shows whether ended conversations are analysed by themselves, or chooses it.
pub(crate) fn analysis_settings(args: &Args, automatic: Option<Automatic>, output: &mut Output) -> Result<(), Failure> {
    let engine = engine(args, EmbedderSlot::none())?;
    let rules = match automatic {
        Some(choice) => engine.set_automatic_analysis(choice == Automatic::On)?,
        None => engine.analysis_rules()?,
    };
    let since = rules.since.map(|since| rfc3339(since.0));
    if output.is_json() {
        return output.json(&json!({ "automatic": rules.automatic, "since": since }));
    }
    output.line(match (rules.automatic, since) {
        (false, _) => "A conversation is analysed as a whole when somebody asks (keepsake analyze)".to_owned(),
        (true, None) => "A conversation is analysed as a whole once it has ended".to_owned(),
        (true, Some(since)) => {
            format!("A conversation that goes on after {since} is analysed as a whole once it has ended")
        }
    })
}

/// Analyze Now, to its end.
pub(crate) fn analyze(args: &Args, text: &str, force: bool, output: &mut Output) -> Result<(), Failure> {
    let engine = engine(args, EmbedderSlot::load(&model_dir()))?;
    let id = conversation(&engine, text)?;
    match engine.analyze_obstacle(&id, force)? {
        None => {
            engine.analyze_now(&id, &Unwatched)?;
        }
        Some(AnalyzeStart::Private) => return Err(Failure::new("this conversation is private, so it is never analysed")),
        Some(AnalyzeStart::TooShort { messages }) => {
            return Err(Failure::new(format!(
                "this conversation has {messages} messages and says too little; --force analyses it all the same"
            )));
        }
        Some(AnalyzeStart::NothingNew(_)) => {
            if !output.is_json() {
                output.line("Nothing new since last time; --force runs it again")?;
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
