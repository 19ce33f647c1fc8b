//! Generates exports of any size for benchmarks. The same seed gives the same bytes.
//!
//! The text is varied, so that indexes, filters and embeddings have realistic input. All people in it are invented.

use std::io::{self, Write};

/// Writes a ChatGPT `conversations.json` and returns the number of bytes written.
///
/// Every conversation has a hidden system node and `messages_per_conversation` visible messages that alternate between user and
/// assistant. Every tenth conversation also has a branch with an edited question.
pub fn write_chatgpt_export(
    out: &mut dyn Write,
    conversations: usize,
    messages_per_conversation: usize,
    seed: u64,
) -> io::Result<u64> {
    let mut out = Counted { inner: out, bytes: 0 };
    let mut dice = Dice(seed);
    out.write_all(b"[")?;
    for number in 0..conversations {
        if number > 0 {
            out.write_all(b",")?;
        }
        // One conversation every three hours, from May 2023, with one minute between messages.
        let begin = 1_683_000_000 + number as u64 * 10_800;
        write_conversation(&mut out, &mut dice, begin, messages_per_conversation, number % 10 == 9)?;
    }
    out.write_all(b"]\n")?;
    Ok(out.bytes)
}

fn write_conversation(out: &mut dyn Write, dice: &mut Dice, begin: u64, messages: usize, has_branch: bool) -> io::Result<()> {
    let id = dice.uuid();
    let ids: Vec<String> = (0..messages + 2).map(|_| dice.uuid()).collect();
    let branch = (has_branch && messages >= 3).then(|| dice.uuid());
    let title = quoted(dice.pick(TOPICS));
    write!(out, r#"{{"title":{title},"create_time":{begin}.25,"update_time":{},"mapping":{{"#, begin + messages as u64 * 60)?;
    write!(out, r#""{0}":{{"id":"{0}","message":null,"parent":null,"children":["{1}"]}}"#, ids[0], ids[1])?;
    let system = Spoken { id: &ids[1], parent: &ids[0], time: "null".to_owned(), role: "system", text: "", is_hidden: true };
    write_node(out, &system, &children(&ids, 1, None))?;
    for index in 0..messages {
        let at = index + 2;
        let is_user = index % 2 == 0;
        let text = if is_user { dice.user_text() } else { dice.assistant_text() };
        let spoken = Spoken {
            id: &ids[at],
            parent: &ids[at - 1],
            time: format!("{}.{:06}", begin + index as u64 * 60, dice.below(1_000_000)),
            role: if is_user { "user" } else { "assistant" },
            text: &text,
            is_hidden: false,
        };
        // The branch is a sibling of the second question.
        let beside = branch.as_deref().filter(|_| index == 1);
        write_node(out, &spoken, &children(&ids, at, beside))?;
        if let Some(branch) = beside {
            let text = dice.user_text();
            let time = format!("{}.5", begin + index as u64 * 60 + 20);
            let spoken = Spoken { id: branch, parent: &ids[at], time, role: "user", text: &text, is_hidden: false };
            write_node(out, &spoken, "")?;
        }
    }
    write!(
        out,
        r#"}},"moderation_results":[],"current_node":"{}","plugin_ids":null,"conversation_id":"{id}","conversation_template_id":null,"gizmo_id":null,"is_archived":false,"is_starred":null,"safe_urls":[],"blocked_urls":[],"default_model_slug":"gpt-5","conversation_origin":null,"voice":null,"async_status":null,"is_do_not_remember":false,"memory_scope":"global_enabled","id":"{id}"}}"#,
        ids[messages + 1]
    )
}

/// The children of the node at `at`: the next node of the thread, and `beside` if it is given.
fn children(ids: &[String], at: usize, beside: Option<&str>) -> String {
    ids.get(at + 1).map(String::as_str).into_iter().chain(beside).map(|id| format!("\"{id}\"")).collect::<Vec<_>>().join(",")
}

struct Spoken<'a> {
    id: &'a str,
    parent: &'a str,
    time: String,
    role: &'a str,
    text: &'a str,
    is_hidden: bool,
}

fn write_node(out: &mut dyn Write, spoken: &Spoken<'_>, children: &str) -> io::Result<()> {
    let Spoken { id, parent, time, role, text, is_hidden } = spoken;
    let text = quoted(text);
    let metadata = match (is_hidden, *role) {
        (true, _) => r#"{"is_visually_hidden_from_conversation":true}"#.to_owned(),
        (_, "assistant") => format!(
            r#"{{"finish_details":{{"type":"stop","stop_tokens":[200002]}},"citations":[],"content_references":[],"is_complete":true,"model_slug":"gpt-5","default_model_slug":"gpt-5","parent_id":"{parent}","request_id":"{}","timestamp_":"absolute"}}"#,
            &id[..16]
        ),
        _ => format!(
            r#"{{"serialization_metadata":{{"custom_symbol_offsets":[]}},"request_id":"{}","timestamp_":"absolute"}}"#,
            &id[..16]
        ),
    };
    let weight = if *is_hidden { "0.0" } else { "1.0" };
    write!(
        out,
        r#","{id}":{{"id":"{id}","message":{{"id":"{id}","author":{{"role":"{role}","name":null,"metadata":{{}}}},"create_time":{time},"update_time":null,"content":{{"content_type":"text","parts":[{text}]}},"status":"finished_successfully","end_turn":true,"weight":{weight},"metadata":{metadata},"recipient":"all","channel":null}},"parent":"{parent}","children":[{children}]}}"#
    )
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A small deterministic random number generator (SplitMix64).
pub struct Dice(pub u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number less than `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    pub(crate) fn pick(&mut self, from: &'static [&'static str]) -> &'static str {
        from[self.below(from.len() as u64) as usize]
    }

    fn uuid(&mut self) -> String {
        let (a, b) = (self.next(), self.next());
        format!("{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}", a >> 32, a >> 16 & 0xffff, a & 0xfff, b >> 52, b & 0xffff_ffff_ffff)
    }

    /// Replaces every `{x}` in `template` with a word of kind `x`.
    fn fill(&mut self, template: &str) -> String {
        let mut out = String::with_capacity(template.len() + 32);
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            let (slot, tail) = after.split_once('}').unwrap_or((after, ""));
            out.push_str(before);
            match slot {
                "n" => out.push_str(&(2 + self.below(97)).to_string()),
                "person" => out.push_str(self.pick(PEOPLE)),
                "place" => out.push_str(self.pick(PLACES)),
                "topic" => out.push_str(self.pick(TOPICS)),
                "thing" => out.push_str(self.pick(THINGS)),
                _ => out.push_str(self.pick(VERBS)),
            }
            rest = tail;
        }
        out.push_str(rest);
        out
    }

    /// Text of a chat message, sometimes a long one.
    pub(crate) fn chat_text(&mut self) -> String {
        match self.below(12) {
            0 => self.assistant_text(),
            1..=4 => {
                let statement = self.pick(STATEMENTS);
                self.fill(statement)
            }
            _ => {
                let question = self.pick(QUESTIONS);
                self.fill(question)
            }
        }
    }

    fn user_text(&mut self) -> String {
        match self.below(10) {
            0..=2 => {
                let statement = self.pick(STATEMENTS);
                let question = self.pick(QUESTIONS);
                format!("{} {}", self.fill(statement), self.fill(question))
            }
            3 => {
                let question = self.pick(QUESTIONS);
                format!("{}\n```rust\n{}```", self.fill(question), self.code())
            }
            _ => {
                let question = self.pick(QUESTIONS);
                self.fill(question)
            }
        }
    }

    fn assistant_text(&mut self) -> String {
        let mut out = String::new();
        for paragraph in 0..1 + self.below(4) {
            if paragraph > 0 {
                out.push_str("\n\n");
            }
            for sentence in 0..2 + self.below(4) {
                if sentence > 0 {
                    out.push(' ');
                }
                let template = self.pick(ANSWERS);
                out.push_str(&self.fill(template));
            }
        }
        if self.below(6) == 0 {
            out.push_str("\n\n```python\n");
            out.push_str(&self.code());
            out.push_str("```\n");
        }
        out
    }

    fn code(&mut self) -> String {
        let mut out = String::new();
        for _ in 0..2 + self.below(8) {
            out.push_str(&format!(
                "    {}_{} = compute(\"{}\", {})\n",
                self.pick(VERBS),
                self.below(100),
                self.pick(THINGS),
                self.below(1000)
            ));
        }
        out
    }
}

