//! Reads CSV row by row, for the older packages: quoted fields may contain commas, line breaks and doubled quotation marks.

use std::io::{self, BufRead};

/// A row.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Row {
    /// Its fields.
    Fields(Vec<String>),
    /// The row exceeds the size limit; this is its beginning.
    TooLarge(String),
    /// The file ends within the row, because every complete row ends with a line break. This is the row's beginning.
    CutOff(String),
}

/// The rows of one file.
pub(super) struct Rows<'r> {
    input: &'r mut dyn BufRead,
    bytes_max: usize,
    bytes_done: u64,
}

impl<'r> Rows<'r> {
    /// The rows of `input`, each with at most `bytes_max` bytes.
    pub(super) fn new(input: &'r mut dyn BufRead, bytes_max: usize) -> Self {
        Self { input, bytes_max, bytes_done: 0 }
    }

    /// The number of bytes read so far.
    pub(super) fn bytes_done(&self) -> u64 {
        self.bytes_done
    }

    /// The next row, or `None` at the end. Blank lines are passed over.
    pub(super) fn next(&mut self) -> io::Result<Option<Row>> {
        let mut fields: Vec<Vec<u8>> = vec![Vec::new()];
        let mut bytes = 0;
        let mut in_quotes = false;
        // True if the last quotation mark may have ended the field or may be the first of a doubled pair.
        let mut after_mark = false;
        loop {
            let Some(byte) = self.byte()? else {
                return Ok((bytes > 0).then(|| Row::CutOff(text(&fields.swap_remove(0)))));
            };
            let is_plain = in_quotes && !after_mark;
            match byte {
                b'"' if is_plain => after_mark = true,
                b'"' if after_mark => {
                    after_mark = false;
                    push(&mut fields, byte, bytes < self.bytes_max);
                }
                b'"' if fields.last().is_some_and(Vec::is_empty) => in_quotes = true,
                b',' if !is_plain => {
                    (in_quotes, after_mark) = (false, false);
                    fields.push(Vec::new());
                }
                b'\r' if !is_plain => {}
                b'\n' if !is_plain => {
                    if bytes > 0 {
                        return Ok(Some(self.row(fields, bytes)));
                    }
                    continue;
                }
                other => push(&mut fields, other, bytes < self.bytes_max),
            }
            bytes += 1;
        }
    }

    fn row(&self, fields: Vec<Vec<u8>>, bytes: usize) -> Row {
        let mut fields = fields.iter().map(|field| text(field));
        if bytes > self.bytes_max { Row::TooLarge(fields.next().unwrap_or_default()) } else { Row::Fields(fields.collect()) }
    }

    fn byte(&mut self) -> io::Result<Option<u8>> {
        let Some(byte) = self.input.fill_buf()?.first().copied() else { return Ok(None) };
        self.input.consume(1);
        self.bytes_done += 1;
        Ok(Some(byte))
    }
}

fn text(field: &[u8]) -> String {
    String::from_utf8_lossy(field).into_owned()
}

fn push(fields: &mut [Vec<u8>], byte: u8, has_room: bool) {
    if let Some(field) = fields.last_mut().filter(|_| has_room) {
        field.push(byte);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str, bytes_max: usize) -> Vec<Row> {
        let mut input = text.as_bytes();
        let mut rows = Rows::new(&mut input, bytes_max);
        std::iter::from_fn(|| rows.next().unwrap()).collect()
    }

    #[test]
    fn quotation_marks_hide_commas_and_line_breaks() {
        let fields = |fields: &[&str]| Row::Fields(fields.iter().map(|field| (*field).to_owned()).collect());
        assert_eq!(
            rows("ID,Contents\r\n1,\"a, \"\"b\"\"\r\nc\"\n\n2,\n3,d\"e\n4,\"\"\n5,é\n", 99),
            [
                fields(&["ID", "Contents"]),
                fields(&["1", "a, \"b\"\r\nc"]),
                fields(&["2", ""]),
                fields(&["3", "d\"e"]),
                fields(&["4", ""]),
                fields(&["5", "é"]),
            ]
        );
        assert_eq!(rows("1,\"cut\n", 99), [Row::CutOff("1".to_owned())]);
        assert_eq!(rows("1,a\n2,b", 99), [fields(&["1", "a"]), Row::CutOff("2".to_owned())]);
        assert_eq!(rows("1,aaaaaaaaaaaa\n2,b\n", 8), [Row::TooLarge("1".to_owned()), fields(&["2", "b"])]);
        assert_eq!(rows("", 8), []);
    }
}
