//! Google Meet transcripts: a Google document saved as Word or plain text.
//!
//! They consist of a title that ends in "Transcript", possibly the attendees, and lines of the form `Name: text`. Newer
//! transcripts group these lines in blocks under a time such as `00:05:00`. Notes written by a model may come first, and a line
//! with the meeting's length and a disclaimer last; nobody in the meeting said these. Only blocks have times, so all lines in a
//! block get the block's time. Deliberately not here: the Markdown form, whose escapes differ between editors.

use std::collections::{HashMap, HashSet};

use super::cue::{Cue, Cues, LABEL_CHARS_MAX, LABEL_WORDS_MAX, clock, label};

/// The endings of transcript titles.
const TITLE_ENDS: &[&str] =
    &[" - Transcript", " – Transcript", " - Transkript", " - Transcription", " - Transcripción", " - Trascrizione"];

/// The text that Meet writes before or after every transcript.
const DISCLAIMER: &str = "This editable transcript was computer generated";

/// The heading above the attendees' names.
const ATTENDEES: &str = "Attendees";

/// The heading above the spoken text. In newer transcripts, a picture precedes it.
const HEADING: &str = "Transcript";

/// Maximum number of lines (names, a date, the disclaimer) between a heading and the first spoken line.
const HEAD_LINES_MAX: usize = 10;

/// A lowercase prefix counts as a name if at least this many lines begin with it.
const LOWER_CASE_LINES_MIN: usize = 3;

/// True if the beginning of a file looks like a transcript.
pub(super) fn looks_like(head: &str) -> bool {
    let lines: Vec<&str> = lines(head).collect();
    let speaks = |line: &&str| prefix(line).is_some_and(|(name, _)| is_capital(name));
    let is_headed = lines.iter().enumerate().any(|(at, line)| {
        let is_head = title(line).is_some() || line.starts_with(DISCLAIMER) || is_attendees_head(&lines[at..]);
        is_head && lines[at + 1..].iter().take(HEAD_LINES_MAX).any(speaks)
    });
    // For languages whose headings are not listed, the blocks decide: the first must start at zero, and each must begin with a
    // speaker.
    let blocks = lines.windows(2).filter(|pair| block(pair[0]).is_some());
    let first = lines.iter().find_map(|line| block(line));
    is_headed || first == Some(0) && blocks.clone().count() > 1 && blocks.clone().all(|pair| speaks(&pair[1]))
}

/// The cues of a whole file.
pub(super) fn parse(text: &str) -> Cues {
    let mut out = Cues::default();
    let names = Names::of(text);
    let has_blocks = lines(text).any(|line| block(line).is_some());
    let mut start_ms = 0;
    let (mut is_speech, mut is_over, mut is_open) = (false, false, false);
    let mut is_after_blank = true;
    for line in text.lines().map(bare) {
        let begins = std::mem::replace(&mut is_after_blank, line.is_empty());
        if line.is_empty() {
            continue;
        }
        if let Some(at_ms) = block(line) {
            start_ms = at_ms;
            (is_speech, is_over, is_open) = (true, false, false);
        } else if line.starts_with(DISCLAIMER) || is_heading(line) || title(line).is_some() {
            if let Some(title) = title(line) {
                out.title.get_or_insert_with(|| title.to_owned());
                is_over = false;
            }
            is_speech = !has_blocks && !is_over;
            is_open = false;
            out.strays.push(line.to_owned());
        } else if let Some((name, words)) = prefix(line).filter(|(name, _)| is_speech && names.hold(name)) {
            is_open = true;
            if words.is_empty() {
                out.empty.push(name.to_owned());
            } else {
                out.cues.push(Cue { start_ms, end_ms: None, speaker: Some(name.to_owned()), text: words.to_owned() });
            }
        } else if is_speech && holds_clock(line) {
            // A line such as "Transcription ended after 00:32:49", in any language.
            (is_speech, is_over, is_open) = (false, true, false);
            out.strays.push(line.to_owned());
        } else if is_speech && is_open && begins {
            // The speaker of a paragraph without a name is unknown.
            out.cues.push(Cue { start_ms, end_ms: None, speaker: None, text: line.to_owned() });
        } else if let Some(cue) = out.cues.last_mut().filter(|_| is_open) {
            cue.text.push('\n');
            cue.text.push_str(line);
        } else {
            out.strays.push(line.to_owned());
        }
    }
    out.is_untimed = !has_blocks;
    out
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(bare).filter(|line| !line.is_empty())
}

fn bare(line: &str) -> &str {
    line.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
}

/// The time in a line that contains only `HH:MM:SS`, in milliseconds.
fn block(line: &str) -> Option<i64> {
    let is_clock = line.len() == 8 && line.bytes().filter(|b| *b == b':').count() == 2;
    if is_clock { clock(line) } else { None }
}

fn holds_clock(line: &str) -> bool {
    line.split_whitespace().any(|word| block(word.trim_end_matches('.')).is_some())
}

fn is_heading(line: &str) -> bool {
    line.trim_start_matches(|c: char| !c.is_alphanumeric()) == HEADING
}

fn is_attendees_head(lines: &[&str]) -> bool {
    lines.first() == Some(&ATTENDEES) && lines.iter().take(HEAD_LINES_MAX).any(|line| is_heading(line))
}

