//! Assembles the plain text that an agent gets: the current conversation first, then other content that the boundary allows,
//! within a budget.
//!
//! Everything is chosen from a [`View`], so content that may not surface is never counted, ranked or cut. Withheld items are
//! reported separately, to the owner only; the text is the same whether something was withheld or did not exist. Each line
//! begins with the id of its source. The text assumes no particular model: headings, short lines, dates.
//!
//! Not in this module: the privacy rule (`domain`), the sets it yields (`boundary`), and how agents connect (`server`).

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use keepsake_capture::dedup::{Claim, conflict, conflicting};
use keepsake_capture::echo::{Heading, QUOTED_AS_DATA};
use keepsake_capture::spoken;
use keepsake_domain::{
    ConversationId, DetailLevel, EntityId, EvidenceSpan, MemoryId, MemoryKind, OWNER_LABEL, ProfileConfidence, ProfileEntry,
    ProfileType, Role, SourceRef, Span, Speaker, Subject, Timestamp, Withheld,
};
use keepsake_people::profile::{ObservedDetail, observed_detail};
use keepsake_store::{InteractionRow, MemoryRow, ReadTx, StoreError};
use serde::Serialize;

use self::relevance::Answers;
use crate::areas::Serve;
use crate::derive::commitments::{StoredCommitment, commitments_of};
use crate::review::conflicts::claim;
use crate::review::retractions::TakenBack;
use crate::serve::access_log::{AccessRecord, ReadKind};
use crate::serve::boundary::{Audience, View};
use crate::serve::masked::{may_be_served, noted, quoted, served};
use crate::{Result, rfc3339};

mod playbooks;
mod relevance;
mod remembered;

/// Default size in characters: about 1,500 tokens, which fit into a small local model together with its own conversation.
pub const CONTEXT_CHARS: usize = 6_000;

/// Characters counted per token of a model, if a budget is given in tokens. English has about four characters per token.
/// Counting three keeps most other languages within the budget too, whatever model reads the text.
pub const CHARS_PER_TOKEN: usize = 3;

/// Maximum size in characters. A longer text is an export, not a context.
pub const CONTEXT_CHARS_MAX: usize = 200_000;

/// Number of messages read from the current conversation. Older ones are available through search or as memories.
const CONVERSATION_MESSAGES: u32 = 40;

/// Maximum number of characters that a line quotes from one source text, so that a pasted page does not push everything else
/// out.
const LINE_CHARS: usize = 600;

/// How much of a source text is read, as a multiple of [`LINE_CHARS`], because blanks and masked values take up characters
/// that the line does not use.
const SERVED_SLACK: usize = 4;

/// The share of the budget for each section, in order. Budget that one section does not use is available to the sections
/// after it.
const SHARES: [(Heading, f64); 12] = [
    (Heading::Conversation, 0.3),
    (Heading::Promised, 0.05),
    (Heading::Profile, 0.1),
    (Heading::People, 0.12),
    (Heading::Owner, 0.1),
    (Heading::UserTier, 0.07),
    (Heading::AgentTier, 0.05),
    (Heading::SharedTier, 0.04),
    (Heading::Topics, 0.04),
    (Heading::Playbooks, 0.04),
    (Heading::Earlier, 0.05),
    (Heading::Related, 0.04),
];

/// Maximum number of summaries of earlier conversations. Beyond a handful, a search is more informative.
const EARLIER_SUMMARIES: usize = 5;

/// Share of the budget used for a reader who wants brief text, because text that nobody reads is a waste.
const BRIEF_SHARE: f64 = 0.5;

/// Size for a reader who wants every detail, relative to the default. A requested budget is never exceeded.
const DETAILED_SHARE: f64 = 1.5;

/// Minimum budget at which the text begins with the sentence that says it is data. With a smaller budget, the sentence would
/// take more room than the data.
const HEAD_BUDGET_MIN: usize = 400;

