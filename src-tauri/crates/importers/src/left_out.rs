//! Why a file in an archive or folder is not imported, and which files are passed over by name alone. File contents are
//! examined elsewhere (`find.rs`).

/// File extensions of media.
const MEDIA_ENDINGS: &[&str] = &[
    "jpg", "jpeg", "png", "gif", "webp", "heic", "svg", "ico", "mp4", "mov", "avi", "3gp", "mkv", "webm", "mp3", "m4a", "ogg",
    "opus", "wav", "aac", "flac", "amr", "ttf", "woff", "woff2",
];

/// File extensions of documents, pages, indexes and programs that no importer reads but that often accompany an export.
/// Thunderbird keeps an `msf` index beside each mail folder.
const IGNORED_ENDINGS: &[&str] =
    &["pdf", "doc", "msf", "xls", "xlsx", "ppt", "pptx", "html", "htm", "css", "js", "vcf", "exe", "dll", "bin"];

/// The file extension of calendars, which are read with the transcripts beside them.
pub(crate) const CALENDAR_ENDING: &str = "ics";

/// Why a file was not examined, based on its name alone.
pub(crate) fn passed_over(name: &str, bytes: u64) -> Option<LeftOutReason> {
    let ending = ending_of(name);
    let ending = ending.as_str();
    if MEDIA_ENDINGS.contains(&ending) {
        Some(LeftOutReason::Media)
    } else if IGNORED_ENDINGS.contains(&ending) {
        Some(LeftOutReason::OtherFormat)
    } else if ending == CALENDAR_ENDING {
        Some(LeftOutReason::Calendar)
    } else if NESTED_ENDINGS.contains(&ending) {
        Some(LeftOutReason::Archive)
    } else {
        (bytes == 0).then_some(LeftOutReason::Empty)
    }
}

/// A file in an archive or folder that is not imported.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeftOut {
    /// Its path within the archive or folder.
    pub path: String,
    /// Why it is not imported.
    pub reason: LeftOutReason,
}

impl LeftOutReason {
    /// True if the file may contain messages that the person would miss.
    pub const fn may_be_an_export(self) -> bool {
        match self {
            Self::Unknown | Self::Archive | Self::Encrypted | Self::Word | Self::Utf16 | Self::Unreadable => true,
            Self::OtherFormat
            | Self::OtherPart
            | Self::Calendar
            | Self::Media
            | Self::Empty
            | Self::Binary
            | Self::Litter
            | Self::KeepsakePart => false,
        }
    }
}

macro_rules! left_out_reasons {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $text:literal;)+) => {
        /// Why a file in an archive or folder is not imported.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum LeftOutReason { $($(#[$doc])* $variant,)+ }

        impl LeftOutReason {
            /// The stable name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// The reason in plain words for a person.
            pub const fn text(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }
        }
    };
}

left_out_reasons! {
    /// No importer recognizes it.
    Unknown = "unknown", "not a format that Keepsake can read";
    /// A page, a document or a program.
    OtherFormat = "other_format", "a document, page or program, not an export of messages";
    /// A part of a service's download that holds no messages.
    OtherPart = "other_part", "another part of this download, without messages";
    /// A calendar, which cannot be imported by itself.
    Calendar = "calendar", "a calendar; transcripts in the same folder take the titles and times of their meetings from it";
    /// A photo, video, sound or font.
    Media = "media", "a photo, video or other attachment";
    /// An archive within an archive.
    Archive = "archive", "an archive within an archive; unpack it and import it by itself";
    /// A Word document within an archive.
    Word = "word", "a Word document within an archive; unpack it and import it by itself";
    /// A database that needs a password.
    Encrypted = "encrypted", "an encrypted database; let its program decrypt it, and import it again";
    /// It contains nothing.
    Empty = "empty", "empty";
    /// Text in an encoding that no export uses.
    Utf16 = "utf16", "UTF-16 text; save it as UTF-8 and import it by itself";
    /// Neither text nor a known kind of archive.
    Binary = "binary", "a binary file of an unknown kind";
    /// It cannot be opened, or is damaged.
    Unreadable = "unreadable", "cannot be opened, or is damaged";
    /// A file of a Keepsake export that does not contain its messages.
    KeepsakePart = "keepsake_part", "another part of an export of Keepsake; a restore takes it in, an import only the messages";
    /// Created by the system beside other files.
    Litter = "litter", "created by the system, not part of an export";
}

/// True if the name has the extension of a zip.
pub(crate) fn is_zip(name: &str) -> bool {
    ending_of(name) == "zip"
}

fn ending_of(name: &str) -> String {
    name.rsplit_once('.').map(|(_, ending)| ending.to_lowercase()).unwrap_or_default()
}

/// File extensions of archives. An archive within an archive is left out, because its uncompressed size cannot be checked.
const NESTED_ENDINGS: &[&str] = &["zip", "7z", "rar", "tar", "gz", "tgz", "bz2", "xz", "zst"];
