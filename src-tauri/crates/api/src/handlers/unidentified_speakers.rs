//! Commands for unidentified speakers: the list, and who the person says they are.

use std::collections::HashMap;

use keepsake_domain::{ConversationId, HandleId, LinkAnswer};
use keepsake_engine::SpeakerAnswer;
use keepsake_store::{InteractionRow, ReadTx, Result as StoreResult, UnidentifiedSpeakerRow};

use super::lines::line;
use super::people::named_handle;
use super::title_or_stand_in;
use crate::app::App;
use crate::error::ApiError;
use crate::types::Nothing;
use crate::types::lines::LineView;
use crate::types::unidentified_speakers::*;

/// Number of lines shown to recognize a speaker: the longest of the latest messages.
const LINES: usize = 3;

/// Number of latest messages from which these lines are chosen.
const LOOKED_THROUGH: u32 = 60;

fn lines(tx: &ReadTx<'_>, voice: &HandleId) -> StoreResult<Vec<LineView>> {
    let mut said = tx.people().lines_of_handles(std::slice::from_ref(voice), LOOKED_THROUGH)?;
    said.sort_by_key(|row| std::cmp::Reverse(row.content.chars().count()));
    said.truncate(LINES);
    said.sort_by_key(|row| (row.time, row.seq));
    said.iter().map(|row: &InteractionRow| line(tx, row, None)).collect()
}

/// For each handle in a confirmed link, the other handle.
fn linked(tx: &ReadTx<'_>) -> StoreResult<HashMap<HandleId, HandleId>> {
    let links = tx.people().link_decisions()?.into_iter().filter(|link| link.answer == LinkAnswer::Same);
    Ok(links.flat_map(|link| [(link.a.clone(), link.b.clone()), (link.b, link.a)]).collect())
}

pub(crate) fn voices_list(app: &App, request: VoicesRequest) -> Result<VoicesResponse, ApiError> {
    let of: Option<ConversationId> = request.conversation_id.as_deref().map(str::parse).transpose()?;
    Ok(app.engine().store().read(|tx| {
        let voices = tx.people().unidentified_speakers(of.as_ref())?;
        let linked = if voices.is_empty() { HashMap::new() } else { linked(tx)? };
        let mut meetings = Vec::new();
        for voices in voices.chunk_by(|a, b| a.conversation == b.conversation) {
            let open = voices.iter().filter(|voice| voice.is_open()).count() as u32;
            let Some(first) = voices.first().filter(|_| of.is_some() || open > 0) else { continue };
            let conversation = tx.log().conversation(&first.conversation)?;
            let view = |voice: &UnidentifiedSpeakerRow| -> StoreResult<VoiceView> {
                Ok(VoiceView {
                    handle: voice.handle.to_string(),
                    label: voice.label.clone(),
                    name: voice.name.clone(),
                    is_owner: voice.is_owner,
                    linked: linked.get(&voice.handle).map(HandleId::to_string),
                    is_left: voice.is_left,
                    messages: voice.messages,
                    first: voice.first.0,
                    lines: if of.is_some() { lines(tx, &voice.handle)? } else { Vec::new() },
                })
            };
            meetings.push(MeetingView {
                conversation_id: conversation.id.to_string(),
                title: title_or_stand_in(conversation.title.as_deref()),
                time: conversation.first.0,
                open,
                voices: voices.iter().map(view).collect::<StoreResult<_>>()?,
            });
        }
        Ok(VoicesResponse { meetings })
    })?)
}

pub(crate) fn voice_answer(app: &App, request: VoiceAnswerRequest) -> Result<Nothing, ApiError> {
    let voice = named_handle(app, &request.handle)?;
    let missing = |what: &str| ApiError::invalid(format!("the answer '{}' needs {what}", request.answer));
    let answer = match request.answer.as_str() {
        "owner" => SpeakerAnswer::Owner,
        "person" => SpeakerAnswer::Person(named_handle(app, request.person.as_deref().ok_or_else(|| missing("a person"))?)?),
        "name" => SpeakerAnswer::Name(request.name.clone().ok_or_else(|| missing("a name"))?),
        "leave" => SpeakerAnswer::Leave,
        "open" => SpeakerAnswer::Open,
        other => return Err(ApiError::invalid(format!("'{other}' is not an answer; use owner, person, name, leave or open"))),
    };
    app.engine().people().answer_speaker(&voice, &answer)?;
    app.engine().people().queue_profiles()?;
    Ok(Nothing {})
}
