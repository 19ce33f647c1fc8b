//! Determines what to read in a file that other programs write to, given how far it has been read. Works on any input; opens no
//! files.

use std::io::{self, BufReader, Read, Seek, SeekFrom};

use keepsake_store::LiveFileRow;
use serde::de::IgnoredAny;

/// Number of bytes at each end of the part already read by which a file is recognized. The first line identifies the session,
/// and every line has its own id or time.
const BLOCK_BYTES: u64 = 4096;

/// Number of bytes that are searched at a time for the end of a line.
const SEARCH_BYTES: u64 = 64 * 1024;

/// An open file.
pub trait LiveInput: Read + Seek {}

impl<T: Read + Seek> LiveInput for T {}

/// Size of a file, and when it was last changed, in milliseconds.
pub(crate) type FileStat = (u64, i64);

/// Whether a file may contain something that has not been read.
pub(crate) fn has_changed(before: Option<&LiveFileRow>, (size, modified_ms): FileStat) -> bool {
    before.is_none_or(|before| (before.size, before.modified_ms) != (size, modified_ms))
}

/// The offset from which a file of this size is read: where reading stopped, if it is the same file and has only grown;
/// otherwise its start.
pub(crate) fn start(before: Option<&LiveFileRow>, size: u64, digest: impl FnOnce(u64) -> io::Result<Vec<u8>>) -> io::Result<u64> {
    match before {
        Some(before) if before.state.is_some() && before.read_to <= size && digest(before.read_to)? == before.digest => {
            Ok(before.read_to)
        }
        _ => Ok(0),
    }
}

/// Hash of the first and last bytes of what was read up to an offset, which identifies that part.
pub(crate) fn digest(input: &mut dyn LiveInput, read_to: u64) -> io::Result<Vec<u8>> {
    let mut hasher = blake3::Hasher::new();
    let block = read_to.min(BLOCK_BYTES);
    for at in [0, read_to - block] {
        input.seek(SeekFrom::Start(at))?;
        let mut bytes = Vec::new();
        (&mut *input).take(block).read_to_end(&mut bytes)?;
        hasher.update(&bytes);
    }
    Ok(hasher.finalize().as_bytes().to_vec())
}

/// The offset after the last complete line between two offsets. A last line without a line break is complete if it is a
/// complete object; otherwise, the rest of it has not been written yet.
pub(crate) fn end_of_lines(input: &mut dyn LiveInput, from: u64, size: u64) -> io::Result<u64> {
    let mut end = size;
    let mut bytes = Vec::new();
    let line = loop {
        if end <= from {
            break from;
        }
        let begin = end.saturating_sub(SEARCH_BYTES).max(from);
        input.seek(SeekFrom::Start(begin))?;
        bytes.clear();
        (&mut *input).take(end - begin).read_to_end(&mut bytes)?;
        if let Some(at) = memchr::memrchr(b'\n', &bytes) {
            break begin + at as u64 + 1;
        }
        end = begin;
    };
    if line >= size {
        return Ok(line);
    }
    input.seek(SeekFrom::Start(line))?;
    let mut rest = BufReader::new(input.take(size - line));
    let mut first = [0];
    rest.read_exact(&mut first)?;
    let is_object = first == *b"{" && serde_json::from_reader::<_, IgnoredAny>((&first[..]).chain(rest)).is_ok();
    Ok(if is_object { size } else { line })
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn a_half_written_line_waits_for_its_end() {
        let check = |text: &str, from: u64, expect: u64, why: &str| {
            let end = end_of_lines(&mut Cursor::new(text.as_bytes()), from, text.len() as u64).unwrap();
            assert_eq!(end, expect, "{why}: {}", &text[..text.len().min(40)]);
        };
        check("", 0, 0, "nothing");
        check("{\"a\":1}\n", 0, 8, "a whole line");
        check("{\"a\":1}\n{\"b\"", 0, 8, "half a line");
        check("{\"a\":1}\n{\"b\"", 8, 8, "nothing but half a line");
        check("{\"a\":1}\n{\"b\":2}", 8, 15, "an object that is closed is whole");
        check("{\"a\":1}\n12", 8, 8, "a number may go on");
        let long = format!("{{\"a\":1}}\n{{\"b\":\"{}", "x".repeat(200_000));
        check(&long, 0, 8, "a long line is searched through");
        check(&format!("{long}\"}}"), 0, long.len() as u64 + 2, "and is taken once it is closed");
    }

    fn row(size: u64, read_to: u64, state: Option<&str>) -> LiveFileRow {
        LiveFileRow {
            path: "/a".to_owned(),
            folder: "/".to_owned(),
            kind: None,
            size,
            modified_ms: 1,
            read_to,
            digest: vec![1],
            state: state.map(str::to_owned),
            read_at: None,
        }
    }

    #[test]
    fn a_file_is_read_on_only_if_it_is_the_same_and_grew() {
        let check = |before: Option<LiveFileRow>, size: u64, digest: u8, expect: u64, why: &str| {
            assert_eq!(start(before.as_ref(), size, |_| Ok(vec![digest])).unwrap(), expect, "{why}");
        };
        check(None, 9, 1, 0, "a new file");
        check(Some(row(9, 8, Some("{}"))), 12, 1, 8, "it grew");
        check(Some(row(9, 8, Some("{}"))), 8, 1, 8, "its half line was withdrawn");
        check(Some(row(9, 8, Some("{}"))), 7, 1, 0, "it was truncated");
        check(Some(row(9, 8, Some("{}"))), 12, 2, 0, "another file has its name");
        check(Some(row(9, 8, None)), 12, 1, 0, "what is needed to read on was not kept");
    }

    #[test]
    fn a_file_that_was_not_touched_is_not_opened() {
        let before = row(9, 8, None);
        assert!(!has_changed(Some(&before), (9, 1)));
        assert!(has_changed(Some(&before), (10, 1)) && has_changed(Some(&before), (9, 2)) && has_changed(None, (9, 1)));
    }

    #[test]
    fn a_digest_covers_both_ends_and_nothing_after_them() {
        let of = |text: &str, read_to: u64| digest(&mut Cursor::new(text.as_bytes()), read_to).unwrap();
        let middle = "-".repeat(3 * BLOCK_BYTES as usize);
        let text = format!("a{middle}b");
        let whole = of(&text, text.len() as u64);
        assert_eq!(of(&format!("{text}more"), text.len() as u64), whole, "what was added does not count");
        assert_ne!(of(&format!("c{middle}b"), text.len() as u64), whole, "the start");
        assert_ne!(of(&format!("a{middle}c"), text.len() as u64), whole, "the end");
    }
}