/// Maximum number of profile entries for a reader who wants brief text, most certain first.
const PROFILE_LINES_BRIEF: usize = 4;

/// Maximum number of profile entries for other readers. More would amount to a dossier on the person without being helpful.
const PROFILE_LINES: usize = 12;

/// A request for a context.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ContextRequest {
    /// Who the context is for, and where.
    pub audience: Audience,
    /// What the context should be about; without a query, the newest and most certain items come first.
    pub query: Option<String>,
    /// Maximum number of characters; 0 means the default.
    pub budget_chars: usize,
    /// Time to look back to: the context contains only what had been said and not yet replaced by then.
    pub as_of: Option<Timestamp>,
}

/// One line of a context.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ContextItem {
    /// Id of the memory, message or profile entry.
    pub id: String,
    /// `message`, `memory`, …
    pub kind: &'static str,
    /// Where it was said, as ids of the original export.
    pub sources: Vec<SourceRef>,
}

/// Number of items that one rule withheld. For the owner only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WithheldCount {
    /// Name of the rule.
    pub rule: &'static str,
    /// Number of items.
    pub count: u64,
}

/// How much detail the reader seems to want, and why. It determines the size of the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ContextDetail {
    /// `brief`, `balanced` or `detailed`.
    pub level: &'static str,
    /// The reason, in one sentence.
    pub reason: String,
    /// Ids of the reader's profile entries on which this is based.
    pub because: Vec<String>,
}

/// The text that an agent gets, its items, and details that only the owner may see.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Context {
    /// The text; empty if there are no items.
    pub text: String,
    /// The items it contains, one per line.
    pub items: Vec<ContextItem>,
    /// Number of items that the boundary withheld, by rule.
    pub withheld: Vec<WithheldCount>,
    /// The level of detail of the text, and why.
    pub detail: ContextDetail,
}

/// Which lines of a section are dropped if not all fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fit {
    /// Drop the oldest. A conversation must not have a gap, so nothing before a dropped line is kept.
    Newest,
    /// Skip lines of a ranked list that are too long: a later, shorter line may still fit.
    Ranked,
    /// Drop everything after the first line that does not fit: less significant lines never take the room of more
    /// significant ones.
    Ordered,
}

struct Line {
    item: ContextItem,
    text: String,
    /// Id of the source and the words quoted from it. They are recorded separately, because they can come back as an echo
    /// without the rest of the line, and must still be recognized when the record of the line is gone.
    said: Option<(String, String)>,
}

impl Line {
    fn new(item: ContextItem, text: String) -> Self {
        Self { item, text, said: None }
    }
}

/// Assembles sections within the budget.
struct Page {
    text: String,
    items: Vec<ContextItem>,
    /// The text of each item, and of each message quoted within one, with the id of its source.
    lines: Vec<(String, String)>,
    chars: usize,
    budget: usize,
}

impl Page {
    fn new(budget: usize) -> Self {
        let head = if budget >= HEAD_BUDGET_MIN { format!("{QUOTED_AS_DATA}\n") } else { String::new() };
        Self { text: head.clone(), items: Vec::new(), lines: Vec::new(), chars: head.chars().count(), budget }
    }

    /// Adds a heading and as many lines as fit while the whole text stays within `until` characters; `fit` determines which
    /// lines are dropped.
    fn add(&mut self, heading: Heading, lines: Vec<Line>, until: usize, fit: Fit) {
        let until = until.min(self.budget);
        let head = format!("{}## {}\n", if self.text.is_empty() { "" } else { "\n" }, heading.text());
        let mut room = until.saturating_sub(self.chars + head.chars().count());
        let mut taken = Vec::new();
        let order: Box<dyn Iterator<Item = Line>> =
            if fit == Fit::Newest { Box::new(lines.into_iter().rev()) } else { Box::new(lines.into_iter()) };
        for line in order {
            let chars = line.text.chars().count() + 1;
            if chars > room {
                if fit == Fit::Ranked {
                    continue;
                }
                break;
            }
            room -= chars;
            taken.push(line);
        }
        if taken.is_empty() {
            return;
        }
        if fit == Fit::Newest {
            taken.reverse();
        }
        self.chars += head.chars().count();
        self.text.push_str(&head);
        for line in taken {
            self.chars += line.text.chars().count() + 1;
            self.text.push_str(&line.text);
            self.text.push('\n');
            self.lines.push((line.item.id.clone(), line.text));
            self.lines.extend(line.said);
            self.items.push(line.item);
        }
    }
}

