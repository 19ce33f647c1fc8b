//! Entry points: find the documents at a path, detect their kind, check them to the end, and then read them.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

use keepsake_domain::SourceKind;

use crate::archive::{Container, Document, is_beside_the_point};
use crate::json::{Fault, check_document, check_lines};
use crate::limits::{FOLDER_DEPTH_MAX, FOLDER_FILES_MAX};
use crate::out::Out;
use crate::preview::{DateQuestion, DateSample};
use crate::sniff::{Sniffed, sniff_document};
use crate::{FileReport, ImportError, ImportOptions, Sink, SkipReason, Stop};
use crate::{chatgpt, claude, claude_code, codex_cli, gemini_cli, keepsake, transcript, whatsapp};

/// Why reading a document ended early.
pub(crate) enum Halt {
    /// The sink accepts no more messages.
    Stop(Stop),
    /// Reading failed.
    Io(io::Error),
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

impl From<io::Error> for Halt {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Detects the kind of export at `path` from its content, never from its name. For a zip or a folder, the files inside it are
/// examined.
pub fn sniff(path: &Path) -> Result<SourceKind, ImportError> {
    if !is_dir(path)? {
        return Ok(Plan::of(path, None)?.kind);
    }
    one_kind(path, &look_through(path)?)
}

/// The files in a folder and its subfolders, sorted by path. Links are not followed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FolderFiles {
    /// The files that can be imported.
    pub known: Vec<(PathBuf, SourceKind)>,
    /// The files of unknown kinds, except hidden files and media.
    pub unknown: Vec<PathBuf>,
}

impl FolderFiles {
    /// The kinds of the files that can be imported, each listed once.
    pub fn kinds(&self) -> BTreeSet<SourceKind> {
        self.known.iter().map(|(_, kind)| *kind).collect()
    }
}

/// Searches a folder for files to import.
pub fn look_through(path: &Path) -> Result<FolderFiles, ImportError> {
    let mut found = FolderFiles::default();
    let mut seen = 0;
    let mut folders = vec![(path.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        let io_error = |source| ImportError::Io { path: folder.clone(), source };
        for entry in fs::read_dir(&folder).map_err(io_error)? {
            let entry = entry.map_err(io_error)?;
            let kind = entry.file_type().map_err(io_error)?;
            seen += 1;
            if seen > FOLDER_FILES_MAX {
                return Err(ImportError::FolderTooLarge { path: path.to_owned(), max: FOLDER_FILES_MAX });
            }
            if kind.is_dir() && depth < FOLDER_DEPTH_MAX {
                folders.push((entry.path(), depth + 1));
            } else if kind.is_file() {
                match Plan::of(&entry.path(), None) {
                    Ok(plan) => found.known.push((entry.path(), plan.kind)),
                    Err(_) if is_beside_the_point(&entry.file_name().to_string_lossy()) => {}
                    Err(_) => found.unknown.push(entry.path()),
                }
            }
        }
    }
    found.known.sort();
    found.unknown.sort();
    Ok(found)
}

/// The files to import at `path`: the file itself, or the importable files of a folder.
pub fn list_inputs(path: &Path) -> Result<Vec<PathBuf>, ImportError> {
    if !is_dir(path)? {
        return Ok(vec![path.to_owned()]);
    }
    let found = look_through(path)?;
    if found.known.is_empty() {
        return Err(ImportError::NothingToImport { path: path.to_owned() });
    }
    Ok(found.known.into_iter().map(|(path, _)| path).collect())
}

fn one_kind(path: &Path, found: &FolderFiles) -> Result<SourceKind, ImportError> {
    let kinds = found.kinds();
    match kinds.first() {
        None => Err(ImportError::NothingToImport { path: path.to_owned() }),
        Some(_) if kinds.len() > 1 => Err(ImportError::MixedFolder { path: path.to_owned() }),
        Some(kind) => Ok(*kind),
    }
}

/// Reads the export at `path` into `sink`. Everything is checked to its end before the first message is emitted, so nothing is
/// emitted from a truncated or damaged file. A folder is read as a single export: of the kind given in the options, or of the
/// kind that all of its files share. Files of unknown kinds are skipped and counted.
pub fn read_path(path: &Path, options: &ImportOptions, sink: &mut dyn Sink) -> Result<FileReport, ImportError> {
    Ok(read_path_with(path, options, sink, OnAmbiguity::Refuse)?.0)
}

/// What to do if day and month cannot be told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnAmbiguity {
    /// Refuse the file, because an import must not guess.
    Refuse,
    /// Assume day first. Only for the preview, which asks the person.
    AssumeDayFirst,
}

/// Like [`read_path`], but also returns the question for the person if an ambiguous date order was allowed.
pub(crate) fn read_path_with(
    path: &Path,
    options: &ImportOptions,
    sink: &mut dyn Sink,
    on_ambiguity: OnAmbiguity,
) -> Result<(FileReport, Option<DateQuestion>), ImportError> {
    let mut plans = Vec::new();
    let mut unknown = Vec::new();
    if is_dir(path)? {
        let found = look_through(path)?;
        let kind = options.source.map_or_else(|| one_kind(path, &found), Ok)?;
        for (file, _) in found.known.iter().filter(|(_, known)| *known == kind) {
            plans.push(Plan::of(file, Some(kind))?);
        }
        unknown = found.unknown;
    } else {
        plans.push(Plan::of(path, options.source)?);
    }
    let Some(kind) = plans.first().map(|plan| plan.kind) else {
        return Err(ImportError::NothingToImport { path: path.to_owned() });
    };
    let bytes_total = plans.iter().flat_map(|plan| &plan.documents).map(|document| document.bytes).sum();
    for plan in &mut plans {
        plan.check(options, on_ambiguity, &mut || sink.progress(0, bytes_total))?;
    }
    let question = plans.iter().flat_map(|plan| &plan.surveys).find_map(|survey| survey.question.clone());
    let mut out = Out::new(sink, options, kind, bytes_total);
    for file in &unknown {
        out.skip(SkipReason::OtherKind, &file.file_name().unwrap_or_default().to_string_lossy());
    }
    let mut sessions = claude_code::Sessions::default();
    for plan in &mut plans {
        plan.read(&mut out, &mut sessions)?;
    }
    Ok((out.finish()?, question))
}

fn is_dir(path: &Path) -> Result<bool, ImportError> {
    let metadata = fs::metadata(path).map_err(|source| ImportError::Io { path: path.to_owned(), source })?;
    Ok(metadata.is_dir())
}

/// A file or archive, and what to read from it.
struct Plan {
    container: Container,
    kind: SourceKind,
    documents: Vec<Document>,
    /// Names of files of other or unknown kinds in the same archive.
    others: Vec<String>,
    /// For WhatsApp, the results of the first pass over each document.
    surveys: Vec<whatsapp::Survey>,
}

impl Plan {
    /// Decides what to read at `path`. `wanted` is the kind that the person specified, if any.
    fn of(path: &Path, wanted: Option<SourceKind>) -> Result<Self, ImportError> {
        let mut container = Container::open(path)?;
        let path = path.to_owned();
        let documents = container.documents().to_vec();
        if !container.is_archive() {
            let Some(document) = documents.first() else { return Err(ImportError::Empty { path }) };
            let sniffed = container.read(document, |input| sniff_document(input).map_err(|source| io_error(&path, source)))?;
            // Only meetings are exported as Word documents, even if the text looks like another format.
            let sniffed = match sniffed {
                Sniffed::Kind(kind) if container.is_word() && kind != SourceKind::Transcript => Sniffed::Unknown,
                sniffed => sniffed,
            };
            let kind = match (sniffed, wanted) {
                (_, Some(wanted)) if container.is_word() && wanted != SourceKind::Transcript => {
                    return Err(ImportError::WrongKind { path, wanted });
                }
                (Sniffed::Kind(kind), Some(wanted)) if kind != wanted => return Err(ImportError::WrongKind { path, wanted }),
                (Sniffed::Kind(kind), _) => kind,
                (Sniffed::Empty, _) => return Err(ImportError::Empty { path }),
                (Sniffed::Utf16, _) => return Err(ImportError::Utf16 { path }),
                (Sniffed::Binary, _) => return Err(ImportError::Binary { path }),
                (Sniffed::Unknown | Sniffed::UnknownJson, Some(wanted)) => wanted,
                (Sniffed::Unknown, None) => return Err(ImportError::Unknown { path }),
                (Sniffed::UnknownJson, None) => {
                    // If the file was cut off before its kind could be detected, report it as truncated.
                    let check = container.read(document, |input| Ok(check_document(input, &mut || Ok(()))))?;
                    return Err(if matches!(check, Err(Fault::Truncated)) {
                        ImportError::Truncated { path }
                    } else {
                        ImportError::Unknown { path }
                    });
                }
            };
            return Ok(Self { container, kind, documents, others: Vec::new(), surveys: Vec::new() });
        }
        let mut known: Vec<(SourceKind, Document)> = Vec::new();
        let mut unknown = Vec::new();
        for document in documents {
            let sniffed =
                container.read(&document, |input| sniff_document(input).map_err(|error| damaged_entry(&path, error)))?;
            match sniffed {
                Sniffed::Kind(kind) => known.push((kind, document)),
                Sniffed::Unknown | Sniffed::UnknownJson | Sniffed::Utf16 => unknown.push(document.name),
                // Media without a file extension, or empty files. Not worth reporting.
                Sniffed::Binary | Sniffed::Empty => {}
            }
        }
        let bytes_of = |kind: SourceKind| known.iter().filter(|(k, _)| *k == kind).map(|(_, d)| d.bytes).sum::<u64>();
        let kind = match wanted {
            Some(wanted) if known.iter().any(|(kind, _)| *kind == wanted) => wanted,
            Some(wanted) => return Err(ImportError::WrongKind { path, wanted }),
            None => match known.iter().map(|(kind, _)| *kind).max_by_key(|kind| bytes_of(*kind)) {
                Some(kind) => kind,
                None if container.holds_word() => {
                    let reason = "it contains Word documents; unpack it and import those".to_owned();
                    return Err(ImportError::Archive { path, reason });
                }
                None => return Err(ImportError::Unknown { path }),
            },
        };
        let (mine, others): (Vec<_>, Vec<_>) = known.into_iter().partition(|(k, _)| *k == kind);
        Ok(Self {
            container,
            kind,
            documents: mine.into_iter().map(|(_, document)| document).collect(),
            others: others.into_iter().map(|(_, document)| document.name).chain(unknown).collect(),
            surveys: Vec::new(),
        })
    }

