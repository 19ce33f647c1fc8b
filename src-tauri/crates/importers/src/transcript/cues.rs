//! Reads the cues of these transcript formats: WebVTT (Zoom, Teams), SRT, SBV (Google Meet), Otter text, Zoom's saved captions,
//! and the text of Teams' Word documents.

use super::cue::{Cue, Cues, clock, label};
use super::{fireflies, meet};

/// Number of lines read to recognize a transcript.
const SNIFF_LINES: usize = 200;

/// Notices about transcription that Teams inserts between the lines.
const TEAMS_NOTICES: &[&str] = &[" started transcription", " stopped transcription"];

/// True if the beginning of a file looks like a transcript.
pub(crate) fn looks_like(head: &str) -> bool {
    if head.trim_start().starts_with("WEBVTT") {
        return true;
    }
    let lines: Vec<&str> = head.lines().map(str::trim).filter(|line| !line.is_empty()).take(SNIFF_LINES).collect();
    let is_srt = match lines.as_slice() {
        [first, second, ..] => timing(first).is_some() || first.bytes().all(|b| b.is_ascii_digit()) && timing(second).is_some(),
        _ => false,
    };
    // Text must follow the line, which excludes lists of songs with their lengths.
    let is_turn = |pair: &[&str]| turn_line(pair[0]).is_some() && turn_line(pair[1]).is_none();
    let turns = lines.windows(2).filter(|pair| is_turn(pair)).count();
    is_srt || turns >= 2 || lines.windows(2).next().is_some_and(is_turn) || meet::looks_like(head)
}

/// The cues of a whole file.
pub(crate) fn parse(text: &str) -> Cues {
    if super::is_json(text.as_bytes())
        && let Some(cues) = fireflies::parse(text)
    {
        return cues;
    }
    let is_timed = text.trim_start().starts_with("WEBVTT") || text.lines().any(|line| timing(line).is_some());
    if is_timed {
        let mut cues = timed(text);
        take_name_prefixes(&mut cues.cues);
        return cues;
    }
    let turns = turns(text);
    let meet = if meet::looks_like(text) { meet::parse(text) } else { Cues::default() };
    if meet.cues.len() > turns.cues.len() { meet } else { turns }
}

/// Reads WebVTT and SRT: blocks with a timing line.
fn timed(text: &str) -> Cues {
    let mut out = Cues::default();
    // In WebVTT, too, Teams writes the short times of its Word documents, so they do not tell the formats apart.
    let is_vtt = text.trim_start().starts_with("WEBVTT");
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let line = line.trim();
        if line.starts_with("NOTE") || line == "STYLE" || line == "REGION" || line.starts_with("WEBVTT") {
            while lines.next_if(|line| !line.trim().is_empty() && timing(line).is_none()).is_some() {}
            continue;
        }
        let Some((start_ms, end_ms)) = timing(line) else {
            // A number or name directly before the timing line is the cue's id.
            let is_id = lines.peek().is_some_and(|next| timing(next).is_some());
            if !line.is_empty() && !is_id {
                out.strays.push(line.to_owned());
            }
            continue;
        };
        if !is_vtt && is_teams_word(line) {
            let mut payload: Vec<&str> = Vec::new();
            while let Some(line) = lines.next_if(|line| timing(line).is_none()) {
                payload.extend(Some(line.trim()).filter(|line| !line.is_empty()));
            }
            let speaker = payload.first().and_then(|line| label(line)).filter(|_| payload.len() > 1).map(str::to_owned);
            let text = payload[usize::from(speaker.is_some())..].join("\n");
            if text.is_empty() {
                out.empty.push(line.to_owned());
            } else {
                out.cues.push(Cue { start_ms, end_ms: Some(end_ms), speaker, text });
            }
            continue;
        }
        let mut payload = String::new();
        while let Some(line) = lines.next_if(|line| !line.trim().is_empty() && timing(line).is_none()) {
            // The id of the next cue, if no blank line separates them.
            if line.trim().bytes().all(|b| b.is_ascii_digit()) && lines.peek().is_some_and(|next| timing(next).is_some()) {
                break;
            }
            if !payload.is_empty() {
                payload.push('\n');
            }
            payload.push_str(line.trim());
        }
        let spans = voices(&payload);
        if spans.is_empty() {
            out.empty.push(line.to_owned());
        }
        out.cues.extend(spans.into_iter().map(|(speaker, text)| Cue { start_ms, end_ms: Some(end_ms), speaker, text }));
    }
    out
}

