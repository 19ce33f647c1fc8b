//! Commands for choosing files, previewing and starting imports, and loading the sample data.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use keepsake_domain::{Channel, Role, SourceKind, Visibility};
use keepsake_engine::{ChannelPreview, DryRun, Engine, ImportRequest, NewChannels, Zone};
use keepsake_importers::{DateOrder, LeftOut, LeftOutReason, MeetingDate, MeetingDateError, SkipReason};
use keepsake_store::{ImportRow, ImportSkip, PreviewState};

use crate::app::{App, Chosen};
use crate::error::ApiError;
use crate::types::Nothing;
use crate::types::sources::*;

/// State of an import that was undone.
const UNDONE: &str = "undone";

/// Number of imports listed. Older ones are of no use in the window.
const IMPORTS: u32 = 200;

/// Number of participants offered for "Which of these is you?".
const PARTICIPANTS: usize = 50;

/// Number of channels listed. Mail has a channel for each thread, and people look at the largest ones at most.
const CHANNELS: usize = 10_000;

/// Number of paths listed for each reason why files are left out. More can be seen in the folder itself.
const LEFT_OUT_PATHS: usize = 20;

/// Parses a date order: `day_first`, `month_first` or `year_first`. Fails with [`Code::Invalid`](crate::Code::Invalid).
pub fn date_order(name: Option<&str>) -> Result<Option<DateOrder>, ApiError> {
    match name {
        None => Ok(None),
        Some("day_first") => Ok(Some(DateOrder::DayFirst)),
        Some("month_first") => Ok(Some(DateOrder::MonthFirst)),
        Some("year_first") => Ok(Some(DateOrder::YearFirst)),
        Some(other) => Err(ApiError::invalid(format!("'{other}' is not a date order; use day_first, month_first or year_first"))),
    }
}

/// Parses the start of a meeting: `2026-01-05` or `2026-01-05 14:00`. Fails with [`Code::Invalid`](crate::Code::Invalid).
pub fn meeting_date(text: Option<&str>) -> Result<Option<MeetingDate>, ApiError> {
    text.map(str::parse).transpose().map_err(|error: MeetingDateError| ApiError::invalid(error.to_string()))
}

/// Parses the name of a time zone, for example `Europe/Berlin`. Fails with [`Code::Invalid`](crate::Code::Invalid).
pub fn zone(name: Option<&str>) -> Result<Option<Zone>, ApiError> {
    let named = |name: &str| {
        let unknown =
            || ApiError::invalid(format!("{name:?} is not a time zone; use one such as Europe/Berlin or America/New_York"));
        Zone::named(name).ok_or_else(unknown)
    };
    name.map(named).transpose()
}

