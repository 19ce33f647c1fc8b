//! Fireflies transcripts in JSON: an object with `sentences` from the API, or the array of sentences downloaded from the website.
//!
//! The first is `{"data": {"transcript": {"title", "date", "sentences": [{"text", "start_time", "end_time", "speaker_name",
//! …}]}}}` or any inner part of it; the second is `[{"sentence", "startTime", "endTime", "speaker_name", …}]`. Times are seconds
//! or clock times. Deliberately not here: Fireflies' summaries and filters, which a model wrote.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::cue::{Cue, Cues, clock};
use crate::json::{Items, Loose, mend};
use crate::time::from_unix;

/// Maximum number of nested objects around the sentences.
const WRAPPINGS_MAX: usize = 4;

#[derive(Deserialize)]
struct Outer<'a> {
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
    #[serde(borrow, default)]
    transcript: Option<&'a RawValue>,
    #[serde(borrow, default)]
    title: Loose<'a>,
    #[serde(borrow, default)]
    date: Loose<'a>,
    #[serde(borrow, default)]
    sentences: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Sentence<'a> {
    #[serde(borrow, default)]
    text: Loose<'a>,
    #[serde(borrow, default)]
    raw_text: Loose<'a>,
    #[serde(borrow, default)]
    sentence: Loose<'a>,
    #[serde(borrow, default)]
    speaker_name: Loose<'a>,
    #[serde(borrow, default)]
    speaker_id: Loose<'a>,
    #[serde(borrow, default)]
    start_time: Loose<'a>,
    #[serde(borrow, default)]
    end_time: Loose<'a>,
    #[serde(borrow, default, rename = "startTime")]
    start: Loose<'a>,
    #[serde(borrow, default, rename = "endTime")]
    end: Loose<'a>,
}

/// The cues of a whole file, or `None` if it is not JSON.
pub(super) fn parse(text: &str) -> Option<Cues> {
    let mended;
    let root: &RawValue = match serde_json::from_str(text) {
        Ok(root) => root,
        Err(_) => {
            mended = mend(text.as_bytes())?;
            serde_json::from_str(&mended).ok()?
        }
    };
    let mut out = Cues::default();
    let mut sentences = root;
    for _ in 0..WRAPPINGS_MAX {
        if !sentences.get().starts_with('{') {
            break;
        }
        let Ok(outer) = serde_json::from_str::<Outer<'_>>(sentences.get()) else { break };
        if let Some(title) = outer.title.text() {
            out.title = Some(title.to_owned());
        }
        // The date is either a number of milliseconds or a written time.
        out.begun = out.begun.or_else(|| outer.date.number().and_then(from_unix));
        match outer.sentences.or(outer.transcript).or(outer.data) {
            Some(inner) => sentences = inner,
            None => break,
        }
    }
    let items = Items::of(Some(sentences)).0;
    if items.is_empty() && sentences.get() != "[]" {
        out.malformed.push("the sentences".to_owned());
    }
    for raw in items {
        let mended;
        let json = if serde_json::from_str::<Sentence<'_>>(raw.get()).is_ok() {
            raw.get()
        } else {
            mended = mend(raw.get().as_bytes()).unwrap_or_default();
            &mended
        };
        let Ok(sentence) = serde_json::from_str::<Sentence<'_>>(json) else {
            out.malformed.push(raw.get().to_owned());
            continue;
        };
        let Some(start_ms) = time(&sentence.start_time).or(time(&sentence.start)) else {
            out.malformed.push(raw.get().to_owned());
            continue;
        };
        let words = [&sentence.text, &sentence.sentence, &sentence.raw_text].into_iter().find_map(|words| words.text());
        let Some(words) = words.map(str::trim).filter(|words| !words.is_empty()) else {
            out.empty.push("sentence".to_owned());
            continue;
        };
        let named = sentence.speaker_name.text().map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
        let speaker = named.or_else(|| sentence.speaker_id.id().map(|id| format!("Speaker {id}")));
        let end_ms = time(&sentence.end_time).or(time(&sentence.end));
        out.cues.push(Cue { start_ms, end_ms, speaker, text: words.to_owned() });
    }
    Some(out)
}

/// Converts seconds (a number or text) or a clock time to milliseconds.
fn time(value: &Loose<'_>) -> Option<i64> {
    match value.number() {
        // No meeting lasts a year.
        Some(seconds) if (0.0..31_536_000.0).contains(&seconds) => Some((seconds * 1000.0).round() as i64),
        Some(_) => None,
        None => clock(value.text()?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_found_however_they_are_wrapped() {
        let sentence = r#"{"text":"I keep bees.","start_time":1.5,"end_time":"3","speaker_name":"Ana"}"#;
        for text in [
            format!("[{sentence}]"),
            format!(r#"{{"sentences":[{sentence}]}}"#),
            format!(r#"{{"transcript":{{"sentences":[{sentence}]}}}}"#),
            format!(r#"{{"data":{{"transcript":{{"title":"Bees","date":1767600000000,"sentences":[{sentence}]}}}}}}"#),
        ] {
            let cues = parse(&text).unwrap_or_default();
            let wanted =
                Cue { start_ms: 1_500, end_ms: Some(3_000), speaker: Some("Ana".to_owned()), text: "I keep bees.".to_owned() };
            assert_eq!(cues.cues, [wanted], "{text}");
        }
        assert!(parse("{broken").is_none());
    }

    #[test]
    fn times_are_seconds_or_clocks() {
        for (value, wanted) in [
            (Loose::Number(1.25), Some(1_250)),
            (Loose::Int(61), Some(61_000)),
            (Loose::Text("2.5".into()), Some(2_500)),
            (Loose::Text("01:05".into()), Some(65_000)),
            (Loose::Number(-1.0), None),
            (Loose::Number(1e300), None),
            (Loose::Text("soon".into()), None),
            (Loose::Nothing, None),
        ] {
            assert_eq!(time(&value), wanted, "{value:?}");
        }
    }
}
