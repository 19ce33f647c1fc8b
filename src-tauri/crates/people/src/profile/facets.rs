//! The facets that a model may report about a person's wishes, and the values of each. Plain data; interpreting sentences is up
//! to the model. The values of one facet exclude each other; things that can be true together are separate facets.

use keepsake_domain::ProfileType;

/// A facet and its values, each with the text that follows "Prefers" and "Expects".
type Row = (&'static str, &'static [(&'static str, &'static str)]);

const CLOSED: &[Row] = &[
    ("length", &[("short", "short answers"), ("detailed", "long, detailed answers")]),
    ("format:lists", &[("bullet points", "bullet points"), ("no bullet points", "no bullet points")]),
    ("format:tables", &[("tables", "tables"), ("no tables", "no tables")]),
    ("format:emoji", &[("emojis", "emojis"), ("no emojis", "no emojis")]),
    ("format:markdown", &[("markdown", "Markdown"), ("plain text", "plain text without Markdown")]),
    ("format:headings", &[("headings", "headings"), ("no headings", "no headings")]),
    ("format:code", &[("complete code", "complete code"), ("code only", "the code alone")]),
    ("format:explanations", &[("with explanations", "explanations with the answer"), ("none", "no explanations")]),
    ("format:examples", &[("with examples", "examples"), ("none", "no examples")]),
    ("format:steps", &[("step by step", "step-by-step explanations")]),
    ("format:pace", &[("one at a time", "one step or question at a time")]),
    ("format:summary", &[("summary first", "the summary first")]),
    ("format:sources", &[("with sources", "sources for claims"), ("none", "no sources")]),
    ("format:units", &[("metric", "metric units"), ("imperial", "imperial units")]),
    ("format:questions", &[("none", "no follow-up questions")]),
    ("tone", &[("formal", "a formal tone"), ("casual", "a casual tone")]),
    ("tone:directness", &[("direct", "direct answers")]),
    ("tone:flattery", &[("none", "no flattery")]),
    ("tone:apologies", &[("none", "no apologies")]),
    ("tone:disclaimers", &[("none", "no disclaimers")]),
    ("tone:small talk", &[("none", "no small talk")]),
    ("tone:humour", &[("with humour", "some humour"), ("none", "no humour")]),
    ("technical level", &[("simple", "explanations in simple terms"), ("expert", "an expert's level, without the basics")]),
];

/// Channels that a model may name, each with the text that follows "Prefers".
pub(super) const CHANNELS: [(&str, &str); 4] =
    [("email", "email"), ("phone", "phone calls"), ("text message", "text messages"), ("video call", "video calls")];

/// Languages that a model may name.
const LANGUAGES: [&str; 25] = [
    "English", "German", "French", "Spanish", "Portuguese", "Italian", "Dutch", "Polish", "Russian", "Turkish", "Swedish",
    "Danish", "Norwegian", "Finnish", "Greek", "Arabic", "Hebrew", "Hindi", "Japanese", "Chinese", "Korean", "Ukrainian",
    "Czech", "Hungarian", "Romanian",
];

/// Looks up the name of a language, ignoring case.
pub(super) fn language(name: &str) -> Option<&'static str> {
    LANGUAGES.iter().find(|known| known.eq_ignore_ascii_case(name)).copied()
}

/// All facets with a closed list of values, in table order.
pub(super) fn closed_facets() -> impl Iterator<Item = &'static str> {
    CLOSED.iter().map(|(facet, _)| *facet)
}

/// The values of a facet, each with the text that follows "Prefers" and "Expects"; empty for facets with free values.
pub(super) fn closed_values(facet: &str) -> &'static [(&'static str, &'static str)] {
    CLOSED.iter().find(|(known, _)| *known == facet).map_or(&[], |(_, values)| values)
}

/// The profile type of a facet. Seed 001: response time, depth and technical level are expectations; everything else is a
/// preference.
pub(super) fn type_of(facet: &str) -> ProfileType {
    match facet {
        "timing:reply" | "technical level" | "format:sources" => ProfileType::Expectations,
        _ => ProfileType::Preferences,
    }
}