/// Text in the form that agents are served, on one line and shortened to the maximum line length.
fn flat(text: &str) -> String {
    // A whole page is not read for its first words.
    let near = text.char_indices().nth(LINE_CHARS * SERVED_SLACK).map_or(text, |(end, _)| &text[..end]);
    let text = served(near);
    let mut flat = String::with_capacity(text.len().min(LINE_CHARS * 4));
    for word in text.split_whitespace() {
        if !flat.is_empty() {
            flat.push(' ');
        }
        flat.push_str(word);
        if flat.chars().count() > LINE_CHARS {
            return flat.chars().take(LINE_CHARS).chain(['…']).collect();
        }
    }
    flat
}

pub(crate) fn day(time: Timestamp) -> String {
    rfc3339(time).chars().take(10).collect()
}

fn source_of(row: &InteractionRow) -> Option<SourceRef> {
    Some(SourceRef {
        kind: row.source_kind.parse().ok()?,
        conversation: row.source_conversation.clone(),
        message: row.source_message.clone(),
    })
}

/// A message as it is served; `None` if it reads like an instruction to a machine or nothing is left of it.
fn message_line(row: &InteractionRow, taken: &TakenBack) -> Option<Line> {
    let said = taken.text_left(row);
    let is_gone = said != row.content && !said.chars().any(char::is_alphanumeric);
    if is_gone || !may_be_served(&said) {
        return None;
    }
    // Only the owner may appear under a name that looks like the owner's.
    let author = if row.role == Role::Person { Speaker::called(&row.author) } else { Cow::Borrowed(row.author.as_str()) };
    Some(Line::new(
        ContextItem { id: row.id.to_string(), kind: "message", sources: source_of(row).into_iter().collect() },
        format!("- [{}] {} {}: {}", row.id, day(row.time), flat(&author), quoted(&flat(&said))),
    ))
}

