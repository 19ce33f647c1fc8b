//! Reads an export: checks all of its files to the end, then reads them. `find` determines which files belong to it.

use std::io::BufRead;
use std::path::{Path, PathBuf};

use keepsake_domain::SourceKind;

use crate::archive::Container;
use crate::calendar::{CALENDAR_BYTES_MAX, Calendar};
use crate::database::Database;
use crate::date_question::{DateQuestion, DateSample};
use crate::error::database_error;
use crate::files::Files;
use crate::find::{self, Found, Piece, Reader};
use crate::format::{Check, Input, Site};
use crate::halt::Halt;
use crate::json::{Fault, check_document, check_lines};
use crate::left_out::CALENDAR_ENDING;
use crate::limits::FOLDER_FILES_MAX;
use crate::out::Out;
use crate::time::Zone;
use crate::unpacked::Unpacked;
use crate::{FileReport, ImportError, ImportOptions, Read, Sink, SkipReason, Stop};
use crate::{chatgpt, claude, claude_code, codex_cli, gemini_cli, keepsake, transcript, whatsapp};

/// Reads the export at `path` into `sink`. Everything is checked to its end before the first message is emitted, so nothing is
/// emitted from a truncated or damaged file. A folder is read as a single export: of the kind given in the options, or of the
/// kind that all of its files share. Unless the options name a kind, the files that are not read are skipped and counted.
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
    let found = Found::at(path, options.source)?;
    let kind = found.kind(path, options.source)?;
    let (pieces, others): (Vec<Piece>, Vec<Piece>) = found.pieces.into_iter().partition(|piece| piece.reader.kind() == kind);
    let bytes_total = pieces.iter().flat_map(|piece| &piece.documents).map(|document| document.bytes).sum();
    let mut surveys = Vec::new();
    let mut opened = Opened::default();
    for piece in &pieces {
        let container = opened.at(&piece.container)?;
        check(container, piece, options, &mut surveys, &mut || sink.progress(0, bytes_total))?;
    }
    let question = surveys.iter().find_map(|survey| survey.question.clone());
    if let (OnAmbiguity::Refuse, Some(DateSample { written, day_first, month_first })) =
        (on_ambiguity, question.as_ref().and_then(|question| question.samples.first()).cloned())
    {
        return Err(ImportError::DateOrderNeeded { path: path.to_owned(), sample: written, day_first, month_first });
    }
    let mut out = Out::new(sink, options, kind, bytes_total);
    out.names_owner = pieces.iter().all(|piece| piece.reader.names_owner());
    // A caller that specifies the kind has already examined the other files. Otherwise they are counted here.
    if options.source.is_none() {
        let unread = found.left_out.iter().filter(|file| file.reason.may_be_an_export());
        let unread = unread.map(|file| file.path.rsplit('/').next().unwrap_or_default());
        let others = others.iter().flat_map(|piece| &piece.documents).map(|document| document.name.as_str());
        for name in others.chain(unread) {
            out.skip(SkipReason::OtherKind, name);
        }
    }
    let mut state = State { sessions: claude_code::Sessions::default(), surveys: surveys.iter() };
    for piece in &pieces {
        read(opened.at(&piece.container)?, piece, &mut state, &mut out)?;
    }
    Ok((out.finish()?, question))
}

/// The most recently opened container, reused because its pieces are consecutive.
#[derive(Default)]
struct Opened(Option<Container>);

impl Opened {
    fn at(&mut self, path: &Path) -> Result<&mut Container, ImportError> {
        let opened = match self.0.take().filter(|opened| opened.path() == path) {
            Some(opened) => opened,
            None => find::open(path)?,
        };
        Ok(self.0.insert(opened))
    }
}

/// The state kept from one file to the next.
struct State<'s> {
    sessions: claude_code::Sessions,
    /// The results of the first pass over each WhatsApp chat.
    surveys: std::slice::Iter<'s, whatsapp::Survey>,
}

