//! Finds what can be imported from a file, archive or folder: which files form an export, what kind of export it is, and why
//! the other files are left out. Every file is on one of these two lists.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, Read as _};
use std::path::{Path, PathBuf};

use keepsake_domain::SourceKind;

use crate::ImportError;
use crate::archive::{Container, Document};
use crate::database::Database;
use crate::error::{damaged_entry, database_error};
use crate::files::below;
use crate::format::{Format, Head, Input};
use crate::formats::{FORMATS, NAMED_BY_PERSON};
use crate::json::{Fault, check_document};
use crate::keepsake_export;
use crate::left_out::{LeftOut, LeftOutReason};
use crate::limits::SNIFF_BYTES;
use crate::other_parts::other_parts;
use crate::sniff::{Sniffed, sniff_document};
use crate::unpacked::{LOG, Unpacked};

/// An export that is read as one import.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Export {
    /// The file or archive, or the folder of a multi-file export.
    pub path: PathBuf,
    /// Its kind. An archive may contain exports of several kinds.
    pub kind: SourceKind,
    /// The number of files in it.
    pub files: usize,
}

/// The contents of a file, archive or folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inventory {
    /// The exports, sorted by path.
    pub exports: Vec<Export>,
    /// The files that are not imported, with paths relative to the searched archive or folder.
    pub left_out: Vec<LeftOut>,
}

impl Inventory {
    /// The kinds of the exports, each listed once.
    pub fn kinds(&self) -> BTreeSet<SourceKind> {
        self.exports.iter().map(|export| export.kind).collect()
    }
}

/// How a piece is read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Reader {
    /// By the importer of this kind, which is not in the table of formats.
    Kind(SourceKind),
    /// By this format from the table.
    Format(&'static Format),
}

impl Reader {
    /// True if it reads a database.
    fn is_database(self) -> bool {
        matches!(self, Self::Format(Format { input: Input::Database { .. }, .. }))
    }

    /// Whether its exports identify the owner.
    pub(crate) fn names_owner(self) -> bool {
        match self {
            Self::Kind(kind) => !matches!(kind, SourceKind::Whatsapp | SourceKind::Transcript | SourceKind::KeepsakeJsonl),
            Self::Format(format) => format.names_owner,
        }
    }

    /// The kind of its messages.
    pub(crate) fn kind(self) -> SourceKind {
        match self {
            Self::Kind(kind) => kind,
            Self::Format(format) => format.kind,
        }
    }
}

/// The suffixes that SQLite adds to a database's name for the files that it keeps beside the database.
const BESIDE_DATABASES: [&str; 2] = [LOG, "-shm"];

/// The files that one call of an importer reads.
#[derive(Debug)]
pub(crate) struct Piece {
    /// The file, archive or folder that contains it.
    pub(crate) container: PathBuf,
    /// The reader for these files.
    pub(crate) reader: Reader,
    /// For a multi-file export, its folder within the container.
    pub(crate) root: String,
    /// The files.
    pub(crate) documents: Vec<Document>,
}

impl Piece {
    /// Where the person finds it: the file, the archive, or the folder of a multi-file export.
    fn path(&self) -> PathBuf {
        if self.root.is_empty() || !self.container.is_dir() { self.container.clone() } else { self.container.join(&self.root) }
    }
}

/// The result of a search: the pieces found and the files left out.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The pieces, grouped by container.
    pub(crate) pieces: Vec<Piece>,
    /// The files that are not imported.
    pub(crate) left_out: Vec<LeftOut>,
}

/// Detects the kind of export at `path` from its content, never from its name. In an archive with several kinds, the one with
/// the most data is used.
pub fn sniff(path: &Path) -> Result<SourceKind, ImportError> {
    Found::at(path, None)?.kind(path, None)
}

/// Looks through a file, archive or folder for what can be imported.
pub fn look_through(path: &Path) -> Result<Inventory, ImportError> {
    let found = Found::at(path, None)?;
    let mut exports: BTreeMap<(PathBuf, SourceKind), usize> = BTreeMap::new();
    for piece in &found.pieces {
        *exports.entry((piece.path(), piece.reader.kind())).or_default() += piece.documents.len();
    }
    let exports = exports.into_iter().map(|((path, kind), files)| Export { path, kind, files }).collect();
    Ok(Inventory { exports, left_out: found.left_out })
}