/// Display name of a time zone.
fn zone_name(zone: Zone) -> String {
    match zone {
        Zone::Named(_) => zone.name().unwrap_or_default().to_owned(),
        Zone::Fixed(minutes) => {
            let sign = if minutes < 0 { '-' } else { '+' };
            format!("UTC{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
        }
    }
}

pub(crate) fn pick_files(_app: &App, _request: Nothing) -> Result<PickedFiles, ApiError> {
    // Hosts with a dialog handle this command before it gets here.
    Err(ApiError::refused("this host has no file dialog; drop the file on the page instead"))
}

/// Converts skipped records, with the reason in words.
pub fn skip_view(skip: &ImportSkip) -> SkipView {
    let known = SkipReason::ALL.iter().find(|reason| reason.name() == skip.reason);
    let text = match known {
        Some(reason) => reason.text(),
        None if skip.reason == "erased" => "you erased it before",
        None => "skipped",
    };
    SkipView { reason: skip.reason.clone(), text: text.to_owned(), count: skip.count, sample: skip.sample.clone() }
}

fn name_of(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

impl DryRunFile {
    /// A preview without any information about the file yet.
    fn blank(token: &str, name: String) -> Self {
        Self {
            token: token.to_owned(),
            name,
            kind: None,
            error: None,
            conversations: 0,
            seen: 0,
            imported: 0,
            duplicate: 0,
            skipped: Vec::new(),
            first: None,
            last: None,
            participants: Vec::new(),
            channels: Vec::new(),
            more_channels: 0,
            needs_owner: false,
            date_questions: Vec::new(),
            needs_meeting: false,
            zone: None,
            export: None,
            parts: Vec::new(),
            left_out: Vec::new(),
            may_be: Vec::new(),
        }
    }
}

fn channel_view(channel: ChannelPreview) -> ImportChannelView {
    let Channel { channel_type, channel_id } = channel.channel;
    ImportChannelView {
        title: channel.title.unwrap_or_else(|| channel_id.clone()),
        channel_type,
        channel_id,
        conversations: channel.conversations,
        messages: channel.messages,
        people: channel.people,
        names: channel.names,
        is_known: channel.is_known,
        visibility: channel.visibility.name().to_owned(),
    }
}

/// The person's choices for new channels. Fails with [`Code::Invalid`](crate::Code::Invalid).
fn new_channels(request: &ImportStartRequest) -> Result<NewChannels, ApiError> {
    let visibility = |text: &str| text.parse::<Visibility>().map_err(|error| ApiError::invalid(error.to_string()));
    let chosen = request.channels.iter().map(|choice| {
        let channel = Channel { channel_type: choice.channel_type.clone(), channel_id: choice.channel_id.clone() };
        Ok((channel, visibility(&choice.visibility)?))
    });
    Ok(NewChannels {
        chosen: chosen.collect::<Result<_, ApiError>>()?,
        others: request.other_channels.as_deref().map(visibility).transpose()?,
    })
}

/// Previews the import of one file without changing anything. A file that cannot be imported is returned with `error` set.
pub fn look_into(engine: &Engine, token: &str, request: &ImportRequest, state: &PreviewState) -> DryRunFile {
    let blank = DryRunFile::blank(token, name_of(&request.path));
    match engine.imports().dry_run(request, state) {
        // The window knows only the names of files and must not see their paths.
        Err(error) => DryRunFile { error: Some(keepsake_engine::named(&error.to_string(), &request.path)), ..blank },
        Ok(DryRun { preview, totals, channels }) => DryRunFile {
            kind: Some(preview.kind.to_string()),
            conversations: totals.conversations,
            seen: totals.seen,
            imported: totals.imported,
            duplicate: totals.duplicate,
            skipped: totals.skipped.iter().map(skip_view).collect(),
            first: preview.first.map(|t| t.0),
            last: preview.last.map(|t| t.0),
            needs_owner: !preview.is_owner_known,
            needs_meeting: preview.is_date_guessed,
            zone: preview.has_local_times.then(|| zone_name(request.zone.unwrap_or(engine.imports().zone()))),
            participants: preview
                .participants
                .into_iter()
                .filter(|participant| matches!(participant.role, Role::Owner | Role::Person))
                .take(PARTICIPANTS)
                .map(|participant| ParticipantView {
                    name: participant.name,
                    handle: participant.handle.handle,
                    messages: participant.messages,
                    sample: participant.sample,
                    received: participant.received,
                })
                .collect(),
            more_channels: channels.len().saturating_sub(CHANNELS) as u64,
            channels: channels.into_iter().take(CHANNELS).map(channel_view).collect(),
            date_questions: preview
                .date_question
                .into_iter()
                .flat_map(|question| question.samples)
                .map(|sample| DateQuestion {
                    written: sample.written,
                    day_first: sample.day_first,
                    month_first: sample.month_first,
                })
                .collect(),
            ..blank
        },
    }
}

/// The files that are left out, by reason, starting with those that may be exports.
fn left_out(files: &[LeftOut]) -> Vec<LeftOutView> {
    let mut by_reason: BTreeMap<(bool, LeftOutReason), Vec<&str>> = BTreeMap::new();
    for file in files {
        by_reason.entry((!file.reason.may_be_an_export(), file.reason)).or_default().push(&file.path);
    }
    by_reason
        .into_iter()
        .map(|((_, reason), paths)| LeftOutView {
            reason: reason.name().to_owned(),
            text: reason.text().to_owned(),
            may_be_an_export: reason.may_be_an_export(),
            count: paths.len() as u64,
            paths: paths.into_iter().take(LEFT_OUT_PATHS).map(str::to_owned).collect(),
        })
        .collect()
}

/// The path that an import reads: the messages of a Keepsake export, otherwise the path itself.
fn messages_in(app: &App, path: &Path) -> Result<PathBuf, ApiError> {
    let is_export = app.engine().exports().own_export(path)?.is_some();
    Ok(if is_export { keepsake_engine::areas::Exports::messages_of_export(path) } else { path.to_owned() })
}

pub(crate) fn import_dry_run(app: &App, request: DryRunRequest) -> Result<DryRunResponse, ApiError> {
    let order = date_order(request.date_order.as_deref())?;
    let meeting = meeting_date(request.meeting.as_deref())?;
    let zone = zone(request.zone.as_deref())?;
    let state = PreviewState::new()?;
    let files = request.tokens.iter().map(|token| {
        let Chosen { path, kind } = app.chosen(token)?;
        let export = app.engine().exports().own_export(&path)?;
        let mut left = Vec::new();
        if export.is_none() && kind.is_none() {
            // A path that cannot be examined is previewed as a single file, and that preview says why.
            let inventory = app.engine().imports().look_through(&path).unwrap_or_default();
            let kinds = inventory.kinds();
            left = left_out(&inventory.left_out);
            // A part has a kind and skips this block, so the files that are left out are listed only once, for the whole folder
            // or archive.
            if kinds.len() > 1 || kinds.len() == 1 && !left.is_empty() {
                let name = name_of(&path);
                let parts = kinds.into_iter().map(|kind| app.register_part(token, &name, kind)).collect::<Result<_, _>>()?;
                return Ok(DryRunFile { parts, left_out: left, ..DryRunFile::blank(token, name) });
            }
        }
        let import = ImportRequest {
            source: kind,
            me: request.me.clone(),
            date_order: order,
            meeting,
            zone,
            ..ImportRequest::of(messages_in(app, &path)?)
        };
        let mut found = DryRunFile { left_out: left, ..look_into(app.engine(), token, &import, &state) };
        if found.kind.is_none() && kind.is_none() {
            // For an unreadable file, the preview already says so.
            let kinds = keepsake_importers::may_be(&path).unwrap_or_default();
            let named = |kind: SourceKind| {
                app.register_part(token, &name_of(&path), kind).map(|file| MayBe { kind: kind.to_string(), file })
            };
            found.may_be = kinds.into_iter().map(named).collect::<Result<_, _>>()?;
        }
        if let Some((list, is_first)) = export {
            found.name = name_of(&path);
            found.export = Some(OwnExport {
                messages: list.rows_of("interactions"),
                conversations: list.rows_of("conversations"),
                memories: list.rows_of("memories"),
                is_first,
            });
        }
        Ok(found)
    });
    Ok(DryRunResponse { files: files.collect::<Result<Vec<_>, ApiError>>()? })
}

pub(crate) fn import_start(app: &App, request: ImportStartRequest) -> Result<JobsStarted, ApiError> {
    let order = date_order(request.date_order.as_deref())?;
    let meeting = meeting_date(request.meeting.as_deref())?;
    let zone = zone(request.zone.as_deref())?;
    let channels = new_channels(&request)?;
    let mut job_ids = Vec::new();
    for token in &request.tokens {
        let Chosen { path, kind } = app.chosen(token)?;
        let import = ImportRequest {
            source: kind,
            me: request.me.clone(),
            date_order: order,
            meeting,
            zone,
            private: request.private,
            channels: channels.clone(),
            ..ImportRequest::of(messages_in(app, &path)?)
        };
        job_ids.push(app.engine().imports().queue(&import)?.into());
    }
    Ok(JobsStarted { job_ids })
}

fn view(import: ImportRow) -> ImportView {
    let name =
        Path::new(&import.path).file_name().map_or_else(|| import.path.clone(), |name| name.to_string_lossy().into_owned());
    let is_undone = name.is_empty();
    ImportView {
        id: import.id.to_string(),
        name: match (import.is_sample, name.is_empty()) {
            (true, _) => "Sample data".to_owned(),
            // An undone import keeps its counts but not its path.
            (false, true) => "Undone import".to_owned(),
            (false, false) => name,
        },
        kind: import.source_kind,
        state: if is_undone { UNDONE.to_owned() } else { import.state },
        is_sample: import.is_sample,
        conversations: import.totals.conversations,
        seen: import.totals.seen,
        imported: import.totals.imported,
        duplicate: import.totals.duplicate,
        skipped: import.totals.skipped.iter().map(skip_view).collect(),
        error: import.error,
        started_at: import.started.0,
        finished_at: import.finished.map(|t| t.0),
    }
}

pub(crate) fn imports_list(app: &App, _request: Nothing) -> Result<ImportsResponse, ApiError> {
    let imports = app.engine().store().read(|tx| tx.sources().imports(IMPORTS))?;
    Ok(ImportsResponse { items: imports.into_iter().map(view).collect() })
}

pub(crate) fn sample_load(app: &App, _request: Nothing) -> Result<JobsStarted, ApiError> {
    Ok(JobsStarted { job_ids: vec![app.engine().imports().load_sample()?.into()] })
}

pub(crate) fn sample_remove(app: &App, _request: Nothing) -> Result<SampleRemoved, ApiError> {
    let receipts = app.engine().imports().remove_sample()?;
    Ok(SampleRemoved {
        messages: receipts.iter().map(|receipt| receipt.erased.messages).sum(),
        conversations: receipts.iter().map(|receipt| receipt.erased.conversations).sum(),
        memories: receipts.iter().map(|receipt| receipt.erased.memories).sum(),
        is_pending: receipts.iter().any(|receipt| !receipt.is_done),
    })
}
