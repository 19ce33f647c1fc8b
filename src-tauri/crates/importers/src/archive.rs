//! Opens one input: a plain file, a Word document, a zip whose relevant entries are read as streams, or a folder.
//!
//! Entries of a zip are read from within the archive; only a database is unpacked first (`unpacked.rs`). If any entry is
//! unsafe, the whole zip is refused (SECURITY.md, "Imports"): harmless exports have no such entries, and part of a suspicious
//! archive is of no use.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::{Path, PathBuf};

use zip::ZipArchive;

use crate::ImportError;
use crate::docx::{self, Refusal};
use crate::left_out::{LeftOut, LeftOutReason, is_zip, passed_over};
use crate::limits::{
    FOLDER_DEPTH_MAX, FOLDER_FILES_MAX, READ_BUFFER_BYTES, WORD_BYTES_MAX, WORD_PARTS_MAX, ZIP_ANY_RATIO_BYTES, ZIP_BYTES_MAX,
    ZIP_ENTRIES_MAX, ZIP_ENTRY_BYTES_MAX, ZIP_RATIO_MAX,
};

/// Limits on the resources an archive may use.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ArchiveLimits {
    /// Maximum number of entries.
    entries_max: usize,
    /// Maximum size of a text entry, in bytes.
    entry_bytes_max: u64,
    /// Maximum size of all text entries together.
    total_bytes_max: u64,
    /// Maximum compression ratio.
    ratio_max: u64,
    /// Entries up to this size may have any compression ratio.
    any_ratio_bytes: u64,
}

impl ArchiveLimits {
    /// The limits used in production.
    pub(crate) const STANDARD: Self = Self {
        entries_max: ZIP_ENTRIES_MAX,
        entry_bytes_max: ZIP_ENTRY_BYTES_MAX,
        total_bytes_max: ZIP_BYTES_MAX,
        ratio_max: ZIP_RATIO_MAX,
        any_ratio_bytes: ZIP_ANY_RATIO_BYTES,
    };

    /// Limits for a Word document, which is also a zip. Only one of its entries is read.
    const WORD: Self =
        Self { entries_max: WORD_PARTS_MAX, entry_bytes_max: WORD_BYTES_MAX, total_bytes_max: WORD_BYTES_MAX, ..Self::STANDARD };

    /// The reason to refuse an entry of this size and compression, or `None` if it is within the limits.
    fn fault(&self, bytes: u64, compressed_bytes: u64) -> Option<String> {
        if bytes > self.entry_bytes_max {
            Some(format!("an entry is larger than {} MiB", self.entry_bytes_max >> 20))
        } else if bytes > self.any_ratio_bytes && bytes / self.ratio_max > compressed_bytes {
            Some(format!("an entry expands more than {}-fold, as in a zip bomb", self.ratio_max))
        } else {
            None
        }
    }
}

/// File extension of Word documents.
const WORD_ENDING: &str = ".docx";

/// The entry that distinguishes a Word document from other zips, and the possible names of its main part. Word for the web uses
/// the second name.
const WORD_TYPES: &str = "[Content_Types].xml";
const WORD_MAIN: &[&str] = &["word/document.xml", "word/document2.xml"];

/// A readable file or archive entry.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    /// The path within the archive or folder. For a plain file, its name.
    pub(crate) path: String,
    /// The file name without folders.
    pub(crate) name: String,
    /// The uncompressed size in bytes.
    pub(crate) bytes: u64,
    entry: Entry,
}

/// Where the bytes of a document are.
#[derive(Debug, Clone)]
enum Entry {
    /// In the container itself, which is a plain file.
    Whole,
    /// In the zip, at this index.
    Zip(usize),
    /// In a file of the folder.
    File(PathBuf),
}

impl Document {
    /// The name without its extension.
    pub(crate) fn stem(&self) -> &str {
        self.name.rsplit_once('.').map_or(&self.name, |(stem, _)| stem)
    }

    /// The name of the folder that directly contains the document, within the archive or folder.
    pub(crate) fn folder(&self) -> Option<&str> {
        let (folders, _) = self.path.rsplit_once('/')?;
        Some(folders.rsplit('/').next().unwrap_or(folders))
    }
}

/// A file, archive or folder on disk.
pub(crate) struct Container {
    path: PathBuf,
    archive: Option<ZipArchive<BufReader<File>>>,
    is_word: bool,
    is_folder: bool,
    documents: Vec<Document>,
    left_out: Vec<LeftOut>,
}