/// What the paths in a folder reveal without opening the files: which files belong together, and which are not exports.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layout {
    /// The multi-file exports, each with its files.
    pub together: Vec<(Export, BTreeSet<PathBuf>)>,
    /// Media, documents, empty files and parts of a Keepsake export, which are never imported.
    pub passed_over: BTreeSet<PathBuf>,
    /// Parts of a service's download that contain no messages. They count as such only if no importer recognizes their content.
    pub other_parts: BTreeSet<PathBuf>,
}

/// The layout of a folder; empty for a file or an archive.
pub fn layout(folder: &Path) -> Result<Layout, ImportError> {
    let container = open(folder)?;
    if !container.is_folder() {
        return Ok(Layout::default());
    }
    let (documents, parts) = keepsake_export::set_apart(container.documents());
    let named = container.left_out().iter().filter(|file| !file.reason.may_be_an_export()).map(|file| &file.path);
    let passed_over = named.chain(&parts).map(|path| folder.join(path)).collect();
    let all = all_paths(&container);
    let other_parts = other_parts(&all.iter().map(String::as_str).collect::<Vec<_>>());
    let other_parts = other_parts.into_iter().map(|path| folder.join(path)).collect();
    let (exports, _) = exports_of_files(&documents);
    let together = exports.into_iter().map(|(format, root, files)| {
        let path = if root.is_empty() { folder.to_owned() } else { folder.join(root) };
        let export = Export { path, kind: format.kind, files: files.len() };
        (export, files.iter().map(|file| folder.join(&file.path)).collect())
    });
    Ok(Layout { together: together.collect(), passed_over, other_parts })
}

/// The paths of all files in a folder or archive, including those that are not examined.
fn all_paths(container: &Container) -> Vec<String> {
    let named = container.left_out().iter().map(|file| file.path.clone());
    container.documents().iter().map(|document| document.path.clone()).chain(named).collect()
}

/// The path of the database beside which SQLite keeps this file, derived from the file's name.
pub fn database_beside(file: &Path) -> Option<PathBuf> {
    let name = file.to_str()?;
    BESIDE_DATABASES.iter().find_map(|ending| name.strip_suffix(ending)).map(PathBuf::from)
}

/// Opens a file, archive or folder.
pub(crate) fn open(path: &Path) -> Result<Container, ImportError> {
    let metadata = std::fs::metadata(path).map_err(|source| ImportError::Io { path: path.to_owned(), source })?;
    if metadata.is_dir() { Container::open_folder(path) } else { Container::open(path) }
}

impl Found {
    /// Searches the file, archive or folder at `path`. `wanted` is the kind that the person specified, if any. A single file
    /// that cannot be read gives an error with the reason; in a folder or archive, it is left out.
    pub(crate) fn at(path: &Path, wanted: Option<SourceKind>) -> Result<Self, ImportError> {
        let mut found = Self::default();
        let container = open(path)?;
        if container.is_folder() || container.is_archive() {
            found.look_in(container, "")?;
        } else {
            found.pieces.push(of_file(container, wanted)?);
        }
        found.left_out.sort();
        Ok(found)
    }

    /// The kind to read: the wanted one, or the only one. In an archive with several kinds, the one with the most data.
    pub(crate) fn kind(&self, path: &Path, wanted: Option<SourceKind>) -> Result<SourceKind, ImportError> {
        let path = path.to_owned();
        let mut bytes: BTreeMap<SourceKind, u64> = BTreeMap::new();
        for piece in &self.pieces {
            *bytes.entry(piece.reader.kind()).or_default() += piece.documents.iter().map(|document| document.bytes).sum::<u64>();
        }
        let is_folder = path.is_dir();
        let largest = bytes.iter().max_by_key(|(_, bytes)| **bytes).map(|(kind, _)| *kind);
        match (wanted, largest) {
            (Some(wanted), _) if bytes.contains_key(&wanted) => Ok(wanted),
            (None, Some(_)) if is_folder && bytes.len() > 1 => Err(ImportError::MixedFolder { path }),
            (None, Some(largest)) => Ok(largest),
            _ if is_folder => Err(ImportError::NothingToImport { path }),
            (Some(wanted), _) => Err(ImportError::WrongKind { path, wanted }),
            (None, None) => Err(match self.left_out.iter().find(|file| is_to_be_unpacked(file.reason)) {
                Some(file) => ImportError::Archive { path, reason: format!("it contains {}", file.reason.text()) },
                None => ImportError::Unknown { path },
            }),
        }
    }

