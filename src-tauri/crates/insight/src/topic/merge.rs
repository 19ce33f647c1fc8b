//! The text of a topic: Key Takeaways first (decisions, solutions, tasks, learnings), then other details. Also merges new content
//! into the text.
//!
//! The built-in merge is extractive: every line is a sentence that someone said, with its message and position, so nothing is
//! made up. The trained reader marks which sentences are takeaways: solutions, and promises, which become tasks. Only a model
//! recognizes decisions and learnings. Existing lines and new sentences compete for space. If one sentence says the same as
//! another but says it better, the other is removed from the text but stays in the previous version.

use crate::topic::rules::{
    ASSISTANT_SHARE, LINE_WORDS_MIN, MERGE_LINE_WORDS_MAX, QUESTION_SHARE, SAME_FROM, SAME_WORDS_FROM, SECTION_LINES_MAX,
    TAKEAWAYS_SHARE, TARGET_SLACK,
};
use std::collections::{BTreeSet, HashMap};

use keepsake_domain::{Mark, MessageType, ReadingLabel, Role, Span, Timestamp};
use keepsake_text::is_instruction;
use serde::{Deserialize, Serialize};

use super::TopicRules;
use super::terms::{content, stems, tells};
use crate::Turn;
use crate::marks::is_marked;
use crate::text::{Document, Sentence};

/// The section of the text that a line belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Section {
    /// What was decided.
    Decision,
    /// A solution to a problem.
    Solution,
    /// A task to be done.
    Task,
    /// Something learned.
    Learning,
    /// Other details, in the order they were said.
    Detail,
}

impl Section {
    /// All sections, in the order of the text.
    pub const ALL: [Self; 5] = [Self::Decision, Self::Solution, Self::Task, Self::Learning, Self::Detail];

    /// The name used in storage.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::Solution => "solution",
            Self::Task => "task",
            Self::Learning => "learning",
            Self::Detail => "detail",
        }
    }

    /// The section with this name, if there is one.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|section| section.name() == name)
    }

    const fn heading(self) -> &'static str {
        match self {
            Self::Decision => "Decisions",
            Self::Solution => "Solutions",
            Self::Task => "Tasks",
            Self::Learning => "Learnings",
            Self::Detail => "Details",
        }
    }
}

/// One line of a topic's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TopicLine {
    /// Its section.
    pub section: Section,
    /// The text of the line.
    pub text: String,
    /// The message that the line comes from.
    pub message: String,
    /// Position in that message.
    pub span: Span,
    /// Who said it.
    pub author: String,
    /// The author's role.
    pub role: Role,
    /// When it was said.
    pub time: Timestamp,
}

/// The text of a topic.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TopicText {
    /// The lines, ordered by section and then by when they were said.
    pub lines: Vec<TopicLine>,
}

/// A sentence that competes for a place in the text.
struct Contender {
    line: TopicLine,
    stems: BTreeSet<String>,
    words: usize,
    worth: f32,
}

