//! The view of a text that detectors read: NFKC-folded and without invisible characters, with a mapping back to the source.
//!
//! A number in full-width digits, an address with a zero-width space, or a Latin word with a Cyrillic letter is matched as the
//! text that a reader sees. The source is never rewritten: every position in the view maps back to source bytes.
//!
//! Accented letters stay unchanged, because no detector needs them to be composed or decomposed. Most non-ASCII text can
//! therefore be borrowed from the source.

use std::borrow::Cow;
use std::ops::Range;

use unicode_normalization::char::decompose_compatible;

/// Replaces a masked range in the view. No detector accepts it inside a match.
pub(super) const BARRIER: char = '\u{FFFC}';

/// A range of the view whose characters differ from the source.
struct Fold {
    view: usize,
    view_len: usize,
    source: usize,
    source_len: usize,
}

/// A folded view of a text.
pub(super) struct View<'a> {
    text: Cow<'a, str>,
    folds: Vec<Fold>,
}

impl<'a> View<'a> {
    /// The view of `source` in which each range in `barriers` (sorted, disjoint byte ranges) is replaced by one [`BARRIER`].
    pub(super) fn folded(source: &'a str, barriers: &[Range<usize>]) -> Self {
        let mut builder = Builder::new(source);
        let mut at = 0;
        for barrier in barriers {
            fold_stretch(&mut builder, at..barrier.start);
            builder.replace(barrier.clone(), BARRIER.encode_utf8(&mut [0; 4]));
            at = barrier.end;
        }
        fold_stretch(&mut builder, at..source.len());
        builder.finish()
    }

    /// The view of `source` with each run of `%XX` decoded once, or `None` if a run is not valid UTF-8.
    pub(super) fn url_decoded(source: &'a str) -> Option<Self> {
        let bytes = source.as_bytes();
        let mut builder = Builder::new(source);
        let mut at = 0;
        while let Some(found) = memchr::memchr(b'%', &bytes[at..]) {
            let start = at + found;
            let mut end = start;
            let mut decoded = Vec::new();
            while let [b'%', high, low, ..] = bytes[end..]
                && let (Some(high), Some(low)) = ((high as char).to_digit(16), (low as char).to_digit(16))
            {
                decoded.push((high * 16 + low) as u8);
                end += 3;
            }
            if decoded.is_empty() {
                at = start + 1;
            } else {
                builder.replace(start..end, std::str::from_utf8(&decoded).ok()?);
                at = end;
            }
        }
        Some(builder.finish())
    }

    /// The text that detectors read.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The source bytes of a non-empty range of the view. They cover whole characters, even if the view splits one into several.
    pub(super) fn source_range(&self, view: Range<usize>) -> Range<usize> {
        let (start, _) = self.source_of(view.start);
        let (_, end) = self.source_of(view.end.saturating_sub(1).max(view.start));
        start..end
    }

    /// The start and end of the source range that corresponds to the view's byte `at`.
    fn source_of(&self, at: usize) -> (usize, usize) {
        let after = self.folds.partition_point(|fold| fold.view <= at);
        let Some(fold) = after.checked_sub(1).map(|i| &self.folds[i]) else { return (at, at + 1) };
        let fold_end = fold.view + fold.view_len;
        if at < fold_end {
            return (fold.source, fold.source + fold.source_len);
        }
        let source = fold.source + fold.source_len + (at - fold_end);
        (source, source + 1)
    }
}

/// Builds a view. Copies no text if nothing is folded.
struct Builder<'a> {
    source: &'a str,
    copied: usize,
    text: String,
    folds: Vec<Fold>,
}

impl<'a> Builder<'a> {
    fn new(source: &'a str) -> Self {
        Self { source, copied: 0, text: String::new(), folds: Vec::new() }
    }

    fn replace(&mut self, range: Range<usize>, with: &str) {
        if self.folds.is_empty() {
            self.text.reserve(self.source.len() + with.len());
        }
        self.text.push_str(&self.source[self.copied..range.start]);
        self.folds.push(Fold { view: self.text.len(), view_len: with.len(), source: range.start, source_len: range.len() });
        self.text.push_str(with);
        self.copied = range.end;
    }

    fn finish(mut self) -> View<'a> {
        if self.folds.is_empty() {
            return View { text: Cow::Borrowed(self.source), folds: self.folds };
        }
        self.text.push_str(&self.source[self.copied..]);
        View { text: Cow::Owned(self.text), folds: self.folds }
    }
}

/// Folds the characters of `builder.source[range]`, skipping plain ASCII in bulk.
fn fold_stretch(builder: &mut Builder<'_>, range: Range<usize>) {
    let source = builder.source;
    let bytes = source.as_bytes();
    let mut at = range.start;
    let mut folded = String::new();
    while let Some(skip) = bytes[at..range.end].iter().position(|byte| !byte.is_ascii()) {
        at += skip;
        let Some(c) = source[at..range.end].chars().next() else { return };
        let end = at + c.len_utf8();
        let beside_ascii = at.checked_sub(1).is_some_and(|i| bytes[i].is_ascii_alphanumeric())
            || bytes.get(end).is_some_and(u8::is_ascii_alphanumeric);
        folded.clear();
        if fold(c, beside_ascii, &mut folded) {
            builder.replace(at..end, &folded);
        }
        at = end;
    }
}