    /// Searches the files of an archive or folder. `within` is its path relative to the folder where the search began.
    fn look_in(&mut self, mut container: Container, within: &str) -> Result<(), ImportError> {
        let shown = |path: &str| if within.is_empty() { path.to_owned() } else { format!("{within}/{path}") };
        let before = self.left_out.len();
        for file in container.left_out() {
            self.left_out.push(LeftOut { path: shown(&file.path), reason: file.reason });
        }
        let all = all_paths(&container);
        let (documents, parts) = keepsake_export::set_apart(container.documents());
        let parts = parts.iter().map(|path| LeftOut { path: shown(path), reason: LeftOutReason::KeepsakePart });
        self.left_out.extend(parts);
        let (exports, single) = exports_of_files(&documents);
        let at = container.path().to_owned();
        let piece = |reader, root, documents| Piece { container: at.clone(), reader, root, documents };
        self.pieces.extend(exports.into_iter().map(|(format, root, files)| piece(Reader::Format(format), root, files)));
        let mut databases = BTreeSet::new();
        for document in single {
            let path = shown(&document.path);
            if let Some(file) = container.file_of(&document).map(Path::to_owned) {
                match self.take_file(&file, &path) {
                    Ok(()) if self.pieces.last().is_some_and(|piece| piece.container == file && piece.reader.is_database()) => {
                        databases.insert(path);
                    }
                    Ok(()) => {}
                    Err(error) => self.left_out.push(LeftOut { path, reason: reason_of_error(&error) }),
                }
                continue;
            }
            let sniffed = container.read(&document, |input| sniff_document(input).map_err(|error| damaged_entry(&at, &error)))?;
            match sniffed {
                Sniffed::Kind(kind) => self.pieces.push(piece(Reader::Kind(kind), String::new(), vec![document])),
                Sniffed::Format(format) => self.pieces.push(piece(Reader::Format(format), String::new(), vec![document])),
                Sniffed::Database => match packed_format(&mut container, &document) {
                    Ok(format) => {
                        databases.insert(path);
                        self.pieces.push(piece(Reader::Format(format), String::new(), vec![document]));
                    }
                    Err(error) => self.left_out.push(LeftOut { path, reason: reason_of_error(&error) }),
                },
                Sniffed::Binary if is_encrypted(&mut container, &document)? => {
                    self.left_out.push(LeftOut { path, reason: LeftOutReason::Encrypted });
                }
                other => self.left_out.push(LeftOut { path, reason: reason_of(other) }),
            }
        }
        // The files that SQLite keeps beside a database are read with it.
        let is_read = |path: &str| {
            let database = BESIDE_DATABASES.iter().find_map(|ending| path.strip_suffix(ending));
            database.is_some_and(|database| databases.contains(database))
        };
        self.left_out.retain(|file| !is_read(&file.path));
        let parts = || other_parts(&all.iter().map(String::as_str).collect::<Vec<_>>());
        let parts = LazyCell::new(|| parts().iter().map(|path| shown(path)).collect::<BTreeSet<_>>());
        for file in self.left_out.iter_mut().skip(before).filter(|file| file.reason == LeftOutReason::Unknown) {
            if parts.contains(&file.path) {
                file.reason = LeftOutReason::OtherPart;
            }
        }
        Ok(())
    }

    /// Adds a file in a folder, as if it had been chosen by itself.
    fn take_file(&mut self, file: &Path, shown: &str) -> Result<(), ImportError> {
        let container = Container::open(file)?;
        if !container.is_archive() {
            self.pieces.push(of_file(container, None)?);
            return Ok(());
        }
        let mut inner = Self::default();
        inner.look_in(container, shown)?;
        self.pieces.append(&mut inner.pieces);
        self.left_out.append(&mut inner.left_out);
        Ok(())
    }
}