impl Serve<'_> {
    /// The context for an audience, recorded as served. Withheld items are counted only if the owner asks, with neither agent
    /// nor person.
    pub fn context(&self, request: &ContextRequest) -> Result<Context> {
        let (context, given) = self.engine.privacy().engine.with_view(&request.audience, |tx, view| {
            let (mut context, lines) = self.assemble(tx, view, request)?;
            if request.audience.agent.is_some() || request.audience.person.is_some() {
                // An agent, or anybody who asks for a person, must not learn that something was withheld.
                context.withheld.clear();
            }
            let mut given = AccessRecord::new(ReadKind::Context, view);
            for item in &context.items {
                given.add_item(&item.id, 0);
            }
            given.chars = context.text.chars().count();
            given.lines = lines;
            Ok((context, given))
        })?;
        self.engine.privacy().record_access(&request.audience, given)?;
        Ok(context)
    }

    /// Like [`context`](Self::context), but as a preview for the owner. No agent receives it, so nothing is recorded.
    pub fn context_preview(&self, request: &ContextRequest) -> Result<Context> {
        self.engine.privacy().engine.with_view(&request.audience, |tx, view| Ok(self.assemble(tx, view, request)?.0))
    }

    /// Memory lines by section: about the owner, about the people present, and, for a query, about others.
    fn memory_sections(
        &self,
        tx: &ReadTx<'_>,
        view: &View,
        request: &ContextRequest,
        has_query: bool,
        ranked: &[MemoryId],
    ) -> std::result::Result<BTreeMap<usize, Vec<Line>>, StoreError> {
        let people: Vec<EntityId> = view.destination.people.iter().cloned().collect();
        let handles: HashMap<String, EntityId> = tx
            .people()
            .entities_of_handles()?
            .into_iter()
            .map(|(handle, entity)| (handle, view.map.persons.of(&entity)))
            .collect();
        let about = |memory: &MemoryRow, handle: Option<&String>| match (&memory.subject, handle) {
            (Subject::Owner, _) => Some(Heading::Owner),
            (Subject::Person(_), Some(handle)) => {
                handles.get(handle).filter(|person| people.contains(person)).map(|_| Heading::People)
            }
            _ => None,
        };
        let mut sections: BTreeMap<usize, Vec<Line>> = BTreeMap::new();
        for id in ranked {
            let memory = tx.memories().memory(id)?;
            let handle = tx.memories().subject_handle(id)?;
            let section = match about(&memory, handle.as_ref()) {
                Some(section) => section,
                // Memories about people who are not present are included only if they match the query.
                None if has_query => Heading::Related,
                None => continue,
            };
            if !may_be_served(&memory.content) {
                continue;
            }
            let line = memory_line(self.memory_item(tx, view, &memory.id)?, &memory, request.as_of);
            sections.entry(section as usize).or_default().push(line);
        }
        Ok(sections)
    }

    /// The context, and each of its texts with the id of its source.
    fn assemble(
        &self,
        tx: &ReadTx<'_>,
        view: &View,
        request: &ContextRequest,
    ) -> std::result::Result<(Context, Vec<(String, String)>), StoreError> {
        let query = request.query.as_deref().map(str::trim).filter(|query| !query.is_empty());
        let visible = view.memories(tx, request.as_of)?;
        let taken = TakenBack::read(tx, request.as_of)?;
        let Answers { memories: ranked, messages: found } = match query {
            Some(query) => self.answers_to(tx, view, query, &visible.memories, request.as_of, &taken)?,
            None => {
                let newest = visible.memories.iter().rev().cloned().collect();
                let memories = newest_of_conflicting(tx, view, newest)?;
                Answers { memories, messages: Vec::new() }
            }
        };
        let mut sections = self.memory_sections(tx, view, request, query.is_some(), &ranked)?;
        if !found.is_empty() {
            let left = taken.clone().with_history(tx, request.as_of)?;
            let lines = found.iter().filter_map(|row| message_line(row, &left));
            sections.entry(Heading::Related as usize).or_default().extend(lines);
        }
        let profiles = view.profiles(tx, request.as_of)?;
        let wanted = wanted_detail(view, &profiles.entries);
        let detail = wanted.level;
        let share = match detail {
            DetailLevel::Brief => BRIEF_SHARE,
            DetailLevel::Balanced => 1.0,
            DetailLevel::Detailed => DETAILED_SHARE,
        };
        let budget = match request.budget_chars {
            0 => (CONTEXT_CHARS as f64 * share) as usize,
            chars => (chars.min(CONTEXT_CHARS_MAX) as f64 * share.min(1.0)) as usize,
        };
        let lines_max = if detail == DetailLevel::Brief { PROFILE_LINES_BRIEF } else { PROFILE_LINES };
        let mut tiers_withheld = Vec::new();
        if query.is_none() {
            let mut entries = surest_first(profiles.entries);
            entries.truncate(lines_max);
            sections.insert(Heading::Profile as usize, self.profile_lines(tx, view, entries)?);
            tiers_withheld = self.add_remembered(tx, view, request, &taken, &mut sections)?;
        }
        sections.insert(Heading::Playbooks as usize, self.playbook_lines(tx, view, request, query, &taken)?);
        let mut page = fill(tx, view, request, &taken, sections, budget)?;
        let withheld = visible.withheld.values().chain(profiles.withheld.values()).copied();
        let mut withheld = counts(withheld);
        for held in tiers_withheld {
            match withheld.iter_mut().find(|known| known.rule == held.rule) {
                Some(known) => known.count += held.count,
                None => withheld.push(held),
            }
        }
        // The reason quotes an entry that may not have fit into the text, but the quotation is still served.
        page.lines.extend(wanted.because.first().map(|entry| (entry.to_string(), wanted.reason.clone())));
        let detail = ContextDetail {
            level: detail.name(),
            reason: wanted.reason,
            because: wanted.because.iter().map(ToString::to_string).collect(),
        };
        // Without items, there is no text at all.
        let text = if page.items.is_empty() { String::new() } else { page.text };
        Ok((Context { text, items: page.items, withheld, detail }, page.lines))
    }

    /// Adds lines from sessions, topics and earlier conversations. Only used without a query, because a question is answered
    /// only by items that state the answer. Returns the counts of withheld tier items.
    fn add_remembered(
        &self,
        tx: &ReadTx<'_>,
        view: &View,
        request: &ContextRequest,
        taken: &TakenBack,
        sections: &mut BTreeMap<usize, Vec<Line>>,
    ) -> std::result::Result<Vec<WithheldCount>, StoreError> {
        let told: Vec<MemoryId> = sections
            .iter()
            .filter(|(section, _)| [Heading::People as usize, Heading::Owner as usize].contains(section))
            .flat_map(|(_, lines)| lines.iter().filter_map(|line| line.item.id.parse().ok()))
            .collect();
        let (tiers, withheld) = self.tier_lines(tx, view, request, &told)?;
        sections.extend(tiers.into_iter().map(|(section, lines)| (section as usize, lines)));
        sections.insert(Heading::Topics as usize, self.topic_lines(tx, view, request)?);
        sections.insert(Heading::Earlier as usize, earlier_lines(tx, view, request.as_of, taken)?);
        Ok(withheld)
    }

    /// Lines for profile entries about the people present.
    fn profile_lines(
        &self,
        tx: &ReadTx<'_>,
        view: &View,
        entries: Vec<(EntityId, ProfileEntry)>,
    ) -> std::result::Result<Vec<Line>, StoreError> {
        let mut lines = Vec::new();
        for (person, entry) in entries {
            let mut name = None;
            let mut sources = Vec::new();
            for place in entry.evidence.as_slice() {
                let Some(message) = tx.log().interaction(&place.interaction)? else { continue };
                // The person shared the entry, but not the conversation it was said in.
                if view.shows(&message.conversation_id) {
                    sources.extend(source_of(&message));
                }
                name.get_or_insert(message.author);
            }
            sources.dedup();
            let name = if view.map.persons.is_owner(&person) {
                OWNER_LABEL.to_owned()
            } else {
                name.as_deref().map_or_else(String::new, |name| Speaker::called(name).into_owned())
            };
            let content = flat(&entry.content);
            // In `Wants: “short answers”`, the quoted part is the person's own words.
            let told = match (spoken(&content), content.split_once(':')) {
                (Some(words), Some((what, _))) => format!("{} {}: {}", flat(&name), what.to_lowercase(), quoted(words)),
                _ => noted(&flat(&name), &content),
            };
            let text = format!("- [{}] {told} ({})", entry.id, day(entry.valid_from));
            let item = ContextItem { id: entry.id.to_string(), kind: "profile", sources };
            lines.push(Line { item, text, said: Some((entry.id.to_string(), content)) });
        }
        Ok(lines)
    }

    fn memory_item(&self, tx: &ReadTx<'_>, view: &View, id: &MemoryId) -> std::result::Result<ContextItem, StoreError> {
        let mut sources = Vec::new();
        for evidence in tx.memories().evidence(id)? {
            // The person shared the memory, but not the conversation it was said in.
            if let Some(message) = tx.log().interaction(&evidence.interaction_id)?
                && view.shows(&message.conversation_id)
            {
                sources.extend(source_of(&message));
            }
        }
        sources.dedup();
        Ok(ContextItem { id: id.to_string(), kind: "memory", sources })
    }
}

