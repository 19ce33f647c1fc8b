//! `keepsake import`: imports each source and accounts for every record.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use keepsake_api::types::sources::ImportChannelView;
use keepsake_api::{date_order, look_into, meeting_date, skip_view, zone};
use keepsake_domain::{IdSource, ImportId, SourceKind};
use keepsake_engine::{ChannelPreview, EmbedderSlot, Engine, EngineError, ImportRequest, NewChannels, RandomIds, Unwatched};
use keepsake_importers::{ImportError, LeftOut, LeftOutReason};
use keepsake_store::PreviewState;
use serde_json::{Value, json};

use super::{engine, import_channels};
use crate::args::{Args, ImportArgs};
use crate::output::{Failure, Output};

/// Maximum number of channels that a dry run lists as text. With --json it lists all.
const CHANNELS_SHOWN: usize = 20;

/// Maximum number of names listed, both of participants and of unreadable files.
const NAMES_SHOWN: usize = 6;

/// The counts of one file, as printed.
struct Account {
    path: String,
    kind: String,
    conversations: u64,
    seen: u64,
    imported: u64,
    duplicate: u64,
    skipped: Vec<Value>,
    /// Its channels, from a preview; `None` after an import.
    channels: Option<Vec<ImportChannelView>>,
}

impl Account {
    fn skipped_count(&self) -> u64 {
        self.skipped.iter().filter_map(|skip| skip["count"].as_u64()).sum()
    }

    fn json(&self) -> Value {
        let mut json = json!({
            "path": self.path, "kind": self.kind, "conversations": self.conversations, "seen": self.seen,
            "imported": self.imported, "duplicate": self.duplicate, "skipped": self.skipped,
        });
        if let Some(channels) = &self.channels {
            json["channels"] = json!(channels);
        }
        json
    }
}

/// Imports the paths in order. A failed file does not undo the ones before it.
pub(crate) fn run(args: &Args, import: &ImportArgs, output: &mut Output) -> Result<(), Failure> {
    let engine = engine(args, EmbedderSlot::none())?;
    if let [path] = import.paths.as_slice()
        && !import.dry_run
    {
        if !import.visibility.is_empty() && engine.exports().is_own_export(path)? {
            return Err(Failure::new(format!(
                "{} is a Keepsake export, which brings the visibility of its channels with it; leave out --visibility",
                path.display()
            )));
        }
        if super::backup::bring(&engine, path, output)? {
            return Ok(());
        }
    }
    let found: Vec<Sources> = import.paths.iter().map(|path| sources_in(&engine, path, import.source)).collect();
    let channels = chosen_channels(&engine, import, &found)?;
    let state = PreviewState::new()?;
    let mut accounts = Vec::new();
    let mut failures: Vec<String> = Vec::new();
    let mut left_out = Vec::new();
    let mut unknown = UnknownOwner::default();
    for (path, found) in import.paths.iter().zip(found) {
        failures.extend(unread(path, &found.left_out));
        for (path, source) in found.sources {
            let request = ImportRequest { source, channels: channels.clone(), ..request(&path, import)? };
            let account = if import.dry_run { look(&engine, &request, &state) } else { bring(&engine, &request, &mut unknown) };
            match account {
                Ok(account) => accounts.push(account),
                Err(Failure::Message(words)) => failures.push(words),
                Err(Failure::Closed) => return Err(Failure::Closed),
            }
        }
        left_out.extend(found.left_out.into_iter().map(|file| (path.clone(), file)));
    }
    unknown.ask();
    print(&accounts, &left_out, import.dry_run, output)?;
    if failures.is_empty() { Ok(()) } else { Err(Failure::new(failures.join("; "))) }
}

/// The person's choices for channels of these files. Without any choices, the files are not read here.
fn chosen_channels(engine: &Engine, import: &ImportArgs, found: &[Sources]) -> Result<NewChannels, Failure> {
    if import.visibility.is_empty() {
        return Ok(NewChannels::default());
    }
    let state = PreviewState::new()?;
    let mut channels: Vec<ChannelPreview> = Vec::new();
    let mut seen = BTreeSet::new();
    for (path, source) in found.iter().flat_map(|found| &found.sources) {
        let request = ImportRequest { source: *source, ..request(path, import)? };
        // A file that cannot be read fails later, when it is imported, with the reason.
        let listed = engine.imports().dry_run(&request, &state).map(|look| look.channels).unwrap_or_default();
        channels.extend(listed.into_iter().filter(|one| seen.insert(one.channel.clone())));
    }
    import_channels::chosen(&import.visibility, &channels)
}

