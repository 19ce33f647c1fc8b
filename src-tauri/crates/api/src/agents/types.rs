//! Requests and answers of the tools for agents. Their doc comments are the descriptions in the schemas that models read.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DATA_NOTICE, Told};

/// Asks for a context.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContextAsk {
    /// The task or the user's words, in one or more sentences.
    #[serde(default)]
    pub task: Option<String>,
    /// The person you talk with, as channel:handle or a name, if it is not the owner.
    #[serde(default)]
    pub person: Option<String>,
    /// Where the conversation takes place, as type:id or a channel type, for example "telegram:4711".
    #[serde(default)]
    pub channel: Option<String>,
    /// What was known on this day or at this moment: 2026-05-01 or RFC 3339.
    #[serde(default)]
    pub as_of: Option<String>,
    /// Maximum number of characters. Default 6000.
    #[serde(default)]
    pub max_chars: Option<u32>,
    /// Maximum number of tokens, counted at three characters each. If max_chars is also given, the smaller limit applies.
    #[serde(default)]
    pub max_tokens: Option<u32>,
}

/// A numbered source.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SourceRef {
    /// Number of the source in the text.
    pub number: u32,
    /// message, memory, profile, summary, topic or person.
    pub kind: String,
    /// Its id.
    pub id: String,
}

/// A context.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ContextAnswer {
    /// The context as plain text; empty if nothing is relevant.
    pub text: String,
    /// The items in it, in order.
    pub sources: Vec<SourceRef>,
}

impl Told for ContextAnswer {
    fn text(&self) -> String {
        if self.text.is_empty() { "Nothing in memory helps with this.".to_owned() } else { self.text.clone() }
    }
}

/// Asks for what is known about a person or a subject.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecallAsk {
    /// The person or the subject.
    pub about: String,
    /// What was known on this day or at this moment: 2026-05-01 or RFC 3339.
    #[serde(default)]
    pub as_of: Option<String>,
    /// The person you talk with, as channel:handle or a name, if it is not the owner.
    #[serde(default)]
    pub person: Option<String>,
    /// Where the conversation takes place, as type:id or a channel type.
    #[serde(default)]
    pub channel: Option<String>,
    /// Maximum number of characters. Default 6000.
    #[serde(default)]
    pub max_chars: Option<u32>,
    /// Maximum number of tokens, counted at three characters each. If max_chars is also given, the smaller limit applies.
    #[serde(default)]
    pub max_tokens: Option<u32>,
}

/// Searches.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchAsk {
    /// Words, "exact phrases", and the operators person:, channel:, before:, after:, type:.
    pub query: String,
    /// The person you talk with, if it is not the owner.
    #[serde(default)]
    pub person: Option<String>,
    /// Where the conversation takes place, as type:id or a channel type.
    #[serde(default)]
    pub channel: Option<String>,
    /// Maximum number of hits, up to 50. Default 10.
    #[serde(default)]
    pub limit: Option<u32>,
    /// Number of hits to skip: next_offset of the previous answer.
    #[serde(default)]
    pub offset: Option<u32>,
}

/// A hit.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Hit {
    /// Number of the hit in the text.
    pub number: u32,
    /// message, memory, topic or person.
    pub kind: String,
    /// Its id.
    pub id: String,
    /// Its text.
    pub text: String,
    /// Who said it.
    pub author: String,
    /// The day on which it was said; empty for a person.
    pub day: String,
    /// Title of its conversation; empty for a topic or a person.
    pub conversation: String,
}

/// The hits of a search.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SearchAnswer {
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// Nothing answers the query; the hits are only the closest ones.
    pub is_nearest_only: bool,
    /// Offset of the next page, if any.
    pub next_offset: Option<u32>,
}

impl Told for SearchAnswer {
    fn text(&self) -> String {
        if self.hits.is_empty() {
            return "Nothing found.".to_owned();
        }
        let mut text = format!("{DATA_NOTICE}\n");
        if self.is_nearest_only {
            text.push_str("Nothing found that says this. The nearest:\n");
        }
        for hit in &self.hits {
            let who = if hit.author.is_empty() { String::new() } else { format!(" {}:", hit.author) };
            let line = hit.text.split_whitespace().collect::<Vec<_>>().join(" ");
            // Writing to a string cannot fail.
            let _ = writeln!(text, "[{}] {}{who} “{}”", hit.number, hit.day, line.replace(['“', '”'], "\""));
        }
        more(&mut text, self.next_offset);
        text
    }
}