    /// Checks every document to its end.
    fn check(
        &mut self,
        options: &ImportOptions,
        on_ambiguity: OnAmbiguity,
        tick: &mut dyn FnMut() -> Result<(), Stop>,
    ) -> Result<(), ImportError> {
        let is_archive = self.container.is_archive();
        let archive_name = self.container.stem();
        let kind = self.kind;
        for document in &self.documents {
            let path = self.container.path().to_owned();
            let names = [document.stem(), &archive_name];
            let (fault, survey) = self.container.read(document, |input| {
                Ok(match kind {
                    SourceKind::Chatgpt | SourceKind::Claude => (check_document(input, tick), None),
                    SourceKind::KeepsakeJsonl | SourceKind::ClaudeCode | SourceKind::CodexCli => (check_lines(input, tick), None),
                    SourceKind::GeminiCli => (gemini_cli::check(input, tick), None),
                    SourceKind::Transcript => (check_transcript(input, tick), None),
                    SourceKind::Whatsapp => match whatsapp::survey(input, &names, options.date_order, tick) {
                        Ok(survey) => (Ok(()), Some(survey)),
                        Err(Halt::Stop(stop)) => (Err(stop.into()), None),
                        Err(Halt::Io(error)) => (Err(error.into()), None),
                    },
                })
            })?;
            match fault {
                Ok(()) => {}
                Err(Fault::Empty) => return Err(ImportError::Empty { path }),
                Err(Fault::Truncated) => return Err(ImportError::Truncated { path }),
                Err(Fault::Damaged(offset)) => return Err(ImportError::Damaged { path, offset }),
                Err(Fault::Io(error)) if is_archive => return Err(damaged_entry(&path, error)),
                Err(Fault::Io(source)) => return Err(ImportError::Io { path, source }),
                Err(Fault::Stopped(stop)) => return Err(stop.into()),
            }
            if let Some(survey) = survey {
                let sample = survey.question.as_ref().and_then(|question| question.samples.first());
                if let (OnAmbiguity::Refuse, Some(DateSample { written, day_first, month_first })) =
                    (on_ambiguity, sample.cloned())
                {
                    return Err(ImportError::DateOrderNeeded { path, sample: written, day_first, month_first });
                }
                self.surveys.push(survey);
            }
        }
        Ok(())
    }