/// Checks every file of a piece to its end.
fn check(
    container: &mut Container,
    piece: &Piece,
    options: &ImportOptions,
    surveys: &mut Vec<whatsapp::Survey>,
    tick: &mut dyn FnMut() -> Result<(), Stop>,
) -> Result<(), ImportError> {
    if let Reader::Format(format) = piece.reader
        && let Input::Database { read, .. } = format.input
    {
        let unpacked = unpacked(container, piece, tick)?;
        let database = sound_database(&database_path(piece, unpacked.as_ref()), &piece.container)?;
        // Damage within a row shows only when the row is read. A trial read finds it before anything is emitted.
        let mut trial = Trial(tick);
        let mut out = Out::new(&mut trial, options, format.kind, 0);
        return read(database.connection(), &mut out).map_err(|halt| halt.at(&piece.container, false));
    }
    let is_archive = container.is_archive();
    let archive_name = container.stem();
    for document in &piece.documents {
        let path = container.file_of(document).unwrap_or(container.path()).to_owned();
        let fault = container.read(document, |input| {
            Ok(match piece.reader {
                Reader::Kind(SourceKind::Whatsapp) => {
                    match whatsapp::survey(input, &[document.stem(), &archive_name], options.date_order, tick) {
                        Ok(survey) => {
                            surveys.push(survey);
                            Ok(())
                        }
                        Err(Halt::Stop(stop)) => Err(stop.into()),
                        Err(Halt::Io(error)) => Err(error.into()),
                        Err(halt) => return Err(halt.at(&path, is_archive)),
                    }
                }
                Reader::Kind(SourceKind::GeminiCli) => gemini_cli::check(input, tick),
                Reader::Kind(SourceKind::Transcript) => check_transcript(input, tick),
                reader => match check_of(reader, &document.path) {
                    Check::Json => check_document(input, tick),
                    Check::JsonLines => check_lines(input, tick),
                    Check::Text => drain(input, tick),
                },
            })
        })?;
        match fault {
            Ok(()) => {}
            // One of several files may contain nothing.
            Err(Fault::Empty) if piece.documents.len() > 1 => {}
            Err(Fault::Empty) => return Err(ImportError::Empty { path }),
            Err(Fault::Truncated) => return Err(ImportError::Truncated { path }),
            Err(Fault::Damaged(offset)) => return Err(ImportError::Damaged { path, offset }),
            Err(Fault::Io(error)) => return Err(Halt::Io(error).at(&path, is_archive)),
            Err(Fault::Stopped(stop)) => return Err(stop.into()),
        }
    }
    Ok(())
}

/// How to check the file at this path.
fn check_of(reader: Reader, path: &str) -> Check {
    match reader {
        Reader::Kind(SourceKind::Chatgpt | SourceKind::Claude) => Check::Json,
        Reader::Kind(_) => Check::JsonLines,
        Reader::Format(format) => match format.input {
            Input::Document { check, .. } => check,
            // Hidden folders contain a program's settings. An error in them is no reason to refuse the program's data.
            Input::Files { .. } if path.split('/').any(|part| part.starts_with('.')) => Check::Text,
            Input::Database { .. } => Check::Text,
            Input::Files { json, .. } => match path.rsplit_once('.').map(|(_, ending)| ending.to_lowercase()).as_deref() {
                Some("json") => json,
                Some("jsonl" | "ndjson") => Check::JsonLines,
                _ => Check::Text,
            },
        },
    }
}

