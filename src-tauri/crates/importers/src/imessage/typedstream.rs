//! Reads the words from an archived attributed string, in which newer versions of Messages store a message's text.
//!
//! The archive is a stream of typed values ("typedstream"). The first string in it is the text; what follows are the attributes
//! of its parts, which are not read.

/// The beginning of every archive.
const MAGIC: &[u8] = b"\x04\x0bstreamtyped";

/// What precedes the bytes of the first string: the new type `+`, a byte array with its length.
const STRING: &[u8] = b"\x84\x01+";

/// The length is in the next two bytes, or in the next four.
const TWO_BYTES: u8 = 0x81;
const FOUR_BYTES: u8 = 0x82;

/// The text of an archive; `None` if it is not an archive or is damaged.
pub(super) fn text(archive: &[u8]) -> Option<String> {
    let rest = archive.strip_prefix(MAGIC)?;
    let at = memchr::memmem::find(rest, STRING)? + STRING.len();
    let rest = rest.get(at..)?;
    let (first, rest) = rest.split_first()?;
    let (length, rest) = match *first {
        TWO_BYTES => (usize::from(u16::from_le_bytes(rest.get(..2)?.try_into().ok()?)), rest.get(2..)?),
        FOUR_BYTES => (usize::try_from(u32::from_le_bytes(rest.get(..4)?.try_into().ok()?)).ok()?, rest.get(4..)?),
        short if short < 0x80 => (usize::from(short), rest),
        _ => return None,
    };
    Some(String::from_utf8_lossy(rest.get(..length)?).into_owned())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// An archive as Messages writes it.
    pub(in crate::imessage) fn archive(text: &str) -> Vec<u8> {
        let mut bytes =
            b"\x04\x0bstreamtyped\x81\xe8\x03\x84\x01@\x84\x84\x84\x12NSAttributedString\0\x84\x84\x08NSObject\0\x85\x92\
            \x84\x84\x84\x08NSString\x01\x94\x84\x01+"
                .to_vec();
        match text.len() {
            short @ 0..0x80 => bytes.push(short as u8),
            middle @ 0x80..0x10000 => bytes.extend([&[TWO_BYTES][..], &(middle as u16).to_le_bytes()].concat()),
            long => bytes.extend([&[FOUR_BYTES][..], &(long as u32).to_le_bytes()].concat()),
        }
        bytes.extend(text.as_bytes());
        bytes.extend(b"\x86\x84\x02iI\x01\x05\x92\x84\x84\x84\x0cNSDictionary\0");
        bytes
    }

    #[test]
    fn texts_of_every_length_are_read() {
        for words in ["", "Hi", "Grüße 🐝 + more", &"é".repeat(100), &"x".repeat(300), &"y".repeat(70_000)] {
            assert_eq!(text(&archive(words)).as_deref(), Some(words));
        }
        let whole = archive("cut anywhere");
        for cut in 0..whole.len() {
            let read = text(whole.get(..cut).unwrap_or_default());
            assert!(read.is_none() || read.as_deref() == Some("cut anywhere"), "{cut}");
        }
        assert_eq!(text(b"bplist00"), None);
    }
}