/// The exports to import from one path, and the files that are left out.
struct Sources {
    sources: Vec<(PathBuf, Option<SourceKind>)>,
    left_out: Vec<LeftOut>,
}

/// The exports at a path; each is imported separately. `wanted` is the kind that the person specified.
fn sources_in(engine: &Engine, path: &Path, wanted: Option<SourceKind>) -> Sources {
    let itself = Sources { sources: vec![(path.to_owned(), wanted)], left_out: Vec::new() };
    // A path that cannot be searched is imported as a single file, which fails with the reason.
    let Ok(found) = engine.imports().look_through(path) else { return itself };
    let exports: Vec<_> = found.exports.into_iter().filter(|export| wanted.is_none_or(|wanted| wanted == export.kind)).collect();
    if exports.is_empty() {
        return Sources { left_out: found.left_out, ..itself };
    }
    let sources = exports.into_iter().map(|export| (export.path, Some(export.kind))).collect();
    Sources { sources, left_out: found.left_out }
}

/// A message about files that may be exports but are not imported.
fn unread(path: &Path, left_out: &[LeftOut]) -> Option<String> {
    let unread: Vec<&LeftOut> = left_out.iter().filter(|file| file.reason.may_be_an_export()).collect();
    if unread.is_empty() {
        return None;
    }
    let names: Vec<String> =
        unread.iter().take(NAMES_SHOWN).map(|file| format!("{} ({})", file.path, file.reason.text())).collect();
    let more = unread.len() - names.len();
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    let (files, are) = if unread.len() == 1 { ("file", "is") } else { ("files", "are") };
    Some(format!("{} {files} in {} {are} not imported: {}{rest}", unread.len(), path.display(), names.join(", ")))
}

fn bring(engine: &Engine, request: &ImportRequest, unknown: &mut UnknownOwner) -> Result<Account, Failure> {
    let path = &request.path;
    let import_id = ImportId::from_uuid(RandomIds::default().next_uuid());
    let outcome = engine.imports().import(&import_id, request, &Unwatched).map_err(|error| match &error {
        EngineError::Import(ImportError::DateOrderNeeded { .. }) => {
            Failure::new(format!("{error}: use --date-order day_first or --date-order month_first"))
        }
        _ => error.into(),
    })?;
    engine.queue().queue_unread()?;
    engine.conversations().queue_settling()?;
    engine.people().queue_identity()?;
    engine.people().queue_profiles()?;
    if outcome.is_date_guessed {
        eprintln!(
            "keepsake: the meeting in {} has no date, so the date of the file is used. To set another date, erase the \
             conversation and import the file again with --date DATE.",
            path.display()
        );
    }
    // Keepsake JSONL names the role of each author.
    if outcome.has_unknown_owner && outcome.kind != SourceKind::KeepsakeJsonl {
        unknown.add(engine, request)?;
    }
    Ok(Account {
        path: path.display().to_string(),
        kind: outcome.kind.to_string(),
        conversations: outcome.totals.conversations,
        seen: outcome.totals.seen,
        imported: outcome.totals.imported,
        duplicate: outcome.totals.duplicate,
        skipped: outcome.totals.skipped.iter().map(|skip| json!(skip)).collect(),
        channels: None,
    })
}

/// The people in files that do not identify the owner. Their messages are imported, but none can be attributed to the owner
/// yet.
#[derive(Default)]
struct UnknownOwner {
    files: Vec<PathBuf>,
    /// By name: the number of emails received, if the person is offered for that reason, and the number of messages written.
    people: BTreeMap<String, (u64, u64)>,
}

impl UnknownOwner {
    fn add(&mut self, engine: &Engine, request: &ImportRequest) -> Result<(), Failure> {
        let shown = look_into(engine, "", request, &PreviewState::new()?);
        // If a file has no participants, there is nobody to ask about.
        if !shown.participants.is_empty() {
            self.files.push(request.path.clone());
        }
        for person in shown.participants {
            let (received, messages) = self.people.entry(person.name).or_default();
            *received += person.received;
            *messages += person.messages;
        }
        Ok(())
    }

    /// Asks "Which of these is you?" on standard error, once for all files: a given name applies to each of them.
    fn ask(self) {
        let place = match self.files.as_slice() {
            [] => return,
            [file] => file.display().to_string(),
            [first, rest @ ..] => format!("{} and {} more", first.display(), rest.len()),
        };
        let mut people: Vec<(String, (u64, u64))> = self.people.into_iter().collect();
        people.sort_by_key(|(_, counts)| std::cmp::Reverse(*counts));
        let shown = |(name, (received, messages)): &(String, (u64, u64))| match received {
            0 => format!("{name} ({messages})"),
            received => format!("{name} (got {received})"),
        };
        let names: Vec<String> = people.iter().take(NAMES_SHOWN).map(shown).collect();
        eprintln!(
            "keepsake: which of these people in {place} is you? {}. Import it again with --me NAME; no message is added twice.",
            names.join(", ")
        );
    }
}