/// The piece for a single file. The file is refused with a reason if it is not of the wanted kind.
fn of_file(mut container: Container, wanted: Option<SourceKind>) -> Result<Piece, ImportError> {
    let path = container.path().to_owned();
    let Some(document) = container.documents().first().cloned() else { return Err(ImportError::Empty { path }) };
    let sniffed = container
        .read(&document, |input| sniff_document(input).map_err(|source| ImportError::Io { path: path.clone(), source }))?;
    let reader = match (sniffed, wanted) {
        (_, Some(wanted)) if container.is_word() && wanted != SourceKind::Transcript => {
            return Err(ImportError::WrongKind { path, wanted });
        }
        (Sniffed::Kind(SourceKind::Transcript), _) => Reader::Kind(SourceKind::Transcript),
        // Only meetings are exported as Word documents, even if the text looks like another format.
        (Sniffed::Kind(_) | Sniffed::Format(_), _) if container.is_word() => return Err(ImportError::Unknown { path }),
        (Sniffed::Kind(kind), _) => Reader::Kind(kind),
        (Sniffed::Format(format), _) => Reader::Format(format),
        (Sniffed::Database, _) => Reader::Format(database_format(&path, &path)?),
        (Sniffed::Empty, _) => return Err(ImportError::Empty { path }),
        (Sniffed::Utf16, _) => return Err(ImportError::Utf16 { path }),
        (Sniffed::Binary, _) => {
            let is_encrypted = is_encrypted(&mut container, &document)?;
            return Err(if is_encrypted { ImportError::Encrypted { path } } else { ImportError::Binary { path } });
        }
        (Sniffed::Unknown | Sniffed::UnknownJson, Some(wanted)) => {
            match by_name(wanted, &beginning(&mut container, &document)?) {
                Some(reader) => reader,
                None => return Err(ImportError::WrongKind { path, wanted }),
            }
        }
        (Sniffed::Unknown, None) => return Err(ImportError::Unknown { path }),
        (Sniffed::UnknownJson, None) => {
            // If the file was cut off before its kind could be detected, report it as truncated.
            let check = container.read(&document, |input| Ok(check_document(input, &mut || Ok(()))))?;
            return Err(match check {
                Err(Fault::Truncated) => ImportError::Truncated { path },
                _ => ImportError::Unknown { path },
            });
        }
    };
    match wanted.filter(|wanted| *wanted != reader.kind()) {
        Some(wanted) => Err(ImportError::WrongKind { path, wanted }),
        None => Ok(Piece { container: path, reader, root: String::new(), documents: vec![document] }),
    }
}

