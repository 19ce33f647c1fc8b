//! Subjects without the prefixes that mail programs add.

/// Prefixes of replies, in lower case.
const ANSWERS: &[&str] =
    &["re", "aw", "sv", "vs", "antw", "odp", "ynt", "ref", "res", "rif", "r", "回复", "回覆", "答复", "答覆", "返信"];

/// Prefixes of forwarded mail, in lower case.
const FORWARDS: &[&str] =
    &["fwd", "fw", "wg", "tr", "rv", "enc", "pd", "ilt", "i̇lt", "doorst", "vb", "vl", "vidb", "转发", "轉寄", "転送", "i"];

/// A subject, split up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Subject {
    /// The subject without its prefixes.
    pub(super) topic: String,
    /// Whether it has the prefix of an answer or a forward.
    pub(super) is_answer: bool,
    /// Whether its first prefix marks a forward.
    pub(super) is_forward: bool,
}

impl Subject {
    /// Splits up a subject.
    pub(super) fn of(text: &str) -> Self {
        let mut topic = text.trim();
        let mut subject = Self::default();
        while let Some((prefix, rest)) = topic.split_once([':', '：']) {
            // Some programs count answers: "Re[2]:", "Re(2):".
            let bare = prefix.trim().trim_end_matches([']', ')']).trim_end_matches(|c: char| c.is_ascii_digit());
            let prefix = bare.trim_end_matches(['[', '(', '^', '*']).trim().to_lowercase();
            let is_forward = FORWARDS.contains(&prefix.as_str());
            if !is_forward && !ANSWERS.contains(&prefix.as_str()) {
                break;
            }
            subject.is_forward |= is_forward && !subject.is_answer;
            subject.is_answer = true;
            topic = rest.trim_start();
        }
        topic.clone_into(&mut subject.topic);
        subject
    }

    /// The topic, normalized so that it is the same in all answers.
    pub(super) fn key(&self) -> String {
        self.topic.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_taken_off_in_any_number_and_language() {
        for (text, topic, is_answer, is_forward) in [
            ("Bees", "Bees", false, false),
            ("Re: AW: Re[2]: Bees", "Bees", true, false),
            ("WG: Bees", "Bees", true, true),
            ("RE: Fwd: Bees", "Bees", true, false),
            ("回复：Bees", "Bees", true, false),
            ("RE : Bees", "Bees", true, false),
            ("Plan: bees at 10:30", "Plan: bees at 10:30", false, false),
            ("Re:", "", true, false),
            ("", "", false, false),
        ] {
            assert_eq!(Subject::of(text), Subject { topic: topic.to_owned(), is_answer, is_forward }, "{text}");
        }
    }
}
