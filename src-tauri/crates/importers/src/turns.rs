//! The turns of a conversation with an assistant, as most programs store them: as a list, or as a tree whose branches are the
//! versions of a turn. One turn may contain words, reasoning, tool calls and files; each becomes a separate message, because a
//! person wrote only the words.
//!
//! Not in this module: how a program writes a turn, and whose words a turn contains. Each importer decides that.

use std::collections::HashMap;

use keepsake_domain::{Author, Message, MessageType, Metadata, Role, SourceRef, TimeCertainty, Timestamp, Visibility};

use crate::SkipReason;
use crate::conversation::{Attachments, Program, When, note};
use crate::halt::Halt;
use crate::identity::handle;
use crate::limits::{PARTS_MAX, REGROUP_BYTES_MAX};
use crate::out::Out;

/// Channel type for one person's conversations with an assistant.
pub(crate) const CHANNEL: &str = "chat";

/// The owner's handle if the export does not give one.
pub(crate) const OWNER_HANDLE: &str = "user";

/// The approximate memory use of a part in addition to its text, in bytes.
const PART_BYTES: usize = 1000;

/// A conversation with an assistant, without its turns.
pub(crate) struct Talk {
    /// The program in which it took place. If a turn does not identify the assistant, the program's name and handle are used.
    /// If the conversation has no channel id, the handle is used as the channel id.
    pub(crate) program: &'static Program,
    /// Its id in the export.
    pub(crate) id: String,
    /// Its title.
    pub(crate) title: Option<String>,
    /// The folder or project that it belongs to.
    pub(crate) channel_id: Option<String>,
    /// True if the person chose not to keep it.
    pub(crate) is_private: bool,
    /// When it began, for turns without a time.
    pub(crate) begun: Option<Timestamp>,
    /// Which of its turns the program shows.
    pub(crate) shown: Shown,
}

/// Which turns of a talk a program shows.
pub(crate) enum Shown {
    /// All turns that are not marked as branches.
    Unmarked,
    /// The path from this turn up to the root; if no turn is given, the path from the latest turn.
    PathTo(Option<String>),
}

/// Who speaks in a turn.
pub(crate) enum Speaker {
    /// The owner, with the id of their account.
    Owner(Option<String>),
    /// Another person who uses the program, with the id of their account.
    Person(String),
    /// The assistant, with its display name and its model.
    Assistant(Option<String>, Option<String>),
    /// The program.
    Program,
}

/// A part of a turn.
pub(crate) struct Part {
    /// The suffix added to the turn's id. Empty for the turn's words.
    pub(crate) suffix: String,
    /// The words, reasoning, arguments or output.
    pub(crate) text: String,
    /// The type of the message that it becomes.
    pub(crate) message_type: MessageType,
    /// The name of the tool.
    pub(crate) tool: Option<String>,
    /// Its other fields.
    pub(crate) metadata: Metadata,
}

impl Part {
    /// A part with this text.
    pub(crate) fn of(suffix: impl Into<String>, text: impl Into<String>, message_type: MessageType) -> Self {
        Self { suffix: suffix.into(), text: text.into(), message_type, tool: None, metadata: Metadata::new() }
    }

    /// A tool call or the output of a tool.
    pub(crate) fn tool(
        suffix: impl Into<String>,
        text: impl Into<String>,
        message_type: MessageType,
        tool: Option<&str>,
        call: Option<&str>,
    ) -> Self {
        let mut part = Self::of(suffix, text, message_type);
        part.tool = tool.map(str::to_owned);
        if let Some(call) = call {
            part.metadata.insert("tool_use_id".to_owned(), call.into());
        }
        part
    }

    /// The words of a turn with the names of its files. Without words, the part is a file. `None` if there is neither.
    pub(crate) fn words(text: String, files: &[String]) -> Option<Self> {
        let mut attachments = Attachments::default();
        files.iter().for_each(|name| attachments.add_name(name));
        let (text, message_type) = attachments.words(text)?;
        let mut part = Self::of("", text, message_type);
        note(&mut part.metadata, "attachments", attachments.into_value());
        Some(part)
    }
}