/// The entries that may be served, most certain first.
fn surest_first(mut entries: Vec<(EntityId, ProfileEntry)>) -> Vec<(EntityId, ProfileEntry)> {
    let surest = |entry: &ProfileEntry| match entry.confidence {
        ProfileConfidence::High => 0,
        ProfileConfidence::Medium => 1,
        ProfileConfidence::Low => 2,
    };
    // Unmet requests are for the owner, who may turn them into tasks. They do not help an agent deal with anybody.
    entries.retain(|(_, entry)| entry.profile_type != ProfileType::Gaps && may_be_served(&entry.content));
    entries.sort_by(|(one, a), (other, b)| {
        (surest(a), std::cmp::Reverse(a.valid_from), one, &a.facet, &a.id).cmp(&(
            surest(b),
            std::cmp::Reverse(b.valid_from),
            other,
            &b.facet,
            &b.id,
        ))
    });
    entries
}

/// How much detail the reader wants. The reader is the only person present, or the owner if nobody else is. If several people
/// are present, nobody is treated as the reader.
fn wanted_detail(view: &View, entries: &[(EntityId, ProfileEntry)]) -> ObservedDetail {
    let people = &view.destination.people;
    if people.len() > 1 {
        let reason = "Several people read this, so no single person's preferred level of detail applies.".to_owned();
        return ObservedDetail { level: DetailLevel::Balanced, reason, because: Vec::new() };
    }
    let is_reader =
        |person: &EntityId| people.first().map_or_else(|| view.map.persons.is_owner(person), |reader| reader == person);
    let own: Vec<ProfileEntry> = entries.iter().filter(|(person, _)| is_reader(person)).map(|(_, entry)| entry.clone()).collect();
    observed_detail(&own)
}