/// Writes the folded form of `c` to `out` and returns true if it differs from `c`. Nothing is written for an invisible character.
fn fold(c: char, beside_ascii: bool, out: &mut String) -> bool {
    match c as u32 {
        // Soft hyphens, joiners, direction marks, fillers, variation selectors and tags are not displayed.
        0x00AD
        | 0x034F
        | 0x061C
        | 0x115F
        | 0x1160
        | 0x17B4
        | 0x17B5
        | 0x180B..=0x180E
        | 0x200B..=0x200F
        | 0x202A..=0x202E
        | 0x2060..=0x206F
        | 0x3164
        | 0xFE00..=0xFE0F
        | 0xFEFF
        | 0xFFA0
        | 0xE0000..=0xE0FFF => true,
        0x2010..=0x2015 | 0x2212 | 0xFE58 | 0xFE63 | 0xFF0D => push(out, '-'),
        0x2018 | 0x2019 | 0x02BC => push(out, '\''),
        0x2028 | 0x2029 | 0x0085 => push(out, '\n'),
        0x0370..=0x04FF => match latin_lookalike(c) {
            Some(latin) if beside_ascii => push(out, latin),
            _ => false,
        },
        0x0600..=0x1FFF => digit(c).is_some_and(|digit| push(out, digit)),
        0x00A0..=0x00BF | 0x2000..=0x303F | 0x3200..=0x33FF | 0xF900..=0xFFFF | 0x1D400..=0x1D7FF | 0x1F100..=0x1F2FF => {
            if c == BARRIER {
                return false;
            }
            decompose_compatible(c, |part| out.push(part));
            out.chars().ne([c])
        }
        _ => false,
    }
}

fn push(out: &mut String, c: char) -> bool {
    out.push(c);
    true
}

/// The ASCII digit for a decimal digit in another script.
fn digit(c: char) -> Option<char> {
    /// The zero digit of each script (Unicode 16, general category Nd, living scripts of the BMP).
    const ZEROS: [u32; 21] = [
        0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66, 0x0DE6, 0x0E50, 0x0ED0,
        0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946,
    ];
    let zero = ZEROS.into_iter().rev().find(|zero| *zero <= c as u32)?;
    char::from_digit(c as u32 - zero, 10)
}

/// The Latin letter that a Greek or Cyrillic letter looks like (the common Unicode confusables).
fn latin_lookalike(c: char) -> Option<char> {
    Some(match c {
        'а' => 'a',
        'А' | 'Α' => 'A',
        'В' | 'Β' => 'B',
        'с' | 'ϲ' => 'c',
        'С' | 'Ϲ' => 'C',
        'ԁ' => 'd',
        'е' => 'e',
        'Е' | 'Ε' => 'E',
        'Н' | 'Η' => 'H',
        'і' | 'ι' => 'i',
        'І' | 'Ι' => 'I',
        'ј' => 'j',
        'Ј' => 'J',
        'К' | 'Κ' => 'K',
        'М' | 'Μ' => 'M',
        'Ν' => 'N',
        'о' | 'ο' => 'o',
        'О' | 'Ο' => 'O',
        'р' | 'ρ' => 'p',
        'Р' | 'Ρ' => 'P',
        'ѕ' => 's',
        'Ѕ' => 'S',
        'Т' | 'Τ' => 'T',
        'ν' => 'v',
        'х' => 'x',
        'Х' | 'Χ' => 'X',
        'у' => 'y',
        'У' | 'Υ' => 'Y',
        'Ζ' => 'Z',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, view: &str) {
        assert_eq!(View::folded(source, &[]).text(), view, "view of {source:?}");
    }

    #[test]
    fn what_looks_alike_reads_alike() {
        check("plain text, naïve café, 漢字 и кириллица", "plain text, naïve café, 漢字 и кириллица");
        check("ma\u{200B}ra＠exam\u{00AD}ple．org", "mara@example.org");
        check("＋４９ ３０\u{00A0}１２３", "+49 30 123");
        check("٠٧٩ ۱۲۳ १२३", "079 123 123");
        check("mаrа@example", "mara@example");
        check("5–10 − 1’200", "5-10 - 1'200");
        check("￥５００ ￡３", "¥500 £3");
    }

    #[test]
    fn positions_lead_back_to_whole_characters_of_the_source() {
        let source = "x ma\u{200B}ra＠example．org y";
        let view = View::folded(source, &[]);
        let start = view.text().find("mara").unwrap();
        let range = view.source_range(start..start + "mara@example.org".len());
        assert_eq!(&source[range], "ma\u{200B}ra＠example．org");
        let tail = view.text().find('y').unwrap();
        assert_eq!(&source[view.source_range(tail..tail + 1)], "y");
    }

    #[test]
    fn a_masked_stretch_is_one_barrier() {
        let source = "a [EMAIL_1] b";
        let view = View::folded(source, std::slice::from_ref(&(2..11)));
        assert_eq!(view.text(), "a \u{FFFC} b");
        assert_eq!(view.source_range(6..7), 12..13);
    }

    #[test]
    fn url_encoding_is_read_once() {
        let view = View::url_decoded("mara%40example.org%2525").unwrap();
        assert_eq!(view.text(), "mara@example.org%25");
        assert_eq!(view.source_range(4..5), 4..7);
        assert!(View::url_decoded("%ff%fe").is_none(), "no UTF-8, no reading");
    }
}