/// Adds the offset of the next page.
fn more(text: &mut String, next_offset: Option<u32>) {
    if let Some(next) = next_offset {
        let _ = writeln!(text, "There are more: ask again with offset {next}.");
    }
}

/// Suggests a memory.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RememberAsk {
    /// Your id for the conversation, as you appended it.
    pub conversation: String,
    /// The user's exact words that state the fact, at least six characters.
    pub quote: String,
    /// Id of the message that contains the quote.
    #[serde(default)]
    pub message: Option<String>,
    /// The fact as one sentence that begins with "User" or the person's name. Without it, the quote itself is used.
    #[serde(default)]
    pub statement: Option<String>,
    /// personal_info, preference, relationship, goal, skill or experience.
    #[serde(default)]
    pub category: Option<String>,
}

/// Outcome of a suggestion.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RememberAnswer {
    /// Always `pending`: it awaits the owner's decision, unless the owner already has it or has decided about it. Which of
    /// these applies is not disclosed, because it would reveal what is remembered.
    pub status: String,
}

impl Told for RememberAnswer {
    fn text(&self) -> String {
        "Passed on. If it is new, it waits for the owner's approval.".to_owned()
    }
}

/// Appends messages.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AppendAsk {
    /// Your id for the conversation.
    pub conversation: String,
    /// Its title.
    #[serde(default)]
    pub title: Option<String>,
    /// Where it takes place, as type:id or a channel type. Default "chat".
    #[serde(default)]
    pub channel: Option<String>,
    /// The messages in order, at most 200.
    pub messages: Vec<MessageAsk>,
}

/// A message to append.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MessageAsk {
    /// Its id in the conversation.
    pub id: String,
    /// user, assistant, tool or system.
    pub role: String,
    /// The text, unchanged.
    pub text: String,
    /// Name of the user, if it is not the owner.
    #[serde(default)]
    pub author: Option<String>,
    /// Handle of that user in the channel.
    #[serde(default)]
    pub author_handle: Option<String>,
    /// When it was said, in RFC 3339 format. Default: now.
    #[serde(default)]
    pub time: Option<String>,
    /// Id of the message that it replies to.
    #[serde(default)]
    pub reply_to: Option<String>,
    /// Name of the tool that was used.
    #[serde(default)]
    pub tool: Option<String>,
}

/// Outcome of appending messages.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AppendAnswer {
    /// Keepsake's id for the conversation.
    pub conversation_id: Option<String>,
    /// Number of new messages.
    pub stored: u64,
    /// Number of messages that were already stored.
    pub known: u64,
    /// Number of messages left out because the owner erased them.
    pub erased: u64,
}

impl Told for AppendAnswer {
    fn text(&self) -> String {
        format!("Stored {}, known before {}, erased by the owner {}.", self.stored, self.known, self.erased)
    }
}

/// Ends a session.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EndSessionAsk {
    /// Your id for the conversation.
    pub conversation: String,
}

/// Outcome of ending a session.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct EndSessionAnswer {
    /// This request ended it; false if it had ended before or has no messages.
    pub is_new: bool,
}

impl Told for EndSessionAnswer {
    fn text(&self) -> String {
        if self.is_new { "The session has ended." } else { "There was nothing to end." }.to_owned()
    }
}

/// Lists items that may be seen here.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListAsk {
    /// The person you talk with, if it is not the owner.
    #[serde(default)]
    pub person: Option<String>,
    /// Where the conversation takes place, as type:id or a channel type.
    #[serde(default)]
    pub channel: Option<String>,
    /// Maximum number of items, up to 50. Default 10.
    #[serde(default)]
    pub limit: Option<u32>,
    /// Number of items to skip, as given by next_offset in the previous answer.
    #[serde(default)]
    pub offset: Option<u32>,
}

/// Finds items by words, or lists all of them.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindAsk {
    /// A name, or what the items should be about. Without it, everything is listed.
    #[serde(default)]
    pub query: Option<String>,
    /// The person you talk with, if it is not the owner.
    #[serde(default)]
    pub person: Option<String>,
    /// Where the conversation takes place, as type:id or a channel type.
    #[serde(default)]
    pub channel: Option<String>,
    /// Maximum number of items, up to 50. Default 10.
    #[serde(default)]
    pub limit: Option<u32>,
    /// Number of items to skip, as given by next_offset in the previous answer.
    #[serde(default)]
    pub offset: Option<u32>,
}

