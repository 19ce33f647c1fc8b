//! `keepsake speakers`: unidentified speakers of meetings.

use keepsake_api::dispatch;
use keepsake_engine::EmbedderSlot;
use serde_json::json;

use super::{app, engine};
use crate::args::{Args, SpeakerArgs, SpeakersCommand};
use crate::output::{Failure, Output};

/// Lists the speakers, or identifies one.
pub(crate) fn run(args: &Args, command: Option<&SpeakersCommand>, output: &mut Output) -> Result<(), Failure> {
    match command {
        None | Some(SpeakersCommand::List) => list(args, output),
        Some(SpeakersCommand::Identify(wanted)) => identify(args, wanted, output),
    }
}

/// Lists the speakers that transcripts do not name, one per line, including speakers the person has already identified.
fn list(args: &Args, output: &mut Output) -> Result<(), Failure> {
    let engine = engine(args, EmbedderSlot::none())?;
    for voice in engine.people().unidentified_speakers(None)? {
        let (handle, conversation) = engine.store().read(|tx| {
            let handle = tx.people().handle(&voice.handle)?;
            Ok((handle, tx.log().conversation(&voice.conversation)?))
        })?;
        let address = format!("{}:{}", handle.channel_type, handle.handle);
        let status = match (&voice.name, voice.is_left) {
            (Some(_), _) => "named",
            (None, true) => "left",
            (None, false) => "open",
        };
        if output.is_json() {
            output.json(&json!({
                "id": voice.handle, "handle": address, "label": voice.label, "name": voice.name, "is_owner": voice.is_owner,
                "status": status, "messages": voice.messages,
                "conversation": { "id": conversation.id, "title": conversation.title },
            }))?;
        } else {
            let title = conversation.title.as_deref().unwrap_or(&conversation.channel_id);
            let name = voice.name.as_deref().map(|name| format!("  {name}")).unwrap_or_default();
            output.line(format!("{status:<6}{:>5} messages  {address}  in \"{title}\"{name}", voice.messages))?;
        }
    }
    Ok(())
}

/// Identifies a speaker.
fn identify(args: &Args, wanted: &SpeakerArgs, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    let who = &wanted.who;
    let answer = match (who.me, &who.person, &who.name, who.leave) {
        (true, ..) => "owner",
        (_, Some(_), ..) => "person",
        (_, _, Some(_), _) => "name",
        (.., true) => "leave",
        _ => "open",
    };
    // The effect of a link is computed first and always printed.
    let preview = who
        .person
        .as_ref()
        .map(|person| dispatch(&app, "link_preview", json!({ "a": wanted.handle, "b": person })))
        .transpose()?;
    let request = json!({ "handle": wanted.handle, "answer": answer, "person": who.person, "name": who.name });
    dispatch(&app, "voice_answer", request)?;
    let opened =
        preview.map(|preview| preview["newly_visible"].clone()).and_then(|places| places.as_array().cloned()).unwrap_or_default();
    if output.is_json() {
        return output.json(&json!({ "handle": wanted.handle, "answer": answer, "newly_visible": opened }));
    }
    output.line(match answer {
        "owner" => format!("{} is you; `keepsake run-jobs` reads the messages again", wanted.handle),
        "leave" => format!("{} stays unidentified", wanted.handle),
        "open" => format!("{} is unidentified again", wanted.handle),
        _ => format!("{} is identified; `keepsake run-jobs` reads the messages again", wanted.handle),
    })?;
    super::people::say_opened(output, &opened)
}