/// The request to import a path, without the choices for its channels.
fn request(path: &Path, import: &ImportArgs) -> Result<ImportRequest, Failure> {
    Ok(ImportRequest {
        source: import.source,
        me: import.me.clone(),
        date_order: date_order(import.date_order.as_deref())?,
        meeting: meeting_date(import.date.as_deref())?,
        zone: zone(import.zone.as_deref())?,
        private: import.private,
        ..ImportRequest::of(path)
    })
}

/// Previews an import of this file, taking into account the files previewed before it.
fn look(engine: &Engine, request: &ImportRequest, state: &PreviewState) -> Result<Account, Failure> {
    let shown = look_into(engine, "", request, state);
    if let Some(error) = shown.error {
        return Err(Failure::new(error));
    }
    Ok(Account {
        path: request.path.display().to_string(),
        channels: Some(shown.channels),
        kind: shown.kind.unwrap_or_default(),
        conversations: shown.conversations,
        seen: shown.seen,
        imported: shown.imported,
        duplicate: shown.duplicate,
        skipped: shown
            .skipped
            .iter()
            .map(|skip| json!({ "reason": skip.reason, "count": skip.count, "sample": skip.sample }))
            .collect(),
    })
}

fn print(accounts: &[Account], left_out: &[(PathBuf, LeftOut)], is_dry_run: bool, output: &mut Output) -> Result<(), Failure> {
    let sum = |part: fn(&Account) -> u64| accounts.iter().map(part).sum::<u64>();
    if output.is_json() {
        return output.json(&json!({
            // A dry run changes nothing; "imported" then counts what an import would add.
            "dry_run": is_dry_run,
            "files": accounts.iter().map(Account::json).collect::<Vec<_>>(),
            "left_out": left_out.iter().map(|(path, file)| json!({
                "in": path.display().to_string(), "path": file.path, "reason": file.reason.name(),
            })).collect::<Vec<_>>(),
            "totals": {
                "seen": sum(|a| a.seen), "imported": sum(|a| a.imported), "duplicate": sum(|a| a.duplicate),
                "skipped": sum(Account::skipped_count),
            },
        }));
    }
    for account in accounts {
        let skipped = account.skipped_count();
        let imported = if is_dry_run { "to import" } else { "imported" };
        output.line(format!(
            "{}  {}: {} seen = {} {imported} + {} duplicate + {skipped} skipped",
            account.path, account.kind, account.seen, account.imported, account.duplicate
        ))?;
        for skip in &account.skipped {
            let skip: keepsake_store::ImportSkip =
                serde_json::from_value(skip.clone()).map_err(|error| Failure::new(error.to_string()))?;
            let view = skip_view(&skip);
            output.line(format!(
                "    {} skipped: {}  (for example: {})",
                view.count,
                view.text,
                view.sample.replace('\n', " ")
            ))?;
        }
        print_channels(account.channels.as_deref().unwrap_or_default(), output)?;
    }
    let mut by_reason: BTreeMap<LeftOutReason, Vec<&str>> = BTreeMap::new();
    for (_, file) in left_out {
        by_reason.entry(file.reason).or_default().push(&file.path);
    }
    for (reason, paths) in by_reason {
        let shown = paths.iter().take(NAMES_SHOWN).copied().collect::<Vec<_>>().join(", ");
        output.line(format!("    {} left out: {}  (for example: {shown})", paths.len(), reason.text()))?;
    }
    Ok(())
}

/// Prints the channels of a file, each with who may see it after the import.
fn print_channels(channels: &[ImportChannelView], output: &mut Output) -> Result<(), Failure> {
    for one in channels.iter().take(CHANNELS_SHOWN) {
        let ImportChannelView { channel_type, channel_id, title, messages, visibility, .. } = one;
        let title = if title == channel_id { String::new() } else { format!(" ({title})") };
        let known = if one.is_known { ", already in Keepsake and not changed" } else { "" };
        output.line(format!("    channel {channel_type}:{channel_id}{title}: {messages} to import, {visibility}{known}"))?;
    }
    match channels.len().saturating_sub(CHANNELS_SHOWN) {
        0 => Ok(()),
        more => output.line(format!("    and {more} more channels, which --json lists")),
    }
}