/// A turn.
pub(crate) struct Turn {
    /// Its id in the export.
    pub(crate) id: String,
    /// The id of the turn that it follows.
    pub(crate) parent: Option<String>,
    /// Who speaks.
    pub(crate) speaker: Speaker,
    /// The time, if the export gives one.
    pub(crate) time: Option<When>,
    /// True if the person abandoned the turn by editing or repeating a turn.
    pub(crate) is_branch: bool,
    /// The parts. A turn without parts keeps its place in the tree.
    pub(crate) parts: Vec<Part>,
}

/// The turns of one conversation. They are held until the whole conversation has been read, because a tree needs all of its
/// nodes.
#[derive(Default)]
pub(crate) struct Turns {
    turns: Vec<Turn>,
    index: HashMap<String, usize>,
    parts: usize,
    bytes: usize,
}

impl Turns {
    /// Adds the instructions for the whole conversation, if any. They precede its other turns.
    pub(crate) fn instruct(&mut self, id: &str, text: Option<&str>, begun: Option<Timestamp>, out: &mut Out<'_>) {
        let Some(text) = text.filter(|text| !text.trim().is_empty()) else { return };
        let parts = vec![Part::of("", text, MessageType::Instruction)];
        let time = begun.map(|time| (time, TimeCertainty::Exact));
        self.push(Turn { id: id.to_owned(), parent: None, speaker: Speaker::Program, time, is_branch: false, parts }, out);
    }

    /// Adds a turn. A turn with a repeated id or beyond the limit is counted as skipped.
    pub(crate) fn push(&mut self, turn: Turn, out: &mut Out<'_>) {
        let sample = turn.parts.first().map_or(turn.id.as_str(), |part| part.text.as_str());
        if self.index.contains_key(&turn.id) {
            out.skip(SkipReason::Repeated, sample);
            return;
        }
        let bytes: usize = turn.parts.iter().map(|part| PART_BYTES + part.text.len()).sum::<usize>() + PART_BYTES;
        if self.parts + turn.parts.len() > PARTS_MAX || self.turns.len() >= PARTS_MAX || self.bytes + bytes > REGROUP_BYTES_MAX {
            out.skip(SkipReason::TooLarge, sample);
            return;
        }
        self.parts += turn.parts.len();
        self.bytes += bytes;
        self.index.insert(turn.id.clone(), self.turns.len());
        self.turns.push(turn);
    }

    /// Adds the turns of another list.
    pub(crate) fn append(&mut self, others: Self, out: &mut Out<'_>) {
        for turn in others.turns {
            self.push(turn, out);
        }
    }

    /// The id of the last turn that is not a branch.
    pub(crate) fn last_shown(&self) -> Option<String> {
        self.turns.iter().rev().find(|turn| !turn.is_branch).map(|turn| turn.id.clone())
    }

    /// The earliest time given by a turn.
    pub(crate) fn begun(&self) -> Option<Timestamp> {
        self.turns.iter().filter_map(|turn| turn.time).map(|(time, _)| time).min()
    }

    /// For each turn, the index of the turn that it follows.
    fn parents(&self, is_tree: bool) -> Vec<Option<usize>> {
        let mut parents = Vec::with_capacity(self.turns.len());
        for (at, turn) in self.turns.iter().enumerate() {
            let before = at.checked_sub(1);
            parents.push(match &turn.parent {
                // If the turn that this one follows could not be read, the previous turn in the file is used.
                Some(parent) => self.index.get(parent).copied().filter(|parent| *parent != at).or(before),
                None if is_tree => None,
                None => before,
            });
        }
        cut_cycles(&mut parents);
        parents
    }
}

/// Cuts cycles, so that every walk from a turn up to its root ends.
fn cut_cycles(parents: &mut [Option<usize>]) {
    // 0: not visited; otherwise the number of the walk that visited it.
    let mut visited = vec![0_usize; parents.len()];
    for start in 0..parents.len() {
        let walk = start + 1;
        let mut at = start;
        loop {
            match visited.get_mut(at) {
                Some(seen) if *seen == 0 => *seen = walk,
                _ => break,
            }
            let Some(Some(parent)) = parents.get(at).copied() else { break };
            if visited.get(parent) == Some(&walk) {
                if let Some(link) = parents.get_mut(at) {
                    *link = None;
                }
                break;
            }
            at = parent;
        }
    }
}