/// Among approved memories of one subject that contradict each other, keeps the one said last. Only visible memories are
/// compared, so hidden ones have no effect.
fn newest_of_conflicting(tx: &ReadTx<'_>, view: &View, ranked: Vec<MemoryId>) -> std::result::Result<Vec<MemoryId>, StoreError> {
    let mut groups: HashMap<(Subject, MemoryKind), Vec<MemoryRow>> = HashMap::new();
    for id in &ranked {
        let memory = tx.memories().memory(id)?;
        let about = view.map.speakers.behind(&memory.subject);
        groups.entry((about, memory.kind)).or_default().push(memory);
    }
    let mut older: BTreeSet<MemoryId> = BTreeSet::new();
    for mut memories in groups.into_values() {
        memories.sort_by(|a, b| (b.said, &b.id).cmp(&(a.said, &a.id)));
        let claims: Vec<Claim<'_>> = memories.iter().map(claim).collect();
        let mut kept: Vec<&MemoryRow> = Vec::new();
        for memory in conflicting(&claims).into_iter().filter_map(|at| memories.get(at)) {
            if kept.iter().any(|newer| conflict(claim(newer), claim(memory)).is_some()) {
                older.insert(memory.id.clone());
            } else {
                kept.push(memory);
            }
        }
    }
    // If fewer people may see the newer one, the older one is still approved; an audience that sees both is
    // served only the newer one.
    let shown: BTreeSet<&MemoryId> = ranked.iter().collect();
    for (newer, replaced) in tx.memories().replacing_pairs()? {
        if shown.contains(&newer) && shown.contains(&replaced) {
            older.insert(replaced);
        }
    }
    Ok(ranked.into_iter().filter(|id| !older.contains(id)).collect())
}

