//! One input: a plain file, or a zip whose wanted entries are read as streams.
//!
//! A zip is never unpacked to disk. It is refused whole when anything about it is unsafe (security.md section 7), because a
//! harmless export has none of these traits and half of a doubtful archive is worth nothing.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::{Path, PathBuf};

use zip::ZipArchive;

use crate::ImportError;
use crate::limits::READ_BUFFER_BYTES;

/// What an archive may cost.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ArchiveLimits {
    /// WhatsApp exports with media have tens of thousands of entries.
    entries_max: usize,
    /// The largest text entry; real exports stay below 2 GiB.
    entry_bytes_max: u64,
    /// All text entries together.
    total_bytes_max: u64,
    /// Real JSON deflates to 1:30 at best; bombs are at 1:1000.
    ratio_max: u64,
    /// Entries this small may have any ratio: a hundred equal short lines are no bomb.
    any_ratio_bytes: u64,
}

impl ArchiveLimits {
    /// The limits the product uses.
    pub(crate) const STANDARD: Self = Self {
        entries_max: 100_000,
        entry_bytes_max: 4 << 30,
        total_bytes_max: 8 << 30,
        ratio_max: 100,
        any_ratio_bytes: 1 << 20,
    };
}

/// Entries with these endings are media or pages that no importer reads.
const IGNORED_ENDINGS: &[&str] = &[
    "jpg", "jpeg", "png", "gif", "webp", "heic", "svg", "ico", "mp4", "mov", "avi", "3gp", "mkv", "webm", "mp3", "m4a", "ogg",
    "opus", "wav", "aac", "flac", "amr", "pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "html", "htm", "css", "js", "vcf",
    "exe", "dll", "bin", "ttf", "woff", "woff2",
];

/// Archives inside of archives hide their size.
const NESTED_ENDINGS: &[&str] = &["zip", "7z", "rar", "tar", "gz", "tgz", "bz2", "xz", "zst"];

/// One readable file or entry.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    /// Its name without folders.
    pub(crate) name: String,
    /// Its size, inflated.
    pub(crate) bytes: u64,
    entry: Option<usize>,
}

impl Document {
    /// Its name without ending.
    pub(crate) fn stem(&self) -> &str {
        self.name.rsplit_once('.').map_or(&self.name, |(stem, _)| stem)
    }
}

/// A file or archive on disk.
pub(crate) struct Container {
    path: PathBuf,
    archive: Option<ZipArchive<BufReader<File>>>,
    documents: Vec<Document>,
}

impl Container {
    /// Opens `path`, looking into it if it is a zip.
    pub(crate) fn open(path: &Path) -> Result<Self, ImportError> {
        Self::open_within(path, ArchiveLimits::STANDARD)
    }