/// Reads every file of a piece.
fn read(container: &mut Container, piece: &Piece, state: &mut State<'_>, out: &mut Out<'_>) -> Result<(), ImportError> {
    let is_archive = container.is_archive();
    let path = piece.container.clone();
    let bytes = piece.documents.iter().map(|document| document.bytes).sum();
    if let Reader::Format(format) = piece.reader {
        match format.input {
            Input::Files { read, .. } => {
                read(&mut Files::new(container, &piece.root, &piece.documents), out)
                    .map_err(|halt| halt.at(&path, is_archive))?;
                out.end_document(bytes);
                return Ok(());
            }
            Input::Database { read, .. } => {
                let unpacked = unpacked(container, piece, &mut || Ok(()))?;
                let at = database_path(piece, unpacked.as_ref());
                let database = Database::open(&at).map_err(|error| database_error(&path, &error.to_string()))?;
                read(database.connection(), out).map_err(|halt| halt.at(&path, is_archive))?;
                out.end_document(bytes);
                return Ok(());
            }
            Input::Document { .. } => {}
        }
    }
    let folder = path.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let mut calendars = None;
    for document in &piece.documents {
        let site = Site { name: &document.name, folder: document.folder().or(folder.as_deref()) };
        container.read(document, |input| {
            let read = match piece.reader {
                Reader::Format(format) => match format.input {
                    Input::Document { read, .. } => read(input, &site, out),
                    Input::Files { .. } | Input::Database { .. } => Ok(()),
                },
                Reader::Kind(kind) => match kind {
                    SourceKind::Chatgpt => chatgpt::read(input, out),
                    SourceKind::Claude => claude::read(input, out),
                    SourceKind::ClaudeCode => claude_code::read(input, out, &mut state.sessions),
                    SourceKind::CodexCli => codex_cli::read(input, out),
                    SourceKind::GeminiCli => gemini_cli::read(input, out),
                    SourceKind::Transcript => {
                        let beside = calendars.get_or_insert_with(|| calendars_beside(&path, out.options.zone));
                        transcript::read(input, site.name, site.folder, beside, out)
                    }
                    // `check` created one survey per document.
                    SourceKind::Whatsapp => state.surveys.next().map_or(Ok(()), |survey| whatsapp::read(input, out, survey)),
                    _ => keepsake::read(input, out),
                },
            };
            read.map_err(|halt| halt.at(&path, is_archive))
        })?;
        out.end_document(document.bytes);
    }
    Ok(())
}

/// Maximum number of calendars that are read beside a transcript.
const CALENDARS_MAX: usize = 8;

/// The calendars in the folder at `path`, or in the folder that contains `path` if it is a file. Unreadable calendars are
/// ignored, because the transcript can be read without them.
fn calendars_beside(path: &Path, zone: Zone) -> Vec<Calendar> {
    let Some(folder) = (if path.is_dir() { Some(path) } else { path.parent() }) else { return Vec::new() };
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).take(FOLDER_FILES_MAX).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(CALENDAR_ENDING)) && path.is_file());
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let bytes = std::fs::metadata(path).ok()?.len();
        let text = (bytes <= CALENDAR_BYTES_MAX).then(|| std::fs::read(path).ok())??;
        Calendar::parse(&String::from_utf8_lossy(&text), zone)
    };
    paths.iter().take(CALENDARS_MAX).filter_map(read).collect()
}

/// A sink that discards everything it receives.
struct Trial<'t>(&'t mut dyn FnMut() -> Result<(), Stop>);

impl Sink for Trial<'_> {
    fn take(&mut self, _: Read) -> Result<(), Stop> {
        Ok(())
    }

    fn progress(&mut self, _: u64, _: u64) -> Result<(), Stop> {
        (self.0)()
    }
}

/// The unpacked copy of a database in an archive; `None` if the database is a plain file.
fn unpacked(
    container: &mut Container,
    piece: &Piece,
    tick: &mut dyn FnMut() -> Result<(), Stop>,
) -> Result<Option<Unpacked>, ImportError> {
    match piece.documents.first().filter(|_| container.is_archive()) {
        Some(document) => Unpacked::of(container, document, tick).map(Some),
        None => Ok(None),
    }
}

/// Where the database of a piece is.
fn database_path(piece: &Piece, unpacked: Option<&Unpacked>) -> PathBuf {
    unpacked.map_or_else(|| piece.container.clone(), Unpacked::path)
}

/// Opens a database and checks that its structure is sound. `path` is the path shown to the person.
fn sound_database(at: &Path, path: &Path) -> Result<Database, ImportError> {
    let unreadable = |error: rusqlite::Error| database_error(path, &error.to_string());
    let database = Database::open(at).map_err(unreadable)?;
    match database.fault().map_err(unreadable)? {
        None => Ok(database),
        Some(fault) => Err(database_error(path, &format!("it is damaged ({fault})"))),
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