/// Formats a memory: `- [mem_1] User: “I play the cello” (2026-03-02)`. A memory that is not in the person's own words is
/// presented as noted about them. In a context for an earlier time, the line also says when the memory was approved, if that
/// was later.
fn memory_line(item: ContextItem, memory: &MemoryRow, as_of: Option<Timestamp>) -> Line {
    let decided = memory.decided.unwrap_or(memory.created);
    let known = as_of.filter(|as_of| decided > *as_of).map_or_else(String::new, |_| format!(", known since {}", day(decided)));
    let text = format!("- [{}] {} ({}{known})", item.id, noted(memory.subject.label(), &flat(&memory.content)), day(memory.said));
    // If people repeat their own words, that is not an echo.
    let said = spoken(&memory.content).is_none().then(|| (item.id.clone(), flat(&memory.content)));
    Line { item, text, said }
}

fn conversation_lines(
    tx: &ReadTx<'_>,
    conversation: Option<&ConversationId>,
    until: Option<Timestamp>,
    taken: &TakenBack,
) -> std::result::Result<Vec<Line>, StoreError> {
    let Some(conversation) = conversation else { return Ok(Vec::new()) };
    Ok(tx
        .log()
        .last_messages(conversation, until, CONVERSATION_MESSAGES)?
        .iter()
        .filter_map(|row| message_line(row, taken))
        .collect())
}

/// Promises from the conversation that are still open, in their original words.
fn promised_lines(
    tx: &ReadTx<'_>,
    conversation: Option<&ConversationId>,
    until: Option<Timestamp>,
    taken: &TakenBack,
) -> std::result::Result<Vec<Line>, StoreError> {
    let Some(conversation) = conversation else { return Ok(Vec::new()) };
    let mut lines = Vec::new();
    for promise in commitments_of(tx, conversation)?.into_iter().filter(StoredCommitment::is_open) {
        let Some(row) = tx.log().interaction(&promise.place.interaction_id)? else { continue };
        if until.is_some_and(|until| row.time > until) {
            continue;
        }
        let span = Span::new(promise.place.start, promise.place.end).ok();
        let place = span.map(|span| EvidenceSpan { interaction: row.id.clone(), span });
        if place.is_some_and(|place| taken.covers(&place)) || !may_be_served(&promise.what) {
            continue;
        }
        let who = if promise.debtor.is_owner { "the user" } else { promise.debtor.name.as_str() };
        let due = promise.due.map(|due| format!(", until {}", day(due))).unwrap_or_default();
        lines.push(Line::new(
            ContextItem { id: row.id.to_string(), kind: "commitment", sources: source_of(&row).into_iter().collect() },
            format!("- [{}] {} {} promised: {}{due}", row.id, day(row.time), flat(who), quoted(&flat(&promise.what))),
        ));
    }
    Ok(lines)
}

/// Summaries of earlier conversations with the people present that may surface here, newest first.
fn earlier_lines(
    tx: &ReadTx<'_>,
    view: &View,
    until: Option<Timestamp>,
    taken: &TakenBack,
) -> std::result::Result<Vec<Line>, StoreError> {
    let people = &view.destination.people;
    let mut found = Vec::new();
    for id in view.conversations() {
        let is_here = view.destination.conversation.as_ref() == Some(id);
        let is_theirs = view.map.places.get(id).is_some_and(|place| people.is_empty() || !place.people.is_disjoint(people));
        if is_here || !is_theirs {
            continue;
        }
        let Some(mut summary) = tx.conversation_status().latest_summary(id, until)? else { continue };
        summary.text = taken.summary_left(id, &summary.text);
        if summary.text.is_empty() || !may_be_served(&summary.text) {
            continue;
        }
        let (Some(first), Some(last)) = (tx.log().interaction(&summary.first)?, tx.log().interaction(&summary.last)?) else {
            continue;
        };
        found.push((last.time, summary, first, last));
    }
    found.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.conversation_id.cmp(&b.1.conversation_id)));
    Ok(found
        .into_iter()
        .take(EARLIER_SUMMARIES)
        .map(|(time, summary, first, last)| {
            let sources = [&first, &last].into_iter().filter_map(source_of).collect();
            let item = ContextItem { id: summary.id.to_string(), kind: "summary", sources };
            Line::new(item, format!("- [{}] {}: {}", summary.id, day(time), quoted(&flat(&summary.text))))
        })
        .collect())
}