    /// Reads every document.
    fn read(&mut self, out: &mut Out<'_>, sessions: &mut claude_code::Sessions) -> Result<(), ImportError> {
        for name in &self.others {
            out.skip(SkipReason::OtherKind, name);
        }
        let path = self.container.path().to_owned();
        let is_archive = self.container.is_archive();
        let folder = path.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        let mut surveys = self.surveys.iter();
        for document in &self.documents {
            let kind = self.kind;
            self.container.read(document, |input| {
                let read = match kind {
                    SourceKind::Chatgpt => chatgpt::read(input, out),
                    SourceKind::KeepsakeJsonl => keepsake::read(input, out),
                    SourceKind::Claude => claude::read(input, out),
                    SourceKind::ClaudeCode => claude_code::read(input, out, sessions),
                    SourceKind::CodexCli => codex_cli::read(input, out),
                    SourceKind::GeminiCli => gemini_cli::read(input, out),
                    SourceKind::Transcript => transcript::read(input, &document.name, folder.as_deref(), out),
                    // `check` created one survey per document.
                    SourceKind::Whatsapp => surveys.next().map_or(Ok(()), |survey| whatsapp::read(input, out, survey)),
                };
                read.map_err(|halt| match halt {
                    Halt::Stop(stop) => stop.into(),
                    Halt::Io(error) if is_archive => damaged_entry(&path, error),
                    Halt::Io(source) => io_error(&path, source),
                })
            })?;
            out.end_document(document.bytes);
        }
        Ok(())
    }
}

/// Checks that JSON is complete. For text, completeness cannot be checked.
fn check_transcript(input: &mut dyn BufRead, tick: &mut dyn FnMut() -> Result<(), Stop>) -> Result<(), Fault> {
    if transcript::is_json(input.fill_buf()?) { check_document(input, tick) } else { drain(input, tick) }
}

/// Reads to the end, which verifies an archive's checksum.
fn drain(input: &mut dyn BufRead, tick: &mut dyn FnMut() -> Result<(), Stop>) -> Result<(), Fault> {
    loop {
        let len = input.fill_buf()?.len();
        if len == 0 {
            return Ok(());
        }
        input.consume(len);
        tick()?;
    }
}

fn io_error(path: &Path, source: io::Error) -> ImportError {
    ImportError::Io { path: path.to_owned(), source }
}

fn damaged_entry(path: &Path, error: io::Error) -> ImportError {
    ImportError::Archive { path: path.to_owned(), reason: format!("an entry is damaged ({error}); download or copy it again") }
}