/// The meeting's name, if this is a title line.
fn title(line: &str) -> Option<&str> {
    let name = TITLE_ENDS.iter().find_map(|end| line.strip_suffix(end))?.trim();
    (!name.is_empty() && prefix(line).is_none_or(|(name, _)| !is_capital(name) || line.contains(['(', '/']))).then_some(name)
}

/// The possible speaker and the words of a line.
fn prefix(line: &str) -> Option<(&str, &str)> {
    let (name, words) = match line.split_once(": ") {
        Some(split) => split,
        None => (line.strip_suffix(':')?, ""),
    };
    let name = name.trim();
    let is_short = name.chars().count() <= LABEL_CHARS_MAX && name.split_whitespace().count() <= LABEL_WORDS_MAX;
    (is_short && !name.is_empty() && !name.contains([':', '?', '!', ';', ','])).then_some((name, words.trim()))
}

/// True if `name` is capitalized like a name: "Ana de la Cruz" and "이서연", but not "What I mean is".
fn is_capital(name: &str) -> bool {
    let words = name.split_whitespace().count();
    let low = name.split_whitespace().filter(|word| word.starts_with(char::is_lowercase)).count();
    label(name).is_some() && 2 * low <= words
}

/// The speakers named in a file.
struct Names<'t> {
    attendees: HashSet<&'t str>,
    counts: HashMap<&'t str, usize>,
}

impl<'t> Names<'t> {
    fn of(text: &'t str) -> Self {
        let mut names = Self { attendees: HashSet::new(), counts: HashMap::new() };
        let mut is_list = false;
        for line in lines(text) {
            if is_list {
                names.attendees.extend(line.split(',').map(str::trim));
            }
            is_list = line == ATTENDEES;
            if let Some((name, _)) = prefix(line) {
                *names.counts.entry(name).or_default() += 1;
            }
        }
        names
    }

    /// True if `name` is a speaker. In doubt it counts as one: a false name only gives a line the wrong label, whereas a missed
    /// name attributes the line to the previous speaker.
    fn hold(&self, name: &str) -> bool {
        is_capital(name)
            || self.attendees.contains(name)
            || self.counts.get(name).is_some_and(|count| *count >= LOWER_CASE_LINES_MIN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_transcripts_look_like_one() {
        for (what, text, wanted) in [
            ("old", "Sync (2024-07-18 16:06 GMT-7) - Transcript\nAttendees\nAna, Bo\nTranscript\nAna: hi", true),
            ("new", "Apr 24, 2026\nSync - Transcript\n00:00:00\n\nAna: hi", true),
            ("no heading that is known", "24. 4. 2026\nSync – prepis\n00:00:00\nAna: hi\n00:01:00\nBo: ho", true),
            ("Korean", "회의 - 스크립트\n00:00:00\n이서연: 안녕\n00:01:00\n이서연: 네", true),
            ("one block and no heading", "00:00:00\nAna: hi", false),
            ("a log", "00:00:00\nINFO: start\n00:00:01\nno name here", false),
            ("a log that begins later", "10:00:00\nINFO: start\n10:00:01\nWARN: end", false),
            ("lines with names alone", "Ana: hi\nBo: ho\nAna: bye", false),
            ("a list of files", "Interview - Transcript\nInterview - Recording\nplan.txt", false),
            ("settings", "Attendees\nname: x\nrole: y", false),
        ] {
            assert_eq!(looks_like(text), wanted, "{what}");
        }
    }

    #[test]
    fn who_said_what() {
        let shown = |text: &str| {
            let cues = parse(text);
            let said: Vec<_> = cues
                .cues
                .iter()
                .map(|cue| format!("{} {}: {}", cue.start_ms / 1000, cue.speaker.clone().unwrap_or_default(), cue.text))
                .collect();
            (said, cues.strays.len())
        };
        for (what, text, wanted, strays) in [
            (
                "notes before",
                "Summary\nAna: was praised\n📖 Transcript\nS - Transcript\n00:00:10\nAna: hi",
                vec!["10 Ana: hi"],
                4,
            ),
            (
                "an end in another language",
                "S - Transcript\n00:00:00\nAna: hi\nBeendet nach 00:10:00\nAna: no",
                vec!["0 Ana: hi"],
                3,
            ),
            ("more lines", "S - Transcript\n00:00:00\nAna: hi\nand more", vec!["0 Ana: hi\nand more"], 1),
            (
                "an attendee in lower case",
                "Attendees\nedwin, Ana\nTranscript\nAna: hi\nedwin: ho",
                vec!["0 Ana: hi", "0 edwin: ho"],
                3,
            ),
            ("a sentence", "S - Transcript\n00:00:00\nAna: hi\nwhat i mean is: no", vec!["0 Ana: hi\nwhat i mean is: no"], 1),
            ("an empty line of somebody", "S - Transcript\n00:00:00\nAna:\nBo: ho", vec!["0 Bo: ho"], 1),
        ] {
            let (said, count) = shown(text);
            assert_eq!((said.iter().map(String::as_str).collect::<Vec<_>>(), count), (wanted, strays), "{what}");
        }
    }
}