pub(crate) fn counts(rules: impl Iterator<Item = Withheld>) -> Vec<WithheldCount> {
    let mut counts: BTreeMap<Withheld, u64> = BTreeMap::new();
    for rule in rules {
        *counts.entry(rule).or_default() += 1;
    }
    counts.into_iter().map(|(rule, count)| WithheldCount { rule: rule.name(), count }).collect()
}

/// Fills a page section by section, each up to its share of the budget.
fn fill(
    tx: &ReadTx<'_>,
    view: &View,
    request: &ContextRequest,
    taken: &TakenBack,
    mut sections: BTreeMap<usize, Vec<Line>>,
    budget: usize,
) -> std::result::Result<Page, StoreError> {
    let mut page = Page::new(budget);
    let mut share = 0.0;
    for (section, own) in SHARES {
        share += own;
        let until = (budget as f64 * share) as usize;
        match section {
            Heading::Conversation => {
                let lines = conversation_lines(tx, view.destination.conversation.as_ref(), request.as_of, taken)?;
                page.add(section, lines, until, Fit::Newest);
            }
            Heading::Promised => {
                let lines = promised_lines(tx, view.destination.conversation.as_ref(), request.as_of, taken)?;
                page.add(section, lines, until, Fit::Ranked);
            }
            Heading::UserTier | Heading::AgentTier | Heading::SharedTier => {
                page.add(section, sections.remove(&(section as usize)).unwrap_or_default(), until, Fit::Ordered);
            }
            _ => {
                let shown: Vec<String> = page.items.iter().map(|item| item.id.clone()).collect();
                let mut lines = sections.remove(&(section as usize)).unwrap_or_default();
                lines.retain(|line| !shown.contains(&line.item.id));
                page.add(section, lines, until, Fit::Ranked);
            }
        }
    }
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(id: &str, chars: usize) -> Line {
        Line::new(ContextItem { id: id.to_owned(), kind: "memory", sources: Vec::new() }, "x".repeat(chars))
    }

    #[test]
    fn a_page_never_exceeds_its_budget_and_keeps_what_is_next() {
        let check = |budget: usize, lines: &[usize], fit: Fit, expect: &[&str]| {
            let mut page = Page::new(budget);
            let lines = lines.iter().enumerate().map(|(n, chars)| line(&n.to_string(), *chars)).collect();
            page.add(Heading::Topics, lines, budget, fit);
            assert!(page.text.chars().count() <= budget, "{} of {budget}", page.text.chars().count());
            assert_eq!(page.text.chars().count(), page.chars, "the count is kept right");
            let ids: Vec<&str> = page.items.iter().map(|item| item.id.as_str()).collect();
            assert_eq!(ids, expect, "budget {budget}, lines {lines:?}", lines = ids.len());
        };
        check(100, &[10, 10], Fit::Ranked, &["0", "1"]);
        check(25, &[10, 10], Fit::Ranked, &["0"]);
        check(25, &[30, 10], Fit::Ranked, &["1"]);
        check(25, &[30, 10], Fit::Ordered, &[]);
        check(25, &[10, 10], Fit::Newest, &["1"]);
        check(35, &[5, 30, 10], Fit::Newest, &["2"]);
        check(8, &[1], Fit::Ranked, &[]);
    }

    #[test]
    fn a_line_is_one_line() {
        assert_eq!(flat("  one\ntwo\t three "), "one two three");
        assert_eq!(flat(&"word ".repeat(1_000)).chars().count(), LINE_CHARS + 1, "cut with a mark");
    }
}
