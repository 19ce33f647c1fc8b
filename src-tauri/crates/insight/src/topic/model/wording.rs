//! Asks a model, in one call, to word the text of a topic, and checks its answer.

use crate::topic::rules::{CHARS_MAX, QUOTE_CHARS_MAX, SECTION_LINES_MAX, TARGET_SLACK};
use crate::topic::rules::{LINE_SUPPORT_MIN, LINES_HOLD_MIN, TITLE_SUPPORT_MIN, WORDING_LINE_WORDS_MAX, WORDING_TITLE_CHARS_MAX};
use std::collections::BTreeSet;

use keepsake_domain::{Gate, Role, Span, Stop, Subject, limits};
use keepsake_prompt::ground::{Place, locate, support};
use keepsake_prompt::reply::{Entries, List, ReplyError, Text, parse, schema};
use keepsake_prompt::scrub::{ScrubSession, Scrubber};
use keepsake_prompt::{
    Call, CallError, Calls, ContextLength, Line, Outcome, PromptFile, PromptText, Transcript, Waiting, WordingError,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{fitting, shown};
use crate::Turn;
use crate::model::check::{denies, fault, has_placeholder, stands_in};
use crate::topic::{Entities, Section, TopicRules, words};

/// The prompt. Raise the version with every change to the wording or the reply format.
pub const TOPIC: PromptFile =
    PromptFile { name: "topic", version: 1, wording: include_str!("../../../prompts/topic.md"), reply_tokens_max: 4_000 };

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Reply {
    distinct: List<u32, 400>,
    keep: List<u32, 100>,
    lines: Entries<Entry, 100>,
    title: Text<200>,
    people: List<Text<80>, 60>,
    projects: List<Text<80>, 60>,
    technologies: List<Text<80>, 60>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Entry {
    section: Kind,
    text: Text<1_000>,
    places: List<Shows, 8>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Shows {
    line: u32,
    quote: Text<1_000>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Decision,
    Solution,
    Task,
    Learning,
    Detail,
}

impl From<Kind> for Section {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Decision => Self::Decision,
            Kind::Solution => Self::Solution,
            Kind::Task => Self::Task,
            Kind::Learning => Self::Learning,
            Kind::Detail => Self::Detail,
        }
    }
}

/// A place in a message that supports a line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LinePlace {
    /// The message.
    pub message: String,
    /// Position in the message.
    pub span: Span,
}

/// A line worded by a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WordedLine {
    /// Its section.
    pub section: Section,
    /// The text of the line.
    pub text: String,
    /// The places that prove it; never empty.
    pub places: Vec<LinePlace>,
}

/// The input for wording a topic.
#[derive(Debug, Clone, Copy)]
pub struct WordingInput<'a> {
    /// The current text, if a model worded it; otherwise empty.
    pub text: &'a [WordedLine],
    /// The messages that support the current text.
    pub known: &'a [Turn<'a>],
    /// Newer messages, in order; all messages of the topic if there is no current text.
    pub new: &'a [Turn<'a>],
    /// Ids of the messages that the built-in text quotes. They take precedence if not all messages fit.
    pub telling: &'a BTreeSet<&'a str>,
    /// The rules that limit the length of the text.
    pub rules: &'a TopicRules,
}

/// A model's wording of a topic, after the checks.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Wording {
    /// The text, takeaways first. If it is empty, nothing in the answer passed the checks and the built-in text is kept.
    pub lines: Vec<WordedLine>,
    /// A title supported by the messages.
    pub title: Option<String>,
    /// Names that occur in the messages.
    pub entities: Entities,
    /// Ids of new messages that are about something else.
    pub distinct: Vec<String>,
    /// The entries that were filtered out, with reasons. Positions count the known messages first and then the new ones.
    pub stops: Vec<Stop>,
    /// The number of messages that did not fit and were not shown.
    pub left_out: usize,
}

/// Words one topic as a sequence of calls.
#[derive(Debug)]
pub struct WordingTask<'a> {
    input: WordingInput<'a>,
    /// Known messages, then new ones.
    turns: Vec<Turn<'a>>,
    session: ScrubSession,
    waiting: Waiting<Transcript>,
    found: Wording,
}