/// A list as text: a notice that it is data, numbered items, and at the end whether there are more.
fn numbered(nothing: &str, items: impl Iterator<Item = String>, next_offset: Option<u32>) -> String {
    let mut text = String::new();
    for (at, item) in items.enumerate() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "[{}] {item}", at + 1);
    }
    if text.is_empty() {
        return nothing.to_owned();
    }
    more(&mut text, next_offset);
    format!("{DATA_NOTICE}\n{text}")
}

/// A person.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Person {
    /// Id of the person.
    pub id: String,
    /// Name.
    pub name: String,
    /// Handles, as channel:handle.
    pub handles: Vec<String>,
}

/// People.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PeopleAnswer {
    /// The people, best first.
    pub people: Vec<Person>,
    /// Offset of the next page, if any.
    pub next_offset: Option<u32>,
}

impl Told for PeopleAnswer {
    fn text(&self) -> String {
        let people = self.people.iter().map(|person| format!("{} ({})", person.name, person.handles.join(", ")));
        numbered("Nobody found.", people, self.next_offset)
    }
}

/// Asks who has a handle.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResolveAsk {
    /// The handle, as channel:handle, for example "matrix:@mara:example.org".
    pub handle: String,
    /// Where the conversation takes place, as type:id or a channel type.
    #[serde(default)]
    pub channel: Option<String>,
}

/// Who has a handle.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ResolveAnswer {
    /// The person; empty if no known person may be mentioned here.
    pub person: Option<Person>,
}

impl Told for ResolveAnswer {
    fn text(&self) -> String {
        self.person.as_ref().map_or_else(
            || "Nobody is known by this handle.".to_owned(),
            |person| format!("{DATA_NOTICE}\n{} ({})", person.name, person.handles.join(", ")),
        )
    }
}

/// A topic.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Topic {
    /// Id of the topic.
    pub id: String,
    /// Its title, and those of its lines that answer the query.
    pub text: String,
}

/// Topics.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TopicsAnswer {
    /// The topics.
    pub topics: Vec<Topic>,
    /// Offset of the next page, if any.
    pub next_offset: Option<u32>,
}

impl Told for TopicsAnswer {
    fn text(&self) -> String {
        let topics = self.topics.iter().map(|topic| topic.text.replace('\n', "\n    "));
        numbered("No topics.", topics, self.next_offset)
    }
}

/// A playbook.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Playbook {
    /// Id of the playbook.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its purpose.
    pub description: Option<String>,
    /// Its steps in order.
    pub steps: Vec<String>,
}

/// Playbooks.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PlaybooksAnswer {
    /// The playbooks.
    pub playbooks: Vec<Playbook>,
    /// Offset of the next page, if any.
    pub next_offset: Option<u32>,
}

impl Told for PlaybooksAnswer {
    fn text(&self) -> String {
        let playbooks = self.playbooks.iter().map(|playbook| {
            let steps = playbook.steps.iter().enumerate().map(|(at, step)| format!("\n    {}. {step}", at + 1));
            playbook.title.clone() + &steps.collect::<String>()
        });
        numbered("No playbooks.", playbooks, self.next_offset)
    }
}

/// A request that could not be met.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Gap {
    /// Its id.
    pub id: String,
    /// What was asked for.
    pub need: String,
    /// Number of occasions it occurred on.
    pub frequency: u32,
    /// detected, task_created, resolved or reopened.
    pub status: String,
}

/// Requests that could not be met.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct GapsAnswer {
    /// The requests, most frequent first.
    pub gaps: Vec<Gap>,
    /// Offset of the next page, if any.
    pub next_offset: Option<u32>,
}

impl Told for GapsAnswer {
    fn text(&self) -> String {
        let gaps = self.gaps.iter().map(|gap| format!("“{}” ({} times, {})", gap.need, gap.frequency, gap.status));
        numbered("No open requests.", gaps, self.next_offset)
    }
}

/// Reports a request that cannot be met.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportGapAsk {
    /// Your id for the conversation, as you appended it.
    pub conversation: String,
    /// The user's exact words that ask for it.
    pub quote: String,
    /// Id of the message that contains the quote.
    #[serde(default)]
    pub message: Option<String>,
}

/// A reported request.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ReportGapAnswer {
    /// Always `pending`: the owner decides about it, unless it was reported before. Which of these applies is not disclosed.
    pub status: String,
}

impl Told for ReportGapAnswer {
    fn text(&self) -> String {
        "Reported. The owner decides what becomes of it.".to_owned()
    }
}
