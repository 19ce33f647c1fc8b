//! Asks a language model to word a playbook (pure half): the prompt, and which parts of the answer are accepted.
//!
//! The model writes a title, says when to use the procedure, and explains what each step is for; the steps themselves never
//! change. It sees only the steps, which all sessions share, and no messages. Names, paths, values and harmful actions that do
//! not occur in the steps are rejected. Each part is checked separately. If less than half of an answer passes, all of it is
//! rejected and the rule-based wording is kept.
//!
//! Deliberately not here: sending the prompt, deciding when to ask, and storing the answer.

use crate::playbook::rules::{
    HOLD_MIN, PURPOSE_CHARS_MAX, SENTENCE_SUPPORT_MIN, TITLE_CHARS_MAX, TITLE_SUPPORT_MIN, WHEN_CHARS_MAX,
};
use keepsake_prompt::ground::support;
use keepsake_prompt::reply::{List, ReplyError, Text, parse, schema};
use keepsake_prompt::scrub::{ScrubSession, Scrubber};
use keepsake_prompt::{Call, CallError, Calls, Outcome, PromptFile, PromptText, Waiting, WordingError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Parameter, Step};
use crate::model::check::{denies, fault, has_placeholder, stands_in};

/// The prompt. Raise the version with every change to the wording or the reply format.
pub const PLAYBOOK: PromptFile =
    PromptFile { name: "playbook", version: 1, wording: include_str!("../../prompts/playbook.md"), reply_tokens_max: 2_000 };

/// Words that can describe any work and therefore need not occur in the steps.
const PLAIN_WORDS: &[&str] = &["when use run make do work new change step done ready"];

/// Words for harmful actions and for secrets. The wording may use them only if the steps do, so that it never leads anyone to
/// do harm.
const HARM: &[&str] = &[
    "bypass", "credential", "credentials", "curl", "delete", "deletes", "disable", "disables", "download", "downloads", "drop",
    "drops", "erase", "erases", "exfiltrate", "force", "ignore", "ignores", "install", "installs", "key", "keys", "override",
    "password", "passwords", "remove", "removes", "secret", "secrets", "send", "sends", "share", "shares", "skip", "skips",
    "sudo", "token", "tokens", "upload", "uploads", "wipe", "wipes",
];

/// The punctuation allowed in plain text.
const MARKS: &str = " .,;:!?'’\"“”()-–/_@+";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Reply {
    title: Text<400>,
    when: Text<1_000>,
    purposes: List<Purpose, 60>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Purpose {
    step: u32,
    text: Text<1_000>,
}

/// A model's wording of a playbook, after the checks. Missing parts keep the rule-based wording.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Worded {
    /// A title.
    pub title: Option<String>,
    /// When to use the procedure.
    pub when: Option<String>,
    /// The purpose of each step: one entry per step, or empty.
    pub purposes: Vec<Option<String>>,
}

impl Worded {
    /// True if no part passed the checks.
    pub fn is_empty(&self) -> bool {
        self.title.is_none() && self.when.is_none() && self.purposes.iter().all(Option::is_none)
    }
}

/// Asks a model to word one playbook.
#[derive(Debug)]
pub struct PlaybookTask<'a> {
    steps: &'a [Step],
    scrubber: &'a Scrubber,
    /// All text that the wording may refer to.
    ground: String,
    waiting: Waiting<()>,
    found: Worded,
}

impl<'a> PlaybookTask<'a> {
    /// Prepares the question about the steps. Makes no call if there are none.
    pub fn new(steps: &'a [Step], parameters: &[Parameter], scrubber: &'a Scrubber) -> Result<Self, WordingError> {
        let mut waiting = Waiting::default();
        if !steps.is_empty() {
            waiting.push(PLAYBOOK.fill(&[], &[("steps", &quoted(steps, scrubber))], schema::<Reply>())?, ());
        }
        let mut ground: String = steps.iter().map(ground_of).collect();
        parameters.iter().for_each(|one| ground.push_str(&format!("{}\n", one.name)));
        Ok(Self { steps, scrubber, ground, waiting, found: Worded::default() })
    }

    /// Prompt name and version, such as `playbook/1`; stored with the model's name as the proposer.
    pub fn label(&self) -> String {
        format!("{}/{}", PLAYBOOK.name, PLAYBOOK.version)
    }