/// A multi-file export: its format, its folder and its files.
type ExportOfFiles = (&'static Format, String, Vec<Document>);

/// The multi-file exports among these files, each with its folder, and the files that belong to none.
fn exports_of_files(documents: &[Document]) -> (Vec<ExportOfFiles>, Vec<Document>) {
    // The files below each folder, as indexes into `documents`. Collected once, because a download may have thousands of
    // folders.
    let mut folders: BTreeMap<&str, Vec<usize>> = BTreeMap::from([("", (0..documents.len()).collect())]);
    for (place, document) in documents.iter().enumerate() {
        for folder in document.path.match_indices('/').filter_map(|(at, _)| document.path.get(..at)) {
            folders.entry(folder).or_default().push(place);
        }
    }
    let mut is_taken = vec![false; documents.len()];
    let mut exports = Vec::new();
    // A folder precedes its subfolders, so an export is found at its own folder.
    for (root, within) in folders {
        for format in FORMATS {
            let Input::Files { claims, .. } = format.input else { continue };
            let here: Vec<(usize, &str)> = within
                .iter()
                .filter(|place| !is_taken.get(**place).copied().unwrap_or(true))
                .filter_map(|place| Some((*place, below(&documents.get(*place)?.path, root)?)))
                .collect();
            let paths: Vec<&str> = here.iter().map(|(_, path)| *path).collect();
            let taken: BTreeSet<usize> =
                claims(&paths).into_iter().filter_map(|at| here.get(at)).map(|(place, _)| *place).collect();
            if taken.is_empty() {
                continue;
            }
            for place in &taken {
                if let Some(is_taken) = is_taken.get_mut(*place) {
                    *is_taken = true;
                }
            }
            let files = taken.iter().filter_map(|place| documents.get(*place).cloned()).collect();
            exports.push((format, root.to_owned(), files));
        }
    }
    let rest = documents.iter().zip(is_taken).filter(|(_, is_taken)| !is_taken).map(|(document, _)| document.clone()).collect();
    (exports, rest)
}

/// The possible kinds of a file that no importer recognizes, so that the person can choose one.
pub fn may_be(path: &Path) -> Result<Vec<SourceKind>, ImportError> {
    let mut container = open(path)?;
    if container.is_folder() || container.is_archive() || container.is_word() {
        return Ok(Vec::new());
    }
    let Some(document) = container.documents().first().cloned() else { return Ok(Vec::new()) };
    let sniffed = container.read(&document, |input| sniff_document(input).map_err(|error| damaged_entry(path, &error)))?;
    if !matches!(sniffed, Sniffed::Unknown) {
        return Ok(Vec::new());
    }
    let head = beginning(&mut container, &document)?;
    Ok(NAMED_BY_PERSON.iter().filter(|format| may_read(format, &head)).map(|format| format.kind).collect())
}

/// The first bytes of a file.
fn beginning(container: &mut Container, document: &Document) -> Result<Vec<u8>, ImportError> {
    let path = container.path().to_owned();
    container.read(document, |input| {
        let mut head = Vec::new();
        input.take(SNIFF_BYTES as u64).read_to_end(&mut head).map_err(|source| ImportError::Io { path, source })?;
        Ok(head)
    })
}

/// Whether a file with this beginning can be read in a format that the person has to name.
fn may_read(format: &Format, head: &[u8]) -> bool {
    matches!(format.input, Input::Document { claims, .. } if claims(&Head::of(head)))
}

/// The importer of a kind that the person named, for a file that nothing recognizes.
fn by_name(kind: SourceKind, head: &[u8]) -> Option<Reader> {
    if let Some(format) = NAMED_BY_PERSON.iter().find(|format| format.kind == kind && may_read(format, head)) {
        return Some(Reader::Format(format));
    }
    // ChatGPT's memories have a format in the table, but an unrecognized ChatGPT file is more likely to contain conversations.
    if kind == SourceKind::Chatgpt {
        return Some(Reader::Kind(kind));
    }
    match FORMATS.iter().filter(|format| format.kind == kind).collect::<Vec<_>>().as_slice() {
        [] => Some(Reader::Kind(kind)),
        formats => {
            formats.iter().find(|format| matches!(format.input, Input::Document { .. })).map(|format| Reader::Format(format))
        }
    }
}

fn is_encrypted(container: &mut Container, document: &Document) -> Result<bool, ImportError> {
    container.read(document, |input| Ok(looks_encrypted(input, document.bytes)))
}

/// True if the file consists of whole pages and the first one contains nearly every byte value, as in encrypted databases.
fn looks_encrypted(input: &mut dyn BufRead, bytes: u64) -> bool {
    const PAGE: usize = 4096;
    const DIFFERENT_MIN: usize = 250;
    let mut page = Vec::with_capacity(PAGE);
    let is_read = input.take(PAGE as u64).read_to_end(&mut page).is_ok();
    let different: BTreeSet<u8> = page.iter().copied().collect();
    is_read && page.len() == PAGE && bytes.is_multiple_of(PAGE as u64) && different.len() >= DIFFERENT_MIN
}

/// The format of a database in an archive.
fn packed_format(container: &mut Container, document: &Document) -> Result<&'static Format, ImportError> {
    let unpacked = Unpacked::of(container, document, &mut || Ok(()))?;
    database_format(&unpacked.path(), container.path())
}

/// The format of the database at `at`; `path` is the path shown to the person.
fn database_format(at: &Path, path: &Path) -> Result<&'static Format, ImportError> {
    let unreadable = |error: rusqlite::Error| database_error(path, &error.to_string());
    let tables = Database::open(at).and_then(|database| database.tables()).map_err(unreadable)?;
    let claims = |format: &&Format| matches!(format.input, Input::Database { claims, .. } if claims(&tables));
    FORMATS.iter().find(claims).ok_or_else(|| ImportError::Unknown { path: path.to_owned() })
}

fn is_to_be_unpacked(reason: LeftOutReason) -> bool {
    matches!(reason, LeftOutReason::Archive | LeftOutReason::Word | LeftOutReason::Encrypted)
}

/// Why a file of no known kind is left out.
fn reason_of(sniffed: Sniffed) -> LeftOutReason {
    match sniffed {
        Sniffed::Empty => LeftOutReason::Empty,
        Sniffed::Utf16 => LeftOutReason::Utf16,
        Sniffed::Binary => LeftOutReason::Binary,
        Sniffed::Kind(_) | Sniffed::Format(_) | Sniffed::Database | Sniffed::UnknownJson | Sniffed::Unknown => {
            LeftOutReason::Unknown
        }
    }
}

fn reason_of_error(error: &ImportError) -> LeftOutReason {
    match error {
        ImportError::Unknown { .. } => LeftOutReason::Unknown,
        ImportError::Empty { .. } => LeftOutReason::Empty,
        ImportError::Utf16 { .. } => LeftOutReason::Utf16,
        ImportError::Binary { .. } => LeftOutReason::Binary,
        ImportError::Encrypted { .. } => LeftOutReason::Encrypted,
        _ => LeftOutReason::Unreadable,
    }
}