impl Container {
    /// Opens `path`, and lists its entries if it is a zip.
    pub(crate) fn open(path: &Path) -> Result<Self, ImportError> {
        Self::open_within(path, ArchiveLimits::STANDARD)
    }

    fn open_within(path: &Path, limits: ArchiveLimits) -> Result<Self, ImportError> {
        let io_error = |source| ImportError::Io { path: path.to_owned(), source };
        // Reading a pipe or device might never end.
        if !std::fs::metadata(path).map_err(io_error)?.is_file() {
            return Err(io_error(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")));
        }
        let mut file = File::open(path).map_err(io_error)?;
        let bytes = file.metadata().map_err(io_error)?.len();
        let mut magic = [0; 4];
        let is_zip = match file.read_exact(&mut magic) {
            Ok(()) => matches!(&magic, b"PK\x03\x04" | b"PK\x05\x06"),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => false,
            Err(error) => return Err(io_error(error)),
        };
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if !is_zip {
            return Ok(Self::of_one(path, None, Document { path: name.clone(), name, bytes, entry: Entry::Whole }));
        }
        file.rewind().map_err(io_error)?;
        let refused = |reason: String| ImportError::Archive { path: path.to_owned(), reason };
        let mut archive = ZipArchive::new(BufReader::with_capacity(READ_BUFFER_BYTES, file))
            .map_err(|error| refused(format!("it is damaged or incomplete ({error}); download or copy it again")))?;
        if let Some(main) = word_main(&archive) {
            let bytes = word_bytes(&mut archive, main, ArchiveLimits::WORD)
                .map_err(|reason| ImportError::Word { path: path.to_owned(), reason })?;
            return Ok(Self::of_one(path, Some(archive), Document { path: name.clone(), name, bytes, entry: Entry::Zip(main) }));
        }
        let (documents, left_out) = wanted_entries(&mut archive, limits).map_err(refused)?;
        Ok(Self { path: path.to_owned(), archive: Some(archive), is_word: false, is_folder: false, documents, left_out })
    }

    /// A plain file, or a Word document.
    fn of_one(path: &Path, archive: Option<ZipArchive<BufReader<File>>>, document: Document) -> Self {
        let is_word = archive.is_some();
        Self { path: path.to_owned(), archive, is_word, is_folder: false, documents: vec![document], left_out: Vec::new() }
    }

    /// Lists the files in the folder at `path` and below it. Links are not followed. Hidden files are left out, but hidden
    /// folders are searched, because some programs mark their folders with a hidden one.
    pub(crate) fn open_folder(path: &Path) -> Result<Self, ImportError> {
        let mut documents = Vec::new();
        let mut left_out = Vec::new();
        let mut seen = 0;
        let mut folders = vec![(path.to_owned(), String::new(), 0)];
        while let Some((folder, within, depth)) = folders.pop() {
            let io_error = |source| ImportError::Io { path: folder.clone(), source };
            for entry in std::fs::read_dir(&folder).map_err(io_error)? {
                let entry = entry.map_err(io_error)?;
                let kind = entry.file_type().map_err(io_error)?;
                seen += 1;
                if seen > FOLDER_FILES_MAX {
                    return Err(ImportError::FolderTooLarge { path: path.to_owned(), max: FOLDER_FILES_MAX });
                }
                let name = entry.file_name().to_string_lossy().into_owned();
                let path = if within.is_empty() { name.clone() } else { format!("{within}/{name}") };
                if kind.is_dir() && depth < FOLDER_DEPTH_MAX {
                    folders.push((entry.path(), path, depth + 1));
                } else if kind.is_file() {
                    let bytes = entry.metadata().map_err(io_error)?.len();
                    // A zip in a folder is opened like a standalone zip.
                    let reason = match passed_over(&name, bytes) {
                        Some(LeftOutReason::Archive) if is_zip(&name) => None,
                        _ if name.starts_with('.') => Some(LeftOutReason::Litter),
                        reason => reason,
                    };
                    match reason {
                        Some(reason) => left_out.push(LeftOut { path, reason }),
                        None => documents.push(Document { path, name, bytes, entry: Entry::File(entry.path()) }),
                    }
                }
            }
        }
        documents.sort_by(|a, b| a.path.cmp(&b.path));
        left_out.sort();
        Ok(Self { path: path.to_owned(), archive: None, is_word: false, is_folder: true, documents, left_out })
    }

    /// The path of the file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The files in it that are left out.
    pub(crate) fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// True if it is a folder.
    pub(crate) fn is_folder(&self) -> bool {
        self.is_folder
    }

    /// The path of a document that is a file on disk; `None` if it is in an archive.
    pub(crate) fn file_of<'d>(&'d self, document: &'d Document) -> Option<&'d Path> {
        match &document.entry {
            Entry::Whole => Some(&self.path),
            Entry::Zip(_) => None,
            Entry::File(path) => Some(path),
        }
    }

    /// The file name without its extension. In some formats, the title appears only there.
    pub(crate) fn stem(&self) -> String {
        self.path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// The name of the folder, or of the file without its extension. A path such as `.` is resolved to the folder it refers to.
    pub(crate) fn name(&self) -> String {
        if !self.is_folder {
            return self.stem();
        }
        let whole = std::fs::canonicalize(&self.path);
        let name = self.path.file_name().map(std::ffi::OsStr::to_os_string);
        let name = name.or_else(|| whole.ok()?.file_name().map(std::ffi::OsStr::to_os_string));
        name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// True if it is a zip, but not a Word document.
    pub(crate) fn is_archive(&self) -> bool {
        self.archive.is_some() && !self.is_word
    }

    /// True if it is a Word document.
    pub(crate) fn is_word(&self) -> bool {
        self.is_word
    }

    /// The readable files in it, sorted by name. For a plain file, just the file itself.
    pub(crate) fn documents(&self) -> &[Document] {
        &self.documents
    }

    /// Reads `document` from its start, skipping a byte order mark. For a Word document, reads its text.
    pub(crate) fn read<T>(
        &mut self,
        document: &Document,
        read: impl FnOnce(&mut dyn BufRead) -> Result<T, ImportError>,
    ) -> Result<T, ImportError> {
        let path = match &document.entry {
            Entry::File(path) => path,
            _ => &self.path,
        };
        match (&mut self.archive, &document.entry) {
            (Some(archive), Entry::Zip(entry)) => {
                let damaged = |reason: String| ImportError::Archive {
                    path: path.clone(),
                    reason: format!("the entry {} is damaged ({reason}); download or copy it again", document.name),
                };
                let entry = archive.by_index(*entry).map_err(|error| damaged(error.to_string()))?;
                let bounded = Bounded { inner: entry, bytes_left: document.bytes };
                let mut input = BufReader::with_capacity(READ_BUFFER_BYTES, bounded);
                if self.is_word {
                    let text = docx::text_of(input).map_err(|refusal| ImportError::Word {
                        path: path.clone(),
                        reason: match refusal {
                            Refusal::Io(error) => format!("it is damaged ({error})"),
                            Refusal::Unfit(reason) => reason.to_owned(),
                        },
                    })?;
                    return read(&mut text.as_bytes());
                }
                skip_mark(&mut input).map_err(|error| damaged(error.to_string()))?;
                read(&mut input)
            }
            _ => {
                let io_error = |source| ImportError::Io { path: path.clone(), source };
                let file = File::open(path).map_err(io_error)?;
                let mut input = BufReader::with_capacity(READ_BUFFER_BYTES, file);
                skip_mark(&mut input).map_err(io_error)?;
                read(&mut input)
            }
        }
    }
}

fn skip_mark(input: &mut impl BufRead) -> io::Result<()> {
    if input.fill_buf()?.starts_with(b"\xef\xbb\xbf") {
        input.consume(3);
    }
    Ok(())
}

/// A reader that refuses to decompress more than the declared size, which was checked against the limits.
struct Bounded<R> {
    inner: R,
    bytes_left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        match self.bytes_left.checked_sub(read as u64) {
            Some(left) => {
                self.bytes_left = left;
                Ok(read)
            }
            None => Err(io::Error::new(io::ErrorKind::InvalidData, "an entry is larger than the archive says")),
        }
    }
}

/// The index of the main part if the archive is a Word document.
fn word_main<R: Read + Seek>(archive: &ZipArchive<R>) -> Option<usize> {
    archive.index_for_name(WORD_TYPES)?;
    WORD_MAIN.iter().find_map(|name| archive.index_for_name(name))
}

/// The size of a Word document's main part, or the reason to refuse the document.
fn word_bytes<R: Read + Seek>(archive: &mut ZipArchive<R>, main: usize, limits: ArchiveLimits) -> Result<u64, String> {
    if archive.len() > limits.entries_max {
        return Err(format!("it has {} parts, but at most {} are allowed", archive.len(), limits.entries_max));
    }
    if archive.has_duplicate_names() {
        return Err("two of its parts have the same name".to_owned());
    }
    if archive.has_overlapping_entries().map_err(|error| format!("its directory is damaged ({error})"))? {
        return Err("its parts overlap, as in a zip bomb".to_owned());
    }
    let entry = archive.by_index_data(main).map_err(|error| format!("its directory is damaged ({error})"))?;
    if entry.encrypted() {
        return Err("it is protected by a password".to_owned());
    }
    match limits.fault(entry.size(), entry.compressed_size()) {
        Some(fault) => Err(fault),
        None => Ok(entry.size()),
    }
}

/// The entries to examine and the ones that are left out, both sorted by path; or the reason to refuse the whole archive.
fn wanted_entries<R: Read + Seek>(
    archive: &mut ZipArchive<R>,
    limits: ArchiveLimits,
) -> Result<(Vec<Document>, Vec<LeftOut>), String> {
    if archive.len() > limits.entries_max {
        return Err(format!("it has {} entries, but at most {} are allowed", archive.len(), limits.entries_max));
    }
    if archive.has_duplicate_names() {
        return Err("two of its entries have the same name".to_owned());
    }
    if archive.has_overlapping_entries().map_err(|error| format!("its directory is damaged ({error})"))? {
        return Err("its entries overlap, as in a zip bomb".to_owned());
    }
    let mut names = HashSet::new();
    let (mut wanted, mut left_out) = (Vec::new(), Vec::new());
    let mut total_bytes = 0u64;
    for index in 0..archive.len() {
        let entry = archive.by_index_data(index).map_err(|error| format!("its directory is damaged ({error})"))?;
        let name = entry.name().map_err(|_| "an entry's name is not readable text".to_owned())?.into_owned();
        if let Some(fault) = name_fault(&name) {
            return Err(fault.to_owned());
        }
        if !names.insert(name.trim_end_matches('/').to_lowercase()) {
            return Err("two of its entries differ only in upper and lower case".to_owned());
        }
        if entry.is_dir() || entry.is_symlink() {
            continue;
        }
        let base = name.rsplit('/').next().unwrap_or(&name).to_owned();
        let reason = if name.starts_with("__MACOSX/") || base.starts_with('.') {
            Some(LeftOutReason::Litter)
        } else if base.to_lowercase().ends_with(WORD_ENDING) {
            Some(LeftOutReason::Word)
        } else {
            passed_over(&base, entry.size())
        };
        if let Some(reason) = reason {
            left_out.push(LeftOut { path: name, reason });
            continue;
        }
        if entry.encrypted() {
            return Err("it is protected by a password; unpack it and import the files inside".to_owned());
        }
        if let Some(fault) = limits.fault(entry.size(), entry.compressed_size()) {
            return Err(fault);
        }
        total_bytes = total_bytes.saturating_add(entry.size());
        wanted.push(Document { path: name, name: base, bytes: entry.size(), entry: Entry::Zip(index) });
    }
    if total_bytes > limits.total_bytes_max {
        return Err(format!("its files are larger than {} MiB in total", limits.total_bytes_max >> 20));
    }
    wanted.sort_by(|a, b| a.path.cmp(&b.path));
    left_out.sort();
    Ok((wanted, left_out))
}

/// The reason why an entry with this name makes the archive unsafe, or `None` if it does not.
fn name_fault(name: &str) -> Option<&'static str> {
    let has_drive = name.as_bytes().get(1) == Some(&b':') && name.as_bytes()[0].is_ascii_alphabetic();
    if name.starts_with('/') || has_drive {
        Some("an entry's name is an absolute path")
    } else if name.contains('\\') {
        Some("an entry's name has a backslash")
    } else if name.split('/').any(|part| part == "..") {
        Some("an entry's name points outside the archive")
    } else if name.chars().any(char::is_control) {
        Some("an entry's name has control characters")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    fn archive_of(entries: &[(&str, &[u8])]) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut zip = ZipWriter::new(file.reopen().unwrap());
        for (name, bytes) in entries {
            zip.start_file(*name, SimpleFileOptions::default()).unwrap();
            zip.write_all(bytes).unwrap();
        }
        zip.finish().unwrap();
        file
    }

    #[test]
    fn unsafe_archives_are_refused_whole() {
        let zeros = vec![b' '; 3 << 20];
        for (what, entries, wanted) in [
            ("leading out", vec![("../conversations.json", b"[]".as_slice())], "points outside"),
            ("absolute", vec![("/etc/conversations.json", b"[]")], "absolute"),
            ("drive", vec![("C:/conversations.json", b"[]")], "absolute"),
            ("backslash", vec![("a\\conversations.json", b"[]")], "backslash"),
            ("case", vec![("Conversations.json", b"[]"), ("conversations.json", b"[]")], "upper and lower"),
            ("bomb", vec![("conversations.json", &zeros)], "100-fold"),
        ] {
            let file = archive_of(&entries);
            let error = Container::open(file.path()).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(error.contains(wanted), "{what}: {error:?} says {wanted:?}");
        }
    }

    #[test]
    fn limits_hold_for_one_entry_for_all_and_for_their_number() {
        let file = archive_of(&[("a.json", b"[1,2,3]"), ("b.json", b"[1,2,3]")]);
        let standard = ArchiveLimits::STANDARD;
        for (limits, wanted) in [
            (ArchiveLimits { entries_max: 1, ..standard }, "2 entries"),
            (ArchiveLimits { entry_bytes_max: 6, ..standard }, "an entry is larger"),
            (ArchiveLimits { total_bytes_max: 13, ..standard }, "in total"),
        ] {
            let error = Container::open_within(file.path(), limits).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(error.contains(wanted), "{error:?} says {wanted:?}");
        }
        assert_eq!(Container::open(file.path()).unwrap().documents().len(), 2, "within the limits it is read");
    }

    #[test]
    fn a_word_document_is_one_text_and_its_bombs_are_refused() {
        let xml = "<w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"><w:p><w:t>hi</w:t></w:p></w:document>";
        let word = |main: &[u8]| archive_of(&[(WORD_TYPES, b"<Types/>"), ("word/media/a.zip", b"PK"), (WORD_MAIN[0], main)]);
        let file = word(xml.as_bytes());
        let mut container = Container::open(file.path()).unwrap();
        assert!(container.is_word() && !container.is_archive());
        let document = container.documents()[0].clone();
        let text = container.read(&document, |input| Ok(io::read_to_string(input).unwrap())).unwrap();
        assert_eq!(text.trim(), "hi");
        let bomb = word(&vec![b' '; 3 << 20]);
        let error = Container::open(bomb.path()).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains("Word document") && error.contains("100-fold"), "{error}");
        let many = ArchiveLimits { entries_max: 2, ..ArchiveLimits::WORD };
        let small = ArchiveLimits { entry_bytes_max: 10, ..ArchiveLimits::WORD };
        for (limits, wanted) in [(many, "3 parts"), (small, "an entry is larger")] {
            let mut archive = ZipArchive::new(BufReader::new(File::open(file.path()).unwrap())).unwrap();
            let main = word_main(&archive).unwrap();
            let fault = word_bytes(&mut archive, main, limits).err().unwrap_or_default();
            assert!(fault.contains(wanted), "{fault:?} says {wanted:?}");
        }
        let neither = archive_of(&[("word/document.xml", xml.as_bytes())]);
        assert!(!Container::open(neither.path()).unwrap().is_word(), "a folder called word makes no Word document");
    }

    #[test]
    fn litter_and_media_are_not_looked_at() {
        let file = archive_of(&[
            ("__MACOSX/._conversations.json", b"x"),
            ("export/._b.json", b"x"),
            ("export/photo.JPG", b"x"),
            ("export/more.zip", b"PK"),
            ("export/b.json", b"[]"),
            ("export/a.json", b"[]"),
        ]);
        let container = Container::open(file.path()).unwrap();
        let names: Vec<_> = container.documents().iter().map(|document| document.name.as_str()).collect();
        assert_eq!(names, ["a.json", "b.json"], "only text, sorted");
        let left_out: Vec<_> = container.left_out().iter().map(|file| (file.path.as_str(), file.reason)).collect();
        let expect = [
            ("__MACOSX/._conversations.json", LeftOutReason::Litter),
            ("export/._b.json", LeftOutReason::Litter),
            ("export/more.zip", LeftOutReason::Archive),
            ("export/photo.JPG", LeftOutReason::Media),
        ];
        assert_eq!(left_out, expect, "everything else is listed");
    }
}