    fn read(&self, reply: &str) -> Result<Worded, ReplyError> {
        let Reply { title, when, purposes } = parse(reply)?;
        let told = 2 + purposes.as_slice().len();
        let title = self.title(&even(title.as_str()));
        let when = self.when(&even(when.as_str()));
        let mut found = Worded { title, when, purposes: vec![None; self.steps.len()] };
        for purpose in purposes.as_slice() {
            let at = usize::try_from(purpose.step).ok().and_then(|number| number.checked_sub(1));
            let slot = at.and_then(|at| Some((self.steps.get(at)?, found.purposes.get_mut(at)?)));
            // Skips purposes for steps that do not exist and second purposes for the same step.
            let Some((step, slot @ None)) = slot else { continue };
            *slot = self.purpose(step, &even(purpose.text.as_str()));
        }
        let parts = [&found.title, &found.when].into_iter().chain(&found.purposes);
        let held = parts.filter(|part| part.is_some()).count();
        Ok(if (held as f64) < HOLD_MIN * told as f64 { Worded::default() } else { found })
    }

    fn title(&self, text: &str) -> Option<String> {
        let text = text.trim_end_matches('.');
        self.holds(text, TITLE_CHARS_MAX, TITLE_SUPPORT_MIN).then(|| text.to_owned())
    }

    fn when(&self, text: &str) -> Option<String> {
        let begins = text.split(' ').next() == Some("When");
        (begins && self.holds(text, WHEN_CHARS_MAX, SENTENCE_SUPPORT_MIN)).then(|| text.to_owned())
    }

    fn purpose(&self, step: &Step, text: &str) -> Option<String> {
        let text = text.trim_end_matches('.');
        let is_of_it = support(text, &ground_of(step), "", PLAIN_WORDS).share > 0.0;
        (is_of_it && self.holds(text, PURPOSE_CHARS_MAX, SENTENCE_SUPPORT_MIN)).then(|| text.to_owned())
    }

    /// True if the text is one plain sentence supported by the steps.
    fn holds(&self, text: &str, chars_max: usize, share_min: f64) -> bool {
        let is_plain = text.chars().all(|c| c.is_alphanumeric() || MARKS.contains(c));
        let is_one = !text.trim_end_matches(['.', '!', '?']).contains(['!', '?']) && !text.contains(". ");
        if text.is_empty() || text.chars().count() > chars_max || !is_plain || !is_one || fault(text).is_some() {
            return false;
        }
        if has_placeholder(text) || self.scrubber.scrub(text).as_str() != text {
            return false;
        }
        let support = support(text, &self.ground, "", PLAIN_WORDS);
        // Text that consists only of plain words says nothing about these steps.
        let says_nothing = self::support(text, "", "", PLAIN_WORDS).share > 0.0;
        let harms = |word: &&str| HARM.contains(&word.to_lowercase().as_str()) && !stands_in(&self.ground, word);
        let is_foreign = |word: &&str| is_value(word) && !stands_in(&self.ground, word);
        support.invented.is_empty()
            && support.share >= share_min
            && !says_nothing
            && !words(text).any(|word| harms(&word) || is_foreign(&word))
            && (!denies(text) || denies(&self.ground))
    }
}

/// The text of a step that may support the wording.
fn ground_of(step: &Step) -> String {
    format!("{}\n{}\n{}\n", step.name, step.tool, step.text)
}

/// Normalizes whitespace.
fn even(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '/' | '-' | '_' | '@')))
}

/// True if a word is a value rather than an ordinary word: a path, an option, or a name with punctuation, digits or capitals
/// inside.
fn is_value(word: &str) -> bool {
    let mut chars = word.chars();
    let first = chars.next();
    let is_hyphenated = |c: char| c == '-' && !word.starts_with('-');
    first.is_some_and(|c| !c.is_alphanumeric())
        || word.chars().any(|c| c.is_ascii_digit())
        || chars.any(|c| c.is_uppercase() || !c.is_alphanumeric() && !is_hyphenated(c) && !matches!(c, '\'' | '’'))
}

/// The steps, one JSON object per line, numbered from 1.
fn quoted(steps: &[Step], scrubber: &Scrubber) -> PromptText {
    let mut session = ScrubSession::new();
    let mut text = PromptText::default();
    for (at, step) in steps.iter().enumerate() {
        text.push(&PromptText::fixed("{\"step\":"));
        text.push(&PromptText::number(u16::try_from(at + 1).unwrap_or(u16::MAX)));
        for (mark, words) in [(",\"tool\":", &step.tool), (",\"text\":", &step.text)] {
            text.push(&PromptText::fixed(mark));
            text.push(&PromptText::from(&scrubber.scrub_in(&mut session, words)).json());
        }
        text.push(&PromptText::fixed("}\n"));
    }
    text
}

impl Calls for PlaybookTask<'_> {
    type Found = Worded;

    fn next(&self) -> Option<Call<'_>> {
        self.waiting.next()
    }

    fn feed(&mut self, reply: &str) -> Result<(), CallError> {
        self.waiting.open()?;
        let read = self.read(reply);
        self.found = self.waiting.settle(read)?;
        Ok(())
    }

    fn finish(self) -> Outcome<Worded> {
        self.waiting.finish(|| self.found)
    }
}
