//! Gaps (unmet requests). They are found when profiles are derived. A person can turn a gap into a task in a Markdown file, and
//! its status is read back from that file.
//!
//! Gaps are for the owner only, so the search covers all audiences, one person after another, and gaps are never part of a
//! context. The task file quotes only public messages, because such a file is often shared.
//!
//! Not in this module: what counts as a gap, and how a task is written (`people::gap`).

use std::collections::HashMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use keepsake_domain::{EntityId, EvidenceSpan, GapId, GapStatus, ProposalKind, Role, TaskId, TaskStatus, Visibility};
use keepsake_people::gap::{
    Dismissed, GAP_RULES_VERSION, GapChange, GapInput, KnownGap, Occurrence, TaskEvidence, TaskInFile, TaskText, description,
    detect_with, status_in, written,
};
use keepsake_people::{Similarity, Utterance};
use keepsake_store::{GapRow, GapSeen, ReadTx, StoreError, TaskRow, WriteTx};

use crate::areas::Gaps;
use crate::content_ids::uuid_of;
use crate::serve::masked::masked;
use crate::{Engine, EngineError, Result};

/// Setting that names the file for tasks.
const TASKS_FILE_SETTING: &str = "tasks_file";

/// Maximum size of a task file in bytes. It is read as a whole, and a larger file is not a list of tasks.
const TASKS_FILE_BYTES_MAX: u64 = 8 * 1024 * 1024;

/// A change that the search for gaps will write.
pub(crate) enum GapWrite {
    New(Box<GapRow>),
    Seen(GapSeen),
}

impl GapWrite {
    /// The gap's id, if this change reopens it because it came up again after it was resolved.
    pub(crate) fn reopened(&self) -> Option<GapId> {
        match self {
            Self::Seen(seen) if seen.is_reopened => Some(seen.id.clone()),
            _ => None,
        }
    }

    /// Writes the change. Returns `false` if it refers to a gap that no longer exists.
    pub(crate) fn apply(&self, tx: &WriteTx<'_>) -> std::result::Result<bool, StoreError> {
        match self {
            Self::New(gap) => tx.gaps().insert(gap).map(|()| true),
            Self::Seen(seen) => tx.gaps().see(seen),
        }
    }
}

/// The known gaps, updated as each person is read.
pub(crate) struct GapBook {
    gaps: Vec<GapRow>,
    /// The words with which the assistant first refused the request behind each gap, if that message still exists.
    refusals: HashMap<GapId, String>,
}

impl GapBook {
    pub(crate) fn load(tx: &ReadTx<'_>) -> std::result::Result<Self, StoreError> {
        let gaps = tx.gaps().all()?;
        let mut refusals = HashMap::new();
        for gap in &gaps {
            let Some(place) = gap.evidence.first() else { continue };
            let Some(message) = tx.log().interaction(&place.interaction)? else { continue };
            // The evidence of a gap found by a model cites only the entity's own words, which contain no refusal.
            if let (Role::Assistant, Ok(words)) = (message.role, place.span.quote(&message.content)) {
                refusals.insert(gap.id.clone(), words.to_owned());
            }
        }
        Ok(Self { gaps, refusals })
    }