impl<'a> WordingTask<'a> {
    /// Prepares the wording of the topic in `input`. Makes no call if there are no new messages.
    pub fn new(input: WordingInput<'a>, scrubber: &Scrubber, length: ContextLength) -> Result<Self, WordingError> {
        let turns: Vec<Turn<'a>> = input.known.iter().chain(input.new).copied().collect();
        let mut task =
            Self { input, turns, session: ScrubSession::new(), waiting: Waiting::default(), found: Wording::default() };
        let first_new = input.known.len();
        // The messages behind the current text take precedence, because only messages that are shown can be cited again.
        let at_least = |turn: &Turn<'_>| input.telling.contains(turn.id) || input.known.iter().any(|known| known.id == turn.id);
        let fitting = fitting(&task.turns, &at_least, length.material_chars(&TOPIC, CHARS_MAX));
        task.found.left_out = task.turns.iter().filter(|turn| turn.is_plain()).count() - fitting.len();
        let known = fitting.iter().filter(|at| **at < first_new).count();
        if known == fitting.len() {
            return Ok(task);
        }
        let lines: Vec<Line<'_>> = fitting.into_iter().map(|at| shown(at, &task.turns[at])).collect();
        let transcript = Transcript::new(scrubber, &mut task.session, &lines);
        let notes = task.notes(scrubber);
        let number = |count: usize| PromptText::number(u16::try_from(count).unwrap_or(u16::MAX));
        let (target, most) = (number(input.rules.target_words as usize), number(words_max(input.rules)));
        let prompt = TOPIC.fill_for(
            length,
            &[("known", &number(known)), ("target", &target), ("most", &most)],
            &[("transcript", transcript.text()), ("notes", &notes)],
            schema::<Reply>(),
        )?;
        task.waiting.push(prompt, transcript);
        Ok(task)
    }

    /// The current text, one entry per line, numbered from 1.
    fn notes(&mut self, scrubber: &Scrubber) -> PromptText {
        let mut text = PromptText::default();
        for (at, line) in self.input.text.iter().enumerate() {
            text.push(&PromptText::fixed("{\"entry\":"));
            text.push(&PromptText::number(u16::try_from(at + 1).unwrap_or(u16::MAX)));
            text.push(&PromptText::fixed(",\"section\":"));
            text.push(&PromptText::fixed(line.section.name()).json());
            text.push(&PromptText::fixed(",\"text\":"));
            text.push(&PromptText::from(&scrubber.scrub_in(&mut self.session, &line.text)).json());
            text.push(&PromptText::fixed("}\n"));
        }
        if self.input.text.is_empty() { PromptText::fixed("(none yet)") } else { text }
    }

    fn read(&self, transcript: &Transcript, reply: &str) -> Result<Wording, ReplyError> {
        let reply: Reply = parse(reply)?;
        let mut found = Wording { left_out: self.found.left_out, ..Wording::default() };
        self.distinct(transcript, reply.distinct.as_slice(), &mut found);
        let mut lines = Vec::new();
        let mut told = 0;
        for number in reply.keep.as_slice() {
            told += 1;
            let kept = usize::try_from(*number).ok().and_then(|number| self.input.text.get(number.checked_sub(1)?));
            match kept {
                Some(line) if !lines.contains(line) => lines.push(line.clone()),
                Some(_) => {}
                None => found.stops.push(stop(Gate::Ungrounded, "", "It keeps an entry that does not exist.")),
            }
        }
        for entry in reply.lines.as_slice() {
            told += 1;
            match self.line(transcript, entry, &found.distinct) {
                Ok(line) => lines.push(line),
                Err((gate, reason)) => found.stops.push(stop(gate, &self.shown(entry.text.as_str()), reason)),
            }
        }
        let everything = self.everything(transcript);
        if (lines.len() as f64) < LINES_HOLD_MIN * f64::from(told) {
            found.stops.push(stop(Gate::Ungrounded, "", "Less than half of what the model wrote is in the messages."));
            lines.clear();
        }
        found.lines = self.within(lines, &mut found.stops);
        let title = self.shown(reply.title.as_str());
        match title_fault(&title, &everything) {
            None => found.title = Some(title),
            Some((gate, reason)) => found.stops.push(stop(gate, &title, reason)),
        }
        found.entities = Entities {
            people: self.names(reply.people.as_slice(), &everything),
            projects: self.names(reply.projects.as_slice(), &everything),
            technologies: self.names(reply.technologies.as_slice(), &everything),
        };
        Ok(found)
    }