/// The place of a turn in its conversation.
#[derive(Clone, Copy)]
struct Place {
    parent: Option<usize>,
    depth: usize,
    time: Timestamp,
    certainty: TimeCertainty,
}

/// The places of the turns. `parents` has no cycles.
fn places(turns: &[Turn], parents: &[Option<usize>], begun: Timestamp) -> Vec<Place> {
    let mut found: Vec<Option<Place>> = vec![None; turns.len()];
    for start in 0..turns.len() {
        let mut chain = Vec::new();
        let mut at = Some(start);
        while let Some(now) = at.filter(|now| found.get(*now).is_some_and(Option::is_none)) {
            chain.push(now);
            at = parents.get(now).copied().flatten();
        }
        let mut above = at.and_then(|now| found.get(now).copied().flatten());
        for now in chain.into_iter().rev() {
            let told = turns.get(now).and_then(|turn| turn.time);
            let (time, certainty) = told.unwrap_or((above.map_or(begun, |above| above.time), TimeCertainty::Inferred));
            let depth = above.map_or(0, |above| above.depth + 1);
            let place = Place { parent: parents.get(now).copied().flatten(), depth, time, certainty };
            if let Some(slot) = found.get_mut(now) {
                *slot = Some(place);
            }
            above = Some(place);
        }
    }
    found.into_iter().flatten().collect()
}

/// Which turns are shown.
fn shown(turns: &Turns, places: &[Place], shown: &Shown) -> Vec<bool> {
    let Shown::PathTo(leaf) = shown else { return turns.turns.iter().map(|turn| !turn.is_branch).collect() };
    let mut is_shown = vec![false; places.len()];
    let latest = || places.iter().enumerate().max_by_key(|(at, place)| (place.time, place.depth, *at)).map(|(at, _)| at);
    let mut at = leaf.as_ref().and_then(|leaf| turns.index.get(leaf).copied()).or_else(latest);
    while let Some(now) = at {
        if let Some(slot) = is_shown.get_mut(now) {
            *slot = true;
        }
        at = places.get(now).and_then(|place| place.parent);
    }
    // Instructions for the whole conversation are on no path, but are always shown.
    for ((turn, place), slot) in turns.turns.iter().zip(places).zip(&mut is_shown) {
        *slot |= place.parent.is_none() && matches!(turn.speaker, Speaker::Program);
    }
    is_shown
}

impl Talk {
    /// Emits the messages of the conversation in time order, with the messages of each turn together.
    pub(crate) fn tell(&self, turns: Turns, out: &mut Out<'_>) -> Result<(), Halt> {
        let parents = turns.parents(matches!(self.shown, Shown::PathTo(_)));
        // Turns without a time at the beginning get the earliest time of any turn.
        let begun = self.begun.or_else(|| turns.begun()).unwrap_or(out.options.file_time);
        let places = places(&turns.turns, &parents, begun);
        let is_shown = shown(&turns, &places, &self.shown);
        let ids: Vec<Option<String>> = turns.turns.iter().map(main_id).collect();
        let mut placed: Vec<(usize, Turn, Place)> = turns
            .turns
            .into_iter()
            .enumerate()
            .zip(places.iter().copied())
            .map(|((at, turn), place)| (at, turn, place))
            .collect();
        placed.sort_by_key(|(at, _, place)| (place.time, place.depth, *at));
        for (at, turn, place) in placed {
            let mut above = place.parent;
            let mut reply_to = None;
            while let (None, Some(now)) = (&reply_to, above) {
                reply_to = ids.get(now).cloned().flatten();
                above = places.get(now).and_then(|place| place.parent);
            }
            let is_branch = !is_shown.get(at).copied().unwrap_or(true);
            for part in turn.parts {
                out.message(self.message(&turn.id, &turn.speaker, part, place, reply_to.clone(), is_branch))?;
            }
        }
        Ok(())
    }