    /// Finds gaps in one person's conversations that are new or came up again, including those that the named model found.
    /// These gaps are treated as known when the next person is read.
    pub(crate) fn read(
        &mut self,
        engine: &Engine,
        entity: &EntityId,
        utterances: &[Utterance<'_>],
        similarity: Similarity<'_>,
        by_model: Option<(&str, &[Occurrence])>,
    ) -> Vec<GapWrite> {
        let refusal = |gap: &GapRow| self.refusals.get(&gap.id).map_or("", String::as_str);
        let known: Vec<KnownGap<'_>> = self
            .gaps
            .iter()
            .filter(|gap| gap.dismissed_at.is_none())
            .map(|gap| KnownGap {
                id: &gap.id,
                entity: gap.entity.as_ref(),
                need: &gap.need,
                refusal: refusal(gap),
                status: gap.status,
                resolved_at: gap.resolved_at,
                frequency: gap.frequency,
                evidence: &gap.evidence,
            })
            .collect();
        let dismissed: Vec<Dismissed<'_>> = self
            .gaps
            .iter()
            .filter(|gap| gap.dismissed_at.is_some())
            .map(|gap| Dismissed { need: &gap.need, refusal: refusal(gap), fingerprint: &gap.fingerprint })
            .collect();
        let input = GapInput { entity: Some(entity), utterances, known: &known, dismissed: &dismissed, similarity };
        let changes = detect_with(&input, by_model.map_or(&[], |(_, occurrences)| occurrences));
        let model = by_model.map(|(model, _)| model);
        changes.into_iter().filter_map(|change| self.take(engine, entity, model, change)).collect()
    }

    fn take(&mut self, engine: &Engine, entity: &EntityId, model: Option<&str>, change: GapChange) -> Option<GapWrite> {
        match change {
            // A need that contains a credential is dropped, because the gap's fingerprint would also contain the wording of the
            // need.
            GapChange::Detected(new) if masked(&new.need) != new.need => None,
            GapChange::Detected(new) => {
                let evidence: Vec<EvidenceSpan> = new.evidence.into();
                let founded = evidence.first().map_or_else(String::new, |place| place.interaction.to_string());
                let id = GapId::from_uuid(uuid_of("gap", &[entity.as_str(), &new.fingerprint, &founded]));
                let id = if self.gaps.iter().any(|known| known.id == id) { GapId::fresh(engine.ids()) } else { id };
                self.refusals.insert(id.clone(), new.refusal);
                let created_at = engine.maintenance().made_first(id.as_str());
                let gap = GapRow {
                    id,
                    entity: Some(entity.clone()),
                    need: new.need,
                    fingerprint: new.fingerprint,
                    description: masked(&new.description),
                    frequency: new.frequency,
                    status: GapStatus::Detected,
                    first_seen: new.first_seen,
                    last_seen: new.last_seen,
                    resolved_at: None,
                    dismissed_at: None,
                    created_at,
                    evidence,
                    task: None,
                    proposer: model.filter(|_| new.is_by_model).unwrap_or(GAP_RULES_VERSION).to_owned(),
                };
                self.gaps.push(gap.clone());
                Some(GapWrite::New(Box::new(gap)))
            }
            GapChange::Seen { gap, evidence, frequency, last_seen, is_reopened, is_shared, is_by_model } => {
                let known = self.gaps.iter_mut().find(|known| known.id == gap)?;
                let evidence: Vec<EvidenceSpan> = evidence.into();
                known.evidence.extend(evidence.iter().cloned());
                known.frequency = frequency;
                known.last_seen = known.last_seen.max(last_seen);
                if is_shared {
                    known.entity = None;
                }
                if is_reopened {
                    known.status = GapStatus::Reopened;
                }
                let model = model.filter(|_| is_by_model).map(str::to_owned);
                if let Some(model) = &model {
                    known.proposer.clone_from(model);
                }
                let description = description(frequency, &known.need);
                let seen = GapSeen { id: gap, evidence, frequency, description, last_seen, is_reopened, is_shared, model };
                Some(GapWrite::Seen(seen))
            }
        }
    }
}

/// Reads a task file; a missing file is treated as empty.
fn read_file(path: &Path) -> Result<String> {
    let io = |error| EngineError::Io { what: format!("cannot read the tasks in {}", path.display()), error };
    match std::fs::metadata(path) {
        Ok(meta) if meta.len() > TASKS_FILE_BYTES_MAX => Err(EngineError::Refused(format!(
            "{} is larger than {} MB, too large for a list of tasks; choose another file",
            path.display(),
            TASKS_FILE_BYTES_MAX / 1024 / 1024
        ))),
        Ok(_) => std::fs::read_to_string(path).map_err(io),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(io(error)),
    }
}

/// Replaces the file in one step, so that a reader sees either the old text or the new one.
fn write_file(path: &Path, text: &str) -> Result<()> {
    let io = |error| EngineError::Io { what: format!("cannot write the task to {}", path.display()), error };
    // Resolves symbolic links, so that a link to a file kept elsewhere remains a link.
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut beside = path.clone().into_os_string();
    beside.push(".keepsake-new");
    let beside = PathBuf::from(beside);
    let write = || {
        let mut file = std::fs::File::create(&beside)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        if let Ok(meta) = std::fs::metadata(&path) {
            std::fs::set_permissions(&beside, meta.permissions())?;
        }
        std::fs::rename(&beside, &path)
    };
    write().map_err(io)
}

/// The text of a task, quoting only public messages.
fn task_text(tx: &ReadTx<'_>, gap: &GapRow, task: &TaskRow) -> std::result::Result<TaskText, StoreError> {
    let mut evidence = Vec::new();
    for place in &gap.evidence {
        let Some(message) = tx.log().interaction(&place.interaction)? else { continue };
        let conversation = tx.log().conversation(&message.conversation_id)?;
        let is_open = conversation.visibility == Visibility::Public && !conversation.is_private;
        evidence.push(TaskEvidence {
            interaction: message.id,
            source: conversation.channel_type,
            time: message.time,
            quote: place.span.quote(&message.content).ok().filter(|_| is_open).map(str::to_owned),
        });
    }
    Ok(TaskText {
        id: task.id.clone(),
        title: gap.need.clone(),
        description: gap.description.clone(),
        evidence,
        status: task.status,
    })
}

/// Whether a gap still needs the person's decision.
pub(crate) fn is_open(gap: &GapRow) -> bool {
    gap.dismissed_at.is_none() && matches!(gap.status, GapStatus::Detected | GapStatus::Reopened)
}

impl Gaps<'_> {
    /// The file for tasks, if the person chose one.
    pub fn tasks_file(&self) -> Result<Option<PathBuf>> {
        Ok(self
            .engine
            .store()
            .read(|tx| tx.settings().setting(TASKS_FILE_SETTING))?
            .filter(|path| !path.is_empty())
            .map(PathBuf::from))
    }