/// Reads Otter and Zoom captions: a line with a name and a time, followed by text.
fn turns(text: &str) -> Cues {
    let mut out = Cues::default();
    // "See you at 9:30" looks like the start of a turn. If the file has blank lines between paragraphs, a turn must begin a
    // paragraph.
    let has_paragraphs = text.trim().lines().any(|line| line.trim().is_empty());
    let mut is_after_blank = true;
    for line in text.lines() {
        let line = line.trim();
        let may_begin = is_after_blank || !has_paragraphs || line.starts_with('[');
        is_after_blank = line.is_empty();
        if let Some((speaker, start_ms, is_clock)) = turn_line(line).filter(|_| may_begin) {
            out.is_clock |= is_clock;
            out.cues.push(Cue { start_ms, end_ms: None, speaker: Some(speaker.to_owned()), text: String::new() });
        } else if line.is_empty() {
        } else if is_signature(line) || may_begin && TEAMS_NOTICES.iter().any(|notice| line.ends_with(notice)) {
            out.strays.push(line.to_owned());
        } else if let Some(cue) = out.cues.last_mut() {
            if !cue.text.is_empty() {
                cue.text.push('\n');
            }
            cue.text.push_str(line);
        } else {
            out.strays.push(line.to_owned());
        }
    }
    let (full, empty): (Vec<_>, Vec<_>) = out.cues.into_iter().partition(|cue| !cue.text.is_empty());
    out.cues = full;
    out.empty.extend(empty.into_iter().filter_map(|cue| cue.speaker));
    out
}

/// True for the signature line that Otter adds at the end.
fn is_signature(line: &str) -> bool {
    line.to_lowercase().starts_with("transcribed by https://otter.ai")
}

/// True for a timing line of older Teams Word documents, such as `0:0:3.64`. The speaker is on the line below it.
fn is_teams_word(line: &str) -> bool {
    let start = line.split_once("-->").map_or("", |(start, _)| start.trim());
    start.split([':', '.']).nth(1).is_some_and(|minutes| minutes.len() == 1) && start.matches(':').count() == 2
}

/// The start and end of a timing line, in milliseconds: `00:00:01.000 --> 00:00:02.000`, or in SBV `0:00:01.000,0:00:02.000`.
fn timing(line: &str) -> Option<(i64, i64)> {
    let Some((start, end)) = line.split_once("-->") else {
        let (start, end) = line.trim().split_once(',')?;
        let is_sbv = [start, end].iter().all(|time| time.matches(':').count() == 2 && time.contains('.'));
        return if is_sbv { Some((clock(start)?, clock(end)?)) } else { None };
    };
    let end = end.split_whitespace().next()?;
    Some((clock(start.trim())?, clock(end)?))
}

/// The length of the shortest date, `1/9/26`.
const DATE_BYTES_MIN: usize = 6;

/// If the line begins a turn: the speaker, the time, and whether it is a time of day.
fn turn_line(line: &str) -> Option<(&str, i64, bool)> {
    if let Some((name, time)) = line.strip_prefix('[').and_then(|line| line.split_once("] ")) {
        let is_clock = time.matches(':').count() == 2;
        return Some((label(name)?, clock(time.trim())?, is_clock));
    }
    let (name, time) = line.rsplit_once(char::is_whitespace)?;
    // A time after a date belongs to a chat message.
    let is_date = |word: &str| word.len() >= DATE_BYTES_MIN && word.bytes().all(|b| b.is_ascii_digit() || b"-/.".contains(&b));
    if time.contains(['.', ',']) || name.split_whitespace().next_back().is_some_and(is_date) {
        return None;
    }
    Some((label(name)?, clock(time)?, false))
}

/// The spans of a payload, each with its text and the speaker from a `<v Name>` tag, if any. A span without an end tag extends to
/// the end of the payload.
fn voices(payload: &str) -> Vec<(Option<String>, String)> {
    let mut spans: Vec<(Option<String>, String)> = vec![(None, String::new())];
    let mut rest = payload;
    while let Some(at) = rest.find('<') {
        let Some(end) = rest[at..].find('>') else { break };
        push(&mut spans, &rest[..at]);
        let tag = &rest[at + 1..at + end];
        if let Some(voice) = tag.strip_prefix('v').filter(|voice| voice.starts_with([' ', '.', '\t'])) {
            // "<v.loud Ana>" has a class before the name.
            let name = voice.split_once(char::is_whitespace).map_or("", |(_, name)| name);
            spans.push((Some(unescaped(name.trim())).filter(|name| !name.is_empty()), String::new()));
        } else if tag == "/v" {
            spans.push((None, String::new()));
        } else if !is_markup(tag) {
            push(&mut spans, &rest[at..=at + end]);
        }
        rest = &rest[at + end + 1..];
    }
    push(&mut spans, rest);
    spans
        .into_iter()
        .map(|(speaker, text)| (speaker, unescaped(text.trim())))
        .filter(|(_, text)| !text.trim().is_empty())
        .collect()
}

fn push(spans: &mut [(Option<String>, String)], text: &str) {
    if let Some((_, last)) = spans.last_mut() {
        last.push_str(text);
    }
}

/// True if `<tag>` is markup in WebVTT or SRT: class, bold, italics, underline, language, ruby, font, or a time.
fn is_markup(tag: &str) -> bool {
    let name = tag.trim_start_matches('/').split([' ', '.']).next().unwrap_or_default();
    matches!(name, "c" | "b" | "i" | "u" | "lang" | "ruby" | "rt" | "font" | "") || clock(tag).is_some()
}