/// All words of a line, including common ones.
fn all_words(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// Merges new turns into a text. `marks` are the reader's marks for each new turn. An existing line stays unless a better one
/// arrived.
pub fn merge(previous: &TopicText, new: &[Turn<'_>], marks: &[Vec<Mark>], rules: &TopicRules) -> TopicText {
    // Existing lines are read again as sentences that someone said.
    let standing: Vec<Turn<'_>> = previous.lines.iter().map(as_turn).collect();
    let old = Document::read(&standing);
    let fresh = Document::read(new);
    let weights = term_weights(&old, &fresh);
    let mut contenders: Vec<Contender> = Vec::new();
    for (index, line) in previous.lines.iter().enumerate() {
        let found: BTreeSet<String> = stems(&old, index).into_iter().collect();
        let sentence = old.of_turn.get(index).and_then(|range| old.sentences.get(range.clone())?.first());
        contenders.push(Contender {
            worth: worth(&found, line.role, sentence, &weights),
            words: words(&line.text),
            stems: found,
            line: line.clone(),
        });
    }
    for (index, turn) in new.iter().enumerate() {
        let of_turn = stems(&fresh, index);
        let is_light = !tells(&of_turn);
        for sentence in fresh.of_turn.get(index).and_then(|range| fresh.sentences.get(range.clone())).into_iter().flatten() {
            if let Some(contender) = contender(&fresh, turn, index, sentence, is_light, marks, &weights) {
                contenders.push(contender);
            }
        }
    }
    contenders.sort_by_key(|contender| contender.line.time);
    choose(contenders, rules)
}

/// The number of words in a text.
pub fn words(text: &str) -> usize {
    text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count()
}

/// The text as Markdown: Key Takeaways first, then the details, each line with its author. `name_of` may replace an author's
/// name.
pub fn render(text: &TopicText, name_of: &dyn Fn(&TopicLine) -> String) -> String {
    let mut out = String::new();
    let of = |section: Section| text.lines.iter().filter(move |line| line.section == section);
    if text.lines.iter().any(|line| line.section != Section::Detail) {
        out.push_str("## Key Takeaways\n");
    }
    for section in Section::ALL {
        if of(section).next().is_none() {
            continue;
        }
        let marks = if section == Section::Detail { "##" } else { "###" };
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&format!("{marks} {}\n\n", section.heading()));
        for line in of(section) {
            out.push_str(&format!("- {}: {}\n", name_of(line), line.text));
        }
    }
    out
}

fn as_turn(line: &TopicLine) -> Turn<'_> {
    Turn {
        id: &line.message,
        role: line.role,
        author: &line.author,
        text: &line.text,
        time: line.time,
        message_type: MessageType::Text,
        is_branch: false,
    }
}

/// The weight of each stem for the topic: stems that occur in more turns weigh more.
fn term_weights(old: &Document<'_>, fresh: &Document<'_>) -> HashMap<String, f32> {
    let mut turns: HashMap<String, f32> = HashMap::new();
    for document in [old, fresh] {
        for index in 0..document.turns.len() {
            let different: BTreeSet<String> = stems(document, index).into_iter().collect();
            for stem in different {
                *turns.entry(stem).or_default() += 1.0;
            }
        }
    }
    turns.values_mut().for_each(|count| *count = (1.0 + *count).ln());
    turns
}

/// The section of a takeaway; `None` if the sentence is not one. An assistant's promises are not tasks.
fn takeaway(sentence: &Sentence<'_>, marks: &[Vec<Mark>]) -> Option<Section> {
    if sentence.is_question {
        None
    } else if is_marked(sentence, marks, ReadingLabel::Solution) {
        Some(Section::Solution)
    } else {
        let is_task = sentence.role != Role::Assistant && is_marked(sentence, marks, ReadingLabel::Promise);
        is_task.then_some(Section::Task)
    }
}

fn contender(
    document: &Document<'_>,
    turn: &Turn<'_>,
    index: usize,
    sentence: &Sentence<'_>,
    is_light: bool,
    marks: &[Vec<Mark>],
    weights: &HashMap<String, f32>,
) -> Option<Contender> {
    let count = sentence.words();
    if !(LINE_WORDS_MIN..=MERGE_LINE_WORDS_MAX).contains(&count) || is_instruction(sentence.text) {
        return None;
    }
    let span = document.span(index, sentence.bytes.clone())?;
    let section = takeaway(sentence, marks);
    let found: BTreeSet<String> = content(sentence).into_iter().collect();
    // A takeaway only needs to name something; a detail must say more.
    let enough = if section.is_some() { 2 } else { 3 };
    if found.len() < enough || is_light && section.is_none() {
        return None;
    }
    let raw = turn.text.get(sentence.bytes.clone())?;
    Some(Contender {
        worth: worth(&found, turn.role, Some(sentence), weights),
        words: words(raw),
        stems: found,
        line: TopicLine {
            section: section.unwrap_or(Section::Detail),
            text: tidy(raw),
            message: turn.id.to_owned(),
            span,
            author: turn.author.to_owned(),
            role: turn.role,
            time: turn.time,
        },
    })
}