    fn open_within(path: &Path, limits: ArchiveLimits) -> Result<Self, ImportError> {
        let io_error = |source| ImportError::Io { path: path.to_owned(), source };
        // A pipe or device would never end.
        if !std::fs::metadata(path).map_err(io_error)?.is_file() {
            return Err(io_error(io::Error::new(io::ErrorKind::InvalidInput, "it is no ordinary file")));
        }
        let mut file = File::open(path).map_err(io_error)?;
        let bytes = file.metadata().map_err(io_error)?.len();
        let mut magic = [0; 4];
        let is_zip = match file.read_exact(&mut magic) {
            Ok(()) => matches!(&magic, b"PK\x03\x04" | b"PK\x05\x06"),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => false,
            Err(error) => return Err(io_error(error)),
        };
        if !is_zip {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            return Ok(Self { path: path.to_owned(), archive: None, documents: vec![Document { name, bytes, entry: None }] });
        }
        file.rewind().map_err(io_error)?;
        let refused = |reason: String| ImportError::Archive { path: path.to_owned(), reason };
        let mut archive = ZipArchive::new(BufReader::with_capacity(READ_BUFFER_BYTES, file))
            .map_err(|error| refused(format!("it is damaged or not complete ({error}); download or copy it again")))?;
        let documents = wanted_entries(&mut archive, limits).map_err(refused)?;
        Ok(Self { path: path.to_owned(), archive: Some(archive), documents })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Its name without ending, for formats that have their title there.
    pub(crate) fn stem(&self) -> String {
        self.path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// Whether it is a zip.
    pub(crate) fn is_archive(&self) -> bool {
        self.archive.is_some()
    }

    /// The readable files in it, sorted by name; a plain file is its own only one.
    pub(crate) fn documents(&self) -> &[Document] {
        &self.documents
    }

    /// Reads `document` from its beginning, without a byte order mark.
    pub(crate) fn read<T>(
        &mut self,
        document: &Document,
        read: impl FnOnce(&mut dyn BufRead) -> Result<T, ImportError>,
    ) -> Result<T, ImportError> {
        let path = &self.path;
        match (&mut self.archive, document.entry) {
            (Some(archive), Some(entry)) => {
                let damaged = |reason: String| ImportError::Archive {
                    path: path.clone(),
                    reason: format!("the entry {} is damaged ({reason}); download or copy it again", document.name),
                };
                let entry = archive.by_index(entry).map_err(|error| damaged(error.to_string()))?;
                let bounded = Bounded { inner: entry, bytes_left: document.bytes };
                let mut input = BufReader::with_capacity(READ_BUFFER_BYTES, bounded);
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

/// Refuses to inflate more than the archive declared, which was checked against the limits.
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

/// The entries worth reading, sorted by name, or why the whole archive is refused.
fn wanted_entries<R: Read + Seek>(archive: &mut ZipArchive<R>, limits: ArchiveLimits) -> Result<Vec<Document>, String> {
    if archive.len() > limits.entries_max {
        return Err(format!("it has {} entries, more than {}", archive.len(), limits.entries_max));
    }
    if archive.has_duplicate_names() {
        return Err("two of its entries have the same name".to_owned());
    }
    if archive.has_overlapping_entries().map_err(|error| format!("its directory is damaged ({error})"))? {
        return Err("its entries overlap, as in a zip bomb".to_owned());
    }
    let mut names = HashSet::new();
    let mut wanted = Vec::new();
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
        if name.starts_with("__MACOSX/") || base.starts_with('.') {
            continue;
        }
        let ending = base.rsplit_once('.').map(|(_, ending)| ending.to_lowercase()).unwrap_or_default();
        if NESTED_ENDINGS.contains(&ending.as_str()) {
            return Err("it holds another archive; unpack it and import the files inside".to_owned());
        }
        if IGNORED_ENDINGS.contains(&ending.as_str()) || entry.size() == 0 {
            continue;
        }
        if entry.encrypted() {
            return Err("it is protected by a password; unpack it and import the files inside".to_owned());
        }
        if entry.size() > limits.entry_bytes_max {
            return Err(format!("an entry is larger than {} MiB", limits.entry_bytes_max >> 20));
        }
        if entry.size() > limits.any_ratio_bytes && entry.size() / limits.ratio_max > entry.compressed_size() {
            return Err(format!("an entry grows more than {}-fold, as in a zip bomb", limits.ratio_max));
        }
        total_bytes = total_bytes.saturating_add(entry.size());
        wanted.push((name, Document { name: base, bytes: entry.size(), entry: Some(index) }));
    }
    if total_bytes > limits.total_bytes_max {
        return Err(format!("its files together are larger than {} MiB", limits.total_bytes_max >> 20));
    }
    wanted.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(wanted.into_iter().map(|(_, document)| document).collect())
}

/// Why an entry of this name makes the archive unsafe.
fn name_fault(name: &str) -> Option<&'static str> {
    let has_drive = name.as_bytes().get(1) == Some(&b':') && name.as_bytes()[0].is_ascii_alphabetic();
    if name.starts_with('/') || has_drive {
        Some("an entry's name is an absolute path")
    } else if name.contains('\\') {
        Some("an entry's name has a backslash")
    } else if name.split('/').any(|part| part == "..") {
        Some("an entry's name leads out of the archive")
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
            ("leading out", vec![("../conversations.json", b"[]".as_slice())], "leads out"),
            ("absolute", vec![("/etc/conversations.json", b"[]")], "absolute"),
            ("drive", vec![("C:/conversations.json", b"[]")], "absolute"),
            ("backslash", vec![("a\\conversations.json", b"[]")], "backslash"),
            ("case", vec![("Conversations.json", b"[]"), ("conversations.json", b"[]")], "upper and lower"),
            ("nested", vec![("conversations.json", b"[]"), ("more.zip", b"PK")], "another archive"),
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
            (ArchiveLimits { total_bytes_max: 13, ..standard }, "together"),
        ] {
            let error = Container::open_within(file.path(), limits).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(error.contains(wanted), "{error:?} says {wanted:?}");
        }
        assert_eq!(Container::open(file.path()).unwrap().documents().len(), 2, "within the limits it is read");
    }

    #[test]
    fn litter_and_media_are_not_looked_at() {
        let file = archive_of(&[
            ("__MACOSX/._conversations.json", b"x"),
            ("export/._b.json", b"x"),
            ("export/photo.JPG", b"x"),
            ("export/b.json", b"[]"),
            ("export/a.json", b"[]"),
        ]);
        let container = Container::open(file.path()).unwrap();
        let names: Vec<_> = container.documents().iter().map(|document| document.name.as_str()).collect();
        assert_eq!(names, ["a.json", "b.json"], "only text, sorted");
    }
}