    fn message(
        &self,
        turn: &str,
        speaker: &Speaker,
        mut part: Part,
        place: Place,
        reply_to: Option<String>,
        is_branch: bool,
    ) -> Message {
        let program = self.program;
        let (role, name, own) = match (part.message_type, speaker) {
            (MessageType::ToolResult, _) => (Role::Tool, part.tool.as_deref().unwrap_or("tool"), "tool"),
            (MessageType::Notice, _)
            | (_, Speaker::Program)
            | (MessageType::Instruction, Speaker::Owner(_) | Speaker::Person(_)) => (Role::System, program.name, program.handle),
            (_, Speaker::Owner(account)) => (Role::Owner, "User", account.as_deref().unwrap_or(OWNER_HANDLE)),
            (_, Speaker::Person(account)) => (Role::Person, account.as_str(), account.as_str()),
            (_, Speaker::Assistant(name, model)) => {
                let model = model.as_deref();
                (Role::Assistant, name.as_deref().or(model).unwrap_or(program.name), model.unwrap_or(program.handle))
            }
        };
        let author = Author { name: name.to_owned(), handle: handle(CHANNEL, own), role };
        if let (Speaker::Assistant(_, Some(model)), Role::Assistant) = (speaker, role) {
            part.metadata.insert("model".to_owned(), model.as_str().into());
        }
        Message {
            source: SourceRef { kind: program.kind, conversation: self.id.clone(), message: format!("{turn}{}", part.suffix) },
            conversation_title: self.title.clone(),
            channel_type: CHANNEL.to_owned(),
            channel_id: self.channel_id.clone().unwrap_or_else(|| program.handle.to_owned()),
            visibility: Visibility::Private,
            is_private: self.is_private,
            time: place.time,
            time_certainty: place.certainty,
            author,
            text: part.text,
            message_type: part.message_type,
            tool: part.tool,
            reply_to,
            is_branch,
            metadata: part.metadata,
        }
    }
}

/// The id of the message that a later turn replies to: the words of this turn, otherwise its last part. Nothing replies to
/// instructions.
fn main_id(turn: &Turn) -> Option<String> {
    if matches!(turn.speaker, Speaker::Program) {
        return None;
    }
    let part = turn.parts.iter().find(|part| part.suffix.is_empty()).or(turn.parts.last())?;
    Some(format!("{}{}", turn.id, part.suffix))
}

/// Separates the reasoning at the start of an answer from its words. Models that expose their reasoning write it as `<think>`.
pub(crate) fn split_thinking(text: &str) -> (Option<&str>, &str) {
    let Some(rest) = text.trim_start().strip_prefix("<think>") else { return (None, text) };
    let (thinking, words) = rest.split_once("</think>").unwrap_or((rest, ""));
    (Some(thinking.trim()).filter(|thinking| !thinking.is_empty()), words.trim_start())
}

/// True if a prompt is a command of the form `/name …`. A path is not a command.
pub(crate) fn is_slash_command(text: &str) -> bool {
    let name = text.strip_prefix('/').and_then(|rest| rest.split_whitespace().next()).unwrap_or_default();
    text.starts_with(&format!("/{name}"))
        && !name.is_empty()
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_cut_and_every_walk_ends() {
        for mut parents in
            [vec![Some(0)], vec![Some(1), Some(0)], vec![Some(2), Some(0), Some(1), Some(2)], vec![None, Some(0), Some(1)]]
        {
            let before = parents.clone();
            cut_cycles(&mut parents);
            for start in 0..parents.len() {
                let mut steps = 0;
                let mut at = Some(start);
                while let Some(now) = at {
                    steps += 1;
                    assert!(steps <= parents.len(), "{before:?} from {start} ends");
                    at = parents[now];
                }
            }
        }
        let mut chain = vec![None, Some(0), Some(1)];
        cut_cycles(&mut chain);
        assert_eq!(chain, [None, Some(0), Some(1)], "a chain stays as it is");
    }

    #[test]
    fn a_path_is_no_command() {
        for (text, expect) in [
            ("/tests now", true),
            ("/fix-it", true),
            ("/usr/bin is full", false),
            ("/", false),
            ("/ x", false),
            ("a /fix", false),
        ] {
            assert_eq!(is_slash_command(text), expect, "{text}");
        }
    }

    #[test]
    fn reasoning_is_separated_only_at_the_start() {
        assert_eq!(split_thinking("<think>\nhm\n</think>\n\nYes"), (Some("hm"), "Yes"));
        assert_eq!(split_thinking("<think></think>Yes"), (None, "Yes"));
        assert_eq!(split_thinking("<think>cut off"), (Some("cut off"), ""));
        assert_eq!(split_thinking("Write <think> in capitals"), (None, "Write <think> in capitals"));
    }
}