fn tidy(raw: &str) -> String {
    let text = raw.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// The value of a line for its topic.
fn worth(found: &BTreeSet<String>, role: Role, sentence: Option<&Sentence<'_>>, weights: &HashMap<String, f32>) -> f32 {
    let sum: f32 = found.iter().filter_map(|stem| weights.get(stem)).sum();
    let mut worth = sum / (4.0 + found.len() as f32).sqrt();
    if role == Role::Assistant {
        worth *= ASSISTANT_SHARE;
    }
    let Some(sentence) = sentence else { return worth };
    if sentence.is_question {
        worth *= QUESTION_SHARE;
    }
    // Numbers and names raise the value, because readers come back to look them up.
    let concrete = sentence
        .tokens
        .iter()
        .skip(1)
        .filter(|token| {
            token.is_word && (token.is_capitalised() && token.raw.len() > 1 || token.raw.chars().any(|c| c.is_ascii_digit()))
        })
        .count();
    worth * (1.0 + 0.12 * concrete.min(3) as f32)
}

fn share(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f32 {
    let both = a.intersection(b).count() as f32;
    both / (a.len().min(b.len()).max(1)) as f32
}

/// How well each stem distinguishes a line from the other contenders. A word that occurs in all of them says little about
/// whether two lines say the same: "pump" and "capacitor" occur in every line about the pump (inverse document frequency,
/// Spärck Jones 1972).
fn distinctness(contenders: &[Contender]) -> HashMap<String, f32> {
    let mut lines: HashMap<String, f32> = HashMap::new();
    for stem in contenders.iter().flat_map(|contender| &contender.stems) {
        *lines.entry(stem.clone()).or_default() += 1.0;
    }
    let all = contenders.len() as f32;
    lines.values_mut().for_each(|count| *count = (1.0 + all / *count).ln());
    lines
}

/// The share of the shorter line's distinguishing words that the other line also contains, from 0 to 1.
fn sameness(a: &BTreeSet<String>, b: &BTreeSet<String>, distinctness: &HashMap<String, f32>) -> f32 {
    let sum = |stems: &mut dyn Iterator<Item = &String>| stems.filter_map(|stem| distinctness.get(stem)).sum::<f32>();
    let least = sum(&mut a.iter()).min(sum(&mut b.iter()));
    if least > 0.0 { sum(&mut a.intersection(b)) / least } else { 0.0 }
}

/// Chooses the lines of the text: takeaways first, then details; within each, the most valuable lines first and no duplicates.
fn choose(contenders: Vec<Contender>, rules: &TopicRules) -> TopicText {
    let distinctness = distinctness(&contenders);
    let target = rules.target_words as usize;
    let most = ((target as f32 * TARGET_SLACK) as usize).min(rules.max_words as usize);
    let mut taken: Vec<usize> = Vec::new();
    let mut used = 0;
    let room_of = |section: Section| {
        if section == Section::Detail { most } else { ((target as f32 * TAKEAWAYS_SHARE) as usize).min(most) }
    };
    for section in Section::ALL {
        let mut ranked: Vec<usize> = (0..contenders.len()).filter(|at| contenders[*at].line.section == section).collect();
        // Newer takeaways weigh more, so that the list drops its oldest items.
        let recency = |at: usize| if section == Section::Detail { 0.0 } else { 0.5 * at as f32 / contenders.len().max(1) as f32 };
        ranked.sort_by(|a, b| {
            let value = |at: usize| contenders[at].worth * (1.0 + recency(at));
            value(*b).total_cmp(&value(*a)).then(a.cmp(b))
        });
        let mut lines = 0;
        for at in ranked {
            if section != Section::Detail && lines == SECTION_LINES_MAX || section == Section::Detail && used >= target {
                break;
            }
            let contender = &contenders[at];
            let is_said = taken.iter().any(|other| {
                let other = &contenders[*other];
                other.line.message == contender.line.message && other.line.span.overlaps(contender.line.span)
                    || sameness(&other.stems, &contender.stems, &distinctness) >= SAME_FROM
                        && share(&all_words(&other.line.text), &all_words(&contender.line.text)) >= SAME_WORDS_FROM
            });
            if is_said || used + contender.words > room_of(section) {
                continue;
            }
            used += contender.words;
            taken.push(at);
            lines += 1;
        }
    }
    taken.sort_by_key(|at| (contenders[*at].line.section, *at));
    let mut contenders: Vec<Option<Contender>> = contenders.into_iter().map(Some).collect();
    TopicText { lines: taken.into_iter().filter_map(|at| contenders[at].take()).map(|contender| contender.line).collect() }
}
