//! Unidentified speakers of meetings. The person is asked about each of them once per meeting, and only the person can
//! identify them.
//!
//! Until then, an unidentified speaker belongs to no person, has no links, and nothing is proposed about them. Their words
//! are stored with the meeting like all others. Not in this module: how labels in transcripts are distinguished from names
//! (`importers`), how names and links change stored rows (`store`), and the rule that nothing is proposed about an unnamed
//! speaker (`propose`).

use keepsake_domain::{ConversationId, HandleId, LinkAnswer, LinkId, limits};
use keepsake_store::{HandleRow, ReadTx, UnidentifiedSpeakerRow, WriteTx};

use crate::areas::People;
use crate::derive::links::obstacle;
use crate::{EngineError, Result};

/// The person's answer about an unidentified speaker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpeakerAnswer {
    /// The speaker is the owner.
    Owner,
    /// The speaker is the person with this handle.
    Person(HandleId),
    /// The speaker has this name and is not known from elsewhere.
    Name(String),
    /// The speaker stays unidentified; do not ask again.
    Leave,
    /// Take back an earlier answer.
    Open,
}

type StoreResult<T> = std::result::Result<T, keepsake_store::StoreError>;

impl People<'_> {
    /// The unidentified speakers of one meeting, or of every meeting that is not excluded from memory.
    pub fn unidentified_speakers(&self, of: Option<&ConversationId>) -> Result<Vec<UnidentifiedSpeakerRow>> {
        Ok(self.engine.store().read(|tx| tx.people().unidentified_speakers(of))?)
    }

    /// Stores the person's answer about one speaker, replacing an earlier one. Once the speaker has a name, their messages
    /// are read again.
    pub fn answer_speaker(&self, voice: &HandleId, answer: &SpeakerAnswer) -> Result<()> {
        let answer = match answer {
            SpeakerAnswer::Name(name) => SpeakerAnswer::Name(checked_name(name)?),
            other => other.clone(),
        };
        let refused = self.engine.store().write(|tx| {
            if !tx.people().is_unidentified_speaker(voice)? {
                return Ok(Some(format!("{voice} is not an unidentified speaker; `keepsake speakers` lists them")));
            }
            // If the handle belongs to the owner, the speaker is the owner, regardless of the handle's name.
            let answer = match &answer {
                SpeakerAnswer::Person(handle) if is_owner(tx, handle)? => SpeakerAnswer::Owner,
                other => other.clone(),
            };
            if let SpeakerAnswer::Person(handle) = &answer {
                if tx.people().is_unnamed(handle.as_str())? {
                    return Ok(Some(format!("{handle} is a speaker who is not identified yet; identify that speaker first")));
                }
                if is_one_person(tx, voice, handle)? {
                    return Ok(None);
                }
                // Checked before anything is taken back, because a refusal must change nothing.
                if let Some(obstacle) = obstacle(tx, voice, handle)? {
                    return Ok(Some(obstacle));
                }
            }
            self.take_back_answer(tx, voice)?;
            let now = self.engine.now();
            match &answer {
                SpeakerAnswer::Owner => tx.people().set_speaker_is_owner(voice, true, now)?,
                SpeakerAnswer::Name(name) => tx.people().name_speaker(voice, Some(name), now)?,
                SpeakerAnswer::Leave => tx.people().leave_unidentified(voice, now)?,
                SpeakerAnswer::Open => {}
                SpeakerAnswer::Person(handle) => {
                    tx.people().answer_link(&LinkId::fresh(self.engine.ids()), voice, handle, LinkAnswer::Same, "", now)?;
                }
            }
            Ok(None)
        });
        match refused? {
            Some(reason) => Err(EngineError::Refused(reason)),
            None => {
                self.engine.queue().queue_unread()?;
                self.engine.queue().look_for_work();
                Ok(())
            }
        }
    }

    fn take_back_answer(&self, tx: &WriteTx<'_>, voice: &HandleId) -> StoreResult<()> {
        let now = self.engine.now();
        for link in tx.people().link_decisions()? {
            if link.answer == LinkAnswer::Same && (link.a == *voice || link.b == *voice) {
                tx.people().take_back_link(&LinkId::fresh(self.engine.ids()), &link, now)?;
            }
        }
        tx.people().set_speaker_is_owner(voice, false, now)?;
        tx.people().name_speaker(voice, None, now)
    }
}

fn is_owner(tx: &ReadTx<'_>, handle: &HandleId) -> StoreResult<bool> {
    let persons = tx.people().persons()?;
    let of = |row: &HandleRow| row.id == *handle && persons.is_owner(&row.entity_id);
    Ok(tx.people().handles()?.iter().any(of))
}

fn is_one_person(tx: &ReadTx<'_>, a: &HandleId, b: &HandleId) -> StoreResult<bool> {
    let speakers = tx.log().speakers_by(&tx.people().persons()?)?;
    Ok(speakers.key(a.as_str()) == speakers.key(b.as_str()))
}

fn checked_name(name: &str) -> Result<String> {
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_empty() {
        return Err(EngineError::Refused(
            "the speaker's name is empty; enter a name, or leave the speaker unidentified".to_owned(),
        ));
    }
    if name.chars().count() > limits::PERSON_NAME_CHARS_MAX {
        return Err(EngineError::Refused(format!(
            "the name is longer than {} characters; enter a shorter one",
            limits::PERSON_NAME_CHARS_MAX
        )));
    }
    Ok(name)
}