fn unescaped(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let plain = text.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", " ").replace("&lrm;", "").replace("&rlm;", "");
    plain.replace("&quot;", "\"").replace("&#39;", "'").replace("&amp;", "&")
}

/// Moves `Name: ` prefixes from the text to the speaker. A prefix counts as a name if most cues have one, or if the same prefix
/// occurs again. Neither is true for a sentence that happens to contain a colon.
fn take_name_prefixes(cues: &mut [Cue]) {
    let prefix = |cue: &Cue| -> Option<String> {
        let (name, text) = cue.text.split_once(':')?;
        let is_spaced = text.starts_with(char::is_whitespace) && !text.trim().is_empty();
        let capitals = name.split_whitespace().filter(|word| word.starts_with(char::is_uppercase)).count();
        // Accepts "Ana de la Cruz" and "Speaker 1", but not "What I mean is".
        (cue.speaker.is_none() && is_spaced && 2 * capitals >= name.split_whitespace().count())
            .then(|| label(name).map(str::to_owned))
            .flatten()
    };
    let mut counts = std::collections::HashMap::<String, usize>::new();
    for name in cues.iter().filter_map(prefix) {
        *counts.entry(name).or_default() += 1;
    }
    let are_most = 2 * counts.values().sum::<usize>() >= cues.len();
    for cue in cues {
        if let Some(name) = prefix(cue).filter(|name| are_most || counts.get(name).is_some_and(|count| *count > 1)) {
            cue.text = cue.text.split_once(':').map(|(_, text)| text.trim().to_owned()).unwrap_or_default();
            cue.speaker = Some(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn voices_with_and_without_end_tags() {
        for (payload, wanted) in [
            ("<v Ana Lima>Hello &amp; welcome</v>", vec![(Some("Ana Lima"), "Hello & welcome")]),
            ("<v Ana>no end tag", vec![(Some("Ana"), "no end tag")]),
            ("<v Ana>one</v>\n<v Bo>two</v>", vec![(Some("Ana"), "one"), (Some("Bo"), "two")]),
            ("<v.loud Ana><b>loud</b></v>", vec![(Some("Ana"), "loud")]),
            ("a <3 b", vec![(None, "a <3 b")]),
            ("x <y> z", vec![(None, "x <y> z")]),
            ("<00:00:01.000>timed <c.red>words</c>", vec![(None, "timed words")]),
            ("", vec![]),
        ] {
            let spans = voices(payload);
            let shown: Vec<_> = spans.iter().map(|(speaker, text)| (speaker.as_deref(), text.as_str())).collect();
            assert_eq!(shown, wanted, "{payload:?}");
        }
    }

    #[test]
    fn short_times_in_webvtt_are_cues_with_voices_and_not_the_text_of_a_word_document() {
        let text = "WEBVTT\n\nab12/1-0\n0:0:0.0 --> 0:0:3.54\n<v Ana Lima>Is the smoker lit?</v>\n\nab12/2-0\n0:0:3.54 --> 0:0:7.2\n<v Bo>It is.</v>\n";
        let read = parse(text);
        let shown: Vec<_> = read.cues.iter().map(|cue| (cue.start_ms, cue.speaker.as_deref(), cue.text.as_str())).collect();
        assert_eq!(shown, [(0, Some("Ana Lima"), "Is the smoker lit?"), (3_540, Some("Bo"), "It is.")]);
        let word = parse("0:0:0.0 --> 0:0:3.54\nAna Lima\nIs the smoker lit?\n\n0:0:3.54 --> 0:0:7.2\nBo\nIt is.\n");
        assert_eq!(word.cues.iter().filter_map(|cue| cue.speaker.as_deref()).collect::<Vec<_>>(), ["Ana Lima", "Bo"]);
    }

    #[test]
    fn clocks_and_turn_lines() {
        assert_eq!(clock("1:02:03.5"), Some(3_723_500));
        assert_eq!(clock("02:03,250"), Some(123_250));
        assert_eq!(clock("0:03"), Some(3_000));
        assert_eq!(clock("12"), None);
        assert_eq!(turn_line("Ana Lima  0:03"), Some(("Ana Lima", 3_000, false)));
        assert_eq!(turn_line("[Ana Lima] 14:05:09"), Some(("Ana Lima", 50_709_000, true)));
        assert_eq!(turn_line("we meet at, say, 9:30"), None);
        assert_eq!(turn_line("Ana: hi"), None);
        assert_eq!(timing("0:00:01.000,0:00:02.500"), Some((1_000, 2_500)));
        assert_eq!(timing("0:0:1.0 --> 0:0:2.64"), Some((1_000, 2_640)));
        for no_timing in ["1,2", "10:00,11:00", "at 0:00:01.000,0:00:02.500", "0:00:01,0:00:02"] {
            assert_eq!(timing(no_timing), None, "{no_timing}");
        }
        assert!(is_teams_word("0:0:1.0 --> 0:0:2.64") && !is_teams_word("00:00:01.000 --> 00:00:02.640"));
    }
}