    /// New messages that are about something else. Earlier messages have already been assigned to their topic, so only new ones
    /// count.
    fn distinct(&self, transcript: &Transcript, lines: &[u32], found: &mut Wording) {
        for number in lines {
            let message = transcript.line(*number).map(|line| line.message).filter(|at| *at >= self.input.known.len());
            match message.and_then(|at| self.turns.get(at)) {
                Some(turn) if !self.input.text.is_empty() => {
                    if !found.distinct.iter().any(|known| known == turn.id) {
                        found.distinct.push(turn.id.to_owned());
                    }
                }
                _ => found.stops.push(stop(
                    Gate::Invalid,
                    "",
                    "It marks a message as distinct although the message is not new or the topic has no text yet.",
                )),
            }
        }
    }

    /// Turns an entry into a line if the words it quotes exist and support the text.
    fn line(&self, transcript: &Transcript, entry: &Entry, distinct: &[String]) -> Result<WordedLine, (Gate, &'static str)> {
        let text = self.shown(entry.text.as_str());
        if let Some(fault) = fault(&text) {
            return Err(fault);
        }
        if text.is_empty() || words(&text) > WORDING_LINE_WORDS_MAX {
            return Err((Gate::Invalid, "A line must be one sentence of at most 60 words."));
        }
        let section = Section::from(entry.section);
        let text_of = |at: usize| self.turns.get(at).map(|turn| turn.text);
        let found: Vec<Place> = entry
            .places
            .as_slice()
            .iter()
            .filter(|shows| shows.quote.as_str().chars().count() <= QUOTE_CHARS_MAX)
            .filter_map(|shows| locate(transcript, Some(shows.line), shows.quote.as_str(), |_| true, text_of))
            .collect();
        if found.is_empty() {
            return Err((Gate::Ungrounded, "The words it cites are not in any message."));
        }
        let cited: Vec<(&Turn<'_>, Span)> =
            found.iter().filter_map(|place| Some((self.turns.get(place.message)?, place.span))).collect();
        if cited.iter().any(|(turn, _)| distinct.iter().any(|id| id == turn.id)) {
            return Err((Gate::Ungrounded, "It cites a message that it marks as distinct."));
        }
        let is_settled = matches!(section, Section::Decision | Section::Task);
        if is_settled && cited.iter().all(|(turn, _)| turn.role == Role::Assistant) {
            return Err((Gate::NotAboutSubject, "Assistants do not make decisions or have tasks."));
        }
        let asks = |(turn, span): &(&Turn<'_>, Span)| is_question(turn.text, *span);
        if matches!(section, Section::Decision | Section::Solution) && cited.iter().all(asks) {
            return Err((Gate::Hypothetical, "A question is neither a decision nor a solution."));
        }
        let whole = cited.iter().fold(String::new(), |whole, (turn, _)| whole + turn.text + "\n");
        let mut labels: Vec<&str> = cited.iter().map(|(turn, _)| turn.author).collect();
        labels.push("User");
        let support = support(&text, &whole, "", &labels);
        if !support.invented.is_empty() {
            return Err((Gate::Ungrounded, "It names something that the messages it cites do not."));
        }
        if support.share < LINE_SUPPORT_MIN || has_placeholder(&text) && !has_placeholder(&whole) {
            return Err((Gate::Ungrounded, "It says something that the messages it cites do not."));
        }
        if denies(&text) && !denies(&whole) {
            return Err((Gate::Ungrounded, "It denies something that the messages it cites do not."));
        }
        let mut places: Vec<LinePlace> = Vec::new();
        for (turn, span) in cited {
            let place = LinePlace { message: turn.id.to_owned(), span };
            if !places.contains(&place) {
                places.push(place);
            }
        }
        Ok(WordedLine { section, text, places })
    }

    /// The lines that fit, takeaways first, each section in the order in which its lines were said.
    fn within(&self, lines: Vec<WordedLine>, stops: &mut Vec<Stop>) -> Vec<WordedLine> {
        let most = words_max(self.input.rules);
        let mut chosen: Vec<WordedLine> = Vec::new();
        let mut used = 0;
        for section in Section::ALL {
            let mut own: Vec<&WordedLine> = lines.iter().filter(|line| line.section == section).collect();
            own.sort_by_key(|line| line.places.iter().map(|place| self.order(&place.message)).min());
            let mut count = 0;
            for line in own {
                if chosen.iter().any(|other| is_again(other, line)) {
                    stops.push(stop(Gate::Duplicate, &line.text, "Another line says the same about the same messages."));
                    continue;
                }
                let length = words(&line.text);
                let is_full = section != Section::Detail && count == SECTION_LINES_MAX;
                if is_full || used + length > most {
                    stops.push(stop(Gate::OverCap, &line.text, "The text of the topic has no room for it."));
                    continue;
                }
                used += length;
                count += 1;
                chosen.push(line.clone());
            }
        }
        chosen
    }

    fn order(&self, message: &str) -> usize {
        self.turns.iter().position(|turn| turn.id == message).unwrap_or(0)
    }

    /// Keeps the names that occur as whole words in the messages shown, and those of their authors.
    fn names(&self, names: &[Text<80>], everything: &str) -> Vec<String> {
        let mut kept: Vec<String> = Vec::new();
        for name in names {
            let name = self.shown(name.as_str());
            let holds = !name.is_empty() && fault(&name).is_none() && !has_placeholder(&name) && stands_in(everything, &name);
            if holds && !kept.iter().any(|known| known.eq_ignore_ascii_case(&name)) {
                kept.push(name);
            }
        }
        kept
    }

    /// All words shown to the model, plus the speakers' names.
    fn everything(&self, transcript: &Transcript) -> String {
        let mut text = String::new();
        for line in transcript.lines() {
            text.push_str(&self.session.restore(line.scrubbed.as_str()));
            text.push('\n');
            text.push_str(self.turns.get(line.message).map_or("", |turn| turn.author));
            text.push('\n');
        }
        text
    }

    /// Restores masked values and normalizes whitespace.
    fn shown(&self, text: &str) -> String {
        self.session.restore(text).split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// True if a line says the same about the same messages as another one.
fn is_again(other: &WordedLine, line: &WordedLine) -> bool {
    line.places == other.places && support(&line.text, &other.text, "", &[]).share >= LINE_SUPPORT_MIN
}

/// Maximum words in a text: a little above its target, but never more than the rules allow.
fn words_max(rules: &TopicRules) -> usize {
    ((rules.target_words as f32 * TARGET_SLACK) as usize).min(rules.max_words as usize)
}

fn stop(gate: Gate, content: &str, reason: &str) -> Stop {
    Stop {
        gate,
        subject: Subject::Owner,
        content: content.chars().take(limits::CONTENT_CHARS_MAX).collect(),
        reason: reason.to_owned(),
        evidence: Vec::new(),
    }
}

fn title_fault(title: &str, everything: &str) -> Option<(Gate, &'static str)> {
    if title.is_empty() || title.chars().count() > WORDING_TITLE_CHARS_MAX {
        return Some((Gate::Invalid, "A title can have at most 60 characters."));
    }
    if let Some(fault) = fault(title) {
        return Some(fault);
    }
    let support = support(title, everything, "", &[]);
    let holds = support.invented.is_empty() && support.share >= TITLE_SUPPORT_MIN && !has_placeholder(title);
    (!holds).then_some((Gate::Ungrounded, "The title names something that the messages do not."))
}

/// True if the quoted words are part of a question.
fn is_question(text: &str, span: Span) -> bool {
    let Ok(bytes) = span.bytes_in(text) else { return false };
    let ends = ['.', '!', '?', '\n'];
    // The quotation may itself end with the punctuation mark.
    if text.get(bytes.clone()).is_some_and(|quote| quote.trim_end().ends_with(ends)) {
        return text.get(bytes).is_some_and(|quote| quote.trim_end().ends_with('?'));
    }
    text.get(bytes.end..).and_then(|rest| rest.chars().find(|c| ends.contains(c))) == Some('?')
}

impl Calls for WordingTask<'_> {
    type Found = Wording;

    fn next(&self) -> Option<Call<'_>> {
        self.waiting.next()
    }

    fn feed(&mut self, reply: &str) -> Result<(), CallError> {
        let read = self.read(self.waiting.open()?, reply);
        self.found = self.waiting.settle(read)?;
        Ok(())
    }

    fn finish(self) -> Outcome<Wording> {
        self.waiting.finish(|| self.found)
    }
}