    /// Sets the file for tasks.
    pub fn set_tasks_file(&self, path: &Path) -> Result<()> {
        if !path.is_absolute() || path.is_dir() {
            return Err(EngineError::Refused(format!(
                "{} is not the full path of a file; enter one that starts at the root",
                path.display()
            )));
        }
        read_file(path)?;
        let now = self.engine.now();
        Ok(self.engine.store().write(|tx| tx.settings().put(TASKS_FILE_SETTING, &path.to_string_lossy(), now))?)
    }

    /// Gaps that are neither dismissed nor expired, most frequent first. Reads the checkboxes of their tasks first.
    pub fn list(&self) -> Result<Vec<GapRow>> {
        self.read_tasks()?;
        Ok(self.engine.store().read(|tx| {
            let parked = tx.memories().parked_of(ProposalKind::Gap)?;
            let is_parked = |gap: &GapRow| parked.get(gap.id.as_str()) == Some(&gap.frequency.to_string());
            let mut gaps = tx.gaps().all()?;
            gaps.retain(|gap| gap.dismissed_at.is_none() && !(is_open(gap) && is_parked(gap)));
            Ok(gaps)
        })?)
    }

    /// Confirms a gap: it becomes a task in the file that the person chose.
    pub fn confirm(&self, id: &GapId) -> Result<GapRow> {
        let Some(file) = self.tasks_file()? else {
            return Err(EngineError::Refused(
                "no file for tasks is chosen; choose a Markdown file in the settings, or with --file".to_owned(),
            ));
        };
        let before = self.engine.store().read(|tx| tx.gaps().gap(id))?;
        if before.status == GapStatus::Resolved {
            return Err(EngineError::Refused(
                "the task of this gap is done; it is reopened if the gap comes up again".to_owned(),
            ));
        }
        let file = before.task.as_ref().and_then(|task| task.file.clone()).map_or(file, PathBuf::from);
        // Write the file first: a task that is in the file but not yet stored can be found there by its id. A stored task that
        // is not in the file could not be found.
        let text = read_file(&file)?;
        let task = TaskRow {
            id: before.task.as_ref().map_or_else(|| TaskId::fresh(self.engine.ids()), |task| task.id.clone()),
            file: Some(file.to_string_lossy().into_owned()),
            status: TaskStatus::Open,
        };
        let rendered = self.engine.store().read(|tx| task_text(tx, &before, &task))?;
        write_file(&file, &written(&text, &rendered))?;
        let now = self.engine.now();
        self.engine.store().write(|tx| tx.gaps().confirm(id, &task.id, task.file.as_deref(), now))?;
        Ok(self.engine.store().read(|tx| tx.gaps().gap(id))?)
    }

    /// Dismisses a gap, or undoes the dismissal.
    pub fn dismiss(&self, id: &GapId, is_dismissed: bool) -> Result<()> {
        let at = is_dismissed.then(|| self.engine.now());
        Ok(self.engine.store().write(|tx| tx.gaps().dismiss(id, at))?)
    }

    /// Reads the checkboxes of the tasks and updates the gaps. A file that is missing, or shows a task as both open and done,
    /// is ignored.
    fn read_tasks(&self) -> Result<()> {
        let now = self.engine.now();
        for gap in self.engine.store().read(|tx| tx.gaps().all())? {
            let Some(TaskRow { id, file: Some(file), status }) = &gap.task else { continue };
            let Ok(text) = read_file(Path::new(file)) else { continue };
            let TaskInFile::Found(found) = status_in(&text, id) else { continue };
            let is_due = found != *status
                && match found {
                    TaskStatus::Resolved => gap.status.may_become(GapStatus::Resolved).is_ok(),
                    TaskStatus::Open => gap.status.may_become(GapStatus::Reopened).is_ok(),
                };
            if is_due {
                self.engine.store().write(|tx| tx.gaps().settle(&gap.id, found, now))?;
            }
        }
        Ok(())
    }

    /// Unchecks the tasks of gaps that came up again.
    pub(crate) fn reopen_tasks(&self, gaps: &[GapId]) -> Result<()> {
        for gap in self.engine.store().read(|tx| tx.gaps().all())?.iter().filter(|gap| gaps.contains(&gap.id)) {
            let Some(task) = gap.task.as_ref().filter(|_| gap.status == GapStatus::Reopened) else { continue };
            let Some(file) = task.file.as_ref().map(Path::new).filter(|file| file.exists()) else { continue };
            let rendered = self.engine.store().read(|tx| task_text(tx, gap, task))?;
            write_file(file, &written(&read_file(file)?, &rendered))?;
        }
        Ok(())
    }

    /// Reads the checkboxes before the search for gaps, because whether a gap has come up again depends on when it was
    /// resolved. An error is only logged.
    pub(crate) fn read_tasks_quietly(&self) {
        if let Err(error) = self.read_tasks() {
            tracing::warn!(%error, "the boxes of tasks cannot be read");
        }
    }
}