const PEOPLE: &[&str] = &["Mira", "Tomasz", "Adaeze", "Lena", "Ravi", "Søren", "Inês", "Yuki", "Farid", "Noor", "Elif", "Bruno"];
const PLACES: &[&str] =
    &["Utrecht", "Porto", "Graz", "Bergen", "Leeds", "Kraków", "Osaka", "Lagos", "Montréal", "Valparaíso", "Tampere", "Pune"];
const TOPICS: &[&str] = &[
    "sourdough baking", "trail running", "a kitchen renovation", "Rust lifetimes", "a birthday party", "tax forms",
    "a road trip", "guitar practice", "a database migration", "vegetable beds", "job interviews", "night shifts",
    "choir rehearsals", "bike repair", "a grant proposal", "learning Portuguese",
];
const THINGS: &[&str] = &[
    "budget", "schedule", "recipe", "backup", "invoice", "training plan", "contract", "playlist", "shopping list", "test suite",
    "presentation", "garden", "router", "spreadsheet", "lease", "prescription",
];
const VERBS: &[&str] = &["plan", "compare", "review", "simplify", "finish", "explain", "measure", "draft", "check", "sort"];
const STATEMENTS: &[&str] = &[
    "I live in {place} with my partner {person}.",
    "I'm allergic to peanuts and so is {person}.",
    "I work as a nurse in {place}, mostly nights.",
    "My daughter {person} turned {n} last week.",
    "I've been learning to {verb} for {n} months now.",
    "I prefer short answers without lists.",
    "I want to run a marathon in {place} next year.",
    "I quit my old job because the {thing} never worked.",
    "We moved from {place} to {place} in spring.",
    "I don't drink coffee after noon.",
];
const QUESTIONS: &[&str] = &[
    "Can you {verb} the {thing} for {topic}?",
    "What is the best way to {verb} a {thing}?",
    "How would you {verb} {topic} with {n} people?",
    "Why does my {thing} keep failing after step {n}?",
    "please {verb} this {thing}, it should mention {place} and {person}",
    "And what about {topic}?",
    "Could {topic} work in {place} in winter?",
    "ok thanks, now {verb} it again but shorter",
];
const ANSWERS: &[&str] = &[
    "To {verb} the {thing}, begin with the part that changes least.",
    "A good {thing} for {topic} has about {n} items.",
    "Many people in {place} {verb} their {thing} once a month.",
    "If that fails, {verb} the {thing} again and note what differs.",
    "For {topic}, \"less is more\" usually holds.",
    "First, {verb} what you have; second, {verb} what is missing.",
    "It depends on whether {person} needs the {thing} before the {n}th.",
    "That takes roughly {n} minutes — perhaps less with practice.",
    "Here is a short overview of {topic} and how to {verb} it.",
];

/// Counts the bytes written through it.
struct Counted<'a> {
    inner: &'a mut dyn Write,
    bytes: u64,
}

impl Write for Counted<'_> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(buffer)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_valid_export() {
        let write = |seed| {
            let mut bytes = Vec::new();
            let count = write_chatgpt_export(&mut bytes, 20, 6, seed).unwrap();
            assert_eq!(count, bytes.len() as u64, "the count is the length");
            bytes
        };
        assert_eq!(write(1), write(1));
        assert_ne!(write(1), write(2), "the seed matters");
        let value: serde_json::Value = serde_json::from_slice(&write(1)).unwrap();
        assert_eq!(value.as_array().map(Vec::len), Some(20));
        assert_eq!(value[9]["mapping"].as_object().map(serde_json::Map::len), Some(9), "root, system, six messages, one branch");
    }
}
