//! Who the voices of a meeting are: asked once for each meeting, answered by the person alone.
//!
//! Until then a voice is nobody: no person, no link, no candidate. Its words are on the record of the meeting like all others.
//! Deliberately not here: how labels of transcripts are told from names (`channels`), what names and links do to stored rows
//! (`store::voices`), that nothing is proposed about a voice without a name (`propose`).

use keepsake_domain::{ConversationId, HandleId, LinkAnswer, LinkId, limits};
use keepsake_store::{HandleRow, ReadTx, VoiceRow, WriteTx};

use crate::links::obstacle;
use crate::{Engine, EngineError, Result};

/// Who the person says a voice is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VoiceAnswer {
    /// The owner.
    Owner,
    /// Whoever has this handle.
    Person(HandleId),
    /// Somebody of this name who is not met elsewhere.
    Name(String),
    /// Nobody needs to know; not to be asked again.
    Leave,
    /// Not answered: whatever was answered is taken back.
    Open,
}

type StoreResult<T> = std::result::Result<T, keepsake_store::StoreError>;

impl Engine {
    /// The voices of one meeting, or of every meeting that is not kept out of memory.
    pub fn voices(&self, of: Option<&ConversationId>) -> Result<Vec<VoiceRow>> {
        Ok(self.store().read(|tx| tx.voices(of))?)
    }

    /// Takes the person's answer about one voice, in place of the one before. What the voice said is read anew once it has a name.
    pub fn answer_voice(&self, voice: &HandleId, answer: &VoiceAnswer) -> Result<()> {
        let answer = match answer {
            VoiceAnswer::Name(name) => VoiceAnswer::Name(checked_name(name)?),
            other => other.clone(),
        };
        let refused = self.store().write(|tx| {
            if !tx.is_voice(voice)? {
                return Ok(Some(format!("{voice} is no voice of a meeting; `keepsake voices` lists them")));
            }
            // A voice under the owner's handle, however it is named, is the owner's.
            let answer = match &answer {
                VoiceAnswer::Person(handle) if is_owner(tx, handle)? => VoiceAnswer::Owner,
                other => other.clone(),
            };
            if let VoiceAnswer::Person(handle) = &answer {
                if tx.is_unnamed(handle.as_str())? {
                    return Ok(Some(format!("{handle} is a voice that has no name yet; name that one first")));
                }
                if is_one_person(tx, voice, handle)? {
                    return Ok(None);
                }
                // Before anything is taken back: a refusal changes nothing.
                if let Some(obstacle) = obstacle(tx, voice, handle)? {
                    return Ok(Some(obstacle));
                }
            }
            self.take_back_answer(tx, voice)?;
            let now = self.now();
            match &answer {
                VoiceAnswer::Owner => tx.set_voice_owner(voice, true, now)?,
                VoiceAnswer::Name(name) => tx.name_voice(voice, Some(name), now)?,
                VoiceAnswer::Leave => tx.leave_voice(voice, now)?,
                VoiceAnswer::Open => {}
                VoiceAnswer::Person(handle) => {
                    tx.answer_link(&LinkId::fresh(self.ids()), voice, handle, LinkAnswer::Same, "", now)?;
                }
            }
            Ok(None)
        });
        match refused? {
            Some(reason) => Err(EngineError::Refused(reason)),
            None => {
                self.queue_unread()?;
                self.look_for_work();
                Ok(())
            }
        }
    }

    fn take_back_answer(&self, tx: &WriteTx<'_>, voice: &HandleId) -> StoreResult<()> {
        let now = self.now();
        for link in tx.link_decisions()? {
            if link.answer == LinkAnswer::Same && (link.a == *voice || link.b == *voice) {
                tx.take_back_link(&LinkId::fresh(self.ids()), &link, now)?;
            }
        }
        tx.set_voice_owner(voice, false, now)?;
        tx.name_voice(voice, None, now)
    }
}

fn is_owner(tx: &ReadTx<'_>, handle: &HandleId) -> StoreResult<bool> {
    let persons = tx.persons()?;
    let of = |row: &HandleRow| row.id == *handle && persons.is_owner(&row.entity_id);
    Ok(tx.handles()?.iter().any(of))
}

fn is_one_person(tx: &ReadTx<'_>, a: &HandleId, b: &HandleId) -> StoreResult<bool> {
    let speakers = tx.speakers_by(&tx.persons()?)?;
    Ok(speakers.key(a.as_str()) == speakers.key(b.as_str()))
}

fn checked_name(name: &str) -> Result<String> {
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_empty() {
        return Err(EngineError::Refused("a voice cannot be called nothing; give a name, or leave it without one".to_owned()));
    }
    if name.chars().count() > limits::PERSON_NAME_CHARS_MAX {
        return Err(EngineError::Refused(format!("a name has at most {} characters", limits::PERSON_NAME_CHARS_MAX)));
    }
    Ok(name)
}
